//! A path of a mapping gets a value or loses it, wherever and however the mapping is written.

use std::sync::Arc;

use crate::{
    edits::{
        edit::{are_apart, insert},
        entry::Entries,
        item::append,
        line::{is_block, line_break, quoted, unquoted},
        mapping::Mapping,
        style::Style,
    },
    findings::{
        change::{EntryOrder, NewValue},
        edit::Edit,
    },
    source::{Files, Span},
    value::{Entry, Value},
};

/// What is to be at a path.
#[derive(Clone, Copy)]
pub(super) enum Goal<'a> {
    /// A value.
    Value(&'a NewValue),
    /// A value, in the place of one that is written in the mapping itself.
    OwnValue(&'a NewValue),
    /// A value, where there is none.
    First(&'a NewValue),
    /// A list with that item; where there is no list yet, the others come first.
    Item(&'a [NewValue], &'a NewValue),
}

impl Goal<'_> {
    /// All that is to be written where there is nothing yet.
    fn draft(self) -> NewValue {
        match self {
            Self::Value(draft) | Self::OwnValue(draft) | Self::First(draft) => draft.clone(),
            Self::Item(others, item) => {
                NewValue::List(others.iter().chain([item]).cloned().collect())
            }
        }
    }
}

/// What writes to a path of a mapping.
pub(super) struct PathWriter<'a> {
    /// The files.
    pub files: &'a Files,
    /// What is to be there.
    pub goal: Goal<'a>,
    /// Where something new is written.
    pub order: &'a EntryOrder,
    /// The edits that are made already.
    pub taken: &'a [Edit],
}

impl PathWriter<'_> {
    /// The edits after which the path leads to what is wanted; `None` where that cannot be made sure.
    #[must_use]
    pub(super) fn write(&self, mapping: &Value, path: &[Arc<str>]) -> Option<Vec<Edit>> {
        let (key, inside) = path.split_first()?;
        let Some(entry) = mapping.as_map()?.entry(key) else {
            return Some(vec![self.new_entry(mapping, key, &self.goal.draft().inside(inside))?]);
        };
        if entry.value.is_empty() {
            return fill(self.files, mapping, entry, &self.goal.draft().inside(inside));
        }
        let entries = Entries::around(self.files, mapping)?;
        let here =
            || entries.written(entry).is_some() || is_inner_block(self.files, mapping, entry);
        match self.goal {
            _ if !inside.is_empty() => here().then(|| self.write(&entry.value, inside))?,
            Goal::First(_) => None,
            Goal::OwnValue(value) => {
                Some(vec![Entries::of(self.files, mapping)?.set_literal(entry, value)?])
            }
            Goal::Value(value) => Some(vec![match (value, literal(self.files, &entry.value)) {
                (NewValue::Text(text), Some(span)) => Edit { span, text: text.clone() },
                _ => Entries::of(self.files, mapping)?.set_literal(entry, value)?,
            }]),
            Goal::Item(_, item) => here().then(|| append(self.files, &entry.value, item))?,
        }
    }

    /// The edit that writes an entry in a place that is free.
    fn new_entry(&self, mapping: &Value, key: &str, value: &NewValue) -> Option<Edit> {
        let new = [(key, value.clone())];
        let entries = Entries::of(self.files, mapping)?;
        // Something else may have removed it again: a patch, a `null` in later values.
        if self.is_written_already(mapping, key) {
            return None;
        }
        let EntryOrder::After(neighbours) = self.order else { return entries.add_first(&new) };
        let neighbour = neighbours.iter().find_map(|it| entries.entry(it));
        let after = neighbour.into_iter().chain(mapping.entries().iter().rev());
        let free = |it: &Edit| {
            let others = self.taken.iter().filter(|other| other.span != it.span);
            are_apart(&others.chain([it]).cloned().collect::<Vec<_>>())
        };
        let first = || entries.add_first(&new).filter(free);
        // An object of Kubernetes begins with it.
        let ahead = if key == "metadata" { first() } else { None };
        let place = ahead.or_else(|| after.filter_map(|it| entries.add_after(it, &new)).find(free));
        place.or_else(first)
    }

    /// Whether the text of a mapping has a key where its entries have theirs.
    fn is_written_already(&self, mapping: &Value, key: &str) -> bool {
        let Some(first) = mapping.entries().first() else { return false };
        let file = self.files.get(mapping.span.file);
        let column = |at: usize| at - file.line_range(file.line_of(at)).start;
        let first = quoted(self.files, first.key_span);
        let text = self.files.text(mapping.span);
        memchr::memmem::find_iter(text.as_bytes(), key.as_bytes()).any(|at| {
            let at = mapping.span.start as usize + at;
            let name = quoted(self.files, Span::new(first.file, at, at + key.len()));
            let after = file.slice(name.end as usize..mapping.span.end as usize).trim_start();
            let beside = file.line_of(name.start as usize) == file.line_of(first.start as usize)
                || column(name.start as usize) == column(first.start as usize);
            beside && after.starts_with([':', '='])
        })
    }
}

/// The edit that takes the entry at a path away, with each mapping around it that holds nothing else.
#[must_use]
pub(super) fn remove(files: &Files, mapping: &Value, path: &[Arc<str>]) -> Option<Edit> {
    let (key, inside) = path.split_first()?;
    let entry = mapping.as_map()?.entry(key)?;
    if holds_only(&entry.value, inside) {
        let known_from_elsewhere = || Entries::around(files, mapping)?.remove(entry);
        return Mapping::of(files, mapping).remove(entry).or_else(known_from_elsewhere);
    }
    remove(files, &entry.value, inside)
}

/// Whether a value holds nothing but what the path leads to.
fn holds_only(value: &Value, path: &[Arc<str>]) -> bool {
    let Some((key, inside)) = path.split_first() else { return true };
    match value.as_map().map(|it| (it.entries.as_slice(), &it.rest)) {
        Some(([only], None)) => only.key == *key && holds_only(&only.value, inside),
        _ => false,
    }
}

/// Where a text is written between its quotes, wherever it is used.
fn literal(files: &Files, value: &Value) -> Option<Span> {
    let whole = quoted(files, value.span);
    let span = unquoted(files, whole);
    let is_written = value.as_str().is_some_and(|it| it == files.text(span));
    (is_written && span != whole).then_some(span)
}

/// Whether an entry is a block of Terraform, or several, inside the block that is the mapping.
fn is_inner_block(files: &Files, mapping: &Value, entry: &Entry) -> bool {
    let is_inside = |it: &Value| mapping.span.contains(it.span) && is_block(files, it);
    match entry.value.items() {
        [] => is_inside(&entry.value),
        items => items.iter().all(is_inside),
    }
}

/// The edits that fill an entry without a value: nothing behind its key, `null`, `{}` or `[]`.
fn fill(files: &Files, mapping: &Value, entry: &Entry, draft: &NewValue) -> Option<Vec<Edit>> {
    let key = quoted(files, entry.key_span);
    let file = files.get(key.file);
    let line = file.line_range(file.line_of(key.start as usize));
    let before = file.slice(line.start..key.start as usize);
    let rest = file.slice(key.end as usize..line.end).trim_end_matches('\r');
    let (sign, after) = rest.trim_start().split_at_checked(1)?;
    let after = after.trim_start();
    let nothing = ["{}", "[]", "null", "~"].into_iter().find(|it| after.starts_with(it));
    let nothing = nothing.unwrap_or_default();
    let style = around(files, mapping, sign)?;
    let gap = key.end as usize + rest.len() - after.len();
    let begins = before.trim_start_matches([' ', '-']).is_empty();
    let indent = format!("{}{}", line_break(files, key.file), " ".repeat(before.chars().count()));
    if style.braced {
        let span = Span::new(key.file, gap, gap + nothing.len());
        let text = style.laid_out(draft, if begins { &indent } else { "" });
        return (!nothing.is_empty()).then(|| vec![Edit { span, text }]);
    }
    let comment = after.strip_prefix(nothing)?;
    let plain = comment.trim().is_empty() || comment.trim_start().starts_with('#');
    if !(plain && begins) {
        return None;
    }
    let end = key.end as usize + rest.len();
    let colon = key.end as usize + rest.find(':')? + 1;
    let lines = style.block(draft, &indent);
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
