//! What `show` commands print of configuration and state, and the table of
//! headroom that buffermgrd looks up.

use super::defaults;
use super::parse::{Database, Field, Row, Table};
use super::qos::{priorities, set_pfc};
use crate::model::{
    Device, Fact, GroupBuffer, Milli, Mtu, MtuCounts, NoteKind, Origin, Priorities, State,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::text::keyvalue;
use crate::platform::text::table::{self, RowShape};
use std::borrow::Cow;
use std::collections::HashMap;

/// Rows of `pg_profile_lookup.ini`.
#[derive(Default)]
pub struct Lookups {
    /// By speed in Mb/s and cable length in metres.
    pub rows: HashMap<(u32, u32), LookupRow>,
}

/// One row: what a lossless group gets at a speed and cable length.
pub struct LookupRow {
    /// Where it stands.
    pub at: Origin,
    size: u64,
    xon: u64,
    xoff: u64,
    threshold: i32,
}

impl LookupRow {
    /// The sizes of a group made from this row.
    pub fn buffer(&self, pool: &str, dynamic: bool) -> GroupBuffer {
        let bytes = |n| Fact::Default(n, (&defaults::FROM_LOOKUP).into(), self.at);
        GroupBuffer {
            headroom_bytes: bytes(self.xoff),
            reserved_bytes: bytes(self.size),
            resume_at_bytes: bytes(self.xon),
            pause_at_bytes: Fact::default(),
            alpha: match dynamic && (-8..=7).contains(&self.threshold) {
                true => {
                    let alpha = Milli::from_f64(2f64.powi(self.threshold));
                    Fact::Default(alpha, (&defaults::FROM_LOOKUP).into(), self.at)
                }
                false => Fact::NotApplicable,
            },
            pool: Fact::Default(pool.to_owned(), (&defaults::FROM_LOOKUP).into(), self.at),
        }
    }
}

impl Lookups {
    /// Reads the table: `speed cable size xon xoff threshold [xon_offset]`.
    pub fn read(&mut self, capture: usize, text: &str) {
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let row = lookup_row(line, Origin::new(capture, offset));
            self.rows.extend(row);
            offset += line.len();
        }
    }
}

fn lookup_row(line: &str, at: Origin) -> Option<((u32, u32), LookupRow)> {
    let mut words = line.split_ascii_whitespace();
    let mut next = || words.next();
    let speed = next()?.parse().ok()?;
    let cable = next()?.strip_suffix('m')?.parse().ok()?;
    let row = LookupRow {
        at,
        size: next()?.parse().ok()?,
        xon: next()?.parse().ok()?,
        xoff: next()?.parse().ok()?,
        threshold: next()?.parse().ok()?,
    };
    Some(((speed, cable), row))
}

/// `show ecn`, `show mmu`, `show buffer configuration`: blocks headed
/// `Profile: NAME`, `Pool for namespace asic0: NAME`, each a table of two
/// columns between dashes. Their rows join those of the configuration.
pub fn blocks(databases: &mut [Database<'_>], capture: usize, text: &str) {
    for block in read_blocks(capture, text) {
        let named = databases.iter().position(|db| db.asic == block.asic);
        let Some(db) = databases.get_mut(named.unwrap_or_default()) else {
            continue;
        };
        db.mark_shown(block.table);
        let row = Row::shown(block.name, block.at, block.fields);
        db.add_shown(block.table, row);
    }
}

struct Block {
    table: Table,
    asic: String,
    name: String,
    at: Origin,
    fields: Vec<Field<'static>>,
}

fn read_blocks(capture: usize, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut offset = 0;
    for whole in text.split_inclusive('\n') {
        let (line, at) = (whole.trim(), Origin::new(capture, offset));
        let indent = whole.len() - whole.trim_start().len();
        if let Some(block) = heading(line, at) {
            blocks.push(block);
        } else if let (Some(block), Some((name, value))) =
            (blocks.last_mut(), line.split_once("  "))
            && !line.starts_with('-')
        {
            let value_at = offset + indent + line.len() - value.trim_start().len();
            block.fields.push(Field {
                name: Cow::Owned(name.to_owned()),
                value: Some(Cow::Owned(value.trim().to_owned())),
                at: Origin::new(capture, value_at),
            });
        }
        offset += whole.len();
    }
    // Only a WRED profile has thresholds of colours.
    for block in &mut blocks {
        let wred = |f: &Field<'_>| f.name == "ecn" || f.name.ends_with("_threshold");
        if block.table == Table::BufferProfile && block.fields.iter().any(wred) {
            block.table = Table::WredProfile;
        }
    }
    blocks
}

fn heading(line: &str, at: Origin) -> Option<Block> {
    let (title, name) = line.split_once(':')?;
    let (kind, asic) = title.split_once(" for namespace ").unwrap_or((title, ""));
    let table = match kind {
        "Profile" => Table::BufferProfile,
        "Pool" => Table::BufferPool,
        "Lossless traffic pattern" => Table::LosslessParameter,
        _ => return None,
    };
    Some(Block {
        table,
        asic: asic.trim().to_owned(),
        name: name.trim().to_owned(),
        at,
        fields: Vec::new(),
    })
}

/// The WRED profiles that `show ecn` printed with thresholds out of order:
/// it does not tell which queues use them.
pub fn profile_order(db: &Database<'_>, notes: &mut Notes) {
    for row in db.rows(Table::WredProfile) {
        let bytes = |name| -> Option<(u64, Origin)> {
            let field = row.get(name)?;
            Some((field.value?.trim().parse().ok()?, field.at))
        };
        if let (Some((min, at)), Some((max, _))) =
            (bytes("green_min_threshold"), bytes("green_max_threshold"))
            && min > max
            && row.is_shown()
        {
            let text = format!(
                "WRED profile {}: green_min_threshold {min} above green_max_threshold {max}",
                row.key
            );
            notes.add(NoteKind::Conflict, None, text, at);
        }
    }
}

/// `BIG_RED_SWITCH status is enable`, ` on asic0` where there are several.
fn big_red_switch(databases: &mut [Database<'_>], capture: usize, text: &str) {
    const SAYS: &str = "BIG_RED_SWITCH status is ";
    let mut offset = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim();
        if let Some(state) = line.strip_prefix(SAYS) {
            let (state, asic) = state.split_once(" on ").unwrap_or((state, ""));
            let at = Origin::new(capture, offset);
            let field = Field {
                name: Cow::Borrowed("BIG_RED_SWITCH"),
                value: Some(Cow::Owned(state.to_owned())),
                at,
            };
            let named = databases.iter().position(|db| db.asic == asic);
            if let Some(db) = databases.get_mut(named.unwrap_or_default()) {
                let row = Row::shown("GLOBAL".to_owned(), at, vec![field]);
                db.add_shown(Table::PfcWatchdog, row);
            }
        }
        offset += whole.len();
    }
}

/// `pfcwd show config`: rows of PFC_WD.
pub fn watchdog_config(
    databases: &mut [Database<'_>],
    capture: usize,
    text: &str,
    notes: &mut Notes,
) {
    const HEADER: [&str; 5] = [
        "PORT",
        "ACTION",
        "DETECTION TIME",
        "RESTORATION TIME",
        "HISTORY",
    ];
    big_red_switch(databases, capture, text);
    let tables: Vec<_> = table::tables(text).collect();
    let tables = tables
        .iter()
        .filter(|t| t.column("DETECTION TIME").is_some());
    for table in tables {
        let mut whole = true;
        for row in table.rows() {
            let at = Origin::new(capture, row.offset());
            if row.shape() != RowShape::Whole {
                cut_row(notes, at, "show pfcwd config");
                whole = false;
                continue;
            }
            let field = |column: &str, name: &'static str| {
                row.cell(column)
                    .filter(|cell| !cell.text.is_empty())
                    .map(|cell| Field {
                        name: Cow::Borrowed(name),
                        value: Some(Cow::Owned(cell.text.to_owned())),
                        at: Origin::new(capture, cell.offset),
                    })
            };
            let Some(port) = row.cell(HEADER[0]) else {
                continue;
            };
            let fields: Vec<_> = [
                field(HEADER[1], "action"),
                field(HEADER[2], "detection_time"),
                field(HEADER[3], "restoration_time"),
                field(HEADER[4], "pfc_stat_history"),
            ]
            .into_iter()
            .flatten()
            .collect();
            for db in databases.iter_mut() {
                let name = port.text.to_owned();
                let row = Row::shown(name, at, fields.clone());
                db.add_shown(Table::PfcWatchdog, row);
            }
        }
        if whole {
            databases
                .iter_mut()
                .for_each(|db| db.mark_shown(Table::PfcWatchdog));
        }
    }
}

/// A row that the end of the capture, or something in between, has spoilt.
pub fn cut_row(notes: &mut Notes, at: Origin, what: &str) {
    let text = format!("{what} has a row with too few or too many columns");
    notes.add(NoteKind::Failed, None, text, at);
}

/// `show pfc priority`: CONFIG_DB, for those ports that no configuration
/// speaks of.
pub fn pfc_priority(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let header = ["Interface", "Lossless priorities"];
    for table in table::tables(text).filter(|t| t.column(header[1]).is_some()) {
        for row in table.rows() {
            let (Some(name), at) = (row.cell(header[0]), Origin::new(capture, row.offset())) else {
                cut_row(
                    notes,
                    Origin::new(capture, row.offset()),
                    "show pfc priority",
                );
                continue;
            };
            let Some(port) = ports.get(name.text) else {
                continue;
            };
            let (shown, at) = match row.cell(header[1]) {
                Some(cell) => (cell.text, Origin::new(capture, cell.offset)),
                None => ("", at),
            };
            let set = match shown {
                "N/A" => Some(Priorities::NONE),
                shown => priorities(shown),
            };
            let Some(set) = set else {
                let text = format!("show pfc priority: {shown:?} is no list of priorities");
                notes.add(NoteKind::Unparsed, Some(name.text), text, at);
                continue;
            };
            match port.pfc.enabled.get() {
                None => set_pfc(port, Fact::explicit(set, at)),
                // Both come from CONFIG_DB, so one of them is older.
                Some(known) if known != set && !known.is_empty() => {
                    let text = format!("the configuration has PFC on {known}, this shows {set}");
                    notes.add(NoteKind::Conflict, Some(name.text), text, at);
                }
                Some(_) => {}
            }
        }
    }
}

/// `show pfc asymmetric`.
pub fn pfc_asymmetric(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    for table in table::tables(text).filter(|t| t.column("Asymmetric").is_some()) {
        for row in table.rows() {
            let (Some(name), Some(cell)) = (row.cell("Interface"), row.cell("Asymmetric")) else {
                continue;
            };
            let at = Origin::new(capture, cell.offset);
            if let Some(port) = ports.get(name.text)
                && cell.text == "on"
                && port.pfc.rx.get() != Some(Priorities::from_mask(0xff))
            {
                port.pfc.rx = Fact::explicit(Priorities::from_mask(0xff), at);
                let text = "asymmetric PFC: pause is obeyed on every priority".to_owned();
                notes.add(NoteKind::Remark, Some(name.text), text, at);
            }
        }
    }
}

/// `show interfaces status`: what is in force now.
pub fn interfaces_status(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    for table in table::tables(text).filter(|t| t.column("Asym PFC").is_some()) {
        for row in table.rows() {
            let at = Origin::new(capture, row.offset());
            if row.shape() != RowShape::Whole {
                cut_row(notes, at, "show interfaces status");
                continue;
            }
            let Some(name) = row
                .cell("Interface")
                .filter(|c| c.text.starts_with("Ethernet"))
            else {
                continue;
            };
            let Some(port) = ports.get(name.text) else {
                continue;
            };
            let cell = |column| {
                row.cell(column)
                    .map(|c| (c.text, Origin::new(capture, c.offset)))
            };
            let state = |column| {
                let (text, at) = cell(column)?;
                match text {
                    "up" => Some(Fact::explicit(State::Up, at)),
                    "down" => Some(Fact::explicit(State::Down, at)),
                    _ => None,
                }
            };
            if let Some(oper) = state("Oper") {
                port.oper = oper;
            }
            if let (false, Some(admin)) = (port.admin.is_known(), state("Admin")) {
                port.admin = admin;
            }
            if let (false, Some((text, at))) = (port.speed_mbps.is_known(), cell("Speed"))
                && let Some(speed) = speed_mbps(text)
            {
                port.speed_mbps = Fact::explicit(speed, at);
            }
            if let (false, Some((text, at))) = (port.mtu.raw.is_known(), cell("MTU"))
                && let Ok(mtu) = text.parse()
            {
                port.mtu = Mtu::from_raw(Fact::explicit(mtu, at), MtuCounts::Ip);
            }
            if let (false, Some((text, at))) = (port.fec.is_known(), cell("FEC"))
                && text != "N/A"
            {
                port.fec = Fact::explicit(text.to_owned(), at);
            }
        }
    }
}

/// `25G`, `100M`, `1000M`.
fn speed_mbps(text: &str) -> Option<u32> {
    match text.strip_suffix('G') {
        Some(gigabits) => gigabits.parse::<u32>().ok()?.checked_mul(1000),
        None => text.strip_suffix('M')?.parse().ok(),
    }
}

/// `show version`.
pub fn version(device: &mut Device, capture: usize, text: &str) {
    for pair in keyvalue::pairs(text) {
        let value_at = pair.offset + pair.key.len();
        let at = Origin::new(capture, value_at);
        match pair.key {
            "SONiC Software Version" => {
                // Every release bears the system's name in front.
                let version = pair.value.strip_prefix("SONiC.").unwrap_or(pair.value);
                device.os_version = Fact::explicit(version.to_owned(), at);
            }
            "HwSKU" if !device.hardware.is_known() => {
                device.hardware = Fact::explicit(pair.value.to_owned(), at);
            }
            _ => {}
        }
    }
}
