//! The settings of 802.1Qaz as lldptool prints them, and niccli and bnxtqos in
//! the same words.

use super::{Input, Part, dcb, tokens};
use crate::model::{CodeMap, Fact, MapName, Origin};
use std::sync::Arc;

/// What a text of this form says.
pub struct Tlvs {
    /// Maps, schedulers, and the APP table.
    pub part: Part,
    /// What stands behind `PFC enabled`.
    pub pfc: Option<(String, Origin)>,
    /// Whether one of the settings is taken from the neighbour.
    pub willing: Option<(bool, Origin)>,
    /// DSCP entries of the APP table.
    pub dscp: CodeMap,
    /// Where the APP table stands.
    pub app: Option<Origin>,
}

/// Which TLV a line is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Ets,
    Pfc,
    App,
    /// What the neighbour is recommended, or no setting of ours.
    Other,
}

fn place(line: &str) -> Option<Place> {
    Some(match line.trim().trim_end_matches(':') {
        "IEEE 8021QAZ ETS Configuration TLV" => Place::Ets,
        "IEEE 8021QAZ PFC TLV" => Place::Pfc,
        "IEEE 8021QAZ APP TLV" => Place::App,
        other if other.ends_with(" TLV") || other.starts_with("TC Rate Limit") => Place::Other,
        _ => return None,
    })
}

/// Reads all lines.
pub fn read(input: &Input<'_>, part: Part) -> Tlvs {
    let mut tlvs = Tlvs {
        part,
        pfc: None,
        willing: None,
        dscp: CodeMap::new(),
        app: None,
    };
    let mut current = Place::Other;
    let mut priority: Option<u8> = None;
    for (offset, line) in input.lines() {
        if let Some(place) = place(line) {
            current = place;
            if place == Place::App {
                let indent = line.len() - line.trim_start().len();
                tlvs.app.get_or_insert(input.at(offset + indent));
            }
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let at = offset + (line.len() - line.trim_start().len());
        match (current, key.trim(), value.trim()) {
            (Place::Ets | Place::Pfc, "Willing", word @ ("yes" | "no")) => {
                let willing = word == "yes" || tlvs.willing.is_some_and(|(willing, _)| willing);
                tlvs.willing = Some((willing, input.at(at)));
            }
            (Place::Ets, "PRIO_MAP", _) => prio_map(input, offset, line, &mut tlvs.part),
            (Place::Ets, "TC Bandwidth", _) => bandwidth(input, offset, line, &mut tlvs.part),
            (Place::Ets, "TSA_MAP", _) => tsa_map(input, offset, line, &mut tlvs.part),
            (Place::Pfc, "PFC enabled", value) => {
                tlvs.pfc = Some((value.to_owned(), input.at(at)));
            }
            (Place::App, "Priority", value) => priority = value.parse().ok().filter(|p| *p < 8),
            (Place::App, "DSCP", value) => {
                if let (Some(code), Some(priority)) = (dcb::dscp(value), priority.take()) {
                    tlvs.dscp.set_explicit(code, priority, input.at(at));
                }
            }
            _ => {}
        }
    }
    tlvs
}

/// `0:0 1:0 …` behind the key.
fn pairs(offset: usize, line: &str) -> impl Iterator<Item = (usize, u8, &str)> {
    tokens(offset, line).filter_map(|(at, word)| {
        let (id, value) = word.split_once(':')?;
        let id = id.parse().ok().filter(|id: &u8| *id < 8)?;
        Some((at, id, value))
    })
}

fn prio_map(input: &Input<'_>, offset: usize, line: &str, part: &mut Part) {
    let mut map = CodeMap::new();
    let mut first = None;
    for (at, priority, tc) in pairs(offset, line) {
        if let Some(tc) = tc.parse().ok().filter(|tc: &u8| *tc < 8) {
            map.set_explicit(priority, tc, input.at(at));
            first.get_or_insert(at);
        }
    }
    map.complete = map.entries().len() == 8;
    if let Some(at) = first {
        let map = Fact::explicit(Arc::new(map), input.at(at));
        part.port.maps.set(MapName::TcToQueue, map);
    }
}

fn bandwidth(input: &Input<'_>, offset: usize, line: &str, part: &mut Part) {
    let shares = tokens(offset, line).filter(|(_, word)| word.ends_with('%'));
    for (tc, (at, share)) in (0..8).zip(shares) {
        let percent = share.trim_end_matches('%').parse().ok();
        dcb::bandwidth(part, tc, percent, input.at(at));
    }
}

fn tsa_map(input: &Input<'_>, offset: usize, line: &str, part: &mut Part) {
    for (at, tc, kind) in pairs(offset, line) {
        dcb::scheduler(part, tc, kind, input.at(at));
    }
}
