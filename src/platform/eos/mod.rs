//! Arista EOS: running configurations, with or without defaults, and `show`
//! commands as text or JSON.

mod buffers;
mod counters;
mod defaults;
mod facts;
mod fix;
mod parse;
mod policy;
mod qos;
mod show;

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::{CaptureSpec, Certainty, Holds, Platform, Recognised, Remedy, is_command};
use crate::model::{Coverage, Device, DeviceKind, Fact, MapName, NoteKind, Origin};
use crate::source::Capture;
use memchr::memmem;

/// Arista's operating system.
pub struct Eos;

const CONFIG: &str = "show running-config";
const VERSION: &str = "show version";
const STATUS: &str = "show interfaces status";
const NEIGHBOURS: &str = "show lldp neighbors";
const PFC: &str = "show priority-flow-control";
const ECN: &str = "show qos interfaces IF ecn";
const PFC_TOTALS: &str = "show priority-flow-control counters | json";
const PFC_COUNTERS: &str = "show interfaces priority-flow-control counters detail | json";
const WATCHDOG: &str = "show priority-flow-control counters watchdog | json";
const ECN_COUNTERS: &str = "show qos interfaces ecn counters queue | json";
const QUEUES: &str = "show interfaces counters queue detail | json";
const VOQ_DROPS: &str = "show interfaces counters queue drops | json";
const FLOW_CONTROL: &str = "show interfaces flow-control | json";

static SPECS: [CaptureSpec; 13] = {
    const SHOWS: &str = "`show` prints and sets nothing";
    const fn spec(command: &'static str, holds: Holds) -> CaptureSpec {
        CaptureSpec {
            command,
            holds,
            read_only: SHOWS,
        }
    }
    [
        spec(CONFIG, Holds::Config),
        spec(VERSION, Holds::Operational),
        spec(STATUS, Holds::Operational),
        spec(NEIGHBOURS, Holds::Peers),
        spec(PFC, Holds::Operational),
        spec(ECN, Holds::Operational),
        spec(PFC_TOTALS, Holds::Counters),
        spec(PFC_COUNTERS, Holds::Counters),
        spec(WATCHDOG, Holds::Counters),
        spec(ECN_COUNTERS, Holds::Counters),
        spec(QUEUES, Holds::Counters),
        spec(VOQ_DROPS, Holds::Counters),
        spec(FLOW_CONTROL, Holds::Operational),
    ]
};

/// Words of show commands, all of them in the output of one command only.
const WORDS: &[(&str, &[&str])] = &[
    (VERSION, &["Software image version", "Arista"]),
    (VERSION, &["\"modelName\"", "\"internalVersion\""]),
    (PFC, &["PFC receive processing is enabled"]),
    (PFC, &["E: PFC Enabled, D: PFC Disabled"]),
    (PFC, &["Port", "Enabled", "Priorities", "Active", "Note"]),
    (ECN, &["Tx-Queue", "ECN Min", "ECN Max"]),
    (NEIGHBOURS, &["\"lldpNeighbors\"", "\"neighborDevice\""]),
    (NEIGHBOURS, &["Neighbor Device ID", "Neighbor Port ID"]),
    (
        STATUS,
        &[
            "Port", "Name", "Status", "Vlan", "Duplex", "Speed", "Type", "Et",
        ],
    ),
    (PFC_TOTALS, &["\"interfaceCounters\"", "\"rxFrames\""]),
    (WATCHDOG, &["\"interfaces\"", "\"stuckCount\""]),
    (
        PFC_COUNTERS,
        &["\"interfaces\"", "\"priorities\"", "\"rxFrames\""],
    ),
    (ECN_COUNTERS, &["\"intfQueueCounters\""]),
    (STATUS, &["\"interfaceStatuses\"", "\"linkStatus\""]),
    (VOQ_DROPS, &["\"ingressVoqCounters\"", "\"countersSum\""]),
    (QUEUES, &["\"egressQueueCounters\"", "\"ucastQueues\""]),
    (FLOW_CONTROL, &["\"interfaceFlowControls\""]),
];

/// Lines that no other platform's configuration holds.
const SURE: &[&str] = &[
    "\n   random-detect ecn minimum-threshold",
    "\n      random-detect ecn minimum-threshold",
    "\nqos profile ",
    "\n   service-profile ",
    "\n   priority-flow-control priority ",
    "\npriority-flow-control pause watchdog default",
    "\npriority-flow-control all off",
    "\nplatform trident mmu queue profile",
    "\nplatform sand ",
    "! device: ",
    "\ntransceiver qsfp default-mode",
    "\nservice routing protocols model",
    "flash:/EOS",
];

/// Lines that others could hold as well.
const LIKELY: &[&str] = &[
    "\nqos map dscp ",
    "\nqos map cos ",
    "\nqos map traffic-class ",
    "\n   qos trust ",
    "\n   no switchport\n",
    "\n   priority-flow-control on",
    "\nmanagement api ",
    "\ndaemon TerminAttr",
];

/// What a show command prints first is within so many bytes.
const HEAD: usize = 4096;
/// What tells a configuration is within so many bytes.
const CONFIG_HEAD: usize = 1 << 18;

fn by_command(command: &str) -> Option<&'static CaptureSpec> {
    SPECS.iter().find(|spec| spec.command == command)
}

fn head(text: &str, most: usize) -> &[u8] {
    let bytes = text.as_bytes();
    bytes.get(..most.min(bytes.len())).unwrap_or_default()
}

impl Platform for Eos {
    fn name(&self) -> &'static str {
        "eos"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let holds = |text: &[u8], word: &str| memmem::find(text, word.as_bytes()).is_some();
        // The command tells what content may not: an empty table, a part.
        let typed = SPECS
            .iter()
            .find(|spec| is_command(spec.command, capture.command()));
        let typed = typed.filter(|spec| spec.command != CONFIG && spec.command != VERSION);
        let start = head(&capture.text, HEAD);
        let shown = WORDS
            .iter()
            .find(|(_, words)| words.iter().all(|word| holds(start, word)));
        let shown = shown.map(|(command, _)| *command);
        // Others shorten the names of their ports to `Eth1/1`.
        let shown = shown.filter(|command| *command != STATUS || !holds(start, "\nEth"));
        if let Some(command) = shown.or(typed.map(|spec| spec.command)) {
            let certainty = match command {
                _ if shown.is_none() => Certainty::Possible,
                STATUS | NEIGHBOURS => Certainty::Possible,
                _ => Certainty::Likely,
            };
            return Some(Recognised {
                spec: by_command(command)?,
                certainty,
            });
        }
        let text = head(&capture.text, CONFIG_HEAD);
        let starts = |line: &&str| {
            holds(text, line)
                || line
                    .strip_prefix('\n')
                    .is_some_and(|l| text.starts_with(l.as_bytes()))
        };
        let certainty = match (SURE.iter().any(&starts), LIKELY.iter().any(starts)) {
            (true, _) => Certainty::Sure,
            (false, true) => Certainty::Likely,
            // Blocks of three blanks under ports without a slot.
            (false, false) if holds(text, "interface Ethernet") && holds(text, "\n   ") => {
                Certainty::Possible
            }
            (false, false) => return None,
        };
        Some(Recognised {
            spec: by_command(CONFIG)?,
            certainty,
        })
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut device = Device::new(name, DeviceKind::Switch, self.name());
        let (mut notes, mut ports) = (Notes::default(), Ports::default());
        // `% Invalid input`: nothing was printed but why.
        let refused = |capture: &Capture| capture.text.trim_start().starts_with("% ");
        for (n, (capture, spec)) in captures.iter().enumerate() {
            if spec.is_some() && refused(capture) {
                let text = "the switch did not take the command".to_owned();
                notes.add(NoteKind::Failed, None, text, Origin::new(n, 0));
            }
        }
        let of = |command: &'static str| {
            captures
                .iter()
                .enumerate()
                .filter(move |(_, (capture, spec))| {
                    spec.map(|spec| spec.command) == Some(command) && !refused(capture)
                })
                .map(|(n, (capture, _))| (n, *capture))
        };
        let mut config = parse::Config::default();
        let mut reader = parse::Reader::new(&mut notes);
        // Those that print defaults come first: what others say was typed.
        let (printed, typed): (Vec<_>, Vec<_>) =
            of(CONFIG).partition(|(_, capture)| prints_defaults(capture));
        config.printed = printed.iter().map(|(n, _)| *n).collect();
        for (n, capture) in printed.into_iter().chain(typed) {
            reader.capture = n;
            reader.config(&capture.text, &mut config);
            reader.whole(&capture.text);
            header(&mut device, n, &capture.text);
            super::notes::forwarding(&mut device, n, &capture.text);
        }
        reader.finish();
        facts::read(&mut device, &mut ports, &config, &mut notes);
        ports.closed = !ports.list.is_empty();
        for (n, capture) in of(VERSION) {
            show::version(&mut device, n, &capture.text);
        }
        for (n, capture) in of(ECN) {
            show::ecn(&mut ports, n, &capture.text, capture.command(), &mut notes);
        }
        for (n, capture) in of(PFC) {
            show::pfc(&mut ports, n, &capture.text, &mut notes);
        }
        type Reads = fn(&mut Ports, usize, &str);
        let shown: [(&'static str, Reads); 8] = [
            (STATUS, show::status),
            (NEIGHBOURS, show::neighbours),
            (PFC_COUNTERS, counters::pfc),
            (WATCHDOG, counters::watchdog),
            (ECN_COUNTERS, counters::ecn),
            (QUEUES, counters::queues),
            (VOQ_DROPS, counters::voq_drops),
            (FLOW_CONTROL, counters::flow_control),
        ];
        for (command, read) in shown {
            of(command).for_each(|(n, capture)| read(&mut ports, n, &capture.text));
        }
        device.ports = ports.sorted();
        for map in [MapName::TcToPg, MapName::PfcToPg] {
            let ports = device.ports.iter_mut();
            ports.for_each(|port| port.maps.set(map, Fact::NotApplicable));
        }
        device.notes = notes.all;
        let holds = |wanted: Holds| {
            let specs = captures.iter().filter(|(capture, _)| !refused(capture));
            specs
                .filter_map(|(_, spec)| *spec)
                .any(|spec| spec.holds == wanted)
        };
        device.coverage = Coverage {
            config: of(CONFIG).next().is_some(),
            operational: of(PFC).next().is_some() || of(STATUS).next().is_some(),
            counters: holds(Holds::Counters) || of(FLOW_CONTROL).next().is_some(),
            peers: holds(Holds::Peers),
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}

/// Whether a configuration was printed with its defaults.
fn prints_defaults(capture: &Capture) -> bool {
    const ALL: &str = "show running-config all";
    let mut lines = capture.text.lines().take(16);
    let line = lines.find_map(|line| line.strip_prefix("! Command: "));
    is_command(ALL, line.unwrap_or(capture.command()))
}

/// `! device: leaf1 (DCS-7060DX5-64, EOS-4.32.1F)` above a configuration.
fn header(device: &mut Device, capture: usize, text: &str) {
    let line = text
        .lines()
        .take(16)
        .find(|line| line.starts_with("! device: "));
    let inside = line.and_then(|line| line.split_once('(')?.1.split_once(')'));
    let Some((model, version)) = inside.and_then(|(inside, _)| inside.split_once(", EOS-")) else {
        return;
    };
    let place = |part: &str| {
        let offset = part.as_ptr() as usize - text.as_ptr() as usize;
        Origin::new(capture, offset)
    };
    device.hardware = Fact::explicit(model.to_owned(), place(model));
    device.os_version = Fact::explicit(version.to_owned(), place(version));
}
