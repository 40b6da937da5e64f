use super::*;
use crate::model::{
    Dcbx, GidType, Kind, LinkType, MapName, NoteKind, PfcMode, Priorities, SchedulerKind, Trust,
};
use proptest::prelude::*;

/// A capture: source, command (empty: none), text.
pub(super) type Text<'a> = (&'a str, &'a str, &'a str);

fn captures(texts: &[Text<'_>]) -> Vec<Capture> {
    let lines = (1u32..).step_by(100);
    let make = |((source, command, text), first_line): (&Text<'_>, u32)| Capture {
        source: (*source).into(),
        command: (!command.is_empty()).then(|| (*command).to_owned()),
        first_line,
        text: (*text).to_owned(),
    };
    texts.iter().zip(lines).map(make).collect()
}

fn read_captures(captures: &[Capture]) -> Device {
    let recognised = |capture| Linux.recognise(capture).map(|found| found.spec);
    let pairs: Vec<_> = captures.iter().map(|c| (c, recognised(c))).collect();
    Linux.read("gpu01", &pairs)
}

pub(super) fn read(texts: &[Text<'_>]) -> Device {
    read_captures(&captures(texts))
}

pub(super) fn only(device: &Device) -> &Port {
    let names: Vec<&str> = device.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    &device.ports[0]
}

pub(super) fn set(priorities: &[u8]) -> Option<Priorities> {
    Some(priorities.iter().copied().collect())
}

pub(super) fn nic(port: &Port) -> &crate::model::Nic {
    port.nic.as_deref().unwrap()
}

/// Trust dscp, DSCP 26 moved to 5, whose row wraps.
pub(super) const REMAPPED: &str =
    "****** WARNING: lldpad service is running and may overwrite your settings ******
DCBX mode: Firmware controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:07,06,05,04,03,02,01,00,
\tprio:1 dscp:15,14,13,12,11,10,09,08,
\tprio:2 dscp:23,22,21,20,19,18,17,16,
\tprio:3 dscp:31,30,29,28,27,25,24,
\tprio:4 dscp:39,38,37,36,35,34,33,32,
\tprio:5 dscp:26,47,46,45,44,43,42,41,
\tprio:5 dscp:40,
\tprio:6 dscp:55,54,53,52,51,50,49,48,
\tprio:7 dscp:63,62,61,60,59,58,57,56,
Receive buffer size (bytes): 20016,156096,0,0,0,0,0,0,max_buffer_size=1027728
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0   
\tbuffer      0   0   0   1   0   0   0   0   
tc: 0 ratelimit: unlimited, tsa: ets, bw: 30%
\t priority:  0
tc: 3 ratelimit: unlimited, tsa: ets, bw: 70%
\t priority:  3
tc: 6 ratelimit: unlimited, tsa: strict
\t priority:  6
tc: 7 ratelimit: unlimited, tsa: vendor
\t priority:  7
";

#[test]
fn mlnx_qos_in_full() {
    let device = read(&[("qos.log", "mlnx_qos -i ens1f0np0", REMAPPED)]);
    let port = only(&device);
    assert_eq!(port.name, "ens1f0np0");
    assert_eq!(port.trust.get(), Some(Trust::Dscp));
    assert_eq!(port.pfc.enabled.get(), set(&[3]));
    assert_eq!(port.pfc.mode.get(), Some(PfcMode::Auto));
    assert_eq!(nic(port).dcbx.get(), Some(Dcbx::Firmware));
    assert_eq!(nic(port).overwritten_by.value().unwrap(), "lldpad");
    let map = port.maps.get(MapName::DscpToTc).value().unwrap();
    assert!(map.complete);
    assert_eq!(
        (map.value(26), map.value(40), map.value(25)),
        (Some(5), Some(5), Some(3))
    );
    assert_eq!(port.maps.value(MapName::TcToPg, 3), Some(1));
    let group = port.priority_group(1).unwrap();
    assert_eq!(group.lossless.get(), Some(true));
    assert_eq!(group.buffer.reserved_bytes.get(), Some(156_096));
    assert_eq!(port.priority_group(0).unwrap().lossless.get(), Some(false));
    assert_eq!(port.priority_groups.len(), 8);
    let queue = port.queue(3).unwrap();
    assert_eq!(queue.scheduler.get(), Some(SchedulerKind::Weighted));
    assert_eq!(
        queue.share_percent.get(),
        Some(crate::model::Milli::whole(70))
    );
    assert_eq!(queue.lossless.get(), Some(true));
    assert_eq!(
        port.queue(6).unwrap().scheduler.get(),
        Some(SchedulerKind::Strict)
    );
    assert!(port.queue(7).unwrap().scheduler.is_unknown());
}

#[test]
fn trust_pcp_leaves_the_dscp_map_unknown() {
    let text = "DCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n\
        \tenabled     0   0   0   0   0   1   0   0\n";
    let device = read(&[("a.log", "mlnx_qos -i eth2", text)]);
    let port = only(&device);
    assert_eq!(port.trust.get(), Some(Trust::Pcp));
    assert_eq!(port.pfc.enabled.get(), set(&[5]));
    assert_eq!(port.pfc.mode.get(), Some(PfcMode::On));
    let map = port.maps.get(MapName::DscpToTc);
    assert!(map.because().unwrap().text().contains("trusts pcp"));
    assert_eq!(port.maps.value(MapName::PcpToTc, 3), Some(3));
}

#[test]
fn what_a_shortened_map_leaves_out_is_unknown() {
    let device = read(&[
        (
            "a.log",
            "cat /sys/class/infiniband/mlx5_{1..8}/tc/1/traffic_class",
            "Global tclass=236          # DSCP 59\n",
        ),
        (
            "a.log",
            "mlnx_qos -i eth1",
            "Priority trust state: dscp\ndscp2prio mapping:  prio:0 dscp:07,...,00   prio:5 dscp:59\n\
             PFC configuration:  enabled 0 0 0 0 0 1 0 0\n",
        ),
    ]);
    let port = only(&device);
    let map = port.maps.get(MapName::DscpToTc).value().unwrap();
    assert!(!map.complete);
    assert_eq!(
        (map.value(59), map.value(26), map.value(3)),
        (Some(5), None, None)
    );
    assert_eq!(nic(port).tos_dscp.get(), Some(59));
    assert_eq!(port.pfc.enabled.get(), set(&[5]));
}

#[test]
fn a_cut_pfc_row_is_no_answer() {
    let text = "Priority trust state: dscp\nPFC configuration:\n\tenabled     0   0   0\n";
    let device = read(&[("a.log", "mlnx_qos -i eth1", text)]);
    assert!(only(&device).pfc.enabled.is_unknown());
    assert!(
        device
            .notes
            .iter()
            .any(|note| note.kind == NoteKind::Failed)
    );
}

#[test]
fn dcb_json_of_old_and_new_releases() {
    for app in [
        r#"{"dscp_prio":[[26,3],[48,6]]}"#,
        r#"{"dscp_prio":[[26,3," "],[48,6," "]]}"#,
    ] {
        let device = read(&[
            ("a.log", "dcb -j app show dev eth0", app),
            (
                "a.log",
                "dcb -j pfc show dev eth0",
                r#"{"pfc_cap":8,"prio_pfc":[false,false,false,true,false,false,false,false],"requests":[0,0,0,7,0,0,0,0]}"#,
            ),
            (
                "a.log",
                "dcb -j buffer show dev eth0",
                r#"{"prio_buffer":[0,0,0,1,0,0,0,0],"buffer_size":[19872,220896,0,0,0,0,0,0],"total_size":240768}"#,
            ),
            (
                "a.log",
                "dcb -j ets show dev eth0",
                r#"{"willing":false,"tc_bw":[10,0,0,90,0,0,0,0],"tc_tsa":["ets","ets","strict","ets","vendor","ets","strict","ets"],"prio_tc":[0,1,2,3,4,5,6,7]}"#,
            ),
        ]);
        let port = only(&device);
        assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(3));
        assert_eq!(port.maps.value(MapName::DscpToTc, 48), Some(6));
        assert!(!port.maps.get(MapName::DscpToTc).value().unwrap().complete);
        assert_eq!(port.trust.kind(), Kind::Default);
        assert_eq!(port.trust.get(), Some(Trust::Dscp));
        assert_eq!(port.pfc.enabled.get(), set(&[3]));
        assert!(port.pfc.mode.is_unknown());
        let group = port.priority_group(1).unwrap();
        assert_eq!(group.buffer.reserved_bytes.get(), Some(220_896));
        assert_eq!(group.lossless.get(), Some(true));
        assert_eq!(
            port.queue(3).unwrap().share_percent.get(),
            Some(crate::model::Milli::whole(90))
        );
        assert_eq!(
            port.queue(2).unwrap().scheduler.get(),
            Some(SchedulerKind::Strict)
        );
        assert!(!port.queue(4).unwrap().share_percent.is_known());
        let counters = port.counters.as_ref().unwrap();
        assert_eq!(counters.by_priority[&3].tx_pause.get(), Some(7));
    }
}

#[test]
fn dcb_text_names_code_points() {
    let device = read(&[
        (
            "a.log",
            "dcb app show dev ens6",
            "dscp-prio AF31:3 CS6:6 EF:5 LE:0 12:1\n",
        ),
        ("a.log", "dcb apptrust show dev ens6", "order: dscp pcp\n"),
        (
            "a.log",
            "dcb pfc show dev ens6",
            "pfc-cap 8 prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off delay 0\n",
        ),
    ]);
    let port = only(&device);
    let map = port.maps.get(MapName::DscpToTc).value().unwrap();
    let entries: Vec<_> = map.entries().iter().map(|e| (e.key, e.value)).collect();
    assert_eq!(entries, [(1, 0), (12, 1), (26, 3), (46, 5), (48, 6)]);
    assert_eq!(port.trust.get(), Some(Trust::Both));
    assert_eq!(port.pfc.enabled.get(), set(&[3]));
}

#[test]
fn code_points_by_name() {
    for (name, code) in [
        ("CS0", Some(0)),
        ("CS3", Some(24)),
        ("CS7", Some(56)),
        ("AF11", Some(10)),
        ("AF43", Some(38)),
        ("af31", Some(26)),
        ("EF", Some(46)),
        ("63", Some(63)),
        ("64", None),
        ("AF51", None),
        ("CS8", None),
        ("AF", None),
        ("é", None),
        ("", None),
    ] {
        assert_eq!(parse::dcb::dscp(name), code, "{name}");
    }
}

#[test]
fn a_silent_app_table_maps_nothing() {
    for (command, text) in [
        ("dcb app show dev ens6", ""),
        ("dcb -j app show dev ens6", "{}"),
        (
            "",
            "--- PFC Status ---\nprio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\n\
              --- DSCP/Priority Mapping ---\n(empty = no mapping configured)\n",
        ),
    ] {
        let device = read(&[("a.log", command, text)]);
        let map = only(&device).maps.get(MapName::DscpToTc).value().unwrap();
        assert!(map.complete && map.entries().is_empty(), "{command}");
        // What another driver than mlx5 trusts then is not documented.
        assert!(only(&device).trust.is_unknown());
    }
    let device = read(&[
        ("a.log", "dcb app show dev ens6", ""),
        (
            "a.log",
            "rdma link",
            "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens6\n",
        ),
    ]);
    assert_eq!(only(&device).trust.get(), Some(Trust::Pcp));
    assert_eq!(only(&device).trust.kind(), Kind::Default);
}

const THREE_COLUMNS: &str = "
Device #1:
----------

Device type:        ConnectX4LX
Name:               N/A
Description:        N/A
Device:             3b:00.0

Configurations:                          Default              Current              Next Boot
        CNP_802P_PRIO_P1                 6                    6                    6
        CNP_DSCP_P1                      48                   48                   48
        CNP_DSCP_P2                      48                   46                   46
*       ROCE_CONTROL                     ROCE_ENABLE(2)       DEVICE_DEFAULT(0)    ROCE_ENABLE(2)
        LLDP_NB_DCBX_P1                  False(0)             True(1)              True(1)
*   RO  LINK_TYPE_P1                     IB(1)                ETH(2)               ETH(2)
        CUT_ROW_P1                       4                    4
";

#[test]
fn mlxconfig_keeps_its_three_layers() {
    let device = read(&[("a.log", "mstconfig -d 3b:00.0 -e q", THREE_COLUMNS)]);
    let nic = nic(only(&device));
    assert_eq!(nic.pci.value().unwrap(), "0000:3b:00.0");
    assert_eq!(nic.model.value().unwrap(), "ConnectX4LX");
    let control = &nic.nv["ROCE_CONTROL"];
    assert_eq!(control.current.value().unwrap().number, Some(0));
    assert_eq!(control.next.value().unwrap().text, "ROCE_ENABLE(2)");
    assert_eq!(nic.link_type.get(), Some(LinkType::Ethernet));
    assert_eq!(
        (nic.dcqcn.cnp_dscp.kind(), nic.dcqcn.cnp_dscp.get()),
        (Kind::Default, Some(48))
    );
    assert!(nic.overwritten_by.value().unwrap().contains("LLDP_NB_DCBX"));
    assert!(nic.dcqcn.rp_enabled.is_unknown());
    assert!(nic.nv["CUT_ROW_P1"].next.is_unknown());
    assert_eq!(
        nic.nv["CNP_DSCP_P2"].current.value().unwrap().number,
        Some(46)
    );
    assert!(
        device
            .notes
            .iter()
            .any(|note| note.kind == NoteKind::Failed)
    );
}

#[test]
fn parameters_of_port_two_belong_to_the_second_function() {
    let device = read(&[
        ("gpu01/mst.txt", "", THREE_COLUMNS),
        (
            "gpu01/i0.txt",
            "ethtool -i ens1f0np0",
            "driver: mlx5_core\nfirmware-version: 14.32.1010 (MT_2420110034)\nbus-info: 0000:3b:00.0\n",
        ),
        (
            "gpu01/i1.txt",
            "ethtool -i ens1f1np1",
            "driver: mlx5_core\nfirmware-version: 14.32.1010 (MT_2420110034)\nbus-info: 0000:3b:00.1\n",
        ),
    ]);
    assert_eq!(device.ports.len(), 2);
    let first = nic(device.port("ens1f0np0").unwrap());
    let second = nic(device.port("ens1f1np1").unwrap());
    assert!(first.nv.contains_key("CNP_DSCP_P1") && !first.nv.contains_key("CNP_DSCP_P2"));
    assert_eq!(second.dcqcn.cnp_dscp.get(), Some(46));
    assert_eq!(first.firmware.value().unwrap(), "14.32.1010");
    assert_eq!(first.part.value().unwrap(), "MT_2420110034");
}

#[test]
fn mlxconfig_in_one_column_and_json() {
    let one = "         CNP_802P_PRIO_P1                    6\n         CNP_DSCP_P1      48\n";
    let device = read(&[("a.txt", "", one)]);
    let parameter = &nic(only(&device)).nv["CNP_DSCP_P1"];
    assert_eq!(parameter.next.value().unwrap().number, Some(48));
    assert!(parameter.current.is_unknown());
    assert!(nic(only(&device)).dcqcn.cnp_dscp.is_unknown());
    let json = r#"{"Device #1":{"device_type":"ConnectX7","device":"0000:3b:00.0","tlv_configuration":{"CNP_DSCP_P1":{"read_only":false,"next_value":46,"modified":true,"default_value":48,"current_value":48},"ROCE_CONTROL":{"next_value":"ROCE_ENABLE(2)"}}}}"#;
    let device = read(&[("a.json", "", json)]);
    let nv = &nic(only(&device)).nv;
    assert_eq!(nv["CNP_DSCP_P1"].next.value().unwrap().number, Some(46));
    assert_eq!(nv["CNP_DSCP_P1"].current.value().unwrap().number, Some(48));
    assert_eq!(nv["ROCE_CONTROL"].next.value().unwrap().number, Some(2));
}

#[test]
fn dcqcn_of_sysfs_and_debugfs() {
    let mut ecn = String::new();
    for priority in 0..8 {
        let on = u8::from(priority == 3);
        ecn += &format!("/sys/class/net/eth0/ecn/roce_rp/enable/{priority}: {on}\n");
        ecn += &format!("/sys/class/net/eth0/ecn/roce_np/enable/{priority}:{on}\n");
    }
    ecn += "/sys/class/net/eth0/ecn/roce_np/cnp_dscp: 48\n/sys/class/net/eth0/ecn/roce_np/cnp_802p_prio: 6\n\
            /sys/class/net/eth0/ecn/roce_rp/rpg_ai_rate: 5\n";
    let device = read(&[("a.txt", "", &ecn)]);
    let sysfs = &nic(only(&device)).dcqcn;
    assert_eq!(sysfs.rp_enabled.get(), set(&[3]));
    assert_eq!(sysfs.np_enabled.get(), Some(true));
    assert_eq!(
        (sysfs.cnp_dscp.get(), sysfs.cnp_priority.get()),
        (Some(48), Some(6))
    );
    assert_eq!(sysfs.params["rpg_ai_rate"].get(), Some(5));
    let path = "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params";
    let text = format!(
        "{path}/np_cnp_dscp:48\n{path}/np_cnp_prio_mode:1\n{path}/np_cnp_prio:6\n\
         {path}/rp_ai_rate:5\n{path}/rp_clamp_tgt_rate_ati:1\n{path}/rp_dce_tcp_g:1019\n"
    );
    let device = read(&[("b.txt", "", &text)]);
    let debugfs = &nic(only(&device)).dcqcn;
    assert_eq!(debugfs.cnp_dscp.get(), Some(48));
    assert!(
        debugfs
            .cnp_priority
            .because()
            .unwrap()
            .text()
            .contains("np_cnp_prio_mode")
    );
    let names: Vec<&str> = debugfs.params.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["clamp_tgt_rate_after_time_inc", "dce_tcp_g", "rpg_ai_rate"]
    );
}

#[test]
fn half_a_listing_does_not_say_off() {
    let device = read(&[(
        "a.txt",
        "cat /sys/class/net/eth0/ecn/roce_np/enable/3",
        "0\n",
    )]);
    let dcqcn = &nic(only(&device)).dcqcn;
    assert!(dcqcn.np_enabled.is_unknown() && dcqcn.rp_enabled.is_unknown());
}

#[test]
fn the_forced_class_wins_over_the_default_of_rdma_cm() {
    let class = "cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class";
    let tos = "cma_roce_tos -d mlx5_0";
    let marked = |texts: &[Text<'_>]| nic(only(&read(texts))).tos_dscp.clone();
    assert_eq!(
        marked(&[("a", class, "Global tclass=106\n"), ("a", tos, "0\n")]).get(),
        Some(26)
    );
    assert_eq!(marked(&[("a", tos, "106\n")]).get(), Some(26));
    let unset = marked(&[("a", class, "")]);
    assert!(
        unset
            .because()
            .unwrap()
            .text()
            .contains("application decides")
    );
    assert_eq!(
        marked(&[("a", class, ""), ("a", tos, "104\n")]).get(),
        Some(26)
    );
}

#[test]
fn gids_of_three_tools() {
    let show = "DEV\tPORT\tINDEX\tGID\t\t\tIPv4\t\tVER\tDEV\n---\t----\n\
        mlx5_0\t1\t1\tfe80:0000:0000:0000:0000:00ff:fe00:0001\t\t\tv2\tens1\n\
        mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a4d:010b\t10.77.1.11\tv2\tens1\nn_gids_found=2\n";
    let devinfo = "hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tactive_mtu:\t\t4096 (5)\n\t\t\tlink_layer:\t\tEthernet\n\
        \t\t\tGID[  1]:\t\tfe80::ff:fe00:1, RoCE v2\n\t\t\tGID[  3]:\t\t::ffff:10.77.1.11, RoCE v2\n";
    let ports = "/sys/class/infiniband/mlx5_0/ports/1";
    let sysfs = format!(
        "{ports}/gids/1:fe80:0000:0000:0000:0000:00ff:fe00:0001\n{ports}/gid_attrs/types/1:RoCE v2\n\
         {ports}/gids/2:0000:0000:0000:0000:0000:0000:0000:0000\n\
         {ports}/gids/3:0000:0000:0000:0000:0000:ffff:0a4d:010b\n{ports}/gid_attrs/types/3:RoCE v2\n"
    );
    for text in [show, devinfo, &sysfs] {
        let device = read(&[("a.txt", "", text)]);
        let gids = nic(only(&device)).gids.value().unwrap();
        let rows: Vec<_> = gids
            .iter()
            .map(|g| (g.index, g.kind, g.is_link_local(), g.is_ipv4()))
            .collect();
        let v2 = Some(GidType::RoceV2);
        assert_eq!(rows, [(1, v2, true, false), (3, v2, false, true)]);
    }
    let device = read(&[("a.txt", "", devinfo), ("b.txt", "", show)]);
    assert_eq!(only(&device).name, "ens1");
    assert_eq!(nic(only(&device)).rdma_mtu.get(), Some(4096));
}

const COUNTERS: &str = "NIC statistics:\n     rx_prio0_bytes: 10\n     rx_prio3_bytes: 20\n     \
    tx_prio3_bytes: 30\n     rx_prio3_pause: 5\n     tx_prio3_pause: 7\n     rx_prio3_discards: 2\n     \
    rx_discards_phy: 9\n     tx_pause_storm_error_events: 1\n";

#[test]
fn pause_keys_tell_what_is_in_force() {
    let device = read(&[("a", "ethtool -S ens1", COUNTERS)]);
    let port = only(&device);
    assert_eq!(port.pfc.operational.get(), set(&[3]));
    assert!(device.coverage.operational && device.coverage.counters);
    let counters = port.counters.as_ref().unwrap();
    let three = &counters.by_priority[&3];
    assert_eq!(
        (three.rx_pause.get(), three.tx_pause.get()),
        (Some(5), Some(7))
    );
    assert_eq!(
        (three.rx_bytes.get(), three.tx_bytes.get()),
        (Some(20), Some(30))
    );
    assert_eq!(three.drops.get(), Some(2));
    assert_eq!(
        (counters.drops.get(), counters.watchdog_trips.get()),
        (Some(9), Some(1))
    );
    let filtered = read(&[(
        "a",
        "ethtool -S ens1 | grep bytes",
        "     rx_prio3_bytes: 20\n",
    )]);
    assert!(only(&filtered).pfc.operational.is_unknown());
}

#[test]
fn two_samples_side_by_side_are_not_read() {
    let text = "     rx_prio0_packets: 49\t\t\t      |\t     rx_prio0_packets: 53     DIFF: 4\n";
    let device = read(&[("a", "ethtool -S ens8np0 | grep prio", text)]);
    assert!(only(&device).counters.is_none());
    assert!(
        device
            .notes
            .iter()
            .any(|note| note.kind == NoteKind::Failed)
    );
}

#[test]
fn a_sum_of_which_a_part_is_missing_is_unknown() {
    let folder = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters";
    let half = format!("{folder}/packet_seq_err: 1\n{folder}/out_of_sequence: 4\n");
    let device = read(&[("a", "", &half)]);
    let counters = only(&device).counters.as_ref().unwrap();
    assert!(counters.retransmits.is_unknown());
    assert_eq!(counters.out_of_sequence.get(), Some(4));
    let whole =
        format!("{half}{folder}/local_ack_timeout_err: 131\n{folder}/implied_nak_seq_err: 2\n");
    let device = read(&[("a", "", &whole)]);
    assert_eq!(
        only(&device).counters.as_ref().unwrap().retransmits.get(),
        Some(134)
    );
    assert!(device.coverage.counters && !device.coverage.config);
}

#[test]
fn what_a_refused_command_would_tell_is_unknown() {
    for (command, text, kind) in [
        (
            "mlnx_qos -i ens1",
            "bash: mlnx_qos: command not found\n",
            NoteKind::Failed,
        ),
        (
            "dcb pfc show dev ens1",
            "Attribute read: Operation not supported\n",
            NoteKind::Failed,
        ),
        ("", "mlnx_qos: Permission denied\n", NoteKind::Denied),
    ] {
        let device = read(&[("a.txt", command, text)]);
        let port = only(&device);
        assert!(
            port.pfc.enabled.is_unknown() && port.trust.is_unknown(),
            "{text}"
        );
        let why = port.pfc.enabled.because().unwrap();
        assert!(why.text().contains("could not be read"), "{why}");
        assert!(device.notes.iter().any(|note| note.kind == kind), "{text}");
    }
    let path = "cat /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp";
    let device = read(&[(
        "a",
        path,
        "cat: /sys/kernel/debug/mlx5: Permission denied\n",
    )]);
    assert!(
        nic(only(&device))
            .dcqcn
            .cnp_dscp
            .because()
            .unwrap()
            .text()
            .contains("denied")
    );
}

#[test]
fn commands_are_not_output() {
    let text = "mlnx_qos –i ens12f1 –trust=dscp\necho 106> /sys/class/infiniband/mlx5_0/tc/1/traffic_class\n";
    let device = read(&[("a.txt", "", text)]);
    assert!(device.ports.is_empty());
    let told = |kind, part: &str| {
        device
            .notes
            .iter()
            .any(|n| n.kind == kind && n.text.contains(part))
    };
    assert!(told(NoteKind::Unrecognised, "commands, not output"));
    assert!(told(NoteKind::Remark, "en dash"));
}

#[test]
fn other_tools_are_known_for_what_they_are() {
    let nccl = "# nccl-tests version 2.17.6\n#  size  count  type  algbw   busbw\n";
    assert!(
        read(&[("a", "", nccl)])
            .notes
            .iter()
            .any(|n| n.kind == NoteKind::Remark)
    );
    let banner = " Dual-port       : OFF\t\tDevice         : rxe0\n Number of qps   : 1\t\tTransport type : IB\n \
        Mtu             : 1024[B]\n Link type       : Ethernet\n rdma_cm QPs     : OFF\n";
    let device = read(&[("a", "", banner)]);
    let port = only(&device);
    assert_eq!(port.name, "rxe0");
    assert_eq!(nic(port).software.get(), Some(true));
    assert_eq!(nic(port).rdma_mtu.get(), Some(1024));
    assert_eq!(nic(port).link_type.get(), Some(LinkType::Ethernet));
    for text in [
        "",
        "interface Ethernet1\n mtu 9100\n",
        "{\"PORT\": {}}",
        "hello world",
    ] {
        assert!(
            Linux.recognise(&Capture::new("a", text)).is_none(),
            "{text}"
        );
    }
}

/// A host with one NIC, told by captures that name it in different ways.
const HOST: &[Text<'_>] = &[
    ("gpu01/mlnx_qos.txt", "", REMAPPED),
    (
        "gpu01/tclass.txt",
        "cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        "Global tclass=106\n",
    ),
    (
        "gpu01/mst.txt",
        "",
        "Device:  0000:3b:00.0\nConfigurations:   Next Boot\n  CNP_DSCP_P1   46\n",
    ),
    (
        "gpu01/rdma.json",
        "",
        r#"[{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"ens1f0np0"}]"#,
    ),
    (
        "gpu01/link.txt",
        "",
        "1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue state UNKNOWN\n2: ens1f0np0: <BROADCAST,UP> mtu 9000 qdisc mq state UP\n3: docker0: <BROADCAST> mtu 1500 state DOWN\n",
    ),
    (
        "gpu01/pause.txt",
        "",
        "Pause parameters for ens1f0np0:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n",
    ),
];

#[test]
fn captures_of_one_nic_meet_whatever_names_them() {
    let device = read(HOST);
    let port = only(&device);
    assert_eq!(port.name, "ens1f0np0");
    assert_eq!(port.pfc.enabled.get(), set(&[3]));
    assert_eq!(
        (port.mtu.ip.get(), port.link_pause.rx.get()),
        (Some(9000), Some(false))
    );
    let nic = nic(port);
    assert_eq!(nic.rdma_device.value().unwrap(), "mlx5_0");
    assert_eq!(
        (nic.tos_dscp.get(), nic.software.get()),
        (Some(26), Some(false))
    );
    assert_eq!(nic.nv["CNP_DSCP_P1"].next.value().unwrap().number, Some(46));
}

#[test]
fn a_file_name_can_name_the_port() {
    let device = read(&[
        ("gpu01/mlnx_qos_ens1f0np0.txt", "", REMAPPED),
        ("gpu01/mlnx_qos_ens1f1np1.txt", "", REMAPPED),
    ]);
    let names: Vec<&str> = device.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["ens1f0np0", "ens1f1np1"]);
    assert_eq!(
        only(&read(&[("mlnx_qos_dscp.txt", "", REMAPPED)])).name,
        "-"
    );
}

#[test]
fn of_several_ports_none_is_guessed() {
    let device = read(&[
        ("gpu01/a.txt", "mlnx_qos -i eth2", REMAPPED),
        ("gpu01/b.txt", "mlnx_qos -i eth10", REMAPPED),
        ("gpu01/c.txt", "", "Global tclass=106\n"),
    ]);
    let names: Vec<&str> = device.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["-", "eth2", "eth10"]);
    assert!(nic(device.port("eth2").unwrap()).tos_dscp.is_unknown());
}

#[test]
fn a_listing_denies_devices_that_are_not_in_it() {
    let device = read(&[
        ("a", "ibdev2netdev", "mlx5_0 port 1 ==> ens1 (Up)\n"),
        (
            "a",
            "ethtool -a eno1",
            "Pause parameters for eno1:\nRX:\t\ton\nTX:\t\ton\n",
        ),
    ]);
    assert!(device.port("eno1").unwrap().nic.is_none());
    assert!(device.port("ens1").unwrap().nic.is_some());
}

#[test]
fn a_contradiction_of_two_sources_is_unknown_and_told() {
    let other = "prio-pfc 0:off 1:off 2:off 3:off 4:on 5:off 6:off 7:off\n";
    let device = read(&[
        ("a.txt", "mlnx_qos -i eth1", REMAPPED),
        ("b.txt", "dcb pfc show dev eth1", other),
        ("c.txt", "mlnx_qos -i eth1", REMAPPED),
    ]);
    assert!(only(&device).pfc.enabled.is_unknown());
    assert!(
        device
            .notes
            .iter()
            .any(|n| n.kind == NoteKind::Conflict && n.port.as_deref() == Some("eth1"))
    );
    // In one session the later state holds.
    let device = read(&[
        ("a.txt", "mlnx_qos -i eth1", REMAPPED),
        ("a.txt", "dcb pfc show dev eth1", other),
    ]);
    assert_eq!(only(&device).pfc.enabled.get(), set(&[4]));
}

#[test]
fn remedies_say_whether_they_last() {
    let device = read(HOST);
    let fix = |remedy| Linux.fix(&device, "ens1f0np0", &remedy);
    let priorities = Priorities::from_mask(8);
    assert_eq!(
        fix(Remedy::Pfc { priorities }),
        ["mlnx_qos -i ens1f0np0 --pfc 0,0,0,1,0,0,0,0 # until the next boot"]
    );
    assert_eq!(
        fix(Remedy::LinkPauseOff),
        ["ethtool -A ens1f0np0 rx off tx off # until the next boot"]
    );
    assert_eq!(
        fix(Remedy::Mtu { ip_bytes: 4200 }),
        ["ip link set ens1f0np0 mtu 4200 # until the next boot"]
    );
    let remedy = Remedy::Firmware {
        parameter: "CNP_DSCP_P1".to_owned(),
        value: "48".to_owned(),
    };
    assert!(
        fix(remedy)[0]
            .starts_with("mlxconfig -d 0000:3b:00.0 set CNP_DSCP_P1=48 # from the next boot on")
    );
    assert!(
        fix(Remedy::TrafficClass { traffic_class: 104 })[0]
            .starts_with("echo 104 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class")
    );
    let remedy = Remedy::Firmware {
        parameter: "X; reboot".to_owned(),
        value: "1".to_owned(),
    };
    assert!(fix(remedy).is_empty());
}

#[test]
fn what_is_collected_only_reads() {
    for spec in Linux.captures() {
        assert!(!spec.read_only.is_empty(), "{}", spec.command);
        for word in [
            " set", " add", "-t ", "--pfc", "--trust", "echo ", "_bw", "reset",
        ] {
            assert!(!spec.command.contains(word), "{}", spec.command);
        }
    }
    // What writes in order to read is run only if it is asked for.
    let writes = |spec: &&CaptureSpec| spec.read_only.contains("configfs");
    assert_eq!(Linux.captures().iter().filter(writes).count(), 0);
    let asked: Vec<&str> = Linux
        .configfs_captures()
        .iter()
        .map(|spec| spec.command)
        .collect();
    assert_eq!(
        asked,
        [
            "cma_roce_tos -d DEV",
            "cma_roce_mode -d DEV",
            "grep -r . /sys/kernel/config/bnxt_re/DEV/ports/1/cc",
            "grep -r . /sys/kernel/config/irdma/DEV",
        ]
    );
}

fn told(device: &Device) -> Vec<String> {
    let port = |port: &Port| {
        let nic = port.nic.as_deref();
        format!(
            "{} {:?} {:?} {:?} {:?} {:?} {:?}",
            port.name,
            port.trust.get(),
            port.pfc.enabled.get(),
            port.mtu.ip.get(),
            port.link_pause.rx.get(),
            nic.map(|nic| (
                nic.tos_dscp.get(),
                nic.dcbx.get(),
                nic.rdma_device.value().cloned()
            )),
            nic.map(|nic| nic.nv.keys().cloned().collect::<Vec<_>>()),
        )
    };
    device.ports.iter().map(port).collect()
}

/// Words of all tools, so that random texts get past recognition.
const WORDS: &[&str] = &[
    "niccli -i 1 getqos",
    "1 ) Broadcom",
    "PCI Address : 0000:22:00.0",
    "IEEE 8021QAZ ETS Configuration TLV:",
    "IEEE 8021QAZ PFC TLV:",
    "IEEE 8021QAZ APP TLV:",
    "PRIO_MAP: 0:0 9:9 3:",
    "TSA_MAP: 0:ets",
    "TC Bandwidth: 50% 999999999999%",
    "PFC enabled: 3",
    "PFC enabled: 0x",
    "TC State Mode",
    "1 Enabled Lossless",
    "Priority TC Queue ID",
    "priority:3  dscp: 26",
    "nicctl show qos",
    "NIC : 1 (0000:06:00.0)",
    "Port : 1",
    "DSCP : 0-9, 11-, 4294967296 ==> priority : 3",
    "PFC priority bitmap : 0x8",
    "3 DWRR 90 N/A",
    "ROCE device : ionic_0",
    "Status : Enabled",
    "Pause type : PFC",
    "lldptool -ti eth0",
    "Willing: yes",
    "options irdma roce_ena=",
    "/sys/module/irdma/parameters/dcqcn_T:5",
    "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/cnp_dscp:0x",
    "NCCL_IB_TC=",
    "NCCL_IB_HCA=^=",
    "name: NCCL_IB_TC",
    "value: ",
    "ms_type = async+rdma",
    "--transport=rdma --tos",
    "mlnx_qos -i eth0",
    "Priority trust state: ",
    "dscp",
    "dscp2prio mapping:",
    "prio:5 dscp:26,,...",
    "PFC configuration:",
    "enabled 0 0 1",
    "buffer 1 2",
    "tc: 9 tsa: ets, bw: 300%",
    " priority: 7",
    "Receive buffer size (bytes): 1,é,3",
    "prio-pfc 0:on",
    "dscp-prio AF31:3 é:9",
    "order: dscp",
    "Device #1:",
    "Configurations: Default Current Next Boot",
    "CNP_DSCP_P1 48 48",
    "ROCE_CONTROL X(",
    "/sys/class/net/eth0/ecn/roce_np/enable/3: 1",
    "/sys/class/infiniband/mlx5_0/ports/1/gids/0: ::",
    "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/rp_gd:11",
    "/sys/class/:",
    "GID[  0]: é, RoCE v2",
    "hca_id: mlx5_0",
    "link mlx5_0/1 physical_state netdev",
    "mlx5_0 port 1 ==> ",
    "NIC statistics:",
    "rx_prio3_pause: 99999999999999999999",
    "rx_global_pause: 0",
    "Pause parameters for é:",
    "RX: on",
    "driver: mlx5_core",
    "bus-info: 0:0",
    "iface x inet",
    "mtu 99999999999",
    "2: eth0: <UP> mtu 1",
    "{\"prio_pfc\":[true",
    "{\"tlv_configuration\"",
    "[{\"physical_state\":1,\"ifindex\":0}]",
    "\n",
    "\t",
    ": ",
    "Device         : ",
    " Transport type : ",
    "Permission denied",
    "Global tclass=",
    "post-up dcb dev",
];

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(
        parts in proptest::collection::vec(
            prop_oneof![proptest::sample::select(WORDS).prop_map(str::to_owned), "\\PC{0,12}"], 0..24),
        separator in proptest::sample::select(&["\n", " ", ""][..]),
        command in proptest::sample::select(WORDS),
    ) {
        let text = parts.join(separator);
        for tool in tool::all() {
            let captures = captures(&[("gpu01/eth0.txt", command, &text)]);
            (tool.read)(&Input::new(0, &captures[0]), &mut Statements::default());
        }
        let device = read(&[("gpu01/eth0.txt", "", &text), ("gpu01/b", command, &text)]);
        for port in &device.ports {
            Linux.fix(&device, &port.name, &Remedy::DcbxOs);
        }
    }

    #[test]
    fn the_order_of_captures_does_not_matter(order in Just(HOST.to_vec()).prop_shuffle()) {
        let shuffled = read(&order);
        prop_assert_eq!(told(&shuffled), told(&read(HOST)));
    }
}
