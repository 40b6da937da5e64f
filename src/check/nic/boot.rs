//! What the next boot brings.

use super::at;
use crate::check::{About, Check, Detail, Judges, Needs, PortContext, Verdicts, pfc};
use crate::model::{self, Fact, Field, Nic, NicField, NvLayer, NvParameter, Priorities};
use crate::platform::Remedy;
use crate::policy::{Expect, Judgement, Position, Severity, Switch};

/// Firmware parameters that decide how RoCE behaves.
fn matters(name: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "ROCE_",
        "CNP_",
        "LINK_TYPE",
        "LLDP_NB",
        "RPG_",
        "DCE_TCP",
        "CLAMP_TGT",
        "RATE_",
        "INITIAL_ALPHA",
        "MIN_TIME_BETWEEN_CNPS",
        "DCBX_",
        "USER_PROGRAMMABLE_CC",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Staged for the next boot.
pub struct Pending;

impl Check for Pending {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/pending",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "No firmware change waits for the next boot",
            explain: "A firmware parameter has a value that runs and one that the next boot \
                brings. Where they differ, the fabric changes at the next reboot, at a time that \
                nobody chose. On ConnectX-4 Lx a warm reboot does not even bring it: only a cold \
                power cycle or a firmware reset does.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = &cx.port.nic else { return };
        let persistent = cx.policy.nic.persistent.as_ref();
        let indifferent = |wanted: &Expect<Switch>| {
            wanted.is_any() || wanted.judge(&Switch::On) != Judgement::Met
        };
        if persistent.is_some_and(|wanted| indifferent(&wanted.value)) {
            return;
        }
        let mut compared = false;
        let mut staged = false;
        for (name, parameter) in nic.nv.iter().filter(|(name, _)| matters(name)) {
            let (Some(current), Some(next)) = (parameter.current.value(), parameter.next.value())
            else {
                continue;
            };
            // `N/A`: the firmware doesn't tell this value.
            if current.text == "N/A" || next.text == "N/A" {
                continue;
            }
            compared = true;
            if current == next {
                continue;
            }
            staged = true;
            let how = activation(nic.model.value().map_or("", String::as_str));
            out.report(
                Detail::fail(format!("{name} is staged: {how}"))
                    .policy(persistence(cx))
                    .expected(&current.text)
                    .actual(format!("{} at the next boot", next.text))
                    .at(Field::Nv(name.clone(), NvLayer::Next)),
            );
        }
        if let (Some(running), Some(stored)) = (nic.firmware.value(), nic.firmware_stored.value()) {
            compared = true;
            if running != stored {
                staged = true;
                out.report(
                    Detail::fail("another firmware is stored than runs")
                        .policy(persistence(cx))
                        .expected(running)
                        .actual(format!("{stored} at the next boot"))
                        .at(at(NicField::FirmwareStored)),
                );
            }
        }
        match (compared, staged) {
            (true, false) => out.pass(),
            (true, true) => {}
            (false, _) => out.report(
                Detail::unknown(
                    "whether a firmware change waits for the next boot is unknown: no capture \
                     holds the current and the next value (mlxconfig -e query, devlink dev info)",
                )
                .policy(persistence(cx)),
            ),
        }
    }
}

/// What brings a staged firmware parameter, as tested by card (Microsoft, Azure
/// Local troubleshooting guide of LLDP and DCBX): only ConnectX-4 Lx ignores a
/// warm reboot. Others, as BlueField, were not tested.
fn activation(model: &str) -> &'static str {
    const WARM: &[&str] = &[
        "connectx5",
        "connectx6",
        "connectx6lx",
        "connectx6dx",
        "connectx7",
    ];
    let plain = model.replace(['-', ' '], "").to_ascii_lowercase();
    if plain.contains("connectx4lx") {
        "a warm reboot does not bring it on this NIC, only a cold power cycle"
    } else if WARM.iter().any(|card| plain.starts_with(card)) {
        "the next boot brings it"
    } else {
        "the next boot brings it, on some cards only a cold power cycle"
    }
}

fn persistence(cx: &PortContext<'_>) -> Position {
    let persistent = cx.policy.nic.persistent.as_ref();
    persistent
        .map(|located| located.position)
        .unwrap_or_default()
}

/// Running only.
pub struct Volatile;

impl Check for Volatile {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/volatile",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "What runs is what the next boot brings",
            explain: "PFC, trust, traffic class and DCQCN settings that were typed are gone after \
                a reboot, a driver reload or a firmware reset, silently, and the fabric fails \
                under the next load. A boot source (firmware parameter, systemd unit, ifupdown or \
                NetworkManager hook or profile, lldpad.conf) that says otherwise than what runs \
                is a fault; where nothing was captured that brings the setting back, that is told \
                as information. A script counts only where something that was captured runs it \
                at boot, and a unit only where it is known to be enabled.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        let wanted = cx.policy.nic.persistent.as_ref();
        let wanted = wanted.filter(|wanted| !wanted.value.is_any());
        let Some(wanted) =
            wanted.filter(|w| w.value.judge(&Switch::from_bool(true)) == Judgement::Met)
        else {
            return;
        };
        let mut known = false;
        let running = [
            ("CNP_DSCP", NicField::CnpDscp, &nic.dcqcn.cnp_dscp),
            (
                "CNP_802P_PRIO",
                NicField::CnpPriority,
                &nic.dcqcn.cnp_priority,
            ),
        ];
        for (parameter, field, fact) in running {
            let Fact::Explicit(value, _) = fact else {
                continue;
            };
            let Some((name, next)) = next_boot(nic, parameter) else {
                continue;
            };
            known = true;
            out.judge(i64::from(*value) == next, || {
                Detail::fail(format!(
                    "{name} runs with {value}, and the next boot brings {next}"
                ))
                .policy(wanted.position)
                .expected(next)
                .actual(value)
                .at(at(field))
                .at(Field::Nv(name.clone(), NvLayer::Next))
                .remedy(Remedy::Firmware {
                    parameter: name.clone(),
                    value: value.to_string(),
                })
            });
        }
        known |= rate_limiter(cx, nic, wanted.position, out);
        known |= brought_back(cx, nic, wanted.position, out);
        if !known {
            out.report(
                Detail::unknown(
                    "what the next boot brings is unknown: no boot source was captured",
                )
                .policy(wanted.position),
            );
        }
    }
}

/// The settings that only run, against what services and files of the host set
/// at boot. Those that nothing captured brings back are told together, as
/// information. True where anything was said.
fn brought_back(cx: &PortContext<'_>, nic: &Nic, policy: Position, out: &mut Verdicts) -> bool {
    let port = cx.port;
    let pfc = port.pfc.enabled.get();
    let dscp = port
        .trust
        .get()
        .filter(|trust| matches!(trust, model::Trust::Dscp | model::Trust::Both));
    let mut lost = Vec::new();
    let mut told = false;
    let mut compare = |what: &'static str,
                       running: Option<(String, bool)>,
                       boot: &dyn model::AnyFact,
                       same: Option<bool>,
                       fields: (Field, NicField)| {
        let Some((running, set)) = running else {
            return;
        };
        told |= set || same.is_some();
        match same {
            Some(true) => out.pass(),
            Some(false) => {
                let brings = boot
                    .json()
                    .map(|value| value.to_string())
                    .unwrap_or_default();
                let brings = brings.trim_matches('"').to_owned();
                out.report(
                    Detail::fail(format!(
                        "{what} runs as {running}, and the next boot brings {brings}"
                    ))
                    .policy(policy)
                    .expected(&brings)
                    .actual(&running)
                    .at(fields.0)
                    .at(at(fields.1)),
                );
            }
            None if !set => {}
            None if boot.at().is_known() => out.report(
                Detail::unknown_fact(&format!("whether {what} comes back after a reboot"), boot)
                    .policy(policy)
                    .at(at(fields.1)),
            ),
            None => lost.push((what, fields.0)),
        }
    };
    let boot = &nic.boot;
    let trusts_dscp =
        |trust: model::Trust| matches!(trust, model::Trust::Dscp | model::Trust::Both);
    compare(
        "PFC",
        pfc.map(|set| (set.to_string(), !set.is_empty())),
        &boot.pfc,
        pfc.zip(boot.pfc.get()).map(|(runs, boots)| runs == boots),
        (Field::Port(model::PortField::PfcEnabled), NicField::BootPfc),
    );
    compare(
        "trust",
        port.trust
            .get()
            .map(|trust| (trust.to_string(), dscp.is_some())),
        &boot.trust,
        // DSCP alone, and DSCP before 802.1p, agree for IP packets.
        port.trust
            .get()
            .zip(boot.trust.get())
            .map(|(runs, boots)| runs == boots || trusts_dscp(runs) && trusts_dscp(boots)),
        (Field::Port(model::PortField::Trust), NicField::BootTrust),
    );
    compare(
        "the traffic class",
        nic.traffic_class
            .get()
            .map(|class| (class.to_string(), true)),
        &boot.traffic_class,
        nic.traffic_class
            .get()
            .zip(boot.traffic_class.get())
            .map(|(runs, boots)| runs == boots),
        (at(NicField::TrafficClass), NicField::BootTrafficClass),
    );
    if !lost.is_empty() {
        let names: Vec<&str> = lost.iter().map(|(name, _)| *name).collect();
        let names = match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.join(""),
        };
        let detail = Detail::fail(format!(
            "nothing that was captured brings {names} back after a reboot"
        ));
        let detail = detail.severity(Severity::Info).policy(policy);
        out.report(
            lost.into_iter()
                .fold(detail, |detail, (_, field)| detail.at(field)),
        );
    }
    told
}

/// The priorities whose rate limiter runs, against the mask of the next boot.
/// Only lossless ones that the boot takes away count: one that does not run now
/// is a matter of dcqcn/enabled. True where both are known.
fn rate_limiter(cx: &PortContext<'_>, nic: &Nic, policy: Position, out: &mut Verdicts) -> bool {
    let Fact::Explicit(running, _) = nic.dcqcn.rp_enabled else {
        return false;
    };
    let Some((name, next)) = next_boot(nic, "ROCE_CC_PRIO_MASK") else {
        return false;
    };
    let Ok(mask) = u8::try_from(next) else {
        return false;
    };
    let lossless = pfc::lossless(cx);
    let running = running.intersection(lossless);
    let next = Priorities::from_mask(mask).intersection(lossless);
    out.judge(running.difference(next).is_empty(), || {
        Detail::fail(format!(
            "the rate limiter runs for priority {running}, and the next boot brings {next} ({name})"
        ))
        .policy(policy)
        .expected(next)
        .actual(running)
        .at(at(NicField::RpEnabled))
        .at(Field::Nv(name.clone(), NvLayer::Next))
    });
    true
}

/// The value that the next boot gives a parameter of this port (`NAME_P1`,
/// `NAME_P2`: the platform keeps those of the port only).
fn next_boot(nic: &Nic, parameter: &str) -> Option<(String, i64)> {
    let of_port = |name: &&String| {
        name.strip_prefix(parameter)
            .is_some_and(|rest| matches!(rest, "" | "_P1" | "_P2"))
    };
    let name = nic.nv.keys().find(of_port)?;
    let parameter: &NvParameter = nic.nv.get(name)?;
    Some((name.clone(), parameter.next.value()?.number?))
}
