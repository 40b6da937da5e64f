//! The two ends of a cable.

use super::{
    About, Check, Detail, FabricContext, FabricDetail, FabricVerdicts, Judges, Line, Needs,
};
use crate::fabric::{Fabric, Hops, Link, PortId, Stray};
use crate::model::{Field, PortField};
use crate::policy::Severity;

fn fact(port: PortId, field: PortField) -> Line {
    Line::Fact(port, Field::Port(field))
}

/// Both ends in effect.
pub struct Mismatch;

impl Check for Mismatch {
    fn about(&self) -> &'static About {
        &About {
            id: "link/mismatch",
            severity: Severity::High,
            needs: Needs::Peers,
            judges: Judges::All,
            title: "The two ends of each cable fit each other in effect",
            explain: "What one end pauses the other must obey, for each lossless class; a host \
                must not send larger packets than its switch port takes; speed and FEC must be \
                the same, or the link errs or stays down. Compared is the effect on declared \
                classes, not numbers: 9100 against 4200 fits where the host has the 4200, PFC on \
                more priorities than any class uses does no harm here, and watchdog timers need \
                not be equal. Where another finding tells what is wrong at one end by itself, it is named.",
        }
    }

    fn fabric(&self, cx: &FabricContext<'_>, out: &mut FabricVerdicts) {
        let hops = cx.hops;
        let fabric = &hops.fabric;
        for link in &fabric.links {
            let (a, b) = ends(fabric, link);
            if !fabric.port(a).judged || !fabric.port(b).judged {
                continue;
            }
            let before = out.details.len();
            pause(hops, a, b, out);
            pause(hops, b, a, out);
            link_pause(hops, a, b, out);
            link_pause(hops, b, a, out);
            packet_size(fabric, a, b, out);
            speed(fabric, a, b, out);
            fec(fabric, a, b, out);
            if out.details.len() == before {
                out.passes += 1;
            }
        }
    }
}

/// The switch first, as people look at a cable.
fn ends(fabric: &Fabric, link: &Link) -> (PortId, PortId) {
    match fabric.is_host(link.a) && !fabric.is_host(link.b) {
        true => (link.b, link.a),
        false => (link.a, link.b),
    }
}

/// What `sender` pauses, `obeyer` must obey.
fn pause(hops: &Hops, sender: PortId, obeyer: PortId, out: &mut FabricVerdicts) {
    let fabric = &hops.fabric;
    let (from, to) = (&fabric.port(sender).view, &fabric.port(obeyer).view);
    for (class, priority) in &from.lossless {
        let other = to.lossless.iter().find(|(name, _)| name == class);
        let Some((_, other)) = other else { continue };
        let (Some(priority), Some(other)) = (*priority, *other) else {
            continue; // pfc/missing or map/dscp tells where it is not known
        };
        let (Some(sent), Some(obeyed)) = (from.pfc_tx.get(), to.pfc_rx.get()) else {
            continue; // pfc/missing tells it
        };
        // What is wrong at one end by itself is told there.
        let mut teller = None;
        let message = match (sent.contains(priority), obeyed.contains(priority)) {
            (true, false) => {
                teller = hops.teller(obeyer, &Field::Port(PortField::PfcRx));
                format!(
                    "one end sends pause for priority {priority} of the class {class}, \
                     and the other does not obey it"
                )
            }
            (true, true) if priority != other => format!(
                "one end carries the class {class} on priority {priority}, \
                 the other on priority {other}"
            ),
            _ => continue,
        };
        let detail = Detail::fail(message)
            .expected(format!("pause obeyed on {sent}"))
            .actual(format!("on {obeyed}"))
            .kind(to.pfc_rx.kind())
            .told_by(teller);
        let mut told = FabricDetail::new(obeyer, detail)
            .peer(sender)
            .line(fact(obeyer, PortField::PfcRx))
            .line(fact(sender, PortField::PfcTx));
        told.detail.class = Some(class.clone());
        out.details.push(told);
    }
}

/// 802.3x pause that one end sends and the other does not obey: what it was
/// sent for is lost.
fn link_pause(hops: &Hops, sender: PortId, obeyer: PortId, out: &mut FabricVerdicts) {
    let fabric = &hops.fabric;
    let (from, to) = (&fabric.port(sender).view, &fabric.port(obeyer).view);
    let obeys = &to.link_pause.rx;
    if from.lossless.is_empty()
        || (from.link_pause.tx.get(), obeys.get()) != (Some(true), Some(false))
    {
        return;
    }
    let teller = |port, field| hops.teller(port, &Field::Port(field));
    let told = teller(sender, PortField::LinkPauseTx).or(teller(obeyer, PortField::LinkPauseRx));
    let detail = Detail::fail("one end sends link pause (802.3x), and the other does not obey it")
        .expected("obeyed")
        .actual("off")
        .kind(obeys.kind())
        .told_by(told);
    out.details.push(
        FabricDetail::new(obeyer, detail)
            .peer(sender)
            .line(fact(obeyer, PortField::LinkPauseRx))
            .line(fact(sender, PortField::LinkPauseTx)),
    );
}

/// A host must not send more than its switch takes.
fn packet_size(fabric: &Fabric, switch: PortId, host: PortId, out: &mut FabricVerdicts) {
    if fabric.is_host(switch) || !fabric.is_host(host) {
        return;
    }
    let (at_switch, at_host) = (&fabric.port(switch).view.mtu, &fabric.port(host).view.mtu);
    if let (Some(takes), Some(sends)) = (at_switch.get(), at_host.get())
        && takes < sends
    {
        out.details.push(
            FabricDetail::new(
                switch,
                Detail::fail("the host sends larger packets than the switch port takes")
                    .expected(format!(">= {sends} bytes"))
                    .actual(format!("{takes} bytes"))
                    .kind(at_switch.kind()),
            )
            .peer(host)
            .line(fact(switch, PortField::MtuIp))
            .line(fact(host, PortField::MtuIp)),
        );
    }
}

fn speed(fabric: &Fabric, a: PortId, b: PortId, out: &mut FabricVerdicts) {
    let (own, other) = (
        &fabric.port(a).view.speed_mbps,
        &fabric.port(b).view.speed_mbps,
    );
    if let (Some(here), Some(there)) = (own.get(), other.get())
        && here != there
    {
        out.details.push(
            FabricDetail::new(
                a,
                Detail::fail("the ends of the cable have different speeds")
                    .expected(format!("{there} Mb/s"))
                    .actual(format!("{here} Mb/s"))
                    .kind(own.kind()),
            )
            .peer(b)
            .line(fact(a, PortField::Speed))
            .line(fact(b, PortField::Speed)),
        );
    }
}

/// What vendors' words for FEC have in common; nothing for what is negotiated
/// or not known.
fn fec_kind(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    match &*word {
        "none" | "off" | "disabled" | "disable" => Some("none"),
        _ if word.starts_with("rs") || word.contains("reed") => Some("rs"),
        _ if word.starts_with("fc") || word.starts_with("base") || word.starts_with("fire") => {
            Some("fc")
        }
        _ => None,
    }
}

fn fec(fabric: &Fabric, a: PortId, b: PortId, out: &mut FabricVerdicts) {
    let (own, other) = (&fabric.port(a).view.fec, &fabric.port(b).view.fec);
    let kind = |fact: &crate::model::Fact<String>| fact.value().and_then(|word| fec_kind(word));
    if let (Some(here), Some(there)) = (kind(own), kind(other))
        && here != there
    {
        out.details.push(
            FabricDetail::new(
                a,
                Detail::fail("the ends of the cable have different forward error correction")
                    .expected(there)
                    .actual(here)
                    .kind(own.kind()),
            )
            .peer(b)
            .line(fact(a, PortField::Fec))
            .line(fact(b, PortField::Fec)),
        );
    }
}

/// A neighbour that is not known.
pub struct UnknownPeer;

impl Check for UnknownPeer {
    fn about(&self) -> &'static About {
        &About {
            id: "link/unknown-peer",
            severity: Severity::High,
            needs: Needs::Peers,
            judges: Judges::All,
            title: "The device at the other end of each cable is in the source",
            explain: "A port names a neighbour that this source does not hold, or a port that \
                the neighbour does not have. What lies behind it can't be judged: ways through \
                it are unknown. Add the device's captures, or take the port out of the scope if \
                it leaves the RoCE fabric.",
        }
    }

    fn fabric(&self, cx: &FabricContext<'_>, out: &mut FabricVerdicts) {
        let fabric = &cx.hops.fabric;
        if fabric.links.is_empty() {
            return; // a device by itself: nothing was meant to be joined
        }
        out.passes += fabric.links.len();
        for stray in &fabric.strays {
            let port = stray.port();
            let (message, actual) = match stray {
                Stray::UnknownDevice { device, .. } => (
                    "the neighbour that the port names is not in this source",
                    device.clone(),
                ),
                Stray::UnknownPort { node, name, .. } => {
                    let device = &fabric.nodes[*node].name;
                    match name {
                        Some(name) => (
                            "the neighbour that the port names has no such port",
                            format!("{device} {name}"),
                        ),
                        None => (
                            "the port names a neighbour but not its port",
                            device.to_string(),
                        ),
                    }
                }
                Stray::Contradiction { .. } | Stray::Declared { .. } => continue,
            };
            if fabric.port(port).judged {
                let detail = Detail::unknown(message).actual(actual);
                out.details
                    .push(FabricDetail::new(port, detail).line(Line::Peer(port)));
            }
        }
    }
}

/// Cabling as declared.
pub struct Cabling;

impl Check for Cabling {
    fn about(&self) -> &'static About {
        &About {
            id: "link/cabling",
            severity: Severity::High,
            needs: Needs::Peers,
            judges: Judges::All,
            title: "Cables lead where the rails say, and both ends say the same",
            explain: "In a rail-optimised fabric the NIC of a rail goes to the switches of that \
                rail; one swapped cable sends a collective over the spines and halves its speed, \
                while every single port looks right. Two devices that both claim one port are a \
                stale neighbour table or a cable that was moved.",
        }
    }

    fn fabric(&self, cx: &FabricContext<'_>, out: &mut FabricVerdicts) {
        let fabric = &cx.hops.fabric;
        for stray in &fabric.strays {
            let (message, expected, port, other, instead) = match stray {
                Stray::Contradiction {
                    port,
                    other,
                    instead,
                } => (
                    "the port that is named as the other end is joined to another",
                    *port,
                    *port,
                    *other,
                    *instead,
                ),
                Stray::Declared {
                    port,
                    other,
                    instead,
                } => (
                    "the cable leads elsewhere than was declared",
                    *other,
                    *port,
                    *instead,
                    *instead,
                ),
                Stray::UnknownDevice { .. } | Stray::UnknownPort { .. } => continue,
            };
            let detail = Detail::fail(message)
                .expected(fabric.name(expected))
                .actual(fabric.name(instead));
            out.details.push(
                FabricDetail::new(port, detail)
                    .peer(other)
                    .line(Line::Peer(port))
                    .line(Line::Peer(other)),
            );
        }
        for link in &fabric.links {
            let (switch, host) = ends(fabric, link);
            if fabric.is_host(switch) || !fabric.is_host(host) {
                continue;
            }
            rails(cx, switch, host, out);
        }
    }
}

/// The NIC of a rail goes to the switches of the rail.
fn rails(cx: &FabricContext<'_>, switch: PortId, host: PortId, out: &mut FabricVerdicts) {
    let fabric = &cx.hops.fabric;
    let nic = &fabric.port(host).name;
    for (name, rail) in &cx.set.base().rails {
        let (hosts, switches) = (rail.hosts.as_ref(), rail.switches.as_ref());
        let (Some(hosts), Some(switches)) = (hosts, switches) else {
            continue;
        };
        if !hosts.value.matches(nic) {
            continue;
        }
        if switches.value.matches(&fabric.node(switch).name) {
            out.passes += 1;
            continue;
        }
        out.details.push(
            FabricDetail::new(
                host,
                Detail::fail(format!(
                    "the NIC of {} is cabled to a switch of another rail",
                    name.value
                ))
                .expected(switches.value.patterns().join(", "))
                .actual(&fabric.node(switch).name)
                .policy(name.position),
            )
            .peer(switch)
            .line(Line::Peer(host))
            .line(Line::Peer(switch)),
        );
    }
}
