//! ECN: marking congestion before PFC has to stop the sender.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_group, class_queue};
use crate::model::{DeviceKind, Fact, Field, GroupField, Milli, Queue, QueueField};
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
    let (actual, shown, kind, field) = match (bytes.0.get(), percent.0.get()) {
        (Some(count), _) => (
            Threshold::Bytes(count as f64),
            format!("{count}B"),
            bytes.0.kind(),
            bytes.1,
        ),
        (None, Some(part)) => (
            Threshold::Percent(part.as_f64()),
            format!("{part}%"),
            percent.0.kind(),
            percent.1,
        ),
        (None, None) => {
            out.report(
                Detail::unknown_fact(&format!("the ECN {name} of queue {}", queue.id), bytes.0)
                    .class(class)
                    .policy(wanted.position)
                    .at(at(queue, bytes.1)),
            );
            return;
        }
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
        for (class, marked) in marked(cx) {
            let Marked::Queue(queue, ecn) = marked else {
                continue;
            };
            let facts = &queue.ecn;
            let bytes = facts.min_bytes.get().zip(facts.max_bytes.get());
            let percent = facts.min_percent.get().zip(facts.max_percent.get());
            let (right, shown) = match (bytes, percent) {
                (Some((min, max)), _) => (min <= max, format!("{min}B > {max}B")),
                (None, Some((min, max))) => (min <= max, format!("{min}% > {max}%")),
                (None, None) => continue, // not compared: ecn/thresholds tells what is unknown
            };
            out.judge(right, || {
                Detail::fail(format!(
                    "the ECN minimum of queue {} is above the maximum",
                    queue.id
                ))
                .class(class)
                .policy(asked(class, ecn))
                .expected("minimum <= maximum")
                .actual(shown)
                .kind(facts.min_bytes.kind())
                .at(at(queue, QueueField::EcnMinBytes))
                .at(at(queue, QueueField::EcnMaxBytes))
            });
        }
    }
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
                point moves with the free buffer, so this is judged only where it is fixed.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, marked) in marked(cx) {
            let Marked::Queue(queue, _) = marked else {
                continue;
            };
            let group = class_group(cx.port, DeviceKind::Switch, class).known();
            let Some(group) = group.and_then(|id| cx.port.priority_group(id)) else {
                continue;
            };
            let min = queue.ecn.min_bytes.get();
            let pause_at = group.buffer.pause_at_bytes.get();
            let (Some(min), Some(pause_at)) = (min, pause_at) else {
                continue; // a moving pause point is not compared
            };
            out.judge(min < pause_at, || {
                Detail::fail(format!(
                    "queue {} marks from {min} bytes on, but pause is sent at {pause_at}",
                    queue.id
                ))
                .class(class)
                .expected(format!("below {pause_at}B"))
                .actual(format!("{min}B"))
                .kind(queue.ecn.min_bytes.kind())
                .at(at(queue, QueueField::EcnMinBytes))
                .at(Field::Group(group.id, GroupField::PauseAt))
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

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for class in cx.policy.lossless_classes() {
            let Step::To(id) = class_queue(cx.port, DeviceKind::Switch, class) else {
                continue; // map/queue tells it
            };
            let Some(queue) = cx.port.queue(id) else {
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
