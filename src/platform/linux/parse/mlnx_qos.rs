//! `mlnx_qos -i IF`: the tables of the current tool, those of older ones, and
//! the one-line form that people shorten them to.

use super::{Evidence, Input, Part, Statements, Subject, leading_number, tokens};
use crate::model::{
    CodeMap, Dcbx, Fact, GroupBuffer, MapName, Milli, NoteKind, PfcMode, Priorities, PriorityGroup,
    Queue, SchedulerKind, Trust,
};
use crate::platform::linux::defaults;
use std::sync::Arc;

/// Whether the text is of this tool.
pub fn recognise(text: &str) -> bool {
    text.contains("Priority trust state:")
        || text.contains("dscp2prio mapping:")
        || (text.contains("PFC configuration:") && text.contains("enabled "))
}

/// Each stands on a line of its own.
const HEADINGS: &[&str] = &[
    "DCBX mode:",
    "Priority trust state:",
    "dscp2prio mapping:",
    "PFC configuration:",
    "Receive buffer size",
    "tsa:",
];

/// Reads all that the tool printed.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let named = input.option(&["-i", "--interface", "-I"]);
    let subject = named.map(Subject::netdev).unwrap_or_default();
    let mut reader = Reader {
        input,
        part: Part::new(subject, Evidence::Rdma),
        map: CodeMap::new(),
        map_at: None,
        tc: None,
    };
    reader.part.nic();
    for (offset, line) in input.lines() {
        let headings = HEADINGS.iter().filter(|heading| line.contains(**heading));
        if headings.count() > 1 {
            let text = "the line breaks are lost: which value belongs to what is not read";
            out.note(NoteKind::Failed, text, input.at(offset));
            continue;
        }
        reader.line(offset, line.trim_start(), line, out);
    }
    let part = reader.finish();
    out.push(part);
}

struct Reader<'i, 'a> {
    input: &'i Input<'a>,
    part: Part,
    /// DSCP → priority, as far as printed.
    map: CodeMap,
    map_at: Option<usize>,
    /// The traffic class whose priorities come next.
    tc: Option<u8>,
}

impl Reader<'_, '_> {
    fn line(&mut self, indent: usize, body: &str, line: &str, out: &mut Statements) {
        let offset = indent + (line.len() - body.len());
        let at = self.input.at(offset);
        if let Some((before, _)) = body.split_once("service is running and may overwrite") {
            let agent = before.split_whitespace().last().unwrap_or("an agent");
            self.part.nic().overwritten_by = Fact::explicit(agent.to_owned(), at);
        } else if let Some(mode) = body.strip_prefix("DCBX mode:") {
            self.dcbx(mode.trim(), offset);
        } else if let Some(state) = body.strip_prefix("Priority trust state:") {
            self.trust(state.trim(), offset);
        } else if let Some(rest) = body.strip_prefix("dscp2prio mapping:") {
            self.map_at = Some(offset);
            self.mapping(offset, rest);
        } else if body.starts_with("prio:") && body.contains("dscp:") {
            self.map_at.get_or_insert(offset);
            self.mapping(offset, body);
        } else if let Some(sizes) = body.strip_prefix("Receive buffer size (bytes):") {
            self.buffers(sizes, offset);
        } else if let Some(length) = body.strip_prefix("Cable len:") {
            if let Some(metres) = leading_number(length).and_then(|n| u32::try_from(n).ok()) {
                self.part.port.cable_m = Fact::explicit(metres, at);
            }
        } else if let Some(row) = body.strip_prefix("PFC configuration:") {
            if let Some(row) = row.trim_start().strip_prefix("enabled ") {
                self.pfc(row, offset, out);
            }
        } else if let Some(row) = body.strip_prefix("enabled ") {
            self.pfc(row, offset, out);
        } else if let Some(row) = body.strip_prefix("buffer ") {
            self.buffer_of_priority(row, offset);
        } else if body.starts_with("tc:") && body.contains("tsa:") {
            self.traffic_class(body, offset);
        } else if let Some(list) = body.strip_prefix("priority:") {
            self.priority_of_class(list, offset);
        }
    }

    fn dcbx(&mut self, mode: &str, offset: usize) {
        let at = self.input.at(offset);
        let nic = self.part.nic();
        let (dcbx, pfc) = match mode {
            "OS controlled" => (Dcbx::Os, PfcMode::On),
            "Firmware controlled" => (Dcbx::Firmware, PfcMode::Auto),
            _ => {
                nic.dcbx = Fact::unknown_at(format!("the DCBX mode `{mode}` is not known"), at);
                return;
            }
        };
        nic.dcbx = Fact::explicit(dcbx, at);
        self.part.port.pfc.mode = Fact::explicit(pfc, at);
    }

    fn trust(&mut self, state: &str, offset: usize) {
        let at = self.input.at(offset);
        self.part.port.trust = match state {
            "dscp" => Fact::explicit(Trust::Dscp, at),
            "pcp" => Fact::explicit(Trust::Pcp, at),
            "none" => Fact::explicit(Trust::None, at),
            _ => Fact::unknown_at(format!("the trust state `{state}` is not known"), at),
        };
        if state == "pcp" {
            let unknown = Fact::unknown_at(&defaults::NO_MAP_UNDER_PCP, at);
            self.part.port.maps.set(MapName::DscpToTc, unknown);
        }
    }

    /// `prio:0 dscp:07,06,…` once or several times on a line. What is left
    /// out (`07,...,00`) is unknown, never guessed.
    fn mapping(&mut self, offset: usize, body: &str) {
        let mut priority = None;
        for (offset, word) in tokens(offset, body) {
            if let Some(number) = word.strip_prefix("prio:") {
                priority = number.parse::<u8>().ok().filter(|priority| *priority < 8);
            } else if let Some(codes) = word.strip_prefix("dscp:") {
                for code in codes.split(',').filter(|code| !code.is_empty()) {
                    match (code.parse::<u8>(), priority) {
                        (Ok(code), Some(priority)) if code < 64 => {
                            self.map.set_explicit(code, priority, self.input.at(offset));
                        }
                        _ => self.map.complete = false,
                    }
                }
            }
        }
    }

    fn pfc(&mut self, row: &str, offset: usize, out: &mut Statements) {
        let bits: Option<Vec<bool>> = row
            .split_whitespace()
            .map(|bit| match bit {
                "0" => Some(false),
                "1" => Some(true),
                _ => None,
            })
            .collect();
        let at = self.input.at(offset);
        let enabled = bits
            .filter(|bits| bits.len() == 8)
            .map(|bits| (0..8).zip(bits).filter_map(|(p, on)| on.then_some(p)))
            .map(Iterator::collect::<Priorities>);
        let fact = match enabled {
            Some(enabled) => Fact::explicit(enabled, at),
            None => {
                let text = "the PFC row does not have eight zeros and ones: it is cut";
                out.note(NoteKind::Failed, text, at);
                Fact::unknown_at(&defaults::CUT, at)
            }
        };
        let pfc = &mut self.part.port.pfc;
        (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact);
    }

    fn buffers(&mut self, sizes: &str, offset: usize) {
        let at = self.input.at(offset);
        let sizes = sizes.split(',').map(str::trim);
        let sizes = sizes.filter(|size| !size.is_empty() && !size.contains('='));
        for (id, size) in (0..8u8).zip(sizes) {
            let mut group = PriorityGroup::new(id);
            if let Ok(bytes) = size.parse::<u64>() {
                group.buffer = Arc::new(GroupBuffer {
                    reserved_bytes: Fact::explicit(bytes, at),
                    ..GroupBuffer::default()
                });
            }
            self.part.port.priority_groups.push(group);
        }
    }

    fn buffer_of_priority(&mut self, row: &str, offset: usize) {
        let mut map = CodeMap::new();
        let at = self.input.at(offset);
        for (priority, buffer) in (0..8u8).zip(row.split_whitespace()) {
            if let Some(buffer) = buffer.parse().ok().filter(|buffer| *buffer < 8) {
                map.set_explicit(priority, buffer, at);
            }
        }
        map.complete = map.entries().len() == 8;
        let map = Fact::explicit(Arc::new(map), at);
        self.part.port.maps.set(MapName::TcToPg, map);
    }

    fn traffic_class(&mut self, body: &str, offset: usize) {
        let at = self.input.at(offset);
        let value = |key: &str| {
            let rest = body.get(body.find(key)? + key.len()..)?;
            rest.split(',').next().map(str::trim)
        };
        let id = body.get(3..).and_then(leading_number);
        self.tc = id.and_then(|id| u8::try_from(id).ok()).filter(|id| *id < 8);
        let Some(id) = self.tc else { return };
        let mut queue = Queue::new(id);
        (queue.scheduler, queue.share_percent) = match value("tsa:") {
            Some("strict") => (
                Fact::explicit(SchedulerKind::Strict, at),
                Fact::NotApplicable,
            ),
            Some("ets") => {
                let share = value("bw:").and_then(|bw| bw.trim_end_matches('%').parse().ok());
                let share = share.map(|percent: i64| Fact::explicit(Milli::whole(percent), at));
                (
                    Fact::explicit(SchedulerKind::Weighted, at),
                    share.unwrap_or_default(),
                )
            }
            Some("vendor") => (
                Fact::unknown_at(&defaults::VENDOR_SCHEDULER, at),
                Fact::unknown_at(&defaults::VENDOR_SCHEDULER, at),
            ),
            _ => (Fact::unknown_at(&defaults::CUT, at), Fact::default()),
        };
        let queues = &mut self.part.port.queues;
        match queues.iter_mut().find(|queue| queue.id == id) {
            Some(earlier) => *earlier = queue,
            None => queues.push(queue),
        }
    }

    fn priority_of_class(&mut self, list: &str, offset: usize) {
        let Some(tc) = self.tc else { return };
        let at = self.input.at(offset);
        let known = self.part.port.maps.get(MapName::TcToQueue).value();
        let mut map = known.map_or_else(CodeMap::new, |map| CodeMap::clone(map));
        for priority in list.split([',', ' ']).filter_map(|p| p.trim().parse().ok()) {
            if priority < 8 {
                map.set_explicit(priority, tc, at);
            }
        }
        map.complete = map.entries().len() == 8;
        let map = Fact::explicit(Arc::new(map), at);
        self.part.port.maps.set(MapName::TcToQueue, map);
    }

    fn finish(mut self) -> Part {
        if let Some(offset) = self.map_at {
            self.map.complete &= self.map.entries().len() == 64;
            let map = Fact::explicit(Arc::new(self.map), self.input.at(offset));
            self.part.port.maps.set(MapName::DscpToTc, map);
        }
        self.part
    }
}
