//! Documented defaults of Linux and of mlx5, each with its source.

use crate::model::Reason;

/// mlx5 `mlnx_qos`, without the qos/trust file of MLNX_OFED (python/mlnx_qos):
/// any DSCP entry in the APP table means that DSCP is trusted.
pub static TRUST_BY_ENTRIES: Reason =
    Reason("the DCB application table has DSCP entries, so the driver trusts DSCP");

/// The same: removing the last DSCP entry turns trust back to pcp.
pub static TRUST_WITHOUT_ENTRIES: Reason =
    Reason("the DCB application table has no DSCP entry, so the driver trusts pcp");

/// `mlnx_qos` prints no map while trust is pcp.
pub static DSCP_NOT_SHOWN: Reason = Reason("mlnx_qos prints no DSCP map while trust is pcp");

/// IEEE 802.1Q: the priority of a tagged frame is its PCP.
pub static PCP_IS_PRIORITY: Reason = Reason("802.1Q: the priority of a tagged frame is its PCP");

/// The APP table, `mlnx_qos --pfc` and `dcb pfc set` are static settings.
pub static STATIC_PFC: Reason = Reason("PFC set on the host is static");

/// `tsa: vendor`: the firmware arbitrates in a way that no tool shows.
pub static VENDOR_SCHEDULER: Reason =
    Reason("the scheduler is the vendor's own (tsa: vendor), which no tool shows");

/// The name of an RDMA device comes from its driver.
pub static HARDWARE_BY_NAME: Reason =
    Reason("the RDMA device bears the name that a hardware driver gives");

/// `mlnx_qos` works on ports of mlx5 hardware in Ethernet mode only.
pub static MLX5_ETHERNET: Reason = Reason("mlnx_qos works on Ethernet ports of NVIDIA NICs only");

/// No `traffic_class` is forced and rdma_cm's default is not known.
pub static APPLICATION_DECIDES: Reason =
    Reason("no traffic class is forced on the device, so each application decides");

/// Firmware parameters are what the driver starts with.
pub static FIRMWARE_CURRENT: Reason =
    Reason("the firmware's current value; the running value was not captured");

/// `np_cnp_prio_mode` 1 in cc_params (Linux, mlx5 cong.c).
pub static CNP_FOLLOWS: Reason =
    Reason("CNPs take the priority of the packet that caused them (np_cnp_prio_mode 1)");

/// Two captures that speak of one thing differently.
pub static CONTRADICTION: Reason = Reason("two captures contradict each other");
