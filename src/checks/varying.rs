//! Releases that environments configure otherwise: what is written is the default of a variable.

use crate::{model::Model, resolve::release::Release};

/// Whether the version of a release is the default of a variable that some environment sets to another.
#[must_use]
pub(crate) fn is_version_varying(model: &Model, release: &Release) -> bool {
    model.varying.contains(&release.version.span())
}

/// Whether the namespace of a release is such a default.
#[must_use]
pub(crate) fn is_namespace_varying(model: &Model, release: &Release) -> bool {
    model.varying.contains(&release.namespace.span())
}
