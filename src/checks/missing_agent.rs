//! Node agents that do not run on the nodes of a pool.

use crate::{
    checks::{reach::pool_takes, settled, static_nodes::unknown_tolerations},
    findings::silence::Silence,
    knowledge::startup,
    model::{
        Model, component::ComponentUse, node_pool::NodePool, reach::in_its_cluster, scope::Scoped,
    },
    resolve::pod::toleration::Taint,
    source::Span,
    value::cause::Cause,
};

/// A taint of a pool that the pods of an agent do not tolerate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissingAgent<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// The taint.
    pub taint: &'a Taint,
    /// Where it is written.
    pub place: Span,
}

/// The pool whose nodes lack an agent that pods need on each node.
pub(crate) fn missing<'a>(
    model: &'a Model,
    usage: &ComponentUse,
) -> Result<MissingAgent<'a>, Silence> {
    in_its_cluster(model, usage.scope())?;
    if usage.is_optional {
        return Err(Silence::sound("it is switched off by default"));
    }
    if !usage.is_certain() {
        let why = "whether the version installed has these pods is not known";
        let silence = Silence::undecided(Cause::Version, why);
        return Err(silence.missing(&*usage.component.name));
    }
    let groups = model.pool_groups(usage.scope());
    let [pools] = groups.as_slice() else {
        return Err(if groups.is_empty() {
            Silence::sound("there is no NodePool near")
        } else {
            Silence::undecided(Cause::Ambiguous, "which NodePools its cluster has is not clear")
        });
    };
    let mut doubt = None;
    for pool in pools {
        settled::pool(model, pool)?;
        for (taint, place) in &pool.taints.list {
            if !taint.keeps_pods_away() || startup::is_temporary(&taint.key) {
                continue;
            }
            match usage.tolerates(taint) {
                Some(true) => {}
                Some(false)
                    if pool_takes(&usage.pods, pool) == Some(false) && meant_for(usage, pool) =>
                {
                    return Ok(MissingAgent { pool, taint, place: *place });
                }
                _ => doubt = Some(unknown_tolerations(usage)),
            }
        }
    }
    Err(doubt.unwrap_or_else(|| Silence::sound("it tolerates the lasting taints of all NodePools")))
}

/// Whether the pods would run there but for the taint.
fn meant_for(usage: &ComponentUse, pool: &NodePool) -> bool {
    usage.placements().iter().all(|it| pool.labels_fit_placement(it) == Some(true))
}
