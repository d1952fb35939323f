use crate::{
    findings::{Findings, Safety},
    model::{Model, toleration::stale::StaleToleration},
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/stale-disruption-toleration.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for stale in &model.stale_tolerations {
        let key = &stale.drain.taint.key;
        let message = format!("{} evicted on drain: {}", stale.pods.subject, stale.reason());
        let finding = findings.report(stale.report_span, message);
        finding.instance(stale.instance.as_ref()).notes(stale.steps.clone());
        if let Some((place, line)) = &stale.version {
            finding.note(*place, format!("Karpenter {line} sets `{key}`"));
        }
        let changes = stale.changes.iter().flatten().cloned();
        finding.help(help(stale)).offer(format!("Tolerate `{key}`"), Safety::Safe, changes);
    }
}

fn help(stale: &StaleToleration) -> String {
    if stale.is_better_removed() {
        return "Remove it: these pods should be drained and start on another node".to_owned();
    }
    let key = &stale.drain.taint.key;
    format!("Tolerate key `{key}` with operator `Exists` and effect `NoSchedule`")
}
