//! A report of 100,000 findings in each format. See README.md.

use jiff::Timestamp;
use roceaudit::audit::{Counts, DeviceEntry, DeviceStatus, Outcome, PolicyName, Report, Tally};
use roceaudit::finding::{Evidence, Finding, PortPlace, Status};
use roceaudit::model::Kind;
use roceaudit::policy::{Position, Severity};
use roceaudit::report::{Style, formats};
use std::borrow::Cow;
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FINDINGS: usize = 100_000;
const DEVICES: usize = 1_000;
/// Rounds; the shortest counts.
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let report = report();
    let style = Style {
        verdict: Outcome::Findings,
        ..Style::default()
    };
    let mut times = Vec::new();
    for format in formats() {
        let mut best = (Duration::MAX, 0);
        for _ in 0..ROUNDS {
            let mut out = Counter(0);
            let begun = Instant::now();
            (format.write)(&report, &style, &mut out)?;
            best = best.min((begun.elapsed(), out.0));
        }
        times.push((format.name, best));
    }
    let json = times.iter().find(|(name, _)| *name == "json");
    let json = json.map_or(Duration::ZERO, |(_, (time, _))| *time);
    let mut out = io::stdout().lock();
    writeln!(out, "format         time   of JSON's        size")?;
    for (name, (time, bytes)) in &times {
        let share = time.as_secs_f64() / json.as_secs_f64();
        writeln!(out, "{name:<10} {time:>8.1?} {share:>10.2} {bytes:>11} B")?;
    }
    let sum: Duration = times.iter().map(|(_, (time, _))| *time).sum();
    let peak = peak_memory_kib()? / 1024;
    writeln!(out, "all        {sum:>8.1?}, peak memory {peak} MiB")?;
    Ok(())
}

/// Findings that differ in device, port, message and lines.
fn report() -> Report {
    let checks = [
        "pfc/missing",
        "map/dscp",
        "ecn/missing",
        "mtu/port",
        "config/unparsed",
    ];
    let root: Arc<Path> = Path::new("configs").into();
    let device = |n: usize| -> Arc<str> { format!("leaf{n:04}").into() };
    let devices = (0..DEVICES).map(|n| DeviceEntry {
        name: device(n).to_string(),
        platform: Some("eos"),
        status: DeviceStatus::Audited,
        ports: FINDINGS / DEVICES,
        blind: false,
        remarks: Vec::new(),
        root: Some(root.clone()),
        checks: checks
            .iter()
            .map(|check| (Cow::Borrowed(*check), counts()))
            .collect(),
    });
    let finding = |n: usize| {
        let line = |more: usize| Evidence {
            source: format!("{}.cfg", device(n % DEVICES)).into(),
            line: u32::try_from(n + more).unwrap_or(u32::MAX),
            text: format!("   service-profile ROCE-{n}").into(),
        };
        let unknown = n % checks.len() == 4;
        Finding {
            check: Cow::Borrowed(checks[n % checks.len()]),
            status: if unknown {
                Status::Unknown
            } else {
                Status::Fail
            },
            severity: Severity::High,
            device: device(n % DEVICES),
            class: Some("roce".to_owned()),
            message: format!("PFC is off for priority 3, the lossless class roce of profile {n}"),
            expected: Some("[3]".to_owned()),
            actual: Some("[]".to_owned()),
            kind: Kind::Explicit,
            policy: Position { line: 7, column: 5 },
            waiver: None,
            breaks: None,
            fields: Vec::new(),
            places: vec![PortPlace {
                port: Some(format!("Ethernet{}", n / DEVICES + 1).into()),
                peer: None,
                evidence: vec![line(1), line(2)],
                fix: vec![format!("interface Ethernet{n}; priority-flow-control on")],
            }],
        }
    };
    let mut findings: Vec<Finding> = (0..FINDINGS).map(finding).collect();
    findings.sort_by(Finding::order);
    Report {
        started: Timestamp::UNIX_EPOCH,
        policy: PolicyName {
            name: "ai-backend".to_owned(),
            source: "policy.yaml".to_owned(),
            sha256: "0".repeat(64),
        },
        lossless: true,
        partial: false,
        counts: counts(),
        devices: devices.collect(),
        fabric: Tally::new(),
        findings,
    }
}

fn counts() -> Counts {
    Counts {
        fail: FINDINGS / DEVICES,
        ..Counts::default()
    }
}

/// Counts what is written.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn peak_memory_kib() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.ok_or("no VmHWM in /proc/self/status")?.parse()?)
}
