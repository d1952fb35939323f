//! A controller in a cluster whose only nodes are those of Fargate profiles.

use crate::{
    checks::settled::is_for_callers,
    findings::silence::Silence,
    model::{Model, controller::ControllerPods, scope::Scoped},
    value::cause::Cause,
};

/// The namespace of a controller's pods that no Fargate profile selects; `None` where its cluster has other nodes
/// before Karpenter makes some, or no profile.
pub(crate) fn unselected<'a>(
    model: &Model,
    pods: &ControllerPods<'a>,
) -> Option<Result<&'a str, Silence>> {
    let cluster = model.cluster_of_controller(pods)?;
    // A cluster is that of a controller where none of its profiles selects the pods.
    let has_only_profiles = cluster.node_groups.is_empty() && !cluster.fargate.is_empty();
    // Beside a profile alone, whoever makes the cluster may make node groups, too.
    let is_made_here = cluster.module.is_some() || cluster.version.is_some();
    if !has_only_profiles || !is_made_here || !cluster.complete || cluster.may_be_auto {
        return None;
    }
    let namespace = pods.namespace()?;
    Some(if pods.is_optional() {
        Err(Silence::sound("it is switched off by default"))
    } else if is_for_callers(model, pods.scope()) {
        let words = "callers of the module may select its pods by a Fargate profile";
        Err(Silence::undecided(Cause::Value, words))
    } else {
        Ok(namespace)
    })
}
