//! Which CRD release belongs to which controller.

use crate::{
    findings::Edit,
    model::{Model, place::near, release::Release},
    source::Files,
};

/// A controller release and the CRD release of its neighbourhood.
#[derive(Clone, Debug)]
pub struct CrdPair {
    controller: usize,
    crds: usize,
    /// The edits that make the controller wait for the CRDs.
    pub wait_edits: Option<Vec<Edit>>,
}

impl CrdPair {
    /// The controller.
    #[must_use]
    pub fn controller<'a>(&self, model: &'a Model) -> &'a Release {
        &model.releases[self.controller]
    }

    /// The CRDs.
    #[must_use]
    pub fn crds<'a>(&self, model: &'a Model) -> &'a Release {
        &model.releases[self.crds]
    }
}

/// Pairs each controller with the CRD release nearest to it, where the choice is clear both ways: a
/// CRD release that is nearer to another controller belongs to that one.
pub fn crd_pairs(files: &Files, releases: &[Release]) -> Vec<CrdPair> {
    let index = |wanted: &Release| releases.iter().position(|it| std::ptr::eq(it, wanted));
    let mut pairs = Vec::new();
    for (controller, release) in releases.iter().enumerate().filter(|(_, it)| it.is_controller()) {
        let Some(crds) = only_near(release, releases, Release::is_crds) else { continue };
        let back = only_near(crds, releases, Release::is_controller);
        if back.is_some_and(|it| std::ptr::eq(it, release))
            && let Some(crds_index) = index(crds)
        {
            let wait_edits = release.wait_edits(files, crds);
            pairs.push(CrdPair { controller, crds: crds_index, wait_edits });
        }
    }
    pairs
}

/// The one candidate near a release: in its module instance, else in its neighbourhood.
fn only_near<'a>(
    from: &Release,
    releases: &'a [Release],
    candidate: impl Fn(&Release) -> bool,
) -> Option<&'a Release> {
    let beside = |it: &&Release| it.stands_beside(from) && candidate(it);
    let together: Vec<&Release> = releases.iter().filter(beside).collect();
    let found = if together.is_empty() { near(&from.place, releases, candidate) } else { together };
    match found.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}
