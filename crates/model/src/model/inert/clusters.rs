//! Folders for clusters without Karpenter: clusters that lie side by side, of which only others show it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{
        Model,
        environment::{Environments, HOLDERS},
        installation::Installation,
        scope::Scoped,
    },
    resolve::terraform::object::Mode,
    source::{Files, SourceFile, Span, file_name, is_below, outward, parent},
};

/// Folders that clusters side by side have to share before they are taken for such.
const SHARED: usize = 2;
/// Names of folders that say nothing of what is in them: parts of one thing have them as well as clusters.
const LAYOUT: &[&str] =
    &["base", "bases", "overlays", "templates", "charts", "crds", "manifests", "values", "patches"];
/// Names of folders whose contents are for all clusters.
const COMMON: &[&str] =
    &["all", "base", "common", "components", "global", "lib", "modules", "shared", "templates"];
/// What Karpenter's keys, groups and kinds hold.
pub(super) const NAME: &str = "karpenter";

/// The folders of clusters that lie beside one with Karpenter, hold the same things and show no trace of it. None
/// where anything else of the repository may bring Karpenter to them.
pub(super) fn without_karpenter(files: &Files, model: &Model) -> Vec<String> {
    if model.assumed.karpenter_version.is_some() {
        return Vec::new();
    }
    let shown = shown_in(model);
    let Some(first) = shown.first() else { return Vec::new() };
    let holders = outward(parent(first));
    let mut found: Vec<String> = Vec::new();
    for holder in holders.filter(|_| !first.is_empty()) {
        let inside: Option<BTreeSet<&str>> = shown.iter().map(|it| child(holder, it)).collect();
        let Some(with) = inside else { continue };
        found.extend(beside(files, model, holder, &with));
    }
    found
}

/// The folders in which something installs Karpenter or makes its resources. A chart of it that nothing here
/// installs is installed where that is seen.
pub(super) fn shown_in(model: &Model) -> Vec<&str> {
    let is_seen = |it: &&Installation| !it.is_for_anybody;
    let sure = model.installations.iter().filter(is_seen).map(Scoped::scope);
    let mut all: Vec<_> = sure.collect();
    if all.is_empty() {
        all.extend(model.installations.iter().map(Scoped::scope));
    }
    all.extend(model.node_pools.iter().map(|it| &it.scope));
    all.extend(model.karpenter_objects.iter().map(|it| &it.scope));
    let crds = model.releases.iter().filter(|it| it.is_crds());
    all.extend(crds.map(|it| &it.scope));
    let of_roots = model.karpenter_resources.iter();
    let of_roots = of_roots.filter_map(|it| model.terraform.roots.get(it.root));
    let mut folders: BTreeSet<&str> = of_roots.map(|it| &*it.folder).collect();
    folders.extend(all.iter().map(|it| &*it.folder));
    folders.into_iter().collect()
}

/// The folder directly in another that a path leads through.
pub(super) fn child<'a>(holder: &str, path: &'a str) -> Option<&'a str> {
    let rest =
        if holder.is_empty() { path } else { path.strip_prefix(holder)?.strip_prefix('/')? };
    let name = rest.split('/').next().filter(|it| !it.is_empty())?;
    path.get(..path.len() - rest.len() + name.len())
}

/// The folders beside those with Karpenter that are for other clusters.
fn beside(files: &Files, model: &Model, holder: &str, with: &BTreeSet<&str>) -> Vec<String> {
    let is_holder = HOLDERS.contains(&last(holder));
    let is_cluster = |it: &str| {
        let name = last(it);
        let is_named = is_holder || Environments::of_name(name).is_any() || name.contains("prod");
        is_named && !COMMON.contains(&name) && !name.contains(NAME)
    };
    if !with.iter().all(|it| is_cluster(it)) {
        return Vec::new();
    }
    let mut parts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, file) in files.iter() {
        if let Some(cluster) = child(holder, file.folder()).filter(|it| is_cluster(it)) {
            let inner = file.folder()[cluster.len()..].trim_start_matches('/');
            parts.entry(cluster).or_default().insert(inner);
        }
    }
    let is_alike = |one: &BTreeSet<&str>, other: &BTreeSet<&str>| {
        let says = |it: &&&str| !it.is_empty() && !LAYOUT.contains(&last(it));
        one.intersection(other).filter(says).count() >= SHARED
    };
    let has_twin = |own: &BTreeSet<&str>| {
        with.iter().filter_map(|it| parts.get(it)).any(|it| is_alike(own, it))
    };
    let others = parts.iter().filter(|(it, own)| !with.contains(*it) && has_twin(own));
    let others: Vec<&str> = others.map(|(it, _)| *it).collect();
    let silent =
        others.iter().filter(|it| !names_karpenter(files, it) && !is_shared(files, model, it));
    let silent: Vec<&str> = silent.copied().collect();
    let clusters: Vec<&str> = with.iter().copied().chain(silent.iter().copied()).collect();
    if silent.is_empty() || is_shown_elsewhere(files, model, &clusters) {
        return Vec::new();
    }
    silent.into_iter().map(str::to_owned).collect()
}

fn last(path: &str) -> &str {
    file_name(path)
}

/// Whether a file below a folder names Karpenter. What was not loaded was looked through before.
pub(super) fn names_karpenter(files: &Files, folder: &str) -> bool {
    files.iter().any(|(_, it)| is_below(it.path(), folder) && names(it, NAME))
}

/// Whether a file names something.
pub(super) fn names(file: &SourceFile, word: &str) -> bool {
    file.is_loaded() && file.names(word)
}

/// Whether what lies in a folder is applied from elsewhere: by a kustomization or a root module of another folder.
pub(super) fn is_shared(files: &Files, model: &Model, folder: &str) -> bool {
    let lies_in = |it: Span| is_below(files.get(it.file).path(), folder);
    let of_workloads = model.workloads.iter().map(|it| (&it.scope, it.report_span));
    let of_pdbs = model.pdbs.iter().map(|it| (&it.scope, it.report_span));
    let mut all = of_workloads.chain(of_pdbs);
    let mut roots = model.terraform.roots.iter();
    all.any(|(scope, place)| lies_in(place) && !is_below(&scope.folder, folder))
        || roots.any(|it| {
            !is_below(&it.folder, folder) && it.folders().iter().any(|it| is_below(it, folder))
        })
}

/// Whether Karpenter's keys are in files outside of the clusters, which may be for all of them. A chart of it that
/// nothing here installs, and Terraform that makes no cluster, are for the one that is seen.
pub(super) fn is_shown_elsewhere(files: &Files, model: &Model, clusters: &[&str]) -> bool {
    let inside = |path: &str| clusters.iter().any(|it| is_below(path, it));
    let charts = model.installations.iter().filter(|it| it.is_for_anybody);
    let charts: Vec<&str> = charts.map(|it| &*it.scope().folder).collect();
    let makes_none = model.terraform.roots.iter().enumerate().filter(|(index, it)| {
        model.clusters.iter().all(|it| it.scope.root != Some(*index))
            && model.installations.iter().all(|it| it.scope().root != Some(*index))
            && it.of(Mode::Resource, "aws_eks_cluster").next().is_none()
    });
    let for_one: BTreeSet<&str> = makes_none.flat_map(|(_, it)| it.folders()).collect();
    files.iter().any(|(_, it)| {
        let folder = it.folder();
        !inside(it.path())
            && !for_one.contains(folder)
            && !charts.iter().any(|chart| is_below(folder, chart))
            && names(it, "karpenter.sh/")
    })
}
