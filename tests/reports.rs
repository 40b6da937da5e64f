//! Reports in each format, of sources whose texts try to be obeyed. What other
//! tools make of the files is in `tests/reports/validate`.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Lines about quality of service that no grammar knows, so that reports show
/// them, each dangerous to some reader.
const HOSTILE: &[&str] = &[
    "qos </script><script>alert(1)</script>",
    "qos \"><img src=x onerror=alert(1)>",
    "qos ::error::injected %0A::error::injected",
    "qos | a | b | `c` <details> @everyone #1",
    "qos =cmd|'/C calc'!A0",
    "qos \u{1b}[2J\u{202e}\u{7}",
    "qos ]]> & <failure> {{ headline }}",
];

/// The example fabric, with one DSCP of leaf2 wrong and lines added to it.
fn broken(lines: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(
        &common::root().join("examples/fabric"),
        &dir.path().join("fabric"),
    );
    let file = dir.path().join("fabric/leaf2/running-config.cfg");
    let text = fs::read_to_string(&file).unwrap();
    let right = "qos map dscp 26 to traffic-class 3\n";
    assert!(text.contains(right));
    let mut wrong = "qos map dscp 26 to traffic-class 1\n".to_owned();
    for line in lines {
        wrong.push_str(line);
        wrong.push('\n');
    }
    fs::write(&file, text.replace(right, &wrong)).unwrap();
    dir
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => {
                fs::copy(entry.path(), &to).unwrap();
            }
        }
    }
}

fn report(dir: &TempDir, format: &str, more: &[&str]) -> String {
    let mut command = Command::cargo_bin("roceaudit").unwrap();
    let command = command
        .current_dir(dir.path())
        .args(["audit", "fabric", "--now", "2026-12-01", "--format", format])
        .args(more);
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

fn line_of(dir: &TempDir, text: &str) -> u64 {
    let file = dir.path().join("fabric/leaf2/running-config.cfg");
    let lines = fs::read_to_string(file).unwrap();
    1 + lines.lines().position(|line| line == text).unwrap() as u64
}

#[test]
fn github_gets_one_annotation_on_the_wrong_line() {
    let dir = broken(&[]);
    let text = report(&dir, "github", &[]);
    let errors: Vec<&str> = text.lines().filter(|l| l.starts_with("::error ")).collect();
    let line = line_of(&dir, "qos map dscp 26 to traffic-class 1");
    let start =
        format!("::error file=fabric/leaf2/running-config.cfg,line={line},title=map/dscp::");
    assert_eq!(errors.len(), 1, "{text}");
    assert!(errors[0].starts_with(&start), "{text}");
    assert!(errors[0].contains("path/lossless"), "{text}");
    assert!(!text.contains("::warning"), "{text}");
}

#[test]
fn github_obeys_no_device() {
    let text = report(&broken(HOSTILE), "github", &["--allow-unknown"]);
    for line in text.lines() {
        let ours = [
            "::error file=",
            "::warning file=",
            "::notice file=",
            "roceaudit: ",
        ];
        assert!(ours.iter().any(|start| line.starts_with(start)), "{line}");
        let properties = line.split("::").nth(1).unwrap_or_default();
        assert!(properties.matches(',').count() <= 2, "{line}");
    }
    assert!(text.contains("%250A"), "{text}");
}

#[test]
fn github_gets_the_summary_of_a_step() {
    let dir = broken(&[]);
    let file = dir.path().join("summary.md");
    fs::write(&file, "before\n").unwrap();
    let mut command = Command::cargo_bin("roceaudit").unwrap();
    let source = dir.path().join("fabric");
    command.args(["audit", source.to_str().unwrap(), "--format", "github"]);
    command.env("GITHUB_STEP_SUMMARY", &file).output().unwrap();
    let summary = fs::read_to_string(file).unwrap();
    assert!(
        summary.starts_with("before\n### roceaudit: NOT AS DECLARED\n"),
        "{summary}"
    );
}

#[test]
fn sarif_names_file_and_line_ports_and_rule() {
    let dir = broken(&["qos magic"]);
    let sarif: Value = serde_json::from_str(&report(&dir, "sarif", &["--all"])).unwrap();
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    let of = |rule: &str, kind: &str| -> &Value {
        let found = |r: &&Value| r["ruleId"] == rule && r["kind"] == kind;
        results
            .iter()
            .find(found)
            .unwrap_or_else(|| panic!("{rule}"))
    };
    let wrong = of("map/dscp", "fail");
    assert_eq!(wrong["level"], "error");
    let place = &wrong["locations"][0];
    let physical = &place["physicalLocation"];
    assert_eq!(
        physical["artifactLocation"]["uri"],
        "fabric/leaf2/running-config.cfg"
    );
    let line = line_of(&dir, "qos map dscp 26 to traffic-class 1");
    assert_eq!(physical["region"]["startLine"], line);
    let ports = place["logicalLocations"].as_array().unwrap();
    assert_eq!(ports.len(), 4);
    assert_eq!(ports[0]["fullyQualifiedName"], "leaf2/Ethernet1/1");
    let rule = wrong["ruleIndex"].as_u64().unwrap() as usize;
    let rule = &run["tool"]["driver"]["rules"][rule];
    assert_eq!(rule["id"], "map/dscp");
    assert!(
        rule["help"]["markdown"]
            .as_str()
            .unwrap()
            .contains("explain map/dscp")
    );
    // What was not understood is open, and what is as asked passes.
    assert_eq!(of("config/unparsed", "open")["level"], "none");
    assert_eq!(of("pfc/missing", "pass")["level"], "none");
}

#[test]
fn sarif_suppresses_what_is_waived_and_names_the_policy() {
    let dir = broken(&[]);
    let policy = dir.path().join("ai policy.yaml");
    let builtin = fs::read_to_string(common::root().join("policies/roce-lossless.yaml")).unwrap();
    let waiver = "waivers:\n  - {check: map/dscp, device: leaf2, reason: \"RMA 4411\", owner: netops, expires: \"2027-01-31\"}\n";
    fs::write(&policy, builtin + waiver).unwrap();
    let text = report(&dir, "sarif", &["--policy", "ai policy.yaml"]);
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let waived = results.iter().find(|r| r["ruleId"] == "map/dscp").unwrap();
    assert_eq!(
        waived["suppressions"][0]["justification"],
        "RMA 4411 (netops)"
    );
    let related = waived["relatedLocations"].as_array().unwrap();
    let asked = related.last().unwrap();
    assert_eq!(
        asked["physicalLocation"]["artifactLocation"]["uri"],
        "ai%20policy.yaml"
    );
}

#[test]
fn gitlab_has_what_its_documentation_asks_for() {
    let dir = broken(HOSTILE);
    let issues: Value = serde_json::from_str(&report(&dir, "gitlab", &[])).unwrap();
    let mut seen = BTreeSet::new();
    for issue in issues.as_array().unwrap() {
        assert!(!issue["description"].as_str().unwrap().is_empty());
        assert!(issue["check_name"].as_str().unwrap().contains('/'));
        assert!(seen.insert(issue["fingerprint"].as_str().unwrap().to_owned()));
        let severity = issue["severity"].as_str().unwrap();
        let severities = ["info", "minor", "major", "critical", "blocker"];
        assert!(severities.contains(&severity));
        let path = issue["location"]["path"].as_str().unwrap();
        assert!(dir.path().join(path).is_file(), "{path}");
        assert!(issue["location"]["lines"]["begin"].as_u64().unwrap() > 0);
    }
    assert!(seen.len() > HOSTILE.len());
}

#[test]
fn junit_counts_what_fails_and_what_stays_unknown() {
    let text = report(&broken(&["qos magic"]), "junit", &[]);
    let head = text
        .lines()
        .find(|line| line.contains("name=\"leaf2\""))
        .unwrap();
    // map/dscp and path/lossless fail, config/unparsed is unknown.
    assert!(
        head.contains("failures=\"2\"") && head.contains("errors=\"1\""),
        "{head}"
    );
    let host = text
        .lines()
        .find(|line| line.contains("name=\"gpu01\""))
        .unwrap();
    assert!(
        host.contains("failures=\"0\"") && host.contains("errors=\"0\""),
        "{host}"
    );
    assert!(text.contains("name=\"fabric\""), "{text}");
    assert!(!report(&broken(HOSTILE), "junit", &[]).contains('\u{1b}'));
}

#[test]
fn csv_runs_no_formula_and_has_a_row_a_port() {
    let text = report(&broken(HOSTILE), "csv", &[]);
    let mut table = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(table.headers().unwrap().len(), 18);
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let dscp = rows.iter().filter(|row| &row[0] == "map/dscp").count();
    assert_eq!(dscp, 4);
    for field in rows.iter().flatten() {
        assert!(!field.starts_with(['=', '+', '@']), "{field}");
        assert!(!field.contains(['\u{1b}', '\u{202e}']), "{field}");
    }
}

#[test]
fn markdown_holds_no_markup_of_a_device() {
    let text = report(&broken(HOSTILE), "markdown", &[]);
    assert!(
        text.starts_with("### roceaudit: NOT AS DECLARED\n"),
        "{text}"
    );
    for row in text.lines().filter(|line| line.starts_with('|')) {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 5, "{row}");
    }
    assert!(
        text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
        "{text}"
    );
    assert!(
        text.contains("``qos | a | b | `c` <details> @everyone #1``"),
        "{text}"
    );
    for line in text.lines().filter(|line| line.starts_with("the line ")) {
        assert!(!line.contains('<') || line.contains("<!-- -->"), "{line}");
        assert!(!line.replace("@<!-- -->", "").contains('@'), "{line}");
    }
}

#[test]
fn html_is_one_page_that_loads_and_runs_nothing_of_others() {
    let text = report(&broken(HOSTILE), "html", &[]);
    assert_eq!(text.matches("<script>").count(), 1);
    assert_eq!(text.matches("</script>").count(), 1);
    assert!(!text.contains("<img"), "{text}");
    assert!(text.contains("qos &#60;/script&#62;"), "{text}");
    assert!(
        text.contains("{{ headline }}"),
        "device text is no template"
    );
    for outside in ["http://", "https://", "src=\"", "@import", "url("] {
        assert!(!text.contains(outside), "{outside}");
    }
}

#[test]
fn gauges_are_all_there_in_every_run() {
    let series = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let names = lines.map(|line| line.rsplit_once(' ').unwrap().0.to_owned());
        names.filter(|name| !name.contains("sha256")).collect()
    };
    let bad = report(&broken(&[]), "prometheus", &[]);
    let dir = tempfile::tempdir().unwrap();
    copy(
        &common::root().join("examples/fabric"),
        &dir.path().join("fabric"),
    );
    let good = report(&dir, "prometheus", &[]);
    assert_eq!(series(&bad), series(&good));
    assert!(
        bad.contains("roceaudit_device_findings{device=\"leaf2\",severity=\"critical\"} 8\n"),
        "{bad}"
    );
    assert!(
        good.contains("roceaudit_verdict{verdict=\"clean\"} 1\n"),
        "{good}"
    );
    assert!(
        bad.contains("roceaudit_verdict{verdict=\"findings\"} 1\n"),
        "{bad}"
    );
}

#[test]
fn commands_are_told_once_and_comments_hold_the_rest() {
    let text = report(&broken(HOSTILE), "fix", &[]);
    let commands: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert_eq!(commands, ["qos map dscp 26 to traffic-class 3"], "{text}");
    assert!(text.contains("# ==== leaf2 (eos)\n"), "{text}");
    assert!(text.contains("# caution: "), "{text}");
}

#[test]
fn several_reports_come_from_one_run() {
    let dir = broken(&[]);
    let formats = ["json", "sarif", "junit", "html", "csv", "prometheus"];
    let files = formats.map(|format| format!("{format}=out.{format}"));
    let arguments: Vec<&str> = files.iter().flat_map(|f| ["--report", f]).collect();
    let text = report(&dir, "text", &arguments);
    assert!(text.contains("NOT AS DECLARED"));
    for format in formats {
        let file = dir.path().join(format!("out.{format}"));
        assert!(fs::metadata(file).unwrap().len() > 500, "{format}");
    }
    let json = fs::read(dir.path().join("out.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["summary"]["by_severity"]["critical"], 8);
}

/// One fault on one port is one finding in every run, and no other is taken
/// for it.
#[test]
fn fingerprints_name_one_fault_each() {
    for fixture in common::fixtures::all() {
        let report = common::audited(&fixture.raw, &fixture.policy());
        let mut seen = BTreeSet::new();
        for finding in &report.findings {
            for place in &finding.places {
                let new = seen.insert(finding.fingerprint(place));
                assert!(new, "{}: {} {:?}", fixture.name, finding.check, place.port);
            }
        }
    }
}
