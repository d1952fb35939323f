//! Mappings of YAML that are put together anew, of what is written in them and what is not.

use crate::{
    edits::{
        entry::Entries,
        line::{is_remark, line_break},
        style::Style,
    },
    findings::{
        change::{NewValue, Part},
        edit::Edit,
    },
    source::{Files, SourceFile, Span},
    value::{Entry, Kind, Value},
};

/// The edit that puts parts in the place of all that is inside an entry; `None` where that is not written in block
/// style, each entry on lines of its own.
#[must_use]
pub(super) fn arrange(files: &Files, mapping: &Value, key: &str, parts: &[Part]) -> Option<Edit> {
    let entry = Entries::of(files, mapping)?.entry(key)?;
    let file = files.get(mapping.span.file);
    let lines = Lines { files, file, line_break: line_break(files, mapping.span.file) };
    let first = entry.value.entries().first()?;
    let (start, end) = lines.around(&entry.value)?;
    let (outer, inner) = (lines.column(entry.key_span)?, lines.column(first.key_span)?);
    let step = inner.checked_sub(outer).filter(|it| *it > 0)?;
    let text = lines.of_parts(parts, inner, step)?;
    let span = Span::new(mapping.span.file, start, end);
    Some(Edit { span, text: text.trim_end_matches(['\r', '\n']).to_owned() })
}

struct Lines<'a> {
    files: &'a Files,
    file: &'a SourceFile,
    line_break: &'static str,
}

impl Lines<'_> {
    /// The column of a key that begins its line.
    fn column(&self, key: Span) -> Option<usize> {
        let line = self.file.line_range(self.file.line_of(key.start as usize));
        let before = self.file.slice(line.start..key.start as usize);
        let before = before.trim_end_matches(['"', '\'']);
        before.bytes().all(|it| it == b' ').then_some(before.len())
    }

    /// From the first line of a mapping, with the comments above it, to the end of its last.
    fn around(&self, mapping: &Value) -> Option<(usize, usize)> {
        let entries = mapping.entries();
        Entries::of(self.files, mapping)?;
        let start = self.start(entries.iter().min_by_key(|it| it.key_span.start)?)?;
        let last = entries.iter().map(|it| self.last_byte(it)).max()?;
        let line = self.file.line_range(self.file.line_of(last));
        let text = self.file.slice(line.start..line.end);
        Some((start, line.start + text.trim_end_matches(['\r', '\n']).len()))
    }

    fn last_byte(&self, entry: &Entry) -> usize {
        let end = entry.value.span.end.max(entry.key_span.end) as usize;
        let text = self.file.slice(0..end);
        text.trim_end().len().saturating_sub(1)
    }

    /// Where the lines of an entry begin, with the comments above it.
    fn start(&self, entry: &Entry) -> Option<usize> {
        self.column(entry.key_span)?;
        let mut line = self.file.line_of(entry.key_span.start as usize);
        while line > 0 && is_remark(self.file.line_text(line - 1)) {
            line -= 1;
        }
        Some(self.file.line_range(line).start)
    }

    /// The lines of an entry and the column of its key.
    fn entry(&self, from: &Value, entry: &Entry) -> Option<(&str, usize)> {
        let (_, whole_end) = self.around(from)?;
        let start = self.start(entry)?;
        let after = from.entries().iter().filter_map(|it| self.start(it));
        let end = after.filter(|it| *it > start).min().unwrap_or(whole_end);
        Some((self.file.slice(start..end).trim_end(), self.column(entry.key_span)?))
    }

    fn of_parts(&self, parts: &[Part], column: usize, step: usize) -> Option<String> {
        let texts = parts.iter().map(|it| self.part(it, column, step));
        texts.collect::<Option<Vec<String>>>().map(|it| it.concat())
    }

    fn part(&self, part: &Part, column: usize, step: usize) -> Option<String> {
        let (blank, line_break) = (" ".repeat(column), self.line_break);
        match part {
            Part::New(name, value) => {
                let text = Style::BLOCK.entry(name, value, &format!("{line_break}{blank}"));
                Some(format!("{blank}{text}{line_break}"))
            }
            Part::Map(name, parts) => {
                let inside = self.of_parts(parts, column + step, step)?;
                Some(format!("{blank}{name}:{line_break}{inside}"))
            }
            Part::Only(name, parts) => {
                let inside = self.of_parts(parts, column + step + 2, step)?;
                let dash = " ".repeat(column + step);
                let first = inside.get(column + step + 2..)?;
                Some(format!("{blank}{name}:{line_break}{dash}- {first}"))
            }
            Part::Kept { name, from, key, more } => {
                let entry = from.as_map()?.entry(key)?;
                let text = self.kept(name, from, entry, column)?;
                let text = with_items(&text, &entry.value, more, line_break)?;
                Some(format!("{text}{line_break}"))
            }
        }
    }

    /// An entry as it is written, with another name and at another column.
    fn kept(&self, name: &str, from: &Value, entry: &Entry, column: usize) -> Option<String> {
        let blank = " ".repeat(column);
        let Some((text, old)) = self.entry(from, entry) else {
            // Between braces, on a line with others.
            let source = Entries::of(self.files, from)?.source(entry)?;
            return (!source.contains('\n')).then(|| format!("{blank}{name}: {source}"));
        };
        let start = self.start(entry)?;
        let key = entry.key_span.start as usize - start;
        let after = text.get(key + (entry.key_span.end - entry.key_span.start) as usize..)?;
        let renamed = format!("{}{name}{after}", text.get(..key)?);
        let line = |line: &str| {
            if line.trim().is_empty() {
                return Some(String::new());
            }
            let words = line.trim_start_matches(' ');
            let indent = (line.len() - words.len() + column).checked_sub(old)?;
            Some(format!("{}{words}", " ".repeat(indent)))
        };
        let lines: Option<Vec<String>> = renamed.split('\n').map(line).collect();
        Some(lines?.join("\n"))
    }
}

/// The text of a list with further items at its end.
fn with_items(text: &str, list: &Value, more: &[NewValue], line_break: &str) -> Option<String> {
    if more.is_empty() {
        return Some(text.to_owned());
    }
    let Kind::List(list) = &list.kind else { return None };
    let dash = text.lines().skip(1).find(|it| it.trim_start().starts_with("- "));
    if let Some(dash) = dash {
        let blank = &dash[..dash.len() - dash.trim_start().len()];
        let indent = format!("{line_break}{blank}");
        let item = |it: &NewValue| format!("{indent}- {}", Style::BLOCK.item(it, &indent));
        return Some(text.to_owned() + &more.iter().map(item).collect::<String>());
    }
    let (before, after) = text.rsplit_once(']')?;
    let items: Vec<String> = more.iter().map(|it| Style::BLOCK.inline(it)).collect();
    let comma = if list.items.is_empty() { "" } else { ", " };
    let before = before.trim_end().trim_end_matches(',');
    Some(format!("{before}{comma}{}]{after}", items.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::arrange;
    use crate::{
        findings::change::{NewValue, Part},
        source::{FileId, Files, SourceFile},
        syntax::yaml,
        value::Value,
    };

    fn kept(name: &'static str, from: &Value, key: &str, more: Vec<NewValue>) -> Part {
        Part::Kept { name, from: from.clone(), key: key.into(), more }
    }

    #[test]
    fn a_mapping_is_put_together_anew() {
        for (text, wanted) in [
            (
                "spec:\n  # why\n  labels: # how\n    a: b\n  list:\n    - x: 1\n  text: |\n    two\n      lines\nend: 1\n",
                Some(
                    "spec:\n  deep:\n    # why\n    tags: # how\n      a: b\n  only:\n    - text: |\n        two\n          \
                     lines\n  list:\n    - x: 1\n    - y: z\n  new: 1\nend: 1\n",
                ),
            ),
            (
                "a:\n    spec:\n        labels: {a: b}\n        list: []\n        text: t",
                Some(
                    "a:\n    spec:\n        deep:\n            tags: {a: b}\n        only:\n            - text: t\n        \
                     list: [{ y: z }]\n        new: 1",
                ),
            ),
            ("spec: { labels: {a: b}, list: [], text: t }\n", None),
        ] {
            let value = yaml::parse_file(FileId(0), text).values.remove(0);
            let files = Files::new(vec![SourceFile::new("a.yaml", text)]);
            let outer = value.get("a").present().unwrap_or(&value);
            let spec = outer.get("spec").present().expect("a spec");
            let parts = [
                Part::Map("deep", vec![kept("tags", spec, "labels", Vec::new())]),
                Part::Only("only", vec![kept("text", spec, "text", Vec::new())]),
                kept("list", spec, "list", vec![NewValue::texts([("y", "z")])]),
                Part::New("new", NewValue::plain("1")),
            ];
            let found = arrange(&files, outer, "spec", &parts).map(|it| {
                let (start, end) = (it.span.start as usize, it.span.end as usize);
                format!("{}{}{}", &text[..start], it.text, &text[end..])
            });
            assert_eq!(found.as_deref(), wanted, "{text}");
        }
    }
}
