//! Values that are written once more in another place.

use std::sync::Arc;

use crate::{edits::entry::Entries, findings::change::NewValue, source::Files, value::Value};

/// The value at a path of a mapping, as it would be written elsewhere in it: on one line by its text, with the
/// comment behind it; on several by what it says. `None` where that would lose something.
#[must_use]
pub(super) fn copied(files: &Files, mapping: &Value, path: &[Arc<str>]) -> Option<NewValue> {
    let (key, above) = path.split_last()?;
    let around = above.iter().try_fold(Entries::of(files, mapping)?, |it, key| it.inner(key))?;
    let entry = around.entry(key)?;
    let remark = around.remark(entry).map(|it| files.text(it));
    let written = around.written(entry)?;
    let file = files.get(written.key.file);
    let line = |at: u32| file.line_of(at as usize);
    // A list of one item below its key is one line, too.
    let beside = line(written.key.end) == line(written.value.start);
    if let Some(source) = around.source(entry).filter(|_| beside) {
        let takes_remarks = !around.is_braced();
        return match remark {
            None => Some(NewValue::plain(source)),
            Some(remark) => takes_remarks.then(|| NewValue::plain(format!("{source}{remark}"))),
        };
    }
    let text = files.text(written.value);
    let is_plain = remark.is_none() && !text.contains(['#', '&', '*', '$', '|', '>']);
    is_plain.then(|| NewValue::of(&entry.value))?
}
