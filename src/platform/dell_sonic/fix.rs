//! What to type on Dell Enterprise SONiC for a remedy, in configuration mode.

use crate::model::Device;
use crate::platform::Remedy;

/// Commands for a remedy on a port. The model does not hold the names of maps
/// and policies, so what must change one of them can't be said.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/');
    let Some(port) = device.port(name).filter(|_| name.chars().all(harmless)) else {
        return Vec::new();
    };
    let mut lines = vec![format!("interface {name}")];
    match remedy {
        Remedy::Pfc { priorities } => {
            let now = port.pfc.tx.get().unwrap_or_default();
            let line = |no: &str, p: u8| format!("{no}priority-flow-control priority {p}");
            lines.extend(now.difference(*priorities).iter().map(|p| line("no ", p)));
            lines.extend(priorities.difference(now).iter().map(|p| line("", p)));
            if port.pfc.rx.get() != port.pfc.tx.get() {
                lines.push("no priority-flow-control asymmetric".to_owned());
            }
        }
        Remedy::Watchdog {
            detection_ms,
            restoration_ms,
            ..
        } => lines.extend([
            "priority-flow-control watchdog action drop".to_owned(),
            format!("priority-flow-control watchdog on detect-time {detection_ms}"),
            format!("priority-flow-control watchdog restore-time {restoration_ms}"),
        ]),
        Remedy::Mtu { ip_bytes } => lines.push(format!("mtu {ip_bytes}")),
        Remedy::PfcMode
        | Remedy::LinkPauseOff
        | Remedy::MapEntry { .. }
        | Remedy::Trust { .. }
        | Remedy::Ecn { .. }
        | Remedy::Strict { .. }
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => return Vec::new(),
    }
    lines
}
