use super::*;
use crate::model::{Fact, Kind, MapName, Milli, NoteKind, PfcMode, SchedulerKind, Trust};
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/os10/10.5.4/good/raw/leaf1.cfg");
const PORT: &str = "ethernet1/1/1";
const UPLINK: &str = "ethernet1/1/50";

fn read(text: &str) -> Device {
    read_all(&Os10, &[("leaf1.cfg", text)])
}

fn changed(from: &str, to: &str) -> Device {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?}");
    read(&GOOD.replace(from, to))
}

/// The host port's lines, one of them changed.
fn on_port(from: &str, to: &str) -> Device {
    let start = GOOD.find("interface ethernet1/1/1\n").unwrap();
    let end = start + GOOD[start..].find("\n!").unwrap();
    let section = &GOOD[start..end];
    assert_eq!(section.matches(from).count(), 1, "{from:?}");
    changed(section, &section.replace(from, to))
}

fn json(device: &Device) -> String {
    crate::model::json::device(device).to_string()
}

#[test]
fn values_point_at_their_lines() {
    let device = read(GOOD);
    let port = device.port(PORT).unwrap();
    assert_eq!(at(GOOD, &port.mtu.ip), "mtu 9216");
    assert_eq!(port.mtu.ip.get(), Some(9198));
    assert_eq!(at(GOOD, &port.pfc.tx), "pfc-cos 3");
    assert_eq!(at(GOOD, &port.trust), "trust-map dscp roce-dscp");
    assert_eq!(at(GOOD, &port.link_pause.rx), "flowcontrol receive off");
    let three = port.queue(3).unwrap();
    assert!(at(GOOD, &three.ecn.max_bytes).starts_with("random-detect color green"));
    assert_eq!(three.ecn.max_bytes.get(), Some(1_500_000));
    assert_eq!(three.share_percent.get(), Some(Milli::whole(60)));
    assert_eq!(at(GOOD, &three.share_percent), "bandwidth percent 60");
    assert_eq!(
        device.os_version.value().map(String::as_str),
        Some("10.5.4.3")
    );
    let lossless = &port.priority_group(3).unwrap().lossless;
    assert_eq!(lossless.get(), Some(true));
    assert_eq!(
        port.queue(6).unwrap().scheduler.get(),
        Some(SchedulerKind::Strict)
    );
}

#[test]
fn one_changed_line_changes_its_fact() {
    let pfc = |device: &Device| {
        let port = device.port(PORT).unwrap();
        (port.pfc.enabled.get(), port.pfc.mode.get())
    };
    assert_eq!(pfc(&read(GOOD)), (Some(set(&[3])), Some(PfcMode::On)));
    let off = (Some(set(&[])), Some(PfcMode::Off));
    for line in [
        "priority-flow-control mode off",
        "no priority-flow-control mode",
        "no priority-flow-control",
        "! priority-flow-control mode on",
    ] {
        assert_eq!(
            pfc(&on_port("priority-flow-control mode on", line)),
            off,
            "{line}"
        );
    }
    assert_eq!(
        pfc(&changed("  pfc-cos 3\n", "  pfc-cos 3,5\n")).0,
        Some(set(&[3, 5]))
    );
    assert_eq!(
        pfc(&changed("  pfc-cos 3\n", "  pfc-cos 3-4\n")).0,
        Some(set(&[3, 4]))
    );
    assert_eq!(pfc(&changed("  pfc-cos 3\n", "")).0, None);
    assert_eq!(pfc(&changed("  pause\n", "")).0, Some(set(&[])));

    let pause = |line: &str| {
        let device = on_port(" flowcontrol receive off\n", line);
        device.port(PORT).unwrap().link_pause.rx.clone()
    };
    assert_eq!(pause(" flowcontrol receive on\n").get(), Some(true));
    assert_eq!(pause(" no flowcontrol receive\n").get(), Some(false));
    assert_eq!(pause("").kind(), Kind::Unknown);
    assert_eq!(pause(" flowcontrol receive maybe\n").kind(), Kind::Unknown);

    let mtu = |line: &str| {
        let mtu = on_port(" mtu 9216\n", line)
            .port(PORT)
            .unwrap()
            .mtu
            .ip
            .clone();
        (mtu.get(), mtu.kind())
    };
    assert_eq!(mtu(" mtu 1554\n"), (Some(1536), Kind::Explicit));
    assert_eq!(mtu(""), (Some(1514), Kind::Default));
    assert_eq!(mtu(" mtu 92l6\n"), (None, Kind::Unknown));

    let dscp = |line: &str, code: u8| {
        let device = changed(" qos-group 3 dscp 26\n", line);
        device
            .port(PORT)
            .unwrap()
            .maps
            .value(MapName::DscpToTc, code)
    };
    assert_eq!(dscp(" qos-group 5 dscp 26\n", 26), Some(5));
    assert_eq!(dscp(" qos-group 3 dscp 24-27\n", 27), Some(3));
    assert_eq!(dscp("", 26), Some(0));

    let trust = |line: &str| {
        let device = changed(" trust-map dscp roce-dscp\n", line);
        device.port(PORT).unwrap().trust.clone()
    };
    assert_eq!(trust(" trust-map dot1p default\n").get(), Some(Trust::Pcp));
    assert_eq!(trust("").get(), Some(Trust::None));
    assert_eq!(trust("").kind(), Kind::Default);
    assert!(trust(" trust-map dscp\n").is_unknown());
}

#[test]
fn a_port_goes_before_the_system() {
    let device = changed(
        " description gpu01:ens1f0np0\n",
        " description gpu01:ens1f0np0\n trust-map dot1p default\n qos-map traffic-class other\n",
    );
    let port = device.port(PORT).unwrap();
    assert_eq!(port.maps.value(MapName::PcpToTc, 3), Some(3));
    assert_eq!(notes(&device, NoteKind::Unresolved).len(), 1);
    let other = device.port(UPLINK).unwrap();
    assert_eq!(other.trust.get(), Some(Trust::Dscp));
}

#[test]
fn ranges_and_port_channels_reach_their_ports() {
    let device = changed(
        "interface ethernet1/1/3\n",
        "interface range ethernet 1/1/3-1/1/5,1/1/7\n",
    );
    for n in [3, 4, 5, 7] {
        let port = device.port(&format!("ethernet1/1/{n}")).unwrap();
        assert_eq!(port.link_pause.rx.get(), Some(true));
    }
    assert!(device.port("ethernet1/1/6").is_none());
    // A later line wins, be it of a range or not.
    let later = read(&format!(
        "{GOOD}\ninterface range ethernet1/1/49-1/1/50\n mtu 2000\n"
    ));
    assert_eq!(later.port(UPLINK).unwrap().mtu.ip.get(), Some(1982));
    // What the port-channel says, its members have where they say nothing.
    let member = read(
        "interface port-channel7\n mtu 9000\n priority-flow-control mode on\n!\ninterface ethernet1/1/9\n channel-group 7 mode active\n",
    );
    let port = member.port("ethernet1/1/9").unwrap();
    assert_eq!(
        (port.mtu.ip.get(), port.pfc.mode.get()),
        (Some(8982), Some(PfcMode::On))
    );
}

#[test]
fn ranges_without_end_are_told() {
    for name in [
        "range ethernet1/1/1-1/1/4294967295",
        "range ethernet1/1/9-1/1/1",
        "range ethernet1/1/",
        "ethernet1/1/1-1/1/4",
    ] {
        let device = read(&format!("{GOOD}interface {name}\n mtu 1500\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{name}");
        assert_eq!(
            device.port(PORT).unwrap().mtu.ip.get(),
            Some(9198),
            "{name}"
        );
        assert_eq!(device.ports.len(), read(GOOD).ports.len(), "{name}");
    }
    // Many ranges, each of them small enough.
    let line = "interface range ethernet1/1/1-1/1/4000\n mtu 9216\n";
    let device = read(&line.repeat(100));
    assert!(!notes(&device, NoteKind::Unparsed).is_empty());
}

#[test]
fn what_the_grammar_does_not_know_is_told_and_not_counted() {
    for line in [
        "qos map dscp 26 traffic-class 3",
        "priority-flow-control watch-dog on",
        "random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes",
        "trust dscp",
        "dcb-map roce",
        "flowcontrol rx off",
        "% Error: Unrecognized command.",
    ] {
        let device = on_port(" ets mode on\n", &format!(" ets mode on\n {line}\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
        assert_eq!(
            device.port(PORT).unwrap().pfc.enabled.get(),
            Some(set(&[3])),
            "{line}"
        );
    }
    // What was refused is not set.
    let refused = on_port(
        " priority-flow-control mode on\n",
        " priority-flow-control mode on\n% Error: Disable LLFC first.\n",
    );
    assert_eq!(
        refused.port(PORT).unwrap().pfc.enabled.get(),
        Some(set(&[]))
    );
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("!\n", "!\n\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("\n  ", "\n\t"))), good);
    let banner = "banner motd %\ninterface ethernet1/1/9\n priority-flow-control mode on\n%\n";
    let with_banner = GOOD.replace("hostname leaf1\n", &format!("hostname leaf1\n{banner}"));
    assert_eq!(json(&read(&with_banner)), good);
    // Published configurations lost their indentation.
    let flat: String = GOOD
        .lines()
        .map(|l| format!("{}\n", l.trim_start()))
        .collect();
    assert_eq!(json(&read(&flat)), good);
}

#[test]
fn definitions_that_lead_to_themselves_end() {
    let device = changed(
        "class-map type network-qos roce-traffic\n",
        "class-map type network-qos roce-pfc\n match class-map roce-pfc\n!\nclass-map type network-qos roce-traffic\n",
    );
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1);
    let device = read(
        "policy-map type network-qos p\n class p\n  pause\n  pfc-cos 3\n!\ninterface ethernet1/1/1\n service-policy input type network-qos p\n priority-flow-control mode on\n",
    );
    assert_eq!(device.port(PORT).unwrap().pfc.enabled.get(), Some(set(&[])));
}

#[test]
fn another_vendor_s_configuration_is_not_claimed() {
    for text in [
        "interface Ethernet1/1\n  priority-flow-control mode on send-tlv\n  mtu 9216\nsystem qos\n  service-policy type network-qos N\n",
        include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/dell-sonic/4.4.0/good/raw/leaf1.cfg"),
        "{\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}}",
        "class-of-service {\n    classifiers {\n        dscp d1 { }\n    }\n}\n",
        "",
        "hostname leaf1\n",
    ] {
        let found = Os10.recognise(&Capture::new("leaf1.cfg", text));
        assert!(
            found.is_none_or(|found| found.certainty < Certainty::Likely),
            "{}",
            text.get(..60).unwrap_or(text)
        );
    }
    let own = Os10.recognise(&Capture::new("leaf1.cfg", GOOD)).unwrap();
    assert_eq!((own.spec.command, own.certainty), (CONFIG, Certainty::Sure));
}

#[test]
fn fixes_are_commands_of_this_switch() {
    let off = on_port(" priority-flow-control mode on\n", "");
    let fix = |device: &Device, port: &str| {
        let priorities = set(&[3]);
        Os10.fix(device, port, &Remedy::Pfc { priorities })
            .join("\n")
    };
    // Typed behind the configuration they do what they are for.
    let lines = fix(&off, PORT);
    let start = GOOD.replacen(" priority-flow-control mode on\n", "", 1);
    let again = read(&format!("{start}{lines}\n"));
    assert_eq!(
        again.port(PORT).unwrap().pfc.enabled.get(),
        Some(set(&[3])),
        "{lines}"
    );
    assert!(fix(&off, "ethernet1/1/1\nreload").is_empty());
    assert!(fix(&off, "ethernet1/1/99").is_empty());
    let mtu = Os10.fix(&off, PORT, &Remedy::Mtu { ip_bytes: 4200 });
    assert_eq!(mtu, ["interface ethernet1/1/1", "mtu 4218"]);
}

#[test]
fn a_million_lines_are_read() {
    // A million lines: work in the square of them would not end.
    let sections = 167_000;
    let section = |n: usize| {
        format!(
            "interface ethernet1/1/{}\n mtu 9216\n trust-map dscp d\n bogus line\n flowcontrol x\n!\n",
            n % 512 + 1
        )
    };
    let text: String = (0..sections).map(section).collect();
    let device = read(&text);
    assert_eq!(device.ports.len(), 512);
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), sections);
}

#[test]
fn unknown_is_kept_where_only_state_was_seen() {
    let device = read_all(
        &Os10,
        &[(
            "leaf1/lldp.txt",
            "Loc PortID          Rem Host Name        Rem Port Id          Rem Chassis Id\n---\nethernet1/1/1  gpu01  ens1f0np0  02:00:00:00:00:09\n",
        )],
    );
    if let Some(port) = device.port(PORT) {
        assert!(matches!(port.pfc.tx, Fact::Unknown(..)));
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(interface (range )?ethernet ?[0-9,/-]{1,9}|trust (dscp|dot1p)-map |trust-map |qos-map |wred |class-map type |policy-map type |network-qos |queuing |class |pause |pfc-cos |system qos|queue |random-detect |priority-flow-control |[ !%0-9a-z\t]|\r?\n){0,60}") {
        read(&text);
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        let device = read(&GOOD[..end]);
        prop_assert!(device.ports.len() <= 6);
    }
}

#[test]
fn a_paused_class_that_matches_nothing_pauses_nothing_known() {
    let text = GOOD.replace(" match qos-group 3\n", "");
    assert_ne!(text, GOOD);
    let device = read(&text);
    assert!(device.ports.iter().any(|port| port.pfc.tx.is_unknown()));
}
