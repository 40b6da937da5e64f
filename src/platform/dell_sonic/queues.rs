//! Scheduler and WRED policies → the queues of the ports.

use super::config::{Scheduler, SchedulerPolicy, Settings, Wred};
use super::defaults;
use super::facts::{Lookup, Reader};
use crate::model::{Ecn, Fact, LineOnly, Milli, Origin, Port, Queue, SchedulerKind};
use crate::platform::queues::{Weights, lossless, no_marking};
use std::collections::HashMap;
use std::sync::Arc;

/// WRED policies that were read, by name.
#[derive(Default)]
pub struct Cache<'t> {
    ecn: HashMap<&'t str, Arc<Ecn>>,
    plain: Option<Arc<Ecn>>,
}

/// The queues of a port.
pub fn read<'t>(reader: &mut Reader<'_, 't, '_>, port: &mut Port, settings: &Settings<'t>) {
    let what = "qos scheduler-policy";
    let found = reader.find(
        port,
        |c, name| c.schedulers.get(name),
        settings.scheduler,
        what,
    );
    let policy = match found {
        Lookup::Found(policy, at) => Some((policy, at)),
        Lookup::Dangling(..) | Lookup::Absent => None,
    };
    let mut weights = Weights::default();
    for id in 0..8u8 {
        let (ecn, marked_at) = marking(reader, port, settings, id);
        let own = scheduler(reader, policy, id);
        if let Some((kind, weight)) = &own {
            let weight = weight.as_ref().and_then(|w| Some((w.get()?, w.at())));
            weights.set(id, kind.get(), weight);
        }
        let place = usize::from(id);
        let limit = settings.limits.get(place).copied().flatten();
        let limit = reader.find(
            port,
            |c, name| c.profiles.get(name),
            limit,
            "buffer profile",
        );
        let queue = Queue {
            id,
            lossless: lossless(port, id, &defaults::NO_PFC_QUEUE_MAP),
            ecn,
            scheduler: own.map_or_else(|| Fact::unknown(&defaults::NO_SCHEDULER), |own| own.0),
            share_percent: Fact::unknown(&defaults::NO_SCHEDULER),
            limit_bytes: match limit {
                Lookup::Found(profile, at) => match profile.fixed {
                    Some(bytes) => Fact::explicit(bytes, at),
                    None => Fact::NotApplicable,
                },
                Lookup::Dangling(why, at) => Fact::unknown_at(why, at),
                Lookup::Absent => Fact::default(),
            },
            attached: LineOnly(policy.map_or(marked_at, |(_, at)| at)),
        };
        port.queues.push(queue);
    }
    weights.share(port);
}

type Served = (Fact<SchedulerKind>, Option<Fact<u32>>);

/// How a queue is served, and its weight.
fn scheduler(
    reader: &Reader<'_, '_, '_>,
    policy: Option<(&SchedulerPolicy, Origin)>,
    id: u8,
) -> Option<Served> {
    match (policy, reader.implied) {
        (Some((policy, _)), _) => {
            let own = policy.queues.get(usize::from(id))?.as_ref()?;
            Some((kind(own, policy.at), own.weight.clone()))
        }
        (None, Some(at)) => {
            let of_roce = |kind| Fact::Default(kind, (&defaults::ROCE).into(), at);
            match id {
                0 | 3 | 4 => {
                    let weight = Fact::Default(50, (&defaults::ROCE).into(), at);
                    Some((of_roce(SchedulerKind::Weighted), Some(weight)))
                }
                6 => Some((of_roce(SchedulerKind::Strict), None)),
                _ => None,
            }
        }
        (None, None) => None,
    }
}

fn kind(scheduler: &Scheduler, at: Origin) -> Fact<SchedulerKind> {
    match &scheduler.strict {
        Some(strict) => strict.map(|strict| match strict {
            true => SchedulerKind::Strict,
            false => SchedulerKind::Weighted,
        }),
        None => Fact::unknown_at(&defaults::NO_SCHEDULER, at),
    }
}

/// The marking of a queue, and the line that binds it.
fn marking<'t>(
    reader: &mut Reader<'_, 't, '_>,
    port: &Port,
    settings: &Settings<'t>,
    id: u8,
) -> (Arc<Ecn>, Origin) {
    let reference = settings.wred.get(usize::from(id)).copied().flatten();
    let found = reader.find(
        port,
        |c, name| c.wred.get(name),
        reference,
        "qos wred-policy",
    );
    match found {
        Lookup::Found(wred, at) => {
            let name = reference.and_then(|r| r.name).unwrap_or_default();
            let built = reader.queues.ecn.entry(name);
            (Arc::clone(built.or_insert_with(|| Arc::new(ecn(wred)))), at)
        }
        Lookup::Dangling(_, at) => {
            let mut none = no_marking(&defaults::NO_WRED);
            none.enabled = Fact::explicit(false, at);
            (Arc::new(none), at)
        }
        Lookup::Absent => match reader.implied {
            Some(at) if id == 3 => (Arc::new(of_roce(at)), at),
            _ => {
                let plain = &mut reader.queues.plain;
                let plain = plain.get_or_insert_with(|| Arc::new(no_marking(&defaults::NO_WRED)));
                (Arc::clone(plain), Origin::NONE)
            }
        },
    }
}

fn ecn(wred: &Wred) -> Ecn {
    let none = || Fact::unknown_at(&defaults::NO_GREEN, wred.at);
    let green = wred.green.clone().unwrap_or_else(none);
    let enabled = match (&wred.ecn, &wred.green) {
        (None, _) => Fact::Default(false, (&defaults::ECN_NONE).into(), wred.at),
        // It marks from its thresholds on.
        (Some(Fact::Explicit(true, _)), None) => none().map(|_| true),
        (Some(ecn), _) => ecn.clone(),
    };
    let drops = match &enabled {
        Fact::Unknown(..) => enabled.clone(),
        marks => match marks.get() {
            Some(true) => marks.map(|_| false),
            _ => green.map(|_| true),
        },
    };
    Ecn {
        enabled,
        min_bytes: green.map(|(min, ..)| min.saturating_mul(defaults::KB)),
        max_bytes: green.map(|(_, max, _)| max.saturating_mul(defaults::KB)),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: green.map(|(.., percent)| Milli::whole(i64::from(*percent))),
        wred_drop: drops,
    }
}

/// What `roce enable` binds to queue 3.
fn of_roce(at: Origin) -> Ecn {
    let unclear = || Fact::unknown_at(&defaults::ROCE_THRESHOLDS, at);
    Ecn {
        enabled: Fact::Default(true, (&defaults::ROCE).into(), at),
        min_bytes: unclear(),
        max_bytes: unclear(),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::unknown_at(&defaults::ROCE_THRESHOLDS, at),
        wred_drop: Fact::Default(false, (&defaults::ROCE).into(), at),
    }
}
