//! As much of the shell as boot scripts need: assignments, loops over words,
//! and which commands stand under a condition. What it does not understand
//! leaves the commands there uncertain, and a variable that it does not know
//! stands in no device's name.

use super::Input;
use crate::model::Origin;
use std::collections::BTreeMap;

/// A simple command with its variables filled in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// Its words, without quotes.
    pub words: Vec<String>,
    /// The file that its output goes to.
    pub output: Option<String>,
    /// Whether it runs whenever the script does.
    pub certain: bool,
    /// Where it stands.
    pub at: Origin,
}

/// Bounds on what hostile scripts cost: commands, steps, nested blocks, bytes
/// a line.
const MOST: usize = 2000;
const STEPS: usize = 20_000;
const DEEPEST: usize = 8;
const LONGEST: usize = 4096;

/// The commands of a script, in the order in which they run.
pub fn commands(input: &Input<'_>) -> Vec<Command> {
    let mut statements = Vec::new();
    let mut joined = String::new();
    let mut start = 0;
    for (offset, line) in input.lines() {
        if joined.is_empty() {
            start = offset + (line.len() - line.trim_start().len());
        }
        match line.strip_suffix('\\') {
            Some(first) if joined.len() < LONGEST => {
                joined.push_str(first);
                joined.push(' ');
            }
            _ => {
                joined.push_str(line);
                statements.extend(split_line(&joined, input.at(start)));
                joined.clear();
            }
        }
        if statements.len() > 8 * MOST {
            break;
        }
    }
    run(&statements)
}

/// The commands of one line.
pub fn of_line(line: &str, at: Origin) -> Vec<Command> {
    run(&split_line(line, at))
}

/// A number as the shell takes it: `106`, `0x6a`.
pub fn number(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// A statement: its words, and whether it runs when those before it did.
struct Statement {
    words: Vec<String>,
    certain: bool,
    at: Origin,
}

/// Splits a line at `;`, `&&`, `||` and `&`, and each part into words, with
/// quotes taken away and the comment left out.
fn split_line(line: &str, at: Origin) -> Vec<Statement> {
    let mut statements = Vec::new();
    if line.len() > LONGEST {
        return statements;
    }
    let mut statement = Statement {
        words: Vec::new(),
        certain: true,
        at,
    };
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, c) if c.is_whitespace() => statement.words.extend(word.take()),
            (None, ';' | '&' | '|') => {
                let twice = chars.next_if_eq(&c).is_some();
                if c == '|' && !twice {
                    statement.words.extend(word.take());
                    statement.words.push("|".to_owned());
                    continue;
                }
                statement.words.extend(word.take());
                // What follows a test, or a failure, need not run.
                let test = matches!(
                    statement.words.first().map(String::as_str),
                    Some("[" | "[[" | "test" | "grep" | "command")
                );
                let certain = !twice || c == ';' || c == '&' && statement.certain && !test;
                let next = Statement {
                    words: Vec::new(),
                    certain,
                    at,
                };
                statements.push(std::mem::replace(&mut statement, next));
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    statement.words.extend(word);
    statements.push(statement);
    statements.retain(|statement| !statement.words.is_empty());
    statements
}

fn run(statements: &[Statement]) -> Vec<Command> {
    let mut shell = Shell {
        variables: BTreeMap::new(),
        commands: Vec::new(),
        steps: STEPS,
    };
    shell.block(statements, true, 0);
    shell.commands
}

struct Shell {
    variables: BTreeMap<String, String>,
    commands: Vec<Command>,
    /// Statements that may still be looked at.
    steps: usize,
}

/// Words that stand in front of a command without being one.
const PREFIXES: &[&str] = &[
    "then", "do", "else", "!", "exec", "sudo", "time", "export", "readonly", "local", "{",
];

/// The word that closes the block which a statement opens.
fn closer(words: &[String]) -> Option<&'static str> {
    match words.first()?.as_str() {
        "for" | "while" | "until" => Some("done"),
        "if" => Some("fi"),
        "case" => Some("esac"),
        "function" => Some("}"),
        name if name.ends_with("()") || words.get(1).is_some_and(|next| next == "()") => Some("}"),
        _ => None,
    }
}

fn closes(words: &[String]) -> bool {
    let first = words.first().map(String::as_str);
    matches!(first, Some("done" | "fi" | "esac" | "}"))
}

/// Words without those that stand in front of the command: keywords, and the
/// pattern of a `case`.
fn bare(words: &[String]) -> &[String] {
    let prefix = |word: &&String| {
        PREFIXES.contains(&word.as_str()) || word.ends_with(')') && !word.contains('(')
    };
    let count = words.iter().take_while(prefix).count();
    words.get(count..).unwrap_or_default()
}

impl Shell {
    fn block(&mut self, statements: &[Statement], certain: bool, depth: usize) {
        let mut rest = statements;
        while let Some((statement, after)) = rest.split_first() {
            rest = after;
            if self.commands.len() >= MOST || self.steps == 0 {
                return;
            }
            self.steps -= 1;
            let words = bare(&statement.words);
            let Some(closer) = closer(words) else {
                if !closes(words) {
                    self.command(words, certain && statement.certain, statement.at, depth);
                }
                continue;
            };
            let end = length_of_block(closer, after);
            let (body, after) = after.split_at_checked(end).unwrap_or((after, &[]));
            rest = after;
            if depth >= DEEPEST {
                continue;
            }
            match words.first().map(String::as_str) {
                Some("for") => self.each(words, body, certain, depth + 1),
                _ => self.block(body, false, depth + 1),
            }
        }
    }

    /// `for NAME in WORD…`: its body once for each word, or once with the
    /// variable unknown.
    fn each(&mut self, words: &[String], body: &[Statement], certain: bool, depth: usize) {
        let Some(name) = words.get(1).cloned() else {
            return;
        };
        let list = words.get(3..).unwrap_or_default();
        let list: Vec<String> = list.iter().map(|word| self.filled(word)).collect();
        let values: Vec<&str> = list
            .iter()
            .flat_map(|word| word.split_whitespace())
            .collect();
        let known = |value: &&str| !value.contains(['$', '*', '?', '`', '{', '(']);
        self.variables.remove(&name);
        if values.is_empty() || !values.iter().all(known) {
            return self.block(body, certain, depth);
        }
        for value in values {
            self.variables.insert(name.clone(), value.to_owned());
            self.block(body, certain, depth);
            if self.commands.len() >= MOST || self.steps == 0 {
                return;
            }
        }
    }

    fn command(&mut self, words: &[String], certain: bool, at: Origin, depth: usize) {
        let Some(first) = words.first() else { return };
        if let Some((name, value)) = first.split_once('=')
            && !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        {
            let more = words.get(1..).unwrap_or_default();
            // `NAME=(a b)` is a list; `NAME=a command` sets it for the command.
            match (value.strip_prefix('('), more) {
                (Some(first), _) => {
                    let list = std::iter::once(first).chain(more.iter().map(String::as_str));
                    let list: Vec<&str> = list.map(|word| word.trim_end_matches(')')).collect();
                    let value = self.filled(&list.join(" "));
                    self.variables.insert(name.to_owned(), value);
                }
                (None, []) => {
                    let value = self.filled(value);
                    match certain {
                        true => self.variables.insert(name.to_owned(), value),
                        false => self.variables.remove(name),
                    };
                }
                (None, command) => self.command(command, certain, at, depth),
            }
            return;
        }
        let shell = matches!(first.rsplit('/').next(), Some("sh" | "bash"));
        if let (true, Some(option), Some(inner)) = (shell, words.get(1), words.get(2))
            && option.starts_with('-')
            && option.ends_with('c')
            && depth < DEEPEST
        {
            return self.block(&split_line(inner, at), certain, depth + 1);
        }
        let mut filled: Vec<String> = words.iter().map(|word| self.filled(word)).collect();
        let output = redirected(&mut filled);
        self.commands.push(Command {
            words: filled,
            output,
            certain,
            at,
        });
    }

    /// A word with the variables that are known.
    fn filled(&self, word: &str) -> String {
        let mut filled = String::with_capacity(word.len());
        let mut rest = word;
        while let Some(at) = rest.find('$') {
            filled.push_str(rest.get(..at).unwrap_or_default());
            let after = rest.get(at + 1..).unwrap_or_default();
            let braced = after
                .strip_prefix('{')
                .and_then(|inner| inner.split_once('}'));
            let (name, next) = match braced {
                Some((inner, next)) => {
                    (inner.trim_end_matches("[@]").trim_end_matches("[*]"), next)
                }
                None => {
                    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    after.split_at(end.unwrap_or(after.len()))
                }
            };
            match self.variables.get(name) {
                Some(value) if filled.len() + value.len() < LONGEST => filled.push_str(value),
                _ => {
                    filled.push('$');
                    filled.push_str(name);
                }
            }
            rest = next;
        }
        filled.push_str(rest);
        filled
    }
}

/// Statements up to the one that closes the block which the one before opened.
fn length_of_block(closer: &'static str, statements: &[Statement]) -> usize {
    let mut open = vec![closer];
    for (n, statement) in statements.iter().enumerate() {
        let words = bare(&statement.words);
        if let Some(inner) = self::closer(words) {
            open.push(inner);
        } else if words.first().map(String::as_str) == open.last().copied() {
            open.pop();
            if open.is_empty() {
                return n;
            }
        }
    }
    statements.len()
}

/// Takes away `> FILE`, `>> FILE` and `| tee FILE`, and names the file. A
/// number before the sign is a descriptor, not output: `echo 106> FILE` writes
/// an empty line.
fn redirected(words: &mut Vec<String>) -> Option<String> {
    if let Some(at) = words.iter().position(|word| word == "|") {
        let right = words.split_off(at);
        let right = bare(right.get(1..).unwrap_or_default());
        let tee = right.first().is_some_and(|word| word.ends_with("tee"));
        let file = right.iter().skip(1).find(|word| !word.starts_with('-'));
        return file.filter(|_| tee).cloned();
    }
    let at = words.iter().position(|word| word.contains('>'))?;
    let rest = words.split_off(at);
    let (sign, glued) = rest.first()?.split_once('>')?;
    let glued = glued.trim_start_matches('>');
    if !sign.is_empty() && !sign.bytes().all(|b| b.is_ascii_digit()) {
        words.push(sign.to_owned());
    }
    match glued {
        "" => rest.get(1).cloned(),
        file => Some(file.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Capture;

    fn read(text: &str) -> Vec<String> {
        let capture = Capture::new("roce.sh", text);
        let told = |command: Command| {
            let mut line = command.words.join(" ");
            if let Some(file) = command.output {
                line += &format!(" > {file}");
            }
            line + if command.certain { "" } else { " ?" }
        };
        commands(&Input::new(0, &capture))
            .into_iter()
            .map(told)
            .collect()
    }

    #[test]
    fn loops_and_variables() {
        let text = "#!/bin/sh\nPFC=0,0,0,1,0,0,0,0 # priority 3\nPORTS=\"ens1 ens2\"\n\
            for i in $PORTS; do\n  mlnx_qos -i \"$i\" --pfc ${PFC}\ndone\n\
            IFS=(a b)\nfor x in ${IFS[@]}; do ip link set $x up; done\n";
        assert_eq!(
            read(text),
            [
                "mlnx_qos -i ens1 --pfc 0,0,0,1,0,0,0,0",
                "mlnx_qos -i ens2 --pfc 0,0,0,1,0,0,0,0",
                "ip link set a up",
                "ip link set b up",
            ]
        );
    }

    #[test]
    fn what_depends_on_something_is_uncertain() {
        let text = "if [ -e /x ]; then\n dcb a\nfi\ndcb b\n[ \"$1\" = up ] && dcb c\n\
            f() {\n dcb d\n}\nmodprobe x || dcb e\nfor i in /sys/*; do dcb $i; done\n";
        assert_eq!(
            read(text),
            [
                "dcb a ?",
                "dcb b",
                "[ $1 = up ]",
                "dcb c ?",
                "dcb d ?",
                "modprobe x",
                "dcb e ?",
                "dcb $i",
            ]
        );
    }

    #[test]
    fn output_to_files() {
        assert_eq!(
            read(
                "echo 106 > /sys/a\necho 106 >/sys/a\necho 106 | sudo tee /sys/a >/dev/null\n\
                  echo 106> /sys/a\nsh -c 'echo 1 > /sys/b; dcb x'\ndcb \\\n  y\n"
            ),
            [
                "echo 106 > /sys/a",
                "echo 106 > /sys/a",
                "echo 106 > /sys/a",
                "echo > /sys/a",
                "echo 1 > /sys/b",
                "dcb x",
                "dcb y",
            ]
        );
    }

    #[test]
    fn hostile_scripts_end() {
        let nested = "for a in 1 2 3 4 5 6 7 8 9; do ".repeat(30) + "dcb x";
        assert!(read(&nested).len() <= MOST);
        read(&"if true; then ".repeat(300));
        read("$ ${ ${x $( ` ' \" > | tee");
        read("A=$A$A$A\nA=$A$A\n");
    }
}
