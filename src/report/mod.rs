//! Reports: one file a format, one line each in [`formats`]. Each is a
//! function from a report to a writer, and escapes what devices say for its
//! readers: device text can hold anything.

pub mod csv;
pub mod diff;
pub mod escape;
pub mod fix;
pub mod fold;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod place;
pub mod prometheus;
pub mod sarif;
pub mod summary;
pub mod text;
pub mod trace;

use crate::audit::{Outcome, Report};
use std::io::{self, Write};

/// A format of reports.
#[derive(Debug)]
pub struct Format {
    /// As `--format` and `--report` name it.
    pub name: &'static str,
    /// Who reads it.
    pub about: &'static str,
    /// Whether it wants evidence and remedy of each port, not only of the
    /// first of a finding.
    pub each_port: bool,
    /// Writes a report.
    pub write: fn(&Report, &Style, &mut dyn Write) -> io::Result<()>,
}

/// How to write a report.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Nothing but the summary line.
    pub quiet: bool,
    /// All evidence, all ports, remarks.
    pub verbose: bool,
    /// What the report says of the fabric: the summary's first words.
    pub verdict: Outcome,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            width: 80,
            quiet: false,
            verbose: false,
            verdict: Outcome::Unknown,
        }
    }
}

/// All formats.
pub fn formats() -> &'static [Format] {
    const FORMATS: &[Format] = &[
        format("text", "people, in a terminal", false, text::write),
        format("json", "programs; roceaudit.report/v1", true, json::write),
        format("sarif", "code scanning; SARIF 2.1.0", false, sarif::write),
        format("junit", "test dashboards; JUnit XML", false, junit::write),
        format("markdown", "tickets and comments", false, markdown::write),
        format("html", "people, in a browser", false, html::write),
        format("github", "annotations of GitHub", false, github::write),
        format("gitlab", "GitLab's code quality", false, gitlab::write),
        format(
            "prometheus",
            "a textfile of gauges",
            false,
            prometheus::write,
        ),
        format("csv", "spreadsheets", true, csv::write),
        format("fix", "commands to review and paste", true, fix::write),
    ];
    FORMATS
}

/// The format with this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    formats().iter().find(|format| format.name == name)
}

const fn format(
    name: &'static str,
    about: &'static str,
    each_port: bool,
    write: fn(&Report, &Style, &mut dyn Write) -> io::Result<()>,
) -> Format {
    Format {
        name,
        about,
        each_port,
        write,
    }
}
