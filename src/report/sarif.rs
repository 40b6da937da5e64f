//! SARIF 2.1.0 for code scanning: one result a finding of a device, at the
//! line that was read, with the ports as logical locations.
//!
//! Unknown is `kind: open` (SARIF 2.1.0, 3.27.9: "insufficient information to
//! decide"), waived is suppressed, and every other failure is `kind: fail`.

use super::escape::terminal;
use super::fold::ranges;
use super::place::{FileLine, Files};
use super::{Style, summary};
use crate::audit::Report;
use crate::check;
use crate::finding::{Finding, PortPlace, Status};
use crate::policy::Severity;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What GitHub takes of one run (GitHub, "SARIF support for code scanning").
const MOST_RESULTS: usize = 25_000;
/// Ports named in one result.
const MOST_PORTS: usize = 100;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the report. What is above GitHub's limit is left out, the least
/// severe first, and a notification says so.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rules = Rules::of(report);
    let files = Files::new(report);
    let told = report.findings.iter().take(MOST_RESULTS);
    let results: Vec<Value> = told
        .map(|finding| result(report, finding, &rules, &files))
        .collect();
    let mut notes = vec![note(
        "note",
        format!(
            "{}: {}",
            summary::headline(report, style.verdict),
            summary::counts(report)
        ),
    )];
    let left_out = report.findings.len() - results.len();
    if left_out > 0 {
        notes.push(note(
            "warning",
            format!("{left_out} findings are left out, the least severe; the JSON report has all"),
        ));
    }
    let sarif = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "roceaudit",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.list,
            }},
            "invocations": [{
                "executionSuccessful": true,
                "startTimeUtc": report.started.to_string(),
                "toolExecutionNotifications": notes,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &sarif)?;
    writeln!(out)
}

fn note(level: &str, text: String) -> Value {
    json!({"level": level, "message": {"text": text}})
}

/// The rules that some finding names.
struct Rules<'r> {
    list: Vec<Value>,
    index: BTreeMap<&'r str, usize>,
}

impl<'r> Rules<'r> {
    fn of(report: &'r Report) -> Self {
        let mut rules = Rules {
            list: Vec::new(),
            index: BTreeMap::new(),
        };
        for finding in &report.findings {
            if !rules.index.contains_key(&*finding.check) {
                rules.index.insert(&finding.check, rules.list.len());
                rules.list.push(rule(finding));
            }
        }
        rules
    }
}

fn rule(finding: &Finding) -> Value {
    let id = &*finding.check;
    let about = check::by_id(id).map(|check| check.about());
    let title = about.map_or("a condition that the policy states", |about| about.title);
    let explain = about.map_or(title, |about| about.explain);
    let severity = about.map_or(finding.severity, |about| about.severity);
    json!({
        "id": id,
        "shortDescription": {"text": title},
        "fullDescription": {"text": explain},
        "help": {
            "text": format!("{explain}\n\nMore by: roceaudit explain {id}"),
            "markdown": format!("{explain}\n\nMore by: `roceaudit explain {id}`"),
        },
        "defaultConfiguration": {"level": level(severity)},
        "properties": {"tags": [id.split('/').next().unwrap_or(id)]},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}

fn result(report: &Report, finding: &Finding, rules: &Rules<'_>, files: &Files<'_>) -> Value {
    let (kind, level) = match finding.status {
        Status::Fail | Status::Waived => ("fail", level(finding.severity)),
        Status::Unknown => ("open", "none"),
        Status::Pass => ("pass", "none"),
    };
    let nowhere = PortPlace::default();
    let first = finding.places.first().unwrap_or(&nowhere);
    let mut result = json!({
        "ruleId": finding.check,
        "ruleIndex": rules.index.get(&*finding.check),
        "kind": kind,
        "level": level,
        "message": {"text": message(finding)},
        "locations": [location(finding, first, files)],
        "partialFingerprints": {"roceaudit/v1": finding.fingerprint(first)},
        "properties": {
            "severity": finding.severity.as_str(),
            "device": &*finding.device,
            "class": finding.class,
            "expected": finding.expected,
            "actual": finding.actual,
        },
    });
    let rest = first.evidence.iter().skip(1);
    let mut related: Vec<Value> = rest
        .filter_map(|line| Some(physical(&files.of(finding, line)?, Some(&line.text))))
        .map(|physical| json!({"physicalLocation": physical}))
        .collect();
    if finding.policy.is_known() && !report.policy.source.starts_with("builtin:") {
        let at = files.policy_line(finding.policy.line);
        related.push(json!({
            "physicalLocation": physical(&at, None),
            "message": {"text": "the policy asks for it here"},
        }));
    }
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if let Some(waiver) = &finding.waiver {
        result["suppressions"] = json!([{"kind": "external", "justification": waiver}]);
    }
    result
}

fn message(finding: &Finding) -> String {
    let ports: Vec<&str> = finding
        .places
        .iter()
        .filter_map(|p| p.port.as_deref())
        .collect();
    let mut text = terminal(&finding.device).into_owned();
    if !ports.is_empty() {
        text.push_str(&format!(" {}", ranges(&ports, 6)));
    }
    text.push_str(&format!(": {}", terminal(&finding.message)));
    if let Some(expected) = &finding.expected {
        text.push_str(&format!(" (expected {}", terminal(expected)));
        if let Some(actual) = &finding.actual {
            text.push_str(&format!(", actual {}", terminal(actual)));
        }
        text.push(')');
    }
    text
}

fn location(finding: &Finding, first: &PortPlace, files: &Files<'_>) -> Value {
    let named = finding.places.iter().take(MOST_PORTS).map(|place| {
        let port = place.port.as_deref();
        let full = match port {
            Some(port) => format!("{}/{port}", finding.device),
            None => finding.device.to_string(),
        };
        json!({
            "name": port.unwrap_or(&finding.device),
            "fullyQualifiedName": full,
            "kind": "resource",
        })
    });
    let mut location = json!({"logicalLocations": named.collect::<Vec<_>>()});
    if let Some(at) = files.best(finding) {
        let text = first.evidence.first().map(|line| &*line.text);
        location["physicalLocation"] = physical(&at, text);
    }
    location
}

fn physical(at: &FileLine, text: Option<&str>) -> Value {
    let mut region = json!({"startLine": at.line});
    if let Some(text) = text {
        region["snippet"] = json!({"text": text});
    }
    let artifact = match at.path.starts_with('/') {
        true => json!({"uri": format!("file://{}", encoded(&at.path))}),
        false => json!({"uri": encoded(&at.path), "uriBaseId": "%SRCROOT%"}),
    };
    json!({"artifactLocation": artifact, "region": region})
}

/// A path as a URI.
fn encoded(path: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    utf8_percent_encode(path, KEPT).to_string()
}
