//! Which port a statement is about. Captures name network devices, RDMA
//! devices or PCI functions, or nothing; whatever ties these together may
//! stand in any capture, in any order.

use super::make::Make;
use super::parse::{Everywhere, Evidence, Part, Statements, Subject, device_name};
use crate::model::{Fact, Nic};
use std::collections::{BTreeMap, BTreeSet};

/// The name of a port that no capture names.
pub const NAMELESS: &str = "-";

/// What is said of one port.
pub struct Gathered {
    /// Its name: of the network device, else of the RDMA device.
    pub name: String,
    /// The surest sign that it does RDMA.
    pub evidence: Evidence,
    /// All statements.
    pub parts: Vec<Part>,
}

impl Gathered {
    /// Takes what is said of many NICs, where this one is meant.
    fn hear(&mut self, everywhere: &[Everywhere]) {
        if everywhere.is_empty() {
            return;
        }
        let known = |fact: fn(&Nic) -> &Fact<String>| {
            let nics = self
                .parts
                .iter()
                .filter_map(|part| part.port.nic.as_deref());
            let mut values = nics.filter_map(|nic| fact(nic).value());
            values.next().cloned()
        };
        let subjects = self.parts.iter().map(|part| &part.subject);
        let named = subjects.filter_map(|subject| subject.rdma.clone()).next();
        let device = named.or_else(|| known(|nic| &nic.rdma_device));
        let driver = known(|nic| &nic.driver);
        let make = driver.and_then(|name| Make::of_driver(&name));
        let make = make.or_else(|| device.as_deref().and_then(Make::of_device));
        let meant = everywhere
            .iter()
            .filter(|said| said.only.holds_for(make, device.as_deref()));
        let parts = meant.take(MOST_EVERYWHERE).map(|said| said.part.clone());
        self.parts.extend(parts);
    }
}

/// Ties between names. Of several network devices of one RDMA device (VLANs
/// have GIDs too) the shortest name is the physical one.
#[derive(Default)]
struct Ties {
    netdev_of_rdma: BTreeMap<String, String>,
    netdev_of_pci: BTreeMap<String, String>,
    rdma_of_pci: BTreeMap<String, String>,
    pci_of_mst: BTreeMap<String, String>,
}

fn shortest(ties: &mut BTreeMap<String, String>, from: &str, to: &str) {
    let better = |known: &String| (to.len(), to) < (known.len(), known.as_str());
    match ties.get_mut(from) {
        Some(known) if better(known) => *known = to.to_owned(),
        Some(_) => {}
        None => {
            ties.insert(from.to_owned(), to.to_owned());
        }
    }
}

impl Ties {
    fn of(parts: &[Part], bonds: &BTreeMap<String, BTreeSet<String>>) -> Self {
        let mut ties = Ties::default();
        for Subject {
            netdev,
            rdma,
            pci,
            mst,
        } in parts.iter().map(|part| &part.subject)
        {
            if let (Some(mst), Some(pci)) = (mst, pci) {
                shortest(&mut ties.pci_of_mst, mst, pci);
            }
            if let (Some(rdma), Some(netdev)) = (rdma, netdev) {
                shortest(&mut ties.netdev_of_rdma, rdma, netdev);
            }
            if let (Some(pci), Some(netdev)) = (pci, netdev)
                && !bonds.contains_key(netdev)
            {
                shortest(&mut ties.netdev_of_pci, pci, netdev);
            }
            if let (Some(pci), Some(rdma)) = (pci, rdma) {
                shortest(&mut ties.rdma_of_pci, pci, rdma);
            }
        }
        ties
    }

    /// The subject by its best name.
    fn resolve(&self, subject: &Subject) -> Subject {
        let of_rdma = |rdma: &String| self.netdev_of_rdma.get(rdma).cloned();
        let mut best = subject.clone();
        if best.pci.is_none() {
            let mst = best.mst.as_ref();
            best.pci = mst.and_then(|mst| self.pci_of_mst.get(mst)).cloned();
        }
        // A VLAN on top of the port shares its RDMA device.
        if let Some(netdev) = best.rdma.as_ref().and_then(of_rdma) {
            best.netdev = Some(netdev);
        }
        if best.netdev.is_none() {
            let pci = best.pci.as_ref();
            best.netdev = pci.and_then(|pci| self.netdev_of_pci.get(pci)).cloned();
        }
        if best.netdev.is_none() && best.rdma.is_none() {
            let pci = best.pci.as_ref();
            best.rdma = pci.and_then(|pci| self.rdma_of_pci.get(pci)).cloned();
            best.netdev = best.rdma.as_ref().and_then(of_rdma);
        }
        best
    }
}

/// Sorts all statements by port.
pub fn gather(statements: Statements, sources: &[&str]) -> Vec<Gathered> {
    let Statements {
        mut parts,
        all_rdma_listed,
        bonds,
        virtual_functions,
        everywhere,
        ..
    } = statements;
    let known: BTreeSet<String> = parts
        .iter()
        .filter_map(|part| part.subject.netdev.clone())
        .collect();
    for part in parts.iter_mut().filter(|part| part.subject.is_empty()) {
        let source = sources.get(part.capture);
        part.subject.netdev = source.and_then(|source| in_file_name(source, &known));
    }
    let ties = Ties::of(&parts, &bonds);
    let functions: BTreeSet<String> = parts
        .iter()
        .filter(|part| part.fallback.is_none())
        .filter_map(|part| part.subject.pci.clone())
        .collect();
    for part in &mut parts {
        let alone =
            |pci: &String| !functions.contains(pci) && !ties.netdev_of_pci.contains_key(pci);
        let fallback = part.fallback.take();
        let resolved = ties.resolve(&part.subject);
        part.subject = match fallback {
            Some(first) if resolved.pci.as_ref().is_none_or(alone) => ties.resolve(&first),
            _ => resolved,
        };
    }
    let mut parts = spread_over_bonds(parts, &bonds);
    inherit(&mut parts, &virtual_functions, &ties);
    let names = Names::of(&parts, &ties);
    let mut ports: BTreeMap<String, Gathered> = BTreeMap::new();
    for part in parts {
        let name = names.name(&part.subject);
        let port = ports.entry(name.clone()).or_insert_with(|| Gathered {
            name,
            evidence: Evidence::None,
            parts: Vec::new(),
        });
        port.evidence = port.evidence.max(part.evidence);
        port.parts.push(part);
    }
    let mut ports: Vec<Gathered> = ports.into_values().collect();
    for port in ports
        .iter_mut()
        .filter(|port| port.evidence > Evidence::None)
    {
        port.hear(&everywhere);
    }
    // A listing of all RDMA devices denies the rest.
    for port in &mut ports {
        if all_rdma_listed && port.evidence == Evidence::Possible {
            port.evidence = Evidence::None;
        } else if port.evidence == Evidence::None {
            // Nobody asked for its settings: a bridge, a loopback.
            port.parts.retain(|_| false);
        }
    }
    ports.retain(|port| !port.parts.is_empty());
    ports.sort_by(|a, b| natural(&a.name).cmp(&natural(&b.name)));
    ports
}

/// An RDMA device over a bond is one device on all members: what is said of it
/// is said of each of them, as each has its own port to the fabric.
fn spread_over_bonds(parts: Vec<Part>, bonds: &BTreeMap<String, BTreeSet<String>>) -> Vec<Part> {
    if bonds.is_empty() {
        return parts;
    }
    let bond_of = |part: &Part| {
        let netdev = part.subject.netdev.as_ref()?;
        if let Some(members) = bonds.get(netdev) {
            return Some(members);
        }
        let bonded = part.subject.rdma.as_ref()?.contains("bond");
        let mut around = bonds.values().filter(|members| members.contains(netdev));
        around.next().filter(|_| bonded)
    };
    // A listing of network devices speaks of the bond's own queue and MTU.
    let of_rdma = |part: &Part| part.evidence == Evidence::Rdma || part.subject.rdma.is_some();
    let mut spread = Vec::with_capacity(parts.len());
    for part in parts {
        match bond_of(&part).filter(|_| of_rdma(&part)) {
            Some(members) if spread.len() < Statements::MOST => {
                for member in members.iter().take(MOST_MEMBERS) {
                    let mut part = part.clone();
                    part.subject.netdev = Some(member.clone());
                    part.subject.pci = None;
                    spread.push(part);
                }
            }
            _ => spread.push(part),
        }
    }
    spread
}

/// More hooks and options for every interface than a host has.
const MOST_EVERYWHERE: usize = 64;

/// No bond has more.
const MOST_MEMBERS: usize = 32;

/// A virtual function has the DCB settings of its port.
fn inherit(parts: &mut Vec<Part>, functions: &[(Subject, Subject)], ties: &Ties) {
    if functions.is_empty() {
        return;
    }
    let mut of_netdev: BTreeMap<&str, Vec<&Part>> = BTreeMap::new();
    for part in parts.iter().filter(|part| part.evidence > Evidence::None) {
        if let Some(netdev) = &part.subject.netdev {
            of_netdev.entry(netdev).or_default().push(part);
        }
    }
    let netdev = |subject: &Subject| ties.resolve(subject).netdev;
    let mut inherited = Vec::new();
    for (of, physical) in functions.iter().take(MOST_FUNCTIONS) {
        let (Some(of), Some(physical)) = (netdev(of), netdev(physical)) else {
            continue;
        };
        let of_physical = of_netdev.get(physical.as_str()).into_iter().flatten();
        inherited.extend(of_physical.map(|part| Part {
            subject: Subject::netdev(&of),
            ..part.of_physical_port()
        }));
        if parts.len() + inherited.len() > Statements::MOST {
            break;
        }
    }
    parts.extend(inherited);
}

/// More virtual functions than a host puts into use.
const MOST_FUNCTIONS: usize = 1024;

/// Names for subjects that ties alone do not resolve: one RDMA device and one
/// network device belong together, and what names nothing belongs to the only
/// port.
struct Names {
    /// The only port with a name.
    sole: Option<String>,
    /// The only network device, if it can take the only RDMA device.
    netdev_for_rdma: Option<String>,
    /// Whether several PCI functions stand without a name.
    many_functions: bool,
}

impl Names {
    fn of(parts: &[Part], ties: &Ties) -> Self {
        let nics = parts.iter().filter(|part| part.evidence > Evidence::None);
        let subjects = || nics.clone().map(|part| &part.subject);
        let netdevs: BTreeSet<&String> = subjects().filter_map(|s| s.netdev.as_ref()).collect();
        let loose = |subject: &&Subject| subject.netdev.is_none();
        let rdma: BTreeSet<&String> = subjects()
            .filter(loose)
            .filter_map(|s| s.rdma.as_ref())
            .collect();
        let functions: BTreeSet<&String> = subjects()
            .filter(loose)
            .filter(|s| s.rdma.is_none())
            .filter_map(|s| s.pci.as_ref().or(s.mst.as_ref()))
            .collect();
        let free = |netdev: &&&String| !ties.netdev_of_rdma.values().any(|tied| tied == **netdev);
        let netdev_for_rdma = match (netdevs.len(), rdma.len()) {
            (1, 1) => netdevs.iter().find(free).map(|netdev| (*netdev).clone()),
            _ => None,
        };
        let sole = match (netdevs.len(), rdma.len(), &netdev_for_rdma) {
            (_, _, Some(netdev)) => Some(netdev.clone()),
            (1, 0, _) => netdevs.first().map(|name| (*name).clone()),
            (0, 1, _) => rdma.first().map(|name| (*name).clone()),
            _ => None,
        };
        Names {
            sole,
            netdev_for_rdma,
            many_functions: functions.len() > 1,
        }
    }

    fn name(&self, subject: &Subject) -> String {
        let named = match subject {
            Subject {
                netdev: Some(netdev),
                ..
            } => Some(netdev),
            Subject {
                rdma: Some(rdma), ..
            } => self.netdev_for_rdma.as_ref().or(Some(rdma)),
            Subject { pci: Some(own), .. } | Subject { mst: Some(own), .. }
                if self.many_functions =>
            {
                Some(own)
            }
            _ => self.sole.as_ref(),
        };
        named.map_or(NAMELESS, String::as_str).to_owned()
    }
}

/// A network device in the name of a capture's file, which has to lie in the
/// device's folder or begin with a tool's name: `gpu01/mlnx_qos_ens1f0np0.txt`.
fn in_file_name(source: &str, known: &BTreeSet<String>) -> Option<String> {
    const TOOLS: &[&str] = &[
        "mlnx_qos",
        "dcb",
        "mlxconfig",
        "mstconfig",
        "ethtool",
        "ecn",
    ];
    const PREFIXES: &[&str] = &[
        "en", "eth", "ib", "bond", "rail", "roce", "rocep", "nic", "p", "gpu",
    ];
    let (folder, file) = source.rsplit_once('/').unwrap_or(("", source));
    if folder.is_empty() && !TOOLS.iter().any(|tool| file.starts_with(tool)) {
        return None;
    }
    let stem = crate::source::folder::stem(file);
    let mut words = stem.split(['_', '.', ' ', '-', '+', '=']).rev();
    words.find_map(|word| {
        let digit = word.find(|c: char| c.is_ascii_digit());
        let prefix = digit.and_then(|at| word.get(..at)).unwrap_or(word);
        let likely = digit.is_some()
            && (PREFIXES.contains(&prefix) || prefix.starts_with("en") && prefix.len() <= 6);
        (known.contains(word) || likely)
            .then(|| device_name(word))
            .flatten()
    })
}

/// A key that sorts `eth2` before `eth10`.
fn natural(name: &str) -> Vec<(u64, &str)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = rest
            .get(..digits)
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0);
        rest = rest.get(digits..).unwrap_or_default();
        let text = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        key.push((number, rest.get(..text).unwrap_or_default()));
        rest = rest.get(text..).unwrap_or_default();
    }
    key
}
