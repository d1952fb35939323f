//! Nodes that a value gave: `settings: ${jsonencode(local.settings)}` in a text of Terraform.
//!
//! The text records which of its runs encode which value. A node that lies in such a run is what
//! the value has at the same keys, with the places and the steps that it has there.

use std::sync::Arc;

use crate::{
    syntax::yaml::frame::ReadNode,
    value::{Carried, Entry, Kind, Text, TextRun, Value},
};

/// Whether a value can be what was read.
fn is_like(read: &Value, value: &Value) -> bool {
    let same_form = match (&read.kind, &value.kind) {
        (Kind::Map(_), other) => matches!(other, Kind::Map(_)),
        (Kind::List(_), other) => matches!(other, Kind::List(_)),
        (_, Kind::Map(_) | Kind::List(_)) => false,
        _ => true,
    };
    same_form && read.same_as(value) != Some(false)
}

/// The run's own value, where a node is all of the run.
#[must_use]
pub(super) fn whole(read: &Value, run: &Carried) -> Option<Value> {
    if run.is_encoded {
        return is_like(read, &run.value).then(|| run.value.clone());
    }
    // Text that is written elsewhere: its places are known, its steps are those of the text.
    let origin = run.value.origin.as_ref().filter(|_| read.origin.is_none())?;
    Some(Value { origin: Some(Arc::clone(origin)), ..read.clone() })
}

/// An entry as it goes into a mapping that begins before the run: the key may be part of that.
#[must_use]
pub(super) fn put(read: Entry, key_start: usize, run: Option<&TextRun<'_>>) -> Entry {
    let named = |it: Entry| Entry { value: it.value.named(it.key_span), ..it };
    let Some(run) = run else { return named(read) };
    let found = if key_start >= run.range.start {
        entry(&read, run.carried)
    } else {
        whole(&read.value, run.carried).map(|value| Entry { value, ..read.clone() })
    };
    match found {
        // What a reference brings keeps the name that it has there.
        Some(entry) if run.carried.is_encoded && entry.value.origin.is_some() => entry,
        found => named(found.unwrap_or(read)),
    }
}

/// The entry that a run has under a key.
fn entry(read: &Entry, run: &Carried) -> Option<Entry> {
    if run.is_encoded {
        let entry = run.value.as_map()?.entry(&read.key)?;
        return is_like(&read.value, &entry.value).then(|| entry.clone());
    }
    let value = whole(&read.value, run)?;
    Some(Entry { value, ..read.clone() })
}

/// What a run gives for an item of a list that begins before it. `from_run` counts the items of one run.
pub(super) fn add(
    node: &ReadNode,
    from_run: &mut (usize, usize),
    run: Option<&TextRun<'_>>,
) -> Option<Value> {
    let run = run?;
    let before = if from_run.0 == run.range.start { from_run.1 } else { 0 };
    *from_run = (run.range.start, before + 1);
    item(node, run, before)
}

/// The value of a node whose list begins before the run, at a position among those of the run.
fn item(node: &ReadNode, run: &TextRun<'_>, position: usize) -> Option<Value> {
    let carried = run.carried;
    match &carried.value.kind {
        // The dash belongs to the run.
        Kind::List(list) if carried.is_encoded && node.start > run.range.start => {
            let item = list.items.get(position)?;
            is_like(&node.value, item).then(|| item.clone())
        }
        _ => whole(&node.value, carried),
    }
}

/// What the first entries or items of a collection are when it begins with all of a run and goes on behind
/// it.
pub(super) fn head(kind: &mut Kind, run: &Carried) {
    match kind {
        Kind::Map(map) => {
            let Some(map) = Arc::get_mut(map) else { return };
            for read in &mut map.entries {
                match run
                    .value
                    .as_map()
                    .filter(|_| run.is_encoded)
                    .and_then(|it| it.entry(&read.key))
                {
                    Some(found) if is_like(&read.value, &found.value) => *read = found.clone(),
                    _ => return,
                }
            }
        }
        Kind::List(list) => {
            let Some(list) = Arc::get_mut(list).filter(|_| run.is_encoded) else { return };
            for (read, item) in list.items.iter_mut().zip(run.value.items()) {
                if is_like(read, item) {
                    *read = item.clone();
                }
            }
        }
        _ => {}
    }
}

/// Whether some run of a text, or of the text that gave it, is the JSON or YAML of a value.
pub(super) fn encodes(text: &Text) -> bool {
    let mut carried = text.carried.iter().flat_map(|it| it.iter());
    carried.any(|it| it.is_encoded || it.source().is_some_and(encodes))
}

/// A scalar that a value gave: it is written where the value is, and came by its steps.
pub(super) fn carried_scalar(run: &Carried, read: Value) -> Value {
    let value = &run.value;
    let kind = match (read.kind, &value.kind) {
        (Kind::String(text), _) if run.is_encoded => {
            // Encoded text, quoted or plain: what it means is known without reading it.
            let text = Text { encodes: Some(Arc::new(value.clone())), ..text };
            return Value { kind: Kind::String(text), ..read };
        }
        (Kind::String(text), Kind::String(original)) if text.text == original.text => {
            Kind::String(original.clone())
        }
        (kind, _) => kind,
    };
    Value { kind, span: value.span, origin: value.origin.clone(), ..read }
}
