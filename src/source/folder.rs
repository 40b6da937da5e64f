//! Finds the devices of a source: folders of configurations or captures,
//! session logs, single files, standard input.
//!
//! Each file at the top of a folder is one device named by its stem, each
//! sub-folder is one device and its files are its captures. A file that holds
//! prompts is cut at them, and each host that a prompt names is a device.

use super::capture::Capture;
use super::clean::{Cleaned, clean};
use super::session::{Piece, cut};
use globset::{Glob, GlobSet, GlobSetBuilder};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest file that is read, in bytes.
pub const LARGEST_FILE: u64 = 256 << 20;

/// Extensions that are no part of a device's name.
const EXTENSIONS: [&str; 9] = [
    "json", "cfg", "conf", "txt", "log", "yaml", "yml", "xml", "set",
];

/// Why a source can't be used at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It does not exist or can't be opened.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// There is nothing in it.
    #[error("{0} is empty: it holds no configuration and no capture")]
    Empty(String),
    /// A pattern of `--exclude` is no glob.
    #[error("--exclude {pattern}: {error}")]
    BadGlob {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        error: globset::Error,
    },
}

/// A device of a source, not read yet.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// Its platform, where an inventory says it.
    pub platform: Option<String>,
    /// Its role, where an inventory says it.
    pub role: Option<String>,
    /// The folder that the names of its sources are relative to, as it was
    /// named; none for standard input.
    pub root: Option<Arc<Path>>,
    /// Files to read.
    files: Vec<File>,
    /// Captures that were cut from session logs.
    pieces: Vec<Capture>,
}

#[derive(Debug, Clone)]
struct File {
    path: PathBuf,
    /// As people call it.
    source: Arc<str>,
    /// At the top of a folder, where it stands for a whole device.
    top: bool,
}

/// The captures of a device and what went wrong on reading them.
#[derive(Debug, Default)]
pub struct Loaded {
    /// In the order of their names. A file that could not be used is here
    /// with an empty text, so that a finding can point at it.
    pub captures: Vec<Capture>,
    /// What went wrong: index of the capture, and a sentence.
    pub problems: Vec<(usize, String)>,
    /// Two files at the top that claim this one name: nothing was read.
    pub clash: Option<String>,
}

/// Finds the devices of `source`: a folder, a file, or `-` for standard input.
///
/// # Errors
/// A source that is missing or empty, and a bad `--exclude` pattern.
pub fn discover(source: &str, exclude: &[String]) -> Result<Vec<Unit>, SourceError> {
    let excluded = globs(exclude)?;
    if source == "-" {
        return from_stdin();
    }
    let path = Path::new(source);
    let unreadable = |error| SourceError::Unreadable {
        path: source.to_owned(),
        error,
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    let mut folders = Vec::new();
    let mut files = Vec::new();
    if metadata.is_dir() {
        for (name, path) in list(path).map_err(unreadable)? {
            if passed_over(&name) || excluded.is_match(&name) || name == "snapshot.json" {
                continue;
            }
            if path.is_dir() {
                folders.push(folder_unit(&name, &path, &excluded));
            } else {
                files.push(File {
                    source: name.as_str().into(),
                    path,
                    top: true,
                });
            }
        }
    } else {
        let name = path.file_name().unwrap_or(path.as_os_str());
        files.push(File {
            source: name.to_string_lossy().as_ref().into(),
            path: path.to_owned(),
            top: true,
        });
        if metadata.len() == 0 {
            return Err(SourceError::Empty(source.to_owned()));
        }
    }
    let mut units = joined(folders.into_iter().flatten().collect(), files);
    if units.is_empty() {
        return Err(SourceError::Empty(source.to_owned()));
    }
    let root = match metadata.is_dir() {
        true => path,
        false => path.parent().unwrap_or(Path::new("")),
    };
    let root: Arc<Path> = root.into();
    units
        .iter_mut()
        .for_each(|unit| unit.root = Some(root.clone()));
    Ok(units)
}

fn globs(patterns: &[String]) -> Result<GlobSet, SourceError> {
    let mut set = GlobSetBuilder::new();
    let bad = |pattern: &str, error| SourceError::BadGlob {
        pattern: pattern.to_owned(),
        error,
    };
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(|error| bad(pattern, error))?);
    }
    set.build().map_err(|error| bad("", error))
}

/// The members of a folder in the order of their names.
fn list(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let mut members = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        members.push((
            entry.file_name().to_string_lossy().into_owned(),
            entry.path(),
        ));
    }
    members.sort();
    Ok(members)
}

/// Files that are no captures in anybody's folder.
fn passed_over(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    name.starts_with('.') || lower.ends_with(".md") || lower.starts_with("license")
}

fn folder_unit(name: &str, path: &Path, excluded: &GlobSet) -> Option<Unit> {
    let mut unit = Unit {
        name: name.to_owned(),
        ..Unit::default()
    };
    gather(name, path, excluded, 0, &mut unit.files);
    (!unit.files.is_empty()).then_some(unit)
}

/// The files below a device's folder; captures may be sorted in folders of
/// their own.
fn gather(prefix: &str, path: &Path, excluded: &GlobSet, depth: usize, files: &mut Vec<File>) {
    const DEEPEST: usize = 4;
    for (name, path) in list(path).unwrap_or_default() {
        let source = format!("{prefix}/{name}");
        if passed_over(&name) || excluded.is_match(&name) || excluded.is_match(&source) {
            continue;
        }
        if !path.is_dir() {
            files.push(File {
                source: source.as_str().into(),
                path,
                top: false,
            });
        } else if depth < DEEPEST {
            gather(&source, &path, excluded, depth + 1, files);
        }
    }
}

/// A device's name from its file's.
pub fn stem(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((stem, extension))
            if !stem.is_empty()
                && EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) =>
        {
            stem
        }
        _ => file,
    }
}

/// Units of folders and files, those of one name in one.
fn joined(folders: Vec<Unit>, files: Vec<File>) -> Vec<Unit> {
    let cuts: Vec<Vec<(Option<String>, Capture)>> = files.par_iter().map(cut_at_prompts).collect();
    let mut units: BTreeMap<String, Unit> = BTreeMap::new();
    for folder in folders {
        units.insert(folder.name.clone(), folder);
    }
    for (file, pieces) in files.into_iter().zip(cuts) {
        let own = stem(&file.source).to_owned();
        if pieces.is_empty() {
            entry(&mut units, &own).files.push(file);
            continue;
        }
        for (host, capture) in pieces {
            let name = host.unwrap_or_else(|| own.clone());
            entry(&mut units, &name).pieces.push(capture);
        }
    }
    units.into_values().collect()
}

fn entry<'u>(units: &'u mut BTreeMap<String, Unit>, name: &str) -> &'u mut Unit {
    units.entry(name.to_owned()).or_insert_with(|| Unit {
        name: name.to_owned(),
        ..Unit::default()
    })
}

/// The pieces of a session log with their hosts; none for any other file.
fn cut_at_prompts(file: &File) -> Vec<(Option<String>, Capture)> {
    let Ok(bytes) = read(&file.path) else {
        return Vec::new(); // told when the device is loaded
    };
    // JSON can be large and holds no prompts.
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(first, None | Some(b'{')) {
        return Vec::new();
    }
    match clean(&bytes) {
        Cleaned::Text { text, .. } => pieces(&file.source, &text),
        Cleaned::Binary => Vec::new(),
    }
}

fn pieces(source: &Arc<str>, text: &str) -> Vec<(Option<String>, Capture)> {
    let pieces = cut(text).unwrap_or_default();
    let only_host = sole_host(&pieces);
    let owned = pieces.into_iter().map(|piece| {
        let host = piece.host.or(only_host).map(str::to_owned);
        (host, capture(source, &piece))
    });
    owned.collect()
}

/// The host of a log that names one: text without a prompt is its too.
fn sole_host<'t>(pieces: &[Piece<'t>]) -> Option<&'t str> {
    let mut hosts = pieces.iter().filter_map(|piece| piece.host);
    let first = hosts.next()?;
    hosts.all(|host| host == first).then_some(first)
}

fn capture(source: &Arc<str>, piece: &Piece<'_>) -> Capture {
    Capture {
        source: source.clone(),
        command: (!piece.command.is_empty()).then(|| piece.command.clone()),
        first_line: piece.first_line,
        text: piece.text.to_owned(),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let fail = |error: std::io::Error| format!("it cannot be read: {error}");
    let metadata = std::fs::metadata(path).map_err(fail)?;
    if metadata.len() > LARGEST_FILE {
        return Err(format!(
            "it has {} MiB, more than the {} MiB that are read",
            metadata.len() >> 20,
            LARGEST_FILE >> 20
        ));
    }
    std::fs::read(path).map_err(fail)
}

fn from_stdin() -> Result<Vec<Unit>, SourceError> {
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock();
    let unreadable = |error| SourceError::Unreadable {
        path: "standard input".to_owned(),
        error,
    };
    let read = input.take(LARGEST_FILE + 1).read_to_end(&mut bytes);
    read.map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(unreadable(std::io::Error::other("it is too large")));
    }
    let Cleaned::Text { text, .. } = clean(&bytes) else {
        return Err(unreadable(std::io::Error::other("it is no text")));
    };
    if text.trim().is_empty() {
        return Err(SourceError::Empty("standard input".to_owned()));
    }
    let source: Arc<str> = "stdin".into();
    let mut units = BTreeMap::new();
    let pieces = pieces(&source, &text);
    if pieces.is_empty() {
        let capture = Capture::new(source, text.into_owned());
        entry(&mut units, "stdin").pieces.push(capture);
    } else {
        for (host, capture) in pieces {
            let name = host.unwrap_or_else(|| "stdin".to_owned());
            entry(&mut units, &name).pieces.push(capture);
        }
    }
    Ok(units.into_values().collect())
}

impl Unit {
    /// A device whose captures were read already.
    pub fn of_captures(name: impl Into<String>, captures: Vec<Capture>) -> Self {
        Unit {
            name: name.into(),
            pieces: captures,
            ..Unit::default()
        }
    }

    /// Reads the device's captures. What can't be read costs that file only.
    pub fn load(&self) -> Loaded {
        let mut loaded = Loaded {
            captures: self.pieces.clone(),
            ..Loaded::default()
        };
        let tops: Vec<&str> = self.tops().collect();
        if tops.len() > 1 || (tops.len() == 1 && tops.len() < self.files.len()) {
            let names: Vec<&str> = self.files.iter().map(|f| &*f.source).take(5).collect();
            loaded.clash = Some(format!(
                "{} give two devices of one name; captures of one device share a sub-folder",
                names.join(" and ")
            ));
        }
        for file in &self.files {
            self.load_file(file, &mut loaded);
        }
        loaded
    }

    fn tops(&self) -> impl Iterator<Item = &str> {
        let tops = self.files.iter().filter(|file| file.top);
        tops.map(|file| &*file.source)
    }

    fn load_file(&self, file: &File, loaded: &mut Loaded) {
        let problem = |loaded: &mut Loaded, what: String| {
            loaded.problems.push((loaded.captures.len(), what));
            loaded.captures.push(Capture::new(file.source.clone(), ""));
        };
        let bytes = match read(&file.path) {
            Ok(bytes) => bytes,
            Err(what) => return problem(loaded, what),
        };
        let text = match into_text(bytes) {
            Some(text) => text,
            None => return problem(loaded, "it is binary".to_owned()),
        };
        if text.trim().is_empty() && file.top {
            return problem(loaded, "it is empty".to_owned());
        }
        let pieces = if file.top {
            Vec::new() // cut when the devices were looked for
        } else {
            pieces(&file.source, &text)
        };
        if pieces.is_empty() {
            loaded
                .captures
                .push(Capture::new(file.source.clone(), text));
        } else {
            let captures = pieces.into_iter().map(|(_, capture)| capture);
            loaded.captures.extend(captures);
        }
    }
}

/// The cleaned text; without a copy where nothing had to be cleaned.
fn into_text(bytes: Vec<u8>) -> Option<String> {
    match clean(&bytes) {
        Cleaned::Text { text, .. } => match text {
            std::borrow::Cow::Owned(text) => Some(text),
            std::borrow::Cow::Borrowed(borrowed) if borrowed.len() == bytes.len() => {
                String::from_utf8(bytes).ok()
            }
            std::borrow::Cow::Borrowed(borrowed) => Some(borrowed.to_owned()),
        },
        Cleaned::Binary => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(units: &[Unit]) -> Vec<&str> {
        units.iter().map(|unit| unit.name.as_str()).collect()
    }

    #[test]
    fn files_are_devices_and_folders_are_devices() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("leaf1.json"), "{}").unwrap();
        fs::write(dir.path().join("leaf2.fabric.example"), "x").unwrap();
        fs::write(dir.path().join("README.md"), "x").unwrap();
        fs::write(dir.path().join(".hidden"), "x").unwrap();
        fs::create_dir(dir.path().join("leaf3")).unwrap();
        fs::write(dir.path().join("leaf3/qos.json"), "{}").unwrap();
        fs::write(dir.path().join("leaf3/buffers.json"), "{}").unwrap();
        let units = discover(dir.path().to_str().unwrap(), &[]).unwrap();
        assert_eq!(names(&units), ["leaf1", "leaf2.fabric.example", "leaf3"]);
        let loaded = units[2].load();
        assert_eq!(loaded.captures.len(), 2);
        assert_eq!(&*loaded.captures[0].source, "leaf3/buffers.json");
        assert!(loaded.clash.is_none());
    }

    #[test]
    fn a_session_log_gives_a_device_for_each_host() {
        let dir = tempfile::tempdir().unwrap();
        let log = "root@gpu01:~# mlnx_qos -i ens1\nDCBX mode: OS controlled\n\
                   admin@leaf1:~$ show pfc priority\nInterface  Lossless\n";
        fs::write(dir.path().join("incident.log"), log).unwrap();
        let units = discover(dir.path().to_str().unwrap(), &[]).unwrap();
        assert_eq!(names(&units), ["gpu01", "leaf1"]);
        let loaded = units[0].load();
        assert_eq!(loaded.captures[0].command(), "mlnx_qos -i ens1");
        assert_eq!(loaded.captures[0].first_line, 2);
    }

    #[test]
    fn two_files_of_one_name_clash() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("leaf1.json"), "{}").unwrap();
        fs::write(dir.path().join("leaf1.cfg"), "hostname leaf1").unwrap();
        let units = discover(dir.path().to_str().unwrap(), &[]).unwrap();
        assert_eq!(names(&units), ["leaf1"]);
        assert!(units[0].load().clash.unwrap().contains("leaf1.cfg"));
    }

    #[test]
    fn a_missing_or_empty_source_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let empty = discover(dir.path().to_str().unwrap(), &[]);
        assert!(matches!(empty, Err(SourceError::Empty(_))));
        let missing = discover("/nonexistent/source", &[]);
        assert!(matches!(missing, Err(SourceError::Unreadable { .. })));
    }

    #[test]
    fn what_cannot_be_used_is_told() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("leaf1.cfg"), [0u8; 400]).unwrap();
        fs::write(dir.path().join("leaf2.cfg"), "  \n").unwrap();
        let units = discover(dir.path().to_str().unwrap(), &[]).unwrap();
        assert_eq!(units[0].load().problems, [(0, "it is binary".to_owned())]);
        assert_eq!(units[1].load().problems, [(0, "it is empty".to_owned())]);
    }
}
