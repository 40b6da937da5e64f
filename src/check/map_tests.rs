use super::*;
use crate::check::testing::*;
use crate::check::{queue, shared};
use crate::model::{Device, Fact, Note, Origin, Port};

const DEFAULT: &str = "builtin:roce-lossless";

fn told(check: &dyn Check, port: &Port, policy: &str) -> Detail {
    let device = device(DeviceKind::Switch);
    let mut details = verdicts_of(check, &device, port, policy).details;
    assert!(!details.is_empty());
    details.remove(0)
}

fn with(name: MapName, map: crate::model::port::SharedMap) -> Port {
    let mut port = good_port();
    port.maps.set(name, map);
    port
}

#[test]
fn code_points_are_shown_as_ranges() {
    assert_eq!(compact(&[0, 1, 2, 5, 24, 25]), "0-2, 5, 24, 25");
    assert_eq!(compact(&[]), "");
    assert_eq!(compact(&[63]), "63");
}

#[test]
fn where_a_code_point_leads() {
    let port = with(MapName::DscpToTc, dscp_map(&[(26, 1)]));
    let detail = told(&Dscp, &port, DEFAULT);
    assert_eq!(detail.expected.as_deref(), Some("DSCP 26 → priority 3"));
    let actual = "traffic class 1, queue 1, no PFC priority";
    assert_eq!(detail.actual.as_deref(), Some(actual));
    let remedy = Remedy::MapEntry {
        map: MapName::DscpToTc,
        key: 26,
        value: 3,
    };
    assert_eq!(detail.remedy, Some(remedy));
}

#[test]
fn one_finding_lists_all_that_share_the_class() {
    let port = with(
        MapName::DscpToTc,
        dscp_map(&[(0, 3), (27, 3), (28, 3), (48, 3)]),
    );
    let device = device(DeviceKind::Switch);
    let verdicts = verdicts_of(&shared::SharedClass, &device, &port, DEFAULT);
    assert_eq!(verdicts.details.len(), 1);
    let detail = &verdicts.details[0];
    assert_eq!(detail.severity, None);
    assert!(detail.message.ends_with("DSCP 0, 48"), "{}", detail.message);
    assert_eq!(detail.actual.as_deref(), Some("DSCP 0, 27, 28, 48"));
}

#[test]
fn classes_of_one_priority_are_one_by_intent() {
    let policy = |other: &str| {
        format!(
            "version: 1\nclasses: {{roce: {{dscp: [26], priority: 3, lossless: true}}, \
             storage: {{dscp: [28]{other}}}}}\n"
        )
    };
    let port = with(MapName::DscpToTc, dscp_map(&[(28, 3)]));
    let shared = |policy: &str| run_all(DeviceKind::Switch, &port, policy, &["map"]);
    assert!(shared(&policy(", priority: 3, lossless: true")).is_empty());
    let fault = [String::from("fail map/shared-class")];
    assert_eq!(shared(&policy(", priority: 2")), fault.clone().into());
    assert_eq!(shared(&policy("")), fault.into());
}

/// A switch that numbers otherwise inside: forwarding class and queue 4 carry
/// PFC priority 3, and there are no priority groups.
fn numbered_otherwise() -> Port {
    let mut port = with(
        MapName::DscpToTc,
        map((0..64).map(|dscp| match dscp {
            26 => (dscp, 4),
            48 => (dscp, 6),
            _ => (dscp, 0),
        })),
    );
    port.maps.set(MapName::TcToPg, Fact::NotApplicable);
    port.maps.set(MapName::PfcToQueue, map([(3, 4)]));
    port.queues.swap(3, 4);
    port.queues[3].id = 3;
    port.queues[4].id = 4;
    port
}

#[test]
fn what_counts_is_the_priority_on_the_wire() {
    let areas = ["pfc", "map", "trust", "ecn"];
    let fired = run_all(DeviceKind::Switch, &numbered_otherwise(), DEFAULT, &areas);
    assert!(fired.is_empty(), "{fired:?}");
    // There traffic class 3 is lossy, whatever its number.
    let mut port = numbered_otherwise();
    let three = (0..64).map(|dscp| (dscp, if dscp == 26 { 3 } else { 0 }));
    port.maps.set(MapName::DscpToTc, map(three));
    let fired = run_all(DeviceKind::Switch, &port, DEFAULT, &areas);
    assert_eq!(fired, ["fail map/dscp".to_owned()].into());
}

#[test]
fn numbers_are_judged_where_the_policy_gives_them() {
    let policy = |number: &str| {
        format!(
            "version: 1\nclasses: {{roce: {{dscp: [26], priority: 3, lossless: true, {number}}}}}\n"
        )
    };
    for (number, expected) in [
        ("tc: 3, queue: 3, pg: 3", &[][..]),
        ("tc: 4", &["fail map/dscp"]),
        ("queue: 4", &["fail map/queue"]),
        ("pg: 4", &["fail map/pg"]),
    ] {
        let fired = run_all(DeviceKind::Switch, &good_port(), &policy(number), &["map"]);
        let fired: Vec<&str> = fired.iter().map(String::as_str).collect();
        assert_eq!(fired, expected, "{number}");
    }
    // Of a class that is not lossless too.
    let lossy = "version: 1\nclasses: {cnp: {cnp: true, dscp: [48], queue: 5}}\n";
    let detail = told(&queue::Queue, &good_port(), lossy);
    assert_eq!(detail.actual.as_deref(), Some("6"));
    // A code point that leads elsewhere is told once.
    let port = with(MapName::DscpToTc, dscp_map(&[(26, 1)]));
    let device = device(DeviceKind::Switch);
    let verdicts = verdicts_of(&Dscp, &device, &port, &policy("tc: 3"));
    assert_eq!(verdicts.details.len(), 1);
    // What is unknown behind it hides no number that is wrong.
    let mut port = port;
    port.maps.set(MapName::TcToQueue, left_out());
    let verdicts = verdicts_of(&Dscp, &device, &port, &policy("tc: 3"));
    assert_eq!(Told::from(&verdicts), Told::Fail);
}

#[test]
fn by_the_tag_where_that_is_trusted() {
    const TAGS: &str = "version: 1\nclasses: {storage: {pcp: [3], priority: 3, lossless: true}, \
         default: {priority: 0}}\ntrust: pcp\n";
    let mut port = with(MapName::PcpToTc, straight(&[]));
    port.trust = stated(Trust::Pcp);
    port.maps.set(MapName::DscpToTc, left_out());
    let fires = |port: &Port| run_all(DeviceKind::Switch, port, TAGS, &["map", "trust"]);
    assert!(fires(&port).is_empty());
    port.maps.set(MapName::PcpToTc, straight(&[(3, 1)]));
    assert_eq!(fires(&port), ["fail map/dscp".to_owned()].into());
    let detail = told(&Dscp, &port, TAGS);
    assert_eq!(detail.expected.as_deref(), Some("802.1p 3 → priority 3"));
    port.maps.set(MapName::PcpToTc, straight(&[(0, 3)]));
    assert_eq!(fires(&port), ["fail map/shared-class".to_owned()].into());
    // Of a class with both the tag counts where the port looks at nothing else.
    let both = TAGS.replace("pcp: [3]", "pcp: [3], dscp: [26]");
    port.maps.set(MapName::PcpToTc, straight(&[]));
    let fired = run_all(DeviceKind::Switch, &port, &both, &["map"]);
    assert!(fired.is_empty(), "{fired:?}");
}

#[test]
fn rewriting_counts_for_every_class_with_a_dscp() {
    let lossy = "version: 1\nclasses: {roce: {dscp: [26, 28], ecn: {}}}\n";
    let mut port = with(MapName::TcToDscp, map([(3, 0)]));
    let detail = told(&Rewrite, &port, lossy);
    assert_eq!(detail.expected.as_deref(), Some("DSCP 26, 28"));
    assert_eq!(detail.actual.as_deref(), Some("DSCP 0"));
    // Where it leads is unknown, and something is rewritten.
    port.maps.set(MapName::DscpToTc, left_out());
    assert!(told(&Rewrite, &port, lossy).unknown);
    // Nothing is rewritten, wherever it leads.
    port.maps.set(MapName::TcToDscp, map([]));
    let device = device(DeviceKind::Switch);
    let verdicts = verdicts_of(&Rewrite, &device, &port, lossy);
    assert_eq!(Told::from(&verdicts), Told::Pass);
}

#[test]
fn trust_and_its_remedy() {
    let mut port = good_port();
    port.trust = stated(Trust::Pcp);
    let remedy = told(&TrustMode, &port, DEFAULT).remedy;
    assert_eq!(remedy, Some(Remedy::Trust { dscp: true }));
    let policy =
        |trust: &str| format!("version: 1\ntrust: {trust}\nclasses: {{roce: {{dscp: [26]}}}}\n");
    port.trust = stated(Trust::Dscp);
    let remedy = told(&TrustMode, &port, &policy("pcp")).remedy;
    assert_eq!(remedy, Some(Remedy::Trust { dscp: false }));
    assert_eq!(told(&TrustMode, &port, &policy("none")).remedy, None);
    port.trust = stated(Trust::Both);
    let device = device(DeviceKind::Switch);
    for satisfied in ["dscp", "pcp", "both", "any"] {
        let verdicts = verdicts_of(&TrustMode, &device, &port, &policy(satisfied));
        assert_eq!(Told::from(&verdicts), Told::Pass, "{satisfied}");
    }
}

#[test]
fn what_the_platform_noticed() {
    let checks: [(&dyn Check, NoteKind); 3] = [
        (&Conflict, NoteKind::Conflict),
        (&Unresolved, NoteKind::Unresolved),
        (&Override, NoteKind::Override),
    ];
    for (check, kind) in checks {
        let mut device = Device::new("leaf1", DeviceKind::Switch, "test");
        let verdicts = verdicts_of(check, &device, &good_port(), DEFAULT);
        assert_eq!(Told::from(&verdicts), Told::Pass);
        device.notes.push(Note {
            kind,
            port: Some("Ethernet4".to_owned()),
            text: "something is wrong".to_owned(),
            at: Origin::new(0, 7),
        });
        // Of another kind: another check's.
        device.notes.push(Note {
            kind: NoteKind::Remark,
            port: None,
            text: "harmless".to_owned(),
            at: Origin::NONE,
        });
        let verdicts = verdicts_of(check, &device, &good_port(), DEFAULT);
        assert_eq!(verdicts.details.len(), 1);
        let detail = &verdicts.details[0];
        assert_eq!(detail.port.as_deref(), Some("Ethernet4"));
        assert_eq!(detail.message, "something is wrong");
        assert!(!detail.evidence.is_empty());
    }
}

#[test]
fn severities_are_those_of_the_contract() {
    use Severity::{Critical, High, Medium};
    for (id, severity) in [
        ("pfc/missing", Critical),
        ("pfc/extra", High),
        ("pfc/mode", High),
        ("pfc/link-pause", High),
        ("pfc/watchdog", Medium),
        ("pfc/operational", Critical),
        ("map/dscp", Critical),
        ("map/shared-class", High),
        ("map/queue", High),
        ("map/pg", High),
        ("map/pfc-queue", High),
        ("map/conflict", High),
        ("map/unresolved", Critical),
        ("map/rewrite", Critical),
        ("map/override", High),
        ("trust/mode", Critical),
        ("ecn/missing", High),
        ("ecn/thresholds", High),
        ("ecn/order", High),
        ("ecn/after-pfc", High),
        ("ecn/drops", High),
    ] {
        assert_eq!(
            crate::check::by_id(id).unwrap().about().severity,
            severity,
            "{id}"
        );
    }
}
