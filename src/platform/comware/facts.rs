//! Settings → model: the ports of the switch.

use super::defaults;
use super::names;
use super::parse::{
    Buffer, Config, DEFAULT_TABLE, Interface, Jumbo, Maps, Pfc, Said, Scheduling, Served, Wred,
};
use crate::model::port::SharedMap;
use crate::model::{
    BufferPool, CodeMap, Device, Direction, Ecn, Fact, GroupBuffer, LineOnly, LinkPause, MapEntry,
    MapName, Milli, Mtu, MtuCounts, NoteKind, Origin, PfcMode, Port, Priorities, PriorityGroup,
    Reason, SchedulerKind, State, Trust,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{Weights, both_ways, lossless, no_marking};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What ports share.
struct Shared<'c, 't> {
    config: &'c Config<'t>,
    /// Bytes of a cell, where the model is known.
    cell: Option<u64>,
    plain: Arc<Ecn>,
    maps: [(MapName, SharedMap); 4],
    rewrite: SharedMap,
    used: HashSet<&'t str>,
}

/// Adds what a configuration says to the device and its ports.
pub fn read(device: &mut Device, ports: &mut Ports, config: &Config<'_>, notes: &mut Notes) {
    if let Some((name, at)) = config.hostname {
        device.hostname = Fact::explicit(name.to_owned(), at);
    }
    if let (Some((version, at)), false) = (config.version, device.os_version.is_known()) {
        device.os_version = Fact::explicit(version.to_owned(), at);
    }
    let model = device.hardware.value().map(String::as_str);
    let cell = model.and_then(|model| {
        defaults::CELLS
            .iter()
            .find(|(name, _)| model.contains(name))
    });
    let cell = cell.map(|(_, bytes)| *bytes);
    for (name, cells, at) in &config.pools {
        device.buffer_pools.push(BufferPool {
            name: format!("pool {name}"),
            direction: Fact::explicit(Direction::Ingress, *at),
            mode: Fact::NotApplicable,
            size_bytes: Fact::NotApplicable,
            headroom_bytes: cells_to_bytes(*cells, cell, *at),
            oversubscription: Fact::NotApplicable,
        });
    }
    let mut shared = Shared {
        config,
        cell,
        plain: Arc::new(no_marking(&defaults::NO_MARKING)),
        maps: maps(&config.maps),
        rewrite: rewrite(&config.maps),
        used: HashSet::new(),
    };
    for interface in &config.interfaces {
        let lag = interface.lag.and_then(|number| config.lags.get(number));
        let interface = match lag {
            Some(lag) => Cow::Owned(lag.member(interface)),
            None => Cow::Borrowed(interface),
        };
        let mut port = Port::new(&*interface.name);
        link(&mut port, &interface);
        classify(&mut port, &interface, &shared);
        pfc(&mut port, &interface, &shared);
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

fn cells_to_bytes(cells: u64, cell: Option<u64>, at: Origin) -> Fact<u64> {
    match cell.and_then(|cell| cells.checked_mul(cell)) {
        Some(bytes) => Fact::explicit(bytes, at),
        None => Fact::unknown_at(&defaults::CELL, at),
    }
}

fn fact<T: Clone>(said: &Said<T>, default: T, why: &'static Reason) -> Fact<T> {
    match said {
        Some((value, at)) => Fact::explicit(value.clone(), *at),
        None => Fact::default_of(default, why),
    }
}

fn link(port: &mut Port, interface: &Interface<'_>) {
    if let Some((text, at)) = interface.description {
        port.description = Fact::explicit(text.to_owned(), at);
    }
    port.speed_mbps = match (interface.speed, names::speed(&interface.name)) {
        (Some((speed, at)), _) => Fact::explicit(speed, at),
        (None, Some(speed)) => Fact::Default(speed, (&defaults::SPEED).into(), interface.at),
        (None, None) => Fact::default(),
    };
    if let Some((mode, at)) = interface.fec {
        port.fec = Fact::explicit(mode.to_owned(), at);
    }
    let shutdown = fact(&interface.shutdown, false, &defaults::UP);
    port.admin = shutdown.map(|down| if *down { State::Down } else { State::Up });
    let frame = match interface.jumbo {
        // Without jumbo frames those above 1536 bytes are dropped.
        Some((Jumbo::Off, at)) => Fact::explicit(1536, at),
        Some((Jumbo::Bytes(Some(bytes)), at)) => Fact::explicit(bytes, at),
        Some((Jumbo::Bytes(None), at)) => Fact::unknown_at(&defaults::NO_NUMBER, at),
        None => Fact::unknown_at(&defaults::MTU_SWITCHED, interface.at),
    };
    port.mtu = Mtu::from_raw(frame, MtuCounts::Frame);
    if interface.routed.is_some_and(|(routed, _)| routed) {
        let routed = match interface.mtu {
            Some((Some(bytes), at)) => Fact::explicit(bytes, at),
            Some((None, at)) => Fact::unknown_at(&defaults::NO_NUMBER, at),
            None => Fact::default_of(defaults::MTU, &defaults::MTU_WHY),
        };
        let frame = port.mtu.ip.get();
        if frame.is_none_or(|frame| routed.get() <= Some(frame)) {
            port.mtu = Mtu::from_raw(routed, MtuCounts::Ip);
        }
    }
    port.link_pause = LinkPause {
        rx: fact(&interface.receive, false, &defaults::LINK_PAUSE_OFF),
        tx: fact(&interface.send, false, &defaults::LINK_PAUSE_OFF),
    };
}

/// A value by its line, else by the default.
fn step(
    said: &BTreeMap<u8, (u8, Origin)>,
    key: u8,
    default: impl Fn(u8) -> u8,
) -> (u8, Option<Origin>) {
    match said.get(&key) {
        Some((value, at)) => (*value, Some(*at)),
        None => (default(key), None),
    }
}

/// DSCP → local precedence, by 802.1p unless there is a map of its own;
/// 802.1p → local precedence; that to its queue, and pause to the queue of its
/// 802.1p priority.
fn maps(said: &Maps) -> [(MapName, SharedMap); 4] {
    let default_lp = |dot1p: u8| {
        let lp = defaults::DOT1P_LP.get(usize::from(dot1p)).copied();
        lp.unwrap_or(dot1p)
    };
    let dot1p = |key| step(&said.dot1p_lp, key, default_lp);
    let dscp = |key: u8| {
        if !said.dscp_lp.is_empty() {
            return step(&said.dscp_lp, key, |dscp| dscp / 8);
        }
        let (priority, first) = step(&said.dscp_dot1p, key, |dscp| dscp / 8);
        let (lp, second) = dot1p(priority);
        (lp, first.or(second))
    };
    let build = |keys: u8, of: &dyn Fn(u8) -> (u8, Option<Origin>), why: &'static Reason| {
        let mut map = CodeMap::new();
        let mut first = None;
        for key in 0..keys {
            let (value, at) = of(key);
            first = first.or(at);
            map.set(MapEntry {
                key,
                value,
                default: at.is_none().then(|| why.into()),
                at: at.unwrap_or_default(),
            });
        }
        match (said.other, first) {
            (Some(at), _) => {
                let why = "a map of one direction or colour is not understood".to_owned();
                Fact::unknown_at(why, at)
            }
            (None, Some(at)) => Fact::explicit(Arc::new(map), at),
            (None, None) => Fact::default_of(Arc::new(map), why),
        }
    };
    [
        (MapName::DscpToTc, build(64, &dscp, &defaults::DSCP_MAP)),
        (MapName::PcpToTc, build(8, &dot1p, &defaults::DOT1P_MAP)),
        (
            MapName::TcToQueue,
            build(8, &|lp| (lp, None), &defaults::QUEUE_MAP),
        ),
        (MapName::PfcToQueue, build(8, &dot1p, &defaults::DOT1P_MAP)),
    ]
}

/// DSCPs that the dscp-dscp map changes, by the local precedence of their
/// packets.
fn rewrite(said: &Maps) -> SharedMap {
    let mut map = CodeMap::new();
    let [(_, classes), ..] = maps(said);
    let changed = said
        .dscp_dscp
        .iter()
        .filter(|(dscp, (new, _))| *dscp != new);
    let mut first = None;
    for (dscp, (new, at)) in changed {
        first = first.or(Some(*at));
        if let Some(lp) = classes.value().and_then(|map| map.value(*dscp)) {
            map.set_explicit(lp, *new, *at);
        }
    }
    match first {
        Some(at) => Fact::explicit(Arc::new(map), at),
        None => Fact::default_of(Arc::new(map), &defaults::NO_REWRITE),
    }
}

fn classify(port: &mut Port, interface: &Interface<'_>, shared: &Shared<'_, '_>) {
    port.trust = match interface.trust {
        Some((trust, at)) => Fact::explicit(trust, at),
        None => Fact::unknown_at(&defaults::TRUST, interface.at),
    };
    for (name, map) in &shared.maps {
        port.maps.set(*name, map.clone());
    }
    let by_dscp = matches!(port.trust.get(), Some(Trust::Dscp | Trust::Both));
    let rewrite = match interface.overrides {
        Some(at) => Fact::unknown_at(&defaults::OVERRIDE, at),
        None if by_dscp => shared.rewrite.clone(),
        None => Fact::default_of(Arc::new(CodeMap::new()), &defaults::NO_REWRITE),
    };
    port.maps.set(MapName::TcToDscp, rewrite);
}

fn pfc(port: &mut Port, interface: &Interface<'_>, shared: &Shared<'_, '_>) {
    let config = shared.config;
    // Lines of the system view come first when the configuration is loaded,
    // so those of the interface hold.
    let enabled = interface.pfc.or(config.pfc);
    let own = interface.no_drop.iter().zip(&config.no_drop);
    let own: Vec<Said<bool>> = own.map(|(own, all)| own.or(*all)).collect();
    let set = own.iter().enumerate();
    let set = set.filter(|(_, said)| said.is_some_and(|(on, _)| on));
    let set: Priorities = set.map(|(n, _)| n as u8).collect();
    let line = own.iter().flatten().map(|(_, at)| *at).next();
    let no_drop = match line {
        Some(at) => Fact::explicit(set, at),
        None => {
            let at = enabled.map(|(_, at)| at).unwrap_or_default();
            Fact::Default(set, (&defaults::NO_DROP_NONE).into(), at)
        }
    };
    let in_force = match enabled {
        Some((Pfc::On, _)) => no_drop,
        Some((Pfc::Auto, at)) => Fact::unknown_at(&defaults::NEGOTIATED, at),
        Some((Pfc::Off, at)) => Fact::explicit(Priorities::NONE, at),
        None if interface.pfc_of_lag.is_some() => Fact::unknown_at(
            &defaults::PFC_OF_LAG,
            interface.pfc_of_lag.unwrap_or_default(),
        ),
        None => Fact::Default(
            Priorities::NONE,
            (&defaults::PFC_OFF).into(),
            line.unwrap_or_default(),
        ),
    };
    port.pfc.mode = match enabled {
        Some((Pfc::On, at)) => Fact::explicit(PfcMode::On, at),
        Some((Pfc::Auto, at)) => Fact::explicit(PfcMode::Auto, at),
        _ => in_force.map(|_| PfcMode::Off),
    };
    port.pfc.tx = in_force.clone();
    port.pfc.rx = in_force.clone();
    port.pfc.enabled = both_ways(&port.pfc.tx, &port.pfc.rx);
    watchdog(port, interface, shared);
    for priority in in_force.get().unwrap_or_default().iter() {
        let mut group = PriorityGroup::new(priority);
        group.lossless = Fact::Default(true, (&defaults::NO_DROP_GROUP).into(), in_force.at());
        let none = Buffer::default();
        let said = interface.buffers.get(&priority).unwrap_or(&none);
        group.buffer = Arc::new(sizes(said, shared.cell));
        port.priority_groups.push(group);
    }
}

fn sizes(said: &Buffer, cell: Option<u64>) -> GroupBuffer {
    let size = |said: Said<u64>| match said {
        Some((cells, at)) => cells_to_bytes(cells, cell, at),
        None => Fact::unknown(&defaults::NO_SIZE),
    };
    GroupBuffer {
        headroom_bytes: size(said.headroom),
        reserved_bytes: size(said.reserved),
        pause_at_bytes: match said.pause {
            Some((Some(cells), at)) => cells_to_bytes(cells, cell, at),
            Some((None, _)) => Fact::NotApplicable,
            None => Fact::unknown(&defaults::NO_SIZE),
        },
        resume_at_bytes: match (said.pause, said.offset) {
            (Some((Some(pause), _)), Some((offset, at))) => {
                cells_to_bytes(pause.saturating_sub(offset), cell, at)
            }
            _ => Fact::unknown(&defaults::NO_SIZE),
        },
        alpha: match said.pause {
            Some((None, at)) => Fact::unknown_at(&defaults::ALPHA, at),
            _ => Fact::NotApplicable,
        },
        pool: Fact::NotApplicable,
    }
}

/// Deadlock detection is told by local precedence, PFC by 802.1p priority.
fn watchdog(port: &mut Port, interface: &Interface<'_>, shared: &Shared<'_, '_>) {
    let deadlock = &shared.config.deadlock;
    let watchdog = &mut port.pfc.watchdog;
    watchdog.enabled = fact(&interface.detects, false, &defaults::WATCHDOG_OFF);
    let guarded = (0..8).filter(|priority| {
        let cos = port.maps.value(MapName::PfcToQueue, *priority);
        let said = cos.and_then(|cos| deadlock.interval.get(usize::from(cos)));
        said.is_some_and(Option::is_some)
    });
    let guarded: Priorities = guarded.collect();
    let first = deadlock.interval.iter().flatten().next();
    watchdog.priorities = match first {
        Some((_, at)) if port.maps.get(MapName::PfcToQueue).is_known() => {
            Fact::explicit(guarded, *at)
        }
        Some((_, at)) => Fact::unknown_at(&defaults::NO_PFC_QUEUE, *at),
        None => Fact::default_of(Priorities::NONE, &defaults::WATCHDOG_NONE),
    };
    watchdog.detection_ms = match first {
        Some((_, at)) => Fact::unknown_at(&defaults::WATCHDOG_UNIT, *at),
        None => Fact::unknown(&defaults::WATCHDOG_NONE),
    };
    watchdog.restoration_ms = match deadlock.delay.iter().flatten().next() {
        Some((_, at)) => Fact::unknown_at(&defaults::WATCHDOG_UNIT, *at),
        None => Fact::unknown(&defaults::WATCHDOG_RECOVERY),
    };
    let action = deadlock.action.map(|(action, at)| (action.to_owned(), at));
    let default = "forwarding".to_owned();
    watchdog.action = fact(&action, default, &defaults::WATCHDOG_ACTION);
}

fn queues<'t>(
    port: &mut Port,
    interface: &Interface<'t>,
    shared: &mut Shared<'_, 't>,
    notes: &mut Notes,
) {
    let table = interface.table.and_then(|(name, at)| {
        shared.used.insert(name);
        let table = shared.config.tables.get(name);
        if table.is_none() && name != DEFAULT_TABLE {
            let text = format!("qos wred apply {name}: there is no WRED table of this name");
            notes.add(NoteKind::Unresolved, Some(&port.name), text, at);
        }
        table
    });
    let default_table = interface.table.filter(|(name, _)| *name == DEFAULT_TABLE);
    let default_table = default_table.map(|(_, at)| Arc::new(by_default_table(at)));
    let mut weights = Weights::default();
    for id in 0..8 {
        let mut queue = crate::model::Queue::new(id);
        queue.lossless = lossless(port, id, &defaults::NO_PFC_QUEUE);
        let attached = interface.table.map(|(_, at)| at);
        queue.attached = LineOnly(attached.unwrap_or_default());
        let own = interface.wred.get(&id).copied().unwrap_or_default();
        let of_table = table.and_then(|(queues, _)| queues.get(&id).copied());
        let of_table = of_table.unwrap_or_default();
        let said = Wred {
            ecn: own.ecn.or(of_table.ecn),
            limits: own.limits.or(of_table.limits),
        };
        queue.ecn = match &default_table {
            Some(ecn) if said == Wred::default() => Arc::clone(ecn),
            _ => marking(&said, shared),
        };
        let served = interface.queues.get(&id);
        queue.scheduler = match (served, interface.scheduling) {
            (Some(Served::Strict(at)), _) => Fact::explicit(SchedulerKind::Strict, *at),
            (Some(Served::Weight(_, at)), _) => Fact::explicit(SchedulerKind::Weighted, *at),
            (None, Some((Scheduling::Strict, at))) => Fact::explicit(SchedulerKind::Strict, at),
            (None, Some((Scheduling::Weighted, at))) => Fact::explicit(SchedulerKind::Weighted, at),
            (None, None) => Fact::unknown_at(&defaults::SCHEDULER, interface.at),
        };
        let weight = match served {
            Some(Served::Weight(weight, at)) => Some((*weight, *at)),
            _ => None,
        };
        weights.set(id, queue.scheduler.get(), weight);
        queue.limit_bytes = Fact::NotApplicable;
        port.queues.push(queue);
    }
    weights.share(port);
}

/// WRED by the table that no line shows.
fn by_default_table(at: Origin) -> Ecn {
    let mut ecn = no_marking(&defaults::NO_MARKING);
    ecn.enabled = Fact::unknown_at(&defaults::DEFAULT_TABLE, at);
    ecn.wred_drop = Fact::unknown_at(&defaults::DEFAULT_TABLE, at);
    ecn
}

fn marking(said: &Wred, shared: &Shared<'_, '_>) -> Arc<Ecn> {
    match (said.ecn, said.limits) {
        (None, None) => Arc::clone(&shared.plain),
        (Some((true, at)), limits) => Arc::new(marked(at, limits, shared.cell)),
        (off, limits) => {
            let mut ecn = no_marking(&defaults::NO_MARKING);
            if let Some((_, at)) = off {
                ecn.enabled = Fact::explicit(false, at);
            }
            if let Some((_, at)) = limits {
                ecn.wred_drop = Fact::explicit(true, at);
            }
            Arc::new(ecn)
        }
    }
}

fn marked(at: Origin, limits: Said<(u64, u64, Option<u8>)>, cell: Option<u64>) -> Ecn {
    let size = |of: fn((u64, u64, Option<u8>)) -> u64| match limits {
        Some((limits, line)) => cells_to_bytes(of(limits), cell, line),
        None => Fact::unknown_at(&defaults::NO_LIMITS, at),
    };
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: size(|(low, ..)| low),
        max_bytes: size(|(_, high, _)| high),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: match limits {
            Some(((_, _, Some(percent)), line)) => {
                Fact::explicit(Milli::whole(i64::from(percent)), line)
            }
            Some((_, line)) => Fact::unknown_at(&defaults::NO_LIMITS, line),
            None => Fact::unknown_at(&defaults::NO_LIMITS, at),
        },
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
    let policies = config.interfaces.iter().chain(config.lags.values());
    let policies = policies.flat_map(|interface| &interface.policies);
    let policies = policies
        .chain(&config.global_policies)
        .map(|(name, _)| *name);
    let used: HashSet<&str> = used.iter().copied().chain(policies).collect();
    let tables = config.tables.iter().map(|(name, (_, at))| (*name, *at));
    let all = tables.chain(config.policies.all());
    let mut idle: Vec<(&str, Origin)> = all.filter(|(name, _)| !used.contains(name)).collect();
    idle.sort_by_key(|(_, at)| *at);
    for (name, at) in idle {
        let text = format!("{name} is defined and attached nowhere");
        notes.add(NoteKind::Unresolved, None, text, at);
    }
}
