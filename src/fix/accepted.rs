//! Fixes that can be made at once.

use std::collections::{BTreeMap, HashMap};

use crate::{
    findings::{Finding, Fix, Safety, edit::Edit},
    source::{FileId, Files, SourceFile, Span},
};

/// The edits of one file: by start and end, so that equal insertions meet.
type EditsOfFile<'a> = BTreeMap<(u32, u32), &'a Edit>;

/// Fixes whose edits do not overlap.
pub(super) struct Accepted<'a> {
    /// What they correct.
    pub findings: Vec<&'a Finding>,
    edits: HashMap<FileId, EditsOfFile<'a>>,
}

impl<'a> Accepted<'a> {
    /// Those of the findings. A fix whose edits overlap an earlier one's is left out as a whole.
    pub(super) fn of(
        files: &Files,
        findings: impl IntoIterator<Item = &'a Finding>,
        safety: Safety,
    ) -> Self {
        let mut accepted = Self { findings: Vec::new(), edits: HashMap::new() };
        for finding in findings {
            if finding.fix.as_ref().is_some_and(|it| accepted.takes(files, it, safety)) {
                accepted.findings.push(finding);
            }
        }
        accepted
    }

    /// Fixes that no finding has.
    pub(super) fn of_fixes(
        files: &Files,
        fixes: impl IntoIterator<Item = &'a Fix>,
        safety: Safety,
    ) -> Self {
        let mut accepted = Self { findings: Vec::new(), edits: HashMap::new() };
        for fix in fixes {
            accepted.takes(files, fix, safety);
        }
        accepted
    }

    fn takes(&mut self, files: &Files, fix: &'a Fix, safety: Safety) -> bool {
        let wanted = fix.safety == Safety::Safe || safety == Safety::Unsafe;
        let fits = wanted && fits(files, fix, &self.edits);
        for edit in fix.edits.iter().filter(|_| fits) {
            let of_file = self.edits.entry(edit.span.file).or_default();
            of_file.insert((edit.span.start, edit.span.end), edit);
        }
        fits
    }

    /// The new texts of the files that change, in the order of the files.
    #[must_use]
    pub(super) fn texts(&self, files: &Files) -> Vec<(FileId, String)> {
        let edits = self.edits.iter();
        let mut changed: Vec<_> = edits
            .map(|(id, edits)| (*id, rewrite(files.get(*id), edits.values().copied())))
            .filter(|(id, text)| files.get(*id).text() != text)
            .collect();
        changed.sort_unstable_by_key(|(id, _)| *id);
        changed
    }

    /// The texts of these files as they are.
    #[must_use]
    pub(super) fn texts_before(&self, files: &Files) -> Vec<(FileId, String)> {
        self.edits.keys().map(|id| (*id, files.get(*id).text().to_owned())).collect()
    }

    /// The edits of a file.
    #[must_use]
    pub(super) fn edits_of(&self, file: FileId) -> Vec<&'a Edit> {
        self.edits.get(&file).into_iter().flat_map(BTreeMap::values).copied().collect()
    }
}

fn fits(files: &Files, fix: &Fix, accepted: &HashMap<FileId, EditsOfFile<'_>>) -> bool {
    let within_itself = fix.edits.iter().enumerate().all(|(index, edit)| {
        fix.edits
            .iter()
            .skip(index + 1)
            .all(|other| edit.span.file != other.span.file || !overlap(edit, other))
    });
    within_itself
        && fix.edits.iter().all(|edit| {
            let file = files.get(edit.span.file);
            // Offsets in a decoded text are not those on disk.
            !file.is_transcoded()
                && file.text().get(edit.span.range()).is_some()
                && accepted.get(&edit.span.file).is_none_or(|it| fits_among(edit, it))
        })
}

/// Accepted edits do not overlap, so only the neighbours on both sides can.
fn fits_among(edit: &Edit, accepted: &EditsOfFile<'_>) -> bool {
    let key = (edit.span.start, edit.span.end);
    let before = accepted.range(..key).next_back();
    let after = accepted.range(key..).next();
    before.into_iter().chain(after).all(|(_, other)| *other == edit || !overlap(edit, other))
}

/// Whether two edits of one file touch the same characters, or insert at the same place.
fn overlap(a: &Edit, b: &Edit) -> bool {
    let (a, b) = (a.span, b.span);
    let inside = |at: u32, span: Span| span.start < at && at < span.end;
    a == b || a.start.max(b.start) < a.end.min(b.end) || inside(a.start, b) || inside(b.start, a)
}

fn rewrite<'a>(file: &SourceFile, edits: impl Iterator<Item = &'a Edit>) -> String {
    let mut text = String::with_capacity(file.text().len());
    let mut done = 0;
    for edit in edits {
        text.push_str(file.slice(done..edit.span.start as usize));
        text.push_str(&edit.text);
        done = edit.span.end as usize;
    }
    text.push_str(file.slice(done..file.text().len()));
    text
}
