//! SONiC: configurations of many models, and fault reports.

use super::*;

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
