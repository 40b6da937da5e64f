//! niccli and bnxtqos of Broadcom: QoS, traffic classes, options of the NIC's
//! memory, and the list of devices. Words and options changed with niccli 234.

use super::{Evidence, Input, Part, Statements, Subject, dcb, lines, pci_address, tlv, tokens};
use crate::model::{CodeMap, Fact, MapName, NvValue, Origin, Priorities};
use crate::platform::linux::make::{BNXT_TOOL, PFC_NUMBER, told_by_tool};
use crate::platform::text::keyvalue;
use std::sync::Arc;

/// Options of the NIC's memory that matter to RoCE.
const OPTIONS: &[&str] = &[
    "support_rdma",
    "performance_profile",
    "pcie_relaxed_ordering",
];

/// Whether the text is of one of these tools.
pub fn recognise(text: &str) -> bool {
    let listed = text.contains("Device Interface") && text.contains("PCI Address");
    let qos = text.contains("IEEE 8021QAZ ETS Configuration TLV:")
        || text.contains("IEEE 8021QAZ PFC TLV:");
    listed
        || qos
        || text.contains("RoCE Firmware Version")
        || lines(text).any(|(_, line)| {
            let words: Vec<&str> = line.split_whitespace().take(4).collect();
            match words.as_slice() {
                ["TC", "State", "Mode", ..] | ["Priority", "TC", "Queue", "ID"] => true,
                [option, "=", ..] => OPTIONS.contains(option),
                [first, "dscp:", ..] => first.starts_with("priority:"),
                _ => false,
            }
        })
}

/// Which device a command asks: by number, PCI address or network device.
fn subject(input: &Input<'_>) -> Subject {
    match input.option(&["-dev", "--dev", "-i", "-d"]) {
        None => Subject::default(),
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => numbered(number),
        Some(name) => {
            let pci = Subject::pci(name);
            if pci.is_empty() {
                Subject::netdev(name)
            } else {
                pci
            }
        }
    }
}

fn numbered(number: &str) -> Subject {
    Subject {
        mst: Some(format!("niccli:{number}")),
        ..Subject::default()
    }
}

/// Reads whatever of them the text holds.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let mut part = Part::new(subject(input), Evidence::Possible);
    part.nic();
    qos(input, &mut part);
    let mut tables = Tables::default();
    for (offset, line) in input.lines() {
        if tables.device(input, offset, line) {
            continue;
        }
        tables.row(input, offset, line);
        option(input, offset, line, &mut part);
    }
    tables.finish(&mut part, out);
    if part.says_something() || part.hints.lossless_tcs.is_some() {
        part.nic().driver = told_by_tool("bnxt_en", &BNXT_TOOL, input.at(0));
        out.push(part);
    }
}

fn qos(input: &Input<'_>, part: &mut Part) {
    let tlvs = tlv::read(input, std::mem::take(part));
    *part = tlvs.part;
    // The rate limits stand last: with them the output is whole.
    let mut last = input
        .lines()
        .filter(|(_, line)| line.trim_start().starts_with("TC Rate Limit:"));
    let end = last.next().filter(|_| tlvs.pfc.is_some());
    if let Some(at) = tlvs.app.or(end.map(|(end, _)| input.at(end))) {
        dcb::app(part, tlvs.dscp, at);
    }
    if let Some((value, at)) = tlvs.pfc {
        pfc(part, &value, at);
    }
}

/// `none`, several priorities, or a number that only a bit mask can be; one
/// digit can be either.
fn pfc(part: &mut Part, value: &str, at: Origin) {
    let words: Vec<&str> = value
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let listed: Option<Vec<u8>> = words
        .iter()
        .map(|word| word.parse().ok().filter(|priority: &u8| *priority < 8))
        .collect();
    let mask = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    match (words.as_slice(), listed) {
        (["none"], _) => dcb::pfc(part, Priorities::NONE, at),
        ([_], Some(number)) => {
            part.hints.pfc_number = number.first().map(|number| (*number, at));
            unknown(part, Fact::unknown_at(&PFC_NUMBER, at));
        }
        ([_, _, ..], Some(list)) => dcb::pfc(part, list.into_iter().collect(), at),
        ([word], None) if mask(word).is_some() => {
            let mask = mask(word).unwrap_or_default();
            dcb::pfc(part, Priorities::from_mask(mask), at);
        }
        _ => unknown(
            part,
            Fact::unknown_at(format!("`PFC enabled: {value}` is not understood"), at),
        ),
    }
}

fn unknown(part: &mut Part, fact: Fact<Priorities>) {
    let pfc = &mut part.port.pfc;
    (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact);
}

/// `support_rdma = False`, `Firmware Version : 236.1.173.0`.
fn option(input: &Input<'_>, offset: usize, line: &str, part: &mut Part) {
    let at = input.at(offset + (line.len() - line.trim_start().len()));
    let Some((name, value)) = line.split_once(['=', ':']) else {
        return;
    };
    let (name, value) = (name.trim(), value.trim());
    if name == "Firmware Version" && !value.is_empty() {
        part.nic().firmware = Fact::explicit(value.to_owned(), at);
    }
    if !OPTIONS.contains(&name) || !line.contains('=') || value.is_empty() {
        return;
    }
    let on = match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "enabled" => Some(true),
        "false" | "0" | "disabled" => Some(false),
        _ => None,
    };
    let stored = NvValue {
        number: on.map(i64::from),
        text: value.to_owned(),
    };
    let parameter = part.nic().nv.entry(name.to_owned()).or_default();
    parameter.next = Fact::explicit(stored, at);
    if let ("support_rdma", Some(on)) = (name, on) {
        part.nic().roce_enabled = Fact::explicit(on, at);
    }
}

/// Tables: devices, traffic classes, DSCP, queues.
#[derive(Default)]
struct Tables {
    devices: Vec<(Subject, Origin)>,
    lossless: Option<(Priorities, Origin)>,
    in_classes: bool,
    dscp: Option<(CodeMap, Origin)>,
    classes: Option<(CodeMap, Origin)>,
    in_queues: bool,
}

impl Tables {
    /// A line of the list of devices: `1) Broadcom …` and what is of it below,
    /// or all in one line.
    fn device(&mut self, input: &Input<'_>, offset: usize, line: &str) -> bool {
        let words: Vec<(usize, &str)> = tokens(offset, line).collect();
        let number = match words.as_slice() {
            [(_, "Priority"), ..] => None,
            [(_, first), (_, ")"), ..] => Some(*first),
            [(_, first), ..] => first.strip_suffix(')'),
            [] => None,
        };
        let number = number.filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if let (Some(number), true) = (number, self.devices.len() < MOST) {
            let mut subject = numbered(number);
            subject.pci = words.iter().find_map(|(_, word)| pci_address(word));
            self.devices.push((subject, input.at(offset)));
            return true;
        }
        let Some((device, _)) = self.devices.last_mut() else {
            return false;
        };
        let Some(pair) = keyvalue::pairs(line).next() else {
            return false;
        };
        match pair.key {
            "Device Interface" | "Device Interface Name" => {
                device.netdev = super::device_name(pair.value);
            }
            "PCI Address" => device.pci = pci_address(pair.value),
            "MAC Address" => {}
            _ => return false,
        }
        true
    }

    fn row(&mut self, input: &Input<'_>, offset: usize, line: &str) {
        let words: Vec<(usize, &str)> = tokens(offset, line).collect();
        let small = |word: &str| word.parse().ok().filter(|n: &u8| *n < 8);
        match words.as_slice() {
            [(_, "TC"), (_, "State"), (_, "Mode"), ..] => {
                (self.in_classes, self.in_queues) = (true, false);
                self.lossless
                    .get_or_insert((Priorities::NONE, input.at(offset)));
            }
            [(_, "Priority"), (_, "TC"), ..] => (self.in_classes, self.in_queues) = (false, true),
            [(at, tc), (_, state), (_, mode), ..] if self.in_classes => {
                let on =
                    state.eq_ignore_ascii_case("enabled") && mode.eq_ignore_ascii_case("lossless");
                if let (Some(tc), Some((lossless, place)), true) =
                    (small(tc), self.lossless.as_mut(), on)
                {
                    lossless.insert(tc);
                    *place = input.at(*at);
                }
            }
            [(at, priority), (_, tc), (_, _)] if self.in_queues => {
                if let (Some(priority), Some(tc)) = (small(priority), small(tc)) {
                    let first = (CodeMap::new(), input.at(*at));
                    let (map, _) = self.classes.get_or_insert(first);
                    map.set_explicit(priority, tc, input.at(*at));
                }
            }
            [(at, first), (_, "dscp:"), codes @ ..] => {
                let Some(priority) = first.strip_prefix("priority:").and_then(small) else {
                    return;
                };
                let first = (CodeMap::new(), input.at(*at));
                let (map, _) = self.dscp.get_or_insert(first);
                for code in codes.iter().flat_map(|(_, word)| word.split(',')) {
                    if let Some(code) = dcb::dscp(code) {
                        map.set_explicit(code, priority, input.at(*at));
                    }
                }
            }
            _ => {}
        }
    }

    fn finish(self, part: &mut Part, out: &mut Statements) {
        for (device, at) in self.devices {
            let mut part = Part::new(device, Evidence::None);
            if let Some(pci) = part.subject.pci.clone() {
                part.nic().pci = Fact::explicit(pci, at);
            }
            out.push(part);
        }
        part.hints.lossless_tcs = self.lossless;
        if let Some((mut map, at)) = self.classes {
            map.complete = map.entries().len() == 8;
            let map = Fact::explicit(Arc::new(map), at);
            part.port.maps.set(MapName::TcToQueue, map);
        }
        if let Some((map, at)) = self.dscp {
            dcb::app(part, map, at);
        }
    }
}

/// No host has more NICs.
const MOST: usize = 256;
