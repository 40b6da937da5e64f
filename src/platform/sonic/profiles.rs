//! What ports refer to by name: maps, WRED profiles, schedulers and buffer
//! profiles. Each is read once and shared by all ports that name it.

use super::defaults;
use super::parse::{Database, Field, Row, Table, reference};
use crate::model::port::SharedMap;
use crate::model::{CodeMap, Ecn, Fact, GroupBuffer, MapName, Milli, NoteKind, SchedulerKind};
use crate::platform::notes::Notes;
use std::collections::HashSet;
use std::sync::Arc;

/// Tells of a field that is not known; the switch tolerates it.
pub fn unknown_field(notes: &mut Notes, table: Table, field: &Field<'_>) {
    if field.name == "NULL" {
        return;
    }
    let text = format!("{}: field {} is not known", table.name(), field.name);
    notes.once(NoteKind::Remark, table.name(), &field.name, &text, field.at);
}

/// Tells of a value that could not be read, and says so for its fact.
pub fn unreadable(notes: &mut Notes, table: Table, key: &str, field: &Field<'_>) -> String {
    let value = field.value.as_deref().unwrap_or("not a plain value");
    let text = format!(
        "{}|{key}: {} {value:?} could not be read",
        table.name(),
        field.name
    );
    let of_port = matches!(table, Table::PortQosMap | Table::Port);
    let port = Some(key).filter(|key| of_port && !key.contains(','));
    notes.add(NoteKind::Unparsed, port, text.clone(), field.at);
    text
}

/// A number between bounds, as a fact.
pub fn number(
    notes: &mut Notes,
    table: Table,
    key: &str,
    field: &Field<'_>,
    range: std::ops::RangeInclusive<i64>,
) -> Fact<i64> {
    let parsed = field
        .value
        .as_deref()
        .and_then(|v| v.trim_ascii().parse().ok());
    match parsed.filter(|n| range.contains(n)) {
        Some(n) => Fact::explicit(n, field.at),
        None => Fact::unknown_at(unreadable(notes, table, key, field), field.at),
    }
}

/// orchagent and the SDKs hold sizes in 64 bits.
const BYTES: std::ops::RangeInclusive<i64> = 0..=i64::MAX;
/// orchagent reads the thresholds of WRED with `stoi`: 32 bits, signed.
const WRED_BYTES: std::ops::RangeInclusive<i64> = 0..=i32::MAX as i64;

fn size(notes: &mut Notes, table: Table, key: &str, field: &Field<'_>) -> Fact<u64> {
    number(notes, table, key, field, BYTES).map(|n| n.unsigned_abs())
}

/// A scheduler.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// How it serves.
    pub kind: Fact<SchedulerKind>,
    /// Its weight relative to the others of a port.
    pub weight: Fact<u32>,
}

/// A buffer profile, as a priority group and as a queue use it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Whether a priority group with it is lossless.
    pub lossless: Fact<bool>,
    /// The sizes of a priority group.
    pub group: Arc<GroupBuffer>,
    /// The limit of a queue.
    pub limit: Fact<u64>,
}

/// Rows by name. SONiC has a handful of each, so a sorted list beats a hash.
pub struct Named<'r, T>(Vec<(&'r str, T)>);

impl<'r, T> Named<'r, T> {
    /// Of rows with the same name the last counts, as on the device.
    fn new(rows: impl Iterator<Item = (&'r str, T)>) -> Self {
        let mut rows: Vec<_> = rows.collect();
        rows.reverse();
        rows.sort_by_key(|(name, _)| *name);
        rows.dedup_by_key(|(name, _)| *name);
        Named(rows)
    }

    fn get(&self, name: &str) -> Option<&T> {
        let n = self.0.binary_search_by_key(&name, |(name, _)| name).ok()?;
        self.0.get(n).map(|(_, row)| row)
    }
}

/// All that can be referred to in one database.
pub struct Profiles<'r> {
    maps: [Named<'r, Arc<CodeMap>>; 7],
    /// WRED profiles.
    pub wred: Named<'r, Arc<Ecn>>,
    /// Schedulers.
    pub schedulers: Named<'r, Scheduler>,
    /// Buffer profiles.
    pub buffers: Named<'r, Buffer>,
    /// A map without entries: nothing is mapped.
    pub empty: Arc<CodeMap>,
    /// Every traffic class to queue 0.
    pub queue_zero: Arc<CodeMap>,
    /// Whether references in brackets are resolved by this release.
    brackets: bool,
}

/// What became of a reference.
pub enum Lookup<T> {
    /// The row is there.
    Found(T),
    /// There is none of this name.
    Dangling,
    /// Its table was not captured.
    NotCaptured,
}

/// The maps that a port binds: field, map, table, largest key and value.
pub const MAPS: [(&str, MapName, Table, u8, u8); 7] = [
    ("dscp_to_tc_map", MapName::DscpToTc, Table::DscpToTc, 63, 15),
    ("dot1p_to_tc_map", MapName::PcpToTc, Table::Dot1pToTc, 7, 15),
    (
        "tc_to_queue_map",
        MapName::TcToQueue,
        Table::TcToQueue,
        15,
        63,
    ),
    ("tc_to_pg_map", MapName::TcToPg, Table::TcToPg, 15, 7),
    (
        "pfc_to_queue_map",
        MapName::PfcToQueue,
        Table::PfcToQueue,
        7,
        63,
    ),
    ("pfc_to_pg_map", MapName::PfcToPg, Table::PfcToPg, 7, 7),
    ("tc_to_dscp_map", MapName::TcToDscp, Table::TcToDscp, 15, 63),
];

impl<'r> Profiles<'r> {
    /// Reads them all.
    pub fn read(db: &'r Database<'_>, nvidia: bool, notes: &mut Notes) -> Self {
        let maps = MAPS.map(|(_, name, table, largest_key, largest_value)| {
            Named::new(db.rows(table).iter().map(|row| {
                let map = code_map(notes, name, table, row, largest_key, largest_value);
                (&*row.key, Arc::new(map))
            }))
        });
        let by_key = |table| db.rows(table).iter();
        let pools: HashSet<&str> = by_key(Table::BufferPool).map(|row| &*row.key).collect();
        let mut queue_zero = CodeMap::new();
        (0..8).for_each(|tc| queue_zero.fill_default(tc, 0, &defaults::NO_QUEUE_MAP));
        Profiles {
            maps,
            wred: Named::new(
                by_key(Table::WredProfile)
                    .map(|row| (&*row.key, Arc::new(ecn(notes, row, nvidia)))),
            ),
            schedulers: Named::new(
                by_key(Table::Scheduler).map(|row| (&*row.key, scheduler(notes, row))),
            ),
            buffers: Named::new(
                by_key(Table::BufferProfile).map(|row| (&*row.key, buffer(notes, db, &pools, row))),
            ),
            empty: Arc::new(CodeMap::new()),
            queue_zero: Arc::new(queue_zero),
            brackets: schema(db).is_none_or(|version| version < vec![3, 0, 3]),
        }
    }

    /// The map of a kind with this name.
    pub fn map(
        &self,
        db: &Database<'_>,
        notes: &mut Notes,
        name: MapName,
        table: Table,
        field: &Field<'_>,
    ) -> Lookup<SharedMap> {
        match self.find(db, notes, table, &self.maps[name as usize], field) {
            Lookup::Found(map) => Lookup::Found(Fact::explicit(Arc::clone(map), field.at)),
            Lookup::Dangling => Lookup::Dangling,
            Lookup::NotCaptured => Lookup::NotCaptured,
        }
    }

    /// Follows a reference.
    pub fn find<'m, T>(
        &self,
        db: &Database<'_>,
        notes: &mut Notes,
        table: Table,
        rows: &'m Named<'_, T>,
        field: &Field<'_>,
    ) -> Lookup<&'m T> {
        let reference = reference(field.value.as_deref().unwrap_or_default());
        if let Some(named) = reference.table {
            // APPL_DB spells its tables with `_TABLE` at the end.
            if named.strip_suffix("_TABLE").unwrap_or(named) != table.name() {
                return Lookup::Dangling;
            }
            if !self.brackets {
                let text = format!(
                    "{} is named in brackets, which schema 3_0_3 and later do not resolve",
                    table.name()
                );
                notes.once(NoteKind::Unresolved, table.name(), "[", &text, field.at);
            }
        }
        match rows.get(reference.name) {
            Some(row) => Lookup::Found(row),
            None if db.speaks_of(table) => Lookup::Dangling,
            None => Lookup::NotCaptured,
        }
    }
}

/// The level of the schema: `version_3_0_3` is 3, 0, 3.
pub fn schema(db: &Database<'_>) -> Option<Vec<u32>> {
    let field = db.row(Table::Versions, "DATABASE")?.get("VERSION")?;
    let version = field.value?;
    let parts = version.strip_prefix("version_")?.split('_');
    // A branch's versions (`202311_01`) come after all plain ones.
    parts.map(|part| part.parse().ok()).collect()
}

fn code_map(
    notes: &mut Notes,
    name: MapName,
    table: Table,
    row: &Row<'_>,
    largest_key: u8,
    largest_value: u8,
) -> CodeMap {
    let mut map = CodeMap::new();
    map.complete = row.complete;
    for field in row.fields() {
        if field.name == "NULL" {
            continue;
        }
        let key = small(&field.name, largest_key);
        let value = field.value.as_deref().and_then(|v| small(v, largest_value));
        match (key, value) {
            (Some(key), Some(value)) => map.set_explicit(key, value, field.at),
            _ => {
                unreadable(notes, table, &row.key, &field);
                map.complete = false;
            }
        }
    }
    // What SAI says of a key that the map leaves out.
    let rest = match name {
        MapName::DscpToTc => Some((64, &defaults::UNMAPPED_TC)),
        MapName::PcpToTc => Some((8, &defaults::UNMAPPED_TC)),
        MapName::TcToQueue => Some((8, &defaults::UNMAPPED_QUEUE)),
        _ => None,
    };
    match rest {
        Some((keys, why)) if map.complete => {
            (0..keys).for_each(|key| map.fill_default(key, 0, why));
        }
        Some(_) => {}
        // A rewrite leaves alone what it does not name; of the others it is
        // not documented what happens to a key left out.
        None => map.complete &= name == MapName::TcToDscp,
    }
    map
}

fn small(text: &str, largest: u8) -> Option<u8> {
    text.trim_ascii().parse().ok().filter(|n| *n <= largest)
}

fn truth(notes: &mut Notes, table: Table, key: &str, field: &Field<'_>) -> Fact<bool> {
    match field.value.as_deref() {
        Some("true") => Fact::explicit(true, field.at),
        Some("false") => Fact::explicit(false, field.at),
        _ => Fact::unknown_at(unreadable(notes, table, key, field), field.at),
    }
}

/// What holds where a row has no such field; nothing where the row was cut.
fn absent<T>(row: &Row<'_>, value: T, why: &'static crate::model::Reason) -> Fact<T> {
    if row.complete {
        Fact::Default(value, why.into(), row.at)
    } else {
        Fact::unknown_at(&defaults::CUT, row.at)
    }
}

fn ecn(notes: &mut Notes, row: &Row<'_>, nvidia: bool) -> Ecn {
    const TABLE: Table = Table::WredProfile;
    let mut ecn = Ecn::default();
    let mut covers = absent(row, false, &defaults::ECN_NONE);
    let mut wred = absent(row, false, &defaults::WRED_OFF);
    let whole = Milli::whole(defaults::DROP_PROBABILITY);
    ecn.probability_percent = absent(row, whole, &defaults::DROP_PROBABILITY_WHY);
    ecn.min_percent = Fact::NotApplicable;
    ecn.max_percent = Fact::NotApplicable;
    for field in row.fields() {
        let key = &*row.key;
        let mut bytes =
            |f: &Field<'_>| number(notes, TABLE, key, f, WRED_BYTES).map(|n| n.unsigned_abs());
        match &*field.name {
            // RoCE packets are green: no SONiC default maps any other colour.
            "ecn" => {
                covers = match field.value.as_deref() {
                    Some("ecn_all" | "ecn_green" | "ecn_green_yellow" | "ecn_green_red") => {
                        Fact::explicit(true, field.at)
                    }
                    Some("ecn_none" | "ecn_yellow" | "ecn_red" | "ecn_yellow_red") => {
                        Fact::explicit(false, field.at)
                    }
                    _ => Fact::unknown_at(unreadable(notes, TABLE, key, &field), field.at),
                };
            }
            "green_min_threshold" => ecn.min_bytes = bytes(&field),
            "green_max_threshold" => ecn.max_bytes = bytes(&field),
            "green_drop_probability" => {
                let percent = number(notes, TABLE, key, &field, 0..=100);
                ecn.probability_percent = percent.map(|n| Milli::whole(*n));
            }
            "wred_green_enable" => wred = truth(notes, TABLE, key, &field),
            "yellow_min_threshold"
            | "red_min_threshold"
            | "yellow_max_threshold"
            | "red_max_threshold"
            | "yellow_drop_probability"
            | "red_drop_probability"
            | "wred_yellow_enable"
            | "wred_red_enable" => {}
            _ => unknown_field(notes, TABLE, &field),
        }
    }
    ecn.wred_drop = match (covers.get(), wred.get()) {
        (_, Some(false)) | (Some(true), Some(true)) => wred.map(|_| false),
        (Some(false), Some(true)) => wred.clone(),
        _ => Fact::default(),
    };
    ecn.enabled = match (covers.get(), wred.get()) {
        (Some(true), Some(false)) if !nvidia => {
            Fact::unknown_at(&defaults::ECN_WITHOUT_WRED, covers.at())
        }
        _ => covers,
    };
    ecn
}

fn scheduler(notes: &mut Notes, row: &Row<'_>) -> Scheduler {
    const TABLE: Table = Table::Scheduler;
    let mut scheduler = Scheduler {
        kind: Fact::unknown_at(&defaults::NO_SCHEDULER, row.at),
        weight: Fact::unknown_at(&defaults::NO_WEIGHT, row.at),
    };
    for field in row.fields() {
        match &*field.name {
            "type" => {
                scheduler.kind = match field.value.as_deref() {
                    Some("STRICT") => Fact::explicit(SchedulerKind::Strict, field.at),
                    Some("DWRR" | "WRR") => Fact::explicit(SchedulerKind::Weighted, field.at),
                    _ => Fact::unknown_at(unreadable(notes, TABLE, &row.key, &field), field.at),
                };
            }
            "weight" => {
                let weight = number(notes, TABLE, &row.key, &field, 1..=100);
                scheduler.weight = weight.map(|n| n.unsigned_abs() as u32);
            }
            "meter_type" | "cir" | "pir" | "cbs" | "pbs" | "priority" => {}
            _ => unknown_field(notes, TABLE, &field),
        }
    }
    scheduler
}

fn buffer(notes: &mut Notes, db: &Database<'_>, pools: &HashSet<&str>, row: &Row<'_>) -> Buffer {
    const TABLE: Table = Table::BufferProfile;
    let mut group = GroupBuffer {
        headroom_bytes: absent(row, 0, &defaults::NO_XOFF),
        ..GroupBuffer::default()
    };
    let mut limit = Fact::default();
    let mut dynamic = None;
    for field in row.fields() {
        let key = &*row.key;
        match &*field.name {
            "pool" => group.pool = pool(notes, db, pools, key, &field),
            "size" => group.reserved_bytes = size(notes, TABLE, key, &field),
            "xon" => group.resume_at_bytes = size(notes, TABLE, key, &field),
            "xoff" => group.headroom_bytes = size(notes, TABLE, key, &field),
            "dynamic_th" => {
                let power = number(notes, TABLE, key, &field, -8..=7);
                group.alpha = power.map(|n| Milli::from_f64(2f64.powi(*n as i32)));
                limit = Fact::NotApplicable;
            }
            "static_th" => {
                limit = size(notes, TABLE, key, &field);
                group.alpha = Fact::NotApplicable;
            }
            "headroom_type" => {
                dynamic = (field.value.as_deref() == Some("dynamic")).then_some(field.at);
            }
            "xon_offset" | "packet_discard_action" => {}
            _ => unknown_field(notes, TABLE, &field),
        }
    }
    let lossless = match dynamic {
        Some(at) => {
            group.headroom_bytes = Fact::unknown_at(&defaults::SIZES_AT_RUN_TIME, at);
            Fact::Default(true, (&defaults::CALCULATED).into(), at)
        }
        None => group.headroom_bytes.map(|xoff| *xoff > 0),
    };
    Buffer {
        lossless,
        group: Arc::new(group),
        limit,
    }
}

fn pool(
    notes: &mut Notes,
    db: &Database<'_>,
    pools: &HashSet<&str>,
    key: &str,
    field: &Field<'_>,
) -> Fact<String> {
    let value = field.value.as_deref().unwrap_or_default();
    let reference = reference(value);
    let named = reference.table.unwrap_or("BUFFER_POOL");
    let right_table = named.strip_suffix("_TABLE").unwrap_or(named) == "BUFFER_POOL";
    let found = right_table && pools.contains(reference.name);
    if !found && (!right_table || db.speaks_of(Table::BufferPool)) {
        let text = format!("BUFFER_PROFILE|{key}: pool {value:?} does not exist");
        notes.add(NoteKind::Unresolved, None, text, field.at);
    }
    Fact::explicit(reference.name.to_owned(), field.at)
}

/// The sizes of a group of which the switch computes everything.
pub fn computed_sizes(pool: Fact<String>) -> GroupBuffer {
    let unknown = || Fact::unknown(&defaults::SIZES_AT_RUN_TIME);
    GroupBuffer {
        headroom_bytes: unknown(),
        reserved_bytes: unknown(),
        pause_at_bytes: unknown(),
        resume_at_bytes: unknown(),
        alpha: Fact::unknown(&defaults::SIZES_AT_RUN_TIME),
        pool,
    }
}
