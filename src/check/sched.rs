//! Scheduling of the classes' queues.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_queue};
use crate::model::{Field, MapName, Queue, QueueField, SchedulerKind};
use crate::platform::Remedy;
use crate::policy::{self, Class, Expect, Judgement, Located, Percent, Severity};

/// The CNP class.
pub struct Cnp;

impl Check for Cnp {
    fn about(&self) -> &'static About {
        &About {
            id: "sched/cnp",
            severity: Severity::Low,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "Congestion notification packets are served as the policy says",
            explain: "CNPs tell a sender to slow down. Where they wait behind the very congestion \
                that they report, the sender slows down too late. They are few and small, so \
                strict priority costs nothing.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for class in cx.policy.classes.iter().filter(|class| class.cnp.value) {
            judge(cx, class, out);
        }
    }
}

/// All other classes.
pub struct Share;

impl Check for Share {
    fn about(&self) -> &'static About {
        &About {
            id: "sched/share",
            severity: Severity::Info,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "Each class has the scheduler and the share that the policy asks",
            explain: "A lossless queue with too small a share fills up, and then its pause frames \
                stop the senders although the link has room. Shares count among the weighted \
                queues, of what strict queues leave.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for class in cx.policy.classes.iter().filter(|class| !class.cnp.value) {
            judge(cx, class, out);
        }
    }
}

/// The class's queue, or why it is not known.
fn queue_of<'a>(cx: &PortContext<'a>, class: &Class) -> Result<&'a Queue, String> {
    match class_queue(cx.port, cx.device.kind, class) {
        Step::To(id) => {
            let queue = cx.port.queue(id);
            queue.ok_or_else(|| format!("no capture speaks of queue {id}"))
        }
        Step::Unmapped => Err("the class is mapped to no queue".to_owned()),
        Step::Unknown(why) => Err(why),
    }
}

/// Judges kind and share of a class's queue, where the policy asks for them.
fn judge(cx: &PortContext<'_>, class: &Class, out: &mut Verdicts) {
    let Some(wanted) = &class.scheduler else {
        return;
    };
    let kind_wanted = wanted.kind.as_ref().filter(|kind| !kind.value.is_any());
    let share_wanted = wanted.share.as_ref().filter(|share| !share.value.is_any());
    let positions = [
        kind_wanted.map(|kind| kind.position),
        share_wanted.map(|share| share.position),
    ];
    let Some(position) = positions.into_iter().flatten().next() else {
        return;
    };
    match queue_of(cx, class) {
        Ok(queue) => {
            if let Some(wanted) = kind_wanted {
                kind(queue, class, wanted, out);
            }
            if let Some(wanted) = share_wanted {
                share(queue, class, wanted, out);
            }
        }
        Err(why) => out.report(
            Detail::unknown(format!(
                "how the class {} is served is unknown: {why}",
                class.name.value
            ))
            .class(class)
            .policy(position)
            .at(Field::Map(MapName::TcToQueue)),
        ),
    }
}

fn kind(
    queue: &Queue,
    class: &Class,
    wanted: &Located<Expect<policy::SchedulerKind>>,
    out: &mut Verdicts,
) {
    let field = Field::Queue(queue.id, QueueField::Scheduler);
    let Some(actual) = queue.scheduler.get() else {
        return out.report(
            Detail::unknown_fact(
                &format!("how the class {} is served", class.name.value),
                &queue.scheduler,
            )
            .class(class)
            .policy(wanted.position)
            .at(field),
        );
    };
    let as_policy = match actual {
        SchedulerKind::Strict => policy::SchedulerKind::Strict,
        SchedulerKind::Weighted => policy::SchedulerKind::Weighted,
    };
    out.judge(wanted.value.judge(&as_policy) == Judgement::Met, || {
        let detail = Detail::fail(format!(
            "queue {} of the class {} is served {actual}",
            queue.id, class.name.value
        ))
        .class(class)
        .policy(wanted.position)
        .expected(&wanted.value)
        .actual(actual)
        .kind(queue.scheduler.kind())
        .at(field);
        // A weighted queue needs a weight, which only its owner can choose.
        match actual {
            SchedulerKind::Weighted => detail.remedy(Remedy::Strict { queue: queue.id }),
            SchedulerKind::Strict => detail,
        }
    });
}

fn share(queue: &Queue, class: &Class, wanted: &Located<Expect<Percent>>, out: &mut Verdicts) {
    let field = Field::Queue(queue.id, QueueField::Share);
    match queue.share_percent.get() {
        Some(actual) => {
            let met = wanted.value.judge(&Percent(actual.as_f64())) == Judgement::Met;
            out.judge(met, || {
                Detail::fail(format!("queue {} has a share of {actual}%", queue.id))
                    .class(class)
                    .policy(wanted.position)
                    .expected(&wanted.value)
                    .actual(format!("{actual}%"))
                    .kind(queue.share_percent.kind())
                    .at(field)
            });
        }
        None if queue.share_percent.is_unknown() => out.report(
            Detail::unknown_fact(
                &format!("the share of queue {}", queue.id),
                &queue.share_percent,
            )
            .class(class)
            .policy(wanted.position)
            .at(field),
        ),
        None => {} // a strict queue has no share
    }
}
