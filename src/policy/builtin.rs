//! The policies that are shipped with the program, and the JSON Schema.

use serde_json::Value;

use super::schema::Policy;

/// Names and texts, in the order of `policy list`.
const SHIPPED: [(&str, &str); 8] = [
    (
        "roce-lossless",
        include_str!("../../policies/roce-lossless.yaml"),
    ),
    (
        "sonic-azure",
        include_str!("../../policies/sonic-azure.yaml"),
    ),
    (
        "nvidia-spectrum",
        include_str!("../../policies/nvidia-spectrum.yaml"),
    ),
    (
        "amd-pensando",
        include_str!("../../policies/amd-pensando.yaml"),
    ),
    (
        "pcp-storage",
        include_str!("../../policies/pcp-storage.yaml"),
    ),
    ("pfc-only", include_str!("../../policies/pfc-only.yaml")),
    ("ecn-only", include_str!("../../policies/ecn-only.yaml")),
    (
        "consistency",
        include_str!("../../policies/consistency.yaml"),
    ),
];

/// The names of the shipped policies.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// The text of a shipped policy.
pub fn text(name: &str) -> Option<&'static str> {
    let shipped = SHIPPED.iter().find(|(known, _)| *known == name);
    shipped.map(|(_, text)| *text)
}

/// What a shipped policy is for: the first line of its text.
pub fn description(name: &str) -> Option<&'static str> {
    let first = text(name)?.lines().next()?;
    Some(first.trim_start_matches(['#', ' ']))
}

/// A commented policy to start from: `policy init`.
pub fn init_template() -> &'static str {
    include_str!("template.yaml")
}

/// JSON Schema of the policy language.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Policy).to_value();
    without_null(&mut schema);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// A key may be left out, but not be there without a value: drops the `null`
/// that stands for an optional field.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type") != Some(&Value::from("null")));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    map.remove("anyOf");
                    map.extend(only);
                }
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}
