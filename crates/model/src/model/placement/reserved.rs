//! Pods that no pool of their cluster takes.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{
    model::{
        Model,
        cluster::NodeGroup,
        environment::Environments,
        node_pool::{Lifetime, NodePool, PoolVersion, budgets::Reason, frozen::closed_for},
        placement::{
            by_label::values,
            demands::{Alternative, Demands},
        },
        provisioner::Provisioner,
        workload::Workload,
    },
    resolve::{
        pod::{selector::LabelOperator, toleration::Taint},
        scope::{ClusterTarget, DeployUnit, Scope},
    },
    source::{FileId, Span},
    value::Value,
};

/// What keeps pods off all nodes of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar<'a> {
    /// A taint that they do not tolerate.
    Taint(&'a Taint),
    /// Labels that they ask for, and that none of its nodes has.
    Labels,
    /// Nothing: it takes them, and Karpenter leaves its nodes alone while pods run on them.
    Rest,
}

impl NodePool {
    /// Why its nodes certainly never take the pods of the workload, which ask for that, if they do not.
    #[must_use]
    fn bar(&self, workload: &Workload, demands: &Demands) -> Option<Bar<'_>> {
        let labels = || !self.is_in_doubt && self.labels_refuse(demands);
        let taint = self.taint_against(workload).map(Bar::Taint);
        let bar = taint.or_else(|| labels().then_some(Bar::Labels));
        bar.or_else(|| self.rests().then_some(Bar::Rest))
    }

    /// Whether Karpenter never removes nodes in use: they do not expire, and no budget lets it replace or merge them.
    fn rests(&self) -> bool {
        let policy = self.object.at("spec.disruption.consolidationPolicy").present();
        let is_never = |reason: Reason| closed_for(self, reason).is_some();
        !self.is_in_doubt
            && self.api == PoolVersion::V1
            && self.expire_after.known().is_some_and(|it| *it == Lifetime::Endless)
            && is_never(Reason::Drifted)
            && (policy.and_then(Value::as_str) == Some("WhenEmpty")
                || is_never(Reason::Underutilized))
    }

    /// Whether its nodes have a label or a taint of a key.
    fn has_key(&self, key: &str) -> bool {
        let mut taints = self.taints.list.iter().chain(&self.taints.of_unknown_value);
        self.offerings.requirements().get(key).is_some() || taints.any(|it| it.0.key == key)
    }

    fn file(&self) -> FileId {
        self.object.span.file
    }
}

impl Model {
    /// What keeps the pods of a workload off the nodes that Karpenter removes, as no pool near with such takes them: one
    /// of the pools, and why. Of pools that are alternatives it is enough that those of one do not. `None` where some
    /// pool may take them, or some is not known.
    #[must_use]
    pub fn shut_out<'m>(&'m self, workload: &Workload) -> Option<(&'m NodePool, Bar<'m>)> {
        let scope = &workload.scope;
        let own = environments(workload);
        let demands = Demands::of(workload);
        let bar = |it: &'m NodePool| it.bar(workload, &demands);
        let is_barred =
            |it: &&'m NodePool| it.is_of_auto_mode() == Some(false) && bar(it).is_some();
        // The pools with what the pods ask for are asked first.
        let asked = demands.alternatives.iter().flat_map(|it| values(&it.requirements));
        let meant = asked.flat_map(|it| self.pools_by_label.with(&it));
        let mut meant = meant.filter_map(|it| self.node_pools.get(*it));
        let is_beside = |it: &NodePool| it.scope == *scope && !own.are_apart_from(&it.of_file);
        if !self.pools_by_label.has_variants && meant.any(|it| is_beside(it) && !is_barred(&it)) {
            return None;
        }
        let near = self.pools_about(scope)?;
        // EKS Auto Mode has pools that nobody writes.
        if self.clusters_near(scope).iter().any(|it| it.may_be_auto) {
            return None;
        }
        let near = of_environment(near, &own);
        let mut ways = of_clusters(&near, scope).into_iter().flat_map(|it| alternatives(&it));
        let closed = ways.find(|it| it.iter().all(is_barred))?;
        // What would take them says most.
        let mut resting = closed.iter().filter(|it| bar(it) == Some(Bar::Rest));
        let shown = *resting.next().or(closed.first())?;
        bar(shown).map(|it| (shown, it))
    }

    /// The first of the Provisioners near, and its taint, where each of them has one that keeps the pods of a workload
    /// away, and no `NodePool` is near.
    #[must_use]
    pub fn shut_out_by_provisioners(&self, workload: &Workload) -> Option<(Span, Taint)> {
        let scope = &workload.scope;
        let near = self.provisioners_near(scope);
        let mut near = near.map(|resource| Provisioner { resource }.as_pool()).peekable();
        let first = near.peek().filter(|_| self.pools_near.nearest(scope).is_none())?;
        let shown = (first.report_span, first.taint_against(workload).cloned()?);
        near.all(|it| it.taint_against(workload).is_some()).then_some(shown)
    }
}

impl Model {
    /// The pools that pods may meet, of all clusters; where the repository makes none at all, those that a cluster
    /// answered to have.
    fn pools_about(&self, scope: &Scope) -> Option<Vec<&NodePool>> {
        let Some(near) = self.pools_near.nearest(scope) else {
            let is_lone =
                self.node_pools.is_empty() && self.provisioners_near(scope).next().is_none();
            return is_lone.then(|| self.answered_pools.iter().collect());
        };
        let near = near.iter().flatten().filter_map(|it| self.node_pools.get(*it));
        Some(near.filter(|it| self.may_meet(&it.scope, scope)).collect())
    }
}

/// The domains of labels that nodes of any kind have.
const COMMON: [&str; 4] = ["kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws"];

/// Whether a label or a taint is of the author's own, by its key.
fn is_own(key: &str) -> bool {
    let domain = key.split('/').next().unwrap_or_default();
    !key.is_empty() && !COMMON.iter().any(|it| domain.ends_with(it))
}

impl Model {
    /// The label of a `nodeSelector` by which pods ask for nodes of their own, tolerating a taint of the same key or
    /// value, where no pool of the repository has a label or a taint of these keys: somebody else makes the nodes.
    #[must_use]
    pub fn label_of_unseen_nodes(&self, workload: &Workload) -> Option<String> {
        let own = workload.tolerations.list.iter();
        let own: Vec<(&str, Option<&str>)> =
            own.filter_map(|it| Some((it.key.known()?, it.value.known()))).collect();
        let tolerated = |label: &str, value: &str| {
            let is_like = |it: &&(&str, Option<&str>)| it.0 == label || it.1 == Some(value);
            own.iter().find(is_like).map(|it| it.0)
        };
        let mut asked = workload.placement.selector().requirements().iter();
        let (taint, label, value) = asked.find_map(|it| {
            let LabelOperator::In(values) = &it.operator else { return None };
            let (label, value) = (it.key.as_str(), values.first()?.as_deref()?);
            Some((tolerated(label, value).filter(|_| is_own(label))?, label, value))
        })?;
        let makes = |it: &NodePool| it.has_key(taint) || it.has_key(label);
        let mut old = self.provisioners_near(&workload.scope);
        // Of pools that are written and not read nothing is known.
        let is_unread = self.node_pools.is_empty() && !self.karpenter_resources.is_empty();
        let is_made = is_unread
            || self.node_pools.iter().any(makes)
            || old.any(|resource| makes(&Provisioner { resource }.as_pool()));
        (!is_made).then(|| format!("{label}: {value}"))
    }

    /// The static node group with the nodes that the pods of a workload select by a label of the author's own, where no
    /// pool of the repository gives its nodes that label.
    #[must_use]
    pub fn meant_for_group<'m>(&'m self, workload: &Workload) -> Option<&'m NodeGroup> {
        let scope = &workload.scope;
        let is_of_a_pool = |it: &(String, String)| !self.pools_by_label.with(it).is_empty();
        let has = |group: &NodeGroup, (key, value): &(String, String)| {
            group.labels.value(key) == Some(value.as_str())
        };
        let groups: Vec<&NodeGroup> =
            self.clusters_near(scope).into_iter().flat_map(|it| &it.node_groups).collect();
        let group_for = |it: &Alternative| {
            let asked: Vec<_> = values(&it.requirements).filter(|it| is_own(&it.0)).collect();
            let mut asked = asked.iter().filter(|it| !is_of_a_pool(it));
            asked.find_map(|label| groups.iter().find(|it| has(it, label))).copied()
        };
        let demands = Demands::of(workload);
        let has_pools = !self.pool_groups(scope).is_empty();
        let found: Option<Vec<&NodeGroup>> = demands.alternatives.iter().map(group_for).collect();
        found?.first().copied().filter(|_| !has_pools)
    }
}

/// The environments that the folder of a workload, its namespace or its instance mention.
fn environments(workload: &Workload) -> Environments {
    let instance = workload.subject.as_ref().and_then(|it| it.instance.as_ref());
    let names = [
        Some(&*workload.scope.folder),
        workload.namespace.known().map(String::as_str),
        instance.map(|it| &*it.address),
    ];
    let found = names.into_iter().flatten().map(Environments::of_name);
    found.fold(Environments::default(), Environments::and)
}

/// Finds the pools that stand in several files of a folder, each of them for another cluster.
pub fn find_variants(pools: &mut [NodePool]) {
    let mut files: HashMap<(Scope, String), HashSet<FileId>> = HashMap::new();
    let named = |it: &NodePool| {
        let in_folder = matches!(it.scope.deploy_unit(), DeployUnit::Folder(..));
        let name = it.name.known().filter(|_| in_folder)?;
        Some((it.scope.clone(), name.clone()))
    };
    for pool in &*pools {
        if let Some(name) = named(pool) {
            files.entry(name).or_default().insert(pool.file());
        }
    }
    for pool in pools {
        pool.has_variants = named(pool).is_some_and(|it| files[&it].len() > 1);
    }
}

/// Whether two pools are one in different files of a folder: each is applied to another cluster.
fn are_variants(one: &NodePool, other: &NodePool) -> bool {
    one.has_variants
        && other.has_variants
        && one.file() != other.file()
        && one.name.known() == other.name.known()
        && one.scope == other.scope
}

/// The pools without those of other environments, and without those that have a variant of the environment.
fn of_environment<'m>(pools: Vec<&'m NodePool>, own: &Environments) -> Vec<&'m NodePool> {
    let is_here = |it: &&NodePool| {
        let is_replaced = || {
            it.has_variants
                && pools
                    .iter()
                    .any(|other| are_variants(it, other) && own.are_shared_with(&other.of_file))
        };
        own.are_shared_with(&it.of_file) || !(own.are_apart_from(&it.of_file) || is_replaced())
    };
    let here: Vec<&NodePool> = pools.iter().copied().filter(is_here).collect();
    if here.is_empty() { pools } else { here }
}

/// The pools that what a Terraform root makes may meet, by cluster: the root reaches one of those for which plain files
/// have pools, whichever that is.
fn of_clusters<'m>(pools: &[&'m NodePool], scope: &Scope) -> Vec<Vec<&'m NodePool>> {
    let target = |it: &NodePool| match it.scope.cluster {
        ClusterTarget::Known(target) if it.scope.root.is_none() => Some(target),
        _ => None,
    };
    let targets: BTreeSet<u32> = pools.iter().filter_map(|it| target(it)).collect();
    if scope.root.is_none() || targets.is_empty() {
        return vec![pools.to_vec()];
    }
    let is_in = |it: &NodePool, own: u32| target(it).is_none_or(|it| it == own);
    let with = |own: u32| pools.iter().filter(|it| is_in(it, own)).copied().collect();
    targets.into_iter().map(with).collect()
}

/// The pools that may be in a cluster together: all of them, or with each of several files that hold variants
/// of one pool the files without.
fn alternatives<'m>(pools: &[&'m NodePool]) -> Vec<Vec<&'m NodePool>> {
    let varies =
        |it: &&NodePool| it.has_variants && pools.iter().any(|other| are_variants(it, other));
    let files: BTreeSet<FileId> =
        pools.iter().filter(|it| varies(it)).map(|it| it.file()).collect();
    if files.is_empty() {
        return vec![pools.to_vec()];
    }
    let with = |file: &FileId| {
        let is_in = |it: &&&NodePool| it.file() == *file || !files.contains(&it.file());
        pools.iter().filter(is_in).copied().collect()
    };
    files.iter().map(with).collect()
}
