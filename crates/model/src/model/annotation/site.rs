//! Where in its object an annotation is written.

use std::sync::Arc;

use crate::{
    resolve::kubernetes::Object,
    value::{Entry, Value},
};

/// The object and the mapping that hold an annotation.
#[derive(Clone, Debug)]
pub struct Site {
    /// The object.
    pub object: Object,
    /// The innermost item of a list that holds the annotation; the object's value, if none does.
    pub from: Value,
    /// The keys from there to the mapping.
    pub path: Vec<Arc<str>>,
    /// The mapping.
    pub mapping: Value,
}

impl Site {
    /// That of an entry, found at a path in which `[]` is an item of a list.
    #[must_use]
    pub fn of(object: &Object, path: &[&str], entry: &Entry) -> Option<Self> {
        let (from, path) = innermost(&object.value, path, entry)?;
        let mapping = path.iter().try_fold(from, |value, key| value.get(key).present())?;
        Some(Self {
            object: object.clone(),
            from: from.clone(),
            path: path.iter().map(|it| Arc::from(*it)).collect(),
            mapping: mapping.clone(),
        })
    }
}

/// The innermost item of a list that holds an entry, with the keys from there; the object, if none does.
fn innermost<'a, 'p>(
    value: &'a Value,
    path: &'p [&'p str],
    entry: &Entry,
) -> Option<(&'a Value, &'p [&'p str])> {
    let Some(at) = path.iter().position(|it| *it == "[]") else { return Some((value, path)) };
    let list = path[..at].iter().try_fold(value, |value, key| value.get(key).present())?;
    let item = list.items().iter().find(|it| it.span.contains(entry.key_span))?;
    innermost(item, &path[at + 1..], entry)
}
