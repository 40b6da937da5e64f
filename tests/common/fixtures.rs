//! The cases of `fixtures/PLATFORM/OS-VERSION/CASE`: `raw/` holds captures and
//! `case.yaml` says what they show, where the fact comes from, and exactly
//! what must be found. `changes.yaml` beside it lists single changes of that
//! base, each a case of its own.
#![allow(dead_code, clippy::unwrap_used)] // a test that can't go on has failed

use super::{policy, root};
use roceaudit::policy::PolicySet;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What a case must give.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub shows: String,
    pub source: String,
    pub policy: String,
    #[serde(default)]
    pub expect: Vec<Expected>,
    #[serde(default)]
    pub exit: Option<u8>,
    #[serde(default)]
    pub findings: BTreeSet<String>,
}

/// A failure that must be among the findings; what is not given is not compared.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    pub check: String,
    pub port: Option<String>,
    pub class: Option<String>,
    pub severity: Option<String>,
    pub kind: Option<String>,
    pub expected: Option<String>,
    pub actual: Option<String>,
}

/// A case that differs from its base in a few places.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    name: String,
    shows: String,
    source: String,
    policy: Option<String>,
    edits: Vec<Edit>,
    #[serde(default)]
    expect: Vec<Expected>,
    exit: u8,
    #[serde(default)]
    findings: BTreeSet<String>,
}

/// A change of one file below `raw/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    file: PathBuf,
    /// Must occur exactly once; `*` is the whole file; not given, the file is new.
    from: Option<String>,
    /// Empty after `*`: the file is removed.
    to: String,
}

/// A case with its captures.
pub struct Fixture {
    /// `eos/4.32/good`, `eos/4.32/good: pfc-off`.
    pub name: String,
    pub platform: String,
    pub case: Case,
    pub raw: PathBuf,
    /// Its `case.yaml`; none for a change.
    pub file: Option<PathBuf>,
    _folder: Option<TempDir>,
}

impl Fixture {
    /// The policy that it is judged by.
    pub fn policy(&self) -> PolicySet {
        match self.case.policy.strip_prefix("builtin:") {
            Some(_) => policy(&self.case.policy),
            None => {
                let file = root().join("fixtures").join(&self.case.policy);
                policy(&file.display().to_string())
            }
        }
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn yaml<T: for<'d> Deserialize<'d>>(file: &Path) -> T {
    let text = fs::read_to_string(file).unwrap_or_else(|_| panic!("{} is missing", file.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All cases, changes included.
pub fn all() -> Vec<Fixture> {
    let mut all = Vec::new();
    for platform in folders(&root().join("fixtures")) {
        for version in folders(&platform) {
            for folder in folders(&version) {
                let file = folder.join("case.yaml");
                let case: Case = yaml(&file);
                let name = folder.strip_prefix(root().join("fixtures")).unwrap();
                let base = Fixture {
                    name: name.display().to_string(),
                    platform: platform.file_name().unwrap().display().to_string(),
                    case,
                    raw: folder.join("raw"),
                    file: Some(file),
                    _folder: None,
                };
                let changes = folder.join("changes.yaml");
                if changes.exists() {
                    let changes: Vec<Change> = yaml(&changes);
                    all.extend(changes.into_iter().map(|change| changed(&base, change)));
                }
                all.push(base);
            }
        }
    }
    all
}

fn changed(base: &Fixture, change: Change) -> Fixture {
    let name = format!("{}: {}", base.name, change.name);
    let folder = tempfile::tempdir().unwrap();
    let raw = folder.path().join("raw");
    copy(&base.raw, &raw);
    for edit in &change.edits {
        let file = raw.join(&edit.file);
        let text = match edit.from.as_deref() {
            None => {
                assert!(
                    !file.exists(),
                    "{name}: {} is there already",
                    file.display()
                );
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                edit.to.clone()
            }
            Some("*") if edit.to.is_empty() => {
                fs::remove_file(&file).unwrap();
                continue;
            }
            Some("*") => edit.to.clone(),
            Some(from) => {
                let text = fs::read_to_string(&file).unwrap();
                let times = text.matches(from).count();
                assert_eq!(times, 1, "{name}: {from:?} occurs {times} times");
                text.replace(from, &edit.to)
            }
        };
        fs::write(&file, text).unwrap();
    }
    Fixture {
        name,
        platform: base.platform.clone(),
        case: Case {
            shows: change.shows,
            source: change.source,
            policy: change.policy.unwrap_or_else(|| base.case.policy.clone()),
            expect: change.expect,
            exit: Some(change.exit),
            findings: change.findings,
        },
        raw,
        file: None,
        _folder: Some(folder),
    }
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
