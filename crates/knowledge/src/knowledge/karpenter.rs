//! What Karpenter's own releases bring, and the EKS module beside them.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::Facts,
        read::{Read, document},
    },
    value::Value,
    version::{Version, constraint::Constraint},
};

/// The facts, by question.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Releases {
    crd_chart: Facts,
    disruption_taint: Facts,
    node_labels: Facts,
    eks_module_max_size: Facts,
    node_limits: Facts,
    al2_images: Facts,
    new_al2_images: Facts,
    dated_aliases: Facts,
}

static READ: LazyLock<Read<Releases>> =
    LazyLock::new(|| document("karpenter-releases.yaml", include_str!("karpenter-releases.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Whether that version of Karpenter has a chart `karpenter-crd`.
#[must_use]
pub fn has_crd_chart(version: Option<&Version>) -> Option<bool> {
    READ.data.crd_chart.at(version)?.as_bool()
}

/// Whether some of the versions allowed have a chart `karpenter-crd`; `None` where that is not known.
#[must_use]
pub fn may_have_crd_chart(allowed: &Constraint) -> Option<bool> {
    let mut possible = READ.data.crd_chart.possible(Some(allowed)).peekable();
    possible.peek()?;
    Some(possible.any(|it| it.value.as_bool() == Some(true)))
}

/// The facts about Karpenter's own releases, by question.
#[must_use]
pub fn facts() -> [(&'static str, &'static Facts); 8] {
    let releases = &READ.data;
    [
        ("crd_chart", &releases.crd_chart),
        ("disruption_taint", &releases.disruption_taint),
        ("node_labels", &releases.node_labels),
        ("eks_module_max_size", &releases.eks_module_max_size),
        ("node_limits", &releases.node_limits),
        ("al2_images", &releases.al2_images),
        ("new_al2_images", &releases.new_al2_images),
        ("dated_aliases", &releases.dated_aliases),
    ]
}

/// The labels by which the nodes of Karpenter are known, version by version: texts, and each node has one.
#[must_use]
pub fn node_labels() -> &'static Facts {
    &READ.data.node_labels
}

/// The taint on a node that Karpenter drains, version by version; null while it had none of its own.
#[must_use]
pub fn disruption_taint() -> &'static Facts {
    &READ.data.disruption_taint
}

/// How many nodes a group of `terraform-aws-modules/eks` may have by default.
#[must_use]
pub fn eks_module_max_size() -> Option<f64> {
    READ.data.eks_module_max_size.at(None)?.as_number()
}

/// Whether that version of Karpenter stops at a limit for the number of nodes of a pool that grows.
#[must_use]
pub fn counts_nodes(version: Option<&Version>) -> Option<bool> {
    READ.data.node_limits.at(version)?.as_bool()
}

/// Whether EKS still publishes new images with Amazon Linux 2.
#[must_use]
pub fn has_new_al2_images() -> bool {
    READ.data.new_al2_images.at(None).is_none_or(|it| it.as_bool() != Some(false))
}

/// Whether an alias names an image by neither `latest` nor the day of a release, where its family has no others.
#[must_use]
pub fn is_misdated(alias: &str) -> bool {
    let Some((family, version)) = alias.split_once('@') else { return false };
    let dated = READ.data.dated_aliases.at(None).map_or(&[][..], Value::items);
    let is_dated = dated.iter().any(|it| it.as_str() == Some(family));
    let is_day = version
        .strip_prefix('v')
        .is_some_and(|it| it.len() == "20250715".len() && it.bytes().all(|it| it.is_ascii_digit()));
    is_dated && version != "latest" && !is_day
}

/// Whether EKS publishes images with Amazon Linux 2 for that version of Kubernetes.
#[must_use]
pub fn has_al2_images(kubernetes: &Version) -> Option<bool> {
    READ.data.al2_images.at(Some(kubernetes))?.as_bool()
}
