//! Changes inside values: what is not touched stays shared with the file it was read from.

use std::sync::Arc;

use crate::{
    source::Span,
    value::{
        Entry, HOLE_END, HOLE_START, Kind, List, Map, Text, Value,
        step::{Rewrite, StepKind},
    },
};

/// The entries of a mapping, for changing; `None` for anything else.
pub fn map_mut(value: &mut Value) -> Option<&mut Map> {
    match &mut value.kind {
        Kind::Map(map) => Some(Arc::make_mut(map)),
        _ => None,
    }
}

/// The items of a list, for changing; `None` for anything else.
pub fn list_mut(value: &mut Value) -> Option<&mut List> {
    match &mut value.kind {
        Kind::List(list) => Some(Arc::make_mut(list)),
        _ => None,
    }
}

/// The value of a key, for changing; null is a value here. Looks before it touches.
pub fn field_mut<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    let at = value.as_map()?.entries.iter().position(|it| &*it.key == key)?;
    map_mut(value)?.entries.get_mut(at).map(|it| &mut it.value)
}

/// Puts a value under a key, in place of what is there.
pub fn set(value: &mut Value, key: &str, key_span: Span, new: Value) {
    let Some(map) = map_mut(value) else { return };
    let new = new.named(key_span);
    if let Some(entry) = map.entries.iter_mut().find(|it| &*it.key == key) {
        entry.value = new;
        entry.key_span = key_span;
    } else {
        map.entries.push(Entry { key: key.into(), key_span, value: new });
    }
}

/// Takes a key away.
pub fn remove(value: &mut Value, key: &str) -> Option<Value> {
    let at = value.as_map()?.entries.iter().position(|it| &*it.key == key)?;
    let map = map_mut(value)?;
    (at < map.entries.len()).then(|| map.entries.remove(at).value)
}

/// What a scalar looks like in YAML; a placeholder of another tool is kept as it is written.
#[must_use]
pub fn text(value: &Value) -> Option<Arc<str>> {
    match &value.kind {
        Kind::String(text) if text.holes.is_empty() => Some(text.text.clone()),
        Kind::String(text) => Some(written(text)),
        Kind::Unknown(symbol) => Some(symbol.text.clone()),
        Kind::Number(number) => Some(number.to_string().into()),
        Kind::Bool(value) => Some(if *value { "true" } else { "false" }.into()),
        Kind::Null | Kind::List(_) | Kind::Map(_) => None,
    }
}

/// The text with its placeholders as written.
fn written(text: &Text) -> Arc<str> {
    let mut shown = String::new();
    let mut rest = &*text.text;
    while let Some((before, after)) = rest.split_once(HOLE_START) {
        shown.push_str(before);
        let Some((index, later)) = after.split_once(HOLE_END) else { break };
        let symbol = index.parse().ok().and_then(|at: usize| text.holes.get(at));
        shown.push_str(symbol.map_or("", |it| &it.text));
        rest = later;
    }
    shown.push_str(rest);
    shown.into()
}

/// The text of the scalar under a key.
#[must_use]
pub fn text_at(value: &Value, path: &str) -> Option<Arc<str>> {
    value.at(path).present().and_then(text)
}

/// Replaces a scalar's text and keeps where it is written and why it differs.
pub fn retext(value: &mut Value, new: impl Into<Arc<str>>, by: Span, rewrite: Rewrite) {
    value.kind = Kind::String(Text::computed(new));
    *value = value.clone().through(by, StepKind::Kustomize(rewrite));
}

/// Deeper values are not made: everything that walks values recurses.
pub const MAX_DEPTH: usize = 256;
/// Larger values are not copied into others.
const MAX_NODES: usize = 20_000;

/// Whether a value may be put below so many keys: it is neither too deep nor too large to be copied.
#[must_use]
pub fn fits(value: &Value, below: usize) -> bool {
    let mut nodes = 0;
    below <= MAX_DEPTH && measure(value, below, &mut nodes)
}

fn measure(value: &Value, depth: usize, nodes: &mut usize) -> bool {
    *nodes += 1;
    depth <= MAX_DEPTH
        && *nodes <= MAX_NODES
        && value.items().iter().all(|it| measure(it, depth + 1, nodes))
        && value.entries().iter().all(|it| measure(&it.value, depth + 1, nodes))
}
