//! Judges the fabric once all devices are judged: joins their links, runs the
//! checks of the fabric, and looks up the lines behind what they say.

use super::gather::Gathered;
use super::{Checks, Judged, Options, read_unit};
use crate::check::{Check, FabricContext, FabricDetail, FabricVerdicts, Line, Needs};
use crate::fabric::{Fabric, Hops, Node};
use crate::finding::{Evidence, Finding, PortPlace, Status};
use crate::policy::PolicySet;
use crate::source::{Places, Unit};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What the fabric contributes to a report.
pub(super) struct OfFabric<'a> {
    /// Findings and counts.
    pub gathered: Gathered<'a>,
    /// Links, ways and what breaks them.
    pub hops: Hops,
}

/// Judges the fabric of these devices; `units` are those that they were read from.
pub(super) fn judge<'a>(
    judged: &mut [Judged],
    units: &[&Unit],
    policy: &'a PolicySet,
    checks: &Checks,
    options: &'a Options,
) -> OfFabric<'a> {
    let nodes: Vec<Node> = judged.iter_mut().filter_map(|j| j.node.take()).collect();
    let fabric = Fabric::join(nodes, &options.cables);
    let findings = judged
        .iter()
        .flat_map(|j| j.findings.iter().chain(&j.hidden));
    let cnp = policy.base().cnp_class();
    let hops = Hops::new(fabric, findings, cnp.map(|class| class.name.value.as_str()));
    let mut of_fabric = OfFabric {
        gathered: Gathered::new(policy, options),
        hops,
    };
    let mut told: Vec<(&'static dyn Check, FabricDetail)> = Vec::new();
    for check in &checks.shown {
        let about = check.about();
        if about.needs != Needs::Peers {
            continue;
        }
        let mut verdicts = FabricVerdicts::default();
        let context = FabricContext {
            hops: &of_fabric.hops,
            set: policy,
        };
        check.fabric(&context, &mut verdicts);
        if verdicts.passes == 0 && verdicts.details.is_empty() {
            of_fabric.skip(*check, policy, checks.fabric);
        }
        of_fabric
            .gathered
            .passed(Cow::Borrowed(about.id), verdicts.passes);
        if options.passes && verdicts.passes > 0 {
            let finding = finding(*check, Status::Pass, policy.name(), about.title.to_owned());
            of_fabric.gathered.add(finding);
        }
        told.extend(verdicts.details.into_iter().map(|detail| (*check, detail)));
    }
    look_up(&mut told, units, &of_fabric.hops.fabric);
    for (check, detail) in told {
        of_fabric.add(check, detail);
    }
    of_fabric
}

fn finding(check: &'static dyn Check, status: Status, device: &str, message: String) -> Finding {
    let about = check.about();
    Finding {
        check: Cow::Borrowed(about.id),
        status,
        severity: about.severity,
        device: device.into(),
        class: None,
        message,
        expected: None,
        actual: None,
        kind: crate::model::Kind::Explicit,
        policy: crate::policy::Position::default(),
        waiver: None,
        breaks: None,
        fields: Vec::new(),
        places: vec![PortPlace::default()],
    }
}

impl OfFabric<'_> {
    /// A check that has nothing to judge. Required, it is unknown.
    fn skip(&mut self, check: &'static dyn Check, policy: &PolicySet, whole: bool) {
        let id = check.about().id;
        match policy.required(id) {
            None => self.gathered.skipped(id, 1),
            Some(position) => {
                let message = match whole {
                    true => "no capture tells how hosts and switches of this source are joined",
                    false => "the fabric is judged only as a whole, without --device and --port",
                };
                self.gathered.add(Finding {
                    policy: position,
                    kind: crate::model::Kind::Unknown,
                    ..finding(check, Status::Unknown, policy.name(), message.to_owned())
                });
            }
        }
    }

    fn add(&mut self, check: &'static dyn Check, told: FabricDetail) {
        let FabricDetail {
            port,
            peer,
            detail,
            evidence,
            ..
        } = told;
        let about = check.about();
        let severity = self
            .gathered
            .severity(about.id, about.severity, detail.severity);
        let fabric = &self.hops.fabric;
        let status = match detail.unknown {
            true => Status::Unknown,
            false => Status::Fail,
        };
        let other = peer
            .map(|peer| format!("{}:{}", fabric.node(peer).name, fabric.port(peer).name).into());
        let place = PortPlace {
            port: Some(fabric.port(port).name.clone()),
            peer: other,
            evidence,
            fix: Vec::new(),
        };
        let device = &fabric.node(port).name.clone();
        self.gathered.add(Finding {
            severity,
            class: detail.class,
            expected: detail.expected,
            actual: detail.actual,
            kind: detail.kind,
            policy: detail.policy,
            places: vec![place],
            ..finding(check, status, device, detail.message)
        });
    }
}

/// Reads the devices again whose lines are asked for, and looks them up.
/// Models and captures were dropped, and few devices have something to report.
fn look_up(told: &mut [(&'static dyn Check, FabricDetail)], units: &[&Unit], fabric: &Fabric) {
    let mut wanted: BTreeMap<u32, Vec<(usize, Line)>> = BTreeMap::new();
    for (n, (_, detail)) in told.iter().enumerate() {
        for line in &detail.lines {
            let (Line::Fact(port, _) | Line::Peer(port)) = line;
            wanted.entry(port.node).or_default().push((n, line.clone()));
        }
    }
    for (node, lines) in wanted {
        let name = &fabric.nodes[node as usize].name;
        let Some(unit) = units.iter().find(|unit| *unit.name == **name) else {
            continue;
        };
        let read = read_unit(unit);
        let Some(device) = &read.device else { continue };
        let mut places = Places::new(&read.captures);
        for (n, line) in lines {
            let (Line::Fact(id, _) | Line::Peer(id)) = &line;
            let Some(port) = device.ports.get(id.port as usize) else {
                continue;
            };
            let origins = match &line {
                Line::Fact(_, field) => {
                    let evidence = port.evidence(field);
                    [evidence.at, evidence.attached]
                }
                Line::Peer(_) => [port.peer.as_ref().map_or_else(Default::default, |p| p.at.0); 2],
            };
            for place in origins.into_iter().filter_map(|origin| places.find(origin)) {
                let found = Evidence {
                    source: place.source.into(),
                    line: place.line,
                    text: place.text.into(),
                };
                let evidence = &mut told[n].1.evidence;
                if !evidence.contains(&found) {
                    evidence.push(found);
                }
            }
        }
    }
}
