//! Edits of mappings in YAML, JSON and HCL, in block and in flow style.
//!
//! Nothing is offered that cannot be made sure: each text that is removed has to be in the file as it was
//! read, and an entry that goes has to be a line of its own or one between two commas.

use crate::{
    edits::{
        edit::delete,
        line::{quoted, unquoted},
    },
    findings::edit::Edit,
    source::{Files, Span},
    value::{Entry, Value},
};

/// A mapping and the files it is written in.
#[derive(Clone, Copy)]
pub(super) struct Mapping<'a> {
    files: &'a Files,
    whole: &'a Value,
}

impl<'a> Mapping<'a> {
    /// That of a value.
    #[must_use]
    pub(super) fn of(files: &'a Files, whole: &'a Value) -> Self {
        Self { files, whole }
    }

    /// The edit that takes an entry away: with its line where it has lines of its own, else with the comma
    /// that parts it from its neighbour.
    #[must_use]
    pub(super) fn remove(&self, entry: &Entry) -> Option<Edit> {
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
            return rest.is_empty().then(|| delete(span));
        }
        let start = before.len() - line_before.len();
        Some(delete(Span::new(extent.file, start, (line_end + 1).min(text.len()))))
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
                .then(|| delete(Span::new(extent.file, start, end + next + 1 + blanks(rest))));
        }
        let head = before.trim_end_matches([' ', '\t']);
        let closes = behind.starts_with('}') && head.ends_with(',');
        closes.then(|| delete(Span::new(extent.file, head.len() - 1, end)))
    }

    /// From an entry's key to the end of its value, with their quotes.
    #[must_use]
    pub(super) fn extent(&self, entry: &Entry) -> Option<Span> {
        let (key, value) =
            (quoted(self.files, entry.key_span), quoted(self.files, entry.value.span));
        let is_key = self.files.text(unquoted(self.files, key)) == &*entry.key;
        let in_order = key.file == value.file && key.end <= value.start;
        let between = Span { start: key.end, end: value.start, ..key };
        let sign = in_order.then(|| self.files.text(between).trim())?;
        let comment = || sign.strip_prefix(':').is_some_and(|it| it.trim_start().starts_with('#'));
        (is_key && (matches!(sign, ":" | "=") || comment())).then(|| key.to(value))
    }

    /// Whether the mapping is written between braces.
    fn is_braced(&self) -> bool {
        self.files.text(self.whole.span).starts_with('{')
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with('#') || text.starts_with("//")
}

#[cfg(test)]
mod tests {
    use crate::{
        edits::mapping::Mapping,
        source::{FileId, Files, SourceFile},
        syntax::yaml,
        value::Value,
    };

    fn read(text: &str) -> (Files, Value) {
        let value = yaml::parse_file(FileId(0), text).values.remove(0);
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
            let edit =
                value.as_map().and_then(|it| it.entry("a")).and_then(|it| mapping.remove(it));
            let applied = edit.map(|it| {
                let (start, end) = (it.span.start as usize, it.span.end as usize);
                format!("{}{}{}", &text[..start], it.text, &text[end..])
            });
            assert_eq!(applied.as_deref(), rest, "{text}");
        }
    }
}
