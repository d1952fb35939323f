use crate::{
    checks::unknown_class::unknown_classes,
    findings::{Findings, Severity, mention::Claim},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unknown-nodeclass.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (pool, diagnosis) in unknown_classes(model) {
        let Some(unknown) = findings.fault(pool.report_span, diagnosis) else { continue };
        let message = format!("No EC2NodeClass is called `{}`: no node launches", unknown.name);
        let finding = findings.report(unknown.span, message);
        for class in &unknown.near {
            let name = class.name.known().map_or(&*class.title, String::as_str);
            finding.note(class.report_span, format!("`{name}` is one"));
        }
        finding.notes(pool.class.steps());
        finding.help(match unknown.meant {
            Some(meant) => format!("Did you mean `{meant}`?"),
            None => "Name an EC2NodeClass that exists, or write this one".to_owned(),
        });
        // Whoever makes the cluster may make more classes for it.
        let is_made_here = !model.installations.is_empty() || !model.clusters.is_empty();
        if unknown.meant.is_none() && !is_made_here {
            finding.at_most(Severity::Warning);
        }
        let subject = Claim::Class(unknown.name.to_owned());
        finding.unless_mentioned(Some(subject).filter(|_| !unknown.renamed));
        finding.about(pool.subject.as_ref());
    }
}
