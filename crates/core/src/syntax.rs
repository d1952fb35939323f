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
/// How one about an alias begins whose anchor is not in its document.
pub(crate) const NO_ANCHOR: &str = "no anchor `&";
/// What YAML and JSON make of a key that is written twice.
const LAST_COUNTS: &str = ": the last one counts";
/// What is so where it makes no difference which one counts.
const SAME_VALUE: &str = ": both have the same value";

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
    /// Where the mapping begins, of a key that is written twice in it.
    pub within: Option<Span>,
}

impl ParseError {
    /// A place that could not be read.
    #[must_use]
    pub fn new(span: Span, message: impl Into<String>, severity: Severity) -> Self {
        Self { span, message: message.into(), severity, notes: Vec::new(), within: None }
    }

    /// A key that is written twice in one mapping, and the place of the one that counts. Nothing is lost where
    /// both have the same value.
    #[must_use]
    pub fn duplicate_key(key: &str, earlier: Span, later: Span, is_same: bool) -> Self {
        let (effect, severity) =
            if is_same { (SAME_VALUE, Severity::Note) } else { (LAST_COUNTS, Severity::Warning) };
        let message = format!("{DUPLICATE_KEY}{key}`{effect}");
        let note = Note { span: later, message: "written again here".to_owned() };
        Self { notes: vec![note], ..Self::new(earlier, message, severity) }
    }

    /// The same of the mapping that begins there.
    #[must_use]
    pub fn inside(self, mapping: Span) -> Self {
        Self { within: Some(mapping), ..self }
    }

    /// Adds another place of the same mistake; the worse of the two stands for both.
    pub fn join(&mut self, mut other: Self) {
        if other.severity > self.severity {
            std::mem::swap(self, &mut other);
            self.notes.append(&mut other.notes);
        }
        self.notes.push(Note { span: other.span, message: other.message });
    }

    /// Whether it is a key that is written twice in one mapping.
    #[must_use]
    pub fn is_duplicate_key(&self) -> bool {
        self.message.starts_with(DUPLICATE_KEY)
    }

    /// Whether it is an alias whose anchor is not in its document.
    #[must_use]
    pub fn is_alias_without_anchor(&self) -> bool {
        self.message.starts_with(NO_ANCHOR)
    }

    /// The same in a file that kustomize builds: it refuses a key that is written twice.
    #[must_use]
    pub fn for_kustomize(self) -> Self {
        let ends = [LAST_COUNTS, SAME_VALUE];
        match ends.iter().find_map(|it| self.message.strip_suffix(it)) {
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
    /// Where documents begin of which nothing is doubtful.
    pub sound: Vec<usize>,
    /// Whether a boolean in them may be written `yes`, `on` or the like.
    pub has_other_booleans: bool,
}
