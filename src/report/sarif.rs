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
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What GitHub takes of one run (GitHub, "SARIF support for code scanning").
const MOST_RESULTS: usize = 25_000;
/// Ports named in one result.
const MOST_PORTS: usize = 100;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the report, as a stream. What is above GitHub's limit is left out,
/// the least severe first, and a notification says so.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rules = Rules::of(report);
    let told = &report.findings[..report.findings.len().min(MOST_RESULTS)];
    let mut notifications = vec![Notification::new(
        "note",
        format!(
            "{}: {}",
            summary::headline(report, style.verdict),
            summary::counts(report)
        ),
    )];
    let left_out = report.findings.len() - told.len();
    if left_out > 0 {
        notifications.push(Notification::new(
            "warning",
            format!("{left_out} findings are left out, the least severe; the JSON report has all"),
        ));
    }
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "roceaudit",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules: rules.list,
                },
            },
            invocations: [Invocation {
                execution_successful: true,
                start_time_utc: report.started.to_string(),
                tool_execution_notifications: notifications,
            }],
            column_kind: "unicodeCodePoints",
            results: Results {
                report,
                told,
                index: &rules.index,
                files: Files::new(report),
            },
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

impl Notification {
    fn new(level: &'static str, text: String) -> Self {
        let message = Message { text };
        Notification { level, message }
    }
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.told.iter().map(|finding| self.result(finding)))
    }
}

/// The rules that some finding names.
struct Rules<'r> {
    list: Vec<Rule<'r>>,
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

fn rule(finding: &Finding) -> Rule<'_> {
    let id = &*finding.check;
    let about = check::by_id(id).map(|check| check.about());
    let title = about.map_or("a condition that the policy states", |about| about.title);
    let explain = about.map_or(title, |about| about.explain);
    let severity = about.map_or(finding.severity, |about| about.severity);
    Rule {
        id,
        short_description: Message::new(title),
        full_description: Message::new(explain),
        help: Help {
            text: format!("{explain}\n\nMore by: roceaudit explain {id}"),
            markdown: format!("{explain}\n\nMore by: `roceaudit explain {id}`"),
        },
        default_configuration: Configuration {
            level: level(severity),
        },
        properties: Tags {
            tags: [id.split('/').next().unwrap_or(id)],
        },
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}

impl Results<'_> {
    fn result<'r>(&'r self, finding: &'r Finding) -> ResultOf<'r> {
        let (kind, level) = match finding.status {
            Status::Fail | Status::Waived => ("fail", level(finding.severity)),
            Status::Unknown => ("open", "none"),
            Status::Pass => ("pass", "none"),
        };
        let first = finding.places.first();
        let nowhere = PortPlace::default();
        ResultOf {
            rule_id: &finding.check,
            rule_index: self.index.get(&*finding.check).copied(),
            kind,
            level,
            message: Message {
                text: sentence(finding),
            },
            locations: [self.location(finding)],
            related_locations: self.related(finding),
            partial_fingerprints: Fingerprints {
                own: finding.fingerprint(first.unwrap_or(&nowhere)),
            },
            suppressions: finding.waiver.as_deref().map(|justification| {
                [Suppression {
                    kind: "external",
                    justification,
                }]
            }),
            properties: Properties {
                severity: finding.severity.as_str(),
                device: &finding.device,
                class: finding.class.as_deref(),
                expected: finding.expected.as_deref(),
                actual: finding.actual.as_deref(),
            },
        }
    }

    /// The best line, and the ports as logical locations.
    fn location<'r>(&'r self, finding: &'r Finding) -> Location<'r> {
        let lines = finding.places.first().map(|place| &place.evidence);
        let text = lines.and_then(|lines| Some(&*lines.first()?.text));
        let at = self.files.best(finding);
        let named = finding.places.iter().take(MOST_PORTS).map(|place| {
            let port = place.port.as_deref();
            LogicalLocation {
                name: port.unwrap_or(&finding.device),
                fully_qualified_name: match port {
                    Some(port) => format!("{}/{port}", finding.device),
                    None => finding.device.to_string(),
                },
                kind: "resource",
            }
        });
        Location {
            logical_locations: named.collect(),
            physical_location: at.map(|at| physical(&at, text)),
            message: None,
        }
    }

    /// The other lines that were read, and the policy's.
    fn related<'r>(&'r self, finding: &'r Finding) -> Vec<Location<'r>> {
        let lines = finding.places.first().map(|place| &place.evidence);
        let rest = lines.into_iter().flatten().skip(1);
        let mut related: Vec<Location<'_>> = rest
            .filter_map(|line| {
                let at = self.files.of(finding, line)?;
                Some(Location::of(physical(&at, Some(&line.text)), None))
            })
            .collect();
        if finding.policy.is_known() && !self.report.policy.source.starts_with("builtin:") {
            let at = self.files.policy_line(finding.policy.line);
            let message = Message::new("the policy asks for it here");
            related.push(Location::of(physical(&at, None), Some(message)));
        }
        related
    }
}

fn sentence(finding: &Finding) -> String {
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

fn physical<'r>(at: &FileLine, text: Option<&'r str>) -> PhysicalLocation<'r> {
    let path = encoded(&at.path);
    PhysicalLocation {
        artifact_location: match path.starts_with('/') {
            true => ArtifactLocation {
                uri: format!("file://{path}"),
                uri_base_id: None,
            },
            false => ArtifactLocation {
                uri: path,
                uri_base_id: Some("%SRCROOT%"),
            },
        },
        region: Region {
            start_line: at.line,
            snippet: text.map(Message::new),
        },
    }
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

// The objects of SARIF 2.1.0, as far as they are written.

#[derive(Serialize)]
struct Log<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'r>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r> {
    tool: Tool<'r>,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Results<'r>,
}

#[derive(Serialize)]
struct Tool<'r> {
    driver: Driver<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'r> {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'r> {
    id: &'r str,
    short_description: Message<&'static str>,
    full_description: Message<&'static str>,
    help: Help,
    default_configuration: Configuration,
    properties: Tags<'r>,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Tags<'r> {
    tags: [&'r str; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    start_time_utc: String,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message<String>,
}

#[derive(Serialize)]
struct Message<T> {
    text: T,
}

impl<T> Message<T> {
    fn new(text: T) -> Self {
        Message { text }
    }
}

/// The findings that are told, made into results one by one.
struct Results<'r> {
    report: &'r Report,
    told: &'r [Finding],
    index: &'r BTreeMap<&'r str, usize>,
    files: Files<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultOf<'r> {
    rule_id: &'r str,
    rule_index: Option<usize>,
    kind: &'static str,
    level: &'static str,
    message: Message<String>,
    locations: [Location<'r>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'r>>,
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<[Suppression<'r>; 1]>,
    properties: Properties<'r>,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "roceaudit/v1")]
    own: String,
}

#[derive(Serialize)]
struct Suppression<'r> {
    kind: &'static str,
    justification: &'r str,
}

#[derive(Serialize)]
struct Properties<'r> {
    severity: &'static str,
    device: &'r str,
    class: Option<&'r str>,
    expected: Option<&'r str>,
    actual: Option<&'r str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<&'static str>>,
}

impl<'r> Location<'r> {
    fn of(physical: PhysicalLocation<'r>, message: Option<Message<&'static str>>) -> Self {
        Location {
            physical_location: Some(physical),
            logical_locations: Vec::new(),
            message,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'r> {
    name: &'r str,
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation<'r> {
    artifact_location: ArtifactLocation,
    region: Region<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region<'r> {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Message<&'r str>>,
}
