//! What to type on a Linux host for a remedy, with an NVIDIA NIC where the
//! make does not say otherwise.

use crate::model::{Device, MapName, Nic, Port, Priorities};
use crate::platform::Remedy;

/// Behind what the kernel or the driver forgets.
pub const VOLATILE: &str = "# until the next boot";

/// Commands for a remedy on a port, each with a remark whether it lasts.
pub fn commands(device: &Device, name: &str, remedy: &Remedy) -> Vec<String> {
    let Some(port) = device.port(name).filter(|_| harmless(name)) else {
        return Vec::new();
    };
    if let Some(lines) = super::make::fix(port, remedy) {
        return lines;
    }
    let nic = port.nic.as_deref();
    let mlnx_qos = uses_mlnx_qos(port);
    let lines: Vec<String> = match remedy {
        Remedy::Pfc { priorities } if mlnx_qos => {
            vec![format!("mlnx_qos -i {name} --pfc {}", bits(*priorities))]
        }
        Remedy::Pfc { priorities } => vec![format!(
            "dcb pfc set dev {name} prio-pfc {}",
            switches(*priorities)
        )],
        Remedy::PfcMode | Remedy::DcbxOs if mlnx_qos => {
            vec![format!("mlnx_qos -i {name} --dcbx os")]
        }
        Remedy::PfcMode | Remedy::DcbxOs => vec![format!("dcb dcbx set dev {name} host ieee")],
        Remedy::LinkPauseOff => vec![format!("ethtool -A {name} rx off tx off")],
        Remedy::Trust { dscp } if mlnx_qos => {
            vec![format!(
                "mlnx_qos -i {name} --trust {}",
                if *dscp { "dscp" } else { "pcp" }
            )]
        }
        Remedy::Trust { dscp } => {
            vec![format!(
                "dcb apptrust set dev {name} order {}",
                if *dscp { "dscp" } else { "pcp" }
            )]
        }
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            value,
        } if mlnx_qos => {
            vec![format!("mlnx_qos -i {name} --dscp2prio set,{key},{value}")]
        }
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key,
            value,
        } => {
            vec![format!(
                "dcb app replace dev {name} dscp-prio {key}:{value}"
            )]
        }
        Remedy::Mtu { ip_bytes } => vec![format!("ip link set {name} mtu {ip_bytes}")],
        Remedy::TrafficClass { traffic_class } => traffic(nic, *traffic_class),
        Remedy::Dcqcn { priorities } => dcqcn(name, *priorities),
        Remedy::Cnp { dscp, priority } => {
            let mut lines = vec![format!(
                "echo {dscp} > /sys/class/net/{name}/ecn/roce_np/cnp_dscp"
            )];
            let priority = priority.map(|priority| {
                format!("echo {priority} > /sys/class/net/{name}/ecn/roce_np/cnp_802p_prio")
            });
            lines.extend(priority);
            lines
        }
        Remedy::Firmware { parameter, .. } if parameter == "enable_roce" => return roce(nic),
        Remedy::Firmware { parameter, value } => return firmware(nic, parameter, value),
        Remedy::MapEntry { .. }
        | Remedy::Watchdog { .. }
        | Remedy::Ecn { .. }
        | Remedy::Strict { .. } => Vec::new(),
    };
    lines
        .into_iter()
        .map(|line| format!("{line} {VOLATILE}"))
        .collect()
}

/// A name from a hostile capture never reaches a shell.
pub fn harmless(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    !name.is_empty() && name != "-" && !name.starts_with('-') && name.chars().all(plain)
}

/// Whether mlnx_qos was captured: only it knows of cable lengths and prints
/// buffers beside a state of trust that a line tells.
fn uses_mlnx_qos(port: &Port) -> bool {
    port.trust.kind() == crate::model::Kind::Explicit
        && port.trust.get() != Some(crate::model::Trust::Both)
        || port.cable_m.is_known()
}

fn bits(priorities: Priorities) -> String {
    let bits: Vec<&str> = (0..8)
        .map(|p| if priorities.contains(p) { "1" } else { "0" })
        .collect();
    bits.join(",")
}

fn switches(priorities: Priorities) -> String {
    let all: Vec<String> = (0..8)
        .map(|p| format!("{p}:{}", if priorities.contains(p) { "on" } else { "off" }))
        .collect();
    all.join(" ")
}

fn traffic(nic: Option<&Nic>, class: u8) -> Vec<String> {
    let device = nic
        .and_then(|nic| nic.rdma_device.value())
        .filter(|device| harmless(device));
    device.map_or_else(Vec::new, |device| {
        vec![
            format!("echo {class} > /sys/class/infiniband/{device}/tc/1/traffic_class"),
            format!("cma_roce_tos -d {device} -t {class}"),
        ]
    })
}

fn dcqcn(name: &str, priorities: Priorities) -> Vec<String> {
    let enable = |role: &str, priority: u8| {
        format!("echo 1 > /sys/class/net/{name}/ecn/{role}/enable/{priority}")
    };
    let mut lines = Vec::new();
    for priority in priorities.iter() {
        lines.push(enable("roce_np", priority));
        lines.push(enable("roce_rp", priority));
    }
    lines
}

/// The parameter counts from the driver's next start, which takes the port down.
fn roce(nic: Option<&Nic>) -> Vec<String> {
    let pci = nic.and_then(|nic| nic.pci.value());
    pci.filter(|pci| harmless(pci)).map_or_else(Vec::new, |pci| {
        vec![
            format!("devlink dev param set pci/{pci} name enable_roce value true cmode driverinit {VOLATILE}"),
            format!("devlink dev reload pci/{pci} # takes the port down for a moment"),
        ]
    })
}

fn firmware(nic: Option<&Nic>, parameter: &str, value: &str) -> Vec<String> {
    let pci = nic
        .and_then(|nic| nic.pci.value())
        .filter(|pci| harmless(pci));
    let safe = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_[]".contains(c))
    };
    match pci {
        Some(pci) if safe(parameter) && safe(value) => {
            vec![format!(
                "mlxconfig -d {pci} set {parameter}={value} # from the next boot on, and lasting"
            )]
        }
        _ => Vec::new(),
    }
}
