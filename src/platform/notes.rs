//! What a platform notices on reading and no fact can hold.

use crate::model::{Device, Fact, Note, NoteKind, Origin};

/// What was noticed. Of one kind of slip that a capture repeats on every row,
/// one note is enough.
#[derive(Default)]
pub struct Notes {
    /// In the order of discovery.
    pub all: Vec<Note>,
    told: Vec<(&'static str, String)>,
}

impl Notes {
    /// Adds a note.
    pub fn add(&mut self, kind: NoteKind, port: Option<&str>, text: String, at: Origin) {
        self.all.push(Note {
            kind,
            port: port.map(str::to_owned),
            text,
            at,
        });
    }

    /// Adds a note of this `group` about `what` unless it was told before.
    pub fn once(
        &mut self,
        kind: NoteKind,
        group: &'static str,
        what: &str,
        text: &str,
        at: Origin,
    ) {
        if self.told.len() < 64 && !self.told.iter().any(|(g, w)| *g == group && w == what) {
            self.told.push((group, what.to_owned()));
            self.add(kind, None, text.to_owned(), at);
        }
    }
}

/// What the configuration says of tunnels and of how long addresses last.
pub fn forwarding(device: &mut Device, capture: usize, config: &str) {
    if let Some(offset) = super::text::forwarding::vtep(config) {
        device.vtep = Origin::new(capture, offset);
    }
    ageing(device, capture, config);
}

/// How long the switch remembers addresses, by its configuration.
fn ageing(device: &mut Device, capture: usize, config: &str) {
    let (mac, arp) = super::text::forwarding::ageing(config);
    let fact = |(seconds, offset)| Fact::explicit(seconds, Origin::new(capture, offset));
    for (told, own) in [
        (mac, &mut device.mac_ageing_s),
        (arp, &mut device.arp_timeout_s),
    ] {
        if let Some(told) = told {
            *own = fact(told);
        }
    }
}
