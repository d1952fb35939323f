//! Scripts that Terraform runs on destroy, and that remove what it does not wait for.

use crate::{
    model::{Model, karpenter::KarpenterResource, node_pool::NodePool},
    resolve::terraform::{object::BlockInstance, root::Root},
    source::Span,
    value::{Field, Value},
};

/// Resources that exist for their provisioners.
const RUNNERS: [&str; 2] = ["null_resource", "terraform_data"];

/// What a script deletes with its nodes.
const NODES: [&str; 4] = ["nodepool", "nodeclaim", "provisioner", "machine"];

/// The provisioner that removes the nodes of a resource's pools before the resource is destroyed. It may
/// name the pools, or mean all.
pub(super) fn script_of(model: &Model, resource: &KarpenterResource) -> Option<Span> {
    let root = model.terraform.roots.get(resource.root)?;
    let own =
        |it: &&NodePool| it.scope.root == Some(resource.root) && it.node == Some(resource.node);
    let names: Vec<Option<&str>> =
        model.node_pools.iter().filter(own).map(|it| it.name.known().map(String::as_str)).collect();
    let removes = |it: &&Value| {
        let command = it.get("command").present().and_then(Value::as_str).unwrap_or_default();
        !it.get("when").is_missing() && removes_nodes(command, &names)
    };
    waiting(root, resource).flat_map(provisioners).find(removes).map(|it| it.name)
}

/// The resources with provisioners that wait for a resource, and so are destroyed before it.
fn waiting<'m>(
    root: &'m Root,
    resource: &KarpenterResource,
) -> impl Iterator<Item = &'m BlockInstance> {
    let runs = root.objects.iter().filter(|it| RUNNERS.contains(&&*it.kind));
    runs.filter(move |it| root.waits_for(it.node, resource.node))
}

fn provisioners(block: &BlockInstance) -> &[Value] {
    match block.body.get("provisioner") {
        Field::Present(list) => list.items(),
        _ => &[],
    }
}

/// Whether a script removes the nodes of pools with these names.
fn removes_nodes(command: &str, names: &[Option<&str>]) -> bool {
    let deletes = |it: &str| it.contains("delete") && NODES.iter().any(|kind| it.contains(kind));
    let all = command.lines().any(|it| deletes(it) && it.contains("--all"));
    let has = |it: Option<&str>| it.is_some_and(|it| command.contains(it));
    command.lines().any(deletes) && (all || !names.is_empty() && names.iter().copied().all(has))
}

#[cfg(test)]
mod tests {
    use super::removes_nodes;

    #[test]
    fn a_script_removes_the_nodes_of_the_pools_it_names() {
        for (command, pool, removes) in [
            ("kubectl delete nodepool spot", Some("spot"), true),
            ("kubectl delete nodepool spot", Some("on-demand"), false),
            ("kubectl delete nodepool spot", None, false),
            ("kubectl delete nodeclaims --all --wait", None, true),
            ("kubectl delete pods --all", None, false),
            ("echo spot", Some("spot"), false),
        ] {
            assert_eq!(removes_nodes(command, &[pool]), removes, "{command}");
        }
    }
}
