//! The tools of other makes, and what tells of applications.

use super::Tool;
use super::list::{ignore, never, recorded, tool, with_configfs};
use crate::platform::linux::parse::{apps, ethtool, irdma, lldptool, niccli, nicctl, sysfs};
use crate::platform::{
    Certainty::{Likely, Possible, Sure},
    Holds::{Config, Operational},
};

const NICCLI: &str =
    "`--show`, `get…`, `dump` and `list` print; `--set`, `set…` and `-setoption` would write";
const NICCTL: &str = "`show` prints; `update`, `reset` and `debug` would act";
const FILE: &str = "a file";

/// All of them, asked after those of the list.
pub static MAKES: &[Tool] = &[
    recorded(tool(
        "version of niccli",
        Operational,
        "prints a version",
        &["niccli", "--version"],
        never,
        Possible,
        ignore,
    )),
    tool(
        "niccli --list_devices",
        Config,
        NICCLI,
        &["niccli"],
        niccli::recognise,
        Likely,
        niccli::read,
    ),
    tool(
        "niccli --dev PCI qos --ets --show",
        Config,
        NICCLI,
        &[],
        never,
        Likely,
        niccli::read,
    ),
    tool(
        "niccli --dev PCI qos --ingress --cosq --show",
        Config,
        NICCLI,
        &[],
        never,
        Likely,
        niccli::read,
    ),
    tool(
        "niccli --dev PCI nvm --getoption support_rdma --scope 0",
        Config,
        NICCLI,
        &[],
        never,
        Likely,
        niccli::read,
    ),
    recorded(tool(
        "bnxtqos -dev=IF get_qos",
        Config,
        NICCLI,
        &["bnxtqos"],
        never,
        Likely,
        niccli::read,
    )),
    with_configfs(tool(
        "grep -r . /sys/kernel/config/bnxt_re/DEV/ports/1/cc",
        Config,
        "prints files; for that somebody makes a configfs folder for the device and removes it \
         again, which changes no setting",
        &[],
        never,
        Sure,
        sysfs::read,
    )),
    tool(
        "grep . /sys/kernel/debug/bnxt_re/DEV/info",
        Operational,
        "prints a file of debugfs",
        &[],
        never,
        Sure,
        sysfs::read,
    ),
    tool(
        "nicctl show qos",
        Config,
        NICCTL,
        &["nicctl"],
        nicctl::recognise,
        Sure,
        nicctl::read,
    ),
    tool(
        "nicctl show dcqcn",
        Config,
        NICCTL,
        &[],
        never,
        Sure,
        nicctl::read,
    ),
    tool(
        "nicctl show port",
        Config,
        NICCTL,
        &[],
        never,
        Sure,
        nicctl::read,
    ),
    tool(
        "ethtool --show-priv-flags IF",
        Config,
        "--show-priv-flags shows; --set-priv-flags would set",
        &["ethtool", "--show-priv-flags"],
        ethtool::recognise_flags,
        Likely,
        ethtool::flags,
    ),
    tool(
        "lldptool get-tlv -i IF",
        Config,
        "`get-tlv` asks lldpad for what it holds; `set-tlv` would set",
        &["lldptool"],
        lldptool::recognise,
        Likely,
        lldptool::read,
    ),
    tool(
        "grep -r . /sys/module/irdma/parameters",
        Config,
        "prints options of a loaded module",
        &[],
        never,
        Sure,
        sysfs::read,
    ),
    with_configfs(tool(
        "grep -r . /sys/kernel/config/irdma/DEV",
        Config,
        "prints files; for that somebody makes a configfs folder for the device and removes it \
         again, which changes no setting",
        &[],
        never,
        Sure,
        sysfs::read,
    )),
    recorded(tool(
        "/etc/modprobe.d/irdma.conf",
        Config,
        FILE,
        &[],
        irdma::recognise_modprobe,
        Likely,
        irdma::modprobe,
    )),
    recorded(tool(
        "settings of applications",
        Config,
        "files and environments",
        &[],
        apps::recognise,
        Possible,
        apps::read,
    )),
];
