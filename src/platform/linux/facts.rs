//! What follows from several statements of one port together.

use super::defaults;
use super::make::{self, Make};
use super::parse::Evidence;
use crate::model::{
    CodeMap, Ecn, Fact, LinkType, MapName, Nic, Origin, Port, Priorities, PriorityGroup, Queue,
    Trust, Watchdog,
};
use std::sync::Arc;

/// Completes a port from what was read.
pub fn derive(port: &mut Port, evidence: Evidence) {
    if evidence == Evidence::None {
        port.nic = None;
    } else {
        let name = port.name.clone();
        nic(port.nic.get_or_insert_default(), &name);
    }
    trust(port);
    lossless(port);
    not_of_hosts(port);
    if port.maps.get(MapName::PcpToTc) == &Fact::default() {
        let mut map = CodeMap::new();
        (0..8)
            .for_each(|priority| map.fill_default(priority, priority, &defaults::PRIORITY_IS_PCP));
        let map = Fact::Default(
            Arc::new(map),
            (&defaults::PRIORITY_IS_PCP).into(),
            Origin::NONE,
        );
        port.maps.set(MapName::PcpToTc, map);
    }
    if let (Some(nic), true) = (port.nic.as_deref_mut(), port.pfc.enabled.is_known())
        && nic.link_type == Fact::default()
    {
        let why = (&defaults::DCB_IS_ETHERNET).into();
        nic.link_type = Fact::Default(LinkType::Ethernet, why, port.pfc.enabled.at());
    }
    port.queues.sort_by_key(|queue| queue.id);
    port.priority_groups.sort_by_key(|group| group.id);
}

fn mlx5(nic: &Nic) -> Option<bool> {
    let known = nic.driver.value().or(nic.rdma_device.value()).is_some();
    known.then(|| Make::of(nic) == Some(Make::Mlx5))
}

/// Trust where only the APP table tells it.
fn trust(port: &mut Port) {
    if port.trust != Fact::default() {
        return;
    }
    let Fact::Explicit(map, at) = port.maps.get(MapName::DscpToTc) else {
        return;
    };
    let nic = port.nic.as_deref();
    let of_make = nic.and_then(|nic| make::trust_by_app(nic, map.entries().is_empty(), *at));
    if let Some(trust) = of_make {
        port.trust = trust;
        return;
    }
    let driver = nic.and_then(mlx5);
    port.trust = match (driver, map.entries().is_empty()) {
        (Some(true) | None, false) => {
            Fact::Default(Trust::Dscp, (&defaults::TRUST_BY_APP).into(), *at)
        }
        (Some(true), true) => Fact::Default(Trust::Pcp, (&defaults::TRUST_WITHOUT_APP).into(), *at),
        _ => Fact::unknown_at(&defaults::TRUST_OF_OTHERS, *at),
    };
}

/// What only switches have: a PFC watchdog, pause by queue, rewriting.
fn not_of_hosts(port: &mut Port) {
    port.pfc.watchdog = Watchdog {
        enabled: Fact::NotApplicable,
        priorities: Fact::NotApplicable,
        detection_ms: Fact::NotApplicable,
        restoration_ms: Fact::NotApplicable,
        action: Fact::NotApplicable,
        stormed: Fact::NotApplicable,
    };
    for map in [MapName::PfcToQueue, MapName::PfcToPg, MapName::TcToDscp] {
        port.maps.set(map, Fact::NotApplicable);
    }
}

/// Buffers and traffic classes that a priority with PFC uses.
fn lossless(port: &mut Port) {
    let enabled = port.pfc.enabled.clone();
    let uses = |name: MapName, id: u8, port: &Port| -> Fact<bool> {
        let map = port.maps.get(name);
        match (&enabled, map.value()) {
            (Fact::Unknown(why, at), _) => Fact::Unknown(why.clone(), *at),
            (_, Some(map)) => {
                let mut users = map.keys_of(id);
                let on: Priorities = enabled.get().unwrap_or_default();
                enabled.map(|_| users.any(|priority| on.contains(priority)))
            }
            (_, None) => map.map(|_| false),
        }
    };
    for n in 0..port.priority_groups.len() {
        let Some(id) = port.priority_groups.get(n).map(|group| group.id) else {
            continue;
        };
        let fact = uses(MapName::TcToPg, id, port);
        if let Some(group) = port.priority_groups.get_mut(n) {
            let group: &mut PriorityGroup = group;
            group.lossless = fact;
        }
    }
    // A NIC's transmit side has no WRED.
    let no_wred = Arc::new(Ecn {
        enabled: Fact::NotApplicable,
        min_bytes: Fact::NotApplicable,
        max_bytes: Fact::NotApplicable,
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::NotApplicable,
        wred_drop: Fact::NotApplicable,
    });
    for n in 0..port.queues.len() {
        let Some(id) = port.queues.get(n).map(|queue| queue.id) else {
            continue;
        };
        let fact = uses(MapName::TcToQueue, id, port);
        if let Some(queue) = port.queues.get_mut(n) {
            let queue: &mut Queue = queue;
            queue.lossless = fact;
            queue.ecn = no_wred.clone();
            queue.limit_bytes = Fact::NotApplicable;
        }
    }
}

fn nic(nic: &mut Nic, port: &str) {
    software(nic, port);
    tos(nic);
    firmware_values(nic);
}

/// Hardware or the kernel, by driver or by the customary name.
fn software(nic: &mut Nic, port: &str) {
    if nic.software.is_known() {
        return;
    }
    let named = nic.rdma_device.value().map_or(port, String::as_str);
    let soft =
        |name: &str| name.starts_with("rxe") || name.starts_with("siw") || name.ends_with("_rxe");
    let at = nic.rdma_device.at();
    if nic
        .driver
        .value()
        .is_some_and(|driver| driver == "rdma_rxe" || driver == "siw")
    {
        nic.software = Fact::explicit(true, nic.driver.at());
    } else if soft(named) {
        nic.software = Fact::Default(true, (&defaults::SOFTWARE_NAME).into(), at);
    } else if mlx5(nic) == Some(true) {
        nic.software = Fact::Default(false, (&defaults::HARDWARE_DRIVER).into(), at);
    }
}

/// The DSCP that RDMA traffic leaves with. The forced class wins; without one
/// rdma_cm's default is what its queue pairs get, and others decide for
/// themselves.
fn tos(nic: &mut Nic) {
    if nic.rdma_cm_tos == Fact::default() {
        nic.rdma_cm_tos = Fact::unknown(&defaults::RDMA_CM_NOT_READ);
    }
    let dscp = |tos: &u8| tos >> 2;
    let mut asked = nic.applications.traffic_classes.values();
    nic.tos_dscp = match (&nic.traffic_class, &nic.rdma_cm_tos) {
        (Fact::Explicit(..) | Fact::Default(..), _) => nic.traffic_class.map(dscp),
        (_, Fact::Explicit(..)) => nic.rdma_cm_tos.map(dscp),
        // Nothing speaks for the whole device: what applications agree on.
        (unforced, _) if *unforced != Fact::default() => match asked.next() {
            Some(first) => {
                let first = first.map(dscp);
                match asked.all(|other| other.map(dscp) == first) {
                    true => first,
                    false => Fact::unknown(&defaults::APPLICATIONS_DIFFER),
                }
            }
            None if nic.tos_dscp.is_known() => return,
            None => match unforced {
                Fact::NotApplicable => Fact::unknown(&defaults::NO_APPLICATION),
                unforced => unforced.map(dscp),
            },
        },
        (unknown, _) => unknown.map(dscp),
    };
}

/// Facts for which no running source was captured, from what the firmware
/// started with. They stay defaults: the driver may have changed them since.
fn firmware_values(nic: &mut Nic) {
    let current = |names: [&str; 2]| {
        let mut layers = names.iter().filter_map(|name| nic.nv.get(*name));
        let fact = &layers.next()?.current;
        let number = fact.value()?.number?;
        Some((u8::try_from(number).ok()?, fact.at()))
    };
    let default = |value: Option<(u8, _)>, largest: u8| {
        let (value, at) = value.filter(|(value, _)| *value <= largest)?;
        Some(Fact::Default(value, (&defaults::FIRMWARE_VALUE).into(), at))
    };
    let dscp = default(current(["CNP_DSCP_P1", "CNP_DSCP_P2"]), 63);
    let priority = default(current(["CNP_802P_PRIO_P1", "CNP_802P_PRIO_P2"]), 7);
    let link = current(["LINK_TYPE_P1", "LINK_TYPE_P2"]);
    let agent = current(["LLDP_NB_DCBX_P1", "LLDP_NB_DCBX_P2"]);
    if let (true, Some(dscp)) = (nic.dcqcn.cnp_dscp == Fact::default(), dscp) {
        nic.dcqcn.cnp_dscp = dscp;
    }
    if let (true, Some(priority)) = (nic.dcqcn.cnp_priority == Fact::default(), priority) {
        nic.dcqcn.cnp_priority = priority;
    }
    if let (false, Some((1, at))) = (nic.overwritten_by.is_known(), agent) {
        let name = "the firmware's DCBX agent (LLDP_NB_DCBX)".to_owned();
        nic.overwritten_by = Fact::explicit(name, at);
    }
    if nic.link_type == Fact::default() {
        match link {
            Some((1, at)) => nic.link_type = Fact::explicit(LinkType::Infiniband, at),
            Some((2, at)) => nic.link_type = Fact::explicit(LinkType::Ethernet, at),
            _ => {}
        }
    }
}
