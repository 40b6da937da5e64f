//! From a file, a shipped name or a text to a policy that is sound.

use std::collections::HashMap;

use super::assert::CompiledAssert;
use super::builtin;
use super::effective::merged;
use super::error::{PolicyError, Problem, quoted};
use super::read::{Leaf, Part, Reader, Visit};
use super::schema::{Body, DEFAULT_CLASS, Policy, VERSION};
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
    std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
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
    if text.trim_start_matches('\u{feff}').lines().all(only_comments) {
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
    match &policy.version {
        Some(version) if version.value.0 != VERSION => problems.push(Problem::new(
            version.position,
            format!(
                "version {} of the policy language; this program reads version {VERSION}",
                version.value.0
            ),
        )),
        _ => {}
    }
    validate_body(&policy.body, problems);
    for over in policy.overrides.iter().flatten() {
        match &over.when {
            Some(when) if !is_empty(when) => {
                let body = merged(&policy.body, &[&over.body]);
                let mut merged_problems = Vec::new();
                validate_body(&body, &mut merged_problems);
                merged_problems.retain(|problem| !problems.contains(problem));
                problems.append(&mut merged_problems);
            }
            _ => problems.push(
                Problem::new(over.position, "an override needs `when` with at least one key")
                    .help("what holds everywhere belongs in the policy itself"),
            ),
        }
    }
    for (name, selector) in policy.roles.iter().flat_map(|roles| roles.iter()) {
        if is_empty(selector) {
            problems.push(Problem::new(
                name.position,
                format!("the role {} selects nothing", quoted(&name.value)),
            ));
        }
    }
    for (pattern, _) in policy.severity.iter().flat_map(|entries| entries.iter()) {
        if let Err(message) = super::quantity::glob(&pattern.value) {
            problems.push(Problem::new(pattern.position, message));
        }
    }
    for disable in policy.disable.iter().flatten() {
        needs(disable.position, "a disabled check", "check", disable.check.is_some(), problems);
        needs(disable.position, "a disabled check", "reason", disable.reason.is_some(), problems);
    }
    validate_waivers(policy, problems);
    validate_asserts(policy, problems)
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

fn needs(position: Position, what: &str, key: &str, given: bool, problems: &mut Vec<Problem>) {
    // A key that is there and wrong has been told at its own place.
    let told = || problems.iter().any(|problem| problem.position.line == position.line);
    if !given && !told() {
        problems.push(Problem::new(position, format!("{what} needs `{key}`")));
    }
}

fn validate_body(body: &Body, problems: &mut Vec<Problem>) {
    let Some(classes) = &body.classes else {
        return;
    };
    let mut by_dscp: HashMap<u8, &str> = HashMap::new();
    let mut by_pcp: HashMap<u8, &str> = HashMap::new();
    for (name, class) in classes.iter() {
        if let Some(codes) = &class.dscp {
            claim("DSCP", &codes.with(&codes.value.0), &name.value, &mut by_dscp, problems);
        }
        if let Some(codes) = &class.pcp {
            claim("PCP", &codes.with(&codes.value.0), &name.value, &mut by_pcp, problems);
        }
        let unmarked = class.dscp.is_none() && class.pcp.is_none();
        let told = problems.iter().any(|problem| {
            problem.position.line >= name.position.line && problem.message.contains("code point")
        });
        if unmarked && name.value != DEFAULT_CLASS && !told {
            problems.push(
                Problem::new(
                    name.position,
                    format!("the class {} has neither `dscp` nor `pcp`", quoted(&name.value)),
                )
                .help("only the class `default` stands for everything else"),
            );
        }
        validate_ecn(class.ecn.as_ref(), problems);
    }
}

/// Notes that a class claims code points; two that claim one are wrong.
fn claim<'a>(
    field: &str,
    codes: &Located<&Vec<u8>>,
    class: &'a str,
    claimed: &mut HashMap<u8, &'a str>,
    problems: &mut Vec<Problem>,
) {
    for code in codes.value {
        match claimed.insert(*code, class) {
            Some(other) if other != class => problems.push(Problem::new(
                codes.position,
                format!(
                    "{field} {code} belongs to the class {} and to {}",
                    quoted(other),
                    quoted(class)
                ),
            )),
            _ => {}
        }
    }
}

fn validate_ecn(ecn: Option<&super::schema::Ecn>, problems: &mut Vec<Problem>) {
    use super::quantity::Quantity as _;
    let Some((min, max)) = ecn.and_then(|ecn| Some((ecn.min.as_ref()?, ecn.max.as_ref()?))) else {
        return;
    };
    if let (Some(low), Some(high)) = (min.value.exact(), max.value.exact())
        && low.compare(high).is_some_and(|order| order.is_lt())
    {
        problems.push(Problem::new(
            min.position,
            format!("ECN `min` {} is above `max` {}", min.value, max.value),
        ));
    }
}

fn validate_waivers(policy: &Policy, problems: &mut Vec<Problem>) {
    let mut seen: HashMap<String, Position> = HashMap::new();
    for waiver in policy.waivers.iter().flatten() {
        needs(waiver.position, "a waiver", "check", waiver.check.is_some(), problems);
        needs(waiver.position, "a waiver", "reason", waiver.reason.is_some(), problems);
        let text = |globs: &Option<Located<super::read::Globs>>| {
            globs.as_ref().map_or_else(|| "*".to_owned(), |globs| globs.value.text())
        };
        let (check, device, port) = (
            text(&waiver.check),
            text(&waiver.device),
            text(&waiver.port),
        );
        let key = format!("{check}\0{device}\0{port}");
        if let Some(first) = seen.get(&key) {
            problems.push(Problem::new(
                waiver.position,
                format!("the same waiver stands on line {} already", first.line),
            ));
        } else {
            seen.insert(key, waiver.position);
        }
    }
}

fn validate_asserts(policy: &Policy, problems: &mut Vec<Problem>) -> Vec<CompiledAssert> {
    let mut compiled: Vec<CompiledAssert> = Vec::new();
    for assert in policy.assert.iter().flatten() {
        match CompiledAssert::new(assert) {
            Ok(one) => {
                if compiled.iter().any(|other| other.id.value == one.id.value) {
                    problems.push(Problem::new(
                        one.id.position,
                        format!("two asserts are called {}", quoted(&one.id.value)),
                    ));
                }
                compiled.push(one);
            }
            Err(problem) => problems.push(problem),
        }
    }
    compiled
}
