//! Addressing of facts: one name for each leaf of the model, shared by
//! evidence, model JSON, diff and outliers.

use super::device::{BufferPool, Device};
use super::fact::AnyFact;
use super::nic::{Nic, NvParameter};
use super::origin::Origin;
use super::port::{Counters, MapName, Port, PriorityCounters, PriorityGroup, Queue};
use std::fmt;

/// The address of a fact within a port. Its text is the path in the model
/// JSON below the port: `pfc/enabled`, `queues/3/ecn/min_bytes`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Field {
    /// A fact of the port itself.
    Port(PortField),
    /// A whole map, or what is known of it.
    Map(MapName),
    /// One entry of a map.
    MapEntry(MapName, u8),
    /// A fact of an egress queue.
    Queue(u8, QueueField),
    /// A fact of an ingress priority group.
    Group(u8, GroupField),
    /// A fact of the NIC.
    Nic(NicField),
    /// A running congestion-control parameter.
    DcqcnParameter(String),
    /// A firmware parameter, in one of its layers.
    Nv(String, NvLayer),
    /// The traffic class that an application asks for, by its setting's name.
    ApplicationClass(String),
    /// The GID that an application asks for, by its setting's name.
    ApplicationGid(String),
    /// A counter of the port.
    Counter(CounterField),
    /// A counter of a priority.
    PriorityCounter(u8, PriorityCounterField),
}

/// Declares an enum of leaves of one struct: variant, path and accessor together.
macro_rules! leaves {
    ($(#[$doc:meta])* $name:ident of $owner:ty { $($variant:ident = $path:literal => $($access:ident).+),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)] // each is named as the fact it stands for
        pub enum $name { $($variant),* }
        impl $name {
            /// All of them, in the order of the model JSON.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The path below the owner.
            pub fn path(self) -> &'static str {
                match self { $($name::$variant => $path),* }
            }
            /// The fact that it stands for.
            pub fn of(self, owner: &$owner) -> &dyn AnyFact {
                match self { $($name::$variant => &owner.$($access).+),* }
            }
        }
    };
}

leaves! {
    /// Facts of the port itself.
    PortField of Port {
        Speed = "speed_mbps" => speed_mbps,
        Admin = "admin" => admin,
        Oper = "oper" => oper,
        Description = "description" => description,
        Fec = "fec" => fec,
        Cable = "cable_m" => cable_m,
        MtuIp = "mtu/ip" => mtu.ip,
        MtuRaw = "mtu/raw" => mtu.raw,
        MtuCounts = "mtu/counts" => mtu.counts,
        Trust = "trust" => trust,
        PfcEnabled = "pfc/enabled" => pfc.enabled,
        PfcTx = "pfc/tx" => pfc.tx,
        PfcRx = "pfc/rx" => pfc.rx,
        PfcMode = "pfc/mode" => pfc.mode,
        PfcOperational = "pfc/operational" => pfc.operational,
        WatchdogEnabled = "pfc/watchdog/enabled" => pfc.watchdog.enabled,
        WatchdogPriorities = "pfc/watchdog/priorities" => pfc.watchdog.priorities,
        WatchdogDetection = "pfc/watchdog/detection_ms" => pfc.watchdog.detection_ms,
        WatchdogRestoration = "pfc/watchdog/restoration_ms" => pfc.watchdog.restoration_ms,
        WatchdogAction = "pfc/watchdog/action" => pfc.watchdog.action,
        WatchdogStormed = "pfc/watchdog/stormed" => pfc.watchdog.stormed,
        LinkPauseRx = "link_pause/rx" => link_pause.rx,
        LinkPauseTx = "link_pause/tx" => link_pause.tx,
    }
}

leaves! {
    /// Facts of an egress queue.
    QueueField of Queue {
        Lossless = "lossless" => lossless,
        EcnEnabled = "ecn/enabled" => ecn.enabled,
        EcnMinBytes = "ecn/min_bytes" => ecn.min_bytes,
        EcnMaxBytes = "ecn/max_bytes" => ecn.max_bytes,
        EcnMinPercent = "ecn/min_percent" => ecn.min_percent,
        EcnMaxPercent = "ecn/max_percent" => ecn.max_percent,
        EcnProbability = "ecn/probability_percent" => ecn.probability_percent,
        WredDrop = "wred_drop" => ecn.wred_drop,
        Scheduler = "scheduler/kind" => scheduler,
        Share = "scheduler/share_percent" => share_percent,
        Limit = "limit_bytes" => limit_bytes,
    }
}

leaves! {
    /// Facts of an ingress priority group.
    GroupField of PriorityGroup {
        Lossless = "lossless" => lossless,
        Headroom = "headroom_bytes" => buffer.headroom_bytes,
        Reserved = "reserved_bytes" => buffer.reserved_bytes,
        PauseAt = "pause_at_bytes" => buffer.pause_at_bytes,
        ResumeAt = "resume_at_bytes" => buffer.resume_at_bytes,
        Alpha = "alpha" => buffer.alpha,
        Pool = "pool" => buffer.pool,
    }
}

leaves! {
    /// Facts of the NIC.
    NicField of Nic {
        RdmaDevice = "rdma_device" => rdma_device,
        Driver = "driver" => driver,
        Pci = "pci" => pci,
        Firmware = "firmware" => firmware,
        FirmwareStored = "firmware_stored" => firmware_stored,
        Part = "part" => part,
        Model = "model" => model,
        LinkType = "link_type" => link_type,
        TosDscp = "tos_dscp" => tos_dscp,
        TrafficClass = "traffic_class" => traffic_class,
        RdmaCmTos = "rdma_cm_tos" => rdma_cm_tos,
        RdmaCmMode = "rdma_cm_mode" => rdma_cm_mode,
        SetsEct = "sets_ect" => sets_ect,
        RdmaMtu = "rdma_mtu" => rdma_mtu,
        Dcbx = "dcbx" => dcbx,
        OverwrittenBy = "overwritten_by" => overwritten_by,
        HostLldp = "host_lldp" => host_lldp,
        RoceEnabled = "roce_enabled" => roce_enabled,
        Software = "software" => software,
        Gids = "gids" => gids,
        RpEnabled = "dcqcn/rp_enabled" => dcqcn.rp_enabled,
        NpEnabled = "dcqcn/np_enabled" => dcqcn.np_enabled,
        CnpDscp = "dcqcn/cnp_dscp" => dcqcn.cnp_dscp,
        CnpPriority = "dcqcn/cnp_priority" => dcqcn.cnp_priority,
        PcieWidth = "pcie/width" => pcie.width,
        PcieWidthMax = "pcie/width_max" => pcie.width_max,
        PcieSpeed = "pcie/speed_mtps" => pcie.speed_mtps,
        PcieSpeedMax = "pcie/speed_max_mtps" => pcie.speed_max_mtps,
        PcieAcs = "pcie/acs" => pcie.acs,
        PcieGpus = "pcie/gpus" => pcie.gpus,
        BootPfc = "boot/pfc" => boot.pfc,
        BootTrust = "boot/trust" => boot.trust,
        BootTrafficClass = "boot/traffic_class" => boot.traffic_class,
    }
}

leaves! {
    /// Layers of a firmware parameter.
    NvLayer of NvParameter {
        Default = "default" => default,
        Current = "current" => current,
        Next = "next" => next,
    }
}

leaves! {
    /// Counters of the port.
    CounterField of Counters {
        EcnMarked = "ecn_marked" => ecn_marked,
        CnpSent = "cnp_sent" => cnp_sent,
        CnpHandled = "cnp_handled" => cnp_handled,
        OutOfSequence = "out_of_sequence" => out_of_sequence,
        Retransmits = "retransmits" => retransmits,
        Drops = "drops" => drops,
        LinkErrors = "link_errors" => link_errors,
        WatchdogTrips = "watchdog_trips" => watchdog_trips,
        LinkPauseRx = "link_pause_rx" => link_pause_rx,
        LinkPauseTx = "link_pause_tx" => link_pause_tx,
        PcieStalls = "pcie_stalls" => pcie_stalls,
    }
}

leaves! {
    /// Counters of a priority.
    PriorityCounterField of PriorityCounters {
        RxPause = "rx_pause" => rx_pause,
        TxPause = "tx_pause" => tx_pause,
        RxBytes = "rx_bytes" => rx_bytes,
        TxBytes = "tx_bytes" => tx_bytes,
        Drops = "drops" => drops,
    }
}

leaves! {
    /// Facts of a buffer pool.
    PoolField of BufferPool {
        Direction = "direction" => direction,
        Mode = "mode" => mode,
        Size = "size_bytes" => size_bytes,
        Headroom = "headroom_bytes" => headroom_bytes,
        Oversubscription = "oversubscription" => oversubscription,
    }
}

leaves! {
    /// Facts of the device itself.
    DeviceField of Device {
        Hostname = "hostname" => hostname,
        OsVersion = "os_version" => os_version,
        Hardware = "hardware" => hardware,
        MacAgeing = "mac_ageing_s" => mac_ageing_s,
        ArpTimeout = "arp_timeout_s" => arp_timeout_s,
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Port(field) => f.write_str(field.path()),
            Field::Map(map) => f.write_str(map.as_str()),
            Field::MapEntry(map, key) => write!(f, "{map}/{key}"),
            Field::Queue(id, field) => write!(f, "queues/{id}/{}", field.path()),
            Field::Group(id, field) => write!(f, "priority_groups/{id}/{}", field.path()),
            Field::Nic(field) => write!(f, "nic/{}", field.path()),
            Field::DcqcnParameter(name) => write!(f, "nic/dcqcn/params/{}", escape(name)),
            Field::Nv(name, layer) => write!(f, "nic/nv/{}/{}", escape(name), layer.path()),
            Field::ApplicationClass(name) => {
                write!(f, "nic/applications/traffic_classes/{}", escape(name))
            }
            Field::ApplicationGid(name) => {
                write!(f, "nic/applications/gid_indices/{}", escape(name))
            }
            Field::Counter(field) => write!(f, "counters/{}", field.path()),
            Field::PriorityCounter(priority, field) => {
                write!(f, "counters/by_priority/{priority}/{}", field.path())
            }
        }
    }
}

/// A path segment as RFC 6901 escapes it.
pub fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// The facts that follow a fact when evidence is looked for: a queue's ECN
/// stands in its profile, and the line that binds the profile to the port
/// belongs to it.
pub struct Evidence {
    /// The fact's own place.
    pub at: Origin,
    /// The line that binds it to this port, where that is another one.
    pub attached: Origin,
}

impl Port {
    /// The fact at an address. `None` where this port has no such queue,
    /// group, entry, NIC or counter.
    pub fn fact(&self, field: &Field) -> Option<&dyn AnyFact> {
        Some(match field {
            Field::Port(field) => field.of(self),
            Field::Map(map) => self.maps.get(*map) as &dyn AnyFact,
            Field::MapEntry(map, key) => self.maps.get(*map).value()?.get(*key)?,
            Field::Queue(id, field) => field.of(self.queue(*id)?),
            Field::Group(id, field) => field.of(self.priority_group(*id)?),
            Field::Nic(field) => field.of(self.nic.as_deref()?),
            Field::DcqcnParameter(name) => self.nic.as_deref()?.dcqcn.params.get(name)?,
            Field::Nv(name, layer) => layer.of(self.nic.as_deref()?.nv.get(name)?),
            Field::ApplicationClass(name) => {
                let nic = self.nic.as_deref()?;
                nic.applications.traffic_classes.get(name)?
            }
            Field::ApplicationGid(name) => {
                self.nic.as_deref()?.applications.gid_indices.get(name)?
            }
            Field::Counter(field) => field.of(self.counters.as_deref()?),
            Field::PriorityCounter(priority, field) => {
                field.of(self.counters.as_deref()?.by_priority.get(priority)?)
            }
        })
    }

    /// Where the fact at an address was read. A missing map entry points at
    /// its map, a missing queue nowhere.
    pub fn evidence(&self, field: &Field) -> Evidence {
        let at = match (self.fact(field), field) {
            (Some(fact), _) => fact.at(),
            (None, Field::MapEntry(map, _)) => self.maps.get(*map).at(),
            (None, _) => Origin::NONE,
        };
        let attached = match field {
            Field::Queue(id, _) => self.queue(*id).map(|queue| queue.attached.0),
            Field::Group(id, _) => self.priority_group(*id).map(|group| group.attached.0),
            Field::MapEntry(map, _) => Some(self.maps.get(*map).at()),
            _ => None,
        };
        Evidence {
            at,
            attached: attached.unwrap_or_default(),
        }
    }

    /// The addresses of all facts of this port, in the order of the model JSON.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields: Vec<Field> = PortField::ALL.iter().map(|f| Field::Port(*f)).collect();
        for map in MapName::ALL {
            match self.maps.get(map).value() {
                Some(entries) if !entries.entries().is_empty() => {
                    fields.extend(
                        entries
                            .entries()
                            .iter()
                            .map(|e| Field::MapEntry(map, e.key)),
                    );
                }
                _ => fields.push(Field::Map(map)),
            }
        }
        for queue in &self.queues {
            fields.extend(QueueField::ALL.iter().map(|f| Field::Queue(queue.id, *f)));
        }
        for group in &self.priority_groups {
            fields.extend(GroupField::ALL.iter().map(|f| Field::Group(group.id, *f)));
        }
        if let Some(nic) = &self.nic {
            fields.extend(NicField::ALL.iter().map(|f| Field::Nic(*f)));
            fields.extend(nic.dcqcn.params.keys().cloned().map(Field::DcqcnParameter));
            for name in nic.nv.keys() {
                fields.extend(NvLayer::ALL.iter().map(|l| Field::Nv(name.clone(), *l)));
            }
            let asked = &nic.applications;
            let classes = asked.traffic_classes.keys().cloned();
            fields.extend(classes.map(Field::ApplicationClass));
            let gids = asked.gid_indices.keys().cloned();
            fields.extend(gids.map(Field::ApplicationGid));
        }
        if let Some(counters) = &self.counters {
            for priority in counters.by_priority.keys() {
                let all = PriorityCounterField::ALL.iter();
                fields.extend(all.map(|f| Field::PriorityCounter(*priority, *f)));
            }
            fields.extend(CounterField::ALL.iter().map(|f| Field::Counter(*f)));
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fact;

    #[test]
    fn paths_are_those_of_the_model_json() {
        let field = Field::Queue(3, QueueField::EcnMinBytes);
        assert_eq!(field.to_string(), "queues/3/ecn/min_bytes");
        assert_eq!(
            Field::MapEntry(MapName::DscpToTc, 26).to_string(),
            "dscp_to_tc/26"
        );
        assert_eq!(
            Field::Nv("A/B~".into(), NvLayer::Next).to_string(),
            "nic/nv/A~1B~0/next"
        );
    }

    #[test]
    fn every_field_of_a_port_can_be_looked_up() {
        let mut port = Port::new("Ethernet0");
        port.queues.push(Queue::new(3));
        port.priority_groups.push(PriorityGroup::new(3));
        port.nic = Some(Box::default());
        port.counters = Some(Box::default());
        for field in port.fields() {
            assert!(port.fact(&field).is_some(), "{field}");
        }
        let mut mtu = Fact::explicit(9100u32, Origin::new(0, 7));
        std::mem::swap(&mut port.mtu.ip, &mut mtu);
        assert_eq!(
            port.evidence(&Field::Port(PortField::MtuIp)).at,
            Origin::new(0, 7)
        );
    }
}
