//! `display current-configuration` → settings by name.

use super::names;
use crate::model::{NoteKind, Origin, Trust};
use crate::platform::mqc::Policies;
use crate::platform::notes::Notes;
use crate::platform::text::statements::Statement;
use crate::platform::text::views::{self, numbers, without_undo, words};
use std::collections::{BTreeMap, HashMap};

/// A value with the line that gives it.
pub type Said<T> = Option<(T, Origin)>;

/// All that one configuration says.
#[derive(Default)]
pub struct Config<'t> {
    pub hostname: Said<&'t str>,
    pub version: Said<&'t str>,
    /// Of all Ethernet interfaces, from the system view.
    pub pfc: Said<Pfc>,
    pub no_drop: [Said<bool>; 8],
    pub deadlock: Deadlock<'t>,
    /// Chip headroom in cells, by pool.
    pub pools: Vec<(&'t str, u64, Origin)>,
    pub maps: Maps,
    /// WRED tables.
    pub tables: HashMap<&'t str, (BTreeMap<u8, Wred>, Origin)>,
    pub policies: Policies<'t>,
    pub global_policies: Vec<(&'t str, Origin)>,
    pub interfaces: Vec<Interface<'t>>,
    /// Where each stands: a part of a configuration may come back to one.
    places: HashMap<String, usize>,
    /// Aggregations by number.
    pub lags: HashMap<String, Interface<'t>>,
}

/// How PFC is turned on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pfc {
    Off,
    On,
    Auto,
}

/// PFC deadlock detection of the whole switch, by local precedence.
#[derive(Default)]
pub struct Deadlock<'t> {
    /// In steps of the precision.
    pub interval: [Said<u32>; 8],
    pub delay: [Said<u32>; 8],
    pub precision: Said<&'t str>,
    pub action: Said<&'t str>,
}

/// Priority maps: lines that differ from the defaults.
#[derive(Default)]
pub struct Maps {
    pub dscp_dot1p: BTreeMap<u8, (u8, Origin)>,
    pub dscp_lp: BTreeMap<u8, (u8, Origin)>,
    pub dscp_dscp: BTreeMap<u8, (u8, Origin)>,
    pub dot1p_lp: BTreeMap<u8, (u8, Origin)>,
    /// A map that depends on the direction or the colour of packets.
    pub other: Option<Origin>,
}

/// WRED and ECN of a queue.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Wred {
    pub ecn: Said<bool>,
    /// Of drop level 0, in cells: from, to, and percent if given.
    pub limits: Said<(u64, u64, Option<u8>)>,
}

/// A port or an aggregation.
#[derive(Clone, Default)]
pub struct Interface<'t> {
    pub name: String,
    pub at: Origin,
    pub description: Said<&'t str>,
    pub shutdown: Said<bool>,
    pub routed: Said<bool>,
    /// Nothing for what is no number.
    pub mtu: Said<Option<u32>>,
    pub jumbo: Said<Jumbo>,
    pub speed: Said<u32>,
    pub fec: Said<&'t str>,
    pub lag: Option<&'t str>,
    pub pfc: Said<Pfc>,
    pub no_drop: [Said<bool>; 8],
    /// The line of the aggregation that this is a member of.
    pub pfc_of_lag: Option<Origin>,
    pub detects: Said<bool>,
    pub trust: Said<Trust>,
    /// `qos trust … override`.
    pub overrides: Option<Origin>,
    pub buffers: BTreeMap<u8, Buffer>,
    pub table: Said<&'t str>,
    pub wred: BTreeMap<u8, Wred>,
    pub scheduling: Said<Scheduling>,
    pub queues: BTreeMap<u8, Served>,
    pub policies: Vec<(&'t str, Origin)>,
    pub policer: Option<(&'t str, Origin)>,
    pub receive: Said<bool>,
    pub send: Said<bool>,
}

/// The ingress buffer of a priority; all sizes in cells.
#[derive(Clone, Copy, Default)]
pub struct Buffer {
    pub headroom: Said<u64>,
    pub reserved: Said<u64>,
    /// A number of cells; nothing for a share of the free space.
    pub pause: Said<Option<u64>>,
    pub offset: Said<u64>,
}

/// The largest frame that a port passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jumbo {
    /// `undo jumboframe enable`.
    Off,
    /// Bytes; nothing for what is no number.
    Bytes(Option<u32>),
}

/// How the queues of a port are served together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduling {
    Strict,
    Weighted,
}

/// How one queue is served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Served {
    Strict(Origin),
    Weight(u32, Origin),
}

/// The table that `qos wred apply` without a name applies. No table that is
/// configured has this name.
pub const DEFAULT_TABLE: &str = "";

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
    "dcb",
    "dcbx",
    "roce",
    "flow-control",
    "queue",
    "queue-profile",
    "ai-ecn",
];

fn is_qos(words: &[&str]) -> bool {
    let (words, _) = without_undo(words);
    let word = words.first().copied().unwrap_or_default();
    QOS_WORDS.contains(&word) || word.starts_with("ecn-") || word.starts_with("pfc-")
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

    /// Reads a whole configuration.
    pub fn config<'t>(&mut self, text: &'t str) -> Config<'t> {
        let mut config = Config::default();
        let statements = views::statements(text);
        for statement in statements.top() {
            match statement.first_word() {
                "interface" => self.interface(&statement, &mut config),
                "traffic" | "qos"
                    if config
                        .policies
                        .read(&statement, "qos", self.capture, self.notes) => {}
                "version" => {
                    config.version = statement
                        .after("version")
                        .map(|version| (version, self.at(&statement)));
                }
                _ => {
                    if !self.global(&statement, &mut config) && is_qos(&words(&statement)) {
                        self.unparsed(None, &statement);
                    }
                }
            }
        }
        config
    }

    fn global<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) -> bool {
        let at = self.at(statement);
        let all = words(statement);
        let (rest, on) = without_undo(&all);
        match rest {
            ["sysname", name] => config.hostname = Some((name, at)),
            ["priority-flow-control", "deadlock", rest @ ..] => {
                return deadlock(rest, at, &mut config.deadlock);
            }
            ["priority-flow-control", word, pool, "headroom", cells]
                if word.eq_ignore_ascii_case("poolid") =>
            {
                match cells.parse() {
                    Ok(cells) => config.pools.push((pool, cells, at)),
                    Err(_) => return false,
                }
            }
            [
                "priority-flow-control",
                "config-style" | "pause-time" | "early-warning",
                ..,
            ] => {}
            ["priority-flow-control", rest @ ..] => {
                return pfc(rest, on, at, &mut config.pfc, &mut config.no_drop);
            }
            ["qos", "map-table", name @ ..] => self.map(name, statement, config),
            ["qos", "wred", "queue", "table", name] => self.table(name, statement, config),
            ["qos", "apply", "policy", name, "global", ..] if on => {
                config.global_policies.push((name, at));
            }
            ["qos", "trust", "tunnel-dot1p", ..]
            | ["qos", "carl" | "traffic-counter" | "vlan-policy", ..] => {}
            _ => return false,
        }
        true
    }

    fn map<'t>(&mut self, name: &[&str], statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let maps = &mut config.maps;
        let (map, keys, values) = match name {
            ["dscp-dot1p"] => (&mut maps.dscp_dot1p, 63, 7),
            ["dscp-lp"] => (&mut maps.dscp_lp, 63, 7),
            ["dscp-dscp"] => (&mut maps.dscp_dscp, 63, 63),
            ["dot1p-lp"] => (&mut maps.dot1p_lp, 7, 7),
            // Of labels, tags, and of how early packets are dropped.
            [other] if other.ends_with("-dp") || other.contains("exp") => return,
            ["dot1p-dot1p" | "lp-dot1p" | "dot1p-dscp"] => return,
            _ => {
                maps.other = Some(self.at(statement));
                return self.unparsed(None, statement);
            }
        };
        for child in statement.children() {
            let at = self.at(&child);
            let read = match &*words(&child) {
                ["import", list @ .., "export", value] => {
                    let value = value.parse().ok().filter(|value: &u8| *value <= values);
                    numbers(list, keys).zip(value).map(|(list, value)| {
                        map.extend(list.into_iter().map(|key| (key, (value, at))));
                    })
                }
                ["quit"] => Some(()),
                _ => None,
            };
            if read.is_none() {
                self.unparsed(None, &child);
            }
        }
    }

    fn table<'t>(&mut self, name: &'t str, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let (queues, first) = config.tables.entry(name).or_default();
        *first = self.at(statement);
        for child in statement.children() {
            let at = self.at(&child);
            let all = words(&child);
            let (rest, on) = without_undo(&all);
            let read = match rest {
                ["queue", queue, rest @ ..] => wred(queue, rest, on, at, queues),
                ["quit"] => true,
                _ => false,
            };
            if !read {
                self.unparsed(None, &child);
            }
        }
    }

    fn interface<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let list = words(statement);
        let Some(named) = views::interfaces(list.get(1..).unwrap_or_default()) else {
            return self.unparsed(None, statement);
        };
        let lag = named.first().and_then(|name| names::aggregation(name));
        let lag = lag.map(str::to_owned);
        let ports: Vec<String> = named.iter().filter_map(|name| names::full(name)).collect();
        if ports.is_empty() && lag.is_none() {
            return;
        }
        let only = ports.first().filter(|_| ports.len() == 1);
        let place = only.and_then(|name| config.places.get(name).copied());
        let said = match (place, &lag) {
            (Some(n), _) => config.interfaces.get(n).cloned(),
            (None, Some(number)) => config.lags.get(number).cloned(),
            (None, None) => None,
        };
        let mut interface = said.unwrap_or_else(|| Interface {
            at: self.at(statement),
            ..Interface::default()
        });
        for child in statement.children() {
            let port = only.map(String::as_str);
            if !self.line(&child, &mut interface) && is_qos(&words(&child)) {
                self.unparsed(port, &child);
            }
        }
        if let Some(number) = lag {
            config.lags.insert(number, interface);
            return;
        }
        for name in ports {
            let own = Interface {
                name: name.clone(),
                ..interface.clone()
            };
            match config.places.get(&name).copied() {
                Some(n) => config.interfaces[n] = own,
                None => {
                    config.places.insert(name, config.interfaces.len());
                    config.interfaces.push(own);
                }
            }
        }
    }

    /// A line of an interface; whether it is known.
    fn line<'t>(&mut self, line: &Statement<'_, 't>, interface: &mut Interface<'t>) -> bool {
        let at = self.at(line);
        if line.first_word() == "description" {
            interface.description = line.after("description").map(|text| (text, at));
            return true;
        }
        let all = words(line);
        let (rest, on) = without_undo(&all);
        match rest {
            ["shutdown"] => interface.shutdown = Some((on, at)),
            ["port", "link-mode", mode @ ("route" | "bridge")] => {
                interface.routed = Some((*mode == "route", at));
            }
            ["mtu", ..] if !on => interface.mtu = None,
            ["mtu", bytes] => interface.mtu = Some((bytes.parse().ok(), at)),
            ["jumboframe", "enable", bytes] if on => {
                interface.jumbo = Some((Jumbo::Bytes(bytes.parse().ok()), at));
            }
            ["jumboframe", "enable"] if !on => interface.jumbo = Some((Jumbo::Off, at)),
            ["speed", number] => interface.speed = number.parse().ok().map(|mbps| (mbps, at)),
            ["port", "fec", "mode", mode] => interface.fec = Some((mode, at)),
            ["port", "link-aggregation", "group", number, ..] => interface.lag = Some(number),
            ["flow-control"] => {
                interface.receive = Some((on, at));
                interface.send = Some((on, at));
            }
            ["flow-control", "receive", "enable"] => interface.receive = Some((on, at)),
            ["priority-flow-control", rest @ ..] => return port_pfc(rest, on, at, interface),
            ["qos", rest @ ..] => return qos(rest, on, at, interface),
            _ => return false,
        }
        true
    }
}

fn deadlock<'t>(words: &[&'t str], at: Origin, deadlock: &mut Deadlock<'t>) -> bool {
    let place = |cos: &str| cos.parse::<usize>().ok().filter(|cos| *cos < 8);
    let set = |list: &mut [Said<u32>; 8], cos: &str, number: &str| match (
        place(cos),
        number.parse().ok(),
    ) {
        (Some(n), Some(number)) => {
            list[n] = Some((number, at));
            true
        }
        _ => false,
    };
    match words {
        ["cos", cos, "interval", number] => set(&mut deadlock.interval, cos, number),
        ["auto-recover", "cos", cos, "delay", number] => set(&mut deadlock.delay, cos, number),
        ["precision", precision @ ("high" | "normal" | "low")] => {
            deadlock.precision = Some((precision, at));
            true
        }
        [
            "auto-recover",
            "action",
            action @ ("discard" | "forwarding"),
        ] => {
            deadlock.action = Some((action, at));
            true
        }
        ["threshold", ..] => true,
        _ => false,
    }
}

/// `enable`, `auto`, `no-drop dot1p 5`: of a port, or of all of them.
fn pfc(
    words: &[&str],
    on: bool,
    at: Origin,
    pfc: &mut Said<Pfc>,
    no_drop: &mut [Said<bool>; 8],
) -> bool {
    match words {
        ["enable"] if on => *pfc = Some((Pfc::On, at)),
        ["auto"] if on => *pfc = Some((Pfc::Auto, at)),
        [] | ["enable" | "auto"] if !on => *pfc = Some((Pfc::Off, at)),
        ["no-drop", "dot1p"] if !on => {
            no_drop
                .iter_mut()
                .for_each(|said| *said = Some((false, at)));
        }
        ["no-drop", "dot1p", list @ ..] => {
            let Some(list) = numbers(list, 7) else {
                return false;
            };
            for n in list {
                no_drop[usize::from(n & 7)] = Some((on, at));
            }
        }
        _ => return false,
    }
    true
}

fn port_pfc(words: &[&str], on: bool, at: Origin, interface: &mut Interface<'_>) -> bool {
    match words {
        ["deadlock", "enable"] => interface.detects = Some((on, at)),
        ["deadlock", "recover-mode", "auto" | "manual"] | ["early-warning", ..] => {}
        ["dot1p", list, rest @ ..] if on => {
            let Some(list) = numbers(&[*list], 7) else {
                return false;
            };
            let number = |text: &str| text.parse::<u64>().ok();
            for n in list {
                let buffer = interface.buffers.entry(n).or_default();
                let read = match rest {
                    ["headroom", cells] => number(cells).map(|n| buffer.headroom = Some((n, at))),
                    ["reserved-buffer", cells] => {
                        number(cells).map(|n| buffer.reserved = Some((n, at)))
                    }
                    ["ingress-buffer", "static", cells] => {
                        number(cells).map(|n| buffer.pause = Some((Some(n), at)))
                    }
                    ["ingress-buffer", "dynamic", percent] => {
                        number(percent).map(|_| buffer.pause = Some((None, at)))
                    }
                    ["ingress-threshold-offset", cells] => {
                        number(cells).map(|n| buffer.offset = Some((n, at)))
                    }
                    _ => None,
                };
                if read.is_none() {
                    return false;
                }
            }
        }
        rest => return pfc(rest, on, at, &mut interface.pfc, &mut interface.no_drop),
    }
    true
}

/// What follows the queue of a WRED line.
fn wred(
    queue: &str,
    words: &[&str],
    on: bool,
    at: Origin,
    queues: &mut BTreeMap<u8, Wred>,
) -> bool {
    let Some(n) = views::queue(queue) else {
        return false;
    };
    let (level, rest) = match words {
        ["drop-level", level, rest @ ..] => match level.parse::<u8>() {
            Ok(level) if level < 3 => (level, rest),
            _ => return false,
        },
        rest => (0, rest),
    };
    let number = |text: &str| text.parse::<u64>().ok();
    let limits = match rest {
        ["ecn"] => {
            queues.entry(n).or_default().ecn = Some((on, at));
            return true;
        }
        ["weighting-constant", constant] => return number(constant).is_some(),
        ["low-limit", low, "high-limit", high] => number(low)
            .zip(number(high))
            .map(|(low, high)| (low, high, None)),
        [
            "low-limit",
            low,
            "high-limit",
            high,
            "discard-probability",
            percent,
        ] => {
            let percent = percent.parse().ok().filter(|percent: &u8| *percent <= 100);
            let limits = number(low).zip(number(high)).zip(percent);
            limits.map(|((low, high), percent)| (low, high, Some(percent)))
        }
        _ => return false,
    };
    // RoCE packets are green: drop level 0.
    if let (Some(limits), 0) = (limits, level) {
        queues.entry(n).or_default().limits = on.then_some((limits, at));
    }
    limits.is_some()
}

fn qos<'t>(words: &[&'t str], on: bool, at: Origin, interface: &mut Interface<'t>) -> bool {
    match words {
        ["trust", field, rest @ ..] if on => {
            let trust = match *field {
                "dscp" => Trust::Dscp,
                "dot1p" => Trust::Pcp,
                "auto" => Trust::Both,
                "none" => Trust::None,
                _ => return false,
            };
            interface.overrides = match rest {
                [] => None,
                ["override"] => Some(at),
                _ => return false,
            };
            interface.trust = Some((trust, at));
        }
        ["trust", ..] => interface.trust = None,
        ["priority", ..] => {}
        ["wred", "apply"] => interface.table = on.then_some((DEFAULT_TABLE, at)),
        ["wred", "apply", name] => interface.table = on.then_some((name, at)),
        ["wred", "queue", queue, rest @ ..] => {
            return wred(queue, rest, on, at, &mut interface.wred);
        }
        ["sp"] => interface.scheduling = on.then_some((Scheduling::Strict, at)),
        ["wfq" | "wrr"] | ["wfq" | "wrr", "byte-count" | "weight"] => {
            interface.scheduling = on.then_some((Scheduling::Weighted, at));
        }
        ["wfq" | "wrr", queue, rest @ ..] => {
            let Some(n) = views::queue(queue) else {
                return false;
            };
            let served = match rest {
                ["group", "sp"] => Served::Strict(at),
                ["group", "1" | "2", "byte-count" | "weight", weight]
                | ["byte-count" | "weight", weight] => match weight.parse() {
                    Ok(weight) => Served::Weight(weight, at),
                    Err(_) => return false,
                },
                _ => return false,
            };
            interface.queues.insert(n, served);
        }
        ["apply", "policy", name, "inbound" | "outbound", ..] if on => {
            interface.policies.push((name, at));
        }
        ["car", "inbound" | "outbound", ..] if on => interface.policer = Some(("qos car", at)),
        ["lr" | "gts" | "bandwidth" | "qmprofile", ..] => {}
        _ => return false,
    }
    true
}

impl<'t> Interface<'t> {
    /// What holds for a member of this aggregation: what the aggregation says,
    /// and what the member says itself.
    pub fn member(&self, own: &Interface<'t>) -> Interface<'t> {
        let mut all = own.clone();
        all.routed = self.routed.or(own.routed);
        all.mtu = self.mtu.or(own.mtu);
        all.trust = own.trust.or(self.trust);
        all.pfc_of_lag = self
            .pfc
            .filter(|(pfc, _)| *pfc != Pfc::Off)
            .map(|(_, at)| at);
        all.policies.extend(&self.policies);
        all
    }
}
