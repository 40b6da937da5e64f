//! Settings → model: the ports of the switch.

use super::defaults;
use super::parse::{
    Binding, Class, Config, Field, Interface, Notification, Said, Scheduler, matches,
};
use crate::model::port::SharedMap;
use crate::model::{
    BufferPool, CodeMap, Device, Direction, Ecn, Fact, GroupBuffer, LineOnly, LinkPause, MapName,
    Milli, Mtu, MtuCounts, NoteKind, Origin, PfcMode, Port, Priorities, PriorityGroup, Queue,
    Reason, SchedulerKind, State, Trust,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{Weights, both_ways, lossless, no_marking};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Queues of a port.
const QUEUES: u8 = 8;
/// The partition of no-loss classes.
const LOSSLESS: &str = "lossless";

/// What ports of the same bindings share.
#[derive(Default)]
struct Shared {
    maps: HashMap<(Field, String), SharedMap>,
    rewrites: HashMap<String, SharedMap>,
    /// Queues of a scheduler map.
    served: HashMap<String, Vec<Serve>>,
}

#[derive(Clone)]
struct Serve {
    ecn: Arc<Ecn>,
    scheduler: Fact<SchedulerKind>,
    weight: Option<(u32, Origin)>,
    at: Origin,
}

/// Adds what a configuration says to the device and its ports.
pub fn read(device: &mut Device, ports: &mut Ports, config: &Config, notes: &mut Notes) {
    if let Some((name, at)) = &config.hostname {
        device.hostname = Fact::explicit(name.clone(), *at);
    }
    if let Some((version, at)) = &config.version {
        device.os_version = Fact::explicit(version.clone(), *at);
    }
    pools(device, config);
    let mut shared = Shared::default();
    for name in names(config) {
        let none = Interface::default();
        let interface = config.interfaces.get(&name).unwrap_or(&none);
        let range = range_of(config, &name);
        let bound = bound(config, &name, interface, range.as_deref());
        let mut port = Port::new(&*name);
        link(
            &mut port,
            interface,
            range.and_then(|r| config.interfaces.get(&r)),
            notes,
        );
        if config.interfaces.is_empty() {
            // A part of a configuration says nothing of its interfaces.
            port.mtu = Mtu::from_raw(Fact::unknown(&defaults::NO_INTERFACES), MtuCounts::L2);
        }
        maps(&mut port, config, &bound, &mut shared, notes);
        pfc(&mut port, interface, config, &bound, notes);
        queues(&mut port, config, &bound, &mut shared, notes);
        if let Some((class, at)) = &bound.class {
            let text =
                format!("all packets of the port go to the class {class}, whatever they carry");
            notes.add(NoteKind::Override, Some(&name), text, *at);
        }
        if let Some(place) = ports.get(&name) {
            *place = port;
        }
    }
}

/// Ports that carry packets: those of `interfaces`, members of ranges, and
/// names that class-of-service binds something to.
fn names(config: &Config) -> Vec<String> {
    let is_port = |name: &&String| {
        let kinds = ["et-", "xe-", "ge-", "mge-", "fte-"];
        kinds.iter().any(|kind| name.starts_with(kind)) && !name.contains('.')
    };
    let broken_out = |name: &&String| {
        let interface = config.interfaces.get(*name);
        !interface.is_some_and(|interface| interface.sub_ports)
    };
    let mut names: Vec<String> = config
        .interfaces
        .keys()
        .chain(config.ranges.values().flatten())
        .filter(|name| !name.contains(['*', '[']))
        .filter(is_port)
        .filter(broken_out)
        .cloned()
        .collect();
    let exact = config.bindings.iter().map(|(name, _)| name);
    names.extend(exact.filter(is_port).filter(|n| !n.contains('*')).cloned());
    if names.is_empty() {
        // A part of a configuration: its patterns stand for their ports.
        let patterns = config.bindings.iter().map(|(name, _)| name);
        names.extend(patterns.filter(is_port).cloned());
    }
    names.sort();
    names.dedup();
    names
}

fn range_of(config: &Config, name: &str) -> Option<String> {
    let mut ranges = config.ranges.iter();
    let member = |members: &Vec<String>| members.iter().any(|member| matches(member, name));
    let (range, _) = ranges.find(|(_, members)| member(members))?;
    Some(format!("interface-range {range}"))
}

/// What is bound to the port: by its name, that of its aggregate or range, or
/// a pattern; the more exact wins.
fn bound(config: &Config, name: &str, interface: &Interface, range: Option<&str>) -> Binding {
    let range = range.and_then(|range| range.strip_prefix("interface-range "));
    let exactness = |pattern: &str| {
        let of_lag = interface
            .lag
            .as_deref()
            .is_some_and(|lag| matches(pattern, lag));
        if pattern == name {
            Some(usize::MAX)
        } else if matches(pattern, name) || of_lag || range == Some(pattern) {
            Some(pattern.len() - pattern.matches('*').count() - usize::from(pattern == "all") * 3)
        } else {
            None
        }
    };
    let mut all: Vec<(usize, &Binding)> = config
        .bindings
        .iter()
        .filter_map(|(pattern, binding)| Some((exactness(pattern)?, binding)))
        .collect();
    all.sort_by_key(|(exact, _)| *exact);
    let mut bound = Binding::default();
    for (_, binding) in all {
        for (own, over) in [
            (&mut bound.notification, &binding.notification),
            (&mut bound.scheduler_map, &binding.scheduler_map),
            (&mut bound.dscp, &binding.dscp),
            (&mut bound.pcp, &binding.pcp),
            (&mut bound.rewrite, &binding.rewrite),
            (&mut bound.class, &binding.class),
        ] {
            if over.is_some() {
                own.clone_from(over);
            }
        }
    }
    bound
}

fn fact<T: Clone>(said: &Said<T>, default: T, why: &'static Reason) -> Fact<T> {
    match said {
        Some((value, at)) => Fact::explicit(value.clone(), *at),
        None => Fact::default_of(default, why),
    }
}

fn link(port: &mut Port, own: &Interface, range: Option<&Interface>, notes: &mut Notes) {
    if let Some((text, at)) = &own.description {
        port.description = Fact::explicit(text.clone(), *at);
    }
    let speed = own.speed.or(range.and_then(|range| range.speed));
    port.speed_mbps = match speed {
        Some((speed, at)) => Fact::explicit(speed, at),
        None => Fact::unknown(&defaults::NO_SPEED),
    };
    port.admin = match own.disabled {
        Some(at) => Fact::explicit(State::Down, at),
        None => Fact::default_of(State::Up, &defaults::UP),
    };
    let mtu = own.mtu.or(range.and_then(|range| range.mtu));
    port.mtu = Mtu::from_raw(fact(&mtu, defaults::MTU, &defaults::MTU_WHY), MtuCounts::L2);
    // The family's own MTU is what its packets may have.
    if let Some((bytes, at)) = own.inet_mtu.or(range.and_then(|range| range.inet_mtu)) {
        let media = port.mtu.ip.get();
        if media.is_some_and(|media| media < bytes) {
            let text = format!("family inet mtu {bytes} is more than the media MTU has room for");
            notes.add(NoteKind::Conflict, Some(&port.name), text, at);
        } else {
            port.mtu.ip = Fact::explicit(bytes, at);
        }
    }
}

fn class_queue<'c>(config: &'c Config, name: &str) -> Option<(&'c Class, u8)> {
    let class = config.classes.get(name)?;
    Some((class, class.queue?.0))
}

fn maps(port: &mut Port, config: &Config, bound: &Binding, shared: &mut Shared, notes: &mut Notes) {
    port.trust = match (&bound.dscp, &bound.pcp) {
        (Some((_, at)), Some(_)) => Fact::explicit(Trust::Both, *at),
        (Some((_, at)), None) => Fact::explicit(Trust::Dscp, *at),
        (None, Some((_, at))) => Fact::explicit(Trust::Pcp, *at),
        (None, None) => Fact::unknown(&defaults::NO_CLASSIFIER),
    };
    for (name, field, said, keys) in [
        (MapName::DscpToTc, Field::Dscp, &bound.dscp, 64),
        (MapName::PcpToTc, Field::Pcp, &bound.pcp, 8),
    ] {
        let map = match said {
            None => Fact::unknown(&defaults::NO_CLASSIFIER),
            Some((classifier, at)) => {
                let key = (field, classifier.clone());
                let made = shared.maps.entry(key);
                let made = made.or_insert_with_key(|key| classified(config, key, keys, *at, notes));
                made.clone()
            }
        };
        port.maps.set(name, map);
    }
    let mut straight = CodeMap::new();
    (0..QUEUES).for_each(|n| straight.fill_default(n, n, &defaults::QUEUE_NUMBER));
    port.maps.set(
        MapName::TcToQueue,
        Fact::default_of(Arc::new(straight), &defaults::QUEUE_NUMBER),
    );
    port.maps.set(MapName::TcToPg, groups(config));
    port.maps.set(MapName::PfcToPg, Fact::NotApplicable);
    let rewrite = match &bound.rewrite {
        None => Fact::default_of(Arc::new(CodeMap::new()), &defaults::NO_REWRITE),
        Some((name, at)) => {
            let made = shared.rewrites.entry(name.clone());
            let made = made.or_insert_with_key(|name| rewritten(config, name, *at, notes));
            made.clone()
        }
    };
    port.maps.set(MapName::TcToDscp, rewrite);
}

/// The PFC priority of each no-loss class: the group that its packets fill.
fn groups(config: &Config) -> SharedMap {
    let mut map = CodeMap::new();
    for class in config.classes.values() {
        if let (Some(_), Some((queue, _)), Some((priority, at))) =
            (class.no_loss, class.queue, class.priority)
        {
            map.set_explicit(queue, priority, at);
        }
    }
    match map.entries().first().map(|entry| entry.at) {
        Some(at) => Fact::explicit(Arc::new(map), at),
        None => Fact::NotApplicable,
    }
}

fn classified(
    config: &Config,
    key: &(Field, String),
    keys: u8,
    at: Origin,
    notes: &mut Notes,
) -> SharedMap {
    let Some(classifier) = config.classifiers.get(key) else {
        if key.1 == "default" {
            return Fact::unknown_at(&defaults::NO_CLASSIFIER, at);
        }
        let text = format!("classifier {}: there is none of this name", key.1);
        notes.add(NoteKind::Unresolved, None, text, at);
        return Fact::unknown_at(&defaults::NO_CLASSIFIER, at);
    };
    let mut map = CodeMap::new();
    for (code, (class, at)) in &classifier.codes {
        match class_queue(config, class) {
            Some((_, queue)) => map.set_explicit(*code, queue, *at),
            None if predefined(class).is_some() => {
                map.set_explicit(*code, predefined(class).unwrap_or(0), *at);
            }
            None => {
                let text = format!("forwarding-class {class}: there is none of this name");
                notes.once(NoteKind::Unresolved, "forwarding-class", class, &text, *at);
            }
        }
    }
    if let Some(at) = classifier.imports {
        map.complete = false;
        return Fact::explicit(Arc::new(map), at);
    }
    (0..keys).for_each(|code| map.fill_default(code, 0, &defaults::NOT_IN_CLASSIFIER));
    Fact::explicit(Arc::new(map), at)
}

/// Queues of the classes that QFX switches define by themselves.
fn predefined(class: &str) -> Option<u8> {
    Some(match class {
        "best-effort" => 0,
        "fcoe" => 3,
        "no-loss" => 4,
        "network-control" => 7,
        "mcast" => 8,
        _ => return None,
    })
}

fn rewritten(config: &Config, name: &str, at: Origin, notes: &mut Notes) -> SharedMap {
    let Some(rules) = config.rewrites.get(name) else {
        let text = format!("rewrite rule {name}: there is none of this name");
        notes.add(NoteKind::Unresolved, None, text, at);
        return Fact::default_of(Arc::new(CodeMap::new()), &defaults::NO_REWRITE);
    };
    let mut map = CodeMap::new();
    for (class, code, at) in rules {
        let queue = class_queue(config, class).map(|(_, queue)| queue);
        if let Some(queue) = queue.or(predefined(class)) {
            map.set_explicit(queue, *code, *at);
        }
    }
    Fact::explicit(Arc::new(map), at)
}

/// The no-loss class of a queue, with its PFC priority.
fn no_loss(config: &Config, queue: u8) -> Option<&Class> {
    let mut classes = config.classes.values();
    classes.find(|class| class.no_loss.is_some() && class.queue.map(|(q, _)| q) == Some(queue))
}

fn pfc(
    port: &mut Port,
    interface: &Interface,
    config: &Config,
    bound: &Binding,
    notes: &mut Notes,
) {
    let none = |why| Fact::default_of(Priorities::NONE, why);
    let notification = bound.notification.as_ref();
    let profile = notification.and_then(|(name, _)| config.notifications.get(name));
    port.link_pause = match (interface.flow_control, profile) {
        (Some((on, at)), _) => LinkPause {
            rx: Fact::explicit(on, at),
            tx: Fact::explicit(on, at),
        },
        (None, Some(_)) => LinkPause {
            rx: Fact::default_of(false, &defaults::NO_LINK_PAUSE),
            tx: Fact::default_of(false, &defaults::NO_LINK_PAUSE),
        },
        (None, None) => LinkPause {
            rx: Fact::unknown(&defaults::LINK_PAUSE_UNKNOWN),
            tx: Fact::unknown(&defaults::LINK_PAUSE_UNKNOWN),
        },
    };
    let mut stopped = CodeMap::new();
    let (tx, rx) = match (notification, profile) {
        (Some((name, at)), None) => {
            let text =
                format!("congestion-notification-profile {name}: there is none of this name");
            notes.once(NoteKind::Unresolved, "notification", name, &text, *at);
            (
                Fact::explicit(Priorities::NONE, *at),
                Fact::explicit(Priorities::NONE, *at),
            )
        }
        (None, _) => (none(&defaults::NO_PROFILE), none(&defaults::NO_PROFILE)),
        (Some((_, at)), Some(profile)) => {
            let output = outputs(profile, *at);
            for (priority, (queue, at)) in &output {
                stopped.set_explicit(*priority, *queue, *at);
            }
            (
                sends(config, profile, port, *at),
                obeys(config, profile, &output, *at),
            )
        }
    };
    port.maps.set(
        MapName::PfcToQueue,
        match notification {
            Some((_, at)) => Fact::explicit(Arc::new(stopped), *at),
            None => Fact::NotApplicable,
        },
    );
    port.pfc.mode = match (notification, profile) {
        (Some((_, at)), Some(_)) => Fact::Default(PfcMode::On, (&defaults::PFC_STATIC).into(), *at),
        _ => tx.map(|_| PfcMode::Off),
    };
    port.pfc.enabled = both_ways(&tx, &rx);
    for priority in tx.get().unwrap_or_default().iter() {
        let mut group = PriorityGroup::new(priority);
        group.lossless = Fact::Default(true, (&defaults::NO_DROP_GROUP).into(), tx.at());
        group.attached = LineOnly(tx.at());
        group.buffer = Arc::new(GroupBuffer {
            headroom_bytes: Fact::unknown(&defaults::NO_SIZE),
            pool: Fact::Default(
                LOSSLESS.to_owned(),
                (&defaults::NO_DROP_GROUP).into(),
                tx.at(),
            ),
            ..GroupBuffer::default()
        });
        port.priority_groups.push(group);
    }
    (port.pfc.tx, port.pfc.rx) = (tx, rx);
    if let Some((metres, at)) = profile.and_then(|profile| profile.cable) {
        port.cable_m = Fact::explicit(metres, at);
    }
    watchdog(port, profile);
}

/// Which queue obeys pause of which priority.
fn outputs(profile: &Notification, at: Origin) -> BTreeMap<u8, (u8, Origin)> {
    match profile.has_output {
        true => profile.output.clone(),
        false => [3, 4].into_iter().map(|n| (n, (n, at))).collect(),
    }
}

/// The priorities that pause is sent for: those of the code points of the
/// input stanza, if their class is no-loss.
fn sends(config: &Config, profile: &Notification, port: &Port, at: Origin) -> Fact<Priorities> {
    if !profile.has_input {
        return Fact::Default(Priorities::NONE, (&defaults::NO_INPUT).into(), profile.at);
    }
    if !profile.dscp.is_empty() && !port.maps.get(MapName::DscpToTc).is_known() {
        return Fact::unknown_at(&defaults::NO_CLASSIFIER, at);
    }
    let mut set = Priorities::NONE;
    let mut line = None;
    for (code, own) in &profile.dscp {
        let queue = port.maps.value(MapName::DscpToTc, *code);
        let class = queue.and_then(|queue| no_loss(config, queue));
        if let Some((priority, _)) = class.and_then(|class| class.priority) {
            set.insert(priority);
            line.get_or_insert(*own);
        }
    }
    for (priority, own) in &profile.pcp {
        let by_class = config.classes.values().any(|class| {
            class.no_loss.is_some() && class.priority.map(|(p, _)| p) == Some(*priority)
        });
        let queue = port.maps.value(MapName::PcpToTc, *priority);
        if by_class || queue.is_some_and(|queue| no_loss(config, queue).is_some()) {
            set.insert(*priority);
            line.get_or_insert(*own);
        }
    }
    Fact::explicit(set, line.unwrap_or(at))
}

/// The priorities whose pause is obeyed by the queue of a no-loss class.
fn obeys(
    config: &Config,
    profile: &Notification,
    output: &BTreeMap<u8, (u8, Origin)>,
    at: Origin,
) -> Fact<Priorities> {
    let lossless = |queue: u8| {
        no_loss(config, queue).is_some() || (config.classes.is_empty() && matches!(queue, 3 | 4))
    };
    let obeyed = output.iter().filter(|(_, (queue, _))| lossless(*queue));
    let set: Priorities = obeyed.clone().map(|(priority, _)| *priority).collect();
    match (profile.has_output, obeyed.map(|(_, (_, at))| *at).next()) {
        (true, line) => Fact::explicit(set, line.unwrap_or(at)),
        (false, _) => Fact::Default(set, (&defaults::DEFAULT_OUTPUT).into(), profile.at),
    }
}

fn watchdog(port: &mut Port, profile: Option<&Notification>) {
    let Some(profile) = profile else {
        port.pfc.watchdog.enabled = Fact::default_of(false, &defaults::NO_PROFILE);
        let all = Priorities::from_mask(u8::MAX);
        port.pfc.watchdog.priorities = Fact::default_of(all, &defaults::WATCHES_OUTPUT);
        return;
    };
    let watchdog = &mut port.pfc.watchdog;
    watchdog.enabled = match profile.watchdog {
        Some(at) => Fact::explicit(true, at),
        None => Fact::Default(false, (&defaults::WATCHDOG_OFF).into(), profile.at),
    };
    let all = Priorities::from_mask(u8::MAX);
    watchdog.priorities = Fact::default_of(all, &defaults::WATCHES_OUTPUT);
    watchdog.detection_ms = fact(
        &profile.detection,
        defaults::DETECTION_MS,
        &defaults::WATCHDOG_DETECTION,
    );
    watchdog.restoration_ms = fact(
        &profile.recovery,
        defaults::RECOVERY_MS,
        &defaults::WATCHDOG_RECOVERY,
    );
    watchdog.action = fact(
        &profile.action,
        "drop".to_owned(),
        &defaults::WATCHDOG_ACTION,
    );
}

fn queues(
    port: &mut Port,
    config: &Config,
    bound: &Binding,
    shared: &mut Shared,
    notes: &mut Notes,
) {
    let unsaid = |why: &'static Reason| Serve {
        ecn: Arc::new(Ecn {
            enabled: Fact::unknown(why),
            ..Ecn::default()
        }),
        scheduler: Fact::unknown(why),
        weight: None,
        at: Origin::NONE,
    };
    let served = match &bound.scheduler_map {
        None => vec![unsaid(&defaults::NO_SCHEDULER_MAP); usize::from(QUEUES)],
        Some((name, at)) => {
            let made = shared.served.entry(name.clone());
            let made = made.or_insert_with_key(|name| {
                let none = unsaid(&defaults::NOT_IN_MAP);
                serve(config, name, *at, &none, notes)
            });
            made.clone()
        }
    };
    let mut weights = Weights::default();
    for (id, of) in (0..QUEUES).zip(served) {
        let mut queue = Queue::new(id);
        queue.lossless = lossless(port, id, &defaults::NO_PFC_QUEUE);
        queue.limit_bytes = Fact::NotApplicable;
        weights.set(id, of.scheduler.get(), of.weight);
        (queue.ecn, queue.scheduler) = (of.ecn, of.scheduler);
        queue.attached = LineOnly(of.at);
        port.queues.push(queue);
    }
    weights.share(port);
}

fn serve(config: &Config, name: &str, at: Origin, none: &Serve, notes: &mut Notes) -> Vec<Serve> {
    let mut queues = vec![none.clone(); usize::from(QUEUES)];
    let Some(map) = config.scheduler_maps.get(name) else {
        let text = format!("scheduler-map {name}: there is none of this name");
        notes.add(NoteKind::Unresolved, None, text, at);
        return queues;
    };
    for (class, scheduler, at) in map {
        let queue = class_queue(config, class).map(|(_, queue)| queue);
        let Some(queue) = queue.or(predefined(class)) else {
            let text = format!("forwarding-class {class}: there is none of this name");
            notes.once(NoteKind::Unresolved, "forwarding-class", class, &text, *at);
            continue;
        };
        let Some(found) = config.schedulers.get(scheduler) else {
            let text = format!("scheduler {scheduler}: there is none of this name");
            notes.once(NoteKind::Unresolved, "scheduler", scheduler, &text, *at);
            continue;
        };
        if let Some(place) = queues.get_mut(usize::from(queue)) {
            *place = Serve {
                ecn: Arc::new(marking(config, found, notes)),
                scheduler: match found.strict {
                    Some((true, at)) => Fact::explicit(SchedulerKind::Strict, at),
                    Some((false, at)) => Fact::explicit(SchedulerKind::Weighted, at),
                    None => Fact::Default(
                        SchedulerKind::Weighted,
                        (&defaults::LOW_PRIORITY).into(),
                        found.at,
                    ),
                },
                weight: found.percent,
                at: *at,
            };
        }
    }
    queues
}

/// Thresholds are in percent of the queue.
fn marking(config: &Config, scheduler: &Scheduler, notes: &mut Notes) -> Ecn {
    let mut ecn = no_marking(&defaults::NO_MARKING);
    let profile = match &scheduler.profile {
        None => None,
        Some((name, at)) => {
            let found = config.profiles.get(name);
            if found.is_none() {
                let text = format!("drop-profile {name}: there is none of this name");
                notes.once(NoteKind::Unresolved, "drop-profile", name, &text, *at);
            }
            found.map(|profile| (profile, *at))
        }
    };
    let Some(at) = scheduler.ecn else {
        if let Some((_, at)) = profile {
            ecn.enabled = Fact::Default(false, (&defaults::NO_ECN).into(), at);
            ecn.wred_drop = Fact::explicit(true, at);
        }
        return ecn;
    };
    ecn.enabled = Fact::explicit(true, at);
    ecn.wred_drop = Fact::explicit(false, at);
    let percent = |value: Option<&u32>, at| match value {
        Some(percent) => Fact::explicit(Milli::whole(i64::from(*percent)), at),
        None => Fact::unknown_at(&defaults::NO_PROFILE_ECN, at),
    };
    let (fill, probability, at) = match profile {
        Some((profile, _)) => (
            profile.fill.as_slice(),
            profile.probability.as_slice(),
            profile.at,
        ),
        None => (&[][..], &[][..], at),
    };
    if fill.is_empty() {
        ecn.enabled = Fact::unknown_at(&defaults::NO_PROFILE_ECN, at);
    }
    ecn.min_percent = percent(fill.first(), at);
    ecn.max_percent = percent(fill.last(), at);
    ecn.probability_percent = percent(probability.last(), at);
    ecn
}

/// Partitions of the shared buffer. Only that one has nothing can be told in
/// bytes.
fn pools(device: &mut Device, config: &Config) {
    for (way, name, percent, at) in &config.partitions {
        let ingress = way == "ingress";
        if name != LOSSLESS || !ingress {
            continue;
        }
        device.buffer_pools.push(BufferPool {
            name: name.clone(),
            direction: Fact::explicit(Direction::Ingress, *at),
            mode: Fact::default(),
            size_bytes: match percent {
                0 => Fact::explicit(0, *at),
                // A share of the buffer of the model: some bytes.
                _ => Fact::NotApplicable,
            },
            headroom_bytes: Fact::unknown_at(&defaults::NO_SIZE, *at),
            oversubscription: Fact::NotApplicable,
        });
    }
}
