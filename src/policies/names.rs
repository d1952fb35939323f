//! Names of policies, which live as long as those of built-in rules.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// The same text; each is kept once, for as long as the program runs.
#[must_use]
pub(super) fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = String::leak(name.to_owned());
    names.insert(kept);
    kept
}
