//! What the configuration defines, sets and attaches → the ports.

use super::config::{Attached, Config, Entries, Named, Policy, Reference, Settings};
use super::defaults;
use super::queues;
use super::unused;
use crate::model::port::SharedMap;
use crate::model::{
    BufferPool, CodeMap, Device, Direction, Fact, LineOnly, LinkPause, MapName, Mtu, MtuCounts,
    NoteKind, Origin, PfcMode, Port, Priorities, PriorityGroup, Reason, Trust, Watchdog, Why,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::both_ways;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The lossless pool has no name of its own.
pub const PFC_POOL: &str = "pfc";

/// What the configuration says of the device itself.
pub fn device(device: &mut Device, config: &Config<'_>) {
    if let Some(hostname) = &config.hostname {
        device.hostname = hostname.map(|name| (*name).to_owned());
    }
    if let Some(size) = &config.pfc_buffer {
        device.buffer_pools.push(BufferPool {
            name: PFC_POOL.to_owned(),
            direction: Fact::default_of(Direction::Ingress, &defaults::LOSSLESS_GROUP),
            mode: Fact::default(),
            size_bytes: size.clone(),
            headroom_bytes: Fact::default(),
            oversubscription: Fact::default(),
        });
    }
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
        notes,
        maps: HashMap::new(),
        paused: HashMap::new(),
        networks: HashMap::new(),
        queuing: queues::Cache::default(),
        told: HashSet::new(),
        straight: straight(&defaults::STRAIGHT_QUEUES),
        nothing: Arc::new(CodeMap::new()),
        zero: Arc::new(all_zero(&defaults::TRUST_NONE)),
    };
    for (port, own) in ports.list.iter_mut().zip(settings) {
        let lag = own.lag.and_then(|number| config.lags.get(&number));
        reader.port(port, own.or(lag.cloned().unwrap_or_default()));
    }
    if !config.ports.is_empty() {
        unused::tell(config, notes);
    }
}

/// Every traffic class in the queue, or every priority in the traffic class,
/// of the same number.
fn straight(why: &'static Reason) -> Arc<CodeMap> {
    let mut map = CodeMap::new();
    (0..8).for_each(|n| map.fill_default(n, n, why));
    Arc::new(map)
}

fn all_zero(why: &'static Reason) -> CodeMap {
    let mut map = CodeMap::new();
    (0..64).for_each(|code| map.fill_default(code, 0, why));
    map
}

/// What a reference leads to.
pub enum Lookup<'c, T> {
    /// Nothing is attached.
    Absent,
    /// The definition, and the line that attaches it.
    Found(&'c T, Origin),
    /// It is not defined, and the line that attaches it.
    Dangling(Why, Origin),
}

/// A network-qos policy, in force where it is attached and PFC is on.
struct Network {
    priorities: Fact<Priorities>,
    /// By priority: the qos-group that it pauses, and the line.
    groups: [Option<(u8, Origin)>; 8],
    buffers: Vec<PriorityGroup>,
}

type PausedKey<'t> = (Option<&'t str>, Option<&'t str>);

/// Makes ports from a configuration.
pub struct Reader<'c, 't, 'n> {
    config: &'c Config<'t>,
    notes: &'n mut Notes,
    /// Maps by kind and name.
    maps: HashMap<(MapName, &'t str), Arc<CodeMap>>,
    /// PFC priority → queue, by network-qos policy and qos-map.
    paused: HashMap<PausedKey<'t>, Arc<CodeMap>>,
    networks: HashMap<&'t str, Arc<Network>>,
    queuing: queues::Cache<'t>,
    /// What `system qos` attaches and does not exist: told once.
    told: HashSet<Origin>,
    straight: Arc<CodeMap>,
    nothing: Arc<CodeMap>,
    zero: Arc<CodeMap>,
}

impl<'c, 't> Reader<'c, 't, '_> {
    fn port(&mut self, port: &mut Port, settings: Settings<'t>) {
        let attached = settings.attached.or(self.config.system);
        plain(port, &settings);
        self.trust(port, &attached);
        self.pfc(port, &attached, settings.pfc);
        self.policy(port, &attached);
        queues::read(self, port, &attached);
    }

    /// Looks a name up; one that is not defined is told.
    pub fn find<T>(
        &mut self,
        port: &Port,
        defined: impl Fn(&'c Config<'t>) -> &'c Named<'t, T>,
        reference: Option<Reference<'t>>,
        what: &str,
    ) -> Lookup<'c, T> {
        let Some((name, at)) = reference.and_then(|r| Some((r.name?, r.at))) else {
            return Lookup::Absent;
        };
        if let Some(found) = defined(self.config).get(name) {
            return Lookup::Found(found, at);
        }
        let text = format!("{what} {name:?} is attached but not defined");
        let system = self.config.system;
        let all = [
            system.trust_dscp,
            system.trust_dot1p,
            system.qos_map,
            system.network,
            system.queuing,
            system.qos,
        ];
        let of_all = all.iter().flatten().any(|r| r.at == at);
        if !of_all {
            self.notes
                .add(NoteKind::Unresolved, Some(&port.name), text.clone(), at);
        } else if self.told.insert(at) {
            self.notes.add(NoteKind::Unresolved, None, text.clone(), at);
        }
        Lookup::Dangling(text.into(), at)
    }

    /// The configuration.
    pub fn config(&self) -> &'c Config<'t> {
        self.config
    }

    /// A name below the line `at` that is not defined.
    pub fn undefined(&mut self, what: &str, name: &str, at: Origin) -> Why {
        let text = format!("{what} {name:?} is not defined");
        if self.told.insert(at) {
            self.notes.add(NoteKind::Unresolved, None, text.clone(), at);
        }
        text.into()
    }

    /// What was read of queuing policies and WRED profiles.
    pub fn cache(&mut self) -> &mut queues::Cache<'t> {
        &mut self.queuing
    }

    fn trust(&mut self, port: &mut Port, attached: &Attached<'t>) {
        let dscp = self.trust_map(port, MapName::DscpToTc, attached.trust_dscp);
        let dot1p = self.trust_map(port, MapName::PcpToTc, attached.trust_dot1p);
        let at = |map: &SharedMap| matches!(map, Fact::Explicit(..)).then(|| map.at());
        port.trust = match (at(&dscp), at(&dot1p)) {
            (Some(at), Some(_)) => Fact::explicit(Trust::Both, at),
            (Some(at), None) => Fact::explicit(Trust::Dscp, at),
            (None, Some(at)) => Fact::explicit(Trust::Pcp, at),
            (None, None) => match &dscp {
                Fact::Default(_, why, at) => Fact::Default(Trust::None, why.clone(), *at),
                _ => Fact::default_of(Trust::None, &defaults::TRUST_NONE),
            },
        };
        if let Some(at) = attached.trust_unclear {
            let unclear = || Fact::unknown_at(&defaults::TRUST_UNCLEAR, at);
            port.trust = Fact::unknown_at(&defaults::TRUST_UNCLEAR, at);
            port.maps.set(MapName::DscpToTc, unclear());
            port.maps.set(MapName::PcpToTc, unclear());
            return;
        }
        // What the port does not look at says nothing of where a packet goes,
        // unless it looks at nothing at all: then all go to class 0.
        let dscp = match (dscp, &dot1p) {
            (Fact::Default(_, _, at), Fact::Explicit(..)) => Fact::Default(
                Arc::clone(&self.nothing),
                (&defaults::NO_DSCP_TRUST).into(),
                at,
            ),
            (dscp, _) => dscp,
        };
        port.maps.set(MapName::DscpToTc, dscp);
        port.maps.set(MapName::PcpToTc, dot1p);
    }

    /// A trust map; explicit only where one is attached and defined.
    fn trust_map(
        &mut self,
        port: &Port,
        map: MapName,
        reference: Option<Reference<'t>>,
    ) -> SharedMap {
        if let Some(Reference {
            name: Some("default"),
            at,
        }) = reference
        {
            let own = match map {
                MapName::DscpToTc => self.config.dscp_maps.get("default"),
                _ => self.config.dot1p_maps.get("default"),
            };
            if own.is_none() {
                return Fact::explicit(default_trust(map), at);
            }
        }
        let name = reference.and_then(|r| r.name).unwrap_or_default();
        let looked = match map {
            MapName::DscpToTc => self.find(port, |c| &c.dscp_maps, reference, "trust dscp-map"),
            _ => self.find(port, |c| &c.dot1p_maps, reference, "trust dot1p-map"),
        };
        let (why, at) = match looked {
            Lookup::Found(entries, at) => {
                let build = || Arc::new(trust_entries(entries, map));
                let built = self.maps.entry((map, name)).or_insert_with(build);
                return Fact::explicit(Arc::clone(built), at);
            }
            Lookup::Dangling(why, at) => (why, at),
            Lookup::Absent => match map {
                MapName::DscpToTc => ((&defaults::TRUST_NONE).into(), Origin::NONE),
                _ => ((&defaults::NO_DOT1P_TRUST).into(), Origin::NONE),
            },
        };
        match map {
            MapName::DscpToTc => Fact::Default(Arc::clone(&self.zero), why, at),
            _ => Fact::Default(Arc::clone(&self.nothing), why, at),
        }
    }

    fn pfc(&mut self, port: &mut Port, attached: &Attached<'t>, on: Option<Fact<bool>>) {
        let found = self.find(
            port,
            |c| &c.network,
            attached.network,
            "policy-map type network-qos",
        );
        let network_name = match &found {
            Lookup::Found(..) => attached.network.and_then(|r| r.name),
            _ => None,
        };
        let network = match found {
            Lookup::Found(policy, at) => Some((self.network(network_name, policy), at)),
            _ => None,
        };
        let tied = network.as_ref().map(|(network, at)| (&**network, *at));
        let tx = match (&on, tied) {
            (None, _) => {
                let at = attached.network.map_or(Origin::NONE, |r| r.at);
                Fact::Default(Priorities::NONE, (&defaults::PFC_OFF).into(), at)
            }
            (Some(Fact::Explicit(false, at)), _) => Fact::explicit(Priorities::NONE, *at),
            (Some(Fact::Explicit(true, _)), Some((network, _))) => network.priorities.clone(),
            (Some(Fact::Explicit(true, at)), None) => match attached.network {
                Some(Reference { name: Some(_), at }) => Fact::explicit(Priorities::NONE, at),
                _ => {
                    let why = (&defaults::NO_NETWORK_POLICY).into();
                    Fact::Default(Priorities::NONE, why, *at)
                }
            },
            (Some(unclear), _) => unclear.map(|_| Priorities::NONE),
        };
        port.pfc.mode = match &on {
            None => Fact::default_of(PfcMode::Off, &defaults::PFC_OFF),
            Some(on) => on.map(|on| if *on { PfcMode::On } else { PfcMode::Off }),
        };
        port.pfc.rx = tx.clone();
        port.pfc.enabled = both_ways(&tx, &port.pfc.rx);
        port.pfc.tx = tx;
        let enabled = port.pfc.enabled.get().unwrap_or_default();
        if let Some((network, at)) = tied {
            let groups = network.buffers.iter().filter(|g| enabled.contains(g.id));
            let groups = groups.cloned().map(|mut group| {
                group.attached = LineOnly(at);
                group
            });
            port.priority_groups = groups.collect();
        }
        port.maps.set(MapName::TcToPg, Fact::NotApplicable);
        port.maps.set(MapName::PfcToPg, Fact::NotApplicable);
        self.queue_maps(port, attached, network_name, tied);
    }

    /// Traffic class → queue, and PFC priority → queue by way of it.
    fn queue_maps(
        &mut self,
        port: &mut Port,
        attached: &Attached<'t>,
        network_name: Option<&'t str>,
        network: Option<(&Network, Origin)>,
    ) {
        let name = attached.qos_map.and_then(|r| r.name);
        let found = match name {
            Some("default") if !self.config.qos_maps.contains_key("default") => Lookup::Absent,
            _ => self.find(
                port,
                |c| &c.qos_maps,
                attached.qos_map,
                "qos-map traffic-class",
            ),
        };
        let (queues, name) = match found {
            Lookup::Found(entries, at) => {
                let name = name.unwrap_or_default();
                let key = (MapName::TcToQueue, name);
                let built = self
                    .maps
                    .entry(key)
                    .or_insert_with(|| Arc::new(queue_entries(entries)));
                (Fact::explicit(Arc::clone(built), at), Some(name))
            }
            Lookup::Dangling(why, at) => (Fact::Default(Arc::clone(&self.straight), why, at), None),
            Lookup::Absent => {
                let why = (&defaults::STRAIGHT_QUEUES).into();
                (
                    Fact::Default(Arc::clone(&self.straight), why, Origin::NONE),
                    None,
                )
            }
        };
        let map = queues.value().unwrap_or(&self.straight);
        let paused = self.paused.entry((network_name, name));
        let paused = paused.or_insert_with(|| Arc::new(paused_queues(map, network.map(|n| n.0))));
        let paused = match network {
            Some((_, at)) => Fact::explicit(Arc::clone(paused), at),
            None => Fact::default_of(Arc::clone(paused), &defaults::STRAIGHT_PFC),
        };
        port.maps.set(MapName::PfcToQueue, paused);
        port.maps.set(MapName::TcToQueue, queues);
    }

    fn network(&mut self, name: Option<&'t str>, policy: &Policy<'t>) -> Arc<Network> {
        let name = name.unwrap_or_default();
        if let Some(known) = self.networks.get(name) {
            return Arc::clone(known);
        }
        let built = Arc::new(self.build_network(policy));
        self.networks.insert(name, Arc::clone(&built));
        built
    }

    fn build_network(&mut self, policy: &Policy<'t>) -> Network {
        let why = (&defaults::NO_PAUSE).into();
        let mut network = Network {
            priorities: Fact::Default(Priorities::NONE, why, policy.at),
            groups: [None; 8],
            buffers: Vec::new(),
        };
        let mut set = Priorities::NONE;
        for class in &policy.classes {
            let Some(pause) = class.pause else { continue };
            let Some(groups) = self.config.network_classes.get(class.name) else {
                self.undefined("class-map type network-qos", class.name, class.at);
                continue;
            };
            if groups.is_empty() {
                network.priorities = Fact::unknown_at(&defaults::NO_GROUP, pause.at);
                return network;
            }
            let cos = match &class.cos {
                Some(Fact::Explicit(cos, at)) => (cos, *at),
                Some(unclear) => {
                    network.priorities = unclear.map(|_| Priorities::NONE);
                    return network;
                }
                None => {
                    network.priorities = Fact::unknown_at(&defaults::NO_COS, pause.at);
                    return network;
                }
            };
            let (cos, at) = cos;
            for priority in cos {
                set.insert(*priority);
                // Of several groups the one of the same number.
                let same = groups.iter().find(|group| *group == priority);
                let group = same.or(groups.first()).map(|group| (*group, at));
                if let Some(place) = network.groups.get_mut(usize::from(*priority)) {
                    if let (Some((one, _)), Some((other, at))) = (*place, group) {
                        let text = format!(
                            "pfc-cos {priority} stands in the classes of qos-group {one} and {other}"
                        );
                        self.notes.add(NoteKind::Conflict, None, text, at);
                    }
                    *place = place.or(group);
                }
                network.buffers.push(PriorityGroup {
                    id: *priority,
                    lossless: Fact::Default(true, (&defaults::LOSSLESS_GROUP).into(), pause.at),
                    buffer: Arc::new(queues::group_buffer(&pause, self.config)),
                    attached: LineOnly::default(),
                });
            }
            network.priorities = Fact::explicit(set, at);
        }
        network.buffers.sort_by_key(|group| group.id);
        network.buffers.dedup_by_key(|group| group.id);
        network
    }

    /// A policy of type qos comes before trust, and may mark.
    fn policy(&mut self, port: &mut Port, attached: &Attached<'t>) {
        let found = self.find(port, |c| &c.qos, attached.qos, "policy-map type qos");
        let mut rewrite = CodeMap::new();
        let mut of_what = None;
        let mut marked = None;
        if let Lookup::Found(policy, at) = found {
            let name = attached.qos.and_then(|r| r.name).unwrap_or_default();
            for class in &policy.classes {
                if let Some(dscp) = &class.dscp {
                    marked = Some(at);
                    match (class.group.as_ref().and_then(Fact::get), dscp.get()) {
                        (Some(group), Some(value)) => rewrite.set_explicit(group, value, dscp.at()),
                        _ => of_what = Some(dscp.at()),
                    }
                }
                let mut beats = |what: &str, at: Origin| {
                    let text = format!("policy-map {name:?}, class {:?}, {what}", class.name);
                    self.notes
                        .add(NoteKind::Override, Some(&port.name), text, at);
                };
                if let Some(group) = &class.group {
                    beats(
                        "sets the traffic class, whatever the port trusts",
                        group.at(),
                    );
                }
                if let Some(at) = class.police {
                    beats("limits the rate: what is above it is dropped", at);
                }
            }
        }
        let rewrite = match (of_what, marked) {
            (Some(at), _) => Fact::unknown_at(&defaults::REWRITE_OF_WHAT, at),
            (None, Some(at)) => Fact::explicit(Arc::new(rewrite), at),
            (None, None) => Fact::default_of(Arc::clone(&self.nothing), &defaults::NO_REWRITE),
        };
        port.maps.set(MapName::TcToDscp, rewrite);
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
    port.admin = settings.admin.clone().unwrap_or_default();
    let mtu = settings.mtu.clone();
    let mtu = mtu.unwrap_or_else(|| Fact::default_of(defaults::MTU, &defaults::MTU_WHY));
    port.mtu = Mtu::from_raw(mtu, MtuCounts::Frame);
    let rx = settings.pause_rx.clone();
    let tx = settings.pause_tx.clone();
    port.link_pause = LinkPause {
        rx: rx.unwrap_or_else(|| Fact::unknown(&defaults::PAUSE_RX_UNKNOWN)),
        tx: tx.unwrap_or_else(|| Fact::default_of(false, &defaults::PAUSE_TX_OFF)),
    };
    // OS10 has no PFC watchdog.
    port.pfc.watchdog = Watchdog {
        enabled: Fact::NotApplicable,
        priorities: Fact::NotApplicable,
        detection_ms: Fact::NotApplicable,
        restoration_ms: Fact::NotApplicable,
        action: Fact::NotApplicable,
        stormed: Fact::NotApplicable,
    };
}

fn default_trust(map: MapName) -> Arc<CodeMap> {
    let mut codes = CodeMap::new();
    match map {
        MapName::DscpToTc => {
            (0..64).for_each(|code| codes.fill_default(code, code / 8, &defaults::DEFAULT_DSCP));
        }
        _ => {
            let classes = [1, 0, 2, 3, 4, 5, 6, 7];
            for (code, class) in (0..8).zip(classes) {
                codes.fill_default(code, class, &defaults::DEFAULT_DOT1P);
            }
        }
    }
    Arc::new(codes)
}

fn trust_entries(entries: &Entries, map: MapName) -> CodeMap {
    let mut codes = CodeMap::new();
    for (code, group, at) in &entries.all {
        codes.set_explicit(*code, *group, *at);
    }
    let last = if map == MapName::DscpToTc { 63 } else { 7 };
    match entries.unclear {
        Some(_) => codes.complete = false,
        None => (0..=last).for_each(|code| codes.fill_default(code, 0, &defaults::UNSPECIFIED)),
    }
    codes
}

fn queue_entries(entries: &Entries) -> CodeMap {
    let mut map = CodeMap::new();
    for (group, queue, at) in &entries.all {
        map.set_explicit(*group, *queue, *at);
    }
    // What it leaves out is not documented.
    map.complete = (0..8).all(|group| map.get(group).is_some());
    map
}

/// The queue that pause of a priority stops: that of the traffic class to which
/// a network-qos class ties it, else that of the same number.
fn paused_queues(queues: &CodeMap, network: Option<&Network>) -> CodeMap {
    let mut map = CodeMap::new();
    for priority in 0..8 {
        let tied = network.and_then(|n| n.groups.get(usize::from(priority)).copied().flatten());
        let group = tied.map_or(priority, |(group, _)| group);
        match (queues.value(group), tied) {
            (Some(queue), Some((_, at))) => map.set_explicit(priority, queue, at),
            (Some(queue), None) => map.fill_default(priority, queue, &defaults::STRAIGHT_PFC),
            (None, _) => map.complete = false,
        }
    }
    map
}
