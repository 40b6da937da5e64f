use super::*;
use crate::check::testing::{Told, host, host_port, judged, stated, verdicts_of};
use crate::model::{
    self, Counters, Device, DeviceKind, Fact, GidType, NvParameter, NvValue, Port, Priorities,
    Trust as PortTrust,
};
use std::net::Ipv6Addr;

fn nothing_known() -> Port {
    host_port(|_| ())
}

fn nv(current: &str, next: &str) -> NvParameter {
    let value = |text: &str| {
        stated(NvValue {
            number: text.parse().ok(),
            text: text.to_owned(),
        })
    };
    NvParameter {
        default: Fact::default(),
        current: value(current),
        next: value(next),
    }
}

#[test]
fn trust_as_the_policy_says() {
    let of = |trust| Port {
        trust: stated(trust),
        ..nothing_known()
    };
    assert_eq!(host(&Trust, &of(PortTrust::Dscp)), Told::Pass);
    assert_eq!(host(&Trust, &of(PortTrust::Pcp)), Told::Fail);
    assert_eq!(host(&Trust, &nothing_known()), Told::Unknown);
}

#[test]
fn the_traffic_class_is_compared_as_dscp_and_ecn_bits() {
    let forced = |tos: u8| {
        host_port(|nic| {
            nic.traffic_class = stated(tos);
            nic.tos_dscp = stated(tos >> 2);
            nic.driver = stated("mlx5_core".to_owned());
        })
    };
    // 26 << 2 is 104: with ECT(0) 106, with ECT(1) 105, with CE 107.
    for (tos, told) in [
        (106, Told::Pass),
        (105, Told::Pass),
        (107, Told::Fail),
        (104, Told::Unknown),
        (0, Told::Fail),
        (48 << 2 | 0b10, Told::Fail), // the DSCP of CNPs
    ] {
        assert_eq!(host(&Tos, &forced(tos)), told, "{tos}");
    }
    assert_eq!(host(&Tos, &nothing_known()), Told::Unknown);
    // The default of rdma_cm has ECN bits too.
    let by_rdma_cm = host_port(|nic| {
        nic.rdma_cm_tos = stated(107);
        nic.tos_dscp = stated(26);
    });
    assert_eq!(host(&Tos, &by_rdma_cm), Told::Fail);
}

#[test]
fn ecn_bits_do_not_matter_to_a_class_that_nothing_marks() {
    let port = host_port(|nic| {
        nic.traffic_class = stated(104);
        nic.tos_dscp = stated(26);
    });
    let device = Device::new("gpu01", DeviceKind::Host, "test");
    let policy = "version: 1\nclasses: {roce: {dscp: [26], priority: 3, lossless: true}}\n";
    let verdicts = verdicts_of(&Tos, &device, &port, policy);
    assert_eq!(Told::from(&verdicts), Told::Pass);
}

#[test]
fn the_remedy_of_an_unmarked_nic_is_the_class_with_ect() {
    let port = host_port(|nic| {
        nic.traffic_class = stated(0);
        nic.tos_dscp = stated(0);
    });
    let verdicts = judged(&Tos, DeviceKind::Host, &port);
    let remedy = verdicts.details[0].remedy.clone();
    assert_eq!(remedy, Some(Remedy::TrafficClass { traffic_class: 106 }));
}

#[test]
fn a_gid_must_be_routable() {
    let table = |rows: &[(Option<GidType>, &str)]| {
        let rows = rows
            .iter()
            .zip(0..)
            .map(|((kind, address), index)| model::Gid {
                index,
                kind: *kind,
                address: address.parse::<Ipv6Addr>().unwrap().octets(),
            });
        let rows: Vec<model::Gid> = rows.collect();
        host(&Gid, &host_port(|nic| nic.gids = stated(rows)))
    };
    let v2 = Some(GidType::RoceV2);
    let v1 = Some(GidType::RoceV1);
    assert_eq!(
        table(&[(v2, "fe80::1"), (v2, "::ffff:10.26.1.11")]),
        Told::Pass
    );
    assert_eq!(table(&[(v2, "2001:db8::11")]), Told::Pass);
    assert_eq!(
        table(&[(v2, "fe80::1"), (v1, "::ffff:10.26.1.11")]),
        Told::Fail
    );
    assert_eq!(table(&[(v2, "::ffff:169.254.3.4")]), Told::Fail);
    assert_eq!(table(&[(v2, "::")]), Told::Fail);
    assert_eq!(table(&[]), Told::Fail);
    assert_eq!(table(&[(None, "::ffff:10.26.1.11")]), Told::Unknown);
    assert_eq!(host(&Gid, &nothing_known()), Told::Unknown);
}

#[test]
fn who_decides_dcb() {
    let of = |dcbx| host_port(|nic| nic.dcbx = stated(dcbx));
    assert_eq!(host(&DcbxAgent, &of(Dcbx::Os)), Told::Pass);
    assert_eq!(host(&DcbxAgent, &of(Dcbx::Off)), Told::Pass);
    assert_eq!(host(&DcbxAgent, &of(Dcbx::Firmware)), Told::Fail);
    assert_eq!(host(&DcbxAgent, &nothing_known()), Told::Unknown);
    let lldpad = host_port(|nic| {
        nic.dcbx = stated(Dcbx::Os);
        nic.overwritten_by = stated("lldpad".to_owned());
    });
    assert_eq!(host(&DcbxAgent, &lldpad), Told::Fail);
    // Negotiation that the policy asks for is no fault.
    let device = Device::new("gpu01", DeviceKind::Host, "test");
    for mode in ["auto", "any"] {
        let policy = format!(
            "version: 1\nclasses: {{roce: {{dscp: [26], priority: 3, lossless: true}}}}\npfc: {{mode: {mode}}}\n"
        );
        let firmware = of(Dcbx::Firmware);
        let verdicts = verdicts_of(&DcbxAgent, &device, &firmware, &policy);
        assert_eq!(Told::from(&verdicts), Told::Nothing, "{mode}");
    }
}

#[test]
fn ethernet_or_not() {
    let of = |link| host_port(|nic| nic.link_type = stated(link));
    assert_eq!(host(&Link, &of(LinkType::Ethernet)), Told::Pass);
    assert_eq!(host(&Link, &of(LinkType::Infiniband)), Told::Fail);
    assert_eq!(host(&Link, &nothing_known()), Told::Unknown);
}

#[test]
fn staged_for_the_next_boot() {
    let of = |name: &str, current: &str, next: &str| {
        host_port(|nic| {
            nic.nv.insert(name.to_owned(), nv(current, next));
        })
    };
    assert_eq!(host(&Pending, &of("CNP_DSCP_P1", "48", "48")), Told::Pass);
    assert_eq!(host(&Pending, &of("CNP_DSCP_P1", "48", "46")), Told::Fail);
    // Not of RoCE; and a value that the firmware doesn't tell.
    assert_eq!(host(&Pending, &of("NUM_OF_VFS", "0", "8")), Told::Unknown);
    assert_eq!(
        host(&Pending, &of("ROCE_CONTROL", "N/A", "ROCE_ENABLE(2)")),
        Told::Unknown
    );
    assert_eq!(host(&Pending, &nothing_known()), Told::Unknown);
    let firmware = host_port(|nic| {
        nic.firmware = stated("28.39.1002".to_owned());
        nic.firmware_stored = stated("28.39.2048".to_owned());
    });
    assert_eq!(host(&Pending, &firmware), Told::Fail);
}

#[test]
fn connectx_4_lx_needs_a_cold_power_cycle() {
    for (model, cold) in [
        ("ConnectX4LX", true),
        ("ConnectX-4 Lx", true),
        ("ConnectX5", false),
    ] {
        let port = host_port(|nic| {
            nic.model = stated(model.to_owned());
            nic.nv.insert("CNP_DSCP_P1".to_owned(), nv("48", "46"));
        });
        let verdicts = judged(&Pending, DeviceKind::Host, &port);
        let message = &verdicts.details[0].message;
        assert_eq!(message.contains("cold power cycle"), cold, "{message}");
    }
}

#[test]
fn a_boot_source_that_contradicts_what_runs() {
    let cnp = |running: u8, next: &str| {
        host_port(|nic| {
            nic.dcqcn.cnp_dscp = stated(running);
            nic.nv.insert("CNP_DSCP_P1".to_owned(), nv("48", next));
        })
    };
    assert_eq!(host(&Volatile, &cnp(48, "48")), Told::Pass);
    assert_eq!(host(&Volatile, &cnp(48, "46")), Told::Fail);
    assert_eq!(host(&Volatile, &nothing_known()), Told::Unknown);
    let limiter = |mask: &str| {
        host_port(|nic| {
            nic.dcqcn.rp_enabled = stated(Priorities::from_mask(0b1000));
            nic.nv
                .insert("ROCE_CC_PRIO_MASK_P1".to_owned(), nv("255", mask));
        })
    };
    assert_eq!(host(&Volatile, &limiter("255")), Told::Pass);
    assert_eq!(host(&Volatile, &limiter("0")), Told::Fail);
}

#[test]
fn what_nothing_brings_back_is_information() {
    let mut port = nothing_known();
    port.pfc.enabled = stated(Priorities::from_mask(0b1000));
    let verdicts = judged(&Volatile, DeviceKind::Host, &port);
    assert_eq!(Told::from(&verdicts), Told::Fail);
    assert_eq!(verdicts.details[0].severity, Some(Severity::Info));
}

#[test]
fn persistence_that_the_policy_does_not_ask_for_is_not_judged() {
    let port = host_port(|nic| {
        nic.dcqcn.cnp_dscp = stated(48);
        nic.nv.insert("CNP_DSCP_P1".to_owned(), nv("48", "46"));
    });
    let device = Device::new("gpu01", DeviceKind::Host, "test");
    for wanted in ["false", "any"] {
        let policy = format!(
            "version: 1\nclasses: {{roce: {{dscp: [26], priority: 3, lossless: true}}}}\nnic: {{persistent: {wanted}}}\n"
        );
        for check in [&Pending as &dyn Check, &Volatile] {
            let verdicts = verdicts_of(check, &device, &port, &policy);
            assert_eq!(Told::from(&verdicts), Told::Nothing, "{wanted}");
        }
    }
}

#[test]
fn hardware_or_not() {
    let of = |software| host_port(|nic| nic.software = stated(software));
    assert_eq!(host(&Software, &of(false)), Told::Pass);
    assert_eq!(host(&Software, &of(true)), Told::Fail);
    assert_eq!(host(&Software, &nothing_known()), Told::Unknown);
}

#[test]
fn the_guard_of_the_nic() {
    let of = |trips| {
        let mut port = nothing_known();
        port.counters = Some(Box::new(Counters {
            watchdog_trips: trips,
            ..Counters::default()
        }));
        host(&PauseGuard, &port)
    };
    assert_eq!(of(stated(0)), Told::Pass);
    assert_eq!(of(stated(2)), Told::Fail);
    assert_eq!(of(Fact::default()), Told::Unknown);
    assert_eq!(of(Fact::NotApplicable), Told::Nothing);
}

#[test]
fn what_the_boot_brings_is_compared_with_what_runs() {
    let with = |fill: fn(&mut Port, &mut model::Boot)| {
        let mut port = nothing_known();
        port.pfc.enabled = stated(Priorities::from_mask(0b1000));
        port.trust = stated(PortTrust::Dscp);
        let mut boot = model::Boot::default();
        fill(&mut port, &mut boot);
        port.nic.as_mut().unwrap().boot = boot;
        port
    };
    let all = |_: &mut Port, boot: &mut model::Boot| {
        boot.pfc = stated(Priorities::from_mask(0b1000));
        boot.trust = stated(PortTrust::Both);
    };
    assert_eq!(host(&Volatile, &with(all)), Told::Pass);
    let other = with(|_, boot| {
        boot.pfc = stated(Priorities::from_mask(0b1_0000));
        boot.trust = stated(PortTrust::Dscp);
    });
    let verdicts = judged(&Volatile, DeviceKind::Host, &other);
    assert_eq!(verdicts.details.len(), 1);
    assert_eq!(verdicts.details[0].severity, None); // the check's own: high
    assert_eq!(verdicts.details[0].expected.as_deref(), Some("[4]"));
    // A boot source that may or may not run.
    let open = with(|_, boot| {
        boot.pfc = Fact::unknown_at("a unit".to_owned(), crate::model::Origin::new(0, 0));
        boot.trust = stated(PortTrust::Dscp);
    });
    assert_eq!(host(&Volatile, &open), Told::Unknown);
    // What only runs is named, and only that.
    let half = with(|port, boot| {
        port.nic.as_mut().unwrap().traffic_class = stated(106);
        boot.pfc = stated(Priorities::from_mask(0b1000));
    });
    let verdicts = judged(&Volatile, DeviceKind::Host, &half);
    let [lost] = verdicts.details.as_slice() else {
        panic!("{:?}", verdicts.details);
    };
    assert!(
        lost.message.contains("trust and the traffic class back"),
        "{}",
        lost.message
    );
    // The service did not run: what it sets is missing.
    let failed = with(|port, boot| {
        port.pfc.enabled = stated(Priorities::NONE);
        boot.pfc = stated(Priorities::from_mask(0b1000));
        boot.trust = stated(PortTrust::Dscp);
    });
    assert_eq!(host(&Volatile, &failed), Told::Fail);
}

#[test]
fn the_slot_of_the_card() {
    let of = |fill: fn(&mut model::Pcie)| {
        host_port(|nic| {
            nic.pcie.width = stated(16);
            nic.pcie.width_max = stated(16);
            nic.pcie.speed_mtps = stated(16_000);
            nic.pcie.speed_max_mtps = stated(16_000);
            fill(&mut nic.pcie);
        })
    };
    assert_eq!(host(&Pcie, &of(|_| ())), Told::Pass);
    assert_eq!(host(&Pcie, &of(|pcie| pcie.width = stated(8))), Told::Fail);
    assert_eq!(
        host(&Pcie, &of(|pcie| pcie.speed_mtps = stated(8_000))),
        Told::Fail
    );
    assert_eq!(
        host(&Pcie, &of(|pcie| pcie.width_max = Fact::default())),
        Told::Unknown
    );
    assert_eq!(host(&Pcie, &nothing_known()), Told::Unknown);
    // ACS matters where there are GPUs.
    let acs = |gpus: bool, acs: Fact<bool>| {
        let mut port = of(|_| ());
        let pcie = &mut port.nic.as_mut().unwrap().pcie;
        pcie.acs = acs;
        if gpus {
            pcie.gpus = stated(true);
        }
        host(&Pcie, &port)
    };
    assert_eq!(acs(true, stated(false)), Told::Pass);
    assert_eq!(acs(true, stated(true)), Told::Fail);
    assert_eq!(acs(true, Fact::default()), Told::Unknown);
    assert_eq!(acs(false, stated(true)), Told::Pass);
    // What the link carries stands beside what the port needs.
    let mut narrow = of(|pcie| pcie.width = stated(8));
    narrow.speed_mbps = stated(200_000);
    let verdicts = judged(&Pcie, DeviceKind::Host, &narrow);
    assert!(
        verdicts.details[0]
            .message
            .contains("126 Gb/s, the port 200 Gb/s")
    );
    // A device of the kernel sits in no slot.
    let software = host_port(|nic| nic.software = stated(true));
    assert_eq!(host(&Pcie, &software), Told::Nothing);
}

#[test]
fn one_agent_a_port() {
    let of = |sends: &str, host_agent: bool| {
        let port = host_port(|nic| {
            nic.dcbx = stated(Dcbx::Os);
            nic.nv
                .insert("LLDP_NB_TX_MODE_P1".to_owned(), nv(sends, sends));
            if host_agent {
                nic.host_lldp = stated("lldpd".to_owned());
            }
        });
        host(&DcbxAgent, &port)
    };
    assert_eq!(of("0", true), Told::Pass);
    assert_eq!(of("2", false), Told::Pass);
    assert_eq!(of("2", true), Told::Fail);
}

#[test]
fn roce_of_the_driver() {
    let of = |on| {
        let port = host_port(|nic| {
            nic.link_type = stated(LinkType::Ethernet);
            nic.roce_enabled = stated(on);
        });
        host(&Link, &port)
    };
    assert_eq!((of(true), of(false)), (Told::Pass, Told::Fail));
}

#[test]
fn what_applications_ask_for() {
    let asked = |forced: Option<u8>, class: u8| {
        host_port(|nic| {
            nic.traffic_class = match forced {
                Some(class) => stated(class),
                None => Fact::NotApplicable,
            };
            let classes = &mut nic.applications.traffic_classes;
            classes.insert("NCCL_IB_TC".to_owned(), stated(class));
        })
    };
    assert_eq!(host(&Tos, &asked(None, 106)), Told::Pass);
    assert_eq!(host(&Tos, &asked(None, 107)), Told::Fail);
    assert_eq!(host(&Tos, &asked(None, 0)), Told::Fail);
    assert_eq!(host(&Tos, &asked(None, 104)), Told::Unknown);
    // What is forced counts; the rest is information, as DevX goes around it.
    let verdicts = judged(&Tos, DeviceKind::Host, &asked(Some(106), 0));
    let detail = &verdicts.details[0];
    assert_eq!(detail.severity, Some(crate::policy::Severity::Info));
    assert!(detail.message.contains("DevX"));
    // Whether one is forced was not captured.
    let mut open = asked(None, 106);
    open.nic.as_mut().unwrap().traffic_class = Fact::default();
    assert_eq!(host(&Tos, &open), Told::Unknown);
    // A NIC that sets ECT needs no ECN bits from the application.
    let mut sets = asked(None, 104);
    sets.nic.as_mut().unwrap().sets_ect = stated(true);
    assert_eq!(host(&Tos, &sets), Told::Pass);
}

#[test]
fn a_lossless_class_that_nothing_uses_is_information() {
    const TWO: &str = "version: 1\nclasses:\n  roce: {dscp: [26], priority: 3, lossless: true}\n  \
         store: {dscp: [18], priority: 2, lossless: true}\n";
    let port = |pfc: u8| {
        let mut port = host_port(|nic| {
            nic.traffic_class = stated(104);
            nic.tos_dscp = stated(26);
        });
        port.pfc.enabled = stated(Priorities::from_mask(pfc));
        port
    };
    let device = Device::new("gpu01", DeviceKind::Host, "test");
    let verdicts = verdicts_of(&Tos, &device, &port(0b1100), TWO);
    assert_eq!(verdicts.details.len(), 1);
    assert_eq!(
        verdicts.details[0].severity,
        Some(crate::policy::Severity::Info)
    );
    assert!(verdicts.details[0].message.contains("class store"));
    // Without PFC it is no lossless class of this NIC.
    assert_eq!(
        verdicts_of(&Tos, &device, &port(0b1000), TWO).details.len(),
        0
    );
}

#[test]
fn gids_that_applications_name() {
    let rows = [
        (GidType::RoceV1, "::ffff:10.26.1.11"),
        (GidType::RoceV2, "fe80::1"),
        (GidType::RoceV2, "::ffff:10.26.1.11"),
    ];
    let named = |index: Fact<u16>| {
        host_port(|nic| {
            let table = rows
                .iter()
                .zip(0..)
                .map(|((kind, address), index)| model::Gid {
                    index,
                    kind: Some(*kind),
                    address: address.parse::<Ipv6Addr>().unwrap().octets(),
                });
            nic.gids = stated(table.collect());
            let gids = &mut nic.applications.gid_indices;
            gids.insert("NCCL_IB_GID_INDEX".to_owned(), index);
        })
    };
    for (index, told) in [
        (0, Told::Fail),
        (1, Told::Fail),
        (2, Told::Pass),
        (3, Told::Fail),
    ] {
        assert_eq!(host(&Gid, &named(stated(index))), told, "{index}");
    }
    assert_eq!(host(&Gid, &named(Fact::default())), Told::Unknown);
    // NCCL chooses.
    assert_eq!(host(&Gid, &named(Fact::NotApplicable)), Told::Pass);
    let mut port = named(Fact::NotApplicable);
    port.nic.as_mut().unwrap().rdma_cm_mode = stated(GidType::RoceV1);
    assert_eq!(host(&Gid, &port), Told::Fail);
}
