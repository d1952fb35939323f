//! Two objects without `---` between them: YAML takes them for one mapping, in which the keys of the second count.

use crate::{
    findings::{Severity, note::Note},
    source::SourceFile,
    syntax::ParseError,
};

/// The keys with which every object begins.
const FIRST: [&str; 2] = ["apiVersion", "kind"];

/// The errors of a file, with one in place of all keys that two objects without a mark between them have twice. What
/// kustomize refuses is refused in any case.
pub(super) fn of_objects(file: &SourceFile, mut errors: Vec<ParseError>) -> Vec<ParseError> {
    let is_at = |it: &ParseError, key: &str| {
        let line = file.line_range(file.line_of(it.span.start as usize));
        it.is_duplicate_key()
            && it.severity < Severity::Error
            && line.start == it.span.start as usize
            && file.slice(it.span.range()) == key
    };
    let [api, kind] = FIRST.map(|key| errors.iter().position(|it| is_at(it, key)));
    let Some((api, kind)) = api.zip(kind) else { return errors };
    let within = errors[api].within;
    let Some(next) = errors[api].notes.first().map(|it| it.span) else { return errors };
    if within.is_none() || errors[kind].within != within {
        return errors;
    }
    let message = "this object is never made: no `---` ends it, and the keys of the next one count";
    let mut error = ParseError::new(errors[api].span, message, Severity::Error);
    error.notes.push(Note { span: next, message: "the next one begins here".to_owned() });
    errors.retain(|it| it.within != within);
    errors.insert(0, error);
    errors
}
