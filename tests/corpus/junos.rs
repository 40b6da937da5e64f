//! Juniper Junos: the configurations of whole fabrics, and fault reports.

use super::*;

#[test]
fn junos_configurations_say_what_stands_in_them() {
    let Some(corpus) = corpus() else { return };
    let junos = corpus.join("corpus/junos");

    // An AI backend: leaves and spines have the same class of service.
    for name in ["leaf1", "leaf2", "spine1", "spine2"] {
        let model = model(&junos.join(format!("jvd_mt_{name}_qfx5240-64od.conf")));
        assert_eq!(model["platform"], "junos");
        let zero = port(&model, "et-0/0/0:0");
        assert_eq!(
            (&zero["trust"], &zero["mtu"]),
            (
                &json!("dscp"),
                &json!({"ip": 9170, "raw": 9216, "counts": "l2"})
            ),
            "{name}"
        );
        assert_eq!(zero["pfc"]["enabled"], json!([3]));
        assert_eq!(zero["pfc"]["watchdog"]["enabled"], true);
        assert_eq!(
            (&zero["dscp_to_tc"]["26"], &zero["dscp_to_tc"]["48"]),
            (&json!(4), &json!(3))
        );
        assert_eq!(zero["pfc_to_queue"], json!({"3": 4}));
        let queue = member(&zero["queues"], 4);
        assert_eq!(
            (
                &queue["lossless"],
                &queue["ecn"]["min_percent"],
                &queue["ecn"]["max_percent"]
            ),
            (&json!(true), &json!(55), &json!(90))
        );
        assert_eq!(member(&zero["queues"], 3)["scheduler"]["kind"], "strict");
    }

    // A fabric whose profile has no input stanza and whose class may drop.
    let leaf = model(&junos.join("jvd_5stage_compute-leaf1_qfx5120-48ym.conf"));
    let up = port(&leaf, "et-0/0/48");
    assert_eq!(
        (&up["pfc"]["enabled"], &up["dscp_to_tc"]["26"]),
        (&json!([]), &json!(5))
    );
    assert_eq!(leaf["buffer_pools"][0]["size_bytes"], 0);

    // No class of service at all.
    let front = model(&junos.join("jvd_frontend_leaf1_qfx5130-32cd.conf"));
    let first = &front["ports"][0];
    assert_eq!(
        (&first["pfc"]["enabled"], &first["trust"]),
        (&json!([]), &Value::Null)
    );
}

#[test]
fn the_fabric_of_qfx_switches_is_judged_as_its_notes_say() {
    let Some(corpus) = corpus() else { return };
    let judge = |name: &str| {
        let file = corpus.join("corpus/junos").join(name);
        fired(&audited(&file, &policy(LOSSLESS)), false)
    };
    let good = judge("jvd_mt_leaf1_qfx5240-64od.conf");
    for line in &good {
        let of_class = ["pfc/", "map/", "trust/", "ecn/", "config/"]
            .iter()
            .any(|area| line.contains(area));
        // Ports that are declared and not used have no MTU of their own.
        assert!(!of_class, "{line}");
    }
    let bad = judge("jvd_5stage_compute-leaf1_qfx5120-48ym.conf");
    let has = |check: &str| {
        bad.iter()
            .any(|line| line.starts_with(&format!("fail {check} ")))
    };
    for check in ["pfc/missing", "map/dscp", "ecn/missing"] {
        assert!(has(check), "{check}: {bad:#?}");
    }
    let front = judge("jvd_frontend_leaf1_qfx5130-32cd.conf");
    assert!(
        front
            .iter()
            .any(|line| line.starts_with("fail pfc/missing "))
    );
}

#[test]
fn junos_cases() {
    let Some(corpus) = corpus() else { return };
    let shown = |case: &str, file: &str| {
        let file = corpus.join("cases").join(case).join(file);
        fired(&audited(&file, &policy(LOSSLESS)), true)
    };
    // Unmarked traffic is lossless, 26 is not, and uplinks have no profile.
    let wrong = shown(
        "42-junos-dscp0-7-lossless-no-pfc-on-spine",
        "configlet.conf",
    );
    assert_has(
        &wrong,
        &[
            "fail pfc/missing configlet et-0/0/0",
            "fail map/dscp configlet et-0/0/24:0",
            "fail pfc/watchdog configlet et-0/0/24:0",
            "fail pfc/extra configlet et-0/0/24:0",
        ],
    );
    assert_not(
        &wrong,
        &[
            "fail ecn/missing configlet et-0/0/24:0",
            "unknown config/unparsed",
        ],
    );
    let good = shown("81-junos-evo-qfx5240-jvd-good", "cos.conf");
    assert_not(
        &good,
        &[
            "fail pfc/",
            "fail map/",
            "fail trust/",
            "fail ecn/",
            "unknown config/unparsed",
        ],
    );
    // Default classes: everything is in queue 0, nothing was paused.
    let counted = model(
        &corpus.join("cases/44-junos-show-interfaces-extensive/show_interfaces_extensive.txt"),
    );
    let port = port(&counted, "et-0/0/24");
    assert_eq!(
        (&port["oper"], &port["speed_mbps"]),
        (&json!("up"), &json!(40000))
    );
    assert_eq!(port["link_pause"], json!({"rx": false, "tx": false}));
    assert_eq!(port["counters"]["by_priority"]["3"]["rx_pause"], 0);
    assert_eq!(port["counters"]["drops"], 0);
}
