//! containerlab topologies (<https://containerlab.dev/manual/topo-def-file/>):
//! nodes with their kinds, and links by their endpoints.

use super::schema::{Device, Inventory};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Lab {
    topology: Topology,
}

#[derive(Deserialize)]
struct Topology {
    #[serde(default)]
    nodes: BTreeMap<String, Option<Node>>,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Node {
    kind: Option<String>,
    mgmt_ipv4: Option<String>,
    group: Option<String>,
}

#[derive(Deserialize)]
struct Link {
    /// Other forms than the short one name no pair of node and interface.
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Endpoint {
    /// `leaf1:eth1`.
    Short(String),
    /// The long form.
    Long { node: String, interface: String },
    /// Ends outside of the lab.
    Other(serde::de::IgnoredAny),
}

/// The kinds that are platforms of ours.
const KINDS: &[(&str, &str)] = &[
    ("arista_ceos", "eos"),
    ("arista_veos", "eos"),
    ("ceos", "eos"),
    ("cisco_n9kv", "nxos"),
    ("cvx", "cumulus"),
    ("cumulus_cvx", "cumulus"),
    ("juniper_vjunosswitch", "junos"),
    ("juniper_vjunosevolved", "junos"),
    ("linux", "linux"),
    ("nokia_srlinux", "srlinux"),
    ("sonic-vs", "sonic"),
    ("sonic-vm", "sonic"),
    ("srl", "srlinux"),
];

/// Whether a YAML text is a topology: only one has this key at its top.
pub(super) fn is_topology(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("topology:"))
}

/// Reads a topology.
pub(super) fn read(text: &str) -> Result<Inventory, String> {
    let lab: Lab = serde_saphyr::from_str(text)
        .map_err(|error| format!("no containerlab topology: {}", error.without_snippet()))?;
    let nodes = lab.topology.nodes;
    let devices = nodes.iter().map(|(name, node)| {
        let kind = node.as_ref().and_then(|node| node.kind.as_deref());
        let platform = KINDS.iter().find(|(own, _)| Some(*own) == kind);
        Device {
            name: name.clone(),
            address: node.as_ref().and_then(|node| node.mgmt_ipv4.clone()),
            role: node.as_ref().and_then(|node| node.group.clone()),
            platform: platform
                .map(|(_, platform)| *platform)
                .filter(|platform| crate::platform::by_name(platform).is_some())
                .map(str::to_owned),
            ..Device::default()
        }
    });
    let end = |endpoint: &Endpoint| {
        let text = match endpoint {
            Endpoint::Short(text) => text.clone(),
            Endpoint::Long { node, interface } => format!("{node}:{interface}"),
            Endpoint::Other(_) => return None,
        };
        let node = text.split_once(':')?.0;
        nodes.contains_key(node).then_some(text)
    };
    let links = lab.topology.links.iter().filter_map(|link| {
        let [a, b] = link.endpoints.as_slice() else {
            return None; // to a bridge, a host or nowhere
        };
        Some([end(a)?, end(b)?])
    });
    Ok(Inventory {
        devices: devices.collect(),
        links: links.collect(),
        ..Inventory::default()
    })
}
