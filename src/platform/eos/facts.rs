//! Settings → model: the ports of the switch.

use super::buffers::Groups;
use super::defaults;
use super::parse::{Config, Interface, Lines, Said};
use super::policy::Effects;
use super::qos::{Qos, Queue, Thresholds, Unit};
use crate::model::port::SharedMap;
use crate::model::{
    CodeMap, Device, Ecn, Fact, LineOnly, LinkPause, MapName, Milli, Mtu, MtuCounts, NoteKind,
    Origin, PfcMode, Port, Priorities, Reason, SchedulerKind, State, Trust,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{Weights, lossless, no_marking};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What all ports share.
struct Shared<'c, 't> {
    config: &'c Config<'t>,
    notes: &'c mut Notes,
    maps: [(MapName, SharedMap); 7],
    groups: Groups,
    effects: Effects<'t>,
    /// Ports by the profile that alone decides: most are of this kind.
    templates: HashMap<Option<&'t str>, Template<'t>>,
    /// Names of qos profiles that some port has.
    profiles: HashSet<&'t str>,
    /// Marking of a queue without a line of its own.
    plain: Arc<Ecn>,
    /// Marking by the line that gives it.
    marking: HashMap<Origin, Arc<Ecn>>,
}

/// A port without a name, with what lines of quality of service say.
#[derive(Clone)]
struct Template<'t> {
    port: Port,
    trust: Said<Option<&'t str>>,
    policy: Said<&'t str>,
}

/// Adds what a configuration says to the device and its ports.
pub fn read(device: &mut Device, ports: &mut Ports, config: &Config<'_>, notes: &mut Notes) {
    if let Some((name, at)) = config.hostname {
        device.hostname = Fact::explicit(name.to_owned(), at);
    }
    let groups = Groups::new(device, config, notes);
    let mut shared = Shared {
        config,
        notes,
        maps: maps(config),
        groups,
        effects: Effects::default(),
        templates: HashMap::new(),
        profiles: HashSet::new(),
        plain: Arc::new(match config.shared_ecn {
            Some((_, at)) => shared_marking(at),
            None => no_marking(&defaults::NO_MARKING),
        }),
        marking: HashMap::new(),
    };
    for interface in &config.ports.list {
        let port = shared.port(interface);
        ports.list.push(port);
    }
    shared.unused();
}

impl<'t> Shared<'_, 't> {
    fn port(&mut self, interface: &Interface<'t>) -> Port {
        let config = self.config;
        let lag = interface
            .lag
            .and_then(|(number, _)| config.lags.get(number));
        let routed = routed(config, interface, lag);
        let Template {
            mut port,
            trust,
            policy,
        } = self.queued(interface, lag, routed);
        port.name = interface.name.to_string();
        link(&mut port, config, interface, lag, routed);
        port.trust = trusted(&trust, routed);
        self.policies(&mut port, policy, interface);
        port
    }

    /// Profile of the port-channel, port-channel, profile of the port, port:
    /// what comes later counts.
    fn queued(
        &mut self,
        interface: &Interface<'t>,
        lag: Option<&Interface<'t>>,
        routed: bool,
    ) -> Template<'t> {
        let config = self.config;
        let mut layers: SmallVec<[&Qos<'t>; 4]> = SmallVec::new();
        let (mut only, mut own) = (None, false);
        for part in lag.into_iter().chain([interface]) {
            if let Some((name, at)) = part.profile {
                match config.profiles.get(name) {
                    Some((profile, _)) => {
                        self.profiles.insert(name);
                        only = Some(name);
                        own |= !layers.is_empty();
                        layers.push(profile);
                    }
                    None => self.notes.add(
                        NoteKind::Unresolved,
                        Some(&interface.name),
                        format!("service-profile {name}: there is no qos profile of this name"),
                        at,
                    ),
                }
            }
            if let Some(qos) = &part.qos {
                own = true;
                layers.push(qos);
            }
        }
        if !own {
            if let Some(template) = self.templates.get(&only) {
                return template.clone();
            }
            let plain = Qos::default();
            let template = self.template(layers.first().unwrap_or(&&plain));
            self.templates.insert(only, template.clone());
            return template;
        }
        let mut qos = Qos::default();
        for (n, layer) in layers.into_iter().enumerate() {
            match n == 0 || config.printed.is_empty() {
                true => qos.overlay(layer),
                false => qos.overlay(&layer.typed(&config.printed, routed)),
            }
        }
        self.template(&qos)
    }

    fn template(&mut self, qos: &Qos<'t>) -> Template<'t> {
        let mut port = Port::default();
        self.pfc(&mut port, qos);
        for (name, map) in &self.maps {
            port.maps.set(*name, map.clone());
        }
        self.queues(&mut port, qos);
        Template {
            port,
            trust: qos.trust,
            policy: qos.policy,
        }
    }

    fn pfc(&self, port: &mut Port, qos: &Qos<'_>) {
        let all_off = self.config.all_off;
        let no_drop = qos.no_drop.iter().enumerate();
        let no_drop: Priorities = no_drop
            .filter(|(_, said)| said.is_some_and(|(no_drop, _)| no_drop))
            .map(|(n, _)| n as u8)
            .collect();
        let mut lines = qos.no_drop.iter().flatten().filter(|(on, _)| *on);
        let line = lines.next().map(|(_, at)| *at);
        let in_force = match (all_off, qos.pfc) {
            (Some(at), _) => Fact::explicit(Priorities::NONE, at),
            (None, Some((true, at))) => Fact::explicit(no_drop, line.unwrap_or(at)),
            (None, Some((false, at))) => Fact::explicit(Priorities::NONE, at),
            (None, None) => Fact::Default(
                Priorities::NONE,
                (&defaults::PFC_OFF).into(),
                line.unwrap_or_default(),
            ),
        };
        port.pfc.mode = match (all_off, qos.pfc) {
            (None, Some((true, at))) => {
                Fact::Default(PfcMode::On, (&defaults::PFC_STATIC).into(), at)
            }
            _ => in_force.map(|_| PfcMode::Off),
        };
        port.pfc.enabled = in_force.clone();
        port.pfc.tx = in_force.clone();
        port.pfc.rx = in_force.clone();
        let enabled = in_force.get().unwrap_or_default();
        port.priority_groups = enabled
            .iter()
            .map(|priority| self.groups.of(priority, in_force.at()))
            .collect();
        watchdog(port, qos, self.config);
    }

    fn queues(&mut self, port: &mut Port, qos: &Qos<'_>) {
        let mut weights = Weights::default();
        let plain = Queue::default();
        for id in 0..defaults::QUEUES {
            let said = qos.queues.get(&id).unwrap_or(&plain);
            let mut queue = crate::model::Queue::new(id);
            queue.lossless = lossless(port, id, &defaults::NO_PFC_QUEUE);
            queue.attached = LineOnly(said.at);
            queue.ecn = self.marking(said);
            queue.scheduler = match said.strict {
                Some((true, at)) => Fact::explicit(SchedulerKind::Strict, at),
                Some((false, at)) => Fact::explicit(SchedulerKind::Weighted, at),
                None => Fact::default_of(SchedulerKind::Strict, &defaults::STRICT),
            };
            queue.limit_bytes = Fact::NotApplicable;
            weights.set(id, queue.scheduler.get(), said.percent);
            if queue.lossless.get() == Some(true)
                && port.pfc.watchdog.enabled.get() == Some(true)
                && !said.guaranteed
            {
                let text = "the PFC watchdog may watch only queues with bandwidth guaranteed, \
                            and a lossless queue has none (EOS 4.36 manual, for Trident II)";
                let at = port.pfc.watchdog.enabled.at();
                let all = "guaranteed";
                self.notes.once(NoteKind::Remark, all, all, text, at);
            }
            port.queues.push(queue);
        }
        weights.share(port);
    }

    fn marking(&mut self, queue: &Queue) -> Arc<Ecn> {
        let ecn = queue.ecn.map(|(_, at)| at);
        let Some(at) = ecn.or(queue.drop.map(|(_, at)| at)) else {
            return Arc::clone(&self.plain);
        };
        let made = self.marking.entry(at).or_insert_with(|| {
            let mut ecn = match queue.ecn {
                Some((Some(thresholds), at)) => marked(&thresholds, at),
                Some((None, at)) => {
                    let mut ecn = (*self.plain).clone();
                    if ecn.enabled.get() == Some(false) {
                        ecn.enabled = Fact::explicit(false, at);
                    }
                    ecn
                }
                None => (*self.plain).clone(),
            };
            // With both, only packets that can't be marked are dropped.
            if let (Some((level, at)), Some(false)) = (queue.drop, ecn.enabled.get()) {
                ecn.wred_drop = match level {
                    None => Fact::explicit(true, at),
                    Some(level) => Fact::unknown_at(
                        format!("only packets of drop precedence {level} are dropped early"),
                        at,
                    ),
                };
            }
            Arc::new(ecn)
        });
        Arc::clone(made)
    }

    /// A policy on the port that decides the class in the place of trust.
    fn policies(&mut self, port: &mut Port, policy: Said<&'t str>, interface: &Interface<'t>) {
        let config = self.config;
        let mut tell = |kind, text: String, at| {
            self.notes.add(kind, Some(&interface.name), text, at);
        };
        if let Some((name, at)) = interface.traffic_policy {
            match config.traffic.get(name) {
                Some(Some((act, _))) => {
                    let text = format!("traffic-policy {name} decides beside trust: {act}");
                    tell(NoteKind::Override, text, at);
                }
                Some(None) => {}
                None => {
                    let text = format!("traffic-policy {name}: there is none of this name");
                    tell(NoteKind::Unresolved, text, at);
                }
            }
        }
        let Some((name, at)) = policy else { return };
        let trusted = port.maps.get(MapName::DscpToTc).clone();
        let trusted = trusted.value().map(Arc::as_ref);
        let none = CodeMap::new();
        let effect = self
            .effects
            .of(name, config, trusted.unwrap_or(&none), self.notes);
        let mut tell = |kind, text: String| {
            self.notes.add(kind, Some(&interface.name), text, at);
        };
        match effect {
            None => tell(
                NoteKind::Unresolved,
                format!("service-policy {name}: there is no policy-map of this name"),
            ),
            Some(effect) => {
                if let Some(text) = &effect.overrides {
                    tell(NoteKind::Override, text.clone());
                }
                if let Some(map) = &effect.map {
                    port.maps.set(MapName::DscpToTc, map.clone());
                }
            }
        }
    }

    /// What is defined and attached nowhere does nothing.
    fn unused(&mut self) {
        let config = self.config;
        if config.ports.list.is_empty() {
            return; // a part of a configuration: the rest may attach it
        }
        let profiles = config.profiles.iter();
        let profiles = profiles.filter(|(name, _)| !self.profiles.contains(*name));
        let policies = config.policies.iter();
        let policies = policies.filter(|(name, _)| !self.effects.has(name));
        let mut idle: Vec<(&str, &str, Origin)> = Vec::new();
        idle.extend(profiles.map(|(name, (_, at))| ("qos profile", *name, *at)));
        idle.extend(policies.map(|(name, (_, at))| ("policy-map", *name, *at)));
        let buffers = config.buffers.idle();
        idle.extend(buffers.map(|(name, at)| ("mmu queue profile", name, at)));
        idle.sort_by_key(|(.., at)| *at);
        for (what, name, at) in idle {
            let text = format!("{what} {name} is defined and attached nowhere");
            self.notes.add(NoteKind::Unresolved, None, text, at);
        }
    }
}

fn routed(config: &Config<'_>, interface: &Interface<'_>, lag: Option<&Interface<'_>>) -> bool {
    let switchport = match lag {
        Some(lag) => lag.switchport,
        None => interface.switchport,
    };
    match switchport {
        Some((switchport, _)) => !switchport,
        None => config.routed.is_some_and(|(routed, _)| routed),
    }
}

fn fact<T: Clone>(said: &Said<T>, default: T, why: &'static Reason) -> Fact<T> {
    match said {
        Some((value, at)) => Fact::explicit(value.clone(), *at),
        None => Fact::default_of(default, why),
    }
}

fn link(
    port: &mut Port,
    config: &Config<'_>,
    interface: &Interface<'_>,
    lag: Option<&Interface<'_>>,
    routed: bool,
) {
    if let Some((text, at)) = interface.description {
        port.description = Fact::explicit(text.to_owned(), at);
    }
    port.speed_mbps = match interface.speed {
        Some((Some(speed), at)) => Fact::explicit(speed, at),
        Some((None, at)) => Fact::unknown_at(&defaults::NO_SPEED, at),
        None => Fact::unknown(&defaults::NO_SPEED),
    };
    if let Some((kind, at)) = interface.fec {
        let kind = if kind == "reed-solomon" { "rs" } else { kind };
        port.fec = Fact::explicit(kind.to_owned(), at);
    }
    port.admin = match interface.shutdown.or(config.shutdown) {
        Some((true, at)) => Fact::explicit(State::Down, at),
        Some((false, at)) => Fact::explicit(State::Up, at),
        None => Fact::default_of(State::Up, &defaults::UP),
    };
    let own = |of: fn(&Interface<'_>) -> Said<u32>| lag.and_then(of).or(of(interface));
    let mtu = own(|interface| interface.mtu).or(config.mtu);
    let l2_mtu = own(|interface| interface.l2_mtu);
    port.mtu = match (routed, mtu, l2_mtu) {
        (true, mtu, _) => {
            let raw = fact(&mtu, defaults::MTU, &defaults::MTU_WHY);
            Mtu::from_raw(raw, MtuCounts::Ip)
        }
        (false, _, Some((bytes, at))) => Mtu::from_raw(Fact::explicit(bytes, at), MtuCounts::L2),
        (false, _, None) => {
            let unknown = || Fact::unknown_at(&defaults::MTU_SWITCHED, interface.at);
            Mtu {
                ip: unknown(),
                raw: unknown(),
                counts: Fact::unknown(&defaults::MTU_SWITCHED),
            }
        }
    };
    port.link_pause = LinkPause {
        rx: fact(&interface.receive, false, &defaults::LINK_PAUSE_OFF),
        tx: fact(&interface.send, false, &defaults::LINK_PAUSE_OFF),
    };
}

fn trusted(said: &Said<Option<&str>>, routed: bool) -> Fact<Trust> {
    match *said {
        Some((Some("dscp"), at)) => Fact::explicit(Trust::Dscp, at),
        Some((Some(_), at)) => Fact::explicit(Trust::Pcp, at),
        Some((None, at)) => Fact::explicit(Trust::None, at),
        None if routed => Fact::default_of(Trust::Dscp, &defaults::TRUST_ROUTED),
        None => Fact::default_of(Trust::Pcp, &defaults::TRUST_SWITCHED),
    }
}

fn watchdog(port: &mut Port, qos: &Qos<'_>, config: &Config<'_>) {
    let (own, global) = (&qos.watchdog, &config.watchdog);
    let watchdog = &mut port.pfc.watchdog;
    let timeout = own.timeout.or(global.timeout);
    watchdog.enabled = match (qos.watched, timeout) {
        (Some((false, at)), _) => Fact::explicit(false, at),
        (_, Some((time, at))) => Fact::explicit(time > 0, at),
        (on, None) => Fact::Default(
            false,
            (&defaults::WATCHDOG_IDLE).into(),
            on.map_or(Origin::NONE, |(_, at)| at),
        ),
    };
    let all = Priorities::from_mask(u8::MAX);
    watchdog.priorities = Fact::default_of(all, &defaults::WATCHES_ALL);
    watchdog.detection_ms = fact(&timeout, 0, &defaults::WATCHDOG_IDLE);
    watchdog.restoration_ms = match own.recovery.or(global.recovery) {
        Some((Some(time), at)) => Fact::explicit(time, at),
        Some((None, at)) => Fact::unknown_at(&defaults::WATCHDOG_RECOVERY, at),
        None => Fact::unknown(&defaults::WATCHDOG_RECOVERY),
    };
    watchdog.action = match own.action.or(global.action) {
        Some((action, at)) => Fact::explicit(action.to_owned(), at),
        None => Fact::default_of("errdisable".to_owned(), &defaults::WATCHDOG_ACTION),
    };
}

fn maps(config: &Config<'_>) -> [(MapName, SharedMap); 7] {
    // Blocks of eight, the first two exchanged.
    let swapped = |n: u8| match n {
        0 => 1,
        1 => 0,
        n => n,
    };
    let map = |said: &Lines, keys: u8, default: &dyn Fn(u8) -> u8, why: &'static Reason| {
        let mut map = CodeMap::new();
        for (key, (value, at)) in said {
            map.set_explicit(*key, *value, *at);
        }
        (0..keys).for_each(|key| map.fill_default(key, default(key), why));
        let first = said.values().next().map(|(_, at)| *at);
        match first {
            Some(at) => Fact::explicit(Arc::new(map), at),
            None => Fact::default_of(Arc::new(map), why),
        }
    };
    let queue = map(&config.queue, 8, &|tc| tc, &defaults::QUEUE_MAP);
    let stopped = queue.map(|queues| {
        let mut map = CodeMap::new();
        for entry in queues.entries() {
            map.fill_default(entry.key, entry.value, &defaults::PFC_QUEUE);
        }
        Arc::new(map)
    });
    let stopped = match stopped {
        Fact::Explicit(map, at) => Fact::Default(map, (&defaults::PFC_QUEUE).into(), at),
        other => other,
    };
    let rewrite = match config.rewrites {
        Some((true, at)) => {
            let by_default = |tc: u8| swapped(tc) * 8;
            let map = map(&config.rewrite, 8, &by_default, &defaults::REWRITE_MAP);
            match map {
                Fact::Default(map, why, _) => Fact::Default(map, why, at),
                other => other,
            }
        }
        _ => Fact::default_of(Arc::new(CodeMap::new()), &defaults::NO_REWRITE),
    };
    let blocks = |dscp| swapped(dscp / 8);
    [
        (
            MapName::DscpToTc,
            map(&config.dscp, 64, &blocks, &defaults::DSCP_MAP),
        ),
        (
            MapName::PcpToTc,
            map(&config.cos, 8, &swapped, &defaults::COS_MAP),
        ),
        (MapName::TcToQueue, queue),
        (MapName::TcToPg, Fact::NotApplicable),
        (MapName::PfcToQueue, stopped),
        (MapName::PfcToPg, Fact::NotApplicable),
        (MapName::TcToDscp, rewrite),
    ]
}

/// Marking between two thresholds.
pub fn marked(thresholds: &Thresholds, at: Origin) -> Ecn {
    let bytes = |(number, unit): (u64, Unit)| match unit {
        Unit::Bytes(factor) => Fact::explicit(number * factor, at),
        Unit::Other(unit) => {
            Fact::unknown_at(format!("{number} {unit} can't be compared with bytes"), at)
        }
    };
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: bytes(thresholds.min),
        max_bytes: bytes(thresholds.max),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: match thresholds.probability {
            Some(percent) => Fact::explicit(Milli::whole(i64::from(percent)), at),
            None => Fact::unknown_at(&defaults::PROBABILITY, at),
        },
        wred_drop: Fact::default_of(false, &defaults::NO_MARKING),
    }
}

/// Marking by the fill of the buffer that all queues share.
fn shared_marking(at: Origin) -> Ecn {
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: Fact::unknown_at(&defaults::SHARED_MARKING, at),
        max_bytes: Fact::unknown_at(&defaults::SHARED_MARKING, at),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::unknown_at(&defaults::SHARED_MARKING, at),
        wred_drop: Fact::default_of(false, &defaults::NO_MARKING),
    }
}
