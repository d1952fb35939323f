use crate::{
    checks::chart_value::unset::{Needed, unset},
    findings::{Findings, mention::Claim, silence::Silence},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/interruption-queue-unset.md"), check };

/// The chart that drains nodes before EC2 takes them back.
const HANDLER: &str = "aws-node-termination-handler";

fn check(model: &Model, findings: &mut Findings) {
    let other = model.releases.iter().find(|it| &*it.chart == HANDLER);
    let drained = other.map(|it| {
        Silence::sound("another chart drains nodes before EC2 takes them back")
            .at(it.report_span, "the node termination handler")
    });
    for controller in model.controllers() {
        let diagnosis = match &drained {
            Some(sound) => Err(sound.clone()),
            None => unset(model, controller, Needed::InterruptionQueue),
        };
        let Some(unset) = findings.fault(controller.report_span, diagnosis) else { continue };
        let finding = findings.report(
            unset.span,
            "No interruption queue: nodes are not drained before EC2 takes them back",
        );
        if let Some((place, version)) = &unset.version {
            finding.note_elsewhere(*place, format!("chart {version} is installed"));
        }
        finding.about(unset.subject.as_ref());
        finding.unless_mentioned(Claim::TerminationHandler);
        finding.help(unset.help("its SQS queue"));
    }
}
