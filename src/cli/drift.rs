//! `roceaudit drift`.

use super::args::{Arguments, Drift};
use super::{audit, baseline, diff, inventory};
use crate::drift::baseline::drift;

pub fn run(arguments: &Arguments, verb: &Drift) -> anyhow::Result<u8> {
    let Some(policy) = diff::policy(arguments, &verb.how.policy)? else {
        return Ok(super::USAGE);
    };
    let store = baseline::open(&verb.store)?;
    let (_, mut accepted) = match &verb.baseline {
        Some(id) => store.find(id)?,
        None => store.in_force()?,
    };
    let mut units = audit::units(&verb.sources, &verb.how.exclude)?;
    inventory::apply(verb.how.inventory.as_deref(), &mut units)?;
    let selection = audit::selection("--device", &verb.how.device)?;
    units.retain(|unit| selection.matches(&unit.name));
    accepted.devices.retain(|name, _| selection.matches(name));
    if units.is_empty() && accepted.devices.is_empty() {
        anyhow::bail!("--device matches no device");
    }
    let options = diff::options();
    let judge = crate::audit::Judge::new(&policy, &options)?;
    let differs = drift(&store, &accepted, &units, &judge)?;
    diff::tell(arguments, &verb.how, &differs)
}
