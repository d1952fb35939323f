//! Where a thing belongs: to a Terraform root, a kustomization, or a folder.

use std::sync::Arc;

use crate::source::aside;

/// Where an object belongs in the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The Terraform root module it belongs to, as an index; `None` for plain files.
    pub root: Option<usize>,
    /// The kustomization that builds it, as an index.
    pub build: Option<usize>,
    /// The folder of that root or kustomization, or of the file.
    pub folder: Arc<str>,
}

impl Scope {
    /// A place in a Terraform root, or in a plain file.
    #[must_use]
    pub fn new(root: Option<usize>, folder: &Arc<str>) -> Self {
        Self { root, build: None, folder: folder.clone() }
    }

    /// The folder put aside that it lies in.
    #[must_use]
    pub fn aside(&self) -> Option<&str> {
        aside::of_folder(&self.folder)
    }

    /// With what it is applied.
    #[must_use]
    pub fn deploy_unit(&self) -> DeployUnit<'_> {
        match (self.root, self.build) {
            (Some(root), _) => DeployUnit::Root(root),
            (None, Some(build)) => DeployUnit::Build(build),
            (None, None) => DeployUnit::Folder(&self.folder),
        }
    }
}

/// What is applied together, and so surely to one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeployUnit<'a> {
    /// A Terraform root module.
    Root(usize),
    /// A kustomization that builds them.
    Build(usize),
    /// A folder of plain files.
    Folder(&'a str),
}
