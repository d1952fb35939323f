//! What makes the nodes that a controller may run on, and what else it needs.

use crate::{
    checks::unread::of_provisioner,
    findings::silence::Silence,
    model::{Model, cluster::FargateSelector, controller::ControllerPods},
    resolve::{
        effective::EffectivePod,
        release::{Release, surface::Surface},
        terraform::{
            module_source::{ModuleSource, TwoAddresses},
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    value::{Field, Value},
};

/// Where `CoreDNS` runs, without which most controllers find nothing.
const OF_DNS: &str = "kube-system";

/// What makes the nodes that a controller may run on, if that is in its root; `None` where not all of it is seen, or
/// there are several clusters.
pub(super) fn hosts<'m>(
    model: &Model,
    (index, root): (usize, &'m Root),
    release: &Release,
) -> Option<Vec<&'m BlockInstance>> {
    let mut clusters = model.clusters.iter().filter(|it| it.scope.root == Some(index));
    let Some(first) = clusters.next() else { return Some(Vec::new()) };
    if !first.complete || first.may_be_auto || clusters.next().is_some() || root.incomplete {
        return None;
    }
    let kinds = ["aws_eks_node_group", "aws_eks_fargate_profile", "aws_autoscaling_group"];
    let resources = kinds.iter().flat_map(|it| root.of(Mode::Resource, it));
    let calls = root.of(Mode::Module, "module").filter(|it| !it.entered);
    let calls = calls.filter(|it| {
        let is = |known: TwoAddresses| ModuleSource::of(it).is(known);
        is(ModuleSource::EKS_MANAGED_NODE_GROUP)
            || is(ModuleSource::EKS_FARGATE)
            || (is(ModuleSource::EKS) && has_any(it, &OF_MODULE))
    });
    let all = resources.chain(calls).filter(|it| !root.is_off(it));
    Some(all.filter(|it| !is_of_other_pods(it, release)).collect())
}

/// Whether a root makes the cluster itself, which has no nodes before.
pub(super) fn makes_cluster(root: &Root) -> bool {
    let resources = root.of(Mode::Resource, "aws_eks_cluster");
    let calls = root.of(Mode::Module, "module");
    let calls = calls.filter(|it| !it.entered && ModuleSource::of(it).is(ModuleSource::EKS));
    resources.chain(calls).any(|it| !root.is_off(it))
}

/// Whether a block makes only nodes of Fargate.
pub(crate) fn is_of_fargate(block: &BlockInstance) -> bool {
    let is_call =
        |known: TwoAddresses| block.mode == Mode::Module && ModuleSource::of(block).is(known);
    &*block.kind == "aws_eks_fargate_profile"
        || is_call(ModuleSource::EKS_FARGATE)
        || is_call(ModuleSource::EKS)
            && has_any(block, &OF_MODULE[2..])
            && !has_any(block, &OF_MODULE[..2])
}

/// The inputs of the EKS module that make nodes, those of Fargate last.
const OF_MODULE: [&str; 3] =
    ["eks_managed_node_groups", "self_managed_node_groups", "fargate_profiles"];

fn has_any(call: &BlockInstance, inputs: &[&str]) -> bool {
    let groups = inputs.iter().filter_map(|it| call.body.get(it).present());
    groups.into_iter().any(|it| !Value::entries(it).is_empty())
}

/// Whether a Fargate profile takes neither the controller nor the DNS of its cluster.
fn is_of_other_pods(block: &BlockInstance, release: &Release) -> bool {
    let selectors = match block.mode {
        Mode::Module if ModuleSource::of(block).is(ModuleSource::EKS_FARGATE) => "selectors",
        Mode::Resource if &*block.kind == "aws_eks_fargate_profile" => "selector",
        _ => return false,
    };
    let selectors: Vec<FargateSelector> = match block.body.get(selectors) {
        Field::Missing => return false,
        written => FargateSelector::list(written),
    };
    let Some(pods) = ControllerPods::of(release) else { return false };
    let own = |it: &FargateSelector| {
        let selects = |pod: &EffectivePod| it.selects(pods.namespace(), &pod.labels) != Some(false);
        pods.pods().is_empty() || pods.pods().iter().any(selects)
    };
    let may_take = |it: &FargateSelector| own(it) || it.selects_namespace(OF_DNS) == Some(true);
    !selectors.iter().any(may_take)
}

/// Why nothing is known of what a release needs that no Terraform code of its root makes.
pub(super) fn made_elsewhere(release: &Release) -> Silence {
    if release.surface() == Surface::Script && release.scope.root.is_some() {
        return of_provisioner(release);
    }
    Silence::sound("another tool or root module makes what it needs")
}
