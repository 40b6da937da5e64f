//! What EOS does where a configuration says nothing, and who says so. Most of
//! it is what `show running-config all` prints (7260CX with 4.19.1F, 7260CX3
//! with 4.22.3M); the rest is the manual's chapter on quality of service.

use crate::model::Reason;

/// Routed ports: `mtu 1500` (manual, `mtu`).
pub const MTU: u32 = 1500;
/// Queues of a port.
pub const QUEUES: u8 = 8;

pub static MTU_WHY: Reason = Reason("a routed port has an MTU of 1500 without a mtu line");
pub static MTU_SWITCHED: Reason = Reason(
    "a switched port has no MTU of its own, and what it passes is not documented: l2 mtu would say",
);
pub static TRUST_ROUTED: Reason =
    Reason("a routed port trusts the DSCP (show running-config all prints qos trust dscp)");
pub static TRUST_SWITCHED: Reason = Reason(
    "a switched port trusts the 802.1p priority (show running-config all prints default qos trust)",
);
pub static PFC_OFF: Reason =
    Reason("show running-config all prints no priority-flow-control where no line is on");
pub static PFC_STATIC: Reason =
    Reason("DCBX is off unless dcbx mode is set, so nothing negotiates");
pub static WATCHDOG_IDLE: Reason =
    Reason("the timeout of the PFC watchdog is 0 by default, with which it does nothing");
pub static WATCHDOG_ACTION: Reason =
    Reason("the PFC watchdog disables the port unless told otherwise");
pub static WATCHDOG_RECOVERY: Reason = Reason("the recovery time is automatic unless it is set");
pub static LINK_PAUSE_OFF: Reason =
    Reason("show running-config all prints no flowcontrol send and no flowcontrol receive");
pub static DSCP_MAP: Reason = Reason(
    "the manual's default DSCP map, the same for all its platform families: blocks of eight to \
     traffic classes 1, 0, 2, 3, 4, 5, 6, 7",
);
pub static COS_MAP: Reason =
    Reason("the manual's default CoS map: 0 to 1, 1 to 0, the others straight");
pub static QUEUE_MAP: Reason =
    Reason("the manual's default: each traffic class to the transmit queue of its number");
pub static PFC_QUEUE: Reason =
    Reason("pause of a priority stops the transmit queue of the traffic class of the same number");
pub static NO_REWRITE: Reason = Reason("without qos rewrite dscp the DSCP stays as it is");
pub static REWRITE_MAP: Reason =
    Reason("the manual's default rewrite: traffic class 1 to DSCP 0, 0 to 8, n to 8 n");
pub static NO_MARKING: Reason =
    Reason("show running-config all prints no random-detect ecn where a queue has no line");
pub static STRICT: Reason =
    Reason("show running-config all prints priority strict for each transmit queue");
pub static PROBABILITY: Reason =
    Reason("the line gives no max-mark-probability, and its default is not documented");
pub static SHARED_MARKING: Reason = Reason(
    "qos random-detect ecn global-buffer marks by the fill of the buffer that all queues share",
);
pub static CELLS: Reason =
    Reason("it counts cells of the memory, whose size depends on the platform");
pub static NO_DROP_GROUP: Reason =
    Reason("EOS carves the lossless buffer of a no-drop priority by itself");
pub static NO_SIZE: Reason = Reason("the platform sets the size of the buffer by itself");
pub static NO_SPEED: Reason = Reason(
    "no line gives the port one speed: the transceiver decides (show interfaces status would tell)",
);
pub static NO_PFC_QUEUE: Reason = Reason("no transmit queue is known for the priority");
pub static UP: Reason = Reason("an Ethernet port is up without a shutdown line");
pub static WATCHES_ALL: Reason =
    Reason("the PFC watchdog of EOS watches every no-drop priority of the port");
