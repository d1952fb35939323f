//! The entries of a mapping as they are written, in YAML, JSON or Terraform's language, and new ones in
//! the same style beside them.

mod look;

use crate::{
    edits::{
        edit::insert,
        line::{is_remark, keeps_blank_lines, line_break, one_value, quoted, unquoted},
        mapping::Mapping,
    },
    findings::{change::NewValue, edit::Edit},
    source::{Files, Span},
    value::{Entry, Kind, Value},
};

/// A mapping and the files it is written in.
#[derive(Clone, Copy)]
pub(super) struct Entries<'a> {
    files: &'a Files,
    whole: &'a Value,
}

/// An entry where it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenEntry {
    /// The key with its quotes.
    pub key: Span,
    /// The value with its quotes.
    pub value: Span,
    /// Whether nothing else begins on its line.
    pub own_line: bool,
}

impl<'a> Entries<'a> {
    /// Those of a mapping that is written as such; `None` for what an alias, a reference or a
    /// merge brings from elsewhere, and for a mapping without entries.
    #[must_use]
    pub(super) fn of(files: &'a Files, whole: &'a Value) -> Option<Self> {
        let map = whole.as_map().filter(|it| it.rest.is_none() && !it.entries.is_empty())?;
        let found = Self { files, whole };
        let inside = |it: &Entry| whole.span.contains(it.key_span) && found.names(it);
        map.entries.iter().all(inside).then_some(found)
    }

    /// Those of a mapping of which some may be brought from elsewhere; only [`Entries::written`] and
    /// [`Entries::style`] can be asked of each.
    #[must_use]
    pub(super) fn around(files: &'a Files, whole: &'a Value) -> Option<Self> {
        whole.as_map().is_some().then_some(Self { files, whole })
    }

    /// Whether an entry's key is written where it is said to be.
    fn names(&self, entry: &Entry) -> bool {
        self.files.text(unquoted(self.files, quoted(self.files, entry.key_span))) == &*entry.key
    }

    /// The entry of a key.
    #[must_use]
    pub(super) fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.whole.entries().iter().find(|it| &*it.key == key)
    }

    /// The mapping that is the value of a key, if it is written as such.
    #[must_use]
    pub(super) fn inner(&self, key: &str) -> Option<Self> {
        let entry = self.entry(key)?;
        self.written(entry)?;
        Self::of(self.files, &entry.value)
    }

    /// Where an entry is written; `None` where its value is not all that follows its key.
    #[must_use]
    pub(super) fn written(&self, entry: &Entry) -> Option<WrittenEntry> {
        let key = quoted(self.files, entry.key_span);
        let file = self.files.get(key.file);
        let line = file.line_range(file.line_of(key.start as usize));
        let before = file.slice(line.start..key.start as usize);
        let own_line = before.trim_start_matches([' ', '\t', '-']).is_empty();
        let value = quoted(self.files, entry.value.span);
        if self.follows(key, value) {
            return Some(WrittenEntry { key, value, own_line });
        }
        // The value of a reference or a placeholder is known from elsewhere; its text is not.
        let rest = file.slice(key.end as usize..line.end);
        let is_leaf = !matches!(entry.value.kind, Kind::List(_) | Kind::Map(_));
        let text = after_sign(rest).filter(|_| own_line && is_leaf)?;
        let value = one_value(text)?;
        let start = key.end as usize + (value.as_ptr() as usize - rest.as_ptr() as usize);
        Some(WrittenEntry { key, value: Span::new(key.file, start, start + value.len()), own_line })
    }

    /// Whether there is nothing but the sign and perhaps a comment between a key and a value: neither an
    /// alias nor a reference, which bring the value from elsewhere.
    fn follows(&self, key: Span, value: Span) -> bool {
        let in_order = key.file == value.file && key.end < value.start && value.start < value.end;
        if !in_order {
            return false;
        }
        let between = self.files.text(Span { start: key.end, end: value.start, ..key });
        let Some(rest) = after_sign(between) else { return false };
        rest.trim().is_empty() || rest.trim_start().starts_with('#')
    }

    /// The source of an entry's value, if it is on one line.
    #[must_use]
    pub(super) fn source(&self, entry: &Entry) -> Option<&'a str> {
        let text = self.files.text(self.written(entry)?.value);
        (!text.contains('\n')).then_some(text)
    }

    /// The edit that takes an entry away. A value that is known from elsewhere goes with its line.
    #[must_use]
    pub(super) fn remove(&self, entry: &Entry) -> Option<Edit> {
        let whole = || Mapping::of(self.files, self.whole).remove(entry);
        let written = self.written(entry)?;
        if quoted(self.files, entry.value.span) == written.value || self.style(entry)?.commas {
            return whole();
        }
        let file = self.files.get(written.key.file);
        let line = file.line_range(file.line_of(written.key.start as usize));
        let end = (line.end + 1).min(file.text().len());
        let ends_there = written.value.end as usize <= line.end && written.own_line;
        let bare = file.slice(line.start..written.key.start as usize).trim().is_empty();
        let span = Span::new(written.key.file, line.start, end);
        (ends_there && bare).then(|| Edit { span, text: String::new() })
    }

    /// The comment behind an entry, with the blanks before it but without a comma.
    #[must_use]
    pub(super) fn remark(&self, entry: &Entry) -> Option<Span> {
        let written = self.written(entry).filter(|it| it.own_line)?;
        let file = self.files.get(written.value.file);
        let value_end = written.value.end as usize;
        let end = file.line_range(file.line_of(value_end)).end;
        let rest = file.slice(value_end..end).trim_end();
        let comma = rest.trim_start().strip_prefix(',').filter(|_| self.is_braced());
        let comment = comma.unwrap_or(rest);
        let end = value_end + rest.len();
        let span = Span::new(written.value.file, end - comment.len(), end);
        comment.trim_start().starts_with(['#', '/']).then_some(span)
    }

    /// Whether comments can follow the entries that [`Entries::add_first`] adds.
    #[must_use]
    pub(super) fn takes_remarks(&self) -> bool {
        let first = self.whole.entries().first();
        let lines = first.and_then(|it| self.written(it)).is_some_and(|it| it.own_line);
        let commas = first.and_then(|it| self.style(it)).is_none_or(|it| it.commas);
        lines && !commas
    }

    /// The edit that gives an entry another value, if all of the old one is written in this mapping.
    #[must_use]
    pub(super) fn set_literal(&self, entry: &Entry, value: &NewValue) -> Option<Edit> {
        let span = quoted(self.files, entry.value.span);
        let text = || self.files.text(unquoted(self.files, span));
        let whole = entry.value.as_str().is_none_or(|it| it == text());
        if whole && self.is_filled_in(entry) {
            return self.set_filled_in(span, value);
        }
        let is_here = self.written(entry)?.value == span;
        (is_here && whole).then(|| self.set(entry, value))?
    }

    /// Whether a template brings the value of an entry from another file.
    fn is_filled_in(&self, entry: &Entry) -> bool {
        let (key, value) = (entry.key_span, &entry.value);
        let file = self.files.get(key.file);
        let line = file.line_range(file.line_of(key.start as usize));
        value.span.file != key.file
            && value.as_str().is_some()
            && file.slice(key.end as usize..line.end).contains("{{")
    }

    /// The edit of the literal in a values file that a template fills in.
    fn set_filled_in(&self, literal: Span, value: &NewValue) -> Option<Edit> {
        let NewValue::Text(text) = value else { return None };
        let is_word = text.starts_with(|it: char| it.is_ascii_alphabetic())
            && text.chars().all(|it| it.is_ascii_alphanumeric());
        let is_yaml = matches!(self.files.get(literal.file).ending(), "yaml" | "yml");
        let span = unquoted(self.files, literal);
        (is_word && is_yaml).then(|| Edit { span, text: text.clone() })
    }

    /// The edit that gives an entry another value, which is one line now.
    #[must_use]
    pub(super) fn set(&self, entry: &Entry, value: &NewValue) -> Option<Edit> {
        let written = self.written(entry)?;
        let old = self.files.text(written.value);
        if old.contains('\n') {
            return None;
        }
        let span = unquoted(self.files, written.value);
        match value {
            NewValue::Text(text) if span != written.value => {
                Some(Edit { span, text: text.clone() })
            }
            _ => Some(Edit { span: written.value, text: self.style(entry)?.inline(value) }),
        }
    }

    /// The edits that give an entry another key and another value.
    #[must_use]
    pub(super) fn replace(&self, entry: &Entry, key: &str, value: &NewValue) -> Option<Vec<Edit>> {
        let written = self.written(entry)?;
        let span = unquoted(self.files, written.key);
        Some(vec![self.set(entry, value)?, Edit { span, text: key.to_owned() }])
    }

    /// The edit that adds entries in front of all others.
    #[must_use]
    pub(super) fn add_first(&self, new: &[(&str, NewValue)]) -> Option<Edit> {
        let style = self.style(self.whole.entries().first()?)?;
        self.at_head(|indent| new.iter().map(|it| style.entry(it.0, &it.1, indent)).collect())
    }

    /// The edit that writes an entry of another mapping in front of all others, as it is written there.
    #[must_use]
    pub(super) fn adopt(&self, from: &Self, entry: &Entry) -> Option<Edit> {
        let style = |it: &Self, entry: &Entry| {
            it.style(entry).map(|it| (it.braced, it.sign, it.commas, it.key_quote))
        };
        if style(self, self.whole.entries().first()?)? != style(from, entry)? {
            return None;
        }
        let written = from.written(entry)?;
        let file = self.files.get(written.key.file);
        let end = file.line_range(file.line_of(written.value.end as usize)).end;
        let rest = file.slice(written.value.end as usize..end).trim_end_matches('\r');
        let remark = if rest.trim_start().starts_with('#') { rest } else { "" };
        let text = format!("{}{remark}", self.files.text(written.key.to(written.value)));
        let old = from.column(written.key);
        let mut lines = text.lines();
        let mut moved = lines.next()?.to_owned();
        let new = self.column(self.written(self.whole.entries().first()?)?.key);
        for line in lines {
            let blank = line.trim().is_empty();
            let (head, tail) = line.split_at_checked(old).unwrap_or((line, ""));
            if !head.trim().is_empty() {
                return None;
            }
            moved.push_str(line_break(self.files, written.key.file));
            if !blank {
                moved.push_str(&" ".repeat(new));
                moved.push_str(tail);
            }
        }
        self.at_head(|_| vec![moved.clone()])
    }

    /// How many letters are before a place on its line.
    fn column(&self, at: Span) -> usize {
        let file = self.files.get(at.file);
        let line = file.line_range(file.line_of(at.start as usize));
        file.slice(line.start..at.start as usize).chars().count()
    }

    /// The edit that writes entries at the head, made for lines that begin with the text given.
    fn at_head(&self, entries: impl FnOnce(&str) -> Vec<String>) -> Option<Edit> {
        let first = self.whole.entries().first()?;
        let written = self.written(first)?;
        let style = self.style(first)?;
        let file = self.files.get(written.key.file);
        let line = file.line_of(written.key.start as usize);
        let range = file.line_range(line);
        let before = file.slice(range.start..written.key.start as usize);
        let indent = format!("{}{before}", line_break(self.files, written.key.file));
        let entries = entries(&indent);
        let at = |offset: usize, text: String| Some(insert(written.key.file, offset, text));
        if !before.trim().is_empty() {
            // `{ a: 1`; not `- a: 1`, where the first entry is on the line of the item.
            let text = joined(&entries, "", ", ");
            let one_line = !text.contains('\n') && !has_remark(&text);
            return (self.is_object(&style) && one_line)
                .then(|| at(written.key.start as usize, text))?;
        }
        // Comments above the first entry stay its own: the new ones are at the head of all.
        let head = (0..line).rev().find(|it| !is_remark(file.slice(file.line_range(*it))))?;
        let head = file.line_range(head);
        let text = file.slice(head.clone());
        let end = text.trim_end_matches('\r').len();
        let code = text.split(" #").next().unwrap_or(text).trim_end();
        let opens = if style.braced { code.ends_with('{') } else { code.ends_with(':') };
        let comma = style.comma();
        let text = joined(&entries, &indent, comma);
        (opens && !(style.commas && has_remark(&text))).then(|| at(head.start + end, text))?
    }

    /// The edit that adds entries behind one.
    #[must_use]
    pub(super) fn add_after(&self, neighbour: &Entry, new: &[(&str, NewValue)]) -> Option<Edit> {
        let written = self.written(neighbour)?;
        let first = self.files.get(written.key.file);
        if keeps_blank_lines(first.line_text(first.line_of(written.key.start as usize))) {
            return None;
        }
        let style = self.style(neighbour)?;
        let file = self.files.get(written.key.file);
        let end = written.value.end as usize;
        let range = file.line_range(file.line_of(end));
        let after = file.slice(end..range.end).trim_end_matches('\r');
        let blanks = " ".repeat(self.column(written.key));
        let indent = format!("{}{blanks}", line_break(self.files, written.key.file));
        let indent = if written.own_line { indent } else { String::new() };
        let entry = |(key, value): &(&str, NewValue)| style.entry(key, value, &indent);
        let entries: Vec<String> = new.iter().map(entry).collect();
        let at = |offset: usize, text: String| Some(insert(written.key.file, offset, text));
        if !written.own_line {
            let text = joined(&entries, ", ", "");
            return (self.is_object(&style) && after.trim_start().starts_with([',', '}']))
                .then(|| at(end, text))?;
        }
        let comma = after.trim_start().starts_with(',');
        let rest = after.trim_start().trim_start_matches(',').trim_start();
        if !(rest.is_empty() || rest.starts_with('#') || rest.starts_with("//")) {
            return None;
        }
        if comma || !style.commas {
            let comma = style.comma();
            let text = joined(&entries, &indent, comma);
            return at(end + after.len(), text);
        }
        let text = joined(&entries, &format!(",{indent}"), "");
        rest.is_empty().then(|| at(end, text))?
    }
}

/// What follows the sign between a key and its value.
fn after_sign(text: &str) -> Option<&str> {
    text.trim_start_matches([' ', '\t']).strip_prefix([':', '='])
}

/// Whether a comment may be in the text, and swallow what follows on its line.
fn has_remark(text: &str) -> bool {
    text.contains(" #") || text.contains(" //")
}

/// The entries, each between these.
fn joined(entries: &[String], before: &str, after: &str) -> String {
    let parts = entries.iter().flat_map(|it| [before, it, after]);
    parts.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests;
