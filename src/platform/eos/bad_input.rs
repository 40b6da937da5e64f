//! Input that no switch prints in this form, and input that is far too much.

use super::*;
use crate::platform::testing::{notes, read as read_all, set};
use std::fmt::Write;

const GOOD: &str = include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg");

fn read(text: &str) -> Device {
    read_all(&Eos, &[("leaf1.cfg", text)])
}

fn json(device: &Device) -> String {
    crate::model::json::device(device).to_string()
}

#[test]
fn indentation_may_be_mixed() {
    let good = json(&read(GOOD));
    let mut mixed = String::new();
    for (n, line) in GOOD.lines().enumerate() {
        let body = line.trim_start();
        // Lines of one block keep their order of depth, not their widths.
        let indent = match ((line.len() - body.len()) / 3, n % 2) {
            (0, _) => "",
            (1, 0) => "        ",
            (1, _) => "\t",
            (_, _) => "\t     ",
        };
        writeln!(mixed, "{indent}{body}").unwrap();
    }
    assert_eq!(json(&read(&mixed)), good);
}

#[test]
fn half_a_configuration_is_told_and_keeps_what_it_says() {
    let cut = GOOD.find("interface Ethernet49").unwrap();
    let device = read(&GOOD[..cut]);
    assert_eq!(device.ports.len(), 3);
    assert_eq!(
        device.port("Ethernet1").unwrap().pfc.tx.get(),
        Some(set(&[3]))
    );
    assert_eq!(notes(&device, NoteKind::Failed).len(), 1);
    assert!(notes(&read(GOOD), NoteKind::Failed).is_empty());
    // A section is no cut.
    let section = GOOD.replace("running-config\n", "running-config section qos\n");
    assert!(notes(&read(&section[..cut]), NoteKind::Failed).is_empty());
}

#[test]
fn a_line_cut_in_its_middle_sets_nothing() {
    let at = GOOD.find("maximum-threshold 1500").unwrap();
    let device = read(&GOOD[..at]);
    let unparsed = notes(&device, NoteKind::Unparsed);
    assert_eq!(unparsed.len(), 1, "{unparsed:?}");
}

#[test]
fn what_the_switch_refused_is_told() {
    let config = Capture::new("leaf1.log", GOOD);
    let mut refused = Capture::new("leaf1.log", "% Invalid input (at token 1: 'priority')\n");
    refused.command = Some("show priority-flow-control".to_owned());
    let spec = |capture| Eos.recognise(capture).map(|found| found.spec);
    let captures = [(&config, spec(&config)), (&refused, spec(&refused))];
    let device = Eos.read("leaf1", &captures);
    assert_eq!(notes(&device, NoteKind::Failed).len(), 1);
    assert!(!device.coverage.operational);
}

#[test]
fn refusals_inside_a_configuration_are_no_settings() {
    let text = GOOD.replace(
        "ip routing\n",
        "% Invalid input (at token 1: 'qoss')\nip routing\n",
    );
    assert_eq!(json(&read(&text)), json(&read(GOOD)));
}

#[test]
fn a_banner_is_no_configuration() {
    for banner in ["banner motd\n", "banner login\n"] {
        let text = format!(
            "{banner}priority-flow-control all off\ninterface Ethernet1\n   mtu 1\nEOF\n!\n{GOOD}"
        );
        assert_eq!(json(&read(&text)), json(&read(GOOD)));
    }
}

#[test]
fn a_comment_is_no_configuration() {
    let lines = "   comment\n   no priority-flow-control\n   mtu 1\n   EOF\n   !! priority-flow-control off\n";
    let to = format!("interface Ethernet1\n{lines}");
    let text = GOOD.replace("interface Ethernet1\n", &to);
    assert_eq!(json(&read(&text)), json(&read(GOOD)));
}

#[test]
fn of_another_vendor_nothing_counts_as_set() {
    // NX-OS below the head of an EOS configuration.
    let text = format!(
        "{GOOD}\npolicy-map type network-qos N\n  class type network-qos c-8q-nq3\n    pause pfc-cos 3\n\
         system qos\n  service-policy type network-qos N\ninterface Ethernet60\n  priority-flow-control mode on\n  \
         service-policy type qos input N\n"
    );
    let device = read(&text);
    let port = device.port("Ethernet60").unwrap();
    assert_eq!(port.pfc.tx.get(), Some(set(&[])));
    assert!(
        notes(&device, NoteKind::Unparsed)
            .iter()
            .any(|text| text.contains("network-qos"))
    );
}

#[test]
fn a_policy_that_names_itself_ends() {
    let text = "class-map type qos match-any P\n   match ip access-group P\n!\n\
                policy-map type quality-of-service P\n   class P\n      set traffic-class 3\n      \
                service-policy P\n!\nqos profile P\n   service-profile P\n   service-policy type qos input P\n!\n\
                interface Ethernet1\n   service-profile P\n   service-policy type qos input P\n";
    let device = read(text);
    assert_eq!(notes(&device, NoteKind::Override).len(), 1);
    // A class names no policy, and a profile no profile.
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 2);
}

#[test]
fn lines_that_were_made_up_are_told_each() {
    for line in [
        "feature qos",
        "hardware qos pfc-watchdog on",
        "congestion-control ecn mark",
        "system qos",
        "ecn-threshold 70",
        "priority-flow-control watch-dog-interval 100",
        "policy-map type tx-queue AI",
        "policy-map AI",
        "class-map match-all AI",
        "qos map dscp 26 traffic-class 3",
        "priority-flow-control pause watchdog default action drop timer 200 milliseconds",
        "platform trident mmu headroom 5",
    ] {
        let device = read(&GOOD.replace("ip routing\n", &format!("{line}\n")));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
    }
    for line in [
        "service-policy type tx-queue output AI",
        "priority-flow-control priority 8 no-drop",
        "priority-flow-control priority 3 lossless",
        "random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes",
        "pfc-watchdog on",
        "tx-queue 8",
        "mmu profile 800g",
    ] {
        let to = format!("interface Ethernet3\n   {line}\n");
        let device = read(&GOOD.replace("interface Ethernet3\n", &to));
        let told = device
            .notes
            .iter()
            .filter(|note| note.kind == NoteKind::Unparsed);
        let ports: Vec<_> = told.map(|note| note.port.as_deref()).collect();
        assert_eq!(ports, [Some("Ethernet3")], "{line}");
    }
}

#[test]
fn bytes_of_any_kind_are_read() {
    for text in [
        "\0\0\0interface Ethernet1\n\u{202e}   priority-flow-control on\n",
        "interface Ethernet1\n   description \u{1b}[31m\u{fffd}\n   service-profile \u{7f}\n",
        "interface Ethernet99999999999999999999\n   mtu 99999999999999999999\n   speed 99999999999g\n",
        "qos map dscp 18446744073709551616 to traffic-class -1\n",
        "{\"interfaceStatuses\":{\"Ethernet1\":{\"linkStatus\":[[[[[[\"x\"",
        "{\"interfaces\":{\"Ethernet1\":{\"txQueues\":{\"3\":{\"stuckCount\":9223372036854775807,\"recoveryCount\":0},\
         \"4\":{\"stuckCount\":9223372036854775807,\"recoveryCount\":0}}}}}",
        "{\"intfQueueCounters\":{\"Ethernet1\":{\"queueCounters\":{\"0\":\"9223372036854775807\",\"1\":\"9\"}}}}",
    ] {
        let device = read(text);
        assert!(device.ports.len() <= 1, "{text}");
    }
}

/// Of each kind so much that work in the square of it would not end; how time
/// grows is in the benchmark.
#[test]
fn much_of_a_kind_is_read() {
    let repeat = |line: &'static str| move |n: usize| line.repeat(n);
    let numbered = |line: &'static str| {
        move |n: usize| {
            let mut text = String::from("qos profile R\n   qos trust dscp\n!\n");
            (0..n).for_each(|k| text.push_str(&line.replace('#', &k.to_string())));
            text
        }
    };
    let classes = |n: usize| {
        let mut text = String::from("policy-map type quality-of-service P\n");
        for k in 0..n / 4 {
            writeln!(text, "   class C{k}\n      set traffic-class 5").unwrap();
        }
        for k in 0..n / 8 {
            writeln!(
                text,
                "interface Ethernet{k}\n   service-policy type qos input P"
            )
            .unwrap();
        }
        text
    };
    let deep = |n: usize| {
        let lines = (0..n).map(|k| format!("{:1$}qos profile R\n", "", k % 400));
        lines.collect::<String>()
    };
    let n = 50_000;
    let told = |text: &str, ports: usize, told: usize| {
        let head = "! Command: show running-config section interface|qos\n\
                    ! device: leaf1 (DCS-7060DX5-64, EOS-4.32.1F)";
        let device = read(&format!("{head}\n{text}"));
        assert_eq!((device.ports.len(), device.notes.len()), (ports, told));
    };
    told(
        &numbered("interface Ethernet#\n   service-profile R\n")(n),
        n,
        0,
    );
    told(&repeat("interface Ethernet1\n   mtu 9000\n")(n), 1, 0);
    told(
        &repeat("interface Ethernet1-4096\n   mtu 9000\n")(n),
        4096,
        n - 16,
    );
    told(&repeat("qos magic\n")(n), 0, n);
    told(
        &numbered("interface Ethernet#\n   service-profile X#\n")(n),
        n,
        n + 1,
    );
    told(&numbered("qos profile P#\n   qos trust cos\n")(n), 0, 0);
    told(&classes(n), n / 8, n / 4);
    told(&deep(n), 0, n / 400);
    told(&repeat("qos map dscp 0-63 to traffic-class 3\n")(n), 0, 0);
}

#[test]
fn a_million_lines_are_read() {
    let block = &GOOD
        [GOOD.find("interface Ethernet1\n").unwrap()..GOOD.find("interface Ethernet2\n").unwrap()];
    let lines = block.lines().count();
    let make = |n: usize| {
        let mut text = GOOD.replace(block, "");
        for k in 0..n / lines {
            text.push_str(&block.replace(
                "Ethernet1\n",
                &format!("Ethernet{}/{}\n", k / 64 + 100, k % 64),
            ));
        }
        text
    };
    let text = make(1_000_000);
    let device = read(&text);
    assert_eq!(device.ports.len(), 1_000_000 / lines + 4);
    let last = device.ports.last().unwrap();
    assert_eq!(last.pfc.tx.get(), Some(set(&[3])));
}
