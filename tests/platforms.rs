//! What each platform can answer, as the fixtures prove it: the walk over all
//! cases tells which check passes, fails and stays unknown on which platform,
//! and from which capture. `docs/platforms.md` is made from it and from the
//! registries (`UPDATE_DOCS=1` writes it); a state that no case shows must be
//! in the list below with its reason.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use common::{fixtures, root, with_passes};
use roceaudit::check::{self, Needs};
use roceaudit::finding::{Evidence, Status};
use roceaudit::model::DeviceKind;
use roceaudit::platform::{self, Holds, Platform};
use roceaudit::source::{Capture, discover};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

/// What was seen of one check on one platform.
#[derive(Default)]
struct Seen {
    states: BTreeSet<Status>,
    /// The commands whose captures a verdict was read from.
    commands: BTreeSet<&'static str>,
}

/// By platform, then by check.
type Answers = BTreeMap<&'static str, BTreeMap<String, Seen>>;

/// The command of the capture that a line is in.
fn command_of(
    platform: &dyn Platform,
    captures: &[Capture],
    evidence: &Evidence,
) -> Option<&'static str> {
    let holds = |capture: &&Capture| {
        capture.source == evidence.source && capture.first_line <= evidence.line
    };
    let capture = captures
        .iter()
        .filter(holds)
        .max_by_key(|capture| capture.first_line)?;
    Some(platform.recognise(capture)?.spec.command)
}

fn answers() -> Answers {
    let mut answers = Answers::new();
    for fixture in fixtures::all() {
        let units = discover(fixture.raw.to_str().unwrap(), &[]).unwrap();
        let captures: Vec<Capture> = units.iter().flat_map(|u| u.load().captures).collect();
        let report = with_passes(&fixture);
        for finding in &report.findings {
            let device = report.devices.iter().find(|d| d.name == *finding.device);
            let Some(platform) = device.and_then(|d| platform::by_name(d.platform?)) else {
                continue;
            };
            let checks = answers.entry(platform.name()).or_default();
            let seen = checks.entry(finding.check.to_string()).or_default();
            seen.states.insert(finding.status);
            if finding.status == Status::Unknown {
                continue;
            }
            let evidence = finding.places.iter().flat_map(|place| &place.evidence);
            let commands = evidence.filter_map(|e| command_of(platform, &captures, e));
            seen.commands.extend(commands);
        }
    }
    answers
}

/// The checks of a kind of device; those of collecting, of the policy and of
/// the fabric are the same on all platforms.
fn judges(kind: DeviceKind) -> impl Iterator<Item = &'static str> {
    let checks = check::registry().iter().map(|check| check.about());
    checks
        .filter(move |about| about.judges(kind))
        .filter(|about| !["collect", "internal", "policy", "bom"].contains(&about.area()))
        .filter(|about| about.needs != Needs::Peers)
        .map(|about| about.id)
}

/// Whether the platform has a verdict on the check at all.
fn answered(seen: Option<&Seen>) -> bool {
    seen.is_some_and(|s| s.states.contains(&Status::Pass) || s.states.contains(&Status::Fail))
}

fn page(answers: &Answers) -> String {
    let mut out = String::from(
        "# Platforms\n\n\
         Made from the registries and the fixtures by `UPDATE_DOCS=1 cargo test --test platforms`.\n\n\
         ## Which check each platform answers\n\n\
         `yes`: some fixture of the platform shows a verdict. An empty cell: the check stays unknown,\n\
         or does not apply there.\n\n",
    );
    for kind in [DeviceKind::Switch, DeviceKind::Host] {
        let of_kind = platform::registry().iter().filter(|p| p.kind() == kind);
        let platforms: Vec<_> = of_kind.collect();
        let names: Vec<_> = platforms.iter().map(|p| p.name()).collect();
        writeln!(out, "| check | {} |", names.join(" | ")).unwrap();
        writeln!(out, "|---|{}", "---|".repeat(names.len())).unwrap();
        for check in judges(kind) {
            let cell = |name: &&str| {
                let seen = answers.get(*name).and_then(|checks| checks.get(check));
                match seen {
                    Some(_) if answered(seen) => "yes",
                    // Always unknown: what counts is that it is told.
                    Some(_) if check == "config/unparsed" => "yes",
                    _ => "",
                }
            };
            let cells: Vec<_> = names.iter().map(cell).collect();
            writeln!(out, "| `{check}` | {} |", cells.join(" | ")).unwrap();
        }
        out.push('\n');
    }
    for platform in platform::registry() {
        writeln!(out, "## {}\n", platform.name()).unwrap();
        writeln!(
            out,
            "| capture | holds | why reading it changes nothing |\n|---|---|---|"
        )
        .unwrap();
        for spec in platform.captures() {
            let holds = match spec.holds {
                Holds::Config => "configuration",
                Holds::Operational => "what is in force",
                Holds::Counters => "counters",
                Holds::Peers => "neighbours",
            };
            let command = spec.command.replace('|', "\\|");
            writeln!(out, "| `{command}` | {holds} | {} |", spec.read_only).unwrap();
        }
        for spec in platform.configfs_captures() {
            writeln!(
                out,
                "| `{}` | only with `--allow-configfs` | {} |",
                spec.command, spec.read_only
            )
            .unwrap();
        }
        writeln!(out, "\n| check | answered from |\n|---|---|").unwrap();
        let none = BTreeMap::new();
        let checks = answers.get(platform.name()).unwrap_or(&none);
        for check in judges(platform.kind()) {
            let Some(seen) = checks.get(check).filter(|seen| answered(Some(seen))) else {
                continue;
            };
            let commands = seen
                .commands
                .iter()
                .map(|c| format!("`{}`", c.replace('|', "\\|")));
            let mut commands: Vec<_> = commands.collect();
            if commands.is_empty() {
                commands.push("what no line says: the documented default".to_owned());
            }
            writeln!(out, "| `{check}` | {} |", commands.join(", ")).unwrap();
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[test]
fn the_page_on_platforms_is_up_to_date() {
    let page = page(&answers());
    let file = root().join("docs/platforms.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, page).unwrap();
        return;
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "docs/platforms.md is not what the registries and fixtures give: UPDATE_DOCS=1 cargo test --test platforms"
    );
}

/// States that no case of a platform (`*`: of any) shows, and why.
const GAPS: &[(&str, &str, &[Status], &str)] = &[
    (
        "cumulus",
        "pfc/mode",
        &[Status::Fail, Status::Unknown],
        "PFC is static, without negotiation",
    ),
    (
        "cumulus",
        "map/queue",
        FAIL,
        "pause stops the queue that the switch priority leaves by",
    ),
    (
        "cumulus",
        "map/pfc-queue",
        FAIL,
        "pause stops the queue that the switch priority leaves by",
    ),
    (
        "junos",
        "pfc/mode",
        FAIL,
        "a bound profile is in force without negotiation",
    ),
    (
        "junos",
        "map/queue",
        FAIL,
        "a forwarding class leaves by the queue of its number",
    ),
    (
        "junos",
        "map/conflict",
        FAIL,
        "a later line replaces an earlier one",
    ),
    (
        "junos",
        "ecn/thresholds",
        FAIL,
        "thresholds in percent are not compared with bytes",
    ),
    (
        "junos",
        "ecn/order",
        UNKNOWN,
        "a drop profile has both levels or none",
    ),
    (
        "junos",
        "buffer/headroom",
        FAIL,
        "the platform sizes the buffer by itself",
    ),
    (
        "junos",
        "buffer/pool",
        PASS_UNKNOWN,
        "told only of an empty partition",
    ),
    (
        "junos",
        "sched/share",
        FAIL,
        "the default scheduler of other classes is not known",
    ),
    (
        "junos",
        "counters/pfc-storm",
        UNKNOWN,
        "each priority has both counts",
    ),
    (
        "junos",
        "counters/link-error",
        UNKNOWN,
        "a whole output has them",
    ),
    (
        "junos",
        "counters/pause-global",
        UNKNOWN,
        "a whole output has them",
    ),
    ("*", "map/conflict", UNKNOWN, "told only when seen"),
    ("*", "map/unresolved", UNKNOWN, "told only when seen"),
    ("*", "map/override", UNKNOWN, "told only when seen"),
    (
        "*",
        "buffer/oversubscribed",
        UNKNOWN,
        "judged only where ratio and pool are known",
    ),
    (
        "*",
        "buffer/egress",
        &[Status::Pass, Status::Unknown],
        "judged only where the limit is fixed",
    ),
    (
        "nxos",
        "map/queue",
        FAIL,
        "a qos-group leaves by the queue of its number",
    ),
    (
        "nxos",
        "map/pfc-queue",
        FAIL,
        "a class pauses its own qos-group",
    ),
    (
        "nxos",
        "counters/pfc-storm",
        UNKNOWN,
        "the table of CoS always has both counts",
    ),
    ("eos", "pfc/mode", FAIL, "nothing negotiates PFC"),
    (
        "*",
        "pfc/operational",
        UNKNOWN,
        "only negotiated PFC makes it unknown",
    ),
    (
        "eos",
        "map/queue",
        FAIL,
        "pause follows the traffic class to its queue",
    ),
    (
        "eos",
        "map/pfc-queue",
        FAIL,
        "pause follows the traffic class to its queue",
    ),
    (
        "eos",
        "map/conflict",
        FAIL,
        "a later line replaces an earlier one",
    ),
    ("os10", "pfc/mode", FAIL, "nothing negotiates PFC"),
    (
        "os10",
        "map/queue",
        FAIL,
        "pause follows the traffic class to its queue",
    ),
    (
        "os10",
        "map/pfc-queue",
        FAIL,
        "pause follows the traffic class to its queue",
    ),
    (
        "os10",
        "buffer/headroom",
        FAIL,
        "the platform sizes the buffer by itself",
    ),
    (
        "dell-sonic",
        "pfc/mode",
        &[Status::Fail, Status::Unknown],
        "PFC is static, without negotiation",
    ),
    (
        "dell-sonic",
        "pfc/link-pause",
        &[Status::Fail, Status::Unknown],
        "has no setting for it",
    ),
    (
        "dell-sonic",
        "map/conflict",
        FAIL,
        "a later line replaces an earlier one",
    ),
    (
        "dell-sonic",
        "buffer/pool",
        UNKNOWN,
        "a size that is not shown is computed by the switch",
    ),
    (
        "vrp",
        "map/queue",
        FAIL,
        "a local priority leaves by the queue of its number",
    ),
    (
        "vrp",
        "map/pfc-queue",
        FAIL,
        "pause of a priority stops the queue of its number",
    ),
    (
        "vrp",
        "map/conflict",
        FAIL,
        "a later line replaces an earlier one",
    ),
    (
        "vrp",
        "ecn/drops",
        UNKNOWN,
        "a drop profile is there, or told as missing",
    ),
    (
        "vrp",
        "counters/pfc-storm",
        UNKNOWN,
        "a queue has both counts, or is not read",
    ),
    (
        "comware",
        "map/queue",
        FAIL,
        "a local precedence leaves by the queue of its number",
    ),
    (
        "comware",
        "map/pfc-queue",
        FAIL,
        "pause follows the 802.1p priority to its queue",
    ),
    (
        "comware",
        "map/conflict",
        FAIL,
        "a later line replaces an earlier one",
    ),
    (
        "comware",
        "counters/pfc-storm",
        UNKNOWN,
        "a priority has both counts",
    ),
    (
        "srlinux",
        "pfc/mode",
        FAIL,
        "PFC is static, without negotiation",
    ),
    ("srlinux", "map/conflict", FAIL, "a leaf has one value"),
    (
        "srlinux",
        "map/override",
        FAIL,
        "a policer on a port is told as not understood",
    ),
    (
        "srlinux",
        "ecn/drops",
        UNKNOWN,
        "a slope that drops is there or not",
    ),
    (
        "srlinux",
        "buffer/headroom",
        FAIL,
        "the platform sizes the buffer by itself",
    ),
    (
        "srlinux",
        "sched/share",
        FAIL,
        "how queues are served that no policy names is not known",
    ),
    (
        "srlinux",
        "counters/lossless-drop",
        FAIL,
        "discards are counted of all priorities together",
    ),
    (
        "srlinux",
        "counters/pfc-storm",
        UNKNOWN,
        "a whole output has both counts",
    ),
    (
        "srlinux",
        "counters/watchdog",
        UNKNOWN,
        "a whole output has them",
    ),
    ("linux", "map/conflict", FAIL, "a host has one source a map"),
    ("linux", "map/unresolved", FAIL, "a host has no named maps"),
    (
        "linux",
        "map/override",
        FAIL,
        "a host has no policies on ports",
    ),
    (
        "sonic",
        "pfc/mode",
        FAIL,
        "PFC is static, without negotiation",
    ),
    ("sonic", "pfc/link-pause", FAIL, "has no setting for it"),
    (
        "sonic",
        "buffer/pool",
        UNKNOWN,
        "a size that is not configured is computed by the switch",
    ),
];
const PASS_UNKNOWN: &[Status] = &[Status::Pass, Status::Unknown];
const UNKNOWN: &[Status] = &[Status::Unknown];
const FAIL: &[Status] = &[Status::Fail];

#[test]
fn each_platform_passes_fails_and_is_unknown_on_what_it_answers() {
    let answers = answers();
    let mut wrong = String::new();
    for (platform, checks) in &answers {
        let kind = platform::by_name(platform).unwrap().kind();
        for check in judges(kind) {
            let Some(seen) = checks.get(check).filter(|seen| answered(Some(seen))) else {
                continue;
            };
            let known = |state: &Status| {
                GAPS.iter().any(|(of, id, states, _)| {
                    (of == platform || *of == "*") && *id == check && states.contains(state)
                })
            };
            for state in [Status::Pass, Status::Fail, Status::Unknown] {
                if !seen.states.contains(&state) && !known(&state) {
                    writeln!(
                        wrong,
                        "{platform}: no case shows {check} {}",
                        state.as_str()
                    )
                    .unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
