//! Priority flow control: the pause that keeps a class lossless.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::model::{DeviceKind, Field, PfcMode, PortField, Priorities};
use crate::platform::Remedy;
use crate::policy::{self, Class, Duration, Judgement, Severity, Switch, Text};

/// The priorities that lossless classes use, as the policy states them.
pub(super) fn lossless(cx: &PortContext<'_>) -> Priorities {
    cx.policy.lossless_priorities().into_iter().collect()
}

/// A lossless class with the priority that it uses.
pub(super) fn lossless_classes<'p>(
    cx: &PortContext<'p>,
) -> impl Iterator<Item = (&'p Class, u8)> + use<'p> {
    let policy = cx.policy;
    policy
        .lossless_classes()
        .filter_map(|class| Some((class, class.priority.as_ref()?.value)))
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

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let pfc = &cx.port.pfc;
        for (class, priority) in lossless_classes(cx) {
            let position = class
                .priority
                .as_ref()
                .map_or(class.name.position, |p| p.position);
            let (Some(tx), Some(rx)) = (pfc.tx.get(), pfc.rx.get()) else {
                let unknown = if pfc.tx.is_known() { &pfc.rx } else { &pfc.tx };
                out.report(
                    Detail::unknown_fact("whether PFC is on", unknown)
                        .class(class)
                        .policy(position)
                        .at(field(PortField::PfcTx)),
                );
                continue;
            };
            let way = match (tx.contains(priority), rx.contains(priority)) {
                (true, true) => {
                    out.pass();
                    continue;
                }
                (false, false) => "PFC is off",
                (false, true) => "PFC obeys pause but sends none",
                (true, false) => "PFC sends pause but obeys none",
            };
            let wanted: Priorities = lossless(cx);
            out.report(
                Detail::fail(format!(
                    "{way} for priority {priority}, the lossless class {}",
                    class.name.value
                ))
                .class(class)
                .policy(position)
                .expected(wanted)
                .actual(tx.intersection(rx))
                .kind(pfc.enabled.kind())
                .at(field(PortField::PfcEnabled))
                .remedy(Remedy::Pfc { priorities: wanted }),
            );
        }
    }
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
        let pfc = &cx.port.pfc;
        let Some(enabled) = pfc.enabled.get() else {
            out.report(
                Detail::unknown_fact("which priorities have PFC", &pfc.enabled)
                    .at(field(PortField::PfcEnabled)),
            );
            return;
        };
        let wanted = lossless(cx);
        let extra = enabled.difference(wanted);
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
        let as_policy = match actual {
            PfcMode::On => policy::PfcMode::On,
            PfcMode::Auto => policy::PfcMode::Auto,
            PfcMode::Off => policy::PfcMode::Off,
        };
        out.judge(wanted.value.judge(&as_policy) == Judgement::Met, || {
            let what = match actual {
                PfcMode::Auto => "PFC is negotiated with the peer: in force only while both agree",
                PfcMode::On => "PFC is static",
                PfcMode::Off => "PFC is off",
            };
            Detail::fail(what)
                .policy(wanted.position)
                .expected(&wanted.value)
                .actual(actual)
                .kind(mode.kind())
                .at(field(PortField::PfcMode))
                .remedy(Remedy::PfcMode)
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
        let mut wrong = Vec::new();
        for (way, fact, name) in ways {
            match fact.get() {
                Some(on) => {
                    if wanted.value.judge(&Switch::from_bool(on)) != Judgement::Met {
                        wrong.push((way, fact, name));
                    }
                }
                None if fact.is_unknown() => {
                    out.report(
                        Detail::unknown_fact(&format!("whether link pause is {way}"), fact)
                            .policy(wanted.position)
                            .at(field(name)),
                    );
                    return;
                }
                None => return,
            }
        }
        let Some((_, fact, name)) = wrong.first() else {
            return out.pass();
        };
        let ways: Vec<&str> = wrong.iter().map(|(way, ..)| *way).collect();
        let state = if fact.get() == Some(true) {
            "on"
        } else {
            "off"
        };
        out.report(
            Detail::fail(format!(
                "link pause (802.3x) is {state}, {}",
                ways.join(" and ")
            ))
            .policy(wanted.position)
            .expected(&wanted.value)
            .actual(state)
            .kind(fact.kind())
            .at(field(*name))
            .remedy(Remedy::LinkPauseOff),
        );
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
        let Some(_) = &cx.policy.pfc.watchdog else {
            return;
        };
        let watchdog = &cx.port.pfc.watchdog;
        let wanted = lossless(cx);
        if wanted.is_empty() {
            return;
        }
        if let Some(stormed) = watchdog.stormed.get().filter(|set| !set.is_empty()) {
            out.report(
                Detail::fail(format!(
                    "the watchdog holds the queues of {stormed} stopped by a storm at this moment"
                ))
                .actual(stormed)
                .severity(Severity::High)
                .at(field(PortField::WatchdogStormed)),
            );
        }
        self.running(cx, wanted, out);
    }
}

impl Watchdog {
    fn running(&self, cx: &PortContext<'_>, wanted: Priorities, out: &mut Verdicts) {
        let watchdog = &cx.port.pfc.watchdog;
        let Some(policy) = &cx.policy.pfc.watchdog else {
            return;
        };
        let position = (policy.detection.as_ref())
            .map(|located| located.position)
            .unwrap_or_default();
        let remedy = Remedy::Watchdog {
            priorities: wanted,
            detection_ms: 200,
            restoration_ms: 200,
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
            None => out.report(
                Detail::unknown_fact("the watchdog's action", &watchdog.action)
                    .policy(wanted.position)
                    .at(field(PortField::WatchdogAction)),
            ),
        }
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
            let configured = pfc.enabled.get().is_none_or(|set| set.contains(priority));
            if !configured {
                continue; // pfc/missing tells it
            }
            out.judge(operational.contains(priority), || {
                Detail::fail(format!(
                    "PFC is configured for priority {priority} but not in force"
                ))
                .class(class)
                .expected(lossless(cx))
                .actual(operational)
                .kind(pfc.operational.kind())
                .at(field(PortField::PfcOperational))
            });
        }
    }
}
