//! Differences: folded over ports and devices for a terminal, one change a
//! port in JSON (`roceaudit.diff/v1`).

use super::escape::terminal;
use super::fold::ranges;
use crate::drift::reports::{Reported, Reports};
use crate::drift::{Address, Change, Diff, Effect, Members, Place, PortName, Seen};
use crate::finding::Evidence;
use crate::model::{Field, Kind};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, Write};

/// Name and version of the schema.
pub const SCHEMA: &str = "roceaudit.diff/v1";

/// Writes the JSON.
///
/// # Errors
/// Those of the writer.
pub fn json(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Root(diff))?;
    writeln!(out)
}

struct Root<'a>(&'a Diff);
struct Changes<'a>(&'a [Change]);
struct One<'a>(&'a Change, &'a Place);

impl Serialize for Root<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let diff = self.0;
        let port = |name: &PortName| json!({"device": &*name.device, "port": &*name.port});
        let ports = |names: &[PortName]| names.iter().map(port).collect::<Value>();
        let devices = |names: &[std::sync::Arc<str>]| {
            let names = names.iter().map(|name| Value::from(&**name));
            names.collect::<Value>()
        };
        let renamed = diff.devices.renamed.iter();
        let renamed = renamed.map(|(old, new)| json!({"old": &**old, "new": &**new}));
        let ports_renamed = diff.ports.renamed.iter().map(
            |(old, new)| json!({"device": &*new.device, "old": &*old.port, "new": &*new.port}),
        );
        let unread = diff.unread.iter();
        let unread = unread.map(|unread| json!({"device": &*unread.device, "why": unread.why}));
        let mut root = serializer.serialize_map(None)?;
        root.serialize_entry("schema", SCHEMA)?;
        root.serialize_entry("changes", &Changes(&diff.changes))?;
        root.serialize_entry(
            "devices",
            &json!({
                "added": devices(&diff.devices.added),
                "removed": devices(&diff.devices.removed),
                "renamed": renamed.collect::<Value>(),
                "unread": unread.collect::<Value>(),
            }),
        )?;
        root.serialize_entry(
            "ports",
            &json!({
                "added": ports(&diff.ports.added),
                "removed": ports(&diff.ports.removed),
                "renamed": ports_renamed.collect::<Value>(),
            }),
        )?;
        root.serialize_entry("bom", &Changes(&diff.bom))?;
        root.end()
    }
}

impl Serialize for Changes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for change in self.0 {
            for place in &change.places {
                list.serialize_element(&One(change, place))?;
            }
        }
        list.end()
    }
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let One(change, place) = self;
        let evidence = |line: &Option<Evidence>| {
            line.as_ref()
                .map(|e| json!({"source": &*e.source, "line": e.line, "text": &*e.text}))
        };
        let also: Vec<String> = change.also.iter().map(ToString::to_string).collect();
        let check = change.check.as_ref();
        let mut one = serializer.serialize_map(None)?;
        one.serialize_entry("device", &*change.device)?;
        one.serialize_entry("port", &place.port.as_deref())?;
        one.serialize_entry("field", &change.address.to_string())?;
        one.serialize_entry("old", &change.old.known())?;
        one.serialize_entry("new", &change.new.known())?;
        one.serialize_entry("old_kind", kind(&change.old))?;
        one.serialize_entry("new_kind", kind(&change.new))?;
        one.serialize_entry("effect", change.effect.as_str())?;
        one.serialize_entry("check", &check.map(|(check, _)| &**check))?;
        one.serialize_entry("severity", &check.map(|(_, severity)| severity.to_string()))?;
        one.serialize_entry("also", &also)?;
        one.serialize_entry("old_evidence", &evidence(&place.old))?;
        one.serialize_entry("new_evidence", &evidence(&place.new))?;
        one.end()
    }
}

fn kind(seen: &Seen) -> &'static str {
    match seen {
        Seen::Absent => "absent",
        Seen::Unknown => Kind::Unknown.as_str(),
        Seen::Value(_, kind) => kind.as_str(),
    }
}

/// Writes the text: what breaks first.
///
/// # Errors
/// Those of the writer.
pub fn text(diff: &Diff, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !style.quiet {
        for effect in [
            Effect::Breaks,
            Effect::Unknown,
            Effect::Repairs,
            Effect::Neutral,
        ] {
            let of = |change: &&Change| change.effect == effect;
            let heading = match effect {
                Effect::Breaks => "Breaks the policy:",
                Effect::Unknown => "Can't be told:",
                Effect::Repairs => "Repairs:",
                Effect::Neutral => "Neutral:",
            };
            section(heading, diff.changes.iter().filter(of), style, out)?;
        }
        section("Bill of materials:", diff.bom.iter(), style, out)?;
        members(diff, out)?;
    }
    summary(diff, out)
}

/// How to write the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Nothing but the summary line.
    pub quiet: bool,
    /// All ports and the lines of both sides of each.
    pub verbose: bool,
}

fn section<'a>(
    heading: &str,
    changes: impl Iterator<Item = &'a Change>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let folded = fold(changes);
    if folded.is_empty() {
        return Ok(());
    }
    writeln!(out, "{heading}")?;
    for same in &folded {
        let change = same.first;
        write!(
            out,
            "  {}: {}",
            whereabouts(&same.devices, style.verbose),
            what(same)
        )?;
        if let Some((check, severity)) = &change.check {
            write!(out, "  [{}, {severity}]", terminal(check))?;
        }
        writeln!(out)?;
        let all = same.devices.iter().flat_map(|change| &change.places);
        for place in all.take(if style.verbose { usize::MAX } else { 1 }) {
            for (sign, line) in [('-', &place.old), ('+', &place.new)] {
                if let Some(line) = line {
                    let (source, text) = (terminal(&line.source), terminal(&line.text));
                    writeln!(out, "      {sign} {source}:{}  {text}", line.line)?;
                }
            }
        }
    }
    writeln!(out)
}

/// Changes that are told in one line.
struct Folded<'a> {
    first: &'a Change,
    /// One change of each device.
    devices: Vec<&'a Change>,
    /// The keys of a map that changed alike, where it is of maps.
    keys: Vec<u8>,
}

/// Several keys of a map that changed alike are one entry, and so is the same
/// change on the same ports of several devices.
fn fold<'a>(changes: impl Iterator<Item = &'a Change>) -> Vec<Folded<'a>> {
    let ports = |change: &'a Change| {
        let ports = change.places.iter().map(|place| &place.port);
        ports.collect::<Vec<_>>()
    };
    let check = |change: &'a Change| change.check.as_ref().map(|(check, _)| check);
    let mut by_key: Vec<Folded<'_>> = Vec::new();
    let mut index: HashMap<_, usize> = HashMap::new();
    for change in changes {
        let mut keys = Vec::new();
        if let Address::Fact(Field::MapEntry(map, key)) = &change.address {
            keys.push(*key);
            let values = (shown(&change.old), shown(&change.new));
            let same = (&change.device, *map, values, check(change), ports(change));
            let known = *index.entry(same).or_insert(by_key.len());
            if let Some(known) = by_key.get_mut(known) {
                known.keys.push(*key);
                continue;
            }
        }
        by_key.push(Folded {
            first: change,
            devices: vec![change],
            keys,
        });
    }
    let mut folded: Vec<Folded<'_>> = Vec::new();
    let mut index: HashMap<_, usize> = HashMap::new();
    for same in by_key {
        let key = (what(&same), check(same.first), ports(same.first));
        let known = *index.entry(key).or_insert(folded.len());
        match folded.get_mut(known) {
            Some(known) => known.devices.extend(same.devices),
            None => folded.push(same),
        }
    }
    folded
}

/// `leaf1, leaf2 Ethernet0-124 (64 ports)`.
fn whereabouts(same: &[&Change], full: bool) -> String {
    const DEVICES: usize = 4;
    let most = if full { usize::MAX } else { DEVICES };
    let names = same
        .iter()
        .take(most)
        .map(|change| terminal(&change.device));
    let mut text = names.collect::<Vec<_>>().join(", ");
    if same.len() > most {
        text.push_str(&format!(", … (+{} devices)", same.len() - most));
    }
    let places = same.first().map_or(&[][..], |change| &change.places);
    let ports: Vec<&str> = places.iter().filter_map(|p| p.port.as_deref()).collect();
    if !ports.is_empty() {
        let ranges = ranges(&ports, if full { usize::MAX } else { 6 });
        text.push_str(&format!(" {ranges}"));
        let count = ports.len() * same.len();
        if count > 1 {
            text.push_str(&format!(" ({count} ports)"));
        }
    }
    text
}

/// `PFC priority 3 on → off`, or `mtu/ip 9100 → 1500`.
fn what(same: &Folded<'_>) -> String {
    let change = same.first;
    let field = match &change.address {
        Address::Fact(Field::MapEntry(map, _)) if same.keys.len() > 1 => {
            format!("{map}/{}", runs(&same.keys))
        }
        address => address.to_string(),
    };
    let sets = (priorities(&change.old), priorities(&change.new));
    if let ("pfc/enabled", (Some(old), Some(new))) = (field.as_str(), sets) {
        let parts = [
            turned(&old, &new, "on → off"),
            turned(&new, &old, "off → on"),
        ];
        return parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    }
    format!(
        "{} {} → {}",
        terminal(&field),
        shown(&change.old),
        shown(&change.new)
    )
}

/// The priorities that only the first side has, and how they changed.
fn turned(from: &[u64], to: &[u64], how: &str) -> Option<String> {
    let those: Vec<String> = from
        .iter()
        .filter(|priority| !to.contains(priority))
        .map(u64::to_string)
        .collect();
    let word = match those.len() {
        0 => return None,
        1 => "priority",
        _ => "priorities",
    };
    Some(format!("PFC {word} {} {how}", those.join(", ")))
}

/// `0-7,26`.
fn runs(keys: &[u8]) -> String {
    let runs = keys.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let runs = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.first().map(u8::to_string).unwrap_or_default(),
    });
    runs.collect::<Vec<_>>().join(",")
}

fn priorities(seen: &Seen) -> Option<Vec<u64>> {
    let list = seen.known()?.as_array()?.iter();
    list.map(Value::as_u64).collect()
}

fn shown(seen: &Seen) -> String {
    match seen {
        Seen::Absent => "none".to_owned(),
        Seen::Unknown => "unknown".to_owned(),
        Seen::Value(Value::String(text), _) => terminal(text).into_owned(),
        Seen::Value(Value::Object(members), _) if members.contains_key("device") => {
            let part = |name| members.get(name).and_then(Value::as_str).unwrap_or("?");
            format!("{}:{}", terminal(part("device")), terminal(part("port")))
        }
        Seen::Value(Value::Object(_), _) => "there".to_owned(),
        Seen::Value(value, _) => terminal(&value.to_string()).into_owned(),
    }
}

fn members(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Vec::new();
    let Members {
        added,
        removed,
        renamed,
    } = &diff.devices;
    for (names, word) in [(added, "new device"), (removed, "missing device")] {
        lines.extend(
            names
                .iter()
                .map(|name| format!("{word} {}", terminal(name))),
        );
    }
    for (old, new) in renamed {
        lines.push(format!(
            "device {} is called {} now",
            terminal(old),
            terminal(new)
        ));
    }
    for (names, word) in [(&diff.ports.added, "new"), (&diff.ports.removed, "missing")] {
        for of in names.chunk_by(|a, b| a.device == b.device) {
            let ports: Vec<&str> = of.iter().map(|name| &*name.port).collect();
            let device = of.first().map_or("", |name| &name.device);
            let plural = if ports.len() > 1 { "s" } else { "" };
            lines.push(format!(
                "{}: {word} port{plural} {}",
                terminal(device),
                ranges(&ports, 6)
            ));
        }
    }
    for (old, new) in &diff.ports.renamed {
        lines.push(format!(
            "{}: port {} is called {} now",
            terminal(&new.device),
            terminal(&old.port),
            terminal(&new.port)
        ));
    }
    for unread in &diff.unread {
        lines.push(format!(
            "{} can't be compared: {}",
            terminal(&unread.device),
            terminal(&unread.why)
        ));
    }
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "Devices and ports:")?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

fn summary(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let count = |effect: Option<Effect>, changes: &[Change]| -> usize {
        let of = changes
            .iter()
            .filter(|c| effect.is_none_or(|effect| c.effect == effect));
        of.map(|change| change.places.len()).sum()
    };
    let part = |effect, word: &str| {
        let count = count(Some(effect), &diff.changes);
        (count > 0).then(|| format!("{count} {word}"))
    };
    let bom = count(None, &diff.bom);
    let parts = [
        part(Effect::Breaks, "breaking"),
        part(Effect::Unknown, "unknown"),
        part(Effect::Repairs, "repairing"),
        part(Effect::Neutral, "neutral"),
        (bom > 0).then(|| format!("{bom} of the bill of materials")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let quiet = diff.devices.is_empty() && diff.ports.is_empty() && diff.unread.is_empty();
    let said = match (parts.is_empty(), quiet) {
        (true, true) => "no difference in meaning".to_owned(),
        (true, false) => "no change of settings".to_owned(),
        (false, _) => format!("changes: {}", parts.join(", ")),
    };
    let s = if diff.compared == 1 { "" } else { "s" };
    writeln!(out, "{} device{s} compared: {said}", diff.compared)
}

/// Writes the differences of two reports as JSON.
///
/// # Errors
/// Those of the writer.
pub fn reports_json(reports: &Reports, out: &mut dyn Write) -> io::Result<()> {
    let list = |of: &[Reported]| of.iter().map(|one| one.finding.clone()).collect::<Value>();
    let all = json!({
        "schema": SCHEMA,
        "changes": [],
        "devices": {"added": reports.added, "removed": reports.removed},
        "ports": {"added": [], "removed": []},
        "bom": [],
        "findings": {
            "new": list(&reports.new),
            "fixed": list(&reports.fixed),
            "still": list(&reports.still),
        },
    });
    serde_json::to_writer_pretty(&mut *out, &all)?;
    writeln!(out)
}

/// Writes the differences of two reports as text.
///
/// # Errors
/// Those of the writer.
pub fn reports_text(reports: &Reports, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sections = [
        ("New:", &reports.new, true),
        ("Fixed:", &reports.fixed, true),
        ("Still there:", &reports.still, style.verbose),
    ];
    for (heading, list, shown) in sections {
        if list.is_empty() || !shown || style.quiet {
            continue;
        }
        writeln!(out, "{heading}")?;
        for one in list {
            let port = one.text("port");
            let space = if port.is_empty() { "" } else { " " };
            writeln!(
                out,
                "  {}{space}{}: {}  [{}, {}]",
                terminal(one.text("device")),
                terminal(port),
                terminal(one.text("message")),
                terminal(one.text("check")),
                terminal(one.text("severity")),
            )?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "findings: {} new, {} fixed, {} still there",
        reports.new.len(),
        reports.fixed.len(),
        reports.still.len()
    )
}
