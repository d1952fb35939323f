//! Clusters that lie in folders of their own, beside those of others with Karpenter: a sample with its own cluster.

use std::collections::BTreeSet;

use crate::{
    model::{
        Model,
        cluster::Cluster,
        inert::clusters::{NAME, is_shared, is_shown_elsewhere, names, shown_in},
    },
    source::{Files, is_below, outward, parent},
    value::Value,
};

/// The folders with a cluster and without a trace of Karpenter, where all of Karpenter that is seen is in folders with
/// other clusters. None where anything else of the repository may bring Karpenter to them.
pub(super) fn without_karpenter(files: &Files, model: &Model) -> Vec<String> {
    let shown = if model.assumed.karpenter_version.is_some() { vec![] } else { shown_in(model) };
    let around_all = |of: &mut dyn Iterator<Item = &'_ Cluster>| -> BTreeSet<String> {
        of.flat_map(|it| outward(&it.scope.folder)).map(str::to_owned).collect()
    };
    let holders = around_all(&mut model.clusters.iter());
    let nearest = |folder| outward(folder).find(|it| holders.contains(*it));
    // What is shown beside no cluster may be for any.
    let with: Option<BTreeSet<&str>> =
        shown.iter().map(|it| nearest(it).filter(|it| !it.is_empty())).collect();
    let Some(with) = with.filter(|it| !it.is_empty() && holders.len() > it.len()) else {
        return Vec::new();
    };
    let lies_in = |it: &Cluster| outward(&it.scope.folder).any(|it| with.contains(it));
    let named: BTreeSet<&str> =
        model.clusters.iter().filter(|it| lies_in(it)).filter_map(name).collect();
    // One of the same name is the same one, and what adds nodes to another one is that.
    let is_one_of_them =
        |it: &&Cluster| it.adds_to.is_some() || name(it).is_some_and(|it| named.contains(it));
    let same = around_all(&mut model.clusters.iter().filter(is_one_of_them));
    let above: BTreeSet<&str> = with.iter().flat_map(|it| outward(it)).collect();
    let tracing = files.iter().filter(|(_, it)| names(it, NAME));
    let traced: BTreeSet<&str> = tracing.flat_map(|(_, it)| outward(it.folder())).collect();
    let is_without = |it: &&str| {
        let is_below = outward(it).any(|it| with.contains(it));
        !is_below && !above.contains(it) && !traced.contains(it) && !same.contains(*it)
    };
    let found: BTreeSet<&str> = holders.iter().map(String::as_str).filter(is_without).collect();
    let is_outermost = |it: &&&str| !outward(parent(it)).any(|it| found.contains(it));
    let mut outermost: Vec<&str> = found.iter().filter(is_outermost).copied().collect();
    outermost.retain(|it| !is_shared(files, model, it));
    // What lies around the clusters with Karpenter, and around no other, is for them.
    let around = |with: &&str| {
        let own = outward(with).take_while(|it| !outermost.iter().any(|found| is_below(found, it)));
        own.last().map(str::to_owned)
    };
    let around: Vec<String> = with.iter().filter_map(around).collect();
    let all: Vec<&str> =
        outermost.iter().copied().chain(around.iter().map(String::as_str)).collect();
    if outermost.is_empty() || is_shown_elsewhere(files, model, &all) {
        return Vec::new();
    }
    outermost.into_iter().map(str::to_owned).collect()
}

fn name(cluster: &Cluster) -> Option<&str> {
    cluster.name.as_ref().or(cluster.resource_name.as_ref()).and_then(Value::as_str)
}
