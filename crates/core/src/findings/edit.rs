//! A change of text.

use crate::source::Span;

/// A piece of text to put in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What comes in its place.
    pub text: String,
}
