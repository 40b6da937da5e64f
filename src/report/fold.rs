//! Folding for people: the same fault on many ports and devices is one entry.

use super::escape::terminal;
use crate::finding::Finding;
use std::collections::HashMap;

/// The same finding on one or many devices.
pub struct Folded<'a> {
    /// What it says, and where it is first.
    pub first: &'a Finding,
    /// The finding of each device.
    pub all: Vec<&'a Finding>,
}

/// Folds what says the same of the same ports of several devices, in the
/// order of the findings.
pub fn fold(findings: &[Finding]) -> Vec<Folded<'_>> {
    let mut folded: Vec<Folded<'_>> = Vec::new();
    let mut index: HashMap<_, usize> = HashMap::new();
    for finding in findings {
        let key = (
            (&finding.check, finding.status, finding.severity),
            (&finding.class, &finding.message),
            (&finding.expected, &finding.actual, &finding.waiver),
            ports_of(finding),
        );
        match index.get(&key) {
            Some(n) => folded[*n].all.push(finding),
            None => {
                index.insert(key, folded.len());
                folded.push(Folded {
                    first: finding,
                    all: vec![finding],
                });
            }
        }
    }
    folded
}

/// The ports of a finding, hashed: the same fault on other ports is another
/// entry, so that no device is shown with ports that are not its own.
fn ports_of(finding: &Finding) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    for place in &finding.places {
        place.port.hash(&mut hasher);
    }
    hasher.finish()
}

/// `leaf1: Ethernet0-124 (32 ports)`, or several devices. Harmless to a
/// terminal; a few names where it is not to be `full`.
pub fn whereabouts(folded: &Folded<'_>, full: bool) -> String {
    const DEVICES: usize = 4;
    let names = folded.all.iter().map(|finding| &*finding.device);
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    let most = if full { usize::MAX } else { DEVICES };
    let mut text = names
        .iter()
        .take(most)
        .map(|name| terminal(name))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > most {
        text.push_str(&format!(", … (+{} devices)", names.len() - most));
    }
    let ports: Vec<&str> = folded
        .first
        .places
        .iter()
        .filter_map(|place| place.port.as_deref())
        .collect();
    if !ports.is_empty() {
        let ranges = ranges(&ports, if full { usize::MAX } else { 6 });
        text.push_str(&format!(": {ranges}"));
        let count = folded.all.iter().map(|f| f.places.len()).sum::<usize>();
        if count > 1 {
            text.push_str(&format!(" ({count} ports)"));
        }
    }
    let places = folded.all.iter().flat_map(|finding| &finding.places);
    let peers: Vec<&str> = places.filter_map(|place| place.peer.as_deref()).collect();
    if !peers.is_empty() {
        let most = if full { usize::MAX } else { 3 };
        text.push_str(&format!(" to {}", ranges(&peers, most)));
    }
    text
}

/// Ports in short: those with one prefix and numbers in equal steps are a
/// range.
pub fn ranges(ports: &[&str], most: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut n = 0;
    while let Some(first) = ports.get(n) {
        let run = run_length(&ports[n..]);
        match ports.get(n + run - 1).filter(|_| run > 2) {
            Some(last) => {
                let (_, number) = split_number(last);
                parts.push(format!("{}-{number}", terminal(first)));
                n += run;
            }
            None => {
                parts.push(terminal(first).into_owned());
                n += 1;
            }
        }
    }
    let more = parts.len().saturating_sub(most);
    parts.truncate(most);
    if more > 0 {
        parts.push(format!("… (+{more})"));
    }
    parts.join(", ")
}

/// How many ports from the first on are one range.
fn run_length(ports: &[&str]) -> usize {
    let parsed = |port: &str| {
        let (prefix, number) = split_number(port);
        Some((prefix.to_owned(), number.parse::<u64>().ok()?))
    };
    let Some((prefix, first)) = ports.first().and_then(|port| parsed(port)) else {
        return 1;
    };
    let mut step = None;
    let mut last = first;
    let mut run = 1;
    for port in ports.iter().skip(1) {
        match parsed(port) {
            Some((other, number)) if other == prefix && number > last => {
                let gap = number - last;
                if *step.get_or_insert(gap) != gap {
                    break;
                }
                last = number;
                run += 1;
            }
            _ => break,
        }
    }
    run
}

fn split_number(port: &str) -> (&str, &str) {
    let digits = port.bytes().rev().take_while(u8::is_ascii_digit).count();
    port.split_at(port.len() - digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_fold_by_equal_steps() {
        let ports = [
            "Ethernet0",
            "Ethernet4",
            "Ethernet8",
            "Ethernet12",
            "Ethernet20",
        ];
        assert_eq!(ranges(&ports, 6), "Ethernet0-12, Ethernet20");
        assert_eq!(
            ranges(&["Ethernet1/1", "Ethernet1/2"], 6),
            "Ethernet1/1, Ethernet1/2"
        );
        assert_eq!(ranges(&["a1", "b1", "c1"], 2), "a1, b1, … (+1)");
        assert_eq!(ranges(&["-"], 2), "-");
    }
}
