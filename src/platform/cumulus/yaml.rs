//! The YAML that NVUE prints: block mappings of plain or quoted scalars, `{}`,
//! and block scalars for free text. The tree is that of the indented lines; an
//! entry is read only where it matters. Anchors, tags and lists do not occur,
//! and are told where they do.

use crate::platform::text::statements::{Statement, Statements, Style, no_banner};

const STYLE: Style = Style {
    comment: b'#',
    banner: no_banner,
};

/// The lines of a document as a tree.
pub fn lines(text: &str) -> Statements<'_> {
    Statements::indented(text, &STYLE)
}

/// What stands behind a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<'t> {
    /// Nothing: the value is in the lines below, or missing.
    Below,
    /// `|` or `>`: the lines below are free text.
    Text,
    /// A scalar, without its quotes.
    Scalar(&'t str),
    /// `{…}` on one line, without the braces.
    Flow(&'t str),
    /// An anchor, a tag, a list, or an escape in quotes.
    Other,
}

/// The key and the value of a line; `None` where it is no entry of a mapping.
pub fn entry<'t>(line: &Statement<'_, 't>) -> Option<(&'t str, Value<'t>)> {
    pair(line.text())
}

/// `key: value`, also within braces.
fn pair(text: &str) -> Option<(&str, Value<'_>)> {
    let (key, rest) = match text.as_bytes().first()? {
        quote @ (b'\'' | b'"') => {
            let (key, rest) = text.get(1..)?.split_once(char::from(*quote))?;
            (key, rest.strip_prefix(':')?)
        }
        _ => split_key(text)?,
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    Some((key, value(rest.trim_ascii())))
}

/// At the first colon that a blank or the end follows: `fe80::1/64: {}`.
fn split_key(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b':', bytes)
        .find(|at| matches!(bytes.get(at + 1), None | Some(b' ' | b'\t')))?;
    Some((text.get(..at)?.trim_ascii_end(), text.get(at + 1..)?))
}

fn value(text: &str) -> Value<'_> {
    match text.as_bytes().first() {
        None | Some(b'#') => Value::Below,
        Some(b'|' | b'>') => Value::Text,
        Some(quote @ (b'\'' | b'"')) => {
            let inner = text.get(1..).unwrap_or_default();
            match inner.split_once(char::from(*quote)) {
                Some((value, rest)) if is_comment(rest) && !value.contains('\\') => {
                    Value::Scalar(value)
                }
                _ => Value::Other,
            }
        }
        Some(b'{') => match text.get(1..).and_then(|rest| rest.rsplit_once('}')) {
            Some((inner, rest)) if is_comment(rest) => Value::Flow(inner.trim_ascii()),
            _ => Value::Other,
        },
        Some(b'[' | b'&' | b'*' | b'!' | b'%' | b'@' | b'`') => Value::Other,
        Some(_) => {
            let end = text.find(" #").unwrap_or(text.len());
            Value::Scalar(text.get(..end).unwrap_or_default().trim_ascii_end())
        }
    }
}

fn is_comment(text: &str) -> bool {
    let text = text.trim_ascii_start();
    text.is_empty() || text.starts_with('#')
}

/// The entries of a flow mapping, `a: 1, b: {c: 2}`, without its braces.
pub fn flow(inner: &str) -> impl Iterator<Item = Option<(&str, Value<'_>)>> {
    let mut rest = inner;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = comma(rest);
        let (part, after) = (rest.get(..end)?, rest.get(end + 1..));
        rest = after.unwrap_or_default().trim_ascii_start();
        Some(pair(part.trim_ascii()))
    })
}

/// The first comma outside of quotes and braces, or the end.
fn comma(text: &str) -> usize {
    let (mut depth, mut quote) = (0u32, None);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != byte),
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => depth = depth.saturating_sub(1),
            (None, b',') if depth == 0 => return at,
            (None, _) => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries() {
        for (text, expected) in [
            ("mtu: 9216", Some(("mtu", Value::Scalar("9216")))),
            ("enable: on # note", Some(("enable", Value::Scalar("on")))),
            ("'3':", Some(("3", Value::Below))),
            ("\"3\": {}", Some(("3", Value::Flow("")))),
            ("fe80::1/64: {}", Some(("fe80::1/64", Value::Flow("")))),
            ("password: '*'", Some(("password", Value::Scalar("*")))),
            ("snippet: |", Some(("snippet", Value::Text))),
            ("a: *anchor", Some(("a", Value::Other))),
            ("a: \"x\\n\"", Some(("a", Value::Other))),
            ("a: {b: 1", Some(("a", Value::Other))),
            ("a: {b: {c: 1}}", Some(("a", Value::Flow("b: {c: 1}")))),
            ("swp1-", None),
            ("% Invalid input", None),
            ("10.0.0.1:80", None),
        ] {
            assert_eq!(pair(text), expected, "{text}");
        }
    }

    #[test]
    fn flow_mappings() {
        let all: Vec<_> = flow("a: 1, b: {c: 2, d: 3}, e: 'x, y'").collect();
        let expected = [
            Some(("a", Value::Scalar("1"))),
            Some(("b", Value::Flow("c: 2, d: 3"))),
            Some(("e", Value::Scalar("x, y"))),
        ];
        assert_eq!(all, expected);
        assert_eq!(flow("no pair").next(), Some(None));
    }
}
