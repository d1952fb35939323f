//! An expression in a file.

use std::ops::Range;

use crate::{
    cel::{program::Program, tree::Mistake},
    findings::Severity,
    source::Span,
    syntax::ParseError,
    value::Text,
};

/// An expression, and where its characters are written.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The expression.
    pub program: Program,
    text: Text,
    span: Span,
}

impl Expression {
    /// Reads a text of a file.
    ///
    /// # Errors
    /// Where it is not CEL, at the character in the file.
    pub fn parse(text: &Text, span: Span) -> Result<Self, ParseError> {
        match Program::parse(&text.text) {
            Ok(program) => Ok(Self { program, text: text.clone(), span }),
            Err(mistake) => Err(error(text, span, &mistake)),
        }
    }

    /// Where it is written.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text.text
    }

    /// Where some of its bytes are written.
    #[must_use]
    pub fn locate(&self, at: &Range<usize>) -> Span {
        self.text.locate(at.start, at.end, self.span)
    }

    /// A mistake in it, at the character in the file.
    #[must_use]
    pub fn error(&self, mistake: &Mistake) -> ParseError {
        error(&self.text, self.span, mistake)
    }
}

fn error(text: &Text, span: Span, mistake: &Mistake) -> ParseError {
    let place = text.locate(mistake.at.start, mistake.at.end, span);
    ParseError::new(place, mistake.message.clone(), Severity::Error)
}
