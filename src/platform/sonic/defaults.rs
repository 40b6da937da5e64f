//! What a SONiC switch does where its configuration says nothing, and who
//! says so.

use crate::model::Reason;

/// sonic-swss `cfgmgr/portmgr.h`: `DEFAULT_MTU_STR "9100"`.
pub const MTU: u32 = 9100;
/// sonic-yang-models `sonic-wred-profile.yang`: default 100.
pub const DROP_PROBABILITY: i64 = 100;

/// sonic-swss `cfgmgr/portmgr.h`.
pub static MTU_WHY: Reason = Reason("portmgrd sets 9100 where PORT has no mtu (portmgr.h)");
/// sonic-swss `orchagent/qosorch.cpp`: no `pfc_enable`, no mask.
pub static PFC_OFF: Reason =
    Reason("PORT_QOS_MAP has no pfc_enable for the port, so orchagent enables no priority");
/// CONFIG_DB has no word for negotiated PFC; the mask is set as it stands.
pub static PFC_STATIC: Reason =
    Reason("SONiC sets the PFC mask as configured; it does not negotiate by DCBX");
/// SAI `saiport.h`: `SAI_PORT_ATTR_GLOBAL_FLOW_CONTROL_MODE`, default disable;
/// no field of CONFIG_DB sets it.
pub static LINK_PAUSE_OFF: Reason =
    Reason("SAI disables 802.3x pause by default and CONFIG_DB has no field for it");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP`, default no map.
pub static TRUST_NONE: Reason =
    Reason("no dscp_to_tc_map or dot1p_to_tc_map is bound; SAI classifies by neither then");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP`, default no map.
pub static NO_DSCP_MAP: Reason = Reason("no dscp_to_tc_map is bound to the port (SAI: no map)");
/// SAI `saiqosmap.h`: "All Dot1p/DSCP maps to traffic class 0".
pub static UNMAPPED_TC: Reason = Reason("SAI maps what the map leaves out to traffic class 0");
/// SAI `saiqosmap.h`: "All traffic class maps to queue 0".
pub static UNMAPPED_QUEUE: Reason = Reason("SAI maps what the map leaves out to queue 0");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP`, "Default no map,
/// i.e. all packets to queue 0".
pub static NO_QUEUE_MAP: Reason =
    Reason("no tc_to_queue_map is bound; SAI sends all packets to queue 0 then");
/// SAI `saiport.h` says "default no map" and not what that does; ASICs differ.
pub static NO_PG_MAP: Reason =
    Reason("no tc_to_pg_map is bound to the port; what the ASIC does then is not documented");
/// As for [`NO_PG_MAP`].
pub static NO_PFC_QUEUE_MAP: Reason =
    Reason("no pfc_to_queue_map is bound to the port; what the ASIC does then is not documented");
/// Rendered for some ASICs only (`qos_config.j2`).
pub static NO_PFC_PG_MAP: Reason =
    Reason("no pfc_to_pg_map is bound to the port; only some ASICs use one");
/// Tagged frames were seen to map one to one without a map.
pub static NO_DOT1P_MAP: Reason =
    Reason("no dot1p_to_tc_map is bound to the port; ASICs differ in what they do then");
/// SAI `saiport.h`: `SAI_PORT_ATTR_QOS_TC_AND_COLOR_TO_DSCP_MAP`, default no map.
pub static NO_REWRITE: Reason = Reason("no tc_to_dscp_map is bound, so the DSCP stays as it is");

/// SAI `saiqueue.h`: `SAI_QUEUE_ATTR_WRED_PROFILE_ID`, default none: tail drop.
pub static NO_WRED: Reason =
    Reason("no wred_profile is bound to the queue, so it neither marks nor drops early");
/// sonic-yang-models `sonic-wred-profile.yang`: `ecn`, default `ecn_none`.
pub static ECN_NONE: Reason = Reason("a WRED profile without ecn has ecn_none");
/// sonic-yang-models `sonic-wred-profile.yang`: `wred_*_enable`, default false.
pub static WRED_OFF: Reason = Reason("a WRED profile without wred_green_enable does not drop");
/// sonic-yang-models `sonic-wred-profile.yang`.
pub static DROP_PROBABILITY_WHY: Reason =
    Reason("a WRED profile without green_drop_probability has 100 percent");
/// NVIDIA ships such profiles for ECN without WRED; other ASICs need the
/// colour enabled to mark at all.
pub static ECN_WITHOUT_WRED: Reason = Reason(
    "ecn covers green packets but wred_green_enable is not true; whether that marks depends on the ASIC",
);
/// `qos_config.j2` gives queue 7 no row; SAI leaves the rest to the ASIC.
pub static NO_SCHEDULER: Reason =
    Reason("the queue has no scheduler; how the ASIC serves it then is not documented");
/// The scheduler that a queue names says no readable kind or weight.
pub static NO_WEIGHT: Reason = Reason("the scheduler has no readable type or weight");
/// sonic-swss `cfgmgr/buffermgr.cpp`: `BUFFER_PG` rows are made at run time.
pub static LOSSLESS_AT_RUN_TIME: Reason =
    Reason("buffermgrd makes the lossless priority group at run time; its preconditions hold");
/// sonic-swss `cfgmgr/buffermgrdyn.cpp`: profile `NULL` asks for a calculated one.
pub static CALCULATED: Reason =
    Reason("the profile is calculated by the switch (dynamic buffer model)");
/// As for [`LOSSLESS_AT_RUN_TIME`].
pub static SIZES_AT_RUN_TIME: Reason = Reason("computed by the switch at run time");
/// Without `xoff` a priority group has no headroom.
pub static NO_XOFF: Reason = Reason("the buffer profile has no xoff, hence no headroom");
/// The rows stand in `pg_profile_lookup.ini`.
pub static FROM_LOOKUP: Reason = Reason("pg_profile_lookup.ini, for this speed and cable length");
/// The table would tell, but was not captured.
pub static PRECONDITIONS_UNKNOWN: Reason =
    Reason("whether the switch makes a lossless priority group here needs tables not captured");
/// Which speed the port has decides its headroom.
pub static SPEED_UNKNOWN: Reason =
    Reason("PORT has no speed; whether the switch makes a lossless priority group is not known");

/// sonic-yang-models `sonic-device_metadata.yang`: `default_pfcwd_status`,
/// default disable; no `PFC_WD` row, no watchdog.
pub static WATCHDOG_OFF: Reason =
    Reason("PFC_WD has no row for the port, so no watchdog runs (default_pfcwd_status: disable)");
/// sonic-swss `orchagent/pfcwdorch.cpp`: without `action` it is drop.
pub static WATCHDOG_DROP: Reason = Reason("a PFC_WD row without action drops (pfcwdorch.cpp)");
/// sonic-utilities `db_migrator.py`: 3_0_4 to 3_0_5 copies `pfc_enable`.
pub static WATCHED_AS_ENABLED: Reason =
    Reason("older than pfcwd_sw_enable: the watchdog watches pfc_enable (db_migrator.py)");
/// sonic-swss `orchagent/pfcwdorch.cpp`: the mask is 0 then.
pub static NOT_WATCHED: Reason =
    Reason("PORT_QOS_MAP has no pfcwd_sw_enable for the port, so the watchdog watches nothing");
/// No restoration time, no restoration.
pub static NEVER_RESTORES: Reason = Reason("the PFC_WD row has no restoration_time");

/// No line of PORT says up or down.
pub static NO_ADMIN: Reason = Reason("PORT has no admin_status for the port");
/// The text ends too early to say that something is absent.
pub static CUT: Reason = Reason("the capture ends in the middle");
/// A warning above the table says that it is out of date.
pub static COUNTERS_OFF: Reason =
    Reason("these counters are disabled on the switch; what it prints may be out of date");
/// No row, no proof.
pub static NO_STATS: Reason = Reason("the table of the watchdog's queues is empty");
