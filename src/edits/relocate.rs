//! Entries that go from one mapping to another as they are written.

use crate::{
    edits::{edit::delete, entry::Entries},
    findings::{change::NewValue, edit::Edit},
    source::Files,
    value::{Kind, Value},
};

/// The edits that make an entry the first of another mapping, and write something else in its place. A
/// comment behind it goes along; where it would be lost, nothing is moved.
#[must_use]
pub(super) fn relocate(
    files: &Files,
    (from, key): (&Value, &str),
    to: &Value,
    replacement: Option<(&str, &NewValue)>,
) -> Option<Vec<Edit>> {
    let (from, to) = (Entries::of(files, from)?, Entries::of(files, to)?);
    let entry = from.entry(key)?;
    let is_scalar = !matches!(entry.value.kind, Kind::List(_) | Kind::Map(_));
    if to.entry(key).is_some() || (replacement.is_some() && !is_scalar) {
        return None;
    }
    let mut edits = Vec::new();
    let comment = from.remark(entry);
    let goes_along = !is_scalar || to.takes_remarks();
    if is_scalar {
        let text = comment.filter(|_| goes_along).map_or("", |it| files.text(it));
        let source = NewValue::plain(format!("{}{text}", from.source(entry)?));
        edits.push(to.add_first(&[(key, source)])?);
    } else {
        edits.push(to.adopt(&from, entry)?);
    }
    match replacement {
        Some((key, value)) => {
            edits.extend(from.replace(entry, key, value)?);
            edits.extend(comment.filter(|_| goes_along).map(delete));
        }
        None if comment.is_some() && !goes_along => return None,
        None => edits.push(from.remove(entry)?),
    }
    Some(edits)
}
