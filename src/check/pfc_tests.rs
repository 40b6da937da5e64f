use super::*;
use crate::check::Check;
use crate::check::testing::*;
use crate::model::{MapName, Port};

/// What a check tells first of a switch's port.
fn told(check: &dyn Check, port: &Port, policy: &str) -> Detail {
    let device = device(DeviceKind::Switch);
    let mut details = verdicts_of(check, &device, port, policy).details;
    assert!(!details.is_empty());
    details.remove(0)
}

const DEFAULT: &str = "builtin:roce-lossless";

/// A lossless class for which the policy gives no priority.
const NO_PRIORITY: &str = "\
version: 1
classes:
  roce: {dscp: [26], lossless: true}
  default: {priority: 0}
trust: dscp
pfc: {mode: \"on\"}
";

fn off(mut port: Port) -> Port {
    port.pfc.enabled = priorities(&[]);
    port.pfc.tx = priorities(&[]);
    port.pfc.rx = priorities(&[]);
    port
}

#[test]
fn the_words_of_the_report() {
    let detail = told(&Missing, &off(good_port()), DEFAULT);
    let text = "PFC is off for priority 3, the lossless class roce";
    assert_eq!(detail.message, text);
    assert_eq!(detail.expected.as_deref(), Some("[3]"));
    assert_eq!(detail.actual.as_deref(), Some("[]"));
    assert_eq!(detail.class.as_deref(), Some("roce"));
    assert!(detail.policy.line > 0);
    let wanted = [3].into_iter().collect();
    assert_eq!(detail.remedy, Some(Remedy::Pfc { priorities: wanted }));
}

#[test]
fn the_direction_that_is_missing() {
    for (tx, rx, words) in [
        (&[][..], &[3][..], "PFC obeys pause but sends none"),
        (&[3], &[], "PFC sends pause but obeys none"),
        (&[4], &[4], "PFC is off"),
    ] {
        let mut port = good_port();
        port.pfc.tx = priorities(tx);
        port.pfc.rx = priorities(rx);
        let detail = told(&Missing, &port, DEFAULT);
        let text = format!("{words} for priority 3, the lossless class roce");
        assert_eq!(detail.message, text);
    }
}

#[test]
fn a_policy_without_lossless_class_wants_no_pfc() {
    const LOSSY: &str = "version: 1\nclasses: {roce: {dscp: [26], priority: 3, ecn: {}}}\n";
    let fired = run_all(DeviceKind::Switch, &good_port(), LOSSY, &["pfc"]);
    assert_eq!(fired, ["fail pfc/extra".to_owned()].into());
    let fired = run_all(DeviceKind::Switch, &off(good_port()), LOSSY, &["pfc"]);
    assert!(fired.is_empty(), "{fired:?}");
    let detail = told(&Extra, &good_port(), LOSSY);
    assert_eq!(detail.expected.as_deref(), Some("[]"));
    assert_eq!(detail.actual.as_deref(), Some("[3]"));
}

#[test]
fn without_a_priority_in_the_policy_the_maps_tell_it() {
    let areas = ["pfc", "map"];
    let fires = |port: &Port| run_all(DeviceKind::Switch, port, NO_PRIORITY, &areas);
    assert!(fires(&good_port()).is_empty());
    let missing = fires(&off(good_port()));
    assert_eq!(missing, ["fail pfc/missing".to_owned()].into());
    // A priority of another number than the traffic class, as the maps have it.
    let mut moved = good_port();
    moved
        .maps
        .set(MapName::TcToQueue, straight(&[(3, 4), (4, 3)]));
    moved.pfc.enabled = priorities(&[4]);
    moved.pfc.tx = priorities(&[4]);
    moved.pfc.rx = priorities(&[4]);
    let device = device(DeviceKind::Switch);
    let verdicts = verdicts_of(&Missing, &device, &moved, NO_PRIORITY);
    assert_eq!(Told::from(&verdicts), Told::Pass);
    // No pause frame stops the queue that the class leads to.
    let mut lossy = good_port();
    lossy.maps.set(MapName::PfcToQueue, map([(4, 4)]));
    let expected = ["fail map/dscp", "fail pfc/extra"];
    let fired = fires(&lossy);
    assert!(fired.contains(expected[0]), "{fired:?}");
    // Where they lead is unknown, so whether priority 3 is used is, too.
    let mut unknown = good_port();
    unknown.maps.set(MapName::DscpToTc, left_out());
    let expected = [
        "unknown map/dscp",
        "unknown pfc/extra",
        "unknown pfc/missing",
    ];
    assert_eq!(fires(&unknown), expected.map(str::to_owned).into());
}

#[test]
fn a_storm_is_told_whatever_the_policy_asks() {
    let mut port = good_port();
    port.pfc.watchdog.stormed = priorities(&[3]);
    let detail = told(&Watchdog, &port, NO_PRIORITY);
    assert!(detail.message.contains("storm"), "{}", detail.message);
    // The severity is the check's own: medium.
    assert_eq!(detail.severity, None);
}

#[test]
fn a_remedy_does_as_the_policy_asks() {
    const AUTO: &str = "version: 1\nclasses: {roce: {dscp: [26], priority: 3, lossless: true}}\n\
         pfc: {mode: auto, link_pause: \"on\", watchdog: {detection: 400ms, restoration: 2s}}\n";
    let mut port = good_port();
    assert_eq!(told(&Mode, &port, AUTO).remedy, None);
    assert_eq!(told(&LinkPause, &port, AUTO).remedy, None);
    port.pfc.watchdog.enabled = stated(false);
    let priorities = [3].into_iter().collect();
    let remedy = Remedy::Watchdog {
        priorities,
        detection_ms: 400,
        restoration_ms: 2000,
    };
    assert_eq!(told(&Watchdog, &port, AUTO).remedy, Some(remedy));
    port.pfc.mode = stated(PfcMode::Auto);
    assert_eq!(told(&Mode, &port, DEFAULT).remedy, Some(Remedy::PfcMode));
    port.link_pause.rx = stated(true);
    let remedy = told(&LinkPause, &port, DEFAULT).remedy;
    assert_eq!(remedy, Some(Remedy::LinkPauseOff));
}

#[test]
fn static_pfc_without_an_operational_capture_is_no_verdict() {
    let device = device(DeviceKind::Switch);
    let verdicts = verdicts_of(&Operational, &device, &good_port(), DEFAULT);
    assert_eq!(Told::from(&verdicts), Told::Nothing);
    let mut port = good_port();
    port.pfc.operational = priorities(&[3]);
    let verdicts = verdicts_of(&Operational, &device, &port, DEFAULT);
    assert_eq!(Told::from(&verdicts), Told::Pass);
}
