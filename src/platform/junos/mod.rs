//! Juniper Junos and Junos Evolved on QFX: configurations in braces, as `set`
//! lines and as JSON.

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
use crate::model::{Coverage, Device, DeviceKind};
use crate::source::Capture;
use memchr::memmem;

/// Juniper's operating system.
pub struct Junos;

const CONFIG: &str = "show configuration";
const EXTENSIVE: &str = "show interfaces extensive";
const NEIGHBOURS: &str = "show lldp neighbors";

static SPECS: [CaptureSpec; 3] = {
    const fn spec(command: &'static str, holds: Holds) -> CaptureSpec {
        CaptureSpec {
            command,
            holds,
            read_only: "`show` prints and sets nothing",
        }
    }
    [
        spec(CONFIG, Holds::Config),
        spec(EXTENSIVE, Holds::Counters),
        spec(NEIGHBOURS, Holds::Peers),
    ]
};

/// What only a Junos configuration holds.
const SURE: &[&str] = &[
    "class-of-service {",
    "set class-of-service ",
    "congestion-notification-profile",
    "\"class-of-service\"",
];

/// What others could hold as well.
const LIKELY: &[&str] = &[
    "interfaces {\n",
    "set interfaces et-",
    "set interfaces xe-",
    "host-name ",
    "forwarding-classes {",
    "routing-options {",
    "junos-config",
];

/// What tells a capture is within so many bytes.
const HEAD: usize = 1 << 18;

fn by_command(command: &str) -> Option<&'static CaptureSpec> {
    SPECS.iter().find(|spec| spec.command == command)
}

impl Platform for Junos {
    fn name(&self) -> &'static str {
        "junos"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let bytes = capture.text.as_bytes();
        let text = bytes.get(..HEAD.min(bytes.len())).unwrap_or_default();
        let holds = |word: &str| memmem::find(text, word.as_bytes()).is_some();
        let found = |command, certainty| {
            let spec = by_command(command)?;
            Some(Recognised { spec, certainty })
        };
        if holds("Physical interface: ") && holds("Physical link is ") {
            return found(EXTENSIVE, Certainty::Sure);
        }
        if holds("Local Interface") && holds("Parent Interface") && holds("System Name") {
            return found(NEIGHBOURS, Certainty::Sure);
        }
        if SURE.iter().any(|word| holds(word)) {
            return found(CONFIG, Certainty::Sure);
        }
        if LIKELY.iter().any(|word| holds(word)) {
            return found(CONFIG, Certainty::Likely);
        }
        let shown = [EXTENSIVE, NEIGHBOURS].into_iter();
        let typed = shown
            .into_iter()
            .find(|c| is_command(c, capture.command()))?;
        found(typed, Certainty::Possible)
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
        // Parts of one configuration in several files belong together.
        let mut config = parse::Config::default();
        for (n, text) in of(CONFIG) {
            let mut reader = parse::Reader {
                capture: n,
                notes: &mut notes,
            };
            reader.config(text, &mut config);
            super::notes::forwarding(&mut device, n, text);
        }
        facts::read(&mut device, &mut ports, &config, &mut notes);
        ports.closed = !ports.list.is_empty();
        of(EXTENSIVE).for_each(|(n, text)| show::extensive(&mut ports, n, text));
        of(NEIGHBOURS).for_each(|(n, text)| show::neighbours(&mut ports, n, text));
        device.ports = ports.sorted();
        device.notes = notes.all;
        device.coverage = Coverage {
            config: of(CONFIG).next().is_some(),
            operational: false,
            counters: of(EXTENSIVE).next().is_some(),
            peers: of(NEIGHBOURS).next().is_some(),
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
