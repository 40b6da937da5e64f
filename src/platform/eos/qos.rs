//! Lines of quality of service that interfaces and qos profiles share.

use super::parse::{Reader, Said, take};
use super::policy::OTHER_KINDS;
use crate::model::Origin;
use crate::platform::text::statements::Statement;
use std::collections::BTreeMap;

/// What an interface or a qos profile says of quality of service.
#[derive(Clone, Default)]
pub struct Qos<'t> {
    pub policy: Said<&'t str>,
    /// `dscp`, `cos`, or nothing for `no qos trust`.
    pub trust: Said<Option<&'t str>>,
    pub pfc: Said<bool>,
    pub no_drop: [Said<bool>; 8],
    pub watched: Said<bool>,
    pub watchdog: Watchdog<'t>,
    pub queues: BTreeMap<u8, Queue>,
}

/// Settings of the PFC watchdog; times in milliseconds.
#[derive(Clone, Default)]
pub struct Watchdog<'t> {
    pub timeout: Said<u32>,
    /// Nothing where it is automatic.
    pub recovery: Said<Option<u32>>,
    pub action: Said<&'t str>,
}

/// A transmit queue.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Queue {
    pub strict: Said<bool>,
    pub percent: Said<u32>,
    pub ecn: Said<Option<Thresholds>>,
    /// `random-detect drop`; the drop precedence that it is for.
    pub drop: Said<Option<u8>>,
    /// `bandwidth guaranteed`.
    pub guaranteed: bool,
    /// The line that opens the block.
    pub at: Origin,
}

/// Fill at which marking begins and reaches its probability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    pub min: (u64, Unit),
    pub max: (u64, Unit),
    /// Percent.
    pub probability: Option<u8>,
}

/// What a threshold counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// So many bytes each.
    Bytes(u64),
    /// Segments are cells, whose size the platform decides; times depend on
    /// the rate that the queue gets.
    Other(&'static str),
}

/// Thresholds of the buffer that all queues share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedEcn;

impl Unit {
    fn read(word: &str) -> Option<Unit> {
        Some(match word {
            "bytes" => Unit::Bytes(1),
            "kbytes" => Unit::Bytes(1000),
            "mbytes" => Unit::Bytes(1_000_000),
            "segments" => Unit::Other("segments"),
            "milliseconds" => Unit::Other("milliseconds"),
            "microseconds" => Unit::Other("microseconds"),
            _ => return None,
        })
    }
}

/// Largest number of a threshold, of all units (arista-qos-augments.yang).
const LARGEST: u64 = 256_000_000;

fn amount(number: &str, unit: &str) -> Option<(u64, Unit)> {
    let number = number.parse().ok().filter(|n| (1..=LARGEST).contains(n))?;
    Some((number, Unit::read(unit)?))
}

fn within(word: &str, range: std::ops::RangeInclusive<u8>) -> Option<u8> {
    word.parse().ok().filter(|n| range.contains(n))
}

impl Thresholds {
    /// From the numbers and units of a table.
    pub fn of(min: &str, max: &str, unit: &str) -> Option<Thresholds> {
        Some(Thresholds {
            min: amount(min, unit)?,
            max: amount(max, unit)?,
            probability: None,
        })
    }

    /// `minimum-threshold 320 kbytes maximum-threshold 320 kbytes
    /// max-mark-probability 90 weight 0`; of drops `drop-probability`.
    fn read(words: &[&str], probable: &str) -> Option<Thresholds> {
        let [
            "minimum-threshold",
            min,
            min_unit,
            "maximum-threshold",
            max,
            max_unit,
            rest @ ..,
        ] = words
        else {
            return None;
        };
        let mut thresholds = Thresholds {
            min: amount(min, min_unit)?,
            max: amount(max, max_unit)?,
            probability: None,
        };
        for pair in rest.chunks(2) {
            match pair {
                [word, percent] if *word == probable => {
                    thresholds.probability = Some(within(percent, 1..=100)?);
                }
                ["weight", weight] => within(weight, 0..=15).map(|_| ())?,
                _ => return None,
            }
        }
        Some(thresholds)
    }
}

impl SharedEcn {
    /// What follows `qos random-detect ecn global-buffer`.
    pub fn read(words: &[&str]) -> Option<SharedEcn> {
        Thresholds::read(words, "max-mark-probability").map(|_| SharedEcn)
    }
}

impl<'t> Watchdog<'t> {
    /// What it does with a queue that is stuck; whether that is known.
    pub fn act(&mut self, action: &'t str, at: Origin) -> bool {
        let known = matches!(action, "drop" | "no-drop" | "errdisable");
        if known {
            self.action = Some((action, at));
        }
        known
    }

    fn overlay(&mut self, over: &Watchdog<'t>) {
        take(&mut self.timeout, &over.timeout);
        take(&mut self.recovery, &over.recovery);
        take(&mut self.action, &over.action);
    }
}

/// `timeout 0.05 polling-interval auto recovery-time 1.11 forced`, any of them;
/// seconds.
pub fn timer(words: &[&str], at: Origin, watchdog: &mut Watchdog<'_>) -> bool {
    let mut read = Watchdog::default();
    let mut words = words.iter().copied();
    let mut any = false;
    while let Some(word) = words.next() {
        any = true;
        if word == "forced" {
            continue;
        }
        let value = words.next().unwrap_or_default();
        let time = milliseconds(value);
        match word {
            "timeout" if time.is_some() => read.timeout = time.map(|time| (time, at)),
            "recovery-time" if time.is_some() || value == "auto" => {
                read.recovery = Some((time, at));
            }
            "polling-interval" if time.is_some() || value == "auto" => {}
            _ => return false,
        }
    }
    watchdog.overlay(&read);
    any
}

fn milliseconds(seconds: &str) -> Option<u32> {
    let number = seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds: f64 = seconds.parse().ok().filter(|_| number)?;
    (0.0..=3600.0)
        .contains(&seconds)
        .then_some((seconds * 1000.0).round() as u32)
}

impl Reader<'_> {
    /// A line that interfaces and profiles share; whether it is known.
    pub fn qos<'t>(
        &mut self,
        port: Option<&str>,
        line: &Statement<'_, 't>,
        qos: &mut Qos<'t>,
    ) -> bool {
        let at = self.at(line);
        match &*line.words() {
            ["qos", "trust", field @ ("dscp" | "cos")] => qos.trust = Some((Some(field), at)),
            ["no", "qos", "trust"] => qos.trust = Some((None, at)),
            ["qos", "cos" | "dscp", _] | ["no" | "default", "qos", ..] => {}
            ["shape", ..] | ["no", "shape", ..] => {}
            ["service-policy", "type", kind, "input", name] => match *kind {
                "qos" | "quality-of-service" => qos.policy = Some((name, at)),
                kind => return OTHER_KINDS.contains(&kind),
            },
            ["no" | "default", "service-policy" | "service-profile", ..] => {}
            ["priority-flow-control", rest @ ..] => return pfc(rest, false, at, qos),
            ["no", "priority-flow-control", rest @ ..] => return pfc(rest, true, at, qos),
            [word @ ("tx-queue" | "uc-tx-queue"), number] => {
                let Some(number) = within(number, 0..=7) else {
                    return false;
                };
                match *word {
                    "tx-queue" => self.tx_queue = self.tx_queue.or(Some(at)),
                    _ => self.uc_tx_queue = self.uc_tx_queue.or(Some(at)),
                }
                let queue = qos.queues.entry(number).or_default();
                queue.at = at;
                self.queue(port, line, queue);
            }
            ["mc-tx-queue", number] if within(number, 0..=7).is_some() => {
                // RoCE is unicast; a line that EOS has not is told all the same.
                self.queue(port, line, &mut Queue::default());
            }
            [
                "no" | "default",
                "tx-queue" | "uc-tx-queue" | "mc-tx-queue",
                _,
            ] => {}
            ["dcbx", "mode", "ieee" | "cee" | "none"]
            | ["dcbx", "application", ..]
            | ["no" | "default", "dcbx", ..] => {}
            _ => return false,
        }
        true
    }

    fn queue(&mut self, port: Option<&str>, block: &Statement<'_, '_>, queue: &mut Queue) {
        for line in block.children() {
            let read = queue_line(&line, self.at(&line), queue);
            self.unless(read, port, &line);
        }
    }
}

/// What follows `priority-flow-control`, or `no priority-flow-control`.
fn pfc<'t>(words: &[&'t str], no: bool, at: Origin, qos: &mut Qos<'t>) -> bool {
    match (words, no) {
        // Older releases: `mode on`.
        (["on"] | ["mode", "on"], false) => qos.pfc = Some((true, at)),
        (["off"] | ["mode", "off"], false) | ([] | ["on"] | ["mode", ..], true) => {
            qos.pfc = Some((false, at));
        }
        (["priority", number, "no-drop"], false) => return no_drop(number, true, at, qos),
        (["priority", number, "drop"], false) | (["priority", number, ..], true) => {
            return no_drop(number, false, at, qos);
        }
        (["pause", "watchdog"], no) => qos.watched = Some((!no, at)),
        (["pause", "watchdog", "port", ..], true) => {}
        (["pause", "watchdog", "port", "action", action], false) => {
            return qos.watchdog.act(action, at);
        }
        (["pause", "watchdog", "port", "timer", rest @ ..], false) => {
            return timer(rest, at, &mut qos.watchdog);
        }
        _ => return false,
    }
    true
}

fn no_drop(number: &str, on: bool, at: Origin, qos: &mut Qos<'_>) -> bool {
    let number = within(number, 0..=7).map(usize::from);
    let place = number.and_then(|number| qos.no_drop.get_mut(number));
    let read = place.is_some();
    if let Some(place) = place {
        *place = Some((on, at));
    }
    read
}

fn queue_line(line: &Statement<'_, '_>, at: Origin, queue: &mut Queue) -> bool {
    match &*line.words() {
        ["no", "priority"] => queue.strict = Some((false, at)),
        ["priority", "strict"] => queue.strict = Some((true, at)),
        ["bandwidth", "percent", percent] => match within(percent, 0..=100) {
            Some(percent) => queue.percent = Some((u32::from(percent), at)),
            None => return false,
        },
        ["bandwidth", "guaranteed", ..] => queue.guaranteed = true,
        ["no", "bandwidth", ..] => {}
        ["shape", "rate", ..] | ["no", "shape", ..] => {}
        ["random-detect", "ecn", "count"] | ["no", "random-detect", "ecn", "count"] => {}
        ["random-detect", "ecn", rest @ ..] => {
            match Thresholds::read(rest, "max-mark-probability") {
                Some(thresholds) => queue.ecn = Some((Some(thresholds), at)),
                None => return false,
            }
        }
        ["no", "random-detect", "ecn", ..] => queue.ecn = Some((None, at)),
        ["random-detect", "drop", "drop-precedence", level, rest @ ..] => {
            let level = within(level, 0..=2);
            if level.is_none() || Thresholds::read(rest, "drop-probability").is_none() {
                return false;
            }
            let level = level.filter(|level| *level > 0);
            if level.is_none() || queue.drop.is_none() {
                queue.drop = Some((level, at));
            }
        }
        ["random-detect", "drop", rest @ ..] => {
            if Thresholds::read(rest, "drop-probability").is_none() {
                return false;
            }
            queue.drop = Some((None, at));
        }
        ["no", "random-detect", "drop", ..] | ["no", "random-detect"] => {}
        ["latency", "maximum", ..] | ["no", "latency", ..] | ["default", ..] => {}
        _ => return false,
    }
    true
}

impl<'t> Qos<'t> {
    /// Lays what another says over this.
    pub fn overlay(&mut self, over: &Qos<'t>) {
        take(&mut self.policy, &over.policy);
        take(&mut self.trust, &over.trust);
        take(&mut self.pfc, &over.pfc);
        take(&mut self.watched, &over.watched);
        self.watchdog.overlay(&over.watchdog);
        for (under, over) in self.no_drop.iter_mut().zip(&over.no_drop) {
            take(under, over);
        }
        for (id, over) in &over.queues {
            let under = self.queues.entry(*id).or_default();
            take(&mut under.strict, &over.strict);
            take(&mut under.percent, &over.percent);
            take(&mut under.ecn, &over.ecn);
            take(&mut under.drop, &over.drop);
            under.guaranteed |= over.guaranteed;
            under.at = over.at;
        }
    }

    /// Without what captures of `show running-config all` print where nothing
    /// was typed: the `no` form of a command removes it, so what is printed
    /// of a port hides nothing that its profile says.
    pub fn typed(&self, printed: &[usize], routed: bool) -> Qos<'t> {
        fn keep<T: PartialEq>(said: &mut Said<T>, printed: &[usize], default: T) {
            let is = |(value, at): &(T, Origin)| {
                *value == default && at.capture().is_some_and(|n| printed.contains(&n))
            };
            if said.as_ref().is_some_and(is) {
                *said = None;
            }
        }
        let mut typed = self.clone();
        keep(&mut typed.pfc, printed, false);
        keep(&mut typed.watched, printed, true);
        if routed {
            keep(&mut typed.trust, printed, Some("dscp"));
        }
        for no_drop in &mut typed.no_drop {
            keep(no_drop, printed, false);
        }
        for queue in typed.queues.values_mut() {
            keep(&mut queue.strict, printed, true);
            keep(&mut queue.ecn, printed, None);
        }
        typed
    }
}
