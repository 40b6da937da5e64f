//! `roceaudit model`.

use super::args::{Arguments, Model};
use super::{UNKNOWN, audit, error_stream, inventory, output};
use crate::audit::{ReadDevice, read_unit};
use crate::model::json;
use crate::report::escape::terminal;
use crate::source::Places;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::io::Write;

pub fn run(arguments: &Arguments, verb: &Model) -> anyhow::Result<u8> {
    let selected = audit::selection("--device", &verb.from.device)?;
    let mut units = audit::units(&verb.from.sources, &verb.from.exclude)?;
    inventory::apply(verb.from.inventory.as_deref(), &mut units)?;
    units.retain(|unit| selected.matches(&unit.name));
    if units.is_empty() {
        anyhow::bail!("--device matches no device");
    }
    let devices: Vec<(Option<Value>, Vec<String>)> = units
        .par_iter()
        .map(|unit| {
            let read = read_unit(unit);
            let problems = read.problems.iter().map(|(check, note)| {
                format!(
                    "{}: {check}: {}",
                    terminal(&read.name),
                    terminal(&note.text)
                )
            });
            (value(&read, verb.origin), problems.collect())
        })
        .collect();
    let mut err = error_stream(arguments.color);
    for problem in devices.iter().flat_map(|(_, problems)| problems) {
        writeln!(err, "{problem}")?;
    }
    let devices: Vec<Value> = devices
        .into_iter()
        .filter_map(|(device, _)| device)
        .collect();
    let none = devices.is_empty();
    let mut out = output(arguments.color);
    serde_json::to_writer_pretty(
        &mut out,
        &json!({"schema": json::SCHEMA, "devices": devices}),
    )?;
    writeln!(out)?;
    out.flush()?;
    Ok(if none { UNKNOWN } else { 0 })
}

fn value(read: &ReadDevice, origin: bool) -> Option<Value> {
    let device = read.device.as_ref()?;
    let mut value = json::device(device);
    if origin {
        let mut places = Places::new(&read.captures);
        let mut origins = Map::new();
        json::each_leaf(device, &mut |path, fact| {
            if fact.json().is_none() {
                return;
            }
            let place = places.find(fact.at());
            origins.insert(
                path.to_owned(),
                json!({
                    "kind": fact.kind().as_str(),
                    "source": place.as_ref().map(|place| place.source),
                    "line": place.as_ref().map(|place| place.line),
                    "why": fact.because().map(|why| why.text()),
                }),
            );
        });
        value["origin"] = Value::Object(origins);
    }
    Some(value)
}
