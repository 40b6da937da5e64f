//! Dell SmartFabric OS10 and the command line of Dell Enterprise SONiC.

use super::*;

/// Enabled priorities, 802.3x receive, IP MTU, and trust.
fn brief(model: &Value, name: &str) -> (Value, Value, Value, Value) {
    let port = port(model, name);
    let of = |value: &Value| value.clone();
    (
        of(&port["pfc"]["enabled"]),
        of(&port["link_pause"]["rx"]),
        of(&port["mtu"]["ip"]),
        of(&port["trust"]),
    )
}

#[test]
fn a_generated_os10_configuration_says_what_stands_in_it() {
    let Some(corpus) = corpus() else { return };
    let file = corpus.join("corpus/os10/azurelocal_dell_fc_expected_full_config.cfg");
    let full = model(&file);
    assert_eq!(
        (&full["platform"], &full["hostname"]),
        (&json!("os10"), &json!("tor-1a"))
    );
    // All of 1-56 and again 1-18: `interface range Ethernet 1/1/1-1/1/56`.
    assert_eq!(full["ports"].as_array().unwrap().len(), 56);
    let pcp = json!("pcp");
    let jumbo = json!(9198);
    // No line turns 802.3x off on these; the VLAN priority is trusted for all.
    for name in ["ethernet1/1/1", "ethernet1/1/18", "ethernet1/1/48"] {
        assert_eq!(
            brief(&full, name),
            (json!([]), Value::Null, jumbo.clone(), pcp.clone()),
            "{name}"
        );
    }
    assert_eq!(
        brief(&full, "ethernet1/1/39"),
        (json!([]), json!(false), jumbo.clone(), pcp.clone())
    );
    // PFC is on by the port-channel, and no policy says of which priority.
    let peer = port(&full, "ethernet1/1/49");
    assert_eq!(
        brief(&full, "ethernet1/1/49"),
        (json!([]), json!(false), jumbo, pcp)
    );
    assert_eq!(peer["pfc"]["mode"], "on");
    assert_eq!(peer["description"], "ToR_Peer_Link");
    assert_eq!(
        peer["pcp_to_tc"],
        json!({"0": 0, "1": 0, "2": 0, "3": 3, "4": 0, "5": 0, "6": 0, "7": 7})
    );
    assert_eq!(member(&peer["queues"], 3)["ecn"]["enabled"], false);
    let found = fired(&audited(&file, &policy(LOSSLESS)), true);
    assert_has(
        &found,
        &[
            "fail map/unresolved azurelocal_dell_fc_expected_full_config ethernet1/1/1",
            "fail map/unresolved azurelocal_dell_fc_expected_full_config *",
            "fail pfc/missing azurelocal_dell_fc_expected_full_config ethernet1/1/49",
            "fail trust/mode azurelocal_dell_fc_expected_full_config ethernet1/1/1",
            "fail ecn/missing azurelocal_dell_fc_expected_full_config ethernet1/1/1",
        ],
    );
    assert_not(
        &found,
        &["fail mtu", "fail pfc/link-pause", "unknown config/unparsed"],
    );
}

#[test]
fn os10_definitions_without_ports_are_read() {
    let Some(corpus) = corpus() else { return };
    let part = model(&corpus.join("corpus/os10/azurelocal_dell_qos_expected.cfg"));
    assert_eq!(part["platform"], "os10");
    assert_eq!(part["ports"], json!([]));
}

#[test]
fn os10_case() {
    let Some(corpus) = corpus() else { return };
    let file = corpus.join("cases/36-dell-os10-s5212f-azure-local/running_config.cfg");
    let tor = model(&file);
    assert_eq!(tor["hostname"], "OS10-S5212F-TOR1");
    let pcp = json!("pcp");
    for name in ["ethernet1/1/1", "ethernet1/1/12", "ethernet1/1/15"] {
        assert_eq!(
            brief(&tor, name),
            (json!([3]), json!(false), json!(9198), pcp.clone()),
            "{name}"
        );
        let port = port(&tor, name);
        assert_eq!(member(&port["priority_groups"], 3)["lossless"], true);
        let shares: Vec<&Value> = [0, 3, 7]
            .iter()
            .map(|id| &member(&port["queues"], *id)["scheduler"]["share_percent"])
            .collect();
        assert_eq!(shares, [&json!(49), &json!(50), &json!(1)]);
        assert_eq!(member(&port["queues"], 3)["lossless"], true);
        assert_eq!(member(&port["queues"], 3)["ecn"]["enabled"], false);
        assert_eq!(
            port["tc_to_queue"],
            json!({"0": 0, "1": 0, "2": 0, "3": 3, "4": 0, "5": 0, "6": 0, "7": 7})
        );
    }
    // Uplinks: link pause instead of PFC, and the default MTU.
    for name in ["ethernet1/1/13", "ethernet1/1/14"] {
        assert_eq!(
            brief(&tor, name),
            (json!([]), json!(true), json!(1514), pcp.clone()),
            "{name}"
        );
    }
    let found = fired(&audited(&file, &policy(LOSSLESS)), true);
    assert_has(
        &found,
        &[
            "fail ecn/missing running_config ethernet1/1/1",
            "fail trust/mode running_config ethernet1/1/1",
            "fail pfc/link-pause running_config ethernet1/1/13",
            "fail pfc/link-pause running_config ethernet1/1/14",
            "fail pfc/missing running_config ethernet1/1/13",
            "fail mtu/port running_config ethernet1/1/13",
        ],
    );
    for name in ["ethernet1/1/1", "ethernet1/1/12", "ethernet1/1/15"] {
        let of = |check: &str| format!("fail {check} running_config {name}");
        let checks = ["pfc/missing", "pfc/extra", "pfc/link-pause", "mtu/port"].map(of);
        assert!(checks.iter().all(|line| !found.contains(line)), "{name}");
    }
    assert_not(&found, &["unknown config/unparsed"]);
}

#[test]
fn dell_sonic_case() {
    let Some(corpus) = corpus() else { return };
    let file = corpus.join("cases/27-sonic-dell-enterprise-cli-good/running_config.txt");
    let switch = model(&file);
    assert_eq!(switch["platform"], "dell-sonic");
    let spine = port(&switch, "Eth1/1");
    assert_eq!(
        brief(&switch, "Eth1/1"),
        (json!([3, 4]), json!(false), json!(9216), json!("both"))
    );
    for (dscp, class) in [("24", 3), ("26", 3), ("4", 4), ("48", 6), ("0", 0)] {
        assert_eq!(spine["dscp_to_tc"][dscp], class, "{dscp}");
    }
    assert_eq!(
        (&spine["tc_to_pg"]["3"], &spine["tc_to_pg"]["6"]),
        (&json!(3), &json!(7))
    );
    let watchdog = &spine["pfc"]["watchdog"];
    assert_eq!(
        (
            &watchdog["action"],
            &watchdog["detection_ms"],
            &watchdog["restoration_ms"]
        ),
        (&json!("drop"), &json!(200), &json!(400))
    );
    let three = member(&spine["queues"], 3);
    assert_eq!(
        (
            &three["ecn"]["min_bytes"],
            &three["ecn"]["max_bytes"],
            &three["ecn"]["probability_percent"]
        ),
        (&json!(2_048_000), &json!(12_480_000), &json!(15))
    );
    assert_eq!(
        member(&spine["queues"], 6)["scheduler"]["kind"],
        json!("strict")
    );
    let found = fired(&audited(&file, &policy(LOSSLESS)), true);
    // Priority 4 has PFC and no class of the policy.
    assert_has(&found, &["fail pfc/extra running_config Eth1/1"]);
    assert_not(
        &found,
        &[
            "fail pfc/missing",
            "fail pfc/watchdog",
            "fail map/dscp",
            "fail trust",
            "fail ecn",
            "fail mtu",
            "fail sched/cnp",
            "unknown config/unparsed",
        ],
    );
}

#[test]
fn no_os10_file_is_unread() {
    let Some(corpus) = corpus() else { return };
    for entry in fs::read_dir(corpus.join("corpus/os10")).unwrap() {
        let file = entry.unwrap().path();
        let report = audited(&file, &policy(LOSSLESS));
        let told: Vec<String> = fired(&report, true)
            .into_iter()
            .filter(|line| line.contains("internal/") || line.contains("collect/unrecognised"))
            .collect();
        assert!(told.is_empty(), "{}: {told:?}", file.display());
    }
}
