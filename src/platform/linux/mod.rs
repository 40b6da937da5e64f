//! Linux hosts with RDMA NICs: NVIDIA's tools, iproute2, ethtool, sysfs.
//!
//! A host has many devices and each capture speaks of one of them: by its
//! command, its text or its file's name. `parse` turns captures into
//! statements with subjects; `facts` ties the subjects together and fills the
//! model.

mod counters;
mod defaults;
mod facts;
mod fix;
mod parse;

use super::{CaptureSpec, Certainty, Holds, Platform, Recognised, Remedy};
use crate::model::{Device, DeviceKind};
use crate::source::Capture;

/// The platform.
pub struct Linux;

/// The tools whose output is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tool {
    MlnxQos,
    Dcb,
    Mlxconfig,
    Ecn,
    TrafficClass,
    CmaRoceTos,
    HwCounters,
    Gids,
    IbvDevinfo,
    RdmaLink,
    IpLink,
    Ethtool,
    Devlink,
    Perftest,
    Trouble,
}

const GETS: &str = "asks the kernel by a get request";
const READS: &str = "reads files that the kernel provides; nothing is written";

/// Each tool with its capture; several lines where a tool has several.
static CAPTURES: [CaptureSpec; 15] = [
    spec(
        "mlnx_qos -i IF",
        Holds::Config,
        "without an option that sets, it only prints",
    ),
    spec("dcb pfc show dev IF", Holds::Config, GETS),
    spec(
        "mlxconfig -d PCI -e query",
        Holds::Config,
        "query reads the firmware's parameters",
    ),
    spec("grep -r . /sys/class/net/IF/ecn", Holds::Config, READS),
    spec(
        "cat /sys/class/infiniband/DEV/tc/1/traffic_class",
        Holds::Config,
        READS,
    ),
    spec(
        "cma_roce_tos -d DEV",
        Holds::Config,
        "prints a value, but creates and removes a configfs folder to do so: only on request",
    ),
    spec(
        "grep -r . /sys/class/infiniband/DEV/ports/1/hw_counters",
        Holds::Counters,
        READS,
    ),
    spec("show_gids", Holds::Config, READS),
    spec("ibv_devinfo -v", Holds::Config, "queries the device"),
    spec("rdma -j link", Holds::Config, GETS),
    spec("ip -j link", Holds::Config, GETS),
    spec(
        "ethtool -a IF; ethtool -i IF; ethtool -S IF",
        Holds::Counters,
        GETS,
    ),
    spec("devlink -j dev info", Holds::Config, GETS),
    spec(
        "ib_write_bw",
        Holds::Operational,
        "a recorded result, never run by this platform",
    ),
    spec("any of these, refused", Holds::Config, "a recorded refusal"),
];

const fn spec(command: &'static str, holds: Holds, read_only: &'static str) -> CaptureSpec {
    CaptureSpec {
        command,
        holds,
        read_only,
    }
}

impl Platform for Linux {
    fn name(&self) -> &'static str {
        "linux"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Host
    }

    fn captures(&self) -> &'static [CaptureSpec] {
        &CAPTURES
    }

    fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let tool = parse::tool(capture)?;
        let certainty = match tool {
            Tool::MlnxQos | Tool::Dcb | Tool::Mlxconfig | Tool::Ecn | Tool::Gids => Certainty::Sure,
            Tool::Trouble | Tool::CmaRoceTos => Certainty::Possible,
            _ => Certainty::Likely,
        };
        let spec = CAPTURES.get(tool as usize)?;
        Some(Recognised { spec, certainty })
    }

    fn read(&self, name: &str, captures: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
        let mut statements = Vec::new();
        for (index, (capture, spec)) in captures.iter().enumerate() {
            if spec.is_some() {
                statements.extend(parse::statements(index, capture));
            }
        }
        facts::device(name, statements)
    }

    fn fix(&self, device: &Device, port: &str, remedy: &Remedy) -> Vec<String> {
        fix::commands(device, port, remedy)
    }
}
