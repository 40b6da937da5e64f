//! What to type on a Cumulus Linux switch for a remedy; `nv config apply`
//! puts it in force.

use super::defaults;
use super::names::is_port;
use crate::model::{Device, MapName, Port, Priorities, Reason};
use crate::platform::Remedy;

/// Commands for a remedy on a port.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture never reaches a shell.
    if !is_port(name) && name != "*" {
        return Vec::new();
    }
    let Some(port) = device.port(name) else {
        return Vec::new();
    };
    match remedy {
        Remedy::Pfc { priorities } => pfc(port, *priorities),
        Remedy::LinkPauseOff => on(port, |name| {
            format!("nv unset interface {name} qos link-pause")
        }),
        Remedy::Watchdog { .. } => on(port, |name| {
            let state = state(device);
            format!("nv set interface {name} qos pfc-watchdog state {state}")
        }),
        Remedy::MapEntry { map, key, value } => map_entry(*map, *key, *value),
        Remedy::Trust { dscp } => {
            let word = if *dscp { "l3" } else { "l2" };
            vec![format!("nv set qos mapping default-global trust {word}")]
        }
        Remedy::Ecn {
            queue,
            min_bytes,
            max_bytes,
            probability_percent,
        } => {
            let class =
                format!("nv set qos congestion-control default-global traffic-class {queue}");
            let mut commands = vec![format!("{class} ecn enable")];
            let sizes = [("min-threshold", min_bytes), ("max-threshold", max_bytes)];
            for (name, bytes) in sizes {
                commands.extend(bytes.map(|bytes| format!("{class} {name} {bytes}")));
            }
            commands.extend(probability_percent.map(|p| format!("{class} probability {p}")));
            commands
        }
        Remedy::Strict { queue } => vec![format!(
            "nv set qos egress-scheduler default-global traffic-class {queue} mode strict"
        )],
        Remedy::Mtu { ip_bytes } => on(port, |name| {
            format!("nv set interface {name} link mtu {ip_bytes}")
        }),
        // PFC is not negotiated; the rest is of NICs.
        Remedy::PfcMode
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}

/// PFC by the profile of all ports, or by the mode of `qos roce`.
fn pfc(port: &Port, priorities: Priorities) -> Vec<String> {
    let list: Vec<String> = priorities.iter().map(|p| p.to_string()).collect();
    let why = port.pfc.tx.because().map(|why| why.text());
    let roce = |reason: &Reason| why == Some(reason.0) && list == ["3"];
    if list.is_empty() {
        return vec!["nv unset qos pfc default-global".to_owned()];
    }
    if roce(&defaults::ROCE_LOSSY) {
        return vec!["nv set qos roce mode lossless".to_owned()];
    }
    let mut commands = Vec::new();
    if why == Some(defaults::PFC_OFF.0) {
        // The pool of lossless traffic has no memory by default.
        let pool = |name: &str| format!("nv set qos traffic-pool {name} memory-percent 50");
        commands.extend(["default-lossy", "default-lossless"].map(pool));
    }
    let profile = "nv set qos pfc default-global";
    commands.push(format!("{profile} switch-priority {}", list.join(",")));
    commands.extend(["tx", "rx"].map(|side| format!("{profile} {side} enable")));
    commands
}

/// A command for the port; none where the capture spoke for the whole switch.
fn on(port: &Port, command: impl FnOnce(&str) -> String) -> Vec<String> {
    match port.name.as_str() {
        "*" => Vec::new(),
        name => vec![command(name)],
    }
}

/// `enable` up to 5.14, `enabled` since (NVIDIA, NVUE command changes of 5.15).
fn state(device: &Device) -> &'static str {
    let version = device.os_version.value().map(String::as_str);
    let mut numbers = version.unwrap_or_default().split('.');
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
    match (number(numbers.next()), number(numbers.next())) {
        (Some(major), Some(minor)) if (major, minor) >= (5, 15) => "enabled",
        _ => "enable",
    }
}

fn map_entry(map: MapName, key: u8, value: u8) -> Vec<String> {
    let mapping = "nv set qos mapping default-global";
    match map {
        MapName::DscpToTc => vec![format!("{mapping} dscp {key} switch-priority {value}")],
        MapName::PcpToTc => vec![format!("{mapping} pcp {key} switch-priority {value}")],
        MapName::TcToQueue => vec![format!(
            "nv set qos egress-queue-mapping default-global switch-priority {key} traffic-class \
             {value}"
        )],
        _ => Vec::new(),
    }
}
