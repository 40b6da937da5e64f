//! What an audit found: one fault of one device, on one port or on many.

use crate::model::{Field, Kind};
use crate::policy::{Position, Severity};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::Arc;

/// The outcome of a verdict that is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// Not as the policy asks.
    Fail,
    /// Can't be told, and why.
    Unknown,
    /// Not as the policy asks, and accepted by a waiver.
    Waived,
    /// As the policy asks; shown only when all verdicts are.
    Pass,
}

impl Status {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Fail => "fail",
            Status::Unknown => "unknown",
            Status::Waived => "waived",
            Status::Pass => "pass",
        }
    }
}

/// Which way of a class over a port a failure breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breaks {
    /// The way.
    pub way: Way,
    /// Of which classes.
    pub of: Of,
}

impl Breaks {
    /// What arrives, of the class that the finding names.
    pub const INGRESS: Option<Breaks> = Breaks::named(Way::Ingress);
    /// What leaves.
    pub const EGRESS: Option<Breaks> = Breaks::named(Way::Egress);
    /// What arrives and what leaves.
    pub const BOTH: Option<Breaks> = Breaks::named(Way::Both);
    /// Congestion notification packets, as they arrive and leave.
    pub const CNP: Option<Breaks> = Some(Breaks {
        way: Way::Both,
        of: Of::Cnp,
    });

    const fn named(way: Way) -> Option<Breaks> {
        Some(Breaks { way, of: Of::Named })
    }
}

/// A way over a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Packets that arrive, and the pause that is sent for them.
    Ingress,
    /// Packets that leave, and the pause that is obeyed for them.
    Egress,
    /// Both.
    Both,
}

impl Way {
    /// Whether this way is among those.
    pub fn is_in(self, other: Way) -> bool {
        other == Way::Both || self == other
    }
}

/// The classes that a failure concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// The class that the finding names, all where it names none.
    Named,
    /// The class of congestion notification packets.
    Cnp,
}

/// A verdict on one or many ports of a device. People see it folded; each
/// port of it is one finding in JSON.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The check (`pfc/missing`), or the id of an assert.
    pub check: Cow<'static, str>,
    /// Fail, unknown, waived or pass.
    pub status: Status,
    /// How bad it is.
    pub severity: Severity,
    /// The device.
    pub device: Arc<str>,
    /// The class of traffic.
    pub class: Option<String>,
    /// A sentence.
    pub message: String,
    /// What the policy asks.
    pub expected: Option<String>,
    /// What the device has.
    pub actual: Option<String>,
    /// How the fact is known.
    pub kind: Kind,
    /// The policy line that asks.
    pub policy: Position,
    /// Owner and reason of the waiver.
    pub waiver: Option<String>,
    /// What of a class's way it breaks.
    pub breaks: Option<Breaks>,
    /// The facts that it rests on.
    pub fields: Vec<Field>,
    /// The ports, in the device's order; one without a name is the device.
    pub places: Vec<PortPlace>,
}

/// One port of a finding.
#[derive(Clone, Debug, Default)]
pub struct PortPlace {
    /// The port; `None` is the device as a whole.
    pub port: Option<Arc<str>>,
    /// The other end of the cable, where the finding is of both (`gpu01:ens1f0np0`).
    pub peer: Option<Arc<str>>,
    /// Where it was read.
    pub evidence: Vec<Evidence>,
    /// What to type.
    pub fix: Vec<String>,
}

/// A line of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The source's name.
    pub source: Arc<str>,
    /// From 1 on.
    pub line: u32,
    /// The line, cut where it is long; hostile.
    pub text: Arc<str>,
}

/// A sentence without its numbers, but for those that name something.
fn without_amounts(message: &str) -> String {
    const NAMES: [&str; 4] = ["priority", "queue", "group", "DSCP"];
    let mut said = String::new();
    let mut names = false;
    for word in message.split_whitespace() {
        if names || word.contains(char::is_alphabetic) {
            said.push_str(word);
            said.push(' ');
        }
        names = NAMES.contains(&word);
    }
    said
}

impl Finding {
    /// Names the same fault on the same port in every run: check, device,
    /// port, class and what is said, but for its numbers, which move while the
    /// fault stays; for findings about a line or a file, that as well.
    pub fn fingerprint(&self, place: &PortPlace) -> String {
        let first = place.evidence.first();
        let about = match &*self.check {
            "config/unparsed" | "map/unresolved" | "map/conflict" | "map/override" => {
                first.map_or("", |line| &line.text)
            }
            check if check.starts_with("collect/") => first.map_or("", |line| &line.source),
            _ => "",
        };
        let said: String = match self.status {
            Status::Unknown => self.message.clone(),
            _ => without_amounts(&self.message),
        };
        let parts = [
            &self.check,
            &*self.device,
            place.port.as_deref().unwrap_or_default(),
            self.class.as_deref().unwrap_or_default(),
            about,
            &said,
        ];
        let digest = Sha256::digest(parts.join("\u{1f}"));
        digest[..8].iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Orders findings: worst first, then by device, check and message.
    pub fn order(&self, other: &Finding) -> std::cmp::Ordering {
        let key = |f: &Finding| (f.status, f.severity);
        key(self)
            .cmp(&key(other))
            .then_with(|| self.device.cmp(&other.device))
            .then_with(|| self.check.cmp(&other.check))
            .then_with(|| self.class.cmp(&other.class))
            .then_with(|| self.message.cmp(&other.message))
    }
}
