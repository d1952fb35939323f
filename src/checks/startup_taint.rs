//! Startup taints: which agents hold pods back, and whether a pool declares them.

use crate::{
    findings::silence::Silence,
    knowledge::startup::{self, StartupTaint},
    model::{
        Model,
        cluster::Taints,
        node_pool::{NodePool, class::NodeClass},
    },
    source::Span,
    value::cause::Cause,
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

/// The startup taints that a pool declares, and those of its nodes or of all other nodes of its cluster that it
/// does not declare.
pub(crate) fn given(
    model: &Model,
    pool: &NodePool,
) -> impl Iterator<Item = Result<Undeclared, Silence>> {
    let class = model.class_of(pool);
    let not_lasting = startup::taints().iter().filter(|it| place(&pool.taints, &it.key).is_none());
    not_lasting.filter_map(move |taint| {
        if let Some(span) = place(&pool.startup_taints, &taint.key) {
            let silence = Silence::sound(format!("`startupTaints` lists `{}`", taint.key));
            return Some(Err(silence.at(span, "the taint")));
        }
        let of_class = class.and_then(|it| of_user_data(model, pool, it, taint));
        let found = of_class.or_else(|| of_node_groups(model, pool, taint))?;
        if pool.taints.may_have_others || pool.startup_taints.may_have_others {
            let words = "not all taints of the NodePool are known";
            let silence = Silence::undecided(Cause::Value, words);
            return Some(Err(silence.at(found.given, format!("its nodes get `{}`", taint.key))));
        }
        Some(Ok(found))
    })
}

/// Where a pool lists a taint of that key.
fn place(taints: &Taints, key: &str) -> Option<Span> {
    taints.list.iter().find(|(it, _)| it.key == key).map(|it| it.1)
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
