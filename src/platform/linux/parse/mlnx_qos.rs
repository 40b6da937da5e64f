//! `mlnx_qos -i IF`: trust, DSCP map, PFC, receive buffers and ETS of an mlx5
//! port, as MLNX_OFED prints them; rows differ by release.

use super::{Statement, Statements, Text, Trouble};
use crate::model::{Priorities, SchedulerKind, Trust};

pub fn is(text: &Text<'_>) -> bool {
    text.text.contains("Priority trust state:") || text.text.contains("PFC configuration:")
}

pub fn parse(text: &Text<'_>, out: &mut Statements) {
    let subject = &text.subject;
    let mut say = |statement| out.push((subject.clone(), statement));
    let mut dscp = Vec::new();
    let mut dscp_at = None;
    let mut partial = false;
    let mut trust = None;
    let mut tc: Option<(u8, Option<SchedulerKind>, Option<u32>, &str)> = None;
    let mut priority_tc = Vec::new();
    for line in text.lines() {
        if line.contains("lldpad service is running") {
            say(Statement::Agent(text.at("lldpad".to_owned(), line)));
        } else if let Some(rest) = line.strip_prefix("DCBX mode:") {
            match rest.trim() {
                "OS controlled" => say(Statement::DcbxOs(text.at(true, line))),
                "Firmware controlled" => say(Statement::DcbxOs(text.at(false, line))),
                _ => say(unparsed(text, line)),
            }
        } else if let Some(rest) = line.strip_prefix("Priority trust state:") {
            let value = match rest.trim() {
                "dscp" => Some(Trust::Dscp),
                "pcp" => Some(Trust::Pcp),
                "none" => Some(Trust::None),
                "both" => Some(Trust::Both),
                _ => None,
            };
            match value {
                Some(value) => {
                    trust = Some(value);
                    say(Statement::Trust(text.at(value, line)));
                }
                None => say(unparsed(text, line)),
            }
        } else if line.contains("dscp:") {
            dscp_at.get_or_insert(text.origin(line));
            partial |= !dscp_rows(text, line, &mut dscp);
        } else if let Some(rest) = line.strip_prefix("Receive buffer size (bytes):") {
            let sizes: Option<Vec<u64>> = rest
                .split(',')
                .map(str::trim)
                .filter(|size| !size.is_empty() && !size.starts_with("max_buffer_size"))
                .map(|size| size.parse().ok())
                .collect();
            match sizes {
                Some(sizes) => {
                    let sizes = sizes.into_iter().map(|size| text.at(size, line));
                    say(Statement::BufferSizes(sizes.collect()));
                }
                None => say(unparsed(text, line)),
            }
        } else if let Some(rest) = line.strip_prefix("Cable len:") {
            match rest.trim().parse() {
                Ok(metres) => say(Statement::Cable(text.at(metres, line))),
                Err(_) => say(unparsed(text, line)),
            }
        } else if let Some(row) = eight_after(line, "enabled") {
            let mask = row.iter().enumerate();
            let set = mask.filter(|(_, on)| **on == 1).map(|(p, _)| p as u8);
            let set: Priorities = set.collect();
            match row.iter().all(|on| *on < 2) {
                true => say(Statement::Pfc(text.at(set, line))),
                false => say(unparsed(text, line)),
            }
        } else if line.contains("enabled") && line.split_whitespace().next() == Some("enabled") {
            say(unparsed(text, line));
        } else if let Some(row) = eight_after(line, "buffer") {
            let row = row.iter().enumerate();
            let row = row.map(|(p, buffer)| (p as u8, text.at(*buffer, line)));
            say(Statement::PriorityBuffer(row.collect()));
        } else if let Some(rest) = line.strip_prefix("tc:") {
            if let Some((tc, kind, share, line)) = tc.take() {
                say(scheduler(text, tc, kind, share, line));
            }
            let number = rest.split_whitespace().next().and_then(|n| n.parse().ok());
            match (number, rest.split("tsa:").nth(1)) {
                (Some(number), Some(tsa)) => {
                    let word = tsa.split([',', ' ']).find(|word| !word.is_empty());
                    let kind = match word {
                        Some("strict") => Some(SchedulerKind::Strict),
                        Some("ets") => Some(SchedulerKind::Weighted),
                        _ => None,
                    };
                    let share = tsa.split("bw:").nth(1);
                    let share = share.and_then(|bw| bw.trim().trim_end_matches('%').parse().ok());
                    tc = Some((number, kind, share, line));
                }
                _ => say(unparsed(text, line)),
            }
        } else if let (Some(rest), Some((tc, ..))) = (line.strip_prefix("priority:"), &tc) {
            for priority in rest.split_whitespace().filter_map(|p| p.parse().ok()) {
                if priority < 8u8 {
                    priority_tc.push((priority, text.at(*tc, line)));
                }
            }
        }
    }
    if let Some((tc, kind, share, line)) = tc {
        say(scheduler(text, tc, kind, share, line));
    }
    if !priority_tc.is_empty() {
        priority_tc.sort_by_key(|(priority, _)| *priority);
        say(Statement::PriorityTc(priority_tc));
    }
    match (dscp_at, trust) {
        (Some(at), _) => {
            let complete = !partial && dscp.len() >= 64;
            say(Statement::Dscp {
                entries: dscp,
                complete,
                at,
            });
        }
        (None, Some(Trust::Pcp | Trust::None)) => {
            say(Statement::DscpNotShown(text.origin(text.text)));
        }
        (None, _) => {}
    }
}

fn scheduler(
    text: &Text<'_>,
    tc: u8,
    kind: Option<SchedulerKind>,
    share: Option<u32>,
    line: &str,
) -> Statement {
    Statement::Scheduler {
        tc,
        kind: text.at(kind, line),
        share,
    }
}

fn unparsed(text: &Text<'_>, line: &str) -> Statement {
    Statement::Trouble(
        Trouble::Unparsed,
        "this line of mlnx_qos is not understood".to_owned(),
        text.origin(line),
    )
}

/// The eight numbers after a row's name, which may follow other words on the
/// line (`PFC configuration:  enabled 0 0 0 0 0 1 0 0`).
fn eight_after(line: &str, name: &str) -> Option<[u8; 8]> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == name)?;
    let mut row = [0; 8];
    for slot in &mut row {
        *slot = words.next()?.parse().ok().filter(|n| *n < 8)?;
    }
    Some(row)
}

/// Rows `prio:N dscp:NN,NN,…` of a line; a priority may have several. False if
/// a list is elided or not understood.
fn dscp_rows(text: &Text<'_>, line: &str, entries: &mut Vec<(u8, super::At<u8>)>) -> bool {
    let mut whole = true;
    let mut priority: Option<u8> = None;
    for word in line.split_whitespace() {
        if let Some(number) = word.strip_prefix("prio:") {
            priority = number.parse().ok().filter(|p| *p < 8);
        } else if let Some(list) = word.strip_prefix("dscp:") {
            for code in list.split(',').filter(|code| !code.is_empty()) {
                match (code.parse::<u8>(), priority) {
                    (Ok(code), Some(priority)) if code < 64 => {
                        entries.push((code, text.at(priority, line)));
                    }
                    _ => whole = false,
                }
            }
        }
    }
    whole
}
