//! The RDMA side of a host's network device.

use super::fact::{Fact, ToJson};
use super::values::{Dcbx, GidType, LinkType, Priorities, Trust};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A NIC as RDMA sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Nic {
    /// The RDMA device (`mlx5_0`).
    pub rdma_device: Fact<String>,
    /// The kernel driver (`mlx5_core`).
    pub driver: Fact<String>,
    /// PCI address (`0000:3b:00.0`).
    pub pci: Fact<String>,
    /// Running firmware.
    pub firmware: Fact<String>,
    /// Firmware that the next boot brings, where it differs it is staged.
    pub firmware_stored: Fact<String>,
    /// Part or board identifier (PSID).
    pub part: Fact<String>,
    /// Model name as the vendor's tool prints it (`ConnectX4LX`).
    pub model: Fact<String>,
    /// Ethernet (RoCE) or InfiniBand.
    pub link_type: Fact<LinkType>,
    /// DSCP that RDMA traffic leaves with: of the forced traffic class, else of
    /// rdma_cm's default.
    pub tos_dscp: Fact<u8>,
    /// Traffic class byte (ToS) forced on RDMA traffic of the whole device.
    pub traffic_class: Fact<u8>,
    /// Traffic class byte that rdma_cm gives by default.
    pub rdma_cm_tos: Fact<u8>,
    /// RoCE version that rdma_cm gives by default.
    pub rdma_cm_mode: Fact<GidType>,
    /// Whether the NIC sets the ECN bits of RoCE packets to ECT by itself.
    pub sets_ect: Fact<bool>,
    /// What applications ask for.
    pub applications: Applications,
    /// Active RDMA MTU, bytes.
    pub rdma_mtu: Fact<u32>,
    /// Who decides the DCB settings.
    pub dcbx: Fact<Dcbx>,
    /// An agent that may overwrite the DCB settings (`lldpad`, firmware LLDP).
    pub overwritten_by: Fact<String>,
    /// An LLDP agent of the host that sends from this port (`lldpd`, `lldpad`).
    pub host_lldp: Fact<String>,
    /// Whether the driver starts RoCE on the device.
    pub roce_enabled: Fact<bool>,
    /// Emulated in software: no PFC, no DCQCN.
    pub software: Fact<bool>,
    /// GID table.
    pub gids: Fact<Vec<Gid>>,
    /// Congestion control.
    pub dcqcn: Dcqcn,
    /// Firmware parameters, by the vendor's name.
    pub nv: BTreeMap<String, NvParameter>,
    /// The slot that the card sits in.
    pub pcie: Pcie,
    /// What services and files of the host set at the next boot.
    pub boot: Boot,
}

/// What applications ask for, by the name of their setting (`NCCL_IB_TC`).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Applications {
    /// Traffic class byte (ToS) of their RDMA traffic.
    pub traffic_classes: BTreeMap<String, Fact<u8>>,
    /// Row of the GID table that they use.
    pub gid_indices: BTreeMap<String, Fact<u16>>,
}

/// The PCIe link of a card.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pcie {
    /// Lanes in use.
    pub width: Fact<u8>,
    /// Lanes that the card has.
    pub width_max: Fact<u8>,
    /// Speed of a lane in use, millions of transfers a second (8 GT/s is 8000).
    pub speed_mtps: Fact<u32>,
    /// Speed of a lane that the card can do.
    pub speed_max_mtps: Fact<u32>,
    /// Whether a bridge above the card redirects requests between devices (ACS).
    pub acs: Fact<bool>,
    /// Whether the host has GPUs, which reach the card over PCIe (GPUDirect).
    pub gpus: Fact<bool>,
}

/// Settings that a service, hook or file of the host brings at boot; unknown
/// where none was captured that does.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Boot {
    /// PFC on these priorities.
    pub pfc: Fact<Priorities>,
    /// Trust.
    pub trust: Fact<Trust>,
    /// Traffic class byte forced on RDMA traffic.
    pub traffic_class: Fact<u8>,
}

/// One row of the GID table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gid {
    /// Its index: not stable over link flaps.
    pub index: u16,
    /// RoCE version.
    pub kind: Option<GidType>,
    /// The address, as 16 bytes.
    pub address: [u8; 16],
}

impl Gid {
    /// Whether it is an IPv4 address in IPv6 form.
    pub fn is_ipv4(&self) -> bool {
        self.address[..10].iter().all(|b| *b == 0) && self.address[10..12] == [0xff, 0xff]
    }

    /// Whether it is link-local: not routed.
    pub fn is_link_local(&self) -> bool {
        self.address[0] == 0xfe && self.address[1] & 0xc0 == 0x80
    }
}

impl ToJson for Vec<Gid> {
    fn to_json(&self) -> Value {
        self.iter()
            .map(|gid| {
                json!({
                    "index": gid.index,
                    "type": gid.kind.map(GidType::as_str),
                    "gid": std::net::Ipv6Addr::from(gid.address).to_string(),
                })
            })
            .collect()
    }
}

/// DCQCN: reaction point (rate limiter) and notification point (CNP sender).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dcqcn {
    /// Priorities whose rate limiter reacts to CNPs.
    pub rp_enabled: Fact<Priorities>,
    /// Whether CNPs are sent. Port-wide, even where the driver shows it by priority.
    pub np_enabled: Fact<bool>,
    /// DSCP of the CNPs sent.
    pub cnp_dscp: Fact<u8>,
    /// 802.1p priority of the CNPs sent.
    pub cnp_priority: Fact<u8>,
    /// Running parameters, by the vendor's lower-case name (`rpg_ai_rate`).
    pub params: BTreeMap<String, Fact<i64>>,
}

/// A firmware parameter in its three layers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct NvParameter {
    /// What the vendor ships.
    pub default: Fact<NvValue>,
    /// What the firmware runs with.
    pub current: Fact<NvValue>,
    /// What the next boot brings.
    pub next: Fact<NvValue>,
}

/// A value of a firmware parameter: `ROCE_ENABLE(2)`, `48`, `N/A`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NvValue {
    /// The number, where there is one.
    pub number: Option<i64>,
    /// The text as printed.
    pub text: String,
}

impl ToJson for NvValue {
    fn to_json(&self) -> Value {
        match self.number {
            Some(number) if self.text == number.to_string() => Value::from(number),
            _ => Value::from(self.text.as_str()),
        }
    }
}
