//! Follows a class of traffic through a port's own maps: code point → traffic
//! class → priority group and queue, and PFC priority → queue and group.
//!
//! Platforms number these differently inside; what counts is that a packet of
//! the class reaches the queue that the class's pause frames stop, and the
//! priority group that sends them.

use crate::model::{AnyFact, DeviceKind, Fact, Field, MapName, Port, Trust};
use crate::policy::Class;

/// One step through a map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The map says so.
    To(u8),
    /// The map is known and has no entry for it.
    Unmapped,
    /// The map, or this entry, is not known, and why.
    Unknown(String),
}

impl Step {
    /// Where it leads, where that is known.
    pub fn known(&self) -> Option<u8> {
        match self {
            Step::To(value) => Some(*value),
            Step::Unmapped | Step::Unknown(_) => None,
        }
    }

    /// The next step, from where this one leads.
    pub fn then(self, next: impl FnOnce(u8) -> Step) -> Step {
        match self {
            Step::To(value) => next(value),
            other => other,
        }
    }
}

/// A code point that a packet carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodePoint {
    /// Of the IP header.
    Dscp(u8),
    /// Of the VLAN tag.
    Pcp(u8),
}

impl std::fmt::Display for CodePoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CodePoint::Dscp(code) => write!(f, "DSCP {code}"),
            CodePoint::Pcp(code) => write!(f, "802.1p {code}"),
        }
    }
}

impl CodePoint {
    /// The map entry that classifies it.
    pub fn field(self) -> Field {
        match self {
            CodePoint::Dscp(code) => Field::MapEntry(MapName::DscpToTc, code),
            CodePoint::Pcp(code) => Field::MapEntry(MapName::PcpToTc, code),
        }
    }
}

/// The map by which the packets of a class are told on this port: of their
/// DSCP, unless the class gives only 802.1p code points, or gives both and the
/// port looks at the VLAN tag alone.
pub fn classifying_map(port: &Port, class: &Class) -> MapName {
    let by_tag = port.trust.get() == Some(Trust::Pcp) && !class.pcp.value.is_empty();
    if by_tag || class.dscp.value.is_empty() {
        MapName::PcpToTc
    } else {
        MapName::DscpToTc
    }
}

/// The code points of a class on this port.
pub fn code_points(port: &Port, class: &Class) -> Vec<CodePoint> {
    let dscp = class.dscp.value.iter().map(|code| CodePoint::Dscp(*code));
    let pcp = class.pcp.value.iter().map(|code| CodePoint::Pcp(*code));
    match classifying_map(port, class) {
        MapName::PcpToTc => pcp.collect(),
        _ => dscp.collect(),
    }
}

/// One step through a map of the port.
pub fn step(port: &Port, map: MapName, key: u8) -> Step {
    let fact = port.maps.get(map);
    match fact {
        Fact::Explicit(entries, _) | Fact::Default(entries, _, _) => match entries.value(key) {
            Some(value) => Step::To(value),
            None if entries.complete => Step::Unmapped,
            None => Step::Unknown(format!("the capture shows only a part of {map}")),
        },
        Fact::Unknown(why, _) => Step::Unknown(format!("{map}: {why}")),
        Fact::NotApplicable => Step::Unmapped,
    }
}

/// The traffic class of a packet with this code point, by its map. Whether the
/// port looks at the field at all is another question: trust.
pub fn traffic_class(port: &Port, code: CodePoint) -> Step {
    match code {
        CodePoint::Dscp(key) => step(port, MapName::DscpToTc, key),
        CodePoint::Pcp(key) => step(port, MapName::PcpToTc, key),
    }
}

/// The queue that a received pause frame of this priority stops.
pub fn paused_queue(port: &Port, priority: u8) -> Step {
    step(port, MapName::PfcToQueue, priority)
}

/// The priority group that sends pause frames of this priority: by its map,
/// else the group of the same number, as switches without such a map do.
pub fn pausing_group(port: &Port, priority: u8) -> Step {
    match step(port, MapName::PfcToPg, priority) {
        Step::Unmapped if !port.maps.get(MapName::PfcToPg).is_known() => Step::To(priority),
        Step::Unmapped => Step::Unmapped,
        known => known,
    }
}

/// The traffic class that carries a PFC priority on this port, whatever its
/// number: the one that is tied to the priority by queue and group, or by one
/// of them, or else the one of the same number. On hosts the priority itself.
pub fn carrying_class(port: &Port, kind: DeviceKind, priority: u8) -> u8 {
    if kind == DeviceKind::Host {
        return priority;
    }
    let tied = (0..=15).filter(|tc| carries(port, *tc, priority));
    let best = tied.max_by_key(|tc| (ties(port, *tc, priority), *tc == priority));
    best.unwrap_or(priority)
}

/// Whether a traffic class is tied to a PFC priority by queue or by group.
pub fn carries(port: &Port, tc: u8, priority: u8) -> bool {
    ties(port, tc, priority) > 0
}

/// By how many of its two ends a traffic class is tied to a PFC priority: the
/// queue that pause frames stop, the group that sends them.
fn ties(port: &Port, tc: u8, priority: u8) -> u8 {
    let tied = |own: Step, priority: Step| own.known().is_some_and(|own| priority == Step::To(own));
    let queue = step(port, MapName::TcToQueue, tc);
    let group = step(port, MapName::TcToPg, tc);
    u8::from(tied(queue, paused_queue(port, priority)))
        + u8::from(tied(group, pausing_group(port, priority)))
}

/// The PFC priority of a class: the policy's, else the one whose pause frames
/// stop the queue that the first code point of the class leads to.
pub fn class_priority(port: &Port, kind: DeviceKind, class: &Class) -> Step {
    if let Some(priority) = &class.priority {
        return Step::To(priority.value);
    }
    let tc = class_tc(port, kind, class);
    if kind == DeviceKind::Host {
        return tc;
    }
    let stopped_by = |queue| {
        let mut unknown = None;
        for priority in 0..8 {
            match paused_queue(port, priority) {
                Step::To(stopped) if stopped == queue => return Step::To(priority),
                Step::Unknown(why) => unknown = Some(Step::Unknown(why)),
                Step::To(_) | Step::Unmapped => {}
            }
        }
        unknown.unwrap_or(Step::Unmapped)
    };
    tc.then(|tc| step(port, MapName::TcToQueue, tc))
        .then(stopped_by)
}

/// The traffic class that the class is in, or belongs in where its code points
/// lead elsewhere: by its priority, else by its first code point.
pub fn class_tc(port: &Port, kind: DeviceKind, class: &Class) -> Step {
    let codes = code_points(port, class);
    let by_code = codes.first().map(|code| traffic_class(port, *code));
    match (&class.priority, by_code) {
        (Some(priority), Some(Step::To(tc)))
            if class.lossless.value && carries(port, tc, priority.value) =>
        {
            Step::To(tc)
        }
        (Some(priority), _) if class.lossless.value => {
            Step::To(carrying_class(port, kind, priority.value))
        }
        (_, Some(step)) => step,
        (_, None) => Step::Unknown("the class has no DSCP and no 802.1p code point".to_owned()),
    }
}

/// The egress queue of the class. Where the maps to and fro differ, the one
/// that is straight tells it: its fault is told by the check of the other.
pub fn class_queue(port: &Port, kind: DeviceKind, class: &Class) -> Step {
    let tc = class_tc(port, kind, class);
    let by_tc = tc.clone().then(|tc| step(port, MapName::TcToQueue, tc));
    let priority = class.priority.as_ref().filter(|_| class.lossless.value);
    let Some(priority) = priority.filter(|_| kind == DeviceKind::Switch) else {
        return by_tc;
    };
    match (&by_tc, paused_queue(port, priority.value)) {
        (Step::To(queue), Step::To(_)) if tc == Step::To(*queue) => by_tc,
        (_, Step::To(paused)) => Step::To(paused),
        _ => by_tc,
    }
}

/// The ingress priority group of the class: the one that sends its pause
/// frames, where it is known; that the class fills another is map/pg.
pub fn class_group(port: &Port, kind: DeviceKind, class: &Class) -> Step {
    let priority = class.priority.as_ref().filter(|_| class.lossless.value);
    if let Some(priority) = priority.filter(|_| kind == DeviceKind::Switch)
        && let Step::To(group) = pausing_group(port, priority.value)
        && port.priority_group(group).is_some()
    {
        return Step::To(group);
    }
    class_tc(port, kind, class).then(|tc| step(port, MapName::TcToPg, tc))
}

/// The kind of the fact that an address stands for, explicit where it is gone.
pub fn kind_of(port: &Port, field: &Field) -> crate::model::Kind {
    port.fact(field)
        .map_or(crate::model::Kind::Explicit, |fact: &dyn AnyFact| {
            fact.kind()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{left_out, map, part_of_map, stated, straight};
    use crate::policy;

    fn class(text: &str) -> Class {
        let policy = format!("version: 1\nclasses: {{roce: {text}}}\n");
        let set = policy::parse("policy.yaml", &policy).unwrap();
        let effective = set.effective(&policy::Subject::default());
        effective.class("roce").unwrap().clone()
    }

    const LOSSLESS: &str = "{dscp: [26], priority: 3, lossless: true}";

    /// DSCP 26 to traffic class `tc`, with the maps behind it.
    fn port(tc: u8, queues: &[(u8, u8)], paused: &[(u8, u8)]) -> Port {
        let mut port = Port::new("Ethernet0");
        port.maps.set(MapName::DscpToTc, map([(26, tc)]));
        port.maps.set(MapName::TcToQueue, straight(queues));
        port.maps.set(MapName::PfcToQueue, straight(paused));
        port.maps.set(MapName::TcToPg, straight(&[]));
        port.maps.set(MapName::PfcToPg, Fact::NotApplicable);
        port
    }

    #[test]
    fn steps() {
        let mut port = port(3, &[], &[]);
        assert_eq!(step(&port, MapName::DscpToTc, 26), Step::To(3));
        assert_eq!(step(&port, MapName::DscpToTc, 27), Step::Unmapped);
        port.maps.set(MapName::DscpToTc, part_of_map([(26, 3)]));
        assert_eq!(step(&port, MapName::DscpToTc, 26).known(), Some(3));
        let hidden = step(&port, MapName::DscpToTc, 27);
        assert!(matches!(hidden, Step::Unknown(_)));
        port.maps.set(MapName::DscpToTc, left_out());
        let unknown = step(&port, MapName::DscpToTc, 26);
        assert!(matches!(&unknown, Step::Unknown(why) if why.contains("dscp_to_tc")));
        assert_eq!(unknown.clone().then(|_| Step::To(0)), unknown);
    }

    #[test]
    fn the_class_that_carries_a_priority() {
        let switch = DeviceKind::Switch;
        assert_eq!(carrying_class(&port(3, &[], &[]), switch, 3), 3);
        // One end that is crooked does not move the class …
        assert_eq!(carrying_class(&port(3, &[(3, 5)], &[]), switch, 3), 3);
        assert_eq!(carrying_class(&port(3, &[], &[(3, 4)]), switch, 3), 3);
        // … both ends that lead to another number do.
        let mut other = port(4, &[], &[(3, 4)]);
        other.maps.set(MapName::PfcToPg, straight(&[(3, 4)]));
        assert_eq!(carrying_class(&other, switch, 3), 4);
        // Two ties outweigh one, and the same number.
        let mut joined = port(4, &[], &[(3, 4)]);
        joined.maps.set(MapName::TcToPg, straight(&[(4, 3)]));
        assert_eq!(carrying_class(&joined, switch, 3), 4);
        // A NIC knows only priorities.
        assert_eq!(carrying_class(&other, DeviceKind::Host, 3), 3);
    }

    #[test]
    fn a_wrong_code_point_does_not_move_the_class() {
        let wrong = port(1, &[], &[]);
        let class = class(LOSSLESS);
        let switch = DeviceKind::Switch;
        assert_eq!(class_tc(&wrong, switch, &class), Step::To(3));
        assert_eq!(class_queue(&wrong, switch, &class), Step::To(3));
        assert_eq!(class_group(&wrong, switch, &class), Step::To(3));
    }

    #[test]
    fn of_two_ends_that_differ_the_straight_one_tells_the_queue() {
        let class = class(LOSSLESS);
        let queue = |port: &Port| class_queue(port, DeviceKind::Switch, &class);
        assert_eq!(queue(&port(3, &[(3, 5)], &[])), Step::To(3));
        assert_eq!(queue(&port(3, &[], &[(3, 5)])), Step::To(3));
    }

    #[test]
    fn a_lossy_class_follows_its_code_point() {
        let class = class("{dscp: [26], priority: 3}");
        let tc = class_tc(&port(1, &[], &[]), DeviceKind::Switch, &class);
        assert_eq!(tc, Step::To(1));
        let queue = class_queue(&port(1, &[(1, 7)], &[]), DeviceKind::Switch, &class);
        assert_eq!(queue, Step::To(7));
    }

    #[test]
    fn the_priority_that_the_policy_leaves_out() {
        let class = class("{dscp: [26], lossless: true}");
        let switch = DeviceKind::Switch;
        let found = |port: &Port| class_priority(port, switch, &class);
        assert_eq!(found(&port(3, &[], &[])), Step::To(3));
        assert_eq!(found(&port(3, &[(3, 5)], &[])), Step::To(5));
        let mut none = port(3, &[], &[]);
        none.maps.set(MapName::PfcToQueue, map([(4, 4)]));
        assert_eq!(found(&none), Step::Unmapped);
        none.maps.set(MapName::PfcToQueue, part_of_map([(4, 4)]));
        assert!(matches!(found(&none), Step::Unknown(_)));
        let host = class_priority(&port(5, &[], &[]), DeviceKind::Host, &class);
        assert_eq!(host, Step::To(5));
    }

    #[test]
    fn code_points_by_what_the_port_looks_at() {
        let both = class("{dscp: [26], pcp: [3]}");
        let mut port = port(3, &[], &[]);
        assert_eq!(code_points(&port, &both), [CodePoint::Dscp(26)]);
        port.trust = stated(Trust::Both);
        assert_eq!(code_points(&port, &both), [CodePoint::Dscp(26)]);
        port.trust = stated(Trust::Pcp);
        assert_eq!(code_points(&port, &both), [CodePoint::Pcp(3)]);
        let dscp = class("{dscp: [26]}");
        assert_eq!(code_points(&port, &dscp), [CodePoint::Dscp(26)]);
    }
}
