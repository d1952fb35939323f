//! How a project's Terraform is read.

use std::{collections::BTreeMap, sync::Arc};

use crate::resolve::terraform::earlier::Earlier;

/// How to read a project's Terraform.
#[derive(Clone, Debug, Default)]
pub struct TerraformOptions {
    /// Further variable files, relative to the project's root. One in a root's folder is for that root,
    /// one elsewhere for all of them. Later ones count more.
    pub var_files: Vec<String>,
    /// The kinds of resources and data sources whose bodies are wanted; `None` for all. The others are
    /// there too, once each, with an unknown body. Module calls always have theirs.
    pub kinds: Option<Vec<String>>,
    /// Of these kinds, the only fields that are wanted; the others are unknown. References to them are
    /// evaluated all the same.
    pub fields: BTreeMap<&'static str, &'static [&'static str]>,
    /// JSON files that may be plans although their names do not show it.
    pub plans: Vec<String>,
    /// The name of this set of variable values; every root carries it.
    pub variant: Option<Arc<str>>,
    /// Given a module call's source that is no path: whether it is not to be looked into although it was
    /// fetched, because the caller knows it by its name.
    pub opaque: Option<fn(&str) -> bool>,
    /// What is known of an earlier state of the same project, read in the same way.
    pub earlier: Option<Earlier>,
}

impl TerraformOptions {
    /// Whether bodies of that kind are wanted.
    pub(super) fn wants(&self, kind: &str) -> bool {
        self.kinds.as_ref().is_none_or(|it| it.iter().any(|it| it == kind))
    }
}
