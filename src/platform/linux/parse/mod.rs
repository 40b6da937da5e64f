//! Captures of a host → statements about its devices. Each parser looks for
//! its own marks in a text, so a capture may hold what several tools printed.

mod dcb;
mod devices;
mod ethtool;
mod mlnx_qos;
mod mlxconfig;
mod perftest;
mod sysfs;
mod trouble;

use crate::model::{Gid, LinkType, NvValue, Origin, Priorities, SchedulerKind, Trust};
use crate::source::Capture;

/// What a statement is about, as far as the capture tells.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// A network device.
    Netdev(String),
    /// An RDMA device.
    Rdma(String),
    /// A PCI function.
    Pci(String),
    /// The capture names none.
    Unnamed,
}

/// A value with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where it was read.
    pub at: Origin,
}

/// What a capture says of a device.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// PFC in both directions.
    Pfc(At<Priorities>),
    /// Trust state.
    Trust(At<Trust>),
    /// DSCP → priority, and whether all 64 are told.
    Dscp {
        entries: Vec<(u8, At<u8>)>,
        complete: bool,
        at: Origin,
    },
    /// The DSCP map is not shown, since the NIC trusts another field.
    DscpNotShown(Origin),
    /// Priority → receive buffer.
    PriorityBuffer(Vec<(u8, At<u8>)>),
    /// Sizes of the receive buffers in bytes.
    BufferSizes(Vec<At<u64>>),
    /// Priority → egress traffic class.
    PriorityTc(Vec<(u8, At<u8>)>),
    /// Scheduler of an egress traffic class; `None` where the driver decides.
    Scheduler {
        tc: u8,
        kind: At<Option<SchedulerKind>>,
        share: Option<u32>,
    },
    /// The cable's length in metres.
    Cable(At<u32>),
    /// Who decides the DCB settings: true for the operating system.
    DcbxOs(At<bool>),
    /// An agent that overwrites the settings.
    Agent(At<String>),
    /// A value of the driver's congestion control tree, by the path below it
    /// (`roce_np/cnp_dscp`).
    Ecn(String, At<i64>),
    /// Forced traffic class; `None`: none is forced.
    TrafficClass(At<Option<u8>>),
    /// rdma_cm's default ToS.
    RdmaCmTos(At<u8>),
    /// Rows of the GID table.
    Gids(Vec<Gid>, Origin),
    /// An RDMA device and its network device.
    Pair { rdma: String, netdev: String },
    /// MTU of a network device.
    Mtu(At<u32>),
    /// Administrative and operational state, up or not.
    Up { admin: At<bool>, oper: Option<bool> },
    /// Active RDMA MTU.
    RdmaMtu(At<u32>),
    /// Ethernet or InfiniBand.
    Link(At<LinkType>),
    /// Speed in Mb/s.
    Speed(At<u32>),
    /// 802.3x pause.
    Pause { rx: At<bool>, tx: At<bool> },
    /// The driver.
    Driver(At<String>),
    /// Running firmware.
    Firmware(At<String>),
    /// Firmware that the next boot brings.
    FirmwareStored(At<String>),
    /// The board's identifier.
    Part(At<String>),
    /// The model as the vendor's tool names it.
    Model(At<String>),
    /// The PCI function of a network device.
    PciOf(At<String>),
    /// A firmware parameter, in the layers that were printed.
    Nv {
        name: String,
        default: Option<At<NvValue>>,
        current: Option<At<NvValue>>,
        next: Option<At<NvValue>>,
    },
    /// A counter, by the driver's name.
    Counter(String, At<i64>),
    /// The counters were listed whole.
    CountersWhole(Origin),
    /// Whole configuration could not be told, and why.
    Trouble(Trouble, String, Origin),
    /// Worth telling, judged by nothing.
    Remark(String, Origin),
}

/// What went wrong with a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Not allowed.
    Denied,
    /// The command failed, or the capture is cut.
    Failed,
    /// It holds no output.
    Unrecognised,
    /// A line of it was not understood.
    Unparsed,
}

/// Statements with their subjects.
pub type Statements = Vec<(Subject, Statement)>;

/// A capture as the parsers see it.
pub struct Text<'a> {
    /// The text.
    pub text: &'a str,
    /// What the command or the file's name says it is about.
    pub subject: Subject,
    /// The command, or the file's name where the source tells none.
    pub command: &'a str,
    capture: usize,
}

impl<'a> Text<'a> {
    fn new(index: usize, capture: &'a Capture) -> Self {
        let name = capture.source.rsplit('/').next().unwrap_or_default();
        let command = capture.command.as_deref().unwrap_or(name);
        Text {
            text: &capture.text,
            subject: devices::subject_of(command),
            command,
            capture: index,
        }
    }

    /// The place of a part of the text.
    pub fn origin(&self, part: &str) -> Origin {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Origin::new(self.capture, offset.min(self.text.len()))
    }

    /// A value read from a part of the text.
    pub fn at<T>(&self, value: T, part: &str) -> At<T> {
        At {
            value,
            at: self.origin(part),
        }
    }

    /// The lines without surrounding blanks.
    pub fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.text.lines().map(str::trim)
    }
}

/// Whether a text is a parser's.
type Recognises = fn(&Text<'_>) -> bool;
/// What a parser finds in a text.
type Parser = fn(&Text<'_>, &mut Statements);

/// All parsers with a test of whether a text is theirs.
const PARSERS: [(super::Tool, Recognises, Parser); 14] = [
    (super::Tool::MlnxQos, mlnx_qos::is, mlnx_qos::parse),
    (super::Tool::Dcb, dcb::is, dcb::parse),
    (super::Tool::Mlxconfig, mlxconfig::is, mlxconfig::parse),
    (super::Tool::Ecn, sysfs::is_ecn, sysfs::parse_ecn),
    (
        super::Tool::TrafficClass,
        sysfs::is_traffic_class,
        sysfs::parse_traffic_class,
    ),
    (super::Tool::CmaRoceTos, sysfs::is_cma, sysfs::parse_cma),
    (
        super::Tool::HwCounters,
        sysfs::is_counters,
        sysfs::parse_counters,
    ),
    (super::Tool::Gids, devices::is_gids, devices::parse_gids),
    (
        super::Tool::IbvDevinfo,
        devices::is_devinfo,
        devices::parse_devinfo,
    ),
    (
        super::Tool::RdmaLink,
        devices::is_pairs,
        devices::parse_pairs,
    ),
    (
        super::Tool::IpLink,
        devices::is_ip_link,
        devices::parse_ip_link,
    ),
    (super::Tool::Ethtool, ethtool::is, ethtool::parse),
    (
        super::Tool::Devlink,
        devices::is_devlink,
        devices::parse_devlink,
    ),
    (super::Tool::Perftest, perftest::is, perftest::parse),
];

/// The tool that printed a capture, the first that recognises it.
pub fn tool(capture: &Capture) -> Option<super::Tool> {
    let text = Text::new(0, capture);
    let parsers = PARSERS.iter();
    let found = parsers
        .filter(|(_, is, _)| is(&text))
        .map(|(tool, ..)| *tool);
    let mut found = found.collect::<Vec<_>>().into_iter();
    found
        .next()
        .or_else(|| trouble::is(&text).then_some(super::Tool::Trouble))
}

/// All statements of a capture.
pub fn statements(index: usize, capture: &Capture) -> Statements {
    let text = Text::new(index, capture);
    let mut out = Vec::new();
    trouble::parse(&text, &mut out);
    if out
        .iter()
        .any(|(_, s)| matches!(s, Statement::Trouble(Trouble::Unrecognised, ..)))
    {
        return out; // commands, not output
    }
    for (_, is, parse) in PARSERS {
        if is(&text) {
            parse(&text, &mut out);
        }
    }
    out
}

/// A number in decimal or `0x` form.
fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
