//! Whether a Fargate profile takes pods.

use crate::{
    model::{
        cluster::FargateSelector,
        placement::{
            decision::{Decision, RefusalCause},
            demands::Demands,
        },
    },
    resolve::{
        answers::{all, any},
        pod::selector::matches,
    },
    source::Span,
};

/// Whether a profile with these selectors takes pods; it is written at `place`.
#[must_use]
pub(super) fn takes(selectors: &[FargateSelector], place: Span, pods: &Demands) -> Decision {
    let selects = |it: &FargateSelector| {
        let of_namespace = pods.namespace.as_deref().map(|name| it.selects_namespace(name));
        all([of_namespace.unwrap_or(None), matches(&it.labels, &pods.labels)])
    };
    match any(selectors.iter().map(selects)) {
        Some(false) => {
            let words = "it selects other pods".to_owned();
            Decision::no(RefusalCause::Kind, words, Some(place))
        }
        _ if pods.is_daemon => {
            let words = "pods of a DaemonSet do not run on Fargate".to_owned();
            Decision::no(RefusalCause::Kind, words, Some(place))
        }
        None if pods.namespace.is_none() => {
            Decision::undecided("the namespace of the pods is not known", Some(place))
        }
        None => Decision::undecided("its selectors are not wholly known", Some(place)),
        Some(true) if pods.alternatives.iter().any(|it| it.requirements.is_empty()) => {
            Decision::Yes
        }
        Some(true) => {
            Decision::undecided("the labels of a node of Fargate are not known here", Some(place))
        }
    }
}
