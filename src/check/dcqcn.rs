//! DCQCN: the NIC's congestion control, and the packets that drive it.

use super::pfc::lossless;
use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::finding::Breaks;
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

    fn breaks(&self) -> Option<Breaks> {
        Breaks::CNP
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
                fabrics, so only what the policy names is judged, and fleet/outlier tells the \
                host that differs from most of its role. Where the NIC runs a \
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
                // A parameter that this make of NIC does not have.
                Some((fact, None)) if !fact.is_unknown() => {}
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

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{Told, host, host_port, judged, stated, verdicts_of};
    use crate::model::{Device, DeviceKind, NvParameter, NvValue, Port};

    fn points(rp: u8, np: bool) -> Port {
        host_port(|nic| {
            nic.dcqcn.rp_enabled = stated(Priorities::from_mask(rp));
            nic.dcqcn.np_enabled = stated(np);
        })
    }

    fn with_policy(check: &dyn Check, port: &Port, policy: &str) -> Verdicts {
        let device = Device::new("gpu01", DeviceKind::Host, "test");
        verdicts_of(check, &device, port, policy)
    }

    #[test]
    fn both_points_run_for_the_marked_priority() {
        assert_eq!(host(&Enabled, &points(0b1000, true)), Told::Pass);
        assert_eq!(host(&Enabled, &points(0xff, true)), Told::Pass);
        assert_eq!(host(&Enabled, &points(0b0100, true)), Told::Fail);
        assert_eq!(host(&Enabled, &points(0b1000, false)), Told::Fail);
        assert_eq!(host(&Enabled, &host_port(|_| ())), Told::Unknown);
    }

    #[test]
    fn off_where_the_policy_wants_it_off() {
        const OFF: &str = "version: 1\nclasses: {roce: {dscp: [26], priority: 3, lossless: true}}\n\
             nic: {dcqcn: {enabled: false}}\n";
        let told = |port: &Port| Told::from(&with_policy(&Enabled, port, OFF));
        assert_eq!(told(&points(0, false)), Told::Pass);
        assert_eq!(told(&points(0b1000, false)), Told::Fail);
        // Nothing that is typed to switch it on mends this.
        let verdicts = with_policy(&Enabled, &points(0b1000, true), OFF);
        assert!(verdicts.details.iter().all(|d| d.remedy.is_none()));
    }

    #[test]
    fn without_a_priority_in_the_policy_all_count() {
        const ON: &str = "version: 1\nclasses: {roce: {dscp: [26]}}\n\
             nic: {dcqcn: {enabled: true}}\n";
        let told = |port: &Port| Told::from(&with_policy(&Enabled, port, ON));
        assert_eq!(told(&points(0xff, true)), Told::Pass);
        assert_eq!(told(&points(0, true)), Told::Fail);
    }

    #[test]
    fn programmable_congestion_control_governs_instead() {
        let mut port = points(0, true);
        let on = NvParameter {
            current: stated(NvValue {
                number: Some(1),
                text: "True(1)".to_owned(),
            }),
            ..NvParameter::default()
        };
        let nic = port.nic.as_mut().unwrap();
        nic.nv.insert("USER_PROGRAMMABLE_CC".to_owned(), on);
        let verdicts = judged(&Enabled, DeviceKind::Host, &port);
        assert_eq!(verdicts.details[0].severity, Some(Severity::Info));
    }

    #[test]
    fn only_parameters_that_the_policy_names() {
        // rpg_max_rate: 0 is asked for, rpg_ai_rate: any.
        let of = |name: &str, value: i64| {
            host_port(|nic| {
                nic.dcqcn.params.insert(name.to_owned(), stated(value));
            })
        };
        assert_eq!(host(&Parameters, &of("rpg_max_rate", 0)), Told::Pass);
        assert_eq!(host(&Parameters, &of("rpg_max_rate", 100)), Told::Fail);
        assert_eq!(host(&Parameters, &of("rpg_ai_rate", 5)), Told::Unknown);
    }

    #[test]
    fn marking_of_cnps() {
        let of = |dscp, priority| {
            host_port(|nic| {
                nic.dcqcn.cnp_dscp = stated(dscp);
                nic.dcqcn.cnp_priority = stated(priority);
            })
        };
        assert_eq!(host(&Marking, &of(48, 6)), Told::Pass);
        // What NVIDIA's configuration operator sets.
        assert_eq!(host(&Marking, &of(4, 6)), Told::Fail);
        assert_eq!(host(&Marking, &of(48, 7)), Told::Fail);
        assert_eq!(host(&Marking, &host_port(|_| ())), Told::Unknown);
        let verdicts = judged(&Marking, DeviceKind::Host, &of(4, 6));
        let wanted = Remedy::Cnp {
            dscp: 48,
            priority: Some(6),
        };
        assert_eq!(verdicts.details[0].remedy, Some(wanted));
    }
}
