//! QUEUE and BUFFER_QUEUE → the egress queues of the ports.

use super::defaults;
use super::facts::{Reader, metadata_value};
use super::parse::{Row, Table, port_key};
use super::profiles::{Lookup, unknown_field};
use crate::model::{Ecn, Fact, LineOnly, NoteKind, Port, Queue};
use crate::platform::queues::{Weights, lossless, no_marking};
use std::sync::Arc;

impl<'r> Reader<'r, '_> {
    /// Queues 0 to 7 of every port, and others that have a row.
    pub fn queues(&mut self) {
        let db = self.db;
        if !db.has(Table::PortQosMap) && !db.has(Table::Queue) && !db.is_whole() {
            return;
        }
        let plain = match db.speaks_of(Table::Queue) {
            true => Arc::new(no_wred()),
            false => Arc::default(),
        };
        for n in self.local.values() {
            if let Some(port) = self.list.get_mut(*n) {
                port.queues = (0..8u8).map(|id| new_queue(port, id, &plain)).collect();
            }
        }
        let hostname = metadata_value(db, "hostname").and_then(|field| field.value);
        let mut weights = vec![Weights::default(); self.list.len()];
        for row in db.rows(Table::Queue) {
            let Some(key) = port_key(&row.key) else {
                if row.key != "NULL" {
                    let text = format!("QUEUE|{}: neither a port nor a queue", row.key);
                    self.notes.add(NoteKind::Unparsed, None, text, row.at);
                }
                continue;
            };
            // The rows of a VOQ chassis also tell of other line cards' ports.
            if let (Some(host), Some(own)) = (key.host, hostname.as_deref())
                && !host.eq_ignore_ascii_case(own)
            {
                continue;
            }
            self.queue_row(row, key.ports, key.first..=key.last, &plain, &mut weights);
        }
        for (port, weights) in self.list.iter_mut().zip(&weights) {
            weights.share(port);
        }
    }

    fn queue_row(
        &mut self,
        row: &'r Row<'_>,
        ports: &'r str,
        ids: std::ops::RangeInclusive<u8>,
        plain: &Arc<Ecn>,
        weights: &mut [Weights],
    ) {
        const TABLE: Table = Table::Queue;
        let (db, profiles) = (self.db, self.profiles);
        let (mut ecn, mut scheduler) = (None, None);
        for field in row.fields() {
            match &*field.name {
                "wred_profile" => {
                    let rows = &profiles.wred;
                    ecn = match profiles.find(db, self.notes, Table::WredProfile, rows, &field) {
                        Lookup::Found(ecn) => Some(Arc::clone(ecn)),
                        Lookup::Dangling => {
                            self.dangling(TABLE, row, &field);
                            let mut ecn = no_wred();
                            ecn.enabled = Fact::explicit(false, field.at);
                            Some(Arc::new(ecn))
                        }
                        Lookup::NotCaptured => Some(Arc::default()),
                    };
                }
                "scheduler" => {
                    let rows = &profiles.schedulers;
                    let found = profiles.find(db, self.notes, Table::Scheduler, rows, &field);
                    scheduler = Some(match found {
                        Lookup::Found(scheduler) => (
                            scheduler.kind.clone(),
                            scheduler.weight.get().map(|weight| (weight, field.at)),
                        ),
                        Lookup::Dangling => {
                            let why = self.dangling(TABLE, row, &field);
                            (Fact::unknown_at(why, field.at), None)
                        }
                        Lookup::NotCaptured => {
                            let why = "SCHEDULER was not captured".to_owned();
                            (Fact::unknown_at(why, field.at), None)
                        }
                    });
                }
                _ => unknown_field(self.notes, TABLE, &field),
            }
        }
        for name in ports.split(',') {
            let Some(n) = self.index(name) else { continue };
            let (Some(port), Some(weights)) = (self.list.get_mut(n), weights.get_mut(n)) else {
                continue;
            };
            for id in ids.clone() {
                let queue = queue_mut(port, id, plain);
                queue.attached = LineOnly(row.at);
                if let Some(ecn) = &ecn {
                    queue.ecn = Arc::clone(ecn);
                }
                if let Some((kind, weight)) = &scheduler {
                    queue.scheduler = kind.clone();
                    weights.set(id, kind.get(), *weight);
                }
            }
        }
    }

    /// Fixed limits of the queues.
    pub fn buffer_queues(&mut self) {
        const TABLE: Table = Table::BufferQueue;
        let (db, profiles) = (self.db, self.profiles);
        for row in db.rows(TABLE) {
            let (Some(key), Some(field)) = (port_key(&row.key), row.get("profile")) else {
                continue;
            };
            if key.host.is_some() || field.value.as_deref() == Some("NULL") {
                continue;
            }
            let rows = &profiles.buffers;
            let limit = match profiles.find(db, self.notes, Table::BufferProfile, rows, &field) {
                Lookup::Found(buffer) => buffer.limit.clone(),
                Lookup::Dangling => Fact::unknown_at(self.dangling(TABLE, row, &field), field.at),
                Lookup::NotCaptured => continue,
            };
            for name in key.ports.split(',') {
                let Some(n) = self.index(name) else { continue };
                let Some(port) = self.list.get_mut(n) else {
                    continue;
                };
                for queue in &mut port.queues {
                    if (key.first..=key.last).contains(&queue.id) {
                        queue.limit_bytes = limit.clone();
                    }
                }
            }
        }
    }
}

fn new_queue(port: &Port, id: u8, plain: &Arc<Ecn>) -> Queue {
    Queue {
        id,
        lossless: lossless(port, id, &defaults::NO_PFC_QUEUE_MAP),
        ecn: Arc::clone(plain),
        scheduler: Fact::unknown(&defaults::NO_SCHEDULER),
        share_percent: Fact::unknown(&defaults::NO_SCHEDULER),
        limit_bytes: Fact::default(),
        attached: LineOnly::default(),
    }
}

fn queue_mut<'p>(port: &'p mut Port, id: u8, plain: &Arc<Ecn>) -> &'p mut Queue {
    let n = match port.queues.binary_search_by_key(&id, |queue| queue.id) {
        Ok(n) => n,
        Err(n) => {
            let queue = new_queue(port, id, plain);
            port.queues.insert(n, queue);
            n
        }
    };
    &mut port.queues[n]
}

fn no_wred() -> Ecn {
    no_marking(&defaults::NO_WRED)
}
