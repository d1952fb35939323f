//! Values and taints for tests.

use crate::{
    resolve::pod::toleration::{Effect, Taint},
    source::{FileId, Span},
    syntax::yaml,
    value::Value,
};

/// The value of a YAML document; an empty mapping, if there is none.
///
/// # Panics
/// When something cannot be read.
pub(crate) fn read(text: &str) -> Value {
    let documents = yaml::parse_file(FileId(0), text);
    assert_eq!(documents.parse_errors, []);
    let nothing = || Value::map(Vec::new(), Span::new(FileId(0), 0, text.len()));
    documents.values.into_iter().next().unwrap_or_else(nothing)
}

/// A taint.
pub(crate) fn taint(key: &str, value: &str, effect: Effect) -> Taint {
    Taint { key: key.to_owned(), value: value.to_owned(), effect }
}

/// The taint by which Karpenter drains, from version 1 on.
pub(crate) fn disrupted() -> Taint {
    taint("karpenter.sh/disrupted", "", Effect::NoSchedule)
}
