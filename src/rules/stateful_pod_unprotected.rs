use crate::{
    checks::{
        absent, naming,
        older_karpenter::has_unseen_provisioners,
        protection::exposed,
        unprotected::{RemedyKind, Together, Unprotected, by_installer, keeps, keeps_logs, shared},
        unseen_pods::{may_keep_data, unknown_charts, unknown_versions, unverified},
    },
    findings::{Findings, Severity, silence::Silence, subject::Subject},
    model::{
        Model,
        workload::{Workload, WorkloadKind, storage::Storage},
    },
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/stateful-pod-unprotected.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let unseen = unknown_charts(model).chain(unknown_versions(model));
    let unseen = unseen.chain(absent::of_others(model));
    for (release, silence) in unseen.chain(unverified(model, may_keep_data)) {
        findings.silent(release, silence);
    }
    let mut found = Together::of(model);
    for workload in model.workloads.iter().filter(|it| it.is_stateful()) {
        let exposed = exposed(model, workload);
        let Some(near) = findings.fault(workload.report_span, exposed) else { continue };
        let silence = soon_back(workload).map(Silence::sound).or_else(|| by_installer(workload));
        match silence {
            Some(silence) => findings.silent(workload.report_span, silence),
            None => found.add(workload, near),
        }
    }
    let shows_nodes = model.shows_nodes_of_karpenter();
    for Unprotected { workload, near, remedy, .. } in found.list {
        let called = naming::workloads(&remedy.workloads);
        let message = match remedy.kind {
            RemedyKind::Namespace(..) => {
                format!("The PDB for {called} is in another namespace than its pods")
            }
            _ => format!("Nothing protects {called} from being evicted by Karpenter"),
        };
        let finding = findings.report(workload.report_span, message);
        finding.about(workload.subject.as_ref()).notes(near).help(remedy.help(model));
        if let Some(shared) = shared(workload).filter(|it| it.span != workload.report_span) {
            finding.note_elsewhere(shared.span, "this template makes others, too");
        }
        if workload.is_off || workload.managed.as_ref().is_some_and(|it| it.is_for_anybody) {
            finding.at_most(Severity::Note);
        }
        // Pods that leave nothing on their node, or nothing of worth, are soon back elsewhere.
        let is_soon_back = !keeps(workload) || keeps_logs(workload) || workload.runs_bare_images();
        if is_soon_back || !shows_nodes || has_unseen_provisioners(model, &workload.scope) {
            finding.at_most(Severity::Note);
        }
    }
}

/// Why pods that are evicted lose nothing, although they have volumes.
fn soon_back(workload: &Workload) -> Option<&'static str> {
    if workload.kind == WorkloadKind::ReplicaSet {
        return Some(
            "a ReplicaSet that is written by hand is not judged: a Deployment makes those that run",
        );
    }
    if workload.only_waits() {
        return Some("its containers only wait for somebody to look into its volumes");
    }
    if workload.storage == Storage::ReadOnlyClaims {
        return Some("its pods only read their volumes, and lose nothing");
    }
    if workload.holds_only_configuration() {
        return Some("its pods have no volume for data, only configuration");
    }
    if workload.storage == Storage::Caches {
        return Some("its pods keep caches in their volumes, and fetch again what they miss");
    }
    if workload.storage == Storage::Sockets {
        return Some("its pods keep only sockets in their volumes, and make them anew");
    }
    let is_switched_on = workload.subject.as_ref().is_some_and(Subject::is_switched_on);
    if is_switched_on && workload.storage == Storage::Nothing {
        return Some("its chart leaves it off, and it keeps nothing where it is switched on");
    }
    let is_shared = workload.storage == Storage::SharedClaims;
    let is_set = workload.kind == WorkloadKind::StatefulSet;
    let is_reusable = workload.subject.as_ref().is_some_and(Subject::is_reusable);
    (is_shared && (!is_set || is_reusable))
        .then_some("any node mounts its volumes: its pods are soon back on another one")
}
