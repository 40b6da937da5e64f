//! Configurations whose sections are told by keywords, for people paste them
//! with their indentation lost or mixed.
//!
//! ```text
//! interface ethernet1/1/1        opens a section
//! mtu 9216                       inside it, though not indented
//! !
//! interface ethernet1/1/2        opens another
//!  mtu 9216                      inside it
//! ip route 0.0.0.0/0 10.0.0.1    outside: this section is indented
//! ```

use super::statements::{Statement, Statements, Style};
use std::iter::Peekable;

/// A line that is no comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'t> {
    /// Without the blanks around it.
    pub text: &'t str,
    /// Byte offset of the text.
    pub offset: usize,
    /// How far it is indented, a tab counted as eight blanks.
    pub column: usize,
    /// The device refused it: an error message (`% Invalid input`) follows.
    pub refused: bool,
}

impl<'t> Line<'t> {
    /// Its words; quotes have no meaning here.
    pub fn words(&self) -> super::statements::Words<'t> {
        self.text.split_ascii_whitespace().collect()
    }

    /// What follows the first word.
    pub fn rest(&self) -> &'t str {
        let rest = self.text.split_once([' ', '\t']);
        rest.map_or("", |(_, rest)| rest.trim_ascii_start())
    }
}

/// Calls `each` for every line of a configuration. Error messages and the
/// carets that point at what they mean are left out.
pub fn lines<'t>(text: &'t str, style: &Style, mut each: impl FnMut(Line<'t>)) {
    let statements = Statements::indented(text, style);
    let mut all = statements.all().peekable();
    while let Some(statement) = all.next() {
        if !is_message(statement.text()) {
            each(Line {
                text: statement.text(),
                offset: statement.offset(),
                column: column(text, statement.offset()),
                refused: refused(&mut all),
            });
        }
    }
}

/// Whether what follows says that the device refused the line before.
fn refused<'a, 't: 'a>(rest: &mut Peekable<impl Iterator<Item = Statement<'a, 't>>>) -> bool {
    while rest.next_if(|next| is_caret(next.text())).is_some() {}
    rest.peek().is_some_and(|next| next.text().starts_with('%'))
}

fn is_caret(text: &str) -> bool {
    text == "^"
}

fn is_message(text: &str) -> bool {
    text.starts_with('%') || is_caret(text)
}

/// The indentation of the line that has its first character here.
fn column(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    let blanks = before
        .iter()
        .rev()
        .take_while(|b| matches!(b, b' ' | b'\t'));
    blanks.map(|b| if *b == b'\t' { 8 } else { 1 }).sum()
}

/// How the section is written that is open.
#[derive(Clone, Copy, Default, Debug)]
pub struct Section {
    column: usize,
    body: Option<usize>,
}

impl Section {
    /// A section that a line at this column opens.
    pub fn at(column: usize) -> Self {
        Section { column, body: None }
    }

    /// Whether a line at this column, which opens no section, is outside. The
    /// first line after the opening one tells whether the section is indented.
    pub fn is_left(&mut self, column: usize) -> bool {
        let body = *self.body.get_or_insert(column);
        column < self.column || (body > self.column && column == self.column)
    }
}

/// Whether some line starts so, blanks before it aside.
pub fn has_line(text: &str, start: &str) -> bool {
    let text = text.as_bytes();
    memchr::memmem::find_iter(text, start).any(|at| {
        let before = text.get(..at).unwrap_or_default().iter().rev();
        let mut before = before.skip_while(|b| matches!(b, b' ' | b'\t'));
        matches!(before.next(), None | Some(b'\n'))
    })
}

/// The lines of any output, without the blanks at their ends, with their byte
/// offsets.
pub fn with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let offset = start;
        start += line.len();
        (offset, line.trim_end())
    })
}

/// A number of digits only, within its bounds.
pub fn number<T: std::str::FromStr + PartialOrd>(text: &str, least: T, largest: T) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = digits.then(|| text.parse().ok()).flatten()?;
    (least <= value && value <= largest).then_some(value)
}

/// As much of a line as a message quotes.
pub fn shown(text: &str) -> &str {
    let mut end = text.len().min(80);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::text::statements::banner_to_mark;

    const STYLE: Style = Style {
        comment: b'!',
        banner: banner_to_mark,
    };

    fn read(text: &str) -> Vec<Line<'_>> {
        let mut all = Vec::new();
        lines(text, &STYLE, |line| all.push(line));
        all
    }

    #[test]
    fn lines_bear_their_place() {
        let text = "a b\n\t c d\r\n!\n  e\n";
        let all = read(text);
        let seen: Vec<_> = all.iter().map(|l| (l.text, l.column, l.rest())).collect();
        assert_eq!(seen, [("a b", 0, "b"), ("c d", 9, "d"), ("e", 2, "")]);
        assert!(all.iter().all(|l| text[l.offset..].starts_with(l.text)));
    }

    #[test]
    fn what_the_device_refused() {
        let text = "mtu 1\n mtu 99999\n     ^\n% Error: out of range\n mtu 2\n% Invalid\n";
        let seen: Vec<_> = read(text).iter().map(|l| (l.text, l.refused)).collect();
        let expected = [("mtu 1", false), ("mtu 99999", true), ("mtu 2", true)];
        assert_eq!(seen, expected);
        assert_eq!(read("% Error: denied\n^\n"), []);
    }

    #[test]
    fn helpers() {
        let text = "a\n \twred x\nno wred y\n";
        assert!(has_line(text, "wred ") && has_line(text, "a") && !has_line(text, "y"));
        assert_eq!(with_offsets(text).nth(2), Some((11, "no wred y")));
        assert_eq!((number("7", 0u8, 7), number("8", 0u8, 7)), (Some(7), None));
        assert_eq!((number("", 0u8, 7), number("+3", 0u8, 7)), (None, None));
        assert_eq!(number("99999999999999999999", 0u64, u64::MAX), None);
        assert_eq!(shown(&"é".repeat(50)).len(), 80);
    }

    #[test]
    fn a_section_ends_where_its_indentation_does() {
        let mut indented = Section::at(0);
        assert!(!indented.is_left(2) && !indented.is_left(1));
        assert!(indented.is_left(0));
        let mut flat = Section::at(1);
        assert!(!flat.is_left(1) && !flat.is_left(1) && !flat.is_left(4));
        assert!(flat.is_left(0));
        let mut empty = Section::at(2);
        assert!(empty.is_left(0));
    }
}
