use crate::{findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/unreadable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    // One slip is often made all through a file.
    let mut errors: Vec<_> = model.parse_errors.iter().collect();
    errors.sort_by_key(|it| (it.span.file, &it.message, it.severity, it.span));
    let alike = errors.chunk_by(|a, b| {
        (a.span.file, &a.message, a.severity) == (b.span.file, &b.message, b.severity)
    });
    for group in alike {
        let Some((error, others)) = group.split_first() else { continue };
        let finding = findings.report(error.span, sentence(&error.message));
        finding.notes(error.notes.clone()).at_most(error.severity);
        for other in others {
            finding.note(other.span, "the same mistake again");
        }
    }
}

/// The message with a capital letter in front.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
