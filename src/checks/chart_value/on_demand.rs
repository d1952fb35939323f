//! Controllers whose nodes are on-demand ones alone.

use std::borrow::Cow;

use crate::{
    model::{
        Model, node_pool::NodePool, provisioner::Provisioner, requirement::value_set::ValueSet,
    },
    resolve::release::Release,
    source::Span,
};

/// The label that tells how a node is paid for.
const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";

/// Where the first pool or Provisioner is, if a controller has those of on-demand nodes alone: EC2 announces to these
/// only what scheduled maintenance and failures of hardware take.
#[must_use]
pub(crate) fn on_demand(model: &Model, controller: &Release) -> Option<Span> {
    let former = Provisioner::all(model).filter(|it| is_near(model, it, controller));
    let former = former.map(|it| Cow::Owned(it.as_pool()));
    let pools = model.pool_groups(&controller.scope).concat().into_iter().map(Cow::Borrowed);
    let pools: Vec<Cow<'_, NodePool>> = pools.chain(former).collect();
    let is_on_demand = |it: &Cow<'_, NodePool>| {
        let types = it.offerings.requirements().get(CAPACITY_TYPE).and_then(ValueSet::listed);
        types.is_some_and(|it| !it.is_empty() && it.iter().all(|it| it == "on-demand"))
    };
    let first = pools.first()?.report_span;
    pools.iter().all(is_on_demand).then_some(first)
}

/// Whether a controller is among those nearest to a Provisioner.
fn is_near(model: &Model, provisioner: &Provisioner<'_>, controller: &Release) -> bool {
    let near = provisioner.resource.controllers.iter();
    let near = near.filter_map(|it| model.releases.get(model.installations.get(*it)?.release?));
    near.into_iter().any(|it| std::ptr::eq(it, controller))
}
