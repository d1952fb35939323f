//! Scripts of the repository that keep the order on destroy that the code does not: a person who runs them loses
//! nothing, one who runs `terraform destroy` alone does.

use crate::{
    checks::cleanup::Early,
    knowledge::module_output::ModulePart,
    model::{Model, karpenter::KarpenterResource},
    resolve::release::ReleaseCode,
    source::Span,
};

/// The command that removes the nodes or the resource itself before the controller.
pub(crate) fn before_controller(
    model: &Model,
    resource: &KarpenterResource,
    code: &ReleaseCode,
) -> Option<Span> {
    let has_classes = resource.holds("EC2NodeClass") || resource.holds("AWSNodeTemplate");
    let controller = format!("{}{}", code.module, code.address);
    let first = || model.destroyed_first(resource.root, address(resource)?, &controller);
    model.removes_nodes_first(resource.root, has_classes).or_else(|| Some(first()?.span))
}

/// The command that removes the nodes or the pools before their classes.
pub(crate) fn before_classes(
    model: &Model,
    pools: &KarpenterResource,
    classes: &KarpenterResource,
) -> Option<Span> {
    let first = || model.destroyed_first(pools.root, address(pools)?, address(classes)?);
    model.removes_nodes_first(pools.root, false).or_else(|| Some(first()?.span))
}

/// The command that removes the nodes of pools, or the pools, and waits for them.
pub(crate) fn waiting_for_nodes(model: &Model, pools: &KarpenterResource) -> Option<Span> {
    let first = || model.destroyed_first(pools.root, address(pools)?, "");
    let removed = model.removes_nodes_first(pools.root, false);
    removed.or_else(|| first().filter(|it| it.awaited).map(|it| it.span))
}

/// The command that removes the nodes, the pools or the controller before what the controller needs. None for an
/// association, which has to be there first.
pub(crate) fn before_identity(model: &Model, index: usize, early: &Early<'_>) -> Option<Span> {
    if early.parts.iter().any(|it| it.part == ModulePart::Association) {
        return None;
    }
    let before_all = |address: &str| {
        let mut commands =
            early.parts.iter().map(|it| model.destroyed_first(index, address, &it.block.address));
        let first = commands.next()??;
        commands.all(|it| it.is_some()).then_some(first.span)
    };
    let controller = format!("{}{}", early.code.module, early.code.address);
    let own = |it: &&KarpenterResource| it.root == index && it.pools().is_some();
    let pools = || {
        let pools = model.karpenter_resources.iter().filter(own);
        let commands: Option<Vec<Span>> = pools.map(|it| before_all(address(it)?)).collect();
        commands?.first().copied()
    };
    model.removes_nodes_first(index, false).or_else(|| before_all(&controller)).or_else(pools)
}

fn address(resource: &KarpenterResource) -> Option<&str> {
    resource.subject.block.as_ref().map(|it| &*it.address)
}
