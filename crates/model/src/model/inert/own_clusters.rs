//! Roots that make a cluster of their own without Karpenter, where all of Karpenter that is seen is in roots that make
//! theirs.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{
        Model,
        cluster::Cluster,
        inert::{accounts::cluster_in, clusters::NAME},
        scope::Scoped,
    },
    resolve::{release::Release, terraform::object::BlockInstance},
    source::Span,
};

/// What installs more than is seen into the cluster it is in.
const GITOPS: [&str; 3] = ["argo", "flux", "gitops"];

/// Such roots, each with the block that makes the cluster. None where Karpenter is installed into clusters that something
/// else makes, which may be any.
pub(super) fn roots_without_karpenter(model: &Model) -> BTreeMap<usize, Span> {
    let makers: BTreeMap<usize, &Cluster> =
        model.clusters.iter().filter_map(|it| Some((maker(it)?, it))).collect();
    let Some(with) = roots_with_karpenter(model) else { return BTreeMap::new() };
    let is_clear = with.iter().all(|it| makers.contains_key(it));
    if model.assumed.karpenter_version.is_some() || with.is_empty() || !is_clear {
        return BTreeMap::new();
    }
    // Two that make a cluster of one name are stages of a course, or for other accounts: not for one cluster.
    let is_other = |(index, _): &(usize, &Cluster)| {
        let folder = |it: usize| model.terraform.roots.get(it).map(|it| &it.folder);
        with.iter().all(|it| folder(*it) != folder(*index))
    };
    let silent = makers.iter().map(|(index, it)| (*index, *it)).filter(is_other);
    silent.filter_map(|(index, it)| Some((index, made_without(model, index, it)?))).collect()
}

/// The root that makes a cluster whole.
fn maker(cluster: &Cluster) -> Option<usize> {
    let is_whole = !cluster.is_nodes_only && !cluster.is_of_eksctl && cluster.adds_to.is_none();
    cluster.scope.root.filter(|_| is_whole)
}

/// The roots in which something installs Karpenter or makes its resources; `None` where something else does.
fn roots_with_karpenter(model: &Model) -> Option<BTreeSet<usize>> {
    let installed =
        model.installations.iter().map(|it| it.scope().root.filter(|_| !it.is_for_anybody));
    let pools = model.node_pools.iter().map(|it| it.scope.root);
    let objects = model.karpenter_objects.iter().map(|it| it.scope.root);
    let releases = model.releases.iter().filter(|it| it.is_of_karpenter());
    let releases = releases.map(|it| it.scope.root);
    let resources = model.karpenter_resources.iter().map(|it| Some(it.root));
    installed.chain(pools).chain(objects).chain(releases).chain(resources).collect()
}

/// What makes the cluster of a root, where all of the root is read and nothing in it is named for Karpenter or for what
/// may install it.
fn made_without(model: &Model, index: usize, cluster: &Cluster) -> Option<Span> {
    let root = model.terraform.roots.get(index)?;
    let is_open = |it: &BlockInstance| {
        let names = |word: &str| it.address.contains(word) || it.folder.contains(word);
        names(NAME) || GITOPS.iter().any(|it| names(it))
    };
    let may_install = |it: &Release| {
        it.scope.root == Some(index) && GITOPS.iter().any(|word| it.chart.contains(word))
    };
    let is_closed = !root.incomplete && !root.reusable && !cluster.may_be_auto;
    let is_silent = !root.objects.iter().any(is_open) && !model.releases.iter().any(may_install);
    cluster_in(root).filter(|_| is_closed && is_silent).map(|it| it.header)
}
