//! Broadcom Thor: bnxt_en and bnxt_re.

use super::{Counter, Facts, RdmaNames, priority};
use crate::model::{
    CounterField, Fact, MapName, Nic, Note, NoteKind, Origin, Port, Priorities,
    PriorityCounterField, Reason,
};
use crate::platform::Remedy;
use crate::platform::linux::defaults;
use crate::platform::linux::fix::{VOLATILE, harmless};
use crate::platform::linux::parse::{Evidence, Hints, Part};
use std::collections::{BTreeMap, BTreeSet};

pub static FACTS: Facts = Facts {
    hardware: &Reason("bnxt_re drives hardware (kernel, bnxt_re)"),
    trust_by_app: Some(&Reason(
        "bnxt_en hands the DSCP entries of the APP table to the NIC's DSCP-to-priority table (kernel, bnxt_dcb.c)",
    )),
    trust_without_app: None,
};

/// niccli and bnxtqos list no other NICs.
pub static TOOL: Reason = Reason("niccli and bnxtqos speak of Broadcom's NICs alone");

/// A single digit can be read in two ways: the kernel's lldptool lists
/// priorities under these words, and amd/node-scraper compares the number as a
/// bit mask.
pub static PFC_NUMBER: Reason = Reason(
    "`PFC enabled` with one digit can be a priority or a bit mask: `dcb pfc show dev IF`, or `niccli … qos --ingress --cosq --show`, would tell",
);

/// Tells of devices of which only niccli's number is known: that is no name,
/// and not the order of the slots.
pub fn unlisted(parts: &[Part], notes: &mut Vec<Note>) {
    let subjects = parts.iter().map(|part| &part.subject);
    let listed: BTreeSet<&String> = subjects
        .filter(|subject| subject.pci.is_some() || subject.netdev.is_some())
        .filter_map(|subject| subject.mst.as_ref())
        .collect();
    let mut unlisted: BTreeMap<&str, usize> = BTreeMap::new();
    for part in parts.iter().filter(|part| part.says_something()) {
        let name = part
            .subject
            .mst
            .as_ref()
            .filter(|name| !listed.contains(name));
        if let Some(number) = name.and_then(|name| name.strip_prefix("niccli:")) {
            unlisted.entry(number).or_insert(part.capture);
        }
    }
    let nics = parts.iter().filter(|part| part.evidence > Evidence::None);
    let netdevs: BTreeSet<&String> = nics
        .filter_map(|part| part.subject.netdev.as_ref())
        .collect();
    // The only device is that of the only number.
    if unlisted.len() == 1 && netdevs.len() < 2 {
        return;
    }
    for (number, capture) in unlisted {
        notes.push(Note {
            kind: NoteKind::Failed,
            port: None,
            text: format!(
                "which device niccli numbers {number} is not known: `niccli --list_devices` (or \
                 --listdev) would tell"
            ),
            at: Origin::new(capture, 0),
        });
    }
}

/// Decides what the number behind `PFC enabled` means, if another capture does.
pub fn complete(port: &mut Port, hints: &Hints, notes: &mut Vec<Note>) {
    let Some((number, at)) = hints.pfc_number else {
        return;
    };
    let listed: Priorities = [number].into_iter().collect();
    let masked = Priorities::from_mask(number);
    if let Some(enabled) = port.pfc.enabled.get() {
        if enabled != listed && enabled != masked {
            let text = format!(
                "captures contradict each other in PFC: niccli says {number}, another {enabled}"
            );
            notes.push(Note {
                kind: NoteKind::Conflict,
                port: Some(port.name.clone()),
                text,
                at,
            });
            set(port, &Fact::unknown_at(&defaults::CONTRADICTION, at));
        }
        return;
    }
    let (Some((lossless, _)), Some(map)) = (
        hints.lossless_tcs,
        port.maps.get(MapName::TcToQueue).value(),
    ) else {
        return;
    };
    let of_lossless = |priorities: Priorities| {
        let mut all = priorities.iter();
        all.all(|priority| map.value(priority).is_some_and(|tc| lossless.contains(tc)))
    };
    let decided = match (of_lossless(listed), of_lossless(masked)) {
        (true, false) => listed,
        (false, true) => masked,
        _ => return,
    };
    set(port, &Fact::explicit(decided, at));
}

fn set(port: &mut Port, fact: &Fact<Priorities>) {
    let pfc = &mut port.pfc;
    (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact.clone());
}

/// Names of `ethtool -S` (kernel, bnxt_ethtool.c). Discards are counted by the
/// NIC's queue, not by priority.
pub fn counter(name: &str) -> Option<Counter> {
    use PriorityCounterField::{RxBytes, RxPause, TxBytes, TxPause};
    for (prefix, field) in [
        ("rx_pfc_ena_frames_pri", RxPause),
        ("tx_pfc_ena_frames_pri", TxPause),
        ("rx_bytes_pri", RxBytes),
        ("tx_bytes_pri", TxBytes),
    ] {
        if let Some(digits) = name.strip_prefix(prefix) {
            return Some(Counter::Priority(priority(digits)?, field));
        }
    }
    Some(Counter::Port(match name {
        "rx_pause_frames" => CounterField::LinkPauseRx,
        "tx_pause_frames" => CounterField::LinkPauseTx,
        "rx_fcs_err_frames" | "rx_fec_uncorrectable_blocks" => CounterField::LinkErrors,
        _ if name.starts_with("rx_discard_packets_cos") => CounterField::Drops,
        _ => return None,
    }))
}

/// Names of the RDMA counters (kernel, bnxt_re/hw_counters.c), and of builds
/// that follow mlx5.
pub static RDMA: RdmaNames = RdmaNames {
    retransmits: (&["to_retransmits", "seq_err_naks_rcvd"], &["missing_resp"]),
    out_of_sequence: &["oos_drop_count", "res_oos_drop_count", "out_of_sequence"],
    cnp_sent: &["tx_cnp_pkts", "cnp_tx_pkts", "np_cnp_sent"],
    cnp_handled: &["rx_cnp_pkts", "cnp_rx_pkts", "rp_cnp_handled"],
    ecn_marked: &["rx_ecn_marked_pkts"],
};

/// Congestion control stands in a configfs folder that somebody has to make
/// first; the rest is set by dcb, as on plain Linux.
pub fn fix(nic: &Nic, remedy: &Remedy) -> Option<Vec<String>> {
    let device = nic.rdma_device.value().filter(|name| harmless(name));
    let in_folder = |settings: Vec<(&str, String)>| {
        let Some(device) = device else {
            return Vec::new();
        };
        let folder = format!("/sys/kernel/config/bnxt_re/{device}");
        let mut lines = vec![format!("mkdir -p {folder}")];
        for (file, value) in settings {
            lines.push(format!(
                "echo {value} > {folder}/ports/1/cc/{file} {VOLATILE}"
            ));
        }
        lines.push(format!("echo 1 > {folder}/ports/1/cc/apply"));
        lines
    };
    match remedy {
        Remedy::Dcqcn { .. } => Some(in_folder(vec![("ecn_enable", "0x1".to_owned())])),
        Remedy::Cnp { dscp, priority } => {
            let mut settings = vec![("cnp_dscp", format!("{dscp:#x}"))];
            settings.extend(priority.map(|priority| ("cnp_prio", format!("{priority:#x}"))));
            Some(in_folder(settings))
        }
        Remedy::TrafficClass { traffic_class } => Some(super::rdma_cm_tos(nic, *traffic_class)),
        Remedy::Firmware { parameter, .. } if parameter == "enable_roce" => {
            let pci = nic.pci.value().filter(|pci| harmless(pci));
            Some(pci.map_or_else(Vec::new, |pci| {
                vec![format!(
                    "niccli --dev {pci} nvm --setoption support_rdma --scope 0 --value 1 \
                     # from the next boot on, and lasting"
                )]
            }))
        }
        Remedy::Firmware { .. } => Some(Vec::new()),
        _ => None,
    }
}
