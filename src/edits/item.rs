//! One more item of a list, written as the last one is.

use crate::{
    edits::{
        edit::insert,
        entry::Entries,
        line::{is_block, is_remark, line_break, quoted},
        style::Style,
    },
    findings::{change::NewValue, edit::Edit},
    source::{Files, Span},
    value::Value,
};

/// The edits that add an item behind the last of a list; `None` for a list without items, or with items
/// that are brought from elsewhere.
#[must_use]
pub(super) fn append(files: &Files, list: &Value, item: &NewValue) -> Option<Vec<Edit>> {
    let written = list.as_list().filter(|it| it.rest.is_none())?;
    let is_here = |it: &Value| {
        let text = quoted(files, it.span);
        is_block(files, it) || list.span.contains(text)
    };
    let neighbour = written.items.last().filter(|_| written.items.iter().all(is_here))?;
    let place = ItemSlot::of(files, list, neighbour)?;
    match files.text(list.span).starts_with('[') {
        true => place.in_brackets(item),
        false if place.block.is_some() => place.behind_block(item),
        false => place.below(item),
    }
}

/// Behind the last item of a list.
struct ItemSlot<'a> {
    files: &'a Files,
    /// The last item with its quotes.
    last: Span,
    /// How items are written.
    style: Style,
    /// The column of the last item's first key, and how wide the keys are that `=` follows.
    keys: Option<usize>,
    /// The header of the last item, if it is a block of Terraform.
    block: Option<&'a str>,
    /// What precedes the last item on its line.
    before: &'a str,
    /// What follows it on the line where it ends.
    after: &'a str,
}

impl<'a> ItemSlot<'a> {
    fn of(files: &'a Files, list: &Value, neighbour: &'a Value) -> Option<Self> {
        let span = quoted(files, neighbour.span);
        let file = files.get(span.file);
        let first_line = file.line_range(file.line_of(span.start as usize));
        let last_line = file.line_range(file.line_of(span.end as usize));
        let mut style = match neighbour.entries().first() {
            Some(entry) => Entries::of(files, neighbour)?.style(entry)?,
            None => Style::like(files, list),
        };
        // What is aligned is so with keys that are not written here.
        style.width = 0;
        let keys = neighbour.entries().first().map(|it| {
            let key = quoted(files, it.key_span).start as usize;
            file.slice(file.line_range(file.line_of(key)).start..key).chars().count()
        });
        let header = files.text(neighbour.name);
        Some(Self {
            files,
            block: Some(header).filter(|_| is_block(files, neighbour)),
            last: span,
            style,
            keys,
            before: file.slice(first_line.start..span.start as usize),
            after: file.slice(span.end as usize..last_line.end).trim_end_matches('\r'),
        })
    }

    fn line_break(&self) -> &'static str {
        line_break(self.files, self.last.file)
    }

    fn insert(&self, behind: usize, text: String) -> Edit {
        insert(self.last.file, self.last.end as usize + behind, text)
    }

    /// An item with a dash of its own.
    fn below(&self, item: &NewValue) -> Option<Vec<Edit>> {
        let blanks = self.before.find('-')?;
        let (indent, dash) = self.before.split_at(blanks);
        let comment = self.after.trim_start();
        let plain = indent.trim().is_empty() && dash.trim_end() == "-";
        if !plain || !(comment.is_empty() || comment.starts_with('#')) {
            return None;
        }
        let before = format!("{}{indent}", self.line_break());
        // An item that is empty ends with its dash.
        let dash = if dash == "-" { "- " } else { dash };
        let entries = match item {
            NewValue::Map(_) if self.style.braced => self.style.inline(item),
            _ => {
                // The keys are below the first one, however wide the gap behind the dash is.
                let inner = format!("{before}{}", " ".repeat(dash.len() - 2));
                self.style.item(item, &inner)
            }
        };
        Some(vec![self.insert(self.after.len(), format!("{before}{dash}{entries}"))])
    }

    /// A block of its own.
    fn behind_block(&self, item: &NewValue) -> Option<Vec<Edit>> {
        let own_lines = self.before.trim().is_empty() && self.after.trim().is_empty();
        let begin = format!("{}{}{} ", self.line_break(), self.before, self.block?);
        let lines = self.in_lines(item)?;
        own_lines.then(|| vec![self.insert(0, format!("{begin}{lines}"))])
    }

    /// An item between brackets.
    fn in_brackets(&self, item: &NewValue) -> Option<Vec<Edit>> {
        let several_lines = self.files.text(self.last).contains('\n');
        let own_line = self.before.trim().is_empty();
        let text = if several_lines { self.in_lines(item)? } else { self.style.inline(item) };
        if !own_line {
            return Some(vec![self.insert(0, format!(", {text}"))]);
        }
        let begin = format!("{}{}", self.line_break(), self.before);
        if let Some(rest) = self.after.trim_start().strip_prefix(',') {
            let ends = is_remark(rest);
            return ends.then(|| vec![self.insert(self.after.len(), format!("{begin}{text},"))]);
        }
        if self.after.contains("/*") {
            return None;
        }
        Some(match self.after.trim_start() {
            "" => vec![self.insert(0, format!(",{begin}{text}"))],
            it if is_remark(it) => vec![
                self.insert(0, ",".to_owned()),
                self.insert(self.after.len(), format!("{begin}{text}")),
            ],
            _ => vec![self.insert(0, format!(", {text}"))],
        })
    }

    /// An item with a line for each entry.
    fn in_lines(&self, item: &NewValue) -> Option<String> {
        let NewValue::Map(entries) = item else { return Some(self.style.inline(item)) };
        let file = self.files.get(self.last.file);
        let line = file.line_range(file.line_of(self.last.end as usize));
        let line = file.slice(line);
        let closing = &line[..line.len() - line.trim_start().len()];
        let indent = format!("{}{}", self.line_break(), " ".repeat(self.keys?));
        let widest = entries.iter().map(|(key, _)| self.style.key(key).len()).max()?;
        let width = if self.style.sign == "=" { widest + 1 } else { 0 };
        let style = Style { width, ..self.style.clone() };
        let lines: Vec<_> = entries.iter().map(|(key, it)| style.entry(key, it, &indent)).collect();
        let lines = lines.join(&format!("{}{indent}", style.comma()));
        Some(format!("{{{indent}{lines}{}{closing}}}", self.line_break()))
    }
}
