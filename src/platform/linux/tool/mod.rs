//! Which tool printed a capture: by its command where the source tells it,
//! else by content.

mod list;
mod makes;

use super::parse::{Input, Statements};
use crate::platform::{CaptureSpec, Certainty};

/// A tool and the reader of what it prints.
pub struct Tool {
    /// As typed.
    pub spec: CaptureSpec,
    /// First words of its command line; options in any place.
    command: &'static [&'static str],
    /// Whether a text is of it.
    recognise: fn(&str) -> bool,
    /// How much that says.
    certainty: Certainty,
    /// Turns its text into statements.
    pub read: fn(&Input<'_>, &mut Statements),
    /// Whether it may be run to collect; the rest is read where people have it.
    pub collected: Collected,
}

/// When a tool is run to collect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Collected {
    /// Always.
    Always,
    /// Only with --allow-configfs: reading makes a configfs folder and removes it.
    WithConfigfs,
    /// Never: recorded output, files of the host.
    Never,
}

/// All tools, in the order in which content is asked.
pub fn all() -> impl Iterator<Item = &'static Tool> {
    list::LIST.iter().chain(makes::MAKES)
}

/// What tells the files of sysfs apart.
const FOLDERS: &[&str] = &[
    "/ecn",
    "cc_params",
    "traffic_class",
    "counters",
    "/config/bnxt_re/",
    "/debug/bnxt_re/",
    "/config/irdma/",
    "/module/irdma/",
];

/// Commands whose options name another entry than the tool's first.
fn by_command(words: &[&str]) -> Option<&'static Tool> {
    let first = *words.first()?;
    let has = |option: &str| words.contains(&option);
    if matches!(first, "cat" | "grep" | "head" | "tail" | "less" | "ls") {
        let path = words.iter().find(|word| word.starts_with("/sys/"))?;
        if first == "ls" {
            return None; // the links that it lists tell what it is
        }
        let part = FOLDERS.iter().find(|part| path.contains(**part));
        let part = part.copied().unwrap_or("/ecn");
        return all().find(|tool| tool.spec.command.contains(part));
    }
    if first.starts_with("ib_") && (first.ends_with("_bw") || first.ends_with("_lat")) {
        return all().find(|tool| tool.command == ["ib_write_bw"]);
    }
    let fitting = all().filter(|tool| match tool.command {
        [] => false,
        [name] => *name == first,
        [name, rest @ ..] => *name == first && rest.iter().all(|word| has(word)),
    });
    // `ethtool --show-fec` before `ethtool`.
    fitting.reduce(|best, tool| match tool.command.len() > best.command.len() {
        true => tool,
        false => best,
    })
}

/// What a tool prints first is within so many bytes.
const HEAD: usize = 64 << 10;

/// The tools whose output a capture holds, the main one first. A file without
/// a command can hold the output of several.
pub fn of(input: &Input<'_>) -> Vec<&'static Tool> {
    let text = input.text;
    let named = |name: &str| all().find(|tool| tool.spec.command == name);
    if super::noise::are_commands(text) {
        return named("commands").into_iter().collect();
    }
    if let Some(tool) = by_command(&input.command) {
        return vec![tool];
    }
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text);
    let by_content = all().filter(|tool| (tool.recognise)(head));
    by_content.collect()
}

impl Tool {
    /// How sure its recognition is.
    pub fn certainty(&self, input: &Input<'_>) -> Certainty {
        let own = !matches!(
            self.command.first(),
            None | Some(&("cat" | "grep" | "ip" | "sysctl"))
        );
        match input.command.first() {
            Some(first) if own && self.command.first() == Some(first) => Certainty::Sure,
            _ => self.certainty,
        }
    }
}
