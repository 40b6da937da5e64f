//! Where a line lies, for readers that open it: a path as seen from the
//! working directory.

use crate::audit::Report;
use crate::finding::{Evidence, Finding};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Finds the files of a report.
pub struct Files<'r> {
    roots: HashMap<&'r str, &'r Path>,
    policy: &'r str,
    /// The working directory; paths below it are told relative to it.
    here: Option<PathBuf>,
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileLine {
    /// With `/` between its parts; relative where it lies below the working
    /// directory.
    pub path: String,
    /// From 1 on.
    pub line: u32,
}

impl<'r> Files<'r> {
    /// The files of a report.
    pub fn new(report: &'r Report) -> Self {
        let devices = report.devices.iter();
        let roots = devices.filter_map(|d| Some((d.name.as_str(), d.root.as_deref()?)));
        Files {
            roots: roots.collect(),
            policy: &report.policy.source,
            here: std::env::current_dir().ok(),
        }
    }

    /// Where the line is; none of what was piped in.
    pub fn of(&self, finding: &Finding, evidence: &Evidence) -> Option<FileLine> {
        let root = self.roots.get(&*finding.device)?;
        Some(FileLine {
            path: self.shown(&root.join(&*evidence.source)),
            line: evidence.line,
        })
    }

    /// The line that a finding is best shown at: the first that was read, else
    /// that of the policy which asked.
    pub fn best(&self, finding: &Finding) -> Option<FileLine> {
        let lines = finding.places.iter().flat_map(|place| &place.evidence);
        let read = lines.filter_map(|line| self.of(finding, line)).next();
        read.or_else(|| {
            let asked = finding.policy.is_known() && !self.policy.starts_with("builtin:");
            asked.then(|| self.policy_line(finding.policy.line))
        })
    }

    /// A line of the policy.
    pub fn policy_line(&self, line: u32) -> FileLine {
        FileLine {
            path: self.shown(Path::new(self.policy)),
            line,
        }
    }

    fn shown(&self, path: &Path) -> String {
        let below = self
            .here
            .as_deref()
            .and_then(|here| path.strip_prefix(here).ok());
        let mut parts = Vec::new();
        for part in below.unwrap_or(path).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                    parts.pop();
                }
                Component::RootDir => parts.push(String::new()),
                part => parts.push(part.as_os_str().to_string_lossy().into_owned()),
            }
        }
        parts.join("/")
    }
}
