//! Whole audits of text configurations next to what others need to parse them,
//! in one run. See README.md.

use roceaudit::audit::{Options, Selection, audit};
use roceaudit::{policy, report, source};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Devices of the speed measurement.
const DEVICES: usize = 500;
/// Rounds; the shortest counts.
const ROUNDS: usize = 5;
/// Lines of one configuration, to see that time grows with them.
const LINES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// Libraries from PyPI that parse such configurations.
const LIBRARIES: [&str; 2] = ["hier_config", "ciscoconfparse2"];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    // One thread: figures are those of one core.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let files = match folder {
        Some(folder) => configurations(Path::new(&folder))?,
        None => fixtures()?,
    };
    let mut out = io::stdout().lock();
    let bytes = total_bytes(&files)?;
    writeln!(out, "{} configurations, {bytes} bytes", files.len())?;

    let many = tempfile::tempdir()?;
    let mut repeated = 0;
    for (n, file) in files.iter().cycle().take(DEVICES).enumerate() {
        std::os::unix::fs::symlink(file, many.path().join(format!("switch{n:05}.cfg")))?;
        repeated += file.metadata()?.len();
    }
    let ours = speed(repeated, shortest(|| whole_audit(many.path()))?);
    writeln!(
        out,
        "{DEVICES} devices, one thread: read, judge and report {ours:>7.1} MB/s"
    )?;
    for library in LIBRARIES {
        let theirs = speed(bytes, parsed_by(library, &files)?);
        writeln!(
            out,
            "  {library:<16} parsing alone            {theirs:>7.2} MB/s, we are ahead {:.0} times",
            ours / theirs
        )?;
    }

    writeln!(out, "one configuration, by its length")?;
    for lines in LINES {
        let folder = tempfile::tempdir()?;
        let text = long_configuration(lines);
        std::fs::write(folder.path().join("leaf1.cfg"), &text)?;
        let time = shortest(|| whole_audit(folder.path()))?;
        writeln!(
            out,
            "  {lines:>9} lines {time:>10.1?} {:>6.0} ns/line {:>7.1} MB/s",
            time.as_nanos() as f64 / lines as f64,
            speed(text.len() as u64, time)
        )?;
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

/// The good configurations of the fixtures whose syntax the libraries know.
fn fixtures() -> Result<Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut files = Vec::new();
    for platform in ["eos", "nxos"] {
        for version in std::fs::read_dir(root.join(platform))? {
            files.extend(configurations(&version?.path().join("good/raw"))?);
        }
    }
    Ok(files)
}

/// A leaf with as many ports as it takes.
fn long_configuration(lines: usize) -> String {
    let mut text = String::from(
        "hostname leaf1\n!\nqos map dscp 26 to traffic-class 3\nqos map dscp 48 to traffic-class 6\n!\n",
    );
    for port in 1..=lines / 10 {
        let _ = write!(
            text,
            "interface Ethernet{port}\n   description to gpu{port}\n   mtu 9214\n   no switchport\n   \
             qos trust dscp\n   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n   \
             tx-queue 3\n      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes \
             max-mark-probability 100 weight 0\n!\n"
        );
    }
    text
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
