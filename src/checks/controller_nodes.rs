//! Where the pods of the Karpenter controller may run: off the nodes that it makes, and on which others.

use std::collections::BTreeSet;

use crate::{
    checks::{
        reach::pool_takes,
        unread::{hidden_cluster, other_cluster},
    },
    findings::silence::Silence,
    knowledge,
    model::{
        Model,
        cluster::{Cluster, NodeGroup, is_given},
        controller::ControllerPods,
        node_label,
        node_pool::{EC2, NodePool},
        placement::{
            decision::Decision,
            demands::Demands,
            own_nodes::{Gap, gap, keeps_off},
        },
        scope::Scoped,
    },
    resolve::{
        answers::any,
        effective::EffectivePod,
        setting::{Setting, unknown_at},
        terraform::object::{BlockInstance, Mode},
    },
    source::Span,
    value::{Field, Value, cause::Cause},
};

/// The way from `affinity` to the terms of the required node affinity.
const TERMS: [&str; 3] =
    ["nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];

/// The place in the values by which the controller may come onto nodes of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnNodeAccess {
    /// What to point at.
    pub span: Span,
    /// How it lets the pods in.
    pub way: AffinityFault,
    /// The label that tells Karpenter's nodes.
    pub label: String,
}

/// How the values let the controller onto Karpenter's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AffinityFault {
    /// They take the chart's node affinity away.
    Removed,
    /// They ask for a label that Karpenter's nodes do not have any more.
    Retired,
    /// Their terms do not ask for nodes that are not Karpenter's.
    Replaced,
}

/// The place in the values by which a controller may come onto nodes it makes itself, unless the pods may
/// be meant for Fargate or for the pools of EKS Auto Mode, or none of the pools takes them.
pub(crate) fn opening(model: &Model, pods: &ControllerPods<'_>) -> Result<OwnNodeAccess, Silence> {
    let off = stays_off_own_nodes(pods).ok_or_else(|| {
        unknown_at("the node affinity of its pods", &pods.configuration().values, "affinity")
    })?;
    if off {
        return Err(Silence::sound("its node selector or affinity keeps it off Karpenter's nodes"));
    }
    let opening = opening_of(pods)
        .ok_or_else(|| Silence::sound("no value takes the node affinity of the chart away"))?;
    let clusters = model.clusters_near(pods.scope());
    // A removed affinity without any cluster in sight may be meant for such a cluster elsewhere.
    let unseen = opening.way == AffinityFault::Removed
        && (clusters.is_empty() || pods.may_target_other_cluster());
    if let Some(silence) =
        other_cluster(model, pods.scope()).filter(|_| opening.way == AffinityFault::Removed)
    {
        return Err(silence);
    }
    if unseen {
        let why = "the cluster it runs in is not known, which may be meant for Fargate";
        return Err(Silence::undecided(Cause::Value, why));
    }
    let auto = |it: &NodePool| !it.class_group.known_to_be(EC2);
    let pools: Vec<&NodePool> = model.pool_groups(pods.scope()).concat();
    if clusters.iter().any(|it| it.may_be_auto) || pools.iter().any(|it| auto(it)) {
        return Err(Silence::sound("it may run on the nodes of EKS Auto Mode"));
    }
    on_fargate(pods, &clusters)?;
    if expects_fargate(pods) {
        return Err(Silence::sound("it is set up for Fargate"));
    }
    let closed = pools.iter().all(|it| pool_takes(pods.pods(), it) == Some(false));
    if closed && !pools.is_empty() {
        return Err(Silence::sound("no NodePool takes its pods"));
    }
    Ok(opening)
}

/// The place in the values by which the pods may come onto nodes that Karpenter makes, if they may and
/// it is the values that let them.
fn opening_of(pods: &ControllerPods<'_>) -> Option<OwnNodeAccess> {
    if stays_off_own_nodes(pods) != Some(false) {
        return None;
    }
    let gap = pods.agreed(|it| Some(gap(it.placement.as_ref()?, &node_labels(it)?)))?;
    let (span, way) = match gap {
        Some(Gap::Retired(span)) => (span, AffinityFault::Retired),
        Some(Gap::Term(span)) => (span, AffinityFault::Replaced),
        Some(Gap::Whole) => (written_terms(pods)?, AffinityFault::Replaced),
        None => (removed(pods)?, AffinityFault::Removed),
    };
    let label = (*node_labels(pods.pods().last()?)?.last()?).to_owned();
    Some(OwnNodeAccess { span, way, label })
}

/// Whether the pods stay off the nodes that Karpenter makes.
#[must_use]
pub(crate) fn stays_off_own_nodes(pods: &ControllerPods<'_>) -> Option<bool> {
    pods.agreed(|it| keeps_off(it.placement.as_ref()?, &node_labels(it)?))
}

/// The cluster with static nodes on which a controller runs; `None` where there are no static nodes.
pub(crate) fn cluster_of<'m>(
    model: &'m Model,
    pods: &ControllerPods<'_>,
) -> Option<Result<&'m Cluster, Silence>> {
    let unclear = |words: &'static str| Err(Silence::undecided(Cause::Ambiguous, words));
    let near = model.clusters_near(pods.scope());
    if let Some(silence) = other_cluster(model, pods.scope()) {
        return Some(Err(silence));
    }
    Some(match model.cluster_of_controller(pods) {
        Some(cluster) if !cluster.node_groups.is_empty() => Ok(cluster),
        Some(cluster) if cluster.complete => return None,
        Some(_) => {
            let words = "the static node groups of the cluster are not known";
            Err(Silence::undecided(Cause::Value, words))
        }
        None if near.is_empty() => return hidden_cluster(model, pods.scope()).map(Err),
        None if pods.may_target_other_cluster() => unclear("it may go to another cluster"),
        None => match on_fargate(pods, &near) {
            Err(silence) => Err(silence),
            Ok(()) => unclear("several clusters are near, and which one it runs in is not clear"),
        },
    })
}

/// That the pods of a controller do not run on Fargate.
fn on_fargate(pods: &ControllerPods<'_>, clusters: &[&Cluster]) -> Result<(), Silence> {
    match any(clusters.iter().map(|it| pods.run_on_fargate(it))) {
        Some(false) => Ok(()),
        Some(true) => Err(Silence::sound("a Fargate profile selects its pods")),
        None => Err(Silence::undecided(Cause::Value, "a Fargate profile may select its pods")),
    }
}

/// A label that the controller's pods ask for and no static node has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnmetLabel {
    /// The label.
    pub key: String,
    /// Where the pods ask for it.
    pub span: Span,
}

/// The label that keeps the pods from all static groups of the cluster.
pub(crate) fn unmet_label(
    model: &Model,
    pods: &ControllerPods<'_>,
    cluster: &Cluster,
) -> Result<UnmetLabel, Silence> {
    let asked = own_labels_asked(pods);
    if asked.is_empty() {
        return Err(Silence::sound("it asks for no label of a node group's own"));
    }
    if !cluster.complete {
        let why = "not all static node groups of the cluster are known";
        return Err(Silence::undecided(Cause::Value, why));
    }
    if is_given_groups(model, cluster) {
        let why = "callers of the module may give it other node groups or labels";
        return Err(Silence::undecided(Cause::Value, why));
    }
    let groups = &cluster.node_groups;
    if let Some(group) = groups.iter().find(|it| it.may_label_otherwise) {
        let why = "the start-up configuration of a node group may label its nodes";
        return Err(Silence::undecided(Cause::Value, why).at(group.report_span, "this group"));
    }
    let unmet = |key: &String, with_those_off: bool| {
        let refused = |pod: &EffectivePod| {
            let demands = Demands::of_effective(pod).only(key);
            let groups = groups.iter().filter(|it| with_those_off || !it.is_off);
            let refusals = groups.map(|it| match it.labels_fit(&demands) {
                Decision::No(refusal) => refusal.demand,
                Decision::Yes | Decision::Undecided(_) => None,
            });
            refusals.collect::<Option<Vec<Span>>>()?.first().copied()
        };
        Some(UnmetLabel { key: key.clone(), span: pods.agreed(refused)? })
    };
    let Some(unmet) = asked.iter().find_map(|it| unmet(it, true)) else {
        let doubt = asked.iter().any(|key| groups.iter().any(|it| it.labels.is_in_doubt(key)));
        let hangs =
            asked.iter().any(|it| unmet(it, false).is_some()) || groups.iter().all(|it| it.is_off);
        return Err(if doubt {
            Silence::undecided(Cause::Value, "the labels of the node groups are not wholly known")
        } else if hangs {
            let words = "a node group that is off as far as one sees has the labels it asks for";
            Silence::undecided(Cause::Value, words)
        } else {
            Silence::sound("a static node group has the labels it asks for")
        });
    };
    let pools = model.pool_groups(pods.scope()).concat();
    match pools.into_iter().find(|it| pool_takes(pods.pods(), it) != Some(false)) {
        Some(pool) if unmet.key != node_label::CONTROLLER => {
            let why = "a NodePool may have launched the node it runs on";
            Err(Silence::undecided(Cause::Value, why).at(pool.report_span, "this pool"))
        }
        _ => Ok(unmet),
    }
}

/// The arguments that give a cluster static node groups, or those their labels.
const GROUP_ARGUMENTS: &[&str] = &[
    "eks_managed_node_groups",
    "eks_managed_node_group_defaults",
    "labels",
    "node_groups",
    "node_groups_defaults",
    "self_managed_node_groups",
    "self_managed_node_group_defaults",
    "worker_groups",
];

/// Whether a module that others call takes its node groups, or their labels, from its variables.
fn is_given_groups(model: &Model, cluster: &Cluster) -> bool {
    let root = cluster.scope.root.and_then(|it| model.terraform.roots.get(it));
    let gives = |it: &BlockInstance| {
        let makes_groups = it.mode == Mode::Module || &*it.kind == "aws_eks_node_group";
        makes_groups && it.variable_arguments.iter().any(|it| GROUP_ARGUMENTS.contains(&&**it))
    };
    root.is_some_and(|it| it.reusable && it.objects.iter().any(gives))
}

/// The labels that the pods ask for in all versions that may be installed, and that neither Kubernetes nor
/// EKS gives to nodes; the controller's own first.
fn own_labels_asked(pods: &ControllerPods<'_>) -> Vec<String> {
    let own = |it: &EffectivePod| {
        let labels = it.placement.as_ref()?.labels_wanted();
        let labels = labels.filter(|it| !is_given(it) && !it.starts_with("alpha.eksctl.io/"));
        Some(labels.map(str::to_owned).collect::<BTreeSet<_>>())
    };
    let mut asked: Vec<String> = pods.agreed(own).unwrap_or_default().into_iter().collect();
    asked.sort_by_key(|it| it != node_label::CONTROLLER);
    asked
}

/// The one group that has fewer nodes than there are pods, with the number of pods.
pub(crate) fn crowded<'a>(
    pods: &ControllerPods<'_>,
    replicas: &Setting<f64>,
    cluster: &'a Cluster,
) -> Result<(&'a NodeGroup, f64), Silence> {
    if pods.is_optional() {
        // With the variables that switch it on, the node group may be another, too.
        return Err(Silence::sound("it is switched off by default"));
    }
    let count = *replicas.decided("the number of replicas")?;
    if count < 2.0 {
        return Err(Silence::sound("there is one pod"));
    }
    if !cluster.complete {
        let why = "not all static node groups of the cluster are known";
        return Err(Silence::undecided(Cause::Value, why));
    }
    let [group] = cluster.node_groups.as_slice() else {
        return Err(Silence::sound("there are several static node groups"));
    };
    if *group.max_size.decided("the largest size of the node group")? > 1.0 {
        return Err(Silence::sound("the node group may have several nodes")
            .at(group.max_size.span(), "its largest size"));
    }
    match (pods.wants_nodes_apart(), stays_off_own_nodes(pods)) {
        (Some(true), Some(true)) => Ok((group, count)),
        (Some(false), _) => Err(Silence::sound("its pods may share a node")),
        (_, Some(false)) => Err(Silence::sound("its pods may run on nodes that Karpenter makes")),
        _ => {
            let why = "the affinity of its pods is not known";
            Err(Silence::undecided(Cause::Value, why))
        }
    }
}

/// Whether they tolerate what keeps pods off Fargate, or may.
fn expects_fargate(pods: &ControllerPods<'_>) -> bool {
    let from = pods.configuration();
    match from.surface.written("tolerations", &from.values) {
        Field::Missing => false,
        Field::Unknown => true,
        Field::Present(list) => {
            let of_fargate = |it: &Value| match it.get("key") {
                Field::Present(key) => key.as_str() == Some("eks.amazonaws.com/compute-type"),
                Field::Missing => false,
                Field::Unknown => true,
            };
            list.is_unknown() || list.items().iter().any(of_fargate)
        }
    }
}

fn written_affinity<'a>(pods: &'a ControllerPods<'_>) -> Field<'a> {
    let from = pods.configuration();
    from.surface.written("affinity", &from.values)
}

/// The key of the terms, where the values bring their own.
fn written_terms(pods: &ControllerPods<'_>) -> Option<Span> {
    let terms = TERMS.iter().fold(written_affinity(pods), |it, key| it.get(key));
    terms.present().map(|it| it.name)
}

/// The key whose null takes the node affinity away.
fn removed(pods: &ControllerPods<'_>) -> Option<Span> {
    let mut value = written_affinity(pods).present()?;
    for key in TERMS {
        if value.is_null() {
            return Some(value.name);
        }
        value = &value.as_map()?.entry(key)?.value;
    }
    None
}

/// The labels of Karpenter's nodes in the version of the pods; each node has one of them.
fn node_labels(pod: &EffectivePod) -> Option<Vec<&'static str>> {
    let labels = knowledge::karpenter::node_labels().at(Some(pod.version.as_ref()?))?;
    labels.items().iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests;
