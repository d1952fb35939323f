use crate::{
    findings::Findings,
    model::{
        Model,
        controller::{ControllerPods, Opening, Way},
        node_pool::{EC2, NodePool},
        scope::Scoped,
    },
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/controller-on-own-nodes.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pods in model.controller_pods() {
        let Some(opening) = pods.opening() else { continue };
        if may_run_elsewhere(model, &pods, &opening) {
            continue;
        }
        findings
            .report(opening.span, "Karpenter may run on a node that it drains itself")
            .instance(pods.instance())
            .help(help(&opening));
    }
}

/// Whether the pods may be meant for Fargate or for the pools of EKS Auto Mode, or none of the pools takes them.
fn may_run_elsewhere(model: &Model, pods: &ControllerPods<'_>, opening: &Opening) -> bool {
    let clusters = model.clusters_near(pods.scope());
    // Values that only take the affinity away may be for such a cluster outside of the repository.
    let unseen =
        opening.way == Way::Removed && (clusters.is_empty() || pods.may_target_other_cluster());
    let elsewhere = clusters.iter().any(|it| it.may_be_auto || pods.may_run_on_fargate(it));
    let pools: Vec<&NodePool> = model.pool_groups(pods.scope()).concat();
    let auto = pools.iter().any(|it| !it.class_group.known_to_be(EC2));
    let closed = !pools.is_empty() && pools.iter().all(|it| pods.may_run_in(it) == Some(false));
    unseen || elsewhere || pods.expects_fargate() || auto || closed
}

fn help(opening: &Opening) -> String {
    let label = &opening.label;
    match opening.way {
        Way::Removed => "Leave the chart its `nodeAffinity`".to_owned(),
        Way::Retired => format!("Ask for `{label}` instead: Karpenter's nodes carry that"),
        Way::Replaced => format!("Add key `{label}` with operator `DoesNotExist` to each term"),
    }
}
