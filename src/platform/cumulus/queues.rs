//! Profiles of queues, and what holds without them: marking and scheduling.

use super::config::{Classes, Marking, Said, Serving, Set};
use super::defaults;
use super::qos::{Base, Schedule, default_at, fact, or};
use super::roce::{Roce, Served};
use crate::model::{Ecn, Fact, Milli, Origin, Reason, SchedulerKind, Why};
use crate::platform::queues::no_marking;
use std::sync::Arc;

impl Base<'_> {
    /// Marking of each traffic class.
    pub fn marking(&self, profile: Option<&Classes<Marking>>, global: bool) -> [Arc<Ecn>; 8] {
        let named = profile.filter(|classes| !classes.is_empty());
        std::array::from_fn(|n| {
            let class = n as u8;
            let own = named.and_then(|classes| classes.get(&class));
            let base = || self.marking_without(class);
            Arc::new(match (own, named.is_some() || !global) {
                (Some(own), _) => marking_of(own, global.then(base)),
                (None, false) => base(),
                (None, true) => match self.roce {
                    Roce::Unknown(why, at) if global => unknown_marking(why, at),
                    Roce::On(mode, at) if global && mode.marking(class).is_some() => {
                        unknown_marking(&defaults::ECN_BESIDE_ROCE, at)
                    }
                    _ => no_marking(&defaults::ECN_NOT_NAMED),
                },
            })
        })
    }

    /// Marking of a traffic class where no profile names any.
    fn marking_without(&self, class: u8) -> Ecn {
        let lines_gone = self.config.files && matches!(self.roce, Roce::Off);
        if lines_gone {
            return unknown_marking(&defaults::ECN_NO_LINES, Origin::NONE);
        }
        let (marks, why, at) = match self.roce {
            Roce::On(mode, at) => (mode.marking(class), mode.why(), at),
            Roce::Unknown(why, at) => return unknown_marking(why, at),
            Roce::Off if self.config.partial => {
                return unknown_marking(&defaults::PARTIAL, Origin::NONE);
            }
            Roce::Off => {
                let zero = (
                    defaults::ECN_MIN,
                    defaults::ECN_MAX,
                    defaults::ECN_PROBABILITY,
                );
                (
                    Some(zero).filter(|_| class == 0),
                    &defaults::ECN_DEFAULT,
                    Origin::NONE,
                )
            }
        };
        let Some((min, max, probability)) = marks else {
            let mut ecn = no_marking(why);
            ecn.enabled = default_at(false, why, at);
            return ecn;
        };
        Ecn {
            enabled: default_at(true, why, at),
            min_bytes: default_at(min, why, at),
            max_bytes: default_at(max, why, at),
            min_percent: Fact::NotApplicable,
            max_percent: Fact::NotApplicable,
            probability_percent: default_at(Milli::whole(probability), why, at),
            wred_drop: default_at(false, &defaults::RED_OFF, at),
        }
    }

    /// How each traffic class is served.
    pub fn schedule(&self, profile: Option<&Classes<Serving>>, global: bool) -> Schedule {
        let named = profile.filter(|classes| !classes.is_empty());
        let weights: [Weight; 8] = std::array::from_fn(|n| {
            let class = n as u8;
            match named.and_then(|classes| classes.get(&class)) {
                Some(own) => weight_of(own),
                None if global && (named.is_none() || !matches!(self.roce, Roce::Off)) => {
                    self.weight_without(class)
                }
                None => Weight::Default(0, &defaults::SCHEDULER_NOT_NAMED, Origin::NONE),
            }
        });
        shares(&weights)
    }

    /// How a queue is served where no profile names any.
    fn weight_without(&self, class: u8) -> Weight {
        match self.roce {
            Roce::On(mode, at) => match mode.served(class) {
                Served::Strict => Weight::Strict(default_at((), mode.why(), at)),
                Served::Weight(weight) => Weight::Default(weight, mode.why(), at),
                Served::NotSaid => Weight::Outside(&defaults::SCHEDULER_UNUSED, at),
            },
            Roce::Unknown(why, at) => Weight::Unknown(why, at),
            Roce::Off if self.config.partial => Weight::Unknown(&defaults::PARTIAL, Origin::NONE),
            Roce::Off => {
                let weight = 12 + u32::from(class % 2);
                Weight::Default(weight, &defaults::SCHEDULER_DEFAULT, Origin::NONE)
            }
        }
    }
}

fn unknown_marking(why: &'static Reason, at: Origin) -> Ecn {
    let why: Why = why.into();
    Ecn {
        enabled: Fact::Unknown(why.clone(), at),
        min_bytes: Fact::Unknown(why.clone(), at),
        max_bytes: Fact::Unknown(why.clone(), at),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::Unknown(why.clone(), at),
        wred_drop: Fact::Unknown(why, at),
    }
}

/// Marking as the lines of a traffic class say, over what holds without them.
fn marking_of(own: &Marking, base: Option<Ecn>) -> Ecn {
    let base = base.filter(|base| base.enabled.get() == Some(true));
    let threshold = |said: &Said<u64>, of: fn(&Ecn) -> &Fact<u64>| {
        or(said, || match &base {
            Some(base) => of(base).clone(),
            None => Fact::unknown_at(&defaults::THRESHOLD_OF_PROFILE, own.at),
        })
    };
    let enabled = or(&own.ecn, || default_at(true, &defaults::ECN_NAMED, own.at));
    let red = or(&own.red, || default_at(false, &defaults::RED_OFF, own.at));
    if enabled.get() == Some(false) && red.get() == Some(false) {
        return Ecn {
            enabled,
            wred_drop: red,
            ..no_marking(&defaults::ECN_NAMED)
        };
    }
    Ecn {
        min_bytes: threshold(&own.min, |ecn| &ecn.min_bytes),
        max_bytes: threshold(&own.max, |ecn| &ecn.max_bytes),
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: match (&own.probability, &base) {
            (Some(set), _) => fact(set, |percent| Milli::whole(i64::from(*percent))),
            (None, Some(base)) => base.probability_percent.clone(),
            (None, None) => default_at(Milli::whole(100), &defaults::PROBABILITY, own.at),
        },
        wred_drop: red,
        enabled,
    }
}

/// How a queue is served, before shares are counted.
enum Weight {
    Strict(Fact<()>),
    Explicit(u32, Origin),
    Default(u32, &'static Reason, Origin),
    /// Not known, and has no weight in the shares of others.
    Outside(&'static Reason, Origin),
    /// Not known, nor are the shares of others then.
    Unknown(&'static Reason, Origin),
}

fn weight_of(own: &Serving) -> Weight {
    match (&own.strict, &own.share) {
        (Some(Set { value: None, at }), _) => Weight::Unknown(&defaults::UNREADABLE, *at),
        (
            Some(Set {
                value: Some(true),
                at,
            }),
            _,
        ) => Weight::Strict(Fact::explicit((), *at)),
        (_, Some(share)) => match share.value {
            Some(weight) => Weight::Explicit(u32::from(weight), share.at),
            None => Weight::Unknown(&defaults::NO_SHARE, share.at),
        },
        (Some(mode), None) => Weight::Unknown(&defaults::NO_SHARE, mode.at),
        (None, None) => Weight::Default(0, &defaults::SCHEDULER_NOT_NAMED, Origin::NONE),
    }
}

fn shares(weights: &[Weight; 8]) -> Schedule {
    let own = |weight: &Weight| match weight {
        Weight::Explicit(n, _) | Weight::Default(n, ..) => *n,
        _ => 0,
    };
    let sum: u32 = weights.iter().map(own).sum();
    let unclear = weights.iter().find_map(|weight| match weight {
        Weight::Unknown(why, at) => Some((*why, *at)),
        _ => None,
    });
    let share = |n: u32| Milli::from_f64(f64::from(n) * 100.0 / f64::from(sum.max(1)));
    std::array::from_fn(|n| {
        let (kind, part) = match weights.get(n) {
            Some(Weight::Strict(fact)) => {
                return (fact.map(|()| SchedulerKind::Strict), Fact::NotApplicable);
            }
            Some(Weight::Explicit(n, at)) => {
                let kind = Fact::explicit(SchedulerKind::Weighted, *at);
                (kind, Fact::explicit(share(*n), *at))
            }
            Some(Weight::Default(n, why, at)) => {
                let kind = default_at(SchedulerKind::Weighted, why, *at);
                (kind, default_at(share(*n), why, *at))
            }
            Some(Weight::Outside(why, at) | Weight::Unknown(why, at)) => {
                return (Fact::unknown_at(*why, *at), Fact::unknown_at(*why, *at));
            }
            None => return Default::default(),
        };
        match unclear {
            Some((why, at)) => (kind, Fact::unknown_at(why, at)),
            None => (kind, part),
        }
    })
}
