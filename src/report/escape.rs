//! Device text on its way to a terminal: it may hold anything.

use std::borrow::Cow;

/// The longest device string that is shown, in characters.
const LONGEST: usize = 200;

/// Makes a string harmless to a terminal: control bytes, bidirectional
/// controls and invisible characters are written as `\u{…}`, and what is very
/// long is cut.
pub fn terminal(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST && text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len().min(LONGEST * 2));
    for (n, character) in text.chars().enumerate() {
        if n == LONGEST {
            shown.push('…');
            break;
        }
        match character {
            '\t' => shown.push(' '),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Characters that change how the others look, or do not show.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(terminal("Ethernet0"), "Ethernet0");
        assert_eq!(terminal("\u{1b}[2Jleaf"), "\\u{1b}[2Jleaf");
        assert_eq!(terminal("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(terminal("a\u{9b}b"), "a\\u{9b}b");
        assert_eq!(terminal("Gerät 北"), "Gerät 北");
        assert_eq!(terminal("a\r\nb"), "a\\u{d}\\u{a}b");
    }

    #[test]
    fn what_is_very_long_is_cut() {
        let shown = terminal(&"x".repeat(100_000)).into_owned();
        assert_eq!(shown.chars().count(), LONGEST + 1);
    }
}
