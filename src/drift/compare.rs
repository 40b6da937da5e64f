//! Compares two sources, device by device and in parallel: both models of a
//! device are dropped before the next one is read.

use super::difference::{Address, Difference, Seen, origin};
use super::effect::{self, Findings, Judged, Moved, Told};
use super::fields::{self, DeviceDiff};
use super::{Change, Diff, Effect, Members, Place, PortName, Unread};
use crate::audit::{Judge, ReadDevice, platform_for, read_loaded, read_unit};
use crate::finding::{Evidence, Finding, Status};
use crate::model::{Device, NoteKind, Origin, Port};
use crate::policy::Severity;
use crate::source::{Capture, Places, Unit};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Compares the devices of two sources. Those of equal names are the same;
/// of the rest those that call themselves the same.
pub fn sources(old: &[Unit], new: &[Unit], judge: &Judge<'_>) -> Diff {
    let mut sides: BTreeMap<&str, (Option<&Unit>, Option<&Unit>)> = BTreeMap::new();
    for unit in old {
        sides.entry(&unit.name).or_default().0 = Some(unit);
    }
    for unit in new {
        sides.entry(&unit.name).or_default().1 = Some(unit);
    }
    let (mut pairs, mut gone, mut came) = (Vec::new(), Vec::new(), Vec::new());
    for sides in sides.into_values() {
        match sides {
            (Some(old), Some(new)) => pairs.push((old, new)),
            (Some(old), None) => gone.push(old),
            (None, Some(new)) => came.push(new),
            (None, None) => {}
        }
    }
    let mut diff = Diff::default();
    renamed(&mut pairs, &mut gone, &mut came);
    for (old, new) in &pairs {
        if old.name != new.name {
            let names = (old.name.as_str().into(), new.name.as_str().into());
            diff.devices.renamed.push(names);
        }
    }
    let names = |units: &[&Unit]| units.iter().map(|unit| unit.name.as_str().into()).collect();
    diff.devices.added = names(&came);
    diff.devices.removed = names(&gone);
    diff.compared = pairs.len();
    let parts: Vec<Diff> = pairs
        .par_iter()
        .map(|(old, new)| device(old, new, judge))
        .chain(came.par_iter().map(|unit| added(unit, judge)))
        .collect();
    for part in parts {
        diff.extend(part);
    }
    diff
}

impl Diff {
    pub(super) fn extend(&mut self, part: Diff) {
        self.changes.extend(part.changes);
        self.bom.extend(part.bom);
        self.devices.extend(part.devices);
        self.ports.extend(part.ports);
        self.unread.extend(part.unread);
        self.fails(part.newly_failing);
        self.compared += part.compared;
    }

    fn fails(&mut self, severity: Option<Severity>) {
        self.newly_failing = match (self.newly_failing, severity) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// Pairs devices that call themselves by one name, and nobody else does.
fn renamed<'u>(
    pairs: &mut Vec<(&'u Unit, &'u Unit)>,
    gone: &mut Vec<&'u Unit>,
    came: &mut Vec<&'u Unit>,
) {
    if gone.is_empty() || came.is_empty() {
        return;
    }
    let hostnames = |units: &[&'u Unit]| {
        let named: Vec<(String, &'u Unit)> = units
            .par_iter()
            .filter_map(|unit| {
                let device = read_unit(unit).device?;
                Some((device.hostname.value()?.clone(), *unit))
            })
            .collect();
        let mut unique: BTreeMap<String, Option<&'u Unit>> = BTreeMap::new();
        for (name, unit) in named {
            let known = unique.entry(name).or_insert(Some(unit));
            if known.is_none_or(|known| known.name != unit.name) {
                *known = None;
            }
        }
        unique
    };
    let new = hostnames(came);
    for (name, old) in hostnames(gone) {
        if let (Some(old), Some(Some(new))) = (old, new.get(&name)) {
            pairs.push((old, *new));
            gone.retain(|unit| unit.name != old.name);
            came.retain(|unit| unit.name != new.name);
        }
    }
    pairs.sort_by(|a, b| a.1.name.cmp(&b.1.name));
}

/// A device that only the new side has: what fails of it fails newly.
fn added(unit: &Unit, judge: &Judge<'_>) -> Diff {
    let mut diff = Diff::default();
    let findings = judge.device(&read_unit(unit));
    let fails = findings.iter().filter(|f| f.status == Status::Fail);
    diff.fails(fails.map(|finding| finding.severity).min());
    diff
}

fn device(old: &Unit, new: &Unit, judge: &Judge<'_>) -> Diff {
    let mut diff = Diff::default();
    let (before, after) = (old.load(), new.load());
    let clean = before.problems.is_empty() && before.clash.is_none() && after.clash.is_none();
    if clean && same_captures(&before.captures, &after.captures) {
        // The same bytes have the same meaning, if they have any.
        if platform_for(new, &after.captures).is_none() {
            diff.unread(new, "no capture of it is of a kind known");
        }
        return diff;
    }
    let (before, after) = (read_loaded(old, before), read_loaded(new, after));
    for (read, side) in [(&before, "old"), (&after, "new")] {
        if read.device.is_none() {
            let why = format!("the {side} side is {}", read.status.as_str());
            diff.unread(new, &why);
        }
    }
    let (Some(old), Some(new)) = (&before.device, &after.device) else {
        return diff;
    };
    let differs = fields::compare(old, new);
    if differs == DeviceDiff::default()
        && notes(old) == notes(new)
        && same_problems(&before, &after)
    {
        return diff;
    }
    let findings = (judge.device(&before), judge.device(&after));
    let mut gatherer = Gatherer {
        diff,
        device: after.name.as_str().into(),
        sides: [Side::new(&before, old), Side::new(&after, new)],
    };
    gatherer.gather(differs, &findings.0, &findings.1);
    gatherer.diff
}

fn same_captures(old: &[Capture], new: &[Capture]) -> bool {
    let same = |(a, b): (&Capture, &Capture)| a.command == b.command && a.text == b.text;
    old.len() == new.len() && old.iter().zip(new).all(same)
}

fn notes(device: &Device) -> BTreeSet<(NoteKind, Option<&str>, &str)> {
    let notes = device.notes.iter();
    notes
        .map(|note| (note.kind, note.port.as_deref(), note.text.as_str()))
        .collect()
}

fn same_problems(old: &ReadDevice, new: &ReadDevice) -> bool {
    let texts = |read: &ReadDevice| -> Vec<String> {
        let problems = read.problems.iter();
        problems
            .map(|(check, note)| format!("{check} {}", note.text))
            .collect()
    };
    texts(old) == texts(new)
}

impl Diff {
    fn unread(&mut self, unit: &Unit, why: &str) {
        self.unread.push(Unread {
            device: unit.name.as_str().into(),
            why: why.to_owned(),
        });
    }
}

/// One side of a device.
struct Side<'a> {
    device: &'a Device,
    places: Places<'a>,
    texts: BTreeMap<(&'a str, u32), Evidence>,
}

impl<'a> Side<'a> {
    fn new(read: &'a ReadDevice, device: &'a Device) -> Self {
        Side {
            device,
            places: Places::new(&read.captures),
            texts: BTreeMap::new(),
        }
    }

    fn port(&self, n: Option<usize>) -> Option<&'a Port> {
        self.device.ports.get(n?)
    }

    fn line(&mut self, at: Origin) -> Option<Evidence> {
        let place = self.places.find(at)?;
        let line = self.texts.entry((place.source, place.line));
        let line = line.or_insert_with(|| Evidence {
            source: place.source.into(),
            line: place.line,
            text: place.text.into(),
        });
        Some(line.clone())
    }
}

/// Gathers the changes of one device.
struct Gatherer<'a> {
    diff: Diff,
    device: Arc<str>,
    sides: [Side<'a>; 2],
}

impl<'a> Gatherer<'a> {
    fn gather(&mut self, differs: DeviceDiff, old: &[Finding], new: &[Finding]) {
        let (old, new) = (Findings::new(old), Findings::new(new));
        let [before, after] = [self.sides[0].device, self.sides[1].device];
        let name = |device: &Device, n: usize| -> Option<PortName> {
            Some(PortName {
                device: self.device.clone(),
                port: device.ports.get(n)?.name.as_str().into(),
            })
        };
        self.diff.ports = Members {
            added: differs
                .added
                .iter()
                .filter_map(|n| name(after, *n))
                .collect(),
            removed: differs
                .removed
                .iter()
                .filter_map(|n| name(before, *n))
                .collect(),
            renamed: differs
                .renamed
                .iter()
                .filter_map(|(n, m)| Some((name(before, *n)?, name(after, *m)?)))
                .collect(),
        };
        let mut rest = Vec::new();
        let mut whole = Moved::between(old.whole(), new.whole());
        // What moved on ports that did not change themselves is of the device.
        let changed: BTreeSet<usize> = differs.ports.iter().map(|port| port.new).collect();
        let mut names: BTreeMap<&str, &str> = BTreeMap::new();
        for (n, m) in &differs.renamed {
            if let (Some(a), Some(b)) = (before.ports.get(*n), after.ports.get(*m)) {
                names.insert(&b.name, &a.name);
            }
        }
        for (m, port) in after.ports.iter().enumerate() {
            let was = names.get(port.name.as_str()).copied().unwrap_or(&port.name);
            let of = Moved::between(old.of(was), new.of(&port.name));
            let worst = of.breaks.iter().map(|told| told.finding.severity).min();
            self.diff.fails(worst);
            if !changed.contains(&m) {
                whole.breaks.extend(of.breaks);
                whole.unknown.extend(of.unknown);
                whole.repairs.extend(of.repairs);
            }
        }
        self.diff
            .fails(whole.breaks.iter().map(|t| t.finding.severity).min());
        let judged = effect::judge(&differs.own, &mut whole);
        self.take(&differs.own, &judged, None, None);
        rest.push(whole);
        for port in &differs.ports {
            let (Some(a), Some(b)) = (before.ports.get(port.old), after.ports.get(port.new)) else {
                continue;
            };
            let mut moved = Moved::between(old.of(&a.name), new.of(&b.name));
            let judged = effect::judge(&port.differences, &mut moved);
            self.take(&port.differences, &judged, Some(port.old), Some(port.new));
            rest.push(moved);
        }
        for moved in rest {
            self.lines(moved);
        }
    }

    fn take(
        &mut self,
        differences: &[Difference],
        judged: &[Judged<'_>],
        old: Option<usize>,
        new: Option<usize>,
    ) {
        for (n, (difference, judged)) in differences.iter().zip(judged).enumerate() {
            if difference.follows.is_some() {
                continue;
            }
            let ports = [self.sides[0].port(old), self.sides[1].port(new)];
            let [before, after] = &mut self.sides;
            let at = |side: &mut Side<'_>, port| {
                let origin = origin(side.device, port, &difference.address);
                side.line(origin)
            };
            let place = Place {
                port: ports[1].map(|port| port.name.as_str().into()),
                old: at(before, ports[0]),
                new: at(after, ports[1]),
            };
            let also = differences.iter().filter(|d| d.follows == Some(n));
            self.add(Change {
                device: self.device.clone(),
                address: difference.address.clone(),
                old: difference.old.clone(),
                new: difference.new.clone(),
                effect: judged.effect,
                check: judged
                    .check
                    .map(|(check, severity)| (check.into(), severity)),
                also: also.map(|d| d.address.clone()).collect(),
                places: vec![place],
            });
        }
    }

    /// Adds a change, to one that says the same where there is one.
    fn add(&mut self, change: Change) {
        const NEAR: usize = 64;
        let list = match change.address.is_bom() {
            true => &mut self.diff.bom,
            false => &mut self.diff.changes,
        };
        let same = list.iter_mut().rev().take(NEAR).find(|other| {
            (&other.address, &other.old, &other.new, other.effect)
                == (&change.address, &change.old, &change.new, change.effect)
                && (&other.check, &other.also) == (&change.check, &change.also)
                && other.places.iter().all(|place| place.port.is_some())
        });
        match same {
            Some(other) => other.places.extend(change.places),
            None => list.push(change),
        }
    }

    /// Lines that no fact stands for, and that came or went: one that is not
    /// understood, or that limits a class.
    fn lines(&mut self, moved: Moved<'_>) {
        let told = |moved: &[Told<'_>], effect: Effect| -> Vec<Change> {
            let lines = moved.iter().filter(|told| told.of_a_line());
            let changes = lines.map(|told| {
                let line = told.place.evidence.first();
                let text = line.map_or(told.finding.message.as_str(), |line| &line.text);
                let (there, absent) = (Seen::value(text), Seen::Absent);
                let came = effect != Effect::Repairs;
                let (old, new) = if came {
                    (absent, there)
                } else {
                    (there, absent)
                };
                Change {
                    device: self.device.clone(),
                    address: Address::Line,
                    old,
                    new,
                    effect,
                    check: Some((told.finding.check.as_ref().into(), told.finding.severity)),
                    also: Vec::new(),
                    places: vec![Place {
                        port: told.place.port.clone(),
                        old: line.cloned().filter(|_| !came),
                        new: line.cloned().filter(|_| came),
                    }],
                }
            });
            changes.collect()
        };
        let mut changes = told(&moved.breaks, Effect::Breaks);
        changes.extend(told(&moved.unknown, Effect::Unknown));
        changes.extend(told(&moved.repairs, Effect::Repairs));
        for change in changes {
            let line = change.places.first().and_then(|place| place.new.as_ref());
            let points = |other: &&mut Change| {
                let mut places = other.places.iter();
                line.is_some() && places.any(|place| place.new.as_ref() == line)
            };
            // What a name without meaning carried is told by the facts that went.
            let carried = |other: &Change| {
                let check = change.check.as_ref();
                let unresolved = check.is_some_and(|(check, _)| **check == *"map/unresolved");
                unresolved && other.effect == change.effect
            };
            if self.diff.changes.iter().any(carried) {
                continue;
            }
            match self.diff.changes.iter_mut().find(points) {
                Some(other) if change.effect < other.effect => {
                    other.effect = change.effect;
                    other.check = change.check;
                }
                Some(_) => {}
                None => self.add(change),
            }
        }
    }
}
