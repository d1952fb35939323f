//! What Terraform modules put tags on.

use crate::{knowledge::all, version::Range};

/// What is known of tags.
#[derive(Debug, Default)]
pub(super) struct Tagging {
    /// By module.
    pub modules: Vec<Tagged>,
    /// The security groups of the EKS module.
    pub groups: Vec<Group>,
}

/// A module that tags subnets or security groups.
#[derive(Debug)]
pub struct Tagged {
    /// Its address in the registry.
    pub registry: String,
    /// Its repository.
    pub repository: String,
    /// The inputs whose tags all subnets of some kind get.
    pub subnets: Vec<String>,
    /// The inputs that have such tags for each zone.
    pub subnets_by_zone: Vec<String>,
    /// The inputs whose tags security groups get.
    pub security_groups: Vec<String>,
    /// Where that is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// A security group of `terraform-aws-modules/eks` that gets the tags of the whole module.
#[derive(Debug)]
pub struct Group {
    /// What people call it.
    pub title: String,
    /// The inputs that switch it off, or its tags.
    pub switches: Vec<String>,
    /// The inputs with tags of its own, which come last.
    pub own: Vec<String>,
    /// The versions of the module that tag it.
    pub range: Range,
    /// Where that is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// Every module that is known to tag subnets or security groups.
#[must_use]
pub fn modules() -> &'static [Tagged] {
    &all().tagging.modules
}

/// The security groups of the EKS module that get its tags.
#[must_use]
pub fn groups() -> &'static [Group] {
    &all().tagging.groups
}
