//! Cuts a pasted session log at its prompts.
//!
//! In an incident people paste what their terminal shows: several hosts,
//! prompts, commands, output. [`cut`] finds the prompts and hands each
//! command's output out as a piece of its own.
//!
//! It is careful rather than clever: a configuration whose comments look like
//! commands must stay in one piece, so a prompt without a host counts only
//! before a command that is known, and one with a bare host name only before
//! such a command or when the same prompt comes again.

mod commands;
mod prompt;

pub use commands::bare_command;
use prompt::{Prompt, Strength};
use std::collections::{BTreeMap, BTreeSet};

/// One command and what it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'t> {
    /// The host that the prompt names. A line of a shell's trace
    /// (`+ mlnx_qos …`) has the host of the prompt that it follows.
    pub host: Option<&'t str>,
    /// The user that the prompt names.
    pub user: Option<&'t str>,
    /// The command as typed, lines that were continued by a backslash joined;
    /// empty for text that follows no command.
    pub command: String,
    /// Line of the first line of output in the text given to [`cut`], from 1
    /// on.
    pub first_line: u32,
    /// The output: all lines up to the next prompt.
    pub text: &'t str,
}

/// Cuts `text`, which should be [cleaned](super::clean::clean), into pieces.
///
/// `None` if it holds no prompts. Text before the first prompt, and text
/// between an empty prompt and the next one, is a piece without command if it
/// is more than blank.
pub fn cut(text: &str) -> Option<Vec<Piece<'_>>> {
    if is_json(text) {
        return None;
    }
    let prompts = confirmed(text, candidates(text));
    if prompts.is_empty() {
        return None;
    }
    Some(pieces(text, &prompts))
}

/// A JSON document. An opening bracket alone says little:
/// `[root@gpu01 ~]# …`, `{master:0}`.
fn is_json(text: &str) -> bool {
    let mut significant = text.bytes().filter(|b| !b.is_ascii_whitespace());
    match significant.next() {
        Some(b'{') => matches!(significant.next(), Some(b'"' | b'}')),
        Some(b'[') => matches!(significant.next(), Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    }
}

/// A line that may be a prompt, and where it is.
#[derive(Debug, Clone, Copy)]
struct Candidate<'t> {
    prompt: Prompt<'t>,
    /// Index of the line.
    line: usize,
    /// Byte offset of the line, and of the one after it.
    start: usize,
    end: usize,
}

fn candidates(text: &str) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (line, whole) in text.split_inclusive('\n').enumerate() {
        let end = start + whole.len();
        if let Some(prompt) = prompt::parse(whole.trim_end()) {
            found.push(Candidate {
                prompt,
                line,
                start,
                end,
            });
        }
        start = end;
    }
    found
}

/// Keeps the candidates that the whole text bears out.
fn confirmed<'t>(text: &str, candidates: Vec<Candidate<'t>>) -> Vec<Candidate<'t>> {
    let mut hosts = BTreeSet::new();
    let mut uses: BTreeMap<&str, u32> = BTreeMap::new();
    for prompt in candidates.iter().map(|c| c.prompt) {
        match (prompt.host, prompt.strength) {
            (Some(host), Strength::Certain) => {
                hosts.insert(host);
            }
            (Some(host), Strength::OnRepeat) => *uses.entry(host).or_default() += 1,
            _ => {}
        }
    }
    hosts.extend(uses.iter().filter(|(_, n)| **n > 1).map(|(host, _)| *host));

    let any = |strength| candidates.iter().any(|c| c.prompt.strength == strength);
    let dollar = any(Strength::Dollar);
    let hash = any(Strength::Hash) && trusts_hash(text, &candidates);
    let trace = any(Strength::Trace) && !is_diff(text);
    let kept = |prompt: Prompt<'t>| match prompt.strength {
        Strength::Certain => true,
        Strength::OnRepeat | Strength::OnHost => {
            prompt.host.is_some_and(|host| hosts.contains(host))
        }
        Strength::Dollar | Strength::OnDollar => dollar,
        Strength::Hash => hash,
        Strength::Trace | Strength::OnTrace => trace,
    };
    candidates
        .iter()
        .filter(|c| kept(c.prompt))
        .map(|c| Candidate {
            prompt: Prompt {
                host: c.prompt.host.map(|host| without_view(host, &hosts)),
                ..c.prompt
            },
            ..*c
        })
        .collect()
}

/// VRP shows the view behind the host: `[~leaf1-100GE1/0/1]`.
fn without_view<'t>(host: &'t str, hosts: &BTreeSet<&'t str>) -> &'t str {
    host.match_indices('-')
        .filter_map(|(at, _)| host.get(..at))
        .find(|name| hosts.contains(name) && host.contains('/'))
        .unwrap_or(host)
}

/// Whether lines `# command` are prompts here rather than comments: the text
/// begins with one, or there are several and no other line begins with `# `.
fn trusts_hash(text: &str, candidates: &[Candidate<'_>]) -> bool {
    let commands = candidates
        .iter()
        .filter(|c| c.prompt.strength == Strength::Hash);
    let opens = commands.clone().next().is_some_and(|c| {
        text.get(..c.start)
            .is_some_and(|before| before.trim().is_empty())
    });
    let hashes = text.lines().filter(|line| line.starts_with("# ")).count();
    opens || (hashes > 1 && commands.count() == hashes && !text.starts_with("#!"))
}

/// Added lines of a diff look like a shell's trace.
fn is_diff(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with("@@ ") || line.starts_with("+++ "))
}

fn pieces<'t>(text: &'t str, prompts: &[Candidate<'t>]) -> Vec<Piece<'t>> {
    let mut pieces = Vec::with_capacity(prompts.len() + 1);
    let first = prompts.first().map_or(text.len(), |c| c.start);
    let before = text.get(..first).unwrap_or_default();
    if !before.trim().is_empty() {
        pieces.push(Piece {
            host: None,
            user: None,
            command: String::new(),
            first_line: 1,
            text: before,
        });
    }
    let (mut host, mut user) = (None, None);
    for (index, candidate) in prompts.iter().enumerate() {
        let prompt = candidate.prompt;
        if !matches!(prompt.strength, Strength::Trace | Strength::OnTrace) {
            (host, user) = (prompt.host, prompt.user);
        }
        let end = prompts.get(index + 1).map_or(text.len(), |c| c.start);
        let mut output = text.get(candidate.end..end).unwrap_or_default();
        let mut line = candidate.line + 2;
        let mut command = prompt.command.to_owned();
        while command.ends_with('\\') && !output.is_empty() {
            let end = output.find('\n').map_or(output.len(), |at| at + 1);
            let (continued, rest) = output.split_at(end);
            command.pop();
            let continued = continued.trim();
            command.push_str(continued.strip_prefix("> ").unwrap_or(continued));
            output = rest;
            line += 1;
        }
        if command.is_empty() && output.trim().is_empty() {
            continue;
        }
        pieces.push(Piece {
            host,
            user,
            command,
            first_line: u32::try_from(line).unwrap_or(u32::MAX),
            text: output,
        });
    }
    pieces
}

#[cfg(test)]
#[path = "session/tests.rs"]
mod tests;
