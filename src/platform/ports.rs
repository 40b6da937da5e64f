//! The ports that a platform gathers, and the order of their names.

use crate::model::Port;
use std::collections::HashMap;

/// Ports of the device, by name.
#[derive(Default)]
pub struct Ports {
    /// In the order of discovery.
    pub list: Vec<Port>,
    index: HashMap<String, usize>,
    /// The configuration holds the list of ports: no other capture adds to it.
    pub closed: bool,
}

impl Ports {
    /// The port with this name; made unless the list is closed.
    pub fn get(&mut self, name: &str) -> Option<&mut Port> {
        let n = match self.find(name) {
            Some(n) => n,
            None if self.closed => return None,
            None => {
                self.list.push(Port::new(name));
                self.list.len() - 1
            }
        };
        self.list.get_mut(n)
    }

    /// Where it stands in [`Ports::list`].
    pub fn find(&mut self, name: &str) -> Option<usize> {
        // Built only where ports are looked up by name.
        for (n, port) in self.list.iter().enumerate().skip(self.index.len()) {
            self.index.insert(port.name.clone(), n);
        }
        self.index.get(name).copied()
    }

    /// Adds those of these ports that are not there yet; where each stands.
    pub fn add_all<'r>(&mut self, mut names: Vec<&'r str>) -> HashMap<&'r str, usize> {
        names.sort_by(|a, b| natural(a, b).then_with(|| a.cmp(b)));
        names.dedup();
        self.list.reserve(names.len());
        let first = self.list.is_empty();
        let mut places = HashMap::with_capacity(names.len());
        for name in names {
            let there = if first { None } else { self.find(name) };
            let n = there.unwrap_or_else(|| {
                self.list.push(Port::new(name));
                self.list.len() - 1
            });
            places.insert(name, n);
        }
        places
    }

    /// In natural order.
    pub fn sorted(self) -> Vec<Port> {
        let mut list = self.list;
        let order = |a: &Port, b: &Port| natural(&a.name, &b.name);
        if !list.is_sorted_by(|a, b| order(a, b).is_le()) {
            list.sort_by(order);
        }
        list
    }
}

/// Compares runs of digits as numbers: `Ethernet4` before `Ethernet12`.
pub fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number_a, rest_a) = digits(a);
                let (number_b, rest_b) = digits(b);
                let order = number_a
                    .len()
                    .cmp(&number_b.len())
                    .then(number_a.cmp(number_b));
                if order.is_ne() {
                    return order;
                }
                (a, b) = (rest_a, rest_b);
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[1..], &b[1..]),
            (x, y) => return x.cmp(&y),
        }
    }
}

/// The digits at the front without leading zeros, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = text.split_at(end);
    let zeros = number.iter().take_while(|b| **b == b'0').count();
    (&number[zeros..], rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_numbers() {
        use std::cmp::Ordering;
        for (a, b) in [
            ("Ethernet4", "Ethernet12"),
            ("Ethernet4", "Ethernet4a"),
            ("E2/9", "E2/10"),
            ("E", "E0"),
        ] {
            assert_eq!(natural(a, b), Ordering::Less);
            assert_eq!(natural(b, a), Ordering::Greater);
        }
        assert_eq!(natural("Ethernet004", "Ethernet4"), Ordering::Equal);
    }
}
