use crate::{
    findings::Findings,
    model::{Model, chart_value::queue::Form},
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/interruption-queue-not-a-name.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for queue in &model.misnamed_queues {
        let what = match queue.form {
            Form::Arn => "an ARN",
            Form::Url => "a URL",
        };
        let help = match &queue.name {
            Some(name) => format!("Give the name alone: `{name}`"),
            None => "Give the name of the queue".to_owned(),
        };
        findings
            .report(queue.span, format!("Karpenter finds no queue: this is {what}, not a name"))
            .instance(queue.instance.as_ref())
            .notes(queue.steps.clone())
            .help(help);
    }
}
