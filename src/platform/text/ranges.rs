//! Lists of small integers: `3,4`, `2-4,6`, `0-9, 11-25`.

/// Why a list could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RangesError {
    /// Neither a number nor a range; an item may also be missing (`3,,4`).
    #[error("`{0}` is neither a number nor a range")]
    NotANumber(String),
    /// A number above the largest that makes sense here.
    #[error("{value} is larger than {largest}")]
    TooLarge {
        /// The number as it stands.
        value: u64,
        /// The largest that was allowed.
        largest: u8,
    },
    /// A range that ends before it begins.
    #[error("the range {first}-{last} runs backwards")]
    Backwards {
        /// Before the hyphen.
        first: u8,
        /// After the hyphen.
        last: u8,
    },
}

/// Reads a list of priorities, queues or code points, each from 0 to
/// `largest` (7, or 63 for DSCP). The result is in ascending order without
/// duplicates; an empty or blank text is the empty list.
pub fn small_integers(text: &str, largest: u8) -> Result<Vec<u8>, RangesError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut members = [false; 256];
    for item in text.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let first = number(first, item, largest)?;
        let last = number(last, item, largest)?;
        if first > last {
            return Err(RangesError::Backwards { first, last });
        }
        for value in first..=last {
            if let Some(member) = members.get_mut(usize::from(value)) {
                *member = true;
            }
        }
    }
    Ok((0..=largest)
        .zip(members)
        .filter_map(|(value, member)| member.then_some(value))
        .collect())
}

fn number(text: &str, item: &str, largest: u8) -> Result<u8, RangesError> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value: u64 = digits
        .then(|| text.parse().ok())
        .flatten()
        .ok_or_else(|| RangesError::NotANumber(item.trim().to_owned()))?;
    u8::try_from(value)
        .ok()
        .filter(|value| *value <= largest)
        .ok_or(RangesError::TooLarge { value, largest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        for (text, expected) in [
            ("", &[][..]),
            ("  ", &[]),
            ("3", &[3]),
            ("3,4", &[3, 4]),
            ("4, 3,3", &[3, 4]),
            ("2-4,6", &[2, 3, 4, 6]),
            ("0-7", &[0, 1, 2, 3, 4, 5, 6, 7]),
            (" 5 - 6 ", &[5, 6]),
        ] {
            assert_eq!(small_integers(text, 7).unwrap(), expected, "{text:?}");
        }
        assert_eq!(small_integers("0-9, 11-63", 63).unwrap().len(), 63);
        assert_eq!(small_integers("0-255", 255).unwrap().len(), 256);
    }

    #[test]
    fn what_is_no_list() {
        let not = |text: &str| RangesError::NotANumber(text.to_owned());
        for (text, error) in [
            ("N/A", not("N/A")),
            ("3,,4", not("")),
            ("3,", not("")),
            ("-3", not("-3")),
            ("+3", not("+3")),
            ("1-2-3", not("1-2-3")),
            ("99999999999999999999", not("99999999999999999999")),
            (
                "8",
                RangesError::TooLarge {
                    value: 8,
                    largest: 7,
                },
            ),
            ("4-2", RangesError::Backwards { first: 4, last: 2 }),
        ] {
            assert_eq!(small_integers(text, 7), Err(error), "{text:?}");
        }
    }
}
