use crate::{
    findings::{Findings, mention::Subject},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/unknown-nodeclass.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for unknown in &model.unknown_classes {
        let Some(pool) = model.node_pools.get(unknown.pool) else { continue };
        let message = format!("No EC2NodeClass is called `{}`", unknown.name);
        let finding = findings.report(unknown.span, message);
        for class in unknown.near.iter().filter_map(|it| model.node_classes.get(*it)) {
            let name = class.name.known().map_or(&*class.title, String::as_str);
            finding.note(class.report_span, format!("`{name}` is one"));
        }
        finding.notes(pool.class.steps());
        finding.help(match &unknown.meant {
            Some(meant) => format!("Did you mean `{meant}`? The pool launches no node as it is"),
            None => "Name a class that exists; the pool launches no node as it is".to_owned(),
        });
        let subject = Subject::Class(unknown.name.clone());
        finding.unless_mentioned(Some(subject).filter(|_| !unknown.renamed));
        finding.instance(pool.instance.as_ref());
    }
}
