//! Mappings that are taken away around their entries.

use std::sync::Arc;

use crate::{
    edits::mapping::Mapping,
    findings::edit::Edit,
    source::{Files, Span},
    value::{Entry, Value},
};

/// The edit that puts the entries inside an entry in its place, with other keys; `None` where they cannot be
/// moved to the left together.
#[must_use]
pub(super) fn unwrap(files: &Files, map: &Value, key: &str, names: &[Arc<str>]) -> Option<Edit> {
    let entry = map.as_map()?.entry(key)?;
    let inner = entry.value.entries();
    if inner.len() != names.len() {
        return None;
    }
    let names: Vec<(Span, &str)> =
        inner.iter().zip(names).map(|(entry, name)| (entry.key_span, &**name)).collect();
    let whole = Mapping::of(files, map).extent(entry)?;
    let file = files.get(whole.file);
    let braced = files.text(entry.value.span).starts_with('{');
    let block = !files.text(map.span).starts_with('{');
    let inside = inside(files, entry, whole, braced)?;
    let first = names.first()?.0;
    if !names.iter().all(|it| inside.contains(it.0)) || (block && braced && names.len() > 1) {
        return None;
    }
    let text = renamed(files, inside, &names);
    let column = |at: u32| {
        let at = at as usize;
        at - file.line_range(file.line_of(at)).start
    };
    // Between braces indentation means nothing, except in a heredoc.
    let is_free = braced && !text.contains("<<");
    let shift = column(first.start).checked_sub(column(whole.start));
    let shift = if is_free { shift.unwrap_or_default() } else { shift? };
    let text = text.trim().trim_end_matches(',');
    Some(Edit { span: whole, text: outdented(text, shift, is_free)? })
}

/// What is between the braces of a mapping, or below its key.
fn inside(files: &Files, entry: &Entry, whole: Span, braced: bool) -> Option<Span> {
    if braced {
        return Some(Span { start: entry.value.span.start + 1, end: whole.end - 1, ..whole });
    }
    let file = files.get(whole.file);
    let line = file.line_range(file.line_of(entry.key_span.end as usize));
    let rest = file.slice(entry.key_span.end as usize..line.end);
    let start = u32::try_from(line.end).ok()?;
    let opens = rest.trim_matches(['"', '\'', ' ', '\r']) == ":" && start < whole.end;
    opens.then_some(Span { start, ..whole })
}

/// The text of a span with other names in it, in the quotes of the old ones.
fn renamed(files: &Files, inside: Span, names: &[(Span, &str)]) -> String {
    let mut text = String::new();
    let mut rest = inside;
    for (span, name) in names {
        let quoted = |it: &char| matches!(it, '"' | '\'');
        let quote = files.text(*span).chars().next().filter(quoted);
        let quote = quote.map(String::from).unwrap_or_default();
        text.push_str(files.text(Span { end: span.start, ..rest }));
        text.extend([&quote, *name, &quote]);
        rest.start = span.end;
    }
    text.push_str(files.text(rest));
    text
}

/// The text with the lines after the first moved to the left; `None` where one has no room, and indentation is
/// not free.
fn outdented(text: &str, shift: usize, is_free: bool) -> Option<String> {
    let mut lines = text.split('\n');
    let mut out = lines.next()?.to_owned();
    for line in lines {
        out.push('\n');
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        if !line.trim().is_empty() {
            let shift = if is_free { shift.min(blank) } else { shift };
            out.push_str(line.get(shift.min(line.len())..).filter(|_| blank >= shift)?);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::unwrap;
    use crate::{
        source::{FileId, Files, SourceFile},
        syntax::yaml,
        value::Entry,
    };

    #[test]
    fn what_is_inside_takes_the_place_of_the_whole() {
        for (text, wanted) in [
            ("old:\n  a: 1\n  b: x\nc: 2\n", Some("n-a: 1\nn-b: x\nc: 2\n")),
            (
                "old:\n  # why\n  a: '1'\n\n  b: |\n    x\nc: 2\n",
                Some("# why\nn-a: '1'\n\nn-b: |\n  x\nc: 2\n"),
            ),
            ("old:\r\n    a: 1\r\n    b: x\r\n", Some("n-a: 1\r\nn-b: x\r\n")),
            ("old: { a: 1 }\n", Some("n-a: 1\n")),
            ("{ old: { a: 1, b: x, }, c: 2 }\n", Some("{ n-a: 1, n-b: x, c: 2 }\n")),
            (
                "{\n  \"old\": {\n    \"a\": 1,\n    \"b\": 2\n  },\n  \"c\": 2\n}\n",
                Some("{\n  \"n-a\": 1,\n  \"n-b\": 2,\n  \"c\": 2\n}\n"),
            ),
            ("old: { a: 1, b: x }\n", None),
            ("old: # why\n  a: 1\n", None),
            ("old: &mark\n  a: 1\n", None),
        ] {
            let value = yaml::parse_file(FileId(0), text).values.remove(0);
            let files = Files::new(vec![SourceFile::new("a.yaml", text)]);
            let old = value.as_map().and_then(|it| it.entry("old"));
            let Some(old) = old else { unreachable!("{text}") };
            let name = |it: &Entry| Arc::from(format!("n-{}", it.key));
            let names: Vec<Arc<str>> = old.value.entries().iter().map(name).collect();
            let lifted = unwrap(&files, &value, "old", &names).map(|it| {
                let (start, end) = (it.span.start as usize, it.span.end as usize);
                format!("{}{}{}", &text[..start], it.text, &text[end..])
            });
            assert_eq!(lifted.as_deref(), wanted, "{text}");
        }
    }
}
