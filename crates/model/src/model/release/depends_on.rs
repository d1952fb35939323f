//! The edits that make a block of Terraform wait for another.

use crate::{
    edits::line::line_break,
    findings::edit::Edit,
    resolve::terraform::{DependsOn, Object},
    source::{FileId, Files, Span},
};

/// Whether the text to add would have to be JSON; such files are mostly generated.
fn is_json(files: &Files, file: FileId) -> bool {
    files.get(file).ending() == "json"
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
    if after.contains("/*") {
        return None;
    }
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
