//! Markdown for a ticket or a comment on a pull request: a table of what was
//! found, then the details of each, folded away.

use super::escape::terminal;
use super::fold::{Folded, fold, whereabouts};
use super::{Style, summary};
use crate::audit::Report;
use crate::finding::Status;
use std::io::{self, Write};

/// Bytes that a report may have: GitHub takes 65,536 characters of a comment.
const LONGEST: usize = 60_000;

/// Writes the report. What does not fit in a comment is counted.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut text = format!(
        "### roceaudit: {}\n\n{}\n",
        summary::headline(report, style.verdict),
        plain(&summary::counts(report))
    );
    let folded = fold(&report.findings);
    let told: Vec<&Folded<'_>> = folded
        .iter()
        .filter(|f| f.first.status != Status::Pass)
        .collect();
    if !told.is_empty() {
        text.push_str("\n| severity | check | where | what |\n|---|---|---|---|\n");
        let fit = fitting(&mut text, LONGEST / 2, &told, row);
        left_out(&mut text, told.len() - fit);
        text.push_str("\n<details><summary>Expected, actual, and where it was read</summary>\n");
        let fit = fitting(&mut text, LONGEST, &told, |folded| details(report, folded));
        left_out(&mut text, told.len() - fit);
        text.push_str("\n</details>\n");
    }
    out.write_all(text.as_bytes())
}

/// Adds entries while they fit; gives how many did.
fn fitting(
    text: &mut String,
    longest: usize,
    told: &[&Folded<'_>],
    entry: impl Fn(&Folded<'_>) -> String,
) -> usize {
    for (n, folded) in told.iter().enumerate() {
        let entry = entry(folded);
        if text.len() + entry.len() > longest {
            return n;
        }
        text.push_str(&entry);
    }
    told.len()
}

fn left_out(text: &mut String, count: usize) {
    if count > 0 {
        let what = match count {
            1 => "entry does",
            _ => "entries do",
        };
        text.push_str(&format!(
            "\n{count} more {what} not fit here; the HTML and JSON reports have all.\n"
        ));
    }
}

/// How bad it is, or what else holds.
fn word(folded: &Folded<'_>) -> &'static str {
    match folded.first.status {
        Status::Fail => folded.first.severity.as_str(),
        status => status.as_str(),
    }
}

fn row(folded: &Folded<'_>) -> String {
    let finding = folded.first;
    format!(
        "| {} | {} | {} | {} |\n",
        word(folded),
        code(&finding.check, true),
        code(&whereabouts(folded, false), true),
        plain(&terminal(&finding.message))
    )
}

fn details(report: &Report, folded: &Folded<'_>) -> String {
    let finding = folded.first;
    let mut text = format!(
        "\n**{} {}** {}\n\n{}\n",
        word(folded),
        code(&finding.check, false),
        code(&whereabouts(folded, false), false),
        plain(&terminal(&finding.message))
    );
    let mut item = |word: &str, value: &str, more: String| {
        text.push_str(&format!("- {word} {}{more}\n", code(value, false)));
    };
    if let Some(expected) = &finding.expected {
        item("expected", &terminal(expected), String::new());
    }
    if let Some(actual) = &finding.actual {
        item("actual", &terminal(actual), String::new());
    }
    let first = finding.places.first();
    for line in first.iter().flat_map(|place| &place.evidence) {
        let at = format!("{}:{}", terminal(&line.source), line.line);
        item(
            "read",
            &at,
            format!(" {}", code(&terminal(&line.text), false)),
        );
    }
    if finding.policy.is_known() {
        let at = format!(
            "{}:{}",
            terminal(&report.policy.source),
            finding.policy.line
        );
        item("asked", &at, String::new());
    }
    if let Some(waiver) = &finding.waiver {
        item("waived", &terminal(waiver), String::new());
    }
    for command in first.iter().flat_map(|place| &place.fix) {
        item("fix", &terminal(command), String::new());
    }
    text
}

/// Text in which nothing is markup, a mention or a reference. A comment
/// between `@` and a name keeps GitHub and GitLab from notifying people.
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' | '#' | '!' => {
                escaped.push(c);
                escaped.push_str("<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// A code span, in which only the fence ends it, and in a table the bar too.
fn code(text: &str, in_table: bool) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let text = match in_table {
        true => text.replace('|', "\\|"),
        false => text.to_owned(),
    };
    let pad = match text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty() {
        true => " ",
        false => "",
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}
