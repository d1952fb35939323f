//! Symbols of what is inside something unknown.

use std::sync::Arc;

use crate::value::Symbol;

/// A symbol for something inside what `base` names.
pub(super) fn inside(base: &Symbol, step: &str) -> Symbol {
    Symbol::new(Arc::clone(&base.scope), format!("{}{step}", base.text))
}

/// What is called `name` in something unknown.
pub(super) fn member(base: &Symbol, name: &str) -> Symbol {
    let plain = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-');
    if !plain || name.is_empty() {
        return inside(base, &format!("[{name:?}]"));
    }
    let mut text = String::with_capacity(base.text.len() + name.len() + 1);
    text.push_str(&base.text);
    text.push('.');
    text.push_str(name);
    Symbol::new(Arc::clone(&base.scope), text)
}
