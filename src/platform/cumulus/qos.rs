//! Profiles, and what holds without them → facts, once for all ports that
//! share them.

use super::config::{Config, FlowControl, GLOBAL, Kind, Mapping, Mode, Profiles, Said, Set};
use super::defaults;
use super::roce::Roce;
use crate::model::port::SharedMap;
use crate::model::{
    CodeMap, Ecn, Fact, GroupBuffer, LineOnly, MapEntry, Milli, Origin, Priorities, PriorityGroup,
    Reason, SchedulerKind, Trust,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What a line says, as a fact.
pub fn fact<T, U>(set: &Set<T>, convert: impl FnOnce(&T) -> U) -> Fact<U> {
    match &set.value {
        Some(value) => Fact::explicit(convert(value), set.at),
        None => Fact::unknown_at(&defaults::UNREADABLE, set.at),
    }
}

/// What a line says, or else what holds without one.
pub fn or<T: Clone>(said: &Said<T>, otherwise: impl FnOnce() -> Fact<T>) -> Fact<T> {
    match said {
        Some(set) => fact(set, T::clone),
        None => otherwise(),
    }
}

/// What holds without a line, by the place that could have said otherwise.
pub fn default_at<T>(value: T, why: &'static Reason, at: Origin) -> Fact<T> {
    Fact::Default(value, why.into(), at)
}

/// The facts of one kind of profile: those of ports that are bound to none,
/// and those of each profile.
pub struct Facts<'c, T> {
    /// Without a profile, or with `default-global`.
    pub global: T,
    custom: HashMap<&'c str, T>,
}

impl<'c, T> Facts<'c, T> {
    fn read<P>(
        profiles: &'c Profiles<P>,
        bound: &HashSet<&str>,
        global: impl FnOnce(Option<&P>) -> T,
        custom: impl Fn(&P) -> T,
    ) -> Self {
        let others = profiles.all();
        let others = others.filter(|(name, ..)| *name != GLOBAL && bound.contains(name));
        let facts = others.map(|(name, _, profile)| (name, custom(profile)));
        Facts {
            global: global(profiles.get(GLOBAL)),
            custom: facts.collect(),
        }
    }

    /// Those of a profile; `None` where it does not exist.
    pub fn of(&self, name: Option<&str>) -> Option<&T> {
        match name {
            None | Some(GLOBAL) => Some(&self.global),
            Some(name) => self.custom.get(name),
        }
    }
}

/// Classification of what arrives.
pub struct Classifying {
    /// Which field decides.
    pub trust: Fact<Trust>,
    /// DSCP → switch priority.
    pub dscp: SharedMap,
    /// 802.1p → switch priority.
    pub pcp: SharedMap,
}

/// PFC of a port.
pub struct Pfc {
    /// We send pause.
    pub tx: Fact<Priorities>,
    /// We obey pause.
    pub rx: Fact<Priorities>,
    /// Metres.
    pub cable_m: Fact<u32>,
    /// One a priority.
    pub groups: Vec<PriorityGroup>,
}

/// How the queues of a port are served: kind and share.
pub type Schedule = [(Fact<SchedulerKind>, Fact<Milli>); 8];

/// Everything that profiles and RoCE set.
pub struct Qos<'c> {
    config: &'c Config,
    roce: Roce,
    /// `mapping`
    pub classifying: Facts<'c, Classifying>,
    /// Switch priority → traffic class, which is the egress queue.
    pub queues: SharedMap,
    /// `pfc`
    pub pfc: Facts<'c, Pfc>,
    /// `congestion-control`
    pub marking: Facts<'c, [Arc<Ecn>; 8]>,
    /// `egress-scheduler`
    pub schedule: Facts<'c, Schedule>,
}

impl<'c> Qos<'c> {
    /// Reads the profiles of a configuration.
    pub fn read(config: &'c Config) -> Self {
        let base = Base {
            config,
            roce: Roce::of(config),
        };
        // What no port names is told, and not worked out.
        let bound = |kind: Kind| -> HashSet<&str> {
            let keys = config.keys.all().map(|(_, _, sets)| sets);
            let sets = keys.chain([&config.all]);
            let sets = sets.filter_map(|sets| sets.bound[kind as usize].as_ref());
            sets.filter_map(|set| set.value.as_deref()).collect()
        };
        Qos {
            config,
            roce: base.roce,
            classifying: Facts::read(
                &config.mapping,
                &bound(Kind::Mapping),
                |profile| base.classifying(profile),
                |profile| base.classifying_of(profile),
            ),
            queues: base.queues(),
            pfc: Facts::read(
                &config.pfc,
                &bound(Kind::Pfc),
                |profile| base.pfc(profile, true),
                |profile| base.pfc(Some(profile), false),
            ),
            marking: Facts::read(
                &config.congestion,
                &bound(Kind::Congestion),
                |profile| base.marking(profile, true),
                |profile| base.marking(Some(profile), false),
            ),
            schedule: Facts::read(
                &config.scheduler,
                &bound(Kind::Scheduler),
                |profile| base.schedule(profile, true),
                |profile| base.schedule(Some(profile), false),
            ),
        }
    }

    /// Whether RoCE is on, off or unknown.
    pub fn roce(&self) -> Roce {
        self.roce
    }

    /// The configuration.
    pub fn config(&self) -> &'c Config {
        self.config
    }
}

/// What holds where a profile says nothing.
pub struct Base<'c> {
    /// The lines.
    pub config: &'c Config,
    /// What `qos roce` is.
    pub roce: Roce,
}

impl Base<'_> {
    /// What RoCE implies, else the default of a switch without it.
    fn or_default<T>(
        &self,
        roce: impl FnOnce(Mode) -> T,
        otherwise: impl FnOnce() -> (T, &'static Reason),
    ) -> Fact<T> {
        match self.roce {
            Roce::On(mode, at) => default_at(roce(mode), mode.why(), at),
            Roce::Off if self.config.partial => Fact::unknown(&defaults::PARTIAL),
            Roce::Off => {
                let (value, why) = otherwise();
                Fact::default_of(value, why)
            }
            Roce::Unknown(why, at) => Fact::unknown_at(why, at),
        }
    }

    fn classifying(&self, profile: Option<&Mapping>) -> Classifying {
        let none = Mapping::default();
        let profile = profile.unwrap_or(&none);
        let dscp = self.or_default(
            |mode| (0..64).map(|d| (d, mode.switch_priority(d))).collect(),
            || match self.config.files {
                true => (Vec::new(), &defaults::NO_DSCP_LINES),
                false => (blocks(), &defaults::MAP_BLOCKS),
            },
        );
        let pcp = self.or_default(|_| straight(), || (straight(), &defaults::MAP_BLOCKS));
        Classifying {
            trust: or(&profile.trust, || {
                self.or_default(|_| Trust::Both, || (Trust::Pcp, &defaults::TRUST_L2))
            }),
            // Lines of the file replace the default ones; those of NVUE add to them.
            dscp: match self.config.files && !profile.dscp.is_empty() {
                true => overlay(&profile.dscp, &Fact::unknown(&defaults::MAP_OF_PROFILE)),
                false => overlay(&profile.dscp, &dscp),
            },
            pcp: match self.config.files && !profile.pcp.is_empty() {
                true => overlay(&profile.pcp, &Fact::unknown(&defaults::MAP_OF_PROFILE)),
                false => overlay(&profile.pcp, &pcp),
            },
        }
    }

    /// A profile that ports are bound to.
    fn classifying_of(&self, profile: &Mapping) -> Classifying {
        let base = |map: &BTreeMap<u8, Set<u8>>, default: Vec<(u8, u8)>| match (
            map.is_empty(),
            self.config.files,
        ) {
            (true, false) => Fact::default_of(default, &defaults::MAP_BLOCKS),
            (true, true) => Fact::default_of(Vec::new(), &defaults::NO_DSCP_LINES),
            (false, _) => Fact::unknown(&defaults::MAP_OF_PROFILE),
        };
        Classifying {
            trust: or(&profile.trust, || Fact::unknown(&defaults::MAP_OF_PROFILE)),
            dscp: overlay(&profile.dscp, &base(&profile.dscp, blocks())),
            pcp: overlay(&profile.pcp, &base(&profile.pcp, straight())),
        }
    }

    fn queues(&self) -> SharedMap {
        let base = self.or_default(
            |mode| (0..8).map(|p| (p, mode.traffic_class(p))).collect(),
            || (straight(), &defaults::QUEUES_STRAIGHT),
        );
        overlay(&self.config.queues, &base)
    }

    fn pfc(&self, profile: Option<&FlowControl>, global: bool) -> Pfc {
        let none = FlowControl::default();
        let profile = profile.unwrap_or(&none);
        let only_three: Priorities = [3].into_iter().collect();
        let priorities = or(&profile.priorities, || match self.roce {
            _ if !global => Fact::default_of(Priorities::NONE, &defaults::PFC_EMPTY),
            Roce::On(_, at) if !self.roce.is_lossless() => {
                default_at(Priorities::NONE, &defaults::ROCE_LOSSY, at)
            }
            _ => self.or_default(|_| only_three, || (Priorities::NONE, &defaults::PFC_OFF)),
        });
        let side = |said: &Said<bool>| match said {
            Some(Set {
                value: Some(false),
                at,
            }) => Fact::explicit(Priorities::NONE, *at),
            Some(Set { value: None, at }) => Fact::unknown_at(&defaults::UNREADABLE, *at),
            // Both are on by default (user guide, Port Groups, PFC).
            _ => priorities.clone(),
        };
        let tx = side(&profile.tx);
        Pfc {
            rx: side(&profile.rx),
            cable_m: self.cable(profile, &priorities, global),
            groups: self.groups(profile, &tx),
            tx,
        }
    }

    /// The length of cable that the switch computes headroom for.
    fn cable(
        &self,
        profile: &FlowControl,
        priorities: &Fact<Priorities>,
        global: bool,
    ) -> Fact<u32> {
        let any = priorities.get().is_some_and(|set| !set.is_empty());
        or(&profile.cable_m, || {
            match (&self.config.roce.cable_m, self.roce) {
                (Some(set), Roce::On(..)) if global => fact(set, |metres| *metres),
                (None, Roce::On(_, at)) if global && any => {
                    default_at(defaults::ROCE_CABLE_M, &defaults::CABLE_ROCE, at)
                }
                _ if any => Fact::default_of(defaults::PFC_CABLE_M, &defaults::CABLE),
                _ => Fact::unknown(&defaults::NO_CABLE),
            }
        })
    }

    /// The lossless priority groups that the switch makes.
    fn groups(&self, profile: &FlowControl, tx: &Fact<Priorities>) -> Vec<PriorityGroup> {
        let set = tx.get().unwrap_or_default();
        let size = |said: &Said<u64>| or(said, || Fact::unknown(&defaults::SIZES_DERIVED));
        let (reserved, pause_at) = (size(&profile.buffer), size(&profile.xoff));
        let below = |a: &Fact<u64>, b: &Fact<u64>| match (a.get(), b.get()) {
            (Some(a), Some(b)) => Some(a.saturating_sub(b)),
            _ => None,
        };
        let headroom = match below(&reserved, &pause_at) {
            // What is left of the reserved room once pause was sent.
            Some(room) if set.iter().count() == 1 => Fact::explicit(room, pause_at.at()),
            Some(_) => Fact::unknown_at(&defaults::SIZES_SHARED, reserved.at()),
            None => Fact::unknown(&defaults::SIZES_DERIVED),
        };
        let lossless = match reserved.is_known() && pause_at.is_known() {
            true => Fact::explicit(true, tx.at()),
            false => default_at(true, &defaults::PG_BY_ITSELF, tx.at()),
        };
        let xon = size(&profile.xon);
        let alpha = self.alpha(pause_at.is_known());
        let buffer = Arc::new(GroupBuffer {
            alpha,
            resume_at_bytes: match below(&pause_at, &xon) {
                Some(bytes) => Fact::explicit(bytes, xon.at()),
                None => xon,
            },
            headroom_bytes: headroom,
            reserved_bytes: reserved,
            pause_at_bytes: pause_at,
            pool: self.pool(),
        });
        let group = |id| PriorityGroup {
            id,
            lossless: lossless.clone(),
            buffer: Arc::clone(&buffer),
            attached: LineOnly(tx.at()),
        };
        set.iter().map(group).collect()
    }

    /// The factor of the free pool; none where a line fixes the fill at which
    /// pause is sent.
    fn alpha(&self, fixed: bool) -> Fact<Milli> {
        match &self.config.lossless_alpha {
            Some(set) if set.value == Some(u64::MAX) => Fact::NotApplicable,
            Some(set) => fact(set, |milli| Milli(*milli as i64)),
            None if fixed => Fact::NotApplicable,
            None => Fact::default_of(Milli::whole(1), &defaults::ALPHA_1),
        }
    }

    /// The pool that lossless groups take from.
    fn pool(&self) -> Fact<String> {
        let named = |name: &str, why: &'static Reason| Fact::default_of(name.to_owned(), why);
        match (self.roce, &self.config.lossless_pool) {
            (Roce::On(Mode::LosslessSingleIpool, _), _) => {
                named("default-lossy", &defaults::POOL_SINGLE)
            }
            (Roce::On(..), _) => named("roce-lossless", &defaults::POOL_ROCE),
            (_, Some(set)) => fact(set, String::clone),
            // It is told as a pool that does not exist.
            _ if self.config.infra => named(
                "flow_control.ingress_service_pool",
                &defaults::POOL_NO_LINES,
            ),
            _ if self.config.files || self.config.partial => {
                Fact::unknown(&defaults::POOL_NOT_CAPTURED)
            }
            _ => named("default-lossless", &defaults::POOL_LOSSLESS),
        }
    }
}

/// DSCP by blocks of eight.
fn blocks() -> Vec<(u8, u8)> {
    (0..64).map(|dscp| (dscp, dscp / 8)).collect()
}

fn straight() -> Vec<(u8, u8)> {
    (0..8).map(|n| (n, n)).collect()
}

/// The lines of a map over what holds without them.
fn overlay(lines: &BTreeMap<u8, Set<u8>>, base: &Fact<Vec<(u8, u8)>>) -> SharedMap {
    if lines.is_empty() && base.is_unknown() {
        return base.map(|_| Arc::new(CodeMap::new()));
    }
    let mut map = CodeMap::new();
    map.complete = base.is_known();
    let why = base.because();
    for (key, value) in base.value().map(Vec::as_slice).unwrap_or_default() {
        map.set(MapEntry {
            key: *key,
            value: *value,
            default: why.cloned(),
            at: base.at(),
        });
    }
    // A line that can't be read takes the default away and gives nothing.
    let unread = lines.iter().filter(|(_, set)| set.value.is_none());
    let unread: Vec<u8> = unread.map(|(key, _)| *key).collect();
    if !unread.is_empty() {
        let entries = map.entries().iter();
        let kept: Vec<MapEntry> = entries
            .filter(|entry| !unread.contains(&entry.key))
            .cloned()
            .collect();
        map = CodeMap::new();
        map.complete = false;
        kept.into_iter().for_each(|entry| map.set(entry));
    }
    for (key, set) in lines {
        if let Some(value) = set.value {
            map.set_explicit(*key, value, set.at);
        }
    }
    match (lines.values().next(), why) {
        (Some(first), _) => Fact::explicit(Arc::new(map), first.at),
        (None, Some(why)) => Fact::Default(Arc::new(map), why.clone(), base.at()),
        (None, None) => Fact::explicit(Arc::new(map), base.at()),
    }
}
