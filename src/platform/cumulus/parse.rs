//! What NVUE prints, as JSON, YAML or commands → settings as words.

use super::config::{Config, Set};
use super::yaml::{self, Value};
use crate::model::{NoteKind, Origin};
use crate::platform::notes::Notes;
use crate::platform::text::json::{Document, Kind, Node};
use crate::platform::text::statements::{Children, Statement, Statements};
use memchr::memmem;
use std::collections::HashMap;

/// No setting of NVUE has more words.
const DEEPEST: usize = 16;

/// So much of a setting is shown.
const SHOWN: usize = 160;

/// Applies the settings of one capture.
pub struct Feeder<'c> {
    /// What they set.
    pub config: &'c mut Config,
    /// What is noticed.
    pub notes: &'c mut Notes,
    /// Index of the capture.
    pub capture: usize,
}

/// Whether settings below these words are looked at.
fn matters(path: &[&str]) -> bool {
    match path {
        [top] => matches!(*top, "interface" | "qos" | "acl" | "system"),
        ["system", leaf] => *leaf == "hostname",
        ["interface", _, leaf] => {
            matches!(*leaf, "link" | "qos" | "bond" | "acl" | "description")
        }
        _ => true,
    }
}

/// Whether a setting is one of QoS.
fn is_qos(path: &[&str]) -> bool {
    matches!(path, ["qos", ..] | ["interface", _, "qos", ..])
}

impl Feeder<'_> {
    fn at(&self, offset: usize) -> Origin {
        Origin::new(self.capture, offset)
    }

    /// An interface exists, whatever is set on it.
    fn enter(&mut self, path: &[&str], offset: usize) {
        if let ["interface", key] = path {
            let at = self.at(offset);
            self.config.keys.make(key, at);
        }
    }

    /// One setting, its value last.
    fn setting(&mut self, words: &[&str], offset: usize) {
        let at = self.at(offset);
        if !self.config.apply(words, at) {
            self.unparsed(words, at);
        }
    }

    fn unparsed(&mut self, words: &[&str], at: Origin) {
        let mut text = words.join(" ");
        if let Some((end, _)) = text.char_indices().nth(SHOWN) {
            text.truncate(end);
        }
        let text = format!("`{text}` is not known, or its value can't be read");
        self.notes.add(NoteKind::Unparsed, None, text, at);
    }

    /// The text can't be read to its end: what it does not say is unknown.
    fn broken(&mut self, text: String, at: Origin) {
        self.config.partial = true;
        self.notes.add(NoteKind::Failed, None, text, at);
    }

    /// `nv config show`, and `startup.yaml`.
    pub fn yaml(&mut self, text: &str) {
        let lines = yaml::lines(text);
        let mut begun = false;
        for line in lines.top() {
            let entry = line.text();
            let key = entry.strip_prefix("- ").unwrap_or(entry).trim_ascii();
            match key {
                "header:" => self.header(line.children()),
                "set:" => self.walk(line.children(), &mut Vec::new()),
                "unset:" => self.unset_yaml(&line),
                _ => {
                    let inner = key.strip_prefix("header:").map(str::trim_ascii);
                    match inner.and_then(|i| i.strip_prefix('{')?.strip_suffix('}')) {
                        Some(inner) => {
                            for (key, value) in yaml::flow(inner).flatten() {
                                if let Value::Scalar(value) = value {
                                    self.header_field(key, value, line.offset());
                                }
                            }
                        }
                        // Warnings may stand before the document.
                        None if !begun => continue,
                        None if matches!(entry, "---" | "...") => {}
                        None => {
                            let at = self.at(line.offset());
                            self.broken("the line is no entry of the configuration".into(), at);
                        }
                    }
                }
            }
            begun = true;
        }
        if let Some(line) = cut_line(&lines) {
            let at = self.at(line.offset());
            if self.notes.all.last().is_none_or(|note| note.at != at) {
                self.broken("the configuration ends in the middle".into(), at);
            }
        }
    }

    fn header(&mut self, lines: Children<'_, '_>) {
        for line in lines {
            if let Some((key, Value::Scalar(value))) = yaml::entry(&line) {
                self.header_field(key, value, line.offset());
            }
        }
    }

    fn header_field(&mut self, key: &str, value: &str, offset: usize) {
        let place = match key {
            "version" => &mut self.config.version,
            "model" => &mut self.config.model,
            _ => return,
        };
        let value = Some(value.to_owned());
        let at = Origin::new(self.capture, offset);
        *place = Some(Set { value, at });
    }

    fn unset_yaml(&mut self, line: &Statement<'_, '_>) {
        let qos =
            |line: Statement<'_, '_>| matches!(yaml::entry(&line), Some(("qos" | "interface", _)));
        if let Some(line) = line.children().find(|line| qos(*line)) {
            let at = self.at(line.offset());
            self.config.partial = true;
            self.unparsed(&["unset", line.text()], at);
        }
    }

    fn walk<'t>(&mut self, lines: Children<'_, 't>, path: &mut Vec<&'t str>) {
        for line in lines {
            let Some((key, value)) = yaml::entry(&line) else {
                let at = self.at(line.offset());
                self.broken("the line is no entry of a mapping".into(), at);
                continue;
            };
            path.push(key);
            if matters(path) {
                self.enter(path, line.offset());
                self.entry(&line, value, path);
            }
            path.pop();
        }
    }

    fn entry<'t>(&mut self, line: &Statement<'_, 't>, value: Value<'t>, path: &mut Vec<&'t str>) {
        let offset = line.offset();
        let has_more = line.children().next().is_some();
        match value {
            _ if path.len() >= DEEPEST => self.unparsed(path, self.at(offset)),
            Value::Below if has_more => self.walk(line.children(), path),
            // NVUE prints `{}` where nothing more is set.
            Value::Below => {
                let text = format!("`{}` has no value", path.join(" "));
                self.broken(text, self.at(offset));
            }
            // A long description goes on below.
            Value::Scalar(word) if !has_more || path.last() == Some(&"description") => {
                path.push(word);
                self.setting(path, offset);
                path.pop();
            }
            Value::Flow(inner) if !has_more => self.flow(inner, offset, path),
            Value::Text => {}
            _ if is_qos(path) => self.unparsed(path, self.at(offset)),
            _ => {}
        }
    }

    fn flow<'t>(&mut self, inner: &'t str, offset: usize, path: &mut Vec<&'t str>) {
        if inner.is_empty() {
            return self.setting(path, offset);
        }
        for pair in yaml::flow(inner) {
            let Some((key, value)) = pair.filter(|_| path.len() < DEEPEST) else {
                return self.unparsed(path, self.at(offset));
            };
            path.push(key);
            match value {
                _ if !matters(path) => {}
                Value::Flow(inner) => self.flow(inner, offset, path),
                Value::Scalar(word) => {
                    path.push(word);
                    self.setting(path, offset);
                    path.pop();
                }
                _ => self.unparsed(path, self.at(offset)),
            }
            path.pop();
        }
    }

    /// `nv config show -o json`, or the tree of settings alone.
    pub fn json(&mut self, text: &str, start: usize) {
        let document = Document::parse(text.get(start..).unwrap_or_default());
        if let Some(error) = document.error() {
            let at = self.at(start + error.offset as usize);
            let text = format!("the JSON could not be read to its end: {}", error.kind);
            self.broken(text, at);
        }
        let Some(root) = document.root() else { return };
        match root.kind() {
            Kind::Array => root.items().for_each(|item| self.json_part(item, start)),
            _ => self.json_part(root, start),
        }
    }

    fn json_part(&mut self, part: Node<'_>, start: usize) {
        let mut known = false;
        for (key, value) in part.entries() {
            let offset = start + key.offset() as usize;
            match &*key.text() {
                "header" => {
                    for (key, value) in value.entries() {
                        let offset = start + key.offset() as usize;
                        if let Some(value) = value.text() {
                            self.header_field(&key.text(), &value, offset);
                        }
                    }
                }
                "set" => self.json_walk(value, start, &mut Vec::new()),
                "unset" => {
                    let any = |key: &str| value.get(key).is_some();
                    if any("qos") || any("interface") {
                        self.config.partial = true;
                        self.unparsed(&["unset"], self.at(offset));
                    }
                }
                _ => continue,
            }
            known = true;
        }
        if !known {
            self.json_walk(part, start, &mut Vec::new());
        }
    }

    fn json_walk(&mut self, node: Node<'_>, start: usize, path: &mut Vec<String>) {
        for (key, value) in node.entries() {
            path.push(key.text().into_owned());
            let words: Vec<&str> = path.iter().map(String::as_str).collect();
            let offset = start + key.offset() as usize;
            self.enter(&words, offset);
            if !matters(&words) {
                // Nothing of QoS.
            } else if path.len() >= DEEPEST {
                self.unparsed(&words, self.at(offset));
            } else if value.kind() == Kind::Object && value.entries().next().is_some() {
                self.json_walk(value, start, path);
            } else {
                self.json_leaf(&words, value, offset);
            }
            path.pop();
        }
    }

    fn json_leaf(&mut self, path: &[&str], value: Node<'_>, offset: usize) {
        match value.kind() {
            Kind::Object => self.setting(path, offset),
            Kind::Array => {
                for item in value.items() {
                    let word = item.text().unwrap_or_default();
                    self.setting(&[path, &[&*word]].concat(), offset);
                }
            }
            // Asked for all, NVUE prints what is not set as null.
            Kind::Null => {}
            _ => {
                let word = value.text().unwrap_or_default();
                self.setting(&[path, &[&*word]].concat(), offset);
            }
        }
    }

    /// `nv config show -o commands`, or commands as typed.
    pub fn commands(&mut self, text: &str) {
        let lines = yaml::lines(text);
        let mut unsets = match memmem::find(text.as_bytes(), b"nv unset ") {
            Some(_) => Unsets::read(lines.all()),
            None => Unsets::default(),
        };
        let mut all = lines.all().peekable();
        while let Some(line) = all.next() {
            let line_words = line.words();
            let (["nv", verb, words @ ..] | ["net", verb, words @ ..]) = &*line_words else {
                continue;
            };
            let (offset, is_nv) = (line.offset(), line.first_word() == "nv");
            match *verb {
                "set" if is_nv => {
                    self.enter(words.get(..2).unwrap_or_default(), offset);
                    let above = 1..=words.len().min(3);
                    let looked_at = above
                        .into_iter()
                        .all(|n| words.get(..n).is_some_and(matters));
                    let mut refused = || all.peek().is_some_and(|next| is_refusal(next.text()));
                    if !looked_at || unsets.removes(words, offset) {
                        continue;
                    }
                    match words.len() > DEEPEST * 4 || refused() {
                        true => self.unparsed(words, self.at(offset)),
                        false => self.setting(words, offset),
                    }
                }
                // NCLU, of releases before 5.0.
                "add"
                    if words
                        .iter()
                        .any(|word| matches!(*word, "roce" | "qos" | "pfc")) =>
                {
                    self.unparsed(&line_words, self.at(offset));
                }
                _ => {}
            }
        }
        // A guide, not a configuration: `nv set interface <bond-name> …`.
        let placeholder = |word: &str| word.starts_with('<') && word.ends_with('>');
        if memmem::find(text.as_bytes(), b" <").is_some() {
            let mut sets = lines.all().filter(|line| line.after("nv set").is_some());
            self.config.partial |= sets.any(|line| line.words().iter().any(|w| placeholder(w)));
        }
        for (words, offset) in unsets.unclear() {
            self.config.partial = true;
            self.unparsed(&["unset", words], self.at(offset));
        }
    }

    /// A command of a pasted session, which printed nothing.
    pub fn command(&mut self, command: &str) {
        let words: Vec<&str> = command.split_ascii_whitespace().collect();
        match &*words {
            ["nv", "set", words @ ..] if words.len() <= DEEPEST => self.setting(words, 0),
            ["nv", "unset", words @ ..] if is_qos(words) => {
                self.unparsed(&[&["unset"], words].concat(), self.at(0));
            }
            _ => {}
        }
        self.config.partial = true;
    }
}

/// What NVUE answers to a command that it does not take.
fn is_refusal(line: &str) -> bool {
    ["Error", "Invalid", "error:", "% Invalid"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The last line, if it is a key without its value: the text was cut there.
fn cut_line<'a, 't>(lines: &'a Statements<'t>) -> Option<Statement<'a, 't>> {
    let mut line = lines.top().last()?;
    while let Some(child) = line.children().last() {
        // Free text, or a scalar that goes on.
        if matches!(
            yaml::entry(&line),
            Some((_, Value::Text | Value::Scalar(_)))
        ) {
            return None;
        }
        line = child;
    }
    let whole = matches!(yaml::entry(&line), Some((_, value)) if value != Value::Below);
    (!whole && !matches!(line.text(), "---" | "...")).then_some(line)
}

/// `nv unset` lines by what they remove.
#[derive(Default)]
struct Unsets<'t> {
    lines: HashMap<String, Unset<'t>>,
    /// The first line that sets something of QoS, and of interfaces.
    first: [Option<usize>; 2],
}

struct Unset<'t> {
    words: &'t str,
    offset: usize,
    used: bool,
}

/// Of what is judged.
const TOPS: [&str; 2] = ["qos", "interface"];

impl<'t> Unsets<'t> {
    fn read<'a>(lines: impl Iterator<Item = Statement<'a, 't>>) -> Self
    where
        't: 'a,
    {
        let mut unsets = Unsets::default();
        for line in lines {
            if let Some(words) = line.after("nv unset") {
                let key: Vec<&str> = words.split_ascii_whitespace().collect();
                let unset = Unset {
                    words,
                    offset: line.offset(),
                    used: false,
                };
                unsets.lines.insert(key.join(" "), unset);
            }
        }
        unsets
    }

    /// Whether a later line removes this setting, or a part of its path.
    fn removes(&mut self, words: &[&str], offset: usize) -> bool {
        if self.lines.is_empty() {
            return false;
        }
        let top = TOPS.iter().position(|top| words.first() == Some(top));
        if let Some(first) = top.and_then(|top| self.first.get_mut(top)) {
            first.get_or_insert(offset);
        }
        let mut path = String::new();
        words.iter().take(DEEPEST).any(|word| {
            if !path.is_empty() {
                path.push(' ');
            }
            path.push_str(word);
            match self.lines.get_mut(&path) {
                Some(unset) if unset.offset > offset => {
                    unset.used = true;
                    true
                }
                _ => false,
            }
        })
    }

    /// Those that remove nothing although something alike was set before: a
    /// part of a range, a list in another order.
    fn unclear(&self) -> Vec<(&'t str, usize)> {
        let after = |unset: &&Unset<'_>| {
            let words = TOPS.iter().zip(&self.first);
            words.into_iter().any(|(top, first)| {
                unset.words.starts_with(top) && first.is_some_and(|first| first < unset.offset)
            })
        };
        let unclear = self.lines.values().filter(|unset| !unset.used);
        let unclear = unclear
            .filter(after)
            .map(|unset| (unset.words, unset.offset));
        let mut unclear: Vec<_> = unclear.collect();
        unclear.sort_unstable_by_key(|(_, offset)| *offset);
        unclear
    }
}
