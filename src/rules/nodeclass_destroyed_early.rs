use crate::{
    checks::{
        class_order::class_destroyed_early,
        dependency::{depend_on, untangle},
        scripted_teardown,
    },
    findings::{Findings, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/nodeclass-destroyed-early.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for resource in &model.karpenter_resources {
        let Some(diagnosis) = class_destroyed_early(model, resource) else { continue };
        let Some(class) = findings.fault(resource.report_span, diagnosis) else { continue };
        let kept = scripted_teardown::before_classes(model, resource, class);
        if let Some(silence) = scripted_teardown::answered(kept) {
            findings.silent(resource.report_span, silence);
            continue;
        }
        let address = class.subject.block.as_ref().map(|it| &*it.local).unwrap_or_default();
        let block = model.blocks_of(resource).next();
        let is_reversed = model.root_waits_for(resource.root, class.node, resource.node);
        let waiting: &[&str] = if is_reversed { &[address] } else { &[] };
        let finding = findings
            .report(
                resource.report_span,
                "Destroy may delete the EC2NodeClass before this NodePool",
            )
            .about(&resource.subject)
            .note(class.report_span, "the EC2NodeClass")
            .help(format!(
                "{}{}, or refer to its name",
                untangle(waiting),
                depend_on(&[address], block, "")
            ));
        if let Some(kept) = kept {
            finding.at_most(Severity::Note).note(kept.span, "a document keeps the order");
        }
    }
}
