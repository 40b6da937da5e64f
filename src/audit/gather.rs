//! Gathers findings: severities and waivers of the policy, counts, and ports
//! of which the same is said.

use super::{Options, Tally};
use crate::finding::{Finding, Status};
use crate::policy::{PolicySet, Severity};
use std::borrow::Cow;

/// The findings of a device, or of the fabric.
pub(super) struct Gathered<'a> {
    policy: &'a PolicySet,
    options: &'a Options,
    /// Verdicts by check.
    pub tally: Tally,
    /// In the order of the checks.
    pub findings: Vec<Finding>,
}

impl<'a> Gathered<'a> {
    /// Nothing yet.
    pub fn new(policy: &'a PolicySet, options: &'a Options) -> Self {
        Gathered {
            policy,
            options,
            tally: Tally::new(),
            findings: Vec::new(),
        }
    }

    /// The severity of a finding: the policy's before the verdict's before the
    /// check's; what a verdict calls information stays that.
    pub fn severity(&self, check: &str, own: Severity, verdict: Option<Severity>) -> Severity {
        if verdict == Some(Severity::Info) {
            return Severity::Info;
        }
        let policy = self.policy.severity(check).map(|s| s.value);
        policy.or(verdict).unwrap_or(own)
    }

    /// Counts passes of a check.
    pub fn passed(&mut self, check: Cow<'static, str>, count: usize) {
        if count > 0 {
            self.tally.entry(check).or_default().pass += count;
        }
    }

    /// Counts what a check could not judge, as the source holds no such facts.
    pub fn skipped(&mut self, check: &'static str, count: usize) {
        let counts = self.tally.entry(Cow::Borrowed(check)).or_default();
        counts.skipped += count;
    }

    /// Adds a finding: the ports that a waiver covers apart, the rest to one
    /// that says the same.
    pub fn add(&mut self, mut finding: Finding) {
        if finding.status == Status::Fail {
            self.waive(&mut finding);
        }
        self.push(finding);
    }

    /// Splits off the ports that a waiver covers.
    fn waive(&mut self, finding: &mut Finding) {
        if self.policy.policy().waivers.is_none() {
            return;
        }
        let places = std::mem::take(&mut finding.places);
        for place in places {
            let waived = self.policy.waiver(
                &finding.check,
                &finding.device,
                place.port.as_deref(),
                self.options.now,
            );
            match waived.filter(|waived| !waived.expired) {
                None => finding.places.push(place),
                Some(waived) => {
                    let text = |located: &Option<crate::policy::Located<String>>| {
                        located.as_ref().map(|l| l.value.clone())
                    };
                    let reason = text(&waived.waiver.reason).unwrap_or_default();
                    let waiver = match text(&waived.waiver.owner) {
                        Some(owner) => format!("{reason} ({owner})"),
                        None => reason,
                    };
                    self.push(Finding {
                        status: Status::Waived,
                        waiver: Some(waiver),
                        places: vec![place],
                        ..finding.clone()
                    });
                }
            }
        }
    }

    fn push(&mut self, finding: Finding) {
        if finding.places.is_empty() {
            return;
        }
        let count = finding.places.len();
        let counts = self.tally.entry(finding.check.clone()).or_default();
        match finding.status {
            Status::Fail => counts.fail += count,
            Status::Unknown => counts.unknown += count,
            Status::Waived => counts.waived += count,
            Status::Pass => {} // counted whether shown or not
        }
        let same = |other: &&mut Finding| {
            other.check == finding.check
                && (other.status, other.severity) == (finding.status, finding.severity)
                && (&other.device, &other.class) == (&finding.device, &finding.class)
                && other.message == finding.message
                && (&other.expected, &other.actual, &other.waiver)
                    == (&finding.expected, &finding.actual, &finding.waiver)
                && (other.kind, other.policy) == (finding.kind, finding.policy)
                && other.breaks == finding.breaks
        };
        // What says the same comes from the same check, so it is near the end.
        const NEAR: usize = 64;
        match self.findings.iter_mut().rev().take(NEAR).find(same) {
            Some(other) => other.places.extend(finding.places),
            None => self.findings.push(finding),
        }
    }
}
