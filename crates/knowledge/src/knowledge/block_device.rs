//! The volumes that the images of a family start with.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Families {
    families: Vec<ImageFamily>,
}

/// A family of images.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageFamily {
    /// As `amiFamily` has it: `AL2023`.
    pub name: String,
    /// As an alias has it: `al2023`.
    pub alias: String,
    /// What the names of AWS's own images begin with, where the class may choose them by name.
    #[serde(default, rename = "image_name")]
    pub image_prefix: Option<String>,
    /// Its volumes.
    pub devices: Vec<Device>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// A volume of an image.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// `/dev/xvda`
    pub name: String,
    /// Its name in messages: "the root volume".
    pub volume: String,
    /// Whether pods alone use it, so that disks of the instance may take its place.
    #[serde(default, rename = "data")]
    pub is_data: bool,
}

static READ: LazyLock<Read<Families>> =
    LazyLock::new(|| document("block-devices.yaml", include_str!("block-devices.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Every family whose volumes are known.
#[must_use]
pub fn families() -> &'static [ImageFamily] {
    &READ.data.families
}

/// The family `amiFamily` names.
#[must_use]
pub fn family(name: &str) -> Option<&'static ImageFamily> {
    families().iter().find(|it| it.name == name)
}

/// The family an alias names: `al2023@latest`.
#[must_use]
pub fn family_of_alias(alias: &str) -> Option<&'static ImageFamily> {
    let (family, _) = alias.split_once('@')?;
    families().iter().find(|it| it.alias == family)
}
