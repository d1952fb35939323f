//! What a CRD says of one version.

use std::collections::BTreeMap;

use karplint_core::value::{Kind, Value};

use crate::crds::{facts::ApiFacts, rule};

/// Facts that are compared as they are.
const PLAIN: &[&str] = &[
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "default",
];

/// What says that anything is taken.
const PRESERVED: &str = "x-kubernetes-preserve-unknown-fields";

/// Everything else that is understood.
const KNOWN: &[&str] = &[
    "type",
    "description",
    "properties",
    "items",
    "additionalProperties",
    "required",
    "enum",
    "pattern",
    "anyOf",
    "allOf",
    "x-kubernetes-int-or-string",
    PRESERVED,
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];

pub(crate) fn facts(version: &Value) -> ApiFacts {
    let mut facts = ApiFacts::default();
    if let Some(schema) = version.at("schema.openAPIV3Schema").present() {
        walk(schema, "", false, &mut facts);
    }
    facts
}

fn walk(schema: &Value, path: &str, required: bool, facts: &mut ApiFacts) {
    if !path.is_empty() {
        facts.fields.insert(path.to_owned(), shape(schema, required));
        facts.places.insert(path.to_owned(), schema.name.start as usize);
    }
    for entry in schema.entries() {
        if !PLAIN.contains(&&*entry.key) && !KNOWN.contains(&&*entry.key) {
            facts.unknown.push(format!("{path}: nothing is known about `{}`", entry.key));
        }
    }
    for rule in list(schema, "x-kubernetes-validations") {
        check(text(rule, "rule").unwrap_or_default(), path, facts);
    }
    let required: Vec<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
    for entry in schema.get("properties").present().map_or(&[][..], Value::entries) {
        let inside =
            if path.is_empty() { entry.key.to_string() } else { format!("{path}.{}", entry.key) };
        walk(&entry.value, &inside, required.contains(&&*entry.key), facts);
    }
    if let Some(items) = schema.get("items").present() {
        walk(items, &format!("{path}[]"), false, facts);
    }
    if let Some(values) =
        schema.get("additionalProperties").present().filter(|it| it.as_map().is_some())
    {
        walk(values, &format!("{path}{{}}"), false, facts);
    }
}

fn check(rule: &str, path: &str, facts: &mut ApiFacts) {
    let Some((named, keys)) = rule::read(rule) else {
        let digest = rule::digests(rule);
        facts
            .unknown
            .push(format!("{path}: a check of which nothing is known, {digest}: `{rule}`"));
        return;
    };
    facts.checks.entry(path.to_owned()).or_default().insert(named.to_string());
    if let Some((domain, keys)) = keys {
        facts.keys.insert((path.to_owned(), domain), keys);
    }
}

fn shape(schema: &Value, required: bool) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut add = |name: &str, fact: String| drop(facts.insert(name.to_owned(), fact));
    let holds = type_of(schema);
    let is_text = matches!(holds, "string" | "int-or-string");
    add("type", holds.to_owned());
    if required {
        add("required", "true".to_owned());
    }
    let values: Vec<String> = list(schema, "enum").iter().map(plain).collect();
    if !values.is_empty() {
        add("enum", values.join(", "));
    }
    let all = list(schema, "allOf").iter().filter_map(|it| text(it, "pattern"));
    let patterns: Vec<&str> = text(schema, "pattern").into_iter().chain(all).collect();
    if is_text && !patterns.is_empty() {
        add("pattern", patterns.join(" and "));
    }
    for name in PLAIN {
        // Bounds of texts say nothing on lists and objects.
        let applies = is_text || !matches!(*name, "minLength" | "maxLength");
        if let Some(fact) = schema.get(name).present().filter(|_| applies) {
            add(name, if *name == "default" { json(fact) } else { plain(fact) });
        }
    }
    match text(schema, "x-kubernetes-list-type") {
        Some("set") => add("unique", "items".to_owned()),
        Some("map") => {
            let keys: Vec<String> =
                list(schema, "x-kubernetes-list-map-keys").iter().map(plain).collect();
            add("unique", keys.join(", "));
        }
        _ => {}
    }
    facts
}

fn type_of(schema: &Value) -> &str {
    let is_set = |name: &str| schema.get(name).present().is_some();
    match text(schema, "type") {
        _ if is_set("x-kubernetes-int-or-string") => "int-or-string",
        _ if is_set(PRESERVED) => "any",
        Some("array") => "list",
        Some("object") if is_set("additionalProperties") => "map",
        Some(other) => other,
        None => "nothing",
    }
}

fn text<'a>(schema: &'a Value, key: &str) -> Option<&'a str> {
    schema.get(key).present()?.as_str()
}

fn list<'a>(schema: &'a Value, key: &str) -> &'a [Value] {
    schema.get(key).present().map_or(&[], Value::items)
}

fn plain(value: &Value) -> String {
    match &value.kind {
        Kind::String(text) => text.text.to_string(),
        _ => json(value),
    }
}

/// The value as JSON, keys sorted.
pub(crate) fn json(value: &Value) -> String {
    match &value.kind {
        Kind::String(text) => format!("{:?}", &*text.text),
        Kind::Number(number) => number.to_string(),
        Kind::Bool(it) => it.to_string(),
        Kind::List(list) => {
            let items: Vec<String> = list.items.iter().map(json).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Map(map) => {
            let mut entries: Vec<String> =
                map.entries.iter().map(|it| format!("{:?}: {}", it.key, json(&it.value))).collect();
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        Kind::Null => "null".to_owned(),
        Kind::Unknown(_) => "unknown".to_owned(),
    }
}
