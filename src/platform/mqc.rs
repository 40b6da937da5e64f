//! Traffic policies as VRP and Comware write them: a policy binds classifiers
//! to behaviors, and a behavior may re-mark or police what trust has decided.

use super::notes::Notes;
use super::text::statements::Statement;
use super::text::views::words;
use crate::model::{NoteKind, Origin};
use std::collections::HashMap;

/// All policies of one configuration.
#[derive(Default)]
pub struct Policies<'t> {
    policies: HashMap<&'t str, (Vec<Rule<'t>>, Origin)>,
    /// What each behavior does: `remark dscp 0`, `car cir 1000`.
    behaviors: HashMap<&'t str, Vec<&'t str>>,
    classifiers: HashMap<&'t str, Origin>,
}

/// First words of what a behavior can do.
const ACTS: &[&str] = &[
    "accounting",
    "car",
    "deny",
    "description",
    "filter",
    "gts",
    "mirror-to",
    "mirroring",
    "nest",
    "permit",
    "primap",
    "quit",
    "redirect",
    "remark",
    "service-class",
    "statistics",
];

struct Rule<'t> {
    classifier: &'t str,
    behavior: &'t str,
    at: Origin,
}

impl<'t> Policies<'t> {
    /// Reads a statement of the top level, if it is of a policy. `policy` is
    /// what the platform calls one: `traffic`, `qos`.
    pub fn read(
        &mut self,
        statement: &Statement<'_, 't>,
        policy: &str,
        capture: usize,
        notes: &mut Notes,
    ) -> bool {
        let at = |s: &Statement<'_, 't>| Origin::new(capture, s.offset());
        let mut unknown = |s: &Statement<'_, 't>| {
            let text = format!("the line {:?} is not understood", s.text());
            notes.add(NoteKind::Unparsed, None, text, at(s));
        };
        match &*words(statement) {
            [word, "policy", name, ..] if *word == policy => {
                let (rules, first) = self.policies.entry(name).or_default();
                *first = at(statement);
                for child in statement.children() {
                    match &*words(&child) {
                        ["classifier", classifier, "behavior", behavior, ..] => rules.push(Rule {
                            classifier,
                            behavior,
                            at: at(&child),
                        }),
                        [
                            "quit" | "share-mode" | "statistics" | "description" | "step",
                            ..,
                        ] => {}
                        _ => unknown(&child),
                    }
                }
            }
            ["traffic", "behavior", name, ..] => {
                let acts = self.behaviors.entry(name).or_default();
                for child in statement.children() {
                    match ACTS.contains(&child.first_word()) {
                        true => acts.push(child.text()),
                        false => unknown(&child),
                    }
                }
            }
            ["traffic", "classifier", name, ..] => {
                self.classifiers.insert(name, at(statement));
                let lines = statement.children();
                let odd = |s: &Statement<'_, 't>| {
                    !matches!(s.first_word(), "if-match" | "description" | "quit")
                };
                lines.filter(odd).for_each(|line| unknown(&line));
            }
            _ => return false,
        }
        true
    }

    /// All policies, with the line that defines each.
    pub fn all(&self) -> impl Iterator<Item = (&'t str, Origin)> {
        self.policies.iter().map(|(name, (_, at))| (*name, *at))
    }

    /// Tells of a policy that a port (or, without one, the whole switch)
    /// attaches: that it does not exist, or what it does in the place of trust.
    pub fn attached(&self, port: Option<&str>, name: &str, at: Origin, notes: &mut Notes) {
        let Some((rules, _)) = self.policies.get(name) else {
            let text = format!("there is no traffic policy {name}");
            return notes.add(NoteKind::Unresolved, port, text, at);
        };
        for rule in rules {
            if !self.classifiers.contains_key(rule.classifier) {
                let what = format!("{name} {}", rule.classifier);
                let text = format!("policy {name}: there is no classifier {}", rule.classifier);
                notes.once(NoteKind::Unresolved, "classifier", &what, &text, rule.at);
                continue; // it matches nothing
            }
            let Some(acts) = self.behaviors.get(rule.behavior) else {
                let what = format!("{name} {}", rule.behavior);
                let text = format!("policy {name}: there is no behavior {}", rule.behavior);
                notes.once(NoteKind::Unresolved, "behavior", &what, &text, rule.at);
                continue;
            };
            if let Some(act) = acts.iter().find(|act| beats_trust(act)) {
                let text = format!("traffic policy {name} decides in the place of trust: {act}");
                return notes.add(NoteKind::Override, port, text, at);
            }
        }
    }
}

/// Whether an act changes the class or the DSCP, drops, or limits the rate.
fn beats_trust(act: &str) -> bool {
    let mut words = act.split_ascii_whitespace();
    match words.next() {
        Some("car" | "deny" | "gts" | "primap" | "service-class") => true,
        Some("filter") => words.next() == Some("deny"),
        // Comware names the colour of the packets first.
        Some("remark") => words
            .find(|word| !matches!(*word, "green" | "yellow" | "red"))
            .is_some_and(|what| {
                matches!(
                    what,
                    "dscp" | "local-precedence" | "8021p" | "dot1p" | "ip-precedence"
                )
            }),
        _ => false,
    }
}
