//! Texts and places that are in the page once each.

use std::collections::HashMap;

use serde::Serialize;

/// Texts by their numbers.
#[derive(Default)]
pub(super) struct Strings {
    list: Vec<String>,
    index: HashMap<String, usize>,
}

impl Strings {
    /// The number of a text.
    pub(super) fn number(&mut self, text: &str) -> usize {
        if let Some(known) = self.index.get(text) {
            return *known;
        }
        let number = self.list.len();
        self.list.push(text.to_owned());
        self.index.insert(text.to_owned(), number);
        number
    }

    /// All of them.
    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// A file, by its number, and a line.
#[derive(Clone, Copy, Serialize)]
pub(super) struct At(pub usize, pub usize);
