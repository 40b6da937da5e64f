//! A device: its ports, its pools, and what its platform noticed on reading.

use super::fact::Fact;
use super::origin::Origin;
use super::port::Port;
use super::values::{DeviceKind, Direction, Milli, PoolMode};

/// A switch or a host.
#[derive(Clone, Debug)]
pub struct Device {
    /// Name of the device: the inventory's, else the file's or folder's.
    pub name: String,
    /// What it is.
    pub kind: DeviceKind,
    /// The platform that read it (`sonic`, `linux`).
    pub platform: &'static str,
    /// The name that the device gives itself.
    pub hostname: Fact<String>,
    /// Version of its operating system.
    pub os_version: Fact<String>,
    /// Hardware model.
    pub hardware: Fact<String>,
    /// Seconds until an unused MAC address is forgotten, where a line says so;
    /// the shortest where VLANs differ.
    pub mac_ageing_s: Fact<u32>,
    /// Seconds until an ARP entry of a VLAN interface is asked for anew, where
    /// a line says so; the longest where they differ.
    pub arp_timeout_s: Fact<u32>,
    /// The line that makes it an end of VXLAN tunnels.
    pub vtep: Origin,
    /// Role in the fabric, from the inventory or the policy.
    pub role: Option<String>,
    /// Shared buffer pools.
    pub buffer_pools: Vec<BufferPool>,
    /// Ports in the platform's natural order (`Ethernet4` before `Ethernet12`).
    pub ports: Vec<Port>,
    /// What the platform noticed on reading.
    pub notes: Vec<Note>,
    /// Which kinds of fact its captures can hold.
    pub coverage: Coverage,
}

impl Device {
    /// A device of which nothing else is known yet.
    pub fn new(name: impl Into<String>, kind: DeviceKind, platform: &'static str) -> Self {
        Device {
            name: name.into(),
            kind,
            platform,
            hostname: Fact::default(),
            os_version: Fact::default(),
            hardware: Fact::default(),
            vtep: Origin::NONE,
            mac_ageing_s: Fact::NotApplicable,
            arp_timeout_s: Fact::NotApplicable,
            role: None,
            buffer_pools: Vec::new(),
            ports: Vec::new(),
            notes: Vec::new(),
            coverage: Coverage::default(),
        }
    }

    /// The port with this name.
    pub fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|port| port.name == name)
    }

    /// The buffer pool with this name.
    pub fn pool(&self, name: &str) -> Option<&BufferPool> {
        self.buffer_pools.iter().find(|pool| pool.name == name)
    }
}

/// A shared buffer pool.
#[derive(Clone, Debug)]
pub struct BufferPool {
    /// Its name on this platform.
    pub name: String,
    /// Side it serves.
    pub direction: Fact<Direction>,
    /// Static or dynamic thresholds.
    pub mode: Fact<PoolMode>,
    /// Size in bytes, headroom included or not as the platform counts.
    pub size_bytes: Fact<u64>,
    /// Shared headroom in bytes.
    pub headroom_bytes: Fact<u64>,
    /// Configured over-subscription ratio of the shared headroom.
    pub oversubscription: Fact<Milli>,
}

/// Which kinds of fact the captures of a device can hold at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Configuration (running or startup).
    pub config: bool,
    /// What is in force now.
    pub operational: bool,
    /// Counters.
    pub counters: bool,
    /// Neighbours.
    pub peers: bool,
}

/// Something that the platform noticed on reading and that no fact can hold.
#[derive(Clone, Debug)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// The port it concerns; `None` the whole device.
    pub port: Option<String>,
    /// A sentence, in the report's words.
    pub text: String,
    /// Where it was read.
    pub at: Origin,
}

/// What a platform can notice. Each kind becomes a finding of one check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NoteKind {
    /// A QoS line that the grammar does not know (`config/unparsed`).
    Unparsed,
    /// A name that does not exist, or is never attached (`map/unresolved`).
    Unresolved,
    /// Two statements that can't both hold (`map/conflict`).
    Conflict,
    /// An ACL, policy or policer that beats trust or limits a class (`map/override`).
    Override,
    /// The capture ends in the middle, or its command failed (`collect/failed`).
    Failed,
    /// The tool was not allowed to read it (`collect/denied`).
    Denied,
    /// The capture is of no kind that the platform knows (`collect/unrecognised`).
    Unrecognised,
    /// The device contradicts its name, or itself, without harm (told, not judged).
    Remark,
}
