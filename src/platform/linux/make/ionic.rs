//! AMD Pensando: ionic.

use super::{Counter, Facts, RdmaNames};
use crate::model::{CounterField, Fact, MapName, Nic, Note, PfcMode, Port, Priorities, Reason};
use crate::platform::Remedy;
use crate::platform::linux::fix::harmless;
use crate::platform::linux::parse::Hints;

pub static FACTS: Facts = Facts {
    hardware: &Reason("ionic drives hardware (kernel, ionic)"),
    trust_by_app: None,
    trust_without_app: None,
};

/// nicctl lists no other NICs.
pub static TOOL: Reason = Reason("nicctl speaks of AMD's NICs alone");

/// `nicctl update port --pause-type pfc`, `nicctl update qos pfc`.
static STATIC_PFC: Reason =
    Reason("nicctl sets PFC by port and priority, without negotiation (nicctl update qos pfc)");

/// A CNP is classified like any packet.
static CNP_BY_MAP: Reason =
    Reason("the NIC classifies by DSCP, so a CNP has the priority of its DSCP (nicctl show qos)");

/// PFC is in force where the priority is no-drop and the port's pause is PFC.
pub fn complete(port: &mut Port, hints: &Hints, _: &mut Vec<Note>) {
    if let Some(pause) = hints.pause {
        let way = |on: bool, priorities: &Fact<Priorities>| match pause.pfc && on {
            true => priorities.clone(),
            false => Fact::explicit(Priorities::NONE, pause.at),
        };
        let bitmap = port.pfc.enabled.clone();
        port.pfc.tx = way(pause.tx, &bitmap);
        port.pfc.rx = way(pause.rx, &bitmap);
        port.pfc.enabled = way(pause.tx && pause.rx, &bitmap);
        if port.link_pause.rx == Fact::default() {
            port.link_pause.rx = Fact::explicit(!pause.pfc && pause.rx, pause.at);
            port.link_pause.tx = Fact::explicit(!pause.pfc && pause.tx, pause.at);
        }
    }
    if port.pfc.mode == Fact::default() && port.pfc.enabled.is_known() {
        let at = port.pfc.enabled.at();
        port.pfc.mode = Fact::Default(PfcMode::On, (&STATIC_PFC).into(), at);
    }
    let dscp = port.nic.as_deref().and_then(|nic| nic.dcqcn.cnp_dscp.get());
    let trusted = port.trust.get() == Some(crate::model::Trust::Dscp);
    let priority = dscp.and_then(|dscp| port.maps.value(MapName::DscpToTc, dscp));
    if let (Some(nic), Some(priority), true) = (port.nic.as_deref_mut(), priority, trusted)
        && nic.dcqcn.cnp_priority == Fact::default()
    {
        let at = nic.dcqcn.cnp_dscp.at();
        nic.dcqcn.cnp_priority = Fact::Default(priority, (&CNP_BY_MAP).into(), at);
    }
}

/// Names of `ethtool -S`. Pause by priority is counted in microseconds, and
/// traffic by priority in frames: neither is read.
pub fn counter(name: &str) -> Option<Counter> {
    Some(Counter::Port(match name {
        "frames_rx_pause" => CounterField::LinkPauseRx,
        "frames_tx_pause" => CounterField::LinkPauseTx,
        "frames_rx_dropped" | "hw_rx_dropped" => CounterField::Drops,
        "frames_rx_bad_fcs" => CounterField::LinkErrors,
        _ => return None,
    }))
}

/// Names of the RDMA counters (`rdma statistic show`, ionic).
pub static RDMA: RdmaNames = RdmaNames {
    retransmits: (&["tx_rdma_retx_pkts"], &[]),
    out_of_sequence: &["resp_rx_outouf_seq"],
    cnp_sent: &["tx_rdma_cnp_pkts"],
    cnp_handled: &["rx_rdma_cnp_pkts"],
    ecn_marked: &["rx_rdma_ecn_pkts"],
};

/// nicctl sets; whether the NIC keeps it over a reboot is not documented.
const LASTING: &str = "# whether it survives a reboot is not documented: put it into a boot script";

/// As typed on the host: nicctl holds for all of its NICs unless told otherwise.
pub fn fix(nic: &Nic, remedy: &Remedy) -> Option<Vec<String>> {
    let device = nic.rdma_device.value().filter(|name| harmless(name));
    let lines = match remedy {
        Remedy::Pfc { priorities } => {
            let switch = |priority: u8| {
                let state = match priorities.contains(priority) {
                    true => "enable",
                    false => "disable",
                };
                format!("nicctl update qos pfc --priority {priority} --no-drop {state}")
            };
            let pause =
                "nicctl update port --all --pause-type pfc --rx-pause enable --tx-pause enable";
            [pause.to_owned()]
                .into_iter()
                .chain((0..8).map(switch))
                .collect()
        }
        Remedy::LinkPauseOff => {
            vec![
                "nicctl update port --all --pause-type pfc --rx-pause enable --tx-pause enable"
                    .to_owned(),
            ]
        }
        Remedy::Trust { dscp } => {
            let kind = if *dscp { "dscp" } else { "pcp" };
            vec![format!("nicctl update qos --classification-type {kind}")]
        }
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            value,
        } => vec![format!(
            "nicctl update qos dscp-to-priority --dscp {key} --priority {value}"
        )],
        Remedy::Cnp { dscp, .. } => device.map_or_else(Vec::new, |device| {
            vec![format!(
                "nicctl update dcqcn -r {device} -i 1 --cnp-dscp {dscp}"
            )]
        }),
        Remedy::Mtu { .. } => return None,
        Remedy::TrafficClass { traffic_class } => {
            return Some(super::rdma_cm_tos(nic, *traffic_class));
        }
        _ => Vec::new(),
    };
    let lines = lines.into_iter();
    Some(lines.map(|line| format!("{line} {LASTING}")).collect())
}
