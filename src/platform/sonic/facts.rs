//! Tables → model: the device, its pools and its ports.

use super::buffers;
use super::defaults;
use super::parse::{Database, Field, Row, Table, port_key};
use super::profiles::{Lookup, MAPS, Notes, Profiles, number, schema};
use super::show::Lookups;
use crate::model::port::SharedMap;
use crate::model::{
    BufferPool, Device, Direction, Ecn, Fact, LineOnly, LinkPause, MapName, Milli, Mtu, MtuCounts,
    NoteKind, Origin, Peer, PfcMode, PoolMode, Port, Priorities, Queue, SchedulerKind, State,
    Trust, Why,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Ports of the device, by name.
#[derive(Default)]
pub struct Ports {
    /// In the order of discovery.
    pub list: Vec<Port>,
    index: HashMap<String, usize>,
    /// The configuration holds the list of ports: no other capture adds to it.
    pub closed: bool,
}

impl Ports {
    /// The port with this name; made unless the list is closed.
    pub fn get(&mut self, name: &str) -> Option<&mut Port> {
        let n = match self.find(name) {
            Some(n) => n,
            None if self.closed => return None,
            None => {
                self.list.push(Port::new(name));
                self.list.len() - 1
            }
        };
        self.list.get_mut(n)
    }

    fn find(&mut self, name: &str) -> Option<usize> {
        // Built only where ports are looked up by name.
        for (n, port) in self.list.iter().enumerate().skip(self.index.len()) {
            self.index.insert(port.name.clone(), n);
        }
        self.index.get(name).copied()
    }

    /// Adds those of these ports that are not there yet; where each stands.
    fn add_all<'r>(&mut self, mut names: Vec<&'r str>) -> HashMap<&'r str, usize> {
        names.sort_by(|a, b| natural(a, b).then_with(|| a.cmp(b)));
        names.dedup();
        self.list.reserve(names.len());
        let first = self.list.is_empty();
        let mut places = HashMap::with_capacity(names.len());
        for name in names {
            let there = if first { None } else { self.find(name) };
            let n = there.unwrap_or_else(|| {
                self.list.push(Port::new(name));
                self.list.len() - 1
            });
            places.insert(name, n);
        }
        places
    }

    /// In natural order.
    pub fn sorted(self) -> Vec<Port> {
        let mut list = self.list;
        let order = |a: &Port, b: &Port| natural(&a.name, &b.name);
        if !list.is_sorted_by(|a, b| order(a, b).is_le()) {
            list.sort_by(order);
        }
        list
    }
}

/// Compares runs of digits as numbers: `Ethernet4` before `Ethernet12`.
pub fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number_a, rest_a) = digits(a);
                let (number_b, rest_b) = digits(b);
                let order = number_a
                    .len()
                    .cmp(&number_b.len())
                    .then(number_a.cmp(number_b));
                if order.is_ne() {
                    return order;
                }
                (a, b) = (rest_a, rest_b);
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[1..], &b[1..]),
            (x, y) => return x.cmp(&y),
        }
    }
}

/// The digits at the front without leading zeros, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = text.split_at(end);
    let zeros = number.iter().take_while(|b| **b == b'0').count();
    (&number[zeros..], rest)
}

/// Ports inside the switch that no cable is plugged into: recycle and
/// in-band ports of VOQ chassis.
fn is_internal(name: &str) -> bool {
    name.starts_with("Ethernet-Rec") || name.starts_with("Ethernet-IB")
}

fn is_port(name: &str) -> bool {
    name.starts_with("Ethernet") && !is_internal(name)
}

/// What DEVICE_METADATA says of the device.
pub fn metadata(device: &mut Device, db: &Database<'_>) {
    let Some(row) = db.row(Table::DeviceMetadata, "localhost") else {
        return;
    };
    for field in row.fields() {
        let Some(value) = field.value else { continue };
        let fact = match &*field.name {
            "hostname" => &mut device.hostname,
            "hwsku" => &mut device.hardware,
            _ => continue,
        };
        if !fact.is_known() {
            *fact = Fact::explicit(value.into_owned(), field.at);
        }
    }
}

fn metadata_value<'d>(db: &Database<'d>, name: &str) -> Option<Field<'d>> {
    db.row(Table::DeviceMetadata, "localhost")?.get(name)
}

/// Whether the ASIC is NVIDIA's, by platform or SKU; by what `show version`
/// said where the configuration does not.
fn is_nvidia(device: &Device, db: &Database<'_>) -> bool {
    let says = |text: &str| {
        let text = text.to_ascii_lowercase();
        ["mlnx", "nvidia", "mellanox", "acs-msn", "acs-sn"]
            .iter()
            .any(|word| text.contains(word))
    };
    let of = |name| metadata_value(db, name).and_then(|field| field.value);
    of("platform").is_some_and(|text| says(&text))
        || of("hwsku").is_some_and(|text| says(&text))
        || device.hardware.value().is_some_and(|text| says(text))
}

/// The pools of one ASIC.
pub fn pools(device: &mut Device, db: &Database<'_>, notes: &mut Notes) {
    let ratio = db.rows(Table::LosslessParameter).iter().find_map(|row| {
        let field = row.get("over_subscribe_ratio")?;
        Some(number(
            notes,
            Table::LosslessParameter,
            &row.key,
            &field,
            0..=1000,
        ))
    });
    let names = device.buffer_pools.iter().map(|pool| pool.name.clone());
    let mut known: HashSet<String> = names.collect();
    for row in db.rows(Table::BufferPool) {
        let mut pool = BufferPool {
            name: row.key.clone().into_owned(),
            direction: Fact::default(),
            mode: Fact::default(),
            size_bytes: Fact::default(),
            headroom_bytes: Fact::default(),
            oversubscription: match &ratio {
                Some(ratio) => ratio.map(|n| Milli::whole(*n)),
                None => Fact::default(),
            },
        };
        for field in row.fields() {
            pool_field(&mut pool, &row.key, &field, notes);
        }
        if known.insert(row.key.clone().into_owned()) {
            device.buffer_pools.push(pool);
        }
    }
}

fn pool_field(pool: &mut BufferPool, key: &str, field: &Field<'_>, notes: &mut Notes) {
    const TABLE: Table = Table::BufferPool;
    let value = field.value.as_deref();
    match &*field.name {
        "type" => {
            pool.direction = match value {
                Some("ingress") => Fact::explicit(Direction::Ingress, field.at),
                Some("egress") => Fact::explicit(Direction::Egress, field.at),
                Some("both") => Fact::explicit(Direction::Both, field.at),
                _ => Fact::unknown_at(notes.unreadable(TABLE, key, field), field.at),
            };
        }
        "mode" => {
            pool.mode = match value {
                Some("static") => Fact::explicit(PoolMode::Static, field.at),
                Some("dynamic") => Fact::explicit(PoolMode::Dynamic, field.at),
                _ => Fact::unknown_at(notes.unreadable(TABLE, key, field), field.at),
            };
        }
        "size" | "xoff" => {
            let fact = number(notes, TABLE, key, field, 0..=i64::MAX);
            let fact = fact.map(|n| n.unsigned_abs());
            match &*field.name {
                "size" => pool.size_bytes = fact,
                _ => pool.headroom_bytes = fact,
            }
        }
        "percentage" => {}
        _ => notes.unknown_field(TABLE, field),
    }
}

/// What a row of PORT_QOS_MAP means for its ports.
struct PortQos {
    enabled: Fact<Priorities>,
    /// Without it: what the schema's age says.
    watched: Option<Fact<Priorities>>,
    maps: [Option<SharedMap>; 7],
    /// Why the row as a whole is not in force.
    void: Option<(Why, Origin)>,
}

/// Reads the ports of one ASIC.
pub fn ports(
    device: &mut Device,
    ports: &mut Ports,
    db: &Database<'_>,
    lookups: &Lookups,
    notes: &mut Notes,
) {
    let nvidia = is_nvidia(device, db);
    let profiles = Profiles::read(db, nvidia, notes);
    let mut reader = Reader {
        local: local_ports(ports, db),
        list: &mut ports.list,
        db,
        profiles: &profiles,
        notes,
        nvidia,
        void: Default::default(),
        told: Default::default(),
        last: ("", 0),
    };
    reader.port_table();
    reader.port_qos_map();
    reader.queues();
    reader.buffer_queues();
    reader.cables();
    buffers::read(&mut reader, lookups);
    reader.watchdog();
    reader.neighbors();
}

/// The ports of this ASIC: those of PORT, or all that its tables name where
/// PORT is absent or cut.
fn local_ports<'r>(ports: &mut Ports, db: &'r Database<'_>) -> HashMap<&'r str, usize> {
    let mut names = Vec::new();
    for row in db.rows(Table::Port) {
        let role = || row.get("role").and_then(|field| field.value);
        if !is_internal(&row.key) && !matches!(role().as_deref(), Some("Rec" | "Inb")) {
            names.push(&*row.key);
        }
    }
    if db.has(Table::Port) && !db.cut {
        ports.closed = true;
        return ports.add_all(names);
    }
    for table in [Table::PortQosMap, Table::PfcWatchdog] {
        let keys = db.rows(table).iter().flat_map(|row| row.key.split(','));
        names.extend(keys.filter(|name| is_port(name)));
    }
    for table in [Table::Queue, Table::BufferPg, Table::BufferQueue] {
        let keys = db.rows(table).iter().filter_map(|row| port_key(&row.key));
        let ports = keys.filter(|key| key.host.is_none()).map(|key| key.ports);
        for name in ports.flat_map(|ports| ports.split(',')) {
            if is_port(name) && names.last() != Some(&name) {
                names.push(name);
            }
        }
    }
    ports.add_all(names)
}

/// Reads the tables of one ASIC into its ports.
pub struct Reader<'r, 'd> {
    /// Where the ports of this ASIC stand in the list.
    pub local: HashMap<&'r str, usize>,
    /// All ports of the device.
    pub list: &'r mut Vec<Port>,
    /// The tables.
    pub db: &'r Database<'d>,
    /// What they refer to.
    pub profiles: &'r Profiles<'r>,
    /// What is noticed.
    pub notes: &'r mut Notes,
    /// The ASIC is NVIDIA's.
    pub nvidia: bool,
    /// Ports whose row of PORT_QOS_MAP is not in force, and the reference
    /// that leads nowhere.
    void: HashMap<usize, Origin>,
    /// Dangling references that were told: table, port, name.
    told: HashSet<(Table, String, String)>,
    /// The port looked up last: tables go port by port.
    last: (&'r str, usize),
}

impl<'r> Reader<'r, '_> {
    /// Index of a port of this ASIC.
    pub fn index(&mut self, name: &'r str) -> Option<usize> {
        if self.last.0 != name || name.is_empty() {
            self.last = (name, *self.local.get(name)?);
        }
        Some(self.last.1)
    }

    /// A note about a reference that leads nowhere.
    pub fn dangling(&mut self, table: Table, row: &Row<'_>, field: &Field<'_>) -> String {
        let value = field.value.as_deref().unwrap_or_default();
        let text = format!(
            "{}|{}: {} {value:?} does not exist",
            table.name(),
            row.key,
            field.name
        );
        let key = row
            .key
            .rsplit_once('|')
            .map_or(&*row.key, |(ports, _)| ports);
        // Once a port: its queues often share the name.
        if self.told.insert((table, key.to_owned(), value.to_owned())) {
            let port = (!key.contains([',', '|'])).then_some(key);
            self.notes
                .add(NoteKind::Unresolved, port, text.clone(), field.at);
        }
        text
    }

    fn port_table(&mut self) {
        let db = self.db;
        for row in db.rows(Table::Port) {
            let Some(n) = self.index(&row.key) else {
                continue;
            };
            let Some(port) = self.list.get_mut(n) else {
                continue;
            };
            port.admin = Fact::unknown_at(&defaults::NO_ADMIN, row.at);
            port.link_pause = LinkPause {
                rx: Fact::default_of(false, &defaults::LINK_PAUSE_OFF),
                tx: Fact::default_of(false, &defaults::LINK_PAUSE_OFF),
            };
            let mut mtu = match row.complete {
                true => Fact::Default(defaults::MTU, (&defaults::MTU_WHY).into(), row.at),
                false => Fact::unknown_at(&defaults::CUT, row.at),
            };
            for field in row.fields() {
                port_field(port, &mut mtu, &row.key, &field, self.notes);
            }
            // YANG and portmgrd count the IP packet: 9100 fits a netdev's MTU.
            port.mtu = Mtu::from_raw(mtu, MtuCounts::Ip);
        }
    }

    fn port_qos_map(&mut self) {
        let db = self.db;
        let global = self.global_map();
        let old = self.watches_pfc_enable();
        let mut done = vec![false; self.list.len()];
        for row in db.rows(Table::PortQosMap) {
            if row.key == "global" {
                continue;
            }
            let qos = self.port_qos(row);
            for name in row.key.split(',') {
                match self.index(name) {
                    Some(n) => {
                        self.apply_qos(n, &qos, global.as_ref(), old, row);
                        if let Some(done) = done.get_mut(n) {
                            *done = true;
                        }
                    }
                    None if is_port(name) => {
                        let text = format!("PORT_QOS_MAP names {name}, which PORT does not hold");
                        self.notes
                            .once(NoteKind::Remark, Table::PortQosMap, name, &text, row.at);
                    }
                    None => {}
                }
            }
        }
        if !db.speaks_of(Table::PortQosMap) {
            return;
        }
        for n in self.local.values() {
            if let Some(port) = self.list.get_mut(*n)
                && !done[*n]
            {
                let none = Fact::default_of(Priorities::NONE, &defaults::PFC_OFF);
                set_pfc(port, none);
                port.pfc.watchdog.priorities =
                    Fact::default_of(Priorities::NONE, &defaults::NOT_WATCHED);
                set_maps(
                    port,
                    self.profiles,
                    &Default::default(),
                    global.as_ref(),
                    None,
                );
            }
        }
        self.compare_global(global.as_ref());
    }

    /// The DSCP map of the whole switch. NVIDIA's ASICs have none.
    fn global_map(&mut self) -> Option<SharedMap> {
        let row = self.db.row(Table::PortQosMap, "global")?;
        let field = row.get("dscp_to_tc_map")?;
        let (db, profiles) = (self.db, self.profiles);
        let (name, table) = (MapName::DscpToTc, Table::DscpToTc);
        match profiles.map(db, self.notes, name, table, &field) {
            Lookup::Found(map) => (!self.nvidia).then_some(map),
            Lookup::Dangling => {
                self.dangling(Table::PortQosMap, row, &field);
                None
            }
            Lookup::NotCaptured => None,
        }
    }

    /// A map of the whole switch that no port agrees with.
    fn compare_global(&mut self, global: Option<&SharedMap>) {
        let Some(global) = global else { return };
        let list = &*self.list;
        let ports = self.local.values().filter_map(|n| list.get(*n));
        let maps = ports.filter_map(|port| port.maps.get(MapName::DscpToTc).value());
        let mut maps = maps.peekable();
        let any = maps.peek().is_some();
        if any && maps.all(|map| Some(map) != global.value()) {
            let text = "the DSCP map of PORT_QOS_MAP|global is not that of any port".to_owned();
            self.notes.add(NoteKind::Conflict, None, text, global.at());
        }
    }

    /// Whether the watchdog watches `pfc_enable`: the schema is older than
    /// `pfcwd_sw_enable`, or so old that it does not tell its version.
    fn watches_pfc_enable(&self) -> bool {
        match schema(self.db) {
            Some(version) => version < vec![3, 0, 5],
            None => {
                let mut rows = self.db.rows(Table::PortQosMap).iter();
                !rows.any(|row| row.get("pfcwd_sw_enable").is_some())
            }
        }
    }

    fn port_qos(&mut self, row: &Row<'_>) -> PortQos {
        const TABLE: Table = Table::PortQosMap;
        let (db, profiles) = (self.db, self.profiles);
        let mut qos = PortQos {
            enabled: match row.complete {
                true => Fact::Default(Priorities::NONE, (&defaults::PFC_OFF).into(), row.at),
                false => Fact::unknown_at(&defaults::CUT, row.at),
            },
            watched: (!row.complete).then(|| Fact::unknown_at(&defaults::CUT, row.at)),
            maps: Default::default(),
            void: None,
        };
        for field in row.fields() {
            let lookup = match &*field.name {
                "pfc_enable" => {
                    qos.enabled = self.priorities(TABLE, row, &field);
                    continue;
                }
                "pfcwd_sw_enable" => {
                    qos.watched = Some(self.priorities(TABLE, row, &field));
                    continue;
                }
                // These bind tables that hold nothing of what is judged.
                "tc_to_dot1p_map" | "dscp_to_fc_map" | "exp_to_fc_map" => continue,
                "scheduler" => {
                    let rows = &profiles.schedulers;
                    match profiles.find(db, self.notes, Table::Scheduler, rows, &field) {
                        Lookup::Dangling => Lookup::Dangling,
                        _ => continue,
                    }
                }
                other => {
                    let Some((_, name, table, ..)) = MAPS.iter().find(|m| m.0 == other) else {
                        self.notes.unknown_field(TABLE, &field);
                        continue;
                    };
                    let found = profiles.map(db, self.notes, *name, *table, &field);
                    if let Lookup::Found(map) = &found {
                        qos.maps[*name as usize] = Some(map.clone());
                    } else if let Lookup::NotCaptured = &found {
                        let why = format!("{} was not captured", table.name());
                        qos.maps[*name as usize] = Some(Fact::unknown_at(why, field.at));
                    }
                    found
                }
            };
            if let Lookup::Dangling = lookup {
                // orchagent tries the whole row again, for ever.
                let text = self.dangling(TABLE, row, &field);
                let why = format!("{text}, so the switch applies nothing of this row");
                qos.void.get_or_insert((why.into(), field.at));
            }
        }
        qos
    }

    fn priorities(&mut self, table: Table, row: &Row<'_>, field: &Field<'_>) -> Fact<Priorities> {
        match field.value.as_deref().and_then(priorities) {
            Some(set) => Fact::explicit(set, field.at),
            None => Fact::unknown_at(self.notes.unreadable(table, &row.key, field), field.at),
        }
    }

    fn apply_qos(
        &mut self,
        n: usize,
        qos: &PortQos,
        global: Option<&SharedMap>,
        old: bool,
        row: &Row<'_>,
    ) {
        let Some(port) = self.list.get_mut(n) else {
            return;
        };
        let enabled = match &qos.void {
            Some((_, at)) => {
                self.void.insert(n, *at);
                Fact::explicit(Priorities::NONE, *at)
            }
            None => qos.enabled.clone(),
        };
        port.pfc.watchdog.priorities = match &qos.watched {
            Some(watched) => watched.clone(),
            None if old => match qos.enabled.get() {
                Some(set) => {
                    let why = (&defaults::WATCHED_AS_ENABLED).into();
                    Fact::Default(set, why, qos.enabled.at())
                }
                None => qos.enabled.clone(),
            },
            None => Fact::Default(Priorities::NONE, (&defaults::NOT_WATCHED).into(), row.at),
        };
        set_pfc(port, enabled);
        set_maps(port, self.profiles, &qos.maps, global, qos.void.as_ref());
        let (watched, enabled) = (port.pfc.watchdog.priorities.get(), qos.enabled.get());
        if let (Some(watched), Some(enabled)) = (watched, enabled) {
            let blind = watched.difference(enabled);
            let dual_tor = || {
                let subtype = metadata_value(self.db, "subtype").and_then(|f| f.value);
                subtype.as_deref() == Some("DualToR")
            };
            if !blind.is_empty() && !dual_tor() {
                let text = format!(
                    "PORT_QOS_MAP|{}: pfcwd_sw_enable watches {blind}, where pfc_enable has none",
                    port.name
                );
                let at = port.pfc.watchdog.priorities.at();
                self.notes
                    .add(NoteKind::Conflict, Some(&port.name), text, at);
            }
        }
    }

    /// Queues 0 to 7 of every port, and others that have a row.
    fn queues(&mut self) {
        let db = self.db;
        if !db.has(Table::PortQosMap) && !db.has(Table::Queue) && !db.is_whole() {
            return;
        }
        let plain = match db.speaks_of(Table::Queue) {
            true => Arc::new(no_wred()),
            false => Arc::default(),
        };
        for n in self.local.values() {
            if let Some(port) = self.list.get_mut(*n) {
                let lossless = lossless_queues(port);
                let queues = (0..8u8).map(|id| new_queue(id, &lossless, &plain));
                port.queues = queues.collect();
            }
        }
        let hostname = metadata_value(db, "hostname").and_then(|field| field.value);
        let mut weights = vec![Weights::default(); self.list.len()];
        for row in db.rows(Table::Queue) {
            let Some(key) = port_key(&row.key) else {
                if row.key != "NULL" {
                    let text = format!("QUEUE|{}: neither a port nor a queue", row.key);
                    self.notes.add(NoteKind::Unparsed, None, text, row.at);
                }
                continue;
            };
            // The rows of a VOQ chassis also tell of other line cards' ports.
            if let (Some(host), Some(own)) = (key.host, hostname.as_deref())
                && !host.eq_ignore_ascii_case(own)
            {
                continue;
            }
            self.queue_row(row, key.ports, key.first..=key.last, &plain, &mut weights);
        }
        for (port, weights) in self.list.iter_mut().zip(&weights) {
            weights.share(port);
        }
    }

    fn queue_row(
        &mut self,
        row: &'r Row<'_>,
        ports: &'r str,
        ids: std::ops::RangeInclusive<u8>,
        plain: &Arc<Ecn>,
        weights: &mut [Weights],
    ) {
        const TABLE: Table = Table::Queue;
        let (db, profiles) = (self.db, self.profiles);
        let (mut ecn, mut scheduler) = (None, None);
        for field in row.fields() {
            match &*field.name {
                "wred_profile" => {
                    let rows = &profiles.wred;
                    ecn = match profiles.find(db, self.notes, Table::WredProfile, rows, &field) {
                        Lookup::Found(ecn) => Some(Arc::clone(ecn)),
                        Lookup::Dangling => {
                            self.dangling(TABLE, row, &field);
                            let mut ecn = no_wred();
                            ecn.enabled = Fact::explicit(false, field.at);
                            Some(Arc::new(ecn))
                        }
                        Lookup::NotCaptured => Some(Arc::default()),
                    };
                }
                "scheduler" => {
                    let rows = &profiles.schedulers;
                    let found = profiles.find(db, self.notes, Table::Scheduler, rows, &field);
                    scheduler = Some(match found {
                        Lookup::Found(scheduler) => (
                            scheduler.kind.clone(),
                            scheduler.weight.get().map(|weight| (weight, field.at)),
                        ),
                        Lookup::Dangling => {
                            let why = self.dangling(TABLE, row, &field);
                            (Fact::unknown_at(why, field.at), None)
                        }
                        Lookup::NotCaptured => {
                            let why = "SCHEDULER was not captured".to_owned();
                            (Fact::unknown_at(why, field.at), None)
                        }
                    });
                }
                _ => self.notes.unknown_field(TABLE, &field),
            }
        }
        for name in ports.split(',') {
            let Some(n) = self.index(name) else { continue };
            let (Some(port), Some(weights)) = (self.list.get_mut(n), weights.get_mut(n)) else {
                continue;
            };
            for id in ids.clone() {
                let queue = queue_mut(port, id, plain);
                queue.attached = LineOnly(row.at);
                if let Some(ecn) = &ecn {
                    queue.ecn = Arc::clone(ecn);
                }
                if let Some((kind, weight)) = &scheduler {
                    queue.scheduler = kind.clone();
                    weights.set(id, kind.get(), *weight);
                }
            }
        }
    }

    fn buffer_queues(&mut self) {
        const TABLE: Table = Table::BufferQueue;
        let (db, profiles) = (self.db, self.profiles);
        for row in db.rows(TABLE) {
            let (Some(key), Some(field)) = (port_key(&row.key), row.get("profile")) else {
                continue;
            };
            if key.host.is_some() || field.value.as_deref() == Some("NULL") {
                continue;
            }
            let rows = &profiles.buffers;
            let limit = match profiles.find(db, self.notes, Table::BufferProfile, rows, &field) {
                Lookup::Found(buffer) => buffer.limit.clone(),
                Lookup::Dangling => Fact::unknown_at(self.dangling(TABLE, row, &field), field.at),
                Lookup::NotCaptured => continue,
            };
            for name in key.ports.split(',') {
                let Some(n) = self.index(name) else { continue };
                let Some(port) = self.list.get_mut(n) else {
                    continue;
                };
                for queue in &mut port.queues {
                    if (key.first..=key.last).contains(&queue.id) {
                        queue.limit_bytes = limit.clone();
                    }
                }
            }
        }
    }

    fn watchdog(&mut self) {
        const TABLE: Table = Table::PfcWatchdog;
        let db = self.db;
        if db.speaks_of(TABLE) {
            for n in self.local.values() {
                if let Some(port) = self.list.get_mut(*n) {
                    let watchdog = &mut port.pfc.watchdog;
                    watchdog.enabled = Fact::default_of(false, &defaults::WATCHDOG_OFF);
                    watchdog.detection_ms = Fact::NotApplicable;
                    watchdog.restoration_ms = Fact::NotApplicable;
                    watchdog.action = Fact::NotApplicable;
                }
            }
        }
        for row in db.rows(TABLE) {
            if row.key == "GLOBAL" {
                continue;
            }
            for name in row.key.split(',') {
                if let Some(n) = self.index(name)
                    && let Some(port) = self.list.get_mut(n)
                {
                    watchdog_row(port, row, self.notes);
                    // The watched set is a field of the row that is not applied.
                    if let Some(at) = self.void.get(&n) {
                        port.pfc.watchdog.enabled = Fact::explicit(false, *at);
                    }
                }
            }
        }
    }

    fn cables(&mut self) {
        let db = self.db;
        for row in db.rows(Table::CableLength) {
            for field in row.fields() {
                // Looked up without the memo: the name is the field's.
                let Some(n) = self.local.get(&*field.name) else {
                    continue;
                };
                let Some(port) = self.list.get_mut(*n) else {
                    continue;
                };
                let metres = field.value.as_deref().and_then(|v| v.strip_suffix('m'));
                port.cable_m = match metres.and_then(|m| m.parse().ok()) {
                    Some(metres) => Fact::explicit(metres, field.at),
                    None => {
                        let why = self.notes.unreadable(Table::CableLength, &row.key, &field);
                        Fact::unknown_at(why, field.at)
                    }
                };
            }
        }
    }

    fn neighbors(&mut self) {
        let db = self.db;
        for row in db.rows(Table::Neighbor) {
            let Some(n) = self.index(&row.key) else {
                continue;
            };
            let text = |name| row.get(name).and_then(|f| f.value).map(|v| v.into_owned());
            let name = text("name").filter(|name| !name.is_empty());
            if let (Some(port), Some(name)) = (self.list.get_mut(n), name) {
                port.peer = Some(Peer {
                    device: name,
                    port: text("port").filter(|port| !port.is_empty()),
                    by: "config",
                    at: LineOnly(row.at),
                });
            }
        }
    }
}

/// A list of priorities as CONFIG_DB writes it: `3,4`, or nothing.
pub fn priorities(text: &str) -> Option<Priorities> {
    if text.trim_ascii().is_empty() {
        return Some(Priorities::NONE);
    }
    let number = |part: &str| part.trim_ascii().parse().ok().filter(|p: &u8| *p < 8);
    text.split(',').map(number).collect()
}

fn port_field(
    port: &mut Port,
    mtu: &mut Fact<u32>,
    key: &str,
    field: &Field<'_>,
    notes: &mut Notes,
) {
    const TABLE: Table = Table::Port;
    let text = || field.value.as_deref().unwrap_or_default();
    let mut count = |largest: u32| {
        let fact = number(notes, TABLE, key, field, 0..=i64::from(largest));
        fact.map(|n| n.unsigned_abs() as u32)
    };
    match &*field.name {
        "speed" => port.speed_mbps = count(u32::MAX),
        "mtu" => *mtu = count(65_535),
        "admin_status" => {
            port.admin = match text() {
                "up" => Fact::explicit(State::Up, field.at),
                "down" => Fact::explicit(State::Down, field.at),
                _ => Fact::unknown_at(notes.unreadable(TABLE, key, field), field.at),
            };
        }
        "fec" => port.fec = Fact::explicit(text().to_owned(), field.at),
        "description" => port.description = Fact::explicit(text().to_owned(), field.at),
        // orchagent then obeys pause on every priority and sends it as configured.
        "pfc_asym" if text() == "on" => {
            port.pfc.rx = Fact::explicit(Priorities::from_mask(0xff), field.at);
            let text = "asymmetric PFC: pause is obeyed on every priority".to_owned();
            notes.add(NoteKind::Remark, Some(key), text, field.at);
        }
        "pfc_enable" | "pfcwd_sw_enable" => {
            let text = format!(
                "PORT|{key}: {} has no effect here; PORT_QOS_MAP|{key} is where it counts",
                field.name
            );
            notes.add(NoteKind::Conflict, Some(key), text, field.at);
        }
        _ => {}
    }
}

/// PFC in both directions; what asymmetric PFC obeys stays.
pub fn set_pfc(port: &mut Port, enabled: Fact<Priorities>) {
    let pfc = &mut port.pfc;
    pfc.mode = Fact::default_of(PfcMode::On, &defaults::PFC_STATIC);
    if !pfc.rx.is_known() {
        pfc.rx = enabled.clone();
    }
    pfc.tx = enabled.clone();
    pfc.enabled = enabled;
}

fn set_maps(
    port: &mut Port,
    profiles: &Profiles<'_>,
    bound: &[Option<SharedMap>; 7],
    global: Option<&SharedMap>,
    void: Option<&(Why, Origin)>,
) {
    for (_, name, ..) in MAPS {
        let map = bound[name as usize].as_ref().filter(|_| void.is_none());
        let map = map.or(global.filter(|_| name == MapName::DscpToTc));
        let map = match map {
            Some(map) => map.clone(),
            None => unbound(profiles, name, void),
        };
        port.maps.set(name, map);
    }
    let explicit = |name: MapName| match port.maps.get(name) {
        Fact::Explicit(_, at) => Some(*at),
        // Bound, but its table was not captured.
        Fact::Unknown(_, at) if bound[name as usize].is_some() => Some(*at),
        _ => None,
    };
    let (dscp, pcp) = (explicit(MapName::DscpToTc), explicit(MapName::PcpToTc));
    port.trust = match (dscp, pcp, void) {
        (Some(at), Some(_), _) => Fact::explicit(Trust::Both, at),
        (Some(at), None, _) => Fact::explicit(Trust::Dscp, at),
        (None, Some(at), _) => Fact::explicit(Trust::Pcp, at),
        (None, None, Some((why, at))) => Fact::Default(Trust::None, why.clone(), *at),
        (None, None, None) => Fact::default_of(Trust::None, &defaults::TRUST_NONE),
    };
}

/// What holds on a port that binds no map of this kind.
fn unbound(profiles: &Profiles<'_>, name: MapName, void: Option<&(Why, Origin)>) -> SharedMap {
    let (map, why) = match name {
        MapName::DscpToTc => (Some(&profiles.empty), &defaults::NO_DSCP_MAP),
        MapName::TcToDscp => (Some(&profiles.empty), &defaults::NO_REWRITE),
        MapName::TcToQueue => (Some(&profiles.queue_zero), &defaults::NO_QUEUE_MAP),
        MapName::PcpToTc => (None, &defaults::NO_DOT1P_MAP),
        MapName::TcToPg => (None, &defaults::NO_PG_MAP),
        MapName::PfcToQueue => (None, &defaults::NO_PFC_QUEUE_MAP),
        MapName::PfcToPg => (None, &defaults::NO_PFC_PG_MAP),
    };
    let (why, at) = match void {
        Some((why, at)) => (why.clone(), *at),
        None => (why.into(), Origin::NONE),
    };
    match map {
        Some(map) => Fact::Default(Arc::clone(map), why, at),
        None => Fact::Unknown(why, at),
    }
}

/// Which queues a priority in force maps to: a mask where known, and whether
/// the rest is known too.
struct LosslessQueues {
    enabled: Fact<bool>,
    mask: u64,
    rest_known: bool,
}

fn lossless_queues(port: &Port) -> LosslessQueues {
    let mut mask = 0u64;
    let mut rest_known = true;
    let enabled = &port.pfc.enabled;
    for priority in enabled.get().unwrap_or_default().iter() {
        match port.maps.value(MapName::PfcToQueue, priority) {
            Some(queue) => mask |= 1 << (queue & 63),
            None => rest_known = false,
        }
    }
    LosslessQueues {
        enabled: enabled.map(|_| false),
        mask,
        rest_known,
    }
}

fn new_queue(id: u8, lossless: &LosslessQueues, plain: &Arc<Ecn>) -> Queue {
    let hit = lossless.mask & (1 << (id & 63)) != 0;
    Queue {
        id,
        lossless: match hit || lossless.rest_known {
            true => lossless.enabled.map(|_| hit),
            false => Fact::unknown(&defaults::NO_PFC_QUEUE_MAP),
        },
        ecn: Arc::clone(plain),
        scheduler: Fact::unknown(&defaults::NO_SCHEDULER),
        share_percent: Fact::unknown(&defaults::NO_SCHEDULER),
        limit_bytes: Fact::default(),
        attached: LineOnly::default(),
    }
}

fn queue_mut<'p>(port: &'p mut Port, id: u8, plain: &Arc<Ecn>) -> &'p mut Queue {
    let n = match port.queues.binary_search_by_key(&id, |queue| queue.id) {
        Ok(n) => n,
        Err(n) => {
            let queue = new_queue(id, &lossless_queues(port), plain);
            port.queues.insert(n, queue);
            n
        }
    };
    &mut port.queues[n]
}

fn no_wred() -> Ecn {
    Ecn {
        enabled: Fact::default_of(false, &defaults::NO_WRED),
        min_bytes: Fact::NotApplicable,
        max_bytes: Fact::NotApplicable,
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::NotApplicable,
        wred_drop: Fact::default_of(false, &defaults::NO_WRED),
    }
}

/// The weights of a port's queues.
#[derive(Clone, Default)]
struct Weights {
    /// By queue: its weight, and the line that binds it.
    of: [Option<(u32, Origin)>; 8],
    unclear: bool,
}

impl Weights {
    fn set(&mut self, id: u8, kind: Option<SchedulerKind>, weight: Option<(u32, Origin)>) {
        let Some(place) = self.of.get_mut(usize::from(id)) else {
            return;
        };
        *place = weight.filter(|_| kind == Some(SchedulerKind::Weighted));
        self.unclear |= place.is_none() && kind != Some(SchedulerKind::Strict);
    }

    fn share(&self, port: &mut Port) {
        let weights = self.of.iter().flatten();
        let sum: u64 = weights.map(|(weight, _)| u64::from(*weight)).sum();
        for queue in &mut port.queues {
            let weight = self.of.get(usize::from(queue.id)).copied().flatten();
            if queue.scheduler.get() == Some(SchedulerKind::Strict) {
                queue.share_percent = Fact::NotApplicable;
            } else if self.unclear {
                queue.share_percent = Fact::unknown(&defaults::SHARE_UNCLEAR);
            } else if let Some((weight, at)) = weight {
                let share = f64::from(weight) * 100.0 / sum as f64;
                queue.share_percent = Fact::explicit(Milli::from_f64(share), at);
            }
        }
    }
}

fn watchdog_row(port: &mut Port, row: &Row<'_>, notes: &mut Notes) {
    const TABLE: Table = Table::PfcWatchdog;
    let watchdog = &mut port.pfc.watchdog;
    watchdog.detection_ms = Fact::unknown_at(&defaults::CUT, row.at);
    watchdog.restoration_ms = match row.complete {
        true => Fact::unknown_at(&defaults::NEVER_RESTORES, row.at),
        false => Fact::unknown_at(&defaults::CUT, row.at),
    };
    watchdog.action = match row.complete {
        true => Fact::Default("drop".to_owned(), (&defaults::WATCHDOG_DROP).into(), row.at),
        false => Fact::unknown_at(&defaults::CUT, row.at),
    };
    let mut detects = false;
    // pfcwdorch rejects a row with a field that it does not know.
    let mut rejected = None;
    for field in row.fields() {
        let mut time = || {
            let fact = number(notes, TABLE, &row.key, &field, 0..=i64::from(u32::MAX));
            fact.map(|n| n.unsigned_abs() as u32)
        };
        match &*field.name {
            "detection_time" => {
                watchdog.detection_ms = time();
                detects = true;
            }
            // Shown where no time is set.
            "restoration_time" if field.value.as_deref() == Some("infinite") => {
                watchdog.restoration_ms = Fact::unknown_at(&defaults::NEVER_RESTORES, field.at);
            }
            "restoration_time" => watchdog.restoration_ms = time(),
            "action" => {
                let action = field.value.as_deref().unwrap_or_default();
                watchdog.action = Fact::explicit(action.to_owned(), field.at);
            }
            "pfc_stat_history" => {}
            _ => {
                notes.unknown_field(TABLE, &field);
                rejected = Some(field.at);
            }
        }
    }
    if row.complete && !detects {
        // As it does one without this field.
        rejected = Some(row.at);
        let text = format!(
            "PFC_WD|{}: without detection_time the row is rejected",
            row.key
        );
        watchdog.detection_ms = Fact::unknown_at(text, row.at);
    }
    watchdog.enabled = match (watchdog.detection_ms.get(), watchdog.priorities.get()) {
        _ if rejected.is_some() => Fact::explicit(false, rejected.unwrap_or(row.at)),
        (Some(0), _) => Fact::explicit(false, watchdog.detection_ms.at()),
        (_, Some(watched)) if watched.is_empty() => Fact::explicit(false, watchdog.priorities.at()),
        (Some(_), Some(_)) => Fact::explicit(true, row.at),
        (None, _) => Fact::unknown_at(&defaults::CUT, watchdog.detection_ms.at()),
        // A `show` of the watchdog alone: a row that it prints is one that runs.
        (Some(_), None) => Fact::explicit(true, row.at),
    };
}
