//! Which parts of a policy apply to which port, check and finding.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::assert::CompiledAssert;
use super::effective::{Effective, EffectiveId, ResolvedScope, merged};
use super::error::{PolicyError, Problem, nearest, quoted};
use super::expect::Judgement;
use super::quantity::Speed;
use super::read::{Globs, Leaf};
use super::schema::{Policy, RoleSelector, Severity, Waiver, When};
use super::yaml::{Located, Position};

/// The port that a policy is asked about. For a device as a whole, `port` is
/// `*`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// Device name.
    pub device: &'a str,
    /// Port name as in the model.
    pub port: &'a str,
    /// The inventory's role, which wins over the policy's `roles`.
    pub role: Option<&'a str>,
    /// Port speed in Mb/s; `None` = unknown, which no `speed` matches.
    pub speed_mbps: Option<u64>,
    /// `host` or `switch`; `None` = unknown, which no `peer` matches.
    pub peer_kind: Option<&'a str>,
    /// Platform as in the model (`sonic`, `eos`, …).
    pub platform: &'a str,
}

/// A check that the policy turns off.
#[derive(Clone, Copy, Debug)]
pub struct Disabled<'a> {
    /// Why.
    pub reason: &'a str,
    /// Where the policy says so.
    pub position: Position,
}

/// A waiver that matched a finding.
#[derive(Clone, Copy, Debug)]
pub struct Waived<'a> {
    /// The waiver's place in the list, from 0.
    pub index: usize,
    /// Whether its last day has passed: it waives nothing any more.
    pub expired: bool,
    /// The waiver as written.
    pub waiver: &'a Waiver,
}

/// A waiver, override or role that matched nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// `waiver`, `override` or `role`.
    pub kind: &'static str,
    /// What it asked for.
    pub text: String,
    /// Where it stands.
    pub position: Position,
}

/// A loaded policy: asks of what applies where. Shared between threads.
#[derive(Debug)]
pub struct PolicySet {
    pub(super) policy: Policy,
    pub(super) name: String,
    pub(super) source: String,
    pub(super) text: String,
    pub(super) asserts: Vec<CompiledAssert>,
    scope: ResolvedScope,
    severities: Vec<(Globs, Located<Severity>)>,
    base: Arc<Effective>,
    /// One object for each set of overrides that some port matched.
    interned: RwLock<HashMap<Vec<usize>, Arc<Effective>>>,
    used: Used,
}

/// What matched something, for `policy/matches-nothing`.
#[derive(Debug)]
struct Used {
    waivers: Vec<AtomicBool>,
    overrides: Vec<AtomicBool>,
    roles: Vec<AtomicBool>,
}

fn unused(count: usize) -> Vec<AtomicBool> {
    (0..count).map(|_| AtomicBool::new(false)).collect()
}

fn mark(flags: &[AtomicBool], index: usize) {
    if let Some(flag) = flags.get(index) {
        flag.store(true, Ordering::Relaxed);
    }
}

impl PolicySet {
    pub(super) fn new(
        policy: Policy,
        source: String,
        text: String,
        asserts: Vec<CompiledAssert>,
    ) -> Self {
        let name = match &policy.name {
            Some(name) => name.value.clone(),
            None => {
                let file = source.rsplit(['/', ':']).next().unwrap_or_default();
                file.split('.').next().unwrap_or_default().to_owned()
            }
        };
        PolicySet {
            name,
            source,
            text,
            asserts,
            scope: ResolvedScope::new(policy.scope.as_ref()),
            severities: severities(&policy),
            base: Arc::new(Effective::new(EffectiveId(0), policy.body.clone())),
            interned: RwLock::default(),
            used: Used {
                waivers: unused(policy.waivers.as_ref().map_or(0, Vec::len)),
                overrides: unused(policy.overrides.as_ref().map_or(0, Vec::len)),
                roles: unused(policy.roles.as_ref().map_or(0, |roles| roles.0.len())),
            },
            policy,
        }
    }

    /// The policy's name; the file's where it gives none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file as given, or `builtin:NAME`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// SHA-256 of the policy's text, in hex.
    pub fn sha256(&self) -> String {
        use sha2::{Digest, Sha256};
        let digest = Sha256::digest(self.text.as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A line of the policy's text, counted from 1.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.lines().nth((line as usize).checked_sub(1)?)
    }

    /// The policy as written.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The policy without its overrides.
    pub fn base(&self) -> &Arc<Effective> {
        &self.base
    }

    /// Which ports are judged.
    pub fn scope(&self) -> &ResolvedScope {
        &self.scope
    }

    /// The compiled `assert:` conditions.
    pub fn asserts(&self) -> &[CompiledAssert] {
        &self.asserts
    }

    /// The subject's role: the inventory's, else the first of the policy's
    /// `roles` that matches.
    pub fn role<'a>(&'a self, subject: &Subject<'a>) -> Option<&'a str> {
        if subject.role.is_some() {
            return subject.role;
        }
        let roles = self.policy.roles.iter().flat_map(|roles| roles.iter());
        for (index, (name, selector)) in roles.enumerate() {
            if role_matches(selector, subject) {
                mark(&self.used.roles, index);
                return Some(&name.value);
            }
        }
        None
    }

    /// What holds for the subject. Subjects that match the same overrides
    /// share one object; cheap enough to call for every port.
    pub fn effective(&self, subject: &Subject<'_>) -> Arc<Effective> {
        let role = self.role(subject);
        let Some(overrides) = &self.policy.overrides else {
            return Arc::clone(&self.base);
        };
        let mut matched = Vec::new();
        for (index, over) in overrides.iter().enumerate() {
            let when = over.when.as_ref();
            if when.is_some_and(|when| when_matches(when, subject, role)) {
                mark(&self.used.overrides, index);
                matched.push(index);
            }
        }
        if matched.is_empty() {
            return Arc::clone(&self.base);
        }
        let interned = self.interned.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(effective) = interned.get(&matched) {
            return Arc::clone(effective);
        }
        drop(interned);
        let mut interned = self
            .interned
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let id = EffectiveId(u32::try_from(interned.len() + 1).unwrap_or(u32::MAX));
        let bodies: Vec<_> = matched
            .iter()
            .filter_map(|index| overrides.get(*index).map(|over| &over.body))
            .collect();
        let effective = interned
            .entry(matched)
            .or_insert_with(|| Arc::new(Effective::new(id, merged(&self.policy.body, &bodies))));
        Arc::clone(effective)
    }

    /// Where the policy requires that the check does not stay unknown or
    /// skipped.
    pub fn required(&self, check: &str) -> Option<Position> {
        let mut globs = self.policy.require.iter().flatten();
        globs
            .find(|globs| globs.value.matches(check))
            .map(|globs| globs.position)
    }

    /// Whether the policy has a `require:` list at all: then only unknowns of
    /// those checks count for the exit code.
    pub fn has_require(&self) -> bool {
        self.policy
            .require
            .as_ref()
            .is_some_and(|list| !list.is_empty())
    }

    /// The severity that the policy gives a check: by its name, else by the
    /// last glob that matches.
    pub fn severity(&self, check: &str) -> Option<Located<Severity>> {
        let by_name = self
            .severities
            .iter()
            .find(|(globs, _)| globs.patterns().iter().any(|pattern| pattern == check));
        let matching = || {
            self.severities
                .iter()
                .rev()
                .find(|(globs, _)| globs.matches(check))
        };
        let (_, severity) = by_name.or_else(matching)?;
        Some(severity.clone())
    }

    /// Whether, and why, a check is turned off.
    pub fn disabled(&self, check: &str) -> Option<Disabled<'_>> {
        let disable = self.policy.disable.iter().flatten().find(|disable| {
            let globs = disable.check.as_ref();
            globs.is_some_and(|globs| globs.value.matches(check))
        })?;
        Some(Disabled {
            reason: disable.reason.as_ref().map_or("", |reason| &reason.value),
            position: disable.position,
        })
    }

    /// The waiver of a finding: one that holds, else one that has expired.
    /// All that match are marked as used.
    pub fn waiver(
        &self,
        check: &str,
        device: &str,
        port: Option<&str>,
        now: Timestamp,
    ) -> Option<Waived<'_>> {
        let mut found: Option<Waived<'_>> = None;
        for (index, waiver) in self.policy.waivers.iter().flatten().enumerate() {
            if !waiver_matches(waiver, check, device, port) {
                continue;
            }
            mark(&self.used.waivers, index);
            let expired = has_expired(waiver, now);
            if found.is_none_or(|found| found.expired && !expired) {
                found = Some(Waived {
                    index,
                    expired,
                    waiver,
                });
            }
        }
        found
    }

    /// The waivers whose last day has passed.
    pub fn expired_waivers(&self, now: Timestamp) -> impl Iterator<Item = &Waiver> {
        let waivers = self.policy.waivers.iter().flatten();
        waivers.filter(move |waiver| has_expired(waiver, now))
    }

    /// The waivers, overrides and roles that no call of [`Self::waiver`],
    /// [`Self::effective`] or [`Self::role`] has matched so far.
    pub fn unmatched(&self) -> Vec<Unmatched> {
        let unused = |flags: &[AtomicBool]| -> Vec<usize> {
            let flags = flags.iter().enumerate();
            flags
                .filter(|(_, flag)| !flag.load(Ordering::Relaxed))
                .map(|(index, _)| index)
                .collect()
        };
        let mut unmatched = Vec::new();
        for index in unused(&self.used.waivers) {
            let waiver = self
                .policy
                .waivers
                .as_ref()
                .and_then(|list| list.get(index));
            unmatched.extend(waiver.map(|waiver| Unmatched {
                kind: "waiver",
                text: described(&[
                    ("check", &waiver.check),
                    ("device", &waiver.device),
                    ("port", &waiver.port),
                ]),
                position: waiver.position,
            }));
        }
        for index in unused(&self.used.roles) {
            let role = self
                .policy
                .roles
                .as_ref()
                .and_then(|roles| roles.0.get(index));
            unmatched.extend(role.map(|(name, _)| Unmatched {
                kind: "role",
                text: name.value.clone(),
                position: name.position,
            }));
        }
        for index in unused(&self.used.overrides) {
            let over = self
                .policy
                .overrides
                .as_ref()
                .and_then(|list| list.get(index));
            let when = over.and_then(|over| over.when.as_ref());
            unmatched.extend(when.map(|when| Unmatched {
                kind: "override",
                text: when_described(when),
                position: when.position,
            }));
        }
        unmatched.sort_by_key(|unmatched| unmatched.position);
        unmatched
    }

    /// Holds the policy against the checks that exist.
    ///
    /// # Errors
    /// The names and globs in `require`, `severity`, `disable` and `waivers`
    /// that match neither a check nor an assert of the policy.
    pub fn validate_checks(&self, known: &[&str]) -> Result<(), PolicyError> {
        let asserts = self.asserts.iter().map(|assert| assert.id.value.as_str());
        let mut known = known.to_vec();
        known.extend(asserts);
        let mut problems = Vec::new();
        let mut require = |pattern: &str, position: Position| {
            let exists = super::quantity::glob(pattern)
                .is_ok_and(|glob| known.iter().any(|check| glob.is_match(check)));
            if !exists {
                let problem = Problem::new(position, format!("no check {}", quoted(pattern)));
                problems.push(match nearest(pattern, &known) {
                    Some(word) => problem.help(format!("did you mean `{word}`?")),
                    None => problem.help("`roceaudit checks` lists them"),
                });
            }
        };
        let policy = &self.policy;
        let globs = policy.require.iter().flatten();
        let globs = globs.chain(policy.disable.iter().flatten().flat_map(|one| &one.check));
        let globs = globs.chain(policy.waivers.iter().flatten().flat_map(|one| &one.check));
        for globs in globs {
            for pattern in globs.value.patterns() {
                require(pattern, globs.position);
            }
        }
        for (pattern, _) in policy.severity.iter().flat_map(|entries| entries.iter()) {
            require(&pattern.value, pattern.position);
        }
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort_by_key(|problem| problem.position);
        Err(PolicyError::Invalid {
            file: self.source.clone(),
            text: self.text.clone(),
            problems,
        })
    }
}

fn severities(policy: &Policy) -> Vec<(Globs, Located<Severity>)> {
    let entries = policy.severity.iter().flat_map(|entries| entries.iter());
    let compiled = entries.filter_map(|(pattern, severity)| {
        let globs = Globs::new(vec![pattern.value.clone()]).ok()?;
        Some((globs, severity.with(severity.value.value)))
    });
    compiled.collect()
}

/// A selector that is given must match; one that is not given does.
fn matches(globs: &Option<Located<Globs>>, name: Option<&str>) -> bool {
    match globs {
        None => true,
        Some(globs) => name.is_some_and(|name| globs.value.matches(name)),
    }
}

fn role_matches(selector: &RoleSelector, subject: &Subject<'_>) -> bool {
    matches(&selector.device, Some(subject.device))
        && matches(&selector.port, Some(subject.port))
        && matches(&selector.peer, subject.peer_kind)
        && matches(&selector.platform, Some(subject.platform))
}

fn when_matches(when: &When, subject: &Subject<'_>, role: Option<&str>) -> bool {
    let speed = match (&when.speed, subject.speed_mbps) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(expect), Some(actual)) => expect.value.judge(&Speed(actual as f64)) == Judgement::Met,
    };
    speed
        && matches(&when.role, role)
        && matches(&when.device, Some(subject.device))
        && matches(&when.port, Some(subject.port))
        && matches(&when.peer, subject.peer_kind)
        && matches(&when.platform, Some(subject.platform))
}

fn waiver_matches(waiver: &Waiver, check: &str, device: &str, port: Option<&str>) -> bool {
    waiver.check.is_some()
        && matches(&waiver.check, Some(check))
        && matches(&waiver.device, Some(device))
        && matches(&waiver.port, port)
}

/// A waiver holds through its last day, in UTC.
fn has_expired(waiver: &Waiver, now: Timestamp) -> bool {
    let today = TimeZone::UTC.to_datetime(now).date();
    let last = waiver.expires.as_ref();
    last.is_some_and(|last| last.value.0 < today)
}

fn described(globs: &[(&str, &Option<Located<Globs>>)]) -> String {
    let given = globs
        .iter()
        .filter_map(|(key, globs)| Some(format!("{key}: {}", globs.as_ref()?.value.text())));
    given.collect::<Vec<_>>().join(", ")
}

fn when_described(when: &When) -> String {
    let mut text = described(&[
        ("role", &when.role),
        ("device", &when.device),
        ("port", &when.port),
        ("peer", &when.peer),
        ("platform", &when.platform),
    ]);
    if let Some(speed) = &when.speed {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&format!("speed: {}", speed.value));
    }
    text
}
