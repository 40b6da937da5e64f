//! What is in force and what was counted, from `show interfaces extensive`
//! and `show lldp neighbors`.

use crate::model::{Counters, Fact, LineOnly, LinkPause, Origin, Peer, Port, State};
use crate::platform::ports::Ports;

/// Lines without the blanks around them, with their offsets.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let trimmed = line.trim_start();
        let offset = start + (line.len() - trimmed.len());
        start += line.len() + 1;
        (trimmed.trim_end(), offset)
    })
}

fn is_port(name: &str) -> bool {
    ["et-", "xe-", "ge-", "mge-"]
        .iter()
        .any(|kind| name.starts_with(kind))
}

fn counters(port: &mut Port) -> &mut Counters {
    port.counters.get_or_insert_with(Box::default)
}

/// The part of the output that a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    None,
    Queues,
    Mac,
    Pfc,
}

/// `show interfaces extensive`.
pub fn extensive(ports: &mut Ports, capture: usize, text: &str) {
    let mut name: Option<String> = None;
    let mut part = Part::None;
    for (line, offset) in lines(text) {
        let at = Origin::new(capture, offset);
        if let Some(rest) = line.strip_prefix("Physical interface: ") {
            let own = rest.split([',', ' ']).next().unwrap_or_default();
            name = is_port(own).then(|| own.to_owned());
            part = Part::None;
            if let Some(port) = name.as_deref().and_then(|name| ports.get(name)) {
                let up = rest.contains("Physical link is Up");
                port.oper = Fact::explicit(if up { State::Up } else { State::Down }, at);
            }
            continue;
        }
        let Some(port) = name.as_deref().and_then(|name| ports.get(name)) else {
            continue;
        };
        part = match line {
            "" => part,
            _ if line.starts_with("Queue counters:") => Part::Queues,
            _ if line.starts_with("MAC statistics:") => Part::Mac,
            _ if line.starts_with("MAC Priority Flow Control Statistics") => Part::Pfc,
            _ if line.ends_with(':') || line.starts_with("Queue number:") => Part::None,
            _ => part,
        };
        facts(port, line, at);
        counted(port, part, line, at);
    }
}

fn facts(port: &mut Port, line: &str, at: Origin) {
    if line.contains("Flow control: ") && !port.link_pause.rx.is_known() {
        let on = line.contains("Flow control: Enabled");
        port.link_pause = LinkPause {
            rx: Fact::explicit(on, at),
            tx: Fact::explicit(on, at),
        };
    }
    if let Some((_, rest)) = line.split_once("Speed: ")
        && !port.speed_mbps.is_known()
    {
        let speed = rest.split(',').next().unwrap_or_default();
        let digits = speed.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if let (Ok(number), true) = (digits.parse::<u32>(), speed.ends_with("Gbps")) {
            port.speed_mbps = Fact::explicit(number.saturating_mul(1000), at);
        }
    }
    if let Some((_, rest)) = line.split_once("HS link CRC errors: ") {
        let count = rest
            .split(',')
            .next()
            .and_then(|n| n.trim().parse::<i64>().ok());
        if let Some(count) = count {
            counters(port).link_errors = Fact::explicit(count, at);
        }
    }
}

fn counted(port: &mut Port, part: Part, line: &str, at: Origin) {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let number = |text: &str| text.parse::<i64>().ok();
    match (part, &*words) {
        (Part::Queues, [queue, queued, _, dropped]) => {
            if let (Ok(queue), Some(_), Some(dropped)) =
                (queue.parse::<u8>(), number(queued), number(dropped))
            {
                add_drops(port, queue, dropped, at);
            }
        }
        (Part::Mac, ["MAC", "pause", "frames", received, sent]) => {
            if let (Some(received), Some(sent)) = (number(received), number(sent)) {
                counters(port).link_pause_rx = Fact::explicit(received, at);
                counters(port).link_pause_tx = Fact::explicit(sent, at);
            }
        }
        (Part::Pfc, ["Priority", ":", priority, received, sent]) => {
            if let (Ok(priority @ 0..=7), Some(received), Some(sent)) =
                (priority.parse::<u8>(), number(received), number(sent))
            {
                let of = counters(port).by_priority.entry(priority).or_default();
                of.rx_pause = Fact::explicit(received, at);
                of.tx_pause = Fact::explicit(sent, at);
            }
        }
        _ => {}
    }
}

/// Drops of a queue are those of the priority whose pause it obeys.
fn add_drops(port: &mut Port, queue: u8, dropped: i64, at: Origin) {
    let map = port
        .maps
        .get(crate::model::MapName::PfcToQueue)
        .value()
        .cloned();
    let priority = map.as_ref().and_then(|map| map.keys_of(queue).next());
    let counters = counters(port);
    let sum = counters.drops.get().unwrap_or(0) + dropped;
    counters.drops = Fact::explicit(sum, at);
    if let Some(priority) = priority {
        counters.by_priority.entry(priority).or_default().drops = Fact::explicit(dropped, at);
    }
}

/// `show lldp neighbors`: local interface, parent, chassis, port, system name.
pub fn neighbours(ports: &mut Ports, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [local, _, _, other, device] = &*words else {
            continue;
        };
        if !is_port(local) {
            continue;
        }
        if let Some(port) = ports.get(local) {
            port.peer = Some(Peer {
                device: (*device).to_owned(),
                port: Some((*other).to_owned()),
                by: "lldp",
                at: LineOnly(Origin::new(capture, offset)),
            });
        }
    }
}
