//! What Go calls the kinds and types of values.

use crate::helm::value::{Kind, Val};

/// The word of `kindOf`.
pub(crate) fn kind_name(value: &Val) -> &'static str {
    match &value.kind {
        Kind::Nil => "invalid",
        Kind::Bool(_) => "bool",
        Kind::Int(_) => "int",
        Kind::Long(_) => "int64",
        Kind::Float(_) => "float64",
        Kind::Text(_) | Kind::Unknown(_) => "string",
        Kind::List(_) | Kind::ApiVersions(_) => "slice",
        Kind::Map(_) | Kind::Files(_) => "map",
        Kind::Version(_) => "ptr",
    }
}

/// The word of `typeOf`.
pub(crate) fn type_name(value: &Val) -> &'static str {
    match &value.kind {
        Kind::Nil => "<nil>",
        Kind::List(_) => "[]interface {}",
        Kind::Map(_) => "map[string]interface {}",
        Kind::Files(_) => "engine.files",
        Kind::ApiVersions(_) => "chartutil.VersionSet",
        Kind::Version(_) => "*semver.Version",
        _ => kind_name(value),
    }
}
