//! Joins what several captures say of one port. In one source the later
//! statement holds, as in a session; of different sources nobody knows which
//! is newer, so there a contradiction makes the fact unknown.

use super::defaults::CONTRADICTION;
use super::parse::{Hints, Part};
use crate::model::{
    CodeMap, Counters, Fact, MapName, Nic, Note, NoteKind, Origin, Port, PriorityGroup, Queue,
    Trust, Why,
};
use crate::source::Capture;
use std::fmt::Debug;
use std::sync::Arc;

/// Joins the parts of one port; they come in the order of their sources.
pub struct Joiner<'a> {
    /// The captures that origins count in.
    pub captures: &'a [&'a Capture],
    /// Name of the port.
    pub name: String,
    /// The port.
    pub port: Port,
    /// Contradictions.
    pub notes: Vec<Note>,
    /// What has to be completed.
    pub hints: Hints,
}

impl Joiner<'_> {
    /// Adds what a part says.
    pub fn add(&mut self, part: Part) {
        self.hints.add(part.hints);
        let from = part.port;
        let mut port = std::mem::take(&mut self.port);
        macro_rules! each {
            ($($field:ident $(. $more:ident)* as $what:literal),* $(,)?) => {
                $(self.fact($what, &mut port.$field$(.$more)*, from.$field$(.$more)*);)*
            };
        }
        // DSCP alone, and DSCP before 802.1p, agree for IP packets.
        let both = |fact: &Fact<Trust>| fact.get() == Some(Trust::Both);
        let agree = |fact: &Fact<Trust>| matches!(fact.get(), Some(Trust::Dscp | Trust::Both));
        match (agree(&port.trust), agree(&from.trust)) {
            (true, true) if both(&from.trust) => {}
            (true, true) => port.trust = from.trust.clone(),
            _ => self.fact("trust", &mut port.trust, from.trust.clone()),
        }
        each!(
            speed_mbps as "the speed",
            admin as "the administrative state",
            oper as "the link state",
            fec as "the forward error correction",
            cable_m as "the cable length",
            mtu.ip as "the MTU",
            mtu.raw as "the MTU",
            mtu.counts as "what the MTU counts",
            pfc.enabled as "PFC",
            pfc.tx as "PFC",
            pfc.rx as "PFC",
            pfc.mode as "who decides PFC",
            pfc.operational as "PFC in force",
            link_pause.rx as "link pause",
            link_pause.tx as "link pause",
        );
        for name in [MapName::DscpToTc, MapName::TcToQueue, MapName::TcToPg] {
            let joined = self.map(name, port.maps.get(name), from.maps.get(name));
            port.maps.set(name, joined);
        }
        from.queues
            .into_iter()
            .for_each(|queue| self.queue(&mut port, queue));
        from.priority_groups
            .into_iter()
            .for_each(|group| self.group(&mut port, group));
        if port.peer.is_none() {
            port.peer = from.peer;
        }
        if let Some(nic) = from.nic {
            self.nic(port.nic.get_or_insert_default(), *nic);
        }
        if let Some(counters) = from.counters {
            join_counters(port.counters.get_or_insert_default(), *counters);
        }
        self.port = port;
    }

    fn same_source(&self, a: Origin, b: Origin) -> bool {
        let source = |origin: Origin| Some(&self.captures.get(origin.capture()?)?.source);
        source(a).is_some() && source(a) == source(b)
    }

    fn clash(&mut self, what: &str, a: &dyn Debug, b: &dyn Debug, at: Origin) {
        let text = format!("captures contradict each other in {what}: {a:?} and {b:?}");
        if self.notes.last().is_some_and(|note| note.text == text) {
            return;
        }
        self.notes.push(Note {
            kind: NoteKind::Conflict,
            port: Some(self.name.clone()),
            text,
            at,
        });
    }

    fn fact<T: PartialEq + Debug>(&mut self, what: &str, into: &mut Fact<T>, from: Fact<T>) {
        if is_contradiction(into) {
            return;
        }
        let later = self.same_source(into.at(), from.at());
        let replace = match (&*into, &from) {
            (Fact::Explicit(a, _), Fact::Explicit(b, at)) => {
                if a != b && !later {
                    self.clash(what, a, b, *at);
                    *into = Fact::unknown_at(&CONTRADICTION, *at);
                    return;
                }
                later
            }
            (_, Fact::Explicit(..)) => true,
            (Fact::Explicit(..), _) => false,
            (Fact::Default(..), Fact::Default(..)) => false,
            (_, Fact::Default(..)) => true,
            (Fact::Unknown(_, known), Fact::Unknown(_, at)) => !known.is_known() && at.is_known(),
            (Fact::Unknown(_, known), Fact::NotApplicable) => !known.is_known(),
            _ => false,
        };
        if replace {
            *into = from;
        }
    }

    fn map(
        &mut self,
        name: MapName,
        known: &Fact<Arc<CodeMap>>,
        more: &Fact<Arc<CodeMap>>,
    ) -> Fact<Arc<CodeMap>> {
        let (Fact::Explicit(a, at), Fact::Explicit(b, other)) = (known, more) else {
            let mut joined = known.clone();
            self.fact(name.as_str(), &mut joined, more.clone());
            return joined;
        };
        let mut joined = CodeMap::clone(a);
        let later = self.same_source(*at, *other);
        for entry in b.entries() {
            match a.value(entry.key) {
                Some(value) if value != entry.value && !later => {
                    let key = format!("{name}, entry {}", entry.key);
                    self.clash(&key, &value, &entry.value, entry.at);
                    return Fact::unknown_at(&CONTRADICTION, entry.at);
                }
                _ => joined.set(entry.clone()),
            }
        }
        joined.complete = a.complete || b.complete;
        Fact::Explicit(Arc::new(joined), *at)
    }

    fn queue(&mut self, port: &mut Port, queue: Queue) {
        match port.queues.iter_mut().find(|known| known.id == queue.id) {
            Some(known) => {
                self.fact("the scheduler", &mut known.scheduler, queue.scheduler);
                self.fact("the share", &mut known.share_percent, queue.share_percent);
            }
            None => port.queues.push(queue),
        }
    }

    fn group(&mut self, port: &mut Port, group: PriorityGroup) {
        match port
            .priority_groups
            .iter_mut()
            .find(|known| known.id == group.id)
        {
            Some(known) => {
                let reserved = group.buffer.reserved_bytes.clone();
                let buffer = Arc::make_mut(&mut known.buffer);
                self.fact("the size of a buffer", &mut buffer.reserved_bytes, reserved);
            }
            None => port.priority_groups.push(group),
        }
    }

    fn nic(&mut self, nic: &mut Nic, from: Nic) {
        macro_rules! each {
            ($($field:ident $(. $more:ident)* as $what:literal),* $(,)?) => {
                $(self.fact($what, &mut nic.$field$(.$more)*, from.$field$(.$more)*);)*
            };
        }
        each!(
            rdma_device as "the RDMA device",
            driver as "the driver",
            pci as "the PCI address",
            firmware as "the firmware",
            firmware_stored as "the stored firmware",
            part as "the board",
            model as "the model",
            link_type as "the link type",
            tos_dscp as "the DSCP of RDMA traffic",
            traffic_class as "the traffic class",
            rdma_cm_tos as "the default ToS of rdma_cm",
            rdma_cm_mode as "the default RoCE version of rdma_cm",
            sets_ect as "whether the NIC sets ECT",
            rdma_mtu as "the RDMA MTU",
            dcbx as "who decides the DCB settings",
            overwritten_by as "the agent",
            host_lldp as "the LLDP agent of the host",
            roce_enabled as "whether the driver starts RoCE",
            software as "whether it is software",
            gids as "the GID table",
            dcqcn.rp_enabled as "the reaction point",
            dcqcn.np_enabled as "the notification point",
            dcqcn.cnp_dscp as "the DSCP of CNPs",
            dcqcn.cnp_priority as "the priority of CNPs",
            pcie.width as "the PCIe width",
            pcie.width_max as "the PCIe width of the card",
            pcie.speed_mtps as "the PCIe speed",
            pcie.speed_max_mtps as "the PCIe speed of the card",
            pcie.acs as "PCIe ACS",
            pcie.gpus as "whether there are GPUs",
            boot.pfc as "the PFC that the next boot brings",
            boot.trust as "the trust that the next boot brings",
            boot.traffic_class as "the traffic class that the next boot brings",
        );
        for (name, value) in from.dcqcn.params {
            self.fact(
                &name,
                nic.dcqcn.params.entry(name.clone()).or_default(),
                value,
            );
        }
        for (name, class) in from.applications.traffic_classes {
            let known = &mut nic.applications.traffic_classes;
            self.fact(&name, known.entry(name.clone()).or_default(), class);
        }
        for (name, index) in from.applications.gid_indices {
            let known = &mut nic.applications.gid_indices;
            self.fact(&name, known.entry(name.clone()).or_default(), index);
        }
        for (name, layers) in from.nv {
            let known = nic.nv.entry(name.clone()).or_default();
            self.fact(&name, &mut known.default, layers.default);
            self.fact(&name, &mut known.current, layers.current);
            self.fact(&name, &mut known.next, layers.next);
        }
    }
}

fn is_contradiction<T>(fact: &Fact<T>) -> bool {
    matches!(fact, Fact::Unknown(Why::Documented(reason), _) if std::ptr::eq(*reason, &CONTRADICTION))
}

/// Counters grow: of two samples the one that is read later counts.
fn join_counters(into: &mut Counters, from: Counters) {
    let take = |into: &mut Fact<i64>, from: Fact<i64>| {
        if from.is_known() || !into.is_known() && from != Fact::default() {
            *into = from;
        }
    };
    take(&mut into.ecn_marked, from.ecn_marked);
    take(&mut into.cnp_sent, from.cnp_sent);
    take(&mut into.cnp_handled, from.cnp_handled);
    take(&mut into.out_of_sequence, from.out_of_sequence);
    take(&mut into.retransmits, from.retransmits);
    take(&mut into.drops, from.drops);
    take(&mut into.link_errors, from.link_errors);
    take(&mut into.watchdog_trips, from.watchdog_trips);
    take(&mut into.link_pause_rx, from.link_pause_rx);
    take(&mut into.link_pause_tx, from.link_pause_tx);
    take(&mut into.pcie_stalls, from.pcie_stalls);
    for (priority, from) in from.by_priority {
        let into = into.by_priority.entry(priority).or_default();
        take(&mut into.rx_pause, from.rx_pause);
        take(&mut into.tx_pause, from.tx_pause);
        take(&mut into.rx_bytes, from.rx_bytes);
        take(&mut into.tx_bytes, from.tx_bytes);
        take(&mut into.drops, from.drops);
    }
}
