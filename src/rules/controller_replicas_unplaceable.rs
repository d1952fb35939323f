use crate::{
    checks::controller_nodes::{cluster_of, crowded},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-replicas-unplaceable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pods in model.controller_pods() {
        let Some(cluster) = cluster_of(model, &pods) else { continue };
        let replicas = pods.replicas();
        let crowded = cluster.and_then(|it| crowded(&pods, &replicas, it));
        let Some((group, count)) = findings.fault(replicas.span(), crowded) else { continue };
        let message = format!("Only one of {count} Karpenter pods finds a node");
        let finding = findings.report(replicas.span(), message);
        finding.about(pods.subject()).note(
            group.max_size.span(),
            "the only static node group has one node at most, and each pod needs its own",
        );
        let written = replicas.is_written();
        let default =
            if written { String::new() } else { format!("; the chart's default is {count}") };
        finding.help(format!("Let the group grow to {count} nodes, or set `replicas: 1`{default}"));
    }
}
