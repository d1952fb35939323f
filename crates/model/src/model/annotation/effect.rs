//! What `karpenter.sh/do-not-disrupt` does with the text it has.

use crate::{time::duration, version::Version};

/// What an annotation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationEffect {
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

/// What it does on pods. Without a version the newest is assumed.
#[must_use]
pub fn on_pods(text: &str, version: Option<&Version>) -> AnnotationEffect {
    let durations = version.is_none_or(|it| *it >= Version::new(1, 12, 0));
    match text {
        "true" => AnnotationEffect::Active,
        "false" | "" => AnnotationEffect::Nothing,
        _ if durations && duration::is_positive(text) => AnnotationEffect::Timed,
        _ if duration::is_positive(text) => AnnotationEffect::Early(text.to_owned()),
        _ => AnnotationEffect::Ignored(text.to_owned()),
    }
}

/// What it does on nodes: before 1.0 the annotation counted whatever its value.
#[must_use]
pub fn on_nodes(text: &str, version: Option<&Version>) -> AnnotationEffect {
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
        model::annotation::effect::{AnnotationEffect, on_nodes, on_pods},
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
