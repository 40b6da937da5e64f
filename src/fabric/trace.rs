//! Follows one class from one host to another, hop by hop, over every
//! shortest way.

use super::class_path::{CodePoint, class_priority, pausing_group, step, traffic_class};
use super::hops::{Hops, Obstacle};
use super::links::PortId;
use crate::finding::Way;
use crate::model::{Device, DeviceKind, Fact, MapName, Port};
use crate::policy::{Class, Effective};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Whether a class gets through.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum State {
    /// Every hop of every way holds.
    Lossless,
    /// Some hop can't be told.
    Unknown,
    /// Some hop breaks the class.
    Broken,
}

impl State {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Lossless => "lossless",
            State::Unknown => "unknown",
            State::Broken => "broken",
        }
    }
}

/// Which way between the two hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the first to the second.
    Forward,
    /// Back.
    Return,
}

/// A class in one direction.
#[derive(Debug)]
pub struct Trace {
    /// The class.
    pub class: String,
    /// The direction.
    pub direction: Direction,
    /// Whether it gets through, over all ways.
    pub state: State,
    /// Shortest ways between the hosts.
    pub paths: u64,
    /// Why nothing could be followed.
    pub why: Option<String>,
    /// The hops of one way: one with a break, where there is any.
    pub hops: Vec<Hop>,
}

impl Trace {
    /// The first hop that breaks the class.
    pub fn first_break(&self) -> Option<(&Hop, &Obstacle)> {
        let mut hops = self.hops.iter();
        hops.find_map(|hop| {
            let obstacle = hop.obstacle.as_deref().filter(|o| !o.unknown)?;
            Some((hop, obstacle))
        })
    }
}

/// A class at a port, in or out. What is not known or does not apply is `None`.
#[derive(Debug)]
pub struct Hop {
    /// The port.
    pub port: PortId,
    /// Whether packets leave or arrive.
    pub way: Way,
    /// The DSCP that the packet carries.
    pub dscp: Option<u8>,
    /// The PFC priority of the class.
    pub priority: Option<u8>,
    /// The traffic class inside the device.
    pub tc: Option<u8>,
    /// The ingress priority group.
    pub pg: Option<u8>,
    /// The egress queue.
    pub queue: Option<u8>,
    /// Whether pause is sent for it (arriving) or obeyed (leaving).
    pub pfc: Option<bool>,
    /// Whether the queue marks.
    pub ecn: Option<bool>,
    /// Bytes.
    pub ip_mtu: Option<u32>,
    /// What stands in its way.
    pub obstacle: Option<Arc<Obstacle>>,
}

impl Hop {
    /// Whether the class gets through here.
    pub fn state(&self) -> State {
        state(self.obstacle.as_deref())
    }
}

fn state(obstacle: Option<&Obstacle>) -> State {
    match obstacle {
        None => State::Lossless,
        Some(obstacle) if obstacle.unknown => State::Unknown,
        Some(_) => State::Broken,
    }
}

/// A host of a trace, and its port where one was asked for.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The host.
    pub node: usize,
    /// The port.
    pub port: Option<u32>,
}

impl End {
    fn has(self, port: PortId) -> bool {
        self.node == port.node as usize && self.port.is_none_or(|own| own == port.port)
    }
}

/// What a trace looks things up in.
pub struct Tracer<'a> {
    /// Links and obstacles.
    pub hops: &'a Hops,
    /// The models, one for each device of the fabric.
    pub devices: &'a [Device],
    /// The policy of a port.
    pub policy: &'a dyn Fn(&Device, &Port) -> Arc<Effective>,
}

impl Tracer<'_> {
    /// Follows a class from one host to another.
    pub fn trace(&self, class: &str, from: End, to: End, direction: Direction) -> Trace {
        let mut trace = Trace {
            class: class.to_owned(),
            direction,
            state: State::Unknown,
            paths: 0,
            why: None,
            hops: Vec::new(),
        };
        let ways = Ways::new(self.hops, class, self.size(class, from, to), from, to);
        let Some(best) = ways
            .starts(from)
            .max_by_key(|(n, state, _)| (*state, std::cmp::Reverse(*n)))
        else {
            trace.why = Some(self.why_not(from, to));
            return trace;
        };
        trace.state = ways
            .starts(from)
            .map(|(_, state, _)| state)
            .max()
            .unwrap_or(State::Unknown);
        trace.paths = ways
            .starts(from)
            .fold(0, |sum, (_, _, paths)| sum.saturating_add(paths));
        trace.hops = self.follow(&ways, best.0);
        trace
    }

    /// The largest packet that the hosts send each other in the class, in
    /// bytes; CNPs are small.
    fn size(&self, class: &str, from: End, to: End) -> Option<u32> {
        let largest = |end: End| {
            let fabric = &self.hops.fabric;
            let ports = fabric
                .neighbours(end.node)
                .filter(|(port, _)| end.has(*port));
            ports
                .filter_map(|(port, _)| fabric.port(port).view.mtu.get())
                .max()
        };
        let device = self.devices.get(from.node)?;
        let policy = (self.policy)(device, device.ports.first()?);
        let lossless = policy.class(class)?.lossless.value;
        lossless.then_some(largest(from)?.min(largest(to)?))
    }

    /// What is in the way of joining the hosts.
    fn why_not(&self, from: End, to: End) -> String {
        let fabric = &self.hops.fabric;
        let name = |end: End| fabric.nodes[end.node].name.to_string();
        for end in [from, to] {
            if !fabric.neighbours(end.node).any(|(port, _)| end.has(port)) {
                return format!("no known link leads to {}", name(end));
            }
        }
        format!("no known links join {} and {}", name(from), name(to))
    }

    /// The hops of the way that goes out by this port, worst choices first.
    fn follow(&self, ways: &Ways<'_>, start: PortId) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut carried: Option<u8> = None;
        let mut tc: Option<u8> = None;
        let mut next = Some(start);
        while let Some(egress) = next {
            let Some(ingress) = self.hops.fabric.across(egress) else {
                break;
            };
            let out = self.hop(ways, egress, Way::Egress, carried, tc);
            // A rewrite on the way out is what the next hop sees.
            let rewritten = out
                .tc
                .and_then(|tc| self.port(egress)?.maps.value(MapName::TcToDscp, tc));
            carried = rewritten.or(out.dscp);
            hops.push(out);
            let arrived = self.hop(ways, ingress, Way::Ingress, carried, None);
            tc = arrived.tc;
            hops.push(arrived);
            next = ways.onward(ingress.node as usize);
        }
        hops
    }

    fn port(&self, id: PortId) -> Option<&Port> {
        self.devices
            .get(id.node as usize)?
            .ports
            .get(id.port as usize)
    }

    fn hop(&self, ways: &Ways<'_>, id: PortId, way: Way, dscp: Option<u8>, tc: Option<u8>) -> Hop {
        let (name, obstacle) = (ways.class, ways.obstacle(id, way));
        let mut hop = Hop {
            port: id,
            way,
            dscp,
            priority: None,
            tc,
            pg: None,
            queue: None,
            pfc: None,
            ecn: None,
            ip_mtu: None,
            obstacle,
        };
        let device = self.devices.get(id.node as usize);
        let (Some(device), Some(port)) = (device, self.port(id)) else {
            return hop;
        };
        let policy = (self.policy)(device, port);
        let Some(class) = policy.class(name) else {
            return hop;
        };
        let leaves = way == Way::Egress;
        if hop.dscp.is_none() && leaves {
            hop.dscp = sent(port, class);
        }
        if class.lossless.value {
            hop.priority = class_priority(port, device.kind, class).known();
        } else {
            hop.priority = class.priority.as_ref().map(|priority| priority.value);
        }
        hop.ip_mtu = port.mtu.ip.get();
        let code = hop.dscp.map(CodePoint::Dscp);
        if hop.tc.is_none() {
            hop.tc = code.and_then(|code| traffic_class(port, code).known());
        }
        let pfc = if leaves { &port.pfc.rx } else { &port.pfc.tx };
        if class.lossless.value {
            hop.pfc = hop.priority.and_then(|p| Some(pfc.get()?.contains(p)));
        }
        if device.kind == DeviceKind::Host {
            return hop;
        }
        if leaves {
            hop.queue = hop
                .tc
                .and_then(|tc| step(port, MapName::TcToQueue, tc).known());
            let queue = hop.queue.and_then(|queue| port.queue(queue));
            hop.ecn = queue.and_then(|queue| queue.ecn.enabled.get());
        } else {
            hop.pg = match port.maps.get(MapName::TcToPg) {
                Fact::NotApplicable => hop
                    .priority
                    .map(|priority| pausing_group(port, priority))
                    .and_then(|group| group.known()),
                _ => hop
                    .tc
                    .and_then(|tc| step(port, MapName::TcToPg, tc).known()),
            };
        }
        hop
    }
}

/// The DSCP that a NIC sends the class with.
fn sent(port: &Port, class: &Class) -> Option<u8> {
    let nic = port.nic.as_deref()?;
    match class.cnp.value {
        true => nic.dcqcn.cnp_dscp.get(),
        false => nic.tos_dscp.get(),
    }
}

/// The shortest ways to a host: what they meet from each device on.
struct Ways<'h> {
    hops: &'h Hops,
    class: &'h str,
    /// The largest packet of the class, bytes.
    size: Option<u32>,
    to: End,
    /// By device: links to the host.
    distance: HashMap<usize, u32>,
    /// By device: the worst that is met from here on, how many ways there
    /// are, and the port by which the worst of them goes.
    onward: HashMap<usize, (State, u64, Option<PortId>)>,
}

impl<'h> Ways<'h> {
    fn new(hops: &'h Hops, class: &'h str, size: Option<u32>, from: End, to: End) -> Self {
        let mut ways = Ways {
            hops,
            class,
            size,
            to,
            distance: HashMap::from([(to.node, 0)]),
            onward: HashMap::from([(to.node, (State::Lossless, 1, None))]),
        };
        // Breadth first from the far end; hosts do not forward.
        let mut order = vec![to.node];
        let mut queue = VecDeque::from([to.node]);
        while let Some(node) = queue.pop_front() {
            if node == from.node {
                break;
            }
            let far = ways.distance[&node] + 1;
            for (port, other) in hops.fabric.neighbours(node) {
                let next = other.node as usize;
                let allowed = node != to.node || to.has(port);
                let forwards = next == from.node || !hops.fabric.is_host(other);
                if allowed && forwards && !ways.distance.contains_key(&next) {
                    ways.distance.insert(next, far);
                    order.push(next);
                    queue.push_back(next);
                }
            }
        }
        for node in order.into_iter().skip(1) {
            if node == from.node {
                continue;
            }
            let mut best: (State, u64, Option<PortId>) = (State::Lossless, 0, None);
            for (port, state, paths) in ways.exits(node) {
                if best.2.is_none() || state > best.0 {
                    (best.0, best.2) = (state, Some(port));
                }
                best.1 = best.1.saturating_add(paths);
            }
            ways.onward.insert(node, best);
        }
        ways
    }

    /// The ports of a device that lead one link nearer, with what is met there.
    fn exits(&self, node: usize) -> Vec<(PortId, State, u64)> {
        let Some(own) = self.distance.get(&node).copied() else {
            return Vec::new();
        };
        let neighbours = self.hops.fabric.neighbours(node);
        neighbours
            .filter_map(|(port, other)| {
                let next = other.node as usize;
                let nearer = self.distance.get(&next) == Some(&own.checked_sub(1)?);
                let allowed = next != self.to.node || self.to.has(other);
                let (beyond, paths, _) = *self.onward.get(&next)?;
                (nearer && allowed).then(|| {
                    let out = self.met(port, Way::Egress);
                    let arrived = self.met(other, Way::Ingress);
                    (port, out.max(arrived).max(beyond), paths)
                })
            })
            .collect()
    }

    fn met(&self, port: PortId, way: Way) -> State {
        state(self.obstacle(port, way).as_deref())
    }

    /// What stands in the way at a port: failures before unknowns.
    fn obstacle(&self, port: PortId, way: Way) -> Option<Arc<Obstacle>> {
        let told = self
            .hops
            .obstacles(port, way, self.class)
            .into_iter()
            .next();
        if told.as_ref().is_some_and(|told| !told.unknown) {
            return told;
        }
        let mtu = &self.hops.fabric.port(port).view.mtu;
        let told_of_size = |unknown: bool, message: String| {
            Some(Arc::new(Obstacle {
                way,
                class: None,
                unknown,
                check: "mtu/path".into(),
                message: message.into(),
                evidence: Arc::default(),
            }))
        };
        match (self.size, mtu.get()) {
            (Some(size), Some(takes)) if takes < size => told_of_size(
                false,
                format!("the hosts send up to {size} bytes, and the port takes {takes}"),
            ),
            (Some(_), None) if told.is_none() => {
                let why = mtu.because().map(|why| format!(": {why}"));
                let message = format!("what the port takes is unknown{}", why.unwrap_or_default());
                told_of_size(true, message)
            }
            _ => told,
        }
    }

    /// The ports by which the first host can send.
    fn starts(&self, from: End) -> impl Iterator<Item = (PortId, State, u64)> {
        self.exits(from.node)
            .into_iter()
            .filter(move |(port, _, _)| from.has(*port))
    }

    /// The port by which a device sends on.
    fn onward(&self, node: usize) -> Option<PortId> {
        self.onward.get(&node)?.2
    }
}
