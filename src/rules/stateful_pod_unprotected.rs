use std::collections::BTreeMap;

use crate::{
    findings::{Findings, Note, Severity},
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
    // One object of a base may be built by several overlays.
    let mut twins: BTreeMap<_, Vec<&Workload>> = BTreeMap::new();
    for workload in &model.workloads {
        twins.entry(workload.anchor).or_default().push(workload);
    }
    for (anchor, twins) in twins {
        let bare: Vec<(&Workload, Vec<Note>)> =
            twins.iter().filter_map(|it| Some((*it, unprotected(model, it)?))).collect();
        let Some((first, near)) = bare.first() else { continue };
        let name = &first.name;
        let message = format!("Nothing protects `{name}` from being evicted by Karpenter");
        let finding = findings.report(anchor, message);
        finding.notes(near.clone()).help(format!(
            "Add a PodDisruptionBudget that selects these pods, or `karpenter.sh/do-not-disrupt: \"true\"` to {}",
            first.annotations_place()
        ));
        if bare.len() < twins.len() {
            finding.notes(bare.iter().filter_map(|(it, _)| model.overlay_note(it)));
        }
        if !model.uses_karpenter {
            finding.at_most(Severity::Note);
        }
    }
}

/// What nearly protects the pods, if Karpenter may evict them and nothing does protect them.
fn unprotected(model: &Model, workload: &Workload) -> Option<Vec<Note>> {
    if !is_stateful(workload) || workload.replicas.known_to_be(&0.0) {
        return None;
    }
    let tolerated = model.tolerates_disruption(workload);
    if tolerated != Some(false) || model.runs_on_fargate(workload) {
        return None;
    }
    match model.protection(workload) {
        Protection::Nothing { near } => Some(near),
        Protection::Given | Protection::Unknown => None,
    }
}

fn is_stateful(workload: &Workload) -> bool {
    match workload.kind {
        WorkloadKind::StatefulSet | WorkloadKind::Custom => true,
        WorkloadKind::Deployment | WorkloadKind::Pod => workload.mounts_claim,
        WorkloadKind::DaemonSet => false,
    }
}
