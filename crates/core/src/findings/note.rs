//! A related place.

use crate::source::Span;

/// Another place that makes up the problem, or that a reason speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// Where.
    pub span: Span,
    /// What is there.
    pub message: String,
}
