//! Hosts with several NICs, what they do at boot, and outputs that are hard to
//! read.

use super::tests::{REMAPPED, Text, nic, only, read, set};
use super::*;
use crate::model::{Boot, Fact, Trust};

fn names(device: &Device) -> Vec<&str> {
    device.ports.iter().map(|port| port.name.as_str()).collect()
}

fn port<'d>(device: &'d Device, name: &str) -> &'d Port {
    device
        .port(name)
        .unwrap_or_else(|| panic!("{:?}", names(device)))
}

fn noted(device: &Device, kind: NoteKind, part: &str) -> bool {
    let mut notes = device.notes.iter();
    notes.any(|note| note.kind == kind && note.text.contains(part))
}

fn qos(pfc: &str) -> String {
    format!(
        "DCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n\
         \tpriority    0   1   2   3   4   5   6   7\n\tenabled     {pfc}\n"
    )
}

const ON_3: &str = "0   0   0   1   0   0   0   0   ";
const ON_4: &str = "0   0   0   0   1   0   0   0   ";

#[test]
fn a_loop_over_interfaces_is_split_at_its_headings() {
    for (before, after) in [
        ("=== ", " ==="),
        ("", ":"),
        ("# ", ""),
        ("--- Interface ", " ---"),
        ("[", "]"),
    ] {
        let text = format!(
            "{before}ens1f0np0{after}\n{}{before}ens2f0np0{after}\n{}",
            qos(ON_3),
            qos(ON_4)
        );
        let command = "for i in ens1f0np0 ens2f0np0; do echo $i; mlnx_qos -i $i; done";
        for command in [command, ""] {
            let device = read(&[("gpu01.txt", command, &text)]);
            assert_eq!(names(&device), ["ens1f0np0", "ens2f0np0"], "{before}");
            assert_eq!(port(&device, "ens1f0np0").pfc.enabled.get(), set(&[3]));
            assert_eq!(port(&device, "ens2f0np0").pfc.enabled.get(), set(&[4]));
        }
    }
}

#[test]
fn a_trace_of_the_shell_names_what_follows() {
    let text = format!(
        "+ for i in ens1 ens2\n+ mlnx_qos -i ens1\n{}+ for i in ens1 ens2\n+ mlnx_qos -i ens2\n{}\
         + cma_roce_tos -d mlx5_0\n106\n+ ethtool -a ens1\nPause parameters for ens1:\nRX:\t\ton\nTX:\t\toff\n\
         + ibdev2netdev\nmlx5_0 port 1 ==> ens1 (Up)\nmlx5_1 port 1 ==> ens2 (Up)\n",
        qos(ON_3),
        qos(ON_4)
    );
    let device = read(&[("a.log", "", &text)]);
    assert_eq!(names(&device), ["ens1", "ens2"]);
    let first = port(&device, "ens1");
    assert_eq!(first.pfc.enabled.get(), set(&[3]));
    assert_eq!(nic(first).tos_dscp.get(), Some(26));
    assert_eq!(
        (first.link_pause.rx.get(), first.link_pause.tx.get()),
        (Some(true), Some(false))
    );
    assert_eq!(port(&device, "ens2").pfc.enabled.get(), set(&[4]));
}

#[test]
fn outputs_that_nothing_names_are_nobodys() {
    let text = format!("{}{}", qos(ON_3), qos(ON_4));
    let device = read(&[
        ("gpu01/mlnx_qos_ens1.txt", "", &text),
        ("gpu01/x", "ibdev2netdev", "mlx5_0 port 1 ==> ens1 (Up)\n"),
    ]);
    assert!(port(&device, "ens1").pfc.enabled.is_unknown());
    assert!(noted(&device, NoteKind::Failed, "nothing names them"));
    // Each output of `ethtool -a` names its own.
    let pause = |name: &str, on: &str| {
        format!("Pause parameters for {name}:\nRX:\t\t{on}\nTX:\t\t{on}\n\n")
    };
    let text = pause("ens1", "on") + &pause("ens2", "off");
    let device = read(&[("a", "", &text)]);
    let rx = |name| port(&device, name).link_pause.rx.get();
    assert_eq!((rx("ens1"), rx("ens2")), (Some(true), Some(false)));
}

#[test]
fn head_and_tail_print_the_names_of_files() {
    let text = "==> /sys/class/infiniband/mlx5_0/tc/1/traffic_class <==\nGlobal tclass=106\n\n\
                ==> /sys/class/infiniband/mlx5_1/tc/1/traffic_class <==\nGlobal tclass=104\n";
    let device = read(&[(
        "a",
        "tail -n +1 /sys/class/infiniband/*/tc/1/traffic_class",
        text,
    )]);
    let class = |name| nic(port(&device, name)).traffic_class.get();
    assert_eq!((class("mlx5_0"), class("mlx5_1")), (Some(106), Some(104)));
}

/// What ties `mlx5_1`, `ens2f0np0`, 5e:00.0 and its MST device together.
const TIES: &[&[Text<'_>]] = &[
    &[
        (
            "h/ls.txt",
            "ls -l /sys/class/infiniband /sys/class/net",
            "lrwxrwxrwx 1 root root 0 mlx5_1 -> ../../devices/pci0000:5d/0000:5d:00.0/0000:5e:00.0/infiniband/mlx5_1\n\
            lrwxrwxrwx 1 root root 0 ens2f0np0 -> ../../devices/pci0000:5d/0000:5d:00.0/0000:5e:00.0/net/ens2f0np0\n\
            lrwxrwxrwx 1 root root 0 lo -> ../../devices/virtual/net/lo\n",
        ),
        (
            "h/mst.txt",
            "mst status -v",
            "DEVICE_TYPE  MST  PCI  RDMA  NET  NUMA\nConnectX7(rev:0)  /dev/mst/mt4129_pciconf1  5e:00.0  NA  NA  1\n",
        ),
    ],
    &[(
        "h/mst.txt",
        "",
        "MST modules:\n----\nPCI devices:\n----\nDEVICE_TYPE             MST                           PCI       RDMA            NET                       NUMA\n\
            ConnectX7(rev:0)        /dev/mst/mt4129_pciconf0      3b:00.0   mlx5_0          net-ens1f0np0             0\n\
            ConnectX7(rev:0)        /dev/mst/mt4129_pciconf1      5e:00.0   mlx5_1          net-ens2f0np0             1\n",
    )],
    &[
        (
            "h/port.json",
            "devlink -j port show",
            r#"{"port":{"pci/0000:5e:00.0/65535":{"type":"eth","netdev":"ens2f0np0","flavour":"physical","port":0},"pci/0000:5e:00.0/1":{"type":"eth","netdev":"ens2f0npf0vf0","flavour":"pcivf"}}}"#,
        ),
        (
            "h/mst.txt",
            "",
            "DEVICE_TYPE MST PCI RDMA NET\nX /dev/mst/mt4129_pciconf1 5e:00.0 mlx5_1 NA\n",
        ),
    ],
    &[
        (
            "h/port.txt",
            "",
            "pci/0000:5e:00.0/65535: type eth netdev ens2f0np0 flavour physical port 0 splittable false\n",
        ),
        (
            "h/rdma.txt",
            "",
            "link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ens2f0np0\n",
        ),
        (
            "h/mst.txt",
            "",
            "DEVICE_TYPE MST PCI RDMA NET\nX /dev/mst/mt4129_pciconf1 5e:00.0 NA NA\n",
        ),
    ],
    &[
        (
            "h/ip.json",
            "ip -d -j link",
            r#"[{"ifname":"ens2f0np0","flags":["UP"],"mtu":9000,"operstate":"UP","parentbus":"pci","parentdev":"0000:5e:00.0"}]"#,
        ),
        (
            "h/mst.txt",
            "",
            "DEVICE_TYPE MST PCI RDMA NET\nX /dev/mst/mt4129_pciconf1 5e:00.0 mlx5_1 NA\n",
        ),
    ],
];

#[test]
fn any_chain_of_names_ties_a_capture_to_its_port() {
    for ties in TIES {
        let mut texts: Vec<Text<'_>> = vec![
            (
                "h/a",
                "mlnx_qos -i ens2f0np0",
                "Priority trust state: dscp\n",
            ),
            (
                "h/b",
                "mlxconfig -d /dev/mst/mt4129_pciconf1 -e q",
                "Configurations:  Default  Current  Next Boot\n CNP_DSCP_P1  48 48 46\n",
            ),
            (
                "h/c",
                "cat /sys/class/infiniband/mlx5_1/tc/1/traffic_class",
                "Global tclass=106\n",
            ),
            (
                "h/d",
                "",
                "/sys/kernel/debug/mlx5/0000:5e:00.0/cc_params/np_cnp_dscp:48\n",
            ),
        ];
        texts.extend_from_slice(ties);
        for _ in 0..texts.len() {
            texts.rotate_left(1);
            let device = read(&texts);
            let port = port(&device, "ens2f0np0");
            assert_eq!(port.trust.get(), Some(Trust::Dscp));
            assert_eq!(
                nic(port).nv["CNP_DSCP_P1"].next.value().unwrap().number,
                Some(46)
            );
            assert_eq!(nic(port).dcqcn.cnp_dscp.get(), Some(48));
            assert_eq!(nic(port).tos_dscp.get(), Some(26), "{ties:?}");
        }
    }
}

#[test]
fn what_is_said_of_a_bond_is_said_of_its_members() {
    let members = [
        (
            "h/l",
            "ip link",
            "4: ens1f0np0: <BROADCAST,MULTICAST,SLAVE,UP> mtu 9000 qdisc mq master bond0 state UP\n\
            5: ens1f1np1: <BROADCAST,MULTICAST,SLAVE,UP> mtu 4200 qdisc mq master bond0 state UP\n\
            6: bond0: <BROADCAST,MULTICAST,MASTER,UP> mtu 1500 qdisc noqueue state UP\n",
        ),
        (
            "h/l",
            "ip -j link",
            r#"[{"ifname":"ens1f0np0","flags":["SLAVE","UP"],"mtu":9000,"master":"bond0","operstate":"UP"},{"ifname":"ens1f1np1","flags":["SLAVE","UP"],"mtu":4200,"master":"bond0","operstate":"UP"},{"ifname":"bond0","flags":["MASTER","UP"],"mtu":1500,"operstate":"UP"}]"#,
        ),
    ];
    let listings = [
        "mlx5_bond_0 port 1 ==> bond0 (Up)\n",
        "mlx5_bond_0 port 1 ==> ens1f0np0 (Up)\n",
    ];
    for member in members {
        for listing in listings {
            let texts = [
                ("h/i", "ibdev2netdev", listing),
                member,
                ("h/a", "mlnx_qos -i ens1f0np0", &qos(ON_3)),
                ("h/b", "mlnx_qos -i ens1f1np1", &qos(ON_4)),
                (
                    "h/c",
                    "cat /sys/class/infiniband/mlx5_bond_0/tc/1/traffic_class",
                    "Global tclass=106\n",
                ),
            ];
            let device = read(&texts);
            assert_eq!(names(&device), ["ens1f0np0", "ens1f1np1"], "{listing}");
            for (name, pfc, mtu) in [("ens1f0np0", 3, 9000), ("ens1f1np1", 4, 4200)] {
                let port = port(&device, name);
                assert_eq!(nic(port).tos_dscp.get(), Some(26), "{listing}");
                assert_eq!(nic(port).rdma_device.value().unwrap(), "mlx5_bond_0");
                assert_eq!(
                    (port.pfc.enabled.get(), port.mtu.ip.get()),
                    (set(&[pfc]), Some(mtu))
                );
            }
        }
    }
    let device = read(&[
        ("h/i", "ibdev2netdev", listings[0]),
        (
            "h/p",
            "cat /proc/net/bonding/bond0",
            "Bonding Mode: IEEE 802.3ad\nMII Status: up\n\nSlave Interface: ens1f0np0\nMII Status: up\n\nSlave Interface: ens1f1np1\n",
        ),
    ]);
    assert_eq!(names(&device), ["ens1f0np0", "ens1f1np1"]);
}

#[test]
fn a_virtual_function_has_the_settings_of_its_port() {
    let device = read(&[
        (
            "h/i",
            "ibdev2netdev",
            "mlx5_0 port 1 ==> ens1f0np0 (Up)\nmlx5_2 port 1 ==> ens1f0v0 (Up)\n",
        ),
        (
            "h/v",
            "ls -l /sys/class/net/ens1f0v0/device/physfn",
            "lrwxrwxrwx 1 root root 0 /sys/class/net/ens1f0v0/device/physfn -> ../0000:3b:00.0\n",
        ),
        (
            "h/n",
            "ethtool -i ens1f0np0",
            "driver: mlx5_core\nbus-info: 0000:3b:00.0\n",
        ),
        ("h/q", "mlnx_qos -i ens1f0np0", REMAPPED),
        (
            "h/c",
            "cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
            "Global tclass=106\n",
        ),
    ]);
    assert_eq!(names(&device), ["ens1f0np0", "ens1f0v0"]);
    let function = port(&device, "ens1f0v0");
    assert_eq!(function.pfc.enabled.get(), set(&[3]));
    assert_eq!(function.trust.get(), Some(Trust::Dscp));
    assert_eq!(nic(function).rdma_device.value().unwrap(), "mlx5_2");
    // Its own device marks as it likes.
    assert!(nic(function).tos_dscp.is_unknown());
}

fn boot(texts: &[Text<'_>]) -> Boot {
    let mut all = vec![
        ("h/q", "mlnx_qos -i ens1", "Priority trust state: dscp\n"),
        ("h/r", "ibdev2netdev", "mlx5_0 port 1 ==> ens1 (Up)\n"),
    ];
    all.extend_from_slice(texts);
    nic(port(&read(&all), "ens1")).boot.clone()
}

const UNIT: &str = "[Unit]\nAfter=network.target\n[Service]\nType=oneshot\n\
    ExecStart=/usr/bin/mlnx_qos -i ens1 --trust dscp \\\n  --pfc 0,0,0,1,0,0,0,0\n\
    ExecStart=/bin/sh -c 'echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class'\n\
    [Install]\nWantedBy=multi-user.target\n";

#[test]
fn an_enabled_unit_brings_settings_back() {
    let enabled = ("h/s", "systemctl is-enabled roce.service", "enabled\n");
    for text in [
        ("h/roce.service", "", UNIT),
        ("h/u", "cat /etc/systemd/system/roce.service", UNIT),
        (
            "h/u",
            "systemctl cat roce.service",
            &format!("# /etc/systemd/system/roce.service\n{UNIT}"),
        ),
    ] {
        for state in [
            enabled,
            (
                "h/s",
                "systemctl status roce",
                "● roce.service\n   Loaded: loaded (/etc/systemd/system/roce.service; enabled; vendor preset: enabled)\n",
            ),
            (
                "h/s",
                "systemctl list-unit-files",
                "UNIT FILE STATE VENDOR PRESET\nroce.service enabled enabled\nssh.service disabled enabled\n",
            ),
        ] {
            let boot = boot(&[text, state]);
            assert_eq!(boot.pfc.get(), set(&[3]), "{state:?}");
            assert_eq!(boot.trust.get(), Some(Trust::Dscp));
            assert_eq!(boot.traffic_class.get(), Some(106));
        }
    }
    let unit = ("h/roce.service", "", UNIT);
    let unknown = boot(&[unit]).pfc;
    assert!(
        unknown.because().unwrap().text().contains("is-enabled"),
        "{unknown:?}"
    );
    // A disabled one brings nothing.
    let disabled = boot(&[
        unit,
        ("h/s", "systemctl is-enabled roce.service", "disabled\n"),
    ]);
    assert_eq!(disabled, Boot::default());
}

#[test]
fn a_script_counts_where_something_runs_it() {
    let script =
        "#!/bin/bash\nfor i in ens1 ens2; do\n  mlnx_qos -i $i --pfc 0,0,0,0,1,0,0,0\ndone\n";
    let unit = "[Service]\nExecStart=/usr/local/sbin/roce.sh\n";
    let alone = boot(&[("h/roce.sh", "", script)]).pfc;
    assert!(
        alone
            .because()
            .unwrap()
            .text()
            .contains("whether anything runs"),
        "{alone:?}"
    );
    let enabled = ("h/s", "systemctl is-enabled roce.service", "enabled\n");
    let with_unit = [
        ("h/roce.sh", "", script),
        ("h/roce.service", "", unit),
        enabled,
    ];
    assert_eq!(boot(&with_unit).pfc.get(), set(&[4]));
    for place in ["cat /etc/network/if-up.d/roce", "cat /etc/rc.local"] {
        assert_eq!(
            boot(&[("h/x", place, script)]).pfc.get(),
            set(&[4]),
            "{place}"
        );
    }
    let cron = ("h/cron", "crontab -l", "@reboot /usr/local/sbin/roce.sh\n");
    assert_eq!(
        boot(&[("h/roce.sh", "", script), cron]).pfc.get(),
        set(&[4])
    );
}

#[test]
fn hooks_and_profiles() {
    let interfaces = "auto ens1\niface ens1 inet static\n  mtu 9000\n  post-up dcb pfc set dev $IFACE prio-pfc all:off 3:on\n  up dcb app add dev ens1 dscp-prio 26:3\n";
    let told = boot(&[("h/interfaces", "", interfaces)]);
    assert_eq!(
        (told.pfc.get(), told.trust.get()),
        (set(&[3]), Some(Trust::Dscp))
    );
    let file = "[connection]\nid=rail0\ninterface-name=ens1\n\n[dcb]\npriority-flow-control=0,0,0,1,0,0,0,0\npriority-flow-control-flags=1\n";
    let nmcli = "connection.interface-name: ens1\ndcb.priority-flow-control-flags:  1 (enabled)\ndcb.priority-flow-control:  0,0,0,1,0,0,0,0\n";
    for text in [file, nmcli] {
        assert_eq!(boot(&[("h/nm", "", text)]).pfc.get(), set(&[3]));
    }
    let manual = file.replace("id=rail0", "autoconnect=false");
    assert!(boot(&[("h/nm", "", &manual)]).pfc.is_unknown());
    let unused = file.replace("flags=1", "flags=0");
    assert_eq!(boot(&[("h/nm", "", &unused)]), Boot::default());
    let lldpad = "lldp :\n{\n  ens1 :\n  {\n    tlvid0080c20b :\n    {\n      enableTx = true;\n      willing = false;\n      enabled = 8;\n    };\n  };\n};\n";
    assert_eq!(boot(&[("h/lldpad.conf", "", lldpad)]).pfc.get(), set(&[3]));
    let udev = "ACTION==\"add\", SUBSYSTEM==\"net\", KERNEL==\"ens1\", RUN+=\"/usr/bin/mlnx_qos -i %k --pfc 0,0,0,1,0,0,0,0\"\n";
    assert_eq!(boot(&[("h/70-roce.rules", "", udev)]).pfc.get(), set(&[3]));
    // For whichever interface comes up: which that is, only the run knows.
    let hook = "#!/bin/sh\n[ \"$2\" = up ] || exit 0\nmlnx_qos -i $1 --pfc 0,0,0,1,0,0,0,0\n";
    let open = boot(&[("h/x", "cat /etc/NetworkManager/dispatcher.d/50-roce", hook)]).pfc;
    assert!(
        open.because()
            .unwrap()
            .text()
            .contains("only its run knows"),
        "{open:?}"
    );
}

const LSPCI: &str = "3a:00.0 PCI bridge: Intel Corporation Device 352a (rev 04)
\tBus: primary=3a, secondary=3b, subordinate=3c, sec-latency=0
\tCapabilities: [148 v1] Access Control Services
\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
3b:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]
\tSubsystem: Mellanox Technologies Device 0041
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)
\tKernel driver in use: mlx5_core
5e:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)
\tKernel driver in use: mlx5_core
9a:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
";

#[test]
fn the_slot_of_a_card() {
    let device = read(&[("h/lspci.txt", "lspci -vv", LSPCI)]);
    let slot = |name: &str| nic(port(&device, name)).pcie.clone();
    let first = slot("0000:3b:00.0");
    assert_eq!(
        (first.width.get(), first.width_max.get()),
        (Some(8), Some(16))
    );
    assert_eq!(
        (first.speed_mtps.get(), first.speed_max_mtps.get()),
        (Some(16_000), Some(32_000))
    );
    assert_eq!(
        (first.acs.get(), first.gpus.get()),
        (Some(true), Some(true))
    );
    // No bridge above the second is in the listing.
    assert_eq!(slot("0000:5e:00.0").acs, Fact::default());
    assert!(device.coverage.operational);
    let denied = "3b:00.0 Ethernet controller: Mellanox Technologies MT2910\n\tCapabilities: <access denied>\n\tKernel driver in use: mlx5_core\n";
    let device = read(&[("h/lspci.txt", "", denied)]);
    assert!(
        nic(only(&device))
            .pcie
            .width
            .because()
            .unwrap()
            .text()
            .contains("root")
    );
    assert!(noted(&device, NoteKind::Denied, "access denied"));
}

#[test]
fn the_slot_by_other_tools() {
    let log = "[ 8.4] mlx5_core 0000:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:42:01.0 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)\n";
    let mlxlink = "PCIe Operational (Enabled) Info\n-------\nDepth, pcie index, node : 0, 0, 0\nLink Speed Active (Enabled) : 8G-Gen 3 (8G-Gen 3)\nLink Width Active (Enabled) : 8X (16X)\n";
    let files = "/sys/bus/pci/devices/0000:43:00.0/current_link_speed:8.0 GT/s PCIe\n/sys/bus/pci/devices/0000:43:00.0/current_link_width:8\n\
                 /sys/bus/pci/devices/0000:43:00.0/max_link_speed:8.0 GT/s PCIe\n/sys/bus/pci/devices/0000:43:00.0/max_link_width:16\n";
    for (command, text) in [
        ("dmesg", log),
        ("mlxlink -d 43:00.0 --port_type PCIE", mlxlink),
        ("", files),
    ] {
        let device = read(&[
            ("h/a", command, text),
            (
                "h/b",
                "ethtool -i ens1",
                "driver: mlx5_core\nbus-info: 0000:43:00.0\n",
            ),
        ]);
        let pcie = &nic(only(&device)).pcie;
        assert_eq!(
            (pcie.width.get(), pcie.width_max.get()),
            (Some(8), Some(16)),
            "{command}"
        );
        assert_eq!(
            (pcie.speed_mtps.get(), pcie.speed_max_mtps.get()),
            (Some(8_000), Some(8_000))
        );
    }
}

#[test]
fn neighbours_in_all_formats_of_lldpd() {
    let json0 = r#"{"lldp":[{"interface":[{"name":"ens1","via":"LLDP","chassis":[{"id":[{"type":"mac","value":"02:00:00:00:00:01"}],"name":[{"value":"leaf1"}]}],"port":[{"id":[{"type":"ifname","value":"Ethernet1/1"}],"descr":[{"value":"to gpu01"}]}]}]}]}"#;
    let json = r#"{"lldp":{"interface":{"ens1":{"via":"LLDP","chassis":{"leaf1":{"id":{"type":"mac","value":"02:00:00:00:00:01"}}},"port":{"id":{"type":"ifname","value":"Ethernet1/1"},"descr":"to gpu01"}}}}}"#;
    let keys = "lldp.ens1.via=LLDP\nlldp.ens1.chassis.name=leaf1\nlldp.ens1.port.ifname=Ethernet1/1\nlldp.ens1.port.descr=to gpu01\n";
    let text = "-----\nLLDP neighbors:\n-----\nInterface:    ens1, via: LLDP, RID: 1, Time: 0 day, 00:01:05\n  Chassis:\n    ChassisID:    mac 02:00:00:00:00:01\n    SysName:      leaf1\n  Port:\n    PortID:       ifname Ethernet1/1\n    PortDescr:    to gpu01\n";
    for text in [json0, json, keys, text] {
        let device = read(&[
            ("h/a", "", text),
            ("h/r", "ibdev2netdev", "mlx5_0 port 1 ==> ens1 (Up)\n"),
        ]);
        let peer = port(&device, "ens1")
            .peer
            .clone()
            .unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            (peer.device.as_str(), peer.port.as_deref(), peer.by),
            ("leaf1", Some("Ethernet1/1"), "lldp")
        );
        assert!(device.coverage.peers);
        assert_eq!(
            nic(port(&device, "ens1")).host_lldp.value().unwrap(),
            "lldpd"
        );
    }
}

#[test]
fn devlink_in_both_forms() {
    let json = r#"{"param":{"pci/0000:3b:00.0":[{"name":"enable_roce","type":"generic","values":[{"cmode":"driverinit","value":false}]},{"name":"flow_steering_mode","type":"driver-specific","values":[{"cmode":"runtime","value":"smfs"}]}]}}"#;
    let text = "pci/0000:3b:00.0:\n  name enable_roce type generic\n    values:\n      cmode driverinit value false\n";
    for text in [json, text] {
        let device = read(&[
            ("h/a", "devlink dev param show", text),
            (
                "h/b",
                "ethtool -i ens1",
                "driver: mlx5_core\nbus-info: 0000:3b:00.0\n",
            ),
        ]);
        assert_eq!(nic(only(&device)).roce_enabled.get(), Some(false));
    }
    let info = "pci/0000:3b:00.0:\n  driver mlx5_core\n  versions:\n      fixed:\n        fw.psid MT_0000000838\n      running:\n        fw.version 28.39.1002\n        fw 28.39.1002\n      stored:\n        fw.version 28.39.2048\n";
    let device = read(&[
        ("h/a", "devlink dev info", info),
        (
            "h/b",
            "ethtool -i ens1",
            "driver: mlx5_core\nbus-info: 0000:3b:00.0\n",
        ),
    ]);
    let nic = nic(only(&device));
    assert_eq!(nic.firmware.value().unwrap(), "28.39.1002");
    assert_eq!(nic.firmware_stored.value().unwrap(), "28.39.2048");
    assert_eq!(nic.part.value().unwrap(), "MT_0000000838");
}

#[test]
fn statistics_and_fec() {
    let json = r#"[{"ifname":"mlx5_0","port":1,"out_of_sequence":4,"packet_seq_err":1,"local_ack_timeout_err":2,"np_cnp_sent":9}]"#;
    let text =
        "link mlx5_0/1 out_of_sequence 4 packet_seq_err 1 local_ack_timeout_err 2 np_cnp_sent 9\n";
    for text in [json, text] {
        let device = read(&[("h/a", "rdma -j statistic show link mlx5_0/1", text)]);
        let counters = only(&device).counters.as_deref().unwrap();
        assert_eq!(counters.out_of_sequence.get(), Some(4));
        assert_eq!(
            (counters.retransmits.get(), counters.cnp_sent.get()),
            (Some(3), Some(9))
        );
    }
    let fec = "FEC parameters for ens1:\nSupported/Configured FEC encodings: Auto\nActive FEC encoding: RS\n";
    let device = read(&[
        ("h/a", "ethtool --show-fec ens1", fec),
        ("h/r", "ibdev2netdev", "mlx5_0 port 1 ==> ens1 (Up)\n"),
    ]);
    assert_eq!(port(&device, "ens1").fec.value().unwrap(), "rs");
}

#[test]
fn refusals_in_other_languages() {
    for (text, kind) in [
        (
            "bash: mlnx_qos: Kommando nicht gefunden.\n",
            NoteKind::Failed,
        ),
        ("bash: mlnx_qos : commande introuvable\n", NoteKind::Failed),
        ("-bash: mlnx_qos: 未找到命令\n", NoteKind::Failed),
        ("mlnx_qos: Permiso denegado\n", NoteKind::Denied),
        ("mlnx_qos: 权限不够\n", NoteKind::Denied),
        ("Fehler: irgendetwas\n", NoteKind::Failed),
        (
            "netlink error: No such device (offset 0)\n",
            NoteKind::Failed,
        ),
    ] {
        let device = read(&[("h/a", "mlnx_qos -i ens1", text)]);
        let port = port(&device, "ens1");
        assert!(
            port.pfc.enabled.is_unknown() && port.trust.is_unknown(),
            "{text}"
        );
        assert!(
            port.pfc
                .enabled
                .because()
                .unwrap()
                .text()
                .contains("could not be read"),
            "{text}"
        );
        assert!(device.notes.iter().any(|note| note.kind == kind), "{text}");
    }
}

#[test]
fn lost_line_breaks_are_no_answer() {
    let text = REMAPPED.replace('\n', " ");
    let device = read(&[("h/a", "mlnx_qos -i ens1", &text)]);
    let port = port(&device, "ens1");
    assert!(port.pfc.enabled.is_unknown() && port.trust.is_unknown());
    assert!(noted(&device, NoteKind::Failed, "line breaks are lost"));
    let device = read(&[(
        "h/a",
        "ethtool -a ens1",
        "Pause parameters for ens1: Autonegotiate: off RX: off TX: off\n",
    )]);
    assert!(only(&device).link_pause.rx.is_unknown());
    assert!(noted(&device, NoteKind::Failed, "could be read"));
}

#[test]
fn a_device_that_went_away_is_unknown() {
    let device = read(&[
        (
            "h/a",
            "ibdev2netdev",
            "mlx5_0 port 1 ==> ens1 (Up)\nmlx5_1 port 1 ==> ens2 (Up)\n",
        ),
        ("h/b", "mlnx_qos -i ens1", REMAPPED),
        ("h/c", "mlnx_qos -i ens2", "Interface ens2 does not exist\n"),
        (
            "h/d",
            "ethtool -a ens2",
            "Cannot get device pause settings: No such device\n",
        ),
    ]);
    let gone = port(&device, "ens2");
    assert!(
        gone.pfc
            .enabled
            .because()
            .unwrap()
            .text()
            .contains("does not exist")
    );
    assert!(
        gone.link_pause
            .rx
            .because()
            .unwrap()
            .text()
            .contains("No such device")
    );
    assert_eq!(port(&device, "ens1").pfc.enabled.get(), set(&[3]));
}
