//! The model as JSON (`roceaudit.model/v1`).

use super::device::{BufferPool, Device};
use super::fact::AnyFact;
use super::field::{DeviceField, GroupField, PoolField, QueueField, escape};
use super::port::{Port, PriorityGroup, Queue};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

/// Name and version of the schema.
pub const SCHEMA: &str = "roceaudit.model/v1";

/// One leaf of a device with its path from the device, as a visitor sees it.
type Visit<'a> = &'a mut dyn FnMut(&str, &dyn AnyFact);

/// The device as JSON: an absent key does not apply, `null` is unknown.
pub fn device(device: &Device) -> Value {
    struct Whole<'a>(&'a Device);
    impl Serialize for Whole<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            write_device(self.0, &mut map)?;
            map.end()
        }
    }
    // Only a map whose keys are no text can't be made a value.
    serde_json::to_value(Whole(device)).unwrap_or_default()
}

/// Writes the members of a device's JSON. Of its ports, which can be many, no
/// more than one at a time is in memory as JSON.
///
/// # Errors
/// Those of the writer.
pub fn write_device<M: SerializeMap>(device: &Device, map: &mut M) -> Result<(), M::Error> {
    struct Ports<'a>(&'a [Port]);
    impl Serialize for Ports<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0.iter().map(port))
        }
    }
    map.serialize_entry("name", &device.name)?;
    map.serialize_entry("kind", device.kind.as_str())?;
    map.serialize_entry("platform", device.platform)?;
    map.serialize_entry("role", &device.role)?;
    for field in DeviceField::ALL {
        if let Some(leaf) = field.of(device).json() {
            map.serialize_entry(field.path(), &leaf)?;
        }
    }
    let pools: Vec<Value> = device.buffer_pools.iter().map(pool).collect();
    map.serialize_entry("buffer_pools", &pools)?;
    map.serialize_entry("ports", &Ports(&device.ports))
}

/// A buffer pool as JSON.
pub fn pool(pool: &BufferPool) -> Value {
    let mut value = json!({"name": pool.name});
    for field in PoolField::ALL {
        insert(&mut value, field.path(), field.of(pool));
    }
    value
}

/// The port as JSON.
pub fn port(port: &Port) -> Value {
    let mut value = json!({"name": port.name});
    let lists = ["queues", "priority_groups"];
    for field in port.fields() {
        let path = field.to_string();
        let top = path.split('/').next().unwrap_or_default();
        if let Some(fact) = port.fact(&field).filter(|_| !lists.contains(&top)) {
            insert(&mut value, &path, fact);
        }
    }
    value["queues"] = port.queues.iter().map(queue).collect();
    value["priority_groups"] = port.priority_groups.iter().map(group).collect();
    value["peer"] = match &port.peer {
        Some(peer) => json!({"device": peer.device, "port": peer.port, "by": peer.by}),
        None => Value::Null,
    };
    for absent in ["nic", "counters"] {
        if value.get(absent).is_none() {
            value[absent] = Value::Null;
        }
    }
    value
}

/// A queue as JSON.
pub fn queue(queue: &Queue) -> Value {
    let mut value = json!({"id": queue.id});
    for field in QueueField::ALL {
        insert(&mut value, field.path(), field.of(queue));
    }
    value
}

/// A priority group as JSON.
pub fn group(group: &PriorityGroup) -> Value {
    let mut value = json!({"id": group.id});
    for field in GroupField::ALL {
        insert(&mut value, field.path(), field.of(group));
    }
    value
}

/// Sets the leaf at a path; members that do not apply are left out.
fn insert(root: &mut Value, path: &str, fact: &dyn AnyFact) {
    let Some(leaf) = fact.json() else { return };
    let mut place = root;
    for segment in path.split('/') {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(members) = place else {
            return;
        };
        place = members.entry(segment).or_insert(Value::Null);
    }
    *place = leaf;
}

/// Calls `visit` for every fact of a device with its path, as in
/// `/ports/Ethernet1~11/pfc/enabled`.
pub fn each_leaf(device: &Device, visit: Visit<'_>) {
    for field in DeviceField::ALL {
        visit(&format!("/{}", field.path()), field.of(device));
    }
    for pool in &device.buffer_pools {
        let name = escape(&pool.name);
        for field in PoolField::ALL {
            visit(
                &format!("/buffer_pools/{name}/{}", field.path()),
                field.of(pool),
            );
        }
    }
    for port in &device.ports {
        let name = escape(&port.name);
        for field in port.fields() {
            if let Some(fact) = port.fact(&field) {
                visit(&format!("/ports/{name}/{field}"), fact);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CodeMap, DeviceKind, Fact, MapName, Origin, Priorities};
    use std::sync::Arc;

    #[test]
    fn absent_null_and_empty_are_three_things() {
        let mut port = Port::new("Ethernet1/1");
        port.pfc.enabled = Fact::explicit(Priorities::NONE, Origin::new(0, 1));
        port.pcp_not_applicable();
        let value = super::port(&port);
        assert_eq!(value["pfc"]["enabled"], json!([]));
        assert_eq!(value["speed_mbps"], Value::Null);
        assert_eq!(value.get("pcp_to_tc"), None);
        assert_eq!(value["nic"], Value::Null);
    }

    #[test]
    fn a_map_is_an_object_and_its_entries_have_paths() {
        let mut map = CodeMap::new();
        map.set_explicit(26, 3, Origin::new(0, 99));
        let mut port = Port::new("Ethernet1/1");
        port.maps.set(
            MapName::DscpToTc,
            Fact::explicit(Arc::new(map), Origin::new(0, 5)),
        );
        let mut device = Device::new("leaf1", DeviceKind::Switch, "sonic");
        device.ports.push(port);
        let value = super::device(&device);
        assert_eq!(value["ports"][0]["dscp_to_tc"], json!({"26": 3}));
        let mut seen = Vec::new();
        each_leaf(&device, &mut |path, fact| {
            seen.push((path.to_owned(), fact.at()))
        });
        assert!(seen.contains(&(
            "/ports/Ethernet1~11/dscp_to_tc/26".to_owned(),
            Origin::new(0, 99)
        )));
    }

    impl Port {
        fn pcp_not_applicable(&mut self) {
            self.maps.set(MapName::PcpToTc, Fact::NotApplicable);
        }
    }
}
