//! Settings of Intel's irdma: options of the module, and its configfs folder.
//! Options hold for all of its devices.

use super::{Everywhere, Evidence, Input, Only, Part, Statements, Subject, lines};
use crate::model::{Fact, Nic, Origin, Priorities, Reason};
use crate::platform::linux::make::Make;

/// From /etc/modprobe.d: with what the driver starts.
static MODPROBE: Reason = Reason(
    "an option in modprobe.d, with which the driver is loaded; the running value (/sys/module/irdma/parameters) was not captured",
);

/// A value of an option, by the file or the line that has it.
pub fn option(name: &str, value: &str, running: bool, at: Origin, out: &mut Statements) {
    let number = match value.trim() {
        "Y" | "y" | "true" => Some(1),
        "N" | "n" | "false" => Some(0),
        digits => digits.parse::<i64>().ok(),
    };
    let Some(number) = number else { return };
    let mut part = Part::new(Subject::default(), Evidence::None);
    let nic = part.nic();
    match name {
        "roce_ena" => nic.roce_enabled = stated(number != 0, running, at),
        "dcqcn_enable" => reaction(nic, number != 0, running, at),
        _ if name.starts_with("dcqcn_") => {
            let name = name.to_owned();
            nic.dcqcn.params.insert(name, stated(number, running, at));
        }
        _ => return,
    }
    part.capture = at.capture().unwrap_or_default();
    if out.everywhere.len() < MOST {
        out.everywhere.push(Everywhere {
            part,
            only: Only::Make(Make::Ice),
        });
    }
}

/// More options than the module has.
const MOST: usize = 64;

fn stated<T>(value: T, running: bool, at: Origin) -> Fact<T> {
    match running {
        true => Fact::explicit(value, at),
        false => Fact::Default(value, (&MODPROBE).into(), at),
    }
}

/// DCQCN of the sender; how the receiver answers marks has no option.
fn reaction(nic: &mut Nic, on: bool, running: bool, at: Origin) {
    let all = Priorities::from_mask(if on { u8::MAX } else { 0 });
    nic.dcqcn.rp_enabled = stated(all, running, at);
}

/// A file of `/sys/kernel/config/irdma/DEV`.
pub fn configfs(device: &str, name: &str, value: &str, at: Origin, out: &mut Statements) {
    let on = match value.trim() {
        "1" => true,
        "0" => false,
        _ => return,
    };
    if name == "roce_dcqcn_enable" {
        let mut part = Part::new(Subject::rdma(device), Evidence::Rdma);
        reaction(part.nic(), on, true, at);
        out.push(part);
    }
}

/// Whether the text has options of the module for modprobe(8).
pub fn recognise_modprobe(text: &str) -> bool {
    lines(text).any(|(_, line)| line.trim_start().starts_with("options irdma "))
}

/// Reads `options irdma NAME=VALUE …`.
pub fn modprobe(input: &Input<'_>, out: &mut Statements) {
    for (offset, line) in input.lines() {
        let Some(options) = line.trim_start().strip_prefix("options irdma ") else {
            continue;
        };
        for (name, value) in options.split_whitespace().filter_map(|o| o.split_once('=')) {
            option(name, value, false, input.at(offset), out);
        }
    }
}
