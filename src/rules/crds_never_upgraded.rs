use crate::{
    checks::{crds, unread::hidden_installers},
    findings::{Findings, Severity, mention::Claim},
    model::{Model, local_run::LocalRun},
    resolve::release::{Release, surface::Surface},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crds-never-upgraded.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (call, silence) in hidden_installers(model) {
        findings.silent(call, silence);
    }
    for controller in model.controllers() {
        if let Some(run) = crds::applied_once(model, controller) {
            report_once(findings, (controller, run));
            continue;
        }
        let diagnosis = crds::never_upgraded(model, controller);
        if findings.fault(controller.report_span, diagnosis).is_none() {
            continue;
        }
        let message = "Helm installs these CRDs once, and nothing in the repository upgrades them";
        // Whatever installs the chart around it is elsewhere.
        let is_installed_elsewhere = controller.surface() == Surface::ChartDependency;
        let claim = if is_installed_elsewhere { Claim::CrdsOrArgoCd } else { Claim::Crds };
        let finding = findings.report(controller.report_span, message);
        finding
            .unless_mentioned(claim)
            .about(controller.subject.as_ref())
            .help(crds::upgrade_help(model, controller));
        if crds::is_the_last(controller) {
            finding.at_most(Severity::Note);
        }
        if crds::is_one_of_many(model, controller) {
            finding
                .note_elsewhere(controller.version.span(), "the version of Karpenter among them");
        } else if controller.part_of.is_some() && !is_installed_elsewhere {
            finding.note_elsewhere(controller.version.span(), "the version of Karpenter");
        }
    }
}

/// Reports the commands that apply the CRDs, which the next version of the chart does not run again.
fn report_once(findings: &mut Findings, (controller, run): (&Release, &LocalRun)) {
    let triggers = if &*run.kind == "null_resource" { "triggers" } else { "triggers_replace" };
    findings
        .report(run.header, "These commands apply the CRDs once, and nothing upgrades them")
        .about(&run.subject)
        .note(controller.version.span(), "another version of the chart does not run them again")
        .help(format!(
            "Give it `{triggers}` with the version, which its commands then take, or install `karpenter-crd`"
        ));
}
