//! Strategic merge patches, with the lists of Kubernetes merged by their keys.
//!
//! Custom resources have no such lists: there a list in a patch takes the place of the one before.

use std::sync::Arc;

use crate::{
    hash::{HashMap, HashSet},
    resolve::kustomize::{
        edit::text,
        schema::{self, Lists, TypeName},
    },
    value::{Entry, Kind, List, Map, Value},
};

/// The key by which a patch gives a directive for a mapping or list.
const DIRECTIVE: &str = "$patch";
/// More pairs than this are compared by equal keys only.
const MANY: usize = 1 << 16;

enum Directive {
    Merge,
    Replace,
    Delete,
}

/// A value with a patch of its type merged in; `None` when the patch deletes it.
#[must_use]
pub(super) fn merge(base: Value, patch: &Value, of: TypeName) -> Option<Value> {
    merge_field(base, patch, Lists::Replace, of)
}

fn merge_field(base: Value, patch: &Value, lists: Lists, of: TypeName) -> Option<Value> {
    match (&base.kind, &patch.kind) {
        (_, Kind::Null) => None,
        (Kind::Map(_), Kind::Map(later)) => match directive(patch) {
            Directive::Delete => None,
            Directive::Replace => adopt(patch, lists, of),
            Directive::Merge => Some(merge_maps(base, later, of)),
        },
        (Kind::List(_), Kind::List(_)) => merge_lists(base, patch, lists, of),
        _ => adopt(patch, lists, of),
    }
}

fn merge_maps(base: Value, later: &Map, of: TypeName) -> Value {
    let Value { kind: Kind::Map(map), span, name, origin } = base else { return base };
    let mut map = Arc::unwrap_or_clone(map);
    let places: HashMap<Arc<str>, usize> =
        map.entries.iter().enumerate().map(|(at, it)| (it.key.clone(), at)).collect();
    let mut gone = HashSet::default();
    let mut added = Vec::new();
    for entry in later.entries.iter().filter(|it| &*it.key != DIRECTIVE) {
        let (lists, inner) = schema::field(of, &entry.key);
        let Some(earlier) = places.get(&entry.key).and_then(|at| map.entries.get_mut(*at)) else {
            let value = adopt(&entry.value, lists, inner);
            added.extend(value.map(|value| Entry { value, ..entry.clone() }));
            continue;
        };
        let nothing = Value::new(Kind::Null, earlier.value.span);
        let before = std::mem::replace(&mut earlier.value, nothing);
        let was_null = before.is_null();
        let merged = if was_null {
            adopt(&entry.value, lists, inner)
        } else {
            merge_field(before, &entry.value, lists, inner)
        };
        match merged {
            Some(value) => {
                // A mapping or list that is only added to keeps its place.
                if entry.value.as_map().is_none() || was_null {
                    earlier.key_span = entry.key_span;
                }
                earlier.value = value;
            }
            None => {
                gone.insert(entry.key.clone());
            }
        }
    }
    if !gone.is_empty() {
        map.entries.retain(|it| !gone.contains(&it.key));
    }
    map.entries.extend(added);
    if later.rest.is_some() {
        map.rest.clone_from(&later.rest);
    }
    Value { kind: Kind::Map(Arc::new(map)), span, name, origin }
}

/// What a patch adds where nothing was: its nulls and directives are not part of it.
fn adopt(patch: &Value, lists: Lists, of: TypeName) -> Option<Value> {
    match &patch.kind {
        Kind::Null => None,
        Kind::Map(map) => {
            if matches!(directive(patch), Directive::Delete) {
                return None;
            }
            if !needs_care(patch) {
                return Some(patch.clone());
            }
            let entries = map.entries.iter().filter(|it| &*it.key != DIRECTIVE);
            let entries = entries.filter_map(|entry| {
                let (lists, inner) = schema::field(of, &entry.key);
                let value = adopt(&entry.value, lists, inner)?;
                Some(Entry { value, ..entry.clone() })
            });
            let map = Map { entries: entries.collect(), rest: map.rest.clone() };
            Some(Value { kind: Kind::Map(Arc::new(map)), ..patch.clone() })
        }
        Kind::List(list) if lists != Lists::Replace => {
            let (whole, items) = list_directive(&list.items);
            if matches!(whole, Directive::Delete) {
                return None;
            }
            let items = items.iter().filter_map(|it| adopt(it, Lists::Replace, of)).collect();
            Some(with_items(patch, List { items, rest: list.rest.clone(), is_set: false }))
        }
        _ => Some(patch.clone()),
    }
}

/// Whether a mapping holds nulls or directives, which are seldom.
fn needs_care(value: &Value) -> bool {
    match &value.kind {
        Kind::Null => true,
        Kind::Map(map) => {
            map.entries.iter().any(|it| &*it.key == DIRECTIVE || needs_care(&it.value))
        }
        Kind::List(list) => list.items.iter().any(needs_care),
        _ => false,
    }
}

fn directive(patch: &Value) -> Directive {
    match patch.get(DIRECTIVE).present().and_then(Value::as_str) {
        Some("delete") => Directive::Delete,
        Some("replace") => Directive::Replace,
        _ => Directive::Merge,
    }
}

/// The directive of a patch for a whole list (an item that is nothing else), and its other items.
fn list_directive(items: &[Value]) -> (Directive, Vec<&Value>) {
    let lone = |it: &&Value| it.entries().len() == 1 && it.entries()[0].key.as_ref() == DIRECTIVE;
    let whole = items.iter().find(lone).map_or(Directive::Merge, directive);
    (whole, items.iter().filter(|it| !lone(it)).collect())
}

fn with_items(place: &Value, list: List) -> Value {
    Value { kind: Kind::List(Arc::new(list)), ..place.clone() }
}

fn merge_lists(base: Value, patch: &Value, lists: Lists, of: TypeName) -> Option<Value> {
    let (Kind::List(before), Kind::List(later)) = (&base.kind, &patch.kind) else {
        return Some(base);
    };
    if lists == Lists::Replace {
        return Some(patch.clone());
    }
    let (whole, items) = list_directive(&later.items);
    let rest = before.rest.clone().or_else(|| later.rest.clone());
    let items = match (whole, lists) {
        (Directive::Delete, _) => return None,
        (Directive::Replace, _) => {
            items.iter().filter_map(|it| adopt(it, Lists::Replace, of)).collect()
        }
        (_, Lists::ByKeys([key])) => merge_by_key(&before.items, &items, key, of),
        (_, Lists::ByKeys(keys)) => merge_by_keys(&before.items, &items, keys, of),
        _ => union(&before.items, &items),
    };
    Some(with_items(&base, List { items, rest, is_set: false }))
}

/// The items of the patch come first, in its order; what they do not name follows.
fn merge_by_key(base: &[Value], patch: &[&Value], key: &str, of: TypeName) -> Vec<Value> {
    let name = |it: &Value| it.get(key).present().and_then(text).unwrap_or_default();
    let mut places: HashMap<Arc<str>, usize> = HashMap::default();
    for (at, item) in base.iter().enumerate() {
        places.insert(name(item), at);
    }
    let mut named: HashMap<Arc<str>, usize> = HashMap::default();
    let mut merged: Vec<Option<Value>> = Vec::new();
    for item in patch {
        let name = name(item);
        let earlier = named.get(&name).and_then(|at| merged.get(*at).cloned().flatten());
        let before = earlier.or_else(|| places.get(&name).and_then(|at| base.get(*at)).cloned());
        let value = match before {
            Some(before) => merge_item(before, item, of),
            None => adopt(item, Lists::Replace, of),
        };
        if let Some(slot) = named.get(&name).and_then(|at| merged.get_mut(*at)) {
            *slot = value;
        } else {
            named.insert(name, merged.len());
            merged.push(value);
        }
    }
    let rest = base.iter().filter(|it| !named.contains_key(&name(it))).cloned();
    merged.into_iter().flatten().chain(rest).collect()
}

/// kustomize forgets to replace single items: the one that was there stays.
fn merge_item(before: Value, item: &Value, of: TypeName) -> Option<Value> {
    match directive(item) {
        Directive::Replace => Some(before),
        _ => merge_field(before, item, Lists::Replace, of),
    }
}

/// With several keys the items that were there keep their order and new ones come first. kustomize
/// drops an item that leaves out a key where the item it may mean has it.
fn merge_by_keys(base: &[Value], patch: &[&Value], keys: &[&str], of: TypeName) -> Vec<Value> {
    let written =
        |key: &&&str| base.iter().chain(patch.iter().copied()).any(|it| !it.get(key).is_missing());
    let used: Vec<&str> = keys.iter().filter(written).copied().collect();
    if let [key] = used.as_slice() {
        return merge_by_key(base, patch, key, of);
    }
    let names = |it: &Value| -> Vec<Arc<str>> {
        keys.iter().map(|key| it.get(key).present().and_then(text).unwrap_or_default()).collect()
    };
    let loose = base.len().saturating_mul(patch.len()) <= MANY;
    let mut old: Vec<(Vec<Arc<str>>, Option<Value>)> =
        base.iter().map(|it| (names(it), Some(it.clone()))).collect();
    let places: HashMap<Vec<Arc<str>>, usize> =
        old.iter().enumerate().map(|(at, it)| (it.0.clone(), at)).collect();
    let mut new = Vec::new();
    for item in patch {
        let wanted = names(item);
        if let Some((_, slot)) = places.get(&wanted).and_then(|at| old.get_mut(*at)) {
            *slot = slot.take().and_then(|it| merge_item(it, item, of));
        } else if !(loose && old.iter().any(|(it, _)| alike(it, &wanted))) {
            new.extend(adopt(item, Lists::Replace, of));
        }
    }
    new.into_iter().chain(old.into_iter().filter_map(|it| it.1)).collect()
}

fn alike(a: &[Arc<str>], b: &[Arc<str>]) -> bool {
    let mut common = false;
    for (a, b) in a.iter().zip(b) {
        if a == b {
            common = true;
        } else if !a.is_empty() && !b.is_empty() {
            return false;
        }
    }
    common
}

fn union(base: &[Value], patch: &[&Value]) -> Vec<Value> {
    let mut seen = HashSet::default();
    let all = patch.iter().copied().chain(base);
    all.filter(|it| text(it).is_none_or(|it| seen.insert(it))).cloned().collect()
}
