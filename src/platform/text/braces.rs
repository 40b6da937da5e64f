//! Configurations in braces, as Junos writes them: each leaf with the words
//! of all that it stands in.
//!
//! ```text
//! interfaces {
//!     et-0/0/1 {
//!         mtu 9216;                interfaces et-0/0/1 mtu 9216
//!         unit 0 { family inet; }  interfaces et-0/0/1 unit 0 family inet
//!     }
//! }
//! ```
//!
//! Nothing is copied and nothing recurses. What stands below `inactive:` is
//! left out. Brackets of lists are words of their own.

/// How a text in braces ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All that was opened was closed.
    Whole,
    /// Something is still open: the text was cut.
    Cut,
    /// More was closed than opened, from this byte on.
    Unbalanced(usize),
}

/// Calls `leaf` with the words of each leaf and the byte offset of the leaf's
/// own first word. An empty block is a leaf. Deeper than 64 blocks nothing is
/// read.
pub fn leaves<'t>(text: &'t str, leaf: &mut dyn FnMut(&[&'t str], usize)) -> End {
    const DEEPEST: usize = 64;
    let mut walk = Walk::default();
    let mut tokens = Tokens { text, at: 0 };
    while let Some((offset, token)) = tokens.next() {
        match token {
            Token::Open => walk.open(DEEPEST),
            Token::End => walk.end(leaf),
            Token::Close => {
                if walk.blocks.is_empty() {
                    return End::Unbalanced(offset);
                }
                walk.close(leaf);
            }
            Token::Word(word) => walk.word(word, offset),
        }
    }
    match walk.blocks.is_empty() && walk.is_between() {
        true => End::Whole,
        false => End::Cut,
    }
}

#[derive(Default)]
struct Walk<'t> {
    /// The words of all open blocks, then those of the statement.
    words: Vec<&'t str>,
    /// For each open block, how many words stood before it, and whether
    /// anything stands in it.
    blocks: Vec<(usize, bool)>,
    /// How many words are those of the open blocks.
    own: usize,
    /// Where the statement begins.
    start: usize,
    /// The depth from which on all is inactive or too deep.
    quiet: Option<usize>,
}

impl<'t> Walk<'t> {
    fn is_between(&self) -> bool {
        self.words.len() == self.own
    }

    fn word(&mut self, word: &'t str, offset: usize) {
        if self.is_between() {
            self.start = offset;
            match word {
                "inactive:" => {
                    self.quiet.get_or_insert(self.blocks.len());
                    return;
                }
                "protect:" | "replace:" | "delete:" => return,
                _ => {}
            }
        }
        self.words.push(word);
    }

    fn open(&mut self, deepest: usize) {
        if let Some((_, filled)) = self.blocks.last_mut() {
            *filled = true;
        }
        self.blocks.push((self.own, false));
        self.own = self.words.len();
        if self.blocks.len() > deepest {
            self.quiet.get_or_insert(self.blocks.len() - 1);
        }
    }

    fn end(&mut self, leaf: &mut dyn FnMut(&[&'t str], usize)) {
        if !self.is_between() {
            if self.quiet.is_none() {
                leaf(&self.words, self.start);
            }
            if let Some((_, filled)) = self.blocks.last_mut() {
                *filled = true;
            }
        }
        self.words.truncate(self.own);
        self.unquiet();
    }

    fn close(&mut self, leaf: &mut dyn FnMut(&[&'t str], usize)) {
        self.end(leaf);
        if let Some((before, filled)) = self.blocks.pop() {
            if !filled && self.quiet.is_none() {
                leaf(&self.words, self.start);
            }
            self.words.truncate(before);
            self.own = before;
        }
        self.unquiet();
    }

    /// What was inactive has ended.
    fn unquiet(&mut self) {
        if self.quiet.is_some_and(|depth| self.blocks.len() <= depth) {
            self.quiet = None;
        }
    }
}

enum Token<'t> {
    Word(&'t str),
    Open,
    Close,
    End,
}

struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Option<(usize, Token<'t>)> {
        let bytes = self.text.as_bytes();
        loop {
            match *bytes.get(self.at)? {
                byte if byte.is_ascii_whitespace() => self.at += 1,
                b'#' => self.skip_past(b"\n"),
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => self.skip_past(b"*/"),
                _ => break,
            }
        }
        let start = self.at;
        let token = match bytes[start] {
            b'{' => Token::Open,
            b'}' => Token::Close,
            b';' => Token::End,
            b'[' => Token::Word("["),
            b']' => Token::Word("]"),
            b'"' => {
                let rest = bytes.get(start + 1..).unwrap_or_default();
                let end = quote_end(rest).map_or(bytes.len(), |n| start + 1 + n);
                self.at = (end + 1).min(bytes.len());
                return Some((start, Token::Word(self.text.get(start + 1..end)?)));
            }
            _ => {
                let rest = bytes.get(start..).unwrap_or_default();
                let ends =
                    |b: &u8| b.is_ascii_whitespace() || matches!(b, b'{' | b'}' | b';' | b']');
                // A template's `${NAME}` is one word.
                let mut len = 0;
                while let Some(byte) = rest.get(len) {
                    if *byte == b'$' && rest.get(len + 1) == Some(&b'{') {
                        len += rest
                            .get(len..)?
                            .iter()
                            .position(|b| *b == b'}')
                            .unwrap_or(0);
                    } else if ends(byte) {
                        break;
                    }
                    len += 1;
                }
                let len = len.clamp(1, rest.len());
                self.at = start + len;
                return Some((start, Token::Word(self.text.get(start..start + len)?)));
            }
        };
        self.at = start + 1;
        Some((start, token))
    }

    fn skip_past(&mut self, mark: &[u8]) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let found = memchr::memmem::find(rest, mark);
        self.at += found.map_or(rest.len(), |n| n + mark.len());
    }
}

/// The closing quote; one after a backslash does not close.
fn quote_end(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(b'"', bytes.get(from..)?)?;
        let slashes = bytes
            .get(..at)?
            .iter()
            .rev()
            .take_while(|b| **b == b'\\')
            .count();
        if slashes % 2 == 0 {
            return Some(at);
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Vec<String>, End) {
        let mut all = Vec::new();
        let end = leaves(text, &mut |words, offset| {
            assert!(text.is_char_boundary(offset));
            all.push(words.join(" "));
        });
        (all, end)
    }

    #[test]
    fn each_leaf_has_the_words_of_what_it_stands_in() {
        let text = "a {\n  b 1;\n  /* no { */ c { d; e { } } # } no\n  inactive: f { g; }\n  inactive: h;\n  i [ 1 2 ];\n}\nj \"k; { l\" m;\n${P}:0 { n; }\n";
        let (all, end) = read(text);
        assert_eq!(
            all,
            [
                "a b 1",
                "a c d",
                "a c e",
                "a i [ 1 2 ]",
                "j k; { l m",
                "${P}:0 n"
            ]
        );
        assert_eq!(end, End::Whole);
    }

    #[test]
    fn what_is_cut_or_unbalanced_is_told() {
        assert_eq!(read("a { b;"), (vec!["a b".to_owned()], End::Cut));
        assert_eq!(
            read("a { b; } } c;"),
            (vec!["a b".to_owned()], End::Unbalanced(9))
        );
        assert_eq!(read("a \"b").1, End::Cut);
        assert_eq!(read("").1, End::Whole);
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let text = format!("{}x;{}", "a { ".repeat(100_000), "}".repeat(100_000));
        let (all, end) = read(&text);
        assert_eq!((all.len(), end), (0, End::Whole));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([a-c{};\"# \\[\\]\n\\\\*/$]|inactive: ){0,60}") {
            read(&text);
        }
    }
}
