//! The audit: reads each device, judges it against the policy, and gathers
//! what was found. Devices are independent, so they are read and judged in
//! parallel; a device's captures and model are dropped once it is judged.

mod fabric;
mod gather;
mod judge;
mod outcome;
mod read;

pub use outcome::{Outcome, exit_code};
pub use read::{DeviceStatus, ReadDevice, platform_for, read_loaded, read_unit};

use crate::check::{self, Check, Needs};
use crate::fabric::fleet::Profiles;
use crate::fabric::{Hops, Node};
use crate::finding::{Finding, Status};
use crate::model::{Device, Port};
use crate::policy::{Effective, PolicySet, Severity};
use crate::source::Unit;
use jiff::Timestamp;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What to audit and how much to tell.
#[derive(Clone, Debug)]
pub struct Options {
    /// Devices to judge (globs); empty: all.
    pub devices: Selection,
    /// Ports to judge (globs); empty: all in the policy's scope.
    pub ports: Selection,
    /// Checks to run (globs); empty: all.
    pub checks: Selection,
    /// The time at which waivers are judged.
    pub now: Timestamp,
    /// Evidence and fix for every port, not only the first of a finding.
    pub each_port: bool,
    /// Passes as findings too.
    pub passes: bool,
    /// Cables as an inventory declares them: device and port, twice.
    pub cables: Vec<Cable>,
}

/// A declared cable: device and port of both ends.
pub type Cable = [(String, String); 2];

/// Names selected by globs.
#[derive(Clone, Debug, Default)]
pub struct Selection(Option<globset::GlobSet>);

impl Selection {
    /// From patterns; none select everything.
    ///
    /// # Errors
    /// A pattern that is no glob.
    pub fn new(patterns: &[String]) -> Result<Self, globset::Error> {
        if patterns.is_empty() {
            return Ok(Selection(None));
        }
        let mut set = globset::GlobSetBuilder::new();
        for pattern in patterns {
            set.add(globset::Glob::new(pattern)?);
        }
        Ok(Selection(Some(set.build()?)))
    }

    /// Whether a name is selected.
    pub fn matches(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|set| set.is_match(name))
    }
}

/// All that an audit found.
#[derive(Debug)]
pub struct Report {
    /// When it started.
    pub started: Timestamp,
    /// Name, source and SHA-256 of the policy.
    pub policy: PolicyName,
    /// Whether the policy declares a lossless class.
    pub lossless: bool,
    /// Whether devices, ports or checks were selected: then it speaks of a part.
    pub partial: bool,
    /// Verdicts by outcome.
    pub counts: Counts,
    /// The devices, by name.
    pub devices: Vec<DeviceEntry>,
    /// Verdicts on the fabric and on the policy itself, by check.
    pub fabric: Tally,
    /// Worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// All verdicts by check, one entry a device and one of the fabric.
    fn tallies(&self) -> impl Iterator<Item = (&Cow<'static, str>, &Counts)> {
        let devices = self.devices.iter().flat_map(|device| &device.checks);
        devices.chain(&self.fabric)
    }

    /// Verdicts by check over all devices.
    pub fn by_check(&self) -> BTreeMap<&str, Counts> {
        let mut sums: BTreeMap<&str, Counts> = BTreeMap::new();
        for (check, counts) in self.tallies() {
            sums.entry(check).or_default().add(*counts);
        }
        sums
    }

    /// Checks that were skipped, and on how many ports or devices.
    pub fn skipped(&self) -> BTreeMap<&str, usize> {
        let sums = self.by_check().into_iter();
        sums.map(|(check, counts)| (check, counts.skipped))
            .filter(|(_, skipped)| *skipped > 0)
            .collect()
    }
}

/// The policy of a report.
#[derive(Clone, Debug)]
pub struct PolicyName {
    /// Its name.
    pub name: String,
    /// The file, or `builtin:NAME`.
    pub source: String,
    /// Of its text, in hex.
    pub sha256: String,
}

/// A device of a report.
#[derive(Clone, Debug)]
pub struct DeviceEntry {
    /// Its name.
    pub name: String,
    /// The platform that read it.
    pub platform: Option<&'static str>,
    /// How far it was audited.
    pub status: DeviceStatus,
    /// Ports judged.
    pub ports: usize,
    /// None of its ports could be judged, although none was left out: what is
    /// required of it is unknown.
    pub blind: bool,
    /// What was noticed without being judged.
    pub remarks: Vec<String>,
    /// The folder that its sources lie in, as it was named; none of what was
    /// piped in.
    pub root: Option<Arc<Path>>,
    /// Verdicts on it by check; those of the fabric are the report's.
    pub checks: Tally,
}

/// Verdicts by check.
pub type Tally = BTreeMap<Cow<'static, str>, Counts>;

/// Verdicts by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// As asked.
    pub pass: usize,
    /// Not as asked.
    pub fail: usize,
    /// Can't be told.
    pub unknown: usize,
    /// The source can't hold the facts.
    pub skipped: usize,
    /// Not as asked, and accepted.
    pub waived: usize,
}

impl Counts {
    /// All verdicts.
    pub fn total(&self) -> usize {
        self.pass + self.fail + self.unknown + self.skipped + self.waived
    }

    fn add(&mut self, other: Counts) {
        self.pass += other.pass;
        self.fail += other.fail;
        self.unknown += other.unknown;
        self.skipped += other.skipped;
        self.waived += other.waived;
    }
}

/// What one device contributes to a report.
#[derive(Debug)]
struct Judged {
    entry: DeviceEntry,
    /// Ports that were read, judged or not.
    ports_found: usize,
    findings: Vec<Finding>,
    /// Of checks that were not asked for, but tell whether paths hold.
    hidden: Vec<Finding>,
    /// What the fabric needs to know of it.
    node: Option<Node>,
}

/// The checks of a run.
struct Checks {
    /// Those that were asked for.
    shown: Vec<&'static dyn Check>,
    /// Those whose failures break paths, where paths are judged.
    hidden: Vec<&'static dyn Check>,
    /// Whether the fabric is judged: its checks were asked for, of the whole source.
    fabric: bool,
    /// Where ports are compared with others of their role.
    profiles: Option<Profiles>,
}

impl Checks {
    /// Each with whether it is shown.
    fn all(&self) -> impl Iterator<Item = (&'static dyn Check, bool)> {
        let shown = self.shown.iter().map(|check| (*check, true));
        shown.chain(self.hidden.iter().map(|check| (*check, false)))
    }
}

/// Why nothing could be audited.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// A selection that selects nothing.
    #[error("{flag} matches no {what}; there are: {known}")]
    SelectsNothing {
        /// The flag.
        flag: &'static str,
        /// What it selects.
        what: &'static str,
        /// The first few names.
        known: String,
    },
    /// The policy's scope, or `--port`, leaves no port.
    #[error(
        "no port is judged: the policy's scope or the selection leaves none of {found} ports; \
         see `scope:` in the policy and --port"
    )]
    NoPort {
        /// Ports that were read.
        found: usize,
    },
}

/// Audits the devices of a source.
///
/// # Errors
/// Selections, or a policy, that select nothing.
pub fn audit(units: &[Unit], policy: &PolicySet, options: &Options) -> Result<Report, AuditError> {
    let started = Timestamp::now();
    let checks = selected_checks(policy, options)?;
    let units = selected_units(units, options)?;
    let mut judged: Vec<Judged> = units
        .par_iter()
        .map(|unit| judge::judge(&read_unit(unit), policy, &checks, options))
        .collect();
    let found: usize = judged.iter().map(|judged| judged.ports_found).sum();
    let ports: usize = judged.iter().map(|judged| judged.entry.ports).sum();
    if ports == 0 && found > 0 {
        return Err(AuditError::NoPort { found });
    }
    let mut report = Report {
        started,
        policy: PolicyName {
            name: policy.name().to_owned(),
            source: policy.source().to_owned(),
            sha256: policy.sha256(),
        },
        lossless: policy.base().lossless_classes().next().is_some(),
        partial: [&options.devices, &options.ports, &options.checks]
            .iter()
            .any(|selection| selection.0.is_some()),
        counts: Counts::default(),
        devices: Vec::with_capacity(judged.len()),
        fabric: Tally::new(),
        findings: Vec::new(),
    };
    let of_fabric = fabric::judge(&mut judged, &units, policy, &checks, options);
    report.fabric = of_fabric.gathered.tally;
    report.findings.extend(of_fabric.gathered.findings);
    for judged in judged {
        report.devices.push(judged.entry);
        report.findings.extend(judged.findings);
    }
    for finding in judge::policy_findings(policy, options) {
        let counts = report.fabric.entry(finding.check.clone()).or_default();
        match finding.status {
            Status::Unknown => counts.unknown += 1,
            _ => counts.fail += 1,
        }
        report.findings.push(finding);
    }
    report.findings.sort_by(Finding::order);
    report.counts = report
        .tallies()
        .fold(Counts::default(), |mut sum, (_, counts)| {
            sum.add(*counts);
            sum
        });
    Ok(report)
}

/// Judges devices one by one, without what only the fabric as a whole tells.
pub struct Judge<'a> {
    policy: &'a PolicySet,
    options: &'a Options,
    checks: Checks,
}

impl<'a> Judge<'a> {
    /// Under a policy.
    ///
    /// # Errors
    /// A selection of checks that selects none.
    pub fn new(policy: &'a PolicySet, options: &'a Options) -> Result<Self, AuditError> {
        let checks = Checks {
            hidden: Vec::new(),
            fabric: false,
            profiles: None,
            ..selected_checks(policy, options)?
        };
        Ok(Judge {
            policy,
            options,
            checks,
        })
    }

    /// What there is to say of a device.
    pub fn device(&self, read: &ReadDevice) -> Vec<Finding> {
        judge::judge(read, self.policy, &self.checks, self.options).findings
    }
}

/// A fabric with its models, for following classes over it.
pub struct Survey {
    /// Links, and what stands in the way of classes.
    pub hops: Hops,
    /// The models, one for each device of the fabric, in its order.
    pub devices: Vec<Device>,
}

/// Reads all devices and judges what breaks the ways of classes, whatever the
/// policy turns off.
pub fn survey(units: &[Unit], policy: &PolicySet, cables: Vec<Cable>) -> Survey {
    let options = Options {
        devices: Selection::default(),
        ports: Selection::default(),
        checks: Selection::default(),
        now: Timestamp::now(),
        each_port: true,
        passes: false,
        cables,
    };
    let all = check::registry().iter().copied();
    let checks = Checks {
        shown: Vec::new(),
        hidden: all.filter(|check| check.breaks().is_some()).collect(),
        fabric: true,
        profiles: None,
    };
    let mut judged = Vec::with_capacity(units.len());
    let mut devices = Vec::with_capacity(units.len());
    let read: Vec<(Judged, Option<Device>)> = units
        .par_iter()
        .map(|unit| {
            let read = read_unit(unit);
            (judge::judge(&read, policy, &checks, &options), read.device)
        })
        .collect();
    for (one, device) in read {
        judged.push(one);
        devices.extend(device);
    }
    let units: Vec<&Unit> = units.iter().collect();
    let of_fabric = fabric::judge(&mut judged, &units, policy, &checks, &options);
    Survey {
        hops: of_fabric.hops,
        devices,
    }
}

/// The policy that holds for a port.
pub fn effective(policy: &PolicySet, device: &Device, port: &Port) -> Arc<Effective> {
    policy.effective(&judge::subject(device, Some(port)))
}

/// The checks that run: selected and not turned off by the policy.
fn selected_checks(policy: &PolicySet, options: &Options) -> Result<Checks, AuditError> {
    let all = check::registry();
    let selected = all
        .iter()
        .copied()
        .filter(|check| options.checks.matches(check.about().id));
    let selected: Vec<_> = selected.collect();
    let asserts = policy.asserts().iter();
    if selected.is_empty()
        && !all.is_empty()
        && !asserts
            .map(|a| &a.id.value)
            .any(|id| options.checks.matches(id))
    {
        return Err(AuditError::SelectsNothing {
            flag: "--check",
            what: "check",
            known: first_few(all.iter().map(|check| check.about().id)),
        });
    }
    let enabled = |check: &&'static dyn Check| policy.disabled(check.about().id).is_none();
    let shown: Vec<_> = selected.into_iter().filter(enabled).collect();
    let whole = options.devices.0.is_none() && options.ports.0.is_none();
    let fabric = whole
        && shown
            .iter()
            .any(|check| check.about().needs == Needs::Peers);
    let is_shown = |id: &str| shown.iter().any(|check| check.about().id == id);
    let hidden = all
        .iter()
        .copied()
        .filter(enabled)
        .filter(|check| fabric && check.breaks().is_some() && !is_shown(check.about().id));
    let compared = fabric && is_shown("fleet/outlier");
    Ok(Checks {
        hidden: hidden.collect(),
        profiles: compared.then(Profiles::default),
        fabric,
        shown,
    })
}

fn selected_units<'u>(units: &'u [Unit], options: &Options) -> Result<Vec<&'u Unit>, AuditError> {
    let selected = units.iter().filter(|u| options.devices.matches(&u.name));
    let selected: Vec<_> = selected.collect();
    if selected.is_empty() {
        return Err(AuditError::SelectsNothing {
            flag: "--device",
            what: "device",
            known: first_few(units.iter().map(|unit| unit.name.as_str())),
        });
    }
    Ok(selected)
}

fn first_few<'n>(names: impl Iterator<Item = &'n str>) -> String {
    const FEW: usize = 8;
    let names: Vec<&str> = names.take(FEW + 1).collect();
    match names.get(..FEW) {
        Some(few) if names.len() > FEW => format!("{}, …", few.join(", ")),
        _ => names.join(", "),
    }
}

/// How many findings there are of each severity, worst first.
pub fn by_severity(findings: &[Finding]) -> BTreeMap<Severity, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        if finding.status == Status::Fail {
            *counts.entry(finding.severity).or_default() += finding.places.len();
        }
    }
    counts
}
