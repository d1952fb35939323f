//! Pools that stateful pods share with everything else.

use std::{collections::HashMap, rc::Rc};

use crate::{
    checks::reach::is_out_of_reach,
    model::{
        Model,
        node_pool::{
            NodePool,
            near::{PoolSet, agreed},
        },
        workload::Workload,
    },
};

/// Stateful pods that run among all others, although there are several pools.
#[derive(Debug)]
pub(crate) struct Sharing<'a> {
    /// What creates the pods.
    pub workload: &'a Workload,
    /// The pools on which they run: none is kept free for them.
    pub pools: Rc<[&'a NodePool]>,
}

/// The stateful pods that ask for no pool in particular where there are several.
#[must_use]
pub(crate) fn sharing(model: &Model) -> Vec<Sharing<'_>> {
    let mut of_pool_sets: HashMap<PoolSet, Option<Rc<[&NodePool]>>> = HashMap::new();
    let undirected = model.workloads.iter().filter(|it| is_undirected(model, it));
    let found = undirected.filter_map(|workload| {
        let pools = match model.pool_set(workload) {
            Some(pool_set) => of_pool_sets
                .entry(pool_set)
                .or_insert_with(|| shared_pools(model, workload))
                .clone()?,
            None => shared_pools(model, workload)?,
        };
        (!pools.is_empty()).then_some(Sharing { workload, pools })
    });
    let together =
        |it: &Sharing<'_>| it.pools.iter().all(|pool| pool.scope.build == it.workload.scope.build);
    agreed(found.collect(), |it| it.workload, together)
}

/// Whether there are stateful pods that are not meant for certain nodes.
fn is_undirected(model: &Model, workload: &Workload) -> bool {
    workload.is_stateful() && !is_out_of_reach(model, workload) && !is_aimed(workload)
}

fn shared_pools<'a>(model: &'a Model, workload: &Workload) -> Option<Rc<[&'a NodePool]>> {
    let groups = model.pool_groups(&workload.scope);
    let shared: Option<Vec<_>> = groups.iter().map(|it| shared(it, workload)).collect();
    Some(shared?.into_iter().flatten().collect())
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

/// The pools of a cluster that the pods share; `None` when they have one for themselves.
fn shared<'a>(pools: &[&'a NodePool], workload: &Workload) -> Option<Vec<&'a NodePool>> {
    let pools: Vec<&NodePool> =
        pools.iter().copied().filter(|it| !it.offerings.is_windows()).collect();
    if pools.len() < 2 {
        return None;
    }
    let mut shared = Vec::new();
    for pool in pools {
        // Their author has already chosen pools for pods that ask for what only some pools give.
        if pool.labels_fit(workload) != Some(true) {
            return None;
        }
        let reserved = pool.taints.list.iter().any(|(it, _)| it.keeps_pods_away());
        match pool.may_run(workload)? {
            true if reserved => return None,
            // Pods without the toleration go elsewhere if they can.
            true if pool.is_avoided_by(workload) => {}
            true => shared.push(pool),
            false => {}
        }
    }
    Some(shared)
}
