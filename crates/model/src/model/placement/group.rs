//! Whether a static node group takes pods.

use crate::model::{
    cluster::{NodeGroup, is_given},
    node_label::today,
    placement::{
        decision::{Decision, RefusalCause},
        demands::{Alternative, Demands},
        pool::tolerated,
        words::conflict,
    },
    requirement::{Agreement, Requirements, Undeclared, value_set::ValueSet},
};

/// What Kubernetes and EKS give to the nodes of a group as labels, as far as it is decided here.
const SYSTEM: &str = "kubernetes.io/os";
/// Labels that tools give to nodes by themselves.
const OF_TOOLS: &[&str] = &["alpha.eksctl.io/", "topology.ebs.csi.aws.com/", "topology.k8s.aws/"];

/// Whether the nodes of a group take pods.
#[must_use]
pub(super) fn takes(group: &NodeGroup, labels: &Requirements, pods: &Demands) -> Decision {
    tolerated(&group.taints, &pods.tolerations).and(|| {
        let fit = |it: &Alternative| agrees(group, labels, it);
        let none = || Decision::undecided("what it asks of its nodes is not known", None);
        pods.alternatives.iter().map(fit).reduce(|a, b| a.or(|| b)).unwrap_or_else(none)
    })
}

/// The labels of a group's nodes as requirements.
#[must_use]
pub(super) fn labels(group: &NodeGroup) -> Requirements {
    let mut found = Requirements::default();
    for (key, value) in group.labels.all() {
        found.add(today(key), ValueSet::one_of([value]));
    }
    if found.get(SYSTEM).is_none() {
        // Nearly all do; those with Windows do not say so here.
        found.add(SYSTEM, ValueSet::one_of([Some("linux")]));
    }
    found
}

fn agrees(group: &NodeGroup, labels: &Requirements, asked: &Alternative) -> Decision {
    if asked.is_void {
        let words = "a term of the affinity that asks for nothing matches no node".to_owned();
        return Decision::no(RefusalCause::Kind, words, None);
    }
    let may_have_others = group.may_label_otherwise || group.labels.is_open();
    let undeclared = |key: &str| {
        let of_tool = OF_TOOLS.iter().any(|it| key.starts_with(it));
        if may_have_others || is_given(key) || of_tool {
            Undeclared::Unknown
        } else {
            Undeclared::Absent
        }
    };
    match labels.agree_with(&asked.requirements, undeclared) {
        Agreement::Yes if asked.has_fields => {
            Decision::undecided("the affinity asks for a field of the node", None)
        }
        Agreement::Yes => Decision::Yes,
        Agreement::No(SYSTEM) => Decision::undecided("the system of its nodes is not known", None),
        Agreement::No(key) => {
            let words = asked.requirements.get(key).map(|it| conflict(key, labels.get(key), it));
            let place = group.shape.labels.as_ref().map_or(group.report_span, |it| it.name);
            Decision::no(
                RefusalCause::Label(key.to_owned()),
                words.unwrap_or_default(),
                Some(place),
            )
            .asked_at(asked.place(key))
        }
        Agreement::Unknown(Some(key)) => Decision::undecided(
            format!("label `{key}` of its nodes is not known"),
            Some(group.report_span),
        ),
        Agreement::Unknown(None) => {
            Decision::undecided("what it asks of its nodes is not wholly known", None)
        }
    }
}
