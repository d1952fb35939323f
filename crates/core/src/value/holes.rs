//! The unknown pieces of a text, of which most texts have none.

use std::{ops::Deref, slice, sync::Arc};

use crate::value::Symbol;

/// The unknown pieces of a text, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holes(Option<Arc<Vec<Symbol>>>);

impl Deref for Holes {
    type Target = [Symbol];

    fn deref(&self) -> &[Symbol] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl From<Vec<Symbol>> for Holes {
    fn from(holes: Vec<Symbol>) -> Self {
        Self((!holes.is_empty()).then(|| Arc::new(holes)))
    }
}

impl<const N: usize> From<[Symbol; N]> for Holes {
    fn from(holes: [Symbol; N]) -> Self {
        Vec::from(holes).into()
    }
}

impl<'a> IntoIterator for &'a Holes {
    type Item = &'a Symbol;
    type IntoIter = slice::Iter<'a, Symbol>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
