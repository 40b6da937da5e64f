//! Breaks each setting of each hop of the example fabric, one at a time: the
//! check of the ways between hosts must see it, and the trace must name the
//! hop.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use assert_cmd::Command;
use common::fixtures::copy;
use common::{audited, fired, policy, root};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A copy of the example fabric.
fn fabric() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("examples/fabric"), dir.path());
    dir
}

/// Changes a switch's configuration.
fn switch(dir: &Path, name: &str, change: impl FnOnce(&mut Value)) {
    let file = dir.join(format!("{name}.json"));
    let mut config: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    change(&mut config);
    fs::write(file, serde_json::to_string_pretty(&config).unwrap()).unwrap();
}

/// Changes a text that occurs once in a file of a host.
fn host(dir: &Path, file: &str, from: &str, to: &str) {
    let file = dir.join(file);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(
        text.matches(from).count(),
        1,
        "{from:?} in {}",
        file.display()
    );
    fs::write(file, text.replace(from, to)).unwrap();
}

/// The trace as JSON, with the exit code.
fn trace(dir: &Path, from: &str, to: &str, class: &str) -> (i32, Value) {
    let output = Command::cargo_bin("roceaudit")
        .unwrap()
        .args(["trace", dir.to_str().unwrap(), "--from", from, "--to", to])
        .args(["--class", class, "--format", "json"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let value = serde_json::from_str(&text).unwrap_or_else(|_| {
        panic!("{text}{}", String::from_utf8_lossy(&output.stderr));
    });
    (output.status.code().unwrap(), value)
}

/// A setting of a switch port: what to change, and what must be found of it.
struct Setting {
    name: &'static str,
    change: fn(&mut Value, &str),
    class: &'static str,
    stages: &'static [&'static str],
    /// Any of these may be named first.
    checks: &'static [&'static str],
    path: &'static str,
}

fn bind(config: &mut Value, port: &str, field: &str, value: &str) {
    config["PORT_QOS_MAP"][port][field] = json!(value);
}

/// Binds a copy of the map that the port uses, with one entry changed.
fn remap(config: &mut Value, port: &str, field: &str, table: &str, key: &str, value: &str) {
    let name = config["PORT_QOS_MAP"][port][field]
        .as_str()
        .unwrap()
        .to_owned();
    let mut map = config[table][&name].clone();
    map[key] = json!(value);
    config[table]["CHANGED"] = map;
    bind(config, port, field, "CHANGED");
}

const SETTINGS: &[Setting] = &[
    Setting {
        name: "DSCP map",
        change: |c, p| remap(c, p, "dscp_to_tc_map", "DSCP_TO_TC_MAP", "26", "0"),
        class: "roce",
        stages: &["ingress"],
        checks: &["map/dscp"],
        path: "path/lossless",
    },
    Setting {
        name: "DSCP map of CNPs",
        change: |c, p| remap(c, p, "dscp_to_tc_map", "DSCP_TO_TC_MAP", "48", "0"),
        class: "cnp",
        stages: &["ingress", "egress"],
        checks: &["sched/cnp"],
        path: "path/cnp",
    },
    Setting {
        name: "trust",
        change: |c, p| {
            let row = c["PORT_QOS_MAP"][p].as_object_mut().unwrap();
            row.remove("dscp_to_tc_map");
        },
        class: "roce",
        stages: &["ingress"],
        checks: &["trust/mode", "map/dscp"],
        path: "path/lossless",
    },
    Setting {
        name: "PFC",
        change: |c, p| bind(c, p, "pfc_enable", ""),
        class: "roce",
        stages: &["ingress", "egress"],
        checks: &["pfc/missing"],
        path: "path/lossless",
    },
    Setting {
        name: "priority group map",
        change: |c, p| remap(c, p, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", "3", "0"),
        class: "roce",
        stages: &["ingress"],
        checks: &["map/pg"],
        path: "path/lossless",
    },
    Setting {
        name: "queue map",
        change: |c, p| remap(c, p, "tc_to_queue_map", "TC_TO_QUEUE_MAP", "3", "1"),
        class: "roce",
        stages: &["egress"],
        checks: &["map/queue"],
        path: "path/lossless",
    },
    Setting {
        name: "PFC to queue map",
        change: |c, p| {
            remap(
                c,
                p,
                "pfc_to_queue_map",
                "MAP_PFC_PRIORITY_TO_QUEUE",
                "3",
                "1",
            )
        },
        class: "roce",
        stages: &["egress"],
        checks: &["map/pfc-queue"],
        path: "path/lossless",
    },
    Setting {
        name: "ECN",
        change: |c, p| {
            let queues = c["QUEUE"].as_object_mut().unwrap();
            let row = queues.get_mut(&format!("{p}|3")).unwrap();
            row.as_object_mut().unwrap().remove("wred_profile").unwrap();
        },
        class: "roce",
        stages: &["egress"],
        checks: &["ecn/missing"],
        path: "path/lossless",
    },
    Setting {
        name: "MTU",
        change: |c, p| c["PORT"][p]["mtu"] = json!("4300"),
        class: "roce",
        stages: &["ingress", "egress"],
        checks: &["mtu/path"],
        path: "mtu/path",
    },
];

/// The SONiC ports of the example fabric, with two hosts whose way leads over
/// each: arriving, and leaving.
fn switch_ports() -> Vec<(&'static str, &'static str, [&'static str; 2])> {
    vec![
        ("leaf1", "Ethernet0", ["gpu01", "gpu03"]),
        ("leaf1", "Ethernet4", ["gpu02", "gpu03"]),
        ("leaf1", "Ethernet8", ["gpu03", "gpu01"]),
        ("leaf1", "Ethernet12", ["gpu03", "gpu01"]),
        ("spine1", "Ethernet0", ["gpu01", "gpu03"]),
        ("spine1", "Ethernet4", ["gpu03", "gpu01"]),
    ]
}

/// The EOS and NX-OS ports, with the end of their block and two hosts.
const TEXT_PORTS: &[(&str, &str, &str, [&str; 2])] = &[
    (
        "leaf2",
        "Ethernet1/1",
        "   ip address 198.51.100.1/31\n",
        ["gpu03", "gpu01"],
    ),
    (
        "leaf2",
        "Ethernet2/1",
        "   ip address 198.51.100.3/31\n",
        ["gpu04", "gpu01"],
    ),
    (
        "leaf2",
        "Ethernet31/1",
        "   ip address 198.51.100.129/31\n",
        ["gpu01", "gpu03"],
    ),
    (
        "leaf2",
        "Ethernet32/1",
        "   ip address 198.51.100.131/31\n",
        ["gpu01", "gpu03"],
    ),
    (
        "spine2",
        "Ethernet1/1",
        "  ip address 198.51.100.132/31\n",
        ["gpu01", "gpu03"],
    ),
    (
        "spine2",
        "Ethernet1/2",
        "  ip address 198.51.100.130/31\n",
        ["gpu03", "gpu01"],
    ),
];

/// Lines of a port that break it, and what must be named: device, line, class,
/// stages, checks, check of the way.
type TextSetting = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const TEXT_SETTINGS: &[TextSetting] = &[
    (
        "leaf2",
        "   qos trust cos\n",
        "roce",
        &["ingress"],
        &["trust/mode"],
        "path/lossless",
    ),
    (
        "leaf2",
        "   no priority-flow-control\n",
        "roce",
        &["ingress", "egress"],
        &["pfc/missing"],
        "path/lossless",
    ),
    (
        "leaf2",
        "   tx-queue 3\n      no random-detect ecn\n",
        "roce",
        &["egress"],
        &["ecn/missing"],
        "path/lossless",
    ),
    (
        "leaf2",
        "   tx-queue 6\n      no priority\n",
        "cnp",
        &["ingress", "egress"],
        &["sched/cnp"],
        "path/cnp",
    ),
    (
        "leaf2",
        "   mtu 4300\n",
        "roce",
        &["ingress", "egress"],
        &["mtu/path"],
        "mtu/path",
    ),
    (
        "spine2",
        "  priority-flow-control mode off\n",
        "roce",
        &["ingress", "egress"],
        &["pfc/missing"],
        "path/lossless",
    ),
    (
        "spine2",
        "  service-policy type qos input NONE\n",
        "roce",
        &["ingress"],
        &["trust/mode", "map/dscp"],
        "path/lossless",
    ),
    (
        "spine2",
        "  mtu 4300\n",
        "roce",
        &["ingress", "egress"],
        &["mtu/path"],
        "mtu/path",
    ),
];

/// Settings of a whole switch.
const GLOBAL_SETTINGS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "leaf2",
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp 26 to traffic-class 4",
        "roce",
        "map/dscp",
    ),
    (
        "leaf2",
        "qos map dscp 24 25 27",
        "qos map dscp 24 25 26 27",
        "roce",
        "map/dscp",
    ),
    (
        "leaf2",
        "ip routing\n",
        "ip routing\nqos map traffic-class 3 to tx-queue 1\n",
        "roce",
        // Pause follows the traffic class to its queue; that one marks nothing.
        "ecn/missing",
    ),
    (
        "spine2",
        "set qos-group 3",
        "set qos-group 2",
        "roce",
        "map/dscp",
    ),
    (
        "leaf2",
        "ip routing\n",
        "ip routing\npriority-flow-control all off\n",
        "roce",
        "pfc/missing",
    ),
    (
        "leaf2",
        "ip routing\n",
        "ip routing\nqos rewrite dscp\n",
        "roce",
        "map/rewrite",
    ),
    (
        "spine2",
        "  match dscp 26\n",
        "  match dscp 24\n",
        "roce",
        "map/dscp",
    ),
    ("spine2", "    pause pfc-cos 3\n", "", "roce", "pfc/missing"),
    (
        "spine2",
        " weight 0 ecn\n",
        " weight 0\n",
        "roce",
        "ecn/missing",
    ),
    (
        "spine2",
        "    priority level 1\n",
        "    bandwidth percent 1\n",
        "cnp",
        "sched/cnp",
    ),
];

fn class<'v>(trace: &'v Value, direction: &str) -> &'v Value {
    let classes = trace["classes"].as_array().unwrap();
    classes
        .iter()
        .find(|c| c["direction"] == direction)
        .unwrap()
}

#[test]
fn the_example_fabric_is_lossless_over_all_ways() {
    let dir = fabric();
    let report = audited(dir.path(), &policy("builtin:roce-lossless"));
    assert_eq!(fired(&report, false), Default::default());
    let (code, trace) = trace(dir.path(), "gpu01", "gpu03:ens1f0np0", "roce");
    assert_eq!(code, 0);
    assert_eq!(trace["schema"], "roceaudit.trace/v1");
    let forward = class(&trace, "forward");
    assert_eq!(
        (&forward["status"], &forward["paths"]),
        (&json!("lossless"), &json!(2))
    );
    assert_eq!(forward["first_break"], Value::Null);
    let hops = forward["hops"].as_array().unwrap();
    let stages: Vec<&str> = hops
        .iter()
        .map(|hop| hop["stage"].as_str().unwrap())
        .collect();
    assert_eq!(
        stages,
        [
            "nic-egress",
            "ingress",
            "egress",
            "ingress",
            "egress",
            "ingress",
            "egress",
            "nic-ingress"
        ]
    );
    assert!(
        hops.iter()
            .all(|hop| hop["dscp"] == 26 && hop["priority"] == 3 && hop["pfc"] == true)
    );
}

#[test]
fn every_setting_of_every_switch_port_is_caught_and_named() {
    let policy = policy("builtin:roce-lossless");
    for (device, port, [sender, receiver]) in switch_ports() {
        for setting in SETTINGS {
            let what = format!("{} of {device} {port}", setting.name);
            let dir = fabric();
            switch(dir.path(), device, |config| (setting.change)(config, port));
            let fired = fired(&audited(dir.path(), &policy), false);
            let wanted = format!("fail {} {device} {port}", setting.path);
            assert!(fired.contains(&wanted), "{what}: {fired:#?}");
            let others = fired.iter().filter(|line| line.starts_with("fail path/"));
            let others: Vec<_> = others
                .filter(|line| !line.ends_with(&format!(" {device} {port}")))
                .collect();
            assert!(others.is_empty(), "{what}: {others:?}");
            // The port is at the sender's side, so it is met arriving on the
            // way there and leaving on the way back.
            let (code, trace) = trace(dir.path(), sender, receiver, setting.class);
            assert_eq!(code, 1, "{what}");
            for (direction, stage) in [("forward", "ingress"), ("return", "egress")] {
                let class = class(&trace, direction);
                let found = &class["first_break"];
                if setting.stages.contains(&stage) {
                    let named = json!([found["device"], found["port"], found["stage"]]);
                    assert_eq!(named, json!([device, port, stage]), "{what}, {direction}");
                    let check = found["check"].as_str().unwrap();
                    assert!(
                        setting.checks.contains(&check),
                        "{what}, {direction}: {check}"
                    );
                } else {
                    assert_eq!(class["status"], "lossless", "{what}, {direction}: {found}");
                }
            }
        }
    }
}

#[test]
fn every_setting_of_other_platforms_is_caught_and_named() {
    let policy = policy("builtin:roce-lossless");
    for (device, port, end, [sender, receiver]) in TEXT_PORTS {
        for (of, lines, class_name, stages, checks, path) in TEXT_SETTINGS {
            if of != device {
                continue;
            }
            let what = format!("{lines:?} of {device} {port}");
            let dir = fabric();
            // A later line of the block replaces an earlier one.
            let file = format!("{device}/running-config.cfg");
            host(dir.path(), &file, end, &format!("{end}{lines}"));
            let fired = fired(&audited(dir.path(), &policy), false);
            let wanted = format!("fail {path} {device} {port}");
            assert!(fired.contains(&wanted), "{what}: {fired:#?}");
            let (code, trace) = trace(dir.path(), sender, receiver, class_name);
            assert_eq!(code, 1, "{what}");
            for (direction, stage) in [("forward", "ingress"), ("return", "egress")] {
                let found = &class(&trace, direction)["first_break"];
                if stages.contains(&stage) {
                    let named = json!([found["device"], found["port"], found["stage"]]);
                    assert_eq!(named, json!([device, port, stage]), "{what}, {direction}");
                    let check = found["check"].as_str().unwrap();
                    assert!(checks.contains(&check), "{what}, {direction}: {check}");
                } else {
                    assert_eq!(found, &Value::Null, "{what}, {direction}");
                }
            }
        }
    }
}

#[test]
fn every_setting_of_a_whole_switch_is_caught_and_named() {
    let policy = policy("builtin:roce-lossless");
    for (device, from, to, class_name, check) in GLOBAL_SETTINGS {
        let what = format!("{to:?} of {device}");
        let dir = fabric();
        host(
            dir.path(),
            &format!("{device}/running-config.cfg"),
            from,
            to,
        );
        let path = if *class_name == "cnp" {
            "path/cnp"
        } else {
            "path/lossless"
        };
        let fired = fired(&audited(dir.path(), &policy), false);
        let ways = fired
            .iter()
            .filter(|line| line.starts_with(&format!("fail {path} ")));
        let ways: Vec<_> = ways.collect();
        let own = |line: &&String| line.contains(&format!(" {device} "));
        assert!(
            !ways.is_empty() && ways.iter().all(own),
            "{what}: {fired:#?}"
        );
        let (code, trace) = trace(dir.path(), "gpu01", "gpu03", class_name);
        let found = &class(&trace, "forward")["first_break"];
        assert_eq!(
            json!([code, found["device"], found["check"]]),
            json!([1, device, check]),
            "{what}"
        );
    }
}

#[test]
fn every_setting_of_a_host_is_caught_and_named() {
    let policy = policy("builtin:roce-lossless");
    let settings: &[(&str, &str, &str, &str, &str, &str)] = &[
        (
            "traffic_class.txt",
            "Global tclass=106",
            "Global tclass=2",
            "nic/tos",
            "path/lossless",
            "nic-egress",
        ),
        (
            "mlnx_qos_ens1f0np0.txt",
            "trust state: dscp",
            "trust state: pcp",
            "nic/trust",
            "path/lossless",
            "nic-egress",
        ),
        (
            "mlnx_qos_ens1f0np0.txt",
            "enabled     0   0   0   1",
            "enabled     0   0   0   0",
            "pfc/missing",
            "path/lossless",
            "nic-egress",
        ),
        (
            "ecn.txt",
            "cnp_802p_prio: 6",
            "cnp_802p_prio: 0",
            "cnp/marking",
            "path/cnp",
            "nic-egress",
        ),
        (
            "ecn.txt",
            "cnp_dscp: 48",
            "cnp_dscp: 0",
            "cnp/marking",
            "path/cnp",
            "nic-egress",
        ),
        (
            "ecn.txt",
            "roce_rp/enable/3: 1",
            "roce_rp/enable/3: 0",
            "dcqcn/enabled",
            "path/cnp",
            "nic-egress",
        ),
    ];
    for (host_name, far) in [
        ("gpu01", "gpu03"),
        ("gpu02", "gpu04"),
        ("gpu03", "gpu01"),
        ("gpu04", "gpu01"),
    ] {
        for (file, from, to, check, path, stage) in settings {
            let what = format!("{to} of {host_name}");
            let dir = fabric();
            host(dir.path(), &format!("{host_name}/{file}"), from, to);
            let fired = fired(&audited(dir.path(), &policy), false);
            let wanted = format!("fail {path} {host_name} ens1f0np0");
            assert!(fired.contains(&wanted), "{what}: {fired:#?}");
            let class_name = if *path == "path/cnp" { "cnp" } else { "roce" };
            let (code, trace) = trace(dir.path(), host_name, far, class_name);
            let found = &class(&trace, "forward")["first_break"];
            assert_eq!(
                json!([code, found["device"], found["stage"], found["check"]]),
                json!([1, host_name, stage, check]),
                "{what}"
            );
        }
    }
}

#[test]
fn one_broken_way_of_two_breaks_the_pair() {
    let dir = fabric();
    host(
        dir.path(),
        "spine2/running-config.cfg",
        "  ip address 198.51.100.132/31\n",
        "  ip address 198.51.100.132/31\n  priority-flow-control mode off\n",
    );
    let (code, trace) = trace(dir.path(), "gpu01", "gpu03", "roce");
    let forward = class(&trace, "forward");
    assert_eq!(
        (code, &forward["status"], &forward["paths"]),
        (1, &json!("broken"), &json!(2))
    );
    assert_eq!(forward["first_break"]["device"], "spine2");
}

#[test]
fn what_is_not_joined_is_unknown() {
    let dir = fabric();
    fs::remove_dir_all(dir.path().join("leaf2")).unwrap();
    let (code, trace) = trace(dir.path(), "gpu01", "gpu03", "roce");
    let forward = class(&trace, "forward");
    assert_eq!((code, &forward["status"]), (3, &json!("unknown")));
    assert_eq!(forward["why"], "no known link leads to gpu03");
    // Hosts below the other leaf are still judged, and the gap is told.
    let report = audited(dir.path(), &policy("builtin:roce-lossless"));
    let fired = fired(&report, false);
    assert!(
        fired.contains("unknown link/unknown-peer spine1 Ethernet4"),
        "{fired:#?}"
    );
}

#[test]
fn wrong_ends_are_told() {
    let dir = fabric();
    let run = |from: &str, to: &str| {
        let output = Command::cargo_bin("roceaudit")
            .unwrap()
            .args([
                "trace",
                dir.path().to_str().unwrap(),
                "--from",
                from,
                "--to",
                to,
            ])
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), error)
    };
    for (from, to, told) in [
        ("gpu09", "gpu01", "no device named gpu09"),
        ("leaf1", "gpu01", "leaf1 is a switch"),
        (
            "gpu01:eth9",
            "gpu02",
            "gpu01 has no port eth9; there are: ens1f0np0",
        ),
        ("gpu01", "gpu01", "the same host"),
    ] {
        let (code, error) = run(from, to);
        assert_eq!(code, 2, "{from} {to}");
        assert!(error.contains(told), "{error}");
    }
}

/// What is found of the links of a changed example fabric, information aside.
fn of_links(change: impl FnOnce(&Path), with: &str) -> Vec<String> {
    let dir = fabric();
    change(dir.path());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    let name = match with.is_empty() {
        true => "builtin:roce-lossless".to_owned(),
        false => {
            fs::write(&file, with).unwrap();
            file.to_str().unwrap().to_owned()
        }
    };
    let fired = fired(&audited(dir.path(), &policy(&name)), false);
    let of_links = fired.into_iter().filter(|line| line.contains(" link/"));
    of_links.collect()
}

#[test]
fn ends_are_compared_in_effect() {
    let none = Vec::<String>::new();
    let set = |port: &'static str, field: &'static str, value: &'static str| {
        move |dir: &Path| switch(dir, "leaf1", |c| c["PORT"][port][field] = json!(value))
    };
    // 9100 on the switch, 9000 on the host: fits. Less than the host sends: not.
    assert_eq!(of_links(|_| (), ""), none);
    assert_eq!(
        of_links(set("Ethernet0", "mtu", "8000"), ""),
        ["fail link/mismatch leaf1 Ethernet0"]
    );
    assert_eq!(of_links(set("Ethernet0", "mtu", "9000"), ""), none);
    // Between switches sizes are a matter of the hosts: mtu/path.
    assert_eq!(of_links(set("Ethernet8", "mtu", "8000"), ""), none);
    assert_eq!(
        of_links(set("Ethernet8", "speed", "40000"), ""),
        ["fail link/mismatch leaf1 Ethernet8"]
    );
    assert_eq!(
        of_links(set("Ethernet8", "fec", "fc"), ""),
        ["fail link/mismatch leaf1 Ethernet8"]
    );
    // One side pauses a priority more than any class uses: fits.
    let more = |dir: &Path| switch(dir, "leaf1", |c| bind(c, "Ethernet0", "pfc_enable", "3,4"));
    assert_eq!(of_links(more, ""), none);
    // The host does not obey what its switch sends: pfc/missing tells it,
    // and is named.
    let deaf = |dir: &Path| {
        let (on, off) = ("enabled     0   0   0   1", "enabled     0   0   0   0");
        host(dir, "gpu01/mlnx_qos_ens1f0np0.txt", on, off);
    };
    assert_eq!(of_links(deaf, ""), ["fail link/mismatch gpu01 ens1f0np0"]);
    const ALONE: &str = "version: 1\nname: alone\nclasses: {roce: {dscp: [26], priority: 3, \
                         lossless: true}}\ndisable: [{check: pfc/missing, reason: test}]\n";
    assert_eq!(
        of_links(deaf, ALONE),
        ["fail link/mismatch gpu01 ens1f0np0"]
    );
    let dir = fabric();
    deaf(dir.path());
    let report = audited(dir.path(), &policy("builtin:roce-lossless"));
    let found = |check: &str| report.findings.iter().find(|f| f.check == check).unwrap();
    let mismatch = found("link/mismatch");
    assert_eq!(mismatch.severity.to_string(), "high");
    assert!(mismatch.message.ends_with("(pfc/missing tells it)"));
    assert_eq!(mismatch.places[0].peer.as_deref(), Some("leaf1:Ethernet0"));
    assert_eq!(found("pfc/missing").severity.to_string(), "critical");
}

#[test]
fn cables_lead_where_the_rails_say() {
    const RAILS: &str =
        "version: 1\nname: rails\nrails: {rail0: {hosts: [ens1f0np0], switches: [leaf1]}}\n";
    assert_eq!(
        of_links(|_| (), RAILS),
        [
            "fail link/cabling gpu03 ens1f0np0",
            "fail link/cabling gpu04 ens1f0np0"
        ]
    );
    let both = RAILS.replace("[leaf1]", "[\"leaf*\"]");
    assert_eq!(of_links(|_| (), &both), Vec::<String>::new());
    // Two ports claim one neighbour.
    let moved = |dir: &Path| {
        host(
            dir,
            "leaf2/lldp.txt",
            "Et1/1         gpu03 ",
            "Et1/1         gpu01 ",
        )
    };
    let found = of_links(moved, "");
    assert!(
        found.contains(&"fail link/cabling leaf2 Ethernet1/1".to_owned()),
        "{found:?}"
    );
}

#[test]
fn who_differs_from_most_of_its_role_is_told() {
    let consistency = policy("builtin:consistency");
    let outliers = |change: &dyn Fn(&Path)| -> Vec<String> {
        let dir = fabric();
        change(dir.path());
        let report = audited(dir.path(), &consistency);
        let mut found: Vec<String> = Vec::new();
        for finding in report
            .findings
            .iter()
            .filter(|f| f.check == "fleet/outlier")
        {
            let ports = finding
                .places
                .iter()
                .filter_map(|place| place.port.as_deref());
            let (expected, actual) = (finding.expected.as_deref(), finding.actual.as_deref());
            found.push(format!(
                "{} {} {}: {} not {}",
                finding.device,
                ports.collect::<Vec<_>>().join(","),
                finding.message.split(' ').next().unwrap(),
                actual.unwrap(),
                expected.unwrap()
            ));
        }
        found
    };
    assert_eq!(outliers(&|_| ()), Vec::<String>::new());
    let rate = |dir: &Path| host(dir, "gpu02/ecn.txt", "rpg_ai_rate: 5", "rpg_ai_rate: 10");
    assert_eq!(
        outliers(&rate),
        ["gpu02 ens1f0np0 nic/dcqcn/params/rpg_ai_rate: 10 not 5"]
    );
    // Of switch ports only those of one platform, speed and kind of neighbour
    // are compared.
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("fixtures/eos/4.32/good/raw"), dir.path());
    let line = "   ip address 198.51.100.3/31\n";
    host(
        dir.path(),
        "leaf1.cfg",
        line,
        &format!("{line}   no priority-flow-control\n"),
    );
    let report = audited(dir.path(), &consistency);
    let fired = fired(&report, true);
    assert!(
        fired.contains("fail fleet/outlier leaf1 Ethernet2"),
        "{fired:#?}"
    );
    assert!(
        !fired.iter().any(|line| line.ends_with("Ethernet1")),
        "{fired:#?}"
    );
}

/// Audits the example fabric, its neighbours forgotten, with this inventory.
fn with_inventory(inventory: &str, arguments: &[&str]) -> (i32, String) {
    let dir = fabric();
    for name in ["leaf1", "spine1"] {
        switch(dir.path(), name, |config| {
            let tables = config.as_object_mut().unwrap();
            tables.remove("DEVICE_NEIGHBOR").unwrap();
        });
    }
    for name in ["leaf2", "spine2"] {
        fs::remove_file(dir.path().join(name).join("lldp.txt")).unwrap();
        let file = dir.path().join(name).join("running-config.cfg");
        let text = fs::read_to_string(&file).unwrap();
        let described = |line: &&str| !line.trim_start().starts_with("description ");
        let kept: Vec<&str> = text.lines().filter(described).collect();
        assert!(kept.len() < text.lines().count());
        fs::write(&file, kept.join("\n") + "\n").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("inventory.yaml");
    fs::write(&file, inventory).unwrap();
    let output = Command::cargo_bin("roceaudit")
        .unwrap()
        .args(["audit", dir.path().to_str().unwrap(), "--all"])
        .args(["--inventory", file.to_str().unwrap()])
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

#[test]
fn an_inventory_joins_what_no_neighbour_tells() {
    let inventory = fs::read_to_string(root().join("examples/inventory.yaml")).unwrap();
    let path = ["--check", "path/lossless"];
    let (code, text) = with_inventory(&inventory, &path);
    assert_eq!(code, 0);
    assert!(
        text.contains("Lossless classes stay lossless on every way"),
        "{text}"
    );
    let none = inventory.split("links:").next().unwrap().to_owned();
    let (code, text) = with_inventory(&none, &path);
    assert_eq!(code, 3, "nothing was judged");
    assert!(
        !text.contains("Passed") && text.contains("skipped"),
        "{text}"
    );
    let (code, text) = with_inventory("version: 1\nroles: {}\n", &path);
    assert_eq!(code, 2);
    assert!(text.contains("roles"), "{text}");
}

#[test]
fn cables_lead_where_the_inventory_says() {
    let dir = fabric();
    let inventory = fs::read_to_string(root().join("examples/inventory.yaml")).unwrap();
    let swapped = inventory
        .replace(
            "leaf1:Ethernet8\", \"spine1:Ethernet0",
            "leaf1:Ethernet8\", \"spine2:Ethernet1/1",
        )
        .replace(
            "leaf1:Ethernet12\", \"spine2:Ethernet1/1",
            "leaf1:Ethernet12\", \"spine1:Ethernet0",
        );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("inventory.yaml");
    fs::write(&file, swapped).unwrap();
    let output = Command::cargo_bin("roceaudit")
        .unwrap()
        .args(["audit", dir.path().to_str().unwrap(), "--format", "json"])
        .args([
            "--inventory",
            file.to_str().unwrap(),
            "--check",
            "link/cabling",
        ])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = &report["findings"][0];
    let named = json!([
        found["device"],
        found["port"],
        found["peer"],
        found["expected"],
        found["actual"]
    ]);
    assert_eq!(
        named,
        json!([
            "leaf1",
            "Ethernet8",
            "spine1:Ethernet0",
            "spine2 Ethernet1/1",
            "spine1 Ethernet0"
        ])
    );
    assert_eq!(
        (
            output.status.code(),
            report["findings"].as_array().unwrap().len()
        ),
        (Some(1), 2)
    );
}

#[test]
fn a_switch_that_floods_what_it_knows_by_arp_is_told() {
    let told = |mac: &str, arp: &str| {
        let dir = fabric();
        let lines = format!(
            "ip routing\nmac address-table aging-time {mac}\ninterface Vlan10\n   arp aging timeout {arp}\n"
        );
        host(
            dir.path(),
            "leaf2/running-config.cfg",
            "ip routing\n",
            &lines,
        );
        let report = audited(dir.path(), &policy("builtin:roce-lossless"));
        let findings = report.findings.into_iter();
        let found = findings.filter(|f| f.check == "path/lossless");
        found.collect::<Vec<_>>()
    };
    let found = told("300", "14400");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(&*found[0].device, "leaf2");
    let lines: Vec<&str> = found[0].places[0]
        .evidence
        .iter()
        .map(|e| &*e.text)
        .collect();
    assert_eq!(
        lines,
        [
            "mac address-table aging-time 300",
            "arp aging timeout 14400"
        ]
    );
    assert!(told("14400", "300").is_empty());
}

/// Leaves and spines of one design, joined by their descriptions; a host on
/// each leaf, declared.
#[test]
fn a_class_is_followed_over_a_juniper_fabric() {
    let Some(corpus) = std::env::var_os("ROCEAUDIT_CORPUS") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    for name in ["leaf1", "leaf2", "spine1", "spine2"] {
        let file = format!("corpus/junos/jvd_mt_{name}_qfx5240-64od.conf");
        let from = Path::new(&corpus).join(file);
        fs::copy(from, dir.path().join(format!("{name}.conf"))).unwrap();
    }
    for name in ["gpu01", "gpu03"] {
        copy(
            &root().join("examples/fabric").join(name),
            &dir.path().join(name),
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let inventory = folder.path().join("inventory.yaml");
    let devices = ["leaf1", "leaf2", "spine1", "spine2", "gpu01", "gpu03"];
    let devices: String = devices
        .iter()
        .map(|name| format!("  - {{name: {name}}}\n"))
        .collect();
    let links = "  - [\"leaf1:et-0/0/12:0\", \"gpu01:ens1f0np0\"]\n  \
                 - [\"leaf2:et-0/0/12:0\", \"gpu03:ens1f0np0\"]\n";
    let text = format!("version: 1\ndevices:\n{devices}links:\n{links}");
    fs::write(&inventory, text).unwrap();
    let output = Command::cargo_bin("roceaudit")
        .unwrap()
        .args(["trace", dir.path().to_str().unwrap(), "--format", "json"])
        .args(["--from", "gpu01", "--to", "gpu03", "--class", "roce"])
        .args(["--inventory", inventory.to_str().unwrap()])
        .output()
        .unwrap();
    let trace: Value = serde_json::from_slice(&output.stdout).unwrap();
    let forward = class(&trace, "forward");
    // Two cables from each leaf to each spine: 2 spines x 2 x 2.
    assert_eq!(forward["paths"], 8, "{forward:#}");
    let hops = forward["hops"].as_array().unwrap();
    let met = |n: usize| {
        (
            hops[n]["device"].as_str().unwrap(),
            hops[n]["stage"].as_str().unwrap(),
        )
    };
    assert_eq!(
        (met(2), met(5)),
        (("leaf1", "egress"), ("leaf2", "ingress"))
    );
    assert!(met(3).0.starts_with("spine") && met(3).1 == "ingress");
    for (n, hop) in hops.iter().enumerate() {
        // Queue 4 of that design carries priority 3; both leaves end tunnels.
        let inside = if n == 0 || n == 7 { 3 } else { 4 };
        assert_eq!(
            (&hop["dscp"], &hop["tc"]),
            (&json!(26), &json!(inside)),
            "{hop:#}"
        );
        let unknown = n == 2 || n == 5;
        assert_eq!(
            hop["status"],
            if unknown { "unknown" } else { "ok" },
            "{hop:#}"
        );
    }
    assert_eq!(output.status.code(), Some(3));
}
