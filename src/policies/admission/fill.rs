//! An object as the API server has it when it asks admission policies: with its defaults.

use std::sync::Arc;

use crate::{
    inventory::objects::BuiltObject,
    knowledge::{api_default, schema},
    model::Model,
    policies::admission::{
        asked::{unknown, with_entry, with_name_label},
        kinds::{Definition, Resource},
    },
    policies::subjects::objects::applied,
    source::Span,
    value::{Entry, Field, Kind, List, Map, Symbol, Value},
};

/// The object with what the API server fills in. Of a kind whose defaults are not known, what is not written
/// may be there.
pub(super) fn filled(
    model: &Model,
    built: &BuiltObject<'_>,
    resource: &Resource,
    definition: Option<&Definition>,
) -> Value {
    let object = &built.object;
    let value = with_metadata(applied(model, object, &built.scope), resource);
    let is_namespace = object.group().is_empty() && &*object.kind == "Namespace";
    let value = if is_namespace { with_name_label(&value) } else { value };
    if let Some(defaults) = api_default::of(object.group(), &object.kind) {
        return with_defaults(&value, defaults);
    }
    if schema::of(&object.api_version, &object.kind).is_some() {
        return value;
    }
    if let Some(schema) = definition.and_then(|it| it.schema_of(object)) {
        return with_schema(&value, schema);
    }
    let Field::Present(spec) = value.get("spec") else { return value };
    let symbol = Symbol::new("place", format!("what `{}` has by default", object.kind));
    let spec = opened(spec, &symbol);
    with_entry(&value, "spec", spec)
}

/// `metadata` with what every object has.
fn with_metadata(value: Value, resource: &Resource) -> Value {
    let Field::Present(metadata) = value.get("metadata") else { return value };
    let mut filled = metadata.clone();
    let mut add = |key: &str, what: &str| {
        if filled.get(key).is_missing() {
            filled = with_entry(&filled, key, unknown(what, metadata.name));
        }
    };
    if resource.is_namespaced != Some(false) {
        add("namespace", "the namespace of the object");
    }
    add("name", "the name of the object");
    for (key, what) in [
        ("uid", "metadata.uid"),
        ("creationTimestamp", "metadata.creationTimestamp"),
        ("generation", "metadata.generation"),
        ("managedFields", "metadata.managedFields"),
    ] {
        add(key, what);
    }
    with_entry(&value, "metadata", filled)
}

/// A value with the defaults of its type.
fn with_defaults(value: &Value, defaults: &Value) -> Value {
    match (&value.kind, &defaults.kind) {
        (_, Kind::String(_)) => match part(defaults) {
            Some(part) => with_defaults(value, part),
            None => value.clone(),
        },
        (Kind::Map(map), Kind::Map(known)) => {
            let mut found = (**map).clone();
            for it in &known.entries {
                add_default(&mut found, value.name, &DefaultKey::read(&it.key), &it.value);
            }
            found.entries.retain(|it| !is_empty_list(&it.value.kind));
            Value { kind: Kind::Map(Arc::new(found)), ..value.clone() }
        }
        (Kind::List(list), Kind::List(known)) => {
            let Some(of_item) = known.items.first() else { return value.clone() };
            let items = list.items.iter().map(|it| with_defaults(it, of_item)).collect();
            let list = List { items, ..(**list).clone() };
            Value { kind: Kind::List(Arc::new(list)), ..value.clone() }
        }
        _ => value.clone(),
    }
}

/// A key of the data: `name`, `name?` for what is only completed where it is written, `name!` for what is left out
/// where it is zero, `name if other=word`.
struct DefaultKey<'a> {
    name: &'a str,
    only_if_written: bool,
    /// `name!`: left out where it is zero.
    drops_zero: bool,
    condition: Option<(&'a str, &'a str)>,
}

impl<'a> DefaultKey<'a> {
    fn read(key: &'a str) -> Self {
        let (key, condition) = match key.split_once(" if ") {
            Some((key, condition)) => (key, condition.split_once('=')),
            None => (key, None),
        };
        let name = key.trim_end_matches(['?', '!']);
        Self {
            name,
            only_if_written: key.ends_with('?'),
            drops_zero: key.ends_with('!'),
            condition,
        }
    }

    fn applies(&self, map: &Map) -> bool {
        self.condition.is_none_or(|(key, word)| {
            map.get(key).present().is_some_and(|it| it.as_str() == Some(word))
        })
    }
}

fn add_default(map: &mut Map, holder: Span, key: &DefaultKey<'_>, default: &Value) {
    if !key.applies(map) {
        return;
    }
    if key.drops_zero {
        map.entries.retain(|it| &*it.key != key.name || !is_zero(&it.value.kind));
        return;
    }
    let written = map.entries.iter_mut().find(|it| &*it.key == key.name && !it.value.is_null());
    if let Some(written) = written {
        written.value = with_defaults(&written.value, default);
        return;
    }
    // What is not known to be missing has no default either.
    if key.only_if_written || map.rest.is_some() || matches!(default.kind, Kind::List(_)) {
        return;
    }
    map.entries.retain(|it| &*it.key != key.name);
    let value = match default.as_str().and_then(|it| it.strip_prefix('=')) {
        Some(from) => derived(map, from, holder),
        None => made(default, holder),
    };
    map.entries.push(Entry { key: key.name.into(), key_span: holder, value });
}

/// Whether a value is what a field has that nobody sets.
fn is_zero(kind: &Kind) -> bool {
    match kind {
        Kind::Bool(it) => !it,
        Kind::Number(it) => *it == 0.0,
        Kind::String(text) => text.text.is_empty() && text.holes.is_empty(),
        _ => false,
    }
}

/// Whether a value is a list that certainly has no items.
fn is_empty_list(kind: &Kind) -> bool {
    matches!(kind, Kind::List(list) if list.items.is_empty() && list.rest.is_none())
}

/// A default that follows from another field of the mapping.
fn derived(map: &Map, from: &str, at: Span) -> Value {
    let field = if from == "pull-policy" { "image" } else { from };
    let found = match (map.get(field), from) {
        (Field::Present(image), "pull-policy") => {
            image.as_str().map(|it| Value::computed(pull_policy(it), at))
        }
        (Field::Present(found), _) => Some(found.clone()),
        _ => None,
    };
    found.unwrap_or_else(|| unknown("what the API server fills in", at))
}

/// When an image is pulled if nobody says: always if its tag may mean another one tomorrow.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or(image);
    let is_latest = !image.contains('@') && name.split_once(':').is_none_or(|it| it.1 == "latest");
    if is_latest { "Always" } else { "IfNotPresent" }
}

/// A default, as if it were written at that place.
fn made(default: &Value, at: Span) -> Value {
    if let Some(part) = part(default) {
        return made(part, at);
    }
    let kind = match &default.kind {
        Kind::String(text) if &*text.text == "?" => {
            return unknown("what the API server fills in", at);
        }
        Kind::Map(known) => {
            let mut map = Map::default();
            for it in &known.entries {
                add_default(&mut map, at, &DefaultKey::read(&it.key), &it.value);
            }
            Kind::Map(Arc::new(map))
        }
        Kind::String(text) => return Value::computed(text.text.clone(), at),
        other => other.clone(),
    };
    Value::new(kind, at)
}

/// The type that a default names: `$PodSpec`.
fn part(default: &Value) -> Option<&'static Value> {
    default.as_str()?.strip_prefix('$').and_then(api_default::part)
}

/// A value with the defaults of a definition's schema.
fn with_schema(value: &Value, schema: &Value) -> Value {
    match &value.kind {
        Kind::Map(map) => {
            let mut found = (**map).clone();
            let inner = schema.get("additionalProperties").present();
            let properties = schema.get("properties").present().map_or(&[][..], Value::entries);
            for it in properties {
                add_of_schema(&mut found, value.name, it);
            }
            if let Some(inner) = inner {
                for it in &mut found.entries {
                    it.value = with_schema(&it.value, inner);
                }
            }
            Value { kind: Kind::Map(Arc::new(found)), ..value.clone() }
        }
        Kind::List(list) => {
            let Some(inner) = schema.get("items").present() else { return value.clone() };
            let items = list.items.iter().map(|it| with_schema(it, inner)).collect();
            let list = List { items, ..(**list).clone() };
            Value { kind: Kind::List(Arc::new(list)), ..value.clone() }
        }
        _ => value.clone(),
    }
}

fn add_of_schema(map: &mut Map, holder: Span, property: &Entry) {
    let Entry { key, value: schema, .. } = property;
    let written = map.entries.iter_mut().find(|it| it.key == *key && !it.value.is_null());
    if let Some(written) = written {
        written.value = with_schema(&written.value, schema);
        return;
    }
    if map.rest.is_some() {
        return;
    }
    let Some(default) = schema.get("default").present() else { return };
    map.entries.retain(|it| it.key != *key);
    let value = with_schema(&made(default, holder), schema);
    map.entries.push(Entry { key: key.clone(), key_span: holder, value });
}

/// A value whose mappings may have further entries.
fn opened(value: &Value, by: &Symbol) -> Value {
    let kind = match &value.kind {
        Kind::Map(map) => {
            let mut map = (**map).clone();
            map.rest.get_or_insert_with(|| by.clone());
            for it in &mut map.entries {
                it.value = opened(&it.value, by);
            }
            Kind::Map(Arc::new(map))
        }
        Kind::List(list) => {
            let items = list.items.iter().map(|it| opened(it, by)).collect();
            Kind::List(Arc::new(List { items, ..(**list).clone() }))
        }
        other => other.clone(),
    };
    Value { kind, ..value.clone() }
}
