use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/invalid-karpenter-resource.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for object in &model.karpenter_objects {
        for refusal in &object.refusals {
            let finding = findings.report(refusal.span, refusal.message.as_str());
            finding.instance(object.instance.as_ref());
            finding.notes(refusal.notes.iter().cloned());
            finding.fix(refusal.fix.clone());
            if let Some(help) = &refusal.help {
                finding.help(help.as_str());
            }
        }
    }
}
