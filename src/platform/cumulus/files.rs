//! `qos_features.conf` and `qos_infra.conf`, the files that switchd reads.
//! NVUE writes them too; by hand they stand for themselves.

use super::config::{Config, FlowControl, GLOBAL, Interface, Kind, Marking, Set};
use super::grammar::{alpha, map_to, number, percent, priorities, put, switch};
use crate::model::{NoteKind, Origin, Trust};
use crate::platform::notes::Notes;
use crate::platform::text::keyvalue::pairs;
use crate::platform::text::ranges::small_integers;
use std::collections::{BTreeMap, HashMap};

/// A section with groups of ports, by its name in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Section {
    Profile(u8),
    Watchdog,
}

/// Sections by their first word.
const SECTIONS: [(&str, Section); 8] = [
    ("source", Section::Profile(Kind::Mapping as u8)),
    ("remark", Section::Profile(Kind::Remark as u8)),
    ("pfc", Section::Profile(Kind::Pfc as u8)),
    ("link_pause", Section::Profile(Kind::LinkPause as u8)),
    ("ecn_red", Section::Profile(Kind::Congestion as u8)),
    ("egress_sched", Section::Profile(Kind::Scheduler as u8)),
    ("shaping", Section::Profile(Kind::Shaper as u8)),
    ("pfc_watchdog", Section::Watchdog),
];

/// Settings of the ASIC's buffers that are not judged, by their first word.
const OTHERS: [&str; 9] = [
    "cut_through_enable",
    "egress_buffer",
    "egress_service_pool",
    "flow_control",
    "management",
    "multicast",
    "port",
    "priority_group",
    "scheduling",
];

/// Marking of a group: its queues and what holds for each.
#[derive(Default)]
struct Ecn {
    queues: Option<Vec<u8>>,
    at: Origin,
    marking: Marking,
}

/// Applies the lines of the files.
pub struct Reader<'c> {
    config: &'c mut Config,
    notes: &'c mut Notes,
    /// Groups that a list names, with the list's line.
    listed: HashMap<(Section, String), Origin>,
    /// Ports of groups.
    port_sets: BTreeMap<(Section, String), (String, Origin)>,
    ecn: BTreeMap<String, Ecn>,
}

impl<'c> Reader<'c> {
    /// For the files of one device.
    pub fn new(config: &'c mut Config, notes: &'c mut Notes) -> Self {
        config.files = true;
        config.has_qos = true;
        Reader {
            config,
            notes,
            listed: HashMap::new(),
            port_sets: BTreeMap::new(),
            ecn: BTreeMap::new(),
        }
    }

    /// One file.
    pub fn read(&mut self, capture: usize, text: &str) {
        for pair in pairs(text) {
            if pair.key.starts_with('#') {
                continue;
            }
            let at = Origin::new(capture, pair.offset);
            let value = pair.value.split('#').next().unwrap_or_default().trim();
            let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
            let key: Vec<&str> = pair.key.splitn(8, '.').collect();
            if !self.line(&key, inner.unwrap_or(value).trim(), at) {
                let line: String = pair.key.chars().take(80).collect();
                let text = format!("`{line}` is not known, or its value can't be read");
                self.notes.add(NoteKind::Unparsed, None, text, at);
            }
        }
    }

    fn line(&mut self, key: &[&str], value: &str, at: Origin) -> bool {
        let config = &mut *self.config;
        match key {
            ["traffic", "priority_group_list"] => {
                config.infra = true;
                true
            }
            ["traffic", rest @ ..] => self.classify(GLOBAL, rest, value, at),
            ["default_ecn_red_conf" | "default_ecn_conf", leaf] => {
                self.ecn(GLOBAL, leaf, value, at)
            }
            ["default_egress_sched", rest @ ..] => self.schedule(GLOBAL, rest, value, at),
            ["pfc_wd", "poll_interval"] => {
                put(&mut config.polling_ms, number(value, 3_600_000), at)
            }
            ["pfc_wd", "robustness"] => put(&mut config.robustness, number(value, 10_000), at),
            ["cos_egr_queue", cos, "uc"] => match cos.strip_prefix("cos_") {
                Some(cos) => map_to(&mut config.queues, cos, 7, number(value, 7), at),
                None => false,
            },
            ["cos_egr_queue", _, _] => true,
            ["ingress_service_pool", id, "percent"] => {
                config.infra = true;
                let read = number(id, 15u8);
                if let Some(id) = read {
                    let name = format!("ingress_service_pool.{id}");
                    let pool = config.pools.entry(name).or_default();
                    return put(&mut pool.percent, percent(value), at);
                }
                false
            }
            ["ingress_service_pool", ..] => true,
            ["flow_control", "ingress_service_pool"] => {
                let name = number(value, 15u8).map(|id| format!("ingress_service_pool.{id}"));
                put(&mut config.lossless_pool, name, at)
            }
            ["flow_control", "ingress_buffer", "dynamic_quota"] => {
                put(&mut config.lossless_alpha, quota(value), at)
            }
            [section, rest @ ..] => match SECTIONS.iter().find(|(name, _)| name == section) {
                Some((_, section)) => self.section(*section, rest, value, at),
                None if OTHERS.contains(section) => true,
                // A group of ECN may stand without its section's name.
                None => match rest {
                    ["port_set"] => self.port_set(ECN, section, value, at),
                    [leaf] => self.ecn(section, leaf, value, at),
                    _ => false,
                },
            },
            [] => false,
        }
    }

    fn section(&mut self, section: Section, rest: &[&str], value: &str, at: Origin) -> bool {
        match rest {
            ["port_group_list"] => {
                for name in value.split(',').map(str::trim).filter(|n| !n.is_empty()) {
                    self.listed.insert((section, name.to_owned()), at);
                }
                true
            }
            [group, "port_set"] => self.port_set(section, group, value, at),
            [group, rest @ ..] => self.group(section, group, rest, value, at),
            [] => false,
        }
    }

    fn group(
        &mut self,
        section: Section,
        group: &str,
        rest: &[&str],
        value: &str,
        at: Origin,
    ) -> bool {
        let config = &mut *self.config;
        match (kind(section), rest) {
            (Some(Kind::Mapping | Kind::Remark), rest) => self.classify(group, rest, value, at),
            (Some(Kind::Pfc), ["cos_list"]) => {
                let set = match value.is_empty() {
                    true => Some(Default::default()),
                    false => priorities(value),
                };
                put(&mut config.pfc.make(group, at).priorities, set, at)
            }
            (Some(Kind::Pfc), [leaf]) => flow_control(config.pfc.make(group, at), leaf, value, at),
            (Some(Kind::LinkPause), [leaf]) => {
                flow_control(config.link_pause.make(group, at), leaf, value, at)
            }
            (Some(Kind::Congestion), [leaf]) => self.ecn(group, leaf, value, at),
            (Some(Kind::Scheduler), rest) => self.schedule(group, rest, value, at),
            (Some(Kind::Shaper), _) => true,
            _ => false,
        }
    }

    fn port_set(&mut self, section: Section, group: &str, value: &str, at: Origin) -> bool {
        let key = (section, group.to_owned());
        self.port_sets.insert(key, (value.to_owned(), at));
        !value.is_empty()
    }

    /// `packet_priority_source_set`, `cos_3.priority_source.dscp` and so on.
    fn classify(&mut self, group: &str, rest: &[&str], value: &str, at: Origin) -> bool {
        let config = &mut *self.config;
        let has = |word: &str| value.split(',').any(|field| field.trim() == word);
        match rest {
            ["packet_priority_source_set"] => {
                let trust = match (has("dscp"), has("802.1p"), has("port")) {
                    (true, true, false) => Some(Trust::Both),
                    (true, false, false) => Some(Trust::Dscp),
                    (false, true, false) => Some(Trust::Pcp),
                    (false, false, true) => Some(Trust::None),
                    _ => None,
                };
                put(&mut config.mapping.make(group, at).trust, trust, at)
            }
            ["port_default_priority"] => number(value, 7u8).is_some(),
            ["packet_priority_remark_set"] => {
                let place = &mut config.remark.make(group, at).rewrites_dscp;
                put(place, Some(has("dscp")), at)
            }
            [cos, what, field] => {
                let Some(cos) = cos.strip_prefix("cos_").and_then(|n| number(n, 7u8)) else {
                    return false;
                };
                match (*what, *field) {
                    // No value: the switch priority is not used.
                    ("priority_source", "dscp" | "8021p") if value.is_empty() => true,
                    ("priority_source", "dscp") => {
                        let map = &mut config.mapping.make(group, at).dscp;
                        map_to(map, value, 63, Some(cos), at)
                    }
                    ("priority_source", "8021p") => {
                        let map = &mut config.mapping.make(group, at).pcp;
                        map_to(map, value, 7, Some(cos), at)
                    }
                    ("priority_remark", "dscp") => {
                        let set = Set {
                            value: number(value, 63),
                            at,
                        };
                        let map = &mut config.remark.make(group, at).dscp;
                        map.insert(cos, set);
                        set.value.is_some()
                    }
                    ("priority_remark", "8021p") => number(value, 7u8).is_some(),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn ecn(&mut self, group: &str, leaf: &str, value: &str, at: Origin) -> bool {
        let known = [
            "cos_list",
            "ecn_enable",
            "egress_queue_list",
            "max_threshold_bytes",
            "min_threshold_bytes",
            "probability",
            "red_enable",
        ];
        if !known.contains(&leaf) {
            return false;
        }
        let ecn = self.ecn.entry(group.to_owned()).or_default();
        if !ecn.at.is_known() {
            ecn.at = at;
        }
        let marking = &mut ecn.marking;
        match leaf {
            "egress_queue_list" | "cos_list" => {
                ecn.queues = small_integers(value, 7).ok();
                ecn.queues.is_some()
            }
            "ecn_enable" => put(&mut marking.ecn, switch(value), at),
            "red_enable" => put(&mut marking.red, switch(value), at),
            "min_threshold_bytes" => put(&mut marking.min, number(value, u64::MAX), at),
            "max_threshold_bytes" => put(&mut marking.max, number(value, u64::MAX), at),
            _ => put(&mut marking.probability, number(value, 100), at),
        }
    }

    fn schedule(&mut self, group: &str, rest: &[&str], value: &str, at: Origin) -> bool {
        let all = self.config.scheduler.make(group, at);
        let [queue, "bw_percent"] = rest else {
            return false;
        };
        let queue = queue.strip_prefix("egr_queue_");
        let Some(queue) = queue.and_then(|n| number(n, 7u8)) else {
            return false;
        };
        let serving = all.entry(queue).or_default();
        match number(value, 100u8) {
            Some(0) => put(&mut serving.strict, Some(true), at),
            share => put(&mut serving.share, share, at),
        }
    }

    /// Binds the groups to their ports, once all lines are read.
    pub fn finish(mut self) {
        for (group, ecn) in std::mem::take(&mut self.ecn) {
            let classes = self.config.congestion.make(&group, ecn.at);
            for queue in ecn.queues.unwrap_or_default() {
                classes.insert(queue, ecn.marking.clone());
            }
        }
        for ((section, group), (ports, at)) in std::mem::take(&mut self.port_sets) {
            // A group that its list does not name is not in force.
            if self.listed.remove(&(section, group.clone())).is_none() {
                continue;
            }
            let config = &mut *self.config;
            let sets: &mut Interface = match ports.as_str() {
                "allports" => &mut config.all,
                _ => config.keys.make(&ports, at),
            };
            match kind(section) {
                Some(kind) => put(&mut sets.bound[kind as usize], Some(group), at),
                None => put(&mut sets.watchdog, Some(true), at),
            };
        }
        // A list that names a group without ports.
        let mut rest: Vec<_> = self.listed.into_iter().collect();
        rest.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        for ((_, group), at) in rest {
            let group: String = group.chars().take(80).collect();
            let text = format!("the port group {group} has no port_set");
            self.notes.add(NoteKind::Unresolved, None, text, at);
        }
    }
}

const ECN: Section = Section::Profile(Kind::Congestion as u8);

fn kind(section: Section) -> Option<Kind> {
    match section {
        Section::Profile(n) => Kind::ALL.get(usize::from(n)).copied(),
        Section::Watchdog => None,
    }
}

fn flow_control(profile: &mut FlowControl, leaf: &str, value: &str, at: Origin) -> bool {
    match leaf {
        "tx_enable" => put(&mut profile.tx, switch(value), at),
        "rx_enable" => put(&mut profile.rx, switch(value), at),
        "cable_length" => put(&mut profile.cable_m, number(value, 100_000), at),
        "port_buffer_bytes" => put(&mut profile.buffer, number(value, u64::MAX), at),
        "xoff_size" => put(&mut profile.xoff, number(value, u64::MAX), at),
        "xon_delta" => put(&mut profile.xon, number(value, u64::MAX), at),
        _ => false,
    }
}

/// `ALPHA_8`, or its number as older files write it: 0 is 0, 1 is 1/128, 15
/// has no limit (comments of `qos_infra.conf`).
fn quota(value: &str) -> Option<u64> {
    match number(value, 15u32) {
        None => alpha(value),
        Some(0) => Some(0),
        Some(15) => Some(u64::MAX),
        Some(n) => Some((1000u64 << n) / 256),
    }
}
