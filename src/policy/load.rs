//! From a file, a shipped name or a text to a policy that is sound.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::assert::CompiledAssert;
use super::builtin;
use super::effective::merged;
use super::error::{PolicyError, Problem, quoted};
use super::quantity::Quantity as _;
use super::read::{Leaf, Part, Reader, Visit};
use super::schema::{Body, DEFAULT_CLASS, Ecn, Policy, VERSION};
use super::select::PolicySet;
use super::yaml::{self, Content, Located, MAX_BYTES, Position};

/// The prefix of a shipped policy's name on the command line.
const BUILTIN: &str = "builtin:";

/// Loads a policy from a file, or a shipped one by `builtin:NAME`.
///
/// # Errors
/// All that is wrong with it, as far as the reader gets.
pub fn load(source: &str) -> Result<PolicySet, PolicyError> {
    if let Some(name) = source.strip_prefix(BUILTIN) {
        let Some(text) = builtin::text(name) else {
            return Err(PolicyError::UnknownBuiltin {
                name: name.to_owned(),
                known: builtin::names().collect(),
            });
        };
        return parse(source, text);
    }
    let unreadable = |reason: String| PolicyError::Unreadable {
        file: source.to_owned(),
        reason,
    };
    let bytes = read_limited(source).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".into()))?;
    parse(source, &text)
}

/// Reads one byte more than a policy may have at most: enough to refuse it.
fn read_limited(path: &str) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    std::fs::File::open(path)?
        .take(limit)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a policy from its text. `source` is its name in messages.
///
/// # Errors
/// All that is wrong with it, as far as the reader gets.
pub fn parse(source: &str, text: &str) -> Result<PolicySet, PolicyError> {
    match checked(text) {
        Ok((policy, asserts)) => Ok(PolicySet::new(
            policy,
            source.to_owned(),
            text.to_owned(),
            asserts,
        )),
        Err(mut problems) => {
            problems.sort_by_key(|problem| problem.position);
            Err(PolicyError::Invalid {
                file: source.to_owned(),
                text: text.to_owned(),
                problems,
            })
        }
    }
}

fn checked(text: &str) -> Result<(Policy, Vec<CompiledAssert>), Vec<Problem>> {
    let empty = || vec![Problem::new(Position::default(), "the policy is empty")];
    let only_comments = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line == "---"
    };
    if text
        .trim_start_matches('\u{feff}')
        .lines()
        .all(only_comments)
    {
        return Err(empty());
    }
    let node = yaml::parse(text).map_err(|problem| vec![problem])?;
    match &node.content {
        Content::Null => return Err(empty()),
        Content::Map(entries) if entries.is_empty() => return Err(empty()),
        _ => {}
    }
    let mut reader = Reader::default();
    let policy = Policy::read(&node, &mut reader);
    let mut problems = reader.problems;
    let Some(policy) = policy else {
        return Err(problems);
    };
    let asserts = validate(&policy, &mut problems);
    if problems.is_empty() {
        Ok((policy, asserts))
    } else {
        Err(problems)
    }
}

/// What the types alone can't tell.
fn validate(policy: &Policy, problems: &mut Vec<Problem>) -> Vec<CompiledAssert> {
    let mut validator = Validator {
        complete: problems.is_empty(),
        problems,
    };
    match &policy.version {
        Some(version) if version.value.0 != VERSION => validator.wrong(
            version.position,
            format!(
                "version {} of the policy language; this program reads version {VERSION}",
                version.value.0
            ),
        ),
        _ => {}
    }
    validator.body(&policy.body);
    validator.overrides(policy);
    for (name, selector) in policy.roles.iter().flat_map(|roles| roles.iter()) {
        if is_empty(selector) {
            let message = format!("the role {} selects nothing", quoted(&name.value));
            validator.missing(Problem::new(name.position, message));
        }
    }
    for (pattern, _) in policy.severity.iter().flat_map(|entries| entries.iter()) {
        if let Err(message) = super::quantity::glob(&pattern.value) {
            validator.wrong(pattern.position, message);
        }
    }
    for disable in policy.disable.iter().flatten() {
        validator.needs(
            disable.position,
            "a disabled check",
            "check",
            &disable.check,
        );
        validator.needs(
            disable.position,
            "a disabled check",
            "reason",
            &disable.reason,
        );
    }
    validator.waivers(policy);
    validator.asserts(policy)
}

/// Whether a section gives no key.
fn is_empty<T: Part>(section: &T) -> bool {
    struct Count(usize);
    impl Visit for Count {
        fn enter(&mut self, _: &str) {}
        fn leave(&mut self) {}
        fn leaf(&mut self, _: &str, _: String, _: Position) {
            self.0 += 1;
        }
    }
    let mut count = Count(0);
    section.visit("", &mut count);
    count.0 == 0
}

struct Validator<'a> {
    problems: &'a mut Vec<Problem>,
    /// Whether all that is written could be read. A key that is wrong would
    /// look like one that is missing.
    complete: bool,
}

impl Validator<'_> {
    fn wrong(&mut self, position: Position, message: impl Into<String>) {
        let problem = Problem::new(position, message);
        // Overrides are checked with what they lie over: told once.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn missing(&mut self, problem: Problem) {
        if self.complete && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn needs<T>(&mut self, position: Position, what: &str, key: &str, given: &Option<T>) {
        if given.is_none() {
            self.missing(Problem::new(position, format!("{what} needs `{key}`")));
        }
    }

    fn body(&mut self, body: &Body) {
        let qps = body.load.as_ref().and_then(|load| load.qps.as_ref());
        if let Some(qps) = qps.filter(|qps| qps.value.0 == 0) {
            self.wrong(qps.position, "a load test needs at least one queue pair");
        }
        let Some(classes) = &body.classes else {
            return;
        };
        let mut by_dscp: HashMap<u8, &str> = HashMap::new();
        let mut by_pcp: HashMap<u8, &str> = HashMap::new();
        for (name, class) in classes.iter() {
            if let Some(codes) = &class.dscp {
                self.claim(
                    "DSCP",
                    &codes.with(&codes.value.0),
                    &name.value,
                    &mut by_dscp,
                );
            }
            if let Some(codes) = &class.pcp {
                self.claim("PCP", &codes.with(&codes.value.0), &name.value, &mut by_pcp);
            }
            let unmarked = class.dscp.is_none() && class.pcp.is_none();
            if unmarked && name.value != DEFAULT_CLASS {
                let message = format!(
                    "the class {} has neither `dscp` nor `pcp`",
                    quoted(&name.value)
                );
                self.missing(
                    Problem::new(name.position, message)
                        .help("only the class `default` stands for everything else"),
                );
            }
            self.ecn(class.ecn.as_ref());
        }
    }

    /// Notes that a class claims code points; two that claim one are wrong.
    fn claim<'c>(
        &mut self,
        field: &str,
        codes: &Located<&Vec<u8>>,
        class: &'c str,
        claimed: &mut HashMap<u8, &'c str>,
    ) {
        for code in codes.value {
            match claimed.insert(*code, class) {
                Some(other) if other != class => self.wrong(
                    codes.position,
                    format!(
                        "{field} {code} belongs to the class {} and to {}",
                        quoted(other),
                        quoted(class)
                    ),
                ),
                _ => {}
            }
        }
    }

    fn ecn(&mut self, ecn: Option<&Ecn>) {
        let both = ecn.and_then(|ecn| Some((ecn.min.as_ref()?, ecn.max.as_ref()?)));
        let Some((min, max)) = both else {
            return;
        };
        if let (Some(low), Some(high)) = (min.value.exact(), max.value.exact())
            && low.compare(high).is_some_and(|order| order.is_lt())
        {
            self.wrong(
                min.position,
                format!("ECN `min` {} is above `max` {}", min.value, max.value),
            );
        }
    }

    fn overrides(&mut self, policy: &Policy) {
        for over in policy.overrides.iter().flatten() {
            match &over.when {
                Some(when) if !is_empty(when) => {
                    self.body(&merged(&policy.body, &[&over.body]));
                }
                _ => self.missing(
                    Problem::new(
                        over.position,
                        "an override needs `when` with at least one key",
                    )
                    .help("what holds everywhere belongs in the policy itself"),
                ),
            }
        }
    }

    fn waivers(&mut self, policy: &Policy) {
        let mut seen: HashMap<[String; 3], Position> = HashMap::new();
        for waiver in policy.waivers.iter().flatten() {
            self.needs(waiver.position, "a waiver", "check", &waiver.check);
            self.needs(waiver.position, "a waiver", "reason", &waiver.reason);
            let key = [&waiver.check, &waiver.device, &waiver.port].map(|globs| match globs {
                Some(globs) => globs.value.text(),
                None => "*".to_owned(),
            });
            match seen.entry(key) {
                Entry::Occupied(first) => {
                    let line = first.get().line;
                    let problem = Problem::new(
                        waiver.position,
                        format!("the same waiver stands on line {line} already"),
                    );
                    self.missing(problem);
                }
                Entry::Vacant(free) => {
                    free.insert(waiver.position);
                }
            }
        }
    }

    fn asserts(&mut self, policy: &Policy) -> Vec<CompiledAssert> {
        let mut compiled: Vec<CompiledAssert> = Vec::new();
        for assert in policy.assert.iter().flatten() {
            self.needs(assert.position, "an assert", "id", &assert.id);
            self.needs(assert.position, "an assert", "expr", &assert.expr);
            let (Some(id), Some(expr)) = (&assert.id, &assert.expr) else {
                continue;
            };
            match CompiledAssert::new(id, expr, assert) {
                Ok(one) => {
                    if compiled.iter().any(|other| other.id.value == id.value) {
                        let message = format!("two asserts are called {}", quoted(&id.value));
                        self.wrong(id.position, message);
                    }
                    compiled.push(one);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        compiled
    }
}
