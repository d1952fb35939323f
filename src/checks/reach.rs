//! Which pods may run on nodes that Karpenter makes.

use crate::{
    model::{
        Model,
        node_label::NODE_POOL,
        node_pool::NodePool,
        placement::{demands::Demands, own_nodes::keeps_off},
    },
    resolve::{answers::agreed, effective::EffectivePod, pod::placement::Placement, scope::Scope},
};

/// Whether pods stay off the nodes that Karpenter makes near a scope. A label that no pool gives its nodes is
/// taken for that of a static group.
#[must_use]
pub(crate) fn stays_off_own_nodes(
    model: &Model,
    placement: &Placement,
    scope: &Scope,
) -> Option<bool> {
    let off = keeps_off(placement, &[NODE_POOL]);
    off.or_else(|| {
        let mut pools = model.pool_groups(scope).into_iter().flatten();
        let fits = pools
            .any(|pool| pool.labels_fit(&Demands::of_placement(placement)).known() == Some(true));
        (fits || placement.is_known()).then_some(!fits)
    })
}

/// Whether the nodes of a pool take pods, in all of the versions that may be installed.
#[must_use]
pub(crate) fn pool_takes(pods: &[EffectivePod], pool: &NodePool) -> Option<bool> {
    let known = pods.iter().filter(|it| it.placement.is_some());
    agreed(known.map(|it| pool.decide(None, &Demands::of_effective(it)).known()))
}
