//! Scalars as text and as truth.

use std::sync::Arc;

use crate::{
    resolve::terraform::functions::digits,
    source::Span,
    value::{Kind, Symbol, Text, Value},
};

/// The known text of a scalar; `None` for null, collections, what is unknown, and numbers whose digits
/// are not all known.
#[must_use]
pub(crate) fn text(value: &Value) -> Option<Arc<str>> {
    match &value.kind {
        Kind::String(text) => text.known().map(|_| text.text.clone()),
        Kind::Number(number) => digits::number_text(*number).map(Into::into),
        Kind::Bool(flag) => Some(if *flag { "true" } else { "false" }.into()),
        _ => None,
    }
}

/// A scalar as text, possibly with holes, or as one hole; `None` for null and collections.
#[must_use]
pub(crate) fn scalar_text(value: &Value) -> Option<Result<Text, Symbol>> {
    match &value.kind {
        Kind::String(text) => Some(Ok(text.clone())),
        Kind::Unknown(symbol) => Some(Err(symbol.clone())),
        Kind::Number(number) => Some(match digits::number_text(*number) {
            Some(text) => Ok(Text::computed(text)),
            None => Err(inexact(*number)),
        }),
        _ => text(value).map(|it| Ok(Text::computed(it))),
    }
}

/// The symbol of what somebody gives instead of null, the default of a variable, that a text is made of: Terraform refuses
/// null there, so each run that ends well has another value.
#[must_use]
pub(crate) fn given(null: &Value) -> Symbol {
    let Span { file, start, .. } = null.span;
    Symbol::new("null", format!("{file:?} {start}"))
}

/// The symbol of a number's text when not all digits are known.
#[must_use]
pub(crate) fn inexact(number: f64) -> Symbol {
    Symbol::new("", format!("{number:e}"))
}
