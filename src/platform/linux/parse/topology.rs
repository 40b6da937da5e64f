//! What ties the names of one NIC together: links of sysfs, `mst status -v`,
//! `devlink port show`, and the members of bonds.

use super::{Evidence, Input, Part, Statements, Subject, device_name, is_json, pci_address};
use crate::model::NoteKind;
use crate::platform::text::json::Document;

/// A link of sysfs: `mlx5_0 -> ../../devices/…/0000:3b:00.0/infiniband/mlx5_0`.
fn link(line: &str) -> Option<(&str, &str)> {
    let (left, target) = line.split_once(" -> ")?;
    let name = left.split_whitespace().last()?;
    let sysfs = |path: &str| path.contains("/infiniband/") || path.contains("/net/");
    let function = name.ends_with("/physfn") || name.ends_with("/virtfn") || in_virtfn(name);
    (sysfs(target) || function).then_some((name, target.trim()))
}

fn in_virtfn(name: &str) -> bool {
    name.rsplit_once("/virtfn")
        .is_some_and(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether the text lists links of sysfs.
pub fn recognise_links(text: &str) -> bool {
    super::lines(text).any(|(_, line)| link(line).is_some())
}

/// Reads where network and RDMA devices sit, and which function is a virtual
/// one of which.
pub fn links(input: &Input<'_>, out: &mut Statements) {
    for (_, line) in input.lines() {
        let Some((name, target)) = link(line) else {
            continue;
        };
        let folders: Vec<&str> = target.split('/').collect();
        match folders.as_slice() {
            [.., pci, "infiniband", rdma] => {
                let mut subject = Subject::pci(pci);
                subject.rdma = device_name(rdma);
                out.push(Part::new(subject, Evidence::Rdma));
            }
            [.., pci, "net", netdev] => {
                let mut subject = Subject::pci(pci);
                subject.netdev = device_name(netdev);
                out.push(Part::new(subject, Evidence::None));
            }
            [.., function] if name.ends_with("/physfn") => virtual_function(name, function, out),
            [.., function] => virtual_function(function, name, out),
            [] => {}
        }
    }
}

/// One path names the virtual function, the other the physical one.
fn virtual_function(of: &str, physical: &str, out: &mut Statements) {
    let (of, physical) = (subject_in(of), subject_in(physical));
    if let (Some(of), Some(physical)) = (of, physical) {
        out.virtual_functions.push((of, physical));
    }
}

/// The device that a path of sysfs names.
fn subject_in(path: &str) -> Option<Subject> {
    let folders: Vec<&str> = path.split('/').collect();
    let after = |folder: &str| {
        let n = folders.iter().position(|own| *own == folder)?;
        folders.get(n + 1).copied()
    };
    let pci = folders.iter().rfind(|own| pci_address(own).is_some());
    let subject = match (after("net"), after("infiniband"), pci) {
        (Some(netdev), ..) => Subject::netdev(netdev),
        (_, Some(rdma), _) => Subject::rdma(rdma),
        (_, _, Some(pci)) => Subject::pci(pci),
        _ => return None,
    };
    Some(subject)
}

/// Whether the text is of `mst status -v`.
pub fn recognise_mst(text: &str) -> bool {
    text.contains("/dev/mst/") && text.contains("DEVICE_TYPE")
}

/// Reads `mst status -v`, in which each row names one function in all ways.
pub fn mst(input: &Input<'_>, out: &mut Statements) {
    for (_, line) in input.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(pci) = words.iter().find(|word| pci_address(word).is_some()) else {
            continue;
        };
        let mut subject = Subject::pci(pci);
        let rdma = words
            .iter()
            .find(|word| word.starts_with("mlx") || word.starts_with("roce"));
        subject.rdma = rdma.and_then(|name| device_name(name));
        let netdev = words.iter().find_map(|word| word.strip_prefix("net-"));
        subject.netdev = netdev.and_then(|names| device_name(names.split(',').next()?));
        let device = words.iter().find(|word| word.starts_with("/dev/mst/"));
        subject.mst = device.map(|name| (*name).to_owned());
        let evidence = match subject.rdma {
            Some(_) => Evidence::Rdma,
            None => Evidence::None,
        };
        out.push(Part::new(subject, evidence));
    }
}

/// Whether the text is a state file of the bonding driver.
pub fn recognise_bond(text: &str) -> bool {
    text.contains("Bonding Mode:") && text.contains("MII Status:")
}

/// Reads `/proc/net/bonding/NAME`.
pub fn bond(input: &Input<'_>, out: &mut Statements) {
    let name = input
        .file
        .rsplit('/')
        .next()
        .map(crate::source::folder::stem);
    let name = name.filter(|name| !name.is_empty()).and_then(device_name);
    for (_, line) in input.lines() {
        let member = line.trim().strip_prefix("Slave Interface:");
        if let (Some(name), Some(member)) = (&name, member.and_then(|m| device_name(m.trim()))) {
            out.member(name, member);
        }
    }
}

/// Whether the text is of `devlink port show`.
pub fn recognise_port(text: &str) -> bool {
    match is_json(text) {
        true => text.contains("\"port\"") && text.contains("\"pci/"),
        false => super::lines(text).any(|(_, line)| port_line(line).is_some()),
    }
}

/// `pci/0000:3b:00.0/65535: type eth netdev ens1f0np0 flavour physical port 0`.
fn port_line(line: &str) -> Option<(&str, &str)> {
    let (place, rest) = line.trim_start().split_once(": type ")?;
    let pci = place.strip_prefix("pci/")?.rsplit_once('/')?.0;
    Some((pci, rest))
}

/// Reads `devlink port show`: only the physical port of a function is the
/// function's own, the others stand for virtual ones.
pub fn port(input: &Input<'_>, out: &mut Statements) {
    let mut tie = |pci: &str, netdev: Option<&str>, flavour: Option<&str>| {
        let own = flavour.is_none_or(|flavour| matches!(flavour, "physical" | "virtual"));
        let mut subject = Subject::pci(pci);
        subject.netdev = netdev.and_then(device_name);
        if own && subject.netdev.is_some() {
            out.push(Part::new(subject, Evidence::None));
        }
    };
    if !is_json(input.text) {
        for (_, line) in input.lines() {
            let Some((pci, rest)) = port_line(line) else {
                continue;
            };
            let words: Vec<&str> = rest.split_whitespace().collect();
            let after = |key: &str| {
                let n = words.iter().position(|word| *word == key)?;
                words.get(n + 1).copied()
            };
            tie(pci, after("netdev"), after("flavour"));
        }
        return;
    }
    let document = Document::parse(input.text);
    let ports = document.root().and_then(|root| root.get("port"));
    for (place, port) in ports.iter().flat_map(|ports| ports.entries()) {
        let text = |key: &str| port.get(key).and_then(|value| value.str());
        if let Some((pci, _)) = place.text().rsplit_once('/') {
            tie(pci, text("netdev").as_deref(), text("flavour").as_deref());
        }
    }
    if let Some(error) = document.error() {
        let text = format!("the JSON could not be read to its end: {}", error.kind);
        out.note(NoteKind::Failed, text, input.at(error.offset as usize));
    }
}
