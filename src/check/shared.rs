//! Other traffic in a lossless class.

use super::map::compact;
use super::pfc::lossless_classes;
use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{
    Step, class_tc, classifying_map, kind_of, paused_queue, pausing_group, step,
};
use crate::model::{CodeMap, Field, MapName};
use crate::policy::{Class, Severity};

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
            explain: "What shares a lossless class shares its pauses and its headroom: TCP in the \
                lossless queue fills it, pauses RDMA, and is paused with it. DSCP 0, the default \
                class or another declared class in there is a fault, be it by the traffic class \
                itself or by another one that uses the same queue or priority group. Code points \
                that nobody uses, as in maps by blocks of eight, are told as information.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, priority) in lossless_classes(cx) {
            let map = classifying_map(cx.port, class);
            let fact = cx.port.maps.get(map);
            match fact.value() {
                Some(entries) => shared(cx, class, priority, map, entries, out),
                None if fact.applies() => out.report(
                    Detail::unknown_fact("which code points share the class", fact)
                        .class(class)
                        .at(Field::Map(map)),
                ),
                None => {}
            }
        }
    }
}

fn shared(
    cx: &PortContext<'_>,
    class: &Class,
    priority: u8,
    map: MapName,
    entries: &CodeMap,
    out: &mut Verdicts,
) {
    let Some(tc) = class_tc(cx.port, cx.device.kind, class).known() else {
        return; // map/dscp tells why
    };
    let (name, last) = match map {
        MapName::PcpToTc => ("802.1p", 7),
        _ => ("DSCP", 63),
    };
    let owner = |key| match owner(cx, class, map, key) {
        Owner::Nobody if key == 0 => Owner::Another,
        owner => owner,
    };
    let others = entries.entries().iter();
    let others = others.filter(|entry| entry.value == tc || joins(cx, tc, entry.value, priority));
    let others = others.map(|entry| entry.key);
    let others: Vec<u8> = others.filter(|key| owner(*key) != Owner::Own).collect();
    let harmful = others.iter().copied();
    let harmful: Vec<u8> = harmful
        .filter(|key| owner(*key) == Owner::Another)
        .collect();
    // Whether a part of the map that is not shown could hold one that harms.
    let mut hidden = (0..=last).filter(|key| entries.get(*key).is_none());
    let hides_harm = !entries.complete && hidden.any(|key| owner(key) == Owner::Another);
    let detail = if !harmful.is_empty() {
        Detail::fail(format!(
            "other traffic shares the lossless class {}: {name} {}",
            class.name.value,
            compact(&harmful)
        ))
    } else if hides_harm {
        return out.report(
            Detail::unknown(
                "the capture shows only a part of the map, so what else shares the class is \
                 unknown",
            )
            .class(class)
            .at(Field::Map(map)),
        );
    } else if others.is_empty() {
        return out.pass();
    } else {
        Detail::fail(format!(
            "code points that no class declares share the lossless class {}: {name} {}",
            class.name.value,
            compact(&others)
        ))
        .severity(Severity::Info)
    };
    let own: Vec<u8> = (0..=last).filter(|key| owner(*key) == Owner::Own).collect();
    let first = harmful.first().or(others.first()).copied();
    let first = Field::MapEntry(map, first.unwrap_or_default());
    out.report(
        detail
            .class(class)
            .expected(format!("only {name} {}", compact(&own)))
            .actual(format!("{name} {}", compact(&others)))
            .kind(kind_of(cx.port, &first))
            .at(first),
    );
}

/// Whether another traffic class of a switch uses the queue of the lossless one
/// that pause frames of the priority stop, or its group that sends them. Where
/// the class itself is led to another, map/queue or map/pg tells that. A NIC's
/// classes share both by design.
fn joins(cx: &PortContext<'_>, tc: u8, other: u8, priority: u8) -> bool {
    let uses = |map, end: Step| {
        let to_end = |tc| matches!(end, Step::To(_)) && step(cx.port, map, tc) == end;
        to_end(tc) && to_end(other)
    };
    !cx.is_host()
        && (uses(MapName::TcToQueue, paused_queue(cx.port, priority))
            || uses(MapName::TcToPg, pausing_group(cx.port, priority)))
}

/// Whose a code point is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The class's, or that of a class for which the policy gives the same
    /// priority: the two are one by intent.
    Own,
    /// Another declared class's.
    Another,
    /// No declared class's.
    Nobody,
}

fn owner(cx: &PortContext<'_>, class: &Class, map: MapName, key: u8) -> Owner {
    let owner = match map {
        MapName::PcpToTc => cx.policy.class_of_pcp(key),
        _ => cx.policy.class_of_dscp(key),
    };
    let Some(owner) = owner else {
        return Owner::Nobody;
    };
    let priority = |class: &Class| class.priority.as_ref().map(|priority| priority.value);
    let same = priority(owner).is_some() && priority(owner) == priority(class);
    if same || owner.name.value == class.name.value {
        Owner::Own
    } else {
        Owner::Another
    }
}
