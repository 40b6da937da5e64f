//! What the configuration defines and binds → the ports.

use super::buffers;
use super::config::{Config, Map, MapKind, Reference, Settings};
use super::defaults;
use super::queues;
use crate::model::port::SharedMap;
use crate::model::{
    CodeMap, Device, Fact, LinkPause, MapName, Mtu, MtuCounts, NoteKind, Origin, PfcMode, Port,
    Priorities, Reason, Trust, Why,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::both_ways;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What `roce enable` calls all that it makes.
const ROCE: &str = "ROCE";

/// Scheduler policies of the CPU port, which the switch has of itself.
const OF_CPU: &str = "copp-";

/// What the configuration says of the device itself.
pub fn device(device: &mut Device, config: &Config<'_>) {
    if let Some(hostname) = &config.hostname {
        device.hostname = hostname.map(|name| (*name).to_owned());
    }
    buffers::pools(device, config);
}

/// Makes the ports.
pub fn ports<'t>(ports: &mut Ports, config: &Config<'t>, notes: &mut Notes) {
    let mut settings: Vec<Settings<'t>> = Vec::new();
    for (names, section) in &config.ports {
        for name in names {
            let n = ports.find(name).unwrap_or_else(|| {
                ports.list.push(Port::new(name.as_str()));
                settings.push(Settings::default());
                settings.len() - 1
            });
            if let Some(own) = settings.get_mut(n) {
                *own = section.clone().or(std::mem::take(own));
            }
        }
    }
    let mut reader = Reader {
        config,
        implied: implied(config),
        notes,
        maps: HashMap::new(),
        queues: queues::Cache::default(),
        nothing: Arc::new(CodeMap::new()),
    };
    for (port, own) in ports.list.iter_mut().zip(settings) {
        let lag = own.lag.and_then(|number| config.lags.get(&number));
        reader.port(port, &own.or(lag.cloned().unwrap_or_default()));
    }
    if !config.ports.is_empty() {
        unattached(config, notes);
    }
}

/// Whether this is a configuration yet to be applied, of which `roce enable`
/// makes the rest. A switch prints what it made: then that counts.
fn implied(config: &Config<'_>) -> Option<Origin> {
    let (_, at) = config.roce.as_ref()?;
    let made = config.maps.keys().any(|(_, name)| *name == ROCE);
    let bound = config.ports.iter().any(|(_, settings)| {
        settings.maps.iter().any(Option::is_some) || settings.pfc.iter().any(Option::is_some)
    });
    (!made && !bound).then_some(*at)
}

/// What a reference leads to.
pub enum Lookup<'c, T> {
    /// Nothing is bound.
    Absent,
    /// The definition, and the line that binds it.
    Found(&'c T, Origin),
    /// It is not defined, and the line that binds it.
    Dangling(Why, Origin),
}

/// Makes ports from a configuration.
pub struct Reader<'c, 't, 'n> {
    config: &'c Config<'t>,
    /// The line `roce enable`, where the rest follows from it.
    pub implied: Option<Origin>,
    notes: &'n mut Notes,
    maps: HashMap<(MapKind, &'t str), Arc<CodeMap>>,
    /// What was read of scheduler and WRED policies.
    pub queues: queues::Cache<'t>,
    nothing: Arc<CodeMap>,
}

impl<'c, 't> Reader<'c, 't, '_> {
    /// The configuration.
    pub fn config(&self) -> &'c Config<'t> {
        self.config
    }

    fn port(&mut self, port: &mut Port, settings: &Settings<'t>) {
        plain(port, settings);
        self.pfc(port, settings);
        self.maps(port, settings);
        self.watchdog(port, settings);
        buffers::groups(self, port, settings);
        queues::read(self, port, settings);
        self.policy(port, settings);
    }

    /// Looks a name up; one that is not defined is told.
    pub fn find<T>(
        &mut self,
        port: &Port,
        found: impl FnOnce(&'c Config<'t>, &'t str) -> Option<&'c T>,
        reference: Option<Reference<'t>>,
        what: &str,
    ) -> Lookup<'c, T> {
        let Some((name, at)) = reference.and_then(|r| Some((r.name?, r.at))) else {
            return Lookup::Absent;
        };
        if let Some(found) = found(self.config, name) {
            return Lookup::Found(found, at);
        }
        let text = format!("{what} {name:?} is bound but not defined");
        self.notes
            .add(NoteKind::Unresolved, Some(&port.name), text.clone(), at);
        Lookup::Dangling(text.into(), at)
    }

    fn pfc(&mut self, port: &mut Port, settings: &Settings<'t>) {
        let mut set = Priorities::NONE;
        let mut at = None;
        for (priority, line) in (0..8u8).zip(&settings.pfc) {
            let Some(line) = line else { continue };
            at.get_or_insert(line.at());
            if line.get() == Some(true) {
                // Evidence is a line that turns it on.
                if set.is_empty() {
                    at = Some(line.at());
                }
                set.insert(priority);
            }
        }
        let tx = match (&settings.pfc_unclear, at, self.implied) {
            (Some(unclear), _, _) => unclear.map(|()| Priorities::NONE),
            (None, Some(at), _) => Fact::explicit(set, at),
            (None, None, Some(at)) => {
                let set = self.roce_priorities().iter().copied().collect();
                Fact::Default(set, (&defaults::ROCE).into(), at)
            }
            (None, None, None) => Fact::default_of(Priorities::NONE, &defaults::PFC_OFF),
        };
        let pfc = &mut port.pfc;
        pfc.mode = Fact::default_of(PfcMode::On, &defaults::PFC_STATIC);
        // With asymmetric PFC pause is obeyed on every priority.
        pfc.rx = match &settings.asymmetric {
            Some(Fact::Explicit(true, at)) => Fact::explicit(Priorities::from_mask(0xff), *at),
            _ => tx.clone(),
        };
        pfc.enabled = both_ways(&tx, &pfc.rx);
        pfc.tx = tx;
    }

    /// The priorities that `roce enable` gives PFC and lossless buffers.
    pub fn roce_priorities(&self) -> &'c [u8] {
        let own = self
            .config
            .roce
            .as_ref()
            .and_then(|(own, _)| own.as_deref());
        own.unwrap_or(&defaults::ROCE_PRIORITIES)
    }

    fn maps(&mut self, port: &mut Port, settings: &Settings<'t>) {
        use MapKind as K;
        let dscp = self.map(port, settings, K::DscpTc);
        let dot1p = self.map(port, settings, K::Dot1pTc);
        let bound =
            |map: &Option<SharedMap>| map.as_ref().filter(|map| map.is_known()).map(Fact::at);
        let unclear = settings
            .maps_unclear
            .map(|at| (&defaults::MAPS_UNCLEAR, at));
        port.trust = match (bound(&dscp), bound(&dot1p), self.implied) {
            _ if let Some((why, at)) = unclear => Fact::unknown_at(why, at),
            (_, _, Some(at)) => Fact::Default(Trust::Both, (&defaults::ROCE).into(), at),
            (Some(at), Some(_), _) => Fact::explicit(Trust::Both, at),
            (Some(at), None, _) => Fact::explicit(Trust::Dscp, at),
            (None, Some(at), _) => Fact::explicit(Trust::Pcp, at),
            (None, None, _) => Fact::default_of(Trust::None, &defaults::TRUST_NONE),
        };
        let nothing = || Arc::clone(&self.nothing);
        let dscp = dscp.unwrap_or_else(|| match unclear {
            Some((why, at)) => Fact::unknown_at(why, at),
            None => Fact::default_of(nothing(), &defaults::NO_DSCP_MAP),
        });
        let dot1p = dot1p.unwrap_or_else(|| Fact::unknown(&defaults::NO_DOT1P_MAP));
        port.maps.set(MapName::DscpToTc, dscp);
        port.maps.set(MapName::PcpToTc, dot1p);
        for (kind, name) in [
            (K::TcQueue, MapName::TcToQueue),
            (K::TcPg, MapName::TcToPg),
            (K::TcDscp, MapName::TcToDscp),
            (K::PfcQueue, MapName::PfcToQueue),
            (K::PfcPg, MapName::PfcToPg),
        ] {
            let map = self.map(port, settings, kind);
            let map = map.unwrap_or_else(|| self.unbound(kind));
            port.maps.set(name, map);
        }
    }

    /// What holds where no map of this kind is bound.
    fn unbound(&self, kind: MapKind) -> SharedMap {
        let all = |value: u8, why: &'static Reason| {
            let mut map = CodeMap::new();
            (0..16).for_each(|tc| map.fill_default(tc, value, why));
            Fact::default_of(Arc::new(map), why)
        };
        match kind {
            MapKind::TcQueue => all(0, &defaults::NO_QUEUE_MAP),
            MapKind::TcPg => all(7, &defaults::NO_PG_MAP),
            MapKind::TcDscp => Fact::default_of(Arc::clone(&self.nothing), &defaults::NO_REWRITE),
            MapKind::PfcQueue => Fact::unknown(&defaults::NO_PFC_QUEUE_MAP),
            // Without one the group of the same number pauses.
            _ => Fact::NotApplicable,
        }
    }

    /// The map that a port binds, or that `roce enable` would.
    fn map(&mut self, port: &Port, settings: &Settings<'t>, kind: MapKind) -> Option<SharedMap> {
        let reference = settings.maps.get(kind as usize).copied().flatten();
        let what = format!("qos map {}", kind.word());
        match self.find(port, |c, name| c.maps.get(&(kind, name)), reference, &what) {
            Lookup::Found(map, at) => {
                let key = (kind, reference.and_then(|r| r.name).unwrap_or_default());
                let built = self
                    .maps
                    .entry(key)
                    .or_insert_with(|| Arc::new(entries(map, kind)));
                Some(Fact::explicit(Arc::clone(built), at))
            }
            Lookup::Dangling(..) => None,
            Lookup::Absent => {
                let at = self.implied?;
                let map = roce_map(kind, self.roce_priorities())?;
                Some(Fact::Default(Arc::new(map), (&defaults::ROCE).into(), at))
            }
        }
    }

    fn watchdog(&mut self, port: &mut Port, settings: &Settings<'t>) {
        let watched = port.pfc.tx.clone();
        let watchdog = &mut port.pfc.watchdog;
        watchdog.priorities = match watched {
            Fact::Explicit(set, at) | Fact::Default(set, _, at) => {
                Fact::Default(set, (&defaults::WATCHED_AS_ENABLED).into(), at)
            }
            other => other,
        };
        watchdog.enabled = match (&settings.watchdog, self.implied) {
            (Some(state), _) => state.clone(),
            (None, Some(at)) => Fact::unknown_at(&defaults::ROCE_WATCHDOG, at),
            (None, None) => Fact::default_of(false, &defaults::WATCHDOG_OFF),
        };
        if watchdog.enabled.get() != Some(true) {
            watchdog.detection_ms = Fact::NotApplicable;
            watchdog.restoration_ms = Fact::NotApplicable;
            watchdog.action = Fact::NotApplicable;
            return;
        }
        let at = watchdog.enabled.at();
        let time = |time: &Option<Fact<u32>>, why: &'static Reason| {
            time.clone().unwrap_or_else(|| Fact::unknown_at(why, at))
        };
        watchdog.detection_ms = time(&settings.detect, &defaults::NO_DETECTION);
        watchdog.restoration_ms = time(&settings.restore, &defaults::NEVER_RESTORES);
        watchdog.action = match &settings.action {
            Some(action) => action.map(|action| (*action).to_owned()),
            None => Fact::Default("drop".to_owned(), (&defaults::WATCHDOG_DROP).into(), at),
        };
    }

    /// A policy on the way in comes before the maps.
    fn policy(&mut self, port: &Port, settings: &Settings<'t>) {
        let found = |c: &'c Config<'t>, name: &str| c.policies.get(name);
        if let Lookup::Found(policy, _) = self.find(port, found, settings.policy, "policy-map") {
            let name = settings.policy.and_then(|r| r.name).unwrap_or_default();
            for (at, what) in &policy.beats {
                let text = format!("policy-map {name:?} beats what the port trusts: `{what}`");
                self.notes
                    .add(NoteKind::Override, Some(&port.name), text, *at);
            }
        }
    }
}

/// What stands on the port itself and names nothing.
fn plain(port: &mut Port, settings: &Settings<'_>) {
    let owned = |fact: &Option<Fact<&str>>| {
        let fact = fact.as_ref();
        fact.map_or_else(Fact::default, |fact| fact.map(|text| (*text).to_owned()))
    };
    port.description = owned(&settings.description);
    port.fec = owned(&settings.fec);
    port.speed_mbps = settings.speed.clone().unwrap_or_default();
    port.cable_m = settings.cable.clone().unwrap_or_default();
    port.admin = settings.admin.clone().unwrap_or_default();
    let mtu = settings.mtu.clone();
    let mtu = mtu.unwrap_or_else(|| Fact::default_of(defaults::MTU, &defaults::MTU_WHY));
    // As in SONiC it counts the IP packet.
    port.mtu = Mtu::from_raw(mtu, MtuCounts::Ip);
    port.link_pause = LinkPause {
        rx: Fact::default_of(false, &defaults::LINK_PAUSE_OFF),
        tx: Fact::default_of(false, &defaults::LINK_PAUSE_OFF),
    };
}

fn entries(map: &Map, kind: MapKind) -> CodeMap {
    let mut codes = CodeMap::new();
    for (key, value, at) in &map.entries {
        codes.set_explicit(*key, *value, *at);
    }
    if map.unclear {
        codes.complete = false;
        return codes;
    }
    match kind {
        MapKind::DscpTc => (0..64).for_each(|key| codes.fill_default(key, 0, &defaults::UNMAPPED)),
        MapKind::Dot1pTc => (0..8).for_each(|key| codes.fill_default(key, 0, &defaults::UNMAPPED)),
        MapKind::TcQueue => (0..16).for_each(|key| codes.fill_default(key, 0, &defaults::UNMAPPED)),
        MapKind::TcDscp | MapKind::TcDot1p => {}
        // SAI says nothing of what these leave out.
        MapKind::TcPg | MapKind::PfcQueue | MapKind::PfcPg => {
            codes.complete = (0..8).all(|key| codes.get(key).is_some());
        }
    }
    codes
}

/// What `roce enable` maps, as its design document says: DSCP 24 and 26 to
/// class 3, 4 to 4, 48 to 6, all else to 0; classes 3 and 4 to groups of their
/// own, the others to 7; queues straight.
fn roce_map(kind: MapKind, lossless: &[u8]) -> Option<CodeMap> {
    let mut map = CodeMap::new();
    let mut fill = |key: u8, value: u8| map.fill_default(key, value, &defaults::ROCE);
    match kind {
        MapKind::DscpTc => (0..64).for_each(|dscp| {
            fill(
                dscp,
                match dscp {
                    24 | 26 => 3,
                    4 => 4,
                    48 => 6,
                    _ => 0,
                },
            );
        }),
        MapKind::Dot1pTc => (0..8).for_each(|dot1p| {
            fill(dot1p, if matches!(dot1p, 3 | 4) { dot1p } else { 0 });
        }),
        MapKind::TcPg => (0..8).for_each(|tc| {
            fill(tc, if lossless.contains(&tc) { tc } else { 7 });
        }),
        MapKind::TcQueue | MapKind::PfcQueue => (0..8).for_each(|n| fill(n, n)),
        MapKind::TcDscp | MapKind::PfcPg | MapKind::TcDot1p => return None,
    }
    Some(map)
}

/// Tells of definitions that nothing binds.
fn unattached(config: &Config<'_>, notes: &mut Notes) {
    let sections = config.ports.iter().map(|(_, settings)| settings);
    let mut used: HashSet<(&str, &str)> = HashSet::new();
    for settings in sections.chain(config.lags.values()) {
        for (reference, entry) in settings.maps.iter().zip(MapKind::ALL) {
            used.extend(reference.and_then(|r| Some((entry.1, r.name?))));
        }
        let scheduler = settings.scheduler.and_then(|r| r.name);
        used.extend(scheduler.map(|name| ("scheduler", name)));
        let wred = settings.wred.iter().flatten();
        used.extend(wred.filter_map(|r| Some(("wred", r.name?))));
    }
    let maps = config.maps.iter().map(|((kind, name), map)| {
        (
            map.at,
            kind.word(),
            *name,
            format!("qos map {}", kind.word()),
        )
    });
    let schedulers = config.schedulers.iter().map(|(name, policy)| {
        (
            policy.at,
            "scheduler",
            *name,
            "qos scheduler-policy".to_owned(),
        )
    });
    let schedulers = schedulers.filter(|(_, _, name, _)| !name.starts_with(OF_CPU));
    let wred = config.wred.iter();
    let wred = wred.map(|(name, it)| (it.at, "wred", *name, "qos wred-policy".to_owned()));
    let all = maps.chain(schedulers).chain(wred);
    let mut unused: Vec<_> = all
        .filter(|(_, kind, name, _)| !used.contains(&(*kind, *name)))
        .collect();
    unused.sort();
    for (at, _, name, what) in unused {
        let text = format!("{what} {name:?} is defined but bound nowhere");
        notes.add(NoteKind::Unresolved, None, text, at);
    }
}
