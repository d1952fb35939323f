//! The rules, one file each.

mod agent_missing_on_pool;
mod ambiguous_nodepools;
mod ami_unavailable;
mod blanket_toleration;
mod chart_does_not_render;
mod chart_version_prefix;
mod cluster_name_unset;
mod consolidate_after_too_short;
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
mod crds_never_upgraded;
mod crds_not_installed;
mod crds_not_skipped;
mod dead_chart_value;
mod denied_by_policy;
mod discovery_tag_mismatch;
mod disruption_taint_untolerated;
mod do_not_disrupt_ignored;
mod do_not_disrupt_misplaced;
mod do_not_disrupt_on_daemonset;
mod drain_blocking_pdb;
mod endless_drain;
mod forbidden_upgrade;
mod frozen_nodepool;
mod grace_shorter_than_pod;
mod iam_policy_outdated;
mod identity_destroyed_early;
mod interruption_queue_not_a_name;
mod interruption_queue_unset;
mod invalid_karpenter_resource;
mod known_bad_release;
mod kubernetes_version_unsupported;
mod latest_ami_alias;
mod node_role_name_guessed;
mod nodeclass_destroyed_early;
mod nodepool_deleted_in_background;
mod nodepool_outlives_controller;
mod overlapping_pdbs;
mod partial_block_devices;
mod pdb_selects_nothing;
mod plan_time_crd;
mod pod_unplaceable;
mod replace_drains_pool;
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
mod unsatisfiable_nodepool;
mod unused_allowance;
mod unused_nodepool;
mod upgrade_leftovers;

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
    agent_missing_on_pool::RULE,
    ambiguous_nodepools::RULE,
    ami_unavailable::RULE,
    blanket_toleration::RULE,
    chart_does_not_render::RULE,
    chart_version_prefix::RULE,
    cluster_name_unset::RULE,
    consolidate_after_too_short::RULE,
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
    crds_never_upgraded::RULE,
    crds_not_installed::RULE,
    crds_not_skipped::RULE,
    dead_chart_value::RULE,
    denied_by_policy::RULE,
    discovery_tag_mismatch::RULE,
    disruption_taint_untolerated::RULE,
    do_not_disrupt_ignored::RULE,
    do_not_disrupt_misplaced::RULE,
    do_not_disrupt_on_daemonset::RULE,
    drain_blocking_pdb::RULE,
    endless_drain::RULE,
    forbidden_upgrade::RULE,
    frozen_nodepool::RULE,
    grace_shorter_than_pod::RULE,
    iam_policy_outdated::RULE,
    identity_destroyed_early::RULE,
    interruption_queue_not_a_name::RULE,
    interruption_queue_unset::RULE,
    invalid_karpenter_resource::RULE,
    known_bad_release::RULE,
    kubernetes_version_unsupported::RULE,
    latest_ami_alias::RULE,
    node_role_name_guessed::RULE,
    nodeclass_destroyed_early::RULE,
    nodepool_deleted_in_background::RULE,
    nodepool_outlives_controller::RULE,
    overlapping_pdbs::RULE,
    partial_block_devices::RULE,
    pdb_selects_nothing::RULE,
    plan_time_crd::RULE,
    pod_unplaceable::RULE,
    replace_drains_pool::RULE,
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
    unsatisfiable_nodepool::RULE,
    unused_allowance::RULE,
    unused_nodepool::RULE,
    upgrade_leftovers::RULE,
];

/// The rules with their pages, in the order of [`ALL`]. A test proves that every page can be read.
#[must_use]
pub fn with_pages() -> &'static [(Rule, Page)] {
    static RULES: OnceLock<Vec<(Rule, Page)>> = OnceLock::new();
    RULES.get_or_init(|| read(ALL))
}

/// The names of the rules that a name stands for: its own, or those of a topic. Empty where it is neither.
#[must_use]
pub fn named(name: &str) -> Vec<&'static str> {
    let is = |it: &&Page| it.name == name || it.topic == name;
    pages().filter(is).map(|it| it.name).collect()
}

/// The rules whose page can be read, each with its own.
fn read(rules: &[Rule]) -> Vec<(Rule, Page)> {
    rules.iter().filter_map(|rule| Some((*rule, Page::parse(rule.page).ok()?))).collect()
}

/// The rules' pages, in the order of [`ALL`].
pub fn pages() -> impl Iterator<Item = &'static Page> {
    with_pages().iter().map(|(_, page)| page)
}

/// The page of the rule of that name.
#[must_use]
pub fn page(name: &str) -> Option<&'static Page> {
    pages().find(|it| it.name == name)
}

#[cfg(test)]
mod tests {
    use super::{ALL, Rule, read};

    #[test]
    fn a_page_that_cannot_be_read_takes_no_other_rules_name() {
        let broken = Rule { page: "no front matter", ..ALL[0] };
        let rules = [broken, ALL[1], ALL[2]];
        let names = read(&rules).into_iter().map(|(rule, page)| (rule.page, page.name));
        let wanted = [(ALL[1].page, "ambiguous-nodepools"), (ALL[2].page, "ami-unavailable")];
        assert_eq!(names.collect::<Vec<_>>(), wanted);
    }
}
