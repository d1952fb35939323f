//! Releases of charts as `GitOps` tools describe them: Argo CD, Flux, helmfile, eksctl, and charts that
//! depend on charts.
//!
//! Nothing here depends on what a chart does. What a tool would only learn at run time (a cluster's labels, a
//! secret, another repository) is unknown.

mod application_set;
pub mod apps_chart;
pub mod argo;
pub(crate) mod chart;
mod cloudformation;
mod config_map;
mod doubt;
pub mod eksctl;
mod fill;
mod flux;
mod generator;
mod helmfile;
pub mod order;
mod parameters;
pub mod patched;
mod post_renderer;
pub(crate) mod repository;
#[cfg(test)]
mod tests;
pub mod target_namespace;
pub(crate) mod unknown;

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    resolve::{
        cloudformation::{self as templates, Stack},
        gitops::{
            argo::{Applications, source::SourceFolder},
            eksctl::ClusterConfig,
            flux::Flux,
            order::{InstallOrder, Layer},
            repository::Repository,
        },
        kubernetes::{self, Located, manifests::Tools},
        pulumi,
        release::{Means, Release, surface::Surface, unit::Unit},
    },
    source::{FileId, Files, Span, aside, is_below, parent},
    syntax::ParseError,
};

/// What the files of `GitOps` tools hold beside releases.
#[derive(Debug, Default)]
pub struct GitOps {
    /// The clusters of eksctl, and of `CloudFormation` in the form of eksctl's.
    pub clusters: Vec<ClusterConfig>,
    /// The sources in templates of `ApplicationSets`, each with a chart that is made of it.
    pub generated: Vec<(Span, Arc<str>)>,
    /// What could not be read of the files themselves.
    pub parse_errors: Vec<ParseError>,
    /// The templates of `CloudFormation` that were read.
    pub stacks: BTreeSet<FileId>,
    /// The queues of SQS in templates of `CloudFormation`.
    pub queues: Vec<Span>,
    /// The types of AWS in stacks of Pulumi that are not read, each with the first of its resources and their number.
    pub unread: Vec<(Span, Arc<str>, usize)>,
    /// What commands of Pulumi wrote.
    outputs: BTreeSet<FileId>,
    /// The folders of this repository that Applications of Argo CD apply.
    applied: Vec<SourceFolder>,
    /// Those that Kustomizations of Flux apply, each with its file.
    layered: Vec<(String, FileId)>,
    /// The folders that `ApplicationSets` find in git, each with the set's file.
    found: Vec<(String, FileId)>,
    /// The folders that only an Application or a Kustomization in a folder put aside names, each with its file.
    aside: Vec<(String, FileId)>,
    order: InstallOrder,
}

/// A folder that an Application of Argo CD or a Kustomization of Flux names.
#[derive(Clone, Copy, Debug)]
pub struct AppliedFolder<'a> {
    /// Its path.
    pub path: &'a str,
    /// The file of the Application or Kustomization.
    pub by: FileId,
    /// The source of the Application; `None` for a Kustomization of Flux, which enters the folders below up to the
    /// next kustomizations.
    source: Option<&'a SourceFolder>,
}

impl AppliedFolder<'_> {
    /// Whether Flux applies it.
    #[must_use]
    pub fn is_of_flux(&self) -> bool {
        self.source.is_none()
    }

    /// Whether an Application applies only some of the files.
    #[must_use]
    pub fn is_in_part(&self) -> bool {
        self.source.is_some_and(SourceFolder::is_in_part)
    }

    /// Whether it applies a file.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        self.source.map_or_else(|| is_below(path, self.path), |it| it.holds_file(path))
    }

    /// Whether an Application enters the folder of a file and leaves the file out by `include` or `exclude`.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.source.is_some_and(|it| it.holds(parent(path)) && !it.holds_file(path))
    }
}

/// A folder that a tool is told to apply.
#[derive(Clone, Copy, Debug)]
pub struct NamedFolder<'a> {
    /// Its path in the repository that holds it.
    pub path: &'a str,
    /// The name of the source that is this repository, or another one.
    pub source: Option<&'a Arc<str>>,
    /// Where it is named.
    pub place: Span,
}

impl GitOps {
    /// Takes in a program of Pulumi, or what it writes of a stack.
    fn take_pulumi<'a>(&mut self, located: &'a Located, stacks: &mut Vec<(Stack, &'a Located)>) {
        let is_output = pulumi::is_output(&located.object);
        if !is_output && !pulumi::is_program(&located.object) {
            return;
        }
        let stack = pulumi::stack(located);
        self.outputs.extend(is_output.then_some(stack.file));
        self.unread.extend(pulumi::unread(&located.object));
        stacks.push((stack, located));
    }

    /// Whether a release waits for another, directly or through others; `None` when that is not known, or when
    /// nothing orders the two either way.
    #[must_use]
    pub fn waits_for(&self, from: &Release, to: &Release) -> Option<bool> {
        self.order.waits_for(from, to)
    }

    /// Whether an Application of Argo CD or a Kustomization of Flux applies the file of a path.
    #[must_use]
    pub fn applies(&self, path: &str) -> bool {
        self.applied.iter().any(|it| it.holds_file(path))
            || self.layered.iter().any(|(it, _)| is_below(path, it))
    }

    /// The folders that an Application of Argo CD or a Kustomization of Flux names.
    pub fn applied_folders(&self) -> impl Iterator<Item = AppliedFolder<'_>> {
        let of_argo = self.applied.iter().map(|it| AppliedFolder {
            path: &it.path,
            by: it.place.file,
            source: Some(it),
        });
        let layered =
            self.layered.iter().map(|(path, by)| AppliedFolder { path, by: *by, source: None });
        of_argo.chain(layered)
    }

    /// The same, each with where it is named and with what holds it.
    pub fn named_folders(&self) -> impl Iterator<Item = NamedFolder<'_>> {
        let by_argo = self.applied.iter().map(|it| NamedFolder {
            path: &it.path,
            source: it.repository.as_ref(),
            place: it.place,
        });
        let by_flux = self.layers().iter().filter_map(|it| {
            let (path, source) = (it.path.as_deref()?, it.source.as_ref());
            Some(NamedFolder { path, source, place: it.report_span })
        });
        by_argo.chain(by_flux)
    }

    /// The folders that `ApplicationSets` find in git, where all that one finds is known, each with the set's file.
    pub fn found_folders(&self) -> impl Iterator<Item = (&str, FileId)> {
        self.found.iter().map(|(it, file)| (it.as_str(), *file))
    }

    /// The folders that one in a folder put aside names, each with its file.
    pub fn folders_of_aside(&self) -> impl Iterator<Item = (&str, FileId)> {
        self.aside.iter().map(|(it, file)| (it.as_str(), *file))
    }

    /// What is installed together, by whatever tool but Terraform.
    pub fn units(&self) -> impl Iterator<Item = &Unit> {
        self.order.units.iter().map(|it| &**it)
    }

    /// The Kustomizations of Flux.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.order.layers
    }
}

/// Words without which a file holds no object of interest. A file with none of them is not parsed.
const WORDS: &[&str] = &[
    "argoproj.io/",
    "helm.toolkit.fluxcd.io/",
    "source.toolkit.fluxcd.io/",
    "kustomize.toolkit.fluxcd.io/",
    "eksctl.io/",
    templates::WORDS[0],
    templates::WORDS[1],
    templates::QUEUE,
    pulumi::WORDS[0],
    pulumi::WORDS[1],
    pulumi::WORDS[2],
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
pub const TOOLS: Tools = Tools { words: WORDS, own: is_of_interest, all_workloads: false };

/// Whether [`from_objects`] understands an object.
#[must_use]
pub fn is_of_interest(object: &kubernetes::Object) -> bool {
    let known = |(group, kind): &(&str, &str)| *group == object.group() && *kind == &*object.kind;
    KINDS.iter().any(known)
        || templates::is_template(object)
        || templates::queues(object).next().is_some()
        || pulumi::is_program(object)
        || pulumi::is_output(object)
}

/// Reads releases from objects, wherever they are written, and from the helmfiles and charts among the
/// files, in the order of these, with what else they hold. Objects that are not of interest are passed over.
#[must_use]
pub fn from_objects(
    files: &Files,
    yaml_files: &[FileId],
    objects: &[Located],
) -> (Vec<Release>, GitOps) {
    let repository = Repository::new(files);
    let mut releases = Vec::new();
    let mut all = GitOps::default();
    let objects = &doubt::with_patches(objects);
    let flux = Flux::new(&repository, yaml_files, objects);
    let mut applications = Applications::new(&repository);
    let mut stacks = Vec::new();
    for located in objects {
        all.queues.extend(templates::queues(&located.object));
        match (located.object.group(), &*located.object.kind) {
            ("argoproj.io", "Application") => applications.application(located),
            ("argoproj.io", "ApplicationSet") => applications.set(located),
            ("helm.toolkit.fluxcd.io", "HelmRelease") => releases.extend(flux.release(located)),
            ("", "") if templates::is_template(&located.object) => {
                stacks.push((Stack::read(files, &located.object), located));
            }
            ("", "") => all.take_pulumi(located, &mut stacks),
            ("eksctl.io", "ClusterConfig") => all.clusters.push(eksctl::cluster(files, located)),
            _ => {}
        }
    }
    for (stack, located) in &stacks {
        releases.extend(cloudformation::releases(files, stack, located));
        let is_written = stack.surface == Surface::Pulumi && !all.outputs.contains(&stack.file);
        all.stacks.extend((!is_written).then_some(stack.file));
    }
    all.clusters.extend(cloudformation::clusters(files, &stacks));
    let of_argo = applications.into_releases();
    releases.extend(of_argo.releases);
    all.generated = of_argo.generated;
    let is_aside = |it: Span| aside::of(files.get(it.file).path()).is_some();
    let (put_aside, applied) = of_argo.folders.into_iter().partition(|it| is_aside(it.place));
    all.applied = applied;
    all.found = of_argo.found;
    all.aside.extend(put_aside.into_iter().map(|it: SourceFolder| (it.path, it.place.file)));
    releases.extend(all.clusters.iter().filter_map(ClusterConfig::karpenter_release));
    helmfile::read(&repository, &mut releases, &mut all.parse_errors);
    all.order = InstallOrder { units: units(&releases), layers: flux.into_layers() };
    for layer in &all.order.layers {
        let Some(path) = layer.path.clone() else { continue };
        if is_aside(layer.report_span) {
            all.aside.push((path, layer.report_span.file));
        } else {
            all.layered.push((path, layer.report_span.file));
        }
    }
    let dependencies: Vec<Release> =
        releases.iter().flat_map(|it| chart::dependencies(&repository, it)).collect();
    releases.extend(dependencies);
    let installed: BTreeSet<String> =
        releases.iter().filter_map(|it| it.local_chart.clone()).collect();
    releases.extend(chart::releases(&repository, yaml_files, &installed));
    releases.sort_by_key(|it| (it.report_span.file, it.report_span.start));
    (releases, all)
}

fn units(releases: &[Release]) -> Vec<Arc<Unit>> {
    let unit = |it: &Release| match &it.means {
        Means::Tool(unit) => Some(Arc::clone(unit)),
        Means::Terraform(_) => None,
    };
    releases.iter().filter_map(unit).collect()
}
