//! Traces, as a table for a terminal and as JSON.

use super::escape::terminal;
use super::text::wrap;
use crate::check::stage;
use crate::fabric::Hops;
use crate::fabric::trace::{Direction, Hop, State, Trace};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The traces between two hosts.
pub struct Traces<'a> {
    /// The first host, as asked for.
    pub from: &'a str,
    /// The second.
    pub to: &'a str,
    /// What its ports are looked up in.
    pub hops: &'a Hops,
    /// One for each class and direction.
    pub traces: &'a [Trace],
}

/// Columns of a terminal.
const WIDTH: usize = 80;
/// Before what explains a hop.
const INDENT: &str = "       ";

/// What ways are assumed to be, which no capture shows.
const ASSUMED: &str = "shortest ways up and then down, over all equal-cost links; no flooding, \
                       no bounced routes";

fn ends<'a>(of: &Traces<'a>, trace: &Trace) -> (&'a str, &'a str) {
    match trace.direction {
        Direction::Forward => (of.from, of.to),
        Direction::Return => (of.to, of.from),
    }
}

/// Writes the JSON of schema `roceaudit.trace/v1`.
///
/// # Errors
/// Those of the writer.
pub fn json(of: &Traces<'_>, out: &mut dyn Write) -> io::Result<()> {
    let classes: Vec<Value> = of.traces.iter().map(|trace| value(of, trace)).collect();
    let all = json!({
        "schema": "roceaudit.trace/v1",
        "from": of.from,
        "to": of.to,
        "assumed": ASSUMED,
        "classes": classes,
    });
    serde_json::to_writer_pretty(&mut *out, &all)?;
    writeln!(out)
}

fn value(of: &Traces<'_>, trace: &Trace) -> Value {
    let fabric = &of.hops.fabric;
    let at = |hop: &Hop| (fabric.node(hop.port), fabric.port(hop.port));
    let first_break = trace.first_break().map(|(hop, obstacle)| {
        let (node, port) = at(hop);
        json!({
            "device": &*node.name,
            "port": &*port.name,
            "stage": stage(node.kind, hop.way),
            "check": &*obstacle.check,
            "message": &*obstacle.message,
        })
    });
    let hops = trace.hops.iter().map(|hop| {
        let (node, port) = at(hop);
        let evidence = hop.obstacle.iter().flat_map(|o| o.evidence.iter());
        let evidence: Vec<Value> = evidence
            .map(|e| json!({"source": &*e.source, "line": e.line, "text": &*e.text}))
            .collect();
        json!({
            "device": &*node.name,
            "port": &*port.name,
            "stage": stage(node.kind, hop.way),
            "dscp": hop.dscp,
            "priority": hop.priority,
            "tc": hop.tc,
            "pg": hop.pg,
            "queue": hop.queue,
            "pfc": hop.pfc,
            "ecn": hop.ecn,
            "ip_mtu": hop.ip_mtu,
            "status": match hop.state() {
                State::Lossless => "ok",
                other => other.as_str(),
            },
            "why": hop.obstacle.as_ref().map(|o| format!("{} ({})", o.message, o.check)),
            "evidence": evidence,
        })
    });
    json!({
        "class": trace.class,
        "direction": match trace.direction {
            Direction::Forward => "forward",
            Direction::Return => "return",
        },
        "status": trace.state.as_str(),
        "paths": trace.paths,
        "first_break": first_break,
        "why": trace.why,
        "hops": hops.collect::<Vec<_>>(),
    })
}

/// Writes a table for each class and direction, 80 columns wide where names
/// allow it.
///
/// # Errors
/// Those of the writer.
pub fn text(of: &Traces<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (n, trace) in of.traces.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        let (from, to) = ends(of, trace);
        let ways = match trace.paths {
            1 => "1 way".to_owned(),
            ways => format!("{ways} ways"),
        };
        writeln!(
            out,
            "class {}, {} to {}: {} ({ways})",
            terminal(&trace.class),
            terminal(from),
            terminal(to),
            trace.state.as_str().to_uppercase()
        )?;
        if let Some(why) = &trace.why {
            writeln!(out, "  {}", terminal(why))?;
        }
        if !trace.hops.is_empty() {
            table(of, trace, out)?;
        }
    }
    writeln!(out)?;
    for line in wrap(&format!("Assumed: {ASSUMED}."), WIDTH, "") {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn table(of: &Traces<'_>, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let fabric = &of.hops.fabric;
    let names: Vec<String> = trace
        .hops
        .iter()
        .map(|hop| terminal(&fabric.name(hop.port)).into_owned())
        .collect();
    let widest = names.iter().map(|name| name.chars().count()).max();
    let wide = widest.unwrap_or_default().max("port".len());
    writeln!(
        out,
        "     {:<wide$}  stage        DSCP prio  TC  PG   Q  PFC  ECN   MTU",
        "port"
    )?;
    let number = |value: Option<u8>| value.map_or("-".to_owned(), |v| v.to_string());
    let switch = |value: Option<bool>| match value {
        Some(true) => "on",
        Some(false) => "off",
        None => "-",
    };
    for (hop, name) in trace.hops.iter().zip(&names) {
        let mark = match hop.state() {
            State::Lossless => "ok",
            State::Unknown => "??",
            State::Broken => "XX",
        };
        writeln!(
            out,
            "  {mark} {name:<wide$}  {:<11} {:>5} {:>4} {:>3} {:>3} {:>3} {:>4} {:>4} {:>5}",
            stage(fabric.node(hop.port).kind, hop.way),
            number(hop.dscp),
            number(hop.priority),
            number(hop.tc),
            number(hop.pg),
            number(hop.queue),
            switch(hop.pfc),
            switch(hop.ecn),
            hop.ip_mtu.map_or("-".to_owned(), |mtu| mtu.to_string()),
        )?;
        if let Some(obstacle) = &hop.obstacle {
            let why = format!("{} ({})", obstacle.message, obstacle.check);
            for line in wrap(&terminal(&why), WIDTH - INDENT.len(), "") {
                writeln!(out, "{INDENT}{line}")?;
            }
            for line in obstacle.evidence.iter() {
                writeln!(
                    out,
                    "{INDENT}read {}:{}  {}",
                    terminal(&line.source),
                    line.line,
                    terminal(&line.text)
                )?;
            }
        }
    }
    Ok(())
}
