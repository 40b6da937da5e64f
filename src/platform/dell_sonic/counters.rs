//! What `show` commands print: state, counters, neighbours.

use super::buffers;
use crate::model::{
    Counters, Device, Fact, LineOnly, MapName, Mtu, MtuCounts, NoteKind, Origin, Peer, Port,
    Priorities, PriorityCounters, State,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::text::keyvalue::pairs;
use crate::platform::text::sections::with_offsets;
use crate::platform::text::table::thousands;

/// The words of a row, and whether it begins with a port's name.
fn row(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(16).collect();
    let name = words.first()?;
    let numbers = name.strip_prefix("Ethernet").or(name.strip_prefix("Eth"))?;
    let is_port = numbers.starts_with(|c: char| c.is_ascii_digit());
    is_port.then_some(words)
}

fn of(port: &mut Port) -> &mut Counters {
    port.counters.get_or_insert_default()
}

fn priority(port: &mut Port, priority: u8) -> &mut PriorityCounters {
    of(port).by_priority.entry(priority).or_default()
}

/// The priority whose pause stops a queue.
fn priority_of(port: &Port, queue: u8) -> Option<u8> {
    (0..8).find(|priority| port.maps.value(MapName::PfcToQueue, *priority) == Some(queue))
}

fn count(text: &str, at: Origin) -> Fact<i64> {
    match thousands(text) {
        Some(count) => Fact::explicit(count, at),
        None => Fact::unknown_at("the switch shows no number".to_owned(), at),
    }
}

fn cut(notes: &mut Notes, command: &'static str, at: Origin) {
    let text = format!("{command}: a row has not all of its columns");
    notes.once(NoteKind::Unparsed, command, "", &text, at);
}

/// `show version`.
pub fn version(device: &mut Device, capture: usize, text: &str) {
    for pair in pairs(text) {
        let at = Origin::new(capture, pair.offset);
        match pair.key {
            "Software Version" => device.os_version = Fact::explicit(pair.value.to_owned(), at),
            "HwSKU" => device.hardware = Fact::explicit(pair.value.to_owned(), at),
            _ => {}
        }
    }
}

/// `show interface status`: a description may hold any words, so the columns
/// after it count from the right.
pub fn status(ports: &mut Ports, capture: usize, text: &str) {
    for (offset, line) in with_offsets(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [
            name,
            ..,
            oper,
            _reason,
            _negotiation,
            speed,
            mtu,
            _alternate,
        ] = &*words
        else {
            continue;
        };
        let state = match *oper {
            "up" => State::Up,
            "down" => State::Down,
            _ => continue,
        };
        if row(line).is_none() {
            continue;
        }
        let Some(port) = ports.get(name) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        port.oper = Fact::explicit(state, at);
        if let (Ok(mbps), false) = (speed.parse(), port.speed_mbps.is_known()) {
            port.speed_mbps = Fact::explicit(mbps, at);
        }
        if let (Ok(bytes), true) = (mtu.parse(), port.mtu.raw.is_unknown()) {
            port.mtu = Mtu::from_raw(Fact::explicit(bytes, at), MtuCounts::Ip);
        }
    }
}

/// `show qos interface Ethall priority-flow-control statistics`, and the
/// watchdog's, which older releases print below it.
pub fn pause(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    const COMMAND: &str = "show qos interface priority-flow-control statistics";
    /// Which table the rows are of.
    enum Of {
        Nothing,
        Received,
        Transmitted,
        Watchdog,
    }
    let mut table = Of::Nothing;
    for (offset, line) in with_offsets(text) {
        let at = Origin::new(capture, offset);
        let Some(words) = row(line) else {
            if line.contains("Flow Control frames received") {
                table = Of::Received;
            } else if line.contains("Flow Control frames transmitted") {
                table = Of::Transmitted;
            } else if line.contains("Storms") || line.contains("Watchdog") {
                table = Of::Watchdog;
            }
            continue;
        };
        let [name, cells @ ..] = &*words else {
            continue;
        };
        let Some(port) = ports.get(name) else {
            continue;
        };
        match table {
            Of::Nothing => {}
            Of::Watchdog => watchdog(port, cells, at, notes),
            Of::Received | Of::Transmitted => {
                if cells.len() != 8 {
                    cut(notes, COMMAND, at);
                    continue;
                }
                for (id, cell) in (0..8).zip(cells) {
                    let counters = priority(port, id);
                    match table {
                        Of::Received => counters.rx_pause = count(cell, at),
                        _ => counters.tx_pause = count(cell, at),
                    }
                }
            }
        }
    }
}

/// `QUEUE STATUS DETECTED RESTORED …`.
fn watchdog(port: &mut Port, cells: &[&str], at: Origin, notes: &mut Notes) {
    let [queue, status, detected, _restored, ..] = cells else {
        return cut(notes, "priority-flow-control watchdog-statistics", at);
    };
    // Beyond the eighth are those of multicast.
    let Some(queue) = queue.parse().ok().filter(|queue: &u8| *queue < 8) else {
        return;
    };
    let priority = priority_of(port, queue);
    let storms = count(detected, at);
    let sum = &mut of(port).watchdog_trips;
    *sum = match (&*sum, &storms) {
        (Fact::Explicit(a, at), Fact::Explicit(b, _)) => Fact::explicit(a.saturating_add(*b), *at),
        _ => storms,
    };
    let stormed = &mut port.pfc.watchdog.stormed;
    let mut set = stormed.get().unwrap_or_default();
    match (*status, priority) {
        ("stormed", Some(priority)) => set.insert(priority),
        ("operational", _) | ("stormed", None) => {}
        // Not watched: nothing holds now.
        _ => return,
    }
    let at = if set == Priorities::NONE || !stormed.is_known() {
        at
    } else {
        stormed.at()
    };
    *stormed = Fact::explicit(set, at);
}

/// `show queue counters`: `PORT TXQ PACKETS BYTES PPS BPS BITS DROPS BYTES`.
pub fn queues(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    for (offset, line) in with_offsets(text) {
        let at = Origin::new(capture, offset);
        let Some(words) = row(line) else { continue };
        let [name, queue, cells @ ..] = &*words else {
            continue;
        };
        let Some(queue) = queue.strip_prefix("UC").and_then(|id| id.parse().ok()) else {
            continue;
        };
        let [_, bytes, _, _, _, drops, _] = cells else {
            cut(notes, "show queue counters", at);
            continue;
        };
        let Some(port) = ports.get(name) else {
            continue;
        };
        if let Some(id) = priority_of(port, queue) {
            let counters = priority(port, id);
            counters.tx_bytes = count(bytes, at);
            counters.drops = count(drops, at);
        }
    }
}

/// `show buffer pool`.
pub fn pools(device: &mut Device, capture: usize, text: &str) {
    let mut name = None;
    for (offset, line) in with_offsets(text) {
        if let Some(found) = line.trim().strip_prefix("Pool ") {
            name = found.strip_suffix(':');
            continue;
        }
        let (Some(name), Some((key, value))) = (name, line.split_once(':')) else {
            continue;
        };
        let size = value.trim().strip_suffix("bytes").map(str::trim);
        let Some(bytes) = size.and_then(|size| size.parse().ok()) else {
            continue;
        };
        let known = device
            .buffer_pools
            .iter()
            .position(|pool| pool.name == name);
        let n = known.unwrap_or_else(|| {
            device.buffer_pools.push(buffers::pool(name));
            device.buffer_pools.len() - 1
        });
        let Some(pool) = device.buffer_pools.get_mut(n) else {
            continue;
        };
        let fact = Fact::explicit(bytes, Origin::new(capture, offset));
        match key.trim() {
            "size" => pool.size_bytes = fact,
            "shared head room" => pool.headroom_bytes = fact,
            _ => {}
        }
    }
}

/// `show lldp table`.
pub fn neighbors(ports: &mut Ports, capture: usize, text: &str) {
    for (offset, line) in with_offsets(text) {
        let Some(words) = row(line) else { continue };
        let [local, device, port, ..] = &*words else {
            continue;
        };
        if let Some(own) = ports.get(local) {
            own.peer = Some(Peer {
                device: (*device).to_owned(),
                port: Some((*port).to_owned()),
                by: "lldp",
                at: LineOnly(Origin::new(capture, offset)),
            });
        }
    }
}
