//! Which devices there are and how they belong together: `rdma link`,
//! `ibdev2netdev`, `show_gids`, `ibv_devinfo`, `ip link`, `devlink`.

use super::mlxconfig::pci;
use super::{At, Statement, Statements, Subject, Text};
use crate::model::{Gid, GidType, LinkType};
use crate::platform::text::json::{Document, Node};
use std::net::Ipv6Addr;

/// The device that a command, or the name of a file, is about.
pub fn subject_of(command: &str) -> Subject {
    if let Some(name) = option(command, "-i").or_else(|| option(command, "dev")) {
        return Subject::Netdev(name.to_owned());
    }
    if let Some(name) = option(command, "-d") {
        return match pci(name) {
            Some(pci) => Subject::Pci(pci),
            None => Subject::Rdma(name.to_owned()),
        };
    }
    for (base, make) in [
        ("/sys/class/net/", Subject::Netdev as fn(String) -> Subject),
        ("/sys/class/infiniband/", Subject::Rdma),
    ] {
        if let Some(rest) = command.split(base).nth(1) {
            let name = rest.split('/').next().unwrap_or_default();
            if is_device(name) {
                return make(name.to_owned());
            }
        }
    }
    let mut words = command.split_whitespace();
    if words.next().is_some_and(|word| word.ends_with("ethtool")) {
        let device = words.rfind(|word| !word.starts_with('-'));
        if let Some(device) = device.filter(|word| is_device(word)) {
            return Subject::Netdev(device.to_owned());
        }
    }
    from_file_name(command)
}

/// `mlnx_qos_ens1f0np0.txt`, `ethtool_S.ens1f0np0`, `traffic_class_mlx5_0`.
fn from_file_name(name: &str) -> Subject {
    if name.contains([' ', '/']) {
        return Subject::Unnamed;
    }
    let stem = crate::source::folder::stem(name);
    if let Some(start) = ["mlx5_", "mlx4_", "bnxt_re", "irdma", "rxe", "roce"]
        .iter()
        .filter_map(|prefix| stem.find(prefix))
        .min()
    {
        let device = stem.get(start..).unwrap_or_default();
        return Subject::Rdma(device.to_owned());
    }
    let netdev = stem.split(['.', '_']).find(|part| {
        let named = part.starts_with("en") || part.starts_with("eth") || part.starts_with("ib");
        named && part.bytes().any(|b| b.is_ascii_digit())
    });
    netdev.map_or(Subject::Unnamed, |name| Subject::Netdev(name.to_owned()))
}

/// The word after an option.
pub fn option<'c>(command: &'c str, name: &str) -> Option<&'c str> {
    let mut words = command.split_whitespace();
    words.find(|word| *word == name)?;
    words
        .next()
        .filter(|word| is_device(word) || pci(word).is_some())
}

fn is_device(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.@".contains(&b);
    !name.is_empty() && name.len() < 64 && name.bytes().all(plain) && !name.starts_with('-')
}

pub fn is_gids(text: &Text<'_>) -> bool {
    text.text.contains("INDEX") && text.text.contains("GID") && text.text.contains("DEV")
        || text.text.contains("n_gids_found=")
}

/// `show_gids`: device, port, index, GID, IPv4 or nothing, version, netdev.
pub fn parse_gids(text: &Text<'_>, out: &mut Statements) {
    let mut rows: Vec<(String, Gid, &str)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [device, _, index, gid, rest @ ..] = words.as_slice() else {
            continue;
        };
        let (Ok(index), Ok(address)) = (index.parse(), gid.parse::<Ipv6Addr>()) else {
            continue;
        };
        let kind = rest.iter().find_map(|word| match *word {
            "v1" => Some(GidType::RoceV1),
            "v2" => Some(GidType::RoceV2),
            _ => None,
        });
        let version = rest.iter().position(|word| matches!(*word, "v1" | "v2"));
        if let Some(netdev) = version.and_then(|n| rest.get(n + 1)) {
            let pair = Statement::Pair {
                rdma: (*device).to_owned(),
                netdev: (*netdev).to_owned(),
            };
            if !out.iter().any(|(_, statement)| *statement == pair) {
                out.push((Subject::Unnamed, pair));
            }
        }
        let gid = Gid {
            index,
            kind,
            address: address.octets(),
        };
        rows.push(((*device).to_owned(), gid, line));
    }
    while let Some((device, _, line)) = rows.first() {
        let (device, at) = (device.clone(), text.origin(line));
        let (own, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(d, ..)| *d == device);
        let gids = own.into_iter().map(|(_, gid, _)| gid).collect();
        out.push((Subject::Rdma(device), Statement::Gids(gids, at)));
        rows = others;
    }
}

pub fn is_devinfo(text: &Text<'_>) -> bool {
    text.text.contains("hca_id:") || text.text.contains("active_mtu:") || text.text.contains("GID[")
}

/// `ibv_devinfo [-v]`.
pub fn parse_devinfo(text: &Text<'_>, out: &mut Statements) {
    let mut subject = text.subject.clone();
    let mut gids: Vec<Gid> = Vec::new();
    let mut gids_at = None;
    for line in text.lines() {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        if key == "hca_id" {
            flush(&subject, &mut gids, &mut gids_at, out);
            subject = Subject::Rdma(value.to_owned());
            continue;
        }
        let mut say = |statement| out.push((subject.clone(), statement));
        match key {
            "fw_ver" => say(Statement::Firmware(text.at(value.to_owned(), line))),
            "board_id" => say(Statement::Part(text.at(value.to_owned(), line))),
            "active_mtu" => {
                let mtu = value
                    .split_whitespace()
                    .next()
                    .and_then(|mtu| mtu.parse().ok());
                if let Some(mtu) = mtu {
                    say(Statement::RdmaMtu(text.at(mtu, line)));
                }
            }
            "link_layer" => match value {
                "Ethernet" => say(Statement::Link(text.at(LinkType::Ethernet, line))),
                "InfiniBand" => say(Statement::Link(text.at(LinkType::Infiniband, line))),
                _ => {}
            },
            key if key.starts_with("GID[") => {
                if let Some(gid) = devinfo_gid(line) {
                    gids_at.get_or_insert(text.origin(line));
                    gids.push(gid);
                }
            }
            _ => {}
        }
    }
    flush(&subject, &mut gids, &mut gids_at, out);
}

fn flush(
    subject: &Subject,
    gids: &mut Vec<Gid>,
    at: &mut Option<crate::model::Origin>,
    out: &mut Statements,
) {
    if let Some(at) = at.take() {
        let gids = std::mem::take(gids);
        out.push((subject.clone(), Statement::Gids(gids, at)));
    }
}

/// `GID[  3]:  ::ffff:10.77.1.11, RoCE v2`.
fn devinfo_gid(line: &str) -> Option<Gid> {
    let rest = line.strip_prefix("GID[")?;
    let (index, rest) = rest.split_once("]:")?;
    let (address, kind) = match rest.split_once(',') {
        Some((address, kind)) => (address, Some(kind.trim())),
        None => (rest, None),
    };
    let address: Ipv6Addr = address.trim().parse().ok()?;
    Some(Gid {
        index: index.trim().parse().ok()?,
        kind: kind.and_then(|kind| match kind {
            "RoCE v2" => Some(GidType::RoceV2),
            "RoCE v1" | "IB/RoCE v1" => Some(GidType::RoceV1),
            _ => None,
        }),
        address: address.octets(),
    })
}

pub fn is_pairs(text: &Text<'_>) -> bool {
    text.text.contains("==>") && text.text.contains(" port ")
        || text.text.contains("\"physical_state\"")
        || text
            .lines()
            .any(|line| line.starts_with("link ") && line.contains(" physical_state "))
}

/// `ibdev2netdev`, `rdma link` as text or JSON.
pub fn parse_pairs(text: &Text<'_>, out: &mut Statements) {
    let mut pair = |rdma: &str, netdev: &str| {
        let statement = Statement::Pair {
            rdma: rdma.to_owned(),
            netdev: netdev.to_owned(),
        };
        out.push((Subject::Unnamed, statement));
    };
    if text.text.contains("\"physical_state\"") {
        let Some(body) = text.text.find('[').and_then(|n| text.text.get(n..)) else {
            return;
        };
        let document = Document::parse(body);
        for link in document.root().iter().flat_map(|root| root.items()) {
            let string = |key: &str| link.get(key).and_then(|node| node.str());
            if let (Some(rdma), Some(netdev)) = (string("ifname"), string("netdev")) {
                pair(&rdma, &netdev);
            }
        }
        return;
    }
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [rdma, "port", _, "==>", netdev, ..] => pair(rdma, netdev),
            ["link", rdma, rest @ ..] => {
                let netdev = rest.iter().position(|word| *word == "netdev");
                if let Some(netdev) = netdev.and_then(|n| rest.get(n + 1)) {
                    pair(rdma.split('/').next().unwrap_or(rdma), netdev);
                }
            }
            _ => {}
        }
    }
}

pub fn is_ip_link(text: &Text<'_>) -> bool {
    text.text.contains("\"ifindex\"") && text.text.contains("\"mtu\"")
        || text
            .lines()
            .any(|line| line.contains(": <") && line.contains("> mtu "))
}

/// `ip link` as text or JSON.
pub fn parse_ip_link(text: &Text<'_>, out: &mut Statements) {
    if text.text.contains("\"ifindex\"") {
        let Some(body) = text.text.find('[').and_then(|n| text.text.get(n..)) else {
            return;
        };
        let document = Document::parse(body);
        for link in document.root().iter().flat_map(|root| root.items()) {
            json_link(text, body, link, out);
        }
        return;
    }
    for line in text.lines() {
        let Some((head, rest)) = line.split_once(": <") else {
            continue;
        };
        let Some((_, name)) = head.split_once(": ") else {
            continue;
        };
        let name = name.split('@').next().unwrap_or(name);
        let Some((flags, rest)) = rest.split_once('>') else {
            continue;
        };
        let subject = Subject::Netdev(name.to_owned());
        let mut words = rest.split_whitespace();
        if words.find(|word| *word == "mtu").is_some()
            && let Some(mtu) = words.next().and_then(|mtu| mtu.parse().ok())
        {
            out.push((subject.clone(), Statement::Mtu(text.at(mtu, line))));
        }
        let oper = line
            .split(" state ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        let admin = text.at(flags.split(',').any(|flag| flag == "UP"), line);
        out.push((
            subject,
            Statement::Up {
                admin,
                oper: oper.and_then(oper_state),
            },
        ));
    }
}

fn oper_state(word: &str) -> Option<bool> {
    match word {
        "UP" => Some(true),
        "DOWN" | "LOWERLAYERDOWN" => Some(false),
        _ => None,
    }
}

fn json_link(text: &Text<'_>, body: &str, link: Node<'_>, out: &mut Statements) {
    let Some(name) = link.get("ifname").and_then(|node| node.str()) else {
        return;
    };
    let subject = Subject::Netdev(name.into_owned());
    let part = |node: Node<'_>| text.origin(body.get(node.offset() as usize..).unwrap_or(body));
    if let Some(node) = link.get("mtu")
        && let Some(mtu) = node.u64().and_then(|mtu| u32::try_from(mtu).ok())
    {
        let mtu = At {
            value: mtu,
            at: part(node),
        };
        out.push((subject.clone(), Statement::Mtu(mtu)));
    }
    if let Some(flags) = link.get("flags") {
        let up = flags
            .items()
            .any(|flag| flag.str().as_deref() == Some("UP"));
        let oper = link.get("operstate").and_then(|node| node.str());
        let admin = At {
            value: up,
            at: part(flags),
        };
        let oper = oper.as_deref().and_then(oper_state);
        out.push((subject, Statement::Up { admin, oper }));
    }
}

pub fn is_devlink(text: &Text<'_>) -> bool {
    text.text.contains("\"versions\"") && text.text.contains("\"running\"")
}

/// `devlink -j dev info`.
pub fn parse_devlink(text: &Text<'_>, out: &mut Statements) {
    let Some(body) = text.text.find('{').and_then(|n| text.text.get(n..)) else {
        return;
    };
    let document = Document::parse(body);
    let devices = document.root().and_then(|root| root.get("info"));
    for (name, device) in devices.iter().flat_map(|node| node.entries()) {
        let name = name.text();
        let Some(pci) = name.strip_prefix("pci/").and_then(pci) else {
            continue;
        };
        let subject = Subject::Pci(pci);
        let version = |layer: &str, key: &str| {
            let node = device.get("versions")?.get(layer)?.get(key)?;
            let part = body.get(node.offset() as usize..).unwrap_or(body);
            Some(At {
                value: node.str()?.into_owned(),
                at: text.origin(part),
            })
        };
        let mut say = |statement| out.push((subject.clone(), statement));
        if let Some(version) = version("running", "fw.version") {
            say(Statement::Firmware(version));
        }
        if let Some(version) = version("stored", "fw.version") {
            say(Statement::FirmwareStored(version));
        }
        if let Some(part) = version("fixed", "fw.psid") {
            say(Statement::Part(part));
        }
        if let Some(driver) = device.get("driver")
            && let Some(name) = driver.str()
        {
            say(Statement::Driver(text.at(name.into_owned(), body)));
        }
    }
}
