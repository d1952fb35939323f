//! What `karpenter.sh/do-not-disrupt` does with the value it has.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        annotation::{Annotation, position::AnnotationPosition},
    },
    resolve::setting::Setting,
    time::duration,
    value::Kind,
    version::Version,
};

/// What an annotation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AnnotationEffect {
    /// Karpenter does not disrupt the pod or node.
    Active,
    /// The same for some time after the pod's start.
    Timed,
    /// It has no effect, as its author wants.
    Nothing,
    /// Karpenter ignores this text.
    Ignored(String),
    /// This is a duration, which this version of Karpenter ignores.
    Early(String),
    /// Karpenter does not disrupt the node although this text seems to allow it.
    Blocks(String),
    /// The API server rejects the object: this is not a string.
    Rejected(String),
}

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

/// Without a version the newest is assumed.
fn on_pods(text: &str, version: Option<&Version>) -> AnnotationEffect {
    let durations = version.is_none_or(|it| *it >= Version::new(1, 12, 0));
    match text {
        "true" => AnnotationEffect::Active,
        "false" | "" => AnnotationEffect::Nothing,
        _ if durations && duration::is_positive(text) => AnnotationEffect::Timed,
        _ if duration::is_positive(text) => AnnotationEffect::Early(text.to_owned()),
        _ => AnnotationEffect::Ignored(text.to_owned()),
    }
}

/// Before 1.0 the annotation counted whatever its value.
fn on_nodes(text: &str, version: Option<&Version>) -> AnnotationEffect {
    let any = version.is_some_and(|it| *it < Version::new(1, 0, 0));
    match text {
        "true" => AnnotationEffect::Active,
        "false" if any => AnnotationEffect::Blocks(text.to_owned()),
        _ if any => AnnotationEffect::Active,
        "false" | "" => AnnotationEffect::Nothing,
        _ => AnnotationEffect::Ignored(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        checks::do_not_disrupt::{AnnotationEffect, on_nodes, on_pods},
        version::Version,
    };

    #[test]
    fn values_mean_what_karpenter_reads() {
        let versions = [None, Some("0.37.0"), Some("1.5.0"), Some("1.12.0")]
            .map(|it| it.and_then(Version::parse));
        // One letter for each version: active, timed, nothing, ignored, early, blocks.
        for (text, pods, nodes) in [
            ("true", "aaaa", "aaaa"),
            ("True", "iiii", "iaii"),
            ("yes", "iiii", "iaii"),
            ("1", "iiii", "iaii"),
            ("false", "nnnn", "nbnn"),
            ("", "nnnn", "nann"),
            ("30m", "teet", "iaii"),
            ("1h30m", "teet", "iaii"),
            ("30d", "iiii", "iaii"),
            ("0s", "iiii", "iaii"),
            ("-5m", "iiii", "iaii"),
        ] {
            let letter = |it: AnnotationEffect| match it {
                AnnotationEffect::Active => 'a',
                AnnotationEffect::Timed => 't',
                AnnotationEffect::Nothing => 'n',
                AnnotationEffect::Ignored(_) => 'i',
                AnnotationEffect::Early(_) => 'e',
                AnnotationEffect::Blocks(_) => 'b',
                AnnotationEffect::Rejected(_) => '?',
            };
            let of = |it: fn(&str, Option<&Version>) -> AnnotationEffect| -> String {
                versions.iter().map(|version| letter(it(text, version.as_ref()))).collect()
            };
            assert_eq!((of(on_pods), of(on_nodes)), (pods.into(), nodes.into()), "{text:?}");
        }
    }
}
