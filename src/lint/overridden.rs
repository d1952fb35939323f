//! Values of a chart that several of its values files set: without the last of them, the one before counts.

use crate::{
    findings::edit::Edit,
    source::{FileId, Files},
    syntax::yaml,
    value::Value,
};

/// Whether an edit renames or removes a key that one of other files sets as well.
pub(super) fn is_set_in(files: &Files, edit: &Edit, others: &[FileId]) -> bool {
    let Some(path) = path_of(files, edit) else { return false };
    others.iter().any(|it| {
        let documents = yaml::parse_file(*it, files.get(*it).text());
        documents.values.iter().any(|it| is_there(it, &path))
    })
}

/// The keys that lead to the one that an edit changes.
fn path_of(files: &Files, edit: &Edit) -> Option<Vec<String>> {
    let file = edit.span.file;
    let documents = yaml::parse_file(file, files.get(file).text());
    documents.values.iter().find_map(|it| path_in(it, edit))
}

fn path_in(value: &Value, edit: &Edit) -> Option<Vec<String>> {
    value.entries().iter().find_map(|entry| {
        let key = entry.key_span;
        if edit.span.start < key.end && key.start < edit.span.end {
            return Some(vec![entry.key.to_string()]);
        }
        let mut path = path_in(&entry.value, edit)?;
        path.insert(0, entry.key.to_string());
        Some(path)
    })
}

fn is_there(value: &Value, path: &[String]) -> bool {
    match path.split_first() {
        None => true,
        Some((key, rest)) => value.get(key).present().is_some_and(|it| is_there(it, rest)),
    }
}
