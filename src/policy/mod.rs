//! The policy: what a fabric is meant to be, written in YAML.
//!
//! [`load`] or [`parse`] gives a [`PolicySet`], or a [`PolicyError`] with all
//! problems and their lines. Per port, [`PolicySet::effective`] lays the
//! matching overrides over the policy; ports that match the same overrides
//! share one [`Effective`]. Each value in it is an [`Expect`], which judges an
//! actual value, in a [`Located`], which knows the line that a finding cites.
//! What is `None` there is not asked for, so not judged.
//!
//! ```
//! use roceaudit::policy::{self, Bytes, Judgement, Subject};
//!
//! let policy = policy::load("builtin:roce-lossless")?;
//! let port = Subject { device: "leaf1", port: "Ethernet0", platform: "sonic", ..Subject::default() };
//! let effective = policy.effective(&port);
//! assert_eq!(effective.lossless_priorities(), [3]);
//!
//! let mtu = effective.mtu.switch.as_ref().expect("the policy gives it");
//! assert_eq!(mtu.value.to_string(), ">= 4200");
//! assert_eq!(mtu.value.judge(&Bytes(9100.0)), Judgement::Met);
//! assert!(mtu.position.line > 0);
//! # Ok::<(), policy::PolicyError>(())
//! ```
//!
//! Where things are: `yaml` (text to nodes with positions), `read` (nodes to
//! typed sections), `schema` (the language), `quantity` and `expect` (values),
//! `load` (validation), `effective` and `select` (overrides, roles, waivers),
//! `assert` (CEL), `builtin` (shipped policies, JSON Schema), `show`.

mod assert;
mod builtin;
mod effective;
mod error;
mod expect;
mod load;
mod quantity;
mod read;
mod schema;
mod select;
mod show;
mod yaml;

pub use assert::{Bindings, Bound, CompiledAssert, Outcome};
pub use builtin::{
    description as builtin_description, init_template, names as builtin_names, schema,
    text as builtin_text,
};
pub use effective::{Class, Effective, EffectiveId, ResolvedScope};
pub use error::{PolicyError, Problem};
pub use expect::{Expect, Judgement};
pub use load::{load, parse};
pub use quantity::{
    Bandwidth, Bytes, Duration, Metres, Number, PerPacket, Percent, Quantity, Speed, Switch, Text,
    Threshold,
};
pub use read::{Code, Codes, Entries, Exactly, Globs};
pub use schema::{
    Bom, Buffers, Counters, DEFAULT_CLASS, Day, Dcqcn, Each, Ecn, Fabric, Headroom, Load, Mtu, Nic,
    Pairs, Pfc, Policy, PortState, Rail, Routing, Scheduler, Severity, Waiver, Watchdog,
};
pub use select::{Disabled, PolicySet, Subject, Unmatched, Waived};
pub use yaml::{Located, Position};

#[cfg(test)]
mod tests;
