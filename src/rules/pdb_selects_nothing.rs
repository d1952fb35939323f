use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule = Rule { page: include_str!("../../rules/pdb-selects-nothing.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for idle in model.idle_budgets() {
        let message = format!("Budget `{}` selects no pods", idle.budget.name);
        let finding = findings.report(idle.budget.selector_span, message);
        finding.note(idle.near.span, idle.near.message);
        finding.note(idle.workload.report_span, "it nearly selects these pods");
        finding.help("Give the selector the labels of the pods it is meant for");
    }
}
