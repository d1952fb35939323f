//! Files that were not read.

/// A file that was not read, or not as its author would expect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Relative to the project's root, with `/`.
    pub path: String,
    /// Why, without a full stop: "over 4 MB".
    pub reason: String,
}
