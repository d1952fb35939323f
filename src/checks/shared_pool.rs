//! Pools that stateful pods share with everything else.

use std::{collections::HashMap, rc::Rc};

use crate::{
    checks::settled::is_for_callers,
    findings::{silence::Silence, subject::Subject},
    knowledge::stateless,
    model::{
        Model,
        node_pool::{
            NodePool,
            near::{PoolSet, agreed},
        },
        placement::demands::Demands,
        reach::within_reach,
        workload::{Workload, WorkloadKind, storage::Storage},
    },
    source::Span,
    value::cause::Cause,
};

/// Stateful pods that run among all others, although there are several pools.
#[derive(Debug)]
pub(crate) struct Sharing<'a> {
    /// What creates the pods.
    pub workload: &'a Workload,
    /// The pools on which they run: none is kept free for them.
    pub pools: Rc<[&'a NodePool]>,
}

/// Pools, or why none is shared.
type Shared<'a> = Result<Rc<[&'a NodePool]>, Silence>;

/// The stateful pods that ask for no pool in particular where there are several, and the others with their
/// places.
#[must_use]
pub(crate) fn sharing(model: &Model) -> (Vec<Sharing<'_>>, Vec<(Span, Silence)>) {
    let mut of_pool_sets: HashMap<PoolSet, Shared<'_>> = HashMap::new();
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for workload in model.workloads.iter().filter(|it| it.is_stateful()) {
        let pools = undirected(model, workload).and_then(|()| match model.pool_set(workload) {
            Some(pool_set) => of_pool_sets
                .entry(pool_set)
                .or_insert_with(|| shared_pools(model, workload))
                .clone(),
            None => shared_pools(model, workload),
        });
        match pools {
            Ok(pools) => found.push(Sharing { workload, pools }),
            Err(silence) => others.push((workload.report_span, silence)),
        }
    }
    let together =
        |it: &Sharing<'_>| it.pools.iter().all(|pool| pool.scope.build == it.workload.scope.build);
    (agreed(found, |it| it.workload, together), others)
}

/// That pods may meet Karpenter's nodes and are not meant for certain ones.
fn undirected(model: &Model, workload: &Workload) -> Result<(), Silence> {
    within_reach(model, workload)?;
    if workload.subject.as_ref().is_some_and(Subject::is_switched_on) {
        return Err(Silence::sound("its chart makes it only once whoever installs it asks for it"));
    }
    if matches!(
        workload.kind,
        WorkloadKind::Deployment | WorkloadKind::ReplicaSet | WorkloadKind::Pod
    ) {
        return Err(Silence::sound("nodes for themselves are for the pods of StatefulSets"));
    }
    if workload.storage == Storage::SharedClaims {
        return Err(Silence::sound("its pods find their volumes on any node"));
    }
    if workload.storage == Storage::ReadOnlyClaims {
        return Err(Silence::sound("its pods only read their volumes"));
    }
    if workload.storage == Storage::Caches {
        return Err(Silence::sound("its pods keep only caches in their volumes"));
    }
    if workload.storage == Storage::Sockets {
        return Err(Silence::sound("its pods keep only sockets in their volumes"));
    }
    let known = stateless::pods_with(|it| workload.labels.value(it));
    if let Some(known) =
        known.filter(|it| it.volumes.is_some() || workload.storage == Storage::Nothing)
    {
        return Err(Silence::sound(known.why.as_str()));
    }
    if is_aimed(workload) {
        return Err(Silence::sound("its pods prefer certain nodes, or tolerate what those have"));
    }
    Ok(())
}

fn shared_pools<'a>(model: &'a Model, workload: &Workload) -> Shared<'a> {
    let mut pools = Vec::new();
    for group in model.pool_groups(&workload.scope) {
        pools.extend(shared(&group, workload)?);
    }
    let is_beside = |it: &&NodePool| it.scope.root == workload.scope.root;
    if is_for_callers(model, &workload.scope) && !pools.iter().any(is_beside) {
        let words =
            "its module is for others, and nothing of the repository joins it with a NodePool";
        return Err(Silence::undecided(Cause::Ambiguous, words));
    }
    if pools.is_empty() {
        return Err(Silence::sound("its pods run on no NodePool near that takes any other pod"));
    }
    Ok(pools.into())
}

/// Taints that nodes get by their state or their role in the cluster, and not to be reserved for some pods.
const COMMON: &[&str] = &["node.kubernetes.io/", "node-role.kubernetes.io/", "CriticalAddonsOnly"];

/// Whether the pods may be meant for certain nodes, perhaps of a pool that is not in the repository: they
/// tolerate what only those have, or prefer them.
fn is_aimed(workload: &Workload) -> bool {
    let common = |key: &str| COMMON.iter().any(|it| key.starts_with(it));
    let tolerations = &workload.tolerations;
    workload.placement.may_prefer()
        || tolerations.rest_unknown
        || tolerations.list.iter().any(|it| !it.key.known().is_some_and(common))
}

/// The pools of a cluster that the pods share with others.
fn shared<'a>(pools: &[&'a NodePool], workload: &Workload) -> Result<Vec<&'a NodePool>, Silence> {
    let pools: Vec<&NodePool> =
        pools.iter().copied().filter(|it| !it.offerings.is_windows()).collect();
    if pools.len() < 2 {
        return Err(Silence::sound("there is one NodePool for all pods"));
    }
    if pools.iter().any(|it| it.api != pools[0].api) {
        let words = "NodePools of several versions of the API are near, and which of them are there is not clear";
        return Err(Silence::undecided(Cause::Ambiguous, words));
    }
    let demands = Demands::of(workload);
    let mut shared = Vec::new();
    for pool in pools {
        // Their author has already chosen pools for pods that ask for what only some pools give.
        if pool.labels_fit(&demands).known() != Some(true) {
            return Err(Silence::sound("its pods ask for what only some pools give"));
        }
        let reserved = pool.taints.list.iter().any(|(it, _)| it.keeps_pods_away());
        let unknown = Silence::undecided(Cause::Value, "whether a NodePool takes its pods is open");
        let unknown = unknown.at(pool.report_span, "the NodePool");
        match pool.may_run(&demands).ok_or(unknown)? {
            true if reserved => {
                let silence = Silence::sound("a NodePool is reserved for pods that tolerate it");
                return Err(silence.at(pool.report_span, "the NodePool"));
            }
            // Pods without the toleration go elsewhere if they can.
            true if pool.is_avoided_by(workload) => {}
            true => shared.push(pool),
            false => {}
        }
    }
    if let [only] = *shared {
        let words = "one NodePool is for all pods, and the others are for certain ones";
        return Err(Silence::sound(words).at(only.report_span, "the NodePool for all"));
    }
    Ok(shared)
}
