//! Checks: pure functions from facts and policy to verdicts. One file an
//! area, one struct a check, one line each in [`registry`].

mod bom;
mod buffer;
mod collect;
mod counters;
mod dcqcn;
mod ecn;
mod fleet;
mod link;
mod map;
mod mtu;
#[cfg(test)]
mod mutation_tests;
mod nic;
mod path;
mod pfc;
mod queue;
mod sched;
mod shared;
#[cfg(test)]
pub(crate) mod testing;
mod verdict;

pub(crate) use path::stage;
pub use verdict::{At, Detail, FabricDetail, FabricVerdicts, Line, Verdicts};

use crate::fabric::hops::Hops;
use crate::finding::Breaks;
use crate::model::{Device, DeviceKind, Port};
use crate::policy::{Effective, PolicySet, Severity};

/// All checks, by area.
pub fn registry() -> &'static [&'static dyn Check] {
    &[
        &pfc::Missing,
        &pfc::Extra,
        &pfc::Mode,
        &pfc::LinkPause,
        &pfc::Watchdog,
        &pfc::Operational,
        &map::Dscp,
        &shared::SharedClass,
        &queue::Queue,
        &queue::Group,
        &queue::PfcQueue,
        &map::Conflict,
        &map::Unresolved,
        &map::Rewrite,
        &map::Override,
        &map::TrustMode,
        &ecn::Missing,
        &ecn::Thresholds,
        &ecn::Order,
        &ecn::AfterPfc,
        &ecn::Drops,
        &buffer::Headroom,
        &buffer::Pool,
        &buffer::Oversubscribed,
        &buffer::Egress,
        &sched::Cnp,
        &sched::Share,
        &mtu::Port,
        &mtu::Rdma,
        &path::Mtu,
        &nic::Trust,
        &nic::Tos,
        &nic::Gid,
        &nic::DcbxAgent,
        &nic::Link,
        &nic::Pending,
        &nic::Volatile,
        &nic::Software,
        &nic::PauseGuard,
        &nic::Pcie,
        &dcqcn::Enabled,
        &dcqcn::Parameters,
        &dcqcn::Marking,
        &link::Mismatch,
        &link::UnknownPeer,
        &link::Cabling,
        &path::Lossless,
        &path::Cnp,
        &fleet::Outlier,
        &bom::Version,
        &counters::LosslessDrop,
        &counters::PfcStorm,
        &counters::Watchdog,
        &counters::Retransmit,
        &counters::LinkError,
        &counters::PauseGlobal,
        &counters::Class,
        &collect::Unreachable,
        &collect::Denied,
        &collect::Failed,
        &collect::Unrecognised,
        &collect::Unparsed,
        &collect::Parser,
        &collect::WaiverExpired,
        &collect::MatchesNothing,
    ]
}

/// Identifiers that policies may name although no check of theirs runs yet.
pub const LATER: [&str; 7] = [
    "load/bandwidth",
    "load/class",
    "load/drop",
    "load/ecn",
    "load/pair",
    "load/balance",
    "load/unmeasured",
];

/// The check with this identifier.
pub fn by_id(id: &str) -> Option<&'static dyn Check> {
    registry().iter().copied().find(|c| c.about().id == id)
}

/// What a check is.
pub struct About {
    /// `area/name`, stable.
    pub id: &'static str,
    /// How bad a failure is, unless the policy says otherwise.
    pub severity: Severity,
    /// The kind of facts it needs. One that no capture of a device can hold
    /// makes the check skipped there.
    pub needs: Needs,
    /// The devices that it judges.
    pub judges: Judges,
    /// One line: what it asks.
    pub title: &'static str,
    /// What a failure means on the wire, why it matters, when it is a false alarm.
    pub explain: &'static str,
}

/// The kind of facts that a check needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Configuration: missing, it is unknown.
    Config,
    /// What is in force now.
    Operational,
    /// Counters of a sample.
    Counters,
    /// The device at the other end.
    Peers,
}

/// The devices that a check judges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judges {
    /// Switches only.
    Switches,
    /// Hosts only.
    Hosts,
    /// Both.
    All,
}

impl About {
    /// Whether it judges devices of this kind.
    pub fn judges(&self, kind: DeviceKind) -> bool {
        match self.judges {
            Judges::All => true,
            Judges::Switches => kind == DeviceKind::Switch,
            Judges::Hosts => kind == DeviceKind::Host,
        }
    }

    /// The part before the slash.
    pub fn area(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }
}

/// A check.
pub trait Check: Sync {
    /// What it is.
    fn about(&self) -> &'static About;

    /// Which way of a class over a port its failures break; `None`: a class
    /// gets through all the same. Whatever it can't tell leaves that way unknown.
    fn breaks(&self) -> Option<Breaks> {
        None
    }

    /// Judges a port. Ports with equal settings are judged once, so verdicts
    /// must not name the port.
    fn port(&self, _: &PortContext<'_>, _: &mut Verdicts) {}

    /// The arithmetic behind a verdict with the numbers of this port, line by
    /// line; none where a verdict takes no arithmetic.
    fn working(&self, _: &PortContext<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Judges a device as a whole.
    fn device(&self, _: &DeviceContext<'_>, _: &mut Verdicts) {}

    /// Judges the fabric, once all devices are judged.
    fn fabric(&self, _: &FabricContext<'_>, _: &mut FabricVerdicts) {}
}

/// A port with what holds for it.
#[derive(Clone, Copy)]
pub struct PortContext<'a> {
    /// The device.
    pub device: &'a Device,
    /// The port.
    pub port: &'a Port,
    /// The policy for this port.
    pub policy: &'a Effective,
}

impl PortContext<'_> {
    /// Whether the port is a host's.
    pub fn is_host(&self) -> bool {
        self.device.kind == DeviceKind::Host
    }
}

/// A device with what holds for it.
#[derive(Clone, Copy)]
pub struct DeviceContext<'a> {
    /// The device.
    pub device: &'a Device,
    /// The policy for the device as a whole.
    pub policy: &'a Effective,
    /// The whole policy.
    pub set: &'a PolicySet,
}

/// The fabric as a whole.
#[derive(Clone, Copy)]
pub struct FabricContext<'a> {
    /// Links, ways between hosts, and what breaks classes on them.
    pub hops: &'a Hops,
    /// The whole policy.
    pub set: &'a PolicySet,
}
