use super::*;
use proptest::prelude::*;
use serde_json::Value;

/// The document as `serde_json` would hold it. Numbers are compared as text.
fn value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.bool().unwrap()),
        Kind::Number => serde_json::from_str(node.raw()).unwrap(),
        Kind::String => Value::String(node.str().unwrap().into_owned()),
        Kind::Array => node.items().map(value).collect(),
        Kind::Object => Value::Object(
            node.entries()
                .map(|(key, node)| (key.text().into_owned(), value(node)))
                .collect(),
        ),
    }
}

fn error(text: &str) -> (u32, JsonErrorKind) {
    let error = Document::parse(text).error().unwrap();
    (error.offset, error.kind)
}

/// True when all that `part` holds stands in `whole` too.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(k, v)| whole.get(k).is_some_and(|w| is_part(v, w))),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(p, w)| is_part(p, w))
        }
        _ => part == whole,
    }
}

const SMALL: &str = r#"{
    "PORT_QOS_MAP": {
        "Ethernet0": { "pfc_enable": "3,4", "speed": 100000, "é\n\ud83d\ude00": null }
    },
    "list": [ -1.5e+3, 0, true, false, "a\\\"b", [], {}, [[1], {"k": [2, 3]}] ]
}"#;

#[test]
fn locates_keys_and_values() {
    let doc = Document::parse(SMALL);
    assert_eq!(doc.error(), None);
    let root = doc.root().unwrap();
    let (key, table) = root.entries().next().unwrap();
    assert_eq!(key.text(), "PORT_QOS_MAP");
    assert!(matches!(key.text(), Cow::Borrowed(_)));
    assert!(SMALL[key.offset() as usize..].starts_with("\"PORT_QOS_MAP\""));
    let port = table.get("Ethernet0").unwrap();
    let pfc = port.get("pfc_enable").unwrap();
    assert_eq!(pfc.raw(), "\"3,4\"");
    assert!(SMALL[pfc.offset() as usize..].starts_with("\"3,4\""));
    assert_eq!(port.get("speed").unwrap().u64(), Some(100_000));
    assert_eq!(port.get("speed").unwrap().text().unwrap(), "100000");
    assert!(port.get("é\n😀").unwrap().is_null());
    assert!(port.raw().ends_with('}') && port.complete());
    let list = root.get("list").unwrap();
    assert_eq!(list.items().count(), 8);
    assert_eq!(list.items().next().unwrap().f64(), Some(-1500.0));
    assert_eq!(list.items().next().unwrap().u64(), None);
    assert_eq!(list.entries().count(), 0);
    assert_eq!(value(root), serde_json::from_str::<Value>(SMALL).unwrap());
}

#[test]
fn duplicate_keys_are_kept_and_the_last_counts() {
    let doc = Document::parse(r#"{"a": 1, "b": 2, "a": 3}"#);
    let root = doc.root().unwrap();
    assert_eq!(root.entries().count(), 3);
    assert_eq!(root.get("a").unwrap().u64(), Some(3));
    assert!(root.get("c").is_none());
}

#[test]
fn a_cut_anywhere_keeps_what_was_complete() {
    let whole: Value = serde_json::from_str(SMALL).unwrap();
    let mut seen = 0;
    for cut in (0..SMALL.len()).filter(|&i| SMALL.is_char_boundary(i)) {
        let doc = Document::parse(&SMALL[..cut]);
        let kind = doc.error().unwrap().kind;
        assert!(
            matches!(kind, JsonErrorKind::Truncated | JsonErrorKind::Empty),
            "cut at {cut}: {kind:?}"
        );
        let Some(root) = doc.root() else { continue };
        assert!(!root.complete());
        let part = value(root);
        assert!(is_part(&part, &whole), "cut at {cut}: {part}");
        let length = part.to_string().len();
        assert!(length + 2 >= seen, "cut at {cut} lost something: {part}");
        seen = length;
    }
    // Only the last brace is missing by now.
    assert_eq!(seen, whole.to_string().len());
}

#[test]
fn a_number_at_the_cut_is_not_trusted() {
    let doc = Document::parse(r#"{"size": 1234, "xoff": 12"#);
    let root = doc.root().unwrap();
    assert_eq!(root.entries().count(), 1);
    assert!(!root.complete());
    assert!(Document::parse("12").root().unwrap().complete());
}

#[test]
fn nested_containers_of_a_truncated_text_are_incomplete() {
    let doc = Document::parse(r#"{"a": {"x": 1}, "b": {"y": [1, 2"#);
    let root = doc.root().unwrap();
    assert!(root.get("a").unwrap().complete());
    let b = root.get("b").unwrap();
    assert!(!b.complete());
    assert_eq!(b.get("y").unwrap().items().count(), 1);
}

#[test]
fn tells_what_is_wrong_and_where() {
    use JsonErrorKind::*;
    for (text, offset, kind) in [
        ("", 0, Empty),
        (" \n\t", 3, Empty),
        ("\u{feff}{}", 0, UnexpectedCharacter),
        ("{} x", 3, TrailingText),
        ("{}{}", 2, TrailingText),
        ("[1,]", 3, UnexpectedCharacter),
        ("[,1]", 1, UnexpectedCharacter),
        ("[1 2]", 3, UnexpectedCharacter),
        ("[1}", 2, UnexpectedCharacter),
        (r#"{"a":1,}"#, 7, UnexpectedCharacter),
        (r#"{,"a":1}"#, 1, UnexpectedCharacter),
        (r#"{"a" 1}"#, 5, UnexpectedCharacter),
        (r#"{a: 1}"#, 1, UnexpectedCharacter),
        ("NaN", 0, UnexpectedCharacter),
        ("[nan]", 1, BadScalar),
        ("[01]", 2, BadScalar),
        ("[1.]", 3, BadScalar),
        ("[-]", 2, BadScalar),
        ("[1e]", 3, BadScalar),
        ("[+1]", 1, UnexpectedCharacter),
        (r#"["\x"]"#, 2, BadEscape),
        (r#"["\u12g4"]"#, 2, BadEscape),
        (r#"["\ud800"]"#, 2, BadEscape),
        (r#"["\udc00"]"#, 2, BadEscape),
        (r#"["\ud800A"]"#, 2, BadEscape),
        ("[\"a\nb\"]", 3, ControlCharacter),
        ("[\"a\u{0}b\"]", 3, ControlCharacter),
    ] {
        assert_eq!(error(text), (offset, kind), "{text:?}");
        assert!(serde_json::from_str::<Value>(text).is_err(), "{text:?}");
    }
}

#[test]
fn what_stood_before_an_error_is_kept() {
    let doc = Document::parse(r#"{"a": [1, 2], "b": oops}"#);
    let root = doc.root().unwrap();
    assert_eq!(root.entries().count(), 1);
    assert_eq!(root.get("a").unwrap().items().count(), 2);
    let doc = Document::parse("{\"a\": 1}\nadmin@leaf1:~$ ");
    assert!(doc.root().unwrap().complete());
    assert_eq!(doc.error().unwrap().kind, JsonErrorKind::TrailingText);
}

#[test]
fn the_line_of_a_pager_is_white_space() {
    let text = "{\n\u{1a}\n\"a\": {\u{1a}\n},\n\u{1a}\n\"b\": [1\n\u{1a}\n]\n}\n\u{1a}\n";
    let document = Document::parse(text);
    assert_eq!(document.error(), None);
    // But not within a string.
    assert_eq!(error("[\"\u{1a}\"]").1, JsonErrorKind::ControlCharacter);
}

#[test]
fn deep_nesting_is_refused_cheaply() {
    let deep = "[".repeat(100_000);
    assert_eq!(error(&deep), (MAX_DEPTH as u32, JsonErrorKind::TooDeep));
    let fits = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
    assert_eq!(Document::parse(&fits).error(), None);
    assert_eq!(error(&"{\"a\":".repeat(100_000)).1, JsonErrorKind::TooDeep);
}

#[test]
fn string_ends_are_found_at_every_alignment() {
    for length in 0..40 {
        for tail in ["", "\\n", "é", "\u{7f}", "\u{80}"] {
            let text = format!("[\"{}{tail}\", 7]", "x".repeat(length));
            let expected: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value(Document::parse(&text).root().unwrap()), expected);
        }
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[A-Za-z0-9|_ ,-]{0,24}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn agrees_with_serde_json_on_documents(wanted in json(), pretty in any::<bool>()) {
        let text = if pretty {
            serde_json::to_string_pretty(&wanted).unwrap()
        } else {
            wanted.to_string()
        };
        let doc = Document::parse(&text);
        prop_assert_eq!(doc.error(), None);
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(value(doc.root().unwrap()), expected);
    }

    #[test]
    fn accepts_what_serde_json_accepts(text in r#"[\[\]{}:,"\\ u0-9eE.+\-tfnrualsd\n]{0,24}"#) {
        let ours = Document::parse(&text).error();
        match serde_json::from_str::<Value>(&text) {
            Ok(expected) => {
                prop_assert_eq!(ours, None);
                let doc = Document::parse(&text);
                prop_assert_eq!(value(doc.root().unwrap()), expected);
            }
            // A number too large for a double is grammatical all the same.
            Err(error) if error.to_string().contains("out of range") => {}
            Err(_) => prop_assert!(ours.is_some()),
        }
    }

    #[test]
    fn any_damage_leaves_a_readable_tree(at in 0..SMALL.len(), with in any::<char>()) {
        let text: String = SMALL
            .char_indices()
            .map(|(i, c)| if i == at { with } else { c })
            .collect();
        let doc = Document::parse(&text);
        prop_assert_eq!(doc.error().is_none(), serde_json::from_str::<Value>(&text).is_ok());
        if let Some(root) = doc.root() {
            value(root);
        }
    }
}
