//! The NIC: trust, marking, addresses, and what survives a reboot.

mod boot;
mod gid;
mod marking;
mod slot;

pub use boot::{Pending, Volatile};
pub use gid::Gid;
pub use marking::Tos;
pub use slot::Pcie;

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::finding::Breaks;
use crate::model::{Dcbx, Field, LinkType, Nic, NicField, NvLayer};
use crate::platform::Remedy;
use crate::policy::{Judgement, Position, Severity};

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
                switched off in the firmware (ROCE_CONTROL, Broadcom's support_rdma) and in the \
                driver (devlink's enable_roce, irdma's roce_ena), which counts from the driver's \
                next start.",
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
                Detail::fail("RoCE is switched off on this device")
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

#[cfg(test)]
mod tests;
