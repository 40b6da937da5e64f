//! `ethtool -a`, `-i`, `-S` and `ethtool IF`.

use super::{Evidence, Input, Part, Statements, Subject};
use crate::model::{Dcbx, Fact, NoteKind, Origin, State};
use crate::platform::linux::counters;
use crate::platform::text::keyvalue;

/// Whether the text is of `ethtool -a`.
pub fn recognise_pause(text: &str) -> bool {
    text.contains("Pause parameters for ")
}

/// Whether the text is of `ethtool -i`.
pub fn recognise_driver(text: &str) -> bool {
    text.contains("driver: ") && (text.contains("bus-info:") || text.contains("firmware-version:"))
}

/// Whether the text is of `ethtool IF`.
pub fn recognise_link(text: &str) -> bool {
    text.contains("Settings for ") && (text.contains("Speed:") || text.contains("Link detected:"))
}

/// Whether the text is of `ethtool -S`, whole or filtered.
pub fn recognise_counters(text: &str) -> bool {
    text.contains("NIC statistics:")
        || keyvalue::pairs(text).any(|pair| {
            counters::is_ethernet(pair.key) && pair.value.starts_with(|c: char| c.is_ascii_digit())
        })
}

/// The device: named in the text, else in the command.
fn subject(input: &Input<'_>, heading: &str) -> Subject {
    let said = input.lines().find_map(|(_, line)| {
        let name = line.trim().strip_prefix(heading)?;
        Some(Subject::netdev(name.trim_end_matches(':')))
    });
    said.unwrap_or_else(|| of_command(input))
}

fn of_command(input: &Input<'_>) -> Subject {
    match input.command.first() {
        Some(&"ethtool") => input.last_word().map(Subject::netdev).unwrap_or_default(),
        _ => Subject::default(),
    }
}

/// Whether the text is of `ethtool --show-fec`.
pub fn recognise_fec(text: &str) -> bool {
    text.contains("FEC parameters for ")
}

/// Reads `ethtool --show-fec`: what is active, not what is allowed.
pub fn fec(input: &Input<'_>, out: &mut Statements) {
    let mut part = Part::new(subject(input, "FEC parameters for "), Evidence::None);
    for pair in keyvalue::pairs(input.text) {
        let at = input.at(pair.offset);
        if !matches!(pair.key, "Active FEC encoding" | "Active FEC encodings") {
            continue;
        }
        part.port.fec = match pair.value {
            "RS" | "LLRS" => Fact::explicit("rs".to_owned(), at),
            "BaseR" => Fact::explicit("fc".to_owned(), at),
            "Off" | "None" => Fact::explicit("none".to_owned(), at),
            other => Fact::unknown_at(format!("the active FEC `{other}` is not one encoding"), at),
        };
    }
    out.push(part);
}

/// Reads `ethtool -a`.
pub fn pause(input: &Input<'_>, out: &mut Statements) {
    let mut part = Part::new(subject(input, "Pause parameters for "), Evidence::Possible);
    part.nic();
    let mut negotiated = false;
    for pair in keyvalue::pairs(input.text) {
        let at = input.at(pair.offset);
        let on = match pair.value {
            "on" => true,
            "off" => false,
            _ => continue,
        };
        match pair.key {
            "Autonegotiate" => negotiated = on,
            "RX" => part.port.link_pause.rx = Fact::explicit(on, at),
            "TX" => part.port.link_pause.tx = Fact::explicit(on, at),
            // What the link partners agreed on counts.
            "RX negotiated" if negotiated => part.port.link_pause.rx = Fact::explicit(on, at),
            "TX negotiated" if negotiated => part.port.link_pause.tx = Fact::explicit(on, at),
            _ => {}
        }
    }
    out.push(part);
}

/// Reads `ethtool -i`.
pub fn driver(input: &Input<'_>, out: &mut Statements) {
    let mut part = Part::new(of_command(input), Evidence::None);
    for pair in keyvalue::pairs(input.text) {
        let at = input.at(pair.offset);
        match pair.key {
            "driver" => part.nic().driver = Fact::explicit(pair.value.to_owned(), at),
            "firmware-version" if !matches!(pair.value, "" | "N/A") => {
                let (version, board) = pair.value.split_once(' ').unwrap_or((pair.value, ""));
                // bnxt_en names the package behind: `236.1.173.0/pkg 23.61.17.30`.
                let version = version.trim_end_matches("/pkg");
                part.nic().firmware = Fact::explicit(version.to_owned(), at);
                let board = board
                    .trim()
                    .strip_prefix('(')
                    .and_then(|b| b.strip_suffix(')'));
                if let Some(board) = board.filter(|board| !board.is_empty()) {
                    part.nic().part = Fact::explicit(board.to_owned(), at);
                }
            }
            "bus-info" => {
                if let Some(pci) = super::pci_address(pair.value) {
                    part.nic().pci = Fact::explicit(pci.clone(), at);
                    part.subject.pci = Some(pci);
                }
            }
            _ => {}
        }
    }
    let mlx5 = part.port.nic.as_ref().and_then(|nic| nic.driver.value());
    if mlx5.is_some_and(|driver| driver.starts_with("mlx5")) {
        part.evidence = Evidence::Possible;
    }
    out.push(part);
}

/// Whether the text is of `ethtool --show-priv-flags` of a driver that is read here.
pub fn recognise_flags(text: &str) -> bool {
    text.contains("fw-lldp-agent")
}

/// Reads `ethtool --show-priv-flags`: whether the firmware of an Intel NIC does
/// LLDP and DCBX, always willing (Intel, E800 Linux RDMA guide).
pub fn flags(input: &Input<'_>, out: &mut Statements) {
    let mut part = Part::new(subject(input, "Private flags for "), Evidence::Possible);
    for pair in keyvalue::pairs(input.text) {
        let at = input.at(pair.offset);
        let agent = match (pair.key, pair.value) {
            ("fw-lldp-agent", "on") => Dcbx::Firmware,
            ("fw-lldp-agent", "off") => Dcbx::Os,
            _ => continue,
        };
        part.nic().dcbx = Fact::explicit(agent, at);
        if agent == Dcbx::Firmware {
            part.hints.firmware_agent = Some(at);
            let name = "the firmware's LLDP agent (fw-lldp-agent)".to_owned();
            part.nic().overwritten_by = Fact::explicit(name, at);
        }
    }
    out.push(part);
}

/// Reads `ethtool IF`.
pub fn link(input: &Input<'_>, out: &mut Statements) {
    let mut part = Part::new(subject(input, "Settings for "), Evidence::None);
    for pair in keyvalue::pairs(input.text) {
        let at = input.at(pair.offset);
        match pair.key {
            "Speed" => {
                let speed = super::leading_number(pair.value).and_then(|n| u32::try_from(n).ok());
                if let Some(speed) = speed.filter(|_| pair.value.ends_with("Mb/s")) {
                    part.port.speed_mbps = Fact::explicit(speed, at);
                }
            }
            "Link detected" => part.port.oper = state(pair.value == "yes", at),
            _ => {}
        }
    }
    out.push(part);
}

/// Up or down, as a line says.
pub fn state(up: bool, at: Origin) -> Fact<State> {
    Fact::explicit(if up { State::Up } else { State::Down }, at)
}

/// Reads `ethtool -S`.
pub fn counters(input: &Input<'_>, out: &mut Statements) {
    let mut part = Part::new(of_command(input), Evidence::Possible);
    part.nic();
    let columns = input
        .lines()
        .find(|(_, line)| line.contains("|\t") || line.contains(" | "));
    if let Some((offset, _)) = columns {
        let text = "two samples stand side by side (diff -y): which number is of which sample is \
                    not read; give each sample as a capture of its own";
        out.note(NoteKind::Failed, text, input.at(offset));
        out.push(part);
        return;
    }
    let whole = !input.filtered && input.text.contains("NIC statistics:");
    counters::ethernet(input, whole, &mut part);
    out.push(part);
}
