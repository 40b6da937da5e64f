//! Configurations in braces, as `set` lines and as JSON → settings by name.
//! Each becomes leaves with all words of their way, which are read one by one.

use crate::model::{NoteKind, Origin};
use crate::platform::notes::Notes;
use crate::platform::nxos::code_point;
use crate::platform::text::braces::{self, End};
use crate::platform::text::json::{Document, Kind, Node};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A value with the line that gives it.
pub type Said<T> = Option<(T, Origin)>;
type Word<'t> = Cow<'t, str>;

/// All that one configuration says.
#[derive(Default)]
pub struct Config {
    pub hostname: Said<String>,
    pub version: Said<String>,
    pub classes: BTreeMap<String, Class>,
    pub classifiers: HashMap<(Field, String), Classifier>,
    pub rewrites: HashMap<String, Vec<(String, u8, Origin)>>,
    pub profiles: HashMap<String, DropProfile>,
    pub schedulers: HashMap<String, Scheduler>,
    pub scheduler_maps: HashMap<String, Vec<(String, String, Origin)>>,
    pub notifications: HashMap<String, Notification>,
    /// Bindings by name or pattern, in the order of the text.
    pub bindings: Vec<(String, Binding)>,
    pub partitions: Vec<(String, String, u32, Origin)>,
    pub interfaces: BTreeMap<String, Interface>,
    /// Members of interface ranges.
    pub ranges: BTreeMap<String, Vec<String>>,
    aliases: HashMap<String, u8>,
    groups: Vec<(String, SmallVec<[String; 8]>, Origin)>,
    applied: Vec<String>,
}

/// What a classifier looks at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    Dscp,
    Pcp,
}

/// A forwarding class.
#[derive(Clone, Default)]
pub struct Class {
    pub queue: Said<u8>,
    pub no_loss: Option<Origin>,
    pub priority: Said<u8>,
}

/// A classifier.
#[derive(Default)]
pub struct Classifier {
    pub imports: Option<Origin>,
    pub codes: BTreeMap<u8, (String, Origin)>,
}

/// A drop profile: fill levels and probabilities, in percent.
#[derive(Default)]
pub struct DropProfile {
    pub fill: Vec<u32>,
    pub probability: Vec<u32>,
    pub at: Origin,
}

/// A scheduler.
#[derive(Default)]
pub struct Scheduler {
    pub ecn: Option<Origin>,
    pub profile: Said<String>,
    pub strict: Said<bool>,
    pub percent: Said<u32>,
    pub at: Origin,
}

/// A congestion-notification-profile.
#[derive(Default)]
pub struct Notification {
    /// Code points whose class sends pause.
    pub dscp: BTreeMap<u8, Origin>,
    pub pcp: BTreeMap<u8, Origin>,
    pub has_input: bool,
    /// Priority → the queue that obeys its pause.
    pub output: BTreeMap<u8, (u8, Origin)>,
    pub has_output: bool,
    pub watchdog: Option<Origin>,
    pub detection: Said<u32>,
    pub recovery: Said<u32>,
    pub action: Said<String>,
    pub cable: Said<u32>,
    pub at: Origin,
}

/// What class-of-service binds to ports.
#[derive(Clone, Default)]
pub struct Binding {
    pub notification: Said<String>,
    pub scheduler_map: Said<String>,
    pub dscp: Said<String>,
    pub pcp: Said<String>,
    pub rewrite: Said<String>,
    /// A fixed class for all packets.
    pub class: Said<String>,
}

/// A port.
#[derive(Default)]
pub struct Interface {
    pub description: Said<String>,
    pub mtu: Said<u32>,
    pub inet_mtu: Said<u32>,
    pub speed: Said<u32>,
    pub disabled: Option<Origin>,
    pub flow_control: Said<bool>,
    pub lag: Option<String>,
    pub sub_ports: bool,
}

/// Reads one capture.
pub struct Reader<'n> {
    pub capture: usize,
    pub notes: &'n mut Notes,
}

impl Reader<'_> {
    /// Reads a whole configuration into `config`.
    pub fn config(&mut self, text: &str, config: &mut Config) {
        let start = text.trim_start();
        if start.starts_with('{') && start.contains("\"configuration\"") {
            self.json(start, text.len() - start.len(), config);
        } else if is_set(text) {
            self.set(text, config);
        } else {
            let capture = self.capture;
            let mut leaves = |words: &[&str], offset: usize| {
                let words: Vec<Word<'_>> = words.iter().map(|word| Cow::Borrowed(*word)).collect();
                self.leaf(&words, Origin::new(capture, offset), config);
            };
            match braces::leaves(text, &mut leaves) {
                End::Whole => {}
                End::Cut => self.broken("the configuration ends in the middle", text.len()),
                End::Unbalanced(at) => self.broken("a brace is closed that was not opened", at),
            }
        }
        self.groups(config);
    }

    fn broken(&mut self, what: &str, offset: usize) {
        let at = Origin::new(self.capture, offset);
        self.notes.add(NoteKind::Failed, None, what.to_owned(), at);
    }

    /// `set …` lines; what is deactivated is left out.
    fn set(&mut self, text: &str, config: &mut Config) {
        let lines = || {
            let mut start = 0;
            text.split('\n').map(move |line| {
                let offset = start;
                start += line.len() + 1;
                (line.trim(), offset)
            })
        };
        let inactive: HashSet<Vec<&str>> = lines()
            .filter_map(|(line, _)| line.strip_prefix("deactivate "))
            .map(|rest| rest.split_ascii_whitespace().collect())
            .collect();
        let lengths: BTreeSet<usize> = inactive.iter().map(Vec::len).collect();
        for (line, offset) in lines() {
            let Some(rest) = line.strip_prefix("set ") else {
                continue;
            };
            let words: Vec<Word<'_>> = quoted(rest);
            let off = lengths.iter().any(|length| {
                let way = words.get(..*length);
                way.is_some_and(|way| {
                    let way: Vec<&str> = way.iter().map(|word| &**word).collect();
                    inactive.contains(&way)
                })
            });
            if !off {
                self.leaf(&words, Origin::new(self.capture, offset), config);
            }
        }
    }

    /// `| display json`: objects by key, lists of objects by their `name`.
    fn json(&mut self, text: &str, base: usize, config: &mut Config) {
        let document = Document::parse(text);
        let root = document.root().and_then(|root| root.get("configuration"));
        let mut open: Vec<(Vec<Word<'_>>, Node<'_>)> = Vec::new();
        open.extend(root.map(|root| (Vec::new(), root)));
        while let Some((way, node)) = open.pop() {
            let at = Origin::new(self.capture, base + node.offset() as usize);
            match node.kind() {
                Kind::Object => {
                    let inactive = node.get("@").and_then(|meta| meta.get("inactive"));
                    if inactive.and_then(|flag| flag.bool()) == Some(true) || way.len() > 32 {
                        continue;
                    }
                    let mut way = way;
                    if let Some(name) = node.get("name").and_then(|name| name.text()) {
                        way.push(name);
                    }
                    let mut any = false;
                    for (key, child) in node.entries() {
                        let key = key.text();
                        if key != "name" && !key.starts_with('@') {
                            any = true;
                            let mut way = way.clone();
                            // The list of interfaces is one level more here.
                            let listed = way.last().is_some_and(|word| word == "interfaces");
                            if !(listed && key == "interface") {
                                way.push(key);
                            }
                            open.push((way, child));
                        }
                    }
                    if !any {
                        self.leaf(&way, at, config);
                    }
                }
                Kind::Array => {
                    let values: Vec<Word<'_>> = node.items().filter_map(|n| n.text()).collect();
                    let mut all = way.clone();
                    let plain = !values.is_empty();
                    all.extend(values);
                    for item in node.items() {
                        match item.kind() {
                            Kind::Object | Kind::Array => open.push((way.clone(), item)),
                            _ if item.is_null() => self.leaf(&way, at, config),
                            _ => {}
                        }
                    }
                    if plain {
                        self.leaf(&all, at, config);
                    }
                }
                _ => {
                    let mut way = way;
                    way.extend(node.text());
                    self.leaf(&way, at, config);
                }
            }
        }
        if document.error().is_some() {
            self.broken("the JSON could not be read to its end", base + text.len());
        }
    }

    /// What applied groups say, where nothing nearer says it.
    fn groups(&mut self, config: &mut Config) {
        let groups = std::mem::take(&mut config.groups);
        let applied: HashSet<String> = std::mem::take(&mut config.applied).into_iter().collect();
        for name in &applied {
            if !groups.iter().any(|(own, _, _)| own == name) {
                let text = format!("apply-groups {name}: there is no group of this name");
                self.notes
                    .add(NoteKind::Unresolved, None, text, Origin::NONE);
            }
        }
        let mut weak = Config::default();
        for (name, words, at) in groups {
            if applied.contains(&name) {
                // `<et-*>` in a group is a pattern of names.
                let bare = |word: &String| word.trim_matches(['<', '>']).to_owned();
                let words: Vec<Word<'_>> = words.iter().map(|w| Cow::Owned(bare(w))).collect();
                self.leaf(&words, at, &mut weak);
            }
        }
        config.inherit(weak);
    }

    fn unparsed(&mut self, words: &[Word<'_>], at: Origin) {
        let line: Vec<&str> = words.iter().map(|word| &**word).collect();
        let text = format!("{:?} is not understood", line.join(" "));
        self.notes.add(NoteKind::Unparsed, None, text, at);
    }

    fn leaf(&mut self, words: &[Word<'_>], at: Origin, config: &mut Config) {
        let line: SmallVec<[&str; 16]> = words.iter().map(|word| &**word).collect();
        match &*line {
            ["class-of-service", rest @ ..] => {
                let read = cos(rest, at, config);
                if read {
                    return;
                }
                self.unparsed(words, at);
            }
            ["interfaces", rest @ ..] => interfaces(rest, at, config),
            ["system", "host-name", name] => config.hostname = Some(((*name).to_owned(), at)),
            ["version", version] => config.version = Some(((*version).to_owned(), at)),
            ["groups", name, rest @ ..] => {
                let rest = rest.iter().map(|word| (*word).to_owned()).collect();
                config.groups.push(((*name).to_owned(), rest, at));
            }
            ["apply-groups", names @ ..] => {
                config.applied.extend(list(names).map(str::to_owned));
            }
            _ => {}
        }
    }
}

/// Whether the text is made of `set` lines.
pub fn is_set(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.starts_with("set ") || line.starts_with("deactivate "))
}

/// Words, those in quotes as one.
fn quoted(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(inside) => inside.split_once('"').unwrap_or((inside, "")),
            None => rest.split_once([' ', '\t']).unwrap_or((rest, "")),
        };
        words.push(Cow::Borrowed(word));
        rest = after.trim_start();
    }
    words
}

/// The members of `[ a b ]`, or the one word.
fn list<'a>(words: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    words
        .iter()
        .copied()
        .filter(|word| !matches!(*word, "[" | "]"))
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

impl Config {
    /// A code point in binary, by alias or in decimal.
    fn code(&self, text: &str, bits: usize) -> Option<u8> {
        let binary = text.len() == bits && text.bytes().all(|b| matches!(b, b'0' | b'1'));
        if binary {
            return u8::from_str_radix(text, 2).ok();
        }
        if let Some(code) = self.aliases.get(text) {
            return Some(*code);
        }
        match bits {
            3 => number(text).filter(|code: &u8| *code < 8).or(match text {
                "be" => Some(0),
                "be1" => Some(1),
                "ef" => Some(2),
                "ef1" => Some(3),
                "af11" => Some(4),
                "af12" => Some(5),
                "nc1" | "cs6" => Some(6),
                "nc2" | "cs7" => Some(7),
                _ => None,
            }),
            _ => match text {
                "nc1" => Some(48),
                "nc2" => Some(56),
                _ => code_point(text),
            },
        }
    }

    fn binding(&mut self, name: &str) -> &mut Binding {
        let at = self.bindings.iter().position(|(own, _)| own == name);
        let at = at.unwrap_or_else(|| {
            self.bindings.push((name.to_owned(), Binding::default()));
            self.bindings.len() - 1
        });
        &mut self.bindings[at].1
    }

    /// Takes over what groups say where nothing nearer says it.
    fn inherit(&mut self, weak: Config) {
        fn all<K: std::hash::Hash + Eq, V>(own: &mut HashMap<K, V>, weak: HashMap<K, V>) {
            for (key, value) in weak {
                own.entry(key).or_insert(value);
            }
        }
        for (name, class) in weak.classes {
            self.classes.entry(name).or_insert(class);
        }
        all(&mut self.classifiers, weak.classifiers);
        all(&mut self.rewrites, weak.rewrites);
        all(&mut self.profiles, weak.profiles);
        all(&mut self.schedulers, weak.schedulers);
        all(&mut self.scheduler_maps, weak.scheduler_maps);
        all(&mut self.notifications, weak.notifications);
        if self.partitions.is_empty() {
            self.partitions = weak.partitions;
        }
        // Earlier bindings yield to later ones.
        let own = std::mem::take(&mut self.bindings);
        self.bindings = weak.bindings;
        self.bindings.extend(own);
        for (pattern, from) in weak.interfaces {
            for (name, to) in &mut self.interfaces {
                if matches(&pattern, name) {
                    to.mtu = to.mtu.or(from.mtu);
                    to.inet_mtu = to.inet_mtu.or(from.inet_mtu);
                    to.speed = to.speed.or(from.speed);
                    to.flow_control = to.flow_control.or(from.flow_control);
                }
            }
        }
        self.hostname = self.hostname.take().or(weak.hostname);
    }
}

/// Whether a name is meant by a pattern: `*` stands for anything, `all` for all.
pub fn matches(pattern: &str, name: &str) -> bool {
    if pattern == "all" {
        return true;
    }
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        match left.find(part) {
            Some(at) => left = left.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// A line of class-of-service; whether it is known.
fn cos(line: &[&str], at: Origin, config: &mut Config) -> bool {
    match line {
        [
            "classifiers",
            field @ ("dscp" | "ieee-802.1"),
            name,
            rest @ ..,
        ] => {
            let (field, bits) = match *field {
                "dscp" => (Field::Dscp, 6),
                _ => (Field::Pcp, 3),
            };
            classifier(field, bits, name, rest, at, config)
        }
        // Of other packets.
        ["classifiers", ..] => true,
        ["code-point-aliases", "dscp", name, bits] => match u8::from_str_radix(bits, 2) {
            Ok(code) => config.aliases.insert((*name).to_owned(), code).is_none(),
            Err(_) => false,
        },
        ["code-point-aliases", ..] => true,
        ["forwarding-classes", "class", name, rest @ ..] => class(name, rest, at, config),
        ["forwarding-classes", "queue", queue, name, ..] => match number(queue) {
            Some(queue) => {
                let class = config.classes.entry((*name).to_owned()).or_default();
                class.queue = Some((queue, at));
                true
            }
            None => false,
        },
        ["drop-profiles", name, rest @ ..] => {
            let profile = config.profiles.entry((*name).to_owned()).or_default();
            profile.at = at;
            drop_profile(rest, profile)
        }
        ["schedulers", name, rest @ ..] => {
            let scheduler = config.schedulers.entry((*name).to_owned()).or_default();
            scheduler.at = at;
            scheduler_line(rest, at, scheduler)
        }
        [
            "scheduler-maps",
            name,
            "forwarding-class",
            class,
            "scheduler",
            scheduler,
        ] => {
            let map = config.scheduler_maps.entry((*name).to_owned()).or_default();
            map.push(((*class).to_owned(), (*scheduler).to_owned(), at));
            true
        }
        ["congestion-notification-profile", name, rest @ ..] => {
            notification(name, rest, at, config)
        }
        ["interfaces", name, rest @ ..] => binding(name, rest, at, config),
        [
            "rewrite-rules",
            "dscp",
            name,
            "forwarding-class",
            class,
            rest @ ..,
        ] => {
            let code = match rest {
                ["loss-priority", _, "code-point", code] | ["code-point", code] => {
                    config.code(code, 6)
                }
                ["loss-priority", _] => return true,
                _ => None,
            };
            let Some(code) = code else { return false };
            let rules = config.rewrites.entry((*name).to_owned()).or_default();
            rules.push(((*class).to_owned(), code, at));
            true
        }
        ["rewrite-rules", ..] => true,
        [
            "shared-buffer",
            way @ ("ingress" | "egress"),
            "buffer-partition",
            name,
            "percent",
            n,
        ] => match number(n) {
            Some(n) => {
                let (way, name) = ((*way).to_owned(), (*name).to_owned());
                config.partitions.push((way, name, n, at));
                true
            }
            None => false,
        },
        [
            "shared-buffer" | "dedicated-buffer" | "dedicated-buffer-profile",
            ..,
        ]
        | [
            "forwarding-class-sets" | "traffic-control-profiles" | "host-outbound-traffic",
            ..,
        ]
        | [
            "system-defaults" | "monitoring-profile" | "tri-color" | "traceoptions",
            ..,
        ]
        | [
            "multi-destination" | "fragmentation-maps" | "adaptive-shapers" | "routing-instances",
            ..,
        ] => true,
        _ => false,
    }
}

fn classifier(
    field: Field,
    bits: usize,
    name: &str,
    line: &[&str],
    at: Origin,
    config: &mut Config,
) -> bool {
    let key = (field, name.to_owned());
    match line {
        ["import", _] => {
            config.classifiers.entry(key).or_default().imports = Some(at);
            true
        }
        [
            "forwarding-class",
            class,
            "loss-priority",
            _,
            "code-points" | "code-point",
            codes @ ..,
        ] => {
            let read: Option<Vec<u8>> = list(codes).map(|code| config.code(code, bits)).collect();
            let Some(read) = read.filter(|read| !read.is_empty()) else {
                return false;
            };
            let classifier = config.classifiers.entry(key).or_default();
            let class = || (*class).to_owned();
            classifier
                .codes
                .extend(read.into_iter().map(|code| (code, (class(), at))));
            true
        }
        ["forwarding-class", _, "loss-priority", _] => true,
        _ => false,
    }
}

fn class(name: &str, line: &[&str], at: Origin, config: &mut Config) -> bool {
    let class = config.classes.entry(name.to_owned()).or_default();
    let mut words = line.iter();
    while let Some(word) = words.next() {
        match *word {
            "queue-num" => match words.next().and_then(|n| number(n)) {
                Some(queue @ 0..=15) => class.queue = Some((queue, at)),
                _ => return false,
            },
            "no-loss" => class.no_loss = Some(at),
            "pfc-priority" => match words.next().and_then(|n| number(n)) {
                Some(priority @ 0..=7) => class.priority = Some((priority, at)),
                _ => return false,
            },
            "priority" | "policing-priority" => {
                words.next();
            }
            _ => return false,
        }
    }
    true
}

fn drop_profile(line: &[&str], profile: &mut DropProfile) -> bool {
    let numbers = |words: &[&str]| -> Option<Vec<u32>> { list(words).map(number).collect() };
    match line {
        ["interpolate", rest @ ..] => drop_profile(rest, profile),
        ["fill-level", level, "drop-probability", probability] => {
            let (Some(level), Some(probability)) = (number(level), number(probability)) else {
                return false;
            };
            profile.fill.push(level);
            profile.probability.push(probability);
            true
        }
        ["fill-level", rest @ ..] => match numbers(rest) {
            Some(levels) => {
                profile.fill.extend(levels);
                true
            }
            None => false,
        },
        ["drop-probability", rest @ ..] => match numbers(rest) {
            Some(all) => {
                profile.probability.extend(all);
                true
            }
            None => false,
        },
        [] => true,
        _ => false,
    }
}

fn scheduler_line(line: &[&str], at: Origin, scheduler: &mut Scheduler) -> bool {
    match line {
        ["explicit-congestion-notification"] => scheduler.ecn = Some(at),
        ["drop-profile-map", .., "drop-profile", name] => {
            scheduler.profile = Some(((*name).to_owned(), at));
        }
        ["transmit-rate", "percent", percent] => match number(percent) {
            Some(percent) => scheduler.percent = Some((percent, at)),
            None => return false,
        },
        ["priority", kind] => {
            let strict = matches!(*kind, "strict-high" | "high" | "strict");
            scheduler.strict = Some((strict && *kind != "high", at));
        }
        [
            "transmit-rate" | "buffer-size" | "shaping-rate" | "excess-rate" | "excess-priority",
            ..,
        ]
        | ["buffer-dynamic-threshold" | "dedicated-buffer-profile", ..]
        | [] => {}
        _ => return false,
    }
    true
}

fn notification(name: &str, line: &[&str], at: Origin, config: &mut Config) -> bool {
    let code = |config: &Config, text: &str, bits| config.code(text, bits);
    let (dscp, pcp) = match line {
        ["input", "dscp", "code-point", text, ..] => (code(config, text, 6), None),
        ["input" | "output", "ieee-802.1", "code-point", text, ..] => (None, code(config, text, 3)),
        _ => (None, None),
    };
    let profile = config.notifications.entry(name.to_owned()).or_default();
    profile.at = at;
    profile.has_input |= line.first() == Some(&"input");
    profile.has_output |= line.first() == Some(&"output");
    match line {
        ["input", "dscp", "code-point", _, rest @ ..] => {
            let Some(dscp) = dscp else { return false };
            if rest.first() == Some(&"pfc") {
                profile.dscp.insert(dscp, at);
            }
        }
        ["input", "ieee-802.1", "code-point", _, rest @ ..] => {
            let Some(pcp) = pcp else { return false };
            if rest.first() == Some(&"pfc") {
                profile.pcp.insert(pcp, at);
            }
        }
        [
            "output",
            "ieee-802.1",
            "code-point",
            _,
            "flow-control-queue",
            queues @ ..,
        ] => {
            let Some(pcp) = pcp else { return false };
            let queue = list(queues).find_map(number);
            let Some(queue) = queue else { return false };
            profile.output.insert(pcp, (queue, at));
        }
        ["input", "cable-length", metres] => match number(metres) {
            Some(metres) => profile.cable = Some((metres, at)),
            None => return false,
        },
        ["input", "mru", ..] | ["input" | "output"] => {}
        ["pfc-watchdog"] => profile.watchdog = Some(at),
        ["pfc-watchdog", rest @ ..] => {
            profile.watchdog = Some(at);
            match rest {
                ["detection", "polling-interval" | "timer", ms] | ["detection-interval", ms] => {
                    profile.detection = number(ms).map(|ms| (ms, at));
                }
                ["recovery", ms]
                | ["recovery-interval" | "auto-restore-interval", ms]
                | ["recovery", _, ms] => profile.recovery = number(ms).map(|ms| (ms, at)),
                ["watchdog-action" | "action" | "pfc-watchdog-action", action] => {
                    profile.action = Some(((*action).to_owned(), at));
                }
                ["poll-interval" | "polling-interval" | "detection", _] => {}
                _ => return false,
            }
        }
        ["pfc-watchdog-action", action] => profile.action = Some(((*action).to_owned(), at)),
        [] => {}
        _ => return false,
    }
    true
}

fn binding(name: &str, line: &[&str], at: Origin, config: &mut Config) -> bool {
    let binding = config.binding(name);
    let said = |name: &&str| Some(((*name).to_owned(), at));
    match line {
        ["unit", _, rest @ ..] => return unit_binding(rest, at, binding),
        ["congestion-notification-profile", name] => binding.notification = said(name),
        ["scheduler-map", name] => binding.scheduler_map = said(name),
        _ => return unit_binding(line, at, binding),
    }
    true
}

fn unit_binding(line: &[&str], at: Origin, binding: &mut Binding) -> bool {
    let said = |name: &&str| Some(((*name).to_owned(), at));
    match line {
        ["classifiers", "dscp", name] => binding.dscp = said(name),
        ["classifiers", "ieee-802.1", name] => binding.pcp = said(name),
        ["rewrite-rules", "dscp", name] => binding.rewrite = said(name),
        ["forwarding-class", name] => binding.class = said(name),
        [
            "classifiers" | "rewrite-rules" | "shaping-rate" | "output-traffic-control-profile",
            ..,
        ]
        | [
            "forwarding-class-set" | "logical-interface-aggregate-statistics",
            ..,
        ]
        | [] => {}
        _ => return false,
    }
    true
}

fn interfaces(line: &[&str], at: Origin, config: &mut Config) {
    match line {
        ["interface-range", name, "member", member] => {
            let members = config.ranges.entry((*name).to_owned()).or_default();
            members.push((*member).to_owned());
        }
        ["interface-range", name, "member-range", first, "to", last] => {
            let members = config.ranges.entry((*name).to_owned()).or_default();
            members.extend(between(first, last));
        }
        ["interface-range", name, rest @ ..] => {
            let key = format!("interface-range {name}");
            interface(rest, at, config.interfaces.entry(key).or_default());
        }
        // A variable of a template is no name.
        [name, ..] if name.contains('$') => {}
        [name, rest @ ..] => {
            interface(
                rest,
                at,
                config.interfaces.entry((*name).to_owned()).or_default(),
            );
        }
        [] => {}
    }
}

/// `et-0/0/0` to `et-0/0/3`: all but the last number are the same.
fn between(first: &str, last: &str) -> Vec<String> {
    const MOST: u32 = 4096;
    let split = |name: &str| {
        let at = name.rfind('/')? + 1;
        Some((
            name.get(..at)?.to_owned(),
            name.get(at..)?.parse::<u32>().ok()?,
        ))
    };
    match (split(first), split(last)) {
        (Some((head, from)), Some((other, to)))
            if head == other && from <= to && to - from < MOST =>
        {
            (from..=to).map(|n| format!("{head}{n}")).collect()
        }
        _ => Vec::new(),
    }
}

fn interface(line: &[&str], at: Origin, port: &mut Interface) {
    match line {
        ["description", text @ ..] => port.description = Some((text.join(" "), at)),
        ["mtu", bytes] => port.mtu = number(bytes).map(|bytes| (bytes, at)),
        ["unit", _, "family", "inet" | "inet6", "mtu", bytes] => {
            let own: Said<u32> = number(bytes).map(|bytes| (bytes, at));
            let smaller = |(old, _): (u32, Origin)| own.is_none_or(|(new, _)| old <= new);
            if !port.inet_mtu.is_some_and(smaller) {
                port.inet_mtu = own;
            }
        }
        ["speed", speed] => port.speed = mbps(speed).map(|speed| (speed, at)),
        ["number-of-sub-ports", ..] => port.sub_ports = true,
        ["disable"] => port.disabled = Some(at),
        ["ether-options" | "gigether-options", "802.3ad", lag] => {
            port.lag = Some((*lag).to_owned());
        }
        ["ether-options" | "gigether-options", "flow-control"] => {
            port.flow_control = Some((true, at));
        }
        ["ether-options" | "gigether-options", "no-flow-control"] => {
            port.flow_control = Some((false, at));
        }
        ["ether-options" | "gigether-options", "speed", speed] => {
            port.speed = mbps(speed).map(|speed| (speed, at));
        }
        _ => {}
    }
}

/// `400g` → Mb/s.
fn mbps(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u32 = digits.parse().ok()?;
    match text.get(digits.len()..)?.to_ascii_lowercase().as_str() {
        "g" | "gbps" => number.checked_mul(1000),
        "m" => Some(number),
        _ => None,
    }
}
