//! What is in force, from display commands.

use super::names;
use crate::model::{Device, Fact, Origin, PfcMode, Priorities};
use crate::platform::ports::Ports;
use crate::platform::text::ranges::small_integers;
use crate::platform::text::table::thousands;
use std::collections::HashMap;

/// Lines that are not blank, with their offsets.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut start = 0;
    text.split('\n').filter_map(move |line| {
        let offset = start;
        start += line.len() + 1;
        let line = line.trim_end();
        (!line.trim_start().is_empty()).then_some((line, offset))
    })
}

/// `display version`: `H3C Comware Software, Version 7.1.070, Release 6555P01`
/// and `H3C S9820-64H uptime is …`.
pub fn version(device: &mut Device, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let at = Origin::new(capture, offset);
        let line = line.trim_start();
        if let Some((_, version)) = line.split_once("Comware Software, Version ") {
            device.os_version = Fact::explicit(version.to_owned(), at);
        }
        let model = line.strip_prefix("H3C ").or(line.strip_prefix("HPE "));
        if let Some((model, _)) = model.and_then(|rest| rest.split_once(" uptime is")) {
            device.hardware = Fact::explicit(model.to_owned(), at);
        }
    }
}

/// Rows of a table whose lines were wrapped by the terminal: the cells of a
/// port in the order of the columns, the name first.
fn rows(text: &str) -> Vec<(Vec<&str>, usize)> {
    let mut rows: Vec<(Vec<&str>, usize)> = Vec::new();
    let mut ruled = false;
    for (line, offset) in lines(text) {
        let body = line.trim_start();
        if body.bytes().all(|b| b == b'-') {
            ruled = true;
            continue;
        }
        if !ruled {
            continue;
        }
        let words = body.split_ascii_whitespace();
        let starts_row = words.clone().next().and_then(names::numbers).is_some();
        match rows.last_mut() {
            _ if starts_row => rows.push((words.collect(), offset)),
            // A row has nine cells; what wraps is no longer than that.
            Some((row, _)) if row.len() < 9 => row.extend(words),
            _ => {}
        }
    }
    rows
}

/// `display priority-flow-control interface`: administrative and operational
/// mode, the no-drop priorities (which may be none, an empty column), then a
/// priority with pause frames received and sent and their rates.
pub fn pfc(ports: &mut Ports, capture: usize, text: &str) {
    let known = by_numbers(ports);
    for (row, offset) in rows(text) {
        let at = Origin::new(capture, offset);
        let [name, admin, oper, rest @ ..] = &*row else {
            continue;
        };
        let (list, counts) = match rest {
            [prio, recv, send, _, _] => (None, Some((prio, recv, send))),
            [list, prio, recv, send, _, _] => (Some(*list), Some((prio, recv, send))),
            [list] => (Some(*list), None),
            [] => (None, None),
            _ => continue,
        };
        let mode = match *admin {
            "Enabled" => PfcMode::On,
            "Auto" => PfcMode::Auto,
            "Disabled" => PfcMode::Off,
            _ => continue,
        };
        let set = small_integers(list.unwrap_or_default(), 7).ok();
        let named = names::numbers(name).and_then(|numbers| known.get(numbers).cloned());
        let port = named.or_else(|| names::full(name));
        let port = port.and_then(|name| ports.get(&name));
        let (Some(set), Some(port)) = (set, port) else {
            continue;
        };
        let set: Priorities = set.into_iter().collect();
        let in_force = if *oper == "Enabled" {
            set
        } else {
            Priorities::NONE
        };
        port.pfc.operational = Fact::explicit(in_force, at);
        // A port of which no configuration was captured, or that negotiates.
        let configured = match mode {
            PfcMode::On => Some(set),
            PfcMode::Auto => Some(in_force),
            PfcMode::Off => Some(Priorities::NONE),
        };
        if let (false, Some(set)) = (port.pfc.enabled.is_known(), configured) {
            port.pfc.enabled = Fact::explicit(set, at);
            port.pfc.tx = port.pfc.enabled.clone();
            port.pfc.rx = port.pfc.enabled.clone();
        }
        if !port.pfc.mode.is_known() {
            port.pfc.mode = Fact::explicit(mode, at);
        }
        let Some((prio, recv, send)) = counts else {
            continue;
        };
        let counted = thousands(recv).zip(thousands(send));
        let prio = prio.parse().ok().filter(|prio: &u8| *prio < 8);
        if let (Some(prio), Some((recv, send))) = (prio, counted) {
            let counters = port.counters.get_or_insert_with(Box::default);
            let one = counters.by_priority.entry(prio).or_default();
            one.rx_pause = Fact::explicit(recv, at);
            one.tx_pause = Fact::explicit(send, at);
        }
    }
}

/// The names of the ports by their numbers, which no two ports share.
fn by_numbers(ports: &Ports) -> HashMap<String, String> {
    let named = ports.list.iter().filter_map(|port| {
        let numbers = names::numbers(&port.name)?;
        Some((numbers.to_owned(), port.name.clone()))
    });
    named.collect()
}
