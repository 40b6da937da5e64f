//! `docs/checks.md` is what `roceaudit explain` says of each check;
//! `UPDATE_DOCS=1` writes it.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

mod common;

use assert_cmd::Command;
use roceaudit::check;
use std::fmt::Write;
use std::fs;

#[test]
fn the_page_on_checks_is_up_to_date() {
    let mut page = String::from(
        "# Checks\n\n\
         Made from the registry by `UPDATE_DOCS=1 cargo test --test docs`; `roceaudit explain CHECK`\n\
         prints the same. `look`: the captures that tell. `fix`: what is typed, for one port.\n",
    );
    for check in check::registry() {
        let id = check.about().id;
        let mut command = Command::cargo_bin("roceaudit").unwrap();
        let command = command.args(["explain", id]).env("COLUMNS", "90");
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let (title, text) = text.split_once('\n').unwrap();
        let title = title.strip_prefix(id).unwrap().trim_start_matches(": ");
        let (what, platforms) = text.split_once("\non ").unwrap_or((text, ""));
        write!(page, "\n## `{id}`\n\n**{title}**\n\n{}\n", what.trim()).unwrap();
        if !platforms.is_empty() {
            write!(page, "\n```\non {}\n```\n", platforms.trim_end()).unwrap();
        }
    }
    let file = common::root().join("docs/checks.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, page).unwrap();
        return;
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "docs/checks.md is not what `explain` says: UPDATE_DOCS=1 cargo test --test docs"
    );
}
