//! What several values have in common of which one will be taken: the branches of a condition that is not known,
//! the entries of a mapping under a key that is not known.

use std::sync::Arc;

use crate::{
    resolve::terraform::symbol::member,
    value::{Entry, Kind, Map, Symbol, Value},
};

/// What is known of a value that is one of two: of mappings the entries that are in both, the rest is `unknown`; of
/// others, which two. `None` where that is nothing.
pub(super) fn shared(one: &Value, other: &Value, unknown: &Symbol) -> Option<Value> {
    if one.same_as(other) == Some(true) {
        return Some(one.clone());
    }
    let (Kind::Map(a), Kind::Map(b)) = (&one.kind, &other.kind) else {
        let symbol = unknown.clone().among([one, other])?;
        return Some(Value {
            origin: None,
            ..Value { kind: Kind::Unknown(symbol), ..one.clone() }
        });
    };
    let entries = a.entries.iter().filter_map(|entry| {
        let (one, other) = (&entry.value, &b.entry(&entry.key)?.value);
        let value = match one.same_as(other) {
            Some(true) => one.clone(),
            _ => shared(one, other, &member(unknown, &entry.key))?,
        };
        Some(Entry { value, ..entry.clone() })
    });
    let map = Map { entries: entries.collect(), rest: Some(unknown.clone()) };
    Some(Value { kind: Kind::Map(Arc::new(map)), ..one.clone() })
}

/// What is known of a value that is one of several.
pub(super) fn shared_by_all<'v>(
    mut values: impl Iterator<Item = &'v Value>,
    unknown: &Symbol,
) -> Option<Value> {
    let first = values.next()?.clone();
    values.try_fold(first, |common, it| shared(&common, it, unknown))
}

/// The entries of a mapping that a key that is not known may lead to; `None` where there may be others. Where one is
/// the only one, another may be meant.
pub(super) fn taken<'m>(map: &'m Map, key: &Value) -> Option<Vec<&'m Value>> {
    if map.rest.is_some() {
        return None;
    }
    let keys: Option<Vec<Value>> = key.cases();
    let keys: Option<Vec<&str>> =
        keys.as_ref().and_then(|it| it.iter().map(Value::as_str).collect());
    match keys {
        Some(keys) => {
            let entries = keys.iter().filter_map(|it| map.entry(it));
            Some(entries.map(|it| &it.value).collect())
        }
        None if map.entries.len() > 1 => Some(map.entries.iter().map(|it| &it.value).collect()),
        None => None,
    }
}
