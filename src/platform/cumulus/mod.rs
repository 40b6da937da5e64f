//! NVIDIA Cumulus Linux: NVUE configurations as YAML, JSON and commands,
//! switchd's own QoS files, and `nv show`.

mod config;
mod counters;
mod defaults;
mod facts;
mod files;
mod fix;
mod grammar;
mod interfaces;
mod names;
mod parse;
mod qos;
mod queues;
mod roce;
mod show;
mod yaml;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::{CaptureSpec, Certainty, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind, NoteKind, Origin, Port};
use crate::source::Capture;
use config::Config;
use memchr::memmem;
use parse::Feeder;
use qos::Qos;

/// Cumulus Linux 5 with NVUE.
pub struct Cumulus;

const YAML: &str = "nv config show";
const JSON: &str = "nv config show -o json";
const COMMANDS: &str = "nv config show -o commands";
const FEATURES: &str = "cat /etc/cumulus/datapath/qos/qos_features.conf";
const INFRA: &str = "cat /etc/mlx/datapath/qos/qos_infra.conf";
const ROCE: &str = "nv show qos roce";
const ROCE_JSON: &str = "nv show qos roce -o json";
const ROCE_STATUS: &str = "nv show interface IF qos roce status";
const ROCE_COUNTERS: &str = "nv show interface IF qos roce counters";
const COUNTERS: &str = "nv show interface IF counters qos";
const WATCHDOG: &str = "nv show interface IF qos pfc-watchdog";
const INTERFACES: &str = "nv show interface";

const fn spec(command: &'static str, holds: Holds, read_only: &'static str) -> CaptureSpec {
    CaptureSpec {
        command,
        holds,
        read_only,
    }
}

static SPECS: [CaptureSpec; 12] = {
    const CONFIGURED: &str = "prints the applied configuration";
    const FILE: &str = "prints a file";
    const SHOWN: &str = "`nv show` only prints";
    [
        spec(YAML, Holds::Config, CONFIGURED),
        spec(JSON, Holds::Config, CONFIGURED),
        spec(COMMANDS, Holds::Config, CONFIGURED),
        spec(FEATURES, Holds::Config, FILE),
        spec(INFRA, Holds::Config, FILE),
        spec(ROCE, Holds::Operational, SHOWN),
        spec(ROCE_JSON, Holds::Operational, SHOWN),
        spec(ROCE_STATUS, Holds::Operational, SHOWN),
        spec(ROCE_COUNTERS, Holds::Counters, SHOWN),
        spec(COUNTERS, Holds::Counters, SHOWN),
        spec(WATCHDOG, Holds::Operational, SHOWN),
        spec(INTERFACES, Holds::Peers, SHOWN),
    ]
};

/// Words that only the output of one command holds, all of them.
const WORDS: &[(&str, &[&str])] = &[
    (ROCE_COUNTERS, &["operational", "rx-stats", "roce-packets"]),
    (ROCE_COUNTERS, &["operational", "tx-stats", "roce-packets"]),
    (ROCE_STATUS, &["RoCE Pool Status"]),
    (ROCE_STATUS, &["PCP/DSCP->SP", "    cnp "]),
    (ROCE, &["operational", "pfc-priority", "trust-mode"]),
    (ROCE, &["RoCE PCP/DSCP->SP mapping configurations"]),
    (
        COUNTERS,
        &["PFC Statistics", "switch-priority", "rx-pause-frames"],
    ),
    (
        COUNTERS,
        &["Egress Queue Statistics", "tx-uc-buffer-discards"],
    ),
    (WATCHDOG, &["PFC WD Status"]),
    (INTERFACES, &["Admin Status", "Oper Status", "Remote Host"]),
];

/// Starts of settings in switchd's files.
const FEATURE_LINES: &[&str] = &[
    "default_ecn_red_conf.",
    "default_egress_sched.",
    "pfc.port_group_list",
    "source.port_group_list",
    "traffic.packet_priority_source_set",
];

/// As above, of the buffers.
const INFRA_LINES: &[&str] = &[
    "cos_egr_queue.",
    "flow_control.ingress_service_pool",
    "ingress_service_pool.",
    "traffic.priority_group_list",
];

/// What a `show` command prints first is within so many bytes.
const HEAD: usize = 8192;

fn by_command(command: &str) -> Option<&'static CaptureSpec> {
    SPECS.iter().find(|spec| spec.command == command)
}

/// Whether a line of the text starts so, blanks aside.
fn has_line(text: &str, start: &str) -> bool {
    memmem::find_iter(text.as_bytes(), start.as_bytes()).any(|at| {
        let before = text.get(..at).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).ends_with('\n')
            || before.trim_matches([' ', '\t']).is_empty()
    })
}

/// Where JSON starts, warnings above it aside.
fn json_start(text: &str) -> Option<usize> {
    let opens = |line: &str| line.trim_start().starts_with(['{', '[']);
    let mut start = 0;
    for line in text.split_inclusive('\n').take(16) {
        if opens(line) {
            return Some(start);
        }
        start += line.len();
    }
    None
}

/// What a capture of JSON is.
fn json(text: &str) -> Option<(&'static str, Certainty)> {
    let json = text.get(json_start(text)?..)?.as_bytes();
    let has = |key: &str| memmem::find(json, key.as_bytes()).is_some();
    if has("\"nvue-api-version\"") {
        return Some((JSON, Certainty::Sure));
    }
    if has("\"trust-mode\"") && has("\"congestion-control\"") {
        return Some((ROCE_JSON, Certainty::Sure));
    }
    let settings = has("\"interface\"") || has("\"qos\"");
    let ours = [
        "\"swp",
        "\"roce\"",
        "\"traffic-pool\"",
        "\"egress-queue-mapping\"",
    ];
    match (has("\"set\""), settings, ours.iter().any(|key| has(key))) {
        (true, true, true) => Some((JSON, Certainty::Sure)),
        (true, true, false) | (false, true, true) => Some((JSON, Certainty::Likely)),
        _ => None,
    }
}

/// What a capture of text is.
fn text(text: &str) -> Option<(&'static str, Certainty)> {
    let head = text.as_bytes().get(..HEAD.min(text.len()))?;
    let holds = |word: &&str| memmem::find(head, word.as_bytes()).is_some();
    if let Some((command, _)) = WORDS.iter().find(|(_, words)| words.iter().all(holds)) {
        return Some((command, Certainty::Sure));
    }
    let any = |lines: &[&str]| lines.iter().any(|line| has_line(text, line));
    let top = |line: &str| text.starts_with(line) || text.contains(&format!("\n{line}"));
    if any(&["nvue-api-version:"]) || top("- set:") {
        return Some((YAML, Certainty::Sure));
    }
    if any(&["nv set ", "nv unset "]) {
        return Some((COMMANDS, Certainty::Sure));
    }
    match (any(FEATURE_LINES), any(INFRA_LINES)) {
        (true, _) => Some((FEATURES, Certainty::Sure)),
        (false, true) => Some((INFRA, Certainty::Sure)),
        (false, false) => None,
    }
}

/// What a command that was typed prints, whatever a filter left of it.
fn printed(capture: &Capture) -> Option<&'static str> {
    let words: Vec<&str> = capture.command().split_ascii_whitespace().collect();
    let command = match *words {
        ["nv", "show", "interface", _, "qos", "roce", "status", ..] => ROCE_STATUS,
        ["nv", "show", "interface", _, "qos", "roce", "counters", ..] => ROCE_COUNTERS,
        ["nv", "show", "interface", _, "counters", "qos", ..] => COUNTERS,
        ["nv", "show", "interface", _, "qos", "pfc-watchdog", ..] => WATCHDOG,
        _ => return None,
    };
    // An error is no table.
    capture.text.contains("----").then_some(command)
}

/// What was typed: a command that sets something prints nothing.
fn typed(command: &str) -> bool {
    let verbs = ["nv set ", "nv unset ", "nv config apply", "nv config save"];
    verbs
        .iter()
        .any(|verb| command.trim_start().starts_with(verb))
}

impl Platform for Cumulus {
    fn name(&self) -> &'static str {
        "cumulus"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        if let Some(command) = printed(capture) {
            let certainty = Certainty::Sure;
            let spec = by_command(command)?;
            return Some(Recognised { spec, certainty });
        }
        let (command, certainty) = match json(&capture.text).or_else(|| text(&capture.text)) {
            Some(found) => found,
            None if typed(capture.command()) => (COMMANDS, Certainty::Sure),
            None => return None,
        };
        let spec = by_command(command)?;
        Some(Recognised { spec, certainty })
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut device = Device::new(name, DeviceKind::Switch, self.name());
        let mut notes = Notes::default();
        let of = |command: &'static str| {
            let all = captures.iter().enumerate();
            all.filter_map(move |(n, (capture, spec))| {
                (spec.map(|spec| spec.command) == Some(command)).then_some((n, *capture))
            })
        };
        let mut config = Config::default();
        let mut configured = false;
        for command in [YAML, JSON, COMMANDS] {
            for (capture, text) in of(command) {
                configured = true;
                let feeder = Feeder {
                    config: &mut config,
                    notes: &mut notes,
                    capture,
                };
                feed(feeder, command, text);
            }
        }
        let files = || of(FEATURES).chain(of(INFRA));
        if let Some((capture, _)) = files().next() {
            if config.has_qos {
                let text = "NVUE sets QoS; the files that it writes are not read".to_owned();
                notes.add(NoteKind::Remark, None, text, Origin::new(capture, 0));
            } else {
                let mut reader = files::Reader::new(&mut config, &mut notes);
                files().for_each(|(n, capture)| reader.read(n, &capture.text));
                reader.finish();
                configured = true;
            }
        }

        let mut ports = Ports::default();
        if configured {
            let qos = Qos::read(&config);
            facts::device(&mut device, &config);
            facts::pools(&mut device, &config, qos.roce(), &mut notes);
            facts::ports(&mut ports, &qos, &mut notes);
        }
        ports.closed = !ports.list.is_empty() && !config.partial && !config.files;
        for (n, capture) in of(INTERFACES) {
            show::interfaces(&mut ports, n, &capture.text, &mut notes);
        }
        for (n, capture) in of(ROCE_STATUS) {
            let roce = show::Roce::text(n, &capture.text, false, &mut notes);
            named(&mut ports, n, capture, &mut notes, |port| {
                roce.fill(port, false)
            });
            roce.pools_of(&mut device);
        }
        for (n, capture) in of(ROCE).chain(of(ROCE_JSON)) {
            let roce = match json_start(&capture.text).filter(|_| json(&capture.text).is_some()) {
                Some(start) => show::Roce::json(n, &capture.text, start, &mut notes),
                None => show::Roce::text(n, &capture.text, true, &mut notes),
            };
            roce.pools_of(&mut device);
            if ports.list.is_empty() {
                ports.list.push(Port::new("*"));
            }
            ports.list.iter_mut().for_each(|port| roce.fill(port, true));
        }
        type Reads = fn(&mut Port, usize, &str);
        let counted: [(&'static str, Reads); 3] = [
            (ROCE_COUNTERS, counters::roce),
            (COUNTERS, counters::interface),
            (WATCHDOG, counters::watchdog),
        ];
        for (command, read) in counted {
            for (n, capture) in of(command) {
                named(&mut ports, n, capture, &mut notes, |port| {
                    read(port, n, &capture.text);
                });
            }
        }
        let any = |commands: &[&'static str]| commands.iter().any(|c| of(c).next().is_some());
        device.coverage = Coverage {
            // What RoCE shows is what is applied.
            config: configured || any(&[ROCE, ROCE_JSON, ROCE_STATUS]),
            operational: any(&[ROCE, ROCE_JSON, ROCE_STATUS, INTERFACES, WATCHDOG]),
            counters: any(&[ROCE_COUNTERS, COUNTERS, WATCHDOG]),
            peers: any(&[INTERFACES]),
        };
        device.ports = ports.sorted();
        device.notes = notes.all;
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}

fn feed(mut feeder: Feeder<'_>, command: &str, capture: &Capture) {
    match command {
        YAML => feeder.yaml(&capture.text),
        JSON => feeder.json(&capture.text, json_start(&capture.text).unwrap_or_default()),
        _ if typed(capture.command()) => feeder.command(capture.command()),
        _ => feeder.commands(&capture.text),
    }
}

/// Hands on the port that the capture's command names.
fn named(
    ports: &mut Ports,
    n: usize,
    capture: &Capture,
    notes: &mut Notes,
    read: impl FnOnce(&mut Port),
) {
    match show::interface(capture.command()) {
        Some(name) => {
            if let Some(port) = ports.get(name) {
                read(port);
            }
        }
        None => {
            let text = "the capture does not tell which interface it is of".to_owned();
            notes.add(NoteKind::Failed, None, text, Origin::new(n, 0));
        }
    }
}
