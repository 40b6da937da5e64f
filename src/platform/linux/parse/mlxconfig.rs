//! `mlxconfig` / `mstconfig` query: firmware parameters with one value column
//! (next boot) or three (default, current, next boot), as text or JSON.
//! Column widths differ by release, so a row is read from the right.

use super::{At, Statement, Statements, Subject, Text};
use crate::model::NvValue;
use crate::platform::text::json::Document;

const MARKS: [&str; 6] = [
    "CNP_DSCP",
    "ROCE_CC_PRIO_MASK",
    "RPG_",
    "LINK_TYPE_P",
    "ROCE_CONTROL",
    "LLDP_NB",
];

pub fn is(text: &Text<'_>) -> bool {
    text.text.contains("tlv_configuration")
        || text.text.contains("Configurations:")
        || text.lines().any(|line| {
            row(line).is_some_and(|row| MARKS.iter().any(|mark| row.name.starts_with(mark)))
        })
}

struct Row<'t> {
    name: &'t str,
    values: Vec<&'t str>,
}

/// `[*] [RO] NAME value [value value]`.
fn row(line: &str) -> Option<Row<'_>> {
    let mut words = line.split_whitespace().peekable();
    while matches!(words.peek(), Some(&"*" | &"RO" | &"*RO")) {
        words.next();
    }
    let name = words.next()?;
    let named = name
        .bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"_[].".contains(&b));
    let values: Vec<&str> = words.collect();
    let plausible = named
        && name.contains('_')
        && name.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
        && (1..=3).contains(&values.len())
        && values.iter().all(|value| !value.starts_with('<'));
    plausible.then_some(Row { name, values })
}

pub fn parse(text: &Text<'_>, out: &mut Statements) {
    if text.text.contains("tlv_configuration") {
        return json(text, out);
    }
    let mut subject = text.subject.clone();
    let mut columns = None;
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Device type:") {
            out.push((
                subject.clone(),
                Statement::Model(text.at(rest.trim().to_owned(), line)),
            ));
        } else if let Some(rest) = line.strip_prefix("Device:") {
            subject = pci(rest.trim()).map_or(subject, Subject::Pci);
        } else if let Some(rest) = line.strip_prefix("Configurations:") {
            columns = Some(
                rest.split_whitespace()
                    .filter(|word| *word != "Boot")
                    .count(),
            );
        } else if let Some(found) = row(line) {
            rows.push((subject.clone(), found, line));
        }
    }
    // Without the heading the widest row tells; a shorter one is cut.
    let widest = rows.iter().map(|(_, row, _)| row.values.len()).max();
    let columns = columns
        .filter(|n| (1..=3).contains(n))
        .or(widest)
        .unwrap_or(1);
    for (subject, row, line) in rows {
        if row.values.len() != columns {
            continue; // cut: what is missing is unknown
        }
        let value = |n: usize| row.values.get(n).and_then(|v| Some(text.at(nv(v)?, line)));
        let (default, current, next) = match columns {
            3 => (value(0), value(1), value(2)),
            2 => (None, value(0), value(1)),
            _ => (None, None, value(0)),
        };
        let name = row.name.to_owned();
        out.push((
            subject,
            Statement::Nv {
                name,
                default,
                current,
                next,
            },
        ));
    }
}

/// `0000:3b:00.0`, `19:00.0`; not an MST or fwctl path.
pub fn pci(text: &str) -> Option<String> {
    let (head, function) = text.rsplit_once('.')?;
    let parts: Vec<&str> = head.split(':').collect();
    let hex = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    if function.len() != 1 || !parts.iter().all(hex) {
        return None;
    }
    match parts.as_slice() {
        [bus, slot] => Some(format!("0000:{bus}:{slot}.{function}")),
        [_, _, _] => Some(text.to_owned()),
        _ => None,
    }
}

/// `True(1)`, `48`, `ROCE_ENABLE(2)`; `N/A` and array placeholders are none.
fn nv(text: &str) -> Option<NvValue> {
    if text == "N/A" || text.starts_with("Array[") {
        return None;
    }
    let inner = text
        .strip_suffix(')')
        .and_then(|head| head.rsplit_once('('));
    let number = inner.map_or(text, |(_, number)| number).parse().ok();
    Some(NvValue {
        number,
        text: text.to_owned(),
    })
}

fn json(text: &Text<'_>, out: &mut Statements) {
    let Some(body) = text.text.find('{').and_then(|start| text.text.get(start..)) else {
        return;
    };
    let document = Document::parse(body);
    let Some(root) = document.root() else { return };
    for (_, device) in root.entries() {
        let name = device.get("device").and_then(|node| node.str());
        let subject = name
            .as_deref()
            .and_then(pci)
            .map_or(text.subject.clone(), Subject::Pci);
        if let Some(model) = device.get("device_type").and_then(|node| node.str()) {
            let model = Statement::Model(text.at(model.into_owned(), body));
            out.push((subject.clone(), model));
        }
        let parameters = device.get("tlv_configuration");
        for (name, parameter) in parameters.iter().flat_map(|node| node.entries()) {
            let value = |key: &str| {
                let node = parameter.get(key)?;
                let part = body.get(node.offset() as usize..).unwrap_or(body);
                Some(At {
                    value: nv(&node.text()?)?,
                    at: text.origin(part),
                })
            };
            let statement = Statement::Nv {
                name: name.text().into_owned(),
                default: value("default_value"),
                current: value("current_value"),
                next: value("next_value"),
            };
            out.push((subject.clone(), statement));
        }
    }
}
