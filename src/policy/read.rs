//! From nodes to typed sections: one declaration of a section gives its
//! struct, its reader, the merge of overrides, the walk for `policy show`,
//! and the JSON Schema.

use std::borrow::Cow;

use globset::{GlobSet, GlobSetBuilder};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::error::{Problem, nearest, quoted};
use super::expect::Expect;
use super::quantity::{Quantity, glob};
use super::yaml::{Content, Located, Node, Position};

/// Collects what is wrong while a policy is read.
#[derive(Default)]
pub(super) struct Reader {
    pub problems: Vec<Problem>,
}

impl Reader {
    /// Notes a problem; there is no value then.
    pub fn fail<T>(&mut self, position: Position, message: impl Into<String>) -> Option<T> {
        self.problems.push(Problem::new(position, message));
        None
    }

    /// An unknown key, with the known one that was probably meant.
    pub fn unknown_key(&mut self, key: &Located<String>, known: &[&'static str]) {
        let problem = Problem::new(key.position, format!("unknown key {}", quoted(&key.value)));
        self.problems.push(match nearest(&key.value, known) {
            Some(word) => problem.help(format!("did you mean `{word}`?")),
            None => problem.help(format!("known here: {}", known.join(", "))),
        });
    }
}

/// Receives the values of a policy in the order of the language.
pub(super) trait Visit {
    /// A key that holds more keys.
    fn enter(&mut self, key: &str);
    /// The end of what the last `enter` opened.
    fn leave(&mut self);
    /// A value, as the policy wrote it.
    fn leaf(&mut self, key: &str, text: String, position: Position);
}

/// A part of a policy: a section, a map, a list or a value.
pub(super) trait Part: Clone {
    /// Reads the part, or notes why it can't.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self>;

    /// Lays a later value over this one. Maps merge, the rest is replaced.
    fn overlay(&mut self, over: &Self) {
        self.clone_from(over);
    }

    /// Shows the part's values.
    fn visit(&self, key: &str, visitor: &mut dyn Visit);
}

/// A value that stands alone in YAML, as a scalar or a list.
pub(super) trait Leaf: Clone {
    /// Reads the value.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self>;
    /// As the policy wrote it.
    fn text(&self) -> String;
}

impl<T: Leaf> Part for Located<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        Some(Located {
            value: T::read(node, reader)?,
            position: node.position,
        })
    }

    fn visit(&self, key: &str, visitor: &mut dyn Visit) {
        visitor.leaf(key, self.value.text(), self.position);
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The text of a scalar node.
pub(super) fn scalar<'a>(node: &'a Node, expected: &str, reader: &mut Reader) -> Option<&'a str> {
    match &node.content {
        Content::Scalar(text) => Some(text),
        other => reader.fail(
            node.position,
            format!("expected {expected}, found {}", other.kind()),
        ),
    }
}

impl Leaf for String {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = scalar(node, "a text", reader)?;
        if text.is_empty() {
            return reader.fail(node.position, "an empty text");
        }
        Some(text.to_owned())
    }

    fn text(&self) -> String {
        self.clone()
    }
}

impl<T: Quantity> Leaf for Expect<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::List(items) if items.is_empty() => reader.fail(
                node.position,
                "an empty list matches nothing; `any` accepts all",
            ),
            Content::List(items) => {
                let choices: Vec<_> = items
                    .iter()
                    .filter_map(|item| expect_one(item, reader))
                    .collect();
                (choices.len() == items.len()).then(|| Expect::one_of(choices))
            }
            _ => expect_one(node, reader),
        }
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

fn expect_one<T: Quantity>(node: &Node, reader: &mut Reader) -> Option<Expect<T>> {
    let text = scalar(node, T::EXPECTED, reader)?;
    match Expect::parse(text) {
        Ok(expect) => Some(expect),
        Err(message) => reader.fail(node.position, message),
    }
}

/// A value that the policy states rather than expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Exactly<T> {
    written: String,
    /// What the text means.
    pub value: T,
}

impl<T: Quantity> Leaf for Exactly<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = scalar(node, T::EXPECTED, reader)?;
        match T::parse(text) {
            Some(value) => Some(Exactly {
                written: text.to_owned(),
                value,
            }),
            None => reader.fail(
                node.position,
                format!("{} is not {}", quoted(text), T::EXPECTED),
            ),
        }
    }

    fn text(&self) -> String {
        self.written.clone()
    }
}

impl<T: Quantity> JsonSchema for Exactly<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        T::schema()
    }
}

/// A whole number from 0 to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code<const MAX: u8>(pub u8);

impl<const MAX: u8> Leaf for Code<MAX> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let expected = format!("a whole number from 0 to {MAX}");
        let text = scalar(node, &expected, reader)?;
        match text.parse::<u8>() {
            Ok(number) if number <= MAX => Some(Code(number)),
            _ => reader.fail(node.position, format!("{} is not {expected}", quoted(text))),
        }
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl<const MAX: u8> JsonSchema for Code<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Code{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0, "maximum": MAX})
    }
}

/// Code points (DSCP, PCP) of a class: one, a list, and ranges (`24..31`) in
/// either place. Sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes<const MAX: u8>(pub Vec<u8>);

impl<const MAX: u8> Leaf for Codes<MAX> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let items = match &node.content {
            Content::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        if items.is_empty() {
            return reader.fail(node.position, "an empty list of code points");
        }
        let mut codes = Vec::new();
        for item in items {
            codes.extend(code_range(item, MAX, reader)?);
        }
        codes.sort_unstable();
        codes.dedup();
        Some(Codes(codes))
    }

    fn text(&self) -> String {
        let codes: Vec<String> = self.0.iter().map(u8::to_string).collect();
        format!("[{}]", codes.join(", "))
    }
}

fn code_range(node: &Node, max: u8, reader: &mut Reader) -> Option<std::ops::RangeInclusive<u8>> {
    let expected = format!("a code point from 0 to {max}");
    let text = scalar(node, &expected, reader)?;
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    match (low.trim().parse::<u8>(), high.trim().parse::<u8>()) {
        (Ok(low), Ok(high)) if low <= high && high <= max => Some(low..=high),
        _ => reader.fail(node.position, format!("{} is not {expected}", quoted(text))),
    }
}

impl<const MAX: u8> JsonSchema for Codes<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Codes{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = serde_json::json!({"anyOf": [
            {"type": "integer", "minimum": 0, "maximum": MAX},
            {"type": "string", "pattern": "^\\d+(\\.\\.\\d+)?$"},
        ]});
        json_schema!({"anyOf": [one.clone(), {"type": "array", "minItems": 1, "items": one}]})
    }
}

/// Globs over names; a single one may stand without a list.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

impl Globs {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// A message about the first that is no glob.
    pub(super) fn new(patterns: Vec<String>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in &patterns {
            set.add(glob(pattern)?.glob().clone());
        }
        let set = set.build().map_err(|error| error.to_string())?;
        Ok(Globs { patterns, set })
    }

    /// Whether any of the globs matches the name. Letter case doesn't matter.
    pub fn matches(&self, name: &str) -> bool {
        self.set.is_match(name)
    }

    /// The globs as written.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Leaf for Globs {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let items = match &node.content {
            Content::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut patterns = Vec::with_capacity(items.len());
        for item in items {
            let pattern = <String as Leaf>::read(item, reader)?;
            if let Err(message) = glob(&pattern) {
                return reader.fail(item.position, message);
            }
            patterns.push(pattern);
        }
        match Globs::new(patterns) {
            Ok(globs) => Some(globs),
            Err(message) => reader.fail(node.position, message),
        }
    }

    fn text(&self) -> String {
        match self.patterns.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        }
    }
}

impl JsonSchema for Globs {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Globs".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [
            {"type": "string", "minLength": 1},
            {"type": "array", "items": {"type": "string", "minLength": 1}},
        ]})
    }
}

/// A map from names that the author chooses, in the order written.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries<T>(pub Vec<(Located<String>, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Entries(Vec::new())
    }
}

impl<T> Entries<T> {
    /// The entry of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        let entry = self.0.iter().find(|(key, _)| key.value == name);
        entry.map(|(_, value)| value)
    }

    /// Names and values in the order written.
    pub fn iter(&self) -> impl Iterator<Item = (&Located<String>, &T)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Part> Part for Entries<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let entries = match &node.content {
            Content::Null => return Some(Entries::default()),
            Content::Map(entries) => entries,
            other => {
                let message = format!("expected a map, found {}", other.kind());
                return reader.fail(node.position, message);
            }
        };
        let read =
            |(key, value): &(Located<String>, Node)| Some((key.clone(), T::read(value, reader)?));
        Some(Entries(entries.iter().filter_map(read).collect()))
    }

    fn overlay(&mut self, over: &Self) {
        for (key, value) in &over.0 {
            match self
                .0
                .iter_mut()
                .find(|(known, _)| known.value == key.value)
            {
                Some((_, known)) => known.overlay(value),
                None => self.0.push((key.clone(), value.clone())),
            }
        }
    }

    fn visit(&self, key: &str, visitor: &mut dyn Visit) {
        visitor.enter(key);
        for (name, value) in &self.0 {
            value.visit(&name.value, visitor);
        }
        visitor.leave();
    }
}

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Map_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": generator.subschema_for::<T>(),
        })
    }
}

impl<T: Part> Part for Vec<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Null => Some(Vec::new()),
            Content::List(items) => Some(
                items
                    .iter()
                    .filter_map(|item| T::read(item, reader))
                    .collect(),
            ),
            other => {
                let message = format!("expected a list, found {}", other.kind());
                reader.fail(node.position, message)
            }
        }
    }

    fn visit(&self, key: &str, visitor: &mut dyn Visit) {
        visitor.enter(key);
        for (index, item) in self.iter().enumerate() {
            item.visit(&format!("- {}", index + 1), visitor);
        }
        visitor.leave();
    }
}

/// Declares a section: a YAML map with known keys, each of which may be left
/// out. `includes NAME: TYPE` takes the keys of another section in.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident $(includes $included:ident: $included_type:ident)? {
        $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        pub struct $name {
            $(
                #[doc = "The keys that may stand in an override, too."]
                #[schemars(flatten)]
                pub $included: $included_type,
            )?
            $($(#[$field_doc])* pub $field: Option<$type>,)*
            /// Where the section starts.
            #[schemars(skip)]
            pub position: $crate::policy::Position,
        }

        impl $name {
            /// Reads one key; whether it is one of this section's.
            pub(super) fn read_key(
                &mut self,
                key: &str,
                node: &$crate::policy::yaml::Node,
                reader: &mut $crate::policy::read::Reader,
            ) -> bool {
                match key {
                    $(stringify!($field) => {
                        self.$field = $crate::policy::read::Part::read(node, reader);
                        true
                    })*
                    _ => {
                        false $(|| self.$included.read_key(key, node, reader))?
                    }
                }
            }

            pub(super) fn keys() -> Vec<&'static str> {
                #[allow(unused_mut)]
                let mut keys = vec![$(stringify!($field)),*];
                $(keys.extend(<$included_type>::keys());)?
                keys
            }

            pub(super) fn visit_keys(&self, visitor: &mut dyn $crate::policy::read::Visit) {
                $(self.$included.visit_keys(visitor);)?
                $(if let Some(value) = &self.$field {
                    $crate::policy::read::Part::visit(value, stringify!($field), visitor);
                })*
            }
        }

        impl $crate::policy::read::Part for $name {
            fn read(
                node: &$crate::policy::yaml::Node,
                reader: &mut $crate::policy::read::Reader,
            ) -> Option<Self> {
                use $crate::policy::yaml::Content;
                let mut section = $name {
                    position: node.position,
                    ..$name::default()
                };
                match &node.content {
                    Content::Null => {}
                    Content::Map(entries) => {
                        for (key, value) in entries {
                            if !section.read_key(&key.value, value, reader) {
                                reader.unknown_key(key, &$name::keys());
                            }
                        }
                    }
                    other => {
                        let message = format!("expected a map, found {}", other.kind());
                        return reader.fail(node.position, message);
                    }
                }
                Some(section)
            }

            fn overlay(&mut self, over: &Self) {
                $(self.$included.overlay(&over.$included);)?
                $(match (&mut self.$field, &over.$field) {
                    (_, None) => {}
                    (Some(known), Some(value)) => {
                        $crate::policy::read::Part::overlay(known, value);
                    }
                    (empty, Some(value)) => *empty = Some(value.clone()),
                })*
            }

            fn visit(&self, key: &str, visitor: &mut dyn $crate::policy::read::Visit) {
                visitor.enter(key);
                self.visit_keys(visitor);
                visitor.leave();
            }
        }
    };
}
pub(super) use section;
