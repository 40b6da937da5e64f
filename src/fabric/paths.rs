//! Which hops lie on the ways between hosts, without walking pair by pair.
//!
//! Assumed is what Clos fabrics do: a packet goes up towards larger levels,
//! then down, and never up again; the level of a switch is its distance from
//! the nearest host. Switches of the top level that are joined to each other
//! pass traffic on between them. No packet is flooded, and no link that is
//! down is gone around. Cost grows with the links.

use super::links::{Fabric, PortId};
use crate::model::DeviceKind;
use std::collections::VecDeque;

/// A set of hosts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hosts(Vec<u64>);

impl Hosts {
    fn none(count: usize) -> Self {
        Hosts(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, host: usize) {
        if let Some(word) = self.0.get_mut(host / 64) {
            *word |= 1 << (host % 64);
        }
    }

    fn add(&mut self, other: &Hosts) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn without(&self, other: &Hosts) -> Hosts {
        let words = self.0.iter().zip(&other.0);
        Hosts(words.map(|(word, less)| word & !less).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Whether both have a host in common.
    pub fn meets(&self, other: &Hosts) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// A cable in one direction, on some way between two hosts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// The port that packets leave by.
    pub egress: PortId,
    /// The port that they arrive at.
    pub ingress: PortId,
    /// The hosts whose packets can cross.
    pub senders: Hosts,
    /// The hosts that they can be for.
    pub receivers: Hosts,
}

/// The ways between hosts.
#[derive(Debug)]
pub struct Paths {
    /// By device: its distance from the nearest host; hosts have 0.
    pub levels: Vec<Option<u32>>,
    /// By device: its place among the hosts.
    pub hosts: Vec<Option<usize>>,
    /// Each cable in each direction that lies on some way, in the order of
    /// the links.
    pub crossings: Vec<Crossing>,
}

impl Paths {
    /// Of a fabric.
    pub fn new(fabric: &Fabric) -> Self {
        let hosts = hosts(fabric);
        let count = hosts.iter().flatten().count();
        let levels = levels(fabric);
        let mut order: Vec<usize> = (0..fabric.nodes.len())
            .filter(|node| levels[*node].is_some())
            .collect();
        order.sort_by_key(|node| levels[*node]);

        let mut below = vec![Hosts::none(count); fabric.nodes.len()];
        for &node in &order {
            let mut own = Hosts::none(count);
            if let Some(host) = hosts[node] {
                own.insert(host);
            } else {
                for (_, other) in fabric.neighbours(node) {
                    if levels[other.node as usize] < levels[node] {
                        own.add(&below[other.node as usize]);
                    }
                }
            }
            below[node] = own;
        }
        let reach = reach(fabric, &levels, &below, &order, count);
        let mut crossings = Vec::new();
        for link in &fabric.links {
            for (egress, ingress) in [(link.a, link.b), (link.b, link.a)] {
                let (from, to) = (egress.node as usize, ingress.node as usize);
                let (senders, receivers) = match levels[from].cmp(&levels[to]) {
                    std::cmp::Ordering::Less => {
                        (below[from].clone(), reach[to].without(&below[from]))
                    }
                    std::cmp::Ordering::Greater => {
                        (reach[from].without(&below[to]), below[to].clone())
                    }
                    std::cmp::Ordering::Equal if is_top(fabric, &levels, from) => (
                        reach[from].without(&below[to]),
                        reach[to].without(&below[from]),
                    ),
                    std::cmp::Ordering::Equal => continue,
                };
                if !senders.is_empty() && !receivers.is_empty() {
                    crossings.push(Crossing {
                        egress,
                        ingress,
                        senders,
                        receivers,
                    });
                }
            }
        }
        Paths {
            levels,
            hosts,
            crossings,
        }
    }

    /// Number of hosts.
    pub fn host_count(&self) -> usize {
        self.hosts.iter().flatten().count()
    }

    /// The hosts among these devices.
    pub fn set(&self, nodes: impl Iterator<Item = usize>) -> Hosts {
        let mut set = Hosts::none(self.host_count());
        for node in nodes {
            if let Some(host) = self.hosts.get(node).copied().flatten() {
                set.insert(host);
            }
        }
        set
    }
}

/// Hosts with a link, counted.
fn hosts(fabric: &Fabric) -> Vec<Option<usize>> {
    let mut count = 0;
    let of = |(n, node): (usize, &super::Node)| {
        let linked = fabric.neighbours(n).next().is_some();
        (node.kind == DeviceKind::Host && linked).then(|| {
            count += 1;
            count - 1
        })
    };
    fabric.nodes.iter().enumerate().map(of).collect()
}

fn levels(fabric: &Fabric) -> Vec<Option<u32>> {
    let mut levels: Vec<Option<u32>> = vec![None; fabric.nodes.len()];
    let mut queue = VecDeque::new();
    for (n, node) in fabric.nodes.iter().enumerate() {
        if node.kind == DeviceKind::Host {
            levels[n] = Some(0);
            queue.push_back((n, 0));
        }
    }
    while let Some((node, level)) = queue.pop_front() {
        for (_, other) in fabric.neighbours(node) {
            let other = other.node as usize;
            if levels[other].is_none() {
                levels[other] = Some(level + 1);
                queue.push_back((other, level + 1));
            }
        }
    }
    levels
}

/// Whether no neighbour of the device is on a higher level.
pub(super) fn is_top(fabric: &Fabric, levels: &[Option<u32>], node: usize) -> bool {
    let mut others = fabric
        .neighbours(node)
        .map(|(_, other)| other.node as usize);
    others.all(|other| levels[other] <= levels[node])
}

/// By device: the hosts that a packet there can still get to, or come from.
fn reach(
    fabric: &Fabric,
    levels: &[Option<u32>],
    below: &[Hosts],
    order: &[usize],
    count: usize,
) -> Vec<Hosts> {
    let mut reach = below.to_vec();
    let mut done = vec![false; fabric.nodes.len()];
    for &node in order.iter().rev() {
        if done[node] {
            continue;
        }
        if is_top(fabric, levels, node) {
            let side = side_by_side(fabric, levels, node);
            let mut all = Hosts::none(count);
            side.iter().for_each(|n| all.add(&below[*n]));
            for n in side {
                reach[n] = all.clone();
                done[n] = true;
            }
            continue;
        }
        let mut own = below[node].clone();
        for (_, other) in fabric.neighbours(node) {
            if levels[other.node as usize] > levels[node] {
                own.add(&reach[other.node as usize]);
            }
        }
        reach[node] = own;
        done[node] = true;
    }
    reach
}

/// The devices of the top level that are joined to this one side by side.
fn side_by_side(fabric: &Fabric, levels: &[Option<u32>], node: usize) -> Vec<usize> {
    let mut side = vec![node];
    let mut next = 0;
    while let Some(&one) = side.get(next) {
        next += 1;
        for (_, other) in fabric.neighbours(one) {
            let other = other.node as usize;
            if levels[other] == levels[node]
                && !side.contains(&other)
                && is_top(fabric, levels, other)
            {
                side.push(other);
            }
        }
    }
    side
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::links::tests::node;
    use crate::model::DeviceKind::{Host, Switch};

    fn crossings(fabric: &Fabric) -> Vec<String> {
        let paths = Paths::new(fabric);
        let crossing = |c: &Crossing| {
            format!(
                "{} > {}: {} to {}",
                fabric.node(c.egress).name,
                fabric.node(c.ingress).name,
                c.senders.len(),
                c.receivers.len()
            )
        };
        let mut all: Vec<String> = paths.crossings.iter().map(crossing).collect();
        all.sort();
        all
    }

    #[test]
    fn a_leaf_and_spine_fabric_is_crossed_up_and_down() {
        let fabric = Fabric::join(
            vec![
                node("g1", Host, &[("e", "l1:1")]),
                node("g2", Host, &[("e", "l1:2")]),
                node("g3", Host, &[("e", "l2:1")]),
                node(
                    "l1",
                    Switch,
                    &[("1", ""), ("2", ""), ("u", "s1:1"), ("p", "l2:p")],
                ),
                node("l2", Switch, &[("1", ""), ("u", "s1:2"), ("p", "")]),
                node("s1", Switch, &[("1", ""), ("2", "")]),
            ],
            &[],
        );
        assert_eq!(
            crossings(&fabric),
            [
                "g1 > l1: 1 to 2",
                "g2 > l1: 1 to 2",
                "g3 > l2: 1 to 2",
                "l1 > g1: 2 to 1",
                "l1 > g2: 2 to 1",
                "l1 > s1: 2 to 1",
                "l2 > g3: 2 to 1",
                "l2 > s1: 1 to 2",
                "s1 > l1: 1 to 2",
                "s1 > l2: 2 to 1",
            ],
            "the peer link of the leaves is on no way"
        );
        assert_eq!(Paths::new(&fabric).levels.last(), Some(&Some(2)));
    }

    #[test]
    fn leaves_without_spines_reach_each_other_side_by_side() {
        let fabric = Fabric::join(
            vec![
                node("g1", Host, &[("e", "l1:1")]),
                node("g2", Host, &[("e", "l2:1")]),
                node("g3", Host, &[("e", "l3:1")]),
                node("l1", Switch, &[("1", ""), ("r", "l2:l")]),
                node("l2", Switch, &[("1", ""), ("l", ""), ("r", "l3:l")]),
                node("l3", Switch, &[("1", ""), ("l", "")]),
            ],
            &[],
        );
        let all = crossings(&fabric);
        assert!(all.contains(&"l1 > l2: 2 to 2".to_owned()), "{all:?}");
    }

    #[test]
    fn one_host_alone_has_no_way() {
        let fabric = Fabric::join(
            vec![
                node("g1", Host, &[("e", "l1:1")]),
                node("l1", Switch, &[("1", ""), ("u", "s1:1")]),
                node("s1", Switch, &[("1", "")]),
            ],
            &[],
        );
        assert_eq!(crossings(&fabric), Vec::<String>::new());
        assert_eq!(crossings(&Fabric::default()), Vec::<String>::new());
    }
}
