use super::*;
use crate::model::{Field, Kind, Milli, NoteKind, PortField, QueueField, Trust};
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg");

fn read(text: &str) -> Device {
    read_all(&Eos, &[("leaf1.cfg", text)])
}

fn changed(from: &str, to: &str) -> Device {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?}");
    read(&GOOD.replace(from, to))
}

#[test]
fn values_point_at_their_lines() {
    let device = read(GOOD);
    let port = device.port("Ethernet1").unwrap();
    assert_eq!(
        at(GOOD, &port.pfc.tx),
        "priority-flow-control priority 3 no-drop"
    );
    assert_eq!(at(GOOD, &port.mtu.ip), "mtu 9214");
    let ecn = &port.queue(3).unwrap().ecn;
    assert!(at(GOOD, &ecn.max_bytes).starts_with("random-detect ecn minimum-threshold 150 kbytes"));
    assert_eq!(
        port.queue(3).unwrap().share_percent.get(),
        Some(Milli::whole(60))
    );
    assert_eq!(at(GOOD, &device.os_version), "4.32.1F)");
}

#[test]
fn ports_of_one_profile_share_its_objects() {
    let device = read(GOOD);
    let ecn =
        |name: &str| std::sync::Arc::as_ptr(&device.port(name).unwrap().queue(3).unwrap().ecn);
    assert_eq!(ecn("Ethernet1"), ecn("Ethernet50"));
}

#[test]
fn absent_default_and_off_are_three_things() {
    let kind = |device: &Device, field| {
        let port = device.port("Ethernet1").unwrap();
        port.fact(&Field::Port(field)).unwrap().kind()
    };
    let off = changed(
        "   priority-flow-control on\n",
        "   no priority-flow-control\n",
    );
    assert_eq!(kind(&off, PortField::PfcTx), Kind::Explicit);
    let absent = changed("   priority-flow-control on\n", "");
    assert_eq!(kind(&absent, PortField::PfcTx), Kind::Default);
    for device in [&off, &absent] {
        assert_eq!(
            device.port("Ethernet1").unwrap().pfc.tx.get(),
            Some(set(&[]))
        );
    }
    let shown = read_all(
        &Eos,
        &[(
            "l/s.log",
            "Port Name Status Vlan Duplex Speed Type\nEt1 gpu01 connected routed full 400G x\n",
        )],
    );
    assert_eq!(kind(&shown, PortField::PfcTx), Kind::Unknown);
}

#[test]
fn one_changed_line_changes_its_fact() {
    let speed = |d: &Device| d.port("Ethernet1").unwrap().speed_mbps.get();
    let line = "   speed forced 400gfull\n   no switchport\n   ip address 198.51.100.1/31\n";
    let with = |speed: &str| changed(line, &line.replace("speed forced 400gfull", speed));
    assert_eq!(speed(&with("speed 100g-4")), Some(100_000));
    assert_eq!(speed(&with("speed auto 200gfull")), Some(200_000));
    assert_eq!(speed(&with("! speed")), None);
    let trust = |to: &str| {
        changed("   qos trust dscp\n", to)
            .port("Ethernet1")
            .unwrap()
            .trust
            .clone()
    };
    assert_eq!(trust("   qos trust cos\n").get(), Some(Trust::Pcp));
    assert_eq!(trust("   no qos trust\n").get(), Some(Trust::None));
    assert_eq!(trust("").kind(), Kind::Default);
    let ecn = |unit: &str| {
        let to = format!("minimum-threshold 150 {unit} maximum-threshold 1500 {unit}");
        let device = changed(
            "minimum-threshold 150 kbytes maximum-threshold 1500 kbytes",
            &to,
        );
        device
            .port("Ethernet2")
            .unwrap()
            .queue(3)
            .unwrap()
            .ecn
            .min_bytes
            .clone()
    };
    assert_eq!(ecn("bytes").get(), Some(150));
    assert_eq!(ecn("mbytes").get(), Some(150_000_000));
    for unit in ["segments", "milliseconds", "microseconds"] {
        assert!(ecn(unit).is_unknown(), "{unit}");
    }
}

#[test]
fn what_the_grammar_does_not_know_is_told_and_not_counted() {
    for line in [
        "qos map dscp 26 traffic-class 3",
        "qos map dscp 26-99 to traffic-class 3",
        "priority-flow-control enable",
        "ecn-threshold 70",
        "dcbx on",
        "random-detect ecn",
    ] {
        let device = changed("ip routing\n", &format!("{line}\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
        assert_eq!(
            device.port("Ethernet1").unwrap().pfc.tx.get(),
            Some(set(&[3]))
        );
    }
    let device = changed(
        "   priority-flow-control on\n",
        "   priority-flow-control enabled\n",
    );
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1);
    assert_eq!(
        device.port("Ethernet1").unwrap().pfc.tx.get(),
        Some(set(&[]))
    );
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let json = |device: &Device| crate::model::json::device(device).to_string();
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("   ", "\t"))), good);
    assert_eq!(json(&read(&GOOD.replace("!\n", "!\n\n"))), good);
    let banner = "banner motd\ninterface Ethernet9\n   priority-flow-control on\nEOF\n!\n";
    assert_eq!(json(&read(&format!("{banner}{GOOD}"))), good);
}

#[test]
fn another_vendor_s_configuration_is_not_claimed() {
    for text in [
        "interface Ethernet1/1\n  priority-flow-control mode on send-tlv\n  mtu 9216\nsystem qos\n  service-policy type network-qos N\n",
        "interface ethernet1/1/1\n mtu 9216\n priority-flow-control mode on\n",
        "class-of-service {\n    classifiers {\n        dscp d1 { }\n    }\n}\n",
        "{\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}}",
    ] {
        let found = Eos.recognise(&Capture::new("leaf1.cfg", text));
        assert!(
            found.is_none_or(|found| found.certainty < Certainty::Likely),
            "{text}"
        );
    }
}

#[test]
fn show_all_prints_the_defaults_that_hold_without_it() {
    let device = changed(
        "interface Ethernet3\n   shutdown\n",
        "interface Ethernet3\n   no shutdown\n   no switchport\n   mtu 1500\n   qos trust dscp\n   qos cos 0\n   no flowcontrol send\n   \
         no priority-flow-control\n   priority-flow-control pause watchdog\n   no priority-flow-control priority 3\n   \
         no priority-flow-control pause watchdog port action\n   tx-queue 3\n      priority strict\n      no bandwidth percent\n      \
         no random-detect ecn minimum-threshold\n      no random-detect drop\n      no random-detect ecn count\n",
    );
    assert_eq!(notes(&device, NoteKind::Unparsed), Vec::<&str>::new());
    let port = device.port("Ethernet3").unwrap();
    assert_eq!(port.pfc.tx.get(), Some(set(&[])));
    let enabled = port.fact(&Field::Queue(3, QueueField::EcnEnabled)).unwrap();
    assert_eq!(enabled.kind(), Kind::Explicit);
    assert_eq!(port.queue(3).unwrap().ecn.enabled.get(), Some(false));
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(interface Ethernet[0-9,-]{1,6}|qos |profile |priority-flow-control |tx-queue |random-detect ecn |[ !0-9a-z\t]|\r?\n){0,60}") {
        read(&text);
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        let end = (0..=end).rev().find(|n| GOOD.is_char_boundary(*n)).unwrap_or(0);
        let device = read(&GOOD[..end]);
        prop_assert!(device.ports.len() <= 5);
    }
}
