//! A piece of a file as it was parsed.

use std::{cell::RefCell, ops::Range};

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::{ParseError, hcl::escape::BadEscape},
};

/// A piece of a file: its text as it was parsed and where it begins in the file.
#[derive(Clone, Copy)]
pub(super) struct Snippet<'a> {
    /// The file.
    pub file: FileId,
    /// The text hcl-edit's offsets count in.
    pub text: &'a str,
    /// The offset of `text` in the file.
    pub offset: usize,
    /// The escapes that do not exist, which the parser did not see.
    pub escapes: &'a [BadEscape],
    /// Where to put errors that hcl-edit does not report.
    pub notes: &'a RefCell<Vec<ParseError>>,
}

impl Snippet<'_> {
    /// A range of the parsed text as a place in the file.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.file, self.offset + range.start, self.offset + range.end)
    }

    /// The place of one of hcl-edit's nodes.
    pub(super) fn span_of(&self, node: &impl hcl_edit::Span) -> Span {
        self.span(&node.span().unwrap_or_default())
    }

    /// Notes something wrong that could be read all the same.
    pub(super) fn note(&self, span: Span, message: String, severity: Severity) {
        self.notes.borrow_mut().push(ParseError::new(span, message, severity));
    }

    /// Whether it is not known what a string's text was to be.
    pub(super) fn is_unreadable(&self, string: &Range<usize>) -> bool {
        self.escapes.iter().any(|it| !it.literal && string.contains(&it.at))
    }

    /// The text under a range; empty if there is no such range.
    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }
}
