use crate::{
    checks::crds,
    findings::{Findings, mention::Claim},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crds-not-installed.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.controllers() {
        let diagnosis = crds::skipped_by_all(model, controller);
        let Some(skip) = findings.fault(controller.report_span, diagnosis) else { continue };
        let message = "The CRDs are skipped and nothing in this repository installs them";
        findings
            .report(skip.span(), message)
            .note_elsewhere(controller.report_span, "the release that skips them")
            .unless_mentioned(Claim::Crds)
            .about(controller.subject.as_ref())
            .notes(skip.steps())
            .help("Add a `karpenter-crd` release of the same version");
    }
}
