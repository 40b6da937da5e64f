//! Egress queues: WRED slopes and schedulers.

use super::defaults;
use super::facts::{Shared, queue_index};
use super::parse::{Config, Qos, Said, Scheduler, Slope, Slopes};
use crate::model::{Ecn, Fact, LineOnly, Milli, NoteKind, Origin, Port, Reason, SchedulerKind};
use crate::platform::notes::Notes;
use crate::platform::queues::{Weights, lossless, no_marking};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The egress queues of a port: their marking and how they are served.
pub fn queues<'c>(port: &mut Port, qos: &'c Qos, shared: &mut Shared<'c>, notes: &mut Notes) {
    let config = shared.config;
    let scheduler = qos.scheduler.as_ref().and_then(|(name, at)| {
        shared.used.insert(name);
        let found = config.schedulers.get(name);
        if found.is_none() && name != "default" {
            let text = format!("there is no scheduler-policy {name}");
            notes.add(NoteKind::Unresolved, Some(&port.name), text, *at);
        }
        found
    });
    let served = scheduler
        .map(|found| served(found, config))
        .unwrap_or_default();
    let mut profiles: BTreeMap<u8, (&'c str, Origin)> = BTreeMap::new();
    for (queue, (profile, at)) in &qos.queues {
        shared.used.insert(profile);
        if let Some(id) = queue_index(config, queue) {
            profiles.insert(id, (profile, *at));
        }
    }
    let mut weights = Weights::default();
    for id in 0..8 {
        let mut queue = crate::model::Queue::new(id);
        queue.lossless = lossless(port, id, &defaults::NO_PFC_QUEUE);
        let profile = profiles.get(&id).copied();
        queue.attached = LineOnly(profile.map(|(_, at)| at).unwrap_or_default());
        queue.ecn = match profile {
            None | Some(("default", _)) => Arc::clone(&shared.plain),
            Some((name, at)) => match config.profiles.get(name) {
                Some(slopes) => {
                    let made = shared.marking.entry(name);
                    Arc::clone(made.or_insert_with(|| Arc::new(marking(slopes, config))))
                }
                None => {
                    let text = format!("there is no queue-management-profile {name}");
                    notes.add(NoteKind::Unresolved, Some(&port.name), text, at);
                    Arc::clone(&shared.plain)
                }
            },
        };
        let (kind, weight) = match served.get(&id) {
            Some((kind, weight, at)) => (Fact::explicit(*kind, *at), *weight),
            None => (Fact::unknown(&defaults::SCHEDULER), None),
        };
        queue.scheduler = kind;
        weights.set(id, queue.scheduler.get(), weight);
        queue.limit_bytes = Fact::NotApplicable;
        port.queues.push(queue);
    }
    weights.share(port);
}

type Served = BTreeMap<u8, (SchedulerKind, Option<(u32, Origin)>, Origin)>;

/// How a scheduler policy serves each queue that it names.
fn served(scheduler: &Scheduler, config: &Config) -> Served {
    let mut served = Served::new();
    for ((sequence, _), input) in &scheduler.inputs {
        let Some((queue, at)) = &input.queue else {
            continue;
        };
        let kind = match scheduler.strict.contains(sequence) {
            true => SchedulerKind::Strict,
            false => SchedulerKind::Weighted,
        };
        if let Some(id) = queue_index(config, queue) {
            served.insert(id, (kind, input.weight, *at));
        }
    }
    served
}

/// Whether a slope does nothing: both thresholds at 100 % and probability 0,
/// which is what a slope of a queue template has unless it is told.
fn idle(slope: &Slope, template: bool) -> bool {
    let is = |said: Said<u32>, idle: u32| said.map_or(template, |(percent, _)| percent == idle);
    let in_bytes = slope.min_bytes.or(slope.max_bytes).is_some();
    !in_bytes
        && is(slope.min_percent, 100)
        && is(slope.max_percent, 100)
        && is(slope.probability, 0)
}

fn marking(slopes: &Slopes, config: &Config) -> Ecn {
    let drops = match slopes.drop {
        Some(slope) => Fact::explicit(!idle(&slope, slopes.template), slope.at),
        None => Fact::default_of(false, &defaults::NO_MARKING),
    };
    let off = |why: &'static Reason, at: Origin| {
        let mut ecn = no_marking(&defaults::NO_MARKING);
        ecn.enabled = Fact::Default(false, why.into(), at);
        ecn.wred_drop = drops.clone();
        ecn
    };
    let Some(slope) = slopes.ecn else {
        return off(&defaults::SLOPE_OFF, slopes.at);
    };
    if idle(&slope, slopes.template) {
        return off(&defaults::SLOPE_IDLE, slope.at);
    }
    if slopes.template && config.ecn.is_none() {
        return off(&defaults::ECN_GLOBALLY_OFF, slope.at);
    }
    let Slope {
        at,
        min_percent,
        max_percent,
        min_bytes,
        max_bytes,
        probability,
    } = slope;
    // Percent and bytes exclude each other.
    let in_percent = min_percent.or(max_percent).is_some();
    let percent = |said: Said<u32>| match said {
        Some((percent, at)) => Fact::explicit(Milli::whole(i64::from(percent)), at),
        None if in_percent => Fact::unknown_at(&defaults::NO_THRESHOLD, at),
        None => Fact::NotApplicable,
    };
    let bytes = |said: Said<u64>, percent: Said<u32>| match said {
        Some((bytes, at)) => Fact::explicit(bytes, at),
        None if percent.is_some() => Fact::NotApplicable,
        None => Fact::unknown_at(&defaults::NO_THRESHOLD, at),
    };
    Ecn {
        enabled: Fact::explicit(true, at),
        min_bytes: bytes(min_bytes, min_percent),
        max_bytes: bytes(max_bytes, max_percent),
        min_percent: percent(min_percent),
        max_percent: percent(max_percent),
        probability_percent: match probability {
            Some((percent, at)) => Fact::explicit(Milli::whole(i64::from(percent)), at),
            None => Fact::unknown_at(&defaults::NO_PROBABILITY, at),
        },
        // What can't be marked meets the slope that drops.
        wred_drop: Fact::default_of(false, &defaults::NO_MARKING),
    }
}
