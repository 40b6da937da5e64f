//! `ethtool`: pause, driver, speed, and the counters of `-S`.

use super::mlxconfig::pci;
use super::{Statement, Statements, Subject, Text, Trouble};

pub fn is(text: &Text<'_>) -> bool {
    let marks = [
        "Pause parameters for",
        "NIC statistics:",
        "Settings for ",
        "bus-info:",
    ];
    marks.iter().any(|mark| text.text.contains(mark))
        || text
            .lines()
            .any(|line| counter(line).is_some_and(|(name, _)| known(name)))
}

/// Counters that only a NIC prints.
fn known(name: &str) -> bool {
    [
        "rx_prio",
        "tx_prio",
        "rx_pause",
        "tx_pause",
        "rx_global_pause",
        "tx_global_pause",
    ]
    .iter()
    .chain(&[
        "rx_priority_",
        "tx_priority_",
        "tx_flow_control",
        "rx_flow_control",
    ])
    .any(|prefix| name.starts_with(prefix))
}

/// `name: number` and nothing else on the line.
fn counter(line: &str) -> Option<(&str, i64)> {
    let (name, value) = line.split_once(':')?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_.[]".contains(&b);
    let named = !name.is_empty() && name.bytes().all(plain);
    Some((name, value.trim().parse().ok()?)).filter(|_| named)
}

pub fn parse(text: &Text<'_>, out: &mut Statements) {
    // Two samples side by side are no sample.
    if text.text.contains("\t|\t") || text.text.contains(" |\t") {
        let remark = "two samples side by side are not read; give each as a capture of its own";
        let at = text.origin(text.text);
        let trouble = Statement::Trouble(Trouble::Failed, remark.to_owned(), at);
        out.push((text.subject.clone(), trouble));
        return;
    }
    let mut subject = text.subject.clone();
    let mut pause = (None, None);
    for line in text.lines() {
        let heading = line
            .strip_prefix("Pause parameters for ")
            .or_else(|| line.strip_prefix("Settings for "));
        if let Some(name) = heading {
            subject = Subject::Netdev(name.trim_end_matches(':').to_owned());
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        let mut say = |statement| out.push((subject.clone(), statement));
        match (key, value) {
            ("RX", "on" | "off") => pause.0 = Some(text.at(value == "on", line)),
            ("TX", "on" | "off") => pause.1 = Some(text.at(value == "on", line)),
            ("driver", name) if !name.is_empty() => {
                say(Statement::Driver(text.at(name.to_owned(), line)));
            }
            ("firmware-version", version) if !version.is_empty() => {
                let (version, part) = match version.split_once(" (") {
                    Some((version, part)) => (version, Some(part.trim_end_matches(')'))),
                    None => (version, None),
                };
                say(Statement::Firmware(text.at(version.to_owned(), line)));
                if let Some(part) = part {
                    say(Statement::Part(text.at(part.to_owned(), line)));
                }
            }
            ("bus-info", bus) => {
                if let Some(pci) = pci(bus) {
                    say(Statement::PciOf(text.at(pci, line)));
                }
            }
            ("Speed", speed) => {
                let digits: String = speed.chars().take_while(char::is_ascii_digit).collect();
                if let (Ok(mbps), true) = (digits.parse(), speed.ends_with("Mb/s")) {
                    say(Statement::Speed(text.at(mbps, line)));
                }
            }
            _ => {
                if let Some((name, count)) = counter(line) {
                    say(Statement::Counter(name.to_owned(), text.at(count, line)));
                }
            }
        }
    }
    if let (Some(rx), Some(tx)) = pause {
        out.push((subject.clone(), Statement::Pause { rx, tx }));
    }
    // mlx5 prints all eight priorities; a listing without them was filtered.
    let seen = (0..8).all(|n| text.text.contains(&format!("rx_prio{n}_")));
    if seen && text.text.contains("NIC statistics:") {
        out.push((subject, Statement::CountersWhole(text.origin(text.text))));
    }
}
