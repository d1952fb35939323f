//! What Terraform modules put tags on.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::read::{Read, document},
    version::{Range, Version},
};

/// What is known of tags.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Tagging {
    /// By module.
    modules: Vec<Tagged>,
    /// The security groups of the EKS module.
    groups: Vec<TaggedGroup>,
}

/// A module that tags subnets or security groups.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tagged {
    /// Its address in the registry.
    pub registry: String,
    /// Its repository.
    pub repository: String,
    /// The inputs whose tags all subnets of some kind get.
    #[serde(default)]
    pub subnets: Vec<String>,
    /// The inputs that have such tags for each zone.
    #[serde(default)]
    pub subnets_by_zone: Vec<String>,
    /// The inputs whose tags security groups get.
    #[serde(default)]
    pub security_groups: Vec<String>,
    /// The inputs, on by default, without which it makes none of them.
    #[serde(default)]
    pub switches: Vec<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// A security group of `terraform-aws-modules/eks` that gets the tags of the whole module.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaggedGroup {
    /// Its name in messages.
    #[serde(rename = "group")]
    pub title: String,
    /// Whether it has the tag of the cluster, `kubernetes.io/cluster/<name>`.
    #[serde(default)]
    pub cluster_tag: bool,
    /// The inputs that switch it off, or its tags.
    pub switches: Vec<String>,
    /// The inputs with tags of its own, which come last.
    #[serde(default)]
    pub own: Vec<String>,
    /// The output with its ID.
    pub output: String,
    /// The first version of the module that tags it; all versions without it.
    since: Option<Version>,
    /// The first version that no longer does, or makes another one in its place.
    until: Option<Version>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

static READ: LazyLock<Read<Tagging>> =
    LazyLock::new(|| document("tags.yaml", include_str!("tags.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Every module that is known to tag subnets or security groups.
#[must_use]
pub fn modules() -> &'static [Tagged] {
    &READ.data.modules
}

/// The security groups of the EKS module that get its tags.
#[must_use]
pub fn groups() -> &'static [TaggedGroup] {
    &READ.data.groups
}

impl TaggedGroup {
    /// The versions of the module that tag it.
    #[must_use]
    pub fn range(&self) -> Range {
        Range { since: self.since.clone(), until: self.until.clone() }
    }
}
