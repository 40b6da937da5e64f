//! Running configuration → what its sections define, set and bind.
//!
//! Sections are told by their keywords: published configurations have lost
//! all indentation.

use crate::model::{Fact, NoteKind, Origin, State};
use crate::platform::notes::Notes;
use crate::platform::text::interfaces;
use crate::platform::text::ranges::small_integers;
use crate::platform::text::sections::{Line, Section, lines};
use crate::platform::text::statements::{Style, banner_to_mark};
use std::array::from_fn;
use std::collections::HashMap;

const STYLE: Style = Style {
    comment: b'!',
    banner: banner_to_mark,
};

/// Ports that all ranges together may stand for: far more than a switch has.
const MOST_OF_RANGES: usize = 1 << 16;

/// A setting that some line makes; `None` where no line does.
pub type Setting<T> = Option<Fact<T>>;

/// A name that a line binds; none where it says `no`.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'t> {
    /// The name.
    pub name: Option<&'t str>,
    /// The line.
    pub at: Origin,
}

/// The kinds of `qos map`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MapKind {
    /// `dscp-tc`
    DscpTc,
    /// `dot1p-tc`
    Dot1pTc,
    /// `tc-queue`
    TcQueue,
    /// `tc-pg`
    TcPg,
    /// `tc-dscp`: a rewrite.
    TcDscp,
    /// `pfc-priority-queue`
    PfcQueue,
    /// `pfc-priority-pg`
    PfcPg,
    /// `tc-dot1p`: a rewrite of the VLAN tag, not judged.
    TcDot1p,
}

impl MapKind {
    /// All kinds, with their words: as the map's, before the key and before
    /// the value; and the largest key and value.
    pub const ALL: [(MapKind, &'static str, &'static str, &'static str, u8, u8); 8] = [
        (MapKind::DscpTc, "dscp-tc", "dscp", "traffic-class", 63, 15),
        (
            MapKind::Dot1pTc,
            "dot1p-tc",
            "dot1p",
            "traffic-class",
            7,
            15,
        ),
        (
            MapKind::TcQueue,
            "tc-queue",
            "traffic-class",
            "queue",
            15,
            7,
        ),
        (
            MapKind::TcPg,
            "tc-pg",
            "traffic-class",
            "priority-group",
            15,
            7,
        ),
        (MapKind::TcDscp, "tc-dscp", "traffic-class", "dscp", 15, 63),
        (
            MapKind::PfcQueue,
            "pfc-priority-queue",
            "pfc-priority",
            "queue",
            7,
            7,
        ),
        (
            MapKind::PfcPg,
            "pfc-priority-pg",
            "pfc-priority",
            "pg",
            7,
            7,
        ),
        (
            MapKind::TcDot1p,
            "tc-dot1p",
            "traffic-class",
            "dot1p",
            15,
            7,
        ),
    ];

    fn of(word: &str) -> Option<MapKind> {
        let mut all = MapKind::ALL.iter();
        all.find(|entry| entry.1 == word).map(|entry| entry.0)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        MapKind::ALL[self as usize].1
    }
}

/// `qos map KIND NAME`.
#[derive(Default, Debug)]
pub struct Map {
    /// The line that opens the definition.
    pub at: Origin,
    /// Key, value, and the line.
    pub entries: Vec<(u8, u8, Origin)>,
    /// A line is not understood: what it maps is not known.
    pub unclear: bool,
}

/// `qos wred-policy NAME`.
#[derive(Default, Debug)]
pub struct Wred {
    /// The line that opens the definition.
    pub at: Origin,
    /// Minimum and maximum in KB, drop probability in percent: for green packets.
    pub green: Setting<(u64, u64, u8)>,
    /// `ecn`: whether it covers green packets.
    pub ecn: Setting<bool>,
}

/// `queue N` of a scheduler policy.
#[derive(Clone, Default, Debug)]
pub struct Scheduler {
    /// `type`: whether it is strict.
    pub strict: Setting<bool>,
    /// `weight`.
    pub weight: Setting<u32>,
}

/// `qos scheduler-policy NAME`.
#[derive(Default, Debug)]
pub struct SchedulerPolicy {
    /// The line that opens the definition.
    pub at: Origin,
    /// By queue.
    pub queues: [Option<Scheduler>; 8],
}

/// `buffer profile NAME POOL SIZE …`.
#[derive(Debug)]
pub struct Profile<'t> {
    /// The line.
    pub at: Origin,
    /// The pool.
    pub pool: &'t str,
    /// Reserved bytes.
    pub size: u64,
    /// `static-threshold`, bytes.
    pub fixed: Option<u64>,
    /// `dynamic-threshold`: the share is 2 to this power of what is free.
    pub dynamic: Option<i8>,
    /// `pause-threshold`: room after the pause (SONiC's `xoff`), bytes.
    pub pause: Option<u64>,
    /// `resume-threshold` (SONiC's `xon`), bytes.
    pub resume: Option<u64>,
}

/// `policy-map NAME`: what it does with packets that it matches.
#[derive(Default, Debug)]
pub struct Policy<'t> {
    /// The line, and the words.
    pub beats: Vec<(Origin, &'t str)>,
}

/// What the lines of an interface say.
#[derive(Clone, Default, Debug)]
pub struct Settings<'t> {
    /// `qos-map KIND NAME`, by kind.
    pub maps: [Option<Reference<'t>>; 8],
    /// `scheduler-policy NAME`.
    pub scheduler: Option<Reference<'t>>,
    /// `queue N wred-policy NAME`.
    pub wred: [Option<Reference<'t>>; 8],
    /// `buffer priority-group N NAME`.
    pub groups: [Option<Reference<'t>>; 8],
    /// `buffer queue N NAME`.
    pub limits: [Option<Reference<'t>>; 8],
    /// `buffer default-lossless-buffer-profile`.
    pub default_lossless: Setting<bool>,
    /// `service-policy type qos in NAME`.
    pub policy: Option<Reference<'t>>,
    /// `priority-flow-control priority N`, by priority.
    pub pfc: [Setting<bool>; 8],
    /// A line of PFC that is not understood.
    pub pfc_unclear: Setting<()>,
    /// `priority-flow-control asymmetric`.
    pub asymmetric: Setting<bool>,
    /// `priority-flow-control watchdog on|off`.
    pub watchdog: Setting<bool>,
    /// `… detect-time`, milliseconds.
    pub detect: Setting<u32>,
    /// `… restore-time`, milliseconds.
    pub restore: Setting<u32>,
    /// `… action`.
    pub action: Setting<&'t str>,
    /// `mtu`.
    pub mtu: Setting<u32>,
    /// `speed`, Mb/s.
    pub speed: Setting<u32>,
    /// `fec`.
    pub fec: Setting<&'t str>,
    /// `cable-length`, metres.
    pub cable: Setting<u32>,
    /// `shutdown`.
    pub admin: Setting<State>,
    /// `description`.
    pub description: Setting<&'t str>,
    /// `channel-group`: the port-channel that it is a member of.
    pub lag: Option<u32>,
}

impl Settings<'_> {
    /// What holds where this says nothing.
    #[must_use]
    pub fn or(mut self, mut other: Self) -> Self {
        Settings {
            maps: from_fn(|n| self.maps[n].or(other.maps[n])),
            scheduler: self.scheduler.or(other.scheduler),
            wred: from_fn(|n| self.wred[n].or(other.wred[n])),
            groups: from_fn(|n| self.groups[n].or(other.groups[n])),
            limits: from_fn(|n| self.limits[n].or(other.limits[n])),
            default_lossless: self.default_lossless.or(other.default_lossless),
            policy: self.policy.or(other.policy),
            pfc: from_fn(|n| self.pfc[n].take().or_else(|| other.pfc[n].take())),
            pfc_unclear: self.pfc_unclear.or(other.pfc_unclear),
            asymmetric: self.asymmetric.or(other.asymmetric),
            watchdog: self.watchdog.or(other.watchdog),
            detect: self.detect.or(other.detect),
            restore: self.restore.or(other.restore),
            action: self.action.or(other.action),
            mtu: self.mtu.or(other.mtu),
            speed: self.speed.or(other.speed),
            fec: self.fec.or(other.fec),
            cable: self.cable.or(other.cable),
            admin: self.admin.or(other.admin),
            description: self.description.or(other.description),
            lag: self.lag.or(other.lag),
        }
    }
}

/// A configuration.
#[derive(Default, Debug)]
pub struct Config<'t> {
    /// `hostname`. A running configuration that is whole has it.
    pub hostname: Setting<&'t str>,
    /// `roce enable`, with its PFC priorities where it gives them.
    pub roce: Option<(Option<Vec<u8>>, Origin)>,
    /// `buffer init lossless`.
    pub buffer_init: Option<Origin>,
    /// `qos map KIND NAME`.
    pub maps: HashMap<(MapKind, &'t str), Map>,
    /// `qos wred-policy NAME`.
    pub wred: HashMap<&'t str, Wred>,
    /// `qos scheduler-policy NAME`.
    pub schedulers: HashMap<&'t str, SchedulerPolicy>,
    /// `buffer profile NAME`.
    pub profiles: HashMap<&'t str, Profile<'t>>,
    /// `policy-map NAME`.
    pub policies: HashMap<&'t str, Policy<'t>>,
    /// `buffer pool NAME shared-headroom-size BYTES`.
    pub pools: Vec<(&'t str, Fact<u64>)>,
    /// Sections of ports, in order; a later line wins.
    pub ports: Vec<(Vec<String>, Settings<'t>)>,
    /// Sections of port-channels by number.
    pub lags: HashMap<u32, Settings<'t>>,
}

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

fn number<T: std::str::FromStr + PartialOrd>(text: &str, least: T, largest: T) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = digits.then(|| text.parse().ok()).flatten()?;
    (least <= value && value <= largest).then_some(value)
}

fn list(text: &str, largest: u8) -> Option<Vec<u8>> {
    small_integers(text, largest).ok().filter(|l| !l.is_empty())
}

/// A word that stands for a setting, else unknown.
fn setting<T>(value: Option<T>, line: &Line<'_>, at: Origin) -> Setting<T> {
    let unknown = || Fact::unknown_at(format!("`{}` is not understood", shown(line.text)), at);
    Some(value.map_or_else(unknown, |value| Fact::explicit(value, at)))
}

/// A line as reports show it.
fn shown(text: &str) -> &str {
    let mut end = text.len().min(80);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// First words of lines that are about QoS. Such a line is understood, or told.
fn is_qos(word: &str) -> bool {
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
fn opens_other(word: &str) -> bool {
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
        let names = interfaces::expand(&format!("{kind}{}", numbers.trim_start()));
        let names = names.filter(|names| names.len() == 1 || range.is_some());
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
                    [name] => name,
                    [] if !on => "",
                    _ => return false,
                };
                let Some(kind) = MapKind::of(kind) else {
                    return false;
                };
                settings.maps[kind as usize] = named(name);
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

/// Whether the line opens a section, whatever it is.
fn is_opening(words: &[&str]) -> bool {
    match words {
        ["qos", word, ..] => matches!(*word, "map" | "wred-policy" | "scheduler-policy"),
        ["interface-naming", ..] => false,
        [word, ..] => matches!(*word, "interface" | "policy-map") || opens_other(word),
        [] => false,
    }
}

/// Older releases write `qos buffer` for `buffer`.
fn without_qos<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    match words {
        ["qos", "buffer" | "default-lossless-buffer-profile", ..] => {
            words.get(1..).unwrap_or(words)
        }
        words => words,
    }
}

/// `priority-flow-control …` on an interface.
fn pfc_line<'t>(
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
fn map_entry(kind: MapKind, words: &[&str]) -> Option<(Vec<u8>, u8)> {
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
fn wred_line(wred: &mut Wred, line: &Line<'_>, words: &[&str], at: Origin) -> bool {
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
fn profile<'t>(pool: &'t str, size: &str, words: &[&str], at: Origin) -> Option<Profile<'t>> {
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
