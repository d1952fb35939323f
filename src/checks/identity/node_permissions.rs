//! What the role of static nodes allows: pods that have no identity of their own get the credentials of their node.

use crate::{
    checks::identity::{
        association::role_behind,
        own_policy::{attached, attached_to},
        statements::{Policy, allow_controller, managed, of_arn},
        trust::expression,
    },
    resolve::terraform::{
        module_source::ModuleSource,
        object::{BlockInstance, Mode},
        root::Root,
    },
    value::Value,
};

/// The input by which the module `eks` and its submodule give the role of a node group more policies.
const MORE_POLICIES: &str = "iam_role_additional_policies";

/// The block by which the role of static nodes of a root may do what the controller does.
pub(super) fn of_nodes(root: &Root) -> Option<&BlockInstance> {
    let mut templates = root.of(Mode::Resource, "aws_launch_template").peekable();
    if templates.peek().is_some() && templates.all(keeps_pods_off) {
        return None;
    }
    let groups = root.of(Mode::Resource, "aws_eks_node_group");
    let mut roles: Vec<&BlockInstance> = groups
        .filter_map(|it| role_behind(root, it.body.get("node_role_arn").present()?))
        .collect();
    roles.dedup_by_key(|it| it.node);
    let of_roles = roles.into_iter().map(|it| attached(root, it));
    let modules = root.of(Mode::Module, "module").filter(|it| makes_nodes(it));
    let mut all = of_roles.chain(modules.map(|it| given_to_nodes(root, it)));
    let own = all.find(|it| allow_controller(it))?;
    let main = own.iter().find(|it| it.is_for_karpenter()).or(own.first());
    main.map(|it| it.block)
}

fn makes_nodes(call: &BlockInstance) -> bool {
    let source = ModuleSource::of(call);
    source.is(ModuleSource::EKS) || source.is(ModuleSource::EKS_MANAGED_NODE_GROUP)
}

/// The policies that the roles of the node groups of a module get: in its own input, in the defaults of all groups, in
/// those of one, and from blocks beside it.
fn given_to_nodes<'r>(root: &'r Root, call: &'r BlockInstance) -> Vec<Policy<'r>> {
    let groups = call.body.entries().iter().filter(|it| it.key.contains("node_group"));
    let inside = groups.flat_map(|it| {
        let each = it.value.entries().iter().map(|it| &it.value);
        [&it.value].into_iter().chain(each)
    });
    let holders = [&call.body].into_iter().chain(inside);
    let lists = holders.filter_map(|it| it.get(MORE_POLICIES).present());
    let arns = lists.flat_map(|it| it.entries().iter().map(|it| &it.value).chain(it.items()));
    let behind =
        |arn: &'_ Value| of_arn(root, Some(arn)).or_else(|| managed(root, call, Some(arn)));
    let mut found: Vec<Policy<'_>> = arns.filter_map(behind).collect();
    found.extend(attached_to(root, &|it| is_of_group(it, call)));
    found
}

/// Whether a value names the role of a node group that a module makes:
/// `module.eks.eks_managed_node_groups["first"].iam_role_name`.
fn is_of_group(value: &Value, call: &BlockInstance) -> bool {
    let own = format!("module.{}.", call.name);
    expression(value).is_some_and(|it| it.starts_with(&own) && it.contains("node_group"))
}

/// Whether the answers of the metadata service do not get as far as a pod; EKS lets them, unless a template says less
/// than two hops.
fn keeps_pods_off(template: &BlockInstance) -> bool {
    let options = template.body.get("metadata_options").present().and_then(|it| it.items().first());
    let hops = options.and_then(|it| it.get("http_put_response_hop_limit").present()?.to_number());
    hops.is_some_and(|it| it < 2.0)
}
