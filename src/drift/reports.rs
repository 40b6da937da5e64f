//! Compares two reports: which findings are new, fixed, or still there.

use super::Outcome;
use crate::model::Word;
use crate::policy::Severity;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The schema of reports that can be compared.
const SCHEMA: &str = "roceaudit.report/v1";

/// Why a text is no report that can be compared.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It is no JSON, or is cut.
    #[error("it is no whole JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// It bears another schema, or none.
    #[error("its schema is {0}, not {SCHEMA}")]
    Schema(String),
    /// A part of it is missing.
    #[error("it has no list of {0}")]
    Missing(&'static str),
    /// A finding without its fingerprint.
    #[error("finding {0} has no fingerprint")]
    NoFingerprint(usize),
}

/// A report as read back.
#[derive(Debug, Default)]
pub struct ReadReport {
    findings: BTreeMap<String, Reported>,
    devices: BTreeSet<String>,
}

/// A finding of a report, as it stands there.
#[derive(Clone, Debug)]
pub struct Reported {
    /// All of it.
    pub finding: Value,
}

impl Reported {
    /// A member that is a text; nothing where it is none.
    pub fn text(&self, member: &str) -> &str {
        let member = self.finding.get(member);
        member.and_then(Value::as_str).unwrap_or_default()
    }

    /// How bad it is; none where the word is of no severity.
    pub fn severity(&self) -> Option<Severity> {
        let severity = self.text("severity");
        let mut words = Severity::WORDS.iter();
        let known = words.find(|(_, words)| words.contains(&severity));
        known.map(|(severity, _)| *severity)
    }

    fn fails_at(&self, least: Severity) -> bool {
        self.text("status") == "fail" && self.severity().is_none_or(|severity| severity <= least)
    }
}

impl ReadReport {
    /// Failures and unknowns, by their fingerprints.
    pub fn findings(&self) -> impl Iterator<Item = (&str, &Reported)> {
        self.findings.iter().map(|(mark, one)| (mark.as_str(), one))
    }
}

/// What differs between two reports.
#[derive(Debug, Default)]
pub struct Reports {
    /// Only in the new one.
    pub new: Vec<Reported>,
    /// Only in the old one.
    pub fixed: Vec<Reported>,
    /// In both, as the new one tells them.
    pub still: Vec<Reported>,
    /// Devices that only the new one has.
    pub added: Vec<String>,
    /// Devices that only the old one has.
    pub removed: Vec<String>,
}

/// Whether a text looks like a report, and not like a capture of a device.
pub fn is_report(text: &str) -> bool {
    const HEAD: usize = 400;
    let end = text.char_indices().nth(HEAD).map_or(text.len(), |(n, _)| n);
    let head = text.get(..end).unwrap_or_default();
    text.trim_start().starts_with('{') && head.contains("\"roceaudit.report/")
}

/// Reads a report in JSON.
///
/// # Errors
/// A text that is no whole report of the schema that is known.
pub fn read(text: &str) -> Result<ReadReport, ReportError> {
    let mut report: Value = serde_json::from_str(text)?;
    match report.get("schema").and_then(Value::as_str) {
        Some(SCHEMA) => {}
        other => return Err(ReportError::Schema(other.unwrap_or("missing").to_owned())),
    }
    let mut list = |name: &'static str| match report.get_mut(name).map(Value::take) {
        Some(Value::Array(list)) => Ok(list),
        _ => Err(ReportError::Missing(name)),
    };
    let (findings, devices) = (list("findings")?, list("devices")?);
    let mut read = ReadReport::default();
    for device in devices {
        let name = device.get("name").and_then(Value::as_str);
        read.devices.extend(name.map(str::to_owned));
    }
    for (n, finding) in findings.into_iter().enumerate() {
        let status = finding.get("status").and_then(Value::as_str);
        if matches!(status, Some("pass" | "waived")) {
            continue; // nothing to mend
        }
        let mark = finding.get("fingerprint").and_then(Value::as_str);
        let mark = mark.ok_or(ReportError::NoFingerprint(n))?;
        // A fault that can't be told any more is not fixed, and is not new.
        read.findings.insert(mark.to_owned(), Reported { finding });
    }
    Ok(read)
}

/// Compares two reports by the fingerprints of their findings.
pub fn compare(old: ReadReport, new: ReadReport) -> Reports {
    let mut reports = Reports {
        added: new.devices.difference(&old.devices).cloned().collect(),
        removed: old.devices.difference(&new.devices).cloned().collect(),
        ..Reports::default()
    };
    let mut before = old.findings;
    for (mark, finding) in new.findings {
        match before.remove(&mark) {
            Some(_) => reports.still.push(finding),
            None => reports.new.push(finding),
        }
    }
    reports.fixed = before.into_values().collect();
    for list in [&mut reports.new, &mut reports.fixed, &mut reports.still] {
        list.sort_by(|a, b| {
            let key = |one: &Reported| ["device", "port", "check"].map(|m| one.text(m).to_owned());
            key(a).cmp(&key(b))
        });
    }
    reports
}

impl Reports {
    /// The outcome. With `fail_on` only new failures of that severity or above
    /// count as a difference.
    pub fn outcome(&self, fail_on: Option<Option<Severity>>) -> Outcome {
        let differs = match fail_on {
            None => !(self.new.is_empty() && self.fixed.is_empty()),
            Some(least) => least.is_some_and(|least| self.new.iter().any(|n| n.fails_at(least))),
        };
        match differs {
            true => Outcome::Differs,
            false => Outcome::Same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(marks: &[(&str, &str)]) -> String {
        let finding = |(mark, severity): &(&str, &str)| json!({"fingerprint": mark, "status": "fail", "severity": severity, "check": "pfc/missing", "device": "leaf1"});
        let findings: Vec<Value> = marks.iter().map(finding).collect();
        json!({"schema": SCHEMA, "devices": [{"name": "leaf1"}], "findings": findings}).to_string()
    }

    #[test]
    fn the_schema_is_that_of_reports() {
        assert_eq!(SCHEMA, crate::report::json::SCHEMA);
    }

    #[test]
    fn findings_are_new_fixed_or_still_there() {
        let old = read(&report(&[("a", "high"), ("b", "low")])).unwrap();
        let new = read(&report(&[("b", "low"), ("c", "medium")])).unwrap();
        let reports = compare(old, new);
        let marks = |list: &[Reported]| -> Vec<String> {
            list.iter()
                .map(|one| one.text("fingerprint").to_owned())
                .collect()
        };
        assert_eq!(marks(&reports.new), ["c"]);
        assert_eq!(marks(&reports.fixed), ["a"]);
        assert_eq!(marks(&reports.still), ["b"]);
        assert_eq!(reports.outcome(None), Outcome::Differs);
        assert_eq!(reports.outcome(Some(Some(Severity::High))), Outcome::Same);
        assert_eq!(
            reports.outcome(Some(Some(Severity::Medium))),
            Outcome::Differs
        );
        assert_eq!(reports.outcome(Some(None)), Outcome::Same);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        let cut = report(&[("a", "high")]);
        assert!(matches!(
            read(&cut[..cut.len() - 9]),
            Err(ReportError::Syntax(_))
        ));
        let other = r#"{"schema": "roceaudit.report/v9", "findings": [], "devices": []}"#;
        assert!(matches!(read(other), Err(ReportError::Schema(_))));
        let empty = format!(r#"{{"schema": "{SCHEMA}", "devices": []}}"#);
        assert!(matches!(
            read(&empty),
            Err(ReportError::Missing("findings"))
        ));
        let bare = format!(r#"{{"schema": "{SCHEMA}", "devices": [], "findings": [{{}}]}}"#);
        assert!(matches!(read(&bare), Err(ReportError::NoFingerprint(0))));
        assert!(is_report(&cut) && !is_report("{\"PORT\": {}}") && !is_report("hostname leaf1"));
    }
}
