//! Tables → model: the device, its pools and its ports.

use super::buffers;
use super::defaults;
use super::parse::{Database, Field, Row, Table, port_key};
use super::profiles::{Profiles, number, unknown_field, unreadable};
use super::show::Lookups;
use crate::model::{
    BufferPool, Device, Direction, Fact, LineOnly, LinkPause, Milli, Mtu, MtuCounts, NoteKind,
    Origin, Peer, PoolMode, Port, Priorities, State,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use std::collections::{HashMap, HashSet};

/// Ports inside the switch that no cable is plugged into: recycle and
/// in-band ports of VOQ chassis.
fn is_internal(name: &str) -> bool {
    name.starts_with("Ethernet-Rec") || name.starts_with("Ethernet-IB")
}

/// A port that cables are plugged into, by its name.
pub fn is_port(name: &str) -> bool {
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

/// A field of DEVICE_METADATA.
pub fn metadata_value<'d>(db: &Database<'d>, name: &str) -> Option<Field<'d>> {
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
        let known = device.buffer_pools.iter_mut();
        match known.into_iter().find(|known| known.name == pool.name) {
            Some(known) => complete(known, pool),
            None => device.buffer_pools.push(pool),
        }
    }
}

/// Fills what one source leaves open from another: a pool without size in the
/// configuration has the one that `show buffer information` prints.
fn complete(pool: &mut BufferPool, other: BufferPool) {
    fn fill<T>(fact: &mut Fact<T>, other: Fact<T>) {
        if fact.is_unknown() && !fact.at().is_known() {
            *fact = other;
        }
    }
    fill(&mut pool.direction, other.direction);
    fill(&mut pool.mode, other.mode);
    fill(&mut pool.size_bytes, other.size_bytes);
    fill(&mut pool.headroom_bytes, other.headroom_bytes);
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
                _ => Fact::unknown_at(unreadable(notes, TABLE, key, field), field.at),
            };
        }
        "mode" => {
            pool.mode = match value {
                Some("static") => Fact::explicit(PoolMode::Static, field.at),
                Some("dynamic") => Fact::explicit(PoolMode::Dynamic, field.at),
                _ => Fact::unknown_at(unreadable(notes, TABLE, key, field), field.at),
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
        _ => unknown_field(notes, TABLE, field),
    }
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
    pub void: HashMap<usize, Origin>,
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
        // The port is left out: ports of the same fault are told, and judged, once.
        let text = format!("{}: {} {value:?} does not exist", table.name(), field.name);
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
                        let why = unreadable(self.notes, Table::CableLength, &row.key, &field);
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
                _ => Fact::unknown_at(unreadable(notes, TABLE, key, field), field.at),
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
