//! What kept karplint from doing its work.

use std::fmt;

use crate::visible::{self, visible};

/// What kept karplint from doing its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A path given on the command line does not exist.
    NoSuchPath(String),
    /// A file given on the command line is of a kind that is not read.
    Refused(String, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPath(path) => write!(f, "{}: no such file or folder", visible::path(path)),
            Self::Refused(path, why) => write!(f, "{}: {}", visible::path(path), visible(why)),
        }
    }
}
