//! Startup taints: which agents hold pods back, and whether a pool declares them.

use crate::{
    knowledge::startup::{self, StartupTaint},
    model::{
        Model,
        node_pool::{NodePool, class::NodeClass},
    },
    source::Span,
};

/// A startup taint that a pool does not declare as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undeclared {
    /// The taint.
    pub taint: &'static StartupTaint,
    /// Where nodes get it.
    pub given: Span,
    /// From what they get it.
    pub giver: Giver,
}

/// What gives nodes a taint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Giver {
    /// The user data of the pool's nodes.
    UserData,
    /// The same, but Karpenter replaces its list.
    DroppedUserData,
    /// Nothing for the pool's nodes; all static node groups have it.
    NodeGroups,
}

/// The startup taints among the lasting ones of a pool, with their places.
pub(crate) fn lasting(pool: &NodePool) -> impl Iterator<Item = (&'static StartupTaint, Span)> {
    let lasting = pool.taints.list.iter().filter(|(it, _)| it.keeps_pods_away());
    lasting.filter_map(|(it, span)| Some((startup::taint(&it.key)?, *span)))
}

/// The startup taints of a pool's nodes, or of all other nodes of its cluster, that it does not declare.
#[must_use]
pub(crate) fn undeclared(model: &Model, pool: &NodePool) -> Vec<Undeclared> {
    let class = model.class_of(pool);
    let missing = startup::taints().iter().filter(|it| lacks(pool, &it.key));
    let found = missing.filter_map(|taint| {
        let of_class = class.and_then(|it| of_user_data(model, pool, it, taint));
        of_class.or_else(|| of_node_groups(model, pool, taint))
    });
    found.collect()
}

/// Whether the pool certainly declares no taint of that key.
fn lacks(pool: &NodePool, key: &str) -> bool {
    [&pool.taints, &pool.startup_taints]
        .iter()
        .all(|it| !it.may_have_others && it.list.iter().all(|(it, _)| it.key != key))
}

fn of_user_data(
    model: &Model,
    pool: &NodePool,
    class: &NodeClass,
    taint: &'static StartupTaint,
) -> Option<Undeclared> {
    let (way, given) = class.registers(&taint.key)?;
    let (version, _) = model.karpenter_near(&pool.scope);
    let dropped = class.drops(way, version.as_ref());
    let by = if dropped { Giver::DroppedUserData } else { Giver::UserData };
    Some(Undeclared { taint, given, giver: by })
}

fn of_node_groups(
    model: &Model,
    pool: &NodePool,
    taint: &'static StartupTaint,
) -> Option<Undeclared> {
    let cluster = model.cluster_near(&pool.scope)?;
    let shared = cluster.shared_startup_taints();
    let found = shared.into_iter().find(|it| it.key == taint.key)?;
    let given = cluster.node_groups.iter().find_map(|it| it.taints.place(found))?;
    let same = !pool.offerings.is_windows() && model.pool_groups(&pool.scope).len() <= 1;
    same.then_some(Undeclared { taint, given, giver: Giver::NodeGroups })
}
