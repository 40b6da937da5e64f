//! What VRP does on CloudEngine switches where a configuration says nothing,
//! and who says so: command reference and configuration guide of CloudEngine
//! 6800 and 8800, V300R023C00, unless another is named.

use crate::model::Reason;

/// `mtu`: of IPv4 packets that a routed port sends.
pub const MTU: u32 = 1500;
/// `jumboframe enable`: of frames with their FCS.
pub const JUMBO: u32 = 9216;
/// `priority` of a PFC profile.
pub const PRIORITY: u8 = 3;
/// Hardware deadlock detection and recovery, in milliseconds.
pub const DEADLOCK_MS: u32 = 100;
/// `dcb pfc deadlock-detect interval`, in milliseconds.
pub const PRECISION_MS: u32 = 10;
/// `qos queue drr weight`.
pub const WEIGHT: u32 = 1;
/// `ip-dscp-outbound`, green packets, by local priority.
pub const DSCP_OUT: [u8; 8] = [0, 10, 18, 26, 34, 46, 48, 56];

pub static MTU_WHY: Reason = Reason("a routed port has an MTU of 1500 without a mtu line (mtu)");
pub static JUMBO_WHY: Reason =
    Reason("a switched port passes frames of 9216 bytes without a line (jumboframe enable)");
pub static SPEED: Reason = Reason("the type of the port is the speed that it runs at");
pub static UP: Reason = Reason("an interface is up without a shutdown line");
pub static PFC_OFF: Reason =
    Reason("no PFC profile is applied to an interface by default (dcb pfc enable)");
pub static PFC_STATIC: Reason = Reason("PFC is static where the line gives no mode");
pub static PFC_PRIORITY: Reason =
    Reason("a PFC profile has priority 3 without a priority line (priority, DCB PFC view)");
pub static PFC_OF_TRUNK: Reason = Reason(
    "PFC is applied to the Eth-Trunk, and no source tells whether that holds for its members: \
     display dcb pfc would tell",
);
pub static NEGOTIATED: Reason = Reason(
    "PFC is negotiated (mode auto): display dcb pfc would tell whether pause frames are sent",
);
pub static BY_TAG: Reason = Reason(
    "without dcb pfc dscp-mapping enable the switch sends pause by the 802.1p priority of a \
     packet, not by its DSCP, and untagged packets have none",
);
pub static WATCHDOG: Reason = Reason(
    "whether deadlock is detected without a deadlock-detect line differs by model: a line with its \
     time would tell",
);
pub static WATCHDOG_MS: Reason =
    Reason("deadlock is detected after 100 ms, and ended after 100 ms, unless it is set");
pub static WATCHDOG_ALL: Reason = Reason("deadlock detection guards every priority with PFC");
pub static WATCHDOG_ACTION: Reason = Reason(
    "whether packets are discarded or forwarded while a deadlock is ended depends on the model: \
     dcb pfc deadlock recovery-behavior would tell",
);
pub static LINK_PAUSE_OFF: Reason =
    Reason("flow control is disabled on an interface by default (flow-control)");
pub static TRUST_SWITCHED: Reason =
    Reason("a switched port trusts the 802.1p priority (Default Settings for Priority Mapping)");
pub static TRUST_ROUTED: Reason =
    Reason("a routed port trusts the DSCP (Default Settings for Priority Mapping)");
pub static DSCP_MAP: Reason =
    Reason("the default DiffServ domain: blocks of eight to be, af1, af2, af3, af4, ef, cs6, cs7");
pub static PCP_MAP: Reason =
    Reason("the default DiffServ domain: each 802.1p priority to the internal one of its number");
pub static QUEUE_MAP: Reason = Reason(
    "each internal priority to the queue of its number (Default Settings for Priority Mapping)",
);
pub static PFC_QUEUE: Reason = Reason("pause of a priority stops the queue of its number");
pub static NO_REWRITE: Reason =
    Reason("the DSCP is not mapped on the way out by default (qos phb marking)");
pub static REWRITE_MAP: Reason =
    Reason("the default DiffServ domain: 0, 10, 18, 26, 34, 46, 48, 56 by internal priority");
pub static NO_MARKING: Reason = Reason(
    "ECN is disabled on a queue, and no drop profile is applied, by default (qos queue ecn)",
);
pub static NO_PROFILE: Reason = Reason(
    "ECN is on for the queue and no drop profile gives its thresholds: display qos ecn threshold \
     would tell",
);
pub static AI_ECN: Reason =
    Reason("AI ECN sets the thresholds by itself: display ai-ecn calculated state would tell");
pub static LOW_LATENCY: Reason = Reason(
    "low-latency fabric moves the thresholds by itself: display qos ecn threshold would tell",
);
pub static CELLS: Reason = Reason("cells, whose size the chip decides, can't be compared");
pub static STRICT: Reason = Reason("queues are served PQ by default (qos pq drr lpq)");
pub static LAST: Reason = Reason("LPQ is served after the weighted queues: neither of the two");
pub static WEIGHT_WHY: Reason = Reason("the DRR weight of a queue is 1 by default (qos queue drr)");
pub static NO_DROP_GROUP: Reason =
    Reason("the switch makes the buffer of a PFC queue by itself, with default thresholds");
pub static NO_NUMBER: Reason = Reason("the line gives no number");
pub static NO_SIZE: Reason =
    Reason("no dcb pfc buffer line sets it: display dcb pfc buffer would tell");
pub static ALPHA: Reason = Reason("the line gives an index of a table of factors, no factor");
pub static NO_PFC_QUEUE: Reason = Reason("no queue is known for the priority");
