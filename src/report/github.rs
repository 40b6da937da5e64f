//! Workflow commands of GitHub Actions: one annotation a line of a file, with
//! all that is wrong there, then the summary.

use super::escape::terminal;
use super::fold::{Folded, fold, whereabouts};
use super::place::{FileLine, Files};
use super::{Style, summary};
use crate::audit::Report;
use crate::finding::Status;
use crate::policy::Severity;
use std::collections::HashMap;
use std::io::{self, Write};

/// What is said at one line.
struct Annotation<'a> {
    at: Option<FileLine>,
    /// Worst first.
    told: Vec<Folded<'a>>,
}

/// Writes the report. GitHub shows at most ten errors and ten warnings of a
/// step, so the worst come first.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let files = Files::new(report);
    let mut list: Vec<Annotation<'_>> = Vec::new();
    let mut index: HashMap<FileLine, usize> = HashMap::new();
    for folded in fold(&report.findings) {
        if !matches!(folded.first.status, Status::Fail | Status::Unknown) {
            continue;
        }
        let at = files.best(folded.first);
        match at.as_ref().and_then(|at| index.get(at)) {
            Some(n) => list[*n].told.push(folded),
            None => {
                if let Some(at) = &at {
                    index.insert(at.clone(), list.len());
                }
                let told = vec![folded];
                list.push(Annotation { at, told });
            }
        }
    }
    for annotation in &list {
        write_one(annotation, out)?;
    }
    writeln!(
        out,
        "roceaudit: {}: {}",
        summary::headline(report, style.verdict),
        summary::counts(report)
    )
}

fn write_one(annotation: &Annotation<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(worst) = annotation.told.first() else {
        return Ok(());
    };
    let level = match (worst.first.status, worst.first.severity) {
        (Status::Unknown, _) | (_, Severity::Medium) => "warning",
        (_, Severity::Critical | Severity::High) => "error",
        (_, Severity::Low | Severity::Info) => "notice",
    };
    write!(out, "::{level} ")?;
    if let Some(at) = &annotation.at {
        write!(out, "file={},line={},", property(&at.path), at.line)?;
    }
    write!(out, "title={}::", property(&worst.first.check))?;
    let sentences = annotation.told.iter().map(sentence);
    writeln!(out, "{}", data(&sentences.collect::<Vec<_>>().join("\n")))
}

fn sentence(folded: &Folded<'_>) -> String {
    let finding = folded.first;
    let mut text = format!(
        "{}: {}: {}",
        terminal(&finding.check),
        whereabouts(folded, false),
        terminal(&finding.message)
    );
    if let Some(expected) = &finding.expected {
        text.push_str(&format!(" (expected {}", terminal(expected)));
        if let Some(actual) = &finding.actual {
            text.push_str(&format!(", actual {}", terminal(actual)));
        }
        text.push(')');
    }
    text
}

/// The text of a command: a line end would end it, and what follows could be
/// a command of its own.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
