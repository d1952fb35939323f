//! Single words: other ones in their place, and quotes around them.

use crate::{
    edits::line::{quoted, unquoted},
    findings::edit::Edit,
    source::{Files, Span},
    value::{Kind, Value},
};

/// The edit that writes another word where this one is all that is written, with or without quotes.
#[must_use]
pub(super) fn reword(files: &Files, span: Span, old: &str, new: &str) -> Option<Edit> {
    let span = unquoted(files, quoted(files, span));
    (files.text(span) == old).then(|| Edit { span, text: new.to_owned() })
}

/// The edit that puts a number or a truth value between quotes, if it is written as such.
#[must_use]
pub(super) fn quote(files: &Files, value: &Value) -> Option<Edit> {
    let span = value.span;
    let text = files.text(span);
    let is_digit = |it: u8| it.is_ascii_digit() || matches!(it, b'.' | b'-');
    let is_number = !text.is_empty() && text.bytes().all(is_digit);
    let is_plain = match value.kind {
        Kind::Bool(_) | Kind::Number(_) => is_number || matches!(text, "true" | "false"),
        _ => false,
    };
    // In JSON inside a string quotes would have to be escaped.
    let file = files.get(span.file);
    let is_escaped = file.line_text(file.line_of(span.start as usize)).contains("\\\"");
    let is_bare = quoted(files, span) == span && !is_escaped;
    (is_plain && is_bare).then(|| Edit { span, text: format!("\"{text}\"") })
}
