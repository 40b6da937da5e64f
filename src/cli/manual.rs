//! `roceaudit completions` and `roceaudit man`: made from the arguments.

use super::args::{Arguments, Completions, Man};
use super::output;
use anyhow::Context;
use clap::CommandFactory;
use std::io::Write;

pub fn completions(arguments: &Arguments, verb: &Completions) -> anyhow::Result<u8> {
    // Made in memory: the generator panics where its writer fails.
    let mut text = Vec::new();
    clap_complete::generate(
        verb.shell,
        &mut Arguments::command(),
        "roceaudit",
        &mut text,
    );
    let mut out = output(arguments.color);
    out.write_all(&text)?;
    out.flush()?;
    Ok(0)
}

pub fn pages(arguments: &Arguments, verb: &Man) -> anyhow::Result<u8> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    // Gives the verbs their full names, as their pages bear them.
    command.build();
    let Some(folder) = &verb.folder else {
        let mut out = output(arguments.color);
        clap_mangen::Man::new(command).render(&mut out)?;
        out.flush()?;
        return Ok(0);
    };
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(0)
}
