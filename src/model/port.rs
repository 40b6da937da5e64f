//! A port and all that is known of it.

use super::fact::Fact;
use super::nic::Nic;
use super::origin::Origin;
use super::values::{
    CodeMap, Milli, MtuCounts, PfcMode, Priorities, SchedulerKind, State, Trust, words,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A map that is shared by all ports that use it.
pub type SharedMap = Fact<Arc<CodeMap>>;

/// A port of a switch or a network device of a host.
#[derive(Clone, Debug, Default)]
pub struct Port {
    /// The platform's own full name without blanks; `*` speaks for the whole
    /// switch, `-` for a host capture that names no port.
    pub name: String,
    /// Free text, hostile.
    pub description: Fact<String>,
    /// Mb/s.
    pub speed_mbps: Fact<u32>,
    /// Forward error correction, as the platform names it (`rs`, `fc`, `none`).
    pub fec: Fact<String>,
    /// Administrative state.
    pub admin: Fact<State>,
    /// Operational state.
    pub oper: Fact<State>,
    /// Length of the cable in metres, where the device knows it.
    pub cable_m: Fact<u32>,
    /// Largest packet.
    pub mtu: Mtu,
    /// Which field decides the class.
    pub trust: Fact<Trust>,
    /// Priority flow control.
    pub pfc: Pfc,
    /// 802.3x pause in both directions.
    pub link_pause: LinkPause,
    /// The maps of this port.
    pub maps: Maps,
    /// Egress queues, by id.
    pub queues: Vec<Queue>,
    /// Ingress priority groups (buffers on a NIC), by id.
    pub priority_groups: Vec<PriorityGroup>,
    /// Who is at the other end.
    pub peer: Option<Peer>,
    /// Who should be there by the device's own configuration, where somebody
    /// else was heard.
    pub declared: Option<Peer>,
    /// The RDMA side; hosts only.
    pub nic: Option<Box<Nic>>,
    /// Counters of one sample; none where no capture holds any.
    pub counters: Option<Box<Counters>>,
}

impl Port {
    /// A port of which nothing else is known yet.
    pub fn new(name: impl Into<String>) -> Self {
        Port {
            name: name.into(),
            ..Port::default()
        }
    }

    /// The queue with this id.
    pub fn queue(&self, id: u8) -> Option<&Queue> {
        self.queues.iter().find(|queue| queue.id == id)
    }

    /// The priority group with this id.
    pub fn priority_group(&self, id: u8) -> Option<&PriorityGroup> {
        self.priority_groups.iter().find(|group| group.id == id)
    }

    /// Everything that checks judge, without what names the single port. Two
    /// ports with equal settings get equal verdicts, so they are judged once.
    pub fn settings(&self) -> impl std::hash::Hash + Eq + '_ {
        (
            (&self.speed_mbps, &self.fec, &self.admin, &self.oper),
            (&self.cable_m, &self.mtu, &self.trust, &self.pfc),
            (&self.link_pause, &self.maps, &self.queues),
            (&self.priority_groups, &self.nic, &self.counters),
        )
    }
}

/// Largest packet, as configured and as compared.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mtu {
    /// Usable IP payload in bytes: what is compared between platforms.
    pub ip: Fact<u32>,
    /// The number that the platform shows.
    pub raw: Fact<u32>,
    /// What that number counts.
    pub counts: Fact<MtuCounts>,
}

impl Mtu {
    /// From the platform's number: less 14 bytes where it counts the Ethernet
    /// header, less 18 where it counts the FCS too.
    pub fn from_raw(raw: Fact<u32>, counts: MtuCounts) -> Self {
        let header = match counts {
            MtuCounts::Ip => 0,
            MtuCounts::L2 => 14,
            MtuCounts::Frame => 18,
        };
        Mtu {
            ip: raw.map(|bytes| bytes.saturating_sub(header)),
            counts: raw.map(|_| counts),
            raw,
        }
    }
}

/// Priority flow control of a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pfc {
    /// In force both ways.
    pub enabled: Fact<Priorities>,
    /// We send pause.
    pub tx: Fact<Priorities>,
    /// We obey pause.
    pub rx: Fact<Priorities>,
    /// Static or negotiated.
    pub mode: Fact<PfcMode>,
    /// What is in force now, where an operational capture says so.
    pub operational: Fact<Priorities>,
    /// The watchdog on paused queues.
    pub watchdog: Watchdog,
}

/// The PFC watchdog of a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Watchdog {
    /// Whether it runs.
    pub enabled: Fact<bool>,
    /// The priorities configured, whether or not it runs.
    pub priorities: Fact<Priorities>,
    /// Time of continuous pause until it acts, in milliseconds.
    pub detection_ms: Fact<u32>,
    /// Time without pause until it lets go, in milliseconds.
    pub restoration_ms: Fact<u32>,
    /// What it does (`drop`, `forward`, `alert` …), as the platform names it.
    pub action: Fact<String>,
    /// Queues in a storm at the time of the capture.
    pub stormed: Fact<Priorities>,
}

/// 802.3x pause of a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LinkPause {
    /// We obey pause.
    pub rx: Fact<bool>,
    /// We send pause.
    pub tx: Fact<bool>,
}

words! {
    /// The maps of a port.
    MapName {
        /// DSCP → traffic class (on hosts: priority).
        DscpToTc = "dscp_to_tc",
        /// 802.1p → traffic class.
        PcpToTc = "pcp_to_tc",
        /// Traffic class → egress queue.
        TcToQueue = "tc_to_queue",
        /// Traffic class → ingress priority group.
        TcToPg = "tc_to_pg",
        /// PFC priority of an arriving pause frame → the queue that it stops.
        PfcToQueue = "pfc_to_queue",
        /// PFC priority → the priority group that sends pause for it.
        PfcToPg = "pfc_to_pg",
        /// Traffic class → DSCP on the way out: a rewrite.
        TcToDscp = "tc_to_dscp",
    }
}

impl MapName {
    /// All maps, in the order of the model JSON.
    pub const ALL: [MapName; 7] = [
        MapName::DscpToTc,
        MapName::PcpToTc,
        MapName::TcToQueue,
        MapName::TcToPg,
        MapName::PfcToQueue,
        MapName::PfcToPg,
        MapName::TcToDscp,
    ];
}

/// The maps of a port, by [`MapName`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Maps([SharedMap; 7]);

impl Maps {
    /// One map.
    pub fn get(&self, name: MapName) -> &SharedMap {
        &self.0[name as usize]
    }

    /// Replaces one map.
    pub fn set(&mut self, name: MapName, map: SharedMap) {
        self.0[name as usize] = map;
    }

    /// What a key maps to, where both the map and the entry are known.
    pub fn value(&self, name: MapName, key: u8) -> Option<u8> {
        self.get(name).value()?.value(key)
    }
}

/// An egress queue.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Queue {
    /// Its number on this platform.
    pub id: u8,
    /// A PFC priority in force maps to it.
    pub lossless: Fact<bool>,
    /// Its WRED / ECN profile, shared by all queues that use it.
    pub ecn: Arc<Ecn>,
    /// How it is served.
    pub scheduler: Fact<SchedulerKind>,
    /// Share among the weighted queues of what the strict ones leave, percent.
    pub share_percent: Fact<Milli>,
    /// A fixed upper limit of its fill in bytes; not applicable where the
    /// limit moves with the free space.
    pub limit_bytes: Fact<u64>,
    /// The line that binds its profiles to this port.
    pub attached: LineOnly,
}

impl Queue {
    /// A queue of which nothing else is known yet.
    pub fn new(id: u8) -> Self {
        Queue {
            id,
            lossless: Fact::default(),
            ecn: Arc::default(),
            scheduler: Fact::default(),
            share_percent: Fact::default(),
            limit_bytes: Fact::default(),
            attached: LineOnly::default(),
        }
    }
}

/// An origin that does not count when settings are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineOnly(pub Origin);

impl PartialEq for LineOnly {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for LineOnly {}
impl std::hash::Hash for LineOnly {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// WRED and ECN of a queue.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ecn {
    /// Whether packets are marked.
    pub enabled: Fact<bool>,
    /// Fill at which marking begins.
    pub min_bytes: Fact<u64>,
    /// Fill at which marking reaches its probability.
    pub max_bytes: Fact<u64>,
    /// The same, where the platform counts in percent of the queue.
    pub min_percent: Fact<Milli>,
    /// The same, where the platform counts in percent of the queue.
    pub max_percent: Fact<Milli>,
    /// Marking probability at the maximum, percent.
    pub probability_percent: Fact<Milli>,
    /// Whether WRED drops packets of the class instead of marking them.
    pub wred_drop: Fact<bool>,
}

/// An ingress priority group: a share of the ingress buffer with its own
/// pause threshold. On a NIC: one of its receive buffers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PriorityGroup {
    /// Its number on this platform.
    pub id: u8,
    /// Whether it sends pause instead of dropping.
    pub lossless: Fact<bool>,
    /// Its sizes, shared by all groups that use the same profile.
    pub buffer: Arc<GroupBuffer>,
    /// The line that binds its profile to this port.
    pub attached: LineOnly,
}

impl PriorityGroup {
    /// A priority group of which nothing else is known yet.
    pub fn new(id: u8) -> Self {
        PriorityGroup {
            id,
            lossless: Fact::default(),
            buffer: Arc::default(),
            attached: LineOnly::default(),
        }
    }
}

/// The sizes of a priority group.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct GroupBuffer {
    /// Room for what arrives after the pause was sent, bytes (SONiC `xoff`).
    pub headroom_bytes: Fact<u64>,
    /// Guaranteed room, bytes.
    pub reserved_bytes: Fact<u64>,
    /// Fill at which pause is sent, bytes (Cumulus `xoff-threshold`).
    pub pause_at_bytes: Fact<u64>,
    /// Fill at which sending may go on, bytes.
    pub resume_at_bytes: Fact<u64>,
    /// Dynamic threshold: factor of the free pool, in thousandths.
    pub alpha: Fact<Milli>,
    /// The pool it takes from.
    pub pool: Fact<String>,
}

/// The other end of a cable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Peer {
    /// Its name, as the source gives it; hostile.
    pub device: String,
    /// Its port, where known; hostile.
    pub port: Option<String>,
    /// `lldp`, `config`, `inventory`, `description`.
    pub by: &'static str,
    /// The line that says so.
    pub at: LineOnly,
}

impl Peer {
    /// The other port's name, unless all that is known of it is its MAC
    /// address, which hosts tell by default.
    pub fn port_name(&self) -> Option<&str> {
        self.port.as_deref().filter(|name| !is_mac(name))
    }
}

/// Whether the text is a MAC address, as hosts name their ports by default:
/// `0c:42:a1:00:00:01`, `0c42.a100.0001`.
pub fn is_mac(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let others = || text.bytes().filter(|b| !b.is_ascii_hexdigit());
    digits == 12 && others().count() >= 2 && others().all(|b| matches!(b, b':' | b'-' | b'.'))
}

/// Counters of one sample: since boot or last clear. Negative values are real
/// (SONiC shows differences since a clear).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counters {
    /// By 802.1p / PFC priority.
    pub by_priority: BTreeMap<u8, PriorityCounters>,
    /// Packets marked CE on their way out.
    pub ecn_marked: Fact<i64>,
    /// Congestion notification packets sent.
    pub cnp_sent: Fact<i64>,
    /// Congestion notification packets that slowed a sender.
    pub cnp_handled: Fact<i64>,
    /// Gaps in the packet sequence seen by the receiver.
    pub out_of_sequence: Fact<i64>,
    /// Retransmissions, of all causes that the NIC counts.
    pub retransmits: Fact<i64>,
    /// Packets dropped.
    pub drops: Fact<i64>,
    /// Symbol, FCS and other errors of the link.
    pub link_errors: Fact<i64>,
    /// Storms that the watchdog (or the NIC's own guard) detected.
    pub watchdog_trips: Fact<i64>,
    /// 802.3x pause frames received.
    pub link_pause_rx: Fact<i64>,
    /// 802.3x pause frames sent.
    pub link_pause_tx: Fact<i64>,
    /// Times that the NIC waited for the host's PCIe or memory; hosts only.
    pub pcie_stalls: Fact<i64>,
}

/// Counters of one priority.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PriorityCounters {
    /// Pause frames received: we were told to stop.
    pub rx_pause: Fact<i64>,
    /// Pause frames sent: we told the peer to stop.
    pub tx_pause: Fact<i64>,
    /// Bytes received.
    pub rx_bytes: Fact<i64>,
    /// Bytes sent.
    pub tx_bytes: Fact<i64>,
    /// Packets dropped.
    pub drops: Fact<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mac_addresses() {
        for mac in ["0c:42:a1:00:00:01", "0C42.A100.0001", "0c-42-a1-00-00-01"] {
            assert!(is_mac(mac), "{mac}");
        }
        for name in ["Ethernet1/1", "1/1/1", "aabbccddeeff", "", "ens1f0np0"] {
            assert!(!is_mac(name), "{name}");
        }
    }
}
