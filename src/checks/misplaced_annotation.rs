//! How an annotation gets to the pods of its object.

use crate::{
    findings::change::{Change, FixCondition, NewValue},
    model::annotation::{
        Annotation,
        position::{AnnotationPosition, pods_path},
        site::Site,
    },
    resolve::kubernetes::Object,
    value::Value,
};

/// What moves an annotation of an object to the annotations of the object's pods; `None` where it is not clear
/// how, or the pods may have it.
#[must_use]
pub(crate) fn move_to_pods(annotation: &Annotation) -> Option<[Change; 2]> {
    let on_target =
        matches!(annotation.position, AnnotationPosition::Pods | AnnotationPosition::Nodes);
    let site = annotation.site.as_ref().filter(|_| !on_target && !annotation.pods_have_it)?;
    let key = annotation.key.word();
    if is_selected(site, key) {
        return None;
    }
    let value = match annotation.value.as_str() {
        Some(text) => NewValue::text(text),
        None => NewValue::of(&annotation.value)?,
    };
    let path: Vec<&str> = site.path.iter().map(|it| &**it).chain([key]).collect();
    let moved = vec![Change::remove(&site.from, &path), annotate_pods(&site.object, key, value)?];
    let renamed = become_annotations(site).map(|it| vec![it]);
    Some([
        Change::FirstOf(renamed.into_iter().chain([moved]).collect()),
        // What an overlay's patch adds is not for all that share the base.
        Change::OnlyIf(FixCondition::AllIn(annotation.key_span.file)),
    ])
}

/// What writes an annotation for the object's pods.
fn annotate_pods(object: &Object, key: &str, value: NewValue) -> Option<Change> {
    if let Some(template) = object.template() {
        let path = ["metadata", "annotations", key];
        return Some(Change::set_key(template.present()?, &path, value));
    }
    let path = pods_path(object).filter(|it| !it.contains("[]"))?;
    let path: Vec<&str> = path.split('.').chain([key]).collect();
    Some(Change::set_key(&object.value, &path, value))
}

/// What makes annotations of the labels of the pods, where these hold nothing else.
fn become_annotations(site: &Site) -> Option<Change> {
    let metadata = site.object.template()?.get("metadata");
    let is_theirs = metadata.get("labels").present()?.span == site.mapping.span;
    let alone = site.mapping.entries().len() == 1 && metadata.get("annotations").is_missing();
    let fits = in_labels(site) && is_theirs && alone;
    fits.then(|| Change::reword(site.mapping.name, "labels", "annotations"))
}

/// Whether the object's own selector asks for the label.
fn is_selected(site: &Site, key: &str) -> bool {
    let selector = site.object.value.at("spec.selector");
    let expressions = selector.get("matchExpressions").present().map_or(&[][..], Value::items);
    let named = |it: &Value| it.get("key").present().and_then(Value::as_str) == Some(key);
    in_labels(site)
        && (!selector.get("matchLabels").get(key).is_missing() || expressions.iter().any(named))
}

fn in_labels(site: &Site) -> bool {
    site.path.last().is_some_and(|it| &**it == "labels")
}
