//! Whole audits of text configurations next to what others need to parse them,
//! in one run. See README.md.

mod configurations;

use configurations::ALL;
use roceaudit::audit::{Options, Selection, audit};
use roceaudit::{policy, report, source};
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Devices of each speed measurement, and lines of each.
const DEVICES: usize = 100;
const DEVICE_LINES: usize = 4_000;
/// Rounds; the shortest counts.
const ROUNDS: usize = 5;
/// Lines of one configuration, to see that time grows with them.
const LINES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// Libraries from PyPI that parse such configurations, and the platforms whose
/// syntax they know.
const LIBRARIES: [&str; 2] = ["hier_config", "ciscoconfparse2"];
const KNOWN_TO_LIBRARIES: [&str; 2] = ["eos", "nxos"];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    // One thread: figures are those of one core.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let mut out = io::stdout().lock();
    match folder {
        Some(folder) => compare(&configurations(Path::new(&folder))?, &mut out),
        None => {
            let folder = tempfile::tempdir()?;
            for kind in ALL {
                if KNOWN_TO_LIBRARIES.contains(&kind.platform) {
                    let file = folder.path().join(format!("{}.cfg", kind.platform));
                    std::fs::write(file, kind.configuration(DEVICE_LINES))?;
                }
            }
            compare(&configurations(folder.path())?, &mut out)?;
            growth(&mut out)
        }
    }
}

/// Whole audits of these files, next to parsing them with the libraries.
fn compare(files: &[PathBuf], out: &mut impl Write) -> Result<()> {
    let (ours, bytes) = audited(files)?;
    writeln!(out, "{} configurations, {bytes} bytes", files.len())?;
    writeln!(
        out,
        "{DEVICES} devices, one thread: read, judge and report {ours:>7.1} MB/s"
    )?;
    for library in LIBRARIES {
        let theirs = speed(bytes, parsed_by(library, files)?);
        writeln!(
            out,
            "  {library:<16} parsing alone            {theirs:>7.2} MB/s, we are ahead {:.0} times",
            ours / theirs
        )?;
    }
    Ok(())
}

/// The speed of auditing these files as many devices, and their size.
fn audited(files: &[PathBuf]) -> Result<(f64, u64)> {
    let many = tempfile::tempdir()?;
    let mut repeated = 0;
    for (n, file) in files.iter().cycle().take(DEVICES).enumerate() {
        std::os::unix::fs::symlink(file, many.path().join(format!("switch{n:05}.cfg")))?;
        repeated += file.metadata()?.len();
    }
    let ours = speed(repeated, shortest(|| whole_audit(many.path()))?);
    Ok((ours, total_bytes(files)?))
}

/// Each platform: many devices, and one configuration by its length.
fn growth(out: &mut impl Write) -> Result<()> {
    write!(out, "{:<12}{DEVICES:>6} devices", "platform")?;
    for lines in LINES {
        write!(out, "{lines:>10} lines")?;
    }
    writeln!(out, "  growth")?;
    for kind in ALL {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("leaf1.cfg");
        std::fs::write(&file, kind.configuration(DEVICE_LINES))?;
        let (ours, _) = audited(std::slice::from_ref(&file))?;
        write!(out, "{:<12}{ours:>9.1} MB/s", kind.platform)?;
        let mut a_byte = Vec::new();
        for lines in LINES {
            let text = kind.configuration(lines);
            std::fs::write(&file, &text)?;
            let time = shortest(|| whole_audit(folder.path()))?;
            a_byte.push(time.as_nanos() as f64 / text.len() as f64);
            write!(out, "{:>11.2} ns/B", a_byte.last().unwrap_or(&f64::NAN))?;
        }
        let growth = a_byte
            .last()
            .zip(a_byte.first())
            .map(|(last, first)| last / first);
        writeln!(out, "{:>8.2}", growth.unwrap_or(f64::NAN))?;
    }
    Ok(())
}

fn speed(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

fn total_bytes(files: &[PathBuf]) -> Result<u64> {
    let mut bytes = 0;
    for file in files {
        bytes += file.metadata()?.len();
    }
    Ok(bytes)
}

/// The text configurations of a folder.
fn configurations(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let text = path.extension().is_some_and(|e| e == "cfg" || e == "conf");
        if text {
            files.push(path.canonicalize()?);
        }
    }
    files.sort();
    match files.is_empty() {
        true => Err(format!("no .cfg or .conf file in {}", folder.display()).into()),
        false => Ok(files),
    }
}

/// The time that a library needs to parse the files.
fn parsed_by(library: &str, files: &[PathBuf]) -> Result<Duration> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{library}"));
    let python = venv.join("bin/python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", library]))?;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/text/parse.py");
    let output = Command::new(&python)
        .arg(script)
        .arg(library)
        .args(files)
        .output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    match printed.trim().parse() {
        Ok(seconds) => Ok(Duration::from_secs_f64(seconds)),
        Err(_) => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

fn succeed(command: &mut Command) -> Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(format!("{command:?} failed").into()),
    }
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
