//! What can be read of a broken file: it is cut where a line begins with a word, and each piece is
//! read for itself.

use std::{borrow::Cow, cell::RefCell, collections::HashMap};

use hcl_edit::parser;

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::{
        Unread,
        hcl::{
            HclFile,
            expression::{Source, body},
            message::{explain, place},
            repair::repair,
            scan::{Kind, Scan, scan},
        },
    },
};

/// Reads as much of `text` as possible; it begins at `offset` in the file.
pub fn read(file: FileId, text: &str, offset: usize) -> HclFile {
    let mut result = HclFile::default();
    let piece = Piece { file, text, offset };
    if piece.read_whole(&mut result, None).is_err() {
        let scan = scan(text);
        if piece.read_whole(&mut result, Some(&scan)).is_err() {
            piece.read_apart(&mut result, &scan);
        }
    }
    result.unread.sort_by_key(|it| it.span);
    result
}

/// Where a piece begins, and the index of the piece at which its brackets are closed again.
struct Cut {
    start: usize,
    group: usize,
}

fn cuts(text: &str, scan: &Scan) -> Vec<Cut> {
    let mut depth = 0_i64;
    let mut places = vec![(0, 0)];
    for token in &scan.tokens {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close(_) => depth -= 1,
            Kind::Word if text.get(..token.start).is_some_and(|it| it.ends_with('\n')) => {
                places.push((token.start, depth));
            }
            _ => {}
        }
    }
    let mut next_at_depth: HashMap<i64, usize> = HashMap::new();
    let mut cuts: Vec<Cut> = Vec::with_capacity(places.len());
    for (index, (start, depth)) in places.iter().enumerate().rev() {
        let group = next_at_depth.insert(*depth, index).unwrap_or(places.len());
        cuts.push(Cut { start: *start, group });
    }
    cuts.reverse();
    cuts
}

/// A part of a file.
#[derive(Clone, Copy)]
struct Piece<'a> {
    file: FileId,
    text: &'a str,
    offset: usize,
}

impl Piece<'_> {
    /// Reads the piece as it is or, given its tokens, after repairs.
    fn read_whole(self, into: &mut HclFile, scan: Option<&Scan>) -> Result<(), parser::Error> {
        let mut text = Cow::Borrowed(self.text);
        let mut notes = Vec::new();
        let clean = scan.filter(|it| it.problem().is_none());
        if let Some(repaired) = clean.and_then(|it| repair(self.text, &it.tokens)) {
            text = Cow::Owned(repaired.text);
            notes = repaired.notes;
        }
        let parsed = parser::parse_body(&text)?;
        let unclosed = RefCell::default();
        let Self { file, offset, .. } = self;
        let mut found = body(Source { file, text: &text, offset, unclosed: &unclosed }, &parsed);
        into.body.attributes.append(&mut found.attributes);
        into.body.blocks.append(&mut found.blocks);
        into.unread.extend(notes.into_iter().map(|it| Unread {
            span: Span::new(file, offset + it.at.start, offset + it.at.end),
            message: it.message,
            severity: it.severity,
        }));
        into.unread.extend(unclosed.into_inner().into_iter().map(|span| Unread {
            span,
            message: "the string is not closed".to_owned(),
            severity: Severity::Error,
        }));
        Ok(())
    }

    /// Reads the piece cut into smaller ones.
    fn read_apart(self, into: &mut HclFile, scan: &Scan) {
        let cuts = cuts(self.text, scan);
        // Pieces that belong together by their brackets are tried as one, within a budget.
        let mut budget = self.text.len().saturating_mul(4);
        let mut index = 0;
        while let Some(cut) = cuts.get(index) {
            let part = |until: usize| {
                let end = cuts.get(until).map_or(self.text.len(), |it| it.start);
                let text = self.text.get(cut.start..end).unwrap_or_default();
                Piece { text, offset: self.offset + cut.start, ..self }
            };
            let group = part(cut.group);
            if cut.group > index + 1 && group.text.len() <= budget {
                budget -= group.text.len();
                if group.read_balanced(into).is_ok() {
                    index = cut.group;
                    continue;
                }
            }
            part(index + 1).read_or_report(into);
            index += 1;
        }
    }

    /// Reads the piece, repaired if need be.
    fn read_balanced(self, into: &mut HclFile) -> Result<(), parser::Error> {
        self.read_whole(into, None).or_else(|_| self.read_whole(into, Some(&scan(self.text))))
    }

    fn read_or_report(self, into: &mut HclFile) {
        let Err(error) = self.read_balanced(into) else {
            return;
        };
        let Some(problem) = scan(self.text).problem() else {
            let at = error.location().offset();
            let message = explain(error.message(), self.text, at);
            self.report(into, place(error.message(), self.text, at), message);
            return;
        };
        self.report(into, problem.at, problem.message);
        if problem.stray {
            let without = [self.text.get(..problem.at), self.text.get(problem.at + 1..)];
            let text = without.map(Option::unwrap_or_default).join(" ");
            let _ = Piece { text: &text, ..self }.read_balanced(into);
        }
    }

    fn report(self, into: &mut HclFile, at: usize, message: String) {
        let length = self.text.get(at..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8);
        let start = self.offset + at;
        let span = Span::new(self.file, start, start + length);
        into.unread.push(Unread { span, message, severity: Severity::Error });
    }
}
