//! What the API server refuses of the metadata, which is the same for all kinds.
//! Source: apimachinery `pkg/api/validation/objectmeta.go` and `pkg/util/validation/validation.go`.

use crate::{
    checks::admission::{fault::FaultKind, path::Path},
    knowledge::schema::{fields::FieldType, patterns},
    source::Span,
    value::{Entry, Field, Value, stand_in::is_stand_in},
};

/// The fields there are.
const NAMES: &[&str] = &[
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Letters a name of an object may have, or what comes before the `/` of a key.
const LONGEST_NAME: usize = 253;
/// Letters the value of a label may have, or what comes after the `/` of a key.
const LONGEST_LABEL: usize = 63;

/// One thing that is refused.
pub(super) struct Refused {
    pub(super) kind: FaultKind,
    pub(super) span: Span,
    pub(super) path: Path,
    pub(super) value: Option<Value>,
}

/// What is refused of the metadata of a resource.
pub(super) fn refused(metadata: &Value, path: &Path) -> Vec<Refused> {
    let mut found = Vec::new();
    for entry in metadata.entries() {
        let path = path.name(&entry.key);
        match &*entry.key {
            "name" => {
                let fault = text_fault(&entry.value, "object-name", LONGEST_NAME);
                found.extend(fault.map(|it| Refused::value(it, path, &entry.value)));
            }
            "labels" | "annotations" => found.extend(pairs(entry, &path)),
            known if NAMES.contains(&known) => {}
            _ => {
                let kind = FaultKind::Unknown { name: entry.key.clone(), known: NAMES.to_vec() };
                found.push(Refused::key(kind, path, entry));
            }
        }
    }
    if let (Field::Missing, Field::Missing) = (metadata.get("name"), metadata.get("generateName")) {
        let (kind, path) = (FaultKind::Missing { name: "name" }, path.name("name"));
        found.push(Refused { kind, span: metadata.name, path, value: None });
    }
    found
}

impl Refused {
    fn value(kind: FaultKind, path: Path, value: &Value) -> Self {
        Self { kind, span: value.span, path, value: Some(value.clone()) }
    }

    fn key(kind: FaultKind, path: Path, entry: &Entry) -> Self {
        Self { kind, span: entry.key_span, path, value: Some(entry.value.clone()) }
    }
}

/// What is refused of labels or annotations.
fn pairs(entry: &Entry, path: &Path) -> Vec<Refused> {
    let mut found = Vec::new();
    let is_label = &*entry.key == "labels";
    if !(entry.value.is_unknown() || entry.value.is_null() || entry.value.as_map().is_some()) {
        let kind = FaultKind::Type(FieldType::Map);
        found.push(Refused::value(kind, path.clone(), &entry.value));
    }
    let (pattern, longest) =
        if is_label { ("label-value", LONGEST_LABEL) } else { ("", usize::MAX) };
    for pair in entry.value.entries() {
        let path = path.name(&pair.key);
        let of_key = key_fault(&pair.key);
        found.extend(of_key.map(|it| Refused::key(it, path.clone(), pair)));
        let of_value = text_fault(&pair.value, pattern, longest);
        found.extend(of_value.map(|it| Refused::value(it, path, &pair.value)));
    }
    found
}

/// What is wrong with a value that has to be text.
fn text_fault(value: &Value, pattern: &str, longest: usize) -> Option<FaultKind> {
    if value.is_unknown() || value.is_null() {
        return None;
    }
    let Some(text) = value.as_str() else { return Some(FaultKind::Type(FieldType::Text)) };
    wrong_text(text, pattern, longest)
}

fn wrong_text(text: &str, pattern: &str, longest: usize) -> Option<FaultKind> {
    if is_stand_in(text) {
        return None;
    }
    if text.chars().count() > longest {
        return Some(FaultKind::TooLong(longest));
    }
    patterns::named(pattern).filter(|it| !it.is_in(text)).map(FaultKind::Pattern)
}

fn key_fault(key: &str) -> Option<FaultKind> {
    let (domain, name) = key.split_once('/').map_or((None, key), |(a, b)| (Some(a), b));
    let long = domain.filter(|it| it.len() > LONGEST_NAME).map(|_| LONGEST_NAME);
    let long = long.or((name.len() > LONGEST_LABEL).then_some(LONGEST_LABEL));
    long.map(FaultKind::TooLong).or_else(|| wrong_text(key, "qualified-name", usize::MAX))
}
