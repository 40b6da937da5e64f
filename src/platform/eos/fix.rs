//! What to type on an EOS switch for a remedy, in `configure`.

use crate::model::{Device, MapName, Trust};
use crate::platform::Remedy;

/// Lines for a remedy on a port; `write memory` keeps them.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture is not repeated.
    let harmless = |c: char| c.is_ascii_alphanumeric() || c == '/';
    let Some(port) = device.port(name).filter(|_| name.chars().all(harmless)) else {
        return Vec::new();
    };
    let on_port = |lines: Vec<String>| {
        let head = std::iter::once(format!("interface {name}"));
        head.chain(lines.into_iter().map(|line| format!("   {line}")))
            .collect()
    };
    match remedy {
        Remedy::Pfc { priorities } => {
            let mut lines = vec!["priority-flow-control on".to_owned()];
            let now = port.pfc.tx.get().unwrap_or_default();
            let extra = now.difference(*priorities);
            lines.extend(
                extra
                    .iter()
                    .map(|p| format!("no priority-flow-control priority {p} no-drop")),
            );
            lines.extend(
                priorities
                    .iter()
                    .map(|p| format!("priority-flow-control priority {p} no-drop")),
            );
            on_port(lines)
        }
        Remedy::LinkPauseOff => on_port(vec![
            "flowcontrol send off".to_owned(),
            "flowcontrol receive off".to_owned(),
        ]),
        Remedy::Watchdog {
            detection_ms,
            restoration_ms,
            ..
        } => {
            let seconds = |ms: u32| f64::from(ms) / 1000.0;
            on_port(vec![
                "priority-flow-control pause watchdog".to_owned(),
                format!(
                    "priority-flow-control pause watchdog port timer timeout {} polling-interval auto recovery-time {}",
                    seconds(*detection_ms),
                    seconds(*restoration_ms)
                ),
            ])
        }
        Remedy::MapEntry { map, key, value } => match map {
            MapName::DscpToTc => vec![format!("qos map dscp {key} to traffic-class {value}")],
            MapName::PcpToTc => vec![format!("qos map cos {key} to traffic-class {value}")],
            MapName::TcToQueue => vec![format!("qos map traffic-class {key} to tx-queue {value}")],
            MapName::TcToDscp => vec![format!("qos map traffic-class {key} to dscp {value}")],
            MapName::TcToPg | MapName::PfcToQueue | MapName::PfcToPg => Vec::new(),
        },
        Remedy::Trust { dscp } => {
            let field = if *dscp { Trust::Dscp.as_str() } else { "cos" };
            on_port(vec![format!("qos trust {field}")])
        }
        Remedy::Ecn {
            queue,
            min_bytes,
            max_bytes,
            probability_percent,
        } => {
            let (Some(min), Some(max)) = (min_bytes, max_bytes) else {
                return Vec::new(); // a line without thresholds is none
            };
            let probability = probability_percent.unwrap_or(100);
            on_port(vec![
                format!("tx-queue {queue}"),
                format!(
                    "   random-detect ecn minimum-threshold {min} bytes maximum-threshold {max} bytes max-mark-probability {probability}"
                ),
            ])
        }
        Remedy::Strict { queue } => on_port(vec![
            format!("tx-queue {queue}"),
            "   priority strict".to_owned(),
        ]),
        Remedy::Mtu { ip_bytes } => on_port(vec![format!("mtu {ip_bytes}")]),
        // EOS does not negotiate PFC by itself; the rest is of NICs.
        Remedy::PfcMode
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}
