//! Classes and policies → model: the ports of the switch.

use super::defaults;
use super::parse::{Attached, Config, Interface, NetworkClass, QosPolicy, QueuingClass, Said};
use crate::model::port::SharedMap;
use crate::model::{
    CodeMap, Device, Ecn, Fact, GroupBuffer, LineOnly, LinkPause, MapName, Milli, Mtu, MtuCounts,
    NoteKind, Origin, PfcMode, Port, Priorities, PriorityGroup, Queue, Reason, SchedulerKind,
    State, Trust,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{Weights, lossless, no_marking};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Queues of a port.
const QUEUES: u8 = 8;

/// How packets are classified, shared by the ports of one policy.
#[derive(Clone)]
struct Classified {
    trust: Fact<Trust>,
    dscp: SharedMap,
    pcp: SharedMap,
    rewrite: SharedMap,
}

/// How queues are served, shared by the ports of one policy.
#[derive(Clone, Default)]
struct Served {
    queues: Vec<Serve>,
}

#[derive(Clone)]
struct Serve {
    ecn: Arc<Ecn>,
    scheduler: Fact<SchedulerKind>,
    /// In hundredths of a percent of the weighted rest.
    weight: Option<(u32, Origin)>,
    at: Origin,
}

/// What the attached network-qos policy makes lossless.
#[derive(Default)]
struct NoDrop {
    /// By priority: its qos-group, and the line.
    groups: BTreeMap<u8, (u8, Origin)>,
    /// A pause class whose priority or group is not known.
    unclear: Option<Origin>,
    mtu: BTreeMap<u8, (u32, Origin)>,
}

/// Adds what a configuration says to the device and its ports.
pub fn read(device: &mut Device, ports: &mut Ports, config: &Config<'_>, notes: &mut Notes) {
    if let Some((name, at)) = config.hostname {
        device.hostname = Fact::explicit(name.to_owned(), at);
    }
    if let Some((version, at)) = config.version {
        device.os_version = Fact::explicit(version.to_owned(), at);
    }
    let no_drop = no_drop(config, notes);
    let mut classified: HashMap<&str, Classified> = HashMap::new();
    let mut served: HashMap<&str, Served> = HashMap::new();
    let mut buffers: HashMap<&str, BTreeMap<u8, Arc<GroupBuffer>>> = HashMap::new();
    for interface in &config.interfaces {
        let lag = interface.lag.and_then(|number| config.lags.get(number));
        let attached = attached(config, interface, lag);
        let mut port = Port::new(&*interface.name);
        link(&mut port, interface, lag, &no_drop, notes);
        let name = attached.qos.map_or("", |(name, _)| name);
        let of_policy = classified
            .entry(name)
            .or_insert_with(|| classify(config, &attached, notes));
        port.trust = of_policy.trust.clone();
        port.maps.set(MapName::DscpToTc, of_policy.dscp.clone());
        port.maps.set(MapName::PcpToTc, of_policy.pcp.clone());
        port.maps.set(MapName::TcToDscp, of_policy.rewrite.clone());
        told_of_port(&interface.name, config, &attached, notes);
        let input = attached.queuing_in.map_or("", |(name, _)| name);
        let sizes = buffers
            .entry(input)
            .or_insert_with(|| group_buffers(config, &attached));
        pfc(&mut port, interface, lag, config, &no_drop, sizes);
        let output = attached.queuing_out.map_or("", |(name, _)| name);
        let of_policy = served
            .entry(output)
            .or_insert_with(|| serve(config, &attached, notes));
        queues(&mut port, of_policy);
        if let Some(place) = ports.get(&interface.name) {
            *place = port;
        }
    }
}

/// What is attached to the port, else to its port-channel, else to the system.
fn attached<'t>(
    config: &Config<'t>,
    interface: &Interface<'t>,
    lag: Option<&Interface<'t>>,
) -> Attached<'t> {
    let own = &interface.attached;
    let lag = lag.map(|lag| &lag.attached);
    let system = &config.system;
    Attached {
        qos: own.qos.or(lag.and_then(|lag| lag.qos)).or(system.qos),
        network: system.network,
        queuing_out: own
            .queuing_out
            .or(lag.and_then(|lag| lag.queuing_out))
            .or(system.queuing_out),
        queuing_in: own
            .queuing_in
            .or(lag.and_then(|lag| lag.queuing_in))
            .or(system.queuing_in),
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
    interface: &Interface<'_>,
    lag: Option<&Interface<'_>>,
    no_drop: &NoDrop,
    notes: &mut Notes,
) {
    if let Some((text, at)) = interface.description {
        port.description = Fact::explicit(text.to_owned(), at);
    }
    port.speed_mbps = match interface.speed {
        Some((speed, at)) => Fact::explicit(speed, at),
        None => Fact::unknown(&defaults::NO_SPEED),
    };
    if let Some((kind, at)) = interface.fec {
        port.fec = Fact::explicit(kind.to_owned(), at);
    }
    if let Some((down, at)) = interface.shutdown {
        port.admin = Fact::explicit(if down { State::Down } else { State::Up }, at);
    }
    let mtu = interface.mtu.or(lag.and_then(|lag| lag.mtu));
    let raw = fact(&mtu, defaults::MTU, &defaults::MTU_WHY);
    port.mtu = Mtu::from_raw(raw, MtuCounts::Ip);
    // The class carves its buffer for packets of its own size.
    for (group, _) in no_drop.groups.values() {
        if let (Some((bytes, at)), Some((own, _))) = (no_drop.mtu.get(group), mtu)
            && *bytes < own
        {
            let text = format!(
                "the no-drop class of qos-group {group} carves its buffer for packets of {bytes} \
                 bytes, and ports take up to {own}"
            );
            notes.once(
                NoteKind::Conflict,
                "class mtu",
                &group.to_string(),
                &text,
                *at,
            );
        }
    }
    port.link_pause = LinkPause {
        rx: fact(&interface.receive, false, &defaults::LINK_PAUSE_OFF),
        tx: fact(&interface.send, false, &defaults::LINK_PAUSE_OFF),
    };
}

/// The qos-group of a class by its system-defined name, else by what it matches.
fn group_of(config: &Config<'_>, name: &str, prefixes: &[&str]) -> Option<u8> {
    if let Some(group) = config.groups.get(name) {
        return Some(*group);
    }
    let rest = prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))?;
    match rest {
        "-default" => Some(0),
        number => number.parse().ok().filter(|group| *group < QUEUES),
    }
}

fn no_drop(config: &Config<'_>, notes: &mut Notes) -> NoDrop {
    let mut no_drop = NoDrop::default();
    let Some((name, at)) = config.system.network else {
        return no_drop;
    };
    let Some(policy) = config.network.get(name) else {
        if !name.starts_with("default-") {
            let text = format!("there is no policy-map {name} of type network-qos");
            notes.add(NoteKind::Unresolved, None, text, at);
        }
        return no_drop;
    };
    for class in &policy.classes {
        let group = match class.name {
            "class-default" => Some(0),
            "class-fcoe" => Some(1),
            name => group_of(config, name, &["c-8q-nq", "c-nq", "c-4q-nq"]),
        };
        let Some(group) = group else {
            let text = format!(
                "class {} is no class of type network-qos; what it sets is not in force",
                class.name
            );
            notes.add(NoteKind::Unresolved, None, text, class.at);
            continue;
        };
        if let Some(mtu) = class.mtu {
            no_drop.mtu.insert(group, mtu);
        }
        match paused(class) {
            Some(Ok((list, at))) => {
                no_drop
                    .groups
                    .extend(list.into_iter().map(|p| (p, (group, at))));
            }
            Some(Err(at)) => no_drop.unclear = Some(at),
            None => {}
        }
    }
    no_drop
}

/// The priorities that a class pauses; the line, where it does not tell them.
fn paused(class: &NetworkClass<'_>) -> Option<Result<(Vec<u8>, Origin), Origin>> {
    match (&class.pause, class.no_drop, class.cos) {
        (Some((list, at)), _, _) => Some(Ok((list.clone(), *at))),
        (None, Some(at), Some((cos, _))) => Some(Ok((vec![cos], at))),
        (None, Some(at), None) if class.name == "class-fcoe" => Some(Ok((vec![3], at))),
        (None, Some(at), None) => Some(Err(at)),
        (None, None, _) => None,
    }
}

/// Classes of the attached policy, the first that matches wins.
fn classify(config: &Config<'_>, attached: &Attached<'_>, notes: &mut Notes) -> Classified {
    let empty = || Fact::default_of(Arc::new(CodeMap::new()), &defaults::NO_REWRITE);
    let all_zero = |keys: u8, why: &'static Reason| {
        let mut map = CodeMap::new();
        (0..keys).for_each(|key| map.fill_default(key, 0, why));
        map
    };
    let none = |fact: Fact<Trust>, why: &'static Reason| Classified {
        trust: fact,
        dscp: Fact::default_of(Arc::new(all_zero(64, why)), why),
        pcp: Fact::default_of(Arc::new(all_zero(8, why)), why),
        rewrite: empty(),
    };
    let Some((name, at)) = attached.qos else {
        return none(
            Fact::default_of(Trust::None, &defaults::NO_POLICY),
            &defaults::NO_POLICY,
        );
    };
    let Some(policy) = config.qos.get(name) else {
        let text = format!("there is no policy-map {name} of type qos");
        notes.add(NoteKind::Unresolved, None, text, at);
        return none(Fact::explicit(Trust::None, at), &defaults::NO_POLICY);
    };
    let (mut dscp, mut pcp, mut rewrite) = (CodeMap::new(), CodeMap::new(), CodeMap::new());
    let (mut by_dscp, mut by_cos) = (false, false);
    for class in &policy.classes {
        let group = class.group.map_or(0, |(group, _)| group);
        let line = class.group.map_or(class.at, |(_, at)| at);
        if let (Some((code, at)), true) = (class.dscp, rewrite.get(group).is_none()) {
            rewrite.set_explicit(group, code, at);
        }
        let Some(map) = config.classes.get(class.name) else {
            if class.name == "class-default" {
                if let Some((group, at)) = class.group {
                    (0..64)
                        .filter(|k| dscp.get(*k).is_none())
                        .collect::<Vec<u8>>()
                        .into_iter()
                        .for_each(|k| dscp.set_explicit(k, group, at));
                    (0..8)
                        .filter(|k| pcp.get(*k).is_none())
                        .collect::<Vec<u8>>()
                        .into_iter()
                        .for_each(|k| pcp.set_explicit(k, group, at));
                }
            } else {
                let text = format!("there is no class-map {} of type qos", class.name);
                notes.once(
                    NoteKind::Unresolved,
                    "class-map",
                    class.name,
                    &text,
                    class.at,
                );
            }
            continue;
        };
        // With several kinds, match-all takes packets that fulfil each.
        if map.all && !map.dscp.is_empty() && !map.cos.is_empty() {
            let text = format!("class-map {} asks for a DSCP and a CoS at once", class.name);
            notes.once(NoteKind::Conflict, "class-map", class.name, &text, map.at);
            continue;
        }
        by_dscp |= !map.dscp.is_empty();
        by_cos |= !map.cos.is_empty();
        for (list, codes) in [(&map.dscp, &mut dscp), (&map.cos, &mut pcp)] {
            for code in list {
                if codes.get(*code).is_none() {
                    codes.set_explicit(*code, group, line);
                }
            }
        }
    }
    (0..64).for_each(|code| dscp.fill_default(code, 0, &defaults::CLASS_DEFAULT));
    (0..8).for_each(|code| pcp.fill_default(code, 0, &defaults::CLASS_DEFAULT));
    let trust = match (by_dscp, by_cos) {
        (true, false) => Trust::Dscp,
        (false, true) => Trust::Pcp,
        (true, true) => Trust::Both,
        (false, false) => Trust::None,
    };
    Classified {
        trust: Fact::explicit(trust, at),
        dscp: Fact::explicit(Arc::new(dscp), at),
        pcp: Fact::explicit(Arc::new(pcp), at),
        rewrite: match rewrite.entries().is_empty() {
            true => empty(),
            false => Fact::explicit(Arc::new(rewrite), at),
        },
    }
}

/// Classes that decide by something else than code points, and policers.
fn told_of_port(port: &str, config: &Config<'_>, attached: &Attached<'_>, notes: &mut Notes) {
    let policy = attached.qos.and_then(|(name, _)| config.qos.get(name));
    let Some(QosPolicy { classes }) = policy else {
        return;
    };
    for class in classes {
        if let Some(at) = class.polices {
            let text = format!("class {} polices its traffic", class.name);
            notes.add(NoteKind::Override, Some(port), text, at);
        }
        let other = config.classes.get(class.name).is_some_and(|map| map.other);
        if let (true, Some((group, at))) = (other, class.group) {
            let text = format!(
                "class {} takes packets by another match than their code point to qos-group {group}",
                class.name
            );
            notes.add(NoteKind::Override, Some(port), text, at);
        }
    }
}

/// Buffers of no-drop groups, where a policy on the way in sizes them.
fn group_buffers(config: &Config<'_>, attached: &Attached<'_>) -> BTreeMap<u8, Arc<GroupBuffer>> {
    let policy = attached
        .queuing_in
        .and_then(|(name, _)| config.queuing.get(name));
    let classes = policy.iter().flat_map(|policy| &policy.classes);
    classes
        .filter_map(|class| {
            let group = group_of(config, class.name, &["c-in-q", "c-in-8q-q"])?;
            let ([size, pause, resume], at) = class.pause?;
            let buffer = GroupBuffer {
                headroom_bytes: Fact::explicit(size.saturating_sub(pause), at),
                pause_at_bytes: Fact::explicit(pause, at),
                resume_at_bytes: Fact::explicit(resume, at),
                ..GroupBuffer::default()
            };
            Some((group, Arc::new(buffer)))
        })
        .collect()
}

fn pfc(
    port: &mut Port,
    interface: &Interface<'_>,
    lag: Option<&Interface<'_>>,
    config: &Config<'_>,
    no_drop: &NoDrop,
    buffers: &BTreeMap<u8, Arc<GroupBuffer>>,
) {
    let mode = interface.pfc.or(lag.and_then(|lag| lag.pfc));
    let all: Priorities = no_drop.groups.keys().copied().collect();
    let line = no_drop.groups.values().map(|(_, at)| *at).next();
    port.pfc.mode = match mode {
        Some(("on", at)) => Fact::explicit(PfcMode::On, at),
        Some(("off", at)) => Fact::explicit(PfcMode::Off, at),
        Some((_, at)) => Fact::explicit(PfcMode::Auto, at),
        None => Fact::default_of(PfcMode::Auto, &defaults::PFC_AUTO),
    };
    let in_force = match (mode, no_drop.unclear) {
        (Some(("off", at)), _) => Fact::explicit(Priorities::NONE, at),
        (_, Some(at)) => {
            Fact::unknown_at("the class that pauses does not tell its CoS".to_owned(), at)
        }
        (Some(("on", at)), None) => match line {
            Some(_) => Fact::explicit(all, at),
            None => Fact::Default(Priorities::NONE, (&defaults::NO_PAUSE_CLASS).into(), at),
        },
        (_, None) if line.is_none() => {
            Fact::default_of(Priorities::NONE, &defaults::NO_PAUSE_CLASS)
        }
        (Some((_, at)), None) => Fact::unknown_at(&defaults::NEGOTIATED, at),
        (None, None) => Fact::unknown(&defaults::NEGOTIATED),
    };
    port.pfc.enabled = in_force.clone();
    port.pfc.tx = in_force.clone();
    port.pfc.rx = in_force.clone();
    let mut stopped = CodeMap::new();
    for (priority, (group, at)) in &no_drop.groups {
        stopped.set_explicit(*priority, *group, *at);
        let mut of = PriorityGroup::new(*priority);
        of.lossless = match in_force.get() {
            Some(set) if set.contains(*priority) => {
                Fact::Default(true, (&defaults::NO_DROP_GROUP).into(), *at)
            }
            Some(_) => continue,
            None => in_force.map(|_| true),
        };
        of.buffer = match buffers.get(group) {
            Some(buffer) => Arc::clone(buffer),
            None => Arc::new(GroupBuffer {
                headroom_bytes: Fact::unknown(&defaults::NO_SIZE),
                ..GroupBuffer::default()
            }),
        };
        of.attached = LineOnly(*at);
        port.priority_groups.push(of);
    }
    (0..QUEUES).for_each(|n| stopped.fill_default(n, n, &defaults::QUEUE_MAP));
    let stopped = Arc::new(stopped);
    port.maps.set(
        MapName::PfcToQueue,
        match line {
            Some(at) => Fact::explicit(stopped, at),
            None => Fact::default_of(stopped, &defaults::QUEUE_MAP),
        },
    );
    let mut straight = CodeMap::new();
    (0..QUEUES).for_each(|n| straight.fill_default(n, n, &defaults::QUEUE_MAP));
    port.maps.set(
        MapName::TcToQueue,
        Fact::default_of(Arc::new(straight), &defaults::QUEUE_MAP),
    );
    watchdog(port, interface, lag, config);
}

fn watchdog(
    port: &mut Port,
    interface: &Interface<'_>,
    lag: Option<&Interface<'_>>,
    config: &Config<'_>,
) {
    let own = interface.watchdog.or(lag.and_then(|lag| lag.watchdog));
    let watchdog = &mut port.pfc.watchdog;
    watchdog.enabled = match (config.watchdog, own) {
        (Some((true, _)), Some((true, at))) => Fact::explicit(true, at),
        (Some((false, at)), _) | (_, Some((false, at))) => Fact::explicit(false, at),
        (None, _) => Fact::default_of(false, &defaults::GLOBAL_WATCHDOG_OFF),
        (Some((true, at)), None) => Fact::Default(false, (&defaults::PORT_WATCHDOG_OFF).into(), at),
    };
    let polls = |said: Said<u32>, default: u32, why| match said {
        Some((polls, at)) => Fact::explicit(polls.saturating_mul(defaults::POLL_MS), at),
        None => Fact::default_of(default * defaults::POLL_MS, why),
    };
    watchdog.detection_ms = polls(
        config.shutdown_polls,
        defaults::SHUTDOWN_POLLS,
        &defaults::SHUTDOWN,
    );
    watchdog.restoration_ms = polls(
        config.restore_polls,
        defaults::RESTORE_POLLS,
        &defaults::RESTORE,
    );
    watchdog.action = Fact::default_of("shutdown".to_owned(), &defaults::ACTION);
    let all = Priorities::from_mask(u8::MAX);
    watchdog.priorities = Fact::default_of(all, &defaults::WATCHES_ALL);
}

fn serve(config: &Config<'_>, attached: &Attached<'_>, notes: &mut Notes) -> Served {
    let Some((name, at)) = attached.queuing_out else {
        return Served::default();
    };
    let Some(policy) = config.queuing.get(name) else {
        if !name.starts_with("default-") {
            let text = format!("there is no policy-map {name} of type queuing");
            notes.add(NoteKind::Unresolved, None, text, at);
        }
        return Served::default();
    };
    let plain = Arc::new(no_marking(&defaults::NO_MARKING));
    let mut queues: BTreeMap<u8, Serve> = BTreeMap::new();
    let of_link: u32 = policy
        .classes
        .iter()
        .filter_map(|class| Some(class.percent?.0))
        .sum();
    for class in &policy.classes {
        let group = group_of(config, class.name, &["c-out-8q-q", "c-out-q", "c-out-4q-q"]);
        let Some(group) = group.or((class.name == "class-default").then_some(0)) else {
            let text = format!(
                "class {} is no class of type queuing; what it sets is not in force",
                class.name
            );
            notes.add(NoteKind::Unresolved, None, text, class.at);
            continue;
        };
        queues.insert(group, served(class, of_link, &plain));
    }
    let unsaid = Serve {
        ecn: Arc::clone(&plain),
        scheduler: Fact::unknown(&defaults::NO_QUEUING),
        weight: None,
        at: Origin::NONE,
    };
    let all = (0..QUEUES).map(|id| queues.remove(&id).unwrap_or_else(|| unsaid.clone()));
    Served {
        queues: all.collect(),
    }
}

/// `bandwidth percent` is of the link, `bandwidth remaining percent` of what
/// those leave.
fn served(class: &QueuingClass<'_>, of_link: u32, plain: &Arc<Ecn>) -> Serve {
    let weight = match (class.percent, class.remaining) {
        (Some((percent, at)), _) => Some((percent * 100, at)),
        (None, Some((percent, at))) => Some((percent * 100u32.saturating_sub(of_link), at)),
        (None, None) => None,
    };
    Serve {
        ecn: match class.detect {
            None => Arc::clone(plain),
            Some((detect, at)) => Arc::new(marking(&detect, at)),
        },
        scheduler: match (class.priority, weight) {
            (Some(at), _) => Fact::explicit(SchedulerKind::Strict, at),
            (None, Some((_, at))) => Fact::explicit(SchedulerKind::Weighted, at),
            (None, None) => Fact::unknown(&defaults::NO_QUEUING),
        },
        weight,
        at: class.at,
    }
}

fn marking(detect: &super::parse::Detect<'_>, at: Origin) -> Ecn {
    if !detect.ecn {
        let mut ecn = no_marking(&defaults::NO_MARKING);
        ecn.enabled = Fact::explicit(false, at);
        ecn.wred_drop = Fact::explicit(true, at);
        return ecn;
    }
    let bytes = |n: usize| match detect.thresholds {
        Some(both) => both
            .get(n)
            .map_or_else(Fact::default, |(number, unit)| size(number, unit, at)),
        None => Fact::unknown_at(&defaults::BARE_ECN, at),
    };
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: bytes(0),
        max_bytes: bytes(1),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: match detect.probability.map(str::parse::<i64>) {
            Some(Ok(percent @ 0..=100)) => Fact::explicit(Milli::whole(percent), at),
            Some(_) => Fact::unknown_at("the probability is no percentage".to_owned(), at),
            None => Fact::unknown_at(&defaults::BARE_ECN, at),
        },
        wred_drop: Fact::explicit(false, at),
    }
}

fn size(number: &str, unit: &str, at: Origin) -> Fact<u64> {
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

fn queues(port: &mut Port, served: &Served) {
    let mut weights = Weights::default();
    for id in 0..QUEUES {
        let mut queue = Queue::new(id);
        queue.lossless = lossless(port, id, &defaults::NO_PFC_QUEUE);
        queue.limit_bytes = Fact::NotApplicable;
        match served.queues.get(usize::from(id)) {
            Some(of) => {
                queue.ecn = Arc::clone(&of.ecn);
                queue.scheduler = of.scheduler.clone();
                queue.attached = LineOnly(of.at);
                weights.set(id, of.scheduler.get(), of.weight);
            }
            None => {
                queue.ecn = Arc::new(Ecn {
                    enabled: Fact::unknown(&defaults::NO_QUEUING),
                    ..Ecn::default()
                });
                queue.scheduler = Fact::unknown(&defaults::NO_QUEUING);
                weights.set(id, None, None);
            }
        }
        port.queues.push(queue);
    }
    weights.share(port);
}
