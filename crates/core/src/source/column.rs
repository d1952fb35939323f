//! Columns without counting a line from its start each time: a minified file is one line of megabytes
//! and may hold thousands of findings.

use std::sync::OnceLock;

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1; the unit is the caller's choice.
    pub column: usize,
}

/// The unit in which a column is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Unicode characters (JSON, terminal).
    Characters,
    /// UTF-16 code units (SARIF, LSP).
    Utf16,
}

/// How many characters come before certain bytes of a text; filled when a long line asks for it.
#[derive(Debug, Default)]
pub struct Columns(OnceLock<Vec<Count>>);

/// How many characters and UTF-16 units come before a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    characters: usize,
    utf16: usize,
}

impl Count {
    fn after(self, text: &str) -> Self {
        text.chars().fold(self, |it, char| Self {
            characters: it.characters + 1,
            utf16: it.utf16 + char.len_utf16(),
        })
    }
}

/// Bytes between two recorded counts.
const STRIDE: usize = 1024;

impl Columns {
    /// How many units lie between two character boundaries of the text, the same text at every call.
    #[must_use]
    pub fn between(&self, text: &str, start: usize, end: usize, unit: ColumnUnit) -> usize {
        let (from, to) = if end - start > STRIDE {
            (self.before(text, start), self.before(text, end))
        } else {
            (Count::default(), Count::default().after(&text[start..end]))
        };
        match unit {
            ColumnUnit::Characters => to.characters - from.characters,
            ColumnUnit::Utf16 => to.utf16 - from.utf16,
        }
    }

    /// What comes before a byte, counted from a recorded place nearby.
    fn before(&self, text: &str, offset: usize) -> Count {
        let counts = self.0.get_or_init(|| {
            let mut count = Count::default();
            let mut from = 0;
            let next = |at| {
                let at = text.floor_char_boundary(at);
                count = count.after(&text[from..at]);
                from = at;
                count
            };
            (0..=text.len()).step_by(STRIDE).map(next).collect()
        });
        let near = offset / STRIDE;
        let recorded = counts.get(near).copied().unwrap_or_default();
        recorded.after(&text[text.floor_char_boundary(near * STRIDE)..offset])
    }
}

#[cfg(test)]
mod tests {
    use crate::source::{
        SourceFile,
        column::{ColumnUnit, Position},
    };

    #[test]
    fn columns_of_long_lines_are_the_same() {
        let line = "日🎉x".repeat(1000);
        let file = SourceFile::new("a", format!("\u{feff}{line}\n{line}"));
        for (line, start, triples) in [(1, 3, 999), (2, 8004, 1), (2, 8004, 500), (2, 8004, 1000)] {
            let at = |unit| file.position(start + triples * 8, unit);
            assert_eq!(at(ColumnUnit::Characters), Position { line, column: triples * 3 + 1 });
            assert_eq!(at(ColumnUnit::Utf16), Position { line, column: triples * 4 + 1 });
        }
    }
}
