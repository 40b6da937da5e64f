//! Hops: a class of traffic at a port, on its way in or out, and what breaks it.

use super::links::{Fabric, PortId};
use super::paths::Paths;
use crate::finding::{Evidence, Finding, Of, Status, Way};
use crate::model::{Field, PortField};
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
    /// By port: the facts that a finding tells to be wrong, with its check.
    told: HashMap<PortId, Vec<(Field, Arc<str>)>>,
}

impl Hops {
    /// From the findings of all devices, each with whether it is shown.
    pub fn new<'f>(
        fabric: Fabric,
        findings: impl Iterator<Item = (&'f Finding, bool)>,
        cnp: Option<&str>,
    ) -> Self {
        let mut places = Places::new(&fabric);
        let mut obstacles: HashMap<PortId, Vec<Arc<Obstacle>>> = HashMap::new();
        let mut told: HashMap<PortId, Vec<(Field, Arc<str>)>> = HashMap::new();
        for (finding, shown) in findings {
            let obstacle = obstacle(finding, cnp);
            let tells = shown && matches!(finding.status, Status::Fail | Status::Waived);
            if obstacle.is_none() && (!tells || finding.facts.is_empty()) {
                continue;
            }
            for port in places.of(finding) {
                if let Some(obstacle) = &obstacle {
                    obstacles
                        .entry(port)
                        .or_default()
                        .push(Arc::clone(obstacle));
                }
                for fact in finding.facts.iter().filter(|_| tells) {
                    let told = told.entry(port).or_default();
                    told.push((subject(fact), (*finding.check).into()));
                }
            }
        }
        let tunnel = Arc::new(Obstacle {
            way: Way::Both,
            class: None,
            unknown: true,
            check: "map/rewrite".into(),
            message: "the switch ends VXLAN tunnels: whether it carries the class in one, and \
                      copies DSCP and ECN to the outer header and back, is not known"
                .into(),
            evidence: Arc::default(),
        });
        for port in tunnelled(&fabric) {
            obstacles.entry(port).or_default().push(Arc::clone(&tunnel));
        }
        let paths = Paths::new(&fabric);
        Hops {
            fabric,
            paths,
            obstacles,
            told,
        }
    }

    /// The check that tells already what is wrong with a fact of a port.
    pub fn teller(&self, port: PortId, fact: &Field) -> Option<&str> {
        let fact = subject(fact);
        let mut told = self.told.get(&port)?.iter();
        told.find(|(own, _)| *own == fact)
            .map(|(_, check)| &**check)
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

/// What the finding puts in the way of classes.
fn obstacle(finding: &Finding, cnp: Option<&str>) -> Option<Arc<Obstacle>> {
    if !matches!(finding.status, Status::Fail | Status::Unknown) {
        return None;
    }
    let breaks = finding.breaks?;
    let class = match breaks.of {
        Of::Named => finding.class.as_deref(),
        Of::Cnp => Some(cnp?),
    };
    let evidence = finding.places.iter().find(|p| !p.evidence.is_empty());
    Some(Arc::new(Obstacle {
        way: breaks.way,
        class: class.map(Arc::from),
        unknown: finding.status == Status::Unknown,
        check: (*finding.check).into(),
        message: finding.message.as_str().into(),
        evidence: evidence.map_or_else(Arc::default, |p| p.evidence.as_slice().into()),
    }))
}

/// The ports by which switches that end VXLAN tunnels send on what hosts sent
/// them.
fn tunnelled(fabric: &Fabric) -> Vec<PortId> {
    let vteps = (0..fabric.nodes.len()).filter(|node| {
        let mut below = fabric.neighbours(*node);
        fabric.nodes[*node].vtep && below.any(|(_, other)| fabric.is_host(other))
    });
    let up = vteps.flat_map(|node| fabric.neighbours(node));
    up.filter(|(_, other)| !fabric.is_host(*other))
        .map(|(port, _)| port)
        .collect()
}

/// PFC in force both ways, and each way of it, are one subject.
fn subject(fact: &Field) -> Field {
    match fact {
        Field::Port(PortField::PfcTx | PortField::PfcRx) => Field::Port(PortField::PfcEnabled),
        other => other.clone(),
    }
}

/// Ports by the names in findings.
struct Places<'n> {
    nodes: HashMap<Arc<str>, u32>,
    ports: Vec<HashMap<Arc<str>, u32>>,
    fabric: &'n Fabric,
}

impl<'n> Places<'n> {
    fn new(fabric: &'n Fabric) -> Self {
        let nodes = fabric.nodes.iter().enumerate();
        Places {
            nodes: nodes
                .map(|(n, node)| (node.name.clone(), n as u32))
                .collect(),
            ports: vec![HashMap::new(); fabric.nodes.len()],
            fabric,
        }
    }

    /// The ports of a finding; of the device as a whole: each of its ports.
    fn of(&mut self, finding: &Finding) -> Vec<PortId> {
        let Some(&node) = self.nodes.get(&*finding.device) else {
            return Vec::new();
        };
        let own = &self.fabric.nodes[node as usize].ports;
        let names = &mut self.ports[node as usize];
        if names.is_empty() {
            let named = own.iter().enumerate();
            names.extend(named.map(|(n, port)| (port.name.clone(), n as u32)));
        }
        let mut all = Vec::with_capacity(finding.places.len());
        for place in &finding.places {
            match place.port.as_deref() {
                None | Some("*") => {
                    all.extend((0..own.len() as u32).map(|port| PortId { node, port }));
                }
                Some(name) => {
                    all.extend(names.get(name).map(|&port| PortId { node, port }));
                }
            }
        }
        all
    }
}
