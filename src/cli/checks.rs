//! `roceaudit checks`.

use super::args::{Arguments, Checks, Format};
use super::{output, width};
use crate::check::{Judges, Needs, registry};
use crate::report::text::wrap;
use serde_json::{Value, json};
use std::io::Write;

pub fn run(arguments: &Arguments, verb: &Checks) -> anyhow::Result<u8> {
    let mut out = output(arguments.color);
    match verb.format {
        Format::Text => {
            for check in registry() {
                let about = check.about();
                let severity = about.severity.to_string();
                let line = format!("{:<22} {severity:<9} {}", about.id, about.title);
                for line in wrap(&line, width(), &" ".repeat(33)) {
                    writeln!(out, "{line}")?;
                }
            }
        }
        Format::Json => {
            let checks: Vec<Value> = registry()
                .iter()
                .map(|check| {
                    let about = check.about();
                    json!({
                        "check": about.id,
                        "area": about.area(),
                        "severity": about.severity.to_string(),
                        "needs": needs(about.needs),
                        "judges": judges(about.judges),
                        "title": about.title,
                    })
                })
                .collect();
            serde_json::to_writer_pretty(&mut out, &checks)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// The kind of facts in a word.
pub(super) fn needs(needs: Needs) -> &'static str {
    match needs {
        Needs::Config => "configuration",
        Needs::Operational => "operational state",
        Needs::Counters => "counters",
        Needs::Peers => "neighbours",
    }
}

/// The devices in a word.
pub(super) fn judges(judges: Judges) -> &'static str {
    match judges {
        Judges::Switches => "switches",
        Judges::Hosts => "hosts",
        Judges::All => "switches and hosts",
    }
}
