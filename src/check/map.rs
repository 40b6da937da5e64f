//! Classification: which traffic lands in which class, queue and priority
//! group.
//!
//! One root cause gives one finding: where a DSCP leads to the wrong traffic
//! class, the queue and the priority group are judged for the class that it
//! should have led to.

use super::pfc::lossless_classes;
use super::{About, Check, Detail, DeviceContext, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{
    CodePoint, Step, carries, class_tc, code_points, kind_of, paused_queue, pausing_group, step,
    traffic_class,
};
use crate::model::{DeviceKind, Fact, Field, MapName, NoteKind, PortField, Priorities, Trust};
use crate::platform::Remedy;
use crate::policy::{self, Class, Expect, Judgement, Located, Number, Severity};

/// DSCP → class.
pub struct Dscp;

impl Check for Dscp {
    fn about(&self) -> &'static About {
        &About {
            id: "map/dscp",
            severity: Severity::Critical,
            needs: Needs::Config,
            judges: Judges::All,
            title: "Every code point of a lossless class leads to its PFC priority",
            explain: "A switch knows RoCE packets by their DSCP. Where the map leads the DSCP to \
                another traffic class, the packets wait in a queue without PFC: everything looks \
                configured, pause counters stay at zero, and under load packets are lost. The \
                default map of SONiC puts DSCP 26 in a lossy class; NICs send with 26 by habit. \
                Either the map or the NIC's marking has to change.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for class in &cx.policy.classes {
            for code in code_points(class) {
                if let (true, Some(priority)) = (class.lossless.value, &class.priority) {
                    lossless_code(cx, class, priority, code, out);
                }
                by_number(cx, class, code, out);
            }
        }
    }
}

fn lossless_code(
    cx: &PortContext<'_>,
    class: &Class,
    priority: &Located<u8>,
    code: CodePoint,
    out: &mut Verdicts,
) {
    let host = cx.is_host();
    let wanted = priority.value;
    let detail = |message: String, actual: String| {
        let map = match code {
            CodePoint::Dscp(_) => MapName::DscpToTc,
            CodePoint::Pcp(_) => MapName::PcpToTc,
        };
        let (CodePoint::Dscp(key) | CodePoint::Pcp(key)) = code;
        Detail::fail(message)
            .class(class)
            .policy(class.dscp.position)
            .expected(format!("{code} → priority {wanted}"))
            .actual(actual)
            .kind(kind_of(cx.port, &code.field()))
            .at(code.field())
            .remedy(Remedy::MapEntry {
                map,
                key,
                value: crate::fabric::class_path::carrying_class(cx.port, cx.device.kind, wanted),
            })
    };
    match traffic_class(cx.port, code) {
        Step::Unknown(why) => out.report(
            Detail::unknown(format!("where {code} leads is unknown: {why}"))
                .class(class)
                .policy(class.dscp.position)
                .at(code.field()),
        ),
        Step::Unmapped => out.report(detail(
            format!("{code} is not mapped to any class"),
            "not mapped".to_owned(),
        )),
        Step::To(tc) if host => out.judge(tc == wanted, || {
            detail(
                format!("{code} leads to priority {tc}, not to the lossless class"),
                format!("priority {tc}"),
            )
        }),
        Step::To(tc) => {
            if tc == wanted || carries(cx.port, tc, wanted) {
                return out.pass();
            }
            let queue = step(cx.port, MapName::TcToQueue, tc);
            let paused = paused_queue(cx.port, wanted);
            if let (Step::Unknown(why), _) | (_, Step::Unknown(why)) = (&queue, &paused) {
                // Without the maps behind it the number alone proves nothing,
                // unless it is known that a PFC priority of its own serves it.
                return out.report(
                    Detail::unknown(format!(
                        "{code} leads to traffic class {tc}; whether that is lossless is \
                         unknown: {why}"
                    ))
                    .class(class)
                    .policy(class.dscp.position)
                    .at(code.field()),
                );
            }
            let mut actual = format!("traffic class {tc}");
            if let Some(queue) = queue.known() {
                actual.push_str(&format!(", queue {queue}"));
                let stops = (0..8).filter(|p| paused_queue(cx.port, *p).known() == Some(queue));
                let stops: Priorities = stops.collect();
                let enabled = cx.port.pfc.enabled.get().unwrap_or_default();
                match stops.intersection(enabled).iter().next() {
                    Some(other) => actual.push_str(&format!(", PFC priority {other}")),
                    None => actual.push_str(", no PFC"),
                }
            }
            out.report(detail(
                format!(
                    "{code} does not lead to the lossless class {}",
                    class.name.value
                ),
                actual,
            ));
        }
    }
}

/// `tc`, judged by number where the policy gives one. `queue` and `pg` are
/// judged by map/queue and map/pg.
fn by_number(cx: &PortContext<'_>, class: &Class, code: CodePoint, out: &mut Verdicts) {
    if let Some(wanted) = &class.tc {
        number(
            wanted,
            &traffic_class(cx.port, code),
            &format!("the traffic class of {code}"),
            class,
            code.field(),
            out,
        );
    }
}

/// Judges the number that a step leads to.
fn number(
    wanted: &Located<Expect<Number>>,
    step: &Step,
    what: &str,
    class: &Class,
    field: Field,
    out: &mut Verdicts,
) {
    let detail = match step {
        Step::To(actual) => {
            if wanted.value.judge(&Number(f64::from(*actual))) == Judgement::Met {
                return out.pass();
            }
            Detail::fail(format!("{what} is {actual}"))
                .expected(&wanted.value)
                .actual(actual)
        }
        Step::Unmapped => Detail::fail(format!("{what} is not mapped")).expected(&wanted.value),
        Step::Unknown(why) => Detail::unknown(format!("{what} is unknown: {why}")),
    };
    out.report(detail.class(class).policy(wanted.position).at(field));
}

/// Other traffic in the lossless class.
pub struct SharedClass;

impl Check for SharedClass {
    fn about(&self) -> &'static About {
        &About {
            id: "map/shared-class",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::All,
            title: "No other traffic shares the lossless class",
            explain: "What shares a lossless class, its queue or its priority group shares its \
                pauses and its headroom: TCP in the \
                lossless queue fills it, pauses RDMA, and is paused with it. DSCP 0, the default \
                class or another declared class in there is a fault. Code points that nobody uses, \
                as in maps by blocks of eight, are told as information.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, priority) in lossless_classes(cx) {
            let map = if class.dscp.value.is_empty() {
                MapName::PcpToTc
            } else {
                MapName::DscpToTc
            };
            let Some(entries) = cx.port.maps.get(map).value() else {
                out.report(
                    Detail::unknown_fact(
                        "which code points share the class",
                        cx.port.maps.get(map),
                    )
                    .class(class)
                    .at(Field::Map(map)),
                );
                continue;
            };
            let Some(tc) = class_tc(cx.port, cx.device.kind, class).known() else {
                continue; // map/dscp tells why
            };
            let own = if map == MapName::DscpToTc {
                &class.dscp.value
            } else {
                &class.pcp.value
            };
            let shares = |other: u8| shared_place(cx, tc, other, priority);
            let others: Vec<u8> = entries
                .entries()
                .iter()
                .filter(|entry| !own.contains(&entry.key) && shares(entry.value).is_some())
                .map(|entry| entry.key)
                .collect();
            if others.is_empty() {
                if entries.complete {
                    out.pass();
                } else {
                    out.report(
                        Detail::unknown(
                            "the capture shows only a part of the map, so what else \
                            shares the class is unknown",
                        )
                        .class(class)
                        .at(Field::Map(map)),
                    );
                }
                continue;
            }
            let claimed = |key: &u8| {
                let other = match map {
                    MapName::DscpToTc => cx.policy.class_of_dscp(*key),
                    _ => cx.policy.class_of_pcp(*key),
                };
                // Two lossless classes of one priority are one class by intent.
                *key == 0 || other.is_some_and(|other| other.priority != class.priority)
            };
            let harmful: Vec<u8> = others.iter().copied().filter(claimed).collect();
            let name = if map == MapName::DscpToTc {
                "DSCP"
            } else {
                "802.1p"
            };
            let first = harmful
                .first()
                .or(others.first())
                .copied()
                .unwrap_or_default();
            let other = entries.value(first).unwrap_or(tc);
            let (place, through) = match shares(other) {
                Some(SharedPlace::Queue) => ("queue of the ", Some(MapName::TcToQueue)),
                Some(SharedPlace::Group) => ("priority group of the ", Some(MapName::TcToPg)),
                Some(SharedPlace::TrafficClass) | None => ("", None),
            };
            let detail = if harmful.is_empty() {
                Detail::fail(format!(
                    "code points that no class declares share the {place}lossless class {}: \
                     {name} {}",
                    class.name.value,
                    compact(&others)
                ))
                .severity(Severity::Info)
            } else {
                Detail::fail(format!(
                    "other traffic shares the {place}lossless class {}: {name} {}",
                    class.name.value,
                    compact(&harmful)
                ))
            };
            let detail = match through {
                Some(map) => detail.at(Field::MapEntry(map, other)),
                None => detail,
            };
            out.report(
                detail
                    .class(class)
                    .expected(format!("only {name} {}", compact(own)))
                    .actual(format!("{name} {}", compact(&others)))
                    .kind(kind_of(cx.port, &Field::MapEntry(map, first)))
                    .at(Field::MapEntry(map, first)),
            );
        }
    }
}

/// What two traffic classes have in common.
enum SharedPlace {
    TrafficClass,
    Queue,
    Group,
}

/// What traffic class `other` shares with the traffic class of a lossless
/// class. A queue or group counts only where it is the one that the pause
/// frames of the priority are for: that the class is led to another is told by
/// map/queue and map/pg.
fn shared_place(cx: &PortContext<'_>, tc: u8, other: u8, priority: u8) -> Option<SharedPlace> {
    if other == tc {
        return Some(SharedPlace::TrafficClass);
    }
    let same = |map: MapName, paused: Step| {
        let (own, others) = (step(cx.port, map, tc), step(cx.port, map, other));
        own.known().is_some() && own == paused && own == others
    };
    if cx.is_host() {
        None
    } else if same(MapName::TcToQueue, paused_queue(cx.port, priority)) {
        Some(SharedPlace::Queue)
    } else if same(MapName::TcToPg, pausing_group(cx.port, priority)) {
        Some(SharedPlace::Group)
    } else {
        None
    }
}

/// `0-7, 24, 46-48`.
pub(super) fn compact(sorted: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = sorted.iter().copied().peekable();
    while let Some(first) = rest.next() {
        let mut last = first;
        while rest.peek() == Some(&last.wrapping_add(1)) {
            last = rest.next().unwrap_or(last);
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        match last - first {
            0 => text.push_str(&first.to_string()),
            1 => text.push_str(&format!("{first}, {last}")),
            _ => text.push_str(&format!("{first}-{last}")),
        }
    }
    text
}

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

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, priority) in lossless_classes(cx) {
            let Some(tc) = class_tc(cx.port, DeviceKind::Switch, class).known() else {
                continue;
            };
            let field = Field::MapEntry(MapName::TcToQueue, tc);
            let queue = step(cx.port, MapName::TcToQueue, tc);
            if let Some(wanted) = &class.queue {
                let what = format!("the queue of traffic class {tc}");
                number(wanted, &queue, &what, class, field.clone(), out);
            }
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

/// Traffic class → ingress priority group.
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

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, priority) in lossless_classes(cx) {
            let Some(tc) = class_tc(cx.port, DeviceKind::Switch, class).known() else {
                continue;
            };
            let field = Field::MapEntry(MapName::TcToPg, tc);
            if !cx.port.maps.get(MapName::TcToPg).applies() {
                continue; // a platform without priority groups
            }
            let group = step(cx.port, MapName::TcToPg, tc);
            if let Some(wanted) = &class.pg {
                let what = format!("the priority group of traffic class {tc}");
                number(wanted, &group, &what, class, field.clone(), out);
            }
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

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, priority) in lossless_classes(cx) {
            let Some(tc) = class_tc(cx.port, DeviceKind::Switch, class).known() else {
                continue;
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

/// DSCP changed on the way out.
pub struct Rewrite;

impl Check for Rewrite {
    fn about(&self) -> &'static About {
        &About {
            id: "map/rewrite",
            severity: Severity::Critical,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "No port rewrites the DSCP of a class",
            explain: "A port that rewrites the DSCP sends the packets on as another class: every \
                switch after it, and the receiver's CNP, treats them as such. It is no fault \
                where the rewrite keeps the class's own DSCP.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let map = cx.port.maps.get(MapName::TcToDscp);
        if !map.applies() {
            return;
        }
        for class in &cx.policy.classes {
            if class.dscp.value.is_empty() || !(class.lossless.value || class.cnp.value) {
                continue;
            }
            if let Fact::Unknown(..) = map {
                out.report(
                    Detail::unknown_fact("whether the DSCP is rewritten", map)
                        .class(class)
                        .at(Field::Map(MapName::TcToDscp)),
                );
                continue;
            }
            let Some(tc) = class_tc(cx.port, DeviceKind::Switch, class).known() else {
                continue;
            };
            let field = Field::MapEntry(MapName::TcToDscp, tc);
            match step(cx.port, MapName::TcToDscp, tc) {
                Step::To(dscp) if !class.dscp.value.contains(&dscp) => out.report(
                    Detail::fail(format!("the DSCP is rewritten to {dscp} on the way out"))
                        .class(class)
                        .policy(class.dscp.position)
                        .expected(format!("DSCP {}", compact(&class.dscp.value)))
                        .actual(format!("DSCP {dscp}"))
                        .kind(kind_of(cx.port, &field))
                        .at(field),
                ),
                _ => out.pass(),
            }
        }
    }
}

/// Which field of a packet decides.
pub struct TrustMode;

impl Check for TrustMode {
    fn about(&self) -> &'static About {
        &About {
            id: "trust/mode",
            severity: Severity::Critical,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The port classifies by the field that the policy names",
            explain: "A port that trusts the VLAN priority, or nothing, ignores the DSCP: all \
                RoCE packets of a routed fabric then land in the default class. A port that \
                trusts both satisfies either.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        trust(cx, out);
    }
}

/// Shared by trust/mode on switches and nic/trust on hosts.
pub(super) fn trust(cx: &PortContext<'_>, out: &mut Verdicts) {
    let Some(wanted) = &cx.policy.trust else {
        return;
    };
    let fact = &cx.port.trust;
    let Some(actual) = fact.get() else {
        if fact.is_unknown() {
            out.report(
                Detail::unknown_fact("which field the port trusts", fact)
                    .policy(wanted.position)
                    .at(Field::Port(PortField::Trust)),
            );
        }
        return;
    };
    let words: &[policy::Trust] = match actual {
        Trust::Dscp => &[policy::Trust::Dscp],
        Trust::Pcp => &[policy::Trust::Pcp],
        Trust::Both => &[policy::Trust::Both, policy::Trust::Dscp, policy::Trust::Pcp],
        Trust::None => &[policy::Trust::None],
    };
    out.judge(wanted.value.judge_any(words) == Judgement::Met, || {
        Detail::fail(match actual {
            Trust::None => "the port trusts no field of the packet".to_owned(),
            other => format!("the port trusts {other}"),
        })
        .policy(wanted.position)
        .expected(&wanted.value)
        .actual(actual)
        .because(fact)
        .kind(fact.kind())
        .at(Field::Port(PortField::Trust))
        .remedy(Remedy::Trust {
            dscp: wanted.value.judge(&policy::Trust::Dscp) == Judgement::Met,
        })
    });
}

/// Turns what a platform noticed into findings of one check.
pub(super) fn notes(cx: &DeviceContext<'_>, kind: NoteKind, unknown: bool, out: &mut Verdicts) {
    let mut none = true;
    for note in cx.device.notes.iter().filter(|note| note.kind == kind) {
        none = false;
        let mut detail = if unknown {
            Detail::unknown(&note.text)
        } else {
            Detail::fail(&note.text)
        };
        detail.port = note.port.clone();
        out.report(detail.at_origin(note.at));
    }
    if none && !unknown {
        out.pass();
    }
}

/// Declares a check that tells what a platform noticed.
macro_rules! noted {
    ($name:ident, $id:literal, $severity:ident, $kind:ident, $unknown:literal, $title:literal, $explain:literal) => {
        #[doc = $title]
        pub struct $name;

        impl $crate::check::Check for $name {
            fn about(&self) -> &'static $crate::check::About {
                &$crate::check::About {
                    id: $id,
                    severity: $crate::policy::Severity::$severity,
                    needs: $crate::check::Needs::Config,
                    judges: $crate::check::Judges::All,
                    title: $title,
                    explain: $explain,
                }
            }

            fn device(
                &self,
                cx: &$crate::check::DeviceContext<'_>,
                out: &mut $crate::check::Verdicts,
            ) {
                $crate::check::map::notes(cx, $crate::model::NoteKind::$kind, $unknown, out);
            }
        }
    };
}
pub(super) use noted;

noted!(
    Conflict,
    "map/conflict",
    High,
    Conflict,
    false,
    "No two statements contradict each other",
    "Two lines that cannot both hold: the device follows one of them, and the next reload may \
     follow the other. What is in force then depends on the order in which they were applied."
);
noted!(
    Unresolved,
    "map/unresolved",
    Critical,
    Unresolved,
    false,
    "Every name that is used exists and is attached",
    "A map or profile that is used by name but does not exist is not an error to most devices: \
     they wait for it, silently, and what the line should have set is not in force. On SONiC one \
     missing map name voids all maps and PFC of that port. What is defined but attached nowhere \
     does nothing."
);
noted!(
    Override,
    "map/override",
    High,
    Override,
    false,
    "No ACL, policy or policer beats the trust of the port",
    "An ACL or policy that sets the class, marks the DSCP or limits the rate comes before or after \
     the trusted map and wins: packets of the class land elsewhere, or are dropped by the policer \
     before any buffer is full."
);

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn code_points_are_shown_as_ranges() {
        assert_eq!(compact(&[0, 1, 2, 5, 24, 25]), "0-2, 5, 24, 25");
        assert_eq!(compact(&[]), "");
        assert_eq!(compact(&[63]), "63");
    }
}
