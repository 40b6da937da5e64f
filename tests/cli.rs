//! The command line: exit codes, bad input, closed pipes.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

use assert_cmd::Command;
use std::fs;
use std::path::Path;

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
    format!("{}/examples/fabric", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with one file of the example and some of one's own.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let leaf = Path::new(&example()).join("leaf1.json");
    fs::copy(leaf, dir.path().join("leaf1.json")).unwrap();
    for (name, content) in files {
        fs::write(dir.path().join(name), content).unwrap();
    }
    dir
}

fn audit(dir: &tempfile::TempDir, more: &[&str]) -> (i32, String, String) {
    let path = dir.path().to_str().unwrap();
    roceaudit(&[&["audit", path], more].concat())
}

#[test]
fn a_good_fabric_is_exit_0_and_says_what_was_skipped() {
    let (code, out, _) = roceaudit(&["audit", &example()]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("LOSSLESS AS DECLARED"), "{out}");
    assert!(out.contains("skipped: "), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 110), "{out}");
}

#[test]
fn findings_are_exit_1() {
    let (code, out, _) = roceaudit(&["audit", &example(), "--policy", "builtin:sonic-azure"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("NOT AS DECLARED"), "{out}");
    let never = [
        "audit",
        &example(),
        "--policy",
        "builtin:sonic-azure",
        "--fail-on",
        "never",
    ];
    let (code, ..) = roceaudit(&never);
    assert_ne!(code, 1);
}

#[test]
fn usage_errors_are_exit_2() {
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    for (arguments, says) in [
        (vec!["audit", "/nonexistent/fabric"], "cannot read"),
        (vec!["audit", empty], "is empty"),
        (vec!["audit"], "required"),
        (
            vec!["audit", &example(), "--policy", "/nonexistent.yaml"],
            "nonexistent.yaml",
        ),
        (
            vec!["audit", &example(), "--policy", "builtin:nonesuch"],
            "nonesuch",
        ),
        (
            vec!["audit", &example(), "--device", "nonesuch*"],
            "matches no device",
        ),
        (
            vec!["audit", &example(), "--port", "nonesuch*"],
            "no port is judged",
        ),
        (
            vec!["audit", &example(), "--check", "nonesuch/*"],
            "matches no check",
        ),
        (
            vec!["audit", &example(), "--check", "[", "--format", "json"],
            "--check",
        ),
        (vec!["audit", &example(), "--format", "nonesuch"], "text"),
        (vec!["audit", &example(), "--report", "json"], "FORMAT=FILE"),
        (
            vec!["audit", &example(), "--now", "yesterday"],
            "2027-01-31",
        ),
        (vec!["explain", "pfc/mising"], "there is no check"),
        (vec!["nonesuch"], "unrecognized"),
    ] {
        let (code, out, err) = roceaudit(&arguments);
        assert_eq!(code, 2, "{arguments:?}: {out}{err}");
        assert!(err.contains(says), "{arguments:?}: {err}");
    }
}

#[test]
fn a_bad_policy_shows_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.yaml");
    for (text, says) in [
        ("", "empty"),
        ("version: 1\nnmae: x\n", "name"),
        ("version: 1\nversion: 1\n", "2:1"),
        ("version: 1\nmtu: {switch: >= 9100}\n", "quote"),
        ("version: 1\nclasses: {roce: {dscp: [64]}}\n", "64"),
        ("version: 1\nrequire: [\"pfc/nonesuch\"]\n", "nonesuch"),
    ] {
        fs::write(&file, text).unwrap();
        let (code, _, err) = roceaudit(&["audit", &example(), "--policy", file.to_str().unwrap()]);
        assert_eq!(code, 2, "{text}: {err}");
        assert!(err.contains(says), "{text}: {err}");
    }
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n";
    fs::write(&file, bomb).unwrap();
    let (code, ..) = roceaudit(&["policy", "check", file.to_str().unwrap()]);
    assert_eq!(code, 2);
}

#[test]
fn a_policy_that_selects_no_port_is_exit_2() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("none.yaml");
    fs::write(&file, "version: 1\nscope: {ports: {exclude: [\"*\"]}}\n").unwrap();
    let (code, _, err) = roceaudit(&["audit", &example(), "--policy", file.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(err.contains("no port is judged"), "{err}");
}

#[test]
fn files_of_no_known_kind_are_exit_3() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "nothing of use\n").unwrap();
    let path = dir.path().to_str().unwrap();
    for arguments in [vec!["audit", path], vec!["audit", path, "--allow-unknown"]] {
        let (code, out, _) = roceaudit(&arguments);
        assert_eq!(code, 3, "{out}");
        assert!(out.contains("collect/unrecognised"), "{out}");
    }
    let (code, ..) = roceaudit(&["model", path]);
    assert_eq!(code, 3);
}

/// The summary line of a run with `--quiet`.
fn headline(arguments: &[&str]) -> (i32, String) {
    let (code, out, err) = roceaudit(&[&["audit", "--quiet"], arguments].concat());
    (code, out + &err)
}

#[test]
fn flags_that_lower_the_exit_code_do_not_make_a_fabric_lossless() {
    let leaf = fs::read_to_string(format!("{}/leaf1.json", example())).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("leaf1.json");
    let path = file.to_str().unwrap();
    fs::write(
        &file,
        leaf.replace("\"pfc_enable\": \"3\"", "\"pfc_enable\": \"\""),
    )
    .unwrap();
    for flags in [
        ["--fail-on", "never"],
        ["--allow-unknown", "--fail-on=never"],
    ] {
        let (code, out) = headline(&[&[path], &flags[..]].concat());
        assert_eq!(code, 0, "{out}");
        assert!(
            out.contains("NOT AS DECLARED") && !out.contains("LOSSLESS"),
            "{out}"
        );
    }
    fs::write(&file, leaf.replace("\"tc_to_pg_map\": \"FABRIC\",", "")).unwrap();
    let (code, out) = headline(&[path, "--allow-unknown"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("UNKNOWN") && !out.contains("LOSSLESS"),
        "{out}"
    );
}

#[test]
fn a_run_that_judges_nothing_is_no_pass() {
    let (code, out) = headline(&[&example(), "--check", "counters/*"]);
    assert_eq!(code, 3, "{out}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("policy.yaml");
    fs::write(&file, "version: 1\ndisable: [{check: \"*\", reason: x}]\n").unwrap();
    let (code, out) = headline(&[&example(), "--policy", file.to_str().unwrap()]);
    assert_eq!(code, 3, "{out}");
    assert!(!out.contains("LOSSLESS"), "{out}");
}

#[test]
fn what_the_policy_asks_and_no_check_answers_is_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("policy.yaml");
    let text = "version: 1\nclasses: {roce: {dscp: [26], priority: 3, lossless: true}}\n";
    fs::write(&file, format!("{text}require: [\"path/*\"]\n")).unwrap();
    let leaf = format!("{}/leaf1.json", example());
    let (code, out, _) = roceaudit(&["audit", &leaf, "--policy", file.to_str().unwrap()]);
    assert_eq!(code, 3, "{out}");
    assert!(
        out.contains("path/lossless") && out.contains("path/cnp"),
        "{out}"
    );
    fs::write(
        &file,
        format!("{text}bom: {{os: {{sonic: [\"202311.*\"]}}}}\n"),
    )
    .unwrap();
    let (code, out, _) = roceaudit(&["audit", &leaf, "--policy", file.to_str().unwrap()]);
    assert_eq!(code, 3, "{out}");
    assert!(out.contains("bom/version"), "{out}");
}

#[test]
fn no_more_is_said_than_was_judged() {
    let (code, out) = headline(&[&example(), "--check", "mtu/*"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("AS DECLARED IN THIS PART") && !out.contains("LOSSLESS"),
        "{out}"
    );
    // A policy without expectations finds nothing, and declares nothing lossless.
    let (code, out) = headline(&[&example(), "--policy", "builtin:consistency"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("AS DECLARED") && !out.contains("LOSSLESS"),
        "{out}"
    );
}

#[test]
fn people_read_it_in_80_columns() {
    for arguments in [
        vec!["--help"],
        vec!["audit", "--help"],
        vec!["checks"],
        vec!["policy", "list"],
    ] {
        let (_, out, _) = roceaudit(&arguments);
        let long = out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{arguments:?}");
    }
}

#[test]
fn a_device_of_which_no_port_is_known_is_no_pass() {
    let dir = tempfile::tempdir().unwrap();
    let version = "SONiC Software Version: SONiC.202311\nHwSKU: SKU\nASIC: broadcom\n";
    fs::create_dir(dir.path().join("leaf1")).unwrap();
    fs::write(dir.path().join("leaf1/show_version.txt"), version).unwrap();
    let (code, out, _) = audit(&dir, &[]);
    assert_eq!(code, 3, "{out}");
    assert!(
        out.contains("UNKNOWN") && !out.contains("LOSSLESS"),
        "{out}"
    );
    assert_eq!(audit(&dir, &["--allow-unknown"]).0, 0);
}

#[test]
fn a_file_of_a_gigabyte_is_told_and_not_read() {
    let dir = folder(&[]);
    let file = fs::File::create(dir.path().join("huge.json")).unwrap();
    file.set_len(1 << 30).unwrap();
    let (code, out, _) = audit(&dir, &[]);
    assert_eq!(code, 3, "{out}");
    assert!(out.contains("1024 MiB"), "{out}");
}

#[test]
fn bad_input_costs_its_own_device_only() {
    let leaf = fs::read(Path::new(&example()).join("leaf1.json")).unwrap();
    let half = &leaf[..leaf.len() / 2];
    let deep = format!("{{\"PORT_QOS_MAP\": {}", "[".repeat(200_000));
    let dir = folder(&[
        ("empty.json", b""),
        ("binary.cfg", &[0u8; 5000]),
        ("half.json", half),
        ("deep.json", deep.as_bytes()),
        ("free.txt", b"some words that no device says\n"),
    ]);
    let (code, out, err) = audit(&dir, &["--format", "json"]);
    assert_eq!(code, 3, "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let status = |name: &str| {
        let devices = report["devices"].as_array().unwrap();
        devices.iter().find(|d| d["name"] == name).unwrap()["status"].clone()
    };
    assert_eq!(status("leaf1"), "audited");
    assert_eq!(status("empty"), "unrecognised");
    assert_eq!(status("binary"), "unrecognised");
    assert_eq!(status("half"), "partial");
    assert_eq!(status("free"), "unrecognised");
    let findings = report["findings"].as_array().unwrap();
    for device in ["empty", "binary", "half", "deep", "free"] {
        let told = findings.iter().any(|finding| {
            finding["device"] == device
                && finding["status"] == "unknown"
                && finding["check"].as_str().unwrap().starts_with("collect/")
        });
        assert!(told, "{device}");
    }
    assert!(
        findings
            .iter()
            .all(|finding| finding["device"] != "leaf1" || finding["severity"] == "info"),
        "{findings:?}"
    );
}

#[test]
fn two_devices_of_one_name_are_told() {
    let dir = folder(&[("leaf1.cfg", b"hostname leaf1\n")]);
    let (code, out, _) = audit(&dir, &[]);
    assert_eq!(code, 3, "{out}");
    assert!(
        out.contains("leaf1.cfg") && out.contains("one name"),
        "{out}"
    );
}

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let dir = folder(&[("evil\u{1b}[2J\u{202e}.txt", b"some words\n")]);
    let (_, out, err) = audit(&dir, &["--verbose"]);
    assert!(
        !out.contains('\u{1b}') && !out.contains('\u{202e}'),
        "{out}"
    );
    assert!(!err.contains('\u{1b}'), "{err}");
    assert!(out.contains("evil\\u{1b}[2J"), "{out}");
}

#[test]
fn json_is_valid_and_one_finding_a_port() {
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join("report.json");
    let report = format!("json={}", path.display());
    let arguments = [
        "audit",
        &example(),
        "--policy",
        "builtin:sonic-azure",
        "--report",
        &report,
    ];
    let (code, out, _) = roceaudit(&arguments);
    assert_eq!(code, 1);
    assert!(out.contains("roceaudit: NOT AS DECLARED"));
    let value: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(value["schema"], "roceaudit.report/v1");
    let findings = value["findings"].as_array().unwrap();
    let count = |status: &str| findings.iter().filter(|f| f["status"] == status).count();
    assert_eq!(value["summary"]["fail"], count("fail"));
    assert_eq!(value["summary"]["unknown"], count("unknown"));
    let summary = &value["summary"];
    let sum =
        ["pass", "fail", "unknown", "skipped", "waived"].map(|k| summary[k].as_u64().unwrap());
    assert_eq!(summary["checks"].as_u64().unwrap(), sum.iter().sum::<u64>());
    let missing: Vec<_> = findings
        .iter()
        .filter(|f| f["check"] == "pfc/missing")
        .collect();
    assert!(!missing.is_empty());
    for finding in missing {
        assert!(
            finding["evidence"][0]["line"].as_u64().unwrap() > 1,
            "{finding}"
        );
        assert!(finding["policy"]["line"].as_u64().unwrap() > 1, "{finding}");
        assert_eq!(finding["fingerprint"].as_str().unwrap().len(), 16);
    }
}

#[test]
fn a_waiver_holds_until_its_day() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("policy.yaml");
    let text = "version: 1\nclasses: {roce: {dscp: [27], priority: 3, lossless: true}}\n\
                waivers:\n  - {check: map/dscp, device: \"*\", reason: \"moving\", owner: net, expires: \"2027-01-31\"}\n";
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let at = |now: &str| {
        let leaf = format!("{}/leaf1.json", example());
        let (_, out, _) = roceaudit(&[
            "audit", &leaf, "--policy", file, "--now", now, "--format", "json",
        ]);
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let findings = report["findings"].as_array().unwrap().clone();
        let mut of: Vec<String> = findings
            .iter()
            .filter(|f| f["check"] == "map/dscp" || f["check"] == "policy/waiver-expired")
            .map(|f| {
                format!(
                    "{} {}",
                    f["check"].as_str().unwrap(),
                    f["status"].as_str().unwrap()
                )
            })
            .collect();
        of.dedup();
        of
    };
    assert_eq!(at("2027-01-31"), ["map/dscp waived"]);
    assert_eq!(
        at("2027-02-01"),
        ["map/dscp fail", "policy/waiver-expired fail"]
    );
}

#[test]
fn a_closed_pipe_is_no_error() {
    let script = format!(
        "'{}' audit '{}' --all --verbose | head -n 1",
        assert_cmd::cargo::cargo_bin("roceaudit").display(),
        example()
    );
    let output = std::process::Command::new("bash")
        .args(["-o", "pipefail", "-c", &script])
        .output()
        .unwrap();
    assert!(
        output.stderr.is_empty(),
        "{:?}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_check_explains_itself() {
    for check in roceaudit::check::registry() {
        let about = check.about();
        let (code, out, err) = roceaudit(&["explain", about.id]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(about.title), "{out}");
        assert!(about.explain.len() > 80, "{} explains too little", about.id);
    }
}

#[test]
fn the_registry_is_sound() {
    let mut ids: Vec<&str> = roceaudit::check::registry()
        .iter()
        .map(|c| c.about().id)
        .collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "two checks of one name");
    for later in roceaudit::check::LATER {
        assert!(!ids.contains(&later), "{later} is there already");
    }
}

#[test]
fn policies_are_listed_shown_and_valid() {
    let (code, out, _) = roceaudit(&["policy", "list"]);
    assert_eq!(code, 0);
    let names: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("builtin:"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names.len(), 8, "{out}");
    for name in names {
        assert_eq!(roceaudit(&["policy", "check", name]).0, 0, "{name}");
    }
    let example = format!("{}/examples/policy.yaml", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(roceaudit(&["policy", "check", &example]).0, 0);
    let (code, out, _) = roceaudit(&["policy", "show", &example, "--device", "spine1"]);
    assert_eq!(code, 0);
    assert!(out.contains("2s"), "{out}");
    let (_, out, _) = roceaudit(&["policy", "schema"]);
    assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok());
    let (_, out, _) = roceaudit(&["policy", "init"]);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("own.yaml");
    fs::write(&file, out).unwrap();
    assert_eq!(roceaudit(&["policy", "check", file.to_str().unwrap()]).0, 0);
}

#[test]
fn the_model_says_where_each_fact_was_read() {
    let leaf = format!("{}/leaf1.json", example());
    let (code, out, _) = roceaudit(&["model", &leaf, "--origin"]);
    assert_eq!(code, 0);
    let model: serde_json::Value = serde_json::from_str(&out).unwrap();
    let device = &model["devices"][0];
    assert_eq!(device["ports"][0]["pfc"]["enabled"], serde_json::json!([3]));
    let origin = &device["origin"]["/ports/Ethernet0/pfc/enabled"];
    assert_eq!(origin["kind"], "explicit");
    let text = fs::read_to_string(leaf).unwrap();
    let line = text
        .lines()
        .nth(origin["line"].as_u64().unwrap() as usize - 1)
        .unwrap();
    assert!(line.contains("pfc_enable"), "{line}");
    assert_eq!(
        device["origin"]["/ports/Ethernet0/pfc/mode"]["kind"],
        "default"
    );
}

#[test]
fn an_incident_log_is_cut_at_its_prompts() {
    let log = format!("{}/examples/incident.log", env!("CARGO_MANIFEST_DIR"));
    let (code, out, _) = roceaudit(&["audit", &log]);
    assert_eq!(code, 1);
    for says in [
        "gpu03: ens1f0np0",
        "PFC is off for priority 3",
        "gpu04: ens1f0np0",
        "RDMA traffic leaves with DSCP 0",
        "leaf2: Ethernet0-12 (4 ports)\n  DSCP 26 does not lead to the lossless class roce",
        "stopped by a storm",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
}

#[test]
fn version_and_help() {
    let (code, out, _) = roceaudit(&["--version"]);
    assert_eq!(
        (code, out.as_str()),
        (0, concat!("roceaudit ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    let (code, out, _) = roceaudit(&["--help"]);
    assert_eq!(code, 0);
    for verb in ["audit", "model", "checks", "explain", "policy"] {
        assert!(out.contains(verb), "{out}");
    }
}

#[test]
fn explain_shows_the_arithmetic_with_the_numbers_of_a_port() {
    let fabric = example();
    let port = ["--device", "leaf1", "--port", "Ethernet0"];
    let (code, out, _) = roceaudit(&[&["explain", "buffer/headroom", &fabric], &port[..]].concat());
    assert_eq!(code, 0, "{out}");
    // 9,100 + 22 + 20; 64 + 20; 2 x 40 m x 5 ns/m x 12.5 B/ns; 4,176 + 42.
    for line in [
        "9142 B",
        "84 B",
        "5000 B",
        "4218 B",
        "18444 B  the least",
        "38912 B  configured",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let (code, _, error) = roceaudit(&["explain", "pfc/missing", &fabric]);
    assert_eq!(code, 2);
    assert!(error.contains("no arithmetic"), "{error}");
}

#[test]
fn captures_of_two_platforms_in_one_folder_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let leaf = dir.path().join("leaf");
    fs::create_dir(&leaf).unwrap();
    fs::copy(
        Path::new(&example()).join("leaf2/running-config.cfg"),
        leaf.join("a.cfg"),
    )
    .unwrap();
    fs::write(leaf.join("b.txt"), "nv set qos roce\nnv config apply\n").unwrap();
    let (_, out, _) = audit(&dir, &[]);
    let text = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let told =
        "this is of cumulus, but the device is read as eos: each device needs a folder of its own";
    assert!(text.contains(told), "{out}");
}

#[test]
fn a_policy_is_tested_by_cases() {
    let file = format!("{}/examples/policy-tests.yaml", env!("CARGO_MANIFEST_DIR"));
    let (code, out, err) = roceaudit(&["policy", "test", &file]);
    assert_eq!((code, out.matches("ok     ").count()), (0, 2), "{out}{err}");

    let dir = tempfile::tempdir().unwrap();
    let test = |text: &str| {
        let file = dir.path().join("t.yaml");
        let fabric = example();
        fs::write(&file, text.replace("FABRIC", &fabric)).unwrap();
        roceaudit(&["policy", "test", file.to_str().unwrap()])
    };
    let head =
        "version: 1\npolicy: builtin:sonic-azure\ncases:\n  - {name: a, source: FABRIC, exit: 0";
    let (code, out, _) = test(&format!("{head}}}\n"));
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("exit 1, expected 0") && out.contains("not expected: fail "),
        "{out}"
    );
    let (code, out, _) = test(&format!(
        "{head}, expect: [{{check: ecn/order, device: leaf1}}]}}\n"
    ));
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("missing: fail ecn/order leaf1"), "{out}");
    for (text, said) in [
        (
            "version: 2\npolicy: builtin:sonic-azure\ncases: []\n",
            "version 1",
        ),
        (
            "version: 1\npolicy: builtin:sonic-azure\ncases: []\n",
            "no case",
        ),
        (
            "version: 1\npolicy: nothing.yaml\ncases: [{name: a, source: FABRIC}]\n",
            "nothing.yaml",
        ),
        (
            "version: 1\npolicy: builtin:sonic-azure\ncases: [{name: a, source: none}]\n",
            "none",
        ),
        (
            "version: 1\npolicy: builtin:sonic-azure\ncases: [{name: a, source: FABRIC, exits: 1}]\n",
            "exits",
        ),
        (
            "version: 1\npolicy: builtin:sonic-azure\ncases: [{name: a, source: FABRIC, expect: [{check: x/y, status: pass}]}]\n",
            "no status pass",
        ),
    ] {
        let (code, _, err) = test(text);
        assert_eq!(code, 2, "{text}: {err}");
        assert!(err.contains(said), "{text}: {err}");
    }
}

#[test]
fn completions_and_manual_pages_name_the_verbs() {
    let (code, out, _) = roceaudit(&["completions", "bash"]);
    assert_eq!(code, 0);
    assert!(out.contains("--fail-on"), "{out}");
    let dir = tempfile::tempdir().unwrap();
    let (code, _, err) = roceaudit(&["man", dir.path().to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
    let page = fs::read_to_string(dir.path().join("roceaudit-audit.1")).unwrap();
    assert!(page.contains(".TH roceaudit-audit 1"), "{page}");
    let (code, out, _) = roceaudit(&["man"]);
    assert_eq!(code, 0);
    assert!(out.contains("roceaudit\\-audit(1)"), "{out}");
}
