//! Which pods may run on nodes that Karpenter makes.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        node_label::NODE_POOL,
        node_pool::NodePool,
        pdb::blocking::Blocking,
        placement::{demands::Demands, own_nodes::keeps_off, reserved::Bar},
        reach::drained,
        workload::Workload,
    },
    resolve::{answers::agreed, effective::EffectivePod, pod::placement::Placement, scope::Scope},
    value::cause::Cause,
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

/// Why pods are on no node that Karpenter removes, as far as the pools of the repository show. The pods are compared
/// with all pools: this is asked last.
#[must_use]
pub(crate) fn kept_off(model: &Model, workload: &Workload) -> Option<Silence> {
    if let Some((provisioner, taint)) = model.shut_out_by_provisioners(workload) {
        let words = format!("no Provisioner takes its pods: taint `{}`", taint.key);
        return Some(Silence::sound(words).at(provisioner, "a Provisioner with the taint"));
    }
    if let Some((pool, bar)) = model.shut_out(workload) {
        let (words, place) = match bar {
            Bar::Taint(taint) => (
                format!("no NodePool takes its pods: taint `{}`", taint.key),
                "a NodePool with the taint",
            ),
            Bar::Rest => (
                "Karpenter leaves the nodes that take its pods alone while pods run there"
                    .to_owned(),
                "their NodePool",
            ),
            Bar::Labels => (
                "no NodePool has nodes with the labels its pods ask for".to_owned(),
                "a NodePool without them",
            ),
        };
        return Some(Silence::sound(words).at(pool.report_span, place));
    }
    if let Some(group) = model.meant_for_group(workload) {
        let words = "its pods select a static node group, by a label that no NodePool in sight has";
        return Some(Silence::sound(words).at(group.report_span, "the node group"));
    }
    let label = model.label_of_unseen_nodes(workload)?;
    let words = format!(
        "its pods ask for nodes of their own by `{label}` and a toleration, and no NodePool of the repository has either"
    );
    Some(Silence::undecided(Cause::Ambiguous, words))
}

/// That Karpenter may drain nodes with pods of a PDB that blocks; of one without pods in sight nothing is known.
///
/// # Errors
/// Why it drains none of them.
pub(crate) fn on_drained_nodes<'a>(
    model: &Model,
    blocking: Blocking<'a>,
) -> Result<Blocking<'a>, Silence> {
    let why = |it: &Workload| {
        let beyond = drained(model, it).err().filter(|it| matches!(it, Silence::Sound(_)));
        beyond.or_else(|| kept_off(model, it))
    };
    let beyond: Option<Vec<Silence>> = blocking.workloads.iter().map(|it| why(it)).collect();
    match beyond.and_then(|it| it.into_iter().next()) {
        Some(silence) => Err(silence),
        None => Ok(blocking),
    }
}
