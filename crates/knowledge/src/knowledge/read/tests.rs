//! Structs out of values, and the places of mistakes.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    knowledge::read::document,
    source::FileId,
    syntax::yaml,
    value::{
        Value,
        deserialize::{ReadError, Spanned},
    },
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chart {
    name: String,
    #[serde(default)]
    replicas: u32,
    pdb: Option<Pdb>,
    default: Option<Value>,
    #[serde(default)]
    paths: BTreeMap<Spanned<String>, Spanned<f64>>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Pdb {
    Never,
    Least(u32),
}

fn chart(text: &str) -> Result<Chart, ReadError> {
    let documents = yaml::parse_file(FileId(7), text);
    let value = documents.values.first().expect("it is YAML");
    Chart::deserialize(value)
}

#[test]
fn values_become_structs() {
    let text = "name: a\nreplicas: 2\npdb: {least: 1}\ndefault: [x, null, 1.5]\npaths: {b.c: 3}\n";
    let read = chart(text).expect("it is sound");
    assert_eq!((read.name.as_str(), read.replicas), ("a", 2));
    assert_eq!(read.pdb, Some(Pdb::Least(1)));
    let items = read.default.as_ref().map(Value::items).unwrap_or_default();
    assert_eq!(items.first().and_then(Value::as_str), Some("x"));
    assert!(items.get(1).is_some_and(Value::is_null));
    assert_eq!(items.get(2).and_then(Value::as_number), Some(1.5));
    let (path, number) = read.paths.first_key_value().expect("there is one");
    assert_eq!((path.value.as_str(), number.value), ("b.c", 3.0));
    assert_eq!((&text[path.span.range()], &text[number.span.range()]), ("b.c", "3"));
    let read = chart("name: a\npdb: never\n").expect("it is sound");
    assert_eq!((read.pdb, read.replicas), (Some(Pdb::Never), 0));
}

#[test]
fn a_mistake_has_the_place_of_what_is_wrong() {
    for (text, place, message) in [
        ("name: a\nnane: b\n", "nane", "unknown field `nane`, expected one of"),
        ("name: [a]\n", "[a]", "invalid type: sequence, expected a string"),
        ("name: a\nreplicas: 1.5\n", "1.5", "invalid type: floating point `1.5`, expected u32"),
        ("name: a\nreplicas: -1\n", "-1", "invalid value: integer `-1`, expected u32"),
        ("name: a\npdb: often\n", "often", "unknown variant `often`"),
        ("name: a\npaths: {b: true}\n", "true", "invalid type: boolean `true`, expected f64"),
        ("replicas: 1", "replicas: 1", "missing field `name`"),
        ("name: ${NAME}\n", "${NAME}", "invalid type: an unknown value, expected a string"),
    ] {
        let mistake = chart(text).expect_err(text);
        assert!(mistake.message.starts_with(message), "{text}: {}", mistake.message);
        assert_eq!(mistake.span.map(|it| text[it.range()].trim_end()), Some(place), "{text}");
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taint {
    #[serde(default)]
    key: String,
}

#[test]
fn mistakes_are_reported_with_line_and_column() {
    for (text, wanted) in [
        ("key: a\n", &[][..]),
        ("# No key.\nkay: a\n", &["x.yaml:2:1: unknown field `kay`, expected `key`"]),
        ("key:\n  - a\n", &["x.yaml:2:3: invalid type: sequence, expected a string"]),
        ("", &["x.yaml:1:1: an empty file"]),
        ("key: a\n---\nkey: b\n", &["x.yaml: more than one document"]),
    ] {
        assert_eq!(document::<Taint>("x.yaml", text).problems, wanted, "{text}");
    }
    assert_eq!(document::<Taint>("x.yaml", "key: a\n").data.key, "a");
}
