//! `mlxconfig` / `mstconfig query`: one value column (next boot), or three
//! (default, current, next boot) with `-e`; text and JSON.

use super::{Evidence, Input, Part, Statements, Subject, is_json, pci_address, tokens};
use crate::model::{Fact, NoteKind, NvParameter, NvValue, Origin};
use crate::platform::text::json::Document;
use crate::platform::text::keyvalue;

/// Parameters by which a table without its heading is known.
const NAMES: &[&str] = &[
    "ROCE_CC_PRIO_MASK_P",
    "CNP_DSCP_P",
    "CNP_802P_PRIO_P",
    "LINK_TYPE_P",
    "RPG_THRESHOLD_P",
    "DCE_TCP_G_P",
    "LLDP_NB_DCBX_P",
    "LLDP_NB_TX_MODE",
    "ROCE_CONTROL",
    "NUM_OF_VFS",
];

/// Whether the text is of this tool.
pub fn recognise(text: &str) -> bool {
    if is_json(text) {
        return text.contains("\"tlv_configuration\"");
    }
    let named = |line: &str| {
        let word = line.trim_start_matches('*').split_whitespace();
        let mut words = word.skip_while(|word| *word == "RO");
        let known = words
            .next()
            .is_some_and(|word| NAMES.iter().any(|name| word.starts_with(name)));
        known
            && words
                .next()
                .is_some_and(|value| !matches!(value, "=" | ":"))
    };
    (text.contains("Configurations:") && text.contains("Next Boot"))
        || super::lines(text).any(|(_, line)| named(line.trim_start()))
}

/// Reads all cards of the output.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let named = input.option(&["-d", "--dev"]).map(device);
    if is_json(input.text) {
        return json(input, named.unwrap_or_default(), out);
    }
    let mut card = Card::new(named.clone().unwrap_or_default());
    // Value columns as the heading has them, else as most rows have.
    let mut columns = None;
    for (offset, line) in input.lines() {
        let body = line.trim();
        if body.starts_with("Device #") {
            card.finish(out);
            card = Card::new(named.clone().unwrap_or_default());
        } else if let Some(heading) = body.strip_prefix("Configurations:") {
            columns = Some(
                match (heading.contains("Default"), heading.contains("Current")) {
                    (true, true) => 3,
                    (false, true) | (true, false) => 2,
                    (false, false) => 1,
                },
            );
        } else if let Some(pair) = keyvalue::pairs(line).next() {
            card.heading(pair.key, pair.value, input.at(offset));
        } else if !body.starts_with('-') {
            row(input, offset, line, columns, &mut card, out);
        }
    }
    card.finish(out);
}

/// A device as people name it to the tool: PCI address, RDMA device or MST
/// device file.
pub fn device(name: &str) -> Subject {
    match pci_address(name) {
        Some(_) => Subject::pci(name),
        None if name.starts_with("mlx5_") => Subject::rdma(name),
        None if name.starts_with("/dev/mst/") => Subject {
            mst: Some(name.to_owned()),
            ..Subject::default()
        },
        None => Subject::default(),
    }
}

struct Card {
    subject: Subject,
    part: Part,
    /// Parameters of the second port.
    second: Part,
}

impl Card {
    fn new(subject: Subject) -> Self {
        Card {
            part: Part::new(subject.clone(), Evidence::Rdma),
            second: Part::new(Subject::default(), Evidence::Rdma),
            subject,
        }
    }

    fn heading(&mut self, key: &str, value: &str, at: Origin) {
        match key {
            "Device type" => self.part.nic().model = Fact::explicit(value.to_owned(), at),
            "Device" if pci_address(value).is_some() => {
                self.subject = Subject::pci(value);
                self.part.nic().pci = Fact::explicit(pci_address(value).unwrap_or_default(), at);
            }
            "Device" if value.starts_with("/dev/mst/") => self.subject = device(value),
            _ => {}
        }
    }

    /// The parameters of port 2 belong to the card's second function.
    fn add(&mut self, name: &str, parameter: NvParameter) {
        let second = name.strip_suffix("]").unwrap_or(name).ends_with("_P2");
        let part = if second {
            &mut self.second
        } else {
            &mut self.part
        };
        part.nic().nv.insert(name.to_owned(), parameter);
    }

    fn finish(&mut self, out: &mut Statements) {
        self.part.subject = self.subject.clone();
        let pci = self.subject.pci.as_deref();
        let function = pci.and_then(|pci| pci.strip_suffix(".0"));
        self.second.fallback = Some(self.subject.clone());
        match (function, self.subject.mst.as_deref()) {
            (Some(card), _) => self.second.subject = Subject::pci(&format!("{card}.1")),
            (_, Some(mst)) => self.second.subject = device(&format!("{mst}.1")),
            _ => {
                self.second.subject = self.subject.clone();
                self.second.fallback = None;
            }
        }
        for part in [&mut self.part, &mut self.second] {
            if part.port.nic.is_some() {
                out.push(std::mem::take(part));
            }
        }
    }
}

fn row(
    input: &Input<'_>,
    offset: usize,
    line: &str,
    columns: Option<usize>,
    card: &mut Card,
    out: &mut Statements,
) {
    let mut words: Vec<(usize, &str)> = tokens(offset, line).collect();
    if let Some((_, first)) = words.first_mut() {
        *first = first.trim_start_matches('*');
    }
    words.retain(|(_, word)| !word.is_empty() && *word != "RO");
    let Some(((_, name), values)) = words.split_first() else {
        return;
    };
    let parameter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_[].".contains(c);
    if !name.chars().all(parameter) || !name.contains('_') || values.is_empty() {
        return;
    }
    let fact = |n: usize| {
        let (offset, text) = values.get(n).copied()?;
        Some(Fact::explicit(value(text), input.at(offset)))
    };
    let missing = || Fact::unknown_at(&crate::platform::linux::defaults::CUT, input.at(offset));
    let parameter = match (columns, values.len()) {
        (Some(3) | None, 3) => NvParameter {
            default: fact(0).unwrap_or_default(),
            current: fact(1).unwrap_or_default(),
            next: fact(2).unwrap_or_default(),
        },
        (Some(1) | None, 1) => NvParameter {
            next: fact(0).unwrap_or_default(),
            ..NvParameter::default()
        },
        // Which of two columns is missing cannot be told from the row.
        _ => {
            let text = format!("the row of {name} is cut: {} values", values.len());
            out.note(NoteKind::Failed, text, input.at(offset));
            NvParameter {
                default: missing(),
                current: missing(),
                next: missing(),
            }
        }
    };
    card.add(name, parameter);
}

/// `ROCE_ENABLE(2)`, `48`, `N/A`, `0x1a`.
pub fn value(text: &str) -> NvValue {
    let inner = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
        .map_or(text, |(_, number)| number);
    let number = match inner.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => inner.parse().ok(),
    };
    NvValue {
        number,
        text: text.to_owned(),
    }
}

fn json(input: &Input<'_>, named: Subject, out: &mut Statements) {
    let document = Document::parse(input.text);
    if let Some(error) = document.error() {
        let text = format!("the JSON could not be read to its end: {}", error.kind);
        out.note(NoteKind::Failed, text, input.at(error.offset as usize));
    }
    let Some(root) = document.root() else { return };
    for (_, device) in root.entries() {
        let mut card = Card::new(named.clone());
        for (key, heading) in device.entries() {
            let at = input.at(key.offset() as usize);
            let heading = heading.text().unwrap_or_default();
            match &*key.text() {
                "device_type" => card.heading("Device type", &heading, at),
                "device" => card.heading("Device", &heading, at),
                _ => {}
            }
        }
        let parameters = device.get("tlv_configuration");
        for (name, layers) in parameters.iter().flat_map(|node| node.entries()) {
            let layer = |key: &str| match layers.get(key) {
                Some(node) => {
                    let text = node.text().unwrap_or_default();
                    Fact::explicit(value(&text), input.at(node.offset() as usize))
                }
                None => Fact::default(),
            };
            let parameter = NvParameter {
                default: layer("default_value"),
                current: layer("current_value"),
                next: layer("next_value"),
            };
            card.add(&name.text(), parameter);
        }
        card.finish(out);
    }
}
