//! From what a rule wants changed to edits of text, in the shape that stands there.
//!
//! Nothing is offered that cannot be made sure: what is changed has to stand in a file as it was read,
//! not behind a reference, an alias or a merge. Then a fix is left out, and the finding stays without.

pub mod align;
pub mod entry;
pub mod item;
pub mod line;
pub mod mapping;
pub mod style;
pub mod write;

use crate::{
    edits::{
        align::alignment,
        line::is_folded,
        mapping::remove,
        write::{Goal, Writer},
    },
    findings::{Edit, Finding, Fix, change::Change},
    source::{FileId, Files, Span},
};

/// Turns what a finding offers into a fix, if all of it can be written.
pub fn render_fix(files: &Files, finding: &mut Finding) {
    let Some(offer) = finding.offer.take() else { return };
    let edits = edits(files, &offer.changes).filter(|it| it.iter().all(|it| can_stand(files, it)));
    finding.fix = edits.map(|mut edits| {
        edits.extend(alignment(files, &edits));
        Fix { title: offer.title, safety: offer.safety, edits }
    });
}

/// The edits that make all changes; `None` where one of them cannot be made, or meets another.
#[must_use]
pub fn edits(files: &Files, changes: &[Change]) -> Option<Vec<Edit>> {
    let mut all: Vec<Edit> = Vec::new();
    for change in changes {
        match change {
            Change::Edit(edit) => all.push(edit.clone()),
            Change::FirstOf(ways) => all.extend(ways.iter().find_map(|it| edits(files, it))?),
            Change::Set { mapping, path, behind, value, is_first } => {
                let goal = if *is_first { Goal::First(value) } else { Goal::Value(value) };
                let edits = Writer { files, goal, behind, taken: &all }.write(mapping, path)?;
                extend(&mut all, edits);
            }
            Change::Add { mapping, path, others, item } => {
                let goal = Goal::Item(others, item);
                let edits =
                    Writer { files, goal, behind: &[], taken: &all }.write(mapping, path)?;
                extend(&mut all, edits);
            }
            Change::Remove { mapping, path } => all.push(remove(files, mapping, path)?),
        }
    }
    are_apart(&all).then_some(all)
}

/// Whether a text means at its place what it says: lines in a folded text would be joined, and expressions
/// in JSON stand in strings.
fn can_stand(files: &Files, edit: &Edit) -> bool {
    let file = files.get(edit.span.file);
    let has_lines = edit.text.contains('\n');
    let in_json = file.path().ends_with(".tf.json") || file.path().ends_with(".tofu.json");
    let is_new = edit.span.start == edit.span.end;
    let is_joined = has_lines && is_folded(file, edit.span.start as usize);
    !(is_joined || in_json && is_new)
}

/// Adds edits; what is new at one place follows what was added there before.
fn extend(all: &mut Vec<Edit>, more: Vec<Edit>) {
    for edit in more {
        match all.iter_mut().find(|it| it.span == edit.span && it.span.start == it.span.end) {
            Some(before) => before.text.push_str(&edit.text),
            None => all.push(edit),
        }
    }
}

/// Whether no two edits touch the same text.
#[must_use]
pub fn are_apart(edits: &[Edit]) -> bool {
    let mut spans: Vec<_> = edits.iter().map(|it| it.span).collect();
    spans.sort_unstable();
    spans
        .windows(2)
        .all(|it| it[0].file != it[1].file || (it[0].end <= it[1].start && it[0] != it[1]))
}

/// The edit that writes a text at a place.
fn insert(file: FileId, at: usize, text: String) -> Edit {
    Edit { span: Span::new(file, at, at), text }
}

#[cfg(test)]
mod tests;
