//! `dcb pfc|app|ets|buffer|apptrust|dcbx show dev IF` of iproute2, JSON and text.

use super::{Evidence, Input, Part, Statements, Subject, device_name, is_json, tokens};
use crate::model::{
    CodeMap, Dcbx, Fact, GroupBuffer, MapName, Milli, NoteKind, PfcMode, Priorities, PriorityGroup,
    Queue, SchedulerKind, Trust,
};
use crate::platform::linux::defaults;
use crate::platform::text::json::{Document, Node};
use std::sync::Arc;

/// Keys that begin a line, or follow others on it.
const KEYS: &[&str] = &[
    "prio-pfc",
    "dscp-prio",
    "prio-tc",
    "tc-tsa",
    "tc-bw",
    "prio-buffer",
    "buffer-size",
    "tc-maxrate",
];

/// Whether the text is of this tool.
pub fn recognise(text: &str) -> bool {
    if is_json(text) {
        return [
            "\"prio_pfc\"",
            "\"dscp_prio\"",
            "\"tc_tsa\"",
            "\"prio_buffer\"",
            "\"tc_maxrate\"",
            "\"pfc_cap\"",
            "\"lld_managed\"",
            "\"lld-managed\"",
        ]
        .iter()
        .any(|key| text.contains(key))
            || (text.contains("\"order\"") && text.contains("cp\""));
    }
    super::lines(text).any(|(_, line)| {
        line.split_whitespace().any(|word| KEYS.contains(&word))
            && line.contains(':')
            && !line.contains(" dcb ")
            && !line.contains(" set dev ")
            || line.trim_start().starts_with("order: ") && line.contains("cp")
            || line.contains(NO_MAPPING)
    })
}

/// A heading that people's scripts print over an empty APP table.
const NO_MAPPING: &str = "(empty = no mapping configured)";

/// Reads what `dcb` printed; a silent `dcb app show` has no entry.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let named = input.option(&["dev"]).map(Subject::netdev);
    let mut part = Part::new(named.unwrap_or_default(), Evidence::Possible);
    part.nic();
    let object = input.command.iter().find(|word| OBJECTS.contains(word));
    if input.text.trim().is_empty() {
        if object == Some(&"app") {
            app(&mut part, CodeMap::new(), input.at(0));
            out.push(part);
        }
        return;
    }
    if is_json(input.text) {
        let document = Document::parse(input.text);
        if let Some(error) = document.error() {
            let text = format!("the JSON could not be read to its end: {}", error.kind);
            out.note(NoteKind::Failed, text, input.at(error.offset as usize));
        }
        if let Some(root) = document.root() {
            json(input, root, object.copied(), &mut part);
        }
        out.push(part);
        return;
    }
    let mut parts = vec![part];
    for (offset, line) in input.lines() {
        if let Some(name) = named_in(line) {
            let subject = Subject {
                netdev: Some(name),
                ..Subject::default()
            };
            let other = parts.last().is_some_and(|part| part.subject != subject);
            if other && parts.len() < Statements::MOST {
                let mut part = Part::new(subject, Evidence::Possible);
                part.nic();
                parts.push(part);
            }
        }
        if let Some(part) = parts.last_mut() {
            text_line(input, offset, line, part);
        }
    }
    for part in parts.into_iter().filter(Part::says_something) {
        out.push(part);
    }
}

const OBJECTS: &[&str] = &[
    "pfc", "app", "ets", "buffer", "apptrust", "maxrate", "dcbx", "rewr",
];

/// A script's heading: `… state for ens1f0np0:`, `… order on ens1f0np0: dscp`.
fn named_in(line: &str) -> Option<String> {
    let line = line.trim();
    let at = line.find(" for ").map(|at| at + 5);
    let at = at.or_else(|| line.find(" on ").map(|at| at + 4))?;
    let name = line.get(at..)?.split(':').next()?.trim();
    (line.get(at..)?.contains(':') && name.chars().any(|c| c.is_ascii_digit()))
        .then(|| device_name(name))
        .flatten()
}

fn text_line(input: &Input<'_>, offset: usize, line: &str, part: &mut Part) {
    let at = input.at(offset);
    if line.contains(NO_MAPPING) {
        return app(part, CodeMap::new(), at);
    }
    for marker in ["order: ", "trust order on "] {
        if let Some((before, rest)) = line.split_once(marker) {
            let words = rest.split_once(": ").map_or(rest, |(_, words)| words);
            if before.trim().is_empty() || marker != "order: " {
                return trust(part, &words.split_whitespace().collect::<Vec<_>>(), at);
            }
        }
    }
    let mut key = "";
    let mut values: Vec<(usize, &str, &str)> = Vec::new();
    for (offset, word) in tokens(offset, line) {
        match word.split_once(':') {
            Some((id, value)) => values.push((offset, id, value)),
            None => {
                entries(input, key, &values, part);
                (key, values) = (word, Vec::new());
                if matches!(key, "ieee" | "cee" | "host" | "lld-managed") {
                    dcbx_word(part, line, at);
                }
            }
        }
    }
    entries(input, key, &values, part);
}

/// `dcb dcbx show`: `host ieee` is the operating system, `lld-managed` or no
/// `host` the firmware. Only a line that holds nothing else is of it.
fn dcbx_word(part: &mut Part, line: &str, at: crate::model::Origin) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let flags = ["host", "lld-managed", "cee", "ieee", "static"];
    if words.iter().all(|word| flags.contains(word)) {
        dcbx(
            part,
            words.contains(&"host"),
            words.contains(&"lld-managed"),
            at,
        );
    }
}

fn dcbx(part: &mut Part, host: bool, managed: bool, at: crate::model::Origin) {
    let (agent, mode) = match (host, managed) {
        (true, false) => (Dcbx::Os, PfcMode::On),
        _ => (Dcbx::Firmware, PfcMode::Auto),
    };
    part.nic().dcbx = Fact::explicit(agent, at);
    part.port.pfc.mode = Fact::explicit(mode, at);
}

/// The entries `0:off 1:on …` of one key.
fn entries(input: &Input<'_>, key: &str, values: &[(usize, &str, &str)], part: &mut Part) {
    let Some((offset, ..)) = values.first().copied() else {
        return;
    };
    let at = input.at(offset);
    let small = |text: &str| text.parse::<u8>().ok().filter(|n| *n < 8);
    let pairs = || {
        let numbers = values.iter();
        numbers.filter_map(|(at, id, value)| Some((input.at(*at), small(id)?, *value)))
    };
    match key {
        "prio-pfc" => {
            let known = pairs().filter(|(_, _, value)| matches!(*value, "on" | "off"));
            if known.count() == 8 {
                let on =
                    pairs().filter_map(|(_, priority, value)| (value == "on").then_some(priority));
                pfc(part, on.collect(), at);
            } else {
                let unknown = Fact::unknown_at(&defaults::CUT, at);
                let pfc = &mut part.port.pfc;
                (pfc.enabled, pfc.tx, pfc.rx) = (unknown.clone(), unknown.clone(), unknown);
            }
        }
        "dscp-prio" => {
            let mut map = CodeMap::new();
            for (offset, name, priority) in values {
                if let (Some(code), Some(priority)) = (dscp(name), small(priority)) {
                    map.set_explicit(code, priority, input.at(*offset));
                }
            }
            app(part, map, at);
        }
        "prio-tc" | "prio-buffer" => {
            let mut map = CodeMap::new();
            for (at, priority, to) in pairs() {
                if let Some(to) = small(to) {
                    map.set_explicit(priority, to, at);
                }
            }
            map.complete = map.entries().len() == 8;
            let name = match key {
                "prio-tc" => MapName::TcToQueue,
                _ => MapName::TcToPg,
            };
            part.port.maps.set(name, Fact::explicit(Arc::new(map), at));
        }
        "tc-tsa" => pairs().for_each(|(at, tc, kind)| scheduler(part, tc, kind, at)),
        "tc-bw" => pairs().for_each(|(at, tc, share)| {
            let share = share.trim_end_matches('%').parse().ok();
            bandwidth(part, tc, share, at);
        }),
        // The text form rounds (`20Kb`): the size is known only roughly.
        "buffer-size" => pairs().for_each(|(at, id, size)| {
            let bytes = size.trim_end_matches(char::is_alphabetic);
            let exact = size.ends_with('b') && bytes.len() + 1 == size.len();
            match bytes.parse().ok().filter(|_| exact) {
                Some(bytes) => buffer(part, id, Fact::explicit(bytes, at)),
                None => {
                    let why = format!("dcb rounds it to {size}; dcb -j tells the bytes");
                    buffer(part, id, Fact::unknown_at(why, at));
                }
            }
        }),
        _ => {}
    }
}

/// PFC in both directions.
pub(super) fn pfc(part: &mut Part, on: Priorities, at: crate::model::Origin) {
    let fact = Fact::explicit(on, at);
    let pfc = &mut part.port.pfc;
    (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact);
}

/// The APP table. A code point without an entry is unknown, because the
/// firmware's own map lies beneath; an empty table maps nothing.
pub(super) fn app(part: &mut Part, mut map: CodeMap, at: crate::model::Origin) {
    let entries = map.entries().len();
    map.complete = matches!(entries, 0 | 64);
    part.port
        .maps
        .set(MapName::DscpToTc, Fact::explicit(Arc::new(map), at));
}

fn trust(part: &mut Part, order: &[&str], at: crate::model::Origin) {
    part.port.trust = match order {
        ["dscp"] => Fact::explicit(Trust::Dscp, at),
        ["dscp", "pcp"] => Fact::explicit(Trust::Both, at),
        ["pcp"] => Fact::explicit(Trust::Pcp, at),
        [] => Fact::explicit(Trust::None, at),
        _ => Fact::unknown_at(&defaults::TRUST_ORDER, at),
    };
}

fn queue(part: &mut Part, tc: u8) -> Option<&mut Queue> {
    let queues = &mut part.port.queues;
    if !queues.iter().any(|queue| queue.id == tc) {
        queues.push(Queue::new(tc));
    }
    queues.iter_mut().find(|queue| queue.id == tc)
}

/// How a traffic class is served, by the words of 802.1Qaz.
pub(super) fn scheduler(part: &mut Part, tc: u8, kind: &str, at: crate::model::Origin) {
    let Some(queue) = queue(part, tc) else { return };
    queue.scheduler = match kind {
        "strict" => Fact::explicit(SchedulerKind::Strict, at),
        "ets" => Fact::explicit(SchedulerKind::Weighted, at),
        "vendor" => Fact::unknown_at(&defaults::VENDOR_SCHEDULER, at),
        _ => Fact::unknown_at(format!("the scheduler `{kind}` is not known"), at),
    };
    if kind != "ets" {
        queue.share_percent = match kind {
            "strict" => Fact::NotApplicable,
            _ => Fact::unknown_at(&defaults::VENDOR_SCHEDULER, at),
        };
    }
}

/// Shares count only under ETS, whichever of the two lines comes first.
pub(super) fn bandwidth(part: &mut Part, tc: u8, percent: Option<i64>, at: crate::model::Origin) {
    let Some(queue) = queue(part, tc) else { return };
    let ets = matches!(queue.scheduler.get(), Some(SchedulerKind::Weighted))
        || queue.scheduler == Fact::default();
    if let Some(percent) = percent.filter(|_| ets) {
        queue.share_percent = Fact::explicit(Milli::whole(percent.clamp(0, 100)), at);
    }
}

fn buffer(part: &mut Part, id: u8, reserved_bytes: Fact<u64>) {
    let mut group = PriorityGroup::new(id);
    group.buffer = Arc::new(GroupBuffer {
        reserved_bytes,
        ..GroupBuffer::default()
    });
    part.port.priority_groups.push(group);
}

fn json(input: &Input<'_>, root: Node<'_>, object: Option<&str>, part: &mut Part) {
    for (key, value) in root.entries() {
        let at = input.at(key.offset() as usize);
        let key = key.text();
        let place = |node: &Node<'_>| input.at(node.offset() as usize);
        let small = |node: &Node<'_>| {
            node.u64()
                .and_then(|n| u8::try_from(n).ok())
                .filter(|n| *n < 8)
        };
        match &*key {
            "prio_pfc" => {
                let bits: Option<Vec<bool>> = value.items().map(|bit| bit.bool()).collect();
                if let Some(bits) = bits.filter(|bits| bits.len() == 8 && value.complete()) {
                    let on = (0..8).zip(bits).filter_map(|(p, on)| on.then_some(p));
                    pfc(part, on.collect(), at);
                }
            }
            // PFC frames sent and received (dcb-pfc(8)).
            "requests" | "indications" => {
                for (priority, node) in (0..8).zip(value.items()) {
                    let Some(count) = node.u64().and_then(|n| i64::try_from(n).ok()) else {
                        continue;
                    };
                    let fact = Fact::explicit(count, place(&node));
                    let one = part.counters().by_priority.entry(priority).or_default();
                    match &*key {
                        "requests" => one.tx_pause = fact,
                        _ => one.rx_pause = fact,
                    }
                }
            }
            "dscp_prio" => {
                let mut map = CodeMap::new();
                for row in value.items() {
                    let mut cells = row.items();
                    let code = cells.next().and_then(|cell| dscp(&cell.text()?));
                    let priority = cells.next().and_then(|cell| small(&cell));
                    if let (Some(code), Some(priority)) = (code, priority) {
                        map.set_explicit(code, priority, place(&row));
                    }
                }
                app(part, map, at);
            }
            "prio_tc" | "prio_buffer" => {
                let mut map = CodeMap::new();
                for (priority, node) in (0..8).zip(value.items()) {
                    if let Some(to) = small(&node) {
                        map.set_explicit(priority, to, place(&node));
                    }
                }
                map.complete = map.entries().len() == 8;
                let name = match &*key {
                    "prio_tc" => MapName::TcToQueue,
                    _ => MapName::TcToPg,
                };
                part.port.maps.set(name, Fact::explicit(Arc::new(map), at));
            }
            "tc_tsa" => {
                for (tc, kind) in (0..8).zip(value.items()) {
                    scheduler(part, tc, &kind.text().unwrap_or_default(), place(&kind));
                }
            }
            "tc_bw" => {
                for (tc, share) in (0..8).zip(value.items()) {
                    let percent = share.u64().and_then(|n| i64::try_from(n).ok());
                    bandwidth(part, tc, percent, place(&share));
                }
            }
            "buffer_size" => {
                for (id, size) in (0..8).zip(value.items()) {
                    let at = place(&size);
                    let bytes = size.u64().map(|bytes| Fact::explicit(bytes, at));
                    buffer(part, id, bytes.unwrap_or_default());
                }
            }
            "order" => {
                let order: Vec<_> = value.items().filter_map(|word| word.str()).collect();
                trust(
                    part,
                    &order.iter().map(|word| &**word).collect::<Vec<_>>(),
                    at,
                );
            }
            "host" => {
                let managed = ["lld_managed", "lld-managed"];
                let managed = managed.iter().filter_map(|key| root.get(key)?.bool());
                dcbx(
                    part,
                    value.bool() == Some(true),
                    managed.into_iter().any(|on| on),
                    at,
                );
            }
            _ => {}
        }
    }
    // `dcb -j app show` leaves the key out where there is no entry.
    let mapped = part.port.maps.get(MapName::DscpToTc).is_known();
    if object == Some("app") && !mapped && root.complete() {
        let at = input.at(root.offset() as usize);
        app(part, CodeMap::new(), at);
    }
}

/// A code point by number or by name: CSn = 8n (RFC 2474), AFxy = 8x + 2y
/// (RFC 2597), EF = 46 (RFC 3246), LE = 1 (RFC 8622), VA = 44 (RFC 5865).
pub fn dscp(name: &str) -> Option<u8> {
    if let Ok(code) = name.parse::<u8>() {
        return (code < 64).then_some(code);
    }
    let digits = |text: &str| -> Option<Vec<u8>> {
        text.bytes()
            .map(|byte| byte.is_ascii_digit().then(|| byte - b'0'))
            .collect()
    };
    let upper = name.to_ascii_uppercase();
    match (upper.get(..2)?, digits(upper.get(2..)?)?.as_slice()) {
        ("CS", [class @ 0..=7]) => Some(8 * class),
        ("AF", [class @ 1..=4, drop @ 1..=3]) => Some(8 * class + 2 * drop),
        ("EF", []) => Some(46),
        ("LE", []) => Some(1),
        ("DF" | "BE", []) => Some(0),
        ("VA", []) => Some(44),
        _ => None,
    }
}
