//! Changes one setting of the good example fabric at a time: just the checks
//! that follow from it fire, on just the port that it is of.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::{audited, fired, policy, root};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
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

/// The fabric with leaf1's configuration changed.
fn with_leaf1(change: impl FnOnce(&mut Value)) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("examples/fabric"), dir.path());
    let file = dir.path().join("leaf1.json");
    let mut config: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    change(&mut config);
    fs::write(&file, serde_json::to_string_pretty(&config).unwrap()).unwrap();
    fired(
        &audited(dir.path(), &policy("builtin:roce-lossless")),
        false,
    )
}

/// The fabric with one text of a capture of gpu01 replaced.
fn with_gpu01(file: &str, old: &str, new: &str) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("examples/fabric"), dir.path());
    let path = dir.path().join("gpu01").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} holds no {old:?}");
    fs::write(&path, text.replace(old, new)).unwrap();
    fired(
        &audited(dir.path(), &policy("builtin:roce-lossless")),
        false,
    )
}

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// All four ports that are up.
fn everywhere(line: &str) -> BTreeSet<String> {
    [0, 4, 8, 12]
        .map(|n| format!("{line} leaf1 Ethernet{n}"))
        .into()
}

#[test]
fn the_fabric_itself_is_good() {
    assert_eq!(with_leaf1(|_| {}), set(&[]));
}

/// Sets a field of a row and tells what fires.
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

#[test]
fn pfc() {
    let off = field("PORT_QOS_MAP", "Ethernet0", "pfc_enable", json!(""));
    assert_eq!(off, set(&["fail pfc/missing leaf1 Ethernet0"]));
    let absent = field("PORT_QOS_MAP", "Ethernet0", "pfc_enable", Value::Null);
    assert!(
        absent.contains("fail pfc/missing leaf1 Ethernet0"),
        "{absent:?}"
    );
    let extra = field("PORT_QOS_MAP", "Ethernet0", "pfc_enable", json!("3,4"));
    assert_eq!(extra, set(&["fail pfc/extra leaf1 Ethernet0"]));
    let other = field("PORT_QOS_MAP", "Ethernet0", "pfc_enable", json!("4"));
    assert!(
        other.contains("fail pfc/missing leaf1 Ethernet0"),
        "{other:?}"
    );
    assert!(
        other.contains("fail pfc/extra leaf1 Ethernet0"),
        "{other:?}"
    );
    let garbage = field("PORT_QOS_MAP", "Ethernet0", "pfc_enable", json!("3,x"));
    assert!(
        garbage.contains("unknown pfc/missing leaf1 Ethernet0"),
        "{garbage:?}"
    );
    let told = |line: &String| line.starts_with("unknown config/unparsed leaf1");
    assert!(garbage.iter().any(told), "{garbage:?}");
    assert!(
        !garbage.iter().any(|line| line.starts_with("fail")),
        "{garbage:?}"
    );
}

#[test]
fn watchdog() {
    let expected = set(&["fail pfc/watchdog leaf1 Ethernet0"]);
    assert_eq!(
        field("PFC_WD", "Ethernet0", "detection_time", json!("5000")),
        expected
    );
    let gone = with_leaf1(|config| {
        config["PFC_WD"]
            .as_object_mut()
            .unwrap()
            .remove("Ethernet0");
    });
    assert_eq!(gone, expected);
    // Configured, but it watches nothing.
    let unwatched = field("PORT_QOS_MAP", "Ethernet0", "pfcwd_sw_enable", Value::Null);
    assert_eq!(unwatched, expected);
    let other = field("PORT_QOS_MAP", "Ethernet0", "pfcwd_sw_enable", json!("4"));
    assert!(
        other.contains("fail pfc/watchdog leaf1 Ethernet0"),
        "{other:?}"
    );
}

#[test]
fn dscp_map() {
    let wrong = field("DSCP_TO_TC_MAP", "FABRIC", "26", json!("1"));
    assert_eq!(wrong, everywhere("fail map/dscp"));
    let unmapped = field("DSCP_TO_TC_MAP", "FABRIC", "26", Value::Null);
    assert_eq!(unmapped, everywhere("fail map/dscp"));
    let cnp = field("DSCP_TO_TC_MAP", "FABRIC", "48", json!("3"));
    assert!(
        cnp.is_superset(&everywhere("fail map/shared-class")),
        "{cnp:?}"
    );
    let zero = field("DSCP_TO_TC_MAP", "FABRIC", "0", json!("3"));
    assert_eq!(zero, everywhere("fail map/shared-class"));
    // A code point that nobody uses is information.
    assert_eq!(
        field("DSCP_TO_TC_MAP", "FABRIC", "27", json!("3")),
        set(&[])
    );
}

#[test]
fn a_dangling_name_voids_the_row() {
    let fired = field("PORT_QOS_MAP", "Ethernet0", "tc_to_pg_map", json!("GONE"));
    for line in [
        "fail map/unresolved leaf1 Ethernet0",
        "fail pfc/missing leaf1 Ethernet0",
        "fail trust/mode leaf1 Ethernet0",
        "fail pfc/watchdog leaf1 Ethernet0",
    ] {
        assert!(fired.contains(line), "{line}: {fired:?}");
    }
    assert!(
        fired.iter().all(|line| line.ends_with("leaf1 Ethernet0")),
        "{fired:?}"
    );
}

#[test]
fn trust() {
    let fired = field("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", Value::Null);
    assert!(
        fired.contains("fail trust/mode leaf1 Ethernet0"),
        "{fired:?}"
    );
    assert!(fired.contains("fail map/dscp leaf1 Ethernet0"), "{fired:?}");
    assert!(
        fired.iter().all(|line| line.ends_with("leaf1 Ethernet0")),
        "{fired:?}"
    );
}

#[test]
fn queue_and_group_maps() {
    let queue = field("TC_TO_QUEUE_MAP", "FABRIC", "3", json!("1"));
    assert!(
        queue.is_superset(&everywhere("fail map/queue")),
        "{queue:?}"
    );
    assert!(
        !queue.iter().any(|line| line.contains("map/dscp")),
        "{queue:?}"
    );
    let paused = field("MAP_PFC_PRIORITY_TO_QUEUE", "FABRIC", "3", json!("4"));
    assert!(
        paused.is_superset(&everywhere("fail map/pfc-queue")),
        "{paused:?}"
    );
    let group = field("TC_TO_PRIORITY_GROUP_MAP", "FABRIC", "3", json!("0"));
    assert!(group.is_superset(&everywhere("fail map/pg")), "{group:?}");
}

#[test]
fn rewrite() {
    let fired = with_leaf1(|config| {
        config["TC_TO_DSCP_MAP"] = json!({"REWRITE": {"3": "0"}});
        config["PORT_QOS_MAP"]["Ethernet0"]["tc_to_dscp_map"] = json!("REWRITE");
    });
    assert_eq!(fired, set(&["fail map/rewrite leaf1 Ethernet0"]));
}

#[test]
fn ecn() {
    let missing = with_leaf1(|config| {
        let row = config["QUEUE"]["Ethernet0|3"].as_object_mut().unwrap();
        row.remove("wred_profile");
    });
    assert_eq!(missing, set(&["fail ecn/missing leaf1 Ethernet0"]));
    let order = field(
        "WRED_PROFILE",
        "FABRIC_LOSSLESS",
        "green_min_threshold",
        json!("1600000"),
    );
    assert_eq!(order, everywhere("fail ecn/order"));
    let equal = field(
        "WRED_PROFILE",
        "FABRIC_LOSSLESS",
        "green_min_threshold",
        json!("1500000"),
    );
    assert_eq!(equal, set(&[]));
    let none = field("WRED_PROFILE", "FABRIC_LOSSLESS", "ecn", json!("ecn_none"));
    assert!(
        none.is_superset(&everywhere("fail ecn/missing")),
        "{none:?}"
    );
    assert!(none.is_superset(&everywhere("fail ecn/drops")), "{none:?}");
    // ECN without WRED drops is shipped for NVIDIA, and not known elsewhere.
    let nvidia = field(
        "WRED_PROFILE",
        "FABRIC_LOSSLESS",
        "wred_green_enable",
        json!("false"),
    );
    assert_eq!(nvidia, set(&[]));
    let elsewhere = with_leaf1(|config| {
        config["DEVICE_METADATA"]["localhost"]["hwsku"] = json!("Force10-S6000");
        config["DEVICE_METADATA"]["localhost"]["platform"] = json!("x86_64-dell_s6000_s1220-r0");
        config["WRED_PROFILE"]["FABRIC_LOSSLESS"]["wred_green_enable"] = json!("false");
    });
    assert!(
        elsewhere.is_superset(&everywhere("unknown ecn/missing")),
        "{elsewhere:?}"
    );
}

#[test]
fn scheduling_and_mtu() {
    let cnp = field("SCHEDULER", "scheduler.cnp", "type", json!("DWRR"));
    assert_eq!(cnp, everywhere("fail sched/cnp"));
    let mtu = field("PORT", "Ethernet0", "mtu", json!("1500"));
    assert_eq!(mtu, set(&["fail mtu/port leaf1 Ethernet0"]));
}

#[test]
fn buffers() {
    let profile = "pg_lossless_100000_40m_profile";
    let none = field("BUFFER_PROFILE", profile, "xoff", json!("0"));
    assert_eq!(none, everywhere("fail buffer/headroom"));
    let small = field("BUFFER_PROFILE", profile, "xoff", json!("9000"));
    assert_eq!(small, everywhere("fail buffer/headroom"));
    let long = field("CABLE_LENGTH", "AZURE", "Ethernet0", json!("2000m"));
    assert_eq!(long, set(&["fail buffer/headroom leaf1 Ethernet0"]));
    let dangling = field("BUFFER_PG", "Ethernet0|3", "profile", json!("gone"));
    assert!(
        dangling.contains("fail map/unresolved leaf1 Ethernet0"),
        "{dangling:?}"
    );
    assert!(
        dangling.contains("fail buffer/headroom leaf1 Ethernet0"),
        "{dangling:?}"
    );
    let size = field("BUFFER_POOL", "ingress_lossless_pool", "size", json!("0"));
    assert_eq!(size, everywhere("fail buffer/pool"));
    // A group that the switch makes by itself is accepted.
    let by_itself = with_leaf1(|config| {
        config["BUFFER_PG"]
            .as_object_mut()
            .unwrap()
            .remove("Ethernet0|3");
    });
    assert_eq!(by_itself, set(&[]));
    let unused = with_leaf1(|config| {
        config["BUFFER_PG"]
            .as_object_mut()
            .unwrap()
            .remove("Ethernet0|3");
        config["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = json!("0m");
    });
    assert_eq!(unused, set(&["fail buffer/headroom leaf1 Ethernet0"]));
}

const QOS: &str = "mlnx_qos_ens1f0np0.txt";
const NIC: &str = "gpu01 ens1f0np0";

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

#[test]
fn the_order_of_keys_changes_nothing() {
    // serde_json's maps are sorted: turn every table around.
    fn reversed(value: &Value) -> String {
        match value {
            Value::Object(members) => {
                let members = members.iter().rev();
                let members: Vec<String> = members
                    .map(|(key, value)| format!("{}:{}", json!(key), reversed(value)))
                    .collect();
                format!("{{{}}}", members.join(",\n"))
            }
            other => other.to_string(),
        }
    }
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("examples/fabric"), dir.path());
    let file = dir.path().join("leaf1.json");
    let mut config: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    config["DSCP_TO_TC_MAP"]["FABRIC"]["26"] = json!("1");
    let policy = policy("builtin:roce-lossless");
    fs::write(&file, serde_json::to_string_pretty(&config).unwrap()).unwrap();
    let before = fired(&audited(dir.path(), &policy), true);
    fs::write(&file, reversed(&config)).unwrap();
    assert_eq!(before, fired(&audited(dir.path(), &policy), true));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let policy = policy("builtin:sonic-azure");
    let bytes = || {
        let report = audited(&root().join("examples/fabric"), &policy);
        let mut json = Vec::new();
        roceaudit::report::json::write(&report, &mut json).unwrap();
        let mut value: Value = serde_json::from_slice(&json).unwrap();
        value["started"] = Value::Null;
        value.to_string()
    };
    assert_eq!(bytes(), bytes());
}
