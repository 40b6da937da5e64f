//! Shared by the tests: audits of folders through the library.
#![allow(dead_code, clippy::unwrap_used)] // each test file uses its own part

pub mod fixtures;

use roceaudit::audit::{Options, Outcome, Report, Selection, audit};
use roceaudit::finding::Status;
use roceaudit::policy::{self, PolicySet, Severity};
use roceaudit::source::discover;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A policy, by file or `builtin:NAME`.
pub fn policy(name: &str) -> PolicySet {
    policy::load(name).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

/// An audit of a folder or file.
pub fn audited(source: &Path, policy: &PolicySet) -> Report {
    run(source, policy, false)
}

/// An audit of a fixture that tells what passes, too.
pub fn with_passes(fixture: &fixtures::Fixture) -> Report {
    run(&fixture.raw, &fixture.policy(), true)
}

fn run(source: &Path, policy: &PolicySet, passes: bool) -> Report {
    let options = Options {
        devices: Selection::default(),
        ports: Selection::default(),
        checks: Selection::default(),
        now: "2026-12-01T00:00:00Z".parse().unwrap(),
        each_port: true,
        passes,
        cables: Vec::new(),
    };
    let units = discover(&source.to_string_lossy(), &[]).unwrap();
    audit(&units, policy, &options).unwrap()
}

/// The exit code that the command line would give.
pub fn exit(report: &Report, policy: &PolicySet) -> u8 {
    match report.outcome(policy, Some(Severity::Medium), false) {
        Outcome::Clean => 0,
        Outcome::Findings => 1,
        Outcome::Unknown => 3,
    }
}

/// What fired of devices by themselves: what follows for links, ways and the
/// fleet is left out.
pub fn of_devices(report: &Report, info: bool) -> BTreeSet<String> {
    const OF_FABRIC: [&str; 4] = [" link/", " path/", " fleet/", " mtu/path"];
    let mut fired = fired(report, info);
    fired.retain(|line| !OF_FABRIC.iter().any(|area| line.contains(area)));
    fired
}

/// What fired: `fail pfc/missing leaf1 Ethernet0`. Information is left out,
/// unless it is asked for.
pub fn fired(report: &Report, info: bool) -> BTreeSet<String> {
    let mut fired = BTreeSet::new();
    for finding in &report.findings {
        let told = matches!(finding.status, Status::Fail | Status::Unknown);
        if !told || (finding.severity == Severity::Info && !info) {
            continue;
        }
        for place in &finding.places {
            fired.insert(format!(
                "{} {} {} {}",
                finding.status.as_str(),
                finding.check,
                finding.device,
                place.port.as_deref().unwrap_or("*")
            ));
        }
    }
    fired
}
