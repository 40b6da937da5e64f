//! Intel E800: ice and irdma.

use super::{Counter, Facts, RdmaNames, priority};
use crate::model::{
    CounterField, Fact, MapName, Nic, Note, NoteKind, Origin, Port, Priorities,
    PriorityCounterField, Reason,
};
use crate::platform::Remedy;
use crate::platform::linux::fix::{VOLATILE, harmless};
use std::collections::{BTreeMap, BTreeSet};

pub static FACTS: Facts = Facts {
    hardware: &Reason("irdma drives hardware (kernel, irdma)"),
    trust_by_app: Some(&Reason(
        "ice classifies by DSCP as soon as the APP table holds a DSCP entry (kernel, ice_dcb_nl.c)",
    )),
    trust_without_app: Some(&Reason(
        "ice classifies by the VLAN priority while the APP table holds no DSCP entry (kernel, ice_dcb_nl.c)",
    )),
};

/// The port has no more (Intel, E800 Linux RDMA guide).
const MOST_CLASSES: u8 = 4;

/// Intel, E800 Linux RDMA guide: one traffic class with PFC.
static ONE_CLASS: Reason = Reason(
    "E800 does PFC in one traffic class a port, and PFC is asked for in several: which one is in force is not told",
);

/// PFC works by traffic class: all priorities of a class with PFC are paused.
/// They share its counters too.
pub fn complete(port: &mut Port, notes: &mut Vec<Note>) {
    let Some(map) = port.maps.get(MapName::TcToQueue).value().cloned() else {
        return equal_counters(port, notes);
    };
    let mut note = |kind: NoteKind, text: String, at| {
        notes.push(Note {
            kind,
            port: Some(port.name.clone()),
            text,
            at,
        });
    };
    let beyond = map
        .entries()
        .iter()
        .find(|entry| entry.value >= MOST_CLASSES);
    if let Some(entry) = beyond {
        let text = format!(
            "priority {} is in traffic class {}, and E800 has {MOST_CLASSES}, from 0 on",
            entry.key, entry.value
        );
        note(NoteKind::Remark, text, entry.at);
    }
    let (Some(asked), at) = (port.pfc.enabled.get(), port.pfc.enabled.at()) else {
        return;
    };
    let classes: BTreeSet<u8> = asked.iter().filter_map(|p| map.value(p)).collect();
    if classes.len() > 1 {
        note(NoteKind::Remark, ONE_CLASS.0.to_owned(), at);
        set(port, &Fact::unknown_at(&ONE_CLASS, at));
        return;
    }
    let in_class = |priority: &u8| map.value(*priority).is_some_and(|tc| classes.contains(&tc));
    let paused: Priorities = (0..8).filter(in_class).chain(asked.iter()).collect();
    if paused != asked {
        let text = format!(
            "PFC is asked for priority {asked}, and all of its traffic class is paused: {paused}"
        );
        note(NoteKind::Remark, text, at);
        set(port, &Fact::explicit(paused, at));
    }
    // Counted once, at what was asked for.
    if let Some(counters) = port.counters.as_deref_mut() {
        for priority in paused.difference(asked).iter() {
            if let Some(one) = counters.by_priority.get_mut(&priority) {
                (one.rx_pause, one.tx_pause) = (Fact::NotApplicable, Fact::NotApplicable);
            }
        }
    }
}

/// Without the map, equal counts tell which priorities share a class.
fn equal_counters(port: &Port, notes: &mut Vec<Note>) {
    let Some(counters) = port.counters.as_deref() else {
        return;
    };
    let mut by_count: BTreeMap<i64, (Priorities, Origin)> = BTreeMap::new();
    for (priority, one) in &counters.by_priority {
        if let Some(count) = one.tx_pause.get().filter(|count| *count > 0) {
            let first = (Priorities::NONE, one.tx_pause.at());
            by_count.entry(count).or_insert(first).0.insert(*priority);
        }
    }
    for (count, (priorities, at)) in by_count {
        if priorities.iter().count() > 1 {
            let text = format!(
                "priorities {priorities} share a traffic class, and so its {count} pause frames: \
                 they count once"
            );
            notes.push(Note {
                kind: NoteKind::Remark,
                port: Some(port.name.clone()),
                text,
                at,
            });
        }
    }
}

fn set(port: &mut Port, fact: &Fact<Priorities>) {
    let pfc = &mut port.pfc;
    (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact.clone());
}

/// Names of `ethtool -S` (kernel, ice_ethtool.c). Those of priorities in one
/// traffic class are equal.
pub fn counter(name: &str) -> Option<Counter> {
    use PriorityCounterField::{RxPause, TxPause};
    for (prefix, field) in [("rx_priority_", RxPause), ("tx_priority_", TxPause)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            let (digit, what) = rest.split_once('_')?;
            return match what {
                "xoff" | "xoff.nic" => Some(Counter::Priority(priority(digit)?, field)),
                _ => None,
            };
        }
    }
    Some(Counter::Port(match name {
        "link_xoff_rx.nic" => CounterField::LinkPauseRx,
        "link_xoff_tx.nic" => CounterField::LinkPauseTx,
        "rx_dropped.nic" => CounterField::Drops,
        "rx_crc_errors.nic" => CounterField::LinkErrors,
        _ => return None,
    }))
}

/// Names of the RDMA counters (kernel, irdma/verbs.c). What it counts as sent
/// again is of iWARP.
pub static RDMA: RdmaNames = RdmaNames {
    retransmits: (&[], &[]),
    out_of_sequence: &[],
    cnp_sent: &["cnpSent"],
    cnp_handled: &["cnpHandled"],
    ecn_marked: &["RxECNMrkd"],
};

/// The firmware's agent is a flag of ethtool; congestion control is a module
/// option of the out-of-tree driver.
pub fn fix(port: &str, nic: &Nic, remedy: &Remedy) -> Option<Vec<String>> {
    let pci = nic.pci.value().filter(|pci| harmless(pci));
    Some(match remedy {
        Remedy::DcbxOs | Remedy::PfcMode => vec![
            format!("ethtool --set-priv-flags {port} fw-lldp-agent off {VOLATILE}"),
            format!("lldptool -T -i {port} -V PFC willing=no # lasting, in lldpad.conf"),
        ],
        // A first DSCP entry switches the port over.
        Remedy::Trust { dscp: true } => {
            vec![format!("dcb app add dev {port} dscp-prio 26:3 {VOLATILE}")]
        }
        Remedy::Trust { dscp: false } => {
            vec![format!("dcb app flush dev {port} dscp-prio {VOLATILE}")]
        }
        Remedy::TrafficClass { traffic_class } => super::rdma_cm_tos(nic, *traffic_class),
        Remedy::Dcqcn { .. } => vec![
            "echo 'options irdma roce_ena=1 dcqcn_enable=1' > /etc/modprobe.d/irdma.conf \
             # from the next load of the driver on, and lasting; not with the kernel's own driver"
                .to_owned(),
        ],
        Remedy::Firmware { parameter, .. } if parameter == "enable_roce" => {
            let Some(pci) = pci else {
                return Some(Vec::new());
            };
            vec![
                format!(
                    "devlink dev param set pci/{pci} name enable_iwarp value false cmode runtime {VOLATILE}"
                ),
                format!(
                    "devlink dev param set pci/{pci} name enable_roce value true cmode runtime {VOLATILE}"
                ),
            ]
        }
        // The NIC marks its CNPs by itself.
        Remedy::Cnp { .. } | Remedy::Firmware { .. } => Vec::new(),
        _ => return None,
    })
}

/// No other driver's counters end like this.
pub static COUNTER_NAMES: Reason =
    Reason("counters that end in `.nic` are those of the ice driver (kernel, ice_ethtool.c)");
