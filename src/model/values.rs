//! The values that facts hold.

use super::fact::{AnyFact, Kind, ToJson, Why};
use super::origin::Origin;
use serde_json::Value;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A set of 802.1p / PFC priorities (0..=7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Priorities(u8);

impl Priorities {
    /// No priority.
    pub const NONE: Priorities = Priorities(0);

    /// Bit n of the mask is priority n.
    pub fn from_mask(mask: u8) -> Self {
        Priorities(mask)
    }

    /// Bit n of the mask is priority n.
    pub fn mask(self) -> u8 {
        self.0
    }

    /// Adds a priority; numbers above 7 are ignored, callers check the range.
    pub fn insert(&mut self, priority: u8) {
        if priority < 8 {
            self.0 |= 1 << priority;
        }
    }

    /// Whether the priority is in the set.
    pub fn contains(self, priority: u8) -> bool {
        priority < 8 && self.0 & (1 << priority) != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The priorities in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..8).filter(move |p| self.contains(*p))
    }

    /// Priorities in both sets: what is in force both ways.
    pub fn intersection(self, other: Priorities) -> Priorities {
        Priorities(self.0 & other.0)
    }

    /// Priorities in this set but not in the other.
    pub fn difference(self, other: Priorities) -> Priorities {
        Priorities(self.0 & !other.0)
    }
}

impl FromIterator<u8> for Priorities {
    fn from_iter<I: IntoIterator<Item = u8>>(iter: I) -> Self {
        let mut set = Priorities::NONE;
        iter.into_iter().for_each(|p| set.insert(p));
        set
    }
}
impl fmt::Display for Priorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (n, priority) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{priority}")?;
        }
        f.write_str("]")
    }
}
impl fmt::Debug for Priorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl ToJson for Priorities {
    fn to_json(&self) -> Value {
        self.iter().map(Value::from).collect()
    }
}

/// One entry of a [`CodeMap`].
#[derive(Clone, Debug)]
pub struct MapEntry {
    /// DSCP, priority, traffic class …, as the map says.
    pub key: u8,
    /// What it maps to.
    pub value: u8,
    /// `None`: a line says so. `Some`: the platform's documented default.
    pub default: Option<Why>,
    /// Where the line is.
    pub at: Origin,
}

impl PartialEq for MapEntry {
    fn eq(&self, other: &Self) -> bool {
        (self.key, self.value, &self.default) == (other.key, other.value, &other.default)
    }
}
impl Eq for MapEntry {}
impl Hash for MapEntry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.key, self.value).hash(state);
    }
}
impl AnyFact for MapEntry {
    fn kind(&self) -> Kind {
        match self.default {
            None => Kind::Explicit,
            Some(_) => Kind::Default,
        }
    }
    fn at(&self) -> Origin {
        self.at
    }
    fn because(&self) -> Option<&Why> {
        self.default.as_ref()
    }
    fn json(&self) -> Option<Value> {
        Some(Value::from(self.value))
    }
}

/// A map from small numbers to small numbers: DSCP → traffic class, traffic
/// class → queue, and so on. One object is shared by all ports that use it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct CodeMap {
    entries: Vec<MapEntry>,
    /// Whether a key without an entry is known to have none. `false` where
    /// the capture was elided or cut: then a missing key is unknown.
    pub complete: bool,
}

impl CodeMap {
    /// A complete map without entries.
    pub fn new() -> Self {
        CodeMap {
            entries: Vec::new(),
            complete: true,
        }
    }

    /// Sets an entry; a later line for the same key replaces the earlier one.
    pub fn set(&mut self, entry: MapEntry) {
        match self.entries.binary_search_by_key(&entry.key, |e| e.key) {
            Ok(n) => self.entries[n] = entry,
            Err(n) => self.entries.insert(n, entry),
        }
    }

    /// Sets an entry that a line states.
    pub fn set_explicit(&mut self, key: u8, value: u8, at: Origin) {
        self.set(MapEntry {
            key,
            value,
            default: None,
            at,
        });
    }

    /// Fills a key that no line states with the documented default.
    pub fn fill_default(&mut self, key: u8, value: u8, why: impl Into<Why>) {
        if self.get(key).is_none() {
            self.set(MapEntry {
                key,
                value,
                default: Some(why.into()),
                at: Origin::NONE,
            });
        }
    }

    /// The entry of a key.
    pub fn get(&self, key: u8) -> Option<&MapEntry> {
        let n = self.entries.binary_search_by_key(&key, |e| e.key).ok()?;
        self.entries.get(n)
    }

    /// What a key maps to.
    pub fn value(&self, key: u8) -> Option<u8> {
        self.get(key).map(|e| e.value)
    }

    /// The keys that map to a value, ascending.
    pub fn keys_of(&self, value: u8) -> impl Iterator<Item = u8> {
        self.entries
            .iter()
            .filter(move |e| e.value == value)
            .map(|e| e.key)
    }

    /// All entries, by key.
    pub fn entries(&self) -> &[MapEntry] {
        &self.entries
    }
}

impl ToJson for CodeMap {
    fn to_json(&self) -> Value {
        let entries = self.entries.iter();
        Value::Object(
            entries
                .map(|e| (e.key.to_string(), Value::from(e.value)))
                .collect(),
        )
    }
}

/// A number with a fraction (percent, milliseconds), comparable and hashable:
/// kept in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Milli(pub i64);

impl Milli {
    /// From a decimal number; rounds to the nearest thousandth.
    pub fn from_f64(value: f64) -> Self {
        Milli((value * 1000.0).round() as i64)
    }

    /// From a whole number.
    pub fn whole(value: i64) -> Self {
        Milli(value.saturating_mul(1000))
    }

    /// As a decimal number.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}
impl fmt::Display for Milli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}
impl ToJson for Milli {
    fn to_json(&self) -> Value {
        if self.0 % 1000 == 0 {
            Value::from(self.0 / 1000)
        } else {
            Value::from(self.as_f64())
        }
    }
}

/// One of a closed set of words, as model JSON, reports and policies write it.
pub trait Word: Copy + Eq + fmt::Display + 'static {
    /// All words, quoted, for an error message: "`on`, `off`".
    const LIST: &'static str;
    /// Each value with its word, then those that a policy may write instead.
    const WORDS: &'static [(Self, &'static [&'static str])];
}

/// Declares an enum of words. The first word of each variant is how it is
/// shown.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $first:literal $(| $more:literal)*),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant),* }
        impl $name {
            /// The word used in model JSON, reports and policies.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $first),* }
            }
        }
        impl $crate::model::Word for $name {
            const LIST: &'static str = $crate::model::words!(@list $($first)*);
            const WORDS: &'static [(Self, &'static [&'static str])] =
                &[$(($name::$variant, &[$first $(, $more)*])),*];
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }
        impl $crate::model::fact::ToJson for $name {
            fn to_json(&self) -> serde_json::Value { serde_json::Value::from(self.as_str()) }
        }
    };
    (@list $first:literal $($rest:literal)*) => {
        concat!("`", $first, "`" $(, ", `", $rest, "`")*)
    };
}
pub(crate) use words;

words! {
    /// What a device is.
    DeviceKind {
        /// Forwards packets.
        Switch = "switch",
        /// Has NICs.
        Host = "host",
    }
}
words! {
    /// Administrative or operational state.
    State {
        /// Up.
        Up = "up",
        /// Down.
        Down = "down",
    }
}
words! {
    /// What an MTU number counts.
    MtuCounts {
        /// The IP packet.
        Ip = "ip",
        /// The IP packet and the 14 bytes of the Ethernet header.
        L2 = "l2",
        /// The IP packet, the header and the 4 bytes of the FCS.
        Frame = "frame",
    }
}
words! {
    /// Which field of an arriving packet decides its class.
    Trust {
        /// The DSCP of the IP header.
        Dscp = "dscp",
        /// The 802.1p priority of the VLAN tag.
        Pcp = "pcp",
        /// DSCP for IP, else 802.1p.
        Both = "both",
        /// Neither.
        None = "none",
    }
}
words! {
    /// How PFC comes into force.
    PfcMode {
        /// Configured, without negotiation.
        On = "on" | "true",
        /// Negotiated by DCBX.
        Auto = "auto",
        /// Not at all.
        Off = "off" | "false",
    }
}
words! {
    /// How a queue is served.
    SchedulerKind {
        /// Before all weighted queues.
        Strict = "strict",
        /// A share of what the strict queues leave.
        Weighted = "weighted",
    }
}
words! {
    /// How a buffer threshold is counted.
    PoolMode {
        /// A fixed number of bytes.
        Static = "static",
        /// A factor of the free space.
        Dynamic = "dynamic",
    }
}
words! {
    /// Which side of the switch a buffer pool serves.
    Direction {
        /// Arriving packets.
        Ingress = "ingress",
        /// Leaving packets.
        Egress = "egress",
        /// One pool for both.
        Both = "both",
    }
}
words! {
    /// Who decides the DCB settings of a NIC.
    Dcbx {
        /// The operating system.
        Os = "os",
        /// The NIC's firmware, with its peer.
        Firmware = "firmware",
        /// Nobody negotiates.
        Off = "off",
    }
}
words! {
    /// The link layer of an RDMA port.
    LinkType {
        /// RoCE.
        Ethernet = "ethernet",
        /// InfiniBand.
        Infiniband = "infiniband",
    }
}
words! {
    /// The encapsulation that a GID stands for.
    GidType {
        /// UDP over IP: routable.
        RoceV2 = "rocev2",
        /// Ethertype 0x8915: one broadcast domain.
        RoceV1 = "rocev1",
    }
}
