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
    let (name, own) = match map {
        MapName::PcpToTc => ("802.1p", &class.pcp.value),
        _ => ("DSCP", &class.dscp.value),
    };
    let others = entries.entries().iter();
    let others = others.filter(|entry| !own.contains(&entry.key));
    let others = others.filter(|entry| entry.value == tc || joins(cx, entry.value, priority));
    let others: Vec<u8> = others.map(|entry| entry.key).collect();
    let harmful = others.iter().copied();
    let harmful: Vec<u8> = harmful.filter(|key| harms(cx, class, map, *key)).collect();
    let detail = if !harmful.is_empty() {
        Detail::fail(format!(
            "other traffic shares the lossless class {}: {name} {}",
            class.name.value,
            compact(&harmful)
        ))
    } else if hides_harm(cx, class, map, entries) {
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
    let first = harmful.first().or(others.first()).copied();
    let first = Field::MapEntry(map, first.unwrap_or_default());
    out.report(
        detail
            .class(class)
            .expected(format!("only {name} {}", compact(own)))
            .actual(format!("{name} {}", compact(&others)))
            .kind(kind_of(cx.port, &first))
            .at(first),
    );
}

/// Whether a traffic class of a switch uses the queue that pause frames of the
/// priority stop, or the group that sends them. A NIC's classes share both by
/// design.
fn joins(cx: &PortContext<'_>, tc: u8, priority: u8) -> bool {
    let uses = |map, end: Step| {
        let own = step(cx.port, map, tc).known();
        own.is_some_and(|own| end == Step::To(own))
    };
    !cx.is_host()
        && (uses(MapName::TcToQueue, paused_queue(cx.port, priority))
            || uses(MapName::TcToPg, pausing_group(cx.port, priority)))
}

/// Whether a code point must not share the class: 0, and those of other
/// declared classes. Two classes for which the policy gives the same priority
/// are one by intent.
fn harms(cx: &PortContext<'_>, class: &Class, map: MapName, key: u8) -> bool {
    let owner = match map {
        MapName::PcpToTc => cx.policy.class_of_pcp(key),
        _ => cx.policy.class_of_dscp(key),
    };
    match owner {
        Some(owner) if owner.name.value == class.name.value => false,
        Some(owner) => key == 0 || owner.priority.is_none() || owner.priority != class.priority,
        None => key == 0,
    }
}

/// Whether an incomplete map leaves out a code point that must not share.
fn hides_harm(cx: &PortContext<'_>, class: &Class, map: MapName, entries: &CodeMap) -> bool {
    let last = match map {
        MapName::PcpToTc => 7,
        _ => 63,
    };
    let mut missing = (0..=last).filter(|key| entries.get(*key).is_none());
    !entries.complete && missing.any(|key| harms(cx, class, map, key))
}
