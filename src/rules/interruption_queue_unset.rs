use crate::{
    findings::Findings,
    model::{Model, chart_value::unset::Needed},
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/interruption-queue-unset.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let queues = model.unset_values.iter().filter(|it| it.needed == Needed::InterruptionQueue);
    for unset in queues {
        let finding = findings.report(
            unset.span,
            "Karpenter hears of no spot interruption, health event or stopped instance",
        );
        if let Some((place, version)) = &unset.version {
            finding.note_elsewhere(*place, format!("chart {version} is installed"));
        }
        finding.instance(unset.instance.as_ref());
        finding.help(format!("Set `{}` to the name of its SQS queue", unset.path));
    }
}
