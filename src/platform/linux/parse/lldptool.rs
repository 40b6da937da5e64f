//! lldptool: what lldpad sets and tells the neighbour (`-t -i IF`, `-ti IF`).
//! What the neighbour tells (`-n`) is no setting of ours.

use super::{Evidence, Input, Part, Statements, Subject, dcb, tlv};
use crate::model::{Dcbx, Fact, Origin, PfcMode, Priorities};

/// Whether the text is of lldptool.
pub fn recognise(text: &str) -> bool {
    text.contains("IEEE 8021QAZ ")
        && text.contains("Willing:")
        && !text.contains("IEEE 8021QAZ PFC TLV:")
}

/// Whether the neighbour is asked.
pub fn of_neighbour(input: &Input<'_>) -> bool {
    let options = input
        .command
        .iter()
        .filter(|word| word.starts_with('-') && !word.starts_with("--"));
    options.clone().any(|word| word.contains('n')) || input.command.contains(&"get-tlv-neighbor")
}

fn subject(input: &Input<'_>) -> Subject {
    // Options stand together: `-ti eth0`.
    let mut words = input.command.iter();
    words
        .by_ref()
        .find(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('i'));
    words
        .next()
        .map(|name| Subject::netdev(name))
        .unwrap_or_default()
}

/// Reads the settings. Where lldpad is willing, the switch decides, and what
/// stands here need not be in force.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    if of_neighbour(input) {
        return;
    }
    let mut part = Part::new(subject(input), Evidence::Possible);
    part.nic();
    let mut tlvs = tlv::read(input, part);
    // With -c it prints one setting a line: `willing=no`, `enabled=3`.
    let of_pfc = input.option(&["-V"]) == Some("PFC");
    for (offset, line) in input.lines().filter(|_| of_pfc) {
        match line.trim().split_once('=') {
            Some(("willing", word @ ("yes" | "no"))) => {
                tlvs.willing = Some((word == "yes", input.at(offset)));
            }
            Some(("enabled", list)) => tlvs.pfc = Some((list.to_owned(), input.at(offset))),
            _ => {}
        }
    }
    let mut part = tlvs.part;
    if let Some(at) = tlvs.app {
        dcb::app(&mut part, tlvs.dscp, at);
    }
    let willing = tlvs.willing;
    if let Some((willing, at)) = willing {
        agent(&mut part, willing, at);
    }
    if let Some((list, at)) = tlvs.pfc {
        let why = match (priorities(&list), willing) {
            (Some(on), Some((false, _))) => {
                part.hints.lldpad_pfc = Some((on, at));
                None
            }
            (Some(_), Some((true, _))) => Some(
                "lldpad is willing: the switch decides, and `dcb pfc show` tells what is in force"
                    .to_owned(),
            ),
            (Some(_), None) => Some(
                "whether lldpad takes the switch's settings instead was not captured".to_owned(),
            ),
            (None, _) => Some(format!("`PFC enabled: {list}` is not understood")),
        };
        if let Some(why) = why {
            let fact = Fact::unknown_at(why, at);
            let pfc = &mut part.port.pfc;
            (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact);
        }
    }
    out.push(part);
}

fn agent(part: &mut Part, willing: bool, at: Origin) {
    let nic = part.nic();
    nic.host_lldp = Fact::explicit("lldpad".to_owned(), at);
    nic.dcbx = Fact::explicit(Dcbx::Os, at);
    if willing {
        let agent = "lldpad, which takes the switch's settings".to_owned();
        nic.overwritten_by = Fact::explicit(agent, at);
    }
    let mode = if willing { PfcMode::Auto } else { PfcMode::On };
    part.port.pfc.mode = Fact::explicit(mode, at);
}

/// `none`, or priorities with blanks or commas between.
pub fn priorities(list: &str) -> Option<Priorities> {
    if list.trim() == "none" {
        return Some(Priorities::NONE);
    }
    let words = list.split([' ', ',']).filter(|word| !word.is_empty());
    let all: Option<Vec<u8>> = words
        .map(|word| word.parse().ok().filter(|priority: &u8| *priority < 8))
        .collect();
    all.filter(|all| !all.is_empty())
        .map(|all| all.into_iter().collect())
}
