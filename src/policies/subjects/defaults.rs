//! Karpenter's resources as its CRDs have the API server complete them.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    knowledge::schema,
    resolve::kubernetes::Object,
    source::Span,
    value::{Entry, Kind, Value},
    version::Version,
};

/// The defaults of a kind: by the path of what holds them, each with its field's name.
type Defaults<'k> = BTreeMap<&'k str, Vec<(&'k str, &'k Value)>>;

/// An object with its defaults, in the release that is installed or else the newest; others stay as they are.
/// A default is where it is missing: at the key of what holds it.
#[must_use]
pub(super) fn completed(object: &Object, release: Option<&Version>) -> Value {
    let Some(known) = schema::of(&object.api_version, &object.kind) else {
        return object.value.clone();
    };
    let mut defaults = Defaults::new();
    for field in known.fields() {
        let facts = field.facts.iter();
        let here = facts.clone().rev().find(|it| release.is_none_or(|own| it.range.contains(own)));
        let default = here.or(field.facts.last()).and_then(|it| it.shape.default.as_ref());
        let (holder, name) = field.path.rsplit_once('.').unwrap_or(("", &field.path));
        let is_status = field.path.starts_with("status");
        if let Some(value) = default.filter(|_| !is_status) {
            defaults.entry(holder).or_default().push((name, value));
        }
    }
    with_defaults(&object.value, "", &defaults)
}

fn with_defaults(value: &Value, path: &str, defaults: &Defaults<'_>) -> Value {
    // The longest paths below are asked for only if there is a default there.
    let has_some = |path: &str| defaults.keys().any(|it| it.starts_with(path));
    match &value.kind {
        Kind::Map(map) if has_some(path) => {
            let mut map = crate::value::Map::clone(map);
            for (name, default) in defaults.get(path).into_iter().flatten() {
                let is_there = map.entry(name).is_some_and(|it| !it.value.is_null());
                if !is_there && map.rest.is_none() {
                    map.entries.retain(|it| &*it.key != *name);
                    map.entries.push(Entry {
                        key: (*name).into(),
                        key_span: value.name,
                        value: placed(default, value.name),
                    });
                }
            }
            for entry in &mut map.entries {
                let inner = if path.is_empty() {
                    entry.key.to_string()
                } else {
                    format!("{path}.{}", entry.key)
                };
                entry.value = with_defaults(&entry.value, &inner, defaults);
            }
            Value { kind: Kind::Map(Arc::new(map)), ..value.clone() }
        }
        Kind::List(list) if has_some(&format!("{path}[]")) => {
            let mut list = crate::value::List::clone(list);
            let inner = format!("{path}[]");
            for item in &mut list.items {
                *item = with_defaults(item, &inner, defaults);
            }
            Value { kind: Kind::List(Arc::new(list)), ..value.clone() }
        }
        _ => value.clone(),
    }
}

/// A value of ours at a place of the repository.
fn placed(value: &Value, place: Span) -> Value {
    let kind = match &value.kind {
        Kind::Map(map) => {
            let entry = |it: &Entry| Entry {
                key: Arc::clone(&it.key),
                key_span: place,
                value: placed(&it.value, place),
            };
            return Value::map(map.entries.iter().map(entry).collect(), place);
        }
        Kind::List(list) => {
            return Value::list(list.items.iter().map(|it| placed(it, place)).collect(), place);
        }
        Kind::String(text) => return Value::computed(Arc::clone(&text.text), place),
        other => other.clone(),
    };
    Value::new(kind, place)
}
