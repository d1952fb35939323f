use crate::{
    checks::{crds, rendered_controller::rendered},
    findings::{Findings, Severity, mention::Claim},
    model::Model,
    resolve::release::CopiedCrds,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crds-not-installed.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.controllers() {
        let diagnosis = crds::skipped_by_all(model, controller);
        let Some(skip) = findings.fault(controller.report_span, diagnosis) else { continue };
        let is_left_out = controller.lacks_crds == CopiedCrds::LeftOut && !skip.is_written();
        let (message, help) = if is_left_out {
            (
                "The copy of the chart holds no CRDs and nothing in this repository installs them",
                "Copy the folder `crds` of the chart too, or add a `karpenter-crd` release of the same version",
            )
        } else {
            (
                "The CRDs are skipped and nothing in this repository installs them",
                "Add a `karpenter-crd` release of the same version",
            )
        };
        findings
            .report(if is_left_out { controller.report_span } else { skip.span() }, message)
            .note_elsewhere(controller.report_span, "the release that skips them")
            .unless_mentioned(Claim::Crds)
            .about(controller.subject.as_ref())
            .notes(skip.steps())
            .help(help);
    }
    for (installation, controller) in rendered(model) {
        let diagnosis = crds::rendered_without(model, (installation, controller));
        let Some(is_applied_here) = findings.fault(controller.report_span, diagnosis) else {
            continue;
        };
        let message = "Nothing in this repository installs the CRDs of this rendered controller";
        let help = "Apply the CRDs of the same version first: `helm template` prints them with `--include-crds`, and the chart `karpenter-crd` has them as well";
        let finding = findings.report(controller.report_span, message);
        finding.unless_mentioned(Claim::CrdsInWords).about(controller.subject.as_ref()).help(help);
        if !is_applied_here {
            finding.at_most(Severity::Note);
        }
    }
}
