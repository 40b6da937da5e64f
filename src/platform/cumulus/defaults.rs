//! What a Cumulus Linux switch does where its configuration says nothing, and
//! who says so. "User guide" is NVIDIA's Cumulus Linux user guide, 5.14 unless
//! said otherwise.

use crate::model::Reason;

/// User guide, "Interface Configuration and Management".
pub const MTU: u32 = 9216;
/// User guide, "Quality of Service", PFC.
pub const PFC_CABLE_M: u32 = 10;
/// User guide, "RoCE": the output of `nv show qos roce`.
pub const ROCE_CABLE_M: u32 = 100;
/// User guide, "Quality of Service", Congestion Control.
pub const ECN_MIN: u64 = 150_000;
/// As for [`ECN_MIN`].
pub const ECN_MAX: u64 = 1_500_000;
/// As for [`ECN_MIN`].
pub const ECN_PROBABILITY: i64 = 100;
/// User guide, "Quality of Service", Packet Trimming: `nv show qos roce` in
/// mode lossy-multi-tc shows 163.00 KB, 234.00 KB and 5, in units of 1024.
pub const TRIMMING_MIN: u64 = 163 * 1024;
/// As for [`TRIMMING_MIN`].
pub const TRIMMING_MAX: u64 = 234 * 1024;
/// As for [`TRIMMING_MIN`].
pub const TRIMMING_PROBABILITY: i64 = 5;
/// User guide, "Quality of Service", PFC Watchdog.
pub const POLLING_MS: u32 = 100;
/// As for [`POLLING_MS`].
pub const ROBUSTNESS: u32 = 3;

/// User guide, "RoCE", Default RoCE Configuration.
pub static ROCE: Reason = Reason("implied by `qos roce` (user guide, RoCE)");
/// User guide, "Quality of Service", Packet Trimming.
pub static ROCE_TRIMMING: Reason =
    Reason("implied by `qos roce mode lossy-multi-tc` (user guide, Packet Trimming)");
/// The same table: lossy mode has no PFC.
pub static ROCE_LOSSY: Reason = Reason("`qos roce` in a lossy mode has no PFC (user guide, RoCE)");
/// A mode that no release documents.
pub static ROCE_MODE: Reason = Reason("the mode of `qos roce` is not known");

/// User guide, "Quality of Service", Classification.
pub static TRUST_L2: Reason =
    Reason("no line sets the trust: 802.1p is trusted (user guide, Quality of Service)");
/// User guide, "Quality of Service", Trust DSCP and Trust 802.1p Marking.
pub static MAP_BLOCKS: Reason =
    Reason("the default map of the user guide (Quality of Service, Classification)");
/// The default `qos_features.conf` has these lines as comments.
pub static NO_DSCP_LINES: Reason = Reason(
    "qos_features.conf has no priority_source.dscp lines; the default ones are comments \
     (user guide, Trust DSCP)",
);
/// Which default holds beside what a profile maps is not documented.
pub static MAP_OF_PROFILE: Reason = Reason(
    "which DSCPs a profile maps beside those that it names is not documented; \
     `nv show qos mapping PROFILE` would tell",
);
/// User guide, "Quality of Service", Egress Queues.
pub static QUEUES_STRAIGHT: Reason =
    Reason("switch priority n maps to egress queue n by default (user guide, Egress Queues)");
/// IEEE 802.1Qbb clause 36: pause names a priority; user guide, PFC Watchdog:
/// pause frames of every switch priority of a traffic class stop it.
pub static PAUSE_STOPS: Reason =
    Reason("pause for a switch priority stops the traffic class that it maps to (user guide, PFC)");
/// User guide, "Quality of Service", Mark and Remark Traffic.
pub static NO_REMARK: Reason =
    Reason("no port rewrites the DSCP (user guide, Mark and Remark Traffic)");

/// User guide, "Quality of Service", PFC: the profile is commented out.
pub static PFC_OFF: Reason =
    Reason("no PFC profile applies to the port (user guide, Priority Flow Control)");
/// A profile without `switch-priority`.
pub static PFC_EMPTY: Reason = Reason("the PFC profile names no switch priority");
/// LLDP only announces it.
pub static PFC_STATIC: Reason =
    Reason("Cumulus Linux sets PFC as configured; it does not negotiate it by DCBX");
/// User guide, "Quality of Service", PFC: the switch derives all sizes.
pub static PG_BY_ITSELF: Reason = Reason(
    "the switch makes a lossless priority group for each PFC priority and derives its sizes \
     (user guide, PFC)",
);
/// As for [`PG_BY_ITSELF`].
pub static SIZES_DERIVED: Reason =
    Reason("derived by the switch from cable length, speed and MTU (user guide, PFC)");
/// One buffer is reserved for the port, whatever the number of priorities.
pub static SIZES_SHARED: Reason =
    Reason("how a port-buffer is divided among several priorities is not documented");
/// `qos_infra.conf`: "alpha for lossless PGs (if any; Default: ALPHA_1)".
pub static ALPHA_1: Reason = Reason("lossless groups use ALPHA_1 by default (qos_infra.conf)");
/// User guide, "Quality of Service", PFC.
pub static CABLE: Reason = Reason("a PFC profile counts on 10 m of cable by default (user guide)");
/// User guide, "RoCE": output of `nv show qos roce`.
pub static CABLE_ROCE: Reason = Reason("`qos roce` counts on 100 m of cable (user guide, RoCE)");
/// Nothing to derive room for.
pub static NO_CABLE: Reason = Reason("no PFC profile tells the length of the cable");

/// User guide, "Quality of Service", Congestion Control.
pub static ECN_DEFAULT: Reason = Reason(
    "only egress queue 0 marks by default, from 150000 to 1500000 bytes (user guide, \
     Congestion Control)",
);
/// User guide, "Quality of Service", Port Groups.
pub static ECN_NOT_NAMED: Reason =
    Reason("the congestion-control profile of the port does not name the traffic class");
/// Whether a changed default profile keeps RoCE's queues is not documented.
pub static ECN_BESIDE_ROCE: Reason = Reason(
    "congestion-control default-global names other traffic classes; `nv show qos roce` would \
     tell whether this one marks still",
);
/// User guide: outputs of `nv show qos congestion-control`.
pub static ECN_NAMED: Reason =
    Reason("a traffic class that the profile names marks unless it says otherwise");
/// User guide, "Quality of Service", Congestion Control.
pub static RED_OFF: Reason = Reason("RED is disabled by default (user guide, Congestion Control)");
/// Not documented for other traffic classes than 0.
pub static THRESHOLD_OF_PROFILE: Reason =
    Reason("the profile does not set it; `nv show qos congestion-control PROFILE` would tell");
/// User guide: outputs of `nv show qos congestion-control`.
pub static PROBABILITY: Reason = Reason("a profile marks with probability 100 by default");
/// The default file has `default_ecn_red_conf` lines.
pub static ECN_NO_LINES: Reason = Reason(
    "qos_features.conf has no default_ecn_red_conf lines; what holds then is not documented",
);

/// User guide, "Quality of Service", Egress Scheduler.
pub static SCHEDULER_DEFAULT: Reason =
    Reason("queues have 12 or 13 percent by default (user guide, Egress Scheduler)");
/// User guide, "Quality of Service", Egress Scheduler.
pub static SCHEDULER_NOT_NAMED: Reason =
    Reason("a queue that the scheduler does not name has weight 0 (user guide, Egress Scheduler)");
/// RoCE sends all but two switch priorities to queue 0.
pub static SCHEDULER_UNUSED: Reason =
    Reason("`qos roce` sends no switch priority there, and says nothing of the queue");
/// DWRR needs a percentage.
pub static NO_SHARE: Reason = Reason("the scheduler gives the queue no readable bw-percent");

/// User guide, "Quality of Service", PFC Watchdog.
pub static WATCHDOG_OFF: Reason =
    Reason("no line turns the PFC watchdog on for the port (user guide, PFC Watchdog)");
/// User guide, "Quality of Service", PFC Watchdog.
pub static WATCHDOG_GUARDS: Reason =
    Reason("the watchdog guards every lossless switch priority of the port (user guide)");
/// User guide: polling interval 100 ms, 3 polls.
pub static WATCHDOG_TIMES: Reason = Reason(
    "the watchdog acts after polling-interval x robustness, 100 ms x 3 by default, and lets go \
     after one interval without pause (user guide, PFC Watchdog)",
);
/// User guide: "discards new incoming packets to this egress queue".
pub static WATCHDOG_DROPS: Reason =
    Reason("the watchdog discards what comes for the queue (user guide, PFC Watchdog)");

/// User guide, "Quality of Service", Link Pause: the profile is commented out.
pub static LINK_PAUSE_OFF: Reason =
    Reason("no link-pause profile is bound to the port (user guide, Link Pause)");
/// The default of either direction is not documented.
pub static LINK_PAUSE_SIDE: Reason = Reason("the link-pause profile does not say");
/// User guide, "Interface Configuration and Management".
pub static MTU_WHY: Reason = Reason("the default MTU is 9216 bytes (user guide, MTU)");
/// No line says up or down.
pub static NO_ADMIN: Reason = Reason("no line sets the port up or down");
/// Negotiated, or the default of the module.
pub static NO_SPEED: Reason = Reason("no line sets the speed; `nv show interface` would tell");
/// User guide, "RoCE", Single Shared Buffer Pool.
pub static POOL_SINGLE: Reason =
    Reason("lossless and lossy traffic share the ingress pool (user guide, RoCE)");
/// User guide, "Traffic Pools".
pub static POOL_ROCE: Reason =
    Reason("`qos roce` uses the pool roce-lossless (user guide, Traffic Pools)");
/// User guide, "Traffic Pools".
pub static POOL_LOSSLESS: Reason =
    Reason("PFC without RoCE uses the pool default-lossless (user guide, Traffic Pools)");
/// User guide, "Flow Control Buffers": these lines make the lossless pool.
pub static POOL_NO_LINES: Reason = Reason(
    "qos_infra.conf has no flow_control.ingress_service_pool line (user guide, Flow Control \
     Buffers)",
);
/// The pools are in the other file.
pub static POOL_NOT_CAPTURED: Reason =
    Reason("the pools were not captured; qos_infra.conf would tell");
/// User guide, "RoCE": default-lossy and roce-lossless have 50 percent each.
pub static POOL_HALF: Reason =
    Reason("`qos roce` gives roce-lossless half of the buffer; how many bytes is the ASIC's");
/// User guide, "Traffic Pools": percentages.
pub static POOL_PERCENT: Reason = Reason(
    "set in percent of the buffer; `nv show interface IF qos roce status` would tell the bytes",
);
/// User guide, "Flow Control Buffers": default-lossy has 100 percent.
pub static POOL_EMPTY: Reason = Reason(
    "no line gives default-lossless memory: default-lossy has 100 percent by default (user \
     guide, Flow Control Buffers)",
);

/// The text ends too early, or holds only what was typed.
pub static PARTIAL: Reason =
    Reason("this is only a part of the configuration; `nv config show` would tell");
/// A value that can't be read.
pub static UNREADABLE: Reason = Reason("its value can't be read");
/// A profile that does not exist.
pub static DANGLING: Reason = Reason("the profile that the port names does not exist");
/// `ingress_service_pool.0.mode = 1` in the default `qos_infra.conf`.
pub static POOL_DYNAMIC: Reason = Reason("pools are dynamic by default (qos_infra.conf)");
/// They hold QoS alone.
pub static NOT_IN_FILES: Reason =
    Reason("the files of switchd hold no interfaces; `nv config show` would tell");
/// The table of traffic classes that mark is complete.
pub static ECN_SHOWN: Reason =
    Reason("`nv show` does not name the traffic class as one that marks");
/// `nv show interface IF counters qos`.
pub static DISCARDS_IN_BYTES: Reason =
    Reason("there are discards, but the switch counts them in bytes, not in packets");
/// Priority groups are numbered by the switch.
pub static DISCARDS_RECEIVED: Reason = Reason(
    "discards of arriving packets are counted by priority group, and which priority fills which \
     is not shown",
);
