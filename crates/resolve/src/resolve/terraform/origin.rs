//! What a root module was made of.

use std::{collections::BTreeSet, sync::Arc};

use crate::source::FileId;

/// The files that a root comes from: if none of them changes, it is the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    /// The folders of its modules.
    pub(super) folders: BTreeSet<Arc<str>>,
    /// The files beside its configuration whose texts it has read.
    pub(super) read: BTreeSet<FileId>,
    /// The steps that its evaluation took.
    pub(super) steps: usize,
}
