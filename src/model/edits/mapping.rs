//! Edits of mappings in YAML, JSON and HCL, in block and in flow style.
//!
//! Nothing is offered that cannot be made sure: each text that goes has to stand in the file as it was
//! read, and an entry that goes has to be a line of its own or one between two commas.

use crate::{
    findings::Edit,
    model::edits::line::{line_break, quoted, unquoted},
    source::{Files, Span},
    value::{Entry, Kind, Value},
};

/// A mapping and the files it is written in.
#[derive(Clone, Copy)]
pub struct Mapping<'a> {
    files: &'a Files,
    whole: &'a Value,
}

impl<'a> Mapping<'a> {
    /// That of a value.
    #[must_use]
    pub fn of(files: &'a Files, whole: &'a Value) -> Self {
        Self { files, whole }
    }

    /// The entry of a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.whole.entries().iter().find(|it| &*it.key == key)
    }

    /// The text of an entry, empty if it is not there; `None` for what is no text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&'a str> {
        match self.entry(key).map(|it| &it.value) {
            None => Some(""),
            Some(value) if matches!(value.kind, Kind::Null) => Some(""),
            Some(value) => value.as_str(),
        }
    }

    /// The edits that give an entry another text: none where it has that text already.
    #[must_use]
    pub fn set(&self, key: &str, text: &str) -> Option<Vec<Edit>> {
        let value = &self.entry(key)?.value;
        let written = value.as_str()?;
        if written == text {
            return Some(Vec::new());
        }
        let span = unquoted(self.files, value.span);
        let stands_there = self.files.text(span) == written;
        stands_there.then(|| vec![Edit { span, text: text.to_owned() }])
    }

    /// The edit that takes an entry away: with its line where it has lines of its own, else with the comma
    /// that parts it from its neighbour.
    #[must_use]
    pub fn remove(&self, entry: &Entry) -> Option<Edit> {
        let extent = self.extent(entry)?;
        let text = self.files.get(extent.file).text();
        let (before, after) =
            (text.get(..extent.start as usize)?, text.get(extent.end as usize..)?);
        let line_before = before.rsplit('\n').next()?;
        let line_after = after.split('\n').next()?;
        let comma = line_after.trim_start().starts_with(',');
        let rest = line_after.trim_start_matches([' ', '\t', ',']).trim_end();
        if !line_before.trim().is_empty() || !(rest.is_empty() || is_comment(rest)) {
            return self.remove_inline(extent, before, after);
        }
        let line_end = extent.end as usize + line_after.len();
        let head = before.trim_end();
        if !comma && self.is_braced() && head.ends_with(',') {
            // JSON takes no comma before a closing brace.
            let carriage = usize::from(line_after.ends_with('\r'));
            let span = Span::new(extent.file, head.len() - 1, line_end - carriage);
            return rest.is_empty().then(|| cut(span));
        }
        let start = before.len() - line_before.len();
        Some(cut(Span::new(extent.file, start, (line_end + 1).min(text.len()))))
    }

    /// One of several entries of a line.
    fn remove_inline(&self, extent: Span, before: &str, after: &str) -> Option<Edit> {
        if !self.is_braced() {
            return None;
        }
        let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        let (start, end) = (extent.start as usize, extent.end as usize);
        let next = blanks(after);
        let behind = after.get(next..)?;
        if let Some(rest) = behind.strip_prefix(',') {
            let opens = before.trim_end_matches([' ', '\t']).ends_with(['{', ',']);
            return opens
                .then(|| cut(Span::new(extent.file, start, end + next + 1 + blanks(rest))));
        }
        let head = before.trim_end_matches([' ', '\t']);
        let closes = behind.starts_with('}') && head.ends_with(',');
        closes.then(|| cut(Span::new(extent.file, head.len() - 1, end)))
    }

    /// The edit that adds an entry behind another, written as that one is.
    #[must_use]
    pub fn add_after(&self, neighbour: &str, key: &str, value: &str) -> Option<Edit> {
        let entry = self.entry(neighbour)?;
        let extent = self.extent(entry)?;
        let name = unquoted(self.files, quoted(self.files, entry.key_span));
        let text = unquoted(self.files, quoted(self.files, entry.value.span));
        let part = |start, end| self.files.text(Span { start, end, ..extent });
        let (head, tail) = (part(extent.start, name.start), part(text.end, extent.end));
        let entry = format!("{head}{key}{}{value}{tail}", part(name.end, text.start));
        let source = self.files.get(extent.file).text();
        let line = source.get(..extent.start as usize)?.rsplit('\n').next()?;
        let rest = source.get(extent.end as usize..)?.split('\n').next()?;
        let begins_line = line.trim_start_matches([' ', '-']).is_empty();
        let added = if begins_line && rest.trim().is_empty() {
            let line_break = if rest.ends_with('\r') { "\r\n" } else { "\n" };
            format!("{line_break}{}{entry}", " ".repeat(line.len()))
        } else if !begins_line && self.is_braced() && rest.trim_start().starts_with([',', '}']) {
            format!(", {entry}")
        } else {
            return None;
        };
        Some(Edit { span: Span { start: extent.end, ..extent }, text: added })
    }

    /// From an entry's key to the end of its value, with their quotes.
    #[must_use]
    pub fn extent(&self, entry: &Entry) -> Option<Span> {
        let (key, value) =
            (quoted(self.files, entry.key_span), quoted(self.files, entry.value.span));
        let key_stands = self.files.text(unquoted(self.files, key)) == &*entry.key;
        let in_order = key.file == value.file && key.end <= value.start;
        let between = Span { start: key.end, end: value.start, ..key };
        let sign = in_order.then(|| self.files.text(between).trim())?;
        let comment = || sign.strip_prefix(':').is_some_and(|it| it.trim_start().starts_with('#'));
        (key_stands && (matches!(sign, ":" | "=") || comment())).then(|| key.to(value))
    }

    /// Whether the mapping is written between braces.
    fn is_braced(&self) -> bool {
        self.files.text(self.whole.span).starts_with('{')
    }
}

/// The edit that writes a new first entry into a mapping, inside mappings of the names given.
#[must_use]
pub fn add_first(files: &Files, mapping: &Value, inside: &[&str], line: &str) -> Option<Edit> {
    let first = whole(files, mapping.entries().first()?)?;
    let file = files.get(first.file);
    let range = file.line_range(file.line_of(first.start as usize));
    let before = file.slice(range.start..first.start as usize);
    let at = Span { start: first.start, end: first.start, file: first.file };
    let braced = files.text(mapping.span).starts_with('{');
    let quoted = files.text(first).starts_with(QUOTES);
    if braced && quoted && !inside.is_empty() {
        // JSON does not take names without quotes.
        return None;
    }
    let text = if !braced && before.trim_start_matches([' ', '-']).is_empty() {
        let indent = " ".repeat(before.chars().count());
        let end = line_break(files, first.file);
        let names = inside.iter().enumerate();
        let names =
            names.map(|(depth, it)| format!("{it}:{end}{indent}{}", "  ".repeat(depth + 1)));
        format!("{}{line}{end}{indent}", names.collect::<String>())
    } else {
        let inner = inside.iter().rfold(line.to_owned(), |it, name| format!("{name}: {{ {it} }}"));
        format!("{inner}, ")
    };
    Some(Edit { span: at, text })
}

/// The edit that writes a line into a mapping that is there and empty: nothing after its key, or `{}`.
#[must_use]
pub fn fill(files: &Files, entry: &Entry, line: &str) -> Option<Edit> {
    let key = entry.key_span;
    let file = files.get(key.file);
    let range = file.line_range(file.line_of(key.start as usize));
    let written = file.slice(key.end as usize..range.end);
    let after = written.split(" #").next().unwrap_or(written).trim();
    if after == ": {}" {
        let at = written.find('{')? + key.end as usize;
        let span = Span::new(key.file, at, at + 2);
        return Some(Edit { span, text: format!("{{ {line} }}") });
    }
    let indent = file.slice(range.start..key.start as usize);
    let begins = indent.trim().is_empty() && after == ":";
    let at = key.end as usize + written.find(':')? + 1;
    let text = format!("{}{indent}  {line}", line_break(files, key.file));
    begins.then(|| Edit { span: Span::new(key.file, at, at), text })
}

/// From the key's first character to the value's last, where both are written in one file as YAML is.
fn whole(files: &Files, entry: &Entry) -> Option<Span> {
    let (key, value) = (entry.key_span, entry.value.span);
    let span = Span { end: value.end, ..key };
    let ordered = key.file == value.file && key.end <= value.start;
    let between = || files.text(Span { start: key.end, end: value.start, ..key });
    (ordered && between().trim_start().starts_with(':')).then_some(span)
}

fn cut(span: Span) -> Edit {
    Edit { span, text: String::new() }
}

fn is_comment(text: &str) -> bool {
    text.starts_with('#') || text.starts_with("//")
}

const QUOTES: [char; 2] = ['"', '\''];

#[cfg(test)]
mod tests {
    use crate::{
        model::edits::mapping::{Mapping, add_first, fill},
        source::{FileId, Files, SourceFile, Span},
        syntax::yaml,
        value::{Text, Value},
    };

    fn read(text: &str) -> (Files, Value) {
        let whole = Span::new(FileId(0), 0, text.len());
        let value = yaml::parse(&Text::verbatim(text, whole), whole).values.remove(0);
        (Files::new(vec![SourceFile::new("a.yaml", text)]), value)
    }

    #[test]
    fn an_entry_goes_with_its_line_or_its_comma() {
        for (text, rest) in [
            ("b: 1\na: 2\nc: 3\n", Some("b: 1\nc: 3\n")),
            ("b: 1\n# why\na: 2 # because\n", Some("b: 1\n# why\n")),
            ("b: 1\na:\n  d: 2\n  e: 3\nc: 4\n", Some("b: 1\nc: 4\n")),
            ("b: 1\na: # all\n  d: 2\nc: 4\n", Some("b: 1\nc: 4\n")),
            ("b: 1\n\"a\": 2", Some("b: 1\n")),
            ("{b: 1, a: 2, c: 3}\n", Some("{b: 1, c: 3}\n")),
            ("{a: 2, c: 3}\n", Some("{c: 3}\n")),
            ("{b: 1, a: 2}\n", Some("{b: 1}\n")),
            ("{\n  \"b\": 1,\n  \"a\": 2\n}\n", Some("{\n  \"b\": 1\n}\n")),
            ("{a: 2}\n", None),
            ("b: 1\na: &mark 2\n", None),
            ("b: 1\na: !!str 2\n", None),
        ] {
            let (files, value) = read(text);
            let mapping = Mapping::of(&files, &value);
            let edit = mapping.entry("a").and_then(|it| mapping.remove(it));
            let applied = edit.map(|it| {
                let (start, end) = (it.span.start as usize, it.span.end as usize);
                format!("{}{}{}", &text[..start], it.text, &text[end..])
            });
            assert_eq!(applied.as_deref(), rest, "{text}");
        }
    }

    #[test]
    fn a_first_entry_is_written_as_its_neighbours_are() {
        for (text, wanted) in [
            ("a: 1\n", "n: 0\na: 1\n"),
            ("a: 1\r\n", "n: 0\r\na: 1\r\n"),
            ("{a: 1}\n", "{n: 0, a: 1}\n"),
            ("{\n  a: 1\n}\n", "{\n  n: 0, a: 1\n}\n"),
        ] {
            let (files, value) = read(text);
            let edit = add_first(&files, &value, &[], "n: 0").map(|it| {
                let at = it.span.start as usize;
                format!("{}{}{}", &text[..at], it.text, &text[at..])
            });
            assert_eq!(edit.as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn an_empty_mapping_is_filled_where_it_stands() {
        for (text, wanted) in [
            ("a:\n", Some("a:\n  n: 0\n")),
            ("a:\r\nb: 1\r\n", Some("a:\r\n  n: 0\r\nb: 1\r\n")),
            ("  a: # none yet\n", Some("  a:\n    n: 0 # none yet\n")),
            ("a: {}\n", Some("a: { n: 0 }\n")),
            ("a: {} # none\n", Some("a: { n: 0 } # none\n")),
            ("{a: {}}\n", None),
            ("a: null\n", None),
        ] {
            let (files, value) = read(text);
            let edit = value.entries().first().and_then(|it| fill(&files, it, "n: 0"));
            let filled = edit.map(|it| {
                let (start, end) = (it.span.start as usize, it.span.end as usize);
                format!("{}{}{}", &text[..start], it.text, &text[end..])
            });
            assert_eq!(filled.as_deref(), wanted, "{text}");
        }
    }
}
