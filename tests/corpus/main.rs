//! Real configurations and fault reports, where ROCEAUDIT_CORPUS names the
//! folder that holds them (`corpus/`, `cases/`). What they must say was
//! written down by hand from the files themselves.
#![allow(clippy::unwrap_used)] // a test that can't go on has failed

#[path = "../common/mod.rs"]
mod common;
mod cumulus;
mod eos;
mod junos;
mod linux;
mod nxos;
mod os10;
mod others;
mod sonic;

use common::{audited, fired, policy};
use roceaudit::audit::read_unit;
use roceaudit::model::json;
use roceaudit::source::discover;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder, or nothing: then the test says that it did not run.
fn corpus() -> Option<PathBuf> {
    let found = std::env::var_os("ROCEAUDIT_CORPUS").map(PathBuf::from);
    if found.is_none() {
        let mut err = std::io::stderr().lock();
        writeln!(err, "not run: ROCEAUDIT_CORPUS is not set").unwrap();
    }
    found
}

/// The model of one file, which must be one device.
fn model(file: &Path) -> Value {
    let units = discover(file.to_str().unwrap(), &[]).unwrap();
    let read = read_unit(&units[0]);
    json::device(
        read.device
            .as_ref()
            .unwrap_or_else(|| panic!("{}", file.display())),
    )
}

fn port<'v>(model: &'v Value, name: &str) -> &'v Value {
    let ports = model["ports"].as_array().unwrap();
    ports
        .iter()
        .find(|port| port["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

fn member(list: &Value, id: u8) -> &Value {
    list.as_array()
        .unwrap()
        .iter()
        .find(|member| member["id"] == id)
        .unwrap()
}

/// Lays the files of a case out as one device, and tells what fires.
fn case(
    corpus: &Path,
    name: &str,
    device: &str,
    files: &[&str],
    policy_name: &str,
) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(device);
    fs::create_dir(&folder).unwrap();
    for file in files {
        fs::copy(
            corpus.join("cases").join(name).join(file),
            folder.join(file),
        )
        .unwrap();
    }
    fired(&audited(dir.path(), &policy(policy_name)), true)
}

fn assert_has(fired: &BTreeSet<String>, starts: &[&str]) {
    for start in starts {
        assert!(
            fired.iter().any(|line| line.starts_with(start)),
            "{start}: {fired:#?}"
        );
    }
}

fn assert_not(fired: &BTreeSet<String>, starts: &[&str]) {
    for start in starts {
        assert!(
            !fired.iter().any(|line| line.starts_with(start)),
            "{start}: {fired:#?}"
        );
    }
}

const LOSSLESS: &str = "builtin:roce-lossless";
