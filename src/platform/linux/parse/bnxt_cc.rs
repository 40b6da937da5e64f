//! Congestion control of Broadcom's bnxt_re: files of its configfs folder, in
//! hexadecimal, and what debugfs says of the firmware.

use super::{Evidence, Part, Statements, Subject, leading_number};
use crate::model::{Fact, Origin, Priorities, Reason};

/// debugfs, `fw_service_prof_type_sup 1`.
static BY_FIRMWARE: Reason = Reason(
    "the firmware runs congestion control by its service profile (fw_service_prof_type_sup), and shows neither its state nor its values",
);

/// A file of `/sys/kernel/config/bnxt_re/DEV/ports/1/cc`.
pub fn configfs(device: &str, rest: &[&str], value: &str, at: Origin, out: &mut Statements) {
    let Some(number) = leading_number(value) else {
        return;
    };
    let name = match rest {
        [name] | ["advanced", name] => *name,
        _ => return,
    };
    let mut part = Part::new(Subject::rdma(device), Evidence::Rdma);
    let nic = part.nic();
    let small = |largest: u8| match u8::try_from(number).ok().filter(|n| *n <= largest) {
        Some(number) => Fact::explicit(number, at),
        None => Fact::unknown_at(format!("{value} is larger than {largest}"), at),
    };
    match name {
        // It holds for the device: marks are answered and obeyed, or not.
        "ecn_enable" => {
            let on = number != 0;
            let all = Priorities::from_mask(if on { u8::MAX } else { 0 });
            nic.dcqcn.rp_enabled = Fact::explicit(all, at);
            nic.dcqcn.np_enabled = Fact::explicit(on, at);
        }
        // The ECN bits of what it sends (kernel, tos_ecn): 1 is ECT(1), 2 is ECT(0).
        "ecn_marking" => nic.sets_ect = Fact::explicit(matches!(number, 1 | 2), at),
        "cnp_dscp" => nic.dcqcn.cnp_dscp = small(63),
        "cnp_prio" => nic.dcqcn.cnp_priority = small(7),
        // For queue pairs without a class of their own (bnxt_setupcc.sh -s).
        "roce_dscp" => nic.tos_dscp = small(63),
        "apply" => return,
        _ => {
            let params = &mut nic.dcqcn.params;
            params.insert(name.to_owned(), Fact::explicit(number, at));
        }
    }
    out.push(part);
}

/// A line of `/sys/kernel/debug/bnxt_re/DEV/info`.
pub fn debugfs(device: &str, line: &str, at: Origin, out: &mut Statements) {
    let words: Vec<&str> = line
        .split([' ', ':', '\t'])
        .filter(|w| !w.is_empty())
        .collect();
    if let ["fw_service_prof_type_sup", "1"] = words.as_slice() {
        let mut part = Part::new(Subject::rdma(device), Evidence::Rdma);
        let dcqcn = &mut part.nic().dcqcn;
        dcqcn.rp_enabled = Fact::unknown_at(&BY_FIRMWARE, at);
        dcqcn.np_enabled = Fact::unknown_at(&BY_FIRMWARE, at);
        out.push(part);
    }
}
