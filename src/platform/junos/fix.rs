//! What to type on a Junos switch for a remedy, in `configure`.

use crate::model::{Device, MapName};
use crate::platform::Remedy;

/// Lines for a remedy on a port; `commit` keeps them. Profiles are shared, so
/// what belongs in one names none of the site's.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture is not repeated.
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | ':' | '*');
    if device.port(name).is_none() || !name.chars().all(harmless) {
        return Vec::new();
    }
    const COS: &str = "set class-of-service";
    match remedy {
        Remedy::Pfc { priorities } => {
            let mut lines = Vec::new();
            for priority in priorities.iter() {
                lines.push(format!(
                    "{COS} forwarding-classes class LOSSLESS queue-num {priority} no-loss pfc-priority {priority}"
                ));
                lines.push(format!(
                    "{COS} congestion-notification-profile PFC input ieee-802.1 code-point {priority:03b} pfc"
                ));
                lines.push(format!(
                    "{COS} congestion-notification-profile PFC output ieee-802.1 code-point {priority:03b} flow-control-queue {priority}"
                ));
            }
            lines.push(format!(
                "{COS} interfaces {name} congestion-notification-profile PFC"
            ));
            lines
        }
        Remedy::LinkPauseOff => vec![format!(
            "set interfaces {name} ether-options no-flow-control"
        )],
        Remedy::Watchdog { .. } => {
            vec![format!(
                "{COS} congestion-notification-profile PFC pfc-watchdog"
            )]
        }
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            ..
        } => vec![format!(
            "{COS} classifiers dscp CLASSIFY forwarding-class LOSSLESS loss-priority low code-points {key:06b}"
        )],
        Remedy::Trust { dscp: true } => {
            vec![format!(
                "{COS} interfaces {name} unit * classifiers dscp CLASSIFY"
            )]
        }
        Remedy::Ecn { .. } => {
            vec![format!(
                "{COS} schedulers LOSSLESS explicit-congestion-notification"
            )]
        }
        Remedy::Strict { .. } => vec![format!("{COS} schedulers CNP priority strict-high")],
        Remedy::Mtu { ip_bytes } => vec![format!("set interfaces {name} mtu {}", ip_bytes + 14)],
        // Junos does not negotiate PFC here; the rest is of NICs.
        Remedy::PfcMode
        | Remedy::MapEntry { .. }
        | Remedy::Trust { dscp: false }
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}
