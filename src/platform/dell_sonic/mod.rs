//! Dell Enterprise SONiC by its own command line (`sonic-cli`): the running
//! configuration of the management framework and `show` commands. Its
//! CONFIG_DB is read by the platform `sonic`.

mod buffers;
mod config;
mod counters;
mod defaults;
mod facts;
mod fix;
mod lines;
mod parse;
mod queues;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::{CaptureSpec, Certainty, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind};
use crate::platform::text::sections::has_line;
use crate::source::Capture;
use memchr::memmem;

/// Dell Enterprise SONiC.
pub struct DellSonic;

const CONFIG: &str = "show running-configuration";
const MAPS: &str = "show qos map dscp-tc";
const VERSION: &str = "show version";
const STATUS: &str = "show interface status";
const PAUSE: &str = "show qos interface Ethall priority-flow-control statistics";
const WATCHDOG: &str =
    "show qos interface Ethall queue all priority-flow-control watchdog-statistics";
const QUEUES: &str = "show queue counters";
const POOLS: &str = "show buffer pool";
const LLDP: &str = "show lldp table";

static SPECS: [CaptureSpec; 9] = {
    const fn spec(command: &'static str, holds: Holds, read_only: &'static str) -> CaptureSpec {
        CaptureSpec {
            command,
            holds,
            read_only,
        }
    }
    [
        spec(CONFIG, Holds::Config, "prints the configuration"),
        spec(MAPS, Holds::Config, "prints a part of the configuration"),
        spec(
            VERSION,
            Holds::Operational,
            "prints the release and the hardware",
        ),
        spec(STATUS, Holds::Operational, "prints the state of ports"),
        spec(PAUSE, Holds::Counters, "prints counters"),
        spec(WATCHDOG, Holds::Counters, "prints counters"),
        spec(QUEUES, Holds::Counters, "prints counters"),
        spec(POOLS, Holds::Config, "prints the sizes of buffer pools"),
        spec(LLDP, Holds::Peers, "prints what neighbours told"),
    ]
};

/// Starts of lines that only this command line has.
const LINES: &[&str] = &[
    "qos map dscp-tc ",
    "qos map dot1p-tc ",
    "qos map tc-queue ",
    "qos map tc-pg ",
    "qos map pfc-priority-",
    "qos wred-policy ",
    "qos scheduler-policy ",
    "qos-map dscp-tc ",
    "qos-map tc-queue ",
    "priority-flow-control watchdog on",
    "interface-naming standard",
    "buffer init lossless",
];

/// Starts of lines that others could have.
const COMMON_LINES: &[&str] = &["interface Eth1/", "roce enable", "interface PortChannel"];

/// Words that only the output of one command holds, all of them.
const WORDS: &[(&str, &[&str])] = &[
    (VERSION, &["Enterprise SONiC"]),
    (MAPS, &["-MAP: ", "-----"]),
    (STATUS, &["AutoNeg", "Alternate Name"]),
    (PAUSE, &["Flow Control frames received", "PFC0"]),
    (PAUSE, &["Flow Control frames transmitted", "PFC0"]),
    (WATCHDOG, &["Storms", "Detected", "Restored", "Queue"]),
    (QUEUES, &["TxQ", "Rate"]),
    (POOLS, &["Pool ", "shared head room"]),
    (LLDP, &["LocalPort", "RemoteDevice", "\nEth1/"]),
];

/// What a `show` command prints first is within so many bytes.
const HEAD: usize = 8192;

fn by_command(command: &str) -> Option<&'static CaptureSpec> {
    SPECS.iter().find(|spec| spec.command == command)
}

impl Platform for DellSonic {
    fn name(&self) -> &'static str {
        "dell-sonic"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let text = capture.text.as_bytes();
        // CONFIG_DB, which another platform reads.
        if capture.text.trim_start().starts_with('{') {
            return None;
        }
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
        let mut config = config::Config::default();
        // The configuration itself counts more than what shows a part of it.
        for (n, text) in of(MAPS) {
            config = parse::shown_maps(config, n, text);
        }
        for (n, text) in of(CONFIG) {
            config = parse::read(config, n, text, &mut notes);
        }
        let mut ports = Ports::default();
        if of(CONFIG).next().is_some() {
            facts::device(&mut device, &config);
            facts::ports(&mut ports, &config, &mut notes);
        }
        of(VERSION).for_each(|(n, text)| counters::version(&mut device, n, text));
        of(POOLS).for_each(|(n, text)| counters::pools(&mut device, n, text));
        of(STATUS).for_each(|(n, text)| counters::status(&mut ports, n, text));
        for command in [PAUSE, WATCHDOG] {
            of(command).for_each(|(n, text)| counters::pause(&mut ports, n, text, &mut notes));
        }
        of(QUEUES).for_each(|(n, text)| counters::queues(&mut ports, n, text, &mut notes));
        of(LLDP).for_each(|(n, text)| counters::neighbors(&mut ports, n, text));
        device.ports = ports.sorted();
        device.notes = notes.all;
        let holds = |wanted| {
            let mut specs = captures.iter().filter_map(|(_, spec)| *spec);
            specs.any(|spec| spec.holds == wanted)
        };
        device.coverage = Coverage {
            config: of(CONFIG).next().is_some(),
            operational: of(STATUS).next().is_some(),
            counters: holds(Holds::Counters),
            peers: holds(Holds::Peers),
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
