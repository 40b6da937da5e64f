//! What to type on a VRP switch for a remedy, in the system view; `commit`
//! puts it in force.

use crate::model::{Device, MapName};
use crate::platform::Remedy;

const PHB: [&str; 8] = ["be", "af1", "af2", "af3", "af4", "ef", "cs6", "cs7"];

/// Lines for a remedy on a port.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture is not repeated.
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | ':');
    if device.port(name).is_none() || !name.chars().all(harmless) {
        return Vec::new();
    }
    let on_port = |lines: Vec<String>| -> Vec<String> {
        let head = std::iter::once(format!("interface {name}"));
        let lines = lines.into_iter().map(|line| format!(" {line}"));
        head.chain(lines).chain(["commit".to_owned()]).collect()
    };
    match remedy {
        Remedy::Pfc { priorities } => {
            let list: Vec<String> = priorities.iter().map(|p| p.to_string()).collect();
            if list.is_empty() {
                return on_port(vec!["undo dcb pfc enable".to_owned()]);
            }
            let profile = [
                "dcb pfc".to_owned(),
                format!(" priority {}", list.join(" ")),
            ];
            let port = on_port(vec!["dcb pfc enable mode manual".to_owned()]);
            profile.into_iter().chain(port).collect()
        }
        Remedy::PfcMode => on_port(vec!["dcb pfc enable mode manual".to_owned()]),
        Remedy::LinkPauseOff => on_port(vec!["undo flow-control".to_owned()]),
        Remedy::Trust { dscp: true } => on_port(vec!["trust dscp".to_owned()]),
        Remedy::Trust { dscp: false } => on_port(vec!["trust 8021p outer".to_owned()]),
        Remedy::MapEntry {
            map: map @ (MapName::DscpToTc | MapName::PcpToTc),
            key,
            value,
        } => {
            let Some(class) = PHB.get(usize::from(*value)) else {
                return Vec::new();
            };
            let word = match map {
                MapName::DscpToTc => "ip-dscp-inbound",
                _ => "8021p-inbound",
            };
            vec![
                "diffserv domain default".to_owned(),
                format!(" {word} {key} phb {class} green"),
                "commit".to_owned(),
            ]
        }
        Remedy::Ecn {
            queue,
            min_bytes: Some(min),
            max_bytes: Some(max),
            probability_percent,
        } => {
            let percent = probability_percent.unwrap_or(100);
            let profile = [
                format!("drop-profile roce{queue}"),
                format!(
                    " ecn buffer-size low-limit {min} high-limit {max} discard-percentage {percent}"
                ),
            ];
            let port = on_port(vec![
                format!("qos queue {queue} wred roce{queue}"),
                format!("qos queue {queue} ecn"),
            ]);
            profile.into_iter().chain(port).collect()
        }
        Remedy::Strict { queue } => on_port(vec![format!("qos pq {queue}")]),
        Remedy::Mtu { ip_bytes } => on_port(vec![
            format!("jumboframe enable {}", ip_bytes.saturating_add(18)),
            format!("mtu {ip_bytes}"),
        ]),
        // The times of deadlock detection, and the rest, are of NICs or need
        // numbers that only the owner can choose.
        Remedy::Watchdog { .. }
        | Remedy::MapEntry { .. }
        | Remedy::Ecn { .. }
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}
