//! Conditions that are not known, and what is printed behind one.

use std::sync::Arc;

use crate::{source::Span, value::Symbol};

/// What decides whether documents are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is not known of it.
    pub symbol: Symbol,
    /// The condition as it is written: `.Values.budget.enabled`.
    pub written: Arc<str>,
    /// Where it is written.
    pub span: Option<Span>,
    /// Whether they are printed where it holds, or where it does not.
    pub holds: bool,
}

/// Where in a text the bodies of a condition begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The body that is printed where the condition holds begins.
    Then,
    /// The other one begins.
    Else,
    /// Both end.
    End,
}

impl Edge {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Then, Self::Else, Self::End];

    /// What keeps its place in a text.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Then => "\u{e010}",
            Self::Else => "\u{e011}",
            Self::End => "\u{e012}",
        }
    }
}
