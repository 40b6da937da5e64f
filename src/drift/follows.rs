//! Which differences only follow from another: PFC that is taken off a port
//! makes its queue lossy, and the queue is not told apart.

use super::difference::{Address, Difference, Seen};
use crate::model::{Field, GroupField, Kind, MapName, NicField, Port, PortField, QueueField};
use serde_json::Value;

/// Marks the differences of a port that follow from another one of it.
pub(super) fn mark(found: &mut [Difference], old: &Port, new: &Port) {
    let shares = leading_share(found);
    let causes: Vec<Option<usize>> = (0..found.len())
        .map(|n| {
            cause(found, n, old, new)
                .or_else(|| shares.filter(|lead| *lead != n && is_share(&found[n])))
        })
        .collect();
    for (difference, cause) in found.iter_mut().zip(causes) {
        difference.follows = cause;
    }
    // The head of a chain is told, not its middle.
    for n in 0..found.len() {
        while let Some(next) = found[n].follows.and_then(|cause| found[cause].follows) {
            if next == n {
                break;
            }
            found[n].follows = Some(next);
        }
    }
}

fn at(found: &[Difference], field: &Field) -> Option<usize> {
    found
        .iter()
        .position(|other| matches!(&other.address, Address::Fact(at) if at == field))
}

fn cause(found: &[Difference], n: usize, old: &Port, new: &Port) -> Option<usize> {
    let this = found.get(n)?;
    let port = |field| at(found, &Field::Port(field));
    let same = |other: usize| {
        found
            .get(other)
            .is_some_and(|other| this.old.same(&other.old) && this.new.same(&other.new))
    };
    let as_pfc = || port(PortField::PfcEnabled).filter(|pfc| same(*pfc));
    // What is in force of PFC, and the maps that bring it to queues and groups.
    let pfc = || {
        [PortField::PfcEnabled, PortField::PfcTx, PortField::PfcRx]
            .into_iter()
            .find_map(port)
    };
    match &this.address {
        Address::Fact(Field::Port(field)) => match field {
            PortField::MtuRaw | PortField::MtuCounts => port(PortField::MtuIp),
            PortField::PfcTx | PortField::PfcRx => as_pfc(),
            PortField::PfcMode => port(PortField::PfcEnabled).filter(|pfc| {
                let off = |mode: &Seen, enabled: &Seen| {
                    mode.known() == Some(&Value::from("off"))
                        && enabled.known() == Some(&Value::Array(Vec::new()))
                };
                off(&this.old, &found[*pfc].old) || off(&this.new, &found[*pfc].new)
            }),
            PortField::WatchdogPriorities => as_pfc()
                .or_else(|| pfc().filter(|_| is_gone(this)))
                .or_else(|| watchdog(found, this)),
            // Platforms that know the cable know it from the PFC settings.
            PortField::Cable => pfc().filter(|_| is_gone(this)),
            PortField::LinkPauseTx => port(PortField::LinkPauseRx).filter(|rx| same(*rx)),
            PortField::WatchdogDetection
            | PortField::WatchdogRestoration
            | PortField::WatchdogAction => watchdog(found, this),
            _ => None,
        },
        Address::Fact(Field::Queue(id, QueueField::Lossless)) => {
            pfc().or_else(|| map(found, &[MapName::PfcToQueue, MapName::TcToQueue], *id))
        }
        Address::Fact(Field::Queue(
            _,
            QueueField::EcnEnabled | QueueField::Scheduler | QueueField::Limit,
        )) => None,
        Address::Fact(Field::Queue(id, QueueField::Share)) => {
            let own = at(found, &Field::Queue(*id, QueueField::Scheduler));
            own.or_else(|| {
                found.iter().position(|other| {
                    matches!(
                        other.address,
                        Address::Fact(Field::Queue(_, QueueField::Scheduler))
                    )
                })
            })
        }
        Address::Fact(Field::Queue(id, _)) => {
            let ecn = at(found, &Field::Queue(*id, QueueField::EcnEnabled));
            ecn.filter(|ecn| {
                [&found[*ecn].old, &found[*ecn].new]
                    .iter()
                    .any(|seen| is_off(seen))
            })
        }
        Address::Fact(Field::Group(id, field)) => match field {
            GroupField::Lossless => {
                let by_default = [&this.old, &this.new]
                    .iter()
                    .any(|seen| matches!(seen, Seen::Value(_, Kind::Default)));
                let cause =
                    || pfc().or_else(|| map(found, &[MapName::PfcToPg, MapName::TcToPg], *id));
                by_default.then(cause).flatten()
            }
            _ => at(found, &Field::Group(*id, GroupField::Lossless)),
        },
        // A group that no line makes, or that goes with its priority, is there
        // because PFC is.
        Address::Group(id) => {
            let group = old.priority_group(*id).or(new.priority_group(*id))?;
            let told = GroupField::ALL
                .iter()
                .any(|field| field.of(group).kind() == Kind::Explicit);
            let has = |seen: &Seen| {
                let list = seen.known().and_then(Value::as_array);
                list.is_some_and(|list| list.contains(&Value::from(*id)))
            };
            pfc().filter(|pfc| !told || has(&found[*pfc].old) != has(&found[*pfc].new))
        }
        Address::Fact(Field::MapEntry(MapName::PfcToQueue, priority)) => {
            at(found, &Field::MapEntry(MapName::TcToQueue, *priority)).filter(|tc| same(*tc))
        }
        Address::Fact(Field::Nic(NicField::TrafficClass | NicField::RdmaCmTos)) => {
            at(found, &Field::Nic(NicField::TosDscp))
        }
        _ => None,
    }
}

/// What the watchdog would do, told only while it runs on both sides.
fn watchdog(found: &[Difference], this: &Difference) -> Option<usize> {
    let enabled = at(found, &Field::Port(PortField::WatchdogEnabled))?;
    let off = [&found[enabled].old, &found[enabled].new]
        .iter()
        .any(|seen| is_off(seen));
    (is_gone(this) || off).then_some(enabled)
}

/// Whether one side has no known value.
fn is_gone(this: &Difference) -> bool {
    this.old.known().is_none() || this.new.known().is_none()
}

fn is_off(seen: &Seen) -> bool {
    seen.known() == Some(&Value::Bool(false))
}

/// A difference of one of these maps that speaks of this queue or group.
fn map(found: &[Difference], maps: &[MapName], id: u8) -> Option<usize> {
    found.iter().position(|other| match &other.address {
        Address::Fact(Field::Map(map)) => maps.contains(map),
        Address::Fact(Field::MapEntry(map, _)) => {
            let to = |seen: &Seen| seen.known() == Some(&Value::from(id));
            maps.contains(map) && (to(&other.old) || to(&other.new))
        }
        _ => false,
    })
}

fn is_share(difference: &Difference) -> bool {
    matches!(
        difference.address,
        Address::Fact(Field::Queue(_, QueueField::Share))
    )
}

/// The queue whose weight was changed, where the shares of all others moved
/// the other way because of it.
fn leading_share(found: &[Difference]) -> Option<usize> {
    let moved = |difference: &Difference| {
        let old = difference.old.known()?.as_f64()?;
        Some(difference.new.known()?.as_f64()? - old)
    };
    let shares: Vec<(usize, f64)> = found
        .iter()
        .enumerate()
        .filter(|(_, difference)| is_share(difference))
        .map(|(n, difference)| Some((n, moved(difference)?)))
        .collect::<Option<_>>()?;
    let size = |share: &&(usize, f64)| share.1.abs();
    let (lead, by) = shares.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let against = shares
        .iter()
        .all(|(n, moved)| n == lead || moved * by < 0.0);
    (shares.len() > 1 && against).then_some(*lead)
}
