//! What Go calls the kinds and types of values.

use crate::helm::value::{Kind, Of, Val};

/// The word of `kindOf`.
pub(crate) fn kind_name(value: &Val) -> &'static str {
    match &value.kind {
        Kind::Nil | Kind::NilItem => "invalid",
        Kind::Bool(_) => "bool",
        Kind::Int(_) => "int",
        Kind::Long(_) => "int64",
        Kind::Float(_) => "float64",
        Kind::Text(_) | Kind::Unknown(_) => "string",
        Kind::Bytes(_) | Kind::List(_) | Kind::ApiVersions(_) => "slice",
        Kind::Map(_) | Kind::Files(_) => "map",
        Kind::Time(_) => "struct",
        Kind::Version(version) if version.keeps_form => "struct",
        Kind::Struct(it) if !it.type_name.starts_with('*') => "struct",
        Kind::Version(_) | Kind::Struct(_) => "ptr",
    }
}

/// The word of `typeOf`.
pub(crate) fn type_name(value: &Val) -> &'static str {
    match &value.kind {
        Kind::Nil | Kind::NilItem => "<nil>",
        Kind::Bytes(_) => "[]uint8",
        Kind::List(items) => match items.of {
            Of::Any | Of::Rest => "[]interface {}",
            Of::Texts | Of::Found => "[]string",
            Of::Ints => "[]int",
        },
        Kind::Map(_) => "map[string]interface {}",
        Kind::Files(_) => "engine.files",
        Kind::ApiVersions(_) => "chartutil.VersionSet",
        Kind::Version(version) if version.keeps_form => "chartutil.KubeVersion",
        Kind::Version(_) => "*semver.Version",
        Kind::Time(_) => "time.Time",
        Kind::Struct(it) => it.type_name,
        _ => kind_name(value),
    }
}
