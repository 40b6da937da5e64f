//! GitLab's code quality report: a JSON array of issues (the format of Code
//! Climate, as far as GitLab reads it).

use super::Style;
use super::escape::terminal;
use super::fold::{Folded, fold, whereabouts};
use super::place::Files;
use crate::audit::Report;
use crate::finding::{PortPlace, Status};
use crate::policy::Severity;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::io::{self, Write};

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// Writes the report. Each issue needs a file: what was read from no line
/// stands at the device's name.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let files = Files::new(report);
    let mut json = serde_json::Serializer::pretty(&mut *out);
    let mut list = json.serialize_seq(None)?;
    for folded in fold(&report.findings) {
        if matches!(folded.first.status, Status::Fail | Status::Unknown) {
            list.serialize_element(&issue(&files, &folded))?;
        }
    }
    list.end()?;
    writeln!(out)
}

fn issue<'a>(files: &Files<'_>, folded: &Folded<'a>) -> Issue<'a> {
    let finding = folded.first;
    let at = files.best(finding);
    let severity = match (finding.status, finding.severity) {
        (Status::Unknown, _) => "minor",
        (_, Severity::Critical) => "blocker",
        (_, Severity::High) => "critical",
        (_, Severity::Medium) => "major",
        (_, Severity::Low) => "minor",
        (_, Severity::Info) => "info",
    };
    let (path, begin) = match at {
        Some(at) => (at.path, at.line),
        None => (finding.device.to_string(), 1),
    };
    let nowhere = PortPlace::default();
    Issue {
        description: format!(
            "{}: {}",
            whereabouts(folded, false),
            terminal(&finding.message)
        ),
        check_name: &finding.check,
        fingerprint: finding.fingerprint(finding.places.first().unwrap_or(&nowhere)),
        severity,
        location: Location {
            path,
            lines: Lines { begin },
        },
    }
}
