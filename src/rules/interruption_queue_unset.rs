use crate::{
    checks::chart_value::unset::{is_on_demand_module, without_queue},
    findings::{Findings, Severity, mention::Claim},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/interruption-queue-unset.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.controllers() {
        let diagnosis = without_queue(model, controller);
        let Some(unset) = findings.fault(controller.report_span, diagnosis) else { continue };
        let finding = findings.report(
            unset.span,
            "No interruption queue: nodes are not drained before EC2 takes them back",
        );
        if let Some((place, version)) = &unset.version {
            finding.note_elsewhere(*place, format!("chart {version} is installed"));
        }
        finding.about(unset.subject.as_ref());
        if is_on_demand_module(model, controller) {
            finding.at_most(Severity::Note);
        }
        finding.unless_mentioned(Claim::TerminationHandler);
        finding.help(unset.help("its SQS queue"));
    }
}
