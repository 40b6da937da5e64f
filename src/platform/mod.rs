//! Platforms: each turns the captures of its devices into the model.
//!
//! A platform is one folder with the same file names inside: `mod.rs` (how to
//! recognise a capture, which captures it wants), `parse…` (text → tree),
//! `facts.rs` (tree → model), `defaults.rs` (documented defaults with their
//! sources), `counters.rs`, `fix.rs` (what to type); and one line in
//! [`registry`].

pub mod comware;
pub mod cumulus;
pub mod dell_sonic;
pub mod eos;
pub mod junos;
pub mod linux;
pub mod mqc;
pub mod notes;
pub mod nxos;
pub mod os10;
pub mod ports;
pub mod queues;
pub mod recognise;
pub mod sonic;
pub mod srlinux;
#[cfg(test)]
mod testing;
pub mod text;
pub mod vrp;

use crate::model::{Device, DeviceKind, MapName, Priorities};
use crate::source::Capture;

/// All platforms, in the order in which they are asked to recognise a capture.
pub fn registry() -> &'static [&'static dyn Platform] {
    &[
        // Before SONiC: it tells its own tables from those of the same words.
        &dell_sonic::DellSonic,
        &sonic::Sonic,
        &os10::Os10,
        &eos::Eos,
        &nxos::Nxos,
        &junos::Junos,
        &cumulus::Cumulus,
        &vrp::Vrp,
        &comware::Comware,
        &srlinux::SrLinux,
        &linux::Linux,
    ]
}

/// Whether a command as typed is this one: pipes that only shape the output
/// (`| json`, `| no-more`) aside, and with any name for `IF`, `DEV` and `PCI`.
pub fn is_command(spec: &str, typed: &str) -> bool {
    let bare = |text: &'_ str| -> Vec<String> {
        let command = text.split('|').next().unwrap_or_default();
        command
            .split_ascii_whitespace()
            .map(str::to_ascii_lowercase)
            .collect()
    };
    let (spec, typed) = (bare(spec), bare(typed));
    let placeholder = |word: &str| matches!(word, "if" | "dev" | "pci");
    spec.len() == typed.len()
        && spec
            .iter()
            .zip(&typed)
            .all(|(own, word)| own == word || placeholder(own))
}

/// The platform with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Platform> {
    registry().iter().copied().find(|p| p.name() == name)
}

/// An operating system whose captures can be read.
pub trait Platform: Sync {
    /// Its name in the model: `sonic`, `linux`.
    fn name(&self) -> &'static str;

    /// What its devices are.
    fn kind(&self) -> DeviceKind;

    /// The captures that it reads, and what each of them can tell.
    fn captures(&self) -> &'static [CaptureSpec];

    /// Captures whose reading makes a configfs folder for a moment: run only
    /// where that is allowed by name (`--allow-configfs`).
    fn configfs_captures(&self) -> &'static [CaptureSpec] {
        &[]
    }

    /// Which of [`Platform::captures`] this is, by content (and the command,
    /// where the source tells it). `None`: not ours.
    fn recognise(&self, capture: &Capture) -> Option<Recognised>;

    /// Reads the captures of one device. Origins count in `captures`, which
    /// also holds those that were not recognised (`None`).
    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device;

    /// What to type on the device for a remedy on a port; empty where it can't be said.
    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String>;
}

/// The outcome of recognising a capture.
#[derive(Clone, Copy)]
pub struct Recognised {
    /// What it is.
    pub spec: &'static CaptureSpec,
    /// How sure: a configuration beats a table that others print too.
    pub certainty: Certainty,
}

/// How sure a platform is that a capture is its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Certainty {
    /// Other platforms print the same (a bare number from sysfs).
    Possible,
    /// Its words, though others could use them.
    Likely,
    /// No other platform prints this.
    Sure,
}

/// A capture that a platform reads.
#[derive(Clone, Copy, Debug)]
pub struct CaptureSpec {
    /// The command that prints it, as typed on the device (`IF`, `DEV`, `PCI`
    /// stand for a name), or the file that holds it.
    pub command: &'static str,
    /// What it holds.
    pub holds: Holds,
    /// Why reading it can't change the device.
    pub read_only: &'static str,
}

/// Which kind of fact a capture holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Configuration.
    Config,
    /// What is in force now.
    Operational,
    /// Counters.
    Counters,
    /// Neighbours.
    Peers,
}

/// What would mend a finding, without a vendor's words. The platform turns it
/// into commands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Remedy {
    /// PFC in both directions on exactly these priorities.
    Pfc {
        /// The priorities.
        priorities: Priorities,
    },
    /// A static PFC mode instead of negotiation.
    PfcMode,
    /// 802.3x pause off.
    LinkPauseOff,
    /// The PFC watchdog on these priorities, times in milliseconds.
    Watchdog {
        /// The priorities.
        priorities: Priorities,
        /// Time of pause until it acts.
        detection_ms: u32,
        /// Time without pause until it lets go.
        restoration_ms: u32,
    },
    /// One entry of a map.
    MapEntry {
        /// The map.
        map: MapName,
        /// The key.
        key: u8,
        /// The value.
        value: u8,
    },
    /// Trust the DSCP (or the 802.1p priority).
    Trust {
        /// The DSCP, or whether it is the DSCP that is trusted.
        dscp: bool,
    },
    /// ECN marking on a queue, thresholds in bytes where the policy gives any.
    Ecn {
        /// The queue.
        queue: u8,
        /// Where marking begins.
        min_bytes: Option<u64>,
        /// Where it reaches its probability.
        max_bytes: Option<u64>,
        /// The probability.
        probability_percent: Option<u8>,
    },
    /// A strict-priority queue.
    Strict {
        /// The queue.
        queue: u8,
    },
    /// A usable IP MTU of this many bytes.
    Mtu {
        /// The size.
        ip_bytes: u32,
    },
    /// RDMA traffic with this traffic class byte.
    TrafficClass {
        /// The byte.
        traffic_class: u8,
    },
    /// DCQCN on (reaction and notification point) for these priorities.
    Dcqcn {
        /// The priorities.
        priorities: Priorities,
    },
    /// CNPs with this DSCP and priority.
    Cnp {
        /// The DSCP, or whether it is the DSCP that is trusted.
        dscp: u8,
        /// Their priority.
        priority: Option<u8>,
    },
    /// Firmware or driver parameter for the next boot.
    Firmware {
        /// The parameter's name.
        parameter: String,
        /// Its value.
        value: String,
    },
    /// The host, not the firmware, decides the DCB settings.
    DcbxOs,
}
