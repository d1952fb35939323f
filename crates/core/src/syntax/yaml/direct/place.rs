//! Where in a document a reader is, as far as that decides what is kept.

use crate::syntax::yaml::kept::Kept;

type Keys = &'static [&'static str];

/// What is read.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// A mapping on the way to lists, or the one that holds them.
    Toward(Kept),
    /// A list; of its items these keys are kept.
    List(Keys),
    /// An item, of which these keys are kept.
    Item(Keys),
    /// Anything else, of which all is kept.
    Elsewhere,
}

impl Place {
    /// The place of what a key of the mapping here holds.
    pub(super) fn of_key(self, key: &str) -> Self {
        let Self::Toward(kept) = self else { return Self::Elsewhere };
        if kept.path.is_empty() {
            let list = kept.lists.iter().find(|it| it.0 == key);
            return list.map_or(Self::Elsewhere, |it| Self::List(it.1));
        }
        let (first, path) = kept.path.split_once('.').unwrap_or((kept.path, ""));
        if first == key { Self::Toward(Kept { path, ..kept }) } else { Self::Elsewhere }
    }

    /// The place of the items of the list here.
    pub(super) fn of_item(self) -> Self {
        match self {
            Self::List(keys) => Self::Item(keys),
            _ => Self::Elsewhere,
        }
    }

    /// Whether a key of the mapping here is kept.
    pub(super) fn keeps(self, key: &str) -> bool {
        match self {
            Self::Item(keys) => keys.contains(&key),
            _ => true,
        }
    }
}
