//! A device as the fabric sees it: what stays of it once it is judged.

use super::class_path::class_priority;
use super::fleet::Profile;
use crate::model::{Device, DeviceKind, Fact, LinkPause, Peer, Port, Priorities, State};
use crate::policy::Effective;
use std::sync::Arc;

/// A device.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name.
    pub name: Arc<str>,
    /// The name that it gives itself.
    pub hostname: Option<String>,
    /// What it is.
    pub kind: DeviceKind,
    /// Its role, by the inventory or the policy.
    pub role: Option<String>,
    /// Seconds that it remembers MAC addresses and ARP entries, where both are
    /// told.
    pub ageing: Option<(u32, u32)>,
    /// Whether it ends VXLAN tunnels.
    pub vtep: bool,
    /// Whether any capture of it could name neighbours.
    pub tells_peers: bool,
    /// Its ports, in the order of the model.
    pub ports: Vec<NodePort>,
}

/// A port.
#[derive(Clone, Debug)]
pub struct NodePort {
    /// Its name.
    pub name: Arc<str>,
    /// Whether the policy judges it: in scope, not down, on hosts with RDMA.
    pub judged: bool,
    /// Free text, where nothing better names the peer.
    pub description: Option<String>,
    /// Who is at the other end, as this port says.
    pub peer: Option<Peer>,
    /// Who should be there, where the configuration names another.
    pub declared: Option<Peer>,
    /// Its settings next to others of its role; none where nobody compares them.
    pub profile: Option<Arc<Profile>>,
    /// The settings that both ends of a cable must agree on, one object for
    /// all ports that share them.
    pub view: Arc<View>,
}

/// What the other end of a cable has to fit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// Mb/s.
    pub speed_mbps: Fact<u32>,
    /// Forward error correction, as the platform names it.
    pub fec: Fact<String>,
    /// Usable IP payload, bytes.
    pub mtu: Fact<u32>,
    /// Priorities that the port sends pause for.
    pub pfc_tx: Fact<Priorities>,
    /// Priorities whose pause the port obeys.
    pub pfc_rx: Fact<Priorities>,
    /// 802.3x.
    pub link_pause: LinkPause,
    /// Of each lossless class its name and PFC priority, where known.
    pub lossless: Vec<(String, Option<u8>)>,
}

impl View {
    /// Of a port under its policy.
    pub fn new(port: &Port, kind: DeviceKind, policy: &Effective) -> Self {
        let lossless = policy.lossless_classes().map(|class| {
            let priority = class_priority(port, kind, class).known();
            (class.name.value.clone(), priority)
        });
        View {
            speed_mbps: port.speed_mbps.clone(),
            fec: port.fec.clone(),
            mtu: port.mtu.ip.clone(),
            pfc_tx: port.pfc.tx.clone(),
            pfc_rx: port.pfc.rx.clone(),
            link_pause: port.link_pause.clone(),
            lossless: lossless.collect(),
        }
    }
}

/// What is kept of a judged port.
#[derive(Clone, Debug)]
pub struct Seen {
    /// For the other end of its cable.
    pub view: Arc<View>,
    /// For others of its role.
    pub profile: Option<Arc<Profile>>,
}

impl Node {
    /// Of a device; `views` has one entry a port, `None` where it is not judged.
    pub fn new(device: &Device, role: Option<String>, views: Vec<Option<Seen>>) -> Self {
        let unseen: Arc<View> = Arc::default();
        let ports = device.ports.iter().zip(views).map(|(port, view)| NodePort {
            name: port.name.as_str().into(),
            judged: view.is_some(),
            profile: view.as_ref().and_then(|seen| seen.profile.clone()),
            description: match port.peer {
                None => port.description.value().cloned(),
                Some(_) => None,
            },
            peer: port.peer.clone().filter(|_| !is_down(port)),
            declared: port.declared.clone().filter(|_| !is_down(port)),
            view: view.map_or_else(|| Arc::clone(&unseen), |seen| seen.view),
        });
        Node {
            name: device.name.as_str().into(),
            hostname: device.hostname.value().cloned(),
            kind: device.kind,
            role,
            vtep: device.vtep.is_known(),
            ageing: device.mac_ageing_s.get().zip(device.arp_timeout_s.get()),
            tells_peers: device.coverage.peers,
            ports: ports.collect(),
        }
    }

    /// Where the port with this name stands.
    pub fn port(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|port| *port.name == *name)
    }
}

fn is_down(port: &Port) -> bool {
    port.admin.get() == Some(State::Down)
}
