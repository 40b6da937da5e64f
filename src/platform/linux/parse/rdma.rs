//! RDMA devices: `rdma link`, `ibdev2netdev`, `show_gids`, `ibv_devinfo`.

use super::{
    Evidence, Input, Part, Statements, Subject, device_name, is_json, leading_number, tokens,
};
use crate::model::{Fact, Gid, LinkType, NoteKind, Origin};
use crate::platform::linux::counters;
use crate::platform::linux::make::RdmaNames;
use crate::platform::text::json::Document;
use crate::platform::text::keyvalue;
use std::collections::BTreeMap;
use std::net::Ipv6Addr;

/// Whether the text is of `rdma link`.
pub fn recognise_link(text: &str) -> bool {
    if is_json(text) {
        return text.contains("\"physical_state\"") && text.contains("\"ifindex\"");
    }
    super::lines(text).any(|(_, line)| {
        line.trim_start().starts_with("link ") && line.contains(" physical_state ")
    })
}

/// Whether the text is of `ibdev2netdev`.
pub fn recognise_ibdev(text: &str) -> bool {
    super::lines(text).any(|(_, line)| line.contains(" ==> ") && line.contains(" port "))
}

/// Whether the text is of `show_gids`.
pub fn recognise_gids(text: &str) -> bool {
    text.contains("n_gids_found=")
        || super::lines(text).any(|(_, line)| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.starts_with(&["DEV", "PORT", "INDEX", "GID"])
        })
}

/// Whether the text is of `ibv_devinfo`.
pub fn recognise_devinfo(text: &str) -> bool {
    text.contains("hca_id:")
        || (text.contains("phys_state:") || text.contains("active_mtu:"))
        || super::lines(text).any(|(_, line)| gid_line(line).is_some())
}

fn tie(rdma: &str, netdev: Option<&str>) -> Part {
    let mut subject = Subject::rdma(rdma);
    subject.netdev = netdev.and_then(device_name);
    Part::new(subject, Evidence::Rdma)
}

/// Reads `rdma link`, JSON or text.
pub fn link(input: &Input<'_>, out: &mut Statements) {
    if is_json(input.text) {
        let document = Document::parse(input.text);
        match document.error() {
            Some(error) => {
                let text = format!("the JSON could not be read to its end: {}", error.kind);
                out.note(NoteKind::Failed, text, input.at(error.offset as usize));
            }
            None => out.all_rdma_listed |= !input.filtered,
        }
        for row in document.root().iter().flat_map(|root| root.items()) {
            let Some(device) = row.get("ifname") else {
                continue;
            };
            let netdev = row.get("netdev").and_then(|netdev| netdev.str());
            let at = input.at(device.offset() as usize);
            let name = device.text().unwrap_or_default();
            named(tie(&name, netdev.as_deref()), &name, at, out);
        }
        return;
    }
    let show_one = input.command.iter().any(|word| word.contains('/'));
    out.all_rdma_listed |= !input.filtered && !show_one;
    for (offset, line) in input.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |key: &str| {
            let at = words.iter().position(|word| *word == key)?;
            words.get(at + 1).copied()
        };
        let Some(link) = after("link") else { continue };
        let device = link.split('/').next().unwrap_or(link);
        named(tie(device, after("netdev")), device, input.at(offset), out);
    }
}

fn named(mut part: Part, device: &str, at: Origin, out: &mut Statements) {
    let name = device_name(device).unwrap_or_default();
    part.nic().rdma_device = Fact::explicit(name, at);
    out.push(part);
}

/// Whether the text is of `rdma statistic`.
pub fn recognise_statistic(text: &str) -> bool {
    match is_json(text) {
        true => {
            text.contains("\"ifname\"")
                && (text.contains("\"out_of_sequence\"") || RdmaNames::occur_in(text))
        }
        false => super::lines(text).any(|(_, line)| {
            line.trim_start().starts_with("link ")
                && (line.contains(" out_of_sequence ") || RdmaNames::occur_in(line))
        }),
    }
}

/// Reads `rdma statistic show`: the counters of hw_counters, with their names.
pub fn statistic(input: &Input<'_>, out: &mut Statements) {
    let mut push = |device: &str, values: BTreeMap<String, (i64, Origin)>| {
        let device = device.split('/').next().unwrap_or(device);
        let mut part = tie(device, None);
        *part.counters() = counters::rdma(&values);
        out.push(part);
    };
    if is_json(input.text) {
        let document = Document::parse(input.text);
        for row in document.root().iter().flat_map(|root| root.items()) {
            let Some(device) = row.get("ifname").and_then(|name| name.str()) else {
                continue;
            };
            let values = row.entries().filter_map(|(name, value)| {
                let count = i64::try_from(value.u64()?).ok()?;
                Some((
                    name.text().into_owned(),
                    (count, input.at(name.offset() as usize)),
                ))
            });
            push(&device, values.collect());
        }
        if let Some(error) = document.error() {
            let text = format!("the JSON could not be read to its end: {}", error.kind);
            out.note(NoteKind::Failed, text, input.at(error.offset as usize));
        }
        return;
    }
    for (offset, line) in input.lines() {
        let words: Vec<(usize, &str)> = tokens(offset, line).collect();
        let [(_, "link"), (_, device), rest @ ..] = words.as_slice() else {
            continue;
        };
        let pairs = rest.chunks_exact(2).filter_map(|pair| match pair {
            [(at, name), (_, count)] => {
                Some(((*name).to_owned(), (count.parse().ok()?, input.at(*at))))
            }
            _ => None,
        });
        push(device, pairs.collect());
    }
}

/// Whether the text is of `rdma dev`.
pub fn recognise_dev(text: &str) -> bool {
    match is_json(text) {
        true => text.contains("\"node_type\"") && text.contains("\"ifname\""),
        false => super::lines(text).any(|(_, line)| line.contains(": node_type ")),
    }
}

/// Reads the firmware of `rdma dev`.
pub fn dev(input: &Input<'_>, out: &mut Statements) {
    let mut push = |device: &str, firmware: Option<String>, at: Origin| {
        let mut part = tie(device, None);
        if let Some(firmware) = firmware {
            part.nic().firmware = Fact::explicit(firmware, at);
        }
        named(part, device, at, out);
    };
    if is_json(input.text) {
        let document = Document::parse(input.text);
        for row in document.root().iter().flat_map(|root| root.items()) {
            if let Some(device) = row.get("ifname").and_then(|name| name.str()) {
                let firmware = row.get("fw").and_then(|fw| Some(fw.str()?.into_owned()));
                push(&device, firmware, input.at(row.offset() as usize));
            }
        }
        return;
    }
    for (offset, line) in input.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, device, "node_type", ..] = words.as_slice() {
            let n = words.iter().position(|word| *word == "fw");
            let firmware = n.and_then(|n| words.get(n + 1)).map(|fw| (*fw).to_owned());
            push(device.trim_end_matches(':'), firmware, input.at(offset));
        }
    }
}

/// Reads `ibdev2netdev`.
pub fn ibdev(input: &Input<'_>, out: &mut Statements) {
    out.all_rdma_listed |= !input.filtered;
    for (offset, line) in input.lines() {
        let Some((left, right)) = line.split_once(" ==> ") else {
            continue;
        };
        let device = left.split_whitespace().find(|word| !word.contains(':'));
        let (Some(device), Some(netdev)) = (device, right.split_whitespace().next()) else {
            continue;
        };
        named(tie(device, Some(netdev)), device, input.at(offset), out);
    }
}

/// Reads `show_gids`. The IPv4 column is empty for other addresses.
pub fn gids(input: &Input<'_>, out: &mut Statements) {
    let mut tables: BTreeMap<&str, (Vec<Gid>, Origin)> = BTreeMap::new();
    for (offset, line) in input.lines() {
        let words: Vec<(usize, &str)> = tokens(offset, line).collect();
        let [(at, device), (_, port), (_, index), (_, address), rest @ ..] = words.as_slice()
        else {
            continue;
        };
        let (Ok(index), Ok(address), true) = (
            index.parse(),
            address.parse::<Ipv6Addr>(),
            port.parse::<u8>().is_ok(),
        ) else {
            continue;
        };
        let version = rest
            .iter()
            .position(|(_, word)| matches!(*word, "v1" | "v2"));
        let kind = version.and_then(|n| super::sysfs::gid_type(rest.get(n)?.1));
        let table = tables
            .entry(*device)
            .or_insert_with(|| (Vec::new(), input.at(*at)));
        table.0.push(Gid {
            index,
            kind,
            address: address.octets(),
        });
        if let Some((_, netdev)) = version.and_then(|n| rest.get(n + 1)) {
            out.push(tie(device, Some(netdev)));
        }
    }
    for (device, (gids, at)) in tables {
        let mut part = tie(device, None);
        part.nic().gids = Fact::explicit(gids, at);
        out.push(part);
    }
}

fn gid_line(line: &str) -> Option<Gid> {
    let rest = line.trim_start().strip_prefix("GID[")?;
    let (index, rest) = rest.split_once(']')?;
    let rest = rest.trim_start_matches(':').trim();
    let (address, kind) = match rest.split_once(',') {
        Some((address, kind)) => (address.trim(), super::sysfs::gid_type(kind)),
        None => (rest, None),
    };
    Some(Gid {
        index: index.trim().parse().ok()?,
        kind,
        address: address.parse::<Ipv6Addr>().ok()?.octets(),
    })
}

/// `Ethernet`, `InfiniBand`, `IB`.
pub fn link_layer(text: &str, at: Origin) -> Fact<LinkType> {
    match text.trim() {
        "Ethernet" => Fact::explicit(LinkType::Ethernet, at),
        "InfiniBand" | "IB" => Fact::explicit(LinkType::Infiniband, at),
        other => Fact::unknown_at(format!("the link layer `{other}` is not known"), at),
    }
}

/// Reads `ibv_devinfo`, with or without `-v`, or a part of it.
pub fn devinfo(input: &Input<'_>, out: &mut Statements) {
    let named_device = input.option(&["-d", "--ib-dev"]);
    let mut part = named_device.map_or_else(Part::default, |device| tie(device, None));
    part.evidence = Evidence::Rdma;
    let mut gids: Option<(Vec<Gid>, Origin)> = None;
    let mut finish = |part: Part, gids: &mut Option<(Vec<Gid>, Origin)>| {
        let mut part = part;
        if let Some((gids, at)) = gids.take() {
            part.nic().gids = Fact::explicit(gids, at);
        }
        if part.port.nic.is_some() {
            out.push(part);
        }
    };
    for (offset, line) in input.lines() {
        let at = input.at(offset + (line.len() - line.trim_start().len()));
        if let Some(gid) = gid_line(line) {
            gids.get_or_insert((Vec::new(), at)).0.push(gid);
            continue;
        }
        let Some(pair) = keyvalue::pairs(line).next() else {
            continue;
        };
        match pair.key {
            "hca_id" => {
                finish(std::mem::take(&mut part), &mut gids);
                part = tie(pair.value, None);
                part.nic().rdma_device = Fact::explicit(pair.value.to_owned(), at);
            }
            "fw_ver" => part.nic().firmware = Fact::explicit(pair.value.to_owned(), at),
            "board_id" => part.nic().part = Fact::explicit(pair.value.to_owned(), at),
            "active_mtu" => {
                let mtu = leading_number(pair.value).and_then(|n| u32::try_from(n).ok());
                if let Some(mtu) = mtu {
                    part.nic().rdma_mtu = Fact::explicit(mtu, at);
                }
            }
            "link_layer" => part.nic().link_type = link_layer(pair.value, at),
            "phys_state" => {
                part.nic();
            }
            _ => {}
        }
    }
    finish(part, &mut gids);
}
