//! The report as JSON (`roceaudit.report/v1`), written as a stream: a report of
//! a large fabric never stands in memory as a tree.

use super::Style;
use crate::audit::{Report, by_severity};
use crate::finding::{Finding, PortPlace};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::io::{self, Write};

/// Name and version of the schema.
pub const SCHEMA: &str = "roceaudit.report/v1";

/// Writes the report, indented, one finding a port.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Root(report))?;
    writeln!(out)
}

struct Root<'a>(&'a Report);
struct Findings<'a>(&'a Report);
struct One<'a> {
    report: &'a Report,
    finding: &'a Finding,
    place: &'a PortPlace,
}

impl Serialize for Root<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let counts = report.counts;
        let ports: usize = report.devices.iter().map(|device| device.ports).sum();
        let severities: serde_json::Map<String, serde_json::Value> = by_severity(&report.findings)
            .into_iter()
            .map(|(severity, count)| (severity.to_string(), count.into()))
            .collect();
        let devices: Vec<_> = report
            .devices
            .iter()
            .map(|device| {
                serde_json::json!({
                    "name": device.name,
                    "platform": device.platform,
                    "status": device.status.as_str(),
                })
            })
            .collect();
        let mut root = serializer.serialize_map(None)?;
        root.serialize_entry("schema", SCHEMA)?;
        root.serialize_entry(
            "tool",
            &serde_json::json!({"name": "roceaudit", "version": env!("CARGO_PKG_VERSION")}),
        )?;
        root.serialize_entry("started", &report.started.to_string())?;
        root.serialize_entry(
            "policy",
            &serde_json::json!({
                "name": report.policy.name,
                "source": report.policy.source,
                "sha256": report.policy.sha256,
            }),
        )?;
        root.serialize_entry(
            "summary",
            &serde_json::json!({
                "devices": report.devices.len(),
                "ports": ports,
                "checks": counts.total(),
                "pass": counts.pass,
                "fail": counts.fail,
                "unknown": counts.unknown,
                "skipped": counts.skipped,
                "waived": counts.waived,
                "by_severity": severities,
                "skipped_checks": report.skipped(),
            }),
        )?;
        root.serialize_entry("devices", &devices)?;
        root.serialize_entry("findings", &Findings(report))?;
        root.end()
    }
}

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for finding in &self.0.findings {
            for place in &finding.places {
                list.serialize_element(&One {
                    report: self.0,
                    finding,
                    place,
                })?;
            }
        }
        list.end()
    }
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (finding, place) = (self.finding, self.place);
        let evidence: Vec<_> = place
            .evidence
            .iter()
            .map(|e| serde_json::json!({"source": &*e.source, "line": e.line, "text": &*e.text}))
            .collect();
        let policy = finding.policy.is_known().then(|| {
            serde_json::json!({
                "source": self.report.policy.source,
                "line": finding.policy.line,
                "column": finding.policy.column,
            })
        });
        let mut one = serializer.serialize_map(None)?;
        one.serialize_entry("check", &finding.check)?;
        one.serialize_entry("status", finding.status.as_str())?;
        one.serialize_entry("severity", &finding.severity.to_string())?;
        one.serialize_entry("device", &*finding.device)?;
        one.serialize_entry("port", &place.port.as_deref())?;
        one.serialize_entry("peer", &place.peer.as_deref())?;
        one.serialize_entry("class", &finding.class)?;
        one.serialize_entry("message", &finding.message)?;
        one.serialize_entry("expected", &finding.expected)?;
        one.serialize_entry("actual", &finding.actual)?;
        one.serialize_entry("kind", finding.kind.as_str())?;
        one.serialize_entry("evidence", &evidence)?;
        one.serialize_entry("policy", &policy)?;
        one.serialize_entry("fix", &place.fix)?;
        one.serialize_entry("fingerprint", &finding.fingerprint(place))?;
        if let Some(waiver) = &finding.waiver {
            one.serialize_entry("waiver", waiver)?;
        }
        one.end()
    }
}
