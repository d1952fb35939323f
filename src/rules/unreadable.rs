use crate::{findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/unreadable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for error in &model.parse_errors {
        let finding = findings.report(error.span, sentence(&error.message));
        finding.notes(error.notes.clone()).at_most(error.severity);
    }
}

/// The message with a capital letter in front.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
