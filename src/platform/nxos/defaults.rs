//! What NX-OS does where a configuration says nothing, and who says so:
//! `show running-config all` of a Nexus 9000 with 7.0(3)I7(6), the Cisco Nexus
//! 9000 QoS configuration guide (9.3), and its command reference.

use crate::model::Reason;

/// `mtu 1500` in `show running-config all`.
pub const MTU: u32 = 1500;
/// Polls of a stuck queue until it is shut down; the guide's default.
pub const SHUTDOWN_POLLS: u32 = 1;
/// Polls without pause until a queue is restored; the guide's default.
pub const RESTORE_POLLS: u32 = 10;
/// Time between polls of the watchdog, milliseconds; the guide.
pub const POLL_MS: u32 = 100;

pub static MTU_WHY: Reason = Reason("show running-config all prints mtu 1500 without a line");
pub static NO_POLICY: Reason = Reason(
    "no policy of type qos is attached, so every packet is in qos-group 0 and its DSCP is not looked at",
);
pub static CLASS_DEFAULT: Reason =
    Reason("no class of the policy takes it, so it is in class-default, qos-group 0");
pub static PFC_AUTO: Reason = Reason(
    "show running-config all prints priority-flow-control mode auto: DCBX decides with the peer",
);
pub static NEGOTIATED: Reason = Reason(
    "PFC is negotiated by DCBX; show interface priority-flow-control tells what is in force",
);
pub static NO_PAUSE_CLASS: Reason =
    Reason("no network-qos policy with a pause class is attached to system qos");
pub static PORT_WATCHDOG_OFF: Reason = Reason(
    "show running-config all prints priority-flow-control watch-dog-interval off for a port",
);
pub static GLOBAL_WATCHDOG_OFF: Reason = Reason(
    "the watchdog runs only with priority-flow-control watch-dog-interval on for the switch",
);
pub static WATCHES_ALL: Reason = Reason("the watchdog watches every no-drop queue of the port");
pub static SHUTDOWN: Reason =
    Reason("the shutdown multiplier is 1 by default, and the watchdog polls every 100 ms");
pub static RESTORE: Reason =
    Reason("the auto-restore multiplier is 10 by default, and the watchdog polls every 100 ms");
pub static ACTION: Reason = Reason("a stuck queue is shut down, which drops its packets");
pub static LINK_PAUSE_OFF: Reason =
    Reason("show running-config all prints flowcontrol receive off and flowcontrol send off");
pub static QUEUE_MAP: Reason = Reason("a qos-group leaves by the queue of its number");
pub static NO_REWRITE: Reason = Reason("no attached policy sets the DSCP, which is preserved");
pub static NO_QUEUING: Reason = Reason(
    "no queuing policy says how the queue is served, and the default policy differs by model",
);
pub static NO_MARKING: Reason =
    Reason("the class of the queuing policy has no random-detect, so its queue drops at its end");
pub static BARE_ECN: Reason =
    Reason("random-detect without thresholds uses those of the model, which are not documented");
pub static NO_DROP_GROUP: Reason =
    Reason("the switch carves the lossless buffer of a no-drop class by itself");
pub static NO_SIZE: Reason =
    Reason("without pause buffer-size the switch sizes the buffer by itself");
pub static NO_PFC_QUEUE: Reason = Reason("no queue is known for the priority");
pub static NO_SPEED: Reason = Reason(
    "the port has no speed line: the transceiver decides (show interface status would tell)",
);
