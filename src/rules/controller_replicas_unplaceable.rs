use crate::{
    checks::controller_nodes::stays_off_own_nodes,
    findings::{Findings, silence::Silence},
    model::{
        Model,
        cluster::{Cluster, NodeGroup},
        controller::ControllerPods,
    },
    resolve::setting::Setting,
    rules::Rule,
    value::cause::Cause,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-replicas-unplaceable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pods in model.controller_pods() {
        let cluster = model.cluster_of_controller(&pods).filter(|it| !it.node_groups.is_empty());
        let Some(cluster) = cluster else { continue };
        let replicas = pods.replicas();
        let crowded = crowded(&pods, &replicas, cluster);
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

/// The one group that has fewer nodes than there are pods, with the number of pods.
fn crowded<'a>(
    pods: &ControllerPods<'_>,
    replicas: &Setting<f64>,
    cluster: &'a Cluster,
) -> Result<(&'a NodeGroup, f64), Silence> {
    let count = *replicas.decided("the number of replicas")?;
    if count < 2.0 {
        return Err(Silence::sound("there is one pod"));
    }
    if !cluster.complete {
        let why = "not all static node groups of the cluster are known";
        return Err(Silence::undecided(Cause::Value, why));
    }
    let [group] = cluster.node_groups.as_slice() else {
        return Err(Silence::sound("there are several static node groups"));
    };
    if *group.max_size.decided("the largest size of the node group")? > 1.0 {
        return Err(Silence::sound("the node group may have several nodes")
            .at(group.max_size.span(), "its largest size"));
    }
    match (pods.wants_nodes_apart(), stays_off_own_nodes(pods)) {
        (Some(true), Some(true)) => Ok((group, count)),
        (Some(false), _) => Err(Silence::sound("its pods may share a node")),
        (_, Some(false)) => Err(Silence::sound("its pods may run on nodes that Karpenter makes")),
        _ => {
            let why = "the affinity of its pods is not known";
            Err(Silence::undecided(Cause::Value, why))
        }
    }
}
