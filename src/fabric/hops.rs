//! Hops: a class of traffic at a port, on its way in or out, and what breaks it.

use super::links::{Fabric, PortId};
use super::paths::Paths;
use crate::finding::{Evidence, Finding, Of, Status, Way};
use std::collections::HashMap;
use std::sync::Arc;

/// A failure or an unknown that stands in a class's way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// Which way.
    pub way: Way,
    /// The class, where it is not all of them.
    pub class: Option<Arc<str>>,
    /// Unknown instead of broken.
    pub unknown: bool,
    /// The check that found it.
    pub check: Arc<str>,
    /// What it said.
    pub message: Arc<str>,
    /// Where it was read.
    pub evidence: Arc<[Evidence]>,
}

/// Links, ways between hosts, and what breaks classes on them.
#[derive(Debug)]
pub struct Hops {
    /// Devices and links.
    pub fabric: Fabric,
    /// Ways between hosts.
    pub paths: Paths,
    obstacles: HashMap<PortId, Vec<Arc<Obstacle>>>,
}

impl Hops {
    /// From the findings of all devices.
    pub fn new<'f>(
        fabric: Fabric,
        findings: impl Iterator<Item = &'f Finding>,
        cnp: Option<&str>,
    ) -> Self {
        let index: HashMap<&str, u32> = fabric
            .nodes
            .iter()
            .enumerate()
            .map(|(n, node)| (&*node.name, n as u32))
            .collect();
        let mut ports: Vec<HashMap<&str, u32>> = vec![HashMap::new(); fabric.nodes.len()];
        let mut obstacles: HashMap<PortId, Vec<Arc<Obstacle>>> = HashMap::new();
        for finding in findings {
            let told = matches!(finding.status, Status::Fail | Status::Unknown);
            let (true, Some(breaks)) = (told, finding.breaks) else {
                continue;
            };
            let Some(&node) = index.get(&*finding.device) else {
                continue;
            };
            let class = match breaks.of {
                Of::Named => finding.class.as_deref(),
                Of::Cnp => match cnp {
                    Some(cnp) => Some(cnp),
                    None => continue,
                },
            };
            let evidence = finding.places.iter().find(|p| !p.evidence.is_empty());
            let obstacle = Arc::new(Obstacle {
                way: breaks.way,
                class: class.map(Arc::from),
                unknown: finding.status == Status::Unknown,
                check: (*finding.check).into(),
                message: finding.message.as_str().into(),
                evidence: evidence.map_or_else(Arc::default, |p| p.evidence.as_slice().into()),
            });
            let own = &fabric.nodes[node as usize].ports;
            let names = &mut ports[node as usize];
            if names.is_empty() {
                let named = own.iter().enumerate();
                names.extend(named.map(|(n, port)| (&*port.name, n as u32)));
            }
            for place in &finding.places {
                match place.port.as_deref() {
                    // Of the device as a whole: of each of its ports.
                    None | Some("*") => {
                        for port in 0..own.len() as u32 {
                            let of = obstacles.entry(PortId { node, port });
                            of.or_default().push(Arc::clone(&obstacle));
                        }
                    }
                    Some(name) => {
                        if let Some(&port) = names.get(name) {
                            let of = obstacles.entry(PortId { node, port });
                            of.or_default().push(Arc::clone(&obstacle));
                        }
                    }
                }
            }
        }
        let paths = Paths::new(&fabric);
        Hops {
            fabric,
            paths,
            obstacles,
        }
    }

    /// What stands in the class's way at the port, failures before unknowns.
    /// A port that is not judged is unknown.
    pub fn obstacles(&self, port: PortId, way: Way, class: &str) -> Vec<Arc<Obstacle>> {
        let of_port = self.obstacles.get(&port).into_iter().flatten();
        let mut all: Vec<Arc<Obstacle>> = of_port
            .filter(|obstacle| way.is_in(obstacle.way))
            .filter(|obstacle| obstacle.class.as_deref().is_none_or(|own| own == class))
            .cloned()
            .collect();
        all.sort_by_key(|obstacle| obstacle.unknown);
        if !self.fabric.port(port).judged {
            all.push(Arc::new(Obstacle {
                way: Way::Both,
                class: None,
                unknown: true,
                check: "scope".into(),
                message: "the policy's scope leaves this port out, so nothing is known of it"
                    .into(),
                evidence: Arc::default(),
            }));
        }
        all
    }
}
