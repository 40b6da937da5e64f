//! `roceaudit policy test`: sources with the findings that a policy must give.

use super::args::Arguments;
use super::{audit, colored_errors, output};
use crate::audit::{Options, Report, Selection, exit_code};
use crate::finding::{Finding, Status};
use crate::policy::{PolicySet, Severity};
use crate::report::escape::terminal;
use anyhow::{Context, anyhow, bail, ensure};
use serde::Deserialize;
use std::fmt;
use std::io::Write;
use std::path::Path;

/// A file of test cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tests {
    version: u8,
    /// The policy: a file beside this one, or `builtin:NAME`.
    policy: String,
    cases: Vec<Case>,
}

/// A source and what an audit of it must give.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// A folder or file, beside this one.
    source: String,
    /// The exit code of the audit; not given, it is not compared.
    exit: Option<u8>,
    /// What must be found. Each entry must match, and each failure above
    /// information must match an entry; unknowns only where one names them.
    #[serde(default)]
    expect: Vec<Expected>,
}

/// A finding; what is not given matches any.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    check: String,
    #[serde(default = "fail")]
    status: String,
    device: Option<String>,
    port: Option<String>,
    class: Option<String>,
}

fn fail() -> String {
    Status::Fail.as_str().to_owned()
}

pub fn run(arguments: &Arguments, files: &[String]) -> anyhow::Result<u8> {
    let mut out = output(arguments.color);
    let mut failed = 0;
    for file in files {
        let tests = load(file)?;
        let base = Path::new(file).parent().unwrap_or(Path::new(""));
        let beside = |name: &str| base.join(name).to_string_lossy().into_owned();
        let policy = match tests.policy.starts_with("builtin:") {
            true => tests.policy.clone(),
            false => beside(&tests.policy),
        };
        for case in &tests.cases {
            // Anew for each: a policy notes which parts of it matched something.
            let policy = audit::load_policy(&policy)
                .map_err(|error| anyhow!(error.render(colored_errors(arguments.color))))?;
            let wrong = differences(case, &beside(&case.source), &policy)
                .with_context(|| format!("{file}: {}", case.name))?;
            let word = if wrong.is_empty() { "ok" } else { "FAILED" };
            writeln!(
                out,
                "{word:<6} {}: {}",
                terminal(file),
                terminal(&case.name)
            )?;
            for line in &wrong {
                writeln!(out, "       {}", terminal(line))?;
            }
            failed += usize::from(!wrong.is_empty());
        }
    }
    out.flush()?;
    Ok(u8::from(failed > 0))
}

fn load(file: &str) -> anyhow::Result<Tests> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
    let tests: Tests = serde_saphyr::from_str(&text).with_context(|| file.to_owned())?;
    ensure!(
        tests.version == 1,
        "{file}: this program reads version 1 of policy tests"
    );
    ensure!(!tests.cases.is_empty(), "{file}: it holds no case");
    let statuses = ["fail", "unknown", "waived"];
    for expected in tests.cases.iter().flat_map(|case| &case.expect) {
        if !statuses.contains(&expected.status.as_str()) {
            bail!(
                "{file}: no status {}; there are: fail, unknown, waived",
                expected.status
            );
        }
    }
    Ok(tests)
}

/// What differs from what the case expects, a sentence each.
fn differences(case: &Case, source: &str, policy: &PolicySet) -> anyhow::Result<Vec<String>> {
    let units = audit::units(&[source.to_owned()], &[])?;
    let options = Options {
        devices: Selection::default(),
        ports: Selection::default(),
        checks: Selection::default(),
        now: jiff::Timestamp::now(),
        each_port: false,
        passes: false,
        cables: Vec::new(),
    };
    let report = crate::audit::audit(&units, policy, &options)?;
    let mut wrong = Vec::new();
    let exit = exit_code(report.outcome(policy, Some(Severity::Medium), false));
    if let Some(expected) = case.exit.filter(|expected| *expected != exit) {
        wrong.push(format!("exit {exit}, expected {expected}"));
    }
    for expected in &case.expect {
        if !found(&report).any(|one| expected.matches(one)) {
            wrong.push(format!("missing: {expected}"));
        }
    }
    let told = found(&report).filter(|(finding, _)| {
        finding.status == Status::Fail && finding.severity != Severity::Info
    });
    for (finding, port) in told {
        if !case.expect.iter().any(|e| e.matches((finding, port))) {
            let port = port.unwrap_or("*");
            wrong.push(format!(
                "not expected: fail {} {} {port}: {}",
                finding.check, finding.device, finding.message
            ));
        }
    }
    Ok(wrong)
}

/// Each finding of each port.
fn found(report: &Report) -> impl Iterator<Item = (&Finding, Option<&str>)> {
    report.findings.iter().flat_map(|finding| {
        let ports = finding.places.iter().map(|place| place.port.as_deref());
        ports.map(move |port| (finding, port))
    })
}

impl Expected {
    fn matches(&self, (finding, port): (&Finding, Option<&str>)) -> bool {
        let is = |wanted: &Option<String>, value: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| value == Some(wanted))
        };
        finding.check == self.check
            && finding.status.as_str() == self.status
            && is(&self.device, Some(&finding.device))
            && is(&self.port, port)
            && is(&self.class, finding.class.as_deref())
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.check)?;
        for part in [&self.device, &self.port, &self.class]
            .into_iter()
            .flatten()
        {
            write!(f, " {part}")?;
        }
        Ok(())
    }
}
