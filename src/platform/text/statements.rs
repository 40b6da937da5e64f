//! Configurations as trees of statements: a line, and the lines indented
//! below it.
//!
//! ```text
//! interface Ethernet1            statement
//!    mtu 9214                    its child
//!    tx-queue 3                  its child, with
//!       bandwidth percent 50     a child of its own
//! ```
//!
//! A line belongs to the nearest line above that is indented less, whatever
//! the width of the step; tabs count to the next multiple of eight. Nothing
//! is copied: a statement is a slice of the text.

use smallvec::SmallVec;

/// The words of a statement. Most have few.
pub type Words<'t> = SmallVec<[&'t str; 12]>;

/// How a platform writes what is no statement.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// A line whose first byte that is not blank is this one is a comment or
    /// a separator (`!`, `#`).
    pub comment: u8,
    /// Where the text that begins with this line ends, if it is free text and
    /// no configuration. Asked of lines that are not indented.
    pub banner: fn(&str) -> Option<Banner<'_>>,
}

/// The end of free text inside a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Banner<'t> {
    /// A line that is just this (`EOF`).
    Line(&'t str),
    /// A line that holds this (`^C`).
    Mark(&'t str),
}

/// No banner at all.
pub fn no_banner(_: &str) -> Option<Banner<'_>> {
    None
}

/// `banner motd` up to a line `EOF`, as EOS writes it.
pub fn banner_to_eof(line: &str) -> Option<Banner<'_>> {
    line.starts_with("banner ").then_some(Banner::Line("EOF"))
}

/// `banner motd ^C…^C`: the first character after the kind delimits, as NX-OS
/// and OS10 write it. Text that ends on its own line is no banner to skip.
pub fn banner_to_mark(line: &str) -> Option<Banner<'_>> {
    let rest = line.strip_prefix("banner ")?.trim_start();
    let (_, rest) = rest.split_once(' ')?;
    let rest = rest.trim_start();
    let caret = rest.starts_with('^').then(|| rest.get(..2)).flatten();
    let first = rest.chars().next()?;
    let mark = caret.unwrap_or(rest.get(..first.len_utf8())?);
    let rest = rest.get(mark.len()..)?;
    (!rest.contains(mark)).then_some(Banner::Mark(mark))
}

#[derive(Clone, Copy, Debug)]
struct Line {
    start: u32,
    end: u32,
    /// Index of the first line after this one's last descendant.
    next: u32,
}

/// A configuration.
#[derive(Debug, Default)]
pub struct Statements<'t> {
    text: &'t str,
    lines: Vec<Line>,
}

impl<'t> Statements<'t> {
    /// Reads an indented configuration. Text past 4 GiB is left out.
    pub fn indented(text: &'t str, style: &Style) -> Self {
        let mut builder = Builder::new(text);
        let mut banner: Option<Banner<'_>> = None;
        let mut start = 0;
        let bytes = text.as_bytes();
        for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            let line = text.get(start..end).unwrap_or_default();
            let offset = start;
            start = end + 1;
            match banner {
                Some(Banner::Line(last)) if line.trim() == last => banner = None,
                Some(Banner::Mark(mark)) if line.contains(mark) => banner = None,
                Some(_) => {}
                None => {
                    let (indent, column) = indentation(line);
                    let trimmed = line.get(indent..).unwrap_or_default().trim_ascii_end();
                    if trimmed.is_empty() || trimmed.as_bytes().first() == Some(&style.comment) {
                        continue;
                    }
                    if indent == 0 {
                        banner = (style.banner)(trimmed);
                    }
                    builder.push(column, offset + indent, trimmed.len());
                }
            }
        }
        builder.finish()
    }

    /// The statements that stand in no other.
    pub fn top(&self) -> Children<'_, 't> {
        Children {
            all: self,
            at: 0,
            end: self.lines.len(),
        }
    }

    /// Every statement, in the order of the text.
    pub fn all(&self) -> impl Iterator<Item = Statement<'_, 't>> {
        (0..self.lines.len()).map(|index| Statement { all: self, index })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Byte offset of a part of the text in it, such as a word of a statement.
    pub fn offset(&self, part: &str) -> usize {
        let start = self.text.as_ptr() as usize;
        (part.as_ptr() as usize)
            .saturating_sub(start)
            .min(self.text.len())
    }
}

/// The bytes of the indentation, and the column that they reach.
pub fn indentation(line: &str) -> (usize, u32) {
    let mut column = 0u32;
    for (n, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => column += 1,
            b'\t' => column = (column / 8 + 1) * 8,
            _ => return (n, column),
        }
    }
    (line.len(), column)
}

/// Builds the tree from statements in the order of the text, each with its
/// depth: any number that is larger inside than outside.
pub struct Builder<'t> {
    all: Statements<'t>,
    /// Index and depth of the statements that are still open.
    open: Vec<(usize, u32)>,
}

impl<'t> Builder<'t> {
    /// Of statements in this text.
    pub fn new(text: &'t str) -> Self {
        Builder {
            all: Statements {
                text,
                // A line of a configuration has some 25 bytes.
                lines: Vec::with_capacity(text.len() / 24),
            },
            open: Vec::new(),
        }
    }

    /// Adds the statement of `len` bytes at `start`.
    pub fn push(&mut self, depth: u32, start: usize, len: usize) {
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(start + len)) else {
            return;
        };
        self.close(depth);
        self.open.push((self.all.lines.len(), depth));
        self.all.lines.push(Line {
            start,
            end,
            next: 0,
        });
    }

    /// Ends all statements that are no less deep.
    pub fn close(&mut self, depth: u32) {
        let next = self.all.lines.len() as u32;
        while let Some(&(index, open)) = self.open.last()
            && open >= depth
        {
            if let Some(line) = self.all.lines.get_mut(index) {
                line.next = next;
            }
            self.open.pop();
        }
    }

    /// The tree.
    pub fn finish(mut self) -> Statements<'t> {
        self.close(0);
        self.all
    }
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a, 't> {
    all: &'a Statements<'t>,
    index: usize,
}

impl<'a, 't> Statement<'a, 't> {
    fn line(&self) -> Line {
        let none = Line {
            start: 0,
            end: 0,
            next: 0,
        };
        self.all.lines.get(self.index).copied().unwrap_or(none)
    }

    /// Its text, without the blanks around it.
    pub fn text(&self) -> &'t str {
        let line = self.line();
        let span = line.start as usize..line.end as usize;
        self.all.text.get(span).unwrap_or_default()
    }

    /// Byte offset of its text.
    pub fn offset(&self) -> usize {
        self.line().start as usize
    }

    /// Its first word.
    pub fn first_word(&self) -> &'t str {
        let text = self.text();
        let end = text.bytes().position(|b| b.is_ascii_whitespace());
        text.get(..end.unwrap_or(text.len())).unwrap_or_default()
    }

    /// Its words; quotes have no meaning here.
    pub fn words(&self) -> Words<'t> {
        self.text().split_ascii_whitespace().collect()
    }

    /// What follows these words at the start of the statement, without the
    /// blanks before it; `None` where it does not start with them. One blank
    /// each separates words in what a device prints.
    pub fn after(&self, words: &str) -> Option<&'t str> {
        let rest = self.text().strip_prefix(words)?;
        match rest.as_bytes().first() {
            None => Some(rest),
            Some(b' ' | b'\t') => Some(rest.trim_ascii_start()),
            Some(_) => None,
        }
    }

    /// The statements directly below it.
    pub fn children(&self) -> Children<'a, 't> {
        Children {
            all: self.all,
            at: self.index + 1,
            end: self.line().next as usize,
        }
    }

    /// The tree that it is of.
    pub fn tree(&self) -> &'a Statements<'t> {
        self.all
    }
}

/// The statements directly below another.
#[derive(Clone, Debug)]
pub struct Children<'a, 't> {
    all: &'a Statements<'t>,
    at: usize,
    end: usize,
}

impl<'a, 't> Iterator for Children<'a, 't> {
    type Item = Statement<'a, 't>;

    fn next(&mut self) -> Option<Statement<'a, 't>> {
        if self.at >= self.end {
            return None;
        }
        let statement = Statement {
            all: self.all,
            index: self.at,
        };
        // A child that was never closed would not move on.
        self.at = (statement.line().next as usize).max(self.at + 1);
        Some(statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STYLE: Style = Style {
        comment: b'!',
        banner: banner_to_mark,
    };

    fn outline(text: &str) -> String {
        fn write(out: &mut String, children: Children<'_, '_>) {
            for (n, child) in children.enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                out.push_str(&child.words().join("_"));
                if child.children().next().is_some() {
                    out.push('(');
                    write(out, child.children());
                    out.push(')');
                }
            }
        }
        let mut out = String::new();
        write(&mut out, Statements::indented(text, &STYLE).top());
        out
    }

    #[test]
    fn indentation_makes_the_tree() {
        for (text, expected) in [
            ("", ""),
            ("a\n b\n  c\n d\ne\n", "a(b(c) d) e"),
            // Comments and blank lines end no block.
            ("a\n   b\n!! note\n\n   c\n   !\n   d\n!\ne", "a(b c d) e"),
            // Steps of any width, mixed, and a dedent to a new column.
            ("a\n    b\n  c\n   d\n", "a(b c(d))"),
            ("a\n\tb\n\t  c\n        d\n", "a(b(c) d)"),
            // CRLF, and blanks at the end.
            ("a \r\n  b  c  \r\n", "a(b_c)"),
            // The first line may be indented.
            ("  a\nb\n c", "a b(c)"),
        ] {
            assert_eq!(outline(text), expected, "{text:?}");
        }
    }

    #[test]
    fn banners_are_no_configuration() {
        let text = "banner motd ^C\ninterface Ethernet1\n  mtu 1\n ^C\nend\n";
        assert_eq!(outline(text), "banner_motd_^C end");
        let text = "banner motd #one line#\ninterface Ethernet1\n";
        assert_eq!(outline(text), "banner_motd_#one_line# interface_Ethernet1");
        let eof = Style {
            comment: b'!',
            banner: banner_to_eof,
        };
        let text = "banner login\nvlan 1\nEOF\nend\n";
        let read = Statements::indented(text, &eof);
        let all: Vec<_> = read.all().map(|s| s.text()).collect();
        assert_eq!(all, ["banner login", "end"]);
    }

    #[test]
    fn offsets_are_those_of_the_text() {
        let text = "a\n  mtu 9214\n";
        let read = Statements::indented(text, &STYLE);
        let child = read.top().next().unwrap().children().next().unwrap();
        assert_eq!(child.offset(), 4);
        assert_eq!(read.offset(child.words()[1]), 8);
        assert_eq!(child.after("mtu"), Some("9214"));
        assert_eq!(child.after("mt"), None);
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let mut text = String::new();
        for n in 0..2000 {
            text.push_str(&" ".repeat(n));
            text.push_str("x\n");
        }
        let read = Statements::indented(&text, &STYLE);
        assert_eq!((read.len(), read.top().count()), (2000, 1));
    }

    proptest! {
        #[test]
        fn every_line_is_reached_once(text in "([ \t]{0,4}[a-c!^]{0,3}\r?\n){0,40}") {
            let read = Statements::indented(&text, &STYLE);
            let mut seen = Vec::new();
            let mut stack: Vec<_> = read.top().collect();
            while let Some(statement) = stack.pop() {
                seen.push(statement.offset());
                stack.extend(statement.children());
            }
            seen.sort_unstable();
            let all: Vec<_> = read.all().map(|s| s.offset()).collect();
            prop_assert_eq!(seen, all);
        }
    }
}
