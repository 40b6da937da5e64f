//! The kinds of values that a policy can expect, with their units.

use std::cmp::Ordering;
use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

use super::error::quoted;
use crate::model::{Word, words};

/// Buffer and WRED thresholds are rounded by hardware to its cell size: two
/// that differ by no more than this part count as equal. (Cumulus shows
/// 150000 B as 153.00 KB or 156 KB, which is 159744 B, on Spectrum-4.)
pub const THRESHOLD_TOLERANCE: f64 = 0.07;

/// A value that a policy can write and a device can have.
pub trait Quantity: Clone + fmt::Display {
    /// What is expected, for an error message: "a size such as `9216` or `64KiB`".
    const EXPECTED: &'static str;
    /// Whether `>=`, `<` and ranges make sense.
    const ORDERED: bool;

    /// Reads the value as written in a policy; `None` where it is none.
    fn parse(text: &str) -> Option<Self>;

    /// How `actual` stands to `self`, for `<` and `>`; `None` where the two
    /// can't be compared (per cent with bytes).
    fn compare(&self, actual: &Self) -> Option<Ordering>;

    /// Whether `actual` counts as `self`; `None` where the two can't be
    /// compared.
    fn same(&self, actual: &Self) -> Option<bool> {
        self.compare(actual).map(Ordering::is_eq)
    }

    /// JSON Schema of the value as an author may write it.
    fn schema() -> schemars::Schema {
        schemars::json_schema!({"type": ["string", "number"], "description": Self::EXPECTED})
    }
}

/// Splits `12.5 kB` in the number and its unit. Neither sign nor exponent
/// without a digit is a number; infinities are refused.
fn split_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let mut end = 0;
    for (at, character) in text.char_indices() {
        let exponent = matches!(character, 'e' | 'E')
            && text[at + 1..]
                .trim_start_matches(['-', '+'])
                .starts_with(|next: char| next.is_ascii_digit());
        let sign = matches!(character, '-' | '+') && text[..at].ends_with(['e', 'E']);
        if character.is_ascii_digit() || matches!(character, '.' | '_') || exponent || sign {
            end = at + character.len_utf8();
        } else {
            break;
        }
    }
    let (number, unit) = text.split_at(end);
    let number: f64 = number.replace('_', "").parse().ok()?;
    number.is_finite().then_some((number, unit.trim()))
}

/// Bytes in one of a unit; decimal prefixes count 1000, binary ones 1024.
fn bytes_in(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        _ => return None,
    })
}

/// Declares a quantity that is one number in one fixed unit.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $expected:literal, $show:literal,
     |$number:ident, $unit:ident| $parse:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name(pub f64);

        impl Quantity for $name {
            const EXPECTED: &'static str = $expected;
            const ORDERED: bool = true;

            fn parse(text: &str) -> Option<Self> {
                let ($number, $unit) = split_unit(text)?;
                $parse.map($name)
            }

            fn compare(&self, actual: &Self) -> Option<Ordering> {
                actual.0.partial_cmp(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, $show, self.0)
            }
        }
    };
}

number!(
    /// A plain number.
    Number, "a number", "{}",
    |number, unit| unit.is_empty().then_some(number)
);
number!(
    /// A size in bytes.
    Bytes, "a size in bytes, such as `9216`, `64KiB` or `1MB`", "{}B",
    |number, unit| bytes_in(unit).map(|factor| number * factor)
);
number!(
    /// A time in milliseconds.
    Duration, "a time with its unit, such as `200ms` or `1s`", "{}ms",
    |number, unit| match unit {
        "us" => Some(number / 1e3),
        "ms" => Some(number),
        "s" => Some(number * 1e3),
        "" if number == 0.0 => Some(0.0),
        _ => None,
    }
);
number!(
    /// Per cent, 0 to 100.
    Percent, "per cent, such as `50%`", "{}%",
    |number, unit| (matches!(unit, "%" | "") && number <= 100.0).then_some(number)
);
number!(
    /// A length in metres.
    Metres, "a length in metres, such as `40m`", "{}m",
    |number, unit| matches!(unit, "m" | "").then_some(number)
);
number!(
    /// Events for each packet.
    PerPacket, "a share of packets, such as `1e-7/packet`", "{}/packet",
    |number, unit| (unit == "/packet" || (unit.is_empty() && number == 0.0)).then_some(number)
);
number!(
    /// The speed of a port in Mb/s; the unit `G` is 1000 of them.
    Speed, "a port speed, such as `100G`", "{}Mb/s",
    |number, unit| (unit == "G").then_some(number * 1e3)
);

/// A buffer fill at which something happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// Bytes in the queue.
    Bytes(f64),
    /// Per cent of the queue or pool.
    Percent(f64),
}

impl Threshold {
    /// The readings of a device's `kbytes` where the vendor doesn't say
    /// whether it counts 1000 or 1024: give both to [`super::Expect::judge_any`].
    pub fn kbytes(count: f64) -> [Threshold; 2] {
        [
            Threshold::Bytes(count * 1000.0),
            Threshold::Bytes(count * 1024.0),
        ]
    }
}

impl Quantity for Threshold {
    const EXPECTED: &'static str = "a size such as `150kB` or a fill such as `40%`";
    const ORDERED: bool = true;

    fn parse(text: &str) -> Option<Self> {
        match split_unit(text)? {
            (number, "%") => (number <= 100.0).then_some(Threshold::Percent(number)),
            (number, unit) => bytes_in(unit).map(|factor| Threshold::Bytes(number * factor)),
        }
    }

    fn compare(&self, actual: &Self) -> Option<Ordering> {
        match (self, actual) {
            (Threshold::Bytes(expected), Threshold::Bytes(actual))
            | (Threshold::Percent(expected), Threshold::Percent(actual)) => {
                actual.partial_cmp(expected)
            }
            _ => None,
        }
    }

    fn same(&self, actual: &Self) -> Option<bool> {
        match (self, actual) {
            (Threshold::Bytes(expected), Threshold::Bytes(actual))
            | (Threshold::Percent(expected), Threshold::Percent(actual)) => {
                Some((expected - actual).abs() <= expected.abs() * THRESHOLD_TOLERANCE)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threshold::Bytes(number) => write!(formatter, "{number}B"),
            Threshold::Percent(number) => write!(formatter, "{number}%"),
        }
    }
}

/// What a load test has to reach: a part of the line rate, or a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bandwidth {
    /// Per cent of the line rate.
    Percent(f64),
    /// Gb/s.
    Gigabits(f64),
}

impl Quantity for Bandwidth {
    const EXPECTED: &'static str =
        "a part of the line rate such as `95%`, or a rate such as `380G`";
    const ORDERED: bool = true;

    fn parse(text: &str) -> Option<Self> {
        match split_unit(text)? {
            (number, "%") => (number <= 100.0).then_some(Bandwidth::Percent(number)),
            (number, "G") => Some(Bandwidth::Gigabits(number)),
            _ => None,
        }
    }

    fn compare(&self, actual: &Self) -> Option<Ordering> {
        match (self, actual) {
            (Bandwidth::Percent(expected), Bandwidth::Percent(actual))
            | (Bandwidth::Gigabits(expected), Bandwidth::Gigabits(actual)) => {
                actual.partial_cmp(expected)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bandwidth::Percent(number) => write!(formatter, "{number}%"),
            Bandwidth::Gigabits(number) => write!(formatter, "{number}G"),
        }
    }
}

/// A word, with globs (`202311.*`); compared as a version where the policy
/// says `>=` or a range: runs of digits as numbers, the rest as text.
#[derive(Clone, Debug)]
pub struct Text {
    pattern: String,
    matcher: Option<GlobMatcher>,
}

impl Text {
    /// A word from a device: no glob in it.
    pub fn actual(text: impl Into<String>) -> Self {
        Text {
            pattern: text.into(),
            matcher: None,
        }
    }

    /// The word or pattern as written.
    pub fn as_str(&self) -> &str {
        &self.pattern
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Quantity for Text {
    const EXPECTED: &'static str = "a word, globs allowed";
    const ORDERED: bool = true;

    fn parse(text: &str) -> Option<Self> {
        let matcher = if text.contains(['*', '?', '[', '{']) {
            Some(glob(text).ok()?)
        } else {
            None
        };
        (!text.is_empty()).then(|| Text {
            pattern: text.to_owned(),
            matcher,
        })
    }

    fn compare(&self, actual: &Self) -> Option<Ordering> {
        Some(compare_versions(&actual.pattern, &self.pattern))
    }

    fn same(&self, actual: &Self) -> Option<bool> {
        Some(match &self.matcher {
            Some(matcher) => matcher.is_match(&actual.pattern),
            None => self.pattern.eq_ignore_ascii_case(&actual.pattern),
        })
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.pattern)
    }
}

/// Compiles a glob over names: `*` crosses `/` (as in `Ethernet1/1`), letter
/// case doesn't matter.
///
/// # Errors
/// A message for the policy's author.
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    const LONGEST: usize = 256;
    if pattern.len() > LONGEST {
        return Err(format!("a glob longer than {LONGEST} bytes"));
    }
    GlobBuilder::new(pattern)
        .case_insensitive(true)
        .literal_separator(false)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| format!("{} is not a glob: {}", quoted(pattern), error.kind()))
}

/// `4.10` is later than `4.9`; a missing part comes before any.
fn compare_versions(left: &str, right: &str) -> Ordering {
    let mut left = version_parts(left);
    let mut right = version_parts(right);
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(one), Some(other)) => {
                let digits = |part: &str| part.starts_with(|first: char| first.is_ascii_digit());
                let order = if digits(one) && digits(other) {
                    let one = one.trim_start_matches('0');
                    let other = other.trim_start_matches('0');
                    one.len().cmp(&other.len()).then(one.cmp(other))
                } else {
                    one.cmp(other)
                };
                if order.is_ne() {
                    return order;
                }
            }
        }
    }
}

/// The runs of digits and the runs of letters; separators are dropped.
fn version_parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let first = rest.chars().next()?;
        let digit = first.is_ascii_digit();
        let end = rest
            .find(|c: char| !c.is_alphanumeric() || c.is_ascii_digit() != digit)
            .unwrap_or(rest.len());
        let (part, tail) = rest.split_at(end);
        rest = tail;
        Some(part)
    })
}

impl<T: Word> Quantity for T {
    const EXPECTED: &'static str = T::LIST;
    const ORDERED: bool = false;

    fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let mut words = T::WORDS.iter();
        let (value, _) = words.find(|(_, words)| words.contains(&text.as_str()))?;
        Some(*value)
    }

    fn compare(&self, actual: &Self) -> Option<Ordering> {
        (self == actual).then_some(Ordering::Equal)
    }

    fn same(&self, actual: &Self) -> Option<bool> {
        Some(self == actual)
    }

    fn schema() -> schemars::Schema {
        let words = T::WORDS.iter().flat_map(|(_, words)| words.iter());
        // YAML reads `true` and `false` as booleans.
        let values: Vec<serde_json::Value> = words
            .map(|word| match *word {
                "true" => true.into(),
                "false" => false.into(),
                word => word.into(),
            })
            .collect();
        schemars::json_schema!({"enum": values})
    }
}

words! {
    /// Something that is on or off.
    Switch {
        /// On.
        On = "on" | "true",
        /// Off.
        Off = "off" | "false",
    }
}

impl Switch {
    /// From a device's boolean.
    pub fn from_bool(on: bool) -> Self {
        if on { Switch::On } else { Switch::Off }
    }

    /// Whether it is on.
    pub fn is_on(self) -> bool {
        self == Switch::On
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_size() {
        for (text, bytes) in [
            ("9216", 9216.0),
            ("9216B", 9216.0),
            ("150kB", 150_000.0),
            ("64KiB", 65_536.0),
            ("1 MiB", 1_048_576.0),
            ("1.5MB", 1_500_000.0),
        ] {
            assert_eq!(Bytes::parse(text), Some(Bytes(bytes)), "{text}");
        }
        for text in ["", "kB", "1GB", "1 furlong", "1e999", "-1", "nan", "inf"] {
            assert_eq!(Bytes::parse(text), None, "{text}");
        }
    }

    #[test]
    fn units_of_time_and_share() {
        assert_eq!(Duration::parse("1s"), Some(Duration(1000.0)));
        assert_eq!(Duration::parse("1500us"), Some(Duration(1.5)));
        assert_eq!(Duration::parse("200"), None);
        assert_eq!(Percent::parse("101%"), None);
        assert_eq!(PerPacket::parse("1e-7/packet"), Some(PerPacket(1e-7)));
        assert_eq!(PerPacket::parse("1e-7"), None);
        assert_eq!(Speed::parse("400G"), Some(Speed(400_000.0)));
    }

    #[test]
    fn thresholds_are_the_same_within_seven_per_cent() {
        let expected = Threshold::parse("150kB").unwrap();
        // Spectrum-4 shows 150000 B as 156 KB (159744 B).
        assert_eq!(expected.same(&Threshold::Bytes(159_744.0)), Some(true));
        assert_eq!(expected.same(&Threshold::Bytes(163_000.0)), Some(false));
        assert_eq!(expected.same(&Threshold::Percent(40.0)), None);
    }

    #[test]
    fn versions_are_numbers_between_dots() {
        for (older, newer) in [
            ("4.9.1", "4.10.0"),
            ("28.39.1002", "28.39.2048"),
            ("4.31", "4.31.1"),
            ("5.9.2", "5.11.0"),
            ("22.4R1", "22.4R3-S2"),
        ] {
            assert_eq!(
                compare_versions(older, newer),
                Ordering::Less,
                "{older} {newer}"
            );
            assert_eq!(compare_versions(newer, older), Ordering::Greater);
        }
        assert_eq!(compare_versions("4.30", "4.030"), Ordering::Equal);
    }
}
