//! `roceaudit explain`.

use super::args::{Arguments, Explain};
use super::checks::{judges, needs};
use super::{audit, colored_errors, output, width};
use crate::audit::{effective, read_unit};
use crate::check::{self, About, Check, Needs, PortContext};
use crate::model::{Device, MapName, Port, Priorities};
use crate::platform::{Holds, Remedy, registry};
use crate::report::escape::terminal;
use crate::report::fold::ranges;
use crate::report::text::wrap;
use std::io::Write;

pub fn run(arguments: &Arguments, verb: &Explain) -> anyhow::Result<u8> {
    let Some(check) = check::by_id(&verb.check) else {
        let same_area = check::registry().iter().map(|check| check.about().id);
        let name = verb.check.rsplit('/').next().unwrap_or_default();
        let near: Vec<&str> = same_area
            .filter(|id| {
                !name.is_empty() && (id.contains(name) || verb.check.starts_with(area(id)))
            })
            .collect();
        let hint = if near.is_empty() {
            "`roceaudit checks` lists all".to_owned()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        anyhow::bail!("there is no check {}; {hint}", verb.check);
    };
    let about = check.about();
    let mut out = output(arguments.color);
    writeln!(out, "{}: {}\n", about.id, about.title)?;
    for line in wrap(about.explain, width(), "") {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "\nseverity {}, needs {}, judges {}",
        about.severity,
        needs(about.needs),
        judges(about.judges)
    )?;
    if verb.sources.is_empty() {
        platforms(about, &mut out)?;
    } else {
        working(arguments, verb, check, &mut out)?;
    }
    out.flush()?;
    Ok(0)
}

/// The arithmetic of the check with the numbers of ports; ports with equal
/// numbers once.
fn working(
    arguments: &Arguments,
    verb: &Explain,
    check: &dyn Check,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let policy = audit::load_policy(&verb.policy)
        .map_err(|error| anyhow::anyhow!(error.render(colored_errors(arguments.color))))?;
    let devices = audit::selection("--device", &verb.device)?;
    let ports = audit::selection("--port", &verb.port)?;
    let mut none = true;
    for unit in audit::units(&verb.sources, &[])? {
        let Some(device) = read_unit(&unit).device.filter(|d| devices.matches(&d.name)) else {
            continue;
        };
        let mut told: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
        for port in device.ports.iter().filter(|port| ports.matches(&port.name)) {
            let effective = effective(&policy, &device, port);
            let lines = check.working(&PortContext {
                device: &device,
                port,
                policy: &effective,
            });
            match told.iter_mut().find(|(other, _)| *other == lines) {
                Some((_, ports)) => ports.push(&port.name),
                None => told.push((lines, vec![&port.name])),
            }
        }
        for (lines, ports) in told.iter().filter(|(lines, _)| !lines.is_empty()) {
            none = false;
            writeln!(out, "\n{}: {}", terminal(&device.name), ranges(ports, 6))?;
            for line in lines {
                writeln!(out, "  {}", terminal(line))?;
            }
        }
    }
    anyhow::ensure!(
        !none,
        "{} has no arithmetic to show for the ports of this source",
        check.about().id
    );
    Ok(())
}

fn area(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

/// How to look and what to type, per platform.
fn platforms(about: &About, out: &mut dyn Write) -> std::io::Result<()> {
    for platform in registry() {
        if !about.judges(platform.kind()) {
            continue;
        }
        let holds = match about.needs {
            Needs::Config => Holds::Config,
            Needs::Operational => Holds::Operational,
            Needs::Counters => Holds::Counters,
            Needs::Peers => Holds::Peers,
        };
        writeln!(out, "\non {}", platform.name())?;
        for spec in platform
            .captures()
            .iter()
            .filter(|spec| spec.holds == holds)
        {
            writeln!(out, "  look   {}", spec.command)?;
        }
        let mut device = Device::new("example", platform.kind(), platform.name());
        device.ports.push(Port::new("PORT"));
        for command in example(about.id)
            .iter()
            .flat_map(|remedy| platform.fix(&device, "PORT", remedy))
        {
            writeln!(out, "  fix    {command}")?;
        }
    }
    Ok(())
}

/// A remedy as a finding of this check would give it, with the numbers of the
/// built-in policy.
fn example(check: &str) -> Option<Remedy> {
    let priorities: Priorities = [3].into_iter().collect();
    Some(match check {
        "pfc/missing" | "pfc/extra" => Remedy::Pfc { priorities },
        "pfc/mode" => Remedy::PfcMode,
        "pfc/link-pause" => Remedy::LinkPauseOff,
        "pfc/watchdog" => Remedy::Watchdog {
            priorities,
            detection_ms: 200,
            restoration_ms: 200,
        },
        "map/dscp" => entry(MapName::DscpToTc, 26, 3),
        "map/queue" => entry(MapName::TcToQueue, 3, 3),
        "map/pg" => entry(MapName::TcToPg, 3, 3),
        "map/pfc-queue" => entry(MapName::PfcToQueue, 3, 3),
        "trust/mode" | "nic/trust" => Remedy::Trust { dscp: true },
        "ecn/missing" | "ecn/thresholds" => Remedy::Ecn {
            queue: 3,
            min_bytes: Some(150_000),
            max_bytes: Some(1_500_000),
            probability_percent: Some(100),
        },
        "sched/cnp" => Remedy::Strict { queue: 6 },
        "mtu/port" => Remedy::Mtu { ip_bytes: 4200 },
        "nic/tos" => Remedy::TrafficClass { traffic_class: 106 },
        "nic/dcbx" => Remedy::DcbxOs,
        "nic/link-type" => Remedy::Firmware {
            parameter: "LINK_TYPE_P1".to_owned(),
            value: "2".to_owned(),
        },
        "dcqcn/enabled" => Remedy::Dcqcn { priorities },
        "cnp/marking" => Remedy::Cnp {
            dscp: 48,
            priority: Some(6),
        },
        _ => return None,
    })
}

fn entry(map: MapName, key: u8, value: u8) -> Remedy {
    Remedy::MapEntry { map, key, value }
}
