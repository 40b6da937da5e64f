//! One self-contained HTML page: readable without JavaScript, with which it
//! filters; light and dark as the reader's system is.

use super::escape::terminal;
use super::fold::{Folded, fold, whereabouts};
use super::{Style, summary};
use crate::audit::{DeviceStatus, Outcome, Report};
use crate::check;
use crate::finding::Status;
use askama::Template;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Entries with all their details; a page of more is of no use to anybody.
const MOST_ENTRIES: usize = 5_000;
/// Rows of the matrix.
const MOST_ROWS: usize = 1_000;
/// Lines, and commands, of one entry.
const MOST_LINES: usize = 12;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    headline: &'static str,
    /// Of the headline: `clean`, `findings` or `unknown`.
    verdict: &'static str,
    counts: String,
    started: String,
    version: &'static str,
    policy: &'r str,
    policy_sha256: &'r str,
    columns: Vec<&'r str>,
    rows: Vec<Row<'r>>,
    rows_left_out: usize,
    entries: Vec<Entry<'r>>,
    left_out: usize,
    skipped: Vec<&'r str>,
    remarks: Vec<(String, String)>,
}

/// A device of the matrix.
struct Row<'r> {
    device: String,
    platform: &'r str,
    status: &'static str,
    cells: Vec<Cell>,
}

/// A device under a check.
#[derive(Clone, Copy)]
struct Cell {
    word: &'static str,
    sign: &'static str,
}

const NOTHING: Cell = Cell {
    word: "none",
    sign: "",
};
const SKIPPED: Cell = Cell {
    word: "skipped",
    sign: "·",
};
const PASSES: Cell = Cell {
    word: "pass",
    sign: "✓",
};
const WAIVED: Cell = Cell {
    word: "waived",
    sign: "w",
};
const INFORMATION: Cell = Cell {
    word: "info",
    sign: "i",
};
const UNKNOWN: Cell = Cell {
    word: "unknown",
    sign: "?",
};
const FAILS: Cell = Cell {
    word: "fail",
    sign: "✗",
};

struct Entry<'r> {
    word: &'static str,
    check: &'r str,
    title: &'static str,
    class: Option<&'r str>,
    at: String,
    message: String,
    expected: Option<String>,
    actual: Option<String>,
    lines: Vec<(String, String)>,
    asked: Option<String>,
    fixes: Vec<String>,
    waiver: Option<String>,
}

/// Writes the page.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let folded = fold(&report.findings);
    let told = || folded.iter().filter(|f| f.first.status != Status::Pass);
    let columns = columns(report);
    let ill: Vec<_> = report.devices.iter().collect();
    let page = Page {
        headline: summary::headline(report, style.verdict),
        verdict: match style.verdict {
            Outcome::Clean => "clean",
            Outcome::Findings => "findings",
            Outcome::Unknown => "unknown",
        },
        counts: summary::counts(report),
        started: report.started.to_string(),
        version: env!("CARGO_PKG_VERSION"),
        policy: &report.policy.source,
        policy_sha256: &report.policy.sha256,
        rows: rows(report, &columns),
        rows_left_out: ill.len().saturating_sub(MOST_ROWS),
        columns,
        entries: told()
            .take(MOST_ENTRIES)
            .map(|f| entry(report, f))
            .collect(),
        left_out: told().count().saturating_sub(MOST_ENTRIES),
        skipped: report.skipped().into_keys().collect(),
        remarks: remarks(report),
    };
    page.write_into(out)
}

/// The checks of which not all is well, in the order of the registry.
fn columns(report: &Report) -> Vec<&str> {
    let told = report.findings.iter().filter(|f| f.status != Status::Pass);
    let told: BTreeSet<&str> = told.map(|finding| &*finding.check).collect();
    let known = check::registry().iter().map(|check| check.about().id);
    let mut columns: Vec<&str> = known.filter(|id| told.contains(id)).collect();
    columns.extend(told.into_iter().filter(|id| check::by_id(id).is_none()));
    columns
}

/// Devices with the most failures first.
fn rows<'r>(report: &'r Report, columns: &[&str]) -> Vec<Row<'r>> {
    let mut cells: BTreeMap<(&str, &str), Cell> = BTreeMap::new();
    let mut fails: BTreeMap<&str, usize> = BTreeMap::new();
    // Worst first, so what comes first stays.
    for finding in &report.findings {
        let cell = match (finding.status, finding.severity) {
            (Status::Fail, crate::policy::Severity::Info) => INFORMATION,
            (Status::Fail, _) => FAILS,
            (Status::Unknown, _) => UNKNOWN,
            (Status::Waived, _) => WAIVED,
            (Status::Pass, _) => continue,
        };
        if cell.word == FAILS.word {
            *fails.entry(&finding.device).or_default() += 1;
        }
        let key = (&*finding.device, &*finding.check);
        cells.entry(key).or_insert(cell);
    }
    let mut devices: Vec<_> = report.devices.iter().collect();
    devices.sort_by_key(|device| std::cmp::Reverse(fails.get(&*device.name).copied()));
    let row = |device: &&'r crate::audit::DeviceEntry| Row {
        device: terminal(&device.name).into_owned(),
        platform: device.platform.unwrap_or("unknown platform"),
        status: match device.status {
            DeviceStatus::Audited => "",
            status => status.as_str(),
        },
        cells: columns
            .iter()
            .map(|check| {
                let told = cells.get(&(&*device.name, *check)).copied();
                told.unwrap_or_else(|| match device.checks.get(*check) {
                    Some(counts) if counts.pass > 0 => PASSES,
                    Some(counts) if counts.skipped > 0 => SKIPPED,
                    _ => NOTHING,
                })
            })
            .collect(),
    };
    devices.iter().take(MOST_ROWS).map(row).collect()
}

fn entry<'r>(report: &Report, folded: &Folded<'r>) -> Entry<'r> {
    let finding = folded.first;
    let about = check::by_id(&finding.check).map(|check| check.about());
    let places = || folded.all.iter().flat_map(|finding| &finding.places);
    let mut lines: Vec<(String, String)> = Vec::new();
    for line in places().flat_map(|place| &place.evidence) {
        let at = format!("{}:{}", terminal(&line.source), line.line);
        if lines.len() < MOST_LINES && !lines.iter().any(|(other, _)| *other == at) {
            lines.push((at, terminal(&line.text).into_owned()));
        }
    }
    let mut fixes: Vec<String> = Vec::new();
    for command in places().flat_map(|place| &place.fix) {
        let command = terminal(command);
        if fixes.len() < MOST_LINES && !fixes.iter().any(|other| *other == command) {
            fixes.push(command.into_owned());
        }
    }
    let shown = |text: &Option<String>| text.as_deref().map(|t| terminal(t).into_owned());
    Entry {
        word: match finding.status {
            Status::Fail => finding.severity.as_str(),
            status => status.as_str(),
        },
        check: &finding.check,
        title: about.map_or("", |about| about.title),
        class: finding.class.as_deref(),
        at: whereabouts(folded, false),
        message: terminal(&finding.message).into_owned(),
        expected: shown(&finding.expected),
        actual: shown(&finding.actual),
        lines,
        asked: finding.policy.is_known().then(|| {
            format!(
                "{}:{}",
                terminal(&report.policy.source),
                finding.policy.line
            )
        }),
        fixes,
        waiver: shown(&finding.waiver),
    }
}

fn remarks(report: &Report) -> Vec<(String, String)> {
    let all = report.devices.iter().flat_map(|device| {
        let name = terminal(&device.name).into_owned();
        let told = device.remarks.iter();
        told.map(move |remark| (name.clone(), terminal(remark).into_owned()))
    });
    all.take(MOST_ROWS).collect()
}
