//! `roceaudit baseline`.

use super::args::{Arguments, Baseline, BaselineAccept, BaselineAction, Format};
use super::{audit, diff, error_stream, inventory, output};
use crate::audit::{Options, Outcome, Report, Selection, exit_code, read_loaded};
use crate::drift::store::{self, Record, Store, StoreError, StoredDevice};
use crate::report::escape::terminal;
use crate::source::Unit;
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;

/// Most findings that a baseline lists.
const FINDINGS: usize = 1_000;

pub fn run(arguments: &Arguments, verb: &Baseline) -> anyhow::Result<u8> {
    let store = open(&verb.store)?;
    match &verb.action {
        BaselineAction::Accept(accepting) => accept(arguments, &store, accepting),
        BaselineAction::List { format } => list(arguments, &store, *format),
        BaselineAction::Show { baseline, format } => {
            show(arguments, &store, baseline.as_deref(), *format)
        }
        BaselineAction::History { device, format } => history(arguments, &store, device, *format),
    }
}

/// The store in a folder.
pub(super) fn open(store: &str) -> anyhow::Result<Store> {
    if store.contains("://") {
        anyhow::bail!("{store}: this build keeps its store in a folder only");
    }
    Ok(Store::new(store))
}

fn accept(arguments: &Arguments, store: &Store, verb: &BaselineAccept) -> anyhow::Result<u8> {
    let Some(policy) = diff::policy(arguments, &verb.policy)? else {
        return Ok(super::USAGE);
    };
    let mut units = audit::units(&verb.from.sources, &verb.from.exclude)?;
    let cables = inventory::apply(verb.from.inventory.as_deref(), &mut units)?;
    let now = verb.now.unwrap_or_else(jiff::Timestamp::now);
    let devices = audit::selection("--device", &verb.from.device)?;
    let options = Options {
        devices: devices.clone(),
        ports: Selection::default(),
        checks: Selection::default(),
        now,
        each_port: false,
        passes: false,
        cables,
    };
    // What is in force when the work begins must still be when it is done.
    let before = match store.in_force() {
        Ok(before) => Some(before),
        Err(StoreError::Empty { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let report = crate::audit::audit(&units, &policy, &options)?;
    let outcome = report.verdict(&policy);
    let wrong = match outcome {
        Outcome::Clean => None,
        Outcome::Findings => Some("the audit fails"),
        Outcome::Unknown => Some("it is incomplete: something that is needed is not known"),
    };
    if let (Some(wrong), false) = (wrong, verb.force) {
        writeln!(
            error_stream(arguments.color),
            "error: this source is not accepted: {wrong}; see `roceaudit audit`, or accept it \
             all the same with --force --reason TEXT"
        )?;
        return Ok(exit_code(outcome));
    }
    units.retain(|unit| devices.matches(&unit.name));
    let stored = units
        .par_iter()
        .map(|unit| keep(store, unit, &report))
        .collect::<Result<BTreeMap<_, _>, StoreError>>()?;
    let (parent, kept) = match before {
        Some((id, baseline)) => (Some((id, baseline.sequence)), baseline.devices),
        None => (None, BTreeMap::new()),
    };
    let changed = stored
        .iter()
        .filter(|(name, new)| kept.get(*name) != Some(*new));
    let changed = changed.count();
    let mut all = match verb.from.device.is_empty() {
        true => BTreeMap::new(),
        false => kept,
    };
    all.extend(stored);
    let counts = report.counts;
    let counts = [
        ("pass", counts.pass),
        ("fail", counts.fail),
        ("unknown", counts.unknown),
        ("skipped", counts.skipped),
        ("waived", counts.waived),
    ];
    let baseline = store::Baseline {
        schema: store::SCHEMA.to_owned(),
        sequence: parent.as_ref().map_or(1, |(_, sequence)| sequence + 1),
        parent: parent.map(|(id, _)| id),
        time: now.to_string(),
        by: verb
            .by
            .clone()
            .or_else(user)
            .unwrap_or_else(|| "unknown".to_owned()),
        reason: verb.reason.clone(),
        despite: wrong.map(str::to_owned),
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        policy: [report.policy.name.clone(), report.policy.sha256.clone()],
        audit: counts.map(|(name, count)| (name.to_owned(), count)).into(),
        findings: findings(&report),
        devices: all,
    };
    let id = store.accept(&baseline)?;
    let mut out = output(arguments.color);
    let count = baseline.devices.len();
    writeln!(
        out,
        "baseline {id} is in force: {count} devices, {changed} of them new or changed"
    )?;
    out.flush()?;
    Ok(0)
}

/// Who accepts, as the system calls them.
fn user() -> Option<String> {
    let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
    let mut names = names.filter_map(|name| std::env::var(name).ok());
    names.find(|name| !name.is_empty())
}

fn keep(store: &Store, unit: &Unit, report: &Report) -> Result<(String, Record), StoreError> {
    let mut loaded = unit.load();
    store::redacted(&mut loaded);
    let captures = store::captures_hash(&loaded.captures);
    let read = read_loaded(unit, loaded);
    let stored = StoredDevice::new(unit, &read.captures, read.device.as_ref());
    let entry = report.devices.iter().find(|entry| entry.name == unit.name);
    let status = entry.map_or(read.status, |entry| entry.status);
    let record = Record {
        file: store.put(&stored)?,
        captures,
        status: status.as_str().to_owned(),
    };
    Ok((unit.name.clone(), record))
}

fn findings(report: &Report) -> Vec<String> {
    let lines = report.findings.iter().flat_map(|finding| {
        finding.places.iter().map(|place| {
            let port = place.port.as_deref().unwrap_or("*");
            let (status, severity) = (finding.status.as_str(), finding.severity);
            let (check, device) = (&finding.check, &finding.device);
            format!(
                "{status} {severity} {check} {device} {port}: {}",
                finding.message
            )
        })
    });
    lines.take(FINDINGS).collect()
}

fn list(arguments: &Arguments, store: &Store, format: Format) -> anyhow::Result<u8> {
    let all = store.history()?;
    let mut out = output(arguments.color);
    match format {
        Format::Json => {
            let all: Vec<_> = all
                .iter()
                .map(|(id, baseline)| head(id, baseline))
                .collect();
            serde_json::to_writer_pretty(&mut out, &json!({"baselines": all}))?;
            writeln!(out)?;
        }
        Format::Text => {
            for (n, (id, baseline)) in all.iter().enumerate() {
                let sign = if n == 0 { '*' } else { ' ' };
                writeln!(out, "{sign} {}", line(id, baseline))?;
            }
        }
    }
    out.flush()?;
    Ok(0)
}

fn head(id: &str, baseline: &store::Baseline) -> serde_json::Value {
    json!({
        "id": id,
        "sequence": baseline.sequence,
        "time": baseline.time,
        "by": baseline.by,
        "reason": baseline.reason,
        "despite": baseline.despite,
        "devices": baseline.devices.len(),
    })
}

fn line(id: &str, baseline: &store::Baseline) -> String {
    let mut line = format!(
        "{id}  {}  {}  {} devices",
        terminal(&baseline.time),
        terminal(&baseline.by),
        baseline.devices.len()
    );
    for (word, text) in [("", &baseline.reason), ("despite: ", &baseline.despite)] {
        if let Some(text) = text {
            line.push_str(&format!("  {word}{}", terminal(text)));
        }
    }
    line
}

fn show(
    arguments: &Arguments,
    store: &Store,
    baseline: Option<&str>,
    format: Format,
) -> anyhow::Result<u8> {
    let (id, baseline) = match baseline {
        Some(id) => store.find(id)?,
        None => store.in_force()?,
    };
    let mut out = output(arguments.color);
    match format {
        Format::Json => {
            let mut value = serde_json::to_value(&baseline)?;
            value["id"] = id.into();
            serde_json::to_writer_pretty(&mut out, &value)?;
            writeln!(out)?;
        }
        Format::Text => {
            writeln!(out, "{}", line(&id, &baseline))?;
            writeln!(out, "policy {}", terminal(&baseline.policy[0]))?;
            for (outcome, count) in &baseline.audit {
                writeln!(out, "{outcome:>8} {count}")?;
            }
            for (name, record) in &baseline.devices {
                writeln!(out, "  {}  {}", terminal(name), terminal(&record.status))?;
            }
        }
    }
    out.flush()?;
    Ok(0)
}

/// The baselines that brought a device something new.
fn history(
    arguments: &Arguments,
    store: &Store,
    device: &str,
    format: Format,
) -> anyhow::Result<u8> {
    let all = store.history()?;
    let before = all.iter().skip(1).map(Some).chain(std::iter::once(None));
    let of = |baseline: &store::Baseline| baseline.devices.get(device).map(|r| r.file.clone());
    let changed: Vec<_> = all
        .iter()
        .zip(before)
        .filter(|((_, new), old)| of(new) != old.and_then(|(_, old)| of(old)))
        .map(|(one, _)| one)
        .collect();
    if changed.is_empty() {
        anyhow::bail!("no baseline holds a device named {device}");
    }
    let mut out = output(arguments.color);
    match format {
        Format::Json => {
            let all: Vec<_> = changed
                .iter()
                .map(|(id, baseline)| head(id, baseline))
                .collect();
            serde_json::to_writer_pretty(&mut out, &json!({"device": device, "baselines": all}))?;
            writeln!(out)?;
        }
        Format::Text => {
            for (id, baseline) in changed {
                let gone = match baseline.devices.contains_key(device) {
                    true => "",
                    false => "  (gone)",
                };
                writeln!(out, "{}{gone}", line(id, baseline))?;
            }
        }
    }
    out.flush()?;
    Ok(0)
}
