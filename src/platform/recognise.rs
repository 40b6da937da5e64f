//! How a capture is told by its lines and by its command.

use super::{CaptureSpec, Certainty, Recognised, is_command};
use crate::source::Capture;
use memchr::memmem;

/// What tells the captures of a platform.
pub struct Marks {
    /// Its captures.
    pub specs: &'static [CaptureSpec],
    /// The command of the configuration.
    pub config: &'static str,
    /// Words that only one show command prints, all near its beginning.
    pub shows: &'static [(&'static str, &'static [&'static str])],
    /// How a line of the configuration begins that no other platform writes.
    pub sure: &'static [&'static str],
    /// How a line of the configuration begins that another could write too.
    pub likely: &'static [&'static str],
}

/// What a show command prints first is within so many bytes.
const HEAD: usize = 4096;
/// What tells a configuration is within so many bytes.
const CONFIG_HEAD: usize = 1 << 16;

fn head(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most.min(text.len())))
        .unwrap_or_default()
}

impl Marks {
    fn spec(&self, command: &str) -> Option<&'static CaptureSpec> {
        self.specs.iter().find(|spec| spec.command == command)
    }

    /// Which capture this is.
    pub fn recognise(&self, capture: &Capture) -> Option<Recognised> {
        let start = head(&capture.text, HEAD).as_bytes();
        let holds = |word: &&str| memmem::find(start, word.as_bytes()).is_some();
        let shown = self.shows.iter().find(|(_, words)| words.iter().all(holds));
        if let Some((command, _)) = shown {
            return Some(Recognised {
                spec: self.spec(command)?,
                certainty: Certainty::Sure,
            });
        }
        let begins = |line: &str, marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        let mut likely = false;
        for line in head(&capture.text, CONFIG_HEAD).split('\n') {
            let line = line.trim_ascii_start();
            if begins(line, self.sure) {
                return Some(Recognised {
                    spec: self.spec(self.config)?,
                    certainty: Certainty::Sure,
                });
            }
            likely |= begins(line, self.likely);
        }
        if likely {
            return Some(Recognised {
                spec: self.spec(self.config)?,
                certainty: Certainty::Likely,
            });
        }
        // The command tells what content does not: an empty table.
        let typed = self
            .specs
            .iter()
            .find(|spec| is_command(spec.command, capture.command()));
        typed.map(|spec| Recognised {
            spec,
            certainty: Certainty::Possible,
        })
    }
}
