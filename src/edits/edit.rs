//! Insertions, and edits that overlap.

use crate::{
    findings::edit::Edit,
    source::{FileId, Span},
};

/// The edit that writes a text at a place.
#[must_use]
pub(super) fn insert(file: FileId, at: usize, text: String) -> Edit {
    Edit { span: Span::new(file, at, at), text }
}

/// The edit that deletes a text.
#[must_use]
pub(super) fn delete(span: Span) -> Edit {
    Edit { span, text: String::new() }
}

/// Whether no two edits touch the same text.
#[must_use]
pub(super) fn are_apart(edits: &[Edit]) -> bool {
    let mut spans: Vec<_> = edits.iter().map(|it| it.span).collect();
    spans.sort_unstable();
    spans
        .windows(2)
        .all(|it| it[0].file != it[1].file || (it[0].end <= it[1].start && it[0] != it[1]))
}
