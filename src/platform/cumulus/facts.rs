//! Configuration → model: the device, its pools and its ports.

use super::config::{Config, GLOBAL, Kind, Mode, Profiles, Said, Set};
use super::defaults;
use super::interfaces::{Layers, bonds, interfaces, shown};
use super::names::is_port;
use super::qos::{Qos, fact};
use super::roce::Roce;
use crate::model::{
    BufferPool, CodeMap, Device, Direction, Fact, LineOnly, LinkPause, MapName, Mtu, MtuCounts,
    NoteKind, Origin, PfcMode, PoolMode, Port, Priorities, Queue, Reason, Watchdog,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{both_ways, lossless};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The port that speaks for the whole switch.
const WHOLE: &str = "*";

/// What the header says of the device.
pub fn device(device: &mut Device, config: &Config) {
    let text = |said: &Said<String>| said.as_ref().map(|set| fact(set, String::clone));
    if let Some(version) = text(&config.version) {
        let number = |text: &String| {
            let number = text.strip_prefix("Cumulus Linux ");
            number.unwrap_or(text).to_owned()
        };
        device.os_version = version.map(number);
    }
    if let Some(model) = text(&config.model) {
        device.hardware = model;
    }
    if let Some(hostname) = text(&config.hostname) {
        device.hostname = hostname;
    }
}

/// The pools that the configuration names, and that of lossless traffic.
pub fn pools(device: &mut Device, config: &Config, roce: Roce, notes: &mut Notes) {
    let mut pools: BTreeMap<&str, Fact<u64>> = BTreeMap::new();
    match roce {
        Roce::On(Mode::LosslessSingleIpool, _) => {
            pools.insert("default-lossy", Fact::unknown(&defaults::POOL_PERCENT));
        }
        Roce::On(Mode::Lossless, _) => {
            pools.insert("roce-lossless", Fact::unknown(&defaults::POOL_HALF));
        }
        // Without a line the lossless pool has nothing.
        Roce::Off if !config.files && !config.partial && config.has_qos => {
            pools.insert(
                "default-lossless",
                Fact::default_of(0, &defaults::POOL_EMPTY),
            );
        }
        _ => {}
    }
    let mut sum = 0.0;
    for (name, pool) in &config.pools {
        let Some(percent) = &pool.percent else {
            continue;
        };
        sum += percent.value.unwrap_or_default();
        pools.insert(name, size_of(percent));
        if sum > 100.0 && sum - percent.value.unwrap_or_default() <= 100.0 {
            let text = format!("the traffic pools together have {sum} percent of the buffer");
            notes.add(NoteKind::Conflict, None, text, percent.at);
        }
    }
    if let Some(percent) = &config.service_pool {
        let name = match roce {
            Roce::On(..) => "roce-lossless",
            Roce::Off | Roce::Unknown(..) => "default-lossless",
        };
        pools.insert(name, size_of(percent));
    }
    let pool = |(name, size_bytes): (&str, Fact<u64>)| BufferPool {
        name: name.to_owned(),
        direction: Fact::default_of(Direction::Ingress, &defaults::POOL_PERCENT),
        mode: Fact::default_of(PoolMode::Dynamic, &defaults::POOL_DYNAMIC),
        size_bytes,
        headroom_bytes: Fact::NotApplicable,
        oversubscription: Fact::NotApplicable,
    };
    device.buffer_pools = pools.into_iter().map(pool).collect();
}

/// Bytes are known only of a pool without memory.
fn size_of(percent: &Set<f64>) -> Fact<u64> {
    match percent.value {
        Some(0.0) => Fact::explicit(0, percent.at),
        Some(_) => Fact::unknown(&defaults::POOL_PERCENT),
        None => Fact::unknown_at(&defaults::UNREADABLE, percent.at),
    }
}

/// Reads the ports.
pub fn ports(ports: &mut Ports, qos: &Qos<'_>, notes: &mut Notes) {
    let config = qos.config();
    let mut all = interfaces(config, notes);
    let bonds = bonds(&mut all, notes);
    let split =
        |layers: &Layers<'_>| layers.own(|key| &key.split).and_then(|set| set.value) == Some(true);
    let mut names: Vec<&str> = all
        .iter()
        .filter(|(name, layers)| is_port(name) && !split(layers))
        .map(|(name, _)| name.as_str())
        .collect();
    let whole = Layers::default();
    if names.is_empty() && config.has_qos {
        names.push(WHOLE);
    }
    let mut reader = Reader::new(qos, notes);
    let layers_of = |name: &str| all.get(name).unwrap_or(&whole);
    reader.attached(names.iter().map(|name| layers_of(name)));
    for (name, n) in ports.add_all(names) {
        if let Some(port) = ports.list.get_mut(n) {
            reader.port(port, layers_of(name));
        }
    }
    for (bond, members) in &bonds {
        reader.same_on_members(bond, members, &all);
    }
    reader.never_attached();
}

/// Puts profiles on ports.
struct Reader<'r, 'c> {
    qos: &'r Qos<'c>,
    notes: &'r mut Notes,
    /// Profiles that some port names.
    used: HashSet<(&'static str, &'c str)>,
    /// Whether any port has packets rewritten on their way out, and its line.
    rewrites: Fact<bool>,
    pause_stops: Fact<Arc<CodeMap>>,
    /// A port of each combination of profiles, by the lines that name them.
    alike: HashMap<[Option<Origin>; 7], Port>,
}

impl<'r, 'c> Reader<'r, 'c> {
    fn new(qos: &'r Qos<'c>, notes: &'r mut Notes) -> Self {
        let pause_stops = match &qos.queues {
            Fact::Explicit(map, at) | Fact::Default(map, _, at) => {
                Fact::Default(Arc::clone(map), (&defaults::PAUSE_STOPS).into(), *at)
            }
            other => other.clone(),
        };
        Reader {
            qos,
            notes,
            used: HashSet::new(),
            rewrites: Fact::default(),
            pause_stops,
            alike: HashMap::new(),
        }
    }

    fn config(&self) -> &'c Config {
        self.qos.config()
    }

    fn binding<'l>(&self, layers: &'l Layers<'c>, kind: Kind) -> Option<&'c Set<String>> {
        let all = self.config().all.bound[kind as usize].as_ref();
        layers.profile(kind).or(all)
    }

    /// Notes which profiles are attached at all, and whether any port rewrites.
    fn attached<'l>(&mut self, ports: impl Iterator<Item = &'l Layers<'c>>)
    where
        'c: 'l,
    {
        let config = self.config();
        let flag = |name: &str| {
            let set = config.remark.get(name)?.rewrites_dscp.as_ref();
            set.filter(|set| set.value != Some(false))
        };
        let mut rewrites = flag(GLOBAL);
        for layers in ports {
            for kind in Kind::ALL {
                let Some(name) = self
                    .binding(layers, kind)
                    .and_then(|set| set.value.as_deref())
                else {
                    continue;
                };
                self.used.insert((kind.word(), name));
                if kind == Kind::Remark {
                    rewrites = rewrites.or_else(|| flag(name));
                }
            }
        }
        self.rewrites = match rewrites {
            Some(set) => fact(set, |on| *on),
            None if config.partial => Fact::unknown(&defaults::PARTIAL),
            None => Fact::default_of(false, &defaults::NO_REMARK),
        };
    }

    /// The profile that a port names, told where there is none of that name.
    fn profile<T>(
        &mut self,
        port: &str,
        layers: &Layers<'c>,
        kind: Kind,
        find: impl FnOnce(Option<&str>) -> Option<T>,
    ) -> Result<T, Origin> {
        let binding = self.binding(layers, kind);
        let name = binding.and_then(|set| set.value.as_deref());
        match (find(name), binding) {
            (Some(found), _) => Ok(found),
            (None, binding) => {
                let at = binding.map_or(Origin::NONE, |set| set.at);
                let word = kind.word();
                let name = shown(name.unwrap_or_default());
                let text = format!("the {word} profile {name} does not exist");
                self.notes.add(NoteKind::Unresolved, Some(port), text, at);
                Err(at)
            }
        }
    }

    fn port(&mut self, port: &mut Port, layers: &Layers<'c>) {
        self.link(port, layers);
        let bound = Kind::ALL.map(|kind| self.binding(layers, kind).map(|set| set.at));
        match self.alike.get(&bound) {
            Some(other) => {
                port.trust = other.trust.clone();
                port.maps = other.maps.clone();
                port.pfc = other.pfc.clone();
                port.link_pause = other.link_pause.clone();
                port.cable_m = other.cable_m.clone();
                port.priority_groups = other.priority_groups.clone();
                port.queues = other.queues.clone();
            }
            None => {
                let told = self.notes.all.len();
                self.profiles(port, layers);
                // What is told is told of each port.
                if self.notes.all.len() == told {
                    self.alike.insert(bound, port.clone());
                }
            }
        }
        port.pfc.watchdog.enabled = self.watches(layers);
        self.acls(port, layers);
    }

    /// What the profiles of a port set, and what holds without them.
    fn profiles(&mut self, port: &mut Port, layers: &Layers<'c>) {
        let qos = self.qos;
        let name = port.name.clone();
        match self.profile(&name, layers, Kind::Mapping, |name| {
            qos.classifying.of(name)
        }) {
            Ok(found) => {
                port.trust = found.trust.clone();
                port.maps.set(MapName::DscpToTc, found.dscp.clone());
                port.maps.set(MapName::PcpToTc, found.pcp.clone());
            }
            Err(at) => {
                port.trust = Fact::unknown_at(&defaults::DANGLING, at);
                for map in [MapName::DscpToTc, MapName::PcpToTc] {
                    let unknown = Fact::unknown_at(&defaults::DANGLING, at);
                    port.maps.set(map, unknown);
                }
            }
        }
        port.maps.set(MapName::TcToQueue, qos.queues.clone());
        port.maps.set(MapName::PfcToQueue, self.pause_stops.clone());
        // Which group a switch priority fills is not shown: each PFC priority
        // has its own.
        port.maps.set(MapName::TcToPg, Fact::NotApplicable);
        port.maps.set(MapName::PfcToPg, Fact::NotApplicable);
        self.rewriting(port, layers);
        self.pfc(port, layers);
        self.link_pause(port, layers);
        self.watchdog(port);
        self.queues(port, layers);
    }

    fn link(&self, port: &mut Port, layers: &Layers<'c>) {
        let partial = self.config().partial || port.name == WHOLE;
        let mtu = match layers.bond_first(|key| &key.mtu) {
            Some(set) => fact(set, |bytes| *bytes),
            None if partial => Fact::unknown(&defaults::PARTIAL),
            // Files of switchd do not hold interfaces.
            None if self.config().files => Fact::unknown(&defaults::NOT_IN_FILES),
            None => Fact::default_of(defaults::MTU, &defaults::MTU_WHY),
        };
        // A netdev's MTU counts the IP packet.
        port.mtu = Mtu::from_raw(mtu, MtuCounts::Ip);
        port.speed_mbps = match layers.own(|key| &key.speed) {
            Some(set) => fact(set, |mbps| *mbps),
            None => Fact::unknown(&defaults::NO_SPEED),
        };
        port.admin = match layers.own(|key| &key.admin) {
            Some(set) => fact(set, |state| *state),
            None => Fact::unknown(&defaults::NO_ADMIN),
        };
        if let Some(set) = layers.own(|key| &key.fec) {
            port.fec = fact(set, |fec| (*fec).to_owned());
        }
        if let Some(set) = layers.own(|key| &key.description) {
            port.description = fact(set, String::clone);
        }
    }

    /// Packets that arrived where `rewrite` is set leave with the DSCP of the
    /// port that they leave by.
    fn rewriting(&mut self, port: &mut Port, layers: &Layers<'c>) {
        let config = self.config();
        let empty = || Arc::new(CodeMap::new());
        let remark = self.profile(&port.name, layers, Kind::Remark, |name| match name {
            None => Some(config.remark.get(GLOBAL)),
            Some(name) => config.remark.get(name).map(Some),
        });
        let map = match (self.rewrites.get(), remark) {
            (_, Err(at)) => Fact::explicit(empty(), at),
            (None, Ok(Some(remark))) if !remark.dscp.is_empty() => self.rewrites.map(|_| empty()),
            (None, Ok(_)) if config.partial => self.rewrites.map(|_| empty()),
            (Some(true), Ok(Some(remark))) if !remark.dscp.is_empty() => {
                let mut map = CodeMap::new();
                for (key, set) in &remark.dscp {
                    match set.value {
                        Some(code) => map.set_explicit(*key, code, set.at),
                        None => map.complete = false,
                    }
                }
                Fact::explicit(Arc::new(map), self.rewrites.at())
            }
            _ => Fact::default_of(empty(), &defaults::NO_REMARK),
        };
        port.maps.set(MapName::TcToDscp, map);
    }

    fn pfc(&mut self, port: &mut Port, layers: &Layers<'c>) {
        let qos = self.qos;
        match self.profile(&port.name, layers, Kind::Pfc, |name| qos.pfc.of(name)) {
            Ok(found) => {
                port.pfc.tx = found.tx.clone();
                port.pfc.rx = found.rx.clone();
                port.cable_m = found.cable_m.clone();
                port.priority_groups = found.groups.clone();
                // The line that binds the profile belongs to its groups.
                if let Some(binding) = self.binding(layers, Kind::Pfc) {
                    for group in &mut port.priority_groups {
                        group.attached = LineOnly(binding.at);
                    }
                }
            }
            Err(at) => {
                port.pfc.tx = Fact::explicit(Priorities::NONE, at);
                port.pfc.rx = Fact::explicit(Priorities::NONE, at);
            }
        }
        port.pfc.enabled = both_ways(&port.pfc.tx, &port.pfc.rx);
        port.pfc.mode = Fact::default_of(PfcMode::On, &defaults::PFC_STATIC);
    }

    fn link_pause(&mut self, port: &mut Port, layers: &Layers<'c>) {
        let config = self.config();
        let off = || match config.partial {
            true => Fact::unknown(&defaults::PARTIAL),
            false => Fact::default_of(false, &defaults::LINK_PAUSE_OFF),
        };
        let kind = Kind::LinkPause;
        let found = self.profile(&port.name, layers, kind, |name| match name {
            None => Some(None),
            Some(name) => config.link_pause.get(name).map(Some),
        });
        let Ok(Some(profile)) = found else {
            port.link_pause = LinkPause {
                rx: off(),
                tx: off(),
            };
            return;
        };
        let bound = self
            .binding(layers, kind)
            .map_or(Origin::NONE, |set| set.at);
        let side = |said: &Said<bool>| match said {
            Some(set) => fact(set, |on| *on),
            None => Fact::unknown_at(&defaults::LINK_PAUSE_SIDE, bound),
        };
        port.link_pause = LinkPause {
            rx: side(&profile.rx),
            tx: side(&profile.tx),
        };
        if port.pfc.enabled.get().is_some_and(|set| !set.is_empty()) {
            let text = "link pause and PFC can't be on the same port (user guide, Flow Control)";
            let port = Some(port.name.as_str());
            self.notes
                .add(NoteKind::Conflict, port, text.to_owned(), bound);
        }
    }

    /// Whether the watchdog runs: a setting of the port itself.
    fn watches(&self, layers: &Layers<'c>) -> Fact<bool> {
        let config = self.config();
        let own = layers.own(|key| &key.watchdog);
        match own.or(config.all.watchdog.as_ref()) {
            Some(set) => fact(set, |on| *on),
            None if config.partial => Fact::unknown(&defaults::PARTIAL),
            None => Fact::default_of(false, &defaults::WATCHDOG_OFF),
        }
    }

    fn watchdog(&self, port: &mut Port) {
        let config = self.config();
        let why: &'static Reason = &defaults::WATCHDOG_GUARDS;
        let guarded = match &port.pfc.enabled {
            // Without PFC there is nothing to guard.
            enabled if enabled.get() == Some(Priorities::NONE) => Fact::NotApplicable,
            Fact::Explicit(set, at) | Fact::Default(set, _, at) => {
                Fact::Default(*set, why.into(), *at)
            }
            other => other.clone(),
        };
        let said = |said: &Said<u32>, default: u32| match said {
            None => Fact::default_of(default, &defaults::WATCHDOG_TIMES),
            Some(set) => fact(set, |value| *value),
        };
        let polling = said(&config.polling_ms, defaults::POLLING_MS);
        let polls = said(&config.robustness, defaults::ROBUSTNESS);
        let detection = match (polling.get(), polls.get()) {
            (Some(ms), Some(polls)) => {
                let explicit = match config.robustness {
                    Some(_) => &polls_fact(&config.robustness),
                    None => &polling,
                };
                explicit.map(|_| ms.saturating_mul(polls))
            }
            (None, _) => polling.clone(),
            (_, None) => polls,
        };
        port.pfc.watchdog = Watchdog {
            enabled: Fact::default(),
            priorities: guarded,
            detection_ms: detection,
            restoration_ms: polling,
            action: Fact::default_of("drop".to_owned(), &defaults::WATCHDOG_DROPS),
            stormed: Fact::default(),
        };
    }

    fn queues(&mut self, port: &mut Port, layers: &Layers<'c>) {
        let qos = self.qos;
        let marking = self.profile(&port.name, layers, Kind::Congestion, |name| {
            qos.marking.of(name)
        });
        let schedule = self.profile(&port.name, layers, Kind::Scheduler, |name| {
            qos.schedule.of(name)
        });
        let attached = self.binding(layers, Kind::Congestion);
        let attached = attached.map_or(Origin::NONE, |set| set.at);
        let limit = match &self.config().egress_limit {
            Some(set) => fact(set, |bytes| *bytes),
            // The limit moves with the free space; of lossless queues it is none.
            None => Fact::NotApplicable,
        };
        for id in 0..8u8 {
            let n = usize::from(id);
            let mut queue = Queue::new(id);
            queue.lossless = lossless(port, id, &defaults::PARTIAL);
            queue.attached = LineOnly(attached);
            queue.limit_bytes = match queue.lossless.get() {
                Some(false) => Fact::NotApplicable,
                _ => limit.clone(),
            };
            match &marking {
                Ok(marking) => {
                    if let Some(ecn) = marking.get(n) {
                        queue.ecn = Arc::clone(ecn);
                    }
                }
                Err(at) => {
                    let mut ecn = crate::platform::queues::no_marking(&defaults::DANGLING);
                    ecn.enabled = Fact::explicit(false, *at);
                    queue.ecn = Arc::new(ecn);
                }
            }
            match &schedule {
                Ok(schedule) => {
                    if let Some((kind, share)) = schedule.get(n) {
                        queue.scheduler = kind.clone();
                        queue.share_percent = share.clone();
                    }
                }
                Err(at) => {
                    queue.scheduler = Fact::unknown_at(&defaults::DANGLING, *at);
                    queue.share_percent = Fact::unknown_at(&defaults::DANGLING, *at);
                }
            }
            port.queues.push(queue);
        }
    }

    /// ACLs that mark, classify or police.
    fn acls(&mut self, port: &Port, layers: &Layers<'c>) {
        for (name, at) in layers.own.iter().flat_map(|key| &key.acls) {
            if self.config().acls.contains_key(name) {
                let text = format!(
                    "the ACL {} marks, classifies or polices what passes the port",
                    shown(name)
                );
                self.notes
                    .add(NoteKind::Override, Some(&port.name), text, *at);
            }
        }
    }

    /// A bond whose members differ takes the settings of the last one.
    fn same_on_members(
        &mut self,
        bond: &str,
        members: &[String],
        all: &HashMap<String, Layers<'c>>,
    ) {
        let bound = |member: &String| {
            let layers = all.get(member)?;
            Some(Kind::ALL.map(|kind| self.binding(layers, kind)))
        };
        let name = |set: &Option<&'c Set<String>>| set.and_then(|set| set.value.as_deref());
        let Some(first) = members.first().and_then(bound) else {
            return;
        };
        let mut odd = None;
        for member in members.iter().skip(1) {
            let Some(other) = bound(member) else { continue };
            let pairs = first.iter().zip(&other);
            let differ = pairs.into_iter().find(|(a, b)| name(a) != name(b));
            if let Some((a, b)) = differ {
                let at = b.or(*a).map_or(Origin::NONE, |set| set.at);
                odd = Some((member, at));
                break;
            }
        }
        if let Some((member, at)) = odd {
            let text = format!("{bond}: its member {member} has other QoS profiles than the first");
            self.notes.add(NoteKind::Conflict, None, text, at);
        }
    }

    /// Profiles that no port names.
    fn never_attached(&mut self) {
        let config = self.config();
        self.unattached(Kind::Mapping, &config.mapping);
        self.unattached(Kind::Remark, &config.remark);
        self.unattached(Kind::Pfc, &config.pfc);
        self.unattached(Kind::LinkPause, &config.link_pause);
        self.unattached(Kind::Congestion, &config.congestion);
        self.unattached(Kind::Scheduler, &config.scheduler);
    }

    fn unattached<T>(&mut self, kind: Kind, profiles: &'c Profiles<T>) {
        for (name, at, _) in profiles.all() {
            let word = kind.word();
            if name != GLOBAL && !self.used.contains(&(word, name)) {
                let text = format!("the {word} profile {} is attached to no port", shown(name));
                self.notes.add(NoteKind::Unresolved, None, text, at);
            }
        }
    }
}

fn polls_fact(said: &Said<u32>) -> Fact<u32> {
    match said {
        Some(set) => fact(set, |value| *value),
        None => Fact::default_of(defaults::ROBUSTNESS, &defaults::WATCHDOG_TIMES),
    }
}
