//! Queuing policies and WRED profiles → the queues of the ports; the sizes of
//! priority groups.

use super::config::{Attached, Class, Config, Pause, Policy, Reference, Wred};
use super::defaults;
use super::facts::{Lookup, PFC_POOL, Reader};
use super::lines::KB;
use crate::model::{Ecn, Fact, GroupBuffer, LineOnly, Milli, Origin, Port, Queue, SchedulerKind};
use crate::platform::queues::{Weights, lossless, no_marking};
use std::collections::HashMap;
use std::sync::Arc;

/// What a queuing policy says of one queue.
#[derive(Clone)]
struct QueueFacts {
    scheduler: Fact<SchedulerKind>,
    ecn: Option<Arc<Ecn>>,
    limit: Fact<u64>,
    at: Origin,
}

/// A queuing policy.
#[derive(Default)]
struct Queuing {
    queues: [Option<QueueFacts>; 8],
    weights: Weights,
}

/// Queuing policies and WRED profiles that were read, by name.
#[derive(Default)]
pub struct Cache<'t> {
    queuing: HashMap<&'t str, Arc<Queuing>>,
    ecn: HashMap<&'t str, Arc<Ecn>>,
    plain: Option<Arc<Ecn>>,
}

/// The queues of a port.
pub fn read<'t>(reader: &mut Reader<'_, 't, '_>, port: &mut Port, attached: &Attached<'t>) {
    let what = "policy-map type queuing";
    let queuing = match reader.find(port, |c| &c.queuing, attached.queuing, what) {
        Lookup::Found(policy, _) => {
            let name = attached.queuing.and_then(|r| r.name).unwrap_or_default();
            let known = reader.cache().queuing.get(name).map(Arc::clone);
            known.unwrap_or_else(|| {
                let built = Arc::new(build(reader, policy));
                reader.cache().queuing.insert(name, Arc::clone(&built));
                built
            })
        }
        Lookup::Dangling(..) | Lookup::Absent => Arc::default(),
    };
    let unmarked = unmarked(reader, attached);
    let queues = (0..8u8).zip(&queuing.queues).map(|(id, facts)| {
        let own = facts.as_ref();
        Queue {
            id,
            lossless: lossless(port, id, &defaults::NO_MAP),
            ecn: Arc::clone(own.and_then(|f| f.ecn.as_ref()).unwrap_or(&unmarked)),
            scheduler: own.map_or_else(no_scheduler, |f| f.scheduler.clone()),
            share_percent: Fact::unknown(&defaults::NO_SCHEDULER),
            limit_bytes: own.map_or_else(no_limit, |f| f.limit.clone()),
            attached: LineOnly(own.map_or(Origin::NONE, |f| f.at)),
        }
    });
    port.queues = queues.collect();
    queuing.weights.share(port);
}

fn no_scheduler() -> Fact<SchedulerKind> {
    Fact::unknown(&defaults::NO_SCHEDULER)
}

fn no_limit() -> Fact<u64> {
    Fact::unknown(&defaults::NO_LIMIT)
}

/// What marks in queues that name no profile of their own.
fn unmarked<'t>(reader: &mut Reader<'_, 't, '_>, attached: &Attached<'t>) -> Arc<Ecn> {
    if let Some(Reference {
        name: Some(name),
        at,
    }) = attached.wred
    {
        return profile(reader, name, at);
    }
    if let Some(pool) = reader.config().pools.first() {
        return Arc::new(unclear(&Fact::<()>::unknown_at(
            &defaults::POOL_WRED,
            pool.at,
        )));
    }
    let plain = &mut reader.cache().plain;
    let plain = plain.get_or_insert_with(|| Arc::new(no_marking(&defaults::NO_WRED)));
    Arc::clone(plain)
}

fn build<'t>(reader: &mut Reader<'_, 't, '_>, policy: &Policy<'t>) -> Queuing {
    let mut queuing = Queuing::default();
    for class in &policy.classes {
        let Some(queues) = reader.config().queuing_classes.get(class.name) else {
            reader.undefined("class-map type queuing", class.name, class.at);
            continue;
        };
        let ecn = match class.wred {
            Some(Reference {
                name: Some(name),
                at,
            }) => Some(profile(reader, name, at)),
            _ => None,
        };
        for id in queues {
            let Some(place) = queuing.queues.get_mut(usize::from(*id)) else {
                continue;
            };
            let scheduler = scheduler(class);
            let weight = class
                .bandwidth
                .as_ref()
                .and_then(|share| Some((share.get()?, share.at())));
            queuing.weights.set(*id, scheduler.get(), weight);
            *place = Some(QueueFacts {
                scheduler,
                ecn: ecn.clone(),
                limit: limit(class),
                at: class.at,
            });
        }
    }
    queuing
}

fn scheduler(class: &Class<'_>) -> Fact<SchedulerKind> {
    match (class.strict, &class.bandwidth) {
        (Some(at), _) => Fact::explicit(SchedulerKind::Strict, at),
        (None, Some(share)) => share.map(|_| SchedulerKind::Weighted),
        (None, None) => Fact::unknown_at(&defaults::NO_SCHEDULER, class.at),
    }
}

fn limit(class: &Class<'_>) -> Fact<u64> {
    match &class.limit {
        Some(Fact::Explicit(Some(kb), at)) => Fact::explicit(kb.saturating_mul(KB), *at),
        // A share of the free buffer has no fixed limit.
        Some(Fact::Explicit(None, _)) => Fact::NotApplicable,
        Some(unclear) => unclear.map(|_| 0),
        None => no_limit(),
    }
}

/// A WRED profile, or none where the name leads nowhere.
fn profile<'t>(reader: &mut Reader<'_, 't, '_>, name: &'t str, at: Origin) -> Arc<Ecn> {
    if let Some(known) = reader.cache().ecn.get(name) {
        return Arc::clone(known);
    }
    let everywhere = reader.config().ecn_everywhere;
    let ecn = match reader.config().wred.get(name) {
        Some(wred) => marking(wred, everywhere),
        None => {
            reader.undefined("wred", name, at);
            let mut ecn = no_marking(&defaults::NO_WRED);
            ecn.enabled = Fact::explicit(false, at);
            ecn
        }
    };
    let ecn = Arc::new(ecn);
    reader.cache().ecn.insert(name, Arc::clone(&ecn));
    ecn
}

fn marking(wred: &Wred, everywhere: Option<Origin>) -> Ecn {
    let marks = wred.ecn.or(everywhere);
    let none = || Fact::unknown_at(&defaults::NO_GREEN, wred.at);
    let green = wred.green.clone().unwrap_or_else(none);
    let (enabled, drops) = match (marks, &wred.green) {
        (Some(at), Some(_)) => (Fact::explicit(true, at), Fact::explicit(false, at)),
        (Some(at), None) => (none().map(|_| true), Fact::explicit(false, at)),
        (None, _) => {
            let why = (&defaults::ECN_OFF).into();
            (Fact::Default(false, why, wred.at), green.map(|_| true))
        }
    };
    Ecn {
        enabled,
        min_bytes: green.map(|(min, ..)| min.saturating_mul(KB)),
        max_bytes: green.map(|(_, max, _)| max.saturating_mul(KB)),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: green.map(|(.., percent)| Milli::whole(i64::from(*percent))),
        wred_drop: drops,
    }
}

/// Marking of which nothing is certain, for one reason.
fn unclear<T>(why: &Fact<T>) -> Ecn {
    Ecn {
        enabled: why.map(|_| false),
        min_bytes: why.map(|_| 0),
        max_bytes: why.map(|_| 0),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: why.map(|_| Milli::whole(0)),
        wred_drop: why.map(|_| false),
    }
}

/// The sizes of the priority group of a class with `pause`.
pub fn group_buffer(pause: &Pause, config: &Config<'_>) -> GroupBuffer {
    let size = |n: usize| match pause.sizes.and_then(|sizes| sizes.get(n).copied()) {
        Some(kb) => Fact::explicit(kb.saturating_mul(KB), pause.at),
        None => Fact::unknown(&defaults::GROUP_SIZES),
    };
    GroupBuffer {
        headroom_bytes: Fact::unknown(&defaults::GROUP_SIZES),
        reserved_bytes: size(0),
        pause_at_bytes: size(1),
        resume_at_bytes: size(2),
        alpha: Fact::unknown(&defaults::GROUP_SIZES),
        pool: match &config.pfc_buffer {
            Some(size) => {
                let why = (&defaults::LOSSLESS_GROUP).into();
                Fact::Default(PFC_POOL.to_owned(), why, size.at())
            }
            None => Fact::unknown(&defaults::GROUP_SIZES),
        },
    }
}
