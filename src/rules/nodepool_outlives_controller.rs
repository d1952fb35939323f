use crate::{
    checks::{across_modules::advice, destroy_order::unordered, scripted_teardown},
    findings::{Findings, Severity},
    model::{Model, karpenter::KarpenterResource},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/nodepool-outlives-controller.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for resource in &model.karpenter_resources {
        let diagnosis = unordered(model, resource);
        let Some((controller, code)) = findings.fault(resource.report_span, diagnosis) else {
            continue;
        };
        let kept = scripted_teardown::before_controller(model, resource, code);
        if let Some(silence) = scripted_teardown::answered(kept) {
            findings.silent(resource.report_span, silence);
            continue;
        }
        let finding = findings
            .report(
                resource.report_span,
                format!("Destroy may remove the controller before {}", these(resource)),
            )
            .about(&resource.subject)
            .note(controller.report_span, "the controller")
            .help(format!(
                "{}: only a running controller removes the nodes and their finalizers",
                advice(model, resource, code)
            ));
        if let Some(kept) = kept {
            finding.at_most(Severity::Note).note(kept.span, "a document keeps the order");
        }
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
