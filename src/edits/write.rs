//! A path of a mapping gets a value, wherever and however the mapping is written.

use std::sync::Arc;

use crate::{
    edits::{
        entry::Entries,
        insert,
        line::{line_break, quoted},
        style::Style,
    },
    findings::{Edit, change::Draft},
    source::{Files, Span},
    value::{Entry, Kind, Value},
};

/// Whether an edit meets no other.
type Free<'a> = &'a dyn Fn(&Edit) -> bool;

/// The edits after which the path of a mapping has the value; `None` where that cannot be made sure. What
/// is new stands behind the first of some neighbours, where the place is free.
pub fn set(
    files: &Files,
    (mapping, path): (&Value, &[Arc<str>]),
    (behind, free): (&[&str], Free<'_>),
    value: &Draft,
) -> Option<Vec<Edit>> {
    let (key, inside) = path.split_first()?;
    let entry = mapping.as_map()?.entry(key);
    match entry {
        Some(entry) if is_open(&entry.value) => fill(files, mapping, entry, inside, value),
        Some(entry) if inside.is_empty() => {
            Some(vec![Entries::of(files, mapping)?.set(entry, value)?])
        }
        Some(entry) => {
            let here = Entries::around(files, mapping)?.written(entry).is_some();
            here.then(|| set(files, (&entry.value, inside), (behind, free), value))?
        }
        None => {
            let new = [(&**key, value.clone().inside(inside))];
            let entries = Entries::of(files, mapping)?;
            let neighbour = behind.iter().find_map(|it| entries.entry(it));
            let after = neighbour.into_iter().chain(mapping.entries().iter().rev());
            let mut places = after.filter_map(|it| entries.add_after(it, &new)).filter(free);
            Some(vec![places.next().or_else(|| entries.add_first(&new))?])
        }
    }
}

/// Whether a value says nothing yet.
fn is_open(value: &Value) -> bool {
    match &value.kind {
        Kind::Null => true,
        Kind::List(list) => list.items.is_empty() && list.rest.is_none(),
        Kind::Map(map) => map.entries.is_empty() && map.rest.is_none(),
        _ => false,
    }
}

/// The edits that fill an entry without a value: nothing behind its key, `null`, `{}` or `[]`.
fn fill(
    files: &Files,
    mapping: &Value,
    entry: &Entry,
    inside: &[Arc<str>],
    value: &Draft,
) -> Option<Vec<Edit>> {
    let key = quoted(files, entry.key_span);
    let file = files.get(key.file);
    let line = file.line_range(file.line_of(key.start as usize));
    let before = file.slice(line.start..key.start as usize);
    let rest = file.slice(key.end as usize..line.end).trim_end_matches('\r');
    let (sign, after) = rest.trim_start().split_at_checked(1)?;
    let after = after.trim_start();
    let nothing = ["{}", "[]", "null", "~"].into_iter().find(|it| after.starts_with(it));
    let nothing = nothing.unwrap_or_default();
    let draft = value.clone().inside(inside);
    let style = around(files, mapping, sign)?;
    let gap = key.end as usize + rest.len() - after.len();
    if style.braced {
        let span = Span::new(key.file, gap, gap + nothing.len());
        let text = style.inline(&draft);
        return (!nothing.is_empty()).then(|| vec![Edit { span, text }]);
    }
    let comment = after.strip_prefix(nothing)?;
    let plain = comment.trim().is_empty() || comment.trim_start().starts_with('#');
    if !(plain && before.trim_start_matches([' ', '-']).is_empty()) {
        return None;
    }
    let indent = format!("{}{}", line_break(files, key.file), " ".repeat(before.chars().count()));
    let end = key.end as usize + rest.len();
    let colon = key.end as usize + rest.find(':')? + 1;
    let lines = style.block(&draft, &indent);
    let cut = Span::new(key.file, colon, gap + nothing.len());
    Some(if gap + nothing.len() == end {
        vec![Edit { span: cut, text: lines }]
    } else if nothing.is_empty() {
        vec![insert(key.file, end, lines)]
    } else {
        vec![Edit { span: cut, text: String::new() }, insert(key.file, end, lines)]
    })
}

/// How a mapping is written, by an entry of it that has a value, else by the sign and the braces.
fn around(files: &Files, mapping: &Value, sign: &str) -> Option<Style> {
    let shown = Entries::around(files, mapping)
        .and_then(|entries| mapping.entries().iter().find_map(|it| entries.style(it)));
    let braced = files.text(mapping.span).starts_with('{');
    shown.or(match sign {
        "=" => Some(Style::TERRAFORM),
        ":" if !braced => Some(Style::BLOCK),
        _ => None,
    })
}
