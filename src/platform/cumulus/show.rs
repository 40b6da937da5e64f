//! What `nv show` prints: a table of keys, `operational` beside `applied`,
//! and tables with a title each.

use super::config::Mode;
use super::defaults;
use super::grammar::{self, number, switch};
use super::names::is_port;
use crate::model::{
    BufferPool, CodeMap, Device, Direction, Ecn, Fact, GroupBuffer, LineOnly, MapName, Milli, Mtu,
    MtuCounts, NoteKind, Origin, Peer, PfcMode, PoolMode, Port, Priorities, PriorityGroup, Queue,
    SchedulerKind, State, Trust,
};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::queues::{both_ways, lossless, no_marking};
use crate::platform::text::json::{Document, Node};
use crate::platform::text::ranges::small_integers;
use crate::platform::text::table::{Cell, Row, Table, tables};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The interface that `nv show interface swp1 …` names.
pub fn interface(command: &str) -> Option<&str> {
    let rest = command.trim_start().strip_prefix("nv show interface ")?;
    let name = rest.split_ascii_whitespace().next()?;
    is_port(name).then_some(name)
}

/// A value of the key table: what is in force, what is applied.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'t> {
    /// Column `operational`.
    pub operational: Option<Cell<'t>>,
    /// Column `applied`.
    pub applied: Option<Cell<'t>>,
}

impl<'t> Shown<'t> {
    /// What is in force, or else what is applied.
    pub fn best(&self) -> Option<Cell<'t>> {
        self.operational.or(self.applied)
    }
}

/// Values by their path: `pfc/rx-enabled`.
pub type Keys<'t> = BTreeMap<String, Shown<'t>>;

/// Reads the key table, whose groups are told by indentation.
pub fn keys<'t>(table: &Table<'t>) -> Keys<'t> {
    let mut keys = Keys::new();
    let mut groups: Vec<(usize, &str)> = Vec::new();
    for row in table.rows() {
        let Some(key) = row.at(0).filter(|key| !key.text.is_empty()) else {
            continue;
        };
        let indent = key.offset.saturating_sub(row.offset());
        groups.retain(|(left, _)| *left < indent);
        groups.truncate(16);
        groups.push((indent, key.text));
        let path: Vec<&str> = groups.iter().map(|(_, name)| *name).collect();
        let filled = |name: &str| row.cell(name).filter(|cell| !cell.text.is_empty());
        let shown = Shown {
            operational: filled("operational"),
            applied: filled("applied"),
        };
        keys.insert(path.join("/"), shown);
    }
    keys
}

/// Whether this is a table of keys.
pub fn is_keys(table: &Table<'_>) -> bool {
    table.column("operational").is_some() && table.column("applied").is_some()
}

/// `146.48 KB`, `150000 B`, `0 Bytes`: the units are of 1024 (user guide, RoCE:
/// 150,000 bytes are shown as 146.48 KB).
pub fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ').unwrap_or((text, "B"));
    let number: f64 = number
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite() && *n >= 0.0)?;
    let factor = match unit.trim() {
        "B" | "Bytes" => 1.0,
        "KB" => 1024.0,
        "MB" => 1024.0 * 1024.0,
        "GB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((number * factor).round() as u64)
}

/// What `nv show qos roce` and `nv show interface IF qos roce status` tell.
#[derive(Default)]
pub struct Roce {
    on: Fact<bool>,
    mode: Option<Mode>,
    trust: Fact<Trust>,
    /// As applied, or in force.
    tx: Fact<Priorities>,
    rx: Fact<Priorities>,
    /// In force, where the column is filled.
    operational: Fact<Priorities>,
    cable_m: Fact<u32>,
    ecn: Option<(Vec<u8>, Ecn)>,
    dscp: Option<(CodeMap, Origin)>,
    pcp: Option<(CodeMap, Origin)>,
    queues: Option<(CodeMap, Origin)>,
    served: Vec<(u8, SchedulerKind, u32, Origin)>,
    pools: Vec<(String, Direction, Fact<u64>)>,
}

impl Roce {
    /// Reads the text form. `whole`: of the switch, not of one interface,
    /// which shows only the rows of RoCE and CNP.
    pub fn text(capture: usize, text: &str, whole: bool, notes: &mut Notes) -> Self {
        let mut roce = Roce::default();
        for table in tables(text) {
            if is_keys(&table) {
                let keys = keys(&table);
                let get = |name: &str| keys.get(name).copied().unwrap_or_default();
                roce.values(capture, |name| {
                    let shown = get(name);
                    let place = |cell: Option<Cell<'_>>| {
                        let cell = cell?;
                        Some((cell.text.to_owned(), Origin::new(capture, cell.offset)))
                    };
                    (place(shown.operational), place(shown.applied))
                });
            } else if table.column("dscp").is_some() {
                roce.classification(capture, &table, whole);
            } else if table.column("scheduler-weight").is_some() {
                roce.scheduling(capture, &table, whole);
            } else if table.column("mode").is_some() && table.column("size").is_some() {
                roce.pools(capture, &table);
            } else if table.title() == Some("Exception List") {
                for row in table.rows() {
                    let line: String = row.line().trim().chars().take(120).collect();
                    let text = format!("settings beside `qos roce` conflict with it: {line}");
                    let at = Origin::new(capture, row.offset());
                    notes.add(NoteKind::Conflict, None, text, at);
                }
            }
        }
        roce
    }

    /// Reads the JSON form, whose keys are those of the text.
    pub fn json(capture: usize, text: &str, start: usize, notes: &mut Notes) -> Self {
        let document = Document::parse(text.get(start..).unwrap_or_default());
        let mut roce = Roce::default();
        if let Some(error) = document.error() {
            let text = format!("the JSON could not be read to its end: {}", error.kind);
            let at = Origin::new(capture, start + error.offset as usize);
            notes.add(NoteKind::Failed, None, text, at);
        }
        let Some(root) = document.root() else {
            return roce;
        };
        roce.values(capture, |path| {
            let mut node = Some(root);
            for key in path.split('/') {
                node = node.and_then(|node| node.get(key));
            }
            let word = node
                .filter(|node| !node.is_null())
                .and_then(|node: Node<'_>| {
                    let at = Origin::new(capture, start + node.offset() as usize);
                    Some((node.text()?.into_owned(), at))
                });
            (word, None)
        });
        roce
    }

    /// The values of the key table, looked up by path.
    fn values(
        &mut self,
        capture: usize,
        get: impl Fn(&str) -> (Option<(String, Origin)>, Option<(String, Origin)>),
    ) {
        let _ = capture;
        let best = |name: &str| {
            let (operational, applied) = get(name);
            operational.or(applied)
        };
        fn read<T>(
            found: Option<(String, Origin)>,
            convert: impl FnOnce(&str) -> Option<T>,
        ) -> Fact<T> {
            match found {
                None => Fact::default(),
                Some((text, at)) => match convert(&text) {
                    Some(value) => Fact::explicit(value, at),
                    None => Fact::unknown_at(&defaults::UNREADABLE, at),
                },
            }
        }
        self.on = read(best("enable").or_else(|| best("state")), switch);
        self.mode = best("mode").and_then(|(text, _)| grammar::mode(&text));
        self.trust = read(best("trust/trust-mode"), |text| {
            match (text.contains("dscp"), text.contains("pcp")) {
                (true, true) => Some(Trust::Both),
                (true, false) => Some(Trust::Dscp),
                (false, true) => Some(Trust::Pcp),
                (false, false) => None,
            }
        });
        let set = |text: &str| match text {
            "-" => Some(Priorities::NONE),
            list => grammar::priorities(list),
        };
        let priorities = read(best("pfc/pfc-priority"), set);
        let side = |name: &str| {
            let on = read(best(name), switch);
            match (on.get(), priorities.get()) {
                (Some(true), _) => priorities.clone(),
                (Some(false), _) => on.map(|_| Priorities::NONE),
                // A lossy mode shows no sides.
                (None, Some(Priorities::NONE)) => priorities.clone(),
                (None, _) => on.map(|_| Priorities::NONE),
            }
        };
        self.tx = side("pfc/tx-enabled");
        self.rx = side("pfc/rx-enabled");
        if get("pfc/pfc-priority").0.is_some() {
            self.operational = both_ways(&self.tx, &self.rx);
        }
        let cable = best("pfc/cable-length").or_else(|| best("cable-length"));
        self.cable_m = read(cable, |text| number(text, 100_000));
        if let Some((classes, at)) = best("congestion-control/enabled-tc") {
            let size = |name: &str| read(best(name), bytes);
            let ecn = Ecn {
                enabled: Fact::explicit(true, at),
                min_bytes: size("congestion-control/min-threshold"),
                max_bytes: size("congestion-control/max-threshold"),
                min_percent: Fact::NotApplicable,
                max_percent: Fact::NotApplicable,
                probability_percent: read(best("congestion-control/probability"), |text| {
                    number(text.trim_end_matches('%'), 100u8)
                        .map(|percent| Milli::whole(i64::from(percent)))
                }),
                wred_drop: Fact::default_of(false, &defaults::RED_OFF),
            };
            if let Ok(classes) = small_integers(&classes, 7) {
                self.ecn = Some((classes, ecn));
            }
        }
    }

    fn classification(&mut self, capture: usize, table: &Table<'_>, whole: bool) {
        let mut maps = [CodeMap::new(), CodeMap::new()];
        for row in table.rows() {
            let to = row
                .cell("switch-prio")
                .and_then(|cell| number(cell.text, 7u8));
            let Some(to) = to else { continue };
            for (map, name, largest) in [(0, "dscp", 63), (1, "pcp", 7)] {
                let Some(cell) = row.cell(name) else { continue };
                let at = Origin::new(capture, cell.offset);
                let Some(map) = maps.get_mut(map) else {
                    continue;
                };
                for key in small_integers(cell.text, largest).unwrap_or_default() {
                    map.set_explicit(key, to, at);
                }
            }
        }
        let at = Origin::new(capture, table.offset());
        let [mut dscp, mut pcp] = maps;
        dscp.complete = whole;
        pcp.complete = whole;
        self.dscp = Some((dscp, at));
        self.pcp = Some((pcp, at));
    }

    fn scheduling(&mut self, capture: usize, table: &Table<'_>, whole: bool) {
        let mut map = CodeMap::new();
        map.complete = whole;
        for row in table.rows() {
            let small = |name: &str| row.cell(name).and_then(|cell| number(cell.text, 7u8));
            let (Some(priority), Some(class)) = (small("switch-prio"), small("traffic-class"))
            else {
                continue;
            };
            map.set_explicit(priority, class, Origin::new(capture, row.offset()));
            let Some(cell) = row.cell("scheduler-weight") else {
                continue;
            };
            let at = Origin::new(capture, cell.offset);
            let text = cell.text.to_ascii_lowercase();
            let weight = text.strip_prefix("dwrr-").and_then(|w| w.strip_suffix('%'));
            match weight.and_then(|weight| number(weight, 100u32)) {
                Some(weight) => self
                    .served
                    .push((class, SchedulerKind::Weighted, weight, at)),
                None if text.starts_with("strict") => {
                    self.served.push((class, SchedulerKind::Strict, 0, at));
                }
                None => {}
            }
        }
        self.queues = Some((map, Origin::new(capture, table.offset())));
    }

    fn pools(&mut self, capture: usize, table: &Table<'_>) {
        for row in table.rows() {
            let (Some(name), Some(size)) = (row.cell("name"), row.cell("size")) else {
                continue;
            };
            let direction = match name.text.ends_with("egress") {
                true => Direction::Egress,
                false => Direction::Ingress,
            };
            let size = match bytes(size.text).filter(|_| size.text.contains('B')) {
                Some(bytes) => Fact::explicit(bytes, Origin::new(capture, size.offset)),
                None => Fact::unknown(&defaults::POOL_PERCENT),
            };
            self.pools.push((name.text.to_owned(), direction, size));
        }
    }

    /// Fills what a port does not know yet, and what is in force.
    pub fn fill(&self, port: &mut Port, whole: bool) {
        // The switch's view is that of RoCE; a port may have PFC of its own.
        if !whole || !matches!(port.pfc.tx, Fact::Explicit(..)) {
            port.pfc.operational = self.operational.clone();
        }
        if self.on.get() == Some(false) {
            return;
        }
        fn fill<T: Clone>(fact: &mut Fact<T>, shown: &Fact<T>) {
            if fact.is_unknown() && !fact.at().is_known() {
                *fact = shown.clone();
            }
        }
        fill(&mut port.trust, &self.trust);
        fill(&mut port.pfc.tx, &self.tx);
        fill(&mut port.pfc.rx, &self.rx);
        fill(&mut port.cable_m, &self.cable_m);
        let both = both_ways(&port.pfc.tx, &port.pfc.rx);
        fill(&mut port.pfc.enabled, &both);
        if !port.pfc.mode.is_known() {
            port.pfc.mode = Fact::default_of(PfcMode::On, &defaults::PFC_STATIC);
        }
        let shown = [
            (MapName::DscpToTc, &self.dscp),
            (MapName::PcpToTc, &self.pcp),
            (MapName::TcToQueue, &self.queues),
            (MapName::PfcToQueue, &self.queues),
        ];
        for (name, map) in shown {
            if let (false, Some((map, at))) = (port.maps.get(name).is_known(), map) {
                port.maps
                    .set(name, Fact::explicit(Arc::new(map.clone()), *at));
            }
        }
        for name in [MapName::TcToPg, MapName::PfcToPg] {
            port.maps.set(name, Fact::NotApplicable);
        }
        if port.queues.is_empty() {
            self.queues_of(port, whole);
        }
        if port.priority_groups.is_empty() {
            self.groups_of(port);
        }
    }

    fn queues_of(&self, port: &mut Port, whole: bool) {
        let mut sum = 0;
        let mut seen = [false; 8];
        for (class, _, weight, _) in &self.served {
            if let Some(seen) = seen.get_mut(usize::from(*class)).filter(|seen| !**seen) {
                *seen = true;
                sum += weight;
            }
        }
        for id in 0..8u8 {
            let mut queue = Queue::new(id);
            queue.lossless = lossless(port, id, &defaults::PARTIAL);
            queue.limit_bytes = Fact::NotApplicable;
            if let Some((classes, ecn)) = &self.ecn {
                queue.ecn = Arc::new(match classes.contains(&id) {
                    true => ecn.clone(),
                    false => no_marking(&defaults::ECN_SHOWN),
                });
            }
            let served = self.served.iter().find(|(class, ..)| *class == id);
            if let Some((_, kind, weight, at)) = served {
                queue.scheduler = Fact::explicit(*kind, *at);
                queue.share_percent = match kind {
                    SchedulerKind::Strict => Fact::NotApplicable,
                    // One interface shows RoCE and CNP alone.
                    SchedulerKind::Weighted if !whole => Fact::default(),
                    SchedulerKind::Weighted => {
                        let share = f64::from(*weight) * 100.0 / f64::from(sum.max(1));
                        Fact::explicit(Milli::from_f64(share), *at)
                    }
                };
            }
            port.queues.push(queue);
        }
    }

    /// The lossless priority groups that the switch makes.
    fn groups_of(&self, port: &mut Port) {
        let Some(set) = port.pfc.tx.get() else { return };
        let at = port.pfc.tx.at();
        let pool = match self.mode {
            Some(Mode::LosslessSingleIpool) => "lossy-default-ingress",
            _ => "roce-reserved-ingress",
        };
        for id in set.iter() {
            let mut group = PriorityGroup::new(id);
            group.lossless = Fact::Default(true, (&defaults::PG_BY_ITSELF).into(), at);
            let shown = self.pools.iter().any(|(name, ..)| name == pool);
            let buffer = GroupBuffer {
                headroom_bytes: Fact::unknown(&defaults::SIZES_DERIVED),
                pool: match shown {
                    true => Fact::default_of(pool.to_owned(), &defaults::POOL_ROCE),
                    false => Fact::default(),
                },
                ..GroupBuffer::default()
            };
            group.buffer = Arc::new(buffer);
            port.priority_groups.push(group);
        }
    }

    /// The pools, under the names that show them or that configure them.
    pub fn pools_of(&self, device: &mut Device) {
        for (name, direction, size) in &self.pools {
            let configured = match name.as_str() {
                "roce-reserved-ingress" => "roce-lossless",
                "lossy-default-ingress" => "default-lossy",
                other => other,
            };
            let pools = &mut device.buffer_pools;
            let same = |pool: &&mut BufferPool| pool.name == *name || pool.name == configured;
            match pools.iter_mut().find(same) {
                Some(pool) if size.is_known() => pool.size_bytes = size.clone(),
                Some(_) => {}
                None => pools.push(BufferPool {
                    name: name.clone(),
                    direction: Fact::explicit(*direction, size.at()),
                    mode: Fact::default_of(PoolMode::Dynamic, &defaults::POOL_DYNAMIC),
                    size_bytes: size.clone(),
                    headroom_bytes: Fact::NotApplicable,
                    oversubscription: Fact::NotApplicable,
                }),
            }
        }
    }
}

/// `nv show interface`: state, speed, MTU and neighbours.
pub fn interfaces(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    for table in tables(text) {
        if table.column("Interface").is_none() || table.column("Oper Status").is_none() {
            continue;
        }
        for row in table.rows() {
            let Some(name) = row.cell("Interface").filter(|cell| is_port(cell.text)) else {
                continue;
            };
            if row.cell("Oper Status").is_none() {
                let text = "a row of `nv show interface` ends in the middle";
                let at = Origin::new(capture, row.offset());
                notes.once(NoteKind::Failed, "interface", "", text, at);
                continue;
            }
            if let Some(port) = ports.get(name.text) {
                interface_row(port, capture, &row);
            }
        }
    }
}

fn interface_row(port: &mut Port, capture: usize, row: &Row<'_, '_>) {
    let state = |cell: Cell<'_>| {
        let at = Origin::new(capture, cell.offset);
        match cell.text {
            "up" => Fact::explicit(State::Up, at),
            "down" => Fact::explicit(State::Down, at),
            _ => Fact::unknown_at(&defaults::UNREADABLE, at),
        }
    };
    if let Some(cell) = row.cell("Oper Status") {
        port.oper = state(cell);
    }
    if let Some(cell) = row.cell("Admin Status").filter(|_| !port.admin.is_known()) {
        port.admin = state(cell);
    }
    let speed = row.cell("Speed").filter(|_| !port.speed_mbps.is_known());
    if let Some((cell, mbps)) = speed.and_then(|c| Some((c, grammar::speed(c.text)?))) {
        port.speed_mbps = Fact::explicit(mbps, Origin::new(capture, cell.offset));
    }
    // What the interface has beats a default, not a line.
    let unset = !matches!(port.mtu.raw, Fact::Explicit(..));
    let mtu = row.cell("MTU").filter(|_| unset);
    if let Some((cell, bytes)) = mtu.and_then(|c| Some((c, number(c.text, 65_535)?))) {
        let raw = Fact::explicit(bytes, Origin::new(capture, cell.offset));
        port.mtu = Mtu::from_raw(raw, MtuCounts::Ip);
    }
    let text = |name: &str| row.cell(name).filter(|cell| !cell.text.is_empty());
    if let Some(host) = text("Remote Host") {
        port.peer = Some(Peer {
            device: host.text.to_owned(),
            port: text("Remote Port").map(|cell| cell.text.to_owned()),
            by: "lldp",
            at: LineOnly(Origin::new(capture, row.offset())),
        });
    }
}
