//! Clusters that are near Karpenter and are not those it is installed for: it calls its cluster otherwise.

use crate::{
    model::{Model, cluster::Cluster, discovery::scripts::is_example},
    resolve::scope::Scope,
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
        let installed = self.installed_near.nearest(scope)?.iter();
        let of = |it: &usize| self.installations.get(*it)?.cluster.as_ref();
        let stated: Vec<&Value> = installed.map(of).collect::<Option<_>>()?;
        let near = self.clusters_near(scope).into_iter();
        let near: Vec<&Value> = near.map(name_of).collect::<Option<_>>()?;
        let differ = near.iter().all(|it| stated.iter().all(|own| are_of_two(own, it)));
        let (stated, near) = (stated.first()?, near.first()?);
        differ.then_some(OtherCluster { stated, near })
    }
}

fn name_of(cluster: &Cluster) -> Option<&Value> {
    cluster.resource_name.as_ref().or(cluster.name.as_ref())
}

/// Whether two names surely are those of two clusters.
fn are_of_two(one: &Value, other: &Value) -> bool {
    let is_meant = |it: &Value| it.as_str().is_none_or(|it| !is_example(it));
    is_meant(one) && is_meant(other) && one.same_as(other) == Some(false)
}
