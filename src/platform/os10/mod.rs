//! Dell SmartFabric OS10: the running configuration and `show` commands.

mod config;
mod counters;
mod defaults;
mod facts;
mod fix;
mod lines;
mod parse;
mod queues;
mod unused;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::{CaptureSpec, Certainty, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind, Fact, Origin};
use crate::platform::text::sections::has_line;
use crate::source::Capture;
use memchr::memmem;

/// Dell SmartFabric OS10.
pub struct Os10;

const CONFIG: &str = "show running-configuration";
const VERSION: &str = "show version";
const PFC: &str = "show interface priority-flow-control details";
const QUEUING: &str = "show queuing statistics interface IF";
const LLDP: &str = "show lldp neighbors";

static SPECS: [CaptureSpec; 5] = [
    CaptureSpec {
        command: CONFIG,
        holds: Holds::Config,
        read_only: "prints the configuration",
    },
    CaptureSpec {
        command: VERSION,
        holds: Holds::Operational,
        read_only: "prints the release and the hardware",
    },
    CaptureSpec {
        command: PFC,
        holds: Holds::Operational,
        read_only: "prints PFC state and counters",
    },
    CaptureSpec {
        command: QUEUING,
        holds: Holds::Counters,
        read_only: "prints counters of queues",
    },
    CaptureSpec {
        command: LLDP,
        holds: Holds::Peers,
        read_only: "prints what neighbours told",
    },
];

/// Starts of lines that only OS10 configurations have.
const LINES: &[&str] = &[
    "trust dot1p-map ",
    "trust dscp-map ",
    "trust-map dot1p ",
    "trust-map dscp ",
    "qos-map traffic-class ",
    "interface ethernet1/",
    "interface range ethernet1/",
    "random-detect color green ",
    "! Version 10.",
];

/// Starts of lines that others could have.
const COMMON_LINES: &[&str] = &[
    "vlt-domain ",
    "vlt-port-channel ",
    "class-map type network-qos ",
    "interface range ethernet ",
    "interface range Ethernet ",
];

/// Words that only the output of one command holds, all of them.
const WORDS: &[(&str, &[&str])] = &[
    (VERSION, &["OS10", "OS Version:", "System Type:"]),
    (PFC, &["PFC Priorities", "Operstatus"]),
    (QUEUING, &["Dropped-Packets", "Dropped-Bytes", "Queue"]),
    (LLDP, &["Loc PortID", "Rem Host Name"]),
];

/// What a `show` command prints first is within so many bytes.
const HEAD: usize = 8192;

fn by_command(command: &str) -> Option<&'static CaptureSpec> {
    SPECS.iter().find(|spec| spec.command == command)
}

impl Platform for Os10 {
    fn name(&self) -> &'static str {
        "os10"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let text = capture.text.as_bytes();
        let head = text.get(..HEAD.min(text.len())).unwrap_or_default();
        let holds = |word: &&str| memmem::find(head, word.as_bytes()).is_some();
        if let Some((command, _)) = WORDS.iter().find(|(_, words)| words.iter().all(holds)) {
            return Some(Recognised {
                spec: by_command(command)?,
                certainty: Certainty::Sure,
            });
        }
        let any = |lines: &[&str]| lines.iter().any(|line| has_line(&capture.text, line));
        let certainty = match (any(LINES), any(COMMON_LINES)) {
            (true, _) => Certainty::Sure,
            (false, true) => Certainty::Likely,
            (false, false) => return None,
        };
        let spec = by_command(CONFIG)?;
        Some(Recognised { spec, certainty })
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut device = Device::new(name, DeviceKind::Switch, self.name());
        let mut notes = Notes::default();
        let of = |command: &'static str| {
            let all = captures.iter().enumerate();
            all.filter_map(move |(n, (capture, spec))| {
                (spec.map(|spec| spec.command) == Some(command)).then_some((n, &*capture.text))
            })
        };
        let mut config = None;
        for (n, text) in of(CONFIG) {
            let read = config.unwrap_or_default();
            config = Some(parse::read(read, n, text, &mut notes));
            if let Some((version, at)) = parse::version(text) {
                device.os_version = Fact::explicit(version.to_owned(), Origin::new(n, at));
            }
        }
        let mut ports = Ports::default();
        if let Some(config) = &config {
            facts::device(&mut device, config);
            facts::ports(&mut ports, config, &mut notes);
        }
        of(VERSION).for_each(|(n, text)| counters::version(&mut device, n, text));
        of(PFC).for_each(|(n, text)| counters::pfc(&mut ports, n, text, &mut notes));
        of(QUEUING).for_each(|(n, text)| counters::queuing(&mut ports, n, text, &mut notes));
        of(LLDP).for_each(|(n, text)| counters::neighbors(&mut ports, n, text));
        device.ports = ports.sorted();
        device.notes = notes.all;
        device.coverage = Coverage {
            config: config.is_some(),
            operational: of(PFC).next().is_some(),
            counters: of(PFC).chain(of(QUEUING)).next().is_some(),
            peers: of(LLDP).next().is_some(),
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
