//! Cisco NX-OS, Nexus 9000 first: the chain from class-map to qos-group to
//! network-qos and queuing, and the `show` commands as text or JSON.

mod defaults;
mod facts;
mod fix;
mod parse;
mod show;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::{CaptureSpec, Certainty, Holds, Platform, Recognised, Remedy, is_command};
use crate::model::{Coverage, Device, DeviceKind, Fact, MapName};
use crate::source::Capture;
use memchr::memmem;

pub use parse::code_point;

/// Cisco's operating system of data centre switches.
pub struct Nxos;

const CONFIG: &str = "show running-config";
const VERSION: &str = "show version";
const STATUS: &str = "show interface status";
const NEIGHBOURS: &str = "show lldp neighbors";
const PFC: &str = "show interface priority-flow-control";
const QUEUING: &str = "show queuing interface";
const WATCHDOG: &str = "show queuing pfc-queue detail";

static SPECS: [CaptureSpec; 7] = {
    const fn spec(command: &'static str, holds: Holds) -> CaptureSpec {
        CaptureSpec {
            command,
            holds,
            read_only: "`show` prints and sets nothing",
        }
    }
    [
        spec(CONFIG, Holds::Config),
        spec(VERSION, Holds::Operational),
        spec(STATUS, Holds::Operational),
        spec(NEIGHBOURS, Holds::Peers),
        spec(PFC, Holds::Operational),
        spec(QUEUING, Holds::Counters),
        spec(WATCHDOG, Holds::Counters),
    ]
};

/// Words of show commands, all of them in the output of one command only.
const WORDS: &[(&str, &[&str], Certainty)] = &[
    (PFC, &["Oper(VL bmap)", "RxPPP"], Certainty::Sure),
    (PFC, &["\"TABLE_pfc_interface\""], Certainty::Sure),
    (QUEUING, &["Egress Queuing for "], Certainty::Sure),
    (QUEUING, &["Ingress Queuing for "], Certainty::Sure),
    (QUEUING, &[" queuing information:"], Certainty::Sure),
    (
        QUEUING,
        &["\"TABLE_queuing_interface\"", "\"dir\""],
        Certainty::Sure,
    ),
    (WATCHDOG, &["Interface PFC watchdog:"], Certainty::Sure),
    (VERSION, &["Cisco Nexus Operating System"], Certainty::Sure),
    (
        STATUS,
        &[
            "Port", "Name", "Status", "Vlan", "Duplex", "Speed", "Type", "Eth1/",
        ],
        Certainty::Possible,
    ),
    (
        NEIGHBOURS,
        &["Device ID", "Local Intf", "Hold-time", "Port ID"],
        Certainty::Possible,
    ),
];

/// Lines that no other platform's configuration holds.
const SURE: &[&str] = &[
    "class type network-qos c-",
    "class type queuing c-",
    "service-policy type network-qos ",
    "priority-flow-control mode on send-tlv",
    "priority-flow-control watch-dog-interval",
    "boot nxos ",
    "system jumbomtu ",
    "!Command: show running-config",
    "feature nxapi",
];

/// Lines that others could hold as well.
const LIKELY: &[&str] = &[
    "policy-map type network-qos ",
    "policy-map type queuing ",
    "class-map type qos match",
    "\nfeature lldp",
    "\nfeature bgp",
    "\nvrf context management",
    "\nswitchname ",
    "\n  priority-flow-control mode ",
];

/// What a show command prints first is within so many bytes.
const HEAD: usize = 4096;
/// What tells a configuration is within so many bytes.
const CONFIG_HEAD: usize = 1 << 18;

fn by_command(command: &str) -> Option<&'static CaptureSpec> {
    SPECS.iter().find(|spec| spec.command == command)
}

impl Platform for Nxos {
    fn name(&self) -> &'static str {
        "nxos"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let bytes = capture.text.as_bytes();
        let head = |most: usize| bytes.get(..most.min(bytes.len())).unwrap_or_default();
        let holds = |text: &[u8], word: &str| memmem::find(text, word.as_bytes()).is_some();
        let start = head(HEAD);
        let shown = WORDS
            .iter()
            .find(|(_, words, _)| words.iter().all(|word| holds(start, word)));
        if let Some((command, _, certainty)) = shown {
            return Some(Recognised {
                spec: by_command(command)?,
                certainty: *certainty,
            });
        }
        let text = head(CONFIG_HEAD);
        let certainty = if SURE.iter().any(|line| holds(text, line)) {
            Certainty::Sure
        } else if LIKELY.iter().any(|line| holds(text, line)) {
            Certainty::Likely
        } else if holds(text, "interface Ethernet1/") && holds(text, "\n  ") {
            Certainty::Possible
        } else {
            let typed = SPECS
                .iter()
                .find(|spec| is_command(spec.command, capture.command()))?;
            let shown = ![CONFIG, VERSION].contains(&typed.command);
            return shown.then_some(Recognised {
                spec: typed,
                certainty: Certainty::Possible,
            });
        };
        Some(Recognised {
            spec: by_command(CONFIG)?,
            certainty,
        })
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut device = Device::new(name, DeviceKind::Switch, self.name());
        let (mut notes, mut ports) = (Notes::default(), Ports::default());
        let of = |command: &'static str| {
            captures
                .iter()
                .enumerate()
                .filter(move |(_, (_, spec))| spec.map(|spec| spec.command) == Some(command))
                .map(|(n, (capture, _))| (n, capture.text.as_str()))
        };
        for (n, text) in of(CONFIG) {
            super::notes::forwarding(&mut device, n, text);
            let mut reader = parse::Reader {
                capture: n,
                notes: &mut notes,
            };
            let config = reader.config(text);
            facts::read(&mut device, &mut ports, &config, &mut notes);
        }
        ports.closed = !ports.list.is_empty();
        for (n, text) in of(VERSION) {
            show::version(&mut device, n, text);
        }
        type Reads = fn(&mut Ports, usize, &str);
        let shown: [(&'static str, Reads); 5] = [
            (PFC, show::pfc),
            (STATUS, show::status),
            (NEIGHBOURS, show::neighbours),
            (QUEUING, show::queuing),
            (WATCHDOG, show::watchdog),
        ];
        for (command, read) in shown {
            of(command).for_each(|(n, text)| read(&mut ports, n, text));
        }
        device.ports = ports.sorted();
        for map in [MapName::TcToPg, MapName::PfcToPg] {
            let ports = device.ports.iter_mut();
            ports.for_each(|port| port.maps.set(map, Fact::NotApplicable));
        }
        device.notes = notes.all;
        let holds = |wanted: Holds| {
            let mut specs = captures.iter().filter_map(|(_, spec)| *spec);
            specs.any(|spec| spec.holds == wanted)
        };
        device.coverage = Coverage {
            config: of(CONFIG).next().is_some(),
            operational: of(PFC).next().is_some() || of(STATUS).next().is_some(),
            counters: holds(Holds::Counters) || of(PFC).next().is_some(),
            peers: holds(Holds::Peers),
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
