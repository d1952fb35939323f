//! Changes of the entries of one mapping.

use crate::{
    edits::entry::Entries,
    findings::{
        Edit,
        change::{EntryChange, NewEntry, NewValue},
    },
    source::Files,
    value::Value,
};

/// The edits that change the entries of the mapping at a path of another; `None` where they cannot be made
/// for sure.
#[must_use]
pub fn edits(
    files: &Files,
    (whole, path): (&Value, &[&str]),
    change: &EntryChange,
) -> Option<Vec<Edit>> {
    let entries = at(files, whole, path)?;
    Some(match change {
        EntryChange::Set(key, value) => vec![entries.set_literal(entries.entry(key)?, value)?],
        EntryChange::Replace(key, (new, value)) => {
            let entry = entries.entry(key)?;
            entries.replace(entry, new, value)?
        }
        EntryChange::Remove(key) => vec![entries.remove(entries.entry(key)?)?],
        EntryChange::RemoveUncommented(key) => {
            let entry = entries.entry(key)?;
            if entries.remark(entry).is_some() {
                return None;
            }
            vec![entries.remove(entry)?]
        }
        EntryChange::AddFirst(new) => vec![entries.add_first(new)?],
        EntryChange::AddAfter(key, new) => vec![entries.add_after(entries.entry(key)?, new)?],
        EntryChange::Move { key, to, instead } => {
            moved(files, (&entries, key), &at(files, whole, to)?, instead.as_ref())?
        }
        EntryChange::Adopt { key, from, path } => {
            let from = at(files, from, path)?;
            let entry = from.entry(key)?;
            vec![entries.adopt(&from, entry)?, from.remove(entry)?]
        }
    })
}

/// The entries of the mapping at a path, if each mapping on the way is written where it is.
fn at<'a>(files: &'a Files, whole: &'a Value, path: &[&str]) -> Option<Entries<'a>> {
    path.iter().try_fold(Entries::of(files, whole)?, |it, key| it.inner(key))
}

/// The edits that bring an entry to the front of another mapping. Its comment stays where it is if it cannot
/// go along, and then something else has to take the entry's place.
fn moved(
    files: &Files,
    (from, key): (&Entries<'_>, &str),
    to: &Entries<'_>,
    instead: Option<&NewEntry>,
) -> Option<Vec<Edit>> {
    let entry = from.entry(key)?;
    let written = from.remark(entry);
    let remark = written.filter(|_| to.takes_remarks());
    let source = format!("{}{}", from.source(entry)?, remark.map_or("", |it| files.text(it)));
    let mut edits = match instead {
        None if written != remark => return None,
        None => vec![from.remove(entry)?],
        Some((new, value)) => {
            let mut edits = from.replace(entry, new, value)?;
            edits.extend(remark.map(|span| Edit { span, text: String::new() }));
            edits
        }
    };
    edits.push(to.add_first(&[(key, NewValue::plain(&source))])?);
    Some(edits)
}
