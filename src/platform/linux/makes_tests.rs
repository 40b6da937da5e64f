//! Hosts with NICs of Broadcom, AMD and Intel, and what applications ask for.

use super::*;
use crate::model::{
    CounterField, Dcbx, Kind, MapName, PfcMode, Priorities, PriorityCounterField, SchedulerKind,
    Trust,
};
use crate::platform::linux::tests::read;

fn port<'d>(device: &'d Device, name: &str) -> &'d Port {
    device.port(name).unwrap()
}

fn one(priority: u8) -> Option<Priorities> {
    Some([priority].into_iter().collect())
}

const QOS: &str = "IEEE 8021QAZ ETS Configuration TLV:
         PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2
         TC Bandwidth: 30% 70% 0%
         TSA_MAP: 0:ets 1:ets 2:strict
IEEE 8021QAZ PFC TLV:
         PFC enabled: 3
IEEE 8021QAZ APP TLV:
         APP#0:
          Priority: 7
          Sel: 5
          DSCP: 48

         APP#1:
          Priority: 3
          Sel: 3
          UDP or DCCP: 4791

TC Rate Limit: 100% 100% 100% 0% 0% 0% 0% 0%
";

fn thor(value: &str) -> Option<Priorities> {
    let text = QOS.replace("enabled: 3", &format!("enabled: {value}"));
    let device = read(&[("h/a", "niccli -i 1 getqos", &text)]);
    device.ports[0].pfc.enabled.get()
}

#[test]
fn the_number_behind_pfc_enabled() {
    // One digit is a priority or a mask; the rest is not in doubt.
    for digit in 0..8 {
        assert_eq!(thor(&digit.to_string()), None, "{digit}");
    }
    assert_eq!(thor("none"), Some(Priorities::NONE));
    assert_eq!(thor("3 4"), Some(Priorities::from_mask(0b1_1000)));
    assert_eq!(thor("3,4"), Some(Priorities::from_mask(0b1_1000)));
    assert_eq!(thor("8"), one(3));
    assert_eq!(thor("0x8"), one(3));
    assert_eq!(thor("255"), Some(Priorities::from_mask(0xff)));
    for doubtful in ["", "256", "3 9", "3…", "not_a_number", "–"] {
        assert_eq!(thor(doubtful), None, "{doubtful}");
    }
}

#[test]
fn settings_of_niccli() {
    let device = read(&[("h/a", "niccli -dev 1 getqos", QOS)]);
    let port = &device.ports[0];
    assert_eq!(port.maps.value(MapName::TcToQueue, 3), Some(1));
    assert_eq!(port.maps.value(MapName::DscpToTc, 48), Some(7));
    // An entry by UDP port is none of a code point.
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), None);
    assert_eq!(
        port.queue(2).unwrap().scheduler.get(),
        Some(SchedulerKind::Strict)
    );
    assert_eq!(
        port.queue(1).unwrap().share_percent.get(),
        Some(crate::model::Milli::whole(70))
    );
    assert_eq!(port.trust.get(), Some(Trust::Dscp));
    assert_eq!(port.trust.kind(), Kind::Default);
    assert!(port.nic.as_deref().unwrap().traffic_class == crate::model::Fact::NotApplicable);
}

const LIST: &str = "
1 ) Broadcom BCM57608 1x400G QSFP112 PCIe Ethernet NIC (Adp#1 Port#1)
     Device Interface Name     : ens22np0
     PCI Address               : 0000:22:00.0

2 ) Broadcom BCM57608 1x400G QSFP112 PCIe Ethernet NIC (Adp#2 Port#1)
     Device Interface Name     : ens21np0
     PCI Address               : 0000:21:00.0
";

#[test]
fn numbers_of_niccli_are_not_the_order_of_slots() {
    let none = QOS.replace("enabled: 3", "enabled: none");
    let captures = [
        ("h/c", "niccli --dev 2 qos --ets --show", none.as_str()),
        ("h/b", "niccli --dev 1 qos --ets --show", QOS),
        ("h/a", "niccli --list_devices", LIST),
    ];
    let device = read(&captures);
    assert_eq!(
        port(&device, "ens21np0").pfc.enabled.get(),
        Some(Priorities::NONE)
    );
    assert_eq!(port(&device, "ens22np0").pfc.enabled.get(), None);
    // Without the list each number stays a device of its own.
    let device = read(&captures[..2]);
    let names: Vec<&str> = device.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["niccli:1", "niccli:2"]);
    let told = |note: &&crate::model::Note| note.text.contains("--list_devices");
    assert_eq!(device.notes.iter().filter(told).count(), 2);
}

#[test]
fn the_same_output_of_the_older_tool() {
    let device = read(&[("h/a", "bnxtqos -dev=ens21np0 get_qos", QOS)]);
    assert_eq!(
        port(&device, "ens21np0").maps.value(MapName::TcToQueue, 3),
        Some(1)
    );
}

#[test]
fn lossless_classes_decide_what_the_digit_means() {
    let cosq = |lossless: &str| {
        format!("TC   State     Mode\n 0   Enabled   Lossy\n {lossless}   Enabled   Lossless\n")
    };
    let decided = |table: &str| {
        let captures = [
            ("h/a", "niccli -i 1 qos --ets --show", QOS),
            ("h/b", "niccli -i 1 qos --ingress --cosq --show", table),
        ];
        read(&captures).ports[0].pfc.enabled.get()
    };
    assert_eq!(decided(&cosq("1")), one(3));
    // Priorities 0 and 1, as a mask, are in class 0.
    assert_eq!(
        decided("TC State Mode\n0 Enabled Lossless\n1 Enabled Lossy\n"),
        Some(Priorities::from_mask(0b11))
    );
    assert_eq!(decided(&cosq("2")), None);
}

const NIC: &str = "NIC  : 42424650-0000-4000-8000-000000000001  (0000:06:00.0)\n\nPort : 42424650-0000-4000-8000-000000000002\n";

#[test]
fn pfc_of_nicctl_takes_a_priority_and_the_port() {
    let qos = format!(
        "{NIC}\n  PFC :\n    PFC priority bitmap       : 0x8\n    PFC no-drop priorities    : 3\n"
    );
    let pause = |kind: &str, tx: &str| {
        format!(
            "{NIC}  Spec:\n    Pause type      : {kind}\n    TX pause        : {tx}\n    RX pause        : enabled\n"
        )
    };
    let of = |kind: &str, tx: &str| {
        let text = pause(kind, tx);
        let captures = [
            ("h/a", "nicctl show qos", qos.as_str()),
            ("h/b", "nicctl show port", &text),
        ];
        let port = read(&captures).ports[0].clone();
        (
            port.pfc.enabled.get(),
            port.pfc.rx.get(),
            port.link_pause.rx.get(),
        )
    };
    assert_eq!(of("PFC", "enabled"), (one(3), one(3), Some(false)));
    assert_eq!(
        of("PFC", "disabled"),
        (Some(Priorities::NONE), one(3), Some(false))
    );
    assert_eq!(
        of("LINK", "enabled"),
        (Some(Priorities::NONE), Some(Priorities::NONE), Some(true))
    );
    let device = read(&[("h/a", "nicctl show qos", &qos)]);
    assert_eq!(device.ports[0].pfc.enabled.get(), one(3));
    assert_eq!(device.ports[0].pfc.mode.get(), Some(PfcMode::On));
}

#[test]
fn nicctl_without_a_nic_says_nothing() {
    for text in [
        "No AMD NICs found\n",
        "ERROR: Invalid card handle\n",
        "Failed to get NIC info\n",
    ] {
        let device = read(&[("h/a", "nicctl show qos", text)]);
        assert!(device.ports.is_empty(), "{text}");
        assert!(
            device
                .notes
                .iter()
                .any(|note| note.kind == NoteKind::Failed),
            "{text}"
        );
    }
    let json = read(&[("h/a", "nicctl show dcqcn --json", "{\"nic\": []}")]);
    assert!(json.notes.iter().any(|note| note.kind == NoteKind::Failed));
}

#[test]
fn what_lldpad_would_take_from_the_switch_is_not_in_force() {
    let text = |willing: &str| {
        format!(
            "IEEE 8021QAZ PFC TLV\n\t Willing: {willing}\n\t PFC capable traffic classes: 8\n\t PFC enabled: 3\n"
        )
    };
    let of = |command: &str, willing: &str| {
        let text = text(willing);
        let device = read(&[("h/a", command, &text)]);
        let port = device.ports.first()?;
        Some((port.pfc.enabled.get(), port.pfc.mode.get()))
    };
    assert_eq!(
        of("lldptool -ti eth0", "no"),
        Some((one(3), Some(PfcMode::On)))
    );
    assert_eq!(
        of("lldptool get-tlv -i eth0", "yes"),
        Some((None, Some(PfcMode::Auto)))
    );
    // The neighbour's.
    assert_eq!(of("lldptool -t -n -i eth0", "no"), None);
}

#[test]
fn intel_pauses_by_traffic_class() {
    let ets = |map: &str| format!("{{\"prio_tc\":[{map}]}}");
    let of = |pfc: u8, map: &str| {
        let bits: Vec<&str> = (0..8)
            .map(|p| if pfc >> p & 1 == 1 { "true" } else { "false" })
            .collect();
        let pfc = format!("{{\"prio_pfc\":[{}]}}", bits.join(","));
        let device = read(&[
            (
                "h/a",
                "ethtool -i ens5",
                "driver: ice\nbus-info: 0000:5e:00.0\n",
            ),
            ("h/b", "dcb -j pfc show dev ens5", &pfc),
            ("h/c", "dcb -j ets show dev ens5", &ets(map)),
        ]);
        (device.ports[0].pfc.enabled.get(), device.notes.len())
    };
    assert_eq!(of(0b1000, "0,0,0,1,0,0,0,0"), (one(3), 0));
    // All of class 0 is paused with priority 3.
    assert_eq!(
        of(0b1000, "0,1,0,0,1,1,1,1"),
        (Some(Priorities::from_mask(0b1101)), 1)
    );
    // One class has PFC; of two nobody knows which.
    assert_eq!(of(0b1_1000, "0,0,0,1,2,0,0,0").0, None);
    // The port has four classes.
    assert_eq!(of(0b1000, "0,0,0,1,2,3,4,5").1, 1);
}

#[test]
fn the_agent_in_intels_firmware() {
    let of = |state: &str| {
        let text = format!("Private flags for ens5:\nfw-lldp-agent     : {state}\n");
        let device = read(&[("h/a", "ethtool --show-priv-flags ens5", &text)]);
        let nic = device.ports[0].nic.clone().unwrap();
        (nic.dcbx.get(), nic.overwritten_by.is_known())
    };
    assert_eq!(of("off"), (Some(Dcbx::Os), false));
    assert_eq!(of("on"), (Some(Dcbx::Firmware), true));
}

#[test]
fn the_firmware_decides_whatever_lldpad_holds() {
    const LLDPAD: (&str, &str, &str) = (
        "h/b",
        "lldptool -ti ens5",
        "IEEE 8021QAZ PFC TLV\n\t Willing: no\n\t PFC enabled: 3\n",
    );
    let flags = "Private flags for ens5:\nfw-lldp-agent     : on\n";
    let flags = ("h/a", "ethtool --show-priv-flags ens5", flags);
    let of = |captures: &[(&str, &str, &str)]| {
        let port = read(captures).ports[0].clone();
        let dcbx = port.nic.unwrap().dcbx.get();
        (port.pfc.enabled.get(), port.pfc.mode.get(), dcbx)
    };
    assert_eq!(of(&[LLDPAD]), (one(3), Some(PfcMode::On), Some(Dcbx::Os)));
    let decided = (None, Some(PfcMode::Auto), Some(Dcbx::Firmware));
    assert_eq!(of(&[flags, LLDPAD]), decided);
    assert_eq!(of(&[LLDPAD, flags]), decided);
    // The driver tells what is in force.
    let pfc = "{\"prio_pfc\":[false,false,false,false,true,false,false,false]}";
    let dcb = ("h/c", "dcb -j pfc show dev ens5", pfc);
    assert_eq!(
        of(&[LLDPAD, dcb]),
        (one(4), Some(PfcMode::On), Some(Dcbx::Os))
    );
}

#[test]
fn options_of_irdma_hold_for_its_devices_alone() {
    let links = "link irdma0/1 state ACTIVE physical_state LINK_UP netdev ens5 \nlink mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens9 \n";
    let of = |name: &str, text: &str| {
        let device = read(&[("h/a", "rdma link", links), (name, "", text)]);
        let nic = |name: &str| port(&device, name).nic.clone().unwrap();
        (
            nic("ens5").roce_enabled.get(),
            nic("ens5").roce_enabled.kind(),
            nic("ens9").roce_enabled.get(),
        )
    };
    assert_eq!(
        of("h/p", "/sys/module/irdma/parameters/roce_ena:0\n"),
        (Some(false), Kind::Explicit, None)
    );
    assert_eq!(
        of("h/irdma.conf", "options irdma roce_ena=1 dcqcn_enable=1\n"),
        (Some(true), Kind::Default, None)
    );
}

#[test]
fn counters_of_other_makes() {
    let text = "NIC statistics:
     rx_pfc_ena_frames_pri3: 7
     tx_pfc_ena_frames_pri3: 9
     tx_bytes_pri3: 4096
     rx_discard_packets_cos0: 1
     rx_discard_packets_cos4: 2
     rx_pause_frames: 5
     frames_rx_bad_fcs: 11
     tx_priority_2_xoff.nic: 13
     pfc_pri3_rx_transitions: 1
";
    let device = read(&[("h/a", "ethtool -S eth0", text)]);
    let port = &device.ports[0];
    let counters = port.counters.as_deref().unwrap();
    let three = &counters.by_priority[&3];
    assert_eq!(
        (three.rx_pause.get(), three.tx_pause.get()),
        (Some(7), Some(9))
    );
    assert_eq!(three.tx_bytes.get(), Some(4096));
    assert_eq!(counters.by_priority[&2].tx_pause.get(), Some(13));
    let of = |field: CounterField| field.of(counters).json().and_then(|value| value.as_i64());
    assert_eq!(of(CounterField::Drops), Some(3));
    assert_eq!(of(CounterField::LinkPauseRx), Some(5));
    assert_eq!(of(CounterField::LinkErrors), Some(11));
    // These drivers count pause whether PFC is on or not.
    assert!(!port.pfc.operational.is_known());
    assert_eq!(make::counter("rx_pfc_ena_frames_pri8"), None);
    let wanted = make::Counter::Priority(3, PriorityCounterField::TxPause);
    assert_eq!(make::counter("tx_priority_3_xoff"), Some(wanted));
}

#[test]
fn rdma_counters_of_other_makes() {
    let of = |rows: &str| {
        let text = format!("link dev0/1 {rows}\n");
        let device = read(&[("h/a", "rdma statistic show", &text)]);
        let counters = device.ports[0].counters.clone().unwrap();
        (
            counters.retransmits.get(),
            counters.out_of_sequence.get(),
            counters.cnp_sent.get(),
        )
    };
    assert_eq!(
        of("to_retransmits 1 seq_err_naks_rcvd 2 missing_resp 3 oos_drop_count 4 tx_cnp_pkts 5"),
        (Some(6), Some(4), Some(5))
    );
    // Newer builds call it as mlx5 does.
    assert_eq!(
        of("to_retransmits 1 seq_err_naks_rcvd 2 out_of_sequence 4").1,
        Some(4)
    );
    // A part of the sum is missing.
    assert_eq!(of("to_retransmits 1 tx_cnp_pkts 5").0, None);
    assert_eq!(
        of("tx_rdma_retx_pkts 1 resp_rx_outouf_seq 4 tx_rdma_cnp_pkts 5"),
        (Some(1), Some(4), Some(5))
    );
    assert_eq!(
        of("cnpSent 5 cnpHandled 6 RxECNMrkd 7"),
        (None, None, Some(5))
    );
}

fn asked(file: &str, text: &str) -> Vec<(String, Option<u8>)> {
    let links = "link ionic_0/1 state ACTIVE physical_state LINK_UP netdev benic1p1 \n";
    let device = read(&[("h/a", "rdma link", links), (file, "", text)]);
    let nic = device.ports[0].nic.clone().unwrap();
    let classes = nic.applications.traffic_classes;
    classes
        .into_iter()
        .map(|(name, fact)| (name, fact.get()))
        .collect()
}

#[test]
fn applications_in_whatever_form_they_ask() {
    let nccl = |value| vec![("NCCL_IB_TC".to_owned(), value)];
    for text in [
        "NCCL_IB_TC=106\n",
        "export NCCL_IB_TC=106\n",
        "export NCCL_IB_TC=\"106\" # RoCE\n",
        "mpirun -np 16 -x NCCL_IB_TC=106 -x NCCL_DEBUG=INFO ./all_reduce_perf\n",
        "env:\n- name: NCCL_IB_TC\n  value: \"106\"\n",
        "data:\n  NCCL_IB_TC: \"106\"\n",
        "gpu01:3828:3830 [0] NCCL INFO NCCL_IB_TC set by environment to 106.\n",
        "NCCL_IB_TC=0x6a\n",
        "NCCL_IB_TC=106\nNCCL_IB_TC=106\n",
    ] {
        assert_eq!(asked("h/nccl", text), nccl(Some(106)), "{text}");
    }
    // A variable, nothing, two values, no byte, an en dash.
    for text in [
        "NCCL_IB_TC=$TC\n",
        "NCCL_IB_TC=\n",
        "NCCL_IB_TC=106\nNCCL_IB_TC=0\n",
        "NCCL_IB_TC=300\n",
        "NCCL_IB_TC=–1\n",
    ] {
        assert_eq!(asked("h/nccl", text), nccl(None), "{text}");
    }
    for text in [
        "#NCCL_IB_TC=106\n",
        "MY_NCCL_IB_TC=106\n",
        "NCCL_IB_TC_OLD=106\n",
    ] {
        assert_eq!(asked("h/nccl", text), [], "{text}");
    }
    let named = |name: &str, value| vec![(name.to_owned(), value)];
    assert_eq!(
        asked("h/ucx", "UCX_IB_TRAFFIC_CLASS=auto\n"),
        named("UCX_IB_TRAFFIC_CLASS", None)
    );
    assert_eq!(
        asked("h/nvme", "--transport=rdma --traddr=192.0.2.1 --tos=104\n"),
        named("nvme tos", Some(104))
    );
    assert_eq!(
        asked("h/nvme", "-t rdma -a 192.0.2.1 -T 104\n"),
        named("nvme tos", Some(104))
    );
    assert_eq!(asked("h/nvme", "-t tcp -a 192.0.2.1 -T 104\n"), []);
    assert_eq!(
        asked("h/spdk", "{\"params\": {\"transport_tos\": 104}}\n"),
        named("transport_tos", Some(104))
    );
    // Ceph's option is the whole byte, whatever its name says; 96 is its default.
    assert_eq!(
        asked("h/ceph.conf", "[global]\nms type = async+rdma\n"),
        named("ms_async_rdma_dscp", Some(96))
    );
    assert_eq!(
        asked("h/ceph", "osd  advanced  ms_async_rdma_dscp  106\n"),
        named("ms_async_rdma_dscp", Some(106))
    );
}

fn fixes(driver: &str, device: &str, remedy: &Remedy) -> Vec<String> {
    let text = format!("driver: {driver}\nbus-info: 0000:21:00.0\n");
    let links = format!("link {device}/1 state ACTIVE physical_state LINK_UP netdev ens1 \n");
    let host = read(&[
        ("h/a", "ethtool -i ens1", &text),
        ("h/b", "rdma link", &links),
    ]);
    Linux.fix(&host, "ens1", remedy)
}

#[test]
fn remedies_say_whether_they_last() {
    let priorities: Priorities = [3].into_iter().collect();
    let remedies = [
        Remedy::Pfc { priorities },
        Remedy::PfcMode,
        Remedy::LinkPauseOff,
        Remedy::Trust { dscp: true },
        Remedy::MapEntry {
            map: MapName::DscpToTc,
            key: 26,
            value: 3,
        },
        Remedy::Mtu { ip_bytes: 9000 },
        Remedy::TrafficClass { traffic_class: 106 },
        Remedy::Dcqcn { priorities },
        Remedy::Cnp {
            dscp: 48,
            priority: Some(6),
        },
        Remedy::DcbxOs,
        Remedy::Firmware {
            parameter: "enable_roce".to_owned(),
            value: "true".to_owned(),
        },
    ];
    for (driver, device) in [
        ("bnxt_en", "bnxt_re0"),
        ("ionic", "ionic_0"),
        ("ice", "irdma0"),
    ] {
        for remedy in &remedies {
            for line in fixes(driver, device, remedy) {
                let said = [
                    "until the next boot",
                    "lasting",
                    "reboot",
                    "mkdir",
                    "/apply",
                ];
                assert!(
                    said.iter().any(|word| line.contains(word)),
                    "{driver}: {line}"
                );
                assert!(!line.contains("mlx"), "{driver}: {line}");
            }
        }
    }
    let first = |driver: &str, device: &str, remedy: Remedy| {
        fixes(driver, device, &remedy).first().cloned().unwrap()
    };
    assert!(
        first("bnxt_en", "bnxt_re0", Remedy::Pfc { priorities })
            .starts_with("dcb pfc set dev ens1 prio-pfc 0:off")
    );
    assert!(
        fixes(
            "bnxt_en",
            "bnxt_re0",
            &Remedy::Cnp {
                dscp: 48,
                priority: Some(6)
            }
        )
        .iter()
        .any(|line| line
            .starts_with("echo 0x30 > /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/cnp_dscp"))
    );
    assert!(
        fixes("ionic", "ionic_0", &Remedy::Pfc { priorities })
            .iter()
            .any(|line| line.starts_with("nicctl update qos pfc --priority 3 --no-drop enable"))
    );
    assert!(
        first("ice", "irdma0", Remedy::DcbxOs)
            .starts_with("ethtool --set-priv-flags ens1 fw-lldp-agent off")
    );
    // A name from a hostile capture reaches no shell.
    assert!(
        fixes(
            "ionic",
            "ionic_0;reboot",
            &Remedy::Cnp {
                dscp: 48,
                priority: None
            }
        )
        .iter()
        .all(|line| !line.contains(';'))
    );
}

#[test]
fn outputs_without_line_breaks_say_nothing() {
    let nicctl = format!("{NIC}\n  PFC :\n    PFC priority bitmap       : 0x8\n");
    let lldptool = "IEEE 8021QAZ PFC TLV\n\t Willing: no\n\t PFC enabled: 3\n";
    for (command, text) in [
        ("niccli -i 1 getqos", QOS),
        ("nicctl show qos", &nicctl),
        ("lldptool -ti eth0", lldptool),
    ] {
        let lost = text.replace('\n', " ");
        let device = read(&[("h/a", command, &lost)]);
        let known = device.ports.iter().any(|port| port.pfc.enabled.is_known());
        assert!(!known, "{command}");
        let told = device
            .notes
            .iter()
            .any(|note| note.kind == NoteKind::Failed);
        assert!(told, "{command}");
    }
}

#[test]
fn commands_are_no_output() {
    let typed = "nicctl update qos --classification-type dscp\nnicctl update qos pfc --priority 3 \u{2013}no-drop enable\n";
    let device = read(&[("h/a", "", typed)]);
    assert!(device.ports.is_empty());
    assert!(
        device
            .notes
            .iter()
            .any(|note| note.text.contains("en dash"))
    );
}

#[test]
fn what_other_makes_bring_back_at_boot() {
    let links = "link ionic_0/1 state ACTIVE physical_state LINK_UP netdev benic1p1 \nlink irdma0/1 state ACTIVE physical_state LINK_UP netdev ens5 \n";
    let script = "#!/bin/sh\nnicctl update qos --classification-type dscp\nfor p in 3 4; do nicctl update qos pfc --priority $p --no-drop enable; done\nlldptool -T -i ens5 -V PFC willing=no enabled=3\n";
    let device = read(&[
        ("h/a", "rdma link", links),
        ("h/b", "cat /etc/rc.local", script),
    ]);
    let boot = |name: &str| port(&device, name).nic.as_deref().unwrap().boot.clone();
    assert_eq!(
        boot("benic1p1").pfc.get(),
        Some(Priorities::from_mask(0b1_1000))
    );
    assert_eq!(boot("benic1p1").trust.get(), Some(Trust::Dscp));
    assert_eq!(boot("ens5").pfc.get(), one(3));
    assert_eq!(boot("ens5").trust.get(), None);
}
