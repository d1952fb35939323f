use crate::{
    findings::{Findings, Severity},
    model::{
        Model,
        protection::Protection,
        workload::{Workload, WorkloadKind},
    },
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/stateful-pod-unprotected.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for workload in model.workloads.iter().filter(|it| is_stateful(it)) {
        let tolerated = model.tolerates_disruption(workload);
        let evicted = tolerated == Some(false) && !model.runs_on_fargate(workload);
        if workload.replicas.known_to_be(&0.0) || !evicted {
            continue;
        }
        let Protection::Nothing { near } = model.protection(workload) else { continue };
        let name = &workload.name;
        let finding = findings.report(
            workload.anchor,
            format!("Nothing protects `{name}` from being evicted by Karpenter"),
        );
        finding.notes(near).help(format!(
            "Add a PodDisruptionBudget that selects these pods, or `karpenter.sh/do-not-disrupt: \"true\"` to {}",
            workload.annotations_place()
        ));
        if !model.uses_karpenter {
            finding.at_most(Severity::Note);
        }
    }
}

fn is_stateful(workload: &Workload) -> bool {
    match workload.kind {
        WorkloadKind::StatefulSet | WorkloadKind::Custom => true,
        WorkloadKind::Deployment | WorkloadKind::Pod => workload.mounts_claim,
        WorkloadKind::DaemonSet => false,
    }
}
