//! Interfaces, each with the keys (`swp1-4,swp6`) that name it and those of
//! its bond.

use super::config::{Config, Interface, Kind, Said, Set};
use super::names::{expand, is_port};
use crate::model::NoteKind;
use crate::platform::notes::Notes;
use std::collections::{BTreeMap, HashMap};

/// More names than all keys of a switch together stand for.
const MOST_NAMES: usize = 1 << 20;

/// What holds on one interface: keys that name it, then those of its bond.
#[derive(Default)]
pub struct Layers<'c> {
    /// Keys that name it.
    pub own: Vec<&'c Interface>,
    /// Keys that name its bond.
    pub bond: Vec<&'c Interface>,
}

/// The last line of several keys that sets something.
fn last<'c, T>(
    layers: &[&'c Interface],
    get: impl Fn(&'c Interface) -> &'c Said<T>,
) -> Option<&'c Set<T>> {
    let sets = layers.iter().filter_map(|layer| get(layer).as_ref());
    sets.max_by_key(|set| set.at)
}

impl<'c> Layers<'c> {
    /// The last of its own lines.
    pub fn own<T>(&self, get: impl Fn(&'c Interface) -> &'c Said<T>) -> Option<&'c Set<T>> {
        last(&self.own, get)
    }

    /// The bond's, where it sets it, as Linux does for the MTU.
    pub fn bond_first<T>(&self, get: impl Fn(&'c Interface) -> &'c Said<T>) -> Option<&'c Set<T>> {
        last(&self.bond, &get).or_else(|| last(&self.own, &get))
    }

    /// The profile of a kind that it names, or its bond does.
    pub fn profile(&self, kind: Kind) -> Option<&'c Set<String>> {
        let get = |layer: &'c Interface| &layer.bound[kind as usize];
        last(&self.own, get).or_else(|| last(&self.bond, get))
    }
}

/// All interfaces that keys name, each with its keys.
pub fn interfaces<'c>(config: &'c Config, notes: &mut Notes) -> HashMap<String, Layers<'c>> {
    let mut all: HashMap<String, Layers<'c>> = HashMap::new();
    let mut count = 0;
    for (name, at, sets) in config.keys.all() {
        let Some(names) = expand(name) else {
            let text = format!("`{}` is no list of interfaces", shown(name));
            notes.add(NoteKind::Unparsed, None, text, at);
            continue;
        };
        count += names.len();
        if count > MOST_NAMES {
            let text = "the keys name more interfaces than a switch has".to_owned();
            notes.add(NoteKind::Failed, None, text, at);
            break;
        }
        for name in names {
            all.entry(name).or_default().own.push(sets);
        }
    }
    all
}

/// A name of a hostile capture, cut short.
pub fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Gives the members of bonds what is set on their bond; the members of each.
pub fn bonds<'c>(
    all: &mut HashMap<String, Layers<'c>>,
    notes: &mut Notes,
) -> BTreeMap<String, Vec<String>> {
    let mut bonds = BTreeMap::new();
    let mut count = 0;
    let is_bond = |layers: &Layers<'_>| layers.own.iter().any(|key| !key.members.is_empty());
    let names = all.iter().filter(|(_, layers)| is_bond(layers));
    let mut names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
    names.sort_unstable();
    for bond in names {
        let Some(keys) = all.get(&bond).map(|layers| layers.own.clone()) else {
            continue;
        };
        let mut members = Vec::new();
        for (list, at) in keys.iter().flat_map(|key| &key.members) {
            let Some(names) = expand(list).filter(|_| count < MOST_NAMES) else {
                let text = format!("`{}` is no list of bond members", shown(list));
                notes.add(NoteKind::Unparsed, None, text, *at);
                continue;
            };
            count += names.len();
            members.extend(names.into_iter().filter(|name| is_port(name)));
        }
        members.sort_unstable();
        members.dedup();
        for member in &members {
            let layers = all.entry(member.clone()).or_default();
            layers.bond.extend(&keys);
        }
        if let Some(set) = last(&keys, |key| &key.watchdog) {
            let text = format!("{bond}: the PFC watchdog can't be set on a bond, only on members");
            notes.add(NoteKind::Remark, None, text, set.at);
        }
        bonds.insert(bond, members);
    }
    bonds
}
