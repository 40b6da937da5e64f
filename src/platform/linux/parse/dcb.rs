//! `dcb` of iproute2: PFC, DSCP priorities, ETS, buffers and trust order, as
//! text and as JSON. Keys are absent, not empty, where nothing is set.

use super::{At, Statement, Statements, Text, Trouble};
use crate::model::{Priorities, SchedulerKind, Trust};
use crate::platform::text::json::{Document, Node};

const TEXT_MARKS: [&str; 6] = [
    "prio-pfc ",
    "dscp-prio ",
    "prio-tc ",
    "prio-buffer ",
    "buffer-size ",
    "tc-tsa ",
];
const JSON_MARKS: [&str; 4] = [
    "\"prio_pfc\"",
    "\"dscp_prio\"",
    "\"prio_buffer\"",
    "\"prio_tc\"",
];

pub fn is(text: &Text<'_>) -> bool {
    TEXT_MARKS.iter().any(|mark| text.text.contains(mark))
        || JSON_MARKS.iter().any(|mark| text.text.contains(mark))
        || is_command(text, "dcb")
        || (text.text.starts_with("order: ") && text.text.len() < 200)
}

fn is_command(text: &Text<'_>, name: &str) -> bool {
    let mut words = text.command.split_whitespace();
    words.any(|word| word == name || word.ends_with("/dcb"))
}

pub fn parse(text: &Text<'_>, out: &mut Statements) {
    let before = out.len();
    if JSON_MARKS.iter().any(|mark| text.text.contains(mark)) {
        json(text, out);
    } else {
        plain(text, out);
    }
    // `dcb app show` that prints nothing: there is no entry.
    let silent = text.text.trim().is_empty() || text.text.trim() == "{}";
    if out.len() == before && silent && text.command.contains("app show") {
        out.push((
            text.subject.clone(),
            Statement::Dscp {
                entries: Vec::new(),
                complete: true,
                at: text.origin(text.text),
            },
        ));
    }
}

/// Some services log a result with words around it, so keys are looked for
/// anywhere in a line.
fn plain(text: &Text<'_>, out: &mut Statements) {
    let mut subject = text.subject.clone();
    for line in text.lines() {
        if let Some(name) = named(line) {
            subject = super::Subject::Netdev(name.to_owned());
        }
        let mut say = |statement| out.push((subject.clone(), statement));
        if let Some(pairs) = after(line, "prio-pfc ") {
            match switches(pairs) {
                Some(set) => say(Statement::Pfc(text.at(set, line))),
                None => say(unparsed(text, line)),
            }
        }
        if let Some(pairs) = after(line, "dscp-prio ") {
            let entries: Option<Vec<_>> = pairs
                .split_whitespace()
                .map(|pair| {
                    let (code, priority) = pair.split_once(':')?;
                    let priority = priority.parse().ok().filter(|p| *p < 8u8)?;
                    Some((dscp(code)?, text.at(priority, line)))
                })
                .collect();
            match entries {
                Some(entries) => say(Statement::Dscp {
                    entries,
                    complete: false,
                    at: text.origin(line),
                }),
                None => say(unparsed(text, line)),
            }
        }
        if line.contains("no mapping configured") || line.starts_with("(empty") {
            say(Statement::Dscp {
                entries: Vec::new(),
                complete: true,
                at: text.origin(line),
            });
        }
        if let Some(pairs) = after(line, "prio-tc ") {
            match numbers(pairs) {
                Some(row) => say(Statement::PriorityTc(placed(text, row, line))),
                None => say(unparsed(text, line)),
            }
        }
        if let Some(pairs) = after(line, "tc-tsa ") {
            for pair in pairs.split_whitespace().take(8) {
                let Some((tc, kind)) = pair.split_once(':') else {
                    break;
                };
                let Ok(tc) = tc.parse() else { break };
                say(Statement::Scheduler {
                    tc,
                    kind: text.at(scheduler(kind), line),
                    share: None,
                });
            }
        }
        if let Some(pairs) = after(line, "prio-buffer ") {
            match numbers(pairs) {
                Some(row) => say(Statement::PriorityBuffer(placed(text, row, line))),
                None => say(unparsed(text, line)),
            }
        }
        if let Some(pairs) = after(line, "buffer-size ") {
            let sizes: Option<Vec<At<u64>>> = pairs
                .split_whitespace()
                .map(|pair| Some(text.at(size(pair.split_once(':')?.1)?, line)))
                .collect();
            match sizes {
                Some(sizes) => say(Statement::BufferSizes(sizes)),
                None => say(unparsed(text, line)),
            }
        }
        let order = line
            .strip_prefix("order:")
            .or_else(|| line.split_once("trust order").map(|(_, rest)| rest));
        if let Some(trust) = order.and_then(first_trusted) {
            say(Statement::Trust(text.at(trust, line)));
        }
    }
}

/// A heading that names the device of what follows (`… for eth0:`, `… on eth0`).
fn named(line: &str) -> Option<&str> {
    let rest = line
        .split(" for ")
        .nth(1)
        .or_else(|| line.split(" on ").nth(1))?;
    let name = rest.split([':', ' ']).next()?;
    let device = name.starts_with("en") || name.starts_with("eth") || name.starts_with("ib");
    device.then_some(name)
}

fn first_trusted(order: &str) -> Option<Trust> {
    let words: Vec<&str> = order.split([' ', ':']).collect();
    let dscp = words.iter().position(|word| *word == "dscp");
    let pcp = words.iter().position(|word| *word == "pcp");
    match (dscp, pcp) {
        (Some(_), None) => Some(Trust::Dscp),
        (None, Some(_)) => Some(Trust::Pcp),
        // DSCP first: IP packets go by it, the rest by the tag.
        (Some(dscp), Some(pcp)) if dscp < pcp => Some(Trust::Both),
        (Some(_), Some(_)) => Some(Trust::Pcp),
        (None, None) => None,
    }
}

fn after<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let start = line.find(key)?;
    let whole_word = start == 0 || line.as_bytes().get(start - 1) == Some(&b' ');
    whole_word.then(|| line.get(start + key.len()..)).flatten()
}

/// `0:off 1:off … 7:on`, all eight.
fn switches(pairs: &str) -> Option<Priorities> {
    let mut set = Priorities::NONE;
    let mut seen = Priorities::NONE;
    for pair in pairs.split_whitespace() {
        let Some((priority, state)) = pair.split_once(':') else {
            break;
        };
        let priority = priority.parse().ok().filter(|p| *p < 8u8)?;
        seen.insert(priority);
        match state {
            "on" => set.insert(priority),
            "off" => {}
            _ => return None,
        }
    }
    (seen.mask() == 0xff).then_some(set)
}

fn numbers(pairs: &str) -> Option<Vec<(u8, u8)>> {
    let mut row = Vec::new();
    for pair in pairs.split_whitespace() {
        let Some((key, value)) = pair.split_once(':') else {
            break;
        };
        let (Ok(key), Ok(value)) = (key.parse(), value.parse()) else {
            break;
        };
        row.push((key, value));
    }
    (!row.is_empty() && row.iter().all(|(k, v)| *k < 8 && *v < 8)).then_some(row)
}

fn placed(text: &Text<'_>, row: Vec<(u8, u8)>, line: &str) -> Vec<(u8, At<u8>)> {
    let row = row.into_iter();
    row.map(|(key, value)| (key, text.at(value, line)))
        .collect()
}

/// `20Kb`, `152Kb`, `0b`: iproute2 counts 1024 and writes bytes as `b`.
fn size(text: &str) -> Option<u64> {
    let (number, factor) = if let Some(number) = text.strip_suffix("Kb") {
        (number, 1024.0)
    } else if let Some(number) = text.strip_suffix("Mb") {
        (number, 1024.0 * 1024.0)
    } else {
        (text.strip_suffix('b').unwrap_or(text), 1.0)
    };
    let number: f64 = number.parse().ok()?;
    (number >= 0.0).then_some((number * factor) as u64)
}

fn scheduler(word: &str) -> Option<SchedulerKind> {
    match word {
        "strict" => Some(SchedulerKind::Strict),
        "ets" => Some(SchedulerKind::Weighted),
        _ => None,
    }
}

/// A DSCP by number or by name (RFC 2474, 2597, 3246, 8622).
pub fn dscp(name: &str) -> Option<u8> {
    if let Ok(code) = name.parse::<u8>() {
        return (code < 64).then_some(code);
    }
    let digit = |rest: &str| rest.parse::<u8>().ok();
    if let Some(class) = name.strip_prefix("CS").and_then(digit) {
        return (class < 8).then_some(class * 8);
    }
    if let Some(af) = name.strip_prefix("AF").and_then(digit) {
        let (class, drop) = (af / 10, af % 10);
        return ((1..=4).contains(&class) && (1..=3).contains(&drop))
            .then_some(class * 8 + drop * 2);
    }
    match name {
        "EF" => Some(46),
        "VA" | "VOICE-ADMIT" => Some(44),
        "LE" => Some(1),
        "DF" | "BE" => Some(0),
        _ => None,
    }
}

fn unparsed(text: &Text<'_>, line: &str) -> Statement {
    Statement::Trouble(
        Trouble::Unparsed,
        "this line of dcb is not understood".to_owned(),
        text.origin(line),
    )
}

fn json(text: &Text<'_>, out: &mut Statements) {
    let Some(start) = text.text.find(['{', '[']) else {
        return;
    };
    let Some(body) = text.text.get(start..) else {
        return;
    };
    let document = Document::parse(body);
    let Some(root) = document.root() else { return };
    let origin = |node: Node<'_>| {
        let part = body.get(node.offset() as usize..).unwrap_or(body);
        text.origin(part)
    };
    let mut say = |statement| out.push((text.subject.clone(), statement));
    if document.error().is_some() {
        say(Statement::Trouble(
            Trouble::Failed,
            "the JSON of dcb ends in the middle".to_owned(),
            text.origin(body),
        ));
        return;
    }
    let rows = |name: &str, most: i64| -> Option<Vec<(u8, At<u8>)>> {
        let list = root.get(name)?;
        let items = list.items().enumerate();
        items
            .map(|(n, item)| {
                let value = item.u64().filter(|v| (*v as i64) < most)?;
                Some((
                    n as u8,
                    At {
                        value: value as u8,
                        at: origin(item),
                    },
                ))
            })
            .collect()
    };
    if let Some(list) = root.get("prio_pfc") {
        let states: Option<Vec<bool>> = list.items().map(|item| item.bool()).collect();
        match states.filter(|states| states.len() == 8) {
            Some(states) => {
                let on = states.iter().enumerate().filter(|(_, on)| **on);
                let set = on.map(|(priority, _)| priority as u8).collect();
                say(Statement::Pfc(At {
                    value: set,
                    at: origin(list),
                }));
            }
            None => say(unparsed(text, body)),
        }
    }
    if let Some(list) = root.get("dscp_prio") {
        // Newer releases print a stray third element.
        let entries: Option<Vec<_>> = list
            .items()
            .map(|row| {
                let mut cells = row.items();
                let code = cells.next()?.u64().filter(|code| *code < 64)? as u8;
                let priority = cells.next()?;
                let value = priority.u64().filter(|p| *p < 8)? as u8;
                Some((
                    code,
                    At {
                        value,
                        at: origin(priority),
                    },
                ))
            })
            .collect();
        match entries {
            Some(entries) => say(Statement::Dscp {
                entries,
                complete: false,
                at: origin(list),
            }),
            None => say(unparsed(text, body)),
        }
    }
    if let Some(row) = rows("prio_buffer", 8) {
        say(Statement::PriorityBuffer(row));
    }
    if let Some(list) = root.get("buffer_size") {
        let sizes: Option<Vec<_>> = list
            .items()
            .map(|item| {
                Some(At {
                    value: item.u64()?,
                    at: origin(item),
                })
            })
            .collect();
        if let Some(sizes) = sizes {
            say(Statement::BufferSizes(sizes));
        }
    }
    if let Some(row) = rows("prio_tc", 8) {
        say(Statement::PriorityTc(row));
    }
    let shares: Vec<Option<u64>> = root
        .get("tc_bw")
        .map(|list| list.items().map(|item| item.u64()).collect())
        .unwrap_or_default();
    for (tc, item) in root
        .get("tc_tsa")
        .iter()
        .flat_map(|list| list.items())
        .enumerate()
    {
        let kind = item.str().and_then(|word| scheduler(&word));
        let share = shares.get(tc).copied().flatten().map(|share| share as u32);
        say(Statement::Scheduler {
            tc: tc as u8,
            kind: At {
                value: kind,
                at: origin(item),
            },
            share: share.filter(|_| kind == Some(SchedulerKind::Weighted)),
        });
    }
    if let Some(order) = root.get("order") {
        let words: Vec<String> = order
            .items()
            .filter_map(|i| Some(i.str()?.into_owned()))
            .collect();
        if let Some(trust) = first_trusted(&words.join(" ")) {
            say(Statement::Trust(At {
                value: trust,
                at: origin(order),
            }));
        }
    }
}
