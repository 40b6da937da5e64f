//! Files below /sys and their like: the ecn tree, cc_params, traffic class,
//! rdma_cm's ToS and hardware counters. Read either as a listing of
//! `path: value` lines, or one file a capture with the path in the command.

use super::{At, Statement, Statements, Subject, Text, number};

/// A path with its value.
struct File<'t> {
    path: &'t str,
    value: &'t str,
}

/// Lines `/sys/…: value` or `/sys/…:value` (grep).
fn listed<'t>(text: &Text<'t>) -> impl Iterator<Item = File<'t>> + use<'t> {
    text.text.lines().filter_map(|line| {
        let line = line.trim();
        if !line.starts_with("/sys/") {
            return None;
        }
        // PCI addresses in a path hold colons: the value stands after the last.
        let (path, value) = line.rsplit_once(':')?;
        Some(File {
            path,
            value: value.trim(),
        })
    })
}

/// The path that a `cat` read.
fn path_of<'t>(text: &Text<'t>) -> Option<&'t str> {
    let mut words = text.command.split_whitespace();
    words.find(|word| word.starts_with("/sys/"))
}

fn files<'t>(text: &Text<'t>) -> Vec<File<'t>> {
    let mut files: Vec<File<'t>> = listed(text).collect();
    if files.is_empty()
        && let Some(path) = path_of(text)
    {
        files.push(File {
            path,
            value: text.text.trim(),
        });
    }
    files
}

/// The part of a path after a marker, and the name before it.
fn below<'t>(path: &'t str, base: &str, marker: &str) -> Option<(&'t str, &'t str)> {
    let rest = path.strip_prefix(base)?;
    let (name, rest) = rest.split_once('/')?;
    Some((name, rest.strip_prefix(marker)?))
}

fn ecn_file<'t>(file: &File<'t>) -> Option<(Subject, &'t str)> {
    if let Some((name, rest)) = below(file.path, "/sys/class/net/", "ecn/") {
        return Some((Subject::Netdev(name.to_owned()), rest));
    }
    let (pci, rest) = below(file.path, "/sys/kernel/debug/mlx5/", "cc_params/")?;
    Some((Subject::Pci(pci.to_owned()), rest))
}

pub fn is_ecn(text: &Text<'_>) -> bool {
    let in_text = text.text.contains("/ecn/roce_") || text.text.contains("/cc_params/");
    let in_command = text.command.contains("/ecn/roce_") || text.command.contains("/cc_params/");
    (in_text || in_command) && files(text).iter().any(|file| ecn_file(file).is_some())
}

pub fn parse_ecn(text: &Text<'_>, out: &mut Statements) {
    for file in files(text) {
        let Some((subject, name)) = ecn_file(&file) else {
            continue;
        };
        if let Some(value) = number(file.value) {
            let value = text.at(value, file.value);
            out.push((subject, Statement::Ecn(canonical(name), value)));
        }
    }
}

/// The upstream driver's debugfs names in the words of the ecn tree.
fn canonical(name: &str) -> String {
    match name {
        "np_cnp_dscp" => "roce_np/cnp_dscp".to_owned(),
        "np_cnp_prio" => "roce_np/cnp_802p_prio".to_owned(),
        "np_min_time_between_cnps" => "roce_np/min_time_between_cnps".to_owned(),
        _ => match name.strip_prefix("rp_") {
            Some("clamp_tgt_rate_ati") => "roce_rp/clamp_tgt_rate_after_time_inc".to_owned(),
            // `rp_ai_rate` is `rpg_ai_rate` there.
            Some(
                rest @ ("time_reset" | "byte_reset" | "threshold" | "ai_rate" | "max_rate"
                | "hai_rate" | "min_dec_fac" | "min_rate" | "gd"),
            ) => format!("roce_rp/rpg_{rest}"),
            Some(rest) => format!("roce_rp/{rest}"),
            None => name.to_owned(),
        },
    }
}

pub fn is_traffic_class(text: &Text<'_>) -> bool {
    text.text.contains("Global tclass=")
        || text.command.contains("/traffic_class")
        || text.command.starts_with("traffic_class")
}

pub fn parse_traffic_class(text: &Text<'_>, out: &mut Statements) {
    // A file that is empty: no traffic class is forced.
    if text.text.trim().is_empty() {
        let unset = Statement::TrafficClass(text.at(None, text.text));
        out.push((rdma(text.command).unwrap_or(text.subject.clone()), unset));
        return;
    }
    for line in text.lines() {
        let Some((head, rest)) = line.split_once("Global tclass=") else {
            continue;
        };
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let subject = rdma(head).or_else(|| rdma(text.command));
        let subject = subject.unwrap_or(text.subject.clone());
        if let Ok(class) = digits.parse::<u8>() {
            out.push((subject, Statement::TrafficClass(text.at(Some(class), line))));
        }
    }
}

/// The RDMA device of a path below /sys/class/infiniband; a pattern is none.
fn rdma(text: &str) -> Option<Subject> {
    let rest = text.split("/sys/class/infiniband/").nth(1)?;
    let name = rest.split('/').next()?;
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (plain && !name.is_empty()).then(|| Subject::Rdma(name.to_owned()))
}

pub fn is_cma(text: &Text<'_>) -> bool {
    let named = text.command.contains("cma_roce_tos") || text.command.contains("default_roce_tos");
    named && text.text.trim().lines().next().and_then(number).is_some()
}

pub fn parse_cma(text: &Text<'_>, out: &mut Statements) {
    let line = text.text.trim().lines().next().unwrap_or_default();
    if let Some(tos) = number(line).and_then(|tos| u8::try_from(tos).ok()) {
        let device = super::devices::option(text.command, "-d");
        let subject = device.map_or(text.subject.clone(), |name| Subject::Rdma(name.to_owned()));
        out.push((subject, Statement::RdmaCmTos(text.at(tos, line))));
    }
}

fn counter_file<'t>(file: &File<'t>) -> Option<(Subject, &'t str)> {
    let rest = file.path.strip_prefix("/sys/class/infiniband/")?;
    let (device, rest) = rest.split_once("/ports/")?;
    let (_, rest) = rest.split_once('/')?;
    let name = rest
        .strip_prefix("hw_counters/")
        .or_else(|| rest.strip_prefix("counters/"))?;
    Some((Subject::Rdma(device.to_owned()), name))
}

pub fn is_counters(text: &Text<'_>) -> bool {
    let marked = text.text.contains("counters/") || text.command.contains("counters/");
    marked && files(text).iter().any(|file| counter_file(file).is_some())
}

pub fn parse_counters(text: &Text<'_>, out: &mut Statements) {
    for file in files(text) {
        if let (Some((subject, name)), Some(value)) = (counter_file(&file), number(file.value)) {
            let value: At<i64> = text.at(value, file.value);
            out.push((subject, Statement::Counter(name.to_owned(), value)));
        }
    }
}
