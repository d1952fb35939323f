//! The Karpenters of a repository, and where their versions are written.

use std::collections::BTreeSet;

use crate::{
    checks::varying::is_version_varying,
    model::{Model, installation::Installation},
    project::Project,
    resolve::release::{Release, chart_version::Pin},
    source::{Files, Span, aside, parent},
    upgrade::{cluster_version::ClusterVersion, version_place::VersionPlace},
    value::Kind,
    version::Version,
};

/// A controller of Karpenter that something in the repository installs.
#[derive(Clone, Debug)]
pub struct Karpenter {
    /// What installs it.
    pub span: Span,
    /// Its name: `helm_release.karpenter`.
    pub title: String,
    /// The version that runs.
    pub from: Running,
    /// Where versions are written that move together: its own, and those of its CRDs.
    pub places: Vec<VersionPlace>,
    /// The versions of Kubernetes of its clusters, if they are known.
    pub clusters: Vec<ClusterVersion>,
    /// The folders of what is applied with it.
    folders: BTreeSet<String>,
}

/// The version that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    /// This one.
    Version(Version),
    /// What is written in its place.
    Unknown(String),
}

impl Karpenter {
    /// The version that runs, if it is known.
    #[must_use]
    pub fn version(&self) -> Option<&Version> {
        match &self.from {
            Running::Version(version) => Some(version),
            Running::Unknown(_) => None,
        }
    }

    /// The oldest version of Kubernetes that one of its clusters has, if it is known.
    #[must_use]
    pub fn kubernetes(&self) -> Option<&Version> {
        self.clusters.iter().map(|it| &it.version).min()
    }

    /// Whether a file is in a folder of what is applied with it.
    #[must_use]
    pub(super) fn is_beside(&self, path: &str) -> bool {
        self.folders.contains(parent(path))
    }

    /// How much a place has to do with it: nothing counts more than its own places, then what is applied with
    /// it, then how deep the folder is that both are in.
    #[must_use]
    pub(super) fn nearness(&self, path: &str, spans: &[Span]) -> (bool, bool, usize) {
        let own = |it: &Span| *it == self.span || self.places.iter().any(|own| own.span == *it);
        let folder = parent(path);
        let depth = self.folders.iter().map(|it| shared_folders(it, folder)).max();
        (spans.iter().any(own), self.folders.contains(folder), depth.unwrap_or_default())
    }
}

/// How many folders two paths of folders have in common.
fn shared_folders(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

/// All of them among the paths asked for, once for each place and version.
#[must_use]
pub fn all(model: &Model, project: &Project) -> Vec<Karpenter> {
    let files = &project.files;
    let path = |it: Span| files.get(it.file).path();
    let is_asked = |it: Span| project.is_asked_for(path(it)) && aside::of(path(it)).is_none();
    let releases =
        model.controllers().filter(|it| is_asked(it.report_span) && !it.is_third_party());
    let releases = releases.map(|it| of_release(model, project, it));
    let plain = model.installations.iter().filter(|it| it.release.is_none());
    let plain = plain.filter(|it| is_asked(it.version.span()));
    let plain = plain.map(|it| of_installation(files, it));
    let mut seen = BTreeSet::new();
    let mut is_new = |it: &Karpenter| {
        let version = match &it.from {
            Running::Version(version) => version.to_string(),
            Running::Unknown(text) => text.clone(),
        };
        seen.insert((it.span, version))
    };
    let mut all: Vec<Karpenter> = releases.chain(plain).filter(|it| is_new(it)).collect();
    all.sort_by_key(|it| (path(it.span), it.span.start));
    all
}

fn of_release(model: &Model, project: &Project, release: &Release) -> Karpenter {
    let files = &project.files;
    let varies = is_version_varying(model, release);
    let known = release.exact_version().filter(|_| !varies);
    let root = release.scope.root.and_then(|it| model.terraform.roots.get(it));
    let folders = match root {
        Some(root) => root.folders().into_iter().map(str::to_owned).collect(),
        None => BTreeSet::from([release.scope.folder.to_string()]),
    };
    let own = |it: &Release| std::ptr::eq(it, release);
    let pairs = model.crd_pairs.iter().filter(|it| own(it.controller(&model.releases)));
    let crds = pairs.map(|it| it.crds(&model.releases));
    let places = [release].into_iter().chain(crds);
    let places = places.filter_map(|it| VersionPlace::of_release(model, project, it));
    let applied = model.applied_pairs.iter().filter(|it| own(it.controller(&model.releases)));
    let applied = applied.map(|it| it.crds(&model.applied_crds));
    let applied = applied.filter_map(|it| VersionPlace::of_crds(files, it));
    Karpenter {
        span: release.report_span,
        title: release.title().to_owned(),
        from: known.map_or_else(|| Running::Unknown(unknown(files, release)), Running::Version),
        places: places.chain(applied).collect(),
        clusters: ClusterVersion::all_of(model, project, release),
        folders,
    }
}

fn of_installation(files: &Files, installation: &Installation) -> Karpenter {
    let span = installation.version.span();
    let text = || installation.version.known().cloned().unwrap_or_default();
    Karpenter {
        span,
        title: "karpenter".to_owned(),
        from: installation
            .exact_version()
            .map_or_else(|| Running::Unknown(text()), Running::Version),
        places: VersionPlace::of_installation(installation).into_iter().collect(),
        clusters: Vec::new(),
        folders: BTreeSet::from([parent(files.get(span.file).path()).to_owned()]),
    }
}

/// What is written where a version is not known.
fn unknown(files: &Files, release: &Release) -> String {
    let version = &release.version;
    let value = version.value();
    // A reference to what environments set.
    let reference = value.and_then(|it| it.steps().next()).map(|it| files.text(it.span).to_owned());
    let symbol = value.and_then(|it| match &it.kind {
        Kind::Unknown(symbol) => symbol.expression().map(str::to_owned),
        Kind::String(text) => text.holes.first()?.expression().map(str::to_owned),
        _ => None,
    });
    let range = || version.known().cloned().filter(|_| release.exact_version().is_none());
    let none = || match version.pin {
        Pin::Newest => "no version is written, so the newest is taken".to_owned(),
        _ => "not written here".to_owned(),
    };
    range().or(symbol).or(reference).unwrap_or_else(none)
}
