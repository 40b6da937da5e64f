//! Runs one check on a port or device built by hand.

use super::{Check, DeviceContext, PortContext, Verdicts};
use crate::model::{
    BufferPool, CodeMap, Dcbx, Device, DeviceKind, Direction, Ecn, Fact, Gid, GidType, GroupBuffer,
    LinkPause, LinkType, MapName, Milli, Mtu, MtuCounts, Nic, Origin, Pfc, PfcMode, PoolMode, Port,
    Priorities, PriorityGroup, Queue, Reason, SchedulerKind, Trust, Watchdog,
};
use crate::policy::{self, Severity, Subject};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The outcome of a check: passes, failures, unknowns.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    /// No failure and no unknown, and at least one pass.
    Pass,
    /// At least one failure.
    Fail,
    /// Unknown, and no failure.
    Unknown,
    /// Not judged at all.
    Nothing,
}

impl From<&Verdicts> for Told {
    fn from(verdicts: &Verdicts) -> Self {
        match (verdicts.passes, verdicts.details.as_slice()) {
            (0, []) => Told::Nothing,
            (_, []) => Told::Pass,
            (_, details) if details.iter().all(|detail| detail.unknown) => Told::Unknown,
            _ => Told::Fail,
        }
    }
}

/// A fact that a line states.
pub fn stated<T>(value: T) -> Fact<T> {
    Fact::explicit(value, Origin::new(0, 0))
}

/// The port of a host, with a NIC of which nothing is known yet.
pub fn host_port(fill: impl FnOnce(&mut Nic)) -> Port {
    let mut nic = Nic::default();
    fill(&mut nic);
    Port {
        nic: Some(Box::new(nic)),
        ..Port::new("ens1f0np0")
    }
}

/// What a check says of a port of a device. The port's name must stand in no
/// message: ports with equal settings are judged once.
pub fn verdicts_of(check: &dyn Check, device: &Device, port: &Port, policy: &str) -> Verdicts {
    let set = if policy.starts_with("builtin:") {
        policy::load(policy).unwrap()
    } else {
        policy::parse("policy.yaml", policy).unwrap()
    };
    let effective: Arc<_> = set.effective(&Subject {
        device: &device.name,
        port: &port.name,
        ..Subject::default()
    });
    let mut verdicts = Verdicts::default();
    let port_context = PortContext {
        device,
        port,
        policy: &effective,
    };
    check.port(&port_context, &mut verdicts);
    let device_context = DeviceContext {
        device,
        policy: &effective,
        set: &set,
    };
    check.device(&device_context, &mut verdicts);
    for detail in &verdicts.details {
        assert!(!detail.message.contains(&port.name), "{}", detail.message);
    }
    verdicts
}

/// The same of a port by itself, with the default policy.
pub fn judged(check: &dyn Check, kind: DeviceKind, port: &Port) -> Verdicts {
    let device = Device::new("device", kind, "test");
    verdicts_of(check, &device, port, "builtin:roce-lossless")
}

/// The outcome on a host's port, with the default policy.
pub fn host(check: &dyn Check, port: &Port) -> Told {
    Told::from(&judged(check, DeviceKind::Host, port))
}

/// The outcome on a switch's port, with the default policy.
pub fn switch(check: &dyn Check, port: &Port) -> Told {
    Told::from(&judged(check, DeviceKind::Switch, port))
}

/// A set of priorities that a line states.
pub fn priorities(list: &[u8]) -> Fact<Priorities> {
    stated(list.iter().copied().collect())
}

/// A map, complete, that lines state.
pub fn map(entries: impl IntoIterator<Item = (u8, u8)>) -> Fact<Arc<CodeMap>> {
    let mut map = CodeMap::new();
    for (key, value) in entries {
        map.set_explicit(key, value, Origin::new(0, 0));
    }
    stated(Arc::new(map))
}

/// The same where the capture shows only a part.
pub fn part_of_map(entries: impl IntoIterator<Item = (u8, u8)>) -> Fact<Arc<CodeMap>> {
    let whole = map(entries);
    whole.map(|map| {
        let mut part = CodeMap::clone(map);
        part.complete = false;
        Arc::new(part)
    })
}

/// All 64 DSCPs: 26 to traffic class 3, 48 to 6, the rest to 1, but for the
/// changes.
pub fn dscp_map(changes: &[(u8, u8)]) -> Fact<Arc<CodeMap>> {
    let usual = |dscp| match dscp {
        26 => 3,
        48 => 6,
        _ => 1,
    };
    let whole = (0..64).map(|dscp| (dscp, usual(dscp)));
    map(whole.chain(changes.iter().copied()))
}

/// Each of 0 to 7 to itself, but for the changes.
pub fn straight(changes: &[(u8, u8)]) -> Fact<Arc<CodeMap>> {
    map((0..8).map(|n| (n, n)).chain(changes.iter().copied()))
}

/// The priority groups of SONiC's template (`qos_config.j2`), but for the
/// changes.
pub fn group_map(changes: &[(u8, u8)]) -> Fact<Arc<CodeMap>> {
    let usual = |tc| match tc {
        3 | 4 | 7 => tc,
        _ => 0,
    };
    map((0..8)
        .map(|tc| (tc, usual(tc)))
        .chain(changes.iter().copied()))
}

/// A switch's port of 100 Gb/s on which all checks pass with the default
/// policy, as a SONiC switch would have it.
pub fn good_port() -> Port {
    let mut port = Port {
        speed_mbps: stated(100_000),
        cable_m: stated(40),
        mtu: Mtu::from_raw(stated(9100), MtuCounts::Ip),
        trust: stated(Trust::Dscp),
        pfc: Pfc {
            enabled: priorities(&[3]),
            tx: priorities(&[3]),
            rx: priorities(&[3]),
            mode: stated(PfcMode::On),
            operational: Fact::default(),
            watchdog: Watchdog {
                enabled: stated(true),
                priorities: priorities(&[3]),
                detection_ms: stated(200),
                restoration_ms: stated(200),
                action: stated("drop".to_owned()),
                stormed: Fact::default(),
            },
        },
        link_pause: LinkPause {
            rx: stated(false),
            tx: stated(false),
        },
        ..Port::new("Ethernet0")
    };
    for (name, map) in [
        (MapName::DscpToTc, dscp_map(&[])),
        (MapName::TcToQueue, straight(&[])),
        (MapName::TcToPg, group_map(&[])),
        (MapName::PfcToQueue, straight(&[])),
        (MapName::PfcToPg, Fact::NotApplicable),
        (MapName::TcToDscp, map([])),
    ] {
        port.maps.set(name, map);
    }
    port.queues = (0..8).map(good_queue).collect();
    port.priority_groups = (0..8).map(good_group).collect();
    port
}

fn good_queue(id: u8) -> Queue {
    let marks = Ecn {
        enabled: stated(true),
        min_bytes: stated(150_000),
        max_bytes: stated(1_500_000),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: stated(Milli::whole(100)),
        wred_drop: stated(false),
    };
    let plain = Ecn {
        enabled: stated(false),
        min_bytes: Fact::NotApplicable,
        max_bytes: Fact::NotApplicable,
        probability_percent: Fact::NotApplicable,
        ..marks.clone()
    };
    Queue {
        lossless: stated(id == 3),
        ecn: Arc::new(if id == 3 { marks } else { plain }),
        scheduler: stated(match id {
            6 => SchedulerKind::Strict,
            _ => SchedulerKind::Weighted,
        }),
        share_percent: match id {
            6 => Fact::NotApplicable,
            _ => stated(Milli::whole(10)),
        },
        limit_bytes: Fact::NotApplicable,
        ..Queue::new(id)
    }
}

/// A lossless group as Mellanox ships it for 100 Gb/s over 40 m.
fn good_group(id: u8) -> PriorityGroup {
    PriorityGroup {
        lossless: stated(id == 3),
        buffer: Arc::new(GroupBuffer {
            headroom_bytes: stated(if id == 3 { 38_912 } else { 0 }),
            reserved_bytes: stated(if id == 3 { 58_368 } else { 0 }),
            pause_at_bytes: Fact::NotApplicable,
            resume_at_bytes: stated(19_456),
            alpha: stated(Milli::whole(1)),
            pool: stated("ingress_lossless_pool".to_owned()),
        }),
        ..PriorityGroup::new(id)
    }
}

/// The port of a host on which the checks of PFC, maps, trust and ECN pass
/// with the default policy, as `mlnx_qos` tells it.
pub fn good_nic_port() -> Port {
    let not_of_hosts = good_port();
    let mut port = Port {
        speed_mbps: stated(100_000),
        mtu: Mtu::from_raw(stated(9000), MtuCounts::Ip),
        trust: stated(Trust::Dscp),
        pfc: Pfc {
            operational: Fact::default(),
            watchdog: Watchdog {
                enabled: Fact::NotApplicable,
                priorities: Fact::NotApplicable,
                detection_ms: Fact::NotApplicable,
                restoration_ms: Fact::NotApplicable,
                action: Fact::NotApplicable,
                stormed: Fact::NotApplicable,
            },
            ..not_of_hosts.pfc
        },
        link_pause: not_of_hosts.link_pause,
        nic: Some(Box::new(good_nic())),
        ..Port::new("ens1f0np0")
    };
    // By blocks of eight, as the tool sets it up: 24 to 31 are priority 3.
    let blocks = map((0..64).map(|dscp| (dscp, dscp / 8)));
    let buffers = map((0..8).map(|priority| (priority, u8::from(priority == 3))));
    for (name, map) in [
        (MapName::DscpToTc, blocks),
        (MapName::PcpToTc, straight(&[])),
        (MapName::TcToQueue, straight(&[])),
        (MapName::TcToPg, buffers),
        (MapName::PfcToQueue, Fact::NotApplicable),
        (MapName::PfcToPg, Fact::NotApplicable),
        (MapName::TcToDscp, Fact::NotApplicable),
    ] {
        port.maps.set(name, map);
    }
    let mut group = PriorityGroup::new(1);
    group.lossless = stated(true);
    group.buffer = Arc::new(GroupBuffer {
        reserved_bytes: stated(156_096),
        ..GroupBuffer::default()
    });
    port.priority_groups = vec![group];
    port
}

fn good_nic() -> Nic {
    let mut address = [0; 16];
    address[10..].copy_from_slice(&[0xff, 0xff, 10, 26, 1, 11]);
    Nic {
        rdma_device: stated("mlx5_0".to_owned()),
        driver: stated("mlx5_core".to_owned()),
        link_type: stated(LinkType::Ethernet),
        traffic_class: stated(106),
        tos_dscp: stated(26),
        rdma_mtu: stated(4096),
        dcbx: stated(Dcbx::Os),
        software: stated(false),
        gids: stated(vec![Gid {
            index: 3,
            kind: Some(GidType::RoceV2),
            address,
        }]),
        ..Nic::default()
    }
}

/// A device with the pool that [`good_port`] takes its buffer from.
pub fn device(kind: DeviceKind) -> Device {
    let mut device = Device::new("device", kind, "test");
    device.buffer_pools.push(BufferPool {
        name: "ingress_lossless_pool".to_owned(),
        direction: stated(Direction::Ingress),
        mode: stated(PoolMode::Dynamic),
        size_bytes: stated(33_554_432),
        headroom_bytes: Fact::NotApplicable,
        oversubscription: Fact::NotApplicable,
    });
    device
}

/// Which checks of some areas fire on a port, as `fail pfc/missing`,
/// `info map/shared-class`, `unknown ecn/order`.
pub fn run_all(kind: DeviceKind, port: &Port, policy: &str, areas: &[&str]) -> BTreeSet<String> {
    let device = device(kind);
    let mut fired = BTreeSet::new();
    for check in super::registry() {
        let about = check.about();
        if !about.judges(kind) || !areas.contains(&about.area()) {
            continue;
        }
        for detail in verdicts_of(*check, &device, port, policy).details {
            let state = match (detail.unknown, detail.severity) {
                (true, _) => "unknown",
                (false, Some(Severity::Info)) => "info",
                (false, _) => "fail",
            };
            assert!(
                detail.evidence.len() + usize::from(about.area() == "collect") > 0,
                "{} shows no evidence: {}",
                about.id,
                detail.message
            );
            fired.insert(format!("{state} {}", about.id));
        }
    }
    fired
}

/// Why a fact of a test is not known.
pub static NOT_KNOWN: Reason = Reason("the test left it out");

/// A fact that was not captured.
pub fn left_out<T>() -> Fact<T> {
    Fact::unknown(&NOT_KNOWN)
}
