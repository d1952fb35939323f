//! What an API server asks admission policies about: an object that is created.

use std::sync::Arc;

use crate::{
    findings::silence::Silence,
    inventory::objects::{Builder, BuiltObject},
    policies::admission::kinds::Resource,
    resolve::pod::selector::Labels,
    value::{Entry, Field, Kind, Symbol, Text, Value, cause::Cause},
};

/// The label that every namespace has.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// An object that is created, with its request.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    /// As it is built.
    pub(super) built: &'a BuiltObject<'a>,
    /// As the API server has it, defaults included.
    pub(super) object: Value,
    /// What the API server calls its kind.
    pub(super) resource: Resource,
    /// The Namespace object of its namespace, if it is in the repository.
    pub(super) namespace_object: Option<&'a Value>,
}

impl Asked<'_> {
    /// `apps`.
    pub(super) fn group(&self) -> &str {
        self.built.object.group()
    }

    /// `v1`.
    pub(super) fn version(&self) -> &str {
        self.built.object.api_version.rsplit('/').next().unwrap_or_default()
    }

    /// Its name, if it is known.
    pub(super) fn name(&self) -> Option<&str> {
        self.built.object.anchor_text()
    }

    /// Its namespace, if that is known; a Namespace's own name is its namespace.
    pub(super) fn namespace(&self) -> Option<&str> {
        if self.is_namespace() {
            return self.name();
        }
        self.object.at("metadata.namespace").present().and_then(Value::as_str)
    }

    fn is_namespace(&self) -> bool {
        self.group().is_empty() && &*self.built.object.kind == "Namespace"
    }

    /// Its labels.
    pub(super) fn labels(&self) -> Labels {
        Labels::read(self.object.at("metadata.labels"))
    }

    /// The labels of its namespace; `None` for what is in none.
    ///
    /// # Errors
    /// When it is not known whether it is in one.
    pub(super) fn namespace_labels(&self) -> Result<Option<Labels>, Silence> {
        if self.is_namespace() {
            return Ok(Some(labels_of(Some(&self.object), self.name())));
        }
        match self.resource.is_namespaced {
            Some(true) => Ok(Some(labels_of(self.namespace_object, self.namespace()))),
            Some(false) => Ok(None),
            None => {
                let words = "whether its kind has a namespace is not known";
                Err(Silence::undecided(Cause::Value, words))
            }
        }
    }

    /// `request`: what is known of it without a user.
    pub(super) fn request(&self) -> Value {
        let span = self.built.object.report_span();
        let text = |it: &str| Value::new(Kind::String(Text::computed(it)), span);
        // What is empty is left out of a request.
        let part = |at: &str| match self.object.at(at) {
            Field::Present(found) => Some(found.clone()),
            Field::Missing => None,
            Field::Unknown => Some(unknown(&format!("the {at} of the request"), span)),
        };
        let map = |entries: Vec<(&str, Value)>| of_entries(entries, span);
        let kind = || {
            map(vec![
                ("group", text(self.group())),
                ("version", text(self.version())),
                ("kind", text(&self.built.object.kind)),
            ])
        };
        let resource = || {
            map(vec![
                ("group", text(self.group())),
                ("version", text(self.version())),
                ("resource", text(&self.resource.plural)),
            ])
        };
        let namespace = match self.namespace() {
            Some(_) if !self.is_namespace() => part("metadata.namespace"),
            Some(name) => Some(text(name)),
            None if self.resource.is_namespaced == Some(false) => None,
            None => Some(unknown("the namespace of the object", span)),
        };
        let mut fields = vec![
            ("kind", kind()),
            ("resource", resource()),
            ("requestKind", kind()),
            ("requestResource", resource()),
            ("operation", text("CREATE")),
            ("userInfo", unknown("request.userInfo", span)),
            ("dryRun", unknown("request.dryRun", span)),
            ("options", unknown("request.options", span)),
        ];
        fields.extend(part("metadata.name").map(|it| ("name", it)));
        fields.extend(namespace.map(|it| ("namespace", it)));
        map(fields)
    }

    /// `namespaceObject`: null for what is in no namespace.
    pub(super) fn namespace_value(&self) -> Value {
        let span = self.built.span;
        match (self.resource.is_namespaced, self.namespace_object) {
            (Some(false), _) => Value::new(Kind::Null, span),
            (_, Some(found)) => with_name_label(found),
            _ => unknown("namespaceObject", span),
        }
    }
}

/// Whether an object is there only with other values of variables than those known.
pub(super) fn is_optional(built: &BuiltObject<'_>) -> bool {
    match &built.built_by {
        Builder::Resource { is_optional, .. } | Builder::Release { is_optional, .. } => {
            *is_optional
        }
        _ => false,
    }
}

/// The labels of a namespace: those of its object, and the one with its name.
fn labels_of(object: Option<&Value>, name: Option<&str>) -> Labels {
    if let Some(object) = object {
        return Labels::read(with_name_label(object).at("metadata.labels"));
    }
    let named = name.map(|it| (NAMESPACE_NAME, it));
    Labels::known(named).and_others()
}

/// A Namespace with the label that the API server gives it.
pub(super) fn with_name_label(namespace: &Value) -> Value {
    let (Some(name), Some(metadata)) =
        (namespace.at("metadata.name").present(), namespace.get("metadata").present())
    else {
        return namespace.clone();
    };
    let labels = metadata.get("labels").present().cloned();
    let labels = labels.unwrap_or_else(|| Value::map(Vec::new(), metadata.name));
    let labels = with_entry(&labels, NAMESPACE_NAME, name.clone());
    with_entry(namespace, "metadata", with_entry(metadata, "labels", labels))
}

/// A mapping with an entry in place of the one of that key, if it has one.
pub(super) fn with_entry(value: &Value, key: &str, entry: Value) -> Value {
    let Kind::Map(map) = &value.kind else { return value.clone() };
    let mut map = (**map).clone();
    match map.entries.iter_mut().find(|it| &*it.key == key) {
        Some(found) => found.value = entry,
        None => map.entries.push(Entry { key: key.into(), key_span: value.name, value: entry }),
    }
    Value { kind: Kind::Map(Arc::new(map)), ..value.clone() }
}

/// A mapping of these entries.
fn of_entries(entries: Vec<(&str, Value)>, span: crate::source::Span) -> Value {
    let entry = |(key, value): (&str, Value)| Entry { key: key.into(), key_span: span, value };
    Value::map(entries.into_iter().map(entry).collect(), span)
}

/// Something that is not known here.
pub(super) fn unknown(what: &str, span: crate::source::Span) -> Value {
    Value::unknown(Symbol::new("place", what), span)
}
