//! What the admission policies of a repository say of the objects that it builds.

use std::sync::Arc;

use crate::{
    findings::{Severity, note::Note, silence::Silence, subject::Subject},
    source::Span,
};

/// What an admission policy says of an object that it is about.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The object: its name, else its first line.
    pub object: Span,
    /// Why it is refused, or why not.
    pub outcome: Result<Denial, Silence>,
}

/// An admission policy that refuses an object.
#[derive(Clone, Debug)]
pub struct Denial {
    /// The policy's name.
    pub policy: Arc<str>,
    /// How bad it is: what the strictest of its bindings does.
    pub severity: Severity,
    /// The operand that decides.
    pub span: Span,
    /// What the API server would say.
    pub message: String,
    /// The steps of that operand, and the expression.
    pub notes: Vec<Note>,
    /// The object.
    pub subject: Subject,
}
