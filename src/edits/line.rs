//! What a line of text holds: a value, a comment, quotes, a block.

use crate::{
    source::{FileId, Files, SourceFile, Span},
    value::Value,
};

/// The value in what follows a sign on its line: without a comment and without a comma. `None` where the
/// value goes on, or where its end is not clear.
#[must_use]
pub(super) fn one_value(text: &str) -> Option<&str> {
    let text = text.split(" #").next().unwrap_or(text);
    let text = text.split(" //").next().unwrap_or(text).trim().trim_end_matches(',').trim_end();
    let count = |it: char| text.matches(it).count();
    let closed = [('(', ')'), ('[', ']'), ('{', '}')].iter().all(|(a, b)| count(*a) == count(*b));
    let whole = closed && count('"').is_multiple_of(2) && !text.contains("<<");
    (whole && !text.is_empty() && !text.starts_with(['|', '>', '&', '*', '!'])).then_some(text)
}

/// Whether a line says nothing, or only something to people.
#[must_use]
pub(super) fn is_remark(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line.starts_with("//")
}

/// The line break the file uses.
#[must_use]
pub(super) fn line_break(files: &Files, file: FileId) -> &'static str {
    let text = files.get(file).text();
    let first = memchr::memchr(b'\n', text.as_bytes()).and_then(|at| text.get(..at));
    if first.is_some_and(|it| it.ends_with('\r')) { "\r\n" } else { "\n" }
}

/// The span without the quotes it begins and ends with; JSON in a string of Terraform escapes them.
#[must_use]
pub(super) fn unquoted(files: &Files, span: Span) -> Span {
    let text = files.text(span);
    let between =
        |it: &str| text.len() >= 2 * it.len() && text.starts_with(it) && text.ends_with(it);
    let quotes = ["\\\"", "\"", "'"].into_iter().find(|it| between(it)).unwrap_or_default();
    let width = u32::try_from(quotes.len()).unwrap_or_default();
    Span { start: span.start + width, end: span.end - width, ..span }
}

/// The span with the quotes around it.
#[must_use]
pub(super) fn quoted(files: &Files, span: Span) -> Span {
    let text = files.get(span.file).text();
    let (start, end) = (span.start as usize, span.end as usize);
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let around =
        ["\\\"", "\"", "'"].into_iter().find(|it| before.ends_with(it) && after.starts_with(it));
    let width = around.map_or(0, str::len);
    Span::new(span.file, start - width, end + width)
}

/// Whether a value is a block of Terraform: its header, then entries in braces.
#[must_use]
pub(super) fn is_block(files: &Files, value: &Value) -> bool {
    let (whole, header) = (value.span, value.name);
    whole.start == header.start
        && header.end < whole.end
        && whole.contains(header)
        && files.text(whole).ends_with('}')
}

/// Whether a place is in a folded text of YAML, `>`, in which line breaks are no line breaks.
#[must_use]
pub(super) fn is_folded(file: &SourceFile, at: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let mut line = file.line_of(at);
    let mut depth = indent(file.line_text(line));
    // Nothing is around what is not indented.
    while let Some(above) = line.checked_sub(1).filter(|_| depth > 0) {
        line = above;
        let text = file.line_text(line);
        let code = text.split(" #").next().unwrap_or(text).trim_end();
        let header =
            code.trim_end_matches(['-', '+']).trim_end_matches(|it: char| it.is_ascii_digit());
        let header = header.trim_end_matches(['-', '+']);
        let is_item = header.trim_start() == "- >";
        let own = if is_item { text.len() - text.trim_start().len() } else { indent(text) };
        if code.trim().is_empty() || own >= depth {
            continue;
        }
        depth = own;
        if header.ends_with(": >") || is_item {
            return true;
        }
    }
    false
}

/// Whether the value that begins on a line is a text of YAML that keeps the blank lines behind it.
#[must_use]
pub(super) fn keeps_blank_lines(line: &str) -> bool {
    let code = line.split(" #").next().unwrap_or(line).trim_end();
    [": |+", ": >+"].iter().any(|it| code.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::is_folded;
    use crate::source::SourceFile;

    #[test]
    fn lines_of_a_folded_text_are_known() {
        for (text, wanted) in [
            ("a: >-\n  HERE: 1\n", true),
            ("a: > # all\n  b:\n    HERE: 1\n", true),
            ("a:\n  - >2+\n    HERE\n", true),
            ("a: |\n  HERE: 1\n", false),
            ("a: >-\n  x\nHERE: 1\n", false),
            ("a: 'b >'\nHERE: 1\n", false),
        ] {
            let at = text.find("HERE").unwrap_or_default();
            assert_eq!(is_folded(&SourceFile::new("a.yaml", text), at), wanted, "{text}");
        }
    }
}
