//! The edits that make a block of Terraform wait for another.

use crate::{
    edits::{edit::insert, line::line_break},
    findings::edit::Edit,
    source::{FileId, Files, Span},
};

/// Whether the text to add would have to be JSON; such files are mostly generated.
fn is_json(files: &Files, file: FileId) -> bool {
    files.get(file).ending() == "json"
}

/// The edits that make a block wait for `address`: a new element of its `depends_on`, a list with its last
/// element, or a new attribute as the block's last line.
#[must_use]
pub(super) fn add_dependency(
    files: &Files,
    block: Span,
    list: Option<(Span, Option<Span>)>,
    address: &str,
) -> Option<Vec<Edit>> {
    if is_json(files, block.file) {
        return None;
    }
    match list {
        None => add_depends_on(files, block, address),
        Some((list, Some(element))) => add_element(files, (list, element), address),
        Some((list, None)) => {
            let inside = Span { start: list.start + 1, end: list.end - 1, ..list };
            let is_blank = files.text(inside).trim().is_empty();
            is_blank.then(|| vec![Edit { span: inside, text: address.to_owned() }])
        }
    }
}

fn add_depends_on(files: &Files, block: Span, address: &str) -> Option<Vec<Edit>> {
    let file = files.get(block.file);
    let closing = file.line_range(file.line_of(block.end as usize - 1));
    let line = file.slice(closing.clone());
    let indent = &line[..line.len() - line.trim_start().len()];
    if line.trim() != "}" {
        return None;
    }
    let end = line_break(files, block.file);
    let text = format!("{end}{indent}  depends_on = [{address}]{end}");
    Some(vec![insert(block.file, closing.start, text)])
}

fn add_element(files: &Files, (list, element): (Span, Span), address: &str) -> Option<Vec<Edit>> {
    let source = files.get(list.file);
    let line = source.line_range(source.line_of(element.start as usize));
    let text = source.slice(line.clone());
    let after = source.slice(element.end as usize..line.end.max(element.end as usize));
    if after.contains("/*") {
        return None;
    }
    let insert = |at: usize, text: String| insert(list.file, at, text);
    let list_goes_on = (list.end as usize) > line.end;
    if !list_goes_on {
        return Some(vec![insert(element.end as usize, format!(", {address}"))]);
    }
    let indent = &text[..text.len() - text.trim_start().len()];
    if element.start as usize != line.start + indent.len() {
        return None;
    }
    let new_line = line_break(files, list.file);
    if after.trim_start().starts_with(',') {
        return Some(vec![insert(line.end, format!("{new_line}{indent}{address},"))]);
    }
    Some(if line.end == element.end as usize {
        vec![insert(line.end, format!(",{new_line}{indent}{address}"))]
    } else {
        let new = insert(line.end, format!("{new_line}{indent}{address}"));
        vec![insert(element.end as usize, ",".to_owned()), new]
    })
}
