//! Tables of values, one over another.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::value::{Entry, Kind, Map, Value, cause::Cause};

/// A value with what the other has besides; what both have stays as it is, `null` takes away what the other has.
pub(super) fn coalesced(over: Value, under: &Value) -> Value {
    joined(over, under, Nulls::TakeAway, &[])
}

/// What a table has that is not null.
fn without_nulls(value: &Value) -> Value {
    let mut value = value.clone();
    if has_null(&value) {
        let defaults = value.clone();
        take_nulls(&mut value, &defaults, &[]);
    }
    value
}

/// The values of a chart over its defaults. In the tables of the charts below it `null` stays, to take away what
/// those have by default. Clean defaults have no nulls of their own.
pub(super) fn over_defaults(
    given: Value,
    defaults: &Value,
    below: &[&str],
    is_clean: bool,
) -> Value {
    joined(given, defaults, if is_clean { Nulls::Clean } else { Nulls::TakeAway }, below)
}

/// What `null` does where the table below has something.
#[derive(Clone, Copy)]
enum Nulls {
    /// Both are gone.
    TakeAway,
    /// Both are gone, and what is null below.
    Clean,
    /// It stays, for the charts below.
    Stay,
}

fn joined(over: Value, under: &Value, nulls: Nulls, below: &[&str]) -> Value {
    let (Kind::Map(given), Kind::Map(defaults)) = (&over.kind, &under.kind) else {
        return match over.kind {
            // Nothing was given.
            Kind::Null => under.clone(),
            _ => over,
        };
    };
    let mut map = Map { entries: Vec::new(), rest: given.rest.clone().or(defaults.rest.clone()) };
    let at: HashMap<&str, &Entry> = defaults.entries.iter().map(|it| (&*it.key, it)).collect();
    for entry in &given.entries {
        match at.get(&*entry.key) {
            Some(_) if matches!(entry.value.kind, Kind::Null) => {
                if matches!(nulls, Nulls::Stay) {
                    map.entries.push(entry.clone());
                }
            }
            Some(default) if matches!(default.value.kind, Kind::Map(_)) => {
                let nulls = if below.contains(&&*entry.key) { Nulls::Stay } else { nulls };
                let value = match entry.value.kind {
                    Kind::Map(_) => joined(entry.value.clone(), &default.value, nulls, &[]),
                    _ => entry.value.clone(),
                };
                map.entries.push(Entry { value, ..entry.clone() });
            }
            _ => map.entries.push(entry.clone()),
        }
    }
    let written: HashSet<&str> = given.entries.iter().map(|it| &*it.key).collect();
    for entry in defaults.entries.iter().filter(|it| !written.contains(&*it.key)) {
        let value = match &given.rest {
            // What is written in the open is no secret.
            Some(symbol) if symbol.cause != Cause::Secret => {
                Value { kind: Kind::Unknown(symbol.clone()), ..entry.value.clone() }
            }
            _ if matches!(nulls, Nulls::Clean) => {
                if entry.value.is_null() {
                    continue;
                }
                without_nulls(&entry.value)
            }
            _ => entry.value.clone(),
        };
        map.entries.push(Entry { value, ..entry.clone() });
    }
    Value { kind: Kind::Map(Arc::new(map)), ..over }
}

/// Whether a table has a null, itself or in a table below.
pub(super) fn has_null(value: &Value) -> bool {
    match &value.kind {
        Kind::Null => true,
        Kind::Map(map) => map.entries.iter().any(|it| has_null(&it.value)),
        _ => false,
    }
}

/// Takes what is null out of a table where it is null by default, but for the tables of the charts below.
pub(super) fn take_nulls(value: &mut Value, defaults: &Value, below: &[&str]) {
    let Some(map) = map_of(value) else { return };
    let own = defaults.entries().iter().filter(|it| !below.contains(&&*it.key));
    for default in own.filter(|it| has_null(&it.value)) {
        let Some(at) = map.entries.iter().position(|it| it.key == default.key) else { continue };
        match map.entries.get_mut(at) {
            Some(entry) if matches!(entry.value.kind, Kind::Null) => _ = map.entries.remove(at),
            Some(entry) => take_nulls(&mut entry.value, &default.value, &[]),
            None => {}
        }
    }
}

/// The value of a key, also if it is null.
pub(super) fn entry<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.as_map()?.entry(key).map(|it| &it.value)
}

/// The table of a key; an empty one where there is none.
pub(super) fn table(value: &Value, key: &str) -> Value {
    let found = entry(value, key).filter(|it| it.as_map().is_some() || it.is_unknown());
    found.cloned().unwrap_or_else(|| Value::map(Vec::new(), value.span))
}

/// Puts a value under a key.
pub(super) fn put(value: &mut Value, key: &str, inner: Value) {
    let Some(map) = map_of(value) else { return };
    if let Some(entry) = map.entries.iter_mut().find(|it| &*it.key == key) {
        entry.value = inner;
    } else {
        let key_span = inner.name;
        map.entries.push(Entry { key: key.into(), key_span, value: inner });
    }
}

/// The values of a subchart with the globals of its parent, which go first.
pub(super) fn with_globals(mut own: Value, globals: Option<&Value>) -> Value {
    if own.as_map().is_none() {
        return own;
    }
    let below = table(&own, "global");
    let merged = match globals {
        Some(globals) if globals.as_map().is_some() => over_globals(globals, &below),
        Some(globals) if globals.is_unknown() => globals.clone(),
        _ => below,
    };
    put(&mut own, "global", merged);
    own
}

/// Tables of globals are merged; of anything else the parent's is taken, unless the subchart has a table.
fn over_globals(globals: &Value, below: &Value) -> Value {
    let mut result = below.clone();
    for item in globals.entries() {
        let own = entry(below, &item.key);
        let is_table = matches!(item.value.kind, Kind::Map(_));
        let value = match own {
            Some(own) if is_table && own.as_map().is_some() => coalesced(item.value.clone(), own),
            Some(own) if own.as_map().is_some() || is_table => own.clone(),
            _ => item.value.clone(),
        };
        put(&mut result, &item.key, value);
    }
    result
}

/// A mapping of a value, to be changed.
fn map_of(value: &mut Value) -> Option<&mut Map> {
    match &mut value.kind {
        Kind::Map(map) => Some(Arc::make_mut(map)),
        _ => None,
    }
}
