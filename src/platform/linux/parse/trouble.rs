//! Captures that hold an error, or no output at all.

use super::{Statement, Statements, Text, Trouble};

/// What tools and shells say, and what it means.
const SIGNS: [(&str, Trouble, &str); 9] = [
    (
        "Permission denied",
        Trouble::Denied,
        "the account may not read it",
    ),
    (
        "permission denied",
        Trouble::Denied,
        "the account may not read it",
    ),
    (
        "Operation not permitted",
        Trouble::Denied,
        "the account may not read it",
    ),
    (
        "command not found",
        Trouble::Failed,
        "the tool is not installed",
    ),
    (
        "No such file or directory",
        Trouble::Failed,
        "the file does not exist",
    ),
    (
        "No such device",
        Trouble::Failed,
        "the device does not exist",
    ),
    (
        "Operation not supported",
        Trouble::Failed,
        "the driver does not support it",
    ),
    (
        "not supported on your system",
        Trouble::Failed,
        "the driver does not support it",
    ),
    (
        "Failed to query",
        Trouble::Failed,
        "the query failed, in whole or in part",
    ),
];

/// Captures that are of a host but hold no state of its own.
const OTHERS: [(&str, &str); 5] = [
    (
        "RoCEstat",
        "the verdict of another tool (lshca) is not read: give the captures behind it",
    ),
    (
        "post-up dcb",
        "an interfaces file: it re-applies DCB settings at boot; give the output of \
        `dcb` for what runs",
    ),
    (
        "ip dscp set",
        "an nftables file marks packets with a DSCP; it tells nothing of the NIC",
    ),
    (
        "available PCIe bandwidth",
        "a kernel log: the PCIe bandwidth that it names is not judged",
    ),
    (
        "gtclass=",
        "expected values of another tool, no state of a device",
    ),
];

fn commands(text: &Text<'_>) -> bool {
    let mut lines = text.lines().filter(|line| !line.is_empty()).peekable();
    let typed = |line: &str| {
        let echo = line.starts_with("echo ") && line.contains("> /sys/");
        echo || line.contains(" \u{2013}i ") || line.contains(" \u{2013}-")
    };
    lines.peek().is_some() && lines.all(typed)
}

fn error(line: &str) -> Option<(Trouble, &'static str)> {
    let sign = SIGNS.iter().find(|(sign, ..)| line.contains(sign))?;
    Some((sign.1, sign.2))
}

pub fn is(text: &Text<'_>) -> bool {
    let host = crate::source::session::bare_command(text.command);
    const TOOLS: [&str; 13] = [
        "mlnx_qos",
        "dcb",
        "mlxconfig",
        "mstconfig",
        "ethtool",
        "rdma",
        "devlink",
        "ibv_devinfo",
        "show_gids",
        "ibdev2netdev",
        "cma_roce_tos",
        "cat",
        "ip",
    ];
    let tool = host.split_whitespace().next().unwrap_or_default();
    let ours = TOOLS.contains(&tool) || text.command.contains("/sys/");
    commands(text)
        || OTHERS.iter().any(|(mark, _)| text.text.contains(mark))
        || ours && text.lines().any(|line| error(line).is_some())
}

pub fn parse(text: &Text<'_>, out: &mut Statements) {
    if !is(text) {
        return;
    }
    let mut say = |statement| out.push((text.subject.clone(), statement));
    if commands(text) {
        say(Statement::Trouble(
            Trouble::Unrecognised,
            "these are commands, not their output".to_owned(),
            text.origin(text.text),
        ));
        return;
    }
    for (mark, what) in OTHERS {
        if text.text.contains(mark) {
            say(Statement::Remark(what.to_owned(), text.origin(text.text)));
        }
    }
    for line in text.lines() {
        if let Some((trouble, what)) = error(line) {
            let what = format!("`{}`: {what}", text.command.trim());
            say(Statement::Trouble(trouble, what, text.origin(line)));
        }
    }
}
