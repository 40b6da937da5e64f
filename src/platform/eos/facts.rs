//! Settings → model: the ports of the switch.

use super::defaults;
use super::parse::{Config, Interface, Qos, Queue, Said, Thresholds};
use crate::model::port::SharedMap;
use crate::model::{
    CodeMap, Device, Ecn, Fact, LineOnly, LinkPause, MapName, Milli, Mtu, MtuCounts, NoteKind,
    Origin, PfcMode, Port, Priorities, PriorityGroup, Reason, SchedulerKind, State, Trust,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{Weights, lossless, no_marking};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What all ports share.
struct Shared {
    maps: [(MapName, SharedMap); 7],
    plain: Arc<Ecn>,
    /// Marking by the line that gives it.
    marking: HashMap<Origin, Arc<Ecn>>,
}

/// Adds what a configuration says to the device and its ports.
pub fn read(device: &mut Device, ports: &mut Ports, config: &Config<'_>, notes: &mut Notes) {
    if let Some((name, at)) = config.hostname {
        device.hostname = Fact::explicit(name.to_owned(), at);
    }
    let mut shared = Shared {
        maps: maps(config),
        plain: Arc::new(no_marking(&defaults::NO_MARKING)),
        marking: HashMap::new(),
    };
    let mut used = HashSet::new();
    for interface in &config.interfaces {
        let lag = interface.lag.and_then(|number| config.lags.get(number));
        let qos = effective(config, interface, lag, &mut used, notes);
        let mut port = Port::new(&*interface.name);
        link(&mut port, interface, lag);
        trust(&mut port, &qos, routed(interface, lag));
        pfc(&mut port, &qos, config);
        for (name, map) in &shared.maps {
            port.maps.set(*name, map.clone());
        }
        queues(&mut port, &qos, &mut shared);
        overridden(&port.name, &qos, config, &mut used, notes);
        match ports.get(&interface.name) {
            Some(place) => *place = port,
            None => continue,
        }
    }
    unused(config, &used, notes);
}

/// Profile of the port-channel, port-channel, profile of the port, port: what
/// comes later counts.
fn effective<'t>(
    config: &Config<'t>,
    interface: &Interface<'t>,
    lag: Option<&Interface<'t>>,
    used: &mut HashSet<&'t str>,
    notes: &mut Notes,
) -> Qos<'t> {
    let mut qos = Qos::default();
    for part in lag.into_iter().chain([interface]) {
        if let Some((name, at)) = part.qos.profile {
            match config.profiles.get(name) {
                Some((profile, _)) => {
                    used.insert(name);
                    qos.overlay(profile);
                }
                None => notes.add(
                    NoteKind::Unresolved,
                    Some(&interface.name),
                    format!("service-profile {name}: there is no qos profile of this name"),
                    at,
                ),
            }
        }
        qos.overlay(&part.qos);
    }
    qos
}

fn routed(interface: &Interface<'_>, lag: Option<&Interface<'_>>) -> bool {
    let said = lag.and_then(|lag| lag.switchport).or(interface.switchport);
    said.is_some_and(|(switchport, _)| !switchport)
}

fn fact<T: Clone>(said: &Said<T>, default: T, why: &'static Reason) -> Fact<T> {
    match said {
        Some((value, at)) => Fact::explicit(value.clone(), *at),
        None => Fact::default_of(default, why),
    }
}

fn link(port: &mut Port, interface: &Interface<'_>, lag: Option<&Interface<'_>>) {
    if let Some((text, at)) = interface.description {
        port.description = Fact::explicit(text.to_owned(), at);
    }
    port.speed_mbps = match interface.speed {
        Some((speed, at)) => Fact::explicit(speed, at),
        None => Fact::unknown(&defaults::NO_SPEED),
    };
    if let Some((kind, at)) = interface.fec {
        let kind = if kind == "reed-solomon" { "rs" } else { kind };
        port.fec = Fact::explicit(kind.to_owned(), at);
    }
    port.admin = match interface.shutdown {
        Some((true, at)) => Fact::explicit(State::Down, at),
        Some((false, at)) => Fact::explicit(State::Up, at),
        None => Fact::default_of(State::Up, &defaults::UP),
    };
    let mtu = interface.mtu.or(lag.and_then(|lag| lag.mtu));
    port.mtu = match (routed(interface, lag), mtu, interface.l2_mtu) {
        (true, Some((bytes, at)), _) => Mtu::from_raw(Fact::explicit(bytes, at), MtuCounts::Ip),
        (true, None, _) => Mtu::from_raw(
            Fact::default_of(defaults::MTU, &defaults::MTU_WHY),
            MtuCounts::Ip,
        ),
        (false, _, Some((bytes, at))) => Mtu::from_raw(Fact::explicit(bytes, at), MtuCounts::L2),
        (false, ..) => {
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

fn trust(port: &mut Port, qos: &Qos<'_>, routed: bool) {
    port.trust = match qos.trust {
        Some((Some("dscp"), at)) => Fact::explicit(Trust::Dscp, at),
        Some((Some(_), at)) => Fact::explicit(Trust::Pcp, at),
        Some((None, at)) => Fact::explicit(Trust::None, at),
        None if routed => Fact::default_of(Trust::Dscp, &defaults::TRUST_ROUTED),
        None => Fact::default_of(Trust::Pcp, &defaults::TRUST_SWITCHED),
    };
}

fn pfc(port: &mut Port, qos: &Qos<'_>, config: &Config<'_>) {
    let no_drop = qos.no_drop.iter().enumerate();
    let no_drop: Priorities = no_drop
        .filter(|(_, said)| said.is_some_and(|(no_drop, _)| no_drop))
        .map(|(n, _)| n as u8)
        .collect();
    let line = qos.no_drop.iter().flatten().map(|(_, at)| *at).next();
    let in_force = match (config.all_off, qos.pfc) {
        (Some(at), _) => Fact::explicit(Priorities::NONE, at),
        (None, Some((true, at))) => Fact::explicit(no_drop, line.unwrap_or(at)),
        (None, Some((false, at))) => Fact::explicit(Priorities::NONE, at),
        (None, None) => Fact::Default(
            Priorities::NONE,
            (&defaults::PFC_OFF).into(),
            line.unwrap_or_default(),
        ),
    };
    port.pfc.mode = match (config.all_off, qos.pfc) {
        (None, Some((true, at))) => Fact::Default(PfcMode::On, (&defaults::PFC_STATIC).into(), at),
        _ => in_force.map(|_| PfcMode::Off),
    };
    port.pfc.enabled = in_force.clone();
    port.pfc.tx = in_force.clone();
    port.pfc.rx = in_force.clone();
    for priority in in_force.get().unwrap_or_default().iter() {
        let mut group = PriorityGroup::new(priority);
        group.lossless = Fact::Default(true, (&defaults::NO_DROP_GROUP).into(), in_force.at());
        let buffer = Arc::make_mut(&mut group.buffer);
        buffer.headroom_bytes = Fact::unknown(&defaults::NO_SIZE);
        port.priority_groups.push(group);
    }
    watchdog(port, qos, config);
}

fn watchdog(port: &mut Port, qos: &Qos<'_>, config: &Config<'_>) {
    let (own, global) = (&qos.watchdog, &config.watchdog);
    let watchdog = &mut port.pfc.watchdog;
    let timeout = own.timeout.or(global.timeout);
    watchdog.enabled = match (qos.watched, timeout) {
        (Some((false, at)), _) => Fact::explicit(false, at),
        (_, Some((0, at))) => Fact::explicit(false, at),
        (_, Some((_, at))) => Fact::explicit(true, at),
        (on, None) => Fact::Default(
            false,
            (&defaults::WATCHDOG_IDLE).into(),
            on.map_or(Origin::NONE, |(_, at)| at),
        ),
    };
    let all = Priorities::from_mask(u8::MAX);
    watchdog.priorities = Fact::default_of(all, &defaults::WATCHES_ALL);
    watchdog.detection_ms = match timeout {
        Some((time, at)) => Fact::explicit(time, at),
        None => Fact::default_of(0, &defaults::WATCHDOG_IDLE),
    };
    watchdog.restoration_ms = match own.recovery.or(global.recovery) {
        Some((time, at)) => Fact::explicit(time, at),
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
    let map = |said: &BTreeMap<u8, (u8, Origin)>,
               keys: u8,
               default: &dyn Fn(u8) -> u8,
               why: &'static Reason| {
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
    [
        (
            MapName::DscpToTc,
            map(
                &config.dscp,
                64,
                &|dscp| swapped(dscp / 8),
                &defaults::DSCP_MAP,
            ),
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

fn queues(port: &mut Port, qos: &Qos<'_>, shared: &mut Shared) {
    let mut weights = Weights::default();
    let plain = Queue::default();
    for id in 0..defaults::QUEUES {
        let said = qos.queues.get(&id).unwrap_or(&plain);
        let mut queue = crate::model::Queue::new(id);
        queue.lossless = lossless(port, id, &defaults::NO_PFC_QUEUE);
        queue.attached = LineOnly(said.at);
        queue.ecn = marking(said, shared);
        queue.scheduler = match said.strict {
            Some((true, at)) => Fact::explicit(SchedulerKind::Strict, at),
            Some((false, at)) => Fact::explicit(SchedulerKind::Weighted, at),
            None => Fact::default_of(SchedulerKind::Strict, &defaults::STRICT),
        };
        queue.limit_bytes = Fact::NotApplicable;
        weights.set(id, queue.scheduler.get(), said.percent);
        port.queues.push(queue);
    }
    weights.share(port);
}

fn marking(queue: &Queue<'_>, shared: &mut Shared) -> Arc<Ecn> {
    let dropping = queue.drop.filter(|(on, _)| *on);
    match (queue.ecn, dropping) {
        (None, None) => Arc::clone(&shared.plain),
        (said, dropping) => {
            let at = said.map(|(_, at)| at).or(dropping.map(|(_, at)| at));
            let at = at.unwrap_or_default();
            let made = shared.marking.entry(at);
            let made = made.or_insert_with(|| {
                let mut ecn = match said {
                    Some((Some(thresholds), at)) => ecn(&thresholds, at),
                    Some((None, at)) => {
                        let mut none = no_marking(&defaults::NO_MARKING);
                        none.enabled = Fact::explicit(false, at);
                        none
                    }
                    None => no_marking(&defaults::NO_MARKING),
                };
                // With both, only packets that can't be marked are dropped.
                if let (Some((_, at)), Some(false)) = (dropping, ecn.enabled.get()) {
                    ecn.wred_drop = Fact::explicit(true, at);
                }
                Arc::new(ecn)
            });
            Arc::clone(made)
        }
    }
}

/// Marking between two thresholds.
pub fn ecn(thresholds: &Thresholds<'_>, at: Origin) -> Ecn {
    let Thresholds {
        min,
        min_unit,
        max,
        max_unit,
        probability,
    } = thresholds;
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: bytes(min, min_unit, at),
        max_bytes: bytes(max, max_unit, at),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: match probability.map(str::parse::<i64>) {
            Some(Ok(percent @ 1..=100)) => Fact::explicit(Milli::whole(percent), at),
            Some(_) => Fact::unknown_at("the probability is no percentage".to_owned(), at),
            None => Fact::unknown_at(&defaults::PROBABILITY, at),
        },
        wred_drop: Fact::default_of(false, &defaults::NO_MARKING),
    }
}

/// Segments are cells, whose size the platform decides; times depend on the
/// rate that the queue gets.
fn bytes(number: &str, unit: &str, at: Origin) -> Fact<u64> {
    let factor = match unit {
        "bytes" => 1,
        "kbytes" => 1000,
        "mbytes" => 1_000_000,
        _ => {
            return Fact::unknown_at(format!("{number} {unit} can't be compared with bytes"), at);
        }
    };
    match number
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(factor))
    {
        Some(bytes) => Fact::explicit(bytes, at),
        None => Fact::unknown_at(format!("{number:?} is no number"), at),
    }
}

/// A policy on the port that decides the class in the place of trust.
fn overridden<'t>(
    port: &str,
    qos: &Qos<'t>,
    config: &Config<'t>,
    used: &mut HashSet<&'t str>,
    notes: &mut Notes,
) {
    let Some((name, at)) = qos.policy else { return };
    let Some(policy) = config.policies.get(name) else {
        let text = format!("service-policy {name}: there is no policy-map of this name");
        return notes.add(NoteKind::Unresolved, Some(port), text, at);
    };
    used.insert(name);
    for (class, at) in &policy.classes {
        if *class != "class-default" && !config.classes.contains_key(class) {
            let text = format!("policy-map {name}: there is no class-map {class}");
            notes.once(NoteKind::Unresolved, "class-map", class, &text, *at);
        }
    }
    if let Some((act, _)) = policy.acts.first() {
        let text = format!("policy-map {name} decides in the place of trust: {act}");
        notes.add(NoteKind::Override, Some(port), text, at);
    }
}

/// What is defined and attached nowhere does nothing.
fn unused(config: &Config<'_>, used: &HashSet<&str>, notes: &mut Notes) {
    if config.interfaces.is_empty() {
        return; // a part of a configuration: the rest may attach it
    }
    let mut unattached: Vec<(&str, Origin)> = config
        .profiles
        .iter()
        .filter(|(name, _)| !used.contains(*name))
        .map(|(name, (_, at))| (*name, *at))
        .collect();
    let buffers = config.buffers.iter();
    let idle = buffers.filter(|(name, _)| !config.applied.contains_key(*name));
    unattached.extend(idle.map(|(name, at)| (*name, *at)));
    unattached.sort_by_key(|(_, at)| *at);
    for (name, at) in unattached {
        let text = format!("the profile {name} is defined and attached nowhere");
        notes.add(NoteKind::Remark, None, text, at);
    }
    for (name, at) in &config.applied {
        if !config.buffers.contains_key(name) {
            let text = format!("mmu queue profile {name} is applied and not defined");
            notes.add(NoteKind::Unresolved, None, text, *at);
        }
    }
}
