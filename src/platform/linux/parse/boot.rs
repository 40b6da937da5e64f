//! What the host does at boot: scripts, hooks and units that set PFC, trust or
//! the traffic class again. They tell what the next boot brings, never what is
//! in force.

use super::shell::{self, Command};
use super::{Everywhere, Evidence, Input, Only, Part, Statements, Subject};
use crate::model::{Boot, Fact, NoteKind, Origin, Priorities, Trust};
use crate::platform::linux::make::Make;
use std::collections::BTreeMap;

/// What a text sets, by device; `None` for one that only the run knows.
#[derive(Clone, Default)]
pub struct Effects {
    devices: Vec<(Option<Subject>, Boot)>,
    /// What it sets on all NICs of AMD: nicctl names none.
    ionic: Option<Boot>,
    /// Scripts that it runs, by path.
    pub runs: Vec<String>,
}

/// A script that something else may run at boot.
pub struct Script {
    name: String,
    effects: Effects,
    at: Origin,
    capture: usize,
}

/// A systemd unit.
pub struct Unit {
    /// With its suffix; a template's ends in `@.service`.
    pub name: Option<String>,
    /// Its text, to be read once the instances of a template are known.
    pub commands: Vec<(String, Origin)>,
    /// Where it begins.
    pub at: Origin,
}

/// Boot sources that need other captures to be understood.
#[derive(Default)]
pub struct Sources {
    /// Scripts.
    pub scripts: Vec<Script>,
    /// Units.
    pub units: Vec<Unit>,
    /// Whether units start at boot, by name.
    pub enabled: BTreeMap<String, (bool, Origin)>,
}

impl Sources {
    /// No host has more.
    pub const MOST: usize = 1000;

    /// Keeps a script for the units that run it.
    pub fn script(&mut self, script: Script) {
        if self.scripts.len() < Self::MOST {
            self.scripts.push(script);
        }
    }
}

impl Effects {
    /// Of shell commands.
    pub fn of(commands: &[Command]) -> Self {
        let mut effects = Effects::default();
        commands.iter().for_each(|command| effects.add(command));
        effects
    }

    fn set_anything(&self) -> bool {
        !self.devices.is_empty() || self.ionic.is_some()
    }

    /// Leaves all of it open.
    fn open(&mut self, why: &str, at: Origin) {
        let named = self.devices.iter_mut().map(|(_, boot)| boot);
        named
            .chain(&mut self.ionic)
            .for_each(|boot| open(boot, why, at));
    }

    fn entry(&mut self, device: Option<Subject>) -> Option<&mut Boot> {
        match self.devices.iter().position(|(known, _)| *known == device) {
            None if self.devices.len() < Sources::MOST => {
                self.devices.push((device, Boot::default()));
                self.devices.last_mut().map(|(_, boot)| boot)
            }
            None => None,
            Some(n) => self.devices.get_mut(n).map(|(_, boot)| boot),
        }
    }

    fn add(&mut self, command: &Command) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let Some(first) = words.first() else { return };
        let tool = first.rsplit('/').next().unwrap_or(first);
        match tool {
            "mlnx_qos" => self.mlnx_qos(&words, command),
            "dcb" => self.dcb(&words, command),
            "nicctl" => self.nicctl(&words, command),
            "lldptool" => self.lldptool(&words, command),
            "echo" | "tee" | "printf" => self.echo(&words, command),
            "sh" | "bash" => {
                let script = words.get(1).filter(|word| word.contains('/'));
                self.runs.extend(script.map(|path| (*path).to_owned()));
            }
            _ if first.contains('/') => self.runs.push((*first).to_owned()),
            _ => {}
        }
    }

    fn mlnx_qos(&mut self, words: &[&str], command: &Command) {
        let option = |names: &[&str]| {
            let mut rest = words.iter();
            while let Some(word) = rest.next() {
                if names.contains(word) {
                    return rest.next().copied();
                }
                if let Some((name, value)) = word.split_once('=')
                    && names.contains(&name)
                {
                    return Some(value);
                }
            }
            None
        };
        let device = device(option(&["-i", "--interface"]), Subject::netdev);
        let at = command.at;
        let pfc = option(&["-f", "--pfc"]).map(|list| match bits(list) {
            Some(on) => Fact::explicit(on, at),
            None => Fact::unknown_at(format!("`--pfc {list}` is not understood"), at),
        });
        let trust = option(&["--trust"]).map(|state| match state {
            "dscp" => Fact::explicit(Trust::Dscp, at),
            "pcp" => Fact::explicit(Trust::Pcp, at),
            _ => Fact::unknown_at(format!("`--trust {state}` is not understood"), at),
        });
        let Some(boot) = self.entry(device) else {
            return;
        };
        set(&mut boot.pfc, pfc, command);
        set(&mut boot.trust, trust, command);
    }

    fn dcb(&mut self, words: &[&str], command: &Command) {
        let after = |key: &str| {
            let n = words.iter().position(|word| *word == key)?;
            words.get(n + 1..)
        };
        let device = device(
            after("dev").and_then(|w| w.first().copied()),
            Subject::netdev,
        );
        let at = command.at;
        let verb = |verbs: &[&str]| verbs.iter().any(|verb| words.contains(verb));
        let Some(boot) = self.entry(device) else {
            return;
        };
        if let (true, Some(switches)) =
            (words.contains(&"pfc") && verb(&["set"]), after("prio-pfc"))
        {
            let before = boot.pfc.get().unwrap_or_default();
            let pfc = match switched(before, switches) {
                Some(on) => Fact::explicit(on, at),
                None => Fact::unknown_at("its list of priorities is not understood".to_owned(), at),
            };
            set(&mut boot.pfc, Some(pfc), command);
        } else if words.contains(&"apptrust")
            && let Some(order) = after("order")
        {
            let trust = match order {
                ["dscp", "pcp", ..] => Trust::Both,
                ["dscp", ..] => Trust::Dscp,
                ["pcp", ..] => Trust::Pcp,
                _ => return,
            };
            set(&mut boot.trust, Some(Fact::explicit(trust, at)), command);
        } else if words.contains(&"app")
            && verb(&["add", "replace"])
            && words.contains(&"dscp-prio")
        {
            // The first entry makes mlx5 trust DSCP; an explicit order counts more.
            if !boot.trust.is_known() {
                let why = &super::super::defaults::TRUST_BY_APP;
                let trust = Fact::Default(Trust::Dscp, why.into(), at);
                set(&mut boot.trust, Some(trust), command);
            }
        }
    }

    /// `nicctl update qos pfc --priority 3 --no-drop enable`.
    fn nicctl(&mut self, words: &[&str], command: &Command) {
        let after = |key: &str| {
            let n = words.iter().position(|word| *word == key)?;
            words.get(n + 1).copied()
        };
        let at = command.at;
        let has = |word: &str| words.contains(&word);
        if !has("update") || !has("qos") {
            return;
        }
        let boot = self.ionic.get_or_insert_default();
        if let Some(kind) = after("--classification-type") {
            let trust = match kind {
                "dscp" | "DSCP" => Fact::explicit(Trust::Dscp, at),
                "pcp" | "PCP" => Fact::explicit(Trust::Pcp, at),
                _ => return,
            };
            set(&mut boot.trust, Some(trust), command);
        }
        let priority = after("--priority").filter(|_| has("pfc"));
        if let (Some(priority), Some(state)) = (priority, after("--no-drop")) {
            let switch = match state {
                "enable" => format!("{priority}:on"),
                _ => format!("{priority}:off"),
            };
            let before = boot.pfc.get().unwrap_or_default();
            let pfc = match switched(before, &[&switch]) {
                Some(on) => Fact::explicit(on, at),
                None => {
                    Fact::unknown_at(format!("the priority `{priority}` is not understood"), at)
                }
            };
            set(&mut boot.pfc, Some(pfc), command);
        }
    }

    /// `lldptool -T -i IF -V PFC willing=no enabled=3`.
    fn lldptool(&mut self, words: &[&str], command: &Command) {
        let set_tlv = |word: &&str| matches!(*word, "-T" | "-Ti" | "set-tlv");
        let of_pfc = words.windows(2).any(|pair| pair == ["-V", "PFC"]);
        let list = words.iter().find_map(|word| word.strip_prefix("enabled="));
        let name = words.iter().position(|word| matches!(*word, "-i" | "-Ti"));
        let name = name.and_then(|n| words.get(n + 1).copied());
        let (Some(list), true) = (list, of_pfc && words.iter().any(set_tlv)) else {
            return;
        };
        let at = command.at;
        let pfc = match super::lldptool::priorities(list) {
            Some(on) => Fact::explicit(on, at),
            None => Fact::unknown_at(format!("`enabled={list}` is not understood"), at),
        };
        if let Some(boot) = self.entry(device(name, Subject::netdev)) {
            set(&mut boot.pfc, Some(pfc), command);
        }
    }

    fn echo(&mut self, words: &[&str], command: &Command) {
        let Some(path) = command.output.as_deref() else {
            return;
        };
        let folders: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let ["sys", "class", "infiniband", name, "tc", _, "traffic_class"] = folders.as_slice()
        else {
            return;
        };
        let number = words.get(1).and_then(|word| shell::number(word));
        let at = command.at;
        let class = match number.and_then(|number| u8::try_from(number).ok()) {
            Some(class) => Fact::explicit(class, at),
            None => Fact::unknown_at("the number that it writes is not understood".to_owned(), at),
        };
        let device = device(Some(name), Subject::rdma);
        if let Some(boot) = self.entry(device) {
            set(&mut boot.traffic_class, Some(class), command);
        }
    }
}

/// A device as a command names it; `None` where a variable does.
fn device(name: Option<&str>, make: fn(&str) -> Subject) -> Option<Subject> {
    let subject = name.map(make)?;
    (!subject.is_empty()).then_some(subject)
}

/// A later command counts; one under a condition leaves it open.
fn set<T>(fact: &mut Fact<T>, value: Option<Fact<T>>, command: &Command) {
    let Some(value) = value else { return };
    *fact = match command.certain {
        true => value,
        false => Fact::unknown_at(
            "the boot script sets it under a condition: whether it runs is not known".to_owned(),
            command.at,
        ),
    };
}

/// `0,0,0,1,0,0,0,0`.
pub fn bits(list: &str) -> Option<Priorities> {
    let bits: Option<Vec<bool>> = list
        .split(',')
        .map(|bit| match bit.trim() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
        .collect();
    let bits = bits.filter(|bits| bits.len() == 8)?;
    Some(
        (0..8)
            .zip(bits)
            .filter_map(|(p, on)| on.then_some(p))
            .collect(),
    )
}

/// `all:off 3:on`: what is not named stays as it was.
fn switched(mut on: Priorities, switches: &[&str]) -> Option<Priorities> {
    for switch in switches {
        let Some((which, state)) = switch.split_once(':') else {
            break; // another key of the same command
        };
        let state = match state {
            "on" => true,
            "off" => false,
            _ => return None,
        };
        let which = match which {
            "all" => Priorities::from_mask(u8::MAX),
            digit => [digit.parse().ok().filter(|p: &u8| *p < 8)?]
                .into_iter()
                .collect(),
        };
        on = match state {
            true => on.iter().chain(which.iter()).collect(),
            false => on.difference(which),
        };
    }
    Some(on)
}

/// What a script has that sets such things.
const SETTERS: &[&str] = &[
    "mlnx_qos",
    "dcb ",
    "/tc/1/traffic_class",
    "cma_roce_tos",
    "nicctl ",
    "lldptool ",
];

/// Whether the text is a shell script that sets such things.
pub fn recognise_script(text: &str) -> bool {
    text.trim_start().starts_with("#!")
        && !text.contains("/usr/sbin/nft")
        && SETTERS.iter().any(|word| text.contains(word))
}

/// Folders and files that the system runs by itself at boot or whenever an
/// interface comes up (ifupdown, NetworkManager-dispatcher(8), ifup-local,
/// networkd-dispatcher(8), rc.local).
const RUN_AT_BOOT: &[&str] = &[
    "/etc/network/if-up.d/",
    "/etc/network/if-pre-up.d/",
    "/etc/NetworkManager/dispatcher.d/",
    "/etc/networkd-dispatcher/",
    "/sbin/ifup-local",
    "/etc/rc.local",
    "/etc/rc.d/rc.local",
];

/// Reads a script. One in a place that is run at boot tells by itself; any
/// other counts once a unit names it.
pub fn script(input: &Input<'_>, out: &mut Statements) {
    let commands = shell::commands(input);
    let effects = Effects::of(&commands);
    let path = input.file;
    if RUN_AT_BOOT.iter().any(|place| path.contains(place)) {
        return state(&effects, input.index, input.at(0), out);
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    out.boot.script(Script {
        name: name.to_owned(),
        effects,
        at: input.at(0),
        capture: input.index,
    });
}

/// Says what a boot source sets.
pub fn state(effects: &Effects, capture: usize, at: Origin, out: &mut Statements) {
    if let Some(boot) = &effects.ionic {
        let mut part = Part::new(Subject::default(), Evidence::None);
        part.capture = capture;
        part.nic().boot = boot.clone();
        out.everywhere.push(Everywhere {
            part,
            only: Only::Make(Make::Ionic),
        });
    }
    for (device, boot) in &effects.devices {
        let mut boot = boot.clone();
        if device.is_none() {
            let why = "a boot source sets it for an interface that only its run knows";
            open(&mut boot, why, at);
        }
        let mut part = Part::new(device.clone().unwrap_or_default(), Evidence::None);
        part.capture = capture;
        part.nic().boot = boot;
        match device {
            Some(_) => out.push(part),
            None => out.everywhere.push(Everywhere {
                part,
                only: Only::All,
            }),
        }
    }
}

/// Leaves open what is set.
fn open(boot: &mut Boot, why: &str, at: Origin) {
    fn one<T>(fact: &mut Fact<T>, why: &str, at: Origin) {
        if fact.is_known() || fact.at().is_known() {
            let at = match fact.at().is_known() {
                true => fact.at(),
                false => at,
            };
            *fact = Fact::unknown_at(why.to_owned(), at);
        }
    }
    one(&mut boot.pfc, why, at);
    one(&mut boot.trust, why, at);
    one(&mut boot.traffic_class, why, at);
}

/// Joins units, the scripts that they run, and whether they are enabled.
pub fn resolve(out: &mut Statements) {
    let Sources {
        scripts,
        units,
        enabled,
    } = std::mem::take(&mut out.boot);
    let mut run = vec![false; scripts.len()];
    for unit in &units {
        for (instance, state) in instances(unit, &enabled) {
            let mut effects = Effects::default();
            for (line, at) in &unit.commands {
                let line = instance.map_or_else(
                    || line.clone(),
                    |name| line.replace("%i", name).replace("%I", name),
                );
                let commands = shell::of_line(&line, *at);
                commands.iter().for_each(|command| effects.add(command));
            }
            let mut all = vec![(effects, unit.at)];
            let paths = all
                .first()
                .map(|(effects, _)| effects.runs.clone())
                .unwrap_or_default();
            for path in &paths {
                let name = path.rsplit('/').next().unwrap_or(path);
                let stem = crate::source::folder::stem(name);
                for (n, script) in scripts.iter().enumerate() {
                    if script.name == name
                        || script.name == stem
                        || crate::source::folder::stem(&script.name) == name
                    {
                        if let Some(run) = run.get_mut(n) {
                            *run = true;
                        }
                        all.push((script.effects.clone(), script.at));
                    }
                }
            }
            for (mut effects, at) in all {
                let capture = at.capture().unwrap_or_default();
                let name = unit.name.as_deref().unwrap_or("the unit");
                match state {
                    Some((true, _)) => {}
                    Some((false, at)) => {
                        if effects.set_anything() {
                            let text = format!(
                                "{name} is not enabled: what it sets does not come back at boot"
                            );
                            out.note(NoteKind::Remark, text, at);
                        }
                        continue;
                    }
                    None => {
                        let why = format!(
                            "whether {name} starts at boot is not known (systemctl is-enabled would tell)"
                        );
                        effects.open(&why, at);
                    }
                }
                self::state(&effects, capture, at, out);
            }
        }
    }
    for (script, _) in scripts.iter().zip(run).filter(|(_, run)| !run) {
        let mut effects = script.effects.clone();
        let why = format!("whether anything runs {} at boot is not known", script.name);
        effects.open(&why, script.at);
        state(&effects, script.capture, script.at, out);
    }
}

type State = Option<(bool, Origin)>;

/// The unit itself, or the instances of a template that are known; with
/// whether each starts at boot.
fn instances<'e>(
    unit: &Unit,
    enabled: &'e BTreeMap<String, (bool, Origin)>,
) -> Vec<(Option<&'e str>, State)> {
    let Some(name) = &unit.name else {
        return vec![(None, None)];
    };
    let Some((prefix, suffix)) = name.split_once("@.") else {
        return vec![(None, enabled.get(name).copied())];
    };
    let known: Vec<_> = enabled
        .iter()
        .filter_map(|(name, state)| {
            let instance = name.strip_prefix(prefix)?.strip_prefix('@')?;
            let instance = instance.strip_suffix(suffix)?.strip_suffix('.')?;
            (!instance.is_empty()).then_some((Some(instance), Some(*state)))
        })
        .collect();
    match known.is_empty() {
        true => vec![(None, None)],
        false => known,
    }
}
