//! Cisco NX-OS: whole configurations, show outputs, and fault reports.

use super::*;

#[test]
fn nxos_configurations_say_what_stands_in_them() {
    let Some(corpus) = corpus() else { return };
    let nxos = corpus.join("corpus/nxos");

    // A top-of-rack switch for storage: classes match the CoS, PFC is static.
    let tor = model(&nxos.join("azurelocal_tor-1a_93180yc-fx3.cfg"));
    assert_eq!(tor["platform"], "nxos");
    let one = port(&tor, "Ethernet1/1");
    assert_eq!(
        (&one["trust"], &one["mtu"]["ip"]),
        (&json!("pcp"), &json!(9216))
    );
    assert_eq!(one["pfc"]["enabled"], json!([3]));
    assert_eq!(
        (&one["pcp_to_tc"]["3"], &one["pcp_to_tc"]["7"]),
        (&json!(3), &json!(7))
    );
    assert_eq!(one["dscp_to_tc"]["26"], 0);
    let ecn = &member(&one["queues"], 3)["ecn"];
    assert_eq!(
        (
            &ecn["enabled"],
            &ecn["min_bytes"],
            &ecn["max_bytes"],
            &ecn["probability_percent"]
        ),
        (&json!(true), &json!(300_000), &json!(300_000), &json!(100))
    );

    // The same from a generator whose network-qos classes do not exist.
    let generated = audited(
        &nxos.join("azurelocal_fc_expected_full_config.cfg"),
        &policy(LOSSLESS),
    );
    let unresolved = generated
        .findings
        .iter()
        .filter(|f| f.check == "map/unresolved");
    assert_eq!(unresolved.map(|f| f.places.len()).sum::<usize>(), 3);
    let generated = model(&nxos.join("azurelocal_fc_expected_full_config.cfg"));
    let storage = port(&generated, "Ethernet1/15");
    assert_eq!(
        (&storage["pfc"]["mode"], &storage["pfc"]["enabled"]),
        (&json!("on"), &json!([]))
    );

    // A script without indentation: 64 ports, DSCP 24 to 31 lossless, 48 strict.
    let roce = model(&nxos.join("paregupt_nxos_config_roce_rendered.cfg"));
    assert_eq!(roce["ports"].as_array().unwrap().len(), 64);
    let last = port(&roce, "Ethernet1/64");
    assert_eq!(
        (&last["trust"], &last["pfc"]["enabled"]),
        (&json!("dscp"), &json!([3]))
    );
    assert_eq!(
        (&last["dscp_to_tc"]["24"], &last["dscp_to_tc"]["48"]),
        (&json!(3), &json!(7))
    );
    assert_eq!(member(&last["queues"], 7)["scheduler"]["kind"], "strict");
    assert_eq!(member(&last["queues"], 3)["ecn"]["max_bytes"], 3_000_000);
    assert_eq!(last["pfc"]["watchdog"]["enabled"], true);

    // The defaults that `show running-config all` prints.
    let all = model(&nxos.join("batfish_nxos_interface_show_all_2_n9k_7.0.3.cfg"));
    let two = port(&all, "Ethernet1/2");
    assert_eq!(
        (&two["pfc"]["mode"], &two["mtu"]["ip"]),
        (&json!("auto"), &json!(1500))
    );
    assert_eq!(
        (&two["link_pause"]["rx"], &two["speed_mbps"]),
        (&json!(false), &json!(1000))
    );
}

#[test]
fn nxos_cases() {
    let Some(corpus) = corpus() else { return };
    let shown = |case: &str, file: &str| {
        let file = corpus.join("cases").join(case).join(file);
        fired(&audited(&file, &policy(LOSSLESS)), true)
    };
    // Negotiated, and off; what was counted before does not matter.
    let before = shown("28-nxos-n9k-pfc-auto-off-dcb-all-off", "switch_before.txt");
    assert_has(
        &before,
        &[
            "fail pfc/missing switch_before Ethernet1/27",
            "fail pfc/mode switch_before Ethernet1/28",
        ],
    );
    // The mended configuration names a queuing class in its network-qos policy.
    let after = shown(
        "28-nxos-n9k-pfc-auto-off-dcb-all-off",
        "switch_config_after.txt",
    );
    assert_has(
        &after,
        &[
            "fail map/unresolved switch_config_after *",
            "fail pfc/missing switch_config_after Ethernet1/27",
            "unknown config/unparsed",
        ],
    );
    let n5k = shown("30-nxos-n5k-fcoe-dcbx-mismatch", "show_interface_pfc.txt");
    assert_has(
        &n5k,
        &[
            "fail pfc/missing show_interface_pfc Ethernet1/47",
            "fail pfc/missing show_interface_pfc Ethernet4/16",
        ],
    );
    let old = model(&corpus.join("cases/31-nxos-ucs-vethernet-bridge-names/old_version.txt"));
    assert_eq!(
        port(&old, "Ethernet1/1/1")["pfc"]["operational"],
        json!([3])
    );
    assert_eq!(port(&old, "Ethernet1/1/2")["pfc"]["operational"], json!([]));

    let folder = corpus.join("cases/32-nxos-queuing-new-and-legacy");
    let boxes = model(&folder.join("show_queuing_box.txt"));
    let counters = &port(&boxes, "Ethernet2/1")["counters"];
    let three = &counters["by_priority"]["3"];
    assert_eq!(
        (&three["tx_pause"], &three["rx_pause"], &three["drops"]),
        (&json!(7), &json!(8), &json!(6))
    );
    assert_eq!(counters["drops"], 3 + 6 + 10, "egress and ingress");
    let legacy = model(&folder.join("show_queuing_legacy.txt"));
    assert_eq!(port(&legacy, "Ethernet1/2")["counters"]["drops"], 106);
    let stuck = shown("32-nxos-queuing-new-and-legacy", "show_pfc_watchdog.txt");
    assert_has(
        &stuck,
        &["fail pfc/watchdog show_pfc_watchdog Ethernet1/23"],
    );

    let good = shown("34-nxos-azure-local-baseline", "qos_config.txt");
    assert_not(
        &good,
        &["fail pfc/missing", "fail ecn/", "fail mtu/", "unknown ecn/"],
    );
    assert_has(
        &good,
        &[
            "fail trust/mode qos_config Ethernet1/17",
            "fail pfc/watchdog qos_config Ethernet1/17",
        ],
    );
}
