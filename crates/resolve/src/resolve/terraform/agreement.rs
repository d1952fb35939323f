//! What several values have in common of which one will be taken: the branches of a condition that is not known,
//! the entries of a mapping under a key that is not known.

use std::sync::Arc;

use crate::value::{Entry, Kind, Map, Symbol, Value};

/// What two values have in common: of mappings the entries that agree, the rest is `unknown`. `None` where that
/// is nothing.
pub(super) fn shared(one: &Value, other: &Value, unknown: &Symbol) -> Option<Value> {
    if one.same_as(other) == Some(true) {
        return Some(one.clone());
    }
    let (Kind::Map(a), Kind::Map(b)) = (&one.kind, &other.kind) else { return None };
    let entries = a.entries.iter().filter_map(|entry| {
        let value = shared(&entry.value, &b.entry(&entry.key)?.value, unknown)?;
        Some(Entry { value, ..entry.clone() })
    });
    let map = Map { entries: entries.collect(), rest: Some(unknown.clone()) };
    Some(Value { kind: Kind::Map(Arc::new(map)), ..one.clone() })
}

/// What all of several values have in common.
pub(super) fn shared_by_all<'v>(
    mut values: impl Iterator<Item = &'v Value>,
    unknown: &Symbol,
) -> Option<Value> {
    let first = values.next()?.clone();
    values.try_fold(first, |common, it| shared(&common, it, unknown))
}
