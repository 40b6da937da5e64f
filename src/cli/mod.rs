//! The command line: one file a verb. The only place that touches standard
//! output and standard error.

mod against;
mod args;
mod audit;
mod baseline;
mod checks;
mod diff;
mod drift;
mod explain;
mod inventory;
mod manual;
mod model;
mod policy;
mod policy_test;
mod trace;

use anstream::{AutoStream, ColorChoice};
use args::{Arguments, Color, Verb};
use clap::Parser;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Usage, policy, inventory or input error.
const USAGE: u8 = 2;
/// Something needed stayed unknown.
const UNKNOWN: u8 = 3;
/// Internal error.
const INTERNAL: u8 = 70;

/// Reads the arguments, runs the verb and gives the exit code.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // --help and --version come as errors too, with exit code 0.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE));
        }
    };
    // A parser that panics is caught and told as a finding; the hook's own
    // message would only add noise.
    std::panic::set_hook(Box::new(|_| {}));
    let mut err = error_stream(arguments.color);
    match catch_unwind(AssertUnwindSafe(|| verb(&arguments))) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(error)) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            let _ = writeln!(err, "error: {error:#}");
            ExitCode::from(USAGE)
        }
        Err(panic) => {
            let what = panic.downcast_ref::<String>().map(String::as_str);
            let what = what.or(panic.downcast_ref::<&str>().copied());
            let _ = writeln!(
                err,
                "error: internal error ({}); please report it",
                what.unwrap_or("no message")
            );
            ExitCode::from(INTERNAL)
        }
    }
}

fn verb(arguments: &Arguments) -> anyhow::Result<u8> {
    if let Some(jobs) = arguments.jobs {
        rayon::ThreadPoolBuilder::new()
            .num_threads(jobs.get())
            .build_global()?;
    }
    match &arguments.verb {
        Verb::Audit(verb) => audit::run(arguments, verb),
        Verb::Model(verb) => model::run(arguments, verb),
        Verb::Diff(verb) => diff::run(arguments, verb),
        Verb::Drift(verb) => drift::run(arguments, verb),
        Verb::Baseline(verb) => baseline::run(arguments, verb),
        Verb::Trace(verb) => trace::run(arguments, verb),
        Verb::Checks(verb) => checks::run(arguments, verb),
        Verb::Explain(verb) => explain::run(arguments, verb),
        Verb::Policy(verb) => policy::run(arguments, verb),
        Verb::Inventory(verb) => inventory::run(arguments, verb),
        Verb::Completions(verb) => manual::completions(arguments, verb),
        Verb::Man(verb) => manual::pages(arguments, verb),
    }
}

/// A reader that went away (`| head`) is no error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| match cause.downcast_ref::<io::Error>() {
        Some(error) => error.kind() == io::ErrorKind::BrokenPipe,
        None => cause
            .downcast_ref::<serde_json::Error>()
            .is_some_and(|e| e.io_error_kind() == Some(io::ErrorKind::BrokenPipe)),
    })
}

/// Standard output, buffered, with colour only where it is wanted.
fn output(color: Color) -> impl Write {
    BufWriter::new(AutoStream::new(io::stdout().lock(), choice(color)))
}

fn error_stream(color: Color) -> impl Write {
    AutoStream::new(io::stderr(), choice(color))
}

fn choice(color: Color) -> ColorChoice {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}

/// Whether messages with colours of their own should have any.
fn colored_errors(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// Columns of the terminal, 80 where there is none.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns.and_then(|columns| columns.parse().ok());
    columns.unwrap_or(80).clamp(40, 200)
}
