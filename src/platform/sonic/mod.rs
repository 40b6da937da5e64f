//! SONiC: `config_db.json` in all its forms, and `show` commands.

mod buffers;
mod counters;
mod defaults;
mod facts;
mod fix;
mod neighbors;
mod parse;
mod profiles;
mod qos;
mod queues;
mod show;
mod watchdog;

#[cfg(test)]
mod tests;

use super::notes::Notes;
use super::ports::Ports;
use super::{CaptureSpec, Certainty, Holds, Platform, Recognised, Remedy};
use crate::model::{Coverage, Device, DeviceKind, NoteKind};
use crate::source::Capture;
use memchr::memmem;
use parse::{Database, Source, Trouble};

/// SONiC of the community and its close relatives.
pub struct Sonic;

const CONFIG: &str = "show runningconfiguration all";
const VERSION: &str = "show version";
const STATUS: &str = "show interfaces status";
const PFC_PRIORITY: &str = "show pfc priority";
const PFC_ASYMMETRIC: &str = "show pfc asymmetric";
const WATCHDOG_CONFIG: &str = "pfcwd show config";
const WATCHDOG_STATS: &str = "pfcwd show stats";
const ECN: &str = "show ecn";
const BUFFERS: &str = "show buffer configuration";
const PFC_COUNTERS: &str = "show pfc counters";
const QUEUE_COUNTERS: &str = "show queue counters";
const WRED_COUNTERS: &str = "show queue wredcounters";
const GROUP_DROPS: &str = "show priority-group drop counters";
const LOOKUP: &str = "cat /usr/share/sonic/hwsku/pg_profile_lookup.ini";
const WATERMARKS: &str = "show priority-group watermark headroom";
const LLDP_TABLE: &str = "show lldp table";
const LLDP_NEIGHBORS: &str = "show lldp neighbors";

const fn spec(command: &'static str, holds: Holds, read_only: &'static str) -> CaptureSpec {
    CaptureSpec {
        command,
        holds,
        read_only,
    }
}

static SPECS: [CaptureSpec; 17] = {
    const CONFIGURED: &str = "prints what CONFIG_DB holds";
    const COUNTED: &str = "prints what COUNTERS_DB holds";
    const HEARD: &str = "prints what neighbours told";
    [
        spec(CONFIG, Holds::Config, CONFIGURED),
        spec(
            VERSION,
            Holds::Operational,
            "prints the build and the hardware",
        ),
        spec(
            STATUS,
            Holds::Operational,
            "prints what APPL_DB and STATE_DB hold of ports",
        ),
        spec(PFC_PRIORITY, Holds::Config, CONFIGURED),
        spec(PFC_ASYMMETRIC, Holds::Config, CONFIGURED),
        spec(WATCHDOG_CONFIG, Holds::Config, CONFIGURED),
        spec(WATCHDOG_STATS, Holds::Counters, COUNTED),
        spec(ECN, Holds::Config, CONFIGURED),
        spec(BUFFERS, Holds::Config, CONFIGURED),
        spec(PFC_COUNTERS, Holds::Counters, COUNTED),
        spec(QUEUE_COUNTERS, Holds::Counters, COUNTED),
        spec(WRED_COUNTERS, Holds::Counters, COUNTED),
        spec(GROUP_DROPS, Holds::Counters, COUNTED),
        spec(LOOKUP, Holds::Config, "prints a file"),
        spec(WATERMARKS, Holds::Counters, COUNTED),
        spec(LLDP_TABLE, Holds::Peers, HEARD),
        spec(LLDP_NEIGHBORS, Holds::Peers, HEARD),
    ]
};

/// Words that only the output of one command holds, all of them.
const WORDS: &[(&str, &[&str])] = &[
    (VERSION, &["SONiC Software Version"]),
    (STATUS, &["Asym PFC", "Lanes"]),
    (PFC_PRIORITY, &["Lossless priorities", "Interface"]),
    (PFC_ASYMMETRIC, &["Asymmetric", "Interface"]),
    (
        WATCHDOG_CONFIG,
        &["DETECTION TIME", "RESTORATION TIME", "ACTION"],
    ),
    (WATCHDOG_STATS, &["STORM DETECTED/RESTORED", "QUEUE"]),
    (WRED_COUNTERS, &["EcnMarked/pkts", "TxQ"]),
    (QUEUE_COUNTERS, &["Counter/pkts", "TxQ"]),
    (GROUP_DROPS, &["Ingress PG dropped packets"]),
    (WATERMARKS, &["shared pool occupancy per"]),
    (WATERMARKS, &["Ingress headroom per PG"]),
    (WATERMARKS, &["hared pool maximum occupancy"]),
    (WATERMARKS, &["Headroom pool maximum occupancy"]),
    (WATERMARKS, &["RX Pause Transitions", "Priority"]),
    (PFC_COUNTERS, &["Port Rx", "PFC0"]),
    (PFC_COUNTERS, &["Port Tx", "PFC0"]),
    (BUFFERS, &["Pool", "---", "type", "mode"]),
    (BUFFERS, &["Profile", "---", "pool", "_th "]),
    (ECN, &["Profile", "---", "_threshold"]),
    (LOOKUP, &["speed", "cable", "xon", "xoff", "threshold"]),
    (LLDP_TABLE, &["LocalPort", "RemoteDevice", "\nEthernet"]),
    (LLDP_NEIGHBORS, &["Interface:    Ethernet", "SysName:"]),
];

/// Tables that nobody else's JSON has.
const TABLES: &[&str] = &[
    "\"PORT_QOS_MAP",
    "\"DEVICE_METADATA",
    "\"BUFFER_PG",
    "\"BUFFER_POOL",
    "\"BUFFER_PROFILE",
    "\"WRED_PROFILE",
    "\"DSCP_TO_TC_MAP",
    "\"TC_TO_QUEUE_MAP",
    "\"CABLE_LENGTH",
    "\"PFC_WD",
];

/// Tables whose names others could use as well.
const COMMON_TABLES: &[&str] = &["\"PORT", "\"QUEUE", "\"SCHEDULER"];

/// What a `show` command prints first is within so many bytes.
const HEAD: usize = 8192;

fn by_command(command: &str) -> Option<&'static CaptureSpec> {
    SPECS.iter().find(|spec| spec.command == command)
}

/// Whether a key of the JSON is this table, or a row of it in a flat dump.
fn names(json: &[u8], table: &str) -> bool {
    memmem::find_iter(json, table.as_bytes())
        .any(|at| matches!(json.get(at + table.len()), Some(b'"' | b'|')))
}

impl Platform for Sonic {
    fn name(&self) -> &'static str {
        "sonic"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Switch
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &SPECS
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let bytes = capture.text.as_bytes();
        let holds = |text: &[u8], word: &str| memmem::find(text, word.as_bytes()).is_some();
        if let Some(start) = parse::json_start(&capture.text) {
            let json = bytes.get(start..).unwrap_or_default();
            let any = |tables: &[&str]| tables.iter().any(|table| names(json, table));
            let certainty = match (any(TABLES), any(COMMON_TABLES)) {
                (true, _) => Some(Certainty::Sure),
                (false, true) => Some(Certainty::Likely),
                (false, false) => None,
            };
            if let Some(certainty) = certainty {
                let spec = by_command(CONFIG)?;
                return Some(Recognised { spec, certainty });
            }
        }
        let head = bytes.get(..HEAD.min(bytes.len())).unwrap_or_default();
        let (command, _) = WORDS
            .iter()
            .find(|(_, words)| words.iter().all(|word| holds(head, word)))?;
        Some(Recognised {
            spec: by_command(command)?,
            certainty: match *command {
                BUFFERS | ECN | LOOKUP => Certainty::Likely,
                _ => Certainty::Sure,
            },
        })
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut device = Device::new(name, DeviceKind::Switch, self.name());
        let mut notes = Notes::default();
        let of = |command: &'static str| {
            captures
                .iter()
                .enumerate()
                .filter_map(move |(n, (capture, spec))| {
                    (spec.map(|spec| spec.command) == Some(command)).then_some((n, &*capture.text))
                })
        };
        let sources: Vec<Source<'_>> = captures
            .iter()
            .enumerate()
            .filter(|(_, (_, spec))| spec.is_some_and(|spec| spec.command == CONFIG))
            .filter_map(|(n, (capture, _))| Source::read(n, &capture.source, &capture.text))
            .collect();
        let (mut databases, troubles) = parse::databases(&sources);
        tell(troubles, &mut notes);
        if databases.is_empty() {
            databases.push(Database::new(""));
        }
        for (n, text) in of(ECN).chain(of(BUFFERS)) {
            show::blocks(&mut databases, n, text);
        }
        for (n, text) in of(WATCHDOG_CONFIG) {
            show::watchdog_config(&mut databases, n, text, &mut notes);
        }
        let mut lookups = show::Lookups::default();
        of(LOOKUP).for_each(|(n, text)| lookups.read(n, text));
        of(VERSION).for_each(|(n, text)| show::version(&mut device, n, text));

        let mut ports = Ports::default();
        for db in &databases {
            facts::metadata(&mut device, db);
            facts::pools(&mut device, db, &mut notes);
            facts::ports(&mut device, &mut ports, db, &lookups, &mut notes);
            show::profile_order(db, &mut notes);
        }
        type Reads = fn(&mut Ports, usize, &str, &mut Notes);
        let shown: [(&'static str, Reads); 8] = [
            (PFC_PRIORITY, show::pfc_priority),
            (PFC_ASYMMETRIC, show::pfc_asymmetric),
            (STATUS, show::interfaces_status),
            (PFC_COUNTERS, counters::pfc),
            (QUEUE_COUNTERS, counters::queues),
            (WRED_COUNTERS, counters::wred),
            (GROUP_DROPS, counters::group_drops),
            (WATCHDOG_STATS, counters::watchdog),
        ];
        for (command, read) in shown {
            of(command).for_each(|(n, text)| read(&mut ports, n, text, &mut notes));
        }
        of(LLDP_TABLE).for_each(|(n, text)| neighbors::table(&mut ports, n, text));
        of(LLDP_NEIGHBORS).for_each(|(n, text)| neighbors::list(&mut ports, n, text));
        device.ports = ports.sorted();
        device.notes = notes.all;
        let holds = |wanted| {
            let mut specs = captures.iter().filter_map(|(_, spec)| *spec);
            specs.any(|spec| spec.holds == wanted)
        };
        device.coverage = Coverage {
            config: holds(Holds::Config),
            operational: of(STATUS).next().is_some(),
            counters: holds(Holds::Counters),
            peers: holds(Holds::Peers) || databases.iter().any(|db| db.has(parse::Table::Neighbor)),
        };
        device
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}

/// What could not be read becomes notes.
fn tell(troubles: Vec<Trouble>, notes: &mut Notes) {
    for trouble in troubles {
        let (kind, text, at) = match trouble {
            Trouble::Broken(kind, at) => {
                let text = format!("the JSON could not be read to its end: {kind}");
                (NoteKind::Failed, text, at)
            }
            Trouble::Unknown(table, at) => (
                NoteKind::Unparsed,
                format!("table {table} is not known"),
                at,
            ),
            Trouble::Shape(row, at) => (
                NoteKind::Unparsed,
                format!("{row} is no table of fields"),
                at,
            ),
        };
        notes.add(kind, None, text, at);
    }
}
