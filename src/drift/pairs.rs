//! Which port of the old device is which of the new one.

use crate::model::{Device, Port};
use std::collections::HashMap;
use std::hash::Hash;

/// The ports of two models of one device, by their places in both.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pairs {
    /// In both; renamed ones too.
    pub both: Vec<(usize, usize)>,
    /// Only in the new one.
    pub added: Vec<usize>,
    /// Only in the old one.
    pub removed: Vec<usize>,
    /// In both, with another name.
    pub renamed: Vec<(usize, usize)>,
}

/// Pairs ports by name. Those that are left are the same where the same cable,
/// or the same description, speaks for just one of each side.
pub(super) fn ports(old: &Device, new: &Device) -> Pairs {
    let mut pairs = Pairs::default();
    let by_name: HashMap<&str, usize> = old
        .ports
        .iter()
        .enumerate()
        .map(|(n, port)| (port.name.as_str(), n))
        .collect();
    let mut paired = vec![false; old.ports.len()];
    for (m, port) in new.ports.iter().enumerate() {
        // Devices keep their order, so that the same place is most often right.
        let same_place = old.ports.get(m).is_some_and(|p| p.name == port.name);
        let n = match same_place {
            true => Some(m),
            false => by_name.get(port.name.as_str()).copied(),
        };
        match n.filter(|n| !paired.get(*n).copied().unwrap_or(true)) {
            Some(n) => {
                paired[n] = true;
                pairs.both.push((n, m));
            }
            None => pairs.added.push(m),
        }
    }
    pairs.removed = (0..old.ports.len()).filter(|n| !paired[*n]).collect();
    rename(&mut pairs, old, new, |port| {
        let peer = port.peer.as_ref()?;
        Some((peer.device.clone(), peer.port.clone()?))
    });
    rename(&mut pairs, old, new, |port| {
        port.description
            .value()
            .filter(|text| !text.is_empty())
            .cloned()
    });
    pairs
}

fn rename<K: Hash + Eq>(
    pairs: &mut Pairs,
    old: &Device,
    new: &Device,
    mark: impl Fn(&Port) -> Option<K>,
) {
    if pairs.added.is_empty() || pairs.removed.is_empty() {
        return;
    }
    let (removed, added) = (
        unique(&pairs.removed, &old.ports, &mark),
        unique(&pairs.added, &new.ports, &mark),
    );
    for (mark, n) in removed {
        let (Some(n), Some(Some(m))) = (n, added.get(&mark)) else {
            continue;
        };
        pairs.both.push((n, *m));
        pairs.renamed.push((n, *m));
        pairs.removed.retain(|other| *other != n);
        pairs.added.retain(|other| other != m);
    }
    pairs.renamed.sort_by_key(|(_, m)| *m);
}

/// The ports by their mark; `None` where several bear it.
fn unique<K: Hash + Eq>(
    places: &[usize],
    ports: &[Port],
    mark: impl Fn(&Port) -> Option<K>,
) -> HashMap<K, Option<usize>> {
    let mut marks = HashMap::new();
    for n in places {
        if let Some(mark) = ports.get(*n).and_then(&mark) {
            let known = marks.entry(mark).or_insert(Some(*n));
            if *known != Some(*n) {
                *known = None;
            }
        }
    }
    marks
}
