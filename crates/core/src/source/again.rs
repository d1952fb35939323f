//! One file in two projects.

use std::sync::Arc;

use crate::source::SourceFile;

impl SourceFile {
    /// The same file for another project: of the same text, read or not.
    #[must_use]
    pub fn again(&self) -> Self {
        let path = self.path.as_str();
        match (self.content.get(), &self.load) {
            (None, Some(load)) => Self::lazy(path, Arc::clone(load)).with_outline_of(self),
            (content, _) => Self::keeping(path, content.cloned().unwrap_or_default()),
        }
    }
}
