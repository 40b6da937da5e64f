//! `audit --against-baseline`: only what is new, next to a report, a source or
//! the baseline in force.

use super::{audit, diff};
use crate::audit::{Counts, Options, Report, Tally};
use crate::drift::store::{Store, StoreError};
use crate::finding::{Finding, Status};
use crate::policy::{PolicySet, Severity};
use crate::source::Unit;
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// The findings of before: how bad each is, by its fingerprint.
pub(super) struct Known(HashMap<String, (Status, Severity)>);

impl Known {
    /// From a report in JSON, a store with a baseline, or any source.
    pub(super) fn load(from: &str, policy: &PolicySet, options: &Options) -> anyhow::Result<Self> {
        if let Some(report) = diff::report(from)? {
            let known = report.findings().map(|(mark, one)| {
                // What a report of another release calls by an unknown word
                // hides nothing.
                let severity = one.severity().unwrap_or(Severity::Info);
                let status = match one.text("status") {
                    "fail" => Status::Fail,
                    _ => Status::Unknown,
                };
                (mark.to_owned(), (status, severity))
            });
            return Ok(Known(known.collect()));
        }
        let units = units(from)?;
        let report = crate::audit::audit(&units, policy, options)?;
        let mut known = HashMap::new();
        for finding in told(&report) {
            for place in &finding.places {
                let mark = finding.fingerprint(place);
                known.insert(mark, (finding.status, finding.severity));
            }
        }
        Ok(Known(known))
    }

    /// Leaves in a report what is new, and counts what is gone.
    pub(super) fn narrow(mut self, report: &mut Report) -> usize {
        let counts = &mut report.counts;
        let devices = report.devices.iter_mut();
        let mut devices: HashMap<String, &mut Tally> = devices
            .map(|device| (device.name.clone(), &mut device.checks))
            .collect();
        let fabric = &mut report.fabric;
        report.findings.retain_mut(|finding| {
            let status = finding.status;
            if !matches!(status, Status::Fail | Status::Unknown) {
                return true;
            }
            let severity = finding.severity;
            let mut places = std::mem::take(&mut finding.places);
            places.retain(|place| {
                let Some((was, how_bad)) = self.0.remove(&finding.fingerprint(place)) else {
                    return true;
                };
                // As bad before, or worse: nothing new. What could not be told
                // and fails now is new.
                let worse = (status, severity) < (was, how_bad);
                if !worse {
                    uncount(counts, status);
                    let of_device = devices.get_mut(&*finding.device);
                    let of_device = of_device.and_then(|tally| tally.get_mut(&finding.check));
                    if let Some(counts) = of_device.or(fabric.get_mut(&finding.check)) {
                        uncount(counts, status);
                    }
                }
                worse
            });
            finding.places = places;
            !finding.places.is_empty()
        });
        self.0.len()
    }
}

fn uncount(counts: &mut Counts, status: Status) {
    let count = match status {
        Status::Fail => &mut counts.fail,
        _ => &mut counts.unknown,
    };
    *count = count.saturating_sub(1);
}

fn told(report: &Report) -> impl Iterator<Item = &Finding> {
    let findings = report.findings.iter();
    findings.filter(|finding| matches!(finding.status, Status::Fail | Status::Unknown))
}

/// The devices of a source, or those of the baseline in force.
fn units(from: &str) -> anyhow::Result<Vec<Unit>> {
    if !Path::new(from).join("current.json").is_file() {
        return audit::units(&[from.to_owned()], &[]);
    }
    let store = Store::new(from);
    let (_, baseline) = store.in_force()?;
    let devices: Vec<_> = baseline.devices.iter().collect();
    let units = devices
        .par_iter()
        .map(|(name, record)| Ok(store.device(name, record)?.unit()))
        .collect::<Result<Vec<Unit>, StoreError>>()?;
    Ok(units)
}
