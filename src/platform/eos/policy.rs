//! Policies on a port, which decide in the place of its trust.

use super::parse::{Config, Reader, Said, numbers};
use crate::model::port::SharedMap;
use crate::model::{CodeMap, Fact, NoteKind, Origin};
use crate::platform::notes::Notes;
use crate::platform::text::statements::Statement;
use std::collections::HashMap;
use std::sync::Arc;

/// A class-map of type qos.
#[derive(Default)]
pub struct ClassMap<'t> {
    /// The code points that it matches, a bit each.
    dscp: u64,
    /// A match that is not by DSCP alone.
    other: Option<&'t str>,
}

/// A policy-map of type quality-of-service.
#[derive(Default)]
pub struct Policy<'t> {
    classes: Vec<Class<'t>>,
}

struct Class<'t> {
    name: &'t str,
    at: Origin,
    /// `set traffic-class`.
    tc: Said<u8>,
    /// What else it does to packets (`police …`, `set dscp …`, `drop`).
    act: Said<&'t str>,
}

/// Kinds of maps that have no say in how ports queue.
pub const OTHER_KINDS: &[&str] = &["pbr", "control-plane", "copp", "tapagg", "pdp"];

impl Reader<'_> {
    /// `class-map` and `policy-map`.
    pub fn classification<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        match &*statement.words() {
            [_, "type", kind, ..] if OTHER_KINDS.contains(kind) => {}
            [
                "class-map",
                "type",
                "qos" | "quality-of-service",
                how @ ("match-any" | "match-all"),
                name,
            ] => {
                let class = self.class_map(statement, *how == "match-all");
                config.classes.insert(name, class);
            }
            ["policy-map", "type", "qos" | "quality-of-service", name] => {
                let at = self.at(statement);
                let policy = self.policy(statement);
                config.policies.insert(name, (policy, at));
            }
            _ => self.unparsed(None, statement),
        }
    }

    fn class_map<'t>(&mut self, statement: &Statement<'_, 't>, all: bool) -> ClassMap<'t> {
        let mut class = ClassMap::default();
        for (n, line) in statement.children().enumerate() {
            match &*line.words() {
                ["match", "dscp", codes @ ..] if numbers(codes, 63).is_some() => {
                    let codes = numbers(codes, 63).into_iter().flatten();
                    class.dscp |= codes.fold(0, |set, code| set | 1 << code);
                }
                ["match", _, _, ..] => class.other = Some(line.text()),
                _ => self.unparsed(None, &line),
            }
            if all && n > 0 {
                class.other = Some(line.text()); // several conditions at once
            }
        }
        class
    }

    fn policy<'t>(&mut self, statement: &Statement<'_, 't>) -> Policy<'t> {
        let mut policy = Policy::default();
        for block in statement.children() {
            let words = block.words();
            let (["class", name] | ["class", name, "insert-before", _]) = &*words else {
                self.unparsed(None, &block);
                continue;
            };
            let mut class = Class {
                name,
                at: self.at(&block),
                tc: None,
                act: None,
            };
            for line in block.children() {
                let at = self.at(&line);
                match &*line.words() {
                    ["set", "traffic-class", tc] => {
                        class.tc = tc.parse().ok().filter(|tc| *tc < 8).map(|tc| (tc, at));
                        self.unless(class.tc.is_some(), None, &line);
                    }
                    ["set", "cos" | "drop-precedence", _] => {}
                    ["set", "dscp", _] | ["police", ..] | ["drop"] => {
                        class.act = Some((line.text(), at));
                    }
                    _ => self.unparsed(None, &line),
                }
            }
            policy.classes.push(class);
        }
        policy
    }

    /// `traffic-policies`: the first line of each policy that sets a class or
    /// a DSCP, or polices.
    pub fn traffic_policies<'t>(&mut self, statement: &Statement<'_, 't>, config: &mut Config<'t>) {
        for policy in statement.children() {
            let Some(name) = policy.after("traffic-policy") else {
                continue;
            };
            let mut act = None;
            for line in policy.children().flat_map(|rule| rule.children()) {
                for line in line.children() {
                    let acts = matches!(
                        &*line.words(),
                        ["set", "traffic", "class", ..] | ["set", "dscp", ..] | ["police", ..]
                    );
                    act = act.or(acts.then(|| (line.text(), self.at(&line))));
                }
            }
            config.traffic.insert(name, act);
        }
    }
}

/// What a policy does on each port that it is attached to.
pub struct Effect {
    /// The DSCP map of the port with what the policy sets by DSCP alone.
    pub map: Option<SharedMap>,
    /// What it decides in the place of trust.
    pub overrides: Option<String>,
}

/// The effects of policies, worked out once each.
#[derive(Default)]
pub struct Effects<'t>(HashMap<&'t str, Option<Effect>>);

impl<'t> Effects<'t> {
    /// The effect of a policy; nothing where there is none of this name.
    pub fn of(
        &mut self,
        name: &'t str,
        config: &Config<'t>,
        trusted: &CodeMap,
        notes: &mut Notes,
    ) -> Option<&Effect> {
        let effect = self.0.entry(name).or_insert_with(|| {
            let (policy, _) = config.policies.get(name)?;
            Some(policy.effect(name, config, trusted, notes))
        });
        effect.as_ref()
    }

    /// Whether some port has the policy.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl Policy<'_> {
    /// Classes are asked in their order; the first that matches decides.
    fn effect(
        &self,
        name: &str,
        config: &Config<'_>,
        trusted: &CodeMap,
        notes: &mut Notes,
    ) -> Effect {
        let mut map = trusted.clone();
        let (mut left, mut set, mut overrides) = (u64::MAX, None, None);
        // Behind a class that matches by more, a DSCP has no one class.
        let mut by_dscp = true;
        let mut override_by = |what: &str| {
            overrides.get_or_insert_with(|| {
                format!("policy-map {name} decides in the place of trust: {what}")
            });
        };
        for class in &self.classes {
            let (codes, other) = match (class.name, config.classes.get(class.name)) {
                ("class-default", _) => (left, None),
                (_, Some(class)) => (class.dscp & left, class.other),
                (_, None) => {
                    let text = format!("policy-map {name}: there is no class-map {}", class.name);
                    notes.add(NoteKind::Unresolved, None, text, class.at);
                    continue;
                }
            };
            left &= !codes;
            by_dscp &= other.is_none();
            let decides = class.act.map(|(act, _)| act);
            if let Some(act) = decides.filter(|_| codes != 0 || other.is_some()) {
                override_by(act);
            }
            let Some((tc, at)) = class.tc else { continue };
            if let Some(other) = other {
                override_by(&format!("{other}, set traffic-class {tc}"));
            }
            for code in (0..64).filter(|code| codes & (1 << code) != 0) {
                if trusted.value(code) != Some(tc) {
                    override_by(&format!("DSCP {code} to traffic-class {tc}"));
                }
                if by_dscp {
                    map.set_explicit(code, tc, at);
                    set = Some(at);
                }
            }
        }
        Effect {
            map: set.map(|at| Fact::explicit(Arc::new(map), at)),
            overrides,
        }
    }
}
