//! What starts at boot: systemd units and their state, NetworkManager
//! profiles, and the configuration of lldpad.

use super::boot::{self, Effects, Sources, Unit};
use super::{Evidence, Input, Part, Statements, Subject, shell};
use crate::model::{Fact, NoteKind, Origin, PfcMode, Priorities};
use std::collections::BTreeMap;

const SUFFIXES: &[&str] = &[".service", ".timer", ".socket", ".target"];

/// The name of a unit that a word is, without its path.
fn unit_name(word: &str) -> Option<&str> {
    let name = word.trim_matches(['(', ')', ';', ',', '●', '\'', '"']);
    let name = name.rsplit('/').next()?;
    let unit = SUFFIXES
        .iter()
        .any(|suffix| name.len() > suffix.len() && name.ends_with(suffix));
    unit.then_some(name)
}

/// Whether the text is of a systemd service.
pub fn recognise_unit(text: &str) -> bool {
    text.contains("[Service]") && text.contains("ExecStart")
}

/// Reads a unit, or what `systemctl cat` prints of several.
pub fn unit(input: &Input<'_>, out: &mut Statements) {
    let of_file =
        unit_name(input.file).or_else(|| unit_name(crate::source::folder::stem(input.file)));
    let of_command = input.command.iter().find_map(|word| unit_name(word));
    let mut unit = Unit {
        name: of_file.or(of_command).map(str::to_owned),
        commands: Vec::new(),
        at: input.at(0),
    };
    let mut joined: Option<(usize, String)> = None;
    for (offset, line) in input.lines() {
        let body = line.trim_start();
        // `systemctl cat` names each file above its text.
        let named = body.strip_prefix("# /").and_then(unit_name);
        if let Some(name) = named {
            if unit.name.as_deref() != Some(name) && !unit.commands.is_empty() {
                keep(&mut unit, input.at(offset), out);
            }
            unit.name = Some(name.to_owned());
        }
        let (start, mut text) = match joined.take() {
            Some((start, text)) => (start, text + body),
            None => (offset, body.to_owned()),
        };
        if text.ends_with('\\') && text.len() < 4096 {
            text.pop();
            text.push(' ');
            joined = Some((start, text));
            continue;
        }
        let Some((key, value)) = text.split_once('=') else {
            continue;
        };
        if matches!(key.trim(), "ExecStart" | "ExecStartPre" | "ExecStartPost")
            && unit.commands.len() < Sources::MOST
        {
            let command = value.trim().trim_start_matches(['-', '@', '+', '!', ':']);
            unit.commands.push((command.to_owned(), input.at(start)));
        }
    }
    keep(&mut unit, input.at(0), out);
}

fn keep(unit: &mut Unit, next: Origin, out: &mut Statements) {
    let next = Unit {
        name: None,
        commands: Vec::new(),
        at: next,
    };
    let whole = std::mem::replace(unit, next);
    if !whole.commands.is_empty() && out.boot.units.len() < Sources::MOST {
        out.boot.units.push(whole);
    }
}

/// Whether the text tells which units start at boot.
pub fn recognise_states(text: &str) -> bool {
    text.contains("Loaded: loaded (") || text.contains("UNIT FILE") && text.contains("STATE")
}

/// Reads `systemctl status`, `is-enabled` and `list-unit-files`.
pub fn states(input: &Input<'_>, out: &mut Statements) {
    let enabled = |word: &str| match word.trim_matches([';', ')', ',']) {
        "enabled" | "enabled-runtime" | "alias" | "generated" => Some(true),
        "disabled" | "masked" | "masked-runtime" => Some(false),
        _ => None,
    };
    let asked: Vec<&str> = input
        .command
        .iter()
        .filter_map(|word| unit_name(word))
        .collect();
    let bare = |word: &&&str| {
        !word.starts_with('-') && !matches!(**word, "systemctl" | "is-enabled" | "status")
    };
    let asked = match asked.is_empty() {
        // The suffix may be left out where a service is meant.
        true => input
            .command
            .iter()
            .filter(bare)
            .map(|word| format!("{word}.service"))
            .collect(),
        false => asked.into_iter().map(str::to_owned).collect::<Vec<_>>(),
    };
    let mut row = 0;
    for (offset, line) in input.lines() {
        let at = input.at(offset);
        let words: Vec<&str> = line.split_whitespace().collect();
        let loaded = line.trim_start().strip_prefix("Loaded: loaded (");
        let (name, state) = if let Some(rest) = loaded {
            let fields: Vec<&str> = rest.split(';').map(str::trim).collect();
            // A template's file is not the instance that was asked for.
            let instance = asked
                .first()
                .filter(|_| asked.len() == 1 && !asked.iter().any(|n| n.contains("status")));
            let file = fields
                .first()
                .and_then(|path| unit_name(path))
                .map(str::to_owned);
            (
                instance.cloned().or(file),
                fields.get(1).and_then(|word| enabled(word)),
            )
        } else if let (Some(name), Some(state)) =
            (words.first().and_then(|w| unit_name(w)), words.get(1))
        {
            (Some(name.to_owned()), enabled(state))
        } else if let [state] = words.as_slice() {
            row += 1;
            (asked.get(row - 1).cloned(), enabled(state))
        } else {
            continue;
        };
        if let (Some(name), Some(state)) = (name, state)
            && out.boot.enabled.len() < Sources::MOST
        {
            out.boot.enabled.insert(name, (state, at));
        }
    }
}

/// Whether the text is a profile of NetworkManager with DCB settings, a file
/// or as nmcli prints it.
pub fn recognise_profile(text: &str) -> bool {
    text.contains("[connection]") && text.contains("[dcb]")
        || text.contains("dcb.priority-flow-control")
}

/// Reads the DCB settings of a profile (nm-settings-keyfile(5),
/// NMSettingDcb): the flags' lowest bit says whether they are used, the one of
/// value 4 whether the switch may overrule them.
pub fn profile(input: &Input<'_>, out: &mut Statements) {
    let mut values: BTreeMap<String, (&str, Origin)> = BTreeMap::new();
    let mut section = "";
    for (offset, line) in input.lines() {
        let body = line.trim();
        if let Some(name) = body
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name;
            continue;
        }
        let Some((key, value)) = body.split_once(['=', ':']) else {
            continue;
        };
        let key = match key.contains('.') {
            true => key.trim().to_owned(),
            false => format!("{section}.{}", key.trim()),
        };
        values.insert(key, (value.trim(), input.at(offset)));
    }
    let value = |key: &str| values.get(key).copied();
    let device = value("connection.interface-name").map(|(name, _)| name);
    let mut part = Part::new(
        device.map(Subject::netdev).unwrap_or_default(),
        Evidence::None,
    );
    let flags = value("dcb.priority-flow-control-flags")
        .and_then(|(flags, at)| Some((super::leading_number(flags)?, at)));
    let list = value("dcb.priority-flow-control");
    let manual =
        value("connection.autoconnect").filter(|(value, _)| matches!(*value, "false" | "no" | "0"));
    let (Some((flags, at)), false) = (flags, part.subject.is_empty()) else {
        return;
    };
    if flags & 1 == 0 {
        return;
    }
    part.nic().boot.pfc = match (
        manual,
        list.and_then(|(list, at)| Some((of_profile(list)?, at))),
    ) {
        (Some((_, at)), _) => Fact::unknown_at(
            "the profile with it does not start by itself (autoconnect)".to_owned(),
            at,
        ),
        (_, Some((on, at))) => Fact::explicit(on, at),
        (_, None) => Fact::unknown_at(
            "the profile's list of priorities is not understood".to_owned(),
            at,
        ),
    };
    if flags & 4 != 0 {
        part.nic().overwritten_by =
            Fact::explicit("NetworkManager's DCBX (willing)".to_owned(), at);
    }
    out.push(part);
}

/// Eight values, which a file separates by semicolons or commas.
fn of_profile(list: &str) -> Option<Priorities> {
    let list = list.trim_end_matches([';', ',']).replace(';', ",");
    let list = list.replace("true", "1").replace("false", "0");
    boot::bits(&list.replace(' ', ""))
}

/// Whether the text is the configuration that lldpad keeps.
pub fn recognise_lldpad(text: &str) -> bool {
    text.contains("tlvid0080c2") || text.contains("dcbx_version") && text.contains("pfc_enable")
}

/// Reads lldpad.conf (openlldp, lldp_8021qaz.c): the PFC TLV of IEEE 802.1Qaz
/// holds a mask of priorities, and whether the switch may overrule it.
pub fn lldpad(input: &Input<'_>, out: &mut Statements) {
    let mut path: Vec<&str> = Vec::new();
    let mut name = "";
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
    for (offset, line) in input.lines() {
        for (at, token) in Tokens(line) {
            match token {
                "{" if path.len() < 32 => path.push(std::mem::take(&mut name)),
                "}" => {
                    path.pop();
                }
                _ if token.contains('=') => {
                    let (key, value) = token.split_once('=').unwrap_or((token, ""));
                    let at = input.at(offset + at);
                    setting(
                        &path,
                        key.trim(),
                        value.trim().trim_matches('"'),
                        at,
                        &mut parts,
                    );
                }
                _ => name = token.trim_end_matches(':').trim(),
            }
        }
    }
    if parts.is_empty() {
        let text = "no port of this configuration has PFC settings";
        out.note(NoteKind::Remark, text, input.at(0));
    }
    parts.into_values().for_each(|part| out.push(part));
}

fn setting(path: &[&str], key: &str, value: &str, at: Origin, parts: &mut BTreeMap<String, Part>) {
    let [.., port, "tlvid0080c20b"] = path else {
        return;
    };
    let Some(port) = super::device_name(port) else {
        return;
    };
    let new = || Part::new(Subject::netdev(&port), Evidence::Possible);
    match key {
        "enabled" => {
            let mask = shell::number(value).and_then(|mask| u8::try_from(mask).ok());
            let part = parts.entry(port.clone()).or_insert_with(new);
            part.nic().boot.pfc = match mask {
                Some(mask) => Fact::explicit(Priorities::from_mask(mask), at),
                None => Fact::unknown_at(format!("`enabled = {value}` is not a mask"), at),
            };
        }
        "willing" => {
            let part = parts.entry(port.clone()).or_insert_with(new);
            if matches!(value, "true" | "1") {
                part.nic().overwritten_by = Fact::explicit("lldpad (willing)".to_owned(), at);
                part.port.pfc.mode = Fact::explicit(PfcMode::Auto, at);
            }
        }
        _ => {}
    }
}

/// Names, braces and settings of a line in libconfig's form, with their bytes.
struct Tokens<'a>(&'a str);

impl<'a> IntoIterator for Tokens<'a> {
    type Item = (usize, &'a str);
    type IntoIter = std::vec::IntoIter<(usize, &'a str)>;

    fn into_iter(self) -> Self::IntoIter {
        let mut tokens = Vec::new();
        let mut start = 0;
        let line = self.0;
        for (at, c) in line.char_indices() {
            if !matches!(c, '{' | '}' | ';') {
                continue;
            }
            let before = line.get(start..at).unwrap_or_default().trim();
            if !before.is_empty() {
                tokens.push((start, before));
            }
            if c != ';' {
                tokens.push((at, line.get(at..=at).unwrap_or_default()));
            }
            start = at + 1;
        }
        let rest = line.get(start..).unwrap_or_default().trim();
        if !rest.is_empty() {
            tokens.push((start, rest));
        }
        tokens.into_iter()
    }
}

/// Whether the text holds rules of udev that run a tool for an interface, or
/// jobs of cron that run at boot.
pub fn recognise_hooks(text: &str) -> bool {
    super::lines(text).any(|(_, line)| hook(line).is_some())
}

/// The command of a hook.
fn hook(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(command) = line.strip_prefix("@reboot ") {
        return Some(command);
    }
    let (rule, command) = line.split_once("RUN+=\"")?;
    let of_interface =
        rule.contains("SUBSYSTEM==\"net\"") || rule.contains("SUBSYSTEM==\"infiniband\"");
    command.split('"').next().filter(|_| of_interface)
}

/// Reads such hooks.
pub fn hooks(input: &Input<'_>, out: &mut Statements) {
    for (offset, line) in input.lines() {
        let Some(command) = hook(line) else { continue };
        let at = input.at(offset);
        // A rule names its interface, or stands for each (`%k`).
        let named = line
            .split_once("NAME==\"")
            .or_else(|| line.split_once("KERNEL==\""));
        let named = named.and_then(|(_, rest)| rest.split('"').next());
        let command = match named.and_then(super::device_name) {
            Some(name) => command.replace("%k", &name).replace("$name", &name),
            None => command.to_owned(),
        };
        let effects = Effects::of(&shell::of_line(&command, at));
        boot::state(&effects, input.index, at, out);
        if !effects.runs.is_empty() && out.boot.units.len() < Sources::MOST {
            out.boot.units.push(Unit {
                name: Some(HOOK.to_owned()),
                commands: vec![(command, at)],
                at,
            });
            out.boot.enabled.insert(HOOK.to_owned(), (true, at));
        }
    }
}

/// The name under which a hook's scripts are found.
const HOOK: &str = "the hook";
