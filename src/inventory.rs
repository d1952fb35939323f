//! What belongs to clusters, in values that know their places: what `show` prints and policies ask about.

pub(crate) mod facts;
pub(crate) mod karpenter;
pub(crate) mod nodes;
pub(crate) mod objects;
pub(crate) mod parts;

use crate::{source::Span, value::Value};

/// Something with what is known of it. What is not known is an unknown value, what is not there is null.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is known, by the key for programs.
    pub fields: Vec<(&'static str, Value)>,
    /// Where it is written.
    pub span: Span,
}

impl Item {
    /// A field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|it| it.0 == key).map(|it| &it.1)
    }
}
