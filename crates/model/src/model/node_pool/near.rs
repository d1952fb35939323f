//! Which pools a workload's pods meet in their cluster.

use std::collections::{HashMap, HashSet};

use crate::{
    model::{
        Model, applied::AppliedRoot, environment::are_apart, node_pool::NodePool,
        placement::demands::Demands, workload::Workload,
    },
    resolve::{
        release::Release,
        scope::{ClusterTarget, DeployUnit, Scope},
    },
    source::Span,
};

impl Model {
    /// The pools of the nearest scope that has any, by cluster. There are several groups when
    /// nothing says that the pools belong to one cluster: the same name twice, several roots, several
    /// controllers.
    #[must_use]
    pub fn pool_groups(&self, scope: &Scope) -> Vec<Vec<&NodePool>> {
        let groups = self.pools_near.nearest(scope).map_or(&[][..], Vec::as_slice);
        let known = |it: &&NodePool| {
            // Nothing is known of the rest of a root together with a pool that is off by default.
            let unsure = it.is_optional && it.scope.root == scope.root;
            let apart =
                self.pool_environments.is_any() && are_apart(&it.scope.folder, &scope.folder);
            !unsure && !apart && self.may_meet(&it.scope, scope)
        };
        let group = |list: &Vec<usize>| -> Vec<&NodePool> {
            list.iter().filter_map(|it| self.node_pools.get(*it)).filter(known).collect()
        };
        groups.iter().map(group).filter(|it| !it.is_empty()).collect()
    }

    /// Pools, given as indexes, by cluster.
    #[must_use]
    pub fn grouped(&self, pools: &[usize]) -> Vec<Vec<usize>> {
        if self.are_of_one_cluster(pools) {
            return vec![pools.to_vec()];
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut of_home: HashMap<DeployUnit<'_>, Vec<usize>> = HashMap::new();
        let mut namesakes: HashMap<(DeployUnit<'_>, &str), usize> = HashMap::new();
        for index in pools {
            let pool = &self.node_pools[*index];
            let home = pool.scope.deploy_unit();
            // Each of several pools of one name is in another cluster.
            let before = pool.name.known().map_or(0, |name| {
                let count = namesakes.entry((home, name)).or_default();
                *count += 1;
                *count - 1
            });
            let own = of_home.entry(home).or_default();
            if own.len() == before {
                own.push(groups.len());
                groups.push(Vec::new());
            }
            groups[own[before]].push(*index);
        }
        groups
    }

    /// The pools with a fault that the pods of a workload may meet. Where there may be several clusters,
    /// none unless all pools they may run on have it, because one cannot tell which cluster it is.
    pub fn pools_with(
        &self,
        workload: &Workload,
        fault: impl Fn(&NodePool) -> bool,
    ) -> Vec<&NodePool> {
        let groups = self.pool_groups(&workload.scope);
        let unclear = groups.len() > 1;
        if groups.is_empty() {
            return Vec::new();
        }
        let demands = Demands::of(workload);
        let mut found = Vec::new();
        for pool in groups.into_iter().flatten() {
            match pool.may_run(&demands) {
                Some(true) if fault(pool) => found.push(pool),
                Some(true) | None if unclear => return Vec::new(),
                _ => {}
            }
        }
        found
    }

    /// Whether something may be in one cluster with what asks for it: not when each is built by another of
    /// several kustomizations that build from the same files or goes to another cluster of one root, nor when
    /// it was put aside and what asks is not in the same folder.
    #[must_use]
    pub fn may_meet(&self, evidence: &Scope, asking: &Scope) -> bool {
        if !evidence.speaks_of(asking) || evidence.is_apart(asking) {
            return false;
        }
        match (evidence.build, asking.build) {
            (Some(a), Some(b)) if a != b => self.family(a) != self.family(b),
            _ => true,
        }
    }

    fn are_of_one_cluster(&self, pools: &[usize]) -> bool {
        let pools: Vec<&NodePool> = pools.iter().map(|it| &self.node_pools[*it]).collect();
        let Some((first, others)) = pools.split_first() else { return true };
        let home = first.scope.deploy_unit();
        let mut names = HashSet::new();
        let mut known = pools.iter().filter_map(|it| it.name.known());
        if !known.all(|name| names.insert(name)) {
            return false;
        }
        if others.iter().all(|it| it.scope.deploy_unit() == home) {
            return true;
        }
        let named_apart = names.len() == pools.len();
        let in_roots = pools.iter().filter(|it| it.scope.root.is_some());
        let roots: HashSet<DeployUnit<'_>> = in_roots.map(|it| it.scope.deploy_unit()).collect();
        let builds: HashSet<usize> = pools.iter().filter_map(|it| it.scope.build).collect();
        let families: HashSet<Option<usize>> = builds.iter().map(|it| self.family(*it)).collect();
        named_apart
            && roots.len() <= 1
            && self.clusters.len() <= 1
            && self.releases.iter().filter(|it| Release::is_controller(it)).count() <= 1
            && families.len() == builds.len()
    }

    /// Whether nothing unseen adds to the kustomization that builds a thing, or changes it.
    #[must_use]
    pub fn is_complete(&self, scope: &Scope) -> bool {
        self.kustomization(scope).is_none_or(|it| it.complete)
    }

    /// Whether nothing unseen changes what the kustomization of a thing builds, whatever it may add.
    #[must_use]
    pub fn is_unchanged(&self, scope: &Scope) -> bool {
        self.kustomization(scope).is_none_or(|it| it.unchanged)
    }

    /// Whether a PDB may be missing among what the kustomization of a thing builds.
    #[must_use]
    pub fn lacks_pdb(&self, scope: &Scope) -> bool {
        self.kustomization(scope).is_some_and(|it| it.unseen_pdb)
    }

    fn kustomization(&self, scope: &Scope) -> Option<&AppliedRoot> {
        self.kustomizations.get(scope.build?)
    }

    fn family(&self, build: usize) -> Option<usize> {
        self.kustomizations.get(build).map(|it| it.family)
    }

    /// Among whom the pods of a workload are; `None` if not all is known that they ask of their nodes.
    #[must_use]
    pub fn pool_set(&self, workload: &Workload) -> Option<PoolSet> {
        let Scope { root, build, cluster, .. } = workload.scope;
        let asked = [workload.tolerations.key()?, workload.placement.key()?];
        let pools = self.pools_near.nearest(&workload.scope);
        let pools = pools.map(|it| std::ptr::from_ref(it).addr());
        Some(PoolSet { pools, root, build, cluster, asked })
    }
}

/// Pods that ask the same of their nodes and have the same pools near: they meet the same of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PoolSet {
    /// Which list of pools, by its address.
    pools: Option<usize>,
    root: Option<usize>,
    build: Option<usize>,
    cluster: ClusterTarget,
    /// What they tolerate, and the labels they select.
    asked: [String; 2],
}

/// Keeps what was found of workloads and pools that are surely in one cluster. Of several kustomizations
/// that build a workload any may be the one for the pool's cluster, unless it builds the two `together`:
/// what is found of all of them is kept.
pub fn agreed<'a, T>(
    found: Vec<T>,
    workload: impl Fn(&T) -> &'a Workload,
    together: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut builds: HashMap<Span, HashSet<Option<usize>>> = HashMap::new();
    for workload in found.iter().map(&workload) {
        builds.entry(workload.report_span).or_default().insert(workload.scope.build);
    }
    let instance = |it: &'a Workload| it.subject.as_ref()?.instance.as_ref();
    let clear = |it: &T| {
        let workload = workload(it);
        let found = builds.get(&workload.report_span).map_or(0, HashSet::len);
        together(it)
            || workload.scope.build.is_none()
            || instance(workload).is_none_or(|it| it.of <= found)
    };
    found.into_iter().filter(clear).collect()
}
