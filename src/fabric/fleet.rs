//! What ports of one kind have in common: the settings that can be compared
//! over devices, each distinct set kept once.

use crate::model::{Device, Field, GroupField, NicField, Port, PortField, QueueField};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// The comparable settings of a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Profile {
    /// What else must be equal for a comparison to make sense: platform, and
    /// on hosts the NIC's part or driver.
    pub kind: String,
    /// Each with its value as JSON; those that are not known are left out.
    pub settings: Vec<(Field, String)>,
    /// Those that are not known.
    pub unknown: Vec<Field>,
}

impl Profile {
    /// Of a port.
    pub fn new(device: &Device, port: &Port) -> Self {
        let mut profile = Profile {
            kind: kind(device, port),
            ..Profile::default()
        };
        for field in port.fields() {
            let fact = port.fact(&field).filter(|_| is_setting(&field));
            let Some(fact) = fact else { continue };
            match fact.json() {
                Some(Value::Null) => profile.unknown.push(field),
                Some(value) => profile.settings.push((field, value.to_string())),
                None => {}
            }
        }
        profile.settings.sort();
        profile.unknown.sort();
        profile
    }

    /// The value of a setting, where it is known.
    pub fn get(&self, field: &Field) -> Option<&str> {
        let n = self.settings.binary_search_by(|(own, _)| own.cmp(field));
        self.settings.get(n.ok()?).map(|(_, value)| value.as_str())
    }

    /// Whether it applies and is not known.
    pub fn is_unknown(&self, field: &Field) -> bool {
        self.unknown.binary_search(field).is_ok()
    }
}

fn kind(device: &Device, port: &Port) -> String {
    let speed = port.speed_mbps.get().unwrap_or_default();
    let nic = port.nic.as_deref();
    let part = nic.and_then(|nic| nic.part.value().or(nic.driver.value()));
    format!(
        "{} {} {speed}",
        device.platform,
        part.map_or("", String::as_str)
    )
}

/// Whether a fact is a setting: neither a counter, a state, nor what names or
/// places the single port.
fn is_setting(field: &Field) -> bool {
    match field {
        Field::Port(field) => !matches!(
            field,
            PortField::Speed
                | PortField::Admin
                | PortField::Oper
                | PortField::Description
                | PortField::MtuRaw
                | PortField::MtuCounts
                | PortField::Cable
                | PortField::PfcOperational
                | PortField::WatchdogStormed
        ),
        Field::Nic(field) => !matches!(
            field,
            NicField::RdmaDevice | NicField::Pci | NicField::Gids | NicField::Part
        ),
        // Sizes of a group follow the cable.
        Field::Group(_, field) => matches!(field, GroupField::Lossless | GroupField::Alpha),
        // It follows from PFC and maps.
        Field::Queue(_, QueueField::Lossless) => false,
        Field::Map(_)
        | Field::MapEntry(..)
        | Field::Queue(..)
        | Field::DcqcnParameter(_)
        | Field::ApplicationClass(_)
        | Field::Nv(..) => true,
        // Where rows stand is the host's own.
        Field::ApplicationGid(_) => false,
        Field::Counter(_) | Field::PriorityCounter(..) => false,
    }
}

/// Profiles by content, so that equal ones of thousands of devices are one object.
#[derive(Debug, Default)]
pub struct Profiles(Mutex<HashMap<u64, Vec<Arc<Profile>>>>);

impl Profiles {
    /// The one object for this content.
    pub fn share(&self, profile: Profile) -> Arc<Profile> {
        let mut hasher = DefaultHasher::new();
        profile.hash(&mut hasher);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = all.entry(hasher.finish()).or_default();
        match same.iter().find(|other| ***other == profile) {
            Some(other) => Arc::clone(other),
            None => {
                let profile = Arc::new(profile);
                same.push(Arc::clone(&profile));
                profile
            }
        }
    }
}
