//! Takes secrets out of captures before they are stored. Lines keep their
//! number, and what has to do with lossless traffic bears no secret.

use aho_corasick::{AhoCorasick, MatchKind};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands for a secret.
pub const REDACTED: &str = "<redacted>";

/// Words that a secret follows, in lower case. They may be the end of a longer
/// word (`hashed-password`).
const WORDS: [&str; 17] = [
    "password",
    "passwd",
    "passphrase",
    "passkey",
    "secret",
    "community",
    "authentication-key",
    "pre-shared-key",
    "server-key",
    "server key",
    "key-string",
    "private-key",
    "auth_token",
    "message-digest-key",
    "auth md5",
    "auth sha",
    " key",
];

/// Beginnings of hashed passwords, as crypt and vendors write them.
const HASHES: [&str; 9] = [
    "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$8$", "$9$", "$y$",
];

const KEY_BEGIN: &str = "-----BEGIN";
const KEY_END: &str = "-----END";

/// What announces a secret: the words, then what follows here.
static ANNOUNCES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let others = ["key 7 ", KEY_BEGIN];
    let patterns = WORDS.iter().chain(&HASHES).chain(&others);
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .build(patterns)
        .ok()
});

/// The text without its secrets; borrowed where there was none.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(announces) = &*ANNOUNCES else {
        return Cow::Borrowed(REDACTED); // never: the patterns are fixed
    };
    let mut out = String::new();
    let (mut done, mut line_end) = (0, 0);
    for found in announces.find_iter(text) {
        if found.start() < done {
            continue;
        }
        if line_end < found.end() {
            let next = memchr::memchr(b'\n', &text.as_bytes()[found.end()..]);
            line_end = next.map_or(text.len(), |n| found.end() + n);
        }
        let line = &text[..line_end];
        let n = found.pattern().as_usize();
        let secret = match n.checked_sub(WORDS.len()) {
            None => after_word(line, found.end()),
            Some(n) if n < HASHES.len() => Some((found.start(), value_end(line, found.start()))),
            Some(_) if text[found.range()] == *KEY_BEGIN => {
                done = private_key(text, &line[found.end()..], line_end, done, &mut out);
                continue;
            }
            Some(_) => Some((found.end(), value_end(line, found.end()))),
        };
        let Some((at, end)) = secret else { continue };
        if at < done || end <= at || text[at..].starts_with(REDACTED) {
            continue;
        }
        out.push_str(&text[done..at]);
        out.push_str(REDACTED);
        done = end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Takes out the lines of a private key, each for itself. `kind` is the rest of
/// the line that it begins on. Gives how far the text was copied.
fn private_key(text: &str, kind: &str, line_end: usize, done: usize, out: &mut String) -> usize {
    if !kind.contains("PRIVATE KEY") || kind.contains(KEY_END) {
        return done;
    }
    let body = &text[line_end..];
    let body = &body[..body.find(KEY_END).unwrap_or(body.len())];
    out.push_str(&text[done..line_end]);
    for line in body.split_inclusive('\n') {
        if line.trim().is_empty() {
            out.push_str(line);
        } else {
            out.push_str(REDACTED);
            out.push_str(&line[line.trim_end_matches(['\n', '\r']).len()..]);
        }
    }
    line_end + body.len()
}

/// The value after a word that announces a secret: what stands in quotes, a
/// member's value, else the rest of the line.
fn after_word(line: &str, at: usize) -> Option<(usize, usize)> {
    let rest = line.get(at..)?;
    let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))?;
    let rest = rest.get(word..)?;
    // `"password": "x"`, `password: x`, `password "x"`, `password x`
    let name = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start();
    let (value, member) = match name.strip_prefix(':') {
        Some(value) => (value, true),
        None => (rest, false),
    };
    let value = value.trim_start_matches([' ', '\t']);
    let at = line.len() - value.len();
    if value.starts_with(['"', '\'']) || member {
        return Some(quoted(line, at));
    }
    Some((at, line.trim_end_matches(['\n', '\r', ' ', ';']).len()))
}

/// Inside of the quotes that begin here, else up to the next comma or blank.
fn quoted(line: &str, at: usize) -> (usize, usize) {
    let value = line.get(at..).unwrap_or_default();
    let Some(quote) = value.chars().next().filter(|c| "\"'".contains(*c)) else {
        return (at, value_end(line, at));
    };
    let mut escaped = false;
    for (n, character) in value.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return (at + 1, at + n),
            _ => {}
        }
    }
    (at + 1, line.trim_end_matches(['\n', '\r']).len())
}

/// The end of a bare value.
fn value_end(line: &str, at: usize) -> usize {
    let value = line.get(at..).unwrap_or_default();
    let end = |c: char| c.is_whitespace() || "\"';,".contains(c);
    at + value.find(end).unwrap_or(value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        for (line, without) in [
            (
                "username admin role network-admin secret sha512 $6$ab$cd\n",
                "username admin role network-admin secret <redacted>\n",
            ),
            (
                "snmp-server community public ro",
                "snmp-server community <redacted>",
            ),
            (
                "tacacs-server key 7 070c285f4d06\r\n",
                "tacacs-server key <redacted>\r\n",
            ),
            (
                "  encrypted-password \"$6$x$y\"; ## SECRET-DATA\n",
                "  encrypted-password \"<redacted>\"; ## SECRET-DATA\n",
            ),
            (
                "nv set system aaa user cumulus hashed-password '$6$x$y'\n",
                "nv set system aaa user cumulus hashed-password '<redacted>'\n",
            ),
            (
                "   \"passkey\": \"s3cr\\\"et\",\n",
                "   \"passkey\": \"<redacted>\",\n",
            ),
            (
                "{\"a\":{\"password\":\"x y\",\"mtu\":\"9100\"}}",
                "{\"a\":{\"password\":\"<redacted>\",\"mtu\":\"9100\"}}",
            ),
            (
                "tacacs-server host 192.0.2.9 key Hunter2 timeout 5\n",
                "tacacs-server host 192.0.2.9 key <redacted>\n",
            ),
            (
                "snmp-server user nms auth sha-256 0xabcd priv aes-128 0xef localizedkey\n",
                "snmp-server user nms auth sha-256 <redacted>\n",
            ),
            (
                "   ip ospf message-digest-key 1 md5 7 0822455D0A16\n",
                "   ip ospf message-digest-key <redacted>\n",
            ),
            (
                "pfc hash-key 3\nkey chain K\n",
                "pfc hash-key 3\nkey chain K\n",
            ),
            ("password: x1\n", "password: <redacted>\n"),
            ("root:$y$j9T$abc:19000:0\n", "root:<redacted>\n"),
            ("interface Ethernet1\n", "interface Ethernet1\n"),
        ] {
            assert_eq!(redact(line), without);
            assert_eq!(redact(without), without, "once is enough");
        }
    }

    #[test]
    fn a_private_key_goes_and_the_lines_stay() {
        let text =
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb\n";
        let redacted = redact(text);
        assert!(!redacted.contains("MIIE") && !redacted.contains("abc"));
        assert_eq!(redacted.lines().count(), text.lines().count());
        assert!(matches!(
            redact("hostname leaf1\nmtu 9100"),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn hostile_text_does_no_harm() {
        for text in [
            "secret",
            "secret ",
            "\"password\":",
            "\"password\": \"",
            "key 7 ",
            "\u{130}secret é",
            "$6$",
        ] {
            let _ = redact(text);
        }
        let long = "\"password\":\"a\",".repeat(20_000);
        assert!(!redact(&long).contains("\"a\""));
    }
}
