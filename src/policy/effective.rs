//! What holds for one port: the policy with the overrides laid over it.

use std::sync::Arc;

use crate::model::Trust;

use super::expect::Expect;
use super::quantity::{Number, Switch};
use super::read::{Globs, Part};
use super::schema::{
    Body, Bom, Buffers, ClassSection, Counters, Ecn, Fabric, Load, Mtu, Nic, Pfc, Rail, Scheduler,
};
use super::yaml::{Located, Position};

/// Tells one [`Effective`] of a policy from another; 0 is the policy without
/// overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EffectiveId(pub u32);

/// The policy as it stands for a port, resolved and flat. What is not given is
/// not judged. Each value keeps the position where it was written: the
/// override's, where an override wrote it.
#[derive(Clone, Debug)]
pub struct Effective {
    /// Equal for ports that share this object.
    pub id: EffectiveId,
    /// The classes in the order written.
    pub classes: Vec<Class>,
    /// Which field of a packet switches classify by.
    pub trust: Option<Located<Expect<Trust>>>,
    /// Priority flow control.
    pub pfc: Pfc,
    /// Usable IP payload.
    pub mtu: Mtu,
    /// Buffers of lossless priority groups.
    pub buffers: Buffers,
    /// The fabric as a whole.
    pub fabric: Fabric,
    /// RDMA interfaces of hosts.
    pub nic: Nic,
    /// Versions.
    pub bom: Bom,
    /// Limits on counters between two samples.
    pub counters: Counters,
    /// Load tests.
    pub load: Load,
    /// Rails by name.
    pub rails: Vec<(Located<String>, Rail)>,
    body: Arc<Body>,
}

/// A traffic class, resolved.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name, with the position of the class.
    pub name: Located<String>,
    /// DSCP values, sorted; empty where the class gives none.
    pub dscp: Located<Vec<u8>>,
    /// 802.1p code points, sorted; empty where the class gives none.
    pub pcp: Located<Vec<u8>>,
    /// 802.1p / PFC priority.
    pub priority: Option<Located<u8>>,
    /// The switch's traffic class, where it is judged by number.
    pub tc: Option<Located<Expect<Number>>>,
    /// The egress queue, where it is judged by number.
    pub queue: Option<Located<Expect<Number>>>,
    /// The priority group, where it is judged by number.
    pub pg: Option<Located<Expect<Number>>>,
    /// Whether it must be lossless. Not given: no.
    pub lossless: Located<bool>,
    /// Whether it is the class of congestion notification packets.
    pub cnp: Located<bool>,
    /// ECN marking; given, the class must be marked.
    pub ecn: Option<Ecn>,
    /// Scheduling.
    pub scheduler: Option<Scheduler>,
}

impl Class {
    fn new(name: &Located<String>, section: &ClassSection) -> Self {
        // What a class leaves out is told at the place of the class.
        let switch = |given: &Option<Located<super::read::Exactly<Switch>>>| match given {
            Some(given) => given.with(given.value.value.is_on()),
            None => name.with(false),
        };
        Class {
            name: name.clone(),
            dscp: match &section.dscp {
                Some(codes) => codes.with(codes.value.0.clone()),
                None => name.with(Vec::new()),
            },
            pcp: match &section.pcp {
                Some(codes) => codes.with(codes.value.0.clone()),
                None => name.with(Vec::new()),
            },
            priority: section
                .priority
                .as_ref()
                .map(|code| code.with(code.value.0)),
            tc: section.tc.clone(),
            queue: section.queue.clone(),
            pg: section.pg.clone(),
            lossless: switch(&section.lossless),
            cnp: switch(&section.cnp),
            ecn: section.ecn.clone(),
            scheduler: section.scheduler.clone(),
        }
    }
}

impl Effective {
    pub(super) fn new(id: EffectiveId, body: Body) -> Self {
        let body = Arc::new(body);
        let classes = body.classes.iter().flat_map(|classes| classes.iter());
        let rails = body.rails.iter().flat_map(|rails| rails.iter());
        Effective {
            id,
            classes: classes
                .map(|(name, class)| Class::new(name, class))
                .collect(),
            trust: body.trust.clone(),
            pfc: body.pfc.clone().unwrap_or_default(),
            mtu: body.mtu.clone().unwrap_or_default(),
            buffers: body.buffers.clone().unwrap_or_default(),
            fabric: body.fabric.clone().unwrap_or_default(),
            nic: body.nic.clone().unwrap_or_default(),
            bom: body.bom.clone().unwrap_or_default(),
            counters: body.counters.clone().unwrap_or_default(),
            load: body.load.clone().unwrap_or_default(),
            rails: rails
                .map(|(name, rail)| (name.clone(), rail.clone()))
                .collect(),
            body,
        }
    }

    /// The class of this name.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|class| class.name.value == name)
    }

    /// The class that a DSCP belongs to, `default` aside.
    pub fn class_of_dscp(&self, dscp: u8) -> Option<&Class> {
        let mut classes = self.classes.iter();
        classes.find(|class| class.dscp.value.contains(&dscp))
    }

    /// The class that an 802.1p code point belongs to, `default` aside.
    pub fn class_of_pcp(&self, pcp: u8) -> Option<&Class> {
        self.classes
            .iter()
            .find(|class| class.pcp.value.contains(&pcp))
    }

    /// The classes that must be lossless.
    pub fn lossless_classes(&self) -> impl Iterator<Item = &Class> {
        self.classes.iter().filter(|class| class.lossless.value)
    }

    /// The PFC priorities of the lossless classes, sorted, each once.
    pub fn lossless_priorities(&self) -> Vec<u8> {
        let priorities = self
            .lossless_classes()
            .filter_map(|class| class.priority.as_ref());
        let mut priorities: Vec<u8> = priorities.map(|priority| priority.value).collect();
        priorities.sort_unstable();
        priorities.dedup();
        priorities
    }

    /// The class of congestion notification packets.
    pub fn cnp_class(&self) -> Option<&Class> {
        self.classes.iter().find(|class| class.cnp.value)
    }

    /// The values as written, with their lines: `policy show`.
    pub(super) fn body(&self) -> &Body {
        &self.body
    }
}

/// Lays a part of a policy over another.
pub(super) fn merged(base: &Body, over: &[&Body]) -> Body {
    let mut body = base.clone();
    for over in over {
        body.overlay(over);
    }
    body
}

/// Names that `scope.ports.exclude` stands for when it is not given:
/// management, loopback, VLAN and LAG interfaces carry no queues of their own.
pub(super) const DEFAULT_EXCLUDE: [&str; 5] =
    ["Management*", "eth0", "Loopback*", "Vlan*", "Port-Channel*"];

/// Which ports are judged.
#[derive(Clone, Debug)]
pub struct ResolvedScope {
    /// Ports that are not judged.
    pub exclude: Located<Globs>,
    /// Ports that are administratively down. Not given: skip.
    pub admin_down: super::schema::PortState,
    /// Ports that are down in operation. Not given: info.
    pub oper_down: super::schema::PortState,
}

impl ResolvedScope {
    pub(super) fn new(scope: Option<&super::schema::Scope>) -> Self {
        use super::schema::PortState;
        let exclude = scope
            .and_then(|scope| scope.ports.as_ref())
            .and_then(|ports| ports.exclude.clone());
        let state = |given: Option<&Located<super::read::Exactly<PortState>>>, otherwise| {
            given.map_or(otherwise, |given| given.value.value)
        };
        ResolvedScope {
            exclude: exclude.unwrap_or_else(|| Located {
                value: Globs::new(DEFAULT_EXCLUDE.map(str::to_owned).to_vec()).unwrap_or_default(),
                position: Position::default(),
            }),
            admin_down: state(
                scope.and_then(|scope| scope.admin_down.as_ref()),
                PortState::Skip,
            ),
            oper_down: state(
                scope.and_then(|scope| scope.oper_down.as_ref()),
                PortState::Info,
            ),
        }
    }

    /// Whether a port of this name is judged.
    pub fn includes(&self, port: &str) -> bool {
        !self.exclude.value.matches(port)
    }
}
