//! Scripts of the repository that keep the order on destroy that the code does not: a person who runs them loses
//! nothing, one who runs `terraform destroy` alone does.

use crate::{
    checks::cleanup::Early,
    findings::silence::Silence,
    model::{Model, karpenter::KarpenterResource, teardown_script::KeptOrder},
    resolve::release::ReleaseCode,
};

/// Why nothing is said where a script keeps an order; what only a document says is no reason.
pub(crate) fn answered(kept: Option<KeptOrder>) -> Option<Silence> {
    let by_script = kept.filter(|it| !it.is_documented)?;
    Some(
        Silence::sound("a script takes care of it before the destroy")
            .at(by_script.span, "the command"),
    )
}

/// The command that removes the nodes or the resource itself before the controller.
pub(crate) fn before_controller(
    model: &Model,
    resource: &KarpenterResource,
    code: &ReleaseCode,
) -> Option<KeptOrder> {
    let has_classes = resource.holds("EC2NodeClass") || resource.holds("AWSNodeTemplate");
    let controller = format!("{}{}", code.module, code.address);
    let first = || model.destroyed_first(resource.root, address(resource)?, &controller);
    let removed = model.removes_nodes_first(resource.root, has_classes);
    removed.or_else(|| Some(first()?.1)).or_else(|| forgotten(model, resource))
}

/// The command by which Terraform forgets a resource.
fn forgotten(model: &Model, resource: &KarpenterResource) -> Option<KeptOrder> {
    model.forgotten_first(resource.root, address(resource)?)
}

/// The command that removes the nodes or the pools before their classes.
pub(crate) fn before_classes(
    model: &Model,
    pools: &KarpenterResource,
    classes: &KarpenterResource,
) -> Option<KeptOrder> {
    let first = || model.destroyed_first(pools.root, address(pools)?, address(classes)?);
    let removed = model.removes_nodes_first(pools.root, false);
    removed.or_else(|| Some(first()?.1)).or_else(|| forgotten(model, pools))
}

/// The command that removes the nodes of pools, or the pools, and waits for them.
pub(crate) fn waiting_for_nodes(model: &Model, pools: &KarpenterResource) -> Option<KeptOrder> {
    let first = || model.destroyed_first(pools.root, address(pools)?, "");
    let removed = model.removes_nodes_first(pools.root, false);
    let first = || first().filter(|it| it.0.awaited).map(|it| it.1);
    removed.or_else(first).or_else(|| forgotten(model, pools))
}

/// The command that removes the nodes, the pools or the controller before what the controller needs, makes Terraform
/// forget the controller, or terminates the instances that are left.
pub(crate) fn before_identity(model: &Model, index: usize, early: &Early<'_>) -> Option<KeptOrder> {
    let before_all = |address: &str| {
        let mut commands =
            early.parts.iter().map(|it| model.destroyed_first(index, address, &it.block.address));
        let first = commands.next()??;
        commands.all(|it| it.is_some()).then_some(first.1)
    };
    let controller = format!("{}{}", early.code.module, early.code.address);
    let own = |it: &&KarpenterResource| it.root == index && it.pools().is_some();
    let pools = || {
        let pools = model.karpenter_resources.iter().filter(own);
        let commands: Option<Vec<KeptOrder>> = pools.map(|it| before_all(address(it)?)).collect();
        commands?.first().copied()
    };
    // Those of another root module are all there are only where none are here.
    let has_none = !early.has_pools && early.unseen.is_none();
    let elsewhere = || model.destroys_pools_first(index).filter(|_| has_none);
    let stopped = || model.stops_controller_first(index);
    let stopped = || stopped().or_else(|| model.forgotten_first(index, &controller));
    let removed = model.removes_nodes_first(index, false);
    let terminated = || model.terminates_instances(index);
    let removed = removed.or_else(|| before_all(&controller)).or_else(pools).or_else(elsewhere);
    removed.or_else(stopped).or_else(terminated)
}

fn address(resource: &KarpenterResource) -> Option<&str> {
    resource.subject.block.as_ref().map(|it| &*it.address)
}
