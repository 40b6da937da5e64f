//! Comma-separated values, one finding a port, for spreadsheets.

use super::Style;
use super::escape::terminal;
use crate::audit::Report;
use std::io::{self, Write};

/// The columns, in their order.
const COLUMNS: [&str; 18] = [
    "check",
    "status",
    "severity",
    "device",
    "port",
    "peer",
    "class",
    "message",
    "expected",
    "actual",
    "kind",
    "source",
    "line",
    "text",
    "policy",
    "policy_line",
    "fix",
    "fingerprint",
];

/// Writes the report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = ::csv::Writer::from_writer(out);
    table.write_record(COLUMNS)?;
    for finding in &report.findings {
        for place in &finding.places {
            let evidence = place.evidence.first();
            let line = evidence.map_or(String::new(), |e| e.line.to_string());
            let asked = finding.policy.is_known();
            let policy = if asked { &*report.policy.source } else { "" };
            let policy_line = if asked {
                finding.policy.line.to_string()
            } else {
                String::new()
            };
            let fix = place.fix.join("; ");
            let fingerprint = finding.fingerprint(place);
            let severity = finding.severity.to_string();
            let fields = [
                &*finding.check,
                finding.status.as_str(),
                &severity,
                &finding.device,
                place.port.as_deref().unwrap_or_default(),
                place.peer.as_deref().unwrap_or_default(),
                finding.class.as_deref().unwrap_or_default(),
                &finding.message,
                finding.expected.as_deref().unwrap_or_default(),
                finding.actual.as_deref().unwrap_or_default(),
                finding.kind.as_str(),
                evidence.map_or("", |e| &e.source),
                &line,
                evidence.map_or("", |e| &e.text),
                policy,
                &policy_line,
                &fix,
                &fingerprint,
            ];
            for field in fields {
                let field = terminal(field);
                match is_formula(&field) {
                    true => table.write_field(format!("'{field}"))?,
                    false => table.write_field(&*field)?,
                }
            }
            table.write_record(None::<&[u8]>)?;
        }
    }
    table.flush()
}

/// Whether a spreadsheet would run the field; an apostrophe before it makes it
/// text (OWASP, "CSV Injection").
fn is_formula(field: &str) -> bool {
    // A dash alone is how captures without a port are called.
    field.len() > 1 && field.starts_with(['=', '+', '-', '@', '\t', '\r'])
}
