//! What lies behind a traffic class: the queue that it waits in, the priority
//! group that it fills, and the PFC priority that ties the two together.
//!
//! Where a code point leads to the wrong traffic class, these are judged for
//! the class that it should have led to: that fault is told by map/dscp alone.

use super::map::number;
use super::pfc::lossless_classes;
use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_tc, kind_of, paused_queue, pausing_group, step};
use crate::finding::Breaks;
use crate::model::{DeviceKind, Field, MapName};
use crate::platform::Remedy;
use crate::policy::{Class, Expect, Located, Number, Severity};

/// Traffic class → egress queue.
pub struct Queue;

impl Check for Queue {
    fn about(&self) -> &'static About {
        &About {
            id: "map/queue",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The lossless class waits in the queue that its pause frames stop",
            explain: "On the way out a class waits in a queue; a pause frame of its priority must \
                stop just this queue. Where they differ, pause stops another queue, the class \
                goes on sending, and the peer drops.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        if !cx.port.maps.get(MapName::TcToQueue).applies() {
            return;
        }
        for class in &cx.policy.classes {
            step_by_number(cx, class, &class.queue, MapName::TcToQueue, "queue", out);
        }
        for (class, priority) in lossless_classes(cx) {
            let Some(tc) = class_tc(cx.port, DeviceKind::Switch, class).known() else {
                continue; // map/dscp tells it
            };
            let field = Field::MapEntry(MapName::TcToQueue, tc);
            let queue = step(cx.port, MapName::TcToQueue, tc);
            let paused = paused_queue(cx.port, priority);
            match (&queue, &paused) {
                // The other map is the odd one where this one is straight.
                (Step::To(queue), Step::To(paused)) => {
                    if queue == paused || *queue == tc {
                        out.pass();
                        continue;
                    }
                    out.report(
                        Detail::fail(format!(
                            "traffic class {tc} waits in queue {queue}, but pause for priority \
                             {priority} stops queue {paused}"
                        ))
                        .class(class)
                        .expected(format!("queue {paused}"))
                        .actual(format!("queue {queue}"))
                        .kind(kind_of(cx.port, &field))
                        .at(field)
                        .remedy(Remedy::MapEntry {
                            map: MapName::TcToQueue,
                            key: tc,
                            value: *paused,
                        }),
                    );
                }
                (Step::Unmapped, _) => out.report(
                    Detail::fail(format!("traffic class {tc} is mapped to no queue"))
                        .class(class)
                        .at(field),
                ),
                (Step::Unknown(why), _) => out.report(
                    Detail::unknown(format!("the queue of traffic class {tc} is unknown: {why}"))
                        .class(class)
                        .at(field),
                ),
                (Step::To(_), _) => {} // map/pfc-queue tells
            }
        }
    }
}

/// Traffic class → ingress priority group. Whether that group is lossless and
/// how much room it has is told by buffer/headroom, once.
pub struct Group;

impl Check for Group {
    fn about(&self) -> &'static About {
        &About {
            id: "map/pg",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The lossless class fills the priority group that sends its pause",
            explain: "On the way in a class fills a priority group of the buffer; when it is full \
                enough the group sends pause for its priority. A class that fills another group \
                overflows without a pause ever being sent.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::INGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        if !cx.port.maps.get(MapName::TcToPg).applies() {
            return; // a platform without priority groups
        }
        for class in &cx.policy.classes {
            let name = "priority group";
            step_by_number(cx, class, &class.pg, MapName::TcToPg, name, out);
        }
        for (class, priority) in lossless_classes(cx) {
            let Some(tc) = class_tc(cx.port, DeviceKind::Switch, class).known() else {
                continue; // map/dscp tells it
            };
            let field = Field::MapEntry(MapName::TcToPg, tc);
            let group = step(cx.port, MapName::TcToPg, tc);
            let sends = pausing_group(cx.port, priority);
            match (&group, &sends) {
                (Step::To(group), Step::To(sends)) => out.judge(group == sends, || {
                    Detail::fail(format!(
                        "traffic class {tc} fills priority group {group}, but pause for priority \
                         {priority} is sent by group {sends}"
                    ))
                    .class(class)
                    .expected(format!("priority group {sends}"))
                    .actual(format!("priority group {group}"))
                    .kind(kind_of(cx.port, &field))
                    .at(field.clone())
                    .remedy(Remedy::MapEntry {
                        map: MapName::TcToPg,
                        key: tc,
                        value: *sends,
                    })
                }),
                (Step::Unmapped, _) => out.report(
                    Detail::fail(format!("traffic class {tc} is mapped to no priority group"))
                        .class(class)
                        .at(field),
                ),
                (_, Step::Unmapped) => out.report(
                    Detail::fail(format!(
                        "no priority group sends pause for priority {priority}"
                    ))
                    .class(class)
                    .at(Field::Map(MapName::PfcToPg)),
                ),
                (Step::Unknown(why), _) | (_, Step::Unknown(why)) => out.report(
                    Detail::unknown(format!(
                        "the priority group of traffic class {tc} is unknown: {why}"
                    ))
                    .class(class)
                    .at(field),
                ),
            }
        }
    }
}

/// PFC priority → the queue that it stops.
pub struct PfcQueue;

impl Check for PfcQueue {
    fn about(&self) -> &'static About {
        &About {
            id: "map/pfc-queue",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "A pause frame of the lossless priority stops the class's queue",
            explain: "When the peer sends pause for a priority, this map says which queue stops. \
                A wrong entry stops innocent traffic, while the class that the peer cannot take \
                goes on and is dropped there.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        if !cx.port.maps.get(MapName::PfcToQueue).applies() {
            return;
        }
        for (class, priority) in lossless_classes(cx) {
            let Some(tc) = class_tc(cx.port, DeviceKind::Switch, class).known() else {
                continue; // map/dscp tells it
            };
            let field = Field::MapEntry(MapName::PfcToQueue, priority);
            let queue = step(cx.port, MapName::TcToQueue, tc);
            match (&queue, paused_queue(cx.port, priority)) {
                (Step::To(queue), Step::To(paused)) => {
                    if *queue == paused || *queue != tc {
                        out.pass(); // alike, or the other map is the odd one
                        continue;
                    }
                    out.report(
                        Detail::fail(format!(
                            "pause for priority {priority} stops queue {paused}, not queue \
                             {queue} of the lossless class {}",
                            class.name.value
                        ))
                        .class(class)
                        .expected(format!("queue {queue}"))
                        .actual(format!("queue {paused}"))
                        .kind(kind_of(cx.port, &field))
                        .at(field)
                        .remedy(Remedy::MapEntry {
                            map: MapName::PfcToQueue,
                            key: priority,
                            value: *queue,
                        }),
                    );
                }
                (_, Step::Unmapped) => out.report(
                    Detail::fail(format!("pause for priority {priority} stops no queue"))
                        .class(class)
                        .at(field),
                ),
                (_, Step::Unknown(why)) => out.report(
                    Detail::unknown(format!(
                        "the queue that pause for priority {priority} stops is unknown: {why}"
                    ))
                    .class(class)
                    .at(field),
                ),
                (_, Step::To(_)) => {} // map/queue tells
            }
        }
    }
}

/// `queue` or `pg` of a class, judged by number where the policy gives one.
fn step_by_number(
    cx: &PortContext<'_>,
    class: &Class,
    wanted: &Option<Located<Expect<Number>>>,
    map: MapName,
    name: &str,
    out: &mut Verdicts,
) {
    let Some(wanted) = wanted else {
        return;
    };
    match class_tc(cx.port, DeviceKind::Switch, class) {
        Step::To(tc) => number(
            wanted,
            &step(cx.port, map, tc),
            &format!("the {name} of traffic class {tc}"),
            class,
            Field::MapEntry(map, tc),
            out,
        ),
        elsewhere => number(
            wanted,
            &elsewhere,
            &format!("the {name} of the class {}", class.name.value),
            class,
            Field::Map(map),
            out,
        ),
    }
}
