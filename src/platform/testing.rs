//! What the tests of all platforms share.

use super::Platform;
use crate::model::{Device, Fact, NoteKind, Priorities};
use crate::source::Capture;

/// The model of `leaf1` from captures, each with its source's name.
pub fn read(platform: &dyn Platform, texts: &[(&str, &str)]) -> Device {
    let captures: Vec<Capture> = texts
        .iter()
        .map(|(name, text)| Capture::new(*name, *text))
        .collect();
    let recognised: Vec<_> = captures
        .iter()
        .map(|capture| (capture, platform.recognise(capture).map(|found| found.spec)))
        .collect();
    platform.read("leaf1", &recognised)
}

/// A set of priorities.
pub fn set(priorities: &[u8]) -> Priorities {
    priorities.iter().copied().collect()
}

/// The texts of the notes of this kind.
pub fn notes(device: &Device, kind: NoteKind) -> Vec<&str> {
    let notes = device.notes.iter().filter(|note| note.kind == kind);
    notes.map(|note| note.text.as_str()).collect()
}

/// What an origin points at in the text, up to the end of its line.
pub fn at<T>(text: &str, fact: &Fact<T>) -> String {
    let rest = text.get(fact.at().offset()..).unwrap_or_default();
    rest.lines().next().unwrap_or_default().to_owned()
}
