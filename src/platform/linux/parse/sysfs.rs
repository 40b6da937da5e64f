//! Values of sysfs, debugfs and configfs: listings `PATH: value` (or
//! `PATH:value`, as `grep -r .` prints), and the output of `cat PATH`.

use super::{Evidence, Input, Part, Statements, Subject, leading_number};
use crate::model::{Fact, Gid, GidType, Mtu, MtuCounts, Origin, Priorities};
use crate::platform::linux::{counters, defaults};
use std::collections::BTreeMap;

/// Roots of the files that are read here.
const ROOTS: &[&str] = &[
    "/sys/class/",
    "/sys/kernel/",
    "/sys/devices/",
    "/sys/bus/",
    "/sys/module/",
];

fn is_counter(path: &str) -> bool {
    path.contains("/hw_counters/") || path.contains("/counters/")
}

/// Whether the text lists counters and nothing else.
pub fn recognise_counters(text: &str) -> bool {
    let mut listed = super::lines(text).filter_map(|(_, line)| split(line));
    listed.next().is_some_and(|(path, _)| is_counter(path))
        && listed.all(|(path, _)| is_counter(path))
}

/// Whether the text lists such files.
pub fn recognise(text: &str) -> bool {
    if recognise_counters(text) {
        return false;
    }
    super::lines(text).any(|(_, line)| split(line).is_some())
        || text.trim_start().starts_with("Global tclass=")
        || text.trim_start().starts_with("==> /sys/")
}

fn split(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    if !ROOTS.iter().any(|root| line.starts_with(root)) {
        return None;
    }
    let mut from = 0;
    let at = loop {
        let rest = line.get(from..)?;
        let colon = rest.find(':')?;
        match rest.find('/') {
            // PCI addresses hold colons too, and values slashes (`IB/RoCE v1`).
            Some(slash) if slash < colon || super::pci_address(rest.get(..slash)?).is_some() => {
                from += slash + 1;
            }
            _ => break from + colon,
        }
    };
    Some((line.get(..at)?, line.get(at + 1..)?.trim()))
}

/// Reads all values whose path or command tells what they are.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let mut tables = Tables::default();
    let listed = input.lines().any(|(_, line)| split(line).is_some());
    if listed {
        for (offset, line) in input.lines() {
            let offset = offset + (line.len() - line.trim_start().len());
            if let Some((path, value)) = split(line) {
                one(path, value, input.at(offset), &mut tables, out);
            }
        }
    } else if matches!(input.command.first(), Some(&("cat" | "head" | "tail"))) {
        printed(input, &mut tables, out);
    } else if input.command.first() == Some(&"cma_roce_tos") {
        let device = input.option(&["-d"]).map(Subject::rdma);
        rdma_cm_tos(
            device.unwrap_or_default(),
            input.text.trim(),
            input.at(0),
            out,
        );
    } else if input.command.first() == Some(&"cma_roce_mode") {
        let device = input.option(&["-d"]).map(Subject::rdma);
        rdma_cm_mode(
            device.unwrap_or_default(),
            input.text.trim(),
            input.at(0),
            out,
        );
    } else if let Some((offset, line)) = input.lines().find(|(_, line)| line.contains("tclass=")) {
        traffic_class(Subject::default(), line, input.at(offset), out);
    }
    tables.finish(out);
}

/// `cat` of one file prints its value; of several, one line each.
fn printed(input: &Input<'_>, tables: &mut Tables, out: &mut Statements) {
    let paths: Vec<&str> = input
        .command
        .iter()
        .filter(|word| word.starts_with('/'))
        .copied()
        .collect();
    let pattern = |path: &str| path.contains(['{', '*', '?', '[', '$']);
    let lines: Vec<(usize, &str)> = input
        .lines()
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    match paths.as_slice() {
        [path] if path.contains("/debug/bnxt_re/") => {
            for (offset, line) in &lines {
                one(path, line.trim(), input.at(*offset), tables, out);
            }
        }
        [path] if !pattern(path) => match lines.first() {
            Some((offset, line)) => one(path, line.trim(), input.at(*offset), tables, out),
            None => one(path, "", input.at(0), tables, out),
        },
        [path] => {
            // Which file gave which line is lost, unless all say the same.
            let values: Vec<&str> = lines.iter().map(|(_, line)| line.trim()).collect();
            if let (Some((offset, _)), Some(value)) = (lines.first(), values.first())
                && values.iter().all(|other| other == value)
            {
                one(path, value, input.at(*offset), tables, out);
            }
        }
        paths if paths.len() == lines.len() => {
            for (path, (offset, line)) in paths.iter().zip(&lines) {
                one(path, line.trim(), input.at(*offset), tables, out);
            }
        }
        _ => {}
    }
}

/// What has to be gathered over several files before it makes a fact.
#[derive(Default)]
struct Tables {
    gids: BTreeMap<String, BTreeMap<u16, GidRow>>,
    enabled: BTreeMap<(Option<String>, bool), (Priorities, usize, Origin)>,
    cnp: BTreeMap<String, CnpPriority>,
    counters: BTreeMap<String, BTreeMap<String, (i64, Origin)>>,
}

#[derive(Default)]
struct GidRow {
    address: Option<[u8; 16]>,
    kind: Option<GidType>,
    at: Origin,
}

#[derive(Default)]
struct CnpPriority {
    follows: bool,
    priority: Option<(u8, Origin)>,
}

fn one(path: &str, value: &str, at: Origin, tables: &mut Tables, out: &mut Statements) {
    let fields: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match fields.as_slice() {
        ["sys", "class", "net", netdev, "ecn", role, rest @ ..] => {
            ecn(netdev, role, rest, value, at, tables, out);
        }
        ["sys", "class", "net", netdev, "mtu"] => {
            if let Ok(bytes) = value.parse() {
                let mut part = Part::new(Subject::netdev(netdev), Evidence::None);
                part.port.mtu = Mtu::from_raw(Fact::explicit(bytes, at), MtuCounts::Ip);
                out.push(part);
            }
        }
        ["sys", "class", "net", netdev, "speed"] => {
            if let Ok(speed) = value.parse() {
                let mut part = Part::new(Subject::netdev(netdev), Evidence::None);
                part.port.speed_mbps = Fact::explicit(speed, at);
                out.push(part);
            }
        }
        ["sys", "class", "net", netdev, "device", name] => {
            pcie_link(Subject::netdev(netdev), name, value, at, out);
        }
        ["sys", "bus", "pci", "devices", pci, name] => {
            pcie_link(Subject::pci(pci), name, value, at, out);
        }
        ["sys", "class", "infiniband", device, "device", name] => {
            pcie_link(Subject::rdma(device), name, value, at, out);
        }
        ["sys", "kernel", "debug", "mlx5", pci, "cc_params", name] => {
            cc_parameter(pci, name, value, at, tables, out);
        }
        [
            "sys",
            "class",
            "infiniband",
            device,
            "tc",
            _,
            "traffic_class",
        ] => {
            traffic_class(Subject::rdma(device), value, at, out);
        }
        ["sys", "class", "infiniband", device, "ports", _, rest @ ..] => {
            infiniband(device, rest, value, at, tables, out);
        }
        [
            "sys",
            "kernel",
            "config",
            "rdma_cm",
            device,
            "ports",
            _,
            "default_roce_tos",
        ] => {
            rdma_cm_tos(Subject::rdma(device), value, at, out);
        }
        [
            "sys",
            "kernel",
            "config",
            "rdma_cm",
            device,
            "ports",
            _,
            "default_roce_mode",
        ] => {
            rdma_cm_mode(Subject::rdma(device), value, at, out);
        }
        [
            "sys",
            "kernel",
            "config",
            "bnxt_re",
            device,
            "ports",
            _,
            "cc",
            rest @ ..,
        ] => {
            super::bnxt_cc::configfs(device, rest, value, at, out);
        }
        ["sys", "kernel", "debug", "bnxt_re", device, "info"] => {
            super::bnxt_cc::debugfs(device, value, at, out);
        }
        ["sys", "kernel", "config", "irdma", device, name] => {
            super::irdma::configfs(device, name, value, at, out);
        }
        ["sys", "module", "irdma", "parameters", name] => {
            super::irdma::option(name, value, true, at, out);
        }
        _ => {}
    }
}

fn ecn(
    netdev: &str,
    role: &str,
    rest: &[&str],
    value: &str,
    at: Origin,
    tables: &mut Tables,
    out: &mut Statements,
) {
    let Some(number) = leading_number(value) else {
        return;
    };
    if let (["enable", priority], reacts) = (rest, role == "roce_rp") {
        let key = (super::device_name(netdev), reacts);
        let entry = tables
            .enabled
            .entry(key)
            .or_insert((Priorities::NONE, 0, at));
        entry.1 += 1;
        if let (Ok(priority), 1..) = (priority.parse(), number) {
            entry.0.insert(priority);
        }
        return;
    }
    let mut part = Part::new(Subject::netdev(netdev), Evidence::Rdma);
    let dcqcn = &mut part.nic().dcqcn;
    match (role, rest) {
        ("roce_np", ["cnp_dscp"]) => dcqcn.cnp_dscp = small(number, 63, at),
        ("roce_np", ["cnp_802p_prio"]) => dcqcn.cnp_priority = small(number, 7, at),
        ("roce_np" | "roce_rp", [name]) => {
            dcqcn
                .params
                .insert((*name).to_owned(), Fact::explicit(number, at));
        }
        _ => return,
    }
    out.push(part);
}

fn small(number: i64, largest: u8, at: Origin) -> Fact<u8> {
    match u8::try_from(number)
        .ok()
        .filter(|number| *number <= largest)
    {
        Some(number) => Fact::explicit(number, at),
        None => Fact::unknown_at(format!("{number} is larger than {largest}"), at),
    }
}

/// The same parameters under the names of the upstream driver.
fn cc_parameter(
    pci: &str,
    name: &str,
    value: &str,
    at: Origin,
    tables: &mut Tables,
    out: &mut Statements,
) {
    let Some(number) = leading_number(value) else {
        return;
    };
    let priority = tables.cnp.entry(pci.to_owned()).or_default();
    let mut part = Part::new(Subject::pci(pci), Evidence::Rdma);
    let dcqcn = &mut part.nic().dcqcn;
    match name {
        "np_cnp_dscp" => dcqcn.cnp_dscp = small(number, 63, at),
        "np_cnp_prio" => {
            priority.priority = u8::try_from(number)
                .ok()
                .filter(|p| *p < 8)
                .map(|p| (p, at));
            return;
        }
        "np_cnp_prio_mode" => {
            priority.follows = number == 1;
            return;
        }
        _ => {
            dcqcn
                .params
                .insert(parameter_name(name), Fact::explicit(number, at));
        }
    }
    out.push(part);
}

/// The name that vendors document (`rpg_ai_rate`) for the one of debugfs
/// (`rp_ai_rate`).
pub fn parameter_name(name: &str) -> String {
    const RPG: &[&str] = &[
        "time_reset",
        "byte_reset",
        "threshold",
        "ai_rate",
        "max_rate",
        "hai_rate",
        "min_dec_fac",
        "min_rate",
        "gd",
    ];
    let name = name.strip_prefix("np_").unwrap_or(name);
    match name.strip_prefix("rp_") {
        Some("clamp_tgt_rate_ati") => "clamp_tgt_rate_after_time_inc".to_owned(),
        Some(rest) if RPG.contains(&rest) => format!("rpg_{rest}"),
        Some(rest) => rest.to_owned(),
        None => name.to_owned(),
    }
}

/// `Global tclass=106`, perhaps with a remark behind; empty where none is
/// forced.
fn traffic_class(subject: Subject, value: &str, at: Origin, out: &mut Statements) {
    let mut part = Part::new(subject, Evidence::Rdma);
    let forced = value
        .split_once("Global tclass=")
        .and_then(|(_, number)| leading_number(number));
    part.nic().traffic_class = match forced {
        Some(number) => small(number, 255, at),
        None if value.is_empty() => Fact::unknown_at(&defaults::NO_FORCED_CLASS, at),
        None => Fact::unknown_at("the traffic class depends on the address".to_owned(), at),
    };
    out.push(part);
}

/// The link of a function; the kernel prints 0 lanes where there is none.
fn pcie_link(subject: Subject, name: &str, value: &str, at: Origin, out: &mut Statements) {
    let mut part = Part::new(subject, Evidence::None);
    let pcie = &mut part.nic().pcie;
    let width = || {
        u8::try_from(leading_number(value)?)
            .ok()
            .filter(|width| *width > 0)
    };
    let speed = || super::pcie::speed(value);
    match name {
        "current_link_width" => {
            pcie.width = width().map(|w| Fact::explicit(w, at)).unwrap_or_default()
        }
        "max_link_width" => {
            pcie.width_max = width().map(|w| Fact::explicit(w, at)).unwrap_or_default()
        }
        "current_link_speed" => {
            pcie.speed_mtps = speed().map(|s| Fact::explicit(s, at)).unwrap_or_default()
        }
        "max_link_speed" => {
            pcie.speed_max_mtps = speed().map(|s| Fact::explicit(s, at)).unwrap_or_default()
        }
        _ => return,
    }
    out.push(part);
}

fn rdma_cm_mode(subject: Subject, value: &str, at: Origin, out: &mut Statements) {
    if let Some(kind) = gid_type(value) {
        let mut part = Part::new(subject, Evidence::Rdma);
        part.nic().rdma_cm_mode = Fact::explicit(kind, at);
        out.push(part);
    }
}

fn rdma_cm_tos(subject: Subject, value: &str, at: Origin, out: &mut Statements) {
    if let Some(number) = leading_number(value) {
        let mut part = Part::new(subject, Evidence::Rdma);
        part.nic().rdma_cm_tos = small(number, 255, at);
        out.push(part);
    }
}

fn infiniband(
    device: &str,
    rest: &[&str],
    value: &str,
    at: Origin,
    tables: &mut Tables,
    out: &mut Statements,
) {
    match rest {
        ["gids", index] => {
            if let Some(row) = tables.gid(device, index, at) {
                row.address = value.parse().ok().map(|ip: std::net::Ipv6Addr| ip.octets());
            }
        }
        ["gid_attrs", "types", index] => {
            if let Some(row) = tables.gid(device, index, at) {
                row.kind = gid_type(value);
            }
        }
        ["gid_attrs", "ndevs", _] => {
            let mut subject = Subject::rdma(device);
            subject.netdev = super::device_name(value);
            out.push(Part::new(subject, Evidence::Rdma));
        }
        ["hw_counters" | "counters", name] => {
            if let Ok(count) = value.parse() {
                let table = tables.counters.entry(device.to_owned()).or_default();
                table.insert((*name).to_owned(), (count, at));
            }
        }
        ["link_layer"] => {
            let mut part = Part::new(Subject::rdma(device), Evidence::Rdma);
            part.nic().link_type = super::rdma::link_layer(value, at);
            out.push(part);
        }
        _ => {}
    }
}

/// `RoCE v2`, `IB/RoCE v1`, `v2`.
pub fn gid_type(text: &str) -> Option<GidType> {
    let text = text.trim().to_ascii_lowercase();
    if text.ends_with("v2") {
        Some(GidType::RoceV2)
    } else if text.ends_with("v1") {
        Some(GidType::RoceV1)
    } else {
        None
    }
}

impl Tables {
    fn gid(&mut self, device: &str, index: &str, at: Origin) -> Option<&mut GidRow> {
        let index = index.parse().ok()?;
        let row = self
            .gids
            .entry(device.to_owned())
            .or_default()
            .entry(index)
            .or_default();
        if !row.at.is_known() {
            row.at = at;
        }
        Some(row)
    }

    fn finish(self, out: &mut Statements) {
        for (device, rows) in self.gids {
            let at = rows.values().next().map_or(Origin::NONE, |row| row.at);
            let gids: Vec<Gid> = rows
                .into_iter()
                .filter_map(|(index, row)| {
                    let address = row.address.filter(|address| *address != [0; 16])?;
                    let kind = row.kind;
                    Some(Gid {
                        index,
                        kind,
                        address,
                    })
                })
                .collect();
            let mut part = Part::new(Subject::rdma(&device), Evidence::Rdma);
            part.nic().gids = Fact::explicit(gids, at);
            out.push(part);
        }
        for (device, values) in &self.counters {
            let mut part = Part::new(Subject::rdma(device), Evidence::Rdma);
            *part.counters() = counters::rdma(values);
            out.push(part);
        }
        for ((netdev, reacts), (priorities, files, at)) in self.enabled {
            let subject = netdev.as_deref().map(Subject::netdev).unwrap_or_default();
            let mut part = Part::new(subject, Evidence::Rdma);
            let dcqcn = &mut part.nic().dcqcn;
            let whole = files == 8;
            // The notification point is port-wide: one file that says 1 is
            // enough, but only all eight can say that it is off.
            if !reacts && (whole || !priorities.is_empty()) {
                dcqcn.np_enabled = Fact::explicit(!priorities.is_empty(), at);
            } else if reacts && whole {
                dcqcn.rp_enabled = Fact::explicit(priorities, at);
            } else if reacts {
                let why = format!("only {files} of 8 priorities were captured");
                dcqcn.rp_enabled = Fact::unknown_at(why, at);
            }
            out.push(part);
        }
        for (pci, cnp) in self.cnp {
            let mut part = Part::new(Subject::pci(&pci), Evidence::Rdma);
            let Some((priority, at)) = cnp.priority else {
                continue;
            };
            part.nic().dcqcn.cnp_priority = match cnp.follows {
                true => Fact::unknown_at(&defaults::CNP_PRIORITY_FOLLOWS, at),
                false => Fact::explicit(priority, at),
            };
            out.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn paths_end_at_the_colon_of_the_value() {
        let lines = [
            (
                "/sys/class/net/eth0/mtu:9000",
                "/sys/class/net/eth0/mtu",
                "9000",
            ),
            (
                "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0:IB/RoCE v1",
                "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0",
                "IB/RoCE v1",
            ),
            (
                "/sys/class/infiniband/mlx5_0/ports/1/gids/3: fe80::1",
                "/sys/class/infiniband/mlx5_0/ports/1/gids/3",
                "fe80::1",
            ),
            (
                "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp:48",
                "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp",
                "48",
            ),
        ];
        for (line, path, value) in lines {
            assert_eq!(split(line), Some((path, value)), "{line}");
        }
        assert_eq!(split("/sys/class/net/eth0/mtu"), None);
        assert_eq!(split("/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params"), None);
    }
}
