//! PORT_QOS_MAP → PFC, trust and maps of the ports.

use super::defaults;
use super::facts::{Reader, is_port};
use super::parse::{Field, Row, Table};
use super::profiles::{Lookup, MAPS, Profiles, schema, unknown_field, unreadable};
use crate::model::port::SharedMap;
use crate::model::{Fact, MapName, NoteKind, Origin, PfcMode, Port, Priorities, Trust, Why};
use std::sync::Arc;

/// What a row of PORT_QOS_MAP means for its ports.
struct PortQos {
    enabled: Fact<Priorities>,
    /// Without it: what the schema's age says.
    watched: Option<Fact<Priorities>>,
    maps: [Option<SharedMap>; 7],
    /// Why the row as a whole is not in force.
    void: Option<(Why, Origin)>,
}

impl Reader<'_, '_> {
    /// PFC, trust and maps of every port.
    pub fn port_qos_map(&mut self) {
        let db = self.db;
        let global = self.global_map();
        let old = self.watches_pfc_enable();
        let mut done = vec![false; self.list.len()];
        for row in db.rows(Table::PortQosMap) {
            if row.key == "global" {
                continue;
            }
            let qos = self.port_qos(row);
            for name in row.key.split(',') {
                match self.index(name) {
                    Some(n) => {
                        self.apply_qos(n, &qos, global.as_ref(), old, row);
                        if let Some(done) = done.get_mut(n) {
                            *done = true;
                        }
                    }
                    None if is_port(name) => {
                        let text = format!("PORT_QOS_MAP names {name}, which PORT does not hold");
                        self.notes.once(
                            NoteKind::Remark,
                            Table::PortQosMap.name(),
                            name,
                            &text,
                            row.at,
                        );
                    }
                    None => {}
                }
            }
        }
        if !db.speaks_of(Table::PortQosMap) {
            return;
        }
        for n in self.local.values() {
            if let Some(port) = self.list.get_mut(*n)
                && !done[*n]
            {
                let none = Fact::default_of(Priorities::NONE, &defaults::PFC_OFF);
                set_pfc(port, none);
                port.pfc.watchdog.priorities =
                    Fact::default_of(Priorities::NONE, &defaults::NOT_WATCHED);
                set_maps(
                    port,
                    self.profiles,
                    &Default::default(),
                    global.as_ref(),
                    None,
                    true,
                );
            }
        }
        self.compare_global(global.as_ref());
    }

    /// The DSCP map of the whole switch. NVIDIA's ASICs have none.
    fn global_map(&mut self) -> Option<SharedMap> {
        let row = self.db.row(Table::PortQosMap, "global")?;
        let field = row.get("dscp_to_tc_map")?;
        let (db, profiles) = (self.db, self.profiles);
        let (name, table) = (MapName::DscpToTc, Table::DscpToTc);
        match profiles.map(db, self.notes, name, table, &field) {
            Lookup::Found(map) => (!self.nvidia).then_some(map),
            Lookup::Dangling => {
                self.dangling(Table::PortQosMap, row, &field);
                None
            }
            Lookup::NotCaptured => None,
        }
    }

    /// A map of the whole switch that no port agrees with.
    fn compare_global(&mut self, global: Option<&SharedMap>) {
        let Some(global) = global else { return };
        let list = &*self.list;
        let ports = self.local.values().filter_map(|n| list.get(*n));
        let maps = ports.filter_map(|port| port.maps.get(MapName::DscpToTc).value());
        let mut maps = maps.peekable();
        let any = maps.peek().is_some();
        if any && maps.all(|map| Some(map) != global.value()) {
            let text = "the DSCP map of PORT_QOS_MAP|global is not that of any port".to_owned();
            self.notes.add(NoteKind::Conflict, None, text, global.at());
        }
    }

    /// Whether the watchdog watches `pfc_enable`: the schema is older than
    /// `pfcwd_sw_enable`, or so old that it does not tell its version.
    fn watches_pfc_enable(&self) -> bool {
        match schema(self.db) {
            Some(version) => version < vec![3, 0, 5],
            None => {
                let mut rows = self.db.rows(Table::PortQosMap).iter();
                !rows.any(|row| row.get("pfcwd_sw_enable").is_some())
            }
        }
    }

    fn port_qos(&mut self, row: &Row<'_>) -> PortQos {
        const TABLE: Table = Table::PortQosMap;
        let (db, profiles) = (self.db, self.profiles);
        let mut qos = PortQos {
            enabled: match row.complete {
                true => Fact::Default(Priorities::NONE, (&defaults::PFC_OFF).into(), row.at),
                false => Fact::unknown_at(&defaults::CUT, row.at),
            },
            watched: (!row.complete).then(|| Fact::unknown_at(&defaults::CUT, row.at)),
            maps: Default::default(),
            void: None,
        };
        for field in row.fields() {
            let lookup = match &*field.name {
                "pfc_enable" => {
                    qos.enabled = self.priorities(TABLE, row, &field);
                    continue;
                }
                "pfcwd_sw_enable" => {
                    qos.watched = Some(self.priorities(TABLE, row, &field));
                    continue;
                }
                // These bind tables that hold nothing of what is judged.
                "tc_to_dot1p_map" | "dscp_to_fc_map" | "exp_to_fc_map" => continue,
                "scheduler" => {
                    let rows = &profiles.schedulers;
                    match profiles.find(db, self.notes, Table::Scheduler, rows, &field) {
                        Lookup::Dangling => Lookup::Dangling,
                        _ => continue,
                    }
                }
                other => {
                    let Some((_, name, table, ..)) = MAPS.iter().find(|m| m.0 == other) else {
                        unknown_field(self.notes, TABLE, &field);
                        continue;
                    };
                    let found = profiles.map(db, self.notes, *name, *table, &field);
                    if let Lookup::Found(map) = &found {
                        qos.maps[*name as usize] = Some(map.clone());
                    } else if let Lookup::NotCaptured = &found {
                        let why = format!("{} was not captured", table.name());
                        qos.maps[*name as usize] = Some(Fact::unknown_at(why, field.at));
                    }
                    found
                }
            };
            if let Lookup::Dangling = lookup {
                // orchagent tries the whole row again, for ever.
                let text = self.dangling(TABLE, row, &field);
                let why = format!("{text}, so the switch applies nothing of this row");
                qos.void.get_or_insert((why.into(), field.at));
            }
        }
        qos
    }

    fn priorities(&mut self, table: Table, row: &Row<'_>, field: &Field<'_>) -> Fact<Priorities> {
        match field.value.as_deref().and_then(priorities) {
            Some(set) => Fact::explicit(set, field.at),
            None => Fact::unknown_at(unreadable(self.notes, table, &row.key, field), field.at),
        }
    }

    fn apply_qos(
        &mut self,
        n: usize,
        qos: &PortQos,
        global: Option<&SharedMap>,
        old: bool,
        row: &Row<'_>,
    ) {
        let Some(port) = self.list.get_mut(n) else {
            return;
        };
        let enabled = match &qos.void {
            Some((_, at)) => {
                self.void.insert(n, *at);
                Fact::explicit(Priorities::NONE, *at)
            }
            None => qos.enabled.clone(),
        };
        port.pfc.watchdog.priorities = match &qos.watched {
            Some(watched) => watched.clone(),
            None if old => match qos.enabled.get() {
                Some(set) => {
                    let why = (&defaults::WATCHED_AS_ENABLED).into();
                    Fact::Default(set, why, qos.enabled.at())
                }
                None => qos.enabled.clone(),
            },
            None => Fact::Default(Priorities::NONE, (&defaults::NOT_WATCHED).into(), row.at),
        };
        set_pfc(port, enabled);
        set_maps(
            port,
            self.profiles,
            &qos.maps,
            global,
            qos.void.as_ref(),
            row.complete,
        );
        let (watched, enabled) = (port.pfc.watchdog.priorities.get(), qos.enabled.get());
        if let (Some(watched), Some(enabled)) = (watched, enabled) {
            let blind = watched.difference(enabled);
            // Harmless: legal on DualToR, and what is off is pfc/missing.
            if !blind.is_empty() {
                let text = format!(
                    "PORT_QOS_MAP|{}: pfcwd_sw_enable watches {blind}, where pfc_enable has none",
                    port.name
                );
                let at = port.pfc.watchdog.priorities.at();
                self.notes.add(NoteKind::Remark, Some(&port.name), text, at);
            }
        }
    }
}

/// A list of priorities as CONFIG_DB writes it: `3,4`, or nothing.
pub fn priorities(text: &str) -> Option<Priorities> {
    if text.trim_ascii().is_empty() {
        return Some(Priorities::NONE);
    }
    let number = |part: &str| part.trim_ascii().parse().ok().filter(|p: &u8| *p < 8);
    text.split(',').map(number).collect()
}

/// PFC in both directions; what asymmetric PFC obeys stays.
pub fn set_pfc(port: &mut Port, enabled: Fact<Priorities>) {
    let pfc = &mut port.pfc;
    pfc.mode = Fact::default_of(PfcMode::On, &defaults::PFC_STATIC);
    if !pfc.rx.is_known() {
        pfc.rx = enabled.clone();
    }
    pfc.tx = enabled.clone();
    pfc.enabled = enabled;
}

fn set_maps(
    port: &mut Port,
    profiles: &Profiles<'_>,
    bound: &[Option<SharedMap>; 7],
    global: Option<&SharedMap>,
    void: Option<&(Why, Origin)>,
    complete: bool,
) {
    for (_, name, ..) in MAPS {
        let map = bound[name as usize].as_ref().filter(|_| void.is_none());
        let map = map.or(global.filter(|_| name == MapName::DscpToTc));
        let map = match map {
            Some(map) => map.clone(),
            None if !complete => Fact::unknown(&defaults::CUT),
            None => unbound(profiles, name, void),
        };
        port.maps.set(name, map);
    }
    let explicit = |name: MapName| match port.maps.get(name) {
        Fact::Explicit(_, at) => Some(*at),
        // Bound, but its table was not captured.
        Fact::Unknown(_, at) if bound[name as usize].is_some() => Some(*at),
        _ => None,
    };
    let (dscp, pcp) = (explicit(MapName::DscpToTc), explicit(MapName::PcpToTc));
    port.trust = match (dscp, pcp, void) {
        (Some(at), Some(_), _) => Fact::explicit(Trust::Both, at),
        (Some(at), None, _) => Fact::explicit(Trust::Dscp, at),
        (None, Some(at), _) => Fact::explicit(Trust::Pcp, at),
        (None, None, Some((why, at))) => Fact::Default(Trust::None, why.clone(), *at),
        (None, None, None) if !complete => Fact::unknown(&defaults::CUT),
        (None, None, None) => Fact::default_of(Trust::None, &defaults::TRUST_NONE),
    };
}

/// What holds on a port that binds no map of this kind.
fn unbound(profiles: &Profiles<'_>, name: MapName, void: Option<&(Why, Origin)>) -> SharedMap {
    let (map, why) = match name {
        MapName::DscpToTc => (Some(&profiles.empty), &defaults::NO_DSCP_MAP),
        MapName::TcToDscp => (Some(&profiles.empty), &defaults::NO_REWRITE),
        MapName::TcToQueue => (Some(&profiles.queue_zero), &defaults::NO_QUEUE_MAP),
        MapName::PcpToTc => (None, &defaults::NO_DOT1P_MAP),
        MapName::TcToPg => (None, &defaults::NO_PG_MAP),
        MapName::PfcToQueue => (None, &defaults::NO_PFC_QUEUE_MAP),
        // Only some ASICs use one; elsewhere the group of the same number pauses.
        MapName::PfcToPg if void.is_none() => return Fact::NotApplicable,
        MapName::PfcToPg => (None, &defaults::NO_PFC_PG_MAP),
    };
    let (why, at) = match void {
        Some((why, at)) => (why.clone(), *at),
        None => (why.into(), Origin::NONE),
    };
    match map {
        Some(map) => Fact::Default(Arc::clone(map), why, at),
        None => Fact::Unknown(why, at),
    }
}
