//! Running configuration → what its sections define, set and bind.
//!
//! Sections are told by their keywords: published configurations have lost
//! all indentation.

use super::config::{Config, MapKind, Reference, Settings};
use super::lines::{
    is_opening, is_qos, list, map_entry, pfc_line, profile, setting, without_qos, wred_line,
};
use crate::model::{Fact, NoteKind, Origin, State};
use crate::platform::notes::Notes;
use crate::platform::text::interfaces;
use crate::platform::text::ranges::small_integers;
use crate::platform::text::sections::{Line, Section, lines, number, shown};
use crate::platform::text::statements::{Style, banner_to_mark};

const STYLE: Style = Style {
    comment: b'!',
    banner: banner_to_mark,
};

/// Ports that all ranges together may stand for: far more than a switch has.
const MOST_OF_RANGES: usize = 1 << 16;

enum Mode<'t> {
    Outside,
    Map(MapKind, &'t str),
    Wred(&'t str),
    Scheduler(&'t str, Option<u8>),
    Policy(&'t str),
    /// The last of [`Config::ports`].
    Ports,
    Lag(u32),
    /// A section that holds nothing of what is judged.
    Ignored,
}

struct Reader<'t, 'n> {
    config: Config<'t>,
    notes: &'n mut Notes,
    capture: usize,
    mode: Mode<'t>,
    section: Section,
    /// Ports that ranges have stood for.
    expanded: usize,
}

/// Reads a configuration into `config`. What is no QoS is passed over; a QoS
/// line that is not understood becomes a note.
pub fn read<'t>(
    config: Config<'t>,
    capture: usize,
    text: &'t str,
    notes: &mut Notes,
) -> Config<'t> {
    let mut reader = Reader {
        config,
        notes,
        capture,
        mode: Mode::Outside,
        section: Section::default(),
        expanded: 0,
    };
    lines(text, &STYLE, |line| reader.line(line));
    reader.config
}

/// Reads `show qos map KIND` into `config`: the maps as tables.
pub fn shown_maps<'t>(mut config: Config<'t>, capture: usize, text: &'t str) -> Config<'t> {
    let mut open = None;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let at = Origin::new(capture, start);
        start += whole.len();
        let line = whole.trim();
        if let Some((kind, name)) = line.split_once(':') {
            let kind = kind.to_ascii_lowercase();
            let kind = kind.strip_suffix("-map").unwrap_or(&kind);
            open = MapKind::of(kind).map(|kind| (kind, name.trim()));
            if let Some(key) = open {
                config.maps.entry(key).or_default().at = at;
            }
            continue;
        }
        let mut words = line.split_ascii_whitespace();
        let (Some(key), Some(value), None) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Some(map) = open.and_then(|key| config.maps.get_mut(&key)) else {
            continue;
        };
        if let (Ok(keys), Ok(value)) = (small_integers(key, 63), value.parse()) {
            map.entries
                .extend(keys.into_iter().map(|key| (key, value, at)));
        }
    }
    config
}

impl<'t> Reader<'t, '_> {
    fn line(&mut self, line: Line<'t>) {
        let at = Origin::new(self.capture, line.offset);
        let words = line.words();
        let opening = is_opening(&words);
        if line.refused {
            let text = format!("the device refused `{}`", shown(line.text));
            self.notes.add(NoteKind::Unparsed, None, text, at);
            // What stands below a refused line is not of the section before.
            if opening {
                self.mode = Mode::Ignored;
            }
            return;
        }
        if opening {
            self.section = Section::at(line.column);
            self.mode = self.open(&line, &words, at);
            return;
        }
        if self.section.is_left(line.column) {
            self.mode = Mode::Outside;
        }
        let understood = match self.mode {
            // In a pasted session these close a queue, or the section.
            Mode::Scheduler(name, Some(_)) if matches!(&*words, ["exit"]) => {
                self.mode = Mode::Scheduler(name, None);
                true
            }
            _ if matches!(&*words, ["exit" | "end"]) => {
                self.mode = Mode::Outside;
                true
            }
            Mode::Outside => self.outside(&line, &words, at),
            Mode::Map(kind, name) => self.map(kind, name, &words, at),
            Mode::Wred(name) => match self.config.wred.get_mut(name) {
                Some(wred) => wred_line(wred, &line, &words, at),
                None => true,
            },
            Mode::Scheduler(name, queue) => self.scheduler(name, queue, &line, &words, at),
            Mode::Policy(name) => {
                let beats = matches!(
                    &*words,
                    ["set", "traffic-class" | "dscp", _] | ["police", ..]
                );
                if let Some(policy) = self.config.policies.get_mut(name).filter(|_| beats) {
                    policy.beats.push((at, shown(line.text)));
                }
                true
            }
            Mode::Ports | Mode::Lag(_) => self.interface(&line, &words, at),
            Mode::Ignored => {
                let words = words.strip_prefix(&["no"]).unwrap_or(&words);
                !matches!(words, ["priority-flow-control" | "qos-map", ..])
            }
        };
        if !understood {
            self.unparsed(&line, at);
        }
    }

    fn unparsed(&mut self, line: &Line<'_>, at: Origin) {
        let text = format!("`{}` is not understood", shown(line.text));
        self.notes.add(NoteKind::Unparsed, None, text, at);
    }

    fn open(&mut self, line: &Line<'t>, words: &[&'t str], at: Origin) -> Mode<'t> {
        match words {
            ["interface", ..] => return self.target(line, at),
            ["qos", "map", kind, name] if let Some(kind) = MapKind::of(kind) => {
                self.config.maps.entry((kind, name)).or_default().at = at;
                return Mode::Map(kind, name);
            }
            ["qos", "wred-policy", name] => {
                self.config.wred.entry(name).or_default().at = at;
                return Mode::Wred(name);
            }
            ["qos", "scheduler-policy", name] => {
                self.config.schedulers.entry(name).or_default().at = at;
                return Mode::Scheduler(name, None);
            }
            ["policy-map", name, ..] => {
                self.config.policies.entry(name).or_default();
                return Mode::Policy(name);
            }
            ["qos", ..] => self.unparsed(line, at),
            _ => {}
        }
        Mode::Ignored
    }

    /// What `interface …` names.
    fn target(&mut self, line: &Line<'t>, at: Origin) -> Mode<'t> {
        let rest = line.rest();
        let range = rest.strip_prefix("range ").map(str::trim_start);
        let name = range.unwrap_or(rest);
        let numbers = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let kind = name.get(..name.len() - numbers.len()).unwrap_or_default();
        let is = |wanted: &str| kind.eq_ignore_ascii_case(wanted);
        let kind = match kind {
            _ if is("Eth") => "Eth",
            _ if is("Ethernet") => "Ethernet",
            _ if is("PortChannel") || is("port-channel") => "PortChannel",
            _ => return Mode::Ignored,
        };
        // A sub-interface has no queues.
        if numbers.contains('.') {
            return Mode::Ignored;
        }
        let numbers = numbers.trim_start();
        // A port-channel says more behind its number: `mode lacp min-links 1`.
        let numbers = match numbers.split_once(" mode ") {
            Some((numbers, _)) if kind == "PortChannel" => numbers,
            _ => numbers,
        };
        let names = interfaces::expand(&format!("{kind}{numbers}"));
        let names = names.filter(|names| names.len() == 1 || range.is_some());
        // Of a name that is cut the port is not known.
        let whole = |name: &String| name.ends_with(|c: char| c.is_ascii_digit());
        let names = names.filter(|names| names.iter().all(whole));
        let names = names.filter(|names| {
            let more = if names.len() > 1 { names.len() } else { 0 };
            self.expanded += more;
            self.expanded <= MOST_OF_RANGES
        });
        let number = || numbers.trim().parse().ok();
        match names {
            Some(names) if kind != "PortChannel" => {
                self.config.ports.push((names, Settings::default()));
                Mode::Ports
            }
            Some(_) if let Some(number) = number() => Mode::Lag(number),
            _ => {
                self.unparsed(line, at);
                Mode::Ignored
            }
        }
    }

    fn outside(&mut self, line: &Line<'t>, words: &[&'t str], at: Origin) -> bool {
        // Older releases write `qos buffer`.
        let words = without_qos(words);
        match words {
            ["hostname", name] => self.config.hostname = Some(Fact::explicit(name, at)),
            ["roce", "enable"] | ["roce", "enable", "force-defaults"] => {
                self.config.roce = Some((None, at));
            }
            ["roce", "enable", "pfc-priority", priorities] => match list(priorities, 7) {
                Some(priorities) => self.config.roce = Some((Some(priorities), at)),
                None => return false,
            },
            ["no", "roce", "enable"] => self.config.roce = None,
            ["buffer", "init"] | ["buffer", "init", "lossless"] => {
                self.config.buffer_init = Some(at);
            }
            ["no", "buffer", "init", ..] => self.config.buffer_init = None,
            ["buffer", "pool", name, "shared-headroom-size", size] => {
                let bytes = number(size, 0, u64::from(u32::MAX));
                let read = bytes.is_some();
                if let Some(fact) = setting(bytes, line, at) {
                    self.config.pools.push((name, fact));
                }
                return read;
            }
            ["buffer", "profile", name, pool, size, rest @ ..] => {
                let Some(profile) = profile(pool, size, rest, at) else {
                    return false;
                };
                self.config.profiles.insert(name, profile);
            }
            ["priority-flow-control", "watchdog", "polling-interval", ms] => {
                return number(ms, 100u32, 3000).is_some();
            }
            ["priority-flow-control", "watchdog", "counter-poll"]
            | [
                "no",
                "priority-flow-control",
                "watchdog",
                "counter-poll" | "polling-interval",
            ] => {}
            ["no", word, ..] | [word, ..] => return !is_qos(word),
            [] => {}
        }
        true
    }

    fn map(&mut self, kind: MapKind, name: &'t str, words: &[&'t str], at: Origin) -> bool {
        let Some(map) = self.config.maps.get_mut(&(kind, name)) else {
            return true;
        };
        match map_entry(kind, words) {
            Some((keys, value)) => {
                let keys = keys.into_iter().map(|key| (key, value, at));
                map.entries.extend(keys);
                true
            }
            None => {
                map.unclear = true;
                false
            }
        }
    }

    fn scheduler(
        &mut self,
        name: &'t str,
        queue: Option<u8>,
        line: &Line<'t>,
        words: &[&'t str],
        at: Origin,
    ) -> bool {
        let Some(policy) = self.config.schedulers.get_mut(name) else {
            return true;
        };
        if let ["queue", id] = words {
            // The CPU's policies have more queues than a port.
            let id = number(id, 0u8, 47);
            if let Some(place) = id.and_then(|id| policy.queues.get_mut(usize::from(id))) {
                place.get_or_insert_default();
            }
            self.mode = Mode::Scheduler(name, id);
            return id.is_some();
        }
        if let ["port", ..] = words {
            self.mode = Mode::Scheduler(name, Some(u8::MAX));
            return true;
        }
        let place = queue.and_then(|id| policy.queues.get_mut(usize::from(id)));
        let scheduler = place.and_then(Option::as_mut);
        match (words, scheduler) {
            (["type", kind], Some(scheduler)) => {
                let strict = match *kind {
                    "strict" => Some(true),
                    "dwrr" | "wrr" => Some(false),
                    _ => None,
                };
                scheduler.strict = setting(strict, line, at);
                strict.is_some()
            }
            (["weight", weight], Some(scheduler)) => {
                let weight = number(weight, 1, 100);
                scheduler.weight = setting(weight, line, at);
                weight.is_some()
            }
            (["type" | "weight", _], None) => queue.is_some(),
            (["meter-type" | "cir" | "pir" | "cbs" | "pbs", ..], _) => true,
            _ => false,
        }
    }

    fn settings(&mut self) -> Option<&mut Settings<'t>> {
        match self.mode {
            Mode::Ports => self.config.ports.last_mut().map(|(_, settings)| settings),
            Mode::Lag(number) => Some(self.config.lags.entry(number).or_default()),
            _ => None,
        }
    }

    fn interface(&mut self, line: &Line<'t>, words: &[&'t str], at: Origin) -> bool {
        let Some(settings) = self.settings() else {
            return true;
        };
        let (on, words) = match words {
            ["no", words @ ..] => (false, words),
            words => (true, words),
        };
        let words = without_qos(words);
        let named = |name: &'t str| {
            let name = on.then_some(name);
            Some(Reference { name, at })
        };
        match words {
            ["description", ..] => {
                settings.description = Some(Fact::explicit(line.rest().trim_matches('"'), at));
            }
            ["mtu", size] if on => {
                let bytes = number(size, 68, 65_535);
                settings.mtu = setting(bytes, line, at);
                return bytes.is_some();
            }
            ["mtu", ..] => settings.mtu = None,
            ["speed", speed] => {
                settings.speed = number(speed, 1, 10_000_000).map(|mbps| Fact::explicit(mbps, at));
            }
            ["fec", mode] => settings.fec = Some(Fact::explicit(mode, at)),
            ["shutdown"] => {
                let state = if on { State::Down } else { State::Up };
                settings.admin = Some(Fact::explicit(state, at));
            }
            ["channel-group", number, ..] => match number.parse() {
                Ok(number) => settings.lag = Some(number),
                Err(_) => return false,
            },
            ["cable-length", length] => {
                let metres = length.strip_suffix('m').and_then(|m| number(m, 0, 100_000));
                settings.cable = setting(metres, line, at);
                return metres.is_some();
            }
            ["qos-map", kind, rest @ ..] => {
                let name = match rest {
                    [name] => Some(*name),
                    [] if !on => Some(""),
                    _ => None,
                };
                let (Some(kind), Some(name)) = (MapKind::of(kind), name) else {
                    settings.maps_unclear = Some(at);
                    return false;
                };
                settings.maps[kind as usize] = named(name);
            }
            ["trust", ..] => {
                settings.maps_unclear = Some(at);
                return false;
            }
            ["scheduler-policy", rest @ ..] => match rest {
                [name] => settings.scheduler = named(name),
                [] if !on => settings.scheduler = named(""),
                _ => return false,
            },
            ["queue", id, "wred-policy", rest @ ..] => {
                let id = number(id, 0, 7usize);
                let (Some(id), [name] | [name, ..]) = (id, rest) else {
                    return id.is_some() && !on;
                };
                settings.wred[id] = named(name);
            }
            [
                "buffer",
                place @ ("priority-group" | "queue"),
                ids,
                rest @ ..,
            ] => {
                let name = match rest {
                    [name] | ["profile", name] => name,
                    _ => return !on,
                };
                // Beyond the eighth are those of multicast.
                let Some(ids) = list(ids, 47) else {
                    return false;
                };
                for id in ids {
                    let all = match *place {
                        "priority-group" => &mut settings.groups,
                        _ => &mut settings.limits,
                    };
                    if let Some(place) = all.get_mut(usize::from(id)) {
                        *place = named(name);
                    }
                }
            }
            ["buffer", "default-lossless-buffer-profile"] | ["default-lossless-buffer-profile"] => {
                settings.default_lossless = Some(Fact::explicit(on, at));
            }
            ["service-policy", "type", "qos", "in", name] => settings.policy = named(name),
            [
                "service-policy",
                "type",
                "monitoring" | "forwarding" | "acl-copp",
                ..,
            ] => {}
            ["priority-flow-control", rest @ ..] => return pfc_line(settings, on, line, rest, at),
            [word, ..] => return !is_qos(word),
            [] => {}
        }
        true
    }
}
