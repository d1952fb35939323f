//! The same few keys come again and again in texts: one allocation serves them.

use std::{cell::RefCell, sync::Arc};

/// How many names are kept.
const COUNT: usize = 128;
/// Longer names are not kept, in bytes.
const LONGEST: usize = 64;

thread_local! {
    /// The names that were read last, one for each of some places. Each thread has its own, so that none waits.
    static NAMES: RefCell<[Option<Arc<str>>; COUNT]> = const { RefCell::new([const { None }; COUNT]) };
}

/// A name, shared with the last one that is the same, where that is still known.
pub(super) fn share(name: &str) -> Arc<str> {
    let bytes = name.as_bytes();
    if bytes.len() > LONGEST {
        return name.into();
    }
    let byte = |at: usize| bytes.get(at).map_or(0, |it| usize::from(*it));
    let last = bytes.len().saturating_sub(1);
    let place = (bytes.len() * 7 + byte(0) * 31 + byte(last / 2) * 17 + byte(last) * 5) % COUNT;
    NAMES.with_borrow_mut(|names| match names.get_mut(place) {
        Some(Some(recent)) if **recent == *name => Arc::clone(recent),
        Some(recent) => Arc::clone(recent.insert(name.into())),
        None => name.into(),
    })
}
