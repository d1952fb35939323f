//! What makes a check fail, and what checks ask of values.

use std::sync::Arc;

use crate::{
    checks::admission::path::Path,
    source::Span,
    value::{Entry, Field, Value},
};

/// What makes a check fail.
pub(crate) struct Culprit {
    /// Where it is, from the value the check is made for.
    pub(crate) path: Path,
    pub(crate) span: Span,
    pub(crate) value: Option<Value>,
    /// The key or text that is refused; the other field, where two exclude each other.
    pub(crate) text: Option<Arc<str>>,
}

impl Culprit {
    /// A written value.
    pub(super) fn value(path: Path, value: &Value) -> Self {
        Self { path, span: value.span, value: Some(value.clone()), text: None }
    }

    /// A key, or the field of that name.
    pub(super) fn key(path: &Path, entry: &Entry) -> Self {
        let text = Some(entry.key.clone());
        let value = Some(entry.value.clone());
        Self { path: path.name(&entry.key), span: entry.key_span, value, text }
    }

    /// A field that is not there.
    pub(super) fn absent(path: &Path, name: &str, holder: &Value) -> Self {
        Self { path: path.name(name), span: holder.name, value: None, text: None }
    }

    pub(super) fn saying(self, text: impl Into<Arc<str>>) -> Self {
        Self { text: Some(text.into()), ..self }
    }
}

/// Whether a field is written; `None` where that is not known: an unknown value may be null.
pub(super) fn has(object: &Value, name: &str) -> Option<bool> {
    match object.get(name) {
        Field::Present(value) if value.is_unknown() => None,
        Field::Present(_) => Some(true),
        Field::Missing => Some(false),
        Field::Unknown => None,
    }
}

/// Whether a field is certainly written.
pub(super) fn is_written(object: &Value, name: &str) -> bool {
    has(object, name) == Some(true)
}

/// Whether a field is certainly not written.
pub(super) fn is_absent(object: &Value, name: &str) -> bool {
    has(object, name) == Some(false)
}

/// The known text of a field.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).present()?.as_str()
}

/// The entry of a field.
pub(super) fn entry<'a>(object: &'a Value, name: &str) -> Option<&'a Entry> {
    object.as_map()?.entry(name)
}

/// The items with their paths.
pub(super) fn items(list: &Value) -> impl Iterator<Item = (Path, &Value)> {
    list.items().iter().enumerate().map(|(at, item)| (Path::default().item(at), item))
}

/// Whether a value is a list of which every item is known to be there.
pub(super) fn is_closed_list(value: &Value) -> bool {
    value.as_list().is_some_and(|it| it.rest.is_none())
}
