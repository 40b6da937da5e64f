//! The machine that runs the tests, audited through its own tools: where its
//! hardware lacks a feature, or a tool is missing, the answer is unknown.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::policy;
use roceaudit::audit::{Options, Selection, audit};
use roceaudit::finding::Status;
use roceaudit::source::discover;
use std::fs;
use std::process::Command;

/// What a tool prints, errors included, as a person would paste it.
fn printed(command: &str) -> String {
    let words: Vec<&str> = command.split(' ').collect();
    match Command::new(words[0]).args(&words[1..]).output() {
        Ok(output) => {
            let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.push_str(&String::from_utf8_lossy(&output.stderr));
            text
        }
        Err(_) => format!("bash: {}: command not found\n", words[0]),
    }
}

/// Network devices that are hardware, or the only ones there are.
fn interfaces() -> Vec<String> {
    let names = fs::read_dir("/sys/class/net").unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "lo").take(4).collect()
}

#[test]
fn this_machine_passes_nothing_that_it_cannot_do() {
    let rdma = fs::read_dir("/sys/class/infiniband").is_ok_and(|mut list| list.next().is_some());
    if rdma || !cfg!(target_os = "linux") {
        return; // what such a host must give is not known here
    }
    let mut log = String::new();
    let mut run = |command: &str| {
        log += &format!("root@host:~# {command}\n{}", printed(command));
        if !log.ends_with('\n') {
            log.push('\n');
        }
    };
    run("ip -j link");
    run("devlink -j dev info");
    run("devlink -j port show");
    for name in interfaces() {
        run(&format!("dcb -j pfc show dev {name}"));
        run(&format!("dcb -j app show dev {name}"));
        run(&format!("ethtool -a {name}"));
        run(&format!("ethtool -i {name}"));
        run(&format!("ethtool {name}"));
        run(&format!("mlnx_qos -i {name}"));
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("host.log");
    fs::write(&file, &log).unwrap();
    let options = Options {
        devices: Selection::default(),
        ports: Selection::default(),
        checks: Selection::default(),
        now: "2026-12-01T00:00:00Z".parse().unwrap(),
        each_port: true,
        passes: true,
        cables: Vec::new(),
    };
    let units = discover(&file.to_string_lossy(), &[]).unwrap();
    // No port to judge is an error of its own: no pass either.
    let Ok(report) = audit(&units, &policy("builtin:roce-lossless"), &options) else {
        return;
    };
    for finding in &report.findings {
        let of_hardware = [
            "pfc/",
            "map/dscp",
            "map/queue",
            "nic/trust",
            "nic/tos",
            "nic/gid",
            "dcqcn/",
            "cnp/",
        ];
        let of_hardware = of_hardware
            .iter()
            .any(|area| finding.check.starts_with(area));
        let pause = finding.check == "pfc/link-pause"; // many a driver can tell
        assert!(
            !(of_hardware && !pause && finding.status == Status::Pass),
            "{} passes: {}\n{log}",
            finding.check,
            finding.message
        );
    }
}
