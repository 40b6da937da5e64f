//! Running configuration → what its sections define, set and attach.
//!
//! Sections are told by their keywords, for published configurations have
//! lost their indentation or mixed it.

use crate::model::{Fact, NoteKind, Origin, State};
use crate::platform::notes::Notes;
use crate::platform::text::interfaces;
use crate::platform::text::ranges::small_integers;
use crate::platform::text::sections::{Line, Section, lines};
use crate::platform::text::statements::{Style, banner_to_mark};
use std::collections::HashMap;

const STYLE: Style = Style {
    comment: b'!',
    banner: banner_to_mark,
};

/// Ports that all ranges together may stand for: far more than a switch has.
const MOST_OF_RANGES: usize = 1 << 16;

/// A setting that some line makes; `None` where no line does.
pub type Setting<T> = Option<Fact<T>>;

/// Definitions by name.
pub type Named<'t, T> = HashMap<&'t str, T>;

/// A name that a line attaches; none where it says `no`.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'t> {
    /// The name.
    pub name: Option<&'t str>,
    /// The line.
    pub at: Origin,
}

/// Lines that map a key to a value.
#[derive(Default, Debug)]
pub struct Entries {
    /// The line that opens the definition.
    pub at: Origin,
    /// Key, value, and the line.
    pub all: Vec<(u8, u8, Origin)>,
    /// A line that is not understood: what it maps is not known.
    pub unclear: Option<Origin>,
}

/// `wred NAME`.
#[derive(Default, Debug)]
pub struct Wred {
    /// The line that opens the definition.
    pub at: Origin,
    /// Minimum and maximum in KB, drop probability in percent: for green packets.
    pub green: Setting<(u64, u64, u8)>,
    /// `random-detect ecn`.
    pub ecn: Option<Origin>,
}

/// `class NAME` of a policy.
#[derive(Debug)]
pub struct Class<'t> {
    /// The name of its class-map.
    pub name: &'t str,
    /// The line.
    pub at: Origin,
    /// `pause`.
    pub pause: Option<Pause>,
    /// `pfc-cos`.
    pub cos: Setting<Vec<u8>>,
    /// `bandwidth percent`.
    pub bandwidth: Setting<u32>,
    /// `priority`.
    pub strict: Option<Origin>,
    /// `random-detect NAME`.
    pub wred: Option<Reference<'t>>,
    /// `queue-limit`: a fixed one in KB; none where it moves.
    pub limit: Option<Fact<Option<u64>>>,
    /// `set qos-group`.
    pub group: Setting<u8>,
    /// `set dscp`.
    pub dscp: Setting<u8>,
    /// `police …`.
    pub police: Option<Origin>,
}

/// `pause buffer-size KB pause-threshold KB resume-threshold KB`.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// The line.
    pub at: Origin,
    /// The three sizes in KB, where it gives them.
    pub sizes: Option<[u64; 3]>,
}

/// `policy-map NAME`.
#[derive(Debug)]
pub struct Policy<'t> {
    /// The line that opens the definition.
    pub at: Origin,
    /// Its classes, in order.
    pub classes: Vec<Class<'t>>,
}

/// What is attached to a port, a port-channel, or to all ports by `system qos`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Attached<'t> {
    /// `trust-map dscp`.
    pub trust_dscp: Option<Reference<'t>>,
    /// `trust-map dot1p`.
    pub trust_dot1p: Option<Reference<'t>>,
    /// A line about trust that is not understood.
    pub trust_unclear: Option<Origin>,
    /// `qos-map traffic-class`.
    pub qos_map: Option<Reference<'t>>,
    /// `service-policy input type network-qos`.
    pub network: Option<Reference<'t>>,
    /// `service-policy output type queuing`.
    pub queuing: Option<Reference<'t>>,
    /// `service-policy input type qos`.
    pub qos: Option<Reference<'t>>,
    /// `random-detect NAME` on a port.
    pub wred: Option<Reference<'t>>,
}

impl Attached<'_> {
    /// What holds where this says nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Attached {
            trust_dscp: self.trust_dscp.or(other.trust_dscp),
            trust_dot1p: self.trust_dot1p.or(other.trust_dot1p),
            trust_unclear: self.trust_unclear.or(other.trust_unclear),
            qos_map: self.qos_map.or(other.qos_map),
            network: self.network.or(other.network),
            queuing: self.queuing.or(other.queuing),
            qos: self.qos.or(other.qos),
            wred: self.wred.or(other.wred),
        }
    }
}

/// What the lines of an interface say.
#[derive(Clone, Default, Debug)]
pub struct Settings<'t> {
    /// Names.
    pub attached: Attached<'t>,
    /// `description`.
    pub description: Setting<&'t str>,
    /// `mtu`.
    pub mtu: Setting<u32>,
    /// `speed`, Mb/s.
    pub speed: Setting<u32>,
    /// `fec`.
    pub fec: Setting<&'t str>,
    /// `shutdown`.
    pub admin: Setting<State>,
    /// `priority-flow-control mode on`.
    pub pfc: Setting<bool>,
    /// `flowcontrol receive`.
    pub pause_rx: Setting<bool>,
    /// `flowcontrol transmit`.
    pub pause_tx: Setting<bool>,
    /// `channel-group`: the port-channel that it is a member of.
    pub lag: Option<u32>,
}

impl Settings<'_> {
    /// What holds where this says nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Settings {
            attached: self.attached.or(other.attached),
            description: self.description.or(other.description),
            mtu: self.mtu.or(other.mtu),
            speed: self.speed.or(other.speed),
            fec: self.fec.or(other.fec),
            admin: self.admin.or(other.admin),
            pfc: self.pfc.or(other.pfc),
            pause_rx: self.pause_rx.or(other.pause_rx),
            pause_tx: self.pause_tx.or(other.pause_tx),
            lag: self.lag.or(other.lag),
        }
    }
}

/// A configuration.
#[derive(Default, Debug)]
pub struct Config<'t> {
    /// `hostname`.
    pub hostname: Setting<&'t str>,
    /// `trust dscp-map`: DSCP → qos-group.
    pub dscp_maps: Named<'t, Entries>,
    /// `trust dot1p-map`: 802.1p → qos-group.
    pub dot1p_maps: Named<'t, Entries>,
    /// `qos-map traffic-class`: qos-group → queue.
    pub qos_maps: Named<'t, Entries>,
    /// `wred`.
    pub wred: Named<'t, Wred>,
    /// `class-map type network-qos`: its qos-groups.
    pub network_classes: Named<'t, Vec<u8>>,
    /// `class-map type queuing`: its queues.
    pub queuing_classes: Named<'t, Vec<u8>>,
    /// `class-map type qos`.
    pub qos_classes: Named<'t, Vec<u8>>,
    /// `policy-map type network-qos`.
    pub network: Named<'t, Policy<'t>>,
    /// `policy-map type queuing`.
    pub queuing: Named<'t, Policy<'t>>,
    /// `policy-map type qos`.
    pub qos: Named<'t, Policy<'t>>,
    /// `system qos`.
    pub system: Attached<'t>,
    /// `system qos`, `random-detect ecn`: every profile marks.
    pub ecn_everywhere: Option<Origin>,
    /// `system qos`, `random-detect pool N NAME`.
    pub pools: Vec<Reference<'t>>,
    /// `system qos`, `pfc-max-buffer-size`, bytes.
    pub pfc_buffer: Setting<u64>,
    /// Sections of ports, in order; a later line wins.
    pub ports: Vec<(Vec<String>, Settings<'t>)>,
    /// Sections of port-channels by number.
    pub lags: HashMap<u32, Settings<'t>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Network,
    Queuing,
    Qos,
    /// Of no interest here: control-plane, application, traffic …
    Other,
}

enum Mode<'t> {
    Outside,
    Dscp(&'t str),
    Dot1p(&'t str),
    QosMap(&'t str),
    Wred(&'t str),
    ClassMap(Kind, &'t str),
    PolicyMap(Kind, &'t str),
    System,
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
    /// `qos-map traffic-class` on an interface, and what was attached before:
    /// where `queue …` follows it was a definition.
    attached: Option<(&'t str, Origin, Option<Reference<'t>>)>,
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
        attached: None,
        expanded: 0,
    };
    lines(text, &STYLE, |line| reader.line(line));
    reader.config
}

/// The version that a running configuration states in its first comment.
pub fn version(text: &str) -> Option<(&str, usize)> {
    const MARK: &str = "! Version ";
    let mut head = 512.min(text.len());
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let at = text.get(..head)?.find(MARK)?;
    let rest = text.get(at + MARK.len()..)?;
    Some((rest.lines().next()?.trim(), at))
}

fn number<T: std::str::FromStr + PartialOrd>(text: &str, least: T, largest: T) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = digits.then(|| text.parse().ok()).flatten()?;
    (least <= value && value <= largest).then_some(value)
}

/// A list of small numbers that may have blanks in it: `0-2, 4-7`.
fn list(words: &[&str], largest: u8) -> Option<Vec<u8>> {
    let text = words.concat();
    small_integers(&text, largest)
        .ok()
        .filter(|l| !l.is_empty())
}

/// A word that stands for a setting, else unknown.
fn setting<T>(value: Option<T>, line: &Line<'_>, at: Origin) -> Option<Fact<T>> {
    let unknown = || Fact::unknown_at(format!("`{}` is not understood", shown(line.text)), at);
    Some(value.map_or_else(unknown, |value| Fact::explicit(value, at)))
}

/// A line as reports show it.
pub fn shown(text: &str) -> &str {
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
        "bandwidth"
            | "buffer"
            | "class"
            | "class-map"
            | "dcb"
            | "dcbx"
            | "dot1p"
            | "dscp"
            | "ecn"
            | "ets"
            | "flow-control"
            | "flowcontrol"
            | "lossless"
            | "no-drop"
            | "pause"
            | "pfc"
            | "pfc-cos"
            | "pfc-max-buffer-size"
            | "pfc-shared-buffer-size"
            | "policy-map"
            | "priority-flow-control"
            | "qos"
            | "qos-group"
            | "qos-map"
            | "queue"
            | "queue-limit"
            | "random-detect"
            | "roce"
            | "service-policy"
            | "traffic-class"
            | "trust"
            | "trust-map"
            | "wred"
    )
}

/// Sections that hold nothing of what is judged. Where they are indented
/// their end is seen; where not, the next section ends them.
fn opens_other(word: &str) -> bool {
    matches!(
        word,
        "router"
            | "vlt-domain"
            | "route-map"
            | "vlan"
            | "line"
            | "control-plane"
            | "monitor"
            | "uplink-state-group"
            | "telemetry"
            | "support-assist"
            | "policy-map-input"
            | "fcoe"
            | "vfabric"
    )
}

impl<'t> Reader<'t, '_> {
    fn line(&mut self, line: Line<'t>) {
        let at = Origin::new(self.capture, line.offset);
        if line.refused {
            let text = format!("the device refused `{}`", shown(line.text));
            self.notes.add(NoteKind::Unparsed, None, text, at);
            // What stands below a refused line is not of the section before.
            if self.is_opening(&line) {
                self.mode = Mode::Ignored;
            }
            return;
        }
        if self.definition_after_all(&line) {
            return;
        }
        if self.is_opening(&line) {
            self.open(&line, at);
            return;
        }
        if self.section.is_left(line.column) {
            self.mode = Mode::Outside;
        }
        let words = line.words();
        if matches!(&*words, ["exit" | "end"]) {
            self.mode = Mode::Outside;
            return;
        }
        let understood = match self.mode {
            Mode::Outside => self.outside(&line, &words, at),
            Mode::Dscp(name) => {
                let entry = trust(&words, "dscp", 63);
                entered(self.config.dscp_maps.get_mut(name), entry, at)
            }
            Mode::Dot1p(name) => {
                let entry = trust(&words, "dot1p", 7);
                entered(self.config.dot1p_maps.get_mut(name), entry, at)
            }
            Mode::QosMap(name) => entered(self.config.qos_maps.get_mut(name), queues(&words), at),
            Mode::Wred(name) => match self.config.wred.get_mut(name) {
                Some(wred) => wred_line(wred, &line, &words, at),
                None => true,
            },
            Mode::ClassMap(kind, name) => self.class_map(kind, name, &words),
            Mode::PolicyMap(Kind::Other, _) => true,
            Mode::PolicyMap(kind, name) => self.policy(kind, name, &line, &words, at),
            Mode::System => self.system(&line, &words, at),
            Mode::Ports | Mode::Lag(_) => self.interface(&line, &words, at),
            Mode::Ignored => !has_effect_elsewhere(&words),
        };
        if !understood {
            self.unparsed(&line, at);
        }
    }

    fn unparsed(&mut self, line: &Line<'_>, at: Origin) {
        let text = format!("`{}` is not understood", shown(line.text));
        self.notes.add(NoteKind::Unparsed, None, text, at);
    }

    /// `queue …` after `qos-map traffic-class` on what looked like an interface.
    fn definition_after_all(&mut self, line: &Line<'t>) -> bool {
        let Some((name, at, before)) = self.attached.take() else {
            return false;
        };
        let words = line.words();
        if !matches!(&*words, ["queue", _, "qos-group", ..]) {
            return false;
        }
        if let Some(attached) = self.attachments() {
            attached.qos_map = before;
        }
        self.config.qos_maps.entry(name).or_default().at = at;
        self.mode = Mode::QosMap(name);
        let at = Origin::new(self.capture, line.offset);
        if !entered(self.config.qos_maps.get_mut(name), queues(&words), at) {
            self.unparsed(line, at);
        }
        true
    }

    /// Whether the line opens a section, whatever it is.
    fn is_opening(&self, line: &Line<'t>) -> bool {
        let words = line.words();
        let inside = matches!(self.mode, Mode::System | Mode::Ports | Mode::Lag(_));
        let inside = inside && !self.outdented(line.column);
        match words.first().copied().unwrap_or_default() {
            "interface" | "wred" | "class-map" | "policy-map" | "system" => true,
            // Invented forms of these stand on interfaces.
            "trust" => !inside || matches!(&*words, ["trust", "dscp-map" | "dot1p-map", _]),
            // On an interface it attaches; see `definition_after_all`.
            "qos-map" => !inside,
            word => opens_other(word),
        }
    }

    /// Opens the section of this line; of one that is not understood nothing
    /// is read.
    fn open(&mut self, line: &Line<'t>, at: Origin) {
        let words = line.words();
        let mode = match &*words {
            ["interface", ..] => self.target(line, at),
            ["trust", "dscp-map", name] => {
                self.config.dscp_maps.entry(name).or_default().at = at;
                Mode::Dscp(name)
            }
            ["trust", "dot1p-map", name] => {
                self.config.dot1p_maps.entry(name).or_default().at = at;
                Mode::Dot1p(name)
            }
            ["qos-map", "traffic-class", name] => {
                self.config.qos_maps.entry(name).or_default().at = at;
                Mode::QosMap(name)
            }
            ["wred", name] => {
                self.config.wred.entry(name).or_default().at = at;
                Mode::Wred(name)
            }
            ["class-map", rest @ ..] if let Some((kind, name)) = class_map(rest) => {
                if kind != Kind::Other {
                    self.class_maps(kind).entry(name).or_default();
                }
                Mode::ClassMap(kind, name)
            }
            ["policy-map", rest @ ..] if let Some((kind, name)) = policy_map(rest) => {
                // Typed again, it is the same one, changed.
                if let Some(all) = self.policies(kind) {
                    let classes = Vec::new();
                    all.entry(name).or_insert(Policy { at, classes });
                }
                Mode::PolicyMap(kind, name)
            }
            ["system", "qos"] => Mode::System,
            ["system", ..] => Mode::Ignored,
            [word, ..] if opens_other(word) => Mode::Ignored,
            _ => {
                self.unparsed(line, at);
                Mode::Ignored
            }
        };
        self.section = Section::at(line.column);
        self.mode = mode;
    }

    fn outdented(&self, column: usize) -> bool {
        let mut section = self.section;
        section.is_left(column)
    }

    /// What `interface …` names.
    fn target(&mut self, line: &Line<'t>, at: Origin) -> Mode<'t> {
        let rest = line.rest();
        let range = rest.strip_prefix("range ").map(str::trim_start);
        let name = range.unwrap_or(rest);
        let kind = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
        let kind = name.get(..name.len() - kind.len()).unwrap_or_default();
        let is = |wanted: &str| kind.eq_ignore_ascii_case(wanted);
        if !is("ethernet") && !is("port-channel") {
            return Mode::Ignored;
        }
        let names = interfaces::expand(name).filter(|names| names.len() == 1 || range.is_some());
        let names = names.filter(|names| {
            let more = if names.len() > 1 { names.len() } else { 0 };
            self.expanded += more;
            self.expanded <= MOST_OF_RANGES
        });
        let Some(names) = names else {
            self.unparsed(line, at);
            return Mode::Ignored;
        };
        if is("port-channel") {
            let number = names.first().and_then(|name| lag_number(name));
            return match (number, names.len()) {
                (Some(number), 1) => Mode::Lag(number),
                _ => {
                    self.unparsed(line, at);
                    Mode::Ignored
                }
            };
        }
        let canonical =
            |name: String| format!("ethernet{}", name.get(kind.len()..).unwrap_or_default());
        let names = names.into_iter().map(canonical).collect();
        self.config.ports.push((names, Settings::default()));
        Mode::Ports
    }

    fn settings(&mut self) -> Option<&mut Settings<'t>> {
        match self.mode {
            Mode::Ports => self.config.ports.last_mut().map(|(_, settings)| settings),
            Mode::Lag(number) => Some(self.config.lags.entry(number).or_default()),
            _ => None,
        }
    }

    fn attachments(&mut self) -> Option<&mut Attached<'t>> {
        match self.mode {
            Mode::System => Some(&mut self.config.system),
            _ => self.settings().map(|settings| &mut settings.attached),
        }
    }

    fn class_maps(&mut self, kind: Kind) -> &mut Named<'t, Vec<u8>> {
        match kind {
            Kind::Network => &mut self.config.network_classes,
            Kind::Queuing => &mut self.config.queuing_classes,
            Kind::Qos | Kind::Other => &mut self.config.qos_classes,
        }
    }

    fn policies(&mut self, kind: Kind) -> Option<&mut Named<'t, Policy<'t>>> {
        match kind {
            Kind::Network => Some(&mut self.config.network),
            Kind::Queuing => Some(&mut self.config.queuing),
            Kind::Qos => Some(&mut self.config.qos),
            Kind::Other => None,
        }
    }

    fn outside(&mut self, line: &Line<'t>, words: &[&'t str], at: Origin) -> bool {
        match words {
            ["hostname", name] => {
                self.config.hostname = Some(Fact::explicit(name, at));
                true
            }
            // Negotiation tells the peer; what is configured holds.
            ["dcbx", ..] | ["no", "dcbx", ..] => is_dcbx(words),
            ["no", word, ..] | [word, ..] => !is_qos(word) || is_default_object(line.text),
            [] => true,
        }
    }

    fn class_map(&mut self, kind: Kind, name: &'t str, words: &[&'t str]) -> bool {
        let found = match (kind, words) {
            (Kind::Network, ["match", "qos-group", groups @ ..]) => list(groups, LAST_GROUP),
            (Kind::Queuing, ["match", "queue", queues @ ..]) => list(queues, LAST_GROUP),
            (Kind::Qos | Kind::Other, _) => return true,
            (_, ["description", ..]) => return true,
            _ => None,
        };
        let Some(found) = found else { return false };
        if let Some(class) = self.class_maps(kind).get_mut(name) {
            class.extend(found);
        }
        true
    }

    fn policy(
        &mut self,
        kind: Kind,
        name: &'t str,
        line: &Line<'t>,
        words: &[&'t str],
        at: Origin,
    ) -> bool {
        let policy = self.policies(kind).and_then(|all| all.get_mut(name));
        let Some(policy) = policy else { return true };
        match words {
            ["class", name] => {
                // Typed again, it is the same one, changed.
                match policy.classes.iter().position(|class| class.name == *name) {
                    Some(n) => {
                        let class = policy.classes.remove(n);
                        policy.classes.push(class);
                    }
                    None => policy.classes.push(Class::new(name, at)),
                }
                true
            }
            ["description", ..] => true,
            _ => match policy.classes.last_mut() {
                Some(class) => class_line(class, kind, line, words, at),
                None => false,
            },
        }
    }

    fn system(&mut self, line: &Line<'t>, words: &[&'t str], at: Origin) -> bool {
        match words {
            ["ets", "mode", "on" | "off"] | ["no", "ets", "mode", ..] => true,
            ["random-detect", "ecn"] => {
                self.config.ecn_everywhere = Some(at);
                true
            }
            ["no", "random-detect", "ecn"] => {
                self.config.ecn_everywhere = None;
                true
            }
            ["random-detect", "pool", _, name] => {
                let name = Some(*name);
                self.config.pools.push(Reference { name, at });
                true
            }
            ["pfc-max-buffer-size", size] => {
                let bytes = number(size, 0, u64::from(u32::MAX)).map(|kb: u64| kb * KB);
                self.config.pfc_buffer = setting(bytes, line, at);
                bytes.is_some()
            }
            [
                "pfc-shared-buffer-size"
                | "pfc-shared-headroom-buffer-size"
                | "control-plane-buffer-size"
                | "qos-rate-adjust",
                size,
            ] => number(size, 0, u32::MAX).is_some(),
            ["buffer-statistics-tracking"] => true,
            _ => self.attaching(words, at),
        }
    }

    /// Lines that stand below an interface and below `system qos`.
    fn attaching(&mut self, words: &[&'t str], at: Origin) -> bool {
        let (off, words) = match words {
            ["no", words @ ..] => (true, words),
            words => (false, words),
        };
        let named = |name: &'t str| {
            let name = (!off).then_some(name);
            Some(Reference { name, at })
        };
        let Some(attached) = self.attachments() else {
            return false;
        };
        match words {
            ["trust-map", "dscp", name] => attached.trust_dscp = named(name),
            ["trust-map", "dot1p", name] => attached.trust_dot1p = named(name),
            ["trust-map", "dscp"] if off => attached.trust_dscp = named(""),
            ["trust-map", "dot1p"] if off => attached.trust_dot1p = named(""),
            ["qos-map", "traffic-class", name] => {
                let before = attached.qos_map;
                attached.qos_map = named(name);
                self.attached = Some((name, at, before));
            }
            ["service-policy", "input", "type", "network-qos", name] => {
                attached.network = named(name);
            }
            ["service-policy", "output", "type", "queuing", name] => attached.queuing = named(name),
            ["service-policy", "input", "type", "qos", name]
            | ["service-policy", "input", name] => {
                attached.qos = named(name);
            }
            // Out of the switch it marks what others classify by.
            ["service-policy", "output", "type", "qos", _] => return false,
            [
                "service-policy",
                "input",
                "type",
                "application" | "traffic",
                _,
            ] => {}
            _ => return false,
        }
        true
    }

    fn interface(&mut self, line: &Line<'t>, words: &[&'t str], at: Origin) -> bool {
        let Some(settings) = self.settings() else {
            return true;
        };
        match words {
            ["description", ..] => {
                let text = line.rest().trim_matches('"');
                settings.description = Some(Fact::explicit(text, at));
            }
            ["mtu", size] => {
                let bytes = number(size, 576, 65_535);
                settings.mtu = setting(bytes, line, at);
                return bytes.is_some();
            }
            ["no", "mtu", ..] => settings.mtu = None,
            ["speed", speed] => {
                settings.speed = number(speed, 1, 1_000_000).map(|mbps| Fact::explicit(mbps, at))
            }
            ["fec", mode] => settings.fec = Some(Fact::explicit(mode, at)),
            ["shutdown"] => settings.admin = Some(Fact::explicit(State::Down, at)),
            ["no", "shutdown"] => settings.admin = Some(Fact::explicit(State::Up, at)),
            ["channel-group", number, ..] => match number.parse() {
                Ok(number) => settings.lag = Some(number),
                Err(_) => return false,
            },
            ["priority-flow-control", "mode", mode] => {
                let on = on_off(mode);
                settings.pfc = setting(on, line, at);
                return on.is_some();
            }
            ["no", "priority-flow-control"] | ["no", "priority-flow-control", "mode", ..] => {
                settings.pfc = Some(Fact::explicit(false, at));
            }
            ["flowcontrol", way @ ("receive" | "transmit"), state] => {
                let on = on_off(state);
                *settings.pause(way) = setting(on, line, at);
                return on.is_some();
            }
            ["no", "flowcontrol", way @ ("receive" | "transmit"), ..] => {
                *settings.pause(way) = Some(Fact::explicit(false, at));
            }
            ["ets", "mode", "on" | "off"] | ["no", "ets", "mode", ..] => {}
            ["random-detect", name] => {
                let name = Some(*name);
                settings.attached.wred = Some(Reference { name, at });
            }
            ["no", "random-detect", ..] => {
                settings.attached.wred = Some(Reference { name: None, at });
            }
            ["dcbx", ..] | ["no", "dcbx", ..] => return is_dcbx(words),
            ["no", word, ..] | [word, ..] if is_qos(word) => return self.attaching(words, at),
            _ => {}
        }
        true
    }
}

/// qos-groups and queues that some platform has (S4200-ON: 0 to 19).
const LAST_GROUP: u8 = 19;

/// The unit of all sizes: the User Guide writes KB and does not say which.
pub const KB: u64 = 1000;

impl<'t> Class<'t> {
    fn new(name: &'t str, at: Origin) -> Self {
        Class {
            name,
            at,
            pause: None,
            cos: None,
            bandwidth: None,
            strict: None,
            wred: None,
            limit: None,
            group: None,
            dscp: None,
            police: None,
        }
    }
}

impl Settings<'_> {
    fn pause(&mut self, way: &str) -> &mut Setting<bool> {
        match way {
            "receive" => &mut self.pause_rx,
            _ => &mut self.pause_tx,
        }
    }
}

fn on_off(word: &str) -> Option<bool> {
    match word {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn lag_number(name: &str) -> Option<u32> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok()
}

/// Negotiation by DCBX, for all ports or for one.
fn is_dcbx(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["no"]).unwrap_or(words);
    matches!(words, ["dcbx", "enable" | "version" | "tlv-select", ..])
}

/// Lines about objects that OS10 has of itself.
fn is_default_object(text: &str) -> bool {
    text.starts_with("class-map type application")
        || text.starts_with("policy-map type application")
}

/// Lines that mean something on a port, in a section of something else.
fn has_effect_elsewhere(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["no"]).unwrap_or(words);
    let first = words.first().copied().unwrap_or_default();
    matches!(
        first,
        "priority-flow-control" | "trust-map" | "random-detect" | "flowcontrol"
    )
}

/// `type KIND [match-any] NAME`; without a type it is `qos`.
fn class_map<'t>(words: &[&'t str]) -> Option<(Kind, &'t str)> {
    let (kind, words) = typed(words)?;
    match words {
        ["match-any" | "match-all", name] | [name] => Some((kind, name)),
        _ => None,
    }
}

fn policy_map<'t>(words: &[&'t str]) -> Option<(Kind, &'t str)> {
    match typed(words)? {
        (kind, [name]) => Some((kind, name)),
        _ => None,
    }
}

fn typed<'w, 't>(words: &'w [&'t str]) -> Option<(Kind, &'w [&'t str])> {
    Some(match words {
        ["type", "network-qos", rest @ ..] => (Kind::Network, rest),
        ["type", "queuing", rest @ ..] => (Kind::Queuing, rest),
        ["type", "qos", rest @ ..] => (Kind::Qos, rest),
        [
            "type",
            "control-plane" | "application" | "traffic",
            rest @ ..,
        ] => (Kind::Other, rest),
        ["type", ..] => return None,
        rest => (Kind::Qos, rest),
    })
}

/// Keys and the value that they are mapped to.
type Entry = (Vec<u8>, u8);

/// Adds the entries of a line; false where it is not understood.
fn entered(entries: Option<&mut Entries>, entry: Option<Entry>, at: Origin) -> bool {
    let Some(entries) = entries else { return true };
    match entry {
        Some((keys, value)) => {
            let keys = keys.into_iter().map(|key| (key, value, at));
            entries.all.extend(keys);
            true
        }
        None => {
            entries.unclear.get_or_insert(at);
            false
        }
    }
}

/// `qos-group G dscp|dot1p LIST [color C]`.
fn trust(words: &[&str], field: &str, largest: u8) -> Option<Entry> {
    let (group, codes) = match words {
        ["qos-group", group, word, codes @ .., "color", _] if *word == field => (group, codes),
        ["qos-group", group, word, codes @ ..] if *word == field => (group, codes),
        _ => return None,
    };
    Some((list(codes, largest)?, number(group, 0, LAST_GROUP)?))
}

/// `queue Q qos-group LIST [type ucast|mcast]`.
fn queues(words: &[&str]) -> Option<Entry> {
    let (queue, groups) = match words {
        // Multicast has queues of its own.
        ["queue", _, "qos-group", .., "type", "mcast"] => return Some((Vec::new(), 0)),
        ["queue", queue, "qos-group", groups @ .., "type", "ucast"] => (queue, groups),
        ["queue", queue, "qos-group", groups @ ..] => (queue, groups),
        _ => return None,
    };
    Some((list(groups, LAST_GROUP)?, number(queue, 0, 7)?))
}

/// Lines below `wred NAME`.
fn wred_line(wred: &mut Wred, line: &Line<'_>, words: &[&str], at: Origin) -> bool {
    match words {
        ["random-detect", "ecn"] => wred.ecn = Some(at),
        ["no", "random-detect", "ecn"] => wred.ecn = None,
        ["random-detect", "weight", weight] => return number(weight, 0u8, 15).is_some(),
        [
            "random-detect",
            "color",
            color @ ("green" | "yellow" | "red"),
            "minimum-threshold",
            min,
            "maximum-threshold",
            max,
            "drop-probability",
            percent,
        ] => {
            let (min, max) = (
                number(min, 0, u64::from(u32::MAX)),
                number(max, 0, u64::from(u32::MAX)),
            );
            let curve = match (min, max, number(percent, 0, 100)) {
                (Some(min), Some(max), Some(percent)) => Some((min, max, percent)),
                _ => None,
            };
            if *color == "green" {
                wred.green = setting(curve, line, at);
            }
            return curve.is_some();
        }
        _ => return false,
    }
    true
}

/// Lines below `class NAME` of a policy.
fn class_line<'t>(
    class: &mut Class<'t>,
    kind: Kind,
    line: &Line<'t>,
    words: &[&'t str],
    at: Origin,
) -> bool {
    match (kind, words) {
        (Kind::Network, ["pause", rest @ ..]) => {
            let sizes = match rest {
                [] => None,
                [
                    "buffer-size",
                    size,
                    "pause-threshold",
                    pause,
                    "resume-threshold",
                    resume,
                ] => {
                    let kb = |text: &str| number(text, 0, u64::from(u32::MAX));
                    match (kb(size), kb(pause), kb(resume)) {
                        (Some(size), Some(pause), Some(resume)) => Some([size, pause, resume]),
                        _ => return false,
                    }
                }
                _ => return false,
            };
            class.pause = Some(Pause { at, sizes });
        }
        (Kind::Network, ["no", "pause", ..]) => class.pause = None,
        (Kind::Network, ["pfc-cos", codes @ ..]) => {
            let codes = list(codes, 7);
            let read = codes.is_some();
            class.cos = setting(codes, line, at);
            return read;
        }
        (Kind::Network, ["no", "pfc-cos", ..]) => class.cos = None,
        (Kind::Network, ["queue-limit", "thresh-mode", "dynamic" | "static", n]) => {
            return number(n, 0, u32::MAX).is_some();
        }
        (Kind::Queuing, ["bandwidth", "percent", share]) => {
            let share = number(share, 0, 100);
            class.bandwidth = setting(share, line, at);
            return share.is_some();
        }
        (Kind::Queuing, ["no", "bandwidth", ..]) => class.bandwidth = None,
        (Kind::Queuing, ["priority"]) => class.strict = Some(at),
        (Kind::Queuing, ["no", "priority"]) => class.strict = None,
        (Kind::Queuing, ["random-detect", name]) => {
            let name = Some(*name);
            class.wred = Some(Reference { name, at });
        }
        (Kind::Queuing, ["no", "random-detect", ..]) => class.wred = None,
        (Kind::Queuing, ["shape", ..]) => {}
        (Kind::Queuing, ["queue-limit", rest @ ..]) => {
            let limit = match rest {
                ["queue-len", size] => number(size, 0, u64::from(u32::MAX)).map(|_| None),
                ["thresh-mode", "dynamic", n] | ["queue-len", _, "thresh-mode", "dynamic", n] => {
                    number(n, 0u8, 10).map(|_| None)
                }
                ["thresh-mode", "static", kb] | ["queue-len", _, "thresh-mode", "static", kb] => {
                    number(kb, 0, u64::from(u32::MAX)).map(Some)
                }
                _ => None,
            };
            let read = limit.is_some();
            class.limit = setting(limit, line, at);
            return read;
        }
        (Kind::Qos, ["set", "qos-group", group]) => {
            let group = number(group, 0, LAST_GROUP);
            let read = group.is_some();
            class.group = setting(group, line, at);
            return read;
        }
        (Kind::Qos, ["set", "dscp", dscp]) => {
            let dscp = number(dscp, 0, 63);
            let read = dscp.is_some();
            class.dscp = setting(dscp, line, at);
            return read;
        }
        (Kind::Qos, ["set", "cos" | "color", _]) => {}
        (Kind::Qos, ["police", ..]) => class.police = Some(at),
        _ => return false,
    }
    true
}
