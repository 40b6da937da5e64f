//! Real configurations and fault reports, where ROCEAUDIT_CORPUS names the
//! folder that holds them (`corpus/`, `cases/`). What they must say was
//! written down by hand from the files themselves.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::{audited, fired, policy};
use roceaudit::audit::read_unit;
use roceaudit::model::json;
use roceaudit::source::discover;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder, or nothing: then the test says that it did not run.
fn corpus() -> Option<PathBuf> {
    let found = std::env::var_os("ROCEAUDIT_CORPUS").map(PathBuf::from);
    if found.is_none() {
        let mut err = std::io::stderr().lock();
        writeln!(err, "not run: ROCEAUDIT_CORPUS is not set").unwrap();
    }
    found
}

/// The large SONiC set, unpacked.
fn unpacked(corpus: &Path) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let archive = corpus.join("corpus/sonic.tar.zst");
    let unpack = format!(
        "zstd -dc '{}' | tar -x -C '{}'",
        archive.display(),
        dir.path().display()
    );
    let done = Command::new("bash")
        .args(["-o", "pipefail", "-c", &unpack])
        .status()
        .unwrap();
    assert!(done.success(), "zstd and tar are needed");
    dir
}

/// The model of one file, which must be one device.
fn model(file: &Path) -> Value {
    let units = discover(file.to_str().unwrap(), &[]).unwrap();
    let read = read_unit(&units[0]);
    json::device(
        read.device
            .as_ref()
            .unwrap_or_else(|| panic!("{}", file.display())),
    )
}

fn port<'v>(model: &'v Value, name: &str) -> &'v Value {
    let ports = model["ports"].as_array().unwrap();
    ports
        .iter()
        .find(|port| port["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

fn member(list: &Value, id: u8) -> &Value {
    list.as_array()
        .unwrap()
        .iter()
        .find(|member| member["id"] == id)
        .unwrap()
}

#[test]
fn ten_sonic_configurations_say_what_stands_in_them() {
    let Some(corpus) = corpus() else { return };
    let small = corpus.join("corpus/sonic");
    let large = unpacked(&corpus);
    let large = large.path().join("sonic");

    // T0 of 2020: bare references, profiles written for 5 m cables.
    let t0 = model(&small.join("config_db.t0-s6000.full.json"));
    assert_eq!(t0["ports"].as_array().unwrap().len(), 32);
    let four = port(&t0, "Ethernet4");
    assert_eq!(four["speed_mbps"], 40000);
    assert_eq!(
        four["mtu"],
        json!({"ip": 9100, "raw": 9100, "counts": "ip"})
    );
    assert_eq!(four["trust"], "dscp");
    assert_eq!(four["pfc"]["enabled"], json!([3, 4]));
    assert_eq!(four["pfc"]["watchdog"]["enabled"], false);
    assert_eq!(
        (&four["dscp_to_tc"]["3"], &four["dscp_to_tc"]["26"]),
        (&json!(3), &json!(1))
    );
    let ecn = &member(&four["queues"], 3)["ecn"];
    assert_eq!(
        (&ecn["min_bytes"], &ecn["max_bytes"]),
        (&json!(1048576), &json!(2097152))
    );
    assert_eq!(
        (&ecn["enabled"], &ecn["probability_percent"]),
        (&json!(true), &json!(5))
    );
    assert_eq!(member(&four["queues"], 0)["ecn"]["enabled"], false);
    assert_eq!(member(&four["priority_groups"], 3)["lossless"], true);
    // A port without PORT_QOS_MAP and without admin_status.
    let zero = port(&t0, "Ethernet0");
    assert_eq!(
        (&zero["trust"], &zero["admin"]),
        (&json!("none"), &Value::Null)
    );
    assert_eq!(zero["pfc"]["enabled"], json!([]));

    // VOQ line card: bracketed references, the lossless groups made at run time.
    let voq = model(&small.join("config_db.voq-t2.bracket-refs.json"));
    let zero = port(&voq, "Ethernet0");
    assert_eq!(zero["pfc"]["enabled"], json!([3, 4]));
    assert_eq!(zero["dscp_to_tc"]["4"], 4);
    assert_eq!(zero["tc_to_queue"]["3"], 3);
    assert_eq!(zero["cable_m"], 300);
    let group = member(&zero["priority_groups"], 3);
    assert_ne!(group["lossless"], false, "made at run time");
    assert_eq!(group["headroom_bytes"], Value::Null);

    // Flat dump with both spellings.
    let mock = model(&small.join("config_db.mock-all-tables.flat.json"));
    let zero = port(&mock, "Ethernet0");
    assert_eq!(
        (&zero["trust"], &zero["admin"]),
        (&json!("none"), &Value::Null)
    );
    // It names a scheduler that does not exist, so its whole row is void.
    assert_eq!(zero["pfc"]["enabled"], json!([]));
    assert_eq!(zero["pfc"]["watchdog"]["detection_ms"], 600);
    assert_eq!(member(&zero["queues"], 3)["ecn"]["enabled"], true);

    // Spectrum-4, lossy by design; its queue 3 names a WRED profile that is not there.
    let sn5600 = model(&large.join("x86_64-nvidia_sn5600-r0__Mellanox-SN5600-C256S1.json"));
    assert_eq!(sn5600["ports"].as_array().unwrap().len(), 257);
    let zero = port(&sn5600, "Ethernet0");
    assert_eq!(zero["pfc"]["enabled"], json!([]));
    assert_eq!(
        (&zero["dscp_to_tc"]["26"], &zero["dscp_to_tc"]["48"]),
        (&json!(4), &json!(5))
    );
    assert_eq!(zero["cable_m"], 0);
    assert_eq!(member(&zero["queues"], 3)["ecn"]["enabled"], false);

    // Nexthop: DSCP 26 to class 3, no PFC anywhere, no WRED.
    let nexthop = model(&large.join("x86_64-nexthop_4010-r0__NH-4010-128x400G-2x25G.json"));
    let zero = port(&nexthop, "Ethernet0");
    assert_eq!(
        (&zero["speed_mbps"], &zero["dscp_to_tc"]["26"]),
        (&json!(400_000), &json!(3))
    );
    assert_eq!(zero["pfc"]["enabled"], json!([]));
    assert_eq!(member(&zero["queues"], 3)["ecn"]["enabled"], false);
    assert_eq!(member(&zero["queues"], 6)["scheduler"]["kind"], "strict");
    assert_eq!(member(&zero["priority_groups"], 3)["lossless"], false);

    // One row for all ports, lossless on 4 and 5.
    let midstone = model(&large.join("x86_64-cel_midstone-r0__Midstone-200i_128x100.json"));
    let two = port(&midstone, "Ethernet2");
    assert_eq!(two["pfc"]["enabled"], json!([4, 5]));
    assert_eq!(
        (&two["dscp_to_tc"]["4"], &two["dscp_to_tc"]["26"]),
        (&json!(4), &json!(0))
    );
    assert_eq!(two["mtu"]["ip"], 9126);

    // 1G campus switch with brackets and without WRED.
    let s3248 = model(&large.join("x86_64-dell_s3248t-r0__DELL-S3248T.json"));
    let zero = port(&s3248, "Ethernet0");
    assert_eq!(
        (&zero["speed_mbps"], &zero["cable_m"]),
        (&json!(1000), &json!(40))
    );
    assert_eq!(zero["pfc"]["enabled"], json!([3, 4]));
    assert_eq!(member(&zero["queues"], 3)["ecn"]["enabled"], false);

    // 256 x 200G with the map of the whole switch.
    let tomahawk =
        model(&large.join("x86_64-arista_7060x6_64pe__Arista-7060X6-64PE-256x200G.json"));
    assert_eq!(tomahawk["ports"].as_array().unwrap().len(), 258);
    let zero = port(&tomahawk, "Ethernet0");
    assert_eq!(
        (&zero["speed_mbps"], &zero["fec"]),
        (&json!(200_000), &json!("rs"))
    );
    assert_eq!(zero["pfc"]["watchdog"]["priorities"], json!([3, 4]));
    assert_eq!(zero["pfc"]["watchdog"]["enabled"], false);

    // No QoS at all.
    let nokia = model(&large.join("armhf-nokia_ixs7215_52x-r0__Nokia-7215.json"));
    let zero = port(&nokia, "Ethernet0");
    assert_eq!(zero["fec"], "none");
    assert_ne!(zero["pfc"]["enabled"], json!([3, 4]));
    assert_ne!(zero["trust"], "dscp");

    // One ASIC of several.
    let asic = model(&small.join("config_db.multi-asic.asic0.flat.json"));
    assert_eq!(asic["platform"], "sonic");
    assert!(port(&asic, "Ethernet-BP0")["speed_mbps"].is_number());
}

#[test]
fn every_sonic_file_gives_a_model_without_a_parser_error() {
    let Some(corpus) = corpus() else { return };
    let large = unpacked(&corpus);
    let policy = policy("builtin:roce-lossless");
    let report = audited(&large.path().join("sonic"), &policy);
    assert_eq!(report.devices.len(), 122);
    for device in &report.devices {
        assert_eq!(device.platform, Some("sonic"), "{}", device.name);
        assert!(device.ports > 0, "{}", device.name);
    }
    let parser = |line: &String| line.contains("internal/parser");
    assert!(!fired(&report, true).iter().any(parser));
    for entry in fs::read_dir(corpus.join("corpus/sonic")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for unit in discover(path.to_str().unwrap(), &[]).unwrap() {
            let read = read_unit(&unit);
            let told: Vec<_> = read
                .problems
                .iter()
                .map(|(check, note)| (check, &note.text))
                .collect();
            assert!(
                read.problems
                    .iter()
                    .all(|(check, _)| *check != "internal/parser"),
                "{name}: {told:?}"
            );
            // Bodies of gNMI replies are no capture of their own.
            assert!(
                read.device.is_some() || name.starts_with("gnmi."),
                "{name}: {told:?}"
            );
        }
    }
}

#[test]
fn brackets_and_bare_names_are_one_thing() {
    let Some(corpus) = corpus() else { return };
    let case = corpus.join("cases/15-sonic-config-db-reference-formats");
    let policy = policy("builtin:sonic-azure");
    let of = |file: &str| -> BTreeSet<String> {
        let dir = tempfile::tempdir().unwrap();
        fs::copy(case.join(file), dir.path().join("switch.json")).unwrap();
        fired(&audited(dir.path(), &policy), true)
    };
    assert_eq!(of("config_db_3_0_1.json"), of("config_db_3_0_3.json"));
}

/// Lays the files of a case out as one device, and tells what fires.
fn case(
    corpus: &Path,
    name: &str,
    device: &str,
    files: &[&str],
    policy_name: &str,
) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(device);
    fs::create_dir(&folder).unwrap();
    for file in files {
        fs::copy(
            corpus.join("cases").join(name).join(file),
            folder.join(file),
        )
        .unwrap();
    }
    fired(&audited(dir.path(), &policy(policy_name)), true)
}

fn assert_has(fired: &BTreeSet<String>, starts: &[&str]) {
    for start in starts {
        assert!(
            fired.iter().any(|line| line.starts_with(start)),
            "{start}: {fired:#?}"
        );
    }
}

fn assert_not(fired: &BTreeSet<String>, starts: &[&str]) {
    for start in starts {
        assert!(
            !fired.iter().any(|line| line.starts_with(start)),
            "{start}: {fired:#?}"
        );
    }
}

const LOSSLESS: &str = "builtin:roce-lossless";

#[test]
fn sonic_cases() {
    let Some(corpus) = corpus() else { return };
    let lab = case(
        &corpus,
        "12-sonic-lab-pfc-without-dscp-map",
        "leaf01",
        &[
            "qos_config_template.json",
            "show_pfc_priority.txt",
            "show_pfc_counters.txt",
        ],
        LOSSLESS,
    );
    assert_has(&lab, &["fail buffer/headroom leaf01 Ethernet0"]);
    assert_not(&lab, &["fail pfc/missing"]);
    // A partial configuration: what it does not hold is not known, and no pass.
    for check in ["map/dscp", "ecn/missing", "pfc/watchdog", "trust/mode"] {
        let told = [
            format!("fail {check} leaf01"),
            format!("unknown {check} leaf01"),
        ];
        assert!(
            lab.iter()
                .any(|line| told.iter().any(|t| line.starts_with(t))),
            "{check}: {lab:#?}"
        );
    }

    let stuck = case(
        &corpus,
        "03-sonic-pfcstat-rx-stuck-zero",
        "switch",
        &["pfcstat.txt", "asic_port_counters.txt"],
        LOSSLESS,
    );
    assert_has(
        &stuck,
        &[
            "unknown collect/failed switch",
            "unknown collect/unrecognised switch",
        ],
    );

    let storms = case(
        &corpus,
        "04-sonic-pfcwd-z9332-thousands",
        "switch",
        &["show_pfcwd_stats.txt", "show_pfc_counters.txt"],
        LOSSLESS,
    );
    assert_has(
        &storms,
        &[
            "fail counters/watchdog switch Ethernet4",
            "fail counters/watchdog switch Ethernet6",
        ],
    );

    let lossy = case(
        &corpus,
        "06-sonic-dnx-pfc-on-lossy-pg0",
        "switch",
        &["show_pfc_counters.txt"],
        LOSSLESS,
    );
    assert_has(&lossy, &["fail counters/pfc-storm switch Ethernet152"]);

    let disabled = case(
        &corpus,
        "09-sonic-pg-drop-warning-line",
        "switch",
        &["show_pg_drop.txt"],
        LOSSLESS,
    );
    assert_has(
        &disabled,
        &["unknown counters/lossless-drop switch Ethernet0"],
    );
    assert_not(&disabled, &["fail counters/lossless-drop"]);

    let empty = case(
        &corpus,
        "11-sonic-pfcwd-config-but-empty-stats",
        "switch",
        &["session.txt"],
        LOSSLESS,
    );
    assert_not(&empty, &["fail pfc/watchdog"]);

    let chassis = case(
        &corpus,
        "08-sonic-multi-asic-pfcwd",
        "card",
        &["session.txt"],
        LOSSLESS,
    );
    // Its one whole row is good, the next is cut, and empty tables prove nothing.
    assert_not(&chassis, &["fail"]);
    assert_has(
        &chassis,
        &[
            "unknown collect/failed card",
            "unknown pfc/missing card Ethernet32",
        ],
    );

    let history = case(
        &corpus,
        "17-sonic-pfc-history-na-columns",
        "switch",
        &["pfcwd_stats.txt"],
        LOSSLESS,
    );
    assert_has(
        &history,
        &[
            "fail pfc/watchdog switch Ethernet0",
            "fail pfc/watchdog switch Ethernet8",
        ],
    );

    let words = case(
        &corpus,
        "20-sonic-headroom-zero-rx-drp",
        "switch",
        &["report.txt"],
        LOSSLESS,
    );
    assert_has(&words, &["unknown collect/unrecognised switch"]);
    let noise = case(
        &corpus,
        "21-sonic-breakout-output-noise",
        "switch",
        &["breakout.txt"],
        LOSSLESS,
    );
    assert_has(&noise, &["unknown collect/"]);
}

#[test]
fn host_cases() {
    let Some(corpus) = corpus() else { return };
    let before = case(
        &corpus,
        "28-nxos-n9k-pfc-auto-off-dcb-all-off",
        "host",
        &["host_before.txt"],
        LOSSLESS,
    );
    assert_has(&before, &["fail pfc/missing host", "fail map/dscp host"]);
    let after = case(
        &corpus,
        "28-nxos-n9k-pfc-auto-off-dcb-all-off",
        "host",
        &["host_after.txt"],
        LOSSLESS,
    );
    assert_not(&after, &["fail pfc/missing", "fail map/dscp"]);

    let condensed = case(
        &corpus,
        "47-mlx5-gdaki-traffic-on-lossy-priority",
        "host",
        &["host.txt"],
        LOSSLESS,
    );
    // PFC is on 5 only, and the elided map proves nothing of DSCP 26.
    assert_has(
        &condensed,
        &["fail pfc/missing host", "unknown map/dscp host"],
    );
    assert_not(&condensed, &["fail map/dscp"]);

    let moved = case(
        &corpus,
        "50-mlnx-qos-remapped-dscp30",
        "host",
        &["mlnx_qos_dscp.txt", "traffic_class.txt"],
        LOSSLESS,
    );
    assert_has(&moved, &["fail buffer/headroom host ens14f0"]);
    assert_not(
        &moved,
        &[
            "fail map/dscp",
            "fail nic/trust",
            "fail nic/tos",
            "fail pfc/missing",
        ],
    );
    let pcp = case(
        &corpus,
        "50-mlnx-qos-remapped-dscp30",
        "host",
        &["mlnx_qos_pcp.txt"],
        LOSSLESS,
    );
    assert_has(&pcp, &["fail nic/trust host ens14f0"]);

    let old = case(
        &corpus,
        "52-mlnx-qos-trace-old-format",
        "host",
        &["session.txt"],
        LOSSLESS,
    );
    assert_not(
        &old,
        &[
            "fail pfc/",
            "fail map/dscp",
            "fail nic/trust",
            "fail nic/tos",
        ],
    );

    let typed = case(
        &corpus,
        "55-nic-vf-endash-flags",
        "host",
        &["commands.txt"],
        LOSSLESS,
    );
    assert!(
        typed
            .iter()
            .any(|line| line.starts_with("unknown collect/")),
        "{typed:#?}"
    );
    assert_not(&typed, &["fail"]);

    let gids = case(
        &corpus,
        "64-gid-link-local-not-routable",
        "host",
        &["ibv_devinfo_v.txt"],
        LOSSLESS,
    );
    assert_not(&gids, &["fail nic/gid", "unknown nic/gid"]);

    let pause = case(
        &corpus,
        "61-ethtool-pause-names-by-vendor",
        "host",
        &["ethtool_a.txt", "mlx5.txt"],
        LOSSLESS,
    );
    assert_has(&pause, &["fail pfc/link-pause host eth03"]);

    let symbols = case(
        &corpus,
        "76-linux-dcb-symbolic-dscp",
        "host",
        &["service_log.txt"],
        LOSSLESS,
    );
    assert_not(&symbols, &["fail pfc/", "fail map/dscp", "fail nic/trust"]);
    let kernel = case(
        &corpus,
        "76-linux-dcb-symbolic-dscp",
        "host",
        &["dcb_pfc_show_kernel_doc.txt"],
        LOSSLESS,
    );
    assert_has(
        &kernel,
        &["fail pfc/missing host eth0", "fail pfc/extra host eth0"],
    );

    // What a load test tells of the device: the RDMA MTU and the link type.
    for (name, file) in [
        ("41-perftest-bidir-with-warnings", "ib_write_bw.txt"),
        ("66-perftest-rdma-cm-slow", "ib_write_bw_server.txt"),
    ] {
        let fired = case(&corpus, name, "host", &[file], LOSSLESS);
        assert_not(
            &fired,
            &["fail", "unknown mtu/rdma", "unknown nic/link-type"],
        );
        assert_has(&fired, &["unknown pfc/missing host mlx5_0"]);
    }
    // Its header is lost: neither is known.
    let lost = case(
        &corpus,
        "73-perftest-header-lost-gid2",
        "host",
        &["ib_write_bw.txt"],
        LOSSLESS,
    );
    assert_not(&lost, &["fail"]);
    assert_has(&lost, &["unknown mtu/rdma", "unknown nic/link-type"]);
    // An interfaces file is what is meant to run, not what runs.
    let meant = case(
        &corpus,
        "78-ceph-proxmox-cumulus-dscp-nft",
        "host",
        &["interfaces", "nftables.conf"],
        LOSSLESS,
    );
    assert_not(&meant, &["fail", "unknown mtu/port"]);
    assert_has(
        &meant,
        &["unknown map/dscp host nic1", "unknown nic/trust host nic2"],
    );

    let soft = case(
        &corpus,
        "71-perftest-softroce-slow",
        "host",
        &["ib_write_bw.txt"],
        LOSSLESS,
    );
    assert_has(&soft, &["fail mtu/rdma host"]);

    let table = case(
        &corpus,
        "57-mlxconfig-three-layouts",
        "host",
        &["three_columns.txt"],
        LOSSLESS,
    );
    assert_not(&table, &["fail nic/pending", "fail cnp/marking"]);
}

#[test]
fn nic_captures_of_the_corpus_are_recognised() {
    let Some(corpus) = corpus() else { return };
    for entry in fs::read_dir(corpus.join("corpus/nic")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Help and version texts; NICs of other makes.
        if ["help", "version", "niccli", "nicctl"]
            .iter()
            .any(|word| name.contains(word))
        {
            continue;
        }
        for unit in discover(path.to_str().unwrap(), &[]).unwrap() {
            let read = read_unit(&unit);
            let told: Vec<_> = read.problems.iter().map(|(_, note)| &note.text).collect();
            let device = read.device.unwrap_or_else(|| panic!("{name}: {told:?}"));
            assert_eq!(device.platform, "linux", "{name}");
        }
    }
}
