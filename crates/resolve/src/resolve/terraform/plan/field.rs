//! Fields of a plan's JSON.

use crate::{
    resolve::terraform::object::Mode,
    value::{Field, Value},
};

/// The items of a list; none where there is no list.
pub(super) fn list(field: Field<'_>) -> &[Value] {
    field.present().map_or(&[], Value::items)
}

/// The text of a key.
pub(super) fn word<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).present().and_then(Value::as_str)
}

/// Whether it is a resource or a data source.
pub(super) fn mode(resource: &Value) -> Mode {
    match word(resource, "mode") {
        Some("data") => Mode::Data,
        Some("ephemeral") => Mode::Ephemeral,
        _ => Mode::Resource,
    }
}
