use super::*;
use crate::model::{
    Fact, Kind, MapName, Milli, NoteKind, Port, Priorities, SchedulerKind, State, Trust,
};
use crate::platform::testing::{self, at, notes, set};
use proptest::prelude::*;

fn read(text: &str) -> Device {
    testing::read(&Sonic, &[("leaf1.json", text)])
}

fn port<'d>(device: &'d Device, name: &str) -> &'d Port {
    device.port(name).unwrap()
}

/// The values are those of SONiC's own template and of the documents on it:
/// DSCP 3 and 4 lossless, WRED 1 MiB to 2 MiB at 5 percent, weights 14 and 15.
const LEAF: &str = r#"{
  "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "hwsku": "Force10-S6000", "platform": "x86_64-dell_s6000_s1220-r0", "type": "LeafRouter"}},
  "VERSIONS": {"DATABASE": {"VERSION": "version_202311_01"}},
  "PORT": {
    "Ethernet12": {"speed": "100000", "admin_status": "down", "mtu": "4200", "lanes": "5"},
    "Ethernet0": {"speed": "100000", "admin_status": "up", "mtu": "9100", "fec": "rs", "description": "to gpu01"},
    "Ethernet4": {"speed": "100000"},
    "Ethernet-Rec0": {"role": "Rec", "speed": "10000"}
  },
  "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "0m", "Ethernet12": "5m"}},
  "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "gpu01", "port": "eth0"}},
  "PORT_QOS_MAP": {
    "Ethernet0": {
      "dscp_to_tc_map": "AZURE",
      "tc_to_queue_map": "AZURE",
      "tc_to_pg_map": "AZURE",
      "pfc_to_queue_map": "AZURE",
      "pfc_enable": "3,4",
      "pfcwd_sw_enable": "3,4"
    }
  },
  "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "4": "4", "26": "1", "48": "6"}},
  "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "1": "1", "3": "3", "4": "4", "6": "6"}},
  "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3", "4": "4", "0": "0"}},
  "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"0": "0", "3": "3", "4": "4"}},
  "SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": "14"}, "scheduler.1": {"type": "DWRR", "weight": "15"}, "cnp": {"type": "STRICT"}},
  "WRED_PROFILE": {"AZURE_LOSSLESS": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1048576", "green_max_threshold": "2097152", "green_drop_probability": "5"}},
  "QUEUE": {
    "Ethernet0|0-2": {"scheduler": "scheduler.0"},
    "Ethernet0|3-4": {"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"},
    "Ethernet0|5": {"scheduler": "scheduler.0"},
    "Ethernet0|6": {"scheduler": "cnp"}
  },
  "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "33554432", "xoff": "3145728"}, "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "12766208"}},
  "BUFFER_PROFILE": {
    "lossless": {"pool": "ingress_lossless_pool", "size": "58368", "xon": "19456", "xoff": "38912", "dynamic_th": "3"},
    "lossy": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "-3"},
    "egress_lossless": {"pool": "egress_lossless_pool", "size": "0", "static_th": "12766208"}
  },
  "BUFFER_PG": {"Ethernet0|0": {"profile": "lossy"}, "Ethernet0|3": {"profile": "lossless"}},
  "BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "egress_lossless"}},
  "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}},
  "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet0": {"detection_time": "200", "restoration_time": "400"}}
}"#;

#[test]
fn a_whole_configuration() {
    let device = read(LEAF);
    assert_eq!(device.notes.len(), 0, "{:?}", device.notes);
    let names: Vec<_> = device.ports.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["Ethernet0", "Ethernet4", "Ethernet12"]);
    assert_eq!(device.hardware.value().unwrap(), "Force10-S6000");
    assert!(device.coverage.config && device.coverage.peers && !device.coverage.counters);

    let port = port(&device, "Ethernet0");
    assert_eq!(
        port.pfc.enabled,
        Fact::explicit(set(&[3, 4]), port.pfc.enabled.at())
    );
    assert_eq!(at(LEAF, &port.pfc.enabled), r#""3,4","#);
    assert_eq!(
        (port.pfc.tx.get(), port.pfc.rx.get()),
        (Some(set(&[3, 4])), Some(set(&[3, 4])))
    );
    assert_eq!(port.trust.get(), Some(Trust::Dscp));
    assert_eq!(port.mtu.ip.get(), Some(9100));
    assert_eq!(port.cable_m.get(), Some(40));
    assert_eq!(port.peer.as_ref().unwrap().device, "gpu01");
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(1));
    // SAI: what a map leaves out goes to traffic class 0.
    let dscp = port.maps.get(MapName::DscpToTc).value().unwrap();
    assert_eq!(dscp.entries().len(), 64);
    assert_eq!(
        dscp.get(63).map(|e| (e.value, e.default.is_some())),
        Some((0, true))
    );
    assert_eq!(port.maps.value(MapName::TcToPg, 3), Some(3));

    let watchdog = &port.pfc.watchdog;
    assert_eq!(watchdog.enabled.get(), Some(true));
    assert_eq!(watchdog.detection_ms.get(), Some(200));
    assert_eq!(watchdog.restoration_ms.get(), Some(400));
    assert_eq!(
        (
            watchdog.action.value().unwrap().as_str(),
            watchdog.action.kind()
        ),
        ("drop", Kind::Default)
    );

    let pool = device.pool("ingress_lossless_pool").unwrap();
    assert_eq!(pool.size_bytes.get(), Some(33_554_432));
    assert_eq!(pool.headroom_bytes.get(), Some(3_145_728));
    assert_eq!(pool.oversubscription.get(), Some(Milli::whole(2)));
}

#[test]
fn queues_of_a_whole_configuration() {
    let device = read(LEAF);
    let port = port(&device, "Ethernet0");
    let queue = |id| port.queue(id).unwrap();
    assert_eq!(queue(3).lossless.get(), Some(true));
    assert_eq!(queue(0).lossless.get(), Some(false));
    assert_eq!(queue(3).ecn.enabled.get(), Some(true));
    assert_eq!(queue(3).ecn.min_bytes.get(), Some(1_048_576));
    assert_eq!(
        queue(3).ecn.probability_percent.get(),
        Some(Milli::whole(5))
    );
    assert_eq!(queue(3).ecn.wred_drop.get(), Some(false));
    assert_eq!(
        (queue(0).ecn.enabled.get(), queue(0).ecn.enabled.kind()),
        (Some(false), Kind::Default)
    );
    assert_eq!(queue(6).scheduler.get(), Some(SchedulerKind::Strict));
    assert!(!queue(6).share_percent.applies());
    // 4 queues of 14, 2 of 15: 86 in all.
    assert_eq!(queue(3).share_percent.get(), Some(Milli(17_442)));
    // qos_config.j2 gives queue 7 no scheduler.
    assert!(queue(7).scheduler.is_unknown() && queue(7).share_percent.is_unknown());
    assert_eq!(queue(3).limit_bytes.get(), Some(12_766_208));
    let line = &LEAF[queue(3).attached.0.offset()..];
    assert!(line.starts_with(r#""Ethernet0|3-4": {"sched"#));
    assert!(std::sync::Arc::ptr_eq(&queue(3).ecn, &queue(4).ecn));
}

#[test]
fn priority_groups_of_a_whole_configuration() {
    let device = read(LEAF);
    let port = port(&device, "Ethernet0");
    let group = |id| port.priority_group(id).unwrap();
    assert_eq!(group(3).lossless.get(), Some(true));
    assert_eq!(group(3).buffer.headroom_bytes.get(), Some(38_912));
    assert_eq!(group(3).buffer.reserved_bytes.get(), Some(58_368));
    assert_eq!(group(3).buffer.resume_at_bytes.get(), Some(19_456));
    assert_eq!(group(3).buffer.alpha.get(), Some(Milli::whole(8)));
    assert_eq!(group(0).lossless.get(), Some(false));
    assert_eq!(group(0).buffer.alpha.get(), Some(Milli(125)));
    // Priority 4 has no row: buffermgrd makes the group, sizes are its own.
    assert_eq!(
        (group(4).lossless.get(), group(4).lossless.kind()),
        (Some(true), Kind::Default)
    );
    assert!(group(4).buffer.headroom_bytes.is_unknown());
}

#[test]
fn a_port_without_rows_has_the_defaults() {
    let device = read(LEAF);
    let port = port(&device, "Ethernet4");
    assert_eq!(port.pfc.enabled.get(), Some(Priorities::NONE));
    assert_eq!(port.pfc.enabled.kind(), Kind::Default);
    assert_eq!(port.trust.get(), Some(Trust::None));
    assert_eq!(
        (port.mtu.raw.get(), port.mtu.raw.kind()),
        (Some(9100), Kind::Default)
    );
    assert!(port.admin.is_unknown());
    assert_eq!(port.pfc.watchdog.enabled.get(), Some(false));
    // SAI: without a map all packets go to queue 0.
    assert_eq!(port.maps.value(MapName::TcToQueue, 3), Some(0));
    assert!(port.maps.get(MapName::PfcToQueue).is_unknown());
    assert!(
        port.queues
            .iter()
            .all(|queue| queue.lossless.get() == Some(false))
    );
    assert_eq!(
        device.port("Ethernet12").unwrap().admin.get(),
        Some(State::Down)
    );
}

/// LEAF with a piece of text replaced.
fn changed(from: &str, to: &str) -> String {
    assert!(LEAF.contains(from), "{from}");
    LEAF.replacen(from, to, 1)
}

#[test]
fn one_dangling_map_takes_the_whole_row_out_of_force() {
    let text = changed(
        r#""tc_to_queue_map": "AZURE""#,
        r#""tc_to_queue_map": "AZUER""#,
    );
    let device = read(&text);
    let port = port(&device, "Ethernet0");
    assert_eq!(
        port.pfc.enabled,
        Fact::explicit(Priorities::NONE, port.pfc.enabled.at())
    );
    assert_eq!(at(&text, &port.pfc.enabled), r#""AZUER","#);
    assert_eq!(port.trust.get(), Some(Trust::None));
    assert_eq!(port.maps.value(MapName::DscpToTc, 3), None);
    assert_eq!(port.pfc.watchdog.enabled.get(), Some(false));
    assert_eq!(port.pfc.watchdog.priorities.get(), Some(set(&[3, 4])));
    let unresolved = notes(&device, NoteKind::Unresolved);
    assert_eq!(unresolved.len(), 1);
    assert!(unresolved[0].contains("PORT_QOS_MAP") && unresolved[0].contains("AZUER"));
    assert_eq!(device.notes[0].port.as_deref(), Some("Ethernet0"));
}

#[test]
fn references_in_both_spellings_give_the_same() {
    let bare = read(LEAF);
    let brackets = LEAF
        .replace(
            r#""wred_profile": "AZURE_LOSSLESS""#,
            r#""wred_profile": "[WRED_PROFILE|AZURE_LOSSLESS]""#,
        )
        .replace(
            r#""profile": "lossless""#,
            r#""profile": "[BUFFER_PROFILE|lossless]""#,
        )
        .replace(
            r#""tc_to_pg_map": "AZURE""#,
            r#""tc_to_pg_map": "[TC_TO_PRIORITY_GROUP_MAP|AZURE]""#,
        )
        .replace("version_202311_01", "version_3_0_2");
    let old = read(&brackets);
    assert_eq!(old.notes.len(), 0, "{:?}", old.notes);
    assert_eq!(bare.ports[0].queues, old.ports[0].queues);
    assert_eq!(bare.ports[0].priority_groups, old.ports[0].priority_groups);
    // From 3_0_3 on, the switch no longer resolves them.
    let new = brackets.replace("version_3_0_2", "version_3_0_3");
    assert_eq!(notes(&read(&new), NoteKind::Unresolved).len(), 3);
    // The table in the brackets has to be the right one.
    let wrong = changed(r#""scheduler": "cnp""#, r#""scheduler": "[SCHEDULAR|cnp]""#);
    assert_eq!(notes(&read(&wrong), NoteKind::Unresolved).len(), 1);
}

#[test]
fn a_flat_dump_gives_the_same() {
    let nested: serde_json::Value = serde_json::from_str(LEAF).unwrap();
    let mut flat = serde_json::Map::new();
    for (table, rows) in nested.as_object().unwrap() {
        for (key, row) in rows.as_object().unwrap() {
            flat.insert(format!("{table}|{key}"), row.clone());
        }
    }
    let flat = read(&serde_json::Value::Object(flat).to_string());
    let nested = read(LEAF);
    assert_eq!(flat.notes.len(), 0, "{:?}", flat.notes);
    for (a, b) in flat.ports.iter().zip(&nested.ports) {
        assert_eq!(a.maps, b.maps);
        assert_eq!(a.queues, b.queues);
        assert_eq!(a.priority_groups, b.priority_groups);
        assert_eq!(a.pfc, b.pfc);
    }
    assert_eq!(flat.ports.len(), 3);
}

#[test]
fn split_captures_are_joined_and_one_alone_says_less() {
    let nested: serde_json::Value = serde_json::from_str(LEAF).unwrap();
    let part = |tables: &dyn Fn(&str) -> bool| {
        let all = nested.as_object().unwrap().iter();
        let some: serde_json::Map<_, _> = all
            .filter(|(table, _)| tables(table))
            .map(|(table, rows)| (table.clone(), rows.clone()))
            .collect();
        serde_json::Value::Object(some).to_string()
    };
    let buffers = part(&|t| {
        t.starts_with("BUFFER") || t == "CABLE_LENGTH" || t == "DEFAULT_LOSSLESS_BUFFER_PARAMETER"
    });
    let port_table = part(&|t| t == "PORT");
    let qos = part(&|t| t.contains("MAP") || ["QUEUE", "SCHEDULER", "WRED_PROFILE"].contains(&t));
    let together = [
        ("leaf1/qos.json", &*qos),
        ("leaf1/buffers.json", &*buffers),
        ("leaf1/ports.json", &port_table),
    ];
    let joined = testing::read(&Sonic, &together);
    let whole = read(LEAF);
    assert_eq!(joined.ports[0].queues, whole.ports[0].queues);
    assert_eq!(
        joined.ports[0].priority_groups,
        whole.ports[0].priority_groups
    );
    assert_eq!(joined.ports[0].pfc.enabled.at().capture(), Some(0));
    assert_eq!(joined.ports[0].mtu.raw.at().capture(), Some(2));

    // qos.json alone: PFC_WD, buffers and ports may stand elsewhere.
    let alone = read(&qos);
    assert_eq!(alone.notes.len(), 0, "{:?}", alone.notes);
    assert_eq!(alone.ports.len(), 1);
    let port = port(&alone, "Ethernet0");
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3, 4])));
    assert!(port.pfc.watchdog.enabled.is_unknown());
    assert!(
        port.priority_groups
            .iter()
            .all(|group| group.lossless.is_unknown())
    );
    assert!(port.mtu.raw.is_unknown());
}

#[test]
fn asics_have_tables_of_their_own() {
    let asic = |name: &str, min: u32| {
        format!(
            r#"{{"DEVICE_METADATA": {{"localhost": {{"asic_name": "{name}", "hwsku": "multi"}}}},
            "PORT": {{"Ethernet{min}": {{"speed": "100000"}}}},
            "WRED_PROFILE": {{"W": {{"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "{min}"}}}},
            "QUEUE": {{"Ethernet{min}|3": {{"wred_profile": "W"}}}}}}"#
        )
    };
    let host = r#"{"DEVICE_METADATA": {"localhost": {"hostname": "chassis"}}}"#;
    let one = format!(
        r#"{{"localhost": {host}, "asic0": {}, "asic1": {}}}"#,
        asic("asic0", 100),
        asic("asic1", 200)
    );
    let (zero, first) = (asic("asic0", 100), asic("ASIC1", 200));
    let several = [
        ("c/config_db.json", host),
        ("c/config_db0.json", &zero),
        ("c/config_db1.json", &first),
    ];
    for device in [read(&one), testing::read(&Sonic, &several)] {
        assert_eq!(device.hostname.value().unwrap(), "chassis");
        assert_eq!(device.ports.len(), 2);
        for (name, min) in [("Ethernet100", 100), ("Ethernet200", 200)] {
            let queue = port(&device, name).queue(3).unwrap();
            assert_eq!(queue.ecn.min_bytes.get(), Some(min));
        }
    }
}

#[test]
fn comma_keys_and_keys_of_a_chassis() {
    let text = r#"{"DEVICE_METADATA": {"localhost": {"hostname": "lc1"}},
      "PORT": {"Ethernet0": {}, "Ethernet4": {}},
      "SCHEDULER": {"s": {"type": "STRICT"}},
      "PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"pfc_enable": "3"}},
      "QUEUE": {"Ethernet0,Ethernet4|3": {"scheduler": "s"}, "lc1|Asic0|Ethernet4|5": {"scheduler": "s"}, "lc2|Asic0|Ethernet0|6": {"scheduler": "s"}}}"#;
    let device = read(text);
    for name in ["Ethernet0", "Ethernet4"] {
        assert_eq!(port(&device, name).pfc.enabled.get(), Some(set(&[3])));
        assert_eq!(
            port(&device, name).queue(3).unwrap().scheduler.get(),
            Some(SchedulerKind::Strict)
        );
    }
    assert_eq!(
        port(&device, "Ethernet4").queue(5).unwrap().scheduler.get(),
        Some(SchedulerKind::Strict)
    );
    // The row of another line card is not of this one's port.
    assert!(
        port(&device, "Ethernet0")
            .queue(6)
            .unwrap()
            .scheduler
            .is_unknown()
    );
}

#[test]
fn warnings_above_and_a_prompt_below_the_json() {
    let text = format!("/usr/lib/python: UserWarning: {{old}}\n{LEAF}\nadmin@leaf1:~$ ");
    let device = read(&text);
    assert_eq!(device.notes.len(), 0, "{:?}", device.notes);
    let enabled = &port(&device, "Ethernet0").pfc.enabled;
    assert_eq!(at(&text, enabled), r#""3,4","#);
}

#[test]
fn what_a_cut_configuration_lacks_is_unknown() {
    let cut = &LEAF[..LEAF.find(r#""QUEUE""#).unwrap()];
    let device = read(cut);
    assert_eq!(notes(&device, NoteKind::Failed).len(), 1);
    let cut_port = port(&device, "Ethernet0");
    assert_eq!(cut_port.pfc.enabled.get(), Some(set(&[3, 4])));
    assert!(cut_port.pfc.watchdog.enabled.is_unknown());
    assert!(cut_port.queue(3).unwrap().ecn.enabled.is_unknown());
    assert!(port(&device, "Ethernet4").pfc.enabled.is_unknown());
}

#[test]
fn the_age_of_the_schema_tells_what_the_watchdog_watches() {
    let without = |version: &str| {
        LEAF.replace(",\n      \"pfcwd_sw_enable\": \"3,4\"", "")
            .replace("version_202311_01", version)
    };
    let old = read(&without("version_3_0_4"));
    let watchdog = &port(&old, "Ethernet0").pfc.watchdog;
    assert_eq!(
        (watchdog.priorities.get(), watchdog.priorities.kind()),
        (Some(set(&[3, 4])), Kind::Default)
    );
    assert_eq!(watchdog.enabled.get(), Some(true));
    // From 3_0_5 on: "No lossless TC found on port".
    let new = read(&without("version_3_0_5"));
    let watchdog = &port(&new, "Ethernet0").pfc.watchdog;
    assert_eq!(watchdog.priorities.get(), Some(Priorities::NONE));
    assert_eq!(watchdog.enabled.get(), Some(false));
}

#[test]
fn a_watchdog_that_watches_more_than_pfc_is_told() {
    let less = changed(r#""pfcwd_sw_enable": "3,4""#, r#""pfcwd_sw_enable": "3""#);
    assert_eq!(read(&less).notes.len(), 0);
    let more = changed(
        r#""pfcwd_sw_enable": "3,4""#,
        r#""pfcwd_sw_enable": "3,4,6""#,
    );
    // Told, not judged: PFC that is off is a finding of its own.
    assert_eq!(notes(&read(&more), NoteKind::Conflict).len(), 0);
    assert_eq!(notes(&read(&more), NoteKind::Remark).len(), 1);
}

#[test]
fn a_watchdog_row_without_detection_time_is_rejected() {
    let device = read(&changed(r#""detection_time": "200", "#, ""));
    let watchdog = &port(&device, "Ethernet0").pfc.watchdog;
    assert_eq!(watchdog.enabled.get(), Some(false));
    assert!(watchdog.detection_ms.is_unknown());
}

#[test]
fn ecn_without_wred_depends_on_the_asic() {
    let text = changed(
        r#""wred_green_enable": "true""#,
        r#""wred_green_enable": "false""#,
    );
    let enabled = |text: &str| {
        port(&read(text), "Ethernet0")
            .queue(3)
            .unwrap()
            .ecn
            .enabled
            .get()
    };
    assert_eq!(enabled(&text), None);
    let nvidia = text.replace("x86_64-dell_s6000_s1220-r0", "x86_64-nvidia_sn5600-r0");
    assert_eq!(enabled(&nvidia), Some(true));
    // Yellow and red alone do not mark RoCE; WRED then drops it.
    let yellow = changed(r#""ecn": "ecn_all""#, r#""ecn": "ecn_yellow_red""#);
    assert_eq!(enabled(&yellow), Some(false));
    let device = read(&yellow);
    assert_eq!(
        port(&device, "Ethernet0")
            .queue(3)
            .unwrap()
            .ecn
            .wred_drop
            .get(),
        Some(true)
    );
}

#[test]
fn preconditions_of_lossless_groups() {
    let lossless = |text: &str| {
        let device = read(text);
        let fact = port(&device, "Ethernet0")
            .priority_group(4)
            .unwrap()
            .lossless
            .clone();
        (
            fact.get(),
            fact.because()
                .map(|why| why.text().to_owned())
                .unwrap_or_default(),
        )
    };
    for (from, to, told) in [
        (r#""Ethernet0": "40m""#, r#""Ethernet0": "0m""#, "0m"),
        (r#""Ethernet0": "40m", "#, "", "CABLE_LENGTH"),
        (r#""admin_status": "up", "#, "", "admin_status"),
        (
            r#""ingress_lossless_pool": {"type": "ingress", "mode": "dynamic""#,
            r#""other_pool": {"type": "ingress", "mode": "dynamic""#,
            "ingress_lossless_pool",
        ),
    ] {
        let (lossless, why) = lossless(&changed(from, to));
        assert_eq!(lossless, Some(false), "{from}");
        assert!(why.contains(told), "{why}");
    }
    let speed = changed(r#""Ethernet0": {"speed": "100000", "#, r#""Ethernet0": {"#);
    assert_eq!(lossless(&speed).0, None);
    // The switch removes the groups of a port that is down on these ASICs.
    let down = changed(r#""admin_status": "up""#, r#""admin_status": "down""#);
    assert_eq!(lossless(&down).0, Some(true));
    let down = down.replace("x86_64-dell_s6000_s1220-r0", "x86_64-mlnx_msn2700-r0");
    assert_eq!(lossless(&down).0, Some(false));
}

#[test]
fn the_table_of_headroom_gives_sizes() {
    let table = "# speed cable size xon xoff threshold\n 100000 40m 58368 19456 38912 0\n";
    let device = testing::read(
        &Sonic,
        &[("l/config.json", LEAF), ("l/pg_profile_lookup.ini", table)],
    );
    let group = port(&device, "Ethernet0").priority_group(4).unwrap();
    assert_eq!(group.lossless.get(), Some(true));
    assert_eq!(group.buffer.headroom_bytes.get(), Some(38_912));
    assert_eq!(group.buffer.alpha.get(), Some(Milli::whole(1)));
    let other = table.replace("40m", "300m");
    let device = testing::read(
        &Sonic,
        &[("l/config.json", LEAF), ("l/pg_profile_lookup.ini", &other)],
    );
    assert_eq!(
        port(&device, "Ethernet0")
            .priority_group(4)
            .unwrap()
            .lossless
            .get(),
        Some(false)
    );
}

#[test]
fn the_dynamic_model_calculates_by_itself() {
    let device = read(&changed(
        r#""Ethernet0|3": {"profile": "lossless"}"#,
        r#""Ethernet0|3-4": {"profile": "NULL"}"#,
    ));
    let group = port(&device, "Ethernet0").priority_group(3).unwrap();
    assert_eq!(
        (group.lossless.get(), group.lossless.kind()),
        (Some(true), Kind::Default)
    );
    assert!(group.buffer.headroom_bytes.is_unknown());
    assert_eq!(device.notes.len(), 0, "{:?}", device.notes);
}

#[test]
fn bad_values_are_told_and_unknown() {
    for (from, to) in [
        (r#""pfc_enable": "3,4""#, r#""pfc_enable": "3,x""#),
        (
            r#""green_min_threshold": "1048576""#,
            r#""green_min_threshold": "abc""#,
        ),
        (r#""48": "6""#, r#""64": "6""#),
        (r#""type": "STRICT""#, r#""type": "PRIORITY""#),
        (r#""Ethernet0": "40m""#, r#""Ethernet0": "forty""#),
        (r#""PFC_WD": {"#, r#""PFC_WD_EXTRA": {}, "PFC_WD": {"#),
        (
            r#""green_min_threshold": "1048576""#,
            r#""green_min_threshold": "4294967296""#,
        ),
    ] {
        let device = read(&changed(from, to));
        assert_eq!(
            notes(&device, NoteKind::Unparsed).len(),
            1,
            "{to}: {:?}",
            device.notes
        );
    }
    let device = read(&changed(r#""pfc_enable": "3,4""#, r#""pfc_enable": "3,x""#));
    assert!(port(&device, "Ethernet0").pfc.enabled.is_unknown());
    // Fields that later releases bring do no harm.
    let device = read(&changed(
        r#""ecn": "ecn_all""#,
        r#""green_ect_min_threshold": "1", "ecn": "ecn_all""#,
    ));
    assert_eq!(notes(&device, NoteKind::Remark).len(), 1);
    assert_eq!(device.notes.len(), 1);
}

#[test]
fn the_map_of_the_whole_switch() {
    let global = |tos: &str| {
        changed(
            r#""DSCP_TO_TC_MAP": {"#,
            &format!(r#""DSCP_TO_TC_MAP": {{"G": {{"{tos}": "3"}}, "#),
        )
        .replace(
            r#""PORT_QOS_MAP": {"#,
            r#""PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "G"}, "#,
        )
    };
    let device = read(&global("26"));
    let other = port(&device, "Ethernet4");
    assert_eq!(other.trust.get(), Some(Trust::Dscp));
    assert_eq!(other.maps.value(MapName::DscpToTc, 26), Some(3));
    assert_eq!(
        port(&device, "Ethernet0").maps.value(MapName::DscpToTc, 26),
        Some(1)
    );
    assert!(device.ports.iter().all(|port| port.name != "global"));
}

#[test]
fn asymmetric_pfc_and_a_field_in_the_wrong_table() {
    let device = read(&changed(
        r#""fec": "rs""#,
        r#""pfc_asym": "on", "pfc_enable": "5""#,
    ));
    let port = port(&device, "Ethernet0");
    assert_eq!(port.pfc.rx.get(), Some(Priorities::from_mask(0xff)));
    assert_eq!(port.pfc.tx.get(), Some(set(&[3, 4])));
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3, 4])));
    assert_eq!(notes(&device, NoteKind::Conflict).len(), 1);
}

#[test]
fn show_pfc_priority_alone() {
    let text = "\nInterface    Lossless priorities\n-----------  ---------------------\nEthernet0    3,4\nEthernet4    N/A\n";
    let device = testing::read(&Sonic, &[("leaf1.txt", text)]);
    let first = port(&device, "Ethernet0");
    assert_eq!(
        first.pfc.enabled,
        Fact::explicit(set(&[3, 4]), first.pfc.enabled.at())
    );
    assert_eq!(at(text, &first.pfc.enabled), "3,4");
    assert!(first.pfc.operational.is_unknown() && first.trust.is_unknown());
    assert_eq!(
        port(&device, "Ethernet4").pfc.enabled.get(),
        Some(Priorities::NONE)
    );
    assert!(first.queues.is_empty());
}

#[test]
fn the_watchdog_as_shown() {
    let text = "Changed polling interval to 600ms\n     PORT    ACTION    DETECTION TIME    RESTORATION TIME\n---------  --------  ----------------  ------------------\nEthernet0      drop               600            infinite\n";
    let device = testing::read(
        &Sonic,
        &[
            ("leaf1/a.txt", text),
            (
                "leaf1/b.json",
                &LEAF.replace(
                    r#", "Ethernet0": {"detection_time": "200", "restoration_time": "400"}"#,
                    "",
                ),
            ),
        ],
    );
    let watchdog = &port(&device, "Ethernet0").pfc.watchdog;
    assert_eq!(
        (watchdog.enabled.get(), watchdog.detection_ms.get()),
        (Some(true), Some(600))
    );
    assert!(watchdog.restoration_ms.is_unknown());
    assert_eq!(watchdog.detection_ms.at().capture(), Some(0));
    assert_eq!(
        port(&device, "Ethernet4").pfc.watchdog.enabled.get(),
        Some(false)
    );
}

const STATS: &str = "      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    TX LAST OK/DROP    RX LAST OK/DROP\n-----------  -----------  -------------------------  ------------  ------------  -----------------  -----------------\n";

#[test]
fn storms_of_the_watchdog() {
    let rows = "Ethernet0:3      stormed                        3/2       100/300       100/300              0/200              0/200\nEthernet4:3  operational                        2/2       100/100       100/100                0/0                0/0\n";
    let device = testing::read(&Sonic, &[("leaf1.txt", &format!("{STATS}{rows}"))]);
    let stormed = port(&device, "Ethernet0");
    assert_eq!(stormed.pfc.watchdog.stormed.get(), Some(set(&[3])));
    assert_eq!(
        stormed.counters.as_ref().unwrap().watchdog_trips.get(),
        Some(3)
    );
    assert_eq!(
        port(&device, "Ethernet4").pfc.watchdog.stormed.get(),
        Some(Priorities::NONE)
    );
    // An empty table proves nothing.
    let device = testing::read(&Sonic, &[("leaf1/a.txt", STATS), ("leaf1/b.json", LEAF)]);
    assert!(port(&device, "Ethernet0").pfc.watchdog.stormed.is_unknown());
}

#[test]
fn pause_counters_filtered_negative_and_cut() {
    let text = "Last cached time was 2020-10-01 13:15:55\n    Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n  Ethernet0       0       0       0  15,437      -2       0     N/A       0\nEthernet8       0       7\n";
    let device = testing::read(&Sonic, &[("leaf1.txt", text)]);
    let counters = port(&device, "Ethernet0").counters.as_ref().unwrap();
    assert_eq!(counters.by_priority[&3].rx_pause.get(), Some(15_437));
    assert_eq!(counters.by_priority[&4].rx_pause.get(), Some(-2));
    assert!(!counters.by_priority.contains_key(&6));
    assert!(counters.by_priority[&3].tx_pause.is_unknown());
    assert_eq!(notes(&device, NoteKind::Failed).len(), 1);
    // The last cell of a cut row may lack digits.
    let cut = port(&device, "Ethernet8").counters.as_ref().unwrap();
    assert_eq!(cut.by_priority[&0].rx_pause.get(), Some(0));
    assert!(!cut.by_priority.contains_key(&1));
}

#[test]
fn counters_that_are_off_are_unknown() {
    let table = "Ingress PG dropped packets:\n     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7\n---------  -----  -----  -----  -----  -----  -----  -----  -----\nEthernet0    800    801    802    803    804    805    806    807\n";
    let drops = |text: &str| {
        let device = testing::read(&Sonic, &[("leaf1.txt", text)]);
        port(&device, "Ethernet0")
            .counters
            .as_ref()
            .unwrap()
            .by_priority[&3]
            .drops
            .clone()
    };
    assert_eq!(drops(table).get(), Some(803));
    let stale =
        format!("Warning: PG counters are disabled. Current stats may be outdated.\n{table}");
    assert!(drops(&stale).is_unknown());
}

#[test]
fn queue_counters() {
    let queues = "For namespace :\n     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n---------  -----  --------------  ---------------  -----------  ------------\nEthernet0    UC3              52           303,104           19            76\nEthernet0   MC10              83               96           74             9\nEthernet0  ALL20             N/A              N/A          N/A           N/A\n";
    let marks = "     Port    TxQ    WredDrp/pkts    WredDrp/bytes    EcnMarked/pkts    EcnMarked/bytes\n---------  -----  --------------  ---------------  ----------------  -----------------\nEthernet0    UC3               0                0                74            303,104\nEthernet0    UC4               0                0                 6                  1\n";
    let device = testing::read(&Sonic, &[("l/q.txt", queues), ("l/w.txt", marks)]);
    let counters = port(&device, "Ethernet0").counters.as_ref().unwrap();
    assert_eq!(counters.by_priority[&3].tx_bytes.get(), Some(303_104));
    assert_eq!(counters.by_priority[&3].drops.get(), Some(19));
    assert_eq!(counters.by_priority.len(), 1);
    assert_eq!(counters.ecn_marked.get(), Some(80));
}

#[test]
fn state_and_version_as_shown() {
    let status = "      Interface            Lanes    Speed    MTU    FEC      Alias             Vlan    Oper    Admin               Type    Asym PFC\n---------------  ---------------  -------  -----  -----  ---------  ---------------  ------  -------  -----------------  ----------\n      Ethernet0              0,1      25G   9100     rs       etp9  PortChannel1001    down       up  QSFP28 or later         off\n";
    let version = "SONiC Software Version: SONiC.202311.1-abc\nHwSKU: Mellanox-SN4600C\n";
    let device = testing::read(&Sonic, &[("l/s.txt", status), ("l/v.txt", version)]);
    let port = port(&device, "Ethernet0");
    assert_eq!(
        (port.oper.get(), port.admin.get()),
        (Some(State::Down), Some(State::Up))
    );
    assert_eq!(
        (port.speed_mbps.get(), port.mtu.ip.get()),
        (Some(25_000), Some(9100))
    );
    assert_eq!(device.os_version.value().unwrap(), "202311.1-abc");
    assert_eq!(device.hardware.value().unwrap(), "Mellanox-SN4600C");
}

#[test]
fn profiles_and_pools_as_shown() {
    let ecn = "Profile: AZURE_LOSSLESS\n-----------------------  -------\necn                      ecn_all\ngreen_min_threshold      123\ngreen_max_threshold      122\n-----------------------  -------\n";
    let pools = "Lossless traffic pattern:\n--------------------  -\nover_subscribe_ratio  2\n--------------------  -\n\nPool: ingress_lossless_pool\n----  -------\nmode  dynamic\ntype  ingress\nsize  4580864\n----  -------\n\nProfile: headroom_profile\n----------  ---------------------\npool        ingress_lossless_pool\nxoff        32768\ndynamic_th  0\n----------  ---------------------\n";
    let device = testing::read(&Sonic, &[("l/e.txt", ecn), ("l/p.txt", pools)]);
    assert_eq!(notes(&device, NoteKind::Conflict).len(), 1);
    let pool = device.pool("ingress_lossless_pool").unwrap();
    assert_eq!(pool.size_bytes.get(), Some(4_580_864));
    assert_eq!(at(pools, &pool.size_bytes), "4580864");
    assert_eq!(pool.oversubscription.get(), Some(Milli::whole(2)));
}

#[test]
fn captures_are_told_apart() {
    let command = |text: &str| {
        let capture = Capture::new("x", text);
        Sonic
            .recognise(&capture)
            .map(|found| (found.spec.command, found.certainty))
    };
    assert_eq!(command(LEAF), Some((CONFIG, Certainty::Sure)));
    assert_eq!(
        command(r#"{"PORT": {}}"#),
        Some((CONFIG, Certainty::Likely))
    );
    assert_eq!(command(r#"{"PFC_WD_STATUS": "operational"}"#), None);
    assert_eq!(command(STATS).map(|c| c.0), Some(WATCHDOG_STATS));
    assert_eq!(
        command("Ingress headroom per PG:\n").map(|c| c.0),
        Some(WATERMARKS)
    );
    assert_eq!(command("interface Ethernet1\n mtu 9214\n"), None);
    assert_eq!(command(""), None);
}

#[test]
fn commands_that_mend() {
    let device = read(LEAF);
    let fix = |remedy| Sonic.fix(&device, "Ethernet0", &remedy);
    assert_eq!(
        fix(Remedy::Pfc {
            priorities: set(&[3])
        }),
        ["sonic-db-cli CONFIG_DB hset 'PORT_QOS_MAP|Ethernet0' pfc_enable 3"]
    );
    assert_eq!(
        fix(Remedy::Mtu { ip_bytes: 9100 }),
        ["config interface mtu Ethernet0 9100"]
    );
    assert_eq!(
        Sonic
            .fix(&device, "Ethernet999", &Remedy::Mtu { ip_bytes: 9100 })
            .len(),
        0
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_damage_makes_it_panic(cut in 0..LEAF.len(), at in 0..LEAF.len(), byte in 0u8..128) {
        let mut bytes = LEAF.as_bytes().to_vec();
        bytes[at] = byte;
        bytes.truncate(cut.max(1));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        read(&text);
    }

    #[test]
    fn no_change_of_a_byte_makes_it_panic(at in 0..LEAF.len(), byte in 0u8..128) {
        let mut bytes = LEAF.as_bytes().to_vec();
        bytes[at] = byte;
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_text_makes_it_panic(head in prop::sample::select(vec![STATS, "    Port Rx    PFC0    PFC1\n", "Profile: a\n---  ---\n", "Asym PFC Lanes\n----  ---\n"]), rest in "[ -~\n]{0,200}") {
        testing::read(&Sonic, &[("x.txt", &format!("{head}{rest}"))]);
    }
}

#[test]
fn show_buffer_information_completes_a_pool_without_size() {
    let config = changed(r#""size": "33554432", "#, "");
    let shown = "Pool: ingress_lossless_pool\n----  -------\nmode  dynamic\n\
                 size  4580800\ntype  ingress\n----  -------\n\n";
    let files = [("l/config_db.json", config.as_str()), ("l/p.txt", shown)];
    let device = testing::read(&Sonic, &files);
    let pool = device.pool("ingress_lossless_pool").unwrap();
    assert_eq!(pool.size_bytes.get(), Some(4_580_800));
    assert_eq!(pool.headroom_bytes.get(), Some(3_145_728));
    assert_eq!(device.buffer_pools.len(), 2);
}

#[test]
fn the_big_red_switch_is_told_from_the_configuration_and_from_show() {
    let shown = |state: &str| {
        format!(
            "Changed polling interval to 200ms\nBIG_RED_SWITCH status is {state}\n\
             \x20    PORT    ACTION    DETECTION TIME    RESTORATION TIME\n\
             ---------  --------  ----------------  ------------------\n\
             Ethernet0      drop               200                 200\n"
        )
    };
    let told = |text: &str| {
        notes(
            &testing::read(&Sonic, &[("l/w.txt", text)]),
            NoteKind::Override,
        )
        .len()
    };
    assert_eq!(told(&shown("enable")), 1);
    assert_eq!(told(&shown("enable on asic0")), 1);
    assert_eq!(told(&shown("disable")), 0);
}
