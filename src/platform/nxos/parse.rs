//! Running configurations → classes, policies and interfaces by name.

use crate::model::{NoteKind, Origin};
use crate::platform::notes::Notes;
use crate::platform::text::interfaces::expand;
use crate::platform::text::ranges::small_integers;
use crate::platform::text::statements::{Statement, Statements, Style, banner_to_mark};
use std::borrow::Cow;
use std::collections::HashMap;

pub const STYLE: Style = Style {
    comment: b'!',
    banner: banner_to_mark,
};

/// A value with the line that gives it.
pub type Said<T> = Option<(T, Origin)>;

/// All that one configuration says.
#[derive(Default)]
pub struct Config<'t> {
    pub hostname: Said<&'t str>,
    pub version: Said<&'t str>,
    pub classes: HashMap<&'t str, ClassMap>,
    /// Of classes of type queuing and network-qos: their qos-group.
    pub groups: HashMap<&'t str, u8>,
    pub qos: HashMap<&'t str, QosPolicy<'t>>,
    pub network: HashMap<&'t str, NetworkPolicy<'t>>,
    pub queuing: HashMap<&'t str, QueuingPolicy<'t>>,
    pub system: Attached<'t>,
    /// Whether `system qos` is there at all.
    pub has_system: bool,
    pub watchdog: Said<bool>,
    pub shutdown_polls: Said<u32>,
    pub restore_polls: Said<u32>,
    pub interfaces: Vec<Interface<'t>>,
    pub lags: HashMap<&'t str, Interface<'t>>,
}

/// Policies attached to the system or to a port.
#[derive(Clone, Default)]
pub struct Attached<'t> {
    pub qos: Said<&'t str>,
    pub network: Said<&'t str>,
    pub queuing_out: Said<&'t str>,
    pub queuing_in: Said<&'t str>,
}

/// A class of type qos.
#[derive(Default)]
pub struct ClassMap {
    /// Several kinds of match, all of which must hold.
    pub all: bool,
    pub dscp: Vec<u8>,
    pub cos: Vec<u8>,
    /// Matches on something else: an access list, a protocol.
    pub other: bool,
    pub at: Origin,
}

/// A policy of type qos.
pub struct QosPolicy<'t> {
    pub classes: Vec<QosClass<'t>>,
}

/// A class in a policy of type qos.
pub struct QosClass<'t> {
    pub name: &'t str,
    pub group: Said<u8>,
    pub dscp: Said<u8>,
    pub polices: Option<Origin>,
    pub at: Origin,
}

/// A policy of type network-qos.
pub struct NetworkPolicy<'t> {
    pub classes: Vec<NetworkClass<'t>>,
}

/// A class in a policy of type network-qos.
pub struct NetworkClass<'t> {
    pub name: &'t str,
    /// `pause pfc-cos 3`.
    pub pause: Said<Vec<u8>>,
    /// `pause no-drop`, whose CoS is that of the class.
    pub no_drop: Option<Origin>,
    pub cos: Said<u8>,
    pub mtu: Said<u32>,
    pub at: Origin,
}

/// A policy of type queuing.
pub struct QueuingPolicy<'t> {
    pub classes: Vec<QueuingClass<'t>>,
}

/// A class in a policy of type queuing.
#[derive(Default)]
pub struct QueuingClass<'t> {
    pub name: &'t str,
    pub percent: Said<u32>,
    pub remaining: Said<u32>,
    pub priority: Option<Origin>,
    pub detect: Said<Detect<'t>>,
    /// Bytes: size, pause threshold, resume threshold.
    pub pause: Said<[u64; 3]>,
    pub at: Origin,
}

/// A random-detect line.
#[derive(Clone, Copy)]
pub struct Detect<'t> {
    /// The trailing word.
    pub ecn: bool,
    /// Minimum and maximum, each with its unit.
    pub thresholds: Option<[(&'t str, &'t str); 2]>,
    pub probability: Option<&'t str>,
}

/// A port or a port-channel.
#[derive(Clone, Default)]
pub struct Interface<'t> {
    pub name: Cow<'t, str>,
    pub description: Said<&'t str>,
    pub mtu: Said<u32>,
    pub speed: Said<u32>,
    pub fec: Said<&'t str>,
    pub shutdown: Said<bool>,
    pub send: Said<bool>,
    pub receive: Said<bool>,
    /// `on`, `auto` or `off`.
    pub pfc: Said<&'t str>,
    pub watchdog: Said<bool>,
    pub lag: Option<&'t str>,
    pub attached: Attached<'t>,
}

/// Reads one capture.
pub struct Reader<'n> {
    pub capture: usize,
    pub notes: &'n mut Notes,
}

const QOS_WORDS: &[&str] = &[
    "priority-flow-control",
    "service-policy",
    "class-map",
    "policy-map",
    "qos",
    "pause",
    "random-detect",
    "congestion-control",
    "flowcontrol",
    "queue-limit",
    "ecn",
    "pfc",
    "dcbx",
];

fn is_qos(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let first = match words.next() {
        Some("no" | "hardware" | "feature") => words.next().unwrap_or_default(),
        Some(word) => word,
        None => return false,
    };
    QOS_WORDS.contains(&first)
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
        // Interfaces of the last `interface` line: scripts are not indented.
        let mut open = 0..0;
        for statement in statements.top() {
            match statement.first_word() {
                "interface" => {
                    let first = config.interfaces.len();
                    self.interface(&statement, &mut config);
                    open = first..config.interfaces.len();
                }
                "hostname" | "switchname" => {
                    let name = statement.after(statement.first_word());
                    config.hostname = name.map(|name| (name, self.at(&statement)));
                    open = 0..0;
                }
                "version" => {
                    let rest = statement.after("version").unwrap_or_default();
                    let version = rest.split(' ').next().unwrap_or_default();
                    config.version = Some((version, self.at(&statement)));
                }
                _ => self.global(&statement, &mut config, &mut open),
            }
        }
        config
    }

    fn global<'t>(
        &mut self,
        statement: &Statement<'_, 't>,
        config: &mut Config<'t>,
        open: &mut std::ops::Range<usize>,
    ) {
        let at = self.at(statement);
        if open.start < open.end && self.belongs_to_port(statement, config, open.clone()) {
            return;
        }
        match &*statement.words() {
            // Without a type it is of type qos.
            ["class-map", "type", "qos", .., name]
            | ["class-map", "match-any" | "match-all", name] => {
                let all = statement.text().contains(" match-all ");
                let map = self.class_map(statement, all);
                config.classes.insert(name, map);
            }
            ["class-map", "type", "queuing" | "network-qos", rest @ ..] => {
                for child in statement.children() {
                    let words = child.words();
                    let group = match &*words {
                        ["match", "qos-group", group] => group.parse().ok().filter(|g: &u8| *g < 8),
                        _ => None,
                    };
                    match (rest.last(), group) {
                        (Some(name), Some(group)) => {
                            config.groups.insert(name, group);
                        }
                        _ => {
                            // Such a class is found by no qos-group.
                            let known = ["match", "description", "exit"];
                            let read = known.contains(&child.first_word());
                            self.unless(read, None, &child);
                        }
                    }
                }
            }
            ["policy-map", "type", "qos", name] | ["policy-map", name] => {
                let policy = self.qos_policy(statement);
                config.qos.insert(name, policy);
            }
            ["policy-map", "type", "network-qos", name] => {
                let policy = self.network_policy(statement);
                config.network.insert(name, policy);
            }
            ["policy-map", "type", "queuing", name] => {
                let policy = self.queuing_policy(statement);
                config.queuing.insert(name, policy);
            }
            [
                "policy-map" | "class-map",
                "type",
                "control-plane" | "plb",
                ..,
            ] => {}
            ["system", "qos"] => {
                config.has_system = true;
                for child in statement.children() {
                    let read = attach(&child, self.at(&child), &mut config.system);
                    self.unless(read, None, &child);
                }
            }
            [
                "priority-flow-control",
                "watch-dog-interval",
                state @ ("on" | "off"),
            ] => {
                config.watchdog = Some((*state == "on", at));
            }
            [
                "priority-flow-control",
                "watch-dog",
                "shutdown-multiplier",
                n,
            ]
            | [
                "priority-flow-control",
                "watch-dog-interval",
                "shutdown-multiplier",
                n,
            ] => {
                config.shutdown_polls = n.parse().ok().map(|n| (n, at));
                self.unless(config.shutdown_polls.is_some(), None, statement);
            }
            ["priority-flow-control", "auto-restore", "multiplier", n] => {
                config.restore_polls = n.parse().ok().map(|n| (n, at));
                self.unless(config.restore_polls.is_some(), None, statement);
            }
            ["priority-flow-control", "fixed-restore", "multiplier", _]
            | ["congestion-control", "random-detect", "forward-nonecn"]
            | ["hardware", "qos", ..]
            | ["qos", "statistics" | "copy", ..] => {}
            _ => {
                let read = !is_qos(statement.text());
                self.unless(read, None, statement);
            }
        }
        *open = 0..0;
    }

    /// A line of a port that is not indented below it.
    fn belongs_to_port<'t>(
        &mut self,
        line: &Statement<'_, 't>,
        config: &mut Config<'t>,
        open: std::ops::Range<usize>,
    ) -> bool {
        let words = line.words();
        let of_port = matches!(
            &*words,
            ["priority-flow-control", "mode", ..]
                | [
                    "priority-flow-control",
                    "watch-dog-interval",
                    "on" | "off",
                    ..
                ]
                | ["mtu", _]
                | ["service-policy", "type", "qos", "input", _]
                | ["service-policy", "type", "queuing", ..]
                | ["no", "shutdown"]
                | ["shutdown"]
                | ["speed", _]
                | ["description", ..]
                | ["no", "switchport"]
                | ["switchport", ..]
                | ["ip", "address", ..]
        );
        if of_port && let Some(interfaces) = config.interfaces.get_mut(open) {
            let mut one = interfaces.first().cloned().unwrap_or_default();
            self.interface_line(None, line, &mut one);
            for interface in interfaces {
                let name = std::mem::take(&mut interface.name);
                *interface = Interface {
                    name,
                    ..one.clone()
                };
            }
        }
        of_port
    }

    fn class_map(&mut self, statement: &Statement<'_, '_>, all: bool) -> ClassMap {
        let mut map = ClassMap {
            all,
            at: self.at(statement),
            ..ClassMap::default()
        };
        for child in statement.children() {
            let words = child.words();
            match &*words {
                ["match", "dscp", list @ ..] => match dscp_list(&list.concat()) {
                    Some(list) => map.dscp.extend(list),
                    None => self.unparsed(None, &child),
                },
                ["match", "cos", list @ ..] => match small_integers(&list.concat(), 7) {
                    Ok(list) => map.cos.extend(list),
                    Err(_) => self.unparsed(None, &child),
                },
                [
                    "match",
                    "access-group" | "protocol" | "precedence" | "discard-class",
                    ..,
                ]
                | ["match", "qos-group", ..]
                | ["match", "any"] => map.other = true,
                ["description", ..] | ["exit"] => {}
                _ => self.unparsed(None, &child),
            }
        }
        map
    }

    fn qos_policy<'t>(&mut self, statement: &Statement<'_, 't>) -> QosPolicy<'t> {
        let mut classes = Vec::new();
        for class in statement.children() {
            let words = class.words();
            let name = match &*words {
                ["class", "type", "qos", name] | ["class", name] => *name,
                ["description", ..] | ["exit"] => continue,
                _ => {
                    self.unparsed(None, &class);
                    continue;
                }
            };
            let mut read = QosClass {
                name,
                group: None,
                dscp: None,
                polices: None,
                at: self.at(&class),
            };
            for act in class.children() {
                let at = self.at(&act);
                match &*act.words() {
                    ["set", "qos-group", group] => {
                        read.group = group.parse().ok().filter(|g| *g < 8u8).map(|g| (g, at));
                        self.unless(read.group.is_some(), None, &act);
                    }
                    ["set", "dscp", dscp] => {
                        read.dscp = code_point(dscp).map(|code| (code, at));
                        self.unless(read.dscp.is_some(), None, &act);
                    }
                    ["police", ..] => read.polices = Some(at),
                    ["set", "cos" | "precedence" | "discard-class", _] | ["exit"] => {}
                    _ => self.unparsed(None, &act),
                }
            }
            classes.push(read);
        }
        QosPolicy { classes }
    }

    fn network_policy<'t>(&mut self, statement: &Statement<'_, 't>) -> NetworkPolicy<'t> {
        let mut classes = Vec::new();
        for class in statement.children() {
            let words = class.words();
            let ["class", "type", "network-qos", name] = &*words else {
                self.unless(
                    matches!(&*words, ["exit"] | ["description", ..]),
                    None,
                    &class,
                );
                continue;
            };
            let mut read = NetworkClass {
                name,
                pause: None,
                no_drop: None,
                cos: None,
                mtu: None,
                at: self.at(&class),
            };
            for act in class.children() {
                let at = self.at(&act);
                match &*act.words() {
                    ["pause", "pfc-cos", list @ ..] => {
                        let list = small_integers(&list.concat(), 7).ok();
                        let list = list.filter(|list| !list.is_empty());
                        read.pause = list.map(|list| (list, at));
                        self.unless(read.pause.is_some(), None, &act);
                    }
                    ["pause", "no-drop"] => read.no_drop = Some(at),
                    ["set", "cos", cos] => read.cos = cos.parse().ok().map(|cos| (cos, at)),
                    ["mtu", bytes] => {
                        read.mtu = bytes.parse().ok().map(|bytes| (bytes, at));
                        self.unless(read.mtu.is_some(), None, &act);
                    }
                    ["no", ..]
                    | ["exit"]
                    | ["congestion-control", ..]
                    | ["queue-limit", ..]
                    | ["multicast-optimize"] => {}
                    _ => self.unparsed(None, &act),
                }
            }
            classes.push(read);
        }
        NetworkPolicy { classes }
    }

    fn queuing_policy<'t>(&mut self, statement: &Statement<'_, 't>) -> QueuingPolicy<'t> {
        let mut classes = Vec::new();
        for class in statement.children() {
            let words = class.words();
            let ["class", "type", "queuing", name] = &*words else {
                self.unless(
                    matches!(&*words, ["exit"] | ["description", ..]),
                    None,
                    &class,
                );
                continue;
            };
            let mut read = QueuingClass {
                name,
                at: self.at(&class),
                ..QueuingClass::default()
            };
            for act in class.children() {
                let at = self.at(&act);
                let known = queuing_line(&act, at, &mut read);
                self.unless(known, None, &act);
            }
            classes.push(read);
        }
        QueuingPolicy { classes }
    }

    fn interface<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let Some(list) = statement.after("interface") else {
            return;
        };
        let lag = list.strip_prefix("port-channel");
        if !list.starts_with("Ethernet") && lag.is_none() || list.contains('.') {
            return;
        }
        let single = lag.is_some() || !list.contains([',', '-']);
        let mut interface = Interface::default();
        for child in statement.children() {
            self.interface_line(single.then_some(list), &child, &mut interface);
        }
        match lag {
            Some(number) => {
                config.lags.insert(number, interface);
            }
            None if single => {
                interface.name = match list.contains(' ') {
                    true => Cow::Owned(list.replace(' ', "")),
                    false => Cow::Borrowed(list),
                };
                config.interfaces.push(interface);
            }
            None => match expand(list) {
                Some(names) => config
                    .interfaces
                    .extend(names.into_iter().map(|name| Interface {
                        name: Cow::Owned(name),
                        ..interface.clone()
                    })),
                None => self.unparsed(None, statement),
            },
        }
    }

    fn interface_line<'t>(
        &mut self,
        port: Option<&str>,
        line: &Statement<'_, 't>,
        interface: &mut Interface<'t>,
    ) {
        let at = self.at(line);
        match line.first_word() {
            "description" => {
                interface.description = line.after("description").map(|text| (text, at));
                return;
            }
            "mtu"
            | "speed"
            | "fec"
            | "shutdown"
            | "no"
            | "flowcontrol"
            | "channel-group"
            | "priority-flow-control"
            | "service-policy" => {}
            _ if is_qos(line.text()) => return self.unparsed(port, line),
            _ => return,
        }
        let words = line.words();
        match &*words {
            ["mtu", bytes] => {
                interface.mtu = bytes.parse().ok().map(|bytes| (bytes, at));
                self.unless(interface.mtu.is_some(), port, line);
            }
            ["speed", speed] => interface.speed = speed.parse().ok().map(|speed| (speed, at)),
            ["fec", kind] => interface.fec = Some((kind, at)),
            ["shutdown"] => interface.shutdown = Some((true, at)),
            ["no", "shutdown"] => interface.shutdown = Some((false, at)),
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
            ["channel-group", number, ..] => interface.lag = Some(number),
            [
                "priority-flow-control",
                "mode",
                mode @ ("on" | "off" | "auto"),
            ]
            | [
                "priority-flow-control",
                "mode",
                mode @ ("on" | "off" | "auto"),
                "send-tlv",
            ] => {
                interface.pfc = Some((mode, at));
            }
            ["no", "priority-flow-control", "mode", ..] => interface.pfc = None,
            [
                "priority-flow-control",
                "watch-dog-interval",
                state @ ("on" | "off"),
                ..,
            ] => {
                interface.watchdog = Some((*state == "on", at));
            }
            ["no", "priority-flow-control", "watch-dog-interval", ..] => interface.watchdog = None,
            ["service-policy", "input" | "output" | "type", ..] => {
                let read = attach(line, at, &mut interface.attached);
                self.unless(read, port, line);
            }
            ["no", ..] => {}
            _ => {
                let read = !is_qos(line.text());
                self.unless(read, port, line);
            }
        }
    }
}

/// A line that attaches a policy.
fn attach<'t>(line: &Statement<'_, 't>, at: Origin, attached: &mut Attached<'t>) -> bool {
    match &*line.words() {
        ["service-policy", "type", "qos", "input", name]
        | ["service-policy", "type", "qos", "input", name, "no-stats"] => {
            attached.qos = Some((name, at));
        }
        ["service-policy", "type", "network-qos", name] => attached.network = Some((name, at)),
        ["service-policy", "type", "queuing", "output", name] => {
            attached.queuing_out = Some((name, at));
        }
        ["service-policy", "type", "queuing", "input", name] => {
            attached.queuing_in = Some((name, at));
        }
        ["fex", "queue-limit", ..]
        | ["service-policy", "type", "qos", "output", _]
        | ["service-policy", "type", "plb", ..]
        | ["exit"] => {}
        _ => return false,
    }
    true
}

fn queuing_line<'t>(line: &Statement<'_, 't>, at: Origin, class: &mut QueuingClass<'t>) -> bool {
    let percent = |text: &str| {
        text.parse()
            .ok()
            .filter(|n: &u32| *n <= 100)
            .map(|n| (n, at))
    };
    match &*line.words() {
        ["bandwidth", "remaining", "percent", share] => {
            class.remaining = percent(share);
            return class.remaining.is_some();
        }
        ["bandwidth", "percent", share] => {
            class.percent = percent(share);
            return class.percent.is_some();
        }
        ["priority"] | ["priority", "level", _] => class.priority = Some(at),
        ["random-detect", "non-ecn", ..] => {}
        ["random-detect", rest @ ..] => match detect(rest) {
            Some(read) => class.detect = Some((read, at)),
            None => return false,
        },
        [
            "pause",
            "buffer-size",
            size,
            "pause-threshold",
            pause,
            "resume-threshold",
            resume,
        ] => {
            let numbers = [size, pause, resume].map(|n| n.parse::<u64>().ok());
            let [Some(size), Some(pause), Some(resume)] = numbers else {
                return false;
            };
            class.pause = Some(([size, pause, resume], at));
        }
        ["queue-limit", ..] | ["shape", ..] | ["exit"] | ["no", ..] | ["afd", ..] => {}
        _ => return false,
    }
    true
}

/// What follows `random-detect`: all of it may be left out, and only the
/// trailing word makes it mark.
fn detect<'t>(words: &[&'t str]) -> Option<Detect<'t>> {
    let (ecn, words) = match words {
        [rest @ .., "ecn"] => (true, rest),
        rest => (false, rest),
    };
    let mut detect = Detect {
        ecn,
        thresholds: None,
        probability: None,
    };
    match words {
        [] | ["threshold", "burst-optimized" | "mesh-optimized"] => {}
        [
            "minimum-threshold",
            min,
            min_unit,
            "maximum-threshold",
            max,
            max_unit,
            rest @ ..,
        ] => {
            detect.thresholds = Some([(min, min_unit), (max, max_unit)]);
            detect.probability = match rest {
                [] => None,
                ["drop-probability", percent] => Some(percent),
                ["drop-probability", percent, "weight", _] => Some(percent),
                ["drop-probability", percent, "weight", _, "cap-average"] => Some(percent),
                _ => return None,
            };
        }
        _ => return None,
    }
    Some(detect)
}

/// `24-31`, `af31,cs6`, `26`.
fn dscp_list(text: &str) -> Option<Vec<u8>> {
    let mut list = Vec::new();
    for item in text.split(',') {
        match item.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (code_point(first)?, code_point(last)?);
                if first > last {
                    return None;
                }
                list.extend(first..=last);
            }
            None => list.push(code_point(item)?),
        }
    }
    (!list.is_empty()).then_some(list)
}

/// A DSCP by number or name (RFC 2474, 2597, 3246).
pub fn code_point(text: &str) -> Option<u8> {
    let text = text.trim();
    let class = |text: &str, prefix: &str| {
        let digits = text.strip_prefix(prefix)?;
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.to_owned())
    };
    if let Ok(code) = text.parse::<u8>() {
        return (code < 64).then_some(code);
    }
    let lower = text.to_ascii_lowercase();
    match &*lower {
        "default" | "be" => return Some(0),
        "ef" => return Some(46),
        _ => {}
    }
    if let Some(digits) = class(&lower, "cs") {
        return digits.parse::<u8>().ok().filter(|n| *n < 8).map(|n| n * 8);
    }
    let digits = class(&lower, "af")?;
    match digits.as_bytes() {
        [class @ b'1'..=b'4', drop @ b'1'..=b'3'] => Some((class - b'0') * 8 + (drop - b'0') * 2),
        _ => None,
    }
}
