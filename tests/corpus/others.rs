//! Huawei VRP, H3C Comware and Nokia SR Linux.

use super::*;

#[test]
fn ai_ecn_of_cloudengine_sets_what_is_shown() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("cases/45-huawei-ce-ai-ecn");
    let config = model(&folder.join("config.txt"));
    assert_eq!(
        (&config["platform"], &config["hostname"]),
        (&json!("vrp"), &json!("DeviceA"))
    );
    assert_eq!(config["buffer_pools"][0]["headroom_bytes"], 4 << 20);
    for name in ["100GE1/0/1", "100GE1/0/2"] {
        let port = port(&config, name);
        assert_eq!(port["trust"], "dscp", "{name}");
        assert_eq!(port["pfc"]["mode"], "on", "{name}");
        assert_eq!(port["pfc"]["enabled"], json!([4]), "{name}");
        assert_eq!(port["speed_mbps"], 100_000, "{name}");
        let dscp = &port["dscp_to_tc"];
        assert_eq!(
            (&dscp["24"], &dscp["25"], &dscp["26"], &dscp["0"]),
            (&json!(4), &json!(6), &json!(3), &json!(0)),
            "{name}"
        );
        let four = member(&port["queues"], 4);
        assert_eq!(four["lossless"], true);
        // The thresholds move; what is assigned to AI ECN marks.
        assert_eq!(four["ecn"]["enabled"], true);
        assert_eq!(four["ecn"]["min_bytes"], Value::Null);
    }
    let shown = model(&folder.join("display_ai_ecn.txt"));
    assert_eq!(shown["platform"], "vrp");
    for name in ["100GE1/0/1", "100GE1/0/2"] {
        let ecn = &member(&port(&shown, name)["queues"], 4)["ecn"];
        assert_eq!(
            (&ecn["min_bytes"], &ecn["max_bytes"]),
            (&json!(204_800), &json!(614_400))
        );
        assert_eq!(ecn["probability_percent"], 5);
        assert_eq!(port(&shown, name)["pfc"]["enabled"], Value::Null);
    }
    // The hosts of the built-in policy send DSCP 26 on priority 3.
    let found = case(
        &corpus,
        "45-huawei-ce-ai-ecn",
        "switch",
        &["config.txt"],
        LOSSLESS,
    );
    assert_has(
        &found,
        &[
            "fail pfc/missing switch 100GE1/0/1",
            "fail pfc/extra switch 100GE1/0/2",
        ],
    );
    assert_not(&found, &["unknown config/unparsed", "fail map/unresolved"]);
}

#[test]
fn pfc_of_comware_without_a_priority_is_none() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("cases/80-h3c-pfc-wrapped-table");
    for (file, name) in [
        ("display_pfc_s6550x.txt", "Twenty-FiveGigE1/0/1"),
        ("display_pfc_s9825.txt", "HundredGigE1/0/1"),
    ] {
        let shown = model(&folder.join(file));
        assert_eq!(shown["platform"], "comware", "{file}");
        let port = port(&shown, name);
        assert_eq!(port["pfc"]["mode"], "on", "{file}");
        assert_eq!(port["pfc"]["enabled"], json!([]), "{file}");
        let zero = &port["counters"]["by_priority"]["0"];
        assert_eq!(
            (&zero["rx_pause"], &zero["tx_pause"]),
            (&json!(5), &json!(5))
        );
        let found = fired(&audited(&folder.join(file), &policy(LOSSLESS)), true);
        assert!(
            found
                .iter()
                .any(|line| line.starts_with("fail pfc/missing")),
            "{found:#?}"
        );
    }
    let config = model(&folder.join("config.txt"));
    assert_eq!(config["platform"], "comware");
    let port = port(&config, "Twenty-FiveGigE1/0/3");
    // No line turns PFC on; the no-drop priority alone does nothing.
    assert_eq!(port["pfc"]["enabled"], json!([]));
    assert_eq!(port["pfc"]["mode"], "off");
    let ecn = &member(&port["queues"], 5)["ecn"];
    assert_eq!(ecn["enabled"], true);
    assert_eq!(ecn["probability_percent"], 30);
    // In cells of a model that the file does not name.
    assert_eq!(
        (&ecn["min_bytes"], &ecn["max_bytes"]),
        (&Value::Null, &Value::Null)
    );
    let found = fired(
        &audited(&folder.join("config.txt"), &policy(LOSSLESS)),
        true,
    );
    assert_not(&found, &["unknown config/unparsed", "fail map/unresolved"]);
}

#[test]
fn paths_of_sr_linux_are_read() {
    let Some(corpus) = corpus() else { return };
    let file = corpus.join("corpus/srl/srl_rocev2_paths_DERIVED.txt");
    let paths = model(&file);
    assert_eq!(paths["platform"], "srlinux");
    assert_eq!(paths["ports"].as_array().unwrap().len(), 1);
    let port = port(&paths, "ethernet-1/1");
    // The profile marks, and no path attaches it to a queue.
    assert_eq!(member(&port["queues"], 3)["ecn"]["enabled"], false);
    assert_eq!(port["mtu"]["ip"], Value::Null);
    let found = fired(&audited(&file, &policy(LOSSLESS)), true);
    assert_not(
        &found,
        &["unknown config/unparsed", "unknown collect/failed"],
    );
}
