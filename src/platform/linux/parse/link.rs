//! Network devices: `ip link`, and what `/etc/network/interfaces` asks for.

use super::boot::{self, Effects};
use super::{
    Evidence, Input, Part, Statements, Subject, device_name, ethtool::state, is_json, pci_address,
    shell,
};
use crate::model::{Fact, Mtu, MtuCounts, NoteKind};
use crate::platform::text::json::Document;

/// Whether the text is of `ip link`.
pub fn recognise(text: &str) -> bool {
    if is_json(text) {
        return text.contains("\"operstate\"") && text.contains("\"mtu\"");
    }
    super::lines(text).any(|(_, line)| row(line).is_some())
}

/// `2: eth0: <BROADCAST,UP> mtu 1500 …`.
fn row(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.split_once(": ")?;
    number.parse::<u32>().ok()?;
    let (name, rest) = rest.split_once(": ")?;
    (rest.starts_with('<') && rest.contains(" mtu ")).then_some((name, rest))
}

/// Reads `ip link`, JSON or text; `ip addr` prints the same lines.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    if is_json(input.text) {
        return json(input, out);
    }
    for (offset, line) in input.lines() {
        let Some((name, rest)) = row(line) else {
            continue;
        };
        let at = input.at(offset);
        let mut part = Part::new(Subject::netdev(name), Evidence::None);
        let words: Vec<&str> = rest.split_whitespace().collect();
        let after = |key: &str| {
            let n = words.iter().position(|word| *word == key)?;
            words.get(n + 1).copied()
        };
        if let (true, Some(bond), Some(member)) =
            (rest.contains("SLAVE"), after("master"), device_name(name))
        {
            out.member(bond, member);
        }
        if let Some(mtu) = after("mtu").and_then(|mtu| mtu.parse().ok()) {
            part.port.mtu = Mtu::from_raw(Fact::explicit(mtu, at), MtuCounts::Ip);
        }
        let flags = words
            .first()
            .map_or("", |flags| flags.trim_matches(['<', '>']));
        part.port.admin = state(flags.split(',').any(|flag| flag == "UP"), at);
        match after("state") {
            Some("UP") => part.port.oper = state(true, at),
            Some("DOWN" | "LOWERLAYERDOWN") => part.port.oper = state(false, at),
            _ => {}
        }
        out.push(part);
    }
}

fn json(input: &Input<'_>, out: &mut Statements) {
    let document = Document::parse(input.text);
    if let Some(error) = document.error() {
        let text = format!("the JSON could not be read to its end: {}", error.kind);
        out.note(NoteKind::Failed, text, input.at(error.offset as usize));
    }
    for device in document.root().iter().flat_map(|root| root.items()) {
        let Some(name) = device.get("ifname").and_then(|name| name.str()) else {
            continue;
        };
        let mut part = Part::new(Subject::netdev(&name), Evidence::None);
        // A virtual function in this host has its own address.
        let parent = device.get("parentdev").and_then(|pci| pci.str());
        part.subject.pci = parent.and_then(|pci| pci_address(&pci));
        let flags = device.get("flags");
        let member = flags.iter().flat_map(|flags| flags.items());
        let master = device.get("master").and_then(|master| master.str());
        if let (true, Some(bond), Some(member)) = (
            member
                .into_iter()
                .any(|flag| flag.str().as_deref() == Some("SLAVE")),
            master,
            device_name(&name),
        ) {
            out.member(&bond, member);
        }
        for (key, value) in device.entries() {
            let at = input.at(key.offset() as usize);
            match &*key.text() {
                "mtu" => {
                    if let Some(mtu) = value.u64().and_then(|mtu| u32::try_from(mtu).ok()) {
                        part.port.mtu = Mtu::from_raw(Fact::explicit(mtu, at), MtuCounts::Ip);
                    }
                }
                "flags" => {
                    let up = value
                        .items()
                        .any(|flag| flag.str().as_deref() == Some("UP"));
                    part.port.admin = state(up, at);
                }
                "operstate" => match value.str().as_deref() {
                    Some("UP") => part.port.oper = state(true, at),
                    Some("DOWN" | "LOWERLAYERDOWN") => part.port.oper = state(false, at),
                    _ => {}
                },
                _ => {}
            }
        }
        out.push(part);
    }
}

/// Whether the text is a file of ifupdown.
pub fn recognise_interfaces(text: &str) -> bool {
    super::lines(text).any(|(_, line)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(words.as_slice(), ["iface", _, "inet" | "inet6", ..])
    })
}

/// Reads the MTU of the interfaces, and the commands that are run when one
/// comes up: what the next boot brings, not what is in force.
pub fn interfaces(input: &Input<'_>, out: &mut Statements) {
    let mut name = None;
    for (offset, line) in input.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = input.at(offset + (line.len() - line.trim_start().len()));
        match words.as_slice() {
            ["iface", device, ..] => name = device_name(device),
            ["mtu", bytes] => {
                let subject = Subject {
                    netdev: name.clone(),
                    ..Subject::default()
                };
                let mut part = Part::new(subject, Evidence::None);
                if let Ok(bytes) = bytes.parse() {
                    part.port.mtu = Mtu::from_raw(Fact::explicit(bytes, at), MtuCounts::Ip);
                    out.push(part);
                }
            }
            ["post-up" | "up" | "pre-up", rest @ ..] => {
                let command = rest.join(" ");
                let iface = name.as_deref().unwrap_or("$IFACE");
                let command = command.replace("$IFACE", iface);
                let commands = shell::of_line(&command, at);
                boot::state(&Effects::of(&commands), input.index, at, out);
                // It names a port that is meant to do RDMA.
                let dev = rest.iter().position(|word| *word == "dev");
                if let (Some(device), Some(&"dcb")) =
                    (dev.and_then(|n| rest.get(n + 1)), rest.first())
                {
                    let mut part = Part::new(Subject::netdev(device), Evidence::Possible);
                    part.nic();
                    out.push(part);
                }
            }
            _ => {}
        }
    }
}
