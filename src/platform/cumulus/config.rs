//! What the lines of a configuration set, before any default is applied.

use crate::model::{Origin, Priorities, State, Trust};
use std::collections::{BTreeMap, HashMap};

/// The profile that applies to every port that is bound to no other.
pub const GLOBAL: &str = "default-global";

/// What a line sets: the value, `None` where it can't be read, and the place.
#[derive(Clone, Copy, Debug)]
pub struct Set<T> {
    /// The value.
    pub value: Option<T>,
    /// The line.
    pub at: Origin,
}

/// What a line sets, where there is one.
pub type Said<T> = Option<Set<T>>;

/// The mode of `qos roce`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// PFC on priority 3, in a pool of its own.
    Lossless,
    /// PFC on priority 3, in the pool of the other traffic.
    LosslessSingleIpool,
    /// ECN without PFC.
    Lossy,
    /// Packet trimming without PFC.
    LossyMultiTc,
}

/// `qos roce`.
#[derive(Default, Debug)]
pub struct Roce {
    /// The first line that speaks of it.
    pub at: Option<Origin>,
    /// `enable` (5.14 and before) or `state`.
    pub enabled: Said<bool>,
    /// Its mode.
    pub mode: Said<Mode>,
    /// Metres.
    pub cable_m: Said<u32>,
}

/// `qos mapping`: how an arriving packet finds its switch priority.
#[derive(Default, Debug)]
pub struct Mapping {
    /// Which field decides.
    pub trust: Said<Trust>,
    /// DSCP → switch priority.
    pub dscp: BTreeMap<u8, Set<u8>>,
    /// 802.1p → switch priority.
    pub pcp: BTreeMap<u8, Set<u8>>,
}

/// `qos remark`: what leaves.
#[derive(Default, Debug)]
pub struct Remark {
    /// Whether packets that arrive here get another DSCP on the way out.
    pub rewrites_dscp: Said<bool>,
    /// Switch priority → DSCP of packets that leave here.
    pub dscp: BTreeMap<u8, Set<u8>>,
}

/// `qos pfc` and `qos link-pause`.
#[derive(Default, Debug)]
pub struct FlowControl {
    /// PFC only.
    pub priorities: Said<Priorities>,
    /// We send pause.
    pub tx: Said<bool>,
    /// We obey pause.
    pub rx: Said<bool>,
    /// Metres.
    pub cable_m: Said<u32>,
    /// Reserved room, bytes.
    pub buffer: Said<u64>,
    /// Fill of it at which pause is sent, bytes.
    pub xoff: Said<u64>,
    /// How far the fill must drop below that, bytes.
    pub xon: Said<u64>,
}

/// One traffic class of `qos congestion-control`.
#[derive(Clone, Default, Debug)]
pub struct Marking {
    /// The first line that names it.
    pub at: Origin,
    /// Whether it marks.
    pub ecn: Said<bool>,
    /// Whether it drops early.
    pub red: Said<bool>,
    /// Bytes.
    pub min: Said<u64>,
    /// Bytes.
    pub max: Said<u64>,
    /// Percent.
    pub probability: Said<u8>,
}

/// One traffic class of `qos egress-scheduler`.
#[derive(Default, Debug)]
pub struct Serving {
    /// Strict, or else DWRR.
    pub strict: Said<bool>,
    /// Percent.
    pub share: Said<u8>,
}

/// The traffic classes of a profile that its lines name.
pub type Classes<T> = BTreeMap<u8, T>;

/// Things by name, each with the first line that names it, in the order of
/// those lines.
#[derive(Debug)]
pub struct Named<T> {
    list: Vec<(String, Origin, T)>,
    index: HashMap<String, usize>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named {
            list: Vec::new(),
            index: HashMap::new(),
        }
    }
}

impl<T: Default> Named<T> {
    /// The one of this name; made where it is new.
    pub fn make(&mut self, name: &str, at: Origin) -> &mut T {
        let next = self.list.len();
        let place = match self.list.last() {
            // Lines come name by name.
            Some((last, ..)) if last == name => next - 1,
            _ => self.index.get(name).copied().unwrap_or(next),
        };
        if place == next {
            self.index.insert(name.to_owned(), next);
            self.list.push((name.to_owned(), at, T::default()));
        }
        &mut self.list[place].2
    }
}

impl<T> Named<T> {
    /// The one of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        let place = self.index.get(name)?;
        self.list.get(*place).map(|(_, _, one)| one)
    }

    /// All, with their names and first lines.
    pub fn all(&self) -> impl Iterator<Item = (&str, Origin, &T)> {
        self.list
            .iter()
            .map(|(name, at, one)| (name.as_str(), *at, one))
    }
}

/// Profiles of one kind.
pub type Profiles<T> = Named<T>;

/// What an interface binds by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `mapping`
    Mapping,
    /// `remark`
    Remark,
    /// `pfc`
    Pfc,
    /// `link-pause`
    LinkPause,
    /// `congestion-control`
    Congestion,
    /// `egress-scheduler`
    Scheduler,
    /// `egress-shaper`
    Shaper,
}

impl Kind {
    /// All kinds, in the order of [`Interface::bound`].
    pub const ALL: [Kind; 7] = [
        Kind::Mapping,
        Kind::Remark,
        Kind::Pfc,
        Kind::LinkPause,
        Kind::Congestion,
        Kind::Scheduler,
        Kind::Shaper,
    ];

    /// The word in `nv set qos …` and `nv set interface … qos …`.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Mapping => "mapping",
            Kind::Remark => "remark",
            Kind::Pfc => "pfc",
            Kind::LinkPause => "link-pause",
            Kind::Congestion => "congestion-control",
            Kind::Scheduler => "egress-scheduler",
            Kind::Shaper => "egress-shaper",
        }
    }
}

/// What the lines of one key (`swp1-4,swp6`) set on each of its interfaces.
#[derive(Default, Debug)]
pub struct Interface {
    /// Free text.
    pub description: Said<String>,
    /// Bytes.
    pub mtu: Said<u32>,
    /// Mb/s.
    pub speed: Said<u32>,
    /// As the model names it.
    pub fec: Said<&'static str>,
    /// Administrative state.
    pub admin: Said<State>,
    /// The port is split into others, or switched off: it is none by itself.
    pub split: Said<bool>,
    /// Names of profiles, by [`Kind`].
    pub bound: [Said<String>; 7],
    /// The PFC watchdog.
    pub watchdog: Said<bool>,
    /// Members of a bond, each a list of interfaces.
    pub members: Vec<(String, Origin)>,
    /// ACLs.
    pub acls: Vec<(String, Origin)>,
}

/// A traffic pool.
#[derive(Default, Debug)]
pub struct Pool {
    /// Percent of the buffer.
    pub percent: Said<f64>,
}

/// Everything that is set.
#[derive(Default, Debug)]
pub struct Config {
    /// `Cumulus Linux 5.11.0`, as it stands.
    pub version: Said<String>,
    /// Hardware model.
    pub model: Said<String>,
    /// The name that the switch gives itself.
    pub hostname: Said<String>,
    /// `qos roce`.
    pub roce: Roce,
    /// `qos mapping`.
    pub mapping: Profiles<Mapping>,
    /// `qos remark`.
    pub remark: Profiles<Remark>,
    /// `qos pfc`.
    pub pfc: Profiles<FlowControl>,
    /// `qos link-pause`.
    pub link_pause: Profiles<FlowControl>,
    /// `qos congestion-control`.
    pub congestion: Profiles<Classes<Marking>>,
    /// `qos egress-scheduler`.
    pub scheduler: Profiles<Classes<Serving>>,
    /// `qos egress-shaper`; nothing of it is judged.
    pub shaper: Profiles<()>,
    /// `qos egress-queue-mapping default-global`: switch priority → traffic class.
    pub queues: BTreeMap<u8, Set<u8>>,
    /// `qos traffic-pool`, or the service pools of `qos_infra.conf`.
    pub pools: BTreeMap<String, Pool>,
    /// Percent of service pool 1, which is the pool of lossless traffic
    /// (`advance-buffer-config`).
    pub service_pool: Said<f64>,
    /// The service pool of lossless groups in `qos_infra.conf`.
    pub lossless_pool: Said<String>,
    /// What is set on every port (`allports`).
    pub all: Interface,
    /// Factor of the free pool for lossless priority groups, in thousandths;
    /// `u64::MAX` has no limit.
    pub lossless_alpha: Said<u64>,
    /// A fixed limit of the lossless egress queues, bytes.
    pub egress_limit: Said<u64>,
    /// Watchdog: milliseconds.
    pub polling_ms: Said<u32>,
    /// Watchdog: polls.
    pub robustness: Said<u32>,
    /// ACLs that mark, classify or police: their first such line.
    pub acls: HashMap<String, Origin>,
    /// Keys below `interface`: lists of interfaces.
    pub keys: Named<Interface>,
    /// Any line below `qos`, or an interface's `qos`.
    pub has_qos: bool,
    /// The configuration is that of switchd's own files, not of NVUE.
    pub files: bool,
    /// `qos_infra.conf` was read.
    pub infra: bool,
    /// The text ends too early, or what was typed is not all there is: what
    /// no line sets is unknown.
    pub partial: bool,
}
