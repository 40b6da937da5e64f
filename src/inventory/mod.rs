//! The inventory: which devices there are, what they are, how they are
//! reached, and how they are cabled. Secrets never stand in it.

mod containerlab;
mod schema;

pub use schema::{
    Credential, Defaults, Device, Inventory, Secret, Tls, Transport, VERSION, json_schema,
};

use std::collections::{BTreeMap, BTreeSet};

/// An inventory larger than this is refused, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Why an inventory can't be used.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    /// The file can't be read.
    #[error("cannot read the inventory {file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// It is no inventory, or something in it is wrong.
    #[error("{file}: {message}")]
    Invalid {
        /// The file.
        file: String,
        /// What is wrong, with line and column where they are known.
        message: String,
    },
}

impl Inventory {
    /// Reads an inventory, or a containerlab topology.
    ///
    /// # Errors
    /// A file that can't be read, syntax, unknown keys, plain passwords,
    /// references that lead nowhere, devices that are named twice.
    pub fn load(file: &str) -> Result<Inventory, InventoryError> {
        let unreadable = |reason: String| InventoryError::Unreadable {
            file: file.to_owned(),
            reason,
        };
        let size = std::fs::metadata(file).map_err(|e| unreadable(e.to_string()))?;
        if size.len() > MAX_BYTES {
            return Err(unreadable(format!(
                "it is larger than {} MiB",
                MAX_BYTES >> 20
            )));
        }
        let bytes = std::fs::read(file).map_err(|e| unreadable(e.to_string()))?;
        let text =
            String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".into()))?;
        Self::parse(file, &text)
    }

    /// Reads an inventory from its text; `file` names it in messages.
    ///
    /// # Errors
    /// As for [`Inventory::load`], without those of the file.
    pub fn parse(file: &str, text: &str) -> Result<Inventory, InventoryError> {
        let invalid = |message: String| InventoryError::Invalid {
            file: file.to_owned(),
            message,
        };
        let inventory = match containerlab::is_topology(text) {
            true => containerlab::read(text).map_err(invalid)?,
            false => schema::read(text).map_err(invalid)?,
        };
        inventory.check().map_err(invalid)?;
        Ok(inventory)
    }

    /// What the types alone can't tell.
    fn check(&self) -> Result<(), String> {
        if let Some(version) = self.version.filter(|version| *version != VERSION) {
            return Err(format!(
                "version {version} of the inventory; this program reads version {VERSION}"
            ));
        }
        let mut names = BTreeSet::new();
        for device in &self.devices {
            if device.name.is_empty()
                || device.name.contains(['/', '\0'])
                || device.name.starts_with('.')
            {
                return Err(format!("{:?} is no name for a device", device.name));
            }
            if !names.insert(device.name.as_str()) {
                return Err(format!("the device {} is listed twice", device.name));
            }
            if let Some(platform) = &device.platform
                && crate::platform::by_name(platform).is_none()
            {
                let known: Vec<&str> = crate::platform::registry()
                    .iter()
                    .map(|p| p.name())
                    .collect();
                return Err(format!(
                    "{}: no platform {platform}; there are: {}",
                    device.name,
                    known.join(", ")
                ));
            }
            let credentials = device.credentials.as_ref();
            if let Some(name) = credentials.filter(|name| !self.credentials.contains_key(*name)) {
                return Err(format!("{}: there are no credentials {name}", device.name));
            }
        }
        let default = self.defaults.credentials.as_ref();
        if let Some(name) = default.filter(|name| !self.credentials.contains_key(*name)) {
            return Err(format!("defaults: there are no credentials {name}"));
        }
        for [a, b] in &self.links {
            for end in [a, b] {
                let device = split(end).ok_or_else(|| {
                    format!("the link end {end:?} is not of the form device:port")
                })?;
                if !names.contains(device.0) {
                    return Err(format!(
                        "a link names {}, which is no device here",
                        device.0
                    ));
                }
            }
        }
        for device in &self.devices {
            if let Some(jump) = device.jump.as_deref()
                && !names.contains(jump)
            {
                return Err(format!(
                    "{}: the jump host {jump} is no device here",
                    device.name
                ));
            }
        }
        self.jumps_end()
    }

    /// No chain of jump hosts comes back to where it began.
    fn jumps_end(&self) -> Result<(), String> {
        let jumps: BTreeMap<&str, &str> = self
            .devices
            .iter()
            .filter_map(|d| Some((d.name.as_str(), d.jump.as_deref()?)))
            .collect();
        for start in jumps.keys() {
            let mut at = *start;
            for _ in 0..=jumps.len() {
                match jumps.get(at) {
                    Some(next) if next == start => {
                        return Err(format!("{start}: its jump hosts lead in a circle"));
                    }
                    Some(next) => at = next,
                    None => break,
                }
            }
        }
        Ok(())
    }

    /// The device with this name.
    pub fn device(&self, name: &str) -> Option<&Device> {
        self.devices.iter().find(|device| device.name == name)
    }

    /// The ends of the declared links: device and port, twice.
    pub fn links(&self) -> impl Iterator<Item = [(&str, &str); 2]> {
        self.links
            .iter()
            .filter_map(|[a, b]| Some([split(a)?, split(b)?]))
    }
}

/// `leaf1:Ethernet1` → device and port. Port names may hold colons
/// (`et-0/0/1:0`), names of devices do not.
fn split(end: &str) -> Option<(&str, &str)> {
    let (device, port) = end.split_once(':')?;
    (!device.is_empty() && !port.is_empty()).then_some((device, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
version: 1
credentials:
  tacacs: {username: audit, password: {env: ROCEAUDIT_PASSWORD}}
  hosts: {username: root, key: ~/.ssh/id_ed25519}
defaults: {transport: [gnmi, ssh], credentials: tacacs, timeout: 30s}
devices:
  - {name: leaf1, address: 192.0.2.11, platform: sonic, role: leaf, ports: {ssh: 22, gnmi: 6030}, tls: {ca: fabric-ca.pem}}
  - {name: bastion, address: 192.0.2.9}
  - {name: gpu01, address: 192.0.2.101, platform: linux, role: host, transport: [ssh], credentials: hosts, jump: bastion}
links:
  - [leaf1:Ethernet1, gpu01:ens1f0np0]
"#;

    fn error(text: &str) -> String {
        Inventory::parse("inventory.yaml", text)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn an_inventory_says_who_is_what_and_how_they_are_cabled() {
        let inventory = Inventory::parse("inventory.yaml", GOOD).unwrap();
        let leaf = inventory.device("leaf1").unwrap();
        assert_eq!(
            (leaf.platform.as_deref(), leaf.role.as_deref()),
            (Some("sonic"), Some("leaf"))
        );
        assert_eq!(leaf.ports.gnmi, Some(6030));
        let links: Vec<_> = inventory.links().collect();
        assert_eq!(links, [[("leaf1", "Ethernet1"), ("gpu01", "ens1f0np0")]]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (from, to, told) in [
            ("version: 1", "version: 2", "version 2 of the inventory"),
            ("role: leaf,", "rolle: leaf,", "rolle"),
            ("platform: sonic", "platform: sonix", "no platform sonix"),
            (
                "credentials: hosts",
                "credentials: host",
                "there are no credentials host",
            ),
            ("leaf1:Ethernet1,", "leaf1,", "device:port"),
            (
                "leaf1:Ethernet1,",
                "leaf9:Ethernet1,",
                "leaf9, which is no device",
            ),
            ("name: bastion,", "name: leaf1,", "listed twice"),
            ("jump: bastion", "jump: gateway", "the jump host gateway"),
            (
                "name: bastion,",
                "name: bastion, jump: gpu01,",
                "in a circle",
            ),
            ("name: bastion", "name: ../bastion", "no name for a device"),
        ] {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD);
            let error = error(&text);
            assert!(error.contains(told), "{told}: {error}");
        }
    }

    #[test]
    fn a_plain_password_is_refused_and_not_echoed() {
        let text = GOOD.replace("{env: ROCEAUDIT_PASSWORD}", "hunter2-secret");
        let error = error(&text);
        assert!(error.contains("password"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn a_containerlab_topology_gives_devices_and_links() {
        let text = "name: lab\ntopology:\n  nodes:\n    leaf1: {kind: sonic-vs, mgmt-ipv4: 192.0.2.11}\n    gpu01: {kind: linux}\n  links:\n    - endpoints: [\"leaf1:eth1\", \"gpu01:eth1\"]\n    - endpoints: [\"leaf1:eth9\", \"host:br0\"]\n";
        let inventory = Inventory::parse("lab.clab.yml", text).unwrap();
        assert_eq!(inventory.devices.len(), 2);
        assert_eq!(
            inventory.device("leaf1").unwrap().platform.as_deref(),
            Some("sonic")
        );
        let links: Vec<_> = inventory.links().collect();
        assert_eq!(links, [[("leaf1", "eth1"), ("gpu01", "eth1")]]);
    }
}
