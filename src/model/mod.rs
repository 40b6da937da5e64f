//! The vendor-neutral model: devices, ports, queues, and facts with their
//! origin. Knows no vendor, no check and no output.

pub mod device;
pub mod fact;
pub mod field;
pub mod json;
pub mod nic;
pub mod origin;
pub mod port;
pub mod values;

pub use device::{BufferPool, Coverage, Device, Note, NoteKind};
pub use fact::{AnyFact, Fact, Kind, Reason, Why};
pub use field::{
    CounterField, DeviceField, Field, GroupField, NicField, NvLayer, PortField,
    PriorityCounterField, QueueField,
};
pub use nic::{Applications, Boot, Dcqcn, Gid, Nic, NvParameter, NvValue, Pcie};
pub use origin::Origin;
pub use port::{
    Counters, Ecn, GroupBuffer, LineOnly, LinkPause, MapName, Mtu, Peer, Pfc, Port,
    PriorityCounters, PriorityGroup, Queue, Watchdog, is_mac,
};
pub(crate) use values::words;
pub use values::{
    CodeMap, Dcbx, DeviceKind, Direction, GidType, LinkType, MapEntry, Milli, MtuCounts, PfcMode,
    PoolMode, Priorities, SchedulerKind, State, Trust, Word,
};
