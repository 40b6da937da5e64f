//! Names and lists of interfaces as NVUE and switchd write them: `swp1-64`,
//! `eth0,swp19-22`, `swp1s0-3`, `swp1-2s0-1`, `swp1-swp4`.

/// More ports than a chassis has: a longer list is no list.
pub const MOST: usize = 4096;

/// A port that cables are plugged into: `swp1`, `swp1s0`.
pub fn is_port(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("swp") else {
        return false;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match rest.split_once('s') {
        Some((port, part)) => digits(port) && digits(part),
        None => digits(rest),
    }
}

/// The names that a list stands for, in its order. What is no range is a name
/// (`br_default`, `peerlink.4094`). `None` where a range runs backwards, a
/// number has no name before it, or there are more than [`MOST`].
pub fn expand(list: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for member in list.split(',') {
        match Range::read(member.trim()) {
            Some(range) => range.names(&mut names)?,
            // Whose range would the bare number of `swp1-2,5` continue?
            None if member.trim().is_empty() || is_number(member.trim()) => return None,
            None => names.push(member.trim().to_owned()),
        }
        if names.len() > MOST {
            return None;
        }
    }
    Some(names)
}

/// `swp1-2s0-3`: letters, ports, parts of a port.
struct Range<'t> {
    kind: &'t str,
    ports: (u32, u32),
    parts: Option<(u32, u32)>,
}

impl<'t> Range<'t> {
    fn read(member: &'t str) -> Option<Self> {
        let letters = member.find(|c: char| c.is_ascii_digit())?;
        let (kind, rest) = member.split_at(letters);
        if kind.is_empty() || !kind.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_') {
            return None;
        }
        // `swp50s0-swp50s3` repeats the name before the last number.
        if let Some((first, last)) = rest.split_once('-')
            && let Some(last) = last.strip_prefix(kind)
        {
            return match (first.split_once('s'), last.split_once('s')) {
                (None, None) => Some(Range {
                    kind,
                    ports: (first.parse().ok()?, last.parse().ok()?),
                    parts: None,
                }),
                (Some((port, from)), Some((same, to))) if port == same => Some(Range {
                    kind,
                    ports: (port.parse().ok()?, port.parse().ok()?),
                    parts: Some((from.parse().ok()?, to.parse().ok()?)),
                }),
                _ => None,
            };
        }
        let (ports, parts) = match rest.split_once('s') {
            Some((ports, parts)) => (ports, Some(bounds(parts)?)),
            None => (rest, None),
        };
        Some(Range {
            kind,
            ports: bounds(ports)?,
            parts,
        })
    }

    fn names(&self, names: &mut Vec<String>) -> Option<()> {
        let count = |(from, to): (u32, u32)| (to.checked_sub(from)? as usize).checked_add(1);
        let parts = self.parts.map_or(Some(1), count)?;
        if count(self.ports)?.checked_mul(parts)? > MOST {
            return None;
        }
        for port in self.ports.0..=self.ports.1 {
            match self.parts {
                Some((from, to)) => {
                    names.extend((from..=to).map(|part| format!("{}{port}s{part}", self.kind)));
                }
                None => names.push(format!("{}{port}", self.kind)),
            }
        }
        Some(())
    }
}

/// `5`, `5-8`: no interface is named so.
fn is_number(member: &str) -> bool {
    member.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

/// `4`, or `1-4`.
fn bounds(text: &str) -> Option<(u32, u32)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.parse().ok()?, to.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        for (text, expected) in [
            ("swp1", &["swp1"][..]),
            ("swp1-3,swp7", &["swp1", "swp2", "swp3", "swp7"]),
            ("eth0,swp19-20", &["eth0", "swp19", "swp20"]),
            ("swp1s0-1,swp2s1", &["swp1s0", "swp1s1", "swp2s1"]),
            ("swp1-2s0-1", &["swp1s0", "swp1s1", "swp2s0", "swp2s1"]),
            ("swp1-swp2", &["swp1", "swp2"]),
            ("swp5s0-swp5s1", &["swp5s0", "swp5s1"]),
            ("bond1-2", &["bond1", "bond2"]),
            ("br_default", &["br_default"]),
            ("peerlink.4094", &["peerlink.4094"]),
            ("bond-storage1", &["bond-storage1"]),
        ] {
            assert_eq!(expand(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_list() {
        for text in [
            "",
            "swp3-1",
            "swp1,,2",
            "swp1-2,5",
            "swp1-99999",
            "swp1-4000s0-3",
        ] {
            assert_eq!(expand(text), None, "{text}");
        }
    }

    #[test]
    fn ports_and_others() {
        for (name, port) in [
            ("swp1", true),
            ("swp64s3", true),
            ("swp", false),
            ("swp1.100", false),
            ("swps1", false),
            ("bond1", false),
            ("eth0", false),
        ] {
            assert_eq!(is_port(name), port, "{name}");
        }
    }
}
