//! `devlink dev info` and `devlink dev param show`, JSON and text.

use super::{Evidence, Input, Part, Statements, Subject, is_json};
use crate::model::{Fact, Nic, NoteKind, Origin};
use crate::platform::linux::defaults;
use crate::platform::text::json::{Document, Node};
use std::collections::BTreeMap;

/// Whether the text is of `devlink dev`.
pub fn recognise(text: &str) -> bool {
    if is_json(text) {
        return text.contains("\"pci/")
            && (text.contains("\"info\"") || text.contains("\"param\""));
    }
    let device = super::lines(text).any(|(_, line)| device(line).is_some());
    device && (text.contains("versions:") || text.contains(" cmode ") || text.contains("driver "))
}

/// `pci/0000:3b:00.0:` alone on a line.
fn device(line: &str) -> Option<Subject> {
    let address = line.strip_prefix("pci/")?.trim_end().strip_suffix(':')?;
    let subject = Subject::pci(address);
    (!subject.is_empty()).then_some(subject)
}

/// Reads the firmware that runs and the one that is stored, and whether the
/// driver starts RoCE.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    if !is_json(input.text) {
        return text(input, out);
    }
    let document = Document::parse(input.text);
    if let Some(error) = document.error() {
        let text = format!("the JSON could not be read to its end: {}", error.kind);
        out.note(NoteKind::Failed, text, input.at(error.offset as usize));
    }
    let Some(root) = document.root() else { return };
    for (address, device) in root.get("info").iter().flat_map(|info| info.entries()) {
        let mut part = Part::new(Subject::pci(&address.text()), Evidence::None);
        info(input, device, part.nic());
        if !part.subject.is_empty() {
            out.push(part);
        }
    }
    for (address, list) in root.get("param").iter().flat_map(|param| param.entries()) {
        let mut part = Part::new(Subject::pci(&address.text()), Evidence::None);
        for parameter in list.items() {
            let name = parameter.get("name").and_then(|name| name.str());
            let values = parameter.get("values");
            for value in values.iter().flat_map(|values| values.items()) {
                let (Some(name), Some(set)) = (&name, value.get("value")) else {
                    continue;
                };
                let at = input.at(set.offset() as usize);
                let text = set
                    .bool()
                    .map(|on| on.to_string())
                    .or(set.text().map(|text| text.into_owned()));
                setting(name, text.as_deref(), at, part.nic());
            }
        }
        if !part.subject.is_empty() && part.port.nic.is_some() {
            out.push(part);
        }
    }
}

/// A parameter's value. That of `driverinit` runs from the last start of the
/// driver, or from the next if it was changed since.
fn setting(name: &str, value: Option<&str>, at: Origin, nic: &mut Nic) {
    if name != "enable_roce" {
        return;
    }
    nic.roce_enabled = match value {
        Some("true") => Fact::explicit(true, at),
        Some("false") => Fact::explicit(false, at),
        _ => Fact::unknown_at(&defaults::CUT, at),
    };
}

fn info(input: &Input<'_>, device: Node<'_>, nic: &mut Nic) {
    let fact = |node: Option<Node<'_>>| {
        let node = node?;
        let at = input.at(node.offset() as usize);
        Some((node.text()?.into_owned(), at))
    };
    let mut facts = BTreeMap::new();
    if let Some(driver) = fact(device.get("driver")) {
        facts.insert(("", "driver".to_owned()), driver);
    }
    for layer in ["fixed", "running", "stored"] {
        let layers = device
            .get("versions")
            .and_then(|versions| versions.get(layer));
        for (name, _) in layers.iter().flat_map(|layer| layer.entries()) {
            let name = name.text();
            if let Some(value) = fact(layers.and_then(|layer| layer.get(&name))) {
                facts.insert((layer, name.into_owned()), value);
            }
        }
    }
    fill(&facts, nic);
}

/// What a device says of its versions, by layer and name.
type Versions<'a> = BTreeMap<(&'a str, String), (String, Origin)>;

fn fill(facts: &Versions<'_>, nic: &mut Nic) {
    let set = |target: &mut Fact<String>, layer: &str, names: &[&str]| {
        let mut found = names
            .iter()
            .filter_map(|name| facts.iter().find(|((l, n), _)| *l == layer && n == name));
        if let Some((_, (value, at))) = found.next() {
            *target = Fact::explicit(value.clone(), *at);
        }
    };
    set(&mut nic.driver, "", &["driver"]);
    set(&mut nic.part, "fixed", &["fw.psid"]);
    set(&mut nic.firmware, "running", &["fw.version", "fw"]);
    set(&mut nic.firmware_stored, "stored", &["fw.version", "fw"]);
}

/// The text form: the device on a line of its own, what is of it below.
fn text(input: &Input<'_>, out: &mut Statements) {
    let mut part: Option<Part> = None;
    let mut facts: Versions<'_> = BTreeMap::new();
    let (mut layer, mut parameter) = ("", "");
    let mut close = |part: &mut Option<Part>, facts: &mut Versions<'_>| {
        if let Some(mut part) = part.take() {
            fill(facts, part.nic());
            out.push(part);
        }
        facts.clear();
    };
    for (offset, line) in input.lines() {
        if let Some(subject) = device(line) {
            close(&mut part, &mut facts);
            part = Some(Part::new(subject, Evidence::None));
            (layer, parameter) = ("", "");
            continue;
        }
        let at = input.at(offset + (line.len() - line.trim_start().len()));
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), part.as_mut()) {
            (["fixed:"], _) => layer = "fixed",
            (["running:"], _) => layer = "running",
            (["stored:"], _) => layer = "stored",
            (["name", name, ..], _) => parameter = name,
            (["cmode", _, "value", value, ..], Some(part)) => {
                setting(parameter, Some(value), at, part.nic());
            }
            (["driver", name], _) => {
                facts.insert(("", "driver".to_owned()), ((*name).to_owned(), at));
            }
            ([name, value], _) if !layer.is_empty() => {
                facts.insert((layer, (*name).to_owned()), ((*value).to_owned(), at));
            }
            _ => {}
        }
    }
    close(&mut part, &mut facts);
}
