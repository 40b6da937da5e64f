//! What Dell Enterprise SONiC does where its configuration says nothing, and
//! who says so. "RoCEv2 design" is the public design document of RoCEv2 in
//! Enterprise SONiC (Broadcom, sonic-mgmt-framework); the rest is as in SONiC.

use crate::model::Reason;

/// sonic-swss `cfgmgr/portmgr.h`: `DEFAULT_MTU_STR "9100"`.
pub const MTU: u32 = 9100;
/// RoCEv2 design: priority 3 for RDMA, priority 4 for iSCSI.
pub const ROCE_PRIORITIES: [u8; 2] = [3, 4];
/// The unit of WRED thresholds: `show qos wred-policy` prints KBytes, and
/// dellemc.enterprise_sonic.sonic_qos_wred takes 1000 bytes for one.
pub const KB: u64 = 1000;

/// sonic-swss `cfgmgr/portmgr.h`.
pub static MTU_WHY: Reason = Reason("a port without `mtu` has 9100 (portmgr.h)");
/// No `priority-flow-control priority`, no mask.
pub static PFC_OFF: Reason =
    Reason("the interface has no `priority-flow-control priority`, so PFC is off");
/// RoCEv2 design, default configuration.
pub static ROCE: Reason = Reason("`roce enable` sets it on all ports (RoCEv2 design)");
/// RoCEv2 design says 1048576 and 2097152 bytes at 5 percent; later releases
/// print 2048 and 12480 KB at 15 percent.
pub static ROCE_THRESHOLDS: Reason = Reason(
    "`roce enable` sets thresholds that differ by release; `show running-configuration` on the switch prints them",
);
/// As for [`ROCE`]: its document has no watchdog, though switches print one.
pub static ROCE_WATCHDOG: Reason = Reason(
    "whether `roce enable` starts the watchdog differs by release; `show running-configuration` on the switch prints it",
);
/// The mask is set as it stands.
pub static PFC_STATIC: Reason =
    Reason("Enterprise SONiC sets the PFC mask as configured; it does not negotiate it");
/// SAI `saiport.h`: `SAI_PORT_ATTR_GLOBAL_FLOW_CONTROL_MODE`, default disable.
pub static LINK_PAUSE_OFF: Reason = Reason("SAI disables 802.3x pause by default");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP`, default no map.
pub static TRUST_NONE: Reason =
    Reason("no qos-map dscp-tc or dot1p-tc is bound; SAI classifies by neither then");
/// What the line was meant to bind is not known.
pub static MAPS_UNCLEAR: Reason =
    Reason("a line of the interface about maps or trust is not understood");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP`, default no map.
pub static NO_DSCP_MAP: Reason = Reason("no qos-map dscp-tc is bound (SAI: no map)");
/// SAI `saiqosmap.h`: what a map leaves out goes to 0.
pub static UNMAPPED: Reason = Reason("SAI maps what the map leaves out to 0");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP`, default no map.
pub static NO_QUEUE_MAP: Reason =
    Reason("no qos-map tc-queue is bound; SAI sends all packets to queue 0 then");
/// RoCEv2 design, SDK buffer defaults: all traffic classes map to PG 7.
pub static NO_PG_MAP: Reason = Reason(
    "no qos-map tc-pg is bound; all traffic classes use priority group 7 then (RoCEv2 design)",
);
/// Not documented.
pub static NO_PFC_QUEUE_MAP: Reason =
    Reason("no qos-map pfc-priority-queue is bound; what the ASIC does then is not documented");
/// Tagged frames were seen to map one to one without a map.
pub static NO_DOT1P_MAP: Reason =
    Reason("no qos-map dot1p-tc is bound; ASICs differ in what they do then");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_TC_AND_COLOR_TO_DSCP_MAP`, default no map.
pub static NO_REWRITE: Reason = Reason("no qos-map tc-dscp is bound, so the DSCP stays as it is");
/// SAI `saiqueue.h`: `SAI_QUEUE_ATTR_WRED_PROFILE_ID`, default none.
pub static NO_WRED: Reason =
    Reason("the queue has no wred-policy, so it neither marks nor drops early");
/// sonic-yang-models `sonic-wred-profile.yang`: `ecn`, default `ecn_none`.
pub static ECN_NONE: Reason = Reason("a wred-policy without `ecn` does not mark");
/// The curve of green packets is what unmetered traffic gets.
pub static NO_GREEN: Reason = Reason("the wred-policy has no thresholds for green packets");
/// No line, and no documented default.
pub static NO_SCHEDULER: Reason = Reason(
    "the scheduler-policy gives the queue no `type`; how the ASIC serves it then is not documented",
);
/// RoCEv2 design, moving to lossless buffers.
pub static LOSSLESS: Reason = Reason(
    "with lossless buffers initialised the switch gives groups 3 and 4 a profile by speed and cable length (RoCEv2 design)",
);
/// RoCEv2 design, moving to lossless buffers: PG 3 and 4 only.
pub static OTHER_GROUP: Reason =
    Reason("only priority groups 3 and 4 get a lossless profile by themselves (RoCEv2 design)");
/// RoCEv2 design, default SONiC buffers.
pub static NO_LOSSLESS: Reason = Reason(
    "neither `roce enable` nor `buffer init lossless`: without them a port has no lossless buffer (RoCEv2 design)",
);
/// A part of a configuration does not tell what stands in the rest.
pub static NOT_WHOLE: Reason = Reason(
    "neither `roce enable` nor `buffer init lossless` is in this part of a configuration; `show running-configuration` as a whole would tell",
);
/// The interface says so.
pub static NO_DEFAULT_PROFILE: Reason =
    Reason("the interface has `no buffer default-lossless-buffer-profile`");
/// As for [`LOSSLESS`].
pub static SIZES_AT_RUN_TIME: Reason = Reason("computed by the switch from speed and cable length");
/// A profile without `pause-threshold` has no headroom.
pub static NO_PAUSE_THRESHOLD: Reason =
    Reason("the buffer profile has no pause-threshold, hence no headroom");
/// The watchdog is started by `priority-flow-control watchdog on`.
pub static WATCHDOG_OFF: Reason =
    Reason("the interface has no `priority-flow-control watchdog on`, so no watchdog runs");
/// dellemc.enterprise_sonic.sonic_qos_interfaces: `watchdog_action`, default drop.
pub static WATCHDOG_DROP: Reason = Reason("a watchdog without `action` drops");
/// The watchdog has no list of its own.
pub static WATCHED_AS_ENABLED: Reason = Reason("the watchdog watches the priorities that have PFC");
/// `show` prints `infinite` then.
pub static NEVER_RESTORES: Reason = Reason("the watchdog has no restore-time");
/// `on` needs one.
pub static NO_DETECTION: Reason = Reason("the watchdog has no detect-time");
