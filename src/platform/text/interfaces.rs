//! Lists of interfaces: `Ethernet1-4,7`, `Ethernet1/1-3, Ethernet2/1`,
//! `ethernet1/1/1-1/1/18`.

/// More ports than a chassis has: a longer list is no list.
pub const MOST: usize = 4096;

/// The names that a list stands for, in its order, blanks left out. A member
/// without letters takes those of the member before it. `None` where some
/// member can't be read, a range runs backwards, or there are more than
/// [`MOST`].
pub fn expand(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut kind = "";
    for member in text.split(',') {
        let member = member.trim();
        let letters = member.find(|c: char| c.is_ascii_digit())?;
        let (own, numbers) = member.split_at(letters);
        if !own.is_empty() {
            kind = own.trim_end();
        }
        // A hyphen in the name (`port-channel1`) is no range: the letters are gone.
        match numbers.split_once('-') {
            None => names.push(join(kind, numbers.trim())),
            Some((first, last)) => range(kind, first.trim(), last.trim(), &mut names)?,
        }
        if names.len() > MOST {
            return None;
        }
    }
    Some(names)
}

fn join(kind: &str, numbers: &str) -> String {
    format!("{kind}{numbers}")
}

/// `1/1` to `4`, or `1/1/1` to `1/1/18`: all but the last number are the same.
fn range(kind: &str, first: &str, last: &str, names: &mut Vec<String>) -> Option<()> {
    let last = last.strip_prefix(kind).unwrap_or(last).trim_start();
    let (head, from) = split_last(first);
    let (same, to) = split_last(last);
    if !same.is_empty() && same != head {
        return None;
    }
    let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
    if from > to || (to - from) as usize >= MOST {
        return None;
    }
    names.extend((from..=to).map(|n| format!("{kind}{head}{n}")));
    Some(())
}

/// Up to and with the last separator (`/` or `:`), and the number after it.
fn split_last(numbers: &str) -> (&str, &str) {
    let at = numbers.rfind(['/', ':']).map_or(0, |at| at + 1);
    numbers.split_at(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        for (text, expected) in [
            ("Ethernet1", &["Ethernet1"][..]),
            (
                "Ethernet1-3,7",
                &["Ethernet1", "Ethernet2", "Ethernet3", "Ethernet7"],
            ),
            (
                "Ethernet1/1-2, Ethernet2/1",
                &["Ethernet1/1", "Ethernet1/2", "Ethernet2/1"],
            ),
            (
                "ethernet1/1/1-1/1/3",
                &["ethernet1/1/1", "ethernet1/1/2", "ethernet1/1/3"],
            ),
            ("Ethernet 1/1/1-1/1/2", &["Ethernet1/1/1", "Ethernet1/1/2"]),
            ("port-channel10-11", &["port-channel10", "port-channel11"]),
            ("swp1s0", &["swp1s0"]),
        ] {
            assert_eq!(expand(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_list() {
        for text in [
            "",
            "Ethernet",
            "Ethernet3-1",
            "Ethernet1/1-2/2",
            "Ethernet1-99999999",
            "Ethernet1,,2",
        ] {
            assert_eq!(expand(text), None, "{text}");
        }
    }
}
