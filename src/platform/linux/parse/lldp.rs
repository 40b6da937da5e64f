//! What lldpd learnt from the other end of each cable: `lldpcli` and
//! `lldpctl`, in all their formats.

use super::{Evidence, Input, Part, Statements, Subject, is_json};
use crate::model::{Fact, LineOnly, NoteKind, Origin, Peer};
use crate::platform::text::json::{Document, Node};
use crate::platform::text::lldp;
use std::collections::BTreeMap;

/// Whether the text is of lldpd.
pub fn recognise(text: &str) -> bool {
    if is_json(text) {
        return text.contains("\"lldp\"") && text.contains("\"chassis\"");
    }
    super::lines(text).any(|(_, line)| line.starts_with("lldp.") && line.contains(".chassis."))
        || text.contains("SysName:") && text.contains("Interface:")
}

/// A neighbour, as far as it was told.
#[derive(Default)]
struct Neighbour {
    device: Option<String>,
    name: Option<String>,
    description: Option<String>,
    at: Origin,
}

/// Reads the neighbours of all ports.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let mut ports: BTreeMap<String, Vec<Neighbour>> = BTreeMap::new();
    if is_json(input.text) {
        json(input, &mut ports, out);
    } else if input.text.contains("lldp.") && !input.text.contains("Interface:") {
        keyvalue(input, &mut ports);
    } else {
        text(input, &mut ports);
    }
    for (port, neighbours) in ports {
        let mut part = Part::new(Subject::netdev(&port), Evidence::None);
        let at = neighbours.first().map_or(input.at(0), |one| one.at);
        part.nic().host_lldp = Fact::explicit("lldpd".to_owned(), at);
        // Two neighbours on one port: a hub, or two agents at the other end.
        if let [one] = neighbours.as_slice() {
            part.port.peer = one.device.clone().map(|device| Peer {
                device,
                port: one.name.clone().or_else(|| one.description.clone()),
                by: "lldp",
                at: LineOnly(one.at),
            });
        }
        out.push(part);
    }
}

/// A value that stands alone, or as `[{"value": …}]`.
fn value(node: Option<Node<'_>>) -> Option<String> {
    let node = node?;
    if let Some(text) = node.str() {
        return Some(text.into_owned());
    }
    let first = node.items().next().unwrap_or(node);
    Some(first.get("value")?.str()?.into_owned())
}

/// The one member of a list that may be collapsed to it.
fn one(node: Node<'_>) -> Node<'_> {
    node.items().next().unwrap_or(node)
}

fn json(input: &Input<'_>, ports: &mut BTreeMap<String, Vec<Neighbour>>, out: &mut Statements) {
    let document = Document::parse(input.text);
    if let Some(error) = document.error() {
        let text = format!("the JSON could not be read to its end: {}", error.kind);
        out.note(NoteKind::Failed, text, input.at(error.offset as usize));
    }
    let Some(lldp) = document.root().and_then(|root| root.get("lldp")) else {
        return;
    };
    let Some(interfaces) = one(lldp).get("interface") else {
        return;
    };
    let mut add = |port: &str, interface: Node<'_>| {
        let at = input.at(interface.offset() as usize);
        let mut neighbour = Neighbour {
            at,
            ..Neighbour::default()
        };
        if let Some(chassis) = interface.get("chassis").map(one) {
            // `json` names the chassis by its system name, `json0` within.
            let within = value(chassis.get("name"));
            let named = chassis.entries().next();
            let named =
                named.filter(|(_, inner)| inner.get("id").is_some() && chassis.get("id").is_none());
            neighbour.device = within.or_else(|| Some(named?.0.text().into_owned()));
        }
        if let Some(port) = interface.get("port").map(one) {
            let id = port.get("id").map(one);
            let kind = id.and_then(|id| id.get("type")).and_then(|kind| kind.str());
            if matches!(kind.as_deref(), Some("ifname" | "local")) {
                neighbour.name = id.and_then(|id| Some(id.get("value")?.str()?.into_owned()));
            }
            neighbour.description = value(port.get("descr"));
        }
        ports.entry(port.to_owned()).or_default().push(neighbour);
    };
    let list: Vec<Node<'_>> = match interfaces.items().next() {
        Some(_) => interfaces.items().collect(),
        None => vec![interfaces],
    };
    for interface in list {
        match interface.get("name").and_then(|name| name.str()) {
            Some(name) => add(&name, interface),
            None => interface
                .entries()
                .for_each(|(name, inner)| add(&name.text(), inner)),
        }
    }
}

/// `lldp.ens1f0np0.chassis.name=leaf1`.
fn keyvalue(input: &Input<'_>, ports: &mut BTreeMap<String, Vec<Neighbour>>) {
    for (offset, line) in input.lines() {
        let Some((key, value)) = line
            .strip_prefix("lldp.")
            .and_then(|rest| rest.split_once('='))
        else {
            continue;
        };
        let keys = [
            ".chassis.name",
            ".port.ifname",
            ".port.local",
            ".port.descr",
            ".via",
        ];
        let Some((port, key)) = keys
            .iter()
            .find_map(|own| Some((key.strip_suffix(own)?, *own)))
        else {
            continue;
        };
        let known = ports.entry(port.to_owned()).or_default();
        // Each neighbour begins with how it was heard.
        if known.is_empty() || key == ".via" {
            known.push(Neighbour {
                at: input.at(offset),
                ..Neighbour::default()
            });
        }
        let Some(last) = known.last_mut() else {
            continue;
        };
        match key {
            ".chassis.name" => {
                last.device = Some(value.to_owned());
                last.at = input.at(offset);
            }
            ".port.ifname" | ".port.local" => last.name = Some(value.to_owned()),
            ".port.descr" => last.description = Some(value.to_owned()),
            _ => {}
        }
    }
}

fn text(input: &Input<'_>, ports: &mut BTreeMap<String, Vec<Neighbour>>) {
    for told in lldp::neighbours(input.text) {
        let known = ports.entry(told.port.to_owned()).or_default();
        known.push(Neighbour {
            device: told.device.map(str::to_owned),
            name: told.name.map(str::to_owned),
            description: told.description.map(str::to_owned),
            at: input.at(told.offset),
        });
    }
}
