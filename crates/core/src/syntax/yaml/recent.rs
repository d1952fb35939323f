//! The same few keys come again and again in a text: one allocation serves them.

use std::sync::Arc;

/// How many names are kept.
const COUNT: usize = 128;

/// The names that were read last, one for each of some places.
#[derive(Debug)]
pub(super) struct RecentNames(Vec<Option<Arc<str>>>);

impl RecentNames {
    /// None so far.
    #[must_use]
    pub(super) fn new() -> Self {
        Self(vec![None; COUNT])
    }

    /// A name, shared with the last one that is the same, where that is still known.
    pub(super) fn share(&mut self, name: &str) -> Arc<str> {
        let bytes = name.as_bytes();
        let byte = |at: usize| bytes.get(at).map_or(0, |it| usize::from(*it));
        let last = bytes.len().saturating_sub(1);
        let place = (bytes.len() * 7 + byte(0) * 31 + byte(last / 2) * 17 + byte(last) * 5) % COUNT;
        match self.0.get_mut(place) {
            Some(Some(recent)) if **recent == *name => Arc::clone(recent),
            Some(recent) => Arc::clone(recent.insert(name.into())),
            None => name.into(),
        }
    }
}
