//! Commands to review and paste, by device. Nothing here was run.

use super::escape::terminal;
use super::fold::ranges;
use super::{Style, summary};
use crate::audit::Report;
use crate::finding::{Finding, Status};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

/// What changes of an area do to traffic, by the beginning of the check.
const INTERRUPTS: [(&str, &str); 6] = [
    (
        "mtu/",
        "a new MTU takes the port down for a moment on many devices",
    ),
    (
        "pfc/",
        "a change of PFC can drop what is queued on the port",
    ),
    (
        "buffer/",
        "new buffer sizes can drop what is queued on the port",
    ),
    (
        "map/",
        "packets change queues while a map changes, and can be reordered or lost",
    ),
    (
        "trust/",
        "packets change queues while trust changes, and can be reordered or lost",
    ),
    (
        "nic/pending",
        "a reset or reboot of the host interrupts its jobs",
    ),
];

/// Writes the report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# roceaudit: {}: {}\n# Commands to review and paste. None was run. Lines with # are comments.",
        summary::headline(report, style.verdict),
        summary::counts(report)
    )?;
    let mut of_device: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    let mut without = 0;
    for finding in report.findings.iter().filter(|f| f.status == Status::Fail) {
        match finding.places.iter().any(|place| !place.fix.is_empty()) {
            true => of_device.entry(&finding.device).or_default().push(finding),
            false => without += 1,
        }
    }
    for (device, findings) in &of_device {
        let entry = report.devices.iter().find(|entry| entry.name == *device);
        let platform = entry.and_then(|entry| entry.platform).unwrap_or("unknown");
        writeln!(out, "\n# ==== {} ({platform})", terminal(device))?;
        let mut written: HashSet<&str> = HashSet::new();
        for finding in findings {
            write_one(finding, &mut written, out)?;
        }
    }
    if without > 0 {
        writeln!(
            out,
            "\n# {}: see the text report.",
            summary::plural(without, "finding") + " without a command"
        )?;
    }
    Ok(())
}

fn write_one<'r>(
    finding: &'r Finding,
    written: &mut HashSet<&'r str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ports = finding.places.iter().filter_map(|p| p.port.as_deref());
    let ports: Vec<&str> = ports.collect();
    write!(
        out,
        "\n# {} {}: ",
        finding.severity,
        terminal(&finding.check)
    )?;
    if !ports.is_empty() {
        write!(out, "{}: ", ranges(&ports, 6))?;
    }
    writeln!(out, "{}", terminal(&finding.message))?;
    let warning = INTERRUPTS
        .iter()
        .find(|(area, _)| finding.check.starts_with(area));
    if let Some((_, warning)) = warning {
        writeln!(out, "# caution: {warning}")?;
    }
    // A command that stands for many ports, or many findings, is told once.
    let mut new = 0;
    for command in finding.places.iter().flat_map(|place| &place.fix) {
        if written.insert(command) {
            writeln!(out, "{}", terminal(command))?;
            new += 1;
        }
    }
    match new {
        0 => writeln!(out, "# the same commands as above"),
        _ => Ok(()),
    }
}
