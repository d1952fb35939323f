use crate::{
    checks::{
        class_order::{ClassOrder, are_deleted_together},
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
    let order = ClassOrder::of(model);
    for resource in &model.karpenter_resources {
        let Some(diagnosis) = order.destroyed_early(resource) else { continue };
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
        let is_waited_for = are_deleted_together(model, resource, class);
        let words = if is_waited_for {
            "the EC2NodeClass: Terraform deletes both at once, and waits until the last NodeClaim of it is gone"
        } else {
            "the EC2NodeClass"
        };
        let finding = findings
            .report(
                resource.report_span,
                "Destroy may delete the EC2NodeClass before this NodePool",
            )
            .about(&resource.subject)
            .note(class.report_span, words)
            .help(format!(
                "{}{}, or refer to its name",
                untangle(waiting),
                depend_on(&[address], block, "")
            ));
        if is_waited_for {
            finding.at_most(Severity::Note);
        }
        if let Some(kept) = kept {
            finding.at_most(Severity::Note).note(kept.span, "a document keeps the order");
        }
    }
}
