use crate::{
    findings::{Findings, Safety},
    model::{Model, release::Order},
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/crd-order-undeclared.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pair in &model.crd_pairs {
        let (controller, crds) = (pair.controller(model), pair.crds(model));
        if controller.shares_block_with(crds) {
            let message = "One `for_each` installs CRDs and controller in no order";
            findings.report(controller.block, message);
            continue;
        }
        if model.waits_for(controller, crds) != Some(false) {
            continue;
        }
        let finding = match crds.order() {
            Order::AtTheFirst => findings
                .report(crds.report_span, "No sync wave puts these CRDs before the controller")
                .note(controller.report_span, "installs the controller"),
            Order::AtTheSecond => findings
                .report(
                    controller.block,
                    "Nothing makes this release wait for the `karpenter-crd` release",
                )
                .note(crds.report_span, "installs the CRDs"),
        };
        finding.help(crds.wait_help());
        // When the other way round is declared, one more order would close a circle; a wave has but one.
        let turned = model.waits_for(crds, controller) == Some(true);
        if !turned || crds.order() == Order::AtTheFirst {
            let safety = if controller.is_module() { Safety::Unsafe } else { Safety::Safe };
            finding.offer("Wait for the CRD release", safety, pair.wait(model));
        }
    }
}
