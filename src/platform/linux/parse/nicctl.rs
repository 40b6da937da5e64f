//! nicctl of AMD's Pensando NICs, text form: `show qos`, `show dcqcn`, `show
//! port`. It ends well even without a NIC; the message tells.

use super::{Evidence, Input, Part, Pause, Statements, Subject, dcb, is_json, tokens};
use crate::model::{
    CodeMap, Fact, MapName, Milli, NoteKind, Origin, Priorities, Queue, SchedulerKind, State, Trust,
};
use crate::platform::linux::make::{IONIC_TOOL, told_by_tool};
use crate::platform::text::ranges;
use std::sync::Arc;

/// Whether the text is of nicctl.
pub fn recognise(text: &str) -> bool {
    super::lines(text).any(|(_, line)| {
        nic(line).is_some()
            || line.trim_start().starts_with("DSCP value used for CNP")
            || line.trim_start().starts_with("PFC priority bitmap")
            || line.trim_start().starts_with("ROCE device ")
    })
}

/// `NIC  : 0000…0001  (0000:06:00.0)`.
fn nic(line: &str) -> Option<Subject> {
    let (key, rest) = line.split_once(':')?;
    let address = rest.trim_end().strip_suffix(')')?.rsplit_once('(')?.1;
    let subject = Subject::pci(address);
    (key.trim() == "NIC" && !subject.is_empty()).then_some(subject)
}

/// Reads all NICs of an output.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    if is_json(input.text) {
        let text = "the JSON of nicctl is not read, as its keys are not documented: give the text \
                    form, without --json";
        return out.note(NoteKind::Failed, text, input.at(0));
    }
    let mut reader = Reader::default();
    for (offset, line) in input.lines() {
        match nic(line) {
            Some(subject) => {
                reader.close(input, out);
                reader = Reader::of(subject);
            }
            None => reader.line(input, offset, line),
        }
    }
    reader.close(input, out);
}

/// What an output says of one NIC.
#[derive(Default)]
struct Reader {
    nic: Subject,
    part: Part,
    ports: usize,
    devices: Vec<Part>,
    dscp: CodeMap,
    dscp_at: Option<Origin>,
    bitmap: Option<(Priorities, Origin)>,
    no_drop: Option<(Priorities, Origin)>,
    status: bool,
    in_scheduling: bool,
    pause_kind: Option<(bool, Origin)>,
    pause_tx: Option<bool>,
    pause_rx: Option<bool>,
}

impl Reader {
    fn of(nic: Subject) -> Self {
        Reader {
            part: Part::new(nic.clone(), Evidence::Possible),
            nic,
            ..Reader::default()
        }
    }

    fn line(&mut self, input: &Input<'_>, offset: usize, line: &str) {
        if self.in_scheduling && self.schedule(input, offset, line) {
            return;
        }
        let Some((key, value)) = line.split_once(':') else {
            return;
        };
        let (key, value) = (key.trim(), value.trim());
        let at = input.at(offset + (line.len() - line.trim_start().len()));
        match (key, value) {
            ("Port", _) => self.ports += 1,
            ("Status", "") => self.status = true,
            ("Spec", "") => self.status = false,
            ("Scheduling", "") => self.in_scheduling = true,
            ("ROCE device", device) => {
                let mut part = Part::new(Subject::rdma(device), Evidence::Rdma);
                if self.devices.is_empty() {
                    part.subject.pci.clone_from(&self.nic.pci);
                }
                part.nic().rdma_device = Fact::explicit(device.to_owned(), at);
                self.devices.push(part);
            }
            _ => match self.devices.last_mut() {
                Some(device) => dcqcn(key, value, at, device),
                None => self.setting(key, value, at),
            },
        }
    }

    fn setting(&mut self, key: &str, value: &str, at: Origin) {
        let port = &mut self.part.port;
        let state = |word: &str| match word {
            "UP" => Some(State::Up),
            "DOWN" => Some(State::Down),
            _ => None,
        };
        let on = match value {
            "enabled" => Some(true),
            "disabled" => Some(false),
            _ => None,
        };
        match key {
            "Classification type" => {
                port.trust = match value {
                    "DSCP" => Fact::explicit(Trust::Dscp, at),
                    "PCP" => Fact::explicit(Trust::Pcp, at),
                    _ => Fact::unknown_at(
                        format!("the classification type `{value}` is not known"),
                        at,
                    ),
                };
            }
            "DSCP" => self.codes(value, at),
            "PFC priority bitmap" => self.bitmap = mask(value).map(|mask| (mask, at)),
            "PFC no-drop priorities" => {
                let list = ranges::small_integers(value, 7).ok();
                self.no_drop = list.map(|list| (list.into_iter().collect(), at));
            }
            "Pause type" => self.pause_kind = Some((value.eq_ignore_ascii_case("pfc"), at)),
            "TX pause" => self.pause_tx = on,
            "RX pause" => self.pause_rx = on,
            "Admin state" => {
                if let Some(state) = state(value) {
                    port.admin = Fact::explicit(state, at);
                }
            }
            "Operational status" => {
                if let Some(state) = state(value) {
                    port.oper = Fact::explicit(state, at);
                }
            }
            "speed" if !self.status => {
                let gigabits = value.strip_suffix('G').and_then(|n| n.parse::<u32>().ok());
                if let Some(speed) = gigabits.and_then(|n| n.checked_mul(1000)) {
                    port.speed_mbps = Fact::explicit(speed, at);
                }
            }
            _ => {}
        }
    }

    /// `0-9, 11-45 ==> priority : 1`.
    fn codes(&mut self, value: &str, at: Origin) {
        let Some((codes, rest)) = value.split_once("==>") else {
            return;
        };
        let priority = rest.rsplit(':').next().and_then(|n| n.trim().parse().ok());
        let codes = ranges::small_integers(codes, 63);
        if let (Some(priority), Ok(codes)) = (priority.filter(|p: &u8| *p < 8), codes) {
            for code in codes {
                self.dscp.set_explicit(code, priority, at);
            }
            self.dscp_at.get_or_insert(at);
        }
    }

    /// `3  DWRR  90  N/A`, `6  strict  N/A  10`.
    fn schedule(&mut self, input: &Input<'_>, offset: usize, line: &str) -> bool {
        let words: Vec<(usize, &str)> = tokens(offset, line).collect();
        let [(at, priority), (_, kind), (share_at, share), ..] = words.as_slice() else {
            return false;
        };
        let Some(priority) = priority.parse().ok().filter(|p: &u8| *p < 8) else {
            return false;
        };
        let mut queue = Queue::new(priority);
        let at = input.at(*at);
        match kind.to_ascii_lowercase().as_str() {
            "dwrr" => {
                queue.scheduler = Fact::explicit(SchedulerKind::Weighted, at);
                if let Ok(percent) = share.parse::<i64>() {
                    let percent = Milli::whole(percent.clamp(0, 100));
                    queue.share_percent = Fact::explicit(percent, input.at(*share_at));
                }
            }
            "strict" | "sp" => {
                queue.scheduler = Fact::explicit(SchedulerKind::Strict, at);
                queue.share_percent = Fact::NotApplicable;
            }
            other => {
                let why = format!("the scheduling type `{other}` is not known");
                queue.scheduler = Fact::unknown_at(why, at);
            }
        }
        self.part.port.queues.retain(|known| known.id != priority);
        self.part.port.queues.push(queue);
        true
    }

    fn close(&mut self, input: &Input<'_>, out: &mut Statements) {
        let driver = told_by_tool("ionic", &IONIC_TOOL, input.at(0));
        for mut device in std::mem::take(&mut self.devices) {
            device.nic().driver = driver.clone();
            out.push(device);
        }
        self.classes();
        self.pfc();
        if let (Some((pfc, at)), Some(tx), Some(rx)) =
            (self.pause_kind, self.pause_tx, self.pause_rx)
        {
            self.part.hints.pause = Some(Pause { pfc, tx, rx, at });
        }
        let mut part = std::mem::take(&mut self.part);
        if self.ports > 1 {
            let text = "several ports are printed for one NIC, and nothing tells which network \
                        device each of them is";
            out.note(NoteKind::Failed, text, input.at(0));
            part = Part::new(self.nic.clone(), Evidence::Possible);
            let why = Fact::unknown_at(text.to_owned(), input.at(0));
            let pfc = &mut part.port.pfc;
            (pfc.enabled, pfc.tx, pfc.rx) = (why.clone(), why.clone(), why);
        }
        if part.says_something() || part.hints.pause.is_some() {
            part.nic().driver = driver;
            out.push(part);
        }
    }

    /// The map of code points, and each priority with a queue of its own.
    fn classes(&mut self) {
        let port = &mut self.part.port;
        if let Some(at) = self.dscp_at {
            let mut map = std::mem::take(&mut self.dscp);
            map.complete = map.entries().len() == 64;
            port.maps
                .set(MapName::DscpToTc, Fact::explicit(Arc::new(map), at));
        }
        let mut queues = CodeMap::new();
        for queue in &port.queues {
            queues.set_explicit(queue.id, queue.id, queue.scheduler.at());
        }
        if let Some(first) = port.queues.first() {
            let at = first.scheduler.at();
            let map = Fact::explicit(Arc::new(queues), at);
            port.maps.set(MapName::TcToQueue, map);
        }
    }

    /// The bit mask and the list say the same, or nobody knows.
    fn pfc(&mut self) {
        let (enabled, at) = match (self.bitmap, self.no_drop) {
            (Some((mask, at)), Some((list, _))) if mask == list => (Ok(mask), at),
            (Some((mask, at)), Some((list, _))) => {
                let why =
                    format!("the bit mask says {mask} and the list of no-drop priorities {list}");
                (Err(why), at)
            }
            (Some((mask, at)), None) => (Ok(mask), at),
            (None, Some((list, at))) => (Ok(list), at),
            (None, None) => return,
        };
        match enabled {
            Ok(enabled) => dcb::pfc(&mut self.part, enabled, at),
            Err(why) => {
                let fact = Fact::unknown_at(why, at);
                let pfc = &mut self.part.port.pfc;
                (pfc.enabled, pfc.tx, pfc.rx) = (fact.clone(), fact.clone(), fact);
            }
        }
    }
}

fn mask(value: &str) -> Option<Priorities> {
    let digits = value.strip_prefix("0x")?;
    let mask = u8::from_str_radix(digits, 16).ok()?;
    Some(Priorities::from_mask(mask))
}

/// A line of a device's DCQCN profile, under the option's name that sets it.
/// Profiles that differ leave it open.
fn dcqcn(key: &str, value: &str, at: Origin, device: &mut Part) {
    fn set<T: PartialEq>(fact: &mut Fact<T>, value: T, at: Origin) {
        let same = fact.value().is_none_or(|known| *known == value);
        *fact = match same {
            true => Fact::explicit(value, at),
            false => Fact::unknown_at("the profiles of the device differ".to_owned(), at),
        };
    }
    let dcqcn = &mut device.nic().dcqcn;
    match (key, value) {
        ("Status", "Enabled" | "Disabled") => {
            let on = value == "Enabled";
            let all = Priorities::from_mask(if on { u8::MAX } else { 0 });
            set(&mut dcqcn.rp_enabled, all, at);
            set(&mut dcqcn.np_enabled, on, at);
        }
        ("Status", _) => {
            let why = format!("the status `{value}` is not known");
            dcqcn.rp_enabled = Fact::unknown_at(why.clone(), at);
            dcqcn.np_enabled = Fact::unknown_at(why, at);
        }
        ("DSCP value used for CNP", _) => {
            if let Some(dscp) = value.parse().ok().filter(|dscp: &u8| *dscp < 64) {
                set(&mut dcqcn.cnp_dscp, dscp, at);
            }
        }
        ("DCQCN profile id" | "Lif id", _) => {}
        _ => {
            if let Ok(number) = value.parse::<i64>() {
                let fact = dcqcn.params.entry(parameter(key)).or_default();
                set(fact, number, at);
            }
        }
    }
}

/// `Rate increase in AI phase` is what `nicctl update dcqcn --ai-rate` sets.
fn parameter(label: &str) -> String {
    match label {
        "Rate increase in AI phase" => "ai_rate".to_owned(),
        "Rate increase in HAI phase" => "hai_rate".to_owned(),
        "Alpha update G value" => "alpha_update_g".to_owned(),
        other => other
            .to_lowercase()
            .chars()
            .take(64)
            .map(|c| if c.is_alphanumeric() { c } else { '_' })
            .collect(),
    }
}
