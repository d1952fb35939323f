use crate::{
    checks::{
        absent,
        refusal::{admitted, refusals},
    },
    findings::{Findings, Safety, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/invalid-karpenter-resource.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, silence) in absent::of_karpenter(model).chain(absent::manifests_of_karpenter(model))
    {
        findings.silent(place, silence);
    }
    for object in &model.karpenter_objects {
        let refusals = refusals(model, object);
        if refusals.is_empty() {
            findings.silent(object.report_span, admitted(model, object));
        }
        for refusal in refusals {
            let finding = findings.report(refusal.span, refusal.message);
            if refusal.is_dropped {
                let loses = if refusal.is_leftover { Severity::Note } else { Severity::Warning };
                finding.at_most(loses);
            }
            finding.about(object.subject.as_ref());
            finding.notes(refusal.notes);
            if let Some(claim) = refusal.unless {
                finding.unless_mentioned(claim);
            }
            if let Some((title, changes)) = refusal.correction {
                finding.offer(title, Safety::Safe, changes);
            }
            if let Some(help) = refusal.help {
                finding.help(help);
            }
        }
    }
}
