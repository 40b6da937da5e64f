//! Running configuration → what its sections define, set and attach.
//!
//! Sections are told by their keywords, for published configurations have
//! lost their indentation or mixed it.

use super::config::{Attached, Class, Config, Named, Policy, Reference, Settings};
use super::lines::{
    KB, Kind, LAST_GROUP, class_line, class_map, entered, has_effect_elsewhere, is_dcbx,
    is_default_object, is_qos, list, on_off, opens_other, policy_map, queues, setting, trust,
    wred_line,
};
use crate::model::{Fact, NoteKind, Origin, State};
use crate::platform::notes::Notes;
use crate::platform::text::interfaces;
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
        // Of a name that is cut the port is not known.
        let names = names.filter(|names| names.iter().all(|name| ends_in_digit(name)));
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
            ["trust" | "trust-map", ..] => {
                attached.trust_unclear = Some(at);
                return false;
            }
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

fn ends_in_digit(name: &str) -> bool {
    name.ends_with(|c: char| c.is_ascii_digit())
}

fn lag_number(name: &str) -> Option<u32> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok()
}
