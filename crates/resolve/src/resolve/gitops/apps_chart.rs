//! The chart `argocd-apps`, whose values are Applications of Argo CD and sets of them.
//!
//! Read of its templates, argoproj/argo-helm `charts/argocd-apps/templates`, tags argocd-apps-0.0.1 to
//! argocd-apps-2.0.5: a list of bodies with a `name` before 2.0, a mapping by name since.

use std::sync::Arc;

use crate::{
    resolve::{
        kubernetes::{Located, Object},
        release::Release,
    },
    source::Span,
    value::{Entry, Kind, Value},
};

/// The chart.
const CHART: &str = "argocd-apps";
/// Its values that are objects, with their kinds.
const KINDS: [(&str, &str); 2] =
    [("applications", "Application"), ("applicationsets", "ApplicationSet")];
/// The API of both.
const API_VERSION: &str = "argoproj.io/v1alpha1";
/// What is no part of an object's `spec`, with its name in the object's metadata.
const METADATA: [(&str, &str); 5] = [
    ("name", "name"),
    ("namespace", "namespace"),
    ("additionalAnnotations", "annotations"),
    ("additionalLabels", "labels"),
    ("finalizers", "finalizers"),
];

/// The objects that releases of the chart make of their values.
#[must_use]
pub fn made(releases: &[Release]) -> Vec<Located> {
    let is_it = |it: &&Release| {
        let is_own = it.repository.as_ref().is_none_or(|it| it.contains("argo-helm"));
        &*it.chart == CHART && is_own && it.local_chart.is_none() && !it.is_rendered
    };
    releases.iter().filter(is_it).flat_map(of_release).collect()
}

fn of_release(release: &Release) -> Vec<Located> {
    let located = |object: Object| Located {
        header: object.report_span(),
        object,
        root: release.scope.root,
        node: None,
        folder: Arc::clone(&release.scope.folder),
        cluster: release.scope.cluster,
        is_off: release.is_optional,
        holder: release.subject.clone().unwrap_or_default(),
        part: None,
    };
    let objects = KINDS.iter().flat_map(|(field, kind)| {
        let bodies = release.values.get(field).present().map_or(Vec::new(), bodies);
        bodies.into_iter().map(|(name, body)| object(kind, name, body))
    });
    objects.map(located).collect()
}

/// The bodies of objects, each with its name.
fn bodies(value: &Value) -> Vec<(Value, &Value)> {
    let by_name = value.entries().iter().map(|it| {
        let name = Value::computed(Arc::clone(&it.key), it.key_span).named(it.key_span);
        (name, &it.value)
    });
    let listed =
        value.items().iter().filter_map(|it| Some((it.get("name").present()?.clone(), it)));
    by_name.chain(listed).filter(|(_, body)| matches!(body.kind, Kind::Map(_))).collect()
}

/// The object that the chart makes of a body.
fn object(kind: &str, name: Value, body: &Value) -> Object {
    let place = name.span;
    let own = |it: &&Entry| METADATA.iter().any(|(key, _)| *key == &*it.key);
    let (of_metadata, spec): (Vec<&Entry>, Vec<&Entry>) = body.entries().iter().partition(own);
    let mut metadata = vec![entry("name", place, name)];
    for it in of_metadata.into_iter().filter(|it| &*it.key != "name") {
        let key = METADATA.iter().find(|(key, _)| *key == &*it.key).map_or("", |it| it.1);
        metadata.push(entry(key, it.key_span, it.value.clone()));
    }
    let spec = spec.into_iter().cloned().collect();
    let parts = vec![
        entry("apiVersion", place, Value::computed(API_VERSION, place)),
        entry("kind", place, Value::computed(kind, place)),
        entry("metadata", place, Value::map(metadata, place)),
        entry("spec", place, Value::map(spec, body.span).named(body.name)),
    ];
    let value = Value::map(parts, body.span).named(place);
    Object { api_version: API_VERSION.into(), kind: kind.into(), value }
}

fn entry(key: &str, key_span: Span, value: Value) -> Entry {
    Entry { key: key.into(), key_span, value }
}
