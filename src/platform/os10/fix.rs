//! What to type on an OS10 switch for a remedy, in configuration mode.

use crate::model::{Device, Fact, PfcMode, Priorities, Trust};
use crate::platform::Remedy;

/// Commands for a remedy on a port. The model does not hold the names of maps
/// and policies, so what must change one of them can't be said.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | ':');
    let Some(port) = device.port(name).filter(|_| name.chars().all(harmless)) else {
        return Vec::new();
    };
    let interface = format!("interface {name}");
    let on_port = |lines: &[&str]| {
        let lines = lines.iter().map(|line| (*line).to_owned());
        [interface.clone()].into_iter().chain(lines).collect()
    };
    const NO_LINK_PAUSE: [&str; 2] = ["flowcontrol receive off", "flowcontrol transmit off"];
    match remedy {
        Remedy::Pfc { priorities } => {
            let mut lines = Vec::new();
            let off = port.pfc.mode.get() != Some(PfcMode::On);
            let tied = !port.priority_groups.is_empty();
            if !off && tied {
                // The policy is there and names other priorities.
                return Vec::new();
            }
            if !tied {
                lines.extend(network_policy(*priorities));
            }
            lines.push(interface.clone());
            lines.extend(NO_LINK_PAUSE.map(str::to_owned));
            lines.push("priority-flow-control mode on".to_owned());
            if !tied {
                lines.push("service-policy input type network-qos roce-pfc".to_owned());
            }
            lines
        }
        Remedy::PfcMode => on_port(&["priority-flow-control mode on"]),
        Remedy::LinkPauseOff => on_port(&NO_LINK_PAUSE),
        Remedy::Trust { dscp: true } if port.trust.get() != Some(Trust::Dscp) => {
            on_port(&["trust-map dscp default"])
        }
        Remedy::Trust { dscp: false } => on_port(&["trust-map dot1p default"]),
        Remedy::Mtu { ip_bytes } => {
            let frame = ip_bytes.saturating_add(18).min(9216);
            vec![interface, format!("mtu {frame}")]
        }
        Remedy::MapEntry { map, key, value }
            if *map == crate::model::MapName::DscpToTc
                && !matches!(port.maps.get(*map), Fact::Explicit(..)) =>
        {
            vec![
                "trust dscp-map roce-dscp".to_owned(),
                format!("qos-group {value} dscp {key}"),
                interface,
                "trust-map dscp roce-dscp".to_owned(),
            ]
        }
        Remedy::Trust { .. }
        | Remedy::Watchdog { .. }
        | Remedy::MapEntry { .. }
        | Remedy::Ecn { .. }
        | Remedy::Strict { .. }
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}

/// A network-qos policy with these priorities, each with the traffic class of
/// its own number.
fn network_policy(priorities: Priorities) -> Vec<String> {
    let mut lines = Vec::new();
    for priority in priorities.iter() {
        lines.push(format!("class-map type network-qos roce-{priority}"));
        lines.push(format!("match qos-group {priority}"));
    }
    lines.push("policy-map type network-qos roce-pfc".to_owned());
    for priority in priorities.iter() {
        lines.push(format!("class roce-{priority}"));
        lines.push("pause".to_owned());
        lines.push(format!("pfc-cos {priority}"));
    }
    lines
}
