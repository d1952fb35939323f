//! What the sources of a repository install.

use crate::{
    resolve::{
        kubernetes::held::Held,
        release::{Release, applied_crds::AppliedCrds},
    },
    source::FileId,
};

/// What is installed.
#[derive(Clone, Debug, Default)]
pub struct Installed {
    /// The releases of charts.
    pub releases: Vec<Release>,
    /// Karpenter's CRDs that commands apply.
    pub crds: Vec<AppliedCrds>,
    /// The objects that commands apply and that are in no manifest.
    pub held: Held,
    /// The templates that commands fill in and apply.
    pub templates: Vec<FileId>,
}

impl Installed {
    /// Adds what else is installed.
    pub fn extend(&mut self, more: Self) {
        self.releases.extend(more.releases);
        self.crds.extend(more.crds);
        self.templates.extend(more.templates);
        self.held.objects.extend(more.held.objects);
        self.held.parse_errors.extend(more.held.parse_errors);
    }
}
