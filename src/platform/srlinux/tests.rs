use super::*;
use crate::model::{Kind, MapName, NoteKind, Priorities, SchedulerKind};
use crate::platform::testing::{at, notes, read as read_all, set};
use crate::platform::{Certainty, Recognised};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/srlinux/25.3/good/raw/leaf1/config.txt");
const PORT: &str = "ethernet-1/1";

fn read(text: &str) -> Device {
    read_all(&SrLinux, &[("leaf1.txt", text)])
}

fn changed(from: &str, to: &str) -> Device {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?}");
    read(&GOOD.replace(from, to))
}

fn json(device: &Device) -> String {
    crate::model::json::device(device).to_string()
}

/// The same tree as `info flat` prints it.
fn flat() -> String {
    let mut lines = String::new();
    let quoted = |word: &&str| match word.contains(' ') {
        true => format!("\"{word}\""),
        false => (*word).to_owned(),
    };
    leaves::leaves(GOOD, &mut |words, _, _| {
        let words: Vec<String> = words.iter().map(quoted).collect();
        lines.push_str(&format!("set / {}\n", words.join(" ")));
    });
    lines
}

#[test]
fn values_point_at_their_lines() {
    let device = read(GOOD);
    let port = device.port(PORT).unwrap();
    assert_eq!(at(GOOD, &port.pfc.tx), "pfc-pause-frame-priority 3");
    assert_eq!(at(GOOD, &port.mtu.ip), "ip-mtu 9198");
    assert_eq!(at(GOOD, &port.trust), "dscp-policy roce");
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    let three = port.queue(3).unwrap();
    assert_eq!(at(GOOD, &three.ecn.min_percent), "min-threshold-percent 5");
    assert!(!three.ecn.min_bytes.is_unknown() && three.ecn.min_bytes.get().is_none());
    let strict = port.queue(6).unwrap().scheduler.get();
    assert_eq!(strict, Some(SchedulerKind::Strict));
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(3));
    assert_eq!(port.maps.value(MapName::DscpToTc, 27), Some(0));
    assert_eq!(port.maps.value(MapName::TcToPg, 3), Some(3));
    assert_eq!(port.pfc.watchdog.detection_ms.get(), Some(400));
}

#[test]
fn all_forms_say_the_same() {
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&flat())), good);
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("    ", "\t"))), good);
}

#[test]
fn invented_leaves_are_told_and_count_nothing() {
    for line in [
        "set / qos pfc-watchdog true",
        "set / qos queues queue unicast-3 pfc enable",
        "set / qos classifiers dscp-policy roce dscp 64 forwarding-class fc3",
        "set / qos interfaces interface ethernet-1/1 pfc enable true",
        "set / interface ethernet-1/1 qos output pfc true",
        "set / qos buffer-management queue-management-profile roce-ecn ecn true",
    ] {
        let device = read(&format!("{}{line}\n", flat()));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
        let port = device.port(PORT).unwrap();
        assert_eq!(port.pfc.enabled.get(), Some(set(&[3])), "{line}");
    }
}

#[test]
fn names_that_are_not_there() {
    let device = changed(
        "queue-management-profile roce-ecn {\n                wred",
        "queue-management-profile red {\n                wred",
    );
    // The one of four ports, and the one that nothing attaches.
    assert_eq!(notes(&device, NoteKind::Unresolved).len(), 5);
    let ecn = &device.port(PORT).unwrap().queue(3).unwrap().ecn;
    assert_eq!(ecn.enabled.get(), Some(false));
}

/// Releases up to 23.3: templates with slopes of their own, QoS below the
/// interface, and ECN that one block enables globally.
const OLD: &str = "set / interface ethernet-1/1 subinterface 0 ip-mtu 9000\n\
    set / interface ethernet-1/1 subinterface 0 qos input classifiers dscp-policy roce\n\
    set / interface ethernet-1/1 qos output queue unicast-3 template lossless\n\
    set / qos classifiers dscp-policy roce dscp 26 forwarding-class fc3\n\
    set / qos queue-templates queue-template lossless active-queue-management ecn-slope low min-threshold-percent 10\n\
    set / qos queue-templates queue-template lossless active-queue-management ecn-slope low max-threshold-percent 50\n\
    set / qos queue-templates queue-template lossless active-queue-management ecn-slope low max-probability 100\n";

#[test]
fn ecn_of_older_releases_is_enabled_globally() {
    let marks = |text: &str| {
        let device = read(text);
        assert!(notes(&device, NoteKind::Unparsed).is_empty());
        let port = device.port(PORT).unwrap();
        assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(3));
        let ecn = &port.queue(3).unwrap().ecn;
        (ecn.enabled.get(), ecn.enabled.kind())
    };
    assert_eq!(marks(OLD), (Some(false), Kind::Default));
    let on = format!("{OLD}set / qos explicit-congestion-notification\n");
    assert_eq!(marks(&on), (Some(true), Kind::Explicit));
    let block = format!("{OLD}qos {{\n    explicit-congestion-notification {{\n    }}\n}}\n");
    assert_eq!(marks(&block), (Some(true), Kind::Explicit));
    // Without a probability the slope is disabled.
    let idle = on.replace("max-probability 100", "max-probability 0");
    let idle = idle
        .replace("percent 10", "percent 100")
        .replace("percent 50", "percent 100");
    assert_eq!(marks(&idle).0, Some(false));
}

#[test]
fn state_alone_has_no_defaults() {
    let state = "    qos {\n        interfaces {\n            interface ethernet-1/1 {\n                pfc {\n                    oper-state down\n                    statistics {\n                        pfc-priority 3 {\n                            pfc-pause-frames-received 12\n                            pfc-pause-frames-generated 0\n                        }\n                    }\n                }\n            }\n        }\n    }\n";
    let device = read(state);
    assert!(!device.coverage.config && device.coverage.counters);
    let port = device.port(PORT).unwrap();
    assert_eq!(port.pfc.enabled.kind(), Kind::Unknown);
    assert_eq!(port.mtu.ip.kind(), Kind::Unknown);
    assert_eq!(port.pfc.operational.get(), Some(Priorities::NONE));
    let counted = &port.counters.as_ref().unwrap().by_priority[&3];
    assert_eq!(counted.rx_pause.get(), Some(12));
}

#[test]
fn json_with_module_prefixes_is_read() {
    let text = r#"{"srl_nokia-interfaces:interface": [{"name": "ethernet-1/1", "admin-state": "enable", "mtu": 9412,
        "subinterface": [{"index": 0, "ip-mtu": 9198}]}],
      "srl_nokia-qos:qos": {"interfaces": {"interface": [{"interface-id": "ethernet-1/1",
        "pfc": {"pfc-mapping-profile": "roce", "pfc-enable": true}}]},
        "pfc-mapping-profile": [{"name": "roce",
          "received-traffic": {"unicast-mapping": {"pfc-queue": [{"pfc-queue-name": "pfc3", "forwarding-class": ["fc3"], "pfc-pause-frame-priority": 3}]}},
          "received-pfc-pause-frames": {"queue": [{"queue-name": "unicast-3", "pfc-pause-frame-priority": 3, "enable-pfc": true}]}}]}}"#;
    let device = read(text);
    assert!(device.notes.is_empty(), "{:?}", device.notes);
    let port = device.port(PORT).unwrap();
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    assert_eq!(port.mtu.ip.get(), Some(9198));
}

fn sure(text: &str) -> Option<Recognised> {
    let found = SrLinux.recognise(&Capture::new("leaf1.txt", text));
    found.filter(|found| found.certainty == Certainty::Sure)
}

#[test]
fn another_vendor_s_configuration_is_not_claimed() {
    for text in [
        include_str!("../../../fixtures/vrp/V300R023/good/raw/leaf1/config.cfg"),
        include_str!("../../../fixtures/comware/R6710/good/raw/leaf1/config.cfg"),
        include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/nxos/10.3/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/os10/10.5.4/good/raw/leaf1.cfg"),
        "hostname leaf1\n",
        "",
    ] {
        let start = text.lines().next().unwrap_or_default();
        assert!(sure(text).is_none(), "{start}");
    }
    assert_eq!(sure(GOOD).unwrap().spec.command, CONFIG);
    assert_eq!(sure(&flat()).unwrap().spec.command, CONFIG);
}

#[test]
fn fixes_do_what_they_are_for() {
    let off = changed(
        "interface ethernet-1/1\n                }\n                pfc {\n                    pfc-mapping-profile roce\n                    pfc-enable true\n",
        "interface ethernet-1/1\n                }\n                pfc {\n                    pfc-mapping-profile roce\n",
    );
    assert_eq!(
        off.port(PORT).unwrap().pfc.enabled.get(),
        Some(Priorities::NONE)
    );
    let priorities = set(&[3]);
    let lines = SrLinux.fix(&off, PORT, &Remedy::Pfc { priorities });
    let text = format!("{}{}\n", flat(), lines.join("\n"));
    let again = read(&text);
    assert!(notes(&again, NoteKind::Unparsed).is_empty());
    assert_eq!(again.port(PORT).unwrap().pfc.enabled.get(), Some(set(&[3])));
    let none = |port: &str| SrLinux.fix(&off, port, &Remedy::LinkPauseOff);
    assert!(none("ethernet-1/1\nreboot").is_empty());
    assert!(none("ethernet-1/99").is_empty());
    let ecn = Remedy::Ecn {
        queue: 3,
        min_bytes: Some(1000),
        max_bytes: Some(2000),
        probability_percent: None,
    };
    let lines = SrLinux.fix(&off, PORT, &ecn).join("\n");
    let again = read(&format!("{}{lines}\n", flat()));
    let marks = &again.port(PORT).unwrap().queue(3).unwrap().ecn;
    assert_eq!(
        (marks.enabled.get(), marks.max_bytes.get()),
        (Some(true), Some(2000))
    );
}

#[test]
fn a_million_lines_are_read() {
    // A million lines: work in the square of them would not end.
    let mut text = String::from("qos {\n    interfaces {\n");
    for n in 0..200_000 {
        let port = n % 512 + 1;
        text.push_str(&format!(
            "interface ethernet-1/{port} {{\n pfc {{\n bogus {n}\n }}\n }}\n"
        ));
    }
    text.push_str("    }\n}\n");
    text.push_str("set / interface ethernet-1/1 mtu 9000\n");
    let device = read(&text);
    assert_eq!(device.ports.len(), 512);
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 200_000);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(set / |qos |interface ethernet-1/[0-9]{1,2} |pfc-mapping-profile |queue-management-profile |wred-slope |all |dscp-policy |forwarding-class |scheduler-policy |pfc |[{}\\[\\]\"/=0-9a-z ]|\r?\n){0,60}") {
        read(&format!("set / qos \n{text}"));
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        prop_assert!(read(&GOOD[..end]).ports.len() <= 5);
    }
}
