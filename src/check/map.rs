//! Classification: which traffic lands in which class, queue and priority
//! group.
//!
//! One root cause gives one finding: where a DSCP leads to the wrong traffic
//! class, the queue and the priority group are judged for the class that it
//! should have led to.

use super::{About, Check, Detail, DeviceContext, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{
    CodePoint, Step, carries, carrying_class, class_priority, class_tc, code_points, kind_of,
    paused_queue, step, traffic_class,
};
use crate::finding::Breaks;
use crate::model::{DeviceKind, Field, MapName, NoteKind, PortField, Priorities, Trust};
use crate::platform::Remedy;
use crate::policy::{Class, Expect, Judgement, Located, Number, Position, Severity};

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

    fn breaks(&self) -> Option<Breaks> {
        Breaks::INGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for class in &cx.policy.classes {
            for code in code_points(cx.port, class) {
                let undecided = match class_priority(cx.port, cx.device.kind, class) {
                    Step::To(priority) if class.lossless.value => {
                        lossless_code(cx, class, priority, code, out)
                    }
                    Step::Unmapped if class.lossless.value => {
                        out.report(wrong(cx, class, code, "a priority with PFC".to_owned()));
                        false
                    }
                    Step::Unknown(why) if class.lossless.value => {
                        let message = format!("where {code} leads is unknown: {why}");
                        out.report(unknown(class, code, message));
                        traffic_class(cx.port, code).known().is_some()
                    }
                    Step::To(_) | Step::Unmapped | Step::Unknown(_) => true,
                };
                if undecided && !cx.is_host() {
                    by_number(cx, class, code, out);
                }
            }
        }
    }
}

/// A code point of a lossless class that leads elsewhere: where to.
fn wrong(cx: &PortContext<'_>, class: &Class, code: CodePoint, expected: String) -> Detail {
    let (message, actual) = match traffic_class(cx.port, code) {
        Step::To(priority) if cx.is_host() => (
            format!("{code} leads to priority {priority}, not to the lossless class"),
            format!("priority {priority}"),
        ),
        Step::To(tc) => (
            format!(
                "{code} does not lead to the lossless class {}",
                class.name.value
            ),
            path_of(cx, tc),
        ),
        Step::Unmapped | Step::Unknown(_) => (
            format!("{code} is not mapped to any class"),
            "not mapped".to_owned(),
        ),
    };
    Detail::fail(message)
        .class(class)
        .policy(asked(class, code))
        .expected(format!("{code} → {expected}"))
        .actual(actual)
        .kind(kind_of(cx.port, &code.field()))
        .at(code.field())
}

fn unknown(class: &Class, code: CodePoint, message: String) -> Detail {
    Detail::unknown(message)
        .class(class)
        .policy(asked(class, code))
        .at(code.field())
}

/// The line of the policy that gives the code point.
fn asked(class: &Class, code: CodePoint) -> Position {
    match code {
        CodePoint::Dscp(_) => class.dscp.position,
        CodePoint::Pcp(_) => class.pcp.position,
    }
}

/// `traffic class 1, queue 1, no PFC`, as far as it is known.
fn path_of(cx: &PortContext<'_>, tc: u8) -> String {
    let mut path = format!("traffic class {tc}");
    let Some(queue) = step(cx.port, MapName::TcToQueue, tc).known() else {
        return path;
    };
    path.push_str(&format!(", queue {queue}"));
    let stops = (0..8).filter(|p| paused_queue(cx.port, *p).known() == Some(queue));
    let stops: Priorities = stops.collect();
    let Some(enabled) = cx.port.pfc.enabled.get() else {
        return path;
    };
    match stops.intersection(enabled).iter().next() {
        Some(other) => path.push_str(&format!(", PFC priority {other}")),
        None => path.push_str(", no PFC priority"),
    }
    path
}

/// Whether a code point leads to the PFC priority of its lossless class. False
/// where that decides it: the number of its traffic class has nothing to add.
fn lossless_code(
    cx: &PortContext<'_>,
    class: &Class,
    wanted: u8,
    code: CodePoint,
    out: &mut Verdicts,
) -> bool {
    let carrying = carrying_class(cx.port, cx.device.kind, wanted);
    match traffic_class(cx.port, code) {
        Step::Unknown(why) => {
            let message = format!("where {code} leads is unknown: {why}");
            out.report(unknown(class, code, message));
            return false;
        }
        Step::To(tc) if tc == carrying => {
            out.pass();
            return true;
        }
        Step::To(tc) if !cx.is_host() => {
            if carries(cx.port, tc, wanted) {
                out.pass();
                return true;
            }
            let queue = step(cx.port, MapName::TcToQueue, tc);
            let paused = paused_queue(cx.port, wanted);
            // Without the maps behind it the number alone proves nothing.
            if let (Step::Unknown(why), _) | (_, Step::Unknown(why)) = (&queue, &paused) {
                let message = format!(
                    "{code} leads to traffic class {tc}; whether that is lossless is unknown: {why}"
                );
                out.report(unknown(class, code, message));
                return true;
            }
        }
        Step::To(_) | Step::Unmapped => {}
    }
    let (map, key) = match code {
        CodePoint::Dscp(key) => (MapName::DscpToTc, key),
        CodePoint::Pcp(key) => (MapName::PcpToTc, key),
    };
    out.report(
        wrong(cx, class, code, format!("priority {wanted}")).remedy(Remedy::MapEntry {
            map,
            key,
            value: carrying,
        }),
    );
    false
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
pub(super) fn number(
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

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let map = cx.port.maps.get(MapName::TcToDscp);
        if !map.applies() {
            return;
        }
        for class in &cx.policy.classes {
            let own = &class.dscp.value;
            if own.is_empty() {
                continue;
            }
            let about = |detail: Detail| detail.class(class).policy(class.dscp.position);
            let Some(entries) = map.value() else {
                out.report(about(
                    Detail::unknown_fact("whether the DSCP is rewritten", map)
                        .at(Field::Map(MapName::TcToDscp)),
                ));
                continue;
            };
            if entries.complete && entries.entries().is_empty() {
                out.pass();
                continue;
            }
            for tc in traffic_classes(cx, class) {
                let rewritten = tc.clone().then(|tc| step(cx.port, MapName::TcToDscp, tc));
                let field = match tc {
                    Step::To(tc) => Field::MapEntry(MapName::TcToDscp, tc),
                    Step::Unmapped | Step::Unknown(_) => Field::Map(MapName::TcToDscp),
                };
                match rewritten {
                    Step::To(dscp) if own.contains(&dscp) => out.pass(),
                    Step::To(dscp) => out.report(about(
                        Detail::fail(format!("the DSCP is rewritten to {dscp} on the way out"))
                            .expected(format!("DSCP {}", compact(own)))
                            .actual(format!("DSCP {dscp}"))
                            .kind(kind_of(cx.port, &field))
                            .at(field),
                    )),
                    Step::Unmapped => out.pass(),
                    Step::Unknown(why) => out.report(about(
                        Detail::unknown(format!("whether the DSCP is rewritten is unknown: {why}"))
                            .at(field),
                    )),
                }
            }
        }
    }
}

/// The traffic classes of a class: of a lossless one the one that it belongs
/// in, of another those of all its code points.
fn traffic_classes(cx: &PortContext<'_>, class: &Class) -> Vec<Step> {
    if class.lossless.value {
        return vec![class_tc(cx.port, DeviceKind::Switch, class)];
    }
    let mut found = Vec::new();
    for code in code_points(cx.port, class) {
        let tc = traffic_class(cx.port, code);
        if !found.contains(&tc) {
            found.push(tc);
        }
    }
    found
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

    fn breaks(&self) -> Option<Breaks> {
        Breaks::INGRESS
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
    let words: &[Trust] = match actual {
        Trust::Dscp => &[Trust::Dscp],
        Trust::Pcp => &[Trust::Pcp],
        Trust::Both => &[Trust::Both, Trust::Dscp, Trust::Pcp],
        Trust::None => &[Trust::None],
    };
    out.judge(wanted.value.judge_any(words) == Judgement::Met, || {
        let detail = Detail::fail(match actual {
            Trust::None => "the port trusts no field of the packet".to_owned(),
            other => format!("the port trusts {other}"),
        })
        .policy(wanted.position)
        .expected(&wanted.value)
        .actual(actual)
        .because(fact)
        .kind(fact.kind())
        .at(Field::Port(PortField::Trust));
        let asks = |trust| wanted.value.judge(&trust) == Judgement::Met;
        match (asks(Trust::Dscp), asks(Trust::Pcp)) {
            (false, false) => detail,
            (dscp, _) => detail.remedy(Remedy::Trust { dscp }),
        }
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
    ($name:ident, $id:literal, $severity:ident, $kind:ident, $unknown:literal, $title:literal, $explain:literal $(, $breaks:expr)?) => {
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

            fn breaks(&self) -> Option<$crate::finding::Breaks> {
                None $(.or($breaks))?
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
     before any buffer is full.",
    Breaks::INGRESS
);

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;
