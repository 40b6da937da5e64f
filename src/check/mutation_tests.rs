//! Changes one fact of a good port at a time: just the checks that follow from
//! it fire. One root cause, one finding, as far as that is possible; where it
//! is not, the table says which two.

use super::testing::*;
use crate::model::{
    DeviceKind, Ecn, Fact, GroupBuffer, MapName, PfcMode, Port, PriorityGroup, Queue, Trust,
};
use std::collections::BTreeSet;
use std::sync::Arc;

const DEFAULT: &str = "builtin:roce-lossless";

/// Numbers for everything that can be judged by number.
const NUMBERS: &str = "\
version: 1
classes:
  roce:
    dscp: [26]
    priority: 3
    tc: 3
    queue: 3
    pg: 3
    lossless: true
    ecn: {min: 150kB, max: 1500kB, probability: 100%}
  cnp: {cnp: true, dscp: [48], priority: 6, tc: 6, queue: 6}
  default: {priority: 0}
trust: dscp
pfc:
  mode: \"on\"
  watchdog: {detection: 200ms, restoration: 200ms, action: drop}
  link_pause: \"off\"
";

const AREAS: [&str; 4] = ["pfc", "map", "trust", "ecn"];

const EVERY_AREA: [&str; 8] = [
    "pfc", "map", "trust", "ecn", "buffer", "sched", "mtu", "collect",
];

fn fires(kind: DeviceKind, policy: &str, change: impl FnOnce(&mut Port)) -> BTreeSet<String> {
    let mut port = match kind {
        DeviceKind::Switch => good_port(),
        DeviceKind::Host => good_nic_port(),
    };
    change(&mut port);
    run_all(kind, &port, policy, &AREAS)
}

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn queue(port: &mut Port, id: u8) -> &mut Queue {
    port.queues.iter_mut().find(|queue| queue.id == id).unwrap()
}

fn ecn(port: &mut Port) -> &mut Ecn {
    Arc::make_mut(&mut queue(port, 3).ecn)
}

fn group(port: &mut Port) -> &mut PriorityGroup {
    let mut groups = port.priority_groups.iter_mut();
    groups.find(|group| group.id == 3).unwrap()
}

fn buffer(port: &mut Port) -> &mut GroupBuffer {
    Arc::make_mut(&mut group(port).buffer)
}

/// A change of a fact, and what fires.
type Row = (&'static str, fn(&mut Port), &'static [&'static str]);

fn table(kind: DeviceKind, policy: &str, rows: &[Row]) {
    let mut wrong = String::new();
    for (name, change, expected) in rows {
        let fired = fires(kind, policy, change);
        if fired != set(expected) {
            wrong.push_str(&format!("{name}: {fired:?}, not {expected:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn pfc(port: &mut Port, list: &[u8]) {
    port.pfc.enabled = priorities(list);
    port.pfc.tx = priorities(list);
    port.pfc.rx = priorities(list);
}

#[test]
fn good_ports_pass_everything() {
    for policy in [DEFAULT, NUMBERS] {
        let fired = run_all(DeviceKind::Switch, &good_port(), policy, &EVERY_AREA);
        assert_eq!(fired, set(&[]), "{policy}");
    }
    // Maps by blocks of eight hold code points that nobody uses.
    let fired = run_all(DeviceKind::Host, &good_nic_port(), DEFAULT, &AREAS);
    assert_eq!(fired, set(&["info map/shared-class"]));
}

#[test]
fn every_check_passes_on_a_good_port() {
    // Those that judge only where there is something to judge.
    const SILENT: [&str; 2] = ["pfc/operational", "ecn/after-pfc"];
    for check in super::registry() {
        let about = check.about();
        if !AREAS.contains(&about.area()) || SILENT.contains(&about.id) {
            continue;
        }
        let device = device(DeviceKind::Switch);
        let verdicts = verdicts_of(*check, &device, &good_port(), NUMBERS);
        assert_eq!(Told::from(&verdicts), Told::Pass, "{}", about.id);
    }
}

#[test]
fn pfc_of_switches() {
    let rows: &[Row] = &[
        ("off", |port| pfc(port, &[]), &["fail pfc/missing"]),
        ("one more", |port| pfc(port, &[3, 4]), &["fail pfc/extra"]),
        (
            "another",
            |port| pfc(port, &[4]),
            &["fail pfc/missing", "fail pfc/extra"],
        ),
        (
            "sends none",
            |port| {
                port.pfc.tx = priorities(&[]);
                port.pfc.enabled = priorities(&[]);
            },
            &["fail pfc/missing"],
        ),
        (
            "obeys none",
            |port| {
                port.pfc.rx = priorities(&[]);
                port.pfc.enabled = priorities(&[]);
            },
            &["fail pfc/missing"],
        ),
        // SONiC's pfc_asym: sends for 3, obeys all.
        (
            "asymmetric",
            |port| port.pfc.rx = priorities(&[0, 1, 2, 3, 4, 5, 6, 7]),
            &[],
        ),
        // One direction that is off is enough.
        (
            "sends none, the other direction unknown",
            |port| {
                port.pfc.tx = priorities(&[]);
                port.pfc.rx = left_out();
                port.pfc.enabled = priorities(&[]);
            },
            &["fail pfc/missing"],
        ),
        (
            "obeys none, the other direction unknown",
            |port| {
                port.pfc.tx = left_out();
                port.pfc.rx = priorities(&[]);
                port.pfc.enabled = priorities(&[]);
            },
            &["fail pfc/missing"],
        ),
        (
            "one direction unknown",
            |port| port.pfc.rx = left_out(),
            &["unknown pfc/missing"],
        ),
        (
            "set unknown",
            |port| port.pfc.enabled = left_out(),
            &["unknown pfc/extra"],
        ),
        (
            "mode unknown",
            |port| port.pfc.mode = left_out(),
            &["unknown pfc/mode"],
        ),
        (
            "mode off",
            |port| port.pfc.mode = stated(PfcMode::Off),
            &["fail pfc/mode"],
        ),
        (
            "mode off with nothing on is missing, told once",
            |port| {
                pfc(port, &[]);
                port.pfc.mode = stated(PfcMode::Off);
            },
            &["fail pfc/missing"],
        ),
        (
            "negotiated, nobody knows the outcome",
            |port| port.pfc.mode = stated(PfcMode::Auto),
            &["fail pfc/mode", "unknown pfc/operational"],
        ),
        (
            "in force",
            |port| port.pfc.operational = priorities(&[3]),
            &[],
        ),
        (
            "not in force",
            |port| port.pfc.operational = priorities(&[]),
            &["fail pfc/operational"],
        ),
        (
            "neither configured nor in force, told once",
            |port| {
                pfc(port, &[]);
                port.pfc.operational = priorities(&[]);
            },
            &["fail pfc/missing"],
        ),
        (
            "pause received",
            |port| port.link_pause.rx = stated(true),
            &["fail pfc/link-pause"],
        ),
        (
            "pause sent",
            |port| port.link_pause.tx = stated(true),
            &["fail pfc/link-pause"],
        ),
        (
            "pause received, the rest unknown",
            |port| {
                port.link_pause.rx = stated(true);
                port.link_pause.tx = left_out();
            },
            &["fail pfc/link-pause"],
        ),
        (
            "pause half unknown",
            |port| port.link_pause.tx = left_out(),
            &["unknown pfc/link-pause"],
        ),
        (
            "pause does not apply",
            |port| {
                port.link_pause.rx = Fact::NotApplicable;
                port.link_pause.tx = Fact::NotApplicable;
            },
            &[],
        ),
    ];
    table(DeviceKind::Switch, DEFAULT, rows);
}

#[test]
fn watchdog() {
    let rows: &[Row] = &[
        (
            "off",
            |port| port.pfc.watchdog.enabled = stated(false),
            &["fail pfc/watchdog"],
        ),
        (
            "unknown",
            |port| port.pfc.watchdog.enabled = left_out(),
            &["unknown pfc/watchdog"],
        ),
        (
            "guards another",
            |port| port.pfc.watchdog.priorities = priorities(&[4]),
            &["fail pfc/watchdog"],
        ),
        (
            "guards more",
            |port| port.pfc.watchdog.priorities = priorities(&[2, 3, 4, 6]),
            &[],
        ),
        (
            "guards nobody knows what",
            |port| port.pfc.watchdog.priorities = left_out(),
            &["unknown pfc/watchdog"],
        ),
        (
            "slow",
            |port| port.pfc.watchdog.detection_ms = stated(400),
            &["fail pfc/watchdog"],
        ),
        (
            "slow to restore",
            |port| port.pfc.watchdog.restoration_ms = stated(400),
            &["fail pfc/watchdog"],
        ),
        (
            "time unknown",
            |port| port.pfc.watchdog.detection_ms = left_out(),
            &["unknown pfc/watchdog"],
        ),
        (
            "another action",
            |port| port.pfc.watchdog.action = stated("alert".to_owned()),
            &["fail pfc/watchdog"],
        ),
        (
            "action unknown",
            |port| port.pfc.watchdog.action = left_out(),
            &["unknown pfc/watchdog"],
        ),
        (
            "a platform without actions",
            |port| port.pfc.watchdog.action = Fact::NotApplicable,
            &[],
        ),
        (
            "a storm now",
            |port| port.pfc.watchdog.stormed = priorities(&[3]),
            &["fail pfc/watchdog"],
        ),
        (
            "no storm now",
            |port| port.pfc.watchdog.stormed = priorities(&[]),
            &[],
        ),
    ];
    table(DeviceKind::Switch, NUMBERS, rows);
    // The default policy asks for at most a second, and for no action.
    let second = fires(DeviceKind::Switch, DEFAULT, |port| {
        port.pfc.watchdog.detection_ms = stated(1000);
        port.pfc.watchdog.action = left_out();
    });
    assert_eq!(second, set(&[]));
}

#[test]
fn maps_of_switches() {
    let rows: &[Row] = &[
        (
            "DSCP elsewhere",
            |port| port.maps.set(MapName::DscpToTc, dscp_map(&[(26, 1)])),
            &["fail map/dscp"],
        ),
        (
            "DSCP unmapped",
            |port| {
                let rest = (0..64).filter(|dscp| *dscp != 26);
                port.maps
                    .set(MapName::DscpToTc, map(rest.map(|dscp| (dscp, 1))));
            },
            &["fail map/dscp"],
        ),
        (
            "DSCP map unknown",
            |port| port.maps.set(MapName::DscpToTc, left_out()),
            &["unknown map/dscp", "unknown map/shared-class"],
        ),
        (
            "DSCP in a part that is not shown",
            |port| port.maps.set(MapName::DscpToTc, part_of_map([(0, 1)])),
            &["unknown map/dscp", "unknown map/shared-class"],
        ),
        (
            "all that could do harm is shown",
            |port| {
                let part = part_of_map([(0, 1), (26, 3), (48, 6)]);
                port.maps.set(MapName::DscpToTc, part);
            },
            &[],
        ),
        (
            "DSCP 0 too",
            |port| port.maps.set(MapName::DscpToTc, dscp_map(&[(0, 3)])),
            &["fail map/shared-class"],
        ),
        (
            "CNPs too",
            |port| port.maps.set(MapName::DscpToTc, dscp_map(&[(48, 3)])),
            &["fail map/shared-class"],
        ),
        (
            "an unused code point too",
            |port| port.maps.set(MapName::DscpToTc, dscp_map(&[(27, 3)])),
            &["info map/shared-class"],
        ),
        (
            "best effort by its queue",
            |port| port.maps.set(MapName::TcToQueue, straight(&[(1, 3)])),
            &["fail map/shared-class"],
        ),
        (
            "best effort by its group",
            |port| port.maps.set(MapName::TcToPg, group_map(&[(1, 3)])),
            &["fail map/shared-class"],
        ),
        (
            "another queue",
            |port| port.maps.set(MapName::TcToQueue, straight(&[(3, 5)])),
            &["fail map/queue"],
        ),
        (
            "queues unknown",
            |port| port.maps.set(MapName::TcToQueue, left_out()),
            &["unknown map/queue"],
        ),
        (
            "queue not shown",
            |port| port.maps.set(MapName::TcToQueue, part_of_map([(1, 1)])),
            &["unknown map/queue"],
        ),
        (
            "no queue",
            |port| port.maps.set(MapName::TcToQueue, map([(1, 1)])),
            &["fail map/queue"],
        ),
        (
            "another group",
            |port| port.maps.set(MapName::TcToPg, group_map(&[(3, 0)])),
            &["fail map/pg"],
        ),
        (
            "groups unknown",
            |port| port.maps.set(MapName::TcToPg, left_out()),
            &["unknown map/pg"],
        ),
        (
            "a platform without groups",
            |port| port.maps.set(MapName::TcToPg, Fact::NotApplicable),
            &[],
        ),
        (
            "another group sends",
            |port| port.maps.set(MapName::PfcToPg, straight(&[(3, 4)])),
            &["fail map/pg"],
        ),
        (
            "pause stops another queue",
            |port| port.maps.set(MapName::PfcToQueue, straight(&[(3, 4)])),
            &["fail map/pfc-queue"],
        ),
        (
            "pause stops no queue",
            |port| port.maps.set(MapName::PfcToQueue, map([(4, 4)])),
            &["fail map/pfc-queue"],
        ),
        (
            "what pause stops is unknown",
            |port| port.maps.set(MapName::PfcToQueue, left_out()),
            &["unknown map/pfc-queue"],
        ),
        (
            "rewritten",
            |port| port.maps.set(MapName::TcToDscp, map([(3, 0)])),
            &["fail map/rewrite"],
        ),
        (
            "rewritten to itself",
            |port| port.maps.set(MapName::TcToDscp, map([(3, 26)])),
            &[],
        ),
        (
            "another class is rewritten",
            |port| port.maps.set(MapName::TcToDscp, map([(1, 0)])),
            &[],
        ),
        (
            "rewriting unknown",
            |port| port.maps.set(MapName::TcToDscp, left_out()),
            &["unknown map/rewrite"],
        ),
        (
            "trusts the tag",
            |port| port.trust = stated(Trust::Pcp),
            &["fail trust/mode"],
        ),
        (
            "trusts nothing",
            |port| port.trust = stated(Trust::None),
            &["fail trust/mode"],
        ),
        ("trusts both", |port| port.trust = stated(Trust::Both), &[]),
        (
            "trust unknown",
            |port| port.trust = left_out(),
            &["unknown trust/mode"],
        ),
    ];
    table(DeviceKind::Switch, DEFAULT, rows);
}

#[test]
fn marking() {
    let rows: &[Row] = &[
        (
            "off",
            |port| ecn(port).enabled = stated(false),
            &["fail ecn/missing"],
        ),
        (
            "unknown",
            |port| ecn(port).enabled = left_out(),
            &["unknown ecn/missing"],
        ),
        (
            "begins early",
            |port| ecn(port).min_bytes = stated(75_000),
            &["fail ecn/thresholds"],
        ),
        // Spectrum-4 shows 150000 B as 156 KB.
        (
            "rounded by the hardware",
            |port| ecn(port).min_bytes = stated(159_744),
            &[],
        ),
        (
            "ends early",
            |port| ecn(port).max_bytes = stated(1_000_000),
            &["fail ecn/thresholds"],
        ),
        (
            "seldom",
            |port| ecn(port).probability_percent = stated(crate::model::Milli::whole(5)),
            &["fail ecn/thresholds"],
        ),
        (
            "probability unknown",
            |port| ecn(port).probability_percent = left_out(),
            &["unknown ecn/thresholds"],
        ),
        (
            "minimum unknown",
            |port| ecn(port).min_bytes = left_out(),
            &["unknown ecn/thresholds", "unknown ecn/order"],
        ),
        (
            "per cent against bytes",
            |port| {
                let ecn = ecn(port);
                ecn.min_bytes = Fact::NotApplicable;
                ecn.max_bytes = Fact::NotApplicable;
                ecn.min_percent = stated(crate::model::Milli::whole(40));
                ecn.max_percent = stated(crate::model::Milli::whole(80));
            },
            &["unknown ecn/thresholds"],
        ),
        (
            "drops",
            |port| ecn(port).wred_drop = stated(true),
            &["fail ecn/drops"],
        ),
        (
            "drops unknown",
            |port| ecn(port).wred_drop = left_out(),
            &["unknown ecn/drops"],
        ),
        (
            "no capture speaks of the queue",
            |port| port.queues.clear(),
            &["unknown ecn/missing", "unknown ecn/drops"],
        ),
        (
            "pause before the first mark",
            |port| {
                buffer(port).alpha = Fact::NotApplicable;
                buffer(port).pause_at_bytes = stated(100_000);
            },
            &["fail ecn/after-pfc"],
        ),
        (
            "pause before the first mark, at a point that moves",
            |port| buffer(port).pause_at_bytes = stated(100_000),
            &["info ecn/after-pfc"],
        ),
        (
            "marks before pause",
            |port| buffer(port).pause_at_bytes = stated(200_000),
            &[],
        ),
        // The queue that pause stops is judged, whatever the DSCP map says.
        (
            "a wrong DSCP map is one finding",
            |port| port.maps.set(MapName::DscpToTc, dscp_map(&[(26, 1)])),
            &["fail map/dscp"],
        ),
    ];
    table(DeviceKind::Switch, NUMBERS, rows);
    let rows: &[Row] = &[
        (
            "minimum above maximum",
            |port| ecn(port).min_bytes = stated(1_600_000),
            &["fail ecn/order"],
        ),
        (
            "a step",
            |port| ecn(port).min_bytes = stated(1_500_000),
            &[],
        ),
        (
            "when it marks is unknown, and pause is fixed",
            |port| {
                ecn(port).min_bytes = left_out();
                buffer(port).pause_at_bytes = stated(100_000);
            },
            &["unknown ecn/order", "unknown ecn/after-pfc"],
        ),
        (
            "in per cent, the wrong way round",
            |port| {
                let ecn = ecn(port);
                ecn.min_bytes = Fact::NotApplicable;
                ecn.max_bytes = Fact::NotApplicable;
                ecn.min_percent = stated(crate::model::Milli::whole(80));
                ecn.max_percent = stated(crate::model::Milli::whole(40));
            },
            &["fail ecn/order"],
        ),
        (
            "any threshold will do",
            |port| ecn(port).min_bytes = stated(1),
            &[],
        ),
    ];
    table(DeviceKind::Switch, DEFAULT, rows);
}

#[test]
fn hosts() {
    const INFO: &str = "info map/shared-class";
    let rows: &[Row] = &[
        ("off", |port| pfc(port, &[]), &["fail pfc/missing", INFO]),
        (
            "one more",
            |port| pfc(port, &[3, 4]),
            &["fail pfc/extra", INFO],
        ),
        (
            "unknown",
            |port| {
                port.pfc.tx = left_out();
                port.pfc.enabled = left_out();
            },
            &["unknown pfc/missing", "unknown pfc/extra", INFO],
        ),
        (
            "negotiated",
            |port| port.pfc.mode = stated(PfcMode::Auto),
            &["fail pfc/mode", INFO],
        ),
        (
            "link pause",
            |port| port.link_pause.rx = stated(true),
            &["fail pfc/link-pause", INFO],
        ),
        // What else the class holds is judged where it belongs: priority 3.
        (
            "DSCP to another priority",
            |port| {
                let blocks = (0..64).map(|dscp| (dscp, dscp / 8));
                port.maps
                    .set(MapName::DscpToTc, map(blocks.chain([(26, 5)])));
            },
            &["fail map/dscp", INFO],
        ),
        (
            "DSCP map unknown",
            |port| port.maps.set(MapName::DscpToTc, left_out()),
            &["unknown map/dscp", "unknown map/shared-class"],
        ),
        (
            "best effort in priority 3",
            |port| {
                let blocks = (0..64).map(|dscp| (dscp, dscp / 8));
                port.maps
                    .set(MapName::DscpToTc, map(blocks.chain([(0, 3)])));
            },
            &["fail map/shared-class"],
        ),
    ];
    table(DeviceKind::Host, DEFAULT, rows);
    // The numbers of the policy are those of switches.
    let numbers = fires(DeviceKind::Host, &NUMBERS.replace("tc: 3", "tc: 5"), |_| {});
    assert_eq!(numbers, set(&[INFO]));
}
