//! Counters by the drivers' names. Sources: Linux `counters.rst` of mlx5 and
//! `drivers/infiniband/hw/mlx5/counters.c`.

use super::parse::At;
use crate::model::{Counters, Fact, Priorities, PriorityCounters};

/// Files a counter under what it means. Unknown names are passed over: a
/// driver has hundreds that say nothing of losslessness.
pub fn file(counters: &mut Counters, name: &str, value: &At<i64>) {
    let fact = || Fact::explicit(value.value, value.at);
    if let Some((priority, rest)) = priority(name) {
        let one = counters.by_priority.entry(priority).or_insert_with(none);
        match rest {
            ("rx", "pause") => one.rx_pause = fact(),
            ("tx", "pause") => one.tx_pause = fact(),
            ("rx", "bytes") => one.rx_bytes = fact(),
            ("tx", "bytes") => one.tx_bytes = fact(),
            // Host buffer drops: headroom of the NIC.
            ("rx", "discards" | "buf_discard" | "cong_discard") => add(&mut one.drops, value),
            _ => {}
        }
        return;
    }
    match name {
        "np_ecn_marked_roce_packets" => counters.ecn_marked = fact(),
        "np_cnp_sent" => counters.cnp_sent = fact(),
        "rp_cnp_handled" => counters.cnp_handled = fact(),
        "out_of_sequence" => counters.out_of_sequence = fact(),
        // What makes the requester send again: a NAK for a gap, one implied by
        // a later answer, and silence.
        "packet_seq_err" | "implied_nak_seq_err" | "local_ack_timeout_err" => {
            add(&mut counters.retransmits, value);
        }
        "rx_discards_phy" => counters.drops = fact(),
        "rx_symbol_err_phy" | "symbol_error" | "rx_crc_errors_phy" => {
            add(&mut counters.link_errors, value);
        }
        // The NIC switched its pause off by itself.
        "tx_pause_storm_error_events" => counters.watchdog_trips = fact(),
        "rx_global_pause" => counters.link_pause_rx = fact(),
        "tx_global_pause" => counters.link_pause_tx = fact(),
        _ => {}
    }
}

/// No counter of this priority applies until one is seen.
fn none() -> PriorityCounters {
    PriorityCounters {
        rx_pause: Fact::NotApplicable,
        tx_pause: Fact::NotApplicable,
        rx_bytes: Fact::NotApplicable,
        tx_bytes: Fact::NotApplicable,
        drops: Fact::NotApplicable,
    }
}

/// Counters of a host of which none has been seen.
pub fn empty() -> Counters {
    Counters {
        by_priority: Default::default(),
        ecn_marked: Fact::NotApplicable,
        cnp_sent: Fact::NotApplicable,
        cnp_handled: Fact::NotApplicable,
        out_of_sequence: Fact::NotApplicable,
        retransmits: Fact::NotApplicable,
        drops: Fact::NotApplicable,
        link_errors: Fact::NotApplicable,
        watchdog_trips: Fact::NotApplicable,
        link_pause_rx: Fact::NotApplicable,
        link_pause_tx: Fact::NotApplicable,
    }
}

fn add(fact: &mut Fact<i64>, value: &At<i64>) {
    let before = fact.get().unwrap_or_default();
    *fact = Fact::explicit(before.saturating_add(value.value), value.at);
}

/// `rx_prio3_pause` → 3, (rx, pause).
fn priority(name: &str) -> Option<(u8, (&str, &str))> {
    let (way, rest) = name.split_once("_prio")?;
    let (number, rest) = rest.split_once('_')?;
    let priority = number.parse().ok().filter(|p| *p < 8)?;
    Some((priority, (way, rest)))
}

/// mlx5 keeps the pause counters of a priority only while PFC is on for it.
pub fn pfc_in_force<'n>(names: impl Iterator<Item = &'n str>) -> Priorities {
    let pause = names.filter_map(|name| match priority(name)? {
        (priority, (_, "pause")) => Some(priority),
        _ => None,
    });
    pause.collect()
}
