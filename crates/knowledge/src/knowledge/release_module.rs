//! Terraform modules that install the one chart their inputs name.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::read::{Read, document},
    version::Version,
};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ReleaseModules {
    modules: Vec<ReleaseModule>,
}

/// A module, with its inputs by their names; dots lead into a map.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseModule {
    /// Its address in the registry.
    pub registry: String,
    /// Its repository with the owner: others have repositories of the same name.
    pub repository: String,
    /// The oldest and the newest version for which that is known.
    pub verified: [String; 2],
    /// What switches the release off.
    pub enabled: String,
    /// The name of the release; the first that is written counts.
    pub name: Vec<String>,
    /// The chart.
    pub chart: String,
    /// Its version.
    pub version: String,
    /// The namespace.
    pub namespace: String,
    /// Whether the chart's CRDs are left alone.
    pub skip_crds: String,
    /// Whether Helm puts back what was changed outside of it.
    pub force_update: String,
    /// The switches that have another default than a `helm_release`, or several.
    #[serde(default)]
    pub open: Vec<String>,
    /// The values that the module may set by itself.
    #[serde(default)]
    pub adds: Vec<String>,
    /// The switch, off by default, without which it does not.
    pub adds_when: Option<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

static READ: LazyLock<Read<ReleaseModules>> =
    LazyLock::new(|| document("release-modules.yaml", include_str!("release-modules.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Every module.
#[must_use]
pub fn modules() -> &'static [ReleaseModule] {
    &READ.data.modules
}

impl ReleaseModule {
    /// Whether what is known of it holds for a version.
    #[must_use]
    pub fn is_verified(&self, version: &Version) -> bool {
        let [oldest, newest] = self.verified.each_ref().map(|it| Version::parse(it));
        let not_before = oldest.is_some_and(|it| *version >= it);
        not_before && newest.is_some_and(|it| *version <= it)
    }
}
