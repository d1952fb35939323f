use crate::{
    findings::{Findings, Safety},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/crds-not-skipped.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pair in &model.crd_pairs {
        let (controller, crds) = (pair.controller(model), pair.crds(model));
        let skip = &controller.skip_crds;
        if !controller.can_skip_crds() || !skip.known_to_be(&false) {
            continue;
        }
        let safety = if controller.skips_for_all() { Safety::Unsafe } else { Safety::Safe };
        findings
            .report(skip.span(), "This release also installs the CRDs that `karpenter-crd` manages")
            .note_elsewhere(crds.report_span, "the CRDs come from this release")
            .instance(controller.instance.as_ref())
            .notes(skip.steps())
            .help(controller.skip_help())
            .offer("Skip the chart's own CRDs", safety, controller.skip.clone());
    }
}
