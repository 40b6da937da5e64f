//! What follows alike on every platform from PFC, maps and weights for the
//! queues of a port.

use crate::model::{Ecn, Fact, MapName, Milli, Origin, Port, Priorities, Reason, SchedulerKind};

static SHARE_UNCLEAR: Reason = Reason("the scheduler of some queue could not be read");

/// The priorities on which PFC is in force both ways.
pub fn both_ways(tx: &Fact<Priorities>, rx: &Fact<Priorities>) -> Fact<Priorities> {
    match (tx.get(), rx.get()) {
        (Some(tx_set), Some(rx_set)) => tx.map(|_| tx_set.intersection(rx_set)),
        (None, _) => tx.clone(),
        (_, None) => rx.clone(),
    }
}

/// Whether a PFC priority in force maps to this queue of the port. `no_map`
/// says why it is unknown where a priority has no entry in the map.
pub fn lossless(port: &Port, queue: u8, no_map: &'static Reason) -> Fact<bool> {
    let enabled = &port.pfc.enabled;
    let mut rest_known = true;
    for priority in enabled.get().unwrap_or_default().iter() {
        match port.maps.value(MapName::PfcToQueue, priority) {
            Some(hit) if hit == queue => return enabled.map(|_| true),
            Some(_) => {}
            None => rest_known = false,
        }
    }
    match rest_known {
        true => enabled.map(|_| false),
        false => Fact::unknown(no_map),
    }
}

/// Neither ECN nor WRED, by the platform's default.
pub fn no_marking(why: &'static Reason) -> Ecn {
    Ecn {
        enabled: Fact::default_of(false, why),
        min_bytes: Fact::NotApplicable,
        max_bytes: Fact::NotApplicable,
        min_percent: Fact::NotApplicable,
        max_percent: Fact::NotApplicable,
        probability_percent: Fact::NotApplicable,
        wred_drop: Fact::default_of(false, why),
    }
}

/// The weights of a port's queues, from which their shares follow.
#[derive(Clone, Default)]
pub struct Weights {
    /// By queue: its weight, and the line that binds it.
    of: [Option<(u32, Origin)>; 8],
    unclear: bool,
}

impl Weights {
    /// Sets what a queue is told: how it is served, and its weight with the
    /// line that gives it. A queue that is neither strict nor has a weight
    /// leaves all shares unclear.
    pub fn set(&mut self, id: u8, kind: Option<SchedulerKind>, weight: Option<(u32, Origin)>) {
        let Some(place) = self.of.get_mut(usize::from(id)) else {
            return;
        };
        *place = weight.filter(|_| kind == Some(SchedulerKind::Weighted));
        self.unclear |= place.is_none() && kind != Some(SchedulerKind::Strict);
    }

    /// Fills `share_percent` of all queues: a queue's weight over the
    /// sum of all; strict queues have no share.
    pub fn share(&self, port: &mut Port) {
        let weights = self.of.iter().flatten();
        let sum: u64 = weights.map(|(weight, _)| u64::from(*weight)).sum();
        for queue in &mut port.queues {
            let weight = self.of.get(usize::from(queue.id)).copied().flatten();
            if queue.scheduler.get() == Some(SchedulerKind::Strict) {
                queue.share_percent = Fact::NotApplicable;
            } else if self.unclear {
                queue.share_percent = Fact::unknown(&SHARE_UNCLEAR);
            } else if let Some((weight, at)) = weight {
                let share = f64::from(weight) * 100.0 / sum as f64;
                queue.share_percent = Fact::explicit(Milli::from_f64(share), at);
            }
        }
    }
}
