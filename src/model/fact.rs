//! A fact about a device: explicit, default, unknown or not applicable.

use super::origin::Origin;
use serde_json::Value;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Why a fact is a default (the documentation that says so) or unknown (what
/// is missing). One pointer wide for the texts that are compiled in.
#[derive(Clone)]
pub enum Why {
    /// A text compiled into the program.
    Documented(&'static Reason),
    /// A text that names something of this device.
    Told(Arc<String>),
}

/// A compiled-in explanation, kept behind one thin pointer.
pub struct Reason(pub &'static str);

/// Nothing that was collected speaks of this fact.
pub static NOT_COLLECTED: Reason = Reason("no capture holds it");

impl Why {
    /// The text.
    pub fn text(&self) -> &str {
        match self {
            Why::Documented(reason) => reason.0,
            Why::Told(text) => text,
        }
    }
}

impl From<&'static Reason> for Why {
    fn from(reason: &'static Reason) -> Self {
        Why::Documented(reason)
    }
}

impl From<String> for Why {
    fn from(text: String) -> Self {
        Why::Told(Arc::new(text))
    }
}

impl PartialEq for Why {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Why::Documented(a), Why::Documented(b)) if std::ptr::eq(*a, *b) => true,
            _ => self.text() == other.text(),
        }
    }
}
impl Eq for Why {}
impl Hash for Why {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}
impl fmt::Debug for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// How a fact is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A line says so.
    Explicit,
    /// No line; the platform's documented default applies.
    Default,
    /// Not collected, not understood or not comparable.
    Unknown,
}

impl Kind {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Explicit => "explicit",
            Kind::Default => "default",
            Kind::Unknown => "unknown",
        }
    }
}

/// One fact. Equality and hashing leave the origin out: two ports that say
/// the same in different lines are equal.
#[derive(Clone, Debug)]
pub enum Fact<T> {
    /// A line says so.
    Explicit(T, Origin),
    /// No line says so; the documented default applies. The origin, where
    /// known, is the place that could have said otherwise.
    Default(T, Why, Origin),
    /// Not known, and why. The origin, where known, is what was not understood.
    Unknown(Why, Origin),
    /// Does not apply to this device or port.
    NotApplicable,
}

impl<T> Default for Fact<T> {
    /// Nothing was collected.
    fn default() -> Self {
        Fact::Unknown(Why::Documented(&NOT_COLLECTED), Origin::NONE)
    }
}

impl<T> Fact<T> {
    /// A value that a line states.
    pub fn explicit(value: T, at: Origin) -> Self {
        Fact::Explicit(value, at)
    }

    /// The documented default, with nothing to point at.
    pub fn default_of(value: T, why: impl Into<Why>) -> Self {
        Fact::Default(value, why.into(), Origin::NONE)
    }

    /// Unknown, with the reason.
    pub fn unknown(why: impl Into<Why>) -> Self {
        Fact::Unknown(why.into(), Origin::NONE)
    }

    /// Unknown, with the reason and the place that was not understood.
    pub fn unknown_at(why: impl Into<Why>, at: Origin) -> Self {
        Fact::Unknown(why.into(), at)
    }

    /// The value, where known.
    pub fn value(&self) -> Option<&T> {
        match self {
            Fact::Explicit(value, _) | Fact::Default(value, _, _) => Some(value),
            Fact::Unknown(..) | Fact::NotApplicable => None,
        }
    }

    /// Whether the value is known.
    pub fn is_known(&self) -> bool {
        self.value().is_some()
    }

    /// Whether it applies here but is not known.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Fact::Unknown(..))
    }

    /// Whether it applies at all.
    pub fn applies(&self) -> bool {
        !matches!(self, Fact::NotApplicable)
    }

    /// The place it was read from.
    pub fn at(&self) -> Origin {
        match self {
            Fact::Explicit(_, at) | Fact::Default(_, _, at) | Fact::Unknown(_, at) => *at,
            Fact::NotApplicable => Origin::NONE,
        }
    }

    /// Why it is a default or unknown.
    pub fn because(&self) -> Option<&Why> {
        match self {
            Fact::Default(_, why, _) | Fact::Unknown(why, _) => Some(why),
            Fact::Explicit(..) | Fact::NotApplicable => None,
        }
    }

    /// How it is known; what does not apply counts as unknown.
    pub fn kind(&self) -> Kind {
        match self {
            Fact::Explicit(..) => Kind::Explicit,
            Fact::Default(..) => Kind::Default,
            Fact::Unknown(..) | Fact::NotApplicable => Kind::Unknown,
        }
    }

    /// The same fact with its value converted; kind, reason and place stay.
    pub fn map<U>(&self, convert: impl FnOnce(&T) -> U) -> Fact<U> {
        match self {
            Fact::Explicit(value, at) => Fact::Explicit(convert(value), *at),
            Fact::Default(value, why, at) => Fact::Default(convert(value), why.clone(), *at),
            Fact::Unknown(why, at) => Fact::Unknown(why.clone(), *at),
            Fact::NotApplicable => Fact::NotApplicable,
        }
    }
}

impl<T: Copy> Fact<T> {
    /// The value by copy, where known.
    pub fn get(&self) -> Option<T> {
        self.value().copied()
    }
}

impl<T: PartialEq> PartialEq for Fact<T> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Fact::Explicit(a, _), Fact::Explicit(b, _)) => a == b,
            (Fact::Default(a, why_a, _), Fact::Default(b, why_b, _)) => a == b && why_a == why_b,
            (Fact::Unknown(a, _), Fact::Unknown(b, _)) => a == b,
            (Fact::NotApplicable, Fact::NotApplicable) => true,
            _ => false,
        }
    }
}
impl<T: Eq> Eq for Fact<T> {}
impl<T: Hash> Hash for Fact<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        if let Some(value) = self.value() {
            value.hash(state);
        }
    }
}

/// A value that the model JSON can show.
pub trait ToJson {
    /// The JSON form, as in the model's schema.
    fn to_json(&self) -> Value;
}

macro_rules! to_json_number {
    ($($t:ty),*) => {$(impl ToJson for $t { fn to_json(&self) -> Value { Value::from(*self) } })*};
}
to_json_number!(u8, u16, u32, u64, i8, i64, bool);

impl ToJson for String {
    fn to_json(&self) -> Value {
        Value::from(self.as_str())
    }
}
impl ToJson for &'static str {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
}
impl<T: ToJson> ToJson for Arc<T> {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

/// A fact of any type: what model JSON, evidence, diff and outlier need of it.
pub trait AnyFact {
    /// How it is known.
    fn kind(&self) -> Kind;
    /// The place it was read from.
    fn at(&self) -> Origin;
    /// Why it is a default or unknown.
    fn because(&self) -> Option<&Why>;
    /// The value as JSON: `null` when unknown, `None` when it does not apply.
    fn json(&self) -> Option<Value>;
}

impl<T: ToJson> AnyFact for Fact<T> {
    fn kind(&self) -> Kind {
        Fact::kind(self)
    }
    fn at(&self) -> Origin {
        Fact::at(self)
    }
    fn because(&self) -> Option<&Why> {
        Fact::because(self)
    }
    fn json(&self) -> Option<Value> {
        match self {
            Fact::Explicit(value, _) | Fact::Default(value, _, _) => Some(value.to_json()),
            Fact::Unknown(..) => Some(Value::Null),
            Fact::NotApplicable => None,
        }
    }
}
