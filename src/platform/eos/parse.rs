//! Running configurations → settings by name. Several captures of one switch
//! (`show running-config section qos`, one a port …) add up.

use super::buffers::Buffers;
use super::policy::{ClassMap, Policy};
use super::qos::{Qos, SharedEcn, Watchdog, timer};
use crate::model::{NoteKind, Origin};
use crate::platform::notes::Notes;
use crate::platform::text::interfaces::expand;
use crate::platform::text::statements::{Statement, Statements, Style, banner_to_eof};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

const STYLE: Style = Style {
    comment: b'!',
    banner: banner_to_eof,
};

/// More names than all lists of a configuration stand for together.
const MOST_NAMES: usize = 1 << 16;

/// A value with the line that gives it.
pub type Said<T> = Option<(T, Origin)>;

/// Small numbers that lines map to small numbers.
pub type Lines = BTreeMap<u8, (u8, Origin)>;

/// Takes what `over` says in the place of what was said before.
pub fn take<T: Clone>(under: &mut Said<T>, over: &Said<T>) {
    if over.is_some() {
        under.clone_from(over);
    }
}

/// All that the configuration says.
#[derive(Default)]
pub struct Config<'t> {
    pub hostname: Said<&'t str>,
    /// DSCP → traffic class, CoS → traffic class, traffic class → queue and
    /// → DSCP, as lines give them.
    pub dscp: Lines,
    pub cos: Lines,
    pub queue: Lines,
    pub rewrite: Lines,
    /// `qos rewrite dscp`.
    pub rewrites: Said<bool>,
    pub shared_ecn: Said<SharedEcn>,
    pub profiles: HashMap<&'t str, (Qos<'t>, Origin)>,
    pub policies: HashMap<&'t str, (Policy<'t>, Origin)>,
    pub classes: HashMap<&'t str, ClassMap<'t>>,
    /// What traffic policies do to packets, by name: the first such line.
    pub traffic: HashMap<&'t str, Said<&'t str>>,
    /// `priority-flow-control all off`.
    pub all_off: Option<Origin>,
    pub watchdog: Watchdog<'t>,
    pub buffers: Buffers<'t>,
    /// `interface defaults` and `switchport default mode routed`.
    pub mtu: Said<u32>,
    pub shutdown: Said<bool>,
    pub routed: Said<bool>,
    /// Ethernet ports, in the order of their first mention.
    pub ports: Interfaces<'t>,
    /// Port-channels; their names are their numbers.
    pub lags: Interfaces<'t>,
    /// Captures that print defaults (`show running-config all`).
    pub printed: Vec<usize>,
    names: usize,
}

/// Interfaces by name.
#[derive(Default)]
pub struct Interfaces<'t> {
    pub list: Vec<Interface<'t>>,
    index: HashMap<Cow<'t, str>, usize>,
}

impl<'t> Interfaces<'t> {
    /// Adds what a block says; a second block of an interface adds to the first.
    fn add(&mut self, name: Cow<'t, str>, block: Interface<'t>) {
        match self.index.get(&name) {
            Some(n) => {
                if let Some(known) = self.list.get_mut(*n) {
                    known.overlay(block);
                }
            }
            None => {
                self.index.insert(name.clone(), self.list.len());
                self.list.push(Interface { name, ..block });
            }
        }
    }

    /// The interface with this name.
    pub fn get(&self, name: &str) -> Option<&Interface<'t>> {
        self.list.get(*self.index.get(name)?)
    }
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
    /// Mb/s; nothing where the lines of a block do not agree.
    pub speed: Said<Option<u32>>,
    pub fec: Said<&'t str>,
    pub send: Said<bool>,
    pub receive: Said<bool>,
    pub lag: Said<&'t str>,
    pub traffic_policy: Said<&'t str>,
    /// `service-profile`.
    pub profile: Said<&'t str>,
    /// What its own lines say of quality of service; most have none.
    pub qos: Option<Box<Qos<'t>>>,
    /// The line that opens the block.
    pub at: Origin,
}

impl<'t> Interface<'t> {
    fn overlay(&mut self, over: Interface<'t>) {
        take(&mut self.description, &over.description);
        take(&mut self.mtu, &over.mtu);
        take(&mut self.l2_mtu, &over.l2_mtu);
        take(&mut self.switchport, &over.switchport);
        take(&mut self.shutdown, &over.shutdown);
        take(&mut self.speed, &over.speed);
        take(&mut self.fec, &over.fec);
        take(&mut self.send, &over.send);
        take(&mut self.receive, &over.receive);
        take(&mut self.lag, &over.lag);
        take(&mut self.traffic_policy, &over.traffic_policy);
        take(&mut self.profile, &over.profile);
        match (&mut self.qos, over.qos) {
            (Some(qos), Some(over)) => qos.overlay(&over),
            (qos @ None, over) => *qos = over,
            (Some(_), None) => {}
        }
    }
}

/// Reads captures.
pub struct Reader<'n> {
    /// The index of the capture.
    pub capture: usize,
    pub notes: &'n mut Notes,
    /// The first block of each spelling.
    pub tx_queue: Option<Origin>,
    pub uc_tx_queue: Option<Origin>,
}

/// Words of quality of service.
fn is_qos_word(word: &str) -> bool {
    matches!(
        word,
        "qos"
            | "priority-flow-control"
            | "pfc"
            | "ecn"
            | "wred"
            | "dcbx"
            | "mmu"
            | "random-detect"
            | "tx-queue"
            | "uc-tx-queue"
            | "mc-tx-queue"
            | "service-profile"
            | "service-policy"
            | "flowcontrol"
            | "traffic-class"
            | "queue-profile"
            | "buffer-profile"
            | "congestion-control"
            | "queueing"
            | "lossless"
            | "no-drop"
    ) || (word.contains('-') && word.split('-').any(|part| matches!(part, "ecn" | "pfc")))
}

/// First words of lines that other words make lines of quality of service.
const CARRIERS: &[&str] = &["feature", "hardware", "platform", "system", "set"];

/// Whether a line is about quality of service, whatever it may mean.
pub fn is_qos(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().map(|word| match word {
        "no" | "default" => words.next().unwrap_or_default(),
        word => word,
    });
    let first = first.unwrap_or_default();
    is_qos_word(first) || (CARRIERS.contains(&first) && words.any(is_qos_word))
}

/// What kind of interface a name is of, and its numbers.
enum Named<'t> {
    Port(Cow<'t, str>),
    Lag(&'t str),
    Defaults,
    /// Of no kind that carries classes (`Vlan10`, `Loopback0`, sub-interfaces).
    Other,
    /// Meant for ports, but not as EOS writes it.
    Wrong,
}

fn named(list: &str) -> Named<'_> {
    let digit = list.find(|c: char| c.is_ascii_digit());
    let (kind, numbers) = list.split_at(digit.unwrap_or(list.len()));
    let kind = kind.trim_ascii_end();
    let is = |names: &[&str]| names.iter().any(|name| kind.eq_ignore_ascii_case(name));
    let (port, lag) = (is(&["Ethernet", "Eth", "Et"]), is(&["Port-Channel", "Po"]));
    if digit.is_none() || !(port || lag) {
        let lower = kind.to_ascii_lowercase();
        return match lower.contains("ethernet") || lower.contains("port-channel") {
            _ if list == "defaults" => Named::Defaults,
            true => Named::Wrong,
            false => Named::Other,
        };
    }
    if numbers.contains('.') {
        Named::Other
    } else if lag {
        Named::Lag(numbers)
    } else if list.strip_prefix("Ethernet") == Some(numbers) {
        Named::Port(Cow::Borrowed(list))
    } else {
        Named::Port(Cow::Owned(format!("Ethernet{numbers}")))
    }
}

impl<'n> Reader<'n> {
    pub fn new(notes: &'n mut Notes) -> Self {
        Reader {
            capture: 0,
            notes,
            tx_queue: None,
            uc_tx_queue: None,
        }
    }

    pub fn at(&self, statement: &Statement<'_, '_>) -> Origin {
        Origin::new(self.capture, statement.offset())
    }

    pub fn unparsed(&mut self, port: Option<&str>, statement: &Statement<'_, '_>) {
        let text = format!("the line {:?} is not understood", statement.text());
        self.notes
            .add(NoteKind::Unparsed, port, text, self.at(statement));
    }

    pub fn unless(&mut self, read: bool, port: Option<&str>, statement: &Statement<'_, '_>) {
        if !read {
            self.unparsed(port, statement);
        }
    }

    /// Tells of a configuration that is cut: a whole one ends with `end`.
    pub fn whole(&mut self, text: &str) {
        let mut head = text.lines().take(16);
        let whole = head.any(|line| {
            let command = line.strip_prefix("! Command: show running-config");
            command.is_some_and(|rest| matches!(rest.trim(), "" | "all"))
        });
        let last = text
            .trim_ascii_end()
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        if whole && last.trim() != "end" {
            let end = text.trim_ascii_end().len() - last.len();
            let text = "the configuration stops without `end`: what followed is not known";
            let at = Origin::new(self.capture, end);
            self.notes.add(NoteKind::Failed, None, text.to_owned(), at);
        }
    }

    /// Tells what the captures together make doubtful.
    pub fn finish(self) {
        if let (Some(tx), Some(uc)) = (self.tx_queue, self.uc_tx_queue) {
            let text = "tx-queue and uc-tx-queue are mixed: a platform has one of them";
            let at = tx.max(uc);
            self.notes.add(NoteKind::Remark, None, text.to_owned(), at);
        }
    }

    /// Adds what a configuration, or a part of one, says.
    pub fn config<'t>(&mut self, text: &'t str, config: &mut Config<'t>) {
        let statements = Statements::indented(text, &STYLE);
        for statement in statements.top() {
            let at = self.at(&statement);
            match statement.first_word() {
                "interface" => self.interface(&statement, config),
                "hostname" => {
                    config.hostname = statement.after("hostname").map(|name| (name, at));
                }
                "qos"
                | "no"
                | "default"
                | "priority-flow-control"
                | "platform"
                | "switchport"
                | "hardware" => self.global(&statement, config),
                "policy-map" | "class-map" => self.classification(&statement, config),
                "traffic-policies" => self.traffic_policies(&statement, config),
                _ => self.unless(!is_qos(statement.text()), None, &statement),
            }
        }
    }

    fn global<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let at = self.at(statement);
        match &*statement.words() {
            ["qos", "map", ..] => {
                let read = map(statement, at, config);
                self.unless(read, None, statement);
            }
            // Of tags and labels: nothing that RoCE is judged by. Without its
            // line, what a `no` line speaks of is as by default.
            ["qos", "rewrite", "cos" | "exp"]
            | ["qos", "random-detect", "ecn", "allow", "non-ect", ..]
            | ["qos", "tx-queue" | "traffic-class", _, "name", _]
            | ["qos", "tx-queue", "shape", "rate", "percent", "adaptive"]
            | [
                "no" | "default",
                "qos",
                "rewrite" | "map" | "random-detect",
                ..,
            ]
            | ["no" | "default", "priority-flow-control", "all", ..]
            | ["no" | "default", "priority-flow-control", "pause", ..]
            | ["hardware", "counter", "feature", ..]
            | ["platform", "sand", "qos", "map", ..] => {}
            ["qos", "rewrite", "dscp"] => config.rewrites = Some((true, at)),
            ["qos", "random-detect", "ecn", "global-buffer", rest @ ..] => {
                let read = SharedEcn::read(rest);
                self.unless(read.is_some(), None, statement);
                take(&mut config.shared_ecn, &read.map(|read| (read, at)));
            }
            ["qos", "profile", name] => {
                let (qos, _) = config.profiles.entry(name).or_insert((Qos::default(), at));
                for child in statement.children() {
                    let read = self.qos(None, &child, qos);
                    self.unless(read, None, &child);
                }
            }
            ["priority-flow-control", "all", "off"] => config.all_off = Some(at),
            ["priority-flow-control", "pause", "watchdog", rest @ ..] => {
                let read = match rest {
                    ["default", rest @ ..] => timer(rest, at, &mut config.watchdog),
                    ["action", action] => config.watchdog.act(action, at),
                    ["override", "action", "drop"] => true,
                    _ => false,
                };
                self.unless(read, None, statement);
            }
            ["platform", _, "mmu", rest @ ..] => self.buffers(rest, statement, config),
            ["switchport", "default", "mode", mode] => {
                config.routed = Some((*mode == "routed", at));
            }
            _ => self.unless(!is_qos(statement.text()), None, statement),
        }
    }

    fn interface<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let list = statement.after("interface").unwrap_or_default();
        match named(list) {
            Named::Defaults => self.defaults(statement, config),
            Named::Port(list) => {
                let Some(names) = names(list, &mut config.names) else {
                    return self.unparsed(None, statement);
                };
                self.block(names, statement, &mut config.ports);
            }
            Named::Lag(numbers) => {
                let Some(names) = names(Cow::Borrowed(numbers), &mut config.names) else {
                    return self.unparsed(None, statement);
                };
                self.block(names, statement, &mut config.lags);
            }
            Named::Wrong => {
                let about = statement.children().any(|child| is_qos(child.text()));
                self.unless(!about, None, statement);
            }
            Named::Other => {}
        }
    }

    fn block<'t>(
        &mut self,
        names: Vec<Cow<'t, str>>,
        statement: &Statement<'_, 't>,
        interfaces: &mut Interfaces<'t>,
    ) {
        let mut block = Interface {
            at: self.at(statement),
            ..Interface::default()
        };
        let only = match &*names {
            [only] => Some(&**only),
            _ => None,
        };
        // A port-channel is no port of the model.
        let port = only.filter(|name| name.starts_with("Ethernet"));
        let mut comment = false;
        for child in statement.children() {
            match child.text() {
                "comment" => comment = true,
                "EOF" => comment = false,
                _ if comment => {}
                _ => self.interface_line(port, &child, &mut block),
            }
        }
        let mut names = names.into_iter();
        if let Some(last) = names.next_back() {
            names.for_each(|name| interfaces.add(name, block.clone()));
            interfaces.add(last, block);
        }
    }

    /// `interface defaults`: what ports have that say nothing.
    fn defaults<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        for child in statement.children() {
            let at = self.at(&child);
            match &*child.words() {
                ["mtu", bytes] => match bytes.parse() {
                    Ok(bytes) => config.mtu = Some((bytes, at)),
                    Err(_) => self.unparsed(None, &child),
                },
                ["ethernet"] => {
                    for line in child.children() {
                        let at = self.at(&line);
                        match line.text() {
                            "shutdown" => config.shutdown = Some((true, at)),
                            "no shutdown" => config.shutdown = Some((false, at)),
                            text => self.unless(!is_qos(text), None, &line),
                        }
                    }
                }
                _ => self.unless(!is_qos(child.text()), None, &child),
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
            | "flowcontrol" | "channel-group" | "default" | "traffic-policy"
            | "service-profile" => {}
            "description" => {
                interface.description = line.after("description").map(|text| (text, at));
                return;
            }
            _ => {
                return self.own_line(port, line, interface);
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
                let new = rest.last().and_then(|word| speed(word));
                let same = interface.speed.is_none_or(|(speed, _)| speed == new);
                interface.speed = Some((new.filter(|_| same), at));
            }
            ["error-correction", "encoding", kind, ..] => interface.fec = Some((kind, at)),
            ["flowcontrol", way, state @ ("on" | "off" | "desired")] => {
                let on = Some((*state != "off", at));
                match *way {
                    "send" => interface.send = on,
                    "receive" => interface.receive = on,
                    _ => self.unparsed(port, line),
                }
            }
            ["no" | "default", "flowcontrol", "send", ..] => interface.send = Some((false, at)),
            ["no" | "default", "flowcontrol", "receive", ..] => {
                interface.receive = Some((false, at));
            }
            ["flowcontrol", ..] => self.unparsed(port, line),
            ["channel-group", number, ..] => interface.lag = Some((number, at)),
            ["traffic-policy", "input", name] => interface.traffic_policy = Some((name, at)),
            ["default", ..] => {}
            ["service-profile", name] => interface.profile = Some((name, at)),
            ["service-profile", ..] => self.unparsed(port, line),
            ["no", ..] => self.own_line(port, line, interface),
            _ => {}
        }
    }

    fn own_line<'t>(
        &mut self,
        port: Option<&str>,
        line: &Statement<'_, 't>,
        interface: &mut Interface<'t>,
    ) {
        if is_qos(line.text()) {
            let qos = interface.qos.get_or_insert_default();
            let read = self.qos(port, line, qos);
            self.unless(read, port, line);
        }
    }
}

/// The single name, or those that a list stands for.
fn names<'t>(list: Cow<'t, str>, all: &mut usize) -> Option<Vec<Cow<'t, str>>> {
    let numbers = list.strip_prefix("Ethernet");
    let rest = numbers.unwrap_or(&list);
    let is_one = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'/');
    if is_one(rest) {
        return Some(vec![list]);
    }
    if *all > MOST_NAMES {
        return None;
    }
    let kind = numbers.map_or("", |_| "Ethernet");
    let names = expand(&list)?;
    *all += names.len();
    let of_kind = |name: &String| name.strip_prefix(kind).is_some_and(is_one);
    let read = *all <= MOST_NAMES && names.iter().all(of_kind);
    read.then(|| names.into_iter().map(Cow::Owned).collect())
}

/// `qos map …`: whether it is known.
fn map<'t>(statement: &Statement<'_, 't>, at: Origin, config: &mut Config<'t>) -> bool {
    let words = statement.words();
    let (keys, largest_key, value, largest, map) = match &*words {
        [
            _,
            _,
            "dscp",
            keys @ ..,
            "to",
            "traffic-class",
            tc,
            "drop-precedence",
            _,
        ]
        | [_, _, "dscp", keys @ .., "to", "traffic-class", tc] => {
            (keys, 63, tc, 7, &mut config.dscp)
        }
        [_, _, "cos", keys @ .., "to", "traffic-class", tc] => (keys, 7, tc, 7, &mut config.cos),
        [
            _,
            _,
            "traffic-class",
            keys @ ..,
            "to",
            "tx-queue" | "uc-tx-queue",
            queue,
        ] => (keys, 7, queue, 7, &mut config.queue),
        [_, _, "traffic-class", keys @ .., "to", "dscp", dscp] => {
            (keys, 7, dscp, 63, &mut config.rewrite)
        }
        // Of tags, labels and multicast: nothing that RoCE is judged by.
        [
            _,
            _,
            "traffic-class",
            ..,
            "to",
            "cos" | "exp" | "mc-tx-queue",
            _,
        ]
        | [_, _, "exp", _, ..] => return true,
        _ => return false,
    };
    let value = value.parse().ok().filter(|n: &u8| *n <= largest);
    let (Some(keys), Some(value)) = (numbers(keys, largest_key), value) else {
        return false;
    };
    map.extend(keys.into_iter().map(|key| (key, (value, at))));
    true
}

/// `0 1 8-15`, also with commas; nothing where there is none.
pub fn numbers(words: &[&str], largest: u8) -> Option<Vec<u8>> {
    let number = |text: &str| text.parse().ok().filter(|n: &u8| *n <= largest);
    let mut read = Vec::new();
    for word in words.iter().flat_map(|word| word.split(',')) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        match (number(first)?, number(last)?) {
            (first, last) if first <= last => read.extend(first..=last),
            _ => return None,
        }
    }
    (!read.is_empty()).then_some(read)
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
