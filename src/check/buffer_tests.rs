use super::{Egress, Headroom, Oversubscribed, Pool};
use crate::check::testing::{Told, host, host_port, judged, stated, switch, verdicts_of};
use crate::model::{
    BufferPool, CodeMap, Device, DeviceKind, Direction, Fact, GroupBuffer, MapName, Milli, Mtu,
    MtuCounts, Origin, PoolMode, Port, PriorityGroup, Queue,
};
use std::sync::Arc;

/// Group 3 with these sizes, at 100 Gb/s over 40 m.
fn port(lossless: Fact<bool>, buffer: GroupBuffer) -> Port {
    let mut port = Port::new("Ethernet0");
    port.speed_mbps = stated(100_000);
    port.cable_m = stated(40);
    port.mtu = Mtu::from_raw(stated(9100), MtuCounts::Ip);
    for map in [MapName::TcToPg, MapName::TcToQueue, MapName::PfcToQueue] {
        port.maps.set(map, straight());
    }
    let mut group = PriorityGroup::new(3);
    group.lossless = lossless;
    group.buffer = Arc::new(buffer);
    port.priority_groups.push(group);
    port
}

fn straight() -> Fact<Arc<CodeMap>> {
    let mut map = CodeMap::new();
    (0..8).for_each(|n| map.set_explicit(n, n, Origin::NONE));
    stated(Arc::new(map))
}

fn xoff(bytes: u64) -> GroupBuffer {
    GroupBuffer {
        headroom_bytes: stated(bytes),
        pool: stated("ingress_lossless_pool".to_owned()),
        ..GroupBuffer::default()
    }
}

fn pool(size: Fact<u64>) -> BufferPool {
    BufferPool {
        name: "ingress_lossless_pool".to_owned(),
        direction: stated(Direction::Ingress),
        mode: stated(PoolMode::Dynamic),
        size_bytes: size,
        headroom_bytes: Fact::default(),
        oversubscription: Fact::default(),
    }
}

fn with_pool(check: &dyn crate::check::Check, pool: BufferPool, port: Port) -> Told {
    let mut device = Device::new("leaf1", DeviceKind::Switch, "test");
    device.buffer_pools.push(pool);
    device.ports.push(port.clone());
    let policy = "builtin:roce-lossless";
    Told::from(&verdicts_of(check, &device, &port, policy))
}

#[test]
fn headroom_against_the_arithmetic() {
    // MSN2700, 100 Gb/s over 40 m: xoff 38912. By hand 18,444 are the least.
    for (bytes, told) in [
        (38_912, Told::Pass),
        (18_444, Told::Pass),
        (18_443, Told::Fail),
        (0, Told::Fail),
    ] {
        assert_eq!(switch(&Headroom, &port(stated(true), xoff(bytes))), told);
    }
}

#[test]
fn what_is_unknown_of_the_link_never_passes() {
    let forget: [fn(&mut Port); 2] = [
        |port| port.speed_mbps = Fact::default(),
        |port| port.mtu = Mtu::default(),
    ];
    for forget in forget {
        let mut enough = port(stated(true), xoff(38_912));
        forget(&mut enough);
        assert_eq!(switch(&Headroom, &enough), Told::Unknown);
        // Not even two frames of 1500 bytes: too small whatever the link.
        let mut nothing = port(stated(true), xoff(1024));
        forget(&mut nothing);
        assert_eq!(switch(&Headroom, &nothing), Told::Fail);
    }
    // 2 x (1500 + 42) + 84 + 5,000: enough for the smallest MTU, not for others.
    for (bytes, told) in [(8_168, Told::Unknown), (8_167, Told::Fail)] {
        let mut no_mtu = port(stated(true), xoff(bytes));
        no_mtu.mtu = Mtu::default();
        assert_eq!(switch(&Headroom, &no_mtu), told);
    }
    // The policy's cable length stands in for the port's.
    let mut no_cable = port(stated(true), xoff(38_912));
    no_cable.cable_m = Fact::default();
    assert_eq!(switch(&Headroom, &no_cable), Told::Pass);
}

#[test]
fn groups_without_sizes() {
    let made = Fact::default_of(true, "made at run time".to_owned());
    let by_switch = port(made, GroupBuffer::default());
    assert_eq!(switch(&Headroom, &by_switch), Told::Pass);
    let stated_only = port(stated(true), GroupBuffer::default());
    assert_eq!(switch(&Headroom, &stated_only), Told::Unknown);
    let lossy = port(stated(false), GroupBuffer::default());
    assert_eq!(switch(&Headroom, &lossy), Told::Fail);
    let unclear = port(Fact::default(), GroupBuffer::default());
    assert_eq!(switch(&Headroom, &unclear), Told::Unknown);
    assert_eq!(switch(&Headroom, &Port::new("Ethernet0")), Told::Unknown);
}

#[test]
fn receive_buffers_of_a_nic() {
    let of = |size: Fact<u64>, mtu: Option<u32>| {
        let mut port = host_port(|_| ());
        port.maps.set(MapName::TcToPg, straight());
        if let Some(mtu) = mtu {
            port.mtu = Mtu::from_raw(stated(mtu), MtuCounts::Ip);
        }
        let mut group = PriorityGroup::new(3);
        group.buffer = Arc::new(GroupBuffer {
            reserved_bytes: size,
            ..GroupBuffer::default()
        });
        port.priority_groups.push(group);
        host(&Headroom, &port)
    };
    // Two frames of 4200 + 22 bytes are 8,444.
    assert_eq!(of(stated(8_444), Some(4200)), Told::Pass);
    assert_eq!(of(stated(8_443), Some(4200)), Told::Fail);
    assert_eq!(of(Fact::default(), Some(4200)), Told::Unknown);
    // Without the MTU only the extremes can be told.
    assert_eq!(of(stated(896), None), Told::Fail);
    assert_eq!(of(stated(156_096), None), Told::Pass);
    assert_eq!(of(stated(8_444), None), Told::Unknown);
}

#[test]
fn a_pool_exists_and_has_room() {
    let group = || port(stated(true), xoff(38_912));
    assert_eq!(with_pool(&Pool, pool(stated(1)), group()), Told::Pass);
    assert_eq!(with_pool(&Pool, pool(stated(0)), group()), Told::Fail);
    let mut other = pool(stated(1));
    other.name = "egress_lossless_pool".to_owned();
    assert_eq!(with_pool(&Pool, other, group()), Told::Fail);
    // A size that could not be read, one that the switch computes, no pools at all.
    let garbled = Fact::unknown_at("not a number".to_owned(), Origin::new(0, 9));
    assert_eq!(with_pool(&Pool, pool(garbled), group()), Told::Unknown);
    assert_eq!(
        with_pool(&Pool, pool(Fact::default()), group()),
        Told::Nothing
    );
    assert_eq!(switch(&Pool, &group()), Told::Unknown);
}

#[test]
fn shared_headroom() {
    let told = |room: Fact<u64>, ratio: Fact<Milli>, headroom: Fact<u64>| {
        let mut pool = pool(stated(10_000_000));
        pool.headroom_bytes = room;
        pool.oversubscription = ratio;
        let mut buffer = xoff(0);
        buffer.headroom_bytes = headroom;
        with_pool(&Oversubscribed, pool, port(stated(true), buffer))
    };
    let ratio = |n| stated(Milli::whole(n));
    assert_eq!(told(stated(1000), ratio(2), stated(2000)), Told::Pass);
    assert_eq!(told(stated(1000), ratio(2), stated(2001)), Told::Fail);
    assert_eq!(told(stated(1000), ratio(2), Fact::default()), Told::Unknown);
    // No shared headroom, no ratio, or over-subscription turned off.
    assert_eq!(told(Fact::default(), ratio(2), stated(2001)), Told::Nothing);
    assert_eq!(
        told(stated(1000), Fact::default(), stated(2001)),
        Told::Nothing
    );
    assert_eq!(told(stated(1000), ratio(0), stated(2001)), Told::Nothing);
}

#[test]
fn a_small_egress_limit() {
    let told = |limit: Fact<u64>, size: Fact<u64>| {
        let mut port = port(stated(true), xoff(38_912));
        let mut queue = Queue::new(3);
        queue.limit_bytes = limit;
        port.queues.push(queue);
        with_pool(&Egress, pool(size), port)
    };
    let size = || stated(10_000_000);
    assert_eq!(told(stated(10_000_000), size()), Told::Pass);
    assert_eq!(told(stated(1_518), size()), Told::Fail);
    assert_eq!(told(stated(1_518), Fact::default()), Told::Unknown);
    assert_eq!(told(Fact::NotApplicable, size()), Told::Nothing);
}

#[test]
fn failures_say_what_and_where() {
    let small = port(stated(true), xoff(1024));
    let verdicts = judged(&Headroom, DeviceKind::Switch, &small);
    let detail = &verdicts.details[0];
    assert_eq!(detail.class.as_deref(), Some("roce"));
    assert_eq!(detail.expected.as_deref(), Some(">= 18444B"));
    assert_eq!(detail.actual.as_deref(), Some("1024B"));
    assert!(detail.policy.is_known());
    assert!(!detail.evidence.is_empty());
}
