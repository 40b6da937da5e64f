//! The commands that people paste, and what stands before them.

/// Commands that by themselves make a line with a prompt mark a prompt.
const KNOWN: &[&str] = &[
    "all_reduce_perf",
    "bash",
    "bcmcmd",
    "bnxtqos",
    "bridge",
    "cat",
    "cd",
    "ceph",
    "clear",
    "cli",
    "cma_roce_mode",
    "cma_roce_tos",
    "config",
    "configure",
    "counterpoll",
    "crontab",
    "date",
    "dcb",
    "devlink",
    "disable",
    "display",
    "dmesg",
    "docker",
    "echo",
    "ecnconfig",
    "enable",
    "esxcfg-module",
    "esxcli",
    "ethtool",
    "exit",
    "grep",
    "head",
    "hostname",
    "ib_read_bw",
    "ib_read_lat",
    "ib_send_bw",
    "ib_send_lat",
    "ib_write_bw",
    "ib_write_lat",
    "ibdev2netdev",
    "ibstat",
    "ibstatus",
    "ibv_devices",
    "ibv_devinfo",
    "ifconfig",
    "info",
    "intfutil",
    "ip",
    "journalctl",
    "lldpad",
    "lldpcli",
    "lldpctl",
    "lldptool",
    "ls",
    "lspci",
    "mlnx_qos",
    "mlx_fs_dump",
    "mlxconfig",
    "mlxlink",
    "mmuconfig",
    "modinfo",
    "mpirun",
    "mst",
    "mstconfig",
    "mstlink",
    "nft",
    "niccli",
    "nicctl",
    "nmcli",
    "nv",
    "nvidia-smi",
    "nvme",
    "pfcstat",
    "pfcwd",
    "ping",
    "printenv",
    "queuestat",
    "rdma",
    "readlink",
    "redis-cli",
    "redis-dump",
    "run",
    "show",
    "show_counters",
    "show_gids",
    "sonic-cfggen",
    "sonic-db-cli",
    "ssh",
    "sudo",
    "sysctl",
    "system-view",
    "systemctl",
    "tail",
    "tc",
    "tee",
    "terminal",
    "ucx_info",
    "uname",
    "vtysh",
    "watch",
    "watermarkstat",
];

/// Words of sentences that command lines hardly hold.
const PROSE: &[&str] = &[
    "a", "and", "are", "be", "before", "by", "for", "has", "if", "is", "it", "must", "not", "of",
    "our", "see", "should", "so", "that", "the", "this", "to", "was", "we", "when", "with", "you",
];

/// Whether the first word of `command`, its prefixes aside, is a known one.
pub(super) fn is_known(command: &str) -> bool {
    let word = first_word(bare_command(command));
    let name = word.rsplit('/').next().unwrap_or(word);
    let known = |name: &str| KNOWN.binary_search(&name).is_ok();
    known(name) || name.strip_suffix(".py").is_some_and(known)
}

/// Whether `command` can be one at all: a word in lower case that stands
/// alone or before a blank.
pub(super) fn is_command_word(command: &str) -> bool {
    let word = first_word(command);
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b))
}

/// Whether a comment rather than a command: `# show the state of …`.
pub(super) fn is_prose(command: &str) -> bool {
    command.ends_with(['.', ':'])
        || command
            .split_whitespace()
            .take_while(|word| !word.starts_with(['|', '(', '"', '\'']))
            .any(|word| PROSE.contains(&word))
}

fn first_word(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

/// `command` without what only changes how it runs: `sudo`, `time`, `env`,
/// assignments, network namespaces, and the `do` and `run` by which a
/// switch's configuration mode reaches its other commands.
///
/// `sudo ip netns exec asic0 show pfcwd stats` → `show pfcwd stats`
pub fn bare_command(command: &str) -> &str {
    let mut rest = command.trim();
    while let Some(shorter) = without_prefix(rest) {
        rest = shorter;
    }
    rest
}

/// Takes one prefix away; `None` if there is none, or nothing behind it.
fn without_prefix(command: &str) -> Option<&str> {
    let word = first_word(command);
    let rest = after_words(command, 1)?;
    match word {
        "sudo" => Some(without_options(rest, &["-u", "-g", "-h", "-p"])),
        "time" | "env" | "nohup" | "do" | "command" => Some(without_options(rest, &[])),
        "run" if first_word(rest) == "show" => Some(rest),
        "timeout" | "taskset" | "numactl" | "nice" => {
            let rest = without_options(rest, &["-n", "-s", "-k", "-c"]);
            let counts = first_word(rest).starts_with(|c: char| c.is_ascii_digit());
            if counts {
                after_words(rest, 1)
            } else {
                Some(rest)
            }
        }
        "ip" => {
            let mut words = rest.split_whitespace();
            let run = matches!(words.next(), Some("netns" | "vrf")) && words.next() == Some("exec");
            run.then(|| after_words(rest, 3))?
        }
        _ => {
            let (name, _) = word.split_once('=')?;
            let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            (is_name && !name.is_empty()).then_some(rest)
        }
    }
}

/// What follows the first `count` words, if anything does.
fn after_words(command: &str, count: usize) -> Option<&str> {
    let mut rest = command.trim_start();
    for _ in 0..count {
        let end = rest.find(char::is_whitespace)?;
        rest = rest.get(end..)?.trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

/// Drops leading options, and the values of those that take one.
fn without_options<'t>(command: &'t str, with_value: &[&str]) -> &'t str {
    let mut rest = command;
    while rest.starts_with('-') {
        let words = 1 + usize::from(with_value.contains(&first_word(rest)));
        match after_words(rest, words) {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_commands_are_sorted() {
        assert!(KNOWN.is_sorted());
    }

    #[test]
    fn prefixes_are_stripped() {
        for (command, bare) in [
            ("mlnx_qos -i eth4", "mlnx_qos -i eth4"),
            ("sudo mlnx_qos -i eth4", "mlnx_qos -i eth4"),
            ("sudo -n -u admin show ecn", "show ecn"),
            (
                "sudo ip netns exec asic0  show pfcwd stats",
                "show pfcwd stats",
            ),
            ("time sudo show ecn", "show ecn"),
            ("env LANG=C ethtool -S eth0", "ethtool -S eth0"),
            (
                "NCCL_DEBUG=INFO ./all_reduce_perf -b 8",
                "./all_reduce_perf -b 8",
            ),
            ("timeout 5 ib_write_bw -R", "ib_write_bw -R"),
            ("do show running-config", "show running-config"),
            ("run show class-of-service", "show class-of-service"),
            ("ip link show", "ip link show"),
            ("sudo", "sudo"),
            ("  ", ""),
        ] {
            assert_eq!(bare_command(command), bare, "{command}");
        }
    }
}
