//! JSON with locations.
//!
//! A [`Document`] is one flat tape of cells that borrows from the text: no
//! allocation per node, and every key and value knows the byte offset at which
//! it stands. Reading never fails as a whole: whatever stands before an error
//! or before the end of a truncated text is kept, and the error is kept beside
//! it, so that a capture cut in the middle still tells what it holds.
//!
//! The grammar is RFC 8259, read strictly: no comments, no trailing commas, no
//! byte order mark, no NaN. One thing more is white space: the mark that
//! cleaning leaves on the line of a pager's prompt.

use crate::source::clean::PAGER_GAP;
use std::borrow::Cow;
use std::iter::FusedIterator;

/// How deep objects and arrays may nest. No device nests deeper than ten or
/// so; the limit keeps hostile input from costing more than its own length.
pub const MAX_DEPTH: usize = 128;

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    /// The text holds nothing but white space.
    #[error("no JSON value")]
    Empty,
    /// The text ends inside a value.
    #[error("the text ends in the middle of a value")]
    Truncated,
    /// A character that cannot stand here.
    #[error("unexpected character")]
    UnexpectedCharacter,
    /// A literal that is none of `true`, `false` and `null`, or a number that
    /// breaks the grammar (`01`, `1.`, `-`).
    #[error("malformed number or literal")]
    BadScalar,
    /// An unknown escape, or half a surrogate pair.
    #[error("malformed escape in a string")]
    BadEscape,
    /// A raw control character inside a string.
    #[error("control character in a string")]
    ControlCharacter,
    /// More than [`MAX_DEPTH`] nested objects and arrays.
    #[error("nested too deeply")]
    TooDeep,
    /// Something follows the value.
    #[error("text after the value")]
    TrailingText,
    /// The text is larger than 4 GiB.
    #[error("larger than 4 GiB")]
    TooLarge,
}

/// An error and the place where it was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct JsonError {
    /// Byte offset in the text that was given to [`Document::parse`].
    pub offset: u32,
    /// What was wrong.
    pub kind: JsonErrorKind,
}

/// What a [`Node`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    Null,
    True,
    False,
    Number,
    /// A string without escapes.
    Plain,
    /// A string with at least one escape.
    Escaped,
    Array,
    Object,
    /// An array or object whose closing bracket was never read.
    OpenArray,
    OpenObject,
}

/// One value or key. `start..end` is its text, quotes and brackets included;
/// `next` is the index of the cell after it and all that it holds.
#[derive(Debug, Clone, Copy)]
struct Cell {
    start: u32,
    end: u32,
    next: u32,
    kind: CellKind,
}

/// A JSON text that has been read as far as it can be.
#[derive(Debug, Clone)]
pub struct Document<'t> {
    text: &'t str,
    tape: Vec<Cell>,
    error: Option<JsonError>,
}

impl<'t> Document<'t> {
    /// Reads `text`. Offsets are relative to it.
    pub fn parse(text: &'t str) -> Self {
        let mut parser = Parser::new(text);
        let error = parser.document().err();
        parser.close_open_containers();
        Self {
            text,
            tape: parser.tape,
            error,
        }
    }

    /// The outermost value, if at least its beginning was read.
    pub fn root(&self) -> Option<Node<'_>> {
        (!self.tape.is_empty()).then_some(Node { doc: self, at: 0 })
    }

    /// Why reading stopped before the end, if it did.
    pub fn error(&self) -> Option<JsonError> {
        self.error
    }

    fn cell(&self, at: u32) -> Cell {
        // Indices come from the tape itself; an empty cell is never seen.
        self.tape.get(at as usize).copied().unwrap_or(Cell {
            start: 0,
            end: 0,
            next: at.saturating_add(1),
            kind: CellKind::Null,
        })
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.text
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    /// The characters of a string cell.
    fn string(&self, cell: Cell) -> Option<Cow<'_, str>> {
        let inner = || self.slice(cell.start + 1, cell.end.saturating_sub(1));
        match cell.kind {
            CellKind::Plain => Some(Cow::Borrowed(inner())),
            CellKind::Escaped => Some(Cow::Owned(unescape(inner()))),
            _ => None,
        }
    }
}

/// The key of an object entry.
#[derive(Debug, Clone, Copy)]
pub struct Key<'d> {
    doc: &'d Document<'d>,
    at: u32,
}

impl<'d> Key<'d> {
    /// The key's characters; borrowed unless it holds an escape.
    pub fn text(&self) -> Cow<'d, str> {
        self.doc
            .string(self.doc.cell(self.at))
            .unwrap_or(Cow::Borrowed(""))
    }

    /// Byte offset of the opening quote.
    pub fn offset(&self) -> u32 {
        self.doc.cell(self.at).start
    }
}

/// One value of a [`Document`].
#[derive(Debug, Clone, Copy)]
pub struct Node<'d> {
    doc: &'d Document<'d>,
    at: u32,
}

impl<'d> Node<'d> {
    fn cell(&self) -> Cell {
        self.doc.cell(self.at)
    }

    /// What the value is.
    pub fn kind(&self) -> Kind {
        match self.cell().kind {
            CellKind::Null => Kind::Null,
            CellKind::True | CellKind::False => Kind::Bool,
            CellKind::Number => Kind::Number,
            CellKind::Plain | CellKind::Escaped => Kind::String,
            CellKind::Array | CellKind::OpenArray => Kind::Array,
            CellKind::Object | CellKind::OpenObject => Kind::Object,
        }
    }

    /// Byte offset of the value's first character.
    pub fn offset(&self) -> u32 {
        self.cell().start
    }

    /// Byte offset just after the value, or where reading stopped inside it.
    pub fn end(&self) -> u32 {
        self.cell().end
    }

    /// False for an object or array whose end was never read: entries may be
    /// missing from it, so the absence of a key means nothing.
    pub fn complete(&self) -> bool {
        !matches!(self.cell().kind, CellKind::OpenArray | CellKind::OpenObject)
    }

    /// The value as it stands in the text.
    pub fn raw(&self) -> &'d str {
        let cell = self.cell();
        self.doc.slice(cell.start, cell.end)
    }

    /// The entries of an object in the order of the text, duplicates
    /// included; nothing for any other value.
    pub fn entries(&self) -> Entries<'d> {
        Entries {
            inside: self.inside(Kind::Object),
        }
    }

    /// The items of an array; nothing for any other value.
    pub fn items(&self) -> Items<'d> {
        Items {
            inside: self.inside(Kind::Array),
        }
    }

    fn inside(&self, wanted: Kind) -> Inside<'d> {
        let end = if self.kind() == wanted {
            self.cell().next
        } else {
            self.at
        };
        Inside {
            doc: self.doc,
            at: self.at + 1,
            end,
        }
    }

    /// The value of `key`. Of duplicates the last counts, as it does for the
    /// device's own loader. Looks at every entry: to read a large table, walk
    /// [`entries`](Self::entries) instead.
    pub fn get(&self, key: &str) -> Option<Node<'d>> {
        self.entries()
            .filter(|(name, _)| name.text() == key)
            .last()
            .map(|(_, node)| node)
    }

    /// The characters of a string.
    pub fn str(&self) -> Option<Cow<'d, str>> {
        self.doc.string(self.cell())
    }

    /// The value of `true` or `false`.
    pub fn bool(&self) -> Option<bool> {
        match self.cell().kind {
            CellKind::True => Some(true),
            CellKind::False => Some(false),
            _ => None,
        }
    }

    /// A number that is a whole one from 0 to 2^64-1, written without
    /// fraction or exponent.
    pub fn u64(&self) -> Option<u64> {
        self.number()?.parse().ok()
    }

    /// A number; `None` where it does not fit a finite double.
    pub fn f64(&self) -> Option<f64> {
        self.number()?.parse().ok().filter(|n: &f64| n.is_finite())
    }

    fn number(&self) -> Option<&'d str> {
        (self.kind() == Kind::Number).then(|| self.raw())
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// A string's characters, or a number or boolean as it is written: the
    /// same field is a string on one release and a number on another.
    pub fn text(&self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Kind::String => self.str(),
            Kind::Number | Kind::Bool => Some(Cow::Borrowed(self.raw())),
            Kind::Null | Kind::Array | Kind::Object => None,
        }
    }
}

#[derive(Debug, Clone)]
struct Inside<'d> {
    doc: &'d Document<'d>,
    at: u32,
    end: u32,
}

impl<'d> Inside<'d> {
    fn step(&mut self) -> Option<Node<'d>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node {
            doc: self.doc,
            at: self.at,
        };
        self.at = node.cell().next;
        Some(node)
    }
}

/// Iterator over the entries of an object.
#[derive(Debug, Clone)]
pub struct Entries<'d> {
    inside: Inside<'d>,
}

impl<'d> Iterator for Entries<'d> {
    type Item = (Key<'d>, Node<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let Node { doc, at } = self.inside.step()?;
        Some((Key { doc, at }, self.inside.step()?))
    }
}

impl FusedIterator for Entries<'_> {}

/// Iterator over the items of an array.
#[derive(Debug, Clone)]
pub struct Items<'d> {
    inside: Inside<'d>,
}

impl<'d> Iterator for Items<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Self::Item> {
        self.inside.step()
    }
}

impl FusedIterator for Items<'_> {}

/// What may come after a container was opened or a value was read.
enum Next {
    Value,
    End,
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    tape: Vec<Cell>,
    /// Indices of the containers that are open, outermost first.
    open: Vec<u32>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            // Pretty-printed tables take some 20 bytes a cell.
            tape: Vec::with_capacity(text.len() / 20 + 1),
            open: Vec::new(),
        }
    }

    fn document(&mut self) -> Result<(), JsonError> {
        if u32::try_from(self.bytes.len()).is_err() {
            return Err(JsonError {
                offset: 0,
                kind: JsonErrorKind::TooLarge,
            });
        }
        self.skip_blanks();
        if self.at == self.bytes.len() {
            return Err(self.error(JsonErrorKind::Empty));
        }
        loop {
            if let Next::End = self.value()? {
                break;
            }
        }
        self.skip_blanks();
        if self.at < self.bytes.len() {
            return Err(self.error(JsonErrorKind::TrailingText));
        }
        Ok(())
    }

    /// Reads a scalar, or the opening of a container up to its first value,
    /// and goes on to where the next value begins.
    fn value(&mut self) -> Result<Next, JsonError> {
        let start = self.at;
        match self.peek()? {
            b'"' => {
                let kind = self.skip_string()?;
                self.push(start, kind);
            }
            b'{' => {
                self.open_container(CellKind::OpenObject)?;
                if self.peek()? != b'}' {
                    self.key()?;
                    return Ok(Next::Value);
                }
            }
            b'[' => {
                self.open_container(CellKind::OpenArray)?;
                if self.peek()? != b']' {
                    return Ok(Next::Value);
                }
            }
            b'-' | b'0'..=b'9' => {
                self.skip_number()?;
                self.push(start, CellKind::Number);
            }
            b't' => self.literal("true", CellKind::True)?,
            b'f' => self.literal("false", CellKind::False)?,
            b'n' => self.literal("null", CellKind::Null)?,
            _ => return Err(self.error(JsonErrorKind::UnexpectedCharacter)),
        }
        self.after_value()
    }

    /// After a complete value, or at the end of an empty container: closes
    /// what closes here and stops before the next value.
    fn after_value(&mut self) -> Result<Next, JsonError> {
        while let Some(&index) = self.open.last() {
            let next = self.tape.len() as u32;
            let empty = next == index + 1;
            let Some(container) = self.tape.get_mut(index as usize) else {
                break;
            };
            let (close, closed) = match container.kind {
                CellKind::OpenObject => (b'}', CellKind::Object),
                _ => (b']', CellKind::Array),
            };
            while let Some(b' ' | b'\n' | b'\r' | b'\t' | GAP) = self.bytes.get(self.at).copied() {
                self.at += 1;
            }
            match self.bytes.get(self.at) {
                Some(&byte) if byte == close => {
                    self.at += 1;
                    container.kind = closed;
                    container.end = self.at as u32;
                    container.next = next;
                    self.open.pop();
                }
                Some(b',') if !empty => {
                    self.at += 1;
                    self.skip_blanks();
                    if closed == CellKind::Object {
                        self.key()?;
                    }
                    return Ok(Next::Value);
                }
                Some(_) => return Err(self.error(JsonErrorKind::UnexpectedCharacter)),
                None => return Err(self.error(JsonErrorKind::Truncated)),
            }
        }
        Ok(Next::End)
    }

    fn open_container(&mut self, kind: CellKind) -> Result<(), JsonError> {
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(JsonErrorKind::TooDeep));
        }
        self.open.push(self.tape.len() as u32);
        let start = self.at;
        self.at += 1;
        self.push(start, kind);
        self.skip_blanks();
        Ok(())
    }

    /// Reads a key, its colon and the blanks up to the value.
    fn key(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        if self.peek()? != b'"' {
            return Err(self.error(JsonErrorKind::UnexpectedCharacter));
        }
        let kind = self.skip_string()?;
        self.push(start, kind);
        if self.bytes.get(self.at) != Some(&b':') {
            self.skip_blanks();
            if self.peek()? != b':' {
                return Err(self.error(JsonErrorKind::UnexpectedCharacter));
            }
        }
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    /// Moves past a string. One pass looks for its end, for escapes and for
    /// control characters, eight bytes at a time.
    fn skip_string(&mut self) -> Result<CellKind, JsonError> {
        let mut kind = CellKind::Plain;
        let mut at = self.at + 1;
        loop {
            at = find_string_stop(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(kind);
                }
                Some(b'\\') => {
                    kind = CellKind::Escaped;
                    self.at = at;
                    at += self.escape_length(at)?;
                }
                Some(_) => {
                    self.at = at;
                    return Err(self.error(JsonErrorKind::ControlCharacter));
                }
                None => {
                    self.at = self.bytes.len();
                    return Err(self.error(JsonErrorKind::Truncated));
                }
            }
        }
    }

    /// Length of the escape at `at`: 2, 6, or 12 for a surrogate pair.
    fn escape_length(&self, at: usize) -> Result<usize, JsonError> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
            Some(b'u') => match self.code_unit(at)? {
                0xDC00..=0xDFFF => Err(self.error(JsonErrorKind::BadEscape)),
                0xD800..=0xDBFF => match self.code_unit(at + 6)? {
                    0xDC00..=0xDFFF => Ok(12),
                    _ => Err(self.error(JsonErrorKind::BadEscape)),
                },
                _ => Ok(6),
            },
            Some(_) => Err(self.error(JsonErrorKind::BadEscape)),
            None => Err(self.error(JsonErrorKind::Truncated)),
        }
    }

    /// The code unit of the `\uXXXX` at `at`.
    fn code_unit(&self, at: usize) -> Result<u32, JsonError> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let mut unit = 0;
        for (i, expected) in [Some(b'\\'), Some(b'u'), None, None, None, None]
            .into_iter()
            .enumerate()
        {
            let Some(&byte) = rest.get(i) else {
                return Err(self.error(JsonErrorKind::Truncated));
            };
            match (expected, (byte as char).to_digit(16)) {
                (Some(expected), _) if expected == byte => {}
                (None, Some(digit)) => unit = unit * 16 + digit,
                _ => return Err(self.error(JsonErrorKind::BadEscape)),
            }
        }
        Ok(unit)
    }

    fn skip_number(&mut self) -> Result<(), JsonError> {
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
            if self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                return Err(self.error(JsonErrorKind::BadScalar));
            }
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        // At the cut of a truncated container more digits may have followed.
        if self.at == self.bytes.len() && !self.open.is_empty() {
            return Err(self.error(JsonErrorKind::Truncated));
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            _ if self.at > start => Ok(()),
            Some(_) => Err(self.error(JsonErrorKind::BadScalar)),
            None => Err(self.error(JsonErrorKind::Truncated)),
        }
    }

    fn literal(&mut self, word: &str, kind: CellKind) -> Result<(), JsonError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            let start = self.at;
            self.at += word.len();
            self.push(start, kind);
            Ok(())
        } else if word.as_bytes().starts_with(rest) {
            Err(self.error(JsonErrorKind::Truncated))
        } else {
            Err(self.error(JsonErrorKind::BadScalar))
        }
    }

    fn push(&mut self, start: usize, kind: CellKind) {
        self.tape.push(Cell {
            start: start as u32,
            end: self.at as u32,
            next: self.tape.len() as u32 + 1,
            kind,
        });
    }

    fn skip_blanks(&mut self) {
        self.at = find_non_blank(self.bytes, self.at);
    }

    fn peek(&self) -> Result<u8, JsonError> {
        match self.bytes.get(self.at) {
            Some(&byte) => Ok(byte),
            None => Err(self.error(JsonErrorKind::Truncated)),
        }
    }

    fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError {
            offset: self.at as u32,
            kind,
        }
    }

    /// Gives the containers that were never closed their extent, and drops a
    /// key whose value was not read.
    fn close_open_containers(&mut self) {
        if let Some(&innermost) = self.open.last() {
            let innermost = innermost as usize;
            if self.tape.get(innermost).map(|c| c.kind) == Some(CellKind::OpenObject) {
                let mut at = innermost + 1;
                let mut children = 0;
                let mut last = at;
                while let Some(cell) = self.tape.get(at) {
                    children += 1;
                    last = at;
                    at = cell.next as usize;
                }
                if children % 2 == 1 {
                    self.tape.truncate(last);
                }
            }
        }
        let next = self.tape.len() as u32;
        let end = self.at.min(self.text.len()) as u32;
        for &index in &self.open {
            if let Some(cell) = self.tape.get_mut(index as usize) {
                cell.next = next;
                cell.end = end;
            }
        }
    }
}

/// [`PAGER_GAP`] is one byte of UTF-8.
const GAP: u8 = PAGER_GAP as u8;

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*word))
}

/// Index of the first quote, backslash or control character from `at` on.
fn find_string_stop(bytes: &[u8], mut at: usize) -> usize {
    // The lowest byte that is marked is a true hit; marks above it may be
    // false, by the borrow of the subtraction, and are not looked at.
    let below = |word: u64, limit: u8| word.wrapping_sub(LOW_BITS * u64::from(limit)) & !word;
    let equal = |word: u64, byte: u8| below(word ^ (LOW_BITS * u64::from(byte)), 1);
    while let Some(word) = word_at(bytes, at) {
        let hits = (below(word, 0x20) | equal(word, b'"') | equal(word, b'\\')) & HIGH_BITS;
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes
        .get(at)
        .is_some_and(|&b| b >= 0x20 && b != b'"' && b != b'\\')
    {
        at += 1;
    }
    at
}

/// Index of the first byte from `at` on that is no JSON white space.
fn find_non_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at).copied() {
            Some(b' ') => {
                // Indentation: runs of spaces, a word at a time.
                while let Some(word) = word_at(bytes, at) {
                    let other = word ^ (LOW_BITS * u64::from(b' '));
                    if other != 0 {
                        at += other.trailing_zeros() as usize / 8;
                        break;
                    }
                    at += 8;
                }
                while bytes.get(at) == Some(&b' ') {
                    at += 1;
                }
            }
            Some(b'\n' | b'\r' | b'\t' | GAP) => at += 1,
            _ => return at,
        }
    }
}

/// Resolves the escapes of a string that the parser has accepted.
fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        let unit = |at: usize| {
            let digits = escape.get(at..at + 4)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let (character, length) = match escape.as_bytes().get(1) {
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'u') => {
                let units = [unit(2).unwrap_or_default(), unit(8).unwrap_or_default()];
                let character = char::decode_utf16(units)
                    .next()
                    .and_then(Result::ok)
                    .unwrap_or(char::REPLACEMENT_CHARACTER);
                (character, 6 * character.len_utf16())
            }
            Some(&other) => (char::from(other), 2),
            None => break,
        };
        out.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
