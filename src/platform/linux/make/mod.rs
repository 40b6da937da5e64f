//! The makes of NICs other than NVIDIA's: how a port is told to be of one, and
//! what differs by make where no line says so. One file a make.

mod bnxt;
mod ice;
mod ionic;

use super::fix::{VOLATILE, harmless};
pub use bnxt::{PFC_NUMBER, TOOL as BNXT_TOOL, unlisted};
pub use ionic::TOOL as IONIC_TOOL;

use super::counters::add;
use super::parse::{Hints, Part};
use crate::model::{
    CounterField, Fact, Nic, Note, Origin, Port, PriorityCounterField, Reason, Trust, Why,
};
use crate::platform::Remedy;

/// Who made a NIC, as far as its driver tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Make {
    /// NVIDIA ConnectX and BlueField (mlx5).
    Mlx5,
    /// Broadcom Thor (bnxt_en, bnxt_re).
    Bnxt,
    /// AMD Pensando (ionic).
    Ionic,
    /// Intel E800 (ice, irdma).
    Ice,
}

/// What differs by make.
struct Facts {
    /// Why its RDMA devices are no software.
    hardware: &'static Reason,
    /// What a DSCP entry of the APP table does to trust.
    trust_by_app: Option<&'static Reason>,
    /// What an APP table without DSCP entries does.
    trust_without_app: Option<&'static Reason>,
}

impl Make {
    const ALL: [Make; 4] = [Make::Mlx5, Make::Bnxt, Make::Ionic, Make::Ice];

    /// Of a kernel driver.
    pub fn of_driver(driver: &str) -> Option<Make> {
        let of = |make: &Make| make.drivers().contains(&driver);
        Self::ALL.into_iter().find(of)
    }

    /// Of an RDMA device that bears its driver's name. Names by slot
    /// (`rocep59s0`) tell nothing.
    pub fn of_device(name: &str) -> Option<Make> {
        let numbered = |prefix: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'))
        };
        let of = |make: &Make| make.devices().iter().any(|prefix| numbered(prefix));
        Self::ALL.into_iter().find(of)
    }

    /// Of a NIC.
    pub fn of(nic: &Nic) -> Option<Make> {
        let driver = nic.driver.value().and_then(|name| Self::of_driver(name));
        let device = nic.rdma_device.value();
        driver.or_else(|| device.and_then(|name| Self::of_device(name)))
    }

    fn drivers(self) -> &'static [&'static str] {
        match self {
            Make::Mlx5 => &["mlx5_core", "mlx5_core.sf", "mlx5_ib"],
            Make::Bnxt => &["bnxt_en", "bnxt_re"],
            Make::Ionic => &["ionic", "ionic_rdma"],
            Make::Ice => &["ice", "iavf", "irdma"],
        }
    }

    fn devices(self) -> &'static [&'static str] {
        match self {
            Make::Mlx5 => &["mlx5"],
            Make::Bnxt => &["bnxt_re"],
            Make::Ionic => &["ionic"],
            Make::Ice => &["irdma"],
        }
    }

    fn facts(self) -> Option<&'static Facts> {
        match self {
            Make::Mlx5 => None,
            Make::Bnxt => Some(&bnxt::FACTS),
            Make::Ionic => Some(&ionic::FACTS),
            Make::Ice => Some(&ice::FACTS),
        }
    }
}

/// A driver that only one vendor's tool speaks of.
pub fn told_by_tool(driver: &str, why: &'static Reason, at: Origin) -> Fact<String> {
    Fact::Default(driver.to_owned(), Why::Documented(why), at)
}

/// Completes what was read of a port by what its make is documented to do.
pub fn complete(port: &mut Port, hints: &Hints, notes: &mut Vec<Note>) {
    let make = port.nic.as_deref().and_then(Make::of);
    match make {
        Some(Make::Bnxt) => bnxt::complete(port, hints, notes),
        Some(Make::Ionic) => ionic::complete(port, hints, notes),
        Some(Make::Ice) => ice::complete(port, notes),
        Some(Make::Mlx5) | None => return,
    }
    let (Some(facts), Some(nic)) = (make.and_then(Make::facts), port.nic.as_deref_mut()) else {
        return;
    };
    if !nic.software.is_known() {
        let at = nic.driver.at();
        nic.software = Fact::Default(false, facts.hardware.into(), at);
    }
    for name in MLX5_PARAMETERS {
        let params = &mut nic.dcqcn.params;
        params
            .entry((*name).to_owned())
            .or_insert(Fact::NotApplicable);
    }
    // Only mlx5 has a file that forces one (sysfs tc/1/traffic_class).
    if nic.traffic_class == Fact::default() {
        nic.traffic_class = Fact::NotApplicable;
    }
}

/// DCQCN parameters that only NVIDIA's NICs have under these names.
const MLX5_PARAMETERS: &[&str] = &[
    "rpg_ai_rate",
    "rpg_byte_reset",
    "rpg_gd",
    "rpg_hai_rate",
    "rpg_max_rate",
    "rpg_min_dec_fac",
    "rpg_min_rate",
    "rpg_threshold",
    "rpg_time_reset",
];

/// Trust as the APP table tells it on this make; `empty`: it has no DSCP entry.
pub fn trust_by_app(nic: &Nic, empty: bool, at: Origin) -> Option<Fact<Trust>> {
    let facts = Make::of(nic)?.facts()?;
    let (trust, why) = match empty {
        false => (Trust::Dscp, facts.trust_by_app?),
        true => (Trust::Pcp, facts.trust_without_app?),
    };
    Some(Fact::Default(trust, why.into(), at))
}

/// What a counter of `ethtool -S` stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// Of a priority.
    Priority(u8, PriorityCounterField),
    /// Of the port; several of drops and of link errors add up.
    Port(CounterField),
}

/// A counter by the names that drivers of these makes give.
pub fn counter(name: &str) -> Option<Counter> {
    bnxt::counter(name)
        .or_else(|| ionic::counter(name))
        .or_else(|| ice::counter(name))
}

/// Adds what a counter says.
pub fn count(part: &mut Part, name: &str, counter: Counter, fact: Fact<i64>) {
    if name.ends_with(".nic") {
        part.nic().driver = told_by_tool("ice", &ice::COUNTER_NAMES, fact.at());
    }
    match counter {
        Counter::Priority(priority, field) => {
            let one = part.counters().by_priority.entry(priority).or_default();
            match field {
                PriorityCounterField::RxPause => one.rx_pause = fact,
                PriorityCounterField::TxPause => one.tx_pause = fact,
                PriorityCounterField::RxBytes => one.rx_bytes = fact,
                PriorityCounterField::TxBytes => one.tx_bytes = fact,
                PriorityCounterField::Drops => one.drops = fact,
            }
        }
        Counter::Port(field) => {
            let counters = part.counters();
            match field {
                CounterField::LinkPauseRx => counters.link_pause_rx = fact,
                CounterField::LinkPauseTx => counters.link_pause_tx = fact,
                CounterField::Drops => add(&mut counters.drops, fact),
                CounterField::LinkErrors => add(&mut counters.link_errors, fact),
                _ => {}
            }
        }
    }
}

/// A priority at the end of a name.
fn priority(digits: &str) -> Option<u8> {
    digits.parse().ok().filter(|priority| *priority < 8)
}

/// The counters of an RDMA device under a make's names; of several names the
/// first that is there counts (drivers renamed some).
pub struct RdmaNames {
    /// Packets sent again: all of the first list are needed, the rest adds up.
    pub retransmits: (&'static [&'static str], &'static [&'static str]),
    /// Gaps that the receiver saw.
    pub out_of_sequence: &'static [&'static str],
    /// CNPs sent.
    pub cnp_sent: &'static [&'static str],
    /// CNPs received.
    pub cnp_handled: &'static [&'static str],
    /// Packets that came with a mark.
    pub ecn_marked: &'static [&'static str],
}

impl RdmaNames {
    /// The names of the make that a list of counters is of.
    pub fn of(holds: impl Fn(&str) -> bool) -> Option<&'static RdmaNames> {
        let all = [&bnxt::RDMA, &ionic::RDMA, &ice::RDMA];
        all.into_iter().find(|names| names.own().any(&holds))
    }

    /// Whether a text has counters of one of these makes.
    pub fn occur_in(text: &str) -> bool {
        Self::of(|name| text.contains(name)).is_some()
    }

    /// All names but those that mlx5 has too.
    fn own(&self) -> impl Iterator<Item = &'static str> {
        let (needed, more) = self.retransmits;
        let lists = [
            needed,
            more,
            self.cnp_sent,
            self.cnp_handled,
            self.ecn_marked,
        ];
        lists
            .into_iter()
            .flatten()
            .copied()
            .filter(|name| !name.starts_with("np_") && !name.starts_with("rp_"))
    }
}

/// What to type for a remedy on a port of one of these makes; none where the
/// commands of plain Linux do.
pub fn fix(port: &Port, remedy: &Remedy) -> Option<Vec<String>> {
    let nic = port.nic.as_deref()?;
    match Make::of(nic)? {
        Make::Mlx5 => None,
        Make::Bnxt => bnxt::fix(nic, remedy),
        Make::Ionic => ionic::fix(nic, remedy),
        Make::Ice => ice::fix(&port.name, nic, remedy),
    }
}

/// rdma_cm's default, the only one for a whole device; applications that do not
/// use it set their own.
fn rdma_cm_tos(nic: &Nic, class: u8) -> Vec<String> {
    let device = nic.rdma_device.value().filter(|name| harmless(name));
    device.map_or_else(Vec::new, |device| {
        vec![format!(
            "cma_roce_tos -d {device} -t {class} {VOLATILE}, for what uses rdma_cm; NCCL takes \
             NCCL_IB_TC={class}"
        )]
    })
}
