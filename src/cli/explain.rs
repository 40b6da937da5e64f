//! `roceaudit explain`.

use super::args::{Arguments, Explain};
use super::checks::{judges, needs};
use super::{output, width};
use crate::check::{self, About, Needs};
use crate::model::{Device, MapName, Port, Priorities};
use crate::platform::{Holds, Remedy, registry};
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
    platforms(about, &mut out)?;
    out.flush()?;
    Ok(0)
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
