//! The store of what was accepted as good, in a folder that can be kept in
//! git: canonical JSON, one file a device, named by what is in it. Devices
//! that did not change are stored once.
//!
//! ```text
//! current.json                 which baseline is in force
//! baselines/0002-3f9a….json    who, when, why, and which file each device is
//! devices/leaf1/8c01….json     model and captures, secrets taken out
//! ```
//!
//! Every file is written under a temporary name, synced and renamed, the
//! pointer last and under a lock: a run that is killed leaves the baseline in
//! force as it was.

use crate::model::json;
use crate::source::redact::redact;
use crate::source::{Capture, Loaded, Unit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Name and version of the schema of baselines.
pub const SCHEMA: &str = "roceaudit.baseline/v1";
/// Name and version of the schema of stored devices.
pub const DEVICE_SCHEMA: &str = "roceaudit.device/v1";
/// Name and version of the schema of the pointer.
const POINTER_SCHEMA: &str = "roceaudit.current/v1";

/// Why the store can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system's.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// A file is cut, or no JSON.
    #[error("{path} is damaged: {error}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// A file does not say what was written.
    #[error(
        "{path} was changed after it was written: its checksum is another; \
         take it back from version control, or accept a new baseline"
    )]
    Checksum {
        /// The file.
        path: String,
    },
    /// A file of another release.
    #[error("{path} has the schema {found}; this release reads {known}")]
    Schema {
        /// The file.
        path: String,
        /// Its schema.
        found: String,
        /// What is read.
        known: &'static str,
    },
    /// There is no baseline yet.
    #[error("{path} holds no baseline; `roceaudit baseline accept SOURCE` makes one")]
    Empty {
        /// The store.
        path: String,
    },
    /// No baseline has this name.
    #[error("no baseline is called {id}; there are: {known}")]
    NoSuch {
        /// As asked for.
        id: String,
        /// Those that exist.
        known: String,
    },
    /// Somebody else was faster.
    #[error(
        "another baseline was accepted meanwhile ({now}); look at it with \
         `roceaudit baseline show`, and accept again"
    )]
    Overtaken {
        /// The one in force now.
        now: String,
    },
}

type Result<T> = std::result::Result<T, StoreError>;

/// A store in a folder.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// What was accepted, without the devices themselves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Baseline {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Counts up from one baseline to the next, whatever the clock says.
    pub sequence: u32,
    /// The baseline before.
    pub parent: Option<String>,
    /// When, by the clock of the one who accepted.
    pub time: String,
    /// Who.
    pub by: String,
    /// Why.
    pub reason: Option<String>,
    /// What was wrong with the source, and accepted all the same.
    pub despite: Option<String>,
    /// Version of the tool.
    pub tool: String,
    /// Name and SHA-256 of the policy that it was audited by.
    pub policy: [String; 2],
    /// Verdicts of the audit, by outcome.
    pub audit: BTreeMap<String, usize>,
    /// Findings of the audit, one a line.
    pub findings: Vec<String>,
    /// Each device.
    pub devices: BTreeMap<String, Record>,
}

/// A device of a baseline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// SHA-256 of its file, which is named by it.
    pub file: String,
    /// SHA-256 of its captures, secrets taken out.
    pub captures: String,
    /// How far it was audited.
    pub status: String,
}

/// A device as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredDevice {
    /// Always [`DEVICE_SCHEMA`].
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its platform, where an inventory said it.
    pub platform: Option<String>,
    /// Its role, where an inventory said it.
    pub role: Option<String>,
    /// Its model, as `roceaudit model` shows it; none where it was not read.
    pub model: Option<Value>,
    /// What it was read from.
    pub captures: Vec<StoredCapture>,
}

/// A capture as it is stored: by lines, so that version control can show what
/// changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredCapture {
    /// What people call it.
    pub source: String,
    /// The command that printed it.
    pub command: Option<String>,
    /// Line of `source` that it begins at.
    pub first_line: u32,
    /// The text, secrets taken out.
    pub lines: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Pointer {
    schema: String,
    baseline: String,
}

/// Takes secrets out of all captures of a device, as both sides of a drift are
/// compared.
pub fn redacted(loaded: &mut Loaded) {
    for capture in &mut loaded.captures {
        if let std::borrow::Cow::Owned(text) = redact(&capture.text) {
            capture.text = text;
        }
    }
}

/// SHA-256 over the captures of a device, secrets taken out before.
pub fn captures_hash(captures: &[Capture]) -> String {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for capture in captures {
        part(capture.command().as_bytes());
        part(capture.text.as_bytes());
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl StoredDevice {
    /// Of a unit whose secrets were taken out.
    pub fn new(unit: &Unit, captures: &[Capture], model: Option<&crate::model::Device>) -> Self {
        let captures = captures.iter().map(|capture| StoredCapture {
            source: capture.source.to_string(),
            command: capture.command.clone(),
            first_line: capture.first_line,
            lines: capture.text.split('\n').map(str::to_owned).collect(),
        });
        StoredDevice {
            schema: DEVICE_SCHEMA.to_owned(),
            name: unit.name.clone(),
            platform: unit.platform.clone(),
            role: unit.role.clone(),
            model: model.map(json::device),
            captures: captures.collect(),
        }
    }

    /// The device as a source.
    pub fn unit(self) -> Unit {
        let captures = self.captures.into_iter().map(|stored| Capture {
            source: stored.source.into(),
            command: stored.command,
            first_line: stored.first_line,
            text: stored.lines.join("\n"),
        });
        let mut unit = Unit::of_captures(self.name, captures.collect());
        unit.platform = self.platform;
        unit.role = self.role;
        unit
    }
}

impl Store {
    /// The store in a folder, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Store { root: root.into() }
    }

    /// Name of the baseline in force; none where nothing was accepted yet.
    ///
    /// # Errors
    /// A pointer that can't be read.
    pub fn current(&self) -> Result<Option<String>> {
        let path = self.pointer();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(&path, error)),
        };
        let pointer: Pointer = parse(&path, &bytes, POINTER_SCHEMA)?;
        Ok(Some(pointer.baseline))
    }

    /// The baseline in force, with its name.
    ///
    /// # Errors
    /// There is none, or it can't be read.
    pub fn in_force(&self) -> Result<(String, Baseline)> {
        let id = self.current()?.ok_or_else(|| StoreError::Empty {
            path: self.root.display().to_string(),
        })?;
        let baseline = self.baseline(&id)?;
        Ok((id, baseline))
    }

    /// A baseline by its name, or the beginning of it.
    ///
    /// # Errors
    /// There is none, or it was changed or cut.
    pub fn find(&self, id: &str) -> Result<(String, Baseline)> {
        let all = self.history()?;
        let mut found = all.iter().filter(|(name, _)| name.starts_with(id));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one.clone()),
            _ => {
                let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
                Err(StoreError::NoSuch {
                    id: id.to_owned(),
                    known: names.join(", "),
                })
            }
        }
    }

    /// All baselines, the one in force first.
    ///
    /// # Errors
    /// One that can't be read.
    pub fn history(&self) -> Result<Vec<(String, Baseline)>> {
        let mut all = Vec::new();
        let mut next = Some(self.in_force()?);
        while let Some((id, baseline)) = next {
            next = match &baseline.parent {
                // A baseline counts less than the one that names it, so that
                // the walk ends.
                Some(parent) => match self.baseline(parent) {
                    Ok(before) if before.sequence < baseline.sequence => {
                        Some((parent.clone(), before))
                    }
                    Ok(_) => {
                        return Err(StoreError::Checksum {
                            path: parent.clone(),
                        });
                    }
                    Err(error) => return Err(error),
                },
                None => None,
            };
            all.push((id, baseline));
        }
        Ok(all)
    }

    fn baseline(&self, id: &str) -> Result<Baseline> {
        let path = self
            .root
            .join("baselines")
            .join(format!("{}.json", file_name(id)));
        let bytes = fs::read(&path).map_err(|error| io_error(&path, error))?;
        let baseline: Baseline = parse(&path, &bytes, SCHEMA)?;
        match name_of(&baseline, &bytes) == id {
            true => Ok(baseline),
            false => Err(StoreError::Checksum {
                path: path.display().to_string(),
            }),
        }
    }

    /// A device of a baseline.
    ///
    /// # Errors
    /// A file that is missing, cut or was changed.
    pub fn device(&self, name: &str, record: &Record) -> Result<StoredDevice> {
        let path = self.device_file(name, &record.file);
        let bytes = fs::read(&path).map_err(|error| io_error(&path, error))?;
        if hex(&Sha256::digest(&bytes)) != record.file {
            return Err(StoreError::Checksum {
                path: path.display().to_string(),
            });
        }
        parse(&path, &bytes, DEVICE_SCHEMA)
    }

    /// Stores a device; one that is stored already costs nothing.
    ///
    /// # Errors
    /// The system's.
    pub fn put(&self, device: &StoredDevice) -> Result<String> {
        let bytes = canonical(device);
        let hash = hex(&Sha256::digest(&bytes));
        let path = self.device_file(&device.name, &hash);
        // What is there under this name and of this size is the same, unless
        // it was changed by hand, and then this mends it.
        if fs::read(&path).is_ok_and(|known| known == bytes) {
            return Ok(hash);
        }
        write_whole(&path, &bytes)?;
        Ok(hash)
    }

    /// Puts a baseline in force, if the one that it follows still is.
    ///
    /// # Errors
    /// Somebody else was faster; the system's.
    pub fn accept(&self, baseline: &Baseline) -> Result<String> {
        let bytes = canonical(baseline);
        let id = name_of(baseline, &bytes);
        fs::create_dir_all(&self.root).map_err(|error| io_error(&self.root, error))?;
        let lock = self.root.join(".lock");
        let file = File::create(&lock).map_err(|error| io_error(&lock, error))?;
        file.lock().map_err(|error| io_error(&lock, error))?;
        let now = self.current()?;
        if now != baseline.parent {
            return Err(StoreError::Overtaken {
                now: now.unwrap_or_else(|| "none".to_owned()),
            });
        }
        write_whole(
            &self.root.join("baselines").join(format!("{id}.json")),
            &bytes,
        )?;
        let pointer = Pointer {
            schema: POINTER_SCHEMA.to_owned(),
            baseline: id.clone(),
        };
        write_whole(&self.pointer(), &canonical(&pointer))?;
        Ok(id)
    }

    fn pointer(&self) -> PathBuf {
        self.root.join("current.json")
    }

    fn device_file(&self, name: &str, hash: &str) -> PathBuf {
        let folder = self.root.join("devices").join(file_name(name));
        folder.join(format!("{}.json", file_name(hash)))
    }
}

/// `0002-3f9a1c…`: its place in the order, and its checksum.
fn name_of(baseline: &Baseline, bytes: &[u8]) -> String {
    let hash = hex(&Sha256::digest(bytes));
    format!("{:04}-{}", baseline.sequence, &hash[..16])
}

/// A name that is harmless in any file system: device names can hold anything.
fn file_name(name: &str) -> String {
    const LONGEST: usize = 120;
    let mut safe = String::with_capacity(name.len());
    for (n, byte) in name.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => safe.push(byte as char),
            b'.' if n > 0 => safe.push('.'),
            byte => safe.push_str(&format!("%{byte:02x}")),
        }
    }
    if safe.len() > LONGEST {
        let hash = hex(&Sha256::digest(name));
        safe.truncate(LONGEST - 17);
        safe.push('-');
        safe.push_str(&hash[..16]);
    }
    safe
}

fn io_error(path: &Path, error: io::Error) -> StoreError {
    StoreError::Io {
        path: path.display().to_string(),
        error,
    }
}

fn parse<T: for<'d> Deserialize<'d>>(path: &Path, bytes: &[u8], known: &'static str) -> Result<T> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let damaged = |error| StoreError::Damaged {
        path: path.display().to_string(),
        error,
    };
    let head: Head = serde_json::from_slice(bytes).map_err(damaged)?;
    match head.schema.as_deref() {
        Some(schema) if schema == known => serde_json::from_slice(bytes).map_err(damaged),
        other => Err(StoreError::Schema {
            path: path.display().to_string(),
            found: other.unwrap_or("none").to_owned(),
            known,
        }),
    }
}

/// The same content gives the same bytes: members in their order, two blanks a
/// level, a line end.
fn canonical(value: &impl Serialize) -> Vec<u8> {
    // Nothing that is stored can fail to be written as JSON.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Writes a file whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = folder.join(format!(".{file}.{}.partial", std::process::id()));
    let written = (|| {
        fs::create_dir_all(folder)?;
        let mut out = File::create(&partial)?;
        out.write_all(bytes)?;
        out.sync_all()?;
        fs::rename(&partial, path)?;
        // The name lasts only once its folder is written too.
        File::open(folder)?.sync_all()
    })();
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        io_error(path, error)
    })
}
