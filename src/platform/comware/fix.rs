//! What to type on a Comware switch for a remedy, in the system view.

use crate::model::{Device, MapName};
use crate::platform::Remedy;

const QUEUES: [&str; 8] = ["be", "af1", "af2", "af3", "af4", "ef", "cs6", "cs7"];

/// Lines for a remedy on a port.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture is not repeated.
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | ':');
    if device.port(name).is_none() || !name.chars().all(harmless) {
        return Vec::new();
    }
    let on_port = |lines: Vec<String>| -> Vec<String> {
        let head = std::iter::once(format!("interface {name}"));
        head.chain(lines.into_iter().map(|line| format!(" {line}")))
            .collect()
    };
    match remedy {
        Remedy::Pfc { priorities } => {
            let list: Vec<String> = priorities.iter().map(|p| p.to_string()).collect();
            if list.is_empty() {
                return on_port(vec!["undo priority-flow-control".to_owned()]);
            }
            on_port(vec![
                "priority-flow-control enable".to_owned(),
                "undo priority-flow-control no-drop dot1p".to_owned(),
                format!("priority-flow-control no-drop dot1p {}", list.join(",")),
            ])
        }
        Remedy::PfcMode => on_port(vec!["priority-flow-control enable".to_owned()]),
        Remedy::LinkPauseOff => on_port(vec!["undo flow-control".to_owned()]),
        Remedy::Trust { dscp: true } => on_port(vec!["qos trust dscp".to_owned()]),
        Remedy::Trust { dscp: false } => on_port(vec!["qos trust dot1p".to_owned()]),
        Remedy::MapEntry {
            map: MapName::PcpToTc,
            key,
            value,
        } => vec![
            "qos map-table dot1p-lp".to_owned(),
            format!(" import {key} export {value}"),
        ],
        // The map gives the 802.1p priority, which leads to the local one.
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            value,
        } => {
            let map = device
                .port(name)
                .map(|port| port.maps.get(MapName::PcpToTc));
            let map = map.and_then(|map| map.value());
            match map.and_then(|map| map.keys_of(*value).next()) {
                Some(dot1p) => vec![
                    "qos map-table dscp-dot1p".to_owned(),
                    format!(" import {key} export {dot1p}"),
                ],
                None => Vec::new(),
            }
        }
        Remedy::Strict { queue } => match QUEUES.get(usize::from(*queue)) {
            Some(queue) => on_port(vec![format!("qos wfq {queue} group sp")]),
            None => Vec::new(),
        },
        Remedy::Mtu { ip_bytes } => on_port(vec![
            format!("jumboframe enable {}", ip_bytes.saturating_add(18)),
            format!("mtu {ip_bytes}"),
        ]),
        Remedy::Watchdog { .. } => {
            on_port(vec!["priority-flow-control deadlock enable".to_owned()])
        }
        // Thresholds are in cells; the rest is of NICs, or has no command.
        Remedy::Ecn { .. }
        | Remedy::MapEntry { .. }
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}
