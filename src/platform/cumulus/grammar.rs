//! The words of a setting (`qos pfc default-global switch-priority 3`, with
//! its value last) → what it sets. JSON, YAML and commands all come as words.

use super::config::{Config, FlowControl, GLOBAL, Interface, Kind, Mode, Said, Set};
use crate::model::{Origin, Priorities, State, Trust};
use crate::platform::text::ranges::small_integers;

/// The pools that `qos traffic-pool` knows.
const POOLS: [&str; 5] = [
    "default-lossless",
    "default-lossy",
    "mc-lossy",
    "roce-lossless",
    "roce-lossy",
];

/// Sets a value; whether it could be read.
pub fn put<T>(place: &mut Said<T>, value: Option<T>, at: Origin) -> bool {
    let read = value.is_some();
    *place = Some(Set { value, at });
    read
}

/// `on` and `off` in all releases' words.
pub fn switch(word: &str) -> Option<bool> {
    match word {
        "on" | "true" | "enable" | "enabled" | "yes" => Some(true),
        "off" | "false" | "disable" | "disabled" | "no" => Some(false),
        _ => None,
    }
}

/// A whole number up to `largest`.
pub fn number<T: std::str::FromStr + PartialOrd>(word: &str, largest: T) -> Option<T> {
    let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let value = digits.then(|| word.parse().ok()).flatten();
    value.filter(|value| *value <= largest)
}

/// `100G`, `25000`, `100M`: Mb/s.
pub fn speed(word: &str) -> Option<u32> {
    let (digits, factor) = match word.strip_suffix('G') {
        Some(digits) => (digits, 1000),
        None => (word.strip_suffix('M').unwrap_or(word), 1),
    };
    number(digits, 10_000_000u32)?.checked_mul(factor)
}

impl Config {
    /// Applies a setting. `false`: a QoS setting that is not known, or whose
    /// value can't be read. What is no QoS is passed over.
    pub fn apply(&mut self, words: &[&str], at: Origin) -> bool {
        match words {
            ["interface", key, rest @ ..] => self.interface_word(key, rest, at),
            ["qos", rest @ ..] => {
                self.has_qos = true;
                self.qos(rest, at)
            }
            ["system", "hostname", name] => put(&mut self.hostname, Some((*name).to_owned()), at),
            // Marking, classifying or policing beats the trust of a port.
            ["acl", name, "rule", _, "action", "set" | "police", ..] => {
                if !self.acls.contains_key(*name) {
                    self.acls.insert((*name).to_owned(), at);
                }
                true
            }
            _ => true,
        }
    }

    fn interface_word(&mut self, key: &str, rest: &[&str], at: Origin) -> bool {
        self.has_qos |= rest.first() == Some(&"qos");
        let sets = self.keys.make(key, at);
        match rest {
            ["link", rest @ ..] => link(sets, rest, at),
            ["qos", rest @ ..] => interface_qos(sets, rest, at),
            ["bond", "member", member] => {
                sets.members.push(((*member).to_owned(), at));
                true
            }
            ["acl", name, "inbound" | "outbound", ..] => {
                sets.acls.push(((*name).to_owned(), at));
                true
            }
            ["description", text @ ..] => put(&mut sets.description, Some(text.join(" ")), at),
            _ => true,
        }
    }

    fn qos(&mut self, words: &[&str], at: Origin) -> bool {
        match words {
            [] => true,
            ["roce", rest @ ..] => self.roce(rest, at),
            ["mapping", profile, rest @ ..] => self.mapping(profile, rest, at),
            ["remark", profile, rest @ ..] => self.remark(profile, rest, at),
            ["pfc", profile, "switch-priority", list] => {
                let set = priorities(list);
                let place = &mut self.pfc.make(profile, at).priorities;
                add_priorities(place, set, at);
                set.is_some()
            }
            ["pfc", profile, rest @ ..] => self.pfc.make(profile, at).set(rest, at),
            ["link-pause", profile, rest @ ..] => self.link_pause.make(profile, at).set(rest, at),
            ["congestion-control", profile, rest @ ..] => self.congestion(profile, rest, at),
            ["egress-scheduler", profile, rest @ ..] => self.scheduler(profile, rest, at),
            ["egress-queue-mapping", GLOBAL, rest @ ..] => self.queue_mapping(rest, at),
            ["egress-shaper", profile, rest @ ..] => {
                self.shaper.make(profile, at);
                match rest {
                    [] => true,
                    ["port-max-rate", rate] => number(rate, u64::MAX).is_some(),
                    ["traffic-class", list, "min-rate" | "max-rate", rate] => {
                        classes(list).is_some() && number(rate, u64::MAX).is_some()
                    }
                    _ => false,
                }
            }
            ["traffic-pool", name, rest @ ..] => self.traffic_pool(name, rest, at),
            ["advance-buffer-config", GLOBAL, rest @ ..] => self.advanced(rest, at),
            ["pfc-watchdog"] => true,
            ["pfc-watchdog", "polling-interval", ms] => {
                put(&mut self.polling_ms, number(ms, 3_600_000), at)
            }
            ["pfc-watchdog", "robustness", polls] => {
                put(&mut self.robustness, number(polls, 10_000), at)
            }
            _ => false,
        }
    }

    fn roce(&mut self, words: &[&str], at: Origin) -> bool {
        let roce = &mut self.roce;
        roce.at.get_or_insert(at);
        match words {
            [] => true,
            ["enable" | "state", word] => put(&mut roce.enabled, switch(word), at),
            ["mode", word] => put(&mut roce.mode, mode(word), at),
            ["cable-length", metres] => put(&mut roce.cable_m, number(metres, 100_000), at),
            _ => false,
        }
    }

    fn mapping(&mut self, profile: &str, words: &[&str], at: Origin) -> bool {
        let mapping = self.mapping.make(profile, at);
        let (map, list, largest, to) = match words {
            [] => return true,
            ["trust", word] => return put(&mut mapping.trust, trust(word), at),
            ["port-default-sp", sp] => return number(sp, 7u8).is_some(),
            ["dscp", list, "switch-priority", to] => (&mut mapping.dscp, list, 63, to),
            ["pcp", list, "switch-priority", to] => (&mut mapping.pcp, list, 7, to),
            _ => return false,
        };
        map_to(map, list, largest, number(to, 7), at)
    }

    fn remark(&mut self, profile: &str, words: &[&str], at: Origin) -> bool {
        let remark = self.remark.make(profile, at);
        match words {
            [] => true,
            ["rewrite", word] => {
                let l3 = match *word {
                    "l3" | "both" => Some(true),
                    "l2" | "none" => Some(false),
                    _ => None,
                };
                put(&mut remark.rewrites_dscp, l3, at)
            }
            ["switch-priority", list, "dscp", code] => {
                map_to(&mut remark.dscp, list, 7, number(code, 63), at)
            }
            ["switch-priority", list, "pcp", code] => {
                priorities(list).is_some() && number(code, 7u8).is_some()
            }
            _ => false,
        }
    }

    fn congestion(&mut self, profile: &str, words: &[&str], at: Origin) -> bool {
        let all = self.congestion.make(profile, at);
        let ["traffic-class", list, rest @ ..] = words else {
            return words.is_empty();
        };
        let Some(list) = classes(list) else {
            return false;
        };
        let mut read = true;
        for class in list {
            let marking = all.entry(class).or_default();
            if !marking.at.is_known() {
                marking.at = at;
            }
            read = match rest {
                [] => true,
                ["ecn", word] => put(&mut marking.ecn, switch(word), at),
                ["red", word] => put(&mut marking.red, switch(word), at),
                ["min-threshold", bytes] => put(&mut marking.min, number(bytes, u64::MAX), at),
                ["max-threshold", bytes] => put(&mut marking.max, number(bytes, u64::MAX), at),
                ["probability", percent] => put(&mut marking.probability, number(percent, 100), at),
                _ => false,
            };
        }
        read
    }

    fn scheduler(&mut self, profile: &str, words: &[&str], at: Origin) -> bool {
        let all = self.scheduler.make(profile, at);
        let ["traffic-class", list, rest @ ..] = words else {
            return words.is_empty();
        };
        let Some(list) = classes(list) else {
            return false;
        };
        let mut read = true;
        for class in list {
            let serving = all.entry(class).or_default();
            read = match rest {
                [] => true,
                ["mode", "strict"] => put(&mut serving.strict, Some(true), at),
                ["mode", "dwrr"] => put(&mut serving.strict, Some(false), at),
                ["mode", _] => put(&mut serving.strict, None, at),
                ["bw-percent", percent] => put(&mut serving.share, number(percent, 100), at),
                _ => false,
            };
        }
        read
    }

    fn queue_mapping(&mut self, words: &[&str], at: Origin) -> bool {
        match words {
            [] => true,
            ["switch-priority", list, "traffic-class", class] => {
                map_to(&mut self.queues, list, 7, number(class, 7), at)
            }
            _ => false,
        }
    }

    fn traffic_pool(&mut self, name: &str, words: &[&str], at: Origin) -> bool {
        let Some(name) = POOLS.iter().find(|known| **known == name) else {
            return false;
        };
        let pool = self.pools.entry((*name).to_owned()).or_default();
        match words {
            [] => true,
            ["memory-percent", word] => put(&mut pool.percent, percent(word), at),
            ["switch-priority", list] => priorities(list).is_some(),
            _ => false,
        }
    }

    /// Of advanced buffer settings only those of lossless traffic are judged.
    fn advanced(&mut self, words: &[&str], at: Origin) -> bool {
        match words {
            ["ingress-lossless-buffer", "shared-alpha", word] => {
                put(&mut self.lossless_alpha, alpha(word), at)
            }
            ["egress-lossless-buffer", "shared-bytes", bytes] => {
                put(&mut self.egress_limit, number(bytes, u64::MAX), at)
            }
            ["ingress-service-pool", "1", "memory-percent", word] => {
                put(&mut self.service_pool, percent(word), at)
            }
            [region, ..] => REGIONS.contains(region),
            [] => true,
        }
    }
}

/// Regions of `advance-buffer-config`.
const REGIONS: [&str; 8] = [
    "egress-lossless-buffer",
    "egress-lossy-buffer",
    "egress-mgmt-buffer",
    "egress-service-pool",
    "ingress-lossless-buffer",
    "ingress-lossy-buffer",
    "ingress-mgmt-buffer",
    "ingress-service-pool",
];

impl FlowControl {
    /// A leaf of `qos pfc PROFILE` or `qos link-pause PROFILE`.
    fn set(&mut self, words: &[&str], at: Origin) -> bool {
        match words {
            [] => true,
            ["tx", word] => put(&mut self.tx, switch(word), at),
            ["rx", word] => put(&mut self.rx, switch(word), at),
            ["cable-length", metres] => put(&mut self.cable_m, number(metres, 100_000), at),
            ["port-buffer", bytes] => put(&mut self.buffer, number(bytes, u64::MAX), at),
            ["xoff-threshold", bytes] => put(&mut self.xoff, number(bytes, u64::MAX), at),
            ["xon-threshold", bytes] => put(&mut self.xon, number(bytes, u64::MAX), at),
            ["small-packet-probability", percent] => number(percent, 100u8).is_some(),
            _ => false,
        }
    }
}

fn link(sets: &mut Interface, words: &[&str], at: Origin) -> bool {
    match words {
        ["mtu", bytes] => put(&mut sets.mtu, number(bytes, 65_535), at),
        // What is negotiated is not known from configuration.
        ["speed", "auto"] => {
            sets.speed = None;
            true
        }
        ["speed", word] => put(&mut sets.speed, speed(word), at),
        ["fec", word] => {
            let fec = match *word {
                "rs" => Some("rs"),
                "baser" => Some("fc"),
                "off" => Some("none"),
                _ => None,
            };
            if fec.is_some() {
                put(&mut sets.fec, fec, at);
            }
            true
        }
        ["state", word, ..] => {
            let state = match *word {
                "up" => Some(State::Up),
                "down" => Some(State::Down),
                _ => None,
            };
            put(&mut sets.admin, state, at);
            true
        }
        ["breakout", parts, ..] => put(
            &mut sets.split,
            Some(!matches!(*parts, "1x" | "loopback")),
            at,
        ),
        _ => true,
    }
}

fn interface_qos(sets: &mut Interface, words: &[&str], at: Origin) -> bool {
    match words {
        [] => true,
        ["pfc-watchdog"] => put(&mut sets.watchdog, Some(true), at),
        ["pfc-watchdog", "state", word] => put(&mut sets.watchdog, switch(word), at),
        // The shaper of PTP packets alone.
        ["egress-shaper", "ptp-shaper", ..] => true,
        [word] => Kind::ALL.iter().any(|kind| kind.word() == *word),
        [word, "profile", name] => match Kind::ALL.iter().position(|kind| kind.word() == *word) {
            Some(kind) => put(&mut sets.bound[kind], Some((*name).to_owned()), at),
            None => false,
        },
        _ => false,
    }
}

/// The priorities of a list: `3`, `0-3,5-7`.
pub fn priorities(list: &str) -> Option<Priorities> {
    classes(list).map(|list| list.into_iter().collect())
}

fn classes(list: &str) -> Option<Vec<u8>> {
    small_integers(list, 7).ok().filter(|list| !list.is_empty())
}

/// Adds to what other lines of the profile name.
pub fn add_priorities(place: &mut Said<Priorities>, more: Option<Priorities>, at: Origin) {
    let both = match (place.as_ref(), more) {
        (Some(set), Some(more)) => set
            .value
            .map(|old| Priorities::from_mask(old.mask() | more.mask())),
        (None, more) => more,
        (Some(_), None) => None,
    };
    let at = place.as_ref().map_or(at, |set| set.at);
    *place = Some(Set { value: both, at });
}

/// Maps each member of a list to a value.
pub fn map_to(
    map: &mut std::collections::BTreeMap<u8, Set<u8>>,
    list: &str,
    largest: u8,
    to: Option<u8>,
    at: Origin,
) -> bool {
    let Ok(list) = small_integers(list, largest) else {
        return false;
    };
    let read = to.is_some() && !list.is_empty();
    map.extend(list.into_iter().map(|key| (key, Set { value: to, at })));
    read
}

fn trust(word: &str) -> Option<Trust> {
    match word {
        "l2" => Some(Trust::Pcp),
        "l3" => Some(Trust::Dscp),
        "both" => Some(Trust::Both),
        "port" => Some(Trust::None),
        _ => None,
    }
}

/// A mode of `qos roce`.
pub fn mode(word: &str) -> Option<Mode> {
    match word {
        "lossless" => Some(Mode::Lossless),
        "lossless-single-ipool" => Some(Mode::LosslessSingleIpool),
        "lossy" => Some(Mode::Lossy),
        "lossy-multi-tc" => Some(Mode::LossyMultiTc),
        _ => None,
    }
}

/// `50`, `50.0`.
pub fn percent(word: &str) -> Option<f64> {
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value: Option<f64> = plain.then(|| word.parse().ok()).flatten();
    value.filter(|value| *value <= 100.0)
}

/// `alpha_8`, `alpha_1_128`, `alpha_infinity` in thousandths, in any case.
pub fn alpha(word: &str) -> Option<u64> {
    let word = word.to_ascii_lowercase();
    let text = word.strip_prefix("alpha_")?;
    if text == "infinity" {
        return Some(u64::MAX);
    }
    match text.split_once('_') {
        None => number(text, 64u64).map(|factor| factor * 1000),
        Some(("1", part)) => number(part, 128u64)
            .filter(|part| *part > 0)
            .map(|part| (1000 + part / 2) / part),
        Some(_) => None,
    }
}
