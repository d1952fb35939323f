//! What makes the pools that Terraform destroys with their controller.

use crate::{
    model::{Model, karpenter::KarpenterResource},
    resolve::{release::Release, terraform::object::GraphNode},
    source::{Span, file_name},
};

/// What makes the pools of a root: else the manifests and the charts that are not here, with the first of them.
pub(super) fn pools(model: &Model, root: usize) -> (Vec<GraphNode>, Option<Span>) {
    let own = model.unseen_manifests.iter().filter(|it| it.resource.root == root);
    let unseen: Vec<&KarpenterResource> = own.clone().map(|it| &it.resource).collect();
    let named = own.filter(|it| !it.is_empty_by_default).map(|it| &it.resource);
    let known = model.karpenter_resources.iter().filter(|it| it.root == root).chain(named);
    let known: Vec<GraphNode> = known.filter(|it| it.pools().is_some()).map(|it| it.node).collect();
    if !known.is_empty() {
        return (known, None);
    }
    let charts = model.releases.iter().filter(|it| it.scope.root == Some(root) && hides_pools(it));
    let charts = charts.filter_map(|it| Some((it.code()?.node, it.report_span)));
    let unseen = unseen.iter().map(|it| (it.node, it.report_span)).chain(charts);
    let unseen: Vec<(GraphNode, Span)> = unseen.collect();
    let open = unseen.first().map(|it| it.1);
    (unseen.into_iter().map(|it| it.0).collect(), open)
}

/// A pool that something else than Terraform applies.
pub(super) fn pool_of_a_file(model: &Model) -> Option<Span> {
    let is_pool = |kind: &str| matches!(kind, "NodePool" | "Provisioner");
    let mut pools = model.karpenter_objects.iter().filter(|it| is_pool(&it.object.kind));
    pools.find(|it| it.scope.root.is_none()).map(|it| it.report_span)
}

/// Whether a chart that is not here, and is none of Karpenter's own, is called after it: it may hold pools.
fn hides_pools(release: &Release) -> bool {
    let is_own = release.is_of_karpenter() || release.is_controller() || release.is_crds();
    let missing = release.missing_chart.as_ref().map(|it| &*it.path);
    let is_missing = missing.is_some() || release.local_chart.is_none();
    let names = [missing.unwrap_or_default(), &*release.chart];
    !is_own && is_missing && names.iter().any(|it| file_name(it).contains("karpenter"))
}
