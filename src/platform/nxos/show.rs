//! What is in force and what was counted, from show commands.

use super::defaults::{NO_DROP_GROUP, NO_PFC_QUEUE};
use crate::model::{
    Counters, Device, Fact, LineOnly, Origin, Peer, PfcMode, Port, Priorities, State,
};
use crate::platform::ports::Ports;
use crate::platform::queues::lossless;
use crate::platform::text::json::{Document, Node};

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

/// The JSON of a command, where it printed JSON.
fn json(text: &str) -> Option<Document<'_>> {
    let text = text.trim_start();
    text.starts_with('{').then(|| Document::parse(text))
}

/// `Eth1/1` → `Ethernet1/1`.
fn full_name(name: &str) -> Option<String> {
    if name.starts_with("Ethernet") {
        return Some(name.to_owned());
    }
    let rest = name.strip_prefix("Eth").or(name.strip_prefix("eth"))?;
    rest.starts_with(|c: char| c.is_ascii_digit())
        .then(|| format!("Ethernet{rest}"))
}

/// The rows at the end of a way of `TABLE_…`/`ROW_…` keys: each row is an
/// object where there is one, and a list where there are several.
fn rows<'d>(root: Option<Node<'d>>, way: &[&str]) -> Vec<Node<'d>> {
    let mut nodes: Vec<Node<'d>> = root.into_iter().collect();
    for name in way {
        let mut next = Vec::new();
        for node in nodes {
            let table = node.get(&format!("TABLE_{name}")).unwrap_or(node);
            let Some(row) = table.get(&format!("ROW_{name}")) else {
                continue;
            };
            match row.items().next() {
                Some(_) => next.extend(row.items()),
                None => next.push(row),
            }
        }
        nodes = next;
    }
    nodes
}

/// A document's root, or the reply inside what NX-API wraps around it.
fn body<'d>(document: &'d Document<'_>) -> Option<Node<'d>> {
    let root = document.root()?;
    let of = |node: Node<'d>, key: &str| node.get(key);
    let rpc = of(root, "result").and_then(|node| of(node, "body"));
    let api = of(root, "ins_api")
        .and_then(|node| of(node, "outputs"))
        .and_then(|node| of(node, "output"))
        .and_then(|node| of(node, "body"));
    Some(rpc.or(api).unwrap_or(root))
}

fn text<'d>(node: &Node<'d>, key: &str) -> Option<std::borrow::Cow<'d, str>> {
    node.get(key)?.text()
}

fn number(text: &str) -> Option<i64> {
    text.trim().replace(',', "").parse().ok()
}

fn at(capture: usize, node: &Node<'_>) -> Origin {
    Origin::new(capture, node.offset() as usize)
}

/// `(8)` → priority 3: a bitmap in hex.
fn bitmap(text: &str) -> Option<Priorities> {
    let digits = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mask = u8::from_str_radix(digits.trim(), 16).ok()?;
    Some(Priorities::from_mask(mask))
}

/// A row of `show interface priority-flow-control`.
struct PfcRow<'a> {
    name: String,
    mode: &'a str,
    oper: &'a str,
    map: Option<Priorities>,
    rx: Option<i64>,
    tx: Option<i64>,
    at: Origin,
}

/// `show interface priority-flow-control`, as a table or as JSON.
pub fn pfc(ports: &mut Ports, capture: usize, source: &str) {
    if let Some(document) = json(source) {
        let root = body(&document);
        for row in rows(root, &["module", "pfc_interface"]) {
            let (Some(name), Some(mode), Some(oper)) = (
                text(&row, "if_name_str"),
                text(&row, "admin"),
                text(&row, "oper"),
            ) else {
                continue;
            };
            let Some(name) = full_name(name.split(' ').next().unwrap_or_default()) else {
                continue;
            };
            // The key of the bitmap is not documented; its form is.
            let map = row.entries().find_map(|(_, node)| bitmap(&node.text()?));
            let count = |key: &str| text(&row, key).and_then(|text| number(&text));
            pfc_row(
                ports,
                &PfcRow {
                    name,
                    mode: &mode,
                    oper: &oper,
                    map,
                    rx: count("rx-stats"),
                    tx: count("tx-stats"),
                    at: at(capture, &row),
                },
            );
        }
        return;
    }
    for (line, offset) in lines(source) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [
            name,
            mode @ ("Auto" | "On" | "Off"),
            oper @ ("On" | "Off"),
            rest @ ..,
        ] = &*words
        else {
            continue;
        };
        let (map, counts) = match rest {
            [map, counts @ ..] if map.starts_with('(') => (bitmap(map), counts),
            counts => (None, counts),
        };
        let Some(name) = full_name(name) else {
            continue;
        };
        pfc_row(
            ports,
            &PfcRow {
                name,
                mode,
                oper,
                map,
                rx: counts.first().and_then(|text| number(text)),
                tx: counts.get(1).and_then(|text| number(text)),
                at: Origin::new(capture, offset),
            },
        );
    }
}

fn pfc_row(ports: &mut Ports, row: &PfcRow<'_>) {
    let Some(port) = ports.get(&row.name) else {
        return;
    };
    let on = row.oper.eq_ignore_ascii_case("on");
    let now = match (on, row.map) {
        (false, _) => Fact::explicit(Priorities::NONE, row.at),
        (true, Some(map)) => Fact::explicit(map, row.at),
        (true, None) => {
            Fact::unknown_at("the row shows no bitmap of priorities".to_owned(), row.at)
        }
    };
    port.pfc.operational = now.clone();
    if !port.pfc.mode.is_known() {
        let mode = match row.mode {
            "On" => PfcMode::On,
            "Off" => PfcMode::Off,
            _ => PfcMode::Auto,
        };
        port.pfc.mode = Fact::explicit(mode, row.at);
    }
    // Where it is negotiated, or nothing else tells, what is in force counts.
    if !port.pfc.tx.is_known() {
        port.pfc.enabled = now.clone();
        port.pfc.tx = now.clone();
        port.pfc.rx = now.clone();
        let ids: Vec<u8> = port.queues.iter().map(|queue| queue.id).collect();
        let known = ids.into_iter().map(|id| lossless(port, id, &NO_PFC_QUEUE));
        let known: Vec<Fact<bool>> = known.collect();
        for (queue, lossless) in port.queues.iter_mut().zip(known) {
            queue.lossless = lossless;
        }
        let now = now.get().unwrap_or_default();
        port.priority_groups.retain(|group| now.contains(group.id));
        for group in &mut port.priority_groups {
            group.lossless = Fact::Default(true, (&NO_DROP_GROUP).into(), row.at);
        }
    }
    let one = row.map.filter(|map| map.iter().count() == 1);
    if let Some(priority) = one.and_then(|map| map.iter().next()) {
        let of = counters(port).by_priority.entry(priority).or_default();
        if let (Some(rx), Some(tx)) = (row.rx, row.tx) {
            of.rx_pause = Fact::explicit(rx, row.at);
            of.tx_pause = Fact::explicit(tx, row.at);
        }
    }
}

fn counters(port: &mut Port) -> &mut Counters {
    port.counters.get_or_insert_with(Box::default)
}

/// What one port of `show queuing interface` has counted so far.
#[derive(Default)]
struct Queuing {
    /// By qos-group: packets dropped, of all kinds.
    drops: std::collections::BTreeMap<u8, (i64, usize)>,
    /// CoS and its qos-group, with its pause counts.
    pauses: Vec<(u8, Option<u8>, i64, i64, usize)>,
    /// On the way in, of the whole port.
    ingress: Option<(i64, usize)>,
    marked: Option<(i64, usize)>,
}

/// `show queuing interface`, in its three layouts and as JSON.
pub fn queuing(ports: &mut Ports, capture: usize, source: &str) {
    if let Some(document) = json(source) {
        return queuing_json(ports, capture, &document);
    }
    let mut name: Option<String> = None;
    let mut read = Queuing::default();
    let mut group: Option<u8> = None;
    for (line, offset) in lines(source) {
        if let Some(next) = heading(line) {
            if name.as_deref() != Some(next.as_str()) {
                finish(ports, capture, name.take(), std::mem::take(&mut read));
            }
            name = Some(next);
            group = None;
            continue;
        }
        if let Some(number) = group_heading(line) {
            group = Some(number);
            continue;
        }
        if line.starts_with("Ingress Queuing") || line.starts_with("Port ") {
            group = None;
        }
        queuing_line(line, offset, group, &mut read);
    }
    finish(ports, capture, name, read);
}

/// `Egress Queuing for Ethernet2/1 [System]`, `Ethernet1/2 queuing information:`.
fn heading(line: &str) -> Option<String> {
    let name = line
        .strip_prefix("Egress Queuing for ")
        .or(line.strip_prefix("Ingress Queuing for "))
        .or(line.strip_suffix(" queuing information:"))?;
    full_name(name.split(' ').next()?)
}

/// `|   QOS GROUP 3   |`, `qos-group 1`.
fn group_heading(line: &str) -> Option<u8> {
    let line = line.trim_matches(['|', ' ']);
    let rest = line
        .strip_prefix("QOS GROUP ")
        .or(line.strip_prefix("qos-group "))?;
    rest.trim().parse().ok()
}

fn queuing_line(line: &str, offset: usize, group: Option<u8>, read: &mut Queuing) {
    let cells: Vec<&str> = line
        .split('|')
        .map(str::trim)
        .filter(|c| !c.is_empty())
        .collect();
    // `| Dropped Pkts | 1 | 0 | 2 |`; two pairs may share a row.
    for (n, cell) in cells.iter().enumerate() {
        let drops = matches!(
            *cell,
            "Dropped Pkts" | "WRED/AFD & Tail Drop Pkts" | "WD & Tail Drop Pkts" | "WRED Drop Pkts"
        );
        let marks = *cell == "ECN Pkts";
        if !drops && !marks {
            continue;
        }
        let values = cells.iter().skip(n + 1).map_while(|cell| number(cell));
        let sum: i64 = values.sum();
        if marks {
            let marked = read.marked.map_or(0, |(n, _)| n);
            read.marked = Some((marked + sum, offset));
        } else if let Some(group) = group {
            let of = read.drops.entry(group).or_insert((0, offset));
            of.0 += sum;
        }
    }
    let ingress = [
        "Ingress MMU Drop Pkts",
        "Ingress Overflow Drop Pkts",
        "Pkts discarded on ingress",
    ];
    if let Some(rest) = ingress.iter().find_map(|name| line.strip_prefix(name)) {
        if let Some(count) = number(rest.trim_start_matches([' ', ':'])) {
            read.ingress = Some((count, offset));
        }
        return;
    }
    // `3 3 3 Active 7 Active 8`: CoS, qos-group, perhaps a group, then sent and received.
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let state = |word: &str| matches!(word, "Active" | "Inactive");
    if let [cos, group, .., sent_state, sent, received_state, received] = &*words
        && state(sent_state)
        && state(received_state)
        && let (Ok(cos @ 0..=7), Some(sent), Some(received)) =
            (cos.parse::<u8>(), number(sent), number(received))
    {
        read.pauses
            .push((cos, group.parse().ok(), sent, received, offset));
    }
}

fn finish(ports: &mut Ports, capture: usize, name: Option<String>, read: Queuing) {
    let Some(port) = name.and_then(|name| ports.get(&name)) else {
        return;
    };
    let at = |offset| Origin::new(capture, offset);
    let groups = |cos: u8| {
        let own = read.pauses.iter().find(|pause| pause.0 == cos);
        own.and_then(|pause| pause.1)
    };
    let mut told = false;
    let mut total = None;
    let counters = port.counters.get_or_insert_with(Box::default);
    for (cos, _, sent, received, offset) in &read.pauses {
        let of = counters.by_priority.entry(*cos).or_default();
        of.tx_pause = Fact::explicit(*sent, at(*offset));
        of.rx_pause = Fact::explicit(*received, at(*offset));
        told = true;
        if let Some((drops, offset)) = groups(*cos).and_then(|group| read.drops.get(&group)) {
            of.drops = Fact::explicit(*drops, at(*offset));
        }
    }
    // Without the table of CoS a no-drop class has the number of its queue.
    for (group, (drops, offset)) in &read.drops {
        total = Some((total.map_or(0, |(n, _)| n) + drops, *offset));
        if read.pauses.is_empty() && *group < 8 {
            let of = counters.by_priority.entry(*group).or_default();
            of.drops = Fact::explicit(*drops, at(*offset));
        }
        told = true;
    }
    if let Some((drops, offset)) = read.ingress {
        total = Some((total.map_or(0, |(n, _)| n) + drops, offset));
        told = true;
    }
    if let Some((drops, offset)) = total {
        counters.drops = Fact::explicit(drops, at(offset));
    }
    if let Some((marked, offset)) = read.marked {
        counters.ecn_marked = Fact::explicit(marked, at(offset));
        told = true;
    }
    if !told {
        port.counters = None;
    }
}

fn queuing_json(ports: &mut Ports, capture: usize, document: &Document<'_>) {
    let mut names: Vec<(String, Queuing)> = Vec::new();
    for row in rows(body(document), &["module", "queuing_interface"]) {
        let Some(name) = text(&row, "if_name_str").and_then(|name| full_name(&name)) else {
            continue;
        };
        let n = match names.iter().position(|(own, _)| *own == name) {
            Some(n) => n,
            None => {
                names.push((name, Queuing::default()));
                names.len() - 1
            }
        };
        let Some((_, read)) = names.get_mut(n) else {
            continue;
        };
        for group in rows(Some(row), &["qosgrp_egress_stats"]) {
            let number_of = text(&group, "eq-qosgrp");
            let id: Option<u8> = number_of.and_then(|t| t.split(' ').next()?.parse().ok());
            for entry in rows(Some(group), &["qosgrp_egress_stats_entry"]) {
                let kind = text(&entry, "eq-stat-type").unwrap_or_default();
                if text(&entry, "eq-stat-units").as_deref() != Some("Pkts") {
                    continue;
                }
                let sum: i64 = [
                    "eq-uc-stat-value",
                    "eq-oobfc-uc-stat-value",
                    "eq-mc-stat-value",
                ]
                .iter()
                .filter_map(|key| number(&text(&entry, key)?))
                .sum();
                let offset = entry.offset() as usize;
                match (&*kind, id) {
                    ("ECN", _) => {
                        let marked = read.marked.map_or(0, |(n, _)| n);
                        read.marked = Some((marked + sum, offset));
                    }
                    (kind, Some(id)) if kind.contains("Drop") => {
                        read.drops.entry(id).or_insert((0, offset)).0 += sum;
                    }
                    _ => {}
                }
            }
        }
        for entry in rows(Some(row), &["ingress_stats_entry"]) {
            let kind = text(&entry, "ip-stat-type").unwrap_or_default();
            let pkts = text(&entry, "ip-stat-units").as_deref() == Some("Pkts");
            let value = text(&entry, "ip-stat-value").and_then(|text| number(&text));
            if let (true, true, Some(value)) = (kind.contains("Drop"), pkts, value) {
                let before = read.ingress.map_or(0, |(n, _)| n);
                read.ingress = Some((before + value, entry.offset() as usize));
            }
        }
        for pause in rows(Some(row), &["pfc_stats"]) {
            let of = |key: &str| text(&pause, key).and_then(|text| number(&text));
            if let (Some(cos @ 0..=7), Some(sent), Some(received)) =
                (of("cos"), of("tx-pause-count"), of("rx-pause-count"))
            {
                let group = of("pfc-qosgrp").and_then(|group| u8::try_from(group).ok());
                let offset = pause.offset() as usize;
                read.pauses.push((cos as u8, group, sent, received, offset));
            }
        }
    }
    for (name, read) in names {
        finish(ports, capture, Some(name), read);
    }
}

/// `show queuing pfc-queue`: the watchdog by port and qos-group.
pub fn watchdog(ports: &mut Ports, capture: usize, source: &str) {
    let mut name: Option<String> = None;
    for (line, offset) in lines(source) {
        let at = Origin::new(capture, offset);
        if let Some((port, state)) = line.split_once(" Interface PFC watchdog: ") {
            name = full_name(port);
            let port = name.as_deref().and_then(|name| ports.get(name));
            if let Some(port) = port {
                let on = state.contains("Enabled");
                port.pfc.watchdog.enabled = Fact::explicit(on, at);
                port.pfc.watchdog.stormed = Fact::explicit(Priorities::NONE, at);
                counters(port).watchdog_trips = Fact::explicit(0, at);
            }
            continue;
        }
        let Some(port) = name.as_deref().and_then(|name| ports.get(name)) else {
            continue;
        };
        if let Some(rest) = line.trim_matches(['|', ' ']).strip_prefix("QOS GROUP ") {
            let cos = rest
                .split_once("PFC-COS [")
                .and_then(|(_, rest)| rest.split_once(']')?.0.trim().parse::<u8>().ok());
            if let Some(cos) = cos.filter(|_| rest.contains("[Shutdown]")) {
                let mut stormed = port.pfc.watchdog.stormed.get().unwrap_or_default();
                stormed.insert(cos);
                port.pfc.watchdog.stormed = Fact::explicit(stormed, at);
            }
            continue;
        }
        let cells: Vec<&str> = line
            .split('|')
            .map(str::trim)
            .filter(|c| !c.is_empty())
            .collect();
        if let ["Shutdown", count] = &*cells
            && let Some(count) = number(count)
        {
            let trips = counters(port).watchdog_trips.get().unwrap_or(0) + count;
            counters(port).watchdog_trips = Fact::explicit(trips, at);
        }
    }
}

/// `show version`.
pub fn version(device: &mut Device, capture: usize, source: &str) {
    for (line, offset) in lines(source) {
        let at = Origin::new(capture, offset);
        let version = line
            .strip_prefix("NXOS: version ")
            .or(line.strip_prefix("system:    version "));
        if let Some(version) = version {
            device.os_version = Fact::explicit(version.trim().to_owned(), at);
        }
        if let Some((model, _)) = line
            .strip_prefix("cisco ")
            .and_then(|l| l.split_once(" Chassis"))
        {
            device.hardware = Fact::explicit(model.trim().to_owned(), at);
        }
    }
}

/// `show interface status`: Port, Name, Status, Vlan, Duplex, Speed, Type.
pub fn status(ports: &mut Ports, capture: usize, source: &str) {
    for (line, offset) in lines(source) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let Some(name) = words.first().and_then(|name| full_name(name)) else {
            continue;
        };
        let states = [
            "connected",
            "notconnec",
            "notconnect",
            "disabled",
            "sfpAbsent",
            "xcvrAbsen",
        ];
        let Some(n) = words.iter().position(|word| states.contains(word)) else {
            continue;
        };
        let Some(port) = ports.get(&name) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        let up = words.get(n) == Some(&"connected");
        port.oper = Fact::explicit(if up { State::Up } else { State::Down }, at);
        let speed = words.iter().skip(n + 1).find_map(|word| {
            let word = word.trim_start_matches("a-");
            word.strip_suffix('G')?
                .parse::<u32>()
                .ok()?
                .checked_mul(1000)
        });
        if let Some(speed) = speed.filter(|_| !port.speed_mbps.is_known()) {
            port.speed_mbps = Fact::explicit(speed, at);
        }
    }
}

/// `show lldp neighbors`: device, local interface, hold time, capability, port.
pub fn neighbours(ports: &mut Ports, capture: usize, source: &str) {
    let mut long: Option<&str> = None;
    for (line, offset) in lines(source) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        // A long name stands on a line of its own.
        let (device, rest) = match (&*words, long.take()) {
            ([name], _) => {
                long = Some(name);
                continue;
            }
            ([local, ..], Some(name)) if full_name(local).is_some() => (name, &*words),
            ([name, rest @ ..], _) => (*name, rest),
            ([], _) => continue,
        };
        let [local, hold, .., other] = rest else {
            continue;
        };
        let Some(name) = full_name(local).filter(|_| number(hold).is_some()) else {
            continue;
        };
        if let Some(port) = ports.get(&name) {
            port.peer = Some(Peer {
                device: device.to_owned(),
                port: Some((*other).to_owned()),
                by: "lldp",
                at: LineOnly(Origin::new(capture, offset)),
            });
        }
    }
}
