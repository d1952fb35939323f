//! Field specifications: which fields of which kinds a transformer changes.

use std::borrow::Cow;

use crate::{
    resolve::kustomize::{
        edit::{field_mut, list_mut, map_mut, text_at},
        resource::{Id, Resource},
    },
    source::Span,
    value::{Entry, Value},
};

/// A field of the objects of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldSpec {
    /// The group; empty for any.
    pub group: Cow<'static, str>,
    /// The version; empty for any.
    pub version: Cow<'static, str>,
    /// The kind; empty for any.
    pub kind: Cow<'static, str>,
    /// Keys with `/` between them; lists on the way are gone through item by item.
    pub path: Cow<'static, str>,
    /// Whether missing mappings on the way are made.
    pub create: bool,
}

impl FieldSpec {
    /// A field of a group and kind, either empty for any.
    #[must_use]
    pub(super) const fn new(group: &'static str, kind: &'static str, path: &'static str) -> Self {
        Self {
            group: Cow::Borrowed(group),
            version: Cow::Borrowed(""),
            kind: Cow::Borrowed(kind),
            path: Cow::Borrowed(path),
            create: false,
        }
    }

    /// The same field, made where it is missing.
    #[must_use]
    pub(super) const fn created(mut self) -> Self {
        self.create = true;
        self
    }

    /// Reads a specification of the user's.
    #[must_use]
    pub(super) fn read(value: &Value) -> Option<Self> {
        let part = |key: &str| -> Cow<'static, str> {
            text_at(value, key).map_or(Cow::Borrowed(""), |it| Cow::Owned(it.to_string()))
        };
        let path = text_at(value, "path").filter(|it| !it.is_empty())?;
        Some(Self {
            group: part("group"),
            version: part("version"),
            kind: part("kind"),
            path: Cow::Owned(path.to_string()),
            create: value.get("create").present().and_then(Value::as_bool) == Some(true),
        })
    }

    /// Whether it selects objects with such a name.
    #[must_use]
    pub(super) fn selects(&self, id: &Id) -> bool {
        let fits = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        fits(&self.kind, &id.kind)
            && fits(&self.group, &id.group)
            && fits(&self.version, &id.version)
    }

    /// Changes the field wherever the object has it. `place` is where made mappings are written.
    pub(super) fn change(
        &self,
        resource: &mut Resource,
        place: Span,
        leaf: &Leaf,
        act: &mut dyn FnMut(&mut Value),
    ) {
        let path = split(&self.path, '/');
        let made = (self.create && !matches!(leaf, Leaf::Existing)).then_some((place, leaf));
        walk(&mut resource.value, &path, made, act);
    }
}

/// What is put at the end of a path that is created.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// A mapping.
    Map,
    /// A scalar, which is set right after.
    Scalar,
    /// Nothing is ever made.
    Existing,
}

/// The keys of a path; a backslash before the separator makes it part of a key.
#[must_use]
pub(super) fn split(path: &str, separator: char) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let mut pieces = path.split(separator).peekable();
    if path.starts_with(separator) {
        pieces.next();
    }
    for piece in pieces {
        match keys.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(separator);
                last.push_str(piece);
            }
            _ => keys.push(piece.to_owned()),
        }
    }
    keys
}

fn walk(
    value: &mut Value,
    path: &[String],
    made: Option<(Span, &Leaf)>,
    act: &mut dyn FnMut(&mut Value),
) {
    let Some((key, rest)) = path.split_first() else { return act(value) };
    if value.as_list().is_some() {
        let Some(list) = list_mut(value) else { return };
        for item in &mut list.items {
            walk(item, path, made, act);
        }
        return;
    }
    let Some(map) = value.as_map() else { return };
    let (key, listed) = key.strip_suffix("[]").map_or((key.as_str(), false), |it| (it, true));
    let there = map.entry(key).is_some_and(|it| !it.value.is_null());
    if !there {
        let Some((place, leaf)) = made.filter(|_| !listed) else { return };
        let whole = Value::map(Vec::new(), place).named(place);
        let new = match leaf {
            Leaf::Scalar if rest.is_empty() => Value::computed("", place),
            _ => whole,
        };
        let Some(map) = map_mut(value) else { return };
        map.entries.retain(|it| &*it.key != key);
        map.entries.push(Entry { key: key.into(), key_span: place, value: new });
    }
    if let Some(inner) = field_mut(value, key) {
        walk(inner, rest, made, act);
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn separators_can_be_escaped() {
        let cases: [(&str, &[&str]); 4] = [
            ("a/b", &["a", "b"]),
            ("/a/b", &["a", "b"]),
            ("metadata/annotations/x.io\\/y", &["metadata", "annotations", "x.io/y"]),
            ("", &[""]),
        ];
        for (path, expected) in cases {
            assert_eq!(split(path, '/'), expected, "{path}");
        }
    }
}
