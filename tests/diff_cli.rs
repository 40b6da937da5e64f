//! `roceaudit diff` as people and scripts call it.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use assert_cmd::Command;
use common::fixtures::copy;
use common::root;
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

fn diff(new: &TempDir, more: &[&str]) -> (i32, String, String) {
    let (old, new) = (example(), new.path().display().to_string());
    roceaudit(&[&["diff", old.as_str(), new.as_str()], more].concat())
}

fn in_json(new: &TempDir) -> Value {
    serde_json::from_str(&diff(new, &["--format", "json"]).1).unwrap()
}

#[test]
fn the_same_meaning_is_exit_0() {
    let (code, out, _) = diff(&changed(|_| {}), &[]);
    assert_eq!(
        (code, out.as_str()),
        (0, "8 devices compared: no difference in meaning\n")
    );
}

#[test]
fn a_change_is_told_with_effect_and_lines() {
    let off = changed(|c| c["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = json!(""));
    let (code, out, _) = diff(&off, &[]);
    assert_eq!(code, 1);
    assert!(
        out.contains("leaf1 Ethernet0: PFC priority 3 on → off  [pfc/missing, critical]"),
        "{out}"
    );
    let json = in_json(&off);
    assert_eq!(json["schema"], "roceaudit.diff/v1");
    let changes = json["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    let change = &changes[0];
    assert_eq!(
        (&change["device"], &change["port"]),
        (&json!("leaf1"), &json!("Ethernet0"))
    );
    assert_eq!(change["field"], "pfc/enabled");
    assert_eq!((&change["old"], &change["new"]), (&json!([3]), &json!([])));
    assert_eq!(
        (&change["effect"], &change["check"]),
        (&json!("breaks"), &json!("pfc/missing"))
    );
    for side in ["old_evidence", "new_evidence"] {
        assert_eq!(change[side]["source"], "leaf1.json");
        assert!(
            change[side]["text"]
                .as_str()
                .unwrap()
                .contains("pfc_enable")
        );
    }
    assert_eq!(json["devices"]["added"], json!([]));
    assert_eq!(json["bom"], json!([]));
}

#[test]
fn the_way_back_repairs() {
    let off = changed(|c| c["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = json!(""));
    let (old, new) = (off.path().display().to_string(), example());
    let (code, out, _) = roceaudit(&["diff", &old, &new]);
    assert_eq!(code, 1);
    assert!(
        out.starts_with("Repairs:\n  leaf1 Ethernet0: PFC priority 3 off → on"),
        "{out}"
    );
}

#[test]
fn the_same_change_of_many_ports_is_one_line_and_one_change_a_port() {
    let small = changed(|c| {
        for port in c["PORT"].as_object_mut().unwrap().values_mut() {
            port["mtu"] = json!("1500");
        }
    });
    let (_, out, _) = diff(&small, &[]);
    let lines = out
        .lines()
        .filter(|line| line.contains("mtu/ip 9100 → 1500"));
    assert!(lines.count() <= 2, "{out}"); // ports in scope and those that are not
    let json = in_json(&small);
    let changes = json["changes"].as_array().unwrap();
    let of_mtu = changes.iter().filter(|change| change["field"] == "mtu/ip");
    assert_eq!(of_mtu.count(), changes.len());
    assert!(changes.len() > 4);
}

#[test]
fn devices_and_ports_come_and_go() {
    let other = changed(|c| {
        let port = c["PORT"]
            .as_object_mut()
            .unwrap()
            .remove("Ethernet12")
            .unwrap();
        c["PORT"]["Ethernet64"] = port;
        c["PORT"]["Ethernet64"]["description"] = json!("new");
    });
    fs::remove_file(other.path().join("spine1.json")).unwrap();
    let json = in_json(&other);
    assert_eq!(json["devices"]["removed"], json!(["spine1"]));
    assert_eq!(
        json["ports"]["added"],
        json!([{"device": "leaf1", "port": "Ethernet64"}])
    );
    assert_eq!(diff(&other, &[]).0, 1);
}

#[test]
fn a_device_under_another_name_is_the_same() {
    let other = changed(|_| {});
    fs::rename(
        other.path().join("leaf1.json"),
        other.path().join("tor1.json"),
    )
    .unwrap();
    let json = in_json(&other);
    assert_eq!(
        json["devices"]["renamed"],
        json!([{"old": "leaf1", "new": "tor1"}])
    );
    assert_eq!(json["devices"]["added"], json!([]));
    assert_eq!(json["changes"], json!([]));
}

#[test]
fn versions_are_of_the_bill_of_materials() {
    let other = changed(|c| c["DEVICE_METADATA"]["localhost"]["hwsku"] = json!("Mellanox-SN4600C"));
    let json = in_json(&other);
    assert_eq!(json["bom"][0]["field"], "hardware");
    assert_eq!(json["bom"][0]["new"], "Mellanox-SN4600C");
    assert_eq!(diff(&other, &[]).0, 1);
}

#[test]
fn fail_on_counts_what_breaks_only() {
    let renamed = changed(|c| c["PORT"]["Ethernet0"]["description"] = json!("moved"));
    assert_eq!(diff(&renamed, &[]).0, 1);
    assert_eq!(diff(&renamed, &["--fail-on", "low"]).0, 0);
    let off = changed(|c| c["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = json!(""));
    assert_eq!(diff(&off, &["--fail-on", "critical"]).0, 1);
    assert_eq!(diff(&off, &["--fail-on", "never"]).0, 0);
    let small = changed(|c| c["PORT"]["Ethernet0"]["mtu"] = json!("1500"));
    assert_eq!(diff(&small, &["--fail-on", "high"]).0, 0);
    assert_eq!(diff(&small, &["--fail-on", "medium"]).0, 1);
}

#[test]
fn a_device_that_cannot_be_read_any_more_is_unknown() {
    let other = changed(|_| {});
    fs::write(
        other.path().join("leaf1.json"),
        "Error: database is not running",
    )
    .unwrap();
    let (code, out, _) = diff(&other, &[]);
    assert_eq!(code, 3, "{out}");
    assert!(out.contains("leaf1 can't be compared"), "{out}");
    assert_eq!(diff(&other, &["--allow-unknown"]).0, 0);
}

#[test]
fn bad_input_is_exit_2() {
    let (code, _, err) = roceaudit(&["diff", &example(), "/nonexistent"]);
    assert_eq!(code, 2, "{err}");
    assert_eq!(roceaudit(&["diff", &example()]).0, 2);
    let device = ["--device", "no-such-*"];
    assert_eq!(diff(&changed(|_| {}), &device).0, 2);
    assert_eq!(diff(&changed(|_| {}), &["--policy", "builtin:none"]).0, 2);
}

#[test]
fn two_reports_tell_what_is_new_and_fixed() {
    let dir = tempfile::tempdir().unwrap();
    let report = |name: &str, source: &TempDir| {
        let (_, out, _) =
            roceaudit(&["audit", source.path().to_str().unwrap(), "--format", "json"]);
        let file = dir.path().join(name);
        fs::write(&file, out).unwrap();
        file.display().to_string()
    };
    let off = |port: &str| changed(|c| c["PORT_QOS_MAP"][port]["pfc_enable"] = json!(""));
    let (a, b) = (
        report("a.json", &off("Ethernet0")),
        report("b.json", &off("Ethernet4")),
    );
    let (code, out, _) = roceaudit(&["diff", &a, &b, "--format", "json"]);
    assert_eq!(code, 1);
    let json: Value = serde_json::from_str(&out).unwrap();
    let ports = |list: &str| -> Vec<&str> {
        let findings = json["findings"][list].as_array().unwrap().iter();
        let missing = findings.filter(|f| f["check"] == "pfc/missing");
        missing.map(|f| f["port"].as_str().unwrap()).collect()
    };
    assert_eq!(
        (ports("new"), ports("fixed")),
        (vec!["Ethernet4"], vec!["Ethernet0"])
    );
    assert_eq!(roceaudit(&["diff", &a, &a]).0, 0);
    let (code, _, err) = roceaudit(&["diff", &a, &example()]);
    assert_eq!(code, 2, "{err}");
    fs::write(
        dir.path().join("cut.json"),
        &fs::read_to_string(&a).unwrap()[..600],
    )
    .unwrap();
    let cut = dir.path().join("cut.json").display().to_string();
    assert_eq!(roceaudit(&["diff", &a, &cut]).0, 2);
}

#[test]
fn text_of_devices_is_harmless_to_a_terminal() {
    let evil = changed(|c| c["PORT"]["Ethernet0"]["description"] = json!("\u{1b}[2Jgone\u{202e}"));
    let (_, out, _) = diff(&evil, &[]);
    assert!(
        !out.contains('\u{1b}') && !out.contains('\u{202e}'),
        "{out:?}"
    );
}
