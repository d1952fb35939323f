//! Where an object that a chart makes is pointed at.

use std::sync::Arc;

use crate::{
    resolve::kubernetes::Object,
    source::Span,
    value::{Kind, Value},
};

/// Has an object pointed at elsewhere.
pub(super) fn rename(object: &mut Object, place: Span) {
    if let Some(name) = entry(&mut object.value, "metadata").and_then(|it| entry(it, "name")) {
        name.span = place;
    }
}

/// The value of a key, to be changed.
pub(super) fn entry<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    let Kind::Map(map) = &mut value.kind else { return None };
    let entries = &mut Arc::make_mut(map).entries;
    entries.iter_mut().find(|it| &*it.key == key).map(|it| &mut it.value)
}
