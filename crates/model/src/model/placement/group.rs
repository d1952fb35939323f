//! Whether a static node group takes pods.

use crate::{
    knowledge::instances::{InstanceType, LabelValue},
    model::{
        cluster::{NodeGroup, is_given},
        node_label::today,
        node_pool::offerings,
        placement::{
            decision::{Decision, RefusalCause},
            demands::{Alternative, Demands},
            pool::tolerated,
            room::Room,
            words::conflict,
        },
        requirement::{
            Requirements, Undeclared,
            instance_type::{OF_ALL_NODES, value_of},
            value_set::ValueSet,
        },
    },
};

/// What Kubernetes and EKS give to the nodes of a group as labels, as far as it is decided here.
const SYSTEM: &str = "kubernetes.io/os";
/// Labels that tools give to nodes by themselves.
const OF_TOOLS: &[&str] = &["alpha.eksctl.io/", "topology.ebs.csi.aws.com/", "topology.k8s.aws/"];

impl NodeGroup {
    /// Whether the labels of its nodes are those that pods ask for.
    #[must_use]
    pub fn labels_fit(&self, pods: &Demands) -> Decision {
        fit(self, &labels(self), None, pods)
    }
}

/// Whether the nodes of a group take pods; `room` is what they have, where that counts.
#[must_use]
pub(super) fn takes(
    group: &NodeGroup,
    labels: &Requirements,
    room: Option<&Room<'_>>,
    pods: &Demands,
) -> Decision {
    tolerated(&group.taints, &pods.tolerations).and(|| fit(group, labels, room, pods))
}

fn fit(
    group: &NodeGroup,
    labels: &Requirements,
    room: Option<&Room<'_>>,
    pods: &Demands,
) -> Decision {
    let enough = |it: &Alternative| {
        room.map_or(Decision::Yes, |room| room.takes(&it.requirements, &pods.requests))
    };
    let fit = |it: &Alternative| agrees(group, labels, it).and(|| enough(it));
    let none = || Decision::undecided("what it asks of its nodes is not known", None);
    pods.alternatives.iter().map(fit).reduce(|a, b| a.or(|| b)).unwrap_or_else(none)
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
    for key in OF_ALL_NODES {
        let value = |it: &'static InstanceType| match value_of(key, it)? {
            LabelValue::Is(value) => Some(value),
            LabelValue::Absent | LabelValue::Unknown => None,
        };
        if let Some(types) = group.shape.types() {
            found.add(key, ValueSet::one_of(types.into_iter().map(value)));
        }
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
    // The scheduler looks at each requirement by itself: no node meets two that exclude one another.
    let mut doubt = None;
    for it in &asked.written {
        let key = today(&it.key);
        let set = offerings::asked(&it.operator);
        match labels.agree_on(key, &set, undeclared) {
            Some(true) => {}
            Some(false) if key == SYSTEM => doubt = doubt.or(Some("the system".to_owned())),
            Some(false) => {
                let words = conflict(key, labels.get(key), &set);
                let place = group.shape.labels.as_ref().map_or(group.report_span, |it| it.name);
                let cause = RefusalCause::Label(key.to_owned());
                return Decision::no(cause, words, Some(place)).asked_at(Some(it.span));
            }
            None => doubt = doubt.or(Some(format!("label `{key}`"))),
        }
    }
    match doubt {
        Some(of_nodes) => {
            let why = format!("{of_nodes} of its nodes is not known");
            Decision::undecided(why, Some(group.report_span))
        }
        None if asked.requirements.is_open() => {
            Decision::undecided("what it asks of its nodes is not wholly known", None)
        }
        None if asked.has_fields => {
            Decision::undecided("the affinity asks for a field of the node", None)
        }
        None => Decision::Yes,
    }
}
