//! The first line of every report that people read: the verdict, and how much
//! of what was judged.

use super::escape::terminal;
use crate::audit::{DeviceStatus, Outcome, Report, by_severity};

/// What the report says of the fabric, in capitals.
pub fn headline(report: &Report, verdict: Outcome) -> &'static str {
    match verdict {
        // Of a part, or of a policy without lossless classes, no more can be said.
        Outcome::Clean if report.partial => "AS DECLARED IN THIS PART",
        Outcome::Clean if !report.lossless => "AS DECLARED",
        Outcome::Clean => "LOSSLESS AS DECLARED",
        Outcome::Findings => "NOT AS DECLARED",
        Outcome::Unknown => "UNKNOWN",
    }
}

/// `2 critical, 1 unknown; 8 devices (1 not judged), 16 ports, policy NAME`,
/// harmless to a terminal.
pub fn counts(report: &Report) -> String {
    let severities = by_severity(&report.findings);
    let mut parts: Vec<String> = severities
        .iter()
        .map(|(severity, count)| format!("{count} {severity}"))
        .collect();
    if parts.is_empty() {
        parts.push("no findings".to_owned());
    }
    let of = report.counts;
    for (count, what) in [
        (of.unknown, "unknown"),
        (of.waived, "waived"),
        (of.skipped, "skipped"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    let ports: usize = report.devices.iter().map(|device| device.ports).sum();
    let unread = report
        .devices
        .iter()
        .filter(|d| d.blind || !matches!(d.status, DeviceStatus::Audited | DeviceStatus::Partial))
        .count();
    let mut devices = plural(report.devices.len(), "device");
    if unread > 0 {
        devices.push_str(&format!(" ({unread} not judged)"));
    }
    format!(
        "{}; {devices}, {}, policy {}",
        parts.join(", "),
        plural(ports, "port"),
        terminal(&report.policy.name)
    )
}

/// `1 port`, `2 ports`.
pub fn plural(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}
