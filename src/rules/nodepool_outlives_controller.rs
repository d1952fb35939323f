use crate::{
    checks::{
        across_modules::advice,
        destroy_order::{unordered, unseen_resources},
        order_leads::OrderLeads,
        plan_time::applied_before_crds,
        provisioned_pools::left_behind,
        scripted_teardown,
    },
    findings::{Findings, Severity, silence::Silence},
    model::{
        Model,
        karpenter::KarpenterResource,
        teardown_script::early_stop::{AfterStop, EarlyStop},
    },
    resolve::release::{Release, ReleaseCode},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/nodepool-outlives-controller.md"), check };

/// More would bury what they explain.
const SHOWN: usize = 8;

fn check(model: &Model, findings: &mut Findings) {
    for (place, silence) in unseen_resources(model) {
        findings.silent(place, silence);
    }
    let all = model.karpenter_resources.iter().map(|it| (it, unordered(model, it)));
    let all: Vec<_> = all.collect();
    let faulty: Vec<_> = all.iter().filter(|it| it.1.is_ok()).map(|it| it.0).collect();
    let leads = OrderLeads::of(model, &faulty);
    for (resource, diagnosis) in all {
        let diagnosis = diagnosis.and_then(|it| leads.lead(resource).map_or(Ok(it), ordered_by));
        if let Some(fault) = findings.fault(resource.report_span, diagnosis) {
            report(model, findings, (resource, leads.behind(resource)), fault);
        }
    }
    report_provisioned(model, findings);
    report_scripts(model, findings);
}

/// That what a resource waits for is reported: once that waits for the controller, the resource does as well.
fn ordered_by<T>(lead: &KarpenterResource) -> Result<T, Silence> {
    let words = "it waits for another resource, of which this is reported";
    Err(Silence::sound(words).at(lead.report_span, "the other one"))
}

/// Reports a resource that nothing makes wait for the controller: what that costs on destroy, or where something else
/// keeps the order then, what it costs on the first apply.
fn report(
    model: &Model,
    findings: &mut Findings,
    (resource, behind): (&KarpenterResource, &[&KarpenterResource]),
    (controller, code): (&Release, &ReleaseCode),
) {
    let kept = scripted_teardown::before_controller(model, resource, code);
    let crds = applied_before_crds(model, resource);
    let objects = these(resource);
    if let (Some(crds), Some(kept)) = (crds, kept) {
        findings
            .report(
                resource.report_span,
                format!("The first apply may make {objects} before the CRDs are there"),
            )
            .about(&resource.subject)
            .note(crds.report_span, "installs the CRDs")
            .note(kept.span, "only a destroy is taken care of")
            .help(format!(
                "{}: without the CRDs the API server knows no such kind",
                advice(model, resource, code)
            ));
        return;
    }
    if let Some(silence) = scripted_teardown::answered(kept) {
        findings.silent(resource.report_span, silence);
        return;
    }
    let apply = crds.map_or("", |_| ", and a first apply may come before its CRDs");
    let finding = findings
        .report(resource.report_span, format!("Destroy may remove the controller before {objects}"))
        .about(&resource.subject)
        .note(controller.report_span, "the controller")
        .help(format!(
            "{}: only a running controller removes the nodes and their finalizers{apply}",
            advice(model, resource, code)
        ));
    for other in behind.iter().take(SHOWN) {
        finding.note(other.report_span, "waits for it, and for the controller once it does");
    }
    if let Some(kept) = kept {
        finding.at_most(Severity::Note).note(kept.span, "a document keeps the order");
    }
}

/// Reports pools that provisioners apply and nothing deletes.
fn report_provisioned(model: &Model, findings: &mut Findings) {
    for run in &model.local_runs {
        let Some(kind) = run.pools else { continue };
        let Some(fault) = findings.fault(run.header, left_behind(model, run)) else { continue };
        let also = if fault.is_unordered {
            format!(", and let it depend on the release: the CRD of {kind} may not be there before")
        } else {
            String::new()
        };
        let finding = findings
            .report(
                run.header,
                format!("Destroy never deletes the {kind}s that this provisioner applies"),
            )
            .about(&run.subject)
            .note(fault.controller.report_span, "destroy removes the controller, and their nodes stay")
            .help(format!(
                "Add a provisioner with `when = destroy` that deletes them and waits for their nodes, or make them with \
                 `kubectl_manifest`{also}"
            ));
        if let Some(kept) = fault.kept {
            finding.at_most(Severity::Note).note(kept.span, "a document deletes them before");
        }
    }
}

/// Reports commands of scripts that uninstall the controller while its nodes are there.
fn report_scripts(model: &Model, findings: &mut Findings) {
    for EarlyStop { span, then } in model.early_stops() {
        let (message, place, words) = match then {
            AfterStop::Deletion(place) => (
                "This script uninstalls the controller before it deletes its nodes",
                place,
                "nothing removes their finalizers, and this hangs",
            ),
            AfterStop::Removal(place) => (
                "This script uninstalls the controller and deletes none of its nodes",
                place,
                "the EC2 instances go on after this",
            ),
        };
        findings
            .report(span, message)
            .note(place, words)
            .help("First delete the NodePools and wait until their nodes are gone");
    }
}

/// "this `NodePool`", "these `NodePools`".
fn these(resource: &KarpenterResource) -> String {
    match (resource.kinds.as_slice(), resource.count) {
        ([kind], 1) => format!("this {kind}"),
        ([kind], _) if kind.ends_with('s') => format!("these {kind}es"),
        ([kind], _) => format!("these {kind}s"),
        _ => "these NodePools".to_owned(),
    }
}
