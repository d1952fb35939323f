//! Where a thing belongs: to a Terraform root, a kustomization, or a folder.

use std::sync::Arc;

use crate::source::aside;

/// Where an object belongs in the repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The Terraform root module it belongs to, as an index; `None` for plain files.
    pub root: Option<usize>,
    /// The kustomization that builds it, as an index.
    pub build: Option<usize>,
    /// The folder of that root or kustomization, or of the file.
    pub folder: Arc<str>,
    /// Which of the clusters that its root reaches it goes to.
    pub cluster: ClusterTarget,
    /// The path around it, or its own, that nothing applies: a kustomization leaves it out, or Terraform does not
    /// read it.
    pub left_out: Option<Arc<str>>,
    /// How much of the folder is a folder put aside, in bytes: asked of every pair of things that may meet.
    aside: Option<usize>,
}

/// Which of the clusters that a Terraform root reaches, or helmfiles have environments for, a thing goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClusterTarget {
    /// The root is not known to reach several, the thing is in none (a role, a queue), or in each of them.
    #[default]
    Only,
    /// This one of several.
    Known(u32),
    /// One of several.
    Unclear,
    /// Those that an `ApplicationSet` selects, by the number of the selector: one cluster may be among those of two.
    Selected(u32),
}

impl ClusterTarget {
    /// Whether two things of one root certainly go to different clusters.
    #[must_use]
    pub fn is_apart(self, other: Self) -> bool {
        matches!((self, other), (Self::Known(own), Self::Known(other)) if own != other)
    }
}

impl Scope {
    /// A place in a Terraform root, or in a plain file.
    #[must_use]
    pub fn new(root: Option<usize>, folder: &Arc<str>) -> Self {
        let aside = aside::of_folder(folder).map(str::len);
        Self {
            root,
            build: None,
            folder: folder.clone(),
            cluster: ClusterTarget::Only,
            left_out: None,
            aside,
        }
    }

    /// The same of what a kustomization builds, given by its index.
    #[must_use]
    pub fn in_build(self, build: Option<usize>) -> Self {
        Self { build, ..self }
    }

    /// The same of what goes to that cluster.
    #[must_use]
    pub fn in_cluster(self, cluster: ClusterTarget) -> Self {
        Self { cluster, ..self }
    }

    /// Whether two things of one root, or of helmfiles, certainly go to different clusters.
    #[must_use]
    pub fn is_apart(&self, other: &Self) -> bool {
        self.root == other.root && self.cluster.is_apart(other.cluster)
    }

    /// The folder put aside that it lies in, or the path that is left out.
    #[must_use]
    pub fn aside(&self) -> Option<&str> {
        let named = self.aside.and_then(|it| self.folder.get(..it));
        named.or(self.left_out.as_deref())
    }

    /// Whether a thing here says something of another: what is put aside does only of what lies there, too.
    #[must_use]
    pub fn speaks_of(&self, other: &Self) -> bool {
        self.aside().is_none_or(|it| other.aside() == Some(it))
    }

    /// With what it is applied.
    #[must_use]
    pub fn deploy_unit(&self) -> DeployUnit<'_> {
        match (self.root, self.build) {
            (Some(root), _) => DeployUnit::Root(root, self.cluster),
            (None, Some(build)) => DeployUnit::Build(build),
            (None, None) => DeployUnit::Folder(&self.folder, self.cluster),
        }
    }
}

/// What is applied together, and so surely to one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeployUnit<'a> {
    /// A Terraform root module, as far as it reaches one cluster.
    Root(usize, ClusterTarget),
    /// A kustomization that builds them.
    Build(usize),
    /// A folder of plain files, or of a helmfile as far as it is for one environment.
    Folder(&'a str, ClusterTarget),
}
