use crate::{
    checks::controller_nodes::stays_off_own_nodes,
    findings::Findings,
    model::{Model, cluster::NodeGroup, controller::ControllerPods},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-replicas-unplaceable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pods in model.controller_pods() {
        let Some(group) = single_node(model, &pods) else { continue };
        let replicas = pods.replicas();
        let Some(count) = replicas.known().filter(|it| **it >= 2.0) else { continue };
        let apart = pods.wants_nodes_apart() == Some(true);
        if !apart || stays_off_own_nodes(&pods) != Some(true) {
            continue;
        }
        let message = format!("Only one of {count} Karpenter pods finds a node");
        let finding = findings.report(replicas.span(), message);
        finding.about(pods.subject()).note(
            group.max_size.span(),
            "the only static node group has one node at most, and each pod wants its own",
        );
        let written = replicas.is_written();
        let default =
            if written { String::new() } else { format!("; the chart's default is {count}") };
        finding.help(format!("Let the group grow to {count} nodes, or set `replicas: 1`{default}"));
    }
}

/// The only static group of the cluster, if it has one node at most.
fn single_node<'a>(model: &'a Model, pods: &ControllerPods<'_>) -> Option<&'a NodeGroup> {
    let cluster = model.cluster_of_controller(pods).filter(|it| it.complete)?;
    let [group] = cluster.node_groups.as_slice() else { return None };
    group.max_size.known_to_be(&1.0).then_some(group)
}
