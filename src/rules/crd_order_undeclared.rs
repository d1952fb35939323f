use crate::{
    checks::crd_order::{self, OrderSite},
    findings::{Findings, Safety},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-order-undeclared.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pair in &model.crd_pairs {
        let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.releases));
        if controller.shares_block_with(crds) {
            let message = "One `for_each` installs CRDs and controller in no order";
            findings.report(controller.block, message).about(controller.subject.as_ref());
            continue;
        }
        if model.waits_for(controller, crds) != Some(false) {
            continue;
        }
        let finding = match OrderSite::of(crds) {
            OrderSite::AtTheFirst => findings
                .report(crds.report_span, "No sync wave puts these CRDs before the controller")
                .about(crds.subject.as_ref())
                .note(controller.report_span, "installs the controller"),
            OrderSite::AtTheSecond => findings
                .report(
                    controller.block,
                    "Nothing makes this release wait for the `karpenter-crd` release",
                )
                .about(controller.subject.as_ref())
                .note(crds.report_span, "installs the CRDs"),
        };
        finding.help(crd_order::help(crds));
        // When the other way round is declared, one more order would close a circle; a wave has but one.
        let turned = model.waits_for(crds, controller) == Some(true);
        if !turned || OrderSite::of(crds) == OrderSite::AtTheFirst {
            let safety = if controller.is_module() { Safety::Unsafe } else { Safety::Safe };
            finding.offer("Wait for the CRD release", safety, crd_order::wait(model, pair));
        }
    }
}
