//! The bill of materials: what a fabric is built of, as it can be locked to a
//! file at the acceptance test and compared later.

use crate::model::{AnyFact, Device};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The schema of the file.
pub const SCHEMA: &str = "roceaudit.bom/v1";

/// All parts of a fabric, in the order of [`Part`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bom {
    /// [`SCHEMA`].
    schema: String,
    /// Each with what it was.
    parts: Vec<Entry>,
}

/// A part and its version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    part: Part,
    /// `None` where it is not known.
    version: Option<String>,
}

/// Names a part of the fabric.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The role of its device, or what the device is.
    pub role: String,
    /// The device.
    pub device: String,
    /// The port; none for a part of the device itself.
    pub port: Option<String>,
    /// What it is.
    pub kind: PartKind,
}

/// Kinds of parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The operating system's version.
    Os,
    /// The switch's hardware.
    Hardware,
    /// The NIC's part number.
    Nic,
    /// The NIC's firmware.
    Firmware,
    /// The NIC's driver.
    Driver,
    /// The cable's length, `40m`.
    Cable,
}

/// A part that is no longer what it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// The part.
    pub part: Part,
    /// What it was; none where it was not there.
    pub old: Option<String>,
    /// What it is; none where it is gone or not known.
    pub new: Option<String>,
    /// It is there, and what it is can't be told.
    pub unknown: bool,
}

/// Why a file is no bill of materials.
#[derive(Debug, thiserror::Error)]
pub enum BomError {
    /// No JSON, or not of this form.
    #[error("no bill of materials: {0}")]
    Json(#[from] serde_json::Error),
    /// Of another schema.
    #[error("schema {0:?}; this program reads {SCHEMA}")]
    Schema(String),
}

impl Bom {
    /// Of these devices.
    pub fn of<'d>(devices: impl IntoIterator<Item = &'d Device>) -> Self {
        let mut parts: Vec<Entry> = devices.into_iter().flat_map(parts).collect();
        parts.sort_by(|a, b| a.part.cmp(&b.part));
        Bom {
            schema: SCHEMA.to_owned(),
            parts,
        }
    }

    /// As the text of a file.
    ///
    /// # Errors
    /// None in practice: all of it can be written as JSON.
    pub fn to_json(&self) -> Result<String, BomError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// From the text of a file.
    ///
    /// # Errors
    /// Text that is no bill of materials, or one of another schema.
    pub fn from_json(text: &str) -> Result<Self, BomError> {
        let bom: Bom = serde_json::from_str(text)?;
        match bom.schema == SCHEMA {
            true => Ok(bom),
            false => Err(BomError::Schema(bom.schema)),
        }
    }

    /// What is no longer as in this bill, in the order of the parts. Of a part
    /// that was not known then nothing is told.
    pub fn changes(&self, now: &Bom) -> Vec<Changed> {
        let index = |bom: &Bom| -> BTreeMap<Part, Option<String>> {
            let entries = bom.parts.iter();
            entries
                .map(|e| (e.part.clone(), e.version.clone()))
                .collect()
        };
        let (then, mut now) = (index(self), index(now));
        let mut changes = Vec::new();
        for (part, old) in then {
            let there = now.remove(&part);
            let unknown = there == Some(None);
            let new = there.flatten();
            if old.is_some() && old != new {
                changes.push(Changed {
                    part,
                    old,
                    new,
                    unknown,
                });
            }
        }
        changes.extend(
            now.into_iter()
                .filter(|(_, new)| new.is_some())
                .map(|(part, new)| Changed {
                    part,
                    old: None,
                    new,
                    unknown: false,
                }),
        );
        changes.sort_by(|a, b| a.part.cmp(&b.part));
        changes
    }
}

fn parts(device: &Device) -> Vec<Entry> {
    let role = device.role.as_deref().unwrap_or(device.kind.as_str());
    let entry =
        |port: Option<&str>, kind: PartKind, fact: &dyn AnyFact, version: Option<String>| {
            let applies = fact.json().is_some();
            applies.then(|| Entry {
                part: Part {
                    role: role.to_owned(),
                    device: device.name.clone(),
                    port: port.map(str::to_owned),
                    kind,
                },
                version,
            })
        };
    let (os, hardware) = (&device.os_version, &device.hardware);
    let mut all = Vec::new();
    all.extend(entry(None, PartKind::Os, os, os.value().cloned()));
    all.extend(entry(
        None,
        PartKind::Hardware,
        hardware,
        hardware.value().cloned(),
    ));
    for port in &device.ports {
        let name = Some(port.name.as_str());
        if let Some(metres) = port.cable_m.get() {
            let length = Some(format!("{metres}m"));
            all.extend(entry(name, PartKind::Cable, &port.cable_m, length));
        }
        let Some(nic) = &port.nic else { continue };
        for (kind, fact) in [
            (PartKind::Nic, &nic.part),
            (PartKind::Firmware, &nic.firmware),
            (PartKind::Driver, &nic.driver),
        ] {
            all.extend(entry(name, kind, fact, fact.value().cloned()));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{host_port, stated};
    use crate::model::{DeviceKind, Port};

    fn fabric(os: Option<&str>, firmware: &[(&str, &str)]) -> Bom {
        let mut leaf = Device::new("leaf1", DeviceKind::Switch, "sonic");
        leaf.role = Some("leaf".to_owned());
        if let Some(os) = os {
            leaf.os_version = stated(os.to_owned());
        }
        leaf.ports.push(Port {
            cable_m: stated(40),
            ..Port::new("Ethernet0")
        });
        let mut host = Device::new("gpu01", DeviceKind::Host, "linux");
        for (name, version) in firmware {
            let mut port = host_port(|nic| nic.firmware = stated((*version).to_owned()));
            port.name = (*name).to_owned();
            host.ports.push(port);
        }
        Bom::of([&leaf, &host])
    }

    fn told(then: &Bom, now: &Bom) -> Vec<String> {
        let changes = then.changes(now).into_iter();
        let text = |c: Changed| {
            let port = c.part.port.unwrap_or_default();
            let word = |version: Option<String>| version.unwrap_or("-".to_owned());
            format!(
                "{} {} {port} {:?}: {} to {}{}",
                c.part.role,
                c.part.device,
                c.part.kind,
                word(c.old),
                word(c.new),
                if c.unknown { " (unknown)" } else { "" }
            )
        };
        changes.map(text).collect()
    }

    #[test]
    fn what_changed_since_the_acceptance_test() {
        let then = fabric(
            Some("202311.4"),
            &[("e1", "28.39.2048"), ("e2", "28.39.2048")],
        );
        assert_eq!(told(&then, &then), Vec::<String>::new());
        let now = fabric(
            Some("202405.1"),
            &[("e1", "28.39.2048"), ("e3", "28.40.1000")],
        );
        assert_eq!(
            told(&then, &now),
            [
                "host gpu01 e2 Firmware: 28.39.2048 to -",
                "host gpu01 e3 Firmware: - to 28.40.1000",
                "leaf leaf1  Os: 202311.4 to 202405.1",
            ]
        );
        // Not known any more is told; not known then has nothing to compare.
        let lost = fabric(None, &[("e1", "28.39.2048"), ("e2", "28.39.2048")]);
        assert_eq!(
            told(&then, &lost),
            ["leaf leaf1  Os: 202311.4 to - (unknown)"]
        );
        assert_eq!(told(&lost, &then), Vec::<String>::new());
    }

    #[test]
    fn a_bill_survives_its_file() {
        let bom = fabric(Some("202311.4"), &[("e1", "28.39.2048")]);
        let text = bom.to_json().unwrap();
        assert_eq!(Bom::from_json(&text).unwrap(), bom);
        assert!(text.contains("\"kind\": \"cable\""), "{text}");
        let other = text.replace("bom/v1", "bom/v2");
        assert!(matches!(Bom::from_json(&other), Err(BomError::Schema(_))));
        assert!(matches!(Bom::from_json("{"), Err(BomError::Json(_))));
    }
}
