//! Where a fact was read: a capture and a byte in it. Eight bytes, so that
//! every fact can carry one; line, column and text are looked up only for
//! what gets reported.

/// The place in a device's captures that a fact was read from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Origin {
    capture: u32,
    offset: u32,
}

impl Origin {
    /// No place: nothing in any capture speaks of it.
    pub const NONE: Origin = Origin {
        capture: u32::MAX,
        offset: 0,
    };

    /// The byte `offset` of the capture with this index in its device.
    /// Positions past 4 GiB give [`Origin::NONE`]; captures are capped well below.
    pub fn new(capture: usize, offset: usize) -> Origin {
        match (u32::try_from(capture), u32::try_from(offset)) {
            (Ok(capture), Ok(offset)) => Origin { capture, offset },
            _ => Origin::NONE,
        }
    }

    /// Whether there is a place at all.
    pub fn is_known(self) -> bool {
        self.capture != u32::MAX
    }

    /// Index of the capture in its device, where there is a place.
    pub fn capture(self) -> Option<usize> {
        self.is_known().then_some(self.capture as usize)
    }

    /// Byte offset in the capture's cleaned text.
    pub fn offset(self) -> usize {
        self.offset as usize
    }
}

impl Default for Origin {
    fn default() -> Self {
        Origin::NONE
    }
}
