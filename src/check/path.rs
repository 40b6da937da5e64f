//! Ways between hosts.

use super::{
    About, Check, Detail, FabricContext, FabricDetail, FabricVerdicts, Judges, Line, Needs,
};
use crate::fabric::deadlock::circle;
use crate::fabric::{Fabric, Hops, NodePort, Obstacle, PortId};
use crate::finding::Way;
use crate::model::{DeviceField, DeviceKind, Field, PortField};
use crate::policy::{Class, Severity};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ways of lossless classes.
pub struct Lossless;

impl Check for Lossless {
    fn about(&self) -> &'static About {
        &About {
            id: "path/lossless",
            severity: Severity::Critical,
            needs: Needs::Peers,
            judges: Judges::All,
            title: "Lossless classes stay lossless on every way between hosts",
            explain: "A class is lossless between two hosts only if it is at every hop: the NIC \
                marks it, each switch port classifies it and sends pause for it, and each port \
                that it leaves by puts it in the right queue, marks it and obeys pause. One \
                finding a hop that is broken and lies on a way between hosts, with the check \
                that says why. Assumed are ways up and then down, over all equal-cost links, \
                without flooding, bounced routes and links that are down. Lossless links between \
                switches that can wait for each other in a circle are told as well: one pause \
                can stop such a circle for good. So is a switch that forgets MAC addresses before \
                ARP entries: it floods, which has deadlocked real fabrics (C. Guo et al., RDMA \
                over Commodity Ethernet at Scale, SIGCOMM 2016).",
        }
    }

    fn fabric(&self, cx: &FabricContext<'_>, out: &mut FabricVerdicts) {
        for class in cx.set.base().lossless_classes() {
            class_ways(cx.hops, class, out);
            deadlock(cx.hops, class, out);
        }
        if cx.set.base().lossless_classes().next().is_some() {
            flooding(&cx.hops.fabric, out);
        }
    }
}

/// Switches that flood packets to hosts that they know by ARP but not by MAC.
fn flooding(fabric: &Fabric, out: &mut FabricVerdicts) {
    for (n, node) in fabric.nodes.iter().enumerate() {
        let carries = |port: &NodePort| port.judged && !port.view.lossless.is_empty();
        let (Some((mac, arp)), Some(first)) = (node.ageing, node.ports.iter().position(carries))
        else {
            continue;
        };
        if mac >= arp {
            continue;
        }
        let port = PortId {
            node: n as u32,
            port: first as u32,
        };
        let detail = Detail::fail(
            "MAC addresses are forgotten before ARP entries, so packets to a host that was \
             silent are flooded; flooded packets of a lossless class can close a circle of pause",
        )
        .severity(Severity::Medium)
        .expected(format!("MAC ageing >= {arp} s, the ARP timeout"))
        .actual(format!("{mac} s"));
        out.details.push(
            FabricDetail::new(port, detail)
                .line(Line::Device(port, DeviceField::MacAgeing))
                .line(Line::Device(port, DeviceField::ArpTimeout)),
        );
    }
}

/// A circle of links that can wait for each other.
fn deadlock(hops: &Hops, class: &Class, out: &mut FabricVerdicts) {
    let fabric = &hops.fabric;
    let name = &class.name.value;
    let pauses = |from: PortId, to: PortId| {
        let priority = |port| {
            let mut classes = fabric.port(port).view.lossless.iter();
            classes.find(|(own, _)| own == name)?.1
        };
        let obeys = fabric.port(from).view.pfc_rx.get();
        let sends = fabric.port(to).view.pfc_tx.get();
        let on = |set: Option<crate::model::Priorities>, priority: Option<u8>| {
            set.zip(priority)
                .is_some_and(|(set, priority)| set.contains(priority))
        };
        on(obeys, priority(from)) && on(sends, priority(to))
    };
    let Some(circle) = circle(fabric, &hops.paths, &pauses) else {
        return;
    };
    let Some(first) = circle.first().copied() else {
        return;
    };
    let mut names: Vec<String> = circle.iter().map(|port| fabric.name(*port)).collect();
    names.extend(names.first().cloned());
    let detail = Detail::fail(format!(
        "pause of the class {name} can wait in a circle, and then never ends: {}",
        names.join(" > ")
    ));
    out.details
        .push(FabricDetail::new(first, detail.class(class)));
}

/// Ways of congestion notification packets.
pub struct Cnp;

impl Check for Cnp {
    fn about(&self) -> &'static About {
        &About {
            id: "path/cnp",
            severity: Severity::Medium,
            needs: Needs::Peers,
            judges: Judges::All,
            title: "Congestion notification packets reach every sender in their class",
            explain: "The receiver's NIC answers marked packets with CNPs. They help only if they \
                keep their class on the whole way back and the sender's NIC reacts to them. One \
                finding a hop that breaks this, with the check that says why.",
        }
    }

    fn fabric(&self, cx: &FabricContext<'_>, out: &mut FabricVerdicts) {
        if let Some(class) = cx.set.base().cnp_class() {
            class_ways(cx.hops, class, out);
        }
    }
}

/// The hops of a class on all ways, each once.
fn class_ways(hops: &Hops, class: &Class, out: &mut FabricVerdicts) {
    let name = &class.name.value;
    let mut crossed: BTreeMap<PortId, Crossed> = BTreeMap::new();
    for crossing in &hops.paths.crossings {
        let pairs = crossing.senders.len() * crossing.receivers.len();
        crossed.entry(crossing.egress).or_default().leave += pairs;
        crossed.entry(crossing.ingress).or_default().arrive += pairs;
    }
    for (port, crossed) in crossed {
        let ways = [
            (crossed.arrive > 0, Way::Ingress),
            (crossed.leave > 0, Way::Egress),
        ];
        let on = |way| hops.obstacles(port, way, name);
        let found = ways
            .iter()
            .filter(|(used, _)| *used)
            .map(|(_, way)| (*way, on(*way)));
        let mut found: Vec<(Way, Arc<Obstacle>)> = found
            .filter_map(|(way, all)| Some((way, all.into_iter().next()?)))
            .collect();
        found.sort_by_key(|(_, obstacle)| obstacle.unknown);
        match found.first() {
            None => out.passes += 1,
            Some((way, first)) => {
                let both = found.iter().filter(|(_, other)| other == first).count() == 2;
                let way = if both { Way::Both } else { *way };
                out.details
                    .push(told(hops, class, port, way, crossed, first));
            }
        }
    }
}

/// How many pairs of hosts can send over a port.
#[derive(Clone, Copy, Default)]
struct Crossed {
    arrive: usize,
    leave: usize,
}

/// A hop, as traces name its stages.
pub(crate) fn stage(kind: DeviceKind, way: Way) -> &'static str {
    match (kind, way) {
        (DeviceKind::Host, Way::Egress) => "nic-egress",
        (DeviceKind::Host, Way::Ingress) => "nic-ingress",
        (DeviceKind::Host, Way::Both) => "NIC",
        (DeviceKind::Switch, Way::Egress) => "egress",
        (DeviceKind::Switch, Way::Ingress) => "ingress",
        (DeviceKind::Switch, Way::Both) => "ingress and egress",
    }
}

fn told(
    hops: &Hops,
    class: &Class,
    port: PortId,
    way: Way,
    crossed: Crossed,
    first: &Arc<Obstacle>,
) -> FabricDetail {
    let hosts = hops.paths.host_count();
    let all = hosts * hosts.saturating_sub(1);
    let pairs = match way {
        Way::Ingress => crossed.arrive,
        Way::Egress => crossed.leave,
        Way::Both => crossed.arrive + crossed.leave,
    };
    let message = format!(
        "the class {} {} the {} hop, on {} of {all} ways between hosts: {} ({})",
        class.name.value,
        match first.unknown {
            true => "is unknown at",
            false => "breaks at",
        },
        stage(hops.fabric.node(port).kind, way),
        pairs.min(all),
        first.message,
        first.check,
    );
    let detail = match first.unknown {
        true => Detail::unknown(message),
        false => Detail::fail(message),
    };
    let mut told = FabricDetail::new(port, detail.class(class));
    told.evidence = first.evidence.to_vec();
    told
}

/// Outer IPv4, UDP and VXLAN headers and the inner Ethernet header, bytes
/// (RFC 7348).
const VXLAN_HEADERS: u32 = 50;

/// Packet size on the way.
pub struct Mtu;

impl Check for Mtu {
    fn about(&self) -> &'static About {
        &About {
            id: "mtu/path",
            severity: Severity::Medium,
            needs: Needs::Peers,
            judges: Judges::All,
            title: "No port on a way takes less than the hosts that use it can send",
            explain: "Two hosts send each other packets up to the smaller of their MTUs. A port \
                on their way with a smaller one drops the large packets and passes the small \
                ones: connections come up, and then hang on the first full packet.",
        }
    }

    fn fabric(&self, cx: &FabricContext<'_>, out: &mut FabricVerdicts) {
        let hops = cx.hops;
        let sizes = HostSizes::new(hops);
        let mut needed: BTreeMap<PortId, u32> = BTreeMap::new();
        let tunnels = hops.fabric.nodes.iter().any(|node| node.vtep);
        for crossing in &hops.paths.crossings {
            let largest = sizes
                .largest(&crossing.senders)
                .min(sizes.largest(&crossing.receivers));
            for port in [crossing.egress, crossing.ingress] {
                let need = needed.entry(port).or_default();
                *need = largest.max(*need);
            }
        }
        for (port, need) in needed {
            if hops.fabric.is_host(port) || need == 0 {
                continue;
            }
            let mtu = &hops.fabric.port(port).view.mtu;
            let across = hops.fabric.across(port);
            let outer = match across.is_some_and(|other| hops.fabric.is_host(other)) {
                false if tunnels => VXLAN_HEADERS,
                _ => 0,
            };
            let detail = match mtu.get() {
                Some(bytes) if (need..need.saturating_add(outer)).contains(&bytes) => {
                    Detail::unknown(format!(
                        "whether what hosts send fits is unknown: in a VXLAN tunnel it is \
                         {VXLAN_HEADERS} bytes larger"
                    ))
                    .expected(format!(">= {} bytes", need.saturating_add(outer)))
                    .actual(format!("{bytes} bytes"))
                }
                Some(bytes) if bytes >= need => {
                    out.passes += 1;
                    continue;
                }
                Some(bytes) => {
                    Detail::fail("hosts send larger packets over the port than it takes")
                        .expected(format!(">= {need} bytes"))
                        .actual(format!("{bytes} bytes"))
                        .kind(mtu.kind())
                }
                None => Detail::unknown_fact("what the port takes", mtu),
            };
            let line = Line::Fact(port, Field::Port(PortField::MtuIp));
            out.details.push(FabricDetail::new(port, detail).line(line));
        }
    }
}

/// For each size that some host has, the hosts that can send at least that.
struct HostSizes(Vec<(u32, crate::fabric::paths::Hosts)>);

impl HostSizes {
    fn new(hops: &Hops) -> Self {
        let size = |node: &crate::fabric::Node| {
            let judged = node.ports.iter().filter(|port| port.judged);
            judged.filter_map(|port| port.view.mtu.get()).max()
        };
        let by_node: Vec<Option<u32>> = hops.fabric.nodes.iter().map(size).collect();
        let hosts = hops.paths.hosts.iter().enumerate();
        let hosts = hosts.filter_map(|(node, host)| host.map(|_| node));
        let mut sizes: Vec<u32> = hosts.filter_map(|node| by_node[node]).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.dedup();
        let at_least = |size: u32| {
            let nodes = by_node.iter().enumerate();
            let nodes = nodes.filter(|(_, own)| own.is_some_and(|own| own >= size));
            (size, hops.paths.set(nodes.map(|(node, _)| node)))
        };
        HostSizes(sizes.into_iter().map(at_least).collect())
    }

    /// The largest size that some host of the set can send; 0 where none is known.
    fn largest(&self, hosts: &crate::fabric::paths::Hosts) -> u32 {
        let mut sizes = self.0.iter();
        let found = sizes.find(|(_, set)| set.meets(hosts));
        found.map_or(0, |(size, _)| *size)
    }
}
