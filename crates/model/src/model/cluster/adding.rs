//! eksctl's files that add nodes to a cluster which something else of the repository makes.

use crate::{
    model::{Model, cluster::Cluster},
    value::Value,
};

impl Cluster {
    /// Its name, as whatever makes it says.
    #[must_use]
    pub fn own_name(&self) -> Option<&Value> {
        self.resource_name.as_ref().or(self.name.as_ref())
    }

    fn has_name_of(&self, other: &Self) -> Option<bool> {
        self.own_name()?.same_as(other.own_name()?)
    }
}

/// Finds for each file of eksctl the cluster of its name, if something else makes one.
pub(crate) fn find_added(clusters: &mut [Cluster]) {
    let makers = |own: &Cluster| {
        let same = |it: &Cluster| !it.is_of_eksctl && it.has_name_of(own) == Some(true);
        let mut all = clusters.iter().enumerate().filter(|it| same(it.1)).map(|it| it.0);
        all.next().filter(|_| all.next().is_none())
    };
    let of = |it: &Cluster| if it.is_of_eksctl { makers(it) } else { None };
    let found: Vec<Option<usize>> = clusters.iter().map(of).collect();
    for (cluster, maker) in clusters.iter_mut().zip(found) {
        cluster.adds_to = maker;
    }
}

impl Model {
    /// The clusters that are made together with the one that a cluster adds nodes to, where there are others: its
    /// folder does not say which of them what is there is for.
    pub(crate) fn made_with(&self, cluster: &Cluster) -> &[usize] {
        let maker = cluster.adds_to.and_then(|it| self.clusters.get(it));
        let around = maker.map_or(&[][..], |it| self.nearest_clusters(&it.scope));
        let is_other = |it: &Cluster| it.has_name_of(cluster) == Some(false);
        let mut clusters = around.iter().filter_map(|it| self.clusters.get(*it));
        if clusters.any(is_other) { around } else { &[] }
    }
}
