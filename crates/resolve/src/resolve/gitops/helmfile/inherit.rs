//! What releases of a helmfile inherit from its templates.

use std::sync::Arc;

use crate::{
    resolve::{gitops::repository::anything, helm::merge::merge},
    value::{Entry, Kind, List, Map, Value},
};

/// How deep templates inherit each other.
const DEPTH: usize = 4;

/// An entry over the templates it inherits.
pub(super) fn inherited(templates: &Value, entry: &Value) -> Value {
    below(templates, entry, 0)
}

fn below(templates: &Value, entry: &Value, depth: usize) -> Value {
    let inherits = entry.get("inherit").present().map_or(&[][..], Value::items);
    let mut base: Option<Value> = None;
    for inherit in inherits.iter().filter(|_| depth < DEPTH) {
        let name = inherit.get("template").present().and_then(Value::as_str);
        let template = name.and_then(|it| templates.get(it).present());
        let template = template.map(|it| below(templates, it, depth + 1));
        let template = template.unwrap_or_else(|| anything(inherit.span));
        let except = inherit.get("except").present().map_or(&[][..], Value::items);
        let template = without(template, except);
        base = Some(match base {
            Some(base) => joined(base, &template),
            None => template,
        });
    }
    base.map_or_else(|| entry.clone(), |base| joined(base, entry))
}

/// An entry over what it inherits: lists are added, all else replaces.
fn joined(base: Value, over: &Value) -> Value {
    const LISTS: &[&str] =
        &["values", "valuesTemplate", "secrets", "set", "setTemplate", "setString", "needs"];
    let (Some(below), Some(above)) = (base.as_map(), over.as_map()) else {
        return merge(base, over);
    };
    let lists = LISTS.iter().filter_map(|key| {
        let (first, second) = (below.entry(key)?, above.entry(key)?);
        let (one, other) = (first.value.as_list()?, second.value.as_list()?);
        let items = one.items.iter().chain(&other.items).cloned().collect();
        let rest = one.rest.clone().or_else(|| other.rest.clone());
        let kind = Kind::List(Arc::new(List { items, rest, is_set: false }));
        Some(Entry { value: Value { kind, ..second.value.clone() }, ..second.clone() })
    });
    let lists: Vec<Entry> = lists.collect();
    let place = over.span;
    merge(merge(base, over), &Value::map(lists, place).named(over.name))
}

/// A template without the keys that an entry does not inherit.
fn without(template: Value, except: &[Value]) -> Value {
    let Kind::Map(map) = &template.kind else { return template };
    let is_kept = |it: &&Entry| except.iter().all(|name| name.as_str() != Some(&*it.key));
    let entries = map.entries.iter().filter(is_kept).cloned().collect();
    let map = Map { entries, rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..template }
}
