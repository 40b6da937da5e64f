//! Settings → model: the ports of the switch.

use super::defaults;
use super::parse::{Buffer, Config, Curve, Drops, Interface, Level, Queue, Said, Scheduling, Unit};
use super::parse::{Profile, port_speed};
use crate::model::port::SharedMap;
use crate::model::{
    BufferPool, CodeMap, Device, Direction, Ecn, Fact, GroupBuffer, LineOnly, LinkPause, MapName,
    Milli, Mtu, MtuCounts, NoteKind, Origin, PfcMode, Port, Priorities, PriorityGroup, Reason,
    SchedulerKind, State, Trust, Why,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{Weights, both_ways, lossless, no_marking};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What ports share.
struct Shared<'c, 't> {
    config: &'c Config<'t>,
    plain: Arc<Ecn>,
    queue: SharedMap,
    stopped: SharedMap,
    /// The maps of a DiffServ domain: from DSCP, from 802.1p, to DSCP.
    domains: HashMap<&'t str, [SharedMap; 3]>,
    used: HashSet<&'t str>,
}

/// Adds what a configuration says to the device and its ports.
pub fn read(device: &mut Device, ports: &mut Ports, config: &Config<'_>, notes: &mut Notes) {
    if let Some((name, at)) = config.hostname {
        device.hostname = Fact::explicit(name.to_owned(), at);
    }
    if let Some((version, at)) = config.version {
        device.os_version = Fact::explicit(version.to_owned(), at);
    }
    device.buffer_pools.extend(config.headroom.iter().map(pool));
    let straight = |why| {
        let mut map = CodeMap::new();
        (0..8).for_each(|n| map.fill_default(n, n, why));
        Fact::default_of(Arc::new(map), why)
    };
    let mut shared = Shared {
        config,
        plain: Arc::new(no_marking(&defaults::NO_MARKING)),
        queue: straight(&defaults::QUEUE_MAP),
        stopped: straight(&defaults::PFC_QUEUE),
        domains: HashMap::new(),
        used: HashSet::new(),
    };
    for interface in &config.interfaces {
        let trunk = interface.trunk.and_then(|number| config.trunks.get(number));
        let interface = match trunk {
            Some(trunk) => Cow::Owned(trunk.member(interface)),
            None => Cow::Borrowed(interface),
        };
        let mut port = Port::new(&*interface.name);
        link(&mut port, &interface);
        classify(&mut port, &interface, &mut shared, notes);
        pfc(&mut port, &interface, config, notes);
        queues(&mut port, &interface, &mut shared, notes);
        overridden(&interface, config, notes);
        if let Some(place) = ports.get(&interface.name) {
            *place = port;
        }
    }
    for (name, at) in &config.global_policies {
        config.policies.attached(None, name, *at, notes);
    }
    unused(config, &shared.used, notes);
}

fn pool((slot, bytes, at): &(&str, u64, Origin)) -> BufferPool {
    BufferPool {
        name: format!("headroom pool of slot {slot}"),
        direction: Fact::explicit(Direction::Ingress, *at),
        mode: Fact::NotApplicable,
        size_bytes: Fact::NotApplicable,
        headroom_bytes: Fact::explicit(*bytes, *at),
        oversubscription: Fact::NotApplicable,
    }
}

fn fact<T: Clone>(said: &Said<T>, default: T, why: &'static Reason) -> Fact<T> {
    match said {
        Some((value, at)) => Fact::explicit(value.clone(), *at),
        None => Fact::default_of(default, why),
    }
}

/// A size; unknown where the line gives no number.
fn bytes(said: Said<Option<u32>>, default: u32, why: &'static Reason) -> Fact<u32> {
    match said {
        Some((Some(bytes), at)) => Fact::explicit(bytes, at),
        Some((None, at)) => Fact::unknown_at(&defaults::NO_NUMBER, at),
        None => Fact::default_of(default, why),
    }
}

fn routed(interface: &Interface<'_>) -> bool {
    interface.routed.is_some_and(|(routed, _)| routed)
}

fn link(port: &mut Port, interface: &Interface<'_>) {
    if let Some((text, at)) = interface.description {
        port.description = Fact::explicit(text.to_owned(), at);
    }
    port.speed_mbps = match (interface.speed, port_speed(&interface.name)) {
        (Some((speed, at)), _) => Fact::explicit(speed, at),
        (None, Some(speed)) => Fact::Default(speed, (&defaults::SPEED).into(), interface.at),
        (None, None) => Fact::default(),
    };
    if let Some((mode, at)) = interface.fec {
        port.fec = Fact::explicit(mode.to_owned(), at);
    }
    let shutdown = fact(&interface.shutdown, false, &defaults::UP);
    port.admin = shutdown.map(|down| if *down { State::Down } else { State::Up });
    let frame = bytes(interface.jumbo, defaults::JUMBO, &defaults::JUMBO_WHY);
    port.mtu = Mtu::from_raw(frame, MtuCounts::Frame);
    if routed(interface) {
        let routed = bytes(interface.mtu, defaults::MTU, &defaults::MTU_WHY);
        if routed.get() <= port.mtu.ip.get() {
            port.mtu = Mtu::from_raw(routed, MtuCounts::Ip);
        }
    }
    port.link_pause = LinkPause {
        rx: fact(&interface.flow_in, false, &defaults::LINK_PAUSE_OFF),
        tx: fact(&interface.flow_out, false, &defaults::LINK_PAUSE_OFF),
    };
}

fn classify<'t>(
    port: &mut Port,
    interface: &Interface<'t>,
    shared: &mut Shared<'_, 't>,
    notes: &mut Notes,
) {
    port.trust = match (interface.domain, interface.trust) {
        (Some((None, at)), _) => Fact::explicit(Trust::None, at),
        (_, Some((trust, at))) => Fact::explicit(trust, at),
        _ if routed(interface) => Fact::default_of(Trust::Dscp, &defaults::TRUST_ROUTED),
        _ => Fact::default_of(Trust::Pcp, &defaults::TRUST_SWITCHED),
    };
    port.maps.set(MapName::TcToQueue, shared.queue.clone());
    port.maps.set(MapName::PfcToQueue, shared.stopped.clone());
    let (name, at) = match interface.domain {
        Some((Some(name), at)) => (name, at),
        _ => ("default", Origin::NONE),
    };
    let domain = shared.config.domains.get(name);
    if name != "default" && domain.is_none() {
        let text = format!("trust upstream {name}: there is no diffserv domain of this name");
        for map in [MapName::DscpToTc, MapName::PcpToTc] {
            port.maps.set(map, Fact::unknown_at(text.clone(), at));
        }
        port.maps.set(MapName::TcToDscp, no_rewrite());
        return notes.add(NoteKind::Unresolved, Some(&port.name), text, at);
    }
    shared.used.insert(name);
    let maps = shared.domains.entry(name).or_insert_with(|| {
        let none = super::parse::Domain::default();
        let domain = domain.unwrap_or(&none);
        let (dscp, pcp) = (&defaults::DSCP_MAP, &defaults::PCP_MAP);
        [
            map(&domain.dscp, 64, |dscp| dscp / 8, dscp),
            map(&domain.pcp, 8, |pcp| pcp, pcp),
            map(
                &domain.out,
                8,
                |tc| {
                    defaults::DSCP_OUT
                        .get(usize::from(tc))
                        .copied()
                        .unwrap_or(0)
                },
                &defaults::REWRITE_MAP,
            ),
        ]
    });
    port.maps.set(MapName::DscpToTc, maps[0].clone());
    port.maps.set(MapName::PcpToTc, maps[1].clone());
    let rewrite = match interface.marking {
        Some((true, at)) => match &maps[2] {
            Fact::Default(map, why, _) => Fact::Default(Arc::clone(map), why.clone(), at),
            explicit => explicit.clone(),
        },
        Some((false, at)) => Fact::explicit(Arc::new(CodeMap::new()), at),
        None => no_rewrite(),
    };
    port.maps.set(MapName::TcToDscp, rewrite);
}

fn no_rewrite() -> SharedMap {
    Fact::default_of(Arc::new(CodeMap::new()), &defaults::NO_REWRITE)
}

fn map(
    said: &std::collections::BTreeMap<u8, (u8, Origin)>,
    keys: u8,
    default: impl Fn(u8) -> u8,
    why: &'static Reason,
) -> SharedMap {
    let mut map = CodeMap::new();
    for (key, (value, at)) in said {
        map.set_explicit(*key, *value, *at);
    }
    (0..keys).for_each(|key| map.fill_default(key, default(key), why));
    match said.values().next() {
        Some((_, at)) => Fact::explicit(Arc::new(map), *at),
        None => Fact::default_of(Arc::new(map), why),
    }
}

/// The priorities of the profile that a port applies, with the line that says
/// so; nothing where PFC is not applied.
fn applied<'c>(
    port: &str,
    interface: &Interface<'_>,
    config: &'c Config<'_>,
    notes: &mut Notes,
) -> (Fact<Priorities>, Option<&'c Profile>) {
    let (enabled, at) = match interface.pfc {
        _ if config.pfc_off.is_some() => {
            let at = config.pfc_off.unwrap_or_default();
            return (Fact::explicit(Priorities::NONE, at), None);
        }
        Some((Some(enabled), at)) => (enabled, at),
        Some((None, at)) => return (Fact::explicit(Priorities::NONE, at), None),
        None => {
            let set = match interface.pfc_of_trunk {
                Some(at) => Fact::unknown_at(&defaults::PFC_OF_TRUNK, at),
                None => Fact::default_of(Priorities::NONE, &defaults::PFC_OFF),
            };
            return (set, None);
        }
    };
    let name = enabled.profile.unwrap_or("default");
    let profile = config.profiles.get(name);
    let lines = profile.map(|profile| &profile.priorities);
    let first = lines.and_then(|lines| lines.iter().flatten().next());
    match (profile, first) {
        (None, _) if name != "default" => {
            let text = format!("dcb pfc enable {name}: there is no PFC profile of this name");
            notes.add(NoteKind::Unresolved, Some(port), text, at);
            let why = (&defaults::PFC_OFF).into();
            (Fact::Default(Priorities::NONE, why, at), None)
        }
        (_, Some(first)) => {
            let lines = lines.into_iter().flatten().enumerate();
            let set = lines.filter(|(_, line)| line.is_some());
            let set = set.map(|(n, _)| n as u8).collect();
            (Fact::explicit(set, *first), profile)
        }
        (_, None) => {
            let set = [defaults::PRIORITY].into_iter().collect();
            let why = (&defaults::PFC_PRIORITY).into();
            (Fact::Default(set, why, at), profile)
        }
    }
}

fn pfc(port: &mut Port, interface: &Interface<'_>, config: &Config<'_>, notes: &mut Notes) {
    let (set, profile) = applied(&port.name, interface, config, notes);
    let enabled = interface.pfc.filter(|_| config.pfc_off.is_none());
    let enabled = enabled.and_then(|(enabled, at)| Some((enabled?, at)));
    port.pfc.mode = match enabled {
        _ if set.get() == Some(Priorities::NONE) => set.map(|_| PfcMode::Off),
        Some((pfc, at)) => match pfc.negotiated {
            Some(true) => Fact::explicit(PfcMode::Auto, at),
            Some(false) => Fact::explicit(PfcMode::On, at),
            None => Fact::Default(PfcMode::On, (&defaults::PFC_STATIC).into(), at),
        },
        None => set.map(|_| PfcMode::Off),
    };
    watchdog(port, &set, profile, config);
    let in_force = match enabled {
        Some((pfc, at)) if pfc.negotiated == Some(true) && set.get() != Some(Priorities::NONE) => {
            Fact::unknown_at(&defaults::NEGOTIATED, at)
        }
        _ => set,
    };
    port.pfc.rx = in_force.clone();
    port.pfc.tx = match in_force.get() {
        Some(set) if !set.is_empty() && by_tag(port, config) => {
            Fact::unknown_at(&defaults::BY_TAG, in_force.at())
        }
        _ => in_force.clone(),
    };
    port.pfc.enabled = both_ways(&port.pfc.tx, &port.pfc.rx);
    for priority in in_force.get().unwrap_or_default().iter() {
        let mut group = PriorityGroup::new(priority);
        group.lossless = Fact::Default(true, (&defaults::NO_DROP_GROUP).into(), in_force.at());
        let none = Buffer::default();
        group.buffer = Arc::new(sizes(interface.buffers.get(&priority).unwrap_or(&none)));
        port.priority_groups.push(group);
    }
}

/// Whether pause follows the tag of a packet although the port classifies by
/// its DSCP. Only the models that need a headroom pool have the choice.
fn by_tag(port: &Port, config: &Config<'_>) -> bool {
    let numbers = port.name.split_once("GE").map(|(_, numbers)| numbers);
    let slot = numbers.and_then(|numbers| numbers.split('/').next());
    let slot = slot.unwrap_or_default();
    port.trust.get() == Some(Trust::Dscp)
        && config.headroom.iter().any(|(own, ..)| *own == slot)
        && !config.by_internal.contains_key(slot)
}

fn watchdog(
    port: &mut Port,
    set: &Fact<Priorities>,
    profile: Option<&Profile>,
    config: &Config<'_>,
) {
    let watchdog = &mut port.pfc.watchdog;
    watchdog.priorities = match set.get() {
        Some(_) => Fact::default_of(Priorities::from_mask(u8::MAX), &defaults::WATCHDOG_ALL),
        None => set.clone(),
    };
    let precision = config
        .precision_ms
        .map_or(defaults::PRECISION_MS, |(ms, _)| ms);
    // The slowest of the priorities in the profile.
    let slowest = |times: &[Said<u32>; 8]| {
        let times = times.iter().flatten();
        let slowest = times.max_by_key(|(steps, _)| *steps)?;
        Some((slowest.0.saturating_mul(precision), slowest.1))
    };
    let time = |own: Said<u32>, all: Said<u32>| match own.or(all) {
        Some((ms, at)) => Fact::explicit(ms, at),
        None => Fact::default_of(defaults::DEADLOCK_MS, &defaults::WATCHDOG_MS),
    };
    let own = profile.and_then(|profile| slowest(&profile.detection));
    watchdog.enabled = match own.or(config.detection_ms) {
        Some((_, at)) => Fact::explicit(true, at),
        None => Fact::unknown(&defaults::WATCHDOG),
    };
    watchdog.detection_ms = time(own, config.detection_ms);
    let own = profile.and_then(|profile| slowest(&profile.recovery));
    watchdog.restoration_ms = time(own, config.recovery_ms);
    watchdog.action = match config.behavior {
        Some((act, at)) => Fact::explicit(act.to_owned(), at),
        None => Fact::unknown(&defaults::WATCHDOG_ACTION),
    };
}

fn sizes(said: &Buffer) -> GroupBuffer {
    let size = |said: Said<Option<u64>>| match said {
        Some((Some(bytes), at)) => Fact::explicit(bytes, at),
        Some((None, at)) => Fact::unknown_at(&defaults::CELLS, at),
        None => Fact::unknown(&defaults::NO_SIZE),
    };
    let level = |said: Said<Level>| match said {
        Some((Level::Static(bytes), at)) => size(Some((bytes, at))),
        Some((Level::Dynamic, _)) => Fact::NotApplicable,
        None => Fact::unknown(&defaults::NO_SIZE),
    };
    let below = |(offset, at): (Option<u64>, Origin)| match said.xoff {
        Some((Level::Static(Some(xoff)), _)) => {
            size(Some((offset.map(|offset| xoff.saturating_sub(offset)), at)))
        }
        _ => Fact::unknown_at(&defaults::NO_SIZE, at),
    };
    GroupBuffer {
        headroom_bytes: size(said.headroom),
        reserved_bytes: size(said.guaranteed),
        pause_at_bytes: level(said.xoff),
        resume_at_bytes: match (said.offset, said.xon) {
            (Some(offset), _) => below(offset),
            (None, xon) => level(xon),
        },
        alpha: match said.xoff {
            Some((Level::Dynamic, at)) => Fact::unknown_at(&defaults::ALPHA, at),
            _ => Fact::NotApplicable,
        },
        pool: Fact::NotApplicable,
    }
}

fn queues<'t>(
    port: &mut Port,
    interface: &Interface<'t>,
    shared: &mut Shared<'_, 't>,
    notes: &mut Notes,
) {
    let mut weights = Weights::default();
    let plain = Queue::default();
    for id in 0..8 {
        let said = interface.queues.get(&id).unwrap_or(&plain);
        let mut queue = crate::model::Queue::new(id);
        queue.lossless = lossless(port, id, &defaults::NO_PFC_QUEUE);
        queue.attached = LineOnly(said.drops.map(|(_, at)| at).unwrap_or_default());
        queue.ecn = marking(port, id, said, shared, notes);
        queue.scheduler = match said.scheduling {
            Some((Scheduling::Strict, at)) => Fact::explicit(SchedulerKind::Strict, at),
            Some((Scheduling::Weighted, at)) => Fact::explicit(SchedulerKind::Weighted, at),
            Some((Scheduling::Last, at)) => Fact::unknown_at(&defaults::LAST, at),
            None => Fact::default_of(SchedulerKind::Strict, &defaults::STRICT),
        };
        let weight = match (said.weight, said.scheduling) {
            (None, Some((Scheduling::Weighted, at))) => Some((defaults::WEIGHT, at)),
            (weight, _) => weight,
        };
        weights.set(id, queue.scheduler.get(), weight);
        queue.limit_bytes = match said.limit {
            Some((Some(bytes), at)) => Fact::explicit(bytes, at),
            _ => Fact::NotApplicable,
        };
        port.queues.push(queue);
    }
    weights.share(port);
    // A weight that no line gives is 1.
    for queue in &mut port.queues {
        let said = interface
            .queues
            .get(&queue.id)
            .and_then(|queue| queue.weight);
        if let (Fact::Explicit(share, at), None) = (&queue.share_percent, said) {
            queue.share_percent = Fact::Default(*share, (&defaults::WEIGHT_WHY).into(), *at);
        }
    }
}

fn marking<'t>(
    port: &Port,
    id: u8,
    said: &Queue<'t>,
    shared: &mut Shared<'_, 't>,
    notes: &mut Notes,
) -> Arc<Ecn> {
    let config = shared.config;
    let profile = said.drops.and_then(|(name, at)| {
        shared.used.insert(name);
        let profile = config.drops.get(name);
        // `default` is there without a line, and drops only when it is full.
        if profile.is_none() && name != "default" {
            let text = format!("qos queue {id} wred {name}: there is no drop-profile of this name");
            notes.add(NoteKind::Unresolved, Some(&port.name), text, at);
        }
        profile
    });
    let by_itself = ai_ecn(port, id, config);
    let marks = said.ecn.filter(|(on, _)| *on);
    match (by_itself, marks, profile) {
        (Some(at), ..) => Arc::new(moving(at, &defaults::AI_ECN)),
        (None, Some((_, at)), _) if config.low_latency.is_some() => {
            Arc::new(moving(at, &defaults::LOW_LATENCY))
        }
        (None, Some((_, at)), profile) => Arc::new(marked(at, profile)),
        (None, None, Some(drops)) if drops_early(drops) => {
            let mut ecn = no_marking(&defaults::NO_MARKING);
            if let Some((_, at)) = drops.green {
                ecn.wred_drop = Fact::explicit(true, at);
            }
            Arc::new(ecn)
        }
        (None, None, _) => match said.ecn {
            Some((_, at)) => {
                let mut ecn = no_marking(&defaults::NO_MARKING);
                ecn.enabled = Fact::explicit(false, at);
                Arc::new(ecn)
            }
            None => Arc::clone(&shared.plain),
        },
    }
}

/// The line that gives a queue to AI ECN, which acts on PFC queues only.
fn ai_ecn(port: &Port, id: u8, config: &Config<'_>) -> Option<Origin> {
    let on = config.ai_ecn.is_some_and(|(on, _)| on);
    let assigned = config.ai_queues.get(usize::from(id)).copied().flatten()?;
    let set = port.pfc.rx.get().unwrap_or_default();
    (on && set.contains(id)).then_some(assigned)
}

/// Marking between thresholds that the switch moves.
fn moving(at: Origin, why: &'static Reason) -> Ecn {
    let unknown = || Fact::unknown_at(why, at);
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: unknown(),
        max_bytes: unknown(),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::unknown_at(why, at),
        wred_drop: Fact::default_of(false, &defaults::NO_MARKING),
    }
}

fn drops_early(drops: &Drops) -> bool {
    let tail = |curve: Curve| curve.unit == Unit::Percent && curve.low >= 100;
    drops.green.is_some_and(|(curve, _)| !tail(curve))
}

/// Marking by a drop profile: by its `ecn` line, or else by that of green.
fn marked(at: Origin, profile: Option<&Drops>) -> Ecn {
    let curve = profile.and_then(|drops| drops.ecn.or(drops.green));
    let Some((curve, line)) = curve else {
        let mut ecn = moving(at, &defaults::NO_PROFILE);
        ecn.enabled = Fact::unknown_at(&defaults::NO_PROFILE, at);
        return ecn;
    };
    let size = |number: u64| match curve.unit {
        Unit::Bytes => Fact::explicit(number, line),
        Unit::Cells => Fact::unknown_at(Why::from(&defaults::CELLS), line),
        Unit::Percent => Fact::NotApplicable,
    };
    let percent = |number: u64| match curve.unit {
        Unit::Percent => Fact::explicit(Milli::whole(number as i64), line),
        Unit::Bytes | Unit::Cells => Fact::NotApplicable,
    };
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: size(curve.low),
        max_bytes: size(curve.high),
        min_percent: percent(curve.low),
        max_percent: percent(curve.high),
        probability_percent: Fact::explicit(Milli::whole(i64::from(curve.probability)), line),
        wred_drop: Fact::default_of(false, &defaults::NO_MARKING),
    }
}

fn overridden(interface: &Interface<'_>, config: &Config<'_>, notes: &mut Notes) {
    for (name, at) in &interface.policies {
        let port = Some(&*interface.name);
        config.policies.attached(port, name, *at, notes);
    }
    if let Some((what, at)) = interface.policer {
        let text = format!("{what} limits the rate of the whole port");
        notes.add(NoteKind::Override, Some(&interface.name), text, at);
    }
}

/// What is defined and attached nowhere does nothing.
fn unused(config: &Config<'_>, used: &HashSet<&str>, notes: &mut Notes) {
    if config.interfaces.is_empty() {
        return; // a part of a configuration: the rest may attach it
    }
    let applied = config.interfaces.iter().filter_map(|interface| {
        let (enabled, _) = interface.pfc?;
        enabled?.profile
    });
    let policies = config.interfaces.iter().chain(config.trunks.values());
    let policies = policies.flat_map(|interface| &interface.policies);
    let policies = policies
        .chain(&config.global_policies)
        .map(|(name, _)| *name);
    let used = used.iter().copied().chain(applied).chain(policies);
    let used: HashSet<&str> = used.collect();
    let domains = config
        .domains
        .iter()
        .map(|(name, domain)| (*name, domain.at));
    let drops = config.drops.iter().map(|(name, drops)| (*name, drops.at));
    let profiles = config
        .profiles
        .iter()
        .map(|(name, profile)| (*name, profile.at));
    let all = domains
        .chain(drops)
        .chain(profiles)
        .chain(config.policies.all());
    let mut idle: Vec<(&str, Origin)> = all
        .filter(|(name, _)| *name != "default" && !used.contains(name))
        .collect();
    idle.sort_by_key(|(_, at)| *at);
    for (name, at) in idle {
        let text = format!("{name} is defined and attached nowhere");
        notes.add(NoteKind::Unresolved, None, text, at);
    }
}
