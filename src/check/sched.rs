//! Scheduling of the classes' queues.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_queue};
use crate::model::{Field, QueueField, SchedulerKind};
use crate::platform::Remedy;
use crate::policy::{self, Class, Judgement, Percent, Severity};

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
            kind(cx, class, out);
            share(cx, class, out);
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
            kind(cx, class, out);
            share(cx, class, out);
        }
    }
}

fn kind(cx: &PortContext<'_>, class: &Class, out: &mut Verdicts) {
    let scheduler = class.scheduler.as_ref().and_then(|s| s.kind.as_ref());
    let Some(wanted) = scheduler.filter(|wanted| !wanted.value.is_any()) else {
        return;
    };
    let unknown = |why: String, id: u8| {
        Detail::unknown(format!(
            "how the class {} is served is unknown: {why}",
            class.name.value
        ))
        .class(class)
        .policy(wanted.position)
        .at(Field::Queue(id, QueueField::Scheduler))
    };
    let id = match class_queue(cx.port, cx.device.kind, class) {
        Step::To(id) => id,
        Step::Unmapped => return out.report(unknown("it is mapped to no queue".to_owned(), 0)),
        Step::Unknown(why) => return out.report(unknown(why, 0)),
    };
    let Some(queue) = cx.port.queue(id) else {
        return out.report(unknown(format!("queue {id} is not known"), id));
    };
    let field = Field::Queue(id, QueueField::Scheduler);
    match queue.scheduler.get() {
        Some(actual) => {
            let as_policy = match actual {
                SchedulerKind::Strict => policy::SchedulerKind::Strict,
                SchedulerKind::Weighted => policy::SchedulerKind::Weighted,
            };
            out.judge(wanted.value.judge(&as_policy) == Judgement::Met, || {
                Detail::fail(format!(
                    "queue {id} of the class {} is served {actual}",
                    class.name.value
                ))
                .class(class)
                .policy(wanted.position)
                .expected(&wanted.value)
                .actual(actual)
                .kind(queue.scheduler.kind())
                .at(field)
                .remedy(Remedy::Strict { queue: id })
            });
        }
        None => {
            let why = queue.scheduler.because().map(ToString::to_string);
            out.report(unknown(why.unwrap_or_default(), id));
        }
    }
}

fn share(cx: &PortContext<'_>, class: &Class, out: &mut Verdicts) {
    let scheduler = class.scheduler.as_ref().and_then(|s| s.share.as_ref());
    let Some(wanted) = scheduler.filter(|wanted| !wanted.value.is_any()) else {
        return;
    };
    let queue = class_queue(cx.port, cx.device.kind, class).known();
    let Some(queue) = queue.and_then(|id| cx.port.queue(id)) else {
        return; // told with the scheduler's kind, or by map/queue
    };
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
