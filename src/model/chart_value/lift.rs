//! Edits that give a value the name its chart reads.

use crate::{
    findings::Edit,
    model::{
        chart_value::{Judged, below, is_written_alone},
        edits::mapping::Mapping,
    },
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
    let end = whole.end as usize;
    let braced = files.text(entry.value.span).starts_with('{');
    let block = !files.text(map.span).starts_with('{');
    let (start, end) = if braced {
        (entry.value.span.start as usize + 1, end - 1)
    } else {
        let line = file.line_range(file.line_of(entry.key_span.end as usize));
        let rest = file.slice(entry.key_span.end as usize..line.end);
        (rest.trim_matches(['"', '\'', ' ', '\r']) == ":").then_some((line.end, end))?
    };
    let first = names.first()?.0.start as usize;
    let inside = |it: &Span| it.file == whole.file && (start..end).contains(&(it.start as usize));
    if !names.iter().all(|it| inside(&it.0)) || (block && braced && names.len() > 1) {
        return None;
    }
    let mut text = String::new();
    let mut done = start;
    for (span, name) in names {
        text.push_str(file.slice(done..span.start as usize));
        let quote = files.text(*span).chars().next().filter(|it| matches!(it, '"' | '\''));
        let quote = quote.map(String::from).unwrap_or_default();
        text.push_str(&format!("{quote}{name}{quote}"));
        done = span.end as usize;
    }
    text.push_str(file.slice(done..end));
    let column = |at: usize| at - file.line_range(file.line_of(at)).start;
    let shift = column(first).checked_sub(column(whole.start as usize))?;
    let text = text.trim_start().trim_end().trim_end_matches(',');
    let text = outdented(text, shift)?;
    Some(Edit { span: whole, text })
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
