//! Planned values over configured ones: what they are comes from the plan, where they are written from
//! the configuration. Where there is none but the one in the plan, the planned value is its own place.

use std::sync::Arc;

use crate::value::{Entry, Kind, List, Map, Text, Value};

/// The body of a planned instance. Only what is configured is in it: a plan also lists what the provider
/// fills in.
pub(super) fn decide(body: &Value, planned: &Value, unknown: Option<&Value>) -> Value {
    let mut value = over(body, planned, unknown);
    // The configuration in a plan does not show `dynamic` blocks.
    if let (Kind::Map(map), true) = (&mut value.kind, is_alone(body, planned)) {
        let has_blocks = |it: &&Entry| {
            let items = it.value.items();
            !items.is_empty() && items.iter().all(|it| it.as_map().is_some())
        };
        let more: Vec<Entry> = planned
            .entries()
            .iter()
            .filter(has_blocks)
            .filter(|it| map.entry(&it.key).is_none())
            .cloned()
            .collect();
        Arc::make_mut(map).entries.extend(more);
    }
    value
}

/// Whether the configuration is the one in the plan.
fn is_alone(source: &Value, planned: &Value) -> bool {
    source.span.file == planned.span.file
}

/// What is known of a value with the place at which one looks for it.
fn at_place(kind: Kind, source: &Value, planned: &Value) -> Value {
    let place = if is_alone(source, planned) { planned } else { source };
    Value { kind, ..place.clone() }
}

fn is_unknown(unknown: Option<&Value>) -> bool {
    unknown.and_then(Value::as_bool) == Some(true)
}

fn over(source: &Value, planned: &Value, unknown: Option<&Value>) -> Value {
    if is_unknown(unknown) {
        return source.clone();
    }
    match (&source.kind, &planned.kind) {
        (Kind::Map(written), Kind::Map(values)) => {
            let map = maps(written, values, source, unknown);
            at_place(Kind::Map(Arc::new(map)), source, planned)
        }
        (Kind::List(written), Kind::List(values)) => {
            let items = lists(written, values, source, unknown);
            let list = List { items, rest: None, is_set: false };
            at_place(Kind::List(Arc::new(list)), source, planned)
        }
        // A plan leaves out what only the apply knows.
        (Kind::Unknown(_), Kind::Null) if unknown.is_some() => source.clone(),
        (Kind::String(Text { encodes: Some(_), holes, .. }), Kind::String(_))
            if holes.is_empty() =>
        {
            source.clone()
        }
        (Kind::Unknown(_) | Kind::String(_), Kind::Null) => source.clone(),
        _ if source.same_as(planned) == Some(true) && !is_alone(source, planned) => source.clone(),
        _ => placed(planned, source, unknown),
    }
}

fn maps(written: &Map, values: &Map, source: &Value, unknown: Option<&Value>) -> Map {
    let unknown_of = |key: &str| unknown.and_then(|it| it.get(key).present());
    let mut entries: Vec<Entry> = written.entries.clone();
    for entry in &mut entries {
        if let Some(value) = values.entry(&entry.key) {
            if is_alone(&entry.value, &value.value) {
                entry.key_span = value.key_span;
            }
            entry.value = over(&entry.value, &value.value, unknown_of(&entry.key));
        }
    }
    if written.rest.is_none() {
        return Map { entries, rest: None };
    }
    for entry in values.entries.iter().filter(|it| written.entry(&it.key).is_none()) {
        let value = placed(&entry.value, source, unknown_of(&entry.key));
        entries.push(Entry { value, key: Arc::clone(&entry.key), key_span: source.name });
    }
    let left_out = unknown
        .map_or(&[][..], Value::entries)
        .iter()
        .any(|it| is_unknown(Some(&it.value)) && !entries.iter().any(|known| known.key == it.key));
    Map { entries, rest: written.rest.clone().filter(|_| left_out) }
}

/// Sets come in another order than they are written in: each planned item looks for the written one that
/// does not contradict it.
fn lists(written: &List, values: &List, source: &Value, unknown: Option<&Value>) -> Vec<Value> {
    let mut free: Vec<Option<&Value>> = written.items.iter().map(Some).collect();
    let unknown = unknown.map_or(&[][..], Value::items);
    let items = values.items.iter().enumerate().map(|(index, value)| {
        let unknown = unknown.get(index);
        let fits = |it: Option<&Value>| it.is_some_and(|it| agrees(it, value, unknown));
        let beside = free.get(index).filter(|it| fits(**it)).map(|_| index);
        let place = beside.or_else(|| free.iter().position(|it| fits(*it)));
        match place.and_then(|it| free.get_mut(it)?.take()) {
            Some(item) => over(item, value, unknown),
            None => placed(value, source, unknown),
        }
    });
    items.collect()
}

/// Whether nothing known in a written item contradicts the planned one.
fn agrees(written: &Value, planned: &Value, unknown: Option<&Value>) -> bool {
    if is_unknown(unknown) || written.is_unknown() {
        return true;
    }
    match (&written.kind, &planned.kind) {
        (Kind::Map(written), Kind::Map(values)) => written.entries.iter().all(|it| {
            let unknown = unknown.and_then(|all| all.get(&it.key).present());
            let planned = values.entry(&it.key);
            planned.is_none_or(|planned| agrees(&it.value, &planned.value, unknown))
        }),
        (Kind::String(_) | Kind::Number(_) | Kind::Bool(_), _) => {
            written.same_as(planned) != Some(false)
        }
        _ => true,
    }
}

/// A planned value at the place of the expression it comes from; what only the apply knows is unknown.
fn placed(planned: &Value, source: &Value, unknown: Option<&Value>) -> Value {
    if is_unknown(unknown) {
        let symbol = crate::value::Symbol::new("plan", format!("#{:?}", source.span));
        return Value { kind: Kind::Unknown(symbol), ..source.clone() };
    }
    let alone = is_alone(source, planned);
    let kind = match &planned.kind {
        Kind::String(text) if !alone => Kind::String(Text::computed(Arc::clone(&text.text))),
        Kind::List(list) => {
            let unknown = unknown.map_or(&[][..], Value::items);
            let items = list.items.iter().enumerate();
            let items = items.map(|(index, it)| placed(it, source, unknown.get(index)));
            Kind::List(Arc::new(List { items: items.collect(), rest: None, is_set: false }))
        }
        Kind::Map(map) => {
            let of = |key: &str| unknown.and_then(|it| it.get(key).present());
            let entries = map.entries.iter().map(|it| Entry {
                key: Arc::clone(&it.key),
                key_span: if alone { it.key_span } else { source.span },
                value: placed(&it.value, source, of(&it.key)),
            });
            Kind::Map(Arc::new(Map { entries: entries.collect(), rest: None }))
        }
        kind => kind.clone(),
    };
    at_place(kind, source, planned)
}
