//! Arista EOS: configurations and captures of many kinds, and fault reports.

use super::*;

#[test]
fn eos_configurations_say_what_stands_in_them() {
    let Some(corpus) = corpus() else { return };
    let eos = corpus.join("corpus/eos");

    // Every form of quality of service; PFC is off for the whole switch.
    let qos = model(&eos.join("avd_qos.cfg"));
    assert_eq!(qos["platform"], "eos");
    let one = port(&qos, "Ethernet1");
    assert_eq!(
        (&one["trust"], &one["mtu"]["ip"]),
        (&json!("dscp"), &json!(1500))
    );
    assert_eq!(one["pfc"]["enabled"], json!([]));
    assert_eq!(
        (
            &one["dscp_to_tc"]["26"],
            &one["dscp_to_tc"]["46"],
            &one["dscp_to_tc"]["48"],
            &one["dscp_to_tc"]["0"]
        ),
        (&json!(4), &json!(5), &json!(6), &json!(1))
    );
    assert_eq!(one["tc_to_queue"]["6"], 2);
    let two = member(&one["queues"], 2);
    assert_eq!(two["ecn"]["min_bytes"], 320_000);
    assert_eq!(two["ecn"]["probability_percent"], 90);
    assert_eq!(two["scheduler"]["kind"], "strict");
    // Segments can't be compared with bytes.
    let four = member(&one["queues"], 4);
    assert_eq!(
        (&four["ecn"]["enabled"], &four["ecn"]["min_bytes"]),
        (&json!(true), &Value::Null)
    );
    // Members have what their port-channel says.
    let three = port(&qos, "Ethernet3");
    assert_eq!(three["trust"], "pcp");
    assert_eq!(
        member(&three["queues"], 3)["scheduler"],
        json!({"kind": "weighted", "share_percent": 100})
    );
    // A qos profile with DSCP trust, CoS trust on the port.
    assert_eq!(port(&qos, "Ethernet6")["trust"], "pcp");
    assert_eq!(one["pfc"]["watchdog"]["detection_ms"], 50);
    assert_eq!(one["pfc"]["watchdog"]["action"], "no-drop");

    // The defaults that `show running-config all` prints.
    let all = model(&eos.join("batfish_show_run_all_7260CX_4.19.cfg"));
    let one = port(&all, "Ethernet1/1");
    assert_eq!(
        (&one["trust"], &one["mtu"]["ip"]),
        (&json!("dscp"), &json!(9212))
    );
    assert_eq!(
        (&one["pfc"]["enabled"], &one["link_pause"]["rx"]),
        (&json!([]), &json!(false))
    );
    assert_eq!(member(&one["queues"], 3)["scheduler"]["kind"], "strict");
    assert_eq!(member(&one["queues"], 3)["ecn"]["enabled"], false);
    assert_eq!(
        (&all["os_version"], &all["hardware"]),
        (&json!("4.19.1F"), &json!("DCS-7260CX-64"))
    );

    // Generated leaf: a service-profile, no PFC.
    let leaf = model(&eos.join("avd_twodc_DC1-POD1-LEAF1A.cfg"));
    assert_eq!(leaf["hostname"], "DC1-POD1-LEAF1A");
    assert_eq!(port(&leaf, "Ethernet1")["pfc"]["enabled"], json!([]));
}

/// PFC in force, trust, usable MTU and speed of a port.
fn settings(model: &Value, name: &str) -> Value {
    let port = port(model, name);
    json!([
        port["pfc"]["enabled"],
        port["trust"],
        port["mtu"]["ip"],
        port["speed_mbps"]
    ])
}

#[test]
fn eos_ports_good_and_bad() {
    let Some(corpus) = corpus() else { return };
    let eos = corpus.join("corpus/eos");
    let ports = model(&eos.join("avd_ethernet-interfaces.cfg"));
    for (name, expected) in [
        // PFC on, but priority 5 is named as lossy.
        ("Ethernet1", json!([[], "dscp", 1500, 100_000])),
        ("Ethernet2", json!([[5], "pcp", null, null])),
        // Routed, PFC off by name.
        ("Ethernet3", json!([[], "dscp", 1500, null])),
        // PFC on without a no-drop priority.
        ("Ethernet4", json!([[], "dscp", 9100, null])),
        // Switched: `mtu` is of routed ports. Its profile does not exist.
        ("Ethernet7", json!([[], "pcp", null, null])),
        ("Ethernet21", json!([[], "none", null, null])),
    ] {
        assert_eq!(settings(&ports, name), expected, "{name}");
    }
    assert_eq!(port(&ports, "Ethernet4")["admin"], "down");
    assert!(
        ports["ports"]
            .as_array()
            .unwrap()
            .iter()
            .all(|port| !port["name"].as_str().unwrap().contains('.'))
    );

    // Several speeds are printed of one port, so none is known.
    let all = model(&eos.join("batfish_show_run_all_7260CX_4.19.cfg"));
    assert_eq!(
        settings(&all, "Ethernet1/1"),
        json!([[], "dscp", 9212, null])
    );
    assert_eq!(
        settings(&all, "Ethernet1/2"),
        json!([[], "pcp", null, null])
    );
    let second = model(&eos.join("batfish_show_run_all_2.cfg"));
    assert_eq!(
        settings(&second, "Ethernet1/1"),
        json!([[], "dscp", 9212, 100_000])
    );
    assert_eq!(second["os_version"], "4.21.7M");

    // A spine with a profile that the file does not hold.
    let spine = model(&eos.join("avd_twodc_DC1-POD1-SPINE1.cfg"));
    assert_eq!(port(&spine, "Ethernet1")["trust"], "dscp");
    assert_eq!(port(&spine, "Ethernet1")["pfc"]["enabled"], json!([]));
}

#[test]
fn eos_findings_that_the_files_are_known_for() {
    let Some(corpus) = corpus() else { return };
    let fires = |file: &str| {
        let file = corpus.join("corpus/eos").join(file);
        fired(&audited(&file, &policy(LOSSLESS)), true)
    };
    let qos = fires("avd_qos.cfg");
    assert_has(
        &qos,
        &[
            // PFC is off for the whole switch.
            "fail pfc/missing avd_qos Ethernet1",
            "fail pfc/missing avd_qos Ethernet6",
            // 26 leads to traffic class 4, 48 keeps its default.
            "fail map/dscp avd_qos Ethernet1",
            // A policy by access lists; profiles that are attached nowhere.
            "fail map/override avd_qos Ethernet1",
            "fail map/override avd_qos Ethernet3",
            "fail map/unresolved avd_qos",
            "fail map/rewrite avd_qos Ethernet1",
            "fail trust/mode avd_qos Ethernet6",
        ],
    );
    // All of its lines are known.
    assert_not(&qos, &["unknown config/unparsed"]);
    let platform = fires("avd_platform.cfg");
    assert_not(&platform, &["unknown config/unparsed"]);
    let endpoints = fires("avd_unit_connected_endpoints.cfg");
    assert_has(
        &endpoints,
        &[
            "fail map/unresolved avd_unit_connected_endpoints Ethernet12",
            // By way of its port-channel.
            "fail map/unresolved avd_unit_connected_endpoints Ethernet17",
        ],
    );
    assert_not(
        &endpoints,
        &["fail map/unresolved avd_unit_connected_endpoints Ethernet1\n"],
    );
    for file in [
        "avd_ethernet-interfaces.cfg",
        "avd_twodc_DC1-POD1-LEAF1A.cfg",
        "avd_twodc_DC1-SUPER-SPINE1.cfg",
        "batfish_show_run_all_7260CX_4.19.cfg",
        "batfish_show_run_all_2.cfg",
    ] {
        assert_not(&fires(file), &["unknown config/unparsed"]);
    }
}

#[test]
fn eos_counters_as_json() {
    let Some(corpus) = corpus() else { return };
    let of = |file: &str| model(&corpus.join("corpus/eos").join(file));
    let queues = of("anta_show_interfaces_counters_queue_detail.rev1.json");
    assert_eq!(port(&queues, "Ethernet1")["counters"]["drops"], 0);
    let marks = of("anta_show_qos_interfaces_ecn_counters_queue.rev1.json");
    for name in ["Ethernet10/28/1", "Ethernet10/16/1"] {
        assert_eq!(port(&marks, name)["counters"]["ecn_marked"], 0, "{name}");
    }
    let pause = of("shape_pfc_counters_detail_DERIVED.json");
    let counters = &port(&pause, "Ethernet1/1")["counters"]["by_priority"];
    assert_eq!(counters["7"]["rx_pause"], 0);
    let watchdog = of("shape_pfc_counters_watchdog_DERIVED.json");
    assert_eq!(
        port(&watchdog, "Ethernet1/1")["counters"]["watchdog_trips"],
        1
    );
}

#[test]
fn no_eos_file_is_unread() {
    let Some(corpus) = corpus() else { return };
    for entry in fs::read_dir(corpus.join("corpus/eos")).unwrap() {
        let file = entry.unwrap().path();
        let report = audited(&file, &policy(LOSSLESS));
        let told: Vec<String> = fired(&report, true)
            .into_iter()
            .filter(|line| line.contains("internal/") || line.contains("collect/unrecognised"))
            .collect();
        assert!(told.is_empty(), "{}: {told:?}", file.display());
    }
}

#[test]
fn eos_cases() {
    let Some(corpus) = corpus() else { return };
    // PFC on for the switch, off on every port, and a watchdog without timeout.
    let off = fired(
        &audited(
            &corpus.join("cases/23-arista-pfc-global-on-ports-off/show_priority_flow_control.txt"),
            &policy(LOSSLESS),
        ),
        true,
    );
    assert_has(
        &off,
        &[
            "fail pfc/missing localhost Ethernet1",
            "fail pfc/missing localhost Ethernet2",
            "fail pfc/watchdog localhost Ethernet1",
        ],
    );
    // Thresholds and PFC as shown; the spine's are those of a spine.
    let folder = corpus.join("cases/25-arista-eos-leaf-spine-thresholds");
    let leaf = audited(&folder.join("leaf_pfc.txt"), &policy(LOSSLESS));
    assert_not(
        &fired(&leaf, true),
        &["fail pfc/missing", "unknown pfc/missing"],
    );
    for (file, min, max) in [
        ("leaf_ecn.txt", 256_000, 512_000),
        ("spine_ecn.txt", 512_000, 768_000),
    ] {
        let shown = model(&folder.join(file));
        let ecn = &member(&port(&shown, "Ethernet1")["queues"], 3)["ecn"];
        assert_eq!(
            (&ecn["min_bytes"], &ecn["max_bytes"]),
            (&json!(min), &json!(max)),
            "{file}"
        );
    }
}
