//! What stops a template: errors with their place, and what is not known.

use std::rc::Rc;

use crate::{source::Span, value::Symbol};

/// Why a chart, or a file of it, does not render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderError {
    /// Helm's words, or ours.
    pub message: String,
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// The call that fails.
    pub span: Option<Span>,
    /// The calls of templates around it, the innermost first.
    pub calls: Vec<Span>,
}

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// `fail`: the chart's author refuses the values.
    Fail,
    /// `required`: a value is missing.
    Required,
    /// A template that Go does not parse.
    Syntax,
    /// An error of a function or a field.
    Template,
    /// What a template prints is not YAML.
    Yaml,
    /// More output, steps or recursion than is sensible.
    Limit,
    /// The chart itself cannot be read.
    Chart,
}

/// What a function answers instead of a value.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// It fails.
    Error(ErrorKind, String),
    /// The answer is not known.
    Unknown(Rc<Symbol>),
}

impl Fault {
    /// An error in Go's words.
    pub(crate) fn error<T>(message: impl Into<String>) -> Result<T, Self> {
        Err(Self::Error(ErrorKind::Template, message.into()))
    }
}
