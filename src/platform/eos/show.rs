//! What is in force, from show commands.

use super::parse::Said;
use super::qos::Thresholds;
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

/// What the lines above the table say of the watchdog of all ports.
#[derive(Default)]
struct Above<'t> {
    timeout: Said<u32>,
    recovery: Said<u32>,
    action: Said<&'t str>,
}

impl<'t> Above<'t> {
    fn read(capture: usize, text: &'t str) -> Self {
        let mut above = Above::default();
        for (line, offset) in lines(text) {
            let Some(rest) = line.strip_prefix("The PFC watchdog ") else {
                continue;
            };
            let at = Origin::new(capture, offset);
            let seconds = |text: &str| {
                let seconds: f64 = text.split(' ').next()?.parse().ok()?;
                Some(((seconds * 1000.0) as u32, at))
            };
            if let Some(time) = rest.strip_prefix("timeout is ") {
                above.timeout = seconds(time);
            } else if let Some(time) = rest.strip_prefix("recovery-time is ") {
                // `(auto)`: the time is no time.
                above.recovery = seconds(time).filter(|_| !time.contains("(auto)"));
            } else if let Some(action) = rest.strip_prefix("action is ") {
                above.action = Some((action, at));
            }
        }
        above
    }
}

/// `show priority-flow-control [status]`: one row a port, in two layouts.
pub fn pfc(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let above = Above::read(capture, text);
    let flags = text.contains("E: PFC Enabled");
    for (line, offset) in lines(text) {
        let mut words = line.split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        let Some(name) = named(name).filter(|_| name.bytes().any(|b| b.is_ascii_digit())) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        let words: Vec<&str> = words.collect();
        let shown = match flags {
            true => by_flags(&words),
            false => by_words(&words),
        };
        let Some(shown) = shown else {
            let what = "a row of show priority-flow-control";
            let text = "the row is not understood";
            notes.once(NoteKind::Unparsed, what, &name, text, at);
            continue;
        };
        let Some(port) = ports.get(&name) else {
            continue;
        };
        let priorities = match shown.priorities {
            Some(set) => Fact::explicit(set, at),
            None => Fact::unknown_at("the row does not show the priorities".to_owned(), at),
        };
        if !port.pfc.tx.is_known() {
            let configured = match shown.on {
                true => priorities.clone(),
                false => Fact::explicit(Priorities::NONE, at),
            };
            port.pfc.tx = configured.clone();
            port.pfc.rx = configured.clone();
            port.pfc.enabled = configured;
            let mode = if shown.on { PfcMode::On } else { PfcMode::Off };
            port.pfc.mode = Fact::explicit(mode, at);
            watchdog(port, &above, &shown, at);
        }
        port.pfc.operational = match shown.active {
            false => Fact::explicit(Priorities::NONE, at),
            true => priorities,
        };
    }
}

fn watchdog(port: &mut crate::model::Port, above: &Above<'_>, shown: &Shown, at: Origin) {
    let watchdog = &mut port.pfc.watchdog;
    watchdog.enabled = match (above.timeout, shown.watched) {
        (Some((0, at)), _) => Fact::explicit(false, at),
        (_, Some(watched)) => Fact::explicit(watched, at),
        (_, None) => Fact::default(),
    };
    if let Some((time, at)) = above.timeout {
        watchdog.detection_ms = Fact::explicit(time, at);
    }
    if let Some((time, at)) = above.recovery {
        watchdog.restoration_ms = Fact::explicit(time, at);
    }
    if let Some((action, at)) = above.action {
        watchdog.action = Fact::explicit(action.to_owned(), at);
    }
}

/// What a row shows.
struct Shown {
    on: bool,
    active: bool,
    /// Whether the watchdog watches, where the layout tells.
    watched: Option<bool>,
    priorities: Option<Priorities>,
}

/// `E A W  3  …`, `D - -`: three flags, then the priorities.
fn by_flags(words: &[&str]) -> Option<Shown> {
    let [
        on @ ("E" | "D"),
        active @ ("A" | "-"),
        watched @ ("W" | "-"),
        rest @ ..,
    ] = words
    else {
        return None;
    };
    Some(Shown {
        on: *on == "E",
        active: *active == "A",
        watched: Some(*watched == "W"),
        priorities: leading(rest).0,
    })
}

/// `Yes  3  Yes  note`.
fn by_words(words: &[&str]) -> Option<Shown> {
    let [on @ ("Yes" | "No"), rest @ ..] = words else {
        return None;
    };
    let (priorities, rest) = leading(rest);
    let rest = rest.strip_prefix(&["-"]).unwrap_or(rest);
    let [active @ ("Yes" | "No"), ..] = rest else {
        return None;
    };
    Some(Shown {
        on: *on == "Yes",
        active: *active == "Yes",
        watched: None,
        priorities,
    })
}

/// The priorities at the front (`3`, `3 4`, `3,4`), and what follows them.
fn leading<'a, 't>(words: &'a [&'t str]) -> (Option<Priorities>, &'a [&'t str]) {
    let mut all: Option<Priorities> = None;
    let mut rest = words;
    while let Some((first, after)) = rest.split_first()
        && let Some(set) = priorities(first)
    {
        all = Some(all.map_or(set, |all| all.iter().chain(set.iter()).collect()));
        rest = after;
    }
    (all, rest)
}

fn priorities(text: &str) -> Option<Priorities> {
    let list = crate::platform::text::ranges::small_integers(text, 7).ok()?;
    (!list.is_empty()).then(|| list.into_iter().collect())
}

/// `show qos interfaces ethernet 1 ecn`; the command names the port.
pub fn ecn(ports: &mut Ports, capture: usize, text: &str, command: &str, notes: &mut Notes) {
    let Some(name) = port_of(command) else {
        let text = "the output does not name its port: the command above it would";
        let at = Origin::new(capture, 0);
        return notes.add(NoteKind::Failed, None, text.to_owned(), at);
    };
    let Some(port) = ports.get(&name) else {
        return;
    };
    for table in tables(text) {
        for row in table.rows() {
            let Some([queue, unit, min, max]) = four(&row) else {
                continue;
            };
            let id = queue.parse().ok().filter(|id: &u8| *id < 8);
            let (Some(id), Some(thresholds)) = (id, Thresholds::of(min, max, unit)) else {
                continue;
            };
            let at = Origin::new(capture, row.offset());
            if port.queue(id).is_none() {
                port.queues.push(Queue::new(id));
                port.queues.sort_by_key(|queue| queue.id);
            }
            let found = port.queues.iter_mut().find(|queue| queue.id == id);
            if let Some(queue) = found.filter(|queue| !queue.ecn.enabled.is_known()) {
                let mut ecn: Ecn = super::facts::marked(&thresholds, at);
                ecn.wred_drop = Fact::default();
                queue.ecn = Arc::new(ecn);
            }
        }
    }
}

/// The port in `show qos interfaces ethernet 1 ecn`, `… Et1/1 ecn`.
fn port_of(command: &str) -> Option<String> {
    let mut words = command.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let lower = word.to_ascii_lowercase();
        let Some(rest) = lower.strip_prefix("et") else {
            continue;
        };
        let rest = rest.strip_prefix("hernet").or(rest.strip_prefix('h'));
        let digits = match rest.unwrap_or(lower.get(2..).unwrap_or_default()) {
            "" => words.next().unwrap_or_default().to_owned(),
            digits => digits.to_owned(),
        };
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(format!("Ethernet{digits}"));
        }
    }
    None
}

fn four<'a>(row: &Row<'_, 'a>) -> Option<[&'a str; 4]> {
    match row.cells() {
        [a, b, c, d] => Some([a.text, b.text, c.text, d.text]),
        _ => None,
    }
}

/// `show interfaces status`: Port, Name, Status, Vlan, Duplex, Speed, Type; or
/// as JSON.
pub fn status(ports: &mut Ports, capture: usize, text: &str) {
    if let Some(document) = json(text) {
        let list = document
            .root()
            .and_then(|root| root.get("interfaceStatuses"));
        for (name, node) in list.iter().flat_map(|list| list.entries()) {
            let Some(port) = named(&name.text()).and_then(|name| ports.get(&name)) else {
                continue;
            };
            let at = |node: &Node<'_>| Origin::new(capture, node.offset() as usize);
            if let Some(state) = node.get("linkStatus") {
                let up = state.text().as_deref() == Some("connected");
                let up = if up { State::Up } else { State::Down };
                port.oper = Fact::explicit(up, at(&state));
            }
            let speed = node.get("bandwidth");
            let mbps = speed.as_ref().and_then(number).map(|bps| bps / 1_000_000);
            let mbps = mbps.and_then(|mbps| u32::try_from(mbps).ok());
            if let (Some(speed), Some(mbps @ 1..), false) =
                (speed, mbps, port.speed_mbps.is_known())
            {
                port.speed_mbps = Fact::explicit(mbps, at(&speed));
            }
        }
        return;
    }
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
