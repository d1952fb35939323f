//! The lines of source that reports show around a place.

use crate::{
    report::Report,
    source::{
        SourceFile, Span,
        column::{ColumnUnit, Position},
    },
};

/// Lines around a place.
const AROUND: usize = 2;
/// Longer lines are cut there: minified files and certificates have lines of megabytes.
const LONGEST: usize = 240;

/// A place for programs and links.
#[derive(Clone, Debug)]
pub struct Spot {
    /// The path from the project's root; from the working directory where there are several projects.
    pub path: String,
    /// Where it starts, counted from 1.
    pub start: Position,
    /// Where it ends, exclusive.
    pub end: Position,
}

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text without the line break, cut where it is overlong.
    pub text: &'a str,
    /// Whether the reported place starts here.
    pub is_meant: bool,
}

impl Report<'_> {
    /// A place by path, lines and columns in characters.
    #[must_use]
    pub fn spot(&self, span: Span) -> Spot {
        let file = self.file(span.file);
        let position = |offset: u32| file.position(offset as usize, ColumnUnit::Characters);
        Spot {
            path: self.address_of(span.file),
            start: position(span.start),
            end: position(span.end),
        }
    }

    /// The line on which a place starts, and its neighbours.
    #[must_use]
    pub fn lines(&self, span: Span) -> Vec<Line<'_>> {
        let file = self.file(span.file);
        let meant = file.line_of(span.start as usize);
        let last = file.line_of(file.text().len().saturating_sub(1)).max(meant);
        let around = meant.saturating_sub(AROUND)..=(meant + AROUND).min(last);
        around.map(|it| line(file, it, it == meant)).collect()
    }
}

fn line(file: &SourceFile, index: usize, is_meant: bool) -> Line<'_> {
    let text = file.line_text(index).trim_end_matches(['\r', '\n']);
    let cut = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    Line { number: index + 1, text: &text[..cut], is_meant }
}
