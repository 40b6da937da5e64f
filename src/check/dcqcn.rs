//! DCQCN: the NIC's congestion control, and the packets that drive it.

use super::pfc::lossless;
use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::model::{Field, Nic, NicField, Priorities};
use crate::platform::Remedy;
use crate::policy::{Judgement, Number, Severity, Switch};

/// On or off.
pub struct Enabled;

impl Check for Enabled {
    fn about(&self) -> &'static About {
        &About {
            id: "dcqcn/enabled",
            severity: Severity::Medium,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "DCQCN runs as the policy says, as sender and as receiver",
            explain: "The receiver answers a marked packet with a CNP (notification point), and \
                the sender slows down (reaction point). With one of them off, marks have no \
                effect and PFC has to stop the sender every time. The notification point is \
                port-wide although the driver shows it by priority; the reaction point is by \
                priority.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = &cx.port.nic else { return };
        let dcqcn = cx.policy.nic.dcqcn.as_ref();
        let Some(wanted) = dcqcn.and_then(|dcqcn| dcqcn.enabled.as_ref()) else {
            return;
        };
        if wanted.value.is_any() {
            return;
        }
        let on = wanted.value.judge(&Switch::from_bool(true)) == Judgement::Met;
        let needed = marked(cx);
        let rp = &nic.dcqcn.rp_enabled;
        let rp_field = Field::Nic(NicField::RpEnabled);
        match rp.get() {
            Some(enabled) => {
                let wrong = if on {
                    needed.difference(enabled)
                } else {
                    needed.intersection(enabled)
                };
                out.judge(wrong.is_empty(), || {
                    let state = if on { "off" } else { "on" };
                    let expected = if on {
                        needed.to_string()
                    } else {
                        "off".to_owned()
                    };
                    let detail = Detail::fail(format!(
                        "the rate limiter (reaction point) is {state} for priority {wrong}"
                    ))
                    .policy(wanted.position)
                    .expected(expected)
                    .actual(enabled)
                    .kind(rp.kind())
                    .at(rp_field);
                    let detail = if programmable(nic) {
                        detail.severity(Severity::Info)
                    } else {
                        detail
                    };
                    mended(detail, on, needed)
                });
            }
            None => out.report(
                Detail::unknown_fact("whether the rate limiter (reaction point) runs", rp)
                    .policy(wanted.position)
                    .at(rp_field),
            ),
        }
        let np = &nic.dcqcn.np_enabled;
        let np_field = Field::Nic(NicField::NpEnabled);
        match np.get() {
            Some(enabled) => out.judge(enabled == on, || {
                let state = if enabled { "on" } else { "off" };
                let detail =
                    Detail::fail(format!("sending of CNPs (notification point) is {state}"))
                        .policy(wanted.position)
                        .expected(if on { "on" } else { "off" })
                        .actual(state)
                        .kind(np.kind())
                        .at(np_field);
                mended(detail, on, needed)
            }),
            None => out.report(
                Detail::unknown_fact("whether CNPs are sent (notification point)", np)
                    .policy(wanted.position)
                    .at(np_field),
            ),
        }
    }
}

/// The priorities that DCQCN has to govern: those of the classes that are
/// marked, else of the lossless ones, else all.
fn marked(cx: &PortContext<'_>) -> Priorities {
    let marked = cx.policy.classes.iter().filter(|class| class.ecn.is_some());
    let marked: Priorities = marked
        .filter_map(|class| Some(class.priority.as_ref()?.value))
        .collect();
    if !marked.is_empty() {
        return marked;
    }
    let lossless = lossless(cx);
    if !lossless.is_empty() {
        return lossless;
    }
    Priorities::from_mask(u8::MAX)
}

/// The remedy switches DCQCN on; off is nothing that a fault asks for.
fn mended(detail: Detail, on: bool, priorities: Priorities) -> Detail {
    if on {
        detail.remedy(Remedy::Dcqcn { priorities })
    } else {
        detail
    }
}

/// Parameters.
pub struct Parameters;

impl Check for Parameters {
    fn about(&self) -> &'static About {
        &About {
            id: "dcqcn/params",
            severity: Severity::Medium,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "DCQCN parameters are as the policy says",
            explain: "Hosts with different parameters share a congested link unfairly; a small \
                maximum rate is a silent throttle. No vendor endorses one set of values for all \
                fabrics, so only what the policy names is judged. Where the NIC runs a \
                programmable congestion control these parameters do not govern.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = &cx.port.nic else { return };
        let dcqcn = cx.policy.nic.dcqcn.as_ref();
        let params = dcqcn.and_then(|dcqcn| dcqcn.params.as_ref());
        for (name, wanted) in params.into_iter().flat_map(|params| params.iter()) {
            if wanted.value.is_any() {
                continue;
            }
            let field = Field::DcqcnParameter(name.value.clone());
            let fact = nic.dcqcn.params.get(&name.value);
            match fact.map(|fact| (fact, fact.get())) {
                Some((fact, Some(actual))) => {
                    let met = wanted.value.judge(&Number(actual as f64)) == Judgement::Met;
                    out.judge(met, || {
                        let programmable = programmable(nic);
                        let detail = Detail::fail(format!("{} is {actual}", name.value))
                            .policy(wanted.position)
                            .expected(&wanted.value)
                            .actual(actual)
                            .kind(fact.kind())
                            .at(field);
                        if programmable {
                            detail.severity(Severity::Info)
                        } else {
                            detail
                        }
                    });
                }
                Some((fact, None)) => out.report(
                    Detail::unknown_fact(&name.value, fact)
                        .policy(wanted.position)
                        .at(field),
                ),
                None => out.report(
                    Detail::unknown(format!("{} is unknown: no capture holds it", name.value))
                        .policy(wanted.position)
                        .at(field),
                ),
            }
        }
    }
}

/// Whether a programmable congestion control runs instead of DCQCN.
fn programmable(nic: &Nic) -> bool {
    let mut parameters = nic.nv.iter();
    parameters.any(|(name, parameter)| {
        let current = parameter.current.value().and_then(|value| value.number);
        name.starts_with("USER_PROGRAMMABLE_CC") && current == Some(1)
    })
}

/// Marking of CNPs.
pub struct Marking;

impl Check for Marking {
    fn about(&self) -> &'static About {
        &About {
            id: "cnp/marking",
            severity: Severity::Medium,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "CNPs are sent with the DSCP and priority of the CNP class",
            explain: "A CNP with another DSCP than the fabric expects waits in the default class \
                behind the congestion that it reports, or in the lossless class, where pause \
                stops it. Vendors' defaults are DSCP 48 and priority 6; operators' tools set \
                others.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = &cx.port.nic else { return };
        let Some(class) = cx.policy.cnp_class() else {
            return;
        };
        let remedy = || Remedy::Cnp {
            dscp: class.dscp.value.first().copied().unwrap_or_default(),
            priority: class.priority.as_ref().map(|priority| priority.value),
        };
        if !class.dscp.value.is_empty() {
            let fact = &nic.dcqcn.cnp_dscp;
            let field = Field::Nic(NicField::CnpDscp);
            match fact.get() {
                Some(dscp) => out.judge(class.dscp.value.contains(&dscp), || {
                    Detail::fail(format!("CNPs are sent with DSCP {dscp}"))
                        .class(class)
                        .policy(class.dscp.position)
                        .expected(format!("DSCP {}", super::map::compact(&class.dscp.value)))
                        .actual(format!("DSCP {dscp}"))
                        .kind(fact.kind())
                        .at(field)
                        .remedy(remedy())
                }),
                None => out.report(
                    Detail::unknown_fact("the DSCP of CNPs", fact)
                        .class(class)
                        .policy(class.dscp.position)
                        .at(field),
                ),
            }
        }
        let Some(wanted) = &class.priority else {
            return;
        };
        let fact = &nic.dcqcn.cnp_priority;
        let field = Field::Nic(NicField::CnpPriority);
        match fact.get() {
            Some(priority) => out.judge(priority == wanted.value, || {
                Detail::fail(format!("CNPs are sent with priority {priority}"))
                    .class(class)
                    .policy(wanted.position)
                    .expected(format!("priority {}", wanted.value))
                    .actual(format!("priority {priority}"))
                    .kind(fact.kind())
                    .at(field)
                    .remedy(remedy())
            }),
            None if fact.is_unknown() => out.report(
                Detail::unknown_fact("the priority of CNPs", fact)
                    .class(class)
                    .policy(wanted.position)
                    .at(field),
            ),
            None => {}
        }
    }
}
