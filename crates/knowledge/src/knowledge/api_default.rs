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

#[cfg(test)]
mod tests {
    use super::{file, part, problems};
    use crate::value::{Kind, Value};

    /// The types that a value names: `$Container`.
    fn parts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match &value.kind {
            Kind::String(text) => found.extend(text.text.strip_prefix('$')),
            Kind::Map(map) => map.entries.iter().for_each(|it| parts(&it.value, found)),
            Kind::List(list) => list.items.iter().for_each(|it| parts(it, found)),
            _ => {}
        }
    }

    #[test]
    fn the_file_has_a_source_and_every_type_that_it_names() {
        assert!(problems().is_empty(), "{:?}", problems());
        let file = file().expect("a document");
        let text = |key: &str| file.get(key).present().and_then(Value::as_str).unwrap_or_default();
        assert!(!text("source").is_empty() && text("checked").len() == "2026-11-22".len());
        let mut named = Vec::new();
        parts(file, &mut named);
        let missing: Vec<&&str> = named.iter().filter(|it| part(it).is_none()).collect();
        assert!(!named.is_empty() && missing.is_empty(), "{missing:?}");
    }
}
