//! The arguments, as `--help` shows them.

use crate::report;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;

/// Tells whether a RoCE v2 fabric is lossless end to end, as you declared it.
#[derive(Parser, Debug)]
#[command(
    version,
    max_term_width = 80,
    arg_required_else_help = true,
    after_help = "Exit codes:
  0   clean
  1   findings at or above --fail-on
  2   usage, policy or input error
  3   something needed stayed unknown
  70  internal error"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,

    /// When to use colour; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,

    /// Only the summary
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Every port, all evidence, remarks
    #[arg(long, short, global = true)]
    pub verbose: bool,

    /// Threads [default: one a core]
    #[arg(long, global = true, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Check devices against a policy
    Audit(Audit),
    /// Print the vendor-neutral model of devices as JSON
    Model(Model),
    /// Say what differs in meaning between two sources
    Diff(Diff),
    /// Say what differs in meaning from the accepted baseline
    Drift(Drift),
    /// Accept what is good, and show what was accepted
    Baseline(Baseline),
    /// Follow a class hop by hop between two hosts, both directions
    Trace(Trace),
    /// List all checks
    Checks(Checks),
    /// Say what a check means, how to look, and how to fix
    Explain(Explain),
    /// Validate, test, show and start policies
    Policy(Policy),
    /// Validate inventories
    Inventory(Inventory),
    /// Print completions for a shell
    Completions(Completions),
    /// Write manual pages, one a verb
    Man(Man),
}

/// Where devices come from.
#[derive(Args, Debug)]
pub struct Sources {
    /// Folder of configurations or captures, a file, or - for standard input
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<String>,

    /// Pass over files and folders of these names
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Inventory, or containerlab topology: names, platforms, roles, cables
    #[arg(long, value_name = "FILE")]
    pub inventory: Option<String>,

    /// Only these devices
    #[arg(long, value_name = "GLOB")]
    pub device: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Audit {
    #[command(flatten)]
    pub from: Sources,

    /// Policy: a file, or builtin:NAME
    #[arg(long, default_value = "builtin:roce-lossless", value_name = "POLICY")]
    pub policy: String,

    /// Format of standard output
    #[arg(long, default_value = "text", value_name = "FORMAT", value_parser = format(), hide_possible_values = true)]
    #[arg(long_help = formats_help())]
    pub format: &'static report::Format,

    /// Write a report to a file as well; can be given several times
    #[arg(long, value_name = "FORMAT=FILE", value_parser = report_file)]
    pub report: Vec<(&'static report::Format, String)>,

    /// Least severity that makes exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Medium, value_name = "SEVERITY")]
    pub fail_on: FailOn,

    /// Exit 0 although something needed stayed unknown
    #[arg(long)]
    pub allow_unknown: bool,

    /// Show passes too
    #[arg(long)]
    pub all: bool,

    /// Only these ports
    #[arg(long, value_name = "GLOB")]
    pub port: Vec<String>,

    /// Only these checks
    #[arg(long, value_name = "GLOB")]
    pub check: Vec<String>,

    /// Only findings that are new next to this report (JSON), source, or store
    /// of baselines
    #[arg(long, value_name = "REPORT|SOURCE")]
    pub against_baseline: Option<String>,

    /// Judge waivers as of this time (2027-01-31T12:00:00Z, or a date)
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub now: Option<jiff::Timestamp>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FailOn {
    Critical,
    High,
    Medium,
    Low,
    Info,
    Never,
}

fn format() -> impl TypedValueParser<Value = &'static report::Format> {
    let names = report::formats().iter();
    PossibleValuesParser::new(names.map(|format| PossibleValue::new(format.name)))
        .try_map(|name| report::by_name(&name).ok_or("no such format"))
}

fn formats_help() -> String {
    let mut help = "Format of standard output:".to_owned();
    for format in report::formats() {
        help.push_str(&format!("\n  {:<11} {}", format.name, format.about));
    }
    help
}

fn report_file(text: &str) -> Result<(&'static report::Format, String), String> {
    let (name, file) = text
        .split_once('=')
        .ok_or("write it as FORMAT=FILE, such as json=report.json")?;
    let names = || report::formats().iter().map(|format| format.name);
    let format = report::by_name(name).ok_or_else(|| {
        let names = names().collect::<Vec<_>>().join(", ");
        format!("no format `{name}`; there are: {names}")
    })?;
    if file.is_empty() {
        return Err("no file is named after the =".to_owned());
    }
    Ok((format, file.to_owned()))
}

fn time(text: &str) -> Result<jiff::Timestamp, String> {
    let as_date = || -> Option<jiff::Timestamp> {
        let date: jiff::civil::Date = text.parse().ok()?;
        jiff::tz::TimeZone::UTC
            .to_timestamp(date.to_datetime(jiff::civil::Time::midnight()))
            .ok()
    };
    let parsed = text.parse().ok().or_else(as_date);
    parsed.ok_or_else(|| "write it as 2027-01-31 or 2027-01-31T12:00:00Z".to_owned())
}

#[derive(Args, Debug)]
pub struct Model {
    #[command(flatten)]
    pub from: Sources,

    /// Say of every fact where it was read, and how it is known
    #[arg(long)]
    pub origin: bool,
}

#[derive(Args, Debug)]
pub struct Trace {
    /// Folder of configurations or captures, a file, or - for standard input
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<String>,

    /// Pass over files and folders of these names
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Inventory, or containerlab topology: names, platforms, roles, cables
    #[arg(long, value_name = "FILE")]
    pub inventory: Option<String>,

    /// Where packets come from
    #[arg(long, value_name = "HOST[:PORT]")]
    pub from: String,

    /// Where they go
    #[arg(long, value_name = "HOST[:PORT]")]
    pub to: String,

    /// Only this class [default: the lossless ones and that of CNPs]
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,

    /// Policy: a file, or builtin:NAME
    #[arg(long, default_value = "builtin:roce-lossless", value_name = "POLICY")]
    pub policy: String,

    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How two sources are compared.
#[derive(Args, Debug)]
pub struct Compare {
    /// Pass over files and folders of these names
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Inventory, or containerlab topology: names, platforms, roles
    #[arg(long, value_name = "FILE")]
    pub inventory: Option<String>,

    /// Only these devices
    #[arg(long, value_name = "GLOB")]
    pub device: Vec<String>,

    /// Policy that decides what a change breaks: a file, or builtin:NAME
    #[arg(long, default_value = "builtin:roce-lossless", value_name = "POLICY")]
    pub policy: String,

    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Exit 1 only where a change breaks a check of this severity or above
    /// [default: on any difference]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,

    /// Exit 0 although something can't be told
    #[arg(long)]
    pub allow_unknown: bool,
}

#[derive(Args, Debug)]
pub struct Diff {
    /// Folder or file of what was
    #[arg(value_name = "OLD")]
    pub old: String,

    /// Folder or file of what is
    #[arg(value_name = "NEW")]
    pub new: String,

    #[command(flatten)]
    pub how: Compare,
}

#[derive(Args, Debug)]
pub struct Drift {
    /// Folder of configurations or captures, a file, or - for standard input
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<String>,

    /// Folder of the accepted baselines
    #[arg(long, default_value = ".roceaudit", value_name = "DIR")]
    pub store: String,

    /// Compare with this one [default: the one in force]
    #[arg(long, value_name = "ID")]
    pub baseline: Option<String>,

    #[command(flatten)]
    pub how: Compare,
}

#[derive(Args, Debug)]
pub struct Baseline {
    #[command(subcommand)]
    pub action: BaselineAction,

    /// Folder of the accepted baselines
    #[arg(long, global = true, default_value = ".roceaudit", value_name = "DIR")]
    pub store: String,
}

#[derive(Subcommand, Debug)]
pub enum BaselineAction {
    /// Record a source as the last known good
    Accept(BaselineAccept),
    /// List all baselines, the one in force first
    List {
        /// Format of standard output
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Show a baseline: who, when, why, its audit and its devices
    Show {
        /// Its name, or the beginning of it [default: the one in force]
        #[arg(value_name = "ID")]
        baseline: Option<String>,
        /// Format of standard output
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// List the baselines that changed a device
    History {
        /// The device
        #[arg(value_name = "DEVICE")]
        device: String,
        /// Format of standard output
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

#[derive(Args, Debug)]
pub struct BaselineAccept {
    #[command(flatten)]
    pub from: Sources,

    /// Policy that the source must pass: a file, or builtin:NAME
    #[arg(long, default_value = "builtin:roce-lossless", value_name = "POLICY")]
    pub policy: String,

    /// Why it is accepted
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// Accept it although the audit fails or something is unknown
    #[arg(long, requires = "reason")]
    pub force: bool,

    /// Who accepts it [default: the user]
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,

    /// Accept it as of this time (2027-01-31T12:00:00Z, or a date)
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub now: Option<jiff::Timestamp>,
}

#[derive(Args, Debug)]
pub struct Checks {
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct Explain {
    /// The check, such as pfc/missing
    #[arg(value_name = "CHECK")]
    pub check: String,

    /// With a source: the arithmetic with the numbers of its ports
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,

    /// Only these devices
    #[arg(long, value_name = "GLOB")]
    pub device: Vec<String>,

    /// Only these ports
    #[arg(long, value_name = "GLOB")]
    pub port: Vec<String>,

    /// Policy: a file, or builtin:NAME
    #[arg(long, default_value = "builtin:roce-lossless", value_name = "POLICY")]
    pub policy: String,
}

#[derive(Args, Debug)]
pub struct Policy {
    #[command(subcommand)]
    pub action: PolicyAction,
}

#[derive(Subcommand, Debug)]
pub enum PolicyAction {
    /// Validate policies
    Check {
        /// Files, or builtin:NAME
        #[arg(required = true, value_name = "POLICY")]
        policies: Vec<String>,
    },
    /// Run a policy's own tests: sources with expected findings
    Test {
        /// Files of test cases
        #[arg(required = true, value_name = "TESTS")]
        files: Vec<String>,
    },
    /// Show what applies to one device or port
    Show {
        /// A file, or builtin:NAME
        #[arg(value_name = "POLICY")]
        policy: String,
        /// The device
        #[arg(long, default_value = "*")]
        device: String,
        /// The port
        #[arg(long, default_value = "*")]
        port: String,
        /// The device's role, where the policy's roles don't say it
        #[arg(long)]
        role: Option<String>,
        /// The port's speed in Mb/s
        #[arg(long, value_name = "MBPS")]
        speed: Option<u64>,
    },
    /// Print the JSON Schema of policies
    Schema,
    /// List the built-in policies
    List,
    /// Print a policy to start from
    Init,
}

#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub struct Man {
    /// Folder to write to; not given, the page of the program itself is printed
    #[arg(value_name = "FOLDER")]
    pub folder: Option<std::path::PathBuf>,
}

#[derive(Args, Debug)]
pub struct Inventory {
    #[command(subcommand)]
    pub action: InventoryAction,
}

#[derive(Subcommand, Debug)]
pub enum InventoryAction {
    /// Validate inventories and containerlab topologies
    Check {
        /// Files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
    },
    /// Print the JSON Schema of inventories
    Schema,
}
