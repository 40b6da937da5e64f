//! What Comware 7 and 9 do where a configuration says nothing, and who says
//! so. What depends on the model is unknown.

use crate::model::Reason;

/// `mtu` of a routed port (interface guides).
pub const MTU: u32 = 1500;
/// `dot1p-lp`: default priority maps, appendix of the ACL and QoS guides.
pub const DOT1P_LP: [u8; 8] = [2, 0, 1, 3, 4, 5, 6, 7];
/// Cell size of the models that document it (S9820 RDMA technical reference),
/// in bytes.
pub const CELLS: &[(&str, u64)] = &[("S9820-64H", 208)];

pub static MTU_WHY: Reason = Reason("a routed port has an MTU of 1500 without a mtu line");
pub static MTU_SWITCHED: Reason = Reason(
    "which frames a switched port passes without a jumboframe enable line depends on the model",
);
pub static SPEED: Reason = Reason("the type of the port is the speed that it runs at");
pub static UP: Reason = Reason("an interface is up without a shutdown line");
pub static PFC_OFF: Reason =
    Reason("PFC is disabled on all Ethernet interfaces by default (PFC configuration guide)");
pub static NO_DROP_NONE: Reason = Reason(
    "PFC is disabled for all 802.1p priorities without a no-drop line (PFC configuration guide)",
);
pub static PFC_OF_LAG: Reason = Reason(
    "PFC is enabled on the aggregation, and no source tells whether that holds for its members: \
     display priority-flow-control interface would tell",
);
pub static NEGOTIATED: Reason = Reason(
    "PFC is negotiated (auto): display priority-flow-control interface would tell what is in force",
);
pub static WATCHDOG_OFF: Reason =
    Reason("PFC deadlock detection is disabled by default (PFC configuration guide)");
pub static WATCHDOG_NONE: Reason =
    Reason("no interval of deadlock detection is set by default (PFC configuration guide)");
pub static WATCHDOG_UNIT: Reason = Reason(
    "the interval counts steps of the deadlock precision, whose length depends on the model",
);
pub static WATCHDOG_RECOVERY: Reason =
    Reason("no priority-flow-control deadlock auto-recover line sets the delay");
pub static WATCHDOG_ACTION: Reason =
    Reason("packets are forwarded while a deadlock is ended, by default (PFC configuration guide)");
pub static LINK_PAUSE_OFF: Reason =
    Reason("flow control is off on an interface without a flow-control line");
pub static TRUST: Reason = Reason(
    "the port has no qos trust line, and the default depends on the model: display qos trust \
     interface would tell",
);
pub static DSCP_MAP: Reason = Reason(
    "default priority maps: DSCP to 802.1p by blocks of eight, and 802.1p 0, 1, 2 to local \
     precedence 2, 0, 1",
);
pub static DOT1P_MAP: Reason = Reason(
    "default priority maps: 802.1p 0, 1, 2 to local precedence 2, 0, 1, the others straight",
);
pub static QUEUE_MAP: Reason = Reason("each local precedence to the queue of its number");
pub static NO_REWRITE: Reason =
    Reason("the default dscp-dscp map leaves each DSCP as it is (default priority maps)");
pub static OVERRIDE: Reason =
    Reason("qos trust with override writes the mapped priority into the packet");
pub static NO_MARKING: Reason = Reason("a queue without a WRED line neither marks nor drops early");
pub static DEFAULT_TABLE: Reason = Reason(
    "the default WRED table is applied, which depends on the model: display qos wred table would \
     tell",
);
pub static NO_LIMITS: Reason =
    Reason("ECN is on for the queue, and the default limits of WRED depend on the model");
pub static CELL: Reason = Reason(
    "cells can't be compared with bytes: the size of a cell is known of the S9820-64H (display \
     version would tell the model)",
);
pub static SCHEDULER: Reason = Reason(
    "the port has no scheduling line, and the default depends on the model: display qos queue \
     would tell",
);
pub static NO_DROP_GROUP: Reason =
    Reason("the switch makes the buffer of a no-drop priority by itself, with default thresholds");
pub static NO_NUMBER: Reason = Reason("the line gives no number");
pub static NO_SIZE: Reason =
    Reason("no line sets it: display priority-flow-control interface would tell more");
pub static ALPHA: Reason = Reason("the line gives a share of the free space in percent, no factor");
pub static NO_PFC_QUEUE: Reason = Reason("no queue is known for the priority");
