//! What an OS10 switch does where its configuration says nothing, and who
//! says so. "User Guide" is that of SmartFabric OS10 (OS10 Enterprise Edition
//! before), releases 10.4 and 10.5.

use crate::model::Reason;

/// User Guide, `mtu`: default 1532 bytes, "the maximum frame size".
pub const MTU: u32 = 1532;

/// User Guide, `mtu`.
pub static MTU_WHY: Reason = Reason("an OS10 port without `mtu` has 1532 (User Guide, mtu)");
/// User Guide, PFC configuration notes: "PFC and 802.3x link-level flow
/// control are disabled by default on an interface".
pub static PFC_OFF: Reason =
    Reason("without `priority-flow-control mode on` PFC is off (OS10 User Guide, PFC)");
/// User Guide, PFC configuration notes: PFC is configured by network-qos
/// class and policy maps.
pub static NO_NETWORK_POLICY: Reason = Reason(
    "PFC is on, but no network-qos policy is attached that would give it a priority (OS10 User Guide, PFC)",
);
/// As for [`NO_NETWORK_POLICY`].
pub static NO_PAUSE: Reason = Reason("no class of the attached network-qos policy has `pause`");
/// The User Guide gives no default.
pub static NO_GROUP: Reason =
    Reason("the class-map of the paused class matches no qos-group, so what it pauses is not told");
pub static NO_COS: Reason =
    Reason("a class has `pause` but no `pfc-cos`; which priority it pauses then is not documented");
/// The User Guide says that it is off by default, but switches print
/// `flowcontrol receive on` for ports that nobody configured.
pub static PAUSE_RX_UNKNOWN: Reason = Reason(
    "OS10 releases differ in their default of `flowcontrol receive`; `show running-configuration` on the switch prints it",
);
/// User Guide, PFC configuration notes; switches print no other.
pub static PAUSE_TX_OFF: Reason =
    Reason("without `flowcontrol transmit on` no link pause is sent (OS10 User Guide, PFC)");
/// User Guide, ingress traffic classification: "By default, OS10 does not
/// classify the data traffic and assigns the default traffic class ID 0".
pub static TRUST_NONE: Reason = Reason(
    "no trust-map is attached: OS10 puts all data traffic in traffic class 0 (User Guide, ingress traffic classification)",
);
/// As for [`TRUST_NONE`].
pub static NO_DSCP_TRUST: Reason =
    Reason("no `trust-map dscp` is attached, so the DSCP is not looked at");
/// As for [`TRUST_NONE`].
pub static NO_DOT1P_TRUST: Reason =
    Reason("no `trust-map dot1p` is attached, so the 802.1p priority is not looked at");
/// User Guide, trust-based classification: "All the unspecified dot1p entries
/// are mapped to the default traffic class ID 0"; of DSCP alike.
pub static UNSPECIFIED: Reason =
    Reason("code points that a trust map leaves out are in traffic class 0 (OS10 User Guide)");
/// User Guide, default DSCP to queue mapping: by its three upper bits.
pub static DEFAULT_DSCP: Reason =
    Reason("the default DSCP trust map goes by the upper three bits (OS10 User Guide)");
/// User Guide, default 802.1p CoS trust map: 0 to 1, 1 to 0, the others straight.
pub static DEFAULT_DOT1P: Reason =
    Reason("the default 802.1p trust map is straight but for 0 and 1 (OS10 User Guide)");
/// User Guide, default mapping of traffic class ID to queue: straight.
pub static STRAIGHT_QUEUES: Reason =
    Reason("without a qos-map traffic class n uses queue n (OS10 User Guide)");
/// User Guide, default mapping of traffic class ID (802.1p CoS value) to queue.
pub static STRAIGHT_PFC: Reason = Reason(
    "no network-qos class ties the priority to another traffic class than its own (OS10 User Guide)",
);
/// Only `set dscp` of a qos policy changes it.
pub static NO_REWRITE: Reason = Reason("no qos policy with `set dscp` is attached");
/// It names packets by class, and the class gives them no qos-group.
pub static REWRITE_OF_WHAT: Reason =
    Reason("a qos policy sets the DSCP of a class without a qos-group of its own");
/// User Guide, `random-detect (queue)`: default not configured.
pub static NO_WRED: Reason = Reason(
    "the queue has no `random-detect`, so it neither marks nor drops early (OS10 User Guide)",
);
/// The curve of green packets is what unmetered traffic gets.
pub static NO_GREEN: Reason = Reason("the WRED profile has no thresholds for green packets");
/// User Guide, "Enable WRED/ECN on a service-pool".
pub static POOL_WRED: Reason = Reason(
    "a WRED profile is attached to a whole service pool; from which fill of the queue on it marks is not known",
);
/// User Guide, `random-detect ecn`: default not configured.
pub static ECN_OFF: Reason =
    Reason("a WRED profile without `random-detect ecn` does not mark (OS10 User Guide)");
/// No line, and no documented default.
pub static NO_SCHEDULER: Reason =
    Reason("the queuing policy gives the queue neither `bandwidth percent` nor `priority`");
/// User Guide, buffer management: a network-qos policy makes a priority group
/// with buffers of the lossless pool.
pub static LOSSLESS_GROUP: Reason = Reason(
    "OS10 makes a priority group with lossless buffers for each network-qos class with `pause` (User Guide, buffer management)",
);
/// As for [`LOSSLESS_GROUP`]; the sizes depend on the platform and the speed.
pub static GROUP_SIZES: Reason = Reason("OS10 sizes the buffer by platform and port speed");
/// `queue-limit` is not set: the queue takes a dynamic share.
pub static NO_LIMIT: Reason = Reason("no capture holds the limit of the queue");
/// The text ends too early, or nothing of the configuration was captured.
pub static NO_MAP: Reason =
    Reason("the qos-map leaves the traffic class out; which queue it uses then is not documented");
/// A line that the device would refuse, or that a later release knows.
pub static TRUST_UNCLEAR: Reason = Reason("a line about trust is not understood");
