//! What a configuration defines, sets and attaches.

use crate::model::{Fact, Origin, State};
use std::collections::HashMap;

/// A setting that some line makes; `None` where no line does.
pub type Setting<T> = Option<Fact<T>>;

/// Definitions by name.
pub type Named<'t, T> = HashMap<&'t str, T>;

/// A name that a line attaches; none where it says `no`.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'t> {
    /// The name.
    pub name: Option<&'t str>,
    /// The line.
    pub at: Origin,
}

/// Lines that map a key to a value.
#[derive(Default, Debug)]
pub struct Entries {
    /// The line that opens the definition.
    pub at: Origin,
    /// Key, value, and the line.
    pub all: Vec<(u8, u8, Origin)>,
    /// A line that is not understood: what it maps is not known.
    pub unclear: Option<Origin>,
}

/// `wred NAME`.
#[derive(Default, Debug)]
pub struct Wred {
    /// The line that opens the definition.
    pub at: Origin,
    /// Minimum and maximum in KB, drop probability in percent: for green packets.
    pub green: Setting<(u64, u64, u8)>,
    /// `random-detect ecn`.
    pub ecn: Option<Origin>,
}

/// `class NAME` of a policy.
#[derive(Debug)]
pub struct Class<'t> {
    /// The name of its class-map.
    pub name: &'t str,
    /// The line.
    pub at: Origin,
    /// `pause`.
    pub pause: Option<Pause>,
    /// `pfc-cos`.
    pub cos: Setting<Vec<u8>>,
    /// `bandwidth percent`.
    pub bandwidth: Setting<u32>,
    /// `priority`.
    pub strict: Option<Origin>,
    /// `random-detect NAME`.
    pub wred: Option<Reference<'t>>,
    /// `queue-limit`: a fixed one in KB; none where it moves.
    pub limit: Option<Fact<Option<u64>>>,
    /// `set qos-group`.
    pub group: Setting<u8>,
    /// `set dscp`.
    pub dscp: Setting<u8>,
    /// `police …`.
    pub police: Option<Origin>,
}

/// `pause buffer-size KB pause-threshold KB resume-threshold KB`.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// The line.
    pub at: Origin,
    /// The three sizes in KB, where it gives them.
    pub sizes: Option<[u64; 3]>,
}

/// `policy-map NAME`.
#[derive(Debug)]
pub struct Policy<'t> {
    /// The line that opens the definition.
    pub at: Origin,
    /// Its classes, in order.
    pub classes: Vec<Class<'t>>,
}

/// What is attached to a port, a port-channel, or to all ports by `system qos`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Attached<'t> {
    /// `trust-map dscp`.
    pub trust_dscp: Option<Reference<'t>>,
    /// `trust-map dot1p`.
    pub trust_dot1p: Option<Reference<'t>>,
    /// A line about trust that is not understood.
    pub trust_unclear: Option<Origin>,
    /// `qos-map traffic-class`.
    pub qos_map: Option<Reference<'t>>,
    /// `service-policy input type network-qos`.
    pub network: Option<Reference<'t>>,
    /// `service-policy output type queuing`.
    pub queuing: Option<Reference<'t>>,
    /// `service-policy input type qos`.
    pub qos: Option<Reference<'t>>,
    /// `random-detect NAME` on a port.
    pub wred: Option<Reference<'t>>,
}

impl Attached<'_> {
    /// What holds where this says nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Attached {
            trust_dscp: self.trust_dscp.or(other.trust_dscp),
            trust_dot1p: self.trust_dot1p.or(other.trust_dot1p),
            trust_unclear: self.trust_unclear.or(other.trust_unclear),
            qos_map: self.qos_map.or(other.qos_map),
            network: self.network.or(other.network),
            queuing: self.queuing.or(other.queuing),
            qos: self.qos.or(other.qos),
            wred: self.wred.or(other.wred),
        }
    }
}

/// What the lines of an interface say.
#[derive(Clone, Default, Debug)]
pub struct Settings<'t> {
    /// Names.
    pub attached: Attached<'t>,
    /// `description`.
    pub description: Setting<&'t str>,
    /// `mtu`.
    pub mtu: Setting<u32>,
    /// `speed`, Mb/s.
    pub speed: Setting<u32>,
    /// `fec`.
    pub fec: Setting<&'t str>,
    /// `shutdown`.
    pub admin: Setting<State>,
    /// `priority-flow-control mode on`.
    pub pfc: Setting<bool>,
    /// `flowcontrol receive`.
    pub pause_rx: Setting<bool>,
    /// `flowcontrol transmit`.
    pub pause_tx: Setting<bool>,
    /// `channel-group`: the port-channel that it is a member of.
    pub lag: Option<u32>,
}

impl Settings<'_> {
    /// What holds where this says nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Settings {
            attached: self.attached.or(other.attached),
            description: self.description.or(other.description),
            mtu: self.mtu.or(other.mtu),
            speed: self.speed.or(other.speed),
            fec: self.fec.or(other.fec),
            admin: self.admin.or(other.admin),
            pfc: self.pfc.or(other.pfc),
            pause_rx: self.pause_rx.or(other.pause_rx),
            pause_tx: self.pause_tx.or(other.pause_tx),
            lag: self.lag.or(other.lag),
        }
    }
}

/// A configuration.
#[derive(Default, Debug)]
pub struct Config<'t> {
    /// `hostname`.
    pub hostname: Setting<&'t str>,
    /// `trust dscp-map`: DSCP → qos-group.
    pub dscp_maps: Named<'t, Entries>,
    /// `trust dot1p-map`: 802.1p → qos-group.
    pub dot1p_maps: Named<'t, Entries>,
    /// `qos-map traffic-class`: qos-group → queue.
    pub qos_maps: Named<'t, Entries>,
    /// `wred`.
    pub wred: Named<'t, Wred>,
    /// `class-map type network-qos`: its qos-groups.
    pub network_classes: Named<'t, Vec<u8>>,
    /// `class-map type queuing`: its queues.
    pub queuing_classes: Named<'t, Vec<u8>>,
    /// `class-map type qos`.
    pub qos_classes: Named<'t, Vec<u8>>,
    /// `policy-map type network-qos`.
    pub network: Named<'t, Policy<'t>>,
    /// `policy-map type queuing`.
    pub queuing: Named<'t, Policy<'t>>,
    /// `policy-map type qos`.
    pub qos: Named<'t, Policy<'t>>,
    /// `system qos`.
    pub system: Attached<'t>,
    /// `system qos`, `random-detect ecn`: every profile marks.
    pub ecn_everywhere: Option<Origin>,
    /// `system qos`, `random-detect pool N NAME`.
    pub pools: Vec<Reference<'t>>,
    /// `system qos`, `pfc-max-buffer-size`, bytes.
    pub pfc_buffer: Setting<u64>,
    /// Sections of ports, in order; a later line wins.
    pub ports: Vec<(Vec<String>, Settings<'t>)>,
    /// Sections of port-channels by number.
    pub lags: HashMap<u32, Settings<'t>>,
}

impl<'t> Class<'t> {
    /// A class that says nothing yet.
    pub fn new(name: &'t str, at: Origin) -> Self {
        Class {
            name,
            at,
            pause: None,
            cos: None,
            bandwidth: None,
            strict: None,
            wred: None,
            limit: None,
            group: None,
            dscp: None,
            police: None,
        }
    }
}

impl Settings<'_> {
    /// `flowcontrol receive` or `transmit`.
    pub fn pause(&mut self, way: &str) -> &mut Setting<bool> {
        match way {
            "receive" => &mut self.pause_rx,
            _ => &mut self.pause_tx,
        }
    }
}
