//! Whole audits next to merely parsing the same bytes, in one run. See README.md.

use rayon::prelude::*;
use roceaudit::audit::{Options, Selection, audit};
use roceaudit::{policy, report, source};
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Devices of the speed measurement.
const DEVICES: usize = 1_000;
/// Devices of the memory measurement.
const MANY_DEVICES: usize = 10_000;
/// Bytes of a device of the memory measurement.
const DEVICE_BYTES: u64 = 140_000;
/// Rounds; the shortest counts.
const ROUNDS: usize = 5;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    // `cargo bench` passes --bench; the one free argument is the folder.
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fabric");
    let folder = PathBuf::from(folder.as_deref().unwrap_or(default));
    let files = json_files(&folder)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{} configurations of {}",
        files.len(),
        folder.display()
    )?;

    let thousand = fabric(&files, DEVICES)?;
    let bytes = total_bytes(thousand.path())?;
    let parse = shortest(|| parse_only(thousand.path()))?;
    let whole = shortest(|| whole_audit(thousand.path()))?;
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    writeln!(
        out,
        "{DEVICES} devices, {:.1} MB, {} threads",
        bytes as f64 / 1e6,
        rayon::current_num_threads()
    )?;
    writeln!(
        out,
        "  parse into serde_json::Value  {parse:>10.1?}  {:>7.0} MB/s",
        speed(parse)
    )?;
    writeln!(
        out,
        "  read, judge and report        {whole:>10.1?}  {:>7.0} MB/s",
        speed(whole)
    )?;
    writeln!(
        out,
        "  ratio                         {:>10.2}",
        whole.as_secs_f64() / parse.as_secs_f64()
    )?;

    let near = nearest_in_size(&files)?;
    let many = fabric(&near, MANY_DEVICES)?;
    let begun = Instant::now();
    whole_audit(many.path())?;
    writeln!(
        out,
        "{MANY_DEVICES} devices, {:.1} MB: {:.1?}, peak memory {} MiB",
        total_bytes(many.path())? as f64 / 1e6,
        begun.elapsed(),
        peak_memory_kib()? / 1024
    )?;
    Ok(())
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path.canonicalize()?);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(format!("no .json file in {}", folder.display()).into());
    }
    Ok(files)
}

/// The files whose size is nearest to that of the memory measurement.
fn nearest_in_size(files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut sized = Vec::new();
    for file in files {
        sized.push((file.metadata()?.len().abs_diff(DEVICE_BYTES), file.clone()));
    }
    sized.sort();
    Ok(sized.into_iter().take(4).map(|(_, file)| file).collect())
}

/// A folder of `count` devices: links to the files, in turn.
fn fabric(files: &[PathBuf], count: usize) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for (n, file) in files.iter().cycle().take(count).enumerate() {
        std::os::unix::fs::symlink(file, folder.path().join(format!("switch{n:05}.json")))?;
    }
    Ok(folder)
}

fn total_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += std::fs::metadata(entry?.path())?.len();
    }
    Ok(bytes)
}

fn shortest(mut run: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        run()?;
        best = best.min(begun.elapsed());
    }
    Ok(best)
}

/// What any tool must do at least: read the files and parse them.
fn parse_only(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    let parsed: usize = files
        .par_iter()
        .map(|file| {
            let bytes = std::fs::read(file).unwrap_or_default();
            let value: std::result::Result<serde_json::Value, _> = serde_json::from_slice(&bytes);
            usize::from(std::hint::black_box(value).is_ok())
        })
        .sum();
    if parsed == files.len() {
        Ok(())
    } else {
        Err("a file is no JSON".into())
    }
}

/// The audit as the command line runs it, its text written to nowhere.
fn whole_audit(folder: &Path) -> Result<()> {
    let policy = policy::load("builtin:roce-lossless")?;
    let options = Options {
        devices: Selection::default(),
        ports: Selection::default(),
        checks: Selection::default(),
        now: jiff::Timestamp::now(),
        each_port: false,
        passes: false,
        cables: Vec::new(),
    };
    let units = source::discover(&folder.to_string_lossy(), &[])?;
    let report = audit(&units, &policy, &options)?;
    report::text::write(&report, &report::Style::default(), &mut io::sink())?;
    Ok(())
}

fn peak_memory_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.ok_or("no VmHWM in /proc/self/status")?.parse()?)
}
