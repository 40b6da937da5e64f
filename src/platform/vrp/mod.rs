//! Huawei VRP 8 on CloudEngine switches: configurations, and `display`
//! commands.

mod counters;
mod defaults;
mod facts;
mod fix;
mod parse;
mod qos;
mod show;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::recognise::Marks;
use super::{CaptureSpec, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind, Fact, MapName};
use crate::source::Capture;

/// Huawei's operating system.
pub struct Vrp;

const CONFIG: &str = "display current-configuration";
const VERSION: &str = "display version";
const INTERFACES: &str = "display interface brief";
const NEIGHBOURS: &str = "display lldp neighbor brief";
const PFC: &str = "display dcb pfc";
const AI_ECN: &str = "display ai-ecn calculated state";

static SPECS: [CaptureSpec; 6] = {
    const DISPLAYS: &str = "`display` prints and sets nothing";
    const fn spec(command: &'static str, holds: Holds) -> CaptureSpec {
        CaptureSpec {
            command,
            holds,
            read_only: DISPLAYS,
        }
    }
    [
        spec(CONFIG, Holds::Config),
        spec(VERSION, Holds::Operational),
        spec(INTERFACES, Holds::Operational),
        spec(NEIGHBOURS, Holds::Peers),
        spec(PFC, Holds::Counters),
        spec(AI_ECN, Holds::Operational),
    ]
};

static MARKS: Marks = Marks {
    specs: &SPECS,
    config: CONFIG,
    shows: &[
        (AI_ECN, &["AI-ECN Model Version"]),
        (AI_ECN, &["Low-Threshold", "High-Threshold", "Active model"]),
        (PFC, &["Received(Frames)", "DeadlockNum"]),
        (VERSION, &["Huawei Versatile Routing Platform"]),
        (INTERFACES, &["InUti", "OutUti", "inErrors"]),
        (
            NEIGHBOURS,
            &["Exptime(s)", "Neighbor Interface", "Neighbor Device"],
        ),
    ],
    sure: &[
        "!Software Version V",
        "dcb pfc",
        "trust upstream ",
        "diffserv domain ",
        "ip-dscp-inbound ",
        "8021p-inbound ",
        "undo portswitch",
        "interface 10GE",
        "interface 25GE",
        "interface 40GE",
        "interface 100GE",
        "interface 200GE",
        "interface 400GE",
        "interface 800GE",
        "interface MEth",
    ],
    likely: &["interface Eth-Trunk", "drop-profile ", "ai-service"],
};

impl Platform for Vrp {
    fn name(&self) -> &'static str {
        "vrp"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        MARKS.recognise(capture)
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut device = Device::new(name, DeviceKind::Switch, self.name());
        let (mut notes, mut ports) = (Notes::default(), Ports::default());
        let of = |command: &'static str| {
            captures
                .iter()
                .enumerate()
                .filter(move |(_, (_, spec))| spec.map(|spec| spec.command) == Some(command))
                .map(|(n, (capture, _))| (n, *capture))
        };
        for (n, capture) in of(CONFIG) {
            let mut reader = parse::Reader {
                capture: n,
                notes: &mut notes,
            };
            let config = reader.config(&capture.text);
            facts::read(&mut device, &mut ports, &config, &mut notes);
        }
        of(VERSION).for_each(|(n, capture)| show::version(&mut device, n, &capture.text));
        for (n, capture) in of(PFC) {
            counters::pfc(&mut ports, n, &capture.text, &mut notes);
        }
        type Reads = fn(&mut Ports, usize, &str);
        let shown: [(&'static str, Reads); 3] = [
            (INTERFACES, show::interfaces),
            (NEIGHBOURS, show::neighbours),
            (AI_ECN, show::ai_ecn),
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
        device.coverage = Coverage {
            config: of(CONFIG).next().is_some(),
            operational: of(INTERFACES).next().is_some() || of(AI_ECN).next().is_some(),
            counters: of(PFC).next().is_some() || of(INTERFACES).next().is_some(),
            peers: of(NEIGHBOURS).next().is_some(),
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
