//! What a policy asks of a value: exact, comparison, range, any of, any.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::error::quoted;
use super::quantity::Quantity;

/// An expectation as written in a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect<T> {
    written: String,
    rule: Rule<T>,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule<T> {
    Any,
    Exact(T),
    AtLeast(T),
    AtMost(T),
    Above(T),
    Below(T),
    Range(T, T),
    OneOf(Vec<Expect<T>>),
}

/// How an actual value stands to an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// As asked.
    Met,
    /// Not as asked.
    NotMet,
    /// Expected and actual are in units that can't be compared: the verdict
    /// is unknown.
    Incomparable,
}

impl Judgement {
    fn from(answer: Option<bool>) -> Self {
        match answer {
            Some(true) => Judgement::Met,
            Some(false) => Judgement::NotMet,
            None => Judgement::Incomparable,
        }
    }
}

impl<T: Quantity> Expect<T> {
    /// Reads an expectation that is one scalar.
    ///
    /// # Errors
    /// A message for the policy's author.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let value = |text: &str| {
            T::parse(text.trim())
                .ok_or_else(|| format!("{} is not {}", quoted(text.trim()), T::EXPECTED))
        };
        type Make<T> = fn(T) -> Rule<T>;
        let comparisons: [(&str, Make<T>); 4] = [
            (">=", Rule::AtLeast),
            ("<=", Rule::AtMost),
            (">", Rule::Above),
            ("<", Rule::Below),
        ];
        let comparison = comparisons
            .iter()
            .find_map(|(sign, make)| Some((text.strip_prefix(sign)?, make)));
        let rule = if text.eq_ignore_ascii_case("any") {
            Rule::Any
        } else if let Some((rest, make)) = comparison {
            Self::ordered(text)?;
            make(value(rest)?)
        } else if let Some((low, high)) = text.split_once("..") {
            Self::ordered(text)?;
            let (low, high) = (value(low)?, value(high)?);
            match low.compare(&high) {
                Some(order) if order.is_ge() => Rule::Range(low, high),
                Some(_) => return Err(format!("the range {} is empty", quoted(text))),
                None => return Err(format!("the range {} mixes units", quoted(text))),
            }
        } else {
            Rule::Exact(value(text)?)
        };
        Ok(Expect {
            written: text.to_owned(),
            rule,
        })
    }

    fn ordered(text: &str) -> Result<(), String> {
        if T::ORDERED {
            Ok(())
        } else {
            Err(format!(
                "{}: values that are {} have no order to compare by",
                quoted(text),
                T::EXPECTED
            ))
        }
    }

    /// Any of these.
    pub(super) fn one_of(choices: Vec<Expect<T>>) -> Self {
        let written: Vec<&str> = choices
            .iter()
            .map(|choice| choice.written.as_str())
            .collect();
        Expect {
            written: format!("[{}]", written.join(", ")),
            rule: Rule::OneOf(choices),
        }
    }

    /// Exactly this value.
    pub fn exactly(value: T) -> Self {
        Expect {
            written: value.to_string(),
            rule: Rule::Exact(value),
        }
    }

    /// Whether anything will do.
    pub fn is_any(&self) -> bool {
        matches!(self.rule, Rule::Any)
    }

    /// The one value that is asked for, where it is one.
    pub fn exact(&self) -> Option<&T> {
        match &self.rule {
            Rule::Exact(value) => Some(value),
            _ => None,
        }
    }

    /// Judges a value that is known.
    pub fn judge(&self, actual: &T) -> Judgement {
        // A bound is met by what counts as equal to it, rounding included.
        let bound = |limit: &T, side: fn(std::cmp::Ordering) -> bool| {
            Some(limit.same(actual)? || side(limit.compare(actual)?))
        };
        Judgement::from(match &self.rule {
            Rule::Any => Some(true),
            Rule::Exact(value) => value.same(actual),
            Rule::AtLeast(limit) => bound(limit, |order| order.is_ge()),
            Rule::AtMost(limit) => bound(limit, |order| order.is_le()),
            Rule::Above(limit) => limit.compare(actual).map(|order| order.is_gt()),
            Rule::Below(limit) => limit.compare(actual).map(|order| order.is_lt()),
            Rule::Range(low, high) => bound(low, |order| order.is_ge())
                .zip(bound(high, |order| order.is_le()))
                .map(|(above, below)| above && below),
            Rule::OneOf(choices) => return best(choices.iter().map(|choice| choice.judge(actual))),
        })
    }

    /// Judges a value that can be read in several ways (`kbytes` of 1000 or
    /// 1024 bytes): met where any reading meets it.
    pub fn judge_any(&self, readings: &[T]) -> Judgement {
        best(readings.iter().map(|reading| self.judge(reading)))
    }
}

/// Met before incomparable before not met; of nothing, incomparable.
fn best(judgements: impl Iterator<Item = Judgement>) -> Judgement {
    judgements
        .min_by_key(|judgement| match judgement {
            Judgement::Met => 0,
            Judgement::Incomparable => 1,
            Judgement::NotMet => 2,
        })
        .unwrap_or(Judgement::Incomparable)
}

impl<T> fmt::Display for Expect<T> {
    /// As the policy wrote it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)
    }
}

impl<T: Quantity> JsonSchema for Expect<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Expect".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let value = T::schema();
        let mut choices = vec![
            value.clone().to_value(),
            json_schema!({"const": "any"}).to_value(),
        ];
        if T::ORDERED {
            choices.push(
                json_schema!({
                    "type": "string",
                    "pattern": "^\\s*([<>]=?|[^.]+(\\.[^.]+)*\\.\\.)",
                    "description": "A comparison (`>= 9100`) or a range (`9000..9216`)",
                })
                .to_value(),
            );
        }
        let one = serde_json::json!({"anyOf": choices});
        json_schema!({
            "anyOf": [one.clone(), {"type": "array", "minItems": 1, "items": one}],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::quantity::{Bytes, Duration, Number, Switch, Text, Threshold};
    use super::*;

    fn judge<T: Quantity>(expect: &str, actual: &str) -> Judgement {
        Expect::<T>::parse(expect)
            .unwrap()
            .judge(&T::parse(actual).unwrap())
    }

    #[test]
    fn each_form() {
        use Judgement::{Met, NotMet};
        for (expect, actual, judgement) in [
            ("9216", "9216", Met),
            ("9216", "9215", NotMet),
            (">= 9100", "9100", Met),
            (">=9100", "9099", NotMet),
            ("> 9100", "9100", NotMet),
            ("< 9100", "9099", Met),
            ("<= 1MB", "1000000", Met),
            ("9000..9216", "9000", Met),
            ("9000..9216", "9216", Met),
            ("9000..9216", "9217", NotMet),
            ("any", "1", Met),
            ("ANY", "1", Met),
        ] {
            assert_eq!(
                judge::<Bytes>(expect, actual),
                judgement,
                "{expect} {actual}"
            );
        }
    }

    #[test]
    fn durations_compare_across_units() {
        assert_eq!(judge::<Duration>("<= 1s", "1000ms"), Judgement::Met);
        assert_eq!(judge::<Duration>("<= 1s", "1001ms"), Judgement::NotMet);
        assert_eq!(judge::<Duration>("200ms", "200000us"), Judgement::Met);
    }

    #[test]
    fn thresholds_tolerate_rounding_on_both_sides() {
        assert_eq!(judge::<Threshold>("150kB", "159744"), Judgement::Met);
        assert_eq!(judge::<Threshold>(">= 150kB", "140kB"), Judgement::Met);
        assert_eq!(judge::<Threshold>(">= 150kB", "139kB"), Judgement::NotMet);
        assert_eq!(judge::<Threshold>("150kB", "40%"), Judgement::Incomparable);
        assert_eq!(judge::<Threshold>("any", "40%"), Judgement::Met);
    }

    #[test]
    fn kbytes_are_equal_under_either_reading() {
        let expect = Expect::<Threshold>::parse("2MiB").unwrap();
        assert_eq!(expect.judge_any(&Threshold::kbytes(2048.0)), Judgement::Met);
        assert_eq!(
            expect.judge_any(&Threshold::kbytes(3000.0)),
            Judgement::NotMet
        );
        assert_eq!(expect.judge_any(&[]), Judgement::Incomparable);
    }

    #[test]
    fn words_and_versions() {
        let versions = Expect::one_of(vec![
            Expect::<Text>::parse("202311.*").unwrap(),
            Expect::parse(">= 202405").unwrap(),
        ]);
        assert_eq!(versions.to_string(), "[202311.*, >= 202405]");
        for (actual, judgement) in [
            ("202311.7", Judgement::Met),
            ("202411.1", Judgement::Met),
            ("202305.2", Judgement::NotMet),
        ] {
            assert_eq!(versions.judge(&Text::actual(actual)), judgement, "{actual}");
        }
        assert_eq!(judge::<Text>("rocev2", "RoCEv2"), Judgement::Met);
        assert_eq!(judge::<Switch>("ON", "true"), Judgement::Met);
        assert_eq!(judge::<Switch>("off", "true"), Judgement::NotMet);
    }

    #[test]
    fn what_is_no_expectation_is_said() {
        for text in ["", ">=", "9000..", "9216..9000", "many", "9100 bytes"] {
            assert!(Expect::<Bytes>::parse(text).is_err(), "{text}");
        }
        assert!(Expect::<Switch>::parse(">= on").is_err());
        assert!(Expect::<Number>::parse("3ms").is_err());
        assert!(Expect::<Threshold>::parse("10kB..40%").is_err());
    }

    #[test]
    fn shown_as_written() {
        assert_eq!(
            Expect::<Bytes>::parse(">= 64KiB").unwrap().to_string(),
            ">= 64KiB"
        );
    }
}
