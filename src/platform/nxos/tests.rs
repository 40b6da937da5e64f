use super::*;
use crate::model::{NoteKind, PfcMode, Trust};
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/nxos/10.3/good/raw/leaf1.cfg");

fn read(text: &str) -> Device {
    read_all(&Nxos, &[("leaf1.cfg", text)])
}

fn changed(from: &str, to: &str) -> Device {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?}");
    read(&GOOD.replace(from, to))
}

#[test]
fn values_point_at_their_lines() {
    let device = read(GOOD);
    let port = device.port("Ethernet1/1").unwrap();
    assert_eq!(at(GOOD, &port.pfc.tx), "priority-flow-control mode on");
    assert_eq!(at(GOOD, &port.mtu.ip), "mtu 9216");
    assert_eq!(
        at(GOOD, &port.trust),
        "service-policy type qos input CLASSIFY"
    );
    let dscp = port.maps.get(MapName::DscpToTc).value().unwrap();
    let line = dscp.get(26).unwrap().at;
    assert!(GOOD[line.offset()..].starts_with("set qos-group 3"));
    assert!(dscp.get(0).unwrap().default.is_some());
}

#[test]
fn code_points_by_name() {
    for (name, code) in [
        ("af11", 10),
        ("af31", 26),
        ("af43", 38),
        ("cs6", 48),
        ("ef", 46),
        ("default", 0),
        ("63", 63),
    ] {
        assert_eq!(code_point(name), Some(code), "{name}");
    }
    for name in ["af14", "af51", "cs8", "64", "", "af", "af311"] {
        assert_eq!(code_point(name), None, "{name}");
    }
}

#[test]
fn bitmaps_are_hexadecimal() {
    let table = "Port               Mode Oper(VL bmap)  RxPPP      TxPPP\n\
        Ethernet1/1        Auto On   (9)       4088353    1890\n\
        Ethernet1/2        Auto On  (20)       0    0\n\
        Ethernet1/3        Auto Off           7316       762946\n\
        Br-Ethernet1/17/1  Auto Off           373112640  5422273\n";
    let device = read_all(&Nxos, &[("leaf1.txt", table)]);
    let now = |name: &str| device.port(name).unwrap().pfc.operational.get();
    assert_eq!(now("Ethernet1/1"), Some(set(&[0, 3])));
    assert_eq!(now("Ethernet1/2"), Some(set(&[5])));
    assert_eq!(now("Ethernet1/3"), Some(set(&[])));
    assert_eq!(device.ports.len(), 3);
    assert_eq!(device.ports[0].pfc.mode.get(), Some(PfcMode::Auto));
}

#[test]
fn a_row_may_be_an_object_or_a_list() {
    let row = r#"{"if_name_str": "Ethernet1/1", "admin": "On", "oper": "On", "vl-bmap": "(8)", "rx-stats": "4", "tx-stats": "7"}"#;
    for rows in [row.to_owned(), format!("[{row}]")] {
        for module in [
            "{\"TABLE_module\": {\"ROW_module\": X}}",
            "{\"TABLE_module\": {\"ROW_module\": [X]}}",
            "{\"result\": {\"body\": {\"TABLE_module\": {\"ROW_module\": X}}}}",
        ] {
            let inner = format!("{{\"TABLE_pfc_interface\": {{\"ROW_pfc_interface\": {rows}}}}}");
            let json = module.replace('X', &inner);
            let device = read_all(&Nxos, &[("leaf1.json", &json)]);
            let port = device.port("Ethernet1/1").unwrap();
            assert_eq!(port.pfc.operational.get(), Some(set(&[3])), "{json}");
            let counted = &port.counters.as_ref().unwrap().by_priority[&3];
            assert_eq!(
                (counted.rx_pause.get(), counted.tx_pause.get()),
                (Some(4), Some(7))
            );
        }
    }
}

#[test]
fn what_the_grammar_does_not_know_is_told_and_not_counted() {
    for line in [
        "feature qos",
        "hardware pfc-watchdog on",
        "qos dscp 26",
        "ecn-threshold 70",
    ] {
        let device = changed("feature bgp\n", &format!("{line}\n"));
        let told = notes(&device, NoteKind::Unparsed).len();
        assert_eq!(
            told,
            usize::from(line != "hardware pfc-watchdog on" && line != "ecn-threshold 70"),
            "{line}"
        );
    }
    let device = changed("    pause pfc-cos 3\n", "    pause cos 3\n");
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1);
    assert_eq!(
        device.port("Ethernet1/1").unwrap().pfc.tx.get(),
        Some(set(&[]))
    );
    let device = changed("    set qos-group 3\n", "    set qos-group 9\n");
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1);
}

#[test]
fn policies_that_lead_in_circles_end() {
    let text = format!(
        "{GOOD}\npolicy-map type qos CLASSIFY\n  class CLASSIFY\n    set qos-group 3\nclass-map type qos match-any CLASSIFY\n  match access-group name CLASSIFY\n"
    );
    read(&text);
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let json = |device: &Device| crate::model::json::device(device).to_string();
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("  ", "\t"))), good);
    assert_eq!(json(&read(&GOOD.replace("\n\n", "\n!\n"))), good);
    assert!(
        read(GOOD).port("Ethernet1/9").is_none(),
        "a banner is no configuration"
    );
}

#[test]
fn classes_without_a_type_are_of_type_qos() {
    let device = changed(
        "class-map type qos match-any ROCE\n",
        "class-map match-all ROCE\n",
    );
    assert_eq!(
        device
            .port("Ethernet1/1")
            .unwrap()
            .maps
            .value(MapName::DscpToTc, 26),
        Some(3)
    );
    assert_eq!(
        device.port("Ethernet1/1").unwrap().trust.get(),
        Some(Trust::Dscp)
    );
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(interface Ethernet1/[0-9,-]{1,4}|policy-map type (qos|queuing|network-qos) A|class (type queuing )?c-out-8q-q3|system qos|priority-flow-control |match dscp |random-detect |[ !0-9a-z\t]|\r?\n){0,60}") {
        read(&text);
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        prop_assert!(read(&GOOD[..end]).ports.len() <= 4);
    }
}
