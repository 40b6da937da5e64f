//! The NIC: trust, marking, addresses, and what survives a reboot.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::finding::Breaks;
use crate::model::{
    self, Dcbx, Fact, Field, GidType, LinkType, Nic, NicField, NvLayer, NvParameter, Priorities,
};
use crate::platform::Remedy;
use crate::policy::{Class, Expect, Judgement, Position, Severity, Switch};
use std::net::Ipv6Addr;

fn at(field: NicField) -> Field {
    Field::Nic(field)
}

/// Trust of the NIC.
pub struct Trust;

impl Check for Trust {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/trust",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "The NIC classifies by the field that the policy names",
            explain: "A NIC that trusts the VLAN priority puts every untagged RoCE packet in \
                priority 0, where PFC is off: its pause never stops, and its buffers for the \
                lossless priority stay empty. Trust is volatile on most drivers: a reboot or a \
                driver reload brings the factory state back.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::BOTH
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        super::map::trust(cx, out);
    }
}

/// Marking of RDMA traffic.
pub struct Tos;

impl Check for Tos {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/tos",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "RDMA traffic is marked with the DSCP of a lossless class",
            explain: "A queue pair that is not told otherwise sends DSCP 0, into the default \
                class. The whole device can be forced to a traffic class, rdma_cm has a default \
                of its own, and applications set theirs (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS). The \
                DSCP is the traffic class shifted right by two; the two low bits are ECN: 01 and \
                10 say that the sender understands marks, 11 says that congestion was met and \
                must never be sent.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        // Without lossless classes any declared class will do.
        let lossless = cx.policy.lossless_classes().next().is_some();
        let mut classes = cx.policy.classes.iter();
        let Some(class) = classes
            .find(|c| !c.dscp.value.is_empty() && !c.cnp.value && (c.lossless.value || !lossless))
        else {
            return;
        };
        let wanted = super::map::compact(&class.dscp.value);
        let Some(dscp) = nic.tos_dscp.get() else {
            out.report(
                Detail::unknown_fact("the DSCP of RDMA traffic", &nic.tos_dscp)
                    .class(class)
                    .policy(class.dscp.position)
                    .at(at(NicField::TosDscp)),
            );
            return;
        };
        let declared = cx.policy.class_of_dscp(dscp);
        let right = |class: &&Class| !class.cnp.value && (class.lossless.value || !lossless);
        let Some(declared) = declared.filter(right) else {
            let traffic_class = class.dscp.value.first().map_or(0, |dscp| dscp << 2 | 0b10);
            out.report(
                Detail::fail(format!("RDMA traffic leaves with DSCP {dscp}"))
                    .class(class)
                    .policy(class.dscp.position)
                    .expected(format!("DSCP {wanted}"))
                    .actual(format!("DSCP {dscp}"))
                    .kind(nic.tos_dscp.kind())
                    .at(at(NicField::TosDscp))
                    .remedy(Remedy::TrafficClass { traffic_class }),
            );
            return;
        };
        // As with the DSCP, what is forced comes before rdma_cm's default.
        let (tos, field) = match nic.traffic_class.get() {
            Some(forced) => (Some(forced), NicField::TrafficClass),
            None => (nic.rdma_cm_tos.get(), NicField::RdmaCmTos),
        };
        match tos.map(|tos| tos & 0b11) {
            Some(0b11) => out.report(
                Detail::fail("RDMA traffic leaves already marked as congested (ECN bits 11)")
                    .class(class)
                    .policy(class.dscp.position)
                    .expected("ECN bits 01 or 10")
                    .actual("11")
                    .at(at(field)),
            ),
            Some(0b01 | 0b10) => out.pass(),
            _ if declared.ecn.is_none() => out.pass(), // nothing marks this class
            // No NIC is known to be documented as setting ECT by itself. mlx5
            // passes the firmware only the DSCP of a RoCE v2 path (Linux,
            // mlx5_set_path), and what the firmware makes of the rest is not told.
            _ => out.report(
                Detail::unknown(
                    "whether the NIC sets the ECN bits by itself is unknown: the traffic class \
                     does not set them",
                )
                .class(class)
                .policy(class.dscp.position)
                .at(at(field)),
            ),
        }
    }
}

/// GIDs.
pub struct Gid;

impl Check for Gid {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/gid",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "The NIC has a routable RoCE v2 address (GID)",
            explain: "A queue pair is bound to a row of the GID table. RoCE v1 rows and \
                link-local ones do not cross a router: connections across leaves time out while \
                those within one leaf work. Choose the row by its content, not by its index: the \
                index moves when a link flaps or an address changes.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::BOTH
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        let Some(wanted) = cx.policy.nic.gid.as_ref().filter(|gid| !gid.value.is_any()) else {
            return;
        };
        let Some(gids) = nic.gids.value() else {
            out.report(
                Detail::unknown_fact("the GID table", &nic.gids)
                    .policy(wanted.position)
                    .at(at(NicField::Gids)),
            );
            return;
        };
        let v2 = |gid: &model::Gid| gid.kind == Some(GidType::RoceV2);
        if gids.iter().any(|gid| v2(gid) && is_routable(gid)) {
            return out.pass();
        }
        let unclear = gids
            .iter()
            .any(|gid| gid.kind.is_none() && is_routable(gid));
        let detail = if unclear {
            Detail::unknown("the GID table does not tell the RoCE version of its rows")
        } else if gids.is_empty() {
            Detail::fail("the GID table is empty").actual("no GID")
        } else {
            let actual = if gids.iter().any(v2) {
                "only link-local RoCE v2"
            } else {
                "only RoCE v1"
            };
            Detail::fail("the NIC has no routable RoCE v2 address").actual(actual)
        };
        out.report(
            detail
                .policy(wanted.position)
                .expected("a RoCE v2 GID with an IPv4 or global IPv6 address")
                .at(at(NicField::Gids)),
        );
    }
}

/// Whether a router can forward to a GID: a global address, IPv4 (in IPv6
/// form) or IPv6. Not link-local (RFC 4291, RFC 3927), not an empty row.
fn is_routable(gid: &model::Gid) -> bool {
    let address = Ipv6Addr::from(gid.address);
    match address.to_ipv4_mapped() {
        Some(v4) => !v4.is_link_local() && !v4.is_unspecified(),
        None => !gid.is_link_local() && !address.is_unspecified(),
    }
}

/// Who decides the DCB settings.
pub struct DcbxAgent;

impl Check for DcbxAgent {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/dcbx",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "No agent overwrites the PFC settings of the NIC",
            explain: "A DCBX agent in the firmware, or lldpad on the host, takes PFC and priority \
                settings from the switch, or gives answers of its own. Two agents on one port \
                make the switch see several peers and drop its PFC. With static PFC the host \
                decides and no agent may be willing.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        let mode = cx.policy.pfc.mode.as_ref().filter(|m| !m.value.is_any());
        let Some(mode) =
            mode.filter(|m| m.value.judge(&crate::model::PfcMode::On) == Judgement::Met)
        else {
            return;
        };
        let agent = nic.overwritten_by.value();
        if let Some(agent) = agent {
            out.report(
                Detail::fail(format!("{agent} runs and may overwrite the PFC settings"))
                    .policy(mode.position)
                    .expected("no agent")
                    .actual(agent)
                    .at(at(NicField::OverwrittenBy)),
            );
        }
        two_agents(nic, mode.position, out);
        match nic.dcbx.get() {
            Some(Dcbx::Firmware) => out.report(
                Detail::fail("the firmware's DCBX agent decides the PFC settings")
                    .policy(mode.position)
                    .expected("os")
                    .actual(Dcbx::Firmware)
                    .kind(nic.dcbx.kind())
                    .at(at(NicField::Dcbx))
                    .remedy(Remedy::DcbxOs),
            ),
            Some(_) if agent.is_some() => {}
            Some(_) => out.pass(),
            None => out.report(
                Detail::unknown_fact("who decides the DCB settings", &nic.dcbx)
                    .policy(mode.position)
                    .at(at(NicField::Dcbx)),
            ),
        }
    }
}

/// The firmware of the NIC sends LLDP by itself (mlxconfig: 0 is OFF, 2 is ALL),
/// and so does the host.
fn two_agents(nic: &Nic, policy: Position, out: &mut Verdicts) {
    let mut parameters = nic.nv.iter();
    let sends = parameters.find_map(|(name, parameter)| {
        let number = parameter.current.value()?.number?;
        (name.starts_with("LLDP_NB_TX_MODE") && number > 0).then_some(name)
    });
    if let (Some(name), Some(host)) = (sends, nic.host_lldp.value()) {
        out.report(
            Detail::fail(format!(
                "two LLDP agents send from this port, the firmware's and {host}: the switch sees \
                 several peers"
            ))
            .policy(policy)
            .expected("OFF(0)")
            .actual(
                nic.nv
                    .get(name)
                    .and_then(|p| p.current.value())
                    .map_or("", |v| &v.text),
            )
            .at(Field::Nv(name.clone(), NvLayer::Current))
            .at(at(NicField::HostLldp))
            .remedy(Remedy::Firmware {
                parameter: name.clone(),
                value: "0".to_owned(),
            }),
        );
    }
}

/// Ethernet or InfiniBand.
pub struct Link;

impl Check for Link {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/link-type",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "The NIC's port speaks RoCE: Ethernet, and not switched off in firmware",
            explain: "VPI cards can be Ethernet or InfiniBand, and some come as InfiniBand. Such \
                a port speaks no RoCE at all. A port that is InfiniBand on purpose does not \
                belong to this fabric: leave it out of the policy's scope. RoCE itself can be \
                switched off in the firmware (ROCE_CONTROL) and in the driver (devlink's \
                enable_roce, which counts from the driver's next start).",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::BOTH
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = &cx.port.nic else { return };
        switched_off(nic, out);
        if nic.roce_enabled.get() == Some(false) {
            out.report(
                Detail::fail("RoCE is switched off in the driver (devlink: enable_roce)")
                    .expected("true")
                    .actual("false")
                    .at(at(NicField::RoceEnabled))
                    .remedy(Remedy::Firmware {
                        parameter: "enable_roce".to_owned(),
                        value: "true".to_owned(),
                    }),
            );
        }
        match nic.link_type.get() {
            Some(link) => out.judge(link == LinkType::Ethernet, || {
                let parameter = nic.nv.keys().find(|name| name.starts_with("LINK_TYPE"));
                let detail = Detail::fail("the port is an InfiniBand port: it speaks no RoCE")
                    .expected("ethernet")
                    .actual(link)
                    .kind(nic.link_type.kind())
                    .at(at(NicField::LinkType));
                match parameter {
                    Some(parameter) => detail.remedy(Remedy::Firmware {
                        parameter: parameter.clone(),
                        value: "2".to_owned(),
                    }),
                    None => detail,
                }
            }),
            None => out.report(
                Detail::unknown_fact("the link type", &nic.link_type).at(at(NicField::LinkType)),
            ),
        }
    }
}

/// ROCE_CONTROL 1 is ROCE_DISABLE; 0 is the device's default, 2 is on (mlxconfig).
fn switched_off(nic: &Nic, out: &mut Verdicts) {
    const PARAMETER: &str = "ROCE_CONTROL";
    const DISABLED: i64 = 1;
    let Some(parameter) = nic.nv.get(PARAMETER) else {
        return;
    };
    // Where only the next boot is known, it is off by then at the latest.
    let (layer, fact) = match parameter.current.is_known() {
        true => (NvLayer::Current, &parameter.current),
        false => (NvLayer::Next, &parameter.next),
    };
    let Some(value) = fact.value().filter(|v| v.number == Some(DISABLED)) else {
        return;
    };
    out.report(
        Detail::fail("RoCE is switched off in the firmware")
            .expected("ROCE_ENABLE(2)")
            .actual(&value.text)
            .at(Field::Nv(PARAMETER.to_owned(), layer))
            .remedy(Remedy::Firmware {
                parameter: PARAMETER.to_owned(),
                value: "2".to_owned(),
            }),
    );
}

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
                     holds the current and the next value (mlxconfig -e query)",
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
    let lossless = super::pfc::lossless(cx);
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

/// Soft-RoCE.
pub struct Software;

impl Check for Software {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/software",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "RDMA is done by the NIC, not in software",
            explain: "A soft-RoCE or soft-iWARP device sends RDMA through the kernel: no PFC, no \
                DCQCN, a fraction of the speed. It is useful in a lab and a fault in a fabric, \
                where it usually means that the real device was not chosen.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = &cx.port.nic else { return };
        match nic.software.get() {
            Some(software) => out.judge(!software, || {
                Detail::fail("the RDMA device is emulated in software: no PFC, no DCQCN")
                    .expected("a hardware device")
                    .actual(nic.rdma_device.value().map_or("software", String::as_str))
                    .kind(nic.software.kind())
                    .at(at(NicField::RdmaDevice))
            }),
            None => out.report(
                Detail::unknown_fact("whether RDMA is done in hardware", &nic.software)
                    .at(at(NicField::RdmaDevice)),
            ),
        }
    }
}

/// The NIC's own stall limit.
pub struct PauseGuard;

impl Check for PauseGuard {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/pause-guard",
            severity: Severity::Medium,
            needs: Needs::Counters,
            judges: Judges::Hosts,
            title: "The NIC's own guard has not switched its pause off",
            explain: "A NIC whose host does not take its packets pauses the switch for as long as \
                that lasts. Its own guard ends this by switching its pause frames off, and then \
                it drops. Each trip is a stalled host (PCIe, memory, a stopped process), not a \
                fault of the fabric.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(counters) = &cx.port.counters else {
            return;
        };
        let field = Field::Counter(crate::model::CounterField::WatchdogTrips);
        match counters.watchdog_trips.get() {
            Some(trips) => out.judge(trips == 0, || {
                Detail::fail(format!(
                    "the NIC's guard switched its pause off {trips} times since boot or last clear"
                ))
                .severity(Severity::Info)
                .expected(0)
                .actual(trips)
                .at(field)
            }),
            None if counters.watchdog_trips.is_unknown() => out.report(
                Detail::unknown_fact(
                    "how often the NIC's guard tripped",
                    &counters.watchdog_trips,
                )
                .at(field),
            ),
            None => {} // this NIC has no such counter
        }
    }
}

/// The slot of the card.
pub struct Pcie;

impl Check for Pcie {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/pcie",
            severity: Severity::Medium,
            needs: Needs::Operational,
            judges: Judges::Hosts,
            title: "The NIC has all its PCIe lanes, and GPUs reach it directly",
            explain: "A card in a slot of fewer lanes or an older generation, or on a link that \
                trained down, takes packets slower than they arrive: it pauses the switch, and \
                the pause spreads. With access control services (ACS) on in a bridge above the \
                card, requests between a GPU and the card go up to the processor and back, which \
                costs most of the bandwidth of GPUDirect; virtual machines need it, bare metal \
                does not. ACS is judged where the host has GPUs. A slot that was chosen narrow on \
                purpose, for a port that does not need more, is no fault.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        if nic.software.get() == Some(true) {
            return; // no slot
        }
        let pcie = &nic.pcie;
        // A second generation of slot is twice as fast a lane; either narrows.
        let ends = [
            (
                pcie.width.get().map(u32::from),
                pcie.width_max.get().map(u32::from),
                (NicField::PcieWidth, NicField::PcieWidthMax),
            ),
            (
                pcie.speed_mtps.get(),
                pcie.speed_max_mtps.get(),
                (NicField::PcieSpeed, NicField::PcieSpeedMax),
            ),
        ];
        for (runs, can, fields) in ends {
            let lanes = fields.0 == NicField::PcieWidth;
            let text = |value: u32| match lanes {
                true => format!("x{value}"),
                false => format!("{}.{} GT/s", value / 1000, value % 1000 / 100),
            };
            match (runs, can) {
                (Some(runs), Some(can)) => out.judge(runs >= can, || {
                    let what = if lanes { "lanes" } else { "speed a lane" };
                    let detail = Detail::fail(format!(
                        "the PCIe link runs at less than the card can do ({what}){}",
                        bandwidth(cx.port)
                    ));
                    let detail = detail.expected(text(can)).actual(text(runs));
                    detail.at(at(fields.0)).at(at(fields.1))
                }),
                _ => {
                    let fact: &dyn model::AnyFact = match (lanes, runs.is_none()) {
                        (true, true) => &pcie.width,
                        (true, false) => &pcie.width_max,
                        (false, true) => &pcie.speed_mtps,
                        (false, false) => &pcie.speed_max_mtps,
                    };
                    let what = match lanes {
                        true => "the width of the PCIe link",
                        false => "the speed of the PCIe link",
                    };
                    out.report(Detail::unknown_fact(what, fact).at(at(fields.0)));
                }
            }
        }
        if pcie.gpus.get() != Some(true) {
            return;
        }
        match pcie.acs.get() {
            Some(on) => out.judge(!on, || {
                Detail::fail(
                    "a bridge above the NIC redirects requests between devices (ACS), and the \
                     host has GPUs: GPUDirect goes through the processor",
                )
                .expected("off")
                .actual("on")
                .at(at(NicField::PcieAcs))
                .at(at(NicField::PcieGpus))
            }),
            None => out.report(
                Detail::unknown_fact("whether bridges above the NIC redirect (ACS)", &pcie.acs)
                    .at(at(NicField::PcieGpus)),
            ),
        }
    }
}

/// What the link carries, beside the speed of the port, where both are known.
fn bandwidth(port: &model::Port) -> String {
    let nic = port.nic.as_deref();
    let link = nic.and_then(|nic| Some((nic.pcie.speed_mtps.get()?, nic.pcie.width.get()?)));
    let (Some((speed, width)), Some(port)) = (link, port.speed_mbps.get()) else {
        return String::new();
    };
    // 8b/10b up to 5 GT/s, 128b/130b above (PCI Express base specification).
    let payload = match speed {
        0..=5_000 => u64::from(speed) * 8 / 10,
        _ => u64::from(speed) * 128 / 130,
    };
    let carries = payload * u64::from(width) / 1000;
    format!(": it carries {carries} Gb/s, the port {} Gb/s", port / 1000)
}

#[cfg(test)]
#[path = "nic_tests.rs"]
mod tests;
