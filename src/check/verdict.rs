//! What a check says of a port or device.

use crate::fabric::PortId;
use crate::finding::{Breaks, Evidence, Of, Way};
use crate::model::{AnyFact, DeviceField, Field, Kind, Origin};
use crate::platform::Remedy;
use crate::policy::{Class, Position, Severity};

/// Collects the verdicts of one check on one subject. A pass is only counted.
#[derive(Default)]
pub struct Verdicts {
    /// Number of passes.
    pub passes: usize,
    /// Failures and unknowns.
    pub details: Vec<Detail>,
}

impl Verdicts {
    /// As the policy asks.
    pub fn pass(&mut self) {
        self.passes += 1;
    }

    /// Not as the policy asks, or unknown.
    pub fn report(&mut self, detail: Detail) {
        self.details.push(detail);
    }

    /// A pass, or the detail that says why not.
    pub fn judge(&mut self, holds: bool, otherwise: impl FnOnce() -> Detail) {
        if holds {
            self.pass();
        } else {
            self.report(otherwise());
        }
    }
}

/// Collects the verdicts of one check on the fabric.
#[derive(Default)]
pub struct FabricVerdicts {
    /// Number of passes.
    pub passes: usize,
    /// Failures and unknowns.
    pub details: Vec<FabricDetail>,
}

/// A failure or an unknown of a port in the fabric.
#[derive(Debug)]
pub struct FabricDetail {
    /// The port.
    pub port: PortId,
    /// The other end of the cable, where the verdict is of both.
    pub peer: Option<PortId>,
    /// What it says, without evidence of its own.
    pub detail: Detail,
    /// Where it was read.
    pub lines: Vec<Line>,
    /// Lines that were looked up already.
    pub evidence: Vec<Evidence>,
}

/// A line of one of the devices of the fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// That a fact of a port was read from.
    Fact(PortId, Field),
    /// That names the neighbour of a port.
    Peer(PortId),
    /// That a fact of the port's device was read from.
    Device(PortId, DeviceField),
}

impl FabricDetail {
    /// Of a port.
    pub fn new(port: PortId, detail: Detail) -> Self {
        FabricDetail {
            port,
            peer: None,
            detail,
            lines: Vec::new(),
            evidence: Vec::new(),
        }
    }

    /// Of both ends of a cable.
    pub fn peer(mut self, peer: PortId) -> Self {
        self.peer = Some(peer);
        self
    }

    /// Read there.
    pub fn line(mut self, line: Line) -> Self {
        self.lines.push(line);
        self
    }
}

/// A failure or an unknown.
#[derive(Debug)]
pub struct Detail {
    /// Unknown instead of a failure.
    pub unknown: bool,
    /// Another severity than the check's own.
    pub severity: Option<Severity>,
    /// The class of traffic.
    pub class: Option<String>,
    /// The port, where a device's check speaks of one.
    pub port: Option<String>,
    /// A sentence that names no port.
    pub message: String,
    /// What the policy asks.
    pub expected: Option<String>,
    /// What the device has.
    pub actual: Option<String>,
    /// How the fact is known.
    pub kind: Kind,
    /// Where it was read.
    pub evidence: Vec<At>,
    /// The policy line that asks.
    pub policy: Position,
    /// What would mend it.
    pub remedy: Option<Remedy>,
    /// What of a class's way it breaks, where that is less than its check says.
    pub breaks: Option<Breaks>,
}

/// Where a verdict's fact was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum At {
    /// The place of a fact of the port; other ports of the same settings have
    /// their own.
    Field(Field),
    /// A fixed place.
    Origin(Origin),
}

impl Detail {
    /// A failure.
    pub fn fail(message: impl Into<String>) -> Self {
        Detail {
            unknown: false,
            severity: None,
            class: None,
            port: None,
            message: message.into(),
            expected: None,
            actual: None,
            kind: Kind::Explicit,
            evidence: Vec::new(),
            policy: Position::default(),
            remedy: None,
            breaks: None,
        }
    }

    /// An unknown; the message says what is not known and why.
    pub fn unknown(message: impl Into<String>) -> Self {
        Detail {
            unknown: true,
            kind: Kind::Unknown,
            ..Detail::fail(message)
        }
    }

    /// An unknown whose reason a fact tells: "the trust state is unknown: no
    /// capture holds it".
    pub fn unknown_fact(what: &str, fact: &dyn AnyFact) -> Self {
        match fact.because() {
            Some(why) => Detail::unknown(format!("{what} is unknown: {why}")),
            None => Detail::unknown(format!("{what} is unknown")),
        }
    }

    /// Of this class; its line in the policy is cited unless another is set.
    pub fn class(mut self, class: &Class) -> Self {
        self.class = Some(class.name.value.clone());
        if !self.policy.is_known() {
            self.policy = class.name.position;
        }
        self
    }

    /// What the policy asks.
    pub fn expected(mut self, expected: impl ToString) -> Self {
        self.expected = Some(expected.to_string());
        self
    }

    /// What the device has.
    pub fn actual(mut self, actual: impl ToString) -> Self {
        self.actual = Some(actual.to_string());
        self
    }

    /// How the fact is known.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Adds to the message why a default holds; `actual` stays the bare value.
    pub fn because(mut self, fact: &dyn AnyFact) -> Self {
        if let Some(why) = fact.because() {
            self.message.push_str(&format!(": {why}"));
        }
        self
    }

    /// It breaks only this way of the class.
    pub fn way(mut self, way: Way) -> Self {
        self.breaks = Some(Breaks { way, of: Of::Named });
        self
    }

    /// Names the check that tells what is wrong at one end by itself.
    pub fn told_by(mut self, check: Option<&str>) -> Self {
        if let Some(check) = check {
            self.message.push_str(&format!(" ({check} tells it)"));
        }
        self
    }

    /// Another severity than the check's own.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Read at this fact of the port.
    pub fn at(mut self, field: Field) -> Self {
        self.evidence.push(At::Field(field));
        self
    }

    /// Read at this place.
    pub fn at_origin(mut self, origin: Origin) -> Self {
        self.evidence.push(At::Origin(origin));
        self
    }

    /// On this port, from a check of the whole device.
    pub fn port(mut self, port: impl Into<String>) -> Self {
        self.port = Some(port.into());
        self
    }

    /// Asked by this line of the policy.
    pub fn policy(mut self, position: Position) -> Self {
        self.policy = position;
        self
    }

    /// What would mend it.
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }
}
