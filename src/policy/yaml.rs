//! YAML text to a tree of nodes that know where they stand.
//!
//! The tree is read by [`super::read`], not by serde's derive: so every value
//! keeps its position (serde loses it in flattened structs and tagged enums),
//! and all faults of a policy can be told at once instead of the first only.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

use super::error::Problem;

/// A policy larger than this is refused, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// Line and column in the policy file, both counted from 1, in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1; 0 where the value is the tool's own default.
    pub line: u32,
    /// Column, from 1; 0 where the value is the tool's own default.
    pub column: u32,
}

impl Position {
    /// Whether the value stands in the policy file at all.
    pub fn is_known(self) -> bool {
        self.line > 0
    }
}

impl From<Location> for Position {
    fn from(location: Location) -> Self {
        let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Position {
            line: narrow(location.line()),
            column: narrow(location.column()),
        }
    }
}

/// A value of the policy and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// What was written.
    pub value: T,
    /// Where it was written.
    pub position: Position,
}

impl<T> Located<T> {
    /// The same place, another value.
    pub(super) fn with<U>(&self, value: U) -> Located<U> {
        Located {
            value,
            position: self.position,
        }
    }
}

/// One node of the YAML document.
#[derive(Debug)]
pub(super) struct Node {
    pub content: Content,
    pub position: Position,
}

/// What a node holds. A scalar is its text as written, without the quotes:
/// `4.30` stays `4.30`.
#[derive(Debug)]
pub(super) enum Content {
    Null,
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<(Located<String>, Node)>),
}

impl Content {
    /// The word for this kind of node in an error message.
    pub fn kind(&self) -> &'static str {
        match self {
            Content::Null => "nothing",
            Content::Scalar(_) => "a single value",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
        }
    }
}

/// Parses one YAML document.
///
/// # Errors
/// The first fault that the YAML reader meets: syntax, a duplicate key, an
/// alias bomb, too deep nesting.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    if text.len() > MAX_BYTES {
        return Err(Problem::new(
            Position::default(),
            format!(
                "the policy is larger than {} KiB ({} KiB)",
                MAX_BYTES >> 10,
                text.len() >> 10
            ),
        ));
    }
    let raw = serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options())
        .map_err(|error| problem(text, &error))?;
    Ok(node(text, raw))
}

/// Limits far above any honest policy and far below what could hurt.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_nodes: 20_000,
            max_events: 60_000,
            max_aliases: 200,
            max_depth: 32,
            flow_nesting_limit: 32,
            max_documents: 1,
        },
    }
}

fn problem(text: &str, error: &serde_saphyr::Error) -> Problem {
    use serde_saphyr::Error;
    use serde_saphyr::budget::BudgetBreach;
    let error = error.without_snippet();
    let position = error.location().map(Position::from).unwrap_or_default();
    let message = match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("duplicate key {}", super::error::quoted(key))
        }
        Error::Budget { breach, .. } => match breach {
            BudgetBreach::Documents { .. } => "a policy is one YAML document".to_owned(),
            BudgetBreach::Depth { .. } => "the policy is nested too deeply".to_owned(),
            breach => format!("the policy is too large: {breach:?}"),
        },
        other => {
            let message = other.to_string();
            let end = message.find(" at line ").unwrap_or(message.len());
            message[..end].to_owned()
        }
    };
    Problem {
        help: quoting_help(text, position),
        ..Problem::new(position, message)
    }
}

/// A leading `>` or `*` means something else to YAML (a folded text, an
/// alias); says so when the line at fault, or the one above, starts a value so.
fn quoting_help(text: &str, position: Position) -> Option<String> {
    let last = (position.line as usize).checked_sub(1)?;
    let lines = text.lines().skip(last.saturating_sub(1)).take(2);
    lines
        .filter_map(unquoted_value)
        .last()
        .map(|value| format!("a value that starts with `>` or `*` must be quoted: \"{value}\""))
}

/// The value of `line` that starts with an unquoted `>` or `*`, if any.
fn unquoted_value(line: &str) -> Option<String> {
    let mut previous = ' ';
    let mut start = None;
    let mut quote = None;
    for (offset, character) in line.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '#') if offset == 0 || line[..offset].ends_with(' ') => break,
            (None, '>' | '*') if matches!(previous, ':' | '-' | '[' | ',' | '{') => {
                start = Some(offset);
            }
            _ => {}
        }
        if character != ' ' {
            previous = character;
        }
    }
    let value = &line[start?..];
    let end = value.find([',', ']', '}', '#']).unwrap_or(value.len());
    let value = value[..end].trim_end();
    let value: String = value.chars().take(40).filter(|c| !c.is_control()).collect();
    // A lone `>` is an honest folded text.
    (value.len() > 1).then_some(value)
}

fn node(text: &str, raw: Spanned<Raw>) -> Node {
    let position = match Position::from(raw.referenced) {
        position if position.is_known() => position,
        _ => raw.defined.into(),
    };
    let content = match raw.value {
        Raw::Null => Content::Null,
        Raw::Text(value) => Content::Scalar(value),
        Raw::Plain(value) => Content::Scalar(as_written(text, &raw.defined).unwrap_or(value)),
        Raw::List(items) => Content::List(items.into_iter().map(|item| node(text, item)).collect()),
        Raw::Map(entries) => Content::Map(
            entries
                .into_iter()
                .map(|(key, value)| {
                    let position = Position::from(key.referenced);
                    let key = Located {
                        value: key.value,
                        position,
                    };
                    (key, node(text, value))
                })
                .collect(),
        ),
    };
    Node { content, position }
}

/// The source text of a plain scalar, so that a number keeps its spelling.
fn as_written(text: &str, location: &Location) -> Option<String> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset()?).ok()?;
    let length = usize::try_from(span.byte_len()?).ok()?;
    let written = text.get(start..start.checked_add(length)?)?.trim();
    (!written.is_empty() && !written.contains(['\n', ':', '!', '&'])).then(|| written.to_owned())
}

/// What the YAML reader made of a node.
enum Raw {
    Null,
    /// A boolean or number, spelled our way.
    Plain(String),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Plain(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str) -> String {
        match parse(text).unwrap().content {
            Content::Scalar(value) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_number_keeps_its_spelling() {
        for text in ["4.30", "017", "1e3", "0x1f", "TRUE", "28.39.2048"] {
            assert_eq!(scalar(text), text);
        }
        assert_eq!(scalar("\"4.30\""), "4.30");
    }

    #[test]
    fn an_unquoted_comparison_or_glob_is_named() {
        for (text, value) in [
            ("mtu: >= 9100\n", ">= 9100"),
            ("mtu: {switch: >= 4200, host: 1}\n", ">= 4200"),
            ("a:\n  device: *leaf\n", "*leaf"),
            ("a: [*leaf, b]\n", "*leaf"),
            ("x: 1\nmtu: > 9100\ny: 2\n", "> 9100"),
        ] {
            let problem = parse(text).unwrap_err();
            let help = problem.help.unwrap_or_default();
            assert!(
                help.contains(&format!("\"{value}\"")),
                "{text}: {} / {help}",
                problem.message
            );
        }
    }

    #[test]
    fn positions_are_of_the_value() {
        let Content::Map(entries) = parse("a: 1\nb:\n  - x\n").unwrap().content else {
            panic!()
        };
        assert_eq!(entries[0].0.position, Position { line: 1, column: 1 });
        assert_eq!(entries[0].1.position, Position { line: 1, column: 4 });
        let Content::List(items) = &entries[1].1.content else {
            panic!()
        };
        assert_eq!(items[0].position, Position { line: 3, column: 5 });
    }
}
