//! JUnit XML: a suite a device, a case a check. Unknown is an error, since a
//! test that could not be carried out is none that passed. Information is no
//! failure; it stands in the output of its case.

use super::Style;
use super::escape::terminal;
use super::fold::ranges;
use crate::audit::{Counts, Report, Tally};
use crate::finding::{Finding, Status};
use crate::policy::Severity;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The suite of what is judged of no single device.
const FABRIC: &str = "fabric";

/// The findings of a device, by check.
type ByCheck<'r> = BTreeMap<&'r str, Vec<&'r Finding>>;

/// Writes the report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut of_device: BTreeMap<&str, ByCheck<'_>> = BTreeMap::new();
    for finding in &report.findings {
        let device = of_device.entry(&finding.device).or_default();
        device.entry(&finding.check).or_default().push(finding);
    }
    let mut all = quick_junit::Report::new("roceaudit");
    for device in &report.devices {
        let told = of_device.remove(&*device.name).unwrap_or_default();
        all.add_test_suite(suite(&device.name, &device.checks, &told));
    }
    // What is left is of the fabric and of the policy.
    let mut rest = ByCheck::new();
    for (check, findings) in of_device.into_values().flatten() {
        rest.entry(check).or_default().extend(findings);
    }
    let fabric = suite(FABRIC, &report.fabric, &rest);
    if !fabric.test_cases.is_empty() {
        all.add_test_suite(fabric);
    }
    all.serialize(&mut *out).map_err(io::Error::other)?;
    writeln!(out)
}

fn suite(name: &str, tally: &Tally, told: &ByCheck<'_>) -> TestSuite {
    let name = terminal(name);
    let mut suite = TestSuite::new(&*name);
    let nothing = Counts::default();
    let mut checks: Vec<&str> = tally.keys().map(|check| &**check).collect();
    checks.extend(told.keys());
    checks.sort_unstable();
    checks.dedup();
    for check in checks {
        let counts = tally.get(check).unwrap_or(&nothing);
        let findings = told.get(check).map(Vec::as_slice).unwrap_or_default();
        // A fault of the fabric is told of the device that it is at.
        let (Some(status), false) = (
            status(counts, findings),
            name == FABRIC && elsewhere(counts, findings),
        ) else {
            continue;
        };
        let mut case = TestCase::new(check, status);
        case.set_classname(&*name);
        if matches!(case.status, TestCaseStatus::Success { .. }) && !findings.is_empty() {
            case.set_system_out(described(findings));
        }
        suite.add_test_case(case);
    }
    suite
}

/// Failures of the fabric's checks are in the suites of their devices.
fn elsewhere(counts: &Counts, findings: &[&Finding]) -> bool {
    findings.is_empty() && counts.pass == 0 && counts.skipped == 0
}

/// None where nothing was judged.
fn status(counts: &Counts, findings: &[&Finding]) -> Option<TestCaseStatus> {
    let fails = |f: &Finding| f.status == Status::Fail && f.severity != Severity::Info;
    let of = |kind, told: Vec<&Finding>, word: Option<&str>| {
        let worst = told.first()?;
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(&*terminal(&worst.message));
        status.set_type(word.unwrap_or(worst.severity.as_str()));
        status.set_description(described(&told));
        Some(status)
    };
    let failed = findings.iter().copied().filter(|f| fails(f)).collect();
    let unknown = findings.iter().copied();
    let unknown = unknown.filter(|f| f.status == Status::Unknown).collect();
    of(NonSuccessKind::Failure, failed, None)
        .or_else(|| of(NonSuccessKind::Error, unknown, Some("unknown")))
        .or_else(|| {
            let judged = counts.pass + counts.waived > 0 || !findings.is_empty();
            judged.then(TestCaseStatus::success)
        })
        .or_else(|| {
            let mut status = TestCaseStatus::skipped();
            status.set_message("the source holds no such facts");
            (counts.skipped > 0).then_some(status)
        })
}

/// Findings in words, one a paragraph.
fn described(findings: &[&Finding]) -> String {
    let all = findings.iter().map(|finding| paragraph(finding));
    all.collect::<Vec<_>>().join("\n\n")
}

fn paragraph(finding: &Finding) -> String {
    let ports = finding.places.iter().filter_map(|p| p.port.as_deref());
    let ports: Vec<&str> = ports.collect();
    let mut text = String::new();
    if !ports.is_empty() {
        text.push_str(&format!("{}: ", ranges(&ports, usize::MAX)));
    }
    text.push_str(&terminal(&finding.message));
    for (word, value) in [("expected", &finding.expected), ("actual", &finding.actual)] {
        if let Some(value) = value {
            text.push_str(&format!("\n{word} {}", terminal(value)));
        }
    }
    let first = finding.places.first();
    for line in first.iter().flat_map(|place| &place.evidence) {
        text.push_str(&format!(
            "\nread {}:{} {}",
            terminal(&line.source),
            line.line,
            terminal(&line.text)
        ));
    }
    text
}
