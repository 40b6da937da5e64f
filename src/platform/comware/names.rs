//! Names of interfaces: as configurations write them, as people type them,
//! and as tables shorten them.

/// Full name, short name, and speed in Mb/s.
const TYPES: &[(&str, &str, u32)] = &[
    ("GigabitEthernet", "GE", 1000),
    ("Ten-GigabitEthernet", "XGE", 10_000),
    ("Twenty-FiveGigE", "WGE", 25_000),
    ("TwentyFiveGigE", "WGE", 25_000),
    ("FortyGigE", "FGE", 40_000),
    ("FiftyGigE", "50GE", 50_000),
    ("HundredGigE", "HGE", 100_000),
    ("TwoHundredGigE", "THGE", 200_000),
    ("FourHundredGigE", "FHGE", 400_000),
    ("EightHundredGigE", "EHGE", 800_000),
];

/// The letters of a name, and its numbers.
fn split(name: &str) -> Option<(&str, &str)> {
    let at = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, numbers) = name.split_at(at);
    let is_port = numbers.contains('/')
        && numbers
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'/' | b':'));
    is_port.then_some((letters.trim_end(), numbers))
}

/// The full name of a front port: `twenty-fivegige1/0/3` and `WGE1/0/3` are
/// `Twenty-FiveGigE1/0/3`. `None` for what is no port of the front.
pub fn full(name: &str) -> Option<String> {
    let (letters, numbers) = split(name)?;
    let kind = TYPES.iter().find(|(full, short, _)| {
        full.eq_ignore_ascii_case(letters) || short.eq_ignore_ascii_case(letters)
    })?;
    Some(format!("{}{numbers}", kind.0))
}

/// The speed of a port by its type, in Mb/s.
pub fn speed(name: &str) -> Option<u32> {
    let (letters, _) = split(name)?;
    let kind = TYPES.iter().find(|(full, ..)| *full == letters)?;
    Some(kind.2)
}

/// The numbers of a port, which no other port of the switch has.
pub fn numbers(name: &str) -> Option<&str> {
    split(name).map(|(_, numbers)| numbers)
}

/// The number of an aggregation, `Bridge-Aggregation1` or `Route-Aggregation1`.
pub fn aggregation(name: &str) -> Option<&str> {
    let lower = ["bridge-aggregation", "route-aggregation"];
    let found = lower.iter().find(|kind| {
        name.get(..kind.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(kind))
    })?;
    let number = name.get(found.len()..)?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_port() {
        for name in ["Twenty-FiveGigE1/0/3", "twenty-fivegige1/0/3", "WGE1/0/3"] {
            assert_eq!(full(name).as_deref(), Some("Twenty-FiveGigE1/0/3"));
        }
        assert_eq!(full("HGE1/0/1:2").as_deref(), Some("HundredGigE1/0/1:2"));
        assert_eq!(speed("FourHundredGigE1/0/1"), Some(400_000));
        for other in [
            "Vlan-interface10",
            "M-GigabitEthernet0/0/0",
            "HundredGigE1/0/1.5",
            "LoopBack0",
            "NULL0",
            "",
        ] {
            assert_eq!(full(other), None, "{other:?}");
        }
        assert_eq!(aggregation("Bridge-Aggregation12"), Some("12"));
        assert_eq!(aggregation("bridge-aggregationx"), None);
    }
}
