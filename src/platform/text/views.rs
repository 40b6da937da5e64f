//! What the configurations of VRP and Comware have in common: views that `#`
//! separates, `undo` before what is off, and lists with `to`.

use super::interfaces::expand;
use super::ranges::small_integers;
use super::statements::{Builder, Statement, Statements, Words, indentation};

/// Views are indented. A `#` at the beginning of a line ends all of them, and
/// what comes next is of the system view although Comware indents it; an
/// indented one separates what is inside.
pub fn statements(text: &str) -> Statements<'_> {
    let mut builder = Builder::new(text);
    let mut header_ends: Option<&str> = None;
    // The column of the system view since the last `#`.
    let mut system: Option<u32> = None;
    let mut start = 0;
    for line in text.split('\n') {
        let offset = start;
        start += line.len() + 1;
        if let Some(mark) = header_ends {
            if line.contains(mark) {
                header_ends = None;
            }
            continue;
        }
        let (indent, column) = indentation(line);
        let trimmed = line.get(indent..).unwrap_or_default().trim_ascii_end();
        if trimmed.is_empty() {
            continue;
        }
        if trimmed.starts_with('#') {
            if indent == 0 {
                builder.close(0);
                system = None;
            }
            continue;
        }
        if column <= *system.get_or_insert(column) {
            header_ends = header(trimmed);
        }
        builder.push(column, offset + indent, trimmed.len());
    }
    builder.finish()
}

/// `header motd %…%`: the first character after the kind delimits. Text that
/// ends on its own line is no banner to skip.
fn header(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("header ")?.trim_start();
    let (_, rest) = rest.split_once(' ')?;
    // VRP names the form of the text before it.
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("information ").unwrap_or(rest);
    let first = rest.chars().next()?;
    let mark = rest.get(..first.len_utf8())?;
    let rest = rest.get(mark.len()..)?;
    (!rest.contains(mark)).then_some(mark)
}

/// The words of a statement without a comment from `//` on, as manuals write
/// it behind a line.
pub fn words<'t>(statement: &Statement<'_, 't>) -> Words<'t> {
    let words = statement.text().split_ascii_whitespace();
    words.take_while(|word| !word.starts_with("//")).collect()
}

/// The statement without a leading `undo`, and whether there was none.
pub fn without_undo<'a, 't>(words: &'a [&'t str]) -> (&'a [&'t str], bool) {
    match words {
        ["undo", rest @ ..] => (rest, false),
        words => (words, true),
    }
}

/// Small numbers: `0 to 4 6`, `3,4`, `3-5`. `None` where there is none, or
/// some word is neither.
pub fn numbers(words: &[&str], largest: u8) -> Option<Vec<u8>> {
    let mut list = Vec::new();
    let mut rest = words;
    loop {
        rest = match rest {
            [] => break,
            [first, "to", last, rest @ ..] => {
                let (first, last) = (first.parse::<u8>().ok()?, last.parse::<u8>().ok()?);
                if first > last || last > largest {
                    return None;
                }
                list.extend(first..=last);
                rest
            }
            [word, rest @ ..] => {
                let some = small_integers(word, largest).ok()?;
                if some.is_empty() {
                    return None;
                }
                list.extend(some);
                rest
            }
        };
    }
    (!list.is_empty()).then_some(list)
}

/// The interfaces that the words after `interface` name: one, or
/// `range 100GE 1/0/1 to 100GE 1/0/4 …`. Names without blanks. `None` where
/// some part can't be read.
pub fn interfaces(words: &[&str]) -> Option<Vec<String>> {
    let list = match words {
        ["range", "name", _, "interface", list @ ..] | ["range", list @ ..] => list,
        one => return Some(vec![one.concat()]),
    };
    let mut names: Vec<String> = Vec::new();
    let mut words = list.iter().copied().peekable();
    while let Some(word) = words.next() {
        let mut first = word.to_owned();
        let has_number = |name: &str| name.ends_with(|c: char| c.is_ascii_digit());
        if !has_number(&first) || !first.contains('/') {
            first.push_str(words.next()?);
        }
        if words.peek() != Some(&"to") {
            names.push(first);
            continue;
        }
        words.next();
        let mut last = words.next()?.to_owned();
        if !last.contains('/') {
            last.push_str(words.next()?);
        }
        names.extend(expand(&format!("{first}-{last}"))?);
        if names.len() > super::interfaces::MOST {
            return None;
        }
    }
    (!names.is_empty()).then_some(names)
}

/// The eight names of local priorities and queues, from 0 on.
const PHB: [&str; 8] = ["be", "af1", "af2", "af3", "af4", "ef", "cs6", "cs7"];

/// A queue or local priority by its name (`af4`) or number.
pub fn queue(word: &str) -> Option<u8> {
    let named = PHB.iter().position(|name| name.eq_ignore_ascii_case(word));
    named
        .map(|n| n as u8)
        .or_else(|| word.parse().ok().filter(|n| *n < 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    #[test]
    fn numbers_in_lists() {
        let read = |text: &str| numbers(&split(text), 7);
        assert_eq!(read("3"), Some(vec![3]));
        assert_eq!(read("0 to 2 5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(read("3,5"), Some(vec![3, 5]));
        assert_eq!(read("3-5"), Some(vec![3, 4, 5]));
        for wrong in ["", "8", "4 to 2", "0 to 9", "three", "3 to"] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn interfaces_of_a_range() {
        let read = |text: &str| interfaces(&split(text));
        assert_eq!(read("100GE 1/0/1"), Some(vec!["100GE1/0/1".to_owned()]));
        let range = read("range 100GE 1/0/1 to 100GE 1/0/3 25GE1/0/9").unwrap();
        assert_eq!(
            range,
            ["100GE1/0/1", "100GE1/0/2", "100GE1/0/3", "25GE1/0/9"]
        );
        let named = read("range name hosts interface HundredGigE1/0/1 to HundredGigE1/0/2");
        assert_eq!(named.unwrap(), ["HundredGigE1/0/1", "HundredGigE1/0/2"]);
        assert_eq!(read("range 100GE 1/0/1 to 100GE 1/0/99999999"), None);
        assert_eq!(read("range 100GE"), None);
    }

    #[test]
    fn headers_are_no_configuration() {
        let of = |text: &str| -> Vec<String> {
            let read = statements(text);
            read.all().map(|s| s.text().to_owned()).collect()
        };
        let motd = "header motd %\ninterface 100GE1/0/9\n dcb pfc enable\n%\nreturn\n";
        assert_eq!(of(motd), ["header motd %", "return"]);
        let login = "header login information \"\nvlan 1\n\"\nreturn\n";
        assert_eq!(of(login), ["header login information \"", "return"]);
        let line = "header shell information %welcome%\nreturn\n";
        assert_eq!(of(line).len(), 2);
    }

    #[test]
    fn a_separator_ends_all_views() {
        let text = "vlan 1\n#\n stp global enable\n header motd %\ninterface X\n%\n sysname a\n#\n\
            ai-service\n #\n ai-ecn\n  ai-ecn enable\n";
        let read = statements(text);
        let top: Vec<_> = read.top().map(|s| s.text()).collect();
        assert_eq!(
            top,
            [
                "vlan 1",
                "stp global enable",
                "header motd %",
                "sysname a",
                "ai-service"
            ]
        );
        let last = read.top().last().unwrap();
        assert_eq!(last.children().next().unwrap().children().count(), 1);
    }

    #[test]
    fn comments_of_manuals_are_left_out() {
        let text = "dcb pfc dscp-mapping enable slot 1    //Supported only by some.\n";
        let read = statements(text);
        let statement = read.top().next().unwrap();
        assert_eq!(words(&statement).len(), 6);
    }
}
