//! What changed in meaning between two sources: which facts, what that does
//! under the policy, and which lines say so. How a device writes a setting,
//! counters and states of the moment do not count.

pub mod baseline;
mod compare;
mod difference;
mod effect;
mod fields;
mod follows;
mod pairs;
pub mod reports;
pub mod store;

pub use compare::sources;
pub use difference::{Address, Difference, Seen};
pub use fields::{DeviceDiff, PortDiff, compare};

use crate::finding::Evidence;
use crate::model::words;
use crate::policy::Severity;
use std::sync::Arc;

words! {
    /// What a change does under the policy.
    Effect {
        /// Something that held fails now.
        Breaks = "breaks",
        /// It can't be told.
        Unknown = "unknown",
        /// Something that failed holds now.
        Repairs = "repairs",
        /// Neither.
        Neutral = "neutral",
    }
}

/// All that differs between two sources.
#[derive(Debug, Default)]
pub struct Diff {
    /// Settings, by device.
    pub changes: Vec<Change>,
    /// Bill of materials: versions, firmware, hardware, cables.
    pub bom: Vec<Change>,
    /// Devices of one side only.
    pub devices: Members<Arc<str>>,
    /// Ports of one side only, with their devices.
    pub ports: Members<PortName>,
    /// Devices that could not be read on one side, and so not be compared.
    pub unread: Vec<Unread>,
    /// Severity of the worst finding that only the new side has.
    pub newly_failing: Option<Severity>,
    /// Devices of both sides.
    pub compared: usize,
}

/// A port with its device.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PortName {
    /// The device.
    pub device: Arc<str>,
    /// The port.
    pub port: Arc<str>,
}

/// What only one side has, or has under another name.
#[derive(Debug)]
pub struct Members<T> {
    /// Only the new side.
    pub added: Vec<T>,
    /// Only the old side.
    pub removed: Vec<T>,
    /// Old and new name.
    pub renamed: Vec<(T, T)>,
}

impl<T> Default for Members<T> {
    fn default() -> Self {
        Members {
            added: Vec::new(),
            removed: Vec::new(),
            renamed: Vec::new(),
        }
    }
}

impl<T> Members<T> {
    /// Whether both sides have the same.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.renamed.is_empty()
    }

    fn extend(&mut self, other: Members<T>) {
        self.added.extend(other.added);
        self.removed.extend(other.removed);
        self.renamed.extend(other.renamed);
    }
}

/// A device that could not be read.
#[derive(Clone, Debug)]
pub struct Unread {
    /// The device.
    pub device: Arc<str>,
    /// Which side, and why.
    pub why: String,
}

/// A fact that changed in the same way on one or many ports of a device.
#[derive(Clone, Debug)]
pub struct Change {
    /// The device; its new name.
    pub device: Arc<str>,
    /// Which fact.
    pub address: Address,
    /// What the old side has.
    pub old: Seen,
    /// What the new side has.
    pub new: Seen,
    /// What that does under the policy.
    pub effect: Effect,
    /// The check that says so, and how bad a failure of it is.
    pub check: Option<(Arc<str>, Severity)>,
    /// Facts that changed only because of this one.
    pub also: Vec<Address>,
    /// The ports, in the device's order; one without a name is the device.
    pub places: Vec<Place>,
}

/// One port of a change.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Place {
    /// The port; `None` is the device as a whole.
    pub port: Option<Arc<str>>,
    /// The line of the old side.
    pub old: Option<Evidence>,
    /// The line of the new side.
    pub new: Option<Evidence>,
}

impl Change {
    /// Whether the device changed for certain: both sides are known, or a check
    /// tells them apart. If not, it can't be told.
    pub fn is_certain(&self) -> bool {
        let judged = matches!(self.effect, Effect::Breaks | Effect::Repairs);
        judged || (self.old != Seen::Unknown && self.new != Seen::Unknown)
    }
}

/// What a diff means to a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing differs.
    Same,
    /// Something differs.
    Differs,
    /// Nothing is known to differ, but something can't be told.
    Unknown,
}

impl Diff {
    /// The outcome. With `fail_on` only what newly fails at that severity or
    /// above counts as a difference.
    pub fn outcome(&self, fail_on: Option<Option<Severity>>, allow_unknown: bool) -> Outcome {
        let mut all = self.changes.iter().chain(&self.bom);
        let differs = match fail_on {
            Some(least) => match (least, self.newly_failing) {
                (Some(least), Some(worst)) => worst <= least,
                _ => false,
            },
            None => {
                !self.devices.is_empty()
                    || !self.ports.is_empty()
                    || all.clone().any(Change::is_certain)
            }
        };
        if differs {
            return Outcome::Differs;
        }
        let unknown = !self.unread.is_empty() || all.any(|change| !change.is_certain());
        match unknown && !allow_unknown {
            true => Outcome::Unknown,
            false => Outcome::Same,
        }
    }
}
