//! Judges one device: ports with equal settings once, then every check once
//! for each such group.

use super::gather::Gathered;
use super::{Checks, DeviceEntry, DeviceStatus, Judged, Options, ReadDevice};
use crate::check::{self, At, Check, Detail, DeviceContext, Needs, PortContext, Verdicts};
use crate::fabric::fleet::Profile;
use crate::fabric::node::Seen;
use crate::fabric::{Node, View};
use crate::finding::{Evidence, Finding, PortPlace, Status};
use crate::model::{
    Coverage, Device, DeviceKind, Kind, LinkType, Note, NoteKind, Origin, Port, State,
};
use crate::platform;
use crate::policy::{
    Bindings, Bound, CompiledAssert, Each, Effective, Outcome, PolicySet, PortState, Position,
    ResolvedScope, Severity, Subject,
};
use crate::source::Places;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ports that get equal verdicts.
struct Group {
    effective: Arc<Effective>,
    ports: Vec<usize>,
}

/// Most groups that a port is compared with; past it every port is judged by
/// itself, which costs time but changes no verdict.
const MOST_GROUPS: usize = 64;

pub(super) fn judge(
    read: &ReadDevice,
    policy: &PolicySet,
    checks: &Checks,
    options: &Options,
) -> Judged {
    let mut bench = Bench::new(read, policy, options);
    for (check, note) in &read.problems {
        bench.problem(check, note);
    }
    let Some(device) = &read.device else {
        return bench.finish(0, None);
    };
    let groups = groups(device, policy, options);
    let judged: usize = groups.iter().map(|group| group.ports.len()).sum();
    if judged == 0 {
        bench.nothing_to_judge(device);
    }
    let whole = policy.effective(&subject(device, None));
    for (check, shown) in checks.all() {
        let about = check.about();
        if !about.judges(device.kind) || about.needs == Needs::Peers {
            continue; // the fabric is judged afterwards
        }
        bench.hides = !shown;
        if !holds(device.coverage, about.needs) {
            if shown {
                bench.skip(check, judged.max(1));
            }
            continue;
        }
        let mut verdicts = Verdicts::default();
        check.device(
            &DeviceContext {
                device,
                policy: &whole,
                set: policy,
            },
            &mut verdicts,
        );
        bench.take(check, verdicts, device, &[]);
        for group in &groups {
            let Some(port) = group.ports.first().and_then(|n| device.ports.get(*n)) else {
                continue;
            };
            if !applies(check, port) {
                continue;
            }
            let mut verdicts = Verdicts::default();
            let context = PortContext {
                device,
                port,
                policy: &group.effective,
            };
            check.port(&context, &mut verdicts);
            bench.take(check, verdicts, device, &group.ports);
        }
    }
    bench.hides = false;
    bench.asserts(device, &groups);
    bench.finish(
        judged,
        checks.fabric.then(|| node(device, policy, checks, &groups)),
    )
}

/// What the fabric needs to know of the device.
fn node(device: &Device, policy: &PolicySet, checks: &Checks, groups: &[Group]) -> Node {
    let mut views = vec![None; device.ports.len()];
    for group in groups {
        let first = group.ports.first().and_then(|n| device.ports.get(*n));
        let Some(first) = first else { continue };
        let profiles = checks.profiles.as_ref();
        let seen = Seen {
            view: Arc::new(View::new(first, device.kind, &group.effective)),
            profile: profiles.map(|profiles| profiles.share(Profile::new(device, first))),
        };
        for n in &group.ports {
            if let Some(place) = views.get_mut(*n) {
                *place = Some(seen.clone());
            }
        }
    }
    let role = policy.role(&subject(device, None)).map(str::to_owned);
    Node::new(device, role, views)
}

fn holds(coverage: Coverage, needs: Needs) -> bool {
    match needs {
        Needs::Config => true,
        Needs::Operational => coverage.operational,
        Needs::Counters => coverage.counters,
        Needs::Peers => coverage.peers,
    }
}

pub(super) fn subject<'d>(device: &'d Device, port: Option<&'d Port>) -> Subject<'d> {
    Subject {
        device: &device.name,
        port: port.map_or("*", |port| &port.name),
        role: device.role.as_deref(),
        speed_mbps: port.and_then(|port| port.speed_mbps.get()).map(u64::from),
        peer_kind: None,
        platform: device.platform,
    }
}

/// On a port that speaks InfiniBand nothing of RoCE applies; that it does is
/// one finding.
fn applies(check: &dyn Check, port: &Port) -> bool {
    let link = port.nic.as_ref().and_then(|nic| nic.link_type.get());
    link != Some(LinkType::Infiniband) || check.about().id == "nic/link-type"
}

/// The judged ports, in groups of equal settings and equal policy.
fn groups(device: &Device, policy: &PolicySet, options: &Options) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let scope = policy.scope();
    for (n, port) in device.ports.iter().enumerate() {
        let host_without_rdma = device.kind == DeviceKind::Host && port.nic.is_none();
        let down = port.admin.get() == Some(State::Down) && scope.admin_down == PortState::Skip;
        let oper = port.oper.get() == Some(State::Down) && scope.oper_down == PortState::Skip;
        let excluded = excluded(device, &port.name, scope);
        if host_without_rdma || down || oper || excluded {
            continue;
        }
        if !options.ports.matches(&port.name) {
            continue;
        }
        let effective = policy.effective(&subject(device, Some(port)));
        let same = |group: &&mut Group| {
            let first = group.ports.first().and_then(|n| device.ports.get(*n));
            group.effective.id == effective.id
                && first.is_some_and(|first| first.settings() == port.settings())
        };
        match groups.iter_mut().rev().take(MOST_GROUPS).find(same) {
            Some(group) => group.ports.push(n),
            None => groups.push(Group {
                effective,
                ports: vec![n],
            }),
        }
    }
    groups
}

/// Whether the policy's scope leaves a port out. `eth0` there is a switch's
/// management port; on a host the RDMA NIC itself may bear that name.
fn excluded(device: &Device, port: &str, scope: &ResolvedScope) -> bool {
    const MANAGEMENT: &str = "eth0";
    if device.kind == DeviceKind::Switch || port != MANAGEMENT {
        return !scope.includes(port);
    }
    let mut patterns = scope.exclude.value.patterns().iter();
    patterns.any(|pattern| {
        let glob = globset::Glob::new(pattern);
        pattern != MANAGEMENT && glob.is_ok_and(|glob| glob.compile_matcher().is_match(port))
    })
}

/// Gathers the verdicts on one device.
struct Bench<'a> {
    read: &'a ReadDevice,
    policy: &'a PolicySet,
    options: &'a Options,
    device: Arc<str>,
    names: Vec<Arc<str>>,
    places: Places<'a>,
    texts: BTreeMap<&'a str, Arc<str>>,
    sources: BTreeMap<&'a str, Arc<str>>,
    gathered: Gathered<'a>,
    /// What only the fabric needs to know.
    hidden: Gathered<'a>,
    /// Whether what comes now is hidden.
    hides: bool,
    remarks: Vec<String>,
    blind: bool,
}

impl<'a> Bench<'a> {
    fn new(read: &'a ReadDevice, policy: &'a PolicySet, options: &'a Options) -> Self {
        let ports = read.device.iter().flat_map(|device| &device.ports);
        Bench {
            read,
            policy,
            options,
            device: read.name.as_str().into(),
            names: ports.map(|port| port.name.as_str().into()).collect(),
            places: Places::new(&read.captures),
            texts: BTreeMap::new(),
            sources: BTreeMap::new(),
            gathered: Gathered::new(policy, options),
            hidden: Gathered::new(policy, options),
            hides: false,
            remarks: Vec::new(),
            blind: false,
        }
    }

    /// A problem on reading: always unknown.
    fn problem(&mut self, check: &'static str, note: &Note) {
        if self.policy.disabled(check).is_some() {
            return;
        }
        let severity = self.gathered.severity(check, Severity::High, None);
        let evidence = self.evidence(note.at).into_iter().collect();
        self.gathered.add(Finding {
            check: Cow::Borrowed(check),
            status: Status::Unknown,
            severity,
            device: self.device.clone(),
            class: None,
            message: note.text.clone(),
            expected: None,
            actual: None,
            kind: Kind::Unknown,
            policy: Position::default(),
            waiver: None,
            breaks: None,
            fields: Vec::new(),
            places: vec![PortPlace {
                port: note.port.as_deref().map(Arc::from),
                evidence,
                ..PortPlace::default()
            }],
        });
    }

    fn nothing_to_judge(&mut self, device: &Device) {
        let what = match device.kind {
            _ if !device.ports.is_empty() && device.kind == DeviceKind::Switch => return,
            DeviceKind::Host if !device.ports.is_empty() => {
                "no RDMA device is known on this host, so none of its ports is judged"
            }
            _ => "no port could be read from its captures",
        };
        let note = Note {
            kind: NoteKind::Failed,
            port: None,
            text: what.to_owned(),
            at: Origin::NONE,
        };
        self.blind = true;
        self.problem("collect/failed", &note);
    }

    /// A check whose kind of facts no capture holds. Required, it is unknown.
    fn skip(&mut self, check: &'static dyn Check, subjects: usize) {
        let about = check.about();
        if let Some(position) = self.policy.required(about.id) {
            let what = match about.needs {
                Needs::Config => "configuration",
                Needs::Operational => "operational state",
                Needs::Counters => "counters",
                Needs::Peers => "neighbours",
            };
            let message = format!("no capture of this device holds {what}, which this check needs");
            let verdicts = Verdicts {
                passes: 0,
                details: vec![Detail::unknown(message).policy(position)],
            };
            if let Some(device) = &self.read.device {
                self.take(check, verdicts, device, &[]);
            }
        } else {
            self.gathered.skipped(about.id, subjects);
        }
    }

    /// Takes a check's verdicts on the ports (none: on the device).
    fn take(
        &mut self,
        check: &'static dyn Check,
        verdicts: Verdicts,
        device: &'a Device,
        ports: &[usize],
    ) {
        let about = check.about();
        if !self.hides {
            let passes = verdicts.passes * ports.len().max(1);
            self.gathered.passed(Cow::Borrowed(about.id), passes);
        }
        if self.options.passes && verdicts.passes > 0 && !self.hides {
            let mut pass = Detail::fail(about.title);
            pass.expected = None;
            self.add(check, Status::Pass, pass, device, ports);
        }
        for detail in verdicts.details {
            let status = if detail.unknown {
                Status::Unknown
            } else {
                Status::Fail
            };
            self.add(check, status, detail, device, ports);
        }
    }

    fn add(
        &mut self,
        check: &'static dyn Check,
        status: Status,
        detail: Detail,
        device: &'a Device,
        ports: &[usize],
    ) {
        let about = check.about();
        let mut severity = self
            .gathered
            .severity(about.id, about.severity, detail.severity);
        let first = ports.first().and_then(|n| device.ports.get(*n));
        let oper_down = first.is_some_and(|port| port.oper.get() == Some(State::Down));
        if oper_down && self.policy.scope().oper_down == PortState::Info {
            severity = Severity::Info;
        }
        let mut places = Vec::with_capacity(ports.len().max(1));
        if ports.is_empty() {
            let named = detail.port.as_deref();
            // Only a fact or a remedy of the port needs it looked up.
            let needed = detail.remedy.is_some()
                || detail.evidence.iter().any(|at| matches!(at, At::Field(_)));
            let port = named.filter(|_| needed).and_then(|name| device.port(name));
            let mut place = self.place(&detail, device, port);
            place.port = named.map(Arc::from);
            places.push(place);
        }
        for (index, n) in ports.iter().enumerate() {
            let Some(port) = device.ports.get(*n) else {
                continue;
            };
            let mut place = if index == 0 || self.options.each_port {
                self.place(&detail, device, Some(port))
            } else {
                PortPlace::default()
            };
            place.port = self.names.get(*n).cloned();
            places.push(place);
        }
        let fields = detail.evidence.iter().filter_map(|at| match at {
            At::Field(field) => Some(field.clone()),
            At::Origin(_) => None,
        });
        let finding = Finding {
            fields: fields.collect(),
            check: Cow::Borrowed(about.id),
            status,
            severity,
            device: self.device.clone(),
            class: detail.class,
            message: detail.message,
            expected: detail.expected,
            actual: detail.actual,
            kind: detail.kind,
            policy: detail.policy,
            waiver: None,
            breaks: detail
                .breaks
                .or(check.breaks())
                .filter(|_| severity != Severity::Info),
            places,
        };
        match self.hides {
            true => self.hidden.add(finding),
            false => self.gathered.add(finding),
        }
    }

    fn place(&mut self, detail: &Detail, device: &Device, port: Option<&Port>) -> PortPlace {
        let mut evidence: Vec<Evidence> = Vec::new();
        let mut add = |bench: &mut Self, origin: Origin| {
            let found = bench.evidence(origin);
            evidence.extend(found.filter(|e| !evidence.contains(e)));
        };
        for at in &detail.evidence {
            match (at, port) {
                (At::Origin(origin), _) => add(self, *origin),
                (At::Field(field), Some(port)) => {
                    let found = port.evidence(field);
                    add(self, found.at);
                    add(self, found.attached);
                }
                (At::Field(_), None) => {}
            }
        }
        let remedy = detail.remedy.as_ref().filter(|_| !detail.unknown);
        let fix = remedy.and_then(|remedy| {
            let platform = platform::by_name(device.platform)?;
            Some(platform.fix(device, port.map_or("*", |port| &port.name), remedy))
        });
        PortPlace {
            evidence,
            fix: fix.unwrap_or_default(),
            ..PortPlace::default()
        }
    }

    /// The line of an origin; equal texts are stored once.
    fn evidence(&mut self, origin: Origin) -> Option<Evidence> {
        let place = self.places.find(origin)?;
        let source = self.sources.entry(place.source);
        let source = source.or_insert_with(|| place.source.into()).clone();
        let text = self.texts.entry(place.text);
        Some(Evidence {
            source,
            line: place.line,
            text: text.or_insert_with(|| place.text.into()).clone(),
        })
    }

    /// The conditions that the policy states in CEL.
    fn asserts(&mut self, device: &'a Device, groups: &[Group]) {
        let asserts = self.policy.asserts().iter();
        let asserts = asserts.filter(|a| self.options.checks.matches(&a.id.value));
        let asserts: Vec<&CompiledAssert> = asserts.collect();
        if asserts.is_empty() {
            return;
        }
        let whole = Bound::new(&crate::model::json::device(device));
        for assert in &asserts {
            if assert.each == Each::Device {
                let outcome = assert.evaluate(Bindings {
                    device: &whole,
                    port: None,
                    nic: None,
                });
                self.asserted(assert, outcome, None);
            }
        }
        for n in groups.iter().flat_map(|group| &group.ports) {
            let Some(port) = device.ports.get(*n) else {
                continue;
            };
            let json = crate::model::json::port(port);
            let nic = json.get("nic").filter(|nic| !nic.is_null()).map(Bound::new);
            let bound = Bound::new(&json);
            for assert in asserts.iter().filter(|assert| assert.each == Each::Port) {
                let outcome = assert.evaluate(Bindings {
                    device: &whole,
                    port: Some(&bound),
                    nic: nic.as_ref(),
                });
                self.asserted(assert, outcome, self.names.get(*n).cloned());
            }
        }
    }

    fn asserted(&mut self, assert: &CompiledAssert, outcome: Outcome, port: Option<Arc<str>>) {
        let (status, message) = match outcome {
            Outcome::Holds => {
                self.gathered.passed(Cow::Owned(assert.id.value.clone()), 1);
                return;
            }
            Outcome::NotApplicable => return,
            Outcome::Broken => (
                Status::Fail,
                assert
                    .message
                    .clone()
                    .unwrap_or_else(|| "the condition does not hold".to_owned()),
            ),
            Outcome::Unknown(why) => (
                Status::Unknown,
                format!("the condition cannot be evaluated: {why}"),
            ),
        };
        let id = assert.id.value.clone();
        let finding = Finding {
            severity: self.gathered.severity(&id, assert.severity, None),
            check: Cow::Owned(id),
            status,
            device: self.device.clone(),
            class: None,
            message,
            expected: Some(assert.expr.value.clone()),
            actual: None,
            kind: Kind::Explicit,
            policy: assert.id.position,
            waiver: None,
            breaks: None,
            fields: Vec::new(),
            places: vec![PortPlace {
                port,
                ..PortPlace::default()
            }],
        };
        self.gathered.add(finding);
    }

    fn finish(mut self, ports: usize, node: Option<Node>) -> Judged {
        let device = self.read.device.as_ref();
        let remarks = device.iter().flat_map(|device| &device.notes);
        let remarks = remarks.filter(|note| note.kind == NoteKind::Remark);
        self.remarks.extend(remarks.map(|note| note.text.clone()));
        let mut status = self.read.status;
        if ports == 0 && status == DeviceStatus::Audited {
            status = DeviceStatus::Partial;
        }
        Judged {
            entry: DeviceEntry {
                name: self.read.name.clone(),
                platform: device.map(|device| device.platform),
                status,
                ports,
                blind: self.blind,
                remarks: self.remarks,
                root: self.read.root.clone(),
                checks: self.gathered.tally,
            },
            ports_found: device.map_or(0, |device| device.ports.len()),
            findings: self.gathered.findings,
            hidden: self.hidden.findings,
            node,
        }
    }
}

/// What the policy itself gives rise to: expired waivers, parts of it that
/// matched nothing, and what it asks that no check answers yet.
pub(super) fn policy_findings(policy: &PolicySet, options: &Options) -> Vec<Finding> {
    let finding = |check: &'static str, own: Severity, message: String, at: Position| Finding {
        check: Cow::Borrowed(check),
        status: Status::Fail,
        severity: policy.severity(check).map_or(own, |s| s.value),
        device: policy.name().into(),
        class: None,
        message,
        expected: None,
        actual: None,
        kind: Kind::Explicit,
        policy: at,
        waiver: None,
        breaks: None,
        fields: Vec::new(),
        places: vec![PortPlace::default()],
    };
    let mut findings = Vec::new();
    let wanted = |check: &str| options.checks.matches(check) && policy.disabled(check).is_none();
    if wanted("policy/waiver-expired") {
        for waiver in policy.expired_waivers(options.now) {
            let patterns = waiver.check.iter().flat_map(|check| check.value.patterns());
            let check = patterns.cloned().collect::<Vec<_>>().join(", ");
            let message = format!("the waiver of {check} has expired: it waives nothing any more");
            let severity = Severity::Medium;
            findings.push(finding(
                "policy/waiver-expired",
                severity,
                message,
                waiver.position,
            ));
        }
    }
    if wanted("policy/matches-nothing") {
        for unmatched in policy.unmatched() {
            let message = format!("the {} {} matches nothing", unmatched.kind, unmatched.text);
            let severity = Severity::Low;
            findings.push(finding(
                "policy/matches-nothing",
                severity,
                message,
                unmatched.position,
            ));
        }
    }
    for id in check::LATER {
        let asked = policy.required(id);
        if let Some(position) = asked.filter(|_| wanted(id)) {
            let message = format!("the policy asks for {id}, which this release does not judge");
            findings.push(Finding {
                status: Status::Unknown,
                kind: Kind::Unknown,
                ..finding(id, Severity::High, message, position)
            });
        }
    }
    findings
}
