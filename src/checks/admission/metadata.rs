//! What the API server refuses of the metadata, which is the same for all kinds.
//! Source: apimachinery `pkg/api/validation/objectmeta.go` and `pkg/util/validation/validation.go`.

use crate::{
    checks::admission::{FaultKind, path::Path, text, walk::Walk},
    knowledge::schema::{fields::Type, patterns},
    value::{Entry, Field, Value},
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

/// Letters a name of an object may have, or what stands before the `/` of a key.
const LONGEST_NAME: usize = 253;
/// Letters the value of a label may have, or what stands after the `/` of a key.
const LONGEST_LABEL: usize = 63;

/// Looks at the metadata of a resource.
pub(super) fn look(walk: &mut Walk, metadata: &Value, path: &Path) {
    for entry in metadata.entries() {
        let path = path.name(&entry.key);
        match &*entry.key {
            "name" => name(walk, &entry.value, &path),
            "labels" | "annotations" => pairs(walk, entry, &path),
            known if NAMES.contains(&known) => {}
            _ => {
                let kind = FaultKind::Unknown { name: entry.key.clone(), known: NAMES.to_vec() };
                walk.refuse(kind, entry.key_span, &path, Some(&entry.value));
            }
        }
    }
    if let (Field::Missing, Field::Missing) = (metadata.get("name"), metadata.get("generateName")) {
        let kind = FaultKind::Missing { name: "name" };
        walk.refuse(kind, metadata.name, &path.name("name"), None);
    }
}

fn name(walk: &mut Walk, value: &Value, path: &Path) {
    if let Some(fault) = text_fault(value, "object-name", LONGEST_NAME) {
        walk.refuse(fault, value.span, path, Some(value));
    }
}

/// Labels or annotations.
fn pairs(walk: &mut Walk, entry: &Entry, path: &Path) {
    let is_label = &*entry.key == "labels";
    if !(entry.value.is_unknown() || entry.value.is_null() || entry.value.as_map().is_some()) {
        walk.refuse(FaultKind::Type(Type::Map), entry.value.span, path, Some(&entry.value));
    }
    for pair in entry.value.entries() {
        let path = path.name(&pair.key);
        if let Some(fault) = key_fault(&pair.key) {
            walk.refuse(fault, pair.key_span, &path, Some(&pair.value));
        }
        let longest = if is_label { LONGEST_LABEL } else { usize::MAX };
        if let Some(fault) =
            text_fault(&pair.value, if is_label { "label-value" } else { "" }, longest)
        {
            walk.refuse(fault, pair.value.span, &path, Some(&pair.value));
        }
    }
}

/// What is wrong with a value that has to be text.
fn text_fault(value: &Value, pattern: &str, longest: usize) -> Option<FaultKind> {
    if value.is_unknown() || value.is_null() {
        return None;
    }
    let Some(text) = value.as_str() else { return Some(FaultKind::Type(Type::Text)) };
    refused(text, pattern, longest)
}

fn refused(text: &str, pattern: &str, longest: usize) -> Option<FaultKind> {
    if text::is_stand_in(text) {
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
    long.map(FaultKind::TooLong).or_else(|| refused(key, "qualified-name", usize::MAX))
}
