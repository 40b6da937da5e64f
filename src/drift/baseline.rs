//! Drift: a source against the baseline in force. Devices whose captures did
//! not change are known by their hash, and neither side of them is read.

use super::store::{Baseline, Record, Store, StoreError, captures_hash, redacted};
use super::{Diff, Unread, sources};
use crate::audit::Judge;
use crate::source::Unit;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Devices of which both sides are held at a time.
const AT_A_TIME: usize = 256;

/// Why a source can't be compared with a baseline.
#[derive(Debug, thiserror::Error)]
pub enum DriftError {
    /// The store's.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They have no device in common.
    #[error(
        "the baseline is of another fabric: none of its devices ({theirs}, …) is in this \
         source ({ours}, …)"
    )]
    AnotherFabric {
        /// A device of the baseline.
        theirs: String,
        /// A device of the source.
        ours: String,
    },
}

/// What differs of a source from a baseline.
///
/// # Errors
/// A stored device that can't be read; a baseline of another fabric.
pub fn drift(
    store: &Store,
    baseline: &Baseline,
    units: &[Unit],
    judge: &Judge<'_>,
) -> Result<Diff, DriftError> {
    if let (Some(ours), Some(theirs)) = (units.first(), baseline.devices.keys().next())
        && !units
            .iter()
            .any(|unit| baseline.devices.contains_key(&unit.name))
    {
        return Err(DriftError::AnotherFabric {
            theirs: theirs.clone(),
            ours: ours.name.clone(),
        });
    }
    let changed: Vec<(&Unit, Option<&Record>)> = units
        .par_iter()
        .map(|unit| (unit, baseline.devices.get(&unit.name)))
        .filter(|(unit, record)| record.is_none_or(|record| !is_same(unit, record)))
        .collect();
    let mut diff = Diff {
        compared: units.len() - changed.len(),
        ..Diff::default()
    };
    let names: BTreeSet<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    let differ: BTreeSet<&str> = changed.iter().map(|(unit, _)| unit.name.as_str()).collect();
    for unit in units.iter().filter(|unit| !differ.contains(&*unit.name)) {
        let unread = |record: &&Record| !["audited", "partial"].contains(&&*record.status);
        if let Some(record) = baseline.devices.get(&unit.name).filter(unread) {
            diff.unread.push(Unread {
                device: unit.name.as_str().into(),
                why: format!("it is {}", record.status),
            });
        }
    }
    let (both, came): (Vec<_>, Vec<_>) = changed.iter().partition(|(_, record)| record.is_some());
    for chunk in both.chunks(AT_A_TIME) {
        let old = chunk
            .par_iter()
            .filter_map(|(unit, record)| Some(old(store, &unit.name, (*record)?)))
            .collect::<Result<Vec<Unit>, StoreError>>()?;
        let new: Vec<Unit> = chunk
            .par_iter()
            .map(|(unit, _)| without_secrets(unit))
            .collect();
        diff.extend(sources(&old, &new, judge));
    }
    // What is left may be the same devices under other names.
    let gone = baseline
        .devices
        .iter()
        .filter(|(name, _)| !names.contains(name.as_str()));
    let gone = gone
        .map(|(name, record)| old(store, name, record))
        .collect::<Result<Vec<Unit>, StoreError>>()?;
    let came: Vec<Unit> = came.iter().map(|(unit, _)| without_secrets(unit)).collect();
    diff.extend(sources(&gone, &came, judge));
    Ok(diff)
}

fn is_same(unit: &Unit, record: &Record) -> bool {
    let mut loaded = unit.load();
    if !loaded.problems.is_empty() || loaded.clash.is_some() {
        return false;
    }
    redacted(&mut loaded);
    captures_hash(&loaded.captures) == record.captures
}

fn old(store: &Store, name: &str, record: &Record) -> Result<Unit, StoreError> {
    Ok(store.device(name, record)?.unit())
}

/// The unit as it would be stored, so that both sides are read alike. One that
/// can't be loaded whole stays as it is: its problems are to be told.
fn without_secrets(unit: &Unit) -> Unit {
    let mut loaded = unit.load();
    if !loaded.problems.is_empty() || loaded.clash.is_some() {
        return unit.clone();
    }
    redacted(&mut loaded);
    let mut stored = Unit::of_captures(unit.name.clone(), loaded.captures);
    stored.platform.clone_from(&unit.platform);
    stored.role.clone_from(&unit.role);
    stored
}
