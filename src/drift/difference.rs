//! One difference: which fact, and what both sides have of it.

use crate::model::field::{DeviceField, GroupField, PoolField, QueueField, escape};
use crate::model::{AnyFact, Device, Field, Kind, NicField, Origin, Port, PortField};
use serde_json::Value;
use std::fmt;

/// One fact that differs, or a member that only one side has.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Which.
    pub address: Address,
    /// What the old side has.
    pub old: Seen,
    /// What the new side has.
    pub new: Seen,
    /// The difference of the same list that this one only follows from.
    pub follows: Option<usize>,
}

/// What one side has of a fact.
#[derive(Clone, PartialEq, Debug)]
pub enum Seen {
    /// It does not apply, or there is no such member.
    Absent,
    /// It is not known.
    Unknown,
    /// It is known.
    Value(Value, Kind),
}

/// The address of what differs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Address {
    /// The platform of a device.
    Platform,
    /// A fact of the device.
    Device(DeviceField),
    /// A whole buffer pool.
    Pool(String),
    /// A fact of a buffer pool.
    PoolFact(String, PoolField),
    /// A fact of a port.
    Fact(Field),
    /// A whole egress queue.
    Queue(u8),
    /// A whole priority group.
    Group(u8),
    /// The RDMA side of a port.
    Nic,
    /// The other end of the cable.
    Peer,
    /// A line that no fact stands for.
    Line,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Platform => f.write_str("platform"),
            Address::Device(field) => f.write_str(field.path()),
            Address::Pool(name) => write!(f, "buffer_pools/{}", escape(name)),
            Address::PoolFact(name, field) => {
                write!(f, "buffer_pools/{}/{}", escape(name), field.path())
            }
            Address::Fact(field) => field.fmt(f),
            Address::Queue(id) => write!(f, "queues/{id}"),
            Address::Group(id) => write!(f, "priority_groups/{id}"),
            Address::Nic => f.write_str("nic"),
            Address::Peer => f.write_str("peer"),
            Address::Line => f.write_str("config"),
        }
    }
}

impl Address {
    /// Whether it belongs to the bill of materials: what was built in, cabled
    /// or installed, not what was configured.
    pub fn is_bom(&self) -> bool {
        match self {
            Address::Platform | Address::Peer => true,
            Address::Device(field) => *field != DeviceField::Hostname,
            Address::Fact(Field::Port(field)) => *field == PortField::Cable,
            Address::Fact(Field::Nic(field)) => matches!(
                field,
                NicField::Driver
                    | NicField::Pci
                    | NicField::Firmware
                    | NicField::FirmwareStored
                    | NicField::Part
                    | NicField::Model
            ),
            _ => false,
        }
    }
}

impl Seen {
    pub(super) fn of(fact: Option<&dyn AnyFact>) -> Seen {
        match fact.and_then(|fact| Some((fact.json()?, fact.kind()))) {
            None => Seen::Absent,
            Some((_, Kind::Unknown)) => Seen::Unknown,
            Some((value, kind)) => Seen::Value(value, kind),
        }
    }

    pub(super) fn value(value: impl Into<Value>) -> Seen {
        Seen::Value(value.into(), Kind::Explicit)
    }

    /// The value, where there is a known one.
    pub fn known(&self) -> Option<&Value> {
        match self {
            Seen::Value(value, _) => Some(value),
            Seen::Absent | Seen::Unknown => None,
        }
    }

    pub(super) fn same(&self, other: &Seen) -> bool {
        match (self, other) {
            (Seen::Value(a, _), Seen::Value(b, _)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl Difference {
    /// Whether either side is not known: then it can't be told whether the
    /// device changed.
    pub fn is_unknown(&self) -> bool {
        self.old == Seen::Unknown || self.new == Seen::Unknown
    }
}

/// Where one side of a difference was read; of the port where it is one's.
pub fn origin(device: &Device, port: Option<&Port>, address: &Address) -> Origin {
    let pool = |name: &str| device.pool(name);
    match (address, port) {
        (Address::Device(field), _) => field.of(device).at(),
        (Address::Pool(name), _) => pool(name).map_or(Origin::NONE, |pool| {
            first(PoolField::ALL.iter().map(|field| field.of(pool).at()))
        }),
        (Address::PoolFact(name, field), _) => {
            pool(name).map_or(Origin::NONE, |pool| field.of(pool).at())
        }
        (Address::Fact(field), Some(port)) => {
            let evidence = port.evidence(field);
            match evidence.at.is_known() {
                true => evidence.at,
                false => evidence.attached,
            }
        }
        (Address::Queue(id), Some(port)) => port.queue(*id).map_or(Origin::NONE, |queue| {
            let facts = QueueField::ALL.iter().map(|field| field.of(queue).at());
            first(std::iter::once(queue.attached.0).chain(facts))
        }),
        (Address::Group(id), Some(port)) => {
            port.priority_group(*id).map_or(Origin::NONE, |group| {
                let facts = GroupField::ALL.iter().map(|field| field.of(group).at());
                first(std::iter::once(group.attached.0).chain(facts))
            })
        }
        (Address::Nic, Some(port)) => port.nic.as_deref().map_or(Origin::NONE, |nic| {
            first(NicField::ALL.iter().map(|field| field.of(nic).at()))
        }),
        (Address::Peer, Some(port)) => port.peer.as_ref().map_or(Origin::NONE, |peer| peer.at.0),
        _ => Origin::NONE,
    }
}

fn first(mut facts: impl Iterator<Item = Origin>) -> Origin {
    facts.find(|at| at.is_known()).unwrap_or(Origin::NONE)
}
