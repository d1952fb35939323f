use crate::{findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/denied-by-policy.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for it in &model.admissions {
        let Some(denial) = findings.fault(it.object, it.outcome.clone()) else { continue };
        let message = format!("`{}` refuses this object: {}", denial.policy, denial.message);
        let finding = findings.report(denial.span, message).at_most(denial.severity);
        finding.about(&denial.subject).notes(denial.notes);
    }
}
