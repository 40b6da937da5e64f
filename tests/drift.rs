//! What changed in meaning, over the fixtures of all platforms: nothing where
//! only the rendering differs, and one line a port for one change.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::fixtures::{self, Fixture, copy};
use common::policy;
use roceaudit::audit::{Judge, Options, Selection, read_unit};
use roceaudit::drift::{self, Address, Change, Diff, Difference, Effect, Outcome, Seen};
use roceaudit::model::{AnyFact, Device, Field, Kind, json};
use roceaudit::policy::PolicySet;
use roceaudit::source::discover;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

fn diff(old: &Path, new: &Path) -> Diff {
    static POLICY: OnceLock<PolicySet> = OnceLock::new();
    let policy = POLICY.get_or_init(|| policy("builtin:roce-lossless"));
    let options = Options {
        devices: Selection::default(),
        ports: Selection::default(),
        checks: Selection::default(),
        now: "2026-12-01T00:00:00Z".parse().unwrap(),
        each_port: false,
        passes: false,
        cables: Vec::new(),
    };
    let units = |path: &Path| discover(&path.to_string_lossy(), &[]).unwrap();
    let judge = Judge::new(policy, &options).unwrap();
    drift::sources(&units(old), &units(new), &judge)
}

/// Each change with the base that it is of.
fn pairs(all: &[Fixture]) -> Vec<(&Fixture, &Fixture)> {
    let bases: BTreeMap<&str, &Fixture> = all.iter().map(|f| (f.name.as_str(), f)).collect();
    let changed = all.iter().filter_map(|fixture| {
        let (base, _) = fixture.name.split_once(": ")?;
        Some((*bases.get(base)?, fixture))
    });
    changed.collect()
}

/// The bases that changes are of: one good configuration a platform and release.
fn bases(all: &[Fixture]) -> Vec<&Fixture> {
    let mut bases: Vec<_> = pairs(all).into_iter().map(|(base, _)| base).collect();
    bases.dedup_by(|a, b| a.name == b.name);
    bases
}

fn lines(diff: &Diff) -> Vec<String> {
    let line = |change: &Change| {
        let ports = change.places.iter();
        let ports: Vec<_> = ports.map(|p| p.port.as_deref().unwrap_or("*")).collect();
        format!("{} {} {}", ports.join(","), change.address, change.effect)
    };
    diff.changes.iter().chain(&diff.bom).map(line).collect()
}

fn assert_same(diff: &Diff, what: &str) {
    assert_eq!(lines(diff), [""; 0], "{what}");
    assert!(diff.devices.is_empty(), "{what}: {:?}", diff.devices);
    assert!(diff.ports.is_empty(), "{what}: {:?}", diff.ports);
}

/// A copy with each file rewritten.
fn rewritten(raw: &Path, rewrite: impl Fn(&str) -> String + Copy) -> tempfile::TempDir {
    fn walk(folder: &Path, rewrite: impl Fn(&str) -> String + Copy) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, rewrite);
            } else if let Ok(text) = fs::read_to_string(&path) {
                fs::write(&path, rewrite(&text)).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    copy(raw, folder.path());
    walk(folder.path(), rewrite);
    folder
}

#[test]
fn a_source_does_not_differ_from_itself() {
    for fixture in fixtures::all() {
        let diff = diff(&fixture.raw, &fixture.raw);
        assert_same(&diff, &fixture.name);
    }
}

/// Moves stanzas, set commands and members of objects around: the meaning stays.
fn reordered(text: &str) -> String {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        return value.to_string(); // sorted, and on one line
    }
    let lines: Vec<&str> = text.lines().collect();
    if lines
        .iter()
        .all(|line| line.starts_with("nv set ") || line.starts_with("set "))
    {
        let mut sorted = lines;
        sorted.reverse();
        return sorted.join("\n") + "\n";
    }
    // Interfaces of an indented configuration, last first.
    let mut stanzas: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        match stanzas.last_mut() {
            Some(stanza) if line.starts_with([' ', '!', '\t']) || line.is_empty() => {
                stanza.push(line);
            }
            _ => stanzas.push(vec![line]),
        }
    }
    let is_port = |n: usize| {
        let in_banner = n > 0 && stanzas[n - 1][0].starts_with("banner");
        !in_banner
            && stanzas[n][0]
                .to_lowercase()
                .starts_with("interface ethernet")
    };
    let places: Vec<usize> = (0..stanzas.len()).filter(|n| is_port(*n)).collect();
    for n in 0..places.len() / 2 {
        stanzas.swap(places[n], places[places.len() - 1 - n]);
    }
    stanzas.concat().join("\n") + "\n"
}

#[test]
fn order_does_not_count() {
    let all = fixtures::all();
    for fixture in bases(&all) {
        let moved = rewritten(&fixture.raw, reordered);
        assert_same(&diff(&fixture.raw, moved.path()), &fixture.name);
    }
}

#[test]
fn line_ends_and_blank_lines_do_not_count() {
    let all = fixtures::all();
    for fixture in bases(&all) {
        let other = rewritten(&fixture.raw, |text| text.replace('\n', "\r\n") + "\r\n\r\n");
        assert_same(&diff(&fixture.raw, other.path()), &fixture.name);
    }
}

/// Secrets that are encrypted anew and times of saving, as each platform
/// writes them.
#[test]
fn secrets_and_times_do_not_count() {
    let notes = |platform: &str, n: u32| match platform {
        "eos" | "nxos" | "os10" => format!(
            "! Last configuration change at 1{n}:02:03 2026 by admin\n\
             username admin secret sha512 $6$salt{n}$hash{n}\n\
             snmp-server community c{n} ro\n"
        ),
        "cumulus" => format!("nv set system aaa user cumulus hashed-password '$6$salt{n}$h{n}'\n"),
        "junos" => {
            format!("set system root-authentication encrypted-password \"$6$salt{n}$hash{n}\"\n")
        }
        _ => String::new(),
    };
    let all = fixtures::all();
    for fixture in bases(&all) {
        let with = |n| {
            rewritten(&fixture.raw, |text| {
                let known = text.contains("interface") && !text.starts_with('{');
                match known && !notes(&fixture.platform, n).is_empty() {
                    true => text.to_owned() + &notes(&fixture.platform, n),
                    false => text.to_owned(),
                }
            })
        };
        assert_same(&diff(with(1).path(), with(2).path()), &fixture.name);
    }
}

/// What a change breaks by the fixture is what the diff says that it breaks.
#[test]
fn changes_of_fixtures_have_the_effect_that_the_audit_finds() {
    let all = fixtures::all();
    let mut told = 0;
    let mut wrong = Vec::new();
    for (base, change) in pairs(&all) {
        if change.case.policy != "builtin:roce-lossless" || base.case.policy != change.case.policy {
            continue;
        }
        let diff = diff(&base.raw, &change.raw);
        let of_device = |line: &&String| {
            let others = [
                "link/",
                "path/",
                "fleet/",
                "mtu/path",
                "policy/",
                "counters/",
                "pfc/operational",
            ];
            line.starts_with("fail ") && !others.iter().any(|area| line.contains(area))
        };
        if change.name.contains("storm") {
            continue; // a state of the moment
        }
        let fails = change.case.findings.iter().find(of_device);
        let was = base.case.findings.iter().find(of_device);
        let breaks = diff.changes.iter().chain(&diff.bom);
        let breaks = breaks.filter(|c| c.effect == Effect::Breaks).count();
        if fails.is_some() && was.is_none() && diff.unread.is_empty() {
            let came = diff.ports.added.len() + diff.devices.added.len();
            let differs = diff.outcome(None, false) == Outcome::Differs;
            if breaks + came == 0 || !differs {
                wrong.push((change.name.clone(), lines(&diff)));
            }
            told += 1;
        }
        if fails.is_none() && diff.newly_failing.is_some() {
            wrong.push((change.name.clone(), lines(&diff)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(told > 100, "only {told}");
}

/// Names of single changes that touch one setting, on whichever platform.
const SINGLE: [&str; 9] = [
    "pfc-no-rx",
    "pfc-no-tx",
    "pfc-on-host-ports",
    "pfc-off-on-one-port",
    "pfc-other-priority",
    "mtu-small",
    "ecn-min-above-max",
    "link-pause",
    "watchdog-off",
];

#[test]
fn one_change_is_one_line_a_port() {
    let all = fixtures::all();
    let mut seen = 0;
    for (base, change) in pairs(&all) {
        let name = change.name.split_once(": ").unwrap().1;
        if !SINGLE.contains(&name) {
            continue;
        }
        let diff = diff(&base.raw, &change.raw);
        let mut ports: BTreeMap<&str, usize> = BTreeMap::new();
        for place in diff.changes.iter().flat_map(|change| &change.places) {
            if let Some(port) = place.port.as_deref() {
                *ports.entry(port).or_default() += 1;
            }
        }
        assert!(!ports.is_empty(), "{}", change.name);
        assert!(
            ports.values().all(|n| *n == 1),
            "{}: {:?}",
            change.name,
            lines(&diff)
        );
        seen += 1;
    }
    assert!(seen >= 5, "only {seen}");
}

/// The values of a device by path, volatile ones aside: unknown is null, what
/// does not apply is not there.
fn leaves(device: &Device) -> BTreeMap<String, Value> {
    let mut leaves = BTreeMap::new();
    leaves.insert("/platform".to_owned(), device.platform.into());
    json::each_leaf(device, &mut |path, fact: &dyn AnyFact| {
        let volatile = ["/oper", "/pfc/operational", "/stormed", "/nic/gids"];
        let counter = path.contains("/counters/");
        if volatile.iter().any(|end| path.ends_with(end)) || counter {
            return;
        }
        match (fact.json(), fact.kind()) {
            (None, _) => {}
            (Some(_), Kind::Unknown) => flatten(path, &Value::Null, &mut leaves),
            (Some(value), _) => flatten(path, &value, &mut leaves),
        }
    });
    leaves
}

fn flatten(path: &str, value: &Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        // Without entries it has no leaves.
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                flatten(&format!("{path}/{name}"), value, leaves);
            }
        }
        value => {
            leaves.insert(path.to_owned(), value.clone());
        }
    }
}

/// Makes the new leaves of the old ones: what a diff does not tell is not there.
fn apply(leaves: &mut BTreeMap<String, Value>, root: &str, difference: &Difference) {
    if matches!(difference.address, Address::Peer) || difference.address.to_string() == "nic/gids" {
        return; // no leaves
    }
    let path = format!("{root}/{}", difference.address);
    let below = format!("{path}/");
    leaves.retain(|leaf, _| *leaf != path && !leaf.starts_with(&below));
    match &difference.new {
        Seen::Absent => {}
        // A key that is not known has no leaf of its own.
        Seen::Unknown if matches!(difference.address, Address::Fact(Field::MapEntry(..))) => {}
        Seen::Unknown => flatten(&path, &Value::Null, leaves),
        Seen::Value(value, _) => {
            let mut value = value.clone();
            if let (Value::Object(members), true) = (
                &mut value,
                matches!(
                    difference.address,
                    Address::Queue(_) | Address::Group(_) | Address::Pool(_)
                ),
            ) {
                members.remove("id");
                members.remove("name");
            }
            flatten(&path, &value, leaves);
        }
    }
}

fn assert_applies(old: &Device, new: &Device, what: &str) {
    let diff = drift::compare(old, new);
    let mut made = leaves(old);
    for difference in &diff.own {
        apply(&mut made, "", difference);
    }
    let port = |name: &str| format!("/ports/{}", name.replace('~', "~0").replace('/', "~1"));
    for n in &diff.removed {
        let below = port(&old.ports[*n].name) + "/";
        made.retain(|leaf, _| !leaf.starts_with(&below));
    }
    for ports in &diff.ports {
        assert!(!ports.differences.is_empty());
        for difference in &ports.differences {
            apply(&mut made, &port(&old.ports[ports.old].name), difference);
        }
    }
    for (n, m) in &diff.renamed {
        let (from, to) = (
            port(&old.ports[*n].name) + "/",
            port(&new.ports[*m].name) + "/",
        );
        let moved = made.keys().filter(|leaf| leaf.starts_with(&from)).cloned();
        for leaf in moved.collect::<Vec<_>>() {
            let value = made.remove(&leaf).unwrap();
            made.insert(leaf.replacen(&from, &to, 1), value);
        }
    }
    let mut expected = leaves(new);
    for n in &diff.added {
        let below = port(&new.ports[*n].name) + "/";
        expected.retain(|leaf, _| !leaf.starts_with(&below));
    }
    let rest: Vec<_> = made
        .iter()
        .filter(|leaf| expected.get(leaf.0) != Some(leaf.1))
        .collect();
    let missing = expected
        .iter()
        .filter(|leaf| made.get(leaf.0) != Some(leaf.1));
    assert_eq!(rest, missing.collect::<Vec<_>>(), "{what}");
}

/// Any two devices of a platform, as far apart as they are.
#[test]
fn a_diff_applied_to_the_old_gives_the_new() {
    let mut by_platform: BTreeMap<&str, Vec<(String, Device)>> = BTreeMap::new();
    for fixture in fixtures::all() {
        for unit in discover(fixture.raw.to_str().unwrap(), &[]).unwrap() {
            if let Some(device) = read_unit(&unit).device {
                let list = by_platform.entry(device.platform).or_default();
                list.push((fixture.name.clone(), device));
            }
        }
    }
    for devices in by_platform.values() {
        for (n, (name, new)) in devices.iter().enumerate().step_by(5) {
            assert_applies(new, new, name);
            assert!(
                drift::compare(new, new) == drift::DeviceDiff::default(),
                "{name}"
            );
            let (other, old) = &devices[(n * 7 + 3) % devices.len()];
            assert_applies(old, new, &format!("{other} -> {name}"));
        }
    }
}
