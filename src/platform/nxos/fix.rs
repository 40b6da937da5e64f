//! What to type on an NX-OS switch for a remedy, in `configure terminal`.

use crate::model::{Device, MapName};
use crate::platform::Remedy;

/// Lines for a remedy on a port; `copy running-config startup-config` keeps
/// them. Policies are shared, so what belongs in one names none of the site's.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture is not repeated.
    let harmless = |c: char| c.is_ascii_alphanumeric() || c == '/';
    if device.port(name).is_none() || !name.chars().all(harmless) {
        return Vec::new();
    }
    let on_port = |lines: &[&str]| -> Vec<String> {
        let head = std::iter::once(format!("interface {name}"));
        head.chain(lines.iter().map(|line| format!("  {line}")))
            .collect()
    };
    let line = |text: &str| text.to_owned();
    match remedy {
        Remedy::Pfc { priorities } => {
            let mut lines = vec![line("policy-map type network-qos NETWORK-QOS")];
            for priority in priorities.iter() {
                lines.push(format!("  class type network-qos c-8q-nq{priority}"));
                lines.push(format!("    pause pfc-cos {priority}"));
            }
            lines.push(line("system qos"));
            lines.push(line("  service-policy type network-qos NETWORK-QOS"));
            lines.extend(on_port(&["priority-flow-control mode on"]));
            lines
        }
        Remedy::PfcMode => on_port(&["priority-flow-control mode on"]),
        Remedy::LinkPauseOff => on_port(&["flowcontrol receive off", "flowcontrol send off"]),
        Remedy::Watchdog { .. } => {
            let mut lines = vec![line("priority-flow-control watch-dog-interval on")];
            lines.extend(on_port(&["priority-flow-control watch-dog-interval on"]));
            lines
        }
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            value,
        } => vec![
            format!("class-map type qos match-any QOS-GROUP-{value}"),
            format!("  match dscp {key}"),
            line("policy-map type qos CLASSIFY"),
            format!("  class QOS-GROUP-{value}"),
            format!("    set qos-group {value}"),
        ],
        Remedy::Trust { .. } => on_port(&["service-policy type qos input CLASSIFY"]),
        Remedy::Ecn {
            queue,
            min_bytes,
            max_bytes,
            probability_percent,
        } => {
            let (Some(min), Some(max)) = (min_bytes, max_bytes) else {
                return Vec::new(); // thresholds of the model are not documented
            };
            let probability = probability_percent.unwrap_or(100);
            vec![
                line("policy-map type queuing QUEUING-OUT"),
                format!("  class type queuing {}", queue_class(*queue)),
                format!(
                    "    random-detect minimum-threshold {min} bytes maximum-threshold {max} bytes drop-probability {probability} weight 0 ecn"
                ),
            ]
        }
        Remedy::Strict { queue } => vec![
            line("policy-map type queuing QUEUING-OUT"),
            format!("  class type queuing {}", queue_class(*queue)),
            line("    priority level 1"),
        ],
        Remedy::Mtu { ip_bytes } => on_port(&[&format!("mtu {ip_bytes}")]),
        // Queues follow qos-groups; the rest is of NICs.
        Remedy::MapEntry { .. }
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}

fn queue_class(queue: u8) -> String {
    match queue {
        0 => "c-out-8q-q-default".to_owned(),
        queue => format!("c-out-8q-q{queue}"),
    }
}
