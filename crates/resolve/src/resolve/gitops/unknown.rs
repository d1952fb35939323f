//! Something unknown in place of a value.

use crate::{
    source::Span,
    value::{Symbol, Value},
};

/// Something unknown, identified by its place.
#[must_use]
pub(crate) fn unknown(place: Span) -> Value {
    let Span { file, start, end } = place;
    Value::unknown(Symbol::new("place", format!("{}:{start}-{end}", file.0)), place)
}
