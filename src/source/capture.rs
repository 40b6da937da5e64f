//! A capture: text that a device gave, with the name that people know it by.

use crate::model::Origin;
use std::sync::Arc;

/// What one command printed, or one file holds.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// What people call it: the path below the source folder.
    pub source: Arc<str>,
    /// The command that printed it, where the source tells.
    pub command: Option<String>,
    /// Line of `source` that the text begins at, from 1 on.
    pub first_line: u32,
    /// The cleaned text.
    pub text: String,
}

/// A place in a source, as people look it up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// The capture's source.
    pub source: &'a str,
    /// From 1 on.
    pub line: u32,
    /// In bytes, from 1 on.
    pub column: u32,
    /// The line itself, without surrounding blanks and cut to
    /// [`Place::MAX_TEXT`] bytes around the column.
    pub text: &'a str,
}

impl Place<'_> {
    /// The longest text shown of a line: one-line JSON has no end.
    pub const MAX_TEXT: usize = 160;
}

impl Capture {
    /// A capture of a whole file.
    pub fn new(source: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Capture {
            source: source.into(),
            command: None,
            first_line: 1,
            text: text.into(),
        }
    }

    /// The command, or nothing.
    pub fn command(&self) -> &str {
        self.command.as_deref().unwrap_or_default()
    }
}

/// Finds line numbers of byte offsets; built once per capture, only for
/// devices that have something to report.
pub struct LineIndex<'a> {
    capture: &'a Capture,
    /// Offsets of the first byte of each line.
    starts: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    /// Reads the line starts of a capture.
    pub fn new(capture: &'a Capture) -> Self {
        let newlines = memchr::memchr_iter(b'\n', capture.text.as_bytes());
        let mut starts = vec![0];
        starts.extend(newlines.map(|n| (n + 1) as u32));
        LineIndex { capture, starts }
    }

    /// The place of a byte offset; past the end it is the last line.
    pub fn place(&self, offset: usize) -> Place<'a> {
        let text = self.capture.text.as_str();
        let offset = offset.min(text.len());
        let line = self
            .starts
            .partition_point(|start| *start as usize <= offset);
        let line = line.saturating_sub(1);
        let start = self.starts.get(line).map_or(0, |start| *start as usize);
        let next = self.starts.get(line + 1);
        let end = next.map_or(text.len(), |next| *next as usize - 1);
        let column = offset - start;
        Place {
            source: &self.capture.source,
            line: self.capture.first_line.saturating_add(line as u32),
            column: column as u32 + 1,
            text: excerpt(&text[start..end], column),
        }
    }
}

/// The part of a line that is worth showing.
fn excerpt(line: &str, column: usize) -> &str {
    if line.len() <= Place::MAX_TEXT {
        return line.trim();
    }
    let mut from = column.saturating_sub(Place::MAX_TEXT / 4).min(line.len());
    while !line.is_char_boundary(from) {
        from -= 1;
    }
    let mut to = (from + Place::MAX_TEXT).min(line.len());
    while !line.is_char_boundary(to) {
        to -= 1;
    }
    line[from..to].trim()
}

/// The captures of one device, with their line indexes built on demand.
pub struct Places<'a> {
    captures: &'a [Capture],
    indexes: Vec<Option<LineIndex<'a>>>,
}

impl<'a> Places<'a> {
    /// Over the captures that the origins of a device count in.
    pub fn new(captures: &'a [Capture]) -> Self {
        Places {
            captures,
            indexes: captures.iter().map(|_| None).collect(),
        }
    }

    /// The place of an origin, where it has one.
    pub fn find(&mut self, origin: Origin) -> Option<Place<'a>> {
        let n = origin.capture()?;
        let capture = self.captures.get(n)?;
        let index = self.indexes.get_mut(n)?;
        let index = index.get_or_insert_with(|| LineIndex::new(capture));
        Some(index.place(origin.offset()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_the_capture_first_line() {
        let mut capture = Capture::new("log.txt", "a\n  mtu 9100\n\nend");
        capture.first_line = 11;
        let index = LineIndex::new(&capture);
        let place = index.place(4);
        assert_eq!((place.line, place.column), (12, 3));
        assert_eq!(place.text, "mtu 9100");
        assert_eq!(index.place(0).line, 11);
        assert_eq!(index.place(999).line, 14);
        assert_eq!(index.place(1).text, "a");
    }

    #[test]
    fn a_long_line_is_shown_around_its_column() {
        let line = format!("{}HERE{}", "x".repeat(5000), "é".repeat(400));
        let capture = Capture::new("one-line.json", line);
        let place = LineIndex::new(&capture).place(5000);
        assert!(place.text.contains("HERE") && place.text.len() <= Place::MAX_TEXT);
    }
}
