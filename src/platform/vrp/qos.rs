//! Lines of quality of service: in PFC profiles, drop profiles and interfaces.

use super::parse::{Buffer, Curve, Enabled, Interface, Level, Profile, Scheduling, Unit};
use crate::model::Origin;
use crate::platform::text::views::numbers;

/// `3 5`, or the times and thresholds of one priority.
pub fn priority(words: &[&str], at: Origin, profile: &mut Profile) -> bool {
    if let Some(list) = numbers(words, 7) {
        let list = list.into_iter().map(usize::from);
        list.for_each(|n| profile.priorities[n & 7] = Some(at));
        return true;
    }
    let [number, rest @ ..] = words else {
        return false;
    };
    let mut rest = rest;
    let Some(n) = number.parse::<usize>().ok().filter(|n| *n < 8) else {
        return false;
    };
    loop {
        rest = match rest {
            ["deadlock-detect", "time", time, rest @ ..] => match time.parse() {
                Ok(time) => {
                    profile.detection[n] = Some((time, at));
                    rest
                }
                Err(_) => return false,
            },
            ["deadlock-recovery", "time", time, rest @ ..] => match time.parse() {
                Ok(time) => {
                    profile.recovery[n] = Some((time, at));
                    rest
                }
                Err(_) => return false,
            },
            ["turn-off" | "error-down", "threshold", count, rest @ ..]
                if count.parse::<u32>().is_ok() =>
            {
                rest
            }
            [] => return true,
            _ => return false,
        };
    }
}

/// Behind `dcb` in the view of an interface; whether it is known.
pub fn dcb<'t>(words: &[&'t str], on: bool, at: Origin, interface: &mut Interface<'t>) -> bool {
    match words {
        ["pfc", "enable", rest @ ..] => {
            let (profile, mode) = match rest {
                [] => (None, None),
                ["mode", mode] => (None, Some(*mode)),
                [name] => (Some(*name), None),
                [name, "mode", mode] => (Some(*name), Some(*mode)),
                _ => return false,
            };
            let negotiated = match mode {
                None => None,
                Some("manual") => Some(false),
                Some("auto") => Some(true),
                Some(_) => return false,
            };
            let enabled = on.then_some(Enabled {
                profile,
                negotiated,
            });
            interface.pfc = Some((enabled, at));
            true
        }
        ["pfc", "buffer", queue, rest @ ..] if on => {
            match queue.parse().ok().filter(|n: &u8| *n < 8) {
                Some(n) => buffer(rest, at, interface.buffers.entry(n).or_default()),
                None => false,
            }
        }
        ["ets", "enable", ..] | ["compliance", ..] | ["app", ..] => true,
        _ => false,
    }
}

/// `xoff static 300 kbytes xon offset 200 kbytes`, `hdrm 1000 kbytes`, …
fn buffer(words: &[&str], at: Origin, buffer: &mut Buffer) -> bool {
    let mut rest = words;
    loop {
        rest = match rest {
            [] => return !words.is_empty(),
            ["xon", "offset", tail @ ..] => match sized(tail, "kbytes") {
                Some((bytes, tail)) => {
                    buffer.offset = Some((bytes, at));
                    tail
                }
                None => return false,
            },
            [what @ ("xoff" | "xon"), "static", tail @ ..] => match sized(tail, "kbytes") {
                Some((bytes, tail)) => {
                    let level = Some((Level::Static(bytes), at));
                    match *what {
                        "xoff" => buffer.xoff = level,
                        _ => buffer.xon = level,
                    }
                    tail
                }
                None => return false,
            },
            [what @ ("xoff" | "xon"), "dynamic", alpha, tail @ ..]
                if alpha.parse::<u8>().is_ok() =>
            {
                let level = Some((Level::Dynamic, at));
                match *what {
                    "xoff" => buffer.xoff = level,
                    _ => buffer.xon = level,
                }
                tail
            }
            ["hdrm", tail @ ..] => match sized(tail, "kbytes") {
                Some((bytes, tail)) => {
                    buffer.headroom = Some((bytes, at));
                    tail
                }
                None => return false,
            },
            ["guaranteed", tail @ ..] => match sized(tail, "bytes") {
                Some((bytes, tail)) => {
                    buffer.guaranteed = Some((bytes, at));
                    tail
                }
                None => return false,
            },
            _ => return false,
        };
    }
}

/// A number with its unit, or with the default one, and what follows. The
/// number in bytes; nothing for cells.
fn sized<'a, 't>(
    words: &'a [&'t str],
    default: &'static str,
) -> Option<(Option<u64>, &'a [&'t str])> {
    match words {
        [
            number,
            unit @ ("bytes" | "kbytes" | "mbytes" | "cells"),
            rest @ ..,
        ] => Some((bytes(number, unit)?, rest)),
        [number, rest @ ..] => Some((bytes(number, default)?, rest)),
        [] => None,
    }
}

/// `kbytes` are 1024 bytes: the largest guaranteed buffer is 25 kbytes, or
/// 25600 bytes (CE6800 V300R023C00, dcb pfc buffer).
pub fn bytes(number: &str, unit: &str) -> Option<Option<u64>> {
    let number: u64 = number.parse().ok()?;
    let factor = match unit {
        "bytes" => 1,
        "kbytes" => 1 << 10,
        "mbytes" => 1 << 20,
        "cells" => return Some(None),
        _ => return None,
    };
    number.checked_mul(factor).map(Some)
}

/// Behind `qos` in the view of an interface; whether it is known.
pub fn qos<'t>(words: &[&'t str], on: bool, at: Origin, interface: &mut Interface<'t>) -> bool {
    match words {
        [kind @ ("pq" | "drr" | "wrr" | "lpq"), list @ ..] => {
            let kind = match *kind {
                "pq" => Scheduling::Strict,
                "lpq" => Scheduling::Last,
                _ => Scheduling::Weighted,
            };
            let Some(list) = numbers(list, 7) else {
                return false;
            };
            for queue in list {
                let said = on.then_some((kind, at));
                interface.queues.entry(queue).or_default().scheduling = said;
            }
        }
        ["queue", number, rest @ ..] => {
            let Some(n) = number.parse().ok().filter(|n: &u8| *n < 8) else {
                return false;
            };
            let queue = interface.queues.entry(n).or_default();
            match rest {
                ["wred"] | ["drr" | "wrr", "weight"] if on => return false,
                ["wred"] => queue.drops = None,
                ["drr" | "wrr", "weight"] => queue.weight = None,
                ["wred", name] => queue.drops = on.then_some((name, at)),
                ["ecn"] => queue.ecn = Some((on, at)),
                ["drr" | "wrr", "weight", weight] => match weight.parse() {
                    Ok(weight) => queue.weight = on.then_some((weight, at)),
                    Err(_) => return false,
                },
                ["shaping", ..] | ["statistics", ..] => {}
                _ => return false,
            }
        }
        ["buffer", "queue", number, "shared-threshold", rest @ ..] => {
            let Some(n) = number.parse().ok().filter(|n: &u8| *n < 8) else {
                return false;
            };
            let queue = interface.queues.entry(n).or_default();
            queue.limit = match rest {
                ["static", size, unit] => match bytes(size, unit) {
                    Some(limit @ Some(_)) => Some((limit, at)),
                    _ => return false,
                },
                ["dynamic", alpha] if alpha.parse::<u8>().is_ok() => Some((None, at)),
                _ => return false,
            };
        }
        ["phb", "marking", "dscp", "enable"] => interface.marking = Some((on, at)),
        ["phb", "marking", "8021p", ..] => {}
        ["car", "inbound" | "outbound", ..] | ["car", _, "inbound" | "outbound", ..] if on => {
            interface.policer = Some(("qos car", at));
        }
        ["lr", ..] | ["micro-burst" | "burst-mode" | "queue-alarm", ..] => {}
        _ => return false,
    }
    true
}

/// The words behind `color green` or `ecn`.
pub fn curve(words: &[&str]) -> Option<Curve> {
    let (unit, rest) = match words {
        ["buffer-size", "cell", rest @ ..] => (Unit::Cells, rest),
        ["buffer-size", rest @ ..] => (Unit::Bytes, rest),
        rest => (Unit::Percent, rest),
    };
    let number = |text: &str| text.parse::<u64>().ok();
    let [
        "low-limit",
        low,
        "high-limit",
        high,
        "discard-percentage",
        percent,
    ] = rest
    else {
        return None;
    };
    let curve = Curve {
        low: number(low)?,
        high: number(high)?,
        unit,
        probability: percent.parse().ok().filter(|percent| *percent <= 100)?,
    };
    (unit != Unit::Percent || curve.high <= 100).then_some(curve)
}
