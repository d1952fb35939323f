//! Controllers whose nodes are on-demand ones alone.

use crate::{
    model::{
        Model, installation::Installation, node_pool::NodePool, provisioner::Provisioner,
        scope::Scoped,
    },
    resolve::{
        release::{Release, surface::Surface},
        scope::Scope,
    },
    source::{FileId, Span},
};

/// The label that tells how a node is paid for.
const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";

/// Where the first pool or Provisioner is, if a controller has those of on-demand nodes alone: EC2 announces to these
/// only what scheduled maintenance and failures of hardware take.
#[must_use]
pub(crate) fn on_demand(model: &Model, controller: &Release) -> Option<Span> {
    let is_it = |it: &Installation| {
        let release = it.release.and_then(|it| model.releases.get(it));
        release.is_some_and(|it| std::ptr::eq(it, controller))
    };
    // A script that makes both is about one cluster: the pools of other scripts may be of another.
    let script = (controller.surface() == Surface::Script).then_some(controller.report_span.file);
    on_demand_near(model, (&controller.scope, script), &is_it)
}

/// The same of a controller that is not installed by a release.
#[must_use]
pub(crate) fn on_demand_of_rendered(model: &Model, controller: &Installation) -> Option<Span> {
    on_demand_near(model, (controller.scope(), None), &|it| std::ptr::eq(it, controller))
}

fn on_demand_near(
    model: &Model,
    (scope, script): (&Scope, Option<FileId>),
    is_it: &dyn Fn(&Installation) -> bool,
) -> Option<Span> {
    let is_near = |it: &Provisioner<'_>| {
        let near = &it.resource.controllers;
        near.iter().filter_map(|it| model.installations.get(*it)).any(is_it)
    };
    let mut former: Vec<Provisioner<'_>> = Provisioner::all(model).filter(is_near).collect();
    let mut pools = model.pool_groups(scope).concat();
    let is_beside = |it: &&NodePool| Some(it.report_span.file) == script;
    if pools.iter().any(is_beside) {
        pools.retain(is_beside);
    }
    if former.is_empty() && pools.is_empty() {
        // Of those that it reads no longer no nodes come; they still tell which nodes are meant.
        former = Provisioner::written(model).filter(is_near).collect();
    }
    let first = pools.first().map(|it| it.report_span);
    let first = first.or(former.first().map(|it| it.resource.report_span))?;
    let only_on_demand = pools.iter().all(|it| is_on_demand(it, false))
        && former.iter().all(|it| is_on_demand(&it.as_pool(), true));
    only_on_demand.then_some(first)
}

/// Whether a pool launches on-demand nodes alone. A Provisioner that does not say it does:
/// <https://github.com/aws/karpenter-provider-aws/blob/v0.31.1/pkg/apis/v1alpha5/provisioner.go>.
fn is_on_demand(pool: &NodePool, by_default: bool) -> bool {
    let requirements = pool.offerings.requirements();
    let Some(types) = requirements.get(CAPACITY_TYPE) else {
        return by_default && !requirements.is_open();
    };
    types.listed().is_some_and(|it| !it.is_empty() && it.iter().all(|it| it == "on-demand"))
}
