//! What has to be added, and where in our data.

use std::{fmt, path::Path};

/// Where the data is, from the root of the repository.
const DATA: &str = "crates/knowledge/src/knowledge";

/// Something upstream has that the data has not, or has otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The file of ours, without [`DATA`].
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// What is different.
    pub what: String,
    /// Where upstream says so: file and line.
    pub source: Option<(String, usize)>,
}

impl Difference {
    /// A difference at the first line of our file that has the text; its first line if none has.
    pub(crate) fn at(file: &str, text: &str, what: impl Into<String>) -> Self {
        Self::in_line(file, line_with(&data(file), text), what)
    }

    /// A difference in a line of our file.
    pub(crate) fn in_line(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into(), source: None }
    }

    /// Says where upstream says so.
    pub(crate) fn found(self, file: &str, line: usize) -> Self {
        Self { source: Some((file.to_owned(), line)), ..self }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{DATA}/{}:{}: {}", self.file, self.line, self.what)?;
        match &self.source {
            Some((file, line)) => write!(out, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// The first line with that text, from 1; 1 if there is none.
pub(crate) fn line_with(text: &str, part: &str) -> usize {
    text.lines().position(|it| it.contains(part)).map_or(1, |it| it + 1)
}

/// The line of a byte, from 1.
pub(crate) fn line_of(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(1, |it| it.matches('\n').count() + 1)
}

/// A file of our data; empty if it cannot be read.
#[expect(clippy::disallowed_methods, reason = "the data of this repository is read")]
pub(crate) fn data(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../knowledge/src/knowledge");
    std::fs::read_to_string(root.join(file)).unwrap_or_default()
}
