//! Settings → model: the ports of the switch.

use super::defaults;
use super::parse::{Config, Interface, PfcProfile, Policy, Qos, Said};
use super::queues::queues;
use crate::model::port::SharedMap;
use crate::model::{
    CodeMap, Device, Ecn, Fact, LinkPause, MapName, Mtu, MtuCounts, NoteKind, Origin, PfcMode,
    Port, Priorities, PriorityGroup, Reason, State, Trust,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{both_ways, no_marking};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// What ports share.
pub struct Shared<'c> {
    pub config: &'c Config,
    pub plain: Arc<Ecn>,
    queue: SharedMap,
    dscp: HashMap<&'c str, SharedMap>,
    dot1p: HashMap<&'c str, SharedMap>,
    pub marking: HashMap<&'c str, Arc<Ecn>>,
    pub used: HashSet<&'c str>,
}

/// Adds what the captures say to the device and its ports. Without the
/// configuration among them (`configured`) what no leaf says is no default.
pub fn read(
    device: &mut Device,
    ports: &mut Ports,
    config: &Config,
    configured: bool,
    notes: &mut Notes,
) {
    let text = |said: &Said<String>| match said {
        Some((text, at)) => Fact::explicit(text.clone(), *at),
        None => Fact::default(),
    };
    device.hostname = text(&config.hostname);
    device.os_version = text(&config.version);
    device.hardware = text(&config.hardware);
    // Subinterfaces by the interface that they are of.
    let mut below: HashMap<&str, Vec<&Qos>> = HashMap::new();
    let mut whole: HashMap<&str, &Qos> = HashMap::new();
    for (id, qos) in &config.qos {
        let named = qos.interface.as_deref().unwrap_or(id);
        let (name, sub) = named.split_once('.').unwrap_or((named, ""));
        match qos.subinterface.is_some() || !sub.is_empty() || id.contains('.') {
            true => below.entry(name).or_default().push(qos),
            false => {
                whole.insert(name, qos);
            }
        }
    }
    let mut shared = Shared {
        config,
        plain: Arc::new(no_marking(&defaults::NO_MARKING)),
        queue: class_to_queue(config),
        dscp: HashMap::new(),
        dot1p: HashMap::new(),
        marking: HashMap::new(),
        used: HashSet::new(),
    };
    let none = Qos::default();
    let named = config.interfaces.keys().map(String::as_str);
    let named = named
        .chain(whole.keys().copied())
        .chain(below.keys().copied());
    let fronts: BTreeSet<&str> = named.filter(|name| is_port(name)).collect();
    for name in fronts {
        let own = config.interfaces.get(name);
        let lag = own.and_then(|own| Some(own.lag.as_ref()?.0.as_str()));
        let of = lag.unwrap_or(name);
        let interface = config.interfaces.get(of).or(own);
        let qos = whole.get(of).copied().unwrap_or(&none);
        let subs = below.get(of).map(Vec::as_slice).unwrap_or_default();
        let mut port = Port::new(name);
        if let (Some(own), Some(interface)) = (own, interface) {
            link(&mut port, own, interface, qos, config, configured);
        }
        if configured {
            classify(&mut port, qos, subs, interface, &mut shared, notes);
            pfc(&mut port, qos, &mut shared, notes);
            queues(&mut port, qos, &mut shared, notes);
        }
        operational(&mut port, whole.get(name).copied().unwrap_or(qos));
        if let Some(place) = ports.get(name) {
            *place = port;
        }
    }
    unused(config, &shared.used, notes);
}

/// `ethernet-1/31`, `ethernet-1/31/2`.
fn is_port(name: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    name.strip_prefix("ethernet-")
        .is_some_and(|numbers| numbers.contains('/') && numbers.split('/').all(number))
}

fn fact<T: Clone>(said: &Said<T>, default: T, why: &'static Reason) -> Fact<T> {
    match said {
        Some((value, at)) => Fact::explicit(value.clone(), *at),
        None => Fact::default_of(default, why),
    }
}

fn link(
    port: &mut Port,
    own: &Interface,
    interface: &Interface,
    qos: &Qos,
    config: &Config,
    configured: bool,
) {
    if let Some((text, at)) = &own.description {
        port.description = Fact::explicit(text.clone(), *at);
    }
    port.speed_mbps = match own.speed {
        Some((speed, at)) => Fact::explicit(speed, at),
        None => Fact::unknown_at(&defaults::NO_SPEED, own.at),
    };
    let state = |on: &bool| if *on { State::Up } else { State::Down };
    if let Some((up, at)) = own.oper {
        port.oper = Fact::explicit(state(&up), at);
    }
    if !configured {
        return;
    }
    port.admin = fact(&own.enabled, true, &defaults::UP).map(state);
    let layer2 = interface.mtu.or(config.port_mtu);
    let layer2 = fact(&layer2, defaults::PORT_MTU, &defaults::PORT_MTU_WHY);
    port.mtu = Mtu::from_raw(layer2, MtuCounts::L2);
    // The MTU of the family wins: the smallest of the routed subinterfaces.
    let routed = interface.subinterfaces.values().filter(|sub| !sub.bridged);
    let routed = routed.map(|sub| {
        let said = sub.ip_mtu.or(config.ip_mtu);
        fact(&said, defaults::IP_MTU, &defaults::IP_MTU_WHY)
    });
    if let Some(least) = routed.min_by_key(Fact::get)
        && least.get() <= port.mtu.ip.get()
    {
        port.mtu = Mtu::from_raw(least, MtuCounts::Ip);
    }
    let exclusive = qos.pfc.is_some_and(|(on, _)| on);
    let pause = |said: &Said<bool>| match said {
        Some((on, at)) => Fact::explicit(*on, *at),
        None if exclusive => Fact::default_of(false, &defaults::EXCLUSIVE),
        None => Fact::unknown_at(&defaults::NO_FLOW_CONTROL, own.at),
    };
    port.link_pause = LinkPause {
        rx: pause(&own.receive),
        tx: pause(&own.transmit),
    };
}

/// The queue of a name: `unicast-3`, or by its index.
pub fn queue_index(config: &Config, name: &str) -> Option<u8> {
    let said = config.queues.get(name).map(|(index, _)| *index);
    said.or_else(|| {
        let number = name
            .strip_prefix("unicast-")
            .or(name.strip_prefix("queue-"))?;
        number.parse().ok().filter(|index| *index < 12)
    })
}

/// The number of a forwarding class: of its name, `fc3`, or else that of its
/// queue.
fn class_index(config: &Config, name: &str) -> Option<u8> {
    let number = name.strip_prefix("fc").and_then(|n| n.parse().ok());
    number.filter(|index: &u8| *index < 16).or_else(|| {
        let (queue, _) = config.classes.get(name)?;
        queue_index(config, queue)
    })
}

fn pfc_queue_index(config: &Config, name: &str) -> Option<u8> {
    let said = config.pfc_queues.get(name).map(|(index, _)| *index);
    said.or_else(|| {
        let number = name.strip_prefix("pfc")?.trim_start_matches('-');
        number.parse().ok().filter(|index| *index < 8)
    })
}

fn class_to_queue(config: &Config) -> SharedMap {
    let mut map = CodeMap::new();
    let mut first = None;
    for (class, (queue, at)) in &config.classes {
        let ends = class_index(config, class).zip(queue_index(config, queue));
        if let Some((class, queue)) = ends {
            map.set_explicit(class, queue, *at);
            first = first.max(Some(*at));
        }
    }
    (0..8).for_each(|n| map.fill_default(n, n, &defaults::CLASS_QUEUE));
    match first {
        Some(at) => Fact::explicit(Arc::new(map), at),
        None => Fact::default_of(Arc::new(map), &defaults::CLASS_QUEUE),
    }
}

fn classify<'c>(
    port: &mut Port,
    qos: &'c Qos,
    subs: &[&'c Qos],
    interface: Option<&Interface>,
    shared: &mut Shared<'c>,
    notes: &mut Notes,
) {
    let all = || subs.iter().copied().chain([qos]);
    let policies: Vec<_> = all().filter_map(|qos| qos.dscp_policy.as_ref()).collect();
    let tagged = all().find_map(|qos| qos.dot1p_policy.as_ref());
    port.trust = match (policies.first(), tagged) {
        (Some((_, at)), _) => Fact::explicit(Trust::Dscp, *at),
        (None, Some((_, at))) => Fact::explicit(Trust::Pcp, *at),
        (None, None) => Fact::default_of(Trust::Dscp, &defaults::TRUST),
    };
    // Each subinterface has its own: one map stands for them where they agree.
    let count = interface.map_or(0, |interface| interface.subinterfaces.len());
    let without = count.saturating_sub(policies.len());
    let one = policies.first().filter(|(name, _)| {
        let same = policies.iter().all(|(other, _)| other == name);
        same && without == 0
    });
    let dscp = match (one, policies.first()) {
        (Some((name, at)), _) => policy(
            name,
            *at,
            &shared.config.dscp_policies,
            &mut shared.dscp,
            (64, shared.config),
            (port.name.as_str(), notes),
        ),
        (None, Some((_, at))) => Fact::unknown_at(
            "its subinterfaces classify by different DSCP policies".to_owned(),
            *at,
        ),
        (None, None) => {
            let at = interface.map(|interface| interface.at);
            Fact::unknown_at(&defaults::DEFAULT_POLICY, at.unwrap_or_default())
        }
    };
    shared
        .used
        .extend(policies.iter().map(|(name, _)| name.as_str()));
    port.maps.set(MapName::DscpToTc, dscp);
    let pcp = match tagged {
        Some((name, at)) => {
            shared.used.insert(name);
            policy(
                name,
                *at,
                &shared.config.dot1p_policies,
                &mut shared.dot1p,
                (8, shared.config),
                (port.name.as_str(), notes),
            )
        }
        None => Fact::unknown(&defaults::NO_DOT1P),
    };
    port.maps.set(MapName::PcpToTc, pcp);
    port.maps.set(MapName::TcToQueue, shared.queue.clone());
    let rewritten = all().find_map(|qos| qos.rewrite.as_ref());
    let rewrite = match rewritten {
        Some((name, at)) => match shared.config.rewrites.get(name) {
            Some(entries) => {
                let mut map = CodeMap::new();
                for (class, (dscp, at)) in entries {
                    if let Some(class) = class_index(shared.config, class) {
                        map.set_explicit(class, *dscp, *at);
                    }
                }
                Fact::explicit(Arc::new(map), *at)
            }
            None => {
                let text = format!("there is no DSCP rewrite policy {name}");
                notes.add(NoteKind::Unresolved, Some(&port.name), text.clone(), *at);
                Fact::unknown_at(text, *at)
            }
        },
        None => Fact::default_of(Arc::new(CodeMap::new()), &defaults::NO_REWRITE),
    };
    shared.used.extend(rewritten.map(|(name, _)| name.as_str()));
    port.maps.set(MapName::TcToDscp, rewrite);
}

/// The map of a classifier policy; what it does not name is in class 0.
fn policy<'c>(
    name: &'c str,
    at: Origin,
    policies: &'c HashMap<String, Policy>,
    made: &mut HashMap<&'c str, SharedMap>,
    (keys, config): (u8, &Config),
    (port, notes): (&str, &mut Notes),
) -> SharedMap {
    if name == "default" {
        return Fact::unknown_at(&defaults::DEFAULT_POLICY, at);
    }
    let Some(policy) = policies.get(name) else {
        let text = format!("there is no classifier policy {name}");
        notes.add(NoteKind::Unresolved, Some(port), text.clone(), at);
        return Fact::unknown_at(text, at);
    };
    let made = made.entry(name).or_insert_with(|| {
        let mut map = CodeMap::new();
        for (code, (class, at)) in &policy.entries {
            match class_index(config, class) {
                Some(class) => map.set_explicit(*code, class, *at),
                None => {
                    map.complete = false;
                    let text = format!("there is no forwarding class {class}");
                    notes.once(NoteKind::Unresolved, "class", class, &text, *at);
                }
            }
        }
        if map.complete {
            (0..keys).for_each(|code| map.fill_default(code, 0, &defaults::NO_MATCH));
        }
        Fact::explicit(Arc::new(map), policy.at)
    });
    made.clone()
}

fn pfc<'c>(port: &mut Port, qos: &'c Qos, shared: &mut Shared<'c>, notes: &mut Notes) {
    let config = shared.config;
    let profile = qos
        .pfc_profile
        .as_ref()
        .filter(|(name, _)| name != "default");
    let found = profile.and_then(|(name, _)| config.pfc_profiles.get(name));
    if let (Some((name, at)), None) = (profile, found) {
        let text = format!("there is no pfc-mapping-profile {name}");
        notes.add(NoteKind::Unresolved, Some(&port.name), text, *at);
    }
    shared.used.extend(profile.map(|(name, _)| name.as_str()));
    port.maps.set(MapName::TcToPg, Fact::NotApplicable);
    port.maps.set(MapName::PfcToPg, Fact::NotApplicable);
    port.maps.set(MapName::PfcToQueue, obeyed(found, config));
    let off = match qos.pfc {
        Some((true, _)) => None,
        Some((false, at)) => Some(Fact::explicit(Priorities::NONE, at)),
        None => Some(Fact::default_of(Priorities::NONE, &defaults::PFC_OFF)),
    };
    port.pfc.mode = match (&off, qos.pfc) {
        (None, Some((_, at))) => Fact::Default(PfcMode::On, (&defaults::PFC_STATIC).into(), at),
        (off, _) => off.clone().unwrap_or_default().map(|_| PfcMode::Off),
    };
    let at = qos.pfc.map(|(_, at)| at).unwrap_or_default();
    let missing = || match profile {
        Some((name, at)) => {
            Fact::unknown_at(format!("there is no pfc-mapping-profile {name}"), *at)
        }
        None => Fact::unknown_at(&defaults::DEFAULT_PROFILE, at),
    };
    (port.pfc.rx, port.pfc.tx) = match (off, found) {
        (Some(off), _) => (off.clone(), off),
        (None, None) => (missing(), missing()),
        (None, Some(found)) => (obeys(found), sends(found)),
    };
    port.pfc.enabled = both_ways(&port.pfc.tx, &port.pfc.rx);
    watchdog(port, found);
    let in_force = port.pfc.tx.get().is_some_and(|set| !set.is_empty());
    if let Some(found) = found.filter(|_| in_force) {
        groups(port, found, config);
    }
}

/// The priorities for which pause is sent.
fn sends(profile: &PfcProfile) -> Fact<Priorities> {
    if profile.sends.is_empty() {
        return Fact::unknown_at(&defaults::NO_TRAFFIC, profile.at);
    }
    let priorities = profile.sends.values().filter_map(|sends| sends.priority);
    let first = priorities.clone().next().map(|(_, at)| at);
    let set = priorities.map(|(priority, _)| priority).collect();
    Fact::explicit(set, first.unwrap_or(profile.at))
}

/// The priorities whose pause is obeyed.
fn obeys(profile: &PfcProfile) -> Fact<Priorities> {
    let on = profile.obeys.values().filter_map(|queue| {
        let (enabled, at) = queue.enabled?;
        let (priority, _) = queue.priority?;
        enabled.then_some((priority, at))
    });
    let first = on.clone().next().map(|(_, at)| at);
    let set = on.map(|(priority, _)| priority).collect();
    match first {
        Some(at) => Fact::explicit(set, at),
        None => Fact::Default(set, (&defaults::PFC_QUEUE_OFF).into(), profile.at),
    }
}

/// PFC priority → the queue that it stops.
fn obeyed(profile: Option<&PfcProfile>, config: &Config) -> SharedMap {
    let Some(profile) = profile else {
        return Fact::unknown(&defaults::DEFAULT_PROFILE);
    };
    let mut map = CodeMap::new();
    for (name, queue) in &profile.obeys {
        let ends = queue.priority.zip(queue_index(config, name));
        if let Some(((priority, at), index)) = ends {
            map.set_explicit(priority, index, at);
        }
    }
    Fact::explicit(Arc::new(map), profile.at)
}

/// The PFC queues as priority groups, and the maps that lead to them.
fn groups(port: &mut Port, profile: &PfcProfile, config: &Config) {
    let (mut filled, mut paused) = (CodeMap::new(), CodeMap::new());
    let mut groups: BTreeMap<u8, Origin> = BTreeMap::new();
    for (name, sends) in &profile.sends {
        let (Some(id), Some((priority, at))) = (pfc_queue_index(config, name), sends.priority)
        else {
            filled.complete = false;
            paused.complete = false;
            continue;
        };
        paused.set_explicit(priority, id, at);
        groups.insert(id, at);
        for (class, at) in &sends.classes {
            if let Some(class) = class_index(config, class) {
                filled.set_explicit(class, id, *at);
            }
        }
    }
    let fact = |map: CodeMap| Fact::explicit(Arc::new(map), profile.at);
    port.maps.set(MapName::TcToPg, fact(filled));
    port.maps.set(MapName::PfcToPg, fact(paused));
    for (id, at) in groups {
        let mut group = PriorityGroup::new(id);
        group.lossless = Fact::Default(true, (&defaults::PFC_GROUP).into(), at);
        Arc::make_mut(&mut group.buffer).headroom_bytes = Fact::unknown(&defaults::NO_SIZE);
        port.priority_groups.push(group);
    }
}

fn watchdog(port: &mut Port, profile: Option<&PfcProfile>) {
    let rx = port.pfc.rx.clone();
    let watchdog = &mut port.pfc.watchdog;
    let Some(profile) = profile else {
        let unknown = || Fact::unknown(&defaults::DEFAULT_PROFILE);
        watchdog.enabled = Fact::unknown(&defaults::DEFAULT_PROFILE);
        watchdog.priorities = Fact::unknown(&defaults::DEFAULT_PROFILE);
        (watchdog.detection_ms, watchdog.restoration_ms) = (unknown(), unknown());
        return;
    };
    watchdog.enabled = fact(&profile.deadlock, false, &defaults::WATCHDOG_OFF);
    watchdog.priorities = match rx.get() {
        Some(_) => Fact::default_of(Priorities::from_mask(u8::MAX), &defaults::WATCHDOG_ALL),
        None => rx,
    };
    let time = |said| fact(said, defaults::DEADLOCK_MS, &defaults::WATCHDOG_MS);
    watchdog.detection_ms = time(&profile.detection);
    watchdog.restoration_ms = time(&profile.recovery);
    watchdog.action = Fact::default_of("ignore".to_owned(), &defaults::WATCHDOG_ACTION);
}

/// What is in force, and the counters. Discards are of the whole port: none
/// means none of each priority.
fn operational(port: &mut Port, qos: &Qos) {
    if let Some((false, at)) = qos.pfc_up {
        port.pfc.operational = Fact::explicit(Priorities::NONE, at);
    } else if let (Some((true, at)), Some(set)) = (qos.pfc_up, port.pfc.enabled.get()) {
        port.pfc.operational = Fact::explicit(set, at);
    }
    port.counters.clone_from(&qos.counters);
    let (Some(counters), Some((discards, at))) = (&mut port.counters, qos.discards) else {
        return;
    };
    counters.drops = Fact::explicit(discards, at);
    for one in counters.by_priority.values_mut() {
        one.drops = match discards {
            0 => Fact::explicit(0, at),
            _ => Fact::unknown_at(
                "discards are counted of all priorities together".to_owned(),
                at,
            ),
        };
    }
}

/// What is defined and attached nowhere does nothing.
fn unused(config: &Config, used: &HashSet<&str>, notes: &mut Notes) {
    if config.interfaces.is_empty() {
        return; // a part of a configuration: the rest may attach it
    }
    let policies = config.dscp_policies.iter().chain(&config.dot1p_policies);
    let policies = policies.map(|(name, policy)| (name, policy.at));
    let pfc = config.pfc_profiles.iter().map(|(name, it)| (name, it.at));
    let slopes = config.profiles.iter().map(|(name, it)| (name, it.at));
    let schedulers = config.schedulers.iter().map(|(name, it)| (name, it.at));
    let all = policies.chain(pfc).chain(slopes).chain(schedulers);
    let mut idle: Vec<(&String, Origin)> = all
        .filter(|(name, _)| *name != "default" && !used.contains(name.as_str()))
        .collect();
    idle.sort_by(|a, b| (a.1, a.0).cmp(&(b.1, b.0)));
    for (name, at) in idle {
        let text = format!("{name} is defined and attached nowhere");
        notes.add(NoteKind::Unresolved, None, text, at);
    }
}
