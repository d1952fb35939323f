//! Releases of charts as `GitOps` tools describe them: Argo CD, Flux, helmfile, eksctl, and charts that
//! depend on charts.
//!
//! Nothing here depends on what a chart does. What a tool would only learn at run time (a cluster's labels, a
//! secret, another repository) is unknown.

mod application_set;
pub mod argo;
pub(crate) mod chart;
mod config_map;
mod doubt;
pub mod eksctl;
mod fill;
mod flux;
mod generator;
mod helmfile;
mod order;
mod parameters;
pub mod patched;
pub(crate) mod repository;
#[cfg(test)]
mod tests;
mod unknown;

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    resolve::{
        gitops::{
            argo::Applications,
            eksctl::ClusterConfig,
            flux::Flux,
            order::{InstallOrder, Layer},
            repository::Repository,
        },
        kubernetes::{self, Located, manifests::Tools},
        release::described::ChartRelease,
    },
    source::{FileId, Files},
    syntax::ParseError,
};

/// What the `GitOps` files of a project hold.
#[derive(Debug, Default)]
pub struct GitOps {
    /// The releases, in the order of the files.
    pub releases: Vec<ChartRelease>,
    /// The clusters of eksctl.
    pub clusters: Vec<ClusterConfig>,
    /// What could not be read of the files themselves.
    pub parse_errors: Vec<ParseError>,
    layers: Vec<Layer>,
}

impl GitOps {
    /// Whether the release at one place of the list waits for that at another, directly or through
    /// others; `None` when that is not known, or when nothing orders the two either way.
    #[must_use]
    pub fn waits_for(&self, from: usize, to: usize) -> Option<bool> {
        InstallOrder { releases: &self.releases, layers: &self.layers }.waits_for(from, to)
    }
}

/// Words without which a file holds no object of interest. A file with none of them is not parsed.
const WORDS: &[&str] = &[
    "argoproj.io/",
    "helm.toolkit.fluxcd.io/",
    "source.toolkit.fluxcd.io/",
    "kustomize.toolkit.fluxcd.io/",
    "eksctl.io/",
];

/// The kinds of objects that are read, with their groups.
const KINDS: &[(&str, &str)] = &[
    ("argoproj.io", "Application"),
    ("argoproj.io", "ApplicationSet"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
    ("source.toolkit.fluxcd.io", "HelmRepository"),
    ("source.toolkit.fluxcd.io", "HelmChart"),
    ("source.toolkit.fluxcd.io", "OCIRepository"),
    ("source.toolkit.fluxcd.io", "GitRepository"),
    ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    ("eksctl.io", "ClusterConfig"),
];

/// What to look for while manifests are read.
pub const TOOLS: Tools = Tools { words: WORDS, own: is_of_interest };

/// Whether [`from_objects`] understands an object.
#[must_use]
pub fn is_of_interest(object: &kubernetes::Object) -> bool {
    KINDS.iter().any(|(group, kind)| *group == object.group() && *kind == &*object.kind)
}

/// Reads releases from objects, wherever they are written, and from the helmfiles and charts among the
/// files. Objects that are not of interest are passed over.
#[must_use]
pub fn from_objects(files: &Files, yaml_files: &[FileId], objects: &[Located]) -> GitOps {
    let repository = Repository::new(files);
    let mut all = GitOps::default();
    let objects = &doubt::with_patches(objects);
    let flux = Flux::new(&repository, yaml_files, objects);
    let mut applications = Applications::new(&repository);
    for located in objects {
        match (located.object.group(), &*located.object.kind) {
            ("argoproj.io", "Application") => applications.application(located),
            ("argoproj.io", "ApplicationSet") => applications.set(located),
            ("helm.toolkit.fluxcd.io", "HelmRelease") => all.releases.extend(flux.release(located)),
            ("eksctl.io", "ClusterConfig") => all.clusters.push(eksctl::cluster(files, located)),
            _ => {}
        }
    }
    all.layers = flux.into_layers();
    all.releases.extend(applications.into_releases());
    all.releases.extend(all.clusters.iter().filter_map(ClusterConfig::karpenter_release));
    helmfile::read(&repository, &mut all.releases, &mut all.parse_errors);
    all.releases = chart::with_dependencies(&repository, all.releases);
    let installed: BTreeSet<Arc<str>> =
        all.releases.iter().filter_map(|it| it.local_chart.clone()).collect();
    all.releases.extend(chart::releases(&repository, yaml_files, &installed));
    all.releases.sort_by_key(|it| (it.file, it.report_span.start));
    all
}
