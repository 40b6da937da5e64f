//! Scheduling of the classes' queues.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_queue};
use crate::finding::Breaks;
use crate::model::{Field, MapName, Queue, QueueField, SchedulerKind};
use crate::platform::Remedy;
use crate::policy::{Class, Expect, Judgement, Located, Percent, Severity};

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

    fn breaks(&self) -> Option<Breaks> {
        Breaks::BOTH
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
    let Some(scheduler) = &class.scheduler else {
        return;
    };
    let kind_wanted = scheduler.kind.as_ref().filter(|kind| !kind.value.is_any());
    let share_wanted = scheduler
        .share
        .as_ref()
        .filter(|share| !share.value.is_any());
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
                share(queue, class, wanted, scheduler.kind.is_none(), out);
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

fn kind(queue: &Queue, class: &Class, wanted: &Located<Expect<SchedulerKind>>, out: &mut Verdicts) {
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
    out.judge(wanted.value.judge(&actual) == Judgement::Met, || {
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

/// A policy that asks for a share and no kind asks for a weighted queue.
fn share(
    queue: &Queue,
    class: &Class,
    wanted: &Located<Expect<Percent>>,
    weighted: bool,
    out: &mut Verdicts,
) {
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
        None if weighted => out.report(
            Detail::fail(format!(
                "queue {} of the class {} has no share: it is served strict",
                queue.id, class.name.value
            ))
            .class(class)
            .policy(wanted.position)
            .expected(&wanted.value)
            .actual(SchedulerKind::Strict)
            .at(Field::Queue(queue.id, QueueField::Scheduler)),
        ),
        None => {} // a strict queue has no share
    }
}

#[cfg(test)]
mod tests {
    use super::{Cnp, Share};
    use crate::check::testing::{Told, stated, switch, verdicts_of};
    use crate::model::{
        CodeMap, Device, DeviceKind, Fact, MapName, Milli, Origin, Port, Queue, SchedulerKind,
    };
    use crate::platform::Remedy;
    use std::sync::Arc;

    /// DSCP 26 in queue 3, DSCP 48 in queue 6.
    fn port(id: u8, kind: SchedulerKind, share: Fact<Milli>) -> Port {
        let mut port = Port::new("Ethernet0");
        let map = |entries: &[(u8, u8)]| {
            let mut map = CodeMap::new();
            for (key, value) in entries {
                map.set_explicit(*key, *value, Origin::NONE);
            }
            stated(Arc::new(map))
        };
        port.maps.set(MapName::DscpToTc, map(&[(26, 3), (48, 6)]));
        port.maps.set(MapName::TcToQueue, map(&[(3, 3), (6, 6)]));
        let mut queue = Queue::new(id);
        queue.scheduler = stated(kind);
        queue.share_percent = share;
        port.queues.push(queue);
        port
    }

    #[test]
    fn cnps_before_all_others() {
        use SchedulerKind::{Strict, Weighted};
        assert_eq!(
            switch(&Cnp, &port(6, Strict, Fact::NotApplicable)),
            Told::Pass
        );
        let weighted = port(6, Weighted, stated(Milli::whole(10)));
        assert_eq!(switch(&Cnp, &weighted), Told::Fail);
        // The map leads to queue 6, of which nothing is known.
        let other = port(3, Weighted, stated(Milli::whole(10)));
        assert_eq!(switch(&Cnp, &other), Told::Unknown);
    }

    #[test]
    fn shares() {
        const POLICY: &str = "version: 1\nclasses: {roce: {dscp: [26], priority: 3, lossless: true, \
             scheduler: {share: \">= 50%\"}}}\n";
        let told = |port: &Port| {
            let device = Device::new("leaf1", DeviceKind::Switch, "test");
            Told::from(&verdicts_of(&Share, &device, port, POLICY))
        };
        let weighted = |percent| port(3, SchedulerKind::Weighted, percent);
        assert_eq!(told(&weighted(stated(Milli::whole(50)))), Told::Pass);
        assert_eq!(told(&weighted(stated(Milli::whole(49)))), Told::Fail);
        assert_eq!(told(&weighted(Fact::default())), Told::Unknown);
        let strict = port(3, SchedulerKind::Strict, Fact::NotApplicable);
        assert_eq!(told(&strict), Told::Fail);
        // No map: the share of which queue?
        assert_eq!(told(&Port::new("Ethernet0")), Told::Unknown);
    }

    #[test]
    fn a_strict_queue_that_should_be_weighted_is_not_mended_by_strict() {
        const POLICY: &str = "version: 1\nclasses: {roce: {dscp: [26], priority: 3, lossless: true, \
             scheduler: {kind: weighted}}, cnp: {cnp: true, dscp: [48], scheduler: {kind: strict}}}\n";
        let device = Device::new("leaf1", DeviceKind::Switch, "test");
        let strict = port(3, SchedulerKind::Strict, Fact::NotApplicable);
        let verdicts = verdicts_of(&Share, &device, &strict, POLICY);
        assert_eq!(verdicts.details[0].remedy, None);
        let weighted = port(6, SchedulerKind::Weighted, Fact::default());
        let verdicts = verdicts_of(&Cnp, &device, &weighted, POLICY);
        let remedy = verdicts.details[0].remedy.clone();
        assert_eq!(remedy, Some(Remedy::Strict { queue: 6 }));
    }
}
