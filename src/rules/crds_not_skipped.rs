use crate::{
    checks::crds,
    findings::{Findings, Safety},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/crds-not-skipped.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pair in &model.crd_pairs {
        let (controller, crd_release) =
            (pair.controller(&model.releases), pair.crds(&model.releases));
        let skip = &controller.skip_crds;
        if !crds::can_be_skipped(controller) || !skip.known_to_be(&false) {
            continue;
        }
        let safety =
            if crds::are_skipped_for_all(controller) { Safety::Unsafe } else { Safety::Safe };
        findings
            .report(skip.span(), "This release also installs the CRDs that `karpenter-crd` manages")
            .note_elsewhere(crd_release.report_span, "the CRDs come from this release")
            .about(controller.subject.as_ref())
            .notes(skip.steps())
            .help(crds::skip_help(controller))
            .offer("Skip the chart's own CRDs", safety, crds::skip(controller));
    }
}
