//! The prompts of shells and switches, one line at a time.

use super::commands::{is_command_word, is_known, is_prose};

/// What it takes to believe in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// Nothing more: `root@gpu01:~#`, `leaf1(config)#`, `leaf1# show …`.
    Certain,
    /// A host before something that may be a command; the same prompt must
    /// come again, or be certain elsewhere.
    OnRepeat,
    /// A host and no command; it must be certain elsewhere.
    OnHost,
    /// `$` before a known command.
    Dollar,
    /// `$` before anything else or nothing.
    OnDollar,
    /// `#` before a known command.
    Hash,
    /// `+` of a shell's trace before a known command.
    Trace,
    /// `+` before anything else.
    OnTrace,
}

/// A line that may be a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prompt<'t> {
    pub host: Option<&'t str>,
    pub user: Option<&'t str>,
    pub command: &'t str,
    pub strength: Strength,
}

/// Prompts are short; a mark further right belongs to something else.
const LONGEST: usize = 160;

/// Reads `line`, which has no blanks at its end, as a prompt.
pub(super) fn parse(line: &str) -> Option<Prompt<'_>> {
    match line.as_bytes().first()? {
        b'$' => dollar(line),
        b'#' => hash(line),
        b'+' => trace(line),
        b'[' => bracketed_shell(line).or_else(|| vrp_system_view(line)),
        b'<' => vrp_user_view(line),
        b'(' => environment(line),
        b'*' => host_prompt(line.get(1..)?),
        b if b.is_ascii_alphanumeric() || *b == b'_' => host_prompt(line),
        _ => None,
    }
}

fn prompt<'t>(
    host: Option<&'t str>,
    user: Option<&'t str>,
    command: &'t str,
    strength: Strength,
) -> Option<Prompt<'t>> {
    Some(Prompt {
        host,
        user,
        command: without_tmux_mark(command.trim()),
        strength,
    })
}

/// tmux's copy mode leaves its position, `[9/1840]`, at the end of the line.
fn without_tmux_mark(command: &str) -> &str {
    let Some((rest, mark)) = command.rsplit_once("  [") else {
        return command;
    };
    let is_mark = mark
        .strip_suffix(']')
        .and_then(|mark| mark.split_once('/'))
        .is_some_and(|(at, of)| {
            let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
            digits(at) && digits(of)
        });
    if is_mark { rest.trim_end() } else { command }
}

fn dollar(line: &str) -> Option<Prompt<'_>> {
    let command = line.strip_prefix('$')?;
    let strength = if is_known(command) || command.starts_with(" ./") || command.starts_with(" /") {
        Strength::Dollar
    } else {
        Strength::OnDollar
    };
    (command.is_empty() || command.starts_with(' '))
        .then(|| prompt(None, None, command, strength))?
}

fn hash(line: &str) -> Option<Prompt<'_>> {
    let command = line.strip_prefix("# ")?;
    (!command.starts_with(' ') && is_known(command) && !is_prose(command))
        .then(|| prompt(None, None, command, Strength::Hash))?
}

fn trace(line: &str) -> Option<Prompt<'_>> {
    let command = line.trim_start_matches('+').strip_prefix(' ')?;
    let strength = if is_known(command) {
        Strength::Trace
    } else {
        Strength::OnTrace
    };
    prompt(None, None, command, strength)
}

/// `(venv) root@gpu01:~# …`
fn environment(line: &str) -> Option<Prompt<'_>> {
    let (name, rest) = line.strip_prefix('(')?.split_once(") ")?;
    (name.len() <= 40).then(|| host_prompt(rest))?
}

/// `[root@gpu01 ~]# …`
fn bracketed_shell(line: &str) -> Option<Prompt<'_>> {
    let (inside, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (login, directory) = inside.split_once(' ')?;
    let (user, host) = login.split_once('@')?;
    let command = rest.strip_prefix(['#', '$'])?;
    (is_user(user) && is_host(host) && directory.len() <= LONGEST && starts_apart(command))
        .then(|| prompt(Some(host), Some(user), command, Strength::Certain))?
}

/// `[~leaf1] …`, `[*leaf1-qos-…] …`, `[leaf1] …`: VRP's system view, the mark
/// telling of changes not yet committed.
fn vrp_system_view(line: &str) -> Option<Prompt<'_>> {
    let (inside, command) = line.strip_prefix('[')?.split_once(']')?;
    let marked = inside.strip_prefix(['~', '*']);
    let host = marked.unwrap_or(inside);
    if !is_view(host) {
        return None;
    }
    let strength = if marked.is_some() || is_known(command) {
        Strength::Certain
    } else {
        Strength::OnHost
    };
    prompt(Some(host), None, command, strength)
}

/// `<leaf1> display …`
fn vrp_user_view(line: &str) -> Option<Prompt<'_>> {
    let (host, command) = line.strip_prefix('<')?.split_once('>')?;
    let strength = if is_known(command) && !command.contains("</") {
        Strength::Certain
    } else {
        Strength::OnHost
    };
    is_host(host).then(|| prompt(Some(host), None, command, strength))?
}

/// Prompts that begin with the user or the host.
fn host_prompt(line: &str) -> Option<Prompt<'_>> {
    let head = line.split([' ', '\t']).next()?;
    if let Some((user, rest)) = head.split_once('@') {
        // SR Linux and SR OS put the control module first: `A:admin@leaf1#`.
        let user = without_module(user);
        let after_user = line.get(line.len() - (line.len() - head.len()) - rest.len()..)?;
        return is_user(user).then(|| login_prompt(user, after_user))?;
    }
    let line = without_module(line);
    let length = line.find(|c: char| !is_host_char(c))?;
    let (host, rest) = line.split_at(length);
    if let Some(command) = shell_name(host, rest) {
        return prompt(None, None, command, Strength::Certain);
    }
    if !is_host(host) {
        return None;
    }
    if let Some(command) = rest.strip_prefix(':').and_then(after_directory) {
        return prompt(Some(host), None, command, Strength::Certain);
    }
    let mode = rest
        .strip_prefix("(conf")
        .and_then(|rest| rest.split_once(')'))
        .filter(|(mode, _)| mode.len() <= LONGEST && !mode.contains(' '));
    if let Some(command) = mode.and_then(|(_, rest)| rest.strip_prefix('#')) {
        return prompt(Some(host), None, command, Strength::Certain);
    }
    let command = rest.strip_prefix(['#', '>'])?;
    let strength = if is_known(command) {
        Strength::Certain
    } else if command.is_empty() {
        Strength::OnHost
    } else if is_command_word(command) {
        Strength::OnRepeat
    } else {
        return None;
    };
    prompt(Some(host), None, command, strength)
}

/// What follows `user@`: `gpu01:~# …`, `switch:mgmt:~$ …`, `leaf1> …`.
fn login_prompt<'t>(user: &'t str, rest: &'t str) -> Option<Prompt<'t>> {
    let length = rest.find(|c: char| !is_host_char(c))?;
    let (host, rest) = rest.split_at(length);
    if !is_host(host) {
        return None;
    }
    let command = match rest.strip_prefix(':') {
        Some(directory) => after_directory(directory)?,
        None => rest
            .strip_prefix(['#', '$', '>', '%'])
            .filter(|command| starts_apart(command))?,
    };
    prompt(Some(host), Some(user), command, Strength::Certain)
}

/// What follows `~/dir# `, with the VRF that Cumulus puts before it.
fn after_directory(rest: &str) -> Option<&str> {
    let end = rest
        .char_indices()
        .take(LONGEST)
        .find(|(_, c)| matches!(c, '#' | '$' | ' '))?
        .0;
    let (directory, rest) = rest.split_at(end);
    let path = directory.rsplit(':').next()?;
    if !path.starts_with(['~', '/']) {
        return None;
    }
    rest.strip_prefix(' ')
        .unwrap_or(rest)
        .strip_prefix(['#', '$'])
        .filter(|command| starts_apart(command))
}

/// `bash-4.2$ …`, `sh-5.1# …`: a shell that names no host.
fn shell_name<'t>(name: &str, rest: &'t str) -> Option<&'t str> {
    let version = name
        .strip_prefix("bash-")
        .or_else(|| name.strip_prefix("sh-"))?;
    let command = rest.strip_prefix(['#', '$'])?;
    version
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.')
        .then_some(command)
}

fn without_module(name: &str) -> &str {
    match name.as_bytes() {
        [b'A'..=b'D', b':', ..] => name.get(2..).unwrap_or(name),
        _ => name,
    }
}

fn starts_apart(command: &str) -> bool {
    command.is_empty() || command.starts_with(' ')
}

fn is_user(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

fn is_host_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// A plausible host name or address: letters and digits at both ends.
fn is_host(name: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_alphanumeric();
    (1..=63).contains(&name.len())
        && name.starts_with(alphanumeric)
        && name.ends_with(alphanumeric)
        && name.chars().all(is_host_char)
}

/// A VRP host with the view behind it.
fn is_view(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| is_host_char(c) || matches!(c, '/' | ':'))
}
