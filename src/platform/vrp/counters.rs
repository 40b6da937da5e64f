//! `display dcb pfc`: pause frames by queue, on two lines a queue.
//!
//! ```text
//! Interface         Queue        Received(Frames)   ReceivedRate(pps)  DeadlockNum
//!                             Transmitted(Frames)  TransmittedRate(pps)  RecoveryNum
//! 100GE1/0/1            3                       5                   0            0
//!                                               7                   0            0
//! ```

use super::parse::port_speed;
use super::show::lines;
use crate::model::{Fact, NoteKind, Origin, Priorities};
use crate::platform::notes::Notes;
use crate::platform::ports::Ports;
use crate::platform::text::table::thousands;

/// The first line of a queue, that waits for its second.
struct First {
    port: String,
    queue: u8,
    received: i64,
    deadlocks: i64,
    at: Origin,
}

/// Reads the table. A queue is named by its number, which is the priority of
/// its pause frames.
pub fn pfc(ports: &mut Ports, capture: usize, text: &str, notes: &mut Notes) {
    let mut first: Option<First> = None;
    let mut last_port = String::new();
    for (line, offset) in lines(text) {
        let at = Origin::new(capture, offset);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let numbers: Option<Vec<i64>> = words.iter().map(|word| thousands(word)).collect();
        match (&*words, numbers.as_deref()) {
            (_, Some([sent, _, recovered])) => match first.take() {
                Some(queue) => add(ports, &queue, *sent, *recovered),
                None => odd(notes, at),
            },
            // More queues of the same port.
            (_, Some([queue, received, _, deadlocks])) if !last_port.is_empty() => {
                first = row(&last_port, *queue, *received, *deadlocks, at);
            }
            ([name, rest @ ..], _) if port_speed(name).is_some() => {
                let numbers: Option<Vec<i64>> = rest.iter().map(|word| thousands(word)).collect();
                (*name).clone_into(&mut last_port);
                first = match numbers.as_deref() {
                    Some([queue, received, _, deadlocks]) => {
                        row(name, *queue, *received, *deadlocks, at)
                    }
                    _ => None,
                };
                if first.is_none() {
                    odd(notes, at);
                }
            }
            _ => {}
        }
    }
    if let Some(First { at, .. }) = first {
        odd(notes, at);
    }
}

fn odd(notes: &mut Notes, at: Origin) {
    let text = "a row of display dcb pfc is not understood";
    notes.once(NoteKind::Unparsed, "row", "display dcb pfc", text, at);
}

fn row(port: &str, queue: i64, received: i64, deadlocks: i64, at: Origin) -> Option<First> {
    Some(First {
        port: port.to_owned(),
        queue: u8::try_from(queue).ok().filter(|queue| *queue < 8)?,
        received,
        deadlocks,
        at,
    })
}

fn add(ports: &mut Ports, first: &First, sent: i64, recovered: i64) {
    let Some(port) = ports.get(&first.port) else {
        return;
    };
    let at = first.at;
    let stormed = &mut port.pfc.watchdog.stormed;
    let mut set = stormed.get().unwrap_or(Priorities::NONE);
    if first.deadlocks > recovered {
        set.insert(first.queue);
    }
    *stormed = Fact::explicit(set, at);
    let counters = port.counters.get_or_insert_with(Box::default);
    let one = counters.by_priority.entry(first.queue).or_default();
    one.rx_pause = Fact::explicit(first.received, at);
    one.tx_pause = Fact::explicit(sent, at);
    let trips = counters.watchdog_trips.get().unwrap_or(0);
    counters.watchdog_trips = Fact::explicit(trips.saturating_add(first.deadlocks), at);
}
