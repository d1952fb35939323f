//! Why an evaluation has no value.

use std::{ops::Range, sync::Arc};

use crate::{
    cel::place::Place,
    value::{Symbol, Text},
};

/// Why there is no value.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The expression is wrong for these values.
    Error(Box<EvaluationError>),
    /// Something that decides is not known.
    Unknown(Arc<Unknown>),
    /// It would take too long, or too much memory.
    TooCostly,
    /// No function of that name takes these arguments.
    NoOverload,
}

/// An error of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationError {
    /// What is wrong: "no such key: limits".
    pub message: String,
    /// The operand that raised it.
    pub place: Option<Place>,
    /// The part of the expression that raised it.
    pub at: Range<usize>,
}

/// Something that is not known.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its name.
    pub symbol: Symbol,
    /// Where it is written.
    pub place: Option<Place>,
    /// The text whose holes are not known.
    pub text: Option<Text>,
}

impl Fault {
    /// An error whose place the evaluator adds.
    #[must_use]
    pub fn error(message: impl Into<String>) -> Self {
        Self::Error(Box::new(EvaluationError { message: message.into(), place: None, at: 0..0 }))
    }

    /// The worse of two: what is not known outweighs an error, which it might not be.
    #[must_use]
    pub(crate) fn worse(before: Option<Self>, next: Self) -> Self {
        match (before, next) {
            (_, next @ Self::TooCostly) | (None, next) => next,
            (Some(before @ (Self::Unknown(_) | Self::TooCostly)), _) => before,
            (Some(_), next @ Self::Unknown(_)) => next,
            (Some(before), _) => before,
        }
    }

    /// Says where in the expression it was raised, unless that is known.
    pub(crate) fn raised_at(&mut self, at: &Range<usize>) {
        match self {
            Self::Error(error) if error.at.is_empty() => error.at = at.clone(),
            Self::NoOverload => *self = Self::error("no such overload").or_at(None, at),
            _ => {}
        }
    }

    /// The same, raised by an operand of that place and at those bytes, unless it says where.
    #[must_use]
    pub(crate) fn or_at(self, place: Option<&Place>, at: &Range<usize>) -> Self {
        let mut error = match self {
            Self::Error(error) => error,
            Self::NoOverload => return Self::error("no such overload").or_at(place, at),
            other => return other,
        };
        if error.place.is_none() {
            error.place = place.cloned();
        }
        if error.at.is_empty() {
            error.at = at.clone();
        }
        Self::Error(error)
    }
}
