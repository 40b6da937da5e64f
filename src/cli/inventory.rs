//! `roceaudit inventory`.

use super::args::{Arguments, Inventory, InventoryAction};
use super::output;
use crate::audit::Cable;
use crate::inventory;
use crate::source::Unit;
use std::io::Write;

pub fn run(arguments: &Arguments, verb: &Inventory) -> anyhow::Result<u8> {
    let mut out = output(arguments.color);
    match &verb.action {
        InventoryAction::Check { files } => {
            for file in files {
                let inventory = inventory::Inventory::load(file)?;
                writeln!(
                    out,
                    "{file}: {} devices, {} cables",
                    inventory.devices.len(),
                    inventory.links.len()
                )?;
            }
        }
        InventoryAction::Schema => {
            serde_json::to_writer_pretty(&mut out, &inventory::json_schema())?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// Names, platforms and roles of an inventory for the devices of a source,
/// and the cables that it declares. A device that the source names by its
/// address gets its name.
pub(super) fn apply(file: Option<&str>, units: &mut [Unit]) -> anyhow::Result<Vec<Cable>> {
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let inventory = inventory::Inventory::load(file)?;
    for unit in units.iter_mut() {
        let by_address = || {
            let mut devices = inventory.devices.iter();
            devices.find(|device| device.address.as_ref() == Some(&unit.name))
        };
        let Some(device) = inventory.device(&unit.name).or_else(by_address) else {
            continue;
        };
        unit.name.clone_from(&device.name);
        unit.platform.clone_from(&device.platform);
        unit.role.clone_from(&device.role);
    }
    let own = |(device, port): (&str, &str)| (device.to_owned(), port.to_owned());
    Ok(inventory.links().map(|ends| ends.map(own)).collect())
}
