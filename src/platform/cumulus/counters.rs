//! Counters of one sample, and the watchdog's state.

use super::defaults;
use super::grammar::{number, switch};
use super::show::{Shown, is_keys, keys};
use crate::model::{Counters, Fact, MapName, Origin, Port, Priorities, PriorityCounters};
use crate::platform::text::table::{Row, Table, tables, thousands};

fn of(port: &mut Port) -> &mut Counters {
    port.counters.get_or_insert_default()
}

fn priority(port: &mut Port, priority: u8) -> &mut PriorityCounters {
    of(port).by_priority.entry(priority).or_default()
}

/// The priority that the counters of RoCE count: the one with PFC, else 3
/// (user guide, RoCE: switch priority 3).
fn roce_priority(port: &Port) -> u8 {
    let enabled = port.pfc.enabled.get().unwrap_or_default();
    let mut all = enabled.iter();
    match (all.next(), all.next()) {
        (Some(only), None) => only,
        _ => 3,
    }
}

/// `nv show interface IF qos roce counters`.
pub fn roce(port: &mut Port, capture: usize, text: &str) {
    for table in tables(text).filter(is_keys) {
        let keys = keys(&table);
        let count = |path: &str| {
            let cell = keys.get(path).and_then(Shown::best)?;
            let at = Origin::new(capture, cell.offset);
            Some(match thousands(cell.text) {
                Some(count) => Fact::explicit(count, at),
                None => Fact::unknown_at(&defaults::UNREADABLE, at),
            })
        };
        let received = count("rx-stats/rx-roce-stats/no-buffer-discard");
        let sent = count("tx-stats/tx-roce-stats/unicast-no-buffer-discard");
        let others = [
            count("rx-stats/rx-non-roce-stats/no-buffer-discard"),
            count("tx-stats/tx-cnp-stats/unicast-no-buffer-discard"),
        ];
        let id = roce_priority(port);
        let one = priority(port, id);
        if let Some(pause) = count("rx-stats/rx-pfc-stats/pause-packets") {
            one.rx_pause = pause;
        }
        if let Some(pause) = count("tx-stats/tx-pfc-stats/pause-packets") {
            one.tx_pause = pause;
        }
        if let Some(drops) = sum([received.clone(), sent.clone()]) {
            one.drops = drops;
        }
        let all = [received, sent].into_iter().chain(others);
        if let Some(drops) = sum(all) {
            of(port).drops = drops;
        }
        if let Some(marked) = count("tx-stats/tx-ecn-stats/ecn-marked-packets") {
            of(port).ecn_marked = marked;
        }
    }
}

/// The sum of counters, at the first that is not zero; `None` where one is
/// not shown.
fn sum(counts: impl IntoIterator<Item = Option<Fact<i64>>>) -> Option<Fact<i64>> {
    let mut total: Option<Fact<i64>> = None;
    for count in counts {
        let count = count?;
        total = Some(match total {
            None => count,
            Some(total) => match (total.get(), count.get()) {
                (Some(0), Some(_)) => count,
                (Some(a), Some(b)) => total.map(|_| a.saturating_add(b)),
                (None, _) => total,
                (_, None) => count,
            },
        });
    }
    total
}

/// `nv show interface IF counters qos`.
pub fn interface(port: &mut Port, capture: usize, text: &str) {
    let all: Vec<Table<'_>> = tables(text).collect();
    let mut ingress = None;
    for table in &all {
        if table.column("rx-pause-frames").is_some() {
            pause(port, capture, table);
        } else if table.column("rx-buffer-discards").is_some() {
            ingress = Some(zero(table, "rx-buffer-discards"));
        } else if table.column("Transmit").is_some() {
            port_statistics(port, capture, table);
        }
    }
    for table in &all {
        if table.column("tx-uc-buffer-discards").is_some() {
            discards(port, capture, table, ingress == Some(true));
        }
    }
}

fn cell_count(row: &Row<'_, '_>, name: &str, capture: usize) -> Option<Fact<i64>> {
    let cell = row.cell(name)?;
    let count = thousands(cell.text)?;
    Some(Fact::explicit(count, Origin::new(capture, cell.offset)))
}

fn pause(port: &mut Port, capture: usize, table: &Table<'_>) {
    for row in table.rows() {
        let id = row
            .cell("switch-priority")
            .and_then(|c| number(c.text, 7u8));
        let Some(id) = id else { continue };
        let one = priority(port, id);
        if let Some(count) = cell_count(&row, "rx-pause-frames", capture) {
            one.rx_pause = count;
        }
        if let Some(count) = cell_count(&row, "tx-pause-frames", capture) {
            one.tx_pause = count;
        }
    }
}

/// Whether a column of discards is zero all the way down.
fn zero(table: &Table<'_>, name: &str) -> bool {
    let cells = table.rows().map(|row| row.cell(name));
    cells
        .into_iter()
        .all(|cell| cell.is_some_and(|cell| is_zero(cell.text)))
}

fn is_zero(text: &str) -> bool {
    matches!(text, "0" | "0 Bytes" | "0 B")
}

/// Discards on the way out, by the priorities of each traffic class. They are
/// counted in bytes, so only whether there are any can be told in packets.
fn discards(port: &mut Port, capture: usize, table: &Table<'_>, none_received: bool) {
    for row in table.rows() {
        let class = row.cell("traffic-class").and_then(|c| number(c.text, 7u8));
        let (Some(class), Some(cell)) = (class, row.cell("tx-uc-buffer-discards")) else {
            continue;
        };
        let at = Origin::new(capture, cell.offset);
        let drops = match (thousands(cell.text), is_zero(cell.text)) {
            (_, true) if none_received => Fact::explicit(0, at),
            (_, true) => Fact::unknown_at(&defaults::DISCARDS_RECEIVED, at),
            (Some(count), _) => Fact::explicit(count, at),
            (None, _) => Fact::unknown_at(&defaults::DISCARDS_IN_BYTES, at),
        };
        for id in priorities_of(port, class).iter() {
            priority(port, id).drops = drops.clone();
        }
    }
}

/// The switch priorities of a traffic class: by the port's map, else the one
/// of the same number.
fn priorities_of(port: &Port, class: u8) -> Priorities {
    match port.maps.get(MapName::TcToQueue).value() {
        Some(map) => map.keys_of(class).collect(),
        None => [class].into_iter().collect(),
    }
}

fn port_statistics(port: &mut Port, capture: usize, table: &Table<'_>) {
    for row in table.rows() {
        let name = row
            .at(0)
            .map(|cell| cell.text)
            .filter(|text| !text.is_empty());
        let name = name.or_else(|| row.cell("Counter").map(|cell| cell.text));
        if name == Some("ecn-marked-packets")
            && let Some(count) = cell_count(&row, "Transmit", capture)
        {
            of(port).ecn_marked = count;
        }
    }
}

/// `nv show interface IF qos pfc-watchdog`.
pub fn watchdog(port: &mut Port, capture: usize, text: &str) {
    for table in tables(text).filter(is_keys) {
        let keys = keys(&table);
        let state = keys.get("state").and_then(Shown::best);
        if let Some((cell, on)) = state.and_then(|cell| Some((cell, switch(cell.text)?)))
            && !matches!(port.pfc.watchdog.enabled, Fact::Explicit(..))
        {
            let at = Origin::new(capture, cell.offset);
            port.pfc.watchdog.enabled = Fact::explicit(on, at);
        }
    }
    let mut stormed: Option<Fact<Priorities>> = None;
    let mut trips = None;
    // A blank line stands between the dashes and the rows, so the rows are
    // told by their shape: `3  DEADLOCK  2`.
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let at = Origin::new(capture, offset);
        offset += line.len();
        let words: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
        let [class, status, count] = *words else {
            continue;
        };
        let (Some(class), Some(count)) = (number(class, 7u8), number(count, i64::MAX)) else {
            continue;
        };
        let storm = match status {
            "DEADLOCK" => priorities_of(port, class),
            "OK" => Priorities::NONE,
            _ => continue,
        };
        stormed = Some(match stormed {
            Some(old) if storm.is_empty() => old,
            Some(old) if old.get() != Some(Priorities::NONE) => {
                old.map(|old| Priorities::from_mask(old.mask() | storm.mask()))
            }
            _ => Fact::explicit(storm, at),
        });
        trips = sum([trips, Some(Fact::explicit(count, at))]
            .into_iter()
            .filter(Option::is_some));
    }
    if let Some(stormed) = stormed {
        port.pfc.watchdog.stormed = stormed;
    }
    if let Some(trips) = trips {
        of(port).watchdog_trips = trips;
    }
}
