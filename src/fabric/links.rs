//! Joins ports to links, by what each says of its neighbour.
//!
//! Names are compared as people mean them: a device by its name or its
//! hostname, without regard to case or domain, where that is unambiguous; a
//! port by its name, its case, or a usual abbreviation (`Eth1/1`, `Et1`).

use super::node::{Node, NodePort};
use crate::model::DeviceKind;
use std::collections::HashMap;

/// A port of the fabric: its device and its place there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PortId {
    /// Index of the device in [`Fabric::nodes`].
    pub node: u32,
    /// Index of the port in [`Node::ports`].
    pub port: u32,
}

impl PortId {
    fn new(node: usize, port: usize) -> Self {
        PortId {
            node: node as u32,
            port: port as u32,
        }
    }
}

/// A cable between two ports; `a` before `b`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    /// One end.
    pub a: PortId,
    /// The other.
    pub b: PortId,
    /// Whether only a description tells of it.
    pub by_description: bool,
}

/// What a port says of its neighbour and no link comes of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stray {
    /// No device of this source has the neighbour's name.
    UnknownDevice {
        /// Who says so.
        port: PortId,
        /// The name.
        device: String,
    },
    /// The neighbour has no such port, or does not tell which.
    UnknownPort {
        /// Who says so.
        port: PortId,
        /// The neighbour.
        node: usize,
        /// The port's name, where it was given.
        name: Option<String>,
    },
    /// The neighbour's port names somebody else.
    Contradiction {
        /// Who says so.
        port: PortId,
        /// The port that it names.
        other: PortId,
        /// Whom that one names.
        instead: PortId,
    },
    /// A declared cable leads elsewhere.
    Declared {
        /// One end of the cable.
        port: PortId,
        /// The end that was declared.
        other: PortId,
        /// The end that there is.
        instead: PortId,
    },
}

impl Stray {
    /// The port that says so.
    pub fn port(&self) -> PortId {
        match self {
            Stray::UnknownDevice { port, .. }
            | Stray::UnknownPort { port, .. }
            | Stray::Contradiction { port, .. }
            | Stray::Declared { port, .. } => *port,
        }
    }
}

/// All devices with the links between them.
#[derive(Debug, Default)]
pub struct Fabric {
    /// The devices.
    pub nodes: Vec<Node>,
    /// The links, in the order of their ends.
    pub links: Vec<Link>,
    /// Claims that no link comes of.
    pub strays: Vec<Stray>,
    /// By device and port: the other end.
    across: Vec<Vec<Option<PortId>>>,
}

impl Fabric {
    /// Joins the ports of devices by what they say of their neighbours, then
    /// by the cables that are declared, then by descriptions.
    pub fn join(nodes: Vec<Node>, declared: &[[(String, String); 2]]) -> Self {
        let names = Names::new(&nodes);
        let mut strays = Vec::new();
        let mut claims: Vec<Vec<Option<PortId>>> = empty(&nodes);
        let mut portless = Vec::new();
        for (from, port) in ports(&nodes) {
            let Some(peer) = &port.peer else { continue };
            let Some(to) = names.find(&peer.device) else {
                let device = peer.device.clone();
                strays.push(Stray::UnknownDevice { port: from, device });
                continue;
            };
            let name = peer.port_name();
            match name.and_then(|name| find_port(&nodes[to], name)) {
                // A port that hears itself is looped back.
                Some(q) if PortId::new(to, q) == from => {}
                Some(q) => {
                    claims[from.node as usize][from.port as usize] = Some(PortId::new(to, q));
                }
                None => portless.push((from, to, name)),
            }
        }
        let mut fabric = Fabric {
            across: empty(&nodes),
            ..Fabric::default()
        };
        for (n, ports) in claims.iter().enumerate() {
            for (p, claim) in ports.iter().enumerate() {
                let (from, Some(to)) = (PortId::new(n, p), *claim) else {
                    continue;
                };
                match at(&claims, to) {
                    Some(back) if back == from => {
                        if from < to {
                            fabric.connect(from, to, false);
                        }
                    }
                    Some(instead) => strays.push(Stray::Contradiction {
                        port: from,
                        other: to,
                        instead,
                    }),
                    // The other end says nothing: of two that claim it the first counts.
                    None => match at(&fabric.across, to) {
                        None => fabric.connect(from, to, false),
                        Some(instead) => strays.push(Stray::Contradiction {
                            port: from,
                            other: to,
                            instead,
                        }),
                    },
                }
            }
        }
        // A neighbour that does not say which port: one of it may name us.
        for (from, to, name) in portless {
            if at(&fabric.across, from).is_none() {
                strays.push(Stray::UnknownPort {
                    port: from,
                    node: to,
                    name: name.map(str::to_owned),
                });
            }
        }
        let end = |device: &str, port: &str| {
            let node = names.find(device)?;
            Some(PortId::new(node, find_port(&nodes[node], port)?))
        };
        let cables = declared.iter().filter_map(|[(d, p), (e, q)]| {
            Some((end(d, p)?, end(e, q)?)) // an end may not be in this source
        });
        let own = ports(&nodes).filter_map(|(from, port)| {
            let declared = port.declared.as_ref()?;
            Some((from, end(&declared.device, declared.port.as_deref()?)?))
        });
        for (a, b) in cables.chain(own) {
            match (at(&fabric.across, a), at(&fabric.across, b)) {
                (None, None) => fabric.connect(a, b, false),
                (Some(other), _) if other == b => {}
                (Some(instead), _) => strays.push(Stray::Declared {
                    port: a,
                    other: b,
                    instead,
                }),
                (None, Some(instead)) => strays.push(Stray::Declared {
                    port: b,
                    other: a,
                    instead,
                }),
            }
        }
        for (from, port) in ports(&nodes) {
            if at(&fabric.across, from).is_none()
                && let Some(to) = described(&nodes, &names, from.node as usize, port)
                && at(&fabric.across, to).is_none()
            {
                fabric.connect(from, to, true);
            }
        }
        fabric.links.sort_unstable();
        strays.sort_by_key(Stray::port);
        fabric.strays = strays;
        fabric.nodes = nodes;
        fabric
    }

    fn connect(&mut self, a: PortId, b: PortId, by_description: bool) {
        let (a, b) = (a.min(b), a.max(b));
        for (one, other) in [(a, b), (b, a)] {
            self.across[one.node as usize][one.port as usize] = Some(other);
        }
        self.links.push(Link {
            a,
            b,
            by_description,
        });
    }

    /// The port at the other end of the cable.
    pub fn across(&self, port: PortId) -> Option<PortId> {
        at(&self.across, port)
    }

    /// A device.
    pub fn node(&self, port: PortId) -> &Node {
        &self.nodes[port.node as usize]
    }

    /// A port.
    pub fn port(&self, port: PortId) -> &NodePort {
        &self.node(port).ports[port.port as usize]
    }

    /// `leaf1 Ethernet0`.
    pub fn name(&self, port: PortId) -> String {
        format!("{} {}", self.node(port).name, self.port(port).name)
    }

    /// Whether the port is a host's.
    pub fn is_host(&self, port: PortId) -> bool {
        self.node(port).kind == DeviceKind::Host
    }

    /// All ports of a device with the ports at the other ends.
    pub fn neighbours(&self, node: usize) -> impl Iterator<Item = (PortId, PortId)> {
        let across = self.across.get(node).into_iter().flatten().enumerate();
        across.filter_map(move |(p, other)| Some((PortId::new(node, p), (*other)?)))
    }

    /// The device that people mean by this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        Names::new(&self.nodes).find(name)
    }
}

/// All ports with their places.
fn ports(nodes: &[Node]) -> impl Iterator<Item = (PortId, &NodePort)> {
    nodes.iter().enumerate().flat_map(|(n, node)| {
        let ports = node.ports.iter().enumerate();
        ports.map(move |(p, port)| (PortId::new(n, p), port))
    })
}

fn empty(nodes: &[Node]) -> Vec<Vec<Option<PortId>>> {
    let of = |node: &Node| vec![None; node.ports.len()];
    nodes.iter().map(of).collect()
}

fn at(table: &[Vec<Option<PortId>>], port: PortId) -> Option<PortId> {
    *table.get(port.node as usize)?.get(port.port as usize)?
}

/// Devices by the names that people use for them.
struct Names(HashMap<String, Option<usize>>);

impl Names {
    fn new(nodes: &[Node]) -> Self {
        let mut names: HashMap<String, Option<usize>> = HashMap::new();
        let mut add = |name: String, n: usize, certain: bool| {
            let entry = names.entry(name).or_insert(Some(n));
            // A name that two devices bear tells neither, unless it is the
            // own name of one.
            match *entry {
                Some(other) if other != n && !certain => *entry = None,
                _ if certain => *entry = Some(n),
                _ => {}
            }
        };
        for (n, node) in nodes.iter().enumerate() {
            add(bare(&node.name), n, false);
            if let Some(hostname) = &node.hostname {
                add(bare(hostname), n, false);
                add(hostname.to_ascii_lowercase(), n, false);
            }
        }
        for (n, node) in nodes.iter().enumerate() {
            add(node.name.to_ascii_lowercase(), n, true);
        }
        Names(names)
    }

    fn find(&self, name: &str) -> Option<usize> {
        let lower = name.trim().to_ascii_lowercase();
        let exact = self.0.get(&lower).copied().flatten();
        exact.or_else(|| self.0.get(&bare(&lower)).copied().flatten())
    }
}

/// Without domain, in lower case. An address has no domain.
fn bare(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let first = lower.split('.').next().unwrap_or_default();
    match first.bytes().all(|b| b.is_ascii_digit()) {
        true => lower,
        false => first.to_owned(),
    }
}

/// The port that a neighbour means by this name.
fn find_port(node: &Node, name: &str) -> Option<usize> {
    let name = name.trim();
    let by = |same: &dyn Fn(&str) -> bool| node.ports.iter().position(|port| same(&port.name));
    by(&|own| own == name)
        .or_else(|| by(&|own| own.eq_ignore_ascii_case(name)))
        .or_else(|| by(&|own| abbreviates(name, own)))
}

/// Whether `short` is an abbreviation of the port's name: the same numbers,
/// and at least two of its letters from the start.
fn abbreviates(short: &str, name: &str) -> bool {
    let split = |text: &str| text.find(|c: char| c.is_ascii_digit());
    let (Some(s), Some(n)) = (split(short), split(name)) else {
        return false;
    };
    let (letters, numbers) = (short[..s].trim(), &short[s..]);
    let whole = &name[..n];
    numbers == &name[n..]
        && letters.len() >= 2
        && letters.len() < whole.len()
        && whole.is_char_boundary(letters.len())
        && whole[..letters.len()].eq_ignore_ascii_case(letters)
}

/// The one port of another device that a description names: `gpu01 ens1f0np0`,
/// `facing_spine1:et-0/0/0:1`.
fn described(nodes: &[Node], names: &Names, own: usize, port: &NodePort) -> Option<PortId> {
    let text = port.description.as_deref()?;
    let other = |piece: &str| names.find(piece).filter(|n| *n != own);
    let device = |piece: &str| {
        let bare = piece.split_once('_').map(|(_, bare)| bare);
        other(piece).or_else(|| other(bare?))
    };
    let node = single(text, &device)?;
    let port = single(text, &|piece| find_port(&nodes[node], piece))?;
    Some(PortId::new(node, port))
}

/// The one thing that words of a text stand for; of a word that stands for
/// nothing, what is before and behind its first colon.
fn single(text: &str, of: &dyn Fn(&str) -> Option<usize>) -> Option<usize> {
    let words = text.split([' ', '\t', ',', ';', '|', '"', '(', ')', '[', ']']);
    let mut found = words.flat_map(|word| match (of(word), word.split_once(':')) {
        (None, Some((before, behind))) => [of(before), of(behind)],
        (whole, _) => [whole, None],
    });
    let mut found = found.by_ref().flatten();
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::{LineOnly, Peer};
    use std::sync::Arc;

    /// A device whose ports name a neighbour (`device:port`, `device`), or a
    /// description in front of which stands `#`, or nothing.
    pub(crate) fn node(name: &str, kind: DeviceKind, ports: &[(&str, &str)]) -> Node {
        let ports = ports.iter().map(|(port, peer)| NodePort {
            name: (*port).into(),
            judged: true,
            description: peer.strip_prefix('#').map(str::to_owned),
            peer: (!peer.is_empty() && !peer.starts_with('#')).then(|| {
                let (device, port) = match peer.split_once(':') {
                    Some((device, port)) => (device, Some(port.to_owned())),
                    None => (*peer, None),
                };
                Peer {
                    device: device.to_owned(),
                    port,
                    by: "lldp",
                    at: LineOnly::default(),
                }
            }),
            declared: None,
            profile: None,
            view: Arc::default(),
        });
        Node {
            name: name.into(),
            hostname: None,
            kind,
            role: None,
            ageing: None,
            vtep: false,
            tells_peers: true,
            ports: ports.collect(),
        }
    }

    fn switch(name: &str, ports: &[(&str, &str)]) -> Node {
        node(name, DeviceKind::Switch, ports)
    }

    fn links(fabric: &Fabric) -> Vec<String> {
        let link = |link: &Link| format!("{} = {}", fabric.name(link.a), fabric.name(link.b));
        fabric.links.iter().map(link).collect()
    }

    #[test]
    fn names_are_matched_as_people_mean_them() {
        for (peer, port) in [
            ("leaf1:Ethernet1/1", "Ethernet1/1"),
            ("LEAF1.example.net:ethernet1/1", "Ethernet1/1"),
            ("leaf1:Eth1/1", "Ethernet1/1"),
            ("leaf1.example.net:Et1/1", "Ethernet1/1"),
        ] {
            let fabric = Fabric::join(
                vec![
                    switch("leaf1", &[(port, "")]),
                    switch("spine1", &[("swp1", peer)]),
                ],
                &[],
            );
            assert_eq!(
                links(&fabric),
                ["leaf1 Ethernet1/1 = spine1 swp1"],
                "{peer}"
            );
            assert_eq!(fabric.strays, []);
        }
        for peer in ["leaf1:Et1/11", "leaf1:E1/1", "leaf1:swp1/1", "leaf1:Po1"] {
            let fabric = Fabric::join(
                vec![
                    switch("leaf1", &[("Ethernet1/1", "")]),
                    switch("spine1", &[("swp1", peer)]),
                ],
                &[],
            );
            assert_eq!(fabric.links, [], "{peer}");
            assert!(
                matches!(fabric.strays[..], [Stray::UnknownPort { .. }]),
                "{peer}"
            );
        }
    }

    #[test]
    fn a_domain_that_tells_two_devices_apart_is_kept() {
        let fabric = Fabric::join(
            vec![
                switch("leaf1.east", &[("a", "")]),
                switch("leaf1.west", &[("a", "")]),
                switch("s", &[("1", "leaf1.west:a"), ("2", "leaf1:a")]),
            ],
            &[],
        );
        assert_eq!(links(&fabric), ["leaf1.west a = s 1"]);
        assert!(
            matches!(&fabric.strays[..], [Stray::UnknownDevice { device, .. }] if device == "leaf1")
        );
    }

    #[test]
    fn contradictions_are_told_and_make_no_link() {
        let fabric = Fabric::join(
            vec![
                switch("a", &[("1", "c:1")]),
                switch("b", &[("1", "c:1")]),
                switch("c", &[("1", "b:1")]),
            ],
            &[],
        );
        assert_eq!(links(&fabric), ["b 1 = c 1"]);
        assert!(matches!(fabric.strays[..], [Stray::Contradiction { .. }]));
        // Two claim a port that says nothing: the first has it.
        let fabric = Fabric::join(
            vec![
                switch("a", &[("1", "c:1")]),
                switch("b", &[("1", "c:1")]),
                switch("c", &[("1", "")]),
            ],
            &[],
        );
        assert_eq!(links(&fabric), ["a 1 = c 1"]);
        assert_eq!(fabric.strays.len(), 1);
    }

    #[test]
    fn a_neighbour_without_a_port_is_known_by_its_own_claim() {
        let host = |peer| node("gpu01", DeviceKind::Host, &[("ens1", peer)]);
        let leaf = || switch("leaf1", &[("Ethernet0", "gpu01")]);
        let fabric = Fabric::join(vec![host("leaf1:Ethernet0"), leaf()], &[]);
        assert_eq!(links(&fabric), ["gpu01 ens1 = leaf1 Ethernet0"]);
        assert_eq!(fabric.strays, []);
        let fabric = Fabric::join(vec![host(""), leaf()], &[]);
        assert!(matches!(fabric.strays[..], [Stray::UnknownPort { .. }]));
    }

    #[test]
    fn a_description_may_name_a_port_with_a_colon() {
        let fabric = Fabric::join(
            vec![
                switch("leaf1", &[("et-0/0/0:0", "#facing_spine1:et-0/0/4:1")]),
                switch("spine1", &[("et-0/0/4", ""), ("et-0/0/4:1", "")]),
            ],
            &[],
        );
        assert_eq!(links(&fabric), ["leaf1 et-0/0/0:0 = spine1 et-0/0/4:1"]);
    }

    #[test]
    fn half_of_the_fabric_and_a_host_of_a_hundred_ports() {
        let names: Vec<(String, String)> = (0..100)
            .map(|n| {
                (
                    format!("ens{n}"),
                    format!("LEAF{}.example.net:Eth1/{n}", n % 4),
                )
            })
            .collect();
        let ports: Vec<(&str, &str)> = names.iter().map(|(a, b)| (&**a, &**b)).collect();
        let own: Vec<String> = (0..100).map(|n| format!("Ethernet1/{n}")).collect();
        let own: Vec<(&str, &str)> = own.iter().map(|name| (&**name, "")).collect();
        let fabric = Fabric::join(
            vec![
                node("gpu01", DeviceKind::Host, &ports),
                switch("leaf0", &own),
                switch("leaf1", &own),
                switch("loop", &[("a", "loop:b"), ("b", "loop:a"), ("c", "loop:c")]),
            ],
            &[],
        );
        let of_host = fabric.links.iter().filter(|link| fabric.is_host(link.a));
        assert_eq!(of_host.count(), 50, "two of four leaves are here");
        let unknown = |stray: &&Stray| matches!(stray, Stray::UnknownDevice { .. });
        assert_eq!(fabric.strays.iter().filter(unknown).count(), 50);
        // A device cabled to itself makes no way, and ends.
        let paths = crate::fabric::paths::Paths::new(&fabric);
        assert!(paths.crossings.is_empty());
        assert_eq!(
            fabric.across(PortId::new(3, 2)),
            None,
            "a port is not its own end"
        );
    }

    #[test]
    fn descriptions_are_the_last_resort() {
        let fabric = Fabric::join(
            vec![
                switch(
                    "leaf1",
                    &[
                        ("Ethernet0", "#to gpu01 ens1 (rack 4)"),
                        ("Ethernet4", "#gpu01"),
                    ],
                ),
                node("gpu01", DeviceKind::Host, &[("ens1", "")]),
            ],
            &[],
        );
        assert_eq!(links(&fabric), ["leaf1 Ethernet0 = gpu01 ens1"]);
        assert!(fabric.links[0].by_description);
        let fabric = Fabric::join(
            vec![
                switch("leaf1", &[("Ethernet0", "#was gpu01 ens1, now gpu02 ens1")]),
                node("gpu01", DeviceKind::Host, &[("ens1", "")]),
                node("gpu02", DeviceKind::Host, &[("ens1", "")]),
            ],
            &[],
        );
        assert_eq!(fabric.links, []);
    }
}
