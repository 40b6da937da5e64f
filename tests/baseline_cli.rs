//! `roceaudit baseline` and `roceaudit drift`, and what may happen to a store.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use assert_cmd::Command;
use common::fixtures::copy;
use common::root;
use roceaudit::drift::store::{Baseline, Store, StoreError};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn roceaudit(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("roceaudit").unwrap();
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn example() -> String {
    root().join("examples/fabric").display().to_string()
}

/// The example fabric with the configuration of leaf1 changed.
fn changed(change: impl FnOnce(&mut Value)) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(Path::new(&example()), dir.path());
    let file = dir.path().join("leaf1.json");
    let mut config: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    change(&mut config);
    fs::write(&file, serde_json::to_string_pretty(&config).unwrap()).unwrap();
    dir
}

/// A store with the example fabric accepted.
struct Kept(TempDir);

impl Kept {
    fn new() -> Self {
        let kept = Kept(tempfile::tempdir().unwrap());
        let (code, out, err) = kept.accept(&example(), &["--by", "ada"]);
        assert_eq!(code, 0, "{out}{err}");
        kept
    }

    fn store(&self) -> String {
        self.0.path().join("store").display().to_string()
    }

    fn accept(&self, source: &str, more: &[&str]) -> (i32, String, String) {
        let store = self.store();
        roceaudit(
            &[
                &["baseline", "accept", source, "--store", store.as_str()],
                more,
            ]
            .concat(),
        )
    }

    fn drift(&self, source: &str, more: &[&str]) -> (i32, String, String) {
        let store = self.store();
        roceaudit(&[&["drift", source, "--store", store.as_str()], more].concat())
    }

    fn baseline(&self, what: &[&str]) -> (i32, String, String) {
        let store = self.store();
        roceaudit(&[&["baseline"], what, &["--store", store.as_str()]].concat())
    }

    /// All files below the store.
    fn files(&self) -> Vec<std::path::PathBuf> {
        fn walk(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => walk(&path, files),
                    false => files.push(path),
                }
            }
        }
        let mut files = Vec::new();
        walk(Path::new(&self.store()), &mut files);
        files.sort();
        files
    }

    fn file(&self, part: &str) -> std::path::PathBuf {
        let files = self.files();
        files
            .into_iter()
            .find(|f| f.display().to_string().contains(part))
            .unwrap()
    }
}

fn path(dir: &TempDir) -> String {
    dir.path().display().to_string()
}

fn pfc_off() -> TempDir {
    changed(|c| c["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = json!(""))
}

fn mtu(bytes: &str) -> TempDir {
    changed(|c| c["PORT"]["Ethernet4"]["mtu"] = json!(bytes))
}

#[test]
fn what_was_accepted_does_not_drift() {
    let kept = Kept::new();
    let (code, out, _) = kept.drift(&example(), &[]);
    assert_eq!(
        (code, out.as_str()),
        (0, "8 devices compared: no difference in meaning\n")
    );
    // Rendered anew, it says the same.
    assert_eq!(kept.drift(&path(&changed(|_| {})), &[]).0, 0);
}

#[test]
fn a_change_drifts() {
    let kept = Kept::new();
    let (code, out, _) = kept.drift(&path(&pfc_off()), &[]);
    assert_eq!(code, 1);
    assert!(
        out.contains("leaf1 Ethernet0: PFC priority 3 on → off  [pfc/missing, critical]"),
        "{out}"
    );
    let (_, out, _) = kept.drift(&path(&pfc_off()), &["--format", "json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["changes"][0]["field"], "pfc/enabled");
    assert_eq!(json["changes"][0]["old_evidence"]["source"], "leaf1.json");
    assert_eq!(json["changes"].as_array().unwrap().len(), 1);
    assert_eq!(kept.drift(&path(&mtu("9000")), &["--fail-on", "info"]).0, 0);
}

#[test]
fn devices_that_come_go_or_cannot_be_read_are_told() {
    let kept = Kept::new();
    let other = changed(|_| {});
    fs::remove_file(other.path().join("spine1.json")).unwrap();
    fs::copy(
        other.path().join("leaf1.json"),
        other.path().join("leaf9.json"),
    )
    .unwrap();
    let (code, out, _) = kept.drift(&path(&other), &[]);
    assert_eq!(code, 1);
    assert!(
        out.contains("new device leaf9") && out.contains("missing device spine1"),
        "{out}"
    );
    let other = changed(|_| {});
    fs::write(
        other.path().join("leaf1.json"),
        "Error: database is not running",
    )
    .unwrap();
    assert_eq!(kept.drift(&path(&other), &[]).0, 3);
}

#[test]
fn a_source_that_fails_is_accepted_only_when_told_why() {
    let kept = Kept::new();
    let before = kept.files();
    let (code, _, err) = kept.accept(&path(&pfc_off()), &[]);
    assert_eq!(code, 1);
    assert!(
        err.contains("the audit fails") && err.contains("--force --reason"),
        "{err}"
    );
    assert_eq!(
        kept.accept(&path(&pfc_off()), &["--reason", "because"]).0,
        1
    );
    assert_eq!(kept.accept(&path(&pfc_off()), &["--force"]).0, 2);
    assert_eq!(kept.files(), before);
    let (code, _, err) = kept.accept(&path(&pfc_off()), &["--force", "--reason", "spare port"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = kept.baseline(&["show", "--format", "json"]);
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&shown["reason"], &shown["despite"]),
        (&json!("spare port"), &json!("the audit fails"))
    );
    let mut findings = shown["findings"].as_array().unwrap().iter();
    let missing = "fail critical pfc/missing leaf1 Ethernet0: ";
    assert!(findings.any(|line| line.as_str().unwrap().starts_with(missing)));
    assert_eq!(kept.drift(&path(&pfc_off()), &[]).0, 0);
}

#[test]
fn a_source_that_is_incomplete_is_accepted_only_when_told_why() {
    let kept = Kept::new();
    let other = changed(|_| {});
    fs::write(
        other.path().join("leaf1.json"),
        "Error: database is not running",
    )
    .unwrap();
    let (code, _, err) = kept.accept(&path(&other), &[]);
    assert_eq!(code, 3);
    assert!(err.contains("incomplete"), "{err}");
    assert_eq!(
        kept.accept(&path(&other), &["--force", "--reason", "leaf1 is down"])
            .0,
        0
    );
    // What was unknown when it was accepted is no pass later on.
    assert_eq!(kept.drift(&path(&other), &[]).0, 3);
}

#[test]
fn who_when_and_why_are_kept_in_order_whatever_the_clock_says() {
    let kept = Kept::new();
    let accept = |source: &TempDir, now: &str, reason: &str| {
        let more = ["--now", now, "--by", "bob", "--reason", reason];
        assert_eq!(kept.accept(&path(source), &more).0, 0);
    };
    accept(&mtu("9000"), "2031-01-01", "new hosts");
    accept(&mtu("9050"), "2029-01-01", "the clock went back");
    let (_, out, _) = kept.baseline(&["list", "--format", "json"]);
    let list: Value = serde_json::from_str(&out).unwrap();
    let sequence: Vec<_> = list["baselines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["sequence"].clone())
        .collect();
    assert_eq!(sequence, [3, 2, 1]);
    assert_eq!(list["baselines"][0]["reason"], "the clock went back");
    assert_eq!(list["baselines"][1]["time"], "2031-01-01T00:00:00Z");
    assert_eq!(list["baselines"][2]["by"], "ada");
    let (_, out, _) = kept.baseline(&["list"]);
    assert!(out.starts_with("* 0003-"), "{out}");
    assert_eq!(kept.baseline(&["history", "leaf1"]).1.lines().count(), 3);
    assert_eq!(kept.baseline(&["history", "spine1"]).1.lines().count(), 1);
    assert_eq!(kept.baseline(&["history", "nobody"]).0, 2);
    // An older baseline can be shown and compared with.
    assert_eq!(kept.drift(&example(), &["--baseline", "0001"]).0, 0);
    assert_eq!(kept.drift(&example(), &[]).0, 1);
    assert_eq!(kept.baseline(&["show", "0002"]).0, 0);
    assert_eq!(kept.baseline(&["show", "0009"]).0, 2);
}

#[test]
fn one_device_can_be_accepted_by_itself() {
    let kept = Kept::new();
    let other = mtu("9000");
    let (code, out, err) = kept.accept(&path(&other), &["--device", "leaf1"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("8 devices, 1 of them new or changed"), "{out}");
    assert_eq!(kept.drift(&path(&other), &[]).0, 0);
}

#[test]
fn what_did_not_change_is_stored_once() {
    let kept = Kept::new();
    let devices = |kept: &Kept| {
        kept.files()
            .iter()
            .filter(|f| f.display().to_string().contains("/devices/"))
            .count()
    };
    assert_eq!(devices(&kept), 8);
    assert_eq!(kept.accept(&path(&mtu("9000")), &[]).0, 0);
    assert_eq!(devices(&kept), 9);
    // Accepted twice, it is the same file.
    assert_eq!(kept.accept(&path(&mtu("9000")), &[]).0, 0);
    assert_eq!(devices(&kept), 9);
}

#[test]
fn no_secret_is_stored_and_none_drifts() {
    let with = |secret: &str| {
        changed(|c| {
            c["TACPLUS"] = json!({"global": {"passkey": secret}});
            c["SNMP_COMMUNITY"] = json!({"x": {"secret": secret}});
        })
    };
    let kept = Kept::new();
    assert_eq!(kept.accept(&path(&with("hunter2")), &[]).0, 0);
    for file in kept.files() {
        assert!(
            !fs::read_to_string(&file).unwrap().contains("hunter2"),
            "{}",
            file.display()
        );
    }
    assert_eq!(kept.drift(&path(&with("hunter3")), &[]).0, 0);
}

#[test]
fn a_file_that_was_changed_or_cut_is_told() {
    for part in ["/devices/leaf1/", "/baselines/"] {
        let kept = Kept::new();
        let file = kept.file(part);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replacen("leaf1", "leaf7", 1)).unwrap();
        let (code, _, err) = kept.drift(&path(&pfc_off()), &[]);
        assert_eq!(code, 2, "{part}");
        assert!(err.contains("was changed after it was written"), "{err}");
        fs::write(&file, &text[..text.len() / 2]).unwrap();
        let (code, _, err) = kept.drift(&path(&pfc_off()), &[]);
        assert_eq!(code, 2, "{part}");
        assert!(
            err.contains("damaged") || err.contains("was changed"),
            "{err}"
        );
        fs::remove_file(&file).unwrap();
        assert_eq!(kept.drift(&path(&pfc_off()), &[]).0, 2);
    }
}

#[test]
fn another_schema_is_told() {
    let kept = Kept::new();
    for (part, schema) in [
        ("/baselines/", "roceaudit.baseline/v"),
        ("current.json", "roceaudit.current/v"),
    ] {
        let file = kept.file(part);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(
            &file,
            text.replace(&format!("{schema}1"), &format!("{schema}0")),
        )
        .unwrap();
        let (code, _, err) = kept.drift(&example(), &[]);
        assert_eq!(code, 2);
        assert!(err.contains(&format!("has the schema {schema}0")), "{err}");
        fs::write(&file, text).unwrap();
    }
    assert_eq!(kept.drift(&example(), &[]).0, 0);
}

#[test]
fn an_empty_store_and_another_fabric_are_told() {
    let empty = Kept(tempfile::tempdir().unwrap());
    let (code, _, err) = empty.drift(&example(), &[]);
    assert_eq!(code, 2);
    assert!(err.contains("baseline accept"), "{err}");
    assert_eq!(empty.baseline(&["list"]).0, 2);
    let kept = Kept::new();
    let other = tempfile::tempdir().unwrap();
    fs::copy(
        Path::new(&example()).join("leaf1.json"),
        other.path().join("tor99.json"),
    )
    .unwrap();
    let (code, _, err) = kept.drift(&path(&other), &[]);
    assert_eq!(code, 2);
    assert!(err.contains("another fabric"), "{err}");
    assert_eq!(
        roceaudit(&["drift", &example(), "--store", "s3://bucket/x"]).0,
        2
    );
}

/// What a killed run leaves behind is neither read nor in the way.
#[test]
fn half_written_files_do_no_harm() {
    let kept = Kept::new();
    let store = kept.store();
    fs::write(
        Path::new(&store).join(".current.json.999.partial"),
        "{\"sch",
    )
    .unwrap();
    fs::write(
        Path::new(&store).join("baselines/0002-0000000000000000.json"),
        "{",
    )
    .unwrap();
    let file = kept.file("/devices/leaf1/");
    fs::write(file.with_file_name(".x.json.999.partial"), "{").unwrap();
    assert_eq!(kept.drift(&example(), &[]).0, 0);
    assert_eq!(kept.baseline(&["list"]).1.lines().count(), 1);
    assert_eq!(kept.accept(&path(&mtu("9000")), &[]).0, 0);
}

#[test]
fn a_store_that_cannot_be_written_keeps_what_is_in_force() {
    let kept = Kept::new();
    let devices = Path::new(&kept.store()).join("devices/leaf1");
    fs::rename(&devices, devices.with_file_name("aside")).unwrap();
    fs::write(&devices, "in the way").unwrap();
    let (code, _, err) = kept.accept(&path(&mtu("9000")), &[]);
    assert_eq!(code, 2, "{err}");
    fs::remove_file(&devices).unwrap();
    fs::rename(devices.with_file_name("aside"), &devices).unwrap();
    assert_eq!(kept.drift(&example(), &[]).0, 0);
    assert_eq!(kept.baseline(&["list"]).1.lines().count(), 1);
}

#[test]
fn of_two_who_accept_at_once_one_is_told() {
    let kept = Kept::new();
    let store = Store::new(kept.store());
    let (id, baseline) = store.in_force().unwrap();
    let next = |by: usize| Baseline {
        parent: Some(id.clone()),
        sequence: baseline.sequence + 1,
        by: format!("operator {by}"),
        ..baseline.clone()
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let (store, next) = (&store, &next);
                scope.spawn(move || store.accept(&next(n)))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let won: Vec<_> = results.iter().filter_map(|r| r.as_ref().ok()).collect();
    assert_eq!(won.len(), 1);
    let lost = results.iter().filter_map(|r| r.as_ref().err());
    assert!(
        lost.into_iter()
            .all(|e| matches!(e, StoreError::Overtaken { now } if now == won[0]))
    );
    assert_eq!(store.current().unwrap().as_ref(), Some(won[0]));
    assert_eq!(store.history().unwrap().len(), 2);
}

/// A week of nights tells the seeded story, and nothing else.
#[test]
fn a_week_of_nights_tells_what_happened() {
    let kept = Kept::new();
    let night = |change: &dyn Fn(&mut Value)| {
        let source = changed(|c| change(c));
        let (code, out, _) = kept.drift(&path(&source), &["--format", "json"]);
        let json: Value = serde_json::from_str(&out).unwrap();
        let list = |name: &str| json[name].as_array().unwrap().clone();
        let told: Vec<String> = list("changes")
            .iter()
            .chain(&list("bom"))
            .map(|c| {
                let word = |name: &str| c[name].as_str().unwrap_or("*").to_owned();
                format!(
                    "{} {} {} {}",
                    word("device"),
                    word("port"),
                    word("field"),
                    word("effect")
                )
            })
            .collect();
        (code, told)
    };
    let pfc = |c: &mut Value| c["PORT_QOS_MAP"]["Ethernet8"]["pfc_enable"] = json!("");
    let hardware =
        |c: &mut Value| c["DEVICE_METADATA"]["localhost"]["hwsku"] = json!("Mellanox-SN4600C");
    assert_eq!(night(&|_| {}), (0, vec![]));
    assert_eq!(
        night(&|c| c["TACPLUS"] = json!({"global": {"passkey": "again"}})),
        (0, vec![])
    );
    let broken = "leaf1 Ethernet8 pfc/enabled breaks".to_owned();
    assert_eq!(night(&pfc), (1, vec![broken.clone()]));
    let (code, told) = night(&|c| {
        pfc(c);
        hardware(c);
    });
    assert_eq!(code, 1);
    assert!(
        told.contains(&broken) && told.contains(&"leaf1 * hardware neutral".to_owned()),
        "{told:?}"
    );
    assert_eq!(night(&|_| {}), (0, vec![]));
}

/// An audit before a change shows what the change breaks, and nothing else.
#[test]
fn an_audit_against_what_was_shows_what_is_new() {
    let kept = Kept::new();
    let (old, new) = (
        mtu("1500"),
        changed(|c| {
            c["PORT"]["Ethernet4"]["mtu"] = json!("1500");
            c["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = json!("");
        }),
    );
    let report = kept.0.path().join("old.json").display().to_string();
    let (_, out, _) = roceaudit(&["audit", &path(&old), "--format", "json"]);
    fs::write(&report, out).unwrap();
    for from in [path(&old), report] {
        let against = ["--against-baseline", from.as_str()];
        let audit = |source: &TempDir, more: &[&str]| {
            roceaudit(&[&["audit", path(source).as_str()], &against[..], more].concat())
        };
        let (code, out, _) = audit(&new, &["--format", "json"]);
        assert_eq!(code, 1);
        let json: Value = serde_json::from_str(&out).unwrap();
        let findings = json["findings"].as_array().unwrap();
        assert!(
            findings
                .iter()
                .any(|f| f["check"] == "pfc/missing" && f["port"] == "Ethernet0")
        );
        assert!(findings.iter().all(|f| f["check"] != "mtu/port"), "{out}");
        assert_eq!(audit(&old, &[]).0, 0, "{from}");
        let (code, _, err) = audit(&changed(|_| {}), &[]);
        assert_eq!(code, 0);
        assert!(err.contains("findings of before are gone"), "{err}");
    }
    // The baseline in force is a source too.
    let store = kept.store();
    let (code, out, _) = roceaudit(&["audit", &path(&old), "--against-baseline", &store]);
    assert_eq!(code, 1);
    assert!(out.contains("mtu/port"), "{out}");
    let missing = ["audit", &example(), "--against-baseline", "/nonexistent"];
    assert_eq!(roceaudit(&missing).0, 2);
}
