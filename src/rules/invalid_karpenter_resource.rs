use crate::{
    checks::refusal::refusals,
    findings::{Findings, Safety, silence::Silence},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/invalid-karpenter-resource.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for object in &model.karpenter_objects {
        let refusals = refusals(model, object);
        if refusals.is_empty() {
            let words = "nothing in it that is known is refused";
            findings.silent(object.report_span, Silence::sound(words));
        }
        for refusal in refusals {
            let finding = findings.report(refusal.span, refusal.message);
            finding.about(object.subject.as_ref());
            finding.notes(refusal.notes);
            if let Some((title, changes)) = refusal.correction {
                finding.offer(title, Safety::Safe, changes);
            }
            if let Some(help) = refusal.help {
                finding.help(help);
            }
        }
    }
}
