//! Counters of one sample, from show commands as JSON and as text.

use super::show::{json, lines, named, number};
use crate::model::{Counters, Fact, LinkPause, Origin, Priorities};
use crate::platform::ports::Ports;
use crate::platform::text::json::Node;

fn at(capture: usize, node: &Node<'_>) -> Origin {
    Origin::new(capture, node.offset() as usize)
}

/// The ports below a key of the root, with their objects.
fn each_port(
    ports: &mut Ports,
    text: &str,
    key: &str,
    each: &mut dyn FnMut(&mut crate::model::Port, Node<'_>),
) {
    let Some(document) = json(text) else { return };
    let list = document.root().and_then(|root| root.get(key));
    for (name, node) in list.iter().flat_map(|list| list.entries()) {
        if let Some(port) = named(&name.text()).and_then(|name| ports.get(&name)) {
            each(port, node);
        }
    }
}

fn counters(port: &mut crate::model::Port) -> &mut Counters {
    port.counters.get_or_insert_with(Box::default)
}

fn counted(capture: usize, node: Option<Node<'_>>) -> Option<Fact<i64>> {
    let node = node?;
    Some(Fact::explicit(number(&node)?, at(capture, &node)))
}

/// `show interfaces priority-flow-control counters detail`: by priority.
pub fn pfc(ports: &mut Ports, capture: usize, text: &str) {
    each_port(ports, text, "interfaces", &mut |port, node| {
        let priorities = node.get("priorities");
        for (name, node) in priorities.iter().flat_map(|list| list.entries()) {
            let Some(priority) = name.text().parse().ok().filter(|p: &u8| *p < 8) else {
                continue;
            };
            let of = counters(port).by_priority.entry(priority).or_default();
            if let Some(frames) = counted(capture, node.get("rxFrames")) {
                of.rx_pause = frames;
            }
            if let Some(frames) = counted(capture, node.get("txFrames")) {
                of.tx_pause = frames;
            }
        }
    });
}

/// `show priority-flow-control counters watchdog`: `stuckCount` moves when a
/// storm begins and `recoveryCount` when it ends.
pub fn watchdog(ports: &mut Ports, capture: usize, text: &str) {
    each_port(ports, text, "interfaces", &mut |port, node| {
        let queues = node.get("txQueues");
        let (mut trips, mut stormed) = (0, Priorities::NONE);
        for (name, node) in queues.iter().flat_map(|list| list.entries()) {
            let of = |field: &str| node.get(field).and_then(|node| number(&node));
            let (Some(stuck), Some(recovered)) = (of("stuckCount"), of("recoveryCount")) else {
                continue;
            };
            trips = stuck.saturating_add(trips);
            if let Some(queue) = name.text().parse().ok().filter(|_| stuck > recovered) {
                stormed.insert(queue);
            }
        }
        let at = at(capture, &node);
        counters(port).watchdog_trips = Fact::explicit(trips, at);
        port.pfc.watchdog.stormed = Fact::explicit(stormed, at);
    });
    // A port is listed from its first storm on.
    let complete = json(text).is_some_and(|document| {
        document.error().is_none()
            && document
                .root()
                .is_some_and(|r| r.get("interfaces").is_some())
    });
    for port in ports.list.iter_mut().filter(|_| complete) {
        if !port.pfc.watchdog.stormed.is_known() {
            let at = Origin::new(capture, 0);
            if let Some(counters) = &mut port.counters {
                counters.watchdog_trips = Fact::explicit(0, at);
            }
            port.pfc.watchdog.stormed = Fact::explicit(Priorities::NONE, at);
        }
    }
}

/// `show qos interfaces ecn counters queue`: strings, `-` where it is not counted.
pub fn ecn(ports: &mut Ports, capture: usize, text: &str) {
    each_port(ports, text, "intfQueueCounters", &mut |port, node| {
        let queues = node.get("queueCounters");
        let values: Vec<Option<i64>> = queues
            .iter()
            .flat_map(|list| list.entries())
            .map(|(_, node)| number(&node))
            .collect();
        let at = at(capture, &node);
        let known: Vec<i64> = values.iter().flatten().copied().collect();
        counters(port).ecn_marked = match known.is_empty() {
            true => Fact::unknown_at(
                "no queue counts marks: it takes random-detect ecn count".to_owned(),
                at,
            ),
            false => Fact::explicit(sum(known), at),
        };
    });
}

/// `show interfaces counters queue detail` as JSON: drops by traffic class.
pub fn queues(ports: &mut Ports, capture: usize, text: &str) {
    let Some(document) = json(text) else {
        return queue_rows(ports, capture, text);
    };
    let root = document.root();
    let list = root.and_then(|root| root.get("egressQueueCounters")?.get("interfaces"));
    for (name, node) in list.iter().flat_map(|list| list.entries()) {
        let Some(port) = named(&name.text()).and_then(|name| ports.get(&name)) else {
            continue;
        };
        let classes = node
            .get("ucastQueues")
            .and_then(|node| node.get("trafficClasses"));
        for (name, node) in classes.iter().flat_map(|list| list.entries()) {
            let levels = node.get("dropPrecedences");
            let levels = levels.iter().flat_map(|list| list.entries());
            let drops: Option<Vec<i64>> = levels.map(|(_, node)| dropped(&node)).collect();
            let drops = drops.filter(|levels| !levels.is_empty()).map(sum);
            if let (Some(drops), Some(class)) = (drops, class_number(&name.text(), "TC")) {
                add_drops(port, class, drops, at(capture, &node));
            }
        }
    }
}

/// `show interfaces counters queue drops`, of platforms with virtual output
/// queues: drops on the way in and on the way out, by traffic class.
pub fn voq_drops(ports: &mut Ports, capture: usize, text: &str) {
    each_port(ports, text, "interfaces", &mut |port, node| {
        let classes = node.get("trafficClasses");
        for (name, node) in classes.iter().flat_map(|list| list.entries()) {
            let of = |side: &str| dropped(&node.get(side)?.get("countersSum")?);
            let (ingress, egress) = (of("ingressVoqCounters"), of("egressQueueCounters"));
            let drops: Vec<i64> = ingress.into_iter().chain(egress).collect();
            if let (false, Some(class)) = (drops.is_empty(), class_number(&name.text(), "TC")) {
                add_drops(port, class, sum(drops), at(capture, &node));
            }
        }
    });
}

fn dropped(node: &Node<'_>) -> Option<i64> {
    number(&node.get("droppedPackets")?)
}

/// Numbers of a hostile capture may be of any size.
fn sum(numbers: Vec<i64>) -> i64 {
    numbers.into_iter().fold(0, i64::saturating_add)
}

fn class_number(text: &str, prefix: &str) -> Option<u8> {
    text.strip_prefix(prefix)?
        .parse()
        .ok()
        .filter(|n: &u8| *n < 8)
}

/// The traffic class and the priority have one number.
fn add_drops(port: &mut crate::model::Port, class: u8, drops: i64, at: Origin) {
    let counters = counters(port);
    let sum = counters.drops.get().unwrap_or(0);
    counters.drops = Fact::explicit(sum.saturating_add(drops), at);
    counters.by_priority.entry(class).or_default().drops = Fact::explicit(drops, at);
}

/// `Et1/1 UC0 pkts bytes droppkts dropbytes`.
fn queue_rows(ports: &mut Ports, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [name, queue, _, _, drops, _] = &*words else {
            continue;
        };
        let (Some(name), Some(class)) = (named(name), class_number(queue, "UC")) else {
            continue;
        };
        if let (Ok(drops), Some(port)) = (drops.replace(',', "").parse(), ports.get(&name)) {
            add_drops(port, class, drops, Origin::new(capture, offset));
        }
    }
}

/// `show interfaces flow-control`, as JSON or as a table.
pub fn flow_control(ports: &mut Ports, capture: usize, text: &str) {
    if json(text).is_none() {
        return flow_control_rows(ports, capture, text);
    }
    each_port(ports, text, "interfaceFlowControls", &mut |port, node| {
        let state = |field: &str| {
            let node = node.get(field)?;
            let on = !matches!(&*node.text()?, "off" | "unsupported");
            Some(Fact::explicit(on, at(capture, &node)))
        };
        if let (Some(rx), Some(tx)) = (state("rxOperState"), state("txOperState")) {
            port.link_pause = LinkPause { rx, tx };
        }
        if let Some(frames) = counted(capture, node.get("rxPause")) {
            counters(port).link_pause_rx = frames;
        }
        if let Some(frames) = counted(capture, node.get("txPause")) {
            counters(port).link_pause_tx = frames;
        }
    });
}

/// `Et1  off  off  off  off  0  0`: of sending and of receiving the state as
/// set and in force, then the frames received and sent.
fn flow_control_rows(ports: &mut Ports, capture: usize, text: &str) {
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [name, _, tx, _, rx, received, sent] = &*words else {
            continue;
        };
        let Some(port) = named(name).and_then(|name| ports.get(&name)) else {
            continue;
        };
        let at = Origin::new(capture, offset);
        let state = |word: &str| match word {
            "on" => Some(Fact::explicit(true, at)),
            "off" | "unsupp." | "unsupported" => Some(Fact::explicit(false, at)),
            _ => None,
        };
        if let (Some(rx), Some(tx)) = (state(rx), state(tx)) {
            port.link_pause = LinkPause { rx, tx };
        }
        if let (Ok(received), Ok(sent)) = (received.parse(), sent.parse()) {
            counters(port).link_pause_rx = Fact::explicit(received, at);
            counters(port).link_pause_tx = Fact::explicit(sent, at);
        }
    }
}
