//! What `karpenter.sh/do-not-disrupt` does with the value it has.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        annotation::{
            Annotation,
            effect::{AnnotationEffect, on_nodes, on_pods},
            position::AnnotationPosition,
        },
    },
    resolve::setting::Setting,
    value::Kind,
    version::Version,
};

/// Where Karpenter, or a chart for it, looks for the annotation.
pub(crate) fn is_looked_at(annotation: &Annotation) -> bool {
    match annotation.position {
        AnnotationPosition::Pods | AnnotationPosition::Values => true,
        AnnotationPosition::Nodes => &*annotation.kind != "Provisioner",
        _ => false,
    }
}

/// What `karpenter.sh/do-not-disrupt` does where it is looked at, in the version of Karpenter near it. Facts:
/// kubernetes-sigs/karpenter `pkg/utils/pod/scheduling.go` v1.14.1, `pkg/controllers/state/statenode.go`
/// v1.0.0 and `pkg/controllers/disruption/types.go` v0.37.7.
///
/// # Errors
/// Why there is none to speak of, or why that is not known.
pub(crate) fn effect_of(
    model: &Model,
    annotation: &Annotation,
) -> Result<AnnotationEffect, Silence> {
    let (version, _) = model.karpenter_near(&annotation.scope);
    let version = version.as_ref();
    if version.is_some_and(|it| *it < Version::new(0, 32, 0)) {
        return Err(Silence::sound("Karpenter before 0.32 has no such annotation"));
    }
    let written = Setting::written(&annotation.value, |it| it.as_str().map(str::to_owned));
    Ok(match (&annotation.value.kind, annotation.position) {
        (Kind::Bool(it), AnnotationPosition::Pods) => AnnotationEffect::Rejected(it.to_string()),
        (Kind::Number(it), AnnotationPosition::Pods) => AnnotationEffect::Rejected(it.to_string()),
        (Kind::Null, _) => AnnotationEffect::Nothing,
        // What a chart or another tool makes of them is not known.
        (Kind::Bool(_) | Kind::Number(_), _) => {
            return Err(Silence::sound(
                "it is no text, which is another fault, or a chart quotes it",
            ));
        }
        (_, AnnotationPosition::Nodes) => on_nodes(written.decided("its value")?, version),
        _ => on_pods(written.decided("its value")?, version),
    })
}
