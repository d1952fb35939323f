//! Trees with spans: what is written in a file, before anything is evaluated.
//!
//! YAML and JSON become [`Value`]s at once (their syntax has nothing to evaluate); HCL becomes the tree
//! of [`hcl`]. Parsing never fails as a whole: it returns what could be read, and a
//! [`ParseError`] for each piece that could not.

pub mod aliased;
pub mod groovy;
pub mod hcl;
pub mod json;
pub mod shell;
pub mod yaml;

use crate::{
    findings::{Severity, note::Note},
    source::Span,
    value::Value,
};

/// How a complaint about a key that is written twice begins, in each syntax.
const DUPLICATE_KEY: &str = "duplicate key `";
/// What YAML and JSON make of it.
const LAST_COUNTS: &str = ": the last one counts";

/// A place that could not be read, or not as its author meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The exact place.
    pub span: Span,
    /// What is wrong there: "the string is not closed".
    pub message: String,
    /// An error when content is lost, a warning when it is only doubtful (a duplicate key), a note when
    /// the text is a template that some other tool fills in first.
    pub severity: Severity,
    /// The places that make it so: where the key is written again.
    pub notes: Vec<Note>,
}

impl ParseError {
    /// A place that could not be read.
    #[must_use]
    pub fn new(span: Span, message: impl Into<String>, severity: Severity) -> Self {
        Self { span, message: message.into(), severity, notes: Vec::new() }
    }

    /// A key that is written twice in one mapping, and the place of the one that counts.
    #[must_use]
    pub fn duplicate_key(key: &str, earlier: Span, later: Span) -> Self {
        let message = format!("{DUPLICATE_KEY}{key}`{LAST_COUNTS}");
        let note = Note { span: later, message: "written again here".to_owned() };
        Self { notes: vec![note], ..Self::new(earlier, message, Severity::Warning) }
    }

    /// Whether it is a key that is written twice in one mapping.
    #[must_use]
    pub fn is_duplicate_key(&self) -> bool {
        self.message.starts_with(DUPLICATE_KEY)
    }

    /// The same in a file that kustomize builds: it refuses a key that is written twice.
    #[must_use]
    pub fn for_kustomize(self) -> Self {
        match self.message.strip_suffix(LAST_COUNTS) {
            Some(key) => Self {
                message: format!("{key}: kustomize refuses the file"),
                severity: Severity::Error,
                ..self
            },
            None => self,
        }
    }
}

/// The documents of a YAML stream or JSON file, and what could not be read of it.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// One value a document; empty documents are left out.
    pub values: Vec<Value>,
    /// The places that could not be read.
    pub parse_errors: Vec<ParseError>,
    /// The nodes that an alias repeats, each from its anchor to its end.
    pub aliased: Vec<Span>,
}
