//! PFC_WD → the watchdogs of the ports.

use super::defaults;
use super::facts::Reader;
use super::parse::{Row, Table};
use super::profiles::{number, unknown_field, unreadable};
use crate::model::{Fact, NoteKind, Port};
use crate::platform::notes::Notes;

impl Reader<'_, '_> {
    /// The watchdog of every port.
    pub fn watchdog(&mut self) {
        const TABLE: Table = Table::PfcWatchdog;
        let db = self.db;
        if db.speaks_of(TABLE) {
            for n in self.local.values() {
                if let Some(port) = self.list.get_mut(*n) {
                    let watchdog = &mut port.pfc.watchdog;
                    watchdog.enabled = Fact::default_of(false, &defaults::WATCHDOG_OFF);
                    watchdog.detection_ms = Fact::NotApplicable;
                    watchdog.restoration_ms = Fact::NotApplicable;
                    watchdog.action = Fact::NotApplicable;
                }
            }
        }
        for row in db.rows(TABLE) {
            if row.key == "GLOBAL" {
                self.big_red_switch(row);
                continue;
            }
            for name in row.key.split(',') {
                if let Some(n) = self.index(name)
                    && let Some(port) = self.list.get_mut(n)
                {
                    watchdog_row(port, row, self.notes);
                    // The watched set is a field of the row that is not applied.
                    if let Some(at) = self.void.get(&n) {
                        port.pfc.watchdog.enabled = Fact::explicit(false, *at);
                    }
                }
            }
        }
    }
}

impl Reader<'_, '_> {
    /// BIG_RED_SWITCH makes the watchdog act on every lossless queue of every
    /// port without any storm (sonic-swss, pfcwdorch).
    fn big_red_switch(&mut self, row: &Row<'_>) {
        let Some(field) = row.get("BIG_RED_SWITCH") else {
            return;
        };
        match field.value.as_deref() {
            Some("disable") => {}
            Some("enable") => {
                let text = "BIG_RED_SWITCH is on: the watchdog drops what is in the lossless \
                            queues, without any storm";
                self.notes
                    .add(NoteKind::Override, None, text.to_owned(), field.at);
            }
            _ => {
                unreadable(self.notes, Table::PfcWatchdog, &row.key, &field);
            }
        }
    }
}

fn watchdog_row(port: &mut Port, row: &Row<'_>, notes: &mut Notes) {
    const TABLE: Table = Table::PfcWatchdog;
    let watchdog = &mut port.pfc.watchdog;
    watchdog.detection_ms = Fact::unknown_at(&defaults::CUT, row.at);
    watchdog.restoration_ms = match row.complete {
        true => Fact::unknown_at(&defaults::NEVER_RESTORES, row.at),
        false => Fact::unknown_at(&defaults::CUT, row.at),
    };
    watchdog.action = match row.complete {
        true => Fact::Default("drop".to_owned(), (&defaults::WATCHDOG_DROP).into(), row.at),
        false => Fact::unknown_at(&defaults::CUT, row.at),
    };
    let mut detects = false;
    // pfcwdorch rejects a row with a field that it does not know.
    let mut rejected = None;
    for field in row.fields() {
        let mut time = || {
            let fact = number(notes, TABLE, &row.key, &field, 0..=i64::from(u32::MAX));
            fact.map(|n| n.unsigned_abs() as u32)
        };
        match &*field.name {
            "detection_time" => {
                watchdog.detection_ms = time();
                detects = true;
            }
            // Shown where no time is set.
            "restoration_time" if field.value.as_deref() == Some("infinite") => {
                watchdog.restoration_ms = Fact::unknown_at(&defaults::NEVER_RESTORES, field.at);
            }
            "restoration_time" => watchdog.restoration_ms = time(),
            "action" => {
                let action = field.value.as_deref().unwrap_or_default();
                watchdog.action = Fact::explicit(action.to_owned(), field.at);
            }
            "pfc_stat_history" => {}
            _ => {
                unknown_field(notes, TABLE, &field);
                rejected = Some(field.at);
            }
        }
    }
    if row.complete && !detects {
        // As it does one without this field.
        rejected = Some(row.at);
        let text = format!(
            "PFC_WD|{}: without detection_time the row is rejected",
            row.key
        );
        watchdog.detection_ms = Fact::unknown_at(text, row.at);
    }
    watchdog.enabled = match (watchdog.detection_ms.get(), watchdog.priorities.get()) {
        _ if rejected.is_some() => Fact::explicit(false, rejected.unwrap_or(row.at)),
        (Some(0), _) => Fact::explicit(false, watchdog.detection_ms.at()),
        (_, Some(watched)) if watched.is_empty() => Fact::explicit(false, watchdog.priorities.at()),
        (Some(_), Some(_)) => Fact::explicit(true, row.at),
        (None, _) => Fact::unknown_at(&defaults::CUT, watchdog.detection_ms.at()),
        // A `show` of the watchdog alone: a row that it prints is one that runs.
        (Some(_), None) => Fact::explicit(true, row.at),
    };
}
