//! Counters of `ethtool -S` and of the RDMA device, by the names that the
//! mlx5 driver gives (kernel, `Documentation/networking/.../counters.rst`), or
//! another make's.

use super::make;
use super::parse::{Input, Part};
use crate::model::{Counters, Fact, Origin, Priorities, PriorityCounters};
use crate::platform::text::keyvalue;
use std::collections::BTreeMap;

/// Where a counter of `ethtool -S` belongs.
enum Place<'n> {
    /// Of a priority: number, and the rest of the name with its direction.
    Priority(u8, bool, &'n str),
    /// Of the port.
    Port(&'n str),
}

fn place(name: &str) -> Place<'_> {
    for (prefix, sent) in [("rx_prio", false), ("tx_prio", true)] {
        let split = name
            .strip_prefix(prefix)
            .and_then(|rest| rest.split_once('_'));
        if let Some((digit, what)) = split
            && let Some(priority) = digit.parse().ok().filter(|priority: &u8| *priority < 8)
        {
            return Place::Priority(priority, sent, what);
        }
    }
    Place::Port(name)
}

/// Whether a key is a counter that some NIC's `ethtool -S` has.
pub fn is_ethernet(name: &str) -> bool {
    matches!(place(name), Place::Priority(..))
        || make::counter(name).is_some()
        || name.starts_with("tx_priority_")
        || name.starts_with("rx_priority_")
        || matches!(
            name,
            "rx_pause"
                | "tx_pause"
                | "rx_pause_ctrl_phy"
                | "tx_pause_ctrl_phy"
                | "rx_global_pause"
                | "tx_flow_control_xoff"
                | "rx_flow_control_xoff"
                | "rx_discards_phy"
        )
}

/// Reads `ethtool -S`. A listing counts as whole only if the tool's heading is
/// there and the driver counts by priority: then the keys that are missing
/// tell as much as those that are there.
pub fn ethernet(input: &Input<'_>, whole: bool, part: &mut Part) {
    let mut paused = Priorities::NONE;
    let mut by_priority = false;
    let mut global = None;
    for pair in keyvalue::pairs(input.text) {
        let Ok(count) = pair.value.parse::<i64>() else {
            continue;
        };
        let at = input.at(pair.offset);
        let fact = Fact::explicit(count, at);
        if let Some(counter) = make::counter(pair.key) {
            make::count(part, pair.key, counter, fact);
            continue;
        }
        match place(pair.key) {
            Place::Priority(priority, sent, what) => {
                by_priority = true;
                let known = &mut part.counters().by_priority;
                let counters = known.entry(priority).or_default();
                if of_priority(counters, sent, what, fact) {
                    paused.insert(priority);
                }
            }
            Place::Port(name) => {
                if name == "rx_global_pause" {
                    global = Some(at);
                }
                of_port(part.counters(), name, fact);
            }
        }
    }
    let at = input.at(0);
    if whole && by_priority {
        // The pause counters of a priority exist only while PFC is on for it.
        part.port.pfc.operational = Fact::explicit(paused, at);
        for (priority, counters) in &mut part.counters().by_priority {
            if !paused.contains(*priority) {
                counters.rx_pause = Fact::NotApplicable;
                counters.tx_pause = Fact::NotApplicable;
            }
        }
    }
    if whole && by_priority && global.is_none() {
        // So do those of link pause.
        let counters = part.counters();
        counters.link_pause_rx = Fact::NotApplicable;
        counters.link_pause_tx = Fact::NotApplicable;
    }
    if let Some(at) = global {
        let why = &super::defaults::GLOBAL_PAUSE_KEYS;
        part.port.pfc.operational = Fact::Default(Priorities::NONE, why.into(), at);
    }
}

/// Whether it is a counter of pause frames.
fn of_priority(counters: &mut PriorityCounters, sent: bool, what: &str, fact: Fact<i64>) -> bool {
    match (what, sent) {
        ("bytes", false) => counters.rx_bytes = fact,
        ("bytes", true) => counters.tx_bytes = fact,
        ("pause", false) => counters.rx_pause = fact,
        ("pause", true) => counters.tx_pause = fact,
        // `buf_discard` and `cong_discard` are parts of a sum that older
        // drivers call `discards`.
        ("discards", false) => counters.drops = fact,
        ("buf_discard" | "cong_discard", false) if !counters.drops.is_known() => {
            counters.drops = fact;
        }
        ("buf_discard" | "cong_discard", false) => {
            if let (Some(a), Some(b)) = (counters.drops.get(), fact.get()) {
                counters.drops = Fact::explicit(a.max(b), counters.drops.at());
            }
        }
        _ => {}
    }
    what == "pause" || what.starts_with("pause_")
}

fn of_port(counters: &mut Counters, name: &str, fact: Fact<i64>) {
    let target = match name {
        "rx_discards_phy" => &mut counters.drops,
        // The NIC gave up its pause frames: its own watchdog.
        "tx_pause_storm_error_events" => &mut counters.watchdog_trips,
        "rx_pause" | "rx_global_pause" => &mut counters.link_pause_rx,
        "tx_pause" | "tx_global_pause" => &mut counters.link_pause_tx,
        "rx_flow_control_xoff" => &mut counters.link_pause_rx,
        "tx_flow_control_xoff" => &mut counters.link_pause_tx,
        // The host's side was not ready: PCIe without credits, or its buffer full.
        "outbound_pci_stalled_wr_events"
        | "outbound_pci_stalled_rd_events"
        | "outbound_pci_buffer_overflow" => {
            return add(&mut counters.pcie_stalls, fact);
        }
        "rx_symbol_err_phy" | "rx_crc_errors_phy" => {
            return add(&mut counters.link_errors, fact);
        }
        _ => return,
    };
    *target = fact;
}

/// Adds to a sum.
pub fn add(sum: &mut Fact<i64>, more: Fact<i64>) {
    *sum = match (sum.get(), more.get()) {
        (Some(a), Some(b)) => Fact::explicit(a.saturating_add(b), sum.at()),
        _ => more,
    };
}

/// Counters of the RDMA device, by their file names. Retransmissions are what
/// the requester had to repeat: sequence errors told by the responder, skipped
/// responses, and timeouts; `duplicate_request`, the responder's view of the
/// same, is left out. A sum of which a part is missing is unknown.
pub fn rdma(values: &BTreeMap<String, (i64, Origin)>) -> Counters {
    let one = |name: &str| {
        values
            .get(name)
            .map(|(count, at)| Fact::explicit(*count, *at))
    };
    let get = |name: &str| one(name).unwrap_or_default();
    let sum = |needed: &[&str], more: &[&str]| {
        let mut sum = Fact::default();
        for name in needed {
            match one(name) {
                Some(fact) => add(&mut sum, fact),
                None if sum.is_known() || needed.iter().any(|n| values.contains_key(*n)) => {
                    return Fact::unknown(format!("{name} was not captured"));
                }
                None => return Fact::default(),
            }
        }
        more.iter()
            .filter_map(|name| one(name))
            .for_each(|fact| add(&mut sum, fact));
        sum
    };
    if let Some(names) = make::RdmaNames::of(|name| values.contains_key(name)) {
        let first = |names: &[&str]| names.iter().find_map(|name| one(name)).unwrap_or_default();
        return Counters {
            out_of_sequence: first(names.out_of_sequence),
            retransmits: sum(names.retransmits.0, names.retransmits.1),
            cnp_sent: first(names.cnp_sent),
            cnp_handled: first(names.cnp_handled),
            ecn_marked: first(names.ecn_marked),
            ..Counters::default()
        };
    }
    Counters {
        out_of_sequence: get("out_of_sequence"),
        retransmits: sum(
            &["packet_seq_err", "local_ack_timeout_err"],
            &["implied_nak_seq_err"],
        ),
        cnp_sent: get("np_cnp_sent"),
        cnp_handled: get("rp_cnp_handled"),
        ecn_marked: get("np_ecn_marked_roce_packets"),
        link_errors: sum(&["symbol_error"], &["link_error_recovery", "link_downed"]),
        ..Counters::default()
    }
}
