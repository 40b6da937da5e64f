//! `roceaudit diff`.

use super::args::{Arguments, Compare, Format};
use super::{UNKNOWN, audit, colored_errors, error_stream, inventory, output};
use crate::audit::{Judge, Options, Selection};
use crate::drift::reports::{self, ReadReport, Reports};
use crate::drift::{self, Diff, Outcome};
use crate::policy::PolicySet;
use crate::report::diff;
use crate::source::Unit;
use anyhow::Context;
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &Arguments, verb: &super::args::Diff) -> anyhow::Result<u8> {
    match (report(&verb.old)?, report(&verb.new)?) {
        (Some(old), Some(new)) => {
            return tell_reports(arguments, &verb.how, &reports::compare(old, new));
        }
        (None, None) => {}
        _ => anyhow::bail!("a report can be compared with a report only"),
    }
    let Some(policy) = policy(arguments, &verb.how.policy)? else {
        return Ok(super::USAGE);
    };
    let (old, new) = (units(&verb.old, &verb.how)?, units(&verb.new, &verb.how)?);
    let (old, new) = selected(old, new, &verb.how)?;
    let diff = compare(&old, &new, &policy)?;
    tell(arguments, &verb.how, &diff)
}

/// A report, where a source is one.
pub(super) fn report(source: &str) -> anyhow::Result<Option<ReadReport>> {
    let path = Path::new(source);
    if !path.is_file() {
        return Ok(None);
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {source}"))?;
    let text = String::from_utf8_lossy(&bytes);
    if !reports::is_report(&text) {
        return Ok(None);
    }
    let report = reports::read(&text).with_context(|| format!("the report {source}"))?;
    Ok(Some(report))
}

fn tell_reports(arguments: &Arguments, how: &Compare, reports: &Reports) -> anyhow::Result<u8> {
    let mut out = output(arguments.color);
    match how.format {
        Format::Text => diff::reports_text(reports, &style(arguments), &mut out)?,
        Format::Json => diff::reports_json(reports, &mut out)?,
    }
    out.flush()?;
    Ok(code(reports.outcome(how.fail_on.map(audit::severity))))
}

fn style(arguments: &Arguments) -> diff::Style {
    diff::Style {
        quiet: arguments.quiet,
        verbose: arguments.verbose,
    }
}

fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Same => 0,
        Outcome::Differs => 1,
        Outcome::Unknown => UNKNOWN,
    }
}

/// The policy that decides what breaks; none where it is told to be wrong.
pub(super) fn policy(arguments: &Arguments, name: &str) -> anyhow::Result<Option<PolicySet>> {
    match audit::load_policy(name) {
        Ok(policy) => Ok(Some(policy)),
        Err(error) => {
            let mut err = error_stream(arguments.color);
            writeln!(err, "{}", error.render(colored_errors(arguments.color)))?;
            Ok(None)
        }
    }
}

/// The devices of one side.
fn units(source: &str, how: &Compare) -> anyhow::Result<Vec<Unit>> {
    let mut units = audit::units(&[source.to_owned()], &how.exclude)?;
    inventory::apply(how.inventory.as_deref(), &mut units)?;
    Ok(units)
}

/// Those of both sides that `--device` selects; it must select one.
fn selected(
    mut old: Vec<Unit>,
    mut new: Vec<Unit>,
    how: &Compare,
) -> anyhow::Result<(Vec<Unit>, Vec<Unit>)> {
    let selection = audit::selection("--device", &how.device)?;
    for units in [&mut old, &mut new] {
        units.retain(|unit| selection.matches(&unit.name));
    }
    if old.is_empty() && new.is_empty() {
        anyhow::bail!("--device matches no device");
    }
    Ok((old, new))
}

/// How devices are judged: whole, as of now.
pub(super) fn options() -> Options {
    Options {
        devices: Selection::default(),
        ports: Selection::default(),
        checks: Selection::default(),
        now: jiff::Timestamp::now(),
        each_port: false,
        passes: false,
        cables: Vec::new(),
    }
}

fn compare(old: &[Unit], new: &[Unit], policy: &PolicySet) -> anyhow::Result<Diff> {
    let options = options();
    let judge = Judge::new(policy, &options)?;
    Ok(drift::sources(old, new, &judge))
}

/// Writes the differences and gives the exit code.
pub(super) fn tell(arguments: &Arguments, how: &Compare, diff: &Diff) -> anyhow::Result<u8> {
    let mut out = output(arguments.color);
    match how.format {
        Format::Text => diff::text(diff, &style(arguments), &mut out)?,
        Format::Json => diff::json(diff, &mut out)?,
    }
    out.flush()?;
    let fail_on = how.fail_on.map(audit::severity);
    Ok(code(diff.outcome(fail_on, how.allow_unknown)))
}
