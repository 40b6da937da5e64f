//! What to type on SR Linux for a remedy, in candidate mode; `commit save`
//! puts it in force and keeps it.

use crate::model::{Device, MapName};
use crate::platform::Remedy;

/// Lines for a remedy on a port.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture is not repeated.
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/');
    if device.port(name).is_none() || !name.chars().all(harmless) {
        return Vec::new();
    }
    let profile = "set / qos pfc-mapping-profile roce";
    let port = format!("set / qos interfaces interface {name}");
    match remedy {
        Remedy::Pfc { priorities } => {
            let mut lines = Vec::new();
            for p in priorities.iter() {
                let sends = format!("{profile} received-traffic unicast-mapping pfc-queue pfc{p}");
                let obeys = format!("{profile} received-pfc-pause-frames queue unicast-{p}");
                lines.extend([
                    format!("set / qos queues pfc-queue pfc{p} queue-index {p}"),
                    format!("{sends} forwarding-class [ fc{p} ]"),
                    format!("{sends} pfc-pause-frame-priority {p}"),
                    format!("{obeys} pfc-pause-frame-priority {p}"),
                    format!("{obeys} enable-pfc true"),
                ]);
            }
            lines.extend([
                format!("{port} pfc pfc-mapping-profile roce"),
                format!("{port} pfc pfc-enable true"),
            ]);
            lines
        }
        Remedy::LinkPauseOff => ["receive", "transmit"]
            .map(|way| format!("set / interface {name} ethernet flow-control {way} false"))
            .into(),
        Remedy::Watchdog {
            detection_ms,
            restoration_ms,
            ..
        } => {
            let deadlock = format!("{profile} received-pfc-pause-frames deadlock");
            vec![
                format!("{deadlock} enable true"),
                format!(
                    "{deadlock} detection-timer {}",
                    (*detection_ms).clamp(10, 1500)
                ),
                format!(
                    "{deadlock} recovery-timer {}",
                    (*restoration_ms).clamp(100, 1500)
                ),
            ]
        }
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            value,
        } => vec![format!(
            "set / qos classifiers dscp-policy roce dscp {key} forwarding-class fc{value}"
        )],
        Remedy::MapEntry {
            map: MapName::TcToQueue,
            key,
            value,
        } => vec![format!(
            "set / qos forwarding-classes forwarding-class fc{key} output unicast-queue unicast-{value}"
        )],
        Remedy::Ecn {
            queue,
            min_bytes: Some(min),
            max_bytes: Some(max),
            probability_percent,
        } => {
            let slope = "set / qos buffer-management queue-management-profile roce wred \
                 wred-slope all drop-probability all enable-ecn true";
            let percent = probability_percent.unwrap_or(100);
            vec![
                format!("{slope} min-threshold {min}"),
                format!("{slope} max-threshold {max}"),
                format!("{slope} max-drop-probability-percent {percent}"),
                format!("{port} output queues queue unicast-{queue} queue-management-profile roce"),
            ]
        }
        Remedy::Mtu { ip_bytes } => vec![
            format!("set / interface {name} mtu {}", ip_bytes.saturating_add(14)),
            format!("set / interface {name} subinterface 0 ip-mtu {ip_bytes}"),
        ],
        // PFC is static and the DSCP is always trusted; the rest is of NICs,
        // or needs choices of its owner.
        Remedy::PfcMode
        | Remedy::Trust { .. }
        | Remedy::Strict { .. }
        | Remedy::MapEntry { .. }
        | Remedy::Ecn { .. }
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}
