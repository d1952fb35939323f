//! What the sources of a repository install.

use crate::resolve::release::{Release, applied_crds::AppliedCrds};

/// What is installed.
#[derive(Clone, Debug, Default)]
pub struct Installed {
    /// The releases of charts.
    pub releases: Vec<Release>,
    /// Karpenter's CRDs that commands apply.
    pub crds: Vec<AppliedCrds>,
}

impl Installed {
    /// Adds what else is installed.
    pub fn extend(&mut self, more: Self) {
        self.releases.extend(more.releases);
        self.crds.extend(more.crds);
    }
}
