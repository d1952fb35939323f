//! Clusters that are near Karpenter and are not those it is installed for: it calls its cluster otherwise.

use std::collections::{HashMap, HashSet};

use crate::{
    model::{
        Model,
        cluster::Cluster,
        discovery::{DISCOVERY, Role, scripts::is_example},
        environment::are_apart,
        node_pool::class::NodeClass,
        scope::Scoped,
    },
    resolve::scope::{ClusterTarget, DeployUnit, Scope},
    value::Value,
};

/// Two names that no cluster has both of.
#[derive(Clone, Copy, Debug)]
pub struct OtherCluster<'m> {
    /// What an installation of Karpenter calls its cluster.
    pub stated: &'m Value,
    /// What the cluster near is called.
    pub near: &'m Value,
}

impl Model {
    /// The names, where the nearest installations of Karpenter are for none of the clusters near a scope.
    #[must_use]
    pub fn other_cluster(&self, scope: &Scope) -> Option<OtherCluster<'_>> {
        // Most often none is near.
        self.clusters_near.nearest(scope)?.first()?;
        let installed = self.installed_near.nearest(scope)?.iter();
        let of = |it: &usize| self.installations.get(*it)?.cluster.as_ref();
        let stated: Vec<&Value> = installed.map(of).collect::<Option<_>>()?;
        let near = self.clusters_near(scope).into_iter();
        let near: Vec<&Value> = near.map(Cluster::own_name).collect::<Option<_>>()?;
        let differ = near.iter().all(|it| stated.iter().all(|own| are_of_two(own, it)));
        let (stated, near) = (stated.first()?, near.first()?);
        differ.then_some(OtherCluster { stated, near })
    }

    /// The names of the cluster that Karpenter is for and of another one, where both are near a scope, every controller
    /// and node class of the repository names a cluster, none of them that other one, and the scope is that of none.
    #[must_use]
    pub fn cluster_without_karpenter(&self, scope: &Scope) -> Option<OtherCluster<'_>> {
        let near = self.indexes_near(scope);
        let of_side = |wanted: Side| {
            let is_its = move |it: &usize| self.cluster_sides.of.get(*it) == Some(&wanted);
            near.clone().filter(is_its).filter_map(|it| self.clusters.get(it))
        };
        let own = of_side(Side::Own).next()?;
        let other = of_side(Side::Other).find(|it| !are_environments(own, it))?;
        let unit = scope.deploy_unit();
        let is_beside = |it: &Cluster| it.scope.deploy_unit() == unit;
        let is_clear = near.clone().filter_map(|it| self.clusters.get(it)).any(is_beside);
        if is_clear || self.cluster_sides.units.contains(unit) {
            return None;
        }
        Some(OtherCluster { stated: own.own_name()?, near: other.own_name()? })
    }

    /// Finds which clusters Karpenter is for.
    pub(super) fn find_cluster_sides(&mut self) {
        let installed = self.installations.iter().map(|it| it.cluster.as_ref());
        let classes = self.node_classes.iter().map(discovered);
        let Some(stated) = installed.chain(classes).collect::<Option<Vec<&Value>>>() else { return };
        let side = |it: &Cluster| {
            let Some(name) = it.own_name() else { return Side::Unclear };
            if stated.iter().any(|own| own.same_as(name) == Some(true)) {
                Side::Own
            } else if stated.iter().all(|own| are_of_two(own, name)) {
                Side::Other
            } else {
                Side::Unclear
            }
        };
        let of = self.clusters.iter().map(side).collect();
        let installations = self.installations.iter().map(Scoped::scope);
        let classes = self.node_classes.iter().map(Scoped::scope);
        let pools = self.node_pools.iter().map(|it| &it.scope);
        let mut units = Units::default();
        installations.chain(classes).chain(pools).for_each(|it| units.add(it.deploy_unit()));
        self.cluster_sides = ClusterSides { of, units };
    }
}

/// Which clusters Karpenter is for.
#[derive(Debug, Default)]
pub(super) struct ClusterSides {
    /// By cluster; none where some controller or class names no cluster.
    of: Vec<Side>,
    /// With what something of Karpenter is applied.
    units: Units,
}

/// Whether Karpenter is for a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// A controller or a class names it.
    Own,
    /// Each controller and class names another.
    Other,
    /// It is not clear.
    Unclear,
}

/// What is applied together, to be looked up.
#[derive(Debug, Default)]
struct Units {
    roots: HashSet<(usize, ClusterTarget)>,
    builds: HashSet<usize>,
    folders: HashMap<String, Vec<ClusterTarget>>,
}

impl Units {
    fn add(&mut self, unit: DeployUnit<'_>) {
        match unit {
            DeployUnit::Root(root, target) => {
                self.roots.insert((root, target));
            }
            DeployUnit::Build(build) => {
                self.builds.insert(build);
            }
            DeployUnit::Folder(folder, target) => {
                let targets = self.folders.entry(folder.to_owned()).or_default();
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
        }
    }

    fn contains(&self, unit: DeployUnit<'_>) -> bool {
        match unit {
            DeployUnit::Root(root, target) => self.roots.contains(&(root, target)),
            DeployUnit::Build(build) => self.builds.contains(&build),
            DeployUnit::Folder(folder, target) => {
                self.folders.get(folder).is_some_and(|it| it.contains(&target))
            }
        }
    }
}

/// The cluster that a class names by the tag of its subnets or security groups.
fn discovered(class: &NodeClass) -> Option<&Value> {
    let terms = [Role::Subnets, Role::SecurityGroups].into_iter();
    let mut terms = terms.filter_map(|it| class.terms(it)).flatten();
    terms.find_map(|it| it.get("tags").get(DISCOVERY).present())
}

/// Whether two clusters differ in their environment, and so have the same workloads.
fn are_environments(one: &Cluster, other: &Cluster) -> bool {
    let name = |it: &Cluster| it.own_name().and_then(Value::as_str).map(str::to_owned);
    let names = name(one).zip(name(other));
    are_apart(&one.scope.folder, &other.scope.folder)
        || names.is_some_and(|(one, other)| are_apart(&one, &other))
}

/// Whether two names surely are those of two clusters: people write `web-eks` and `WebEKS` for one.
fn are_of_two(one: &Value, other: &Value) -> bool {
    let is_meant = |it: &Value| it.as_str().is_none_or(|it| !is_example(it));
    let letters = |it: &Value| {
        let letters = it.as_str()?.chars().filter(|it| it.is_alphanumeric());
        Some(letters.flat_map(char::to_lowercase).collect::<String>())
    };
    let differ = letters(one).is_none() || letters(one) != letters(other);
    is_meant(one) && is_meant(other) && differ && one.same_as(other) == Some(false)
}
