//! Where in an object annotations of its pods belong.

use crate::{
    knowledge, model::annotation::key::DisruptionKey, resolve::kubernetes::Object, value::Value,
};

/// What an annotation is written on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationPosition {
    /// The annotations of pods: of a template, or of a bare pod.
    Pods,
    /// The annotations of nodes: of a pool's template, a node claim, a node.
    Nodes,
    /// The annotations of the controller of the pods.
    Controller,
    /// Labels, of any object.
    Labels,
    /// A template for volume claims.
    Claims,
    /// A `metadata` mapping itself, beside `annotations`.
    Metadata,
    /// Anywhere else in an object that makes pods.
    Elsewhere,
    /// The values of a chart.
    Values,
    /// The annotations in something else that makes pods or changes them: a job of a CI system, a policy.
    Indirect,
}

/// Where the annotations of an object's pods are written, if it makes pods.
#[must_use]
pub fn pods_path(object: &Object) -> Option<String> {
    if let Some(template) = object.template_path() {
        return Some(format!("{template}.metadata.annotations").trim_start_matches('.').to_owned());
    }
    let operator = knowledge::operator::of(&object.api_version, &object.kind)?;
    operator.pod_annotations.first().cloned()
}

/// What the mapping at a path of an object is; `None` where annotations have no meaning for Karpenter.
#[must_use]
pub fn position(object: &Object, path: &[&str], key: DisruptionKey) -> Option<AnnotationPosition> {
    let joined = path.join(".");
    if object.template_path().is_some() {
        return Some(match joined.as_str() {
            it if pods_path(object).as_deref() == Some(it) => AnnotationPosition::Pods,
            "metadata.annotations" | "spec.jobTemplate.metadata.annotations" => {
                AnnotationPosition::Controller
            }
            it if it.ends_with("labels") => AnnotationPosition::Labels,
            it if it.starts_with("spec.volumeClaimTemplates") => AnnotationPosition::Claims,
            it if it.ends_with("metadata") => AnnotationPosition::Metadata,
            _ => AnnotationPosition::Elsewhere,
        });
    }
    match (&*object.kind, joined.as_str()) {
        ("NodePool", "spec.template.metadata.annotations")
        | ("Provisioner", "spec.annotations")
        | ("Node" | "NodeClaim", "metadata.annotations") => Some(AnnotationPosition::Nodes),
        _ => of_operator(object, path).or_else(|| indirect(path, key)),
    }
}

/// Annotations of whatever else, for a key that does nothing anywhere any more.
fn indirect(path: &[&str], key: DisruptionKey) -> Option<AnnotationPosition> {
    let is_annotations = |it: &&str| it.ends_with("nnotations");
    (key.is_retired() && path.last().is_some_and(is_annotations))
        .then_some(AnnotationPosition::Indirect)
}

/// Annotations of a custom resource: on its pods, or on a resource whose own annotations go elsewhere.
fn of_operator(object: &Object, path: &[&str]) -> Option<AnnotationPosition> {
    let operator = knowledge::operator::of(&object.api_version, &object.kind)?;
    let steps = |it: &str| -> Vec<String> {
        let parts = it.split('.').flat_map(|it| match it.strip_suffix("[]") {
            Some(name) => vec![name.to_owned(), "[]".to_owned()],
            None => vec![it.to_owned()],
        });
        parts.collect()
    };
    if operator.pod_annotations.iter().any(|it| steps(it) == path) {
        return Some(AnnotationPosition::Pods);
    }
    let own = path == ["metadata", "annotations"]
        && operator.pdb == knowledge::operator::OperatorPdb::None;
    own.then_some(AnnotationPosition::Controller)
}

/// Whether it is not known which annotations the object's pods have.
#[must_use]
pub fn pods_are_in_doubt(object: &Object) -> bool {
    let Some(template) = object.template() else { return false };
    let annotations = template.get("metadata").get("annotations");
    let open = |it: &Value| it.as_map().is_some_and(|it| it.rest.is_some());
    // Without containers it is a patch or an assertion, not the whole of it.
    annotations.is_unknown()
        || annotations.present().is_some_and(open)
        || template.get("spec").get("containers").is_missing()
}
