//! Folders of manifests that no Application or Kustomization names, beside others that some do.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::{
    model::left_out::{
        mention::{NamedPath, reader::is_yaml},
        unapplied::Unapplied,
    },
    resolve::{gitops::AppliedFolder, kubernetes::names_karpenter_api, kustomize::Kustomize},
    source::{FileId, Files, aside, file_name, is_below, outward, parent},
};

/// So many folders that are named make the one around them a place for what a cluster gets from git.
const ENOUGH: usize = 2;

/// Such folders. What they hold may be applied by hand, so that none with Karpenter's own resources is among them, but
/// for folders of samples.
pub(super) fn beside_applied<'f>(
    files: &'f Files,
    kustomize: &Kustomize,
    applied: &[AppliedFolder<'_>],
) -> Vec<NamedPath<'f>> {
    let around = around(applied);
    let mut found: BTreeMap<&str, FileId> = BTreeMap::new();
    let mut other: HashSet<&str> = HashSet::new();
    let all = files.iter().filter(|_| !around.is_empty());
    for (_, file) in all.filter(|it| is_yaml(it.1)) {
        for folder in outward(file.folder()).filter(|it| !it.is_empty()) {
            let Some(by) = around.get(parent(folder)).filter(|_| !other.contains(folder)) else {
                continue;
            };
            let is_sample = aside::is_named_for_samples(file_name(folder));
            let is_at_top = parent(folder).is_empty();
            let is_used = is_at_top && !is_sample
                || matches!(file.name(), "Chart.yaml" | "kustomization.yaml" | "kustomization.yml")
                || !is_sample && file.is_loaded() && names_karpenter_api(file.text());
            if is_used {
                other.insert(folder);
            } else {
                found.entry(folder).or_insert(*by);
            }
        }
    }
    let is_met = |folder: &str, path: &str| is_below(folder, path) || is_below(path, folder);
    let is_applied = |folder: &str| {
        let mut listed = kustomize.listings.values().flat_map(|it| &it.entries);
        applied.iter().any(|it| is_met(folder, it.path)) || listed.any(|it| is_met(folder, it))
    };
    let idle = found.into_iter().filter(|(it, _)| !other.contains(it) && !is_applied(it));
    let named = idle.map(|(folder, by)| NamedPath {
        folder: parent(folder),
        name: file_name(folder),
        of: Unapplied::BesideFolders(by),
    });
    named.collect()
}

/// The folders around those that are named, each with the file that names one of them.
fn around<'a>(applied: &[AppliedFolder<'a>]) -> BTreeMap<&'a str, FileId> {
    let paths: BTreeMap<&str, FileId> =
        applied.iter().filter(|it| !it.path.is_empty()).map(|it| (it.path, it.by)).collect();
    let mut inside: BTreeMap<&str, (BTreeSet<&str>, FileId)> = BTreeMap::new();
    for (path, by) in paths {
        for folder in outward(parent(path)) {
            inside.entry(folder).or_insert_with(|| (BTreeSet::new(), by)).0.insert(path);
        }
    }
    let enough = inside.into_iter().filter(|(_, (paths, _))| paths.len() >= ENOUGH);
    enough.map(|(folder, (_, by))| (folder, by)).collect()
}
