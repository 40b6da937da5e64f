//! Nokia SR Linux: its tree as braces, set lines, paths or JSON_IETF, from the
//! running configuration or from state.

mod defaults;
mod facts;
mod fix;
mod leaves;
mod parse;
mod qos;
mod queues;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::recognise::Marks;
use super::{CaptureSpec, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind};
use crate::source::Capture;

/// Nokia's operating system for data centers.
pub struct SrLinux;

const CONFIG: &str = "info";
const COUNTERS: &str = "info from state /qos interfaces interface IF pfc";

static SPECS: [CaptureSpec; 2] = {
    const INFO: &str = "`info` prints and sets nothing";
    const fn spec(command: &'static str, holds: Holds) -> CaptureSpec {
        CaptureSpec {
            command,
            holds,
            read_only: INFO,
        }
    }
    [spec(CONFIG, Holds::Config), spec(COUNTERS, Holds::Counters)]
};

static MARKS: Marks = Marks {
    specs: &SPECS,
    config: CONFIG,
    shows: &[
        (COUNTERS, &["pfc-pause-frames-received", "pfc-priority"]),
        (COUNTERS, &["pfc", "total-packet-pfc-discards"]),
    ],
    sure: &[
        "interface ethernet-1/",
        "set / interface ethernet-",
        "set / qos ",
        "pfc-mapping-profile ",
        "queue-management-profile ",
        "set / system ",
        "/qos/buffer-management/",
        "/qos/interfaces/interface[",
        "/qos/pfc-mapping-profile[",
        "/interface[name=ethernet-",
        "\"srl_nokia-",
        "{\"srl_nokia-",
    ],
    likely: &["--{ "],
};

impl Platform for SrLinux {
    fn name(&self) -> &'static str {
        "srlinux"
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
        let mut reader = parse::Reader {
            capture: 0,
            notes: &mut notes,
            config: parse::Config::default(),
        };
        // State and configuration are of one tree.
        for (n, (capture, spec)) in captures.iter().enumerate() {
            if spec.is_some() {
                reader.capture = n;
                reader.read(&capture.text);
            }
        }
        let config = reader.config;
        let holds = |wanted: Holds| {
            let mut specs = captures.iter().filter_map(|(_, spec)| *spec);
            specs.any(|spec| spec.holds == wanted)
        };
        // A capture of the whole tree holds both.
        let configured = holds(Holds::Config) || config.defines();
        facts::read(&mut device, &mut ports, &config, configured, &mut notes);
        device.ports = ports.sorted();
        device.notes = notes.all;
        device.coverage = Coverage {
            config: configured,
            operational: config.qos.values().any(|qos| qos.pfc_up.is_some()),
            counters: holds(Holds::Counters),
            peers: false,
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
