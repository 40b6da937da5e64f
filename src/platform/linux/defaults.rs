//! What holds on a Linux host with NVIDIA NICs where no line says so, and why
//! other facts stay unknown. Each default names its source.

use crate::model::Reason;

/// mlx5 driver, `mlx5e_dcbnl_ieee_setapp`: the first DSCP entry of the APP
/// table switches the port to trust DSCP.
pub static TRUST_BY_APP: Reason = Reason(
    "the mlx5 driver trusts DSCP as soon as the DCB APP table holds a DSCP entry (kernel, en_dcbnl.c)",
);
/// mlx5 driver, `mlx5e_dcbnl_ieee_delapp`: with its last DSCP entry gone the
/// port trusts the 802.1p priority.
pub static TRUST_WITHOUT_APP: Reason = Reason(
    "the mlx5 driver trusts the 802.1p priority while the DCB APP table holds no DSCP entry (kernel, en_dcbnl.c)",
);
/// Another driver may treat the APP table otherwise.
pub static TRUST_OF_OTHERS: Reason = Reason(
    "the DCB APP table was captured, and what this driver derives from it is not documented",
);
/// IEEE 802.1Q leaves the order of two selectors to the device.
pub static TRUST_ORDER: Reason =
    Reason("the trust order does not begin with DSCP: tagged and untagged packets differ");
/// mlnx-tools: the map is printed only under trust dscp.
pub static NO_MAP_UNDER_PCP: Reason = Reason("mlnx_qos prints no DSCP map while it trusts pcp");
/// The tool's word for a scheduler that the firmware chose.
pub static VENDOR_SCHEDULER: Reason =
    Reason("the firmware's own scheduler (tsa: vendor): its order and shares are not documented");
/// A line that ends in the middle.
pub static CUT: Reason = Reason("the line is cut");
/// sysfs `tc/1/traffic_class` is empty until it is written.
pub static NO_FORCED_CLASS: Reason =
    Reason("no traffic class is forced on the device: the application decides");
/// `np_cnp_prio_mode` 1 (kernel, mlx5 cong.c): no fixed priority.
pub static CNP_PRIORITY_FOLLOWS: Reason =
    Reason("CNPs take the priority of the packet that triggered them (np_cnp_prio_mode 1)");
/// The firmware loads its parameters at boot; the running value can differ.
pub static FIRMWARE_VALUE: Reason = Reason(
    "the current firmware value, with which the driver starts; the running value was not captured",
);
/// mlx5 is a driver of hardware.
pub static HARDWARE_DRIVER: Reason = Reason("mlx5 devices are hardware (kernel, mlx5_ib)");
/// `rdma link add … type rxe`: the customary names.
pub static SOFTWARE_NAME: Reason =
    Reason("the kernel's software devices bear such names (rdma_rxe, siw)");
/// Kernel documentation, mlx5 counters.rst: the two kinds of pause exclude
/// each other.
pub static GLOBAL_PAUSE_KEYS: Reason = Reason(
    "ethtool lists rx_global_pause, which mlx5 does only while link pause is on and PFC off (kernel, counters.rst)",
);
/// IEEE 802.1Q: the priority of a tagged frame is its PCP.
pub static PRIORITY_IS_PCP: Reason = Reason(
    "on a host the traffic class is the priority, which a VLAN tag carries itself (IEEE 802.1Q)",
);
/// IEEE 802.1Q defines PFC and ETS for Ethernet alone.
pub static DCB_IS_ETHERNET: Reason = Reason("only an Ethernet port has DCB settings (IEEE 802.1Q)");
/// Two captures say two things.
pub static CONTRADICTION: Reason = Reason("captures contradict each other");
/// lspci(8): reading capabilities takes root.
pub static LSPCI_OF_ROOT: Reason =
    Reason("lspci shows the capabilities of a device only to root (<access denied>)");
/// The read of it makes and removes a configfs folder.
pub static RDMA_CM_NOT_READ: Reason = Reason(
    "the default of rdma_cm is not read, because reading it makes a configfs folder for a moment: --allow-configfs permits that, or give what `cma_roce_tos -d DEV` prints",
);
/// ToS is the application's where nothing forces it.
pub static APPLICATIONS_DIFFER: Reason =
    Reason("applications ask for different traffic classes (nic/applications)");
/// Nothing forces a class on this make.
pub static NO_APPLICATION: Reason = Reason(
    "on this NIC the application decides, and no capture tells what one asks for (its environment, /etc/nccl.conf, ceph.conf, nvme connect)",
);
