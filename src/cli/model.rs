//! `roceaudit model`.

use super::args::{Arguments, Model};
use super::{UNKNOWN, audit, error_stream, inventory, output};
use crate::audit::{ReadDevice, read_unit};
use crate::model::{Device, json};
use crate::report::escape::terminal;
use crate::source::{Places, Unit};
use rayon::prelude::*;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::json;
use std::cell::RefCell;
use std::io::Write;

/// Devices a thread that are read before they are written: no more models
/// are in memory.
const AHEAD: usize = 4;

pub fn run(arguments: &Arguments, verb: &Model) -> anyhow::Result<u8> {
    let selected = audit::selection("--device", &verb.from.device)?;
    let mut units = audit::units(&verb.from.sources, &verb.from.exclude)?;
    inventory::apply(verb.from.inventory.as_deref(), &mut units)?;
    units.retain(|unit| selected.matches(&unit.name));
    if units.is_empty() {
        anyhow::bail!("--device matches no device");
    }
    let devices = Devices {
        units: &units,
        origin: verb.origin,
        told: RefCell::default(),
    };
    let mut out = output(arguments.color);
    let written = write(&devices, &mut out);
    let told = devices.told.into_inner();
    let mut err = error_stream(arguments.color);
    for problem in told.problems {
        writeln!(err, "{problem}")?;
    }
    written?;
    Ok(if told.devices == 0 { UNKNOWN } else { 0 })
}

fn write(devices: &Devices<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let mut serializer = serde_json::Serializer::pretty(&mut *out);
    let mut root = serializer.serialize_map(None)?;
    root.serialize_entry("schema", json::SCHEMA)?;
    root.serialize_entry("devices", devices)?;
    SerializeMap::end(root)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// The devices of a source, read while they are written.
struct Devices<'a> {
    units: &'a [Unit],
    origin: bool,
    told: RefCell<Told>,
}

/// What reading told beside the models.
#[derive(Default)]
struct Told {
    devices: usize,
    problems: Vec<String>,
}

impl Serialize for Devices<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut devices = serializer.serialize_seq(None)?;
        for units in self.units.chunks(AHEAD * rayon::current_num_threads()) {
            let read: Vec<ReadDevice> = units.par_iter().map(read_unit).collect();
            for read in &read {
                let mut told = self.told.borrow_mut();
                told.problems.extend(problems(read));
                let Some(device) = &read.device else { continue };
                told.devices += 1;
                devices.serialize_element(&Shown {
                    device,
                    origins: self.origin.then_some(Origins { read, device }),
                })?;
            }
        }
        devices.end()
    }
}

fn problems(read: &ReadDevice) -> impl Iterator<Item = String> {
    read.problems.iter().map(|(check, note)| {
        let (name, text) = (terminal(&read.name), terminal(&note.text));
        format!("{name}: {check}: {text}")
    })
}

/// A device, with where its facts come from if that is asked for.
struct Shown<'a> {
    device: &'a Device,
    origins: Option<Origins<'a>>,
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        json::write_device(self.device, &mut map)?;
        if let Some(origins) = &self.origins {
            map.serialize_entry("origin", origins)?;
        }
        map.end()
    }
}

/// Where the facts of a device come from, by path.
struct Origins<'a> {
    read: &'a ReadDevice,
    device: &'a Device,
}

impl Serialize for Origins<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut places = Places::new(&self.read.captures);
        let mut written = Ok(());
        json::each_leaf(self.device, &mut |path, fact| {
            if fact.json().is_none() || written.is_err() {
                return;
            }
            let place = places.find(fact.at());
            let origin = json!({
                "kind": fact.kind().as_str(),
                "source": place.as_ref().map(|place| place.source),
                "line": place.as_ref().map(|place| place.line),
                "why": fact.because().map(|why| why.text()),
            });
            written = map.serialize_entry(path, &origin);
        });
        written?;
        map.end()
    }
}
