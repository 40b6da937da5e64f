//! Turns the bytes of a capture into text, as a person at the terminal saw it.
//!
//! Terminals leave traces in what is pasted or logged: pager prompts, escape
//! sequences, backspaces, carriage returns, byte order marks. They go, and what
//! went is noted. Line N of the cleaned text is always line N of the capture,
//! so that evidence can name the line in the file.

use std::borrow::Cow;

/// A capture as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cleaned<'r> {
    /// The text; borrowed where nothing had to go.
    Text {
        /// Cleaned text with as many lines as the capture. No carriage return
        /// is left, nor any control character but tab and line feed.
        text: Cow<'r, str>,
        /// What is missing from it, in the order of the lines; each kind at
        /// most once a line.
        dropped: Vec<Dropped>,
    },
    /// No text: an archive, a core dump, an image.
    Binary,
}

/// Something that a capture held and its cleaned text does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// The line in the capture, from 1 on.
    pub line: u32,
    /// What was there.
    pub what: DroppedKind,
}

/// What [`clean`] takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DroppedKind {
    /// A UTF-8 byte order mark.
    ByteOrderMark,
    /// The capture was UTF-16 and was converted.
    Utf16,
    /// Bytes that are no UTF-8 (or unpaired UTF-16 surrogates), each run now
    /// shown as U+FFFD.
    InvalidEncoding,
    /// A terminal escape sequence: colour, cursor movement, window title.
    EscapeSequence,
    /// Another control character, NUL included.
    ControlCharacter,
    /// A pager prompt, such as `--More--`.
    Pager,
    /// Text that later text on the same line wrote over, by a carriage return
    /// or by backspaces.
    Overwritten,
}

/// How much of a capture is looked at to tell text from binary.
const SAMPLE: usize = 8 * 1024;

/// Cursor movement beyond this column is not followed; no terminal is wider.
const MAX_COLUMN: usize = 512;

/// Cleans one capture.
pub fn clean(raw: &[u8]) -> Cleaned<'_> {
    let mut dropped = Vec::new();
    let first_line = |what| Dropped { line: 1, what };
    let text = match raw {
        [0xFF, 0xFE, rest @ ..] => {
            dropped.push(first_line(DroppedKind::Utf16));
            decode_utf16(rest, u16::from_le_bytes)
        }
        [0xFE, 0xFF, rest @ ..] => {
            dropped.push(first_line(DroppedKind::Utf16));
            decode_utf16(rest, u16::from_be_bytes)
        }
        _ if is_binary(raw) => return Cleaned::Binary,
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            dropped.push(first_line(DroppedKind::ByteOrderMark));
            String::from_utf8_lossy(rest)
        }
        // Plain text is validated at memory speed; the lossy reader is not as fast.
        _ => match std::str::from_utf8(raw) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(raw),
        },
    };
    // The borrowed form is valid as it came; only a converted text can hold
    // the replacement character without the device having sent it.
    let converted = matches!(text, Cow::Owned(_)) && text.contains('\u{FFFD}');
    if !converted && !needs_cleaning(&text) {
        return Cleaned::Text { text, dropped };
    }

    let mut out = String::with_capacity(text.len());
    let mut screen = Screen::default();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let mut note = |what| {
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            dropped.push(Dropped { line, what });
        };
        if converted && line.contains('\u{FFFD}') {
            note(DroppedKind::InvalidEncoding);
        }
        clean_line(line, &mut screen, &mut out, note);
    }
    Cleaned::Text {
        text: Cow::Owned(out),
        dropped,
    }
}

fn decode_utf16<'r>(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'r, str> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|&pair| unit(pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Cow::Owned(text)
}

/// What stands alone on a line that held nothing but a pager's prompt: the
/// line is no blank line of the output, so a table goes on after it. The
/// character (SUB) can't come from the raw text, whose control bytes go.
pub const PAGER_GAP: char = '\u{1a}';

/// More than 1 % control characters that no terminal session holds. A few are
/// let pass, for a short text with a stray NUL in it.
fn is_binary(raw: &[u8]) -> bool {
    let sample = raw.get(..SAMPLE).unwrap_or(raw);
    let controls = sample
        .iter()
        .filter(|&&b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x07 | 0x08 | 0x0C | 0x1B))
        .count();
    controls > 3 && controls * 100 > sample.len()
}

fn is_unwanted(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7F
}

/// Whether any line of `text` may need work. Whole blocks are tested without
/// a branch, which the compiler turns into vector code.
fn needs_cleaning(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .chunks(256)
        .any(|block| block.iter().fold(false, |any, &b| any | is_unwanted(b)))
        || PAGER_WORDS
            .iter()
            .any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
}

/// One of these stands in every prompt that [`pager_prompt`] knows.
const PAGER_WORDS: [&str; 4] = ["--More--", "- More -", "-(more", "Press any key"];

/// Writes one line as a terminal would leave it on the screen.
fn clean_line(
    line: &str,
    screen: &mut Screen,
    out: &mut String,
    mut note: impl FnMut(DroppedKind),
) {
    let line = line.trim_end_matches('\r');
    let rewritten = line.bytes().any(is_unwanted);
    let visible = if rewritten {
        screen.show(line);
        screen.text.as_str()
    } else {
        line
    };
    // A prompt that was not wiped out still stands at the line's start.
    let rest = pager_prompt(visible).unwrap_or(visible);
    let paged = rest.len() < visible.len()
        || (rewritten
            && PAGER_WORDS
                .iter()
                .any(|word| line.contains(word) && !visible.contains(word)));
    if rewritten && screen.escapes {
        note(DroppedKind::EscapeSequence);
    }
    if rewritten && screen.controls {
        note(DroppedKind::ControlCharacter);
    }
    if paged {
        note(DroppedKind::Pager);
    } else if rewritten && screen.overwritten {
        note(DroppedKind::Overwritten);
    }
    if paged && rest.trim().is_empty() {
        out.push(PAGER_GAP);
    } else {
        out.push_str(rest);
    }
}

/// If a pager's prompt opens `line`, what follows it.
fn pager_prompt(line: &str) -> Option<&str> {
    let start = line.trim_start_matches([' ', '\t']);
    let rest = if let Some(rest) = start.strip_prefix("---(more") {
        // Junos: `---(more)---`, `---(more 45%)---`
        rest.split_once(")---")
            .filter(|(percent, _)| percent.len() <= 5)?
            .1
    } else if let Some(rest) = start.strip_prefix("Press any key to continue") {
        strip_parenthesis(rest.trim_start_matches('.'))
    } else {
        let rest = [
            "--More--",
            "<--- More --->",
            "---- More ----",
            "-- More --",
            "--- More ---",
        ]
        .iter()
        .find_map(|prompt| start.strip_prefix(prompt))?;
        strip_parenthesis(rest)
    };
    if rest.trim().is_empty() {
        return Some("");
    }
    // The blank belongs to the prompt ` --More-- `, further ones to the line.
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// `--More--(45%)`, `Press any key to continue (Q to quit)`.
fn strip_parenthesis(rest: &str) -> &str {
    rest.trim_start_matches(' ')
        .strip_prefix('(')
        .and_then(|inner| inner.split_once(')'))
        .filter(|(inner, _)| inner.len() <= 20)
        .map_or(rest, |(_, rest)| rest)
}

/// One line of a terminal's screen.
#[derive(Debug, Default)]
struct Screen {
    cells: Vec<char>,
    cursor: usize,
    text: String,
    escapes: bool,
    controls: bool,
    overwritten: bool,
}

impl Screen {
    /// Plays `line` and leaves the result in `text`.
    fn show(&mut self, line: &str) {
        self.cells.clear();
        self.cursor = 0;
        self.escapes = false;
        self.controls = false;
        self.overwritten = false;
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\r' => self.cursor = 0,
                '\u{8}' => self.cursor = self.cursor.saturating_sub(1),
                '\u{1b}' => {
                    self.escapes = true;
                    self.escape(&mut chars);
                }
                c if c.is_ascii() && is_unwanted(c as u8) => self.controls = true,
                c => self.print(c),
            }
        }
        self.text.clear();
        self.text.extend(&self.cells);
        if self.overwritten {
            // Blanks that only wiped out what stood there before.
            self.text.truncate(self.text.trim_end_matches(' ').len());
        }
    }

    fn print(&mut self, c: char) {
        if let Some(cell) = self.cells.get_mut(self.cursor) {
            self.overwritten |= *cell != c && *cell != ' ';
            *cell = c;
        } else {
            self.cells.resize(self.cursor, ' ');
            self.cells.push(c);
        }
        self.cursor += 1;
    }

    /// Handles what follows an escape character (ECMA-48).
    fn escape(&mut self, chars: &mut std::str::Chars<'_>) {
        let mut ahead = chars.clone();
        match ahead.next() {
            Some('[') => {
                *chars = ahead;
                self.control_sequence(chars);
            }
            // Strings of the operating system, device or application: up to
            // BEL or the string terminator. Without either only the opening
            // goes, lest a stray byte swallow the line.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                *chars = ahead.clone();
                let mut previous = ' ';
                while let Some(c) = ahead.next() {
                    if c == '\u{7}' || (previous == '\u{1b}' && c == '\\') {
                        *chars = ahead;
                        break;
                    }
                    if previous == '\u{1b}' {
                        break;
                    }
                    previous = c;
                }
            }
            // Two characters, or more with intermediates: `ESC ( B`.
            Some(c) if matches!(c, ' '..='~') => {
                let mut c = Some(c);
                while let Some(' '..='/') = c {
                    c = ahead.next();
                }
                *chars = ahead;
            }
            _ => {}
        }
    }

    fn control_sequence(&mut self, chars: &mut std::str::Chars<'_>) {
        let mut parameter: Option<usize> = None;
        let mut first = true;
        let mut ahead = chars.clone();
        while let Some(c) = ahead.next() {
            match c {
                '0'..='9' if first => {
                    let digit = c as usize - '0' as usize;
                    let value = parameter.unwrap_or(0).saturating_mul(10) + digit;
                    parameter = Some(value.min(MAX_COLUMN));
                }
                // Further parameters and intermediates: of no effect here.
                ' '..='?' => first = false,
                '@'..='~' => {
                    *chars = ahead;
                    self.act(c, parameter);
                    return;
                }
                // Not a sequence after all.
                _ => break,
            }
            *chars = ahead.clone();
        }
    }

    /// Cursor movement and erasure within the line; anything else is without
    /// effect on it.
    fn act(&mut self, function: char, parameter: Option<usize>) {
        let count = parameter.unwrap_or(1).max(1);
        match function {
            'C' => self.cursor = (self.cursor + count).min(MAX_COLUMN.max(self.cursor)),
            'D' => self.cursor = self.cursor.saturating_sub(count),
            'G' => self.cursor = count - 1,
            'K' => {
                let erased = match parameter.unwrap_or(0) {
                    0 => self.cursor..self.cells.len(),
                    1 => 0..self.cursor + 1,
                    _ => 0..self.cells.len(),
                };
                let from_cursor = erased.end == self.cells.len();
                let end = erased.end.min(self.cells.len());
                if let Some(cells) = self.cells.get_mut(erased.start.min(end)..end) {
                    self.overwritten |= cells.iter().any(|&c| c != ' ');
                    cells.fill(' ');
                }
                if from_cursor {
                    self.cells.truncate(erased.start);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DroppedKind::*;
    use proptest::prelude::*;

    fn cleaned(raw: &[u8]) -> (String, Vec<(u32, DroppedKind)>) {
        match clean(raw) {
            Cleaned::Text { text, dropped } => (
                text.into_owned(),
                dropped.iter().map(|d| (d.line, d.what)).collect(),
            ),
            Cleaned::Binary => panic!("taken for binary: {raw:?}"),
        }
    }

    fn text(raw: &str) -> String {
        cleaned(raw.as_bytes()).0
    }

    #[test]
    fn clean_text_is_borrowed() {
        let raw = "interface Ethernet1\n\tmtu 9214\n  description é --- more\n";
        let Cleaned::Text { text, dropped } = clean(raw.as_bytes()) else {
            panic!("binary");
        };
        assert!(matches!(text, Cow::Borrowed(t) if t == raw));
        assert!(dropped.is_empty());
        assert_eq!(cleaned(b""), (String::new(), vec![]));
    }

    #[test]
    fn carriage_returns_before_line_feeds_go_unnoted() {
        assert_eq!(cleaned(b"a\r\nb\r\r\nc\r"), ("a\nb\nc".into(), vec![]));
    }

    #[test]
    fn byte_order_marks_and_utf16() {
        assert_eq!(
            cleaned(b"\xEF\xBB\xBF{}\n"),
            ("{}\n".into(), vec![(1, ByteOrderMark)])
        );
        let mut little = vec![0xFF, 0xFE];
        let mut big = vec![0xFE, 0xFF];
        for unit in "mtu 9214\r\né😀".encode_utf16() {
            little.extend(unit.to_le_bytes());
            big.extend(unit.to_be_bytes());
        }
        let expected = ("mtu 9214\né😀".to_owned(), vec![(1, Utf16)]);
        assert_eq!(cleaned(&little), expected);
        assert_eq!(cleaned(&big), expected);
        little.push(b'x');
        assert_eq!(cleaned(&little).1, [(1, Utf16), (2, InvalidEncoding)]);
    }

    #[test]
    fn invalid_utf8_is_shown_and_noted() {
        assert_eq!(
            cleaned(b"good\nb\xFFad\ngood\n"),
            (
                "good\nb\u{FFFD}ad\ngood\n".into(),
                vec![(2, InvalidEncoding)]
            )
        );
        // The device's own replacement character is no error.
        assert_eq!(cleaned("a\u{FFFD}".as_bytes()).1, []);
    }

    #[test]
    fn binary_is_told_apart() {
        assert_eq!(clean(&[0; 64]), Cleaned::Binary);
        let archive: Vec<u8> = (0..4096u32).map(|i| (i * 37 % 256) as u8).collect();
        assert_eq!(clean(&archive), Cleaned::Binary);
        assert_eq!(
            cleaned(b"106\0\n"),
            ("106\n".into(), vec![(1, ControlCharacter)])
        );
    }

    #[test]
    fn pagers_are_wiped_as_the_terminal_wipes_them() {
        for raw in [
            "a\n--More--\r        \r  mtu 9214\nb\n",
            "a\n --More-- \r          \r  mtu 9214\nb\n",
            "a\n--More--\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}        \u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}  mtu 9214\nb\n",
            "a\n\u{1b}[7m--More--\u{1b}[27m\r\u{1b}[K  mtu 9214\nb\n",
            "a\n  ---- More ----\u{1b}[42D                                          \u{1b}[42D  mtu 9214\nb\n",
            "a\n---(more 45%)---\r                                        \r  mtu 9214\nb\n",
            "a\n<--- More --->\r              \r  mtu 9214\nb\n",
            "a\n--More--   mtu 9214\nb\n",
        ] {
            let (text, dropped) = cleaned(raw.as_bytes());
            assert_eq!(text, "a\n  mtu 9214\nb\n", "{raw:?}");
            assert!(dropped.contains(&(2, Pager)), "{raw:?}: {dropped:?}");
            assert!(!dropped.contains(&(2, Overwritten)), "{raw:?}");
        }
    }

    #[test]
    fn pagers_on_lines_of_their_own_leave_a_gap_that_is_no_blank_line() {
        for prompt in [
            "--More--",
            " --More-- ",
            "--More--(45%)",
            "<--- More --->",
            "---(more)---",
            "-- More --",
            "Press any key to continue (Q to quit)",
            "Press any key to continue...",
        ] {
            assert_eq!(
                cleaned(format!("a\n{prompt}\nb").as_bytes()),
                ("a\n\u{1a}\nb".into(), vec![(2, Pager)]),
                "{prompt}"
            );
        }
        // Only at the start of a line is it a prompt.
        let inside = "description see --More-- below";
        assert_eq!(text(inside), inside);
    }

    #[test]
    fn escape_sequences_and_backspaces() {
        assert_eq!(
            cleaned(b"\x1b[01;32mUP\x1b[0m and \x1b]0;root@gpu01: ~\x07running\x1b(B\n"),
            ("UP and running\n".into(), vec![(1, EscapeSequence)])
        );
        assert_eq!(text("\u{1b}]0;title\u{1b}\\mtu"), "mtu");
        assert_eq!(text("shwo\u{8}\u{8}ow pfc"), "show pfc");
        assert_eq!(cleaned("ab\u{8}c\n".as_bytes()).1, [(1, Overwritten)]);
        assert_eq!(text("abc\u{8} \u{8}"), "ab");
        assert_eq!(text("10%\r100%"), "100%");
        assert_eq!(text("1234\r56"), "5634");
        assert_eq!(text("beep\u{7}\u{7f}"), "beep");
        // Broken sequences swallow no more than themselves.
        assert_eq!(text("\u{1b}]0;never ended"), "0;never ended");
        assert_eq!(text("\u{1b}["), "");
        assert_eq!(text("a\u{1b}[3\nb"), "a\nb");
    }

    #[test]
    fn the_position_mark_of_tmux_stays() {
        let raw = "$ ./setup.sh eth4      [9/1840]\n";
        assert_eq!(text(raw), raw);
    }

    #[test]
    fn hostile_cursor_movement_is_bounded() {
        let raw = "\u{1b}[99999999Cx\r\u{1b}[K".repeat(10_000);
        assert!(text(&raw).len() <= MAX_COLUMN + 1);
        assert!(text(&"\u{1b}[999C".repeat(10_000)).is_empty());
        assert!(text(&"\u{1b}]0;".repeat(10_000)).len() <= 30_000);
    }

    proptest! {
        #[test]
        fn lines_are_kept_and_controls_go(raw in prop::collection::vec(
            prop_oneof![
                any::<u8>(),
                Just(b'\n'),
                Just(0x1B),
                Just(b'\r'),
                Just(8),
                32u8..127,
                32u8..127,
                32u8..127,
            ],
            0..400,
        )) {
            let lines = raw.iter().filter(|&&b| b == b'\n').count();
            if let Cleaned::Text { text, dropped } = clean(&raw) {
                if !raw.starts_with(&[0xFF, 0xFE]) && !raw.starts_with(&[0xFE, 0xFF]) {
                    prop_assert_eq!(text.matches('\n').count(), lines);
                }
                prop_assert!(!text.bytes().any(is_unwanted));
                prop_assert!(dropped.iter().all(|d| d.line as usize <= lines + 1));
            }
        }
    }
}
