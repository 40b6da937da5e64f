//! Leaves → settings by name.

use super::leaves::{End, Word, leaves};
use super::qos::qos;
use crate::model::{Counters, NoteKind, Origin};
use crate::platform::notes::Notes;
use std::collections::{BTreeMap, HashMap};

/// A value with the line that gives it.
pub type Said<T> = Option<(T, Origin)>;

/// All that the captures of one device say.
#[derive(Default)]
pub struct Config {
    pub hostname: Said<String>,
    pub version: Said<String>,
    pub hardware: Said<String>,
    pub port_mtu: Said<u32>,
    pub ip_mtu: Said<u32>,
    pub interfaces: BTreeMap<String, Interface>,
    /// QoS of ports, aggregations and subinterfaces, by identifier.
    pub qos: HashMap<String, Qos>,
    /// DSCP, or 802.1p, → forwarding class.
    pub dscp_policies: HashMap<String, Policy>,
    pub dot1p_policies: HashMap<String, Policy>,
    /// Forwarding class → DSCP.
    pub rewrites: HashMap<String, BTreeMap<String, (u8, Origin)>>,
    /// Forwarding class → queue.
    pub classes: HashMap<String, (String, Origin)>,
    pub queues: HashMap<String, (u8, Origin)>,
    pub pfc_queues: HashMap<String, (u8, Origin)>,
    pub pfc_profiles: HashMap<String, PfcProfile>,
    /// Queue management profiles, and the queue templates of older releases.
    pub profiles: HashMap<String, Slopes>,
    pub schedulers: HashMap<String, Scheduler>,
    /// `/qos/explicit-congestion-notification`.
    pub ecn: Option<Origin>,
}

impl Config {
    /// Whether policies or profiles are defined, as no counters are.
    pub fn defines(&self) -> bool {
        !(self.dscp_policies.is_empty()
            && self.pfc_profiles.is_empty()
            && self.profiles.is_empty()
            && self.schedulers.is_empty())
    }
}

/// A classifier policy.
#[derive(Default)]
pub struct Policy {
    pub entries: BTreeMap<u8, (String, Origin)>,
    pub at: Origin,
}

/// An interface: a port or an aggregation.
#[derive(Default)]
pub struct Interface {
    pub at: Origin,
    pub description: Said<String>,
    pub enabled: Said<bool>,
    pub oper: Said<bool>,
    pub mtu: Said<u32>,
    pub speed: Said<u32>,
    pub lag: Said<String>,
    pub receive: Said<bool>,
    pub transmit: Said<bool>,
    /// By index: the IP MTU, and whether it is bridged.
    pub subinterfaces: BTreeMap<String, Subinterface>,
}

/// A subinterface.
#[derive(Default)]
pub struct Subinterface {
    pub ip_mtu: Said<u32>,
    pub bridged: bool,
}

/// What `/qos/interfaces/interface` says of one.
#[derive(Default)]
pub struct Qos {
    pub interface: Option<String>,
    pub subinterface: Option<String>,
    pub dscp_policy: Said<String>,
    pub dot1p_policy: Said<String>,
    pub rewrite: Said<String>,
    pub pfc_profile: Said<String>,
    pub pfc: Said<bool>,
    pub pfc_up: Said<bool>,
    /// Queue → profile.
    pub queues: BTreeMap<String, (String, Origin)>,
    pub scheduler: Said<String>,
    pub counters: Option<Box<Counters>>,
    pub discards: Said<i64>,
}

/// A PFC mapping profile.
#[derive(Default)]
pub struct PfcProfile {
    pub at: Origin,
    /// PFC queue → what fills it, and the priority that it pauses.
    pub sends: BTreeMap<String, Sends>,
    /// Egress queue → the priority that it obeys, and whether it does.
    pub obeys: BTreeMap<String, Obeys>,
    pub deadlock: Said<bool>,
    pub detection: Said<u32>,
    pub recovery: Said<u32>,
}

/// A PFC queue of a mapping profile.
#[derive(Default)]
pub struct Sends {
    pub classes: Vec<(String, Origin)>,
    pub priority: Said<u8>,
}

/// An egress queue of a mapping profile.
#[derive(Default)]
pub struct Obeys {
    pub priority: Said<u8>,
    pub enabled: Said<bool>,
}

/// The WRED slopes of a profile.
#[derive(Default)]
pub struct Slopes {
    pub at: Origin,
    /// The slope that marks; of several, that of low drop probability.
    pub ecn: Option<Slope>,
    /// Likewise the slope that drops.
    pub drop: Option<Slope>,
    /// A queue template, which the releases up to 23.3 have: its slopes mark
    /// only where ECN is enabled globally.
    pub template: bool,
}

/// A slope.
#[derive(Clone, Copy, Default)]
pub struct Slope {
    pub at: Origin,
    pub min_percent: Said<u32>,
    pub max_percent: Said<u32>,
    pub min_bytes: Said<u64>,
    pub max_bytes: Said<u64>,
    pub probability: Said<u32>,
}

/// A scheduler policy.
#[derive(Default)]
pub struct Scheduler {
    pub at: Origin,
    /// Sequence numbers that are strict.
    pub strict: Vec<String>,
    /// By sequence and input: the queue, and its weight.
    pub inputs: BTreeMap<(String, String), Input>,
}

/// An input of a scheduler.
#[derive(Default)]
pub struct Input {
    pub queue: Said<String>,
    pub weight: Said<u32>,
}

/// Reads captures.
pub struct Reader<'n> {
    pub capture: usize,
    pub notes: &'n mut Notes,
    pub config: Config,
}

/// What stands directly below `/qos` and is not read: it concerns no class.
const OTHER: &[&str] = &[
    "linecard",
    "policer-policies",
    "policers",
    "policer-templates",
    "input-class-map",
    "output-class-map",
    "system",
    "preserve-dscp",
];

impl Reader<'_> {
    /// Reads one capture, whatever its form.
    pub fn read(&mut self, text: &str) {
        let end = leaves(text, &mut |words, what, offset| {
            let at = Origin::new(self.capture, offset);
            let known = match what {
                Word::Leaf => self.leaf(words, at),
                Word::Empty => {
                    self.presence(words, at);
                    true
                }
            };
            if !known {
                let text = format!("the line {:?} is not understood", words.join(" "));
                self.notes.add(NoteKind::Unparsed, None, text, at);
            }
        });
        if end == End::Broken {
            let at = Origin::new(self.capture, text.len());
            let text = "the capture ends in the middle of a block".to_owned();
            self.notes.add(NoteKind::Failed, None, text, at);
        }
    }

    /// A leaf; false for one of QoS that is not known.
    fn leaf(&mut self, words: &[&str], at: Origin) -> bool {
        let config = &mut self.config;
        let said = |text: &str| Some((text.to_owned(), at));
        match words {
            ["system", "name", "host-name", name] => config.hostname = said(name),
            ["system", "information", "version", version] => config.version = said(version),
            ["platform", "chassis", "type", kind] => config.hardware = said(kind),
            ["system", "mtu", "default-port-mtu", bytes] => config.port_mtu = number(bytes, at),
            ["system", "mtu", "default-ip-mtu", bytes] => config.ip_mtu = number(bytes, at),
            ["interface", name, rest @ ..] => return interface(config, name, rest, at),
            ["qos", "explicit-congestion-notification", ..] => {
                self.presence(words.get(..2).unwrap_or_default(), at);
            }
            ["qos", word, ..] if OTHER.contains(word) => {}
            ["qos", "interfaces", "interface", id, rest @ ..] => {
                return of_port(config.qos.entry((*id).to_owned()).or_default(), rest, at);
            }
            ["qos", rest @ ..] => return qos(config, rest, at),
            [word, ..] => return !["pfc", "ecn", "wred"].iter().any(|w| word.starts_with(w)),
            [] => {}
        }
        true
    }

    /// A block with nothing in it, which may say something by being there.
    fn presence(&mut self, words: &[&str], at: Origin) {
        match words {
            ["interface", name, rest @ ..] if matches!(rest, [] | ["subinterface", _]) => {
                interface(&mut self.config, name, rest, at);
            }
            ["qos", "explicit-congestion-notification"] => self.config.ecn = Some(at),
            _ => {}
        }
    }
}

/// A number with its line.
pub fn number<T: std::str::FromStr>(text: &str, at: Origin) -> Said<T> {
    text.parse().ok().map(|number| (number, at))
}

/// What is on or off, with its line.
pub fn flag(text: &str, at: Origin) -> Said<bool> {
    match text {
        "true" | "enable" | "up" => Some((true, at)),
        "false" | "disable" | "down" => Some((false, at)),
        _ => None,
    }
}

/// Below `/interface`; false for a leaf of QoS that is not known.
fn interface(config: &mut Config, name: &str, words: &[&str], at: Origin) -> bool {
    let interface = config.interfaces.entry(name.to_owned()).or_default();
    if !interface.at.is_known() {
        interface.at = at;
    }
    match words {
        ["description", text @ ..] => interface.description = Some((text.join(" "), at)),
        ["admin-state", state] => interface.enabled = flag(state, at),
        ["oper-state", state] => interface.oper = flag(state, at),
        ["mtu", bytes] => interface.mtu = number(bytes, at),
        ["ethernet", "port-speed", speed] => {
            let digits = speed.strip_suffix('G').and_then(|n| n.parse::<u32>().ok());
            interface.speed = digits.and_then(|n| Some((n.checked_mul(1000)?, at)));
        }
        ["ethernet", "aggregate-id", lag] => interface.lag = Some(((*lag).to_owned(), at)),
        ["ethernet", "flow-control", "receive", on] => interface.receive = flag(on, at),
        ["ethernet", "flow-control", "transmit", on] => interface.transmit = flag(on, at),
        ["subinterface", index, rest @ ..] => {
            let sub = interface.subinterfaces.entry((*index).to_owned());
            let sub = sub.or_default();
            match rest {
                ["ip-mtu", bytes] => sub.ip_mtu = number(bytes, at),
                ["type", kind] => sub.bridged = kind.ends_with("bridged"),
                ["qos", rest @ ..] => {
                    let id = format!("{name}.{index}");
                    return of_port(config.qos.entry(id).or_default(), rest, at);
                }
                _ => {}
            }
        }
        // Releases up to 23.3: QoS below the interface.
        ["qos", rest @ ..] => {
            let id = name.to_owned();
            return of_port(config.qos.entry(id).or_default(), rest, at);
        }
        _ => {}
    }
    true
}

/// Below `/qos/interfaces/interface`; whether it is known.
fn of_port(qos: &mut Qos, words: &[&str], at: Origin) -> bool {
    let said = |text: &str| Some((text.to_owned(), at));
    match words {
        ["interface-id", _] | ["interface-ref", "oper-down-reason", ..] => {}
        ["interface-ref", "interface", name] => qos.interface = Some((*name).to_owned()),
        ["interface-ref", "subinterface", index] => qos.subinterface = Some((*index).to_owned()),
        [
            "input",
            "classifiers",
            "dscp-policy" | "ipv4-dscp-policy",
            name,
        ] => qos.dscp_policy = said(name),
        ["input", "classifiers", "dot1p-policy", name] => qos.dot1p_policy = said(name),
        [
            "output",
            "rewrite-rules",
            "dscp-policy" | "ipv4-dscp-policy",
            name,
        ] => qos.rewrite = said(name),
        ["pfc", "pfc-mapping-profile", name] => qos.pfc_profile = said(name),
        ["pfc", "pfc-enable", on] => qos.pfc = flag(on, at),
        ["pfc", "oper-state", state] => qos.pfc_up = flag(state, at),
        ["pfc", "statistics", rest @ ..] => statistics(qos, rest, at),
        [
            "output",
            "queues",
            "queue",
            queue,
            "queue-management-profile" | "template" | "voq-template",
            name,
        ]
        | [
            "output",
            "queue" | "unicast-queue",
            queue,
            "template" | "voq-template",
            name,
        ] => {
            let queue = match queue.bytes().all(|b| b.is_ascii_digit()) {
                true => format!("unicast-{queue}"),
                false => (*queue).to_owned(),
            };
            qos.queues.insert(queue, ((*name).to_owned(), at));
        }
        ["output", "scheduler", "scheduler-policy", name] => qos.scheduler = said(name),
        // State of queues, buffers and pools; sizes.
        ["output", "queues", "queue", ..]
        | ["output", "queue" | "unicast-queue", ..]
        | ["output", "scheduler", ..]
        | [
            "output" | "input",
            "buffer-allocation-profile" | "pfc-buffer-allocation-profile",
            _,
        ]
        | ["output", "interface-pool" | "interface-pool-policy", ..]
        | [
            "output",
            "rewrite-rules",
            "dot1p-policy" | "mpls-traffic-class-policy" | "ipv6-dscp-policy",
            _,
        ]
        | [
            "input",
            "classifiers",
            "ipv6-dscp-policy" | "mpls-traffic-class-policy",
            _,
        ]
        | [
            "pfc",
            "source-pfc-mac" | "deadlock-detection-timer" | "pfc-queue",
            ..,
        ] => {}
        _ => return false,
    }
    true
}

fn statistics(qos: &mut Qos, words: &[&str], at: Origin) {
    use crate::model::Fact;
    match words {
        ["total-packet-pfc-discards", count] => qos.discards = number(count, at),
        ["pfc-priority", priority, field, count] => {
            let priority = priority.parse().ok().filter(|n: &u8| *n < 8);
            let (Some(priority), Ok(count)) = (priority, count.parse::<i64>()) else {
                return;
            };
            let counters = qos.counters.get_or_insert_with(Box::default);
            let one = counters.by_priority.entry(priority).or_default();
            match *field {
                "pfc-pause-frames-received" => one.rx_pause = Fact::explicit(count, at),
                "pfc-pause-frames-generated" => one.tx_pause = Fact::explicit(count, at),
                "deadlock-recovery-occurrences" => {
                    let trips = counters.watchdog_trips.get().unwrap_or(0);
                    counters.watchdog_trips = Fact::explicit(trips.saturating_add(count), at);
                }
                _ => {}
            }
        }
        _ => {}
    }
}
