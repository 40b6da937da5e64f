//! What is in force, from show commands.

use super::parse::Said;
use crate::model::{
    Device, Ecn, Fact, LineOnly, NoteKind, Origin, Peer, PfcMode, Priorities, Queue, State,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::text::json::{Document, Node};
use crate::platform::text::keyvalue::pairs;
use crate::platform::text::table::{Row, tables};
use std::sync::Arc;

/// `Et1/1` → `Ethernet1/1`.
pub fn full_name(name: &str) -> String {
    match name
        .strip_prefix("Et")
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        Some(rest) => format!("Ethernet{rest}"),
        None => name.to_owned(),
    }
}

/// A port by its name in a table.
pub fn named(name: &str) -> Option<String> {
    let name = full_name(name);
    name.starts_with("Ethernet").then_some(name)
}

/// `show version`.
pub fn version(device: &mut Device, capture: usize, text: &str) {
    if let Some(document) = json(text) {
        let Some(root) = document.root() else { return };
        for (field, fact) in [
            ("version", &mut device.os_version),
            ("modelName", &mut device.hardware),
        ] {
            if let Some(node) = root.get(field)
                && let Some(value) = node.text()
            {
                *fact = Fact::explicit(
                    value.into_owned(),
                    Origin::new(capture, node.offset() as usize),
                );
            }
        }
        return;
    }
    for pair in pairs(text) {
        if pair.key == "Software image version" {
            let at = Origin::new(capture, pair.offset);
            device.os_version = Fact::explicit(pair.value.to_owned(), at);
        }
    }
    let first = text.lines().find(|line| line.starts_with("Arista "));
    if let Some(model) = first.and_then(|line| line.strip_prefix("Arista ")) {
        let at = Origin::new(capture, text.find(model).unwrap_or_default());
        device.hardware = Fact::explicit(model.trim().to_owned(), at);
    }
}

/// `show priority-flow-control [status]`: one row a port, in two layouts.
pub fn pfc(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let mut timeout: Said<u32> = None;
    for (line, at) in lines(text) {
        if let Some(rest) = line.strip_prefix("The PFC watchdog timeout is ") {
            let seconds = rest.split(' ').next().and_then(|s| s.parse::<f64>().ok());
            timeout = seconds.map(|s| ((s * 1000.0) as u32, Origin::new(capture, at)));
        }
    }
    let flags = text.contains("E: PFC Enabled");
    for (line, offset) in lines(text) {
        let mut words = line.split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        let Some(name) = named(name).filter(|_| name.bytes().any(|b| b.is_ascii_digit())) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        let words: Vec<&str> = words.collect();
        let row = match flags {
            true => by_flags(&words),
            false => by_words(&words),
        };
        let Some((on, active, set)) = row else {
            let what = "a row of show priority-flow-control";
            notes.once(
                NoteKind::Unparsed,
                what,
                &name,
                "the row is not understood",
                at,
            );
            continue;
        };
        let Some(port) = ports.get(&name) else {
            continue;
        };
        let configured = if on { set } else { Some(Priorities::NONE) };
        if !port.pfc.tx.is_known() {
            let known = match configured {
                Some(set) => Fact::explicit(set, at),
                None => Fact::unknown_at("the row does not show the priorities".to_owned(), at),
            };
            port.pfc.tx = known.clone();
            port.pfc.rx = known.clone();
            port.pfc.enabled = known;
            port.pfc.mode = Fact::explicit(if on { PfcMode::On } else { PfcMode::Off }, at);
            if let Some((time, at)) = timeout {
                port.pfc.watchdog.detection_ms = Fact::explicit(time, at);
                if time == 0 {
                    port.pfc.watchdog.enabled = Fact::explicit(false, at);
                }
            }
        }
        port.pfc.operational = match (active, set) {
            (false, _) => Fact::explicit(Priorities::NONE, at),
            (true, Some(set)) => Fact::explicit(set, at),
            (true, None) => Fact::unknown_at("the row does not show the priorities".to_owned(), at),
        };
    }
}

type Shown = (bool, bool, Option<Priorities>);

/// `E A W  3  …`, `D - -`: three flags, then the priorities.
fn by_flags(words: &[&str]) -> Option<Shown> {
    let [on @ ("E" | "D"), active @ ("A" | "-"), "W" | "-", rest @ ..] = words else {
        return None;
    };
    let set = rest.first().and_then(|word| priorities(word));
    Some((*on == "E", *active == "A", set))
}

/// `Yes  3  Yes  note`.
fn by_words(words: &[&str]) -> Option<Shown> {
    match words {
        [on @ ("Yes" | "No"), set, active @ ("Yes" | "No"), ..] => {
            Some((*on == "Yes", *active == "Yes", Some(priorities(set)?)))
        }
        [on @ ("Yes" | "No"), active @ ("Yes" | "No"), ..] => {
            Some((*on == "Yes", *active == "Yes", None))
        }
        _ => None,
    }
}

fn priorities(text: &str) -> Option<Priorities> {
    let list = crate::platform::text::ranges::small_integers(text, 7).ok()?;
    (!list.is_empty()).then(|| list.into_iter().collect())
}

/// `show qos interfaces ethernet 1 ecn`; the command names the port.
pub fn ecn(ports: &mut Ports, capture: usize, text: &str, command: &str) {
    let mut words = command.split_ascii_whitespace();
    let number = words
        .find(|word| word.eq_ignore_ascii_case("ethernet"))
        .and_then(|_| words.next());
    let direct = command.split_ascii_whitespace().find_map(|word| {
        let digits = word.to_ascii_lowercase();
        let digits = digits
            .strip_prefix("ethernet")
            .or(digits.strip_prefix("et"))?
            .to_owned();
        digits
            .starts_with(|c: char| c.is_ascii_digit())
            .then_some(digits)
    });
    let Some(number) = number.map(str::to_owned).or(direct) else {
        return;
    };
    let Some(port) = ports.get(&format!("Ethernet{number}")) else {
        return;
    };
    for table in tables(text) {
        for row in table.rows() {
            let Some([queue, unit, min, max]) = four(&row) else {
                continue;
            };
            let Some(id) = queue.parse().ok().filter(|id: &u8| *id < 8) else {
                continue;
            };
            let at = Origin::new(capture, row.offset());
            let thresholds = super::parse::Thresholds {
                min,
                min_unit: unit,
                max,
                max_unit: unit,
                probability: None,
            };
            if port.queue(id).is_none() {
                port.queues.push(Queue::new(id));
                port.queues.sort_by_key(|queue| queue.id);
            }
            let found = port.queues.iter_mut().find(|queue| queue.id == id);
            if let Some(queue) = found.filter(|queue| !queue.ecn.enabled.is_known()) {
                let mut ecn: Ecn = super::facts::ecn(&thresholds, at);
                ecn.wred_drop = Fact::default();
                queue.ecn = Arc::new(ecn);
            }
        }
    }
}

fn four<'a>(row: &Row<'_, 'a>) -> Option<[&'a str; 4]> {
    match row.cells() {
        [a, b, c, d] => Some([a.text, b.text, c.text, d.text]),
        _ => None,
    }
}

/// `show interfaces status`: Port, Name, Status, Vlan, Duplex, Speed, Type.
pub fn status(ports: &mut Ports, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let Some(name) = words.first().and_then(|name| named(name)) else {
            continue;
        };
        let states = ["connected", "notconnect", "disabled", "errdisabled"];
        let Some(n) = words.iter().position(|word| states.contains(word)) else {
            continue;
        };
        let Some(port) = ports.get(&name) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        let state = if words[n] == "connected" {
            State::Up
        } else {
            State::Down
        };
        port.oper = Fact::explicit(state, at);
        let speed = words[n + 1..].iter().find_map(|word| {
            let digits = word.strip_suffix('G')?.trim_start_matches("a-");
            digits.parse::<u32>().ok()?.checked_mul(1000)
        });
        if let Some(speed) = speed.filter(|_| !port.speed_mbps.is_known()) {
            port.speed_mbps = Fact::explicit(speed, at);
        }
    }
}

/// `show lldp neighbors`, as a table or as JSON.
pub fn neighbours(ports: &mut Ports, capture: usize, text: &str) {
    if let Some(document) = json(text) {
        let list = document.root().and_then(|root| root.get("lldpNeighbors"));
        for entry in list.iter().flat_map(|list| list.items()) {
            let of = |field: &str| entry.get(field).and_then(|node| node.text());
            if let (Some(port), Some(device)) = (of("port"), of("neighborDevice")) {
                let other = of("neighborPort").map(|port| port.into_owned());
                let at = Origin::new(capture, entry.offset() as usize);
                peer(ports, &port, &device, other, at);
            }
        }
        return;
    }
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if let [port, device, other, ttl] = &*words
            && ttl.bytes().all(|b| b.is_ascii_digit())
        {
            let at = Origin::new(capture, offset);
            peer(ports, port, device, Some((*other).to_owned()), at);
        }
    }
}

fn peer(ports: &mut Ports, port: &str, device: &str, other: Option<String>, at: Origin) {
    let Some(port) = named(port).and_then(|name| ports.get(&name)) else {
        return;
    };
    port.peer = Some(Peer {
        device: device.to_owned(),
        port: other,
        by: "lldp",
        at: LineOnly(at),
    });
}

/// Lines with their offsets.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let offset = start;
        start += line.len() + 1;
        (line.trim_end(), offset)
    })
}

/// A number in JSON, also as a string; nothing for `-`.
pub fn number(node: &Node<'_>) -> Option<i64> {
    node.text()?.trim().parse().ok()
}

/// The JSON of a command, where it printed JSON.
pub fn json(text: &str) -> Option<Document<'_>> {
    let text = text.trim_start();
    text.starts_with('{').then(|| Document::parse(text))
}
