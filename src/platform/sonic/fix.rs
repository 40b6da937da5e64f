//! What to type on a SONiC switch for a remedy.

use super::profiles::MAPS;
use crate::model::{Device, Fact, MapName, Origin, Port, Priorities};
use crate::platform::Remedy;

/// Commands for a remedy on a port. Those of `sonic-db-cli` write the running
/// CONFIG_DB; `config save -y` keeps them.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture never reaches a shell.
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let Some(port) = device.port(name).filter(|_| name.chars().all(harmless)) else {
        return Vec::new();
    };
    match remedy {
        Remedy::Pfc { priorities } => {
            vec![hset("PORT_QOS_MAP", name, "pfc_enable", &list(*priorities))]
        }
        Remedy::Watchdog {
            priorities,
            detection_ms,
            restoration_ms,
        } => vec![
            hset("PORT_QOS_MAP", name, "pfcwd_sw_enable", &list(*priorities)),
            format!(
                "pfcwd start --action drop --restoration-time {restoration_ms} {name} {detection_ms}"
            ),
        ],
        Remedy::MapEntry { map, key, value } => map_entry(port, *map, *key, *value),
        Remedy::Trust { dscp } => trust(port, device, *dscp),
        Remedy::Ecn {
            queue,
            min_bytes,
            max_bytes,
            probability_percent,
        } => ecn(name, *queue, *min_bytes, *max_bytes, *probability_percent),
        Remedy::Strict { queue } => vec![
            hset("SCHEDULER", "scheduler.strict", "type", "STRICT"),
            hset(
                "QUEUE",
                &format!("{name}|{queue}"),
                "scheduler",
                "scheduler.strict",
            ),
        ],
        Remedy::Mtu { ip_bytes } => vec![format!("config interface mtu {name} {ip_bytes}")],
        // SONiC does not negotiate PFC and has no 802.3x pause; the rest is of NICs.
        Remedy::PfcMode
        | Remedy::LinkPauseOff
        | Remedy::TrafficClass { .. }
        | Remedy::Dcqcn { .. }
        | Remedy::Cnp { .. }
        | Remedy::Firmware { .. }
        | Remedy::DcbxOs => Vec::new(),
    }
}

fn hset(table: &str, key: &str, field: &str, value: &str) -> String {
    let value = if value.is_empty() { "''" } else { value };
    format!("sonic-db-cli CONFIG_DB hset '{table}|{key}' {field} {value}")
}

fn list(priorities: Priorities) -> String {
    let numbers: Vec<String> = priorities.iter().map(|p| p.to_string()).collect();
    numbers.join(",")
}

/// Whether a line binds such a map to the port.
fn bound(port: &Port, map: MapName) -> Option<Origin> {
    match port.maps.get(map) {
        Fact::Explicit(_, at) => Some(*at),
        _ => None,
    }
}

/// The map's own name is not kept in the model; `AZURE` is what SONiC's
/// template calls all of them.
fn map_entry(port: &Port, map: MapName, key: u8, value: u8) -> Vec<String> {
    let Some((field, _, table, ..)) = MAPS.iter().find(|entry| entry.1 == map) else {
        return Vec::new();
    };
    let mut commands = vec![hset(
        table.name(),
        "AZURE",
        &key.to_string(),
        &value.to_string(),
    )];
    if bound(port, map).is_none() {
        commands.push(hset("PORT_QOS_MAP", &port.name, field, "AZURE"));
    }
    commands
}

fn trust(port: &Port, device: &Device, dscp: bool) -> Vec<String> {
    let (field, map) = match dscp {
        true => ("dscp_to_tc_map", MapName::DscpToTc),
        false => ("dot1p_to_tc_map", MapName::PcpToTc),
    };
    // Binding a map that does not exist would take PFC away from the port.
    match device.ports.iter().any(|other| bound(other, map).is_some()) {
        true => vec![hset("PORT_QOS_MAP", &port.name, field, "AZURE")],
        false => Vec::new(),
    }
}

fn ecn(
    port: &str,
    queue: u8,
    min_bytes: Option<u64>,
    max_bytes: Option<u64>,
    probability_percent: Option<u8>,
) -> Vec<String> {
    const PROFILE: &str = "AZURE_LOSSLESS";
    let mut fields = "ecn ecn_all wred_green_enable true".to_owned();
    if let Some(min) = min_bytes {
        fields += &format!(" green_min_threshold {min}");
    }
    if let Some(max) = max_bytes {
        fields += &format!(" green_max_threshold {max}");
    }
    if let Some(percent) = probability_percent {
        fields += &format!(" green_drop_probability {percent}");
    }
    vec![
        format!("sonic-db-cli CONFIG_DB hset 'WRED_PROFILE|{PROFILE}' {fields}"),
        hset("QUEUE", &format!("{port}|{queue}"), "wred_profile", PROFILE),
    ]
}
