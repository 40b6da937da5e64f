//! `roceaudit audit`.

use super::against::Known;
use super::args::{Arguments, Audit, FailOn};
use super::{colored_errors, error_stream, inventory, output, width};
use crate::audit::{Options, Outcome, Report, Selection, audit, exit_code};
use crate::policy::{self, PolicyError, PolicySet, Severity};
use crate::report::{Format, Style, markdown};
use crate::source::{Unit, discover};
use anyhow::{Context, anyhow};
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &Arguments, verb: &Audit) -> anyhow::Result<u8> {
    let policy = match load_policy(&verb.policy) {
        Ok(policy) => policy,
        Err(error) => {
            let mut err = error_stream(arguments.color);
            writeln!(err, "{}", error.render(colored_errors(arguments.color)))?;
            return Ok(super::USAGE);
        }
    };
    let mut units = units(&verb.from.sources, &verb.from.exclude)?;
    let cables = inventory::apply(verb.from.inventory.as_deref(), &mut units)?;
    let mut formats = verb.report.iter().map(|(format, _)| *format);
    let each_port = verb.format.each_port || formats.any(|format| format.each_port);
    let options = Options {
        devices: selection("--device", &verb.from.device)?,
        ports: selection("--port", &verb.port)?,
        checks: selection("--check", &verb.check)?,
        now: verb.now.unwrap_or_else(jiff::Timestamp::now),
        each_port: each_port || arguments.verbose || verb.against_baseline.is_some(),
        passes: verb.all,
        cables,
    };
    let known = match &verb.against_baseline {
        Some(from) => Some(Known::load(from, &policy, &options)?),
        None => None,
    };
    let mut report = audit(&units, &policy, &options)?;
    if let Some(known) = known {
        let gone = known.narrow(&mut report);
        if gone > 0 && !arguments.quiet {
            let mut err = error_stream(arguments.color);
            writeln!(
                err,
                "{gone} findings of before are gone; `roceaudit diff` tells which"
            )?;
        }
    }
    let outcome = report.outcome(&policy, severity(verb.fail_on), verb.allow_unknown);
    let verdict = report.verdict(&policy);
    for (format, file) in &verb.report {
        write_file(&report, verdict, format, file)?;
    }
    let style = Style {
        width: width(),
        quiet: arguments.quiet,
        verbose: arguments.verbose,
        verdict,
    };
    let mut out = output(arguments.color);
    (verb.format.write)(&report, &style, &mut out)?;
    if verb.format.name == "github" {
        step_summary(&report, &style)?;
    }
    out.flush()?;
    Ok(exit_code(outcome))
}

/// Loads a policy and holds it against the checks that exist.
pub(super) fn load_policy(name: &str) -> Result<PolicySet, PolicyError> {
    let policy = policy::load(name)?;
    let known: Vec<&str> = crate::check::registry()
        .iter()
        .map(|check| check.about().id)
        .chain(crate::check::LATER.iter().copied())
        .collect();
    policy.validate_checks(&known)?;
    Ok(policy)
}

/// The devices of all sources. Two sources that name one device clash.
pub(super) fn units(sources: &[String], exclude: &[String]) -> anyhow::Result<Vec<Unit>> {
    let mut units: Vec<Unit> = Vec::new();
    for source in sources {
        for unit in discover(source, exclude)? {
            if units.iter().any(|other| other.name == unit.name) {
                return Err(anyhow!(
                    "two sources hold a device named {}; audit them one by one, or exclude one",
                    unit.name
                ));
            }
            units.push(unit);
        }
    }
    units.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(units)
}

pub(super) fn selection(flag: &str, patterns: &[String]) -> anyhow::Result<Selection> {
    Selection::new(patterns).with_context(|| format!("{flag} {}", patterns.join(" ")))
}

pub(super) fn severity(fail_on: FailOn) -> Option<Severity> {
    match fail_on {
        FailOn::Critical => Some(Severity::Critical),
        FailOn::High => Some(Severity::High),
        FailOn::Medium => Some(Severity::Medium),
        FailOn::Low => Some(Severity::Low),
        FailOn::Info => Some(Severity::Info),
        FailOn::Never => None,
    }
}

/// GitHub Actions shows on the page of a run what is appended to this file.
fn step_summary(report: &Report, style: &Style) -> anyhow::Result<()> {
    let Some(file) = std::env::var_os("GITHUB_STEP_SUMMARY") else {
        return Ok(());
    };
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file);
    let mut file = file.context("cannot write to GITHUB_STEP_SUMMARY")?;
    Ok(markdown::write(report, style, &mut file)?)
}

/// Writes a report whole or not at all.
fn write_file(
    report: &Report,
    verdict: Outcome,
    format: &Format,
    file: &str,
) -> anyhow::Result<()> {
    let path = Path::new(file);
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let style = Style {
        verdict,
        ..Style::default()
    };
    let written = (|| -> anyhow::Result<()> {
        let mut out = std::io::BufWriter::new(std::fs::File::create(&partial)?);
        let inner: &mut dyn Write = &mut out;
        match format.name {
            // The only one with colours.
            "text" => (format.write)(report, &style, &mut anstream::StripStream::new(inner))?,
            _ => (format.write)(report, &style, inner)?,
        }
        out.flush()?;
        Ok(std::fs::rename(&partial, path)?)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written.with_context(|| format!("cannot write {file}"))
}
