use crate::{
    findings::Findings,
    model::{Model, protection::Protection},
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/stateful-pod-unprotected.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let stateful = model.workloads.iter().filter(|it| it.is_stateful());
    for workload in stateful.filter(|it| model.is_drained(it)) {
        let Protection::Nothing { near } = model.protection(workload) else { continue };
        let called = workload.called();
        let message = format!("Nothing protects {called} from being evicted by Karpenter");
        let finding = findings.report(workload.report_span, message);
        finding.instance(workload.instance.as_ref()).notes(near).help(workload.protection_help());
    }
}
