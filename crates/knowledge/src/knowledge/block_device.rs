//! The volumes that the images of a family start with.

use crate::knowledge::all;

/// A family of images.
#[derive(Debug)]
pub struct Family {
    /// As `amiFamily` has it: `AL2023`.
    pub name: String,
    /// As an alias has it: `al2023`.
    pub alias: String,
    /// Its volumes.
    pub devices: Vec<Device>,
    /// Where that is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// A volume of an image.
#[derive(Debug)]
pub struct Device {
    /// `/dev/xvda`
    pub name: String,
    /// What people call it: "the root volume".
    pub volume: String,
    /// Whether pods alone use it, so that disks of the instance may take its place.
    pub is_data: bool,
}

/// Every family whose volumes are known.
#[must_use]
pub fn families() -> &'static [Family] {
    &all().families
}

/// The family `amiFamily` names.
#[must_use]
pub fn family(name: &str) -> Option<&'static Family> {
    families().iter().find(|it| it.name == name)
}

/// The family an alias names: `al2023@latest`.
#[must_use]
pub fn family_of_alias(alias: &str) -> Option<&'static Family> {
    let (family, _) = alias.split_once('@')?;
    families().iter().find(|it| it.alias == family)
}
