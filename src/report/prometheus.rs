//! Gauges for the textfile collector of node_exporter, which reads the classic
//! text format only and takes no timestamps.

use super::Style;
use crate::audit::{DeviceStatus, Outcome, Report, by_severity};
use crate::finding::Status;
use crate::model::Word;
use crate::policy::Severity;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the report. Every series is there in every run, zero included, so
/// that a graph has no holes.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut gauges = Gauges { out };
    gauges.head("info", "Version and policy of the last run.")?;
    let version = env!("CARGO_PKG_VERSION");
    let labels = [
        ("version", version),
        ("policy", &report.policy.name),
        ("policy_sha256", &report.policy.sha256),
    ];
    gauges.value("info", &labels, 1)?;
    gauges.head(
        "last_run_timestamp_seconds",
        "Start of the last run, Unix time.",
    )?;
    gauges.value(
        "last_run_timestamp_seconds",
        &[],
        report.started.as_second(),
    )?;
    gauges.head("verdict", "1 for what the last run says of the fabric.")?;
    for (name, verdict) in [
        ("clean", Outcome::Clean),
        ("findings", Outcome::Findings),
        ("unknown", Outcome::Unknown),
    ] {
        let holds = i64::from(verdict == style.verdict);
        gauges.value("verdict", &[("verdict", name)], holds)?;
    }
    gauges.head("devices", "Devices by how far they were audited.")?;
    for status in DeviceStatus::WORDS.iter().map(|(status, _)| *status) {
        let of = report.devices.iter().filter(|d| d.status == status);
        gauges.value("devices", &[("status", status.as_str())], count(of.count()))?;
    }
    gauges.head("ports", "Ports judged.")?;
    let ports = report.devices.iter().map(|device| device.ports).sum();
    gauges.value("ports", &[], count(ports))?;
    gauges.head("verdicts", "Verdicts by status.")?;
    let of = report.counts;
    for (status, n) in [
        ("pass", of.pass),
        ("fail", of.fail),
        ("unknown", of.unknown),
        ("skipped", of.skipped),
        ("waived", of.waived),
    ] {
        gauges.value("verdicts", &[("status", status)], count(n))?;
    }
    gauges.head("findings", "Failures by severity, one a port.")?;
    let counted = by_severity(&report.findings);
    for severity in severities() {
        let n = counted.get(&severity).copied().unwrap_or_default();
        let name = severity.to_string();
        gauges.value("findings", &[("severity", &name)], count(n))?;
    }
    by_check(report, &mut gauges)?;
    by_device(report, &mut gauges)
}

fn by_check(report: &Report, gauges: &mut Gauges<'_>) -> io::Result<()> {
    gauges.head("check_verdicts", "Failed and unknown verdicts by check.")?;
    let mut all: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for check in crate::check::registry() {
        all.insert(check.about().id, (0, 0));
    }
    for (check, counts) in report.by_check() {
        all.insert(check, (counts.fail, counts.unknown));
    }
    for (check, (fail, unknown)) in all {
        for (status, n) in [("fail", fail), ("unknown", unknown)] {
            let labels = [("check", check), ("status", status)];
            gauges.value("check_verdicts", &labels, count(n))?;
        }
    }
    Ok(())
}

fn by_device(report: &Report, gauges: &mut Gauges<'_>) -> io::Result<()> {
    let mut fails: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    for finding in report.findings.iter().filter(|f| f.status == Status::Fail) {
        let key = (&*finding.device, finding.severity);
        *fails.entry(key).or_default() += finding.places.len();
    }
    gauges.head("device_findings", "Failures by device and severity.")?;
    for device in &report.devices {
        for severity in severities() {
            let n = fails.get(&(&device.name, severity)).copied();
            let name = severity.to_string();
            let labels = [("device", &*device.name), ("severity", &name)];
            gauges.value("device_findings", &labels, count(n.unwrap_or_default()))?;
        }
    }
    gauges.head("device_audited", "1 where a device could be judged.")?;
    for device in &report.devices {
        let read = matches!(device.status, DeviceStatus::Audited | DeviceStatus::Partial);
        let labels = [
            ("device", &*device.name),
            ("platform", device.platform.unwrap_or_default()),
        ];
        gauges.value("device_audited", &labels, i64::from(read && !device.blind))?;
    }
    Ok(())
}

fn severities() -> impl Iterator<Item = Severity> {
    Severity::WORDS.iter().map(|(severity, _)| *severity)
}

/// Prometheus has no integers; a count above 2^53 can't arise.
fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

struct Gauges<'w> {
    out: &'w mut dyn Write,
}

impl Gauges<'_> {
    fn head(&mut self, name: &str, help: &str) -> io::Result<()> {
        writeln!(self.out, "# HELP roceaudit_{name} {help}")?;
        writeln!(self.out, "# TYPE roceaudit_{name} gauge")
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: i64) -> io::Result<()> {
        write!(self.out, "roceaudit_{name}")?;
        for (n, (label, text)) in labels.iter().enumerate() {
            let open = if n == 0 { "{" } else { "," };
            write!(self.out, "{open}{label}=\"{}\"", escaped(text))?;
        }
        let close = if labels.is_empty() { "" } else { "}" };
        writeln!(self.out, "{close} {value}")
    }
}

/// A label's value (Prometheus, "Exposition formats").
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
