//! What the API server fills in before it asks admission policies: defaults of Kubernetes' own kinds.

use std::sync::LazyLock;

use crate::{
    source::FileId,
    syntax::{Documents, yaml},
    value::Value,
};

static READ: LazyLock<Documents> =
    LazyLock::new(|| yaml::parse_file(FileId(u32::MAX), include_str!("api-defaults.yaml")));

/// What could not be read.
pub(super) fn problems() -> Vec<&'static str> {
    READ.parse_errors.iter().map(|it| &*it.message).collect()
}

/// The whole file, with its source and the day it was checked.
#[must_use]
pub fn file() -> Option<&'static Value> {
    READ.values.first()
}

/// The defaults of a kind of Kubernetes' own, as the file beside this one describes them.
#[must_use]
pub fn of(group: &str, kind: &str) -> Option<&'static Value> {
    let name = if group.is_empty() { kind.to_owned() } else { format!("{group}/{kind}") };
    file()?.get("kinds").get(&name).present()
}

/// The defaults of a type that several kinds have.
#[must_use]
pub fn part(name: &str) -> Option<&'static Value> {
    file()?.get("parts").get(name).present()
}
