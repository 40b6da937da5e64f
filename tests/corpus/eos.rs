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
