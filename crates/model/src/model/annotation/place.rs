//! Where in an object annotations of its pods belong, and how one gets there.

use crate::{
    edits,
    findings::{
        Edit,
        change::{Change, NewValue},
    },
    knowledge,
    model::annotation::Position,
    resolve::kubernetes::Object,
    source::{Files, Span},
    value::{Entry, Value},
};

/// Where the annotations of an object's pods are written, if it makes pods.
pub(super) fn pods_path(object: &Object) -> Option<String> {
    if let Some(template) = object.template_path() {
        return Some(format!("{template}.metadata.annotations").trim_start_matches('.').to_owned());
    }
    let operator = knowledge::operator::of(&object.api_version, &object.kind)?;
    operator.pod_annotations.first().cloned()
}

/// What the mapping at a path stands for; `None` where it is nothing to Karpenter and to people.
pub(super) fn position(object: &Object, path: &[&str]) -> Option<Position> {
    let joined = path.join(".");
    if object.template_path().is_some() {
        return Some(match joined.as_str() {
            it if pods_path(object).as_deref() == Some(it) => Position::Pods,
            "metadata.annotations" | "spec.jobTemplate.metadata.annotations" => {
                Position::Controller
            }
            it if it.ends_with("labels") => Position::Labels,
            it if it.starts_with("spec.volumeClaimTemplates") => Position::Claims,
            it if it.ends_with("metadata") => Position::Metadata,
            _ => Position::Elsewhere,
        });
    }
    match (&*object.kind, joined.as_str()) {
        ("NodePool", "spec.template.metadata.annotations")
        | ("Provisioner", "spec.annotations")
        | ("Node" | "NodeClaim", "metadata.annotations") => Some(Position::Nodes),
        _ => of_operator(object, path),
    }
}

/// Annotations of a custom resource: on its pods, or on a resource whose own annotations go elsewhere.
fn of_operator(object: &Object, path: &[&str]) -> Option<Position> {
    let operator = knowledge::operator::of(&object.api_version, &object.kind)?;
    let steps = |it: &str| -> Vec<String> {
        let parts = it.split('.').flat_map(|it| match it.strip_suffix("[]") {
            Some(name) => vec![name.to_owned(), "[]".to_owned()],
            None => vec![it.to_owned()],
        });
        parts.collect()
    };
    if operator.pod_annotations.iter().any(|it| steps(it) == path) {
        return Some(Position::Pods);
    }
    let own =
        path == ["metadata", "annotations"] && operator.budget == knowledge::operator::Budget::None;
    own.then_some(Position::Controller)
}

/// Whether it cannot be told which annotations the object's pods have.
pub(super) fn pods_are_in_doubt(object: &Object) -> bool {
    let Some(template) = object.template() else { return false };
    let annotations = template.get("metadata").get("annotations");
    let open = |it: &Value| it.as_map().is_some_and(|it| it.rest.is_some());
    // Without containers it is a patch or an assertion, not the whole of it.
    annotations.is_unknown()
        || annotations.present().is_some_and(open)
        || template.get("spec").get("containers").is_missing()
}

/// The edits that move an entry from a mapping of the object to the annotations of its pods.
pub(super) fn move_to_pods(
    files: &Files,
    object: &Object,
    path: &[&str],
    entry: &Entry,
) -> Option<Vec<Edit>> {
    let (from, path) = innermost(&object.value, path, entry)?;
    let holder = path.iter().try_fold(from, |value, key| value.get(key).present())?;
    if is_shared(files, holder, entry) || is_selected(object, path, &entry.key) {
        return None;
    }
    let value = match entry.value.as_str() {
        Some(text) => NewValue::text(text),
        None => NewValue::of(&entry.value)?,
    };
    let changes = [
        Change::remove(from, &[path, &[&*entry.key]].concat()),
        annotate_pods(object, &entry.key, value)?,
    ];
    let renamed = become_annotations(files, object, holder).filter(|_| path.ends_with(&["labels"]));
    let edits = renamed.or_else(|| edits::edits(files, &changes))?;
    // What an overlay's patch adds is not for all that share the base.
    edits.iter().all(|it| it.span.file == entry.key_span.file).then_some(edits)
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

/// What writes an annotation for the object's pods.
fn annotate_pods(object: &Object, key: &str, value: NewValue) -> Option<Change> {
    if let Some(template) = object.template() {
        return Some(Change::set_key(
            template.present()?,
            &["metadata", "annotations", key],
            value,
        ));
    }
    let path = pods_path(object).filter(|it| !it.contains("[]"))?;
    let path: Vec<&str> = path.split('.').chain([key]).collect();
    Some(Change::set_key(&object.value, &path, value))
}

/// The edit that makes annotations of the pods of their labels, where that is all that is there.
fn become_annotations(files: &Files, object: &Object, labels: &Value) -> Option<Vec<Edit>> {
    let metadata = object.template()?.get("metadata");
    let is_theirs = metadata.get("labels").present()?.span == labels.span;
    let alone = labels.entries().len() == 1 && metadata.get("annotations").is_missing();
    (is_theirs && alone && files.text(labels.name) == "labels")
        .then(|| vec![Edit { span: labels.name, text: "annotations".to_owned() }])
}

/// Whether the mapping has an anchor or is an alias, so that it is part of something else as well.
fn is_shared(files: &Files, mapping: &Value, entry: &Entry) -> bool {
    let (name, key) = (mapping.name, entry.key_span);
    let between = Span { start: name.end, end: key.start, ..name };
    let first = mapping.entries().first().map_or(key, |it| it.key_span);
    name.file != key.file
        || name.end > key.start
        || files.text(Span { end: first.start.max(name.end), ..between }).contains(['&', '*'])
}

/// Whether the object's own selector asks for the label.
fn is_selected(object: &Object, path: &[&str], key: &str) -> bool {
    let selector = object.value.at("spec.selector");
    let expressions = selector.get("matchExpressions").present().map_or(&[][..], Value::items);
    let named = |it: &Value| it.get("key").present().and_then(Value::as_str) == Some(key);
    path.last() == Some(&"labels")
        && (!selector.get("matchLabels").get(key).is_missing() || expressions.iter().any(named))
}
