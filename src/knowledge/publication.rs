//! Where Karpenter's charts are published and under which name, and which releases are broken.

use crate::{
    knowledge::{Facts, all},
    value::Value,
    version::{Version, constraint::Constraint},
};

/// The facts.
#[derive(Debug, Default)]
pub(super) struct Publication {
    pub(super) in_registry: Facts,
    pub(super) tag_prefix: Facts,
    pub(super) bad: Facts,
}

/// A fault of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it does: "leaks memory".
    pub what: &'static str,
    /// The first release of its line without the fault.
    pub fixed: &'static str,
}

/// Whether the charts of all versions allowed are in the OCI registry; `None` where some are.
#[must_use]
pub fn is_in_registry(allowed: &Constraint) -> Option<bool> {
    all().publication.in_registry.within(allowed)?.as_bool()
}

/// Whether the tag of that version's charts starts with `v`.
#[must_use]
pub fn has_prefix(version: &Version) -> Option<bool> {
    all().publication.tag_prefix.at(Some(version))?.as_bool()
}

/// The fault all versions allowed have.
#[must_use]
pub fn fault(allowed: &Constraint) -> Option<Fault> {
    let value = all().publication.bad.within(allowed)?;
    let text = |key: &str| value.get(key).present().and_then(Value::as_str);
    Some(Fault { what: text("fault")?, fixed: text("fixed")? })
}

/// The facts, by question.
#[must_use]
pub fn facts() -> [(&'static str, &'static Facts); 3] {
    let publication = &all().publication;
    [
        ("in_registry", &publication.in_registry),
        ("tag_prefix", &publication.tag_prefix),
        ("bad_releases", &publication.bad),
    ]
}
