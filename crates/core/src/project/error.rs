//! What kept karplint from doing its work.

use std::fmt;

/// What kept karplint from doing its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A path given on the command line does not exist.
    NoSuchPath(String),
    /// A file could not be read.
    Unreadable(String, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPath(path) => write!(f, "{path}: no such file or folder"),
            Self::Unreadable(path, why) => write!(f, "{path}: cannot be read: {why}"),
        }
    }
}
