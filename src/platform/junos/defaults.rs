//! What Junos does where a configuration says nothing, and who says so:
//! Juniper's class-of-service and traffic management guides for QFX.

use crate::model::Reason;

/// Default media MTU of Ethernet, header included.
pub const MTU: u32 = 1514;
/// Two polls of 100 ms each.
pub const DETECTION_MS: u32 = 200;
/// Time without pause until a queue is let go.
pub const RECOVERY_MS: u32 = 200;

pub static MTU_WHY: Reason = Reason("the media MTU of Ethernet is 1514 unless it is set");
pub static NO_INTERFACES: Reason =
    Reason("the configuration has no `interfaces` hierarchy, which would tell");
pub static NO_CLASSIFIER: Reason = Reason(
    "no classifier is bound to the port; which default one applies depends on the port's families",
);
pub static NOT_IN_CLASSIFIER: Reason =
    Reason("a classifier that imports nothing puts what it does not name into queue 0");
pub static NO_PROFILE: Reason =
    Reason("no congestion-notification-profile is bound to the port, so PFC is off");
pub static NO_INPUT: Reason =
    Reason("the congestion-notification-profile has no input stanza, so no pause is sent");
pub static DEFAULT_OUTPUT: Reason =
    Reason("without an output stanza queues 3 and 4 obey pause of priorities 3 and 4");
pub static PFC_STATIC: Reason =
    Reason("a bound congestion-notification-profile is in force without negotiation");
pub static WATCHDOG_OFF: Reason = Reason("the congestion-notification-profile has no pfc-watchdog");
pub static WATCHDOG_DETECTION: Reason =
    Reason("the PFC watchdog polls every 100 ms and acts after two polls by default");
pub static WATCHDOG_RECOVERY: Reason = Reason("the PFC watchdog lets go after 200 ms by default");
pub static WATCHDOG_ACTION: Reason = Reason("the PFC watchdog drops by default");
pub static WATCHES_OUTPUT: Reason = Reason("the PFC watchdog watches the queues that obey pause");
pub static NO_LINK_PAUSE: Reason =
    Reason("PFC and 802.3x exclude each other: a port with a bound profile has no 802.3x pause");
pub static LINK_PAUSE_UNKNOWN: Reason = Reason(
    "the port has no flow-control or no-flow-control line, and the default differs by model",
);
pub static NO_SCHEDULER_MAP: Reason =
    Reason("no scheduler-map is bound to the port; the default one differs by model");
pub static NOT_IN_MAP: Reason =
    Reason("the scheduler-map names no scheduler for the class; how it is served differs by model");
pub static NO_MARKING: Reason =
    Reason("the scheduler has no explicit-congestion-notification and no drop profile");
pub static NO_PROFILE_ECN: Reason = Reason(
    "the scheduler names no drop profile with fill levels, which marking needs (Juniper, Example: Configuring ECN)",
);
pub static NO_DROP_GROUP: Reason =
    Reason("the switch takes the buffer of a no-loss class from its lossless partition");
pub static NO_SIZE: Reason = Reason("partitions are given in percent of the buffer of the model");
pub static QUEUE_NUMBER: Reason = Reason("a forwarding class leaves by the queue of its number");
pub static NO_REWRITE: Reason = Reason("no rewrite rule is bound to the port, so the DSCP stays");
pub static NO_PFC_QUEUE: Reason = Reason("no queue obeys pause of the priority");
pub static UP: Reason = Reason("a port is up unless it has a disable line");
pub static NO_SPEED: Reason = Reason(
    "the port has no speed line: transceiver and chassis decide (show interfaces would tell)",
);
pub static LOW_PRIORITY: Reason = Reason("a scheduler without priority has priority low");
pub static NO_ECN: Reason =
    Reason("without explicit-congestion-notification a drop profile drops instead of marking");
