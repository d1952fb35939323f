use crate::{
    checks::chart_value::queue::{self, QueueForm},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/interruption-queue-not-a-name.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in queue::values(model) {
        let Some(queue) = findings.fault(place, diagnosis) else { continue };
        let what = match queue.form {
            QueueForm::Arn => "an ARN",
            QueueForm::Url => "a URL",
        };
        let help = match &queue.name {
            Some(name) => format!("Give the name alone: `{name}`"),
            None => "Give the name of the queue".to_owned(),
        };
        findings
            .report(queue.span, format!("Karpenter finds no queue: this is {what}, not a name"))
            .about(queue.subject.as_ref())
            .notes(queue.steps.clone())
            .help(help);
    }
}
