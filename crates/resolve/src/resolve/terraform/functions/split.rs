//! Texts into their parts.

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult},
        scalar,
        string::cut,
    },
    value::{HOLE_START, Holes, Kind, Value},
};

/// `split`
///
/// # Errors
/// When an argument is no text.
pub(super) fn split(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    if !arguments.iter().all(Value::is_wholly_known) {
        return Ok(documents(call, arguments).unwrap_or_else(|| call.unknown()));
    }
    let has_digits = |it: &Value| !matches!(it.kind, Kind::Number(_)) || scalar::text(it).is_some();
    if !arguments.iter().all(has_digits) {
        return Ok(call.unknown());
    }
    let separator = argument::text(call, arguments, 0)?;
    let text = argument::text(call, arguments, 1)?;
    if separator.is_empty() {
        return Ok(call.texts(text.chars().map(String::from)));
    }
    let value = argument::at(call, arguments, 1)?;
    let Kind::String(whole) = &value.kind else {
        return Ok(call.texts(text.split(&*separator)));
    };
    let part = |it: &str| {
        let start = it.as_ptr() as usize - whole.text.as_ptr() as usize;
        let mut part = cut(value, whole, start, start + it.len());
        if let Kind::String(text) = &mut part.kind {
            // A part of it does not encode what the whole does.
            text.encodes = text.encodes.take().filter(|_| it.len() == whole.text.len());
        }
        part
    };
    Ok(Value::list(whole.text.split(&*separator).map(part).collect(), call.span))
}

/// The documents of a YAML text with values that are not known: none of them ends a document. `None` for other
/// texts, whose parts are not known.
fn documents(call: &Call<'_>, arguments: &[Value]) -> Option<Value> {
    let [separator, value] = arguments else { return None };
    let separator = separator.as_str().filter(|it| it.trim() == "---")?;
    let Kind::String(whole) = &value.kind else { return None };
    // Without a line of it the value may be no YAML, and what is not known in it may have some.
    if !whole.text.contains("\n---") {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for text in whole.text.split(separator) {
        let mut part = cut(value, whole, start, start + text.len());
        if let Kind::String(part) = &mut part.kind {
            part.encodes = None;
            if !text.contains(HOLE_START) {
                part.holes = Holes::default();
            }
        }
        parts.push(part);
        start += text.len() + separator.len();
    }
    Some(Value::list(parts, call.span))
}
