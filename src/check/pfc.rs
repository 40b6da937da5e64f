//! Priority flow control: the pause that keeps a class lossless.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_priority, code_points};
use crate::finding::{Breaks, Way};
use crate::model::{DeviceKind, Fact, Field, PfcMode, PortField, Priorities};
use crate::platform::Remedy;
use crate::policy::{self, Class, Duration, Expect, Judgement, Located, Severity, Switch, Text};

/// The priorities that lossless classes use on this port.
pub(super) fn lossless(cx: &PortContext<'_>) -> Priorities {
    lossless_classes(cx).map(|(_, priority)| priority).collect()
}

/// A lossless class with the priority that it uses: the policy's, else the one
/// that the port's own maps lead to. Where they lead nowhere known, pfc/missing
/// or map/dscp tells it.
pub(super) fn lossless_classes<'p>(
    cx: &PortContext<'p>,
) -> impl Iterator<Item = (&'p Class, u8)> + use<'p> {
    let (port, kind, policy) = (cx.port, cx.device.kind, cx.policy);
    policy
        .lossless_classes()
        .filter_map(move |class| Some((class, class_priority(port, kind, class).known()?)))
}

fn field(field: PortField) -> Field {
    Field::Port(field)
}

/// PFC off for a lossless class.
pub struct Missing;

impl Check for Missing {
    fn about(&self) -> &'static About {
        &About {
            id: "pfc/missing",
            severity: Severity::Critical,
            needs: Needs::Config,
            judges: Judges::All,
            title: "PFC is on for every lossless class, in both directions",
            explain: "A port keeps a class lossless by two halves of PFC: it sends pause frames \
                when its own buffer fills, and it obeys those that it receives. Where one half \
                is off, the first burst that fills a buffer drops packets, and RDMA goes back to \
                the last acknowledged packet. Both ends of each cable need it, host ports and \
                links between switches alike. It is no fault only where the class is not meant \
                to be lossless: say so in the policy (lossless: false).",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::BOTH
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for class in cx.policy.lossless_classes() {
            match class_priority(cx.port, cx.device.kind, class) {
                Step::To(priority) => missing(cx, class, priority, out),
                Step::Unmapped => {} // map/dscp tells it
                Step::Unknown(why) => out.report(
                    Detail::unknown(format!(
                        "the policy gives no priority for the class {}, and where its code \
                         points lead is unknown: {why}",
                        class.name.value
                    ))
                    .class(class)
                    .at(match code_points(cx.port, class).first() {
                        Some(code) => code.field(),
                        None => field(PortField::PfcEnabled),
                    }),
                ),
            }
        }
    }
}

fn missing(cx: &PortContext<'_>, class: &Class, priority: u8, out: &mut Verdicts) {
    let position = class.priority.as_ref().map(|priority| priority.position);
    let position = position.unwrap_or(class.name.position);
    let ways = [
        (&cx.port.pfc.tx, PortField::PfcTx),
        (&cx.port.pfc.rx, PortField::PfcRx),
    ];
    let on = ways.map(|(fact, _)| fact.get().map(|set| set.contains(priority)));
    let way = match on {
        [Some(true), Some(true)] => return out.pass(),
        [Some(false), Some(true)] => "PFC obeys pause but sends none",
        [Some(true), Some(false)] => "PFC sends pause but obeys none",
        [Some(false), Some(false)] => "PFC is off",
        [Some(false), None] => "PFC sends no pause",
        [None, Some(false)] => "PFC obeys no pause",
        [None, _] | [_, None] => {
            let unknown = ways.into_iter().find(|(fact, _)| !fact.is_known());
            let (fact, name) = unknown.unwrap_or(ways[0]);
            return out.report(
                Detail::unknown_fact("whether PFC is on", fact)
                    .class(class)
                    .policy(position)
                    .at(field(name)),
            );
        }
    };
    let off = on.iter().position(|on| *on == Some(false));
    let (fact, name) = ways[off.unwrap_or_default()];
    // Sending pause protects what arrives, obeying it what leaves.
    let breaks = match on {
        [Some(false), Some(true)] => Way::Ingress,
        [Some(true), Some(false)] => Way::Egress,
        _ => Way::Both,
    };
    let wanted = lossless(cx);
    let both = ways.map(|(fact, _)| fact.get().unwrap_or(wanted));
    out.report(
        Detail::fail(format!(
            "{way} for priority {priority}, the lossless class {}",
            class.name.value
        ))
        .class(class)
        .policy(position)
        .expected(wanted)
        .actual(both[0].intersection(both[1]))
        .kind(fact.kind())
        .at(field(name))
        .way(breaks)
        .remedy(Remedy::Pfc { priorities: wanted }),
    );
}

/// PFC on for a priority that no lossless class uses.
pub struct Extra;

impl Check for Extra {
    fn about(&self) -> &'static About {
        &About {
            id: "pfc/extra",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::All,
            title: "PFC is on for no priority but those of lossless classes",
            explain: "A priority with PFC takes headroom from the shared buffer and can be \
                stopped by a single slow receiver, for all traffic that shares it. More lossless \
                priorities than are used mean less buffer for those that are, and more ways into \
                a pause storm. It is no fault where another tenant uses the priority: declare \
                that class in the policy.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        if cx.policy.classes.is_empty() {
            return; // a policy without classes asks nothing of them
        }
        let pfc = &cx.port.pfc;
        let Some(enabled) = pfc.enabled.get() else {
            out.report(
                Detail::unknown_fact("which priorities have PFC", &pfc.enabled)
                    .at(field(PortField::PfcEnabled)),
            );
            return;
        };
        // Sending pause takes headroom although nobody obeys it.
        let sent = pfc.tx.get().unwrap_or_default();
        let enabled = Priorities::from_mask(enabled.mask() | sent.mask());
        let wanted = lossless(cx);
        let extra = enabled.difference(wanted);
        let lost = cx.policy.lossless_classes().count() > lossless_classes(cx).count();
        if lost && !extra.is_empty() {
            return out.report(
                Detail::unknown(format!(
                    "PFC is on for {extra}; whether a lossless class uses it is unknown: the \
                     policy gives no priority for one"
                ))
                .at(field(PortField::PfcEnabled)),
            );
        }
        out.judge(extra.is_empty(), || {
            let position = cx.policy.lossless_classes().next();
            Detail::fail(format!(
                "PFC is on for {extra}, which no lossless class uses"
            ))
            .expected(wanted)
            .actual(enabled)
            .kind(pfc.enabled.kind())
            .policy(
                position
                    .map(|class| class.name.position)
                    .unwrap_or_default(),
            )
            .at(field(PortField::PfcEnabled))
            .remedy(Remedy::Pfc { priorities: wanted })
        });
    }
}

/// Static or negotiated PFC.
pub struct Mode;

impl Check for Mode {
    fn about(&self) -> &'static About {
        &About {
            id: "pfc/mode",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::All,
            title: "PFC is static or negotiated as the policy says",
            explain: "With negotiation (DCBX) PFC is in force only while both ends agree. A peer \
                that does not speak DCBX, two LLDP agents on one host port, or a firmware agent \
                that answers for the operating system, and PFC is silently off. Static mode does \
                not depend on the peer.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(wanted) = &cx.policy.pfc.mode else {
            return;
        };
        let mode = &cx.port.pfc.mode;
        let Some(actual) = mode.get() else {
            if mode.is_unknown() {
                out.report(
                    Detail::unknown_fact("whether PFC is static or negotiated", mode)
                        .policy(wanted.position)
                        .at(field(PortField::PfcMode)),
                );
            }
            return;
        };
        // PFC that is off altogether is pfc/missing, told once.
        if actual == PfcMode::Off && cx.port.pfc.enabled.get() == Some(Priorities::NONE) {
            return;
        }
        out.judge(wanted.value.judge(&actual) == Judgement::Met, || {
            let what = match actual {
                PfcMode::Auto => "PFC is negotiated with the peer: in force only while both agree",
                PfcMode::On => "PFC is static",
                PfcMode::Off => "PFC is off",
            };
            let detail = Detail::fail(what)
                .policy(wanted.position)
                .expected(&wanted.value)
                .actual(actual)
                .kind(mode.kind())
                .at(field(PortField::PfcMode));
            match wanted.value.judge(&PfcMode::On) {
                Judgement::Met => detail.remedy(Remedy::PfcMode),
                _ => detail,
            }
        });
    }
}

/// 802.3x pause.
pub struct LinkPause;

impl Check for LinkPause {
    fn about(&self) -> &'static About {
        &About {
            id: "pfc/link-pause",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::All,
            title: "Link pause (802.3x) is as the policy says",
            explain: "Link-level pause stops all traffic of a port, not one class, and most \
                hardware cannot run it beside PFC: where it is on, PFC is off or undefined. A \
                400G port has been seen paused a fifth of the time with no drop counted \
                anywhere.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(wanted) = &cx.policy.pfc.link_pause else {
            return;
        };
        let pause = &cx.port.link_pause;
        let ways = [
            ("received", &pause.rx, PortField::LinkPauseRx),
            ("sent", &pause.tx, PortField::LinkPauseTx),
        ];
        let as_asked = |fact: &Fact<bool>| {
            let on = Switch::from_bool(fact.get()?);
            Some(wanted.value.judge(&on) == Judgement::Met)
        };
        let wrong: Vec<_> = ways
            .iter()
            .filter(|(_, fact, _)| as_asked(fact) == Some(false))
            .collect();
        if let Some((_, fact, _)) = wrong.first() {
            let state = match fact.get() {
                Some(true) => "on",
                _ => "off",
            };
            let words: Vec<&str> = wrong.iter().map(|(way, ..)| *way).collect();
            let mut detail = Detail::fail(format!(
                "link pause (802.3x) is {state}, {}",
                words.join(" and ")
            ))
            .policy(wanted.position)
            .expected(&wanted.value)
            .actual(state)
            .kind(fact.kind());
            for (.., name) in &wrong {
                detail = detail.at(field(*name));
            }
            return out.report(match wanted.value.judge(&Switch::Off) {
                Judgement::Met => detail.remedy(Remedy::LinkPauseOff),
                _ => detail,
            });
        }
        match ways.iter().find(|(_, fact, _)| fact.is_unknown()) {
            Some((way, fact, name)) => out.report(
                Detail::unknown_fact(&format!("whether link pause is {way}"), *fact)
                    .policy(wanted.position)
                    .at(field(*name)),
            ),
            None if ways.iter().any(|(_, fact, _)| fact.is_known()) => out.pass(),
            None => {} // does not apply here
        }
    }
}

/// The watchdog on paused queues.
pub struct Watchdog;

impl Check for Watchdog {
    fn about(&self) -> &'static About {
        &About {
            id: "pfc/watchdog",
            severity: Severity::Medium,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The PFC watchdog guards every lossless priority",
            explain: "A NIC that never stops sending pause, or a cycle of paused links, stops a \
                lossless queue for good, and the stop spreads from switch to switch. The \
                watchdog ends it by dropping what waits in the stuck queue. Without it one \
                broken host can halt the fabric. A queue that it has stopped right now is told \
                at once.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let watchdog = &cx.port.pfc.watchdog;
        // A state, not a setting: told whatever the policy asks.
        if let Some(stormed) = watchdog.stormed.get().filter(|set| !set.is_empty()) {
            out.report(
                Detail::fail(format!(
                    "the watchdog holds the queues of {stormed} stopped by a storm at this moment"
                ))
                .expected(Priorities::NONE)
                .actual(stormed)
                .kind(watchdog.stormed.kind())
                .at(field(PortField::WatchdogStormed)),
            );
        }
        let wanted = lossless(cx);
        if let (Some(policy), false) = (&cx.policy.pfc.watchdog, wanted.is_empty()) {
            watchdog_runs(cx, policy, wanted, out);
        }
    }
}

/// Whether it runs, on which priorities, and with which times and action.
fn watchdog_runs(
    cx: &PortContext<'_>,
    policy: &policy::Watchdog,
    wanted: Priorities,
    out: &mut Verdicts,
) {
    let watchdog = &cx.port.pfc.watchdog;
    let positions = [
        policy.detection.as_ref().map(|asked| asked.position),
        policy.restoration.as_ref().map(|asked| asked.position),
        policy.action.as_ref().map(|asked| asked.position),
    ];
    let position = positions.into_iter().flatten().next().unwrap_or_default();
    // 200 ms is what SONiC's `pfcwd start_default` sets on up to 32 ports.
    let time = |asked: &Option<Located<Expect<Duration>>>| {
        let exact = asked.as_ref().and_then(|asked| asked.value.exact());
        exact.map_or(200, |Duration(ms)| *ms as u32)
    };
    let remedy = Remedy::Watchdog {
        priorities: wanted,
        detection_ms: time(&policy.detection),
        restoration_ms: time(&policy.restoration),
    };
    match (watchdog.enabled.get(), watchdog.priorities.get()) {
        (Some(false), _) => {
            out.report(
                Detail::fail("the PFC watchdog does not run")
                    .policy(position)
                    .expected("on")
                    .actual("off")
                    .because(&watchdog.enabled)
                    .kind(watchdog.enabled.kind())
                    .at(field(PortField::WatchdogEnabled))
                    .remedy(remedy),
            );
            return;
        }
        (None, _) if watchdog.enabled.is_unknown() => {
            out.report(
                Detail::unknown_fact("whether the PFC watchdog runs", &watchdog.enabled)
                    .policy(position)
                    .at(field(PortField::WatchdogEnabled)),
            );
            return;
        }
        (None, _) => return,
        (Some(true), Some(guarded)) if !wanted.difference(guarded).is_empty() => {
            out.report(
                Detail::fail(format!(
                    "the PFC watchdog does not guard priority {}",
                    wanted.difference(guarded)
                ))
                .policy(position)
                .expected(wanted)
                .actual(guarded)
                .kind(watchdog.priorities.kind())
                .at(field(PortField::WatchdogPriorities))
                .remedy(remedy),
            );
            return;
        }
        (Some(true), None) if watchdog.priorities.is_unknown() => {
            out.report(
                Detail::unknown_fact("which priorities it guards", &watchdog.priorities)
                    .policy(position)
                    .at(field(PortField::WatchdogPriorities)),
            );
            return;
        }
        (Some(true), _) => out.pass(),
    }
    let times = [
        (
            "detection time",
            &policy.detection,
            &watchdog.detection_ms,
            PortField::WatchdogDetection,
        ),
        (
            "restoration time",
            &policy.restoration,
            &watchdog.restoration_ms,
            PortField::WatchdogRestoration,
        ),
    ];
    for (name, wanted, fact, place) in times {
        let Some(wanted) = wanted.as_ref().filter(|wanted| !wanted.value.is_any()) else {
            continue;
        };
        match fact.get() {
            Some(ms) => out.judge(
                wanted.value.judge(&Duration(f64::from(ms))) == Judgement::Met,
                || {
                    Detail::fail(format!("the watchdog's {name} is {ms} ms"))
                        .policy(wanted.position)
                        .expected(&wanted.value)
                        .actual(format!("{ms}ms"))
                        .kind(fact.kind())
                        .at(field(place))
                        .remedy(remedy.clone())
                },
            ),
            None if fact.is_unknown() => out.report(
                Detail::unknown_fact(&format!("the watchdog's {name}"), fact)
                    .policy(wanted.position)
                    .at(field(place)),
            ),
            None => {}
        }
    }
    let Some(wanted) = policy.action.as_ref().filter(|a| !a.value.is_any()) else {
        return;
    };
    match watchdog.action.value() {
        Some(action) => {
            let met = wanted.value.judge(&Text::actual(action.as_str())) == Judgement::Met;
            out.judge(met, || {
                Detail::fail("the watchdog acts otherwise than asked")
                    .policy(wanted.position)
                    .expected(&wanted.value)
                    .actual(action)
                    .kind(watchdog.action.kind())
                    .at(field(PortField::WatchdogAction))
            });
        }
        None if watchdog.action.is_unknown() => out.report(
            Detail::unknown_fact("the watchdog's action", &watchdog.action)
                .policy(wanted.position)
                .at(field(PortField::WatchdogAction)),
        ),
        None => {}
    }
}

/// Configured but not in force.
pub struct Operational;

impl Check for Operational {
    fn about(&self) -> &'static About {
        &About {
            id: "pfc/operational",
            severity: Severity::Critical,
            needs: Needs::Config,
            judges: Judges::All,
            title: "PFC that is configured is in force",
            explain: "Configuration is a wish. Negotiation that failed, a port that came up \
                before its maps, or a NIC that forgot, and PFC is configured and not in force. \
                Only an operational capture tells (a switch's PFC table, the counters that a NIC \
                keeps only while PFC is on). Where PFC is static and nothing operational was \
                captured this check says nothing.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::BOTH
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let pfc = &cx.port.pfc;
        let Some(operational) = pfc.operational.get() else {
            if pfc.mode.get() == Some(PfcMode::Auto) && cx.device.kind == DeviceKind::Switch {
                out.report(
                    Detail::unknown(
                        "PFC is negotiated, and no capture tells whether it is in force",
                    )
                    .at(field(PortField::PfcMode)),
                );
            }
            return;
        };
        for (class, priority) in lossless_classes(cx) {
            let configured = pfc.enabled.get().map(|set| set.contains(priority));
            if configured == Some(false) {
                continue; // pfc/missing tells it
            }
            out.judge(operational.contains(priority), || {
                Detail::fail(match configured {
                    Some(_) => {
                        format!("PFC is configured for priority {priority} but not in force")
                    }
                    None => format!("PFC is not in force for priority {priority}"),
                })
                .class(class)
                .expected(lossless(cx))
                .actual(operational)
                .kind(pfc.operational.kind())
                .at(field(PortField::PfcOperational))
            });
        }
    }
}

#[cfg(test)]
#[path = "pfc_tests.rs"]
mod tests;
