use crate::{
    checks::unknown_class::unknown_classes,
    findings::{Findings, mention::Claim},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unknown-nodeclass.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for unknown in unknown_classes(model) {
        let message = format!("No EC2NodeClass is called `{}`", unknown.name);
        let finding = findings.report(unknown.span, message);
        for class in &unknown.near {
            let name = class.name.known().map_or(&*class.title, String::as_str);
            finding.note(class.report_span, format!("`{name}` is one"));
        }
        finding.notes(unknown.pool.class.steps());
        finding.help(match unknown.meant {
            Some(meant) => format!("Did you mean `{meant}`? The pool launches no node as it is"),
            None => "Name a class that exists; the pool launches no node as it is".to_owned(),
        });
        let subject = Claim::Class(unknown.name.to_owned());
        finding.unless_mentioned(Some(subject).filter(|_| !unknown.renamed));
        finding.about(unknown.pool.subject.as_ref());
    }
}
