//! What SR Linux does where a configuration says nothing, and who says so:
//! the `default` statements and descriptions of the YANG modules
//! srl_nokia-qos, srl_nokia-interfaces and srl_nokia-mtu (25.3), unless
//! another is named.

use crate::model::Reason;

/// `/system/mtu/default-port-mtu`, with the Ethernet header.
pub const PORT_MTU: u32 = 9232;
/// `/system/mtu/default-ip-mtu`.
pub const IP_MTU: u32 = 1500;
/// `deadlock/detection-timer` and `recovery-timer`, in milliseconds.
pub const DEADLOCK_MS: u32 = 750;

pub static PORT_MTU_WHY: Reason = Reason("/system/mtu/default-port-mtu is 9232 (srl_nokia-mtu)");
pub static IP_MTU_WHY: Reason = Reason("/system/mtu/default-ip-mtu is 1500 (srl_nokia-mtu)");
pub static UP: Reason = Reason("admin-state is enable by default (srl_nokia-interfaces)");
pub static NO_SPEED: Reason =
    Reason("the port has no port-speed: info from state /interface would tell");
pub static PFC_OFF: Reason = Reason("pfc-enable is false by default (srl_nokia-qos)");
pub static PFC_QUEUE_OFF: Reason =
    Reason("enable-pfc of a queue is false by default (srl_nokia-qos)");
pub static PFC_STATIC: Reason =
    Reason("only static PFC is supported; DCBX tells of mismatches (QoS guide 25.10, PFC)");
pub static DEFAULT_PROFILE: Reason = Reason(
    "the port has the pfc-mapping-profile default: info from state /qos pfc-mapping-profile \
     default would tell what it maps",
);
pub static NO_TRAFFIC: Reason = Reason(
    "the profile has no received-traffic: whether and for what pause is sent depends on the \
     platform",
);
pub static WATCHDOG_OFF: Reason = Reason("deadlock enable is false by default (srl_nokia-qos)");
pub static WATCHDOG_MS: Reason =
    Reason("detection-timer and recovery-timer are 750 ms by default (srl_nokia-qos)");
pub static WATCHDOG_ALL: Reason =
    Reason("the deadlock mechanism guards each queue that reacts to pause");
pub static WATCHDOG_ACTION: Reason =
    Reason("pause frames are ignored during the recovery-timer (srl_nokia-qos)");
pub static EXCLUSIVE: Reason =
    Reason("PFC and ethernet flow-control are mutually exclusive (srl_nokia-qos)");
pub static NO_FLOW_CONTROL: Reason = Reason(
    "the port has no flow-control line: info from state /interface ethernet flow-control would \
     tell",
);
pub static TRUST: Reason =
    Reason("a DSCP policy, if only the default one, classifies on every subinterface (QoS guide)");
pub static DEFAULT_POLICY: Reason = Reason(
    "the default DSCP policy classifies: info from state /qos classifiers dscp-policy default \
     would tell what it maps",
);
pub static NO_MATCH: Reason =
    Reason("a DSCP without an entry in the policy is in forwarding class 0 (QoS guide)");
pub static NO_DOT1P: Reason = Reason("no dot1p policy is applied");
pub static CLASS_QUEUE: Reason =
    Reason("forwarding class n to queue n (description of forwarding-class, srl_nokia-qos)");
pub static NO_REWRITE: Reason = Reason("no DSCP rewrite policy is applied");
pub static NO_MARKING: Reason =
    Reason("a queue has WRED slopes only by a queue-management-profile (srl_nokia-qos)");
pub static SLOPE_OFF: Reason = Reason("the profile has no slope with enable-ecn true");
pub static SLOPE_IDLE: Reason = Reason(
    "a slope with thresholds of 100 % and probability 0 is disabled (srl_nokia-qos, queue-template)",
);
pub static ECN_GLOBALLY_OFF: Reason = Reason(
    "ECN marking is enabled globally by the presence of explicit-congestion-notification \
     (srl_nokia-qos 22.11)",
);
pub static NO_THRESHOLD: Reason = Reason("the slope gives no such threshold");
pub static NO_PROBABILITY: Reason = Reason("the slope gives no max-drop-probability-percent");
pub static SCHEDULER: Reason = Reason(
    "no scheduler-policy names the queue: info from state /qos interfaces output scheduler would \
     tell",
);
pub static PFC_GROUP: Reason = Reason("a PFC queue sends pause by its own thresholds");
pub static NO_SIZE: Reason =
    Reason("the switch sizes the PFC queue: info from state /qos interfaces pfc would tell");
pub static NO_PFC_QUEUE: Reason = Reason("no queue is known for the priority");
