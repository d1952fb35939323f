//! What Karpenter's own releases bring, and the EKS module beside them.

use crate::{
    knowledge::{Facts, all},
    version::Version,
};

/// The facts, by question.
#[derive(Debug, Default)]
pub(super) struct Releases {
    pub(super) crd_chart: Facts,
    pub(super) disruption_taint: Facts,
    pub(super) node_labels: Facts,
    pub(super) eks_module_max_size: Facts,
    pub(super) node_limits: Facts,
    pub(super) al2_images: Facts,
}

/// Whether that version of Karpenter has a chart `karpenter-crd`.
#[must_use]
pub fn has_crd_chart(version: Option<&Version>) -> Option<bool> {
    all().releases.crd_chart.at(version)?.as_bool()
}

/// The facts about Karpenter's own releases, by question.
#[must_use]
pub fn facts() -> [(&'static str, &'static Facts); 6] {
    let releases = &all().releases;
    [
        ("crd_chart", &releases.crd_chart),
        ("disruption_taint", &releases.disruption_taint),
        ("node_labels", &releases.node_labels),
        ("eks_module_max_size", &releases.eks_module_max_size),
        ("node_limits", &releases.node_limits),
        ("al2_images", &releases.al2_images),
    ]
}

/// The labels by which the nodes of Karpenter are known, version by version: texts, and each node has one.
#[must_use]
pub fn node_labels() -> &'static Facts {
    &all().releases.node_labels
}

/// How many nodes a group of `terraform-aws-modules/eks` may have if nobody says so.
#[must_use]
pub fn eks_module_max_size() -> Option<f64> {
    all().releases.eks_module_max_size.at(None)?.as_number()
}

/// Whether that version of Karpenter stops at a limit for the number of nodes of a pool that grows.
#[must_use]
pub fn counts_nodes(version: Option<&Version>) -> Option<bool> {
    all().releases.node_limits.at(version)?.as_bool()
}

/// Whether EKS publishes images with Amazon Linux 2 for that version of Kubernetes.
#[must_use]
pub fn has_al2_images(kubernetes: &Version) -> Option<bool> {
    all().releases.al2_images.at(Some(kubernetes))?.as_bool()
}
