use crate::{
    findings::{Findings, Fix, Safety},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/crd-order-undeclared.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pair in &model.crd_pairs {
        let (controller, crds) = (pair.controller(model), pair.crds(model));
        if controller.place.root != crds.place.root {
            continue;
        }
        if controller.node == crds.node {
            findings.report(
                controller.block,
                "One `for_each` installs CRDs and controller in no order",
            );
            continue;
        }
        if model.waits_for(controller, crds) {
            continue;
        }
        // The other way round is declared: one more `depends_on` would close a circle.
        let turned = model.waits_for(crds, controller);
        let fix = pair.wait_edits.clone().filter(|_| !turned).map(|edits| Fix {
            title: "Wait for the CRD release".to_owned(),
            safety: Safety::Safe,
            edits,
        });
        findings
            .report(
                controller.block,
                "Nothing makes this release wait for the `karpenter-crd` release",
            )
            .note(crds.anchor, "installs the CRDs")
            .help(format!("Add `depends_on = [{}]`", crds.address))
            .fix(fix);
    }
}
