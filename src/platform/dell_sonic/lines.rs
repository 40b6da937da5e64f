//! The grammar of single lines.

use super::config::{MapKind, Profile, Setting, Settings, Wred};
use crate::model::{Fact, Origin};
use crate::platform::text::ranges::small_integers;
use crate::platform::text::sections::{Line, number, shown};

pub fn list(text: &str, largest: u8) -> Option<Vec<u8>> {
    small_integers(text, largest).ok().filter(|l| !l.is_empty())
}

/// A word that stands for a setting, else unknown.
pub fn setting<T>(value: Option<T>, line: &Line<'_>, at: Origin) -> Setting<T> {
    let unknown = || Fact::unknown_at(format!("`{}` is not understood", shown(line.text)), at);
    Some(value.map_or_else(unknown, |value| Fact::explicit(value, at)))
}

/// First words of lines that are about QoS. Such a line is understood, or told.
pub fn is_qos(word: &str) -> bool {
    matches!(
        word,
        "buffer"
            | "cable-length"
            | "dcbx"
            | "dot1p"
            | "dscp"
            | "ecn"
            | "flow-control"
            | "flowcontrol"
            | "green"
            | "lossless"
            | "pfc"
            | "pfc-priority"
            | "priority-flow-control"
            | "qos"
            | "qos-map"
            | "queue"
            | "random-detect"
            | "red"
            | "roce"
            | "scheduler-policy"
            | "service-policy"
            | "traffic-class"
            | "trust"
            | "weight"
            | "wred"
            | "wred-policy"
            | "yellow"
    )
}

/// Sections that hold nothing of what is judged.
pub fn opens_other(word: &str) -> bool {
    matches!(
        word,
        "hardware"
            | "access-list"
            | "tcam"
            | "line"
            | "router"
            | "class-map"
            | "route-map"
            | "mclag"
            | "copp-action"
            | "monitor"
            | "threshold"
            | "telemetry"
            | "track"
            | "vlan"
    )
}

/// Whether the line opens a section, whatever it is.
pub fn is_opening(words: &[&str]) -> bool {
    match words {
        ["qos", word, ..] => matches!(*word, "map" | "wred-policy" | "scheduler-policy"),
        ["interface-naming", ..] => false,
        [word, ..] => matches!(*word, "interface" | "policy-map") || opens_other(word),
        [] => false,
    }
}

/// Older releases write `qos buffer` for `buffer`.
pub fn without_qos<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    match words {
        ["qos", "buffer" | "default-lossless-buffer-profile", ..] => {
            words.get(1..).unwrap_or(words)
        }
        words => words,
    }
}

/// `priority-flow-control …` on an interface.
pub fn pfc_line<'t>(
    settings: &mut Settings<'t>,
    on: bool,
    line: &Line<'t>,
    words: &[&'t str],
    at: Origin,
) -> bool {
    match words {
        ["priority", priorities] => {
            let Some(priorities) = list(priorities, 7) else {
                settings.pfc_unclear = setting(None, line, at);
                return false;
            };
            for priority in priorities {
                if let Some(place) = settings.pfc.get_mut(usize::from(priority)) {
                    *place = Some(Fact::explicit(on, at));
                }
            }
        }
        ["asymmetric"] => settings.asymmetric = Some(Fact::explicit(on, at)),
        ["watchdog", "action", ..] if !on => settings.action = None,
        [
            "watchdog",
            "action",
            action @ ("drop" | "forward" | "alert"),
        ] => {
            settings.action = Some(Fact::explicit(action, at));
        }
        [
            "watchdog",
            "on" | "off" | "detect-time" | "restore-time",
            ..,
        ] if !on => {
            if words.get(1) == Some(&"restore-time") {
                settings.restore = None;
            } else {
                settings.watchdog = Some(Fact::explicit(false, at));
            }
        }
        ["watchdog", state @ ("on" | "off")] => {
            settings.watchdog = Some(Fact::explicit(*state == "on", at));
        }
        ["watchdog", "on", "detect-time", ms] => {
            let ms = number(ms, 0, 1_000_000);
            settings.watchdog = Some(Fact::explicit(true, at));
            settings.detect = setting(ms, line, at);
            return ms.is_some();
        }
        ["watchdog", "detect-time", ms] => {
            let ms = number(ms, 0, 1_000_000);
            settings.detect = setting(ms, line, at);
            return ms.is_some();
        }
        ["watchdog", "restore-time", ms] => {
            let ms = number(ms, 0, 1_000_000);
            settings.restore = setting(ms, line, at);
            return ms.is_some();
        }
        _ => return false,
    }
    true
}

/// A line of a map: its keys, and what they are mapped to.
pub fn map_entry(kind: MapKind, words: &[&str]) -> Option<(Vec<u8>, u8)> {
    let (_, _, before, middle, last_key, last_value) = MapKind::ALL[kind as usize];
    // `pg` and `priority-group` are one.
    let middle = |word: &str| {
        let group = |word: &str| matches!(word, "pg" | "priority-group");
        word == middle || (group(word) && group(middle))
    };
    match words {
        [first, keys, second, value] if *first == before && middle(second) => {
            Some((list(keys, last_key)?, number(value, 0, last_value)?))
        }
        _ => None,
    }
}

/// Lines below `qos wred-policy NAME`.
pub fn wred_line(wred: &mut Wred, line: &Line<'_>, words: &[&str], at: Origin) -> bool {
    match words {
        ["ecn", colours] => {
            let green = match *colours {
                "all" => Some(true),
                "none" => Some(false),
                colours if colours.split(['-', '_']).all(is_colour) => {
                    Some(colours.split(['-', '_']).any(|colour| colour == "green"))
                }
                _ => None,
            };
            wred.ecn = setting(green, line, at);
            green.is_some()
        }
        ["no", "ecn", ..] => {
            wred.ecn = None;
            true
        }
        [
            colour,
            "minimum-threshold",
            min,
            "maximum-threshold",
            max,
            "drop-probability",
            percent,
        ] if is_colour(colour) => {
            let kb = |text: &str| number(text, 0, u64::from(u32::MAX));
            let curve = match (kb(min), kb(max), number(percent, 0, 100)) {
                (Some(min), Some(max), Some(percent)) => Some((min, max, percent)),
                _ => None,
            };
            if *colour == "green" {
                wred.green = setting(curve, line, at);
            }
            curve.is_some()
        }
        _ => false,
    }
}

fn is_colour(word: &str) -> bool {
    matches!(word, "green" | "yellow" | "red")
}

/// `SIZE static-threshold BYTES|dynamic-threshold N [pause pause-threshold
/// BYTES [resume-threshold BYTES] [resume-offset-threshold BYTES]]`.
pub fn profile<'t>(pool: &'t str, size: &str, words: &[&str], at: Origin) -> Option<Profile<'t>> {
    let bytes = |text: &str| number(text, 0, u64::from(u32::MAX));
    let mut profile = Profile {
        at,
        pool,
        size: bytes(size)?,
        fixed: None,
        dynamic: None,
        pause: None,
        resume: None,
    };
    let mut rest = words;
    while !rest.is_empty() {
        rest = match rest {
            ["static-threshold", value, rest @ ..] => {
                profile.fixed = Some(bytes(value)?);
                rest
            }
            ["dynamic-threshold", value, rest @ ..] => {
                let power = value.parse().ok().filter(|n: &i8| (-8..=8).contains(n))?;
                profile.dynamic = Some(power);
                rest
            }
            ["pause", rest @ ..] => rest,
            ["pause-threshold", value, rest @ ..] => {
                profile.pause = Some(bytes(value)?);
                rest
            }
            ["resume-threshold", value, rest @ ..] => {
                profile.resume = Some(bytes(value)?);
                rest
            }
            ["resume-offset-threshold", value, rest @ ..] => {
                bytes(value)?;
                rest
            }
            _ => return None,
        };
    }
    Some(profile)
}
