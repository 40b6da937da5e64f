//! Walks `fixtures/`: each case is a device with one property, and
//! `case.yaml` says what it shows, where the fact comes from, and exactly what
//! must be found (`findings`, information aside, and the exit code).
//!
//! `UPDATE_GOLDEN=1` rewrites what must be found: read the difference.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::{audited, exit, fired, policy, root};
use roceaudit::audit::{Options, Selection, audit};
use roceaudit::check::registry;
use roceaudit::finding::Status;
use roceaudit::source::discover;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    shows: String,
    source: String,
    policy: String,
    #[serde(default)]
    exit: Option<u8>,
    #[serde(default)]
    findings: BTreeSet<String>,
}

/// `fixtures/PLATFORM/OS-VERSION/CASE`.
fn cases() -> Vec<PathBuf> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    let platforms = folders(&root().join("fixtures"));
    let versions = platforms.iter().flat_map(|platform| folders(platform));
    versions.flat_map(|version| folders(&version)).collect()
}

fn read(folder: &Path) -> Case {
    let file = folder.join("case.yaml");
    let text =
        fs::read_to_string(&file).unwrap_or_else(|_| panic!("{} is missing", file.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn policy_of(case: &Case) -> String {
    match case.policy.strip_prefix("builtin:") {
        Some(_) => case.policy.clone(),
        None => root()
            .join("fixtures")
            .join(&case.policy)
            .display()
            .to_string(),
    }
}

#[test]
fn each_case_gives_exactly_its_findings() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = String::new();
    for folder in cases() {
        let case = read(&folder);
        assert!(
            !case.shows.is_empty() && !case.source.is_empty(),
            "{}",
            folder.display()
        );
        let policy = policy(&policy_of(&case));
        let report = audited(&folder.join("raw"), &policy);
        let (found, code) = (fired(&report, false), exit(&report, &policy));
        if update {
            let mut text: String = fs::read_to_string(folder.join("case.yaml"))
                .unwrap()
                .lines()
                .take_while(|line| !line.starts_with("exit:"))
                .map(|line| format!("{line}\n"))
                .collect();
            text.push_str(&format!("exit: {code}\nfindings:"));
            text.push_str(if found.is_empty() { " []\n" } else { "\n" });
            text.extend(found.iter().map(|line| format!("  - {line:?}\n")));
            fs::write(folder.join("case.yaml"), text).unwrap();
            continue;
        }
        let name = folder.strip_prefix(root()).unwrap().display();
        for line in found.difference(&case.findings) {
            wrong.push_str(&format!("{name}: not expected: {line}\n"));
        }
        for line in case.findings.difference(&found) {
            wrong.push_str(&format!("{name}: missing: {line}\n"));
        }
        if case.exit != Some(code) {
            wrong.push_str(&format!("{name}: exit {code}, not {:?}\n", case.exit));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// States that no case shows, and why. The list may only shrink.
const GAPS: [(&str, &[Status], &str); 16] = [
    (
        "buffer/oversubscribed",
        UNKNOWN,
        "judged only where ratio and pool are known",
    ),
    (
        "buffer/pool",
        UNKNOWN,
        "a size that is not configured is computed by the switch",
    ),
    (
        "buffer/egress",
        &[Status::Pass, Status::Unknown],
        "judged only where the limit is fixed",
    ),
    (
        "collect/denied",
        &[Status::Fail, Status::Pass],
        "always unknown",
    ),
    (
        "collect/failed",
        &[Status::Fail, Status::Pass],
        "always unknown",
    ),
    (
        "collect/unrecognised",
        &[Status::Fail, Status::Pass],
        "always unknown",
    ),
    (
        "config/unparsed",
        &[Status::Fail, Status::Pass],
        "always unknown",
    ),
    ("collect/unreachable", ALL, "needs live collection"),
    ("internal/parser", ALL, "needs a parser that panics"),
    (
        "ecn/after-pfc",
        ALL,
        "no platform here has a fixed pause point",
    ),
    (
        "map/override",
        &[Status::Fail, Status::Unknown],
        "no platform here reads policies",
    ),
    ("map/conflict", UNKNOWN, "told only when seen"),
    ("map/unresolved", UNKNOWN, "told only when seen"),
    (
        "policy/matches-nothing",
        &[Status::Pass, Status::Unknown],
        "told only when it fails",
    ),
    (
        "policy/waiver-expired",
        ALL,
        "shown by the tests of the command line",
    ),
    (
        "pfc/operational",
        UNKNOWN,
        "only negotiated PFC makes it unknown",
    ),
];
const UNKNOWN: &[Status] = &[Status::Unknown];
const ALL: &[Status] = &[Status::Fail, Status::Pass, Status::Unknown];

#[test]
fn every_check_fails_passes_and_is_unknown_somewhere() {
    let mut seen: BTreeMap<String, BTreeSet<Status>> = BTreeMap::new();
    for folder in cases() {
        let case = read(&folder);
        let units = discover(folder.join("raw").to_str().unwrap(), &[]).unwrap();
        let options = Options {
            devices: Selection::default(),
            ports: Selection::default(),
            checks: Selection::default(),
            now: "2026-12-01T00:00:00Z".parse().unwrap(),
            each_port: true,
            passes: true,
        };
        let report = audit(&units, &policy(&policy_of(&case)), &options).unwrap();
        for finding in report.findings {
            seen.entry(finding.check.into_owned())
                .or_default()
                .insert(finding.status);
        }
    }
    let mut gaps = BTreeSet::new();
    for check in registry() {
        let id = check.about().id;
        let states = seen.remove(id).unwrap_or_default();
        for state in [Status::Fail, Status::Pass, Status::Unknown] {
            if !states.contains(&state) {
                gaps.insert((id.to_owned(), state.as_str().to_owned()));
            }
        }
    }
    let state = |check: &str, state: &Status| (check.to_owned(), state.as_str().to_owned());
    let known: BTreeSet<(String, String)> = GAPS
        .iter()
        .flat_map(|(check, states, _)| states.iter().map(|s| state(check, s)))
        .collect();
    let new: Vec<_> = gaps.difference(&known).collect();
    assert!(new.is_empty(), "no fixture shows {new:#?}");
    let closed: Vec<_> = known.difference(&gaps).collect();
    assert!(
        closed.is_empty(),
        "no gap any more, take it off the list: {closed:?}"
    );
}
