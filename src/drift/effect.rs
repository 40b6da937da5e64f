//! What changes do under the policy: the findings of both sides are compared,
//! and each that came or went is put down to the change that it rests on.

use super::Effect;
use super::difference::{Address, Difference};
use crate::finding::{Finding, PortPlace, Status};
use crate::model::{Field, PortField, QueueField};
use crate::policy::Severity;
use std::collections::HashMap;

/// A finding with one of its ports.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    pub finding: &'a Finding,
    pub place: &'a PortPlace,
}

/// The findings of a device by port.
#[derive(Default)]
pub(super) struct Findings<'a> {
    whole: Vec<Told<'a>>,
    ports: HashMap<&'a str, Vec<Told<'a>>>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(all: &'a [Finding]) -> Self {
        let mut findings = Findings::default();
        for finding in all {
            for place in &finding.places {
                let list = match place.port.as_deref() {
                    None => &mut findings.whole,
                    Some(port) => findings.ports.entry(port).or_default(),
                };
                list.push(Told { finding, place });
            }
        }
        findings
    }

    /// Those of the device as a whole.
    pub(super) fn whole(&self) -> &[Told<'a>] {
        &self.whole
    }

    /// Those of a port.
    pub(super) fn of(&self, port: &str) -> &[Told<'a>] {
        self.ports.get(port).map_or(&[], Vec::as_slice)
    }
}

/// What came and went between the findings of a port, or of the device.
pub(super) struct Moved<'a> {
    /// Fails only now.
    pub breaks: Vec<Told<'a>>,
    /// Unknown only now.
    pub unknown: Vec<Told<'a>>,
    /// Failed, and holds now.
    pub repairs: Vec<Told<'a>>,
}

/// Checks whose findings are each about a line.
const OF_A_LINE: [&str; 4] = [
    "config/unparsed",
    "map/unresolved",
    "map/conflict",
    "map/override",
];

impl Told<'_> {
    /// Whether both say the same of a port.
    fn same(&self, other: &Told<'_>) -> bool {
        let line = |told: &Told<'_>| match OF_A_LINE.contains(&&*told.finding.check) {
            true => told.place.evidence.first().map(|line| line.text.clone()),
            false => None,
        };
        self.finding.check == other.finding.check
            && self.finding.class == other.finding.class
            && line(self) == line(other)
    }

    /// Whether it can be the effect of a change: information is none, and
    /// neither are counters and what is in force at the moment.
    fn counts(&self) -> bool {
        let check = &*self.finding.check;
        self.finding.severity != Severity::Info
            && !check.starts_with("counters/")
            && check != "pfc/operational"
            && !self
                .finding
                .facts
                .contains(&Field::Port(PortField::WatchdogStormed))
    }

    /// Whether it is about a line that no fact stands for.
    pub(super) fn of_a_line(&self) -> bool {
        OF_A_LINE.contains(&&*self.finding.check)
    }
}

impl<'a> Moved<'a> {
    pub(super) fn between(old: &[Told<'a>], new: &[Told<'a>]) -> Self {
        let only = |of: &[Told<'a>], status: Status, others: &[Told<'a>], but: &[Status]| {
            let missing = |told: &&Told<'a>| {
                let known = |other: &Told<'_>| {
                    // A failure that was mere information has become one now.
                    let milder = other.finding.status == Status::Fail
                        && other.finding.severity > told.finding.severity;
                    but.contains(&other.finding.status) && !milder && other.same(told)
                };
                told.finding.status == status && told.counts() && !others.iter().any(known)
            };
            of.iter().filter(missing).copied().collect::<Vec<_>>()
        };
        use Status::{Fail, Unknown, Waived};
        Moved {
            breaks: only(new, Fail, old, &[Fail, Waived]),
            unknown: only(new, Unknown, old, &[Fail, Unknown]),
            repairs: only(old, Fail, new, &[Fail, Unknown, Waived]),
        }
    }
}

/// The effect of one change.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Judged<'a> {
    pub effect: Effect,
    pub check: Option<(&'a str, Severity)>,
}

/// Puts down what moved to the changes of a port (or device), and takes what
/// was put down out of it. Changes that follow from others have no effect of
/// their own: it is the other's.
pub(super) fn judge<'a>(differences: &[Difference], moved: &mut Moved<'a>) -> Vec<Judged<'a>> {
    let groups: Vec<Vec<&Address>> = (0..differences.len())
        .map(|n| members(differences, n))
        .collect();
    let mut judged: Vec<Judged<'a>> = differences
        .iter()
        .map(|difference| Judged {
            effect: match difference.is_unknown() {
                true => Effect::Unknown,
                false => Effect::Neutral,
            },
            check: None,
        })
        .collect();
    let heads = differences.iter().filter(|d| d.follows.is_none()).count();
    for (effect, list) in [
        (Effect::Breaks, &mut moved.breaks),
        (Effect::Unknown, &mut moved.unknown),
        (Effect::Repairs, &mut moved.repairs),
    ] {
        list.retain(|told| {
            let rests = |group: &Vec<&Address>| {
                let mut fields = told.finding.facts.iter();
                fields.any(|field| group.iter().any(|address| covers(address, field)))
            };
            let near = |group: &Vec<&Address>| {
                let check = &*told.finding.check;
                let mut areas = group.iter().flat_map(|address| areas(address));
                heads == 1 || areas.any(|area| check.starts_with(area))
            };
            let mut put = put_down(told, effect, &groups, &mut judged, rests);
            if !put {
                put = put_down(told, effect, &groups, &mut judged, near);
            }
            !put
        });
    }
    judged
}

fn put_down<'a>(
    told: &Told<'a>,
    effect: Effect,
    groups: &[Vec<&Address>],
    judged: &mut [Judged<'a>],
    fits: impl Fn(&Vec<&Address>) -> bool,
) -> bool {
    let mut put = false;
    for (group, judged) in groups.iter().zip(judged) {
        if group.is_empty() || !fits(group) {
            continue;
        }
        put = true;
        let severity = told.finding.severity;
        let worse = match &judged.check {
            None => effect <= judged.effect,
            Some((_, known)) => (effect, severity) < (judged.effect, *known),
        };
        if worse {
            *judged = Judged {
                effect,
                check: Some((&told.finding.check, severity)),
            };
        }
    }
    put
}

/// A change and those that follow from it; none for one that follows itself.
fn members(differences: &[Difference], head: usize) -> Vec<&Address> {
    if differences[head].follows.is_some() {
        return Vec::new();
    }
    let of = differences
        .iter()
        .enumerate()
        .filter(|(n, difference)| *n == head || difference.follows == Some(head));
    of.map(|(_, difference)| &difference.address).collect()
}

/// Whether a finding that rests on a fact rests on this address.
fn covers(address: &Address, field: &Field) -> bool {
    match (address, field) {
        (Address::Fact(own), field) if own == field => true,
        (Address::Fact(Field::Map(own)), Field::MapEntry(map, _))
        | (Address::Fact(Field::MapEntry(own, _)), Field::Map(map)) => own == map,
        (Address::Queue(own), Field::Queue(id, _)) => own == id,
        (Address::Group(own), Field::Group(id, _)) => own == id,
        (Address::Nic, Field::Nic(_) | Field::DcqcnParameter(_) | Field::Nv(..)) => true,
        _ => false,
    }
}

/// The checks that an address may matter to, by the beginning of their names.
fn areas(address: &Address) -> &'static [&'static str] {
    match address {
        Address::Pool(_) | Address::PoolFact(..) => &["buffer/"],
        Address::Queue(_) => &["ecn/", "sched/", "map/", "buffer/egress"],
        Address::Group(_) | Address::Fact(Field::Group(..)) => &["buffer/", "map/pg"],
        Address::Nic => &["nic/", "dcqcn/", "cnp/", "mtu/rdma"],
        Address::Platform | Address::Peer | Address::Device(_) => &["bom/"],
        Address::Line => &[],
        Address::Fact(field) => match field {
            Field::Map(_) | Field::MapEntry(..) => &["map/", "nic/trust"],
            Field::Queue(_, field) => match field {
                QueueField::Lossless => &["map/", "pfc/"],
                QueueField::Scheduler | QueueField::Share => &["sched/"],
                QueueField::Limit => &["buffer/"],
                _ => &["ecn/"],
            },
            Field::Port(field) => match field {
                PortField::Speed | PortField::Cable => &["buffer/headroom"],
                PortField::MtuIp | PortField::MtuRaw | PortField::MtuCounts => {
                    &["mtu/", "buffer/headroom"]
                }
                PortField::Trust => &["trust/", "map/", "nic/trust"],
                PortField::Admin | PortField::Description | PortField::Fec | PortField::Oper => &[],
                _ => &["pfc/"],
            },
            Field::Nic(_) | Field::DcqcnParameter(_) | Field::Nv(..) => {
                &["nic/", "dcqcn/", "cnp/", "mtu/rdma", "bom/"]
            }
            _ => &[],
        },
    }
}
