use crate::{
    checks::{
        absent, naming,
        older_karpenter::{has_provisioners, may_need_old_name},
        protection::{exposed, pdb_elsewhere, with_several},
        unseen_pods::{may_keep_data, unknown_charts, unknown_versions, unverified},
    },
    findings::{
        Findings, Severity,
        silence::Silence,
        subject::{SharedTemplate, Subject},
    },
    model::{
        Model,
        workload::{Protection, ProtectionPaths, Workload, WorkloadKind, storage::Storage},
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
    let several = with_several(model);
    let shows_nodes = model.shows_nodes_of_karpenter();
    for workload in model.workloads.iter().filter(|it| it.is_stateful()) {
        let exposed = exposed(model, workload);
        let Some(near) = findings.fault(workload.report_span, exposed) else { continue };
        if let Some(words) = soon_back(workload) {
            findings.silent(workload.report_span, Silence::sound(words));
            continue;
        }
        let called = naming::workload(workload);
        let elsewhere = pdb_elsewhere(model, workload);
        let message = match elsewhere {
            Some(_) => format!("The PDB for {called} is in another namespace than its pods"),
            None => format!("Nothing protects {called} from being evicted by Karpenter"),
        };
        let is_lone = !several.contains(&workload.report_span);
        let finding = findings.report(workload.report_span, message);
        finding.about(workload.subject.as_ref()).notes(near).help(match elsewhere {
            Some((pdb, ours)) => {
                format!("Set `metadata.namespace` of PDB `{}` to `{ours}`", pdb.name)
            }
            None => help(workload, annotation(model, workload), is_lone),
        });
        if let Some(shared) = shared(workload).filter(|it| it.span != workload.report_span) {
            finding.note_elsewhere(shared.span, "this template makes others, too");
        }
        if workload.managed.as_ref().is_some_and(|it| it.is_for_anybody) {
            finding.at_most(Severity::Note);
        }
        // Pods that leave nothing on their node are soon back elsewhere.
        let keeps = !matches!(workload.storage, Storage::Nothing | Storage::SharedClaims);
        if !keeps || !shows_nodes {
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

/// The template of the pods, where it makes others, too.
fn shared(workload: &Workload) -> Option<&SharedTemplate> {
    workload.subject.as_ref()?.shared.as_ref()
}

/// The annotation that keeps pods where they are.
fn annotation(model: &Model, workload: &Workload) -> &'static str {
    let scope = &workload.scope;
    if has_provisioners(model, scope) || may_need_old_name(model, scope).is_err() {
        "`karpenter.sh/do-not-evict: \"true\"`"
    } else {
        "`karpenter.sh/do-not-disrupt: \"true\"`"
    }
}

fn help(workload: &Workload, annotation: &str, is_lone: bool) -> String {
    let below = annotation;
    let annotation = format!("{annotation} to {}", place(workload));
    match &workload.protection {
        Some(Protection::Below(keys)) => format!(
            "Add a PodDisruptionBudget that selects these pods, or {below} to their annotations, \
             in the values of `{keys}`"
        ),
        None if workload.kind == WorkloadKind::Pod => {
            format!("Add {annotation}: nothing makes a bare pod again")
        }
        Some(Protection::Known(_)) | None if is_lone => format!(
            "Add {annotation}: with one replica a PodDisruptionBudget allows the eviction or blocks every drain"
        ),
        Some(Protection::Known(ProtectionPaths { switch: Some(switch), .. })) => {
            format!("Set `{switch}`, or add {annotation}")
        }
        Some(Protection::Known(ProtectionPaths { since: Some(since), creator, .. })) => format!(
            "Upgrade to {since} or newer of {}, which makes a PDB, or add {annotation}",
            naming::creator(*creator)
        ),
        Some(Protection::Known(_)) => format!(
            "Add {annotation}, or a PodDisruptionBudget with `maxUnavailable: 1` for these pods"
        ),
        None => format!("Add a PodDisruptionBudget that selects these pods, or {annotation}"),
    }
}

/// Where the annotation goes.
fn place(workload: &Workload) -> String {
    let of_values = match &workload.protection {
        Some(Protection::Known(paths)) => paths.annotations.as_deref(),
        _ => None,
    };
    match (workload.kind, of_values.or(workload.annotations_path)) {
        (_, Some(path)) => format!("`{path}`"),
        (_, None) if shared(workload).is_some() => place_in_shared(workload),
        (WorkloadKind::Pod, None) => "the pod".to_owned(),
        _ => "the pod template".to_owned(),
    }
}

/// Where the annotation goes where the template makes others, too.
fn place_in_shared(workload: &Workload) -> String {
    match shared(workload).and_then(|it| it.keys.as_deref()) {
        Some(keys) => format!("the annotations of these pods, by the values of `{keys}`"),
        None => "the annotations of these pods (their template makes others, too)".to_owned(),
    }
}
