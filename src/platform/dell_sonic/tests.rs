use super::*;
use crate::model::{Kind, MapName, Milli, NoteKind, SchedulerKind, Trust};
use crate::platform::sonic::Sonic;
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/dell-sonic/4.4.0/good/raw/leaf1.cfg");
const PORT: &str = "Eth1/1";

fn read(text: &str) -> Device {
    read_all(&DellSonic, &[("leaf1.cfg", text)])
}

fn changed(from: &str, to: &str) -> Device {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?}");
    read(&GOOD.replace(from, to))
}

/// The host port's lines, one of them changed.
fn on_port(from: &str, to: &str) -> Device {
    let start = GOOD.find("interface Eth1/1\n").unwrap();
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
    assert_eq!(at(GOOD, &port.pfc.tx), "priority-flow-control priority 3");
    assert_eq!(at(GOOD, &port.mtu.ip), "mtu 9216");
    assert_eq!(port.mtu.ip.get(), Some(9216));
    assert_eq!(at(GOOD, &port.trust), "qos-map dscp-tc roce");
    let three = port.queue(3).unwrap();
    assert!(at(GOOD, &three.ecn.max_bytes).starts_with("green minimum-threshold 150"));
    assert_eq!(three.share_percent.get(), Some(Milli::whole(60)));
    assert_eq!(at(GOOD, &three.share_percent), "weight 60");
    let watchdog = &port.pfc.watchdog;
    assert_eq!(
        at(GOOD, &watchdog.detection_ms),
        "priority-flow-control watchdog on detect-time 200"
    );
    assert_eq!(
        port.queue(6).unwrap().scheduler.get(),
        Some(SchedulerKind::Strict)
    );
    assert_eq!(
        port.priority_group(3).unwrap().lossless.kind(),
        Kind::Default
    );
}

#[test]
fn one_changed_line_changes_its_fact() {
    let pfc = |line: &str| {
        let device = on_port(" priority-flow-control priority 3\n", line);
        device.port(PORT).unwrap().pfc.enabled.clone()
    };
    assert_eq!(
        pfc(" priority-flow-control priority 3-4\n").get(),
        Some(set(&[3, 4]))
    );
    assert_eq!(
        pfc(" no priority-flow-control priority 3\n").kind(),
        Kind::Explicit
    );
    assert_eq!(pfc("").kind(), Kind::Default);
    assert_eq!(pfc("").get(), Some(set(&[])));
    assert!(pfc(" priority-flow-control priority eight\n").is_unknown());
    assert!(pfc(" priority-flow-control priority 9\n").is_unknown());

    let watchdog = |from: &str, to: &str| {
        let device = on_port(from, to);
        let watchdog = device.port(PORT).unwrap().pfc.watchdog.clone();
        (
            watchdog.enabled.get(),
            watchdog.detection_ms.get(),
            watchdog.restoration_ms.get(),
        )
    };
    let (on, off) = (
        " priority-flow-control watchdog on detect-time 200\n",
        Some(false),
    );
    assert_eq!(
        watchdog(on, " priority-flow-control watchdog on detect-time 300\n"),
        (Some(true), Some(300), Some(400))
    );
    assert_eq!(watchdog(on, " priority-flow-control watchdog off\n").0, off);
    assert_eq!(watchdog(on, "").0, off);

    let map = |from: &str, to: &str, name: MapName, key: u8| {
        changed(from, to).port(PORT).unwrap().maps.value(name, key)
    };
    let dscp = " dscp 26 traffic-class 3\n";
    assert_eq!(
        map(dscp, " dscp 26 traffic-class 5\n", MapName::DscpToTc, 26),
        Some(5)
    );
    assert_eq!(map(dscp, "", MapName::DscpToTc, 26), Some(0));
    let queue = " traffic-class 3 queue 3\n";
    assert_eq!(
        map(queue, " traffic-class 3 queue 5\n", MapName::TcToQueue, 3),
        Some(5)
    );
    let group = " traffic-class 3 priority-group 3\n";
    assert_eq!(
        map(group, " traffic-class 3 pg 5\n", MapName::TcToPg, 3),
        Some(5)
    );
    let pause = " pfc-priority 3 queue 3\n";
    assert_eq!(
        map(pause, " pfc-priority 3 queue 5\n", MapName::PfcToQueue, 3),
        Some(5)
    );

    let trust = |line: &str| {
        let device = on_port(" qos-map dot1p-tc roce\n", line);
        device.port(PORT).unwrap().trust.get()
    };
    assert_eq!(trust(" qos-map dot1p-tc roce\n"), Some(Trust::Both));
    assert_eq!(trust(" trust dscp\n"), None);
    let mtu = on_port(" mtu 9216\n", "")
        .port(PORT)
        .unwrap()
        .mtu
        .ip
        .clone();
    assert_eq!((mtu.get(), mtu.kind()), (Some(9100), Kind::Default));
}

#[test]
fn one_line_makes_all_on_all_ports() {
    let device = read("roce enable\n!\ninterface Eth1/1\n no shutdown\n!\ninterface Eth1/2\n");
    for name in ["Eth1/1", "Eth1/2"] {
        let port = device.port(name).unwrap();
        assert_eq!(port.pfc.enabled.get(), Some(set(&[3, 4])));
        assert_eq!(port.pfc.enabled.kind(), Kind::Default);
        for (dscp, class) in [(24, 3), (26, 3), (4, 4), (48, 6), (0, 0)] {
            assert_eq!(
                port.maps.value(MapName::DscpToTc, dscp),
                Some(class),
                "{dscp}"
            );
        }
        let three = port.queue(3).unwrap();
        assert_eq!(three.ecn.enabled.get(), Some(true));
        assert!(three.ecn.min_bytes.is_unknown());
        assert_eq!(port.priority_group(3).unwrap().lossless.get(), Some(true));
    }
    let own = read("roce enable pfc-priority 5\n!\ninterface Eth1/1\n");
    assert_eq!(own.port(PORT).unwrap().pfc.enabled.get(), Some(set(&[5])));
    let off = read("roce enable\nno roce enable\ninterface Eth1/1\n");
    assert_eq!(off.port(PORT).unwrap().pfc.enabled.get(), Some(set(&[])));
    // A switch that prints what was made is taken at its word.
    let made = read("roce enable\n!\ninterface Eth1/1\n priority-flow-control priority 3\n");
    assert_eq!(made.port(PORT).unwrap().pfc.enabled.get(), Some(set(&[3])));
}

#[test]
fn ranges_port_channels_and_sub_interfaces() {
    let device = changed("interface Eth1/3\n", "interface range Eth1/3-1/5\n");
    for n in 3..=5 {
        let port = device.port(&format!("Eth1/{n}")).unwrap();
        assert_eq!(port.mtu.ip.get(), Some(9100), "{n}");
    }
    let member = on_port(" mtu 9216\n", " channel-group 10\n");
    assert_eq!(member.port(PORT).unwrap().mtu.ip.get(), Some(9216));
    let sub = read(&format!("{GOOD}\ninterface Eth1/1.100\n mtu 1500\n"));
    assert_eq!(sub.port(PORT).unwrap().mtu.ip.get(), Some(9216));
    for name in ["range Eth1/1-1/4294967295", "range Eth1/", "Eth1/1-1/4"] {
        let device = read(&format!("{GOOD}\ninterface {name}\n mtu 1500\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{name}");
        assert_eq!(json(&device), json(&read(GOOD)), "{name}");
    }
}

#[test]
fn what_the_grammar_does_not_know_is_told_and_not_counted() {
    for line in [
        "qos trust dscp",
        "priority-flow-control mode on",
        "random-detect ecn",
        "service-policy input type network-qos p",
        "scheduler-policy a b",
        "queue 9 wred-policy roce",
        "% Error: Invalid input detected at \"^\" marker.",
    ] {
        let device = on_port(
            " unreliable-los auto\n",
            &format!(" unreliable-los auto\n {line}\n"),
        );
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
        let port = device.port(PORT).unwrap();
        assert_eq!(port.pfc.enabled.get(), Some(set(&[3])), "{line}");
    }
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("!\n", "!\n\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("\n  ", "\n\t"))), good);
    let flat: String = GOOD
        .lines()
        .map(|l| format!("{}\n", l.trim_start()))
        .collect();
    assert_eq!(json(&read(&flat)), good);
    let banner = "banner motd %\ninterface Eth1/9\n priority-flow-control priority 4\n%\n";
    let with_banner = GOOD.replace("hostname leaf1\n", &format!("hostname leaf1\n{banner}"));
    assert_eq!(json(&read(&with_banner)), good);
}

#[test]
fn its_config_db_is_left_to_sonic() {
    let db = "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"leaf1\", \"hwsku\": \"DellEMC-Z9664f-O64\"}}, \"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}, \"note\": \"\nqos map dscp-tc x\n\"}";
    let counters = "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n---------  -----  --------------  ---------------  -----------  ------------\nEthernet0    UC3              52               70           19            76\n";
    for text in [db, counters] {
        let capture = Capture::new("leaf1.txt", text);
        assert!(DellSonic.recognise(&capture).is_none());
        assert!(Sonic.recognise(&capture).is_some());
    }
    for text in [
        include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/os10/10.5.4/good/raw/leaf1.cfg"),
        "interface Ethernet1/1\n  priority-flow-control mode on\n  mtu 9216\n",
        "",
    ] {
        let capture = Capture::new("leaf1.cfg", text);
        assert!(DellSonic.recognise(&capture).is_none());
    }
    let own = Capture::new("leaf1.cfg", GOOD);
    assert_eq!(
        DellSonic.recognise(&own).unwrap().certainty,
        Certainty::Sure
    );
}

#[test]
fn maps_as_tables_are_read_and_the_configuration_counts_more() {
    let table = "DSCP-TC-MAP: roce\n----------------------------\nDSCP    TC\n----------------------------\n0-25    0\n26      4\n----------------------------\n";
    let capture = Capture::new("leaf1/map.txt", table);
    assert_eq!(DellSonic.recognise(&capture).unwrap().spec.command, MAPS);
    let both = read_all(
        &DellSonic,
        &[("leaf1/map.txt", table), ("leaf1/run.cfg", GOOD)],
    );
    let value = both.port(PORT).unwrap().maps.value(MapName::DscpToTc, 26);
    assert_eq!(value, Some(3));
}

#[test]
fn fixes_are_commands_of_this_switch() {
    let device = read(GOOD);
    let fix = |port: &str, remedy: Remedy| DellSonic.fix(&device, port, &remedy).join("\n");
    let lines = fix(
        PORT,
        Remedy::Pfc {
            priorities: set(&[4]),
        },
    );
    let again = read(&format!("{GOOD}\n{lines}\n"));
    assert_eq!(
        again.port(PORT).unwrap().pfc.enabled.get(),
        Some(set(&[4])),
        "{lines}"
    );
    assert_eq!(
        fix(PORT, Remedy::Mtu { ip_bytes: 9000 }),
        "interface Eth1/1\nmtu 9000"
    );
    assert_eq!(fix("Eth1/1\nreboot", Remedy::Mtu { ip_bytes: 9000 }), "");
    assert_eq!(fix("Eth9/9", Remedy::Mtu { ip_bytes: 9000 }), "");
}

#[test]
fn a_million_lines_are_read() {
    // A million lines: work in the square of them would not end.
    let sections = 167_000;
    let section = |n: usize| {
        format!(
            "interface Eth1/{}\n mtu 9216\n qos-map dscp-tc d\n bogus line\n flowcontrol x\n!\n",
            n % 512 + 1
        )
    };
    let text: String = (0..sections).map(section).collect();
    let device = read(&text);
    assert_eq!(device.ports.len(), 512);
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), sections);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(interface (range )?Eth ?[0-9,/-]{1,9}|qos map (dscp-tc|tc-queue|tc-pg) |qos-map |qos wred-policy |qos scheduler-policy |queue |type |weight |green |ecn |buffer profile |priority-flow-control |roce enable|[ !%0-9a-z\t]|\r?\n){0,60}") {
        read(&text);
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        let device = read(&GOOD[..end]);
        prop_assert!(device.ports.len() <= 5);
    }
}
