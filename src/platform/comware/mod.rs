//! H3C (and HPE) Comware 7 and 9: configurations, and `display` commands.

mod defaults;
mod facts;
mod fix;
mod names;
mod parse;
mod show;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::recognise::Marks;
use super::{CaptureSpec, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind, Fact, MapName};
use crate::source::Capture;

/// H3C's operating system.
pub struct Comware;

const CONFIG: &str = "display current-configuration";
const VERSION: &str = "display version";
const PFC: &str = "display priority-flow-control interface";

static SPECS: [CaptureSpec; 3] = {
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
        spec(PFC, Holds::Counters),
    ]
};

static MARKS: Marks = Marks {
    specs: &SPECS,
    config: CONFIG,
    shows: &[
        (PFC, &["AdminMode", "OperMode", "Dot1pList", "Prio"]),
        (VERSION, &["Comware Software, Version"]),
    ],
    sure: &[
        "priority-flow-control no-drop dot1p",
        "priority-flow-control poolid ",
        "priority-flow-control poolID ",
        "priority-flow-control dot1p ",
        "priority-flow-control deadlock ",
        "qos map-table ",
        "qos wred queue ",
        "qos wred apply ",
        "qos wfq ",
        "port link-mode ",
        "interface Ten-GigabitEthernet",
        "interface Twenty-FiveGigE",
        "interface Bridge-Aggregation",
        "interface Route-Aggregation",
        "interface M-GigabitEthernet",
    ],
    likely: &[
        "interface HundredGigE1/",
        "interface FourHundredGigE1/",
        "version 7.1.",
        "version 9.1.",
    ],
};

impl Platform for Comware {
    fn name(&self) -> &'static str {
        "comware"
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
        // The model tells the size of a cell.
        of(VERSION).for_each(|(n, capture)| show::version(&mut device, n, &capture.text));
        for (n, capture) in of(CONFIG) {
            let mut reader = parse::Reader {
                capture: n,
                notes: &mut notes,
            };
            let config = reader.config(&capture.text);
            facts::read(&mut device, &mut ports, &config, &mut notes);
        }
        of(PFC).for_each(|(n, capture)| show::pfc(&mut ports, n, &capture.text));
        device.ports = ports.sorted();
        for map in [MapName::TcToPg, MapName::PfcToPg] {
            let ports = device.ports.iter_mut();
            ports.for_each(|port| port.maps.set(map, Fact::NotApplicable));
        }
        device.notes = notes.all;
        device.coverage = Coverage {
            config: of(CONFIG).next().is_some(),
            operational: of(PFC).next().is_some(),
            counters: of(PFC).next().is_some(),
            peers: false,
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
