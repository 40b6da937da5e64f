//! What a configuration defines, sets and binds.

use crate::model::{Fact, Origin, State};
use std::array::from_fn;
use std::collections::HashMap;

/// A setting that some line makes; `None` where no line does.
pub type Setting<T> = Option<Fact<T>>;

/// A name that a line binds; none where it says `no`.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'t> {
    /// The name.
    pub name: Option<&'t str>,
    /// The line.
    pub at: Origin,
}

/// The kinds of `qos map`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MapKind {
    /// `dscp-tc`
    DscpTc,
    /// `dot1p-tc`
    Dot1pTc,
    /// `tc-queue`
    TcQueue,
    /// `tc-pg`
    TcPg,
    /// `tc-dscp`: a rewrite.
    TcDscp,
    /// `pfc-priority-queue`
    PfcQueue,
    /// `pfc-priority-pg`
    PfcPg,
    /// `tc-dot1p`: a rewrite of the VLAN tag, not judged.
    TcDot1p,
}

impl MapKind {
    /// All kinds, with their words: as the map's, before the key and before
    /// the value; and the largest key and value.
    pub const ALL: [(MapKind, &'static str, &'static str, &'static str, u8, u8); 8] = [
        (MapKind::DscpTc, "dscp-tc", "dscp", "traffic-class", 63, 15),
        (
            MapKind::Dot1pTc,
            "dot1p-tc",
            "dot1p",
            "traffic-class",
            7,
            15,
        ),
        (
            MapKind::TcQueue,
            "tc-queue",
            "traffic-class",
            "queue",
            15,
            7,
        ),
        (
            MapKind::TcPg,
            "tc-pg",
            "traffic-class",
            "priority-group",
            15,
            7,
        ),
        (MapKind::TcDscp, "tc-dscp", "traffic-class", "dscp", 15, 63),
        (
            MapKind::PfcQueue,
            "pfc-priority-queue",
            "pfc-priority",
            "queue",
            7,
            7,
        ),
        (
            MapKind::PfcPg,
            "pfc-priority-pg",
            "pfc-priority",
            "pg",
            7,
            7,
        ),
        (
            MapKind::TcDot1p,
            "tc-dot1p",
            "traffic-class",
            "dot1p",
            15,
            7,
        ),
    ];

    /// By its word.
    pub fn of(word: &str) -> Option<MapKind> {
        let mut all = MapKind::ALL.iter();
        all.find(|entry| entry.1 == word).map(|entry| entry.0)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        MapKind::ALL[self as usize].1
    }
}

/// `qos map KIND NAME`.
#[derive(Default, Debug)]
pub struct Map {
    /// The line that opens the definition.
    pub at: Origin,
    /// Key, value, and the line.
    pub entries: Vec<(u8, u8, Origin)>,
    /// A line is not understood: what it maps is not known.
    pub unclear: bool,
}

/// `qos wred-policy NAME`.
#[derive(Default, Debug)]
pub struct Wred {
    /// The line that opens the definition.
    pub at: Origin,
    /// Minimum and maximum in KB, drop probability in percent: for green packets.
    pub green: Setting<(u64, u64, u8)>,
    /// `ecn`: whether it covers green packets.
    pub ecn: Setting<bool>,
}

/// `queue N` of a scheduler policy.
#[derive(Clone, Default, Debug)]
pub struct Scheduler {
    /// `type`: whether it is strict.
    pub strict: Setting<bool>,
    /// `weight`.
    pub weight: Setting<u32>,
}

/// `qos scheduler-policy NAME`.
#[derive(Default, Debug)]
pub struct SchedulerPolicy {
    /// The line that opens the definition.
    pub at: Origin,
    /// By queue.
    pub queues: [Option<Scheduler>; 8],
}

/// `buffer profile NAME POOL SIZE …`.
#[derive(Debug)]
pub struct Profile<'t> {
    /// The line.
    pub at: Origin,
    /// The pool.
    pub pool: &'t str,
    /// Reserved bytes.
    pub size: u64,
    /// `static-threshold`, bytes.
    pub fixed: Option<u64>,
    /// `dynamic-threshold`: the share is 2 to this power of what is free.
    pub dynamic: Option<i8>,
    /// `pause-threshold`: room after the pause (SONiC's `xoff`), bytes.
    pub pause: Option<u64>,
    /// `resume-threshold` (SONiC's `xon`), bytes.
    pub resume: Option<u64>,
}

/// `policy-map NAME`: what it does with packets that it matches.
#[derive(Default, Debug)]
pub struct Policy<'t> {
    /// The line, and the words.
    pub beats: Vec<(Origin, &'t str)>,
}

/// What the lines of an interface say.
#[derive(Clone, Default, Debug)]
pub struct Settings<'t> {
    /// `qos-map KIND NAME`, by kind.
    pub maps: [Option<Reference<'t>>; 8],
    /// `scheduler-policy NAME`.
    pub scheduler: Option<Reference<'t>>,
    /// `queue N wred-policy NAME`.
    pub wred: [Option<Reference<'t>>; 8],
    /// `buffer priority-group N NAME`.
    pub groups: [Option<Reference<'t>>; 8],
    /// `buffer queue N NAME`.
    pub limits: [Option<Reference<'t>>; 8],
    /// `buffer default-lossless-buffer-profile`.
    pub default_lossless: Setting<bool>,
    /// `service-policy type qos in NAME`.
    pub policy: Option<Reference<'t>>,
    /// A line about maps or trust that is not understood.
    pub maps_unclear: Option<Origin>,
    /// `priority-flow-control priority N`, by priority.
    pub pfc: [Setting<bool>; 8],
    /// A line of PFC that is not understood.
    pub pfc_unclear: Setting<()>,
    /// `priority-flow-control asymmetric`.
    pub asymmetric: Setting<bool>,
    /// `priority-flow-control watchdog on|off`.
    pub watchdog: Setting<bool>,
    /// `… detect-time`, milliseconds.
    pub detect: Setting<u32>,
    /// `… restore-time`, milliseconds.
    pub restore: Setting<u32>,
    /// `… action`.
    pub action: Setting<&'t str>,
    /// `mtu`.
    pub mtu: Setting<u32>,
    /// `speed`, Mb/s.
    pub speed: Setting<u32>,
    /// `fec`.
    pub fec: Setting<&'t str>,
    /// `cable-length`, metres.
    pub cable: Setting<u32>,
    /// `shutdown`.
    pub admin: Setting<State>,
    /// `description`.
    pub description: Setting<&'t str>,
    /// `channel-group`: the port-channel that it is a member of.
    pub lag: Option<u32>,
}

impl Settings<'_> {
    /// What holds where this says nothing.
    #[must_use]
    pub fn or(mut self, mut other: Self) -> Self {
        Settings {
            maps: from_fn(|n| self.maps[n].or(other.maps[n])),
            scheduler: self.scheduler.or(other.scheduler),
            wred: from_fn(|n| self.wred[n].or(other.wred[n])),
            groups: from_fn(|n| self.groups[n].or(other.groups[n])),
            limits: from_fn(|n| self.limits[n].or(other.limits[n])),
            default_lossless: self.default_lossless.or(other.default_lossless),
            policy: self.policy.or(other.policy),
            maps_unclear: self.maps_unclear.or(other.maps_unclear),
            pfc: from_fn(|n| self.pfc[n].take().or_else(|| other.pfc[n].take())),
            pfc_unclear: self.pfc_unclear.or(other.pfc_unclear),
            asymmetric: self.asymmetric.or(other.asymmetric),
            watchdog: self.watchdog.or(other.watchdog),
            detect: self.detect.or(other.detect),
            restore: self.restore.or(other.restore),
            action: self.action.or(other.action),
            mtu: self.mtu.or(other.mtu),
            speed: self.speed.or(other.speed),
            fec: self.fec.or(other.fec),
            cable: self.cable.or(other.cable),
            admin: self.admin.or(other.admin),
            description: self.description.or(other.description),
            lag: self.lag.or(other.lag),
        }
    }
}

/// A configuration.
#[derive(Default, Debug)]
pub struct Config<'t> {
    /// `hostname`. A running configuration that is whole has it.
    pub hostname: Setting<&'t str>,
    /// `roce enable`, with its PFC priorities where it gives them.
    pub roce: Option<(Option<Vec<u8>>, Origin)>,
    /// `buffer init lossless`.
    pub buffer_init: Option<Origin>,
    /// `qos map KIND NAME`.
    pub maps: HashMap<(MapKind, &'t str), Map>,
    /// `qos wred-policy NAME`.
    pub wred: HashMap<&'t str, Wred>,
    /// `qos scheduler-policy NAME`.
    pub schedulers: HashMap<&'t str, SchedulerPolicy>,
    /// `buffer profile NAME`.
    pub profiles: HashMap<&'t str, Profile<'t>>,
    /// `policy-map NAME`.
    pub policies: HashMap<&'t str, Policy<'t>>,
    /// `buffer pool NAME shared-headroom-size BYTES`.
    pub pools: Vec<(&'t str, Fact<u64>)>,
    /// Sections of ports, in order; a later line wins.
    pub ports: Vec<(Vec<String>, Settings<'t>)>,
    /// Sections of port-channels by number.
    pub lags: HashMap<u32, Settings<'t>>,
}
