//! Where text can be added to a block, so that rules can offer fixes without seeing syntax.

pub mod entry;
pub mod line;
pub mod mapping;
pub mod toleration;

use crate::{
    findings::Edit,
    model::edits::line::line_break,
    resolve::terraform::{DependsOn, Object},
    source::{FileId, Files, Span},
    value::{Entry, Value},
};

/// The edit that writes `key = value` on a line of its own after the line of the first of `after` that
/// is written in `body`; `None` where that line is shared or goes on.
#[must_use]
pub fn add_attribute(
    files: &Files,
    body: &Value,
    after: &[&str],
    (key, value): (&str, &str),
) -> Option<Edit> {
    let entry = after.iter().find_map(|key| body.entries().iter().find(|it| &*it.key == *key))?;
    let (line, indent) = own_line(files, entry)?;
    let width = key_width(files, line, &indent);
    let text = format!("{}{indent}{key:width$} = {value}", line_break(files, line.file));
    Some(Edit { span: at(line.file, line.end), text })
}

/// How wide the key of a line is with the blanks before its `=`, so that a neighbour lines up.
fn key_width(files: &Files, line: Span, indent: &str) -> usize {
    let equals = files.text(line).find(" = ").unwrap_or_default();
    equals.saturating_sub(indent.len())
}

/// The edit that writes a new first entry into an object expression whose brace ends its line.
#[must_use]
pub fn add_first_entry(files: &Files, object: &Value, (key, value): (&str, &str)) -> Option<Edit> {
    let first = object.entries().first()?;
    let (line, indent) = own_line(files, first)?;
    let file = files.get(first.key_span.file);
    let brace_line = file.line_of(object.span.start as usize);
    let range = file.line_range(brace_line);
    let ends_with_brace = file.slice(range.clone()).trim_end().ends_with('{');
    (object.span.file == first.key_span.file && ends_with_brace).then(|| Edit {
        span: at(first.key_span.file, u32::try_from(range.end).unwrap_or(u32::MAX)),
        text: {
            let width = key_width(files, line, &indent);
            format!("{}{indent}{key:width$} = {value}", line_break(files, line.file))
        },
    })
}

/// Whether the text to add would have to be JSON; such files are mostly generated.
fn is_json(files: &Files, file: FileId) -> bool {
    files.get(file).ending() == "json"
}

/// The line of an entry and its indentation, if nothing else begins on it and its value ends on it.
fn own_line(files: &Files, entry: &Entry) -> Option<(Span, String)> {
    let file = files.get(entry.key_span.file);
    if is_json(files, entry.key_span.file) {
        return None;
    }
    let range = file.line_range(file.line_of(entry.key_span.start as usize));
    let line = file.slice(range.clone());
    let indent = &line[..line.len() - line.trim_start().len()];
    let begins_it = entry.key_span.start as usize == range.start + indent.len();
    let code = line.split(" #").next().unwrap_or(line).trim_end();
    let ends_it = !code.ends_with(['{', '[', '(', ',', '?', ':', '=']) && !code.contains("<<");
    (begins_it && ends_it)
        .then(|| (Span::new(entry.key_span.file, range.start, range.end), indent.to_owned()))
}

/// The edits that make a block wait for `address`: a new element of its `depends_on`, or a new attribute
/// as the block's last line.
#[must_use]
pub fn add_dependency(files: &Files, object: &Object, address: &str) -> Option<Vec<Edit>> {
    if is_json(files, object.span.file) {
        return None;
    }
    match &object.depends_on {
        Some(list) => add_element(files, list, address),
        None => add_depends_on(files, object, address),
    }
}

fn add_depends_on(files: &Files, object: &Object, address: &str) -> Option<Vec<Edit>> {
    let file = files.get(object.span.file);
    let closing = file.line_range(file.line_of(object.span.end as usize - 1));
    let line = file.slice(closing.clone());
    let indent = &line[..line.len() - line.trim_start().len()];
    if line.trim() != "}" {
        return None;
    }
    let end = line_break(files, object.span.file);
    let text = format!("{end}{indent}  depends_on = [{address}]{end}");
    Some(vec![Edit { span: Span::new(object.span.file, closing.start, closing.start), text }])
}

fn add_element(files: &Files, list: &DependsOn, address: &str) -> Option<Vec<Edit>> {
    let file = list.list.file;
    let Some(end_element) = list.elements.last() else {
        let inside = Span { start: list.list.start + 1, end: list.list.end - 1, ..list.list };
        let blank = files.text(inside).trim().is_empty();
        return blank.then(|| vec![Edit { span: inside, text: address.to_owned() }]);
    };
    let source = files.get(file);
    let line = source.line_range(source.line_of(end_element.start as usize));
    let text = source.slice(line.clone());
    let after = source.slice(end_element.end as usize..line.end.max(end_element.end as usize));
    let list_goes_on = (list.list.end as usize) > line.end;
    if !list_goes_on {
        return Some(vec![Edit { span: at(file, end_element.end), text: format!(", {address}") }]);
    }
    let indent = &text[..text.len() - text.trim_start().len()];
    if end_element.start as usize != line.start + indent.len() {
        return None;
    }
    let end = u32::try_from(line.end).unwrap_or(u32::MAX);
    let new_line = line_break(files, file);
    if after.trim_start().starts_with(',') {
        return Some(vec![Edit {
            span: at(file, end),
            text: format!("{new_line}{indent}{address},"),
        }]);
    }
    let comma = Edit { span: at(file, end_element.end), text: ",".to_owned() };
    let element = Edit { span: at(file, end), text: format!("{new_line}{indent}{address}") };
    Some(if end == end_element.end {
        vec![Edit { span: at(file, end), text: format!(",{new_line}{indent}{address}") }]
    } else {
        vec![comma, element]
    })
}

fn at(file: FileId, offset: u32) -> Span {
    Span { file, start: offset, end: offset }
}
