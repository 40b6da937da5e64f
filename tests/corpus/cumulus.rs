//! Cumulus Linux: NVUE configurations, outputs of `nv show`, fault reports.

use super::*;

fn file(corpus: &Path, name: &str) -> PathBuf {
    corpus.join("corpus/cumulus").join(name)
}

#[test]
fn cumulus_configurations_say_what_stands_in_them() {
    let Some(corpus) = corpus() else { return };

    // A capture of 5.9.2 without any QoS: ports spread over several keys.
    let plain = model(&file(&corpus, "nv_config_show.cl5.9.2-msn2010.yaml"));
    assert_eq!(plain["os_version"], "5.9.2");
    assert_eq!(plain["hardware"], "MSN2010");
    assert_eq!(plain["ports"].as_array().unwrap().len(), 22);
    let unused = port(&plain, "swp18");
    assert_eq!(unused["admin"], "down");
    assert_eq!(unused["description"], "UNUSED 25G PORTS");
    let link = port(&plain, "swp21");
    assert_eq!(link["admin"], "up");
    assert_eq!(link["description"], "100G Link to leaf1");
    for port in [unused, link] {
        assert_eq!(port["trust"], "pcp");
        assert_eq!(port["pfc"]["enabled"], json!([]));
        assert_eq!(port["pfc"]["watchdog"]["enabled"], false);
        assert_eq!(
            port["mtu"],
            json!({"ip": 9216, "raw": 9216, "counts": "ip"})
        );
        // Only queue 0 marks, each queue has its own traffic class.
        assert_eq!(member(&port["queues"], 0)["ecn"]["enabled"], true);
        assert_eq!(member(&port["queues"], 3)["ecn"]["enabled"], false);
        assert_eq!(port["tc_to_queue"]["5"], 5);
    }

    // RoCE with the watchdog on 9 of 32 ports.
    let roce = model(&file(&corpus, "startup.roce-lossless_SYNTHETIC.yaml"));
    assert_eq!(roce["ports"].as_array().unwrap().len(), 32);
    for (name, guarded) in [
        ("swp1", true),
        ("swp9", false),
        ("swp17", true),
        ("swp32", false),
    ] {
        let port = port(&roce, name);
        assert_eq!(port["pfc"]["watchdog"]["enabled"], guarded, "{name}");
        assert_eq!(port["pfc"]["watchdog"]["detection_ms"], 300);
        assert_eq!(port["pfc"]["enabled"], json!([3]));
        assert_eq!(port["trust"], "both");
        assert_eq!(
            (&port["dscp_to_tc"]["26"], &port["dscp_to_tc"]["48"]),
            (&json!(3), &json!(6))
        );
        assert_eq!(
            (&port["tc_to_queue"]["6"], &port["tc_to_queue"]["1"]),
            (&json!(6), &json!(0))
        );
        let queue = member(&port["queues"], 3);
        assert_eq!(queue["lossless"], true);
        let ecn = &queue["ecn"];
        assert_eq!(
            (
                &ecn["min_bytes"],
                &ecn["max_bytes"],
                &ecn["probability_percent"]
            ),
            (&json!(150_000), &json!(1_500_000), &json!(100))
        );
        assert_eq!(member(&port["queues"], 6)["scheduler"]["kind"], "strict");
    }

    // The same with a cable of 40 m and larger pools, the watchdog everywhere.
    let derived = model(&file(&corpus, "startup.SHAPE-derived-roce-lossless.yaml"));
    let last = port(&derived, "swp64");
    assert_eq!(last["pfc"]["watchdog"]["enabled"], true);
    assert_eq!(last["admin"], "up");
    assert_eq!(member(&last["priority_groups"], 3)["pool"], "roce-lossless");

    // Lossy first: `enable on` does not bring PFC back.
    let lossy = model(&file(
        &corpus,
        "nv_set.roce-lossy-first_SYNTHETIC.commands.txt",
    ));
    assert_eq!(lossy["ports"].as_array().unwrap().len(), 34);
    for (name, mtu) in [
        ("swp1", 9000),
        ("swp32", 9000),
        ("swp49", 1500),
        ("swp50", 1500),
    ] {
        let port = port(&lossy, name);
        assert_eq!(port["pfc"]["enabled"], json!([]), "{name}");
        assert_eq!(port["mtu"]["ip"], mtu, "{name}");
        assert_eq!(port["trust"], "both");
        assert_eq!(member(&port["queues"], 3)["ecn"]["enabled"], true);
    }
}

#[test]
fn cumulus_outputs_of_nv_show_qos_roce() {
    let Some(corpus) = corpus() else { return };
    for (name, enabled, on) in [
        ("nv_show_qos_roce.lossless_SYNTHETIC.txt", json!([3]), true),
        ("nv_show_qos_roce.lossy_SYNTHETIC.txt", json!([]), false),
    ] {
        let shown = model(&file(&corpus, name));
        let all = port(&shown, "*");
        assert_eq!(all["trust"], "both");
        assert_eq!(all["pfc"]["enabled"], enabled);
        assert_eq!(all["dscp_to_tc"]["26"], 3);
        assert_eq!(all["tc_to_queue"]["7"], 0);
        let queue = member(&all["queues"], 3);
        assert_eq!(queue["lossless"], on);
        // 146.48 KB and 1.43 MB, in units of 1024.
        let ecn = &queue["ecn"];
        assert_eq!(
            (&ecn["min_bytes"], &ecn["max_bytes"]),
            (&json!(149_996), &json!(1_499_464))
        );
        assert_eq!(
            queue["scheduler"],
            json!({"kind": "weighted", "share_percent": 50})
        );
        assert_eq!(member(&all["queues"], 6)["scheduler"]["kind"], "strict");
        assert_eq!(member(&all["queues"], 6)["ecn"]["enabled"], false);
    }
}

#[test]
fn cumulus_findings_of_the_set() {
    let Some(corpus) = corpus() else { return };
    let of = |name: &str| fired(&audited(&file(&corpus, name), &policy(LOSSLESS)), true);

    let good = of("startup.SHAPE-derived-roce-lossless.yaml");
    assert!(
        good.iter()
            .all(|line| line.starts_with("fail map/shared-class"))
    );

    let few = of("startup.roce-lossless_SYNTHETIC.yaml");
    let device = "startup.roce-lossless_SYNTHETIC";
    assert_has(
        &few,
        &[
            &format!("fail pfc/watchdog {device} swp9"),
            &format!("fail pfc/watchdog {device} swp18"),
        ],
    );
    assert_not(
        &few,
        &[
            &format!("fail pfc/watchdog {device} swp17"),
            "fail pfc/missing",
            "unknown",
        ],
    );

    let lossy = of("nv_set.roce-lossy-first_SYNTHETIC.commands.txt");
    let device = "nv_set.roce-lossy-first_SYNTHETIC.commands";
    assert_has(
        &lossy,
        &[
            &format!("fail pfc/missing {device} swp1"),
            &format!("fail pfc/missing {device} swp50"),
            &format!("fail mtu/port {device} swp49"),
        ],
    );
    assert_not(
        &lossy,
        &[
            &format!("fail mtu/port {device} swp32"),
            "fail trust/mode",
            "fail ecn/missing",
            "unknown config",
        ],
    );

    let shown = of("nv_show_qos_roce.lossy_SYNTHETIC.txt");
    assert_has(&shown, &["fail pfc/missing leaf-a *"]);
    let shown = of("nv_show_qos_roce.lossless_SYNTHETIC.txt");
    assert_not(
        &shown,
        &["fail pfc", "fail trust", "fail ecn", "fail map/dscp"],
    );
}

#[test]
fn cumulus_reports_of_faults() {
    let Some(corpus) = corpus() else { return };

    // Good, by the outputs; RoCE packets were dropped on their way out all the same.
    let files = [
        "nv_show_qos_roce.txt",
        "nv_show_interface_roce_status.txt",
        "nv_show_interface_roce_counters.txt",
    ];
    let found = case(
        &corpus,
        "38-cumulus-nvue-roce-lossless",
        "switch",
        &files,
        LOSSLESS,
    );
    assert_has(&found, &["fail counters/lossless-drop switch swp16"]);
    assert_not(
        &found,
        &[
            "fail pfc",
            "fail ecn",
            "fail trust",
            "fail map/dscp",
            "unknown pfc/missing",
        ],
    );
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("switch");
    fs::create_dir(&folder).unwrap();
    for name in files {
        let from = corpus
            .join("cases/38-cumulus-nvue-roce-lossless")
            .join(name);
        fs::copy(from, folder.join(name)).unwrap();
    }
    let units = discover(dir.path().to_str().unwrap(), &[]).unwrap();
    let model = json::device(read_unit(&units[0]).device.as_ref().unwrap());
    let swp16 = port(&model, "swp16");
    assert_eq!(swp16["trust"], "both");
    assert_eq!(swp16["pfc"]["enabled"], json!([3]));
    // 153.00 KB of this port, not the 146.48 KB of the switch.
    assert_eq!(member(&swp16["queues"], 3)["ecn"]["min_bytes"], 156_672);
    let counters = &swp16["counters"];
    assert_eq!(counters["by_priority"]["3"]["drops"], 663_060_754_115i64);
    assert_eq!(counters["by_priority"]["3"]["rx_pause"], 0);
    assert_eq!(counters["ecn_marked"], 693_777_677_344i64);

    // What was typed on the switch beside a host.
    let found = case(
        &corpus,
        "78-ceph-proxmox-cumulus-dscp-nft",
        "switch",
        &["switch.txt"],
        LOSSLESS,
    );
    assert_not(
        &found,
        &[
            "fail pfc",
            "fail trust",
            "fail ecn",
            "fail map/dscp",
            "unknown pfc/missing",
        ],
    );
    // The guide names no watchdog and no MTU of the switch: not known.
    assert_has(
        &found,
        &["unknown pfc/watchdog switch *", "unknown mtu/port switch *"],
    );
}
