use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule = Rule { page: include_str!("../../rules/unreadable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for unread in &model.unread {
        let finding = findings.report(unread.span, sentence(&unread.message));
        finding.notes(unread.note.clone()).at_most(unread.severity);
    }
}

/// The message with a capital letter in front.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
