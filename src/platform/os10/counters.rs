//! What `show` commands print: state, counters, neighbours.

use crate::model::{
    Counters, Device, Fact, LineOnly, MapName, NoteKind, Origin, Peer, Port, Priorities,
    PriorityCounters,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::text::keyvalue::pairs;
use crate::platform::text::ranges::small_integers;
use crate::platform::text::sections::with_offsets;
use crate::platform::text::table::thousands;

/// A port's name as the configuration writes it: `ethernet1/1/15`. Outputs
/// also write `Eth 1/1/15` and `ethernet 1/1/15`.
pub fn port_name(text: &str) -> Option<String> {
    let letters = text.find(|c: char| c.is_ascii_digit())?;
    let (kind, numbers) = text.split_at(letters);
    let kind = kind.trim_end();
    let is = |name: &str| kind.eq_ignore_ascii_case(name);
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '/' | ':');
    let whole = numbers.chars().all(plain) && numbers.contains('/');
    ((is("ethernet") || is("eth")) && whole).then(|| format!("ethernet{numbers}"))
}

fn of(port: &mut Port) -> &mut Counters {
    port.counters.get_or_insert_default()
}

fn priority(port: &mut Port, priority: u8) -> &mut PriorityCounters {
    of(port).by_priority.entry(priority).or_default()
}

/// `show version`.
pub fn version(device: &mut Device, capture: usize, text: &str) {
    for pair in pairs(text) {
        let at = Origin::new(capture, pair.offset);
        match pair.key {
            "OS Version" => device.os_version = Fact::explicit(pair.value.to_owned(), at),
            "System Type" => device.hardware = Fact::explicit(pair.value.to_owned(), at),
            _ => {}
        }
    }
}

/// `show interface priority-flow-control details`: for each port what is in
/// force, and frames by priority.
pub fn pfc(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let mut name = None;
    let mut rows = false;
    let mut in_force = None;
    for (offset, line) in with_offsets(text) {
        let line_at = Origin::new(capture, offset);
        if let Some(found) = port_name(line.trim()) {
            name = Some(found);
            rows = false;
            in_force = None;
            continue;
        }
        let Some(port) = name.as_deref().and_then(|name| ports.get(name)) else {
            continue;
        };
        let words: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
        if matches!(&*words, ["Cos", "Rx", "Tx"]) {
            rows = true;
        } else if let (true, [cos, rx, tx]) = (rows, &*words) {
            let cos = cos.parse().ok().filter(|cos: &u8| *cos < 8);
            let (Some(cos), Some(rx), Some(tx)) = (cos, thousands(rx), thousands(tx)) else {
                cut(notes, line_at);
                continue;
            };
            let counters = priority(port, cos);
            counters.rx_pause = Fact::explicit(rx, line_at);
            counters.tx_pause = Fact::explicit(tx, line_at);
        } else if let Some((key, value)) = line.split_once(':') {
            match (key.trim(), value.trim()) {
                ("Operstatus", state @ ("true" | "false")) => in_force = Some(state == "true"),
                ("PFC Priorities", list) => {
                    let set = match (in_force, small_integers(list, 7)) {
                        (Some(false), _) => Some(Priorities::NONE),
                        (Some(true), Ok(list)) => Some(list.into_iter().collect()),
                        _ => None,
                    };
                    match set {
                        Some(set) => port.pfc.operational = Fact::explicit(set, line_at),
                        None => cut(notes, line_at),
                    }
                }
                _ => {}
            }
        }
    }
}

fn cut(notes: &mut Notes, at: Origin) {
    let text = "show interface priority-flow-control: this line is not understood";
    notes.once(NoteKind::Unparsed, "pfc", "", text, at);
}

/// `show queuing statistics interface …`: packets and drops of queues.
pub fn queuing(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let mut name = None;
    let mut rows = false;
    for (offset, line) in with_offsets(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().take(6).collect();
        match &*words {
            ["Interface", rest @ ..] => {
                name = port_name(&rest.concat());
                rows = false;
            }
            [
                "Queue",
                "Packets",
                "Bytes",
                "Dropped-Packets",
                "Dropped-Bytes",
            ] => rows = true,
            [queue, cells @ ..] if rows && queue.parse::<u8>().is_ok() => {
                let port = name.as_deref().and_then(|name| ports.get(name));
                let (Some(port), Ok(queue)) = (port, queue.parse::<u8>()) else {
                    continue;
                };
                let at = Origin::new(capture, offset);
                let cells: Vec<_> = cells.iter().map(|cell| thousands(cell)).collect();
                let [_, bytes, drops, _] = &*cells else {
                    let text = "show queuing statistics: a row has not all of its columns";
                    notes.once(NoteKind::Unparsed, "queuing", "", text, at);
                    continue;
                };
                let Some(id) = priority_of(port, queue) else {
                    continue;
                };
                let fact = |count: &Option<i64>| match count {
                    Some(count) => Fact::explicit(*count, at),
                    None => Fact::unknown_at("the device shows no number".to_owned(), at),
                };
                let counters = priority(port, id);
                counters.tx_bytes = fact(bytes);
                counters.drops = fact(drops);
            }
            _ => {}
        }
    }
}

/// The priority whose pause stops a queue.
fn priority_of(port: &Port, queue: u8) -> Option<u8> {
    (0..8).find(|priority| port.maps.value(MapName::PfcToQueue, *priority) == Some(queue))
}

/// `show lldp neighbors`.
pub fn neighbors(ports: &mut Ports, capture: usize, text: &str) {
    for (offset, line) in with_offsets(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
        let [local, device, port, ..] = &*words else {
            continue;
        };
        let Some(own) = port_name(local).and_then(|name| ports.get(&name)) else {
            continue;
        };
        own.peer = Some(Peer {
            device: (*device).to_owned(),
            port: Some((*port).to_owned()),
            by: "lldp",
            at: LineOnly(Origin::new(capture, offset)),
        });
    }
}
