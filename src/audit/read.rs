//! Reads a device: its captures are recognised, and their platform turns them
//! into the model.

use crate::model::{Device, Note, NoteKind, Origin, words};
use crate::platform::{self, CaptureSpec, Certainty, Platform};
use crate::source::{Capture, Loaded, Unit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

words! {
    /// How far a device was audited.
    DeviceStatus {
        /// Its captures were read.
        Audited = "audited",
        /// Some of its captures were not.
        Partial = "partial",
        /// None of its captures is of a kind that a platform knows.
        Unrecognised = "unrecognised",
        /// It could not be read at all.
        Error = "error",
    }
}

/// A device as read.
pub struct ReadDevice {
    /// Its name.
    pub name: String,
    /// How far it was read.
    pub status: DeviceStatus,
    /// The model, where a platform could make one.
    pub device: Option<Device>,
    /// What could not be read, with the check that it belongs to.
    pub problems: Vec<(&'static str, Note)>,
    /// The captures that origins count in.
    pub captures: Vec<Capture>,
    /// The folder that their sources lie in.
    pub root: Option<Arc<Path>>,
}

/// Reads the captures of a unit and makes its model. A parser that panics
/// costs this device only.
pub fn read_unit(unit: &Unit) -> ReadDevice {
    read_loaded(unit, unit.load())
}

/// Makes the model of a unit whose captures were loaded already.
pub fn read_loaded(unit: &Unit, loaded: Loaded) -> ReadDevice {
    let mut read = ReadDevice {
        name: unit.name.clone(),
        status: DeviceStatus::Audited,
        device: None,
        problems: Vec::new(),
        captures: loaded.captures,
        root: unit.root.clone(),
    };
    for (capture, what) in loaded.problems {
        read.problem("collect/failed", NoteKind::Failed, what, Some(capture));
    }
    if let Some(clash) = loaded.clash {
        read.problem("collect/failed", NoteKind::Failed, clash, None);
        read.status = DeviceStatus::Error;
        return read;
    }
    let Some(platform) = platform_for(unit, &read.captures) else {
        read.unrecognised(None, |_| true);
        read.status = DeviceStatus::Unrecognised;
        return read;
    };
    let recognised = recognise(platform, &read.captures);
    let pairs: Vec<_> = read.captures.iter().zip(recognised.clone()).collect();
    match model(platform, &unit.name, &pairs) {
        Ok(mut device) => {
            device.role.clone_from(&unit.role);
            let unread = |n| recognised.get(n).is_none_or(Option::is_none);
            read.unrecognised(Some(platform.name()), unread);
            let failed = device.notes.iter().any(|note| {
                matches!(
                    note.kind,
                    NoteKind::Failed | NoteKind::Denied | NoteKind::Unrecognised
                )
            });
            if failed || !read.problems.is_empty() {
                read.status = DeviceStatus::Partial;
            }
            read.device = Some(device);
        }
        Err(what) => {
            read.problem("internal/parser", NoteKind::Failed, what, None);
            read.status = DeviceStatus::Error;
        }
    }
    read
}

/// The model, or what a parser said when it stopped.
fn model(
    platform: &dyn Platform,
    name: &str,
    captures: &[(&Capture, Option<&'static CaptureSpec>)],
) -> Result<Device, String> {
    catch_unwind(AssertUnwindSafe(|| platform.read(name, captures))).map_err(|panic| {
        format!(
            "the {} parser stopped on an internal error ({}); please report it with the capture",
            platform.name(),
            panic_text(panic.as_ref()),
        )
    })
}

impl ReadDevice {
    fn problem(
        &mut self,
        check: &'static str,
        kind: NoteKind,
        text: String,
        capture: Option<usize>,
    ) {
        let at = capture.map_or(Origin::NONE, |n| Origin::new(n, 0));
        self.problems.push((
            check,
            Note {
                kind,
                port: None,
                text,
                at,
            },
        ));
    }

    /// Captures that were not read, by the platform that the device is read as.
    fn unrecognised(&mut self, read_as: Option<&str>, is: impl Fn(usize) -> bool) {
        let told: Vec<Option<usize>> = self.problems.iter().map(|p| p.1.at.capture()).collect();
        for n in 0..self.captures.len() {
            if is(n) && !told.contains(&Some(n)) && !self.captures[n].text.trim().is_empty() {
                let other = platform_of(&self.captures[n..=n]);
                let what = match (other, read_as, &self.captures[n].command) {
                    (Some(other), Some(read_as), _) => format!(
                        "this is of {}, but the device is read as {read_as}: each device needs \
                         a folder of its own",
                        other.name()
                    ),
                    (_, _, Some(command)) => {
                        format!("the output of `{command}` is of no kind known")
                    }
                    (_, _, None) => "the content is of no kind known".to_owned(),
                };
                let kind = NoteKind::Unrecognised;
                self.problem("collect/unrecognised", kind, what, Some(n));
            }
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_owned()
    }
}

/// The platform of a unit: as an inventory says, else as its captures tell.
pub fn platform_for(unit: &Unit, captures: &[Capture]) -> Option<&'static dyn Platform> {
    let told = unit.platform.as_deref().and_then(platform::by_name);
    told.or_else(|| platform_of(captures))
}

/// The platform that recognises the captures best. One that is sure of a
/// capture ends the search: a configuration is of one platform only.
fn platform_of(captures: &[Capture]) -> Option<&'static dyn Platform> {
    let mut scores = vec![(None, 0usize); platform::registry().len()];
    for capture in captures {
        for (platform, (top, count)) in platform::registry().iter().zip(&mut scores) {
            let Some(recognised) = platform.recognise(capture) else {
                continue;
            };
            *top = (*top).max(Some(recognised.certainty));
            *count += 1;
            if recognised.certainty == Certainty::Sure {
                break;
            }
        }
    }
    let best = scores
        .iter()
        .enumerate()
        .filter(|(_, (_, count))| *count > 0);
    // Of equals the first in the registry.
    let (n, _) = best.rev().max_by_key(|(_, score)| **score)?;
    platform::registry().get(n).copied()
}

fn recognise(platform: &dyn Platform, captures: &[Capture]) -> Vec<Option<&'static CaptureSpec>> {
    let recognised = captures.iter().map(|capture| platform.recognise(capture));
    recognised.map(|r| r.map(|r| r.spec)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::DeviceKind;
    use crate::platform::{Recognised, Remedy};

    /// A platform whose parser has a fault.
    struct Faulty;

    impl Platform for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }
        fn kind(&self) -> DeviceKind {
            DeviceKind::Switch
        }
        fn captures(&self) -> &'static [CaptureSpec] {
            &[]
        }
        fn recognise(&self, _: &Capture) -> Option<Recognised> {
            None
        }
        fn read(&self, _: &str, _: &[(&Capture, Option<&'static CaptureSpec>)]) -> Device {
            panic!("index out of range")
        }
        fn fix(&self, _: &Device, _: &str, _: &Remedy) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn a_parser_that_panics_is_told_and_caught() {
        let what = model(&Faulty, "leaf1", &[]).err().unwrap();
        assert!(what.contains("faulty parser stopped") && what.contains("index out of range"));
    }
}
