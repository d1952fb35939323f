//! Where the volumes of a `StorageClass` are.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StorageProvisioners {
    provisioners: Vec<ForeignProvisioners>,
}

/// Provisioners whose volumes are in another cloud than AWS.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignProvisioners {
    /// The cloud.
    pub cloud: String,
    /// The names of the provisioners.
    names: Vec<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

static READ: LazyLock<Read<StorageProvisioners>> = LazyLock::new(|| {
    document("storage-provisioners.yaml", include_str!("storage-provisioners.yaml"))
});

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// All provisioners of other clouds.
#[must_use]
pub fn foreign() -> &'static [ForeignProvisioners] {
    &READ.data.provisioners
}

/// Whether the volumes of a provisioner are in another cloud than AWS.
#[must_use]
pub fn is_foreign(provisioner: &str) -> bool {
    foreign().iter().any(|it| it.names.iter().any(|it| it == provisioner))
}
