//! What to type on a host, and whether it survives a reboot.

use crate::model::{Device, Fact, MapName, Port, Priorities};
use crate::platform::Remedy;

/// Said of all that is gone after a reboot or a driver reload.
const VOLATILE: &str = "# until the next boot: let a service re-apply it";

/// Commands for a remedy on a port.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    // A name from a hostile capture never reaches a shell.
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let Some(port) = device.port(name).filter(|_| name.chars().all(harmless)) else {
        return Vec::new();
    };
    let interface = if name == "-" { "IF" } else { name };
    let volatile = |command: String| vec![format!("{command}   {VOLATILE}")];
    match remedy {
        Remedy::Pfc { priorities } => volatile(format!(
            "mlnx_qos -i {interface} --pfc {}",
            eight(*priorities)
        )),
        Remedy::Trust { dscp } => {
            let field = if *dscp { "dscp" } else { "pcp" };
            volatile(format!("mlnx_qos -i {interface} --trust {field}"))
        }
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            value,
        } => volatile(format!(
            "mlnx_qos -i {interface} --dscp2prio set,{key},{value}"
        )),
        Remedy::LinkPauseOff => volatile(format!("ethtool -A {interface} rx off tx off")),
        Remedy::Mtu { ip_bytes } => volatile(format!("ip link set {interface} mtu {ip_bytes}")),
        Remedy::TrafficClass { traffic_class } => volatile(format!(
            "echo {traffic_class} > /sys/class/infiniband/{}/tc/1/traffic_class",
            rdma(port)
        )),
        Remedy::Dcqcn { priorities } => priorities
            .iter()
            .flat_map(|priority| ["roce_rp", "roce_np"].map(|point| (point, priority)))
            .map(|(point, priority)| {
                format!(
                    "echo 1 > /sys/class/net/{interface}/ecn/{point}/enable/{priority}   {VOLATILE}"
                )
            })
            .collect(),
        Remedy::Cnp { dscp, priority } => {
            let mut parameters = format!("CNP_DSCP_P1={dscp}");
            if let Some(priority) = priority {
                parameters.push_str(&format!(" CNP_802P_PRIO_P1={priority}"));
            }
            let mut commands = volatile(format!(
                "echo {dscp} > /sys/class/net/{interface}/ecn/roce_np/cnp_dscp"
            ));
            commands.push(firmware(port, &parameters));
            commands
        }
        Remedy::Firmware { parameter, value } => {
            vec![firmware(port, &format!("{parameter}={value}"))]
        }
        Remedy::DcbxOs | Remedy::PfcMode => vec![
            format!("mlnx_qos -i {interface} -d os   {VOLATILE}"),
            firmware(
                port,
                "LLDP_NB_DCBX_P1=0 LLDP_NB_TX_MODE_P1=0 LLDP_NB_RX_MODE_P1=0",
            ),
        ],
        Remedy::Watchdog { .. }
        | Remedy::MapEntry { .. }
        | Remedy::Ecn { .. }
        | Remedy::Strict { .. } => Vec::new(),
    }
}

fn eight(priorities: Priorities) -> String {
    let row = (0..8).map(|p| if priorities.contains(p) { "1" } else { "0" });
    row.collect::<Vec<_>>().join(",")
}

fn harmless_or<'p>(fact: &'p Fact<String>, otherwise: &'p str) -> &'p str {
    let plain = |text: &&String| {
        text.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_:.".contains(&b))
    };
    fact.value().filter(plain).map_or(otherwise, String::as_str)
}

fn rdma(port: &Port) -> &str {
    port.nic
        .as_ref()
        .map_or("DEV", |nic| harmless_or(&nic.rdma_device, "DEV"))
}

fn firmware(port: &Port, parameters: &str) -> String {
    let pci = port
        .nic
        .as_ref()
        .map_or("PCI", |nic| harmless_or(&nic.pci, "PCI"));
    let cold = port.nic.as_ref().and_then(|nic| nic.model.value());
    let boot = match cold.is_some_and(|model| model.contains("ConnectX4LX")) {
        true => "# after a cold power cycle; a reboot is not enough on this NIC",
        false => "# from the next boot on, and for good",
    };
    format!("mlxconfig -d {pci} set {parameters}   {boot}")
}
