//! Linux hosts, with NICs of NVIDIA (mlx5) and those of the other makes.
//!
//! Four layers of a NIC's settings are kept apart: the firmware's default, its
//! current and its next-boot value (`nic.nv`), and what runs (`nic.dcqcn`,
//! `pfc` and the rest).

mod counters;
mod defaults;
mod facts;
mod fix;
mod join;
mod make;
mod noise;
mod parse;
mod tie;
mod tool;

#[cfg(test)]
mod host_tests;
#[cfg(test)]
mod makes_tests;
#[cfg(test)]
mod tests;

use super::{CaptureSpec, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind, Note, NoteKind, Origin, Pcie, Port};
use crate::source::Capture;
use join::Joiner;
use parse::{Hints, Input, Part, Statements, sections};
use std::sync::LazyLock;
use tool::Collected;

/// Hosts that run Linux.
pub struct Linux;

/// Those that may be run to collect.
static SPECS: LazyLock<Vec<CaptureSpec>> = LazyLock::new(|| specs(Collected::Always));

/// Those that may be run only if it is asked for.
static CONFIGFS: LazyLock<Vec<CaptureSpec>> = LazyLock::new(|| specs(Collected::WithConfigfs));

fn specs(when: Collected) -> Vec<CaptureSpec> {
    let tools = tool::all().filter(|tool| tool.collected == when);
    tools.map(|tool| tool.spec).collect()
}

impl Platform for Linux {
    fn name(&self) -> &'static str {
        "linux"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Host
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn configfs_captures(&self) -> &'static [CaptureSpec] {
        &CONFIGFS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let input = Input::new(0, capture);
        let tool = *tool::of(&input).first()?;
        Some(Recognised {
            spec: &tool.spec,
            certainty: tool.certainty(&input),
        })
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut device = Device::new(name, DeviceKind::Host, self.name());
        let mut all = Statements::default();
        for (index, (capture, spec)) in captures.iter().enumerate() {
            let Some(spec) = spec else { continue };
            let input = Input::new(index, capture);
            let first = all.parts.len();
            read_capture(&input, spec, &mut all);
            let new = all.parts.get_mut(first..).unwrap_or_default();
            new.iter_mut().for_each(|part| part.capture = index);
        }
        parse::boot::resolve(&mut all);
        if all.overfull {
            let text = format!(
                "more than {} statements: the rest is not read",
                Statements::MOST
            );
            all.note(NoteKind::Failed, text, Origin::NONE);
        }
        device.coverage = coverage(captures);
        device.notes = std::mem::take(&mut all.notes);
        make::unlisted(&all.parts, &mut device.notes);
        let plain: Vec<&Capture> = captures.iter().map(|(capture, _)| *capture).collect();
        let sources: Vec<&str> = plain.iter().map(|capture| &*capture.source).collect();
        for gathered in tie::gather(all, &sources) {
            let (mut port, notes) = join(&plain, gathered.name, gathered.parts);
            facts::derive(&mut port, gathered.evidence);
            device.ports.push(port);
            device.notes.extend(notes);
        }
        let slot = |port: &Port| {
            let nic = port.nic.as_deref();
            nic.is_some_and(|nic| nic.pcie != Pcie::default())
        };
        device.coverage.peers = device.ports.iter().any(|port| port.peer.is_some());
        device.coverage.operational |= device
            .ports
            .iter()
            .any(|port| port.pfc.operational.is_known() || slot(port));
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}

/// Reads a capture, section by section where it holds several outputs.
fn read_capture(input: &Input<'_>, spec: &'static CaptureSpec, all: &mut Statements) {
    let sections = sections::of(input);
    let first = all.parts.len();
    let mut nameless = 0;
    for section in &sections {
        let first = all.parts.len();
        let notes = all.notes.len();
        noise::refusals(section, spec, all);
        for tool in tool::of(section) {
            let first = all.parts.len();
            (tool.read)(section, all);
            let new = all.parts.get(first..).unwrap_or_default();
            if all.notes.len() == notes && !new.iter().any(Part::says_something) {
                noise::not_understood(section, &tool.spec, all);
            }
        }
        let new = all.parts.get_mut(first..).unwrap_or_default();
        let mut unnamed = false;
        for part in new.iter_mut().filter(|part| part.subject.is_empty()) {
            part.subject.clone_from(&section.heading);
            unnamed |= part.subject.is_empty();
        }
        nameless += usize::from(unnamed);
    }
    if nameless > 1 {
        let text = "the output for several devices stands in one capture, and nothing names them";
        all.note(NoteKind::Failed, text, input.at(0));
        let mut n = 0;
        all.parts.retain(|part| {
            n += 1;
            n <= first || !part.subject.is_empty()
        });
    }
}

/// Joins what is said of one port, by source and line whatever the order of
/// the captures.
fn join(captures: &[&Capture], name: String, mut parts: Vec<Part>) -> (Port, Vec<Note>) {
    parts.sort_by_key(|part| {
        let capture = captures.get(part.capture);
        capture.map(|capture| (&*capture.source, capture.first_line, part.evidence))
    });
    let mut joiner = Joiner {
        captures,
        port: Port::new(name.as_str()),
        name,
        notes: Vec::new(),
        hints: Hints::default(),
    };
    parts
        .into_iter()
        .for_each(|part| joiner.add(part.with_names()));
    let Joiner {
        mut port,
        mut notes,
        hints,
        ..
    } = joiner;
    hints.complete(&mut port);
    make::complete(&mut port, &hints, &mut notes);
    (port, notes)
}

/// Settings of a host are both configured and in force. What is in force by
/// another witness than the settings themselves is set by the reader.
fn coverage(captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Coverage {
    let holds = |wanted: Holds| {
        captures
            .iter()
            .any(|(_, spec)| spec.is_some_and(|spec| spec.holds == wanted))
    };
    Coverage {
        config: holds(Holds::Config) || holds(Holds::Operational),
        operational: false,
        counters: holds(Holds::Counters),
        peers: false,
    }
}
