//! Pools that stateful pods share with everything else.

use std::{collections::HashMap, rc::Rc};

use crate::model::{
    Model,
    node_pool::{
        NodePool,
        near::{PoolSet, agreed},
    },
    workload::Workload,
};

/// Stateful pods that run among all others, although there are several pools.
#[derive(Debug)]
pub struct Sharing<'a> {
    /// What creates the pods.
    pub workload: &'a Workload,
    /// The pools on which they run: none is kept free for them.
    pub pools: Rc<[&'a NodePool]>,
}

impl Model {
    /// The stateful pods that ask for no pool in particular where there are several.
    #[must_use]
    pub fn sharing(&self) -> Vec<Sharing<'_>> {
        let mut of_crowds: HashMap<PoolSet, Option<Rc<[&NodePool]>>> = HashMap::new();
        let wandering = self.workloads.iter().filter(|it| self.is_wandering(it));
        let found = wandering.filter_map(|workload| {
            let pools = match self.pool_set(workload) {
                Some(pool_set) => of_crowds
                    .entry(pool_set)
                    .or_insert_with(|| self.shared_pools(workload))
                    .clone()?,
                None => self.shared_pools(workload)?,
            };
            (!pools.is_empty()).then_some(Sharing { workload, pools })
        });
        let together = |it: &Sharing<'_>| {
            it.pools.iter().all(|pool| pool.scope.build == it.workload.scope.build)
        };
        agreed(found.collect(), |it| it.workload, together)
    }

    /// Whether there are stateful pods that are not meant for certain nodes.
    fn is_wandering(&self, workload: &Workload) -> bool {
        workload.is_stateful() && !self.is_out_of_reach(workload) && !is_aimed(workload)
    }

    fn shared_pools(&self, workload: &Workload) -> Option<Rc<[&NodePool]>> {
        let groups = self.pool_groups(&workload.scope);
        let shared: Option<Vec<_>> = groups.iter().map(|it| shared(it, workload)).collect();
        Some(shared?.into_iter().flatten().collect())
    }
}

/// Taints that nodes get by their state or their part in the cluster, not to be kept for somebody.
const COMMON: &[&str] = &["node.kubernetes.io/", "node-role.kubernetes.io/", "CriticalAddonsOnly"];

/// Whether the pods may be meant for certain nodes, perhaps of a pool that is not seen: they tolerate
/// what only those have, or prefer them.
fn is_aimed(workload: &Workload) -> bool {
    let common = |key: &str| COMMON.iter().any(|it| key.starts_with(it));
    let tolerations = &workload.tolerations;
    workload.placement.may_prefer()
        || tolerations.rest_unknown
        || tolerations.list.iter().any(|it| !it.key.known().is_some_and(common))
}

/// The pools of a cluster that the pods share; `None` when they have one for themselves.
fn shared<'a>(pools: &[&'a NodePool], workload: &Workload) -> Option<Vec<&'a NodePool>> {
    let pools: Vec<&NodePool> = pools.iter().copied().filter(|it| !it.offer.is_windows()).collect();
    if pools.len() < 2 {
        return None;
    }
    let mut shared = Vec::new();
    for pool in pools {
        // Pods that ask for what not all pools give have been thought about.
        if pool.labels_fit(workload) != Some(true) {
            return None;
        }
        let kept_free = pool.taints.list.iter().any(|(it, _)| it.keeps_pods_away());
        match pool.may_run(workload)? {
            true if kept_free => return None,
            // Pods without the toleration go elsewhere if they can.
            true if pool.is_avoided_by(workload) => {}
            true => shared.push(pool),
            false => {}
        }
    }
    Some(shared)
}
