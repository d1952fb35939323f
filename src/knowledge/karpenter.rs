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
}

/// Whether that version of Karpenter has a chart `karpenter-crd`.
#[must_use]
pub fn has_crd_chart(version: Option<&Version>) -> Option<bool> {
    all().releases.crd_chart.at(version)?.as_bool()
}

/// The facts about Karpenter's own releases, by question.
#[must_use]
pub fn facts() -> [(&'static str, &'static Facts); 4] {
    let releases = &all().releases;
    [
        ("crd_chart", &releases.crd_chart),
        ("disruption_taint", &releases.disruption_taint),
        ("node_labels", &releases.node_labels),
        ("eks_module_max_size", &releases.eks_module_max_size),
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
