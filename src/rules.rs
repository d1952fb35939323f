//! The rules, one file each.

mod ambiguous_nodepools;
mod ami_unavailable;
mod bad_release;
mod blanket_toleration;
mod chart_version_prefix;
mod cluster_name_unset;
mod controller_identity_mismatch;
mod controller_on_own_nodes;
mod controller_replicas_unplaceable;
mod controller_selector_unmatched;
mod controller_taint_untolerated;
mod conversion_webhook_disabled;
mod crd_order_undeclared;
mod crd_release_not_forced;
mod crd_version_mismatch;
mod crd_webhook_elsewhere;
mod crds_from_nobody;
mod crds_never_upgraded;
mod crds_not_skipped;
mod dead_chart_value;
mod discovery_tag_mismatch;
mod disruption_taint_untolerated;
mod do_not_disrupt_ignored;
mod do_not_disrupt_misplaced;
mod do_not_disrupt_on_daemonset;
mod drain_blocking_budget;
mod endless_drain;
mod frozen_nodepool;
mod grace_shorter_than_pod;
mod iam_policy_outdated;
mod idle_budget;
mod interruption_queue_not_a_name;
mod interruption_queue_unset;
mod invalid_karpenter_resource;
mod kubernetes_version_unsupported;
mod latest_ami_alias;
mod node_role_name_guessed;
mod nodepool_outlives_controller;
mod overlapping_budgets;
mod partial_block_devices;
mod restless_nodepool;
mod retired_chart_repository;
mod retired_karpenter_api;
mod retired_pod_annotation;
mod shared_discovery_tag;
mod stale_disruption_toleration;
mod startup_taint_undeclared;
mod stateful_on_shared_pool;
mod stateful_pod_unprotected;
mod unbounded_nodepool;
mod unknown_nodeclass;
mod unpinned_chart_version;
mod unreadable;
mod unused_allowance;

use std::sync::OnceLock;

use crate::{findings::Findings, model::Model, page::Page};

/// A rule: its page and its question.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The text of `rules/<rule>.md`.
    pub page: &'static str,
    /// Says what is wrong in a model. Pure: no I/O, no config, no name or severity of its own.
    pub check: fn(&Model, &mut Findings),
}

/// All rules, in the order of their names.
pub const ALL: &[Rule] = &[
    ambiguous_nodepools::RULE,
    ami_unavailable::RULE,
    bad_release::RULE,
    blanket_toleration::RULE,
    chart_version_prefix::RULE,
    cluster_name_unset::RULE,
    controller_identity_mismatch::RULE,
    controller_on_own_nodes::RULE,
    controller_replicas_unplaceable::RULE,
    controller_selector_unmatched::RULE,
    controller_taint_untolerated::RULE,
    conversion_webhook_disabled::RULE,
    crd_order_undeclared::RULE,
    crd_release_not_forced::RULE,
    crd_version_mismatch::RULE,
    crd_webhook_elsewhere::RULE,
    crds_from_nobody::RULE,
    crds_never_upgraded::RULE,
    crds_not_skipped::RULE,
    dead_chart_value::RULE,
    discovery_tag_mismatch::RULE,
    disruption_taint_untolerated::RULE,
    do_not_disrupt_ignored::RULE,
    do_not_disrupt_misplaced::RULE,
    do_not_disrupt_on_daemonset::RULE,
    drain_blocking_budget::RULE,
    endless_drain::RULE,
    frozen_nodepool::RULE,
    grace_shorter_than_pod::RULE,
    iam_policy_outdated::RULE,
    idle_budget::RULE,
    interruption_queue_not_a_name::RULE,
    interruption_queue_unset::RULE,
    invalid_karpenter_resource::RULE,
    kubernetes_version_unsupported::RULE,
    latest_ami_alias::RULE,
    node_role_name_guessed::RULE,
    nodepool_outlives_controller::RULE,
    overlapping_budgets::RULE,
    partial_block_devices::RULE,
    restless_nodepool::RULE,
    retired_chart_repository::RULE,
    retired_karpenter_api::RULE,
    retired_pod_annotation::RULE,
    shared_discovery_tag::RULE,
    stale_disruption_toleration::RULE,
    startup_taint_undeclared::RULE,
    stateful_on_shared_pool::RULE,
    stateful_pod_unprotected::RULE,
    unbounded_nodepool::RULE,
    unknown_nodeclass::RULE,
    unpinned_chart_version::RULE,
    unreadable::RULE,
    unused_allowance::RULE,
];

/// The rules' pages, in the order of [`ALL`]. A test proves that every page can be read.
#[must_use]
pub fn pages() -> &'static [Page] {
    static PAGES: OnceLock<Vec<Page>> = OnceLock::new();
    PAGES.get_or_init(|| ALL.iter().filter_map(|rule| Page::parse(rule.page).ok()).collect())
}

/// The page of the rule of that name.
#[must_use]
pub fn page(name: &str) -> Option<&'static Page> {
    pages().iter().find(|it| it.name == name)
}
