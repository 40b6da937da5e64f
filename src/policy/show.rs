//! The policy that holds for one port, as text, with the line of each value.

use std::fmt::Write as _;

use super::read::Visit;
use super::select::{PolicySet, Subject};
use super::yaml::Position;

/// The column where the positions stand, where the value leaves room.
const POSITION_COLUMN: usize = 44;

struct Shown<'a> {
    text: String,
    /// Sections that were entered and have shown no value yet.
    pending: Vec<String>,
    depth: usize,
    source: &'a str,
}

impl Shown<'_> {
    fn open_pending(&mut self) {
        for key in std::mem::take(&mut self.pending) {
            let _ = writeln!(self.text, "{}{key}:", "  ".repeat(self.depth));
            self.depth += 1;
        }
    }
}

impl Visit for Shown<'_> {
    fn enter(&mut self, key: &str) {
        self.pending.push(key.to_owned());
    }

    fn leave(&mut self) {
        if self.pending.pop().is_none() {
            self.depth = self.depth.saturating_sub(1);
        }
    }

    fn leaf(&mut self, key: &str, text: String, position: Position) {
        self.open_pending();
        // As it must stand in a policy: `>` and `*` mean something else to YAML.
        let quote = if text.starts_with(['>', '<', '*']) {
            "\""
        } else {
            ""
        };
        let line = format!("{}{key}: {quote}{text}{quote}", "  ".repeat(self.depth));
        let Position { line: at, column } = position;
        let source = self.source;
        let _ = writeln!(
            self.text,
            "{line:POSITION_COLUMN$}  # {source}:{at}:{column}"
        );
    }
}

impl PolicySet {
    /// What holds for the subject: each value, and where the policy says so.
    pub fn show(&self, subject: &Subject<'_>) -> String {
        let effective = self.effective(subject);
        let mut shown = Shown {
            text: String::new(),
            pending: Vec::new(),
            depth: 0,
            source: self.source(),
        };
        let role = self.role(subject).unwrap_or("none");
        let _ = writeln!(shown.text, "# policy {}, role {role}", self.name());
        effective.body().visit_keys(&mut shown);
        shown.text
    }
}
