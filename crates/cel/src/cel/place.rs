//! Where an operand comes from.

use std::sync::Arc;

use crate::{
    source::Span,
    value::{Value, step::Step},
};

/// Where an operand is written, and how it came here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its literal: the place one would edit.
    pub span: Span,
    /// What to point at when something inside is missing: its key.
    pub name: Span,
    /// The last step by which it came.
    pub origin: Option<Arc<Step>>,
    /// The element of a list or mapping that was looked at when it decided.
    pub within: Option<Arc<Self>>,
}

impl Place {
    /// The place of a value.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        Self { span: value.span, name: value.name, origin: value.origin.clone(), within: None }
    }

    /// The place of its key: for what is missing inside, or too short.
    #[must_use]
    pub fn key(&self) -> Self {
        Self { span: self.name, ..self.clone() }
    }

    /// The same, decided while that element was looked at.
    #[must_use]
    pub fn inside(self, element: &Self) -> Self {
        if self.within.is_some() || self.span == element.span {
            return self;
        }
        Self { within: Some(Arc::new(element.clone())), ..self }
    }

    /// The steps it came by, the one nearest to the use first.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        std::iter::successors(self.origin.as_deref(), |step| step.before.as_deref())
    }
}
