//! Which CRD release belongs to which controller.

use std::collections::HashMap;

use crate::{
    findings::Edit,
    model::{
        Model,
        place::{Neighbours, only},
        release::Release,
    },
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
    let controllers = Only::of(releases, Release::is_controller);
    let all_crds = Only::of(releases, Release::is_crds);
    let mut pairs = Vec::new();
    for (controller, release) in releases.iter().enumerate().filter(|(_, it)| it.is_controller()) {
        let Some(crds) = all_crds.near(release) else { continue };
        if controllers.near(&releases[crds]) == Some(controller) {
            let wait_edits = release.wait_edits(files, &releases[crds]);
            pairs.push(CrdPair { controller, crds, wait_edits });
        }
    }
    pairs
}

/// The one release of a kind near another: in its module instance, else in its neighbourhood.
struct Only<'a> {
    /// By root and module instance; `None` where there are several.
    beside: HashMap<(Option<usize>, &'a str), Option<usize>>,
    around: Neighbours<Option<usize>>,
}

impl<'a> Only<'a> {
    fn of(releases: &'a [Release], kind: fn(&Release) -> bool) -> Self {
        let mut beside = HashMap::new();
        for (index, release) in releases.iter().enumerate().filter(|(_, it)| kind(it)) {
            let instance = (release.place.root, release.module.as_str());
            beside.entry(instance).and_modify(|it| *it = None).or_insert(Some(index));
        }
        Self { beside, around: Neighbours::new(releases, kind, only) }
    }

    fn near(&self, release: &Release) -> Option<usize> {
        let instance = (release.place.root, release.module.as_str());
        let around = || self.around.near(&release.place).copied().flatten();
        self.beside.get(&instance).copied().unwrap_or_else(around)
    }
}
