//! A variable of `vars`: which field of which object it is.

use std::sync::Arc;

use crate::{
    resolve::kustomize::{edit::text_at, resource::Id},
    source::Span,
    value::Value,
};

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// What it is called in `$(NAME)`.
    pub name: Arc<str>,
    /// Of the object; may be empty.
    pub api_version: Arc<str>,
    /// Of the object.
    pub kind: Arc<str>,
    /// The object's name.
    pub object: Arc<str>,
    /// The object's namespace, where it is written.
    pub namespace: Option<Arc<str>>,
    /// The field, `metadata.name` unless another is written.
    pub path: Arc<str>,
    /// The entry.
    pub place: Span,
}

impl Variable {
    /// Reads an entry of `vars`.
    #[must_use]
    pub(super) fn read(value: &Value) -> Option<Self> {
        let object = value.get("objref").present()?;
        Some(Self {
            name: text_at(value, "name")?,
            api_version: text_at(object, "apiVersion").unwrap_or_default(),
            kind: text_at(object, "kind")?,
            object: text_at(object, "name")?,
            namespace: text_at(object, "namespace"),
            path: value
                .get("fieldref")
                .present()
                .and_then(|it| text_at(it, "fieldpath").or_else(|| text_at(it, "fieldPath")))
                .unwrap_or_else(|| "metadata.name".into()),
            place: value.span,
        })
    }

    /// Whether it is about an object of that name.
    #[must_use]
    pub(super) fn means(&self, id: &Id) -> bool {
        let (group, version) = self.api_version.split_once('/').unwrap_or(("", &self.api_version));
        id.kind == self.kind
            && id.name == self.object
            && (self.api_version.is_empty() || (&*id.group, &*id.version) == (group, version))
            && self.namespace.as_ref().is_none_or(|it| id.namespace.as_ref() == Some(it))
    }
}
