use crate::{
    findings::{Findings, Safety, change::Change},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/invalid-karpenter-resource.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for object in &model.karpenter_objects {
        for refusal in &object.refusals {
            let finding = findings.report(refusal.span, refusal.message.as_str());
            finding.instance(object.instance.as_ref());
            finding.notes(refusal.notes.iter().cloned());
            if let Some((title, edit)) = &refusal.mending {
                finding.offer(title.as_str(), Safety::Safe, [Change::Edit(edit.clone())]);
            }
            if let Some(help) = &refusal.help {
                finding.help(help.as_str());
            }
        }
    }
}
