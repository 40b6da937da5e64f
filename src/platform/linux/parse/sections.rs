//! Captures that hold the output of one tool for several devices: a loop over
//! interfaces with headings of its own, a script under `set -x`, or the same
//! output pasted several times.

use super::{Input, Subject, lines, pci_address, words};

/// Lines that begin an output anew where they are seen again. A warning before
/// the first of them belongs to what follows.
const FIRST_LINES: &[&str] = &[
    "****** WARNING:",
    "DCBX mode:",
    "Priority trust state:",
    "Pause parameters for ",
    "Settings for ",
    "FEC parameters for ",
    "NIC statistics:",
    "driver: ",
    "IEEE 8021QAZ ETS Configuration TLV",
];

/// Where the trust state stands among them.
const TRUST: usize = 2;

/// No host has more devices to print; a bound on what hostile captures cost.
const MOST: usize = 512;

/// Splits a capture by device. One that holds a single output comes back as it
/// is; of several, those that nothing names are told apart all the same.
pub fn of<'a>(input: &Input<'a>) -> Vec<Input<'a>> {
    let mut sections: Vec<Input<'a>> = Vec::new();
    let mut current = input.clone();
    let (mut start, mut body) = (0, false);
    // First lines seen in this section, as bits.
    let mut seen = 0u32;
    for (offset, line) in lines(input.text) {
        let heading = heading(line).filter(|_| sections.len() < MOST);
        let first = FIRST_LINES
            .iter()
            .position(|first| line.trim_start().starts_with(first));
        // What stands above the trust state in mlnx_qos begins another output
        // once a trust state was seen.
        let again =
            first.is_some_and(|n| seen & (1 << n) != 0 || n < TRUST && seen & (1 << TRUST) != 0);
        if heading.is_some() || again && sections.len() < MOST {
            close(input, &mut current, (start, offset), body, &mut sections);
            (start, body, seen) = (offset, false, 0);
            if let Some(heading) = heading {
                start = offset + line.len();
                current = input.clone();
                match heading {
                    Heading::Command(command, filtered) => {
                        current.file = super::file_of(&command).unwrap_or(input.file);
                        (current.command, current.filtered) = (command, filtered);
                    }
                    Heading::Device(subject) => current.heading = subject,
                }
                continue;
            }
            current.heading = Subject::default();
        }
        if let Some(n) = first {
            seen |= 1 << n;
        }
        body |= !line.trim().is_empty();
    }
    close(
        input,
        &mut current,
        (start, input.text.len()),
        body,
        &mut sections,
    );
    match sections.as_slice() {
        [] => vec![input.clone()],
        _ => sections,
    }
}

fn close<'a>(
    input: &Input<'a>,
    current: &mut Input<'a>,
    (from, to): (usize, usize),
    body: bool,
    sections: &mut Vec<Input<'a>>,
) {
    if body {
        let mut section = input.section(from, to);
        section.command.clone_from(&current.command);
        section.filtered = current.filtered;
        section.file = current.file;
        section.heading = current.heading.clone();
        sections.push(section);
    }
}

enum Heading<'a> {
    /// `+ mlnx_qos -i ens1f0np0`: the shell's trace.
    Command(Vec<&'a str>, bool),
    /// `=== ens1f0np0 ===`.
    Device(Subject),
}

/// A line that says what follows.
fn heading(line: &str) -> Option<Heading<'_>> {
    if line.len() > 200 {
        return None;
    }
    let trimmed = line.trim();
    let traced = trimmed.trim_start_matches('+');
    if traced.len() < trimmed.len() && traced.starts_with(' ') {
        let (command, filtered) = words(traced);
        let known = command.first().is_some_and(|first| TRACED.contains(first));
        return known.then_some(Heading::Command(command, filtered));
    }
    // `head` and `tail` print the name of each of several files.
    if let Some(path) = trimmed
        .strip_prefix("==> ")
        .and_then(|rest| rest.strip_suffix(" <=="))
    {
        return path
            .starts_with('/')
            .then(|| Heading::Command(vec!["cat", path], false));
    }
    let decoration = |c: char| "=-#*<>[]~ \t".contains(c);
    let inner = trimmed.trim_matches(decoration);
    let decorated = inner.len() < trimmed.len();
    let bare = inner.trim_end_matches(':');
    let mut rest = bare.split_whitespace();
    let (word, last) = match (rest.next()?, rest.next(), rest.next()) {
        (word, None, _) => (word, true),
        (
            "Interface" | "interface" | "Device" | "device" | "dev" | "NIC" | "nic" | "port"
            | "Port",
            Some(word),
            None,
        ) => (word, true),
        (word, ..) => (word, false),
    };
    // `ens1 :` opens a block of a configuration.
    let bare_colon = bare.len() < inner.len() && !bare.ends_with(char::is_whitespace);
    if !last || !decorated && !bare_colon {
        return None;
    }
    let word = word.trim_end_matches(':');
    Some(Heading::Device(named(word)?))
}

/// What a word names, if it looks like a device.
fn named(word: &str) -> Option<Subject> {
    if !word.starts_with("pci/") && pci_address(word).is_some() {
        return Some(Subject::pci(word));
    }
    let digit = word.find(|c: char| c.is_ascii_digit())?;
    let prefix = word.get(..digit)?;
    let subject = match prefix {
        "mlx" | "rdmap" | "rocep" | "bnxt_re" | "irdma" | "ionic_" => Subject::rdma(word),
        "eth" | "bond" | "rail" | "nic" | "ib" | "roce" | "net" | "rdma" => Subject::netdev(word),
        _ if prefix.starts_with("en") && prefix.len() <= 6 => Subject::netdev(word),
        _ => return None,
    };
    (!subject.is_empty()).then_some(subject)
}

/// Tools whose traced command lines name what follows.
const TRACED: &[&str] = &[
    "mlnx_qos",
    "dcb",
    "ethtool",
    "mlxconfig",
    "mstconfig",
    "niccli",
    "bnxtqos",
    "nicctl",
    "lldptool",
    "cat",
    "cma_roce_mode",
    "cma_roce_tos",
    "show_gids",
    "ibv_devinfo",
    "rdma",
    "ibdev2netdev",
    "ip",
    "devlink",
    "lspci",
    "mlxlink",
    "mstlink",
    "sysctl",
    "echo",
    "grep",
];
