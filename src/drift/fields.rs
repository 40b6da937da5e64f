//! What differs between two models of one device: a pure function over both.
//! Values are compared, not how they are known or where they stand; counters
//! and states of the moment are not compared at all.

use super::difference::{Address, Difference, Seen};
use super::follows;
use super::pairs::{self, Pairs};
use crate::model::field::{DeviceField, PoolField};
use crate::model::{
    CodeMap, Device, Field, GroupField, MapName, NicField, Port, PortField, QueueField, json,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What differs of a device.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DeviceDiff {
    /// Of the device as a whole.
    pub own: Vec<Difference>,
    /// Of ports that are in both, in the order of the new device.
    pub ports: Vec<PortDiff>,
    /// Ports only in the new device, by their place in it.
    pub added: Vec<usize>,
    /// Ports only in the old device, by their place in it.
    pub removed: Vec<usize>,
    /// Ports with another name, by their places in the old and the new device.
    pub renamed: Vec<(usize, usize)>,
}

/// What differs of a port.
#[derive(Clone, PartialEq, Debug)]
pub struct PortDiff {
    /// Its place in the old device.
    pub old: usize,
    /// Its place in the new device.
    pub new: usize,
    /// What differs; never empty.
    pub differences: Vec<Difference>,
}

/// Compares two models of one device.
pub fn compare(old: &Device, new: &Device) -> DeviceDiff {
    let alike = old.platform == new.platform;
    let Pairs {
        both,
        added,
        removed,
        renamed,
    } = pairs::ports(old, new);
    let mut diff = DeviceDiff {
        own: of_device(old, new, alike),
        added,
        removed,
        renamed,
        ..DeviceDiff::default()
    };
    let mut memo: Vec<(usize, usize, Vec<Difference>)> = Vec::new();
    const REMEMBERED: usize = 16;
    for (n, m) in both {
        let (Some(before), Some(after)) = (old.ports.get(n), new.ports.get(m)) else {
            continue;
        };
        let mut differences = Vec::new();
        if !same_settings(before, after) {
            // Ports of equal settings that changed alike are compared once.
            let known = memo.iter().rev().take(REMEMBERED).find(|(a, b, _)| {
                let same = |ports: &[Port], at: usize, port| {
                    ports
                        .get(at)
                        .is_some_and(|other| same_settings(other, port))
                };
                same(&old.ports, *a, before) && same(&new.ports, *b, after)
            });
            differences = match known {
                Some((_, _, differences)) => differences.clone(),
                None => {
                    let differences = of_settings(before, after, alike);
                    memo.push((n, m, differences.clone()));
                    differences
                }
            };
        }
        of_place(old, new, (before, after), &mut differences);
        if !differences.is_empty() {
            diff.ports.push(PortDiff {
                old: n,
                new: m,
                differences,
            });
        }
    }
    diff.ports.sort_by_key(|port| port.new);
    diff
}

/// Whether two ports have the same settings, counters and states of the
/// moment aside. Equal ones differ in nothing; unequal ones may.
fn same_settings(old: &Port, new: &Port) -> bool {
    // Each by name, so that a new fact of the model can't be forgotten.
    let Port {
        name: _,
        description: _, // of this port alone
        peer: _,
        declared: _,
        oper: _,
        counters: _,
        speed_mbps,
        fec,
        admin,
        cable_m,
        mtu,
        trust,
        pfc,
        link_pause,
        maps,
        queues,
        priority_groups,
        nic,
    } = old;
    (speed_mbps, fec, admin, cable_m) == (&new.speed_mbps, &new.fec, &new.admin, &new.cable_m)
        && (mtu, trust, pfc, link_pause) == (&new.mtu, &new.trust, &new.pfc, &new.link_pause)
        && maps == &new.maps
        && queues == &new.queues
        && priority_groups == &new.priority_groups
        && nic == &new.nic
}

/// Collects differences.
#[derive(Default)]
struct Found(Vec<Difference>);

impl Found {
    fn add(&mut self, address: Address, old: Seen, new: Seen) {
        if !old.same(&new) {
            self.0.push(Difference {
                address,
                old,
                new,
                follows: None,
            });
        }
    }
}

/// What differs of the device itself and of its pools.
fn of_device(old: &Device, new: &Device, alike: bool) -> Vec<Difference> {
    let mut found = Found::default();
    found.add(
        Address::Platform,
        Seen::value(old.platform),
        Seen::value(new.platform),
    );
    for field in DeviceField::ALL {
        let (before, after) = (field.of(old), field.of(new));
        found.add(
            Address::Device(*field),
            Seen::of(Some(before)),
            Seen::of(Some(after)),
        );
    }
    if !alike {
        return found.0; // pools are each platform's own
    }
    let names = old.buffer_pools.iter().chain(&new.buffer_pools);
    let names: BTreeSet<&str> = names.map(|pool| pool.name.as_str()).collect();
    for name in names {
        let (before, after) = (old.pool(name), new.pool(name));
        let whole = |device: &Device| match device.pool(name) {
            None => Seen::Absent,
            Some(pool) => Seen::value(json::pool(pool)),
        };
        match (before, after) {
            (Some(before), Some(after)) => {
                for field in PoolField::ALL {
                    found.add(
                        Address::PoolFact(name.to_owned(), *field),
                        Seen::of(Some(field.of(before))),
                        Seen::of(Some(field.of(after))),
                    );
                }
            }
            _ => found.add(Address::Pool(name.to_owned()), whole(old), whole(new)),
        }
    }
    found.0
}

/// What differs of a port beside its settings: who is at the other end, and
/// the text that says so.
fn of_place(
    old: &Device,
    new: &Device,
    (before, after): (&Port, &Port),
    differences: &mut Vec<Difference>,
) {
    let mut found = Found(std::mem::take(differences));
    found.add(
        Address::Fact(Field::Port(PortField::Description)),
        Seen::of(Some(&before.description)),
        Seen::of(Some(&after.description)),
    );
    let peer = |device: &Device, port: &Port| match &port.peer {
        Some(peer) => Seen::value(json!({"device": peer.device, "port": peer.port})),
        None if device.coverage.peers => Seen::Absent,
        None => Seen::Unknown,
    };
    let (before, after) = (peer(old, before), peer(new, after));
    // A source that names no peers says nothing of cables.
    if before != Seen::Unknown && after != Seen::Unknown {
        found.add(Address::Peer, before, after);
    }
    *differences = found.0;
}

/// What differs of the settings of a port. Between two platforms only what
/// means the same on both.
fn of_settings(old: &Port, new: &Port, alike: bool) -> Vec<Difference> {
    let mut found = Found::default();
    let own = |field: &PortField| match field {
        PortField::Oper | PortField::PfcOperational | PortField::WatchdogStormed => false,
        PortField::Description => false,
        PortField::MtuRaw | PortField::MtuCounts => alike,
        _ => true,
    };
    for field in PortField::ALL.iter().filter(|field| own(field)) {
        let (before, after) = (Seen::of(Some(field.of(old))), Seen::of(Some(field.of(new))));
        if alike || (before != Seen::Absent && after != Seen::Absent) {
            found.add(Address::Fact(Field::Port(*field)), before, after);
        }
    }
    if alike {
        for map in MapName::ALL {
            of_map(old, new, map, &mut found);
        }
        of_queues(old, new, &mut found);
        of_groups(old, new, &mut found);
    }
    of_nic(old, new, &mut found);
    follows::mark(&mut found.0, old, new);
    found.0
}

fn of_map(old: &Port, new: &Port, map: MapName, found: &mut Found) {
    let (before, after) = (old.maps.get(map), new.maps.get(map));
    let (Some(a), Some(b)) = (before.value(), after.value()) else {
        return found.add(
            Address::Fact(Field::Map(map)),
            Seen::of(Some(before)),
            Seen::of(Some(after)),
        );
    };
    if a == b {
        return;
    }
    let entry = |map: &CodeMap, key| match map.get(key) {
        Some(entry) => Seen::of(Some(entry)),
        None if map.complete => Seen::Absent,
        None => Seen::Unknown,
    };
    let keys = a.entries().iter().chain(b.entries()).map(|entry| entry.key);
    for key in keys.collect::<BTreeSet<u8>>() {
        let address = Address::Fact(Field::MapEntry(map, key));
        found.add(address, entry(a, key), entry(b, key));
    }
}

fn of_queues(old: &Port, new: &Port, found: &mut Found) {
    let ids = old.queues.iter().chain(&new.queues).map(|queue| queue.id);
    for id in ids.collect::<BTreeSet<u8>>() {
        let (Some(before), Some(after)) = (old.queue(id), new.queue(id)) else {
            let whole = |port: &Port| match port.queue(id) {
                None => Seen::Absent,
                Some(queue) => Seen::value(json::queue(queue)),
            };
            found.add(Address::Queue(id), whole(old), whole(new));
            continue;
        };
        for field in QueueField::ALL {
            found.add(
                Address::Fact(Field::Queue(id, *field)),
                Seen::of(Some(field.of(before))),
                Seen::of(Some(field.of(after))),
            );
        }
    }
}

fn of_groups(old: &Port, new: &Port, found: &mut Found) {
    let groups = old.priority_groups.iter().chain(&new.priority_groups);
    let ids = groups.map(|group| group.id);
    for id in ids.collect::<BTreeSet<u8>>() {
        let (Some(before), Some(after)) = (old.priority_group(id), new.priority_group(id)) else {
            let whole = |port: &Port| match port.priority_group(id) {
                None => Seen::Absent,
                Some(group) => Seen::value(json::group(group)),
            };
            found.add(Address::Group(id), whole(old), whole(new));
            continue;
        };
        for field in GroupField::ALL {
            found.add(
                Address::Fact(Field::Group(id, *field)),
                Seen::of(Some(field.of(before))),
                Seen::of(Some(field.of(after))),
            );
        }
    }
}

fn of_nic(old: &Port, new: &Port, found: &mut Found) {
    let (Some(before), Some(after)) = (&old.nic, &new.nic) else {
        let whole = |port: &Port| match port.nic {
            None => Seen::Absent,
            Some(_) => Seen::value(json::port(port)["nic"].take()),
        };
        return found.add(Address::Nic, whole(old), whole(new));
    };
    if before == after {
        return;
    }
    let of_nic = |field: &Field| {
        !matches!(
            field,
            Field::Port(_)
                | Field::Map(_)
                | Field::MapEntry(..)
                | Field::Queue(..)
                | Field::Group(..)
                | Field::Counter(_)
                | Field::PriorityCounter(..)
        )
    };
    let mut fields: Vec<Field> = old.fields().into_iter().filter(of_nic).collect();
    for field in new.fields().into_iter().filter(of_nic) {
        if old.fact(&field).is_none() {
            fields.push(field);
        }
    }
    for field in fields {
        let seen = |port: &Port| match (Seen::of(port.fact(&field)), &field) {
            (Seen::Value(gids, kind), Field::Nic(NicField::Gids)) => {
                Seen::Value(without_index(gids), kind)
            }
            (seen, _) => seen,
        };
        let (before, after) = (seen(old), seen(new));
        found.add(Address::Fact(field), before, after);
    }
}

/// The rows of a GID table in an order of their own: their indexes move when a
/// link flaps.
fn without_index(mut gids: Value) -> Value {
    if let Value::Array(rows) = &mut gids {
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            row.remove("index");
        }
        rows.sort_by_cached_key(Value::to_string);
    }
    gids
}
