//! Circles in which pause can wait for pause.
//!
//! A packet that arrived over one cable and leaves over the next holds buffer
//! of the first until the second takes it. Where lossless cables wait for each
//! other in a circle, one pause can stop them all for good. Ways that go up
//! and then down never close a circle; switches of the top level that pass
//! traffic on among themselves can (S. Hu et al., "Deadlocks in Datacenter
//! Networks: Why Do They Form, and How to Avoid Them", HotNets 2016).

use super::links::{Fabric, PortId};
use super::paths::{Paths, is_top};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The first circle of cables that wait for each other, if there is any: the
/// ports by which packets leave, in the order of the circle.
///
/// Assumed are shortest ways, without flooding and without links that are
/// down; `lossless` tells whether pause is sent and obeyed over a cable.
pub fn circle(
    fabric: &Fabric,
    paths: &Paths,
    lossless: &dyn Fn(PortId, PortId) -> bool,
) -> Option<Vec<PortId>> {
    let waits = sideways(fabric, paths, lossless);
    let mut done: BTreeSet<PortId> = BTreeSet::new();
    for start in waits.keys() {
        if let Some(circle) = walk(*start, &waits, &mut done) {
            return Some(circle);
        }
    }
    None
}

type Waits = BTreeMap<PortId, BTreeSet<PortId>>;

/// Which cable waits for which, among switches of the top level: those that
/// follow each other on some shortest way between two of them.
fn sideways(fabric: &Fabric, paths: &Paths, lossless: &dyn Fn(PortId, PortId) -> bool) -> Waits {
    let mut waits = Waits::new();
    let levels = &paths.levels;
    let top = |node: usize| levels[node].is_some() && is_top(fabric, levels, node);
    let beside = |node: usize| {
        let neighbours = fabric.neighbours(node);
        neighbours.filter(move |(_, other)| {
            levels[other.node as usize] == levels[node] && top(other.node as usize)
        })
    };
    for first in (0..fabric.nodes.len()).filter(|node| top(*node)) {
        // Breadth first; each cable that leads one step further follows those
        // that led to where it starts.
        let mut distance = BTreeMap::from([(first, 0u32)]);
        let mut arrived: BTreeMap<usize, Vec<PortId>> = BTreeMap::new();
        let mut queue = VecDeque::from([first]);
        while let Some(node) = queue.pop_front() {
            let far = distance[&node] + 1;
            for (egress, ingress) in beside(node) {
                let next = ingress.node as usize;
                if !lossless(egress, ingress) || distance.get(&next).is_some_and(|d| *d < far) {
                    continue;
                }
                if distance.insert(next, far).is_none() {
                    queue.push_back(next);
                }
                for before in arrived.get(&node).into_iter().flatten() {
                    waits.entry(*before).or_default().insert(egress);
                }
                arrived.entry(next).or_default().push(egress);
            }
        }
    }
    waits
}

/// Walks on from a cable until a circle closes.
fn walk(start: PortId, waits: &Waits, done: &mut BTreeSet<PortId>) -> Option<Vec<PortId>> {
    let next = |port: &PortId| -> Vec<PortId> {
        let next = waits.get(port).into_iter().flatten();
        next.copied().collect()
    };
    let mut way = vec![start];
    let mut open = vec![next(&start)];
    while let Some(choices) = open.last_mut() {
        match choices.pop() {
            Some(port) => {
                if let Some(from) = way.iter().position(|other| *other == port) {
                    return Some(way.split_off(from));
                }
                if !done.contains(&port) {
                    way.push(port);
                    open.push(next(&port));
                }
            }
            None => {
                open.pop();
                done.extend(way.pop());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::links::tests::node;
    use crate::model::DeviceKind::{Host, Switch};

    /// Switches in a ring, a host on each.
    fn ring(count: usize) -> Fabric {
        let mut nodes = Vec::new();
        for n in 0..count {
            let host = format!("s{n}:h");
            nodes.push(node(&format!("g{n}"), Host, &[("e", &host)]));
            let right = format!("s{}:l", (n + 1) % count);
            nodes.push(node(
                &format!("s{n}"),
                Switch,
                &[("h", ""), ("r", &right), ("l", "")],
            ));
        }
        Fabric::join(nodes, &[])
    }

    fn names(fabric: &Fabric, lossless: bool) -> Option<Vec<String>> {
        let circle = circle(fabric, &Paths::new(fabric), &|_, _| lossless)?;
        Some(circle.into_iter().map(|port| fabric.name(port)).collect())
    }

    #[test]
    fn a_ring_of_four_closes_and_one_of_three_does_not() {
        let found = names(&ring(4), true).unwrap();
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(
            found.iter().all(|port| port.ends_with(" r"))
                || found.iter().all(|port| port.ends_with(" l"))
        );
        // Each pair is joined directly: no packet crosses two cables.
        assert_eq!(names(&ring(3), true), None);
        assert_eq!(names(&ring(4), false), None);
    }

    #[test]
    fn up_and_down_never_closes() {
        let fabric = Fabric::join(
            vec![
                node("g1", Host, &[("e", "l1:1")]),
                node("g2", Host, &[("e", "l2:1")]),
                node(
                    "l1",
                    Switch,
                    &[("1", ""), ("a", "s1:1"), ("b", "s2:1"), ("p", "l2:p")],
                ),
                node(
                    "l2",
                    Switch,
                    &[("1", ""), ("a", "s1:2"), ("b", "s2:2"), ("p", "")],
                ),
                node("s1", Switch, &[("1", ""), ("2", ""), ("p", "s2:p")]),
                node("s2", Switch, &[("1", ""), ("2", ""), ("p", "")]),
            ],
            &[],
        );
        assert_eq!(names(&fabric, true), None);
    }
}
