//! Running configurations → settings by name.

use crate::model::{NoteKind, Origin};
use crate::platform::notes::Notes;
use crate::platform::text::interfaces::expand;
use crate::platform::text::statements::{Statement, Statements, Style, banner_to_eof};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

pub const STYLE: Style = Style {
    comment: b'!',
    banner: banner_to_eof,
};

/// A value with the line that gives it.
pub type Said<T> = Option<(T, Origin)>;

/// All that one configuration says.
#[derive(Default)]
pub struct Config<'t> {
    pub hostname: Said<&'t str>,
    /// DSCP → traffic class, CoS → traffic class, traffic class → queue and
    /// → DSCP, as lines give them.
    pub dscp: BTreeMap<u8, (u8, Origin)>,
    pub cos: BTreeMap<u8, (u8, Origin)>,
    pub queue: BTreeMap<u8, (u8, Origin)>,
    pub rewrite: BTreeMap<u8, (u8, Origin)>,
    /// `qos rewrite dscp`.
    pub rewrites: Said<bool>,
    pub profiles: HashMap<&'t str, (Qos<'t>, Origin)>,
    pub policies: HashMap<&'t str, Policy<'t>>,
    pub classes: HashMap<&'t str, Origin>,
    /// `priority-flow-control all off`.
    pub all_off: Option<Origin>,
    pub watchdog: Watchdog<'t>,
    pub buffers: HashMap<&'t str, Origin>,
    pub applied: HashMap<&'t str, Origin>,
    pub interfaces: Vec<Interface<'t>>,
    /// Port-channels by number.
    pub lags: HashMap<&'t str, Interface<'t>>,
}

/// Settings of the PFC watchdog; times in milliseconds.
#[derive(Clone, Default)]
pub struct Watchdog<'t> {
    pub timeout: Said<u32>,
    pub recovery: Said<u32>,
    pub action: Said<&'t str>,
}

/// A policy map of type quality-of-service.
pub struct Policy<'t> {
    pub classes: Vec<(&'t str, Origin)>,
    /// What it does to packets: `set traffic-class 5`, `police …`.
    pub acts: Vec<(&'t str, Origin)>,
}

/// What an interface or a qos profile says of quality of service.
#[derive(Clone, Default)]
pub struct Qos<'t> {
    pub profile: Said<&'t str>,
    pub policy: Said<&'t str>,
    /// `dscp`, `cos`, or nothing for `no qos trust`.
    pub trust: Said<Option<&'t str>>,
    pub pfc: Said<bool>,
    pub no_drop: [Said<bool>; 8],
    pub watched: Said<bool>,
    pub watchdog: Watchdog<'t>,
    pub queues: BTreeMap<u8, Queue<'t>>,
}

/// A transmit queue.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Queue<'t> {
    pub strict: Said<bool>,
    pub percent: Said<u32>,
    pub ecn: Said<Option<Thresholds<'t>>>,
    pub drop: Said<bool>,
    /// The line that opens the block.
    pub at: Origin,
}

/// A line of random-detect, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds<'t> {
    pub min: &'t str,
    pub min_unit: &'t str,
    pub max: &'t str,
    pub max_unit: &'t str,
    pub probability: Option<&'t str>,
}

/// An Ethernet port or a port-channel.
#[derive(Clone, Default)]
pub struct Interface<'t> {
    pub name: Cow<'t, str>,
    pub description: Said<&'t str>,
    pub mtu: Said<u32>,
    pub l2_mtu: Said<u32>,
    pub switchport: Said<bool>,
    pub shutdown: Said<bool>,
    pub speed: Said<u32>,
    pub fec: Said<&'t str>,
    pub send: Said<bool>,
    pub receive: Said<bool>,
    pub lag: Option<&'t str>,
    pub qos: Qos<'t>,
    pub at: Origin,
}

/// Reads one capture.
pub struct Reader<'n> {
    pub capture: usize,
    pub notes: &'n mut Notes,
}

/// First words of lines that set quality of service.
const QOS_WORDS: &[&str] = &[
    "qos",
    "priority-flow-control",
    "pfc",
    "ecn",
    "wred",
    "dcbx",
    "random-detect",
    "tx-queue",
    "uc-tx-queue",
    "mc-tx-queue",
    "service-profile",
    "service-policy",
    "flowcontrol",
    "traffic-class",
    "queue-profile",
    "buffer-profile",
];

fn is_qos(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().map(|word| match word {
        "no" | "default" => words.next().unwrap_or_default(),
        word => word,
    });
    let word = first.unwrap_or_default();
    QOS_WORDS.contains(&word) || word.contains("ecn-") || word.contains("pfc-")
}

impl Reader<'_> {
    fn at(&self, statement: &Statement<'_, '_>) -> Origin {
        Origin::new(self.capture, statement.offset())
    }

    fn unparsed(&mut self, port: Option<&str>, statement: &Statement<'_, '_>) {
        let text = format!("the line {:?} is not understood", statement.text());
        self.notes
            .add(NoteKind::Unparsed, port, text, self.at(statement));
    }

    fn unless(&mut self, read: bool, port: Option<&str>, statement: &Statement<'_, '_>) {
        if !read {
            self.unparsed(port, statement);
        }
    }

    /// Reads a whole configuration.
    pub fn config<'t>(&mut self, text: &'t str) -> Config<'t> {
        let mut config = Config::default();
        let statements = Statements::indented(text, &STYLE);
        for statement in statements.top() {
            match statement.first_word() {
                "interface" => self.interface(&statement, &mut config),
                "hostname" => {
                    config.hostname = statement
                        .after("hostname")
                        .map(|name| (name, self.at(&statement)));
                }
                "qos"
                | "no"
                | "default"
                | "priority-flow-control"
                | "policy-map"
                | "class-map"
                | "platform" => self.global(&statement, &mut config),
                _ if is_qos(statement.text()) => self.unparsed(None, &statement),
                _ => {}
            }
        }
        config
    }

    fn global<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let at = self.at(statement);
        let words = statement.words();
        match &*words {
            ["qos", "map", "dscp", keys @ .., "to", "traffic-class", tc] => {
                self.map(statement, keys, tc, 63, &mut config.dscp);
            }
            [
                "qos",
                "map",
                "dscp",
                keys @ ..,
                "to",
                "traffic-class",
                tc,
                "drop-precedence",
                _,
            ] => {
                self.map(statement, keys, tc, 63, &mut config.dscp);
            }
            ["qos", "map", "cos", keys @ .., "to", "traffic-class", tc] => {
                self.map(statement, keys, tc, 7, &mut config.cos);
            }
            [
                "qos",
                "map",
                "traffic-class",
                keys @ ..,
                "to",
                "tx-queue" | "uc-tx-queue",
                queue,
            ] => self.map(statement, keys, queue, 7, &mut config.queue),
            ["qos", "map", "traffic-class", keys @ .., "to", "dscp", dscp] => {
                self.map(statement, keys, dscp, 7, &mut config.rewrite);
            }
            // Of tags, labels and multicast: nothing that RoCE is judged by.
            [
                "qos",
                "map",
                "traffic-class",
                ..,
                "to",
                "cos" | "exp" | "mc-tx-queue",
                _,
            ]
            | ["qos", "map", "exp", ..]
            | ["qos", "rewrite", "cos" | "exp"]
            | ["no" | "default", "qos", "rewrite", ..]
            | ["qos", "random-detect", "ecn", "allow", "non-ect", ..]
            | ["no", "qos", "random-detect", "ecn", "allow", "non-ect", ..]
            | ["qos", "tx-queue" | "traffic-class", _, "name", _]
            | ["no", "priority-flow-control", "all", "off"] => {}
            ["qos", "rewrite", "dscp"] => config.rewrites = Some((true, at)),
            ["qos", "profile", name] => {
                let mut qos = Qos::default();
                for child in statement.children() {
                    if !self.qos(None, &child, &mut qos) {
                        self.unparsed(None, &child);
                    }
                }
                config.profiles.insert(name, (qos, at));
            }
            ["priority-flow-control", "all", "off"] => config.all_off = Some(at),
            [
                "priority-flow-control",
                "pause",
                "watchdog",
                "default",
                rest @ ..,
            ] => {
                let read = timer(rest, at, &mut config.watchdog);
                self.unless(read, None, statement);
            }
            [
                "priority-flow-control",
                "pause",
                "watchdog",
                "action",
                action,
            ] => {
                config.watchdog.action = Some((action, at));
            }
            [
                "priority-flow-control",
                "pause",
                "watchdog",
                "override",
                "action",
                "drop",
            ] => {}
            ["policy-map", "type", "quality-of-service" | "qos", name] => {
                config.policies.insert(name, self.policy(statement));
            }
            [
                "class-map",
                "type",
                "qos" | "quality-of-service",
                "match-any" | "match-all",
                name,
            ] => {
                config.classes.insert(name, at);
            }
            ["platform", "trident", "mmu", "queue", "profile", name] => {
                config.buffers.insert(name, at);
            }
            [
                "platform",
                "trident",
                "mmu",
                "queue",
                "profile",
                name,
                "apply",
            ] => {
                config.applied.insert(name, at);
            }
            _ if is_qos(statement.text()) => self.unparsed(None, statement),
            _ => {}
        }
    }

    fn map(
        &mut self,
        statement: &Statement<'_, '_>,
        keys: &[&str],
        value: &str,
        largest: u8,
        map: &mut BTreeMap<u8, (u8, Origin)>,
    ) {
        let number = |text: &str, most: u8| text.parse().ok().filter(|n: &u8| *n <= most);
        let mut read = Vec::new();
        for key in keys {
            let (first, last) = key.split_once('-').unwrap_or((key, key));
            match (number(first, largest), number(last, largest)) {
                (Some(first), Some(last)) if first <= last => read.extend(first..=last),
                _ => return self.unparsed(None, statement),
            }
        }
        let Some(value) = number(value, 63).filter(|_| !read.is_empty()) else {
            return self.unparsed(None, statement);
        };
        let at = self.at(statement);
        map.extend(read.into_iter().map(|key| (key, (value, at))));
    }

    fn policy<'t>(&mut self, statement: &Statement<'_, 't>) -> Policy<'t> {
        let mut policy = Policy {
            classes: Vec::new(),
            acts: Vec::new(),
        };
        for class in statement.children() {
            let at = self.at(&class);
            match &*class.words() {
                ["class", name] => policy.classes.push((name, at)),
                _ => continue,
            }
            for act in class.children() {
                if matches!(act.first_word(), "set" | "police" | "drop") {
                    policy.acts.push((act.text(), self.at(&act)));
                }
            }
        }
        policy
    }

    fn interface<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let Some(list) = statement.after("interface") else {
            return;
        };
        let is_lag = list.starts_with("Port-Channel");
        if !list.starts_with("Ethernet") && !is_lag || list.contains('.') {
            return;
        }
        let mut interface = Interface {
            at: self.at(statement),
            ..Interface::default()
        };
        let single = !list.contains(['-', ',']) || is_lag;
        let name = single.then_some(list);
        for child in statement.children() {
            self.interface_line(name, &child, &mut interface);
        }
        if is_lag {
            let number = list.trim_start_matches("Port-Channel");
            config.lags.insert(number, interface);
        } else if single {
            interface.name = Cow::Borrowed(list);
            config.interfaces.push(interface);
        } else {
            let Some(names) = expand(list) else {
                return self.unparsed(None, statement);
            };
            for name in names {
                let name = Cow::Owned(name);
                config.interfaces.push(Interface {
                    name,
                    ..interface.clone()
                });
            }
        }
    }

    fn interface_line<'t>(
        &mut self,
        port: Option<&str>,
        line: &Statement<'_, 't>,
        interface: &mut Interface<'t>,
    ) {
        let at = self.at(line);
        // Most lines of an interface are none of these.
        match line.first_word() {
            "mtu" | "l2" | "switchport" | "no" | "shutdown" | "speed" | "error-correction"
            | "flowcontrol" | "channel-group" | "default" => {}
            "description" => {
                interface.description = line.after("description").map(|text| (text, at));
                return;
            }
            _ => {
                if !self.qos(port, line, &mut interface.qos) && is_qos(line.text()) {
                    self.unparsed(port, line);
                }
                return;
            }
        }
        match &*line.words() {
            ["mtu", bytes] => match bytes.parse() {
                Ok(bytes) => interface.mtu = Some((bytes, at)),
                Err(_) => self.unparsed(port, line),
            },
            ["l2", "mtu", bytes] => match bytes.parse() {
                Ok(bytes) => interface.l2_mtu = Some((bytes, at)),
                Err(_) => self.unparsed(port, line),
            },
            ["switchport"] => interface.switchport = Some((true, at)),
            ["no", "switchport"] => interface.switchport = Some((false, at)),
            ["shutdown"] => interface.shutdown = Some((true, at)),
            ["no", "shutdown"] => interface.shutdown = Some((false, at)),
            ["speed", rest @ ..] => {
                interface.speed = rest.last().and_then(|word| Some((speed(word)?, at)));
            }
            ["error-correction", "encoding", kind, ..] => interface.fec = Some((kind, at)),
            [
                "flowcontrol",
                way @ ("send" | "receive"),
                state @ ("on" | "off" | "desired"),
            ] => {
                let on = Some((*state != "off", at));
                match *way {
                    "send" => interface.send = on,
                    _ => interface.receive = on,
                }
            }
            ["no", "flowcontrol", "send"] => interface.send = Some((false, at)),
            ["no", "flowcontrol", "receive"] => interface.receive = Some((false, at)),
            ["channel-group", number, ..] => interface.lag = Some(number),
            ["default", "qos", "trust"] | ["no", "dcbx", ..] | ["default", ..] => {}
            ["no", ..] => {
                let read = self.qos(port, line, &mut interface.qos);
                self.unless(read || !is_qos(line.text()), port, line);
            }
            _ => {}
        }
    }

    /// A line that interfaces and profiles share; whether it is known.
    fn qos<'t>(&mut self, port: Option<&str>, line: &Statement<'_, 't>, qos: &mut Qos<'t>) -> bool {
        if !is_qos(line.text()) && line.first_word() != "shape" {
            return false;
        }
        let at = self.at(line);
        match &*line.words() {
            ["qos", "trust", field @ ("dscp" | "cos")] => qos.trust = Some((Some(field), at)),
            ["no", "qos", "trust"] => qos.trust = Some((None, at)),
            ["qos", "cos" | "dscp", _] | ["no", "qos", "cos" | "dscp"] => {}
            ["shape", ..] | ["no", "shape", ..] => {}
            ["service-profile", name] => qos.profile = Some((name, at)),
            [
                "service-policy",
                "type",
                "qos" | "quality-of-service",
                "input",
                name,
            ] => {
                qos.policy = Some((name, at));
            }
            // Of other types: control plane, packet brokers.
            ["service-policy", "type", "pbr" | "tapagg", ..] => {}
            ["priority-flow-control", "on"] | ["priority-flow-control", "mode", "on"] => {
                qos.pfc = Some((true, at));
            }
            ["no", "priority-flow-control"]
            | ["priority-flow-control", "off"]
            | ["priority-flow-control", "mode", "off"]
            | ["no", "priority-flow-control", "on" | "mode"] => qos.pfc = Some((false, at)),
            [
                "priority-flow-control",
                "priority",
                number,
                what @ ("no-drop" | "drop"),
            ] => {
                match number
                    .parse::<usize>()
                    .ok()
                    .and_then(|n| qos.no_drop.get_mut(n))
                {
                    Some(place) => *place = Some((*what == "no-drop", at)),
                    None => return false,
                }
            }
            ["no", "priority-flow-control", "priority", number, ..] => {
                match number
                    .parse::<usize>()
                    .ok()
                    .and_then(|n| qos.no_drop.get_mut(n))
                {
                    Some(place) => *place = Some((false, at)),
                    None => return false,
                }
            }
            ["priority-flow-control", "pause", "watchdog"] => qos.watched = Some((true, at)),
            ["no", "priority-flow-control", "pause", "watchdog"] => {
                qos.watched = Some((false, at));
            }
            [
                "no",
                "priority-flow-control",
                "pause",
                "watchdog",
                "port",
                ..,
            ] => {}
            [
                "priority-flow-control",
                "pause",
                "watchdog",
                "port",
                "action",
                action,
            ] => {
                qos.watchdog.action = Some((action, at));
            }
            [
                "priority-flow-control",
                "pause",
                "watchdog",
                "port",
                "timer",
                rest @ ..,
            ] => {
                return timer(rest, at, &mut qos.watchdog);
            }
            ["tx-queue" | "uc-tx-queue", number] => match number.parse() {
                Ok(number @ 0..=7u8) => {
                    let queue = qos.queues.entry(number).or_default();
                    queue.at = at;
                    let mut unknown = Vec::new();
                    for child in line.children() {
                        let at = self.at(&child);
                        if !queue_line(&child, at, queue) {
                            unknown.push(child);
                        }
                    }
                    unknown.iter().for_each(|child| self.unparsed(port, child));
                }
                _ => return false,
            },
            ["mc-tx-queue", _] => {}
            ["dcbx", "mode", ..] | ["no", "dcbx", ..] | ["dcbx", "application", ..] => {}
            _ => return false,
        }
        true
    }
}

/// `timeout 0.05 polling-interval auto recovery-time 1.11 forced`, any of them;
/// seconds.
fn timer(words: &[&str], at: Origin, watchdog: &mut Watchdog<'_>) -> bool {
    let mut words = words.iter();
    let mut any = false;
    while let Some(word) = words.next() {
        any = true;
        match *word {
            "timeout" => match words.next().and_then(|text| milliseconds(text)) {
                Some(time) => watchdog.timeout = Some((time, at)),
                None => return false,
            },
            "recovery-time" => match words.next().copied() {
                Some("auto") => watchdog.recovery = None,
                text => match text.and_then(milliseconds) {
                    Some(time) => watchdog.recovery = Some((time, at)),
                    None => return false,
                },
            },
            "polling-interval" => {
                words.next();
            }
            "forced" => {}
            _ => return false,
        }
    }
    any
}

fn milliseconds(text: &str) -> Option<u32> {
    let seconds: f64 = text.parse().ok()?;
    (0.0..=3600.0)
        .contains(&seconds)
        .then_some((seconds * 1000.0).round() as u32)
}

/// `forced 100gfull`, `100g-4`, `auto 400g-8`: Mb/s.
fn speed(word: &str) -> Option<u32> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = word.get(..digits)?.parse().ok()?;
    match word.as_bytes().get(digits) {
        Some(b'g') => number.checked_mul(1000),
        Some(b'f' | b'h') | None => Some(number),
        _ => None,
    }
}

fn queue_line<'t>(line: &Statement<'_, 't>, at: Origin, queue: &mut Queue<'t>) -> bool {
    match &*line.words() {
        ["no", "priority"] => queue.strict = Some((false, at)),
        ["priority", "strict"] => queue.strict = Some((true, at)),
        ["bandwidth", "percent", percent] => match percent.parse() {
            Ok(percent) => queue.percent = Some((percent, at)),
            Err(_) => return false,
        },
        ["no", "bandwidth", ..]
        | ["bandwidth", "guaranteed", ..]
        | ["shape", ..]
        | ["no", "shape", ..] => {}
        ["random-detect", "ecn", "count"] | ["no", "random-detect", "ecn", "count"] => {}
        [
            "random-detect",
            "ecn",
            "minimum-threshold",
            min,
            min_unit,
            "maximum-threshold",
            max,
            max_unit,
            rest @ ..,
        ] => {
            let probability = match rest {
                ["max-mark-probability", percent]
                | ["max-mark-probability", percent, "weight", _] => Some(*percent),
                [] | ["weight", _] => None,
                _ => return false,
            };
            let thresholds = Thresholds {
                min,
                min_unit,
                max,
                max_unit,
                probability,
            };
            queue.ecn = Some((Some(thresholds), at));
        }
        ["no", "random-detect", "ecn", ..] => queue.ecn = Some((None, at)),
        ["random-detect", "drop", ..] => queue.drop = Some((true, at)),
        ["no", "random-detect", "drop", ..] | ["no", "random-detect"] => {}
        ["latency", "maximum", ..] | ["no", "latency", ..] | ["buffer", "shared", ..] => {}
        _ => return false,
    }
    true
}

impl<'t> Qos<'t> {
    /// Lays what another says over this.
    pub fn overlay(&mut self, over: &Qos<'t>) {
        fn take<T: Clone>(under: &mut Said<T>, over: &Said<T>) {
            if over.is_some() {
                under.clone_from(over);
            }
        }
        take(&mut self.policy, &over.policy);
        take(&mut self.trust, &over.trust);
        take(&mut self.pfc, &over.pfc);
        take(&mut self.watched, &over.watched);
        take(&mut self.watchdog.timeout, &over.watchdog.timeout);
        take(&mut self.watchdog.recovery, &over.watchdog.recovery);
        take(&mut self.watchdog.action, &over.watchdog.action);
        for (under, over) in self.no_drop.iter_mut().zip(&over.no_drop) {
            take(under, over);
        }
        for (id, over) in &over.queues {
            let under = self.queues.entry(*id).or_default();
            take(&mut under.strict, &over.strict);
            take(&mut under.percent, &over.percent);
            take(&mut under.ecn, &over.ecn);
            take(&mut under.drop, &over.drop);
            under.at = over.at;
        }
    }
}
