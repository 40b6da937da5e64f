//! `display current-configuration` → settings by name.

use super::qos::{bytes, curve, dcb, priority, qos};
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
    /// PFC profiles; the one without a name is `default`.
    pub profiles: HashMap<&'t str, Profile>,
    /// `dcb pfc global disable`.
    pub pfc_off: Option<Origin>,
    /// Of the whole switch, in milliseconds.
    pub detection_ms: Said<u32>,
    pub recovery_ms: Said<u32>,
    /// What the times of a profile count, in milliseconds.
    pub precision_ms: Said<u32>,
    /// What happens to packets while a deadlock is ended.
    pub behavior: Said<&'t str>,
    pub domains: HashMap<&'t str, Domain>,
    pub drops: HashMap<&'t str, Drops>,
    /// `ai-ecn enable`, and the queues that are assigned to it.
    pub ai_ecn: Said<bool>,
    pub ai_queues: [Option<Origin>; 8],
    pub low_latency: Option<Origin>,
    /// Chip headroom by slot, in bytes.
    pub headroom: Vec<(&'t str, u64, Origin)>,
    /// Slots on which PFC looks at the internal priority.
    pub by_internal: HashMap<&'t str, Origin>,
    pub policies: Policies<'t>,
    /// Policies attached to the whole switch.
    pub global_policies: Vec<(&'t str, Origin)>,
    pub interfaces: Vec<Interface<'t>>,
    /// Where each stands: a part of a configuration may come back to one.
    places: HashMap<String, usize>,
    /// Eth-Trunks by number.
    pub trunks: HashMap<&'t str, Interface<'t>>,
}

/// A PFC profile.
#[derive(Default)]
pub struct Profile {
    /// Priorities with the line that gives each.
    pub priorities: [Option<Origin>; 8],
    /// In steps of the precision.
    pub detection: [Said<u32>; 8],
    pub recovery: [Said<u32>; 8],
    pub at: Origin,
}

/// A DiffServ domain: lines that differ from the defaults.
#[derive(Default)]
pub struct Domain {
    pub dscp: BTreeMap<u8, (u8, Origin)>,
    pub pcp: BTreeMap<u8, (u8, Origin)>,
    /// Local priority → DSCP on the way out, green packets.
    pub out: BTreeMap<u8, (u8, Origin)>,
    pub at: Origin,
}

/// A WRED drop profile.
#[derive(Default)]
pub struct Drops {
    /// `color green …`: from where on packets are dropped, or marked.
    pub green: Said<Curve>,
    /// `ecn …`: from where on they are marked.
    pub ecn: Said<Curve>,
    pub at: Origin,
}

/// Two thresholds and a probability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Curve {
    pub low: u64,
    pub high: u64,
    pub unit: Unit,
    /// Percent.
    pub probability: u8,
}

/// What thresholds count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Bytes,
    /// Cells of a size that the chip decides.
    Cells,
    /// Percent of the queue.
    Percent,
}

/// A port or an Eth-Trunk.
#[derive(Clone, Default)]
pub struct Interface<'t> {
    pub name: String,
    pub at: Origin,
    pub description: Said<&'t str>,
    pub shutdown: Said<bool>,
    /// `undo portswitch`.
    pub routed: Said<bool>,
    /// Nothing for what is no number.
    pub mtu: Said<Option<u32>>,
    pub jumbo: Said<Option<u32>>,
    pub speed: Said<u32>,
    pub fec: Said<&'t str>,
    pub trunk: Option<&'t str>,
    pub pfc: Said<Option<Enabled<'t>>>,
    /// The line of the Eth-Trunk that this is a member of.
    pub pfc_of_trunk: Option<Origin>,
    pub trust: Said<Trust>,
    /// `trust upstream`; nothing for `none`.
    pub domain: Said<Option<&'t str>>,
    pub buffers: BTreeMap<u8, Buffer>,
    pub queues: BTreeMap<u8, Queue<'t>>,
    pub policies: Vec<(&'t str, Origin)>,
    /// A policer of the whole port.
    pub policer: Option<(&'t str, Origin)>,
    /// `qos phb marking dscp enable`.
    pub marking: Said<bool>,
    pub flow_in: Said<bool>,
    pub flow_out: Said<bool>,
}

/// `dcb pfc enable NAME mode …`.
#[derive(Clone, Copy)]
pub struct Enabled<'t> {
    pub profile: Option<&'t str>,
    /// `mode auto`, `mode manual`, or neither.
    pub negotiated: Option<bool>,
}

/// The ingress buffer of a PFC queue. A size that is counted in cells is none.
#[derive(Clone, Default)]
pub struct Buffer {
    pub xoff: Said<Level>,
    pub xon: Said<Level>,
    /// How far below `xoff` sending may go on.
    pub offset: Said<Option<u64>>,
    pub headroom: Said<Option<u64>>,
    pub guaranteed: Said<Option<u64>>,
}

/// Where pause begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Bytes; nothing for cells.
    Static(Option<u64>),
    /// Moves with the free space.
    Dynamic,
}

/// An egress queue.
#[derive(Clone, Default)]
pub struct Queue<'t> {
    pub scheduling: Said<Scheduling>,
    pub weight: Said<u32>,
    pub drops: Said<&'t str>,
    pub ecn: Said<bool>,
    /// A fixed limit in bytes; nothing where it moves.
    pub limit: Said<Option<u64>>,
}

/// How a queue is served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduling {
    Strict,
    Weighted,
    /// Strict, after all weighted queues.
    Last,
}

/// Reads one capture.
pub struct Reader<'n> {
    pub capture: usize,
    pub notes: &'n mut Notes,
}

/// First words of lines that set quality of service.
const QOS_WORDS: &[&str] = &[
    "dcb",
    "pfc",
    "qos",
    "trust",
    "ecn",
    "wred",
    "roce",
    "drop-profile",
    "diffserv",
    "ai-ecn",
    "ai-service",
    "low-latency",
    "flow-control",
    "priority-flow-control",
    "queue-profile",
    "abs-pfc",
    "traffic-policy",
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
                "traffic"
                    if config
                        .policies
                        .read(&statement, "traffic", self.capture, self.notes) => {}
                "!Software" => {
                    config.version = statement
                        .after("!Software Version")
                        .map(|version| (version, self.at(&statement)));
                }
                "port-group" => self.group(&statement),
                "port" => {}
                _ => {
                    if !self.global(&statement, &mut config) && is_qos(&words(&statement)) {
                        self.unparsed(None, &statement);
                    }
                }
            }
        }
        config
    }

    /// A group of ports. What is typed there is printed of each member, not of
    /// the group.
    fn group(&mut self, statement: &Statement<'_, '_>) {
        let lines = statement.children().filter(|line| is_qos(&words(line)));
        lines.for_each(|line| self.unparsed(None, &line));
    }

    fn global<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) -> bool {
        let at = self.at(statement);
        let ms = |text: &str| text.parse().ok().map(|ms: u32| (ms, at));
        match &*words(statement) {
            ["sysname", name] => config.hostname = Some((name, at)),
            ["dcb", "pfc", "global", "disable"] => config.pfc_off = Some(at),
            ["undo", "dcb", "pfc", "global", "disable"] => config.pfc_off = None,
            ["dcb", "pfc", "deadlock-detect", "timer", time] => {
                config.detection_ms = ms(time);
                return config.detection_ms.is_some();
            }
            ["dcb", "pfc", "deadlock-recovery", "timer", time] => {
                config.recovery_ms = ms(time);
                return config.recovery_ms.is_some();
            }
            ["dcb", "pfc", "deadlock-detect", "interval", time] => {
                config.precision_ms = ms(time);
                return config.precision_ms.is_some();
            }
            [
                "dcb",
                "pfc",
                "deadlock",
                "recovery-behavior",
                act @ ("discard" | "forwarding"),
                ..,
            ] => config.behavior = Some((act, at)),
            ["dcb", "pfc", "dscp-mapping", "enable", "slot", slot] => {
                config.by_internal.insert(slot, at);
            }
            ["dcb", "pfc", "uplink", "group", ..] | ["dcb", "ets" | "app", ..] => {}
            ["dcb", "pfc"] => self.profile("default", statement, config),
            ["dcb", "pfc", name] if !matches!(*name, "enable" | "priority") => {
                self.profile(name, statement, config);
            }
            ["diffserv", "domain", name] => self.domain(name, statement, config),
            ["drop-profile", name] => self.drops(name, statement, config),
            ["ai-service"] => self.ai_service(statement, config),
            ["low-latency", "fabric"] => config.low_latency = Some(at),
            [
                "qos",
                "buffer",
                "headroom-pool",
                "size",
                size,
                unit,
                "slot",
                slot,
            ] => match bytes(size, unit).flatten() {
                Some(bytes) => config.headroom.push((slot, bytes, at)),
                None => return false,
            },
            ["traffic-policy", name, "global", ..] => config.global_policies.push((name, at)),
            // Marking of all queues at once, and what concerns no class.
            ["qos", "ecn", "enable"] | ["qos", "ecn"] => {}
            ["qos", "car", _, "cir" | "percent", ..]
            | [
                "qos",
                "burst-mode" | "micro-burst" | "hpc" | "buffer-monitoring",
                ..,
            ]
            | [
                "qos",
                "queue-alarm" | "traffic-policy" | "group" | "phb",
                ..,
            ]
            | ["qos", "buffer", "overrun", ..] => {}
            _ => return false,
        }
        true
    }

    fn profile<'t>(
        &mut self,
        name: &'t str,
        statement: &Statement<'_, 't>,
        config: &mut Config<'t>,
    ) {
        let profile = config.profiles.entry(name).or_default();
        profile.at = self.at(statement);
        for child in statement.children() {
            let at = self.at(&child);
            let read = match &*words(&child) {
                ["priority", rest @ ..] => priority(rest, at, profile),
                _ => false,
            };
            if !read {
                self.unparsed(None, &child);
            }
        }
    }

    fn domain<'t>(
        &mut self,
        name: &'t str,
        statement: &Statement<'_, 't>,
        config: &mut Config<'t>,
    ) {
        let domain = config.domains.entry(name).or_default();
        domain.at = self.at(statement);
        for child in statement.children() {
            let at = self.at(&child);
            let code = |text: &str, most: u8| text.parse().ok().filter(|n: &u8| *n <= most);
            let read = match &*words(&child) {
                ["ip-dscp-inbound", dscp, "phb", class, ..] => code(dscp, 63)
                    .zip(views::queue(class))
                    .map(|(dscp, tc)| domain.dscp.insert(dscp, (tc, at)))
                    .is_some(),
                ["8021p-inbound", pcp, "phb", class, ..] => code(pcp, 7)
                    .zip(views::queue(class))
                    .map(|(pcp, tc)| domain.pcp.insert(pcp, (tc, at)))
                    .is_some(),
                ["ip-dscp-outbound", class, "green", "map", dscp] => views::queue(class)
                    .zip(code(dscp, 63))
                    .map(|(tc, dscp)| domain.out.insert(tc, (dscp, at)))
                    .is_some(),
                // Of packets that a policer has coloured, of tags and labels.
                ["ip-dscp-outbound", _, "yellow" | "red", "map", _]
                | ["8021p-outbound", ..]
                | ["mpls-exp-inbound" | "mpls-exp-outbound", ..] => true,
                _ => false,
            };
            if !read {
                self.unparsed(None, &child);
            }
        }
    }

    fn drops<'t>(&mut self, name: &'t str, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let drops = config.drops.entry(name).or_default();
        drops.at = self.at(statement);
        for child in statement.children() {
            let at = self.at(&child);
            let said = |rest: &[&str]| curve(rest).map(|curve| (curve, at));
            let read = match &*words(&child) {
                ["color", "green", rest @ ..] => {
                    drops.green = said(rest);
                    drops.green.is_some()
                }
                ["color", "yellow" | "red", rest @ ..] => curve(rest).is_some(),
                ["ecn", rest @ ..] => {
                    drops.ecn = said(rest);
                    drops.ecn.is_some()
                }
                ["description", ..] => true,
                _ => false,
            };
            if !read {
                self.unparsed(None, &child);
            }
        }
    }

    fn ai_service<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let inside = statement.children().filter(|s| s.text() == "ai-ecn");
        for line in inside.flat_map(|block| block.children()) {
            let at = self.at(&line);
            match &*words(&line) {
                ["ai-ecn", "enable"] => config.ai_ecn = Some((true, at)),
                ["undo", "ai-ecn", "enable"] => config.ai_ecn = Some((false, at)),
                ["assign", "queue", list @ ..] => {
                    let end = list.iter().position(|word| *word == "model");
                    let list = list.get(..end.unwrap_or(list.len())).unwrap_or_default();
                    match numbers(list, 7) {
                        Some(queues) => {
                            let queues = queues.into_iter().map(usize::from);
                            queues.for_each(|n| config.ai_queues[n & 7] = Some(at));
                        }
                        None => self.unparsed(None, &line),
                    }
                }
                _ => self.unparsed(None, &line),
            }
        }
    }

    fn interface<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        let list = words(statement);
        let Some(names) = views::interfaces(list.get(1..).unwrap_or_default()) else {
            return self.unparsed(None, statement);
        };
        let trunk = list.get(1).and_then(|word| word.strip_prefix("Eth-Trunk"));
        let trunk = trunk.filter(|number| !number.contains('.'));
        let is_port = names.iter().any(|name| port_speed(name).is_some());
        if !is_port && trunk.is_none() {
            return;
        }
        let place = match (trunk, &*names) {
            (None, [name]) => config.places.get(name).copied(),
            _ => None,
        };
        let said = place.and_then(|n| config.interfaces.get(n)).cloned();
        let mut interface = said.unwrap_or_else(|| Interface {
            at: self.at(statement),
            ..Interface::default()
        });
        let only = names.first().filter(|_| names.len() == 1);
        for child in statement.children() {
            let port = only.map(String::as_str);
            if !self.line(&child, &mut interface) && is_qos(&words(&child)) {
                self.unparsed(port, &child);
            }
        }
        if let Some(number) = trunk {
            config.trunks.insert(number, interface);
            return;
        }
        for name in names.into_iter().filter(|name| port_speed(name).is_some()) {
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
            ["portswitch"] => interface.routed = Some((!on, at)),
            ["mtu", ..] if !on => interface.mtu = None,
            ["mtu", bytes] => interface.mtu = Some((bytes.parse().ok(), at)),
            ["jumboframe", "enable", ..] if !on => interface.jumbo = None,
            ["jumboframe", "enable", bytes, ..] => {
                interface.jumbo = Some((bytes.parse().ok(), at));
            }
            ["port", "mode", mode, ..] | ["speed", mode] | ["speed", "auto", mode] => {
                interface.speed = speed(mode).map(|speed| (speed, at));
            }
            ["fec", "mode", mode] => interface.fec = Some((mode, at)),
            ["eth-trunk", number, ..] => interface.trunk = Some(number),
            ["flow-control"] => {
                interface.flow_in = Some((on, at));
                interface.flow_out = Some((on, at));
            }
            ["flow-control", "input"] => interface.flow_in = Some((on, at)),
            ["flow-control", "output"] => interface.flow_out = Some((on, at)),
            ["flow-control", "negotiation"] => {}
            ["trust", "dscp"] if on => interface.trust = Some((Trust::Dscp, at)),
            ["trust", "8021p", ..] if on => interface.trust = Some((Trust::Pcp, at)),
            ["trust", "upstream", ..] if !on => interface.domain = None,
            ["trust", ..] if !on => interface.trust = None,
            ["trust", "upstream", "none"] => interface.domain = Some((None, at)),
            ["trust", "upstream", name] => interface.domain = Some((Some(name), at)),
            ["dcb", rest @ ..] => return dcb(rest, on, at, interface),
            ["qos", rest @ ..] => return qos(rest, on, at, interface),
            ["traffic-policy", name, "inbound" | "outbound", ..] if on => {
                interface.policies.push((name, at));
            }
            _ => return false,
        }
        true
    }
}

/// The speed of a port by its type, in Mb/s: `100GE1/0/1`. `None` for what is
/// no port of the front: trunks, VLANs, management, sub-interfaces.
pub fn port_speed(name: &str) -> Option<u32> {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = name.split_at(digits);
    let numbers = rest.strip_prefix("GE")?;
    let is_port = numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'/' | b':'));
    if !is_port {
        return None;
    }
    match number {
        "" => Some(1000),
        number => number.parse::<u32>().ok()?.checked_mul(1000),
    }
}

/// `10G`, `200ge`, `25000`: Mb/s.
fn speed(word: &str) -> Option<u32> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = word.split_at(digits);
    let number: u32 = number.parse().ok()?;
    match unit.to_ascii_lowercase().as_str() {
        "g" | "ge" => number.checked_mul(1000),
        "" => Some(number),
        _ => None,
    }
}

impl<'t> Interface<'t> {
    /// What holds for a member of this trunk: what the trunk says, and what
    /// the member says itself.
    pub fn member(&self, own: &Interface<'t>) -> Interface<'t> {
        let mut all = own.clone();
        all.routed = self.routed.or(own.routed);
        all.mtu = self.mtu.or(own.mtu);
        all.jumbo = self.jumbo.or(own.jumbo);
        all.trust = self.trust.or(own.trust);
        all.domain = self.domain.or(own.domain);
        all.marking = self.marking.or(own.marking);
        all.policer = self.policer.or(own.policer);
        all.pfc_of_trunk = self.pfc.filter(|(on, _)| on.is_some()).map(|(_, at)| at);
        all.policies.extend(&self.policies);
        for (n, trunk) in &self.queues {
            let queue = all.queues.entry(*n).or_default();
            queue.scheduling = queue.scheduling.or(trunk.scheduling);
            queue.weight = queue.weight.or(trunk.weight);
            queue.drops = queue.drops.or(trunk.drops);
            queue.ecn = queue.ecn.or(trunk.ecn);
            queue.limit = queue.limit.or(trunk.limit);
        }
        all
    }
}
