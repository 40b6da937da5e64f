use super::*;
use crate::model::{MapName, NoteKind};
use crate::platform::testing::{at, notes, read as read_all, set};
use crate::platform::text::braces;
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/junos/23.4/good/raw/leaf1.conf");

fn read(text: &str) -> Device {
    read_all(&Junos, &[("leaf1.conf", text)])
}

fn changed(from: &str, to: &str) -> Device {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?}");
    read(&GOOD.replace(from, to))
}

fn json(device: &Device) -> String {
    crate::model::json::device(device).to_string()
}

/// The same configuration as `set` lines.
fn as_set(text: &str) -> String {
    let mut lines = String::new();
    braces::leaves(text, &mut |words, _| {
        lines.push_str("set");
        for word in words {
            match word.contains(' ') {
                true => lines.push_str(&format!(" \"{word}\"")),
                false => lines.push_str(&format!(" {word}")),
            }
        }
        lines.push('\n');
    });
    lines
}

#[test]
fn values_point_at_their_lines() {
    let device = read(GOOD);
    let port = device.port("et-0/0/0").unwrap();
    assert_eq!(at(GOOD, &port.pfc.rx), "flow-control-queue 4;");
    assert_eq!(at(GOOD, &port.pfc.tx), "pfc;");
    assert_eq!(at(GOOD, &port.mtu.raw), "mtu 9216;");
    assert_eq!(
        at(GOOD, &port.queue(4).unwrap().ecn.enabled),
        "explicit-congestion-notification;"
    );
    assert_eq!(device.port("et-0/0/1:0").unwrap().mtu.ip.get(), Some(9100));
    assert!(
        device.port("et-0/0/1").is_none(),
        "what is broken out is no port"
    );
}

#[test]
fn set_lines_say_the_same() {
    let lines = as_set(GOOD);
    assert_eq!(json(&read(&lines)), json(&read(GOOD)));
    // What is deactivated is not in force.
    let binding = "class-of-service interfaces et-* congestion-notification-profile";
    let device = read(&format!("{lines}deactivate {binding}\n"));
    assert_eq!(
        device.port("et-0/0/0").unwrap().pfc.tx.get(),
        Some(set(&[]))
    );
}

#[test]
fn json_says_the_same() {
    let text = r#"{"configuration": {"@": {"junos:commit-seconds": "1"}, "version": "23.4",
      "interfaces": {"interface": [{"name": "et-0/0/0", "mtu": 9216, "unit": [{"name": "0", "family": {"inet": {"mtu": 9100}}}]}]},
      "class-of-service": {
        "classifiers": {"dscp": [{"name": "d", "forwarding-class": [{"name": "NO-LOSS", "loss-priority": [{"name": "low", "code-points": ["011010"]}]}]}]},
        "forwarding-classes": {"class": [{"name": "NO-LOSS", "queue-num": "4", "no-loss": [null], "pfc-priority": 3}]},
        "congestion-notification-profile": [{"name": "PFC", "input": {"dscp": {"code-point": [{"name": "011010", "pfc": [null]}]}},
          "output": {"ieee-802.1": {"code-point": [{"name": "011", "flow-control-queue": ["4"]}]}}}],
        "interfaces": {"interface": [{"name": "et-*", "congestion-notification-profile": "PFC", "unit": [{"name": "*", "classifiers": {"dscp": [{"name": "d"}]}}]},
          {"@": {"inactive": true}, "name": "et-0/0/0", "congestion-notification-profile": "NONE"}]}}}}"#;
    let device = read(text);
    assert_eq!(notes(&device, NoteKind::Unparsed), Vec::<&str>::new());
    let port = device.port("et-0/0/0").unwrap();
    assert_eq!(
        (port.mtu.raw.get(), port.mtu.ip.get()),
        (Some(9216), Some(9100))
    );
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(4));
}

#[test]
fn the_more_exact_binding_wins() {
    let exact = "        et-* {\n            congestion-notification-profile PFC;\n";
    let other = "        et-0/0/0 {\n            congestion-notification-profile NONE;\n        }\n        all {\n            congestion-notification-profile NONE;\n        }\n";
    let device = changed(exact, &format!("{other}{exact}"));
    let tx = |name: &str| device.port(name).unwrap().pfc.tx.get();
    assert_eq!(tx("et-0/0/0"), Some(set(&[])));
    assert_eq!(tx("et-0/0/48"), Some(set(&[3])));
    assert_eq!(notes(&device, NoteKind::Unresolved).len(), 1);
}

#[test]
fn members_of_ranges_and_aggregates_have_what_is_bound_to_those() {
    let device = changed(
        "    et-0/0/2 {\n        disable;\n    }\n",
        "    interface-range SERVERS {\n        member-range et-0/0/4 to et-0/0/6;\n        member et-0/0/9;\n        mtu 9216;\n    }\n    et-0/0/9 {\n        ether-options {\n            802.3ad ae1;\n        }\n    }\n",
    );
    for name in ["et-0/0/4", "et-0/0/6", "et-0/0/9"] {
        assert_eq!(
            device.port(name).unwrap().mtu.raw.get(),
            Some(9216),
            "{name}"
        );
    }
    assert!(device.port("et-0/0/7").is_none());
}

#[test]
fn variables_of_templates_are_no_names() {
    let device = changed(
        "    et-0/0/2 {\n",
        "    $PHY_PORT {\n        mtu 1;\n    }\n    ${PHY_PORT}:0 {\n        mtu 1;\n    }\n    et-0/0/2 {\n",
    );
    assert_eq!(device.ports.len(), read(GOOD).ports.len());
}

#[test]
fn what_the_grammar_does_not_know_is_told_and_not_counted() {
    for (from, to) in [
        (
            "            explicit-congestion-notification;\n",
            "            ecn;\n",
        ),
        (
            "        class CNP queue-num 3;\n",
            "        class CNP queue-num 3 lossless;\n",
        ),
        ("code-points 110000;", "code-points 1100001;"),
        ("            pfc-watchdog;\n", "            watchdog;\n"),
    ] {
        let device = changed(from, to);
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{to}");
    }
}

#[test]
fn groups_that_name_themselves_end() {
    let text = format!(
        "groups {{ A {{ apply-groups A; groups {{ A {{ apply-groups A; }} }} }} }}\napply-groups [ A A ];\n{GOOD}"
    );
    assert_eq!(read(&text).ports.len(), read(GOOD).ports.len());
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("    ", "\t"))), good);
    assert_eq!(json(&read(&GOOD.replace(";\n", "; /* { */\n"))), good);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(class-of-service|interfaces|et-0/0/[0-9]|forwarding-classes|class|code-points?|unit \\*|groups|apply-groups|[a-c{};\\[\\]\" \n$*]){0,60}") {
        read(&format!("class-of-service {{\n{text}"));
        read(&format!("set class-of-service {text}"));
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        prop_assert!(read(&GOOD[..end]).ports.len() <= 4);
    }
}

#[test]
fn a_part_without_interfaces_tells_no_mtu() {
    let part = "class-of-service {\n    interfaces {\n        et-0/0/1 {\n            scheduler-map sm;\n        }\n    }\n}\n";
    let device = read(part);
    let port = device.port("et-0/0/1").unwrap();
    assert!(port.mtu.raw.is_unknown() && port.mtu.ip.is_unknown());
    // With the hierarchy, a port that it does not name has the default.
    let whole = format!("interfaces {{\n    et-0/0/2 {{\n        mtu 9216;\n    }}\n}}\n{part}");
    let device = read(&whole);
    assert_eq!(device.port("et-0/0/1").unwrap().mtu.ip.get(), Some(1500));
}

#[test]
fn marking_needs_a_drop_profile_with_levels() {
    for missing in [
        "            drop-profile-map loss-priority any protocol any drop-profile MARK;\n",
        "                fill-level [ 55 90 ];\n",
    ] {
        let unknown = |device: &Device| {
            let queues = &device.port("et-0/0/0").unwrap().queues;
            let unknown = queues.iter().filter(|q| q.ecn.enabled.is_unknown());
            unknown.count()
        };
        let more = unknown(&changed(missing, "")) - unknown(&read(GOOD));
        assert_eq!(more, 1, "{missing}");
    }
}

#[test]
fn a_family_gets_no_more_than_the_media_mtu() {
    let at = GOOD.find("family inet").unwrap();
    let start = GOOD[..at].rfind("        mtu 9216;\n").unwrap();
    let text = format!(
        "{}{}",
        &GOOD[..start],
        &GOOD[start + "        mtu 9216;\n".len()..]
    );
    let text = text.replacen(
        "family inet {\n",
        "family inet {\n                mtu 9100;\n",
        1,
    );
    let device = read(&text);
    assert_eq!(notes(&device, NoteKind::Conflict).len(), 1);
    assert_eq!(device.port("et-0/0/0").unwrap().mtu.ip.get(), Some(1500));
}
