//! Which tool printed a capture: by its command where the source tells it,
//! else by content.

use super::parse::{
    Input, Statements, boot, dcb, devlink, ethtool, link, lldp, mlnx_qos, mlxconfig, pcie,
    perftest, rdma, services, sysfs, topology,
};
use crate::platform::{CaptureSpec, Certainty, Holds};

/// A tool and the reader of what it prints.
pub struct Tool {
    /// As typed.
    pub spec: CaptureSpec,
    /// First words of its command line; options in any place.
    command: &'static [&'static str],
    /// Whether a text is of it.
    recognise: fn(&str) -> bool,
    /// How much that says.
    certainty: Certainty,
    /// Turns its text into statements.
    pub read: fn(&Input<'_>, &mut Statements),
    /// Whether it may be run to collect; the rest is read where people have it.
    pub collected: Collected,
}

/// When a tool is run to collect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Collected {
    /// Always.
    Always,
    /// Only with --allow-configfs: reading makes a configfs folder and removes it.
    WithConfigfs,
    /// Never: recorded output, files of the host.
    Never,
}

const fn tool(
    command: &'static str,
    holds: Holds,
    read_only: &'static str,
    words: &'static [&'static str],
    recognise: fn(&str) -> bool,
    certainty: Certainty,
    read: fn(&Input<'_>, &mut Statements),
) -> Tool {
    Tool {
        spec: CaptureSpec {
            command,
            holds,
            read_only,
        },
        command: words,
        recognise,
        certainty,
        read,
        collected: Collected::Always,
    }
}

/// Of a tool that is never run: recorded output, files of the host.
const fn recorded(mut tool: Tool) -> Tool {
    tool.collected = Collected::Never;
    tool
}

/// Of a tool that writes to configfs in order to read.
const fn with_configfs(mut tool: Tool) -> Tool {
    tool.collected = Collected::WithConfigfs;
    tool
}

fn never(_: &str) -> bool {
    false
}

fn ignore(_: &Input<'_>, _: &mut Statements) {}

use Certainty::{Likely, Possible, Sure};
use Holds::{Config, Counters, Operational, Peers};

const GET: &str = "`show` only asks the driver; settings change by `set`, `add` or `del` alone";
const PRINTS: &str = "prints files of sysfs";

/// All tools, in the order in which content is asked.
pub static TOOLS: &[Tool] = &[
    tool(
        "mlnx_qos -i IF",
        Config,
        "without a setting option it only prints",
        &["mlnx_qos"],
        mlnx_qos::recognise,
        Sure,
        mlnx_qos::read,
    ),
    tool(
        "dcb -j pfc show dev IF",
        Config,
        GET,
        &["dcb", "pfc"],
        dcb::recognise,
        Likely,
        dcb::read,
    ),
    tool(
        "dcb -j app show dev IF",
        Config,
        GET,
        &["dcb", "app"],
        never,
        Likely,
        dcb::read,
    ),
    tool(
        "dcb -j ets show dev IF",
        Config,
        GET,
        &["dcb", "ets"],
        never,
        Likely,
        dcb::read,
    ),
    tool(
        "dcb -j buffer show dev IF",
        Config,
        GET,
        &["dcb", "buffer"],
        never,
        Likely,
        dcb::read,
    ),
    tool(
        "dcb -j apptrust show dev IF",
        Config,
        GET,
        &["dcb", "apptrust"],
        never,
        Likely,
        dcb::read,
    ),
    tool(
        "dcb -j dcbx show dev IF",
        Config,
        GET,
        &["dcb", "dcbx"],
        never,
        Likely,
        dcb::read,
    ),
    tool(
        "mlxconfig -d PCI -e query",
        Config,
        "`query` reads the firmware's parameters; only `set` and `reset` write",
        &["mlxconfig"],
        mlxconfig::recognise,
        Sure,
        mlxconfig::read,
    ),
    tool(
        "mstconfig -d PCI -e query",
        Config,
        "`query` reads the firmware's parameters; only `set` and `reset` write",
        &["mstconfig"],
        never,
        Sure,
        mlxconfig::read,
    ),
    tool(
        "grep -r . /sys/class/net/IF/ecn",
        Config,
        PRINTS,
        &["grep"],
        sysfs::recognise,
        Sure,
        sysfs::read,
    ),
    tool(
        "grep -r . /sys/kernel/debug/mlx5/PCI/cc_params",
        Config,
        "prints files of debugfs; each read asks the firmware and sets nothing",
        &[],
        never,
        Sure,
        sysfs::read,
    ),
    tool(
        "cat /sys/class/infiniband/DEV/tc/1/traffic_class",
        Config,
        PRINTS,
        &["cat"],
        never,
        Sure,
        sysfs::read,
    ),
    with_configfs(tool(
        "cma_roce_tos -d DEV",
        Config,
        "without -t it prints the value; for that it makes a configfs folder for the device and \
         removes it again, which changes no setting",
        &["cma_roce_tos"],
        never,
        Sure,
        sysfs::read,
    )),
    tool(
        "grep -r . /sys/class/infiniband/DEV/ports/1/hw_counters",
        Counters,
        PRINTS,
        &[],
        sysfs::recognise_counters,
        Sure,
        sysfs::read,
    ),
    tool(
        "show_gids",
        Config,
        "prints the GID tables of sysfs",
        &["show_gids"],
        rdma::recognise_gids,
        Sure,
        rdma::gids,
    ),
    tool(
        "ibv_devinfo -v",
        Config,
        "queries the devices",
        &["ibv_devinfo"],
        rdma::recognise_devinfo,
        Sure,
        rdma::devinfo,
    ),
    tool(
        "rdma -j statistic show",
        Counters,
        "`show` prints counters; modes change by `set` alone",
        &["rdma", "statistic"],
        rdma::recognise_statistic,
        Likely,
        rdma::statistic,
    ),
    tool(
        "rdma -j link",
        Config,
        "`rdma link` without a verb shows",
        &["rdma", "link"],
        rdma::recognise_link,
        Sure,
        rdma::link,
    ),
    tool(
        "ibdev2netdev",
        Config,
        "prints names from sysfs",
        &["ibdev2netdev"],
        rdma::recognise_ibdev,
        Sure,
        rdma::ibdev,
    ),
    tool(
        "ip -j link",
        Config,
        "`ip link` without a verb shows",
        &["ip"],
        link::recognise,
        Likely,
        link::read,
    ),
    tool(
        "ethtool --show-fec IF",
        Operational,
        "--show-fec shows; --set-fec would set",
        &["ethtool", "--show-fec"],
        ethtool::recognise_fec,
        Likely,
        ethtool::fec,
    ),
    tool(
        "ethtool -a IF",
        Config,
        "-a shows pause settings; -A would set them",
        &["ethtool", "-a"],
        ethtool::recognise_pause,
        Likely,
        ethtool::pause,
    ),
    tool(
        "ethtool -i IF",
        Operational,
        "-i shows the driver",
        &["ethtool", "-i"],
        ethtool::recognise_driver,
        Likely,
        ethtool::driver,
    ),
    tool(
        "ethtool -S IF",
        Counters,
        "-S shows counters",
        &["ethtool", "-S"],
        ethtool::recognise_counters,
        Likely,
        ethtool::counters,
    ),
    tool(
        "ethtool IF",
        Operational,
        "without an option it shows the link",
        &["ethtool"],
        ethtool::recognise_link,
        Likely,
        ethtool::link,
    ),
    tool(
        "devlink -j dev info",
        Operational,
        "`info` shows versions",
        &["devlink", "dev"],
        devlink::recognise,
        Likely,
        devlink::read,
    ),
    tool(
        "devlink -j dev param show",
        Config,
        "`show` only asks the driver",
        &["devlink", "param"],
        never,
        Likely,
        devlink::read,
    ),
    tool(
        "lldpcli -f json0 show neighbors",
        Peers,
        "`show` asks the daemon for what it heard",
        &["lldpcli"],
        lldp::recognise,
        Likely,
        lldp::read,
    ),
    recorded(tool(
        "lldpctl",
        Peers,
        "asks the daemon for what it heard",
        &["lldpctl"],
        never,
        Likely,
        lldp::read,
    )),
    tool(
        "rdma -j dev",
        Config,
        "`rdma dev` without a verb shows",
        &["rdma", "dev"],
        rdma::recognise_dev,
        Likely,
        rdma::dev,
    ),
    tool(
        "devlink -j port show",
        Operational,
        "`show` only asks the driver",
        &["devlink", "port"],
        topology::recognise_port,
        Likely,
        topology::port,
    ),
    tool(
        "ls -l /sys/class/infiniband /sys/class/net",
        Config,
        "lists links of sysfs",
        &["ls"],
        topology::recognise_links,
        Likely,
        topology::links,
    ),
    tool(
        "cat /proc/net/bonding/IF",
        Config,
        "prints the state of a bond",
        &[],
        topology::recognise_bond,
        Likely,
        topology::bond,
    ),
    tool(
        "mst status -v",
        Config,
        "`status` lists devices; only `start` loads modules",
        &["mst"],
        topology::recognise_mst,
        Sure,
        topology::mst,
    ),
    tool(
        "lspci -vv",
        Operational,
        "reads the configuration space; only setpci writes it",
        &["lspci"],
        pcie::recognise_lspci,
        Likely,
        pcie::lspci,
    ),
    tool(
        "mlxlink -d PCI --port_type PCIE",
        Operational,
        "queries registers; the options that set any are not used",
        &["mlxlink"],
        pcie::recognise_mlxlink,
        Sure,
        pcie::mlxlink,
    ),
    recorded(tool(
        "dmesg",
        Operational,
        "prints the kernel's log",
        &["dmesg"],
        pcie::recognise_log,
        Likely,
        pcie::log,
    )),
    recorded(tool(
        "/etc/network/interfaces",
        Config,
        "a file",
        &[],
        link::recognise_interfaces,
        Likely,
        link::interfaces,
    )),
    recorded(tool(
        "systemctl cat UNIT",
        Config,
        "prints unit files",
        &["systemctl", "cat"],
        services::recognise_unit,
        Likely,
        services::unit,
    )),
    recorded(tool(
        "systemctl is-enabled UNIT",
        Config,
        "prints a state",
        &["systemctl"],
        services::recognise_states,
        Likely,
        services::states,
    )),
    recorded(tool(
        "nmcli -f connection,dcb connection show NAME",
        Config,
        "`show` prints a profile",
        &["nmcli"],
        services::recognise_profile,
        Likely,
        services::profile,
    )),
    recorded(tool(
        "/var/lib/lldpad/lldpad.conf",
        Config,
        "a file",
        &[],
        services::recognise_lldpad,
        Likely,
        services::lldpad,
    )),
    recorded(tool(
        "/etc/udev/rules.d",
        Config,
        "files",
        &["crontab"],
        services::recognise_hooks,
        Likely,
        services::hooks,
    )),
    recorded(tool(
        "a boot script",
        Config,
        "a file",
        &[],
        boot::recognise_script,
        Likely,
        boot::script,
    )),
    recorded(tool(
        "nft list ruleset",
        Config,
        "lists rules",
        &["nft"],
        super::noise::is_nftables,
        Possible,
        super::noise::nftables,
    )),
    recorded(tool(
        "lshca",
        Config,
        "a table of another tool",
        &["lshca"],
        super::noise::is_lshca,
        Likely,
        super::noise::lshca,
    )),
    recorded(tool(
        "ib_write_bw",
        Operational,
        "recorded output; running it sends traffic",
        &["ib_write_bw"],
        perftest::recognise,
        Sure,
        perftest::read,
    )),
    recorded(tool(
        "all_reduce_perf",
        Operational,
        "recorded output; running it sends traffic",
        &["all_reduce_perf"],
        perftest::is_nccl,
        Sure,
        super::noise::nccl,
    )),
    recorded(tool(
        "devlink -j health show",
        Operational,
        "not of QoS",
        &["devlink", "health"],
        never,
        Possible,
        ignore,
    )),
    recorded(tool(
        "tc qdisc show",
        Config,
        "RDMA bypasses the kernel's queues",
        &["tc"],
        super::noise::is_tc,
        Likely,
        super::noise::tc,
    )),
    recorded(tool(
        "sysctl",
        Config,
        "not of RDMA",
        &["sysctl"],
        never,
        Possible,
        ignore,
    )),
    recorded(tool(
        "cma_roce_mode",
        Config,
        "not read",
        &["cma_roce_mode"],
        never,
        Possible,
        ignore,
    )),
    recorded(tool(
        "commands",
        Config,
        "what somebody typed",
        &[],
        super::noise::are_commands,
        Likely,
        super::noise::commands,
    )),
    recorded(tool(
        "a refusal",
        Config,
        "the shell's message",
        &[],
        super::noise::is_refusal,
        Possible,
        ignore,
    )),
];

/// What tells the files of sysfs apart.
const FOLDERS: &[&str] = &["/ecn", "cc_params", "traffic_class", "counters"];

/// Commands whose options name another entry than the tool's first.
fn by_command(words: &[&str]) -> Option<&'static Tool> {
    let first = *words.first()?;
    let has = |option: &str| words.contains(&option);
    if matches!(first, "cat" | "grep" | "head" | "tail" | "less" | "ls") {
        let path = words.iter().find(|word| word.starts_with("/sys/"))?;
        if first == "ls" {
            return None; // the links that it lists tell what it is
        }
        let part = FOLDERS.iter().find(|part| path.contains(**part));
        let part = part.copied().unwrap_or("/ecn");
        return TOOLS.iter().find(|tool| tool.spec.command.contains(part));
    }
    if first.starts_with("ib_") && (first.ends_with("_bw") || first.ends_with("_lat")) {
        return TOOLS.iter().find(|tool| tool.command == ["ib_write_bw"]);
    }
    let mut fitting = TOOLS.iter().filter(|tool| match tool.command {
        [] => false,
        [name] => *name == first,
        [name, rest @ ..] => *name == first && rest.iter().all(|word| has(word)),
    });
    fitting.next()
}

/// What a tool prints first is within so many bytes.
const HEAD: usize = 64 << 10;

/// The tools whose output a capture holds, the main one first. A file without
/// a command can hold the output of several.
pub fn of(input: &Input<'_>) -> Vec<&'static Tool> {
    let text = input.text;
    let named = |name: &str| TOOLS.iter().find(|tool| tool.spec.command == name);
    if super::noise::are_commands(text) {
        return named("commands").into_iter().collect();
    }
    if let Some(tool) = by_command(&input.command) {
        return vec![tool];
    }
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text);
    let by_content = TOOLS.iter().filter(|tool| (tool.recognise)(head));
    by_content.collect()
}

impl Tool {
    /// How sure its recognition is.
    pub fn certainty(&self, input: &Input<'_>) -> Certainty {
        let own = !matches!(
            self.command.first(),
            None | Some(&("cat" | "grep" | "ip" | "sysctl"))
        );
        match input.command.first() {
            Some(first) if own && self.command.first() == Some(first) => Certainty::Sure,
            _ => self.certainty,
        }
    }
}
