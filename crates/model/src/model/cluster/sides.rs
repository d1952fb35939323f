//! Which of the clusters Karpenter is for.

use std::collections::{HashMap, HashSet};

use crate::resolve::scope::{ClusterTarget, DeployUnit};

/// Which clusters Karpenter is for.
#[derive(Debug, Default)]
pub(crate) struct ClusterSides {
    /// By cluster; none where some controller or class names no cluster.
    pub of: Vec<Side>,
    /// With what something of Karpenter is applied.
    pub units: Units,
}

/// Whether Karpenter is for a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A controller or a class names it.
    Own,
    /// Each controller and class names another.
    Other,
    /// It is not clear.
    Unclear,
}

/// What is applied together, to be looked up.
#[derive(Debug, Default)]
pub(crate) struct Units {
    roots: HashSet<(usize, ClusterTarget)>,
    builds: HashSet<usize>,
    folders: HashMap<String, Vec<ClusterTarget>>,
}

impl Units {
    /// Adds a unit.
    pub(crate) fn add(&mut self, unit: DeployUnit<'_>) {
        match unit {
            DeployUnit::Root(root, target) => {
                self.roots.insert((root, target));
            }
            DeployUnit::Build(build) => {
                self.builds.insert(build);
            }
            DeployUnit::Folder(folder, target) => {
                let targets = self.folders.entry(folder.to_owned()).or_default();
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
        }
    }

    /// Whether a unit was added.
    pub(crate) fn contains(&self, unit: DeployUnit<'_>) -> bool {
        match unit {
            DeployUnit::Root(root, target) => self.roots.contains(&(root, target)),
            DeployUnit::Build(build) => self.builds.contains(&build),
            DeployUnit::Folder(folder, target) => {
                self.folders.get(folder).is_some_and(|it| it.contains(&target))
            }
        }
    }
}
