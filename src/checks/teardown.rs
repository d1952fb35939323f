//! Scripts that Terraform runs on destroy, and that remove what it does not wait for.

use crate::{
    checks::cleanup::Early,
    model::{
        Model,
        karpenter::KarpenterResource,
        local_run::{RUNNERS, provisioners, runs_on_destroy},
        node_pool::NodePool,
    },
    resolve::terraform::{object::BlockInstance, root::Root},
    source::{Span, file_name},
    value::{Kind, Value},
};

/// What a script deletes with its nodes.
const NODES: [&str; 4] = ["nodepool", "nodeclaim", "provisioner", "machine"];

/// A provisioner that runs before a resource is destroyed.
#[derive(Clone, Copy)]
pub(super) enum Removal {
    /// It removes the nodes of the resource's pools.
    Sure(Span),
    /// It runs a script in a file, which may.
    Possible(Span),
}

/// The provisioner that removes the nodes of a resource's pools before the resource is destroyed, or that waits for
/// them before the controller is. It may name the pools, or mean all.
pub(super) fn removal_before(model: &Model, resource: &KarpenterResource) -> Option<Removal> {
    let root = model.terraform.roots.get(resource.root)?;
    let own =
        |it: &&NodePool| it.scope.root == Some(resource.root) && it.node == Some(resource.node);
    let names: Vec<Option<&str>> =
        model.node_pools.iter().filter(own).map(|it| it.name.known().map(String::as_str)).collect();
    let removal = |it: &Value| match command(it) {
        text if removes_nodes(text, &names) => Some(Removal::Sure(it.name)),
        text if scripts(text).next().is_some() => Some(Removal::Possible(it.name)),
        _ => None,
    };
    let gate = |it: &Value| match command(it) {
        text if waits_for_nodes(text) || terminates_nodes(text) => Some(Removal::Sure(it.name)),
        text if scripts(text).any(|it| it.contains("node")) => Some(Removal::Possible(it.name)),
        _ => None,
    };
    let on_destroy = |it: &&Value| runs_on_destroy(it);
    let before = waiting(root, resource).flat_map(provisioners).filter(on_destroy);
    let after = awaited(root, resource).flat_map(provisioners).filter(on_destroy);
    let found: Vec<Removal> = before.filter_map(removal).chain(after.filter_map(gate)).collect();
    let sure = found.iter().find(|it| matches!(it, Removal::Sure(_)));
    sure.or(found.first()).copied()
}

/// The provisioner by which the nodes of Karpenter are gone although the controller loses some of what it needs: it
/// terminates their instances once the controller is destroyed, or removes all of them before it and these parts are.
pub(crate) fn removal_without(early: &Early<'_>) -> Option<Span> {
    let Early { root, code, .. } = early;
    let outlives = |it: &BlockInstance| root.waits_for(code.node, it.node);
    let precedes = |it: &BlockInstance| early.outlasts(it.node);
    let runs = root.objects.iter().filter(|it| RUNNERS.contains(&&*it.kind));
    runs.flat_map(|it| provisioners(it).iter().map(move |provisioner| (it, provisioner)))
        .filter(|(_, it)| runs_on_destroy(it))
        .find(|(block, it)| {
            let text = command(it);
            terminates_nodes(text) && outlives(block) || removes_nodes(text, &[]) && precedes(block)
        })
        .map(|(_, it)| it.name)
}

/// What a provisioner runs, with marks for what is not known.
fn command(provisioner: &Value) -> &str {
    match provisioner.get("command").present().map(|it| &it.kind) {
        Some(Kind::String(text)) => &text.text,
        _ => "",
    }
}

/// The names of the scripts that a command runs, without their ending.
fn scripts(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split_whitespace().map(|it| it.trim_matches(['"', '\'']));
    words.filter_map(|it| it.strip_suffix(".sh")).map(file_name)
}

/// The resources with provisioners that wait for a resource, and so are destroyed before it.
fn waiting<'m>(
    root: &'m Root,
    resource: &KarpenterResource,
) -> impl Iterator<Item = &'m BlockInstance> {
    let runs = root.objects.iter().filter(|it| RUNNERS.contains(&&*it.kind));
    runs.filter(move |it| root.waits_for(it.node, resource.node))
}

/// Those that a resource waits for, and that are destroyed after it: before the controller, if they wait for that.
fn awaited<'m>(
    root: &'m Root,
    resource: &KarpenterResource,
) -> impl Iterator<Item = &'m BlockInstance> {
    let runs = root.objects.iter().filter(|it| RUNNERS.contains(&&*it.kind));
    runs.filter(move |it| root.waits_for(resource.node, it.node))
}

/// Whether a script removes the nodes of pools with these names.
fn removes_nodes(command: &str, names: &[Option<&str>]) -> bool {
    let deletes = |it: &str| it.contains("delete") && NODES.iter().any(|kind| it.contains(kind));
    let all = command.lines().any(|it| deletes(it) && it.contains("--all"));
    let has = |it: Option<&str>| it.is_some_and(|it| command.contains(it));
    command.lines().any(deletes) && (all || !names.is_empty() && names.iter().copied().all(has))
}

/// Whether what a provisioner runs removes nodes of Karpenter, or lets them go; `None` where it may: by a script, or by
/// what is not known.
pub(super) fn removes_any_nodes(provisioner: &Value) -> Option<bool> {
    let text = command(provisioner);
    if removes_nodes(text, &[]) || terminates_nodes(text) || waits_for_nodes(text) {
        return Some(true);
    }
    let may_be =
        ["karpenter", "nodepool", "nodeclaim", "provisioner", "terminate-instances", " -f", " -k"];
    let is_unseen = text.is_empty() || scripts(text).next().is_some();
    (!is_unseen && !may_be.iter().any(|it| text.contains(it))).then_some(false)
}

/// Whether a script terminates the instances of Karpenter's nodes, which it finds by a tag.
fn terminates_nodes(command: &str) -> bool {
    command.contains("terminate-instances") && command.contains("karpenter")
}

/// Whether a script goes on until the nodes of Karpenter are gone.
fn waits_for_nodes(command: &str) -> bool {
    let asks = |it: &str| it.contains("kubectl") && (it.contains(" get ") || it.contains(" wait "));
    let named = command.contains("nodeclaim") || command.contains("machines.karpenter.sh");
    let goes_on = command.contains("kubectl wait") || command.contains("sleep ");
    named && goes_on && command.lines().any(asks)
}

#[cfg(test)]
mod tests {
    use super::{removes_nodes, terminates_nodes, waits_for_nodes};

    #[test]
    fn a_script_terminates_the_instances_of_nodes() {
        let find = "aws ec2 describe-instances --filters Name=tag-key,Values=karpenter.sh/nodepool";
        for (command, terminates) in [
            (format!("{find} | xargs aws ec2 terminate-instances --instance-ids"), true),
            (find.to_owned(), false),
            ("aws ec2 terminate-instances --instance-ids i-1".to_owned(), false),
        ] {
            assert_eq!(terminates_nodes(&command), terminates, "{command}");
        }
    }

    #[test]
    fn a_script_waits_until_nodes_are_gone() {
        for (command, waits) in [
            ("kubectl wait --for=delete nodeclaims --all --timeout=20m", true),
            ("while kubectl get nodeclaims | grep -q .; do\n  sleep 10\ndone", true),
            ("kubectl get nodeclaims", false),
            ("sleep 60", false),
            ("kubectl wait --for=delete pod/ledger", false),
        ] {
            assert_eq!(waits_for_nodes(command), waits, "{command}");
        }
    }

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
