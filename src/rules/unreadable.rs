use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule = Rule { page: include_str!("../../rules/unreadable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for unread in &model.unread {
        findings.report(unread.span, unread.message.clone()).at_most(unread.severity);
    }
}
