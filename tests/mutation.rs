//! Changes one setting of the good example fabric at a time: just the checks
//! that follow from it fire, on just the port that it is of.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::{audited, exit, of_devices, policy, root};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What fires in the fabric after a change to a copy of it.
fn after(change: impl FnOnce(&Path)) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("examples/fabric"), dir.path());
    change(dir.path());
    of_devices(
        &audited(dir.path(), &policy("builtin:roce-lossless")),
        false,
    )
}

/// The fabric with leaf1's configuration changed.
fn with_leaf1(change: impl FnOnce(&mut Value)) -> BTreeSet<String> {
    after(|fabric| {
        let file = fabric.join("leaf1.json");
        let mut config: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        change(&mut config);
        fs::write(&file, serde_json::to_string_pretty(&config).unwrap()).unwrap();
    })
}

/// The fabric with one text of a capture of gpu01 replaced.
fn with_gpu01(file: &str, old: &str, new: &str) -> BTreeSet<String> {
    after(|fabric| {
        let path = fabric.join("gpu01").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{file} holds no {old:?}");
        fs::write(&path, text.replace(old, new)).unwrap();
    })
}

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Checks that fire on leaf1's first port.
fn first(checks: &[&str]) -> BTreeSet<String> {
    let line = |check: &&str| format!("{check} leaf1 Ethernet0");
    checks.iter().map(line).collect()
}

/// Checks that fire on all four ports of leaf1 that are up.
fn everywhere(checks: &[&str]) -> BTreeSet<String> {
    let line = |check: &&str| [0, 4, 8, 12].map(|n| format!("{check} leaf1 Ethernet{n}"));
    checks.iter().flat_map(line).collect()
}

#[test]
fn the_fabric_itself_is_good() {
    assert_eq!(with_leaf1(|_| {}), set(&[]));
}

/// Sets a field of a row, or takes it away, and tells what fires.
fn field(table: &str, row: &str, field: &str, value: Value) -> BTreeSet<String> {
    with_leaf1(|config| {
        assert!(config[table].get(row).is_some(), "{table} has no {row}");
        match value {
            Value::Null => {
                config[table][row].as_object_mut().unwrap().remove(field);
            }
            value => config[table][row][field] = value,
        }
    })
}

/// Takes a row away and tells what fires.
fn without(table: &str, row: &str) -> BTreeSet<String> {
    with_leaf1(|config| {
        let rows = config[table].as_object_mut().unwrap();
        assert!(rows.remove(row).is_some(), "{table} has no {row}");
    })
}

#[test]
fn pfc() {
    let enable = |value| field("PORT_QOS_MAP", "Ethernet0", "pfc_enable", value);
    assert_eq!(enable(json!("")), first(&["fail pfc/missing"]));
    assert_eq!(enable(Value::Null), first(&["fail pfc/missing"]));
    assert_eq!(enable(json!("3,4")), first(&["fail pfc/extra"]));
    assert_eq!(
        enable(json!("4")),
        first(&["fail pfc/missing", "fail pfc/extra"])
    );
    assert_eq!(
        enable(json!("3,x")),
        first(&[
            "unknown config/unparsed",
            "unknown pfc/missing",
            "unknown pfc/extra"
        ])
    );
}

#[test]
fn watchdog() {
    let expected = first(&["fail pfc/watchdog"]);
    let row = |name, value| field("PFC_WD", "Ethernet0", name, value);
    assert_eq!(row("detection_time", json!("5000")), expected);
    assert_eq!(row("detection_time", json!("1000")), set(&[]));
    // orchagent rejects a row without it.
    assert_eq!(row("detection_time", Value::Null), expected);
    // The policy takes any action.
    assert_eq!(row("action", json!("forward")), set(&[]));
    assert_eq!(without("PFC_WD", "Ethernet0"), expected);
    // Configured, but it watches nothing, or something else.
    let watched = |value| field("PORT_QOS_MAP", "Ethernet0", "pfcwd_sw_enable", value);
    assert_eq!(watched(Value::Null), expected);
    assert_eq!(watched(json!("4")), expected);
}

#[test]
fn dscp_map() {
    let map = |code, value| field("DSCP_TO_TC_MAP", "FABRIC", code, value);
    assert_eq!(map("26", json!("1")), everywhere(&["fail map/dscp"]));
    // SAI maps what the map leaves out to traffic class 0.
    assert_eq!(map("26", Value::Null), everywhere(&["fail map/dscp"]));
    assert_eq!(map("0", json!("3")), everywhere(&["fail map/shared-class"]));
    assert_eq!(
        map("48", json!("3")),
        everywhere(&["fail map/shared-class", "fail sched/cnp"])
    );
    assert_eq!(map("48", json!("0")), everywhere(&["fail sched/cnp"]));
    // A code point that nobody uses is information.
    assert_eq!(map("27", json!("3")), set(&[]));
    let unreadable = |check: &str| {
        let mut lines = everywhere(&[check]);
        lines.insert("unknown config/unparsed leaf1 *".to_owned());
        lines
    };
    assert_eq!(map("26", json!("three")), unreadable("unknown map/dscp"));
    // What is not known could be CNPs in the lossless class.
    let hidden = map("48", json!("three"));
    assert!(
        hidden.is_superset(&unreadable("unknown map/shared-class")),
        "{hidden:?}"
    );
}

#[test]
fn a_dangling_name_voids_the_row() {
    let expected = first(&[
        "fail map/unresolved",
        // The root of the rest: nothing of the row is in force.
        "fail pfc/missing",
        "fail pfc/watchdog",
        "fail trust/mode",
        "fail map/dscp",
        "fail ecn/missing",
        "unknown map/pg",
        "unknown map/pfc-queue",
        "unknown sched/cnp",
    ]);
    let names = [
        "dscp_to_tc_map",
        "tc_to_queue_map",
        "tc_to_pg_map",
        "pfc_to_queue_map",
        "pfc_to_pg_map",
    ];
    for name in names {
        let fired = field("PORT_QOS_MAP", "Ethernet0", name, json!("GONE"));
        assert_eq!(fired, expected, "{name}");
    }
}

#[test]
fn trust() {
    let expected = first(&["fail trust/mode", "fail map/dscp", "unknown sched/cnp"]);
    assert_eq!(
        field("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", Value::Null),
        expected
    );
    let by_tag = with_leaf1(|config| {
        config["DOT1P_TO_TC_MAP"] = json!({"TAG": {"0": "0", "3": "3", "6": "6"}});
        let row = config["PORT_QOS_MAP"]["Ethernet0"].as_object_mut().unwrap();
        row.remove("dscp_to_tc_map");
        row.insert("dot1p_to_tc_map".to_owned(), json!("TAG"));
    });
    assert_eq!(by_tag, expected);
}

#[test]
fn queue_and_group_maps() {
    assert_eq!(
        field("TC_TO_QUEUE_MAP", "FABRIC", "3", json!("1")),
        everywhere(&["fail map/queue"])
    );
    assert_eq!(
        field("MAP_PFC_PRIORITY_TO_QUEUE", "FABRIC", "3", json!("4")),
        everywhere(&["fail map/pfc-queue"])
    );
    assert_eq!(
        field("TC_TO_PRIORITY_GROUP_MAP", "FABRIC", "3", json!("0")),
        everywhere(&["fail map/pg"])
    );
    // Pause is then sent by a group without headroom, which the class does not fill.
    let table = "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP";
    assert_eq!(
        field(table, "FABRIC", "3", json!("0")),
        everywhere(&["fail map/pg", "fail buffer/headroom"])
    );
    // The default class in the queue or the group of the lossless class: it is
    // paused with it, or makes it pause.
    let shared = everywhere(&["fail map/shared-class"]);
    assert_eq!(
        field("TC_TO_PRIORITY_GROUP_MAP", "FABRIC", "0", json!("3")),
        shared
    );
    assert_eq!(field("TC_TO_QUEUE_MAP", "FABRIC", "0", json!("3")), shared);
    // Nobody uses traffic class 5.
    assert_eq!(
        field("TC_TO_QUEUE_MAP", "FABRIC", "5", json!("3")),
        set(&[])
    );
    let unbound = |name| field("PORT_QOS_MAP", "Ethernet0", name, Value::Null);
    // SAI: all packets to queue 0.
    assert_eq!(
        unbound("tc_to_queue_map"),
        first(&["fail map/queue", "fail sched/cnp"])
    );
    assert_eq!(unbound("tc_to_pg_map"), first(&["unknown map/pg"]));
    assert_eq!(
        unbound("pfc_to_queue_map"),
        first(&["unknown map/pfc-queue"])
    );
    // Only some ASICs use one.
    assert_eq!(unbound("pfc_to_pg_map"), set(&[]));
}

#[test]
fn rewrite() {
    let to = |dscp| {
        with_leaf1(|config| {
            config["TC_TO_DSCP_MAP"] = json!({"REWRITE": {"3": dscp}});
            config["PORT_QOS_MAP"]["Ethernet0"]["tc_to_dscp_map"] = json!("REWRITE");
        })
    };
    assert_eq!(to("0"), first(&["fail map/rewrite"]));
    assert_eq!(to("26"), set(&[]));
}

#[test]
fn ecn() {
    assert_eq!(
        field("QUEUE", "Ethernet0|3", "wred_profile", Value::Null),
        first(&["fail ecn/missing"])
    );
    assert_eq!(
        field("QUEUE", "Ethernet0|3", "wred_profile", json!("GONE")),
        first(&["fail map/unresolved", "fail ecn/missing"])
    );
    let wred = |name, value| field("WRED_PROFILE", "FABRIC_LOSSLESS", name, value);
    assert_eq!(
        wred("green_min_threshold", json!("1600000")),
        everywhere(&["fail ecn/order"])
    );
    assert_eq!(wred("green_min_threshold", json!("1500000")), set(&[]));
    let both = everywhere(&["fail ecn/missing", "fail ecn/drops"]);
    assert_eq!(wred("ecn", json!("ecn_none")), both);
    assert_eq!(wred("ecn", Value::Null), both);
    // RoCE packets are green: other colours do not help them.
    assert_eq!(wred("ecn", json!("ecn_yellow_red")), both);
    assert_eq!(wred("ecn", json!("ecn_green")), set(&[]));
    // ECN without WRED drops is shipped for NVIDIA, and not known elsewhere.
    assert_eq!(wred("wred_green_enable", json!("false")), set(&[]));
    let elsewhere = with_leaf1(|config| {
        config["DEVICE_METADATA"]["localhost"]["hwsku"] = json!("Force10-S6000");
        config["DEVICE_METADATA"]["localhost"]["platform"] = json!("x86_64-dell_s6000_s1220-r0");
        config["WRED_PROFILE"]["FABRIC_LOSSLESS"]["wred_green_enable"] = json!("false");
    });
    assert_eq!(elsewhere, everywhere(&["unknown ecn/missing"]));
}

#[test]
fn scheduling() {
    assert_eq!(
        field("SCHEDULER", "scheduler.cnp", "type", json!("DWRR")),
        everywhere(&["fail sched/cnp"])
    );
    let scheduler = |value| field("QUEUE", "Ethernet0|6", "scheduler", value);
    assert_eq!(
        scheduler(json!("scheduler.bulk")),
        first(&["fail sched/cnp"])
    );
    assert_eq!(scheduler(Value::Null), first(&["unknown sched/cnp"]));
    assert_eq!(
        scheduler(json!("GONE")),
        first(&["fail map/unresolved", "unknown sched/cnp"])
    );
}

#[test]
fn ports() {
    let port = |name, value| field("PORT", "Ethernet0", name, value);
    assert_eq!(port("mtu", json!("1500")), first(&["fail mtu/port"]));
    assert_eq!(port("mtu", json!("4199")), first(&["fail mtu/port"]));
    assert_eq!(port("mtu", json!("4200")), set(&[]));
    // 9100 by default.
    assert_eq!(port("mtu", Value::Null), set(&[]));
    assert_eq!(
        port("mtu", json!("jumbo")),
        // How much headroom is enough depends on the MTU.
        first(&[
            "unknown config/unparsed",
            "unknown mtu/port",
            "unknown buffer/headroom"
        ])
    );
    assert_eq!(port("admin_status", Value::Null), set(&[]));
    // Only ports that are up are judged.
    let down = with_leaf1(|config| {
        config["PORT"]["Ethernet0"]["admin_status"] = json!("down");
        config["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = json!("");
    });
    assert_eq!(down, set(&[]));
}

#[test]
fn buffers() {
    let profile = "pg_lossless_100000_40m_profile";
    let xoff = |value| field("BUFFER_PROFILE", profile, "xoff", value);
    assert_eq!(xoff(json!("0")), everywhere(&["fail buffer/headroom"]));
    assert_eq!(xoff(json!("9000")), everywhere(&["fail buffer/headroom"]));
    assert_eq!(xoff(Value::Null), everywhere(&["fail buffer/headroom"]));
    assert_eq!(
        field("CABLE_LENGTH", "AZURE", "Ethernet0", json!("2000m")),
        first(&["fail buffer/headroom"])
    );
    // The policy gives a length where the device does not.
    assert_eq!(
        field("CABLE_LENGTH", "AZURE", "Ethernet0", Value::Null),
        set(&[])
    );
    let group = |value| field("BUFFER_PG", "Ethernet0|3", "profile", value);
    assert_eq!(
        group(json!("ingress_lossy_profile")),
        first(&["fail buffer/headroom"])
    );
    assert_eq!(
        group(json!("gone")),
        first(&["fail map/unresolved", "fail buffer/headroom"])
    );
    assert_eq!(
        field("BUFFER_POOL", "ingress_lossless_pool", "size", json!("0")),
        everywhere(&["fail buffer/pool"])
    );
    // A group that the switch makes by itself is accepted, but an unused
    // port gets none.
    assert_eq!(without("BUFFER_PG", "Ethernet0|3"), set(&[]));
    let unused = with_leaf1(|config| {
        let groups = config["BUFFER_PG"].as_object_mut().unwrap();
        groups.remove("Ethernet0|3");
        config["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = json!("0m");
    });
    assert_eq!(unused, first(&["fail buffer/headroom"]));
}

const QOS: &str = "mlnx_qos_ens1f0np0.txt";
const NIC: &str = "gpu01 ens1f0np0";

/// A check that fires on gpu01's NIC and nowhere else.
fn only(check: &str) -> BTreeSet<String> {
    set(&[&format!("{check} {NIC}")])
}

#[test]
fn host_qos() {
    let pfc = ("enabled     0   0   0   1 ", "enabled     0   0   0   0 ");
    assert_eq!(with_gpu01(QOS, pfc.0, pfc.1), only("fail pfc/missing"));
    let extra = "enabled     0   0   0   1   1 ";
    let fired = with_gpu01(QOS, "enabled     0   0   0   1   0 ", extra);
    assert_eq!(fired, only("fail pfc/extra"));
    let trust = with_gpu01(QOS, "trust state: dscp", "trust state: pcp");
    assert_eq!(trust, only("fail nic/trust"));
    let moved = with_gpu01(
        QOS,
        "prio:3 dscp:31,30,29,28,27,26,",
        "prio:5 dscp:26,\n\tprio:3 dscp:31,30,29,28,27,",
    );
    assert_eq!(moved, only("fail map/dscp"));
    let buffer = with_gpu01(QOS, "20016,156096,", "20016,896,");
    assert_eq!(buffer, only("fail buffer/headroom"));
    let firmware = with_gpu01(QOS, "OS controlled", "Firmware controlled");
    let both = [
        format!("fail nic/dcbx {NIC}"),
        format!("fail pfc/mode {NIC}"),
    ];
    assert_eq!(firmware, both.into());
    let lldpad = "****** WARNING: lldpad service is running and may overwrite your settings ******\n\nDCBX mode:";
    assert_eq!(with_gpu01(QOS, "DCBX mode:", lldpad), only("fail nic/dcbx"));
}

#[test]
fn host_marking_and_addresses() {
    let file = "traffic_class.txt";
    assert_eq!(
        with_gpu01(file, "tclass=106", "tclass=0"),
        only("fail nic/tos")
    );
    assert_eq!(
        with_gpu01(file, "tclass=106", "tclass=107"),
        only("fail nic/tos")
    );
    assert_eq!(with_gpu01(file, "tclass=106", "tclass=105"), set(&[]));
    assert_eq!(
        with_gpu01(file, "Global tclass=106\n", ""),
        only("unknown nic/tos")
    );
    let local = with_gpu01(
        "show_gids.txt",
        "0000:0000:0000:0000:0000:ffff:0a1a:010b",
        "fe80:0000:0000:0000:0000:ffff:0a1a:010b",
    );
    assert_eq!(local, only("fail nic/gid"));
    let mtu = with_gpu01("ip_link.json", "\"mtu\": 9000", "\"mtu\": 1500");
    assert_eq!(mtu, only("fail mtu/port"));
    let rdma = with_gpu01(
        "ibv_devinfo.txt",
        "active_mtu:\t\t4096 (5)",
        "active_mtu:\t\t1024 (3)",
    );
    assert_eq!(rdma, only("fail mtu/rdma"));
    let pause = with_gpu01("ethtool_a_ens1f0np0.txt", "RX:\t\toff", "RX:\t\ton");
    assert_eq!(pause, only("fail pfc/link-pause"));
}

#[test]
fn host_congestion_control() {
    let ecn = "ecn.txt";
    let rp = with_gpu01(ecn, "roce_rp/enable/3: 1", "roce_rp/enable/3: 0");
    assert_eq!(rp, only("fail dcqcn/enabled"));
    // The notification point is port-wide: one priority switched off is none.
    assert_eq!(
        with_gpu01(ecn, "roce_np/enable/3: 1", "roce_np/enable/3: 0"),
        set(&[])
    );
    let throttle = with_gpu01(ecn, "rpg_max_rate: 0", "rpg_max_rate: 100");
    assert_eq!(throttle, only("fail dcqcn/params"));
    let dscp = with_gpu01(ecn, "cnp_dscp: 48", "cnp_dscp: 4");
    let both = [
        format!("fail cnp/marking {NIC}"),
        format!("fail nic/volatile {NIC}"),
    ];
    assert_eq!(dscp, both.into());
    let staged = with_gpu01(
        "mlxconfig.txt",
        "CNP_DSCP_P1                                 48                   48                   48",
        "CNP_DSCP_P1                                 48                   48                   46",
    );
    let both = [
        format!("fail nic/pending {NIC}"),
        format!("fail nic/volatile {NIC}"),
    ];
    assert_eq!(staged, both.into());
}

/// A document in one of the many ways in which JSON can be written: `salt`
/// picks the order of keys and the blanks. Tables and rows are told apart from
/// lists, whose order says something.
fn rendered(value: &Value, salt: u64) -> String {
    let blank = ["", " ", "\n", "\r\n\t"][(salt % 4) as usize];
    let Value::Object(members) = value else {
        return value.to_string();
    };
    let rank = |key: &str| {
        let mut hasher = DefaultHasher::new();
        (salt, key).hash(&mut hasher);
        hasher.finish()
    };
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(key, _)| rank(key));
    let members: Vec<String> = members
        .into_iter()
        .map(|(key, value)| {
            let value = rendered(value, rank(key));
            format!("{blank}{}{blank}:{blank}{value}{blank}", json!(key))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Faults that findings tell by port, by device, by row and by line.
fn faulty() -> Value {
    let file = root().join("examples/fabric/leaf1.json");
    let mut config: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    config["DSCP_TO_TC_MAP"]["FABRIC"]["26"] = json!("1");
    config["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = json!("3,x");
    config["PORT_QOS_MAP"]["Ethernet4"]["tc_to_pg_map"] = json!("GONE");
    config["QUEUE"]["Ethernet8|6"]["scheduler"] = json!("GONE");
    config["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = json!("0");
    config
}

/// What is found in one switch that is told by these files.
fn found(files: &[(&str, String)]) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let device = dir.path().join("leaf1");
    fs::create_dir(&device).unwrap();
    for (name, text) in files {
        fs::write(device.join(name), text).unwrap();
    }
    of_devices(&audited(dir.path(), &policy("builtin:roce-lossless")), true)
}

/// References as they were written before version 3_0_3: `[TABLE|NAME]`.
fn bracketed(mut config: Value) -> Value {
    const REFERENCES: [(&str, &str, &str); 9] = [
        ("PORT_QOS_MAP", "dscp_to_tc_map", "DSCP_TO_TC_MAP"),
        ("PORT_QOS_MAP", "tc_to_queue_map", "TC_TO_QUEUE_MAP"),
        ("PORT_QOS_MAP", "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
        (
            "PORT_QOS_MAP",
            "pfc_to_queue_map",
            "MAP_PFC_PRIORITY_TO_QUEUE",
        ),
        (
            "PORT_QOS_MAP",
            "pfc_to_pg_map",
            "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
        ),
        ("QUEUE", "scheduler", "SCHEDULER"),
        ("QUEUE", "wred_profile", "WRED_PROFILE"),
        ("BUFFER_PG", "profile", "BUFFER_PROFILE"),
        ("BUFFER_PROFILE", "pool", "BUFFER_POOL"),
    ];
    config["VERSIONS"]["DATABASE"]["VERSION"] = json!("version_2_0_0");
    for (table, field, target) in REFERENCES {
        for row in config[table].as_object_mut().unwrap().values_mut() {
            if let Some(name) = row.get_mut(field) {
                *name = json!(format!("[{target}|{}]", name.as_str().unwrap()));
            }
        }
    }
    config
}

/// As a dump of the database has it: `TABLE|KEY`.
fn flat(config: &Value) -> Value {
    let tables = config.as_object().unwrap();
    let rows = tables.iter().flat_map(|(table, rows)| {
        let rows = rows.as_object().unwrap();
        rows.iter()
            .map(move |(key, row)| (format!("{table}|{key}"), row.clone()))
    });
    Value::Object(rows.collect())
}

#[test]
fn the_spelling_of_a_configuration_changes_nothing() {
    let config = faulty();
    let expected = found(&[("config_db.json", config.to_string())]);
    assert!(expected.contains("fail map/unresolved leaf1 Ethernet4"));
    let old = bracketed(config.clone());
    assert_eq!(found(&[("config_db.json", old.to_string())]), expected);
    assert_eq!(found(&[("dump.json", flat(&config).to_string())]), expected);
    // As the templates are rendered, and what is left.
    let (mut buffers, mut qos, mut rest) = (json!({}), json!({}), json!({}));
    for (table, rows) in config.as_object().unwrap() {
        let file = match table.as_str() {
            "CABLE_LENGTH" => &mut buffers,
            name if name.starts_with("BUFFER") => &mut buffers,
            "PORT_QOS_MAP" | "QUEUE" | "SCHEDULER" | "WRED_PROFILE" => &mut qos,
            name if name.ends_with("_MAP") || name.starts_with("MAP_") => &mut qos,
            _ => &mut rest,
        };
        file[table] = rows.clone();
    }
    let split = found(&[
        ("buffers.json", buffers.to_string()),
        ("qos.json", qos.to_string()),
        ("rest.json", rest.to_string()),
    ]);
    assert_eq!(split, expected);
    let asics = json!({"localhost": {"VERSIONS": config["VERSIONS"]}, "asic0": config});
    assert_eq!(found(&[("all.json", asics.to_string())]), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The order of keys, line ends and blanks change nothing.
    #[test]
    fn the_way_of_writing_changes_nothing(salt: u64) {
        let policy = policy("builtin:roce-lossless");
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("leaf1.json");
        let config = faulty();
        fs::write(&file, serde_json::to_string_pretty(&config).unwrap()).unwrap();
        let before = of_devices(&audited(dir.path(), &policy), true);
        prop_assert!(before.len() > 10);
        fs::write(&file, rendered(&config, salt)).unwrap();
        prop_assert_eq!(before, of_devices(&audited(dir.path(), &policy), true));
    }

    /// What a good switch's configuration holds up to any point proves no
    /// fault, and no health.
    #[test]
    fn a_cut_proves_nothing(cut: prop::sample::Index) {
        let text = fs::read_to_string(root().join("examples/fabric/leaf1.json")).unwrap();
        let needed = text.rfind("\"WRED_PROFILE\"").unwrap();
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("leaf1.json"), &text[..=cut.index(needed)]).unwrap();
        let policy = policy("builtin:roce-lossless");
        let report = audited(dir.path(), &policy);
        let fails: Vec<_> = of_devices(&report, false)
            .into_iter()
            .filter(|line| line.starts_with("fail"))
            .collect();
        prop_assert!(fails.is_empty(), "{fails:?}");
        prop_assert_eq!(exit(&report, &policy), 3);
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let policy = policy("builtin:sonic-azure");
    let bytes = || {
        let report = audited(&root().join("examples/fabric"), &policy);
        assert!(!report.findings.is_empty());
        let mut json = Vec::new();
        roceaudit::report::json::write(&report, &roceaudit::report::Style::default(), &mut json)
            .unwrap();
        let text = String::from_utf8(json).unwrap();
        let started: Value = serde_json::from_str(&text).unwrap();
        let started = started["started"].to_string();
        text.replacen(&started, "null", 1)
    };
    assert_eq!(bytes(), bytes());
}
