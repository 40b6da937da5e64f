//! Priority groups: those of BUFFER_PG, and the lossless ones that the switch
//! makes by itself at run time.

use super::defaults;
use super::facts::Reader;
use super::parse::{Row, Table, port_key};
use super::profiles::{Lookup, computed_sizes};
use super::show::Lookups;
use crate::model::{
    Fact, GroupBuffer, LineOnly, NoteKind, Origin, PoolMode, Port, PriorityGroup, State,
};
use std::sync::Arc;

/// The pool that `buffermgrd` takes lossless groups from.
const LOSSLESS_POOL: &str = "ingress_lossless_pool";

/// Reads the priority groups of all ports of one ASIC.
pub fn read(reader: &mut Reader<'_, '_>, lookups: &Lookups) {
    let db = reader.db;
    let computed = Arc::new(computed_sizes(Fact::unknown(&defaults::SIZES_AT_RUN_TIME)));
    for row in db.rows(Table::BufferPg) {
        group_row(reader, row, &computed);
    }
    run_time(reader, lookups, &computed);
    for n in reader.local.values() {
        if let Some(port) = reader.list.get_mut(*n) {
            port.priority_groups.sort_by_key(|group| group.id);
        }
    }
}

fn group_row<'r>(reader: &mut Reader<'r, '_>, row: &'r Row<'_>, computed: &Arc<GroupBuffer>) {
    const TABLE: Table = Table::BufferPg;
    let (db, profiles) = (reader.db, reader.profiles);
    let (Some(key), Some(field)) = (port_key(&row.key), row.get("profile")) else {
        if row.complete && row.key != "NULL" {
            let text = format!("BUFFER_PG|{}: no port, no group or no profile", row.key);
            reader.notes.add(NoteKind::Unparsed, None, text, row.at);
        }
        return;
    };
    let (lossless, buffer) = if field.value.as_deref() == Some("NULL") {
        let why = (&defaults::CALCULATED).into();
        (Fact::Default(true, why, field.at), Arc::clone(computed))
    } else {
        let rows = &profiles.buffers;
        match profiles.find(db, reader.notes, Table::BufferProfile, rows, &field) {
            Lookup::Found(buffer) => {
                let mut lossless = buffer.lossless.clone();
                // Evidence is the line that binds the profile, not only the profile.
                if let Fact::Default(_, _, at) = &mut lossless
                    && !at.is_known()
                {
                    *at = field.at;
                }
                (lossless, Arc::clone(&buffer.group))
            }
            Lookup::Dangling => {
                reader.dangling(TABLE, row, &field);
                (Fact::explicit(false, field.at), Arc::default())
            }
            Lookup::NotCaptured => {
                let why = "BUFFER_PROFILE was not captured".to_owned();
                (Fact::unknown_at(why, field.at), Arc::default())
            }
        }
    };
    for name in key.ports.split(',') {
        let Some(n) = reader.index(name) else {
            continue;
        };
        let Some(port) = reader.list.get_mut(n) else {
            continue;
        };
        for id in key.first..=key.last {
            let group = PriorityGroup {
                id,
                lossless: lossless.clone(),
                buffer: Arc::clone(&buffer),
                attached: LineOnly(row.at),
            };
            match port.priority_groups.iter_mut().find(|g| g.id == id) {
                Some(there) => *there = group,
                None => port.priority_groups.push(group),
            }
        }
    }
}

/// The groups that `buffermgrd` makes: one for each priority of `pfc_enable`
/// that has no row, numbered as the priority.
fn run_time(reader: &mut Reader<'_, '_>, lookups: &Lookups, computed: &Arc<GroupBuffer>) {
    let pool = lossless_pool(reader);
    for n in reader.local.values() {
        let Some(port) = reader.list.get_mut(*n) else {
            continue;
        };
        let enabled = port.pfc.enabled.get().unwrap_or_default();
        let missing = enabled
            .iter()
            .filter(|id| port.priority_group(*id).is_none());
        let missing: Vec<u8> = missing.collect();
        if missing.is_empty() {
            continue;
        }
        let (lossless, buffer) = match &pool {
            Fact::Explicit(true, _) => precondition(reader.db, port, reader.nvidia, lookups),
            other => (other.clone(), None),
        };
        let buffer = buffer.map_or_else(|| Arc::clone(computed), Arc::new);
        for id in missing {
            port.priority_groups.push(PriorityGroup {
                id,
                lossless: lossless.clone(),
                buffer: Arc::clone(&buffer),
                attached: LineOnly::default(),
            });
        }
    }
}

/// Whether the pool of lossless groups is there. The rows of BUFFER_PG must
/// be known too: a group may have one that was not captured.
fn lossless_pool(reader: &Reader<'_, '_>) -> Fact<bool> {
    let db = reader.db;
    if !db.speaks_of(Table::BufferPg) || !db.speaks_of(Table::BufferPool) {
        return Fact::unknown(&defaults::PRECONDITIONS_UNKNOWN);
    }
    match db.row(Table::BufferPool, LOSSLESS_POOL) {
        Some(row) if row.get("mode").is_some() => Fact::explicit(true, row.at),
        Some(row) => missing("BUFFER_POOL|ingress_lossless_pool has no mode", row.at),
        None => missing(
            "there is no BUFFER_POOL|ingress_lossless_pool",
            Origin::NONE,
        ),
    }
}

/// Not lossless, since the switch lacks what it makes the group from.
fn missing(what: &str, at: Origin) -> Fact<bool> {
    let why = format!("the switch makes no lossless priority group: {what}");
    Fact::Default(false, why.into(), at)
}

/// Whether the switch makes lossless groups on a port, and of which sizes,
/// where the table that tells them was captured. In the order of `buffermgrd`.
fn precondition(
    db: &super::parse::Database<'_>,
    port: &Port,
    nvidia: bool,
    lookups: &Lookups,
) -> (Fact<bool>, Option<GroupBuffer>) {
    let unknown = |why| (Fact::unknown(why), None);
    if !db.speaks_of(Table::CableLength) || !db.speaks_of(Table::Port) {
        return unknown(&defaults::PRECONDITIONS_UNKNOWN);
    }
    let cable = match &port.cable_m {
        Fact::Explicit(0, at) => return (missing("its cable length is 0m (unused)", *at), None),
        Fact::Explicit(metres, _) => *metres,
        cable if cable.at().is_known() => return unknown(&defaults::PRECONDITIONS_UNKNOWN),
        _ => {
            return (
                missing("CABLE_LENGTH has no entry for the port", Origin::NONE),
                None,
            );
        }
    };
    match port.admin {
        Fact::Unknown(_, at) if at.is_known() => {
            return (missing("PORT has no admin_status for it", at), None);
        }
        Fact::Explicit(State::Down, at) if nvidia => {
            return (
                missing("the port is down, which removes it on this ASIC", at),
                None,
            );
        }
        _ => {}
    }
    let Some(speed) = port.speed_mbps.get() else {
        return unknown(&defaults::SPEED_UNKNOWN);
    };
    let made = |at| Fact::Default(true, (&defaults::LOSSLESS_AT_RUN_TIME).into(), at);
    if lookups.rows.is_empty() {
        return (made(port.cable_m.at()), None);
    }
    match lookups.rows.get(&(speed, cable)) {
        Some(row) => {
            let dynamic = pool_mode(db) == Some(PoolMode::Dynamic);
            (made(row.at), Some(row.buffer(LOSSLESS_POOL, dynamic)))
        }
        None => {
            let what = format!("pg_profile_lookup.ini has no row for {speed} and {cable}m");
            (missing(&what, port.cable_m.at()), None)
        }
    }
}

fn pool_mode(db: &super::parse::Database<'_>) -> Option<PoolMode> {
    let mode = db.row(Table::BufferPool, LOSSLESS_POOL)?.get("mode")?;
    match mode.value?.as_ref() {
        "dynamic" => Some(PoolMode::Dynamic),
        "static" => Some(PoolMode::Static),
        _ => None,
    }
}
