//! What is in force, from display commands.

use super::parse::port_speed;
use crate::model::{Counters, Device, Ecn, Fact, LineOnly, Milli, Origin, Peer, Queue, State};
use crate::platform::ports::Ports;
use crate::platform::text::table::thousands;
use std::sync::Arc;

/// Lines that are not blank, with their offsets.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut start = 0;
    text.split('\n').filter_map(move |line| {
        let offset = start;
        start += line.len() + 1;
        let line = line.trim_end();
        (!line.trim_start().is_empty()).then_some((line, offset))
    })
}

/// `display version`: `VRP (R) software, Version 8.191 (CE6865EI V200R019C10)`
/// and `HUAWEI CE6865-48S8CQ-EI uptime is …`.
pub fn version(device: &mut Device, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let at = Origin::new(capture, offset);
        let release = line.split_once("software, Version ");
        let release = release.and_then(|(_, rest)| rest.split_once('(')?.1.split_once(')'));
        if let Some((inside, _)) = release {
            let version = inside.split(' ').next_back().unwrap_or(inside);
            device.os_version = Fact::explicit(version.to_owned(), at);
        }
        let model = line.trim_start().strip_prefix("HUAWEI ");
        if let Some((model, _)) = model.and_then(|rest| rest.split_once(" uptime is")) {
            device.hardware = Fact::explicit(model.to_owned(), at);
        }
    }
}

/// `display interface brief`: states, and errors since the last clear.
pub fn interfaces(ports: &mut Ports, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [name, physical, _, _, _, inside, outside] = &*words else {
            continue;
        };
        // The rate of a port may stand behind its name: `100GE1/0/1(10G)`.
        let name = name.split('(').next().unwrap_or(name);
        let errors = thousands(inside).zip(thousands(outside));
        let (Some(_), Some((inside, outside))) = (port_speed(name), errors) else {
            continue;
        };
        let Some(port) = ports.get(name) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        let state = if *physical == "up" {
            State::Up
        } else {
            State::Down
        };
        port.oper = Fact::explicit(state, at);
        if *physical == "*down" && !port.admin.is_known() {
            port.admin = Fact::explicit(State::Down, at);
        }
        counters(port).link_errors = Fact::explicit(inside + outside, at);
    }
}

fn counters(port: &mut crate::model::Port) -> &mut Counters {
    port.counters.get_or_insert_with(Box::default)
}

/// `display ai-ecn calculated state`: the thresholds that it has set.
pub fn ai_ecn(ports: &mut Ports, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [name, queue, low, high, percent, ..] = &*words else {
            continue;
        };
        let queue = queue.parse().ok().filter(|id: &u8| *id < 8);
        let levels = low.parse::<u64>().ok().zip(high.parse::<u64>().ok());
        let (Some(id), Some((low, high)), Ok(percent), Some(_)) =
            (queue, levels, percent.parse::<u8>(), port_speed(name))
        else {
            continue;
        };
        let Some(port) = ports.get(name) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        if port.queue(id).is_none() {
            port.queues.push(Queue::new(id));
            port.queues.sort_by_key(|queue| queue.id);
        }
        let found = port.queues.iter_mut().find(|queue| queue.id == id);
        if let Some(queue) = found {
            queue.ecn = Arc::new(Ecn {
                enabled: Fact::explicit(true, at),
                min_bytes: Fact::explicit(low, at),
                max_bytes: Fact::explicit(high, at),
                min_percent: Fact::NotApplicable,
                max_percent: Fact::NotApplicable,
                probability_percent: Fact::explicit(Milli::whole(i64::from(percent)), at),
                wred_drop: queue.ecn.wred_drop.clone(),
            });
        }
    }
}

/// `display lldp neighbor brief`: local interface, time, neighbour's interface
/// and name; or, as older releases order it, the time last.
pub fn neighbours(ports: &mut Ports, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let digits = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        let (name, other, device) = match &*words {
            [name, time, other, device] if digits(time) => (name, other, device),
            [name, device, other, time] if digits(time) => (name, other, device),
            _ => continue,
        };
        let known = port_speed(name).and_then(|_| ports.get(name));
        if let Some(port) = known {
            port.peer = Some(Peer {
                device: (*device).to_owned(),
                port: Some((*other).to_owned()),
                by: "lldp",
                at: LineOnly(Origin::new(capture, offset)),
            });
        }
    }
}
