//! The cluster that eksctl makes.

use std::collections::BTreeSet;

use crate::{
    model::cluster::{
        Cluster, FargateSelector, NodeGroup, Taints,
        read::{is_off, region},
        shape::{FargateShape, GroupKind, GroupShape, Keys},
        start_up::{EKSCTL, EKSCTL_IMAGE, is_special, mentions},
        version,
    },
    resolve::{
        gitops::eksctl::{self, ClusterConfig},
        pod::selector::Labels,
        scope::Scope,
        setting::Setting,
    },
    value::Field,
};

/// The cluster of a `ClusterConfig`.
#[must_use]
pub(crate) fn of_eksctl(config: &ClusterConfig) -> Cluster {
    let group = |it: &eksctl::EksctlNodeGroup| {
        let mut taints = Taints::read(it.taints.as_ref().map_or(Field::Missing, Field::Present));
        taints.may_have_others |= it.may_taint_otherwise;
        NodeGroup {
            report_span: it.report_span,
            taints,
            labels: Labels::read(it.labels.as_ref().map_or(Field::Missing, Field::Present)),
            may_label_otherwise: mentions(Some(&it.body), EKSCTL, "label"),
            may_start_otherwise: is_special(&it.body, &[EKSCTL, EKSCTL_IMAGE]),
            max_size: max_size(it),
            is_off: false,
            absent_by: BTreeSet::new(),
            shape: GroupShape::read(GroupKind::Eksctl, Keys::EKSCTL, it.report_span, &|key| {
                it.body.get(key)
            }),
        }
    };
    Cluster {
        scope: Scope::new(config.root.map(|(root, _)| root), &config.folder),
        module: None,
        is_of_eksctl: config.is_of_eksctl,
        is_nodes_only: false,
        adds_to: None,
        name: config.name.clone(),
        resource_name: None,
        version: config.version.as_ref().and_then(|it| version::of_field(Field::Present(it))),
        region: config.region.as_ref().map(region),
        node_groups: config.node_groups.iter().map(group).collect(),
        fargate: config.fargate.iter().map(FargateSelector::read).collect(),
        profiles: config.fargate.iter().map(FargateShape::of_selector).collect(),
        complete: config.complete,
        growing: None,
        may_be_auto: !is_off(config.auto_mode.as_ref().map_or(Field::Missing, Field::Present)),
        autoscaler: config.autoscaler,
    }
}

/// eksctl takes the wanted size where no largest is written, else the smallest; a managed group has at least one node
/// (eksctl v0.230.0 `pkg/apis/eksctl.io/v1alpha5/validation.go`; for its own groups `pkg/cfn/builder/nodegroup.go`).
pub(super) fn max_size(group: &eksctl::EksctlNodeGroup) -> Setting<f64> {
    let sizes = ["maxSize", "desiredCapacity", "minSize"].map(|it| group.body.get(it));
    let written = sizes.into_iter().find(|it| !it.is_missing()).unwrap_or(Field::Missing);
    let least = if group.managed { 1.0 } else { 0.0 };
    Setting::of(written, Some(2.0), group.report_span, |it| Some(it.to_number()?.max(least)))
}
