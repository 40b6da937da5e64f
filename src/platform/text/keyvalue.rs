//! Lines that hold a key and its value.

/// A key and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'t> {
    /// The key, without the blanks around it.
    pub key: &'t str,
    /// The value, without the blanks around it; may be empty.
    pub value: &'t str,
    /// Byte offset of the key in the text.
    pub offset: usize,
}

/// The lines `key: value`, `key : value` and `key = value` of a text.
///
/// A colon separates only before a blank or at the end of the line, so that
/// neither addresses (`0000:3b:00.0`) nor `prio:3` are split; an equals sign
/// only where it is no part of `==`, `=>`, `<=` and the like. The first
/// separator counts. Other lines are passed over.
pub fn pairs(text: &str) -> impl Iterator<Item = Pair<'_>> {
    lines(text).filter_map(|(offset, line)| {
        let at = separator(line)?;
        pair(offset, line.get(..at)?, line.get(at + 1..)?)
    })
}

/// The lines of two columns that a tab or at least two blanks keep apart:
/// `red_max_threshold        2097152`. Other lines are passed over.
pub fn two_columns(text: &str) -> impl Iterator<Item = Pair<'_>> {
    lines(text).filter_map(|(offset, line)| {
        let indent = line.len() - line.trim_start().len();
        let body = line.get(indent..)?;
        let at = body.find("  ").into_iter().chain(body.find('\t')).min()?;
        let (key, value) = body.split_at(at);
        (!value.trim().is_empty()).then(|| pair(offset + indent, key, value))?
    })
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let offset = start;
        start += line.len();
        (offset, line.trim_end())
    })
}

fn pair<'t>(offset: usize, key: &'t str, value: &'t str) -> Option<Pair<'t>> {
    let indent = key.len() - key.trim_start().len();
    let key = key.trim();
    (!key.is_empty()).then_some(Pair {
        key,
        value: value.trim(),
        offset: offset + indent,
    })
}

fn separator(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    memchr::memchr2_iter(b':', b'=', bytes).find(|&at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + 1);
        if bytes.get(at) == Some(&b':') {
            matches!(after, None | Some(b' ' | b'\t'))
        } else {
            !matches!(after, Some(b'=' | b'>'))
                && !matches!(before, Some(b'=' | b'<' | b'>' | b'!'))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, &str)> {
        pairs(text)
            .inspect(|p| assert!(text[p.offset..].starts_with(p.key)))
            .map(|p| (p.key, p.value))
            .collect()
    }

    #[test]
    fn three_spellings() {
        assert_eq!(
            read(
                "RX:\t\ton\r\n  Device Interface   : eth1\nnet.ipv4.tcp_ecn = 1\n\
                 Global tclass=106\nPCI: 0000:3b:00.0\nEmpty:\n\
                 GID: 00:00:255\nDSCP : 26 ==> priority : 3"
            ),
            [
                ("RX", "on"),
                ("Device Interface", "eth1"),
                ("net.ipv4.tcp_ecn", "1"),
                ("Global tclass", "106"),
                ("PCI", "0000:3b:00.0"),
                ("Empty", ""),
                ("GID", "00:00:255"),
                ("DSCP", "26 ==> priority : 3"),
            ]
        );
    }

    #[test]
    fn other_lines_are_passed_over() {
        assert_eq!(
            read("prio:3 dscp:31\nmlx5_0 port 1 ==> eth0 (Up)\na <= b\n\n: x\n= x\nplain"),
            []
        );
    }

    #[test]
    fn columns() {
        let text = "-----  -\necn                      ecn_all\n  ROCE_CONTROL\tROCE (2)\none only\nlast  \n";
        let read: Vec<_> = two_columns(text)
            .inspect(|p| assert!(text[p.offset..].starts_with(p.key)))
            .map(|p| (p.key, p.value))
            .collect();
        assert_eq!(
            read,
            [
                ("-----", "-"),
                ("ecn", "ecn_all"),
                ("ROCE_CONTROL", "ROCE (2)"),
            ]
        );
    }
}
