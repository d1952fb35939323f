//! Which pods Karpenter may have on its nodes, and which of them a drain evicts.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        node_label::NODE_POOL,
        other_cluster::OtherCluster,
        placement::{demands::node_name, named_nodes::named_nodes, own_nodes::keeps_off},
        workload::{Workload, volume_class::VolumeSite},
    },
    resolve::{
        answers::{agreed, any},
        scope::Scope,
    },
    value::{Value, cause::Cause},
};

/// Whether Karpenter evicts the pods before it removes their node.
#[must_use]
pub fn is_drained(model: &Model, workload: &Workload) -> bool {
    drained(model, workload).is_ok()
}

/// That Karpenter evicts the pods before it removes their node.
///
/// # Errors
/// Why it does not, or why that is not known.
pub fn drained(model: &Model, workload: &Workload) -> Result<(), Silence> {
    within_reach(model, workload)?;
    match tolerates_drain(model, workload) {
        Some(false) => Ok(()),
        Some(true) => {
            Err(Silence::sound("its pods tolerate the taint of a drain, so that none evicts them"))
        }
        None => Err(Silence::undecided(Cause::Value, "its tolerations are not known")),
    }
}

/// That Karpenter may run in the cluster of a scope.
///
/// # Errors
/// Sound where it runs in others of the clusters that a root reaches, undecided where that is unclear, and where
/// only other clusters of the repository show it.
pub fn in_its_cluster(model: &Model, scope: &Scope) -> Result<(), Silence> {
    if let Some(cluster) = model.foreign_cluster(&scope.folder) {
        let words = "nothing of its cluster names Karpenter, which is seen for others only";
        let silence = Silence::undecided(Cause::Ambiguous, words);
        return Err(silence.at(cluster, "what makes the cluster"));
    }
    match model.may_have_karpenter(scope) {
        Some(true) => with_karpenter(model, scope),
        Some(false) => {
            let why = "its provider points at another cluster than the one with Karpenter";
            Err(Silence::sound(why))
        }
        None => {
            let why = "which of several clusters its provider points at is not known";
            Err(Silence::undecided(Cause::Value, why))
        }
    }
}

/// That Karpenter may run in the cluster of some pods.
///
/// # Errors
/// Why it does not, or why that is not known.
pub fn pods_in_its_cluster(model: &Model, workload: &Workload) -> Result<(), Silence> {
    in_its_cluster(model, &workload.scope)?;
    match &workload.volume_site {
        Some(VolumeSite::AnotherCloud) => {
            Err(Silence::sound("its claims are of a class of another cloud, where it runs"))
        }
        Some(VolumeSite::Nodes(label)) => {
            let words =
                format!("a volume keeps its pods on certain nodes, with the label `{label}`");
            Err(Silence::undecided(Cause::Ambiguous, words))
        }
        Some(VolumeSite::OneNode) => {
            let words = "a volume of its pods is a folder of one node, which somebody prepares";
            Err(Silence::undecided(Cause::Ambiguous, words))
        }
        None => Ok(()),
    }
}

/// That it is not open which of several clusters something is for, of which Karpenter is known to be for one.
fn with_karpenter(model: &Model, scope: &Scope) -> Result<(), Silence> {
    let Some(OtherCluster { stated, near }) = model.cluster_without_karpenter(scope) else {
        return Ok(());
    };
    let name = |it: &Value| it.as_str().unwrap_or("another").to_owned();
    let words = format!(
        "it may be for `{}`, and Karpenter is seen for `{}` only: both clusters are near",
        name(near),
        name(stated)
    );
    let silence = Silence::undecided(Cause::Ambiguous, words);
    Err(silence.at(stated.span, "the cluster with Karpenter").at(near.span, "the other cluster"))
}

/// That Karpenter may have nodes with pods of the workload.
///
/// # Errors
/// Why it has none: there are no pods, or they ask for nodes that it does not make.
pub fn within_reach(model: &Model, workload: &Workload) -> Result<(), Silence> {
    pods_in_its_cluster(model, workload)?;
    let on_fargate = runs_on_fargate(model, workload);
    let named = named_nodes(&workload.placement);
    let why = if workload.replicas.known_to_be(&0.0) {
        "it has no pods: `replicas` is 0"
    } else if on_fargate == Some(true) {
        "its pods run on Fargate"
    } else if keeps_off(&workload.placement, &[NODE_POOL]) == Some(true) {
        "its pods select nodes that Karpenter does not make"
    } else if named.is_some_and(|it| it.are_given) {
        "its pods ask for nodes that somebody named"
    } else if let Some(named) = named {
        let words = "its pods ask for nodes by name, which may be none of Karpenter's";
        return Err(Silence::undecided(Cause::Value, words).at(named.span, "the names"));
    } else if let Some(name) = workload.pod_spec.as_ref().and_then(node_name) {
        let words = "`nodeName` names the node, which may be none of Karpenter's";
        return Err(Silence::undecided(Cause::Value, words).at(name.span, "`nodeName`"));
    } else if on_fargate.is_none() {
        let words = "a Fargate profile may select its pods";
        return Err(Silence::undecided(Cause::Value, words));
    } else {
        return Ok(());
    };
    Err(Silence::sound(why))
}

/// Whether a Fargate profile of the repository selects the pods, so that Karpenter never sees them. `None` where one
/// of their namespace may.
fn runs_on_fargate(model: &Model, workload: &Workload) -> Option<bool> {
    let Some(namespace) = workload.namespace.known() else { return Some(false) };
    let own = model.profiles.selecting(&model.clusters, namespace);
    any(own.map(|it| it.selects(Some(namespace), &workload.labels)))
}

/// Whether the pods tolerate the taint by which Karpenter drains, and so are not evicted.
fn tolerates_drain(model: &Model, workload: &Workload) -> Option<bool> {
    let (taints, _) = model.drain_taints.nearest(&workload.scope);
    agreed(taints.iter().map(|it| workload.tolerations.tolerate(&it.taint)))
}
