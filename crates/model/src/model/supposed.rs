//! Versions supposed in place of those that are written: what would be so after an upgrade.

use std::collections::BTreeMap;

use crate::{
    model::{cluster::Cluster, installation::Installation},
    resolve::{
        release::{Release, applied_crds::AppliedCrds},
        setting::Setting,
    },
    source::Span,
    version::Version,
};

/// A version as it is written, of what is at a place: a release, CRDs that a script applies, a Deployment.
pub type Written = (Span, String);

/// Versions in place of those that are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supposed {
    /// Those of Karpenter's charts, CRDs and Deployments.
    pub karpenter: BTreeMap<Written, String>,
    /// That of Kubernetes, in every cluster.
    pub kubernetes: Option<Version>,
    /// That of Kubernetes in single clusters, by the places where they have theirs.
    pub clusters: BTreeMap<Span, Version>,
}

impl Supposed {
    fn of(&self, place: Span, version: &Setting<String>) -> Option<&str> {
        let written = version.known()?;
        self.karpenter.get(&(place, written.clone())).map(String::as_str)
    }

    /// Gives releases, and CRDs that scripts apply, their supposed versions.
    pub(super) fn put_on_releases(&self, releases: &mut [Release], crds: &mut [AppliedCrds]) {
        let releases = releases.iter_mut().map(|it| (it.report_span, &mut it.version));
        for (place, version) in
            releases.chain(crds.iter_mut().map(|it| (it.report_span, &mut it.version)))
        {
            if let Some(other) = self.of(place, version) {
                *version = version.clone().supposed(other);
            }
        }
    }

    /// Gives Deployments of the controller their supposed versions.
    pub(super) fn put_on_installations(&self, installations: &mut [Installation]) {
        for it in installations.iter_mut().filter(|it| it.release.is_none()) {
            if let Some(other) = self.of(it.version.span(), &it.version) {
                it.version = it.version.clone().supposed(other.to_owned(), other);
            }
        }
    }

    /// Gives clusters their supposed version.
    pub(super) fn put_on_clusters(&self, clusters: &mut [Cluster]) {
        for cluster in clusters {
            let place = cluster.version.as_ref().map(Setting::span);
            let own = place.and_then(|it| self.clusters.get(&it));
            let Some(version) = own.or(self.kubernetes.as_ref()) else { continue };
            let text = format!("{}.{}", version.major, version.minor);
            cluster.version = cluster.version.take().map(|it| it.supposed(version.clone(), &text));
        }
    }
}
