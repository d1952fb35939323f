//! Edits that give a value the name its chart reads.

use crate::{
    edits::mapping::Mapping,
    findings::edit::Edit,
    model::chart_value::{Judged, below, is_written_alone},
    source::{Files, Span},
    value::{Entry, Value},
};

/// The edits that rename an entry of a mapping, or put what is inside it in its place; `None` where that is
/// not all there is to do.
#[must_use]
pub fn edits(
    files: &Files,
    judged: &Judged<'_>,
    map: &Value,
    entry: &Entry,
    path: &str,
) -> Option<Vec<Edit>> {
    let new_name = |path: &str| {
        let name = judged.chart.name_in(path, &judged.versions)?;
        judged.release.values.at(name).is_missing().then_some(name)
    };
    let alone = is_written_alone(files, entry);
    let edit = match new_name(path) {
        Some(name) if !alone => rename(files, entry.key_span, path, name),
        Some(name) if parent(path) == parent(name) => {
            rename(files, entry.key_span, &entry.key, last(name))
        }
        Some(_) => None,
        None => {
            let renamed = |it: &Entry| {
                let name = new_name(&below(path, &it.key))?;
                (parent(name) == parent(path)).then(|| (it.key_span, last(name)))
            };
            let inner = entry.value.entries();
            let names = inner.iter().map(renamed).collect::<Option<Vec<_>>>()?;
            alone.then(|| lift(files, map, entry, &names))?
        }
    };
    Some(vec![edit?])
}

fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |it| it.0)
}

fn last(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |it| it.1)
}

/// The edit that writes another text where this one stands, with or without quotes.
fn rename(files: &Files, span: Span, old: &str, new: &str) -> Option<Edit> {
    let text = files.text(span);
    let at = text.find(old).filter(|at| text.len() - old.len() == 2 * at && *at <= 1)?;
    let span = cut(span, at, at + old.len())?;
    Some(Edit { span, text: new.to_owned() })
}

/// The edit that puts what is inside an entry in its place, with other keys.
fn lift(files: &Files, map: &Value, entry: &Entry, names: &[(Span, &str)]) -> Option<Edit> {
    let whole = Mapping::of(files, map).extent(entry)?;
    let file = files.get(whole.file);
    let braced = files.text(entry.value.span).starts_with('{');
    let block = !files.text(map.span).starts_with('{');
    let inside = inside(files, entry, whole, braced)?;
    let first = names.first()?.0;
    if !names.iter().all(|it| inside.contains(it.0)) || (block && braced && names.len() > 1) {
        return None;
    }
    let text = renamed(files, inside, names);
    let column = |at: u32| {
        let at = at as usize;
        at - file.line_range(file.line_of(at)).start
    };
    let shift = column(first.start).checked_sub(column(whole.start))?;
    let text = text.trim().trim_end_matches(',');
    Some(Edit { span: whole, text: outdented(text, shift)? })
}

/// What stands between the braces of a mapping, or below its key.
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

/// The text with the lines after the first moved to the left; `None` where one has no room.
fn outdented(text: &str, shift: usize) -> Option<String> {
    let mut lines = text.split('\n');
    let mut out = lines.next()?.to_owned();
    for line in lines {
        out.push('\n');
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        if !line.trim().is_empty() {
            out.push_str(line.get(shift.min(line.len())..).filter(|_| blank >= shift)?);
        }
    }
    Some(out)
}

fn cut(span: Span, start: usize, end: usize) -> Option<Span> {
    let at = |offset: usize| Some(span.start + u32::try_from(offset).ok()?);
    Some(Span { start: at(start)?, end: at(end)?, ..span })
}

#[cfg(test)]
mod tests {
    use super::lift;
    use crate::{
        source::{FileId, Files, SourceFile, Span},
        syntax::yaml,
        value::Text,
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
            let whole = Span::new(FileId(0), 0, text.len());
            let value = yaml::parse(&Text::verbatim(text, whole), whole).values.remove(0);
            let files = Files::new(vec![SourceFile::new("a.yaml", text)]);
            let old = value.as_map().and_then(|it| it.entry("old"));
            let Some(old) = old else { unreachable!("{text}") };
            let names: Vec<_> = old
                .value
                .entries()
                .iter()
                .map(|it| (it.key_span, format!("n-{}", it.key)))
                .collect();
            let names: Vec<_> = names.iter().map(|it| (it.0, it.1.as_str())).collect();
            let lifted = lift(&files, &value, old, &names).map(|it| {
                let (start, end) = (it.span.start as usize, it.span.end as usize);
                format!("{}{}{}", &text[..start], it.text, &text[end..])
            });
            assert_eq!(lifted.as_deref(), wanted, "{text}");
        }
    }
}
