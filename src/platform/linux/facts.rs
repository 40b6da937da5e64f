//! Statements → model: which statement is of which port, and what it means.

use super::parse::{At, Statement, Statements, Subject, Trouble};
use super::{counters, defaults};
use crate::model::{
    CodeMap, Dcbx, Device, DeviceKind, Fact, GroupBuffer, LineOnly, LinkType, MapName, Milli, Mtu,
    MtuCounts, Nic, Note, NoteKind, NvParameter, Origin, PfcMode, Port, Priorities, PriorityGroup,
    Queue, Reason, State, Trust,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The model of a host.
pub fn device(name: &str, statements: Statements) -> Device {
    let mut device = Device::new(name, DeviceKind::Host, "linux");
    let devices = Devices::of(&statements);
    let mut by_port: BTreeMap<String, Vec<Statement>> = BTreeMap::new();
    for (subject, statement) in statements {
        match statement {
            Statement::Trouble(trouble, text, at) => {
                let port = devices.ports_of(&subject).into_iter().next();
                device.notes.push(Note {
                    kind: kind_of(trouble),
                    port: port.filter(|port| port != "-"),
                    text,
                    at,
                });
            }
            Statement::Remark(text, at) => device.notes.push(Note {
                kind: NoteKind::Remark,
                port: None,
                text,
                at,
            }),
            Statement::Pair { .. } => {}
            statement => {
                for port in devices.ports_of(&subject) {
                    by_port.entry(port).or_default().push(statement.clone());
                }
            }
        }
    }
    for name in devices.names() {
        by_port.entry(name).or_default();
    }
    for (name, statements) in by_port {
        device.coverage.config = true;
        let port = Builder::new(&name, &devices, &mut device.notes).build(&statements);
        device.coverage.counters |= port.counters.is_some();
        device.coverage.operational |= port.pfc.operational.is_known();
        device.ports.push(port);
    }
    device.ports.sort_by_cached_key(|port| natural(&port.name));
    device
}

fn kind_of(trouble: Trouble) -> NoteKind {
    match trouble {
        Trouble::Denied => NoteKind::Denied,
        Trouble::Failed => NoteKind::Failed,
        Trouble::Unrecognised => NoteKind::Unrecognised,
        Trouble::Unparsed => NoteKind::Unparsed,
    }
}

/// `ens2` before `ens10`.
fn natural(name: &str) -> (String, u64, String) {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (head, tail) = name.split_at(name.len() - digits);
    (head.to_owned(), tail.parse().unwrap_or(0), name.to_owned())
}

/// How the devices of a host belong together.
struct Devices {
    /// RDMA device → network device.
    netdev_of: BTreeMap<String, String>,
    /// Network device → PCI function.
    pci_of: BTreeMap<String, String>,
    /// Network devices that are or may be RDMA NICs.
    netdevs: BTreeSet<String>,
    /// RDMA devices without a known network device.
    lone: BTreeSet<String>,
}

impl Devices {
    fn of(statements: &Statements) -> Self {
        let mut devices = Devices {
            netdev_of: BTreeMap::new(),
            pci_of: BTreeMap::new(),
            netdevs: BTreeSet::new(),
            lone: BTreeSet::new(),
        };
        for (subject, statement) in statements {
            match (subject, statement) {
                (_, Statement::Pair { rdma, netdev }) => {
                    devices.netdev_of.insert(rdma.clone(), netdev.clone());
                    devices.netdevs.insert(netdev.clone());
                }
                (Subject::Netdev(name), Statement::PciOf(pci)) => {
                    devices.pci_of.insert(name.clone(), pci.value.clone());
                }
                _ => {}
            }
        }
        let listed = !devices.netdev_of.is_empty();
        let mut rdma = BTreeSet::new();
        for (subject, statement) in statements {
            // Any device has an MTU, a driver and counters; these make no NIC.
            let common = matches!(
                statement,
                Statement::Mtu(_)
                    | Statement::Up { .. }
                    | Statement::Trouble(..)
                    | Statement::Remark(..)
            );
            let weak = matches!(
                statement,
                Statement::Driver(_)
                    | Statement::Firmware(_)
                    | Statement::Part(_)
                    | Statement::PciOf(_)
                    | Statement::Speed(_)
                    | Statement::Pause { .. }
                    | Statement::Counter(..)
                    | Statement::CountersWhole(_)
            );
            match subject {
                Subject::Netdev(name) if !(common || weak && listed) => {
                    devices.netdevs.insert(name.clone());
                }
                Subject::Rdma(name) if !common => {
                    rdma.insert(name.clone());
                }
                _ => {}
            }
        }
        let unknown = rdma
            .into_iter()
            .filter(|name| !devices.netdev_of.contains_key(name));
        let unknown: Vec<String> = unknown.collect();
        // One RDMA device and one network device: they are one NIC.
        match (unknown.as_slice(), devices.netdevs.iter().next()) {
            ([only], Some(netdev)) if devices.netdevs.len() == 1 && !listed => {
                devices.netdev_of.insert(only.clone(), netdev.clone());
            }
            _ => devices.lone.extend(unknown),
        }
        devices
    }

    /// The names of all ports.
    fn names(&self) -> Vec<String> {
        self.netdevs.iter().chain(&self.lone).cloned().collect()
    }

    /// The RDMA device of a port.
    fn rdma_of(&self, port: &str) -> Option<&str> {
        let pair = self.netdev_of.iter().find(|(_, netdev)| *netdev == port);
        let own = self.lone.get(port).map(String::as_str);
        pair.map(|(rdma, _)| rdma.as_str()).or(own)
    }

    /// The ports that a statement about this subject is of. None: it is about
    /// a device that is no NIC.
    fn ports_of(&self, subject: &Subject) -> Vec<String> {
        let only = || match self.names().as_slice() {
            [only] => vec![only.clone()],
            _ => vec!["-".to_owned()],
        };
        match subject {
            Subject::Netdev(name) if self.netdevs.contains(name) => vec![name.clone()],
            Subject::Netdev(_) => Vec::new(),
            Subject::Rdma(name) => {
                vec![self.netdev_of.get(name).unwrap_or(name).clone()]
            }
            Subject::Pci(pci) => {
                // The functions of one card share its firmware parameters.
                let card = |pci: &str| pci.rsplit_once('.').map(|(card, _)| card.to_owned());
                let same = self
                    .pci_of
                    .iter()
                    .filter(|(_, other)| card(other) == card(pci));
                let ports: Vec<String> = same
                    .map(|(netdev, _)| netdev.clone())
                    .filter(|netdev| self.netdevs.contains(netdev))
                    .collect();
                if ports.is_empty() { only() } else { ports }
            }
            Subject::Unnamed => only(),
        }
    }
}

/// Fills one port.
struct Builder<'a> {
    port: Port,
    nic: Nic,
    devices: &'a Devices,
    notes: &'a mut Vec<Note>,
}

impl<'a> Builder<'a> {
    fn new(name: &str, devices: &'a Devices, notes: &'a mut Vec<Note>) -> Self {
        let mut port = Port::new(name);
        let watchdog = &mut port.pfc.watchdog;
        watchdog.enabled = Fact::NotApplicable;
        watchdog.priorities = Fact::NotApplicable;
        watchdog.detection_ms = Fact::NotApplicable;
        watchdog.restoration_ms = Fact::NotApplicable;
        watchdog.action = Fact::NotApplicable;
        watchdog.stormed = Fact::NotApplicable;
        for map in [MapName::PfcToQueue, MapName::PfcToPg, MapName::TcToDscp] {
            port.maps.set(map, Fact::NotApplicable);
        }
        let mut pcp = CodeMap::new();
        for code in 0..8 {
            pcp.fill_default(code, code, &defaults::PCP_IS_PRIORITY);
        }
        let pcp = Fact::default_of(Arc::new(pcp), &defaults::PCP_IS_PRIORITY);
        port.maps.set(MapName::PcpToTc, pcp);
        Builder {
            port,
            nic: Nic {
                overwritten_by: Fact::NotApplicable,
                ..Nic::default()
            },
            devices,
            notes,
        }
    }

    fn build(mut self, statements: &[Statement]) -> Port {
        if let Some(rdma) = self.devices.rdma_of(&self.port.name) {
            self.nic.rdma_device = Fact::explicit(rdma.to_owned(), Origin::NONE);
        }
        if let Some(pci) = self.devices.pci_of.get(&self.port.name) {
            self.nic.pci = Fact::explicit(pci.clone(), Origin::NONE);
        }
        for statement in statements {
            self.take(statement);
        }
        self.dscp(statements);
        self.buffers(statements);
        self.queues(statements);
        self.marking(statements);
        self.congestion_control(statements);
        self.firmware();
        self.kind(statements);
        self.counters(statements);
        self.port.nic = Some(Box::new(self.nic));
        self.port
    }

    /// Statements that are one fact each.
    fn take(&mut self, statement: &Statement) {
        let port = &mut self.port;
        let nic = &mut self.nic;
        let clash = match statement {
            Statement::Pfc(set) => put(&mut port.pfc.enabled, set),
            Statement::Trust(trust) => put(&mut port.trust, trust),
            Statement::Cable(metres) => put(&mut port.cable_m, metres),
            Statement::DcbxOs(os) => {
                let dcbx = if os.value { Dcbx::Os } else { Dcbx::Firmware };
                put(
                    &mut nic.dcbx,
                    &At {
                        value: dcbx,
                        at: os.at,
                    },
                )
            }
            Statement::Agent(agent) => {
                nic.overwritten_by = Fact::explicit(agent.value.clone(), agent.at);
                false
            }
            Statement::Mtu(mtu) => {
                let clash = put(&mut port.mtu.raw, mtu);
                port.mtu = Mtu::from_raw(port.mtu.raw.clone(), MtuCounts::Ip);
                clash
            }
            Statement::Up { admin, oper } => {
                let state = |up: bool| if up { State::Up } else { State::Down };
                let admin_state = At {
                    value: state(admin.value),
                    at: admin.at,
                };
                if let Some(oper) = oper {
                    port.oper = Fact::explicit(state(*oper), admin.at);
                }
                put(&mut port.admin, &admin_state)
            }
            Statement::RdmaMtu(mtu) => put(&mut nic.rdma_mtu, mtu),
            Statement::Link(link) => put(&mut nic.link_type, link),
            Statement::Speed(speed) => put(&mut port.speed_mbps, speed),
            Statement::Pause { rx, tx } => {
                put(&mut port.link_pause.rx, rx) | put(&mut port.link_pause.tx, tx)
            }
            Statement::Driver(driver) => put(&mut nic.driver, driver),
            Statement::Firmware(version) => put(&mut nic.firmware, version),
            Statement::FirmwareStored(version) => put(&mut nic.firmware_stored, version),
            Statement::Part(part) => put(&mut nic.part, part),
            Statement::Model(model) => put(&mut nic.model, model),
            Statement::PciOf(pci) => {
                nic.pci = Fact::explicit(pci.value.clone(), pci.at);
                false
            }
            Statement::Gids(rows, at) => {
                nic.gids = Fact::explicit(rows.clone(), *at);
                false
            }
            Statement::RdmaCmTos(tos) => put(&mut nic.rdma_cm_tos, tos),
            Statement::Nv {
                name,
                default,
                current,
                next,
            } => {
                let of_other_port = match nic.pci.value() {
                    Some(pci) if pci.ends_with(".1") => name.ends_with("_P1"),
                    _ => name.ends_with("_P2"),
                };
                if !of_other_port {
                    let layer = |value: &Option<At<_>>| match value {
                        Some(At { value, at }) => Fact::explicit(Clone::clone(value), *at),
                        None => Fact::default(),
                    };
                    let parameter = NvParameter {
                        default: layer(default),
                        current: layer(current),
                        next: layer(next),
                    };
                    nic.nv.insert(name.clone(), parameter);
                }
                false
            }
            _ => false,
        };
        if clash {
            self.conflict(statement);
        }
    }

    fn conflict(&mut self, statement: &Statement) {
        let (what, at) = match statement {
            Statement::Pfc(set) => ("the PFC priorities", set.at),
            Statement::Trust(trust) => ("the trust state", trust.at),
            Statement::Mtu(mtu) => ("the MTU", mtu.at),
            Statement::RdmaMtu(mtu) => ("the RDMA MTU", mtu.at),
            Statement::Pause { rx, .. } => ("link pause", rx.at),
            Statement::Link(link) => ("the link type", link.at),
            Statement::Firmware(version) => ("the firmware version", version.at),
            _ => ("a setting", Origin::NONE),
        };
        self.notes.push(Note {
            kind: NoteKind::Conflict,
            port: Some(self.port.name.clone()),
            text: format!("two captures contradict each other about {what}"),
            at,
        });
    }

    fn dscp(&mut self, statements: &[Statement]) {
        let pfc = &mut self.port.pfc;
        (pfc.tx, pfc.rx) = (pfc.enabled.clone(), pfc.enabled.clone());
        pfc.mode = match self.nic.dcbx.get() {
            Some(Dcbx::Firmware) => self.nic.dcbx.map(|_| PfcMode::Auto),
            _ if pfc.enabled.is_known() => Fact::default_of(PfcMode::On, &defaults::STATIC_PFC),
            _ => Fact::default(),
        };
        let mut map = CodeMap::new();
        map.complete = false;
        let mut at = None;
        let mut clash = false;
        for statement in statements {
            let Statement::Dscp {
                entries,
                complete,
                at: place,
            } = statement
            else {
                continue;
            };
            at.get_or_insert(*place);
            map.complete |= *complete;
            for (code, priority) in entries {
                clash |= map
                    .value(*code)
                    .is_some_and(|known| known != priority.value);
                map.set_explicit(*code, priority.value, priority.at);
            }
        }
        let hidden = statements.iter().find_map(|statement| match statement {
            Statement::DscpNotShown(at) => Some(*at),
            _ => None,
        });
        let trust = &mut self.port.trust;
        let fact = match (at, hidden) {
            (Some(at), _) if clash => Fact::unknown_at(&defaults::CONTRADICTION, at),
            (Some(at), _) => {
                let (reason, value): (&'static Reason, Trust) = if map.entries().is_empty() {
                    (&defaults::TRUST_WITHOUT_ENTRIES, Trust::Pcp)
                } else {
                    (&defaults::TRUST_BY_ENTRIES, Trust::Dscp)
                };
                if trust.is_unknown() && !trust.at().is_known() {
                    *trust = Fact::Default(value, reason.into(), at);
                }
                Fact::explicit(Arc::new(map), at)
            }
            (None, Some(at)) => Fact::unknown_at(&defaults::DSCP_NOT_SHOWN, at),
            (None, None) => Fact::default(),
        };
        self.port.maps.set(MapName::DscpToTc, fact);
        if clash {
            let at = at.unwrap_or_default();
            self.notes.push(Note {
                kind: NoteKind::Conflict,
                port: Some(self.port.name.clone()),
                text: "two captures map one DSCP differently".to_owned(),
                at,
            });
        }
    }

    /// Receive buffers as priority groups.
    fn buffers(&mut self, statements: &[Statement]) {
        let mut map = CodeMap::new();
        let mut at = None;
        for statement in statements {
            match statement {
                Statement::PriorityBuffer(row) => {
                    for (priority, buffer) in row {
                        at.get_or_insert(buffer.at);
                        map.set_explicit(*priority, buffer.value, buffer.at);
                    }
                }
                Statement::BufferSizes(sizes) => {
                    self.port.priority_groups = sizes
                        .iter()
                        .enumerate()
                        .map(|(id, size)| {
                            let mut group = PriorityGroup::new(id as u8);
                            group.buffer = Arc::new(GroupBuffer {
                                headroom_bytes: Fact::NotApplicable,
                                reserved_bytes: Fact::explicit(size.value, size.at),
                                pause_at_bytes: Fact::default(),
                                resume_at_bytes: Fact::default(),
                                alpha: Fact::NotApplicable,
                                pool: Fact::NotApplicable,
                            });
                            group.attached = LineOnly(size.at);
                            group
                        })
                        .collect();
                }
                _ => {}
            }
        }
        let enabled = &self.port.pfc.enabled;
        for group in &mut self.port.priority_groups {
            group.lossless = match at {
                Some(_) => enabled.map(|set: &Priorities| {
                    let mut held = map.keys_of(group.id);
                    held.any(|priority| set.contains(priority))
                }),
                None => Fact::default(),
            };
        }
        let fact = match at {
            Some(at) => Fact::explicit(Arc::new(map), at),
            None => Fact::default(),
        };
        self.port.maps.set(MapName::TcToPg, fact);
    }

    /// Egress traffic classes (ETS) as queues.
    fn queues(&mut self, statements: &[Statement]) {
        let mut map = CodeMap::new();
        let mut at = None;
        for statement in statements {
            match statement {
                Statement::PriorityTc(row) => {
                    for (priority, tc) in row {
                        at.get_or_insert(tc.at);
                        map.set_explicit(*priority, tc.value, tc.at);
                    }
                }
                Statement::Scheduler { tc, kind, share } => {
                    let mut queue = Queue::new(*tc);
                    queue.scheduler = match kind.value {
                        Some(value) => Fact::explicit(value, kind.at),
                        None => Fact::unknown_at(&defaults::VENDOR_SCHEDULER, kind.at),
                    };
                    queue.share_percent = match share {
                        Some(share) => Fact::explicit(Milli::whole(i64::from(*share)), kind.at),
                        None => Fact::NotApplicable,
                    };
                    queue.limit_bytes = Fact::NotApplicable;
                    queue.ecn = no_marking();
                    queue.attached = LineOnly(kind.at);
                    if self.port.queue(*tc).is_none() {
                        self.port.queues.push(queue);
                    }
                }
                _ => {}
            }
        }
        self.port.queues.sort_by_key(|queue| queue.id);
        let enabled = &self.port.pfc.enabled;
        for queue in &mut self.port.queues {
            queue.lossless = enabled.map(|set: &Priorities| {
                let mut served = map.keys_of(queue.id);
                served.any(|priority| set.contains(priority))
            });
        }
        let fact = match at {
            Some(at) => Fact::explicit(Arc::new(map), at),
            None => Fact::default(),
        };
        self.port.maps.set(MapName::TcToQueue, fact);
    }

    fn marking(&mut self, statements: &[Statement]) {
        let nic = &mut self.nic;
        let mut unset = None;
        for statement in statements {
            match statement {
                Statement::TrafficClass(At {
                    value: Some(class),
                    at,
                }) => {
                    put(
                        &mut nic.traffic_class,
                        &At {
                            value: *class,
                            at: *at,
                        },
                    );
                }
                Statement::TrafficClass(At { value: None, at }) => unset = Some(*at),
                _ => {}
            }
        }
        if let (Some(at), false) = (unset, nic.traffic_class.is_known()) {
            nic.traffic_class = Fact::unknown_at(&defaults::APPLICATION_DECIDES, at);
        }
        // What is forced on the device comes before rdma_cm's default.
        nic.tos_dscp = match (&nic.traffic_class, &nic.rdma_cm_tos) {
            (forced, _) if forced.is_known() => forced.map(|class| class >> 2),
            (_, default) if default.is_known() => default.map(|tos| tos >> 2),
            (forced, _) => forced.map(|class| class >> 2),
        };
    }

    fn congestion_control(&mut self, statements: &[Statement]) {
        let nic = &mut self.nic;
        let mut rp = Priorities::NONE;
        let mut rp_at = None;
        let mut np = None;
        for statement in statements {
            let Statement::Ecn(path, value) = statement else {
                continue;
            };
            let enabled = |point: &str| -> Option<u8> {
                path.strip_prefix(point)?
                    .strip_prefix("/enable/")?
                    .parse()
                    .ok()
            };
            if let Some(priority) = enabled("roce_rp") {
                rp_at.get_or_insert(value.at);
                if value.value != 0 {
                    rp.insert(priority);
                }
            } else if enabled("roce_np").is_some() {
                // Port-wide, although the driver shows it by priority.
                let on = np.is_some_and(|(on, _)| on) || value.value != 0;
                np = Some((on, value.at));
            } else {
                let small = u8::try_from(value.value).ok();
                match (path.as_str(), small) {
                    ("roce_np/cnp_dscp", Some(dscp)) => {
                        nic.dcqcn.cnp_dscp = Fact::explicit(dscp, value.at);
                    }
                    ("roce_np/cnp_802p_prio", Some(priority)) => {
                        if !nic.dcqcn.cnp_priority.at().is_known() {
                            nic.dcqcn.cnp_priority = Fact::explicit(priority, value.at);
                        }
                    }
                    ("np_cnp_prio_mode", Some(1)) => {
                        nic.dcqcn.cnp_priority = Fact::unknown_at(&defaults::CNP_FOLLOWS, value.at);
                    }
                    (path, _) => {
                        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                        let fact = Fact::explicit(value.value, value.at);
                        nic.dcqcn.params.insert(name, fact);
                    }
                }
            }
        }
        if let Some(at) = rp_at {
            nic.dcqcn.rp_enabled = Fact::explicit(rp, at);
        }
        if let Some((on, at)) = np {
            nic.dcqcn.np_enabled = Fact::explicit(on, at);
        }
    }

    /// What the firmware tells where nothing that runs does.
    fn firmware(&mut self) {
        let nic = &mut self.nic;
        let current = |nv: &BTreeMap<String, NvParameter>, name: &str| {
            let of_port =
                |key: &&String| key.strip_prefix(name).is_some_and(|p| p.starts_with("_P"));
            let parameter = nv.get(nv.keys().find(of_port)?)?;
            let number = parameter.current.value()?.number?;
            Some((number, parameter.current.at()))
        };
        let byte = |found: Option<(i64, Origin)>| {
            let (number, at) = found?;
            Some(Fact::Default(
                u8::try_from(number).ok()?,
                (&defaults::FIRMWARE_CURRENT).into(),
                at,
            ))
        };
        let dcqcn = &mut nic.dcqcn;
        if let (true, Some(fact)) = (unseen(&dcqcn.cnp_dscp), byte(current(&nic.nv, "CNP_DSCP"))) {
            dcqcn.cnp_dscp = fact;
        }
        let priority = byte(current(&nic.nv, "CNP_802P_PRIO"));
        if let (true, Some(fact)) = (unseen(&dcqcn.cnp_priority), priority) {
            dcqcn.cnp_priority = fact;
        }
        let mask = byte(current(&nic.nv, "ROCE_CC_PRIO_MASK"));
        if let (true, Some(mask)) = (unseen(&dcqcn.rp_enabled), mask) {
            dcqcn.rp_enabled = mask.map(|mask| Priorities::from_mask(*mask));
        }
        let link = nic
            .nv
            .iter()
            .find(|(name, _)| name.starts_with("LINK_TYPE"));
        if let (true, Some((_, parameter))) = (unseen(&nic.link_type), link) {
            let layer = match parameter.current.is_known() {
                true => &parameter.current,
                false => &parameter.next,
            };
            match layer.value().and_then(|value| value.number) {
                Some(1) => nic.link_type = layer.map(|_| LinkType::Infiniband),
                Some(2) => nic.link_type = layer.map(|_| LinkType::Ethernet),
                _ => {}
            }
        }
    }

    /// Hardware or software, Ethernet or InfiniBand, where no tool says so.
    fn kind(&mut self, statements: &[Statement]) {
        let nic = &mut self.nic;
        let mlnx_qos = statements.iter().any(|s| {
            matches!(
                s,
                Statement::DcbxOs(_) | Statement::DscpNotShown(_) | Statement::Cable(_)
            )
        });
        if mlnx_qos && unseen(&nic.link_type) {
            nic.link_type = Fact::default_of(LinkType::Ethernet, &defaults::MLX5_ETHERNET);
        }
        let driver = nic.driver.value().map(String::as_str).unwrap_or_default();
        let rdma = nic
            .rdma_device
            .value()
            .map(String::as_str)
            .unwrap_or_default();
        let emulated = |name: &str| {
            ["rxe", "siw", "rdma_rxe"]
                .iter()
                .any(|p| name.starts_with(p))
        };
        let hardware = [
            "mlx5", "mlx4", "bnxt", "irdma", "ice", "ionic", "rocep", "qedr", "hns",
        ];
        let hardware = |name: &str| hardware.iter().any(|prefix| name.starts_with(prefix));
        if emulated(rdma) || emulated(driver) {
            nic.software = Fact::explicit(true, nic.rdma_device.at());
        } else if hardware(rdma) || hardware(driver) || mlnx_qos {
            nic.software = Fact::default_of(false, &defaults::HARDWARE_BY_NAME);
        }
    }

    fn counters(&mut self, statements: &[Statement]) {
        let mut counters = counters::empty();
        let mut names = Vec::new();
        let mut whole = None;
        for statement in statements {
            match statement {
                Statement::Counter(name, value) => {
                    counters::file(&mut counters, name, value);
                    names.push(name.as_str());
                }
                Statement::CountersWhole(at) => whole = Some(*at),
                _ => {}
            }
        }
        if let Some(at) = whole {
            let in_force = counters::pfc_in_force(names.iter().copied());
            self.port.pfc.operational = Fact::explicit(in_force, at);
        }
        if !names.is_empty() {
            self.port.counters = Some(Box::new(counters));
        }
    }
}

/// A NIC does not mark: it answers marks.
fn no_marking() -> Arc<crate::model::Ecn> {
    Arc::new(crate::model::Ecn {
        enabled: Fact::NotApplicable,
        min_bytes: Fact::NotApplicable,
        max_bytes: Fact::NotApplicable,
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::NotApplicable,
        wred_drop: Fact::NotApplicable,
    })
}

/// Whether no capture spoke of a fact so far.
fn unseen<T>(fact: &Fact<T>) -> bool {
    fact.is_unknown() && !fact.at().is_known()
}

/// Sets a fact; a second value that differs makes it unknown. True on that.
fn put<T: PartialEq + Clone>(fact: &mut Fact<T>, value: &At<T>) -> bool {
    match fact {
        Fact::Explicit(known, _) if *known == value.value => false,
        Fact::Explicit(..) => {
            *fact = Fact::unknown_at(&defaults::CONTRADICTION, value.at);
            true
        }
        Fact::Unknown(_, at) if at.is_known() => false,
        _ => {
            *fact = Fact::explicit(value.value.clone(), value.at);
            false
        }
    }
}
