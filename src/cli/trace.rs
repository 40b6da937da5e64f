//! `roceaudit trace`.

use super::args::{Arguments, Format, Trace};
use super::{UNKNOWN, audit, colored_errors, error_stream, inventory, output};
use crate::audit::{Survey, survey};
use crate::fabric::trace::{Direction, End, State, Tracer};
use crate::model::DeviceKind;
use crate::policy::PolicySet;
use crate::report::trace::{Traces, json, text};
use anyhow::{Context, bail};
use std::io::Write;

pub fn run(arguments: &Arguments, verb: &Trace) -> anyhow::Result<u8> {
    let policy = match audit::load_policy(&verb.policy) {
        Ok(policy) => policy,
        Err(error) => {
            let mut err = error_stream(arguments.color);
            writeln!(err, "{}", error.render(colored_errors(arguments.color)))?;
            return Ok(super::USAGE);
        }
    };
    let classes = classes(&policy, verb.class.as_deref())?;
    let mut units = audit::units(&verb.sources, &verb.exclude)?;
    let cables = inventory::apply(verb.inventory.as_deref(), &mut units)?;
    let survey = survey(&units, &policy, cables);
    let (from, to) = (end(&survey, &verb.from)?, end(&survey, &verb.to)?);
    if from.node == to.node {
        bail!("--from and --to are the same host");
    }
    let effective = |device: &_, port: &_| crate::audit::effective(&policy, device, port);
    let tracer = Tracer {
        hops: &survey.hops,
        devices: &survey.devices,
        policy: &effective,
    };
    let traces: Vec<_> = classes
        .iter()
        .flat_map(|class| {
            [
                tracer.trace(class, from, to, Direction::Forward),
                tracer.trace(class, to, from, Direction::Return),
            ]
        })
        .collect();
    let all = Traces {
        from: &verb.from,
        to: &verb.to,
        hops: &survey.hops,
        traces: &traces,
    };
    let mut out = output(arguments.color);
    match verb.format {
        Format::Text => text(&all, &mut out)?,
        Format::Json => json(&all, &mut out)?,
    }
    out.flush()?;
    let worst = traces.iter().map(|trace| trace.state).max();
    Ok(match worst {
        Some(State::Lossless) => 0,
        Some(State::Broken) => 1,
        Some(State::Unknown) | None => UNKNOWN,
    })
}

/// The class that was asked for, else the lossless ones and that of CNPs.
fn classes(policy: &PolicySet, asked: Option<&str>) -> anyhow::Result<Vec<String>> {
    let base = policy.base();
    let all = base.classes.iter();
    let names: Vec<String> = match asked {
        Some(name) => all
            .filter(|class| class.name.value == name)
            .map(|class| class.name.value.clone())
            .collect(),
        None => all
            .filter(|class| class.lossless.value || class.cnp.value)
            .map(|class| class.name.value.clone())
            .collect(),
    };
    if names.is_empty() {
        let known: Vec<&str> = base.classes.iter().map(|c| &*c.name.value).collect();
        match asked {
            Some(name) => bail!(
                "the policy has no class {name}; there are: {}",
                known.join(", ")
            ),
            None => bail!("the policy has no lossless class; name one with --class"),
        }
    }
    Ok(names)
}

/// `HOST` or `HOST:PORT`.
fn end(survey: &Survey, text: &str) -> anyhow::Result<End> {
    let fabric = &survey.hops.fabric;
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let node = fabric
        .find(host)
        .with_context(|| format!("no device named {host} in this source"))?;
    let device = &fabric.nodes[node];
    if device.kind != DeviceKind::Host {
        bail!("{host} is a switch; a trace begins and ends at hosts");
    }
    let port = match port {
        None => None,
        Some(name) => Some(device.port(name).with_context(|| {
            let known: Vec<&str> = device.ports.iter().map(|port| &*port.name).collect();
            format!("{host} has no port {name}; there are: {}", known.join(", "))
        })? as u32),
    };
    Ok(End { node, port })
}
