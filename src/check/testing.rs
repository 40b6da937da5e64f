//! Runs one check on a port or device built by hand.

use super::{Check, DeviceContext, PortContext, Verdicts};
use crate::model::{Device, DeviceKind, Fact, Nic, Origin, Port};
use crate::policy::{self, Subject};
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
