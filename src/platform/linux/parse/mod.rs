//! Text of one capture → what it says of which device. One file a tool.

pub mod apps;
pub mod bnxt_cc;
pub mod boot;
pub mod dcb;
pub mod devlink;
pub mod ethtool;
pub mod irdma;
pub mod link;
pub mod lldp;
pub mod lldptool;
pub mod mlnx_qos;
pub mod mlxconfig;
pub mod niccli;
pub mod nicctl;
pub mod pcie;
pub mod perftest;
pub mod rdma;
pub mod sections;
pub mod services;
pub mod shell;
pub mod sysfs;
pub mod tlv;
pub mod topology;

use super::make::Make;
use crate::model::{Counters, Dcbx, Fact, Nic, Note, NoteKind, Origin, PfcMode, Port, Priorities};
use crate::source::Capture;
use crate::source::session::bare_command;
use std::collections::{BTreeMap, BTreeSet};

/// What a statement is about: the names that it gives for one NIC port.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Subject {
    /// Network device (`ens1f0np0`).
    pub netdev: Option<String>,
    /// RDMA device (`mlx5_0`).
    pub rdma: Option<String>,
    /// PCI address with domain (`0000:3b:00.0`).
    pub pci: Option<String>,
    /// Device file or number of the vendor's tools (`/dev/mst/mt4129_pciconf0`,
    /// `niccli:1`).
    pub mst: Option<String>,
}

impl Subject {
    /// Of a network device.
    pub fn netdev(name: &str) -> Self {
        Subject {
            netdev: device_name(name),
            ..Subject::default()
        }
    }

    /// Of an RDMA device.
    pub fn rdma(name: &str) -> Self {
        Subject {
            rdma: device_name(name),
            ..Subject::default()
        }
    }

    /// Of a PCI function.
    pub fn pci(address: &str) -> Self {
        Subject {
            pci: pci_address(address),
            ..Subject::default()
        }
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        *self == Subject::default()
    }
}

/// How sure a statement makes it that its device does RDMA.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Evidence {
    /// Any network device is listed like this.
    #[default]
    None,
    /// Somebody asked for its DCB settings or its pause frames.
    Possible,
    /// Only RDMA devices and their ports have it.
    Rdma,
}

/// What one capture says of one port.
#[derive(Clone, Default)]
pub struct Part {
    /// Which port.
    pub subject: Subject,
    /// Whether it does RDMA.
    pub evidence: Evidence,
    /// The facts stated; all others unknown.
    pub port: Port,
    /// The second port of a card, told by a capture of the first: falls back
    /// to this subject where the host shows no such function.
    pub fallback: Option<Subject>,
    /// What makes a fact only together with other captures.
    pub hints: Hints,
    /// Index of the capture.
    pub capture: usize,
}

/// What a capture says that another has to complete.
#[derive(Clone, Copy, Default)]
pub struct Hints {
    /// The number behind `PFC enabled`: a priority or a bit mask.
    pub pfc_number: Option<(u8, Origin)>,
    /// Traffic classes that are lossless.
    pub lossless_tcs: Option<(Priorities, Origin)>,
    /// What pause frames a port sends and obeys.
    pub pause: Option<Pause>,
    /// What lldpad sets, where it is not willing: what the driver says counts more.
    pub lldpad_pfc: Option<(Priorities, Origin)>,
    /// An agent in the firmware decides the DCB settings.
    pub firmware_agent: Option<Origin>,
}

/// Pause of a port: of which kind, and in which directions.
#[derive(Clone, Copy)]
pub struct Pause {
    /// By priority, not 802.3x.
    pub pfc: bool,
    /// It sends them.
    pub tx: bool,
    /// It obeys them.
    pub rx: bool,
    /// The line.
    pub at: Origin,
}

impl Hints {
    /// Adds those of another capture; a later one counts.
    pub fn add(&mut self, more: Hints) {
        self.pfc_number = more.pfc_number.or(self.pfc_number);
        self.lossless_tcs = more.lossless_tcs.or(self.lossless_tcs);
        self.pause = more.pause.or(self.pause);
        self.lldpad_pfc = more.lldpad_pfc.or(self.lldpad_pfc);
        self.firmware_agent = more.firmware_agent.or(self.firmware_agent);
    }

    /// Completes what holds for every make: who decides, and what lldpad sets
    /// where nothing tells what is in force.
    pub fn complete(&self, port: &mut Port) {
        if let Some(at) = self.firmware_agent {
            port.pfc.mode = Fact::explicit(PfcMode::Auto, at);
            port.nic.get_or_insert_default().dcbx = Fact::explicit(Dcbx::Firmware, at);
        }
        let pfc = &mut port.pfc;
        let (Some((priorities, at)), false) = (self.lldpad_pfc, pfc.enabled.is_known()) else {
            return;
        };
        let fact = match self.firmware_agent {
            None => Fact::explicit(priorities, at),
            Some(_) => Fact::unknown_at(
                "the firmware's agent decides, whatever lldpad holds: `dcb pfc show` tells what is in force"
                    .to_owned(),
                at,
            ),
        };
        (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact);
    }
}

/// A part that holds for many NICs.
#[derive(Clone)]
pub struct Everywhere {
    /// What is said.
    pub part: Part,
    /// Of which.
    pub only: Only,
}

/// Which NICs of a host.
#[derive(Clone, PartialEq, Eq)]
pub enum Only {
    /// All.
    All,
    /// Those of one make.
    Make(Make),
    /// Those with these RDMA devices.
    Devices {
        /// Names, or how they begin.
        names: Vec<String>,
        /// Whole names.
        exact: bool,
        /// All but these.
        except: bool,
    },
}

impl Only {
    /// Whether a NIC is meant. Of one whose RDMA device is not known nobody
    /// knows: it is taken to be.
    pub fn holds_for(&self, make: Option<Make>, device: Option<&str>) -> bool {
        match (self, device) {
            (Only::All, _) | (Only::Devices { .. }, None) => true,
            (Only::Make(wanted), _) => make == Some(*wanted),
            (
                Only::Devices {
                    names,
                    exact,
                    except,
                },
                Some(device),
            ) => {
                let named = names.iter().any(|name| match exact {
                    true => device == name,
                    false => device.starts_with(name.as_str()),
                });
                named != *except
            }
        }
    }
}

impl Part {
    /// A part that says nothing yet.
    pub fn new(subject: Subject, evidence: Evidence) -> Self {
        Part {
            subject,
            evidence,
            ..Part::default()
        }
    }

    /// The same with the names that its command gives among its facts.
    pub fn with_names(mut self) -> Self {
        let at = Origin::new(self.capture, 0);
        let Subject { rdma, pci, .. } = self.subject.clone();
        if let Some(nic) = self.port.nic.as_deref_mut() {
            let names = [(rdma, &mut nic.rdma_device), (pci, &mut nic.pci)];
            for (name, fact) in names {
                if let (Some(name), false) = (name, fact.is_known()) {
                    *fact = Fact::explicit(name, at);
                }
            }
        }
        self
    }

    /// Whether it states anything.
    pub fn says_something(&self) -> bool {
        let mut empty = Part::default();
        if self.port.nic.is_some() {
            empty.nic();
        }
        self.port.settings() != empty.port.settings()
    }

    /// What of it holds for the physical port, and so for virtual functions too.
    pub fn of_physical_port(&self) -> Self {
        let from = &self.port;
        let mut part = Part::new(Subject::default(), Evidence::Rdma);
        part.capture = self.capture;
        part.hints = self.hints;
        part.port = Port {
            trust: from.trust.clone(),
            pfc: from.pfc.clone(),
            link_pause: from.link_pause.clone(),
            maps: from.maps.clone(),
            queues: from.queues.clone(),
            priority_groups: from.priority_groups.clone(),
            cable_m: from.cable_m.clone(),
            ..Port::default()
        };
        if let Some(nic) = &from.nic {
            part.nic().dcbx = nic.dcbx.clone();
            part.nic().overwritten_by = nic.overwritten_by.clone();
        }
        part
    }

    /// The RDMA side.
    pub fn nic(&mut self) -> &mut Nic {
        self.port.nic.get_or_insert_default()
    }

    /// The counters.
    pub fn counters(&mut self) -> &mut Counters {
        self.port.counters.get_or_insert_default()
    }
}

/// What the captures of a host say.
#[derive(Default)]
pub struct Statements {
    /// By port.
    pub parts: Vec<Part>,
    /// What no fact can hold.
    pub notes: Vec<Note>,
    /// A listing of all RDMA devices was captured: who is not in it has none.
    pub all_rdma_listed: bool,
    /// Members of bonds.
    pub bonds: BTreeMap<String, BTreeSet<String>>,
    /// Virtual functions, each with its physical one.
    pub virtual_functions: Vec<(Subject, Subject)>,
    /// What is said of every NIC.
    pub everywhere: Vec<Everywhere>,
    /// What happens at boot.
    pub boot: boot::Sources,
    /// There was more than is kept.
    pub overfull: bool,
}

impl Statements {
    /// No host has more to say; a bound on the memory that hostile captures cost.
    pub const MOST: usize = 30_000;

    /// Adds what a capture says of a port.
    pub fn push(&mut self, part: Part) {
        match self.parts.len() {
            0..Self::MOST => self.parts.push(part),
            _ => self.overfull = true,
        }
    }

    /// A member of a bond.
    pub fn member(&mut self, bond: &str, member: String) {
        let members = self.bonds.entry(bond.to_owned()).or_default();
        members.insert(member);
    }

    /// Adds a note on the device.
    pub fn note(&mut self, kind: NoteKind, text: impl Into<String>, at: Origin) {
        self.notes.push(Note {
            kind,
            port: None,
            text: text.into(),
            at,
        });
    }
}

/// A capture as parsers see it.
#[derive(Clone)]
pub struct Input<'a> {
    /// Its index in the device.
    pub index: usize,
    /// Its text, or a section of it.
    pub text: &'a str,
    /// Where the section begins in the capture.
    base: usize,
    /// What a heading above the section names.
    pub heading: Subject,
    /// Name of the file that the text is of or was printed from.
    pub file: &'a str,
    /// The words of its command up to the first pipe, without `sudo` and path.
    pub command: Vec<&'a str>,
    /// Whether the command passes its output through a filter.
    pub filtered: bool,
}

impl<'a> Input<'a> {
    /// The capture with this index. Where the source tells no command, a
    /// first line that is one counts.
    pub fn new(index: usize, capture: &'a Capture) -> Self {
        let first = || capture.text.lines().find(|line| !line.trim().is_empty());
        let typed = capture.command.as_deref().or_else(first).unwrap_or("");
        let (command, filtered) = words(typed);
        let file = file_of(&command);
        Input {
            index,
            text: &capture.text,
            base: 0,
            heading: Subject::default(),
            file: file.unwrap_or(&capture.source),
            command,
            filtered,
        }
    }

    /// The place of a byte offset.
    pub fn at(&self, offset: usize) -> Origin {
        Origin::new(self.index, self.base + offset)
    }

    /// A section of it, from one byte to before another.
    fn section(&self, from: usize, to: usize) -> Self {
        Input {
            text: self.text.get(from..to).unwrap_or_default(),
            base: self.base + from,
            ..self.clone()
        }
    }

    /// The lines with their byte offsets.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        lines(self.text)
    }

    /// The word after one of these options.
    pub fn option(&self, options: &[&str]) -> Option<&'a str> {
        let mut words = self.command.iter();
        while let Some(word) = words.next() {
            if options.contains(word) {
                return words.next().copied();
            }
            let joined = word
                .split_once('=')
                .filter(|(option, _)| options.contains(option));
            if let Some((_, value)) = joined {
                return Some(value);
            }
        }
        None
    }

    /// The last word that is no option.
    pub fn last_word(&self) -> Option<&'a str> {
        let words = self.command.get(1..)?.iter();
        words.copied().rfind(|word| !word.starts_with('-'))
    }
}

/// The words of a command line, and whether a filter follows it.
pub fn words(line: &str) -> (Vec<&str>, bool) {
    let line = bare_command(line.trim_start_matches(['$', '#', '+', ' ']));
    let end = line.find(['|', ';', '&', '>', '<']).unwrap_or(line.len());
    let (typed, rest) = line.split_at(end);
    let mut words: Vec<&str> = typed.split_whitespace().collect();
    let path = |c: char| c.is_ascii_alphanumeric() || "/._-~".contains(c);
    if let Some(first) = words.first_mut().filter(|first| first.chars().all(path)) {
        *first = first.rsplit('/').next().unwrap_or(first);
    }
    (words, rest.starts_with('|'))
}

/// The file that a command prints.
fn file_of<'a>(command: &[&'a str]) -> Option<&'a str> {
    match command {
        ["cat" | "head" | "tail" | "less", options @ ..] => {
            options.iter().rfind(|word| word.starts_with('/')).copied()
        }
        _ => None,
    }
}

/// The lines of a text with their byte offsets.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let offset = start;
        start += line.len();
        (offset, line.trim_end())
    })
}

/// The words of a line with their byte offsets.
pub fn tokens(offset: usize, line: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = line.as_ptr() as usize;
    line.split_whitespace()
        .map(move |word| (offset + (word.as_ptr() as usize - base), word))
}

/// A name that a device can have: neither a shell pattern nor a sentence.
pub fn device_name(name: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let name = name.trim_matches(['\'', '"', ':']);
    let fits = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
    // `ip link` names the parent of a VLAN after an at sign.
    let name = name.split('@').next().unwrap_or(name);
    (fits && !name.is_empty()).then(|| name.to_owned())
}

/// A PCI address in its full form; `19:00.0` is in domain 0.
pub fn pci_address(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches("pci/");
    let fields: Vec<&str> = text.split([':', '.']).collect();
    let hexadecimal = |field: &str, digits: usize| {
        field.len() == digits && u32::from_str_radix(field, 16).is_ok()
    };
    let (domain, rest) = match fields.as_slice() {
        [domain, rest @ ..] if rest.len() == 3 => (*domain, rest),
        rest if rest.len() == 3 => ("0000", rest),
        _ => return None,
    };
    let [bus, device, function] = rest else {
        return None;
    };
    let fits = hexadecimal(domain, 4)
        && hexadecimal(bus, 2)
        && hexadecimal(device, 2)
        && hexadecimal(function, 1);
    fits.then(|| format!("{domain}:{bus}:{device}.{function}").to_ascii_lowercase())
}

/// A number in front of whatever follows it: `7`, `4096 (5)`, `0x1a`.
pub fn leading_number(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok();
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

/// Whether the text begins as JSON does.
pub fn is_json(text: &str) -> bool {
    let mut significant = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    match significant.next() {
        Some(b'{') => matches!(significant.next(), Some(b'"' | b'}')),
        Some(b'[') => matches!(significant.next(), Some(b'{' | b']')),
        _ => false,
    }
}
