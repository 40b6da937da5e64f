//! What people paste beside the output of a tool: refusals, lists of commands,
//! tables of other tools.

use super::parse::{Evidence, Input, Part, Statements, Subject, lines};
use crate::model::{Fact, MapName, NoteKind, Origin};
use crate::platform::CaptureSpec;

/// Messages that a command was not allowed.
const DENIED: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "must be root",
    "root permission",
    "requires root",
    "are you root",
    "access denied",
    "eacces",
    "keine berechtigung",
    "vorgang nicht zulässig",
    "permission non accordée",
    "opération non permise",
    "permiso denegado",
    "operación no permitida",
    "permesso negato",
    "permissão negada",
    "отказано в доступе",
    "权限不够",
    "不允许的操作",
    "許可がありません",
    "허가 거부",
];

/// Messages that a command could not do it.
const FAILED: &[&str] = &[
    "command not found",
    "no such file or directory",
    "operation not supported",
    "no such device",
    "not supported on your system",
    "invalid argument",
    "cannot get device",
    "failed to open ",
    "failed to connect to ",
    "no such interface",
    "does not exist",
    "cannot find device",
    "not found in the system",
    "no amd nics",
    "invalid card handle",
    "failed to get nic",
    "no supported device",
    "kommando nicht gefunden",
    "befehl nicht gefunden",
    "datei oder verzeichnis nicht gefunden",
    "vorgang nicht unterstützt",
    "commande introuvable",
    "aucun fichier ou dossier",
    "opération non supportée",
    "orden no encontrada",
    "no existe el archivo",
    "comando non trovato",
    "file o directory non esistente",
    "comando não encontrado",
    "команда не найдена",
    "нет такого файла",
    "未找到命令",
    "没有那个文件或目录",
    "不支持的操作",
    "コマンドが見つかりません",
    "そのようなファイルやディレクトリはありません",
    "명령을 찾을 수 없습니다",
];

/// A refusal on a line, if it is one.
pub fn refusal(line: &str) -> Option<NoteKind> {
    // A line that ends in a count is none; so no time is lost on counters.
    let count = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    if line.len() > 400 || line.split_whitespace().next_back().is_none_or(count) {
        return None;
    }
    // Shells and tools speak the language of the session.
    let lower = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|words| lower.contains(words));
    if has(DENIED) {
        Some(NoteKind::Denied)
    } else if has(FAILED) {
        Some(NoteKind::Failed)
    } else {
        None
    }
}

/// Whether the text is nothing but refusals of tools that are read here.
pub fn is_refusal(text: &str) -> bool {
    const TOOLS: &[&str] = &[
        "mlnx_qos",
        "dcb",
        "mlxconfig",
        "mstconfig",
        "/sys/",
        "cma_roce_tos",
        "show_gids",
        "ibv_devinfo",
        "rdma",
        "ibdev2netdev",
        "ethtool",
        "devlink",
        "infiniband",
        "niccli",
        "bnxtqos",
        "nicctl",
        "lldptool",
        "AMD NICs",
    ];
    let mut any = false;
    for (n, (_, line)) in lines(text)
        .filter(|(_, line)| !line.trim().is_empty())
        .enumerate()
    {
        if n > 50 || refusal(line).is_none() {
            return false;
        }
        any |= TOOLS.iter().any(|tool| line.contains(tool));
    }
    any
}

/// Whether the text is a list of commands without any output: two or more
/// lines, each of which begins with a tool's name.
pub fn are_commands(text: &str) -> bool {
    let mut count = 0;
    for (_, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        let (words, _) = super::parse::words(line.trim());
        let Some(first) = words.first() else {
            return false;
        };
        let setting = match *first {
            "echo" => line.contains("/sys/"),
            "mlnx_qos" | "dcb" | "cma_roce_tos" | "mlxconfig" | "mstconfig" | "ethtool"
            | "niccli" | "bnxtqos" | "nicctl" | "lldptool" => {
                words.len() > 1 && !line.contains(": ")
            }
            _ => false,
        };
        if !setting {
            return false;
        }
        count += 1;
    }
    count > 1
}

/// Tells that these are commands.
pub fn commands(input: &Input<'_>, out: &mut Statements) {
    let text = "these are commands, not output: what they did is not known";
    out.note(NoteKind::Unrecognised, text, input.at(0));
    for (offset, line) in input.lines() {
        if line.contains('\u{2013}') {
            let text = "an en dash stands where an option needs a hyphen: typed like this the command does nothing";
            return out.note(NoteKind::Remark, text, input.at(offset));
        }
    }
}

/// Whether the text is a ruleset of nftables.
pub fn is_nftables(text: &str) -> bool {
    text.contains("#!/usr/sbin/nft")
        || (text.contains("table ") && text.contains("chain ") && text.contains("hook "))
}

/// Tells of rules that mark packets: they see no RDMA.
pub fn nftables(input: &Input<'_>, out: &mut Statements) {
    for (offset, line) in input.lines() {
        if line.contains("dscp set ") {
            let text = "nftables marks packets of the kernel's own stack; RDMA bypasses it";
            out.note(NoteKind::Remark, text, input.at(offset));
        }
    }
}

/// Whether the text is of `tc`.
pub fn is_tc(text: &str) -> bool {
    lines(text).any(|(_, line)| {
        let words: Vec<&str> = line.split_whitespace().take(4).collect();
        matches!(words.as_slice(), ["qdisc" | "filter", .., "dev"])
            || line.starts_with("qdisc ") && line.contains(" dev ")
    })
}

/// Tells of traffic control that RDMA does not see.
pub fn tc(input: &Input<'_>, out: &mut Statements) {
    for (offset, line) in input.lines() {
        if line.contains("mqprio") || line.contains("dscp") || line.contains("skbedit priority") {
            let text = "tc sorts and marks packets of the kernel's own stack; RDMA bypasses it";
            return out.note(NoteKind::Remark, text, input.at(offset));
        }
    }
}

/// Whether the text is a table of lshca.
pub fn is_lshca(text: &str) -> bool {
    text.contains("RoCEstat") && text.contains("RStatBMask")
}

/// Names the devices that the table calls lossy; its bit mask is read in
/// different orders by different releases.
pub fn lshca(input: &Input<'_>, out: &mut Statements) {
    for (offset, line) in input.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let (true, Some(device)) = (cells.contains(&"Lossy"), cells.get(1)) {
            let text = format!(
                "lshca calls {device} lossy; its bit mask does not tell which setting, as releases \
                 order the bits differently: capture mlnx_qos and traffic_class"
            );
            out.note(NoteKind::Unrecognised, text, input.at(offset));
        }
    }
}

/// nccl-tests measure applications; nothing of the device is in them.
pub fn nccl(input: &Input<'_>, out: &mut Statements) {
    let text = "the output of nccl-tests says nothing of the settings of a NIC";
    out.note(NoteKind::Remark, text, input.at(0));
}

/// Tells of refusals in a capture, and why the facts that it would have told
/// are unknown.
pub fn refusals(input: &Input<'_>, spec: &CaptureSpec, out: &mut Statements) {
    // One of each kind is enough: a listing of debugfs is refused file by file.
    let mut told = Vec::new();
    for (offset, line) in input.lines() {
        // An empty row of a GID table cannot be read: that is no failure.
        let Some(kind) = refusal(line).filter(|_| !line.contains("/gid_attrs/")) else {
            continue;
        };
        if told.contains(&kind) {
            continue;
        }
        told.push(kind);
        let at = input.at(offset);
        let what = line.trim();
        let command = input.command.first().copied().unwrap_or_default();
        let text = match command.is_empty() || what.contains(command) {
            true => what.to_owned(),
            false => format!("{command}: {what}"),
        };
        out.note(kind, text, at);
        let why = format!("it could not be read: {what}");
        silence(input, spec, &why, at, out);
    }
}

/// Tools whose every output says something.
const SPEAKING: &[&str] = &[
    "mlnx_qos",
    "dcb",
    "mlxconfig",
    "mstconfig",
    "ethtool",
    "show_gids",
    "niccli",
    "bnxtqos",
    "nicctl",
    "lldptool",
];

/// Tells of an output from which nothing could be read: of another release or
/// language, or without its line breaks.
pub fn not_understood(input: &Input<'_>, spec: &CaptureSpec, out: &mut Statements) {
    let tool = spec.command.split(' ').next().unwrap_or_default();
    // `dcb maxrate` and `dcb rewr` say nothing that is judged.
    // Nor is what the neighbour tells lldptool, or most of what vendors' tools show.
    let asked = |words: &[&str]| {
        let mut typed = input.command.iter().skip(1).peekable();
        typed.peek().is_none() || typed.any(|word| words.contains(word))
    };
    let other = match tool {
        "dcb" => super::parse::dcb::recognise(input.text),
        "lldptool" => super::parse::lldptool::of_neighbour(input),
        "nicctl" => !asked(&["qos", "dcqcn", "port"]),
        "niccli" => !asked(&["qos", "getqos", "get_qos", "--list_devices", "--listdev"]),
        _ => false,
    };
    if !SPEAKING.contains(&tool) || other || input.text.trim().is_empty() {
        return;
    }
    let at = input.at(0);
    let text = format!("nothing in the output of {tool} could be read");
    out.note(NoteKind::Failed, text, at);
    silence(input, spec, "its output could not be read", at, out);
}

/// Facts that a refused tool leaves unknown, with the reason.
pub fn silence(input: &Input<'_>, spec: &CaptureSpec, why: &str, at: Origin, out: &mut Statements) {
    fn unknown<T>(fact: &mut Fact<T>, why: &str, at: Origin) {
        *fact = Fact::unknown_at(why.to_owned(), at);
    }
    let command = match input.command.is_empty() {
        true => spec.command.to_owned(),
        false => input.command.join(" "),
    };
    let words = format!("{command} {why}");
    let of = |tool: &str| words.contains(tool);
    let netdev = match input.command.first() {
        Some(&"ethtool") => input.last_word(),
        _ => input.option(&["-i", "dev"]),
    };
    let netdev = netdev.map(Subject::netdev);
    let rdma = || input.option(&["-d"]).map(Subject::rdma);
    let subject = netdev.or_else(rdma).unwrap_or_default();
    // These print all NICs of their make, or say that there is none.
    if subject.is_empty() && (of("nicctl") || of("niccli")) {
        return;
    }
    let mut part = Part::new(subject, Evidence::Possible);
    part.nic();
    let port = &mut part.port;
    if ["mlnx_qos", "dcb", "niccli", "bnxtqos", "nicctl", "lldptool"]
        .iter()
        .any(|tool| of(tool))
    {
        for fact in [&mut port.pfc.enabled, &mut port.pfc.tx, &mut port.pfc.rx] {
            unknown(fact, why, at);
        }
        unknown(&mut port.trust, why, at);
        unknown(&mut port.pfc.mode, why, at);
        port.maps
            .set(MapName::DscpToTc, Fact::unknown_at(why.to_owned(), at));
        unknown(&mut part.nic().dcbx, why, at);
    } else if of("traffic_class") || of("cma_roce_tos") {
        unknown(&mut part.nic().traffic_class, why, at);
    } else if of("/ecn") || of("cc_params") {
        let dcqcn = &mut part.nic().dcqcn;
        unknown(&mut dcqcn.cnp_dscp, why, at);
        unknown(&mut dcqcn.cnp_priority, why, at);
        unknown(&mut dcqcn.np_enabled, why, at);
        unknown(&mut dcqcn.rp_enabled, why, at);
    } else if of("gids") || of("ibv_devinfo") {
        unknown(&mut part.nic().gids, why, at);
    } else if of("ethtool -a") {
        unknown(&mut port.link_pause.rx, why, at);
        unknown(&mut port.link_pause.tx, why, at);
    }
    out.push(part);
}
