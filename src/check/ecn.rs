//! ECN: marking congestion before PFC has to stop the sender.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_group, class_queue};
use crate::finding::Breaks;
use crate::model::{DeviceKind, Fact, Field, GroupField, Kind, Milli, Queue, QueueField};
use crate::platform::Remedy;
use crate::policy::{Class, Ecn, Expect, Judgement, Located, Percent, Severity, Threshold};

/// The queue of a class that the policy wants marked, with what it wants.
enum Marked<'a> {
    Queue(&'a Queue, &'a Ecn),
    Unknown(String, u8),
}

/// The classes that must be marked, with their queues on this port.
fn marked<'a>(cx: &PortContext<'a>) -> impl Iterator<Item = (&'a Class, Marked<'a>)> + use<'a> {
    let port = cx.port;
    let classes = cx.policy.classes.iter();
    classes.filter_map(move |class| {
        let ecn = class.ecn.as_ref()?;
        let marked = match class_queue(port, DeviceKind::Switch, class) {
            Step::To(id) => match port.queue(id) {
                Some(queue) => Marked::Queue(queue, ecn),
                None => Marked::Unknown(format!("queue {id} is not known"), id),
            },
            Step::Unmapped => Marked::Unknown("the class is mapped to no queue".to_owned(), 0),
            Step::Unknown(why) => Marked::Unknown(why, 0),
        };
        Some((class, marked))
    })
}

fn at(queue: &Queue, field: QueueField) -> Field {
    Field::Queue(queue.id, field)
}

/// The line of the policy that asks for marking.
fn asked(class: &Class, ecn: &Ecn) -> crate::policy::Position {
    let positions = [
        ecn.min.as_ref().map(|l| l.position),
        ecn.max.as_ref().map(|l| l.position),
    ];
    positions
        .into_iter()
        .flatten()
        .next()
        .unwrap_or(class.name.position)
}

fn remedy(queue: &Queue, ecn: &Ecn) -> Remedy {
    let bytes =
        |wanted: &Option<Located<Expect<Threshold>>>| match wanted.as_ref()?.value.exact()? {
            Threshold::Bytes(bytes) => Some(*bytes as u64),
            _ => None,
        };
    let probability = ecn.probability.as_ref();
    Remedy::Ecn {
        queue: queue.id,
        min_bytes: bytes(&ecn.min),
        max_bytes: bytes(&ecn.max),
        probability_percent: probability.and_then(|p| p.value.exact().map(|p| p.0 as u8)),
    }
}

/// No marking.
pub struct Missing;

impl Check for Missing {
    fn about(&self) -> &'static About {
        &About {
            id: "ecn/missing",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The queue of the class marks ECN",
            explain: "Without marking no sender slows down: every congestion ends in pause frames, \
                which spread from switch to switch and stop traffic that has nothing to do with \
                it. DCQCN on the NICs does nothing without marks. A queue without a WRED profile \
                does not mark on the platforms that document it so.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, marked) in marked(cx) {
            let (queue, ecn) = match marked {
                Marked::Queue(queue, ecn) => (queue, ecn),
                Marked::Unknown(why, id) => {
                    out.report(
                        Detail::unknown(format!("whether the class is marked is unknown: {why}"))
                            .class(class)
                            .at(Field::Queue(id, QueueField::EcnEnabled)),
                    );
                    continue;
                }
            };
            let enabled = &queue.ecn.enabled;
            match enabled.get() {
                Some(on) => out.judge(on, || {
                    Detail::fail(format!(
                        "queue {} of the class {} does not mark ECN",
                        queue.id, class.name.value
                    ))
                    .class(class)
                    .policy(asked(class, ecn))
                    .expected("on")
                    .actual("off")
                    .because(enabled)
                    .kind(enabled.kind())
                    .at(at(queue, QueueField::EcnEnabled))
                    .remedy(remedy(queue, ecn))
                }),
                None => out.report(
                    Detail::unknown_fact(&format!("whether queue {} marks ECN", queue.id), enabled)
                        .class(class)
                        .policy(asked(class, ecn))
                        .at(at(queue, QueueField::EcnEnabled)),
                ),
            }
        }
    }
}

/// Thresholds other than the policy's.
pub struct Thresholds;

impl Check for Thresholds {
    fn about(&self) -> &'static About {
        &About {
            id: "ecn/thresholds",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "ECN thresholds and probability are as the policy says",
            explain: "Thresholds that are too low mark traffic that was never congested and cost \
                bandwidth; too high, and PFC stops the sender before it ever sees a mark. \
                Switches that differ share the load unfairly. Hardware rounds thresholds, so \
                values within 7 % count as equal.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, marked) in marked(cx) {
            let Marked::Queue(queue, ecn) = marked else {
                continue; // ecn/missing tells it
            };
            if queue.ecn.enabled.get() != Some(true) {
                continue;
            }
            let facts = &queue.ecn;
            threshold(
                class,
                queue,
                "minimum",
                &ecn.min,
                (&facts.min_bytes, QueueField::EcnMinBytes),
                (&facts.min_percent, QueueField::EcnMinPercent),
                ecn,
                out,
            );
            threshold(
                class,
                queue,
                "maximum",
                &ecn.max,
                (&facts.max_bytes, QueueField::EcnMaxBytes),
                (&facts.max_percent, QueueField::EcnMaxPercent),
                ecn,
                out,
            );
            probability(class, queue, ecn, out);
        }
    }
}

#[allow(clippy::too_many_arguments)] // two ends of one threshold, each with its address
fn threshold(
    class: &Class,
    queue: &Queue,
    name: &str,
    wanted: &Option<Located<Expect<Threshold>>>,
    bytes: (&Fact<u64>, QueueField),
    percent: (&Fact<Milli>, QueueField),
    ecn: &Ecn,
    out: &mut Verdicts,
) {
    let Some(wanted) = wanted.as_ref().filter(|wanted| !wanted.value.is_any()) else {
        return;
    };
    let in_bytes = bytes.0.get().map(|count| {
        let actual = Threshold::Bytes(count as f64);
        (actual, format!("{count}B"), bytes.0.kind(), bytes.1)
    });
    let in_percent = percent.0.get().map(|part| {
        let actual = Threshold::Percent(part.as_f64());
        (actual, format!("{part}%"), percent.0.kind(), percent.1)
    });
    let mut known = [in_bytes, in_percent].into_iter().flatten();
    let comparable = |(actual, ..): &(Threshold, String, Kind, QueueField)| {
        wanted.value.judge(actual) != Judgement::Incomparable
    };
    let first = known.next();
    let best = match first {
        Some(first) if comparable(&first) => Some(first),
        Some(first) => Some(known.find(comparable).unwrap_or(first)),
        None => None,
    };
    let Some((actual, shown, kind, field)) = best else {
        return out.report(
            Detail::unknown_fact(&format!("the ECN {name} of queue {}", queue.id), bytes.0)
                .class(class)
                .policy(wanted.position)
                .at(at(queue, bytes.1)),
        );
    };
    match wanted.value.judge(&actual) {
        Judgement::Met => out.pass(),
        Judgement::NotMet => out.report(
            Detail::fail(format!("the ECN {name} of queue {} is {shown}", queue.id))
                .class(class)
                .policy(wanted.position)
                .expected(&wanted.value)
                .actual(shown)
                .kind(kind)
                .at(at(queue, field))
                .remedy(remedy(queue, ecn)),
        ),
        Judgement::Incomparable => out.report(
            Detail::unknown(format!(
                "the ECN {name} of queue {} is {shown}, which can't be compared with {}",
                queue.id, wanted.value
            ))
            .class(class)
            .policy(wanted.position)
            .at(at(queue, field)),
        ),
    }
}

fn probability(class: &Class, queue: &Queue, ecn: &Ecn, out: &mut Verdicts) {
    let Some(wanted) = ecn.probability.as_ref().filter(|p| !p.value.is_any()) else {
        return;
    };
    let fact = &queue.ecn.probability_percent;
    match fact.get() {
        Some(actual) => {
            let met = wanted.value.judge(&Percent(actual.as_f64())) == Judgement::Met;
            out.judge(met, || {
                Detail::fail(format!(
                    "the marking probability of queue {} is {actual}%",
                    queue.id
                ))
                .class(class)
                .policy(wanted.position)
                .expected(&wanted.value)
                .actual(format!("{actual}%"))
                .kind(fact.kind())
                .at(at(queue, QueueField::EcnProbability))
                .remedy(remedy(queue, ecn))
            });
        }
        None => out.report(
            Detail::unknown_fact("the marking probability", fact)
                .class(class)
                .policy(wanted.position)
                .at(at(queue, QueueField::EcnProbability)),
        ),
    }
}

/// Minimum above maximum.
pub struct Order;

impl Check for Order {
    fn about(&self) -> &'static About {
        &About {
            id: "ecn/order",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The ECN minimum is not above the maximum",
            explain: "A profile whose minimum is above its maximum is refused by some devices and \
                crashes others; on those that take it, marking is undefined. Equal values are a \
                step: nothing is marked below, everything above.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let mut done = Vec::new();
        for class in &cx.policy.classes {
            let id = class_queue(cx.port, DeviceKind::Switch, class).known();
            let Some(queue) = id.and_then(|id| cx.port.queue(id)) else {
                continue; // ecn/missing tells of a class that is to be marked
            };
            if !done.contains(&queue.id) {
                done.push(queue.id);
                order(class, queue, out);
            }
        }
    }
}

fn order(class: &Class, queue: &Queue, out: &mut Verdicts) {
    let facts = &queue.ecn;
    let bytes = facts.min_bytes.get().zip(facts.max_bytes.get());
    let percent = facts.min_percent.get().zip(facts.max_percent.get());
    let (right, shown, fields) = match (bytes, percent) {
        (Some((min, max)), _) => (
            min <= max,
            format!("{min}B > {max}B"),
            [QueueField::EcnMinBytes, QueueField::EcnMaxBytes],
        ),
        (None, Some((min, max))) => (
            min <= max,
            format!("{min}% > {max}%"),
            [QueueField::EcnMinPercent, QueueField::EcnMaxPercent],
        ),
        // Of a queue that marks it is unknown; others have no thresholds.
        (None, None) => {
            let ends = [
                (&facts.min_bytes, QueueField::EcnMinBytes),
                (&facts.max_bytes, QueueField::EcnMaxBytes),
            ];
            let unknown = ends.into_iter().find(|(end, _)| end.is_unknown());
            if let (Some(true), Some((end, name))) = (facts.enabled.get(), unknown) {
                let what = format!("the order of the ECN thresholds of queue {}", queue.id);
                out.report(
                    Detail::unknown_fact(&what, end)
                        .class(class)
                        .at(at(queue, name)),
                );
            }
            return;
        }
    };
    out.judge(right, || {
        Detail::fail(format!(
            "the ECN minimum of queue {} is above the maximum",
            queue.id
        ))
        .class(class)
        .policy(
            class
                .ecn
                .as_ref()
                .map_or(class.name.position, |ecn| asked(class, ecn)),
        )
        .expected("minimum <= maximum")
        .actual(shown)
        .kind(match bytes {
            Some(_) => facts.min_bytes.kind(),
            None => facts.min_percent.kind(),
        })
        .at(at(queue, fields[0]))
        .at(at(queue, fields[1]))
    });
}

/// Marks only once PFC already fired.
pub struct AfterPfc;

impl Check for AfterPfc {
    fn about(&self) -> &'static About {
        &About {
            id: "ecn/after-pfc",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "Marking begins before PFC stops the sender",
            explain: "ECN is to slow senders down while there is still room; PFC is the last \
                resort. Where marking begins only above the fill at which pause is sent, pause \
                always comes first and congestion spreads. With a dynamic threshold the pause \
                point moves with the free buffer, and this is information.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, marked) in marked(cx) {
            let Marked::Queue(queue, ecn) = marked else {
                continue; // ecn/missing tells it
            };
            if !class.lossless.value || queue.ecn.enabled.get() != Some(true) {
                continue;
            }
            let group = class_group(cx.port, DeviceKind::Switch, class).known();
            let group = group.and_then(|id| cx.port.priority_group(id));
            let Some((group, pause_at)) =
                group.and_then(|group| Some((group, group.buffer.pause_at_bytes.get()?)))
            else {
                continue; // a moving pause point is not compared
            };
            let min = &queue.ecn.min_bytes;
            let Some(first_mark) = min.get() else {
                let what = format!("whether queue {} marks before pause is sent", queue.id);
                out.report(
                    Detail::unknown_fact(&what, min)
                        .class(class)
                        .policy(asked(class, ecn))
                        .at(at(queue, QueueField::EcnMinBytes)),
                );
                continue;
            };
            let moves = group.buffer.alpha.is_known();
            out.judge(first_mark <= pause_at, || {
                let detail = Detail::fail(format!(
                    "queue {} marks from {first_mark} bytes on, but pause is sent at {pause_at}",
                    queue.id
                ))
                .class(class)
                .policy(asked(class, ecn))
                .expected(format!("<= {pause_at}B"))
                .actual(format!("{first_mark}B"))
                .kind(min.kind())
                .at(at(queue, QueueField::EcnMinBytes))
                .at(Field::Group(group.id, GroupField::PauseAt));
                match moves {
                    true => detail.severity(Severity::Info),
                    false => detail,
                }
            });
        }
    }
}

/// WRED drops where it should mark.
pub struct Drops;

impl Check for Drops {
    fn about(&self) -> &'static About {
        &About {
            id: "ecn/drops",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "WRED does not drop packets of a lossless class",
            explain: "A WRED profile without ECN drops early instead of marking: in a lossless \
                queue that is loss by configuration, and no pause can prevent it.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for class in cx.policy.lossless_classes() {
            let Step::To(id) = class_queue(cx.port, DeviceKind::Switch, class) else {
                continue; // map/queue tells it
            };
            let Some(queue) = cx.port.queue(id) else {
                out.report(
                    Detail::unknown(format!(
                        "whether WRED drops in queue {id} is unknown: no capture speaks of it"
                    ))
                    .class(class)
                    .at(Field::Queue(id, QueueField::WredDrop)),
                );
                continue;
            };
            let fact = &queue.ecn.wred_drop;
            match fact.get() {
                Some(drops) => out.judge(!drops, || {
                    Detail::fail(format!(
                        "queue {id} drops packets of the lossless class {} early (WRED)",
                        class.name.value
                    ))
                    .class(class)
                    .expected("mark, not drop")
                    .actual("WRED drops")
                    .kind(fact.kind())
                    .at(at(queue, QueueField::WredDrop))
                }),
                None if fact.is_unknown() => out.report(
                    Detail::unknown_fact(&format!("whether WRED drops in queue {id}"), fact)
                        .class(class)
                        .at(at(queue, QueueField::WredDrop)),
                ),
                None => {}
            }
        }
    }
}
