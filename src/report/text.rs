//! The report for a tired person at night: worst first, folded over ports and
//! devices, expected and actual on one line, where it was read, what to type.

use super::escape::terminal;
use super::fold::{Folded, fold, whereabouts};
use super::{Style, summary};
use crate::audit::{Outcome, Report};
use crate::finding::{PortPlace, Status};
use crate::policy::Severity;
use anstyle::{AnsiColor, Style as Paint};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Writes the report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !style.quiet {
        let folded = fold(&report.findings);
        for heading in [Status::Fail, Status::Unknown, Status::Waived, Status::Pass] {
            let of_status: Vec<&Folded<'_>> = folded
                .iter()
                .filter(|f| f.first.status == heading)
                .collect();
            if of_status.is_empty() {
                continue;
            }
            match heading {
                Status::Fail => {}
                Status::Unknown => writeln!(out, "Unknown, and never a pass:\n")?,
                Status::Waived => writeln!(out, "Waived:\n")?,
                Status::Pass => writeln!(out, "Passed:\n")?,
            }
            for finding in of_status {
                match heading {
                    Status::Fail => block(report, finding, style, out)?,
                    Status::Unknown if style.verbose => block(report, finding, style, out)?,
                    _ => line(finding, style, out)?,
                }
            }
            if heading != Status::Fail && !(heading == Status::Unknown && style.verbose) {
                writeln!(out)?;
            }
        }
        if style.verbose {
            remarks(report, style, out)?;
        }
        skipped(report, style, out)?;
    }
    last_line(report, style, out)
}

fn paint(severity: Severity, status: Status) -> Paint {
    let color = match (status, severity) {
        (Status::Unknown, _) => AnsiColor::Magenta,
        (Status::Pass | Status::Waived, _) => AnsiColor::Green,
        (_, Severity::Critical | Severity::High) => AnsiColor::Red,
        (_, Severity::Medium) => AnsiColor::Yellow,
        (_, Severity::Low | Severity::Info) => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

fn block(
    report: &Report,
    folded: &Folded<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let finding = folded.first;
    let paint = paint(finding.severity, finding.status);
    let word = match finding.status {
        Status::Unknown => "unknown".to_owned(),
        _ => finding.severity.to_string(),
    };
    write!(out, "{paint}{word}{paint:#} {}", terminal(&finding.check))?;
    if let Some(class) = &finding.class {
        write!(out, "  class {}", terminal(class))?;
    }
    writeln!(out)?;
    wrapped(&whereabouts(folded, style.verbose), "  ", style, out)?;
    wrapped(&terminal(&finding.message), "  ", style, out)?;
    match (&finding.expected, &finding.actual) {
        (Some(expected), Some(actual)) => {
            let text = format!(
                "expected {}, actual {}",
                terminal(expected),
                terminal(actual)
            );
            wrapped(&text, "    ", style, out)?;
        }
        (Some(expected), None) => {
            wrapped(
                &format!("expected {}", terminal(expected)),
                "    ",
                style,
                out,
            )?;
        }
        (None, Some(actual)) => {
            wrapped(&format!("actual {}", terminal(actual)), "    ", style, out)?;
        }
        (None, None) => {}
    }
    let most = if style.verbose { usize::MAX } else { 1 };
    let places = || folded.all.iter().flat_map(|f| &f.places).take(most);
    for place in places() {
        evidence(place, style, out)?;
    }
    if finding.policy.is_known() {
        writeln!(
            out,
            "    asked  {}:{}",
            terminal(&report.policy.source),
            finding.policy.line
        )?;
    }
    for place in places() {
        for command in &place.fix {
            writeln!(out, "    fix    {}", terminal(command))?;
        }
    }
    writeln!(out)
}

fn evidence(place: &PortPlace, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for evidence in &place.evidence {
        let head = format!(
            "    read   {}:{}",
            terminal(&evidence.source),
            evidence.line
        );
        let room = style.width.saturating_sub(head.width() + 2).max(16);
        let text = terminal(&evidence.text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(out, "{head}  {}", cut(&text, room))?;
    }
    Ok(())
}

/// One line for what needs no attention.
fn line(folded: &Folded<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let finding = folded.first;
    let class = finding
        .class
        .as_deref()
        .map(|class| format!(" class {}", terminal(class)));
    let mut text = format!(
        "{}{} {}: {}",
        terminal(&finding.check),
        class.unwrap_or_default(),
        whereabouts(folded, style.verbose),
        terminal(&finding.message)
    );
    if let Some(waiver) = &finding.waiver {
        text.push_str(&format!(" (waived: {})", terminal(waiver)));
    }
    wrapped(&text, "  ", style, out)?;
    // A line that was not understood has to be seen.
    match finding.places.first() {
        Some(place) if finding.status == Status::Unknown => evidence(place, style, out),
        _ => Ok(()),
    }
}

fn remarks(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for device in &report.devices {
        for remark in &device.remarks {
            let text = format!("note: {}: {}", terminal(&device.name), terminal(remark));
            wrapped(&text, "", style, out)?;
        }
    }
    Ok(())
}

fn skipped(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<&str> = report.skipped().into_keys().collect();
    if names.is_empty() {
        return Ok(());
    }
    let text = if style.verbose {
        format!(
            "skipped, since these sources hold no such facts: {}",
            names.join(", ")
        )
    } else {
        format!(
            "skipped: {} checks need counters, operational state or neighbours, which not all \
             of these sources hold (--verbose names them)",
            names.len()
        )
    };
    wrapped(&text, "", style, out)
}

fn last_line(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let color = match style.verdict {
        Outcome::Clean => AnsiColor::Green,
        Outcome::Findings => AnsiColor::Red,
        Outcome::Unknown => AnsiColor::Magenta,
    };
    let paint = color.on_default().bold();
    let word = summary::headline(report, style.verdict);
    let text = format!("roceaudit: {word}: {}", summary::counts(report));
    let text = wrap(&text, style.width, "  ").join("\n");
    writeln!(
        out,
        "{}",
        text.replacen(word, &format!("{paint}{word}{paint:#}"), 1)
    )
}

fn wrapped(text: &str, indent: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = style.width.saturating_sub(indent.len()).max(20);
    for line in wrap(text, width, "  ") {
        writeln!(out, "{indent}{line}")?;
    }
    Ok(())
}

/// Breaks at blanks; lines after the first begin with `hang`.
pub fn wrap(text: &str, width: usize, hang: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let fits = line.width() + 1 + word.width() <= width;
        if !line.trim().is_empty() && !fits {
            lines.push(std::mem::replace(&mut line, hang.to_owned()));
        } else if !line.is_empty() && line != hang {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.trim().is_empty() {
        lines.push(line);
    }
    lines
}

fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut cut: String = String::new();
    for character in text.chars() {
        if cut.width() + 2 > width {
            break;
        }
        cut.push(character);
    }
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_at_blanks() {
        let lines = wrap("one two three four", 9, "  ");
        assert_eq!(lines, ["one two", "  three", "  four"]);
    }
}
