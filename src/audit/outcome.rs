//! What a report means to a script: the exit code.

use super::{DeviceStatus, Report};
use crate::finding::Status;
use crate::policy::{PolicySet, Severity};

/// The outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing to tell.
    Clean,
    /// A finding at or above the threshold.
    Findings,
    /// No such finding, but something needed stayed unknown.
    Unknown,
}

/// The exit code of an outcome.
pub fn exit_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Clean => 0,
        Outcome::Findings => 1,
        Outcome::Unknown => 3,
    }
}

impl Report {
    /// What the report says of the fabric, whatever a script lets pass: flags
    /// that lower the exit code do not make a fabric lossless.
    pub fn verdict(&self, policy: &PolicySet) -> Outcome {
        self.outcome(policy, Some(Severity::Medium), false)
    }

    /// The outcome. `fail_on` is the least severity that counts, `None` for
    /// never. With `require:` in the policy only unknowns of those checks
    /// count; a device of which nothing could be judged always does.
    pub fn outcome(
        &self,
        policy: &PolicySet,
        fail_on: Option<Severity>,
        allow_unknown: bool,
    ) -> Outcome {
        let fails = self.findings.iter().any(|finding| {
            finding.status == Status::Fail && fail_on.is_some_and(|least| finding.severity <= least)
        });
        if fails {
            return Outcome::Findings;
        }
        let read = |status| matches!(status, DeviceStatus::Audited | DeviceStatus::Partial);
        if !self.devices.iter().any(|device| read(device.status)) {
            return Outcome::Unknown; // nothing was recognised: never clean
        }
        // Checks that were all skipped or turned off prove nothing.
        let judged = self.counts.pass + self.counts.fail + self.counts.waived > 0;
        if !judged && self.counts.unknown == 0 {
            return Outcome::Unknown;
        }
        let blind = |device: &super::DeviceEntry| device.blind || !read(device.status);
        let unread = self.devices.iter().any(blind);
        let unknown = self.findings.iter().any(|finding| {
            finding.status == Status::Unknown
                && (!policy.has_require() || policy.required(&finding.check).is_some())
        });
        if (unread || unknown) && !allow_unknown {
            return Outcome::Unknown;
        }
        Outcome::Clean
    }
}
