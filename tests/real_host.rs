//! The machine that runs the tests, read through its own tools: where its
//! hardware lacks a feature, or a tool is missing, the answer is unknown.
//!
//! A line of `rdma` that ties an RDMA device to its first interface is made
//! up: without one no host port is judged. All else is what the tools print.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::audited;
use roceaudit::finding::Status;
use roceaudit::policy;
use std::collections::BTreeSet;
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

/// Up to four interfaces that are no loopback and no RDMA device, first those
/// that are up.
fn interfaces() -> Vec<String> {
    let names = fs::read_dir("/sys/class/net").unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let plain = |name: &String| {
        let rdma = format!("/sys/class/net/{name}/device/infiniband");
        name != "lo" && !fs::exists(rdma).unwrap()
    };
    let mut names: Vec<String> = names.filter(plain).collect();
    // One that is down is not judged.
    names.sort_by_cached_key(|name| {
        let state = fs::read_to_string(format!("/sys/class/net/{name}/operstate")).unwrap();
        (state.trim() != "up", name.clone())
    });
    names.truncate(4);
    names
}

#[test]
fn this_machine_passes_nothing_that_it_cannot_do() {
    let names = interfaces();
    let first = names.first().expect("a network interface besides lo");
    let mut log = format!(
        "root@host:~# rdma link\nlink rdma0/1 state ACTIVE physical_state LINK_UP netdev {first}\n"
    );
    let mut run = |command: &str| {
        log += &format!("root@host:~# {command}\n{}", printed(command));
        if !log.ends_with('\n') {
            log.push('\n');
        }
    };
    run("ip -j link");
    run("devlink -j dev info");
    run("devlink -j port show");
    for name in &names {
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

    // The built-in policy, without its exclusion of `eth0`.
    let text = fs::read_to_string(common::root().join("policies/roce-lossless.yaml")).unwrap();
    let text = text.replace("\"eth0\", ", "");
    assert!(!text.contains("eth0"));
    let policy = policy::parse("all-ports.yaml", &text).unwrap();

    let report = audited(&file, &policy);
    let judged = |status| {
        let of = report.findings.iter().filter(move |f| f.status == status);
        of.map(|finding| finding.check.to_string())
            .collect::<BTreeSet<String>>()
    };
    let unknown = judged(Status::Unknown);
    for check in [
        "pfc/missing",
        "map/dscp",
        "nic/trust",
        "nic/tos",
        "nic/gid",
        "dcqcn/enabled",
        "cnp/marking",
    ] {
        assert!(
            unknown.contains(check),
            "{check} is not unknown: {unknown:?}\n{log}"
        );
    }
}
