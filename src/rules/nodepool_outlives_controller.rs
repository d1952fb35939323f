use crate::{
    findings::Findings,
    model::{Model, karpenter::KarpenterResource},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/nodepool-outlives-controller.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for resource in &model.karpenter_resources {
        let controllers = model.controllers_of_root(resource.root);
        let (Some(controller), None) = (controllers.first(), controllers.get(1)) else { continue };
        let Some(code) = controller.code() else { continue };
        if model.root_waits_for(resource.root, resource.node, code.node) {
            continue;
        }
        findings
            .report(
                resource.report_span,
                format!("Destroy may remove the controller before {}", these(resource)),
            )
            .about(&resource.subject)
            .note(controller.report_span, "the controller")
            .help(format!("Add `depends_on = [{}]`", code.address));
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
