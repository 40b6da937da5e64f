//! The report for a tired person at night: worst first, folded over ports and
//! devices, expected and actual on one line, where it was read, what to type.

use super::escape::terminal;
use crate::audit::{DeviceStatus, Outcome, Report, by_severity};
use crate::finding::{Finding, PortPlace, Status};
use crate::policy::Severity;
use anstyle::{AnsiColor, Style as Paint};
use std::collections::HashMap;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// How to write it.
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
    summary(report, style, out)
}

/// The same finding on one or many devices.
struct Folded<'a> {
    first: &'a Finding,
    all: Vec<&'a Finding>,
}

fn fold(findings: &[Finding]) -> Vec<Folded<'_>> {
    let mut folded: Vec<Folded<'_>> = Vec::new();
    let mut index: HashMap<_, usize> = HashMap::new();
    for finding in findings {
        let key = (
            (&finding.check, finding.status, finding.severity),
            (&finding.class, &finding.message),
            (&finding.expected, &finding.actual, &finding.waiver),
            ports_of(finding),
        );
        match index.get(&key) {
            Some(n) => folded[*n].all.push(finding),
            None => {
                index.insert(key, folded.len());
                folded.push(Folded {
                    first: finding,
                    all: vec![finding],
                });
            }
        }
    }
    folded
}

/// The ports of a finding, hashed: the same fault on other ports is another
/// entry, so that no device is shown with ports that are not its own.
fn ports_of(finding: &Finding) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    for place in &finding.places {
        place.port.hash(&mut hasher);
    }
    hasher.finish()
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
    wrapped(&whereabouts(folded, style), "  ", style, out)?;
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
        whereabouts(folded, style),
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

/// `leaf1: Ethernet0-124 (32 ports)`, or several devices.
fn whereabouts(folded: &Folded<'_>, style: &Style) -> String {
    const DEVICES: usize = 4;
    let names = folded.all.iter().map(|finding| &*finding.device);
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    let most = if style.verbose { usize::MAX } else { DEVICES };
    let mut text = names
        .iter()
        .take(most)
        .map(|name| terminal(name))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > most {
        text.push_str(&format!(", … (+{} devices)", names.len() - most));
    }
    let ports: Vec<&str> = folded
        .first
        .places
        .iter()
        .filter_map(|place| place.port.as_deref())
        .collect();
    if !ports.is_empty() {
        let ranges = ranges(&ports, if style.verbose { usize::MAX } else { 6 });
        text.push_str(&format!(": {ranges}"));
        let count = folded.all.iter().map(|f| f.places.len()).sum::<usize>();
        if count > 1 {
            text.push_str(&format!(" ({count} ports)"));
        }
    }
    let places = folded.all.iter().flat_map(|finding| &finding.places);
    let peers: Vec<&str> = places.filter_map(|place| place.peer.as_deref()).collect();
    if !peers.is_empty() {
        let most = if style.verbose { usize::MAX } else { 3 };
        text.push_str(&format!(" to {}", ranges(&peers, most)));
    }
    text
}

/// Ports in short: those with one prefix and numbers in equal steps are a
/// range.
pub fn ranges(ports: &[&str], most: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut n = 0;
    while let Some(first) = ports.get(n) {
        let run = run_length(&ports[n..]);
        match ports.get(n + run - 1).filter(|_| run > 2) {
            Some(last) => {
                let (_, number) = split_number(last);
                parts.push(format!("{}-{number}", terminal(first)));
                n += run;
            }
            None => {
                parts.push(terminal(first).into_owned());
                n += 1;
            }
        }
    }
    let more = parts.len().saturating_sub(most);
    parts.truncate(most);
    if more > 0 {
        parts.push(format!("… (+{more})"));
    }
    parts.join(", ")
}

/// How many ports from the first on are one range.
fn run_length(ports: &[&str]) -> usize {
    let parsed = |port: &str| {
        let (prefix, number) = split_number(port);
        Some((prefix.to_owned(), number.parse::<u64>().ok()?))
    };
    let Some((prefix, first)) = ports.first().and_then(|port| parsed(port)) else {
        return 1;
    };
    let mut step = None;
    let mut last = first;
    let mut run = 1;
    for port in ports.iter().skip(1) {
        match parsed(port) {
            Some((other, number)) if other == prefix && number > last => {
                let gap = number - last;
                if *step.get_or_insert(gap) != gap {
                    break;
                }
                last = number;
                run += 1;
            }
            _ => break,
        }
    }
    run
}

fn split_number(port: &str) -> (&str, &str) {
    let digits = port.bytes().rev().take_while(u8::is_ascii_digit).count();
    port.split_at(port.len() - digits)
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
    if report.skipped.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = report.skipped.keys().copied().collect();
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

fn summary(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (word, paint) = match style.verdict {
        // Of a part, or of a policy without lossless classes, no more can be said.
        Outcome::Clean if report.partial => ("AS DECLARED IN THIS PART", AnsiColor::Green),
        Outcome::Clean if !report.lossless => ("AS DECLARED", AnsiColor::Green),
        Outcome::Clean => ("LOSSLESS AS DECLARED", AnsiColor::Green),
        Outcome::Findings => ("NOT AS DECLARED", AnsiColor::Red),
        Outcome::Unknown => ("UNKNOWN", AnsiColor::Magenta),
    };
    let paint = paint.on_default().bold();
    let severities = by_severity(&report.findings);
    let counts: Vec<String> = severities
        .iter()
        .map(|(severity, count)| format!("{count} {severity}"))
        .collect();
    let mut parts = vec![if counts.is_empty() {
        "no findings".to_owned()
    } else {
        counts.join(", ")
    }];
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
    let text = format!(
        "roceaudit: {word}: {}; {devices}, {}, policy {}",
        parts.join(", "),
        plural(ports, "port"),
        terminal(&report.policy.name)
    );
    let text = wrap(&text, style.width, "  ").join("\n");
    writeln!(
        out,
        "{}",
        text.replacen(word, &format!("{paint}{word}{paint:#}"), 1)
    )
}

fn plural(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
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
    fn ports_fold_by_equal_steps() {
        let ports = [
            "Ethernet0",
            "Ethernet4",
            "Ethernet8",
            "Ethernet12",
            "Ethernet20",
        ];
        assert_eq!(ranges(&ports, 6), "Ethernet0-12, Ethernet20");
        assert_eq!(
            ranges(&["Ethernet1/1", "Ethernet1/2"], 6),
            "Ethernet1/1, Ethernet1/2"
        );
        assert_eq!(ranges(&["a1", "b1", "c1"], 2), "a1, b1, … (+1)");
        assert_eq!(ranges(&["-"], 2), "-");
    }

    #[test]
    fn text_wraps_at_blanks() {
        let lines = wrap("one two three four", 9, "  ");
        assert_eq!(lines, ["one two", "  three", "  four"]);
    }
}
