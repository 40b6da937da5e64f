//! The four forms in which SR Linux shows its tree, each as leaves with the
//! words of all that they stand in.
//!
//! ```text
//! qos {                                    info
//!     classifiers {
//!         dscp-policy roce {
//!             dscp 26 {
//!                 forwarding-class fc3
//! set / qos classifiers dscp-policy roce dscp 26 forwarding-class fc3   info flat
//! /qos/classifiers/dscp-policy[name=roce]/dscp[value=26]/forwarding-class = fc3
//! {"srl_nokia-qos:qos": {"classifiers": …}}                             JSON_IETF
//! ```
//!
//! Nothing recurses; deeper than 64 levels nothing is read.

use crate::platform::text::json::{Document, Kind, Node};
use smallvec::SmallVec;
use std::borrow::Cow;

const DEEPEST: usize = 64;

/// What is told of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A leaf with its value.
    Leaf,
    /// A block with nothing in it.
    Empty,
}

/// Takes what is told: its words, what it is, and its byte offset.
type Tell<'f> = dyn FnMut(&[&str], Word, usize) + 'f;

/// How a text ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All that was opened was closed.
    Whole,
    /// The text was cut, or more was closed than opened.
    Broken,
}

/// Calls `leaf` with the words of each leaf and its byte offset. The values of
/// a list in brackets come as further words.
pub fn leaves(text: &str, leaf: &mut Tell<'_>) -> End {
    let start = text.trim_start();
    match start.as_bytes().first() {
        Some(b'{' | b'[') => json(text, leaf),
        _ => lines(text, leaf),
    }
}

fn lines(text: &str, leaf: &mut Tell<'_>) -> End {
    let mut words: Vec<&str> = Vec::new();
    // Of each open block, how many words stood before it, and where it begins
    // as long as nothing is in it.
    let mut blocks: Vec<(usize, Option<usize>)> = Vec::new();
    // Where the leaf with the open list begins.
    let mut list: Option<(usize, usize)> = None;
    let mut end = End::Whole;
    let mut start = 0;
    for line in text.split('\n') {
        let offset = start + (line.len() - line.trim_start().len());
        start += line.len() + 1;
        let line = line.trim();
        if let Some((before, at)) = list {
            if line == "]" {
                leaf(&words, Word::Leaf, at);
                words.truncate(before);
                list = None;
            } else {
                split(line, &mut words);
            }
            continue;
        }
        // The context that the prompt shows, comments, and what a command says.
        if line.is_empty() || line.starts_with("--{") || line.starts_with('#') {
            continue;
        }
        let own = words.len();
        if let (Some((_, empty)), true) = (blocks.last_mut(), line != "}") {
            *empty = None;
        }
        if let Some(rest) = line.strip_prefix("set / ").or(line.strip_prefix("set /")) {
            let mut flat = Vec::new();
            split(rest, &mut flat);
            flat.retain(|word| !matches!(*word, "[" | "]"));
            leaf(&flat, Word::Leaf, offset);
        } else if line.starts_with('/') {
            path(line, offset, leaf);
        } else if line == "}" {
            match blocks.pop() {
                Some((before, empty)) => {
                    if let Some(at) = empty.filter(|_| blocks.len() < DEEPEST) {
                        leaf(&words, Word::Empty, at);
                    }
                    words.truncate(before);
                }
                None => end = End::Broken,
            }
        } else if let Some(head) = line.strip_suffix('{') {
            split(head, &mut words);
            blocks.push((own, Some(offset)));
        } else if let Some(head) = line.strip_suffix('[') {
            split(head, &mut words);
            list = Some((own, offset));
        } else {
            split(line, &mut words);
            if blocks.len() <= DEEPEST {
                leaf(&words, Word::Leaf, offset);
            }
            words.truncate(own);
        }
    }
    match blocks.is_empty() && list.is_none() {
        true => end,
        false => End::Broken,
    }
}

/// Words; those in quotes are one.
fn split<'t>(line: &'t str, words: &mut Vec<&'t str>) {
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest
                .split_once(|c: char| c.is_ascii_whitespace())
                .unwrap_or((rest, "")),
        };
        words.push(word);
        rest = after.trim_start();
    }
}

/// `/a/b[key=x]/c = value`.
fn path(line: &str, offset: usize, leaf: &mut Tell<'_>) {
    let Some((path, value)) = line.split_once(" = ") else {
        return;
    };
    let mut words: Vec<&str> = Vec::new();
    let mut rest = path;
    while let Some(at) = rest.find(['/', '[', ']']) {
        let (word, after) = rest.split_at(at);
        let (mark, after) = after.split_at(1);
        match mark {
            // A name may hold slashes: ethernet-1/1.
            "[" => {
                words.extend((!word.is_empty()).then_some(word));
                let (key, tail) = after.split_once(']').unwrap_or((after, ""));
                let (_, value) = key.split_once('=').unwrap_or(("", key));
                words.push(value);
                rest = tail;
                continue;
            }
            _ => words.extend((!word.is_empty()).then_some(word)),
        }
        rest = after;
    }
    words.extend((!rest.is_empty()).then_some(rest));
    words.push(value.trim());
    leaf(&words, Word::Leaf, offset);
}

/// The leaves that tell the members of a list apart.
const KEYS: &[&str] = &[
    "name",
    "interface-id",
    "queue-name",
    "pfc-queue-name",
    "index",
    "value",
    "sequence",
    "id",
    "queue-id",
    "ecn-drop-probability",
];
const SLOPE_KEYS: &[&str] = &["traffic-type", "drop-probability", "enable-ecn"];

fn json(text: &str, leaf: &mut Tell<'_>) -> End {
    let document = Document::parse(text);
    if let Some(root) = document.root() {
        inside(root, "", &mut Vec::new(), leaf);
    }
    match document.error() {
        None => End::Whole,
        Some(_) => End::Broken,
    }
}

/// Walks a value; the reader nests no deeper than 128.
fn inside<'d>(node: Node<'d>, name: &str, words: &mut Vec<Cow<'d, str>>, leaf: &mut Tell<'_>) {
    let own = words.len();
    match node.kind() {
        Kind::Object if node.entries().next().is_none() => {
            tell(words, Word::Empty, &node, leaf);
        }
        Kind::Object => {
            for (key, value) in node.entries() {
                let key = without_module(key.text());
                words.push(key.clone());
                inside(value, &key, words, leaf);
                words.truncate(own);
            }
        }
        Kind::Array => {
            let mut values = false;
            for item in node.items() {
                if item.kind() == Kind::Object {
                    words.extend(keys(&item, name));
                    inside(item, "", words, leaf);
                    words.truncate(own);
                } else if let Some(value) = item.text() {
                    words.push(value);
                    values = true;
                }
            }
            if values {
                tell(words, Word::Leaf, &node, leaf);
            }
        }
        Kind::String | Kind::Number | Kind::Bool => {
            words.extend(node.text().map(without_module));
            tell(words, Word::Leaf, &node, leaf);
        }
        Kind::Null => {}
    }
    words.truncate(own);
}

fn tell(words: &[Cow<'_, str>], what: Word, node: &Node<'_>, leaf: &mut Tell<'_>) {
    let words: SmallVec<[&str; 16]> = words.iter().map(|word| &**word).collect();
    leaf(&words, what, node.offset() as usize);
}

/// `srl_nokia-qos:qos` → `qos`; nothing else has such a prefix.
fn without_module(name: Cow<'_, str>) -> Cow<'_, str> {
    match name.split_once(':') {
        Some((module, rest)) if module.starts_with("srl_nokia-") => Cow::Owned(rest.to_owned()),
        _ => name,
    }
}

/// The key of a member of the list with this name.
fn keys<'d>(item: &Node<'d>, list: &str) -> Vec<Cow<'d, str>> {
    let of = |key: &&str| item.get(key).and_then(|node| node.text());
    match list {
        "wred-slope" => SLOPE_KEYS.iter().filter_map(of).collect(),
        "map" => of(&"forwarding-class").into_iter().collect(),
        _ => KEYS.iter().find_map(of).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Vec<String>, End) {
        let mut all = Vec::new();
        let end = leaves(text, &mut |words, what, offset| {
            assert!(text.is_char_boundary(offset));
            let end = if what == Word::Empty { " {}" } else { "" };
            all.push(words.join(" ") + end);
        });
        (all, end)
    }

    const LEAF: &str = "qos classifiers dscp-policy roce dscp 26 forwarding-class fc3";

    #[test]
    fn all_forms_give_the_same_leaf() {
        let braces = "--{ running }--[  ]--\n    qos {\n        classifiers {\n dscp-policy roce {\n\
             dscp 26 {\n forwarding-class fc3\n }\n }\n }\n }\n";
        let flat = format!("set / {LEAF}\r\n");
        let path =
            "/qos/classifiers/dscp-policy[name=roce]/dscp[value=26]/forwarding-class = fc3\n";
        let json = r#"{"srl_nokia-qos:qos": {"classifiers": {"dscp-policy": [
             {"name": "roce", "dscp": [{"value": 26, "forwarding-class": "fc3"}]}]}}}"#;
        for text in [braces, &flat, path] {
            assert_eq!(read(text), (vec![LEAF.to_owned()], End::Whole), "{text}");
        }
        let (all, end) = read(json);
        assert!(all.contains(&LEAF.to_owned()), "{all:?}");
        assert_eq!(end, End::Whole);
    }

    #[test]
    fn lists_quotes_and_slashes() {
        let (all, _) = read("a {\n  dot1p [\n    3\n    4\n  ]\n  description \"to { b\"\n}\n");
        assert_eq!(all, ["a dot1p 3 4", "a description to { b"]);
        let (all, _) = read("set / a dot1p [ 3 4 ]\n/interface[name=ethernet-1/1]/mtu = 9232\n");
        assert_eq!(all, ["a dot1p 3 4", "interface ethernet-1/1 mtu 9232"]);
    }

    #[test]
    fn blocks_with_nothing_in_them_are_told() {
        let (all, end) = read("qos {\n ecn {\n }\n a b\n}\n");
        assert_eq!(
            (all.join(", "), end),
            ("qos ecn {}, qos a b".to_owned(), End::Whole)
        );
        let (all, _) = read(r#"{"srl_nokia-qos:qos": {"ecn": {}}}"#);
        assert_eq!(all, ["qos ecn {}"]);
    }

    #[test]
    fn what_is_cut_is_told() {
        for text in ["a {\n b c\n", "a {\n b [\n c\n", "}\n", "{\"a\": {\"b\": 1"] {
            assert_eq!(read(text).1, End::Broken, "{text}");
        }
        assert_eq!(read("").1, End::Whole);
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        assert_eq!(read(&"a {\n".repeat(100_000)).1, End::Broken);
        assert_eq!(read(&"{\"a\":".repeat(100_000)).1, End::Broken);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(set / |qos |[a-z]{1,3} |[{}\\[\\]/=\"0-9:,]|\r?\n){0,60}") {
            read(&text);
        }
    }
}
