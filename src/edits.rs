//! From what a rule wants changed to edits of text, in the style of the text around them.
//!
//! Nothing is offered that cannot be made sure: what is changed has to be in a file as it was read,
//! not behind a reference, an alias or a merge. Then a fix is left out, and the finding stays without.

mod align;
mod arrange;
mod copied;
mod depends_on;
mod edit;
mod entry;
mod item;
mod line;
mod mapping;
mod relocate;
mod style;
mod unwrap;
mod word;
mod write;

use std::sync::Arc;

use crate::{
    edits::{
        align::alignment,
        arrange::arrange,
        copied::copied,
        depends_on::add_dependency,
        edit::are_apart,
        entry::Entries,
        line::is_folded,
        relocate::relocate,
        unwrap::unwrap,
        word::{quote, reword},
        write::{Goal, PathWriter, remove},
    },
    findings::{
        Finding, Fix,
        change::{Change, EntryOrder, Existing, FixCondition},
        edit::Edit,
    },
    source::Files,
    value::Value,
};

/// Turns what a finding offers into a fix, if all of it can be written.
pub(crate) fn render_fix(files: &Files, finding: &mut Finding) {
    let Some(offer) = finding.offer.take() else { return };
    let edits = edits(files, &offer.changes).filter(|it| it.iter().all(|it| can_stand(files, it)));
    finding.fix = edits.map(|mut edits| {
        edits.extend(alignment(files, &edits));
        Fix { title: offer.title, safety: offer.safety, edits }
    });
}

/// The edits that make all changes; `None` where one of them cannot be made, or meets another.
#[must_use]
pub(crate) fn edits(files: &Files, changes: &[Change]) -> Option<Vec<Edit>> {
    let mut all: Vec<Edit> = Vec::new();
    for change in changes {
        let edits = edits_of(files, change, &all)?;
        extend(&mut all, edits);
    }
    let holds = |it: &Change| match it {
        Change::OnlyIf(FixCondition::AllIn(file)) => all.iter().all(|it| it.span.file == *file),
        Change::OnlyIf(FixCondition::Written(mapping, path)) => is_written(files, mapping, path),
        _ => true,
    };
    (are_apart(&all) && changes.iter().all(holds)).then_some(all)
}

/// The edits that make one change beside those that are made already.
fn edits_of(files: &Files, change: &Change, taken: &[Edit]) -> Option<Vec<Edit>> {
    let write =
        |mapping, path, goal, order| PathWriter { files, goal, order, taken }.write(mapping, path);
    match change {
        Change::Edit(edit) => Some(vec![edit.clone()]),
        Change::Reword { span, old, new } => Some(vec![reword(files, *span, old, new)?]),
        Change::Quote(value) => Some(vec![quote(files, value)?]),
        Change::Set { mapping, path, order, value, existing } => {
            let goal = match existing {
                Existing::Replace => Goal::Value(value),
                Existing::ReplaceInPlace => Goal::OwnValue(value),
                Existing::Refuse => Goal::First(value),
            };
            write(mapping, path, goal, order)
        }
        Change::Replace { mapping, key, name, value } => {
            let entries = Entries::of(files, mapping)?;
            entries.replace(entries.entry(key)?, name, value)
        }
        Change::Add { mapping, path, others, item } => {
            write(mapping, path, Goal::Item(others, item), &EntryOrder::After(Vec::new()))
        }
        Change::Remove { mapping, path } => Some(vec![remove(files, mapping, path)?]),
        Change::Unwrap { mapping, key, names } => Some(vec![unwrap(files, mapping, key, names)?]),
        Change::Move { from, key, to, replacement } => {
            let replacement = replacement.as_ref().map(|(key, value)| (&**key, value));
            relocate(files, (from, key), to, replacement)
        }
        Change::Copy { mapping, from, to } => {
            let value = copied(files, mapping, from)?;
            write(mapping, to, Goal::First(&value), &EntryOrder::After(Vec::new()))
        }
        Change::Arrange { mapping, key, parts } => Some(vec![arrange(files, mapping, key, parts)?]),
        Change::DependOn { block, list, address } => add_dependency(files, *block, *list, address),
        Change::OnlyIf(_) => Some(Vec::new()),
        Change::FirstOf(ways) => ways.iter().find_map(|it| edits(files, it)),
    }
}

/// Whether the mapping at a path, and all around it, are written where they are.
fn is_written(files: &Files, mapping: &Value, path: &[Arc<str>]) -> bool {
    let whole = Entries::of(files, mapping);
    whole.and_then(|it| path.iter().try_fold(it, |it, key| it.inner(key))).is_some()
}

/// Whether a text means at its place what it says: lines in a folded text would be joined, and expressions
/// in JSON are in strings.
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

#[cfg(test)]
mod tests;
