//! Which CRD release belongs to which controller.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    model::{
        environment::are_apart,
        scope::{ScopeIndex, only},
    },
    resolve::{
        release::{Means, Release, applied_crds::AppliedCrds},
        scope::{ClusterTarget, Scope},
    },
    source::Span,
    value::cause::Cause,
};

/// A controller release and the CRD release nearest to it.
#[derive(Clone, Debug)]
pub struct CrdPair {
    controller: usize,
    crds: usize,
}

impl CrdPair {
    /// The controller, one of these releases.
    #[must_use]
    pub fn controller<'a>(&self, releases: &'a [Release]) -> &'a Release {
        &releases[self.controller]
    }

    /// The release of its CRDs, one of these.
    #[must_use]
    pub fn crds<'a>(&self, releases: &'a [Release]) -> &'a Release {
        &releases[self.crds]
    }
}

/// A controller release and the CRDs that a command of its script applies, or a manifest of its root module.
#[derive(Clone, Debug)]
pub struct AppliedPair {
    controller: usize,
    crds: usize,
}

impl AppliedPair {
    /// The controller, one of these releases.
    #[must_use]
    pub fn controller<'a>(&self, releases: &'a [Release]) -> &'a Release {
        &releases[self.controller]
    }

    /// The CRDs, some of these.
    #[must_use]
    pub fn crds<'a>(&self, applied: &'a [AppliedCrds]) -> &'a AppliedCrds {
        &applied[self.crds]
    }
}

/// Pairs each controller of a script with the CRDs that the script applies, the only one of a root module with those
/// that the root module applies, and each other one with those that the only script of its folder applies, or the only
/// one of all.
#[must_use]
pub(super) fn applied_pairs(releases: &[Release], applied: &[AppliedCrds]) -> Vec<AppliedPair> {
    let controllers = releases.iter().enumerate().filter(|(_, it)| it.is_controller());
    let in_script = |(controller, release): (usize, &Release)| {
        if release.code().is_some() {
            let crds = applied_in_root(release, releases, applied)?;
            return Some(AppliedPair { controller, crds });
        }
        let place = release.unit()?.id().0;
        let same = |it: &AppliedCrds| it.unit == place && it.scope.root == release.scope.root;
        let crds = applied.iter().position(same)?;
        Some(AppliedPair { controller, crds })
    };
    let in_script: Vec<AppliedPair> = controllers.clone().filter_map(in_script).collect();
    let beside = controllers.clone().filter(|(at, _)| {
        in_script.iter().all(|it| it.controller != *at) && !releases.iter().any(Release::is_crds)
    });
    let all: Vec<(usize, &Release)> = controllers.clone().collect();
    let beside: Vec<AppliedPair> = beside.filter_map(|it| beside_it(it, &all, applied)).collect();
    in_script.into_iter().chain(beside).collect()
}

/// The CRDs that the root module of a controller applies to its cluster, where there is no other controller for them,
/// and no release of CRDs.
fn applied_in_root(
    release: &Release,
    releases: &[Release],
    applied: &[AppliedCrds],
) -> Option<usize> {
    let is_beside =
        |scope: &Scope| (scope.root, scope.cluster) == (release.scope.root, release.scope.cluster);
    let is_other = |it: &Release| it.is_crds() || it.is_controller() && !std::ptr::eq(it, release);
    if releases.iter().any(|it| is_beside(&it.scope) && is_other(it)) {
        return None;
    }
    let is_its =
        |it: &AppliedCrds| !it.manifests.is_empty() && !it.is_optional && is_beside(&it.scope);
    applied.iter().position(is_its)
}

/// A controller with the CRDs that a command beside it applies, where each is the only one of the folder, or of
/// all. What is named after an upgrade may leave another version behind.
fn beside_it(
    (controller, release): (usize, &Release),
    controllers: &[(usize, &Release)],
    applied: &[AppliedCrds],
) -> Option<AppliedPair> {
    let folder = &release.scope.folder;
    let is_upgrade =
        |it: &AppliedCrds| ["upgrade", "migrat"].iter().any(|word| it.scope.folder.contains(word));
    let only = |is_near: &dyn Fn(&str) -> bool| {
        let is_meant = |it: &AppliedCrds| is_near(&it.scope.folder) && !it.is_optional;
        let mut crds = applied.iter().enumerate().filter(|(_, it)| is_meant(it));
        let (at, crds) = crds.next().filter(|_| crds.next().is_none())?;
        let is_apart = are_apart(folder, &crds.scope.folder) || is_upgrade(crds);
        let mut near = controllers.iter().filter(|(_, it)| is_near(&it.scope.folder));
        let is_alone = near.next().is_some() && near.next().is_none();
        (is_alone && !is_apart).then_some(AppliedPair { controller, crds: at })
    };
    only(&|it| *it == **folder).or_else(|| only(&|_| true))
}

/// Pairs each controller with the CRD release nearest to it, where the choice is clear both ways: a
/// CRD release that is nearer to another controller belongs to that one, and one of another environment to none of
/// this.
#[must_use]
pub fn crd_pairs(releases: &[Release]) -> Vec<CrdPair> {
    let controllers = Only::of(releases, Release::is_controller);
    let all_crds = Only::of(releases, Release::is_crds);
    let mut pairs = Vec::new();
    for (controller, release) in releases.iter().enumerate().filter(|(_, it)| it.is_controller()) {
        let Some(crds) = all_crds.nearest(release) else { continue };
        let elsewhere = are_apart(&release.scope.folder, &releases[crds].scope.folder);
        let its = controllers.nearest(&seen_from(release, &releases[crds]));
        if !elsewhere && its == Some(controller) {
            pairs.push(CrdPair { controller, crds });
        }
    }
    pairs
}

/// The release of the CRDs as it is where a controller is: one of a helmfile may be in several environments.
fn seen_from<'a>(controller: &Release, crds: &'a Release) -> Cow<'a, Release> {
    let is_in_all = crds.scope.root.is_none() && crds.scope.cluster == ClusterTarget::Only;
    if !is_in_all || controller.scope.cluster == ClusterTarget::Only {
        return Cow::Borrowed(crds);
    }
    let scope = crds.scope.clone().in_cluster(controller.scope.cluster);
    Cow::Owned(Release { scope, ..crds.clone() })
}

/// Leaves it open whether a controller skips the CRDs of its chart where the variables that say so are
/// known with other values than those with which its CRD release is there.
pub fn doubt_mixed_states(pairs: &[CrdPair], releases: &mut [Release]) {
    for pair in pairs {
        let (controller, crds) = (pair.controller(releases), pair.crds(releases));
        let code = controller.code().zip(crds.code());
        let mixed = code.is_some_and(|(own, other)| {
            controller.scope.root == crds.scope.root
                && !own.object.skip_variables.is_disjoint(&other.object.absent_by)
        });
        if mixed {
            let skip = controller.skip_crds.clone().doubted(Cause::Value);
            releases[pair.controller].skip_crds = skip;
        }
    }
}

/// The one release of a kind near another: among those installed together with it, else in the
/// nearest scope.
struct Only<'a> {
    /// `None` where there are several.
    together: HashMap<InstallGroup<'a>, Option<usize>>,
    around: ScopeIndex<Option<usize>>,
}

impl<'a> Only<'a> {
    fn of(releases: &'a [Release], kind: fn(&Release) -> bool) -> Self {
        let mut together = HashMap::new();
        for (index, release) in releases.iter().enumerate().filter(|(_, it)| kind(it)) {
            let several = |it: &mut Option<usize>| *it = None;
            together.entry(InstallGroup::of(release)).and_modify(several).or_insert(Some(index));
        }
        Self { together, around: ScopeIndex::new(releases, kind, only) }
    }

    fn nearest(&self, release: &Release) -> Option<usize> {
        let around = || self.around.nearest(&release.scope).copied().flatten();
        self.together.get(&InstallGroup::of(release)).copied().unwrap_or_else(around)
    }
}

/// What installs a release: releases of one instance are installed together.
#[derive(PartialEq, Eq, Hash)]
enum InstallGroup<'a> {
    /// A module instance of a root, as far as it goes to one cluster.
    Module(Option<usize>, ClusterTarget, &'a str),
    /// A unit of some other tool.
    Unit(Span, usize),
}

impl<'a> InstallGroup<'a> {
    fn of(release: &'a Release) -> Self {
        match &release.means {
            Means::Terraform(it) => {
                Self::Module(release.scope.root, release.scope.cluster, &it.module)
            }
            Means::Tool(unit) => {
                let (place, element) = unit.id();
                Self::Unit(place, element)
            }
        }
    }
}
