//! The slot of the card.

use super::at;
use crate::check::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::model::{self, NicField};
use crate::policy::Severity;

/// The slot of the card.
pub struct Pcie;

impl Check for Pcie {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/pcie",
            severity: Severity::Medium,
            needs: Needs::Operational,
            judges: Judges::Hosts,
            title: "The NIC has all its PCIe lanes, and GPUs reach it directly",
            explain: "A card in a slot of fewer lanes or an older generation, or on a link that \
                trained down, takes packets slower than they arrive: it pauses the switch, and \
                the pause spreads. With access control services (ACS) on in a bridge above the \
                card, requests between a GPU and the card go up to the processor and back, which \
                costs most of the bandwidth of GPUDirect; virtual machines need it, bare metal \
                does not. ACS is judged where the host has GPUs. A slot that was chosen narrow on \
                purpose, for a port that does not need more, is no fault.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        if nic.software.get() == Some(true) {
            return; // no slot
        }
        let pcie = &nic.pcie;
        // A second generation of slot is twice as fast a lane; either narrows.
        let ends = [
            (
                pcie.width.get().map(u32::from),
                pcie.width_max.get().map(u32::from),
                (NicField::PcieWidth, NicField::PcieWidthMax),
            ),
            (
                pcie.speed_mtps.get(),
                pcie.speed_max_mtps.get(),
                (NicField::PcieSpeed, NicField::PcieSpeedMax),
            ),
        ];
        for (runs, can, fields) in ends {
            let lanes = fields.0 == NicField::PcieWidth;
            let text = |value: u32| match lanes {
                true => format!("x{value}"),
                false => format!("{}.{} GT/s", value / 1000, value % 1000 / 100),
            };
            match (runs, can) {
                (Some(runs), Some(can)) => out.judge(runs >= can, || {
                    let what = if lanes { "lanes" } else { "speed a lane" };
                    let detail = Detail::fail(format!(
                        "the PCIe link runs at less than the card can do ({what}){}",
                        bandwidth(cx.port)
                    ));
                    let detail = detail.expected(text(can)).actual(text(runs));
                    detail.at(at(fields.0)).at(at(fields.1))
                }),
                _ => {
                    let fact: &dyn model::AnyFact = match (lanes, runs.is_none()) {
                        (true, true) => &pcie.width,
                        (true, false) => &pcie.width_max,
                        (false, true) => &pcie.speed_mtps,
                        (false, false) => &pcie.speed_max_mtps,
                    };
                    let what = match lanes {
                        true => "the width of the PCIe link",
                        false => "the speed of the PCIe link",
                    };
                    out.report(Detail::unknown_fact(what, fact).at(at(fields.0)));
                }
            }
        }
        if pcie.gpus.get() != Some(true) {
            return;
        }
        match pcie.acs.get() {
            Some(on) => out.judge(!on, || {
                Detail::fail(
                    "a bridge above the NIC redirects requests between devices (ACS), and the \
                     host has GPUs: GPUDirect goes through the processor",
                )
                .expected("off")
                .actual("on")
                .at(at(NicField::PcieAcs))
                .at(at(NicField::PcieGpus))
            }),
            None => out.report(
                Detail::unknown_fact("whether bridges above the NIC redirect (ACS)", &pcie.acs)
                    .at(at(NicField::PcieGpus)),
            ),
        }
    }
}

/// What the link carries, beside the speed of the port, where both are known.
fn bandwidth(port: &model::Port) -> String {
    let nic = port.nic.as_deref();
    let link = nic.and_then(|nic| Some((nic.pcie.speed_mtps.get()?, nic.pcie.width.get()?)));
    let (Some((speed, width)), Some(port)) = (link, port.speed_mbps.get()) else {
        return String::new();
    };
    // 8b/10b up to 5 GT/s, 128b/130b above (PCI Express base specification).
    let payload = match speed {
        0..=5_000 => u64::from(speed) * 8 / 10,
        _ => u64::from(speed) * 128 / 130,
    };
    let carries = payload * u64::from(width) / 1000;
    format!(": it carries {carries} Gb/s, the port {} Gb/s", port / 1000)
}
