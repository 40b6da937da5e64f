//! The grammar of single lines.

use super::config::{Class, Entries, Pause, Reference, Wred};
use crate::model::{Fact, Origin};
use crate::platform::text::ranges::small_integers;
use crate::platform::text::sections::{Line, number, shown};

/// The kinds of class-maps and policy-maps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Network,
    Queuing,
    Qos,
    /// Of no interest here: control-plane, application, traffic …
    Other,
}

/// A list of small numbers that may have blanks in it: `0-2, 4-7`.
pub fn list(words: &[&str], largest: u8) -> Option<Vec<u8>> {
    let text = words.concat();
    small_integers(&text, largest)
        .ok()
        .filter(|l| !l.is_empty())
}

/// A word that stands for a setting, else unknown.
pub fn setting<T>(value: Option<T>, line: &Line<'_>, at: Origin) -> Option<Fact<T>> {
    let unknown = || Fact::unknown_at(format!("`{}` is not understood", shown(line.text)), at);
    Some(value.map_or_else(unknown, |value| Fact::explicit(value, at)))
}

/// First words of lines that are about QoS. Such a line is understood, or told.
pub fn is_qos(word: &str) -> bool {
    matches!(
        word,
        "bandwidth"
            | "buffer"
            | "class"
            | "class-map"
            | "dcb"
            | "dcb-map"
            | "dcbx"
            | "dot1p"
            | "dscp"
            | "ecn"
            | "ets"
            | "flow-control"
            | "flowcontrol"
            | "lossless"
            | "no-drop"
            | "pause"
            | "pfc"
            | "pfc-cos"
            | "pfc-max-buffer-size"
            | "pfc-shared-buffer-size"
            | "policy-map"
            | "priority-flow-control"
            | "qos"
            | "qos-group"
            | "qos-map"
            | "queue"
            | "queue-limit"
            | "random-detect"
            | "roce"
            | "service-policy"
            | "traffic-class"
            | "trust"
            | "trust-map"
            | "wred"
    )
}

/// Sections that hold nothing of what is judged. Where they are indented
/// their end is seen; where not, the next section ends them.
pub fn opens_other(word: &str) -> bool {
    matches!(
        word,
        "router"
            | "vlt-domain"
            | "route-map"
            | "vlan"
            | "line"
            | "control-plane"
            | "monitor"
            | "uplink-state-group"
            | "telemetry"
            | "support-assist"
            | "policy-map-input"
            | "fcoe"
            | "vfabric"
    )
}

/// qos-groups and queues that some platform has (S4200-ON: 0 to 19).
pub const LAST_GROUP: u8 = 19;

/// The unit of all sizes: the User Guide writes KB and does not say which.
pub const KB: u64 = 1000;

pub fn on_off(word: &str) -> Option<bool> {
    match word {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// Negotiation by DCBX, for all ports or for one.
pub fn is_dcbx(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["no"]).unwrap_or(words);
    matches!(words, ["dcbx", "enable" | "version" | "tlv-select", ..])
}

/// Lines about objects that OS10 has of itself.
pub fn is_default_object(text: &str) -> bool {
    text.starts_with("class-map type application")
        || text.starts_with("policy-map type application")
}

/// Lines that mean something on a port, in a section of something else.
pub fn has_effect_elsewhere(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["no"]).unwrap_or(words);
    let first = words.first().copied().unwrap_or_default();
    matches!(
        first,
        "priority-flow-control" | "trust-map" | "random-detect" | "flowcontrol"
    )
}

/// `type KIND [match-any] NAME`; without a type it is `qos`.
pub fn class_map<'t>(words: &[&'t str]) -> Option<(Kind, &'t str)> {
    let (kind, words) = typed(words)?;
    match words {
        ["match-any" | "match-all", name] | [name] => Some((kind, name)),
        _ => None,
    }
}

pub fn policy_map<'t>(words: &[&'t str]) -> Option<(Kind, &'t str)> {
    match typed(words)? {
        (kind, [name]) => Some((kind, name)),
        _ => None,
    }
}

fn typed<'w, 't>(words: &'w [&'t str]) -> Option<(Kind, &'w [&'t str])> {
    Some(match words {
        ["type", "network-qos", rest @ ..] => (Kind::Network, rest),
        ["type", "queuing", rest @ ..] => (Kind::Queuing, rest),
        ["type", "qos", rest @ ..] => (Kind::Qos, rest),
        [
            "type",
            "control-plane" | "application" | "traffic",
            rest @ ..,
        ] => (Kind::Other, rest),
        ["type", ..] => return None,
        rest => (Kind::Qos, rest),
    })
}

/// Keys and the value that they are mapped to.
pub type Entry = (Vec<u8>, u8);

/// Adds the entries of a line; false where it is not understood.
pub fn entered(entries: Option<&mut Entries>, entry: Option<Entry>, at: Origin) -> bool {
    let Some(entries) = entries else { return true };
    match entry {
        Some((keys, value)) => {
            let keys = keys.into_iter().map(|key| (key, value, at));
            entries.all.extend(keys);
            true
        }
        None => {
            entries.unclear.get_or_insert(at);
            false
        }
    }
}

/// `qos-group G dscp|dot1p LIST [color C]`.
pub fn trust(words: &[&str], field: &str, largest: u8) -> Option<Entry> {
    let (group, codes) = match words {
        ["qos-group", group, word, codes @ .., "color", _] if *word == field => (group, codes),
        ["qos-group", group, word, codes @ ..] if *word == field => (group, codes),
        _ => return None,
    };
    Some((list(codes, largest)?, number(group, 0, LAST_GROUP)?))
}

/// `queue Q qos-group LIST [type ucast|mcast]`.
pub fn queues(words: &[&str]) -> Option<Entry> {
    let (queue, groups) = match words {
        // Multicast has queues of its own.
        ["queue", _, "qos-group", .., "type", "mcast"] => return Some((Vec::new(), 0)),
        ["queue", queue, "qos-group", groups @ .., "type", "ucast"] => (queue, groups),
        ["queue", queue, "qos-group", groups @ ..] => (queue, groups),
        _ => return None,
    };
    Some((list(groups, LAST_GROUP)?, number(queue, 0, 7)?))
}

/// Lines below `wred NAME`.
pub fn wred_line(wred: &mut Wred, line: &Line<'_>, words: &[&str], at: Origin) -> bool {
    match words {
        ["random-detect", "ecn"] => wred.ecn = Some(at),
        ["no", "random-detect", "ecn"] => wred.ecn = None,
        ["random-detect", "weight", weight] => return number(weight, 0u8, 15).is_some(),
        [
            "random-detect",
            "color",
            color @ ("green" | "yellow" | "red"),
            "minimum-threshold",
            min,
            "maximum-threshold",
            max,
            "drop-probability",
            percent,
        ] => {
            let (min, max) = (
                number(min, 0, u64::from(u32::MAX)),
                number(max, 0, u64::from(u32::MAX)),
            );
            let curve = match (min, max, number(percent, 0, 100)) {
                (Some(min), Some(max), Some(percent)) => Some((min, max, percent)),
                _ => None,
            };
            if *color == "green" {
                wred.green = setting(curve, line, at);
            }
            return curve.is_some();
        }
        _ => return false,
    }
    true
}

/// Lines below `class NAME` of a policy.
pub fn class_line<'t>(
    class: &mut Class<'t>,
    kind: Kind,
    line: &Line<'t>,
    words: &[&'t str],
    at: Origin,
) -> bool {
    match (kind, words) {
        (Kind::Network, ["pause", rest @ ..]) => {
            let sizes = match rest {
                [] => None,
                [
                    "buffer-size",
                    size,
                    "pause-threshold",
                    pause,
                    "resume-threshold",
                    resume,
                ] => {
                    let kb = |text: &str| number(text, 0, u64::from(u32::MAX));
                    match (kb(size), kb(pause), kb(resume)) {
                        (Some(size), Some(pause), Some(resume)) => Some([size, pause, resume]),
                        _ => return false,
                    }
                }
                _ => return false,
            };
            class.pause = Some(Pause { at, sizes });
        }
        (Kind::Network, ["no", "pause", ..]) => class.pause = None,
        (Kind::Network, ["pfc-cos", codes @ ..]) => {
            let codes = list(codes, 7);
            let read = codes.is_some();
            class.cos = setting(codes, line, at);
            return read;
        }
        (Kind::Network, ["no", "pfc-cos", ..]) => class.cos = None,
        (Kind::Network, ["queue-limit", "thresh-mode", "dynamic" | "static", n]) => {
            return number(n, 0, u32::MAX).is_some();
        }
        (Kind::Queuing, ["bandwidth", "percent", share]) => {
            let share = number(share, 0, 100);
            class.bandwidth = setting(share, line, at);
            return share.is_some();
        }
        (Kind::Queuing, ["no", "bandwidth", ..]) => class.bandwidth = None,
        (Kind::Queuing, ["priority"]) => class.strict = Some(at),
        (Kind::Queuing, ["no", "priority"]) => class.strict = None,
        (Kind::Queuing, ["random-detect", name]) => {
            let name = Some(*name);
            class.wred = Some(Reference { name, at });
        }
        (Kind::Queuing, ["no", "random-detect", ..]) => class.wred = None,
        (Kind::Queuing, ["shape", ..]) => {}
        (Kind::Queuing, ["queue-limit", rest @ ..]) => {
            let limit = match rest {
                ["queue-len", size] => number(size, 0, u64::from(u32::MAX)).map(|_| None),
                ["thresh-mode", "dynamic", n] | ["queue-len", _, "thresh-mode", "dynamic", n] => {
                    number(n, 0u8, 10).map(|_| None)
                }
                ["thresh-mode", "static", kb] | ["queue-len", _, "thresh-mode", "static", kb] => {
                    number(kb, 0, u64::from(u32::MAX)).map(Some)
                }
                _ => None,
            };
            let read = limit.is_some();
            class.limit = setting(limit, line, at);
            return read;
        }
        (Kind::Qos, ["set", "qos-group", group]) => {
            let group = number(group, 0, LAST_GROUP);
            let read = group.is_some();
            class.group = setting(group, line, at);
            return read;
        }
        (Kind::Qos, ["set", "dscp", dscp]) => {
            let dscp = number(dscp, 0, 63);
            let read = dscp.is_some();
            class.dscp = setting(dscp, line, at);
            return read;
        }
        (Kind::Qos, ["set", "cos" | "color", _]) => {}
        (Kind::Qos, ["police", ..]) => class.police = Some(at),
        _ => return false,
    }
    true
}
