//! What is wrong with a policy, and where.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::yaml::Position;

/// One fault of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where; line 0 when the fault is of the file as a whole.
    pub position: Position,
    /// What is wrong.
    pub message: String,
    /// How to put it right, where that is known.
    pub help: Option<String>,
}

impl Problem {
    pub(super) fn new(position: Position, message: impl Into<String>) -> Self {
        Problem {
            position,
            message: message.into(),
            help: None,
        }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Problem {
            help: Some(help.into()),
            ..self
        }
    }
}

/// Why a policy could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The file does not exist or can't be read.
    #[error("cannot read the policy {file}: {reason}")]
    Unreadable {
        /// The path as given.
        file: String,
        /// The operating system's reason.
        reason: String,
    },
    /// No shipped policy has this name.
    #[error("no shipped policy is called {}: there are {}", quoted(.name), .known.join(", "))]
    UnknownBuiltin {
        /// The name after `builtin:`.
        name: String,
        /// The names that exist.
        known: Vec<&'static str>,
    },
    /// The policy was read and is wrong; at least one problem, by position.
    #[error("{}", summary(.file, .problems))]
    Invalid {
        /// The path as given, or `builtin:NAME`.
        file: String,
        /// The policy's text, for [`PolicyError::render`].
        text: String,
        /// All the problems that were found.
        problems: Vec<Problem>,
    },
}

impl PolicyError {
    /// The problems with their positions; empty where no text could be read.
    pub fn problems(&self) -> &[Problem] {
        match self {
            PolicyError::Invalid { problems, .. } => problems,
            _ => &[],
        }
    }

    /// For a person: each problem with the line of YAML that it is about.
    pub fn render(&self, color: bool) -> String {
        let PolicyError::Invalid {
            file,
            text,
            problems,
        } = self
        else {
            return format!("error: {self}\n");
        };
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut rendered = String::new();
        for problem in problems {
            rendered.push_str(&render_problem(&renderer, file, text, problem));
            rendered.push_str("\n\n");
        }
        rendered.truncate(rendered.trim_end().len());
        rendered.push('\n');
        rendered
    }
}

fn render_problem(renderer: &Renderer, file: &str, text: &str, problem: &Problem) -> String {
    let title = Level::ERROR.primary_title(problem.message.as_str());
    let mut group = title.elements(std::iter::empty::<annotate_snippets::Message<'_>>());
    let line = (problem.position.line as usize)
        .checked_sub(1)
        .and_then(|index| text.lines().nth(index));
    match line {
        Some(line) => {
            // A line can be as long as the file: show what is around the fault.
            let skipped = (problem.position.column as usize).saturating_sub(60);
            let line: String = line.chars().skip(skipped).take(160).collect();
            let column = (problem.position.column as usize).saturating_sub(1 + skipped);
            let start = line
                .char_indices()
                .nth(column)
                .map_or(line.len(), |at| at.0);
            let end = token_end(&line, start);
            group = group.element(
                Snippet::source(line)
                    .line_start(problem.position.line as usize)
                    .path(file)
                    .annotation(AnnotationKind::Primary.span(start..end)),
            );
        }
        None => group = group.element(Level::NOTE.message(format!("in {file}"))),
    }
    if let Some(help) = &problem.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// The end of the word or the quoted text that starts at `start`.
fn token_end(line: &str, start: usize) -> usize {
    let rest = &line[start..];
    let length = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map_or(rest.len(), |at| at + 2),
        _ => rest
            .find([',', ']', '}', ':', '#'])
            .map_or(rest.trim_end().len(), |at| rest[..at].trim_end().len()),
    };
    start + length
}

fn summary(file: &str, problems: &[Problem]) -> String {
    let mut lines = problems.iter().map(|problem| {
        let Position { line, column } = problem.position;
        let help = match &problem.help {
            Some(help) => format!(" ({help})"),
            None => String::new(),
        };
        if problem.position.is_known() {
            format!("{file}:{line}:{column}: {}{help}", problem.message)
        } else {
            format!("{file}: {}{help}", problem.message)
        }
    });
    let mut text = lines.next().unwrap_or_default();
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

/// `text` in backquotes for a message: control characters escaped, and cut
/// where it is long.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::from("`");
    for character in text.chars().take(LONGEST) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown.push('`');
    shown
}

/// The word of `known` that is nearest to `written`, if it is near enough to
/// be what was meant.
pub(super) fn nearest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    let best = known
        .iter()
        .map(|word| (distance(written, word), *word))
        .min_by_key(|(distance, _)| *distance)?;
    let allowed = (best.1.len().max(written.len()) / 3).max(1);
    (best.0 <= allowed).then_some(best.1)
}

/// Edit distance (insert, delete, replace).
fn distance(left: &str, right: &str) -> usize {
    // Keys are short; a long one is no misspelling of any of ours.
    if left.len() > 40 {
        return left.len();
    }
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, from) in left.chars().enumerate() {
        let mut diagonal = line;
        let mut before = line + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&right) {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = *cell;
            before = replaced.min(before + 1).min(diagonal + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("dscp", "dscp"), 0);
        assert_eq!(
            nearest("losless", &["priority", "lossless"]),
            Some("lossless")
        );
        assert_eq!(nearest("colour", &["priority", "lossless"]), None);
    }

    #[test]
    fn a_problem_shows_its_line() {
        let error = PolicyError::Invalid {
            file: "ai.yaml".into(),
            text: "version: 1\ntrsut: dscp\n".into(),
            problems: vec![
                Problem::new(Position { line: 2, column: 1 }, "unknown key `trsut`")
                    .help("did you mean `trust`?"),
            ],
        };
        let shown = error.render(false);
        assert!(shown.contains("ai.yaml:2:1"), "{shown}");
        assert!(shown.contains("trsut: dscp"), "{shown}");
        assert!(shown.contains("^^^^^"), "{shown}");
        assert!(shown.contains("did you mean `trust`?"), "{shown}");
        assert!(!shown.contains('\u{1b}'));
        assert!(error.render(true).contains('\u{1b}'));
    }

    #[test]
    fn hostile_text_is_escaped() {
        assert_eq!(quoted("a\u{1b}[2J"), "`a\\u{1b}[2J`");
        assert!(quoted(&"x".repeat(1000)).len() < 80);
    }
}
