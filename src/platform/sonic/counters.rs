//! Counters that `show` commands print. What is absent, `N/A` or out of date
//! is unknown, never zero.

use super::defaults;
use super::show::cut_row;
use crate::model::{Counters, Fact, MapName, NoteKind, Origin, Port, PriorityCounters};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::text::table::{self, Cell, Row, RowShape, Table, thousands};

const PFC: [&str; 8] = [
    "PFC0", "PFC1", "PFC2", "PFC3", "PFC4", "PFC5", "PFC6", "PFC7",
];
const GROUPS: [&str; 8] = ["PG0", "PG1", "PG2", "PG3", "PG4", "PG5", "PG6", "PG7"];

fn fact(cell: Cell<'_>, capture: usize) -> Option<Fact<i64>> {
    let count = thousands(cell.text)?;
    Some(Fact::explicit(count, Origin::new(capture, cell.offset)))
}

fn of(port: &mut Port) -> &mut Counters {
    port.counters.get_or_insert_default()
}

fn priority(port: &mut Port, priority: u8) -> &mut PriorityCounters {
    of(port).by_priority.entry(priority).or_default()
}

fn add(sum: &mut Fact<i64>, more: &Fact<i64>) {
    *sum = match (&*sum, more) {
        (Fact::Explicit(a, at), Fact::Explicit(b, _)) => Fact::explicit(a.saturating_add(*b), *at),
        _ => more.clone(),
    };
}

/// A warning that the counters are not polled: `PG counters are disabled`.
fn disabled(text: &str) -> bool {
    text.contains("counters are disabled")
}

/// Tells of a row that lacks cells, and passes on those that it has. The last
/// of them may have been cut in the middle of its digits.
fn whole_cells<'a>(row: &Row<'_, 'a>, notes: &mut Notes, capture: usize, what: &str) -> usize {
    match row.shape() {
        RowShape::Whole => usize::MAX,
        RowShape::Short(cells) => {
            cut_row(notes, Origin::new(capture, row.offset()), what);
            cells.saturating_sub(1)
        }
        RowShape::Malformed => {
            cut_row(notes, Origin::new(capture, row.offset()), what);
            0
        }
    }
}

/// Rows of one cell a priority or group, below a port's name.
fn by_eight(
    ports: &mut Ports,
    capture: usize,
    tables: &[Table<'_>],
    what: &str,
    notes: &mut Notes,
    mut set: impl FnMut(&mut Port, u8, Fact<i64>),
) {
    for table in tables {
        for row in table.rows() {
            let known = whole_cells(&row, notes, capture, what);
            let name = row.at(0).map(|c| c.text).unwrap_or_default();
            let Some(port) = Some(name).filter(|n| n.starts_with("Ethernet")) else {
                continue;
            };
            let Some(port) = ports.get(port) else {
                continue;
            };
            for (id, cell) in (0..8u8).zip(row.cells().iter().skip(1)) {
                if usize::from(id) + 1 < known.max(1)
                    && let Some(count) = fact(*cell, capture)
                {
                    set(port, id, count);
                }
            }
        }
    }
}

/// `show pfc counters`, filtered or not.
pub fn pfc(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    for (title, received) in [("Port Rx", true), ("Port Tx", false)] {
        let mut header = vec![title];
        header.extend(PFC);
        let tables = table::headed_tables(text, &header);
        by_eight(
            ports,
            capture,
            &tables,
            "show pfc counters",
            notes,
            |port, id, count| {
                let counters = priority(port, id);
                match received {
                    true => counters.rx_pause = count,
                    false => counters.tx_pause = count,
                }
            },
        );
    }
}

/// `show priority-group drop counters`.
pub fn group_drops(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let mut header = vec!["Port"];
    header.extend(GROUPS);
    let tables = table::headed_tables(text, &header);
    let stale = disabled(text);
    let what = "show priority-group drop counters";
    by_eight(ports, capture, &tables, what, notes, |port, id, count| {
        let count = match stale {
            true => Fact::unknown_at(&defaults::COUNTERS_OFF, count.at()),
            false => count,
        };
        if let Some(id) = priority_of_group(port, id) {
            add(&mut priority(port, id).drops, &count);
        }
    });
}

/// The priority that a group stands for: by `pfc_to_pg`, else by `tc_to_pg`
/// where exactly one class uses the group, else its own number.
fn priority_of_group(port: &Port, group: u8) -> Option<u8> {
    let map = [MapName::PfcToPg, MapName::TcToPg]
        .into_iter()
        .find_map(|name| port.maps.get(name).value());
    match map {
        Some(map) if map.value(group) == Some(group) => Some(group),
        Some(map) => map
            .keys_of(group)
            .next()
            .filter(|_| map.keys_of(group).count() == 1),
        None => Some(group),
    }
}

/// The priority that a queue stands for: by `pfc_to_queue`, else its number.
fn priority_of_queue(port: &Port, queue: u8) -> Option<u8> {
    match port.maps.get(MapName::PfcToQueue).value() {
        Some(map) if map.value(queue) == Some(queue) => Some(queue),
        Some(map) => map.keys_of(queue).next(),
        None => Some(queue).filter(|queue| *queue < 8),
    }
}

/// The unicast queue of a cell: `UC3`.
fn unicast(cell: Cell<'_>) -> Option<u8> {
    cell.text
        .strip_prefix("UC")?
        .parse()
        .ok()
        .filter(|n: &u8| *n < 8)
}

fn queue_rows(
    ports: &mut Ports,
    capture: usize,
    text: &str,
    column: &str,
    what: &str,
    notes: &mut Notes,
    mut set: impl FnMut(&mut Port, u8, &Row<'_, '_>),
) {
    let tables = table::tables(text).filter(|t| t.column(column).is_some());
    for table in tables {
        for row in table.rows() {
            if row.shape() != RowShape::Whole {
                cut_row(notes, Origin::new(capture, row.offset()), what);
                continue;
            }
            let (Some(name), Some(queue)) = (row.cell("Port"), row.cell("TxQ").and_then(unicast))
            else {
                continue;
            };
            if name.text.starts_with("Ethernet")
                && let Some(port) = ports.get(name.text)
            {
                set(port, queue, &row);
            }
        }
    }
}

/// `show queue counters`: what unicast queues sent and dropped.
pub fn queues(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let stale = disabled(text);
    let (column, what) = ("Counter/bytes", "show queue counters");
    queue_rows(
        ports,
        capture,
        text,
        column,
        what,
        notes,
        |port, queue, row| {
            let Some(id) = priority_of_queue(port, queue) else {
                return;
            };
            let count = |column| {
                let count = fact(row.cell(column)?, capture)?;
                Some(match stale {
                    true => Fact::unknown_at(&defaults::COUNTERS_OFF, count.at()),
                    false => count,
                })
            };
            let counters = priority(port, id);
            if let Some(bytes) = count(column) {
                counters.tx_bytes = bytes;
            }
            if let Some(drops) = count("Drop/pkts") {
                add(&mut counters.drops, &drops);
            }
        },
    );
}

/// `show queue wredcounters`: packets marked CE.
pub fn wred(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let stale = disabled(text);
    let (column, what) = ("EcnMarked/pkts", "show queue wredcounters");
    queue_rows(ports, capture, text, column, what, notes, |port, _, row| {
        if let Some(marked) = row.cell(column).and_then(|cell| fact(cell, capture)) {
            let marked = match stale {
                true => Fact::unknown_at(&defaults::COUNTERS_OFF, marked.at()),
                false => marked,
            };
            add(&mut of(port).ecn_marked, &marked);
        }
    });
}

/// `pfcwd show stats`: storms since the start, and those that hold now.
pub fn watchdog(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    const STORMS: &str = "STORM DETECTED/RESTORED";
    for table in table::tables(text).filter(|t| t.column(STORMS).is_some()) {
        if table.rows().next().is_none() {
            for port in &mut ports.list {
                let at = Origin::new(capture, table.offset());
                if !port.pfc.watchdog.stormed.is_known() {
                    port.pfc.watchdog.stormed = Fact::unknown_at(&defaults::NO_STATS, at);
                }
            }
        }
        for row in table.rows() {
            let at = Origin::new(capture, row.offset());
            if row.shape() != RowShape::Whole {
                cut_row(notes, at, "show pfcwd stats");
                continue;
            }
            let queue = row
                .cell("QUEUE")
                .and_then(|cell| cell.text.rsplit_once(':'));
            let Some((name, Ok(queue))) = queue.map(|(name, id)| (name, id.parse::<u8>())) else {
                continue;
            };
            let Some(port) = ports.get(name) else {
                continue;
            };
            let storms = row.cell(STORMS).and_then(|cell| {
                let (detected, _) = cell.text.split_once('/')?;
                let at = Origin::new(capture, cell.offset);
                Some(Fact::explicit(thousands(detected)?, at))
            });
            if let Some(storms) = storms {
                add(&mut of(port).watchdog_trips, &storms);
            }
            stormed(port, queue, row.cell("STATUS"), capture, notes);
        }
    }
}

fn stormed(
    port: &mut Port,
    queue: u8,
    status: Option<Cell<'_>>,
    capture: usize,
    notes: &mut Notes,
) {
    let Some(status) = status else { return };
    let priority = priority_of_queue(port, queue);
    let fact = &mut port.pfc.watchdog.stormed;
    let mut set = fact.get().unwrap_or_default();
    let mut at = Some(fact.at()).filter(|_| fact.is_known() && !set.is_empty());
    match status.text {
        "stormed" => {
            if let Some(priority) = priority {
                set.insert(priority);
            }
            at.get_or_insert(Origin::new(capture, status.offset));
        }
        "operational" => {}
        // Stopped: nothing holds now, and nothing is watched.
        "N/A" => return,
        other => {
            let text = format!("show pfcwd stats: status {other:?} is not known");
            let at = Origin::new(capture, status.offset);
            notes.add(NoteKind::Unparsed, Some(&port.name), text, at);
            return;
        }
    }
    let at = at.unwrap_or(Origin::new(capture, status.offset));
    *fact = Fact::explicit(set, at);
}
