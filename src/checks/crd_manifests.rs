//! Manifests of Karpenter's CRDs in the repository that cannot be of the release of the controller.

use std::{collections::HashSet, ptr};

use crate::{
    checks::crds::sources,
    findings::silence::Silence,
    knowledge::schema,
    model::{Model, crds::ServedKind, installation::Installation},
    resolve::release::Release,
    value::cause::Cause,
    version::Version,
};

/// A manifest of a CRD that has other versions of the API than the one of the controller's release.
pub(crate) struct OtherVersions<'m> {
    /// The controller.
    pub controller: &'m Installation,
    /// Its version.
    pub release: Version,
    /// The versions that the CRD of that release serves and the manifest does not have.
    pub lacking: Vec<&'static str>,
    /// Those that the manifest serves alone.
    pub further: Vec<&'m str>,
}

/// The manifests of CRDs beside a controller, and whether they are of another release than all near them.
pub(crate) fn of_other_release(
    model: &Model,
) -> impl Iterator<Item = (&ServedKind, Result<OtherVersions<'_>, Silence>)> {
    let with_crds: HashSet<*const Release> = sources(model).map(|it| ptr::from_ref(it.0)).collect();
    let beside = model.served_kinds.iter().filter(|it| !it.controllers.is_empty());
    beside.filter_map(move |it| Some((it, diagnosis(model, it, &with_crds)?)))
}

/// Given the releases that something brings CRDs for. `None` for a kind that a release near it does not have.
fn diagnosis<'m>(
    model: &'m Model,
    crd: &'m ServedKind,
    with_crds: &HashSet<*const Release>,
) -> Option<Result<OtherVersions<'m>, Silence>> {
    let kind = schema::kind(&crd.group, &crd.kind)?;
    let mut found = None;
    for controller in crd.controllers.iter().filter_map(|it| model.installations.get(*it)) {
        let Some(release) = exact(controller) else {
            let words = "which release its controller has is not known";
            return Some(Err(Silence::undecided(Cause::Version, words)));
        };
        let own = controller.release.and_then(|it| model.releases.get(it));
        if own.is_some_and(|it| with_crds.contains(&ptr::from_ref(it))) {
            return Some(Err(Silence::sound("something else installs the CRDs of its controller")));
        }
        let own: Vec<&str> = kind.served_by(&release).map(|it| &*it.version).collect();
        if own.is_empty() {
            return None;
        }
        let is_here = |it: &&str| crd.versions.iter().chain(&crd.unserved).any(|own| own == it);
        let lacking: Vec<&str> = own.iter().copied().filter(|it| !is_here(it)).collect();
        let served = crd.versions.iter().map(String::as_str);
        let further: Vec<&str> = served.filter(|it| !own.contains(it)).collect();
        if lacking.is_empty() && further.is_empty() {
            let words = "of which release it is, is not known: the controller's serves the same versions of the API";
            return Some(Err(Silence::undecided(Cause::Value, words)));
        }
        found = found.or(Some(OtherVersions { controller, release, lacking, further }));
    }
    found.map(Ok)
}

/// The version of a controller, if it is a release whose CRDs are known.
fn exact(controller: &Installation) -> Option<Version> {
    let release = controller.exact_version()?;
    let is_release = release.prerelease.is_empty() && release.line() != (0, 0);
    (is_release && !schema::is_unknown_release(&release)).then_some(release)
}
