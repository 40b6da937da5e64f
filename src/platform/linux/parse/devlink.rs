//! `devlink -j dev info` and `devlink -j dev param show`.

use super::{Evidence, Input, Part, Statements, Subject, is_json};
use crate::model::{Fact, Nic, NoteKind};
use crate::platform::text::json::{Document, Node};

/// Whether the text is of `devlink dev info`, JSON.
pub fn recognise(text: &str) -> bool {
    is_json(text)
        && text.contains("\"pci/")
        && (text.contains("\"info\"") || text.contains("\"param\""))
}

/// Reads the firmware that runs and the one that is stored.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    if !is_json(input.text) {
        return;
    }
    let document = Document::parse(input.text);
    if let Some(error) = document.error() {
        let text = format!("the JSON could not be read to its end: {}", error.kind);
        out.note(NoteKind::Failed, text, input.at(error.offset as usize));
    }
    let Some(root) = document.root() else { return };
    for (address, device) in root.get("info").iter().flat_map(|info| info.entries()) {
        let subject = Subject::pci(&address.text());
        if subject.is_empty() {
            continue;
        }
        let mut part = Part::new(subject, Evidence::None);
        info(input, device, part.nic());
        out.push(part);
    }
}

fn info(input: &Input<'_>, device: Node<'_>, nic: &mut Nic) {
    let fact = |node: Option<Node<'_>>| {
        let node = node?;
        let at = input.at(node.offset() as usize);
        Some(Fact::explicit(node.text()?.into_owned(), at))
    };
    let version = |layer: &str, names: &[&str]| {
        let layer = device.get("versions")?.get(layer)?;
        names.iter().find_map(|name| fact(layer.get(name)))
    };
    let set = |target: &mut Fact<String>, value: Option<Fact<String>>| {
        if let Some(value) = value {
            *target = value;
        }
    };
    set(&mut nic.driver, fact(device.get("driver")));
    set(&mut nic.part, version("fixed", &["fw.psid"]));
    set(&mut nic.firmware, version("running", &["fw.version", "fw"]));
    set(
        &mut nic.firmware_stored,
        version("stored", &["fw.version", "fw"]),
    );
}
