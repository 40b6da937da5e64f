//! Walks `fixtures/`: each case is a device with one property and exactly what
//! must be found (`findings`, information aside, and the exit code). Where
//! more than that matters, `expect` gives severity, class, kind and values.
//!
//! `UPDATE_GOLDEN=1` rewrites `findings` and `exit` of each `case.yaml`, never
//! `expect` and no `changes.yaml`: read the difference. `ONLY_PLATFORM=eos`
//! walks the cases whose path starts so.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::fixtures::{self, Expected};
use common::{audited, exit, of_devices, with_passes};
use roceaudit::check::registry;
use roceaudit::finding::{Finding, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Whether a finding is the failure that was expected.
fn is(expected: &Expected, finding: &Finding) -> bool {
    let same = |wanted: &Option<String>, found: Option<&str>| {
        wanted.is_none() || wanted.as_deref() == found
    };
    let mut ports = finding.places.iter().map(|place| place.port.as_deref());
    finding.status == Status::Fail
        && expected.check == finding.check
        && ports.any(|port| same(&expected.port, port))
        && same(&expected.class, finding.class.as_deref())
        && same(&expected.severity, Some(&finding.severity.to_string()))
        && same(&expected.kind, Some(finding.kind.as_str()))
        && same(&expected.expected, finding.expected.as_deref())
        && same(&expected.actual, finding.actual.as_deref())
}

#[test]
fn each_case_gives_exactly_its_findings() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let only = std::env::var("ONLY_PLATFORM").unwrap_or_default();
    let mut wrong = String::new();
    for fixture in fixtures::all() {
        if !fixture.name.starts_with(&only) {
            continue;
        }
        let (name, case) = (&fixture.name, &fixture.case);
        assert!(!case.shows.is_empty() && !case.source.is_empty(), "{name}");
        let policy = fixture.policy();
        let report = audited(&fixture.raw, &policy);
        let (found, code) = (of_devices(&report, false), exit(&report, &policy));
        if let Some(file) = fixture.file.as_deref().filter(|_| update) {
            let mut text: String = fs::read_to_string(file)
                .unwrap()
                .lines()
                .take_while(|line| !line.starts_with("exit:"))
                .map(|line| format!("{line}\n"))
                .collect();
            text.push_str(&format!("exit: {code}\nfindings:"));
            text.push_str(if found.is_empty() { " []\n" } else { "\n" });
            text.extend(found.iter().map(|line| format!("  - {line:?}\n")));
            fs::write(file, text).unwrap();
            continue;
        }
        for line in found.difference(&case.findings) {
            wrong.push_str(&format!("{name}: not expected: {line}\n"));
        }
        for line in case.findings.difference(&found) {
            wrong.push_str(&format!("{name}: missing: {line}\n"));
        }
        for expected in &case.expect {
            if !report.findings.iter().any(|found| is(expected, found)) {
                wrong.push_str(&format!("{name}: missing: {expected:?}\n"));
            }
        }
        if case.exit != Some(code) {
            wrong.push_str(&format!("{name}: exit {code}, not {:?}\n", case.exit));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// States that no case shows, and why. The list may only shrink.
const GAPS: &[(&str, &[Status], &str)] = &[
    ("mtu/path", ALL, "shown by the tests of paths"),
    ("link/mismatch", ALL, "shown by the tests of paths"),
    ("link/unknown-peer", ALL, "shown by the tests of paths"),
    ("link/cabling", ALL, "shown by the tests of paths"),
    ("path/lossless", ALL, "shown by the tests of paths"),
    ("path/cnp", ALL, "shown by the tests of paths"),
    ("fleet/outlier", UNKNOWN, "what is unknown is not compared"),
    (
        "bom/version",
        ALL,
        "the policies of the cases name no version",
    ),
    (
        "buffer/oversubscribed",
        UNKNOWN,
        "judged only where ratio and pool are known",
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
    ("map/override", UNKNOWN, "told only when seen"),
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
];
const UNKNOWN: &[Status] = &[Status::Unknown];
const ALL: &[Status] = &[Status::Fail, Status::Pass, Status::Unknown];

#[test]
fn every_check_fails_passes_and_is_unknown_somewhere() {
    let mut seen: BTreeMap<String, BTreeSet<Status>> = BTreeMap::new();
    for fixture in fixtures::all() {
        let report = with_passes(&fixture);
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

/// The default severities that users rely on, as documented: by check, then by
/// area, else high.
const SEVERITIES: [(&str, &str); 27] = [
    ("pfc/missing", "critical"),
    ("pfc/operational", "critical"),
    ("map/dscp", "critical"),
    ("map/unresolved", "critical"),
    ("map/rewrite", "critical"),
    ("trust/mode", "critical"),
    ("path/lossless", "critical"),
    ("load/class", "critical"),
    ("load/drop", "critical"),
    ("pfc/watchdog", "medium"),
    ("path/cnp", "medium"),
    ("nic/pause-guard", "medium"),
    ("nic/pcie", "medium"),
    ("policy/waiver-expired", "medium"),
    ("sched/cnp", "low"),
    ("policy/matches-nothing", "low"),
    ("sched/share", "info"),
    ("mtu", "medium"),
    ("dcqcn", "medium"),
    ("cnp", "medium"),
    ("fleet", "low"),
    ("bom", "low"),
    // Always unknown, never a failure: any severity will do.
    ("collect", ""),
    ("config", ""),
    ("internal", ""),
    // Of one sample they are information; the limits are for two.
    ("counters", "high"),
    ("", "high"),
];

#[test]
fn default_severities_are_as_documented() {
    for check in registry() {
        let about = check.about();
        let of = |name: &str| SEVERITIES.iter().find(|(key, _)| *key == name);
        let (_, wanted) = of(about.id)
            .or_else(|| of(about.area()))
            .or_else(|| of(""))
            .unwrap();
        let severity = about.severity.to_string();
        assert!(
            wanted.is_empty() || severity == *wanted,
            "{}: {severity}",
            about.id
        );
    }
}
