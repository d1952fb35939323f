//! Marks that git leaves in a file where two branches changed the same lines.

use crate::{
    findings::{Severity, note::Note},
    source::{FileId, SourceFile, Span},
    syntax::ParseError,
};

/// The beginnings of the lines around the two sides, and between them.
const MARKS: [&str; 3] = ["<<<<<<< ", "=======", ">>>>>>> "];

/// The one mistake of a file in which a conflict is left: whatever else cannot be read there comes from its marks.
pub(super) fn conflict(id: FileId, file: &SourceFile, severity: Severity) -> Option<ParseError> {
    let mut places = [None; 3];
    let mut at = 0;
    for line in file.text().split_inclusive('\n') {
        let next = places.iter().position(Option::is_none)?;
        if line.starts_with(MARKS[next]) {
            places[next] = Some(Span::new(id, at, at + line.trim_end().len()));
        }
        at += line.len();
        if let [Some(first), Some(between), Some(last)] = places {
            let mut error =
                ParseError::new(first, "a merge conflict is left in this file", severity);
            let note = |span, words: &str| Note { span, message: words.to_owned() };
            error.notes.extend([note(between, "the other side"), note(last, "its end")]);
            return Some(error);
        }
    }
    None
}
